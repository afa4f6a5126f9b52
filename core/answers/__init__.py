"""Answers to questions from sentences of the documents, or a reason for none."""
