"""A timeline drawn by hand: days (times, from near) as dots, longer stretches as bars, what is in doubt hatched.

It is zoomed and panned with wheel and keys; a range is picked by drawing over it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from gui_app.search.time_axis import TimeAxis
from gui_app.search.timeline_model import TimeMark, day_words
from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.labels import tooltip

DAYS, LONGER, DOCUMENTS, EVIDENCE = range(4)
_ROWS = {LONGER: 5, DOCUMENTS: 3, EVIDENCE: 3}  # rows of each lane but the first, which takes what is left
_DOT, _STEP = 6, 8  # pixels of a dot and from one to the next
_ROOM = 16  # pixels at the right
_KEYS = ("+", "-", "=", "0", "[", "]")


@dataclass(slots=True)
class Shape:
    """A shape that is drawn for ``marks``, given by their places in the lane's list."""

    lane: int
    box: QRectF
    marks: list[int]
    bar: bool


class Timeline(QWidget):
    """The axis with its lanes.

    ``picked(place)`` when a mark of the texts is chosen, ``opened(lane, place)`` on Enter or a double click,
    ``ranged(first, last)`` when days are picked; (0, 0) when no longer.
    """

    picked = Signal(int)
    opened = Signal(int, int)
    ranged = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Timeline")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumHeight(theme.px(210))
        self._texts: tuple[TimeMark, ...] = ()
        self.lanes: list[list[TimeMark]] = [[], [], [], []]
        self._place: list[list[int]] = [[], [], [], []]  # of each mark of a lane, in the list of the texts
        self.current = -1
        self.axis = TimeAxis()
        self.range: tuple[int, int] | None = None
        self.hours: tuple[float, float] | None = None  # of the range, where times of day were told apart
        self._shapes: list[Shape] = []
        self._over: list[tuple[QPointF, int]] = []  # where a column is full, and how many more there are
        self._more: list[tuple[QPointF, int]] = []  # the same in the lanes below, beside the last dot
        self._press_x: float | None = None
        self._is_drag = False
        theme.changed.connect(self._lay_out)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_marks(
        self, marks: Sequence[TimeMark], documents: Sequence[TimeMark], evidence: Sequence[TimeMark], *, keep: bool
    ) -> None:
        """Show the dates of texts, documents and rows; ``keep`` the stretch on show."""
        self._texts = tuple(marks)
        self.lanes = [[], [], list(documents), list(evidence)]
        self._place = [[], [], list(range(len(documents))), list(range(len(evidence)))]
        self.current = -1
        every = [*marks, *documents, *evidence]
        self.axis.show_marks(every, keep=keep)
        self.setAccessibleDescription(
            f"{len(every)} dates from {day_words(min(m.first for m in every))} "
            f"to {day_words(max(m.last for m in every))}"
            if every
            else "No dates"
        )
        self._lay_out()

    def outside(self) -> tuple[int, int]:
        """Count the dates before what is on show, and those after it."""
        every = [mark for lane in self.lanes for mark in lane]
        spans = [(mark.begin(), mark.moments()[-1] if mark.minutes else mark.last + 1) for mark in every]
        return sum(end < self.axis.begin for _, end in spans), sum(begin > self.axis.end for begin, _ in spans)

    def _outside_words(self) -> str:
        earlier, later = self.outside()
        if earlier and later:
            return f"‹ {earlier:,}   {later:,} ›"
        if later:
            return f"{later:,} later ›"
        return f"‹ {earlier:,} earlier" if earlier else ""

    def _outside_box(self) -> QRect:
        return QRect(12, self.height() - theme.px(26), round(self._left()) - 12, theme.px(24))

    def show_whole(self) -> None:
        """Show all dates."""
        self.axis.show_whole()
        self._lay_out()

    def zoom(self, factor: float, around: float | None = None) -> None:
        """Show less where ``factor`` is over 1; ``around`` is the day that stays where it is.

        Without one it is the selected date, or the median of the dates on show: so that what is on show is never empty.
        """
        self.axis.zoom(factor, self._middle() if around is None else around)
        self._lay_out()

    def pan(self, share: float) -> None:
        """Move the stretch on show by a share of its width."""
        self.axis.pan(share)
        self._lay_out()

    def select(self, place: int, *, tell: bool = True) -> None:
        """Select one date of the texts and bring it into sight."""
        self.current = place
        mark = self._mark(place)
        if mark is None:
            self.update()
            return
        if self.axis.bring(mark.moments()[0]):
            self._lay_out()
        if tell:
            announce(self, mark.description)
        self.update()

    def _mark(self, place: int) -> TimeMark | None:
        for lane in (DAYS, LONGER):
            index = bisect_left(self._place[lane], place)
            if index < len(self._place[lane]) and self._place[lane][index] == place:
                return self.lanes[lane][index]
        return None

    def set_range(self, first: int, last: int) -> None:
        """Pick the days from one to another, both included."""
        self.range, self.hours = (min(first, last), max(first, last)), None
        self.ranged.emit(*self.range)
        self.update()

    def set_hours(self, begin: float, end: float) -> None:
        """Pick what lies between two moments, in days."""
        self.hours = (min(begin, end), max(begin, end))
        self.range = (int(self.hours[0]), int(self.hours[1]))
        self.ranged.emit(*self.range)
        self.update()

    def clear_range(self) -> None:
        """Pick no days."""
        if self.range is not None:
            self.range = self.hours = None
            self.ranged.emit(0, 0)
            self.update()

    # --- where it goes -----------------------------------------------------------------------------------------------

    def _left(self) -> float:
        metrics = QFontMetrics(theme.sans(theme.SMALL))
        return max(metrics.horizontalAdvance(name) for name in self._names()) + 24.0

    def _names(self) -> tuple[str, ...]:
        upper = ("Times", "Days, months") if self.axis.has_hours() else ("Days", "Months, years")
        return *upper, "Documents", "Evidence"

    def x_of(self, day: float) -> float:
        """Return where a day begins, in pixels."""
        return self._left() + (day - self.axis.begin) / self.axis.width() * self._axis_room()

    def day_at(self, x: float) -> float:
        """Return the day at a place, in pixels."""
        return self.axis.begin + (x - self._left()) / self._axis_room() * self.axis.width()

    def _axis_room(self) -> float:
        return max(1.0, self.width() - self._left() - _ROOM)

    def _boxes(self) -> dict[int, QRect]:
        """Return the lanes that have something, from top to bottom, above the axis."""
        bottom = self.height() - theme.px(26)
        boxes = {}
        for lane in (EVIDENCE, DOCUMENTS, LONGER):
            if self.lanes[lane]:
                high = _ROWS[lane] * _STEP + 12
                boxes[lane] = QRect(0, bottom - high, self.width(), high)
                bottom -= high
        boxes[DAYS] = QRect(0, 0, self.width(), max(_STEP * 3, bottom))
        return boxes

    def _part_lanes(self) -> None:
        """Part the dates of the texts: what is a bar at this zoom lies below what is a dot."""
        for lane in (DAYS, LONGER):
            self._place[lane] = [
                index for index, mark in enumerate(self._texts) if self._is_bar(mark) == (lane == LONGER)
            ]
            self.lanes[lane] = [self._texts[index] for index in self._place[lane]]

    def _is_bar(self, mark: TimeMark) -> bool:
        return mark.long or (self.axis.has_hours() and not mark.minutes and not mark.days)

    def _lay_out(self) -> None:
        self._part_lanes()
        self._shapes, self._over, self._more = [], [], []
        for lane, box in self._boxes().items():
            if lane == LONGER:
                self._lay_bars(lane, box)
            else:
                self._lay_dots(lane, box)
        self.update()

    def _lay_dots(self, lane: int, box: QRect) -> None:
        """Put dots on each other where several fall on one place, and count what is too much for the lane."""
        left, per_day = self._left(), self._axis_room() / self.axis.width()
        columns: dict[int, list[int]] = {}
        for index, mark in enumerate(self.lanes[lane]):
            for moment in mark.moments():
                if self.axis.begin - 1 <= moment <= self.axis.end + 1:
                    columns.setdefault(int((moment - self.axis.begin) * per_day) // _STEP, []).append(index)
        head = theme.px(18) if lane == DAYS else 8  # above the days stands how many more there are
        capacity = max(1, (box.height() - 6 - head) // _STEP)
        for column, marks in columns.items():
            x = left + column * _STEP
            if x < left - _STEP or x > self.width() - _ROOM + _STEP:
                continue
            visible = marks if len(marks) <= capacity else marks[: capacity - 1]
            for row, index in enumerate(visible):
                y = box.bottom() - 6 - (row + 1) * _STEP + 1
                self._shapes.append(Shape(lane, QRectF(x + 1, y, _DOT, _DOT), [index], bar=False))
            if len(visible) < len(marks):
                y = box.bottom() - 6 - (len(visible) + 1) * _STEP + 1
                self._shapes.append(Shape(lane, QRectF(x + 1, y, _DOT, _DOT), marks[len(visible) :], bar=False))
                hidden = len(marks) - len(visible)
                if lane == DAYS:
                    self._over.append((QPointF(x + _STEP / 2, y - 2), hidden))
                elif hidden > 1:
                    self._more.append((QPointF(x + _STEP + 3, y + _DOT), hidden - 1))

    def _lay_bars(self, lane: int, box: QRect) -> None:
        """Make one bar of those of the same stretch; place the shorter ones first."""
        alike: dict[tuple[int, int, bool], list[int]] = {}
        for index, mark in enumerate(self.lanes[lane]):
            if mark.last + 1 >= self.axis.begin and mark.first <= self.axis.end:
                alike.setdefault((mark.first, mark.last, bool(mark.doubt)), []).append(index)
        rows = _ROWS[lane]
        row_spans: list[list[tuple[float, float]]] = [[] for _ in range(rows)]
        left, right = self._left(), float(self.width() - _ROOM)
        for (first, last, _), marks in sorted(alike.items(), key=lambda item: (item[0][1] - item[0][0], item[0])):
            begins, ends = max(left, self.x_of(first)), min(right, max(self.x_of(last + 1), self.x_of(first) + 4))
            if ends <= begins:
                continue
            row = next(
                (r for r in range(rows) if all(e + 1 <= begins or b >= ends + 1 for b, e in row_spans[r])), rows - 1
            )
            row_spans[row].append((begins, ends))
            y = box.top() + 6 + row * _STEP
            self._shapes.append(Shape(lane, QRectF(begins, y + 1, ends - begins, _DOT), marks, bar=True))

    # --- painting ----------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the axis, the lanes, and the range that is picked."""
        ink = theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(ink.surface))
        boxes = self._boxes()
        left = self._left()
        self._paint_axis(painter, boxes, left)
        if self.range is not None:
            first, end = self.hours or (self.range[0], self.range[1] + 1)
            begins, ends = self.x_of(first), self.x_of(end)
            shade = QColor(ink.selection)
            shade.setAlpha(150)
            area = QRectF(max(left, begins), 0, max(1.0, ends - max(left, begins)), self.height() - theme.px(26))
            painter.fillRect(area, shade)
            painter.setPen(QPen(QColor(ink.accent), 1))
            for x in (begins, ends):
                if x >= left:
                    painter.drawLine(QPointF(x, 0), QPointF(x, area.bottom()))
        names = self._names()
        for lane, box in boxes.items():
            painter.setFont(theme.sans(theme.SMALL))
            painter.setPen(QColor(ink.muted))
            label = box.adjusted(12, 4, 0, -6)
            upright = Qt.AlignmentFlag.AlignBottom if lane == DAYS else Qt.AlignmentFlag.AlignVCenter
            painter.drawText(label, int(Qt.AlignmentFlag.AlignLeft | upright), names[lane])
            painter.setPen(QColor(ink.line))
            painter.drawLine(QPointF(left, box.bottom()), QPointF(self.width() - _ROOM, box.bottom()))
        painter.setPen(QColor(ink.accent))
        middle = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(self._outside_box(), middle, self._outside_words())
        painter.setClipRect(QRectF(left - _STEP, 0, self.width() - left - _ROOM + 2 * _STEP, self.height()))
        selected = []
        for shape in self._shapes:
            draw_shape(painter, shape, [self.lanes[shape.lane][index] for index in shape.marks])
            if shape.lane in (DAYS, LONGER) and any(
                self._place[shape.lane][index] == self.current for index in shape.marks
            ):
                selected.append(shape)
        painter.setFont(theme.sans(theme.SMALL))
        painter.setPen(QColor(ink.muted))
        for begins, ends, more in self._too_many(painter.fontMetrics()):
            words = f"+{more:,}"
            wide = painter.fontMetrics().horizontalAdvance(words)
            high = painter.fontMetrics().ascent() + 2
            painter.drawText(QPointF((begins + ends - wide) / 2, high), words)
            if ends - begins > _STEP:  # over which columns the number counts
                painter.drawLine(QPointF(begins, high + 3), QPointF(ends, high + 3))
        for place, more in self._more:
            painter.drawText(place, f"+{more:,}")
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(ink.text), 2))
        for shape in selected:
            painter.drawRoundedRect(shape.box.adjusted(-3, -3, 3, 3), 4, 4)
        painter.setClipping(False)
        if self.hasFocus():
            painter.setPen(QPen(QColor(ink.focus), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _too_many(self, metrics: QFontMetrics) -> list[tuple[float, float, int]]:
        """Return (begin, end, how many more) of columns that are full.

        Neighbours whose numbers would not fit beside each other are counted together.
        """
        groups: list[tuple[float, float, int]] = []
        for place, more in sorted(self._over, key=lambda entry: entry[0].x()):
            begins, ends = place.x() - _STEP / 2, place.x() + _STEP / 2
            if groups:
                first, last, sum_ = groups[-1]
                room = (metrics.horizontalAdvance(f"+{sum_:,}") + metrics.horizontalAdvance(f"+{more:,}")) / 2 + 8
                if (begins + ends) / 2 - (first + last) / 2 < room or begins - last < 1:
                    groups[-1] = (first, ends, sum_ + more)
                    continue
            groups.append((begins, ends, more))
        return groups

    def _paint_axis(self, painter: QPainter, boxes: dict[int, QRect], left: float) -> None:
        ink = theme.tokens()
        right = self.width() - _ROOM
        top = self.height() - theme.px(26)
        painter.setFont(theme.sans(theme.SMALL))
        metrics = painter.fontMetrics()
        free = 0.0
        for day, words, strong in self.axis.ticks(self._axis_room()):
            x = self.x_of(day)
            if not left <= x <= right:
                continue
            painter.setPen(QPen(QColor(ink.line if not strong else ink.strong_line), 1))
            painter.drawLine(QPointF(x, 0 if strong else 4), QPointF(x, top))
            wide = metrics.horizontalAdvance(words)
            if x + 2 >= free and x + wide <= self.width():
                painter.setPen(QColor(ink.text if strong else ink.muted))
                painter.drawText(QRectF(x + 3, top, wide + 4, theme.px(24)), int(Qt.AlignmentFlag.AlignVCenter), words)
                free = x + wide + 12

    # --- pointer and keys --------------------------------------------------------------------------------------------

    def at(self, point: QPointF) -> Shape | None:
        """Return the shape at a point, or a hair beside it."""
        hits = [shape for shape in self._shapes if shape.box.adjusted(-2, -2, 2, 2).contains(point)]
        return hits[-1] if hits else None

    def event(self, event: QEvent) -> bool:
        """Describe the shape under the pointer, and keep the keys of the timeline for it."""
        if isinstance(event, QHelpEvent) and self._over_outside(QPointF(event.pos())):
            words = "Dates before or after the period shown. A click, or 0, shows the whole period."
            QToolTip.showText(event.globalPos(), tooltip(words), self)
            return True
        if isinstance(event, QHelpEvent):
            shape = self.at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), tooltip(self.description(shape)) if shape is not None else "", self)
            return True
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and (event.text() in _KEYS or event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter))
        ):
            event.accept()  # its keys belong to it while it has the focus, whatever commands are around it
            return True
        return super().event(event)

    def _over_outside(self, point: QPointF) -> bool:
        return bool(self._outside_words()) and self._outside_box().contains(point.toPoint())

    def description(self, shape: Shape) -> str:
        """Describe a shape: up to five dates, with their doubts."""
        lines = [self.lanes[shape.lane][index].description for index in shape.marks[:5]]
        more = len(shape.marks) - len(lines)
        return "\n".join([*lines, *([f"and {more} more"] if more else [])])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to pick a range."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._press_x, self._is_drag = event.position().x(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Widen the range that is being picked, or show what can be clicked."""
        x = event.position().x()
        if self._press_x is None:
            over = self.at(event.position()) is not None or self._over_outside(event.position())
            self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)
            return
        if not self._is_drag and abs(x - self._press_x) < 5:
            return
        self._is_drag = True
        days = sorted((self.day_at(self._press_x), self.day_at(x)))
        self.range = (int(days[0]), int(days[1]))
        self.hours = (days[0], days[1]) if self.axis.has_hours() else None
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Pick the range, or the date that was clicked."""
        if event.button() != Qt.MouseButton.LeftButton or self._press_x is None:
            return
        self._press_x = None
        if self._is_drag and self.range is not None:
            self.ranged.emit(*self.range)
            return
        shape = self.at(event.position())
        if shape is None and self._over_outside(event.position()):
            self.show_whole()
        elif shape is None:
            self.clear_range()
        elif shape.lane in (DAYS, LONGER):
            places = [self._place[shape.lane][index] for index in shape.marks]
            # Of several in one bar, a further click chooses the next.
            index = places.index(self.current) + 1 if self.current in places else 0
            self.select(places[index % len(places)])
            self.picked.emit(self.current)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the date at the pointer."""
        shape = self.at(event.position())
        if shape is not None:
            self.opened.emit(shape.lane, self._place[shape.lane][shape.marks[0]])

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the pointer; pan with Shift."""
        angle = event.angleDelta()
        if angle.x() or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.pan(-(angle.x() or angle.y()) / 1200)
        elif angle.y():
            self.zoom(1.25 ** (angle.y() / 120), self.day_at(event.position().x()))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go through the dates, zoom, pan, and pick a range."""
        key, modifiers = event.key(), event.modifiers()
        steps = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}
        if key in steps and modifiers & Qt.KeyboardModifier.ControlModifier:
            self.pan(0.25 * steps[Qt.Key(key)])
        elif key in steps:
            self._step(steps[Qt.Key(key)])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(1.5)
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / 1.5)
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_0):
            self.show_whole()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current >= 0:
            self.opened.emit(DAYS, self.current)
        elif event.text() in ("[", "]") and (mark := self._mark(self.current)) is not None:
            self._pick_from(mark, is_begin=event.text() == "[")
        elif key == Qt.Key.Key_Escape and self.range is not None:
            self.clear_range()
        else:
            super().keyPressEvent(event)

    def _pick_from(self, mark: TimeMark, *, is_begin: bool) -> None:
        """Begin or end the range at a date."""
        if mark.minutes and self.axis.has_hours():
            moment = mark.moments()[0]
            begin, end = self.hours or (moment, moment)
            self.set_hours(*((moment, max(moment, end)) if is_begin else (min(moment, begin), moment)))
            return
        first, last = self.range or (mark.first, mark.last)
        self.set_range(*((mark.first, max(mark.last, last)) if is_begin else (min(mark.first, first), mark.last)))

    def _middle(self) -> float | None:
        mark = self._mark(self.current)
        if mark is not None:
            return mark.moments()[0]
        days = sorted(mark.moments()[0] for lane in self.lanes for mark in lane)
        visible = [day for day in days if self.axis.begin <= day <= self.axis.end]
        return visible[len(visible) // 2] if visible else None

    def _step(self, steps: int) -> None:
        """Go to the next date of the texts, in order of time."""
        count = len(self.lanes[DAYS]) + len(self.lanes[LONGER])
        if count:
            index = max(0, min(count - 1, self.current + steps)) if self.current >= 0 else 0
            self.select(index)
            self.picked.emit(index)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay everything out for another width."""
        super().resizeEvent(event)
        self._lay_out()


def draw_shape(painter: QPainter, shape: Shape, marks: Sequence[TimeMark]) -> None:
    """Paint a dot, a bar, or a diamond for what is quoted in the matrix; hatched where all of it is in doubt."""
    ink = theme.tokens()
    doubt = all(mark.doubt for mark in marks)
    has_evidence = any(mark.evidence for mark in marks)
    tone = QColor(ink.accent if shape.lane in (DAYS, LONGER) else ink.neutral)
    painter.setPen(QPen(tone, 1))
    painter.setBrush(QBrush(tone, Qt.BrushStyle.BDiagPattern) if doubt else tone)
    if has_evidence:
        painter.setPen(QPen(QColor(ink.text), 1))
        painter.setBrush(QBrush(QColor(ink.text), Qt.BrushStyle.Dense4Pattern) if doubt else QColor(ink.text))
    if shape.bar:
        painter.drawRoundedRect(shape.box, 2, 2)
    elif has_evidence:
        box = shape.box.adjusted(-1, -1, 1, 1)
        middle = box.center()
        painter.drawPolygon(
            QPolygonF(
                [
                    QPointF(middle.x(), box.top()),
                    QPointF(box.right(), middle.y()),
                    QPointF(middle.x(), box.bottom()),
                    QPointF(box.left(), middle.y()),
                ]
            )
        )
    else:
        painter.drawEllipse(shape.box)
