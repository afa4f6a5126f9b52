"""Passages that answer a query, as a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.domain import Passage

Index = QModelIndex | QPersistentModelIndex


class PassagesModel(QAbstractListModel):
    """One row a passage, best first. UserRole gives the Passage."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[Passage] = []

    def show(self, rows: Sequence[Passage]) -> None:
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{row.rank}. {row.name}, page {row.page}, confidence {row.confidence}: {row.text}"
        if role == Qt.ItemDataRole.UserRole:
            return row
        return None
