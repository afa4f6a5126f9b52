"""The first page: recent cases, a new one, the sample."""
