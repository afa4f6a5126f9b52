"""The hypotheses of a case as a table."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from core.domain import Hypothesis
from gui_app.shared import theme
from gui_app.shared.labels import tooltip
from gui_app.shared.table_models import Index, Rows

ID, TEXT, KIND, PRIOR, NOTE = range(5)
KINDS = {"": "Rival", "null": "Null", "deception": "Deception"}


class HypothesesModel(Rows):
    """One row a hypothesis; text, kind and note can be edited. ``edited`` asks for another text or note."""

    edited = Signal(str, str, str)
    marked = Signal(str, str)
    COLUMNS = ("", "Hypothesis", "Kind", "Prior", "Note")
    NUMBERS = (PRIOR,)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.writable = True

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let text, kind and note be edited while the case can be changed."""
        item_flags = super().flags(index)
        if index.isValid() and index.column() in (TEXT, KIND, NOTE) and self.writable:
            item_flags |= Qt.ItemFlag.ItemIsEditable
        return item_flags

    def cell_data(self, row: Hypothesis, index: Index, role: int) -> Any:
        """Return what a role is of a cell."""
        if role == Qt.ItemDataRole.DisplayRole:
            return _cells(row)[index.column()]
        if role == Qt.ItemDataRole.EditRole:
            return row.kind if index.column() == KIND else _cells(row)[index.column()]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            text = _cells(row)[index.column()]
            return f"{row.id}, {self.COLUMNS[index.column()] or 'letter'}: {text or 'empty'}"
        if role == Qt.ItemDataRole.ToolTipRole and index.column() in (TEXT, NOTE):
            return tooltip(_cells(row)[index.column()][:2_000])
        if role == Qt.ItemDataRole.FontRole and index.column() == ID:
            return theme.sans(theme.BODY, bold=True)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for another text, note or kind."""
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        row = self.rows[index.row()]
        if index.column() == KIND:
            if value is None or str(value) == row.kind:
                return False
            self.marked.emit(row.id, str(value))
            return True
        entry = " ".join(str(value).split()) if index.column() == TEXT else str(value).strip()
        text, note = (entry, row.note) if index.column() == TEXT else (row.text, entry)
        if (text, note) == (row.text, row.note):
            return False
        self.edited.emit(row.id, text, note)
        return True


def _cells(row: Hypothesis) -> tuple[str, ...]:
    kind = KINDS.get(row.kind, row.kind)
    prior = "" if row.prior is None else f"{100 * row.prior:.1f}%"
    return row.id, row.text, kind, prior, row.note
