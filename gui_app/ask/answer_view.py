"""An answer on show: its points with their sources, what was not sure enough, what to do, and what was searched."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from core.answers.results import MODES, Answer, AnswerPoint, AnswerRecord, Source
from core.domain import SHOW_NAMES, Page, Quote
from gui_app.shared import theme
from gui_app.shared.fold import Fold
from gui_app.shared.formatting import counted
from gui_app.shared.labels import ElidedLabel, line, note, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.page_grid import cells_of
from gui_app.shared.source_quote import SourceQuote
from gui_app.shared.sources_view import SourcesView

_SOURCES = 3  # of a point before the rest is folded
_COLUMN = 820  # pixels, at the default text size: a line that reads well


class AnswerView:
    """The selected answer, shown in ``area``; ``page_of`` gives the page of a quote: rows are below their headings."""

    def __init__(self, page_of: Callable[[Quote], Page | None] = lambda _quote: None) -> None:
        self._page_of = page_of
        self.area = SourcesView("Answer", width=_COLUMN)
        self.record: AnswerRecord | None = None
        self.asides: Mapping[str, str] = {}
        self._blocks: dict[str, SourceQuote] = {}  # the first source of each point, by its number

    def show_answer(self, record: AnswerRecord, asides: Mapping[str, str]) -> None:
        """Show an answer; ``asides`` say of each document what is known of it besides its name."""
        self.record, self.asides = record, asides
        self._column = self.area.begin()
        answer = record.answer
        self._say(answer.question, "title")
        self._add(self._standing(record))
        advice = list(answer.advice)
        if not answer.is_answered:
            headline = "The sources differ." if answer.reason == "conflicting_sources" else "I don’t know."
            sentences = [] if headline == answer.sentence else [answer.sentence]
            sentences += [step.what for step in answer.steps[-1:]]
            next_step = [f"Next: {advice.pop(0)}"] if advice else []
            self._add(_notice(headline, " ".join(sentences), *next_step))
        elif answer.sentence:
            self._add(_notice(answer.sentence))
        self._blocks = {}
        if answer.wording:
            self._wording(answer)
        # A number without words beside it is there for the wording alone.
        has_numbers = bool(answer.wording) or (len(answer.points) > 1 and all(point.short for point in answer.points))
        for number, point in enumerate(answer.points, start=1):
            index = len(self.area.sources)
            self._point(point, number if has_numbers else 0)
            self._blocks[str(number)] = self.area.sources[index]
        if answer.doubtful:
            self._section("NEAREST SENTENCES, NONE SURE ENOUGH")
            for point in answer.doubtful:
                self._point(point, 0, doubtful=True)
        if advice:
            self._section("WHAT TO DO" if answer.is_answered else "WHAT ELSE TO DO")
            for sentence in advice:
                self._say(sentence)
        self._column.addSpacing(8)
        self._add(line())
        self.search = Fold("What was searched", _steps(answer))
        self._add(self.search)
        self.area.finish()

    def show_steps(self, question: str, steps: Sequence[str]) -> None:
        """Show what is being done for an answer that is not there yet."""
        self.record = None
        self._column = self.area.begin()
        self._say(question, "title")
        for step in steps:
            self._say(step, "muted")
        self.area.finish()

    def text(self) -> str:
        """Return the answer as plain text with its citations, to be copied."""
        if self.record is None:
            return ""
        answer = self.record.answer
        lines = [answer.question, answer.sentence]
        for sentence in answer.wording:
            lines.append(sentence.text + " " + "".join(f"[{number}]" for number in sentence.citations))
        lines.append(answer.wording_line)
        for number, point in enumerate(answer.points, start=1):
            mark = f"[{number}] " if answer.wording else ""
            lines.append(mark + (f"{point.short}: “{point.text}”" if point.short else f"“{point.text}”"))
            lines += [f"  {source.name}, page {source.quote.page}" for source in point.sources]
        return "\n".join(part for part in (*lines, *answer.advice) if part)

    # --- parts -------------------------------------------------------------------------------------------------------

    def _add(self, widget: QWidget) -> None:
        self._column.addWidget(widget)

    def _say(self, text: str, role: str = "") -> None:
        self._add(plain(text, role, wrap=True, selectable=True))

    def _section(self, words: str) -> None:
        self._column.addSpacing(8)
        self._add(line())
        self._say(words, "section")

    def _standing(self, record: AnswerRecord) -> QWidget:
        """Make a text: when and how it was answered, and whether it still holds."""
        answer = record.answer
        when = (
            f"{record.id} · answered {record.at[:10]} by {record.by}"
            if record.id
            else "Not saved: the case is read-only"
        )
        parts = [when, SHOW_NAMES[answer.mode], f"{answer.seconds:.1f} s"]
        label = plain(" · ".join(parts), "muted", wrap=True)
        label.setToolTip(MODES[answer.mode])
        if not record.is_stale and not record.unproven and not record.conflicts:
            return label
        outside = QWidget()
        column = vbox(outside)
        column.addWidget(label)
        if record.is_stale:
            column.addWidget(_notice("The documents have changed since. Ask again (F5)."))
        if record.conflicts:
            words = "an open conflict" if len(record.conflicts) == 1 else "open conflicts"
            column.addWidget(_notice(f"It touches {words}: {', '.join(record.conflicts)}. See Conflicts (Alt+C)."))
        if record.unproven:
            words = counted(record.unproven, "source is no longer", "sources are no longer")
            column.addWidget(_notice(f"{words} on the page as it is now."))
        return outside

    def _wording(self, answer: Answer) -> None:
        """Show what a model worded, marked as such; each number leads to the sentence that it cites."""
        parts = []
        for sentence in answer.wording:
            numbers = "".join(f'<a href="{number}">[{number}]</a>' for number in sentence.citations)
            parts.append(f"{escape(sentence.text)}&nbsp;{numbers}")
        words = QLabel(" ".join(parts))
        words.setTextFormat(Qt.TextFormat.RichText)  # of our own making: the model's words are escaped
        words.setWordWrap(True)
        words.setFont(theme.sans(theme.LARGE))
        words.setAccessibleName(" ".join(sentence.text for sentence in answer.wording))
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        words.setOpenExternalLinks(False)
        words.linkActivated.connect(self._go_to)
        self._column.addSpacing(8)
        self._add(words)
        self._say(answer.wording_line, "muted")

    def _go_to(self, number: str) -> None:
        source = self._blocks.get(number)
        if source is not None:
            source.setFocus(Qt.FocusReason.OtherFocusReason)
            self.area.ensureWidgetVisible(source, 0, 24)

    def _point(self, point: AnswerPoint, number: int, *, doubtful: bool = False) -> None:
        self._column.addSpacing(8)
        if point.part:
            self._say(point.part, "muted")
        if not doubtful:
            self._add(_head(point, number))
        for source in point.sources[:_SOURCES]:
            self._source(source, "" if doubtful else point.short)
        further = point.sources[_SOURCES:]
        if further:
            self._fold(further, "" if doubtful else point.short)

    def _fold(self, sources: Sequence[Source], short: str) -> None:
        """Put further sources behind a button."""
        more = QPushButton(f"Show {counted(len(sources), 'more source')}")
        more.setProperty("kind", "quiet")
        blocks = [self._source(source, short) for source in sources]
        for block in blocks:
            block.hide()
        self._column.insertWidget(self._column.indexOf(blocks[0]), more, 0, Qt.AlignmentFlag.AlignLeft)

        def unfold() -> None:
            more.hide()
            for block in blocks:
                block.show()
            blocks[0].setFocus(Qt.FocusReason.OtherFocusReason)

        more.clicked.connect(unfold)

    def _source(self, source: Source, short: str) -> SourceQuote:
        notes = [self.asides.get(source.quote.document, "")]
        if source.is_copy:
            notes.append("a copy, not counted again")
        if source.layer == "ocr":
            notes.append("read by OCR")
        notes += source.doubts
        preceding = "" if source.is_copy else source.before
        page = self._page_of(source.quote)
        cells = cells_of(page.text, page.tables, source.quote.start, source.quote.end) if page is not None else []
        block = self.area.source(source.quote, source.name, mark=short, before=preceding, notes=notes, cells=cells)
        self._add(block)
        return block


def _notice(headline: str, *sentences: str) -> QWidget:
    return note(plain(headline, "strong", wrap=True), *(plain(words, wrap=True) for words in sentences if words))


def _steps(answer: Answer) -> QWidget:
    """List what was searched and how much it brought, the sum of it last."""
    steps = QWidget()
    column = vbox(steps, margins=(12, 0, 0, 0), spacing=8)
    for step in answer.steps[:-1]:
        column.addWidget(plain(f"{step.what} {step.count:,}", "muted", wrap=True, selectable=True))
    last = answer.steps[-1].what if answer.steps else "Nothing."
    column.addWidget(plain(last, "muted", wrap=True, selectable=True))
    return steps


def _head(point: AnswerPoint, number: int) -> QWidget:
    """Make a heading: the short answer, how sure it is, and how many documents say it."""
    holder = QWidget()
    row = hbox(holder, spacing=8)
    lead = f"{number}. " if number else ""
    if point.short:
        row.addWidget(plain(f"{lead}{point.short[:1].upper()}{point.short[1:]}", "heading", selectable=True))
    elif lead:
        row.addWidget(plain(lead.strip(), "heading"))
    where = "in 1 document" if point.independent == 1 else f"in {point.independent} independent documents"
    words = f"{point.confidence} confidence, {where}"
    row.addWidget(ElidedLabel(words if row.count() else words.capitalize(), "muted"), 1)
    return holder
