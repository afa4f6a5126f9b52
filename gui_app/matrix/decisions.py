"""What a person decides about rows and cells of the matrix, carried out in the case. No widget lives here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from core.domain import Assessment, Evidence, Rating
from core.matrix import group_rating, group_words
from gui_app.matrix.grid_model import GridRow, Sheet
from gui_app.session import CaseSession
from gui_app.shared.formatting import counted

if TYPE_CHECKING:
    from core.hypotheses.service import Added

Cells = Sequence[tuple[str, str, Rating | None]]


class MatrixDecisions:
    """Rates, grades, adds and removes rows of the open case; ``initiator`` is who tells the session of each change."""

    def __init__(self, session: CaseSession, initiator: object) -> None:
        self._session = session
        self._initiator = initiator

    # --- cells -------------------------------------------------------------------------------------------------------

    def rate(self, cells: Cells) -> bool:
        """Rate cells, which is one decision however many they are; False when that could not be done."""
        if len(cells) == 1:
            evidence, hypothesis, rating = cells[0]
            changes = self._session.do(
                lambda bench: bench.evidence.rate(evidence, hypothesis, rating), initiator=self._initiator
            )
        else:
            changes = self._session.do(lambda bench: bench.evidence.rate_many(cells), initiator=self._initiator)
        return changes is not None

    def tell_rated(self, cells: Cells, *, everyone: bool) -> None:
        """Show what became of a rating where ``everyone``'s are shown and another than one's own holds, or of many."""
        differing = self._other_ratings(cells) if everyone else []
        if len(cells) > 1:
            sentence = f"{len(cells)} cells rated"
            if differing:
                sentence += f"; Everyone shows another rating in {len(differing)} of them"
            self._session.tell(sentence, undo=True)
        elif differing:
            rating = cells[0][2]
            outcome = f"Your {rating} is saved" if rating else "Your rating is cleared"
            self._session.tell(f"{outcome}; Everyone shows {differing[0]}.", undo=True)

    def _other_ratings(self, cells: Cells) -> list[str]:
        """Return what everyone's ratings show of cells, where that is another rating than the one just given."""
        bench = self._session.workbench
        if bench is None:
            return []
        people = bench.evidence.ratings_of(cells[0][0])[0] if len(cells) == 1 else bench.evidence.assessments()
        by_cell: dict[tuple[str, str], list[Rating]] = {}
        for assessment in people:
            by_cell.setdefault((assessment.evidence, assessment.hypothesis), []).append(assessment.rating)
        pairs = ((by_cell.get((evidence, hypothesis), []), rating) for evidence, hypothesis, rating in cells)
        return [
            group_words(ratings) for ratings, own_rating in pairs if ratings and group_rating(ratings) != own_rating
        ]

    def confirm_outdated(self) -> None:
        """Rate again what the user rated before a rewording, and show how many ratings there were."""
        bench = self._session.workbench
        if bench is None:
            return
        count = len(bench.evidence.own_outdated())
        if not count:
            self._session.status.emit("None of your ratings was given before a rewording.")
        elif self._session.do(lambda bench: bench.evidence.confirm_outdated()) is not None:
            self._session.tell(f"{counted(count, 'rating')} confirmed", undo=True)

    def own_assessment(self, evidence: str, hypothesis: str) -> Assessment | None:
        """Return what the person at this computer says of a cell."""
        bench = self._session.workbench
        if bench is None:
            return None
        key = (evidence, hypothesis, bench.case.who)
        return next((a for a in bench.evidence.assessments() if (a.evidence, a.hypothesis, a.by) == key), None)

    def annotate(self, evidence: str, hypothesis: str, note: str, confidence: str) -> None:
        """Keep the note and the confidence of one's own rating."""
        self._session.do(
            lambda bench: bench.evidence.annotate(evidence, hypothesis, note=note, confidence=confidence),
            initiator=self._initiator,
        )

    # --- rows --------------------------------------------------------------------------------------------------------

    def grade(self, ids: Sequence[str], field: str, value: Any, sheet: Sheet) -> None:
        """Grade rows; a single row keeps its other level, credibility or relevance, as ``sheet`` has it."""
        if field == "grade":
            reliability, information = value or ("", "")
            self.describe(ids, reliability=reliability, information=information)
        elif field in ("reliability", "information", "date"):
            self.describe(ids, **{field: value or ""})
        elif len(ids) == 1:
            row = sheet.row_of(ids[0])
            if row is None:
                return
            item = sheet.rows[row].item
            credibility = value if field == "credibility" else item.credibility
            relevance = value if field == "relevance" else item.relevance
            self._session.do(
                lambda bench: bench.evidence.grade(ids[0], credibility=credibility, relevance=relevance),
                initiator=self._initiator,
            )
        else:
            self.describe(ids, **{field: value})

    def describe(self, ids: Sequence[str], **fields: Any) -> None:
        """Change fields of rows, the same in all of them."""
        self._session.do(lambda bench: bench.evidence.describe(list(ids), **fields), initiator=self._initiator)

    def mark_one_origin(self, rows: Sequence[GridRow]) -> None:
        """Record that rows go back to one report: they count once."""
        if len(rows) < 2:
            self._session.status.emit("Select the rows that go back to one origin, two at least.")
            return
        origin = next((row.item.upstream for row in rows if row.item.upstream), rows[0].id)
        self.describe([row.id for row in rows], upstream=origin)

    def mark_own_origins(self, rows: Sequence[GridRow]) -> None:
        """Record that rows have separate sources: each counts for itself again."""
        ids = [row.id for row in rows if row.item.upstream]
        if not ids:
            self._session.status.emit("Nobody marked these rows as sharing a source.")
            return
        self.describe(ids, upstream="")

    def add(self, text: str, source: str) -> Added | None:
        """Add evidence in the person's own words."""
        return self._session.do(lambda bench: bench.evidence.add(text, source), initiator=self._initiator)

    def remove(self, ids: Sequence[str]) -> bool:
        """Remove rows with their ratings, as one decision; whether that was done."""
        if not ids:
            return False
        if self._session.do(lambda bench: bench.evidence.remove(*ids), initiator=self._initiator) is None:
            return False
        what = ids[0] if len(ids) == 1 else counted(len(ids), "row")
        self._session.tell(f"{what} removed, with all ratings", undo=True)
        return True


def span_of(item: Evidence) -> tuple[str, int, int, int] | None:
    """Return where evidence stands (document, page, start, end); None for what is in the person's own words."""
    if item.document is None or item.page is None or item.start is None or item.end is None:
        return None
    return item.document, item.page, item.start, item.end
