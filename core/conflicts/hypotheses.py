"""Verdicts that disagree: passages that speak for a hypothesis, and others that speak against it. Pure."""

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
    """List the hypotheses with sure verdicts on both sides, in order of id. Verdicts nobody may see take no side."""
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
    order = sorted(proposals, key=lambda one: (-round(_probability(one), 6), int(one.id[1:])))
    earlier: set[str] = set()
    firsts: list[Proposal] = []
    others: list[Proposal] = []
    for one in order:
        family = families.get(one.quote.document, one.quote.document)
        (others if family in earlier else firsts).append(one)
        earlier.add(family)
    return tuple([*firsts, *others][:SHOWN])


def _probability(proposal: Proposal) -> float:
    probabilities = proposal.verdict.probabilities
    return probabilities.supports if proposal.verdict.label == "supports" else probabilities.contradicts
