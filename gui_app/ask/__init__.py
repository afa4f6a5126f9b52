"""Ask: a question in plain words, answered with sentences of the documents, or refused with a reason."""
