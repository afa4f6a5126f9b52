"""What lies over a page: its quotes with their stripes, names of the case, hits of a search, words that are linked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.domain import Label
from gui_app.shared import mark_colours
from gui_app.shared.page_geometry import Mark, PageWords, bounds, lines
from gui_app.viewer import hypothesis_stripes

ToView = Callable[[QRectF], QRectF]  # from points of the page to pixels of the view

_UNDERLINE: dict[Label | None, Qt.PenStyle] = {
    "supports": Qt.PenStyle.SolidLine,
    "contradicts": Qt.PenStyle.DashLine,
    "ambiguous": Qt.PenStyle.DashDotLine,
    "neutral": Qt.PenStyle.DotLine,
    None: Qt.PenStyle.SolidLine,
}


class PageMarks:
    """The marks of one page, by the places of its words: a shape is one rectangle a line, in points."""

    def __init__(self) -> None:
        self.marks: Sequence[Mark] = ()
        self.current: int | None = None
        self.names: list[QRectF] = []
        self.links: list[QRectF] = []
        self.shapes: list[list[QRectF]] = []
        self.places: dict[int, tuple[int, float, float]] = {}  # of stripes: lane, and from where to where in points
        self._words = PageWords()
        self._finds: list[list[QRectF]] = []
        self._find_at = 0

    def begin(self, words: PageWords) -> None:
        """Begin another page, without any mark."""
        self._words = words
        self.marks, self.shapes, self.places, self.current = (), [], {}, None
        self.names, self.links, self._finds = [], [], []

    def set_marks(self, marks: Sequence[Mark], current: int | None) -> None:
        """Take the quotes of the page; ``current`` is the one that is looked at."""
        self.marks, self.current = marks, current
        self.shapes = [self.shape(mark.start, mark.end) for mark in marks]

    def set_names(self, spans: Sequence[tuple[int, int]]) -> None:
        """Take the names of the case in the text."""
        self.names = [box for start, end in spans for box in self.shape(start, end)]

    def set_finds(self, spans: Sequence[tuple[int, int]], current: int) -> None:
        """Take the hits of a search in the text."""
        self._finds = [self.shape(start, end) for start, end in spans]
        self._find_at = current

    def shape(self, start: int, end: int) -> list[QRectF]:
        """Return where text[start:end] stands, a rectangle a line."""
        return lines(self._words.within(start, end))

    def rect(self, start: int, end: int) -> QRectF:
        """Return the rectangle around text[start:end]; empty when its words have no boxes."""
        return bounds(self._words.within(start, end))

    def current_mark(self) -> Mark | None:
        """Return the quote that is looked at."""
        return self.marks[self.current] if self.current is not None and self.current < len(self.marks) else None

    def quote_of(self, start: int, end: int) -> Mark | None:
        """Return the quote that text[start:end] is of, the shortest of several; None if it is of none."""
        inside = [mark for mark in self.marks if mark.about and mark.start < end and mark.end > start]
        return min(inside, key=lambda mark: mark.end - mark.start, default=None)

    # --- stripes -----------------------------------------------------------------------------------------------------

    def place_stripes(self, scale: float, lanes: int) -> None:
        """Place the stripes again at every size: letters stay as large, so they take more of a small page."""
        indexes = [index for index, shape in enumerate(self.shapes) if shape]
        places = hypothesis_stripes.places([self._extent(index, scale) for index in indexes], lanes)
        self.places = dict(zip(indexes, places, strict=True))

    def _extent(self, index: int, scale: float) -> tuple[float, float]:
        """Return from where to where the stripe of a mark stands, in points at this scale."""
        top = min(box.top() for box in self.shapes[index])
        bottom = max(box.bottom() for box in self.shapes[index])
        return top, max(bottom, top + hypothesis_stripes.least_height(self.marks[index]) / scale)

    def stripe(self, index: int, left: float, to_view: ToView) -> QRectF:
        """Return where the stripe of a mark is in the view, its first lane beginning at ``left``."""
        lane, top, bottom = self.places[index]
        view_box = to_view(QRectF(0, top, 1, bottom - top))
        wide = hypothesis_stripes.lane()
        return QRectF(left + wide * lane, view_box.top(), wide - 4, view_box.height())

    def stripe_at(self, position: QPointF, left: float, to_view: ToView) -> Mark | None:
        """Find the mark whose stripe lies under a point of the view."""
        for index, shape in enumerate(self.shapes):
            if shape and self.stripe(index, left, to_view).contains(position):
                return self.marks[index]
        return None

    def paint_stripes(self, painter: QPainter, left: float, to_view: ToView) -> None:
        """Draw the stripe of every quote that has a place on the page."""
        for index, shape in enumerate(self.shapes):
            if shape:
                stripe = self.stripe(index, left, to_view)
                hypothesis_stripes.paint_stripe(painter, stripe, self.marks[index], current=index == self.current)

    # --- on the words ------------------------------------------------------------------------------------------------

    def paint(self, painter: QPainter, selection: Sequence[QRectF], to_view: ToView) -> None:
        """Draw everything over the words, with those that a person selected."""
        self._paint_tints(painter, selection, to_view)
        painter.setPen(QPen(mark_colours.paper_tone("neutral"), 1.5, Qt.PenStyle.DotLine))
        for box in self.names:
            view_box = to_view(box)
            painter.drawLine(view_box.bottomLeft() + QPointF(0, 1), view_box.bottomRight() + QPointF(0, 1))
        if self._find_at < len(self._finds):
            painter.setPen(QPen(mark_colours.paper_tone(None), 1.5))
            for box in self._finds[self._find_at]:
                painter.drawRect(to_view(box).adjusted(-2, -2, 2, 2))
        for box in self.links:
            painter.setPen(QPen(mark_colours.paper_tone(None), 2))
            painter.drawRect(to_view(box).adjusted(-2, -2, 2, 2))
        for index, shape in enumerate(self.shapes):
            mark = self.marks[index]
            current = index == self.current
            pen = QPen(mark_colours.paper_tone(mark.stance), 2.0 if current else 1.0, _UNDERLINE[mark.stance])
            painter.setPen(pen)
            for box in shape:
                view_box = to_view(box)
                painter.drawLine(view_box.bottomLeft() + QPointF(0, 1.5), view_box.bottomRight() + QPointF(0, 1.5))
            if current and shape:
                box = to_view(self.rect(mark.start, mark.end))
                _paint_corners(painter, box, mark_colours.paper_tone(mark.stance))

    def _paint_tints(self, painter: QPainter, selection: Sequence[QRectF], to_view: ToView) -> None:
        """Multiply the tints over the page, so that the ink under a mark stays as black as it was."""
        painter.save()
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
        tints = [(shape, mark_colours.paper_find()) for shape in self._finds]
        tints.append((list(selection), mark_colours.paper_selection()))
        for index, shape in enumerate(self.shapes):
            tint = mark_colours.paper_tint(self.marks[index].stance, strong=index == self.current)
            tints.append((shape, tint))
        for shape, tint in tints:
            for box in shape:
                painter.fillRect(to_view(box).adjusted(-1, -1, 1, 1), tint)
        painter.restore()


def _paint_corners(painter: QPainter, box: QRectF, colour: QColor) -> None:
    """Draw four corners around the quote: found at a glance, without a frame over its neighbours."""
    painter.setPen(QPen(colour, 2))
    box = box.adjusted(-6, -5, 6, 6)
    arm = 10.0
    for corner, dx, dy in (
        (box.topLeft(), arm, arm),
        (box.topRight(), -arm, arm),
        (box.bottomLeft(), arm, -arm),
        (box.bottomRight(), -arm, -arm),
    ):
        painter.drawLine(corner, corner + QPointF(dx, 0))
        painter.drawLine(corner, corner + QPointF(0, dy))
