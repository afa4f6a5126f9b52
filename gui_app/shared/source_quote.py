"""A quote with where it is: the document's words in serif, a line with its source below, Enter shows the page."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.domain import Quote
from gui_app.shared import theme
from gui_app.shared.flow_layout import FlowLayout
from gui_app.shared.formatting import LINE_BREAK, flowing
from gui_app.shared.labels import ElidedLabel, plain
from gui_app.shared.layout import vbox
from gui_app.shared.marked_text import MarkedText

_CONTEXT = 240  # characters of the sentence before it
_CELL = 280  # pixels that a cell is wide at most


class SourceQuote(QWidget):
    """One quote as a block that takes the focus.

    ``opened(Quote)`` on Enter or a double click, ``entered(SourceQuote)`` when it gets the focus. ``mark`` is a part
    of the quote's words that is marked; ``before`` the words before it, shown muted; ``aside`` what is said of its
    source besides document and page. A row of a table is shown as its ``cells``, each below the heading of its column.
    """

    opened = Signal(object)
    entered = Signal(object)

    def __init__(
        self,
        quote: Quote,
        name: str,
        *,
        mark: str = "",
        before: str = "",
        aside: str = "",
        cells: Sequence[Sequence[tuple[str, str]]] = (),
        size: int = theme.LARGE,
    ) -> None:
        super().__init__()
        self.quote = quote
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        column = vbox(self, margins=(16, 8, 8, 8), spacing=4)
        if before and not cells:  # it is the row above, which says nothing of this one
            words = " ".join(before.split())
            context = plain(f"… {words[-_CONTEXT:]}" if len(words) > _CONTEXT else words, "muted", wrap=True)
            column.addWidget(context)
        self.text = MarkedText("Quote", size=size)
        words = flowing(" ".join((quote.text, *(part.text for part in quote.more))))
        start = words.find(mark) if mark else -1
        self.text.set_text(words.replace("\n", LINE_BREAK), max(start, 0), start + len(mark) if start >= 0 else 0)
        column.addWidget(self.text)
        self.text.setVisible(not cells)
        for row in cells:
            column.addLayout(_row(row, mark))
        place = place_of(quote, name, aside)
        self.origin = ElidedLabel(place, "muted", mode=Qt.TextElideMode.ElideMiddle, tail=place.removeprefix(name))
        column.addWidget(self.origin)
        self.setAccessibleName(f"{words}. {self.origin.text()}")

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Ask for the page."""
        self.opened.emit(self.quote)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for the page on Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(self.quote)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Emit that it is selected."""
        super().focusInEvent(event)
        self.update()
        self.entered.emit(self)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Draw it without the focus."""
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bar of a quote at the left, wider and on a tint where it has the focus."""
        painter, ink = QPainter(self), theme.tokens()
        if self.hasFocus():
            painter.fillRect(self.rect(), QColor(ink.selection))
            painter.fillRect(0, 0, 3, self.height(), QColor(ink.focus))
        else:
            painter.fillRect(4, 8, 2, self.height() - 16, QColor(ink.line))


def _row(cells: Sequence[tuple[str, str]], mark: str) -> FlowLayout:
    """Make a row of a table: each value below its heading; what holds the ``mark`` stands out."""
    row = FlowLayout(gap=16)
    for heading, value in cells:
        cell = QWidget()
        column = vbox(cell, spacing=0)
        column.addWidget(plain(heading or "–", "small"))
        words = plain(value, "strong" if mark and mark in value else "")
        words.setFont(theme.serif(theme.BODY, bold=bool(mark and mark in value)))
        words.setMaximumWidth(theme.px(_CELL))
        words.setWordWrap(words.sizeHint().width() > theme.px(_CELL))
        column.addWidget(words)
        row.addWidget(cell)
    return row


def place_of(quote: Quote, name: str, aside: str = "") -> str:
    """Return where a quote is: 'report.pdf, page 4 · 3 May 2021 · B2'."""
    pages = f"page {quote.page}" if not quote.more else f"pages {quote.page}–{quote.more[-1].page}"
    return " · ".join(part for part in (f"{name}, {pages}", aside) if part)
