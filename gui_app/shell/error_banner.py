"""An error where the work is: cause and effect, the remedy, and a button that copies the details. Never modal.

The same bar says at length what was done, where a line that goes away by itself would not do.
"""

from __future__ import annotations

import platform
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QFrame, QPushButton, QToolButton, QWidget

from core import __version__
from core.errors import AppError
from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.labels import plain
from gui_app.shared.layout import hbox, vbox

# Where an error's own hint names a command line: what is done about it in the window.
_REMEDIES = {
    "CaseNotFound": "Check the path, or make a new case: New case in the menu.",
    "CaseValueWrong": "Continue with your last sound copy of the case: Restore from a backup in the menu.",
    "CaseNotProven": "Keep the file as it is, and use your last sound copy: Restore from a backup in the menu.",
    "BackupUnusable": "Choose another one from the list.",
    "IndexDamaged": "Press Rebuild: the index is made again from the pages; nothing is lost.",
    "CannotRunHere": "Choose another model on the Models screen, or press Test there to try this one once more.",
    "ModelMissing": "Add the file or choose another model: Models for one that judges, Search and names models in "
    "the menu for the others.",
    "ModelUnreadable": "Get the file again, or choose another model: Models for one that judges, Search and "
    "names models "
    "in the menu for the others.",
    "NoSuchItem": "It was removed or renamed meanwhile: choose another one from the list.",
}


def remedy(error: AppError) -> str:
    """Return what to do about an error in the window."""
    names_command = any(command in error.hint for command in ("disconfirm ", "bootstrap.py"))
    return _REMEDIES.get(type(error).__name__, error.hint) if names_command else error.hint


class Notice(QFrame):
    """The bar above the screen that tells the last error until it is dismissed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "notice")
        self.setAccessibleName("Error")
        row = hbox(self, margins=(16, 10, 8, 10), spacing=12)
        words = vbox(spacing=2)
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
        self._show("notice", error.sentence, remedy(error), button, act)

    def say(self, sentence: str, hint: str, button: str = "", act: Callable[[], object] | None = None) -> None:
        """Show what was done."""
        self._error = None
        self._show("note", sentence, hint, button, act)

    def say_instead(self, sentence: str, now: str, hint: str) -> None:
        """Show what is so now where ``sentence`` stands; put the bar away where that is nothing."""
        if self.isHidden() or self._error is not None or self.sentence.text() != sentence:
            return
        if now:
            self.say(now, hint)
        else:
            self.hide()

    def _show(self, kind: str, sentence: str, hint: str, button: str, act: Callable[[], object] | None) -> None:
        self.setProperty("kind", kind)
        self.setAccessibleName("Error" if kind == "notice" else "Message")
        self.style().unpolish(self)
        self.style().polish(self)
        self.sentence.setText(sentence)
        self.hint.setText(hint)
        self._act = act
        self.action.setText(button)
        self.action.setVisible(act is not None)
        self._copy.setVisible(self._error is not None)
        self.show()
        announce(self, f"{sentence} {hint}")

    def leave(self) -> None:
        """Put an error away that was of another screen; a message stays until it is read."""
        if self._error is not None:
            self.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Put the bar away with Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)

    def _acted(self) -> None:
        if self._act is not None:
            self._act()

    @property
    def error(self) -> AppError | None:
        """The error that is here."""
        return self._error

    def details(self) -> str:
        """Return what the button copies: the error by name, its sentences and the versions. No document text."""
        if self._error is None:
            return ""
        return (
            f"{type(self._error).__name__}\n{self._error.sentence}\n{self._error.hint}\n"
            f"Disconfirm {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        )

    def _copied(self) -> None:
        QGuiApplication.clipboard().setText(self.details())
        self._copy.setText("Copied")
