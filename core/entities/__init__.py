"""The people, organisations and places that documents name."""
