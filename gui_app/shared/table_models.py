"""What every table and every list of rows has: how many there are, and of a table what is above them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from gui_app.shared.row_painting import LEFT, RIGHT

Index = QModelIndex | QPersistentModelIndex
if TYPE_CHECKING:
    _Model = QAbstractItemModel
else:
    _Model = object


class _RowStore(_Model):
    """One value a row, all shown again at once. Set before the kind of model: Qt takes one of its own classes alone."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[Any] = []

    def show(self, rows: Sequence[Any]) -> None:
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.rows)


class ListRows(_RowStore, QAbstractListModel):
    """One value a row. A list says with ``role_data`` what each role is of a row; UserRole gives the value itself."""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the value of a row, or what a role is of it."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        return row if role == Qt.ItemDataRole.UserRole else self.role_data(row, index.row(), role)

    def role_data(self, row: Any, index: int, role: int) -> Any:
        """Return what a role is of row ``index``; None if it is nothing."""
        raise NotImplementedError


class Rows(_RowStore, QAbstractTableModel):
    """One value a row. A table has ``COLUMNS``, some with ``NUMBERS``; ``cell_data`` says what a role is of a cell."""

    COLUMNS: tuple[str, ...] = ()
    NUMBERS: tuple[int, ...] = ()  # columns set to the right

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the value of a row, or what a role is of a cell."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in self.NUMBERS:
            return RIGHT
        return row if role == Qt.ItemDataRole.UserRole else self.cell_data(row, index, role)

    def cell_data(self, row: Any, index: Index, role: int) -> Any:
        """Return what a role is of the cell of ``row`` at ``index``; None for nothing."""
        raise NotImplementedError

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return how many columns there are."""
        return 0 if parent.isValid() else len(self.COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what is above a column, and to which side."""
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return self.COLUMNS[section]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return RIGHT if section in self.NUMBERS else LEFT
        return None
