"""Small fields for numbers."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractSpinBox

from gui_app import look


def bare(field: QAbstractSpinBox, told: str, *, letters: int = 5) -> None:
    """A number field without the two small buttons (the arrow keys do the same), named for those who cannot see it."""
    # Not NoButtons: a styled spin box then leaves its text no room at all.
    field.setStyleSheet(
        "QAbstractSpinBox::up-button { subcontrol-origin: border; width: 0; border: none; }"
        "QAbstractSpinBox::down-button { subcontrol-origin: border; width: 0; border: none; }"
    )
    field.setAlignment(Qt.AlignmentFlag.AlignRight)
    field.setAccessibleName(told)
    field.setFixedWidth(look.px(10) * letters + 16)
