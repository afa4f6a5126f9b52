"""The documents of the case: what is in, what is searched, and what became of the last files that were added."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QItemSelectionModel, QPoint, Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QMenu,
    QPushButton,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from core.domain import OF_THE_FILE, Changes, Document
from gui_app import window_state
from gui_app.documents.cell_delegates import NameDelegate, StatusDelegate
from gui_app.documents.documents_model import (
    STATES,
    Chosen,
    DocumentsFilter,
    DocumentsModel,
    ImportModel,
    imported_files,
    stored_files,
)
from gui_app.documents.folder_watch import FolderWatch
from gui_app.documents.import_preview import ImportSheet, worth_saying
from gui_app.documents.removal_dialog import Removal, ask_removal
from gui_app.documents.side_list import SideList
from gui_app.documents.version_compare import VersionsView
from gui_app.session import CaseSession
from gui_app.shared import file_dialogs as files
from gui_app.shared import theme
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.formatting import counted, lasting, when
from gui_app.shared.header import Header
from gui_app.shared.index_status_bar import EmbeddingStrip
from gui_app.shared.labels import line, plain
from gui_app.shared.screen import Screen
from gui_app.shared.table import Table
from gui_app.shared.table_models import Index

if TYPE_CHECKING:
    from core.documents.importing import ImportReport
    from core.documents.service import Preview, Versions
    from core.ocr.service import ScanReport
    from core.progress import Progress
    from core.store import Dependents, ImportedRow
    from core.workbench import Workbench
    from gui_app.tasks import Task

FILTER_MS = 60  # a person who types is not shown every list on the way
_HERE, _IMPORT, _FAILED, _REMOVED = range(4)
_SUPERSEDED_TOLD = "Evidence from a document of which the case has a newer version is flagged in the matrix"
# From which width on a column is shown; name and status always are.
_NEEDED = (
    (DocumentsModel.ADDED, 1240),
    (DocumentsModel.SIZE, 1120),
    (DocumentsModel.LANGUAGE, 960),
    (DocumentsModel.KIND, 860),
    (DocumentsModel.TAGS, 720),
    (DocumentsModel.GRADE, 640),
    (DocumentsModel.DATE, 560),
    (DocumentsModel.PAGES, 440),
)


class DocumentsScreen(Screen):
    """Table of documents, with the import report as a page beside it."""

    name = "Documents"
    icon = "documents"
    leads_viewer = True
    concerns = Changes(documents=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._reading: Task | None = None
        self._comparison: tuple[str, str] | None = None
        self._selection: tuple[Document, ...] = ()
        self._reread: ImportReport | None = None  # what became of files that failed before
        self._imported_at = ""  # when the files came in that the report is about
        self._scans_wanted = False
        self._wide = False  # whether what is around made way for two texts
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.header = Header("Documents")
        column.addWidget(self.header)

        self.open_document = self.command("Open the document", None, self._open, shown_keys="Enter")
        self.scope = self.command("Put in or out of scope", None, self._toggle_scope, shown_keys="Space")
        self.newer = self.command(
            "Superseded by a newer version", "Ctrl+Shift+U", self._supersede, tip=_SUPERSEDED_TOLD
        )
        self.not_newer = self.command("Not superseded after all", None, lambda: self._set_newer(""))
        self.compare = self.command(
            "Compare with the similar document",
            "Ctrl+Shift+K",
            self._compare,
            tip="Two selected documents, or one and the one it resembles, side by side with every difference",
        )
        self.next_difference = self.command("Next difference", None, lambda: self.versions.step(1))
        self.next_difference.setShortcuts([QKeySequence("F3"), QKeySequence("N")])
        self.previous_difference = self.command("Previous difference", None, lambda: self.versions.step(-1))
        self.previous_difference.setShortcuts([QKeySequence("Shift+F3"), QKeySequence("P")])
        self.difference_page = self.command("Open the page of the difference", "O", self._open_difference)
        self.leave_versions = self.command("Back to the documents", "Esc", self._leave_versions)
        self.remove_action = self.command(
            "Remove the documents",
            "Del",
            self._remove,
            tip="Remove the selected documents from the case, with what rests on them",
        )
        self.describe_action = self.command(
            "Describe the documents", "F2", self._describe, tip="Tags, origin, grade, date and note"
        )
        self.tag_action = self.command("Add tags", "Ctrl+Shift+T", self._add_tags)
        self.retry_action = self.command("Try again", "Ctrl+R", self._retry)
        self.retry_action.setToolTip("Read the selected files again, from the copies in the case")
        self.unlock_action = self.command("Give a password", "Ctrl+Shift+G", self._unlock)
        self.unlock_action.setToolTip("Read the selected files with their password; one is tried on all")
        self.forget_action = self.command("Remove from list", None, self._remove)
        self.restore_action = self.command("Restore", "Ctrl+Shift+B", self._restore)
        self.watch_action = self.command(
            "Watch a folder",
            "Ctrl+Shift+Y",
            self._watch_folder,
            tip="New and changed files there are offered, never added automatically",
        )
        self.unwatch_action = self.command("Stop watching folders", None, lambda: self.watch.stop())
        self.narrow_action = self.command("Filter the list", "Ctrl+Shift+L", lambda: self.narrow.showMenu())
        self.filter_action = self.command("Filter the documents", "Ctrl+F", self._find)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter")
        self.filter.setClearButtonEnabled(True)
        self.filter.setAccessibleName("Filter the documents by name, type or status")
        self.filter.setFixedWidth(theme.px(180))
        self.header.row.addWidget(self.filter)
        self.narrow = QPushButton()
        self.narrow.setAccessibleName("Filter by state or tag")
        self.narrow.setMenu(QMenu(self.narrow))
        self.narrow.menu().aboutToShow.connect(self._fill_narrow)
        self.header.row.addWidget(self.narrow)
        self.add_folder = self._window_button("Add a folder")
        self.add_files = self._window_button("Add files")
        self.add_files.setProperty("kind", "primary")

        self.tabs = QTabBar()
        self.tabs.setAccessibleName("Documents or last import")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.addTab("All")
        self.tabs.addTab("Last import")
        self.tabs.addTab("Not read")
        self.tabs.addTab("Removed")
        tabs_row = QHBoxLayout()
        tabs_row.setContentsMargins(16, 0, 24, 0)
        tabs_row.addWidget(self.tabs)
        tabs_row.addStretch(1)
        self._tabs_place = QWidget()
        self._tabs_place.setLayout(tabs_row)
        column.addWidget(self._tabs_place)
        column.addWidget(line())

        self.sheet = ImportSheet()
        column.addWidget(self.sheet)
        self.sheet_line = line()
        column.addWidget(self.sheet_line)
        self.sheet.shown.connect(self.sheet_line.setVisible)
        self.sheet.answered.connect(lambda: self.setFocus(Qt.FocusReason.OtherFocusReason))
        self.sheet_line.hide()

        self.embedding = EmbeddingStrip(session, self, tidying=True)
        column.addWidget(self.embedding)

        self.scans_text = plain("", "", wrap=True)
        self.scans_button = QPushButton("Read the scans")
        self.scans_button.clicked.connect(lambda _on=False: self.read_scans())
        scans_row = QHBoxLayout()
        scans_row.setContentsMargins(24, 8, 24, 8)
        scans_row.addWidget(self.scans_text, 1)
        self.poor_button = QPushButton("Look at the text")
        self.poor_button.setToolTip("Open the first page whose text should be checked; L keeps it as it is")
        self.poor_button.clicked.connect(self._show_poor)
        scans_row.addWidget(self.poor_button)
        scans_row.addWidget(self.scans_button)
        self.scans = QWidget()
        self.scans.setLayout(scans_row)
        column.addWidget(self.scans)
        self.scans.hide()
        self.scans_action = self.command(
            "Read the scans",
            "Ctrl+Shift+O",
            self.read_scans,
            tip="Run OCR on pages that are images",
        )

        self.model = DocumentsModel(self)
        self.model.scope.connect(lambda document, in_scope: self._set_scope([document], in_scope))
        self.proxy = DocumentsFilter(self)
        self.proxy.setSourceModel(self.model)
        self._filter_soon = QTimer(self)
        self._filter_soon.setSingleShot(True)
        self._filter_soon.setInterval(FILTER_MS)
        self._filter_soon.timeout.connect(self._apply_filter)
        self.filter.textChanged.connect(self._filter_soon.start)
        self.filter.returnPressed.connect(self._go_to_first)
        down = QShortcut(QKeySequence(Qt.Key.Key_Down), self.filter, self._go_to_first)
        down.setContext(Qt.ShortcutContext.WidgetShortcut)
        self.table = Table(self.proxy, "Documents of the case")
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(DocumentsModel.ORDER, Qt.SortOrder.AscendingOrder)
        self.table.widths([0, 76, 60, 104, 92, 112, 60, 80, 144, 240], stretch=DocumentsModel.NAME)
        self.table.setColumnHidden(DocumentsModel.ORDER, True)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._context_menu)
        self.table.setItemDelegateForColumn(DocumentsModel.NAME, NameDelegate(self.table))
        self.table.setItemDelegateForColumn(DocumentsModel.STATUS, StatusDelegate(self.table))
        self.table.opened = self._open
        self.table.spaced = self._toggle_scope
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._chose())

        self.imports = ImportModel(self)
        self.report = QWidget()
        inside = QVBoxLayout(self.report)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(0)
        self.summary = plain("", "", wrap=True)
        self.summary.setContentsMargins(24, 12, 24, 12)
        inside.addWidget(self.summary)
        inside.addWidget(line())
        self.import_table = Table(self.imports, "What happened to the files")
        self.import_table.widths([180, 100, 0, 0], stretch=2)
        self.import_table.horizontalHeader().setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
        self.import_table.setItemDelegateForColumn(0, NameDelegate(self.import_table))
        self.import_table.setItemDelegateForColumn(1, StatusDelegate(self.import_table))
        self.import_table.wrap()
        self.import_table.opened = self._open_imported
        inside.addWidget(self.import_table, 1)
        self.report.setFocusProxy(self.import_table)

        self.failed_list = SideList(
            "These files are stored in the case but could not be read, so search can’t find them.",
            "Files that could not be read",
            (self.unlock_action, self.retry_action, self.forget_action),
        )
        self.removed_list = SideList(
            "Removed from the case: neither listed nor searched. Their files are kept.",
            "Documents that were removed",
            (self.restore_action,),
        )
        self.failed_list.table.setItemDelegateForColumn(0, NameDelegate(self.failed_list.table))
        self.removed_list.table.setItemDelegateForColumn(0, NameDelegate(self.removed_list.table))
        self.failed_list.table.opened = self._retry
        self.removed_list.table.opened = self._restore
        for apart in (self.failed_list, self.removed_list):
            apart.table.selectionModel().selectionChanged.connect(lambda *_: self._chose_apart())

        self.empty = EmptyState(
            "documents",
            "Drop files or folders here: PDF, Word, text, saved web pages, mails. Originals are kept unchanged.",
            "Add files",
            lambda: self._trigger("Add files"),
        )
        self.empty.setFocusProxy(self.empty.button)
        self.pages = QStackedWidget()
        self.versions = VersionsView()
        for action, text in (
            (self.previous_difference, "Previous  P"),
            (self.next_difference, "Next  N"),
            (self.difference_page, "Page  O"),
            (self.leave_versions, "Back  Esc"),
        ):
            self.versions.offer(action, text)
        for page in (self.table, self.report, self.empty, self.versions, self.failed_list, self.removed_list):
            self.pages.addWidget(page)
        column.addWidget(self.pages, 1)
        self.tabs.currentChanged.connect(self._show_tab)
        self.tabs.tabBarClicked.connect(lambda _at: self._show_tab())
        self.watch = FolderWatch(session, self)
        self.watch.found.connect(self._offer_new)
        session.imported.connect(self._show_report)
        self.forget()

    # --- showing -----------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        documents = self.session.do(lambda bench: bench.documents.all())
        if documents is None:
            return
        self.model.writable = not self.session.read_only
        for part in (self.add_files, self.add_folder, self.empty.button, self.scope, self.watch_action):
            part.setEnabled(self.model.writable)
        self.model.likenesses = self.session.do(lambda bench: bench.documents.near_duplicates()) or {}
        ids = {document.id for document in self.chosen()}
        self.model.show(documents)
        if ids and not self.chosen():
            self._select_all(ids)  # the rows were made anew
        self._fit_columns()
        if self.proxy.state:
            self.proxy.arrange()  # what a row is in depends on others
        self._show_apart()
        self._count()
        self._offer_scans(documents)
        self._show_page()
        self._name_actions()

    def _count(self) -> None:
        """How many documents there are, and of how many the filter leaves how many."""
        documents, visible = self.model.rows, self.proxy.rowCount()
        pages = sum(document.pages for document in documents)
        many = counted(len(documents), "document")
        words = [many if visible == len(documents) else f"{visible:,} of {many}", counted(pages, "page")]
        out = sum(1 for document in documents if not document.included)
        unread = sum(1 for document in documents if document.status == "needs_ocr")
        if out:
            words.append(f"{out} out of scope")
        if unread:
            words.append(f"{unread} without text")
        if failures := len(self.failed_list.model.rows):
            words.append(f"{failures} not read")
        self.header.count.setText(" · ".join(words) if documents or failures else "")

    def _show_apart(self) -> None:
        """The documents apart, and the tabs that there is something behind."""
        failures = self.session.do(lambda bench: bench.documents.failed()) or []
        removals = self.session.do(lambda bench: bench.documents.removed()) or []
        locked_ids = self.session.do(lambda bench: bench.documents.locked()) or set()
        self.failed_list.show_documents(failures, frozenset(locked_ids))
        self.removed_list.show_documents(removals)
        self.tabs.setTabText(_FAILED, f"Not read ({len(failures)})")
        self.tabs.setTabText(_REMOVED, f"Removed ({len(removals)})")
        self.tabs.setTabVisible(_FAILED, bool(failures))
        self.tabs.setTabVisible(_REMOVED, bool(removals))
        if not self.session.tasks.busy():  # one that was stopped is known by what the case keeps of it
            rows = self._import_rows(0)
            if rows and rows[0].at != self._imported_at:
                self._imported_at = rows[0].at
                self._show_kept(*self._last_import(rows))
        self.tabs.setTabVisible(_IMPORT, bool(self.imports.rows))
        self._tabs_place.setVisible(bool(self.imports.rows or failures or removals))
        self.tabs.updateGeometry()  # Qt does not, for tabs that change while they are hidden: they would be cut

    def _offer_scans(self, documents: list[Document]) -> None:
        """One line while there are pages without text that an OCR engine here could read."""
        pages = sum(d.pages_without_text for d in documents if d.status in ("ready", "needs_ocr"))
        waiting = self.session.do(lambda bench: bench.ocr.unread_pages()) or {}
        poor = sum(waiting[d.id][1] for d in documents if d.id in waiting)
        can = self.session.engines.ocr is not None and self.model.writable
        reading = self._reading is not None and not self._reading.is_over()
        self.scans_action.setEnabled(can and pages + poor > 0 and not reading)
        self.scans_button.setVisible(can)
        self.poor_button.setVisible(poor > 0)
        self.scans_button.setEnabled(not reading)
        one = "1 page has no text, so search can’t find it."
        many = f"{pages:,} pages have no text, so search can’t find them."
        without = "" if not pages else one if pages == 1 else many
        if poor:
            one = "1 page has text that looks garbled or doesn’t match the page image."
            many = "{count} pages have text that looks garbled or doesn’t match the page image."
            many = many.format(count=f"{poor:,}")
            without = f"{without} {one if poor == 1 else many}".strip()
        if not can and self.model.writable:
            without += " " + "No OCR engine is on this computer."
        self.scans_text.setText(without)
        self._scans_wanted = pages + poor > 0
        self._show_scans()

    def _show_scans(self) -> None:
        is_listed = self.tabs.currentIndex() == _HERE and self._comparison is None
        self.scans.setVisible(self._scans_wanted and is_listed)

    def _show_poor(self) -> None:
        """Open the first page whose text does not look like text."""

        def first(bench: Workbench) -> tuple[str, int] | None:
            poor = (document for document, (_, pages) in bench.ocr.unread_pages().items() if pages)
            pages = ((each, page) for each in poor for page in bench.ocr.pages_to_read(each))
            return next(((each, page.number) for each, page in pages if page.source in OF_THE_FILE), None)

        place = self.session.do(first)
        if place is not None:
            self.show_source.emit(*place, 0, 0)

    def read_scans(self) -> None:
        """Read every page that is a picture, beside the work; what is read is found at once."""
        if self._reading is not None and not self._reading.is_over():
            return
        self._reading = self.session.run(
            "Reading scans",
            lambda bench, progress: bench.ocr.read(None, progress),
            done=self._tell_scans,
            partial=Changes(documents=True),
        )
        self.scans_button.setEnabled(False)
        self.scans_action.setEnabled(False)

    def _tell_scans(self, report: ScanReport) -> None:
        message = f"{counted(report.pages, 'page')} read, {counted(report.words, 'word')}"
        if report.problems:
            first = report.problems[0]
            message += f"; {counted(len(report.problems), 'page')} not: {first.where}: {first.what} {first.hint}"
        self.session.status.emit(f"{message}.")

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        # A narrow window keeps what tells documents apart; the rest is in the detail panel.
        room = round(self.width() * 100 / theme.px(100))  # in pixels at the default text size
        self.filter.setFixedWidth(theme.px(100 if room < 560 else 140 if room < 880 else 180))
        self.header.title.setHidden(room < 480)
        self.header.count.setHidden(room < 680)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """The columns that there is room for and something to say in; a name has what is left."""
        room = round(self.width() * 100 / theme.px(100))
        has_values = {
            DocumentsModel.TAGS: any(row.tags for row in self.model.rows),
            DocumentsModel.GRADE: any(row.reliability or row.information for row in self.model.rows),
            DocumentsModel.DATE: any(row.dated or row.date for row in self.model.rows),
            DocumentsModel.LANGUAGE: any(row.language for row in self.model.rows),
        }
        for column, width in _NEEDED:
            self.table.setColumnHidden(column, room < width or not has_values.get(column, True))

    def state(self) -> Any:
        return self.tabs.currentIndex(), [document.id for document in self.chosen()], self._comparison

    def restore(self, state: Any) -> None:
        tab, ids, comparison = state
        self.tabs.setCurrentIndex(tab)
        at = next((row for row, document in enumerate(self.model.rows) if document.id in ids), -1)
        if at >= 0:
            self._select_all(set(ids))
        if comparison != self._comparison:
            self._leave_versions() if comparison is None else self._show_versions(*comparison)

    def chosen(self) -> list[Document]:
        """The documents selected in the table."""
        rows = self.table.selectionModel().selectedRows()
        return [self.model.rows[self.proxy.mapToSource(index).row()] for index in rows]

    def _show_page(self) -> None:
        comparing = self._comparison is not None
        for action in (self.next_difference, self.previous_difference, self.difference_page, self.leave_versions):
            action.setEnabled(comparing)
        page: QWidget = self.table
        if comparing:
            page = self.versions
        elif self.tabs.currentIndex() == _IMPORT:
            page = self.report
        elif self.tabs.currentIndex() == _FAILED:
            page = self.failed_list
        elif self.tabs.currentIndex() == _REMOVED:
            page = self.removed_list
        elif not self.model.rows:
            page = self.empty
        self.pages.setCurrentWidget(page)
        self.setFocusProxy(page)
        is_listed = self.pages.currentWidget() is self.table
        self.filter.setVisible(is_listed)
        self.narrow.setVisible(is_listed)
        self._show_scans()
        if comparing != self._wide:
            self._wide = comparing
            self.room_changed.emit()

    def wants_room(self) -> bool:
        """Two texts stand beside each other."""
        return self._comparison is not None

    def _show_tab(self) -> None:
        self._comparison = None
        self._show_page()
        self.selected.emit(None)
        if self.tabs.currentIndex() == _HERE:
            self._selection = ()
            self._chose()
        else:
            self._chose_apart()
        self._name_actions()

    def forget(self) -> None:
        self._comparison = None
        self.model.show([])
        self.imports.show([])
        self._imported_at = ""
        self.failed_list.show_documents([])
        self.removed_list.show_documents([])
        self.sheet.hide()
        self._selection = ()
        self.filter.clear()
        self._apply_filter()
        self._narrow("", "")
        self.tabs.setCurrentIndex(_HERE)
        self._tabs_place.setVisible(False)

    def _apply_filter(self) -> None:
        self._filter_soon.stop()
        self.proxy.narrow(text=self.filter.text())
        self._count()
        self._chose()  # what is no longer listed is no longer selected

    def _go_to_first(self) -> None:
        """From the filter to what it found."""
        self._apply_filter()
        if self.proxy.rowCount():
            self._select(self.proxy.index(0, DocumentsModel.NAME))
            self.table.setFocus()

    def _narrow(self, state: str, tag: str) -> None:
        """Show documents of one state or with one tag alone; both empty: all."""
        self._filter_soon.stop()
        self.proxy.narrow(text=self.filter.text(), state=state, tag=tag)
        self._count()
        self._chose()
        words = f"Tag: {tag}" if tag else STATES.get(state, "All")
        self.narrow.setText(words)

    def _fill_narrow(self) -> None:
        menu = self.narrow.menu()
        menu.clear()

        def offer(text: str, state: str, tag: str) -> None:
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setChecked((state, tag) == (self.proxy.state, self.proxy.tag))
            action.triggered.connect(lambda _on=False: self._narrow(state, tag))

        offer("All", "", "")
        menu.addSeparator()
        for state, words in STATES.items():
            offer(words, state, "")
        tags = self.session.do(lambda bench: bench.documents.tags()) or []
        if tags:
            menu.addSection("Tags")
            for tag in tags:
                offer(tag, "", tag)

    def _context_menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.addActions([self.open_document, self.scope])
        menu.addSeparator()
        menu.addActions([self.describe_action, self.tag_action])
        menu.addSeparator()
        menu.addActions([self.compare, self.newer, self.not_newer])
        menu.addSeparator()
        menu.addAction(self.remove_action)
        menu.exec(self.table.viewport().mapToGlobal(at))
        menu.deleteLater()

    def current_item(self) -> object:
        """One document, or several at once."""
        page = self.pages.currentWidget()
        documents = self.chosen() if page is self.table else page.chosen() if isinstance(page, SideList) else []
        if len(documents) > 1:
            return Chosen(tuple(documents)) if page is self.table else None
        return documents[0] if documents else None

    def _chose(self) -> None:
        """What is selected is shown in the details."""
        self._name_actions()
        documents = tuple(self.chosen())
        if (
            tuple(d.id for d in documents) != tuple(d.id for d in self._selection)
            and self.pages.currentWidget() is self.table
        ):
            self.selected.emit(self.current_item())
        self._selection = documents

    def _chose_apart(self) -> None:
        self._name_actions()
        if self.pages.currentWidget() is self._apart():
            self.selected.emit(self.current_item())

    def _apart(self) -> SideList:
        return self.removed_list if self.tabs.currentIndex() == _REMOVED else self.failed_list

    # --- the import report -------------------------------------------------------------------------------------------

    def _import_rows(self, run: int) -> list[ImportedRow]:
        """Ask for the files of one import; 0 is the last."""
        return self.session.do(lambda bench: bench.documents.imports(run)) or []

    def _last_import(self, rows: Sequence[ImportedRow]) -> tuple[Sequence[ImportedRow], str]:
        """The files of the last import and when it was, with what became of those that were only read again since."""
        at, run = rows[0].at, rows[0].run
        while run > 1:
            before = self._import_rows(run - 1)
            failures = {row.document for row in before if row.status == "failed"}
            again = {row.document: row for row in rows if not row.parent}
            if None in again or not set(again) <= failures:
                break
            inside = [row for row in rows if row.parent]
            rows = [again.get(row.document, row) if row.document in failures else row for row in before] + inside
            at, run = before[0].at, run - 1
        return rows, at

    def _name_import(self, failures: int) -> None:
        self.tabs.setTabText(_IMPORT, f"Last import ({failures} failed)" if failures else "Last import")

    def _show_kept(self, import_rows: Sequence[ImportedRow], at: str) -> None:
        """The last import as the case remembers it."""
        names = {document.id: document.name for document in self.model.rows}
        rows = stored_files(import_rows, names)
        self.imports.show(rows)
        parts = [f"{sum(row.status == status for row in rows):,} {status}" for status in ("added", "failed")]
        parts.insert(1, counted(sum(row.status == "duplicate" for row in rows), "duplicate"))
        summary = "{} on {}: {}.".format(counted(len(import_rows), "file"), when(at), ", ".join(parts))
        self.summary.setText(summary)
        self._name_import(sum(row.status == "failed" for row in rows))

    def _show_report(self, report: ImportReport) -> None:
        import_rows = self._import_rows(0)
        self._imported_at = import_rows[0].at if import_rows else ""
        if report is self._reread and import_rows:  # no import of its own: the report of the last one goes on
            self._show_kept(*self._last_import(import_rows))
            self._embed(report)
            return
        names = {document.id: document.name for document in self.model.rows}
        rows = imported_files(report, names)
        self.imports.show(rows)
        kinds = {"added": ("added", "near_duplicate"), "failed": ("failed",)}
        tally = {name: sum(1 for item in report.documents if item.status in those) for name, those in kinds.items()}
        same = len(report.documents) - sum(tally.values())
        parts = [f"{tally['added']:,} added", counted(same, "duplicate"), f"{tally['failed']:,} failed"]
        inside = sum(1 for item in report.documents if item.parent)
        files = counted(len(report.documents) - inside, "file") + (f" and {inside:,} inside them" if inside else "")
        summary = f"{files}: {', '.join(parts)}, in {lasting(report.seconds)}."
        if same:
            summary += " A duplicate is never stored twice."
        near = sum(1 for item in report.documents if item.status == "near_duplicate")
        if near:
            summary += f" {counted(near, 'document')} nearly the same as another; copies of one report count once."
        self.summary.setText(summary)
        failures = tally["failed"]
        self._name_import(failures)
        self._tabs_place.setVisible(True)
        self.tabs.setTabVisible(_IMPORT, True)
        newer = [item for item in report.documents if item.version_of]
        if newer:
            quotes = sum(len(item.dependents) for item in newer)
            text = "{} superseded".format(counted(len(newer), "document"))
            if quotes:
                one = "; 1 piece of evidence quotes an older version"
                many = f"; {quotes:,} pieces of evidence quote an older version"
                text += one if quotes == 1 else many
            self.session.tell(text, undo=True)
        if failures or any(row.status == "note" for row in rows):
            self.tabs.setCurrentIndex(_IMPORT)
        else:
            self.session.status.emit(summary)
        if len(report.documents) == 0:
            self.session.status.emit("It has no file that can be read.")
        self._embed(report)

    def _embed(self, report: ImportReport) -> None:
        if self.session.engines.embedder is not None and any(item.id for item in report.documents):
            self.embedding.embed()  # the report is there at once; reading is some twenty times faster than this

    def _open_imported(self) -> None:
        index = self.import_table.currentIndex()
        if index.isValid() and self.imports.rows[index.row()].document:
            self.show_source.emit(self.imports.rows[index.row()].document, 1, 0, 0)

    # --- commands ----------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        documents = self.chosen()
        if documents:
            self.show_source.emit(documents[0].id, 1, 0, 0)

    def _toggle_scope(self) -> None:
        documents = self.chosen()
        if documents:
            self._set_scope([document.id for document in documents], not documents[0].included)

    def _set_scope(self, documents: list[str], in_scope: bool) -> None:
        result = self.session.do(lambda bench: bench.documents.set_included(documents, in_scope), initiator=self)
        if result is not None:
            where = "put in scope" if in_scope else "taken out of scope"
            self.session.tell(f"{counted(len(documents), 'document')} {where}", undo=True)

    def _name_actions(self) -> None:
        row = self._in_hand()
        writable, is_listed = self.model.writable, self.pages.currentWidget() is self.table
        some = writable and is_listed and bool(self.chosen())
        for action in (self.describe_action, self.tag_action):
            action.setEnabled(some)
        apart = self.pages.currentWidget() in (self.failed_list, self.removed_list)
        on_failures = self.pages.currentWidget() is self.failed_list
        at_hand = {document.id for document in self.failed_list.at_hand()}
        self.remove_action.setEnabled(some or (writable and on_failures and bool(self.failed_list.chosen())))
        self.forget_action.setEnabled(writable and on_failures and bool(self.failed_list.chosen()))
        self.retry_action.setEnabled(writable and on_failures and bool(at_hand))
        self.unlock_action.setEnabled(writable and on_failures and bool(at_hand & self.failed_list.model.locked_ids))
        self.restore_action.setEnabled(writable and apart and not on_failures and bool(self.removed_list.model.rows))
        self.newer.setEnabled(self.model.writable and row is not None and len(self.model.rows) > 1)
        self.not_newer.setEnabled(self.model.writable and row is not None and bool(row.superseded_by))

    def _describe(self) -> None:
        """Go to the fields of the details, where what is selected is described."""
        detail = getattr(self.window(), "detail", None)
        if detail is None:
            return
        if not detail.isVisible():
            self._trigger("Show or hide the details")
        detail.edit_fields()

    def _add_tags(self) -> None:
        ids = [document.id for document in self.chosen()]
        tags = files.ask_tags(self, len(ids)) if ids else []
        if tags and self._tagged(ids, tags):
            message = "{}: {}".format(counted(len(ids), "document"), ", ".join(tags))
            self.session.tell(message, undo=True)

    def _tagged(self, ids: list[str], tags: list[str]) -> bool:
        result = self.session.do(lambda bench: bench.documents.describe(ids, add_tags=tags), initiator=self)
        return result is not None

    # --- removal, and what is apart ----------------------------------------------------------------------------------

    def _remove(self) -> None:
        """Take out what is selected; ask only where something rests on it."""
        apart = self.pages.currentWidget() is self.failed_list
        documents = self.failed_list.chosen() if apart else self.chosen()
        ids = [document.id for document in documents]
        if not ids or not self.model.writable:
            return
        dependents = self.session.do(lambda bench: bench.documents.dependents(ids))
        if dependents is None:
            return
        if dependents.some and not ask_removal(self, self._going(documents, dependents)):
            return
        result = self.session.do(lambda bench: bench.documents.remove(ids, with_evidence=True), initiator=self)
        if result is not None:
            message = counted(len(dependents.documents), "document")
            if dependents.evidence:
                message += " and {} of evidence".format(counted(len(dependents.evidence), "piece"))
            self.session.tell(f"{message} removed", undo=True)

    def _going(self, documents: Sequence[Document], dependents: Dependents) -> Removal:
        """What would go, in words."""
        rows = (*self.model.rows, *self.failed_list.model.rows)
        names = {document.id: document.name for document in rows}
        texts = {item.id: item.text for item in self.session.do(lambda bench: bench.evidence.all()) or []}
        resting = self.session.do(lambda bench: bench.matrix.removal_impact(*dependents.documents))
        return Removal(
            documents=tuple(document.name for document in documents),
            children=tuple(f"{each}  {names.get(each, each)}" for each in dependents.children),
            rows=tuple(f"{each}  {' '.join(texts.get(each, '').split())[:140]}" for each in dependents.evidence),
            cells=dependents.cells,
            proposals=dependents.proposals,
            judgements=dependents.judged,
            sentences=resting.sentences if resting is not None and dependents.evidence else (),
            reports=dependents.reports,
        )

    def _restore(self) -> None:
        ids = [document.id for document in self.removed_list.at_hand()]
        if ids and self.session.do(lambda bench: bench.documents.restore(ids), initiator=self) is not None:
            self.session.tell("{} restored".format(counted(len(ids), "document")), undo=True)

    def _retry(self) -> None:
        ids = [document.id for document in self.failed_list.at_hand()]
        if ids and self.retry_action.isEnabled():
            self._read_again(ids, "")

    def _unlock(self) -> None:
        """Ask for the password of what is selected, or of all that needs one."""
        documents = [
            document for document in self.failed_list.at_hand() if document.id in self.failed_list.model.locked_ids
        ]
        if not documents:
            return
        password = files.ask_password(self, [document.name for document in documents])
        if password:
            self._read_again([document.id for document in documents], password)

    def _read_again(self, ids: list[str], password: str) -> None:
        def read(bench: Workbench, progress: Progress) -> ImportReport:
            return bench.documents.unlock(ids, password, progress) if password else bench.documents.retry(ids, progress)

        def done(report: ImportReport) -> None:
            self.session.last_import = self._reread = report
            self.session.imported.emit(report)
            read_now = sum(item.status != "failed" for item in report.documents)
            left = sum(item.status == "failed" for item in report.documents)
            message = "{} read".format(counted(read_now, "file"))
            if left and password:
                message = "Wrong password for {}".format(counted(left, "file"))
            elif left:
                message += f", {left:,} still not"
            self.session.tell(message)
            self.tabs.setCurrentIndex(_FAILED if left else _HERE)

        title = "Reading {} again".format(counted(len(ids), "file"))
        self.session.run(title, read, done=done, partial=Changes(documents=True))

    # --- before files are added --------------------------------------------------------------------------------------

    def consider(self, paths: Sequence[Path]) -> None:
        """Look at files before they are added; ask only where there is something to say."""

        def looked(preview: Preview) -> None:
            if not worth_saying(preview):
                self.session.dropped.emit(list(paths))
                return
            names = {document.id: document.name for document in self.model.rows}
            self.tabs.setCurrentIndex(_HERE)
            self.sheet.ask(preview, names, self.session.dropped.emit)
            self.sheet.first_button().setFocus()

        self.session.run(
            "Looking at {}".format(counted(len(paths), "file") if len(paths) > 1 else paths[0].name),
            lambda bench, progress: bench.documents.preview(paths, progress),
            done=looked,
        )

    def _watch_folder(self) -> None:
        folder = files.ask_folder(self, "Watch a folder for new files", window_state.folder("documents"))
        if folder is not None:
            self.watch.add(folder)
            self.session.tell(f"{folder.name} is watched: new files there are offered here")

    def _offer_new(self, folder: Path, paths: list[Path]) -> None:
        """New files in a watched folder, one line above the table."""
        if not self.sheet.waits():
            self.sheet.offer(folder.name, paths, self._add_found, lambda: self.watch.decline(paths))

    def _add_found(self, paths: list[Path]) -> None:
        self.watch.decline(paths)  # they are added as they are now; a later change is offered again
        self.session.dropped.emit(paths)

    # --- versions ----------------------------------------------------------------------------------------------------

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
        choice = files.ask_newer(self, row.name, names)
        if choice is not None:
            self._set_newer(others[choice].id)

    def _set_newer(self, by: str) -> None:
        row = self._in_hand()
        if row is None or not self.model.writable:
            return
        if self.session.do(lambda bench: bench.documents.supersede(row.id, by), initiator=self) is not None:
            newer = next((other.name for other in self.model.rows if other.id == by), by)
            message = f"{row.name} is superseded by {newer}"
            self.session.tell(message if by else f"{row.name} is not superseded", undo=True)

    def _pair(self) -> tuple[str, str] | None:
        """What a comparison would show, the older one first: two selected documents, or the one in hand and its newer
        version, the one it is like, or one that is like it.
        """
        selection = {row.id for row in self.chosen()}
        ids = [row.id for row in self.model.rows if row.id in selection]  # in the order they came in
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
            self.session.status.emit("Select a second document to compare with (Ctrl+click).")
        else:
            self._show_versions(*pair, step=True)

    def _show_versions(self, one: str, other: str, *, step: bool = False) -> None:
        """Compared beside the work; shown when it is done. ``step``: worth coming back from."""

        def arrived(versions: Versions) -> None:
            self._comparison = (one, other)
            self.versions.show_versions(versions)
            self._show_page()
            self.versions.setFocus()
            if step:
                self.moved.emit()

        self.session.read(
            lambda bench: bench.documents.compare_versions(one, other), arrived, key=("versions", id(self))
        )

    def _open_difference(self) -> None:
        place = self.versions.place()
        if place is not None:
            self.show_source.emit(*place)

    def _leave_versions(self) -> None:
        self._comparison = None
        self._show_page()
        self.table.setFocus()

    def _find(self) -> None:
        self._comparison = None
        self.tabs.setCurrentIndex(_HERE)
        self._show_page()
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.selectAll()

    def _select(self, index: Index) -> None:
        """Take one row of the table in hand."""
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.table.selectionModel().setCurrentIndex(index, flags)

    def _select_all(self, ids: Collection[str]) -> None:
        """Select these documents, the first of them as the one in hand."""
        model = self.table.selectionModel()
        flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        model.clearSelection()
        for at, document in enumerate(self.model.rows):
            index = self.proxy.mapFromSource(self.model.index(at, 0))
            if document.id in ids and index.isValid():
                if not model.hasSelection():
                    model.setCurrentIndex(index, flags)
                model.select(index, flags)

    def _window_button(self, text: str) -> QPushButton:
        """A button for a command of the whole window."""
        button = QPushButton(text)
        button.setAccessibleName(text)
        button.clicked.connect(lambda _on=False: self._trigger(text))
        self.header.row.addWidget(button)
        return button

    def _trigger(self, text: str) -> None:
        action = next((action for action in self.window().actions() if action.text() == text), None)
        if action is not None:
            action.trigger()
