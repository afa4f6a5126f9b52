"""What came back of a damaged case, and what did not, as rows of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt

from gui_app.shared.labels import tooltip
from gui_app.shared.table_models import Index, Rows

if TYPE_CHECKING:
    from core.store.recovery_material import Loss

KINDS = {
    "original": "Original files",
    "page": "Page texts",
    "document": "Documents",
    "hypothesis": "Hypotheses",
    "evidence": "Rows of evidence",
    "rating": "Ratings",
    "proposal": "Proposals",
    "consideration": "Notes",
    "vector": "Vectors",
    "verdict": "Verdicts of models",
    "log": "Log entries",
    "imported": "Import history",
    "searched": "Search history",
    "password": "Passwords",
    "found_at": "Places of files",
    "sketch": "Near duplicates",
    "meta": "Facts of the case",
    "model": "Models",
}


class LossesModel(Rows):
    """One row a loss: what kind of thing, which one, and what became of it."""

    rows: list[Loss]
    COLUMNS = ("Kind", "Which", "What became of it")

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows, or says of the whole row."""
        if not index.isValid():
            return None
        loss = self.rows[index.row()]
        texts = (KINDS.get(loss.kind, loss.kind), loss.where, loss.what)
        if role == Qt.ItemDataRole.DisplayRole:
            return texts[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(texts[index.column()])
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{texts[0]}, {loss.where}: {loss.what}"
        return None


def summary(counts: Mapping[str, tuple[int, int]]) -> str:
    """Say what came back, kind by kind: 'All 12 documents, 30 of 32 page texts'."""
    parts = []
    for kind, (part, whole) in counts.items():
        if whole:
            name = KINDS[kind].lower()
            parts.append(f"all {whole:,} {name}" if part == whole else f"{part:,} of {whole:,} {name}")
    text = ", ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else "Nothing."
