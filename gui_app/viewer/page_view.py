"""One page, as it looks, with its marks: the widget that shows a quote where it stands. It reads nothing by itself.

Whoever owns it hands over the words, the marks and a picture, and is asked for a sharper one by ``picture_wanted``.
Until a picture is there the words are drawn as bars, so that the place of a quote is visible at once. A page too large
for one sharp picture is shown coarse first and then in tiles, those in sight alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from core.domain import Label, Word
from gui_app.shared import mark_colours, theme
from gui_app.shared.labels import tooltip
from gui_app.shared.page_geometry import Mark, PageWords, bounds, lines, span, word_at
from gui_app.viewer import hypothesis_stripes

SMALLEST, LARGEST = 0.25, 6.0  # logical pixels a point
STEP = 1.15
WHOLE = 3_000_000  # pixels of a page that is fetched as one picture; a larger one comes in tiles
COARSE = 1_500_000  # pixels of the picture below the tiles
TILE = 512  # pixels a side: drawn, sent and decoded in some 10 ms
EDGE = 24  # pixels around the page; half of it where there is little room
PAPER = QColor("#ffffff")  # the page itself is never recoloured: it is what the document looks like
BAR = QColor("#d9dbe0")

_UNDERLINE: dict[Label | None, Qt.PenStyle] = {
    "supports": Qt.PenStyle.SolidLine,
    "contradicts": Qt.PenStyle.DashLine,
    "ambiguous": Qt.PenStyle.DashDotLine,
    "neutral": Qt.PenStyle.DotLine,
    None: Qt.PenStyle.SolidLine,
}


@dataclass(frozen=True, slots=True)
class Tile:
    """A square of a page in a picture of ``scale`` pixels a point: its place in the grid, and its part in points."""

    column: int
    row: int
    scale: float
    clip: tuple[float, float, float, float]


class PageView(QAbstractScrollArea):
    """Shows one page. ``fit`` is 'width', 'page' or '' for a zoom of the person's own.

    ``picture_wanted(scale)`` asks for the whole page, ``tiles_wanted()`` says that ``missing_tiles`` has some;
    ``hovered(index)`` is the word under the mouse, None for none.
    """

    picture_wanted = Signal(float)
    tiles_wanted = Signal()
    scrolled = Signal()
    hovered = Signal(object)
    zoomed = Signal(float)
    words_selected = Signal(int, int, QRect)
    selection_cleared = Signal()
    mark_clicked = Signal(object)
    turned = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Page")
        self.viewport().setMouseTracking(True)
        self.verticalScrollBar().setSingleStep(32)
        self.horizontalScrollBar().setSingleStep(32)
        self.fit = "width"
        self.scale = 1.0
        self._size = QSize(612, 792)
        self._words: Sequence[Word] = ()
        self._page_words = PageWords()
        self._tiles: dict[tuple[int, int], QImage] = {}
        self._tiles_scale = 0.0
        self._link_boxes: list[QRectF] = []
        self._hover_index: int | None = None
        self.continues = False  # the words picked first stand on the page before
        self._marks: Sequence[Mark] = ()
        self._shapes: list[list[QRectF]] = []
        self._places: dict[int, tuple[int, float, float]] = {}  # of stripes: lane, and from where to where in points
        self._current: int | None = None
        self._image = QImage()
        self._image_scale = 0.0
        self._message = ""
        self._anchor: int | None = None
        self._selection: tuple[int, int] | None = None
        self._selection_shape: list[QRectF] = []
        self._finds: list[list[QRectF]] = []
        self._find_current = 0
        self._names: list[QRectF] = []
        # Zooming by wheel asks for a sharp picture once, when it comes to rest.
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(120)
        self._rest.timeout.connect(self._ask_for_picture)
        self._look_again = QTimer(self)
        self._look_again.setSingleShot(True)
        self._look_again.setInterval(30)
        self._look_again.timeout.connect(self._ask_for_tiles)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_page(self, width: float, height: float, words: Sequence[Word], marks: Sequence[Mark] = ()) -> None:
        """A page of ``width`` x ``height`` points, without its picture so far."""
        self._size = QSize(max(1, round(width)), max(1, round(height)))
        self._words = words
        self._page_words = PageWords(words)
        self._image, self._image_scale = QImage(), 0.0
        self._tiles, self._link_boxes, self._hover_index = {}, [], None
        self._message = ""
        self._finds, self._names = [], []
        self._clear_selection()
        self.set_marks(marks)
        self._fit()
        self.viewport().update()
        self._ask_for_picture()

    def show_message(self, text: str) -> None:
        """A sentence in place of a page."""
        self._message = text
        self._words, self._marks, self._shapes, self._places = (), (), [], {}
        self._page_words = PageWords()
        self._image, self._tiles, self._link_boxes, self._names = QImage(), {}, [], []
        self._current = None
        self._clear_selection()
        self.viewport().update()

    def set_picture(self, image: QImage, scale: float) -> None:
        """The page as a picture of ``scale`` pixels a point. The one that was asked for is kept, else the sharpest."""
        if scale == self.wanted_scale() or (self._image_scale != self.wanted_scale() and scale > self._image_scale):
            self._image, self._image_scale = image, scale
            self._image.setDevicePixelRatio(self.devicePixelRatioF())
            self.viewport().update()

    def picture_scale(self) -> float:
        """Pixels a point of the picture on show; 0 while there is none."""
        return self._image_scale

    def wanted_scale(self) -> float:
        """Pixels a point of the picture of the whole page: as it is shown, so that nothing is scaled (scaled text is
        never as sharp), or coarse where tiles lie over it.
        """
        exact = self._exact_scale()
        if self._in_one(exact):
            return exact
        return round(math.sqrt(COARSE / (self._size.width() * self._size.height())), 3)

    def _exact_scale(self) -> float:
        return round(self.scale * self.devicePixelRatioF(), 3)

    def _in_one(self, scale: float) -> bool:
        """Whether the whole page is fetched as one picture at that scale."""
        return self._size.width() * self._size.height() * scale * scale <= WHOLE

    def missing_tiles(self) -> list[Tile]:
        """The tiles in sight that are not there yet, those nearest to the middle of the view first."""
        scale = self._exact_scale()
        if self._message or self._in_one(scale):
            return []
        if scale != self._tiles_scale:
            self._tiles, self._tiles_scale = {}, scale
        origin, room, ratio = self._origin(), self.viewport().rect(), self.devicePixelRatioF()
        wide, high = self._size.width() * scale, self._size.height() * scale
        left, top = max(0.0, -origin.x() * ratio), max(0.0, -origin.y() * ratio)
        right = min(wide, (room.width() - origin.x()) * ratio)
        bottom = min(high, (room.height() - origin.y()) * ratio)
        in_sight = [
            (column, row)
            for row in range(int(top // TILE), math.ceil(bottom / TILE))
            for column in range(int(left // TILE), math.ceil(right / TILE))
        ]
        near = {(c + dc, r + dr) for c, r in in_sight for dc in (-1, 0, 1) for dr in (-1, 0, 1)}
        self._tiles = {at: image for at, image in self._tiles.items() if at in near}
        x, y = (left + right) / 2 / TILE - 0.5, (top + bottom) / 2 / TILE - 0.5
        missing = sorted(
            (at for at in in_sight if at not in self._tiles), key=lambda at: math.hypot(at[0] - x, at[1] - y)
        )
        step = TILE / scale
        return [
            Tile(
                *(column, row, scale),
                (
                    *(column * step, row * step),
                    min(self._size.width(), (column + 1) * step),
                    min(self._size.height(), (row + 1) * step),
                ),
            )
            for column, row in missing
        ]

    def set_tile(self, tile: Tile, image: QImage) -> None:
        """One of ``missing_tiles``; one of another scale comes too late and is left out."""
        if tile.scale == self._tiles_scale == self._exact_scale():
            self._tiles[(tile.column, tile.row)] = image
            self.viewport().update()

    def set_marks(self, marks: Sequence[Mark], current: int | None = None) -> None:
        self._marks = marks
        self._shapes = [lines(self._page_words.within(m.start, m.end)) for m in marks]
        self._current = current
        self._place_stripes()
        self._update_bars()
        self.viewport().update()

    def _place_stripes(self) -> None:
        """Anew at every size: letters stay as large as they are, so stripes take more of a small page."""
        indexes = [i for i, shape in enumerate(self._shapes) if shape]
        where = hypothesis_stripes.places([self._extent(i) for i in indexes], self._count_lanes())
        self._places = dict(zip(indexes, where, strict=True))

    def _extent(self, index: int) -> tuple[float, float]:
        """From where to where the stripe of a mark stands, in points at the present size."""
        top = min(box.top() for box in self._shapes[index])
        bottom = max(box.bottom() for box in self._shapes[index])
        return top, max(bottom, top + hypothesis_stripes.least_height(self._marks[index]) / self.scale)

    def set_linked(self, boxes: Sequence[tuple[float, float, float, float]]) -> None:
        """Frame what is pointed at in the text beside the page; none takes the frames away."""
        frames = [QRectF(x0, y0, x1 - x0, y1 - y0) for x0, y0, x1, y1 in boxes]
        if frames != self._link_boxes:
            self._link_boxes = frames
            self.viewport().update()

    def set_names(self, spans: Sequence[tuple[int, int]]) -> None:
        """Names of the case in the text: a soft line of dots under each."""
        self._names = [box for start, end in spans for box in lines(self._page_words.within(start, end))]
        self.viewport().update()

    def set_finds(self, spans: Sequence[tuple[int, int]], current: int = 0) -> None:
        """Hits of a search in the text; the current one is framed and brought to the middle."""
        self._finds = [lines(self._page_words.within(start, end)) for start, end in spans]
        self._find_current = current
        if self._finds and spans:
            self.centre_on(*spans[current])
        self.viewport().update()

    def mark_rect(self, index: int) -> QRectF:
        """Where a mark stands, in points; empty when its words have no boxes."""
        mark = self._marks[index]
        return bounds(self._page_words.within(mark.start, mark.end))

    def to_view(self, box: QRectF) -> QRectF:
        """A rectangle of the page, in points, as it lies in the viewport now."""
        origin = self._origin()
        return QRectF(
            origin.x() + box.x() * self.scale,
            origin.y() + box.y() * self.scale,
            box.width() * self.scale,
            box.height() * self.scale,
        )

    # --- zoom and place ----------------------------------------------------------------------------------------------

    def set_fit(self, fit: str) -> None:
        self.fit = fit
        self._fit()
        self._centre_current()

    def zoom_to(self, scale: float) -> None:
        """Zoom by the person's wish; what they came for stays where it is on the screen."""
        scale = min(LARGEST, max(SMALLEST, scale))
        anchor = QPointF(self.viewport().rect().center())
        if self._current is not None and self._shapes[self._current]:
            middle = self.to_view(self.mark_rect(self._current)).center()
            if self.viewport().rect().contains(middle.toPoint()):
                anchor = middle
        origin = self._origin()
        at = QPointF((anchor.x() - origin.x()) / self.scale, (anchor.y() - origin.y()) / self.scale)
        self.fit = ""
        self._set_scale(scale)
        after = self._origin()
        self.horizontalScrollBar().setValue(
            round(self.horizontalScrollBar().value() + after.x() + at.x() * self.scale - anchor.x())
        )
        self.verticalScrollBar().setValue(
            round(self.verticalScrollBar().value() + after.y() + at.y() * self.scale - anchor.y())
        )

    def zoom_in(self) -> None:
        self.zoom_to(self.scale * STEP)

    def zoom_out(self) -> None:
        self.zoom_to(self.scale / STEP)

    def centre_on(self, start: int, end: int) -> bool:
        """Bring text[start:end] to the middle; False when none of its words has a box."""
        box = bounds(self._page_words.within(start, end))
        if box.isEmpty():
            return False
        view_box = self.to_view(box)
        view = self.viewport().rect()
        down = view_box.center().y() - view.height() / 2
        if view_box.height() > view.height() - 2 * self._edge():
            down = view_box.top() - self._edge()
        self.verticalScrollBar().setValue(round(self.verticalScrollBar().value() + down))
        if not (view.left() <= view_box.left() and view_box.right() <= view.right()):
            bar = self.horizontalScrollBar()
            bar.setValue(round(bar.value() + view_box.center().x() - view.width() / 2))
        return True

    def _centre_current(self) -> None:
        if self._current is not None and self._current < len(self._marks):
            mark = self._marks[self._current]
            self.centre_on(mark.start, mark.end)

    def _fit(self) -> None:
        room = self.viewport().size()
        across = (room.width() - 2 * self._edge() - self._gutter()) / self._size.width()
        if self.fit == "width":
            # Without the bar a page can be just too high, and with it just fit: it would come and go for ever.
            bar = self.verticalScrollBar()
            beside = bar.sizeHint().width()
            free = (room.width() + beside * bar.isVisible() - 2 * self._edge() - self._gutter()) / self._size.width()
            high = self._size.height() * min(free, 2.0) + 2 * self._edge()
            across = free if high <= room.height() else free - beside / self._size.width()
            self._set_scale(min(across, 2.0))  # a page wider than reading distance helps nobody
        elif self.fit == "page":
            self._set_scale(min(across, (room.height() - 2 * self._edge()) / self._size.height()))
        else:
            self._set_scale(self.scale)

    def _roomy(self) -> bool:
        return self.viewport().width() >= theme.px(560)

    def _edge(self) -> int:
        return EDGE if self._roomy() else EDGE // 2

    def _count_lanes(self) -> int:
        return 2 if self._roomy() else 1

    def _gutter(self) -> int:
        """Pixels kept free beside every page, so that pages with and without marks are shown at one size."""
        return self._count_lanes() * hypothesis_stripes.lane()

    def _set_scale(self, scale: float) -> None:
        scale = min(LARGEST, max(SMALLEST, scale))
        has_changed = abs(scale - self.scale) > 1e-6
        self.scale = scale
        self._update_bars()
        if has_changed:
            self._place_stripes()
            self.zoomed.emit(scale)
            self._rest.start()
            self.viewport().update()

    def _update_bars(self) -> None:
        room = self.viewport().size()
        wide = round(self._size.width() * self.scale) + 2 * self._edge() + self._gutter()
        high = round(self._size.height() * self.scale) + 2 * self._edge()
        for bar, need, have in (
            (self.horizontalScrollBar(), wide, room.width()),
            (self.verticalScrollBar(), high, room.height()),
        ):
            bar.setPageStep(max(1, have))
            bar.setRange(0, max(0, need - have))
        self.scrolled.emit()  # more or less is in sight, also where no bar moved

    def _origin(self) -> QPointF:
        room = self.viewport().size()
        wide = self._size.width() * self.scale
        free = room.width() - wide - self._gutter()
        left = max(float(self._edge()), free / 2) - self.horizontalScrollBar().value()
        return QPointF(round(left), self._edge() - self.verticalScrollBar().value())

    def _ask_for_picture(self) -> None:
        if not self._message and self.wanted_scale() != self._image_scale:
            self.picture_wanted.emit(self.wanted_scale())
        self._look_again.start()

    def _ask_for_tiles(self) -> None:
        if self.isVisible() and self.missing_tiles():
            self.tiles_wanted.emit()

    # --- painting ----------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        ink = theme.tokens()
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), QColor(ink.background))
        if self._message:
            self._paint_message(painter)
            return
        page = self.to_view(QRectF(0, 0, self._size.width(), self._size.height()))
        painter.fillRect(page, PAPER)
        if self._image.isNull():
            for box in lines(self._words):
                painter.fillRect(self.to_view(box).adjusted(0, 1, 0, -1), BAR)
        else:
            if self._image_scale == self._exact_scale():
                painter.drawImage(page.topLeft(), self._image)
            else:
                painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
                painter.drawImage(page, self._image)
                self._paint_tiles(painter, page)
        self._paint_marks(painter)
        painter.setPen(QPen(QColor(ink.strong_line), 1))
        painter.drawRect(page.adjusted(-0.5, -0.5, 0.5, 0.5))
        self._paint_stripes(painter, page)

    def _paint_tiles(self, painter: QPainter, page: QRectF) -> None:
        if self._tiles_scale != self._exact_scale():
            return
        ratio = self.devicePixelRatioF()
        for (column, row), image in self._tiles.items():
            place = QRectF(
                page.left() + column * TILE / ratio,
                page.top() + row * TILE / ratio,
                image.width() / ratio,
                image.height() / ratio,
            )
            painter.drawImage(place, image)

    def _paint_marks(self, painter: QPainter) -> None:
        """Multiplied over the page, so that the ink under a mark stays as black as it was."""
        painter.save()
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
        for shapes, colour in (
            *((shape, mark_colours.paper_find()) for shape in self._finds),
            (self._selection_shape, mark_colours.paper_selection()),
        ):
            for box in shapes:
                painter.fillRect(self.to_view(box).adjusted(-1, -1, 1, 1), colour)
        for index, shape in enumerate(self._shapes):
            tint = mark_colours.paper_tint(self._marks[index].stance, strong=index == self._current)
            for box in shape:
                painter.fillRect(self.to_view(box).adjusted(-1, -1, 1, 1), tint)
        painter.restore()
        painter.setPen(QPen(mark_colours.paper_tone("neutral"), 1.5, Qt.PenStyle.DotLine))
        for box in self._names:
            view_box = self.to_view(box)
            painter.drawLine(view_box.bottomLeft() + QPointF(0, 1), view_box.bottomRight() + QPointF(0, 1))
        for index, shape in enumerate(self._finds):
            if index == self._find_current:
                painter.setPen(QPen(mark_colours.paper_tone(None), 1.5))
                for box in shape:
                    painter.drawRect(self.to_view(box).adjusted(-2, -2, 2, 2))
        for box in self._link_boxes:
            painter.setPen(QPen(mark_colours.paper_tone(None), 2))
            painter.drawRect(self.to_view(box).adjusted(-2, -2, 2, 2))
        for index, shape in enumerate(self._shapes):
            mark = self._marks[index]
            current = index == self._current
            pen = QPen(mark_colours.paper_tone(mark.stance), 2.0 if current else 1.0, _UNDERLINE[mark.stance])
            painter.setPen(pen)
            for box in shape:
                view_box = self.to_view(box)
                painter.drawLine(view_box.bottomLeft() + QPointF(0, 1.5), view_box.bottomRight() + QPointF(0, 1.5))
            if current and shape:
                self._paint_corners(painter, self.to_view(self.mark_rect(index)), mark_colours.paper_tone(mark.stance))

    @staticmethod
    def _paint_corners(painter: QPainter, box: QRectF, colour: QColor) -> None:
        """Four corners around the quote: found at a glance, without a frame over its neighbours."""
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

    def _stripe(self, index: int, page: QRectF) -> QRectF:
        lane, top, bottom = self._places[index]
        view_box = self.to_view(QRectF(0, top, 1, bottom - top))
        left = min(page.right() + 8, self._pinned()) + hypothesis_stripes.lane() * lane
        return QRectF(left, view_box.top(), hypothesis_stripes.lane() - 4, view_box.height())

    def _pinned(self) -> float:
        """How far right stripes go: they stay in sight beside a page that is wider than the view."""
        return float(self.viewport().width() - self._gutter() + 4)

    def _paint_stripes(self, painter: QPainter, page: QRectF) -> None:
        if self._places and page.right() + 8 > self._pinned():
            veil = QColor(theme.tokens().background)
            veil.setAlpha(240)
            painter.fillRect(QRectF(self._pinned() - 6, 0, self._gutter() + 2, self.viewport().height()), veil)
        for index, shape in enumerate(self._shapes):
            if shape:
                mark = self._marks[index]
                hypothesis_stripes.paint_stripe(
                    painter, self._stripe(index, page), mark, current=index == self._current
                )

    def _paint_message(self, painter: QPainter) -> None:
        painter.setFont(theme.sans(theme.LARGE))
        painter.setPen(QColor(theme.tokens().muted))
        area = self.viewport().rect().adjusted(48, 48, -48, -48)
        painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap), self._message)

    # --- pointing and typing -----------------------------------------------------------------------------------------

    def selection(self) -> tuple[int, int] | None:
        """The offsets of the words picked with the mouse or Shift and the arrows."""
        return span(self._words, *self._selection) if self._selection is not None else None

    def select(self, start: int, end: int) -> None:
        """Pick the words of text[start:end] as if by the mouse."""
        inside = [i for i, word in enumerate(self._words) if word.start < end and word.end > start]
        if inside:
            self._anchor = inside[0]
            self._pick(inside[0], inside[-1])
            self._announce_selection()

    def clear_selection(self) -> None:
        self._clear_selection()
        self.viewport().update()

    def _clear_selection(self) -> None:
        had = self._selection is not None
        self._anchor, self._selection, self._selection_shape = None, None, []
        if had:
            self.selection_cleared.emit()

    def _pick(self, first: int, last: int) -> None:
        self._selection = (first, last)
        low, high = min(first, last), max(first, last)
        self._selection_shape = lines(self._words[low : high + 1])
        self.viewport().update()

    def _announce_selection(self) -> None:
        if self._selection is None:
            return
        low, high = min(self._selection), max(self._selection)
        start, end = span(self._words, low, high)
        box = self.to_view(bounds(self._words[low : high + 1])).toAlignedRect()
        self.words_selected.emit(start, end, box)

    def _point(self, position: QPoint | QPointF) -> QPointF:
        origin = self._origin()
        return QPointF((position.x() - origin.x()) / self.scale, (position.y() - origin.y()) / self.scale)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._message:
            super().mousePressEvent(event)
            return
        stripe = self._stripe_at(event.position())
        if stripe is not None:
            self.mark_clicked.emit(self._marks[stripe])
            return
        here = word_at(self._words, self._point(event.position()))
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and here is not None:
            self._reach(here)
            return
        self._clear_selection()
        self._anchor = here
        self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and self._anchor is not None:
            here = word_at(self._words, self._point(event.position()), reach=400.0)
            if here is not None:
                self._pick(self._anchor, here)
            return
        over = self._stripe_at(event.position())
        self.viewport().setToolTip(tooltip(self._marks[over].about) if over is not None else "")
        word = word_at(self._words, self._point(event.position()), reach=2.0) if over is None else None
        if word != self._hover_index:
            self._hover_index = word
            self.hovered.emit(word)
        shape = Qt.CursorShape.IBeamCursor if word is not None else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if over is not None else shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._selection is not None:
            self._announce_selection()
        elif event.button() == Qt.MouseButton.LeftButton and self._anchor is not None:
            word = self._words[self._anchor]
            inside = [mark for mark in self._marks if mark.about and mark.start < word.end and mark.end > word.start]
            if inside:  # a click on a quote is a click on its stripe; the shortest of several is meant
                self.mark_clicked.emit(min(inside, key=lambda mark: mark.end - mark.start))
        super().mouseReleaseEvent(event)

    def _reach(self, here: int) -> None:
        """The selection goes on to this word: from where it began, or from the top of a page that a quote runs to."""
        if self._anchor is None:
            self._anchor = 0 if self.continues else here
        self._pick(self._anchor, here)
        self._announce_selection()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        here = word_at(self._words, self._point(event.position()))
        if here is not None:
            self._anchor = here
            self._pick(here, here)

    def _stripe_at(self, position: QPointF) -> int | None:
        page = self.to_view(QRectF(0, 0, self._size.width(), self._size.height()))
        for index, shape in enumerate(self._shapes):
            if shape and self._stripe(index, page).contains(position):
                return index
        return None

    def wheelEvent(self, event: QWheelEvent) -> None:
        down = event.angleDelta().y()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_to(self.scale * STEP ** (down / 120))
            event.accept()
            return
        bar = self.verticalScrollBar()
        if down < 0 and bar.value() >= bar.maximum():
            self.turned.emit(1)
        elif down > 0 and bar.value() <= bar.minimum():
            self.turned.emit(-1)
        else:
            super().wheelEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        if self._hover_index is not None:
            self._hover_index = None
            self.hovered.emit(None)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, shift = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if shift and key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and self._words:
            self._grow(1 if key == Qt.Key.Key_Right else -1)
        elif key == Qt.Key.Key_Escape and self._selection is not None:
            self.clear_selection()
        elif key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
            bar = self.verticalScrollBar()
            way = 1 if key == Qt.Key.Key_PageDown else -1
            if (way > 0 and bar.value() >= bar.maximum()) or (way < 0 and bar.value() <= bar.minimum()):
                self.turned.emit(way)
            else:
                bar.setValue(bar.value() + way * round(bar.pageStep() * 0.9))
        else:
            super().keyPressEvent(event)

    def _grow(self, step: int) -> None:
        """Shift and an arrow: the selection grows by a word, from the quote on show or the first visible word."""
        if self._selection is None:
            first = 0
            if self.continues:
                pass  # from the first word of the page
            elif self._current is not None and self._current < len(self._marks):
                start = self._marks[self._current].start
                first = next((i for i, word in enumerate(self._words) if word.end > start), 0)
            else:
                top = self._point(QPointF(0, 0)).y()
                first = next((i for i, word in enumerate(self._words) if word.y0 >= top), 0)
            self._anchor = first
            self._pick(first, first)
        else:
            start, last = self._selection
            self._pick(start, min(len(self._words) - 1, max(0, last + step)))
        self._announce_selection()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._message:
            self._fit()
            self._place_stripes()
            self._centre_current()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()
        self._look_again.start()
        self.scrolled.emit()

    def visible_part(self) -> tuple[float, float]:
        """From where to where the page is in sight, as shares of its height."""
        origin, high = self._origin().y(), max(1.0, self._size.height() * self.scale)
        return max(0.0, -origin / high), min(1.0, (self.viewport().height() - origin) / high)

    def sizeHint(self) -> QSize:
        return QSize(640, 720)
