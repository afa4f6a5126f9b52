"""What came back of a damaged case, and what did not, as rows of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
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
    "suggestion": "suggested ratings",
    "found_at": "places of files",
    "sketch": "near duplicates",
    "meta": "facts of the case",
    "model": "models",
    "case": "the case",
    "chunk": "passages",
}


# Kinds each of which a person looks at alone, however many are lost.
_APART = ("document", "original", "page", "hypothesis", "evidence")
_MOST = 3  # of another kind that have a row each
_MOST_PLACES = 100  # in a tool tip


@dataclass(frozen=True, slots=True)
class LossRow:
    """One loss, or many of a kind of which the same became."""

    kind: str
    places: tuple[str, ...]
    what: str

    @property
    def which(self) -> str:
        """The place of the loss; of many, how many there are and the first of them."""
        if len(self.places) == 1:
            return self.places[0]
        return f"{len(self.places):,}: {', '.join(self.places[:_MOST])}, …"


def loss_rows(losses: Sequence[Loss]) -> list[LossRow]:
    """Put many losses of a kind of which the same became into one row."""
    rows: list[LossRow] = []
    for (kind, what), group in groupby(losses, key=lambda loss: (loss.kind, loss.what)):
        places = tuple(loss.place for loss in group)
        if kind in _APART or len(places) <= _MOST:
            rows += [LossRow(kind, (place,), what) for place in places]
        else:
            rows.append(LossRow(kind, places, what))
    return rows


class LossesModel(Rows):
    """The losses: what kind of thing, which one, and what became of it; many ratings and the like are one row."""

    rows: list[LossRow]
    COLUMNS = ("Kind", "Which", "What became of it")

    def cell_data(self, loss: LossRow, index: Index, role: int) -> Any:
        """Return what a cell shows, or says of the whole row."""
        kind = KINDS[loss.kind][1] if loss.kind in KINDS else _NAMES.get(loss.kind, loss.kind.replace("_", " "))
        texts = (f"{kind[:1].upper()}{kind[1:]}", loss.which, loss.what)
        if role == Qt.ItemDataRole.DisplayRole:
            return texts[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            places = ", ".join(loss.places[:_MOST_PLACES])
            return tooltip(places if index.column() == 1 else texts[index.column()])
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{texts[0]}, {loss.which}. {loss.what}"
        return None


def summary(counts: Mapping[str, tuple[int, int]]) -> str:
    """Return what came back, kind by kind: 'All 12 documents, 30 of 32 page texts'.

    Where documents are lost, how many pages they had may be lost too: then no number of page texts is called all.
    """
    parts = []
    documents, every_document = counts.get("document", (0, 0))
    for kind, (part, total) in counts.items():
        if total:
            is_all = "" if kind == "page" and documents < every_document else "all "
            parts.append(f"{is_all}{counted(total, *KINDS[kind])}" if part == total else share(kind, part, total))
    text = ", ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else "Nothing."
