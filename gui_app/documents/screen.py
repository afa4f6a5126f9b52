"""The documents of the case: what is in, what is searched, and what became of the last files that were added."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from core.domain import Changes, Document
from gui_app.documents.comparison import Comparison
from gui_app.documents.decisions import DocumentDecisions
from gui_app.documents.document_list import DocumentList
from gui_app.documents.documents_model import Chosen
from gui_app.documents.families_page import FamiliesPage
from gui_app.documents.file_intake import FileIntake
from gui_app.documents.import_preview import ImportSheet
from gui_app.documents.import_report import ImportReportPage
from gui_app.documents.scans_strip import ScansStrip
from gui_app.documents.side_list import SideList
from gui_app.documents.state import DocumentsState, load, newer_summary
from gui_app.documents.tabs import FAILED, HERE, IMPORT, REMOVED, REPEATS, DocumentTabs
from gui_app.session import REST_OF_IMPORT, CaseSession
from gui_app.shared import theme
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.formatting import counted
from gui_app.shared.header import Header
from gui_app.shared.index_status_bar import IndexStatusBar
from gui_app.shared.info_bar import InfoBar
from gui_app.shared.labels import line
from gui_app.shared.screen import Screen

if TYPE_CHECKING:
    from core.documents.folder_scan import Preview
    from core.documents.importing import ImportReport
    from core.documents.service import DescriptionsRead

_SUPERSEDED_TOLD = "Evidence from a document with a newer version in the case is flagged in the matrix"


class DocumentsScreen(Screen):
    """Table of documents, with the import report as a page beside it."""

    name = "Documents"
    icon = "documents"
    leads_viewer = True
    concerns = Changes(documents=True, evidence=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._state = DocumentsState()
        self.comparison = Comparison(self)
        self.comparison.changed.connect(self._show_page)
        self._selection: tuple[Document, ...] = ()
        self._wide = False  # whether what is around made way for two texts
        self.decisions = DocumentDecisions(self, session)
        self.sheet = ImportSheet()
        self.intake = FileIntake(session, self.sheet, self)
        self.intake.asks.connect(self._ask)
        self.intake.ended.connect(self._show_left)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.header = Header("Documents")
        column.addWidget(self.header)
        self.table = DocumentList()
        self.model, self.proxy, self.filter = self.table.documents, self.table.proxy, self.table.filter
        self._make_commands()
        self.header.row.addWidget(self.filter)
        self.header.row.addWidget(self.table.narrow_button)
        self.header.row.addWidget(self.table.view_button)
        self.add_folder = self._window_button("Add a folder")
        self.add_files = self._window_button("Add files")
        self.add_files.setProperty("kind", "primary")

        self._tab_row = DocumentTabs()
        self.tabs = self._tab_row.bar
        column.addWidget(self._tab_row)
        column.addWidget(line())
        column.addWidget(self.sheet)
        self.sheet_line = line()
        column.addWidget(self.sheet_line)
        self.sheet.shown.connect(self.sheet_line.setVisible)
        self.sheet.answered.connect(lambda: self.setFocus(Qt.FocusReason.OtherFocusReason))
        self.sheet_line.hide()

        self.rest_bar = InfoBar(above=8)
        self.rest_bar.setAccessibleName("Import that was stopped")
        self.resume_button = self.rest_bar.add_button("Continue", self._resume)
        self.discard_button = self.rest_bar.add_button("Discard the rest", self.intake.discard_pending)
        column.addWidget(self.rest_bar)
        self.embedding = IndexStatusBar(session, self, tidying=True)
        column.addWidget(self.embedding)
        self.scans = ScansStrip(session)
        self.scans.show_source.connect(self.show_source)
        column.addWidget(self.scans)
        column.addWidget(self.table.chips)
        self.scans_action = self.command(
            "Run OCR", "Ctrl+Shift+O", self.scans.read, tip="Run OCR on pages that are images"
        )
        self.scans.readable.connect(self.scans_action.setEnabled)

        self.model.scope.connect(lambda document, in_scope: self.decisions.set_scope([document], in_scope))
        self.table.narrowed.connect(self._follow_filter)
        self.table.columns_changed.connect(self._count_words)
        self.table.customContextMenuRequested.connect(self._context_menu)
        self.table.on_open = self._open
        self.table.on_space = self._toggle_scope
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._chose())
        self.report = ImportReportPage(session)
        self.report.titled.connect(self._tab_row.name_import)
        self.report.show_source.connect(self.show_source)
        self.report.show_failure.connect(self._show_failure)

        self.families = FamiliesPage(session)
        self.families.offer(self.compare)
        self.families.show_source.connect(self.show_source)
        self.families.table.selectionModel().selectionChanged.connect(lambda *_: self._chose_apart())
        self.failed_list = SideList(
            "These files are stored in the case but could not be read, so search can’t find them.",
            "Files that could not be read",
            (self.unlock_action, self.retry_action, self.forget_action, self.erase_action),
        )
        self.removed_list = SideList(
            "Removed from the case: neither listed nor searched. Their files stay in the case.",
            "Documents that were removed",
            (self.restore_action, self.erase_action),
        )
        self.failed_list.table.on_open = self._retry
        self.removed_list.table.on_open = self._restore
        for apart in (self.failed_list, self.removed_list):
            apart.table.selectionModel().selectionChanged.connect(lambda *_: self._chose_apart())

        self.empty = EmptyState(
            "documents",
            "Drop files or folders here: PDF, Word, text, saved web pages, emails. Originals are stored unchanged.",
            "Add files",
            lambda: self._trigger("Add files"),
        )
        self.empty.setFocusProxy(self.empty.button)
        self.pages = QStackedWidget()
        lists = (self.failed_list, self.removed_list, self.families)
        for page in (self.table, self.report, self.empty, self.comparison.view, *lists):
            self.pages.addWidget(page)
        column.addWidget(self.pages, 1)
        self.tabs.currentChanged.connect(self._show_tab)
        self.tabs.tabBarClicked.connect(lambda _index: self._show_tab())
        session.imported.connect(self._show_report)
        self.forget()

    def _make_commands(self) -> None:
        self.open_document = self.command("Open the document", None, self._open, shown_keys="Enter")
        self.scope = self.command("Put in or out of scope", None, self._toggle_scope, shown_keys="Space")
        self.newer = self.command(
            "Superseded by a newer version", "Ctrl+Shift+U", self._supersede, tip=_SUPERSEDED_TOLD
        )
        self.not_newer = self.command("Not superseded after all", None, self._unset_newer)
        self.compare = self.command(
            "Compare with the similar document",
            "Ctrl+Shift+K",
            self._compare,
            tip="Two selected documents, or one and the one it resembles, side by side with every difference",
        )
        self.comparison.add_commands()
        self.remove_action = self.command(
            "Remove the documents",
            "Del",
            self._remove,
            tip="Remove the selected documents from the case, with what rests on them",
        )
        self.erase_action = self.command(
            "Erase for good…",
            "Shift+Del",
            self._erase,
            tip="Take the selected documents out of the case file for good; this cannot be undone",
        )
        self.passwords_action = self.command(
            "Forget passwords",
            "Ctrl+Shift+Del",
            self._forget_passwords,
            tip="Erase the stored passwords of the selected documents; their text stays, but "
            "showing their pages needs the password again",
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
            self.intake.watch_folder,
            tip="New and changed files there are offered, never added automatically",
        )
        self.unwatch_action = self.command("Stop watching folders", None, lambda: self.intake.watch.stop())
        self.command(
            "Filter the list",
            "Ctrl+Shift+L",
            self.table.narrow_button.showMenu,
            tip="By state, folder, type, language or tag",
        )
        self.command("Clear filters", None, self.table.clear_filters, tip="Show all documents")
        self.view_action = self.command(
            "Columns and groups", "Ctrl+Shift+J", self.table.view_button.showMenu, tip="Choose columns, group the list"
        )
        self.read_action = self.command(
            "Read titles and dates again",
            None,
            self._read_descriptions,
            tip="For documents added by an older version; what you set stays",
        )
        self.filter_action = self.command("Filter the documents", "Ctrl+F", self._find)

    # --- showing -----------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the documents again, and show those that are in, apart, and of the last import."""
        state = self.session.do(load)
        if state is None:
            return
        self._state = state
        self.model.writable = not self.session.read_only
        for part in (
            *(self.add_files, self.add_folder, self.empty.button),
            *(self.scope, self.watch_action, self.read_action),
        ):
            part.setEnabled(self.model.writable)
        self.model.likenesses, self.model.citations = dict(state.likenesses), dict(state.rows)
        self.model.blank_pages = dict(state.blank_pages)
        ids = {document.id for document in self.chosen()}
        self.model.show(state.documents)
        if ids and not self.chosen():
            self.table.select_all(ids)  # the rows were rebuilt
        self._fit_columns()
        self._count_words()
        if "state" in self.proxy.conditions:
            self.proxy.arrange()  # what a row is in depends on others
        self._show_apart(state)
        self._show_stopped(state)
        self.scans.show_state(state, writable=self.model.writable)
        self._show_page()
        self._name_actions()

    def _show_stopped(self, state: DocumentsState) -> None:
        """Show how far a stopped import came, unless one is under way."""
        is_reading = any(task.rest == REST_OF_IMPORT for task in self.session.tasks.resumable())
        words = "" if is_reading else state.stopped_import()
        for button in (self.resume_button, self.discard_button):
            button.setVisible(self.model.writable)
        if words:
            self.rest_bar.say(words)
        else:
            self.rest_bar.hide()

    def _resume(self) -> None:
        """Go on with the imports that were stopped."""
        self.intake.resume()
        self._show_stopped(self._state)

    def _count(self) -> None:
        """Show how many documents there are, and how many of them a filter leaves."""
        count = counted(len(self.model.rows), "document")
        is_filtered = self.pages.currentWidget() is self.table and self.proxy.is_narrowed()
        self.header.count.setText(self._state.count())
        self._tab_row.count(f"{self.proxy.passing():,} of {count}" if is_filtered else "")
        self.table.show_match()

    def _count_words(self) -> None:
        """Count the words of the documents where they are on show; every page is read for it, beside the work."""
        if not self.table.isColumnHidden(self.model.WORDS):
            self.session.read(lambda bench: bench.documents.word_counts(), self.model.count, key="words of documents")

    def _show_apart(self, state: DocumentsState) -> None:
        """Show the documents apart, and the tabs that there is something behind."""
        self.failed_list.show_documents(state.failures, state.locked_ids)
        self.removed_list.show_documents(state.removals)
        if not self.session.tasks.busy():  # one that was stopped is known by what the case keeps of it
            self.report.follow(self._names())
        self._tab_row.show_state(state, has_report=bool(self.report.model.rows))

    def _names(self) -> dict[str, str]:
        return {document.id: document.name for document in self.model.rows}

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep in a narrow window what tells documents apart."""
        super().resizeEvent(event)
        # A narrow window keeps what tells documents apart; the rest is in the detail panel.
        room = self._room()
        self.filter.setFixedWidth(theme.px(100 if room < 560 else 140 if room < 880 else 180))
        self.header.title.setHidden(room < 480)
        self.header.count.setHidden(room < 680)
        self._fit_columns()

    def _room(self) -> int:
        """Return the width in pixels at the default text size."""
        return round(self.width() * 100 / theme.px(100))

    def _fit_columns(self) -> None:
        self.table.fit_columns(self._room())

    def state(self) -> Any:
        """Return the tab, the selected documents, and those that are compared."""
        return self.tabs.currentIndex(), [document.id for document in self.chosen()], self.comparison.pair

    def restore(self, state: Any) -> None:
        """Go back to a state that ``state`` gave."""
        tab, ids, comparison = state
        self.tabs.setCurrentIndex(tab)
        index = next((row for row, document in enumerate(self.model.rows) if document.id in ids), -1)
        if index >= 0:
            self.table.select_all(set(ids))
        if comparison != self.comparison.pair:
            self.comparison.leave() if comparison is None else self.comparison.show(*comparison)

    def chosen(self) -> list[Document]:
        """List the documents that are selected in the table."""
        return self.table.chosen()

    def _show_page(self) -> None:
        comparing = self.comparison.pair is not None
        self.comparison.enable()
        page: QWidget = self.table
        if comparing:
            page = self.comparison.view
        elif self.tabs.currentIndex() == IMPORT:
            page = self.report
        elif self.tabs.currentIndex() == FAILED:
            page = self.failed_list
        elif self.tabs.currentIndex() == REMOVED:
            page = self.removed_list
        elif self.tabs.currentIndex() == REPEATS:
            page = self.families
            self.families.show_families(
                [document for document in self._state.documents if document.status == "ready"],
                sum(count.files for count in self._state.imports),
            )
        elif not self.model.rows:
            page = self.empty
        self.pages.setCurrentWidget(page)
        self.setFocusProxy(page)
        is_listed = self.pages.currentWidget() is self.table
        self._name_actions()
        self._count()
        self.filter.setVisible(is_listed)
        self.table.chips.setVisible(is_listed and bool(self.proxy.conditions))
        self.table.narrow_button.setVisible(is_listed)
        self.table.view_button.setVisible(is_listed)
        self.scans.show_beside(is_listed=self.tabs.currentIndex() == HERE and not comparing)
        if comparing != self._wide:
            self._wide = comparing
            self.room_changed.emit()

    def wants_room(self) -> bool:
        """Return whether two texts are beside each other."""
        return self.comparison.pair is not None

    def _show_tab(self) -> None:
        self.comparison.forget()
        self._show_page()
        self.selected.emit(None)
        if self.tabs.currentIndex() == HERE:
            self._selection = ()
            self._chose()
        else:
            self._chose_apart()
        self._name_actions()

    def forget(self) -> None:
        """Show nothing of the case before."""
        self.comparison.forget()
        self._state = DocumentsState()
        self.model.show([])
        self.report.forget()
        self.families.forget()
        self.failed_list.show_documents([])
        self.removed_list.show_documents([])
        self.sheet.hide()
        self.rest_bar.hide()
        self._selection = ()
        self.table.clear_filters()
        self.tabs.setCurrentIndex(HERE)
        self._tab_row.hide()

    def _follow_filter(self) -> None:
        self._count()
        self._chose()  # what is no longer listed is no longer selected

    def _context_menu(self, point: QPoint) -> None:
        menu = QMenu(self)
        menu.addActions([self.open_document, self.scope])
        menu.addSeparator()
        menu.addActions([self.describe_action, self.tag_action])
        menu.addSeparator()
        menu.addActions([self.compare, self.newer, self.not_newer])
        menu.addSeparator()
        menu.addActions([self.remove_action, self.erase_action])
        menu.addSeparator()
        menu.addActions([self.unlock_action, self.passwords_action])
        menu.exec(self.table.viewport().mapToGlobal(point))
        menu.deleteLater()

    def current_item(self) -> object:
        """Return one document, or several at once."""
        page = self.pages.currentWidget()
        documents = self.chosen() if page is self.table else []
        if isinstance(page, SideList | FamiliesPage):
            documents = page.chosen()
        if len(documents) > 1:
            return Chosen(tuple(documents)) if page is self.table else None
        return documents[0] if documents else None

    def _chose(self) -> None:
        """Show in the details what is selected."""
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

    def _apart(self) -> SideList | FamiliesPage:
        if self.tabs.currentIndex() == REPEATS:
            return self.families
        return self.removed_list if self.tabs.currentIndex() == REMOVED else self.failed_list

    # --- the import report -------------------------------------------------------------------------------------------

    def _show_report(self, report: ImportReport) -> None:
        if report is self.intake.second_report and self.report.show_again(self._names(), report):
            self.session.status.emit(self.report.summary.text())
            if report.files and report.problems:  # of the rest of an import
                self.tabs.setCurrentIndex(IMPORT)
            self._embed(report)  # no import of its own: the report of the last one goes on
            return
        is_odd = self.report.show_report(report, self._names())
        self._tab_row.show_import()
        newer = newer_summary(report)
        if newer:
            self.session.tell(newer, undo=True)
        self.session.status.emit(self.report.summary.text())
        if is_odd:
            self.tabs.setCurrentIndex(IMPORT)
        if len(report.documents) == 0:
            self.session.status.emit("It has no file that can be read.")
        if not newer and (count := self.table.hidden_among({item.id for item in report.documents if item.id})):
            self.session.tell(f"The filter hides {counted(count, 'new document')}")
        self._embed(report)

    def _embed(self, report: ImportReport) -> None:
        if self.session.engines.embedder is not None and any(item.id for item in report.documents):
            self.embedding.embed()  # the report is there at once; reading is some twenty times faster than this

    # --- commands ----------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        documents = self.chosen()
        if documents:
            self.show_source.emit(documents[0].id, 1, 0, 0)

    def _toggle_scope(self) -> None:
        documents = self.chosen()
        if documents:
            self.decisions.set_scope([document.id for document in documents], not documents[0].included)

    def _name_actions(self) -> None:
        row = self.table.in_hand()
        writable, is_listed = self.model.writable, self.pages.currentWidget() is self.table
        some = writable and is_listed and bool(self.chosen())
        for action in (self.describe_action, self.tag_action):
            action.setEnabled(some)
        apart = self.pages.currentWidget() in (self.failed_list, self.removed_list)
        on_failures = self.pages.currentWidget() is self.failed_list
        at_hand = {document.id for document in self.failed_list.at_hand()}
        self.remove_action.setEnabled(some or (writable and on_failures and bool(self.failed_list.chosen())))
        removals = self.pages.currentWidget() is self.removed_list and bool(self.removed_list.chosen())
        self.erase_action.setEnabled(self.remove_action.isEnabled() or (writable and removals))
        ids = {document.id for document in self.chosen()} if some else set()
        self.passwords_action.setEnabled(bool(ids & self._state.opened_ids))
        self.forget_action.setEnabled(writable and on_failures and bool(self.failed_list.chosen()))
        self.retry_action.setEnabled(writable and on_failures and bool(at_hand))
        is_locked = writable and on_failures and bool(at_hand & self.failed_list.model.locked_ids)
        self.unlock_action.setEnabled(is_locked or bool(ids & self._state.closed_ids))
        self.restore_action.setEnabled(writable and apart and not on_failures and bool(self.removed_list.model.rows))
        on_families = self.pages.currentWidget() is self.families
        self.compare.setEnabled(not on_families or self.families.pair() is not None)
        self.newer.setEnabled(self.model.writable and row is not None and len(self.model.rows) > 1)
        self.not_newer.setEnabled(self.model.writable and row is not None and bool(row.superseded_by))

    def _describe(self) -> None:
        """Go to the fields of the details, where what is selected is described."""
        if self.navigator is not None:
            self.navigator.describe_documents()

    def _read_descriptions(self) -> None:
        """Read titles, authors, sources, places and dates again from all documents."""

        def tell(read: DescriptionsRead) -> None:
            count = counted(len(read.documents), "document")
            self.session.tell(f"{count} updated" if read.documents else "Nothing new", undo=bool(read.documents))

        self.session.run(
            "Reading titles and dates",
            lambda bench, progress: bench.documents.read_descriptions(progress),
            done=tell,
            again=self._read_descriptions,
        )

    def _add_tags(self) -> None:
        self.decisions.add_tags([document.id for document in self.chosen()])

    # --- removal, and what is apart ----------------------------------------------------------------------------------

    def _remove(self) -> None:
        """Take out what is selected; ask only where something rests on it."""
        failures = self.pages.currentWidget() is self.failed_list
        if self.model.writable:
            rows = (*self.model.rows, *self.failed_list.model.rows)
            names = {document.id: document.name for document in rows}
            self.decisions.remove(self.failed_list.chosen() if failures else self.chosen(), names)

    def _erase(self) -> None:
        """Erase what is selected, here or among what is apart, after a question."""
        page = self.pages.currentWidget()
        if self.model.writable:
            rows = (*self.model.rows, *self.failed_list.model.rows, *self.removed_list.model.rows)
            names = {document.id: document.name for document in rows}
            self.decisions.erase(page.chosen() if isinstance(page, SideList) else self.chosen(), names)

    def _forget_passwords(self) -> None:
        ids = [document.id for document in self.chosen() if document.id in self._state.opened_ids]
        self.decisions.forget_passwords(ids)

    def _restore(self) -> None:
        self.decisions.restore([document.id for document in self.removed_list.at_hand()])

    def _retry(self) -> None:
        ids = [document.id for document in self.failed_list.at_hand()]
        if ids and self.retry_action.isEnabled():
            self.intake.read_again(ids)

    def _unlock(self) -> None:
        """Ask for the password of what is selected, or of all that needs one."""
        if self.pages.currentWidget() is self.table:
            closed_ids = self._state.closed_ids
            self.intake.store_password([document for document in self.chosen() if document.id in closed_ids])
            return
        locked_ids = self.failed_list.model.locked_ids
        self.intake.unlock([document for document in self.failed_list.at_hand() if document.id in locked_ids])

    def consider(self, paths: Sequence[Path]) -> None:
        """Look at files before they are added; ask only where there is something to say."""
        self.intake.consider(paths)

    def _show_failure(self, document: str) -> None:
        """Show a file that could not be read among those that could not, where it can be read again."""
        if any(row.id == document for row in self.failed_list.model.rows):
            self.tabs.setCurrentIndex(FAILED)
            self.failed_list.select({document})
            self.failed_list.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_left(self, left: bool) -> None:
        """Stay with the files that were not read while some of these, or others, want a password."""
        self.tabs.setCurrentIndex(FAILED if left or self._state.locked_ids else HERE)

    def _ask(self, preview: Preview, roots: Sequence[Path]) -> None:
        self.tabs.setCurrentIndex(HERE)
        self.sheet.ask(preview, self._names(), self.session.dropped.emit, roots)
        self.sheet.first_button().setFocus()

    # --- versions ----------------------------------------------------------------------------------------------------

    def _supersede(self) -> None:
        """Ask which document is the newer version of the selected one."""
        row = self.table.in_hand()
        if row is None or not self.model.writable:
            return
        self.decisions.supersede(row, self.model.rows)

    def _unset_newer(self) -> None:
        row = self.table.in_hand()
        if row is not None and self.model.writable:
            self.decisions.set_newer(row, None)

    def _compare(self) -> None:
        if self.pages.currentWidget() is self.families:
            pair = self.families.pair()
        else:
            pair = self._state.pair({row.id for row in self.chosen()}, self.table.in_hand())
        if pair is None:
            self.session.status.emit("Select a second document to compare with (Ctrl+click).")
        else:
            self.comparison.show(*pair, step=True)

    def _find(self) -> None:
        self.comparison.forget()
        self.tabs.setCurrentIndex(HERE)
        self._show_page()
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.selectAll()

    def _window_button(self, text: str) -> QPushButton:
        """Return a button for a command of the whole window."""
        button = QPushButton(text)
        button.setAccessibleName(text)
        button.clicked.connect(lambda _on=False: self._trigger(text))
        self.header.row.addWidget(button)
        return button

    def _trigger(self, text: str) -> None:
        action = next((action for action in self.window().actions() if action.text() == text), None)
        if action is not None:
            action.trigger()
