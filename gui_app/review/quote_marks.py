"""Where the quotes of a passage stand, one mark for each different quote. No widget lives here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.domain import Label, Proposal
from core.review.passage_cards import PassageCard
from gui_app.shared.proposal_queue import sign_label


@dataclass(frozen=True, slots=True)
class QuoteMark:
    """A quote on its page, ``page.text[start:end]``, with the sign of each hypothesis that it is quoted for."""

    start: int
    end: int
    signs: tuple[tuple[str, Label], ...]
    is_current: bool = False

    @property
    def labels(self) -> tuple[Label, ...]:
        """The different labels, in the order of their hypotheses."""
        return tuple(dict.fromkeys(label for _, label in self.signs))

    @property
    def letters(self) -> str:
        """The hypotheses in words: 'H1 H3'."""
        return " ".join(hypothesis for hypothesis, _ in self.signs)

    def moved(self, offset: int) -> QuoteMark:
        """Return the same mark in a text that begins ``offset`` characters into the page."""
        return QuoteMark(self.start - offset, self.end - offset, self.signs, self.is_current)


def of_card(card: PassageCard, current: str = "") -> list[QuoteMark]:
    """Mark the quotes of the card's own passage, in the order of the page; that of ``current`` is the current one."""
    proposals = {h: p for h, p in card.proposals.items() if p.chunk == card.passage.id}
    return _marks(proposals, current)


def of_proposal(proposal: Proposal) -> list[QuoteMark]:
    """Mark the quote of one proposal."""
    return _marks({proposal.hypothesis: proposal}, proposal.hypothesis)


def _marks(proposals: Mapping[str, Proposal], current: str) -> list[QuoteMark]:
    by_span: dict[tuple[int, int], list[tuple[str, Label]]] = {}
    for hypothesis, proposal in proposals.items():
        by_span.setdefault((proposal.quote.start, proposal.quote.end), []).append((hypothesis, sign_label(proposal)))
    return [
        QuoteMark(start, end, tuple(signs), any(hypothesis == current for hypothesis, _ in signs))
        for (start, end), signs in sorted(by_span.items())
    ]
