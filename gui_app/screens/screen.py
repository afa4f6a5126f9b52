"""What every screen of the window has in common. No screen's own words live here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QShowEvent
from PySide6.QtWidgets import QWidget

from core.domain import Changes
from gui_app import look
from gui_app.session import CaseSession


class Screen(QWidget):
    """One screen of the centre. Reloads itself only when it is on show and something it concerns has changed."""

    name: ClassVar[str] = ""
    icon: ClassVar[str] = ""
    concerns: ClassVar[Changes] = Changes()
    needs_case: ClassVar[bool] = True

    show_source = Signal(str, int, int, int)
    selected = Signal(object)
    go = Signal(str)
    go_to_part = Signal(str, str)
    back = Signal()
    search_wanted = Signal(str)  # words of a document
    hypothesis_wanted = Signal(str)  # words to begin a hypothesis with
    room_changed = Signal()
    moved = Signal()

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.setObjectName(type(self).__name__)
        self.setAccessibleName(self.name)
        self._dirty = True
        session.changed.connect(self._case_changed)
        look.changed.connect(self._restyled)

    def refresh(self) -> None:
        """Read everything on show again from the session."""

    def show_part(self, part: str) -> None:
        """Go to a part of this screen that the guide names; a screen without such parts stays as it is."""

    def wants_room(self) -> bool:
        """Whether two things stand beside each other here, so that the panels around it make way as for a split."""
        return False

    def state(self) -> Any:
        """What brings the person back to where they are now."""
        return None

    def restore(self, state: Any) -> None:
        """Go back to a state that ``state`` gave."""

    def command(
        self,
        text: str,
        keys: str | QKeySequence.StandardKey | None,
        slot: Callable[[], object],
        *,
        tip: str = "",
        shown_keys: str = "",
    ) -> QAction:
        """A command of this screen: named, with its keys, reachable from the palette and listed by F1.

        ``shown_keys`` names keys that a widget handles itself (Enter in a table), so that F1 lists them too.
        """
        action = QAction(text, self)
        if keys is not None:
            action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.setToolTip(tip or text)
        action.setProperty("shown_keys", shown_keys)
        action.triggered.connect(lambda _checked=False: slot())
        self.addAction(action)
        return action

    def dirty(self) -> bool:
        """Whether the next showing will reload."""
        return self._dirty

    def refresh_if_dirty(self) -> None:
        """Reload when on show, with a case, and something changed since the last time."""
        if self._dirty and self.isVisible() and (self.session.workbench is not None or not self.needs_case):
            self._dirty = False
            self.refresh()

    def _case_changed(self, changes: Changes, _initiator: object) -> None:
        if changes & self.concerns:
            self._dirty = True
            self.refresh_if_dirty()

    def _restyled(self) -> None:
        """Colours and sizes that were put into text and rows are made anew."""
        self._dirty = True
        self.refresh_if_dirty()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh_if_dirty()
