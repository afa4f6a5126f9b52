"""A tornado: how far one figure swings with each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from gui_app.shared import theme
from gui_app.shared.charts import ROW, SIDE, ChartDelegate, ChartList
from gui_app.shared.layout import vbox
from gui_app.shared.row_painting import LEFT, RIGHT


@dataclass(frozen=True, slots=True)
class Swing:
    """One row of a tornado: where the figure goes ``if_removed``, and ``if_flipped`` to its opposite."""

    name: str
    if_removed: float
    if_flipped: float
    description: str
    target: Any = None


class Tornado(QWidget):
    """The swings of one figure (a lead) when a row is removed (filled) or turned to its opposite (outlined).

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
        column = vbox(self, spacing=0)
        column.addWidget(self.axis)
        column.addWidget(self.rows, 1)

    def show_swings(self, base: float, swings: Sequence[Swing]) -> None:
        """Show how far the figure ``base`` swings with each row."""
        values = [0.0, base, *(value for swing in swings for value in (swing.if_removed, swing.if_flipped))]
        self.base, self.low, self.high = base, min(values), max(values)
        if self.high - self.low < 1e-9:
            self.low, self.high = self.low - 0.5, self.high + 0.5
        self.axis.setAccessibleDescription(f"Now {base:.2f}; below 0 the lead is lost")
        self.rows.show_swings(swings)
        self.axis.update()

    def as_text(self) -> str:
        """Return the chart's data, a line a row."""
        return self.rows.as_text()

    def x_of(self, value: float, left: float, width: float) -> float:
        """Return where a figure lies in the part that bars are drawn in."""
        return left + width * (value - self.low) / (self.high - self.low)

    def room(self, inner: QRect) -> tuple[float, float]:
        """Return the left edge and the width of the part of a row that bars are drawn in."""
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
            half_width = metrics.horizontalAdvance(text) / 2
            middle = chart.x_of(value, left, wide)
            middle = max(inner.left() + half_width, min(inner.right() - half_width, middle))
            if any(middle - half_width < end + 6 and middle + half_width > start - 6 for start, end in spans):
                continue
            spans.append((middle - half_width, middle + half_width))
            painter.setPen(QColor(ink.muted))
            box = QRectF(middle - half_width, 0, 2 * half_width + 1, self.height() - 4)
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
        return [self.item(row).data(ROW) for row in range(self.count())]


class _SwingDelegate(ChartDelegate):
    def __init__(self, parent: _Swings) -> None:
        super().__init__(parent)
        self._list = parent

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        swing: Swing = index.data(ROW)
        ink, chart = theme.tokens(), self._list.chart
        painter.save()
        inner = self._ground(painter, option)
        left, wide = chart.room(inner)
        painter.setFont(theme.sans())
        painter.setPen(QColor(ink.text))
        name = QRect(inner.left(), inner.top(), round(left) - inner.left() - 6, inner.height())
        label = QFontMetrics(painter.font()).elidedText(swing.name, Qt.TextElideMode.ElideRight, name.width())
        painter.drawText(name, LEFT, label)
        worst = min(swing.if_removed, swing.if_flipped)
        is_lost = worst < -1e-9 or (worst < 1e-9 and chart.base > 1e-9)
        painter.setFont(theme.sans(bold=is_lost))
        painter.drawText(inner, RIGHT, figure(worst))
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
        """Draw one bar, what lies left of zero in the other tone."""
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


def figure(value: float) -> str:
    """Word a difference as it is in a chart: two digits and a real minus sign."""
    text = f"{value:.2f}"
    if float(text) == 0:
        return "0.00"
    return text.replace("-", "−")
