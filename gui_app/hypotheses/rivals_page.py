"""The rival hypotheses: a field to add one, what the method asks for next, a table to edit them, their priors."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QWidget,
)

from core.domain import Hypothesis
from core.hypotheses.service import EVERY
from gui_app import window_state
from gui_app.hypotheses.hypotheses_model import ID, KIND, KINDS, NOTE, PRIOR, TEXT, HypothesesModel
from gui_app.hypotheses.priors import PriorsStrip
from gui_app.hypotheses.state import STARTERS, HypothesesState
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.cell_editor import ChoiceDelegate, TextDelegate, TextEditor
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.field_draft import FieldDraft
from gui_app.shared.labels import line, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.table import Table

MAX_ROW_HEIGHT = 184  # pixels: what is longer is read in the editor and in the details
_KINDS_TIP = (
    "Rival: an explanation like others\nNull: nothing out of the ordinary happened\n"
    "Deception: somebody wants to mislead"
)


class RivalsPage(QWidget):
    """The hypotheses as a table; ``row_chosen(Hypothesis)`` when the person selects another one."""

    row_chosen = Signal(object)

    def __init__(self, session: CaseSession, screen: QWidget) -> None:
        super().__init__()
        self._session, self._screen = session, screen
        self._quiet = False  # while the rows are put back, no row is chosen by the person
        self._prompt_kind = ""  # the kind of hypothesis that the prompt asks for
        self._state = HypothesesState()
        column = vbox(self, spacing=0)
        column.addLayout(self._entry())
        column.addWidget(self._advice_line())
        column.addWidget(line())
        self._make_table()
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
        column.addWidget(self._exclusive_line())
        self._priors_line = line()
        column.addWidget(self._priors_line)
        self.priors = PriorsStrip()
        self.priors.kept.connect(self._set_priors)
        column.addWidget(self.priors)
        self._priors_line.hide()
        self.priors.hide()

    def _entry(self) -> QHBoxLayout:
        add = hbox(margins=(24, 12, 24, 8), spacing=8)
        self.field = QLineEdit()
        self.field.setPlaceholderText("A possible explanation, as one statement that could be false")
        self.field.setAccessibleName("New hypothesis")
        self.field.returnPressed.connect(self._add)
        FieldDraft(self._session, self.field, self.field.accessibleName())
        down = QShortcut(QKeySequence("Down"), self.field, self._go_to_table)
        down.setContext(Qt.ShortcutContext.WidgetShortcut)
        add.addWidget(self.field, 1)
        self.kind_choice = QComboBox()
        for kind, words in KINDS.items():
            self.kind_choice.addItem(words, kind)
        self.kind_choice.setAccessibleName("Kind of the new hypothesis")
        self.kind_choice.setToolTip(_KINDS_TIP)
        add.addWidget(self.kind_choice)
        self.add_button = QPushButton("Add")
        self.add_button.setProperty("kind", "primary")
        self.add_button.setAccessibleName("Add the hypothesis")
        self.add_button.setEnabled(False)
        self.add_button.clicked.connect(self._add)
        add.addWidget(self.add_button)
        self.field.textChanged.connect(lambda text: self.add_button.setEnabled(bool(text.strip())))
        return add

    def _advice_line(self) -> QWidget:
        advice = hbox(margins=(24, 0, 24, 12), spacing=8)
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
        return self._advice_row

    def _exclusive_line(self) -> QWidget:
        self.exclusive_box = QCheckBox()
        self.exclusive_box.setToolTip(
            "Review then flags a passage that the model says supports two of them. The flag changes nothing."
        )
        self.exclusive_box.clicked.connect(self._set_exclusive)
        self._exclusive_row = QWidget()
        row = hbox(self._exclusive_row, margins=(24, 8, 24, 12))
        row.addWidget(self.exclusive_box)
        row.addStretch(1)
        return self._exclusive_row

    def _make_table(self) -> None:
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
        self.table.setItemDelegate(TextDelegate(self._session, self.table))
        self._kinds = ChoiceDelegate(lambda: list(KINDS.items()), self.table)
        self.table.setItemDelegateForColumn(KIND, self._kinds)
        self.table.setColumnWidth(ID, theme.px(56))
        for part, mode in ((TEXT, QHeaderView.ResizeMode.Stretch), (NOTE, QHeaderView.ResizeMode.Interactive)):
            self.table.horizontalHeader().setSectionResizeMode(part, mode)
        self.table.horizontalHeader().sectionResized.connect(lambda *_sizes: self.fit_rows())
        self.table.setColumnWidth(KIND, theme.px(104))
        self.table.setColumnWidth(PRIOR, theme.px(72))
        self.table.setColumnWidth(NOTE, theme.px(240))
        self.table.selectionModel().currentRowChanged.connect(self._row_changed)
        self.table.on_open = self.edit_current

    # --- showing -----------------------------------------------------------------------------------------------------

    def show_state(self, state: HypothesesState, *, writable: bool) -> None:
        """Show the hypotheses; the selected row stays selected."""
        self._state = state
        index, hypotheses = self.table.currentIndex(), state.hypotheses
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
            self.take_keys()
        self.table.setColumnHidden(PRIOR, all(hypothesis.prior is None for hypothesis in hypotheses))
        self.priors.show_hypotheses(hypotheses, writable=writable)
        self.exclusive_box.setText(state.exclusive_words())
        self.exclusive_box.setChecked(bool(state.exclusive))
        self.exclusive_box.setEnabled(writable)
        self._exclusive_row.setVisible(len(hypotheses) > 1)
        self._advise()

    def reset(self) -> None:
        """Show nothing of the case before."""
        self.field.clear()
        self.kind_choice.setCurrentIndex(0)
        self.model.show([])
        self.show_priors(visible=False)

    def take_keys(self) -> None:
        """Have the field take the keys where there is no hypothesis yet and this page is on show."""
        if not self.model.rows and self.isVisibleTo(self._screen):
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_priors(self, *, visible: bool) -> None:
        """Show the prior probabilities below the table, or put them away."""
        self.priors.setVisible(visible)
        self._priors_line.setVisible(visible)

    def toggle_priors(self) -> None:
        """Show the prior probabilities, ready to be changed, or go back into the table."""
        is_hidden = self.priors.isHidden()
        self.show_priors(visible=is_hidden)
        if is_hidden and self.priors.fields:
            next(iter(self.priors.fields.values())).setFocus(Qt.FocusReason.ShortcutFocusReason)
        elif not is_hidden:
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def in_hand(self) -> Hypothesis | None:
        """Return the hypothesis of the row at the cursor."""
        row = self.table.currentIndex().row()
        return self.model.rows[row] if 0 <= row < len(self.model.rows) else None

    def take(self, row: int) -> None:
        """Select a row."""
        self.table.setCurrentIndex(self.model.index(row, TEXT))

    def _go_to_table(self) -> None:
        """Focus the hypotheses below the field, as a search does with its passages."""
        if self.model.rows:
            self.table.setFocus(Qt.FocusReason.TabFocusReason)
            self.table.selectRow(max(0, self.table.currentIndex().row()))

    def fit_columns(self, width: int) -> None:
        """Set the share of the notes in the width of the screen."""
        narrow = width < theme.px(560)
        self.table.setColumnWidth(NOTE, max(theme.px(120), round(width * (0.24 if narrow else 0.3))))
        QTimer.singleShot(0, self, self.fit_rows)  # when the columns have their widths

    def fit_rows(self) -> None:
        """Make rows as high as their wrapped text, within reason: there are few, so each is measured."""
        metrics = QFontMetrics(theme.sans())
        for number, row in enumerate(self.model.rows):
            high = theme.row_height()
            for part, text in ((TEXT, row.text), (NOTE, row.note)):
                width = max(60, self.table.columnWidth(part) - 24)
                box = metrics.boundingRect(0, 0, width, 10_000, int(Qt.TextFlag.TextWordWrap), text)
                high = max(high, box.height() + 16 + theme.air())
            self.table.setRowHeight(number, min(high, theme.px(MAX_ROW_HEIGHT)))

    def _row_changed(self, index: QModelIndex, _before: QModelIndex) -> None:
        if index.isValid() and not self._quiet:
            self.row_chosen.emit(self.model.rows[index.row()])

    # --- advice ------------------------------------------------------------------------------------------------------

    def _advise(self) -> None:
        """Show in one line what the method asks for next, with a button if that is a hypothesis of a special kind."""
        bench = self._session.workbench
        declines = window_state.marks(bench.path, "declined") if bench is not None else set()
        kind = self._prompt_kind = self._state.missing_kind(declines)
        if kind:
            self.prompt_button.setText(f"Add a {kind} hypothesis")
        self.prompt_button.setAccessibleName(self.prompt_button.text())
        self.decline_button.setAccessibleName("This kind of hypothesis is not needed here")
        self.prompt_button.setVisible(bool(kind))
        self.decline_button.setVisible(bool(kind))
        advice = self._state.advice(kind)
        self.advice.setText(advice)
        self._advice_row.setVisible(bool(advice))

    def _decline(self) -> None:
        bench = self._session.workbench
        if bench is not None and self._prompt_kind:
            window_state.keep_mark(bench.path, "declined", self._prompt_kind)
            self._session.looked.emit(self._prompt_kind)
            self._advise()
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    # --- commands ----------------------------------------------------------------------------------------------------

    def begin(self, kind: str) -> None:
        """Make ready to write a hypothesis; one of a special kind starts with words to change."""
        self.kind_choice.setCurrentIndex(max(0, self.kind_choice.findData(kind)))
        start = STARTERS.get(kind, "")
        if start and not self.field.text().strip():
            self.field.setText(start)
            self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _add(self) -> None:
        text = " ".join(self.field.text().split())
        if not text:
            return
        kind = str(self.kind_choice.currentData() or "")
        hypothesis = self._session.do(lambda bench: bench.hypotheses.add(text, kind=kind), initiator=self._screen)
        if hypothesis is None:
            return  # what was typed stays in the field
        self.field.setText("")  # unlike clear(), leaves Ctrl+Z to the case: it takes back the hypothesis
        self.kind_choice.setCurrentIndex(0)
        self._session.tell(f"{hypothesis.id} added", undo=True)
        self.table.scrollToBottom()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _edit(self, hypothesis: str, text: str, note: str) -> None:
        column = self.table.currentIndex().column()
        row = self.table.currentIndex().row()
        result = self._session.do(
            lambda bench: bench.hypotheses.edit(hypothesis, text=text, note=note), initiator=self._screen
        )
        if result is None:
            # Refused: open the editor again with what was typed, so that nothing is lost.
            entry = text if column == TEXT else note
            QTimer.singleShot(0, self, lambda: self._edit_again(row, column, entry))

    def _edit_again(self, row: int, column: int, entry: str) -> None:
        index = self.model.index(row, column)
        self.table.setCurrentIndex(index)
        self.table.edit(index)
        editor = self.table.findChild(TextEditor)
        if editor is not None:
            editor.setPlainText(entry)

    def edit_current(self) -> None:
        """Edit the cell at the cursor, or the text of its row."""
        index = self.table.currentIndex()
        if index.isValid() and self.model.writable:
            column = index.column() if index.column() in (KIND, NOTE) else TEXT
            self.table.edit(index.siblingAtColumn(column))

    def edit_column(self, column: int) -> None:
        """Edit a cell of the selected row, or of the first one."""
        index = self.table.currentIndex()
        if not index.isValid() and self.model.rows:
            index = self.model.index(0, column)
        if index.isValid() and self.model.writable:
            self.table.setCurrentIndex(index.siblingAtColumn(column))
            self.table.edit(index.siblingAtColumn(column))

    def is_editing(self) -> bool:
        """Return whether a cell is being edited."""
        return self.table.state() == QAbstractItemView.State.EditingState

    def _mark(self, hypothesis: str, kind: str) -> None:
        self._session.do(lambda bench: bench.hypotheses.set_kind(hypothesis, kind), initiator=self._screen)

    def remove(self) -> None:
        """Remove the selected hypothesis, with its ratings."""
        hypothesis = self.in_hand()
        if hypothesis is None or not self.model.writable:
            return
        if self._session.do(lambda bench: bench.hypotheses.remove(hypothesis.id), initiator=self._screen) is not None:
            self._session.tell(f"{hypothesis.id} removed, with its ratings", undo=True)

    def _set_exclusive(self, checked: bool) -> None:
        done = self._session.do(
            lambda bench: bench.hypotheses.set_exclusive(EVERY if checked else ()), initiator=self._screen
        )
        if done is not None:
            words = "At most one hypothesis can be true" if checked else "Several hypotheses can be true together"
            self._session.tell(words, undo=True)

    def _set_priors(self, priors: dict[str, float] | None) -> None:
        if self._session.do(lambda bench: bench.hypotheses.set_priors(priors), initiator=self._screen) is not None:
            message = "Priors set" if priors else "All hypotheses count as equally probable"
            self._session.tell(message, undo=True)
