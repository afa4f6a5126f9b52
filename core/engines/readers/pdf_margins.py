"""Numbers of lines at the left margin, as transcripts have them: no part of the sentences beside them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from core.engines.readers import pdf_letters
from core.engines.readers.pdf_layout import Line

_FEWEST = 5  # numbers that follow each other
_MARGINS = 4  # of one sheet
_EVERY = (5, 10, 2)  # lines, of which only one has a number
_FEWEST_APART = 3  # such numbers
_MOST = 200  # lines of a page
_ALIGNED = 4.0  # points
_ENDS = ".?!:;"

_Number = tuple[int, Line]


def without_line_numbers(lines: list[Line]) -> tuple[list[Line], int]:
    """Return the lines of a page without the numbers at its margin, and how many those were.

    A sheet may have several pages of a transcript side by side, each with a margin of its own.
    """
    count = 0
    for _ in range(_MARGINS):
        numbers = [(int(text), line) for line in lines if (text := line.words[0][4]).isdecimal() and len(text) <= 3]
        column = _margin(numbers, lines)
        if not column:
            break
        count += len(column)
        margin = {id(line) for _, line in column}
        unnumbered: list[Line] = []
        for line in lines:
            if id(line) in margin:
                if len(line.words) == 1:
                    continue
                pdf_letters.set_items(line, pdf_letters.items_of(line)[1:])
            unnumbered.append(line)
        lines = unnumbered
    return lines, count


def _margin(numbers: Sequence[_Number], lines: Sequence[Line]) -> list[_Number]:
    """Return the numbers of lines: of each, or of every fifth, tenth or second."""
    if len(numbers) >= _FEWEST:
        column = _column(numbers)
        if len(column) >= _FEWEST and _runs_on(column, lines):
            return column
    for step in _EVERY if len(numbers) >= _FEWEST_APART else ():
        column = _column([number for number in numbers if number[0] % step == 0], step)
        if len(column) >= _FEWEST_APART and _counts(column, lines, step):
            return column
    return []


def _column(numbers: Sequence[_Number], step: int = 1) -> list[_Number]:
    """Return the longest column of numbers that follow each other by ``step``, at the same distance."""
    best: list[_Number] = []
    for edge in (0, 2):  # aligned on the left or on the right
        by_edge = sorted(numbers, key=lambda number: _edge(number, edge))
        start = 0
        for index in range(1, len(by_edge) + 1):
            is_end = index == len(by_edge)
            if is_end or _edge(by_edge[index], edge) - _edge(by_edge[index - 1], edge) > _ALIGNED:
                column = _longest_run(sorted(by_edge[start:index], key=lambda number: number[1].words[0][1]), step)
                best = max(best, column, key=len)
                start = index
    return best if len(best) <= _MOST else []


def _edge(number: _Number, edge: int) -> float:
    box = number[1].words[0]
    return box[2] if edge else box[0]


def _longest_run(column: Sequence[_Number], step: int) -> list[_Number]:
    best: list[_Number] = []
    run: list[_Number] = []
    for number in column:
        if not run or number[0] != run[-1][0] + step:
            run = []
        run.append(number)
        if len(run) > len(best):
            best = list(run)
    if len(best) < (_FEWEST if step == 1 else _FEWEST_APART) or 10 * len(best) < 8 * len(column):
        return []
    steps = [b[1].words[0][1] - a[1].words[0][1] for a, b in pairwise(best)]
    usual = sorted(steps)[len(steps) // 2]
    regular = sum(abs(step - usual) < 0.2 * usual for step in steps)
    return best if usual > 0 and 10 * regular >= 8 * len(steps) else []


def _counts(column: Sequence[_Number], lines: Sequence[Line], step: int) -> bool:
    """Return whether the numbers count the lines of sentences beside them, of which only one in ``step`` has one."""
    edge, left = _edges(column)
    numbered = {id(line) for _, line in column}
    first, last = (_height(column[index][1]) for index in (0, -1))
    rows: list[tuple[float, list[tuple[float, str]]]] = []
    for line in sorted(lines, key=_height):
        words = line.words[1:] if id(line) in numbered else line.words
        if not words or line.x1 <= left or not first - 2 <= _height(line) <= last + 2:
            continue
        if words[0][0] <= edge:
            return False  # something else is in the margin
        if not rows or _height(line) - rows[-1][0] > 0.5 * (line.y1 - line.y0):
            rows.append((_height(line), []))
        rows[-1][1].extend((word[0], word[4]) for word in words)
    texts = [" ".join(text for _, text in sorted(row)) for _, row in rows]
    return abs(len(texts) - 1 - step * (len(column) - 1)) <= max(1, len(texts) // 20) and _is_prose(texts)


def _edges(column: Sequence[_Number]) -> tuple[float, float]:
    """Return where the numbers of a column end, and where they begin."""
    return max(line.words[0][2] for _, line in column), min(line.words[0][0] for _, line in column)


def _height(line: Line) -> float:
    return (line.words[0][1] + line.words[0][3]) / 2


def _runs_on(column: Sequence[_Number], lines: Sequence[Line]) -> bool:
    """Return whether the numbers are left of all else in their column, beside sentences that go on line by line.

    The rows of a table have numbers as well, and the items of a list: those stay.
    """
    edge, left = _edges(column)
    by_number = {id(line): index for index, (_, line) in enumerate(column)}
    rows: list[list[tuple[float, str]]] = [[] for _ in column]
    heights = [(line.words[0][1] + line.words[0][3]) / 2 for _, line in column]
    for line in lines:
        number = by_number.get(id(line))
        if line.x1 <= left:
            continue  # a column of text beside this one
        words = line.words[1:] if number is not None else line.words
        if number is None and line.y1 > heights[0] and line.y0 < heights[-1] and line.x0 <= edge:
            return False  # something else is in the margin
        row = number
        if row is None:
            row = next((index for index, height in enumerate(heights) if line.y0 <= height <= line.y1), None)
        if row is not None:
            rows[row] += [(word[0], word[4]) for word in words]
    return _is_prose([" ".join(text for _, text in sorted(row)) for row in rows])


def _is_prose(texts: Sequence[str]) -> bool:
    """Return whether sentences go on from one line to the next."""
    goes_on = sum(
        bool(line and following) and line[-1] not in _ENDS and following[0].islower()
        for line, following in pairwise(texts)
    )
    filled = [text for text in texts if text]
    return goes_on >= max(2, 0.15 * len(filled)) and sum(text.count(" ") + 1 for text in filled) >= 3 * len(filled)
