"""What the views beside the search have in common: they read again only when on show, and name their commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QShowEvent
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from core.domain import Changes
from core.errors import AppError
from gui_app import look
from gui_app.session import CaseSession

if TYPE_CHECKING:
    from core.workbench import Workbench

T = TypeVar("T")


class Page(QWidget):
    """A view of the case inside a screen. ``show_source(document, page, start, end)`` asks for a place in a document;
    its commands are its ``actions()``."""

    concerns: ClassVar[Changes] = Changes()

    show_source = Signal(str, int, int, int)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._dirty = True
        session.changed.connect(self._case_changed)
        session.opened.connect(self._case_opened)
        look.changed.connect(self._restyled)

    def refresh(self) -> None:
        """Read everything on show again."""

    def refresh_if_dirty(self) -> None:
        if self._dirty and self.isVisible() and self.session.workbench is not None:
            self._dirty = False
            self.refresh()

    def forget(self) -> None:
        """Another case is open, or none: nothing on show belongs to it."""

    def read(
        self,
        verb: Callable[[Workbench], T],
        done: Callable[[T], object],
        *,
        key: str,
        failed: Callable[[AppError], object] | None = None,
    ) -> None:
        """Read something beside the work (see ``CaseSession.read``); nothing comes to a page that is gone."""

        def told(error: AppError) -> None:
            if isValid(self) and failed is not None:
                failed(error)

        self.session.read(verb, self.while_here(done), key=key, failed=told if failed is not None else None)

    def while_here(self, done: Callable[[T], object]) -> Callable[[T], None]:
        """``done``, unless the page is gone by then."""

        def arrived(result: T) -> None:
            if isValid(self):
                done(result)

        return arrived

    def command(
        self, text: str, keys: str | None, slot: Callable[[], object], *, tip: str = "", shown_keys: str = ""
    ) -> QAction:
        """A command of this page; ``shown_keys`` names keys that a list handles itself."""
        action = QAction(text, self)
        if keys is not None:
            action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.setToolTip(tip or text)
        action.setProperty("shown_keys", shown_keys)
        action.triggered.connect(lambda _checked=False: slot())
        self.addAction(action)
        return action

    def _case_changed(self, changes: Changes, _initiator: object) -> None:
        if changes & self.concerns:
            self._dirty = True
            self.refresh_if_dirty()

    def _case_opened(self) -> None:
        self._dirty = True
        self.forget()

    def _restyled(self) -> None:
        for part in self.findChildren(QWidget):
            part.update()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh_if_dirty()
