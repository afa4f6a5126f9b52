"""The eight steps of the method, quietly at the side: where the case is, and the one next thing to do."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QListView,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QWidget,
)

from core.case.guide import Facts, Step, current, steps
from core.domain import DEFAULT_RULE, Changes
from gui_app import window_state
from gui_app.hypotheses.indicator_watch import watch_of
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.labels import plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.row_painting import LEFT

if TYPE_CHECKING:
    from core.workbench import Workbench

_STEP = int(Qt.ItemDataRole.UserRole)
_LOW = 720  # pixels of the window below which the steps are numbers in one row,
_LOW_BESIDE = 860  # and where details may come below them, which need the room more
_SETTLE_MS = 180
_STATES = {"open": "to do", "partly": "something left to do", "done": "done"}


@dataclass(frozen=True, slots=True)
class _SlowCounts:
    """Counts that would take long to read again after every rating.

    ``absences`` None: to be counted. ``report_entry`` is the entry of the log of the last report (0: none) among the
    entries up to ``read_to``.
    """

    absences: int | None = None
    report_entry: int = 0
    read_to: int = 0


def read_counts(bench: Workbench, counts: _SlowCounts) -> _SlowCounts:
    """Bring the counts up to date."""
    absences = counts.absences
    if absences is None:
        absences = sum(row.absence is not None for row in bench.evidence.all())
    position = bench.case.position()
    return _SlowCounts(absences, bench.case.last_report(counts.read_to) or counts.report_entry, position)


def facts_of(
    bench: Workbench,
    counts: _SlowCounts,
    *,
    new_documents: int = 0,
    views: Collection[str] = (),
    refusals: Collection[str],
) -> Facts:
    """Return what the guide needs to know of a case."""
    from core.matrix import dependencies

    hypotheses = bench.hypotheses.all()
    matrix = bench.matrix.compute()
    considerations = bench.hypotheses.considerations()
    kinds = {hypothesis.kind for hypothesis in hypotheses}
    leaders = matrix.leaders.get(DEFAULT_RULE, ())
    counts_by_kind = {
        kind: sum(consideration.kind == kind for consideration in considerations)
        for kind in ("assumption", "premortem")
    }
    open_indicators = sum(
        consideration.kind == "indicator" and consideration.status == "open" for consideration in considerations
    )
    cells = len(matrix.rows) * len(matrix.hypotheses)
    return Facts(
        documents=len(bench.documents.all()),
        hypotheses=len(hypotheses),
        null="null" in kinds,
        deception="deception" in kinds,
        evidence=len(matrix.rows),
        absences=counts.absences or 0,
        waiting=0 if matrix.rows else list(bench.verdicts.statuses().values()).count("pending"),
        cells=cells,
        rated=cells - matrix.unrated,
        dull=sum(row.diagnosticity == 0 for row in matrix.rows),
        overlaps=matrix.overlaps,
        leaders=leaders,
        unattacked=matrix.unattacked,
        linchpins=tuple(dependencies(matrix)),
        assumptions=counts_by_kind["assumption"],
        premortems=counts_by_kind["premortem"],
        indicators=open_indicators,
        new_documents=new_documents,
        since_report=bench.case.decided_since(counts.report_entry) if counts.report_entry else None,
        looked=frozenset(views),
        declined=frozenset(refusals),
    )


class _StepDelegate(QStyledItemDelegate):
    """A number in a circle with the step's name; ``low`` leaves the number."""

    low = False
    room = 1000  # pixels for all eight in a row
    at = 0  # number of the step the case is at

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        if self.low:
            return QSize(min(theme.px(32), self.room // 8), theme.px(32))
        return QSize(theme.px(120), theme.px(26))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        t = theme.tokens()
        step: Step = index.data(_STEP)
        box: QRect = option.rect
        here = step.number == self.at
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.selection))
            painter.drawRoundedRect(box.adjusted(0, 1, 0, -1), 5, 5)
        if option.state & QStyle.StateFlag.State_HasFocus and option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(QColor(t.focus))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(0, 1, -1, -2), 5, 5)
        size = min(theme.px(18), box.width() - 6)
        left = box.left() + ((box.width() - size) // 2 if self.low else 6)
        circle = QRect(left, box.top() + (box.height() - size) // 2, size, size)
        if here:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.accent))
        else:
            pen = QPen(QColor(t.accent if step.state == "done" else t.strong_line))
            pen.setWidthF(1.2)
            if step.state == "partly":
                pen.setStyle(Qt.PenStyle.DotLine)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(circle)
        if step.state == "done" and not here:
            tick = circle.adjusted(3, 3, -3, -3)
            painter.drawPixmap(tick, theme.pixmap("check", tick.width(), t.accent, ratio=2.0))
        else:
            painter.setFont(theme.sans(theme.SMALL, bold=True))
            painter.setPen(QColor(t.on_accent if here else t.muted))
            painter.drawText(circle, int(Qt.AlignmentFlag.AlignCenter), str(step.number))
        if not self.low:
            painter.setFont(theme.sans(theme.BODY, bold=here))
            painter.setPen(QColor(t.text if here or step.state == "done" else t.muted))
            text = QRect(circle.right() + 10, box.top(), box.right() - circle.right() - 12, box.height())
            painter.drawText(text, LEFT, step.name)
        painter.restore()


class GuidePanel(QFrame):
    """The steps as a list, below it one sentence and one button. ``go_to(place, part)`` asks to be taken there."""

    go_to = Signal(str, str)
    closed = Signal()

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._steps: tuple[Step, ...] = ()
        self._current: Step | None = None
        self._quiet = False
        self._counts = _SlowCounts()
        self.reading = False
        self.setProperty("kind", "panel")
        self.setAccessibleName("Guide")
        column = vbox(self, spacing=0)
        head = hbox(margins=(16, 8, 8, 4), spacing=8)
        head.addWidget(plain("GUIDE", "section"))
        self.where = plain("", "small")
        head.addWidget(self.where, 1)
        close = QToolButton()
        theme.set_icon(close, "cross")
        close.setAccessibleName("Hide the guide")
        close.setToolTip("Hide the guide (F9)")
        close.clicked.connect(self.closed)
        head.addWidget(close)
        column.addLayout(head)

        self.view = QListWidget()
        self.view.setAccessibleName("The eight steps")
        self.view.setStyleSheet("QListWidget { background: transparent; border: none; }")
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        self._delegate = _StepDelegate(self.view)
        self.view.setItemDelegate(self._delegate)
        self.view.currentRowChanged.connect(self._chosen)
        self.view.itemActivated.connect(lambda _item: self.press())
        place = hbox(margins=(12, 0, 12, 4))
        place.addWidget(self.view)
        column.addLayout(place)

        foot = vbox(margins=(16, 4, 16, 12), spacing=8)
        self.name = plain("", "strong", wrap=True)
        foot.addWidget(self.name)
        self.sentence = plain("", "", wrap=True)
        foot.addWidget(self.sentence)
        row = hbox()
        self.button = QPushButton("")
        self.button.clicked.connect(self.press)
        row.addWidget(self.button)
        row.addStretch(1)
        foot.addLayout(row)
        column.addLayout(foot)
        column.addStretch(1)
        self.setFocusProxy(self.button)

        # After the change itself is painted, and once for many changes.
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SETTLE_MS)
        self._soon.timeout.connect(self.refresh)
        session.changed.connect(self._case_changed)
        session.opened.connect(self._opened)
        session.looked.connect(lambda _what: self._later())
        watch_of(session).changed.connect(self._later)
        theme.changed.connect(self._restyled)
        self._restyled()

    # --- showing -----------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the facts of the case again, beside the work."""
        bench = self._session.workbench
        if bench is None or not self.isVisible():
            return
        new = watch_of(self._session).new_documents()
        views, refusals = window_state.marks(bench.path, "looked"), window_state.marks(bench.path, "declined")
        former = self._counts

        def read(bench: Workbench) -> tuple[_SlowCounts, Facts]:
            counts = read_counts(bench, former)
            return counts, facts_of(bench, counts, new_documents=new, views=views, refusals=refusals)

        def arrived(result: tuple[_SlowCounts, Facts]) -> None:
            self.reading = False
            counts, facts = result
            # Counted while rows changed once more: the next reading counts again.
            self._counts = counts if self._counts is former else replace(counts, absences=None)
            self.show_facts(facts)

        self.reading = True
        self._session.read(read, arrived, key="guide")

    def show_facts(self, facts: Facts) -> None:
        """Show the steps as these facts have them."""
        former = self._current
        self._steps = steps(facts)
        self._current = current(facts, self._steps)
        number = self._current.number if self._current else 0
        self._delegate.at = number
        current_row = self.view.currentRow()
        self._quiet = True
        if self.view.count() != len(self._steps):
            self.view.clear()
            for _ in self._steps:
                self.view.addItem(QListWidgetItem())
        for row, step in enumerate(self._steps):
            item = self.view.item(row)
            item.setData(_STEP, step)
            here = "the case is here" if step.number == number else _STATES[step.state]
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"Step {step.number}, {step.name}, {here}")
            item.setToolTip(f"{step.number}  {step.name}: {here}")
        is_new_step = former is None or self._current is None or former.number != number
        # The person may be reading another step; it stays on show until the case itself moves on.
        self.view.setCurrentRow((number or len(self._steps)) - 1 if is_new_step or current_row < 0 else current_row)
        self._quiet = False
        self.where.setText(f"step {number} of 8" if number else "all eight steps done")
        self._say()
        if is_new_step and former is not None and self._current is not None:
            announce(self, f"{'Guide'}: {self._current.sentence}")

    def shown(self) -> Step | None:
        """Return the step whose sentence is on show."""
        row = self.view.currentRow()
        return self._steps[row] if 0 <= row < len(self._steps) else None

    def set_low(self, low: bool) -> None:
        """Numbers in one row where the window is low, else one step a line."""
        self._delegate.low = low
        self.view.setFlow(QListView.Flow.LeftToRight if low else QListView.Flow.TopToBottom)
        self.view.setWrapping(low)
        self.view.setFixedHeight(theme.px(34) if low else 8 * theme.px(26) + 4)
        self.view.scheduleDelayedItemsLayout()

    def _say(self) -> None:
        step = self.shown()
        if step is None:
            return
        self.name.setText(f"{step.number}  {step.name}")
        self.sentence.setText(step.sentence)
        self.button.setText(step.button)
        self.button.setAccessibleName(f"{step.name}: {step.button}")

    def _chosen(self, _row: int) -> None:
        if not self._quiet:
            self._say()

    def _later(self) -> None:
        self._soon.start()

    def _case_changed(self, changes: Changes, _initiator: object) -> None:
        if changes.evidence:
            self._counts = replace(self._counts, absences=None)
        self._later()

    def _opened(self) -> None:
        self._current = None
        self._counts = _SlowCounts()
        self.reading = False
        self._later()

    def _restyled(self) -> None:
        self.set_low(self._delegate.low)
        self.update()

    def showEvent(self, event: object) -> None:
        """Read the facts when the guide comes on show."""
        super().showEvent(event)  # type: ignore[arg-type]
        self.refresh()

    def fit(self, height: int, *, beside: bool) -> None:
        """Fit a window so high; ``beside``: details may come in the same column, for which nothing should move."""
        low = height < theme.px(_LOW_BESIDE if beside else _LOW)
        if low != self._delegate.low:
            self.set_low(low)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the steps to the width."""
        super().resizeEvent(event)
        self._delegate.room = self.view.width() - 2
        self.view.scheduleDelayedItemsLayout()

    # --- going there -------------------------------------------------------------------------------------------------

    def press(self) -> None:
        """Do what the button of the step on show says."""
        step = self.shown()
        if step is None:
            return
        if step.part in ("diagnosticity", "sensitivity"):
            self._session.look_at(step.part)
        self.go_to.emit(step.place, step.part)
