"""Small charts drawn by the program itself: bars, scores rule by rule, a tornado, ranks over time.

A chart never says anything by colour alone: every bar and line has its name and its figure beside it, and every chart
has the same data as text (its accessible description, and ``as_text``). Rows that lead somewhere are items of a list,
so that arrow keys, Enter and screen readers work as in any other list.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.labels import tooltip

Tone = Literal["accent", "contradicts", "neutral", "ambiguous", "supports"]
SIDE = 16  # pixels at the left and right, as in every list of the panel
_ROW = int(Qt.ItemDataRole.UserRole)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar. ``value`` 0 or more (None: not known), ``figure`` what stands at its right, ``description`` the same in
    words. ``unrated_share`` is the share 0..1 of what it rests on that nobody has rated.

    ``mark`` is a tick on the scale, for a second figure to compare with. ``heading`` rows have a name and no bar.
    """

    name: str
    value: float | None
    figure: str
    description: str
    target: Any = None
    tone: Tone = "accent"
    strong: bool = False
    is_outlined: bool = False
    mark: float | None = None
    heading: bool = False
    unrated_share: float = 0.0


@dataclass(frozen=True, slots=True)
class Swing:
    """One row of a tornado: where the figure goes ``if_removed``, and ``if_flipped`` to its opposite."""

    name: str
    if_removed: float
    if_flipped: float
    description: str
    target: Any = None


@dataclass(frozen=True, slots=True)
class RuleScores:
    """The scores under one rule: (hypothesis, rank as shown, score, share 0..1 of the longest bar, leads).

    ``unrated_shares`` has by hypothesis the share of rows that are not rated, ``coverage`` the same as '3 of 22 rated'.
    """

    rule: str
    better: str
    rows: tuple[tuple[str, str, str, float, bool], ...]
    unrated_shares: Mapping[str, float] = field(default_factory=dict)
    coverage: Mapping[str, str] = field(default_factory=dict)


class ChartList(QListWidget):
    """Rows drawn as a chart, with a target each; ``chosen(target)`` on a click or Enter."""

    chosen = Signal(object)

    def __init__(self, accessible_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(accessible_name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.itemActivated.connect(self._choose)
        self.itemClicked.connect(self._choose)
        theme.changed.connect(self.scheduleDelayedItemsLayout)

    def _put(self, rows: Sequence[Bar] | Sequence[Swing]) -> None:
        at = self.currentRow()
        self.clear()
        for row in rows:
            item = QListWidgetItem(row.name)
            item.setData(_ROW, row)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, row.description)
            item.setToolTip(tooltip(row.description))
            if row.target is None:
                item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsSelectable)
            self.addItem(item)
        if 0 <= at < self.count():
            self.setCurrentRow(at)

    def as_text(self) -> str:
        """The chart's data, a line a row."""
        return "\n".join(self.item(at).data(_ROW).description for at in range(self.count()))

    def _choose(self, item: QListWidgetItem) -> None:
        target = item.data(_ROW).target
        if target is not None:
            self.chosen.emit(target)


class BarList(ChartList):
    """Horizontal bars, one a row, all on one scale. Names that are too long lose their end, or what ``elide`` says."""

    def __init__(
        self,
        accessible_name: str,
        parent: QWidget | None = None,
        *,
        elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__(accessible_name, parent)
        self.elide = elide
        self.most = 1.0
        self.name_width = 0
        self.figure_width = 0
        self.setItemDelegate(_BarDelegate(self))
        theme.changed.connect(self._measure)

    def show_bars(self, bars: Sequence[Bar], *, most: float | None = None) -> None:
        """``most`` is what the longest possible bar stands for; the largest value when not given."""
        self.most = most or max((bar.value for bar in bars if bar.value is not None), default=0.0) or 1.0
        self._put(bars)
        self._measure()

    def bars(self) -> list[Bar]:
        return [self.item(at).data(_ROW) for at in range(self.count())]

    def _measure(self) -> None:
        bold = QFontMetrics(theme.sans(bold=True))
        rows = [bar for bar in self.bars() if not bar.heading]
        self.name_width = max((bold.horizontalAdvance(bar.name) for bar in rows), default=0) + 4
        self.figure_width = max((bold.horizontalAdvance(bar.figure) for bar in rows), default=0)


class _ChartDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(80, theme.px(18) + 8)

    def _ground(self, painter: QPainter, option: QStyleOptionViewItem) -> QRect:
        ink, box = theme.tokens(), option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(ink.selection))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, QColor(ink.raised))
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), QColor(ink.focus))
        return QRect(box.adjusted(SIDE, 0, -SIDE, 0))


class _BarDelegate(_ChartDelegate):
    def __init__(self, parent: BarList) -> None:
        super().__init__(parent)
        self._list = parent

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        bar: Bar = index.data(_ROW)
        ink = theme.tokens()
        painter.save()
        inner = self._ground(painter, option)
        if bar.heading:
            painter.setFont(theme.sans(theme.SMALL, bold=True))
            painter.setPen(QColor(ink.muted))
            name = QFontMetrics(painter.font()).elidedText(bar.name, Qt.TextElideMode.ElideRight, inner.width())
            painter.drawText(inner, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom), name)
            painter.restore()
            return
        painter.setFont(theme.sans(bold=bar.strong))
        painter.setPen(QColor(ink.text))
        # In little room the name is worth more than the length of the bar: the figure stands beside it.
        most = max(inner.width() // 2, inner.width() - self._list.figure_width - 16 - theme.px(32))
        name_width = min(self._list.name_width, most if inner.width() < theme.px(240) else inner.width() // 2)
        name = QFontMetrics(painter.font()).elidedText(bar.name, self._list.elide, name_width)
        painter.drawText(QRect(inner.left(), inner.top(), name_width, inner.height()), _LEFT, name)
        if bar.value is None:
            painter.setPen(QColor(ink.muted))
        painter.drawText(inner, _RIGHT, bar.figure)
        left = inner.left() + name_width + 8
        room = max(8, inner.right() - self._list.figure_width - 8 - left)
        box = QRectF(left, inner.center().y() - 3, room, 7)
        share = None if bar.value is None else bar.value / self._list.most
        draw_bar(painter, box, share, bar.tone, bar.is_outlined, unrated_share=bar.unrated_share)
        if bar.mark is not None:
            x = left + room * max(0.0, min(1.0, bar.mark / self._list.most))
            painter.setPen(QPen(QColor(ink.text), 2))
            painter.drawLine(QPointF(x, box.top() - 3), QPointF(x, box.bottom() + 3))
        painter.restore()


def draw_bar(
    painter: QPainter,
    box: QRectF,
    share: float | None,
    tone: str,
    is_outlined: bool = False,
    *,
    unrated_share: float = 0.0,
) -> None:
    """A bar of ``share`` 0..1 of ``box`` on its track; only the track when there is no figure. Of the track the share
    ``unrated_share`` 0..1 at its right is hatched, and the bar keeps to the rest.
    """
    ink = theme.tokens()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    if unrated_share > 0:
        whole, box = box, QRectF(box.left(), box.top(), box.width() * max(0.0, 1 - unrated_share), box.height())
        draw_hatched(painter, QRectF(box.right(), whole.top(), whole.right() - box.right(), whole.height()))
    painter.setBrush(QColor(ink.neutral_tint))
    painter.drawRoundedRect(box, 2, 2)
    if share is not None and share > 0:
        wide = max(2.0, box.width() * min(1.0, share))
        colour = QColor(getattr(ink, tone))
        bar = QRectF(box.left(), box.top(), wide, box.height())
        if is_outlined:
            painter.setPen(QPen(colour, 1.5))
            painter.setBrush(QColor(ink.surface))
            painter.drawRoundedRect(bar.adjusted(0.75, 0.75, -0.75, -0.75), 2, 2)
        else:
            painter.setBrush(colour)
            painter.drawRoundedRect(bar, 2, 2)
    painter.restore()


def draw_hatched(painter: QPainter, box: QRectF) -> None:
    """What is not known yet: outlined and hatched."""
    ink = theme.tokens()
    painter.save()
    path = QPainterPath()
    path.addRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
    painter.setPen(QPen(QColor(ink.muted), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(path)
    painter.setClipPath(path)
    x = box.left() - box.height()
    while x < box.right():
        painter.drawLine(QPointF(x, box.bottom()), QPointF(x + box.height(), box.top()))
        x += 4
    painter.restore()


# --- scores rule by rule ---------------------------------------------------------------------------------------------


class RuleChart(QWidget):
    """One small bar chart a rule, beside each other where there is room, below each other where there is not.

    Every rule has a scale of its own: their scores cannot be compared, their orders can.
    """

    BLOCK = 112  # pixels: the narrowest block that still shows bars

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._blocks: tuple[RuleScores, ...] = ()
        self.setAccessibleName("Scores of the hypotheses under each rule")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.changed.connect(self.updateGeometry)

    def show_scores(self, blocks: Sequence[RuleScores]) -> None:
        self._blocks = tuple(blocks)
        self.setAccessibleDescription(self.as_text())
        self.updateGeometry()
        self.update()

    def as_text(self) -> str:
        lines = []
        for block in self._blocks:
            scores = ", ".join(
                f"{rank} {h} {score}".strip() + (f" ({block.coverage[h]})" if block.unrated_shares.get(h) else "")
                for h, rank, score, _share, _leads in block.rows
            )
            lines.append(f"{block.rule} ({block.better}): {scores}")
        return "\n".join(lines)

    def _columns(self, width: int) -> int:
        fit = (width + 16) // (theme.px(self.BLOCK) + 16)
        return max(1, min(len(self._blocks) or 1, fit))

    def _row(self) -> int:
        return theme.px(17)

    def _high(self) -> int:
        rows = max((len(block.rows) for block in self._blocks), default=0)
        return theme.px(16) * 2 + 4 + rows * self._row() + 12

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        columns = self._columns(width)
        return -(-len(self._blocks) // columns) * self._high() if self._blocks else 0

    def sizeHint(self) -> QSize:
        return QSize(theme.px(self.BLOCK), self.heightForWidth(max(self.width(), theme.px(self.BLOCK))))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(self.BLOCK), 0)

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self.setMinimumHeight(self.heightForWidth(self.width()))

    def paintEvent(self, _event: QPaintEvent) -> None:
        ink = theme.tokens()
        painter = QPainter(self)
        columns = self._columns(self.width())
        wide = (self.width() - 16 * (columns - 1)) // columns
        for at, block in enumerate(self._blocks):
            left = (at % columns) * (wide + 16)
            top = (at // columns) * self._high()
            painter.setFont(theme.sans(theme.SMALL, bold=True))
            painter.setPen(QColor(ink.text))
            small = QFontMetrics(painter.font())
            title = small.elidedText(block.rule, Qt.TextElideMode.ElideRight, wide)
            painter.drawText(QRect(left, top, wide, theme.px(16)), _LEFT, title)
            painter.setFont(theme.sans(theme.SMALL))
            painter.setPen(QColor(ink.muted))
            painter.drawText(QRect(left, top + theme.px(15), wide, theme.px(16)), _LEFT, block.better)
            y = top + theme.px(16) * 2 + 4
            metrics = QFontMetrics(theme.sans(theme.SMALL, bold=True))
            rank_width = max((metrics.horizontalAdvance(row[1]) for row in block.rows), default=0) + 6
            name_width = min(wide // 3, max((metrics.horizontalAdvance(row[0]) for row in block.rows), default=0) + 8)
            score_width = max((metrics.horizontalAdvance(row[2]) for row in block.rows), default=0) + 6
            for h, rank, score, share, leads in block.rows:
                box = QRect(left, y, wide, self._row())
                painter.setFont(theme.sans(theme.SMALL, bold=leads))
                painter.setPen(QColor(ink.text if leads else ink.muted))
                painter.drawText(box, _LEFT, rank)
                name = QRect(left + rank_width, y, name_width, self._row())
                painter.drawText(name, _LEFT, metrics.elidedText(h, Qt.TextElideMode.ElideRight, name_width - 4))
                painter.drawText(box, _RIGHT, score)
                room = wide - rank_width - name_width - score_width
                unrated_share = block.unrated_shares.get(h, 0.0)
                if room >= 16 and (score or unrated_share):
                    bar = QRectF(left + rank_width + name_width, y + self._row() / 2 - 3, room, 6)
                    draw_bar(painter, bar, share, "accent" if leads else "neutral", unrated_share=unrated_share)
                y += self._row()
        if self.hasFocus():
            painter.setPen(QColor(ink.focus))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))


# --- tornado ---------------------------------------------------------------------------------------------------------


class Tornado(QWidget):
    """How far one figure (a lead) swings when a row is removed (filled) or turned to its opposite (outlined).

    The middle line is the figure as it is; left of zero the lead is lost, and what lies there is drawn in the tone of
    inconsistency.
    """

    chosen = Signal(object)

    def __init__(self, accessible_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.base, self.low, self.high = 0.0, -1.0, 1.0
        self.axis = _Axis(self)
        self.rows = _Swings(accessible_name, self)
        self.rows.chosen.connect(self.chosen)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.axis)
        column.addWidget(self.rows, 1)

    def show_swings(self, base: float, swings: Sequence[Swing]) -> None:
        values = [0.0, base, *(value for swing in swings for value in (swing.if_removed, swing.if_flipped))]
        self.base, self.low, self.high = base, min(values), max(values)
        if self.high - self.low < 1e-9:
            self.low, self.high = self.low - 0.5, self.high + 0.5
        self.axis.setAccessibleDescription(f"Now {base:.2f}; below 0 the lead is lost")
        self.rows.show_swings(swings)
        self.axis.update()

    def as_text(self) -> str:
        return self.rows.as_text()

    def x_of(self, value: float, left: float, width: float) -> float:
        return left + width * (value - self.low) / (self.high - self.low)

    def room(self, inner: QRect) -> tuple[float, float]:
        """Left edge and width of the part of a row that bars are drawn in."""
        bold = QFontMetrics(theme.sans(bold=True))
        names = min(self.rows.name_width, inner.width() // 3)
        left = inner.left() + names + 8
        return left, max(16.0, inner.right() - left - bold.horizontalAdvance("−00.00") - 8)


class _Axis(QWidget):
    """The scale of a tornado, above its rows."""

    def __init__(self, parent: Tornado) -> None:
        super().__init__(parent)
        self._chart = parent
        self.setAccessibleName("Scale")
        self._size()
        theme.changed.connect(self._size)

    def _size(self) -> None:
        self.setFixedHeight(theme.px(16) + 6)

    def paintEvent(self, _event: QPaintEvent) -> None:
        ink, chart = theme.tokens(), self._chart
        painter = QPainter(self)
        inner = QRect(SIDE, 0, chart.rows.viewport().width() - 2 * SIDE, self.height())
        left, wide = chart.room(inner)
        painter.setFont(theme.sans(theme.SMALL))
        metrics = QFontMetrics(painter.font())
        # The figure as it is comes first: where the two words would touch, the zero line speaks for itself below.
        spans: list[tuple[float, float]] = []
        now = f"now {figure(chart.base)}"
        for value, text in ((chart.base, now), (0.0, "0")):
            if spans and abs(chart.base) < 1e-9:
                continue
            half = metrics.horizontalAdvance(text) / 2
            middle = chart.x_of(value, left, wide)
            middle = max(inner.left() + half, min(inner.right() - half, middle))
            if any(middle - half < end + 6 and middle + half > start - 6 for start, end in spans):
                continue
            spans.append((middle - half, middle + half))
            painter.setPen(QColor(ink.muted))
            box = QRectF(middle - half, 0, 2 * half + 1, self.height() - 4)
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)
        painter.setPen(QColor(ink.line))
        painter.drawLine(inner.left(), self.height() - 1, inner.right(), self.height() - 1)


class _Swings(ChartList):
    def __init__(self, accessible_name: str, chart: Tornado) -> None:
        super().__init__(accessible_name, chart)
        self.chart = chart
        self.name_width = 0
        self.setItemDelegate(_SwingDelegate(self))

    def show_swings(self, swings: Sequence[Swing]) -> None:
        self._put(swings)
        bold = QFontMetrics(theme.sans(bold=True))
        self.name_width = max((bold.horizontalAdvance(swing.name) for swing in swings), default=0) + 4

    def swings(self) -> list[Swing]:
        return [self.item(at).data(_ROW) for at in range(self.count())]


class _SwingDelegate(_ChartDelegate):
    def __init__(self, parent: _Swings) -> None:
        super().__init__(parent)
        self._list = parent

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        swing: Swing = index.data(_ROW)
        ink, chart = theme.tokens(), self._list.chart
        painter.save()
        inner = self._ground(painter, option)
        left, wide = chart.room(inner)
        painter.setFont(theme.sans())
        painter.setPen(QColor(ink.text))
        name = QRect(inner.left(), inner.top(), round(left) - inner.left() - 6, inner.height())
        label = QFontMetrics(painter.font()).elidedText(swing.name, Qt.TextElideMode.ElideRight, name.width())
        painter.drawText(name, _LEFT, label)
        worst = min(swing.if_removed, swing.if_flipped)
        is_lost = worst < -1e-9 or (worst < 1e-9 and chart.base > 1e-9)
        painter.setFont(theme.sans(bold=is_lost))
        painter.drawText(inner, _RIGHT, figure(worst))
        zero, now = chart.x_of(0.0, left, wide), chart.x_of(chart.base, left, wide)
        painter.setPen(QPen(QColor(ink.strong_line), 1, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(zero, inner.top()), QPointF(zero, inner.bottom()))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = inner.center().y() + 0.5
        for value, top, high, fill in (
            (swing.if_removed, middle - 7, 7, True),
            (swing.if_flipped, middle + 1, 6, False),
        ):
            to = chart.x_of(value, left, wide)
            box = QRectF(min(now, to), top, abs(to - now), high)
            self._bar(painter, box, zero, fill)
        painter.setPen(QPen(QColor(ink.text), 1))
        painter.drawLine(QPointF(now, inner.top()), QPointF(now, inner.bottom()))
        painter.restore()

    @staticmethod
    def _bar(painter: QPainter, box: QRectF, zero: float, fill: bool) -> None:
        """One bar; what lies left of zero in the other tone."""
        ink = theme.tokens()
        below = QRectF(box.left(), box.top(), max(0.0, min(zero, box.right()) - box.left()), box.height())
        above = QRectF(max(zero, box.left()), box.top(), box.right() - max(zero, box.left()), box.height())
        for part, tone in ((below, ink.contradicts), (above, ink.accent)):
            if part.width() <= 0.2:
                continue
            if fill:
                painter.fillRect(part, QColor(tone))
            else:
                painter.setPen(QPen(QColor(tone), 1.2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(part.adjusted(0.6, 0.6, -0.6, -0.6))


def short_labels(first: str, last: str) -> tuple[str, str]:
    """'2026-11-21 08:39' and another: the times alone within a day, else the dates alone."""
    one, other = first.partition(" "), last.partition(" ")
    return (one[2], other[2]) if one[0] == other[0] else (one[0], other[0])


def figure(value: float) -> str:
    """A difference as it stands in a chart: two digits and a real minus sign."""
    text = f"{value:.2f}"
    if float(text) == 0:
        return "0.00"
    return text.replace("-", "−")


# --- ranks over time -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Moment:
    """One point in time: who stood where. ``ranks`` has no entry for what could not be ranked; they are ``provisional``
    while the hypotheses are rated on different rows.
    """

    at: str
    label: str
    ranks: Mapping[str, int]
    description: str
    provisional: bool = False


class BumpChart(QWidget):
    """Ranks over time, one line a hypothesis, best on top; ties run side by side at the same rank.

    Left and Right go from decision to decision, Home and End to the ends, a click to the nearest one; ``moved(int)``
    tells which one. A line is told from another by its name at both ends, by its dashes and by its marks.
    """

    moved = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._moments: tuple[Moment, ...] = ()
        self._names: tuple[str, ...] = ()
        self._strong: frozenset[str] = frozenset()
        self._at = -1
        self._empty = "Nothing is rated yet"
        self.setAccessibleName("Ranking of the hypotheses over time")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme.changed.connect(self.update)

    def show_moments(self, moments: Sequence[Moment], names: Sequence[str], *, strong: Sequence[str] = ()) -> None:
        """``names`` are the hypotheses to draw, ``strong`` those drawn in the accent (the leaders)."""
        last = self._at == len(self._moments) - 1
        self._moments, self._names, self._strong = tuple(moments), tuple(names), frozenset(strong)
        self._at = len(self._moments) - 1 if last or self._at >= len(self._moments) else self._at
        self._tell()
        self.updateGeometry()
        self.update()

    def say_empty(self, words: str) -> None:
        """What stands there instead of lines while there is none: why."""
        self._empty = words
        self._tell()
        self.update()

    def as_text(self) -> str:
        return "\n".join(moment.description for moment in self._moments)

    def current(self) -> int:
        return self._at

    def go_to(self, at: int) -> None:
        at = max(0, min(len(self._moments) - 1, at))
        if at == self._at or not self._moments:
            return
        self._at = at
        self._tell()
        announce(self, self._moments[at].description)
        self.update()
        self.moved.emit(at)

    def _tell(self) -> None:
        description = self._moments[self._at].description if 0 <= self._at < len(self._moments) else self._empty
        self.setAccessibleDescription(description)

    def sizeHint(self) -> QSize:
        return QSize(240, self.minimumSizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(160, max(96, min(12, max(2, len(self._names))) * theme.px(24) + 32))

    # --- geometry ---

    def _frame(self) -> QRectF:
        metrics = QFontMetrics(theme.sans(theme.SMALL, bold=True))
        name_width = min(64, max((metrics.horizontalAdvance(name) for name in self._names), default=0)) + 8
        width, height = self.width() - 2 * name_width, self.height() - 32 - theme.px(14)
        return QRectF(name_width, 16, max(16.0, width), max(16.0, height))

    def _x(self, at: int, frame: QRectF) -> float:
        count = len(self._moments)
        return frame.center().x() if count < 2 else frame.left() + frame.width() * at / (count - 1)

    def _y(self, rank: float, frame: QRectF) -> float:
        count = max(2, len(self._names))
        return frame.top() + frame.height() * (rank - 1) / (count - 1)

    def _place(self, moment: Moment, name: str) -> float | None:
        """The rank, moved a little so that tied lines do not hide each other."""
        rank = moment.ranks.get(name)
        if rank is None:
            return None
        ties = [other for other in self._names if moment.ranks.get(other) == rank]
        return rank + (ties.index(name) - (len(ties) - 1) / 2) * min(0.22, 0.8 / len(ties))

    # --- drawing ---

    def paintEvent(self, _event: QPaintEvent) -> None:
        ink = theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self._moments:
            painter.setFont(theme.sans())
            painter.setPen(QColor(ink.muted))
            flags = int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap)
            painter.drawText(self.rect().adjusted(8, 0, -8, 0), flags, self._empty)
            return
        frame = self._frame()
        self._hatch(painter, frame)
        x = self._x(self._at, frame)
        painter.setPen(QPen(QColor(ink.strong_line), 1))
        painter.drawLine(QPointF(x, frame.top() - 8), QPointF(x, frame.bottom() + 6))
        order = sorted(range(len(self._names)), key=lambda at: self._names[at] in self._strong)
        starts: list[tuple[QPointF, int]] = []
        ends: list[tuple[QPointF, int]] = []
        for number in order:
            points = self._line(painter, frame, number)
            if points:
                starts.append((points[0], number))
                ends.append((points[-1], number))
        self._names_at(painter, starts, left=True)
        self._names_at(painter, ends, left=False)
        painter.setFont(theme.sans(theme.SMALL))
        painter.setPen(QColor(ink.muted))
        foot = QRectF(0, self.height() - theme.px(15), self.width(), theme.px(15))
        first, last = self._moments[0].label, self._moments[-1].label
        if QFontMetrics(painter.font()).horizontalAdvance(f"{first}  {last}") > self.width():
            first, last = short_labels(first, last)
        painter.drawText(foot, _LEFT, first)
        if len(self._moments) > 1:
            painter.drawText(foot, _RIGHT, last)
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(QColor(ink.focus))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _hatch(self, painter: QPainter, frame: QRectF) -> None:
        """A band along the foot below the moments whose ranks are provisional."""
        half = frame.width() / max(1, len(self._moments) - 1) / 2
        for provisional, run in itertools.groupby(range(len(self._moments)), lambda at: self._moments[at].provisional):
            if provisional:
                stretch = list(run)
                left = max(frame.left(), self._x(stretch[0], frame) - half)
                right = min(frame.right(), self._x(stretch[-1], frame) + half)
                draw_hatched(painter, QRectF(left, frame.bottom() + 6, max(3.0, right - left), 5))

    def _line(self, painter: QPainter, frame: QRectF, number: int) -> list[QPointF]:
        """One hypothesis; the points it goes through."""
        ink = theme.tokens()
        name = self._names[number]
        strong = name in self._strong
        colour = QColor(ink.accent if strong else ink.muted)
        styles = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine)
        pen = QPen(colour, 2.4 if strong else 1.4, styles[number % len(styles)])
        pieces: list[list[QPointF]] = [[]]
        for at, moment in enumerate(self._moments):
            rank = self._place(moment, name)
            if rank is None:
                if pieces[-1]:
                    pieces.append([])
                continue
            pieces[-1].append(QPointF(self._x(at, frame), self._y(rank, frame)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for piece in pieces:
            painter.setPen(pen)
            painter.drawPolyline(QPolygonF(piece))
        points = [point for piece in pieces for point in piece]
        if not points:
            return []
        marks = points if len(self._moments) <= 24 else [points[0], points[-1]]
        painter.setPen(QPen(colour, 1.4))
        painter.setBrush(colour if number % 2 == 0 else QColor(ink.surface))
        for point in marks:
            painter.drawEllipse(point, 2.6, 2.6)
        return points

    def _names_at(self, painter: QPainter, points: Sequence[tuple[QPointF, int]], *, left: bool) -> None:
        """The names at one end, moved apart where lines end side by side."""
        ink, high = theme.tokens(), theme.px(13)
        labels: list[tuple[float, QPointF, int]] = []
        for point, number in sorted(points, key=lambda item: (item[0].y(), item[1])):
            above = labels[-1][0] + high if labels else point.y()
            labels.append((max(point.y(), above), point, number))
        beyond = max(0.0, labels[-1][0] + high / 2 - self._frame().bottom() - 8) if labels else 0.0
        labels = [(y - beyond, point, number) for y, point, number in labels]
        for y, point, number in labels:
            name = self._names[number]
            strong = name in self._strong
            painter.setFont(theme.sans(theme.SMALL, bold=strong))
            painter.setPen(QColor(ink.text if strong else ink.muted))
            metrics = QFontMetrics(painter.font())
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, 64)
            wide = metrics.horizontalAdvance(text) + 2
            x = point.x() - wide - 6 if left else point.x() + 6
            painter.drawText(QRectF(x, y - high / 2, wide, high), _LEFT, text)

    # --- keys and mouse ---

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Left: self._at - 1,
            Qt.Key.Key_Right: self._at + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: len(self._moments) - 1,
        }
        to = steps.get(Qt.Key(event.key()))
        if to is None:
            super().keyPressEvent(event)
        else:
            self.go_to(to)

    def _nearest(self, x: float) -> int:
        frame = self._frame()
        return min(range(len(self._moments)), key=lambda at: abs(self._x(at, frame) - x), default=-1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._moments:
            self.go_to(self._nearest(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._moments and event.buttons() & Qt.MouseButton.LeftButton:
            self.go_to(self._nearest(event.position().x()))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and self._moments:
            self.setToolTip(
                tooltip(self._moments[self._nearest(self.mapFromGlobal(self.cursor().pos()).x())].description)
            )
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()
