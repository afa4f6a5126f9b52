"""The list of documents narrowed to words, columns and facets, sorted, and in groups under headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QAbstractProxyModel, QModelIndex, QObject, Qt, Signal

from core.documents.descriptions import date_of, source_of
from core.domain import Document
from gui_app.documents.documents_model import ROLES, DocumentsModel, natural
from gui_app.documents.facets import has_value, values_of
from gui_app.shared.formatting import counted, kind_of
from gui_app.shared.table_models import Index

# What the list can be grouped by, with the words for it.
GROUPS: dict[str, str] = {
    "source": "Source",
    "folder": "Folder",
    "file": "File it was found in",
    "type": "Type",
    "month": "Month",
}
# The heading of what is in none of them.
_REST = {
    "source": "No source",
    "folder": "Added without a folder",
    "file": "Not found in another file",
    "type": "No type",
    "month": "No date",
}

_COLUMN_NAMES = {name.casefold(): column for column, name in enumerate(DocumentsModel.COLUMNS[:-1])} | {
    "tag": DocumentsModel.TAGS,
    "page": DocumentsModel.PAGES,
    "row": DocumentsModel.ROWS,
    "made": DocumentsModel.MADE,
}
_TERM = re.compile(r'([^\W\d]+):("[^"]*"?|\S*)|\S+')
_COMPARISON = re.compile(r"(<=|>=|<|>|=)?(.*)")


@dataclass(frozen=True, slots=True)
class Term:
    """A word that all of a document is searched for, or what one column must hold; ``sign`` compares, '' contains."""

    value: str
    column: int = -1
    sign: str = ""


def terms_of(text: str) -> tuple[Term, ...]:
    """Read what was typed: words, and columns with a value, such as source:orb, date:>2011-04, rows:0."""
    terms: list[Term] = []
    for match in _TERM.finditer(text.casefold()):
        column = _COLUMN_NAMES.get(match.group(1) or "", -1)
        if column < 0:
            terms.append(Term(match.group(0)))
            continue
        comparison = _COMPARISON.fullmatch(match.group(2).strip('"'))
        sign, value = comparison.groups(default="") if comparison is not None else ("", "")
        if value:
            terms.append(Term(value, column, sign))
    return tuple(terms)


def holds(term: Term, model: DocumentsModel, index: int) -> bool:
    """Return whether the document in row ``index`` is as a term asks."""
    if term.column < 0:
        return term.value in model.filter_texts[index]
    row = model.rows[index]
    if term.column in (DocumentsModel.PAGES, DocumentsModel.WORDS, DocumentsModel.ROWS):
        number, limit = _number_of(model, row, term.column), re.sub(r"[,. ]", "", term.value)
        return limit.isdecimal() and _compare(number, term.sign or "=", int(limit))
    text = model.text(row, term.column).casefold()
    if term.column == DocumentsModel.LANGUAGE:  # its code, or how its name begins
        return term.value == row.language if len(term.value) == 2 else text.startswith(term.value)
    if not term.sign:
        return term.value in text
    # A date that is not said whole lies within what is compared with: 2011-04-03 is not after 2011-04.
    part = text[: len(term.value)] if term.column in (DocumentsModel.DATE, DocumentsModel.MADE) else text
    return bool(text) and _compare(part, term.sign, term.value)


def _number_of(model: DocumentsModel, row: Document, column: int) -> int:
    if column == DocumentsModel.PAGES:
        return row.pages
    return (model.words if column == DocumentsModel.WORDS else model.citations).get(row.id, 0)


def _compare(left: Any, sign: str, right: Any) -> bool:
    signs: dict[str, Callable[[], bool]] = {
        "<": lambda: left < right,
        "<=": lambda: left <= right,
        ">": lambda: left > right,
        ">=": lambda: left >= right,
        "=": lambda: left == right,
    }
    return signs[sign]()


@dataclass(frozen=True, slots=True)
class Heading:
    """The head of a group: its name ('' for documents that are in none), and how many documents are in it.

    ``rest`` is what those without a name are called.
    """

    name: str
    rest: str
    documents: int
    is_folded: bool

    @property
    def title(self) -> str:
        """The heading of the group."""
        return self.name or self.rest

    @property
    def words(self) -> str:
        """The title and the number of documents."""
        return f"{self.title}, {counted(self.documents, 'document')}"


class DocumentsFilter(QAbstractProxyModel):
    """Documents with all that was typed and a value of each facet; sorted, and in groups where that is asked for.

    What passes is put in order at once and shown in one step: Qt's own filter asks for every comparison and moves row
    after row, which takes a third of a second a key where a thousand documents are listed. A group has a row of its
    own for its heading, which cannot be selected. What was found in a mail or an archive is below it, unless it is
    folded. ``arranging()`` comes before all else that an arrangement does.
    """

    arranging = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.terms: tuple[Term, ...] = ()
        self.conditions: dict[str, str] = {}  # by facet: the value that is asked for
        self.group = ""
        self._folded_groups: set[str] = set()
        self._folded_documents: set[str] = set()
        self._levels: dict[int, int] = {}  # by row of the source: how deep it lies in others that are listed
        self._contents: dict[int, int] = {}  # by row of the source: how many documents are below it, or would be be
        self._column, self._descending = -1, False
        self._order: list[int] = []  # the rows of the source that pass, as they are here; below 0: a heading
        self._headings: list[Heading] = []  # that of -1 first
        self._places: dict[int, int] = {}  # where each of them is
        self._passing = 0

    def narrow(self, *, text: str | None = None, conditions: Mapping[str, str] | None = None) -> None:
        """Change what is given."""
        self.terms = self.terms if text is None else terms_of(text)
        self.conditions = self.conditions if conditions is None else dict(conditions)
        self.arrange()

    def is_narrowed(self) -> bool:
        """Return whether anything is asked for."""
        return bool(self.terms or self.conditions)

    def counts(self, facet: str) -> Counter[str]:
        """Count by value of a facet the documents that pass all that is asked for beside it."""
        model = self._model()
        conditions = {name: value for name, value in self.conditions.items() if name != facet}
        rows = (row for index, row in enumerate(model.rows) if self._passes(model, index, conditions))
        return Counter(value for row in rows for value in values_of(model, row, facet))

    def group_by(self, name: str) -> None:
        """Put documents of one source, file, type or month under a heading; '' for no groups."""
        self.group = name if name in GROUPS else ""
        self._folded_groups.clear()
        self.arrange()

    def fold(self, row: int) -> None:
        """Fold or unfold the group whose heading is in a row."""
        heading = self.heading(row)
        if heading is not None:
            self._folded_groups ^= {heading.name}
            self.arrange()

    def fold_all(self, is_folded: bool) -> None:
        """Fold every group, or none."""
        self._folded_groups = {heading.name for heading in self._headings} if is_folded else set()
        self.arrange()

    def fold_document(self, row: int, is_folded: bool | None = None) -> bool:
        """Fold or unfold what was found in the document of a row (None: the other way); tell whether that changed."""
        document = self._document(row)
        if document is None or not self.contents(row) or self.is_folded(row) == is_folded:
            return False
        self._folded_documents ^= {document.id}
        self.arrange()
        return True

    def fold_documents(self, is_folded: bool) -> None:
        """Fold what was found in any document, or nothing."""
        model = self._model()
        self._folded_documents = {model.rows[index].id for index in self._contents} if is_folded else set()
        self.arrange()

    def has_contents(self) -> bool:
        """Return whether anything is below a document."""
        return bool(self._contents)

    def contents(self, row: int) -> int:
        """Count the documents below that of a row, folded ones too."""
        return self._contents.get(self._order[row], 0) if 0 <= row < len(self._order) else 0

    def level(self, row: int) -> int:
        """Return how deep the document of a row lies in others that are listed."""
        return self._levels.get(self._order[row], 0) if 0 <= row < len(self._order) else 0

    def is_folded(self, row: int) -> bool:
        """Return whether what was found in the document of a row is folded."""
        document = self._document(row)
        return document is not None and document.id in self._folded_documents

    def holder(self, row: int) -> int:
        """Return the row of the document that the one of a row is below; -1 for none."""
        level = self.level(row)
        return next((n for n in range(row - 1, -1, -1) if self.level(n) < level), -1) if level else -1

    def _document(self, row: int) -> Document | None:
        index = self._order[row] if 0 <= row < len(self._order) else -1
        document: Document | None = self._model().rows[index] if index >= 0 else None
        return document

    def heading(self, row: int) -> Heading | None:
        """Return the heading that is in a row."""
        index = self._order[row] if 0 <= row < len(self._order) else 0
        return self._headings[-index - 1] if index < 0 else None

    def source_rows(self) -> Sequence[int]:
        """List for each row that of the source; below 0: a heading."""
        return self._order

    def passing(self) -> int:
        """Count the documents that pass, folded ones too."""
        return self._passing

    def failing(self, ids: Collection[str]) -> int:
        """Count those of these documents that do not pass."""
        model = self._model()
        rows = (index for index, row in enumerate(model.rows) if row.id in ids)
        return sum(not self._passes(model, index, self.conditions) for index in rows)

    def grouped(self) -> bool:
        """Return whether versions of one document are together."""
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
        """Filter, sort and group again. Selected rows that still pass stay selected."""
        self.arranging.emit()
        self.layoutAboutToBeChanged.emit()
        old_indexes = self.persistentIndexList()
        rows = [self._order[index.row()] for index in old_indexes]
        self._fill()
        new_indexes = [
            self.createIndex(self._places[row], index.column()) if row in self._places else QModelIndex()
            for row, index in zip(rows, old_indexes, strict=True)
        ]
        self.changePersistentIndexList(old_indexes, new_indexes)
        self.layoutChanged.emit()

    def _reset(self) -> None:
        self._fill()
        self.endResetModel()

    def _model(self) -> DocumentsModel:
        model = self.sourceModel()
        assert isinstance(model, DocumentsModel)
        return model

    def _fill(self) -> None:
        model = self._model()
        order = [index for index in range(len(model.rows)) if self._passes(model, index, self.conditions)]
        if self._column >= 0:
            keys = model.sort_keys(self._column)
            # Rows that have nothing in the column are last, whichever way it is sorted.
            sortable = [index for index in order if not keys[index][0]]
            sortable.sort(key=lambda index: keys[index][1], reverse=self._descending)
            order = [*sortable, *(index for index in order if keys[index][0])]
        self._passing = len(order)
        self._headings = []
        self._levels, self._contents = {}, {}
        self._order = self._under_headings(model, order) if self.group else list(self._nest(model, order))
        self._places = {row: index for index, row in enumerate(self._order) if row >= 0}

    def _under_headings(self, model: DocumentsModel, order: Sequence[int]) -> list[int]:
        members: dict[str, list[int]] = {}
        for index in order:
            members.setdefault(group_of(model, model.rows[index], self.group), []).append(index)
        rows: list[int] = []
        for name in sorted(members, key=lambda name: (not name, natural(name))):
            self._headings.append(Heading(name, _REST[self.group], len(members[name]), name in self._folded_groups))
            rows.append(-len(self._headings))
            rows += () if name in self._folded_groups else self._nest(model, members[name])
        return rows

    def _nest(self, model: DocumentsModel, order: Sequence[int]) -> Sequence[int]:
        """Put what was found in a document below it, in the same order, as far as it is not folded."""
        places = {model.rows[index].id: index for index in order}
        below: dict[int, list[int]] = {}
        for index in order if self.group != "file" else ():
            if (parent := places.get(model.rows[index].parent, index)) != index:
                below.setdefault(parent, []).append(index)
        if not below:
            return order
        children_indices = {index for children in below.values() for index in children}
        rows: list[int] = []
        self._walk((index for index in order if index not in children_indices), below, rows)
        # A damaged case may say of two documents that each lies in the other.
        self._walk((index for index in order if index not in self._levels), below, rows)
        for index in reversed(rows):
            if index in below:
                self._contents[index] = sum(1 + self._contents.get(child, 0) for child in below[index])
        tops = [index for index in below if model.rows[index].id in self._folded_documents]
        if tops:
            inner: list[int] = []
            self._walk((child for index in tops for child in below[index]), below, inner, is_new=False)
            rest = set(rows).difference(inner)
            rows = [index for index in rows if index in rest]
        return rows

    def _walk(
        self, tops: Iterable[int], below: Mapping[int, Sequence[int]], rows: list[int], *, is_new: bool = True
    ) -> None:
        """Append rows with all that is below them; note how deep each is where it is new."""
        walk: set[int] = set()
        for top in tops:
            stack = [(top, 0)]
            while stack:
                index, level = stack.pop()
                if index in walk or (is_new and index in self._levels):
                    continue
                walk.add(index)
                if is_new:
                    self._levels[index] = level
                rows.append(index)
                stack += [(child, level + 1) for child in reversed(below.get(index, ()))]

    def _passes(self, model: DocumentsModel, index: int, conditions: Mapping[str, str]) -> bool:
        row = model.rows[index]
        if not all(has_value(model, row, facet, value) for facet, value in conditions.items()):
            return False
        return all(holds(term, model, index) for term in self.terms)

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        """Return the index of a cell among the rows that pass."""
        here = not parent.isValid() and 0 <= row < len(self._order) and 0 <= column < len(DocumentsModel.COLUMNS)
        return self.createIndex(row, column) if here else QModelIndex()

    def parent(self, index: Index = QModelIndex()) -> Any:  # noqa: B008 - of a row: a table has none
        """Return no parent: a table has none."""
        return QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Count the rows: documents that pass, and headings."""
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Count the columns of the documents."""
        return 0 if parent.isValid() else len(DocumentsModel.COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what the source has above a column."""
        return self.sourceModel().headerData(section, orientation, role)  # also where no row is left to ask through

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let nobody select a heading."""
        if not index.isValid() or self.heading(index.row()) is not None:
            return Qt.ItemFlag.NoItemFlags
        return self._model().cell_flags(index.column())

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a role is of a cell."""
        if role not in ROLES or not index.isValid():
            return None
        heading = self.heading(index.row())
        if heading is None:
            cell = self._model().cell(self._order[index.row()], index.column(), role)
            if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == DocumentsModel.NAME:
                return f"{cell}{self._place_words(index.row())}"
            return cell
        # The words of a heading are painted over the whole row.
        return heading.words if role == Qt.ItemDataRole.AccessibleTextRole else None

    def _place_words(self, row: int) -> str:
        """Return the accessible description of a document's place among its contents."""
        level, contents = self.level(row), self.contents(row)
        words = f", level {level + 1}" if level else ""
        if contents:
            words += f", {counted(contents, 'document')} inside, {'folded' if self.is_folded(row) else 'unfolded'}"
        return words

    def mapToSource(self, index: Index) -> QModelIndex:
        """Return the index of a cell in the source; none of a heading."""
        here = index.isValid() and index.row() < len(self._order) and self._order[index.row()] >= 0
        return self.sourceModel().index(self._order[index.row()], index.column()) if here else QModelIndex()

    def mapFromSource(self, index: Index) -> QModelIndex:
        """Return the index of a cell of the source here; none where its row does not pass."""
        place = self._places.get(index.row()) if index.isValid() else None
        return QModelIndex() if place is None else self.createIndex(place, index.column())


def group_of(model: DocumentsModel, row: Document, by: str) -> str:
    """Return the name of the group that a document is in."""
    match by:
        case "source":
            return source_of(row)
        case "folder":
            return row.folder
        case "file":
            return model.names.get(row.parent, row.parent)
        case "type":
            return kind_of(row.kind)
    return date_of(row)[:7]
