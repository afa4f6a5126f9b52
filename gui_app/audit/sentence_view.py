"""A sentence of a report on show: what differs marked, what was found, what was decided, and its sources."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QFrame

from core.audit.finding import ANOTHER_DIFFERS, FINDINGS, AuditedCitation, AuditedQuotation, AuditedSentence, Decision
from core.audit.forms import citation_line, difference_lines, quotation_line
from gui_app.shared import theme
from gui_app.shared.labels import line, note, plain
from gui_app.shared.marked_text import MarkedText
from gui_app.shared.sources_view import SourcesView

_COLUMN = 772  # pixels, at the default text size: a line that reads well
DECIDED = {"accepted": "Finding accepted", "overruled": "Finding overruled"}


class SentenceView:
    """The selected sentence, shown in ``area``."""

    def __init__(self) -> None:
        self.area = SourcesView("Sentence", width=_COLUMN)
        self.sentence: AuditedSentence | None = None
        self.words = MarkedText("Sentence")

    def show_gone(self) -> None:
        """Show that the sentence on show has gone by itself."""
        self.area.show_gone(f"Sentence {self.sentence.number}" if self.sentence is not None else "The sentence")
        self.sentence = None

    def show_sentence(
        self,
        sentence: AuditedSentence,
        quotations: Sequence[AuditedQuotation],
        citations: Sequence[AuditedCitation],
        decision: Decision | None,
        searched: str,
    ) -> None:
        """Show a sentence; ``searched`` says through what a search went."""
        self.sentence = sentence
        column = self.area.begin()
        place = f"Sentence {sentence.number}, page {sentence.page}"
        column.addWidget(plain(f"{place} · {sentence.section}" if sentence.section else place, "muted", wrap=True))
        self.words = MarkedText("Sentence", size=theme.TITLE)
        spans = [
            (difference.start, difference.end)
            for difference in sentence.differences
            if difference.end <= len(sentence.text)
        ]
        self.words.set_text(sentence.text, *(spans[0] if spans else (0, 0)), also=spans[1:])
        column.addWidget(self.words)
        column.addSpacing(4)
        column.addWidget(self._finding(sentence, decision, searched))
        lines = [quotation_line(item) for item in quotations] + [citation_line(item) for item in citations]
        for text in lines:
            column.addWidget(plain(text, wrap=True, selectable=True))
        if sentence.sources:
            column.addSpacing(8)
            column.addWidget(line())
            column.addWidget(plain("SOURCES", "section"))
        for source in sentence.sources:
            texts = (difference.source for difference in sentence.differences)
            mark = next((text for text in texts if text and text in source.quote.text), "")
            notes = ["cited" if source.is_cited else "", "read by OCR" if source.layer == "ocr" else ""]
            column.addWidget(self.area.source(source.quote, source.name, mark=mark, before=source.before, notes=notes))
        for account in sentence.other_accounts:
            account_source, notes = account.source, [f"{ANOTHER_DIFFERS} ({account.conflict})"]
            column.addWidget(
                self.area.source(
                    account_source.quote,
                    account_source.name,
                    mark=account.words,
                    before=account_source.before,
                    notes=notes,
                )
            )
        for quotation in quotations:
            if quotation.places and quotation.status == "altered":
                column.addSpacing(8)
                column.addWidget(line())
                column.addWidget(plain("THE QUOTATION'S SOURCE", "section"))
                mark = next((page for _, page, _ in quotation.differences if page), "")
                column.addWidget(self.area.source(quotation.places[0], quotation.name, mark=mark))
        self.area.finish()

    def _finding(self, sentence: AuditedSentence, decision: Decision | None, searched: str) -> QFrame:
        rows = [plain(sentence.title, "strong")]
        if sentence.finding == "not_a_claim":
            rows.append(plain(f"It is {sentence.reason}.", wrap=True))
        elif sentence.finding == "not_found":
            rows.append(plain(f"{FINDINGS[sentence.finding]} {searched}", wrap=True))
        else:
            rows.append(plain(FINDINGS[sentence.finding], wrap=True))
        for text in difference_lines(sentence):
            rows.append(plain(text, wrap=True, selectable=True))
        if decision is not None:
            words = f"{DECIDED.get(decision.status, decision.status)} by {decision.by}, {decision.at[:10]}"
            rows.append(plain(f"{words}: {decision.note}" if decision.note else words, "muted", wrap=True))
        return note(*rows)
