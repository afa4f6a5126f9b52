"""What a person sees when the program itself is wrong: a report they can copy. It never holds document text."""

from __future__ import annotations

from types import TracebackType

import PySide6
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QPushButton, QWidget

from core import errors
from gui_app.shared.labels import plain
from gui_app.shared.layout import hbox, vbox


def bug_report(kind: type[BaseException], trace: TracebackType | None) -> str:
    """Versions and the places in the code, without the message: a message may quote a document."""
    return errors.bug_report(kind, trace, f"PySide6 {PySide6.__version__}")


class BugDialog(QDialog):
    """The report with a button to copy it. The window stays open: what was saved is saved."""

    def __init__(self, report: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Something went wrong")
        column = vbox(self, margins=(24, 20, 24, 16), spacing=12)
        column.addWidget(plain("Something went wrong in the program", "heading"))
        column.addWidget(
            plain(
                "Your case is safe: every step is saved as it is made. You can go on working. If you report this, "
                "copy the text below; it contains no text from your documents.",
                "",
                wrap=True,
            )
        )
        self.text = QPlainTextEdit(report)
        self.text.setReadOnly(True)
        self.text.setAccessibleName("Report to copy")
        column.addWidget(self.text, 1)
        row = hbox()
        row.addStretch(1)
        copy = QPushButton("Copy report")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(report))
        close = QPushButton("Close")
        close.setProperty("kind", "primary")
        close.setDefault(True)
        close.clicked.connect(self.accept)
        row.addWidget(copy)
        row.addWidget(close)
        column.addLayout(row)
        self.resize(640, 420)
