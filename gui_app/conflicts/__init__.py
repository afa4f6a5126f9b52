"""The screen of the conflicts: what is said in the documents that cannot all be true, side by side."""
