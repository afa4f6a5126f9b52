"""The text of a page, read-only and selectable, with its marks and hidden stretches. Offsets are those of the case."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QKeySequence, QResizeEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from core.domain import Label
from gui_app import look
from gui_app.widgets import inks
from gui_app.widgets.page_geometry import Mark
from gui_app.widgets.page_text import ShownText

_UNDERLINE: dict[Label | None, QTextCharFormat.UnderlineStyle] = {
    "supports": QTextCharFormat.UnderlineStyle.SingleUnderline,
    "contradicts": QTextCharFormat.UnderlineStyle.DashUnderline,
    "ambiguous": QTextCharFormat.UnderlineStyle.DashDotLine,
    "neutral": QTextCharFormat.UnderlineStyle.DotLine,
    None: QTextCharFormat.UnderlineStyle.SingleUnderline,
}
COLUMN = 760  # pixels: about 90 characters, the longest line that reads well


class TextView(QPlainTextEdit):
    """Shows one page's text in the document's face."""

    words_selected = Signal(int, int, QRect)
    selection_cleared = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("Text of the page"))
        self.setTabChangesFocus(True)
        # A read-only text must still show where the keyboard selects.
        self.setTextInteractionFlags(
            self.textInteractionFlags().TextSelectableByMouse | self.textInteractionFlags().TextSelectableByKeyboard
        )
        self._text = ShownText("")
        self._marks: Sequence[Mark] = ()
        self._current: int | None = None
        self._hidden: Sequence[tuple[int, int]] = ()
        self._finds: Sequence[tuple[int, int]] = ()
        self._find_current = 0
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.setInterval(0)
        self._settled.timeout.connect(self._tell_selection)
        self.selectionChanged.connect(self._settled.start)

    def show_text(
        self, text: str, marks: Sequence[Mark] = (), hidden: Sequence[tuple[int, int]] = (), current: int | None = None
    ) -> None:
        self._text = ShownText(text)
        self._marks, self._hidden, self._current, self._finds = marks, hidden, current, ()
        self.setFont(look.serif())
        self.setPlainText(self._text.shown)
        self._paint_spans()
        if current is not None:
            self.centre_on(marks[current].start, marks[current].end)

    def set_marks(self, marks: Sequence[Mark], current: int | None = None) -> None:
        self._marks, self._current = marks, current
        self._paint_spans()

    def set_finds(self, spans: Sequence[tuple[int, int]], current: int = 0) -> None:
        self._finds, self._find_current = spans, current
        self._paint_spans()
        if spans:
            self.centre_on(*spans[current])

    def centre_on(self, start: int, end: int) -> None:
        """Bring text[start:end] to the middle, the cursor at its start."""
        cursor = self.textCursor()
        cursor.setPosition(self._text.to_qt(start))
        self.setTextCursor(cursor)
        self.centerCursor()

    def selection(self) -> tuple[int, int] | None:
        """The offsets of the selected text, without the spaces around it; None when nothing is selected."""
        cursor = self.textCursor()
        if not cursor.hasSelection():
            return None
        start = self._text.from_qt(cursor.selectionStart())
        end = self._text.from_qt(cursor.selectionEnd())
        chosen = self._text.shown[start:end]
        start += len(chosen) - len(chosen.lstrip())
        end -= len(chosen) - len(chosen.rstrip())
        return (start, end) if start < end else None

    def select(self, start: int, end: int) -> None:
        cursor = self.textCursor()
        cursor.setPosition(self._text.to_qt(start))
        cursor.setPosition(self._text.to_qt(end), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def clear_selection(self) -> None:
        cursor = self.textCursor()
        cursor.clearSelection()
        self.setTextCursor(cursor)

    def _tell_selection(self) -> None:
        chosen = self.selection()
        if chosen is None:
            self.selection_cleared.emit()
            return
        cursor = self.textCursor()
        ends = QTextCursor(cursor)
        ends.setPosition(cursor.selectionEnd())
        starts = QTextCursor(cursor)
        starts.setPosition(cursor.selectionStart())
        self.words_selected.emit(*chosen, self.cursorRect(starts).united(self.cursorRect(ends)))

    def _paint_spans(self) -> None:
        spans: list[QTextEdit.ExtraSelection] = []
        for start, end in self._hidden:
            format_ = QTextCharFormat()
            format_.setForeground(QColor(look.tokens().muted))
            format_.setFontStrikeOut(True)
            spans.append(self._span(start, end, format_))
        for index, mark in enumerate(self._marks):
            format_ = QTextCharFormat()
            format_.setBackground(inks.text_tint(mark.stance, strong=index == self._current))
            format_.setUnderlineStyle(_UNDERLINE[mark.stance])
            format_.setUnderlineColor(QColor(inks.tone(mark.stance)))
            spans.append(self._span(mark.start, mark.end, format_))
        for index, (start, end) in enumerate(self._finds):
            format_ = QTextCharFormat()
            format_.setBackground(inks.find())
            if index == self._find_current:
                format_.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
                format_.setFontWeight(QFont.Weight.Bold)
            spans.append(self._span(start, end, format_))
        self.setExtraSelections(spans)

    def _span(self, start: int, end: int, format_: QTextCharFormat) -> QTextEdit.ExtraSelection:
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._text.to_qt(start))
        cursor.setPosition(self._text.to_qt(end), QTextCursor.MoveMode.KeepAnchor)
        made = QTextEdit.ExtraSelection()
        made.cursor = cursor
        made.format = format_
        return made

    def event(self, event: QEvent) -> bool:
        # Copying is a command of the viewer: it adds the citation.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _copies(event):
            event.ignore()
            return False
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        aside = max(24, (self.width() - COLUMN) // 2)
        self.setViewportMargins(aside, 16, max(24, aside - self.verticalScrollBar().width()), 16)


def _copies(event: QKeyEvent) -> bool:
    return event.matches(QKeySequence.StandardKey.Copy)
