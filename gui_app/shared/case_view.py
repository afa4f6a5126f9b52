"""What every view of a case has in common: it reads again only when on show, and names its commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QShowEvent
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from core.domain import Changes
from core.errors import AppError
from gui_app.session import EVERYTHING, CaseSession
from gui_app.shared import theme
from gui_app.shared.command import Command

if TYPE_CHECKING:
    from core.workbench import Workbench

T = TypeVar("T")


class CaseView(QWidget):
    """A view of the case: a screen, or a part of one.

    It reads again when something it ``concerns`` has changed, as soon as it is on show. ``show_source(document, page,
    start, end)`` asks for a place in a document; its commands are its ``actions()``.
    """

    concerns: ClassVar[Changes] = Changes()
    needs_case: ClassVar[bool] = True

    show_source = Signal(str, int, int, int)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._dirty = True
        session.changed.connect(self._case_changed)
        session.opened.connect(self._another_case)
        theme.changed.connect(self._restyled)

    def refresh(self) -> None:
        """Read everything on show again."""

    def dirty(self) -> bool:
        """Return whether the next showing will reload."""
        return self._dirty

    def refresh_if_dirty(self) -> None:
        """Reload when on show, with a case, and something changed since the last time."""
        if self._dirty and self.isVisible() and (self.session.workbench is not None or not self.needs_case):
            self._dirty = False
            self.refresh()

    def reload(self) -> None:
        """Read again, as soon as it is on show."""
        self._dirty = True
        self.refresh_if_dirty()

    def forget(self) -> None:
        """Clear what belongs to the previous case: another one is open, or none."""

    def read(
        self,
        verb: Callable[[Workbench], T],
        on_result: Callable[[T], object],
        *,
        key: object,
        on_error: Callable[[AppError], object] | None = None,
    ) -> None:
        """Read something beside the work (see ``CaseSession.read``); nothing comes to a page that is gone."""

        def deliver_error(error: AppError) -> None:
            if isValid(self) and on_error is not None:
                on_error(error)

        on_failure = deliver_error if on_error is not None else None
        self.session.read(verb, self.while_here(on_result), key=key, failed=on_failure)

    def while_here(self, on_result: Callable[[T], object]) -> Callable[[T], None]:
        """Wrap ``on_result``, so that nothing comes to a page that is gone."""

        def deliver(result: T) -> None:
            if isValid(self):
                on_result(result)

        return deliver

    def command(
        self,
        text: str,
        keys: str | QKeySequence.StandardKey | None,
        slot: Callable[[], object],
        *,
        tip: str = "",
        shown_keys: str = "",
    ) -> QAction:
        """Make a command of this view: named, with its keys, reachable from the palette and listed by Ctrl+/.

        ``shown_keys`` names keys that a widget handles itself (Enter in a table), so that Ctrl+/ lists them too.
        """
        action = Command(text, self)
        if keys is not None:
            action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.setToolTip(tip or text)
        action.setProperty("shown_keys", shown_keys)
        action.triggered.connect(lambda *_: slot())
        self.addAction(action)
        return action

    def _case_changed(self, changes: Changes, initiator: object) -> None:
        is_opening = changes is EVERYTHING and initiator is self.session
        if changes & self.concerns and not (is_opening and not self._dirty):  # which was read since it is open
            self.reload()

    def _another_case(self) -> None:
        self._dirty = True
        self.forget()

    def _restyled(self) -> None:
        for part in self.findChildren(QWidget):
            part.update()

    def showEvent(self, event: QShowEvent) -> None:
        """Reload what changed while it was hidden."""
        super().showEvent(event)
        self.refresh_if_dirty()
