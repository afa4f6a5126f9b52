"""Ratings as tab-separated text, as spreadsheets put it on the clipboard and take it from there."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.domain import RATINGS, Rating
from gui_app.matrix.grid_model import Sheet, fields, figure_of, is_decided, rating_of
from gui_app.matrix.grid_painter import Column
from gui_app.shared.formatting import RATING_WORDS

MAX_CELLS = 200_000  # more than the largest matrix there is
MAX_NAMES = 4  # so many of the cells that were not understood are named

_DIGITS: dict[str, Rating] = {"1": "CC", "2": "C", "3": "N", "4": "I", "5": "II"}
_WORDS: dict[str, Rating] = {
    **{rating.casefold(): rating for rating in RATINGS},
    **_DIGITS,
    **{words: rating for rating, words in RATING_WORDS.items()},
    "n/a": "NA",
    "highly consistent": "CC",
    "strongly consistent": "CC",
    "highly inconsistent": "II",
    "strongly inconsistent": "II",
}


@dataclass(frozen=True, slots=True)
class RatingBlock:
    """A block of ratings; None is an empty cell. ``misread`` names what was not understood."""

    rows: tuple[tuple[Rating | None, ...], ...]
    misread: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """The number of cells in its longest row."""
        return max((len(row) for row in self.rows), default=0)


def rating_from(text: str) -> Rating | None:
    """Return the rating that a cell of a spreadsheet stands for, in letters, words or figures; None for none."""
    plain_text = unicodedata.normalize("NFKC", text).strip().lstrip("'")
    return _WORDS.get(" ".join(plain_text.casefold().split()))


def read(text: str) -> RatingBlock:
    """Read the ratings in tab-separated text.

    A cell in quotes may hold tabs and line breaks, as spreadsheets write them.
    """
    rows: list[tuple[Rating | None, ...]] = []
    misread: list[str] = []
    for down, cells in enumerate(_split(text), start=1):
        ratings: list[Rating | None] = []
        for across, cell in enumerate(cells, start=1):
            rating = rating_from(cell)
            if rating is None and cell.strip():
                misread.append(f"row {down}, column {across}: {_short(cell)}")
            ratings.append(rating)
        rows.append(tuple(ratings))
    return RatingBlock(tuple(rows), tuple(misread))


def _split(text: str) -> list[list[str]]:
    """Split text into rows of cells. The line break behind the last row is no row of its own."""
    text = text[: MAX_CELLS * 8].replace("\r\n", "\n").replace("\r", "\n")
    text = text.removesuffix("\n")
    rows: list[list[str]] = [[]]
    cell: list[str] = []
    in_quotes = False
    offset = 0
    while offset < len(text):
        sign = text[offset]
        if in_quotes:
            if sign == '"' and text[offset + 1 : offset + 2] == '"':
                cell.append('"')
                offset += 1
            elif sign == '"':
                in_quotes = False
            else:
                cell.append(sign)
        elif sign == '"' and not cell:
            in_quotes = True
        elif sign in "\t\n":
            rows[-1].append("".join(cell))
            cell = []
            if sign == "\n":
                rows.append([])
        else:
            cell.append(sign)
        offset += 1
    rows[-1].append("".join(cell))
    return rows


def _short(text: str) -> str:
    """Shorten what was in a cell to fit one line of a message."""
    clean = "".join(sign if sign.isprintable() else " " for sign in text)
    clean = " ".join(clean.split())
    return f"“{clean[:24]}…”" if len(clean) > 25 else f"“{clean}”"


def as_tsv(rows: Iterable[Sequence[str]]) -> str:
    """Write cells as tab-separated text.

    What a spreadsheet would run as a formula starts with an apostrophe; tabs and line breaks inside a cell become
    spaces.
    """
    return "\n".join("\t".join(_harmless(cell) for cell in row) for row in rows)


def _harmless(cell: str) -> str:
    flat = " ".join(cell.split()) if any(sign in cell for sign in "\t\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029") else cell
    return f"'{flat}" if flat[:1] in ("=", "+", "-", "@") or cell[:1] in ("\t", "\r") else flat


def cell_text(sheet: Sheet, number: int, column: Column) -> str:
    """Return a cell of any column of the grid as it is copied."""
    row = sheet.rows[number]
    if column.hypothesis >= 0:
        return letters(sheet.codes[number * sheet.width + column.hypothesis])
    if column.kind == "diagnosticity":
        return figure_of(sheet.diagnosticity(number))
    return {
        "evidence": row.text,
        "source": row.place,
        "date": row.date,
        "grade": row.grade,
        "credibility": row.item.credibility or "",
        "relevance": row.item.relevance or "",
    }[column.kind]


def letters(code: int) -> str:
    """Return a cell as it is copied: what people decided, never what the machine suggests."""
    return (rating_of(code) or "") if is_decided(code) else ""


def line_of(sheet: Sheet, row: int) -> list[str]:
    """Return a whole row of the matrix as cells of text."""
    ratings = [letters(code) for code in sheet.cells(row)]
    return [*fields(sheet.rows[row]), *ratings, figure_of(sheet.diagnosticity(row))]
