"""Which documents repeat which: families of versions, copies, and documents that print the same sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QColor
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QStyledItemDelegate, QStyleOptionViewItem, QVBoxLayout, QWidget

from core.documents.descriptions import date_of, label_of, source_of
from core.documents.relations import Family, Relation, distinct_sources, words_of
from core.domain import Document
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.formatting import counted
from gui_app.shared.header import button
from gui_app.shared.labels import line, plain, tooltip
from gui_app.shared.table import Table
from gui_app.shared.table_models import Index, Rows

if TYPE_CHECKING:
    from core.store import ImportedRow

_NAMED = 3  # copies that are named
_DEEPEST = 4  # steps that a row is set in


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """A document of a family. ``relation`` is None of the first; ``members`` counts them in its row, 0 elsewhere."""

    document: Document
    relation: Relation | None
    members: int
    depth: int


def rows_of(families: Sequence[Family], documents: Mapping[str, Document]) -> list[FamilyRow]:
    """List the members of families, each below the one that it repeats."""
    rows: list[FamilyRow] = []
    for family in families:
        by_document = {relation.document: relation for relation in family.relations}
        below: dict[str, list[str]] = {}
        for identity in family.documents:
            if identity in by_document:
                below.setdefault(by_document[identity].of, []).append(identity)
        tops = [identity for identity in family.documents if identity not in by_document]
        stack = [(identity, 0) for identity in reversed(tops)]
        start = len(rows)
        while stack:
            identity, depth = stack.pop()
            if identity in documents:
                members = len(family.documents) if len(rows) == start else 0
                rows.append(FamilyRow(documents[identity], by_document.get(identity), members, depth))
            stack += [(child, depth + 1) for child in reversed(below.get(identity, ()))]
    return rows


def summary_of(documents: int, sources: int) -> str:
    """Count in words the documents that repeat an earlier one, and the sources that remain."""
    repeats = documents - sources
    if not repeats:
        return "No document in the case repeats another."
    verb, rest = ("repeats" if repeats == 1 else "repeat"), ("is" if sources == 1 else "are")
    left = f"if those that repeat one another count as one, {counted(sources, 'source')} {rest} left"
    return f"{repeats:,} of {documents:,} documents {verb} an earlier one; {left}."


def copies_of(rows: Iterable[ImportedRow], documents: Mapping[str, Document]) -> list[str]:
    """Name the files that were not stored again because a document is the same, as 'a.zip/b.txt (as c.txt)'.

    A file that was only added once more is none.
    """
    copies: dict[str, None] = {}
    for row in rows:
        document = documents.get(row.of or "") if row.status == "duplicate" else None
        if document is not None and row.name != document.name:
            copies[f"{row.name} (as {document.name})"] = None
    return list(copies)


def copies_words(copies: Sequence[str]) -> str:
    """Name the files that were not stored again; '' for none."""
    if not copies:
        return ""
    more = f", and {len(copies) - _NAMED:,} more" if len(copies) > _NAMED else ""
    verb = "was" if len(copies) == 1 else "were"
    return (
        f"{counted(len(copies), 'exact copy', 'exact copies')} {verb} not stored: {', '.join(copies[:_NAMED])}{more}."
    )


class FamiliesModel(Rows):
    """One row a document that repeats another, or is repeated."""

    COLUMNS = ("Document", "Repeats", "Date", "Source")
    DOCUMENT, HOW, DATE, SOURCE = range(4)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a role is of a cell."""
        if not index.isValid():
            return None
        row: FamilyRow = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(self._text(row, index.column()).strip())
        if role == Qt.ItemDataRole.AccessibleTextRole:
            of = f" {row.relation.of}" if row.relation is not None and index.column() == self.HOW else ""
            return f"{self.COLUMNS[index.column()]}: {self._text(row, index.column()).strip()}{of}"
        return row if role == Qt.ItemDataRole.UserRole else None

    def _text(self, row: FamilyRow, column: int) -> str:
        if column == self.DOCUMENT:
            step = f"{'      ' * (min(row.depth, _DEEPEST) - 1)}\u21b3  " if row.depth else ""
            return f"{step}{label_of(row.document)}"
        if column == self.HOW:
            return words_of(row.relation) if row.relation else f"{row.members} documents" if row.members else ""
        return date_of(row.document) if column == self.DATE else source_of(row.document)


class _FamilyDelegate(QStyledItemDelegate):
    """The first of a family in bold; how others repeat it is muted."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        row = index.data(Qt.ItemDataRole.UserRole)
        if not isinstance(row, FamilyRow):
            return
        if row.members and index.column() == FamiliesModel.DOCUMENT:
            option.font = theme.sans(bold=True)
        elif index.column() != FamiliesModel.DOCUMENT:
            for role in (option.palette.ColorRole.Text, option.palette.ColorRole.HighlightedText):
                option.palette.setColor(role, QColor(theme.tokens().muted))


class FamiliesPage(QWidget):
    """The families of the case under a sentence that says how many sources they leave.

    ``show_source(document, page, start, end)`` asks for the words that a document repeats.
    """

    show_source = Signal(str, int, int, int)

    def __init__(self, session: CaseSession) -> None:
        super().__init__()
        self._session = session
        self._compared: tuple[tuple[str, str, str], ...] | None = None  # what was compared: id, newer version, date
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        row = QHBoxLayout()
        row.setContentsMargins(24, 8, 24, 8)
        self.summary = plain("", "", wrap=True)
        row.addWidget(self.summary, 1)
        self._row = row
        column.addLayout(row)
        column.addWidget(line())
        self.model = FamiliesModel(self)
        self.table = Table(self.model, "Documents that repeat one another")
        self.table.widths([0, 200, 108, 160], stretch=FamiliesModel.DOCUMENT)
        self.table.horizontalHeader().setSectionResizeMode(FamiliesModel.DOCUMENT, QHeaderView.ResizeMode.Stretch)
        for column_index in range(len(FamiliesModel.COLUMNS)):
            self.table.setItemDelegateForColumn(column_index, _FamilyDelegate(self.table))
        self.table.on_open = self._open
        column.addWidget(self.table, 1)
        self.setFocusProxy(self.table)

    def offer(self, action: QAction) -> None:
        """Give a command a button beside the sentence."""
        self._row.addWidget(button(action))

    def show_families(self, documents: Sequence[Document], imports: int = 0) -> None:
        """Compare the documents beside the work where that was not done yet, and show what repeats what.

        ``imports`` counts the files of all imports: another one may have brought a copy and no document.
        """
        compared = tuple((document.id, document.superseded_by, date_of(document)) for document in documents)
        compared += (("imports", str(imports), ""),)
        by_id = {document.id: document for document in documents}
        if compared == self._compared:
            rows = (row for row in self.model.rows if row.document.id in by_id)
            fresh = [FamilyRow(by_id[row.document.id], row.relation, row.members, row.depth) for row in rows]
            if fresh != self.model.rows:
                self._show_rows(fresh)
            return

        def done(content: tuple[list[Family], list[str]]) -> None:
            families, copies = content
            self._compared = compared
            self._show_rows(rows_of(families, by_id))
            summary = summary_of(len(by_id), distinct_sources(len(by_id), families))
            self.summary.setText(f"{summary} {copies_words(copies)}".rstrip())

        self.summary.setText("Comparing sentences…")
        self._session.read(
            lambda bench: (bench.documents.families(), copies_of(bench.documents.imports(), by_id)),
            done,
            key="families of documents",
        )

    def _show_rows(self, rows: Sequence[FamilyRow]) -> None:
        self.model.show(rows)
        self.table.setColumnHidden(FamiliesModel.SOURCE, not any(source_of(row.document) for row in rows))

    def forget(self) -> None:
        """Know of no family."""
        self._compared = None
        self.model.show([])
        self.summary.setText("")

    def chosen(self) -> list[Document]:
        """List the documents that are selected."""
        return [self.model.rows[index.row()].document for index in self.table.selectionModel().selectedRows()]

    def pair(self) -> tuple[str, str] | None:
        """Return the original of the selected document, and that document; None for the first of a family."""
        index = self.table.currentIndex()
        relation = self.model.rows[index.row()].relation if index.isValid() else None
        return (relation.of, relation.document) if relation is not None else None

    def _open(self) -> None:
        index = self.table.currentIndex()
        if index.isValid():
            row: FamilyRow = self.model.rows[index.row()]
            place = (row.relation.page, row.relation.start, row.relation.end) if row.relation else (1, 0, 0)
            self.show_source.emit(row.document.id, *place)
