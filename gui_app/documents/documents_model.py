"""The documents of a case, those apart from it, and what became of the files of an import, as tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import QLocale, QModelIndex, QObject, Qt, Signal

from core.documents import left_out_parts
from core.documents.descriptions import attribution_of, author_of, date_of, place_of, provenance_of, source_of, title_of
from core.domain import Document, NearDuplicate
from gui_app.shared.formatting import STATUSES, attribution_words, file_size, kind_of, when
from gui_app.shared.labels import tooltip
from gui_app.shared.table_models import Index, Rows

if TYPE_CHECKING:
    from core.documents.importing import ImportReport
    from core.store import ImportedRow

_ADDRESS = re.compile(r"(?<=\S)\s+<[^<>\s]+@[^<>\s]+>")
_NUMBER = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Several documents that are selected together."""

    documents: tuple[Document, ...]


@cache
def language_name(code: str) -> str:
    """Return 'German' for 'de'; the code itself where nobody has a name for it."""
    language = QLocale(code).language()
    return code if language == QLocale.Language.C else QLocale.languageToString(language)


def number_of(document: str) -> int:
    """Return the number of a document's id."""
    return int(document[1:]) if document[1:].isdigit() else 0


def natural(text: str) -> tuple[str | int, ...]:
    """Return what orders texts as a person would, 'page 2' before 'page 10': words and numbers in turn."""
    return tuple(int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", text.casefold()))


def groups(documents: Sequence[Document], likenesses: Mapping[str, NearDuplicate]) -> dict[str, str]:
    """Map each document to the first of its group: versions of one document, and those nearly the same."""
    first = {document.id: document.id for document in documents}

    def root(identity: str) -> str:
        while first[identity] != identity:
            identity = first[identity]
        return identity

    pairs = [(d.id, d.superseded_by) for d in documents if d.superseded_by]
    pairs += [(likeness.document, likeness.of) for likeness in likenesses.values()]
    for left, right in pairs:
        if left in first and right in first:
            low, high = sorted((root(left), root(right)), key=number_of)
            first[high] = low
    return {identity: root(identity) for identity in first}


_MEANINGS = {
    2: "Where it comes from: as you set it, otherwise its publisher, sender or site",
    5: "The date of the document: as you set it, otherwise as it says itself",
    12: "Rows of the matrix that cite it",
    16: "The day on which the file was made, often long after the document was written",
}


_SELECTABLE = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren
_CHECKABLE = _SELECTABLE | Qt.ItemFlag.ItemIsUserCheckable
# The roles that ``cell`` knows; a painted cell is asked for twice as many, each time through Python.
ROLES = frozenset(
    map(
        int,
        (
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.CheckStateRole,
            Qt.ItemDataRole.TextAlignmentRole,
            Qt.ItemDataRole.ToolTipRole,
            Qt.ItemDataRole.AccessibleTextRole,
            Qt.ItemDataRole.UserRole,
        ),
    )
)


class DocumentsModel(Rows):
    """One row a document. The first column's check box is its place in the scope; ``scope`` asks to change it.

    Sorted by the hidden column ORDER, those that are versions of one another are together.
    """

    scope = Signal(str, bool)
    COLUMNS = (
        *("Name", "Title", "Source", "Author", "Place", "Date", "Type", "Pages", "Words", "Language", "Tags", "Grade"),
        *("Rows", "Folder", "Size", "Added", "File made", "Status", "Order"),
    )
    NAME, TITLE, SOURCE, AUTHOR, PLACE, DATE, KIND, PAGES, WORDS, LANGUAGE, TAGS, GRADE = range(12)
    ROWS, FOLDER, SIZE, ADDED, MADE, STATUS, ORDER = range(12, 19)
    NUMBERS = (PAGES, WORDS, ROWS, SIZE)
    # The fields of which the document itself may say something, by column.
    FIELDS: ClassVar[dict[int, str]] = {
        **{TITLE: "title", SOURCE: "publisher", AUTHOR: "author"},
        **{PLACE: "place", DATE: "date", LANGUAGE: "language"},
    }

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.likenesses: dict[str, NearDuplicate] = {}
        self.blank_pages: dict[str, int] = {}
        self.first: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.alike: set[str] = set()  # the first documents of groups of several
        self.older: dict[str, str] = {}  # by document: the one that it superseded last
        self.words: dict[str, int] = {}  # of each document, where they were counted
        self.citations: dict[str, int] = {}  # by document: how many rows of the matrix cite it
        self.filter_texts: list[str] = []  # by row: all that a filter looks in, in lower case
        # By document: the row and the status that its text was made of, which takes most of showing a large list again.
        self._former_texts: dict[str, tuple[Document, str, str]] = {}
        self._keys: dict[int, list[tuple[bool, Any]]] = {}  # by column: what each row is sorted by
        self.writable = True

    def show(self, rows: Sequence[Document]) -> None:
        """Show these documents. New ones at the end are inserted, so that selection and scrolling stay put."""
        old = [row.id for row in self.rows]
        new = [row.id for row in rows]
        old_groups, self.first = self.first, groups(rows, self.likenesses)
        self.names = {row.id: row.name for row in rows}
        self.alike = {first for first, size in Counter(self.first.values()).items() if size > 1}
        self.older = {row.superseded_by: row.id for row in rows if row.superseded_by}
        self.filter_texts = [self._filter_text(row) for row in rows]
        self._keys.clear()
        if old and new[: len(old)] == old:
            in_other_groups = {identity for identity in old if old_groups.get(identity) != self.first[identity]}
            stale_rows = [n for n, row in enumerate(self.rows) if row != rows[n] or row.id in in_other_groups]
            self.rows[:] = rows[: len(old)]
            if stale_rows:
                self.dataChanged.emit(self.index(stale_rows[0], 0), self.index(stale_rows[-1], len(self.COLUMNS) - 1))
            if len(new) > len(old):
                self.beginInsertRows(QModelIndex(), len(old), len(new) - 1)
                self.rows.extend(rows[len(old) :])
                self._keys.clear()
                self.endInsertRows()
            return
        super().show(rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Give the name a check box while the case can be changed."""
        return self.cell_flags(index.column()) if index.isValid() else Qt.ItemFlag.NoItemFlags

    def cell_flags(self, column: int) -> Qt.ItemFlag:
        """Return what ``flags`` is of every cell of a column."""
        return _CHECKABLE if column == self.NAME and self.writable else _SELECTABLE

    def short_name(self, row: Document) -> str:
        """Return the name of a document without that of the mail or archive it was found in, which is listed too."""
        return row.name.removeprefix(f"{self.names[row.parent]}/") if row.parent in self.names else row.name

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what is above a column, and what it means where that is not plain."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.ToolTipRole:
            return _MEANINGS.get(section)
        return super().headerData(section, orientation, role)

    def count(self, words: Mapping[str, int]) -> None:
        """Show how many words the documents have."""
        self.words = dict(words)
        self._keys.pop(self.WORDS, None)
        if self.rows:
            self.dataChanged.emit(self.index(0, self.WORDS), self.index(len(self.rows) - 1, self.WORDS))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a role is of a cell."""
        return self.cell(index.row(), index.column(), role) if index.isValid() else None

    def cell(self, at: int, column: int, role: int) -> Any:
        """Return what ``data`` is of a column of row ``at``."""
        row = self.rows[at]
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(row, column)
        if role == Qt.ItemDataRole.CheckStateRole and column == self.NAME:
            return Qt.CheckState.Checked if row.included else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.TextAlignmentRole and column in self.NUMBERS:
            return _NUMBER
        if role == Qt.ItemDataRole.ToolTipRole and column in (self.NAME, self.STATUS, self.TAGS, *self.FIELDS):
            if column in self.FIELDS:
                return tooltip(self._with_place(row, column))
            if column == self.NAME:
                return tooltip(f"{row.name}\n{title_of(row)}" if title_of(row) else row.name)
            return self.text(row, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            scope = "" if column else (", in scope" if row.included else ", out of scope")
            title = f", {title_of(row)}" if column == self.NAME and title_of(row) else ""
            text = (
                self._with_place(row, column).replace("\n", ", ") if column in self.FIELDS else self.text(row, column)
            )
            return f"{self.COLUMNS[column]}: {text}{title}{scope}"
        if role == Qt.ItemDataRole.UserRole:
            return row
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for a document to be put in scope or out of it."""
        if role != Qt.ItemDataRole.CheckStateRole or not self.writable:
            return False
        is_included = value in (Qt.CheckState.Checked, Qt.CheckState.Checked.value)
        self.scope.emit(self.rows[index.row()].id, is_included)
        return True

    def sort_keys(self, column: int) -> list[tuple[bool, Any]]:
        """List for each row whether it has nothing in a column, and what it is sorted by."""
        if column not in self._keys:
            empty = column != self.ORDER
            self._keys[column] = [
                (empty and not self.text(row, column), self._sort_key(row, column)) for row in self.rows
            ]
        return self._keys[column]

    def _filter_text(self, row: Document) -> str:
        status = self._status(row)
        former = self._former_texts.get(row.id)
        if former is not None and former[0] is row and former[1] == status:
            return former[2]
        text = self._new_filter_text(row, status)
        self._former_texts[row.id] = row, status, text
        return text

    def _new_filter_text(self, row: Document, status: str) -> str:
        parts = [row.id, row.name, title_of(row), source_of(row), author_of(row), place_of(row), row.note, row.folder]
        parts += [self.text(row, column) for column in (self.KIND, self.DATE, self.LANGUAGE, self.TAGS, self.GRADE)]
        return " ".join((*parts, status)).casefold()

    def _with_place(self, row: Document, column: int) -> str:
        """Return the text of a field, and below it where that was read."""
        text, read = self.text(row, column), attribution_of(row, self.FIELDS[column])
        text = provenance_of(row) if column == self.SOURCE else text
        return f"{text}\n{attribution_words(read)}" if text and read is not None else text

    def is_unsure(self, row: Document, column: int) -> bool:
        """Return whether what a document says of itself in a column may well be wrong."""
        read = attribution_of(row, self.FIELDS[column]) if column in self.FIELDS else None
        return read is not None and read.certainty == "L" and self.text(row, column) != ""

    def text(self, row: Document, column: int) -> str:
        """Return what is in a column of a document."""
        match column:
            case self.NAME:
                return row.name
            case self.TITLE:
                return title_of(row)
            case self.SOURCE:  # the addresses of people who have a name are in the tool tip
                return _ADDRESS.sub("", provenance_of(row))
            case self.AUTHOR:
                return author_of(row)
            case self.PLACE:
                return place_of(row)
            case self.FOLDER:
                return row.folder
            case self.WORDS:
                return f"{self.words[row.id]:,}" if row.id in self.words else ""
            case self.ROWS:
                return f"{self.citations[row.id]:,}" if row.id in self.citations else ""
            case self.KIND:
                return kind_of(row.kind)
            case self.PAGES:
                return f"{row.pages:,}"
            case self.DATE:
                return date_of(row)
            case self.LANGUAGE:
                return language_name(row.language) if row.language else ""
            case self.TAGS:
                return ", ".join(row.tags)
            case self.GRADE:
                return row.reliability + row.information
            case self.SIZE:
                return file_size(row.size)
            case self.ADDED:
                return when(row.imported_at)
            case self.MADE:
                return row.file_date[:10]
            case self.ORDER:
                return ""
        return self._status(row)

    def _status(self, row: Document) -> str:
        words = STATUSES.get(row.status, row.status)
        blank = self.blank_pages.get(row.id, 0)
        if blank and blank == row.pages:
            words = "blank"
        elif row.status == "ready" and row.pages_without_text:
            parts = ((row.pages_without_text - blank, "without text"), (blank, "blank"))
            words = "; ".join(("ready", *(f"{number} {what}" for number, what in parts if number)))
        likeness = self.likenesses.get(row.id)
        share = "" if likeness is None else f"{100 * likeness.score:.0f}%"
        if older := self.older.get(row.id):
            words = f"newer version of {older}"
            if likeness is not None and likeness.of == older:
                words = f"{words}, {share}"
        elif likeness is not None:
            alike = "nearly the same as" if likeness.measure == "near" else "much in common with"
            words = f"{alike} {likeness.of}, {share}"
        if row.superseded_by:
            newer = self.names.get(row.superseded_by, row.superseded_by)
            words = f"superseded by {row.superseded_by}" if newer == row.name else f"superseded by {newer}"
        return words if row.included else f"{words}; out of scope"

    def _sort_key(self, row: Document, column: int) -> Any:
        if column == self.PAGES:
            return row.pages
        if column == self.SIZE:
            return row.size
        if column == self.WORDS:
            return self.words.get(row.id, 0)
        if column == self.ROWS:
            return self.citations.get(row.id, 0)
        if column == self.ADDED:
            return row.imported_at
        if column == self.ORDER:
            return f"{number_of(self.first.get(row.id, row.id)):09d}.{number_of(row.id):09d}"
        if column == self.NAME:  # a file in an archive or a mail has a name of its own
            return natural(row.name.rpartition("/")[2]), natural(row.name)
        return natural(self.text(row, column))


class TextRows(Rows):
    """Rows whose cells are texts; UserRole gives the row."""

    def texts(self, row: Any) -> tuple[str, ...]:
        """Return the texts of a row, one a column."""
        raise NotImplementedError

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a role is of a cell."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        text = self.texts(row)[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return text
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(text)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self.COLUMNS[index.column()]}: {text}"
        if role == Qt.ItemDataRole.UserRole:
            return row
        return None


class SideListModel(TextRows):
    """Documents that are not part of the case: those that could not be read, or those that were taken out."""

    COLUMNS = ("Name", "Why", "What to do")

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.locked_ids: frozenset[str] = frozenset()

    def texts(self, row: Document) -> tuple[str, ...]:
        """Return the name, why it is here, and what to do."""
        has_failed = row.status == "failed"
        reason = row.reason if has_failed else f"Removed from the case; {row.pages:,} pages"
        return row.name, reason, row.remedy if has_failed else "Restore it, or add its file again."


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """One submitted file: its name, what became of it in a word, why, and what to do."""

    name: str
    status: str
    document: str
    why: str
    remedy: str


def likeness_in_words(likeness: NearDuplicate, names: dict[str, str]) -> str:
    """Describe a likeness: 'nearly the same as report.pdf (D3): 93% of the wording'."""
    of = names.get(likeness.of, likeness.of)
    share = f"{100 * likeness.score:.0f}%"
    if likeness.measure == "contained":
        return f"{share} of the shorter one is in the other: {of} ({likeness.of})"
    return f"nearly the same as {of} ({likeness.of}): {share} of the wording"


def imported_files(report: ImportReport, names: dict[str, str]) -> list[ImportedFile]:
    """List the files of a report, failures first; ``names`` gives the name of a document by id."""
    rows = [
        _file_row(
            (item.name, item.status, item.id or "", item.reason, item.remedy),
            item.likeness,
            item.of or "",
            names,
            version_of=item.version_of or "",
            dependents=item.dependents,
            may_replace=item.may_replace or "",
            ledger=left_out_parts.sentence(item.left_out),
        )
        for item in report.documents
    ]
    return _in_order([*rows, *notes(report)])


def notes(report: ImportReport) -> list[ImportedFile]:
    """List what a report says beside what became of its files."""
    failures = {(item.name, item.reason) for item in report.documents if item.status == "failed"}
    return [
        ImportedFile(problem.where, "note", "", problem.what, problem.hint)
        for problem in report.problems
        if not {(problem.where, problem.what), (Path(problem.where).name, problem.what)} & failures
    ]


def stored_files(
    import_rows: Sequence[ImportedRow], names: dict[str, str], ledgers: Mapping[str, str] = MappingProxyType({})
) -> list[ImportedFile]:
    """List the same of an import that is stored with the case; ``ledgers`` say by document what was left out of it."""
    rows = []
    for row in import_rows:
        likeness = None
        if row.score is not None and row.document:
            likeness = NearDuplicate(row.document, row.of or "", row.measure, row.score)
        newer = row.status == "new_version"
        facts = (row.name, "added" if newer else row.status, row.document or "", row.reason, row.remedy)
        ledger = ledgers.get(row.document or "", "")
        older = (row.of or "") if newer else ""
        rows.append(_file_row(facts, likeness, row.of or "", names, version_of=older, ledger=ledger))
    return _in_order(rows)


def _file_row(
    facts: tuple[str, str, str, str, str],
    likeness: NearDuplicate | None,
    of: str,
    names: dict[str, str],
    *,
    version_of: str = "",
    dependents: Sequence[str] = (),
    may_replace: str = "",
    ledger: str = "",
) -> ImportedFile:
    name, status, document, reason, remedy = facts
    if status == "failed":
        return ImportedFile(name, status, document, reason, remedy)
    if status == "duplicate":
        return ImportedFile(name, status, of, f"same content as {names.get(of, of)} ({of})", "")
    note, advice = likeness_in_words(likeness, names) if likeness else "", ""
    if version_of:
        note = f"newer version of {names.get(version_of, version_of)} ({version_of})"
        if dependents:
            advice = f"{', '.join(dependents)} quote the older one: check whether the words are still there."
    elif may_replace:
        advice = f"If it is a newer version, say so: {may_replace} is superseded."
    return ImportedFile(name, "added", document, " · ".join(filter(None, (note, ledger))), advice)


def _in_order(rows: list[ImportedFile]) -> list[ImportedFile]:
    order = {"failed": 0, "note": 1, "duplicate": 2, "added": 3}
    return sorted(rows, key=lambda row: (order[row.status], not row.why))


class ImportModel(TextRows):
    """The outcome of every submitted file."""

    COLUMNS = ("File", "Result", "Cause", "What to do")

    def texts(self, row: ImportedFile) -> tuple[str, ...]:
        """Return the file, what became of it, why, and what to do."""
        return row.name, row.status, row.why, row.remedy
