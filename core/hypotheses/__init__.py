"""The rival hypotheses, their priors, and what the analyst considers beside them."""
