"""The rival hypotheses: add, reword, annotate and remove them in place, by keyboard alone if one likes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from core.domain import Changes, Hypothesis
from gui_app import look
from gui_app.models.documents import Index
from gui_app.screens.screen import Screen
from gui_app.session import CaseSession
from gui_app.widgets.empty_state import EmptyState
from gui_app.widgets.header import Header
from gui_app.widgets.labels import line, plain
from gui_app.widgets.table import Table
from gui_app.words import counted

ID, TEXT, NOTE = range(3)


class HypothesesModel(QAbstractTableModel):
    """One row a hypothesis; text and note can be edited. ``edited`` asks for the change."""

    edited = Signal(str, str, str)
    COLUMNS = ("", "Hypothesis", "Note")

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[Hypothesis] = []
        self.writable = True

    def show(self, rows: Sequence[Hypothesis]) -> None:
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 3

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return self.COLUMNS[section]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        found = super().flags(index)
        if index.isValid() and index.column() != ID and self.writable:
            found |= Qt.ItemFlag.ItemIsEditable
        return found

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        text = (row.id, row.text, row.note)[index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{row.id}, {self.COLUMNS[index.column()] or 'letter'}: {text or 'empty'}"
        if role == Qt.ItemDataRole.FontRole and index.column() == ID:
            return look.sans(look.BODY, bold=True)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        row = self.rows[index.row()]
        typed = " ".join(str(value).split()) if index.column() == TEXT else str(value).strip()
        text, note = (typed, row.note) if index.column() == TEXT else (row.text, typed)
        if (text, note) == (row.text, row.note):
            return False
        self.edited.emit(row.id, text, note)
        return True


class _Editor(QPlainTextEdit):
    """Several lines to type in: Enter keeps, Escape drops, Shift+Enter breaks the line."""

    kept = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.kept.emit()
            return
        super().keyPressEvent(event)


class _TextDelegate(QStyledItemDelegate):
    """Wraps text and edits it in place."""

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = _Editor(parent)
        editor.setTabChangesFocus(True)
        editor.setAccessibleName(
            f"{HypothesesModel.COLUMNS[index.column()]} of {index.sibling(index.row(), ID).data()}"
        )
        editor.kept.connect(lambda: self._keep(editor))
        return editor

    def _keep(self, editor: QWidget) -> None:
        self.commitData.emit(editor)
        self.closeEditor.emit(editor, QAbstractItemDelegate.EndEditHint.NoHint)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, QPlainTextEdit) and not editor.toPlainText():
            editor.setPlainText(str(index.data(Qt.ItemDataRole.EditRole)))
            editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QPlainTextEdit):
            model.setData(index, editor.toPlainText())

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        editor.setGeometry(option.rect)

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        # The default filter would take Enter for itself in a way that leaves a text editor open.
        if isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return False
        return super().eventFilter(editor, event)


class HypothesesScreen(Screen):
    """A field to add, a table to edit."""

    name = "Hypotheses"
    icon = "hypotheses"
    concerns = Changes(hypotheses=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._quiet = False  # while the rows are put back, no row is chosen by the person
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.header = Header("Hypotheses")
        column.addWidget(self.header)
        add = QHBoxLayout()
        add.setContentsMargins(24, 0, 24, 8)
        add.setSpacing(8)
        self.field = QLineEdit()
        self.field.setPlaceholderText("A possible explanation, as one statement that could be false")
        self.field.setAccessibleName("New hypothesis")
        self.field.returnPressed.connect(self._add)
        add.addWidget(self.field, 1)
        self.add_button = QPushButton("Add")
        self.add_button.setProperty("kind", "primary")
        self.add_button.setAccessibleName("Add the hypothesis")
        self.add_button.setEnabled(False)
        self.add_button.clicked.connect(self._add)
        add.addWidget(self.add_button)
        self.field.textChanged.connect(lambda text: self.add_button.setEnabled(bool(text.strip())))
        column.addLayout(add)
        self.advice = plain("", "muted", wrap=True)
        self.advice.setContentsMargins(24, 0, 24, 12)
        column.addWidget(self.advice)
        column.addWidget(line())

        self.model = HypothesesModel(self)
        self.model.edited.connect(self._edit)
        self.table = Table(self.model, "Hypotheses of the case")
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setTabKeyNavigation(False)
        self.table.setWordWrap(True)
        self.table.setItemDelegate(_TextDelegate(self.table))
        self.table.setColumnWidth(ID, look.px(56))
        for part, mode in ((TEXT, QHeaderView.ResizeMode.Stretch), (NOTE, QHeaderView.ResizeMode.Interactive)):
            self.table.horizontalHeader().setSectionResizeMode(part, mode)
        self.table.setColumnWidth(NOTE, look.px(240))
        self.table.selectionModel().currentRowChanged.connect(self._row_changed)
        self.table.opened = self._edit_current
        self.empty = EmptyState(
            "hypotheses",
            "Name at least two rival explanations, among them one you would rather not be true.",
            "Write the first one",
            lambda: self.field.setFocus(Qt.FocusReason.OtherFocusReason),
        )
        self.pages = QStackedWidget()
        self.pages.addWidget(self.table)
        self.pages.addWidget(self.empty)
        column.addWidget(self.pages, 1)
        self.setFocusProxy(self.field)

        self.command("New hypothesis", "Ctrl+Shift+N", lambda: self.field.setFocus(Qt.FocusReason.ShortcutFocusReason))
        self.edit_action = self.command("Reword the hypothesis", "F2", self._edit_current, shown_keys="Enter")
        self.note_action = self.command("Write a note to the hypothesis", "Ctrl+Return", self._edit_note)
        self.remove_action = self.command("Remove the hypothesis", "Del", self._remove)
        self.remove_action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self.table.addAction(self.remove_action)
        session.opened.connect(self._opened)

    # --- showing -----------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        hypotheses = self.session.do(lambda bench: bench.hypotheses())
        if hypotheses is None:
            return
        kept = self.table.currentIndex()
        self._quiet = True
        self.model.writable = not self.session.read_only
        self.model.show(hypotheses)
        for part in (self.field, self.empty.button):
            part.setEnabled(self.model.writable)
        for action in (self.edit_action, self.note_action, self.remove_action):
            action.setEnabled(self.model.writable and bool(hypotheses))
        if kept.isValid() and kept.row() < len(hypotheses):
            self.table.setCurrentIndex(self.model.index(kept.row(), kept.column()))
        self._quiet = False
        self.pages.setCurrentIndex(0 if hypotheses else 1)
        self.header.count.setText(counted(len(hypotheses), "hypothesis", "hypotheses") if hypotheses else "")
        self.advice.setText(_advice(len(hypotheses)))
        self.advice.setVisible(bool(self.advice.text()))
        self._fit_rows()

    def state(self) -> Any:
        return self.table.currentIndex().row()

    def restore(self, state: Any) -> None:
        if 0 <= state < len(self.model.rows):
            self.table.setCurrentIndex(self.model.index(state, TEXT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.table.setColumnWidth(NOTE, max(look.px(140), round(self.width() * 0.32)))
        self._fit_rows()

    def _fit_rows(self) -> None:
        """Rows as high as their wrapped text: there are few, so each is measured."""
        metrics = QFontMetrics(look.sans())
        for at, row in enumerate(self.model.rows):
            high = look.px(40)
            for part, text in ((TEXT, row.text), (NOTE, row.note)):
                width = max(60, self.table.columnWidth(part) - 24)
                box = metrics.boundingRect(0, 0, width, 10_000, int(Qt.TextFlag.TextWordWrap), text)
                high = max(high, box.height() + 20)
            self.table.setRowHeight(at, high)

    def _opened(self) -> None:
        self.field.clear()
        self.model.show([])
        self._dirty = True

    def _row_changed(self, index: QModelIndex, _before: QModelIndex) -> None:
        if index.isValid() and not self._quiet:
            self.selected.emit(self.model.rows[index.row()])

    # --- commands ----------------------------------------------------------------------------------------------------

    def _add(self) -> None:
        text = " ".join(self.field.text().split())
        if not text:
            return
        added = self.session.do(lambda bench: bench.add_hypothesis(text), initiator=self)
        if added is None:
            return  # what was typed stays in the field
        self.field.clear()
        self.session.tell(f"{added.id} added", undo=True)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _edit(self, hypothesis: str, text: str, note: str) -> None:
        column = self.table.currentIndex().column()
        at = self.table.currentIndex().row()
        done = self.session.do(lambda bench: bench.edit_hypothesis(hypothesis, text=text, note=note), initiator=self)
        if done is None:
            # Refused: open the editor again with what was typed, so that nothing is lost.
            typed = text if column == TEXT else note
            QTimer.singleShot(0, self, lambda: self._edit_again(at, column, typed))

    def _edit_again(self, row: int, column: int, typed: str) -> None:
        index = self.model.index(row, column)
        self.table.setCurrentIndex(index)
        self.table.edit(index)
        editor = self.table.findChild(_Editor)
        if editor is not None:
            editor.setPlainText(typed)

    def _edit_current(self) -> None:
        index = self.table.currentIndex()
        if index.isValid() and self.model.writable:
            self.table.edit(index.siblingAtColumn(NOTE if index.column() == NOTE else TEXT))

    def _edit_note(self) -> None:
        index = self.table.currentIndex()
        if index.isValid() and self.model.writable:
            self.table.setCurrentIndex(index.siblingAtColumn(NOTE))
            self.table.edit(index.siblingAtColumn(NOTE))

    def _remove(self) -> None:
        index = self.table.currentIndex()
        if not index.isValid() or not self.model.writable:
            return
        hypothesis = self.model.rows[index.row()]
        if self.session.do(lambda bench: bench.remove_hypothesis(hypothesis.id), initiator=self) is not None:
            self.session.tell(f"{hypothesis.id} removed, with its ratings", undo=True)

    def sizeHint(self) -> QSize:
        return QSize(720, 480)


def _advice(number: int) -> str:
    """What helps at this point: the method needs rivals."""
    if number == 0:
        return ""
    if number == 1:
        return "One hypothesis cannot be compared: add a rival that would explain the same facts."
    if number > 7:
        return "More than seven hypotheses are hard to keep apart: merge those that no evidence could separate."
    return "Good rivals exclude each other. Ask of each: what would I expect to find if it were false?"
