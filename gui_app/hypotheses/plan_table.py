"""The planned searches as a table grouped by hypothesis: its headings, columns and rows, and its editor."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyledItemDelegate, QStyleOptionViewItem

from core.domain import Label, PlanQuery
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.cell_editor import TextDelegate, TextEditor
from gui_app.shared.effort_meter import empty_cell
from gui_app.shared.plan_model import PlanModel, PlanRow
from gui_app.shared.row_painting import LEFT
from gui_app.shared.table import Table
from gui_app.shared.verdict_signs import draw_sign

_MAX_ROW_HEIGHT = 120  # pixels: what is longer is read in the editor
_WIDTHS = {PlanModel.ROLE: 152, PlanModel.SIDE: 92, PlanModel.FROM: 112, PlanModel.LAST: 232}
_NARROW = {PlanModel.ROLE: 128, PlanModel.SIDE: 84, PlanModel.LAST: 152}


class PlanTable(Table):
    """The rows of a PlanModel; the selected one stays selected."""

    def __init__(self, session: CaseSession) -> None:
        self.plan = PlanModel()
        super().__init__(self.plan, "Searches planned for each hypothesis")
        self.plan.setParent(self)
        self.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setWordWrap(True)
        self.setItemDelegate(TextDelegate(session, self))
        self._sides = _Side(self)
        self.setItemDelegateForColumn(PlanModel.SIDE, self._sides)
        header = self.horizontalHeader()
        header.setSectionResizeMode(PlanModel.WORDS, QHeaderView.ResizeMode.Stretch)
        header.sectionResized.connect(lambda *_sizes: self.fit_rows())

    def show_rows(self, rows: Sequence[PlanRow]) -> None:
        """Show the searches below a heading for each hypothesis; the selected row stays selected."""
        previous = self.current()
        self.plan.show(rows)
        self.clearSpans()
        for heading in self.plan.headings():
            self.setSpan(heading, 0, 1, self.plan.columnCount())
        self._find_row(previous)

    def _find_row(self, previous: PlanRow | None) -> None:
        found_row = -1
        rows = self.plan.rows
        if previous is not None and previous.query is not None:
            found_row = self.plan.row_of(previous.query.id)
        if found_row < 0 and previous is not None:
            found_row = next((n for n, row in enumerate(rows) if row.hypothesis.id == previous.hypothesis.id), -1)
        if found_row < 0 and rows:
            found_row = 0
        if found_row >= 0:
            self.setCurrentIndex(self.plan.index(found_row, PlanModel.WORDS if rows[found_row].query else 0))

    def current(self) -> PlanRow | None:
        """Return the row at the cursor."""
        row = self.currentIndex().row()
        return self.plan.rows[row] if 0 <= row < len(self.plan.rows) else None

    def take(self, query: str) -> None:
        """Select a search."""
        row = self.plan.row_of(query)
        if row >= 0:
            self.setCurrentIndex(self.plan.index(row, PlanModel.WORDS))

    def chosen(self) -> list[PlanQuery]:
        """List the selected searches; a heading stands for nothing by itself."""
        rows = sorted({index.row() for index in self.selectionModel().selectedRows()})
        queries = (self.plan.rows[row].query for row in rows)
        return [query for query in queries if query is not None]

    def edit_words(self) -> None:
        """Edit the words of the search at the cursor."""
        index = self.currentIndex().siblingAtColumn(PlanModel.WORDS)
        self.setCurrentIndex(index)
        self.edit(index)

    def edit_again(self, row: int, text: str) -> None:
        """Open the editor of a row again with what was typed."""
        index = self.plan.index(row, PlanModel.WORDS)
        self.setCurrentIndex(index)
        self.edit(index)
        editor = self.findChild(TextEditor)
        if editor is not None:
            editor.setPlainText(text)

    def fit_columns(self, *, narrow: bool) -> None:
        """Set the widths of the columns; in a narrow page, who worded a search is in the tip of its first cell."""
        for part, wide in (_WIDTHS | (_NARROW if narrow else {})).items():
            self.setColumnWidth(part, theme.px(wide))
        self.setColumnHidden(PlanModel.FROM, narrow)

    def fit_rows(self) -> None:
        """Make rows as high as their wrapped text, within reason."""
        metrics, bold = QFontMetrics(theme.sans()), QFontMetrics(theme.sans(bold=True))
        wrap = int(Qt.TextFlag.TextWordWrap)
        for number, row in enumerate(self.plan.rows):
            high = theme.row_height()
            if row.query is None:
                text = str(self.plan.index(number, 0).data())
                box = bold.boundingRect(0, 0, max(60, self.viewport().width() - 24), 10_000, wrap, text)
                high = max(high, box.height() + 16)
            else:
                for part in (PlanModel.ROLE, PlanModel.WORDS, PlanModel.FROM, PlanModel.LAST):
                    if self.isColumnHidden(part):
                        continue
                    text = str(self.plan.index(number, part).data())
                    wide = max(60, self.columnWidth(part) - 24)
                    high = max(high, metrics.boundingRect(0, 0, wide, 10_000, wrap, text).height() + 12 + theme.air())
            self.setRowHeight(number, min(high, theme.px(_MAX_ROW_HEIGHT)))


class _Side(QStyledItemDelegate):
    """The side of a search: its shape and its word, never a colour alone."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        side = str(index.data() or "")
        empty_cell(self, painter, option, index)
        painter.save()
        if side:
            label: Label = "supports" if side == "for" else "contradicts"
            inner = option.rect.adjusted(12, 0, -4, 0)
            draw_sign(painter, label, QRectF(inner.left(), inner.center().y() - 4, 9, 9), theme.tone(label), fill=False)
            painter.setFont(theme.sans())
            painter.setPen(QColor(theme.tokens().text))
            painter.drawText(inner.adjusted(16, 0, 0, 0), LEFT, side)
        painter.restore()
