"""The documents of the case as a table that is filtered, narrowed to a state or a tag, and sorted."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from PySide6.QtCore import QItemSelectionModel, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QKeySequence, QPainter, QPaintEvent, QShortcut
from PySide6.QtWidgets import QHeaderView, QLineEdit, QMenu, QPushButton

from core.documents.descriptions import date_of, source_of, title_of
from core.domain import Document
from gui_app import window_state
from gui_app.documents.cell_delegates import FieldDelegate, NameDelegate, StatusDelegate
from gui_app.documents.documents_filter import GROUPS, STATES, DocumentsFilter
from gui_app.documents.documents_model import DocumentsModel
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.table import Table
from gui_app.shared.table_models import Index

FILTER_MS = 60  # a person who types is not shown every list on the way
# From which width on a column is shown where none were chosen; name and status always are.
_MIN_WIDTHS = (
    (DocumentsModel.ADDED, 1640),
    (DocumentsModel.SIZE, 1520),
    (DocumentsModel.LANGUAGE, 1320),
    (DocumentsModel.KIND, 1160),
    (DocumentsModel.TAGS, 1080),
    (DocumentsModel.GRADE, 960),
    (DocumentsModel.ROWS, 900),
    (DocumentsModel.SOURCE, 760),
    (DocumentsModel.TITLE, 640),
    (DocumentsModel.DATE, 520),
    (DocumentsModel.PAGES, 440),
)
_NEVER = (DocumentsModel.AUTHOR, DocumentsModel.PLACE, DocumentsModel.WORDS)  # unless they are chosen
_NAME, _STATUS = 168, 168  # pixels at the default text size, of a name beside a title
_STATUS_ALONE = 240
_HINT = (
    "Words, or a column and what is in it: source:orb, title:ferry, date:2011-04, date:>2011-04-15, pages:>10, rows:0"
)


class DocumentList(Table):
    """The table, with ``filter``, ``narrow_button`` and ``view_button`` for the head of the screen.

    ``narrowed()`` when other documents pass, ``columns_changed()`` when others were chosen.
    """

    narrowed = Signal()
    columns_changed = Signal()

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
        self.filter.setToolTip(_HINT)
        self.filter.setFixedWidth(theme.px(180))
        self.narrow_button = QPushButton()
        self.narrow_button.setAccessibleName("Filter by state or tag")
        self.narrow_button.setMenu(QMenu(self.narrow_button))
        self.narrow_button.menu().aboutToShow.connect(self.fill_menu)
        self.view_button = QPushButton("View")
        self.view_button.setAccessibleName("Columns and groups of the list")
        self.view_button.setMenu(QMenu(self.view_button))
        self.view_button.menu().aboutToShow.connect(self.fill_view_menu)
        self._room = 0
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
        width = {self.documents.TITLE: 0, self.documents.NAME: _NAME, self.documents.STATUS: _STATUS}
        width |= {self.documents.SOURCE: 132, self.documents.AUTHOR: 132, self.documents.PLACE: 112}
        width |= {self.documents.DATE: 100, self.documents.KIND: 76, self.documents.PAGES: 60}
        width |= {self.documents.WORDS: 76, self.documents.LANGUAGE: 92, self.documents.TAGS: 112}
        width |= {self.documents.GRADE: 60, self.documents.ROWS: 56, self.documents.SIZE: 80}
        width |= {self.documents.ADDED: 144, self.documents.ORDER: 0}
        self.widths([width[column] for column in range(len(width))], stretch=DocumentsModel.TITLE)
        self.setColumnHidden(DocumentsModel.ORDER, True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setItemDelegateForColumn(DocumentsModel.NAME, NameDelegate(self))
        self.setItemDelegateForColumn(DocumentsModel.STATUS, StatusDelegate(self))
        for column in DocumentsModel.FIELDS:
            self.setItemDelegateForColumn(column, FieldDelegate(self))
        header = self.horizontalHeader()
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._header_menu)
        self.clicked.connect(lambda index: self.proxy.fold(index.row()))
        self.proxy.group_by(window_state.document_group())

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

    # --- columns and groups ------------------------------------------------------------------------------------------

    def fit_columns(self, room: int) -> None:
        """Show the columns that were chosen, or those that there is room for and something to say in.

        The title has what is left, or the name where titles have no column. ``room`` is in pixels at the default text
        size.
        """
        self._room = room
        choice = {name for name in window_state.document_columns() if name in DocumentsModel.COLUMNS}
        has_values = {} if choice else self._columns_with_values()
        for column, width in (*_MIN_WIDTHS, *((column, room + 1) for column in _NEVER)):
            there = DocumentsModel.COLUMNS[column] in choice if choice else has_values.get(column, True)
            self.setColumnHidden(column, not there or (not choice and room < width))
        header, is_titled = self.horizontalHeader(), not self.isColumnHidden(DocumentsModel.TITLE)
        stretch, fixed = QHeaderView.ResizeMode.Stretch, QHeaderView.ResizeMode.Interactive
        header.setSectionResizeMode(DocumentsModel.TITLE, stretch if is_titled else fixed)
        header.setSectionResizeMode(DocumentsModel.NAME, fixed if is_titled else stretch)
        if is_titled:
            self.setColumnWidth(DocumentsModel.NAME, theme.px(_NAME))
        self.setColumnWidth(DocumentsModel.STATUS, theme.px(_STATUS if is_titled else _STATUS_ALONE))

    def _columns_with_values(self) -> dict[int, bool]:
        rows = self.documents.rows
        return {
            DocumentsModel.TITLE: any(map(title_of, rows)),
            DocumentsModel.SOURCE: any(map(source_of, rows)),
            DocumentsModel.TAGS: any(row.tags for row in rows),
            DocumentsModel.GRADE: any(row.reliability or row.information for row in rows),
            DocumentsModel.DATE: any(map(date_of, rows)),
            DocumentsModel.LANGUAGE: any(row.language for row in rows),
            DocumentsModel.ROWS: bool(self.documents.citations),
        }

    def choose_columns(self, names: Collection[str]) -> None:
        """Show these columns beside name and status from now on; none: as many as there is room for."""
        window_state.keep_document_columns(name for name in DocumentsModel.COLUMNS if name in names)
        self.fit_columns(self._room)
        self.columns_changed.emit()

    def visible_columns(self) -> list[str]:
        """List the names of the columns on show."""
        shown = (at for at in range(len(DocumentsModel.COLUMNS)) if not self.isColumnHidden(at))
        return [DocumentsModel.COLUMNS[at] for at in shown]

    def group_by(self, name: str) -> None:
        """Group the list from now on; '' for no groups."""
        self.proxy.group_by(name)
        window_state.keep_document_group(self.proxy.group)
        self.narrowed.emit()

    def fill_view_menu(self) -> None:
        """Offer the columns and what the list can be grouped by."""
        menu = self.view_button.menu()
        menu.clear()
        self._offer_groups(menu)
        menu.addSection("Columns")
        self._offer_columns(menu)

    def _offer_groups(self, menu: QMenu) -> None:
        menu.addSection("Group by")
        for name, words in (("", "Nothing"), *GROUPS.items()):
            action = menu.addAction(words)
            action.setCheckable(True)
            action.setChecked(name == self.proxy.group)
            action.triggered.connect(partial(self._group_chosen, name))
        if self.proxy.group:
            menu.addSeparator()
            menu.addAction("Fold all groups").triggered.connect(partial(self._fold_chosen, True))
            menu.addAction("Unfold all groups").triggered.connect(partial(self._fold_chosen, False))

    def _offer_columns(self, menu: QMenu) -> None:
        visible = self.visible_columns()
        for column, name in enumerate(DocumentsModel.COLUMNS[:-1]):
            if column in (DocumentsModel.NAME, DocumentsModel.STATUS):
                continue
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(name in visible)
            action.triggered.connect(partial(self._column_chosen, name))
        menu.addSeparator()
        action = menu.addAction("As many as fit")
        action.setCheckable(True)
        action.setChecked(not window_state.document_columns())
        action.triggered.connect(partial(self._fit_chosen))

    def _group_chosen(self, name: str, _on: bool = False) -> None:
        self.group_by(name)

    def _fold_chosen(self, is_folded: bool, _on: bool = False) -> None:
        self.proxy.fold_all(is_folded)

    def _fit_chosen(self, _on: bool = False) -> None:
        self.choose_columns(())

    def _column_chosen(self, name: str, is_on: bool) -> None:
        names = set(self.visible_columns())
        self.choose_columns(names | {name} if is_on else names - {name})

    def _header_menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        self._offer_columns(menu)
        menu.exec(self.horizontalHeader().viewport().mapToGlobal(at))
        menu.deleteLater()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the headings of groups over the whole width of their rows."""
        super().paintEvent(event)
        if not self.proxy.group:
            return
        painter, t, view = QPainter(self.viewport()), theme.tokens(), self.viewport()
        first, last = self.rowAt(0), self.rowAt(view.height() - 1)
        bold = QFont(theme.sans())
        bold.setWeight(QFont.Weight.DemiBold)
        for row in range(max(0, first), (self.proxy.rowCount() if last < 0 else last + 1)):
            heading = self.proxy.heading(row)
            if heading is None:
                continue
            box = QRect(0, self.rowViewportPosition(row), view.width(), self.rowHeight(row) - 1)
            painter.fillRect(box, QColor(t.raised))
            box.adjust(theme.px(12), 0, -theme.px(12), 0)
            painter.setFont(bold)
            painter.setPen(QColor(t.text))
            name = f"{'▸' if heading.is_folded else '▾'}  {heading.name or 'None'}"
            name = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, box.width() - theme.px(80))
            middle = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
            painter.drawText(box, middle, name)
            box.setLeft(box.left() + painter.fontMetrics().horizontalAdvance(name) + theme.px(12))
            painter.setFont(theme.sans())
            painter.setPen(QColor(t.muted))
            painter.drawText(box, middle, f"{heading.documents:,}")
        painter.end()

    # --- selecting ---------------------------------------------------------------------------------------------------

    def chosen(self) -> list[Document]:
        """List the documents that are selected."""
        rows = self.selectionModel().selectedRows()
        sources = (self.proxy.mapToSource(index) for index in rows)
        return [self.documents.rows[index.row()] for index in sources if index.isValid()]

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
        first = next((row for row in range(self.proxy.rowCount()) if self.proxy.heading(row) is None), None)
        if first is not None:
            self.select(self.proxy.index(first, DocumentsModel.NAME))
            self.setFocus()
