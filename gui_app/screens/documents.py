"""The documents of the case: what is in, what is searched, and what became of the last files that were added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtGui import QColor, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from core.domain import Changes, Document
from gui_app import look
from gui_app.dialogs import files
from gui_app.models.documents import DocumentsModel, ImportModel, Index, SortRole, imported_files
from gui_app.screens.screen import Screen
from gui_app.session import CaseSession
from gui_app.widgets.empty_state import EmptyState
from gui_app.widgets.header import Header
from gui_app.widgets.labels import line, plain
from gui_app.widgets.table import Table
from gui_app.widgets.versions_view import VersionsView
from gui_app.words import counted

if TYPE_CHECKING:
    from core.documents import ImportReport
    from core.library import Versions
    from core.scans import ScanReport
    from gui_app.tasks import Task

_HERE, _IMPORT = 0, 1
_SUPERSEDED_TOLD = "Evidence from a document of which the case has a newer version is flagged in the matrix"
# From which width on a column is shown; name and status always are.
_NEEDED = (
    (DocumentsModel.ADDED, 960),
    (DocumentsModel.SIZE, 820),
    (DocumentsModel.DATE, 700),
    (DocumentsModel.PASSAGES, 560),
    (DocumentsModel.KIND, 480),
)


class _StatusDelegate(QStyledItemDelegate):
    """Words that need attention are in the tone for it; the words themselves say what it is."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        row = index.data(Qt.ItemDataRole.UserRole)
        status = getattr(row, "status", "")
        t = look.tokens()
        colour = t.text
        if status in ("failed", "needs_ocr", "note"):
            colour = t.contradicts
        elif status in ("duplicate", "reading") or not getattr(row, "included", True):
            colour = t.muted
        option.palette.setColor(option.palette.ColorRole.Text, QColor(colour))
        option.palette.setColor(option.palette.ColorRole.HighlightedText, QColor(colour))


class _NameDelegate(QStyledItemDelegate):
    """A document that is left out of the scope is muted."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        row = index.data(Qt.ItemDataRole.UserRole)
        if isinstance(row, Document) and not row.included:
            for role in (option.palette.ColorRole.Text, option.palette.ColorRole.HighlightedText):
                option.palette.setColor(role, QColor(look.tokens().muted))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        option.textElideMode = Qt.TextElideMode.ElideMiddle
        super().paint(painter, option, index)


class DocumentsScreen(Screen):
    """Table of documents, with the import report as a page beside it."""

    name = "Documents"
    icon = "documents"
    concerns = Changes(documents=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._reading: Task | None = None
        self._compared: tuple[str, str] | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.header = Header("Documents")
        column.addWidget(self.header)

        self.open_document = self.command("Open the document", None, self._open, shown_keys="Enter")
        self.scope = self.command("Take into or leave out of the scope", None, self._toggle_scope, shown_keys="Space")
        self.newer = self.command(
            self.tr("Superseded by a newer version"), "Ctrl+Shift+U", self._supersede, tip=_SUPERSEDED_TOLD
        )
        self.not_newer = self.command(self.tr("Not superseded after all"), None, lambda: self._set_newer(""))
        self.compare = self.command(
            self.tr("Compare with the document it is like"),
            "Ctrl+Shift+K",
            self._compare,
            tip=self.tr("Two selected documents, or one and the one it is like, side by side with every difference"),
        )
        self.next_difference = self.command(self.tr("Next difference"), None, lambda: self.versions.step(1))
        self.next_difference.setShortcuts([QKeySequence("F3"), QKeySequence("N")])
        self.previous_difference = self.command(self.tr("Previous difference"), None, lambda: self.versions.step(-1))
        self.previous_difference.setShortcuts([QKeySequence("Shift+F3"), QKeySequence("P")])
        self.difference_page = self.command(self.tr("Open the page of the difference"), "O", self._open_difference)
        self.leave_versions = self.command(self.tr("Back to the documents"), "Esc", self._leave_versions)
        self.filter_action = self.command("Filter the documents", "Ctrl+F", self._find)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter")
        self.filter.setClearButtonEnabled(True)
        self.filter.setAccessibleName("Filter the documents by name, type or status")
        self.filter.setFixedWidth(look.px(180))
        self.header.row.addWidget(self.filter)
        self.add_folder = self._window_button("Add a folder")
        self.add_files = self._window_button("Add files")
        self.add_files.setProperty("kind", "primary")

        self.tabs = QTabBar()
        self.tabs.setAccessibleName("Documents or last import")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.addTab("All")
        self.tabs.addTab("Last import")
        tabs_row = QHBoxLayout()
        tabs_row.setContentsMargins(16, 0, 24, 0)
        tabs_row.addWidget(self.tabs)
        tabs_row.addStretch(1)
        self._tabs_place = QWidget()
        self._tabs_place.setLayout(tabs_row)
        column.addWidget(self._tabs_place)
        column.addWidget(line())

        self.scans_text = plain("", "", wrap=True)
        self.scans_button = QPushButton(self.tr("Read the scans"))
        self.scans_button.clicked.connect(lambda _checked=False: self.read_scans())
        scans_row = QHBoxLayout()
        scans_row.setContentsMargins(24, 8, 24, 8)
        scans_row.addWidget(self.scans_text, 1)
        scans_row.addWidget(self.scans_button)
        self.scans = QWidget()
        self.scans.setLayout(scans_row)
        column.addWidget(self.scans)
        self.scans.hide()
        self.scans_action = self.command(
            self.tr("Read the scans"),
            "Ctrl+Shift+O",
            self.read_scans,
            tip=self.tr("Find the words in pages that are pictures"),
        )

        self.model = DocumentsModel(self)
        self.model.scope.connect(lambda document, wanted: self._set_scope([document], wanted))
        self.proxy = QSortFilterProxyModel(self)
        self.proxy.setSourceModel(self.model)
        self.proxy.setSortRole(SortRole)
        self.proxy.setFilterKeyColumn(-1)
        self.proxy.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.filter.textChanged.connect(self._filtered)
        self.table = Table(self.proxy, "Documents of the case")
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.table.widths([0, 96, 64, 84, 108, 80, 144, 172], stretch=DocumentsModel.NAME)
        self.table.setItemDelegateForColumn(DocumentsModel.NAME, _NameDelegate(self.table))
        self.table.setItemDelegateForColumn(DocumentsModel.STATUS, _StatusDelegate(self.table))
        self.table.opened = self._open
        self.table.spaced = self._toggle_scope
        self.table.selectionModel().currentRowChanged.connect(self._row_changed)

        self.imports = ImportModel(self)
        self.report = QWidget()
        inside = QVBoxLayout(self.report)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(0)
        self.summary = plain("", "", wrap=True)
        self.summary.setContentsMargins(24, 12, 24, 12)
        inside.addWidget(self.summary)
        inside.addWidget(line())
        self.import_table = Table(self.imports, "What became of the files")
        self.import_table.widths([180, 100, 0, 0], stretch=2)
        self.import_table.horizontalHeader().setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
        self.import_table.setItemDelegateForColumn(0, _NameDelegate(self.import_table))
        self.import_table.setItemDelegateForColumn(1, _StatusDelegate(self.import_table))
        self.import_table.opened = self._open_imported
        inside.addWidget(self.import_table, 1)

        self.empty = EmptyState(
            "documents",
            "Drop files or folders here: PDF, Word, text, saved web pages, mails. Originals are kept unchanged.",
            "Add files",
            lambda: self._trigger("Add files"),
        )
        self.pages = QStackedWidget()
        self.versions = VersionsView()
        for action, text in (
            (self.previous_difference, self.tr("Previous  P")),
            (self.next_difference, self.tr("Next  N")),
            (self.difference_page, self.tr("Page  O")),
            (self.leave_versions, self.tr("Back  Esc")),
        ):
            self.versions.offer(action, text)
        for page in (self.table, self.report, self.empty, self.versions):
            self.pages.addWidget(page)
        column.addWidget(self.pages, 1)
        self.tabs.currentChanged.connect(self._turned_tab)
        self.tabs.tabBarClicked.connect(lambda _at: self._turned_tab())
        self.setFocusProxy(self.table)
        session.imported.connect(self._imported)
        session.opened.connect(self._opened)
        self._opened()

    # --- showing -----------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        documents = self.session.do(lambda bench: bench.documents())
        if documents is None:
            return
        self.model.writable = not self.session.read_only
        for part in (self.add_files, self.add_folder, self.empty.button, self.scope):
            part.setEnabled(self.model.writable)
        self.model.likenesses = self.session.do(lambda bench: bench.likenesses()) or {}
        self.model.show(documents)
        pages = sum(document.pages for document in documents)
        words = [counted(len(documents), "document"), counted(pages, "page")]
        out = sum(1 for document in documents if not document.included)
        unread = sum(1 for document in documents if document.status == "needs_ocr")
        if out:
            words.append(f"{out} left out of the scope")
        if unread:
            words.append(f"{unread} without text")
        self.header.count.setText(" · ".join(words) if documents else "")
        self._offer_scans(documents)
        self._show_page()
        self._name_actions()

    def _offer_scans(self, documents: list[Document]) -> None:
        """One line while there are pages without text that an OCR engine here could read."""
        pages = sum(d.pages_without_text for d in documents if d.status in ("ready", "needs_ocr"))
        can = self.session.engines.ocr is not None and self.model.writable
        reading = self._reading is not None and not self._reading.is_over()
        self.scans_action.setEnabled(can and pages > 0 and not reading)
        self.scans_button.setVisible(can)
        self.scans_button.setEnabled(not reading)
        one = self.tr("1 page has no text and is found by no search.")
        many = self.tr("{count} pages have no text and are found by no search.").format(count=f"{pages:,}")
        without = one if pages == 1 else many
        if not can and self.model.writable:
            without += " " + self.tr("No OCR engine is on this computer.")
        self.scans_text.setText(without)
        self.scans.setVisible(pages > 0)

    def read_scans(self) -> None:
        """Read every page that is a picture, beside the work; what is read is found at once."""
        if self._reading is not None and not self._reading.is_over():
            return
        self._reading = self.session.run(
            self.tr("Reading scans"),
            lambda bench, progress: bench.read_scans(None, progress),
            done=self._scans_read,
            partial=Changes(documents=True),
        )
        self.scans_button.setEnabled(False)
        self.scans_action.setEnabled(False)

    def _scans_read(self, report: ScanReport) -> None:
        said = f"{counted(report.pages, 'page')} read, {counted(report.words, 'word')}"
        if report.problems:
            first = report.problems[0]
            said += f"; {counted(len(report.problems), 'page')} not: {first.where}: {first.what} {first.hint}"
        self.session.status.emit(f"{said}.")

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        # A narrow window keeps what tells documents apart; the rest is in the detail panel.
        room = round(self.width() * 100 / look.px(100))  # in pixels at the default text size
        self.filter.setFixedWidth(look.px(100 if room < 560 else 140 if room < 880 else 180))
        self.header.title.setHidden(room < 480)
        for column, needed in _NEEDED:
            self.table.setColumnHidden(column, room < needed)

    def state(self) -> Any:
        return self.tabs.currentIndex(), [document.id for document in self.chosen()], self._compared

    def restore(self, state: Any) -> None:
        tab, ids, compared = state
        self.tabs.setCurrentIndex(tab)
        at = next((row for row, document in enumerate(self.model.rows) if document.id in ids), -1)
        if at >= 0:
            self._select(self.proxy.mapFromSource(self.model.index(at, 0)))
        if compared != self._compared:
            self._leave_versions() if compared is None else self._show_versions(*compared)

    def chosen(self) -> list[Document]:
        """The documents selected in the table."""
        rows = self.table.selectionModel().selectedRows()
        return [self.model.rows[self.proxy.mapToSource(index).row()] for index in rows]

    def _show_page(self) -> None:
        comparing = self._compared is not None
        for action in (self.next_difference, self.previous_difference, self.difference_page, self.leave_versions):
            action.setEnabled(comparing)
        if comparing:
            self.pages.setCurrentWidget(self.versions)
        elif self.tabs.currentIndex() == _IMPORT:
            self.pages.setCurrentWidget(self.report)
        elif not self.model.rows:
            self.pages.setCurrentWidget(self.empty)
        else:
            self.pages.setCurrentWidget(self.table)
        self.filter.setVisible(self.pages.currentWidget() is self.table)

    def _turned_tab(self) -> None:
        self._compared = None
        self._show_page()

    def _opened(self) -> None:
        """Another case: nothing of the one before is on show."""
        self._compared = None
        self.model.show([])
        self.imports.show([])
        self.filter.clear()
        self.tabs.setCurrentIndex(_HERE)
        self._tabs_place.setVisible(False)
        self._dirty = True

    def _filtered(self, text: str) -> None:
        self.proxy.setFilterFixedString(text.strip())

    def _row_changed(self, index: QModelIndex, _before: QModelIndex) -> None:
        self._name_actions()
        if index.isValid():
            self.selected.emit(self.model.rows[self.proxy.mapToSource(index).row()])

    # --- the import report -------------------------------------------------------------------------------------------

    def _imported(self, report: ImportReport) -> None:
        names = {document.id: document.name for document in self.model.rows}
        rows = imported_files(report, names)
        self.imports.show(rows)
        kinds = {"added": ("added", "near_duplicate"), "failed": ("failed",)}
        tally = {name: sum(1 for item in report.documents if item.status in those) for name, those in kinds.items()}
        same = len(report.documents) - sum(tally.values())
        parts = [f"{tally['added']:,} added", counted(same, "duplicate"), f"{tally['failed']:,} failed"]
        inside = sum(1 for item in report.documents if item.parent)
        files = counted(len(report.documents) - inside, "file") + (f" and {inside:,} inside them" if inside else "")
        said = f"{files}: {', '.join(parts)}, in {report.seconds:.1f} s."
        if same:
            said += " A duplicate is never stored twice."
        near = sum(1 for item in report.documents if item.status == "near_duplicate")
        if near:
            said += f" {counted(near, 'document')} nearly the same as another; copies of one report count once."
        self.summary.setText(said)
        failed = tally["failed"]
        self.tabs.setTabText(_IMPORT, f"Last import ({failed} failed)" if failed else "Last import")
        self._tabs_place.setVisible(True)
        self.import_table.setWordWrap(True)
        self.import_table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        for at, row in enumerate(rows[:500]):
            longest = max(len(row.why), len(row.remedy))
            self.import_table.setRowHeight(at, look.px(32 if longest <= 26 else 52 if longest <= 64 else 70))
        if failed or any(row.status == "note" for row in rows):
            self.tabs.setCurrentIndex(_IMPORT)
        else:
            self.session.status.emit(said)
        if len(report.documents) == 0:
            self.session.status.emit("There was no file in it that can be read.")

    def _open_imported(self) -> None:
        index = self.import_table.currentIndex()
        if index.isValid() and self.imports.rows[index.row()].document:
            self.show_source.emit(self.imports.rows[index.row()].document, 1, 0, 0)

    # --- commands ----------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        chosen = self.chosen()
        if chosen:
            self.show_source.emit(chosen[0].id, 1, 0, 0)

    def _toggle_scope(self) -> None:
        chosen = self.chosen()
        if chosen:
            self._set_scope([document.id for document in chosen], not chosen[0].included)

    def _set_scope(self, documents: list[str], included: bool) -> None:
        done = self.session.do(lambda bench: bench.set_included(documents, included), initiator=self)
        if done is not None:
            where = "taken into the scope" if included else "left out of every search"
            self.session.tell(f"{counted(len(documents), 'document')} {where}", undo=True)

    def _name_actions(self) -> None:
        row = self._in_hand()
        self.newer.setEnabled(self.model.writable and row is not None and len(self.model.rows) > 1)
        self.not_newer.setEnabled(self.model.writable and row is not None and bool(row.superseded_by))

    def _in_hand(self) -> Document | None:
        index = self.proxy.mapToSource(self.table.currentIndex())
        return self.model.rows[index.row()] if index.isValid() else None

    def _supersede(self) -> None:
        """Ask which document is the newer version of the one in hand."""
        row = self._in_hand()
        if row is None or not self.model.writable:
            return
        others = [other for other in self.model.rows if other.id != row.id]
        names = [f"{other.id}  {other.name}" + (f"  ({other.date[:10]})" if other.date else "") for other in others]
        chosen = files.ask_newer(self, row.name, names)
        if chosen is not None:
            self._set_newer(others[chosen].id)

    def _set_newer(self, by: str) -> None:
        row = self._in_hand()
        if row is None or not self.model.writable:
            return
        if self.session.do(lambda bench: bench.supersede(row.id, by), initiator=self) is not None:
            newer = next((other.name for other in self.model.rows if other.id == by), by)
            said = self.tr("{0} is superseded by {1}").format(row.name, newer)
            self.session.tell(said if by else self.tr("{0} is not superseded").format(row.name), undo=True)

    def _pair(self) -> tuple[str, str] | None:
        """What a comparison would show, the older one first: two selected documents, or the one in hand and its newer
        version, the one it is like, or one that is like it."""
        chosen = {row.id for row in self.chosen()}
        ids = [row.id for row in self.model.rows if row.id in chosen]  # in the order they came in
        row = self._in_hand()
        if len(ids) == 2:
            first = next(each for each in self.model.rows if each.id == ids[1])
            return (ids[1], ids[0]) if first.superseded_by == ids[0] else (ids[0], ids[1])
        if row is None:
            return None
        if row.superseded_by:
            return row.id, row.superseded_by
        if row.id in self.model.likenesses:
            return self.model.likenesses[row.id].of, row.id
        return next(((row.id, each.document) for each in self.model.likenesses.values() if each.of == row.id), None)

    def _compare(self) -> None:
        pair = self._pair()
        if pair is None:
            self.session.status.emit(self.tr("Select a second document to compare with (Ctrl+click)."))
        else:
            self._show_versions(*pair, step=True)

    def _show_versions(self, one: str, other: str, *, step: bool = False) -> None:
        """Compared beside the work; shown when it is done. ``step``: worth coming back from."""

        def arrived(found: Versions) -> None:
            self._compared = (one, other)
            self.versions.show_versions(found)
            self._show_page()
            self.versions.setFocus()
            if step:
                self.moved.emit()

        self.session.read(lambda bench: bench.compare_versions(one, other), arrived, key=("versions", id(self)))

    def _open_difference(self) -> None:
        place = self.versions.place()
        if place is not None:
            self.show_source.emit(*place)

    def _leave_versions(self) -> None:
        self._compared = None
        self._show_page()
        self.table.setFocus()

    def _find(self) -> None:
        self._compared = None
        self.tabs.setCurrentIndex(_HERE)
        self._show_page()
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.selectAll()

    def _select(self, index: QModelIndex) -> None:
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.table.selectionModel().setCurrentIndex(index, flags)

    def _window_button(self, text: str) -> QPushButton:
        """A button for a command of the whole window."""
        made = QPushButton(text)
        made.setAccessibleName(text)
        made.clicked.connect(lambda _checked=False: self._trigger(text))
        self.header.row.addWidget(made)
        return made

    def _trigger(self, text: str) -> None:
        action = next((action for action in self.window().actions() if action.text() == text), None)
        if action is not None:
            action.trigger()
