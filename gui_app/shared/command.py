"""A command of the window or of a view, whose keys wait while a list or a menu is open."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QKeyEvent, QShortcutEvent
from PySide6.QtWidgets import QApplication


class Command(QAction):
    """An action whose keys go to the list or menu that is open, if one is: there a letter finds an entry.

    Qt would run the command behind it, as the list is a child of the view that the keys belong to.
    """

    def event(self, event: QEvent) -> bool:
        """Hand the key to what is open, else run the command."""
        popup = QApplication.activePopupWidget()
        if popup is None or not isinstance(event, QShortcutEvent) or event.type() != QEvent.Type.Shortcut:
            return super().event(event)
        combination = event.key()[0]  # type: ignore[index]  # missing in the stubs of PySide
        key, modifiers = combination.key(), combination.keyboardModifiers()
        letter = chr(key) if key < 0x1000000 else ""  # above stand the keys without a letter
        text = letter if modifiers == Qt.KeyboardModifier.ShiftModifier else letter.lower()
        # Given by hand: a key that is sent to a widget is looked up among the keys of commands first, and comes back.
        (popup.focusWidget() or popup).event(QKeyEvent(QEvent.Type.KeyPress, key, modifiers, text))
        return True
