"""The proof page: what the program may reach, and that no connection is open."""
