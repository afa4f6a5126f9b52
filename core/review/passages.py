"""Reviewing across the matrix: cards of passages, rows made of them, and a model's ratings for existing rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.documents import copies
from core.domain import Changes, Chunk, Evidence, Proposal, Quote, Rating, ShowMode, Suggestion
from core.errors import BadInput, NoSuchItem
from core.evidence import quotes
from core.hypotheses.service import exclusive_of
from core.progress import Progress, silent
from core.review import passage_cards
from core.review.passage_cards import PassageCard
from core.verdicts import labels

if TYPE_CHECKING:
    from core.open_case import OpenCase
    from core.review.service import Review
    from core.verdicts.policy import VerdictPolicy

_CANDIDATES = 400  # passages that share a phrase with another and are compared with it


@dataclass(frozen=True, slots=True)
class RowAccepted:
    """One row made of the proposals of a passage. ``suggested`` and ``rated`` are hypotheses."""

    evidence: str
    proposals: tuple[str, ...]
    suggested: tuple[str, ...]
    rated: tuple[str, ...]
    changes: Changes = Changes(proposals=True, evidence=True, matrix=True)


@dataclass(frozen=True, slots=True)
class RowSplit:
    """The rows that one row became, its own id first."""

    rows: tuple[str, ...]
    changes: Changes = Changes(proposals=True, evidence=True, matrix=True)


@dataclass(frozen=True, slots=True)
class RowsSuggested:
    """A model's ratings for existing rows: (evidence, rating) pairs, and why other rows have none.

    Where rating is blind the ratings are None: they are for later.
    """

    hypothesis: str
    ratings: tuple[tuple[str, Rating | None], ...]
    notes: tuple[str, ...]
    changes: Changes = Changes(proposals=True, matrix=True)


class PassageReview:
    """Deciding on a passage for all hypotheses at once."""

    def __init__(self, case: OpenCase, verdicts: VerdictPolicy, review: Review) -> None:
        self._store = case.store
        self._verdicts = verdicts
        self._review = review
        self._copies: dict[int, tuple[Chunk, ...]] = {}  # by passage, of the documents there were
        self._documents: tuple[str, ...] = ()
        self._judged: frozenset[int] = frozenset()  # passages among which no copy was looked for

    def cards(self, *, status: str | None = None) -> list[PassageCard]:
        """List a card for each passage that has proposals, the most discriminating first.

        ``status`` is that of the whole card: 'pending' as long as one of its proposals is.
        """
        proposals = self._verdicts.proposals()
        passages = self._store.pages.chunks([proposal.chunk for proposal in proposals])
        rivals = self._store.hypotheses.all()
        exclusive = exclusive_of(rivals, self._store.settings.get().exclusive)
        documents = tuple(document.id for document in self._store.documents.all())
        judged = frozenset(passages)
        if documents != self._documents or not judged >= self._judged:
            self._copies = {}
        self._documents, self._judged = documents, judged
        every = passage_cards.cards(proposals, passages, [rival.id for rival in rivals], self._copies_of, exclusive)
        return [card for card in every if status in (None, card.status)]

    def _copies_of(self, passage: Chunk) -> tuple[Chunk, ...]:
        """Find the near-identical passages of the case that have no proposals."""
        near_copies = self._copies.get(passage.id)
        if near_copies is None:
            ids = self._store.words.with_any(copies.phrases(passage.text), _CANDIDATES)
            candidates = list(self._store.pages.chunks(id for id in ids if id not in self._judged).values())
            near = copies.copies_among(passage.text, [duplicate.text for duplicate in candidates])
            near_copies = self._copies[passage.id] = tuple(candidates[index] for index in near)
        return near_copies

    def accept(
        self,
        proposals: Sequence[str],
        *,
        suggest: bool = True,
        confirm: bool = False,
        ratings: Mapping[str, Rating] | None = None,
        aside: Sequence[str] = (),
    ) -> RowAccepted:
        """Make one row of the proposals of one passage.

        It quotes the shortest stretch that holds their quotes, without neutral ones where there are others.
        With ``suggest`` the model's ratings are beside its cells as suggestions, with ``confirm`` they are one's own
        too; ``ratings`` are one's own by hypothesis and come before the model's. Nothing is suggested or confirmed
        where two models disagree, where a strict case does not show the verdict, or before a blind rating. Proposals
        that are put ``aside`` are rejected with the same decision. Raises NoSuchItem, and BadInput for
        proposals of several passages.
        """
        of_passage = self._of_one_passage(proposals)
        # Of a passage that says nothing on a hypothesis any sentence is quoted: the row is about what it does say.
        speaking = [p for p in of_passage if p.is_hidden or p.verdict.label != "neutral"] or of_passage
        quote = self._quote(of_passage[0].quote.page_id, [(p.quote.start, p.quote.end) for p in speaking])
        moment = self._store.db.now()
        candidates = (labels.suggestion(p, "", moment) for p in _one_each(of_passage))
        suggestions = [suggestion for suggestion in candidates if suggestion is not None]
        blind = {p.hypothesis for p in of_passage if p.blind}
        confirmed = {s.hypothesis: s.rating for s in suggestions if s.hypothesis not in blind} if confirm else {}
        confirmed |= ratings or {}
        for hypothesis in confirmed:
            self._store.hypotheses.get(hypothesis)
        row_suggestions = suggestions if suggest or confirm else []
        ids = tuple(p.id for p in of_passage)
        row = self._store.proposals.accept_row(ids, quote, suggestions=row_suggestions, ratings=confirmed, aside=aside)
        return RowAccepted(row, ids, tuple(s.hypothesis for s in row_suggestions), tuple(confirmed))

    def _of_one_passage(self, proposals: Sequence[str]) -> list[Proposal]:
        """Return proposals by their ids. Raises NoSuchItem, and BadInput for none and for those of several passages."""
        if not proposals:
            raise BadInput(reason="No proposal was named, so there is no row to make.", remedy="Name at least one.")
        of_passage = self._verdicts.proposals_of(dict.fromkeys(proposals))
        if len({proposal.chunk for proposal in of_passage}) > 1:
            raise BadInput(
                reason="These proposals are of several passages; a row quotes one.",
                remedy="Accept the proposals of one passage at a time.",
            )
        return of_passage

    def _quote(self, page_id: int, spans: Sequence[tuple[int, int]]) -> Quote:
        """Quote the shortest stretch of a page that holds these spans."""
        page = self._store.pages.by_id(page_id)
        return quotes.span(page, min(start for start, _ in spans), max(end for _, end in spans))

    def joinable(self) -> list[tuple[str, ...]]:
        """List the rows that quote the same passage, in groups; nothing is joined by itself.

        A row whose page was read again with other words is in none.
        """
        by_passage: dict[int, list[str]] = defaultdict(list)
        stale = self._store.evidence.stale()
        for row in self._store.evidence.all():
            if row.page_id is None or row.start is None or row.end is None or row.more or row.id in stale:
                continue
            chunk = self._store.pages.chunk_around(row.page_id, row.start, row.end)
            if chunk is not None:
                by_passage[chunk].append(row.id)
        return [tuple(rows) for rows in by_passage.values() if len(rows) > 1]

    def join(self, rows: Sequence[str]) -> Changes:
        """Make one row of rows that quote the same passage, as one decision: the first of them, with all their ratings.

        Raises NoSuchItem, and BadInput for rows of several passages and for ratings that contradict each other.
        """
        if len(set(rows)) < 2:
            raise BadInput(reason="There is nothing to join.", remedy="Name at least two rows.")
        groups = {row: group for group in self.joinable() for row in group}
        by_id = {row.id: row for row in self._store.evidence.all()}
        for identity in rows:
            if identity not in by_id:
                raise NoSuchItem(kind="evidence", id=identity, listing="evidence")
        for identity in rows:
            if identity not in groups.get(rows[0], ()):
                first = rows[0] if identity != rows[0] else "another row"
                raise BadInput(
                    reason=f"{identity} does not quote the same passage as {first}; nothing was joined.",
                    remedy="Join only rows that quote the same passage.",
                )
        spans = [(by_id[identity].start or 0, by_id[identity].end or 0) for identity in rows]
        quote = self._quote(by_id[rows[0]].page_id or 0, spans)
        self._store.evidence.join(sorted(set(rows), key=lambda row: int(row[1:])), quote)
        return Changes(evidence=True, matrix=True, proposals=True)

    def rows_in(self, passage: Chunk) -> list[str]:
        """List the rows that quote words of a passage."""
        rows = self._store.evidence.all()
        return [
            row.id
            for row in rows
            if row.page_id == passage.page_id
            and row.start is not None
            and row.end is not None
            and passage.start <= row.start
            and row.end <= passage.end
        ]

    def split(self, row: str) -> RowSplit:
        """Make a row for each different quote that a row was made of, as one decision; ratings go with their quote.

        Raises NoSuchItem, and BadInput for a row that was made of one quote.
        """
        evidence_row = next((evidence for evidence in self._store.evidence.all() if evidence.id == row), None)
        if evidence_row is None:
            raise NoSuchItem(kind="evidence", id=row, listing="evidence")
        start, end = evidence_row.start or 0, evidence_row.end or 0
        inside = [
            p
            for p in self._verdicts.proposals(status="accepted")
            if p.quote.page_id == evidence_row.page_id and start <= p.quote.start and p.quote.end <= end
        ]
        parts: dict[tuple[int, int], list[Proposal]] = {}
        for proposal in [p for p in inside if p.is_hidden or p.verdict.label != "neutral"] or inside:
            parts.setdefault((proposal.quote.start, proposal.quote.end), []).append(proposal)
        if len(parts) < 2:
            raise BadInput(
                reason=f"{row} was made of one quote, so there is nothing to split.", remedy="Leave it as it is."
            )
        ids = self._store.evidence.split(
            row, [(of[0].quote, of[0].id, {p.hypothesis for p in of}) for _, of in sorted(parts.items())]
        )
        return RowSplit(tuple(ids))

    def suggest_ratings(self, hypothesis: str, progress: Progress | None = None) -> RowsSuggested:
        """Have the judge rate the existing rows against one hypothesis, as suggestions; rated cells are left out.

        Each row is judged by the passage it quotes, as ``Review.judge_passage`` does, so a verdict is kept as a
        proposal too. Raises ModelMissing without a judge, NoSuchItem.
        """
        progress = progress or silent()
        self._store.hypotheses.get(hypothesis)
        with_rating = {evidence for evidence, about, _, _ in self._store.ratings.rated_cells() if about == hypothesis}
        suggested = self._verdicts.without_outdated(self._store.ratings.suggestions())
        with_suggestion = {s.evidence for s in suggested if s.hypothesis == hypothesis}
        rows = [row for row in self._store.evidence.all() if row.id not in with_rating | with_suggestion]
        stale, settings = self._store.evidence.stale(), self._store.settings.get()
        quoted = self._review.quotes() if rows else []
        suggestions: list[Suggestion] = []
        notes: list[str] = []
        try:
            for number, row in enumerate(rows):
                progress.step(number, len(rows), f"Judging {row.id}")
                if row.id in stale:
                    notes.append(f"{row.id} quotes words that its page no longer has, so it was not judged.")
                    continue
                suggestion, note = self._suggestion(row, hypothesis, quoted, progress, settings.show)
                suggestions += [suggestion] if suggestion else []
                notes += [note] if note else []
        finally:  # what was judged before a person cancelled stays
            if suggestions:
                suggestions = self._store.ratings.suggest(suggestions)
        ratings = tuple((s.evidence, None if settings.blind else s.rating) for s in suggestions)
        return RowsSuggested(hypothesis, ratings, tuple(notes))

    def _suggestion(
        self, row: Evidence, hypothesis: str, quoted: list[tuple[str, Quote]], progress: Progress, show: ShowMode
    ) -> tuple[Suggestion | None, str]:
        """Judge the passage of one row; else say why there is nothing to suggest. ``quotes`` grows by its quote."""
        if row.page_id is None or row.start is None or row.end is None:
            return None, f"{row.id} quotes no document, so it was not judged."
        chunk = self._store.pages.chunk_around(row.page_id, row.start, row.end)
        if chunk is None:
            return None, f"{row.id} quotes no single passage, so it was not judged."
        report = self._review.judge_passage(chunk, [hypothesis], quoted=quoted, progress=progress)
        if not report.proposals:
            return None, f"{row.id}: {' '.join(report.notes) or 'the judge gave no verdict.'}"
        first = report.proposals[0]
        quoted += [(first.id, first.quote)] if first.id not in dict(quoted) else []
        proposals = self._verdicts.mark_languages(self._verdicts.mark_outdated([first]))
        (proposal,) = self._verdicts.mark_abstained(proposals, show)
        if proposal.unmeasured_language:
            return None, f"{row.id} was not judged: {proposal.unmeasured_language}."
        if proposal.outdated:  # a decided one keeps the verdict that was decided on
            return None, f"{row.id}: {first.id} was decided before its words changed, so nothing was suggested."
        suggestion = labels.suggestion(proposal, row.id, self._store.db.now())
        note = "" if suggestion else f"{row.id}: the verdict is not sure enough to suggest a rating."
        return suggestion, note


def _one_each(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Keep the first proposal for each hypothesis."""
    return list({proposal.hypothesis: proposal for proposal in reversed(proposals)}.values())[::-1]
