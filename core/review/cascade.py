"""The cascade: a second, larger reader is asked about the close verdicts, and those on which the ranking hangs.

A large model is too slow for every passage and hypothesis; where the first judge is sure and nothing would change, a
second opinion is worth little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.domain import SECOND_READER, Probabilities, Proposal

CLOSE = 0.25  # between the two most probable labels: below it the first judge is often wrong
MOST = 60  # verdicts that are read again in one run


@dataclass(frozen=True, slots=True)
class RereadCandidate:
    """A verdict to be read again. ``decisive`` says in words what hangs on it, '' where nothing does."""

    proposal: str
    margin: float
    decisive: str = ""

    @property
    def why(self) -> str:
        """The reasons in words."""
        close = f"close ({self.margin:.2f} between the two likeliest)" if self.margin < CLOSE else ""
        return "; ".join(part for part in (self.decisive, close) if part)


def margin(probabilities: Probabilities) -> float:
    """Return how far the likeliest label is ahead of the next."""
    values = sorted((probabilities.supports, probabilities.contradicts, probabilities.neutral), reverse=True)
    return values[0] - values[1]


def choose(
    proposals: Sequence[Proposal], decisive: Mapping[str, str], reader: str = "", *, limit: int = MOST
) -> list[RereadCandidate]:
    """Choose the verdicts to be read again, the decisive ones first, then the closest.

    ``decisive`` has the words for each proposal on which the ranking hangs. Left out is what was set aside, and what
    the second ``reader`` has read.
    """
    choices = []
    for proposal in proposals:
        read = any(o.role == SECOND_READER and (not reader or o.verdict.model == reader) for o in proposal.others)
        if proposal.status == "rejected" or read:
            continue
        choice = RereadCandidate(
            proposal.id, round(margin(proposal.verdict.probabilities), 6), decisive.get(proposal.id, "")
        )
        if choice.why:
            choices.append(choice)
    choices.sort(key=lambda choice: (not choice.decisive, choice.margin, int(choice.proposal[1:])))
    return choices[:limit]
