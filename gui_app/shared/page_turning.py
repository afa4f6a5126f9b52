"""Turning pages by the wheel and by the keys, where a page is scrolled beyond its end."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QScrollBar

_WAYS = {Qt.Key.Key_PageDown: 1, Qt.Key.Key_PageUp: -1}


def turn_at_end(bar: QScrollBar, event: QWheelEvent | QKeyEvent) -> int:
    """Return which page a turn of the wheel or a key asks for: 1 the next, -1 the one before, 0 none."""
    if event.modifiers():
        return 0
    if isinstance(event, QWheelEvent):
        down = event.angleDelta().y()
        way = (down < 0) - (down > 0)
    else:
        way = _WAYS.get(Qt.Key(event.key()), 0)
    is_end = bar.value() >= bar.maximum() if way > 0 else bar.value() <= bar.minimum()
    return way if is_end else 0
