"""The screen that a damaged case leads to."""
