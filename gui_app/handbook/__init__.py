"""The handbook in a window of its own: contents and search at the left, the text at the right."""
