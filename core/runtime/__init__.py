"""Which engines run, and how they are started."""
