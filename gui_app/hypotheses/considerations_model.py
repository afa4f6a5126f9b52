"""What is kept in mind beside the matrix, as a table: assumptions, a premortem, indicators, what a merge left open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from core.domain import Consideration
from gui_app.shared import theme
from gui_app.shared.formatting import counted, when
from gui_app.shared.labels import tooltip
from gui_app.shared.table_models import Index, Rows


class ConsiderationsModel(Rows):
    """One row each. ``edited(id, field, value)`` asks for a change; the check box is whether it is done.

    ``new`` counts, by id, the documents that an indicator flags.
    """

    edited = Signal(str, str, str)
    TEXT, QUERY, ABOUT, NEW, BY = range(5)
    _FIELDS = {TEXT: "text", QUERY: "query", ABOUT: "hypothesis"}  # noqa: RUF012 - never changed

    def __init__(self, title: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.COLUMNS = (title, "Search", "About", "New", "By")
        self.new: dict[str, int] = {}
        self.writable = True

    def show(self, rows: Sequence[Consideration], new: Mapping[str, int] | None = None) -> None:
        """Show these rows; ``new`` counts the documents that an indicator flags, by its id."""
        self.new = dict(new or {})
        super().show(rows)

    def count_new(self, new: Mapping[str, int]) -> None:
        """Show other counts for the same rows."""
        self.new = dict(new)
        if self.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, self.BY))

    def row_of(self, consideration: str) -> int:
        """Return the row of a consideration, -1 for none."""
        return next((number for number, row in enumerate(self.rows) if row.id == consideration), -1)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let text, search and what it is about be edited, and the text be ticked off."""
        item_flags = super().flags(index)
        if index.isValid() and self.writable:
            if index.column() in self._FIELDS:
                item_flags |= Qt.ItemFlag.ItemIsEditable
            if index.column() == self.TEXT:
                item_flags |= Qt.ItemFlag.ItemIsUserCheckable
        return item_flags

    def cell_data(self, row: Consideration, index: Index, role: int) -> Any:
        """Return what a role is of a cell."""
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column)
        if role == Qt.ItemDataRole.EditRole:
            return {self.TEXT: row.text, self.QUERY: row.query, self.ABOUT: row.hypothesis}.get(column, "")
        if role == Qt.ItemDataRole.CheckStateRole and column == self.TEXT:
            return Qt.CheckState.Checked if row.status == "done" else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.AccessibleTextRole:
            state = (", done" if row.status == "done" else ", open") if column == self.TEXT else ""
            return f"{self.COLUMNS[column]}: {self._text(row, column) or 'empty'}{state}"
        if role == Qt.ItemDataRole.ToolTipRole and column in (self.TEXT, self.QUERY):
            return tooltip(self._text(row, column)[:2_000])
        if role == Qt.ItemDataRole.FontRole and column == self.NEW and self.new.get(row.id):
            return theme.sans(bold=True)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for a change of a cell or of its check box."""
        if not index.isValid() or not self.writable:
            return False
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.CheckStateRole:
            is_done = value in (Qt.CheckState.Checked, Qt.CheckState.Checked.value)
            self.edited.emit(row.id, "status", "done" if is_done else "open")
            return True
        field = self._FIELDS.get(index.column())
        if role != Qt.ItemDataRole.EditRole or field is None:
            return False
        text = " ".join(str(value or "").split())
        if text == getattr(row, field):
            return False
        self.edited.emit(row.id, field, text)
        return True

    def _text(self, row: Consideration, column: int) -> str:
        if column == self.TEXT:
            return row.text
        if column == self.QUERY:
            return row.query
        if column == self.ABOUT:
            return row.hypothesis or "the case"
        if column == self.NEW:
            number = self.new.get(row.id, 0)
            return counted(number, "document") if number else "–"
        return f"{row.by}, {when(row.at)[:10]}" if row.by else when(row.at)[:10]
