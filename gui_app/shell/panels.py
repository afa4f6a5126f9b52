"""The panels around the screen: ranking, viewer beside it, details, guide; how they fold and share the room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSplitter, QWidget

from gui_app import window_state
from gui_app.session import CaseSession
from gui_app.shared import theme as look
from gui_app.shared.labels import line
from gui_app.shared.layout import vbox
from gui_app.shell.detail_panel import WIDTH as DETAIL_WIDTH
from gui_app.shell.detail_panel import DetailPanel
from gui_app.shell.guide_panel import GuidePanel
from gui_app.shell.ranking_panel import HypothesesPanel

if TYPE_CHECKING:
    from gui_app.shell.navigation import Navigation

HIDE_DETAIL_BELOW = 940
# Pixels: from here on ranking, screen, viewer and details are side by side. Below, the ranking is folded to letters
# whether details are on show or not, so that the screen has two thirds of the room and nothing moves when they come.
ROOM_FOR_ALL = 1680


class Panels:
    """The panels around the screen on show. What the person chose by hand stays; the rest follows the room."""

    def __init__(self, session: CaseSession, navigation: Navigation, window: QWidget) -> None:
        self._session = session
        self._navigation = navigation
        self._window = window
        self._ranking_choice: bool | None = None  # folded or not, by hand
        # Shown or not, by hand; closed by hand, they stay closed the next time too.
        self._detail_choice: bool | None = False if window_state.pane("details") == "hidden" else None
        self._has_details = True  # the panel's, or those that the screen has in its place
        self.is_young = False  # a case that has too little yet to go on without the guide
        self.ranking = HypothesesPanel(session)
        self.ranking.selected.connect(self.select)
        self.ranking.add.connect(lambda: navigation.go("Hypotheses"))
        self.ranking.toggled.connect(self._ranking_folded)
        self._ranking_line = line(vertical=True)
        self.detail = DetailPanel(session)
        self.detail.show_source.connect(navigation.open_source)
        self.detail.edit.connect(navigation.edit_hypothesis)
        self.detail.gone.connect(lambda: QTimer.singleShot(0, navigation, navigation.follow_selection))
        self.detail.chosen.connect(navigation.point_at)
        self.detail.searched.connect(navigation.search_for)
        self.guide = GuidePanel(session)
        self.guide.go_to.connect(navigation.go)
        self.guide.closed.connect(self.toggle_guide)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        navigation.selection_changed.connect(self.select)
        navigation.room_changed.connect(self.arrange)

    def add_to(self, row: QHBoxLayout, centre: QWidget) -> None:
        """Put the panels into the window, around ``centre``, which has the screens."""
        row.addWidget(self.ranking)
        row.addWidget(self._ranking_line)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(1)
        self.splitter.addWidget(centre)
        self.splitter.addWidget(self._navigation.beside)
        self.aside = QFrame()
        self.aside.setProperty("kind", "panel")
        column = vbox(self.aside, spacing=0)
        column.addWidget(self.guide)  # above the details, so that it stays where it is when they come and go
        self._guide_line = line()
        column.addWidget(self._guide_line)
        column.addWidget(self.detail, 1)
        self.splitter.addWidget(self.aside)
        for index, stretch in enumerate((3, 2, 0)):
            self.splitter.setStretchFactor(index, stretch)
        sizes = window_state.sizes()
        self.splitter.setSizes(sizes if len(sizes) == 3 and sizes[2] else [800, 560, DETAIL_WIDTH])
        row.addWidget(self.splitter, 1)

    def keep_sizes(self) -> None:
        """Remember the widths for the next time."""
        if self.detail.isVisible():
            window_state.keep_sizes(self.splitter.sizes())

    # --- room --------------------------------------------------------------------------------------------------------

    def arrange(self) -> None:
        """Fold what there is no room for; what the person chose by hand stays."""
        place = self._navigation.places.get(self._navigation.current_name)
        in_case = self._session.workbench is not None and place is not None and place.needs_case
        screen = self._navigation.current()
        is_split = self._navigation.beside.isVisibleTo(self._window) or (screen is not None and screen.wants_room())
        width = self._window.width()
        narrow = self._ranking_choice if self._ranking_choice is not None else width < look.px(ROOM_FOR_ALL)
        if self.ranking.narrow != narrow:
            self.ranking.set_narrow(narrow)
        self.ranking.setVisible(in_case)
        self._ranking_line.setVisible(in_case)
        detail = self._detail_choice
        if detail is None:
            detail = width >= look.px(ROOM_FOR_ALL if is_split else HIDE_DETAIL_BELOW)
        has_own = screen is not None and screen.show_own_details(detail)
        is_empty = self.detail.shown() is None and self._detail_choice is None
        self._has_details = detail and (has_own or not is_empty)
        detail = self._has_details and not has_own
        full = screen is not None and has_own and not screen.room_for_guide
        self.detail.setVisible(in_case and detail)
        guide = window_state.guide()
        guide = in_case and (self.is_young and not is_split and not full if guide is None else guide)
        self._guide_line.setVisible(guide and detail)
        self.guide.setVisible(guide)
        self.aside.setVisible(in_case and (detail or guide))
        self.guide.fit(self._window.height(), beside=self._detail_choice is not False and not has_own)

    def _ranking_folded(self, narrow: bool) -> None:
        self._ranking_choice = narrow

    def toggle_ranking(self) -> None:
        """F7."""
        self.ranking.set_narrow(not self.ranking.narrow, by_hand=True)

    def toggle_guide(self) -> None:
        """F9."""
        window_state.keep_guide(not self.guide.isVisible())
        self.arrange()
        if self.guide.isVisible():
            self.guide.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def toggle_detail(self) -> None:
        """F8."""
        self._detail_choice = not self._has_details
        window_state.keep_pane("details", "" if self._detail_choice else "hidden")
        self.arrange()

    def toggle_viewer(self) -> None:
        """F6: the viewer beside the screen on show, or away again."""
        if self._session.workbench is None:
            return
        beside = self._navigation.beside
        beside.make_viewer()
        opens = not beside.isVisible()
        if opens:
            widths = self.splitter.sizes()
            room = widths[0] + widths[1]
            self.splitter.setSizes([room // 2, room - room // 2, widths[2]])
        keys = self._window.focusWidget()
        beside.setVisible(opens)
        self.arrange()
        if opens:
            beside.refresh()
            if keys is not None and keys.isVisible():
                keys.setFocus(Qt.FocusReason.OtherFocusReason)  # who goes along a list goes on with it

    # --- details -----------------------------------------------------------------------------------------------------

    def select(self, value: object) -> None:
        """Show something in the details."""
        if value is None or value != self.detail.shown():
            self.detail.show_value(value)
        self.arrange()
        self._navigation.beside.follow_soon()

    def describe_documents(self) -> None:
        """Put the cursor into the fields that describe the documents on show in the details."""
        if not self.detail.isVisible():
            self.toggle_detail()
        self.detail.edit_fields()
