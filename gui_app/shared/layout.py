"""Box layouts with their margins and spacing, and what scrolls."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

Margins = tuple[int, int, int, int]  # left, top, right, bottom, in pixels


def vbox(parent: QWidget | None = None, *, margins: Margins = (0, 0, 0, 0), spacing: int = -1) -> QVBoxLayout:
    """Return a column of widgets, of ``parent`` if there is one. A spacing of -1 is that of the style."""
    box = QVBoxLayout() if parent is None else QVBoxLayout(parent)
    box.setContentsMargins(*margins)
    box.setSpacing(spacing)
    return box


def hbox(parent: QWidget | None = None, *, margins: Margins = (0, 0, 0, 0), spacing: int = -1) -> QHBoxLayout:
    """Return a row of widgets, of ``parent`` if there is one. A spacing of -1 is that of the style."""
    box = QHBoxLayout() if parent is None else QHBoxLayout(parent)
    box.setContentsMargins(*margins)
    box.setSpacing(spacing)
    return box


def scrolled(inside: QWidget, name: str) -> QScrollArea:
    """Return an area that scrolls ``inside`` up and down, without a frame; ``name`` is read aloud."""
    area = QScrollArea()
    area.setWidget(inside)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setStyleSheet("QScrollArea { background: transparent; border: none; }")
    area.setAccessibleName(name)
    return area
