"""The figures of a case, and the quotes that were searched for again, as tables."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt

from core.accuracy.figures import BASES, PARTS, Figure
from core.accuracy.service import Retrieval
from gui_app.shared import theme
from gui_app.shared.labels import tooltip
from gui_app.shared.table_models import Index, Rows


class FiguresModel(Rows):
    """One row a figure, by part; the part is named where it begins."""

    rows: list[Figure]
    COLUMNS = ("Part", "Figure", "Value", "Basis")
    PART, NAME, VALUE, BASIS = range(4)

    def cell_data(self, figure: Figure, index: Index, role: int) -> Any:
        """Return what a cell shows, says or explains."""
        number, column = index.row(), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            begins = number == 0 or self.rows[number - 1].part != figure.part
            return (PARTS[figure.part] if begins else "") if column == self.PART else self._text(figure, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{PARTS[figure.part]}, {figure.name}: {figure.text}. {self._text(figure, self.BASIS)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(self._text(figure, column))
        if role == Qt.ItemDataRole.FontRole and column == self.PART:
            return theme.sans(theme.BODY, bold=True)
        return None

    def _text(self, figure: Figure, column: int) -> str:
        if column == self.NAME:
            return _capital(figure.name)
        if column == self.VALUE:
            return _capital(figure.text)
        if column == self.BASIS:
            return f"{_capital(BASES[figure.basis])}. {figure.note}".strip()
        return PARTS[figure.part]


class RetrievalModel(Rows):
    """One row for each quote and hypothesis: where the search for the hypothesis meets the quote."""

    rows: list[Retrieval]
    COLUMNS = ("Evidence", "Search for", "Rank of its quote")
    EVIDENCE, HYPOTHESIS, RANK = range(3)

    def cell_data(self, row: Retrieval, index: Index, role: int) -> Any:
        """Return what a cell shows, or says of the whole row."""
        rank = str(row.rank) if row.rank is not None else _capital(row.cause)
        if role == Qt.ItemDataRole.DisplayRole:
            return (row.evidence, row.hypothesis, rank)[index.column()]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{row.evidence}, search for {row.hypothesis}: {rank}"
        return None


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
