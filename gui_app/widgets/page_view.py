"""One page, as it looks, with its marks: the widget that shows a quote where it stands. It reads nothing by itself.

Whoever owns it hands over the words, the marks and a picture, and is asked for a sharper one by ``picture_wanted``.
Until a picture is there the words are drawn as bars, so that the place of a quote is visible at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
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
from gui_app import look
from gui_app.widgets import inks
from gui_app.widgets.page_geometry import Mark, bounds, lanes, lines, span, word_at

SMALLEST, LARGEST = 0.25, 6.0  # logical pixels a point
STEP = 1.15
SHARPEST = 4.0  # pixels a point; beyond, a picture is enlarged
EDGE = 24  # pixels around the page
LANE = 36  # pixels a lane of margin stripes
GUTTER = 2 * LANE  # kept free beside every page, so that pages with and without marks are shown at one size
PAPER = QColor("#ffffff")  # the page itself is never recoloured: it is what the document looks like
BAR = QColor("#d9dbe0")

_UNDERLINE: dict[Label | None, Qt.PenStyle] = {
    "supports": Qt.PenStyle.SolidLine,
    "contradicts": Qt.PenStyle.DashLine,
    "ambiguous": Qt.PenStyle.DashDotLine,
    "neutral": Qt.PenStyle.DotLine,
    None: Qt.PenStyle.SolidLine,
}


class PageView(QAbstractScrollArea):
    """Shows one page. ``fit`` is 'width', 'page' or '' for a zoom of the person's own."""

    picture_wanted = Signal(float)
    zoomed = Signal(float)
    words_selected = Signal(int, int, QRect)
    selection_cleared = Signal()
    mark_clicked = Signal(object)
    turned = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Page"))
        self.viewport().setMouseTracking(True)
        self.verticalScrollBar().setSingleStep(32)
        self.horizontalScrollBar().setSingleStep(32)
        self.fit = "width"
        self.scale = 1.0
        self._size = QSize(612, 792)
        self._words: Sequence[Word] = ()
        self._marks: Sequence[Mark] = ()
        self._shapes: list[list[QRectF]] = []
        self._lanes: list[int] = []
        self._current: int | None = None
        self._image = QImage()
        self._image_scale = 0.0
        self._message = ""
        self._anchor: int | None = None
        self._picked: tuple[int, int] | None = None
        self._picked_shape: list[QRectF] = []
        self._finds: list[list[QRectF]] = []
        self._find_current = 0
        # Zooming by wheel asks for a sharp picture once, when it comes to rest.
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(120)
        self._rest.timeout.connect(self._ask_for_picture)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_page(self, width: float, height: float, words: Sequence[Word], marks: Sequence[Mark] = ()) -> None:
        """A page of ``width`` x ``height`` points, without its picture so far."""
        self._size = QSize(max(1, round(width)), max(1, round(height)))
        self._words = words
        self._image, self._image_scale = QImage(), 0.0
        self._message = ""
        self._finds = []
        self._clear_selection()
        self.set_marks(marks)
        self._fit()
        self.viewport().update()
        self._ask_for_picture()

    def show_message(self, text: str) -> None:
        """A sentence in place of a page."""
        self._message = text
        self._words, self._marks, self._shapes, self._lanes = (), (), [], []
        self._image = QImage()
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
        """Pixels a point at which a picture needs no scaling on this screen: scaled text is never as sharp."""
        return min(SHARPEST, round(self.scale * self.devicePixelRatioF(), 3))

    def set_marks(self, marks: Sequence[Mark], current: int | None = None) -> None:
        self._marks = marks
        self._shapes = [lines([w for w in self._words if w.start < m.end and w.end > m.start]) for m in marks]
        placed = [i for i, shape in enumerate(self._shapes) if shape]
        where = lanes([(self._shapes[i][0].top(), self._shapes[i][-1].bottom()) for i in placed])
        self._lanes = [0] * len(marks)
        for index, lane in zip(placed, where, strict=True):
            self._lanes[index] = lane
        self._current = current
        self._update_bars()
        self.viewport().update()

    def set_current(self, index: int | None) -> None:
        """Which mark the person came for; it is drawn strongest and kept in the middle."""
        self._current = index
        self.viewport().update()

    def set_finds(self, spans: Sequence[tuple[int, int]], current: int = 0) -> None:
        """Hits of a search in the text; the current one is framed and brought to the middle."""
        self._finds = [lines([w for w in self._words if w.start < end and w.end > start]) for start, end in spans]
        self._find_current = current
        if self._finds and spans:
            self.centre_on(*spans[current])
        self.viewport().update()

    def mark_rect(self, index: int) -> QRectF:
        """Where a mark stands, in points; empty when its words have no boxes."""
        mark = self._marks[index]
        return bounds([w for w in self._words if w.start < mark.end and w.end > mark.start])

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
        moved = self._origin()
        self.horizontalScrollBar().setValue(
            round(self.horizontalScrollBar().value() + moved.x() + at.x() * self.scale - anchor.x())
        )
        self.verticalScrollBar().setValue(
            round(self.verticalScrollBar().value() + moved.y() + at.y() * self.scale - anchor.y())
        )

    def zoom_in(self) -> None:
        self.zoom_to(self.scale * STEP)

    def zoom_out(self) -> None:
        self.zoom_to(self.scale / STEP)

    def centre_on(self, start: int, end: int) -> bool:
        """Bring text[start:end] to the middle; False when none of its words has a box."""
        box = bounds([w for w in self._words if w.start < end and w.end > start])
        if box.isEmpty():
            return False
        seen = self.to_view(box)
        view = self.viewport().rect()
        down = seen.center().y() - view.height() / 2
        if seen.height() > view.height() - 2 * EDGE:
            down = seen.top() - EDGE
        self.verticalScrollBar().setValue(round(self.verticalScrollBar().value() + down))
        if not (view.left() <= seen.left() and seen.right() <= view.right()):
            bar = self.horizontalScrollBar()
            bar.setValue(round(bar.value() + seen.center().x() - view.width() / 2))
        return True

    def _centre_current(self) -> None:
        if self._current is not None and self._current < len(self._marks):
            mark = self._marks[self._current]
            self.centre_on(mark.start, mark.end)

    def _fit(self) -> None:
        room = self.viewport().size()
        across = (room.width() - 2 * EDGE - GUTTER) / self._size.width()
        if self.fit == "width":
            self._set_scale(min(across, 2.0))  # a page wider than reading distance helps nobody
        elif self.fit == "page":
            self._set_scale(min(across, (room.height() - 2 * EDGE) / self._size.height()))
        else:
            self._set_scale(self.scale)

    def _set_scale(self, scale: float) -> None:
        scale = min(LARGEST, max(SMALLEST, scale))
        changed = abs(scale - self.scale) > 1e-6
        self.scale = scale
        self._update_bars()
        if changed:
            self.zoomed.emit(scale)
            self._rest.start()
            self.viewport().update()

    def _update_bars(self) -> None:
        room = self.viewport().size()
        wide = round(self._size.width() * self.scale) + 2 * EDGE + GUTTER
        high = round(self._size.height() * self.scale) + 2 * EDGE
        for bar, need, have in (
            (self.horizontalScrollBar(), wide, room.width()),
            (self.verticalScrollBar(), high, room.height()),
        ):
            bar.setPageStep(max(1, have))
            bar.setRange(0, max(0, need - have))

    def _origin(self) -> QPointF:
        room = self.viewport().size()
        wide = self._size.width() * self.scale
        free = room.width() - wide - GUTTER
        left = max(float(EDGE), free / 2) - self.horizontalScrollBar().value()
        return QPointF(round(left), EDGE - self.verticalScrollBar().value())

    def _ask_for_picture(self) -> None:
        if not self._message and self.wanted_scale() != self._image_scale:
            self.picture_wanted.emit(self.wanted_scale())

    # --- painting ----------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        ink = look.tokens()
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
            if self._image_scale == self.wanted_scale() < SHARPEST:
                painter.drawImage(page.topLeft(), self._image)
            else:
                painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
                painter.drawImage(page, self._image)
        self._paint_marks(painter)
        painter.setPen(QPen(QColor(ink.strong_line), 1))
        painter.drawRect(page.adjusted(-0.5, -0.5, 0.5, 0.5))
        self._paint_stripes(painter, page)

    def _paint_marks(self, painter: QPainter) -> None:
        """Multiplied over the page, so that the ink under a mark stays as black as it was."""
        painter.save()
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
        for shapes, colour in (
            *((shape, inks.paper_find()) for shape in self._finds),
            (self._picked_shape, inks.paper_selection()),
        ):
            for box in shapes:
                painter.fillRect(self.to_view(box).adjusted(-1, -1, 1, 1), colour)
        for index, shape in enumerate(self._shapes):
            tint = inks.paper_tint(self._marks[index].stance, strong=index == self._current)
            for box in shape:
                painter.fillRect(self.to_view(box).adjusted(-1, -1, 1, 1), tint)
        painter.restore()
        for index, shape in enumerate(self._finds):
            if index == self._find_current:
                painter.setPen(QPen(inks.paper_tone(None), 1.5))
                for box in shape:
                    painter.drawRect(self.to_view(box).adjusted(-2, -2, 2, 2))
        for index, shape in enumerate(self._shapes):
            mark = self._marks[index]
            current = index == self._current
            pen = QPen(inks.paper_tone(mark.stance), 2.0 if current else 1.0, _UNDERLINE[mark.stance])
            painter.setPen(pen)
            for box in shape:
                seen = self.to_view(box)
                painter.drawLine(seen.bottomLeft() + QPointF(0, 1.5), seen.bottomRight() + QPointF(0, 1.5))
            if current and shape:
                self._paint_corners(painter, self.to_view(self.mark_rect(index)), inks.paper_tone(mark.stance))

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
        shape = self._shapes[index]
        top, bottom = self.to_view(shape[0]).top(), self.to_view(shape[-1]).bottom()
        left = page.right() + 8 + LANE * min(1, self._lanes[index])
        return QRectF(left, top, LANE - 6, max(18.0, bottom - top))

    def _paint_stripes(self, painter: QPainter, page: QRectF) -> None:
        ink = look.tokens()
        font = look.sans(look.SMALL, bold=True)
        painter.setFont(font)
        for index, shape in enumerate(self._shapes):
            if not shape:
                continue
            mark = self._marks[index]
            box = self._stripe(index, page)
            tone = inks.tone(mark.stance)
            bar = QRectF(box.left(), box.top(), 4, box.height())
            if mark.decided:
                painter.fillRect(bar, tone)
            else:
                painter.setPen(QPen(tone, 1))
                painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5))
            painter.setPen(tone if index == self._current else QColor(ink.muted))
            self._paint_letters(painter, mark.letters.split(), box.adjusted(8, 0, 0, 0))

    @staticmethod
    def _paint_letters(painter: QPainter, letters: list[str], box: QRectF) -> None:
        """The hypotheses below each other; '+' behind the last one that fits when there are more."""
        high = painter.fontMetrics().height()
        fit = max(1, int(box.height() // high))
        for at, letter in enumerate(letters[:fit]):
            more = "+" if at == fit - 1 and len(letters) > fit else ""
            painter.drawText(QPointF(box.left(), box.top() + at * high + painter.fontMetrics().ascent()), letter + more)

    def _paint_message(self, painter: QPainter) -> None:
        painter.setFont(look.sans(look.LARGE))
        painter.setPen(QColor(look.tokens().muted))
        area = self.viewport().rect().adjusted(48, 48, -48, -48)
        painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap), self._message)

    # --- pointing and typing -----------------------------------------------------------------------------------------

    def selection(self) -> tuple[int, int] | None:
        """The offsets of the words picked with the mouse or Shift and the arrows."""
        return span(self._words, *self._picked) if self._picked is not None else None

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
        had = self._picked is not None
        self._anchor, self._picked, self._picked_shape = None, None, []
        if had:
            self.selection_cleared.emit()

    def _pick(self, first: int, last: int) -> None:
        self._picked = (first, last)
        low, high = min(first, last), max(first, last)
        self._picked_shape = lines(self._words[low : high + 1])
        self.viewport().update()

    def _announce_selection(self) -> None:
        if self._picked is None:
            return
        low, high = min(self._picked), max(self._picked)
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
        self._clear_selection()
        self._anchor = word_at(self._words, self._point(event.position()))
        self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and self._anchor is not None:
            here = word_at(self._words, self._point(event.position()), reach=400.0)
            if here is not None:
                self._pick(self._anchor, here)
            return
        over = self._stripe_at(event.position())
        self.viewport().setToolTip(self._marks[over].about if over is not None else "")
        on_word = over is None and word_at(self._words, self._point(event.position()), reach=2.0) is not None
        shape = Qt.CursorShape.IBeamCursor if on_word else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if over is not None else shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._picked is not None:
            self._announce_selection()
        super().mouseReleaseEvent(event)

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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, shift = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if shift and key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and self._words:
            self._grow(1 if key == Qt.Key.Key_Right else -1)
        elif key == Qt.Key.Key_Escape and self._picked is not None:
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
        if self._picked is None:
            first = 0
            if self._current is not None and self._current < len(self._marks):
                start = self._marks[self._current].start
                first = next((i for i, word in enumerate(self._words) if word.end > start), 0)
            else:
                top = self._point(QPointF(0, 0)).y()
                first = next((i for i, word in enumerate(self._words) if word.y0 >= top), 0)
            self._anchor = first
            self._pick(first, first)
        else:
            start, last = self._picked
            self._pick(start, min(len(self._words) - 1, max(0, last + step)))
        self._announce_selection()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._message:
            self._fit()
            self._centre_current()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def sizeHint(self) -> QSize:
        return QSize(640, 720)
