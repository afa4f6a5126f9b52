"""What is behind a heading: shown when it is pressed, hidden when it is pressed again."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from gui_app.shared import theme
from gui_app.shared.layout import vbox


class Fold(QWidget):
    """A heading to be pressed, and ``body`` below it, closed at first."""

    def __init__(self, title: str, body: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.body = body
        self.button = QPushButton(title)
        self.button.setProperty("kind", "quiet")
        self.button.setCheckable(True)
        self.button.toggled.connect(self._show)
        column = vbox(self, spacing=8)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(body)
        self._show(False)

    def _show(self, is_open: bool) -> None:
        theme.set_icon(self.button, "down" if is_open else "right")
        self.body.setVisible(is_open)
