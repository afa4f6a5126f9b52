"""The matrix as rows of small codes, fit to be painted, sorted and filtered quickly, and as a table for screen readers.

A cell is one byte: 0 empty, 1 to 6 what a person rated (in the order CC C N I II NA), 7 to 12 what the machine
suggests.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from core.domain import RATINGS, Assessment, Evidence, Hypothesis, Matrix, Rating, Suggestion
from gui_app.models.queue import number
from gui_app.words import RATING_WORDS

SUGGESTED = len(RATINGS)
CODE: dict[Rating, int] = {rating: at for at, rating in enumerate(RATINGS, start=1)}
# What the flags of a row say: it does not help to choose between the hypotheses.
DULL = frozenset({"all_NA", "all_C", "all_N", "all_I", "uniform"})
SORTS = ("id", "diagnosticity", "unrated")

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class GridRow:
    """One piece of evidence as it stands in the grid; ``cells`` has one code a hypothesis."""

    item: Evidence
    text: str
    place: str
    cells: bytes
    diagnosticity: float | None
    dull: bool

    @property
    def id(self) -> str:
        return self.item.id

    def unrated(self) -> int:
        """Cells that no person has rated."""
        return sum(1 for code in self.cells if code == 0 or code > SUGGESTED)


def rating_of(code: int) -> Rating | None:
    """The rating behind a code, suggested or decided; None for an empty cell."""
    return RATINGS[(code - 1) % SUGGESTED] if code else None


def with_cell(row: GridRow, column: int, rating: Rating | None) -> GridRow:
    """The row with one cell rated by a person, or cleared."""
    cells = bytearray(row.cells)
    cells[column] = CODE[rating] if rating is not None else 0
    return replace(row, cells=bytes(cells))


def is_decided(code: int) -> bool:
    return 0 < code <= SUGGESTED


def build(
    hypotheses: Sequence[Hypothesis],
    evidence: Iterable[Evidence],
    assessments: Iterable[Assessment],
    suggestions: Iterable[Suggestion],
    matrix: Matrix,
) -> list[GridRow]:
    """The rows in the order of their ids. A person's rating hides the machine's suggestion for that cell."""
    column = {hypothesis.id: at for at, hypothesis in enumerate(hypotheses)}
    items = list(evidence)
    cells = {item.id: bytearray(len(column)) for item in items}
    for suggestion in suggestions:
        if suggestion.evidence in cells and suggestion.hypothesis in column:
            cells[suggestion.evidence][column[suggestion.hypothesis]] = CODE[suggestion.rating] + SUGGESTED
    for assessment in assessments:
        if assessment.evidence in cells and assessment.hypothesis in column:
            cells[assessment.evidence][column[assessment.hypothesis]] = CODE[assessment.rating]
    scored = {row.id: row for row in matrix.rows}
    rows = []
    for item in items:
        row = scored.get(item.id)
        place = item.source
        if item.page is not None:
            place = f"{item.source}, p. {item.page}" if item.source else f"p. {item.page}"
        rows.append(
            GridRow(
                item,
                " ".join((item.quote or item.text).split()),
                " ".join(place.split()),
                bytes(cells[item.id]),
                row.diagnosticity if row else None,
                bool(row and DULL.intersection(row.flags)),
            )
        )
    rows.sort(key=lambda row: number(row.id))
    return rows


def arranged(rows: Sequence[GridRow], *, sort: str, wanted: str) -> list[GridRow]:
    """The rows that hold every word of ``wanted``, in the chosen order; ties by id."""
    words = wanted.casefold().split()
    kept = [row for row in rows if all(word in f"{row.id} {row.text} {row.place}".casefold() for word in words)]
    if sort == "diagnosticity":
        kept.sort(key=lambda row: (-(row.diagnosticity if row.diagnosticity is not None else -1.0), number(row.id)))
    elif sort == "unrated":
        kept.sort(key=lambda row: (-row.unrated(), number(row.id)))
    return kept


def spoken(row: GridRow, hypothesis: str, code: int) -> str:
    """A cell for a screen reader: 'Evidence E2, hypothesis H1: inconsistent, confirmed by you'."""
    rating = rating_of(code)
    if rating is None:
        said = "not rated"
    elif is_decided(code):
        said = f"{RATING_WORDS[rating]}, confirmed by you"
    else:
        said = f"{RATING_WORDS[rating]}, suggested by the model, not confirmed"
    return f"Evidence {row.id}, hypothesis {hypothesis}: {said}"


class MatrixTable(QAbstractTableModel):
    """The same rows as a plain table: what a screen reader walks through, cell by cell."""

    FIRST = ("Evidence", "Text", "Source", "Credibility", "Relevance")

    def __init__(self) -> None:
        super().__init__()
        self.hypotheses: list[str] = []
        self.rows: list[GridRow] = []

    def show(self, hypotheses: Sequence[str], rows: Sequence[GridRow]) -> None:
        self.beginResetModel()
        self.hypotheses, self.rows = list(hypotheses), list(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.FIRST) + len(self.hypotheses) + 1

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Vertical:
            return self.rows[section].id
        return (*self.FIRST, *self.hypotheses, "Diagnosticity")[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        row = self.rows[index.row()]
        at = index.column() - len(self.FIRST)
        if 0 <= at < len(self.hypotheses):
            code = row.cells[at]
            if role == Qt.ItemDataRole.AccessibleTextRole:
                return spoken(row, self.hypotheses[at], code)
            rating = rating_of(code)
            return "" if rating is None else (rating if is_decided(code) else f"{rating}?")
        told = (row.id, row.text, row.place, row.item.credibility or "", row.item.relevance or "")
        if at < 0:
            value = told[index.column()]
            if role == Qt.ItemDataRole.AccessibleTextRole:
                return f"Evidence {row.id}, {self.FIRST[index.column()].lower()}: {value or 'not given'}"
            return value
        figure = "" if row.diagnosticity is None else f"{row.diagnosticity:.2f}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"Evidence {row.id}, diagnosticity: {figure or 'not known yet'}"
        return figure


def as_line(row: GridRow) -> str:
    """The row for the clipboard, tab-separated; a cell that a spreadsheet would run as a formula starts with an
    apostrophe."""
    ratings = [(rating_of(code) or "") if is_decided(code) else "" for code in row.cells]
    cells = [row.id, row.text, row.place, row.item.credibility or "", row.item.relevance or "", *ratings]
    return "\t".join(f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell for cell in cells)
