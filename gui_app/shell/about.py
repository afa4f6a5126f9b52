"""What the program is: its version, its licence, what it is built on, and what it never does."""

from __future__ import annotations

import platform

from PySide6.QtCore import qVersion
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QWidget

from core import installation, paths
from gui_app.shared import theme
from gui_app.shared.labels import line, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.outside import open_outside

NEVER = (
    "It never uses a network. No document, query or name leaves this computer.",
    "It never shows words as a quote unless they are on the page they are quoted from.",
    "It never decides: what a model says stays a suggestion until a person confirms it.",
    "It never changes an original, and it deletes nothing without being told to.",
)


class AboutDialog(QDialog):
    """The program in a few lines."""

    def __init__(self, selftest: QAction, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("About Disconfirm")
        column = vbox(self, margins=(24, 20, 24, 16), spacing=12)
        head = hbox(spacing=12)
        picture = QLabel()
        ratio = self.devicePixelRatioF()
        picture.setPixmap(theme.pixmap("matrix", theme.px(32), theme.tokens().accent, ratio=ratio))
        head.addWidget(picture)
        head.addWidget(plain("Disconfirm", "title"))
        head.addWidget(plain(f"version {installation.version()}", "muted"), 1)
        column.addLayout(head)
        column.addWidget(plain("Analysis of Competing Hypotheses over your own documents.", wrap=True))
        column.addWidget(line())
        column.addWidget(plain("What it never does", "heading"))
        for sentence in NEVER:
            column.addWidget(plain(sentence, wrap=True))
        column.addWidget(line())
        column.addWidget(plain("Licences", "heading"))
        column.addWidget(
            plain(
                "GNU Affero General Public License, version 3. It comes without any warranty. "
                "THIRD_PARTY.md lists what it is built on, with the licences; the Models screen shows those of the "
                "models."
                + (f"\nIts source is in {source.parent}." if (source := installation.source_archive()) else ""),
                wrap=True,
            )
        )
        column.addWidget(line())
        self.facts = facts()
        text = plain(self.facts, "mono", wrap=True)
        column.addWidget(text)
        foot = hbox()
        copy = QPushButton("Copy")
        copy.setAccessibleName("Copy version and system")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.facts))
        foot.addWidget(copy)
        test = QPushButton("Self-test")
        test.setAccessibleName("Try every part of the program")
        test.setToolTip("Try every part of the program on small files of its own")
        test.clicked.connect(self.accept)
        test.clicked.connect(selftest.trigger)
        foot.addWidget(test)
        texts = QPushButton("Licence texts")
        texts.setAccessibleName("Open the folder of the licence texts")
        texts.setToolTip("Open the folder of the licence texts; in the packaged program with the list of its parts")
        texts.clicked.connect(lambda: open_outside(installation.licence_folder()))
        foot.addWidget(texts)
        foot.addStretch(1)
        close = QPushButton("Close")
        close.setDefault(True)
        close.clicked.connect(self.accept)
        foot.addWidget(close)
        column.addLayout(foot)
        self.setMinimumWidth(theme.px(520))
        self.resize(theme.px(520), self.heightForWidth(theme.px(520)))  # else what is to spare comes between the lines
        close.setFocus()


def facts() -> str:
    """Return version and system, as they are asked for when something is reported."""
    return (
        f"Disconfirm {installation.version()} · Python {platform.python_version()} · Qt {qVersion()} · "
        f"{platform.system()} {platform.release()} {platform.machine()}\n{paths.user_data()}"
    )
