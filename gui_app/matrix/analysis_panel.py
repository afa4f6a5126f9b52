"""What the ratings add up to, beside the grid: rules, sensitivity, the group, time. Each tab reads when it is shown."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QTabBar, QToolButton, QWidget

from core.domain import Changes, Hypothesis, Matrix
from gui_app.matrix.group_panel import GroupPanel
from gui_app.matrix.history_panel import HistoryPanel
from gui_app.matrix.rules_panel import RulesPanel
from gui_app.matrix.sensitivity_panel import SensitivityPanel
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.labels import line
from gui_app.shared.layout import hbox, vbox

REST_MS = 200  # a tab that reads the whole case does so when the deciding rests
LOW = 248  # pixels: the least height of the panel below the grid
_concerns = Changes(hypotheses=True, evidence=True, matrix=True)
RULES, SENSITIVITY, GROUP, TIME = range(4)


class AnalysisPanel(QWidget):
    """The tabs beside the grid.

    ``chosen(evidence, hypothesis)`` moves the grid's cursor (either id may be ''), ``show_source`` opens the page
    behind something, ``whole_wanted()`` asks for the whole page, or for the grid again.
    """

    chosen = Signal(str, str)
    show_source = Signal(str, int, int, int)
    whole_wanted = Signal()

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._inputs: tuple[Matrix, Sequence[Hypothesis], Matrix | None] | None = None
        self._stale = {RULES, SENSITIVITY, GROUP, TIME}
        self.pages = QStackedWidget(self)
        self.rules = RulesPanel(self.pages)
        self.sensitivity = SensitivityPanel(session, self.pages)
        self.group = GroupPanel(session, self.pages)
        self.time = HistoryPanel(session, self.pages)
        self.tabs = QTabBar()
        self.tabs.setAccessibleName("What the ratings add up to")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setElideMode(Qt.TextElideMode.ElideNone)  # their names make the panel as wide as it must be
        self.tabs.setUsesScrollButtons(False)
        names = ("Rules", "Sensitivity", "Group", "Time")
        for name, page in zip(names, (self.rules, self.sensitivity, self.group, self.time), strict=True):
            self.tabs.addTab(name)
            self.pages.addWidget(page)
            page.chosen.connect(self.chosen)
        self.sensitivity.show_source.connect(self.show_source)
        self.tabs.currentChanged.connect(self._tab_changed)
        column = vbox(self, spacing=0)
        self.is_lying = False
        self.whole_button = QToolButton()
        self.whole_button.setAccessibleName("Analysis on the whole page")
        theme.set_icon(self.whole_button, "expand")
        self.whole_button.clicked.connect(lambda _on=False: self.whole_wanted.emit())
        self.show_whole(False)
        head = hbox(margins=(0, 0, 8, 0))
        head.addWidget(self.tabs, 1)
        head.addWidget(self.whole_button)
        column.addLayout(head)
        column.addWidget(line())
        column.addWidget(self.pages, 1)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(REST_MS)
        self._soon.timeout.connect(self._refresh)
        session.changed.connect(self._case_changed)
        session.opened.connect(self._case_opened)

    def set_flat(self, flat: bool) -> None:
        """Set whether the panel lies below the grid, the parts of a tab side by side, or is at its right."""
        self.is_lying = flat
        for page in (self.rules, self.sensitivity, self.group, self.time):
            page.set_flat(flat)
        self.setMinimumHeight(LOW if flat else 0)

    def show_whole(self, is_whole: bool) -> None:
        """Offer the way back to the grid, or the way to the whole page."""
        theme.set_icon(self.whole_button, "reduce" if is_whole else "expand")
        self.whole_button.setToolTip("Back to the grid (Esc)" if is_whole else "On the whole page (Ctrl+Shift+R)")

    def show_matrix(self, matrix: Matrix, hypotheses: Sequence[Hypothesis], *, what_if: Matrix | None = None) -> None:
        """Show the matrix that holds, and the one that would hold under a what-if that is being tried."""
        self._inputs = (matrix, hypotheses, what_if)
        self._stale |= {RULES, SENSITIVITY}
        self._refresh_matrix()

    def show_tab(self, tab: int) -> None:
        """Show the tab of this number: RULES, SENSITIVITY, GROUP or TIME."""
        self.tabs.setCurrentIndex(tab)

    def _tab_changed(self, tab: int) -> None:
        self.pages.setCurrentIndex(tab)
        self._refresh()

    def _case_changed(self, changes: Changes, _initiator: object) -> None:
        if changes & _concerns:
            self._stale |= {GROUP, TIME}
            self._soon.start()

    def _case_opened(self) -> None:
        self._inputs = None
        self._stale = {RULES, SENSITIVITY, GROUP, TIME}

    def _refresh(self) -> None:
        """Bring the tab on show up to date; the others wait until they are shown."""
        if not self.isVisible() or self._session.workbench is None:
            return
        self._refresh_matrix()
        tab = self.tabs.currentIndex()
        if tab in self._stale & {GROUP, TIME}:
            self._stale.discard(tab)
            (self.group if tab == GROUP else self.time).refresh()

    def _refresh_matrix(self) -> None:
        tab = self.tabs.currentIndex()
        if self._inputs is None or tab not in self._stale & {RULES, SENSITIVITY} or not self.isVisible():
            return
        matrix, hypotheses, what_if = self._inputs
        if tab == RULES:
            self.rules.show_matrix(matrix, hypotheses, what_if=what_if)
        else:
            self.sensitivity.show_matrix(what_if or matrix, hypotheses)
        self._stale.discard(tab)

    def showEvent(self, event: QShowEvent) -> None:
        """Bring the tab up to date with what changed while it was hidden."""
        super().showEvent(event)
        self._refresh()
