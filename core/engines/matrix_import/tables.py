"""Matrices in tables, recognised by their shape, not by the addresses of their cells; and those in CSV text.

A table is a matrix when some row names columns under which ratings are. That row is the header; columns with a known
name (source, date, credibility ...) say more about the evidence; columns of numbers are results of the program that
made the table and are left out, because they are computed again. So the SANS / Stirparo template is read in each of its
versions (pstirparo/threatintel-resources, v0.4 and v0.6: evidence, credibility, relevance, one column of letters a
hypothesis, weights and scores beside them), without the score of v0.6, which counts II four times as much as I.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.engines.matrix_import import import_log, matrix_file
from core.engines.matrix_import import vocabulary as words
from core.engines.matrix_import.import_log import ImportLog, shorten
from core.ports import FileCell, FileHypothesis, FileRow, MatrixFile
from core.text import column_letters

Grid = list[list[str]]
MAX_COLUMNS = 400
MAX_LINES = 25_000
MAX_PLACES = 2_000_000  # lines x columns of one sheet
_HEADER_WITHIN = 80  # lines
_SAMPLE_LINES = 400  # lines below a header that decide which row it is
_DELIMITERS = ",;\t|"
_HEAD = 400_000  # characters of a text that tell its delimiter
_MAX_CELL_CHARS = 1_000_000  # characters


def read_text(text: str, name: str, choose: str) -> MatrixFile:
    """Read a matrix in delimited text; the delimiter is the one with which a matrix shows."""
    csv.field_size_limit(_MAX_CELL_CHARS)
    match = re.match(r"sep=(.)\r?\n", text)  # what Excel writes to say it
    if match is not None:
        text = text[match.end() :]
    head = "\n".join(text[:_HEAD].split("\n", _HEADER_WITHIN + _SAMPLE_LINES)[: _HEADER_WITHIN + _SAMPLE_LINES])
    best: tuple[int, str] | None = None
    for delimiter in _DELIMITERS:
        shape = _shape(_first_rows(head, delimiter))
        if shape is not None and (best is None or shape.ratings > best[0]):
            best = shape.ratings, delimiter
    if best is None:
        for delimiter in _DELIMITERS:
            _say_why_not(_first_rows(head, delimiter), name)
        raise import_log.foreign(name)
    if text.count("\n") > 4 * MAX_LINES or text.count(best[1]) > 2 * MAX_PLACES:
        raise import_log.too_large(name)
    grid: Grid = []
    try:
        # Strict, because a quotation mark that nothing closes would swallow the rest of the table.
        for line in csv.reader(io.StringIO(text, newline=""), delimiter=best[1], strict=True):
            if len(line) > MAX_COLUMNS or len(grid) > MAX_LINES:
                raise import_log.too_large(name)
            grid.append([without_apostrophe(cell) for cell in line])
    except csv.Error as error:
        raise import_log.damaged_file(
            name, f"a quotation mark in or after row {len(grid) + 1} is not closed"
        ) from error
    return matrix_of({"": grid}, name, choose, "CSV table")


def _first_rows(head: str, delimiter: str) -> Grid:
    """Read the beginning of a table as far as it can be read with this delimiter."""
    grid: Grid = []
    try:
        for line in csv.reader(io.StringIO(head, newline=""), delimiter=delimiter):
            grid.append([without_apostrophe(cell) for cell in line[:MAX_COLUMNS]])
    except csv.Error:
        pass
    return grid


def without_apostrophe(cell: str) -> str:
    """Strip the apostrophe that spreadsheets and this program put before what is not meant as a formula."""
    cell = cell.strip()
    bare = cell[1:].lstrip()
    return cell[1:] if cell[:1] == "'" and bare and bare[0] in "=+-@\uff1d\uff0b\uff0d\uff20" else cell


# --- from a grid to a matrix -----------------------------------------------------------------------------------------

_ROLES: dict[str, tuple[str, ...]] = {
    "text": (
        "evidence", "evidences", "evidence item", "item of evidence", "items of evidence", "evidence items", "item",
        "items", "description", "evidence description", "observation", "observations", "information item", "fact",
        "facts", "statement", "text", "indicator", "indicators", "relevant information",
        "evidence relevant information",
        "evidence hypotheses", "evidence hypothesis", "input", "inputs", "data", "evidence arguments",
        "evidence text",
    ),
    "id": ("#", "id", "no", "nr", "num", "number", "key", "evidence id", "evidence no", "evidence #", "e #", "serial"),
    "code": ("code", "ref", "reference id"),
    "source": ("source", "sources", "source of information", "origin", "reference", "references", "link", "url",
               "source document"),
    "document": ("document", "document name", "file"),
    "page": ("page", "pages"),
    "quote": ("quote", "quotation", "verbatim"),
    "rating": ("rating", "ratings", "mark", "assessment", "suggestion"),
    "date": ("date", "date of source", "source date", "dates", "when", "date of information"),
    "credibility": ("credibility", "cred", "cr", "source credibility", "evidence credibility", "credibility level"),
    "relevance": ("relevance", "rel", "re", "importance", "evidence relevance", "relevance level"),
    "reliability": ("reliability", "source reliability", "reliability of source", "evidence reliability"),
    "information": ("information credibility", "info credibility", "credibility of information", "information",
                    "credibility 1 6", "admiralty credibility"),
    "grade": ("grade", "admiralty", "admiralty code", "admiralty grade", "source grade", "nato code", "rating grade"),
    "weight": ("weight", "weights", "w", "weighting"),
    "note": ("note", "notes", "comment", "comments", "remark", "remarks", "reasoning", "rationale", "justification",
             "analysis notes", "explanation"),
    "type": ("type", "evidence type", "kind", "type of evidence", "category"),
}  # fmt: skip
_ROLE_OF = {name: role for role, names in _ROLES.items() for name in names}
_RESULT = re.compile(
    r"score|total|\bsum\b|\brank|diagnos|weighted|weight|spread|\bflags?\b|inconsisten\w* count|unrated"
    r"|^separates$|^counts as$|sha ?256"
)
_HYPOTHESIS_NUMBER = re.compile(r"(?:h|hyp|hypothesis)\W*\d{1,3}\b", re.I)
_HYPOTHESIS_LINE = re.compile(r"((?:h|hyp|hypothesis)\W*\d{1,3})\s*[:.=\u2013-]\s*(\S.*)", re.I | re.S)
_ENDS = re.compile(r"(?:scores?|totals?|sum|legend|key|notes?|results?|summary|ranking|hypotheses|scale|weighted\b.*|"
                   r"inconsistency\b.*|.*\bscores?|how to\b.*|instructions?)\W*$")  # fmt: skip


def _name(header: str) -> str:
    return re.sub(r"[^\w#]+", " ", words.plain_form(header)).strip()


@dataclass(slots=True)
class _Shape:
    """The place of a matrix in a grid."""

    header: int
    columns: list[int]  # of hypotheses
    roles: dict[str, int] = field(default_factory=dict)
    ratings: int = 0
    begin: int = 0  # the first line after the header
    scale: words.Scale = field(default_factory=words.Scale)


def _cells(grid: Grid) -> Iterator[str]:
    return (cell for line in grid for cell in line if cell)


def _pairs(grid: Grid) -> Iterator[str]:
    """Yield lines of two cells as 'left = right': a legend is often written so."""
    for line in grid:
        pair = [cell for cell in line if cell]
        if len(pair) == 2:
            yield f"{pair[0]} = {pair[1]}"
            yield f"{pair[1]} = {pair[0]}"


def _shape(grid: Grid, numbers: Mapping[str, Any] | None = None) -> _Shape | None:
    """Find the header and the columns of ratings; None if no row names such columns."""
    if numbers is None:
        numbers = words.number_meanings([*_cells(grid), *_pairs(grid)])
    scale = words.scale_of(_cells(grid), numbers)
    width = max(map(len, grid), default=0)
    if not width:
        return None
    top = grid[: _HEADER_WITHIN + _SAMPLE_LINES]
    readings: dict[str, tuple[bool, bool]] = {}

    def rating_of(text: str) -> tuple[bool, bool]:
        """Return whether a cell is a rating, and whether it is anything at all."""
        if not text:
            return False, False
        if text not in readings:
            reading = scale.read(text)
            readings[text] = reading.rating is not None, not (reading.is_known and reading.rating is None)
        return readings[text]

    best: _Shape | None = None
    below = [0] * width  # ratings under each line, from the end upwards
    values = [0] * width
    for index in range(len(top) - 1, -1, -1):
        line = top[index]
        if index < _HEADER_WITHIN:
            columns, ratings = [], 0
            for column, header in enumerate(line):
                if not header or not below[column] or 2 * below[column] < values[column]:
                    continue
                if _name(header) in _ROLE_OF or rating_of(header)[0] or words.number(header) is not None:
                    continue
                columns.append(column)
                ratings += below[column]
            if columns and (best is None or ratings >= best.ratings):
                best = _Shape(index, columns, ratings=ratings)
        for column, text in enumerate(line):
            rating, something = rating_of(text)
            below[column] += rating
            values[column] += something
    if best is None:
        best = _shape_without_ratings(grid, scale)
    if best is None:
        return None
    best.scale = scale
    _name_columns(grid, best, rating_of)
    return best if "text" in best.roles else None  # ratings of nothing: a legend, or another kind of table


def _shape_without_ratings(grid: Grid, scale: words.Scale) -> _Shape | None:
    """Find a header over a table in which nothing is rated yet: it names evidence, and the other columns are empty."""
    for index, line in enumerate(grid[:_HEADER_WITHIN]):
        text_columns = [column for column, header in enumerate(line) if _ROLE_OF.get(_name(header)) == "text"]
        empty_columns = [c for c, header in enumerate(line) if header and _name(header) not in _ROLE_OF
                  and words.number(header) is None and not _RESULT.search(_name(header))]  # fmt: skip
        if text_columns and empty_columns:
            below = [row[c] for row in grid[index + 1 :] for c in empty_columns if c < len(row) and row[c]]
            if all(scale.read(cell).is_known for cell in below):
                return _Shape(index, empty_columns)
    return None


def _name_columns(grid: Grid, shape: _Shape, rating_of: Any) -> None:
    """Assign roles to the other columns, and take in hypotheses that have no rating yet."""
    header = grid[shape.header]
    first, last = min(shape.columns), max(shape.columns)
    for column, text in enumerate(header):
        role = _ROLE_OF.get(_name(text), "")
        if role and column not in shape.columns:
            if role == "text" and "text" in shape.roles:
                role = "note" if "note" not in shape.roles else ""
            if role:
                shape.roles.setdefault(role, column)
        elif text and column not in shape.columns:
            values = [line[column] for line in grid[shape.header + 1 :] if column < len(line) and line[column]]
            short = all(len(value) <= 20 and words.number(value) is None for value in values)
            between = first < column < last and short and not _RESULT.search(_name(text))
            empty_neighbour = not values and column == last + 1 and not _RESULT.search(_name(text))
            if (_HYPOTHESIS_NUMBER.match(text) and short) or (
                between and (not values or any(rating_of(v)[0] for v in values))
            ):
                shape.columns.append(column)
            elif empty_neighbour:
                shape.columns.append(column)
                last = column
    names = {_name(text) for text in header}
    if "counts as" in names and not names.isdisjoint(("diagnosticity", "separates")):
        # This program's own workbook: its remarks are what was computed, not what a person wrote.
        shape.roles = {role: column for role, column in shape.roles.items() if _name(header[column]) != "remarks"}
    shape.columns.sort()
    _second_line(grid, shape, rating_of)
    if "text" not in shape.roles:
        used_columns = {*shape.columns, *shape.roles.values()}
        lengths = {
            column: sum(len(line[column]) for line in grid[shape.header + 1 :] if column < len(line))
            for column in range(first)
            if column not in used_columns
        }
        best = max(lengths, key=lambda column: lengths[column], default=None)
        if best is not None and lengths[best]:
            shape.roles["text"] = best
        elif "id" in shape.roles:
            shape.roles["text"] = shape.roles.pop("id")


def _second_line(grid: Grid, shape: _Shape, rating_of: Any) -> None:
    """Read the second line of a header: hypotheses are over the first, names of the single columns in it."""
    shape.begin = shape.header + 1
    line = grid[shape.begin] if shape.begin < len(grid) else []
    names = {column: _name(text) for column, text in enumerate(line) if text}
    if any(rating_of(_at(line, column))[0] for column in shape.columns):
        return
    named_columns = [c for c, name in names.items() if name in _ROLE_OF or _RESULT.search(name)]
    if len(named_columns) < 2 or any(c not in named_columns for c in names if c not in shape.columns):
        return
    if any(_at(line, column) and column not in named_columns for column in shape.columns):
        return  # it says what the hypotheses are, see _descriptions
    for column in named_columns:
        role = _ROLE_OF.get(names[column], "")
        if role and column not in shape.columns and not _at(grid[shape.header], column):
            shape.roles.setdefault(role, column)
    shape.begin += 1


def _texts_elsewhere(grids: Iterable[Grid], names: Sequence[str]) -> list[str]:
    """Return what the hypotheses H1, H2 ... say, where every one of them is given outside the table.

    That is in a cell 'H1: text', or in a line of two cells. Empty where one is not.
    """
    if not all(_HYPOTHESIS_NUMBER.fullmatch(name) for name in names):
        return []
    texts: dict[str, str] = {}
    names_sought = {_name(name) for name in names}
    for grid in grids:
        for line in grid:
            cells = [cell for cell in line if cell]
            pair = _HYPOTHESIS_LINE.fullmatch(cells[0]) if len(cells) == 1 else None
            name, text = (pair.group(1), pair.group(2)) if pair else (cells if len(cells) == 2 else ("", ""))
            if _name(name) in names_sought and len(text) > 3 and words.number(text) is None:
                texts.setdefault(_name(name), text)
    return [texts[_name(name)] for name in names] if len(texts) == len(names) == len(names_sought) else []


def matrix_of(
    grids: Mapping[str, Grid], name: str, choose: str, format: str, *, epoch_1904: bool = False, comments: bool = False
) -> MatrixFile:
    """Read the matrix of the one grid that holds one, or that ``choose`` names. Raises BadInput, SeveralMatrices."""
    numbers = words.number_meanings(text for grid in grids.values() for text in (*_cells(grid), *_pairs(grid)))
    shapes = {title: _shape(grid, numbers) for title, grid in grids.items()}
    shape_by_title = {title: shape for title, shape in shapes.items() if shape is not None}
    candidates = {title: shape for title, shape in shape_by_title.items() if shape.ratings} or shape_by_title
    if not candidates:
        for grid in grids.values():
            _say_why_not(grid, name)
        raise import_log.foreign(name)
    shape, _, title = matrix_file.pick(
        shape_by_title if choose in shape_by_title else candidates, {t: t for t in candidates}, name, choose
    )
    log = ImportLog(name)
    sheets = [sheet for sheet in grids if sheet != title and any(_cells(grids[sheet]))]
    if sheets:
        log.leave_out(f"Other sheets of the file were not read: {shorten(', '.join(sheets), 200)}.")
    if comments:
        log.leave_out("Comments on cells were not read.")
    if shape.scale.numbers:
        legend = ", ".join(f"{digits} = {rating}" for digits, rating in sorted(shape.scale.numbers.items()))
        log.leave_out(f"Numbers were read as the file explains them: {legend}.")
    elsewhere = _texts_elsewhere(grids.values(), [grids[title][shape.header][column] for column in shape.columns])
    return _matrix(grids[title], shape, elsewhere, log, format, epoch_1904)


def _say_why_not(grid: Grid, name: str) -> None:
    """Raise BadInput for a table with evidence and numbers, but without a word on what the numbers mean."""
    for index, line in enumerate(grid[:_HEADER_WITHIN]):
        if not any(_ROLE_OF.get(_name(header)) == "text" for header in line):
            continue
        columns = [c for c, header in enumerate(line) if header and _name(header) not in _ROLE_OF]
        below = [row[c] for row in grid[index + 1 :] for c in columns if c < len(row) and row[c]]
        if below and all(words.number(cell) is not None for cell in below):
            raise import_log.bad(
                f"{name} has numbers where ratings should be and does not say what they mean.",
                "Write it in a separate cell, such as: 1 = II, 5 = CC. Then import it again.",
            )
        if below and columns:
            raise import_log.bad(
                f"{name} has no rating that the program knows; the first other value is “{shorten(below[0], 40)}”.",
                "Use CC, C, N, I, II, NA, or ++ to --, or write what numbers mean: 1 = II, 5 = CC.",
            )


def _matrix(
    grid: Grid, shape: _Shape, elsewhere: Sequence[str], log: ImportLog, format: str, epoch_1904: bool
) -> MatrixFile:
    header = grid[shape.header]
    names = [header[column] for column in shape.columns]
    begin = shape.begin
    second_line = _descriptions(grid, shape)
    if second_line:
        begin += 1
    hypotheses = [_hypothesis(name, text) for name, text in zip(names, second_line or elsewhere or names, strict=True)]
    _name_left_out(grid, shape, log)
    rows: list[FileRow] = []
    days_first = words.day_first(_at(line, shape.roles.get("date")) for line in grid[begin:])
    last = max((index for index in range(begin, len(grid)) if _is_rated(grid[index], shape)), default=begin - 1)
    blank = False
    for index in range(begin, len(grid)):
        line = grid[index]
        values = [_at(line, column) for column in shape.columns]
        text = _at(line, shape.roles.get("text"))
        if not any(line):
            blank = True
        elif _is_result(line, values, shape, blank):
            excerpt = f"“{shorten(_first(line), 60)}”"
            if index > last:
                log.leave_out(f"The lines from row {index + 1} on were not read: {excerpt}.")
                break
            log.leave_out(f"Row {index + 1} contains results or an explanation and was not read: {excerpt}.")
        elif any(values) or text or _at(line, shape.roles.get("id")):
            rows.append(_row(line, index + 1, values, shape, log, days_first, epoch_1904))
        elif any(_at(line, column) for column in shape.roles.values()):
            log.many(f"row {index + 1}", "It has neither a text nor a rating and was not read.", "Look at the file.")
    return matrix_file.matrix(log, title=_title(grid, shape), format=format, hypotheses=hypotheses, rows=rows)


def _hypothesis(name: str, text: str) -> FileHypothesis:
    """Join the name of a column with what is said of it; a mere number such as H1 gives way to the text."""
    if not text or text == name:
        return FileHypothesis(name)
    return FileHypothesis(text if _HYPOTHESIS_NUMBER.fullmatch(name) else f"{name}: {text}")


def _is_rated(line: Sequence[str], shape: _Shape) -> bool:
    return any(shape.scale.read(_at(line, column)).rating for column in shape.columns) and not _is_legend(line, shape)


def _is_legend(line: Sequence[str], shape: _Shape) -> bool:
    """Return whether a line explains a rating: 'CC', 'very consistent'."""
    cells = [cell for cell in line if cell]
    if len(cells) != 2 or len(cells[1]) < 4:
        return False
    rating = shape.scale.read(cells[0]).rating
    return rating is not None and rating == shape.scale.read(cells[1]).rating


def _at(line: Sequence[str], column: int | None) -> str:
    return line[column] if column is not None and column < len(line) else ""


def _first(line: Sequence[str]) -> str:
    return next((cell for cell in line if cell), "")


def _title(grid: Grid, shape: _Shape) -> str:
    """Return a line of its own above the header, '' where there is none."""
    for line in grid[: shape.header]:
        cells = [cell for cell in line if cell]
        if len(cells) == 1 and words.number(cells[0]) is None and not _RESULT.search(_name(cells[0])):
            return cells[0]
        if len(cells) == 2 and _name(cells[0]) in ("title", "question", "project", "case", "problem", "issue"):
            return cells[1]
    return ""


def _descriptions(grid: Grid, shape: _Shape) -> list[str]:
    """Read what each hypothesis says in the second line of a header, without evidence beside it."""
    if shape.begin >= len(grid):
        return []
    line = grid[shape.begin]
    texts = [_at(line, column) for column in shape.columns]
    longer = [text for text in texts if text]
    evidence = [cell for column, cell in enumerate(line) if cell and column not in shape.columns]
    text = _at(line, shape.roles.get("text"))
    if not longer or (text and _ROLE_OF.get(_name(text)) != "text") or len(evidence) > 2:
        return []
    if any(shape.scale.read(value).is_known or words.number(value) is not None or len(value) < 4 for value in longer):
        return []
    return texts


def _name_left_out(grid: Grid, shape: _Shape, log: ImportLog) -> None:
    read_columns = {*shape.columns, *shape.roles.values()}
    results: list[str] = []
    unknown: list[str] = []
    for column in range(max(map(len, grid), default=0)):
        if column in read_columns:
            continue
        title = _at(grid[shape.header], column)
        values = [line[column] for line in grid[shape.header + 1 :] if column < len(line) and line[column]]
        if not values:
            continue
        label = f"“{shorten(title, 40)}”" if title else f"column {column_letters(column)}"
        numbers = sum(words.number(value) is not None for value in values)
        (results if 2 * numbers >= len(values) or _RESULT.search(_name(title)) else unknown).append(label)
    if results:
        log.leave_out(f"Computed columns were left out; scores are computed again: {', '.join(results[:20])}.")
    if unknown:
        log.leave_out(f"Columns that a case has no place for were not read: {', '.join(unknown[:20])}.")


def _is_result(line: Sequence[str], values: Sequence[str], shape: _Shape, blank: bool) -> bool:
    """Return whether a line holds scores or an explanation and no evidence; ``blank``: after an empty line."""
    entries = [value for value in values if value]
    if entries and all(words.number(value) is not None for value in entries) and not shape.scale.numbers:
        return True
    if _is_legend(line, shape):
        return True
    return (
        not _is_rated(line, shape)
        and (blank or bool(entries))
        and bool(_ENDS.match(words.plain_form(_first(line)[:200])))
    )


def _row(
    line: Sequence[str],
    number: int,
    values: Sequence[str],
    shape: _Shape,
    log: ImportLog,
    days_first: bool | None,
    epoch_1904: bool,
) -> FileRow:
    where = f"row {number}"

    def cell(role: str) -> str:
        return _at(line, shape.roles.get(role))

    cells = []
    for index, value in enumerate(values, start=1):
        reading = shape.scale.read(value)
        if not reading.is_known:
            log.unknown_rating(f"{where}, hypothesis {index}", value)
        cells.append(FileCell(reading.rating, reading.remark))
    text, id, note = cell("text"), cell("id"), cell("note")
    if not text and id:
        text, id = id, ""
    date = words.iso_date(cell("date"), days_first=days_first, epoch_1904=epoch_1904)
    if date is None:
        what = "Its date is uncertain; it is kept in the note as written."
        log.many(where, what, "Set the date yourself.")
    reliability, information, credibility = _grades(cell, where, log)
    relevance = _grade(cell("relevance"), "relevance", where, log)
    weight = words.number(cell("weight"))
    is_graded = any(cell(role) for role in ("credibility", "relevance", "reliability", "information", "grade"))
    if weight is not None and weight != 1 and not is_graded:  # beside grades it was computed from them
        relevance, weight_note = matrix_file.relevance_of_weight(weight, where, log)
    else:
        weight_note = ""
    kind = cell("type")
    is_assumption = words.plain_form(kind) in ("assumption", "key assumption", "assu")
    return FileRow(
        text=text,
        cells=tuple(cells),
        source=cell("source") if words.plain_form(cell("source")) not in _NO_SOURCE else cell("document"),
        date=date or "",
        credibility=credibility,
        relevance=relevance,
        reliability=reliability,
        information=information,
        note=matrix_file.join_notes(
            note,
            f"Quote{_place(cell('document'), cell('page'))}: “{cell('quote')}”" if cell("quote") else "",
            f"Date in the file: {cell('date')}" if date is None else "",
            f"Code: {cell('code')}" if cell("code") else "",
            f"Type: {kind}"
            if kind and not is_assumption and words.plain_form(kind) not in ("observation", "fact")
            else "",
            weight_note,
            matrix_file.numbers_in_words(
                {role: words.number(cell(role)) for role in ("credibility", "relevance") if role in shape.roles}
            ),
        ),
        kind="assumption" if is_assumption else "observation",
    )


_NO_SOURCE = frozenset(("", "-", "none", "unknown", "n/a", "no source given", "your own words"))


def _place(document: str, page: str) -> str:
    place = ", ".join(part for part in (document, f"page {page}" if page else "") if part)
    return f" ({place})" if place else ""


def _grades(cell: Any, where: str, log: ImportLog) -> tuple[str, str, Any]:
    """Read reliability A-F, credibility of the information 1-6, and credibility as a level."""
    reliability = information = ""
    credibility = None
    for role in ("grade", "reliability", "information", "credibility"):
        value = cell(role)
        if not value:
            continue
        level, is_level = words.level(value)
        share = words.number(value)
        grade = words.admiralty(value)
        if is_level and role != "information" and not (role == "grade" and grade):
            credibility = level or credibility
        elif role == "credibility" and share is not None and 0 <= share <= 1 and "." in value:
            credibility = matrix_file.share_level(share, "credibility", where, log)
        elif grade is not None and (role != "credibility" or cell("reliability") or cell("grade") or grade[0]):
            reliability, information = grade[0] or reliability, grade[1] or information
        elif share is not None and 0 <= share <= 1:
            credibility = matrix_file.share_level(share, "credibility", where, log)
        else:
            what = f"“{shorten(value, 40)}” is not a grade that the program knows; none was set."
            log.problem(where, what, "Low, medium, high, or A-F and 1-6. Set it yourself.")
    return reliability, information, credibility


def _grade(value: str, what: str, where: str, log: ImportLog) -> Any:
    if not value:
        return None
    level, is_known = words.level(value)
    if is_known:
        return level
    share = words.number(value)
    if share is not None and 0 <= share <= 1:
        return matrix_file.share_level(share, what, where, log)
    log.problem(where, f"“{shorten(value, 40)}” is not a {what} (low, medium, high); none was set.", "Set it yourself.")
    return None
