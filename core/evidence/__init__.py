"""Evidence and the quotes that it rests on."""
