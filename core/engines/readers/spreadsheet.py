"""Spreadsheets (XLSX, XLSB, XLS, ODS): a line a row, which names its sheet and row. Formulas and macros never run.

The library gives the values as the file holds them; what is hidden, and the comments, stand in the XML beside them.
"""

from __future__ import annotations

import csv
import datetime
import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from core.domain import PageText, Section
from core.engines.readers import encrypted_office, ole_compound, opendocument, plain_text, text_flow
from core.engines.readers.ooxml_package import (
    ARCHIVE_ERRORS,
    check_package,
    child,
    core_properties,
    damaged_file,
    hostile,
    local,
    raw_part,
    related_parts,
    value,
    xml_part,
)
from core.errors import UnreadableDocument
from core.ports import Outline

ROWS = 1_000  # of one page
CHARACTERS = 50_000  # of one page, about
_SHEETS = 1_000
_TEXT = 100_000_000  # characters of all sheets
_AREA = 20_000_000  # cells between the first and the last: the library reserves room for all of them
_GAP = 3  # empty cells in a row, after which a cell names its column
_CELL_NAME = re.compile(r"[A-Z]{1,3}\d{1,7}: ")

_AGAIN = "Open it in a spreadsheet program, save it again, or save it as CSV text, and add that."


@dataclass(slots=True)
class _Beside:
    """The part of the XML of a sheet beyond its values. Rows and columns count from 0."""

    rows: list[tuple[int, int]] = field(default_factory=list)  # hidden, first and last
    columns: list[tuple[int, int]] = field(default_factory=list)
    comments: list[tuple[int, str]] = field(default_factory=list)  # row, text
    cells: dict[tuple[int, int], str] = field(default_factory=dict)  # by row and column: why a cell is not seen

    def hides_row(self, row: int) -> bool:
        return any(first <= row <= last for first, last in self.rows)

    def hides(self, row: int, column: int) -> str:
        """Return why a cell of a row that is shown is not seen; '' for one that is."""
        if any(first <= column <= last for first, last in self.columns):
            return "unseen"
        return self.cells.get((row, column), "")


def read(data: bytes, name: str, kind: str, password: str = "") -> Iterator[Outline | PageText]:
    """Read a workbook: its outline, then its sheets as pages. ``kind`` is the ending: xlsx, xlsb, xls or ods.

    Raises PasswordNeeded for one that opens with a password only.
    """
    beside: dict[str, _Beside] = {}
    properties: dict[str, str] = {}
    if kind != "xls":
        package = check_package(data, name)
        if kind == "ods" and encrypted_office.is_encrypted(package):
            data = encrypted_office.decrypt_package(package, name, password)
            package = check_package(data, name)
        try:
            if kind == "xlsx":
                beside = _of_xlsx(package, name)
            elif kind == "xlsb":
                for part in package.namelist():
                    if part.startswith("xl/worksheets/") and part.endswith(".bin"):
                        _fits(_spread_of_records(raw_part(package, part, name) or b""), name)
            elif kind == "ods":
                beside = _of_ods(package, name)
            properties = (
                opendocument.meta_properties(package, name) if kind == "ods" else core_properties(package, name)
            )
        except (*ARCHIVE_ERRORS, ValueError, RecursionError, etree.LxmlError) as error:
            raise damaged_file(name, _AGAIN) from error
    else:
        ole_compound.check_chains(data, name)
        if password:
            data = encrypted_office.decrypt(data, name, password)
    pages = text_flow.number_pages(list(_pages(_sheets(data, name), beside, name)))
    if not any(page.text.strip() for page in pages):
        raise UnreadableDocument(
            reason=f"{name} contains no text: all its cells are empty.",
            remedy="If it shows pictures or charts, save it as PDF and add that.",
        )
    title, author, date = (properties.get(name, "") for name in ("title", "author", "date"))
    yield Outline(kind, len(pages), title, author, file_date=date)
    yield from pages


# --- comma-separated text --------------------------------------------------------------------------------------------

_DELIMITERS = ",;\t|"
_SAMPLE = 200  # rows
_ALIKE = 0.8  # of them, with the same number of cells


def comma_rows(text: str) -> list[list[str]]:
    """Split a text of separated values into rows; [] where it is none: no separator gives most rows the same cells."""
    best, rows = 0.0, []
    for delimiter in _DELIMITERS:
        if delimiter not in text:
            continue
        try:
            table = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        except csv.Error:  # a cell without end
            continue
        widths = Counter(len(row) for row in table[:_SAMPLE] if row)
        width, times = max(widths.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
        share = times / max(1, widths.total())
        if width > 1 and share >= _ALIKE and share * width > best:
            best, rows = share * width, table
    return rows


def read_rows(rows: list[list[str]], name: str) -> Iterator[Outline | PageText]:
    """Read a table without sheets: it is called like its file."""
    title = name.replace("\\", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0]
    pages = text_flow.number_pages(list(_pages(iter([(title, False, 0, iter(rows))]), {}, name)))
    if not any(page.text.strip() for page in pages):
        raise UnreadableDocument(
            reason=f"{name} contains no text: all its cells are empty.", remedy="Check that it is the right file."
        )
    yield Outline("csv", len(pages))
    yield from pages


# --- the values ------------------------------------------------------------------------------------------------------


def _sheets(data: bytes, name: str) -> Iterator[tuple[str, bool, int, Any]]:
    """Yield name, whether hidden, the first column and the rows of each sheet."""
    import python_calamine

    try:
        book = python_calamine.load_workbook(io.BytesIO(data))
        sheets = list(book.sheets_metadata)
        if len(sheets) > _SHEETS:
            raise UnreadableDocument(
                reason=f"{name} has {len(sheets):,} sheets; {_SHEETS:,} is the limit.",
                remedy="Split it into several files and add those.",
            )
        for entry in sheets:
            if entry.typ != python_calamine.SheetTypeEnum.WorkSheet:
                continue
            sheet = book.get_sheet_by_name(entry.name)
            start, end = sheet.start, sheet.end
            if start is None or end is None:
                continue
            _fits((end[0] - start[0] + 1) * (end[1] - start[1] + 1), name)
            yield entry.name, entry.visible != python_calamine.SheetVisibleEnum.Visible, start[1], sheet.iter_rows()
    except (UnreadableDocument, MemoryError, GeneratorExit, KeyboardInterrupt, SystemExit):
        raise
    except python_calamine.PasswordError as error:
        raise encrypted_office.password_needed(name) from error
    except BaseException as error:  # a panic of the library is no Exception
        raise damaged_file(name, _AGAIN) from error


def _fits(cells: int, name: str) -> None:
    if cells > _AREA:
        raise UnreadableDocument(
            reason=f"{name} has a sheet that spreads over {cells:,} cells; {_AREA:,} is the limit.",
            remedy="Delete the cells that are far away from the others, or save the sheet as CSV text, and add that.",
        )


def _pages(sheets: Iterator[tuple[str, bool, int, Any]], beside: dict[str, _Beside], name: str) -> Iterator[PageText]:
    total = 0
    for title, is_hidden, offset, rows in sheets:
        label = " ".join(plain_text.clean(title).split()) or "unnamed"
        aside = beside.get(title, _Beside())
        comments = aside.comments[::-1]
        page = _Page(label, is_hidden)
        for number, cells in enumerate(rows):
            while comments and comments[-1][0] <= number:
                page.notes.append(comments.pop()[1])
            texts = _row(cells, offset, number, aside)
            if not texts:
                continue
            if page.rows and (page.rows >= ROWS or page.length > CHARACTERS):
                yield page.finish(last=False)
                page = _Page(label, is_hidden, first=number + 1)
            page.row(number + 1, texts, is_hidden=aside.hides_row(number))
            total += page.growth
            if total > _TEXT:
                raise UnreadableDocument(
                    reason=f"{name} contains more than {_TEXT // 1_000_000} million characters.",
                    remedy="Split it into several files and add those.",
                )
        page.notes += [text for _, text in reversed(comments)]
        if page.rows or page.notes:
            yield page.finish(last=True)


@dataclass(slots=True)
class _Page:
    """Some rows of a sheet, as lines."""

    sheet: str
    unseen: bool
    first: int = 0  # the first row, where the sheet began on an earlier page
    rows: int = 0
    length: int = 0
    growth: int = 0
    notes: list[str] = field(default_factory=list)
    _last: int = 0
    _parts: list[str] = field(default_factory=list)
    _hidden_spans: plain_text.Reasons = field(default_factory=list)

    def _write(self, text: str, *, reason: str = "") -> None:
        if reason:
            self._hidden_spans.append((self.length, self.length + len(text), reason))
        self._parts.append(text)
        self.length += len(text)
        self.growth += len(text)

    def row(self, number: int, cells: list[tuple[str, str]], *, is_hidden: bool) -> None:
        self.growth = 0
        if not self.rows:
            self._write(f"Sheet {self.sheet}\n")
        self._write("\n")
        self._write(f"{self.sheet}, row {number}: ", reason="unseen" if is_hidden else "")
        for text, why in cells:
            self._write(text, reason=("unseen" if is_hidden else why) if text.strip() else "")
        self.rows += 1
        self._last = number

    def finish(self, *, last: bool) -> PageText:
        label = self.sheet if last and not self.first else f"{self.sheet}, rows {self.first or 1} to {self._last}"
        if not self.rows:
            self._write(f"Sheet {self.sheet}\n")
        for note in self.notes:
            self._write("\n\n")
            self._write(note)
        text = "".join(self._parts)
        hidden_spans = [(0, len(text), "unseen")] if self.unseen else self._hidden_spans
        # A sheet that goes on over several pages is one section.
        return text_flow.page(
            1, text, hidden_spans, label, () if self.first else (Section(1, text_flow.heading_text(self.sheet), 0),)
        )


def _row(cells: list[Any], offset: int, row: int, beside: _Beside) -> list[tuple[str, str]]:
    """Return the cells of a row and the gaps between them, each with why it is not seen; [] for an empty row."""
    texts: list[tuple[str, str]] = []
    empty = offset
    for column, cell in enumerate(cells, start=offset):
        text = "" if cell == "" else _cell_text(cell)
        if not text:
            empty += 1
            continue
        far = empty > _GAP
        if texts or empty:
            texts.append(("\t" if far else "\t" * (empty + bool(texts)), ""))
        # A cell that reads like the name of a cell says its own, so that it is not taken for one.
        names_cell = far or _CELL_NAME.match(text)
        texts.append((f"{letters(column)}{row + 1}: {text}" if names_cell else text, beside.hides(row, column)))
        empty = 0
    return texts


def letters(column: int) -> str:
    """Name a column that counts from 0: A, B, ..., Z, AA."""
    text, column = "", column + 1
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(65 + rest) + text
    return text


def _cell_text(cell: Any) -> str:
    match cell:
        case bool():
            return "TRUE" if cell else "FALSE"
        case float():
            return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
        case datetime.datetime():
            return cell.isoformat(" ") if cell.time() != datetime.time() else cell.date().isoformat()
        case datetime.timedelta():
            whole = int(cell.total_seconds())
            seconds = abs(whole)
            return f"{'-' if whole < 0 else ''}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        case datetime.date() | datetime.time():
            return cell.isoformat()
        case _:
            return " ".join(plain_text.clean(str(cell)).replace("\f", " ").split())


# --- what is hidden, and the comments --------------------------------------------------------------------------------

_ROW = re.compile(rb"""<(?:\w+:)?row\b[^>]*?\br=["'](\d{1,7})["'][^>]*>""")
_COLUMN = re.compile(rb"<(?:\w+:)?col\b[^>]*>")
# A cell that is not empty.
_CELL = re.compile(rb"""<(?:\w+:)?c\b[^>/]*?\br=["']([A-Z]{1,3})(\d{1,7})["'](?:[^>]*[^/>])?>""")
_UNSEEN = re.compile(rb"""\bhidden=["'](?:1|true|on)["']""")
_NUMBER = re.compile(rb"""\b(min|max)=["'](\d{1,5})["']""")
_STYLE = re.compile(rb"""\ss=["'](\d{1,6})["']""")
_WHITE = "FFFFFF"


def _of_xlsx(package: zipfile.ZipFile, name: str) -> dict[str, _Beside]:
    """Read hidden rows, columns and the comments by sheet name. Refuses a sheet of a few cells that are far apart."""
    main = next((part for kind, part in related_parts(package, name, "").values() if kind == "officeDocument"), "")
    root = xml_part(package, main or "xl/workbook.xml", name)
    if root is None:
        raise damaged_file(name, _AGAIN)
    targets = related_parts(package, name, main or "xl/workbook.xml")
    by_sheet: dict[str, _Beside] = {}
    styles = next((part for kind, part in targets.values() if kind == "styles"), "")
    unseen = _unseen_styles(xml_part(package, styles, name)) if styles else {}
    sheet_list = child(root, "sheets")
    for sheet in sheet_list if sheet_list is not None else ():
        kind, part = targets.get(value(sheet, "id"), ("", ""))
        if kind != "worksheet":
            continue
        data = raw_part(package, part, name)
        if data is None:
            raise damaged_file(name, _AGAIN)
        if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
            raise hostile(name, "its XML declares entities")
        _fits(_spread(data), name)
        beside = _Beside()
        for row in _ROW.finditer(data) if b"hidden" in data else ():
            if _UNSEEN.search(row.group()):
                at = int(row.group(1)) - 1
                beside.rows.append((at, at))
        for column in _COLUMN.finditer(data):
            if _UNSEEN.search(column.group()):
                ends = {key: int(number) for key, number in _NUMBER.findall(column.group())}
                beside.columns.append((ends.get(b"min", 1) - 1, ends.get(b"max", 1) - 1))
        beside.rows = _merge_spans(beside.rows)
        if unseen:
            # A table's style, or a condition, may colour what is behind a cell; then its own colours prove nothing.
            sure = b"tablePart" not in data and b"conditionalFormatting" not in data
            beside.cells = _unseen_cells(data, {at: why for at, why in unseen.items() if sure or why != "colour"})
        for what, target in related_parts(package, name, part).values():
            if what == "comments":
                beside.comments += _comments(xml_part(package, target, name))
        beside.comments.sort(key=lambda comment: comment[0])
        by_sheet[value(sheet, "name")] = beside
    return by_sheet


def _unseen_styles(root: Any) -> dict[int, str]:
    """Return by number of a style why its cells are not seen: in the colour of the ground, or formatted away."""
    if root is None:
        return {}
    parts = {local(part): part for part in root}
    formats = {value(each, "numFmtId"): value(each, "formatCode") for each in parts.get("numFmts", ())}
    inks = [_colour(child(font, "color"), "000000") for font in parts.get("fonts", ())]
    behind = []
    for fill in parts.get("fills", ()):
        pattern = child(fill, "patternFill")
        kind = "gradient" if pattern is None else value(pattern, "patternType") or "none"
        solid = _colour(child(pattern, "fgColor"), "") if kind == "solid" else ""
        behind.append(_WHITE if kind == "none" else solid)
    reasons = {}
    for at, style in enumerate(parts.get("cellXfs", ())):
        font, fill = value(style, "fontId"), value(style, "fillId") or "0"
        ink = inks[int(font)] if font.isdigit() and int(font) < len(inks) else ""
        ground = behind[int(fill)] if fill.isdigit() and int(fill) < len(behind) else ""
        if formats.get(value(style, "numFmtId"), "").replace(" ", "") == ";;;":
            reasons[at] = "unseen"
        elif ink and ink == ground:
            reasons[at] = "colour"
    return reasons


def _colour(element: Any, default: str) -> str:
    """Return a colour that can be compared: six hex digits where it is stated, '' where a theme or a palette decides.

    The first colour of every theme is that of paper.
    """
    if element is None:
        return default
    rgb = value(element, "rgb").upper()
    if len(rgb) in (6, 8):
        return rgb[-6:]
    if value(element, "theme") == "0" and value(element, "tint") in ("", "0"):
        return _WHITE
    return ""


def _unseen_cells(data: bytes, styles: dict[int, str]) -> dict[tuple[int, int], str]:
    reasons: dict[tuple[int, int], str] = {}
    for cell in _CELL.finditer(data) if styles else ():
        style = _STYLE.search(cell.group())
        why = styles.get(int(style.group(1))) if style else styles.get(0)
        if why:
            across = 0
            for letter in cell.group(1):
                across = across * 26 + letter - 64
            reasons[int(cell.group(2)) - 1, across - 1] = why
    return reasons


def _spread(data: bytes) -> int:
    """Count the cells between the first and the last that hold something."""
    top = left = 1 << 30
    bottom = right = -1
    for column, row in _CELL.findall(data):
        across = 0
        for letter in column:
            across = across * 26 + letter - 64
        down = int(row)
        top, bottom, left, right = min(top, down), max(bottom, down), min(left, across), max(right, across)
    return (bottom - top + 1) * (right - left + 1) if bottom >= 0 else 0


def _spread_of_records(data: bytes) -> int:
    """Count the same for the binary form: records of a number and a length, each in seven bits a byte."""
    at = row = 0
    top = left = 1 << 32
    bottom = right = -1
    while at + 1 < len(data):
        kind = data[at]
        at += 1
        if kind & 0x80:
            kind, at = kind & 0x7F | (data[at] & 0x7F) << 7, at + 1
        length = shift = 0
        while at < len(data):
            byte, at = data[at], at + 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80 or shift > 21:
                break
        if kind == 0:
            row = int.from_bytes(data[at : at + 4], "little")
        elif 2 <= kind <= 11:  # a cell that is not empty
            column = int.from_bytes(data[at : at + 4], "little")
            top, bottom, left, right = min(top, row), max(bottom, row), min(left, column), max(right, column)
        at += length
    return (bottom - top + 1) * (right - left + 1) if bottom >= 0 else 0


def _merge_spans(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    result: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if result and first <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(last, result[-1][1]))
        else:
            result.append((first, last))
    return result


def _comments(root: Any) -> Iterator[tuple[int, str]]:
    authors: list[str] = []
    for element in root.iter() if root is not None else ():
        match local(element):
            case "author":
                authors.append(" ".join((element.text or "").split()))
            case "comment":
                place = re.fullmatch(r"\$?([A-Z]{1,3})\$?(\d{1,7})", value(element, "ref"))
                text = " ".join(
                    plain_text.clean("".join(t.text or "" for t in element.iter() if local(t) == "t")).split()
                )
                if not (place and text):
                    continue
                by = int(value(element, "authorId") or -1) if value(element, "authorId").isdigit() else -1
                who = f" by {plain_text.clean(authors[by])}" if 0 <= by < len(authors) and authors[by] else ""
                yield int(place.group(2)) - 1, f"{place.group(1)}{place.group(2)}, comment{who}: {text}"


def _of_ods(package: zipfile.ZipFile, name: str) -> dict[str, _Beside]:
    root = xml_part(package, "content.xml", name)
    if root is None:
        raise damaged_file(name, _AGAIN)
    by_sheet: dict[str, _Beside] = {}
    for table in root.iter("{*}table"):
        beside = _Beside()
        at = {"table-row": 0, "table-column": 0}
        widest = 0
        for element in table.iter("{*}table-row", "{*}table-column"):
            kind = local(element)
            repeats = _repeats(element, "number-rows-repeated" if kind == "table-row" else "number-columns-repeated")
            if value(element, "visibility") in ("collapse", "filter"):
                spans = beside.rows if kind == "table-row" else beside.columns
                spans.append((at[kind], at[kind] + repeats - 1))
            if kind == "table-row":
                cells = [cell for cell in element if len(cell)]
                width = sum(_repeats(cell, "number-columns-repeated") for cell in element) if cells else 0
                # A row that is repeated with its content is written out by the library.
                widest = max(widest, width * repeats)
                beside.comments += _notes_of(element, at[kind])
            at[kind] += repeats
        _fits(widest, name)
        by_sheet[value(table, "name")] = beside
    return by_sheet


def _repeats(element: Any, what: str) -> int:
    text = value(element, what)
    return int(text) if text.isdigit() and len(text) < 9 else 1


def _notes_of(row: Any, number: int) -> Iterator[tuple[int, str]]:
    column = 0
    for cell in row:
        note = child(cell, "annotation")
        if note is not None:
            who = next((" ".join((each.text or "").split()) for each in note if local(each) == "creator"), "")
            words = ("".join(each.itertext()) for each in note if local(each) == "p")
            text = " ".join(plain_text.clean(" ".join(words)).split())
            if text:
                by = f" by {plain_text.clean(who)}" if who else ""
                yield number, f"{letters(column)}{number + 1}, comment{by}: {text}"
        column += _repeats(cell, "number-columns-repeated")
