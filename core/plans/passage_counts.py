"""How many passages were looked at for each hypothesis, and how the judge took them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from core.domain import Proposal, Searched
from core.plans import queries


@dataclass(frozen=True, slots=True)
class PassageCount:
    """How many ``passages`` were looked at for a hypothesis, and as what the judge took how many (``labels``)."""

    passages: int
    labels: Mapping[str, int]


def passage_counts(
    proposals: Iterable[Proposal], searches: Iterable[Searched], hypotheses: Mapping[str, str]
) -> dict[str, PassageCount]:
    """Count for each hypothesis (id -> text) the passages that were looked at.

    A passage counts once, however many quotes of it are proposed: as ambiguous where they speak both ways. What a
    reading of every passage proposed nothing of is neutral.
    """
    labels: dict[str, dict[int, set[str]]] = {hypothesis: {} for hypothesis in hypotheses}
    for proposal in proposals:
        if proposal.hypothesis in labels and not proposal.unmeasured_language:
            labels[proposal.hypothesis].setdefault(proposal.chunk, set()).add(str(proposal.shown_label))
    full = {
        s.hypothesis: s.passages
        for s in searches
        if s.role == queries.EVERYTHING and s.query == hypotheses.get(s.hypothesis)
    }
    counts = {}
    for hypothesis, by_passage in labels.items():
        passages = max(len(by_passage), full.get(hypothesis, 0))
        count = Counter(_passage_label(of_quotes) for of_quotes in by_passage.values())
        count["neutral"] += passages - len(by_passage)
        counts[hypothesis] = PassageCount(passages, count)
    return counts


def _passage_label(of_quotes: Collection[str]) -> str:
    telling = [label for label in ("supports", "contradicts") if label in of_quotes]
    if len(telling) == 1:
        return telling[0]
    return "ambiguous" if telling or "ambiguous" in of_quotes else "neutral"
