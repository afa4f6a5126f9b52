"""The head of a screen: its name, what it holds in a few words, and its commands at the right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QWidget

from gui_app.shared import theme
from gui_app.shared.labels import ElidedLabel, plain
from gui_app.shared.layout import hbox


def button(action: QAction, *, kind: str = "", icon: str = "") -> QPushButton:
    """Make a push button for a command; enabled, named and explained as the command is."""
    widget = QPushButton(action.text())
    keys = action.shortcut().toString()
    widget.setToolTip(f"{action.toolTip()}  ({keys})" if keys else action.toolTip())
    widget.setAccessibleName(action.text())
    if kind:
        widget.setProperty("kind", kind)
    if icon:
        theme.set_icon(widget, icon)
    widget.clicked.connect(lambda *_: action.trigger())
    widget.setEnabled(action.isEnabled())
    action.changed.connect(lambda: widget.setEnabled(action.isEnabled()))
    return widget


def segment(words: str, *, first: bool) -> QPushButton:
    """Make a button of a row of choices that stand edge to edge; only the ``first`` has a left edge of its own."""
    widget = QPushButton(words)
    widget.setProperty("kind", "segment")
    widget.setProperty("first", first)
    widget.setCheckable(True)
    return widget


def decisions(actions: Iterable[tuple[QAction, str, str]]) -> Iterator[QPushButton]:
    """Make buttons for (command, text, kind) below the thing decided on; keys decide, so the focus stays there."""
    for action, text, kind in actions:
        widget = button(action, kind=kind)
        widget.setText(text)
        widget.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        yield widget


class Header(QWidget):
    """Title at the left, a muted line beside it, buttons at the right."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.row = hbox(self, margins=(24, 16, 24, 12), spacing=8)
        self.title = plain(title, "title")
        self.row.addWidget(self.title)
        self.row.addSpacing(8)
        self.count = ElidedLabel("", "muted")
        self.row.addWidget(self.count, 1)
        self.row.addStretch(0)  # the room is not for the buttons where there is none for the line

    def add(self, action: QAction, text: str = "", *, kind: str = "", icon: str = "") -> QPushButton:
        """Add a button for a command at the right; ``text`` is what it says where that is shorter."""
        widget = button(action, kind=kind, icon=icon)
        if text:
            widget.setText(text)
        self.row.addWidget(widget)
        return widget
