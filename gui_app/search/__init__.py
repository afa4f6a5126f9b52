"""The screen of search, with names, dates and themes."""
