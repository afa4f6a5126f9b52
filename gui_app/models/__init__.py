"""The screen of language models."""
