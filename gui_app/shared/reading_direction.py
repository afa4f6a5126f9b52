"""To which side words are set: what is written from right to left begins at the right."""

from __future__ import annotations

import unicodedata

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from gui_app.shared.table_models import Index

_LOOKED_AT = 200  # characters: digits and signs have no direction, the first letter decides


def direction_of(text: str) -> Qt.LayoutDirection:
    """Return the direction that a text is read in, which is that of its first letter."""
    if not text.isascii():
        for char in text[:_LOOKED_AT]:
            kind = unicodedata.bidirectional(char)
            if kind in ("R", "AL"):
                return Qt.LayoutDirection.RightToLeft
            if kind == "L":
                break
    return Qt.LayoutDirection.LeftToRight


def text_option(text: str) -> QTextOption:
    """Return how a text is laid out by hand: broken anywhere if need be, from the side that it begins at."""
    direction = direction_of(text)
    is_left = direction == Qt.LayoutDirection.LeftToRight
    option = QTextOption(Qt.AlignmentFlag.AlignLeft if is_left else Qt.AlignmentFlag.AlignRight)
    option.setTextDirection(direction)
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    return option


class CellDelegate(QStyledItemDelegate):
    """A cell whose words begin at the side that they are read from."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Set the cell from the side that its words begin at."""
        super().initStyleOption(option, index)
        if option.text and not option.features & QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator:
            option.direction = direction_of(option.text)
