"""The screen of proposals."""
