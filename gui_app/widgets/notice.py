"""An error where the work is: cause and effect, the remedy, and a button that copies the details. Never modal."""

from __future__ import annotations

import platform

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from core import __version__
from core.errors import AppError
from gui_app import look
from gui_app.widgets.announce import announce
from gui_app.widgets.labels import plain


class Notice(QFrame):
    """The bar above the screen that tells the last error until it is dismissed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "notice")
        self.setAccessibleName("Error")
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 8, 10)
        row.setSpacing(12)
        words = QVBoxLayout()
        words.setSpacing(2)
        self.sentence = plain("", "strong", wrap=True, selectable=True)
        self.hint = plain("", "", wrap=True, selectable=True)
        words.addWidget(self.sentence)
        words.addWidget(self.hint)
        row.addLayout(words, 1)
        self._copy = QPushButton("Copy details")
        self._copy.setAccessibleName("Copy the details of this error")
        self._copy.clicked.connect(self._copied)
        row.addWidget(self._copy, 0, Qt.AlignmentFlag.AlignTop)
        close = QToolButton()
        look.set_icon(close, "cross")
        close.setAccessibleName("Dismiss this message")
        close.setToolTip("Dismiss (Esc)")
        close.clicked.connect(self.hide)
        row.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        self._error: AppError | None = None
        self.hide()

    def tell(self, error: AppError) -> None:
        self._error = error
        self.sentence.setText(error.sentence)
        self.hint.setText(error.hint)
        self._copy.setText("Copy details")
        self.show()
        announce(self, f"{error.sentence} {error.hint}")

    def details(self) -> str:
        """What the button copies: the error by name, its sentences and the versions. No document text."""
        if self._error is None:
            return ""
        return (
            f"{type(self._error).__name__}\n{self._error.sentence}\n{self._error.hint}\n"
            f"Disconfirm {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        )

    def _copied(self) -> None:
        QGuiApplication.clipboard().setText(self.details())
        self._copy.setText("Copied")
