"""The screen of hypotheses, and what is noted beside them."""
