"""The case itself: its title and settings, undo and redo, merging and proof, and the guide through its steps."""
