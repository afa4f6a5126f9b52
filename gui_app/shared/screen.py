"""What every screen of the window has in common. No screen's own words live here."""

from __future__ import annotations

from typing import Any, ClassVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gui_app.session import CaseSession
from gui_app.shared.case_view import CaseView
from gui_app.shared.navigator import Navigator


class Screen(CaseView):
    """One screen of the centre."""

    name: ClassVar[str] = ""
    icon: ClassVar[str] = ""
    room_for_guide: ClassVar[bool] = True  # also beside what the screen has in the place of the details
    leads_viewer: ClassVar[bool] = False  # whether a viewer beside this screen shows what is selected here

    selected = Signal(object)
    go = Signal(str)
    go_to_part = Signal(str, str)
    back = Signal()
    search_wanted = Signal(str)  # words of a document
    hypothesis_wanted = Signal(str)  # words to begin a hypothesis with
    room_changed = Signal()
    moved = Signal()

    navigator: Navigator | None = None  # the window around it; None for a screen on its own

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.setObjectName(type(self).__name__)
        self.setAccessibleName(self.name)

    def current_item(self) -> object:
        """Return what is selected here now, for the details: a value that they can show; None for nothing.

        ``selected`` says when it becomes another, or that evidence was made of it, which then is shown in its place.
        """
        return None

    def main_widget(self) -> QWidget:
        """Return what the keys of this screen are for; it gets them when what had them disappears."""
        return self.focusProxy() or self

    def tell_made(self, evidence: str) -> None:
        """Have the details show evidence that was made of what is selected."""
        item = self.session.do(lambda bench: next((row for row in bench.evidence.all() if row.id == evidence), None))
        if item is not None:
            self.selected.emit(item)

    def show_part(self, part: str) -> None:
        """Go to a part of this screen that the guide names; a screen without such parts stays as it is."""

    def handbook_section(self) -> str:
        """Return the anchor in this screen's page of the handbook that is about the part on show; '' for the page."""
        return ""

    def wants_room(self) -> bool:
        """Return whether two things are beside each other here, so that panels make way as for a split."""
        return False

    def show_own_details(self, visible: bool) -> bool:
        """Show or hide what this screen has in the place of the details; False where it has nothing of its own."""
        return False

    def print_page(self) -> None:
        """Print what is on show, or say that it cannot be printed."""
        self.session.status.emit(f"{self.name} cannot be printed; Report can.")

    def state(self) -> Any:
        """Return what brings the person back to where they are now."""
        return None

    def restore(self, state: Any) -> None:
        """Go back to a state that ``state`` gave."""

    def _restyled(self) -> None:
        """Make colours and sizes that were put into text and rows again."""
        self.reload()
