"""A sentence of a report on show: what differs marked, what was found, what was decided, and its sources."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from core.audit.finding import FINDINGS, TITLES, AuditedCitation, AuditedQuotation, AuditedSentence, Decision
from core.audit.forms import citation_line, difference_lines, quotation_line
from core.domain import Quote
from gui_app.shared import theme
from gui_app.shared.labels import line, plain
from gui_app.shared.marked_text import MarkedText
from gui_app.shared.source_quote import SourceQuote

_COLUMN = 820  # pixels, at the default text size: a line that reads well
DECIDED = {"accepted": "Finding accepted", "overruled": "Finding overruled"}


class SentenceView(QScrollArea):
    """The sentence in hand.

    ``opened(Quote)`` when a page is asked for, ``entered(Quote)`` when another source has the focus.
    """

    opened = Signal(object)
    entered = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Sentence")
        self.sentence: AuditedSentence | None = None
        self.words = MarkedText("Sentence")
        self.sources: list[SourceQuote] = []

    def show_sentence(
        self,
        sentence: AuditedSentence,
        quotations: Sequence[AuditedQuotation],
        citations: Sequence[AuditedCitation],
        decision: Decision | None,
        searched: str,
    ) -> None:
        """Show a sentence; ``searched`` says through what a search went."""
        self.sentence, self.sources = sentence, []
        outside, column = self._blank()
        place = f"Sentence {sentence.number}, page {sentence.page}"
        column.addWidget(plain(f"{place} · {sentence.section}" if sentence.section else place, "muted", wrap=True))
        self.words = MarkedText("Sentence", size=theme.TITLE)
        spans = [(one.start, one.end) for one in sentence.differences if one.end <= len(sentence.text)]
        self.words.say(sentence.text, *(spans[0] if spans else (0, 0)), also=spans[1:])
        column.addWidget(self.words)
        column.addSpacing(4)
        column.addWidget(self._finding(sentence, decision, searched))
        lines = [quotation_line(one) for one in quotations] + [citation_line(one) for one in citations]
        for text in lines:
            column.addWidget(plain(text, wrap=True, selectable=True))
        if sentence.sources:
            column.addSpacing(8)
            column.addWidget(line())
            column.addWidget(plain("SOURCES", "section"))
        for source in sentence.sources:
            marks = [one.source for one in sentence.differences if one.source and one.source in source.quote.text]
            notes = ["cited" if source.is_cited else "", "read by OCR" if source.layer == "ocr" else ""]
            self._source(column, source.quote, source.name, source.before, marks, notes)
        for quotation in quotations:
            if quotation.places and quotation.status == "altered":
                column.addSpacing(8)
                column.addWidget(line())
                column.addWidget(plain("THE QUOTATION'S SOURCE", "section"))
                marks = [page for _, page, _ in quotation.differences if page]
                self._source(column, quotation.places[0], quotation.name, "", marks, [])
        column.addStretch(1)
        self.setWidget(outside)
        self.verticalScrollBar().setValue(0)

    def focus_first(self) -> None:
        """Give the first source the focus."""
        if self.sources:
            self.sources[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _blank(self) -> tuple[QWidget, QVBoxLayout]:
        outside = QWidget()
        column = QVBoxLayout(outside)
        column.setContentsMargins(24, 16, 24, 24)
        column.setSpacing(8)
        outside.setMaximumWidth(theme.px(_COLUMN))
        return outside, column

    def _finding(self, sentence: AuditedSentence, decision: Decision | None, searched: str) -> QFrame:
        frame = QFrame()
        frame.setProperty("kind", "note")
        column = QVBoxLayout(frame)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(4)
        column.addWidget(plain(TITLES[sentence.finding], "strong"))
        if sentence.finding == "not_a_claim":
            column.addWidget(plain(f"It is {sentence.reason}.", wrap=True))
        elif sentence.finding == "not_found":
            column.addWidget(plain(f"{FINDINGS[sentence.finding]} {searched}", wrap=True))
        else:
            column.addWidget(plain(FINDINGS[sentence.finding], wrap=True))
        for text in difference_lines(sentence):
            column.addWidget(plain(text, wrap=True, selectable=True))
        if decision is not None:
            words = f"{DECIDED.get(decision.status, decision.status)} by {decision.by}, {decision.at[:10]}"
            column.addWidget(plain(f"{words}: {decision.note}" if decision.note else words, "muted", wrap=True))
        return frame

    def _source(
        self, column: QVBoxLayout, quote: Quote, name: str, before: str, marks: Sequence[str], notes: Sequence[str]
    ) -> None:
        block = SourceQuote(
            quote, name, mark=marks[0] if marks else "", before=before, aside=" · ".join(note for note in notes if note)
        )
        block.opened.connect(self.opened)
        block.entered.connect(lambda block: self.entered.emit(block.quote))
        self.sources.append(block)
        column.addWidget(block)
