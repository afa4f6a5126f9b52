"""The lines above a page: what is to be said of its text, and the quote that was begun on the page before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QPushButton

from core.domain import Page
from gui_app.shared.labels import plain
from gui_app.shared.layout import hbox
from gui_app.viewer.marks import PageSpan, flag_sentences, text_flags


class Notice(QFrame):
    """A line across the pane with something to do about it."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.setProperty("kind", kind)
        self.text = plain("", wrap=True)
        self._row = hbox(self, margins=(16, 6, 8, 6))
        self._row.addWidget(self.text, 1)
        self.hide()

    def add_button(self, text: str) -> QPushButton:
        """Add a button at the right."""
        button = QPushButton(text)
        button.setProperty("kind", "quiet")
        self._row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        return button


class PageBanner(Notice):
    """The notice on the text of a page. ``compare_wanted(which)`` for 'both' readings of it or its 'text'."""

    compare_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__("notice")
        self.both_button = self.add_button("")
        self.leave_button = self.add_button("Dismiss")
        self._best = "text"  # what the text of the page is best compared with
        self.both_button.clicked.connect(lambda: self.compare_wanted.emit(self._best))

    def show_page(self, page: Page, *, beside: str, is_left: bool, read_only: bool) -> None:
        """Show what there is to say, unless a person has left the text as it is; ``beside`` is beside the page."""
        flags = text_flags(page)
        self._best = "both" if "hidden" in flags else "text"
        self.text.setText(" ".join(flag_sentences(page)))
        can_dismiss = bool(flags) and "none" not in flags
        tip = "You have compared it: the notice is gone"
        if "hidden" in flags:
            tip += ", and what is hidden stays out of searches"
        if "poor" in flags:
            tip += ", and OCR is not offered for this page"
        self.leave_button.setToolTip(tip)
        self.leave_button.setVisible(can_dismiss and not read_only)
        self.both_button.setText("Both readings" if "hidden" in flags else "Text beside it")
        self.both_button.setVisible(can_dismiss and beside != self._best)
        self.setVisible(bool(flags) and not (can_dismiss and is_left))


class QuoteHeadBar(Notice):
    """The beginning of a quote that goes on on this page."""

    def __init__(self) -> None:
        super().__init__("note")
        self.stop_button = self.add_button("Leave it")
        self.stop_button.setAccessibleName("Discard the unfinished quote")

    def show_spans(self, spans: Sequence[PageSpan], labels: Mapping[int, str]) -> None:
        """Show how the quote begins, and where; nothing when there is no span."""
        if spans:
            words = " ".join(spans[-1].text.split())
            tail = words if len(words) <= 60 else f"… {words[-60:].partition(' ')[2]}"
            page = labels.get(spans[0].page) or spans[0].page
            self.text.setText(f"The quote begins on page {page}: “{tail}” Select the rest here, then add or copy it.")
        self.setVisible(bool(spans))
