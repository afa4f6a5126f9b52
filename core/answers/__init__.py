"""Answers to questions: made of sentences of the documents, or a reason why there is none."""
