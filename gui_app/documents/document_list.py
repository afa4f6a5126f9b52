"""The documents of the case as a table that is filtered, narrowed to a state or a tag, and sorted."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QItemSelectionModel, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QLineEdit, QMenu, QPushButton

from core.domain import Document
from gui_app.documents.cell_delegates import NameDelegate, StatusDelegate
from gui_app.documents.documents_model import STATES, DocumentsFilter, DocumentsModel
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.table import Table
from gui_app.shared.table_models import Index

FILTER_MS = 60  # a person who types is not shown every list on the way
# From which width on a column is shown; name and status always are.
_MIN_WIDTHS = (
    (DocumentsModel.ADDED, 1240),
    (DocumentsModel.SIZE, 1120),
    (DocumentsModel.LANGUAGE, 960),
    (DocumentsModel.KIND, 860),
    (DocumentsModel.TAGS, 720),
    (DocumentsModel.GRADE, 640),
    (DocumentsModel.DATE, 560),
    (DocumentsModel.PAGES, 440),
)


class DocumentList(Table):
    """The table, with ``filter`` and ``narrow_button`` for the head of the screen.

    ``narrowed()`` when other documents pass.
    """

    narrowed = Signal()

    def __init__(self, session: CaseSession) -> None:
        self.documents = DocumentsModel()
        self.proxy = DocumentsFilter()
        self.proxy.setSourceModel(self.documents)
        super().__init__(self.proxy, "Documents of the case")
        self._session = session
        self.documents.setParent(self)
        self.proxy.setParent(self)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter")
        self.filter.setClearButtonEnabled(True)
        self.filter.setAccessibleName("Filter the documents by name, type or status")
        self.filter.setFixedWidth(theme.px(180))
        self.narrow_button = QPushButton()
        self.narrow_button.setAccessibleName("Filter by state or tag")
        self.narrow_button.setMenu(QMenu(self.narrow_button))
        self.narrow_button.menu().aboutToShow.connect(self.fill_menu)
        self._filter_soon = QTimer(self)
        self._filter_soon.setSingleShot(True)
        self._filter_soon.setInterval(FILTER_MS)
        self._filter_soon.timeout.connect(self.apply_filter)
        self.filter.textChanged.connect(self._filter_soon.start)
        self.filter.returnPressed.connect(self._go_to_first)
        down = QShortcut(QKeySequence(Qt.Key.Key_Down), self.filter, self._go_to_first)
        down.setContext(Qt.ShortcutContext.WidgetShortcut)
        self.setSortingEnabled(True)
        self.sortByColumn(DocumentsModel.ORDER, Qt.SortOrder.AscendingOrder)
        self.widths([0, 76, 60, 104, 92, 112, 60, 80, 144, 240], stretch=DocumentsModel.NAME)
        self.setColumnHidden(DocumentsModel.ORDER, True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setItemDelegateForColumn(DocumentsModel.NAME, NameDelegate(self))
        self.setItemDelegateForColumn(DocumentsModel.STATUS, StatusDelegate(self))

    # --- narrowing ---------------------------------------------------------------------------------------------------

    def apply_filter(self) -> None:
        """Show the documents that the words in the filter leave."""
        self._filter_soon.stop()
        self.proxy.narrow(text=self.filter.text())
        self.narrowed.emit()

    def narrow(self, state: str, tag: str) -> None:
        """Show documents of one state or with one tag alone; both empty: all."""
        self._filter_soon.stop()
        self.proxy.narrow(text=self.filter.text(), state=state, tag=tag)
        self.narrowed.emit()
        self.narrow_button.setText(f"Tag: {tag}" if tag else STATES.get(state, "All"))

    def fill_menu(self) -> None:
        """Offer the states and the tags of the case."""
        menu = self.narrow_button.menu()
        menu.clear()

        def offer(text: str, state: str, tag: str) -> None:
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setChecked((state, tag) == (self.proxy.state, self.proxy.tag))
            action.triggered.connect(lambda _on=False: self.narrow(state, tag))

        offer("All", "", "")
        menu.addSeparator()
        for state, words in STATES.items():
            offer(words, state, "")
        tags = self._session.do(lambda bench: bench.documents.tags()) or []
        if tags:
            menu.addSection("Tags")
            for tag in tags:
                offer(tag, "", tag)

    def fit_columns(self, room: int) -> None:
        """Show the columns that there is room for and something to say in; a name has what is left.

        ``room`` is in pixels at the default text size.
        """
        rows = self.documents.rows
        has_values = {
            DocumentsModel.TAGS: any(row.tags for row in rows),
            DocumentsModel.GRADE: any(row.reliability or row.information for row in rows),
            DocumentsModel.DATE: any(row.dated or row.date for row in rows),
            DocumentsModel.LANGUAGE: any(row.language for row in rows),
        }
        for column, width in _MIN_WIDTHS:
            self.setColumnHidden(column, room < width or not has_values.get(column, True))

    # --- selecting ---------------------------------------------------------------------------------------------------

    def chosen(self) -> list[Document]:
        """List the documents that are selected."""
        rows = self.selectionModel().selectedRows()
        return [self.documents.rows[self.proxy.mapToSource(index).row()] for index in rows]

    def in_hand(self) -> Document | None:
        """Return the document at the cursor."""
        index = self.proxy.mapToSource(self.currentIndex())
        return self.documents.rows[index.row()] if index.isValid() else None

    def select(self, index: Index) -> None:
        """Take one row in hand."""
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.selectionModel().setCurrentIndex(index, flags)

    def select_all(self, ids: Collection[str]) -> None:
        """Select these documents, the first of them as the one in hand."""
        model = self.selectionModel()
        flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        model.clearSelection()
        for at, document in enumerate(self.documents.rows):
            index = self.proxy.mapFromSource(self.documents.index(at, 0))
            if document.id in ids and index.isValid():
                if not model.hasSelection():
                    model.setCurrentIndex(index, flags)
                model.select(index, flags)

    def _go_to_first(self) -> None:
        """Go from the filter to what it found."""
        self.apply_filter()
        if self.proxy.rowCount():
            self.select(self.proxy.index(0, DocumentsModel.NAME))
            self.setFocus()
