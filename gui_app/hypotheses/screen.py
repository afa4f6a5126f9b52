"""The rival hypotheses, and what is kept in mind beside them: assumptions, a premortem, indicators, what is expected.

Everything can be added, reworded, ticked off and removed in place, by keyboard alone if one likes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QTabBar, QWidget

from core.domain import Changes, Hypothesis
from gui_app.hypotheses.considerations_page import ConsiderationsPage
from gui_app.hypotheses.expectations_page import ExpectationsPage
from gui_app.hypotheses.hypotheses_model import KIND, NOTE
from gui_app.hypotheses.indicator_watch import watch_of
from gui_app.hypotheses.plan_page import SearchesPage
from gui_app.hypotheses.rivals_page import RivalsPage
from gui_app.hypotheses.state import CONSIDERATIONS, PAGES, HypothesesState, load
from gui_app.session import CaseSession
from gui_app.shared.formatting import counted
from gui_app.shared.header import Header
from gui_app.shared.labels import line
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.screen import Screen


class HypothesesScreen(Screen):
    """A field to add, a table to edit; pages beside it for what is kept in mind."""

    name = "Hypotheses"
    icon = "hypotheses"
    concerns = Changes(hypotheses=True, evidence=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._state = HypothesesState()
        self._searches_stale = False  # what is planned and was run has to be read again
        column = vbox(self, spacing=0)
        self.header = Header("Hypotheses")
        column.addWidget(self.header)
        self.tabs = QTabBar()
        self.tabs.setAccessibleName("Hypotheses, or their considerations")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(True)
        tabs_row = hbox(margins=(16, 0, 16, 0))
        tabs_row.addWidget(self.tabs, 1)
        column.addLayout(tabs_row)
        column.addWidget(line())
        self.stack = QStackedWidget(self)
        column.addWidget(self.stack, 1)
        self.rivals = RivalsPage(session, self.stack)
        self.field, self.model, self.table = self.rivals.field, self.rivals.model, self.rivals.table
        self.rivals.row_chosen.connect(self.selected)
        self.rivals.priors.closed.connect(self._toggle_priors)
        self.stack.addWidget(self.rivals)
        self.consideration_pages: dict[str, ConsiderationsPage] = {}
        self.expectations = ExpectationsPage(session, self.stack)
        self.searches = SearchesPage(session, self.stack)
        for name in PAGES[1:]:
            page: QWidget = self.searches if name == "searches" else self.expectations
            if name in CONSIDERATIONS:
                page = self.consideration_pages[name] = ConsiderationsPage(session, CONSIDERATIONS[name], self.stack)
                self.consideration_pages[name].show_source.connect(self.show_source)
            self.stack.addWidget(page)
        self.expectations.show_source.connect(self.show_source)
        self.expectations.selected.connect(self.selected)
        self.searches.show_source.connect(self.show_source)
        self.searches.go.connect(lambda name: self.go.emit(name) if name else self.begin(""))
        self.searches.turns.currentChanged.connect(lambda _at: self._name_actions())
        for name in PAGES:
            self.tabs.addTab(self._tab_title(name))
        self.tabs.setTabVisible(PAGES.index("conflicts"), False)
        self.tabs.currentChanged.connect(self._show_tab)
        self.setFocusProxy(self.field)
        self._make_commands()
        self.watch = watch_of(session)
        self.watch.changed.connect(self._name_tabs)
        session.opened.connect(self._opened)

    def _make_commands(self) -> None:
        self.command("New hypothesis", "Ctrl+Shift+N", lambda: self.begin(""))
        self.command("New null hypothesis", None, lambda: self.begin("null"))
        self.command("New deception hypothesis", None, lambda: self.begin("deception"))
        self.edit_action = self.command("Reword the hypothesis", "F2", self._edit_here, shown_keys="Enter")
        self.note_action = self.command(
            "Write a note to the hypothesis", "Ctrl+Return", lambda: self._edit_column(NOTE)
        )
        self.kind_action = self.command(
            "Kind of the hypothesis: null, deception", "Ctrl+T", lambda: self._edit_column(KIND)
        )
        self.remove_action = self.command("Remove the hypothesis", "Del", self._remove_here)
        self.done_action = self.command("Tick off, or open again", None, self._toggle_done, shown_keys="Space")
        for action in (self.remove_action,):
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            for table in (self.table, self.searches.table, *(page.table for page in self.consideration_pages.values())):
                table.addAction(action)
        self.expect_action = self.command("Look for what is expected under the hypothesis", "Ctrl+L", self._expect)
        self.priors_action = self.command("Prior probabilities", "Ctrl+Shift+P", self._toggle_priors)
        self.header.add(self.priors_action).setText("Priors")
        self.exclusive_action = self.command("At most one hypothesis can be true", None, self._toggle_exclusive)
        self.next_action = self.command("Next tab of the hypotheses", "Ctrl+PgDown", lambda: self._turn(1))
        self.command("Previous tab of the hypotheses", "Ctrl+PgUp", lambda: self._turn(-1))
        self.command("New assumption", None, lambda: self.show_part("assumptions"))
        self.command("New premortem", None, lambda: self.show_part("premortem"))
        self.command("New indicator", None, lambda: self.show_part("indicators"))
        self.record_action = self.command("Record as not found", "Ctrl+Shift+Return", self.expectations.record)
        self._search_commands()
        self.command("Check the indicators now", "F5", self._check_indicators)
        self.command(
            "Mark the indicator's documents as looked at", None, self.consideration_pages["indicators"].mark_seen
        )

    def _search_commands(self) -> None:
        page = self.searches
        self.command("Plan the searches", None, self._in_searches(page.make_plans))
        self.word_action = self.command("Have a model draft the searches", None, self._in_searches(page.word_plans))
        self.command("New search for a hypothesis", None, self._in_searches(page.begin))
        self.command("Find evidence with the planned searches", None, self._in_searches(page.find_evidence))
        self.command("How much was missed?", "Ctrl+Shift+M", self._in_searches(page.show_missed))
        sample = page.sample
        self.sample_actions = [
            self.command("The passage bears on the hypothesis", "Y", lambda: sample.judge(True)),
            self.command("The passage does not bear on it", "N", lambda: sample.judge(False)),
            self.command("The passage bears on it: add it as evidence", "A", sample.add),
            self.command("Open the page of the passage", "O", sample.open_page),
            self.command("Withdraw the judgement of the passage", "U", sample.undo),
            self.command("Back to the searches", "Esc", page.show_plans),
        ]

    def _in_searches(self, verb: Callable[[], object]) -> Callable[[], None]:
        def run() -> None:
            self._show_page("searches")
            verb()

        return run

    # --- showing -----------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read again what the screen shows."""
        state = self.session.do(load)
        if state is None:
            return
        self._state = state
        previous = self.current_item()
        writable = not self.session.read_only
        self.rivals.show_state(state, writable=writable)
        for name, page in self.consideration_pages.items():
            page.show_rows(state.rows(name), state.hypotheses, writable=writable)
        self.expectations.show_rows(state.hypotheses, state.evidence, writable=writable)
        self._searches_stale = True
        self._show_searches()
        self._count()
        self.rivals.fit_rows()
        self._name_actions()
        now = self.current_item()
        if isinstance(now, Hypothesis) and not (isinstance(previous, Hypothesis) and previous.id == now.id):
            self.selected.emit(now)  # another hypothesis is in the highlighted row now

    def _case_changed(self, changes: Changes, initiator: object) -> None:
        super()._case_changed(changes, initiator)
        if changes.proposals and not changes.hypotheses:  # planned searches may have been run, from any screen
            self._searches_stale = True
            if self.isVisible() and self.page() == "searches" and self.searches.out_of_date():
                self._show_searches()

    def showEvent(self, event: QShowEvent) -> None:
        """Read the searches if they are on show, and give the keys to an empty page."""
        super().showEvent(event)
        self._show_searches()
        self.rivals.take_keys()

    def _show_searches(self) -> None:
        """Read only when they are on show: counting effort goes through every proposal of the case."""
        if not self._searches_stale or self.page() != "searches" or not self.isVisible():
            return
        read = self.session.do(lambda bench: (bench.plans.get(), bench.plans.runs(), bench.plans.effort()))
        if read is not None:
            self._searches_stale = False
            self.searches.show_rows(self.model.rows, *read, writable=self.model.writable)

    def show_part(self, part: str) -> None:
        """Show a page by name, ready to write.

        'null' and 'deception' begin such a hypothesis, 'priors' shows them.
        """
        if part in ("null", "deception"):
            self.begin(part)
            return
        if part == "priors":
            self._show_page("hypotheses")
            if self.rivals.priors.isHidden():
                self._toggle_priors()
            return
        self._show_page(part or "hypotheses")
        page = self.stack.currentWidget()
        focus = page.focusProxy() if page else None
        (focus or self.field).setFocus(Qt.FocusReason.OtherFocusReason)

    def begin(self, kind: str) -> None:
        """Make ready to write a hypothesis; one of a special kind starts with words to change."""
        self._show_page("hypotheses")
        self.rivals.begin(kind)

    def handbook_section(self) -> str:
        """Return the section about the page on show."""
        return {"conflicts": "left-open", "expected": "missing-evidence"}.get(self.page(), self.page())

    def page(self) -> str:
        """Return the name of the page on show."""
        return PAGES[self.tabs.currentIndex()]

    def state(self) -> Any:
        """Return the page and the selected row."""
        return self.page(), self.table.currentIndex().row()

    def restore(self, state: Any) -> None:
        """Go back to a state that ``state`` gave."""
        page, row = state
        self._show_page(page)
        if 0 <= row < len(self.model.rows):
            self.rivals.take(row)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the share of the notes in the width."""
        super().resizeEvent(event)
        self.rivals.fit_columns(self.width())

    def _count(self) -> None:
        hypotheses = len(self._state.hypotheses)
        self.header.count.setText(counted(hypotheses, "hypothesis", "hypotheses") if hypotheses else "")
        self.tabs.setTabVisible(PAGES.index("conflicts"), bool(self._state.rows("conflicts")))
        self._name_tabs()

    def _name_tabs(self) -> None:
        for index, name in enumerate(PAGES):
            self.tabs.setTabText(index, self._tab_title(name))

    def _tab_title(self, name: str) -> str:
        return self._state.title(name, watch_of(self.session).new_documents() if name == "indicators" else 0)

    def _opened(self) -> None:
        self._state = HypothesesState()
        self.rivals.reset()
        for page in self.consideration_pages.values():
            page.field.clear()
            page.query.clear()
            page.show_rows([], [], writable=True)
        self.expectations.reset()
        self.searches.reset()
        self._show_page("hypotheses")
        self._name_tabs()
        self._dirty = True

    def current_item(self) -> object:
        """Return the hypothesis of the selected row."""
        is_listed = self.page() == "hypotheses" and self.table.selectionModel().hasSelection()
        return self.rivals.in_hand() if is_listed else None

    def show_hypothesis(self, hypothesis: str) -> None:
        """Select a hypothesis."""
        row_number = next((row_number for row_number, row in enumerate(self.model.rows) if row.id == hypothesis), -1)
        if row_number >= 0:
            self._show_page("hypotheses")
            self.rivals.take(row_number)
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    # --- pages -------------------------------------------------------------------------------------------------------

    def _show_page(self, name: str) -> None:
        index = PAGES.index(name) if name in PAGES else 0
        if self.tabs.isTabVisible(index):
            self.tabs.setCurrentIndex(index)

    def _turn(self, step: int) -> None:
        visible = [index for index in range(self.tabs.count()) if self.tabs.isTabVisible(index)]
        to = visible[(visible.index(self.tabs.currentIndex()) + step) % len(visible)]
        self.tabs.setCurrentIndex(to)
        self.show_part(PAGES[to])

    def _show_tab(self, index: int) -> None:
        page = self.stack.widget(index)
        self.setFocusProxy((page.focusProxy() if page else None) or self.field)
        self.stack.setCurrentIndex(index)
        self._show_searches()
        self._name_actions()
        self.selected.emit(self.current_item())
        self.moved.emit()

    def _name_actions(self) -> None:
        page = self.page()
        writable = self.model.writable
        rivals = page == "hypotheses"
        has_hypotheses = bool(self.model.rows)
        rows = (
            bool(self.consideration_pages[page].model.rows)
            if page in self.consideration_pages
            else has_hypotheses and rivals
        )
        if page == "searches":
            rows = not self.searches.sampling() and any(row.query is not None for row in self.searches.model.rows)
        for action in self.sample_actions:
            action.setEnabled(page == "searches" and self.searches.sampling())
        what = {
            "assumptions": "the assumption",
            "premortem": "the premortem",
            "indicators": "the indicator",
            "conflicts": "what was left open",
            "searches": "the search",
        }.get(page, "the hypothesis")
        self.edit_action.setText(f"Reword {what}")
        self.remove_action.setText(f"Remove {what}")
        for action in (self.edit_action, self.remove_action):
            action.setEnabled(writable and rows)
        self.done_action.setEnabled(writable and rows and page in self.consideration_pages)
        for action in (self.note_action, self.kind_action):
            action.setEnabled(writable and has_hypotheses and rivals)
        self.priors_action.setEnabled(has_hypotheses)
        exclusive = bool(self._state.exclusive)
        self.exclusive_action.setText(f"{'Several hypotheses' if exclusive else 'At most one hypothesis'} can be true")
        self.exclusive_action.setEnabled(writable and len(self.model.rows) > 1)
        self.expect_action.setEnabled(has_hypotheses)
        self.record_action.setEnabled(writable and page == "expected")
        self.word_action.setEnabled(writable and has_hypotheses and self.searches.can_word())

    # --- commands ----------------------------------------------------------------------------------------------------

    def _edit_here(self) -> None:
        page = self.consideration_pages.get(self.page())
        if page is not None:
            page.edit_current()
        elif self.page() == "searches":
            self.searches.edit_current()
        else:
            self.rivals.edit_current()

    def _edit_column(self, column: int) -> None:
        if self.model.rows and self.model.writable:
            self._show_page("hypotheses")
            self.rivals.edit_column(column)

    def _remove_here(self) -> None:
        page = self.consideration_pages.get(self.page())
        if page is not None:
            page.remove()
        elif self.page() == "searches":
            self.searches.remove()
        else:
            self.rivals.remove()

    def _toggle_done(self) -> None:
        page = self.consideration_pages.get(self.page())
        if page is not None:
            page.toggle_done()

    def _expect(self) -> None:
        hypothesis = self.rivals.in_hand()
        self._show_page("expected")
        self.expectations.begin(hypothesis.id if hypothesis is not None else "")

    def _check_indicators(self) -> None:
        self._show_page("indicators")
        self.watch.check()

    def _toggle_priors(self) -> None:
        self._show_page("hypotheses")
        self.rivals.toggle_priors()

    def _toggle_exclusive(self) -> None:
        self._show_page("hypotheses")
        self.rivals.exclusive_box.click()

    def _restyled(self) -> None:
        """Leave a row that is being edited as it is: new rows would close its editor."""
        if self.rivals.is_editing():
            self._dirty = True
            self.rivals.fit_rows()
        else:
            super()._restyled()

    def sizeHint(self) -> QSize:
        """Return a size that a page has room in."""
        return QSize(720, 480)
