"""A line below the suggested names that says by what they are suggested, and lets a model for it be chosen."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from core import paths
from gui_app.session import CaseSession
from gui_app.shared import file_dialogs
from gui_app.shared.labels import ElidedLabel


def choose(session: CaseSession, parent: QWidget) -> None:
    """Ask for the folder of a model that finds names, and have it suggest some from now on."""
    folder = file_dialogs.ask_folder(parent, "The folder of a spaCy pipeline", paths.models())
    if folder is not None:
        session.choose_names_model(folder)


class NamesModelLine(QWidget):
    """The source of suggested names: their form, and ``model`` where one is chosen ('' for none)."""

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.model = ""
        self.text = ElidedLabel("", "small", mode=Qt.TextElideMode.ElideMiddle)
        self.choose_button = self._button("Choose a model", lambda: choose(self.session, self))
        self.choose_button.setToolTip("A folder with a spaCy pipeline that finds names")
        self.drop_button = self._button("Without it", lambda: self.session.choose_names_model(None))
        self.drop_button.setToolTip("Suggest names by their form alone")
        self.drop_button.setAccessibleName(self.drop_button.toolTip())
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 8, 4)
        row.setSpacing(8)
        row.addWidget(self.text, 1)
        row.addWidget(self.choose_button)
        row.addWidget(self.drop_button)
        self.refresh()

    def _button(self, text: str, slot: object) -> QPushButton:
        button = QPushButton(text)
        button.setProperty("kind", "quiet")
        button.setAccessibleName(text)
        button.clicked.connect(slot)
        return button

    def refresh(self) -> None:
        """Name the model in use."""
        self.model = self.session.names_model
        self.text.setText(f"Also by {self.model}" if self.model else "By form alone")
        self.choose_button.setVisible(not self.model)
        self.drop_button.setVisible(bool(self.model))
