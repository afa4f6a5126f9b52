"""A list of searches at once: how often each is met in every document, the passages of a count, the counts as CSV."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QButtonGroup,
    QHBoxLayout,
    QHeaderView,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from core import files as whole
from core.domain import Document, Passage
from core.errors import BadInput, CannotWrite, UnreadableDocument
from gui_app import window_state
from gui_app.search.passage_list import PassagesView
from gui_app.session import CaseSession
from gui_app.shared import file_dialogs, theme
from gui_app.shared.case_view import CaseView
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.field_draft import FieldDraft
from gui_app.shared.formatting import counted
from gui_app.shared.header import button
from gui_app.shared.labels import ElidedLabel, line, plain, tooltip
from gui_app.shared.passages_model import PassagesModel
from gui_app.shared.table import Table
from gui_app.shared.table_models import Index, Rows

if TYPE_CHECKING:
    from core.search.service import Tally
    from gui_app.tasks import Task

MAX_QUERIES = 2_000
MAX_LIST_BYTES = 1_000_000  # of a file with searches
QUERY, TOTAL, DOCUMENTS, FIRST = range(4)


class TallyModel(Rows):
    """A row a query; after the totals a column for every document that any query is met in."""

    COLUMNS = ("Search", "Passages", "Documents")

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.documents: list[Document] = []

    def show_tallies(self, tallies: list[Tally], documents: list[Document]) -> None:
        """Show the counts; documents that no search is met in have no column."""
        self.beginResetModel()
        self.rows = list(tallies)
        ids = {document for tally in tallies for document in tally.passages}
        self.documents = [document for document in documents if document.id in ids]
        self.endResetModel()

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Count the totals and the documents."""
        return 0 if parent.isValid() else FIRST + len(self.documents)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what stands above a column: the id of a document, with its name on hover."""
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignLeft if section == QUERY else Qt.AlignmentFlag.AlignRight
                return int(side | Qt.AlignmentFlag.AlignVCenter)
            if section < FIRST:
                return self.COLUMNS[section] if role == Qt.ItemDataRole.DisplayRole else None
            document = self.documents[section - FIRST]
            if role == Qt.ItemDataRole.DisplayRole:
                return document.id
            if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
                return tooltip(f"{document.id} {document.name}")
        return None

    def chunks(self, index: Index) -> tuple[int, ...]:
        """List the passages that a cell counts."""
        tally: Tally = self.rows[index.row()]
        if index.column() >= FIRST:
            return tally.passages.get(self.documents[index.column() - FIRST].id, ())
        return tuple(chunk for chunks in tally.passages.values() for chunk in chunks)

    def count_words(self, index: Index) -> str:
        """Say the count of a cell: '3 passages for “pump” in report.txt'."""
        tally: Tally = self.rows[index.row()]
        many = counted(len(self.chunks(index)), "passage")
        query = tally.query if '"' in tally.query else f"“{tally.query}”"
        if index.column() >= FIRST:
            return f"{many} for {query} in {self.documents[index.column() - FIRST].name}"
        return f"{many} for {query} in {counted(len(tally.passages), 'document')}"

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a role is of a cell."""
        if not index.isValid():
            return None
        tally: Tally = self.rows[index.row()]
        column = index.column()
        count = len(self.chunks(index))
        if role == Qt.ItemDataRole.DisplayRole:
            if column == QUERY:
                return tally.query
            if column == DOCUMENTS:
                return f"{len(tally.passages):,}"
            return f"{count:,}" if count or column == TOTAL else "·"
        if role == Qt.ItemDataRole.TextAlignmentRole and column != QUERY:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ForegroundRole and (not count and column != QUERY):
            return QColor(theme.tokens().muted)
        if role == Qt.ItemDataRole.FontRole and column == TOTAL:
            return theme.sans(bold=True)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.count_words(index)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(" ".join([self.count_words(index) + ".", *tally.notes]))
        return None


class BatchPage(CaseView):
    """A list of searches, their counts by document, and the passages of the count in hand.

    ``opened(Passage)`` when a passage is to be shown on its page, ``chosen_changed(Passage | None)``.
    """

    opened = Signal(object)
    chosen_changed = Signal(object)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._task: Task | None = None
        self.model = TallyModel(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._entry())
        column.addWidget(line())
        self.table = Table(self.model, "Passages for each search and document")
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.horizontalHeader().setDefaultSectionSize(theme.px(56))
        self.table.on_open = self._open_cell
        self.table.clicked.connect(lambda _index: self._open_cell())
        self.passages = PassagesModel(self)
        self.view = PassagesView(self.passages, "Passages of the count")
        self.view.opened.connect(self.opened)
        self.view.selectionModel().currentChanged.connect(lambda *_: self.chosen_changed.emit(self.view.chosen()))
        self.cell = plain("", "strong", wrap=True)
        self.cell.setContentsMargins(24, 8, 24, 8)
        below = QWidget()
        inside = QVBoxLayout(below)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(0)
        inside.addWidget(self.cell)
        inside.addWidget(line())
        inside.addWidget(self.view, 1)
        self._below = below
        split = QSplitter(Qt.Orientation.Vertical)
        split.setHandleWidth(1)
        split.setChildrenCollapsible(False)
        split.addWidget(self.table)
        split.addWidget(below)
        split.setSizes([320, 280])
        below.hide()
        self.empty = EmptyState("search", "Paste a list of searches, one per line: each is counted in every document.")
        self.stack = QStackedWidget()
        self.stack.addWidget(split)
        self.stack.addWidget(self.empty)
        self.stack.setCurrentWidget(self.empty)
        column.addWidget(self.stack, 1)
        self.setFocusProxy(self.field)
        self._allow()

    def _entry(self) -> QWidget:
        entry = QWidget()
        column = QVBoxLayout(entry)
        column.setContentsMargins(24, 12, 24, 12)
        column.setSpacing(8)
        self.field = QPlainTextEdit()
        self.field.setProperty("kind", "field")
        self.field.setPlaceholderText("One search per line; operators work here too")
        self.field.setAccessibleName("Searches, one per line")
        self.field.setTabChangesFocus(True)
        self.field.setFixedHeight(theme.px(84))
        self.field.textChanged.connect(self._allow)
        self._draft = FieldDraft(self.session, self.field, "List of searches")
        column.addWidget(self.field)
        row = QHBoxLayout()
        row.setSpacing(8)
        ways = QHBoxLayout()
        ways.setSpacing(0)
        self.ways = QButtonGroup(self)
        self.way_buttons: dict[str, QPushButton] = {}
        for way, words, tip in (
            ("words", "All words", "Count every passage that contains all words of the search"),
            (
                "meaning",
                "Meaning",
                "Count the passages of high and medium confidence among the first 200 of each search",
            ),
        ):
            choice = QPushButton(words)
            choice.setProperty("kind", "segment")
            choice.setProperty("first", not self.way_buttons)
            choice.setCheckable(True)
            choice.setChecked(way == "words")
            choice.setToolTip(tip)
            choice.setAccessibleName(tip)
            self.ways.addButton(choice)
            self.way_buttons[way] = choice
            ways.addWidget(choice)
        row.addLayout(ways)
        self.count = ElidedLabel("", "muted")
        row.addWidget(self.count, 1)
        self.load_action = self.command("Load a list of searches", None, self.load)
        self.export_action = self.command("Export the counts as CSV", None, self.export)
        self.stop_action = self.command("Stop counting", None, self.stop)
        self.run_action = self.command("Count the hits of every search", "F5", self.run)
        self.load_button = self._button("Load…", self.load_action)
        self.export_button = self._button("Export…", self.export_action)
        self.stop_button = self._button("Stop", self.stop_action)
        self.run_button = self._button("Count", self.run_action)
        self.run_button.setProperty("kind", "primary")
        for each in (self.load_button, self.export_button, self.stop_button, self.run_button):
            row.addWidget(each)
        column.addLayout(row)
        return entry

    def _button(self, words: str, action: QAction) -> QPushButton:
        widget = button(action)
        widget.setText(words)
        return widget

    # --- the list ----------------------------------------------------------------------------------------------------

    def queries(self) -> list[str]:
        """List the searches, each once."""
        lines = (" ".join(query.split()) for query in self.field.toPlainText().splitlines())
        return list(dict.fromkeys(query for query in lines if query))

    def way(self) -> Literal["words", "meaning"]:
        """Return how searches are counted: by all their words, or by meaning."""
        return "meaning" if self.way_buttons["meaning"].isChecked() else "words"

    def load(self) -> None:
        """Take the searches of a text file, one a line."""
        path = self.ask_list(window_state.folder("lists"))
        if path is None:
            return
        window_state.keep_folder("lists", path.parent)
        from core.documents.folder_scan import file_bytes

        try:
            size = path.stat().st_size
            data = file_bytes(path) if size <= MAX_LIST_BYTES else b""
        except UnreadableDocument as error:
            self.session.failed.emit(error)
            return
        except OSError as error:
            why = error.strerror or type(error).__name__
            self.session.failed.emit(
                BadInput(
                    reason=f"The list {path.name} cannot be read ({why}).",
                    remedy="Check that you are allowed to read it.",
                )
            )
            return
        if size > MAX_LIST_BYTES:
            self.session.failed.emit(
                BadInput(
                    reason=f"The file {path.name} is too long for a list of searches ({size:,} bytes).",
                    remedy="Use a text file with one search per line, 1 MB at most.",
                )
            )
            return
        for encoding in ("utf-8-sig", "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "cp1252"):
            try:
                text = data.decode(encoding)
                break
            except UnicodeDecodeError:
                continue
        else:
            text = data.decode("latin-1")
        self.field.setPlainText("\n".join("".join(c if c.isprintable() else " " for c in x) for x in text.splitlines()))

    def run(self) -> None:
        """Count every search of the list, beside the work."""
        queries, way = self.queries(), self.way()
        if not queries or self._task is not None:
            return
        if len(queries) > MAX_QUERIES:
            self.session.failed.emit(
                BadInput(
                    reason=f"The list has {len(queries):,} searches; at most {MAX_QUERIES:,} are counted at once.",
                    remedy="Count it in parts.",
                )
            )
            return
        task = self.session.run(
            f"Counting {counted(len(queries), 'search', 'searches')}",
            lambda bench, progress: bench.search.query_counts(queries, by=way, progress=progress),
            done=self._show_counts,
            initiator=self,
        )
        if task is None:
            return
        self._task = task
        self._draft.end()
        task.progressed.connect(self._tell_progress)
        task.ended.connect(self._finish)
        self.count.setText("Counting")
        self._allow()

    def stop(self) -> None:
        """Stop counting."""
        if self._task is not None:
            self.session.tasks.cancel(self._task)

    def _tell_progress(self) -> None:
        if self._task is not None and self._task.total:
            self.count.setText(f"{self._task.count:,} of {self._task.total:,}")

    def _finish(self) -> None:
        if self._task is not None and self._task.state != "done":
            self.count.setText("Stopped")
        self._task = None
        self._allow()

    def _show_counts(self, tallies: list[Tally]) -> None:
        documents = self.session.do(lambda bench: bench.documents.all()) or []
        self.model.show_tallies(tallies, documents)
        self.table.widths([0, 80, 88], stretch=QUERY)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QUERY, QHeaderView.ResizeMode.Interactive)
        width = theme.px(80 + 88) + theme.px(56) * len(self.model.documents)
        header.resizeSection(QUERY, max(theme.px(220), self.width() - width - 8))
        for at in range(len(self.model.documents)):
            header.resizeSection(FIRST + at, theme.px(56))
        with_hits = sum(bool(tally.total) for tally in tallies)
        self.count.setText(f"{with_hits:,} of {counted(len(tallies), 'search', 'searches')} met")
        self._below.hide()
        self.stack.setCurrentIndex(0)
        if tallies:
            self.table.setCurrentIndex(self.model.index(0, TOTAL))
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        self._allow()

    def forget(self) -> None:
        """Show nothing of the case before."""
        self.model.show_tallies([], [])
        self.passages.show([])
        self.field.clear()
        self.count.setText("")
        self._below.hide()
        self.stack.setCurrentWidget(self.empty)
        self._allow()

    def chosen(self) -> Passage | None:
        """Return the passage in hand below the counts."""
        return self.view.chosen() if self._below.isVisible() else None

    def _open_cell(self) -> None:
        """Show the passages that the cell at the cursor counts."""
        index = self.table.currentIndex()
        if not index.isValid():
            return
        chunks = self.model.chunks(index)
        passages = self.session.do(lambda bench: bench.search.passages(chunks[:500])) if chunks else ()
        self.view.delegate.query = self.model.rows[index.row()].query
        self.passages.show(passages or ())
        more = f"; the first {500}" if len(chunks) > 500 else ""
        self.cell.setText(f"{self.model.count_words(index)}{more}")
        self._below.setVisible(bool(passages))
        if passages:
            self.view.setCurrentIndex(self.passages.index(0, 0))

    def export(self) -> None:
        """Write the counts as comma-separated values."""
        bench = self.session.workbench
        if bench is None or not self.model.rows:
            return
        path = self.ask_path(bench.path.with_name(f"{bench.path.stem} searches.csv"))
        if path is None:
            return
        rows = list(self.model.rows)
        data = self.session.do(lambda bench: bench.search.query_table(rows))
        if data is None:
            return
        from core.report.service import check_target

        try:
            check_target(path)
            whole.write(path, data, never=bench.path)
        except (BadInput, CannotWrite) as error:
            self.session.failed.emit(error)
            return
        self.session.tell(f"Written: {path.name}.{self.session.in_clear}")

    def ask_list(self, start: Path) -> Path | None:
        """Ask for a list; None when the person changed their mind."""
        return file_dialogs.ask_list(self, "Load a list of searches", start)

    def ask_path(self, suggestion: Path) -> Path | None:
        """Ask where the table is to be written; None when the person changed their mind."""
        return file_dialogs.ask_target(
            self,
            "Export the counts",
            suggestion,
            "Tables (*.csv)",
            lambda path: path if path.suffix.lower() == ".csv" else path.with_name(f"{path.name}.csv"),
        )

    def _allow(self) -> None:
        running = self._task is not None
        self.run_action.setEnabled(bool(self.queries()) and not running)
        self.run_button.setVisible(not running)
        self.stop_action.setEnabled(running)
        self.stop_button.setVisible(running)
        self.export_action.setEnabled(bool(self.model.rows) and not running)
