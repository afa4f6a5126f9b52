"""What a sentence says, read for every feature alike. Pure."""
