"""The bar below the menus: back and forward, the title of the case, search, and what judges it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QToolButton

from gui_app.session import CaseSession
from gui_app.shared import theme as look
from gui_app.shared.labels import ElidedLabel, plain
from gui_app.shared.layout import hbox

if TYPE_CHECKING:
    from core.verdicts.labels import ModelCard


class TopBar(QFrame):
    """The bar. ``search_asked()`` when its field is pressed, ``chosen(name)`` when a screen is asked for."""

    search_asked = Signal()
    chosen = Signal(str)

    def __init__(self, session: CaseSession, back: QAction, forward: QAction, messages: QAction) -> None:
        super().__init__()
        self._session = session
        self.setProperty("kind", "bar")
        row = hbox(self, margins=(12, 8, 16, 8), spacing=8)
        for action, name in ((back, "Back"), (forward, "Forward")):
            button = QToolButton()
            button.setDefaultAction(action)
            button.setAccessibleName(name)
            button.setToolTip(f"{name} ({action.shortcut().toString()})")
            row.addWidget(button)
        self._title = ElidedLabel("Disconfirm", "strong")
        self._title.setAccessibleName("Title of the case")
        row.addWidget(self._title, 6)
        row.addStretch(1)
        row.addWidget(self._search_button(), 5)
        row.addStretch(1)
        self.model_chip = QPushButton("")
        self.model_chip.setProperty("kind", "chip")
        self.model_chip.setAccessibleName("Judging model")
        self.model_chip.clicked.connect(lambda: self.chosen.emit("Models"))
        row.addWidget(self.model_chip)
        offline_chip = QPushButton("Offline")
        offline_chip.setProperty("kind", "chip")
        look.set_icon(offline_chip, "offline")
        offline_chip.setAccessibleName("Offline: show every path used")
        offline_chip.setToolTip("Nothing leaves this computer. Click for every file path the program uses.")
        offline_chip.clicked.connect(lambda: self.chosen.emit("Offline"))
        row.addWidget(offline_chip)
        self.bell = QToolButton()
        look.set_icon(self.bell, "bell")  # no default action: it would put its text over the count at every change
        self.bell.clicked.connect(lambda: messages.trigger())
        row.addWidget(self.bell)
        self.count_messages(0)

    def count_messages(self, unread: int) -> None:
        """Show beside the bell how many messages nobody has looked at."""
        self.bell.setText(str(unread) if 0 < unread < 100 else "99+" if unread else "")
        self.bell.setToolButtonStyle(
            Qt.ToolButtonStyle.ToolButtonTextBesideIcon if unread else Qt.ToolButtonStyle.ToolButtonIconOnly
        )
        self.bell.setAccessibleName(f"Messages, {unread} unread" if unread else "Messages")
        self.bell.setToolTip("Messages (F12)")

    def _search_button(self) -> QPushButton:
        button = QPushButton()
        button.setProperty("kind", "field")
        button.setMinimumSize(180, 32)
        button.setMaximumWidth(440)
        button.setAccessibleName("Search or command (Ctrl+K)")
        inside = hbox(button, margins=(10, 0, 10, 0))
        picture = QLabel()
        look.set_icon(picture, "search")
        inside.addWidget(picture)
        inside.addWidget(ElidedLabel("Search or command", "muted"), 1)
        inside.addWidget(plain("Ctrl+K", "small"))
        button.clicked.connect(lambda: self.search_asked.emit())
        return button

    def show_title(self) -> None:
        """Show the title of the case."""
        bench = self._session.workbench
        title = bench.case.title() if bench is not None else ""
        note = "  (viewing only)" if bench is not None and bench.case.read_only else ""
        self._title.setText(f"{title}{note}" if title else "Disconfirm")
        if bench is not None:
            self._title.setToolTip(str(bench.path))

    def show_model(self) -> None:
        """Show the model that judges, with the share of its exam that it had right."""
        bench = self._session.workbench
        self.model_chip.setVisible(bench is not None)
        if bench is None:
            return
        missing = bench.review.judge_missing()
        card = bench.verdicts.judge_card()
        self.model_chip.setText("No judging model" if missing or card is None else chip_text(card))
        self.model_chip.setToolTip(missing or (card.line() if card is not None else ""))


def chip_text(card: ModelCard) -> str:
    """Name the model and the share of its exam that it had right, half by half."""
    if card.right is None:
        return f"{card.name}  not examined"
    words = f"Model accuracy {card.right[0]:.0%}"
    return f"{words} direct, {card.clues[0]:.0%} indirect" if card.clues else words
