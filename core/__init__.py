"""Disconfirm without its window: documents, search, verdicts, quotes, matrix, report. Nothing here knows Qt."""

__version__ = "0.1.0"
