"""A panel made of a few parts: below each other where the panel is, beside each other where it lies."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLayout, QListWidget, QScrollArea, QWidget

from gui_app.shared.labels import line
from gui_app.shared.layout import hbox, vbox

STANDING = 264  # pixels: the narrowest panel that stands
SHORT = 12  # rows of a list that is no higher than its rows
QWIDGETSIZE_MAX = 16_777_215  # Qt's own: no limit
LYING = 192  # pixels: the narrowest part of a panel that lies


class ResponsivePanels(QScrollArea):
    """Parts with a line between them. A list inside a part scrolls by itself; the whole scrolls when it must.

    ``chosen(evidence, hypothesis)`` leads to a row or a cell of the matrix; either id may be ''.
    """

    chosen = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMinimumWidth(STANDING)
        content = QWidget()
        self._box = QBoxLayout(QBoxLayout.Direction.TopToBottom, content)
        self._box.setContentsMargins(0, 8, 0, 8)
        self._box.setSpacing(0)
        self._parts: list[tuple[QWidget, int, int]] = []
        self._lines: list[QWidget] = []
        self.flat = False
        self.setWidget(content)

    def add(self, *rows: QWidget | QLayout, grows: int = 0, beside: int = 1) -> QWidget:
        """Add a part with ``rows`` from the top.

        ``grows`` is its share of spare height, ``beside`` of the width.
        """
        if self._parts:
            separator = line()
            self._lines.append(separator)
            self._box.addWidget(separator)
        part = QWidget()
        column = vbox(part, margins=(0, 8, 0, 8), spacing=8)
        for row in rows:
            if isinstance(row, QLayout):
                column.addLayout(row)
            else:
                column.addWidget(row, 1)
        column.addStretch(0)
        self._parts.append((part, grows, beside))
        self._box.addWidget(part, grows)
        return part

    def grow(self, part: QWidget, grows: int) -> None:
        """Change a part's share of spare height."""
        self._parts = [(p, grows if p is part else g, beside) for p, g, beside in self._parts]
        if not self.flat:
            self._box.setStretchFactor(part, grows)

    def show_part(self, part: QWidget, on: bool) -> None:
        """Show a part with the line above it, or hide both."""
        part.setVisible(on)
        self._separate()

    def _separate(self) -> None:
        """Draw lines only between parts that are below each other."""
        above = False
        for index, (part, _grows, _beside) in enumerate(self._parts):
            visible = not part.isHidden()
            if index:
                self._lines[index - 1].setVisible(above and visible and not self.flat)
            above = above or visible

    def set_flat(self, flat: bool) -> None:
        """Set whether the panel lies below the grid, its parts side by side, or is at its right."""
        self.flat = flat
        directions = QBoxLayout.Direction
        self._box.setDirection(directions.LeftToRight if flat else directions.TopToBottom)
        self._box.setContentsMargins(0, 0 if flat else 8, 0, 0 if flat else 8)
        self._separate()
        for part, grows, beside in self._parts:
            part.setMinimumWidth(LYING if flat else 0)
            self._box.setStretchFactor(part, beside if flat else grows)
        self.setMinimumWidth(0 if flat else STANDING)


def fit(view: QListWidget) -> None:
    """Let a short list take the room of its rows and no more; a long one scrolls."""
    high = sum(view.sizeHintForRow(row) for row in range(min(view.count(), SHORT + 1)))
    view.setMaximumHeight(high + 8 if view.count() <= SHORT else QWIDGETSIZE_MAX)


def inset(what: QWidget | QLayout) -> QHBoxLayout:
    """Put the panel's margins at both sides; lists go without, so that their selection reaches the edges."""
    row = hbox(margins=(16, 0, 16, 0))
    if isinstance(what, QLayout):
        row.addLayout(what)
    else:
        row.addWidget(what, 1)
    return row
