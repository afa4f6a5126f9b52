"""Hypotheses with their standing, for the panel at the left: ranks with ties, the score of the default rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt

from core.domain import DEFAULT_RULE, Hypothesis, Matrix
from gui_app.models.rows import ListRows


@dataclass(frozen=True, slots=True)
class Standing:
    """One hypothesis as ranked: ``rank`` is '1', '1=' or '' while nothing bears on it, ``share`` 0..1 of the worst;
    ``unattacked`` when it is rated and nothing rated speaks against it."""

    hypothesis: Hypothesis
    rank: str
    score: float | None
    share: float
    leads: bool
    unattacked: bool = False


def standings(hypotheses: Sequence[Hypothesis], matrix: Matrix) -> list[Standing]:
    """In the order of display: best first, ties ordered but not broken, those that nothing bears on last."""
    ranks = matrix.ranks.get(DEFAULT_RULE, {})
    scores = matrix.scores.get(DEFAULT_RULE, {})
    leaders = matrix.leaders.get(DEFAULT_RULE, ())
    rated = {h for row in matrix.rows for h, rating in row.ratings.items() if rating != "NA"}
    worst = max((scores[h] for h in rated if h in scores), default=0.0)
    listed = []
    for hypothesis in hypotheses:
        h = hypothesis.id
        if h not in rated or h not in ranks:
            listed.append((len(hypotheses) + 1, Standing(hypothesis, "", None, 0.0, False)))
            continue
        tied = sum(1 for other in rated if ranks.get(other) == ranks[h]) > 1
        share = scores[h] / worst if worst > 0 else 0.0
        rank = f"{ranks[h]}{'=' if tied else ''}"
        unattacked = h in matrix.unattacked
        listed.append((ranks[h], Standing(hypothesis, rank, scores[h], share, h in leaders, unattacked)))
    place = {h: at for at, h in enumerate(matrix.order)}
    listed.sort(key=lambda item: (item[0], place.get(item[1].hypothesis.id, 0)))
    return [standing for _, standing in listed]


class StandingsModel(ListRows):
    """The ranked hypotheses, each a Standing."""

    rows: list[Standing]

    def row_of(self, hypothesis: str) -> int:
        return next((at for at, row in enumerate(self.rows) if row.hypothesis.id == hypothesis), -1)

    def told(self, row: Standing, _at: int, role: int) -> Any:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            rank = (
                f"rank {row.rank.replace('=', ' tied')}, score {row.score:.2f}"
                if row.score is not None
                else "not rated"
            )
            against = ", nothing rated speaks against it" if row.unattacked else ""
            return f"{row.hypothesis.id}, {rank}{against}: {row.hypothesis.text}"
        return None
