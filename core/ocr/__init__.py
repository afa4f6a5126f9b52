"""Pages without text of their own: which to read, and which words of a reading to doubt."""
