"""Small charts drawn by the program itself: bars here, scores rule by rule, a tornado and ranks over time beside it.

A chart never says anything by colour alone: every bar and line has its name and its figure beside it, and every chart
has the same data as text (its accessible description, and ``as_text``). Rows that lead somewhere are items of a list,
so that arrow keys, Enter and screen readers work as in any other list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui_app.shared import theme
from gui_app.shared.labels import tooltip
from gui_app.shared.row_painting import LEFT, RIGHT, draw_ground

Tone = Literal["accent", "contradicts", "neutral", "ambiguous", "supports"]
SIDE = 16  # pixels at the left and right, as in every list of the panel
ROW = int(Qt.ItemDataRole.UserRole)


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar.

    ``value`` is 0 or more (None: not known), ``figure`` what is at its right, ``description`` the same in words.
    ``unrated_share`` is the share 0..1 of what it rests on that nobody has rated. ``mark`` is a tick on the scale, for
    a second figure to compare with. ``heading`` rows have a name and no bar.
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


class ChartRow(Protocol):
    """A row of a chart: its name, what is read out, and where it leads."""

    @property
    def name(self) -> str:
        """Return the words at its left."""

    @property
    def description(self) -> str:
        """Return the whole row in words."""

    @property
    def target(self) -> Any:
        """Return where a click leads; None for nowhere."""


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

    def _put(self, rows: Sequence[ChartRow]) -> None:
        number = self.currentRow()
        self.clear()
        for row in rows:
            item = QListWidgetItem(row.name)
            item.setData(ROW, row)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, row.description)
            item.setToolTip(tooltip(row.description))
            if row.target is None:
                item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsSelectable)
            self.addItem(item)
        if 0 <= number < self.count():
            self.setCurrentRow(number)

    def as_text(self) -> str:
        """Return the chart's data, a line a row."""
        return "\n".join(self.item(row).data(ROW).description for row in range(self.count()))

    def _choose(self, item: QListWidgetItem) -> None:
        target = item.data(ROW).target
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
        """Show the bars; ``most`` is what the longest possible one stands for, else the largest value."""
        self.most = most or max((bar.value for bar in bars if bar.value is not None), default=0.0) or 1.0
        self._put(bars)
        self._measure()

    def bars(self) -> list[Bar]:
        """List the bars on show."""
        return [self.item(row).data(ROW) for row in range(self.count())]

    def _measure(self) -> None:
        bold = QFontMetrics(theme.sans(bold=True))
        rows = [bar for bar in self.bars() if not bar.heading]
        self.name_width = max((bold.horizontalAdvance(bar.name) for bar in rows), default=0) + 4
        self.figure_width = max((bold.horizontalAdvance(bar.figure) for bar in rows), default=0)


class ChartDelegate(QStyledItemDelegate):
    """The ground of a row of a chart, as it is selected, focused or under the pointer."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the height of one line of text with a little air."""
        return QSize(80, theme.px(18) + 8 + theme.air())

    def _ground(self, painter: QPainter, option: QStyleOptionViewItem) -> QRect:
        draw_ground(painter, option)
        return QRect(option.rect.adjusted(SIDE, 0, -SIDE, 0))


class _BarDelegate(ChartDelegate):
    def __init__(self, parent: BarList) -> None:
        super().__init__(parent)
        self._list = parent

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        bar: Bar = index.data(ROW)
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
        # In little room the name is worth more than the length of the bar: the figure is beside it.
        widest = max(inner.width() // 2, inner.width() - self._list.figure_width - 16 - theme.px(32))
        name_width = min(self._list.name_width, widest if inner.width() < theme.px(240) else inner.width() // 2)
        name = QFontMetrics(painter.font()).elidedText(bar.name, self._list.elide, name_width)
        painter.drawText(QRect(inner.left(), inner.top(), name_width, inner.height()), LEFT, name)
        if bar.value is None:
            painter.setPen(QColor(ink.muted))
        painter.drawText(inner, RIGHT, bar.figure)
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
    """Draw a bar of ``share`` 0..1 of ``box`` on its track; only the track when there is no figure.

    Of the track the share ``unrated_share`` 0..1 at its right is hatched, and the bar keeps to the rest.
    """
    ink = theme.tokens()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    if unrated_share > 0:
        track, box = box, QRectF(box.left(), box.top(), box.width() * max(0.0, 1 - unrated_share), box.height())
        draw_hatched(painter, QRectF(box.right(), track.top(), track.right() - box.right(), track.height()))
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
    """Outline and hatch what is not known yet."""
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
