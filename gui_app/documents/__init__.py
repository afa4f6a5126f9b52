"""The screen of documents."""
