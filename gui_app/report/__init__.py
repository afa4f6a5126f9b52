"""The screen of the report."""
