"""The language models of this computer as a list, with what a glance should tell of each."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt

from core.runtime.roles import ROLE_NAMES, ModelStatus
from gui_app.shared.table_models import ListRows

Index = QModelIndex | QPersistentModelIndex


class ModelList(ListRows):
    """The language models, by name."""

    rows: list[ModelStatus]

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)

    def role_data(self, row: ModelStatus, _at: int, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return row.model.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return str(row.model.path)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{row.model.name}, {used_for(row)}, {exam_word(row)}"
        return None


def used_for(row: ModelStatus) -> str:
    """Return what a model is used for."""
    return ", ".join(ROLE_NAMES[role] for role in row.roles) or "not used"


def exam_word(row: ModelStatus, *, short: bool = False) -> str:
    """Return in a few words what is behind its verdicts, for a list in fewer."""
    if row.problem:
        return "cannot be used"
    if row.result is None:
        return "not examined"
    figure = f"{row.result.statements.value:.0%} right" if short else row.result.short()
    return figure if row.result.passed else f"{figure}, may not judge"
