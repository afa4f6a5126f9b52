"""The rival hypotheses, and what is kept in mind beside them: assumptions, a premortem, indicators, what is expected.

Everything can be added, reworded, ticked off and removed in place, by keyboard alone if one likes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QSize, Qt, QTimer
from PySide6.QtGui import QFontMetrics, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from core.domain import Changes, Consideration, Hypothesis
from gui_app import window_state
from gui_app.hypotheses.considerations_page import ConsiderationsPage
from gui_app.hypotheses.expectations_page import ExpectationsPage
from gui_app.hypotheses.hypotheses_model import ID, KIND, KINDS, NOTE, PRIOR, TEXT, HypothesesModel
from gui_app.hypotheses.indicator_watch import watch_of
from gui_app.hypotheses.plan_page import SearchesPage
from gui_app.hypotheses.priors import PriorsStrip
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.cell_editor import ChoiceDelegate, TextDelegate, TextEditor
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.formatting import counted
from gui_app.shared.header import Header
from gui_app.shared.labels import line, plain
from gui_app.shared.screen import Screen
from gui_app.shared.table import Table

HIGHEST = 184  # pixels of a row: what is longer is read in the editor and in the details
# The pages of the screen by name, as the guide and the palette call them.
PAGES = ("hypotheses", "assumptions", "premortem", "indicators", "expected", "searches", "conflicts")
_CONSIDERED = {
    "assumptions": "assumption",
    "premortem": "premortem",
    "indicators": "indicator",
    "conflicts": "conflict",
}


class HypothesesScreen(Screen):
    """A field to add, a table to edit; pages beside it for what is kept in mind."""

    name = "Hypotheses"
    icon = "hypotheses"
    concerns = Changes(hypotheses=True, evidence=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._quiet = False  # while the rows are put back, no row is chosen by the person
        self._searches_stale = False  # what is planned and was run has to be read again
        self._prompt_kind = ""  # the kind of hypothesis that the prompt asks for
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.header = Header("Hypotheses")
        column.addWidget(self.header)
        self.tabs = QTabBar()
        self.tabs.setAccessibleName("Hypotheses, or their considerations")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(True)
        tabs_row = QHBoxLayout()
        tabs_row.setContentsMargins(16, 0, 16, 0)
        tabs_row.addWidget(self.tabs, 1)
        column.addLayout(tabs_row)
        column.addWidget(line())
        self.stack = QStackedWidget()
        column.addWidget(self.stack, 1)
        self.stack.addWidget(self._rivals())
        self.consideration_pages: dict[str, ConsiderationsPage] = {}
        self.expectations = ExpectationsPage(session)
        self.searches = SearchesPage(session)
        for name in PAGES[1:]:
            page: QWidget = self.searches if name == "searches" else self.expectations
            if name in _CONSIDERED:
                page = self.consideration_pages[name] = ConsiderationsPage(session, _CONSIDERED[name])
                self.consideration_pages[name].show_source.connect(self.show_source)
            self.stack.addWidget(page)
        self.expectations.show_source.connect(self.show_source)
        self.expectations.selected.connect(self.selected)
        self.searches.show_source.connect(self.show_source)
        self.searches.go.connect(lambda name: self.go.emit(name) if name else self.begin(""))
        self.searches.turns.currentChanged.connect(lambda _at: self._name_actions())
        for name in PAGES:
            self.tabs.addTab(self._tab_title(name, 0))
        self.tabs.setTabVisible(PAGES.index("conflicts"), False)
        self.tabs.currentChanged.connect(self._show_tab)
        self.setFocusProxy(self.field)
        self._make_commands()
        self.watch = watch_of(session)
        self.watch.changed.connect(self._name_tabs)
        session.opened.connect(self._opened)

    def _rivals(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        add = QHBoxLayout()
        add.setContentsMargins(24, 12, 24, 8)
        add.setSpacing(8)
        self.field = QLineEdit()
        self.field.setPlaceholderText("A possible explanation, as one statement that could be false")
        self.field.setAccessibleName("New hypothesis")
        self.field.returnPressed.connect(self._add)
        add.addWidget(self.field, 1)
        self.kind_choice = QComboBox()
        for kind, words in KINDS.items():
            self.kind_choice.addItem(words, kind)
        self.kind_choice.setAccessibleName("Kind of the new hypothesis")
        self.kind_choice.setToolTip(_kinds_tip())
        add.addWidget(self.kind_choice)
        self.add_button = QPushButton("Add")
        self.add_button.setProperty("kind", "primary")
        self.add_button.setAccessibleName("Add the hypothesis")
        self.add_button.setEnabled(False)
        self.add_button.clicked.connect(self._add)
        add.addWidget(self.add_button)
        self.field.textChanged.connect(lambda text: self.add_button.setEnabled(bool(text.strip())))
        column.addLayout(add)
        advice = QHBoxLayout()
        advice.setContentsMargins(24, 0, 24, 12)
        advice.setSpacing(8)
        self.advice = plain("", "muted", wrap=True)
        advice.addWidget(self.advice, 1)
        self.prompt_button = QPushButton("")
        self.prompt_button.clicked.connect(lambda: self.begin(self._prompt_kind))
        advice.addWidget(self.prompt_button)
        self.decline_button = QPushButton("Not needed")
        self.decline_button.setProperty("kind", "quiet")
        self.decline_button.clicked.connect(self._decline)
        advice.addWidget(self.decline_button)
        self._advice_row = QWidget()
        self._advice_row.setLayout(advice)
        column.addWidget(self._advice_row)
        column.addWidget(line())

        self.model = HypothesesModel(self)
        self.model.edited.connect(self._edit)
        self.model.marked.connect(self._mark)
        self.table = Table(self.model, "Hypotheses of the case")
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setTabKeyNavigation(False)
        self.table.setWordWrap(True)
        self.table.setItemDelegate(TextDelegate(self.table))
        self._kinds = ChoiceDelegate(lambda: list(KINDS.items()), self.table)
        self.table.setItemDelegateForColumn(KIND, self._kinds)
        self.table.setColumnWidth(ID, theme.px(56))
        for part, mode in ((TEXT, QHeaderView.ResizeMode.Stretch), (NOTE, QHeaderView.ResizeMode.Interactive)):
            self.table.horizontalHeader().setSectionResizeMode(part, mode)
        self.table.horizontalHeader().sectionResized.connect(lambda *_sizes: self._fit_rows())
        self.table.setColumnWidth(KIND, theme.px(104))
        self.table.setColumnWidth(PRIOR, theme.px(72))
        self.table.setColumnWidth(NOTE, theme.px(240))
        self.table.selectionModel().currentRowChanged.connect(self._row_changed)
        self.table.on_open = self._edit_current
        self.empty = EmptyState(
            "hypotheses",
            "Name at least two rival explanations, including one you would rather not be true.",
            "Write the first one",
            lambda: self.field.setFocus(Qt.FocusReason.OtherFocusReason),
        )
        self.pages = QStackedWidget()
        self.pages.addWidget(self.table)
        self.pages.addWidget(self.empty)
        column.addWidget(self.pages, 1)
        self.priors_line = line()
        column.addWidget(self.priors_line)
        self.priors = PriorsStrip()
        self.priors.kept.connect(self._set_priors)
        self.priors.closed.connect(self._toggle_priors)
        column.addWidget(self.priors)
        self.priors_line.hide()
        self.priors.hide()
        return page

    def _make_commands(self) -> None:
        self.command("New hypothesis", "Ctrl+Shift+N", lambda: self.begin(""))
        self.command("New null hypothesis", None, lambda: self.begin("null"))
        self.command("New deception hypothesis", None, lambda: self.begin("deception"))
        self.edit_action = self.command("Reword the hypothesis", "F2", self._edit_here, shown_keys="Enter")
        self.note_action = self.command("Write a note to the hypothesis", "Ctrl+Return", self._edit_note)
        self.kind_action = self.command("Kind of the hypothesis: null, deception", "Ctrl+T", self._edit_kind)
        self.remove_action = self.command("Remove the hypothesis", "Del", self._remove_here)
        self.done_action = self.command("Tick off, or open again", None, self._toggle_done, shown_keys="Space")
        for action in (self.remove_action,):
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            for table in (self.table, self.searches.table, *(page.table for page in self.consideration_pages.values())):
                table.addAction(action)
        self.expect_action = self.command("Look for what is expected under the hypothesis", "Ctrl+L", self._expect)
        self.priors_action = self.command("Prior probabilities", "Ctrl+Shift+P", self._toggle_priors)
        self.header.add(self.priors_action).setText("Priors")
        self.next_action = self.command("Next tab of the hypotheses", "Ctrl+PgDown", lambda: self._turn(1))
        self.command("Previous tab of the hypotheses", "Ctrl+PgUp", lambda: self._turn(-1))
        self.command("New assumption", None, lambda: self.show_part("assumptions"))
        self.command("New premortem", None, lambda: self.show_part("premortem"))
        self.command("New indicator", None, lambda: self.show_part("indicators"))
        self.record_action = self.command("Record as not found", "Ctrl+Shift+Return", self.expectations.record)
        self._search_commands()
        self.check_action = self.command("Check the indicators now", "F5", self._check_indicators)
        self.seen_action = self.command(
            "Mark the indicator's documents as looked at", None, self.consideration_pages["indicators"].mark_seen
        )

    def _search_commands(self) -> None:
        page = self.searches
        self.plan_action = self.command("Plan the searches", None, self._in_searches(page.make_plans))
        self.word_action = self.command("Have a model draft the searches", None, self._in_searches(page.word_plans))
        self.command("New search for a hypothesis", None, self._in_searches(page.begin))
        self.run_action = self.command(
            "Find evidence with the planned searches", None, self._in_searches(page.find_evidence)
        )
        self.missed_action = self.command("How much was missed?", "Ctrl+Shift+M", self._in_searches(page.show_missed))
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
        read = self.session.do(
            lambda bench: (bench.hypotheses.all(), bench.hypotheses.considerations(), bench.evidence.all())
        )
        if read is None:
            return
        hypotheses, considerations, evidence = read
        index, before = self.table.currentIndex(), self.current_item()
        writable = not self.session.read_only
        self._quiet = True
        self.model.writable = writable
        self.model.show(hypotheses)
        for part in (self.field, self.kind_choice, self.empty.button, self.prompt_button, self.decline_button):
            part.setEnabled(writable)
        if index.isValid() and index.row() < len(hypotheses):
            self.table.setCurrentIndex(self.model.index(index.row(), index.column()))
        self._quiet = False
        self.pages.setCurrentIndex(0 if hypotheses else 1)
        if self.pages.isAncestorOf(QApplication.focusWidget() or self):
            self._take_keys()
        self.table.setColumnHidden(PRIOR, all(each.prior is None for each in hypotheses))
        self.priors.show_hypotheses(hypotheses, writable=writable)
        for name, page in self.consideration_pages.items():
            rows = [row for row in considerations if row.kind == _CONSIDERED[name]]
            page.show_rows(rows, hypotheses, writable=writable)
        self.expectations.show_rows(hypotheses, evidence, writable=writable)
        self._searches_stale = True
        self._show_searches()
        self._advise(hypotheses)
        self._count(hypotheses, considerations, sum(row.absence is not None for row in evidence))
        self._fit_rows()
        self._name_actions()
        now = self.current_item()
        if isinstance(now, Hypothesis) and not (isinstance(before, Hypothesis) and before.id == now.id):
            self.selected.emit(now)  # another hypothesis stands in the highlighted row now

    def _case_changed(self, changes: Changes, initiator: object) -> None:
        super()._case_changed(changes, initiator)
        if changes.proposals and not changes.hypotheses:  # planned searches may have been run, from any screen
            self._searches_stale = True
            if self.isVisible() and self.page() == "searches" and self.searches.out_of_date():
                self._show_searches()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_searches()
        self._take_keys()

    def _take_keys(self) -> None:
        """Where there is no hypothesis yet, what is typed is the first one."""
        if not self.model.rows and self.page() == "hypotheses":
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_searches(self) -> None:
        """Read only when they are on show: counting effort goes through every proposal of the case."""
        if not self._searches_stale or self.page() != "searches" or not self.isVisible():
            return
        read = self.session.do(lambda bench: (bench.plans.get(), bench.plans.runs(), bench.plans.effort()))
        if read is not None:
            self._searches_stale = False
            self.searches.show_rows(self.model.rows, *read, writable=self.model.writable)

    def show_part(self, part: str) -> None:
        """A page by name, ready to write; 'null' and 'deception' begin such a hypothesis, 'priors' shows them."""
        if part in ("null", "deception"):
            self.begin(part)
            return
        if part == "priors":
            self._show_page("hypotheses")
            if self.priors.isHidden():
                self._toggle_priors()
            return
        self._show_page(part or "hypotheses")
        page = self.stack.currentWidget()
        focus = page.focusProxy() if page else None
        (focus or self.field).setFocus(Qt.FocusReason.OtherFocusReason)

    def begin(self, kind: str) -> None:
        """Ready to write a hypothesis; one of a special kind starts with words to change."""
        self._show_page("hypotheses")
        self.kind_choice.setCurrentIndex(max(0, self.kind_choice.findData(kind)))
        start = self._starter(kind)
        if start and not self.field.text().strip():
            self.field.setText(start)
            self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def page(self) -> str:
        """The name of the page on show."""
        return PAGES[self.tabs.currentIndex()]

    def state(self) -> Any:
        return self.page(), self.table.currentIndex().row()

    def restore(self, state: Any) -> None:
        page, row = state
        self._show_page(page)
        if 0 <= row < len(self.model.rows):
            self.table.setCurrentIndex(self.model.index(row, TEXT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < theme.px(560)
        self.table.setColumnWidth(NOTE, max(theme.px(120), round(self.width() * (0.24 if narrow else 0.3))))
        QTimer.singleShot(0, self, self._fit_rows)  # when the columns have their widths

    def _fit_rows(self) -> None:
        """Rows as high as their wrapped text, within reason: there are few, so each is measured."""
        metrics = QFontMetrics(theme.sans())
        for at, row in enumerate(self.model.rows):
            high = theme.px(40)
            for part, text in ((TEXT, row.text), (NOTE, row.note)):
                width = max(60, self.table.columnWidth(part) - 24)
                box = metrics.boundingRect(0, 0, width, 10_000, int(Qt.TextFlag.TextWordWrap), text)
                high = max(high, box.height() + 20)
            self.table.setRowHeight(at, min(high, theme.px(HIGHEST)))

    def _count(self, hypotheses: Sequence[Hypothesis], considerations: Sequence[Consideration], absences: int) -> None:
        self.header.count.setText(counted(len(hypotheses), "hypothesis", "hypotheses") if hypotheses else "")
        self._numbers = dict.fromkeys(PAGES, 0) | {"expected": absences}
        for name, kind in _CONSIDERED.items():
            self._numbers[name] = sum(row.kind == kind and row.status == "open" for row in considerations)
        self.tabs.setTabVisible(PAGES.index("conflicts"), any(row.kind == "conflict" for row in considerations))
        self._name_tabs()

    def _name_tabs(self) -> None:
        for at, name in enumerate(PAGES):
            self.tabs.setTabText(at, self._tab_title(name, getattr(self, "_numbers", {}).get(name, 0)))

    def _tab_title(self, name: str, number: int) -> str:
        words = {
            "hypotheses": "Hypotheses",
            "assumptions": "Assumptions",
            "premortem": "Premortem",
            "indicators": "Indicators",
            "expected": "Expected",
            "searches": "Searches",
            "conflicts": "Left open",
        }[name]
        new = watch_of(self.session).new_documents() if name == "indicators" else 0
        many = f" {number}" if number else ""
        return f"{words}{many} · {new} new" if new else f"{words}{many}"

    def _advise(self, hypotheses: Sequence[Hypothesis]) -> None:
        """One line: what the method asks for next, with a button where that is a hypothesis of a special kind."""
        self._prompt_kind = ""
        if len(hypotheses) >= 2:
            declines = self._declines()
            kinds = {each.kind for each in hypotheses}
            self._prompt_kind = next((kind for kind in ("null", "deception") if kind not in kinds | declines), "")
        if self._prompt_kind == "null":
            advice = "No hypothesis says that nothing out of the ordinary happened."
            self.prompt_button.setText("Add a null hypothesis")
        elif self._prompt_kind == "deception":
            advice = "No hypothesis says that somebody wants to mislead: evidence may be planted or held back."
            self.prompt_button.setText("Add a deception hypothesis")
        else:
            advice = _advice(len(hypotheses))
        self.prompt_button.setAccessibleName(self.prompt_button.text())
        self.decline_button.setAccessibleName("This kind of hypothesis is not needed here")
        self.prompt_button.setVisible(bool(self._prompt_kind))
        self.decline_button.setVisible(bool(self._prompt_kind))
        self.advice.setText(advice)
        self._advice_row.setVisible(bool(advice))

    def _declines(self) -> set[str]:
        bench = self.session.workbench
        return window_state.marks(bench.path, "declined") if bench is not None else set()

    def _decline(self) -> None:
        bench = self.session.workbench
        if bench is not None and self._prompt_kind:
            window_state.keep_mark(bench.path, "declined", self._prompt_kind)
            self.session.looked.emit(self._prompt_kind)
            self._advise(self.model.rows)
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _starter(self, kind: str) -> str:
        if kind == "null":
            return "Nothing out of the ordinary happened: chance and routine explain what was seen."
        if kind == "deception":
            return "Somebody wants us to believe the leading explanation: evidence was planted or held back."
        return ""

    def _opened(self) -> None:
        self.field.clear()
        self.kind_choice.setCurrentIndex(0)
        self.model.show([])
        self._numbers = {}
        for page in self.consideration_pages.values():
            page.field.clear()
            page.query.clear()
            page.show_rows([], [], writable=True)
        self.expectations.reset()
        self.searches.reset()
        self.priors.hide()
        self.priors_line.hide()
        self._show_page("hypotheses")
        self._name_tabs()
        self._dirty = True

    def current_item(self) -> object:
        """The hypothesis of the row in hand."""
        at = self.table.currentIndex().row()
        is_listed = self.page() == "hypotheses" and self.table.selectionModel().hasSelection()
        return self.model.rows[at] if is_listed and 0 <= at < len(self.model.rows) else None

    def show_hypothesis(self, hypothesis: str) -> None:
        """Take a hypothesis in hand."""
        at = next((at for at, row in enumerate(self.model.rows) if row.id == hypothesis), -1)
        if at >= 0:
            self._show_page("hypotheses")
            self.table.setCurrentIndex(self.model.index(at, TEXT))
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _row_changed(self, index: QModelIndex, _before: QModelIndex) -> None:
        if index.isValid() and not self._quiet:
            self.selected.emit(self.model.rows[index.row()])

    # --- pages -------------------------------------------------------------------------------------------------------

    def _show_page(self, name: str) -> None:
        at = PAGES.index(name) if name in PAGES else 0
        if self.tabs.isTabVisible(at):
            self.tabs.setCurrentIndex(at)

    def _turn(self, step: int) -> None:
        visible = [at for at in range(self.tabs.count()) if self.tabs.isTabVisible(at)]
        to = visible[(visible.index(self.tabs.currentIndex()) + step) % len(visible)]
        self.tabs.setCurrentIndex(to)
        self.show_part(PAGES[to])

    def _show_tab(self, at: int) -> None:
        page = self.stack.widget(at)
        self.setFocusProxy((page.focusProxy() if page else None) or self.field)
        self.stack.setCurrentIndex(at)
        self._show_searches()
        self._name_actions()
        self.selected.emit(self.current_item())
        self.moved.emit()

    def _name_actions(self) -> None:
        page = self.page()
        writable = self.model.writable
        rivals = page == "hypotheses"
        some = bool(self.model.rows)
        rows = bool(self.consideration_pages[page].model.rows) if page in self.consideration_pages else some and rivals
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
            action.setEnabled(writable and some and rivals)
        self.priors_action.setEnabled(some)
        self.expect_action.setEnabled(some)
        self.record_action.setEnabled(writable and page == "expected")
        self.word_action.setEnabled(writable and some and self.searches.can_word())

    # --- commands ----------------------------------------------------------------------------------------------------

    def _add(self) -> None:
        text = " ".join(self.field.text().split())
        if not text:
            return
        kind = str(self.kind_choice.currentData() or "")
        hypothesis = self.session.do(lambda bench: bench.hypotheses.add(text, kind=kind), initiator=self)
        if hypothesis is None:
            return  # what was typed stays in the field
        self.field.setText("")  # unlike clear(), leaves Ctrl+Z to the case: it takes back the hypothesis
        self.kind_choice.setCurrentIndex(0)
        self.session.tell(f"{hypothesis.id} added", undo=True)
        self.table.scrollToBottom()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _edit(self, hypothesis: str, text: str, note: str) -> None:
        column = self.table.currentIndex().column()
        at = self.table.currentIndex().row()
        result = self.session.do(lambda bench: bench.hypotheses.edit(hypothesis, text=text, note=note), initiator=self)
        if result is None:
            # Refused: open the editor again with what was typed, so that nothing is lost.
            entry = text if column == TEXT else note
            QTimer.singleShot(0, self, lambda: self._edit_again(at, column, entry))

    def _edit_again(self, row: int, column: int, entry: str) -> None:
        index = self.model.index(row, column)
        self.table.setCurrentIndex(index)
        self.table.edit(index)
        editor = self.table.findChild(TextEditor)
        if editor is not None:
            editor.setPlainText(entry)

    def _edit_here(self) -> None:
        page = self.consideration_pages.get(self.page())
        if page is not None:
            page.edit_current()
        elif self.page() == "searches":
            self.searches.edit_current()
        else:
            self._edit_current()

    def _edit_current(self) -> None:
        index = self.table.currentIndex()
        if index.isValid() and self.model.writable:
            column = index.column() if index.column() in (KIND, NOTE) else TEXT
            self.table.edit(index.siblingAtColumn(column))

    def _edit_note(self) -> None:
        self._edit_column(NOTE)

    def _edit_kind(self) -> None:
        self._edit_column(KIND)

    def _edit_column(self, column: int) -> None:
        index = self.table.currentIndex()
        if not index.isValid() and self.model.rows:
            index = self.model.index(0, column)
        if index.isValid() and self.model.writable:
            self._show_page("hypotheses")
            self.table.setCurrentIndex(index.siblingAtColumn(column))
            self.table.edit(index.siblingAtColumn(column))

    def _mark(self, hypothesis: str, kind: str) -> None:
        self.session.do(lambda bench: bench.hypotheses.set_kind(hypothesis, kind), initiator=self)

    def _remove_here(self) -> None:
        page = self.consideration_pages.get(self.page())
        if page is not None:
            page.remove()
        elif self.page() == "searches":
            self.searches.remove()
        else:
            self._remove()

    def _remove(self) -> None:
        index = self.table.currentIndex()
        if not index.isValid() or not self.model.writable:
            return
        hypothesis = self.model.rows[index.row()]
        if self.session.do(lambda bench: bench.hypotheses.remove(hypothesis.id), initiator=self) is not None:
            self.session.tell(f"{hypothesis.id} removed, with its ratings", undo=True)

    def _toggle_done(self) -> None:
        page = self.consideration_pages.get(self.page())
        if page is not None:
            page.toggle_done()

    def _expect(self) -> None:
        at = self.table.currentIndex().row()
        hypothesis = self.model.rows[at].id if 0 <= at < len(self.model.rows) else ""
        self._show_page("expected")
        self.expectations.begin(hypothesis)

    def _check_indicators(self) -> None:
        self._show_page("indicators")
        self.watch.check()

    def _toggle_priors(self) -> None:
        to_show = self.priors.isHidden()
        self._show_page("hypotheses")
        self.priors.setVisible(to_show)
        self.priors_line.setVisible(to_show)
        if to_show and self.priors.fields:
            next(iter(self.priors.fields.values())).setFocus(Qt.FocusReason.ShortcutFocusReason)
        elif not to_show:
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _set_priors(self, priors: dict[str, float] | None) -> None:
        if self.session.do(lambda bench: bench.hypotheses.set_priors(priors), initiator=self) is not None:
            message = "Priors set" if priors else "All hypotheses count as equally probable"
            self.session.tell(message, undo=True)

    def _restyled(self) -> None:
        """A row that is being edited stays so: new rows would close its editor."""
        if self.table.state() == QAbstractItemView.State.EditingState:
            self._dirty = True
            self._fit_rows()
        else:
            super()._restyled()

    def sizeHint(self) -> QSize:
        return QSize(720, 480)


def _kinds_tip() -> str:
    return (
        "Rival: an explanation like others\nNull: nothing out of the ordinary happened\n"
        "Deception: somebody wants to mislead"
    )


def _advice(number: int) -> str:
    """What helps at this point: the method needs rivals."""
    if number == 0:
        return ""
    if number == 1:
        return "One hypothesis cannot be compared: add a rival that would explain the same facts."
    if number > 7:
        return "More than seven hypotheses are hard to keep track of: merge those that no evidence could separate."
    return "Good rivals exclude each other. Ask of each: what would I expect to find if it were false?"
