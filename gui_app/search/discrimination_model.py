"""Passages by diagnosticity, as a list, and their effect in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt

from core.domain import Probabilities
from gui_app.shared.formatting import RATING_WORDS
from gui_app.shared.table_models import ListRows

if TYPE_CHECKING:
    from core.plans.discrimination import Outcome
    from core.plans.service import DiscriminatingPassage

Index = QModelIndex | QPersistentModelIndex


def verdict_words(probabilities: Probabilities) -> str:
    """Return the most probable verdict with its probability: 'supports .85'."""
    figures = (
        ("supports", probabilities.supports),
        ("contradicts", probabilities.contradicts),
        ("neutral", probabilities.neutral),
    )
    name, value = max(figures, key=lambda item: item[1])
    return f"{name} {value:.2f}".replace(" 0.", " .")


def lead_words(leaders: Sequence[str]) -> str:
    """Return who leads: 'H2 leads', 'H1 and H3 share the lead', 'nothing leads'."""
    if not leaders:
        return "nothing leads"
    if len(leaders) == 1:
        return f"{leaders[0]} leads"
    return f"{', '.join(leaders[:-1])} and {leaders[-1]} share the lead"


def outcome_words(outcome: Outcome) -> str:
    """Return the effect of rating the passage as it was judged, in words."""
    ratings = ", ".join(f"{h} {RATING_WORDS[rating]}" for h, rating in outcome.ratings)
    if not ratings:
        return "Its verdicts are too close to call: as judged, it would change nothing."
    begin = f"If rated this way ({ratings}), "
    if outcome.changes_lead:
        then, now = lead_words(outcome.leaders), lead_words(outcome.before)
        return f"{begin}{then}; now {now}."
    if outcome.moved:
        moves = ", ".join(
            f"{h} {'falls' if then > now else 'rises'} from {now} to {then}" for h, now, then in outcome.moved
        )
        return f"{begin}{moves}; the lead is unchanged."
    against = [h for h, rating in outcome.ratings if rating in ("I", "II")]
    if against:
        return f"{begin}one more count against {' and '.join(against)}; the ranking is unchanged."
    return f"{begin}the ranking is unchanged: only what speaks against a hypothesis moves it."


def standing_words(hit: DiscriminatingPassage, *, blind: bool = False) -> str:
    """Return the verdicts on a passage and their effect in words, or that it is only near."""
    if not hit.judged:
        rival = hit.pair[0] if hit.leans == hit.pair[1] else hit.pair[1]
        return f"Not judged yet: its words are nearer to {hit.leans} than to {rival}, which is not yet support for it."
    if blind:
        return "Judged. The verdicts stay hidden until it is rated, because rating is blind in this case."
    verdicts = dict(hit.verdicts)
    ratings = dict(hit.outcome.ratings) if hit.outcome is not None else {}
    pair = " · ".join(
        f"{h} {verdict_words(verdicts[h])}{'' if h in ratings or hit.outcome is None else ', too close to call'}"
        for h in hit.pair
        if h in verdicts
    )
    if hit.outcome is None:
        return f"Judged: {pair}. Who would lead cannot be said: not all hypotheses are rated on the same rows."
    return f"Judged: {pair}. {outcome_words(hit.outcome)}"


class DiscriminationModel(ListRows):
    """One row a passage, most effect first. UserRole gives the DiscriminatingPassage."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.blind = False

    def show(self, rows: Sequence[DiscriminatingPassage], *, blind: bool = True) -> None:
        """Show these passages; ``blind`` hides verdicts."""
        self.blind = blind
        super().show(rows)

    def role_data(self, hit: DiscriminatingPassage, index: int, role: int) -> Any:
        """Return the data of a row for a role."""
        if role == Qt.ItemDataRole.DisplayRole:
            return hit.passage.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            leans = "" if self.blind and hit.judged else f", leans to {hit.leans}, strength {hit.strength:.2f}"
            where = f"{index + 1}. {hit.passage.label}, page {hit.passage.page}"
            row = f", in the matrix as {hit.evidence}" if hit.evidence else ""
            return (
                f"{where}: {hit.pair[0]} or {hit.pair[1]}{leans}{row}. {standing_words(hit, blind=self.blind)} "
                f"{' '.join(hit.passage.text.split())}"
            )
        return None
