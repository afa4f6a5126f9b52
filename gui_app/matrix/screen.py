"""The matrix: evidence rated against every hypothesis by keyboard, and what the ratings amount to beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.domain import DEFAULT_RULE, Changes, Evidence, Hypothesis, Matrix, Rating
from core.matrix import group_rating, group_words
from gui_app import window_state
from gui_app.matrix import clipboard
from gui_app.matrix.analysis_panel import SENSITIVITY, AnalysisPanel
from gui_app.matrix.cell_note import CellLine, CellNote
from gui_app.matrix.grid import MatrixGrid, Standing
from gui_app.matrix.grid_filter import GridFilter
from gui_app.matrix.grid_model import (
    GROUP_VIEW,
    MINE_VIEW,
    SORTS,
    Filter,
    GridRow,
    MatrixTable,
    Sheet,
    build,
    in_order,
    visible_rows,
)
from gui_app.matrix.rules_panel import standing
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.formatting import counted
from gui_app.shared.info_bar import InfoBar
from gui_app.shared.labels import ElidedLabel, line
from gui_app.shared.screen import Screen
from gui_app.shared.selected_cell import Cell

if TYPE_CHECKING:
    from core.workbench import Workbench

WIDE = 960  # pixels: from here on the analysis stands at the right of the grid; below, it lies under it
REST_MS = 120
SETTLE_MS = 60  # a person running along the cells is not shown every one on the way
HIGH = 640  # pixels: below this a grid with the analysis under it is too low, and it is opened by hand
BIG = 20_000  # cells; a larger matrix is shown before it is scored, and scored beside the work
NARROW = 720  # pixels: below this the bar has no room for the choice of an order
PANEL = 304  # pixels the analysis takes at the right


class MatrixScreen(Screen):
    """Rates evidence against hypotheses."""

    name = "Matrix"
    icon = "matrix"
    leads_viewer = True
    concerns = Changes(matrix=True, hypotheses=True, evidence=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._sheet = Sheet()
        self._matrix: Matrix | None = None
        self._what_if: Matrix | None = None
        self._aside: frozenset[str] = frozenset()
        self._arming = False
        self._view = ""
        self._alone = True
        self._wants_analysis: bool | None = None
        self._order: dict[str, int] = {}
        self._sort, self._reverse = "id", False
        self._is_current = False  # what changed last is on show already and needs only new scores
        # A rating is on show at once; what follows from it (0.1 s for 500 x 10 cells) when the typing rests.
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(REST_MS)
        self._later.timeout.connect(self.refresh_if_dirty)
        self.table = MatrixTable()
        self._build()
        self._make_commands()
        self.setFocusProxy(self.grid)
        session.opened.connect(self._case_opened)

    # --- layout ------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.grid = MatrixGrid()
        self.grid.rated.connect(self._rate)
        self.grid.graded.connect(self._grade)
        self._tell_soon = QTimer(self)
        self._tell_soon.setSingleShot(True)
        self._tell_soon.setInterval(SETTLE_MS)
        self._tell_soon.timeout.connect(self._tell_selected)
        self.grid.cursor_moved.connect(self._tell_soon.start)
        self.grid.shown.connect(lambda _row: self._tell_selected())
        self.grid.opened.connect(self._open)
        self.grid.sorted_by.connect(self._sort_by)
        self.grid.noted.connect(self._edit_note)
        self.grid.edited.connect(self._edit_field)
        self.grid.set_aside.connect(self._turn)
        self.grid.unrated_wanted.connect(self.next_unrated)
        self.grid.refused.connect(self.session.status.emit)
        # Beside the grid, not inside: there the grid would take their Tab for its own.
        self.views = QStackedWidget()
        self.note = CellNote(self.views)
        self.note.saved.connect(self._annotate)
        self.note.closed.connect(self.grid.setFocus)
        self.cell_line = CellLine(self.views)
        self.cell_line.saved.connect(lambda evidence, field, text: self._describe([evidence], **{field: text}))
        self.cell_line.closed.connect(self.grid.setFocus)
        for bar in (self.grid.verticalScrollBar(), self.grid.horizontalScrollBar()):
            bar.valueChanged.connect(lambda _value: self.note.save())
        self.plain_table = QTableView()
        self.plain_table.setTabKeyNavigation(False)  # Tab leaves it, as it does other tables
        self.plain_table.setModel(self.table)
        self.plain_table.setAccessibleName("Matrix as a plain table")
        self.plain_table.verticalHeader().hide()
        self.views.addWidget(self.grid)
        self.views.addWidget(self.plain_table)

        self.filter_bar = GridFilter()
        self.filter_field = self.filter_bar.field
        self._filter_soon = QTimer(self)
        self._filter_soon.setSingleShot(True)
        self._filter_soon.setInterval(80)
        self._filter_soon.timeout.connect(lambda: self._arrange(on_request=True))
        self.filter_field.textChanged.connect(lambda _text: self._filter_soon.start())
        self.filter_bar.changed.connect(lambda: self._arrange(on_request=True))

        self.what_if_strip = InfoBar()
        self.remove_button = self.what_if_strip.add_button("Remove them…", self._remove_aside)
        self.back_button = self.what_if_strip.add_button("Back to the case", self._leave_what_if)
        self.message = InfoBar()
        self.message.add_button("Close", self._close_message)

        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._bar())
        column.addWidget(self.filter_bar)
        column.addWidget(self.message)
        column.addWidget(line())
        column.addWidget(self.views, 1)
        column.addWidget(self.what_if_strip)  # below the rows, which so stay where they are
        column.addWidget(line())
        column.addLayout(self._new_row())
        self.analysis = AnalysisPanel(self.session)
        self.analysis.chosen.connect(self._go_to)
        self.analysis.show_source.connect(self.show_source)
        self.analysis.tabs.currentChanged.connect(self._looked_at)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(left)
        self.splitter.addWidget(self.analysis)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setSizes([800, PANEL])
        self.empty = EmptyState("matrix", "", "Write hypotheses", lambda: self.go.emit("Hypotheses"))
        self.stack = QStackedWidget()
        self.stack.addWidget(self.splitter)
        self.stack.addWidget(self.empty)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.stack)

    def _bar(self) -> QHBoxLayout:
        self.count = ElidedLabel("", "strong")
        self.count.setMinimumWidth(48)
        self.filter_field.setMinimumWidth(64)
        self.filter_field.setMaximumWidth(200)
        self.sort_choice = _choice("Sort the rows")
        self.sort_choice.activated.connect(lambda _index: self._sort_by(self.sort_choice.currentData(), turn=False))
        self.view_choice = _choice("Whose ratings are shown")
        self.view_choice.activated.connect(lambda _index: self._choose_view())
        self.view_choice.hide()
        self.what_if_button = QPushButton("What if")
        self.analysis_button = QPushButton("Analysis")
        for button in (self.what_if_button, self.analysis_button):
            button.setCheckable(True)
            button.setProperty("kind", "quiet")
        self.what_if_button.setToolTip("Untick rows and watch the ranks move; nothing is stored (W)")
        self.what_if_button.setAccessibleName("What if rows were not there")
        self.what_if_button.clicked.connect(lambda _on=False: self.toggle_what_if())
        self.analysis_button.setAccessibleName("Show rules, sensitivity, group and time")
        self.analysis_button.clicked.connect(lambda _on=False: self._toggle_analysis())
        self.more_button = QToolButton()
        self.more_button.setAccessibleName("More ways to look at the matrix")
        self.more_button.setToolTip("More")
        self.more_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        theme.set_icon(self.more_button, "more")
        bar = QHBoxLayout()
        bar.setContentsMargins(16, 8, 16, 8)
        bar.setSpacing(8)
        bar.addWidget(self.count, 2)
        bar.addWidget(self.filter_field, 1)
        for widget in (
            self.filter_bar.button,
            self.sort_choice,
            self.view_choice,
            self.what_if_button,
            self.analysis_button,
            self.more_button,
        ):
            bar.addWidget(widget)
        return bar

    def _new_row(self) -> QHBoxLayout:
        self.new_text = QLineEdit()
        self.new_text.setPlaceholderText("Add evidence in your own words")
        self.new_text.setAccessibleName("Evidence in your own words")
        self.new_source = QLineEdit()
        self.new_source.setPlaceholderText("Source")
        self.new_source.setAccessibleName("Source of the evidence")
        self.new_source.setMaximumWidth(220)
        self.add_button = QPushButton("Add")
        self.add_button.clicked.connect(lambda _on=False: self.add_evidence())
        for field in (self.new_text, self.new_source):
            field.returnPressed.connect(self.add_evidence)
        row = QHBoxLayout()
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(8)
        row.addWidget(self.new_text, 3)
        row.addWidget(self.new_source, 1)
        row.addWidget(self.add_button)
        return row

    def _make_commands(self) -> None:
        command = self.command
        next_cell = command("Next unrated cell", "Shift+N", self.next_unrated)
        command(
            "Rate what is selected",
            None,
            self.grid.setFocus,
            shown_keys="CC C N I II NA, 1 to 5, Del",
        )
        command("Leave the grid", None, self.grid.leave, shown_keys="Ctrl+Tab, Ctrl+Shift+Tab")
        note = command("Note and confidence of the cell", None, self._edit_current_note, shown_keys="Enter")
        open_page = command("Open the page", "O", lambda: self._open(self.grid.current_row()))
        fill = command("Fill down", "Ctrl+D", self.grid.editor.fill_down)
        copy = command("Copy what is selected", "Ctrl+C", self.copy)
        rows = command("Copy whole rows", "Ctrl+Shift+C", self.copy_rows)
        paste = command("Paste ratings", "Ctrl+V", self.paste)
        command("Select every rating", "Ctrl+A", self.grid.select_ratings)
        command("Filter the rows", "Ctrl+F", self._focus_filter)
        command("Show every row", "Ctrl+Shift+F", self.filter_bar.clear)
        command("Choose filters", "F", self.filter_bar.button.showMenu)
        command("Next view: mine, everyone, each analyst", "V", self._next_view)
        command("Sort by this column, again to reverse", "S", self._sort_here)
        command("Sort by diagnosticity", "D", lambda: self._sort_by("diagnosticity", turn=False))
        command("Sort by number", "Shift+D", lambda: self._sort_by("id", turn=False))
        command("Add evidence in your own words", "Ctrl+E", self.new_text.setFocus)
        same = command("These rows share a source: count them once", "G", self.mark_one_origin)
        apart = command("These rows have separate sources", "Shift+G", self.mark_own_origins)
        remove = command("Remove this evidence", "Ctrl+Delete", self.remove_evidence)
        what_if = command("What if rows were not there", "W", self.toggle_what_if)
        self._aside_action = command("What if: set the row aside, or put it back", "X", self._turn_selected)
        self._source_action = command("What if: the same for its whole source", "Shift+X", self._turn_source)
        command("Rules, sensitivity, group, time", "Ctrl+R", self._toggle_analysis)
        plain = command("Plain table for screen readers", "Ctrl+T", self._toggle_plain)
        plain.setCheckable(True)
        dim = command("Dim rows that are not diagnostic", "Ctrl+Shift+D", lambda: None)
        dim.setCheckable(True)
        dim.setChecked(True)
        dim.toggled.connect(self._dim)
        menu = QMenu(self.more_button)
        menu.addActions([dim, plain])
        menu.addMenu(self._column_menu(menu))
        menu.addSeparator()
        menu.addActions([next_cell, open_page, fill, copy, rows, paste])
        menu.addSeparator()
        menu.addActions([same, apart, what_if, remove])
        self.more_button.setMenu(menu)
        self._context = QMenu(self)
        self._context.addActions([note, open_page])
        self._context.addSeparator()
        self._context.addActions([copy, rows, paste, fill])
        self._context.addSeparator()
        self._context.addActions([self._aside_action, self._source_action, same, apart, remove])
        self.grid.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.grid.customContextMenuRequested.connect(self._show_context)

    def _show_context(self, point: QPoint) -> None:
        """What can be done with the selection; a click outside it moves the cursor there first."""
        if self.grid.select_at(point):
            self._context.popup(self.grid.viewport().mapToGlobal(point))

    def _column_menu(self, parent: QMenu) -> QMenu:
        menu = QMenu("Columns", parent)
        self._column_actions: dict[str, QAction] = {}
        names = {
            "source": "Source",
            "date": "Date",
            "grade": "Admiralty grade",
            "credibility": "Credibility",
            "relevance": "Relevance",
            "diagnosticity": "Diagnosticity",
        }
        for kind, text in names.items():
            action = menu.addAction(text)
            action.setCheckable(True)
            action.triggered.connect(lambda on=False, kind=kind: self._show_column(kind, on))
            self._column_actions[kind] = action

        def tick() -> None:
            kinds = {column.kind for column in self.grid.columns()}
            for kind, action in self._column_actions.items():
                action.setChecked(kind in kinds)

        menu.aboutToShow.connect(tick)
        return menu

    def _show_column(self, kind: str, on: bool) -> None:
        hidden_kinds = self.grid.hidden_kinds - {kind} if on else self.grid.hidden_kinds | {kind}
        pinned_kinds = self.grid.pinned_kinds | {kind} if on else self.grid.pinned_kinds - {kind}
        self.grid.show_columns(hidden_kinds, pinned_kinds)
        bench = self.session.workbench
        if bench is not None:
            window_state.keep_columns(bench.path, hidden_kinds, pinned_kinds)

    # --- what is on show ---------------------------------------------------------------------------------------------

    def _case_changed(self, changes: Changes, initiator: object) -> None:
        if initiator is self and changes == Changes(matrix=True) and self.isVisible():
            self._dirty = True
            self._later.start()
        else:
            self._is_current = False
            super()._case_changed(changes, initiator)

    def refresh(self) -> None:
        self._later.stop()
        bench = self.session.workbench
        if bench is None:
            return
        hypotheses = bench.hypotheses.all()
        self.grid.read_only = bench.case.read_only
        for widget in (self.new_text, self.new_source, self.add_button):
            widget.setEnabled(not bench.case.read_only)
        if not hypotheses:
            self._sheet = Sheet()
            self.empty.say("The matrix needs hypotheses: write at least two that exclude each other.")
            self.stack.setCurrentWidget(self.empty)
            return
        self.stack.setCurrentWidget(self.splitter)
        # A large matrix whose cells are known to be as they stand is not read again only because one was rated.
        is_current, self._is_current = self._is_current, False
        if not (is_current and self._alone and self._is_big()):
            self._read_sheet(bench, hypotheses)
        self._score(bench)

    def _is_big(self) -> bool:
        return len(self._sheet.codes) > BIG

    def _read_sheet(self, bench: Workbench, hypotheses: Sequence[Hypothesis]) -> None:
        blind = bench.case.settings().blind
        assessments = bench.evidence.assessments()
        raters = bench.evidence.raters() if blind else sorted({one.by for one in assessments})
        has_hidden = blind and len(assessments) < len(bench.evidence.assessments(everyone=True))
        self._offer_views(raters, bench.case.who, blind, has_hidden=has_hidden)
        self._alone = not blind and set(raters) <= {bench.case.who}
        previous = {row.id: row for row in self._sheet.rows}
        before = self._sheet
        evidence = bench.evidence.all()
        citations = bench.evidence.cite(item for item in evidence if item.more)
        self._sheet = build(
            hypotheses,
            evidence,
            assessments,
            bench.evidence.suggestions(),
            who=bench.case.who,
            view=self._view,
            dates={document.id: document.dated or document.date for document in bench.documents.all()},
            gaps={row: citation.skipped for row, citation in citations.items()},
            group_rating=group_rating,
        )
        # Until the new scores are there the old ones stand.
        for at, row in enumerate(self._sheet.rows):
            if row.id in previous:
                was = before.row_of(row.id)
                assert was is not None
                self._sheet.row_scores[at], self._sheet.dull[at] = before.row_scores[was], before.dull[was]
        self._sheet.sizes = before.sizes
        self.filter_bar.show_sheet(self._sheet)
        self._aside &= {row.id for row in self._sheet.rows}

    def _score(self, bench: Workbench) -> None:
        """Have the ratings scored: now, or beside the work where that takes longer than a moment."""
        view, aside = self._view, self._aside

        def score(bench: Workbench) -> tuple[Matrix, Matrix | None]:
            matrix = bench.matrix.compute(view)
            return matrix, bench.matrix.compute(view, without_rows=tuple(sorted(aside))) if aside else None

        if self._is_big():
            self._arrange()
            self.session.read(score, lambda scores: self._take_scores(*scores), key="matrix")
        else:
            self._take_scores(*score(bench))

    def _take_scores(self, matrix: Matrix, what_if: Matrix | None) -> None:
        if {row.id for row in matrix.rows} - {row.id for row in self._sheet.rows}:
            return  # of a case that has moved on; its own scores are on their way
        first = self._matrix is None
        self._matrix, self._what_if = matrix, what_if
        self._sheet.score(matrix)
        self.analysis.show_matrix(matrix, self._sheet.hypotheses, what_if=what_if)
        self._say_what_if()
        self._arrange(resort=first)

    def _offer_views(self, raters: Sequence[str], who: str, blind: bool, *, has_hidden: bool) -> None:
        """``has_hidden`` says that colleagues rated what one has not: then ranks of the group would give it away."""
        others = [name for name in raters if name != who]
        choice = self._view or (MINE_VIEW if blind else GROUP_VIEW)
        views = [("Mine", MINE_VIEW)]
        if not has_hidden:
            views += [("Everyone", GROUP_VIEW), *((name, name) for name in others)]
        self.view_choice.setToolTip(
            "Blind rating: colleagues' ratings are shown when you have rated what they rated."
            if has_hidden
            else "Whose ratings are shown"
        )
        if choice not in {view for _text, view in views}:
            choice = MINE_VIEW if blind else GROUP_VIEW
        if [self.view_choice.itemData(at) for at in range(self.view_choice.count())] != [view for _text, view in views]:
            self.view_choice.clear()
            for text, view in views:
                self.view_choice.addItem(" ".join(text.split()) or "–", view)
        self.view_choice.setCurrentIndex(self.view_choice.findData(choice))
        self.view_choice.setVisible(bool(others))
        self._view = choice

    def _choose_view(self) -> None:
        self._view = self.view_choice.currentData()
        self._is_current = False
        self.refresh()
        self.grid.setFocus()

    def _next_view(self) -> None:
        if self.view_choice.count() > 1:
            self.view_choice.setCurrentIndex((self.view_choice.currentIndex() + 1) % self.view_choice.count())
            self._choose_view()
            self.session.status.emit(f"Ratings: {self.view_choice.currentText()}")
        elif self.view_choice.isVisibleTo(self):  # colleagues rated, and may not be seen yet
            self.session.status.emit(self.view_choice.toolTip())

    def show_view(self, view: str) -> None:
        """Show 'mine', 'group' or one person's ratings."""
        at = self.view_choice.findData(view)
        if at >= 0:
            self.view_choice.setCurrentIndex(at)
            self._choose_view()

    def _case_opened(self) -> None:
        self._later.stop()
        self._sheet, self._matrix, self._what_if = Sheet(), None, None
        self._order, self._aside, self._view = {}, frozenset(), ""
        self._sort, self._reverse, self._arming, self._is_current = "id", False, False, False
        self.note.leave()
        self.message.hide()
        self.what_if_strip.hide()
        self.what_if_button.setChecked(False)
        self.grid.show_what_if(False, frozenset())
        self.filter_bar.set_filter(Filter())
        bench = self.session.workbench
        if bench is not None:
            self.grid.show_columns(*window_state.columns(bench.path))
        self.grid.show_sheet(self._sheet, [], [])

    def _arrange(self, *, resort: bool = False, on_request: bool = False) -> None:
        """The rows that pass the filter. While they are rated they keep their places, and stay although they no longer
        pass; sorting and filtering are done when asked.
        """
        if self._later.isActive():
            self._dirty = False
            self.refresh()
        sheet = self._sheet
        if resort or not self._order or self._sort == "id":
            numbers = in_order(sheet, list(range(len(sheet.rows))), sort=self._sort, reverse=self._reverse)
            self._order = {sheet.rows[number].id: at for at, number in enumerate(numbers)}
        conditions = self.filter_bar.filter()
        ids = {row.id for row in self.grid.rows} if conditions != Filter() and not on_request else set()
        order = visible_rows(sheet, conditions=conditions, ids=ids)
        rows, places = sheet.rows, self._order
        order.sort(key=lambda number: places.get(rows[number].id, len(places)))
        self.grid.sort, self.grid.reverse = self._sort, self._reverse
        self.grid.show_sheet(sheet, order, self._standings())
        if self.views.currentWidget() is self.plain_table:
            self.table.show(sheet, order)
        self._offer_sorts()
        total = len(rows)
        part = "{count} of {all}".format(count=len(order), all=counted(total, "row"))
        rows_text = counted(total, "row") if len(order) == total else part
        open_cells = sheet.unrated()
        left = f"{open_cells} unrated" if open_cells else "all rated"
        self.count.setText(f"{rows_text} · {left}" if total else "No evidence yet")

    def _standings(self) -> list[Standing]:
        matrix, what_if = self._matrix, self._what_if
        if matrix is None:
            return [Standing("", "")] * self._sheet.wide
        standings = []
        for hypothesis in self._sheet.hypotheses:
            now = standing(matrix, hypothesis.id)
            if what_if is not None:
                then = standing(what_if, hypothesis.id)
                before, after = now.rank or "–", then.rank or "–"
                now = Standing(before, then.score, after if after != before else "", then.coverage)
            standings.append(now)
        return standings

    def _offer_sorts(self) -> None:
        names = {
            "id": "by number",
            "text": "by text",
            "source": "by source",
            "date": "by date",
            "grade": "by grade",
            "credibility": "by credibility",
            "relevance": "by relevance",
            "diagnosticity": "by diagnosticity",
            "unrated": "unrated first",
            "upstream": "by shared source",
        }
        sorts = [(names[sort], sort) for sort in SORTS]
        sorts += [(f"against {h.id}", f"h:{h.id}") for h in self._sheet.hypotheses]
        if [self.sort_choice.itemData(at) for at in range(self.sort_choice.count())] != [sort for _, sort in sorts]:
            self.sort_choice.clear()
            for text, sort in sorts:
                self.sort_choice.addItem(text, sort)
        self.sort_choice.setCurrentIndex(max(0, self.sort_choice.findData(self._sort)))

    def _dim(self, on: bool) -> None:
        self.grid.dims = on
        self.grid.viewport().update()

    def _sort_by(self, sort: str, *, turn: bool = True) -> None:
        """Sort by a column; by the one that is sorted by already, the other way round."""
        self._reverse = turn and sort == self._sort and not self._reverse
        self._sort = sort
        self._arrange(resort=True)
        if sort == "diagnosticity":
            self.session.look_at(sort)

    def show_part(self, part: str) -> None:
        """'unrated': the next cell without a rating; 'diagnosticity': what tells apart first; 'sensitivity'."""
        if part == "unrated":
            self.next_unrated()
        elif part == "diagnosticity":
            self._sort_by("diagnosticity", turn=False)
        elif part == "sensitivity":
            self._wants_analysis = True
            self._show_analysis()
            self.analysis.show_tab(SENSITIVITY)

    def _sort_here(self) -> None:
        hypothesis, kind = self.grid.current_hypothesis(), self.grid.current_kind()
        self._sort_by(f"h:{hypothesis.id}" if hypothesis is not None else "text" if kind == "evidence" else kind)

    def _focus_filter(self) -> None:
        self.filter_field.setFocus()
        self.filter_field.selectAll()

    def _toggle_plain(self) -> None:
        view = self.plain_table if self.views.currentWidget() is self.grid else self.grid
        self.views.setCurrentWidget(view)
        self._arrange()
        view.setFocus()

    def _toggle_analysis(self) -> None:
        self._wants_analysis = not self.analysis.isVisibleTo(self)
        self._show_analysis()

    def _show_analysis(self) -> None:
        flat = self.width() < WIDE
        on = not flat or self.height() >= HIGH if self._wants_analysis is None else self._wants_analysis
        lying = self.splitter.orientation() == Qt.Orientation.Vertical
        if flat != lying:
            self.splitter.setOrientation(Qt.Orientation.Vertical if flat else Qt.Orientation.Horizontal)
            self.analysis.lie(flat)
            self.splitter.setSizes([self.height() - 208, 208] if flat else [self.width() - PANEL, PANEL])
        self.analysis.setVisible(on)
        self.analysis_button.setChecked(on)

    def _looked_at(self, tab: int) -> None:
        if tab == SENSITIVITY and self.analysis.isVisible():
            self.session.look_at("sensitivity")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.grid.setFocus()
        self._tell_selected()

    def current_item(self) -> object:
        """The cell under the cursor, or the evidence of its row."""
        row, hypothesis = self.grid.current_row(), self.grid.current_hypothesis()
        if row is None or self.stack.currentWidget() is self.empty:
            return None
        return Cell(row.item, hypothesis.id) if hypothesis is not None else row.item

    def _tell_selected(self) -> None:
        self._tell_soon.stop()
        self.selected.emit(self.current_item())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.sort_choice.setVisible(self.width() >= theme.px(NARROW))  # headers and keys sort as well
        self._show_analysis()

    # --- deciding ----------------------------------------------------------------------------------------------------

    def _rate(self, cells: Sequence[tuple[str, str, Rating | None]]) -> None:
        """One decision, however many cells."""
        is_current = self._is_current or not self._dirty
        if len(cells) == 1:
            evidence, hypothesis, rating = cells[0]
            changes = self.session.do(lambda bench: bench.evidence.rate(evidence, hypothesis, rating), initiator=self)
        else:
            changes = self.session.do(lambda bench: bench.evidence.rate_many(cells), initiator=self)
        if changes is None:
            return
        self._is_current = is_current
        for evidence, hypothesis, rating in cells:
            self._sheet.rate(evidence, hypothesis, rating)
        self.grid.viewport().update()
        other_words = self._group_words(cells)
        if len(cells) > 1:
            sentence = f"{len(cells)} cells rated"
            if other_words:
                sentence += f"; Everyone shows another rating in {len(other_words)} of them"
            self.session.tell(sentence, undo=True)
        elif other_words:
            rating, (words,) = cells[0][2], other_words
            outcome = f"Your {rating} is saved" if rating else "Your rating is cleared"
            self.session.tell(f"{outcome}; Everyone shows {words}.", undo=True)

    def _group_words(self, cells: Sequence[tuple[str, str, Rating | None]]) -> list[str]:
        """What everyone's ratings show of these cells, in words, where that is another rating than the one just
        given.
        """
        bench = self.session.workbench
        if bench is None or self._view != GROUP_VIEW or self._alone:
            return []
        people = bench.evidence.ratings_of(cells[0][0])[0] if len(cells) == 1 else bench.evidence.assessments()
        by_cell: dict[tuple[str, str], list[Rating]] = {}
        for assessment in people:
            by_cell.setdefault((assessment.evidence, assessment.hypothesis), []).append(assessment.rating)
        people_and_own = ((by_cell.get((evidence, hypothesis), []), rating) for evidence, hypothesis, rating in cells)
        return [group_words(ratings) for ratings, own in people_and_own if ratings and group_rating(ratings) != own]

    def _grade(self, ids: Sequence[str], field: str, value: Any) -> None:
        if field == "grade":
            reliability, information = value or ("", "")
            self._describe(ids, reliability=reliability, information=information)
        elif field in ("reliability", "information", "date"):
            self._describe(ids, **{field: value or ""})
        elif len(ids) == 1:
            row = self._sheet.row_of(ids[0])
            if row is None:
                return
            item = self._sheet.rows[row].item
            credibility = value if field == "credibility" else item.credibility
            relevance = value if field == "relevance" else item.relevance
            self.session.do(
                lambda bench: bench.evidence.grade(ids[0], credibility=credibility, relevance=relevance), initiator=self
            )
        else:
            self._describe(ids, **{field: value})

    def _describe(self, ids: Sequence[str], **fields: Any) -> None:
        self.session.do(lambda bench: bench.evidence.describe(list(ids), **fields), initiator=self)

    def mark_one_origin(self) -> None:
        """The selected rows go back to one report: they count once."""
        rows = self.grid.selected_rows()
        if len(rows) < 2:
            self.session.status.emit("Select the rows that go back to one origin, two at least.")
            return
        origin = next((row.item.upstream for row in rows if row.item.upstream), rows[0].id)
        self._describe([row.id for row in rows], upstream=origin)

    def mark_own_origins(self) -> None:
        """The selected rows count each for itself again."""
        rows = [row for row in self.grid.selected_rows() if row.item.upstream]
        if not rows:
            self.session.status.emit("Nobody marked these rows as sharing a source.")
            return
        self._describe([row.id for row in rows], upstream="")

    def add_evidence(self) -> None:
        """A row in the person's own words, from the fields below the grid."""
        text, source = self.new_text.text().strip(), self.new_source.text().strip()
        if not text:
            self.new_text.setFocus()
            return
        evidence = self.session.do(lambda bench: bench.evidence.add(text, source), initiator=self)
        if evidence is not None:
            for field in (self.new_text, self.new_source):
                field.setText("")  # unlike clear(), leaves Ctrl+Z to the case: it takes back the evidence
            self._go_to(evidence.id, "")
            self.session.tell(f"{evidence.id} added", undo=True)
            self.new_text.setFocus()  # for the next one; letters typed on in the grid would be ratings

    def remove_evidence(self) -> None:
        """The selected rows go, with their ratings; one decision."""
        self._remove([row.id for row in self.grid.selected_rows()])

    def _remove(self, ids: Sequence[str]) -> bool:
        if not ids:
            return False
        if self.session.do(lambda bench: bench.evidence.remove(*ids), initiator=self) is None:
            return False
        what = ids[0] if len(ids) == 1 else counted(len(ids), "row")
        self.session.tell(f"{what} removed, with all ratings", undo=True)
        return True

    def next_unrated(self) -> None:
        """Put the cursor on the next cell without a rating."""
        self.grid.setFocus()
        if not self.grid.next_unrated():
            self.session.status.emit("Every cell is rated.")

    # --- notes -------------------------------------------------------------------------------------------------------

    def _edit_current_note(self) -> None:
        row, hypothesis = self.grid.current_row(), self.grid.current_hypothesis()
        if row is not None and hypothesis is not None:
            self._edit_note(row.id, hypothesis.id)

    def _edit_note(self, evidence: str, hypothesis: str) -> None:
        bench = self.session.workbench
        place = self._sheet.place(evidence, hypothesis)
        if bench is None or place is None or not self.grid.editor.may_rate():
            return
        own = next(
            (
                assessment
                for assessment in bench.evidence.assessments()
                if (assessment.evidence, assessment.hypothesis, assessment.by) == (evidence, hypothesis, bench.case.who)
            ),
            None,
        )
        if own is None:
            self.session.status.emit("Rate the cell first: type CC, C, N, I, II or NA, then Enter for its note.")
            return
        self.note.edit(
            evidence,
            hypothesis,
            title=f"{evidence} · {hypothesis}: {own.rating}",
            note=own.note,
            confidence=own.confidence,
            over=self.grid.cursor_rect(),
        )

    def _annotate(self, evidence: str, hypothesis: str, note: str, confidence: str) -> None:
        self._is_current = False
        self.session.do(
            lambda bench: bench.evidence.annotate(evidence, hypothesis, note=note, confidence=confidence),
            initiator=self,
        )

    def _edit_field(self, evidence: str, field: str) -> None:
        row = self.grid.current_row()
        if row is None or self.grid.read_only:
            return
        hint = "2021-05-03, 2021-05 or 2021" if field == "date" else ""
        text = row.item.date if field == "date" else row.item.source
        self.cell_line.edit(evidence, field, text, self.grid.cursor_rect(), hint=hint)

    # --- the clipboard -----------------------------------------------------------------------------------------------

    def copy(self) -> None:
        """The selection for a spreadsheet."""
        if self.grid.current_row() is None:
            return
        QGuiApplication.clipboard().setText(self.grid.editor.selection_as_text())
        rows = len(self.grid.selected_rows())
        self.session.status.emit("{count} copied".format(count=counted(rows, "row")))

    def copy_rows(self) -> None:
        """The rows with everything that is known of them, and a header."""
        rows = self.grid.selected_rows()
        if not rows:
            return
        header = [*MatrixTable.FIRST, *(h.id for h in self._sheet.hypotheses), "Diagnosticity"]
        numbers = [number for row in rows if (number := self._sheet.row_of(row.id)) is not None]
        lines = [clipboard.line_of(self._sheet, number) for number in numbers]
        QGuiApplication.clipboard().setText(clipboard.as_tsv([header, *lines]))
        self.session.status.emit("{count} copied".format(count=counted(len(rows), "row")))

    def paste(self) -> None:
        """Ratings from a spreadsheet: all of them or none."""
        text = QGuiApplication.clipboard().text()
        if not text.strip("\r\n"):
            self.session.status.emit("There is no text to paste.")
            return
        trouble = self.grid.editor.paste(text)
        if trouble:
            self.message.say(trouble)
        else:
            self.message.hide()

    def _close_message(self) -> None:
        self.message.hide()
        self.grid.setFocus()

    # --- what if -----------------------------------------------------------------------------------------------------

    def toggle_what_if(self) -> None:
        """Show check boxes before the rows, or go back to the case as it is."""
        if self.grid.what_if:
            self._leave_what_if()
            return
        self.what_if_button.setChecked(True)
        self.grid.show_what_if(True, self._aside)
        self._say_what_if()
        self.grid.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape that the grid did not want puts away what stands beside it: a message, then a what-if."""
        if event.key() == Qt.Key.Key_Escape and self.message.isVisible():
            self._close_message()
        elif event.key() == Qt.Key.Key_Escape and self.grid.what_if:
            self._leave_what_if()
        else:
            super().keyPressEvent(event)

    def _leave_what_if(self) -> None:
        """Nothing was stored, so there is nothing to take back."""
        if self._arming:
            self._arming = False
            self._say_what_if()
            return
        self._aside, self._what_if = frozenset(), None
        self.what_if_button.setChecked(False)
        self.grid.show_what_if(False, self._aside)
        self.what_if_strip.hide()
        self.grid.show_standings(self._standings())
        if self._matrix is not None:
            self.analysis.show_matrix(self._matrix, self._sheet.hypotheses)
        self.grid.setFocus()

    def _turn_selected(self) -> None:
        if not self.grid.what_if:
            self.toggle_what_if()
        self._turn([row.id for row in self.grid.selected_rows()])

    def _turn_source(self) -> None:
        """Every row of the source under the cursor."""
        row = self.grid.current_row()
        if row is None:
            return
        if not self.grid.what_if:
            self.toggle_what_if()
        source = row.item.source
        self._turn([other.id for other in self._sheet.rows if other.item.source == source] if source else [row.id])

    def _turn(self, ids: Sequence[str]) -> None:
        """Set rows aside; when all of them are aside already, take them back."""
        bench = self.session.workbench
        if bench is None or not ids:
            return
        rows = frozenset(ids)
        self._aside = self._aside - rows if rows <= self._aside else self._aside | rows
        self._arming = False
        self._what_if = None  # of other rows than are set aside now
        self.grid.show_what_if(True, self._aside)
        self._say_what_if()
        self._score(bench)

    def _say_what_if(self) -> None:
        self.what_if_strip.setVisible(self.grid.what_if)
        if not self.grid.what_if:
            return
        count = len(self._aside)
        self.remove_button.setVisible(bool(count))
        self.remove_button.setEnabled(not self.session.read_only)
        rows = counted(count, "row")
        self.back_button.setText("Keep them" if self._arming else "Back to the case")
        self.remove_button.setText(f"Remove {rows}" if self._arming else "Remove them…")
        if self._arming:
            sentence = f"Remove {rows} with all ratings? Undo brings them back."
        elif not count:
            sentence = "What if: untick rows (X) or a whole source (Shift+X) and watch the ranks. Nothing is stored."
        else:
            sentence = f"What if: {rows} set aside. {self._who_would_lead()}"
        self.what_if_strip.say(sentence)

    def _who_would_lead(self) -> str:
        if self._what_if is None or self._matrix is None:
            return ""
        then, now = self._what_if.leaders.get(DEFAULT_RULE, ()), self._matrix.leaders.get(DEFAULT_RULE, ())
        if not then:
            why = self._what_if.comparison.sentence
            return f"{'Nothing would lead.'} {why}".strip()
        names = then[0] if len(then) == 1 else "{first} and {last}".format(first=", ".join(then[:-1]), last=then[-1])
        still = set(then) == set(now)
        if len(then) == 1:
            return ("{h} would still lead." if still else "{h} would lead.").format(h=names)
        words = "{h} would still share the lead." if still else "{h} would share the lead."
        return words.format(h=names)

    def _remove_aside(self) -> None:
        """Asked for once, it says what would be done; the second time it is done, as one decision."""
        if not self._arming:
            self._arming = True
            self._say_what_if()
            return
        self._arming = False
        ids = [row.id for row in self._sheet.rows if row.id in self._aside]
        if self._remove(ids):
            self._leave_what_if()

    # --- going about -------------------------------------------------------------------------------------------------

    def _open(self, row: GridRow | None) -> None:
        """The page that the evidence stands on."""
        if row is None:
            return
        item: Evidence = row.item
        if item.document is None or item.page is None or item.start is None or item.end is None:
            self.session.status.emit(f"{row.id} is in your own words, so it has no page to open.")
            return
        self.show_source.emit(item.document, item.page, item.start, item.end)

    def _go_to(self, evidence: str, hypothesis: str) -> None:
        if not evidence:
            row = self.grid.current_row()
            evidence = row.id if row is not None else ""
        if not self.grid.go_to(evidence, hypothesis):
            self._filter_soon.stop()
            self.filter_bar.clear()
            self.grid.go_to(evidence, hypothesis)
        self.grid.setFocus()

    def state(self) -> Any:
        row, hypothesis = self.grid.current_row(), self.grid.current_hypothesis()
        return (row.id if row else "", hypothesis.id if hypothesis else "", self.grid.current_kind())

    def restore(self, state: Any) -> None:
        if state and state[0]:
            self.grid.go_to(*state)


def _choice(name: str) -> QComboBox:
    """A choice that takes no more room than it must."""
    choice = QComboBox()
    choice.setAccessibleName(name)
    choice.setToolTip(name)
    choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    choice.setMinimumContentsLength(7)
    return choice
