"""One card a passage: what the judge says of it for every hypothesis, and its near-identical copies.

Copies are passages that share most runs of three words: one agency's sentence in six papers, a quoted mail, a version.
A copy may have another number or name; what differs is part of the card.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from core.documents.copies import differences, near_identical
from core.domain import Chunk, Probabilities, Proposal
from core.text import and_list


@dataclass(frozen=True, slots=True)
class Copy:
    """A passage that says the same elsewhere; ``differences`` are (words of the card's passage, words here)."""

    passage: Chunk
    differences: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PassageCard:
    """A passage with the proposals made of it and of its copies, at most one a hypothesis.

    ``others`` are further proposals of the same passages: of a copy, or another quote for the same hypothesis.
    ``separation`` says how far the visible verdicts pull two hypotheses apart, ``spread`` how far they differ at all;
    both in 0..1. ``clash`` are hypotheses that it is said to support although at most one of them can be true.
    """

    passage: Chunk
    proposals: Mapping[str, Proposal]
    others: tuple[Proposal, ...] = ()
    copies: tuple[Copy, ...] = ()
    separation: float = 0.0
    spread: float = 0.0
    clash: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[Proposal, ...]:
        """Every proposal of the passage and of its copies."""
        return (*self.proposals.values(), *self.others)

    @property
    def relevance(self) -> float:
        """How near the passage is to the hypotheses that it was judged for: its mean similarity; 0 where unknown."""
        similarities = [p.similarity for p in self.proposals.values() if p.similarity is not None]
        return max(0.0, sum(similarities) / len(similarities)) if similarities else 0.0

    @property
    def status(self) -> str:
        """'pending' as long as one proposal of it is; else 'accepted' where one was, else 'rejected'."""
        if any(proposal.status == "pending" for proposal in self.proposals.values()):
            return "pending"  # as most are: cards are asked by the thousand
        statuses = {proposal.status for proposal in self.all}
        return next(status for status in ("pending", "accepted", "rejected") if status in statuses)

    @property
    def span(self) -> tuple[int, int]:
        """The shortest stretch of the page that holds the quotes of the card's own passage for all hypotheses."""
        quotes = [p.quote for p in self.proposals.values() if p.chunk == self.passage.id]
        return min(quote.start for quote in quotes), max(quote.end for quote in quotes)


def cards(
    proposals: Sequence[Proposal],
    passages: Mapping[int, Chunk],
    hypotheses: Sequence[str],
    copies_of: Callable[[Chunk], Sequence[Chunk]] = lambda _passage: (),
    exclusive: Collection[str] = (),
) -> list[PassageCard]:
    """Make a card of each passage that has proposals: those first whose verdicts differ most, then by proposal.

    ``copies_of`` finds near-identical passages that have no proposals. Passages that are not in ``passages`` and
    proposals for other hypotheses are left out. Of the ``exclusive`` hypotheses at most one can be true.
    """
    by_passage: dict[int, list[Proposal]] = defaultdict(list)
    for proposal in sorted(proposals, key=_number):
        if proposal.chunk in passages and proposal.hypothesis in hypotheses:
            by_passage[proposal.chunk].append(proposal)
    chunks = list(by_passage)  # by their first proposal
    result = []
    for group in near_identical([passages[chunk].text for chunk in chunks]):
        head, *duplicates = sorted(
            (chunks[index] for index in group), key=lambda c: (-len(_hypotheses(by_passage[c])), _first(by_passage[c]))
        )
        verdicts: dict[str, Proposal] = {}
        further_proposals = []
        for proposal in (p for chunk in (head, *duplicates) for p in by_passage[chunk]):
            if verdicts.setdefault(proposal.hypothesis, proposal) is not proposal:
                further_proposals.append(proposal)
        further = [duplicate for duplicate in copies_of(passages[head]) if duplicate.id not in by_passage]
        others_of = [*(passages[chunk] for chunk in duplicates), *further]
        copies = tuple(Copy(duplicate, differences(passages[head].text, duplicate.text)) for duplicate in others_of)
        in_order = {h: verdicts[h] for h in hypotheses if h in verdicts}
        result.append(
            PassageCard(
                passages[head],
                in_order,
                tuple(further_proposals),
                copies,
                separation(in_order),
                spread(in_order),
                clash(in_order, exclusive),
            )
        )
    return sorted(result, key=lambda card: (-round(card.spread, 9), min(map(_number, card.proposals.values()))))


def separation(proposals: Mapping[str, Proposal]) -> float:
    """Return how far verdicts separate two hypotheses: the likeliest pair of 'supports one, contradicts the other'.

    Verdicts that are not to be seen count for nothing, so that an order does not give them away.
    """
    visible = [p.verdict.probabilities for p in proposals.values() if not p.is_hidden]
    return max((_apart(a, b) for a, b in combinations(visible, 2)), default=0.0)


def spread(proposals: Mapping[str, Proposal]) -> float:
    """Return how far the visible verdicts differ: half the distance from the most negative to the most positive.

    One verdict alone is held against none.
    """
    stances = [
        p.verdict.probabilities.supports - p.verdict.probabilities.contradicts
        for p in proposals.values()
        if not p.is_hidden
    ]
    if len(stances) == 1:
        stances.append(0.0)
    return (max(stances) - min(stances)) / 2 if stances else 0.0


def clash(proposals: Mapping[str, Proposal], exclusive: Collection[str]) -> tuple[str, ...]:
    """List the ``exclusive`` hypotheses that visible verdicts support, where they are two or more: not all can hold."""
    rivals = tuple(
        hypothesis
        for hypothesis, proposal in proposals.items()
        if hypothesis in exclusive and not proposal.is_hidden and proposal.verdict.label == "supports"
    )
    return rivals if len(rivals) > 1 else ()


def clash_words(hypotheses: Sequence[str]) -> str:
    """Return the sentence that a passage cannot support all of these."""
    return f"The model says that it supports {and_list(hypotheses)}, but at most one of them can be true."


def _apart(left: Probabilities, right: Probabilities) -> float:
    return abs(left.supports * right.contradicts - left.contradicts * right.supports)


def _hypotheses(proposals: Sequence[Proposal]) -> set[str]:
    return {proposal.hypothesis for proposal in proposals}


def _first(proposals: Sequence[Proposal]) -> int:
    return min(map(_number, proposals))


def _number(proposal: Proposal) -> int:
    return int(proposal.id[1:])
