"""The strip of a scan around one word, and the field in which that word is put right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QWidget

from gui_app.shared import mark_colours, theme

HIGH, LOW = 176, 112  # pixels of the strip at the default text size, where there is room and where there is little
TEXT_HIGH = 26  # pixels that a line of the page is shown high, whatever its size on paper
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Cut:
    """A picture of a strip as wide as its page.

    ``zoom`` is window pixels a point, ``ratio`` picture pixels a window pixel, ``box`` the word in points of the page,
    ``top`` the point of the page where the strip begins.
    """

    png: bytes
    zoom: float
    ratio: float
    box: Box
    top: float


def zoom_for(heights: Sequence[float]) -> float:
    """Return the window pixels a point at which lines can be read, by the boxes of a page's words."""
    positive = sorted(height for height in heights if height > 0)
    middle = positive[len(positive) // 2] if positive else 12.0
    return min(4.0, max(1.0, TEXT_HIGH / middle))


def top_of(box: Box, high: float, page: float) -> float:
    """Return where a strip of ``high`` points around ``box`` begins on a page of ``page`` points (0: unknown).

    A strip has the same room above and below its word, except where the page ends.
    """
    room = (high - (box[3] - box[1])) / 2
    if box[1] < room:
        return 0.0
    if page and box[3] + room > page + 0.5:
        return max(0.0, page - high)
    return box[1] - room


class StripView(QWidget):
    """The strip with the word in its middle. Paper is white in every theme.

    ``hovered(number)`` tells the word under the pointer by its number among ``know``, -1 for none.
    """

    hovered = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("The word on the page itself")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._picture = QPixmap()
        self._cut: Cut | None = None
        self._message = ""
        self._words: Sequence[tuple[str, Box]] = ()
        self._page_words: Sequence[tuple[str, Box]] = ()
        self._pointed_at: int = -1
        self._high = HIGH
        self.setMouseTracking(True)
        theme.changed.connect(self._dress)
        self._dress()

    def show_cut(self, cut: Cut) -> None:
        """Show a strip."""
        picture = QPixmap()
        picture.loadFromData(cut.png)
        picture.setDevicePixelRatio(cut.ratio)
        self._picture, self._cut, self._message = picture, cut, ""
        self.update()

    def say(self, message: str) -> None:
        """Show words in place of the picture."""
        self._picture, self._cut, self._message = QPixmap(), None, message
        self.update()

    def cut(self) -> Cut | None:
        """Return the strip on show."""
        return self._cut

    def message(self) -> str:
        """Return the words that are in place of the picture."""
        return self._message

    def lay_over(self, words: Sequence[tuple[str, Box]]) -> None:
        """Lay words of the text over the picture, each in its place (points of the page); none takes them away."""
        self._words = words
        self.update()

    def know(self, words: Sequence[tuple[str, Box]]) -> None:
        """Take the words of the page, each in its place, for the pointer to find."""
        self._page_words, self._pointed_at = words, -1
        self.update()

    def point(self, number: int) -> None:
        """Frame a word of the page, because its counterpart in the text is pointed at; -1 ends it."""
        if number != self._pointed_at:
            self._pointed_at = number if 0 <= number < len(self._page_words) else -1
            self.update()

    def pointed_word(self) -> str:
        """Return the word that is pointed at, '' for none."""
        return self._page_words[self._pointed_at][0] if self._pointed_at >= 0 else ""

    def place_of(self, box: Box) -> QRectF:
        """Return where a box of the page lies in the widget."""
        if self._cut is None:
            return QRectF()
        zoom, origin = self._cut.zoom, self.origin()
        left, top = origin.x() + box[0] * zoom, origin.y() + (box[1] - self._cut.top) * zoom
        return QRectF(left, top, (box[2] - box[0]) * zoom, (box[3] - box[1]) * zoom)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Frame the word under the pointer, and tell which it is."""
        point = event.position()
        numbers = (number for number, (_, box) in enumerate(self._page_words) if self.place_of(box).contains(point))
        number = next(numbers, -1)
        self.point(number)
        self.hovered.emit(number)

    def leaveEvent(self, event: QEvent) -> None:
        """Take the frame away."""
        self.point(-1)
        self.hovered.emit(-1)
        super().leaveEvent(event)

    def make_room(self, little: bool) -> None:
        """Take less height where there is little."""
        self._high = LOW if little else HIGH
        self._dress()

    def _dress(self) -> None:
        self.setFixedHeight(theme.px(self._high))
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height of the strip."""
        return QSize(400, theme.px(self._high))

    def origin(self) -> QPointF:
        """Return where the left top of the picture lies: the word in the middle, no more paper than there is."""
        if self._cut is None:
            return QPointF()
        cut, size = self._cut, self._picture.deviceIndependentSize()
        middle = ((cut.box[0] + cut.box[2]) / 2 * cut.zoom, ((cut.box[1] + cut.box[3]) / 2 - cut.top) * cut.zoom)
        place = []
        for middle_of_side, length, room in (
            (middle[0], size.width(), self.width()),
            (middle[1], size.height(), self.height()),
        ):
            place.append(
                (room - length) / 2 if length <= room else min(0.0, max(room - length, room / 2 - middle_of_side))
            )
        return QPointF(round(place[0]), round(place[1]))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the strip, the text over it and the frame."""
        painter = QPainter(self)
        ink = theme.tokens()
        painter.fillRect(self.rect(), QColor(ink.raised))
        if self._cut is None:
            painter.setPen(QColor(ink.muted))
            area = self.rect().adjusted(24, 8, -24, -8)
            painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap), self._message)
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        origin = self.origin()
        painter.drawPixmap(origin, self._picture)
        self._paint_words(painter)
        if self._pointed_at >= 0:
            painter.setPen(QPen(QColor(theme.LIGHT.accent), 2))
            painter.drawRect(self.place_of(self._page_words[self._pointed_at][1]).adjusted(-2, -2, 2, 2))
        painter.setPen(QColor(ink.line))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _paint_words(self, painter: QPainter) -> None:
        cut = self._cut
        if cut is None:
            return
        painter.setClipRect(QRectF(self.origin(), self._picture.deviceIndependentSize()))
        for text, (x0, y0, x1, y1) in self._words:
            place = self.place_of((x0, y0, x1, y1))
            if not text or not place.intersects(QRectF(self.rect())):
                continue
            here = (x0, y0, x1, y1) == cut.box
            painter.fillRect(
                place.adjusted(-1, -1, 1, 1), mark_colours.paper_find() if here else QColor(theme.LIGHT.surface)
            )
            font = theme.serif()
            font.setPixelSize(round(TEXT_HIGH * 0.85))
            wide = QFontMetrics(font).horizontalAdvance(text)
            font.setStretch(max(40, min(200, round(100 * place.width() / max(1, wide)))))
            painter.setFont(font)
            painter.setPen(QColor(theme.LIGHT.accent))
            painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextDontClip), text)
        painter.setClipping(False)


class WordField(QLineEdit):
    """A field with the word in large letters.

    Letters are commands of the screen until editing begins; then they are typed. ``as_read()`` on Enter,
    ``corrected(text)`` on Enter after editing, ``asked()`` for the other readings on Down.
    """

    as_read = Signal()
    corrected = Signal(str)
    asked = Signal()
    editing_changed = Signal(bool)

    def __init__(self, accessible_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(accessible_name)
        self._word = ""
        self.editing = False
        self.setReadOnly(True)
        theme.changed.connect(self._dress)
        self._dress()

    def show_word(self, word: str) -> None:
        """Show another word, as it was read."""
        self._word = word
        self._edit(False)
        self.setText(word)
        self.setCursorPosition(0)

    def begin(self, key: Qt.Key | None = None) -> None:
        """Begin to type; ``key`` is the arrow that did, and says where."""
        self._edit(True)
        self.setFocus()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_End):
            self.end(False)
        elif key in (Qt.Key.Key_Right, Qt.Key.Key_Home):
            self.home(False)
        else:
            self.selectAll()

    def leave(self) -> None:
        """Go back to the word as it was read."""
        self.show_word(self._word)

    def _edit(self, on: bool) -> None:
        if on != self.editing:
            self.editing = on
            self.setReadOnly(not on)
            self.editing_changed.emit(on)

    def _dress(self) -> None:
        self.setFont(theme.serif(22))
        self.setFixedHeight(QFontMetrics(theme.serif(22)).height() + 14)

    def event(self, event: QEvent) -> bool:
        """Leave letters and Ctrl+Z to the screen until editing begins."""
        # Until editing begins, a letter is a command, and Ctrl+Z takes back a decision, not a letter.
        if event.type() == QEvent.Type.ShortcutOverride and not self.editing:
            event.ignore()
            return False
        return super().event(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Begin to type."""
        if not self.editing:
            self.begin()
        super().mouseDoubleClickEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take Enter, Escape, Down and the keys that begin typing."""
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            word = " ".join(self.text().split())
            if self.editing and word and word != self._word:
                self._edit(False)
                self.corrected.emit(word)
            elif word:
                self._edit(False)
                self.as_read.emit()
        elif key == Qt.Key.Key_Down:
            self.asked.emit()
        elif key == Qt.Key.Key_Escape and self.editing:
            self.leave()
        elif not self.editing and key in _BEGINS:
            self.begin(key)
        else:
            super().keyPressEvent(event)


_BEGINS = (Qt.Key.Key_F2, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End)
