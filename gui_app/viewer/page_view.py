"""One page, as it looks, with its marks: the widget that shows a quote where it is. It reads nothing by itself.

Whoever owns it hands over the words, the marks and a picture, and is asked for a sharper one by ``picture_wanted``.
Until a picture is there the words are drawn as bars, so that the place of a quote is visible at once. A page too large
for one sharp picture is shown coarse first and then in tiles, those in sight alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from core.domain import Word
from gui_app.shared import theme
from gui_app.shared.labels import tooltip
from gui_app.shared.page_geometry import Mark, PageWords, lines, word_at
from gui_app.viewer.page_marks import PageMarks
from gui_app.viewer.page_picture import PagePicture, Tile
from gui_app.viewer.page_room import PageRoom
from gui_app.viewer.word_selection import WordSelection

MIN_SCALE, MAX_SCALE = 0.25, 6.0  # logical pixels a point
STEP = 1.15
PAPER = QColor("#ffffff")  # the page itself is never recoloured: it is what the document looks like
BAR = QColor("#d9dbe0")


class PageView(QAbstractScrollArea):
    """One page, as it looks. ``fit`` is 'width', 'page' or '' for a zoom of the person's own.

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
        self.continues = False  # the words picked first are on the page before
        self.picture = PagePicture()
        self.marks = PageMarks()
        self._selection = WordSelection()
        self._hover_index: int | None = None
        self._message = ""
        # Zooming by wheel asks for a sharp picture once, when it comes to rest.
        self._rest = _timer(self, 120, self._ask_for_picture)
        self._look_again = _timer(self, 30, self._ask_for_tiles)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_page(self, width: float, height: float, words: Sequence[Word], marks: Sequence[Mark] = ()) -> None:
        """Show a page of ``width`` x ``height`` points, without its picture so far."""
        self.picture.size = QSize(max(1, round(width)), max(1, round(height)))
        self.picture.clear()
        self._take_words(words)
        self._hover_index = None
        self._message = ""
        self.set_marks(marks)
        self._fit()
        self.viewport().update()
        self._ask_for_picture()

    def show_message(self, text: str) -> None:
        """Show a sentence in place of a page."""
        self._message = text
        self.picture.clear()
        self._take_words(())
        self.viewport().update()

    def _take_words(self, words: Sequence[Word]) -> None:
        self.marks.begin(PageWords(words))
        self._clear_selection()
        self._selection.words = words

    def set_picture(self, image: QImage, scale: float) -> None:
        """Take the page as a picture of ``scale`` pixels a point: the one asked for, else the sharpest."""
        if self.picture.set_image(image, scale, exact=self._exact_scale(), ratio=self.devicePixelRatioF()):
            self.viewport().update()

    def picture_scale(self) -> float:
        """Return the pixels a point of the picture on show; 0 while there is none."""
        return self.picture.scale

    def wanted_scale(self) -> float:
        """Return the pixels a point of the picture of the whole page that is wanted."""
        return self.picture.wanted_scale(self._exact_scale())

    def _exact_scale(self) -> float:
        return round(self.scale * self.devicePixelRatioF(), 3)

    def missing_tiles(self) -> list[Tile]:
        """List the tiles in sight that are not there, those nearest to the middle of the view first."""
        if self._message:
            return []
        scale = self._exact_scale()
        origin, room, ratio = self._origin(), self.viewport().rect(), self.devicePixelRatioF()
        left, top = max(0.0, -origin.x() * ratio), max(0.0, -origin.y() * ratio)
        right = min(self.picture.size.width() * scale, (room.width() - origin.x()) * ratio)
        bottom = min(self.picture.size.height() * scale, (room.height() - origin.y()) * ratio)
        return self.picture.missing_tiles(scale, (left, top, right, bottom))

    def set_tile(self, tile: Tile, image: QImage) -> None:
        """Take one of ``missing_tiles``; one of another scale comes too late and is left out."""
        if self.picture.set_tile(tile, image, exact=self._exact_scale()):
            self.viewport().update()

    def set_marks(self, marks: Sequence[Mark], current: int | None = None) -> None:
        """Mark these quotes; ``current`` is the one that is looked at."""
        self.marks.set_marks(marks, current)
        self._place_stripes()
        self._update_bars()
        self.viewport().update()

    def _place_stripes(self) -> None:
        self.marks.place_stripes(self.scale, self._room().lanes)

    def set_linked(self, boxes: Sequence[tuple[float, float, float, float]]) -> None:
        """Frame what is pointed at in the text beside the page; none takes the frames away."""
        frames = [QRectF(x0, y0, x1 - x0, y1 - y0) for x0, y0, x1, y1 in boxes]
        if frames != self.marks.links:
            self.marks.links = frames
            self.viewport().update()

    def set_names(self, spans: Sequence[tuple[int, int]]) -> None:
        """Underline names of the case in the text, each with a soft line of dots."""
        self.marks.set_names(spans)
        self.viewport().update()

    def set_finds(self, spans: Sequence[tuple[int, int]], current: int = 0) -> None:
        """Mark hits of a search; the current one is framed and brought to the middle."""
        self.marks.set_finds(spans, current)
        if spans:
            self.centre_on(*spans[current])
        self.viewport().update()

    def mark_rect(self, index: int) -> QRectF:
        """Return where a mark is, in points; empty when its words have no boxes."""
        mark = self.marks.marks[index]
        return self.marks.rect(mark.start, mark.end)

    def to_view(self, box: QRectF) -> QRectF:
        """Return where a rectangle of the page, in points, lies in the viewport now."""
        origin = self._origin()
        return QRectF(
            origin.x() + box.x() * self.scale,
            origin.y() + box.y() * self.scale,
            box.width() * self.scale,
            box.height() * self.scale,
        )

    # --- zoom and place ----------------------------------------------------------------------------------------------

    def set_fit(self, fit: str) -> None:
        """Fit the page to the view from now on."""
        self.fit = fit
        self._fit()
        self._centre_current()

    def zoom_to(self, scale: float) -> None:
        """Zoom by the person's wish; what they came for stays where it is on the screen."""
        scale = min(MAX_SCALE, max(MIN_SCALE, scale))
        anchor = QPointF(self.viewport().rect().center())
        current = self.marks.current
        if current is not None and self.marks.shapes[current]:
            middle = self.to_view(self.mark_rect(current)).center()
            if self.viewport().rect().contains(middle.toPoint()):
                anchor = middle
        origin = self._origin()
        point = QPointF((anchor.x() - origin.x()) / self.scale, (anchor.y() - origin.y()) / self.scale)
        self.fit = ""
        self._set_scale(scale)
        after = self._origin()
        self._scroll_by(
            after.x() + point.x() * self.scale - anchor.x(), after.y() + point.y() * self.scale - anchor.y()
        )

    def _scroll_by(self, right: float, down: float) -> None:
        for bar, way in ((self.horizontalScrollBar(), right), (self.verticalScrollBar(), down)):
            bar.setValue(round(bar.value() + way))

    def zoom_in(self) -> None:
        """Show the page a step larger."""
        self.zoom_to(self.scale * STEP)

    def zoom_out(self) -> None:
        """Show the page a step smaller."""
        self.zoom_to(self.scale / STEP)

    def centre_on(self, start: int, end: int) -> bool:
        """Bring text[start:end] to the middle; tell whether any of its words has a box."""
        box = self.marks.rect(start, end)
        if box.isEmpty():
            return False
        view_box = self.to_view(box)
        view = self.viewport().rect()
        down = view_box.center().y() - view.height() / 2
        if view_box.height() > view.height() - 2 * self._room().edge:
            down = view_box.top() - self._room().edge
        is_across = view.left() <= view_box.left() and view_box.right() <= view.right()
        self._scroll_by(0 if is_across else view_box.center().x() - view.width() / 2, down)
        return True

    def _centre_current(self) -> None:
        mark = self.marks.current_mark()
        if mark is not None:
            self.centre_on(mark.start, mark.end)

    def _room(self) -> PageRoom:
        return PageRoom(self.viewport().width(), self.viewport().height())

    def _fit(self) -> None:
        if self.fit == "width":
            bar = self.verticalScrollBar()
            size, wide = self.picture.size, bar.sizeHint().width()
            self._set_scale(self._room().width_scale(size, bar=wide, has_bar=bar.isVisible()))
        elif self.fit == "page":
            self._set_scale(self._room().page_scale(self.picture.size))
        else:
            self._set_scale(self.scale)

    def _set_scale(self, scale: float) -> None:
        scale = min(MAX_SCALE, max(MIN_SCALE, scale))
        has_changed = abs(scale - self.scale) > 1e-6
        self.scale = scale
        self._update_bars()
        if has_changed:
            self._place_stripes()
            self.zoomed.emit(scale)
            self._rest.start()
            self.viewport().update()

    def _update_bars(self) -> None:
        room = self._room()
        across, down = room.need(self.picture.size, self.scale)
        for bar, need, have in (
            (self.horizontalScrollBar(), across, room.width),
            (self.verticalScrollBar(), down, room.height),
        ):
            bar.setPageStep(max(1, have))
            bar.setRange(0, max(0, need - have))
        self.scrolled.emit()  # more or less is in sight, also where no bar moved

    def _origin(self) -> QPointF:
        room = self._room()
        left = room.left_of(self.picture.size, self.scale) - self.horizontalScrollBar().value()
        return QPointF(round(left), room.edge - self.verticalScrollBar().value())

    def _ask_for_picture(self) -> None:
        if not self._message and self.wanted_scale() != self.picture.scale:
            self.picture_wanted.emit(self.wanted_scale())
        self._look_again.start()

    def _ask_for_tiles(self) -> None:
        if self.isVisible() and self.missing_tiles():
            self.tiles_wanted.emit()

    # --- painting ----------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the page, what lies over it, and the stripes beside it."""
        ink = theme.tokens()
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), QColor(ink.background))
        if self._message:
            _paint_message(painter, self.viewport().rect().adjusted(48, 48, -48, -48), self._message)
            return
        page = self._page_rect()
        painter.fillRect(page, PAPER)
        if self.picture.image.isNull():
            for box in lines(self._selection.words):
                painter.fillRect(self.to_view(box).adjusted(0, 1, 0, -1), BAR)
        else:
            self.picture.paint(painter, page, exact=self._exact_scale(), ratio=self.devicePixelRatioF())
        self.marks.paint(painter, self._selection.shape, self.to_view)
        painter.setPen(QPen(QColor(ink.strong_line), 1))
        painter.drawRect(page.adjusted(-0.5, -0.5, 0.5, 0.5))
        if self.marks.places and page.right() + 8 > self._right_limit():
            veil = QColor(ink.background)
            veil.setAlpha(240)
            painter.fillRect(
                QRectF(self._right_limit() - 6, 0, self._room().gutter + 2, self.viewport().height()), veil
            )
        self.marks.paint_stripes(painter, self._stripes_left(), self.to_view)

    def _page_rect(self) -> QRectF:
        return self.to_view(QRectF(0, 0, self.picture.size.width(), self.picture.size.height()))

    def _right_limit(self) -> float:
        """Return how far right stripes go: they stay in sight beside a page that is wider than the view."""
        return float(self.viewport().width() - self._room().gutter + 4)

    def _stripes_left(self) -> float:
        return min(self._page_rect().right() + 8, self._right_limit())

    # --- pointing and typing -----------------------------------------------------------------------------------------

    def selection(self) -> tuple[int, int] | None:
        """Return the offsets of the words picked with the mouse or Shift and the arrows."""
        return self._selection.offsets()

    def select(self, start: int, end: int) -> None:
        """Pick the words of text[start:end] as if by the mouse."""
        inside = self._selection.within(start, end)
        if inside:
            self._selection.anchor = inside[0]
            self._pick(inside[0], inside[-1])
            self._announce_selection()

    def clear_selection(self) -> None:
        """Pick nothing."""
        self._clear_selection()
        self.viewport().update()

    def _clear_selection(self) -> None:
        if self._selection.clear():
            self.selection_cleared.emit()

    def _pick(self, first: int, last: int) -> None:
        self._selection.pick(first, last)
        self.viewport().update()

    def _announce_selection(self) -> None:
        offsets = self._selection.offsets()
        if offsets is not None:
            self.words_selected.emit(*offsets, self.to_view(self._selection.rect()).toAlignedRect())

    def _point(self, position: QPoint | QPointF) -> QPointF:
        origin = self._origin()
        return QPointF((position.x() - origin.x()) / self.scale, (position.y() - origin.y()) / self.scale)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to pick words, or go to the quote of the stripe under the pointer."""
        if event.button() != Qt.MouseButton.LeftButton or self._message:
            super().mousePressEvent(event)
            return
        mark = self._stripe_at(event.position())
        if mark is not None:
            self.mark_clicked.emit(mark)
            return
        here = word_at(self._selection.words, self._point(event.position()))
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and here is not None:
            self._reach(here)
            return
        self._clear_selection()
        self._selection.anchor = here
        self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pick the words that are passed, or tell which word or stripe is pointed at."""
        if event.buttons() & Qt.MouseButton.LeftButton and self._selection.anchor is not None:
            here = word_at(self._selection.words, self._point(event.position()), reach=400.0)
            if here is not None:
                self._pick(self._selection.anchor, here)
            return
        over = self._stripe_at(event.position())
        self.viewport().setToolTip(tooltip(over.about) if over is not None else "")
        word = word_at(self._selection.words, self._point(event.position()), reach=2.0) if over is None else None
        if word != self._hover_index:
            self._hover_index = word
            self.hovered.emit(word)
        shape = Qt.CursorShape.IBeamCursor if word is not None else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if over is not None else shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Offer what was picked, or go to the quote that was clicked."""
        if event.button() == Qt.MouseButton.LeftButton and self._selection.ends is not None:
            self._announce_selection()
        elif event.button() == Qt.MouseButton.LeftButton and self._selection.anchor is not None:
            word = self._selection.words[self._selection.anchor]
            mark = self.marks.quote_of(word.start, word.end)
            if mark is not None:  # a click on a quote is a click on its stripe
                self.mark_clicked.emit(mark)
        super().mouseReleaseEvent(event)

    def _reach(self, here: int) -> None:
        """Extend the selection to this word, from where it began or from the top of a page that goes on."""
        if self._selection.anchor is None:
            self._selection.anchor = 0 if self.continues else here
        self._pick(self._selection.anchor, here)
        self._announce_selection()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Pick one word."""
        here = word_at(self._selection.words, self._point(event.position()))
        if here is not None:
            self._selection.anchor = here
            self._pick(here, here)

    def _stripe_at(self, position: QPointF) -> Mark | None:
        return self.marks.stripe_at(position, self._stripes_left(), self.to_view)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll, turn the page beyond an end, or zoom with Ctrl."""
        down = event.angleDelta().y()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_to(self.scale * STEP ** (down / 120))
            event.accept()
            return
        if not down or not self._turn_at_end(1 if down < 0 else -1):
            super().wheelEvent(event)

    def _turn_at_end(self, way: int) -> bool:
        """Ask for the next page or the one before where the end of this one is in sight; tell whether it is."""
        bar = self.verticalScrollBar()
        is_end = bar.value() >= bar.maximum() if way > 0 else bar.value() <= bar.minimum()
        if is_end:
            self.turned.emit(way)
        return is_end

    def leaveEvent(self, event: QEvent) -> None:
        """Emit that no word is pointed at."""
        if self._hover_index is not None:
            self._hover_index = None
            self.hovered.emit(None)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pick by Shift and an arrow, leave it by Escape, turn pages beyond an end."""
        key, shift = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if shift and key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and self._selection.words:
            self._grow(1 if key == Qt.Key.Key_Right else -1)
        elif key == Qt.Key.Key_Escape and self._selection.ends is not None:
            self.clear_selection()
        elif key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
            bar = self.verticalScrollBar()
            way = 1 if key == Qt.Key.Key_PageDown else -1
            if not self._turn_at_end(way):
                bar.setValue(bar.value() + way * round(bar.pageStep() * 0.9))
        else:
            super().keyPressEvent(event)

    def _grow(self, step: int) -> None:
        """Extend the selection by a word, from the quote on show or the first visible word."""
        mark, top = self.marks.current_mark(), self._point(QPointF(0, 0)).y()
        first = 0 if self.continues else self._selection.first_word(mark.start if mark is not None else None, top)
        self._selection.grow(step, first)
        self.viewport().update()
        self._announce_selection()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the page again, and keep what was come for in the middle."""
        super().resizeEvent(event)
        if not self._message:
            self._fit()
            self._place_stripes()
            self._centre_current()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Draw what came into sight, and ask for its tiles."""
        self.viewport().update()
        self._look_again.start()
        self.scrolled.emit()

    def visible_part(self) -> tuple[float, float]:
        """Return from where to where the page is in sight, as shares of its height."""
        origin, high = self._origin().y(), max(1.0, self.picture.size.height() * self.scale)
        return max(0.0, -origin / high), min(1.0, (self.viewport().height() - origin) / high)

    def sizeHint(self) -> QSize:
        """Return a size in which a page can be read."""
        return QSize(640, 720)


def _timer(view: PageView, pause: int, slot: Callable[[], None]) -> QTimer:
    timer = QTimer(view)
    timer.setSingleShot(True)
    timer.setInterval(pause)
    timer.timeout.connect(slot)
    return timer


def _paint_message(painter: QPainter, area: QRect, text: str) -> None:
    painter.setFont(theme.sans(theme.LARGE))
    painter.setPen(QColor(theme.tokens().muted))
    painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap), text)
