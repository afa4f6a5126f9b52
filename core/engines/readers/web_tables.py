"""Tables of web pages: which of them hold data, and the grid of their cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from core.engines.readers import text_flow

CELLS = {"td", "th"}
_SECTIONS = {"thead", "tbody", "tfoot"}
_CELL = 400  # characters of a cell that holds data
_GRID = 20_000  # cells of a table that is laid out with its headings
_SPREAD = 50  # of them, for each row and cell that is written


class Row(NamedTuple):
    """A row of a table: the elements around its cells, and whether it belongs to the head of the table."""

    parents: tuple[Any, ...]
    cells: list[Any]
    is_head: bool


def grid(table: Any) -> list[Row] | None:
    """Return the rows of a table that holds data: short cells, several of them in several rows; None for any other."""
    rows: list[Row] = []
    count = 0
    for part in children(table):
        sections = [part] if part.tag == "tr" else list(children(part)) if part.tag in _SECTIONS else []
        for row in sections:
            if row.tag != "tr":
                return None
            cells = [cell for cell in children(row) if cell.tag in CELLS]
            count += sum(spans(cell)[0] for cell in cells)
            if count > _GRID:
                return None
            parents = (row,) if part.tag == "tr" else (part, row)
            rows.append(Row(parents, cells, part.tag == "thead"))
    widths = Counter(sum(spans(cell)[0] for cell in row.cells) for row in rows if row.cells)
    if len(rows) < 2 or max(widths, default=0) < 2:
        return None
    has_headings = any(cell.tag == "th" for row in rows for cell in row.cells)
    is_regular = len(widths) == 1 or any(spans(cell)[1] > 1 for row in rows for cell in row.cells)
    if not has_headings and not is_regular:
        return None
    if any(not holds_data(cell) for row in rows for cell in row.cells):
        return None
    # What is laid out grows with what is written, so that many tables of a page are bounded as well.
    written = sum(1 + len(row.cells) for row in rows)
    return None if _is_too_large(rows, min(_GRID, _SPREAD * written)) else rows


def fill(
    cells: list[text_flow.Piece | None],
    reaching: dict[int, tuple[int, text_flow.Piece | None]],
    *,
    to_end: bool = False,
) -> None:
    """Repeat in a row the cells above that reach into it, as far as they come next, or all that are left."""
    last = max(reaching, default=-1) if to_end else -1
    while len(cells) <= last or len(cells) in reaching:
        column = len(cells)
        rows, piece = reaching.pop(column, (0, text_flow.Piece("")))
        if rows > 1:
            reaching[column] = (rows - 1, piece)
        cells.append(piece)


def _is_too_large(rows: list[Row], limit: int) -> bool:
    """Return whether a table has too many cells when those that cover several columns and rows are laid out."""
    total = 0
    reaching: dict[int, tuple[int, text_flow.Piece | None]] = {}
    for row in rows:
        cells: list[text_flow.Piece | None] = []
        for cell in row.cells:
            fill(cells, reaching)
            wide, high = spans(cell)
            if high > 1:
                reaching.update((len(cells) + number, (high - 1, None)) for number in range(wide))
            cells += [None] * wide
        fill(cells, reaching, to_end=True)
        total += len(cells)
        if total > limit:
            return True
    return False


def spans(cell: Any) -> tuple[int, int]:
    """Return how many columns and rows a cell covers."""
    attributes = cell.attributes
    if not attributes or ("colspan" not in attributes and "rowspan" not in attributes):
        return 1, 1
    wide, high = (attributes.get(name) or "" for name in ("colspan", "rowspan"))
    return (
        min(int(wide), 1_000) if re.fullmatch("[1-9]\\d{0,5}", wide) else 1,
        min(int(high), 1_000) if re.fullmatch("[1-9]\\d{0,5}", high) else 1,
    )


def holds_data(cell: Any, depth: int = 0) -> bool:
    """Return whether a cell holds data; one with a table or a long text in it is there for the layout of the page."""
    if depth >= 20:
        return False
    child = cell.first_child
    if child is None or (child.next is None and child.tag == "-text"):
        return child is None or len(child.text_content or "") < _CELL
    return cell.css_first("table") is None and len(cell.text()) < _CELL


def children(node: Any) -> Iterator[Any]:
    """Yield the elements right under another."""
    child = node.first_child
    while child is not None:
        if not child.tag.startswith("-"):
            yield child
        child = child.next
