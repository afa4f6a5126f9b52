"""Tables of a few hundred rows that look and behave alike: no grid, whole rows, fixed sections, keyboard first."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QAbstractItemModel, QItemSelectionModel, QModelIndex, QPersistentModelIndex, Qt, QTimer
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from gui_app.shared import theme
from gui_app.shared.reading_direction import CellDelegate

_MAX_FITTED_ROWS = 500  # rows as high as their text; those behind them have one line
_MAX_ROW_HEIGHT = 184  # pixels


class Table(QTableView):
    """A table that calls ``on_open`` on Enter or double click, and ``on_space`` on Space."""

    def __init__(self, model: QAbstractItemModel, name: str) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(CellDelegate(self))
        self.setAccessibleName(name)
        self.on_open: Callable[[], object] | None = None
        self.on_space: Callable[[], object] | None = None
        self.setShowGrid(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.horizontalHeader().setMinimumSectionSize(44)
        self.doubleClicked.connect(lambda _index: self.on_open() if self.on_open else None)
        self._widths: dict[int, int] = {}
        self._fitting: QTimer | None = None
        theme.changed.connect(self._size)
        self._size()

    def setCurrentIndex(self, index: QModelIndex | QPersistentModelIndex) -> None:
        """Select one row and no other, whatever keys are held down."""
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.selectionModel().setCurrentIndex(index, flags)

    def widths(self, widths: list[int], *, stretch: int) -> None:
        """Set column widths in pixels at the default text size; one column takes what is left."""
        self._widths = {column: width for column, width in enumerate(widths) if column != stretch and width}
        header, modes = self.horizontalHeader(), QHeaderView.ResizeMode
        for column in range(header.count()):
            header.setSectionResizeMode(column, modes.Stretch if column == stretch else modes.Interactive)
        self._size()

    def wrap(self) -> None:
        """Wrap text, and keep rows as high as it whenever it or a width changes."""
        self.setWordWrap(True)
        self._fitting = QTimer(self)
        self._fitting.setSingleShot(True)
        self._fitting.setInterval(0)
        self._fitting.timeout.connect(self.fit_rows)
        self.horizontalHeader().sectionResized.connect(lambda *_: self._fit_soon())
        self.model().modelReset.connect(self._fit_soon)

    def fit_rows(self) -> None:
        """Make rows as high as their wrapped text, within reason."""
        metrics, model = QFontMetrics(theme.sans()), self.model()
        wrap = int(Qt.TextFlag.TextWordWrap)
        columns = [column for column in range(model.columnCount()) if not self.isColumnHidden(column)]
        for row in range(min(model.rowCount(), _MAX_FITTED_ROWS)):
            high = theme.row_height()
            for column in columns:
                text = str(model.index(row, column).data() or "")
                wide = max(40, self.columnWidth(column) - 24)
                if metrics.horizontalAdvance(text) > wide:
                    high = max(
                        high, metrics.boundingRect(0, 0, wide, 10_000, wrap, text).height() + theme.px(16) + theme.air()
                    )
            self.setRowHeight(row, min(high, theme.px(_MAX_ROW_HEIGHT)))

    def _fit_soon(self) -> None:
        if self._fitting is not None and self.isVisible():
            self._fitting.start()

    def showEvent(self, event: QShowEvent) -> None:
        """Fit the rows to what changed while it was hidden."""
        super().showEvent(event)
        self._fit_soon()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Select the row that Qt goes to when Tab comes here: what shows a row follows the selection."""
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            index = self.currentIndex()
            if index.isValid() and not self.selectionModel().hasSelection():
                self.selectRow(index.row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take Enter and Space as commands, and the first arrow as a step to the first row."""
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and not self.selectionModel().hasSelection():
            # The first row to be selected is the first one, not the one after that to which Qt went unseen.
            self.selectionModel().setCurrentIndex(QModelIndex(), QItemSelectionModel.SelectionFlag.NoUpdate)
        editing = self.state() == QAbstractItemView.State.EditingState
        if not editing and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.on_open is not None:
            self.on_open()
        elif not editing and event.key() == Qt.Key.Key_Space and self.on_space is not None:
            self.on_space()
        else:
            super().keyPressEvent(event)

    def _size(self) -> None:
        """Fit rows and columns to the text size in force."""
        self.verticalHeader().setDefaultSectionSize(theme.row_height())
        for column, width in self._widths.items():
            self.setColumnWidth(column, theme.px(width))
        self._fit_soon()
