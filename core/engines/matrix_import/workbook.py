"""XLSX workbooks as grids of texts.

A workbook is read from its XML parts one by one, each unpacked under a count, so that a small file cannot become a
large one; nothing but plain cells is looked at.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from core.engines.matrix_import import import_log
from core.engines.matrix_import.tables import MAX_COLUMNS, MAX_LINES, MAX_PLACES, Grid, matrix_of, without_apostrophe
from core.engines.readers.ooxml_package import ARCHIVE_ERRORS, check_package
from core.errors import UnreadableDocument
from core.ports import MatrixFile

_MAX_PARTS = 5_000
_MAX_SHEETS = 60
_MAX_MARKS = 1_600_000  # '<' in one XML part: bounds what parsing it takes
_ARCHIVE_ERRORS = (*ARCHIVE_ERRORS, RuntimeError, ValueError, KeyError)


def read_workbook(data: bytes, name: str, choose: str) -> MatrixFile:
    """Read a matrix in one sheet of a workbook. Raises BadInput; SeveralMatrices where several sheets hold one."""
    package = _package(data, name)
    names = package.namelist()
    if "xl/workbook.xml" not in names:
        if "mimetype" in names and b"opendocument.spreadsheet" in data[:200]:
            raise import_log.bad(f"{name} is an OpenDocument table.", import_log.SAVE)
        what = "an office file" if any(part.endswith(".xml") for part in names) else "an archive"
        raise import_log.bad(
            f"{name} is {what} without a workbook, not a matrix that the program can read.",
            "Import the file with the matrix itself: XLSX, CSV, .achz or JSON.",
        )
    left = [import_log.MAX_UNPACKED_BYTES]
    sheets, epoch_1904 = _sheets(package, name, left)
    strings = _shared_strings(package, name, left)
    grids: dict[str, Grid] = {}
    for title, part in sheets:
        grids[title] = _grid(_part(package, part, name, left), strings, name)
    comments = any(re.match(r"xl/(comments|threadedComments)", part) for part in package.namelist())
    return matrix_of(grids, name, choose, "XLSX workbook", epoch_1904=epoch_1904, comments=comments)


def _package(data: bytes, name: str) -> zipfile.ZipFile:
    """Open the archive, if its directory shows nothing odd."""
    if data.count(b"PK\x01\x02") > _MAX_PARTS:
        raise import_log.too_large(name)
    try:
        return check_package(data, name)
    except UnreadableDocument as error:
        remedy = "Open it in a spreadsheet program, save a copy as XLSX without a password, and import that."
        raise import_log.bad(error.sentence, remedy) from error


def _part(package: zipfile.ZipFile, part: str, name: str, left: list[int]) -> bytes:
    """Unpack one part, under a count over all of them. Raises BadInput."""
    content = bytearray()
    try:
        with package.open(part) as stream:
            while more := stream.read(min(1 << 20, left[0] - len(content) + 1)):
                content += more
                if len(content) > left[0]:
                    raise import_log.too_large(name)
    except _ARCHIVE_ERRORS as error:
        raise import_log.damaged_file(name, "a part of it cannot be unpacked") from error
    left[0] -= len(content)
    xml = bytes(content)
    head = xml.replace(b"\0", b"") if b"\0" in xml[:400] else xml
    if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
        raise import_log.bad(
            f"{name} declares XML entities, which a workbook never needs; it may be malicious.",
            "Check where the file comes from; a spreadsheet program can save it again.",
        )
    if head.count(b"<") > _MAX_MARKS:
        raise import_log.too_large(name)
    return xml


def _elements(xml: bytes, name: str, *tags: str) -> Iterator[Any]:
    """Yield the finished elements of these names; what is done with is let go of."""
    from lxml import etree

    stream: BinaryIO = io.BytesIO(xml)
    try:
        walk = etree.iterparse(
            stream,
            events=("end",),
            tag=[f"{{*}}{tag}" for tag in tags],
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
        )
        for _, element in walk:
            yield element
            if tags[0] == etree.QName(element).localname:
                element.clear()
                parent = element.getparent()
                while parent is not None and element.getprevious() is not None:
                    del parent[0]
    except (etree.LxmlError, ValueError, LookupError) as error:
        raise import_log.damaged_file(name, "its XML is not well-formed") from error


def _sheets(package: zipfile.ZipFile, name: str, left: list[int]) -> tuple[list[tuple[str, str]], bool]:
    """Return title and part of each sheet, and whether days are counted from 1904."""
    targets: dict[str, str] = {}
    names = set(package.namelist())
    if "xl/_rels/workbook.xml.rels" in names:
        for relation in _elements(_part(package, "xl/_rels/workbook.xml.rels", name, left), name, "Relationship"):
            if relation.get("TargetMode") != "External":
                target = str(relation.get("Target", ""))
                full = target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")
                targets[str(relation.get("Id", ""))] = full
    sheets: list[tuple[str, str]] = []
    epoch = False
    for element in _elements(_part(package, "xl/workbook.xml", name, left), name, "sheet", "workbookPr"):
        if element.tag.endswith("workbookPr"):
            epoch = str(element.get("date1904", "")).lower() in ("1", "true")
            continue
        relation_id = next((v for k, v in element.attrib.items() if k.endswith("}id")), "")
        part = targets.get(str(relation_id), f"xl/worksheets/sheet{len(sheets) + 1}.xml")
        if part in names:
            sheets.append((" ".join(str(element.get("name", "")).split())[:60] or f"Sheet {len(sheets) + 1}", part))
    if not sheets:
        raise import_log.damaged_file(name, "it has no sheet")
    if len(sheets) > _MAX_SHEETS:
        raise import_log.too_large(name)
    return sheets, epoch


def _shared_strings(package: zipfile.ZipFile, name: str, left: list[int]) -> list[str]:
    part = next((p for p in package.namelist() if p.casefold() == "xl/sharedstrings.xml"), "")
    if not part:
        return []
    return [_text(item) for item in _elements(_part(package, part, name, left), name, "si")]


def _text(item: Any) -> str:
    """Return the text of a shared or inline string: its runs, without what tells how they are read aloud."""
    return "".join(
        t.text or "" for t in item.iter("{*}t") if not any(a.tag.endswith("}rPh") for a in t.iterancestors())
    )


def _grid(xml: bytes, strings: Sequence[str], name: str) -> Grid:
    """Read the cells of a sheet as texts, numbers as they are stored."""
    lines: dict[int, dict[int, str]] = {}
    line = total = 0
    widest = 0
    for row in _elements(xml, name, "row"):
        line = _at_most(row.get("r"), line + 1)
        column = -1
        for cell in row:
            match = re.match(r"([A-Z]{1,3})\d", str(cell.get("r", "")))
            column = _column(match.group(1)) if match else column + 1
            text = _cell(cell, strings)
            if not text:
                continue
            total += len(text)  # a text that many cells share counts each time
            if line > MAX_LINES or column >= MAX_COLUMNS or total > import_log.MAX_UNPACKED_BYTES:
                raise import_log.too_large(name)
            lines.setdefault(line, {})[column] = text
            widest = max(widest, column + 1)
    last = max(lines, default=0)
    if last * widest > MAX_PLACES:
        raise import_log.too_large(name)
    return [[lines.get(n, {}).get(c, "") for c in range(widest)] for n in range(1, last + 1)]


def _at_most(value: str | None, otherwise: int) -> int:
    return int(value) if value is not None and re.fullmatch(r"\d{1,7}", value) else otherwise


def _column(letters: str) -> int:
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - 64
    return column - 1


def _cell(cell: Any, strings: Sequence[str]) -> str:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return without_apostrophe(_text(cell))
    value = next((child.text or "" for child in cell if child.tag.endswith("}v") or child.tag == "v"), "")
    if kind == "s":
        index = int(value) if re.fullmatch(r"\d{1,9}", value) else len(strings)
        return without_apostrophe(strings[index]) if index < len(strings) else ""
    if kind == "b":
        return {"1": "TRUE", "0": "FALSE"}.get(value, value)
    if kind == "n" and value:
        try:
            number = float(value)
        except ValueError:
            return value
        return str(int(number)) if number == int(number) and abs(number) < 1e15 else value
    return without_apostrophe(value)
