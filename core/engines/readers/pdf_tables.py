"""Tables of a PDF page with cells between ruled lines: the grid, and the span of each cell in the page's text.

The text of the page stays as it is. A grid is a table only if nothing is in doubt: each of its words lies in one
cell, and the cells follow one another in the text, row by row, each as one stretch. Otherwise the page has its text
alone.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from core.domain import Table
from core.engines.readers import table_text
from core.engines.readers.pdf_hidden_text import Shapes
from core.engines.readers.pdf_layout import Box, PlacedText, PlacedWord

_NEAR = 2.0  # points: lines so close are one
_REACH = 3.0  # points, by which a line may end short of that which it meets
_OPEN = 2.5  # points of the edge of a cell that need not be drawn
_NARROW = 4.0  # points: no row or column is as narrow
_SEGMENTS = 2_000  # of a page; with more it is a drawing
_LINES = 200  # of a page in one direction
_CELLS = 5_000
_OVERHANG = 2.5  # points, by which a word may reach over the edge of its cell
_FILLED = 0.4  # of the cells at least
_LONGEST_CELL = 1_000  # characters
_LONGEST_HEADING = 300
_PADDING = 8.0  # points between the words of a cell and its edge, at most

_Place = tuple[int, int]  # row and column of an elementary cell


class _Ruling(NamedTuple):
    """A line of the page: its position across its direction, and its start and end along it."""

    position: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class _Lattice:
    """The positions of uprights and levels in one connected piece of ruling, and what is drawn at each of them."""

    xs: Sequence[float]
    ys: Sequence[float]
    uprights: Sequence[Sequence[tuple[float, float]]]  # one list of stretches for each of ``xs``
    levels: Sequence[Sequence[tuple[float, float]]]

    @property
    def box(self) -> Box:
        return (self.xs[0], self.ys[0], self.xs[-1], self.ys[-1])


@dataclass(slots=True)
class _Cell:
    """A cell: the first and last row and column of the lattice that it covers, its words, whether it is a rectangle."""

    top: int
    left: int
    bottom: int
    right: int
    size: int = 0
    is_closed: bool = True
    words: list[PlacedWord] | None = None

    @property
    def is_sound(self) -> bool:
        return self.is_closed and self.size == (self.bottom - self.top + 1) * (self.right - self.left + 1)


def tables(layout: PlacedText, shapes: Shapes) -> tuple[Table, ...]:
    """Return the ruled tables of a page in order of place."""
    frames = shapes.frames
    count = len(shapes.rules) + len(shapes.uprights) + 4 * len(frames)
    if not (shapes.uprights or frames) or not 3 <= count <= _SEGMENTS or not layout.words:
        return ()
    levels = [((y0 + y1) / 2, x0, x1) for x0, y0, x1, y1 in shapes.rules]
    uprights = [((x0 + x1) / 2, y0, y1) for x0, y0, x1, y1 in shapes.uprights]
    for x0, y0, x1, y1 in frames:
        levels += [(y0, x0, x1), (y1, x0, x1)]
        uprights += [(x0, y0, y1), (x1, y0, y1)]
    levels += _edges_of_grounds(shapes, levels, uprights)
    joined_levels, joined_uprights = _join(levels), _join(uprights)
    if not 2 <= len(joined_levels) <= _LINES or not 1 <= len(joined_uprights) <= _LINES:
        return ()
    places: list[tuple[int, int, Table]] = []
    for lattice in sorted(_lattices(joined_levels, joined_uprights), key=lambda lattice: -_area(lattice.box)):
        place = _table(layout, lattice, shapes)
        if place is not None and all(place[1] <= start or place[0] >= end for start, end, _ in places):
            places.append(place)
    return tuple(table for *_, table in sorted(places, key=lambda place: place[0]))


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _edges_of_grounds(
    shapes: Shapes, levels: Sequence[tuple[float, float, float]], uprights: Sequence[tuple[float, float, float]]
) -> Iterator[tuple[float, float, float]]:
    """Yield the upper and lower edge of each ground as wide as a column or several: a row may have no other line."""
    sides = sorted({position for position, _, _ in uprights} | {end for level in levels for end in level[1:]})
    for _, is_picture, (x0, y0, x1, y1) in shapes.covers:
        if not is_picture and y1 - y0 >= _NARROW and _is_near(sides, x0) and _is_near(sides, x1):
            yield y0, x0, x1
            yield y1, x0, x1


def _is_near(positions: Sequence[float], position: float) -> bool:
    place = bisect_left(positions, position - _REACH)
    return place < len(positions) and positions[place] <= position + _REACH


# --- ruling ----------------------------------------------------------------------------------------------------------


def _join(segments: Iterable[tuple[float, float, float]]) -> list[_Ruling]:
    """Join segments that lie on one line and touch."""
    rulings: list[_Ruling] = []
    group: list[tuple[float, float, float]] = []
    for segment in sorted(segments):
        if group and (segment[0] - group[-1][0] > _NEAR or segment[0] - group[0][0] > _REACH):
            rulings += _join_group(group)
            group = []
        group.append(segment)
    return rulings + _join_group(group)


def _join_group(group: Sequence[tuple[float, float, float]]) -> list[_Ruling]:
    if not group:
        return []
    position = sum(segment[0] for segment in group) / len(group)
    rulings: list[_Ruling] = []
    for start, end in sorted(segment[1:] for segment in group):
        if rulings and start <= rulings[-1].end + _REACH:
            if end > rulings[-1].end:
                rulings[-1] = _Ruling(position, rulings[-1].start, end)
        else:
            rulings.append(_Ruling(position, start, end))
    return rulings


def _lattices(levels: Sequence[_Ruling], uprights: Sequence[_Ruling]) -> Iterator[_Lattice]:
    """Yield the pieces of ruling that hang together and have at least two rows and two columns."""
    parents = list(range(len(levels) + len(uprights)))

    def root(item: int) -> int:
        while parents[item] != item:
            parents[item] = parents[parents[item]]
            item = parents[item]
        return item

    for number, upright in enumerate(uprights, start=len(levels)):
        low, high = upright.start - _REACH, upright.end + _REACH
        for index, level in enumerate(levels):
            if low <= level.position <= high and level.start - _REACH <= upright.position <= level.end + _REACH:
                parents[root(index)] = root(number)
    pieces: dict[int, tuple[list[_Ruling], list[_Ruling]]] = defaultdict(lambda: ([], []))
    for index, level in enumerate(levels):
        pieces[root(index)][0].append(level)
    for number, upright in enumerate(uprights, start=len(levels)):
        pieces[root(number)][1].append(upright)
    for across, down in pieces.values():
        if len(across) < 2 or not down:
            continue
        xs, ys = _positions(down), _positions(across)
        columns, rows = _stretches(down, xs), _stretches(across, ys)
        _close(xs, columns, across, ys)
        _close(ys, rows, down, xs)
        if _reaches_beyond(down, ys) or _reaches_beyond(across, xs):
            continue  # more of it has no lines
        if len(xs) > 2 and len(ys) > 2 and (len(xs) - 1) * (len(ys) - 1) <= _CELLS:
            yield _Lattice(xs, ys, columns, rows)


def _positions(rulings: Sequence[_Ruling]) -> list[float]:
    positions: list[float] = []
    for position in sorted({ruling.position for ruling in rulings}):
        if not positions or position - positions[-1] >= _NARROW:
            positions.append(position)
    return positions


def _stretches(rulings: Sequence[_Ruling], positions: Sequence[float]) -> list[list[tuple[float, float]]]:
    """Return the stretches that are drawn at each position, in order."""
    stretches: list[list[tuple[float, float]]] = [[] for _ in positions]
    for ruling in rulings:
        stretches[bisect_right(positions, ruling.position) - 1].append((ruling.start, ruling.end))
    return [sorted(stretch) for stretch in stretches]


def _close(
    positions: list[float],
    stretches: list[list[tuple[float, float]]],
    crossing: Sequence[_Ruling],
    at_positions: Sequence[float],
) -> None:
    """Put in an outer edge that is not drawn, where all lines that cross it end at the same place."""
    for at_end in (False, True):
        edge = max(ruling.end for ruling in crossing) if at_end else min(ruling.start for ruling in crossing)
        is_outside = edge > positions[-1] + _NARROW if at_end else edge < positions[0] - _NARROW
        meeting = [
            ruling.position for ruling in crossing if abs((ruling.end if at_end else ruling.start) - edge) <= _REACH
        ]
        if is_outside and len(_positions([_Ruling(position, 0, 0) for position in meeting])) == len(at_positions):
            place = len(positions) if at_end else 0
            positions.insert(place, edge)
            stretches.insert(place, [(at_positions[0], at_positions[-1])])


def _reaches_beyond(rulings: Sequence[_Ruling], positions: Sequence[float]) -> bool:
    return (
        min(ruling.start for ruling in rulings) < positions[0] - _NARROW
        or max(ruling.end for ruling in rulings) > positions[-1] + _NARROW
    )


def _is_drawn(stretches: Sequence[tuple[float, float]], start: float, end: float) -> bool:
    return _drawn(stretches, start, end) >= end - start - _OPEN


def _is_stub(stretches: Sequence[tuple[float, float]], start: float, end: float) -> bool:
    return _OPEN < _drawn(stretches, start, end) < end - start - _OPEN


def _drawn(stretches: Sequence[tuple[float, float]], start: float, end: float) -> float:
    return sum(max(0.0, min(last, end) - max(first, start)) for first, last in stretches)


# --- cells -----------------------------------------------------------------------------------------------------------


def _cells(lattice: _Lattice) -> dict[_Place, _Cell]:
    """Return for each row and column of a lattice the cell that covers it: what no line divides is one cell."""
    xs, ys = lattice.xs, lattice.ys
    rows, columns = len(ys) - 1, len(xs) - 1
    beside = [
        [_is_drawn(lattice.uprights[column], ys[row], ys[row + 1]) for column in range(columns + 1)]
        for row in range(rows)
    ]
    above = [
        [_is_drawn(lattice.levels[row], xs[column], xs[column + 1]) for column in range(columns)]
        for row in range(rows + 1)
    ]
    cells: dict[_Place, _Cell] = {}
    for row in range(rows):
        for column in range(columns):
            if (row, column) in cells:
                continue
            cell = _Cell(row, column, row, column)
            cells[row, column] = cell
            front = [(row, column)]
            while front:
                y, x = front.pop()
                cell.top, cell.bottom = min(cell.top, y), max(cell.bottom, y)
                cell.left, cell.right = min(cell.left, x), max(cell.right, x)
                cell.size += 1
                for is_line, place in (
                    (beside[y][x], (y, x - 1)),
                    (beside[y][x + 1], (y, x + 1)),
                    (above[y][x], (y - 1, x)),
                    (above[y + 1][x], (y + 1, x)),
                ):
                    if is_line or place in cells:
                        continue
                    if 0 <= place[0] < rows and 0 <= place[1] < columns:
                        cells[place] = cell
                        front.append(place)
                    else:
                        cell.is_closed = False
    for row, column in cells:
        if column and _is_stub(lattice.uprights[column], ys[row], ys[row + 1]):
            cells[row, column - 1].is_closed = cells[row, column].is_closed = False
    return cells


def _table(layout: PlacedText, lattice: _Lattice, shapes: Shapes) -> tuple[int, int, Table] | None:
    """Return the table of a lattice with its first and last offset in the text; None if anything is in doubt."""
    cells = _cells(lattice)
    order = _cells_in_text(layout, lattice, cells)
    if order is None:
        return None
    places = {(cell.top, cell.left): (words[0][0], words[-1][1]) for cell in order if (words := cell.words)}
    start, end = places[order[0].top, order[0].left][0], places[order[-1].top, order[-1].left][1]
    rows = sorted({row for row, _ in places})
    columns = sorted({column for _, column in places})
    is_dense = len(order) >= _FILLED * len({id(cell) for cell in cells.values() if cell.is_closed})
    by_row = [sum((row, column) in places for column in columns) for row in rows]
    by_column = [sum((row, column) in places for row in rows) for column in columns]
    if not is_dense or sum(n > 1 for n in by_row) < 2 or sum(n > 1 for n in by_column) < 2:
        return None
    if any(last - first > _LONGEST_CELL for first, last in places.values()):
        return None
    if any(_is_stacked([cell for cell in order if cell.top == row], lattice, row == rows[0]) for row in rows):
        return None
    if _is_leftward(order):
        columns.reverse()
    grid: list[tuple[tuple[int, int], ...]] = []
    end_of_previous = start
    for row in rows:
        spans = []
        for column in columns:
            span = places.get((row, column), (end_of_previous, end_of_previous))
            spans.append(span)
            end_of_previous = span[1]
        grid.append(tuple(spans))
    titles = _headings(layout, order, grid, rows, columns, shapes, lattice)
    return start, end, Table(titles or ("",) * len(columns), tuple(grid[1:] if titles else grid))


def _cells_in_text(layout: PlacedText, lattice: _Lattice, cells: Mapping[_Place, _Cell]) -> list[_Cell] | None:
    """Give the cells of a lattice their words; return those that have some, in the order of the text.

    None if a word is in no cell or in two, or if the cells are not stretches of the text row by row, from left to
    right or all of them from right to left.
    """
    xs, ys = lattice.xs, lattice.ys
    left, top, right, bottom = lattice.box
    order: list[_Cell] = []
    last = -1
    for place, word in enumerate(layout.words):
        _, _, x0, y0, x1, y1 = word
        y = (y0 + y1) / 2
        if y <= top or y >= bottom or x1 <= left or x0 >= right:
            continue
        x = (x0 + x1) / 2
        if not left < x < right:
            if min(x1, right) - max(x0, left) > _OVERHANG:
                return None  # a word across the outer edge
            continue
        cell = cells[bisect_left(ys, y) - 1, bisect_left(xs, x) - 1]
        if not cell.is_sound or x0 < xs[cell.left] - _OVERHANG or x1 > xs[cell.right + 1] + _OVERHANG:
            return None
        if last >= 0 and (place != last + 1 or layout.text[layout.words[last][1] : word[0]].strip()):
            return None  # something from outside is between
        last = place
        if order and cell is order[-1]:
            assert cell.words is not None
            cell.words.append(word)
            continue
        if cell.words is not None or (order and cell.top < order[-1].top):
            return None
        cell.words = [word]
        order.append(cell)
    if not order or not (order[0].words and order[-1].words):
        return None
    steps = {left.left < right.left for left, right in pairwise(order) if left.top == right.top}
    if len(steps) > 1:
        return None
    return order if _has_own_lines(layout.text, order[0].words[0][0], order[-1].words[-1][1]) else None


def _is_leftward(order: Sequence[_Cell]) -> bool:
    """Return whether the cells of a row follow one another from right to left."""
    return any(left.top == right.top and left.left > right.left for left, right in pairwise(order))


def _has_own_lines(text: str, start: int, end: int) -> bool:
    """Return whether a stretch of text has its first and last line to itself."""
    after = text.find("\n", end)
    return not (text[text.rfind("\n", 0, start) + 1 : start] + text[end : len(text) if after < 0 else after]).strip()


def _is_stacked(cells: Sequence[_Cell], lattice: _Lattice, is_first: bool) -> bool:
    """Return whether a row of the lattice has several rows without a line between them.

    Then lines of its cells break beside one another although the next word would have fitted.
    """
    if len(cells) < 2:
        return False
    if _is_leftward(cells):
        breaks = [_free_breaks([*map(_mirrored, cell.words or ())], -lattice.xs[cell.left]) for cell in cells]
    else:
        breaks = [_free_breaks(cell.words or (), lattice.xs[cell.right + 1]) for cell in cells]
    heights = sorted(y for places in breaks for y in places)
    shared = [below for above, below in pairwise(heights) if below - above <= _NEAR]
    count = len(_positions([_Ruling(y, 0, 0) for y in shared]))
    return count > 1 or (count == 1 and not is_first and all(breaks))


def _mirrored(word: PlacedWord) -> PlacedWord:
    start, end, x0, y0, x1, y1 = word
    return start, end, -x1, y0, -x0, y1


def _free_breaks(words: Sequence[PlacedWord], edge: float) -> list[float]:
    """Return where lines begin in a cell whose first word would have fitted on the line above, as heights."""
    breaks: list[float] = []
    padding = min(_PADDING, max(0.0, edge - max((word[4] for word in words), default=edge)))
    for (_, _, _, y0, x1, y1), (_, _, begin, top, end, bottom) in pairwise(words):
        height = min(y1 - y0, bottom - top)
        if (top + bottom) / 2 - (y0 + y1) / 2 > 0.5 * height and x1 + (end - begin) + 0.4 * height < edge - padding:
            breaks.append((top + bottom) / 2)
    return breaks


# --- headings --------------------------------------------------------------------------------------------------------


def _headings(
    layout: PlacedText,
    order: Sequence[_Cell],
    grid: Sequence[Sequence[tuple[int, int]]],
    rows: Sequence[int],
    columns: Sequence[int],
    shapes: Shapes,
    lattice: _Lattice,
) -> tuple[str, ...]:
    """Return the words of the first row where it heads the columns: bold, on a ground, or above numbers; else ()."""
    first = [cell for cell in order if cell.top == rows[0]]
    body = [cell for cell in order if cell.top > rows[0]]
    if any(cell.left != cell.right or cell.top != cell.bottom for cell in first):
        return ()
    texts = [[" ".join(layout.text[start:end].split()) for start, end in row] for row in grid]
    titles = [title for title in texts[0] if title]
    if len(titles) < max(2, len(columns) - 1) or len({title.casefold() for title in titles}) < len(titles):
        return ()
    if max(map(len, titles)) > _LONGEST_HEADING or table_text.are_values(titles):
        return ()
    is_marked = (
        (_is_bold(layout, first) and not _is_bold(layout, body))
        or (all(_on_ground(cell, shapes, lattice) for cell in first) and not _any_on_ground(body, shapes, lattice))
        or table_text.heading_rows(texts) == 1
    )
    return tuple(texts[0]) if is_marked else ()


def _is_bold(layout: PlacedText, cells: Sequence[_Cell]) -> bool:
    ends = [end for _, end, _ in layout.lines]
    return all(layout.lines[bisect_left(ends, word[1])][2].bold for cell in cells for word in cell.words or ())


def _any_on_ground(cells: Sequence[_Cell], shapes: Shapes, lattice: _Lattice) -> bool:
    return any(_on_ground(cell, shapes, lattice) for cell in cells)


def _on_ground(cell: _Cell, shapes: Shapes, lattice: _Lattice) -> bool:
    """Return whether a shape fills a cell or its row, and no more."""
    x0, x1 = lattice.xs[cell.left], lattice.xs[cell.right + 1]
    y0, y1 = lattice.ys[cell.top], lattice.ys[cell.bottom + 1]
    return any(
        left <= x0 + _NARROW and right >= x1 - _NARROW and abs(top - y0) <= _NARROW and abs(bottom - y1) <= _NARROW
        for _, is_picture, (left, top, right, bottom) in shapes.covers
        if not is_picture and (left, top, right, bottom) not in shapes.frames
    )
