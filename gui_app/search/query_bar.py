"""The query and its conditions as understood; notes on the hits are below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from core.documents.descriptions import source_of
from core.search.passages import SHOW_MODES
from gui_app.search.search_field import Chips, SearchField
from gui_app.search.state import Hits, SearchState
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.flow_layout import FlowLayout
from gui_app.shared.formatting import RELIABILITY
from gui_app.shared.header import segment
from gui_app.shared.info_bar import InfoBar
from gui_app.shared.labels import line, plain
from gui_app.shared.show_modes import ShowModes

if TYPE_CHECKING:
    from core.domain import ShowMode
    from core.search.service import Mode

MODES: dict[Mode, tuple[str, str]] = {
    "hybrid": ("Combined", "By meaning and by words, ranks fused"),
    "vector": ("By meaning", "By meaning: other words for the same thing are found too"),
    "lexical": ("Exact words", "By the words themselves"),
}


class QueryBar(QWidget):
    """A field, the ways to search, the conditions as chips, and notes on the hits.

    ``submitted()`` on Enter and when another way to search is chosen, ``typed()`` while the person types,
    ``changed()`` whatever changed the text. ``state`` is what the case has for it.
    """

    submitted = Signal()
    typed = Signal()
    changed = Signal()

    def __init__(self, session: CaseSession, embedding: InfoBar) -> None:
        super().__init__()
        self._session = session
        self.state = SearchState()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 16, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._field_row())
        column.addLayout(self._options_row())
        self.show_modes.line.setContentsMargins(24, 0, 24, 12)
        column.addWidget(self.show_modes.line)
        self.chips = Chips()
        column.addWidget(self.chips)
        self.note = plain("", "muted", wrap=True)
        self.note.setContentsMargins(24, 0, 24, 12)
        self.note.hide()
        column.addWidget(self.note)
        column.addWidget(embedding)
        self.doubt = InfoBar()
        column.addWidget(self.doubt)
        column.addWidget(line())
        self.setFocusProxy(self.field)

    def _field_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(24, 0, 24, 8)
        row.setSpacing(8)
        self.field = SearchField(self._values)
        self.field.setPlaceholderText("A question, a statement, or words")
        self.field.setAccessibleName("Search the documents")
        self.field.setClearButtonEnabled(True)
        self.field.returnPressed.connect(self.submitted)
        self.field.textEdited.connect(lambda _text: self.typed.emit())
        self.field.textChanged.connect(lambda _text: self.changed.emit())
        row.addWidget(self.field, 1)
        return row

    def _options_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(24, 0, 24, 12)
        row.setSpacing(8)
        choices = FlowLayout(gap=8)
        both = QWidget()
        modes = QHBoxLayout(both)
        modes.setContentsMargins(0, 0, 8, 0)
        modes.setSpacing(0)
        self.modes = QButtonGroup(self)
        self.mode_buttons: dict[Mode, QPushButton] = {}
        for mode, (words, tip) in MODES.items():
            choice = segment(words, first=not self.mode_buttons)
            choice.setChecked(mode == "hybrid")
            choice.setToolTip(tip)
            choice.setAccessibleName(f"Search by: {words}")
            choice.clicked.connect(lambda _on=False: self.submitted.emit())
            self.modes.addButton(choice)
            self.mode_buttons[mode] = choice
            modes.addWidget(choice)
        choices.addWidget(both)
        self.show_modes = ShowModes(SHOW_MODES, beside=False)
        self.show_modes.line.hide()  # what is usual needs no words; the tool tip has them
        self.show_modes.choice.connect(lambda mode: self.show_modes.line.setVisible(mode != "exploratory"))
        self.show_modes.choice.connect(lambda _mode: self.submitted.emit())
        choices.addWidget(self.show_modes)
        row.addLayout(choices, 1)
        self.saved_button = QPushButton("Saved")
        self.help_button = QPushButton("Operators")
        for button, icon in ((self.saved_button, "star"), (self.help_button, "info")):
            button.setProperty("kind", "quiet")
            theme.set_icon(button, icon)
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        return row

    def text(self) -> str:
        """Return the text of the query, stripped."""
        return self.field.text().strip()

    def mode(self) -> Mode:
        """Return the way to search that is chosen."""
        return next(mode for mode, button in self.mode_buttons.items() if button.isChecked())

    def narrow(self) -> bool:
        """Return whether another choice of ways or confidence could show more."""
        return self.show_modes.mode() == "strict" or self.mode() != "hybrid"

    def choose(self, mode: Mode, show: ShowMode) -> None:
        """Choose a way to search, and how sure what it shows has to be."""
        self.mode_buttons[mode].setChecked(True)
        self._choose_show(show)

    def _choose_show(self, show: ShowMode) -> None:
        self.show_modes.choose(show)
        self.show_modes.line.setVisible(show != "exploratory")

    def widen(self) -> None:
        """Show lower confidence too, or where that is so already, search both ways."""
        if self.show_modes.mode() == "strict":
            self._choose_show("exploratory")
        else:
            self.mode_buttons["hybrid"].setChecked(True)

    def show_notes(self, hits: Hits) -> None:
        """Show the notes on the hits, in a strip if none can be relied on."""
        notes, doubtful = hits.notes(), hits.doubtful()
        if doubtful:
            self.doubt.say(f"{notes} {hits.advice(self.mode())}")
        else:
            self.doubt.hide()
        self.note.setText(notes)
        self.note.setVisible(bool(notes) and bool(hits.result.passages) and not doubtful)

    def hide_notes(self) -> None:
        """Hide the notes on hits."""
        self.note.hide()
        self.doubt.hide()

    def show_conditions(self, like: str) -> None:
        """Show the conditions of what is typed, or what the hits are to be like."""
        self.chips.show_conditions(self.field.text(), self.state.document_name, like)

    def _values(self, kind: str) -> Sequence[tuple[str, str]]:
        """List what a condition can be completed with."""
        if kind == "document":
            return [(d.id, f"{d.name}   {d.id}") for d in self.state.documents if d.pages]
        if kind == "source":
            sources = {source_of(document) for document in self.state.documents}
            return [(source, source) for source in sorted(sources - {""}, key=str.casefold)]
        if kind == "tag":
            return [(tag, tag) for tag in self._session.do(lambda bench: bench.documents.tags()) or []]
        if kind == "name":
            entities = self._session.do(lambda bench: bench.entities.all("confirmed")) or []
            return [(e.name, f"{e.name}   {', '.join(e.aliases)}".rstrip()) for e in entities]
        return [(letter, f"{letter}   {words}") for letter, words in RELIABILITY.items()]
