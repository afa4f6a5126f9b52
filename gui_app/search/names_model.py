"""The names of a case and those its documents suggest, as lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt

from core.domain import Entity
from gui_app.shared.formatting import counted
from gui_app.shared.table_models import ListRows

if TYPE_CHECKING:
    from core.entities.names import Candidate
    from core.entities.service import NameCount
    from core.entities.spellings import Spelling

Index = QModelIndex | QPersistentModelIndex

# What is said of a suggestion by what made it.
BY: dict[str, str] = {"form": "", "both": "by the model", "model": "only by the model"}
_SPELLED = {"form": "another form of {}", "script": "{} in another script", "short": "short for {}"}

# Keys that say what a name is, with the word the case keeps.
KINDS: dict[str, str] = {"P": "person", "O": "organisation", "L": "place", "T": "thing"}


@dataclass(frozen=True, slots=True)
class NameRow:
    """A name as a list shows it.

    ``kind`` is in words, ``figure`` how often it occurs, ``below`` has its other names, ``by`` says that a
    model suggests it.
    """

    name: str
    kind: str
    figure: str
    below: str
    description: str
    of: Any
    by: str = ""


def case_kind(kind: str) -> str:
    """Return the kind in the case for a kind by form: an address or a number is a thing."""
    return kind if kind in ("", "person", "organisation", "place", "thing") else "thing"


def of_entities(entities: Sequence[Entity], counts: Mapping[str, NameCount]) -> list[NameRow]:
    """Return rows for names of the case, in alphabetical order."""
    rows = []
    for entity in sorted(entities, key=lambda item: (item.name.casefold(), item.id)):
        count = counts.get(entity.id)
        figure = "" if count is None else f"{count.passages:,}"
        stands = (
            ""
            if count is None
            else f", in {counted(count.passages, 'passage')} of {counted(len(count.documents), 'document')}"
        )
        also = f", also {', '.join(entity.aliases)}" if entity.aliases else ""
        description = f"{entity.name}{f', {entity.kind}' if entity.kind else ''}{also}{stands}"
        rows.append(NameRow(entity.name, entity.kind, figure, ", ".join(entity.aliases), description, entity))
    return rows


def of_candidates(candidates: Sequence[Candidate]) -> list[NameRow]:
    """Return rows for suggested names, as they come: those in most documents first."""
    rows = []
    for candidate in candidates:
        often = counted(candidate.passages, "passage") if candidate.passages else f"{candidate.mentions:,} times"
        places = f"{often} in {counted(candidate.documents, 'document')}"
        by = BY[candidate.by]
        kind = f", perhaps {candidate.kind}" if candidate.kind else ""
        description = f"{candidate.name}{kind}, {places}{f', suggested {by}' if by else ''}"
        figure = f"{candidate.passages or candidate.mentions:,} in {candidate.documents:,}"
        rows.append(
            NameRow(candidate.name, candidate.kind, figure, ", ".join(candidate.spellings), description, candidate, by)
        )
    return rows


def of_spellings(spellings: Sequence[Spelling], names: Mapping[str, Entity]) -> list[NameRow]:
    """Return rows for other spellings of the names of the case, as they come: by name, those in most passages first."""
    from core.entities.names import Candidate  # loaded with the case

    rows = []
    for spelling in spellings:
        below = _SPELLED[spelling.kind].format(names[spelling.entity].name)
        below = f"{below}: {'; '.join(spelling.others)}" if spelling.others else below
        places = f"{counted(spelling.passages, 'passage')} in {counted(spelling.documents, 'document')}"
        candidate = Candidate(
            *(spelling.text, "", spelling.passages, spelling.documents, spelling.others), passages=spelling.passages
        )
        figure = f"{spelling.passages:,} in {spelling.documents:,}"
        rows.append(NameRow(spelling.text, "", figure, below, f"{spelling.text}, {below}, {places}", candidate))
    return rows


def fitting(rows: Sequence[NameRow], words: str) -> list[NameRow]:
    """List the rows whose names, kind or maker have every word."""
    terms = words.casefold().split()
    if not terms:
        return list(rows)
    return [row for row in rows if all(w in f"{row.name} {row.below} {row.kind} {row.by}".casefold() for w in terms)]


class NamesModel(ListRows):
    """One row a name. UserRole gives the NameRow."""

    def role_data(self, row: NameRow, index: int, role: int) -> Any:
        """Return the data of a row for a role."""
        if role == Qt.ItemDataRole.DisplayRole:
            return row.name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row.description
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.description if "<" not in row.description else None
        return None
