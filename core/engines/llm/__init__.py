"""The language model that judges and drafts."""
