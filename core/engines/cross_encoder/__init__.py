"""Encoders that read a passage and a hypothesis together. Imported in a child process only."""
