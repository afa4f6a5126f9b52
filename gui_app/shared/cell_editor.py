"""Edit a cell of a table in place: several lines of text, or one of a few choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QComboBox,
    QPlainTextEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui_app.session import CaseSession
from gui_app.shared.field_draft import FieldDraft

Index = QModelIndex | QPersistentModelIndex


class TextEditor(QPlainTextEdit):
    """A field of several lines: Enter keeps, Escape drops, Shift+Enter breaks the line."""

    kept = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take Enter as the end of typing."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.kept.emit()
            return
        super().keyPressEvent(event)


class TextDelegate(QStyledItemDelegate):
    """Cells whose text wraps and is edited in place.

    The editor is named after the column and the row's first cell; what is typed in it is kept while it is typed.
    """

    def __init__(self, session: CaseSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """Open a field of several lines in the cell."""
        editor = TextEditor(parent)
        editor.setTabChangesFocus(True)
        editor.setAccessibleName(_accessible_name(index))
        editor.kept.connect(lambda: self._keep(editor))
        draft = FieldDraft(self._session, editor)
        self.closeEditor.connect(lambda field, _hint=None: draft.end() if field is editor else None)
        return editor

    def _keep(self, editor: QWidget) -> None:
        _commit(self, editor)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Put the cell's text into the field, unless something was typed."""
        if isinstance(editor, QPlainTextEdit) and not editor.toPlainText():
            editor.setPlainText(str(index.data(Qt.ItemDataRole.EditRole)))
            editor.selectAll()
            for draft in editor.findChildren(FieldDraft):
                draft.begin(editor.accessibleName())

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Hand what was typed to the model."""
        if isinstance(editor, QPlainTextEdit):
            model.setData(index, editor.toPlainText())

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        """Let the field fill the cell."""
        editor.setGeometry(option.rect)

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Leave Enter to the field."""
        # The default filter would take Enter for itself in a way that leaves a text editor open.
        if isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return False
        return super().eventFilter(editor, event)


class _Choice(QComboBox):
    """A list of choices that says when it closes, by a choice or by Escape."""

    closed = Signal()

    def showPopup(self) -> None:
        super().showPopup()
        self.view().window().installEventFilter(self)

    def eventFilter(self, source: QObject, event: QEvent) -> bool:
        # Not in hidePopup: Escape closes the list without asking it.
        if event.type() == QEvent.Type.Hide:
            self.closed.emit()
        return super().eventFilter(source, event)


class ChoiceDelegate(QStyledItemDelegate):
    """Cells that are edited by choosing: ``choices()`` gives (value, words) when the list opens."""

    def __init__(self, choices: Callable[[], Sequence[tuple[str, str]]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._choices = choices

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """Open the list of choices in the cell."""
        editor = _Choice(parent)
        for value, words in self._choices():
            editor.addItem(words, value)
        editor.setAccessibleName(_accessible_name(index))
        editor.closed.connect(lambda: self._keep(editor), Qt.ConnectionType.QueuedConnection)
        QTimer.singleShot(0, editor, editor.showPopup)
        return editor

    def _keep(self, editor: QWidget) -> None:
        _commit(self, editor)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Select what the cell holds."""
        if isinstance(editor, QComboBox):
            editor.setCurrentIndex(max(0, editor.findData(index.data(Qt.ItemDataRole.EditRole))))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Hand the value that was chosen to the model."""
        if isinstance(editor, QComboBox):
            model.setData(index, editor.currentData())

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        """Put the list in the middle of the cell, as high as it needs to be."""
        rect = option.rect
        high = min(rect.height(), editor.sizeHint().height())
        rect.setTop(rect.top() + (rect.height() - high) // 2)
        rect.setHeight(high)
        editor.setGeometry(rect)


def _commit(delegate: QStyledItemDelegate, editor: QWidget) -> None:
    """Take over what the editor holds and go back to the table; what was changed may have put new rows there."""
    delegate.commitData.emit(editor)
    delegate.closeEditor.emit(editor, QAbstractItemDelegate.EndEditHint.NoHint)
    table = delegate.parent()
    if isinstance(table, QAbstractItemView):
        QTimer.singleShot(0, table, lambda: None if table.state() == table.State.EditingState else table.setFocus())


def _accessible_name(index: Index) -> str:
    column = index.model().headerData(index.column(), Qt.Orientation.Horizontal)
    return f"{column} of {index.sibling(index.row(), 0).data()}"
