"""Adapters to libraries, imported late and in a child process only."""
