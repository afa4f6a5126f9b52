"""The names of a case above those that its documents suggest, narrowed by one filter."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QPushButton,
    QSplitter,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from gui_app.search.names_model import Index, NameRow, NamesModel
from gui_app.search.names_model_bar import NamesModelLine
from gui_app.session import CaseSession
from gui_app.shared import theme as look
from gui_app.shared.excerpt_list import SIDE, ground
from gui_app.shared.header import button
from gui_app.shared.labels import line, plain
from gui_app.shared.row_in_hand import row_after, select_rows, take_row


class NameDelegate(QStyledItemDelegate):
    """Name and figure on one line, kind and other names below in small letters."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row; all have the same."""
        return QSize(80, 12 + 2 * look.air() + look.px(18) + look.px(16))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        row: NameRow = index.data(Qt.ItemDataRole.UserRole)
        ink = look.tokens()
        painter.save()
        inner = ground(painter, option).adjusted(SIDE, 5, -SIDE, -6)
        below = " · ".join(filter(None, (row.kind, row.by, row.below)))
        high = look.px(18) if below else inner.height()
        head = QRect(inner.left(), inner.top(), inner.width(), high)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(look.sans(look.SMALL))
        painter.setPen(QColor(ink.muted))
        painter.drawText(head, int(Qt.AlignmentFlag.AlignRight | middle), row.figure)
        room = inner.width() - painter.fontMetrics().horizontalAdvance(row.figure) - 12
        painter.setFont(look.sans())
        painter.setPen(QColor(ink.text))
        name = QFontMetrics(painter.font()).elidedText(row.name, Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(head, int(Qt.AlignmentFlag.AlignLeft | middle), name)
        painter.setFont(look.sans(look.SMALL))
        painter.setPen(QColor(ink.muted))
        box = QRect(inner.left(), head.bottom() + 1, inner.width(), look.px(16))
        words = QFontMetrics(painter.font()).elidedText(below, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | middle), words)
        painter.restore()


class NameLists(QWidget):
    """Two lists, the names of the case and the suggested ones, with what decides on them.

    ``row_changed(view)`` when a row of ``name_list`` or ``suggestion_list`` is selected, ``narrowed()`` when the filter
    or the wish for rejected names or codes changed. The keys of both lists and of the filter go to ``keys``.
    """

    row_changed = Signal(object)
    narrowed = Signal()

    def __init__(
        self,
        session: CaseSession,
        keys: QObject,
        *,
        add: QAction,
        suggest: QAction,
        decisions: tuple[QAction, QAction, QAction],
    ) -> None:
        super().__init__()
        self._keys = keys
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter names")
        self.filter.setAccessibleName("Filter names")
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(lambda _text: self.narrowed.emit())
        self.filter.installEventFilter(keys)
        self.names, self.suggestions = NamesModel(self), NamesModel(self)
        self.name_list = self._list(self.names, "Names of the case")
        self.suggestion_list = self._list(self.suggestions, "Suggested names")
        self.suggestion_list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self._upper(add))
        self._splitter.addWidget(self._lower(session, suggest, decisions))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        top = QHBoxLayout()
        top.setContentsMargins(16, 8, 16, 8)
        top.addWidget(self.filter)
        column.addLayout(top)
        column.addWidget(self._splitter, 1)
        self.setFocusProxy(self.name_list)

    def _upper(self, add: QAction) -> QWidget:
        self.names_title = plain("Names", "section")
        self.rejected_button = QPushButton()
        self.rejected_button.setAccessibleName("Names that were rejected")
        self.rejected_button.setProperty("kind", "chip")
        self.rejected_button.setCheckable(True)
        self.rejected_button.setToolTip("Show rejected names; Enter confirms one after all")
        self.rejected_button.toggled.connect(lambda _on: self.narrowed.emit())
        add_button = button(add, kind="quiet", icon="add")
        add_button.setText("Add")
        upper = QWidget()
        column = QVBoxLayout(upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(_row(self.names_title, None, self.rejected_button, add_button))
        column.addWidget(self.name_list, 1)
        return upper

    def _lower(self, session: CaseSession, suggest: QAction, decisions: tuple[QAction, QAction, QAction]) -> QWidget:
        self.suggestions_title = plain("Suggested", "section")
        self.codes_button = QPushButton()
        self.codes_button.setAccessibleName("Codes, numbers and addresses")
        self.codes_button.setProperty("kind", "chip")
        self.codes_button.setCheckable(True)
        self.codes_button.setToolTip("Show numbers, codes, e-mail and web addresses in the place of names")
        self.codes_button.hide()
        self.codes_button.toggled.connect(lambda _on: self.narrowed.emit())
        self.suggest_button = button(suggest, kind="quiet")
        self.nothing = plain("", "muted", wrap=True)
        self.nothing.setContentsMargins(16, 8, 16, 8)
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setProperty("kind", "quiet")
        self.cancel_button.setAccessibleName("Stop looking for names")
        self.cancel_button.hide()
        lower = QWidget()
        column = QVBoxLayout(lower)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(line())
        column.addLayout(_row(self.suggestions_title, None, self.codes_button, self.cancel_button, self.suggest_button))
        self.by = NamesModelLine(session)
        column.addWidget(self.by)
        column.addWidget(self.nothing)
        column.addWidget(self.suggestion_list, 1)
        confirm, reject, merge = decisions
        self.confirm_button = button(confirm, kind="primary")
        self.confirm_button.setText("Confirm")
        self.reject_button = button(reject)
        self.merge_button = button(merge)
        self.merge_button.setText("Alias")
        column.addStretch(0)
        self.decide = QWidget()
        below = QVBoxLayout(self.decide)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        below.addWidget(line())
        below.addLayout(_row(self.confirm_button, self.reject_button, self.merge_button, None))
        column.addWidget(self.decide)
        return lower

    def _list(self, model: NamesModel, name: str) -> QListView:
        view = QListView()
        view.setModel(model)
        view.setAccessibleName(name)
        view.setUniformItemSizes(True)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setItemDelegate(NameDelegate(view))
        view.installEventFilter(self._keys)
        view.selectionModel().currentChanged.connect(partial(self._row_changed, view))
        view.clicked.connect(lambda index, of=view: self._row_changed(of, index, QModelIndex()))
        look.changed.connect(view.scheduleDelayedItemsLayout)
        return view

    def _row_changed(self, view: QListView, index: QModelIndex, _before: QModelIndex) -> None:
        self.row_changed.emit(view if index.isValid() else None)

    # --- showing -----------------------------------------------------------------------------------------------------

    def show_names(self, rows: Sequence[NameRow], *, names: int, rejections: int) -> None:
        """Show names of the case; ``names`` and ``rejections`` count them all."""
        self.rejected_button.setText(f"Rejected {rejections:,}")
        self.rejected_button.setVisible(bool(rejections) or self.rejected_button.isChecked())
        _put(self.name_list, self.names, rows, _of_entity, moves_on=True)  # names go by decisions alone
        self.names_title.setText(f"Names {names:,}" if names else "No names yet")

    def show_suggestions(self, rows: Sequence[NameRow], case_names: Collection[str], *, codes: int) -> None:
        """Show names that the documents suggest; what is among ``case_names`` now leaves its place.

        ``codes`` counts all suggestions that are codes.
        """
        self.codes_button.setText(f"Codes {codes:,}")
        self.codes_button.setVisible(bool(codes) or self.codes_button.isChecked())
        row = self.suggestion_list.currentIndex().row()
        moves_on = 0 <= row < len(self.suggestions.rows) and self.suggestions.rows[row].name.casefold() in case_names
        _put(self.suggestion_list, self.suggestions, rows, _of_candidate, moves_on=moves_on)

    def show_choice(self, count: int, above: str) -> None:
        """Label the buttons for one suggestion, or for ``count``; ``above`` is the selected name."""
        several = count > 1
        self.confirm_button.setText(f"Confirm {count:,}" if several else "Confirm")
        self.reject_button.setText(f"Not names ({count:,})" if several else "Not a name")
        self.merge_button.setText("One name" if several else "Alias")
        if several:
            tip = "One name: the longest, with the others as its aliases  (M)"
        else:
            tip = (
                f"Another name of {above}  (M)"
                if above
                else "Add the suggestion as an alias of the name selected above"
            )
        self.merge_button.setToolTip(tip)

    def tell_suggestions(self, message: str, *, title: str, suggest: str, looking: bool) -> None:
        """Show the state of the suggestions; ``suggest`` labels the button that looks for them."""
        self.cancel_button.setVisible(looking)
        self.suggest_button.setVisible(not looking)
        self.suggest_button.setText(suggest)
        self.nothing.setText(message)
        self.nothing.setVisible(bool(message))
        if self.suggestion_list.isHidden() == bool(self.suggestions.rows):
            self.suggestion_list.setVisible(bool(self.suggestions.rows))
            self._share_room()
        self.decide.setVisible(bool(self.suggestions.rows))
        self.suggestions_title.setText(title)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the room again while one list alone needs it."""
        super().resizeEvent(event)
        if not self.suggestions.rows:
            self._share_room()

    def _share_room(self) -> None:
        """Let neither suggestions nor names that are not there take room from the others."""
        if self.suggestions.rows:
            self._splitter.setSizes([300, 360] if self.names.rows else [look.px(88), 560])
        else:
            low = look.px(168)
            self._splitter.setSizes([max(low, self.height() - look.px(48) - low), low])

    def select_name(self, entity: str) -> bool:
        """Select a name of the case; return whether it is on the list."""
        index = next((n for n, row in enumerate(self.names.rows) if row.of.id == entity), None)
        if index is not None:
            take_row(self.name_list, index)
        return index is not None

    def leave_filter(self) -> None:
        """Go from the filter into the first list that has something."""
        view = self.name_list if self.names.rows else self.suggestion_list
        view.setFocus(Qt.FocusReason.TabFocusReason)
        if not view.currentIndex().isValid():
            take_row(view, 0)


def _put(
    view: QListView, model: NamesModel, rows: Sequence[NameRow], key: Callable[[NameRow], str], *, moves_on: bool
) -> None:
    """Show rows and keep the selection; if the list ``moves_on``, select the row that took its place."""
    current_row = view.currentIndex().row()
    current = key(model.rows[current_row]) if 0 <= current_row < len(model.rows) else ""
    selection = {key(model.rows[index.row()]) for index in view.selectionModel().selectedIndexes()}
    if [row.description for row in rows] == [row.description for row in model.rows]:
        model.rows = list(rows)
        view.viewport().update()
        return
    top = view.verticalScrollBar().value()
    view.selectionModel().blockSignals(True)
    model.show(rows)
    keys = [key(row) for row in rows]
    if current:
        take_row(view, row_after(keys, current, current_row, moves_on=moves_on))
        if current in keys:
            select_rows(view, [row for row, row_key in enumerate(keys) if row_key in selection])
    view.selectionModel().blockSignals(False)
    view.verticalScrollBar().setValue(top)
    view.viewport().update()


def _row(*parts: QWidget | None) -> QHBoxLayout:
    """Return widgets in a row; None is the room between."""
    row = QHBoxLayout()
    row.setContentsMargins(16, 6, 8, 6)
    row.setSpacing(8)
    for part in parts:
        if part is None:
            row.addStretch(1)
        else:
            row.addWidget(part)
    return row


def _of_entity(row: NameRow) -> str:
    return str(row.of.id)


def _of_candidate(row: NameRow) -> str:
    return row.name
