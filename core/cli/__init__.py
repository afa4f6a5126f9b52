"""The commands, a module for those that belong together; the rest stand in ``core/__main__.py``."""
