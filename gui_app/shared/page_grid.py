"""A page of tables as a grid: cells under the headings of their columns, lines between tables across all of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QItemSelection,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from core.domain import Table
from core.text import CELL_BORDER
from gui_app.shared import mark_colours, theme
from gui_app.shared.page_geometry import Mark
from gui_app.shared.page_turning import turn_at_end
from gui_app.shared.qt_text import QtText
from gui_app.shared.row_painting import RIGHT

Span = tuple[int, int]
AnyIndex = QModelIndex | QPersistentModelIndex

_SHARE = 0.5  # of a page's characters on the rows of its tables, from which on it is shown as a grid
_NUMBER = re.compile(r"[(+-]?\W?\d[\d.,' \u00a0]*\W{0,2}[)]?")
_WIDEST, _NARROWED = 420, 150  # pixels of a column; of a wide one where all together are wider than the view
_AROUND = 8  # rows on either side of a passage
_ROWS_QUOTED = 4  # of a table, that a quote shows under the headings of their columns
_HEADING_ROWS = 2  # above one table
_MEASURED = 60  # rows by which the columns get their widths


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row of the grid: ``span`` is its line in the page's text, ``cells`` the spans of its cells in order.

    ``kind`` is 'row', 'headings', or 'line' for text outside of tables, which has one cell across all columns.
    ``number`` is that of the row in its sheet, '' where it has none.
    """

    span: Span
    cells: tuple[Span, ...]
    kind: str = "row"
    number: str = ""


def is_grid(text: str, tables: Sequence[Table]) -> bool:
    """Return whether most of a page is in tables, so that it reads best as a grid."""
    rows = [row for table in tables for row in table.rows]
    ends = [(min(s for s, e in row if s < e), max(e for _, e in row)) for row in rows if any(s < e for s, e in row)]
    return bool(ends) and sum(end - start for start, end in ends) >= _SHARE * len(text.strip())


def grid_rows(text: str, tables: Sequence[Table]) -> list[GridRow]:
    """Return the rows of a page in order of place: each line of its text is in exactly one."""
    rows: list[GridRow] = []
    offset = 0
    for table in sorted(tables, key=_begin):
        body = [(row, index) for index, row in enumerate(table.rows) if any(start < end for start, end in row)]
        if not body or _begin(table) < offset:
            continue
        first = max(offset, text.rfind("\n", 0, _begin(table)) + 1)
        headings = _headings_above(table.columns, text, offset, first)
        if headings is not None:
            rows += [*_lines(text, offset, headings.span[0]), headings]
        else:
            rows += _lines(text, offset, first)
            _mark_headings(rows, table.columns, text)
        begins = [min(start for start, end in row if start < end) for row, _ in body]
        for (row, index), begin, following in zip(body, begins, [*begins[1:], len(text)], strict=True):
            start = max(offset, text.rfind("\n", 0, begin) + 1)
            offset = min(_line_end(text, max(end for _, end in row)), following)
            number = str(table.numbers[index]) if index < len(table.numbers) else ""
            rows.append(GridRow((start, offset), row, "row", number))
    return rows + _lines(text, offset, len(text))


def cells_of(text: str, tables: Sequence[Table], start: int, end: int) -> list[list[tuple[str, str]]]:
    """Return the rows of tables that ``text[start:end]`` is in, each as (heading, value) pairs without empty cells.

    Empty where it is in no table, reaches beyond one, or is of more rows than can be read beside each other.
    """
    touching = [row for row in grid_rows(text, tables) if row.span[0] < end and row.span[1] > start]
    columns = {row: table.columns for table in tables for row in table.rows}
    if any(row.kind != "row" for row in touching) or len(touching) > _ROWS_QUOTED:
        return []
    return [
        [
            (heading, " ".join(text[first:last].split()))
            for heading, (first, last) in zip(columns[row.cells], row.cells, strict=False)
            if text[first:last].strip()
        ]
        for row in touching
    ]


def rows_near(rows: Sequence[GridRow], span: Span, count: int = _AROUND) -> list[GridRow]:
    """Return the rows that touch a span with ``count`` on either side, below the headings of their table."""
    touching = [index for index, row in enumerate(rows) if row.span[0] < span[1] and row.span[1] > span[0]]
    if not touching:
        return list(rows[: 2 * count])
    first, last = max(0, touching[0] - count), touching[-1] + count + 1
    headings = next((row for row in reversed(rows[:first]) if row.kind == "headings"), None)
    return [*([headings] if headings else []), *rows[first:last]]


def spread(wanted: Sequence[int], limit: int, room: int, line: int = 0, *, least: int = 0) -> list[int]:
    """Return the widths of columns that want so much: up to ``limit`` each, beyond it as far as ``room`` is left.

    Where there is too little room and it helps, the widest are narrowed to one width, at ``least`` so much (0: none
    is), and their words break over lines. The last column also takes what a ``line`` across all of them is short of.
    """
    widths = [min(limit, width) for width in wanted]
    if least and sum(widths) > room >= sum(min(least, width) for width in widths):
        limit = max(cap for cap in range(least, limit + 1) if sum(min(cap, width) for width in widths) <= room)
        return [min(limit, width) for width in widths]
    short = [width - given for width, given in zip(wanted, widths, strict=True)]
    spare, missing = max(0, room - sum(widths)), sum(short)
    if missing:
        share = min(spare, missing)
        widths = [width + share * part // missing for width, part in zip(widths, short, strict=True)]
    if widths:
        widths[-1] += max(0, min(line, room) - sum(widths))
    return widths


def _mark_headings(rows: list[GridRow], columns: Sequence[str], text: str) -> None:
    """Mark the last lines that state the headings of columns, a border between them."""
    for above in range(len(rows) - 1, max(-1, len(rows) - 1 - _HEADING_ROWS), -1):
        span = rows[above].span
        cells = _heading_cells(columns, text[slice(*span)], span[0])
        if rows[above].kind != "line" or not cells:
            break
        rows[above] = GridRow(span, cells, "headings")


def _headings_above(columns: Sequence[str], text: str, start: int, end: int) -> GridRow | None:
    """Return the row of the headings where they end text[start:end] with only blanks between them; None if not.

    So a page has them that is read as it is printed: each on lines of its own, or all on one.
    """
    titles = [(column, title.split()) for column, title in enumerate(columns) if title]
    if not titles:
        return None
    blanks = r"\s+"
    pattern = blanks.join(f"({blanks.join(map(re.escape, words))})" for _, words in titles)
    length = 2 * sum(len(title) + 2 for title in columns)
    match = re.compile(rf"(?:{pattern})\s*\Z").search(text, max(start, end - length), end)
    if match is None or text[max(start, text.rfind("\n", 0, match.start(1)) + 1) : match.start(1)].strip():
        return None
    cells = [(match.start(1), match.start(1))] * len(columns)
    for group, (column, _) in enumerate(titles, start=1):
        cells[column] = match.span(group)
    return GridRow((match.start(1), match.end(len(titles))), tuple(cells), "headings")


def _begin(table: Table) -> int:
    return min((start for row in table.rows for start, end in row if start < end), default=0)


def _line_end(text: str, offset: int) -> int:
    stop = text.find("\n", offset)
    return len(text) if stop < 0 else stop


def _lines(text: str, start: int, end: int) -> list[GridRow]:
    """Return a row a line of a stretch of text that is not blank."""
    rows = []
    while start < end:
        stop = min(_line_end(text, start), end)
        if text[start:stop].strip():
            rows.append(GridRow((start, stop), ((start, stop),), "line"))
        start = stop + 1
    return rows


def _heading_cells(columns: Sequence[str], line: str, start: int) -> tuple[Span, ...]:
    """Return the span of each heading on a line that states them, whole or a part of each; () where it states none.

    Where two lines do, the headings above are what those of some columns begin with, those below what they end with.
    """
    titles = line.split(CELL_BORDER)
    if line == CELL_BORDER.join(title for title in columns if title):
        parts = [title for title in columns if title]
        at_column = [column for column, title in enumerate(columns) if title]
    elif len(titles) > 1:
        parts, at_column, column = titles, [], 0
        for title in titles:
            while column < len(columns) and not _is_part(title, columns[column]):
                column += 1
            at_column.append(column)
            column += 1
        if at_column[-1] >= len(columns):
            return ()
    else:
        return ()
    cells = [(start, start)] * len(columns)
    for column, part in zip(at_column, parts, strict=True):
        cells[column] = (start, start + len(part))
        start += len(part) + len(CELL_BORDER)
    return tuple(cells)


def _is_part(title: str, heading: str) -> bool:
    return heading == title or heading.startswith(f"{title} ") or heading.endswith(f" {title}")


def _touches(spans: Sequence[Span], cell: Span) -> bool:
    return any(start < cell[1] and end > cell[0] for start, end in spans)


def _heading_font() -> QFont:
    return theme.sans(theme.BODY, bold=True)


class GridModel(QAbstractTableModel):
    """The cells of a page, with what is marked and hit in them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._text = QtText("")
        self.rows: Sequence[GridRow] = ()
        self._columns = 0
        self._letters: Sequence[str] = ()
        self.marks: Sequence[Mark] = ()
        self.current: int | None = None
        self.finds: Sequence[Span] = ()
        self.struck_spans: Sequence[Span] = ()
        self.hidden_spans: Sequence[Span] = ()

    def show_page(self, text: str, tables: Sequence[Table], around: Span | None = None) -> None:
        """Take the tables of a page, or the rows of them near a span."""
        self.beginResetModel()
        self._text, self.rows = QtText(text), grid_rows(text, tables)
        if around is not None:
            self.rows = rows_near(self.rows, around)
        self._columns = max((len(row.cells) for row in self.rows), default=0)
        self._letters = max((table.letters for table in tables), key=len, default=())
        self.finds = ()
        self.endResetModel()

    def repaint(self) -> None:
        """Repaint the cells in other colours."""
        if self.rows:
            last = self.index(len(self.rows) - 1, max(0, self._columns - 1))
            self.dataChanged.emit(self.index(0, 0), last, [Qt.ItemDataRole.BackgroundRole])

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """Return the number of rows."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: AnyIndex | None = None) -> int:
        """Return the number of columns of the widest table."""
        return 0 if parent is not None and parent.isValid() else self._columns

    def span_at(self, index: AnyIndex) -> Span | None:
        """Return the span of a cell; None for an empty one."""
        row = self.rows[index.row()]
        if index.column() >= len(row.cells):
            return None
        start, end = row.cells[index.column()]
        return (start, end) if start < end else None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the words of a cell, and how they are set."""
        span = self.span_at(index) if index.isValid() else None
        if span is None:
            return None
        kind, words = self.rows[index.row()].kind, self._text.text[slice(*span)]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole:
                return words
            case Qt.ItemDataRole.FontRole:
                return self._font(kind, span)
            case Qt.ItemDataRole.TextAlignmentRole if kind == "row" and _NUMBER.fullmatch(
                self._text.text[slice(*span)]
            ):
                return RIGHT
            case Qt.ItemDataRole.ForegroundRole if kind == "line" or _touches(self.hidden_spans, span):
                return QBrush(QColor(theme.tokens().muted))
            case Qt.ItemDataRole.BackgroundRole:
                return self._background(span)
        return None

    def _font(self, kind: str, span: Span) -> QFont | None:
        """Return the font of headings, of struck words with a line through them, and of hidden ones; None: usual."""
        is_struck, is_hidden = _touches(self.struck_spans, span), _touches(self.hidden_spans, span)
        if not (is_struck or is_hidden):
            return _heading_font() if kind == "headings" else None
        font = _heading_font() if kind == "headings" else theme.sans(theme.BODY)
        font.setStrikeOut(is_struck)
        font.setItalic(is_hidden)
        return font

    def _background(self, span: Span) -> QBrush | None:
        if _touches(self.finds, span):
            return QBrush(mark_colours.find())
        touching = [index for index, mark in enumerate(self.marks) if mark.start < span[1] and mark.end > span[0]]
        if not touching:
            return None
        index = self.current if self.current in touching else touching[0]
        return QBrush(mark_colours.text_tint(self.marks[index].stance, strong=index == self.current))

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        """Return the letter of a column and the number of a row, as in the sheet."""
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Horizontal:
            return self._letters[section] if section < len(self._letters) else ""
        return self.rows[section].number

    def row_at(self, offset: int) -> int:
        """Return the row in whose line an offset lies, or the last before it."""
        row = 0
        for number, candidate in enumerate(self.rows):
            if candidate.span[0] > offset:
                break
            row = number
        return row


class MarkDelegate(QStyledItemDelegate):
    """Fills the ground of marked cells, which a style sheet leaves out."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paint a cell on the colour of its mark."""
        brush = index.data(Qt.ItemDataRole.BackgroundRole)
        if brush is not None:
            painter.fillRect(option.rect.adjusted(0, 0, 0, -1), brush)
        super().paint(painter, option, index)


class PageGrid(QTableView):
    """The tables of one page, read-only: what is picked is a span of the page's text.

    The signals are those of the text of a page: ``words_selected(start, end, where)``, ``selection_cleared``,
    ``mark_clicked(mark)``, ``turned(1 or -1)`` beyond an end, ``scrolled``.
    """

    words_selected = Signal(int, int, QRect)
    selection_cleared = Signal()
    mark_clicked = Signal(object)
    turned = Signal(int)
    scrolled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wanted: list[int] = []  # widths of the columns that would show all of their words
        self._widest_line = 0
        self._is_new, self._is_whole = True, False
        self._settle_timer = QTimer(self)
        self._settle_timer.setSingleShot(True)
        self._settle_timer.setInterval(0)
        self._settle_timer.timeout.connect(self._tell_selection)
        self.cells = GridModel(self)
        self.setModel(self.cells)
        self.setItemDelegate(MarkDelegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Tables of the page")
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setTabKeyNavigation(False)
        self.setWordWrap(True)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.verticalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.horizontalHeader().setHighlightSections(False)
        self.verticalScrollBar().valueChanged.connect(lambda _value: self.scrolled.emit())
        self.clicked.connect(self._clicked)

    def show_page(
        self,
        text: str,
        tables: Sequence[Table],
        marks: Sequence[Mark] = (),
        current: int | None = None,
        *,
        around: Span | None = None,
        struck_spans: Sequence[Span] = (),
        hidden_spans: Sequence[Span] = (),
    ) -> None:
        """Show the tables of a page, its quotes marked, the ``current`` one in the middle.

        With ``around``, only the rows near that span are shown, below the headings of their table. A line runs through
        what is struck through in the sheet; what is hidden there is grey.
        """
        self.cells.struck_spans, self.cells.hidden_spans = struck_spans, hidden_spans
        self.clearSpans()
        self.cells.marks, self.cells.current = marks, current
        self.cells.show_page(text, tables, around)
        columns = self.cells.columnCount()
        for number, row in enumerate(self.cells.rows):
            if row.kind == "line" and columns > 1:
                self.setSpan(number, 0, 1, columns)
        self.horizontalHeader().setVisible(any(table.letters for table in tables))
        self.verticalHeader().setVisible(any(row.number for row in self.cells.rows))
        self._is_new = True
        self._fit_columns(columns)
        if current is not None:
            self.centre_on(marks[current].start, marks[current].end)
        else:
            self.scrollToTop()

    def _fit_columns(self, columns: int) -> None:
        """Note the widths of the words in each column, as far as the first rows show it, and lay them out."""
        metrics, padding = QFontMetrics(_heading_font()), theme.px(36)
        text = self.cells
        widest = [0] * columns
        self._widest_line = 0
        for number, row in enumerate(text.rows[:_MEASURED]):
            for column in range(min(columns, len(row.cells))):
                words = str(text.data(text.index(number, column)) or "")
                width = metrics.horizontalAdvance(words[:200]) + padding
                if row.kind == "line":
                    self._widest_line = max(self._widest_line, width)
                else:
                    widest[column] = max(widest[column], width)
        self._wanted = [max(theme.px(48), width) for width in widest]
        self._lay_out()

    def _lay_out(self) -> None:
        """Set the widths of the columns; a wide one goes beyond its limit where the view has room for it."""
        has_lines = len(self.cells.rows) <= _MEASURED * 10  # only then rows are as high as their words
        limit, least = theme.px(_WIDEST), theme.px(_NARROWED) if has_lines else 0
        widths = spread(self._wanted, limit, self.viewport().width(), self._widest_line, least=least)
        if widths == [self.columnWidth(column) for column in range(len(widths))] and not self._is_new:
            return
        self._is_new = False
        for column, width in enumerate(widths):
            self.setColumnWidth(column, width)
        if has_lines:
            self.resizeRowsToContents()
        if self._is_whole:
            self.fit_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out the columns in the new width."""
        super().resizeEvent(event)
        self._lay_out()

    def fit_height(self) -> None:
        """Be as high as the rows: for a grid that scrolls with what is around it."""
        self._is_whole = True
        header = self.horizontalHeader()
        heads = 0 if header.isHidden() else header.sizeHint().height()
        bar = self.horizontalScrollBar().sizeHint().height()
        self.setFixedHeight(self.verticalHeader().length() + heads + bar + 2)

    def top_of(self, start: int) -> int:
        """Return how far down the row of an offset begins, in pixels."""
        return self.rowViewportPosition(self.cells.row_at(start))

    def set_marks(self, marks: Sequence[Mark], current: int | None = None) -> None:
        """Mark these quotes; ``current`` is the one that is looked at."""
        self.cells.marks, self.cells.current = marks, current
        self.cells.repaint()

    def set_finds(self, spans: Sequence[Span], current: int = 0) -> None:
        """Mark the cells with hits of a search; the current one is brought to the middle."""
        self.cells.finds = spans
        self.cells.repaint()
        if spans:
            self.centre_on(*spans[current])

    def centre_on(self, start: int, end: int) -> bool:
        """Bring the row of text[start:end] to the middle; return whether there is any."""
        if not self.cells.rows:
            return False
        row = self.cells.row_at(start)
        cells = self.cells.rows[row].cells
        column = next((index for index, cell in enumerate(cells) if cell[0] <= start < cell[1]), 0)
        self.scrollTo(self.cells.index(row, column), QAbstractItemView.ScrollHint.PositionAtCenter)
        return True

    def selection(self) -> Span | None:
        """Return the span from the first picked cell to the last; None for none."""
        spans = [span for index in self.selectedIndexes() if (span := self.cells.span_at(index)) is not None]
        return (min(start for start, _ in spans), max(end for _, end in spans)) if spans else None

    def clear_selection(self) -> None:
        """Pick nothing."""
        self.clearSelection()

    def visible_part(self) -> tuple[float, float]:
        """Return from where to where the rows are in sight, as shares of them."""
        count = max(1, len(self.cells.rows))
        first = max(0, self.rowAt(0))
        last = self.rowAt(self.viewport().height() - 1)
        return first / count, (count if last < 0 else last + 1) / count

    def selectionChanged(self, new: QItemSelection, old: QItemSelection) -> None:
        """Show what is picked once the mouse or the keys have come to rest."""
        super().selectionChanged(new, old)
        self._settle_timer.start()

    def _tell_selection(self) -> None:
        span = self.selection()
        if span is None:
            self.selection_cleared.emit()
            return
        box = QRect()
        for index in self.selectedIndexes():
            box = box.united(self.visualRect(index))
        self.words_selected.emit(*span, box)

    def _clicked(self, index: QModelIndex) -> None:
        span = self.cells.span_at(index)
        if span is None:
            return
        mark = next((mark for mark in self.cells.marks if mark.start < span[1] and mark.end > span[0]), None)
        if mark is not None:
            self.mark_clicked.emit(mark)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll, or turn the page beyond an end."""
        way = turn_at_end(self.verticalScrollBar(), event)
        if way:
            self.turned.emit(way)
            event.accept()
        else:
            super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Turn the page beyond an end, and pick nothing by Escape."""
        way = turn_at_end(self.verticalScrollBar(), event)
        if way:
            self.turned.emit(way)
        elif event.key() == Qt.Key.Key_Escape and self.selectedIndexes():
            self.clear_selection()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Leave copying to the screen, whose command adds the citation."""
        copies = isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Copy)
        if event.type() == QEvent.Type.ShortcutOverride and copies:
            event.ignore()
            return False
        return super().event(event)
