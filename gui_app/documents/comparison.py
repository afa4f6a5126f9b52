"""Two documents compared beside the work: which two, and the commands to go through their differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence

from gui_app.documents.version_compare import VersionsView
from gui_app.shared.screen import Screen

if TYPE_CHECKING:
    from core.documents.service import Versions


class Comparison(QObject):
    """Two documents on show beside each other, or none while ``pair`` is None; ``changed()`` when they come or go."""

    changed = Signal()

    def __init__(self, screen: Screen) -> None:
        super().__init__(screen)
        self._screen = screen
        self.pair: tuple[str, str] | None = None
        self.view = VersionsView()
        self._actions: list[QAction] = []

    def add_commands(self) -> None:
        """Add the commands to go through the differences, with a button each."""
        command = self._screen.command
        self.next = command("Next difference", None, lambda: self.view.step(1))
        self.next.setShortcuts([QKeySequence("F3"), QKeySequence("N")])
        previous = command("Previous difference", None, lambda: self.view.step(-1))
        previous.setShortcuts([QKeySequence("Shift+F3"), QKeySequence("P")])
        page = command("Open the page of the difference", "O", self._open_page)
        self.leave_action = command("Back to the documents", "Esc", self.leave)
        for action, text in (
            (previous, "Previous  P"),
            (self.next, "Next  N"),
            (page, "Page  O"),
            (self.leave_action, "Back  Esc"),
        ):
            self.view.offer(action, text)
            self._actions.append(action)

    def enable(self) -> None:
        """Enable the commands while two documents are on show."""
        for action in self._actions:
            action.setEnabled(self.pair is not None)

    def show(self, old: str, new: str, *, step: bool = False) -> None:
        """Compare two documents beside the work, and show them when it is done; ``step``: worth coming back from."""

        def done(versions: Versions) -> None:
            self.pair = (old, new)
            self.view.show_versions(versions)
            self.changed.emit()
            self.view.setFocus()
            if step:
                self._screen.moved.emit()

        self._screen.session.read(
            lambda bench: bench.documents.compare_versions(old, new), done, key=("versions", id(self._screen))
        )

    def leave(self) -> None:
        """Go back to what was on show before."""
        self.forget()
        self.changed.emit()
        self._screen.setFocus()

    def forget(self) -> None:
        """Show no two documents."""
        self.pair = None

    def _open_page(self) -> None:
        place = self.view.place()
        if place is not None:
            self._screen.show_source.emit(*place)
