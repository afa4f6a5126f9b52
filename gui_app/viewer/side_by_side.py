"""What can be beside a page: its text or what OCR read in it, word linked to word, or both readings of it.

Both readings are for a page on which a person sees less than the file says.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QFont, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextLength, QTextTableFormat
from PySide6.QtWidgets import QComboBox, QFrame, QTextEdit, QWidget

from core.documents.hidden_text import Row, two_readings
from core.domain import HIDDEN, Page, Word
from gui_app.shared import mark_colours, theme
from gui_app.shared.formatting import counted
from gui_app.shared.labels import ElidedLabel, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.page_geometry import Mark, PageWords
from gui_app.shared.qt_text import QtText
from gui_app.viewer.text_view import TextView

MAX_ROWS = 2_000


@dataclass(frozen=True, slots=True)
class ReadText:
    """One reading of a page: what it is called, its text, and where its words are on the page.

    ``own`` is the text of the case, whose offsets quotes are made of.
    """

    name: str
    text: str
    words: tuple[Word, ...]
    own: bool = False


class LinkedText(QWidget):
    """A text of the page on show.

    ``pointed(boxes)`` are the words pointed at in it (by mouse or cursor), in points; ``picked(start, end)`` a span of
    the case's own text selected in it.
    """

    pointed = Signal(object)
    picked = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = ElidedLabel("", "strong", mode=Qt.TextElideMode.ElideMiddle)
        self.choice = QComboBox()
        self.choice.setAccessibleName("Which reading")
        self.choice.currentIndexChanged.connect(lambda _at: self._show())
        self.view = TextView()
        self.view.has_stripes = False
        self.view.hovered.connect(self._point)
        self.view.cursorPositionChanged.connect(self._follow_cursor)
        self.view.words_selected.connect(self._pick)
        self._readings: Sequence[ReadText] = ()
        self._marks: tuple[Sequence[Mark], int | None] = ((), None)
        self._hidden_spans: Sequence[tuple[int, int]] = ()
        self._words = PageWords()
        head = hbox(margins=(16, 8, 16, 8), spacing=8)
        head.addWidget(self.title, 1)
        head.addWidget(self.choice)
        column = vbox(self, spacing=0)
        column.addLayout(head)
        column.addWidget(self.view, 1)
        self.setFocusProxy(self.view)

    def show_readings(
        self,
        title: str,
        readings: Sequence[ReadText],
        marks: tuple[Sequence[Mark], int | None] = ((), None),
        hidden_spans: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Show the readings to choose from; ``marks`` and ``hidden_spans`` are of the case's own text."""
        former = self.choice.currentText()
        self.title.setText(title)
        self.setAccessibleName(title)
        self._readings, self._marks, self._hidden_spans = readings, marks, hidden_spans
        self.choice.blockSignals(True)
        self.choice.clear()
        self.choice.addItems([reading.name for reading in readings])
        self.choice.setCurrentIndex(max(0, self.choice.findText(former)))
        self.choice.blockSignals(False)
        self.choice.setVisible(len(readings) > 1)
        self._show()

    def reading(self) -> ReadText | None:
        """Return the reading that is chosen."""
        index = self.choice.currentIndex()
        return self._readings[index] if 0 <= index < len(self._readings) else None

    def link(self, box: tuple[float, float, float, float] | None) -> None:
        """Mark the word that is in ``box`` of the page, the one that shares most of it."""
        best, largest = None, 0.0
        if box is not None:
            for word in self._words.all:
                wide = min(box[2], word.x1) - max(box[0], word.x0)
                high = min(box[3], word.y1) - max(box[1], word.y0)
                if wide > 0 and high > 0 and wide * high > largest:
                    best, largest = word, wide * high
        self.view.set_linked((best.start, best.end) if best is not None else None)

    def _show(self) -> None:
        reading = self.reading()
        if reading is None:
            self.view.show_text("")
            return
        self._words = PageWords(reading.words)
        marks, current = self._marks if reading.own else ((), None)
        self.view.show_text(reading.text, marks, self._hidden_spans if reading.own else (), current)

    def _follow_cursor(self) -> None:
        if self.view.hasFocus() and not self.view.textCursor().hasSelection():
            self._point(self.view.offset())

    def _point(self, offset: int | None) -> None:
        words = self._words.within(offset, offset + 1) if offset is not None else ()
        self.pointed.emit([(w.x0, w.y0, w.x1, w.y1) for w in words])

    def _pick(self, start: int, end: int, _box: object) -> None:
        reading = self.reading()
        if reading is not None and reading.own:
            self.picked.emit(start, end)


def shown_marks(text: str) -> str:
    """Write out characters that nobody can see, so that they neither hide nor turn their neighbours."""
    return "".join(f"⟨{char_name(char)}⟩" if unicodedata.category(char) == "Cf" else char for char in text)


def char_name(char: str) -> str:
    """Name a character: 'U+202E right-to-left override'."""
    name = unicodedata.name(char, "").lower()
    return f"U+{ord(char):04X} {name}".rstrip()


class TwoReadings(QWidget):
    """The two readings of a page, what a person sees and what its file says, paragraph beside paragraph.

    The reason is below every span that is not seen.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Both readings of the page")
        self.summary = plain("", "muted", wrap=True)
        self.text = QTextEdit()
        self.text.setReadOnly(True)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName("What is visible, and what the file says")
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        column = vbox(self, spacing=0)
        # Margins of a label are forgotten when the theme changes; those of a layout are not.
        above = vbox()
        above.setContentsMargins(22, 8, 16, 0)  # in line with the cells below it
        above.addWidget(self.summary)
        column.addLayout(above)
        column.addWidget(self.text, 1)
        self.setFocusProxy(self.text)
        self._page: Page | None = None
        theme.changed.connect(self._show)

    def show_page(self, page: Page) -> None:
        """Show both readings of a page."""
        self._page = page
        self._show()

    def _show(self) -> None:
        page = self._page
        if page is None:
            return
        rows = two_readings(page.text, page.hidden_spans, page.hidden_why)
        differ = [row for row in rows if row.hidden_spans]
        if not differ:
            self.summary.setText("Everything that the file says is visible on this page.")
            self.text.clear()
            return
        stretches = counted(sum(len(row.hidden_spans) for row in differ), "stretch", "stretches")
        self.summary.setText(f"Not visible on this page: {stretches} of its text.")
        ink = theme.tokens()
        self.text.clear()
        document = self.text.document()
        document.setDocumentMargin(16)
        cursor = QTextCursor(document)
        form = QTextTableFormat()
        form.setBorder(0)
        form.setCellPadding(6)
        form.setCellSpacing(0)
        form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        half_width = QTextLength(QTextLength.Type.PercentageLength, 50)
        form.setColumnWidthConstraints([half_width, half_width])
        form.setHeaderRowCount(1)
        rows = rows[:MAX_ROWS]
        table = cursor.insertTable(len(rows) + 1, 2, form)
        for column, heading in enumerate(("What is visible", "What the file says")):
            _write(table.cellAt(0, column).firstCursorPosition(), heading, _plain_format(ink.muted, bold=True))
        first: QTextCursor | None = None
        for number, row in enumerate(rows, start=1):
            left, right = table.cellAt(number, 0).firstCursorPosition(), table.cellAt(number, 1).firstCursorPosition()
            if row.visible:
                text = row.visible if row.hidden_spans else _short(row.visible)
                _write(left, text, _serif_format(ink.text if row.hidden_spans else ink.muted))
            else:
                _write(left, "(nothing)", _plain_format(ink.muted))
            self._write_said(right, page.text, row)
            if row.hidden_spans and first is None:
                first = table.cellAt(number, 1).firstCursorPosition()
        if first is not None:
            self.text.setTextCursor(first)
            bar = self.text.verticalScrollBar()
            bar.setValue(bar.value() + self.text.cursorRect().top() - self.text.viewport().height() // 3)

    def _write_said(self, cursor: QTextCursor, text: str, row: Row) -> None:
        """Write the paragraph as the file has it: what is not seen marked, and below it why."""
        ink = theme.tokens()
        if not row.hidden_spans:
            _write(cursor, _short(row.text), _serif_format(ink.muted))
            return
        offset = row.start
        for start, end, _ in row.hidden_spans:
            _write(cursor, text[offset:start], _serif_format(ink.text))
            kind = _serif_format(ink.contradicts)
            kind.setBackground(theme.tint("contradicts"))
            kind.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DashUnderline)
            kind.setUnderlineColor(mark_colours.tone("contradicts"))
            _write(cursor, text[start:end], kind)
            offset = end
        _write(cursor, text[offset : row.end], _serif_format(ink.text))
        reasons = list(dict.fromkeys(HIDDEN.get(why, HIDDEN["unseen"]) for _, _, why in row.hidden_spans))
        cursor.insertBlock(QTextBlockFormat())
        _write(cursor, "Not visible: {why}".format(why="; ".join(reasons)), _plain_format(ink.muted))


def _short(text: str) -> str:
    """Shorten a paragraph in which both readings agree: one must only know where one is."""
    words = " ".join(text.split())
    if len(words) <= 160:
        return words
    return f"{words[:90].rpartition(' ')[0]} … {words[-50:].partition(' ')[2]}"


def _write(cursor: QTextCursor, text: str, kind: QTextCharFormat) -> None:
    cursor.insertText(QtText(shown_marks(text)).text.replace("\n", " "), kind)


def _serif_format(colour: str) -> QTextCharFormat:
    return _format(theme.serif(theme.BODY), colour)


def _plain_format(colour: str, *, bold: bool = False) -> QTextCharFormat:
    return _format(theme.sans(theme.SMALL, bold=bold), colour)


def _format(font: QFont, colour: str) -> QTextCharFormat:
    char_format = QTextCharFormat()
    char_format.setFont(font)
    char_format.setForeground(QColor(colour))
    return char_format
