"""A timeline drawn by hand: days as dots, months and longer as bars, what is in doubt hatched; zoomed and panned with
wheel and keys, a range picked by drawing over it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

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

from gui_app.search.timeline_model import TimeMark, day_words
from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.labels import tooltip

DAYS, LONGER, DOCUMENTS, EVIDENCE = range(4)
_ROWS = {LONGER: 5, DOCUMENTS: 3, EVIDENCE: 3}  # rows of each lane but the first, which takes what is left
_DOT, _STEP = 6, 8  # pixels of a dot and from one to the next
_NEAREST = 4.0  # days: no closer
_ROOM = 16  # pixels at the right
_KEYS = ("+", "-", "=", "0", "[", "]")
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


@dataclass(slots=True)
class Shape:
    """What is drawn: ``marks`` are the places, in their lane's list, of the marks that it stands for."""

    lane: int
    box: QRectF
    marks: list[int]
    bar: bool


class Timeline(QWidget):
    """``picked(place)`` when a mark of the texts is chosen, ``opened(lane, place)`` on Enter or a double click,
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
        self.lanes: list[list[TimeMark]] = [[], [], [], []]
        self._place: list[list[int]] = [[], [], [], []]  # of each mark of a lane, in the list of the texts
        self.current = -1
        self.begin, self.end = 0.0, 1.0
        self.range: tuple[int, int] | None = None
        self._shapes: list[Shape] = []
        self._over: list[tuple[QPointF, int]] = []  # where a column is full, and how many more there are
        self._more: list[tuple[QPointF, int]] = []  # the same in the lanes below, beside the last dot
        self._press_x: float | None = None
        self._is_drag = False
        self._span = (0.0, 1.0)
        theme.changed.connect(self._lay_out)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_marks(
        self, marks: Sequence[TimeMark], documents: Sequence[TimeMark], evidence: Sequence[TimeMark], *, keep: bool
    ) -> None:
        """Show the dates of texts, documents and rows; ``keep`` the stretch on show."""
        places = range(len(marks))
        self._place = [
            [at for at in places if not marks[at].long],
            [at for at in places if marks[at].long],
            list(range(len(documents))),
            list(range(len(evidence))),
        ]
        self.lanes = [
            [marks[at] for at in self._place[DAYS]],
            [marks[at] for at in self._place[LONGER]],
            list(documents),
            list(evidence),
        ]
        self.current = -1
        every = [mark for lane in self.lanes for mark in lane]
        self._span = _whole(every)
        if not keep or self.end - self.begin <= 1:
            self.begin, self.end = _dense(every, self._span)
        self.setAccessibleDescription(
            f"{len(every)} dates from {day_words(min(m.first for m in every))} "
            f"to {day_words(max(m.last for m in every))}"
            if every
            else "No dates"
        )
        self._lay_out()

    def outside(self) -> tuple[int, int]:
        """How many dates lie before what is on show, and after it."""
        every = [mark for lane in self.lanes for mark in lane]
        return sum(mark.last + 1 < self.begin for mark in every), sum(mark.first > self.end for mark in every)

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
        self.begin, self.end = self._span
        self._lay_out()

    def zoom(self, factor: float, around: float | None = None) -> None:
        """``factor`` over 1 shows less; ``around`` is the day that stays where it is."""
        middle = (self.begin + self.end) / 2 if around is None else around
        whole = self._span[1] - self._span[0]
        wide = min(max((self.end - self.begin) / factor, _NEAREST), whole * 1.2)
        share = (middle - self.begin) / (self.end - self.begin)
        self.begin = middle - share * wide
        self.end = self.begin + wide
        self._hold()
        self._lay_out()

    def pan(self, share: float) -> None:
        """Move the stretch on show by a share of its width."""
        by = share * (self.end - self.begin)
        self.begin, self.end = self.begin + by, self.end + by
        self._hold()
        self._lay_out()

    def _hold(self) -> None:
        """Keep something of the dates on show."""
        wide = self.end - self.begin
        low, high = self._span[0] - wide * 0.5, self._span[1] + wide * 0.5
        if self.begin < low:
            self.begin, self.end = low, low + wide
        elif self.end > high:
            self.begin, self.end = high - wide, high

    def select(self, place: int, *, tell: bool = True) -> None:
        """Mark one date of the texts as the one in hand, in sight."""
        self.current = place
        mark = self._mark(place)
        if mark is None:
            self.update()
            return
        middle = (mark.first + mark.last + 1) / 2
        if not self.begin <= middle <= self.end:
            wide = self.end - self.begin
            self.begin, self.end = middle - wide / 2, middle + wide / 2
            self._hold()
            self._lay_out()
        if tell:
            announce(self, mark.description)
        self.update()

    def _mark(self, place: int) -> TimeMark | None:
        for lane in (DAYS, LONGER):
            at = bisect_left(self._place[lane], place)
            if at < len(self._place[lane]) and self._place[lane][at] == place:
                return self.lanes[lane][at]
        return None

    def set_range(self, first: int, last: int) -> None:
        self.range = (min(first, last), max(first, last))
        self.ranged.emit(*self.range)
        self.update()

    def clear_range(self) -> None:
        if self.range is not None:
            self.range = None
            self.ranged.emit(0, 0)
            self.update()

    # --- where it goes -----------------------------------------------------------------------------------------------

    def _left(self) -> float:
        metrics = QFontMetrics(theme.sans(theme.SMALL))
        return max(metrics.horizontalAdvance(name) for name in self._names()) + 24.0

    def _names(self) -> tuple[str, ...]:
        return "Days", "Months, years", "Documents", "Evidence"

    def x_of(self, day: float) -> float:
        """Where a day begins, in pixels."""
        left = self._left()
        room = max(1.0, self.width() - left - _ROOM)
        return left + (day - self.begin) / (self.end - self.begin) * room

    def day_at(self, x: float) -> float:
        left = self._left()
        room = max(1.0, self.width() - left - _ROOM)
        return self.begin + (x - left) / room * (self.end - self.begin)

    def _boxes(self) -> dict[int, QRect]:
        """The lanes that have something, from top to bottom, above the axis."""
        bottom = self.height() - theme.px(26)
        boxes = {}
        for lane in (EVIDENCE, DOCUMENTS, LONGER):
            if self.lanes[lane]:
                high = _ROWS[lane] * _STEP + 12
                boxes[lane] = QRect(0, bottom - high, self.width(), high)
                bottom -= high
        boxes[DAYS] = QRect(0, 0, self.width(), max(_STEP * 3, bottom))
        return boxes

    def _lay_out(self) -> None:
        self._shapes, self._over, self._more = [], [], []
        for lane, box in self._boxes().items():
            if lane == LONGER:
                self._lay_bars(lane, box)
            else:
                self._lay_dots(lane, box)
        self.update()

    def _lay_dots(self, lane: int, box: QRect) -> None:
        """Dots stand on each other where several fall on one place; what is too much for the lane is counted."""
        left, room = self._left(), max(1.0, self.width() - self._left() - _ROOM)
        per_day = room / (self.end - self.begin)
        columns: dict[int, list[int]] = {}
        for at, mark in enumerate(self.lanes[lane]):
            for day in mark.days or (mark.first,) if not mark.long else ((mark.first + mark.last) / 2,):
                if self.begin - 1 <= day <= self.end:
                    columns.setdefault(int((day + 0.5 - self.begin) * per_day) // _STEP, []).append(at)
        head = theme.px(18) if lane == DAYS else 8  # above the days stands how many more there are
        most = max(1, (box.height() - 6 - head) // _STEP)
        for column, marks in columns.items():
            x = left + column * _STEP
            if x < left - _STEP or x > self.width() - _ROOM + _STEP:
                continue
            visible = marks if len(marks) <= most else marks[: most - 1]
            for row, at in enumerate(visible):
                y = box.bottom() - 6 - (row + 1) * _STEP + 1
                self._shapes.append(Shape(lane, QRectF(x + 1, y, _DOT, _DOT), [at], bar=False))
            if len(visible) < len(marks):
                y = box.bottom() - 6 - (len(visible) + 1) * _STEP + 1
                self._shapes.append(Shape(lane, QRectF(x + 1, y, _DOT, _DOT), marks[len(visible) :], bar=False))
                rest = len(marks) - len(visible)
                if lane == DAYS:
                    self._over.append((QPointF(x + _STEP / 2, y - 2), rest))
                elif rest > 1:
                    self._more.append((QPointF(x + _STEP + 3, y + _DOT), rest - 1))

    def _lay_bars(self, lane: int, box: QRect) -> None:
        """Bars of the same stretch are one bar; the shorter ones are placed first."""
        alike: dict[tuple[int, int, bool], list[int]] = {}
        for at, mark in enumerate(self.lanes[lane]):
            if mark.last + 1 >= self.begin and mark.first <= self.end:
                alike.setdefault((mark.first, mark.last, bool(mark.doubt)), []).append(at)
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
        ink = theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(ink.surface))
        boxes = self._boxes()
        left = self._left()
        self._axis(painter, boxes, left)
        if self.range is not None:
            begins, ends = self.x_of(self.range[0]), self.x_of(self.range[1] + 1)
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
        in_hand = []
        for shape in self._shapes:
            self._draw(painter, shape)
            if shape.lane in (DAYS, LONGER) and any(self._place[shape.lane][at] == self.current for at in shape.marks):
                in_hand.append(shape)
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
        for shape in in_hand:
            painter.drawRoundedRect(shape.box.adjusted(-3, -3, 3, 3), 4, 4)
        painter.setClipping(False)
        if self.hasFocus():
            painter.setPen(QPen(QColor(ink.focus), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _too_many(self, metrics: QFontMetrics) -> list[tuple[float, float, int]]:
        """(begin, end, how many more) of columns that are full; neighbours whose numbers would not fit beside each
        other are counted together.
        """
        groups: list[tuple[float, float, int]] = []
        for place, more in sorted(self._over, key=lambda one: one[0].x()):
            begins, ends = place.x() - _STEP / 2, place.x() + _STEP / 2
            if groups:
                first, last, sum_ = groups[-1]
                room = (metrics.horizontalAdvance(f"+{sum_:,}") + metrics.horizontalAdvance(f"+{more:,}")) / 2 + 8
                if (begins + ends) / 2 - (first + last) / 2 < room or begins - last < 1:
                    groups[-1] = (first, ends, sum_ + more)
                    continue
            groups.append((begins, ends, more))
        return groups

    def _draw(self, painter: QPainter, shape: Shape) -> None:
        ink = theme.tokens()
        marks = [self.lanes[shape.lane][at] for at in shape.marks]
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

    def _axis(self, painter: QPainter, boxes: dict[int, QRect], left: float) -> None:
        ink = theme.tokens()
        right = self.width() - _ROOM
        top = self.height() - theme.px(26)
        painter.setFont(theme.sans(theme.SMALL))
        metrics = painter.fontMetrics()
        free = 0.0
        for day, words, strong in self._ticks():
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

    def _ticks(self) -> Iterator[tuple[int, str, bool]]:
        """(day, words, whether a greater unit begins) so that words have room."""
        room = max(1.0, self.width() - self._left() - _ROOM)
        least = 84 * (self.end - self.begin) / room  # days between two ticks
        first = date.fromordinal(max(1, int(self.begin)))
        last = min(int(self.end) + 1, date.max.toordinal())
        if least <= 15:
            step = next(days for days in (1, 2, 5, 7, 15) if days >= least or days == 15)
            day = max(1, int(self.begin))
            while day <= last:
                on = date.fromordinal(day)
                if step == 1 or on.day == 1 or ((on.day - 1) % step == 0 and on.day + step // 2 <= 30):
                    yield day, f"{on.day} {_MONTHS[on.month - 1]} {on.year}", on.day == 1
                day += 1
            return
        months = next((count for count in (1, 2, 3, 6) if count * 30 >= least), 0)
        if months:
            year, month = first.year, (first.month - 1) // months * months + 1
            while (day := date(year, month, 1).toordinal()) <= last:
                yield day, f"{_MONTHS[month - 1]} {year}", month == 1
                month += months
                year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
            return
        years = next((count for count in (1, 2, 5, 10, 20, 50, 100, 200) if count * 365 >= least), 500)
        year = max(1, first.year // years * years)
        while year <= 9999 and (day := date(year, 1, 1).toordinal()) <= last:
            yield day, str(year), year % (10 * years) == 0
            year += years

    # --- pointer and keys --------------------------------------------------------------------------------------------

    def at(self, point: QPointF) -> Shape | None:
        """What is drawn at a point, or a hair beside it."""
        hits = [one for one in self._shapes if one.box.adjusted(-2, -2, 2, 2).contains(point)]
        return hits[-1] if hits else None

    def event(self, event: QEvent) -> bool:
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
            event.accept()  # its keys belong to it while it has the focus, whatever commands stand around it
            return True
        return super().event(event)

    def _over_outside(self, point: QPointF) -> bool:
        return bool(self._outside_words()) and self._outside_box().contains(point.toPoint())

    def description(self, shape: Shape) -> str:
        """What is said of a mark: up to five dates, with what is in doubt."""
        lines = [self.lanes[shape.lane][at].description for at in shape.marks[:5]]
        more = len(shape.marks) - len(lines)
        return "\n".join([*lines, *([f"and {more} more"] if more else [])])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._press_x, self._is_drag = event.position().x(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
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
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
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
            places = [self._place[shape.lane][at] for at in shape.marks]
            # Of several in one bar, a further click chooses the next.
            at = places.index(self.current) + 1 if self.current in places else 0
            self.select(places[at % len(places)])
            self.picked.emit(self.current)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        shape = self.at(event.position())
        if shape is not None:
            self.opened.emit(shape.lane, self._place[shape.lane][shape.marks[0]])

    def wheelEvent(self, event: QWheelEvent) -> None:
        by = event.angleDelta()
        if by.x() or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.pan(-(by.x() or by.y()) / 1200)
        elif by.y():
            self.zoom(1.25 ** (by.y() / 120), self.day_at(event.position().x()))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers = event.key(), event.modifiers()
        steps = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}
        if key in steps and modifiers & Qt.KeyboardModifier.ControlModifier:
            self.pan(0.25 * steps[Qt.Key(key)])
        elif key in steps:
            self._step(steps[Qt.Key(key)])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(1.5, self._middle())
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / 1.5, self._middle())
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_0):
            self.show_whole()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current >= 0:
            self.opened.emit(DAYS, self.current)
        elif event.text() in ("[", "]") and (mark := self._mark(self.current)) is not None:
            first, last = self.range or (mark.first, mark.last)
            if event.text() == "[":
                self.set_range(mark.first, max(mark.last, last))
            else:
                self.set_range(min(mark.first, first), mark.last)
        elif key == Qt.Key.Key_Escape and self.range is not None:
            self.clear_range()
        else:
            super().keyPressEvent(event)

    def _middle(self) -> float | None:
        mark = self._mark(self.current)
        return (mark.first + mark.last + 1) / 2 if mark is not None else None

    def _step(self, by: int) -> None:
        """The next date of the texts, in order of time."""
        count = len(self.lanes[DAYS]) + len(self.lanes[LONGER])
        if count:
            to = max(0, min(count - 1, self.current + by)) if self.current >= 0 else 0
            self.select(to)
            self.picked.emit(to)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()


def _dense(marks: Sequence[TimeMark], whole: tuple[float, float]) -> tuple[float, float]:
    """The shortest stretch in which nine of ten dates lie, where it is a small part of the whole: one date far off
    would press all others into one column.
    """
    days = sorted((mark.first + mark.last) / 2 for mark in marks if mark.last - mark.first < 370)
    many = -(-9 * len(days) // 10)
    if many < 5 or many == len(days):
        return whole
    at = min(range(len(days) - many + 1), key=lambda n: (days[n + many - 1] - days[n], n))
    first, last = days[at], days[at + many - 1] + 1
    if last - first > (whole[1] - whole[0]) / 4:
        return whole
    room = max(7.0, (last - first) * 0.05)
    return max(whole[0], first - room), min(whole[1], last + room)


def _whole(marks: Sequence[TimeMark]) -> tuple[float, float]:
    """From shortly before the first date to shortly after the last; bars longer than ten years do not widen it while
    there are shorter ones.
    """
    short = [mark for mark in marks if mark.last - mark.first < 3700] or list(marks)
    if not short:
        return 0.0, 1.0
    first, last = min(mark.first for mark in short), max(mark.last for mark in short) + 1
    room = max(2.0, (last - first) * 0.03)
    return first - room, last + room
