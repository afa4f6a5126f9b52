"""The screen of one document."""
