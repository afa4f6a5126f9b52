"""Who gets the keys by Tab, and when the part of the window that had them is hidden, disabled or deleted."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid


def lost(old: QWidget | None, now: QWidget | None, window: QWidget) -> bool:
    """Return whether the focus went from ``old`` to ``now`` because ``old`` is not there any more.

    Qt then gives it to whatever comes next in the order of Tab, which may be any button of the window; or to nothing.
    """
    if old is None or (now is not None and now.window() is not window):
        return False
    if now is None and (QApplication.activeWindow() is not window or QApplication.activePopupWidget() is not None):
        return False  # another window is in front
    if not isValid(old):
        return True
    away = old.parentWidget() is None and old is not window
    if old.window() is not window and not away:
        return False  # a dialog that closed: the window has the focus back where it was
    return now is None or not (old.isVisible() and old.isEnabled())


def give(screen: QWidget, main: QWidget, old: QWidget | None) -> None:
    """Move the focus to ``main``, the part of ``screen`` that it is for; else to the first part that can take it.

    Who was somewhere else comes back to where they were on the screen.
    """
    inside = old is not None and isValid(old) and screen.isAncestorOf(old)
    previous = None if inside else screen.focusWidget()
    heir = next((widget for widget in (previous, main) if widget is not None and able(widget)), None) or _first(screen)
    if heir is not None:
        heir.setFocus(Qt.FocusReason.OtherFocusReason)


def able(part: QWidget) -> bool:
    """Return whether a part of the window can take keys now."""
    while (proxy := part.focusProxy()) is not None:
        part = proxy
    return part.isVisible() and part.isEnabled() and part.focusPolicy() != Qt.FocusPolicy.NoFocus


def following(window: QWidget) -> QWidget | None:
    """Return the part of a window that Tab goes to.

    Qt would go through the focus proxy of a screen to its main part, past all that is above that. None if what
    has the keys is hidden or disabled: then nobody pressed Tab, and Qt looks for another part.
    """
    now = window.focusWidget() or window
    if not (now.isVisible() and now.isEnabled()):
        return None
    widget = now.nextInFocusChain()
    while widget is not None and widget is not now:
        reachable = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None
        if reachable and widget.window() is window and able(widget):
            return widget
        widget = widget.nextInFocusChain()
    return None


def _first(screen: QWidget) -> QWidget | None:
    """Return the first part of a screen that Tab reaches."""
    widget = screen.nextInFocusChain()
    while widget is not None and widget is not screen:
        if screen.isAncestorOf(widget) and widget.focusPolicy() & Qt.FocusPolicy.TabFocus and able(widget):
            return widget
        widget = widget.nextInFocusChain()
    return None
