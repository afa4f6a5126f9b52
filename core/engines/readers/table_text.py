"""Tables as text: a line a row, each value behind the heading of its column, and the grid of the cells.

'time · vehicle · direction' and below it '07:58 · vehicle: white van · direction: in': the first cell names the row,
empty cells are left out. Without headings a row is its cells, '07:58 · white van · in'. A cell that itself holds a
border is put in quotation marks, so that it does not read as several.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.domain import Table
from core.engines.readers import text_flow
from core.language.lexicon import words_of
from core.text import CELL_BORDER

Cell = str | None  # None: covered by the cell on its left, which is as wide as several columns
Span = tuple[int, int]

_HEADING = 80  # characters of a heading beside a value; above its column it is whole
_LONGEST_HEADING = 300
_SAMPLE = 200  # rows by which headings are told from values
_CELLS = 200_000  # of a table that has a grid
_BREAKS = str.maketrans("\n\r\t\f\x0b\x85\u2028\u2029", " " * 8)


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as text. ``cells`` has the span of each cell that was put in, in its row and column, headings included.

    A span is that of the words of the cell, without blanks around them: ``text[start:end]`` has the same length.
    """

    text: str
    cells: tuple[tuple[Span, ...], ...]
    table: Table


def lay_out(
    rows: Sequence[Sequence[Cell]],
    headings: int | None = None,
    *,
    letters: Sequence[str] = (),
    numbers: Sequence[int] = (),
) -> Grid:
    """Write a table. ``headings``: the number of rows that head the columns, None if the data has to show it.

    ``letters`` and ``numbers`` name the columns and rows in a sheet.
    """
    width = max(map(len, rows), default=0)
    count = heading_rows(rows) if headings is None else max(0, min(headings, len(rows)))
    columns = column_headings(rows[:count], width)
    parts: list[str] = []
    cells: list[tuple[Span, ...]] = []
    length = 0
    previous = ""
    for number, row in enumerate(rows):
        line, spans = row_text(row, columns if number >= count else ())
        gap = row_gap(previous, line) if parts and line else ""
        length += len(gap)
        cells.append(tuple((start + length, end + length) for start, end in spans))
        if line:
            parts += [gap, line]
            length += len(line)
            previous = line
    body = [number for number in range(count, len(rows)) if any(start < end for start, end in cells[number])]
    table = Table(
        columns,
        tuple(_filled(cells[number], width) for number in body),
        tuple(letters),
        tuple(numbers[number] for number in body) if numbers else (),
    )
    return Grid("".join(parts), tuple(cells), table)


def row_text(row: Sequence[Cell], columns: Sequence[str] = ()) -> tuple[str, tuple[Span, ...]]:
    """Write a row: its first cell, then each other one behind the heading of its column; empty cells are left out."""
    parts: list[str] = []
    spans: list[Span] = []
    offset = 0
    for number, cell in enumerate(row):
        words = flat(cell) if cell else ""
        if not words:
            spans.append((offset, offset))
            continue
        heading = columns[number] if number and number < len(columns) else ""
        lead = (CELL_BORDER if parts else "") + (f"{_quoted(_brief(heading))}: " if heading else "")
        opening, closing = ("“", "”") if _holds_border(words) else ("", "")
        start = offset + len(lead) + len(opening)
        offset = start + len(words)
        spans.append((start, offset))
        offset += len(closing)
        parts += [lead, opening, words, closing]
    return "".join(parts), tuple(spans)


def _holds_border(words: str) -> bool:
    return CELL_BORDER.strip() in words and CELL_BORDER in f" {' '.join(words.split())} "


def _quoted(heading: str) -> str:
    return f"“{heading}”" if _holds_border(heading) else heading


def flat(cell: str) -> str:
    """Put the words of a cell on one line. Each line end becomes a blank, so that places in it stay where they are."""
    return cell.strip().translate(_BREAKS)


def row_gap(line: str, following: str) -> str:
    """Return the gap between two rows, so that no sentence runs on from one to the other."""
    return "\n" if CELL_BORDER in line or CELL_BORDER in following else "\n\n"


def column_headings(rows: Sequence[Sequence[Cell]], width: int) -> tuple[str, ...]:
    """Return the heading of each column; if several rows head them, the upper one comes first."""
    headings = [""] * width
    for row in rows:
        above = ""
        for number in range(width):
            cell = row[number] if number < len(row) else ""
            if cell is not None:
                above = flat(cell)
            if above and not headings[number].endswith(above):
                headings[number] = f"{headings[number]} {above}".strip()
    return tuple(heading[:_LONGEST_HEADING] for heading in headings)


def is_gridded(table: Table) -> bool:
    """Return whether a table has few enough cells to be shown as a grid."""
    return len(table.rows) > 0 and len(table.rows) * len(table.columns) <= _CELLS


def piece(rows: Sequence[Sequence[text_flow.Piece | None]], headings: int | None = None) -> text_flow.Piece:
    """Write a table of pieces of text, with what in its cells is hidden or struck; see ``lay_out``."""
    grid = lay_out([[None if cell is None else cell.text for cell in row] for row in rows], headings)
    hidden_spans: list[tuple[int, int, str]] = []
    struck_spans: list[Span] = []
    for row, spans in zip(rows, grid.cells, strict=True):
        for cell, (start, end) in zip(row, spans, strict=True):
            if cell is None or start == end or not (cell.hidden_spans or cell.struck_spans):
                continue
            bare = cell.strip()
            hidden_spans += [(start + first, start + last, why) for first, last, why in bare.hidden_spans]
            struck_spans += [(start + first, start + last) for first, last in bare.struck_spans]
    tables = (grid.table,) if is_gridded(grid.table) else ()
    return text_flow.Piece(grid.text, tuple(hidden_spans), (), tuple(struck_spans), tables)


def _filled(row: tuple[Span, ...], width: int) -> tuple[Span, ...]:
    """Return a row of as many cells as there are columns; those that are missing are empty, at its end."""
    return row + ((row[-1][1], row[-1][1]),) * (width - len(row))


def _brief(heading: str) -> str:
    return heading if len(heading) <= _HEADING else heading[: _HEADING - 1].rstrip() + "…"


# --- headings --------------------------------------------------------------------------------------------------------

_AMOUNT = re.compile(
    r"[^\w\s]{0,3}(?:[A-Z]{3} ?|[$£€¥] ?)?[-+−(]*\d[\d.,' \u00a0\u202f]*\)?\s?(?:[^\W\d_]{1,4}|[%‰°$£€¥²³/]*)?"
)
_TIME = re.compile(
    r"(?=.{1,40}$)(?=.*\d)[\d\s.:/,TZ+-]+(?:[AaPp]\.?[Mm]\.?)?|\d{1,2}[. -]+[^\W\d_]{3,9}[.,]?[ -]+\d{2,4}"
)
# What stands for a number: a formula that nobody calculated, or why there is none.
_COMPUTED = re.compile(r"=.*\(not calculated\)|#(?:NULL!|DIV/0!|VALUE!|REF!|NAME\?|NUM!|N/A)", re.DOTALL)
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LOGICAL = frozenset({"true", "false", "yes", "no", "y", "n"})
_MISSING = frozenset({"n/a", "na", "nan", "none", "null", "unknown", "missing", "tbd", "-", "–", "—", "?", "nil"})
_IDENTIFIER = re.compile(r"[a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+|[A-Z]+(?:_[A-Z0-9]+)+")
_HEADING_WORDS = frozenset().union(*(words_of(language, "heading") for language in ("en", "de", "fr", "es")))
_SURE = 0.9  # of the values of a column, numbers or dates below a word


def heading_rows(rows: Sequence[Sequence[Cell]]) -> int:
    """Return how many of the first rows head the columns: words above values that are something else.

    0 where that cannot be told: a value beside the wrong heading would be worse than one without.
    """
    sample = [[flat(cell) if cell else "" for cell in row] for row in rows[: _SAMPLE + 2]]
    # A row of wide cells above one of headings: "2023" over "May" and "June".
    if len(rows) > 2 and None in rows[0] and all(map(_is_word, filter(None, sample[1]))):
        both = column_headings(rows[:2], len(sample[1]))
        if sum(map(bool, sample[1])) > 1 and _heads(both, sample[2:]):
            return 2
    return 1 if len(rows) > 1 and _heads(sample[0], sample[1:]) else 0


def _heads(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether a row heads the columns of those below."""
    titles = [cell for cell in first if cell]
    width = max((number + 1 for row in below for number, cell in enumerate(row) if cell), default=0)
    if len(titles) < 2 or len({title.casefold() for title in titles}) < len(titles):
        return False
    if len(titles) < 0.6 * width or max(map(len, titles)) > _LONGEST_HEADING:
        return False
    if any(title.casefold() in _MISSING for title in titles):
        return False
    below = [row for row in below if list(row) != list(first)]  # parts that were put together, each with its headings
    columns = [
        [row[column] for row in below if column < len(row) and row[column]] for column in range(max(width, len(first)))
    ]
    # "No" heads numbers, and "yes" a column of no such word.
    pairs = [(title, values) for title, values in zip(first, columns, strict=False) if title]
    if not all(
        _is_word(title) or (title.casefold() in _LOGICAL and not _has_logical(values)) for title, values in pairs
    ):
        return _are_years(first, columns)
    points = 0
    is_sure = False
    for title, values in zip(first, columns, strict=False):
        if not title or not values:
            continue
        score = _score(title, values)
        if score < 0:
            return False
        share = sum(map(_is_value, values)) / len(values)
        is_sure = is_sure or (share >= _SURE and len(values) > 1)
        points += score
    return is_sure or points >= len(titles)


def _score(title: str, values: Sequence[str]) -> int:
    """Return how sure it is that a title heads a column of such values; -1 where it is one of them."""
    if title.casefold() in {value.casefold() for value in values}:
        return -1
    score = 0
    if sum(map(_is_value, values)) > 0.6 * len(values):
        score += 3
    elif not any(map(str.isdigit, title)) and sum(any(map(str.isdigit, value)) for value in values) >= 0.8 * len(
        values
    ):
        score += 2
    if _IDENTIFIER.fullmatch(title) or not _HEADING_WORDS.isdisjoint(re.findall(r"[^\W\d_]+", title.casefold())):
        score += 2
    if len(values) > 3 and len({value.casefold() for value in values}) <= len(values) / 2:
        score += 1
    if sum(len(value) > 2 * len(title) for value in values) >= 0.8 * len(values):
        score += 1
    return score


def _are_years(first: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Return whether years in order head the columns: behind a word or nothing, and above what is no year."""
    if not first or (first[0] and not _is_word(first[0])) or not all(map(_YEAR.fullmatch, filter(None, first[1:]))):
        return False
    years = [int(cell) for cell in first[1:] if cell]
    steps = {later - earlier for earlier, later in pairwise(years)}
    values = [value for column in columns[1:] for value in column]
    return len(steps) == 1 and 0 not in steps and bool(values) and not all(map(_YEAR.fullmatch, values))


def are_values(cells: Sequence[str]) -> bool:
    """Return whether nearly all of some cells hold a number, an amount, a date or a time."""
    present = [cell for cell in cells if cell.casefold() not in _MISSING]
    return bool(present) and sum(map(_is_value, present)) >= _SURE * len(present)


def _is_value(cell: str) -> bool:
    """Return whether a cell holds a number, an amount, a date, a time or a yes or no."""
    if _ORDINAL.fullmatch(cell):
        return False
    return cell.casefold() in _LOGICAL or bool(
        _AMOUNT.fullmatch(cell) or _TIME.fullmatch(cell) or _COMPUTED.fullmatch(cell)
    )


def _has_logical(cells: Sequence[str]) -> bool:
    return any(cell.casefold() in _LOGICAL for cell in cells)


def _is_word(cell: str) -> bool:
    return (not _is_value(cell) and any(map(str.isalpha, cell))) or cell in ("#", "№", "%", "€", "$", "£")


def above(grid: Sequence[Sequence[text_flow.Piece | None]], column: int) -> text_flow.Piece | None:
    """Return the cell above ``column`` of the next row, which reaches down into it; an empty one where it is long."""
    piece = grid[-1][column] if grid and column < len(grid[-1]) else text_flow.Piece("")
    return piece if piece is None or len(piece.text) <= _LONGEST_HEADING else text_flow.Piece("")
