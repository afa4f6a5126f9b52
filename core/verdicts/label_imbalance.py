"""Verdicts that are too much of one kind: a document written to push a judge, or a judge that has come off its rails.

Evidence is mixed. Where nearly all that a judge found in a document supports (or contradicts), whatever the hypothesis,
and the same judge finds otherwise elsewhere, a person should look. The rule changes no verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

FEWEST = 20  # verdicts; below that a run of one kind is chance often enough
SHARE = 0.9  # of one label from which on it is implausible
ELSEWHERE = 0.75  # where the other documents have as much of the label, it is the subject and not the document

_SIDES = ("supports", "contradicts")  # neutral is what most passages are to most hypotheses


@dataclass(frozen=True, slots=True)
class Skew:
    """``count`` of ``total`` verdicts are ``label``; ``document`` '' means all verdicts together."""

    document: str
    label: str
    count: int
    total: int

    def sentence(self, name: str = "") -> str:
        """Return what is one-sided; ``name`` is that of the document."""
        where = f"on {name or self.document}" if self.document else "of the model"
        return (
            f"{self.count} of {self.total} verdicts {where} are “{self.label}”, which is implausibly one-sided: read "
            "some of these passages before relying on them."
        )


def find(verdicts: Sequence[tuple[str, str]]) -> list[Skew]:
    """Find what is one-sided in pairs of document and label: all of them first, else document by document."""
    everything = Counter(label for _, label in verdicts)
    for label in _SIDES:
        if len(verdicts) >= FEWEST and everything[label] >= SHARE * len(verdicts):
            return [Skew("", label, everything[label], len(verdicts))]
    imbalances = []
    by_document: dict[str, Counter[str]] = {}
    for document, label in verdicts:
        by_document.setdefault(document, Counter())[label] += 1
    for document, labels in by_document.items():
        total = labels.total()
        elsewhere_count = len(verdicts) - total
        for label in _SIDES:
            elsewhere = (everything[label] - labels[label]) / elsewhere_count if elsewhere_count else 0.0
            if total >= FEWEST and labels[label] >= SHARE * total and elsewhere < ELSEWHERE:
                imbalances.append(Skew(document, label, labels[label], total))
    return imbalances
