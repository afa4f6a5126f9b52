"""Models that find names in text."""
