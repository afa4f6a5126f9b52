"""What came back of a damaged case, and what did not, as rows of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt

from core.recovery.service import KINDS, share
from core.text import counted
from gui_app.shared.labels import tooltip
from gui_app.shared.table_models import Index, Rows

if TYPE_CHECKING:
    from core.store.recovery_material import Loss

# Kinds of losses of which there is no count.
_NAMES = {
    "imported": "import history",
    "searched": "search history",
    "password": "passwords",
    "found_at": "places of files",
    "sketch": "near duplicates",
    "meta": "facts of the case",
    "model": "models",
    "case": "the case",
    "chunk": "passages",
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
        kind = KINDS[loss.kind][1] if loss.kind in KINDS else _NAMES.get(loss.kind, loss.kind.replace("_", " "))
        texts = (f"{kind[:1].upper()}{kind[1:]}", loss.place, loss.what)
        if role == Qt.ItemDataRole.DisplayRole:
            return texts[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(texts[index.column()])
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{texts[0]}, {loss.place}. {loss.what}"
        return None


def summary(counts: Mapping[str, tuple[int, int]]) -> str:
    """Say what came back, kind by kind: 'All 12 documents, 30 of 32 page texts'.

    Where documents are lost, how many pages they had may be lost too: then no number of page texts is called all.
    """
    parts = []
    documents, every_document = counts.get("document", (0, 0))
    for kind, (part, whole) in counts.items():
        if whole:
            is_all = "" if kind == "page" and documents < every_document else "all "
            parts.append(f"{is_all}{counted(whole, *KINDS[kind])}" if part == whole else share(kind, part, whole))
    text = ", ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else "Nothing."
