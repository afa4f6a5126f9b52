"""Verdicts that disagree: passages that support a hypothesis, and passages that contradict it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.domain import Label, Proposal

SURE = 0.7  # probability from which a verdict takes a side
SHOWN = 4  # passages a side


@dataclass(frozen=True, slots=True)
class Sides:
    """The passages for and against a hypothesis, the surest first, one of each family of documents before a second."""

    hypothesis: str
    supporting: tuple[Proposal, ...]
    contradicting: tuple[Proposal, ...]


def disagreeing(proposals: Sequence[Proposal], families: Mapping[str, str]) -> list[Sides]:
    """List the hypotheses with confident verdicts on both sides, in order of id. Hidden verdicts do not count."""
    rows: dict[str, dict[Label, list[Proposal]]] = {}
    for proposal in proposals:
        if proposal.is_hidden or proposal.disputed or proposal.status == "rejected":
            continue
        label = proposal.verdict.label
        if label in ("supports", "contradicts") and _probability(proposal) >= SURE:
            rows.setdefault(proposal.hypothesis, {}).setdefault(label, []).append(proposal)
    return [
        Sides(hypothesis, *(_best(sides[label], families) for label in ("supports", "contradicts")))
        for hypothesis, sides in sorted(rows.items(), key=lambda item: int(item[0][1:]))
        if len(sides) == 2
    ]


def _best(proposals: Sequence[Proposal], families: Mapping[str, str]) -> tuple[Proposal, ...]:
    order = sorted(proposals, key=lambda proposal: (-round(_probability(proposal), 6), int(proposal.id[1:])))
    families_so_far: set[str] = set()
    firsts: list[Proposal] = []
    repeats: list[Proposal] = []
    for proposal in order:
        family = families.get(proposal.quote.document, proposal.quote.document)
        (repeats if family in families_so_far else firsts).append(proposal)
        families_so_far.add(family)
    return tuple([*firsts, *repeats][:SHOWN])


def _probability(proposal: Proposal) -> float:
    probabilities = proposal.verdict.probabilities
    return probabilities.supports if proposal.verdict.label == "supports" else probabilities.contradicts
