"""Words and sources one below the other, in a column of a width that reads well; keys go from source to source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from core.domain import Quote
from gui_app.shared import theme
from gui_app.shared.labels import plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.source_quote import SourceQuote


class SourcesView(QScrollArea):
    """A column of words and sources.

    ``opened(Quote)`` when a page is asked for, ``entered(Quote)`` when another source has the focus, ``resized()`` when
    there is room for another width. ``width`` is what the column takes at most, in pixels at the default text size.
    """

    opened = Signal(object)
    entered = Signal(object)
    resized = Signal()

    def __init__(self, name: str, *, width: int) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(name)
        self._most = width
        self.sources: list[SourceQuote] = []
        self.column = self.begin()

    def begin(self) -> QVBoxLayout:
        """Begin again with an empty column; what is on show stays until ``finish``."""
        self._before = self.quote_in_hand()
        self.sources = []
        self._outside = QWidget()
        row = hbox(self._outside, margins=(24, 16, 24, 24))
        inside = QWidget()
        inside.setMaximumWidth(theme.px(self._most))
        self.column = vbox(inside, spacing=8)
        row.addWidget(inside, 1000)
        row.addStretch(1)
        return self.column

    def finish(self) -> None:
        """Show the column in the place of what was there; a source that had the focus has it still."""
        self.column.addStretch(1)
        self.setWidget(self._outside)
        self.verticalScrollBar().setValue(0)
        again = next((source for source in self.sources if source.quote == self._before), None)
        if again is not None:
            self.blockSignals(True)  # it is not another one
            again.setFocus(Qt.FocusReason.OtherFocusReason)
            self.blockSignals(False)
            self.ensureWidgetVisible(again, 0, 24)

    def show_gone(self, words: str) -> None:
        """Show that what was on show has gone by itself, and how to go on."""
        self.begin().addWidget(plain(f"{words} is no longer on the list. ↓ goes on.", "muted", wrap=True))
        self.finish()

    def source(
        self,
        quote: Quote,
        name: str,
        *,
        mark: str = "",
        before: str = "",
        notes: Iterable[str] = (),
        cells: Sequence[Sequence[tuple[str, str]]] = (),
        size: int = theme.LARGE,
    ) -> SourceQuote:
        """Make the next source of the column (see ``SourceQuote``); ``notes`` are what is said of it, if anything."""
        aside = " · ".join(note for note in notes if note)
        block = SourceQuote(quote, name, mark=mark, before=before, aside=aside, cells=cells, size=size)
        block.opened.connect(self.opened)
        block.entered.connect(lambda block: self.entered.emit(block.quote))
        self.sources.append(block)
        return block

    def quote_in_hand(self) -> Quote | None:
        """Return the quote of the source that has the focus."""
        return next((source.quote for source in self.sources if source.hasFocus()), None)

    def focus_first(self) -> None:
        """Focus the first source."""
        if self.sources:
            self.sources[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def step(self, by: int) -> None:
        """Go to the next source or the one before."""
        index = next((index for index, source in enumerate(self.sources) if source.hasFocus()), -1 if by > 0 else 0)
        index = min(max(index + by, 0), len(self.sources) - 1)
        if self.sources:
            self.sources[index].setFocus(Qt.FocusReason.TabFocusReason)
            self.ensureWidgetVisible(self.sources[index], 0, 24)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Emit that the width changed."""
        super().resizeEvent(event)
        self.resized.emit()
