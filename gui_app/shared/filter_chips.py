"""The conditions of a filter in force, as words that a press removes."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from gui_app.shared import theme
from gui_app.shared.flow_layout import FlowLayout

_LONGEST = 48  # characters of a value in a menu or a chip


class FilterChips(QWidget):
    """A line of chips that hides itself when there is none; ``removed(condition)`` and, of several, ``cleared()``."""

    removed = Signal(str)
    cleared = Signal()

    def __init__(self, parent: QWidget | None = None, *, above: int = 0) -> None:
        super().__init__(parent)
        self._flow = FlowLayout(self, gap=8)
        self._flow.setContentsMargins(16, above, 16, 8)
        self.hide()

    def show_conditions(self, conditions: Mapping[str, str]) -> None:
        """Show conditions, the words of each by its name."""
        while (item := self._flow.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for condition, words in conditions.items():
            chip = QPushButton(words.replace("&", "&&"))
            chip.setProperty("kind", "chip")
            chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the cross is behind the words
            theme.set_icon(chip, "cross")
            chip.setToolTip("Remove this filter")
            chip.setAccessibleName(f"Filter in force: {words}. Press to remove it.")
            chip.setProperty("condition", condition)
            chip.clicked.connect(lambda _on=False, condition=condition: self.removed.emit(condition))
            self._flow.addWidget(chip)
        if len(conditions) > 1:
            clear = QPushButton("Clear filters")
            clear.setProperty("kind", "chip")
            clear.clicked.connect(lambda _on=False: self.cleared.emit())
            self._flow.addWidget(clear)
        self.setVisible(bool(conditions))
        self.updateGeometry()


def short(text: str) -> str:
    """Cut a value to what a menu or a chip has room for."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST - 1]}…"


def menu_text(text: str) -> str:
    """Cut a value for a menu, in which an ampersand would mark a key."""
    return short(text).replace("&", "&&")
