"""The child processes that engines run in."""
