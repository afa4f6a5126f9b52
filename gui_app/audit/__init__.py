"""The screen that audits a written report."""
