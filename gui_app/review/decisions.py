"""What a person decides about proposals, carried out and put into words. No widget lives here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from core.domain import Changes, Proposal, Rating
from core.verdicts.labels import suggested_rating
from gui_app.session import CaseSession
from gui_app.shared.formatting import counted

if TYPE_CHECKING:
    from core.hypotheses.service import Added
    from core.review.service import Accepted
    from core.workbench import Workbench


@dataclass(frozen=True, slots=True)
class OwnSpan:
    """A proposal taken with a span of the person's own: the new evidence, and everything that changed."""

    id: str
    changes: Changes


def suggestion(proposal: Proposal | None) -> Rating | None:
    """Return the rating that the model suggests; None if it is not to be seen or two readers disagree."""
    return None if proposal is None or proposal.blind else suggested_rating(proposal)


class Decisions:
    """Accepts, rates and rejects proposals of the open case, and says what came of it.

    ``initiator`` is who tells the session of each change.
    """

    def __init__(self, session: CaseSession, initiator: object) -> None:
        self._session = session
        self._initiator = initiator

    def accept(self, ids: Sequence[str], *, rate: bool = False) -> None:
        """Take quotes into the matrix; with ``rate`` the model's rating is kept as a suggestion."""
        if not ids:
            return
        acceptance = self._session.do(
            lambda bench: bench.review.accept(list(ids), rate=rate), initiator=self._initiator
        )
        if acceptance is None:
            return
        evidence = list(dict.fromkeys(pair[0] for pair in acceptance.pairs))
        if len(ids) == 1:
            self._session.tell(f"Accepted as {evidence[0]}", undo=True)
        else:
            self._session.tell(
                f"Accepted as {counted(len(evidence), 'piece of evidence', 'pieces of evidence')}", undo=True
            )

    def accept_and_rate(self, proposals: Sequence[Proposal], entry: str) -> None:
        """Take quotes into the matrix with the rating typed; '' takes what the model suggests for each."""
        by_id = {proposal.id: proposal for proposal in proposals}

        def take(bench: Workbench) -> tuple[Accepted, Changes]:
            acceptance = bench.review.accept(list(by_id), rate=True)
            cells: dict[tuple[str, str], Rating] = {}
            for evidence, identity in acceptance.pairs:
                proposal = by_id[identity]
                rating = entry or suggestion(proposal)
                if rating:
                    cells[(evidence, proposal.hypothesis)] = cast("Rating", rating)
            ratings = [(*cell, rating) for cell, rating in cells.items()]
            return acceptance, bench.evidence.rate_many(ratings) if ratings else Changes()

        result = self._session.do(take)
        if result is None:
            return
        acceptance, changes = result
        self._session.changed.emit(acceptance.changes | changes, self._initiator)
        evidence = list(dict.fromkeys(pair[0] for pair in acceptance.pairs))
        if len(evidence) != 1:
            self._session.tell(
                f"Accepted as {counted(len(evidence), 'piece of evidence', 'pieces of evidence')}", undo=True
            )
            return
        rating = entry or self._newest_rating(evidence[0])
        if rating:
            sentence = f"Accepted as {evidence[0]} and rated {rating}; U undoes the rating, then the quote"
        else:
            sentence = f"Accepted as {evidence[0]}; U undoes it"
        self._session.decided.emit(sentence)

    def _newest_rating(self, evidence: str) -> str:
        """Return what people said of evidence last; '' where nobody rated it."""
        people = self._session.do(lambda bench: bench.evidence.ratings_of(evidence)[0])
        return max(people, key=lambda row: row.at).rating if people else ""

    def reject(self, ids: Sequence[str]) -> None:
        """Set proposals aside."""
        if not ids or self._session.do(lambda bench: bench.review.reject(list(ids)), initiator=self._initiator) is None:
            return
        if len(ids) == 1:
            self._session.tell(f"Rejected {ids[0]}", undo=True)
        else:
            self._session.tell(f"Rejected {len(ids)} proposals", undo=True)

    def take_span(self, proposal: Proposal, start: int, end: int) -> OwnSpan | None:
        """Make evidence of the quote with the person's own borders; the proposal it came from is set aside."""
        quote = proposal.quote

        def take(bench: Workbench) -> OwnSpan:
            evidence: Added = bench.evidence.add_quote(quote.document, quote.page, start, end)
            return OwnSpan(evidence.id, evidence.changes | bench.review.reject([proposal.id]))

        return self._session.do(take, initiator=self._initiator)
