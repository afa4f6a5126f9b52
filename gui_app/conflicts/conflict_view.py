"""A conflict on show: its positions side by side with their quotes, what replaced what, and what was decided."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from core.conflicts.differences import Kind
from core.conflicts.results import STATUSES, ConflictRecord, ConflictSource, Position, basis_words
from gui_app.shared import theme
from gui_app.shared.flow_layout import FlowLayout
from gui_app.shared.formatting import counted, flowing, spoken
from gui_app.shared.labels import note, plain
from gui_app.shared.layout import vbox
from gui_app.shared.source_quote import SourceQuote
from gui_app.shared.sources_view import SourcesView

_SOURCES = 5  # of a position that are listed
_BESIDE = 560  # pixels, at the default text size, from which positions are side by side
_COLUMN = 1_080
_SHORT_KINDS: dict[Kind, str] = {
    "version": "versions",
    "quantity": "figure",
    "date": "date",
    "time": "time",
    "place": "place",
    "role": "role",
    "name": "name",
    "denial": "denial",
    "hypotheses": "both sides",
}
_SHORT = 24  # characters up to which it stays on one line
_LONG = 60  # characters from which what a position says is a sentence, and no heading


class ConflictView:
    """The selected conflict, shown in ``area``."""

    def __init__(self) -> None:
        self.area = SourcesView("Conflict", width=_COLUMN)
        self.area.resized.connect(self._rearrange)
        self.record: ConflictRecord | None = None
        self.cards: list[QFrame] = []
        self._grid = QGridLayout()
        self._beside = True

    def show_gone(self) -> None:
        """Show that the conflict on show has gone by itself."""
        self.area.show_gone(self.record.id if self.record is not None and self.record.id else "The conflict")
        self.record, self.cards = None, []

    def show_conflict(self, record: ConflictRecord) -> None:
        """Show a conflict."""
        self.record, self.cards = record, []
        conflict = record.conflict
        column = self.area.begin()
        column.addWidget(plain(conflict.subject, "title", wrap=True, selectable=True))
        column.addWidget(plain(_standing(record), "muted", wrap=True))
        if record.is_stale:
            column.addWidget(_notice("The documents have changed since. Find conflicts again (F5)."))
        if not record.is_open:
            column.addWidget(_notice(decision_words(record)))
        column.addSpacing(8)
        holder = QWidget()
        self._grid = QGridLayout(holder)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(16)
        for number, position in enumerate(conflict.positions, start=1):
            self.cards.append(self._card(position, number, conflict.kind, holds=number == record.position))
        column.addWidget(holder)
        self._arrange()
        self.area.finish()

    def _rearrange(self) -> None:
        """Put the positions side by side where there is room, else one below the other."""
        if (self.area.viewport().width() >= theme.px(_BESIDE)) != self._beside:
            self._arrange()

    def _arrange(self) -> None:
        self._beside = self.area.viewport().width() >= theme.px(_BESIDE)
        columns = 2 if self._beside else 1
        for index, card in enumerate(self.cards):
            self._grid.addWidget(card, index // columns, index % columns)
        for column in range(2):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)

    # --- parts -------------------------------------------------------------------------------------------------------

    def _card(self, position: Position, number: int, kind: Kind, *, holds: bool) -> QFrame:
        card = QFrame()
        card.setProperty("kind", "note" if holds else "panel")
        card.setAccessibleName(f"Position {number}")
        column = vbox(card, margins=(12, 12, 12, 12), spacing=8)
        head = FlowLayout(gap=8)  # in a narrow column the number of documents goes below
        is_quote = len(position.text) > _LONG or position.text == flowing(position.sources[0].quote.text)
        title = f"{number}" if is_quote else f"{number}: {position.text}"
        head.addWidget(plain(title, "heading", wrap=len(title) > _SHORT, selectable=True))
        where = "in 1 document" if position.independent == 1 else f"in {position.independent} independent documents"
        head.addWidget(plain(where, "muted"))
        column.addLayout(head)
        if position.note:
            column.addWidget(plain(position.note, "strong", wrap=True))
        for index, source in enumerate(position.sources[:_SOURCES]):
            documents = {previous.quote.document for previous in position.sources[:index]}
            column.addWidget(self._source(source, kind, is_again=source.quote.document in documents))
        if len(position.sources) > _SOURCES:
            column.addWidget(
                plain(f"and {counted(len(position.sources) - _SOURCES, 'more source')}", "muted", wrap=True)
            )
        column.addStretch(1)
        return card

    def _source(self, source: ConflictSource, kind: Kind, *, is_again: bool) -> SourceQuote:
        repeats = "the same document, counted once" if is_again else "a copy, not counted again"
        notes = [source.date, source.grade, repeats if source.is_copy else ""]
        notes.append("read by OCR" if source.layer == "ocr" else "")
        preceding = source.before if source.words == "" and not source.is_copy else ""
        return self.area.source(
            source.quote, source.name, mark=_mark(source, kind), before=preceding, notes=notes, size=theme.BODY
        )


def _mark(source: ConflictSource, kind: Kind) -> str:
    """Return the words of a source that make the difference: those that differ, or those that deny."""
    if source.words or kind != "denial":
        return source.words
    from core.conflicts.denials import denying_words  # loaded with the conflicts

    return denying_words(flowing(source.quote.text))


def kind_words(record: ConflictRecord) -> str:
    """Return in a word what a conflict is about."""
    return _SHORT_KINDS[record.conflict.kind]


def _standing(record: ConflictRecord) -> str:
    """Return what a conflict rests on, and which rows of the matrix it touches."""
    rows = f"touches {', '.join(record.evidence)}" if record.evidence else ""
    return " · ".join(part for part in (record.id, basis_words(record.conflict).rstrip("."), rows) if part)


def decision_words(record: ConflictRecord) -> str:
    """Return what was decided, by whom and when, with the note."""
    words = f"Position {record.position} is right" if record.status == "held" else STATUSES[record.status].capitalize()
    by = f"{words}. {record.by}, {spoken(record.at)}." if record.by else f"{words}."
    return f"{by} {record.note}".strip()


def _notice(text: str) -> QFrame:
    return note(plain(text, wrap=True, selectable=True))
