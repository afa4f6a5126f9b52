"""A quote in the words of its document, with what is before and after, and the editing of its span."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from core.domain import Label
from gui_app.shared import mark_colours, theme
from gui_app.shared.formatting import flowing
from gui_app.shared.labels import plain

AROUND = 2_000  # characters on either side that are looked at for sentences: a page of a log may hold a megabyte
MAX_CONTEXT_CHARS = 320  # characters shown before and after


@dataclass(frozen=True, slots=True)
class QuoteContext:
    """A quote with its neighbourhood on the page: sentence and word borders as offsets into the page."""

    text: str
    start: int
    end: int
    sentence_starts: tuple[int, ...]
    sentence_ends: tuple[int, ...]
    word_starts: tuple[int, ...]
    word_ends: tuple[int, ...]

    @classmethod
    def of(cls, text: str, start: int, end: int) -> QuoteContext:
        """Return the neighbourhood of ``text[start:end]``.

        Sentences are those the rest of the product uses.
        """
        from core.text import sentences  # beside its use: splitting sentences is not needed to open a window

        low, high = max(0, start - AROUND), min(len(text), end + AROUND)
        spans = [(low + span.start, low + span.end) for span in sentences(text[low:high])]
        words = []
        offset = low
        for part in text[low:high].split():
            offset = text.index(part, offset)
            words.append((offset, offset + len(part)))
            offset += len(part)
        return cls(
            text,
            start,
            end,
            tuple(span[0] for span in spans),
            tuple(span[1] for span in spans),
            tuple(word[0] for word in words),
            tuple(word[1] for word in words),
        )

    def before(self, start: int) -> str:
        """Return the sentence before ``start``, or what of its own sentence is before it."""
        index = bisect_left(self.sentence_starts, start) - 1
        return _tidy(self.text[self.sentence_starts[index] : start])[-MAX_CONTEXT_CHARS:] if index >= 0 else ""

    def after(self, end: int) -> str:
        """Return the sentence after ``end``, or the rest of the one it is in."""
        index = bisect_right(self.sentence_ends, end)
        if index == len(self.sentence_ends):
            return ""
        return _tidy(self.text[end : self.sentence_ends[index]])[:MAX_CONTEXT_CHARS]

    def step(self, edge: int, way: int, *, at_end: bool, sentences: bool) -> int:
        """Return where the start or the end of the span lands after one step forward (1) or back (-1)."""
        if at_end:
            borders = self.sentence_ends if sentences else self.word_ends
        else:
            borders = self.sentence_starts if sentences else self.word_starts
        index = bisect_right(borders, edge) if way > 0 else bisect_left(borders, edge) - 1
        return borders[index] if 0 <= index < len(borders) else edge


def _tidy(text: str) -> str:
    """Show line breaks that only the width of a page made as single spaces."""
    return flowing(text)


class QuoteView(QWidget):
    """The quote large, its neighbours muted. In editing, arrows move its end, Shift and arrows its start.

    Right and Left move by a word, Down and Up by a sentence; Enter takes the span, Escape leaves it as it was.
    """

    edited = Signal(int, int)
    left = Signal()
    changed = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Quote")
        self._context: QuoteContext | None = None
        self._start = self._end = 0
        self._stance: Label | None = None
        self.editing = False
        self.before, self.quote, self.after = (plain(wrap=True, selectable=True) for _ in range(3))
        self.before.setAccessibleName("Text before")
        self.quote.setAccessibleName("The quote")
        self.after.setAccessibleName("Text after")
        for label in (self.before, self.quote, self.after):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.hint = plain(
            "← → end by a word · ↑ ↓ end by a sentence · with Shift the start · Enter takes it · Esc leaves it",
            "small",
            wrap=True,
        )
        self.hint.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 0, 0, 0)
        column.setSpacing(12)
        for label in (self.before, self.quote, self.after, self.hint):
            column.addWidget(label)
        theme.changed.connect(self._dress)
        self._dress()

    def show_quote(self, context: QuoteContext, stance: Label | None) -> None:
        """Show a quote between its neighbours, in the tone of a stance."""
        self._context, self._stance = context, stance
        self._start, self._end = context.start, context.end
        self.editing = False
        self.hint.hide()
        self._show()

    def span(self) -> tuple[int, int]:
        """Return the span on show: the proposed one, or what editing has made of it."""
        return self._start, self._end

    def is_changed(self) -> bool:
        """Return whether the span on show is another than the proposed one."""
        return self._context is not None and self.span() != (self._context.start, self._context.end)

    def begin_editing(self) -> None:
        """Let the arrows move the borders of the span."""
        if self._context is not None:
            self.editing = True
            self.hint.show()
            self.setFocus()
            self.update()

    def leave_editing(self) -> None:
        """Go back to the span that was proposed."""
        if self._context is None:
            return
        self.editing = False
        self.hint.hide()
        self._start, self._end = self._context.start, self._context.end
        self._show()
        self.left.emit()

    def grow(self, way: int, *, at_end: bool, sentences: bool) -> None:
        """Move one end of the span; it always keeps at least one word."""
        context = self._context
        if context is None:
            return
        if at_end:
            end = context.step(self._end, way, at_end=True, sentences=sentences)
            if end > self._start and context.text[self._start : end].strip():
                self._end = end
        else:
            start = context.step(self._start, way, at_end=False, sentences=sentences)
            if start < self._end and context.text[start : self._end].strip():
                self._start = start
        self._show()
        self.changed.emit(self._start, self._end)

    def _show(self) -> None:
        context = self._context
        if context is None:
            return
        preceding, following = context.before(self._start), context.after(self._end)
        self.before.setText(f"… {preceding}" if preceding else "")
        self.before.setVisible(bool(preceding))
        self.quote.setText(f"“{_tidy(context.text[self._start : self._end])}”")
        self.after.setText(f"{following} …" if following else "")
        self.after.setVisible(bool(following))
        self.setAccessibleDescription(self.quote.text())
        self.update()

    def _dress(self) -> None:
        colour = theme.tokens().muted
        for label in (self.before, self.after):
            label.setFont(theme.serif(theme.LARGE))
            palette = label.palette()
            palette.setColor(QPalette.ColorRole.WindowText, colour)
            label.setPalette(palette)
        self.quote.setFont(theme.serif(22))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a line beside the quote in the tone of its verdict: outlined, being the machine's; solid in editing."""
        painter = QPainter(self)
        box = self.quote.geometry()
        bar = box.adjusted(0, 2, 0, -2)
        bar.setLeft(2)
        bar.setWidth(6)
        tone = mark_colours.tone(self._stance)
        if self.editing:
            painter.fillRect(bar, tone)
        else:
            painter.setPen(QPen(tone, 1))
            painter.drawRect(bar.adjusted(0, 0, -1, -1))
        painter.end()
        super().paintEvent(event)

    def event(self, event: QEvent) -> bool:
        """Take every key in editing: no letter decides about a quote that is half edited."""
        if self.editing and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the borders, take the span or leave it as it was."""
        if not self.editing:
            super().keyPressEvent(event)
            return
        if event.key() in _MOVES:
            way, by_sentence = _MOVES[Qt.Key(event.key())]
            at_start = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.grow(way, at_end=not at_start, sentences=by_sentence)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.editing = False
            self.hint.hide()
            self.edited.emit(self._start, self._end)
        elif event.key() == Qt.Key.Key_Escape:
            self.leave_editing()
        else:
            super().keyPressEvent(event)


_MOVES = {
    Qt.Key.Key_Right: (1, False),
    Qt.Key.Key_Left: (-1, False),
    Qt.Key.Key_Down: (1, True),
    Qt.Key.Key_Up: (-1, True),
}
