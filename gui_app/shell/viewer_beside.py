"""A second viewer beside the screen on show: it follows what is selected there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QFrame

from core.domain import Document, Evidence, Passage, Proposal
from gui_app.shared import theme as look
from gui_app.shared.layout import vbox
from gui_app.shared.screen import Screen
from gui_app.shared.selected_cell import Cell

if TYPE_CHECKING:
    from gui_app.viewer.screen import ViewerScreen

SETTLE_MS = 120  # a person running through a list is not shown every page on the way


class ViewerBeside(QFrame):
    """The frame with the second viewer, which ``make`` gives when it is first wanted."""

    def __init__(self, make: Callable[[], ViewerScreen], screen: Callable[[], Screen | None]) -> None:
        super().__init__()
        self._make = make
        self._screen = screen
        self.viewer: ViewerScreen | None = None
        self._position: tuple[str, int, int, int] | None = None  # what it followed to
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(SETTLE_MS)
        self._delay.timeout.connect(self.follow)
        self.setProperty("kind", "surface")
        self._column = vbox(self)
        self.hide()

    def is_open(self) -> bool:
        """Return whether it is on show."""
        return self.viewer is not None and self.isVisible()

    def has_keys(self, sender: object) -> bool:
        """Return whether ``sender`` is this viewer, while the person works in it."""
        keys = QApplication.focusWidget()
        return self.viewer is not None and sender is self.viewer and keys is not None and self.viewer.isAncestorOf(keys)

    def make_viewer(self) -> None:
        """Make the viewer, unless it is there."""
        if self.viewer is None:
            self.viewer = self._make()
            self._column.addWidget(self.viewer)
            look.dress_when_shown(self.viewer)

    def refresh(self) -> None:
        """Show the case as it is now, at the place that is selected."""
        if self.viewer is not None:
            self.viewer.refresh_if_dirty()
            self._position = None
            self.follow()

    def open_source(self, document: str, page: int, start: int, end: int) -> None:
        """Show a page with its quote; it stays until something else is selected."""
        if self.viewer is not None:
            self._delay.stop()
            self._position = None
            self.viewer.open_source(document, page, start, end)

    def follow_soon(self) -> None:
        """Follow the selection once it rests."""
        self._delay.start()

    def follow(self) -> None:
        """Show where the selection is, as the person goes along a list; what is opened by hand stays until then."""
        screen, viewer = self._screen(), self.viewer
        if viewer is None or not self.isVisible() or screen is None or not screen.leads_viewer:
            return
        position = position_of(screen.current_item())
        if position is not None and position != self._position:
            self._position = position
            viewer.open_source(*position)


def position_of(value: object) -> tuple[str, int, int, int] | None:
    """Return the document, page, start and end of what is selected; None if it is on no page."""
    if isinstance(value, Cell):
        value = value.evidence
    if isinstance(value, Document):
        readable = value.pages and value.status not in ("failed", "removed")
        return (value.id, 1, 0, 0) if readable else None
    if isinstance(value, Proposal):
        return value.quote.document, value.quote.page, value.quote.start, value.quote.end
    if isinstance(value, Passage):
        return value.document, value.page, value.start, value.end
    if isinstance(value, Evidence) and value.document is not None and value.page is not None:
        return value.document, value.page, value.start or 0, value.end or 0
    return None
