"""A line or two of a document's own words in which a part is marked: by colour behind it, or underlined."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QTextCharFormat, QTextLayout, QTextLine

from gui_app.shared import mark_colours, theme
from gui_app.shared.flowing_text import FlowingText, units
from gui_app.shared.reading_direction import text_option


class MarkedText(FlowingText):
    """Text with ``text[start:end]`` marked.

    ``hovered(place)`` tells the character under the pointer, -1 for none, once ``follow_pointer`` was called.
    """

    hovered = Signal(int)

    def __init__(self, accessible_name: str, *, size: int = theme.LARGE, underline: bool = False) -> None:
        super().__init__(accessible_name, size)
        self._underline = underline
        self._start = self._end = 0
        self._also: tuple[tuple[int, int], ...] = ()
        self._pointed_span = (0, 0)

    def set_text(self, text: str, start: int = 0, end: int = 0, *, also: Sequence[tuple[int, int]] = ()) -> None:
        """Show a text with ``text[start:end]`` marked, and further parts (``also``)."""
        self._text, self._start, self._end, self._also = text, start, end, tuple(also)
        self._pointed_span = (0, 0)
        self.setAccessibleName(f"{self._name}: {text}")
        self._dress()

    def follow_pointer(self) -> None:
        """Emit from now on which character the pointer is over."""
        self.setMouseTracking(True)

    def point(self, start: int, end: int) -> None:
        """Underline a part as well, because its counterpart elsewhere is pointed at; (0, 0) ends it."""
        if (start, end) != self._pointed_span:
            self._pointed_span = (start, end)
            self.update()

    def pointed_part(self) -> str:
        """Return the part that is pointed at."""
        return self._text[self._pointed_span[0] : self._pointed_span[1]]

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Emit the character under the pointer."""
        layout, _ = self._lines(self.width())
        offset = -1
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            if line.naturalTextRect().contains(event.position()):
                position = line.xToCursor(event.position().x(), QTextLine.CursorPosition.CursorOnCharacter)
                offset = len(
                    self._text.encode("utf-16-le", "surrogatepass")[: 2 * _int(position)].decode("utf-16-le", "replace")
                )
        self.hovered.emit(offset)

    def leaveEvent(self, event: QEvent) -> None:
        """Emit that the pointer is over no character."""
        self.hovered.emit(-1)
        super().leaveEvent(event)

    def marked_part(self) -> str:
        """Return the part that is marked."""
        return self._text[self._start : self._end]

    def _lines(self, width: int) -> tuple[QTextLayout, float]:
        layout = QTextLayout(self._text, theme.serif(self._size))
        layout.setTextOption(text_option(self._text))
        formats: list[QTextLayout.FormatRange] = []
        marked, pointed = QTextCharFormat(), QTextCharFormat()
        pointed.setFontUnderline(True)
        if self._underline:
            marked.setFontUnderline(True)
            marked.setUnderlineColor(QColor(theme.tokens().contradicts))
            marked.setForeground(QColor(theme.tokens().contradicts))
        else:
            marked.setBackground(mark_colours.find())
        parts = ((self._start, self._end, marked), *((*span, marked) for span in self._also))
        for start, end, look in (*parts, (*self._pointed_span, pointed)):
            if end > start:
                part = QTextLayout.FormatRange()
                part.start, part.length = units(self._text[:start]), units(self._text[start:end])
                part.format = look
                formats.append(part)
        layout.setFormats(formats)
        high = 0.0
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(1, width))
            line.setPosition(QPointF(0, high))
            high += line.height()
        layout.endLayout()
        return layout, high

    def heightForWidth(self, width: int) -> int:
        """Return the height of all lines at that width."""
        return round(self._lines(width)[1] + 0.5)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the text with its marks."""
        painter = QPainter(self)
        painter.setPen(QColor(theme.tokens().text))
        self._lines(self.width())[0].draw(painter, QPointF(0, 0))


def _int(position: int | tuple[int, float]) -> int:
    """Return a cursor as a number: PySide gives one, or one and what is left of the place asked for."""
    return position[0] if isinstance(position, tuple) else position
