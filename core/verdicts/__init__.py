"""Verdicts of the judge: labels, exams, thresholds, and what may be shown."""
