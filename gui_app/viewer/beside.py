"""What is beside the page: its text or what OCR read in it, both readings of it, or another document."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget

from core.domain import Page
from gui_app.session import CaseSession
from gui_app.viewer.document_pane import DocumentPane
from gui_app.viewer.marks import engine_name
from gui_app.viewer.side_by_side import LinkedText, ReadText, TwoReadings

TEXT, OCR, BOTH, SECOND = "text", "ocr", "both", "document"  # what can be beside the page


class BesidePanel(QStackedWidget):
    """The panel at the right; ``which`` is in it, '' for nothing."""

    def __init__(self, session: CaseSession) -> None:
        super().__init__()
        self._session = session
        self.which = ""
        self.linked_text = LinkedText()
        self.both = TwoReadings()
        self.second: DocumentPane | None = None
        self.addWidget(self.linked_text)
        self.addWidget(self.both)
        self.hide()

    def fill(self, pane: DocumentPane) -> None:
        """Show what is beside the page of ``pane``, and hide where nothing does."""
        content = pane.content
        if content is None or not self.which:
            self.hide()
        elif self.which == SECOND and self.second is not None:
            self.setCurrentWidget(self.second)
            if self.second.content is None:
                self.second.open(content.document.id, content.page.number, *(pane.span or (0, 0)))
        elif self.which == BOTH:
            self.setCurrentWidget(self.both)
            self.both.show_page(content.page)
        else:
            self._show_text(pane, content.page)
        if self.which and content is not None:
            self.show()

    def _show_text(self, pane: DocumentPane, page: Page) -> None:
        self.setCurrentWidget(self.linked_text)
        words = pane.content.words if pane.content is not None else ()
        own_text = ReadText("Text of the case", page.text, words, own=True)
        readings = [own_text] if self.which == TEXT else [own_text, *self._ocr_readings(page)]
        title = "Text of the page" if self.which == TEXT else "What OCR read"
        if self.which == OCR and page.source != "ocr":
            title = "This page was not read by OCR"
        self.linked_text.show_readings(title, readings, pane.marks(), page.hidden_spans)

    def _ocr_readings(self, page: Page) -> list[ReadText]:
        readings = self._session.do(lambda bench: bench.ocr.readings(page.id)) or []
        return [ReadText(engine_name(reading.engine), reading.text, tuple(reading.words)) for reading in readings]

    def link_word(self, pane: DocumentPane, index: int | None) -> None:
        """Mark in the text beside it the word of the page that is pointed at; None for no word."""
        if self.which in (TEXT, OCR) and pane.content is not None:
            words = pane.content.words
            word = words[index] if index is not None and index < len(words) else None
            self.linked_text.link((word.x0, word.y0, word.x1, word.y1) if word is not None else None)

    def focus_target(self) -> LinkedText | TwoReadings:
        """Return what the keys go to where no document is here."""
        return self.both if self.which == BOTH else self.linked_text
