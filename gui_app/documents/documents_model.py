"""The documents of a case, those apart from it, and what became of the files of an import, as tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractItemModel, QAbstractProxyModel, QLocale, QModelIndex, QObject, Qt, Signal

from core.documents.descriptions import author_of, date_of, place_of, source_of, title_of
from core.domain import Document, NearDuplicate
from gui_app.shared.formatting import STATUSES, file_size, kind_of, when
from gui_app.shared.labels import tooltip
from gui_app.shared.table_models import Index, Rows

if TYPE_CHECKING:
    from core.documents.importing import ImportReport
    from core.store import ImportedRow

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
    pairs += [(each.document, each.of) for each in likenesses.values()]
    for one, other in pairs:
        if one in first and other in first:
            low, high = sorted((root(one), root(other)), key=number_of)
            first[high] = low
    return {identity: root(identity) for identity in first}


class DocumentsModel(Rows):
    """One row a document. The first column's check box is its place in the scope; ``scope`` asks to change it.

    Sorted by the hidden column ORDER, those that are versions of one another stand together.
    """

    scope = Signal(str, bool)
    COLUMNS = ("Name", "Type", "Pages", "Date", "Language", "Tags", "Grade", "Size", "Added", "Status", "Order")
    NAME, KIND, PAGES, DATE, LANGUAGE, TAGS, GRADE, SIZE, ADDED, STATUS, ORDER = range(11)
    NUMBERS = (PAGES, SIZE)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.likenesses: dict[str, NearDuplicate] = {}
        self.first: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.alike: set[str] = set()  # the first documents of groups of several
        self.older: dict[str, str] = {}  # by document: the one that it superseded last
        self.filter_texts: list[str] = []  # by row: all that a filter looks in, in lower case
        self._keys: dict[int, list[tuple[bool, Any]]] = {}  # by column: what each row is sorted by
        self.writable = True

    def show(self, rows: Sequence[Document]) -> None:
        """Show these documents. New ones at the end are inserted, so that selection and scrolling stay put."""
        old = [row.id for row in self.rows]
        new = [row.id for row in rows]
        before, self.first = self.first, groups(rows, self.likenesses)
        self.names = {row.id: row.name for row in rows}
        self.alike = {first for first, many in Counter(self.first.values()).items() if many > 1}
        self.older = {row.superseded_by: row.id for row in rows if row.superseded_by}
        self.filter_texts = [self._filter_text(row) for row in rows]
        self._keys.clear()
        if old and new[: len(old)] == old:
            in_other_groups = {identity for identity in old if before.get(identity) != self.first[identity]}
            stale_rows = [at for at, row in enumerate(self.rows) if row != rows[at] or row.id in in_other_groups]
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
        item_flags = super().flags(index)
        if index.isValid() and index.column() == self.NAME and self.writable:
            item_flags |= Qt.ItemFlag.ItemIsUserCheckable
        return item_flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a role is of a cell."""
        return self.cell(index.row(), index.column(), role) if index.isValid() else None

    def cell(self, at: int, column: int, role: int) -> Any:
        """Return what ``data`` is of a column of row ``at``."""
        row = self.rows[at]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column)
        if role == Qt.ItemDataRole.CheckStateRole and column == self.NAME:
            return Qt.CheckState.Checked if row.included else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.TextAlignmentRole and column in self.NUMBERS:
            return _NUMBER
        if role == Qt.ItemDataRole.ToolTipRole and column in (self.NAME, self.STATUS, self.TAGS):
            if column == self.NAME:
                return tooltip(f"{row.name}\n{title_of(row)}" if title_of(row) else row.name)
            return self._text(row, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            scope = "" if column else (", in scope" if row.included else ", out of scope")
            title = f", {title_of(row)}" if column == self.NAME and title_of(row) else ""
            return f"{self.COLUMNS[column]}: {self._text(row, column)}{title}{scope}"
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
                (empty and not self._text(row, column), self._sort_key(row, column)) for row in self.rows
            ]
        return self._keys[column]

    def _filter_text(self, row: Document) -> str:
        parts = [row.id, row.name, title_of(row), source_of(row), author_of(row), place_of(row), row.note]
        parts += [self._text(row, column) for column in (self.KIND, self.DATE, self.LANGUAGE, self.TAGS, self.GRADE)]
        return " ".join((*parts, self._status(row))).casefold()

    def _text(self, row: Document, column: int) -> str:
        match column:
            case self.NAME:
                return row.name
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
            case self.ORDER:
                return ""
        return self._status(row)

    def _status(self, row: Document) -> str:
        words = STATUSES.get(row.status, row.status)
        if row.status == "ready" and row.pages_without_text:
            words = f"ready; {row.pages_without_text} without text"
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
        if column == self.ADDED:
            return row.imported_at
        if column == self.ORDER:
            return f"{number_of(self.first.get(row.id, row.id)):09d}.{number_of(row.id):09d}"
        if column == self.NAME:  # a file in an archive or a mail has a name of its own
            return natural(row.name.rpartition("/")[2]), natural(row.name)
        return natural(self._text(row, column))


# What the list can be narrowed to beside tags, with the words for it.
STATES: dict[str, str] = {
    "ready": "Ready",
    "without text": "Has pages without text",
    "left out": "Out of scope",
    "superseded": "Superseded",
    "alike": "Versions and near duplicates",
    "inside": "Found in another file",
    "undescribed": "Without origin and grade",
}


class DocumentsFilter(QAbstractProxyModel):
    """Documents with all the words that were typed, of one state, with one tag; sorted.

    What passes is put in order at once and shown in one step: Qt's own filter asks for every comparison and moves row
    after row, which takes a third of a second a key where a thousand documents are listed.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.words: tuple[str, ...] = ()
        self.state = ""
        self.tag = ""
        self._column, self._descending = -1, False
        self._order: list[int] = []  # the rows of the source that pass, as they stand here
        self._places: dict[int, int] = {}  # where each of them stands

    def narrow(self, *, text: str | None = None, state: str | None = None, tag: str | None = None) -> None:
        """Change what is given."""
        self.words = self.words if text is None else tuple(text.casefold().split())
        self.state = self.state if state is None else state
        self.tag = self.tag if tag is None else tag
        self.arrange()

    def grouped(self) -> bool:
        """Tell whether documents of one group stand together."""
        return self._column in (-1, DocumentsModel.ORDER)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column."""
        self._column, self._descending = column, order == Qt.SortOrder.DescendingOrder
        self.arrange()

    def setSourceModel(self, model: QAbstractItemModel) -> None:
        """Follow the rows of a DocumentsModel."""
        self.beginResetModel()
        super().setSourceModel(model)
        model.modelAboutToBeReset.connect(self.beginResetModel)
        model.modelReset.connect(self._reset)
        for signal in (model.rowsInserted, model.dataChanged):
            signal.connect(self.arrange)
        self._fill()
        self.endResetModel()

    def arrange(self) -> None:
        """Filter and sort anew. What is selected stays so where it still passes."""
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        rows = [self._order[index.row()] for index in before]
        self._fill()
        after = [
            self.createIndex(self._places[row], index.column()) if row in self._places else QModelIndex()
            for row, index in zip(rows, before, strict=True)
        ]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _reset(self) -> None:
        self._fill()
        self.endResetModel()

    def _fill(self) -> None:
        model = self.sourceModel()
        assert isinstance(model, DocumentsModel)
        order = [at for at in range(len(model.rows)) if self._passes(model, at)]
        if self._column >= 0:
            keys = model.sort_keys(self._column)
            # Rows that have nothing in the column stand last, whichever way it is sorted.
            some = sorted((at for at in order if not keys[at][0]), key=lambda at: keys[at][1], reverse=self._descending)
            order = [*some, *(at for at in order if keys[at][0])]
        self._order = order
        self._places = {row: at for at, row in enumerate(order)}

    def _passes(self, model: DocumentsModel, at: int) -> bool:
        row = model.rows[at]
        if self.tag and self.tag not in row.tags:
            return False
        if self.state and not _in_state(row, self.state, model):
            return False
        text = model.filter_texts[at]
        return all(word in text for word in self.words)

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        """Return the index of a cell among the rows that pass."""
        here = not parent.isValid() and 0 <= row < len(self._order) and 0 <= column < len(DocumentsModel.COLUMNS)
        return self.createIndex(row, column) if here else QModelIndex()

    def parent(self, index: Index = QModelIndex()) -> Any:  # noqa: B008 - of a row: a table has none
        """Return no parent: a table has none."""
        return QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Count the rows that pass."""
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Count the columns of the documents."""
        return 0 if parent.isValid() else len(DocumentsModel.COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what the source has above a column."""
        return self.sourceModel().headerData(section, orientation, role)  # also where no row is left to ask through

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a role is of a cell."""
        model = self.sourceModel()
        assert isinstance(model, DocumentsModel)
        return model.cell(self._order[index.row()], index.column(), role) if index.isValid() else None

    def mapToSource(self, index: Index) -> QModelIndex:
        """Return the index of a cell in the source."""
        here = index.isValid() and index.row() < len(self._order)
        return self.sourceModel().index(self._order[index.row()], index.column()) if here else QModelIndex()

    def mapFromSource(self, index: Index) -> QModelIndex:
        """Return the index of a cell of the source here; none where its row does not pass."""
        at = self._places.get(index.row()) if index.isValid() else None
        return QModelIndex() if at is None else self.createIndex(at, index.column())


def _in_state(row: Document, state: str, model: DocumentsModel) -> bool:
    if state == "without text":
        return row.pages_without_text > 0
    if state == "left out":
        return not row.included
    if state == "superseded":
        return bool(row.superseded_by)
    if state == "alike":
        return model.first.get(row.id) in model.alike
    if state == "inside":
        return bool(row.parent)
    if state == "undescribed":
        return not (row.origin or row.reliability or row.information)
    return row.status == "ready" and not row.pages_without_text


class SideListModel(Rows):
    """Documents that are not part of the case: those that could not be read, or those that were taken out."""

    COLUMNS = ("Name", "Why", "What to do")

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.locked_ids: frozenset[str] = frozenset()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a role is of a cell: the name, why it is here, and what to do."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        has_failed = row.status == "failed"
        why = row.reason if has_failed else f"Removed from the case; {row.pages:,} pages"
        text = (row.name, why, row.remedy if has_failed else "Restore it, or add its file again.")[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return text
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(text)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self.COLUMNS[index.column()]}: {text}"
        if role == Qt.ItemDataRole.UserRole:
            return row
        return None


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """One submitted file: its name, what became of it in a word, why, and what to do."""

    name: str
    status: str
    document: str
    why: str
    remedy: str


def likeness_in_words(likeness: NearDuplicate, names: dict[str, str]) -> str:
    """Say 'nearly the same as report.pdf (D3): 93% of the wording'."""
    of = names.get(likeness.of, likeness.of)
    share = f"{100 * likeness.score:.0f}%"
    if likeness.measure == "contained":
        return f"{share} of the shorter one is in the other: {of} ({likeness.of})"
    return f"nearly the same as {of} ({likeness.of}): {share} of the wording"


def imported_files(report: ImportReport, names: dict[str, str]) -> list[ImportedFile]:
    """List the files of a report, failures first; ``names`` gives the name of a document by id."""
    failures = {(item.name, item.reason) for item in report.documents if item.status == "failed"}
    rows = [
        _file_row(
            (item.name, item.status, item.id or "", item.reason, item.remedy),
            item.likeness,
            item.of or "",
            names,
            version_of=item.version_of or "",
            dependents=item.dependents,
            may_replace=item.may_replace or "",
        )
        for item in report.documents
    ]
    rows += [
        ImportedFile(problem.where, "note", "", problem.what, problem.hint)
        for problem in report.problems
        if not {(problem.where, problem.what), (Path(problem.where).name, problem.what)} & failures
    ]
    return _in_order(rows)


def stored_files(import_rows: Sequence[ImportedRow], names: dict[str, str]) -> list[ImportedFile]:
    """List the same of an import that is stored with the case."""
    rows = []
    for row in import_rows:
        likeness = None
        if row.score is not None and row.document:
            likeness = NearDuplicate(row.document, row.of or "", row.measure, row.score)
        newer = row.status == "new_version"
        facts = (row.name, "added" if newer else row.status, row.document or "", row.reason, row.remedy)
        rows.append(_file_row(facts, likeness, row.of or "", names, version_of=(row.of or "") if newer else ""))
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
) -> ImportedFile:
    name, status, document, reason, remedy = facts
    if status == "failed":
        return ImportedFile(name, status, document, reason, remedy)
    if status == "duplicate":
        return ImportedFile(name, status, of, f"same content as {names.get(of, of)} ({of})", "")
    why, advice = likeness_in_words(likeness, names) if likeness else "", ""
    if version_of:
        why = f"newer version of {names.get(version_of, version_of)} ({version_of})"
        if dependents:
            advice = f"{', '.join(dependents)} quote the older one: check whether the words are still there."
    elif may_replace:
        advice = f"If it is a newer version, say so: {may_replace} is superseded."
    return ImportedFile(name, "added", document, why, advice)


def _in_order(rows: list[ImportedFile]) -> list[ImportedFile]:
    order = {"failed": 0, "note": 1, "duplicate": 2, "added": 3}
    return sorted(rows, key=lambda row: (order[row.status], not row.why))


class ImportModel(Rows):
    """The outcome of every submitted file."""

    COLUMNS = ("File", "Result", "Cause", "What to do")

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a role is of a cell."""
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
