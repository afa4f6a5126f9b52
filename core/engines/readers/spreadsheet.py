"""Spreadsheets and separated values: tables with their headings. Formulas and macros never run."""

from __future__ import annotations

import datetime
import io
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from lxml import etree

from core.domain import LeftOut, PageText
from core.engines.readers import (
    encrypted_office,
    ods,
    old_looks,
    ole_compound,
    opendocument,
    package_parts,
    plain_text,
    sheet_pages,
    text_flow,
    xls_records,
    xlsb_records,
    xlsx,
)
from core.engines.readers.ooxml_package import ARCHIVE_ERRORS, check_package, core_properties, damaged_file, raw_part
from core.engines.readers.sheet_pages import Cell, Row, Sheet
from core.errors import UnreadableDocument
from core.ports import Attachment, Outline

_SHEETS = 1_000
_AREA = 20_000_000  # cells between the first and the last: the library reserves room for all of them


def read(data: bytes, name: str, kind: str, password: str = "") -> Iterator[Outline | PageText | Attachment | LeftOut]:
    """Read a workbook: its outline, its sheets as pages, then what else it holds.

    ``kind`` is the ending: xlsx, xlsb, xls or ods. Raises PasswordNeeded for one that opens with a password only.
    """
    if kind == "xls":
        ole_compound.check_chains(data, name)
        if password:
            data = encrypted_office.decrypt(data, name, password)
        yield from _read_old(data, name)
        return
    package = check_package(data, name)
    if kind == "ods" and encrypted_office.is_encrypted(package):
        data = encrypted_office.decrypt_package(package, name, password)
        package = check_package(data, name)
    ledger = package_parts.Ledger()
    parts: set[str] = set()
    try:
        properties = opendocument.meta_properties(package, name) if kind == "ods" else core_properties(package, name)
        outline = Outline(
            kind, 0, properties.get("title", ""), properties.get("author", ""), file_date=properties.get("date", "")
        )
        match kind:
            case "xlsx":
                book = xlsx.Book(package, name, ledger)
                sheets, parts = book.sheets(), book.read
            case "ods":
                calc = ods.Book(package, name, ledger)
                sheets, parts = calc.sheets(), calc.read
            case _:
                book = xlsx.Book(package, name, ledger, set(_binary_sheets(package, name)))
                asides, parts = xlsb_records.read(package, name, book), book.read
                sheets = (_with_aside(sheet, asides.get(sheet.title)) for sheet in _old_sheets(data, name))
        pages = list(sheet_pages.pages(sheets, name))
        if kind == "ods":
            opendocument.count_residue(calc.content, calc.look, [page.text for page in pages], ledger)
    except (*ARCHIVE_ERRORS, ValueError, RecursionError, etree.LxmlError) as error:
        raise damaged_file(name, xlsx.AGAIN) from error
    extras = list(package_parts.rest(package, name, parts, ledger))
    has_files = any(isinstance(part, Attachment) for part in extras)
    yield from _with_outline(outline, iter(pages), name, is_enough=has_files)
    yield from extras


def _read_old(data: bytes, name: str) -> Iterator[Outline | PageText | LeftOut]:
    ledger = package_parts.Ledger()
    book = xls_records.Workbook()

    def sheets() -> Iterator[Sheet]:
        """Yield the sheets with their remarks and drawings; a locked workbook is refused before that."""
        first = True
        for sheet in _old_sheets(data, name):
            if first:
                aside = xls_records.read(data, name, ledger)
                book.sheets, book.title, book.author, book.date = aside.sheets, aside.title, aside.author, aside.date
                first = False
            yield _with_aside(sheet, book.sheets.get(sheet.title))

    pages = list(sheet_pages.pages(sheets(), name))
    yield from _with_outline(Outline("xls", 0, book.title, book.author, file_date=book.date), iter(pages), name)
    yield from ledger.lines()


def _with_aside(sheet: Sheet, aside: xls_records.Aside | None) -> Sheet:
    if aside is None:
        return sheet
    sheet.remarks, sheet.below = aside.remarks, aside.below
    sheet.rows = _rows_with_aside(sheet.rows, aside)
    return sheet


def _rows_with_aside(rows: Iterable[Row], aside: xls_records.Aside) -> Iterator[Row]:
    """Yield rows with cells as they are shown, and with what is hidden."""
    last = -1
    for row in rows:
        last = row.number
        cells = _cells_with_aside(row, aside)
        if cells:
            yield Row(row.number, cells, row.number in aside.rows)
    for number in sorted(number for number in aside.words if number > last):
        yield Row(number, _cells_with_aside(Row(number, ()), aside), number in aside.rows)


def _cells_with_aside(row: Row, aside: xls_records.Aside) -> list[Cell]:
    """Return the cells as they are shown; a format that shows nothing hides one."""
    cells = {column: Cell(column, _line(text)) for column, text in aside.words.get(row.number, {}).items()}
    cells |= {cell.column: cell for cell in row.cells}
    result = []
    for cell in sorted(cells.values()):
        place = (row.number, cell.column)
        number = aside.texts.get(place)
        text, struck_spans = number or cell.text, cell.struck_spans
        if place in aside.strings or place in aside.fonts:
            text, runs = aside.strings.get(place, (text, ()))
            text, struck_spans = old_looks.shown(text, runs, aside.book_fonts, aside.fonts.get(place, old_looks.PLAIN))
        is_hidden = number == "" or any(first <= cell.column <= last for first, last in aside.columns)
        reason = "unseen" if is_hidden else "colour" if place in aside.unseen else ""
        result.append(Cell(cell.column, text, reason, struck_spans))
    return result


def _with_outline(
    outline: Outline, pages: Iterator[PageText], name: str, *, is_enough: bool = False
) -> Iterator[Outline | PageText]:
    """Yield the outline and the pages. Raises UnreadableDocument where there is no text and nothing else to read."""
    page_list = text_flow.number_pages(list(pages))
    if not is_enough and not any(page.text.strip() for page in page_list):
        raise UnreadableDocument(
            reason=f"{name} contains no text: all its cells are empty.",
            remedy="If it shows pictures or charts, save it as PDF and add that.",
        )
    yield replace(outline, pages=len(page_list))
    yield from page_list


def read_rows(rows: list[list[str]], name: str) -> Iterator[Outline | PageText]:
    """Read a table without sheets: it is called like its file."""
    title = name.replace("\\", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0]
    row_cells = (
        Row(number, [Cell(column, text) for column, cell in enumerate(row) if (text := _line(cell))], width=len(row))
        for number, row in enumerate(rows)
    )
    pages = text_flow.number_pages(list(sheet_pages.pages([Sheet(title, row_cells)], name)))
    if not any(page.text.strip() for page in pages):
        raise UnreadableDocument(
            reason=f"{name} contains no text: all its cells are empty.", remedy="Check that it is the right file."
        )
    yield Outline("csv", len(pages))
    yield from pages


# --- binary workbooks ------------------------------------------------------------------------------------------------


def _old_sheets(data: bytes, name: str) -> Iterator[Sheet]:
    """Yield the sheets of a binary workbook, by a library that gives the values as the file holds them."""
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
            is_hidden = entry.visible != python_calamine.SheetVisibleEnum.Visible
            yield Sheet(entry.name, _old_rows(sheet.iter_rows(), start[1]), is_hidden)
    except (UnreadableDocument, MemoryError, GeneratorExit, KeyboardInterrupt, SystemExit):
        raise
    except python_calamine.PasswordError as error:
        raise encrypted_office.password_needed(name) from error
    except BaseException as error:  # a panic of the library is no Exception
        raise damaged_file(name, xlsx.AGAIN) from error


def _old_rows(rows: Any, offset: int) -> Iterator[Row]:
    for number, cells in enumerate(rows):
        row_cells = [
            Cell(column, text)
            for column, cell in enumerate(cells, start=offset)
            if cell != "" and (text := _cell_text(cell))
        ]
        yield Row(number, row_cells)


def _fits(cells: int, name: str) -> None:
    if cells > _AREA:
        raise UnreadableDocument(
            reason=f"{name} has a sheet that spreads over {cells:,} cells; {_AREA:,} is the limit.",
            remedy="Delete the cells that are far away from the others, or save the sheet as CSV text, and add that.",
        )


def _cell_text(cell: Any) -> str:
    match cell:
        case bool():
            return "TRUE" if cell else "FALSE"
        case float():
            return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
        case datetime.datetime():
            return cell.isoformat(" ") if cell.time() != datetime.time() else cell.date().isoformat()
        case datetime.timedelta():
            total = int(cell.total_seconds())
            seconds = abs(total)
            return f"{'-' if total < 0 else ''}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        case datetime.date() | datetime.time():
            return cell.isoformat()
        case _:
            return _line(str(cell))


def _line(text: str) -> str:
    return " ".join(plain_text.clean(text).replace("\f", " ").split())


def _binary_sheets(package: zipfile.ZipFile, name: str) -> Iterator[str]:
    """Yield the parts that the library reads; refuses a sheet of a few cells that are far apart."""
    for part in package.namelist():
        if part.startswith("xl/worksheets/") and part.endswith(".bin"):
            _fits(_spread_of_records(raw_part(package, part, name) or b""), name)
            yield part


def _spread_of_records(data: bytes) -> int:
    """Count the same for the binary form: records of a number and a length, each in seven bits a byte."""
    offset = row = 0
    top = left = 1 << 32
    bottom = right = -1
    while offset + 1 < len(data):
        kind = data[offset]
        offset += 1
        if kind & 0x80:
            kind, offset = kind & 0x7F | (data[offset] & 0x7F) << 7, offset + 1
        length = shift = 0
        while offset < len(data):
            byte, offset = data[offset], offset + 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80 or shift > 21:
                break
        if kind == 0:
            row = int.from_bytes(data[offset : offset + 4], "little")
        elif 2 <= kind <= 11:  # a cell that is not empty
            column = int.from_bytes(data[offset : offset + 4], "little")
            top, bottom, left, right = min(top, row), max(bottom, row), min(left, column), max(right, column)
        offset += length
    return (bottom - top + 1) * (right - left + 1) if bottom >= 0 else 0
