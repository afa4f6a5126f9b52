"""The dates that documents mention."""
