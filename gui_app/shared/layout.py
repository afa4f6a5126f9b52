"""Box layouts with their margins and spacing."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

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
