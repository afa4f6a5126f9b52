"""The choice of how sure what is shown has to be, and a sentence on what that shows."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from core.domain import SHOW_NAMES, ShowMode
from gui_app.shared.header import segment
from gui_app.shared.labels import plain
from gui_app.shared.layout import hbox


class ShowModes(QWidget):
    """Three buttons of which one is down; ``choice(mode)`` when a person presses one.

    ``line`` says its sentence: beside the buttons, or wherever it is put where it is not ``beside``.
    """

    choice = Signal(str)

    def __init__(
        self, sentences: Mapping[ShowMode, str], mode: ShowMode = "exploratory", *, beside: bool = True
    ) -> None:
        super().__init__()
        self._sentences = sentences
        row = hbox(self, spacing=0)
        group = QButtonGroup(self)
        self.buttons: dict[ShowMode, QPushButton] = {}
        for key, sentence in sentences.items():
            choice = segment(SHOW_NAMES[key].removesuffix(" only"), first=not self.buttons)
            choice.setToolTip(sentence)
            choice.setAccessibleName(f"{SHOW_NAMES[key]}: {sentence}")
            choice.clicked.connect(lambda _on=False, mode=key: self._pick(mode))
            group.addButton(choice)
            self.buttons[key] = choice
            row.addWidget(choice)
        self.line = plain("", "muted", wrap=True)
        if beside:
            row.addSpacing(12)
            row.addWidget(self.line, 1)
        self.choose(mode)

    def mode(self) -> ShowMode:
        """Return what is chosen."""
        return next(mode for mode, button in self.buttons.items() if button.isChecked())

    def choose(self, mode: ShowMode) -> None:
        """Choose without a press."""
        self.buttons[mode].setChecked(True)
        self.line.setText(self._sentences[mode])

    def say_more(self, words: str) -> None:
        """Put words behind the sentence of what is chosen."""
        self.line.setText(f"{self._sentences[self.mode()]} {words}".rstrip())

    def press_next(self) -> None:
        """Choose what comes after the one that is chosen, as a person would."""
        order = list(self._sentences)
        self._pick(order[(order.index(self.mode()) + 1) % len(order)])

    def _pick(self, mode: ShowMode) -> None:
        self.choose(mode)
        self.choice.emit(mode)
