"""The documents of the case as a table that is filtered, narrowed by facets, and sorted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from PySide6.QtCore import QItemSelectionModel, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QShortcut
from PySide6.QtWidgets import QHeaderView, QLineEdit, QMenu, QPushButton, QToolButton, QVBoxLayout

from core.documents.descriptions import date_of, source_of, title_of
from core.domain import Document
from gui_app import window_state
from gui_app.documents.cell_delegates import (
    BELOW,
    INDENT,
    UNFOLDED,
    FieldDelegate,
    NameDelegate,
    StatusDelegate,
    name_in_list,
)
from gui_app.documents.documents_filter import GROUPS, DocumentsFilter
from gui_app.documents.documents_model import DocumentsModel
from gui_app.documents.facets import FACETS, choices, values_of, words_of
from gui_app.shared import theme
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.fields import leave_by_keys
from gui_app.shared.filter_chips import FilterChips, menu_text, short
from gui_app.shared.table import Table
from gui_app.shared.table_models import Index

T = TypeVar("T")

FILTER_MS = 60  # a person who types is not shown every list on the way
# Pixels at the default text size.
_WIDTHS = {
    **{DocumentsModel.SOURCE: 132, DocumentsModel.AUTHOR: 132, DocumentsModel.PLACE: 112, DocumentsModel.DATE: 108},
    **{DocumentsModel.KIND: 96, DocumentsModel.PAGES: 60, DocumentsModel.WORDS: 76, DocumentsModel.LANGUAGE: 92},
    **{DocumentsModel.TAGS: 112, DocumentsModel.GRADE: 60, DocumentsModel.ROWS: 56, DocumentsModel.SIZE: 80},
    **{DocumentsModel.ADDED: 144, DocumentsModel.MADE: 108, DocumentsModel.FOLDER: 132},
}
# Where none were chosen, these are shown in this order as far as there is room; name, title and status before them.
_PRIORITY = (
    *(DocumentsModel.DATE, DocumentsModel.LANGUAGE, DocumentsModel.PAGES, DocumentsModel.SOURCE, DocumentsModel.ROWS),
    *(DocumentsModel.GRADE, DocumentsModel.TAGS, DocumentsModel.KIND, DocumentsModel.SIZE, DocumentsModel.ADDED),
)
_CHOOSABLE = tuple(
    column for column in range(DocumentsModel.ORDER) if column not in (DocumentsModel.NAME, DocumentsModel.STATUS)
)
# Of what has the room that is left: the title, or the name where titles have no column. Dates and languages may leave
# it less than all others.
_LEAST, _GOOD = 152, 232
_NAME_LEAST, _STATUS = 88, (76, 160)  # as wide as what is there, within these
_WRAPPED = (DocumentsModel.NAME, DocumentsModel.TITLE, DocumentsModel.STATUS)  # over two lines if need be
_STEP = "\u00a0" * 4  # before a folder in another; menus leave out blanks that may be broken at
_SAMPLE = 400  # rows that are measured for it
_AROUND_LINES = 8  # pixels above and below two lines
_WHOLE = 0.95  # of the names are shown whole
_LITTLE_MORE = 1.25  # times the width of those, up to which all names are shown whole
_SOME = 0.05  # of the documents must say something in a column that is shown without being chosen
_SORT, _CHOSEN_WIDTHS, _ORDER = "documents-sort", "documents-widths", "documents-order"  # what is remembered of it
_HINT = "Words, or a column and its content: source:orb, language:de, date:2011-04, date:>2011-04-15, pages:>10, rows:0"


def _sorting() -> tuple[int, Qt.SortOrder]:
    """Return the column that the list was last sorted by, and how; the order of arrival where that is not known."""
    column, _, order = window_state.pane(_SORT).partition(" ")
    if not column.isdecimal() or int(column) > DocumentsModel.ORDER or order not in ("0", "1"):
        return DocumentsModel.ORDER, Qt.SortOrder.AscendingOrder
    return int(column), Qt.SortOrder(int(order))


def _chosen_widths() -> dict[int, int]:
    """Return the widths that a person gave columns, in pixels at the default text size."""
    pairs = (pair.partition(":") for pair in window_state.pane(_CHOSEN_WIDTHS).split())
    return {int(column): int(width) for column, _, width in pairs if column.isdecimal() and width.isdecimal()}


def _order() -> list[int]:
    """Return the columns in the order that a person gave them; empty where that is not known."""
    parts = [int(part) for part in window_state.pane(_ORDER).split() if part.isdecimal()]
    return parts if sorted(parts) == list(range(len(DocumentsModel.COLUMNS))) else []


def _beside(column: int) -> int:
    """Return how many pixels of a column are left and right of the words, or of the check box and the name."""
    return 46 if column == DocumentsModel.NAME else 24


class _Advances(dict[str, int]):
    """How wide texts are on one line, in pixels; each is measured once."""

    def __init__(self, metrics: QFontMetrics) -> None:
        super().__init__()
        self.metrics = metrics

    def __missing__(self, text: str) -> int:
        self[text] = self.metrics.horizontalAdvance(text)
        return self[text]


def _entitle(menu: QMenu, words: str) -> None:
    """Put words above what follows in a menu."""
    menu.addAction(words).setEnabled(False)


class DocumentList(Table):
    """The table, with ``filter``, ``narrow_button`` and ``view_button`` for the head of the screen, ``chips`` above it.

    ``narrowed()`` when other documents pass, ``columns_changed()`` when others were chosen.
    """

    narrowed = Signal()
    columns_changed = Signal()
    _measured_texts: list[str] | None = None  # the rows that were measured last
    _facts_of: list[str] | None = None  # the rows that these are of
    _facts: Mapping[object, Any] = {}
    _advances: Sequence[Sequence[int]] = ()  # of each row of the source: how wide the words of _WRAPPED are
    _high_rows: Sequence[int] = ()

    def __init__(self) -> None:
        self.documents = DocumentsModel()
        self.proxy = DocumentsFilter()
        self.proxy.setSourceModel(self.documents)
        super().__init__(self.proxy, "Documents of the case")
        self.documents.setParent(self)
        self.proxy.setParent(self)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter")
        self.filter.setClearButtonEnabled(True)
        self.filter.setAccessibleName("Filter the documents by name, type or status")
        self.filter.setToolTip(_HINT)
        self.filter.setFixedWidth(theme.px(180))
        self.narrow_button = QToolButton()
        self.narrow_button.setAccessibleName("Filter by state, folder, type, language or tag")
        self.narrow_button.setToolTip("More filters")
        self.narrow_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        theme.set_icon(self.narrow_button, "filter")
        menu = QMenu(self.narrow_button)
        self.narrow_button.setMenu(menu)
        self.facet_menus = {facet: menu.addMenu(words) for facet, words in FACETS.items()}
        menu.addSeparator()
        self._clear = menu.addAction("Clear filters", self.clear_filters)
        menu.aboutToShow.connect(self._offer_facets)
        for facet, part in self.facet_menus.items():
            part.aboutToShow.connect(partial(self._fill_menu, facet))
        self.chips = FilterChips(above=8)
        self.chips.removed.connect(lambda facet: self.narrow(facet, None))
        self.chips.cleared.connect(self.clear_filters)
        self.no_match = EmptyState("filter", "No document matches.", "Clear filters", self.clear_filters)
        self.no_match.hide()
        QVBoxLayout(self.viewport()).addWidget(self.no_match)
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
        leave_by_keys(self.filter, self)
        self.setSortingEnabled(True)
        self.sortByColumn(*_sorting())
        self._is_fitting = False
        widths = _chosen_widths()
        self.widths(
            [widths.get(column, _WIDTHS.get(column, 0)) for column in range(DocumentsModel.ORDER)],
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
        self.wrap()
        # Qt would carry the height of each high row through the arrangement, which takes longer than to fit them again.
        self.proxy.arranging.connect(self._level_rows)
        self.proxy.layoutChanged.connect(self.fit_rows)
        self.proxy.modelReset.connect(self.fit_rows)
        self.clicked.connect(lambda index: self.proxy.fold(index.row()))
        self.proxy.group_by(window_state.document_group())

    # --- narrowing ---------------------------------------------------------------------------------------------------

    def apply_filter(self, conditions: Mapping[str, str] | None = None) -> None:
        """Show the documents that the words in the filter leave, with other conditions where they are given."""
        self._filter_soon.stop()
        self.proxy.narrow(text=self.filter.text(), conditions=conditions)
        self.narrowed.emit()

    def narrow(self, facet: str, value: str | None) -> None:
        """Show only documents with this value of a facet; None: whatever it is."""
        conditions = {name: condition for name, condition in self.proxy.conditions.items() if name != facet}
        self.apply_filter(conditions if value is None else {**conditions, facet: value})
        self._show_conditions()

    def clear_filters(self) -> None:
        """Show all documents."""
        self.filter.clear()
        self.apply_filter({})
        self._show_conditions()

    def _show_conditions(self) -> None:
        conditions = self.proxy.conditions.items()
        self.chips.show_conditions(
            {facet: f"{FACETS[facet]}: {short(words_of(facet, value))}" for facet, value in conditions}
        )

    def hidden_among(self, ids: Collection[str]) -> int:
        """Count those of these documents that the filter hides."""
        return self.proxy.failing(ids) if self.proxy.is_narrowed() else 0

    def show_match(self) -> None:
        """Show a sentence in place of the rows where no document passes."""
        self.no_match.setVisible(bool(self.documents.rows) and not self.proxy.passing())

    def _offer_facets(self) -> None:
        """Offer the facets in which the documents differ."""
        self._clear.setEnabled(self.proxy.is_narrowed())
        for facet, menu in self.facet_menus.items():
            model = self.documents
            is_state = facet == "state"  # which is more to find out, and always differs
            values = set() if is_state else {value for row in model.rows for value in values_of(model, row, facet)}
            menu.menuAction().setEnabled(is_state or len(values) > (facet != "tag"))

    def _fill_menu(self, facet: str) -> None:
        """Offer the values of a facet, with how many documents they would leave."""
        menu, value, counts = self.facet_menus[facet], self.proxy.conditions.get(facet), self.proxy.counts(facet)
        menu.clear()
        for choice in choices(facet, counts):
            words = words_of(facet, choice)
            level = words.count("/") if facet == "folder" else 0
            words = f"{_STEP * level}{menu_text(words.rpartition('/')[2] if level else words)}"
            action = menu.addAction(f"{words}\t{counts[choice]:,}")
            action.setCheckable(True)
            action.setChecked(choice == value)
            action.setEnabled(bool(counts[choice]) or choice == value)
            action.triggered.connect(partial(self._value_chosen, facet, choice))

    def _value_chosen(self, facet: str, value: str, _on: bool = False) -> None:
        self.narrow(facet, None if self.proxy.conditions.get(facet) == value else value)

    # --- columns and groups ------------------------------------------------------------------------------------------

    def fit_columns(self, room: int) -> None:
        """Show the columns that were chosen, or those that there is room for and something to say in.

        The title has what is left, or the name where titles have no column. ``room`` is in pixels at the default text
        size.
        """
        self._room = room
        choice = {name for name in window_state.document_columns() if name in DocumentsModel.COLUMNS}
        widths = _chosen_widths()
        limit = max(_NAME_LEAST, round(0.6 * room) - 184)
        name = widths.get(DocumentsModel.NAME) or self._width_of(DocumentsModel.NAME, _NAME_LEAST, limit)
        status = widths.get(DocumentsModel.STATUS) or self._width_of(DocumentsModel.STATUS, *_STATUS)
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

    def fit_rows(self) -> None:
        """Give rows a second line where a name, title or status needs it."""
        rows = self.documents.rows
        if self._measured_texts is not self.documents.filter_texts or len(rows) != len(self._advances):
            self._measured_texts = self.documents.filter_texts  # which are rebuilt for other rows
            advance = self._advance
            self._advances = [[advance[self.documents.text(row, column)] for column in _WRAPPED] for row in rows]
        rooms = [
            10_000 if self.isColumnHidden(column) else self.columnWidth(column) - _beside(column) for column in _WRAPPED
        ]
        name, title, status = rooms
        high = max(theme.row_height(), 2 * self._advance.metrics.height() + theme.px(_AROUND_LINES))
        has_long_name = [wide[0] > name for wide in self._advances]
        is_long = [wide[1] > title or wide[2] > status for wide in self._advances]
        proxy, advance = self.proxy, self._advance
        for row, index in enumerate(proxy.source_rows()):
            # Only names that are indented or have an arrow need their own width.
            if index >= 0 and (rows[index].parent or proxy.contents(row)):
                has_long_name[index] = advance[name_in_list(proxy, row, rows[index])] > name
        self._level_rows()
        places = enumerate(proxy.source_rows())
        self._high_rows = [row for row, index in places if index >= 0 and (has_long_name[index] or is_long[index])]
        self._resize_rows(high)

    def _level_rows(self) -> None:
        """Give all rows the height of one line."""
        self._resize_rows(theme.row_height())
        self._high_rows = []

    def _resize_rows(self, height: int) -> None:
        header = self.verticalHeader()
        header.setUpdatesEnabled(False)  # or Qt computes all places again for each row
        for row in self._high_rows:
            header.resizeSection(row, height)
        header.setUpdatesEnabled(True)

    def _size(self) -> None:
        """Fit rows and columns to the text size in force."""
        self._advance = _Advances(QFontMetrics(theme.sans()))
        self._measured_texts = self._facts_of = None
        super()._size()

    def _keep_width(self, column: int, _old_width: int, width: int) -> None:
        """Remember the width that a person gave a column; what the list fits by itself is not remembered."""
        by_hand = self.horizontalHeader().sectionResizeMode(column) == QHeaderView.ResizeMode.Interactive
        if self._is_fitting or not by_hand or not width or width == theme.px(self._widths.get(column, 0)):
            return
        self._widths[column] = round(width * 100 / theme.px(100))
        widths = {**_chosen_widths(), column: self._widths[column]}
        window_state.keep_pane(_CHOSEN_WIDTHS, " ".join(f"{index}:{wide}" for index, wide in sorted(widths.items())))

    def _keep_order(self) -> None:
        header = self.horizontalHeader()
        order = (str(header.logicalIndex(place)) for place in range(header.count()))
        window_state.keep_pane(_ORDER, " ".join(order))

    def _fitting_columns(self, room: int, name: int) -> set[int]:
        """Return the columns that say something and that there is room for, beside a name of that width."""
        rows = self.documents.rows
        titles = self._fact("titles", lambda: sum(map(bool, map(title_of, rows))))
        with_title = titles > 0 and titles >= _SOME * len(rows)
        columns = {DocumentsModel.TITLE} if with_title and room - name >= _LEAST else set()
        left = room - (name if columns else 0)
        for column in _PRIORITY:
            least = _LEAST if column in (DocumentsModel.DATE, DocumentsModel.LANGUAGE) else _GOOD
            if left - least >= _WIDTHS[column] and self._fact(column, partial(self._says_something, column, rows)):
                columns.add(column)
                left -= _WIDTHS[column]
        return columns

    def _says_something(self, column: int, rows: Sequence[Document]) -> bool:
        if column == DocumentsModel.ROWS:
            return bool(self.documents.citations)
        if column == DocumentsModel.SOURCE:
            return sum(map(bool, map(source_of, rows))) >= max(1, _SOME * len(rows))
        first = next((row.language for row in rows if row.language), "")
        parts: dict[int, Callable[[Document], object]] = {
            DocumentsModel.TAGS: lambda row: row.tags,
            DocumentsModel.GRADE: lambda row: row.reliability or row.information,
            DocumentsModel.DATE: date_of,
            DocumentsModel.LANGUAGE: lambda row: row.language and row.language != first,
        }
        return column not in parts or any(map(parts[column], rows))

    def _width_of(self, column: int, least: int, highest: int) -> int:
        """Return how wide a column must be for what is in it, in pixels at the default text size."""
        widest = self._fact(("width", column), partial(self._widest, column))
        return min(highest, max(least, round(widest * 100 / theme.px(100)) + _beside(column)))

    def _widest(self, column: int) -> int:
        """Return the width of the widest text of a column, a few that are much wider left out, in pixels."""
        metrics, model = QFontMetrics(theme.sans()), self.documents
        rows = model.rows[:_SAMPLE]
        texts = [model.text(row, column) for row in rows]
        share = 1.0
        if column == DocumentsModel.NAME:
            share = _WHOLE
            parents = {row.parent for row in model.rows}
            texts = [self._name_with_prefix(row, has_contents=row.id in parents) for row in rows]
        wide = sorted(map(metrics.horizontalAdvance, texts)) or [0]
        usual = wide[int(share * (len(wide) - 1))]
        return wide[-1] if wide[-1] <= _LITTLE_MORE * usual else usual

    def _fact(self, key: object, read: Callable[[], T]) -> T:
        """Return something about all rows, which is read once until there are others."""
        if self._facts_of is not self.documents.filter_texts:
            self._facts_of, self._facts = self.documents.filter_texts, {}
        if key not in self._facts:
            self._facts = {**self._facts, key: read()}
        fact: T = self._facts[key]
        return fact

    def _name_with_prefix(self, row: Document, *, has_contents: bool) -> str:
        """Return a name with what is before it in a list without filter and folded rows."""
        model = self.documents
        is_below = model.first.get(row.id, row.id) != row.id
        prefix = INDENT if row.parent in model.names else BELOW * is_below
        return f"{prefix}{(UNFOLDED + INDENT) * has_contents}{model.short_name(row)}"

    def choose_columns(self, names: Collection[str]) -> None:
        """Show these columns beside name and status from now on; none: as many as there is room for."""
        window_state.keep_document_columns(name for name in DocumentsModel.COLUMNS if name in names)
        self.fit_columns(self._room)
        self.columns_changed.emit()

    def visible_columns(self) -> list[str]:
        """List the names of the columns on show."""
        columns = (column for column in range(len(DocumentsModel.COLUMNS)) if not self.isColumnHidden(column))
        return [DocumentsModel.COLUMNS[column] for column in columns]

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

    def _header_menu(self, point: QPoint) -> None:
        menu = QMenu(self)
        self._offer_columns(menu)
        menu.exec(self.horizontalHeader().viewport().mapToGlobal(point))
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
            name = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, box.width() - theme.px(80))
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
        """Make a row the current one."""
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.selectionModel().setCurrentIndex(index, flags)

    def select_all(self, ids: Collection[str]) -> None:
        """Select these documents, the first as the current one."""
        model = self.selectionModel()
        flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        model.clearSelection()
        for place, document in enumerate(self.documents.rows):
            index = self.proxy.mapFromSource(self.documents.index(place, 0))
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
            neighbour = self.proxy.holder(row) if is_left else row + 1 if self.proxy.contents(row) else -1
            if neighbour >= 0:
                self.select(self.proxy.index(neighbour, DocumentsModel.NAME))
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
