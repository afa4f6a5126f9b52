"""The documents of a case, and what became of the files of the last import, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal

from core.domain import Document, Likeness
from gui_app.models.rows import Index, Rows
from gui_app.widgets.labels import tooltip
from gui_app.words import STATUSES, file_size, kind_of, when

if TYPE_CHECKING:
    from core.documents import ImportReport

SortRole = Qt.ItemDataRole.UserRole + 1
_NUMBER = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class DocumentsModel(Rows):
    """One row a document. The first column's check box is its place in the scope; ``scope`` asks to change it."""

    scope = Signal(str, bool)
    COLUMNS = ("Name", "Type", "Pages", "Passages", "Date", "Size", "Added", "Status")
    NAME, KIND, PAGES, PASSAGES, DATE, SIZE, ADDED, STATUS = range(8)
    NUMBERS = (PAGES, PASSAGES, SIZE)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.likenesses: dict[str, Likeness] = {}
        self.writable = True

    def show(self, rows: Sequence[Document]) -> None:
        """Show these documents. New ones at the end are inserted, so that selection and scrolling stay put."""
        old = [row.id for row in self.rows]
        new = [row.id for row in rows]
        if old and new[: len(old)] == old:
            changed = [at for at, row in enumerate(self.rows) if row != rows[at]]
            self.rows[:] = rows[: len(old)]
            for at in changed:
                self.dataChanged.emit(self.index(at, 0), self.index(at, len(self.COLUMNS) - 1))
            if len(new) > len(old):
                self.beginInsertRows(QModelIndex(), len(old), len(new) - 1)
                self.rows.extend(rows[len(old) :])
                self.endInsertRows()
            return
        super().show(rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        found = super().flags(index)
        if index.isValid() and index.column() == self.NAME and self.writable:
            found |= Qt.ItemFlag.ItemIsUserCheckable
        return found

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column)
        if role == SortRole:
            return self._sort_key(row, column)
        if role == Qt.ItemDataRole.CheckStateRole and column == self.NAME:
            return Qt.CheckState.Checked if row.included else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.TextAlignmentRole and column in self.NUMBERS:
            return _NUMBER
        if role == Qt.ItemDataRole.ToolTipRole and column in (self.NAME, self.STATUS):
            if column == self.NAME:
                return tooltip(f"{row.name}\n{row.title}" if row.title and row.title != row.name else row.name)
            return self._text(row, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            scope = "" if column else (", in scope" if row.included else ", left out of scope")
            return f"{self.COLUMNS[column]}: {self._text(row, column)}{scope}"
        if role == Qt.ItemDataRole.UserRole:
            return row
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or not self.writable:
            return False
        wanted = value in (Qt.CheckState.Checked, Qt.CheckState.Checked.value)
        self.scope.emit(self.rows[index.row()].id, wanted)
        return True

    def _text(self, row: Document, column: int) -> str:
        if column == self.NAME:
            return row.name
        if column == self.KIND:
            return kind_of(row.kind)
        if column == self.PAGES:
            return f"{row.pages:,}"
        if column == self.PASSAGES:
            return f"{row.chunks:,}"
        if column == self.DATE:
            return row.date[:10]
        if column == self.SIZE:
            return file_size(row.size)
        if column == self.ADDED:
            return when(row.imported_at)
        words = STATUSES.get(row.status, row.status)
        if row.status == "ready" and row.pages_without_text:
            words = f"ready; {row.pages_without_text} without text"
        likeness = self.likenesses.get(row.id)
        if likeness is not None:
            words += f"; like {likeness.of} ({100 * likeness.score:.0f} %)"
        if row.superseded_by:
            newer = next((other.name for other in self.rows if other.id == row.superseded_by), row.superseded_by)
            words = f"superseded by {newer}"
        return words if row.included else f"{words}; left out"

    def _sort_key(self, row: Document, column: int) -> Any:
        if column == self.PAGES:
            return row.pages
        if column == self.PASSAGES:
            return row.chunks
        if column == self.SIZE:
            return row.size
        if column == self.ADDED:
            return row.imported_at
        return self._text(row, column).casefold()


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """One submitted file: its name, what became of it in a word, why, and what to do."""

    name: str
    status: str
    document: str
    why: str
    remedy: str


def likeness_in_words(likeness: Likeness, names: dict[str, str]) -> str:
    """'nearly the same as report.pdf (D3): 93 % of the wording'."""
    of = names.get(likeness.of, likeness.of)
    share = f"{100 * likeness.score:.0f} %"
    if likeness.measure == "contained":
        return f"{share} of the shorter one stands in the other: {of} ({likeness.of})"
    return f"nearly the same as {of} ({likeness.of}): {share} of the wording"


def imported_files(report: ImportReport, names: dict[str, str]) -> list[ImportedFile]:
    """The files of a report, failures first. ``names`` gives the name of a document by id."""
    problems = list(report.problems)
    rows: list[ImportedFile] = []
    for item in report.documents:
        if item.status == "failed":
            problem = next((p for p in problems if item.name in (p.where, Path(p.where).name)), None)
            if problem is not None:
                problems.remove(problem)
            why, hint = (problem.what, problem.hint) if problem else ("", "")
            rows.append(ImportedFile(item.name, "failed", "", why, hint))
        elif item.status == "duplicate":
            of = names.get(item.of or "", item.of or "")
            rows.append(ImportedFile(item.name, "duplicate", item.of or "", f"same content as {of} ({item.of})", ""))
        else:
            why = likeness_in_words(item.likeness, names) if item.likeness else ""
            rows.append(ImportedFile(item.name, "added", item.id or "", why, ""))
    rows += [ImportedFile(problem.where, "note", "", problem.what, problem.hint) for problem in problems]
    order = {"failed": 0, "note": 1, "duplicate": 2, "added": 3}
    return sorted(rows, key=lambda row: order[row.status])


class ImportModel(Rows):
    """What became of every submitted file."""

    COLUMNS = ("File", "Result", "Cause", "What to do")

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        text = (row.name, row.status, row.why, row.remedy)[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return text
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(text)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self.COLUMNS[index.column()]}: {text}"
        if role == Qt.ItemDataRole.UserRole:
            return row
        return None
