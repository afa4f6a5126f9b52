"""Search plans of hypotheses: queries, effort, what was missed, and what would tell hypotheses apart."""
