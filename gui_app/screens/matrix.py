"""The matrix: evidence rated against every hypothesis by keyboard, and what the ratings amount to beside it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication, QResizeEvent, QShowEvent
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

from core.domain import Changes, Evidence, Hypothesis, Level, Matrix, Rating
from gui_app import look
from gui_app.models.grid import SORTS, GridRow, MatrixTable, arranged, as_line, build, with_cell
from gui_app.screens.screen import Screen
from gui_app.session import CaseSession
from gui_app.widgets.empty_state import EmptyState
from gui_app.widgets.labels import ElidedLabel, line
from gui_app.widgets.matrix_grid import MatrixGrid
from gui_app.widgets.rules_panel import RulesPanel, standing

WIDE = 960  # pixels: from here on the rules stand at the right of the grid; below, they lie under it
REST_MS = 120
HIGH = 640  # pixels: below this a grid with the rules under it is too low, and they are opened by hand


class MatrixScreen(Screen):
    """Rates evidence against hypotheses."""

    name = "Matrix"
    icon = "matrix"
    concerns = Changes(matrix=True, hypotheses=True, evidence=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._rows: list[GridRow] = []
        self._hypotheses: list[Hypothesis] = []
        self._matrix: Matrix | None = None
        self._wants_rules: bool | None = None
        self._order: dict[str, int] = {}
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
        self.count = ElidedLabel("", "strong")
        self.count.setMinimumWidth(150)
        self.filter_field = QLineEdit()
        self.filter_field.setPlaceholderText(self.tr("Filter"))
        self.filter_field.setAccessibleName(self.tr("Show only rows with these words"))
        self.filter_field.setClearButtonEnabled(True)
        self.filter_field.setMaximumWidth(200)
        self._filter_soon = QTimer(self)
        self._filter_soon.setSingleShot(True)
        self._filter_soon.setInterval(80)
        self._filter_soon.timeout.connect(self._arrange)
        self.filter_field.textChanged.connect(lambda _text: self._filter_soon.start())
        self.sort_choice = QComboBox()
        self.sort_choice.setAccessibleName(self.tr("Sort the rows"))
        orders = (self.tr("by number"), self.tr("telling first"), self.tr("unrated first"))
        for sort, text in zip(SORTS, orders, strict=True):
            self.sort_choice.addItem(text, sort)
        self.sort_choice.activated.connect(lambda _index: self._arrange(resort=True))
        self.rules_button = QPushButton(self.tr("Rules"))
        self.rules_button.setCheckable(True)
        self.rules_button.setProperty("kind", "quiet")
        self.rules_button.setAccessibleName(self.tr("Show ranks, robustness and linchpins"))
        self.rules_button.clicked.connect(lambda _checked=False: self._toggle_rules())
        bar = QHBoxLayout()
        bar.setContentsMargins(16, 8, 16, 8)
        bar.setSpacing(8)
        bar.addWidget(self.count, 1)
        self.filter_field.setMinimumWidth(72)
        self.sort_choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.sort_choice.setMinimumContentsLength(8)
        bar.addWidget(self.filter_field, 1)
        self.more_button = QToolButton()
        self.more_button.setAccessibleName(self.tr("More ways to look at the matrix"))
        self.more_button.setToolTip(self.tr("More"))
        self.more_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        look.set_icon(self.more_button, "more")
        for widget in (self.sort_choice, self.rules_button, self.more_button):
            bar.addWidget(widget)

        self.grid = MatrixGrid()
        self.grid.rated.connect(self._rate)
        self.grid.graded.connect(self._grade)
        self.grid.row_changed.connect(lambda row: self.selected.emit(row.item if row else None))
        self.grid.shown.connect(lambda row: self.selected.emit(row.item if row else None))
        self.grid.opened.connect(self._open)
        self.grid.sorted_by.connect(self._sort_by)
        self.plain_table = QTableView()
        self.plain_table.setModel(self.table)
        self.plain_table.setAccessibleName(self.tr("Matrix as a plain table"))
        self.plain_table.verticalHeader().hide()
        self.views = QStackedWidget()
        self.views.addWidget(self.grid)
        self.views.addWidget(self.plain_table)

        self.new_text = QLineEdit()
        self.new_text.setPlaceholderText(self.tr("Add evidence in your own words"))
        self.new_text.setAccessibleName(self.tr("Evidence in your own words"))
        self.new_source = QLineEdit()
        self.new_source.setPlaceholderText(self.tr("Source"))
        self.new_source.setAccessibleName(self.tr("Source of the evidence"))
        self.new_source.setMaximumWidth(220)
        self.add_button = QPushButton(self.tr("Add"))
        self.add_button.clicked.connect(lambda _checked=False: self.add_evidence())
        for field in (self.new_text, self.new_source):
            field.returnPressed.connect(self.add_evidence)
        row = QHBoxLayout()
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(8)
        row.addWidget(self.new_text, 3)
        row.addWidget(self.new_source, 1)
        row.addWidget(self.add_button)

        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(line())
        column.addWidget(self.views, 1)
        column.addWidget(line())
        column.addLayout(row)
        self.rules = RulesPanel()
        self.rules.chosen.connect(self._go_to)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(left)
        self.splitter.addWidget(self.rules)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setSizes([800, 288])
        self.empty = EmptyState("matrix", "", self.tr("Write hypotheses"), lambda: self.go.emit("Hypotheses"))
        self.stack = QStackedWidget()
        self.stack.addWidget(self.splitter)
        self.stack.addWidget(self.empty)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.stack)

    def _make_commands(self) -> None:
        command = self.command
        unrated = command(self.tr("Next unrated cell"), "Shift+N", self.next_unrated)
        opened = command(self.tr("Open the page"), "O", lambda: self._open(self.grid.current_row()))
        copy = command(self.tr("Copy the row"), "Ctrl+C", self.copy_row)
        command(self.tr("Filter the rows"), "Ctrl+F", self._focus_filter)
        command(self.tr("Sort by what tells apart"), "D", lambda: self._sort_by("diagnosticity"))
        command(self.tr("Sort by number"), "Shift+D", lambda: self._sort_by("id"))
        command(self.tr("Add evidence in your own words"), "Ctrl+E", self.new_text.setFocus)
        remove = command(self.tr("Remove this evidence"), "Ctrl+Delete", self.remove_evidence)
        command(self.tr("Ranks, robustness, linchpins"), "Ctrl+R", self._toggle_rules)
        plain = command(self.tr("Plain table for screen readers"), "Ctrl+T", self._toggle_plain)
        plain.setCheckable(True)
        dim = command(self.tr("Dim rows that say nothing"), "Ctrl+D", lambda: None)
        dim.setCheckable(True)
        dim.setChecked(True)
        dim.toggled.connect(self._dim)
        menu = QMenu(self.more_button)
        menu.addActions([dim, plain])
        menu.addSeparator()
        menu.addActions([unrated, opened, copy, remove])
        self.more_button.setMenu(menu)

    # --- what is on show ---------------------------------------------------------------------------------------------

    def _case_changed(self, changes: Changes, initiator: object) -> None:
        if initiator is self and changes == Changes(matrix=True) and self.isVisible():
            self._dirty = True
            self._later.start()
        else:
            super()._case_changed(changes, initiator)

    def refresh(self) -> None:
        self._later.stop()
        bench = self.session.workbench
        if bench is None:
            return
        self._hypotheses = bench.hypotheses()
        self._matrix = bench.matrix()
        self._rows = build(self._hypotheses, bench.evidence(), bench.assessments(), bench.suggestions(), self._matrix)
        self.grid.read_only = bench.read_only
        for widget in (self.new_text, self.new_source, self.add_button):
            widget.setEnabled(not bench.read_only)
        if not self._hypotheses:
            self.empty.say(self.tr("The matrix needs hypotheses: write down at least two that exclude each other."))
            self.stack.setCurrentWidget(self.empty)
            return
        self.stack.setCurrentWidget(self.splitter)
        self.rules.show_matrix(self._matrix, self._hypotheses)
        self._arrange()

    def _case_opened(self) -> None:
        self._later.stop()
        self._rows, self._hypotheses, self._matrix, self._order = [], [], None, {}
        self.filter_field.clear()
        self.grid.show_rows([], [], [])

    def _arrange(self, *, resort: bool = False) -> None:
        """The rows that pass the filter. They keep their places while they are rated; sorting is done when asked."""
        if self._later.isActive():
            self._dirty = False
            self.refresh()
        matrix = self._matrix
        if matrix is None:
            return
        sort = self.sort_choice.currentData()
        if resort or not self._order or sort == "id":
            ordered = arranged(self._rows, sort=sort, wanted="")
            self._order = {row.id: at for at, row in enumerate(ordered)}
        rows = arranged(self._rows, sort="id", wanted=self.filter_field.text())
        rows.sort(key=lambda row: self._order.get(row.id, len(self._order)))
        self.grid.sort = sort
        self.grid.show_rows(rows, self._hypotheses, [standing(matrix, h.id) for h in self._hypotheses])
        if self.views.currentWidget() is self.plain_table:
            self.table.show([h.id for h in self._hypotheses], rows)
        total = len(self._rows)
        shown = self.tr("{count} of {all} rows").format(count=len(rows), all=total)
        rows_text = self.tr("{count} rows").format(count=total) if len(rows) == total else shown
        unrated = sum(row.unrated() for row in self._rows)
        left = self.tr("{count} unrated").format(count=unrated) if unrated else self.tr("all rated")
        self.count.setText(f"{rows_text} · {left}" if total else self.tr("No evidence yet"))

    def _dim(self, on: bool) -> None:
        self.grid.dims = on
        self.grid.viewport().update()

    def _sort_by(self, sort: str) -> None:
        self.sort_choice.setCurrentIndex(SORTS.index(sort))
        self._arrange(resort=True)

    def _focus_filter(self) -> None:
        self.filter_field.setFocus()
        self.filter_field.selectAll()

    def _toggle_plain(self) -> None:
        view = self.plain_table if self.views.currentWidget() is self.grid else self.grid
        self.views.setCurrentWidget(view)
        self._arrange()
        view.setFocus()

    def _toggle_rules(self) -> None:
        self._wants_rules = not self.rules.isVisibleTo(self)
        self._show_rules()

    def _show_rules(self) -> None:
        flat = self.width() < WIDE
        on = not flat or self.height() >= HIGH if self._wants_rules is None else self._wants_rules
        lying = self.splitter.orientation() == Qt.Orientation.Vertical
        if flat != lying:
            self.splitter.setOrientation(Qt.Orientation.Vertical if flat else Qt.Orientation.Horizontal)
            self.rules.lie(flat)
            self.splitter.setSizes([self.height() - 208, 208] if flat else [self.width() - 288, 288])
        self.rules.setVisible(on)
        self.rules_button.setChecked(on)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.grid.setFocus()
        row = self.grid.current_row()
        if row is not None:
            self.selected.emit(row.item)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_rules()

    # --- deciding ----------------------------------------------------------------------------------------------------

    def _rate(self, evidence: str, hypothesis: str, rating: Rating | None) -> None:
        if self.session.do(lambda bench: bench.rate(evidence, hypothesis, rating), initiator=self) is None:
            return
        column = next((at for at, known in enumerate(self._hypotheses) if known.id == hypothesis), None)
        if column is not None:
            self._rows = [with_cell(row, column, rating) if row.id == evidence else row for row in self._rows]
            self.grid.set_cell(evidence, column, rating)

    def _grade(self, evidence: str, kind: str, level: Level | None) -> None:
        item = next((row.item for row in self._rows if row.id == evidence), None)
        if item is None:
            return
        credibility = level if kind == "credibility" else item.credibility
        relevance = level if kind == "relevance" else item.relevance
        self.session.do(
            lambda bench: bench.grade(evidence, credibility=credibility, relevance=relevance), initiator=self
        )

    def add_evidence(self) -> None:
        """A row in the person's own words, from the fields below the grid."""
        text, source = self.new_text.text().strip(), self.new_source.text().strip()
        if not text:
            self.new_text.setFocus()
            return
        added = self.session.do(lambda bench: bench.add_evidence(text, source), initiator=self)
        if added is not None:
            self.new_text.clear()
            self.new_source.clear()
            self.grid.go_to(added.id)
            self.session.tell(self.tr("{id} added").format(id=added.id), undo=True)
            self.grid.setFocus()

    def remove_evidence(self) -> None:
        row = self.grid.current_row()
        if row is None:
            return
        if self.session.do(lambda bench: bench.remove_evidence(row.id), initiator=self) is not None:
            self.session.tell(self.tr("{id} and its ratings removed").format(id=row.id), undo=True)

    def next_unrated(self) -> None:
        """Put the cursor on the next cell without a rating of the person's own."""
        self.grid.setFocus()
        if not self.grid.next_unrated():
            self.session.status.emit(self.tr("Every cell is rated."))

    def copy_row(self) -> None:
        row = self.grid.current_row()
        if row is not None:
            QGuiApplication.clipboard().setText(as_line(row))
            self.session.status.emit(self.tr("{id} copied").format(id=row.id))

    def _open(self, row: GridRow | None) -> None:
        """The page that the evidence stands on."""
        if row is None:
            return
        item: Evidence = row.item
        if item.document is None or item.page is None or item.start is None or item.end is None:
            self.session.status.emit(self.tr("{id} is in your own words: there is no page to open.").format(id=row.id))
            return
        self.show_source.emit(item.document, item.page, item.start, item.end)

    def _go_to(self, evidence: str, hypothesis: str) -> None:
        if not self.grid.go_to(evidence, hypothesis):
            self.filter_field.clear()
            self._filter_soon.stop()
            self._arrange()
            self.grid.go_to(evidence, hypothesis)
        self.grid.setFocus()

    # --- back and forward --------------------------------------------------------------------------------------------

    def state(self) -> Any:
        row, hypothesis = self.grid.current_row(), self.grid.current_hypothesis()
        return (row.id if row else "", hypothesis.id if hypothesis else "")

    def restore(self, state: Any) -> None:
        if state and state[0]:
            self.grid.go_to(*state)
