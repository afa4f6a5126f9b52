"""The ranking over time: how it came to be, how it was at any moment, and what changed between two moments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QGridLayout, QWidget
from shiboken6 import isValid

from core.case.decision_words import verb_in_words
from core.domain import DEFAULT_RULE, Hypothesis, Matrix, Move
from core.errors import AppError
from core.matrix import coverage, natural
from gui_app.matrix.rules_panel import in_order, rank_text
from gui_app.session import CaseSession
from gui_app.shared.bump_chart import BumpChart, Moment
from gui_app.shared.charts import Bar, BarList
from gui_app.shared.formatting import counted, when
from gui_app.shared.labels import plain
from gui_app.shared.responsive_panels import ResponsivePanels, fit, inset
from gui_app.shared.snippet_list import SnippetList

if TYPE_CHECKING:
    from core.matrix.service import Difference, TimePoint
    from core.workbench import Workbench

MAX_MOVES = 200


def moments(points: Sequence[TimePoint]) -> list[Moment]:
    """Return the timeline for the chart."""
    chart_moments = []
    for point in points:
        ranks = point.ranks if point.leaders else point.provisional
        places = list(ranks.values())
        ids = sorted(ranks, key=lambda h: (ranks[h], natural(h)))
        order = ", ".join(f"{ranks[h]}{'=' * (places.count(ranks[h]) > 1)} {h}" for h in ids)
        what = " ".join(part for part in (point.who, verb_in_words(point.verb)) if part)
        if not point.leaders:
            order = f"nothing leads yet; provisional: {order}" if order else "nothing leads yet"
        words = f"{when(point.at)}, {what}: {order}"
        chart_moments.append(
            Moment(point.at, when(point.at), ranks, words, provisional=not point.leaders and bool(ranks))
        )
    return chart_moments


def from_first_rank(points: Sequence[TimePoint]) -> list[TimePoint]:
    """List the points from the last one at which nothing led yet, not even provisionally.

    Before it there is no ranking to speak of.
    """
    first = next((index for index, point in enumerate(points) if point.leaders or point.provisional), len(points))
    return list(points[max(0, first - 1) :]) if first < len(points) else []


class HistoryPanel(ResponsivePanels):
    """Ranks over time, the standing at one moment, and what moved the ranking between two."""

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._points: list[TimePoint] = []
        self.chart = BumpChart()
        self.chart.say_empty("Working out the ranking over time...")
        self.chart.moved.connect(lambda _at: self._show_moment())
        self.caption = plain("", "muted", wrap=True)
        self.why = plain("", "", wrap=True)
        self.why.hide()
        self.add(
            inset(plain("Ranking over time", "section")), inset(self.chart), inset(self.caption), grows=2, beside=3
        )

        self.moment = plain("", "section", wrap=True)
        self.standing = BarList("The ranking at the time")
        self.standing.setMinimumHeight(48)
        self.add(inset(self.moment), inset(self.why), self.standing, grows=1, beside=2)

        self.earlier, self.later = QComboBox(), QComboBox()
        self.earlier.setAccessibleName("Earlier moment")
        self.later.setAccessibleName("Later moment")
        between = QGridLayout()
        between.setSpacing(8)
        between.setColumnStretch(1, 1)
        for row, (name, choice) in enumerate((("From", self.earlier), ("to", self.later))):
            choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            choice.setMinimumContentsLength(14)
            choice.activated.connect(lambda _at: self._compare())
            between.addWidget(plain(name, "muted"), row, 0)
            between.addWidget(choice, row, 1)
        self.outcome = plain("", "strong", wrap=True)
        self.moves = SnippetList("What changed between the two moments", quotes=False, lines=3)
        self.moves.setMinimumHeight(48)
        self.moves.chosen.connect(self._go_to)
        heading = plain("What changed, and what moved the ranking", "section", wrap=True)
        self.add(inset(heading), inset(between), inset(self.outcome), self.moves, grows=2, beside=3)

    def refresh(self) -> None:
        """Read the timeline again, beside the work."""

        def read(bench: Workbench) -> tuple[list[TimePoint], list[Hypothesis]]:
            return list(bench.matrix.over_time()), bench.hypotheses.all()

        if not self._points:
            self.chart.say_empty("Working out the ranking over time...")
            self.caption.setText("")
        self._session.read(
            read,
            lambda timeline: self.show_timeline(*timeline),
            key="timeline",
            failed=lambda error: self._not_read(error),
        )

    def _not_read(self, error: AppError) -> None:
        if isValid(self):
            self.chart.say_empty(error.sentence)
            self._session.failed.emit(error)

    def show_timeline(self, points: Sequence[TimePoint], hypotheses: Sequence[Hypothesis]) -> None:
        """Show the ranks over time, unless the window is gone."""
        if not isValid(self):  # the window closed while this was read
            return
        self.chart.say_empty((points[-1].why if points else "") or "Nothing is rated yet")
        self._points = points = from_first_rank(points)
        ids = [hypothesis.id for hypothesis in hypotheses]
        ids += sorted({h for point in points for h in point.ranks} - set(ids))
        leaders = points[-1].leaders if points else ()
        self.chart.show_moments(moments(points), ids, strong=leaders)
        self._fill(self.earlier, 0)
        self._fill(self.later, len(self._points) - 1)
        self._show_moment()
        self._compare()

    def _fill(self, choice: QComboBox, first: int) -> None:
        """Offer the moments, newest first.

        What was chosen stays; who looked at the newest moment follows it.
        """
        current = choice.currentData()
        follows = choice.currentIndex() == 0 and choice is self.later
        choice.blockSignals(True)
        choice.clear()
        within_a_day = len({when(point.at)[:10] for point in self._points}) == 1
        for point in reversed(self._points):
            time = when(point.at)[11:] if within_a_day else when(point.at)
            choice.addItem(f"{time} · {point.who} {verb_in_words(point.verb)}", point.seq)
            choice.setItemData(choice.count() - 1, when(point.at), Qt.ItemDataRole.ToolTipRole)
        index = choice.findData(current) if current is not None and not follows else -1
        choice.setCurrentIndex(index if index >= 0 else len(self._points) - 1 - first)
        choice.blockSignals(False)

    # --- one moment ---

    def _show_moment(self) -> None:
        index = self.chart.current()
        if not 0 <= index < len(self._points):
            self.caption.setText("Every rating adds a point here.")
            self.moment.setText("")
            self.why.hide()
            self.standing.show_bars([])
            return
        point = self._points[index]
        self.caption.setText(f"{when(point.at)} · {point.who} · {verb_in_words(point.verb)}")
        worth = "" if point.leaders or not point.provisional else ", provisional (hatched)"
        self.moment.setText(f"As of {when(point.at)}" + worth)
        entry = str(point.seq)
        show = partial(self._show_standing, point)
        self._session.read(lambda bench: bench.matrix.compute(as_of=entry), show, key="as of")

    def _show_standing(self, point: TimePoint, matrix: Matrix) -> None:
        if not isValid(self):
            return
        index = self.chart.current()
        if not 0 <= index < len(self._points) or self._points[index].seq != point.seq:
            return
        self.why.setText(matrix.comparison.sentence)
        self.why.setVisible(bool(matrix.comparison.sentence))
        scores = matrix.scores.get(DEFAULT_RULE, {})
        hypotheses = [Hypothesis(h, "") for h in matrix.hypotheses]
        bars = []
        for h in in_order(matrix, hypotheses):
            rank = rank_text(matrix, DEFAULT_RULE, h)
            is_tested = h not in matrix.untested and h in scores
            row_coverage = coverage(matrix, h)
            score = f"{scores[h]:.2f}" if is_tested else "not rated"
            figures = f"rank {rank}, weighted inconsistency {score}, {row_coverage}"
            words = f"{h}: {figures if is_tested else score}"
            leads = h in matrix.leaders.get(DEFAULT_RULE, ())
            short = row_coverage.removesuffix(" rated").replace(" of ", "/")  # told in full on hover and aloud
            figure = f"{score} · {short}" if is_tested else score
            rows = sum(h in row.ratings for row in matrix.rows)
            bars.append(
                Bar(
                    f"{rank}  {h}",
                    scores[h] if is_tested else None,
                    figure,
                    words,
                    None,
                    "accent" if leads else "neutral",
                    strong=leads,
                    unrated_share=1 - rows / len(matrix.rows) if matrix.rows else 0.0,
                )
            )
        self.standing.show_bars(bars)
        fit(self.standing)

    # --- two moments ---

    def _point(self, choice: QComboBox) -> TimePoint | None:
        return next((point for point in self._points if point.seq == choice.currentData()), None)

    def _compare(self) -> None:
        earlier, later = self._point(self.earlier), self._point(self.later)
        self.moves.clear()
        if earlier is None or later is None:
            self.outcome.setText("")
            return
        if earlier.seq > later.seq:
            earlier, later = later, earlier
        if earlier.seq == later.seq:
            self.outcome.setText("Choose two different moments.")
            return
        early, late = str(earlier.seq), str(later.seq)  # several decisions may share a moment
        self.outcome.setText("Comparing...")
        self._session.read(
            lambda bench: bench.matrix.what_changed(early, late), self._show_difference, key="what changed"
        )

    def _show_difference(self, difference: Difference) -> None:
        if not isValid(self):
            return
        movers = [move for move in difference.moves if move.moved]
        then, now = (matrix.leaders.get(DEFAULT_RULE, ()) for matrix in (difference.before, difference.after))
        was, leads = (" = ".join(leaders) or "nobody" for leaders in (then, now))
        if not then and not now:
            lead = "Nothing leads at either moment."
        elif not now:
            lead = f"{was} no longer leads. {difference.after.comparison.sentence}"
        elif then != now:
            lead = f"The lead went from {was} to {leads}."
        elif difference.before.ranks.get(DEFAULT_RULE) != difference.after.ranks.get(DEFAULT_RULE):
            lead = f"The lead stayed with {leads}; the order below it changed."
        else:
            lead = "The ranking did not change."
        total = counted(len(difference.moves), "change")
        alone = f"{len(movers)} of {total} moved it by itself."
        self.outcome.setText(f"{lead} {alone}" if difference.moves else lead)
        self.moves.clear()
        for move in [*movers, *(move for move in difference.moves if not move.moved)][:MAX_MOVES]:
            self.moves.add(self._title(move), move.sentence, move)
        fit(self.moves)

    def _title(self, move: Move) -> str:
        parts = ["Moved the ranking"] if move.moved else []
        return " · ".join([*parts, *(part for part in (move.by, when(move.at) if move.at else "") if part)])

    def _go_to(self, move: Move) -> None:
        if move.evidence or move.hypothesis:
            self.chosen.emit(move.evidence, move.hypothesis)
