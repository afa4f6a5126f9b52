"""Separated values (CSV, TSV): the separator that a text has, and its rows. Quotation marks that quote nothing stay."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence

_SEPARATORS = "\t;|,"  # of two that fit as well, the first: a comma occurs in numbers and sentences too
_SAMPLE = 200  # rows
_ALIKE = 0.8  # of them, with the same number of cells
_AROUND = 40  # narrower rows above and below a table: the account and period of a statement, its balance
_FEWEST = 3  # rows of a table with others around it
_LONGEST = 100_000  # characters of a cell in quotation marks
_STATED = re.compile(r'\ufeff?"?sep=(.)"?[ \t]*(?:\r\n|\r|\n|$)', re.IGNORECASE)


def rows(text: str) -> list[list[str]]:
    """Split a text of separated values into rows; [] where it is none: no separator gives most rows the same cells.

    A first line such as 'sep=;' states the separator, as spreadsheet programs take it, and is no row.
    """
    statement = _STATED.match(text)
    if statement:
        return split(text[statement.end() :], statement.group(1))
    best, result = 0.0, []
    for separator in _SEPARATORS:
        if separator not in text:
            continue
        table = split(text, separator)
        score = _score([len(row) for row in table[:_SAMPLE] if row])
        if score > best:
            best, result = score, table
    return result


def _score(widths: Sequence[int]) -> float:
    """Return how much rows of such widths look like a table: its width, by the share that has it; 0 for none."""
    best = 0.0
    for width, times in Counter(widths).items():
        if width < 2:
            continue
        first, last = widths.index(width), len(widths) - widths[::-1].index(width)
        around = (*widths[:first], *widths[last:])
        if times < _FEWEST or max(around, default=0) > width or max(first, len(widths) - last) > _AROUND:
            first, last = 0, len(widths)
        share = times / (last - first)
        if share >= _ALIKE:
            best = max(best, share * width)
    return best


def split(text: str, separator: str) -> list[list[str]]:
    """Split a text into rows of cells; a line end in quotation marks belongs to its cell."""
    if '"' not in text:
        return [line.split(separator) if line else [] for line in _lines(text)]
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error:  # a quotation mark that quotes nothing
        return _split_loosely(text, separator)


def _lines(text: str) -> list[str]:
    lines = re.split(r"\r\n|\r|\n", text)
    return lines[:-1] if lines[-1] == "" else lines


def _split_loosely(text: str, separator: str) -> list[list[str]]:
    """Split a text in which a quotation mark quotes only where another one ends the cell that it begins."""
    table: list[list[str]] = []
    row: list[str] = []
    border = re.compile(f"{re.escape(separator)}|\r\n|\r|\n")
    start = 0
    while start <= len(text):
        end = _end_of_quotation(text, start, separator) if text.startswith('"', start) else -1
        if end >= 0:
            cell = text[start + 1 : end].replace('""', '"')
            match = border.match(text, end + 1)
        else:
            match = border.search(text, start)
            cell = text[start : match.start() if match else len(text)]
        row.append(cell)
        if match is None:
            break
        start = match.end()
        if match.group() != separator:
            table.append(row if row != [""] else [])
            row = []
    if row != [""]:
        table.append(row)
    return table


def _end_of_quotation(text: str, start: int, separator: str) -> int:
    """Return the offset of the mark that ends the quoted cell begun at ``start``, or -1."""
    index = start + 1
    while True:
        index = text.find('"', index, start + _LONGEST)
        if index < 0:
            return -1
        following = text[index + 1 : index + 2]
        if following == '"':
            index += 2
        elif following in ("", "\r", "\n", separator):
            return index
        else:
            return -1
