"""Ranks over time, one line a hypothesis."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.charts import draw_hatched
from gui_app.shared.labels import tooltip
from gui_app.shared.row_painting import LEFT, RIGHT


@dataclass(frozen=True, slots=True)
class Moment:
    """One point in time: who was where.

    ``ranks`` has no entry for what could not be ranked; they are ``provisional`` while the hypotheses are rated on
    different rows.
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
        self._moment = -1
        self._empty = "Nothing is rated yet"
        self.setAccessibleName("Ranking of the hypotheses over time")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme.changed.connect(self.update)

    def show_moments(self, moments: Sequence[Moment], names: Sequence[str], *, strong: Sequence[str] = ()) -> None:
        """Show the ranks of ``names`` at these moments, ``strong`` ones (the leaders) in the accent."""
        last = self._moment == len(self._moments) - 1
        self._moments, self._names, self._strong = tuple(moments), tuple(names), frozenset(strong)
        self._moment = len(self._moments) - 1 if last or self._moment >= len(self._moments) else self._moment
        self._tell()
        self.updateGeometry()
        self.update()

    def say_empty(self, words: str) -> None:
        """Show why there are no lines, in their place."""
        self._empty = words
        self._tell()
        self.update()

    def as_text(self) -> str:
        """Return the chart's data, a line a moment."""
        return "\n".join(moment.description for moment in self._moments)

    def current(self) -> int:
        """Return which moment is looked at, -1 for none."""
        return self._moment

    def go_to(self, index: int) -> None:
        """Go to a moment, and read it out."""
        index = max(0, min(len(self._moments) - 1, index))
        if index == self._moment or not self._moments:
            return
        self._moment = index
        self._tell()
        announce(self, self._moments[index].description)
        self.update()
        self.moved.emit(index)

    def _tell(self) -> None:
        description = self._moments[self._moment].description if 0 <= self._moment < len(self._moments) else self._empty
        self.setAccessibleDescription(description)

    def sizeHint(self) -> QSize:
        """Return a size with room for every line."""
        return QSize(240, self.minimumSizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return a size in which up to twelve lines can be told apart."""
        return QSize(160, max(96, min(12, max(2, len(self._names))) * theme.px(24) + 32))

    # --- geometry ---

    def _frame(self) -> QRectF:
        metrics = QFontMetrics(theme.sans(theme.SMALL, bold=True))
        name_width = min(64, max((metrics.horizontalAdvance(name) for name in self._names), default=0)) + 8
        width, height = self.width() - 2 * name_width, self.height() - 32 - theme.px(14)
        return QRectF(name_width, 16, max(16.0, width), max(16.0, height))

    def _x(self, index: int, frame: QRectF) -> float:
        count = len(self._moments)
        return frame.center().x() if count < 2 else frame.left() + frame.width() * index / (count - 1)

    def _y(self, rank: float, frame: QRectF) -> float:
        count = max(2, len(self._names))
        return frame.top() + frame.height() * (rank - 1) / (count - 1)

    def _place(self, moment: Moment, name: str) -> float | None:
        """Return the rank, moved a little so that tied lines do not hide each other."""
        rank = moment.ranks.get(name)
        if rank is None:
            return None
        ties = [name for name in self._names if moment.ranks.get(name) == rank]
        return rank + (ties.index(name) - (len(ties) - 1) / 2) * min(0.22, 0.8 / len(ties))

    # --- drawing ---

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the lines with their names, the moment that is looked at, and the dates at both ends."""
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
        x = self._x(self._moment, frame)
        painter.setPen(QPen(QColor(ink.strong_line), 1))
        painter.drawLine(QPointF(x, frame.top() - 8), QPointF(x, frame.bottom() + 6))
        order = sorted(range(len(self._names)), key=lambda index: self._names[index] in self._strong)
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
        painter.drawText(foot, LEFT, first)
        if len(self._moments) > 1:
            painter.drawText(foot, RIGHT, last)
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(QColor(ink.focus))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _hatch(self, painter: QPainter, frame: QRectF) -> None:
        """Hatch a band along the foot below the moments whose ranks are provisional."""
        half_step = frame.width() / max(1, len(self._moments) - 1) / 2
        for provisional, run in itertools.groupby(
            range(len(self._moments)), lambda index: self._moments[index].provisional
        ):
            if provisional:
                stretch = list(run)
                left = max(frame.left(), self._x(stretch[0], frame) - half_step)
                right = min(frame.right(), self._x(stretch[-1], frame) + half_step)
                draw_hatched(painter, QRectF(left, frame.bottom() + 6, max(3.0, right - left), 5))

    def _line(self, painter: QPainter, frame: QRectF, number: int) -> list[QPointF]:
        """Draw one hypothesis, and return the points it goes through."""
        ink = theme.tokens()
        name = self._names[number]
        strong = name in self._strong
        colour = QColor(ink.accent if strong else ink.muted)
        styles = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine)
        pen = QPen(colour, 2.4 if strong else 1.4, styles[number % len(styles)])
        pieces: list[list[QPointF]] = [[]]
        for index, moment in enumerate(self._moments):
            rank = self._place(moment, name)
            if rank is None:
                if pieces[-1]:
                    pieces.append([])
                continue
            pieces[-1].append(QPointF(self._x(index, frame), self._y(rank, frame)))
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
        """Draw the names at one end, moved apart where lines end side by side."""
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
            painter.drawText(QRectF(x, y - high / 2, wide, high), LEFT, text)

    # --- keys and mouse ---

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to another moment by Left, Right, Home and End."""
        steps = {
            Qt.Key.Key_Left: self._moment - 1,
            Qt.Key.Key_Right: self._moment + 1,
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
        return min(range(len(self._moments)), key=lambda index: abs(self._x(index, frame) - x), default=-1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the moment nearest to the pointer."""
        if self._moments:
            self.go_to(self._nearest(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the pointer from moment to moment while the button is held."""
        if self._moments and event.buttons() & Qt.MouseButton.LeftButton:
            self.go_to(self._nearest(event.position().x()))

    def event(self, event: QEvent) -> bool:
        """Explain the moment under the pointer in the tool tip."""
        if event.type() == QEvent.Type.ToolTip and self._moments:
            self.setToolTip(
                tooltip(self._moments[self._nearest(self.mapFromGlobal(self.cursor().pos()).x())].description)
            )
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the frame of the focus."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the frame of the focus away."""
        super().focusOutEvent(event)
        self.update()


def short_labels(first: str, last: str) -> tuple[str, str]:
    """Shorten two labels: '2026-11-21 08:39' to its time within a day, else to its date."""
    first_words, last_words = first.partition(" "), last.partition(" ")
    return (first_words[2], last_words[2]) if first_words[0] == last_words[0] else (first_words[0], last_words[0])
