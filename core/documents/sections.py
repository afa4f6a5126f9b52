"""The place of a passage: its sections, its cell in a table, and the words that cite it. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from core import formats
from core.domain import Section, Table
from core.text import column_letters

# Formats without pages of their own: their only page has no number that a reader would know.
_FLOWING, _SHEETS, _SLIDES = formats.kinds("flowing"), formats.kinds("sheet"), formats.kinds("slides")
_TITLE = 80  # characters of a heading in a citation


def path(sections: Sequence[tuple[int, Section]], page: int, offset: int) -> tuple[str, ...]:
    """List the titles of the sections that ``offset`` of ``page`` lies in, the outermost first; () before the first.

    ``sections`` are those of one document with the number of the page that each begins on, in any order. A section
    lasts until the next one of its level or of one further out.
    """
    open_: list[Section] = []
    earlier = [
        (page_number, section) for page_number, section in sections if (page_number, section.start) <= (page, offset)
    ]
    for _, section in sorted(earlier, key=lambda item: (item[0], item[1].start)):
        while open_ and open_[-1].level >= section.level:
            open_.pop()
        open_.append(section)
    return tuple(section.title for section in open_)


def citation(
    name: str,
    page: int,
    *,
    label: str = "",
    path: Sequence[str] = (),
    cells: str = "",
    kind: str = "",
    pages: int = 0,
    last: int = 0,
    last_label: str = "",
) -> str:
    """Cite document, page and section: 'press release.pdf, p. iv (5), section 2.1 Timeline'.

    ``label`` is what the page is called in print, ``path`` and ``cells`` are what the functions of that name give,
    ``kind`` and ``pages`` are those of the document (0: not known). ``last`` with ``last_label`` is the page on which a
    quote over a page break ends: 'press release.pdf, pp. iv–v (5–6)'. A sheet is named by its cells where they are
    known: 'budget.xlsx, sheet Costs, cell C12'.
    """
    parts = [name]
    if kind in _SHEETS:
        sheet, rows = _sheet(label, path)
        parts.append(f"sheet {sheet}" if sheet else f"p. {page}")
        if cells:
            parts.append(f"cells {cells}" if ":" in cells else f"cell {cells}")
        elif rows:
            parts.append(rows)
        return ", ".join(parts)
    place = _places(page, label, last, last_label, kind) if last > page else _place(page, label, kind, pages)
    if place:
        parts.append(place)
    title = " ".join(path[-1].split()) if path else ""
    if title and title != name:
        parts.append(f"section {title if len(title) <= _TITLE else title[: _TITLE - 1].rstrip() + '…'}")
    return ", ".join(parts)


def _sheet(label: str, path: Sequence[str]) -> tuple[str, str]:
    """Return the name of a sheet and which rows of it, from the label of a page."""
    rows = re.search(r", rows (\d+ to \d+)$", label)
    if rows:
        return path[0] if path else label[: rows.start()], f"rows {rows.group(1)}"
    return path[0] if path else label, ""


def _place(page: int, label: str, kind: str, pages: int) -> str:
    label = label.strip()
    if kind in _SLIDES:
        return f"slide {page}"
    if not label and pages == 1 and kind in _FLOWING:
        return ""
    if not label or label == str(page):
        return f"p. {page}"
    if re.match(r"(part|message|pages?|p\.) ", label, re.IGNORECASE):
        return label
    return f"p. {label} ({page})"


def _places(page: int, label: str, last: int, last_label: str, kind: str) -> str:
    label, last_label = label.strip(), last_label.strip()
    if kind in _SLIDES:
        return f"slides {page}–{last}"
    if not (label and last_label) or (label, last_label) == (str(page), str(last)):
        return f"pp. {page}–{last}"
    if any(" " in name for name in (label, last_label)):
        return f"{label} to {last_label}"
    return f"pp. {label}–{last_label} ({page}–{last})"


_NAMED_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7}): ")
_NOTE = re.compile(r"([A-Z]{1,3}\d{1,7}), (?:comment|reply)")


def cells(text: str, start: int, end: int, tables: Sequence[Table] = ()) -> str:
    """Name the cells of a sheet's page that contain text[start:end]: 'C12', 'B12:D14', '' for none.

    ``tables`` are those of the page, whose columns and rows are named as in the sheet. Without one ``text`` is a page
    of older cases: 'Sheet NAME', then a line a row, 'NAME, row 12: ...', with a tab for each border between cells; a
    cell far from the one before it says its own name.
    """
    head, _, _ = text.partition("\n")
    if not head.startswith("Sheet "):
        return ""
    places = list(_cells_of_tables(tables, start, end)) if any(table.numbers for table in tables) else []
    row_of = re.compile(re.escape(head.removeprefix("Sheet ")) + r", row (\d{1,8}): ")
    offset = text.rfind("\n", 0, start) + 1
    while offset < max(end, start + 1) and offset <= len(text):
        stop = text.find("\n", offset)
        stop = len(text) if stop < 0 else stop
        row, note = None if tables else row_of.match(text, offset, stop), _NOTE.match(text, offset, stop)
        if row:
            places += _cells_of(text[row.end() : stop], row.end(), int(row.group(1)), start, end)
        elif note:
            split = re.fullmatch(r"([A-Z]+)(\d+)", note.group(1))
            if split:
                places.append((_number(split.group(1)), int(split.group(2))))
        offset = stop + 1
    if not places:
        return ""
    columns, rows = [column for column, _ in places], [row for _, row in places]
    first, last = f"{column_letters(min(columns) - 1)}{min(rows)}", f"{column_letters(max(columns) - 1)}{max(rows)}"
    return first if first == last else f"{first}:{last}"


def _cells_of_tables(tables: Sequence[Table], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield (column from 1, row) of the filled cells of sheets that share a character with text[start:end].

    Where only the heading beside a value is among them, it is the cell of that value.
    """
    end = max(end, start + 1)
    for table in tables:
        for number, row in zip(table.numbers, table.rows, strict=False):
            if not row or row[0][0] >= end or row[-1][1] <= start:
                continue
            present = [(column, cell) for column, cell in zip(table.letters, row, strict=False) if cell[0] < cell[1]]
            inside = [column for column, (left, to) in present if left < end and to > start]
            if not inside:
                inside = [column for column, (left, _) in present if left >= end][:1]
            for column in inside:
                yield _number(column), number


def _cells_of(line: str, offset: int, row: int, start: int, end: int) -> list[tuple[int, int]]:
    """List (column from 1, row) of the filled cells of a row that share a character with text[start:end]."""
    places, column, offset_in_row = [], 0, offset
    for cell in line.split("\t"):
        column += 1
        name = _NAMED_CELL.match(cell)
        if name and int(name.group(2)) == row:
            column = _number(name.group(1))
        if cell and offset_in_row < end and offset_in_row + len(cell) > start:
            places.append((column, row))
        offset_in_row += len(cell) + 1
    return places


def _number(letters: str) -> int:
    """Return the number of a column, A is 1."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def majority_language(pages: Iterable[tuple[str, int]]) -> str:
    """Return the language of most of a document, '' where none has more than half.

    ``pages``: (language, characters) of each; those without a language do not count.
    """
    counts: dict[str, int] = defaultdict(int)
    for language, characters in pages:
        if language:
            counts[language] += characters
    best = max(counts, key=lambda language: counts[language], default="")
    return best if best and counts[best] * 2 > sum(counts.values()) else ""
