"""The matrix: evidence rated against every hypothesis by keyboard, and what the ratings amount to beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QStackedWidget, QWidget

from core import settings
from core.domain import Changes, Hypothesis, Matrix
from gui_app import window_state
from gui_app.matrix.analysis_panel import GROUP, SENSITIVITY, AnalysisPanel
from gui_app.matrix.analysis_split import AnalysisSplit
from gui_app.matrix.bar import MatrixBar
from gui_app.matrix.column_menu import ColumnMenu
from gui_app.matrix.copies import Folds, fold
from gui_app.matrix.decisions import Cells, MatrixDecisions, span_of
from gui_app.matrix.grid import Standing
from gui_app.matrix.grid_filter import GridFilter
from gui_app.matrix.grid_model import GROUP_VIEW, Filter, GridRow, Sheet, in_order, visible_rows
from gui_app.matrix.grid_pointer import width_kind
from gui_app.matrix.grid_views import GridViews
from gui_app.matrix.new_row import NewRow
from gui_app.matrix.state import MatrixState, load, standings, who_would_lead
from gui_app.matrix.what_if import WhatIfStrip
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.field_draft import FieldDraft
from gui_app.shared.formatting import counted
from gui_app.shared.info_bar import InfoBar
from gui_app.shared.labels import line
from gui_app.shared.layout import vbox
from gui_app.shared.screen import Screen
from gui_app.shared.selected_cell import Cell

if TYPE_CHECKING:
    from core.workbench import Workbench

REST_MS = 120
SETTLE_MS = 60  # a person running along the cells is not shown every one on the way
BIG = 20_000  # cells; a larger matrix is shown before it is scored, and scored beside the work
STEP = 16  # pixels by which a key makes a column wider
NARROW = 720  # pixels: below this the bar has no room for the choice of an order


class MatrixScreen(Screen):
    """Rates evidence against hypotheses."""

    name = "Matrix"
    icon = "matrix"
    leads_viewer = True
    concerns = Changes(matrix=True, hypotheses=True, evidence=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._state = MatrixState()
        self._matrix: Matrix | None = None
        self._what_if: Matrix | None = None
        self._order: dict[str, int] = {}
        self._sort, self._reverse = "id", False
        self._open_folds: set[str] = set()  # rows whose copies are shown
        self._is_current = False  # what changed last is on show already and needs only new scores
        # A rating is on show at once; what follows from it (0.1 s for 500 x 10 cells) when the typing rests.
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(REST_MS)
        self._later.timeout.connect(self.refresh_if_dirty)
        self.decisions = MatrixDecisions(session, self)
        self._build()
        self._make_commands()
        self.setFocusProxy(self.grid)
        session.opened.connect(self._case_opened)

    # --- layout ------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        # Each part is made inside the one around it: Qt polishes a part again, with all in it, whenever it is moved.
        self.stack = QStackedWidget(self)
        self.splitter = AnalysisSplit(self.stack)
        left = QWidget(self.splitter)
        self.views = GridViews(self.session, self.decisions, left)
        self.views.note.saved.connect(self._annotate)
        draft = FieldDraft(self.session, self.views.note.text)
        self.views.note.opened.connect(draft.begin)
        self.views.note.closed.connect(draft.end)
        self.views.paste_failed.connect(self._tell_paste)
        self.grid = self.views.grid
        self.grid.rated.connect(self._rate)
        self.grid.graded.connect(lambda ids, field, value: self.decisions.grade(ids, field, value, self._state.sheet))
        self._tell_soon = QTimer(self)
        self._tell_soon.setSingleShot(True)
        self._tell_soon.setInterval(SETTLE_MS)
        self._tell_soon.timeout.connect(self._tell_selected)
        self.grid.cursor_moved.connect(self._tell_soon.start)
        self.grid.shown.connect(lambda _row: self._tell_selected())
        self.grid.opened.connect(self._open)
        self.grid.sorted_by.connect(self._sort_by)
        self.grid.unrated_wanted.connect(self.next_unrated)
        self.grid.widths_chosen.connect(self._keep_widths)
        self.grid.fold_turned.connect(self._turn_fold)

        self.filter_bar = GridFilter()
        self._filter_soon = QTimer(self)
        self._filter_soon.setSingleShot(True)
        self._filter_soon.setInterval(80)
        self._filter_soon.timeout.connect(lambda: self._arrange(on_request=True))
        self.filter_bar.field.textChanged.connect(lambda _text: self._filter_soon.start())
        self.filter_bar.changed.connect(lambda: self._arrange(on_request=True))

        self.what_if_strip = WhatIfStrip(self.grid, self.decisions)
        self.grid.set_aside.connect(self.what_if_strip.toggle_rows)
        self.what_if_strip.aside_changed.connect(self._aside_changed)
        self.what_if_strip.ended.connect(self._what_if_ended)
        self.message = InfoBar()
        self.message.add_button("Close", self._close_message)

        self.bar = MatrixBar(self.filter_bar)
        sort_choice = self.bar.sort_choice
        sort_choice.activated.connect(lambda _index: self._sort_by(sort_choice.currentData(), turn=False))
        self.bar.view_choice.activated.connect(lambda _index: self._choose_view())
        self.bar.what_if_button.clicked.connect(lambda _on=False: self.what_if_strip.toggle())
        self.what_if_strip.switched.connect(self.bar.what_if_button.setChecked)
        self.bar.analysis_button.clicked.connect(lambda _on=False: self._toggle_analysis())
        self.new_row = NewRow()
        self.new_row.add_wanted.connect(self.add_evidence)
        FieldDraft(self.session, self.new_row.text, self.new_row.text.accessibleName())
        column = vbox(left, spacing=0)
        column.addWidget(self.bar)
        column.addWidget(self.filter_bar)
        column.addWidget(self.message)
        column.addWidget(line())
        column.addWidget(self.views, 1)
        column.addWidget(self.what_if_strip)  # below the rows, which so stay where they are
        column.addWidget(line())
        column.addWidget(self.new_row)
        self.analysis = AnalysisPanel(self.session, self.splitter)
        self.analysis.chosen.connect(self._go_to)
        self.analysis.show_source.connect(self.show_source)
        self.analysis.whole_wanted.connect(self.turn_whole)
        self.analysis.tabs.currentChanged.connect(self._looked_at)
        self.splitter.fill(left, self.analysis)
        self.empty = EmptyState("matrix", "", "Write hypotheses", lambda: self.go.emit("Hypotheses"))
        sentence = "Rows come from passages that you accept in the review, or that you add below in your own words."
        self.no_rows = EmptyState("review", sentence, "Open the review", lambda: self.go.emit("Review"))
        vbox(self.grid.viewport()).addWidget(self.no_rows)
        self.stack.addWidget(self.splitter)
        self.stack.addWidget(self.empty)
        outer = vbox(self)
        outer.addWidget(self.stack)

    def _make_commands(self) -> None:
        command = self.command
        next_cell = command("Next unrated cell", "Shift+N", self.next_unrated)
        command("Rate what is selected", None, self.grid.setFocus, shown_keys="CC C N I II NA, 1 to 5, Del")
        command("Leave the grid", None, self.grid.leave, shown_keys="Ctrl+Tab, Ctrl+Shift+Tab")
        note = command("Note and confidence of the cell", None, self.views.edit_current_note, shown_keys="Enter")
        open_page = command("Open the page", "O", lambda: self._open(self.grid.current_row()))
        confirm = command("Confirm my ratings given before a rewording", None, self.decisions.confirm_outdated)
        fill = command("Fill down", "Ctrl+D", self.grid.editor.fill_down)
        copy = command("Copy what is selected", "Ctrl+C", self.views.copy)
        rows = command("Copy whole rows", "Ctrl+Shift+C", self.views.copy_rows)
        paste = command("Paste ratings", "Ctrl+V", self.views.paste)
        command("Select every rating", "Ctrl+A", self.grid.select_ratings)
        command("Filter the rows", "Ctrl+F", self.filter_bar.focus_field)
        command("Show every row", "Ctrl+Shift+F", self.filter_bar.clear)
        command("Choose filters", "F", self.filter_bar.button.showMenu)
        command("Next view: mine, everyone, each analyst", "V", self._next_view)
        command("Sort by this column, again to reverse", "S", self._sort_here)
        command("Sort by diagnosticity", "D", lambda: self._sort_by("diagnosticity", turn=False))
        command("Sort by number", "Shift+D", lambda: self._sort_by("id", turn=False))
        command("Add evidence in your own words", "Ctrl+E", self.new_row.text.setFocus)
        decisions, rows_of = self.decisions, self.grid.selected_rows
        same = command("These rows share a source: count them once", "G", lambda: decisions.mark_one_origin(rows_of()))
        apart = command("These rows have separate sources", "Shift+G", lambda: decisions.mark_own_origins(rows_of()))
        remove = command("Remove this evidence", "Ctrl+Delete", self.remove_evidence)
        what_if = command("What if rows were not there", "W", self.what_if_strip.toggle)
        strip = self.what_if_strip
        aside = command("What if: set the row aside, or put it back", "X", strip.toggle_selected)
        source = command("What if: the same for its whole source", "Shift+X", strip.toggle_source)
        command("Analysis: rules, sensitivity, group, time", "Ctrl+R", self._toggle_analysis)
        command("Analysis on the whole page", "Ctrl+Shift+R", self.turn_whole)
        command("Wider column", "Ctrl+Alt+Right", lambda: self._widen(STEP))
        command("Narrower column", "Ctrl+Alt+Left", lambda: self._widen(-STEP))
        usual_widths = command("Default column widths", None, self._reset_widths)
        plain = command("Plain table for screen readers", "Ctrl+T", self._toggle_plain)
        plain.setCheckable(True)
        dim = command("Dim rows that are not diagnostic", "Ctrl+Shift+D", lambda: None)
        dim.setCheckable(True)
        dim.setChecked(True)
        dim.toggled.connect(self._dim)
        command("Show the copies of this row, or fold them", "K", self._turn_current_fold)
        folding = command("Fold copies into one row", "Ctrl+Shift+K", self._turn_folding)
        folding.setCheckable(True)
        compact = command("One line a row", "Ctrl+Shift+L", _turn_density)
        compact.setCheckable(True)
        menu = QMenu(self.bar.more_button)
        menu.addActions([dim, plain])
        menu.aboutToShow.connect(lambda: compact.setChecked(theme.density() == "compact"))
        menu.aboutToShow.connect(lambda: folding.setChecked(window_state.pane("fold-copies") != "-"))
        self.column_menu = ColumnMenu(self.grid, self.session, menu)
        menu.addMenu(self.column_menu)
        menu.addAction(usual_widths)
        menu.addActions([compact, folding])
        menu.addSeparator()
        menu.addActions([next_cell, open_page, fill, copy, rows, paste, confirm])
        menu.addSeparator()
        menu.addActions([same, apart, what_if, remove])
        self.bar.more_button.setMenu(menu)
        self._context = QMenu(self)
        self._context.addActions([note, open_page])
        self._context.addSeparator()
        self._context.addActions([copy, rows, paste, fill])
        self._context.addSeparator()
        self._context.addActions([aside, source, same, apart, remove])
        self.grid.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.grid.customContextMenuRequested.connect(self._show_context)

    def _show_context(self, point: QPoint) -> None:
        """Offer what can be done with the selection; a click outside it moves the cursor there first."""
        if self.grid.select_at(point):
            self._context.popup(self.grid.viewport().mapToGlobal(point))

    # --- what is on show ---------------------------------------------------------------------------------------------

    def _case_changed(self, changes: Changes, initiator: object) -> None:
        if initiator is self and changes == Changes(matrix=True) and self.isVisible():
            self._dirty = True
            self._later.start()
        else:
            self._is_current = False
            super()._case_changed(changes, initiator)

    def refresh(self) -> None:
        """Read the matrix again where its cells may have changed, and have it scored."""
        self._later.stop()
        bench = self.session.workbench
        if bench is None:
            return
        hypotheses = bench.hypotheses.all()
        self.grid.read_only = bench.case.read_only
        self.grid.advances = settings.load().advance
        self.new_row.allow(not bench.case.read_only)
        if not hypotheses:
            self._state = replace(self._state, sheet=Sheet())
            self.empty.say("The matrix needs hypotheses: write at least two that exclude each other.")
            self.stack.setCurrentWidget(self.empty)
            return
        self.stack.setCurrentWidget(self.splitter)
        # A large matrix whose cells are known to be as they stand is not read again only because one was rated.
        is_current, self._is_current = self._is_current, False
        if not (is_current and self._state.alone and self._is_big()):
            self._read_sheet(bench, hypotheses)
        self._score(bench)

    def _is_big(self) -> bool:
        return len(self._state.sheet.codes) > BIG

    def _read_sheet(self, bench: Workbench, hypotheses: Sequence[Hypothesis]) -> None:
        self._state = load(bench, hypotheses, self._state.view, self._state.sheet)
        self.no_rows.setVisible(not self._state.sheet.rows)
        self.bar.offer_views(self._state)
        self.filter_bar.show_sheet(self._state.sheet)
        self.what_if_strip.keep([row.id for row in self._state.sheet.rows])

    def _score(self, bench: Workbench) -> None:
        """Have the ratings scored: now, or beside the work where that takes longer than a moment."""
        view, aside = self._state.view, self.what_if_strip.aside

        def score(bench: Workbench) -> tuple[Matrix, Matrix | None]:
            matrix = bench.matrix.compute(view)
            return matrix, bench.matrix.compute(view, without_rows=tuple(sorted(aside))) if aside else None

        if self._is_big():
            self._arrange()
            self.session.read(score, lambda scores: self._take_scores(*scores), key="matrix")
        else:
            self._take_scores(*score(bench))

    def _take_scores(self, matrix: Matrix, what_if: Matrix | None) -> None:
        if {row.id for row in matrix.rows} - {row.id for row in self._state.sheet.rows}:
            return  # of a case that has moved on; its own scores are on their way
        first = self._matrix is None
        self._matrix, self._what_if = matrix, what_if
        self._state.sheet.score(matrix)
        self.analysis.show_matrix(matrix, self._state.sheet.hypotheses, what_if=what_if)
        self.what_if_strip.show_lead(who_would_lead(matrix, what_if))
        self._arrange(resort=first)

    def _choose_view(self) -> None:
        self._state = replace(self._state, view=self.bar.view_choice.currentData())
        self._is_current = False
        self.refresh()
        self.grid.setFocus()

    def _next_view(self) -> None:
        choice = self.bar.view_choice
        if choice.count() > 1:
            choice.setCurrentIndex((choice.currentIndex() + 1) % choice.count())
            self._choose_view()
            self.session.status.emit(f"Ratings: {choice.currentText()}")
        elif choice.isVisibleTo(self):  # colleagues rated, and may not be seen yet
            self.session.status.emit(choice.toolTip())

    def _case_opened(self) -> None:
        self._later.stop()
        self._state, self._matrix, self._what_if = MatrixState(), None, None
        self._order = {}
        self._open_folds.clear()
        self._sort, self._reverse, self._is_current = "id", False, False
        self.views.note.leave()
        self.message.hide()
        self.what_if_strip.forget()
        self.filter_bar.set_filter(Filter())
        bench = self.session.workbench
        if bench is not None:
            self.grid.show_columns(*window_state.columns(bench.path))
            self.grid.show_widths(window_state.widths(bench.path))
        self.grid.show_sheet(self._state.sheet, [], [])

    def _arrange(self, *, resort: bool = False, on_request: bool = False) -> None:
        """Show the rows that pass the filter.

        While they are rated they keep their places, and stay although they no longer pass; sorting and filtering are
        done when asked.
        """
        if self._later.isActive():
            self._dirty = False
            self.refresh()
        sheet = self._state.sheet
        if resort or not self._order or self._sort == "id":
            numbers = in_order(sheet, list(range(len(sheet.rows))), sort=self._sort, reverse=self._reverse)
            self._order = {sheet.rows[number].id: index for index, number in enumerate(numbers)}
        conditions = self.filter_bar.filter()
        ids = {row.id for row in self.grid.rows} if conditions != Filter() and not on_request else set()
        order = visible_rows(sheet, conditions=conditions, ids=ids)
        rows, places = sheet.rows, self._order
        order.sort(key=lambda number: places.get(rows[number].id, len(places)))
        folds = Folds()
        if window_state.pane("fold-copies") != "-":
            order, folds = fold(sheet, order, self._open_folds)
        self.grid.folds = folds
        self.grid.sort, self.grid.reverse = self._sort, self._reverse
        self.grid.show_sheet(sheet, order, self._standings())
        if self.views.currentWidget() is self.views.plain_table:
            self.views.table.show(sheet, order)
        self.bar.offer_sorts(sheet.hypotheses, self._sort)
        total = len(rows)
        copies = folds.count_hidden()
        count = len(order) + copies
        rows_text = counted(total, "row") if count == total else f"{count} of {counted(total, 'row')}"
        rows_text += f" ({copies} folded)" if copies else ""
        open_cells = sheet.count_unrated()
        again = sheet.count_outdated()
        left = [f"{counted(open_cells, 'cell')} unrated"] * bool(open_cells)
        left = left + [f"{again} to rate again"] * bool(again) or ["all rated"]
        self.bar.count.setText(f"{rows_text} · {', '.join(left)}" if total else "No evidence yet")

    def _standings(self) -> list[Standing]:
        return standings(self._matrix, self._what_if, self._state.sheet.hypotheses)

    def _dim(self, on: bool) -> None:
        self.grid.dims = on
        self.grid.viewport().update()

    def _turn_fold(self, evidence: str) -> None:
        """Show the copies of a row, or fold them; one of the copies closes them as well."""
        sheet, folds = self._state.sheet, self.grid.folds
        number = sheet.row_of(evidence)
        if number is None:
            return
        rows = next((rows for rows in folds.open_groups.values() if number in rows), ())
        if rows:
            self._open_folds -= {sheet.rows[row].id for row in rows}
            evidence = sheet.rows[rows[0]].id
        elif number in folds.closed_groups:
            self._open_folds.add(evidence)
        else:
            self.session.status.emit(f"{evidence} has no copies to show or fold.")
        self._arrange()
        self.grid.go_to(evidence)

    def _turn_current_fold(self) -> None:
        row = self.grid.current_row()
        if row is not None:
            self._turn_fold(row.id)

    def _turn_folding(self) -> None:
        """Fold copies into one row, or show every row for itself; remembered."""
        window_state.keep_pane("fold-copies", "-" if window_state.pane("fold-copies") != "-" else "")
        self._open_folds.clear()
        self._arrange()

    def _sort_by(self, sort: str, *, turn: bool = True) -> None:
        """Sort by a column; by the one that is sorted by already, the other way round."""
        self._reverse = turn and sort == self._sort and not self._reverse
        self._sort = sort
        self._arrange(resort=True)
        if sort == "diagnosticity":
            self.session.look_at(sort)

    def show_part(self, part: str) -> None:
        """Go to a part: a cell ('E3 H1'), 'unrated' (the next such), 'diagnosticity' (that first) or 'sensitivity'.

        'merge' asks for another copy of the case.
        """
        if part == "unrated":
            self.next_unrated()
        elif part == "diagnosticity":
            self._sort_by("diagnosticity", turn=False)
        elif part in ("sensitivity", "merge"):
            self.splitter.choose(True)
            self._show_analysis()
            self.analysis.show_tab(SENSITIVITY if part == "sensitivity" else GROUP)
            if part == "merge":
                QTimer.singleShot(0, self, self.analysis.group.ask_merge)  # once this page is there
        elif part.startswith("E"):
            self.restore(tuple(part.split()))

    def _sort_here(self) -> None:
        hypothesis, kind = self.grid.current_hypothesis(), self.grid.current_kind()
        self._sort_by(f"h:{hypothesis.id}" if hypothesis is not None else "text" if kind == "evidence" else kind)

    def _toggle_plain(self) -> None:
        view = self.views.plain_table if self.views.currentWidget() is self.grid else self.grid
        self.views.setCurrentWidget(view)
        self._arrange()
        view.setFocus()

    def _toggle_analysis(self) -> None:
        self.splitter.choose(not self.analysis.isVisibleTo(self))
        self._show_analysis()

    def turn_whole(self) -> None:
        """Show the analysis on the whole page, or bring the grid back."""
        self.splitter.whole = not self.splitter.whole
        self._show_analysis()

    def _keep_widths(self) -> None:
        bench = self.session.workbench
        if bench is not None:
            window_state.keep_widths(bench.path, self.grid.widths)

    def _widen(self, by: int) -> None:
        """Make the column under the cursor wider, or narrower."""
        columns, column = self.grid.columns(), self.grid.cursor_place()[1]
        if column < len(columns):
            self.grid.set_width(width_kind(self.grid, column), columns[column].width + theme.px(by))
            self._keep_widths()

    def _reset_widths(self) -> None:
        self.grid.show_widths({})
        self._keep_widths()

    def _show_analysis(self) -> None:
        has_keys = self.isAncestorOf(self.focusWidget() or self)
        self.bar.analysis_button.setChecked(self.splitter.arrange(self.size()))
        self.setFocusProxy(self.analysis.tabs if self.splitter.whole else self.grid)
        if has_keys and not self.grid.isVisibleTo(self):
            self.analysis.tabs.setFocus()

    def _looked_at(self, tab: int) -> None:
        if tab == SENSITIVITY and self.analysis.isVisible():
            self.session.look_at("sensitivity")

    def showEvent(self, event: QShowEvent) -> None:
        """Focus the grid, and announce what is under its cursor."""
        super().showEvent(event)
        self.grid.setFocus()
        self._tell_selected()

    def current_item(self) -> object:
        """Return the cell under the cursor, or the evidence of its row."""
        row, hypothesis = self.grid.current_row(), self.grid.current_hypothesis()
        if row is None or self.stack.currentWidget() is self.empty:
            return None
        return Cell(row.item, hypothesis.id) if hypothesis is not None else row.item

    def _tell_selected(self) -> None:
        self._tell_soon.stop()
        self.selected.emit(self.current_item())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make room: the choice of an order goes first, then the analysis moves below the grid."""
        super().resizeEvent(event)
        self.bar.sort_choice.setVisible(self.width() >= theme.px(NARROW))  # headers and keys sort as well
        self._show_analysis()

    # --- deciding ----------------------------------------------------------------------------------------------------

    def _rate(self, cells: Cells) -> None:
        is_current = self._is_current or not self._dirty
        if self.decisions.rate(cells):
            self._is_current = is_current
            for evidence, hypothesis, rating in cells:
                self._state.sheet.rate(evidence, hypothesis, rating)
            self.grid.viewport().update()
            self.decisions.tell_rated(cells, everyone=self._state.view == GROUP_VIEW and not self._state.alone)

    def add_evidence(self, text: str, source: str) -> None:
        """Add a row in the person's own words, and go to it."""
        evidence = self.decisions.add(text, source)
        if evidence is not None:
            self.new_row.clear()
            self._go_to(evidence.id, "")
            self.session.tell(f"{evidence.id} added", undo=True)
            self.new_row.text.setFocus()  # for the next one; letters typed on in the grid would be ratings

    def remove_evidence(self) -> None:
        """Remove the selected rows, and the copies folded into them, with their ratings, as one decision."""
        self.decisions.remove([row.id for row in self.grid.with_copies(self.grid.selected_rows())])

    def next_unrated(self) -> None:
        """Put the cursor on the next cell without a rating."""
        self.grid.setFocus()
        if not self.grid.next_unrated():
            self.session.status.emit("Every cell is rated.")

    def _annotate(self, evidence: str, hypothesis: str, note: str, confidence: str) -> None:
        self._is_current = False
        self.decisions.annotate(evidence, hypothesis, note, confidence)

    def _tell_paste(self, why: str) -> None:
        if why:
            self.message.say(why)
        else:
            self.message.hide()

    def _close_message(self) -> None:
        self.message.hide()
        self.grid.setFocus()

    # --- what if -----------------------------------------------------------------------------------------------------

    def _aside_changed(self) -> None:
        self._what_if = None  # of other rows than are set aside now
        bench = self.session.workbench
        if bench is not None:
            self._score(bench)

    def _what_if_ended(self) -> None:
        self._what_if = None
        self.grid.show_standings(self._standings())
        if self._matrix is not None:
            self.analysis.show_matrix(self._matrix, self._state.sheet.hypotheses)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape that the grid did not want puts away what is beside it: a message, then a what-if."""
        if event.key() == Qt.Key.Key_Escape and self.message.isVisible():
            self._close_message()
        elif event.key() == Qt.Key.Key_Escape and self.splitter.whole:
            self.turn_whole()
            self.grid.setFocus()
        elif event.key() == Qt.Key.Key_Escape and self.grid.what_if:
            self.what_if_strip.step_back()
        else:
            super().keyPressEvent(event)

    # --- going about -------------------------------------------------------------------------------------------------

    def _open(self, row: GridRow | None) -> None:
        """Open the page that the evidence is on."""
        if row is None:
            return
        span = span_of(row.item)
        if span is None:
            self.session.status.emit(f"{row.id} is in your own words, so it has no page to open.")
        else:
            self.show_source.emit(*span)

    def _go_to(self, evidence: str, hypothesis: str) -> None:
        if self.splitter.whole:
            self.turn_whole()
        if not evidence:
            row = self.grid.current_row()
            evidence = row.id if row is not None else ""
        if not self.grid.go_to(evidence, hypothesis):
            self._filter_soon.stop()
            self.filter_bar.clear()
            self.grid.go_to(evidence, hypothesis)
        self.grid.setFocus()

    def state(self) -> Any:
        """Return evidence, hypothesis and column of the cell under the cursor."""
        row, hypothesis = self.grid.current_row(), self.grid.current_hypothesis()
        return (row.id if row else "", hypothesis.id if hypothesis else "", self.grid.current_kind())

    def restore(self, state: Any) -> None:
        """Go back to the cell of a state."""
        if state and state[0]:
            self.grid.go_to(*state)


def _turn_density() -> None:
    """Show each row on one line, or two; remembered."""
    density: theme.Density = "comfortable" if theme.density() == "compact" else "compact"
    settings.save(replace(settings.load(), density=density))
    theme.set_density(density)
