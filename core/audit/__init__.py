"""The audit of a written report: what each sentence, quotation and citation of it is borne out by."""
