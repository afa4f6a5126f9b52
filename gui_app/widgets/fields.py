"""Small fields for numbers."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractSpinBox

from gui_app import look


def bare(field: QAbstractSpinBox, told: str, *, letters: int = 5) -> None:
    """A number field without the two small buttons (the arrow keys do the same), named for those who cannot see it."""
    field.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
    # A styled spin box keeps room for its buttons even when it has none.
    field.setStyleSheet(
        "QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { width: 0; height: 0; border: none; }"
    )
    field.setAlignment(Qt.AlignmentFlag.AlignRight)
    field.setAccessibleName(told)
    field.setFixedWidth(look.px(10) * letters + 16)
