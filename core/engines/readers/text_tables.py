"""Tables that are drawn in a text with bars: those of Markdown and Org, what databases print, and grids with frames."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from core.engines.readers import table_text, text_flow

_RULES = re.compile(  # the line below the headings, or a frame
    r"^[ \t]*+(?:(?:\|[ \t]*+)?:?-++:?[ \t]*+(?:[|+][ \t]*+:?-++:?[ \t]*+)++[|+]?|\+(?:[-=]++\+){2,})[ \t]*+$",
    re.MULTILINE,
)
_MAYBE = re.compile(r"[-=]:?[|+ \t]")  # in every rule with more than one column
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_BAR = re.compile(r"(?<!\\)\|")
_CELLS = 2_000_000  # of a table that is laid out


class _Drawing(NamedTuple):
    """A table: text[start:end] draws it; ``headings`` is the number of rows above the columns, None if not known."""

    start: int
    end: int
    rows: list[list[str]]
    headings: int | None


def lay_out(piece: text_flow.Piece) -> text_flow.Piece:
    """Return a text with its tables as rows whose values are beside their headings, and with their grids."""
    parts: list[text_flow.Piece] = []
    offset = 0
    for drawing in _drawings(piece.text):
        grid = table_text.lay_out(drawing.rows, drawing.headings)
        tables = (grid.table,) if table_text.is_gridded(grid.table) else ()
        parts += [piece.cut(offset, drawing.start), text_flow.Piece(grid.text, tables=tables)]
        offset = drawing.end
    return text_flow.join((*parts, piece.cut(offset, len(piece.text))), "") if parts else piece


def _drawings(text: str) -> Iterator[_Drawing]:
    """Yield the tables of a text in order, those between fences left out: they are shown as they are written."""
    if "|" not in text or not _MAYBE.search(text):
        return
    fences = _FENCE.finditer(text) if "```" in text or "~~~" in text else iter(())
    fence = next(fences, None)
    floor = 0
    for rule in _RULES.finditer(text):
        start, end = rule.span()
        while fence is not None and fence.end() <= start:
            fence = next(fences, None)
        if start < floor or (fence is not None and fence.start() <= start):
            continue
        is_frame = rule.group().lstrip().startswith("+")
        drawing = _framed(text, start, end) if is_frame else _ruled(text, start, end, floor)
        floor = drawing.end
        cells = max(map(len, drawing.rows), default=0) * len(drawing.rows)
        if len(drawing.rows) > 1 and cells <= _CELLS and any(map(any, drawing.rows)):
            yield drawing


def _ruled(text: str, start: int, end: int, floor: int) -> _Drawing:
    """Return the table around a rule, without rows where none is: Markdown has one rule in a table, Org several."""
    width = len(re.split(r"[|+]", text[start:end].strip().strip("|+")))
    above: list[list[str]] = []
    while start > floor and text[start - 1] == "\n":
        line_start = text.rfind("\n", floor, start - 1) + 1 or floor
        line_start = text.rfind("\f", line_start, start - 1) + 1 or line_start
        line = text[line_start : start - 1]
        if _RULES.fullmatch(line):
            start = line_start
            break
        cells = _cells(line)
        if len(cells) != width:
            break
        above.append(cells)
        start = line_start
    if not above:
        return _Drawing(start, start, [], None)
    rows = above[::-1]
    for line, line_end in _lines(text, end):
        if "|" not in line:
            break
        if not _RULES.fullmatch(line):
            rows.append(_cells(line))
        end = line_end
    return _Drawing(start, end, rows, 1 if len(above) == 1 else None)


def _framed(text: str, start: int, end: int) -> _Drawing:
    """Return the table in a frame, without rows where cells reach over several columns or rows."""
    frame = text[start:end].rstrip()
    places = [match.start() for match in re.finditer(r"\+", frame)]
    bands: list[list[list[str]]] = [[]]
    head = 0  # bands above the double line
    is_regular = True
    for line, line_end in _lines(text, end):
        line = line.rstrip()
        if line.lstrip()[:1] not in ("+", "|"):
            break
        end = line_end
        if line.replace("=", "-") == frame.replace("=", "-"):
            head = len(bands) if "=" in line and not head else head
            bands.append([])
            continue
        if len(line) == len(frame) and all(line[place] == "|" for place in places):
            cells = [line[left + 1 : right].strip() for left, right in pairwise(places)]
        else:  # wide letters: the bars are not below each other
            cells = _cells(line) if line.endswith("|") else []
        is_regular = is_regular and len(cells) == len(places) - 1
        bands[-1].append(cells)
    if not is_regular or bands.pop():  # or rows below the last line of the frame
        return _Drawing(start, end, [], None)
    bands = [band for band in bands if band]
    if head or len(bands) > 2:  # a line of the frame below each row
        return _Drawing(start, end, [_joined(band) for band in bands], head or None)
    if len(bands) == 2:
        return _Drawing(start, end, [_joined(bands[0]), *bands[1]], 1)
    return _Drawing(start, end, [row for band in bands for row in band], None)


def _joined(lines: list[list[str]]) -> list[str]:
    return [" ".join(filter(None, parts)) for parts in zip(*lines, strict=True)]


def _lines(text: str, end: int) -> Iterator[tuple[str, int]]:
    """Yield each line of the page below the one that ends at ``end``, and where it ends."""
    while text.startswith("\n", end):
        start = end + 1
        stop = text.find("\n", start)
        stop = len(text) if stop < 0 else stop
        page_end = text.find("\f", start, stop)
        end = stop if page_end < 0 else page_end
        yield text[start:end], end


def _cells(line: str) -> list[str]:
    """Split a row at its bars, without those around it; one behind a backslash belongs to its cell."""
    line = line.strip().removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    return [cell.replace("\\|", "|").strip() for cell in _BAR.split(line)]
