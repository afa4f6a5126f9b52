"""What the conclusion depends on: the smallest changes that change who leads, and how much each row weighs in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeySequence, QPainter, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)
from shiboken6 import isValid

from core.domain import DEFAULT_RULE, Evidence, Hypothesis, Linchpin, Matrix, MatrixRow, Rating
from core.matrix import PENALTY, between
from gui_app.matrix.rules_panel import in_order
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.charts import Bar, BarList
from gui_app.shared.formatting import counted, flowing
from gui_app.shared.labels import plain, tooltip
from gui_app.shared.layout import hbox
from gui_app.shared.painted_text import draw_lines, line_count
from gui_app.shared.responsive_panels import ResponsivePanels, fit, inset
from gui_app.shared.row_painting import draw_ground
from gui_app.shared.tornado import Swing, Tornado, figure

if TYPE_CHECKING:
    from core.workbench import Workbench

MAX_PINS = 300
MAX_ROWS = 200  # rows of a chart; the others move less than these
SIDE = 16

# What a kind of change is called as a heading, and when counted.
KINDS: dict[str, tuple[str, str, str]] = {
    "one_step": ("One cell, one step", "cell by a step", "cells by a step"),
    "flip": ("One cell reversed", "cell reversed", "cells reversed"),
    "remove": ("Without one row", "row", "rows"),
    "pair": ("Without a pair of rows", "pair of rows", "pairs of rows"),
    "source": ("Without one source", "source", "sources"),
    "deception": ("If one source lies", "lying source", "lying sources"),
    "grade": ("Without weak grades", "grade", "grades"),
    "drop_hypothesis": ("Without one hypothesis", "hypothesis", "hypotheses"),
}
_FLIP: dict[Rating, Rating] = {"CC": "II", "C": "I", "N": "N", "I": "C", "II": "CC", "NA": "NA"}


# --- arithmetic ------------------------------------------------------------------------------------------------------


def lead(costs: Mapping[str, float], hypothesis: str) -> float | None:
    """Return how far ``hypothesis`` is ahead of its best rival under the default rule, below 0 when it is behind.

    None without a rival.
    """
    rivals = [cost for h, cost in costs.items() if h != hypothesis]
    return min(rivals) - costs[hypothesis] if hypothesis in costs and rivals else None


def swings(matrix: Matrix, hypothesis: str) -> tuple[float, list[tuple[MatrixRow, float, float]]]:
    """Return the lead of ``hypothesis``, and for each row that moves it what it would be, largest move first.

    Each move is (row, lead without the row, lead with the row turned to its opposite).

    The lead is counted in weighted inconsistency (F2). Rows of one cluster share one voice: without one of them the
    others speak for it. A hypothesis that nothing bears on any more drops out of the race. No rows while nothing leads.
    """
    if not matrix.leaders.get(DEFAULT_RULE):
        return 0.0, []
    contenders = [h for h in matrix.hypotheses if h not in matrix.untested]
    costs = {h: matrix.scores[DEFAULT_RULE][h] for h in contenders} if DEFAULT_RULE in matrix.scores else {}
    base = lead(costs, hypothesis)
    if base is None:
        return 0.0, []
    bearing = {h: sum(row.ratings.get(h, "NA") != "NA" for row in matrix.rows) for h in contenders}
    clusters: dict[str, list[MatrixRow]] = {}
    for row in matrix.rows:
        if row.cluster:
            clusters.setdefault(row.cluster, []).append(row)
    moves = []
    for row in matrix.rows:
        row_hypotheses = [h for h in contenders if h in row.ratings]
        if not row_hypotheses:
            continue
        costs_without, reverse_costs = dict(costs), dict(costs)
        for h in row_hypotheses:
            worth = row.weight * row.share
            costs_without[h] -= worth * PENALTY[row.ratings[h]]
            reverse_costs[h] += worth * (PENALTY[_FLIP[row.ratings[h]]] - PENALTY[row.ratings[h]])
        fellows = [fellow for fellow in clusters.get(row.cluster, ()) if fellow is not row] if row.cluster else []
        for fellow in fellows:
            more = fellow.weight * (1 / len(fellows) - fellow.share)
            for h, rating in fellow.ratings.items():
                if h in costs_without:
                    costs_without[h] += more * PENALTY[rating]
        left = {h: cost for h, cost in costs_without.items() if bearing[h] > (row.ratings.get(h, "NA") != "NA")}
        without, reverse = lead(left, hypothesis), lead(reverse_costs, hypothesis)
        if without is None:  # nothing is left to lead, or nobody to lead over
            without = 0.0
        reverse = base if reverse is None else reverse
        if max(abs(without - base), abs(reverse - base)) > 1e-9:
            moves.append((row, without, reverse))
    moves.sort(key=lambda item: -max(abs(item[1] - base), abs(item[2] - base)))
    return base, moves


def discriminating_rows(matrix: Matrix, rivals: Sequence[str]) -> list[tuple[MatrixRow, float]]:
    """List the rows with how far each tells ``rivals`` apart, most first.

    Over two chosen rivals that is the spread of their cells (0..4), over all hypotheses the diagnosticity (0..2). Rows
    that cannot be compared are left out.
    """
    values = [(row, between(row.ratings, rivals) if rivals else row.diagnosticity) for row in matrix.rows]
    rows = [(row, value) for row, value in values if value is not None]
    rows.sort(key=lambda item: -item[1])
    return rows


def pins_by_kind(pins: Sequence[Linchpin]) -> list[tuple[str, list[Linchpin]]]:
    """List the linchpins by kind, each kind and all kinds smallest first."""
    kinds: dict[str, list[Linchpin]] = {}
    for pin in pins:
        kinds.setdefault(pin.change, []).append(pin)
    for group in kinds.values():
        group.sort(key=lambda pin: pin.size)
    return sorted(kinds.items(), key=lambda item: item[1][0].size)


# --- the list of linchpins -------------------------------------------------------------------------------------------

_PIN = int(Qt.ItemDataRole.UserRole)


@dataclass(frozen=True, slots=True)
class _Heading:
    text: str


class PinList(QListWidget):
    """The linchpins under a heading for each kind.

    ``chosen(Linchpin)`` on a click or Enter, ``wanted(Linchpin)`` (None: nothing is selected) for the page behind one.
    """

    chosen = Signal(object)
    wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Changes that would change the leader")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.setLayoutMode(QListWidget.LayoutMode.Batched)  # some hundred sentences to break into lines
        self.setBatchSize(40)
        self.setItemDelegate(_PinDelegate(self))
        self.itemActivated.connect(self._choose)
        self.itemClicked.connect(self._choose)
        page = QShortcut(QKeySequence("O"), self)
        page.setContext(Qt.ShortcutContext.WidgetShortcut)
        page.activated.connect(lambda: self.wanted.emit(self.current()))
        theme.changed.connect(self.scheduleDelayedItemsLayout)

    def show_pins(self, pins: Sequence[Linchpin], counts: Mapping[str, int]) -> None:
        """Show linchpins; ``counts`` says how many there are of each kind."""
        self.clear()
        for kind, group in pins_by_kind(pins[:MAX_PINS]):
            heading, singular, many = KINDS.get(kind, (kind, kind, kind))
            number = max(counts.get(kind, 0), len(group))
            item = QListWidgetItem(heading)
            item.setData(_PIN, _Heading(f"{heading} · {number:,}"))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{heading}: {counted(number, singular, many)}")
            item.setFlags(Qt.ItemFlag.ItemIsEnabled)
            self.addItem(item)
            for pin in group:
                item = QListWidgetItem(pin.sentence)
                item.setData(_PIN, pin)
                size = f", moves {pin.size:.2f}" if pin.size else ""
                item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{pin.sentence}{size}")
                self.addItem(item)

    def pins(self) -> list[Linchpin]:
        """List the linchpins in the order shown."""
        entries = (self.item(index).data(_PIN) for index in range(self.count()))
        return [pin for pin in entries if isinstance(pin, Linchpin)]

    def current(self) -> Linchpin | None:
        """Return the linchpin under the cursor; None on a heading."""
        item = self.currentItem()
        entry = item.data(_PIN) if item is not None else None
        return entry if isinstance(entry, Linchpin) else None

    def _choose(self, item: QListWidgetItem) -> None:
        entry = item.data(_PIN)
        if isinstance(entry, Linchpin):
            self.chosen.emit(entry)


class _PinDelegate(QStyledItemDelegate):
    LINES = 3

    def __init__(self, parent: PinList) -> None:
        super().__init__(parent)
        self._list = parent

    @staticmethod
    def _heading_font() -> QFont:
        return theme.sans(theme.SMALL, bold=True)

    def _size_width(self) -> int:
        return QFontMetrics(theme.sans()).horizontalAdvance("00.00") + 12

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        entry = index.data(_PIN)
        if isinstance(entry, _Heading):
            return QSize(80, QFontMetrics(self._heading_font()).height() + 14)
        wide = self._list.viewport().width() - 2 * SIDE - self._size_width()
        lines = line_count(entry.sentence, theme.sans(), wide, most=self.LINES)
        return QSize(80, lines * QFontMetrics(theme.sans()).height() + 10 + 2 * theme.air())

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        ink, box, entry = theme.tokens(), option.rect, index.data(_PIN)
        painter.save()
        inner = box.adjusted(SIDE, 5 + theme.air(), -SIDE, -5 - theme.air())
        if isinstance(entry, _Heading):
            painter.setFont(self._heading_font())
            painter.setPen(QColor(ink.muted))
            painter.drawText(inner, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom), entry.text)
            painter.restore()
            return
        draw_ground(painter, option)
        painter.setFont(theme.sans())
        painter.setPen(QColor(ink.text))
        draw_lines(painter, entry.sentence, inner.adjusted(0, 0, -self._size_width(), 0), lines=self.LINES)
        painter.setPen(QColor(ink.muted))
        if entry.size:
            painter.drawText(inner, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop), f"{entry.size:.2f}")
        painter.restore()


# --- the tab ---------------------------------------------------------------------------------------------------------


class SensitivityPanel(ResponsivePanels):
    """Linchpins, a tornado of the leader's lead, and what each row tells apart."""

    show_source = Signal(str, int, int, int)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._matrix: Matrix | None = None
        self._evidence: dict[str, Evidence] = {}
        self.pin_heading = plain("", "section", wrap=True)
        self.pin_counts = plain("", "muted", wrap=True)
        self.pins = PinList()
        self.pins.setMinimumHeight(64)
        self.pins.chosen.connect(self._go_to)
        self.pins.wanted.connect(self._open)
        self.pins.currentItemChanged.connect(lambda *_: self._enable())
        self.page_button = QPushButton("Open the page (O)")
        self.page_button.setAccessibleName("Open the page behind this change")
        self.page_button.setProperty("kind", "quiet")
        self.page_button.clicked.connect(lambda _on=False: self._open(self.pins.current()))
        page = hbox()
        page.addWidget(self.page_button)
        page.addStretch(1)
        self._pin_part = self.add(
            inset(self.pin_heading), inset(self.pin_counts), self.pins, inset(page), grows=3, beside=3
        )

        self.of = self._choice("Whose lead is shown")
        self.of.activated.connect(lambda _at: self._reckon())
        self.tornado_note = plain("", "muted", wrap=True)
        legend = "Filled: without the row. Outlined: the row reversed."
        self.legend = plain(legend, "small", wrap=True)
        self.tornado = Tornado("How far each row moves the lead")
        self.tornado.setMinimumHeight(112)
        self.tornado.chosen.connect(lambda row: self.chosen.emit(row, ""))
        whose = self._row(plain("Lead of", "section"), self.of)
        self.add(inset(whose), inset(self.tornado_note), self.tornado, inset(self.legend), grows=3, beside=3)

        self.first_rival, self.second_rival = self._choice("First rival"), self._choice("Second rival")
        for choice in (self.first_rival, self.second_rival):
            choice.activated.connect(lambda _at: self._show_telling())
        self.telling = BarList("Diagnosticity of each row")
        self.telling.setMinimumHeight(64)
        self.telling.chosen.connect(lambda row: self.chosen.emit(row, ""))
        rivals = self._row(plain("Diagnosticity", "section"), self.first_rival, self.second_rival)
        self.add(inset(rivals), self.telling, grows=2, beside=2)
        self._enable()

    @staticmethod
    def _choice(name: str) -> QComboBox:
        choice = QComboBox()
        choice.setAccessibleName(name)
        choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        return choice

    @staticmethod
    def _row(*widgets: QWidget) -> QHBoxLayout:
        row = hbox(spacing=8)
        for widget in widgets:
            row.addWidget(widget)
        row.addStretch(1)
        return row

    # --- what is on show ---

    def set_flat(self, flat: bool) -> None:
        """Leave the legend out where the parts lie beside each other."""
        super().set_flat(flat)
        self.legend.setVisible(not flat)

    def show_matrix(self, matrix: Matrix, hypotheses: Sequence[Hypothesis]) -> None:
        """Show what the ranking of ``matrix`` hangs on."""
        self._matrix = matrix
        order = in_order(matrix, hypotheses)
        texts = {hypothesis.id: hypothesis.text for hypothesis in hypotheses}
        leader = next((h for h in order if h in matrix.leaders.get(DEFAULT_RULE, ())), order[0] if order else "")
        self._fill(self.of, [(h, h, texts[h]) for h in order], leader)
        every = ("all", "", "all hypotheses")
        self._fill(self.first_rival, [every, *((h, h, texts[h]) for h in order)], "")
        self._fill(self.second_rival, [(h, h, texts[h]) for h in order], next((h for h in order if h != leader), ""))
        self._show_pins(matrix)
        self._show_telling()
        self._reckon()

    @staticmethod
    def _fill(choice: QComboBox, entries: Sequence[tuple[str, str, str]], first: str) -> None:
        """Offer entries (words, value, tip); what was chosen stays while it is still there."""
        current = choice.currentData() if choice.count() else first
        choice.blockSignals(True)
        choice.clear()
        for name, value, tip in entries:
            choice.addItem(name, value)
            choice.setItemData(choice.count() - 1, tooltip(tip), Qt.ItemDataRole.ToolTipRole)
        index = choice.findData(current)
        choice.setCurrentIndex(index if index >= 0 else max(0, choice.findData(first)))
        choice.blockSignals(False)

    def _show_pins(self, matrix: Matrix) -> None:
        pins = matrix.linchpins
        self.pin_heading.setText("Smallest changes that change who leads")
        counts = dict(matrix.linchpin_counts)
        for pin in pins:
            if not matrix.linchpin_counts:
                counts[pin.change] = counts.get(pin.change, 0) + 1
        parts = [counted(counts[kind], KINDS[kind][1], KINDS[kind][2]) for kind in KINDS if counts.get(kind)]
        leads = bool(matrix.leaders.get(DEFAULT_RULE))
        if parts:
            text = ", ".join(parts)
        elif leads:
            text = "No single change and no pair of rows would change who leads."
        else:
            incomplete = matrix.comparison.state == "incomplete"
            text = matrix.comparison.sentence if incomplete else "Nothing leads yet."
        self.pin_counts.setText(text)
        current = self.pins.current()
        self.pins.show_pins(pins, counts)
        self.pins.setVisible(bool(pins))
        self.page_button.setVisible(bool(pins))
        self.grow(self._pin_part, 3 if pins else 0)
        for index in range(self.pins.count()):
            if current is not None and self.pins.item(index).data(_PIN) == current:
                self.pins.setCurrentRow(index)
        fit(self.pins)
        self._enable()

    def _show_telling(self) -> None:
        matrix = self._matrix
        if matrix is None:
            return
        left, right = self.first_rival.currentData() or "", self.second_rival.currentData() or ""
        self.second_rival.setVisible(bool(left))
        rivals = (left, right) if left else ()
        if left and left == right:
            self.telling.show_bars([])
            return
        rows = discriminating_rows(matrix, rivals)
        among = f"{left} and {right}" if left else "the hypotheses"
        apart, level = ("Diagnosticity of {row} between {them}: {value}", "{row} is not diagnostic between {them}")
        bars = [
            Bar(
                row.id,
                value,
                f"{value:.0f}" if left else f"{value:.2f}",
                (apart if value else level).format(row=row.id, them=among, value=f"{value:.2f}"),
                row.id,
                "accent" if value else "neutral",
            )
            for row, value in rows[:MAX_ROWS]
        ]
        self.telling.show_bars(bars, most=4.0 if left else 2.0)
        fit(self.telling)

    def _reckon(self) -> None:
        """Work the tornado out beside the work: a quarter of a second for 5,000 rows and 30 hypotheses."""
        matrix, hypothesis = self._matrix, self.of.currentData()
        if matrix is None or not hypothesis:
            self.tornado.show_swings(0.0, [])
            return

        def work(bench: Workbench) -> tuple[dict[str, Evidence], float, list[tuple[MatrixRow, float, float]]]:
            return {item.id: item for item in bench.evidence.all()}, *swings(matrix, hypothesis)

        def show(result: tuple[dict[str, Evidence], float, list[tuple[MatrixRow, float, float]]]) -> None:
            if isValid(self) and self._matrix is matrix and self.of.currentData() == hypothesis:
                self._evidence = result[0]
                self._show_swings(hypothesis, result[1], result[2])
                self._tell_pins()
                self._enable()

        self._session.read(work, show, key="sensitivity")

    def _show_swings(self, h: str, base: float, moves: Sequence[tuple[MatrixRow, float, float]]) -> None:
        leads = self._matrix is None or bool(self._matrix.leaders.get(DEFAULT_RULE))
        self.tornado.setVisible(leads)
        self.legend.setVisible(leads and not self.flat)
        if not leads:
            self.tornado_note.setText("Nothing leads yet, so no row can move the lead.")
            self.tornado.show_swings(0.0, [])
            return
        if abs(base) < 1e-9:
            now = f"{h} is level with a rival; bars to the right favour it."
        elif base > 0:
            now = f"{h} is {base:.2f} ahead of its best rival."
        else:
            now = f"{h} is {-base:.2f} behind the best."
        more = len(moves) - MAX_ROWS
        further = f" {more:,} more rows move it less." if more > 0 else ""
        none = f"No row moves the lead of {h}."
        self.tornado_note.setText(f"{now}{further}" if moves else none)
        self.tornado.show_swings(base, [self._swing(h, base, *item) for item in moves[:MAX_ROWS]])

    def _swing(self, h: str, base: float, row: MatrixRow, without: float, reverse: float) -> Swing:
        words = (
            f"{row.id}: lead of {h} {figure(base)} now, {figure(without)} without it, "
            f"{figure(reverse)} with it reversed"
        )
        return Swing(row.id, without, reverse, words, row.id)

    def _tell_pins(self) -> None:
        """Show the words behind a linchpin on hover."""
        for index in range(self.pins.count()):
            pin = self.pins.item(index).data(_PIN)
            item = self._evidence.get(pin.evidence) if isinstance(pin, Linchpin) else None
            if item is not None:
                page = f", p. {item.page}" if item.page is not None else ""
                words = flowing(item.quote or item.text)
                self.pins.item(index).setToolTip(tooltip(f"{words[:300]}\n{item.source}{page}"))

    # --- going there ---

    def _go_to(self, pin: Linchpin) -> None:
        evidence = pin.evidence or next(iter(pin.rows), "")
        if evidence:
            self.chosen.emit(evidence, pin.hypothesis or "")

    def _page_of(self, pin: Linchpin | None) -> Evidence | None:
        """Return the first row of the change that is on a page."""
        if pin is None:
            return None
        ids = dict.fromkeys((pin.evidence, *pin.rows))
        rows = (self._evidence.get(row) for row in ids)
        return next((item for item in rows if item is not None and item.document and item.page is not None), None)

    def _enable(self) -> None:
        self.page_button.setEnabled(self._page_of(self.pins.current()) is not None)

    def _open(self, pin: Linchpin | None) -> None:
        item = self._page_of(pin)
        if item is not None and item.document is not None and item.page is not None:
            self.show_source.emit(item.document, item.page, item.start or 0, item.end or 0)
        elif pin is not None:
            self._session.status.emit("There is no page behind this change.")
