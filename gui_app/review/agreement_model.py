"""What a model said against what people rated, as a table: a row a verdict, a column a meaning of ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt

from core.domain import Label
from core.verdicts.agreement import MEANT, Agreement, Meant, OfLabel
from gui_app.shared.formatting import VERDICTS
from gui_app.shared.table_models import Index, Rows

# In the order of the table: what speaks against comes first, as in the queue.
SHOWN: tuple[Label, ...] = ("contradicts", "supports", "neutral", "ambiguous")
PEOPLE: tuple[Meant, ...] = ("contradicts", "supports", "neutral")
FIGURE = int(Qt.ItemDataRole.UserRole) + 1  # how many, and of how many in the row


class AgreementModel(Rows):
    """UserRole gives the row (OfLabel), FIGURE (count, of the row) of a cell."""

    COLUMNS = ("The model said", "rated: against", "for", "neither", "rated as it said")
    LETTERS = ("", "rated I or II", "rated C or CC", "rated N or NA", "with the 95% interval")
    NUMBERS = (1, 2, 3)
    LABEL, SHARED = 0, 4

    def show_agreement(self, agreement: Agreement | None) -> None:
        """Show the counts of one model, label by label."""
        rows: Sequence[OfLabel] = [agreement.of(label) for label in SHOWN] if agreement is not None else ()
        self.show(rows)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Name a column; on hover, the ratings that it counts."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.ToolTipRole:
            return self.LETTERS[section]
        return super().headerData(section, orientation, role)

    def count(self, row: OfLabel, column: int) -> int:
        """Return how many verdicts of a row people rated as a column says."""
        return row.meant[MEANT.index(PEOPLE[column - 1])]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what is in a cell, in figures or in words."""
        if not index.isValid():
            return None
        row: OfLabel = self.rows[index.row()]
        column = index.column()
        if role == Qt.ItemDataRole.UserRole:
            return row
        if column == self.LABEL:
            is_text = role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
            return VERDICTS[row.label] if is_text else None
        if column == self.SHARED:
            if role == Qt.ItemDataRole.DisplayRole:
                return figures(row)
            if role == Qt.ItemDataRole.AccessibleTextRole:
                return f"{VERDICTS[row.label]}: {figures(row)}"
            return None
        count = self.count(row, column)
        if role == FIGURE:
            return count, row.right.n
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{count:,}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"The model said “{VERDICTS[row.label]}”, people {self.LETTERS[column]}: {count}"
        if role == Qt.ItemDataRole.ToolTipRole and count:
            return "Enter shows these proposals"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None


def figures(row: OfLabel) -> str:
    """Write a share with its interval: '80% (49% to 94%)'; nothing is shared with one that was not sure."""
    if row.label == "ambiguous":
        return "it gave no verdict"
    if not row.right.n:
        return "none rated yet"
    return f"{row.right.value:.0%} ({row.right.low:.0%} to {row.right.high:.0%})"
