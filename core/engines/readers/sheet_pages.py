"""Sheets as pages: tables with their headings, a page a sheet or a stretch of its rows, remarks below the rows."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from core.domain import PageText, Section, Table
from core.engines.readers import plain_text, table_text, text_flow
from core.errors import UnreadableDocument
from core.text import column_letters

ROWS = 1_000  # of one page
CHARACTERS = 50_000  # of one page, about
_AREA = 100_000  # cells of the grid of one page
_TEXT = 100_000_000  # characters of all sheets
_SAMPLE = 200  # rows by which headings are told from values
_TITLES = 20  # first rows among which the table begins


class Cell(NamedTuple):
    """A cell that is not empty. ``column`` counts from 0; ``reason``: why nobody sees it; struck spans of its text."""

    column: int
    text: str
    reason: str = ""
    struck_spans: tuple[tuple[int, int], ...] = ()


class Row(NamedTuple):
    """A row with its filled cells from left to right. ``number`` counts from 0.

    ``width``: how many cells it has, empty ones included, where only their order says in which column each is.
    """

    number: int
    cells: Sequence[Cell]
    is_hidden: bool = False
    width: int = 0


@dataclass(slots=True)
class Sheet:
    """A sheet on its way to pages.

    ``remarks`` belong to a row and follow the page that has it; ``below`` follows the sheet.
    ``heading_rows`` are known to head columns. ``wide_cells``: by row the first and last column of joined cells.
    """

    title: str
    rows: Iterable[Row]
    is_hidden: bool = False
    remarks: list[tuple[int, text_flow.Piece]] = field(default_factory=list)
    below: list[text_flow.Piece] = field(default_factory=list)
    heading_rows: frozenset[int] = frozenset()
    wide_cells: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict)


def pages(sheets: Iterable[Sheet], name: str) -> Iterator[PageText]:
    """Yield the pages of sheets that are not empty. Raises UnreadableDocument where they hold too much."""
    total = 0
    for sheet in sheets:
        for page in _pages_of(sheet):
            total += len(page.text)
            if total > _TEXT:
                raise UnreadableDocument(
                    reason=f"{name} contains more than {_TEXT // 1_000_000} million characters.",
                    remedy="Split it into several files and add those.",
                )
            yield page


def _pages_of(sheet: Sheet) -> Iterator[PageText]:
    label = " ".join(plain_text.clean(sheet.title).split()) or "unnamed"
    remarks = sorted(sheet.remarks, key=lambda remark: remark[0])[::-1]
    page = _Page(label, sheet.is_hidden)
    for row, headings, is_heading, is_apart in _with_headings(sheet):
        if page.is_full:
            yield page.finish(last=False)
            page = _Page(label, sheet.is_hidden, first=row.number + 1)
        while remarks and remarks[-1][0] <= row.number:
            page.notes.append(remarks.pop()[1])
        page.add(row, headings, is_heading=is_heading, is_apart=is_apart)
    page.notes += [note for _, note in reversed(remarks)] + sheet.below
    if page.count or page.notes:
        yield page.finish(last=True)


# --- headings of the columns -----------------------------------------------------------------------------------------


class _Headings(NamedTuple):
    """The heading of each column that has one, and the columns that hold numbers or dates."""

    by_column: Mapping[int, str]
    values: frozenset[int] = frozenset()


_NONE = _Headings({})


def _with_headings(sheet: Sheet) -> Iterator[tuple[Row, _Headings, bool, bool]]:
    """Yield each filled row, the headings above it, whether it is one of them, and whether a gap is before it."""
    headings = _NONE
    block: list[Row] = []
    is_open = True  # whether the current rows begin a block, whose headings are yet to be found
    last = -2
    is_apart = False
    for row in sheet.rows:
        if not row.cells:
            continue
        if row.number > last + 1 and last >= 0:
            if is_open:
                headings = yield from _begin(block, headings, sheet, is_apart=is_apart)
            block, is_open, is_apart = [], True, True
        last = row.number
        if is_open:
            block.append(row)
            if len(block) > _SAMPLE:
                headings = yield from _begin(block, headings, sheet, is_apart=is_apart)
                block, is_open = [], False
        elif row.number in sheet.heading_rows:
            headings = _headings_of([row], (), sheet)
            yield row, headings, True, True
        else:
            yield row, headings, _repeats(row, headings), False
    if block:
        yield from _begin(block, headings, sheet, is_apart=is_apart)


def _begin(
    block: list[Row], previous: _Headings, sheet: Sheet, *, is_apart: bool
) -> Generator[tuple[Row, _Headings, bool, bool], None, _Headings]:
    """Yield the first rows of a block with the headings that they show; return the headings for those that follow."""
    heads = [index for index, row in enumerate(block) if row.number in sheet.heading_rows]
    start = heads[0] if heads else _first_of_table(block, sheet)
    count = 1 if heads else table_text.heading_rows(_dense(block[start:], sheet))
    if count and _is_shifted(block[start], block[start + count :]):
        count = 0
    if count:
        headings = _headings_of(block[start : start + count], block[start + count :], sheet)
    else:
        headings = previous if _goes_on(block, previous) else _NONE
    for index, row in enumerate(block):
        if count and index < start:
            yield row, _NONE, False, is_apart and index == 0
        elif count and index < start + count:
            yield row, headings, True, index == start and (index > 0 or is_apart)
        elif index in heads:
            headings = _headings_of([row], block[index + 1 :], sheet)
            yield row, headings, True, True
        else:
            yield row, headings, _repeats(row, headings), is_apart and index == 0
    return headings


def _is_shifted(heading: Row, below: Sequence[Row]) -> bool:
    """Return whether most rows have a cell more than their headings, so that nobody knows which heading is whose."""
    longer = sum(row.cells[-1].column >= heading.width for row in below[:_SAMPLE])
    return heading.width > 0 and longer * 2 > len(below[:_SAMPLE])


def _repeats(row: Row, headings: _Headings) -> bool:
    """Return whether a row has the headings of its columns once more."""
    return bool(headings.by_column) and headings.by_column == {cell.column: cell.text for cell in row.cells}


def _first_of_table(block: Sequence[Row], sheet: Sheet) -> int:
    """Return where a table begins below its title: the first row of several cells, nearly as many as those below.

    A row above it may have a few: the account and the period of a statement.
    """
    widest = max((len(row.cells) for row in block[:_SAMPLE]), default=0)
    for fewest in (max(2, 0.6 * widest), 2):
        for index, row in enumerate(block[:_TITLES]):
            if len(row.cells) >= fewest or (len(row.cells) > 1 and row.number in sheet.wide_cells):
                if index < len(block) - 1:
                    return index
                break
    return 0


def _headings_of(rows: Sequence[Row], below: Sequence[Row], sheet: Sheet) -> _Headings:
    columns = sorted({cell.column for row in rows for cell in row.cells} | _covered(rows, sheet))
    words = table_text.column_headings([_dense_row(row, columns, sheet) for row in rows], len(columns))
    by_column = {column: heading for column, heading in zip(columns, words, strict=True) if heading}
    values: dict[int, list[str]] = {}
    for row in below[:_SAMPLE]:
        for cell in row.cells:
            values.setdefault(cell.column, []).append(cell.text)
    return _Headings(by_column, frozenset(column for column, texts in values.items() if table_text.are_values(texts)))


def _goes_on(block: Sequence[Row], headings: _Headings) -> bool:
    """Return whether rows below a gap belong to the table above it: they fit its columns, numbers below numbers."""
    agrees = False
    for row in block[:_SAMPLE]:
        for cell in row.cells:
            if cell.column not in headings.by_column:
                return False
            if cell.column in headings.values:
                if not table_text.are_values([cell.text]):
                    return False
                agrees = True
    return agrees


def _dense(rows: Sequence[Row], sheet: Sheet) -> list[list[table_text.Cell]]:
    sample = rows[: _SAMPLE + 2]
    columns = sorted({cell.column for row in sample for cell in row.cells})
    if len(columns) * len(sample) > _AREA:
        sample = sample[: max(2, _AREA // len(columns))]
    return [_dense_row(row, columns, sheet) for row in sample]


def _dense_row(row: Row, columns: Sequence[int], sheet: Sheet) -> list[table_text.Cell]:
    texts = {cell.column: cell.text for cell in row.cells}
    hidden_columns = _covered([row], sheet)
    return [texts.get(column, None if column in hidden_columns else "") for column in columns]


def _covered(rows: Sequence[Row], sheet: Sheet) -> set[int]:
    """Return the columns of cells that are covered by one on their left."""
    spans = [span for row in rows for span in sheet.wide_cells.get(row.number, ())]
    return {column for first, last in spans[:1_000] for column in range(first + 1, min(last, first + 1_000) + 1)}


# --- pages -----------------------------------------------------------------------------------------------------------


class _Line(NamedTuple):
    row: Row
    text: str
    spans: tuple[tuple[int, int], ...]
    is_heading: bool


@dataclass(slots=True)
class _Page:
    """Some rows of a sheet, as lines, in tables of one set of headings each."""

    sheet: str
    unseen: bool
    first: int = 0  # the first row, where the sheet began on an earlier page
    count: int = 0
    notes: list[text_flow.Piece] = field(default_factory=list)
    _length: int = 0
    _last: int = 0
    _tables: list[tuple[_Headings, list[_Line]]] = field(default_factory=list)
    _columns: set[int] = field(default_factory=set)

    @property
    def is_full(self) -> bool:
        """Return whether the next row belongs on a page of its own."""
        return self.count > 0 and (
            self.count >= ROWS or self._length > CHARACTERS or self.count * len(self._columns) > _AREA
        )

    def add(self, row: Row, headings: _Headings, *, is_heading: bool, is_apart: bool) -> None:
        if is_apart or not self._tables or self._tables[-1][0] is not headings:
            self._tables.append((headings, []))
            self._columns = set(headings.by_column)
        key = min(headings.by_column, default=-1)
        titles = [
            "" if is_heading or cell.column == key else headings.by_column.get(cell.column, "") for cell in row.cells
        ]
        text, spans = table_text.row_text(["", *(cell.text for cell in row.cells)], ["", *titles])
        self._tables[-1][1].append(_Line(row, text, spans[1:], is_heading))
        self._columns.update(cell.column for cell in row.cells)
        self.count += 1
        self._length += len(text)
        self._last = row.number + 1

    def finish(self, *, last: bool) -> PageText:
        label = self.sheet if last and not self.first else f"{self.sheet}, rows {self.first or 1} to {self._last}"
        head = text_flow.Piece(f"Sheet {self.sheet}")
        parts = [head, *(_table(headings, lines) for headings, lines in self._tables), *self.notes]
        page = text_flow.join(parts, "\n\n")
        # A sheet that goes on over several pages is one section.
        sections = () if self.first else (Section(1, text_flow.heading_text(self.sheet), 0),)
        hidden_spans = [(0, len(page.text), "unseen")] if self.unseen else list(page.hidden_spans)
        return text_flow.page(1, page.text, hidden_spans, label, sections, page.struck_spans, page.tables)


def _table(headings: _Headings, lines: Sequence[_Line]) -> text_flow.Piece:
    """Write the rows of one table, with what in them is hidden or struck."""
    columns = sorted({cell.column for line in lines for cell in line.row.cells} | set(headings.by_column))
    places = {column: offset for offset, column in enumerate(columns)}
    parts: list[str] = []
    hidden_spans: list[tuple[int, int, str]] = []
    struck_spans: list[tuple[int, int]] = []
    rows: list[tuple[tuple[int, int], ...]] = []
    numbers: list[int] = []
    offset = 0
    previous = ""
    for line in lines:
        gap = table_text.row_gap(previous, line.text) if parts else ""
        parts += [gap, line.text]
        offset += len(gap)
        if line.row.is_hidden:
            hidden_spans.append((offset, offset + len(line.text), "unseen"))
        grid = [(-1, -1)] * len(columns)
        for cell, (start, end) in zip(line.row.cells, line.spans, strict=True):
            grid[places[cell.column]] = (offset + start, offset + end)
            if cell.reason and not line.row.is_hidden:
                hidden_spans.append((offset + start, offset + end, cell.reason))
            blanks = len(cell.text) - len(cell.text.lstrip())
            struck_spans += [
                (offset + start + max(0, s - blanks), offset + min(end, start + e - blanks))
                for s, e in cell.struck_spans
            ]
        if not line.is_heading:
            rows.append(tuple(_in_order(grid, offset)))
            numbers.append(line.row.number + 1)
        offset += len(line.text)
        previous = line.text
    table = Table(
        tuple(headings.by_column.get(column, "") for column in columns),
        tuple(rows),
        tuple(map(column_letters, columns)),
        tuple(numbers),
    )
    tables = (table,) if table_text.is_gridded(table) else ()
    struck_spans = [span for span in struck_spans if span[0] < span[1]]
    return text_flow.Piece("".join(parts), tuple(hidden_spans), (), tuple(struck_spans), tables)


def _in_order(row: Sequence[tuple[int, int]], end_of_previous: int) -> Iterator[tuple[int, int]]:
    """Yield the cells of a row, an empty one where the one before it ends."""
    for start, end in row:
        yield (end_of_previous, end_of_previous) if start < 0 else (start, end)
        end_of_previous = end_of_previous if start < 0 else end
