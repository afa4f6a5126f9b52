"""Statements that cannot both be true: found in the documents, laid side by side, resolved by a person."""
