"""The screen of the matrix."""
