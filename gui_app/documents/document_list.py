"""The documents of the case as a table that is filtered, narrowed to a state or a tag, and sorted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

from PySide6.QtCore import QItemSelectionModel, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QShortcut
from PySide6.QtWidgets import QHeaderView, QLineEdit, QMenu, QPushButton

from core.documents.descriptions import date_of, source_of, title_of
from core.domain import Document
from gui_app import window_state
from gui_app.documents.cell_delegates import BELOW, FieldDelegate, NameDelegate, StatusDelegate
from gui_app.documents.documents_filter import GROUPS, DocumentsFilter
from gui_app.documents.documents_model import DocumentsModel
from gui_app.documents.facets import STATES
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.table import Table
from gui_app.shared.table_models import Index

FILTER_MS = 60  # a person who types is not shown every list on the way
# Pixels at the default text size.
_WIDTHS = {
    **{DocumentsModel.SOURCE: 132, DocumentsModel.AUTHOR: 132, DocumentsModel.PLACE: 112, DocumentsModel.DATE: 108},
    **{DocumentsModel.KIND: 96, DocumentsModel.PAGES: 60, DocumentsModel.WORDS: 76, DocumentsModel.LANGUAGE: 92},
    **{DocumentsModel.TAGS: 112, DocumentsModel.GRADE: 60, DocumentsModel.ROWS: 56, DocumentsModel.SIZE: 80},
    **{DocumentsModel.ADDED: 144, DocumentsModel.FOLDER: 132},
}
# Where none were chosen, these are shown in this order as far as there is room; name, title and status before them.
_PRIORITY = (
    *(DocumentsModel.DATE, DocumentsModel.PAGES, DocumentsModel.SOURCE, DocumentsModel.ROWS, DocumentsModel.GRADE),
    *(DocumentsModel.TAGS, DocumentsModel.KIND, DocumentsModel.LANGUAGE, DocumentsModel.SIZE, DocumentsModel.ADDED),
)
_CHOOSABLE = tuple(
    column for column in range(DocumentsModel.ORDER) if column not in (DocumentsModel.NAME, DocumentsModel.STATUS)
)
_LEAST = 232  # of what has the room that is left: the title, or the name where titles have no column
_NAME, _STATUS = (88, 320), (76, 216)  # as wide as what stands there, within these
_SAMPLE = 400  # rows that are measured for it
_WHOLE = 0.95  # of the names are shown whole
_SOME = 0.05  # of the documents must say something in a column that is shown without being chosen
_SORT, _CHOSEN_WIDTHS, _ORDER = "documents-sort", "documents-widths", "documents-order"  # what is remembered of it
_HINT = "Words, or a column and its content: source:orb, title:ferry, date:2011-04, date:>2011-04-15, pages:>10, rows:0"


def _sorting() -> tuple[int, Qt.SortOrder]:
    """Return the column that the list was last sorted by, and how; the order of arrival where that is not known."""
    column, _, order = window_state.pane(_SORT).partition(" ")
    if not column.isdecimal() or int(column) > DocumentsModel.ORDER or order not in ("0", "1"):
        return DocumentsModel.ORDER, Qt.SortOrder.AscendingOrder
    return int(column), Qt.SortOrder(int(order))


def _chosen_widths() -> dict[int, int]:
    """Return the widths that a person gave columns, in pixels at the default text size."""
    pairs = (pair.partition(":") for pair in window_state.pane(_CHOSEN_WIDTHS).split())
    return {int(at): int(width) for at, _, width in pairs if at.isdecimal() and width.isdecimal()}


def _order() -> list[int]:
    """Return the columns in the order that a person gave them; empty where that is not known."""
    parts = [int(part) for part in window_state.pane(_ORDER).split() if part.isdecimal()]
    return parts if sorted(parts) == list(range(len(DocumentsModel.COLUMNS))) else []


def _entitle(menu: QMenu, words: str) -> None:
    """Put words above what follows in a menu."""
    menu.addAction(words).setEnabled(False)


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
        self.sortByColumn(*_sorting())
        self._is_fitting = False
        chosen = _chosen_widths()
        self.widths(
            [chosen.get(column, _WIDTHS.get(column, 0)) for column in range(DocumentsModel.ORDER)],
            stretch=DocumentsModel.TITLE,
        )
        self.setColumnHidden(DocumentsModel.ORDER, True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setItemDelegateForColumn(DocumentsModel.NAME, NameDelegate(self))
        self.setItemDelegateForColumn(DocumentsModel.STATUS, StatusDelegate(self))
        for column in DocumentsModel.FIELDS:
            self.setItemDelegateForColumn(column, FieldDelegate(self))
        header = self.horizontalHeader()
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._header_menu)
        header.setSectionsMovable(True)
        for place, column in enumerate(_order()):
            header.moveSection(header.visualIndex(column), place)
        header.sectionMoved.connect(lambda *_: self._keep_order())
        header.sectionResized.connect(self._keep_width)
        header.sortIndicatorChanged.connect(
            lambda column, order: window_state.keep_pane(_SORT, f"{column} {order.value}")
        )
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
        chosen = _chosen_widths()
        name = chosen.get(DocumentsModel.NAME) or self._width_of(DocumentsModel.NAME, *_NAME)
        status = chosen.get(DocumentsModel.STATUS) or self._width_of(DocumentsModel.STATUS, *_STATUS)
        self._is_fitting = True
        if choice:
            columns = {column for column in _CHOOSABLE if DocumentsModel.COLUMNS[column] in choice}
        else:
            columns = self._fitting_columns(room - status, name)
        for column in _CHOOSABLE:
            self.setColumnHidden(column, column not in columns)
        header, is_titled = self.horizontalHeader(), DocumentsModel.TITLE in columns
        stretch, by_hand = QHeaderView.ResizeMode.Stretch, QHeaderView.ResizeMode.Interactive
        header.setSectionResizeMode(DocumentsModel.TITLE, stretch if is_titled else by_hand)
        header.setSectionResizeMode(DocumentsModel.NAME, by_hand if is_titled else stretch)
        if is_titled:
            self.setColumnWidth(DocumentsModel.NAME, theme.px(name))
        self.setColumnWidth(DocumentsModel.STATUS, theme.px(status))
        self._is_fitting = False

    def _keep_width(self, column: int, _before: int, width: int) -> None:
        """Remember the width that a person gave a column; what the list fits by itself is not remembered."""
        by_hand = self.horizontalHeader().sectionResizeMode(column) == QHeaderView.ResizeMode.Interactive
        if self._is_fitting or not by_hand or not width or width == theme.px(self._widths.get(column, 0)):
            return
        self._widths[column] = round(width * 100 / theme.px(100))
        chosen = {**_chosen_widths(), column: self._widths[column]}
        window_state.keep_pane(_CHOSEN_WIDTHS, " ".join(f"{at}:{wide}" for at, wide in sorted(chosen.items())))

    def _keep_order(self) -> None:
        header = self.horizontalHeader()
        order = (str(header.logicalIndex(place)) for place in range(header.count()))
        window_state.keep_pane(_ORDER, " ".join(order))

    def _fitting_columns(self, room: int, name: int) -> set[int]:
        """Return the columns that say something and that there is room for, beside a name of that width."""
        rows = self.documents.rows
        with_title = sum(map(bool, map(title_of, rows))) >= _SOME * len(rows) and any(map(title_of, rows))
        columns = {DocumentsModel.TITLE} if with_title and room - name >= _LEAST else set()
        left = room - _LEAST - (name if columns else 0)
        for column in _PRIORITY:
            if left >= _WIDTHS[column] and self._says_something(column, rows):
                columns.add(column)
                left -= _WIDTHS[column]
        return columns

    def _says_something(self, column: int, rows: Sequence[Document]) -> bool:
        if column == DocumentsModel.ROWS:
            return bool(self.documents.citations)
        if column == DocumentsModel.SOURCE:
            return sum(map(bool, map(source_of, rows))) >= max(1, _SOME * len(rows))
        parts: dict[int, Callable[[Document], object]] = {
            DocumentsModel.TAGS: lambda row: row.tags,
            DocumentsModel.GRADE: lambda row: row.reliability or row.information,
            DocumentsModel.DATE: date_of,
            DocumentsModel.LANGUAGE: lambda row: row.language,
        }
        return column not in parts or any(map(parts[column], rows))

    def _width_of(self, column: int, least: int, most: int) -> int:
        """Return how wide a column must be for what stands in it, in pixels at the default text size."""
        metrics, model = QFontMetrics(theme.sans()), self.documents
        rows = model.rows[:_SAMPLE]
        is_name = column == DocumentsModel.NAME
        texts = [model.short_name(row) if is_name else model.text(row, column) for row in rows]
        share, beside = 1.0, 24  # what Qt leaves around words
        if is_name:
            share, beside = _WHOLE, 56  # the check box
            is_below = (model.first.get(row.id, row.id) != row.id for row in rows)
            texts = [f"{BELOW}{text}" if below else text for text, below in zip(texts, is_below, strict=True)]
        wide = sorted(map(metrics.horizontalAdvance, texts)) or [0]
        widest = wide[int(share * (len(wide) - 1))]
        return min(most, max(least, round(widest * 100 / theme.px(100)) + beside))

    def choose_columns(self, names: Collection[str]) -> None:
        """Show these columns beside name and status from now on; none: as many as there is room for."""
        window_state.keep_document_columns(name for name in DocumentsModel.COLUMNS if name in names)
        self.fit_columns(self._room)
        self.columns_changed.emit()

    def visible_columns(self) -> list[str]:
        """List the names of the columns on show."""
        on_show = (at for at in range(len(DocumentsModel.COLUMNS)) if not self.isColumnHidden(at))
        return [DocumentsModel.COLUMNS[at] for at in on_show]

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
        menu.addSeparator()
        _entitle(menu, "Columns")
        self._offer_columns(menu)

    def _offer_groups(self, menu: QMenu) -> None:
        _entitle(menu, "Group by")
        for name, words in (("", "Nothing"), *GROUPS.items()):
            action = menu.addAction(words)
            action.setCheckable(True)
            action.setChecked(name == self.proxy.group)
            action.triggered.connect(partial(self._group_chosen, name))
        if self.proxy.has_contents():
            menu.addSeparator()
            menu.addAction("Fold attachments").triggered.connect(partial(self._fold_documents, True))
            menu.addAction("Unfold attachments").triggered.connect(partial(self._fold_documents, False))
        if self.proxy.group:
            menu.addSeparator()
            menu.addAction("Fold all groups").triggered.connect(partial(self._fold_chosen, True))
            menu.addAction("Unfold all groups").triggered.connect(partial(self._fold_chosen, False))

    def _offer_columns(self, menu: QMenu) -> None:
        visible = self.visible_columns()
        for name in (DocumentsModel.COLUMNS[column] for column in _CHOOSABLE):
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(name in visible)
            action.toggled.connect(partial(self._column_chosen, name))
        menu.addSeparator()
        action = menu.addAction("As many as fit")
        action.setCheckable(True)
        action.setChecked(not window_state.document_columns())
        action.triggered.connect(partial(self._fit_chosen))

    def _group_chosen(self, name: str, _on: bool = False) -> None:
        self.group_by(name)

    def _fold_chosen(self, is_folded: bool, _on: bool = False) -> None:
        self.proxy.fold_all(is_folded)

    def _fold_documents(self, is_folded: bool, _on: bool = False) -> None:
        self.proxy.fold_documents(is_folded)

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
            name = f"{'▸' if heading.is_folded else '▾'}  {heading.title}"
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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step to the first document where none is selected; fold and unfold with Left and Right, as in a tree."""
        row = self.currentIndex().row()
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right) and not event.modifiers() and row >= 0:
            is_left = event.key() == Qt.Key.Key_Left
            if self.proxy.fold_document(row, is_left):
                return
            beside = self.proxy.holder(row) if is_left else row + 1 if self.proxy.contents(row) else -1
            if beside >= 0:
                self.select(self.proxy.index(beside, DocumentsModel.NAME))
                return
        if self.proxy.group and event.key() == Qt.Key.Key_Down and not self.selectionModel().hasSelection():
            self._select_first()
        else:
            super().keyPressEvent(event)

    def _select_first(self) -> bool:
        first = next((row for row in range(self.proxy.rowCount()) if self.proxy.heading(row) is None), None)
        if first is not None:
            self.select(self.proxy.index(first, DocumentsModel.NAME))
        return first is not None

    def _go_to_first(self) -> None:
        """Go from the filter to what it found."""
        self.apply_filter()
        if self._select_first():
            self.setFocus()
