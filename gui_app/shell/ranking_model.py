"""Hypotheses with their standing, for the panel at the left: ranks with ties, the score of the default rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt

from core.domain import DEFAULT_RULE, Hypothesis, Matrix
from gui_app.shared.labels import tooltip
from gui_app.shared.table_models import ListRows


@dataclass(frozen=True, slots=True)
class Standing:
    """One hypothesis as ranked.

    ``rank`` is '1', '1=' or '' while nothing bears on it or the hypotheses are rated on different rows, ``share`` 0..1
    of the worst; ``unattacked`` when it is rated and nothing rated speaks against it. ``rated`` of ``rows`` rows are
    rated against it.
    """

    hypothesis: Hypothesis
    rank: str
    score: float | None
    share: float
    leads: bool
    unattacked: bool = False
    rated: int = 0
    rows: int = 0

    @property
    def open(self) -> float:
        """The share of rows that are not rated against it."""
        return 1 - self.rated / self.rows if self.rows else 0.0

    @property
    def coverage(self) -> str:
        """'3 of 22 rated'; '' without a row."""
        return f"{self.rated:,} of {self.rows:,} rated" if self.rows else ""


def standings(hypotheses: Sequence[Hypothesis], matrix: Matrix) -> list[Standing]:
    """List the hypotheses in the order of display.

    Best first, ties ordered but not broken, those that nothing bears on last; while the hypotheses are rated on
    different rows in the order of the rows that they have in common, or else of their numbers: what alone was rated
    has no first place.
    """
    ranks = matrix.ranks.get(DEFAULT_RULE, {})
    scores = matrix.scores.get(DEFAULT_RULE, {})
    leaders = matrix.leaders.get(DEFAULT_RULE, ())
    rated_hypotheses = {h for row in matrix.rows for h, rating in row.ratings.items() if rating != "NA"}
    worst = max((scores[h] for h in rated_hypotheses if h in scores), default=0.0)
    row_counts = {h: sum(h in row.ratings for row in matrix.rows) for h in matrix.hypotheses}
    rows_of_panel = []
    for hypothesis in hypotheses:
        h = hypothesis.id
        count, rows = row_counts.get(h, 0), len(matrix.rows)
        if h not in rated_hypotheses or h not in scores:
            rows_of_panel.append(Standing(hypothesis, "", None, 0.0, False, rated=count, rows=rows))
            continue
        is_tie = sum(1 for rival in rated_hypotheses if rival in ranks and ranks[rival] == ranks.get(h)) > 1
        share = scores[h] / worst if worst > 0 else 0.0
        rank = f"{ranks[h]}{'=' if is_tie else ''}" if h in ranks else ""
        rows_of_panel.append(
            Standing(hypothesis, rank, scores[h], share, h in leaders, h in matrix.unattacked, count, rows)
        )
    place = {h: index for index, h in enumerate(matrix.order)}
    has_ranks = matrix.comparison.state != "incomplete"
    rows_of_panel.sort(key=lambda item: (has_ranks and item.score is None, place.get(item.hypothesis.id, len(place))))
    return rows_of_panel


class StandingsModel(ListRows):
    """The ranked hypotheses, each a Standing."""

    rows: list[Standing]

    def row_of(self, hypothesis: str) -> int:
        """Return the row of a hypothesis; -1 where it has none."""
        return next((index for index, row in enumerate(self.rows) if row.hypothesis.id == hypothesis), -1)

    def role_data(self, row: Standing, index: int, role: int) -> Any:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            rank = "not rated"
            if row.score is not None:
                place = f"rank {row.rank.replace('=', ' tied')}" if row.rank else "no rank yet"
                rank = f"{place}, score {row.score:.2f}, {row.coverage}"
            against = ", nothing rated speaks against it" if row.unattacked else ""
            return f"{row.hypothesis.id}, {rank}{against}: {row.hypothesis.text}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(self.role_data(row, index, Qt.ItemDataRole.DisplayRole))
        return None
