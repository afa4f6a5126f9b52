"""Matrices that were written elsewhere."""
