"""What is on the screen while no word is to be checked: the next step, and the language that scans are read in."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from core import paths
from gui_app.ocr.state import NextStep, OcrState
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.labels import plain
from gui_app.shared.language_choice import LanguageChoice
from gui_app.shared.languages import language_name
from gui_app.shared.layout import hbox, vbox


class EmptyPage(QWidget):
    """The next step above the choice of a language; ``language_chosen(codes)`` when a person chose."""

    language_chosen = Signal(object)

    def __init__(self, step: EmptyState) -> None:
        super().__init__()
        self.step = step
        self.language_label = plain("Written in", role="muted")
        self.language = LanguageChoice("OCR language")
        self.language.chosen.connect(self.language_chosen)
        self.language_note = plain(role="small", wrap=True)
        self.language_note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.language_note.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row = hbox(spacing=8)
        row.addStretch(1)
        row.addWidget(self.language_label)
        row.addWidget(self.language)
        row.addStretch(1)
        column = vbox(self, margins=(24, 0, 24, 24), spacing=8)
        column.addWidget(step, 1)
        column.addLayout(row)
        column.addWidget(self.language_note)

    def show_step(self, step: NextStep) -> None:
        """Show what to do next; its button is hidden by the screen, which has the keys."""
        self.step.say(step.sentence)
        self.step.button.setText(step.button)
        self.step.button.setAccessibleName(step.button or "Next step")

    def show_languages(self, state: OcrState | None, *, has_engine: bool, read_only: bool) -> None:
        """Show the languages to choose from while there are pages to read; with one there is nothing to choose."""
        codes = paths.ocr_languages()
        waiting = state is not None and bool(state.unread or state.poor) and has_engine
        choose = waiting and len(codes) > 1 and not read_only
        self.language_label.setVisible(choose)
        self.language.setVisible(choose)
        self.language_note.setVisible(waiting)
        if not waiting or state is None:
            return
        self.language.show_languages(state.languages)
        note = "Another language can be read when its file NAME.traineddata is in {folder}."
        if len(codes) == 1:
            note = f"Scans are read in {language_name(codes[0])}." + " " + note
        self.language_note.setText(note.format(folder=paths.models() / "tessdata"))
