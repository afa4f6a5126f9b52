"""An error where the work is: cause and effect, the remedy, and a button that copies the details. Never modal.

The same bar says at length what was done, where a line that goes away by itself would not do."""

from __future__ import annotations

import platform
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from core import __version__
from core.errors import AppError
from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.labels import plain


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
        self.action = QPushButton()
        self.action.clicked.connect(self._acted)
        row.addWidget(self.action, 0, Qt.AlignmentFlag.AlignTop)
        self._copy = QPushButton("Copy details")
        self._copy.setAccessibleName("Copy the details of this error")
        self._copy.clicked.connect(self._copied)
        row.addWidget(self._copy, 0, Qt.AlignmentFlag.AlignTop)
        close = QToolButton()
        theme.set_icon(close, "cross")
        close.setAccessibleName("Dismiss this message")
        close.setToolTip("Dismiss (Esc)")
        close.clicked.connect(self.hide)
        row.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        self._error: AppError | None = None
        self._act: Callable[[], object] | None = None
        self.hide()

    def tell(self, error: AppError, button: str = "", act: Callable[[], object] | None = None) -> None:
        """Show an error, with a button for its remedy where there is one."""
        self._error = error
        self._copy.setText("Copy details")
        self._show("notice", error.sentence, error.hint, button, act)

    def say(self, sentence: str, rest: str, button: str = "", act: Callable[[], object] | None = None) -> None:
        """Show what was done."""
        self._error = None
        self._show("note", sentence, rest, button, act)

    def _show(self, kind: str, sentence: str, rest: str, button: str, act: Callable[[], object] | None) -> None:
        self.setProperty("kind", kind)
        self.setAccessibleName("Error" if kind == "notice" else "Message")
        self.style().unpolish(self)
        self.style().polish(self)
        self.sentence.setText(sentence)
        self.hint.setText(rest)
        self._act = act
        self.action.setText(button)
        self.action.setVisible(act is not None)
        self._copy.setVisible(self._error is not None)
        self.show()
        announce(self, f"{sentence} {rest}")

    def _acted(self) -> None:
        if self._act is not None:
            self._act()

    @property
    def error(self) -> AppError | None:
        """The error that stands here."""
        return self._error

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
