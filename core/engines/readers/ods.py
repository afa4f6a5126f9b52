"""Sheets of OpenDocument (ODS): cells as they are shown, and remarks, drawings and headers. Macros never run."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from core.engines.readers import (
    drawing_chart,
    drawing_text,
    number_format,
    package_parts,
    plain_text,
    raised,
    sheet_formulas,
    text_flow,
)
from core.engines.readers.ooxml_package import ARCHIVE_ERRORS, damaged_file, local, value, xml_part
from core.engines.readers.sheet_pages import Cell, Row, Sheet
from core.errors import UnreadableDocument
from core.text import column_letters

_AGAIN = "Open it in a spreadsheet program, save it again, or save it as CSV text, and add that."
_AREA = 20_000_000  # cells of rows that are repeated with what is in them
_SHEETS = 1_000
_COLUMNS = 16_384
_COPIES = 10_000  # of one row that is repeated with what is in it
_ALL_COPIES = 100_000  # of a workbook
_DEPTH = 50  # of spans in spans
_GROUPS = (
    "table-row-group",
    "table-rows",
    "table-header-rows",
    "table-column-group",
    "table-columns",
    "table-header-columns",
)


@dataclass(slots=True)
class _Style:
    is_struck: bool = False
    shift: str = ""  # '+' raises, '-' lowers
    is_hidden: bool = False  # of a sheet
    ink: str = ""
    paper: str = ""
    parent: str = ""
    has_conditions: bool = False  # which may colour a cell


@dataclass(slots=True)
class Book:
    """A workbook whose sheets are read one after the other; ``read`` gathers the parts whose text was taken."""

    package: zipfile.ZipFile
    name: str
    ledger: package_parts.Ledger
    read: set[str] = field(default_factory=set)
    content: Any = None
    look: Any = None
    _styles: dict[str, _Style] = field(default_factory=dict)
    _copies: int = _ALL_COPIES  # of rows, that may still be written

    def sheets(self) -> Iterator[Sheet]:
        """Yield the sheets in their order, hidden ones too. Raises UnreadableDocument where there are none."""
        root = self.content = xml_part(self.package, "content.xml", self.name)
        if root is None:
            raise damaged_file(self.name, _AGAIN)
        look = self.look = xml_part(self.package, "styles.xml", self.name)
        self.read |= {"content.xml", "styles.xml"}
        for part in (look, root):
            for style in part.iter("{*}style") if part is not None else ():
                self._styles[f"{value(style, 'family')} {value(style, 'name')}"] = _style_of(style)
        body = next(root.iter("{*}spreadsheet"), None)
        tables = [item for item in body if local(item) == "table"] if body is not None else []
        if len(tables) > _SHEETS:
            raise UnreadableDocument(
                reason=f"{self.name} has {len(tables):,} sheets; {_SHEETS:,} is the limit.",
                remedy="Split it into several files and add those.",
            )
        headers = list(self._headers(look)) if look is not None else []
        choices = list(_choices(root, tables))
        for table in tables:
            yield self._sheet(table, headers + choices)
            headers, choices = [], []
        for element in body if body is not None else ():
            kinds = {
                "named-expressions": ("name of a range or formula", ("named-range", "named-expression")),
                "tracked-changes": (
                    "change that is tracked",
                    ("cell-content-change", "insertion", "deletion", "movement"),
                ),
                "data-pilot-tables": ("pivot table definition", ("data-pilot-table",)),
                "dde-links": ("link to another program", ("dde-link",)),
            }
            what, tags = kinds.get(local(element), ("", ()))
            count = sum(local(item) in tags for item in element)
            if what and count:
                self.ledger.add(what, "content.xml", count)

    def _sheet(self, table: Any, below: list[text_flow.Piece]) -> Sheet:
        style = self._styles.get(f"table {value(table, 'style-name')}")
        sheet = Sheet(value(table, "name"), (), style is not None and style.is_hidden, below=list(below))
        columns: list[tuple[int, int]] = []
        column = 0
        for element in _inside(table, "table-column"):
            count = _repeats(element, "number-columns-repeated")
            if value(element, "visibility") in ("collapse", "filter"):
                columns.append((column, column + count - 1))
            column += count
        rows: list[tuple[int, int, Any]] = []
        number, spread = 0, 0
        heads: set[int] = set()
        spans_by_row: dict[int, list[tuple[int, int]]] = {}
        for element in _inside(table, "table-row"):
            count = _repeats(element, "number-rows-repeated")
            if any(len(cell) or not _CONTENT.isdisjoint(cell.attrib.keys()) for cell in element):
                copies = min(count - 1, _COPIES, self._copies)
                self._copies -= copies
                self.ledger.add("row that repeats the one above it", f"sheet {sheet.title}", count - 1 - copies)
                width = sum(_repeats(cell, "number-columns-repeated") for cell in _filled(element))
                spread += width * (1 + copies)
                self._fits(spread)
                rows.append((number, 1 + copies, element))
                spans = list(_joined(element))
                if spans:
                    spans_by_row[number] = spans
                if local(element.getparent()) == "table-header-rows":
                    heads.add(number)
                sheet.remarks += self._remarks(element, number)
            number += count
        sheet.heading_rows = frozenset(sorted(heads)[:1]) if len(heads) == 1 else frozenset()
        sheet.wide_cells = spans_by_row
        is_sure = next(table.iter("{*}conditional-format"), None) is None
        sheet.rows = self._rows(rows, columns, sheet.title, is_sure=is_sure)
        for element in table:
            if local(element) == "shapes":
                sheet.below += self._drawings(element)
            elif local(element) in ("title", "desc"):
                words = _line("".join(element.itertext()))
                sheet.below += [text_flow.Piece(f"Table: {words}")] if words else []
        return sheet

    def _fits(self, cells: int) -> None:
        if cells > _AREA:
            raise UnreadableDocument(
                reason=f"{self.name} has a sheet that spreads over {cells:,} cells; {_AREA:,} is the limit.",
                remedy="Delete the cells far away from the others, or save the sheet as CSV text, and add that.",
            )

    def _rows(
        self, rows: list[tuple[int, int, Any]], hidden_columns: list[tuple[int, int]], title: str, *, is_sure: bool
    ) -> Iterator[Row]:
        formulas = sheet_formulas.Formulas()
        for number, count, element in rows:
            cells = list(self._cells(element, number, hidden_columns, formulas, is_sure=is_sure))
            if not cells:
                continue
            is_hidden = value(element, "visibility") in ("collapse", "filter")
            for index in range(number, number + count):
                yield Row(index, cells, is_hidden)
        formulas.finish(title, self.ledger)

    def _cells(
        self,
        row: Any,
        number: int,
        hidden_columns: list[tuple[int, int]],
        formulas: sheet_formulas.Formulas,
        *,
        is_sure: bool,
    ) -> Iterator[Cell]:
        column = 0
        for element in row:
            if local(element) not in ("table-cell", "covered-table-cell"):
                continue
            count = _repeats(element, "number-columns-repeated")
            text, struck_spans = self._shown(element)
            if value(element, "formula"):
                is_calculated = not text.endswith(sheet_formulas.NOT_CALCULATED)
                formulas.add(value(element, "formula"), number, column, is_calculated=is_calculated)
            reason = "unseen" if local(element) == "covered-table-cell" else ""
            if is_sure and not reason and text and self._is_unseen(value(element, "style-name")):
                reason = "colour"
            for index in range(column, column + count) if text else ():
                is_hidden = any(first <= index <= last for first, last in hidden_columns)
                yield Cell(index, text, "unseen" if is_hidden else reason, struck_spans)
            column += count

    def _is_unseen(self, name: str) -> bool:
        """Return whether a style writes in the colour of what is behind; what it does not state, those above it do."""
        ink = paper = ""
        for _ in range(_DEPTH):
            style = self._styles.get(f"table-cell {name}")
            if style is None or style.has_conditions:
                break
            ink, paper, name = ink or style.ink, paper or style.paper, style.parent
        else:
            return False
        has_conditions = style is not None and style.has_conditions
        return bool(ink) and not has_conditions and ink == (_WHITE if paper in ("", "transparent") else paper)

    def _shown(self, cell: Any) -> tuple[str, tuple[tuple[int, int], ...]]:
        """Return the text that a cell shows, and its struck spans."""
        style = self._styles.get(f"table-cell {value(cell, 'style-name')}", _PLAIN)
        out = text_flow.Flow()
        for element in _paragraphs(cell):
            out.gap(" ")
            self._write(out, element, style, 0)
        piece = out.piece()
        text = piece.text
        if not text.strip():
            raw = value(cell, "value") or value(cell, "date-value") or value(cell, "time-value")
            raw = raw or value(cell, "string-value") or value(cell, "boolean-value").upper()
            formula = value(cell, "formula")
            if raw and value(cell, "value-type") not in ("string", ""):
                return number_format.general(raw) if value(cell, "value") else raw, ()
            if formula and not raw:
                return f"={formula.partition(':=')[2] or formula} {sheet_formulas.NOT_CALCULATED}"[:1_000], ()
            return _line(raw), ()
        if piece.struck_spans:
            return text.replace("\n", " "), piece.struck_spans
        return _line(text), ()

    def _write(self, out: text_flow.Flow, element: Any, style: _Style, depth: int) -> None:
        """Write the words of a paragraph or span, raised and lowered characters as such."""

        def put(text: str) -> None:
            if style.shift:
                text = raised.raised(text) if style.shift == "+" else raised.lowered(text)
            out.write(text, is_struck=style.is_struck)

        put(re.sub(r"\s+", " ", element.text or ""))
        for item in element:
            match local(item):
                case "s":
                    put(" " * min(100, int(value(item, "c")) if value(item, "c").isdigit() else 1))
                case "tab" | "line-break":
                    put(" ")
                case "annotation" | "frame" | "custom-shape" | "note":
                    pass
                case _ if depth < _DEPTH:
                    item_style = self._styles.get(f"text {value(item, 'style-name')}", _PLAIN)
                    nearer = _Style(item_style.is_struck or style.is_struck, item_style.shift or style.shift)
                    self._write(out, item, nearer, depth + 1)
            put(re.sub(r"\s+", " ", item.tail or ""))

    # --- what is beside the cells ---

    def _remarks(self, row: Any, number: int) -> Iterator[tuple[int, text_flow.Piece]]:
        """Yield the comments and drawings of the cells of a row."""
        column = 0
        for cell in row:
            for item in _beside(cell):
                if local(item) == "annotation":
                    who = next((" ".join((part.text or "").split()) for part in item if local(part) == "creator"), "")
                    words = _line(" ".join("".join(part.itertext()) for part in item if local(part) in ("p", "list")))
                    by = f" by {plain_text.clean(who)}" if who else ""
                    if words:
                        place = f"{column_letters(column)}{number + 1}"
                        yield number, text_flow.Piece(f"{place}, comment{by}: {words}")
                elif local(item) in _DRAWN:
                    yield from ((number, piece) for piece in self._drawing(item))
            column += _repeats(cell, "number-columns-repeated")

    def _drawings(self, shapes: Any) -> Iterator[text_flow.Piece]:
        for shape in shapes:
            yield from self._drawing(shape)

    def _drawing(self, shape: Any) -> Iterator[text_flow.Piece]:
        """Yield the words in and about a drawing, and the charts in it."""
        words = [_line("".join(p.itertext())) for p in shape.iter("{*}p") if not any(_outside(p, shape))]
        text = "\n".join(filter(None, words))
        if text:
            yield text_flow.Piece(f"Text box: {text}")
        for element in shape.iter("{*}title", "{*}desc"):
            about = _line("".join(element.itertext()))
            if about:
                yield text_flow.Piece(f"Picture: {about}")
        for element in shape.iter("{*}object"):
            part = re.sub(r"^\./", "", value(element, "href")).rstrip("/")
            piece = self._chart(f"{part}/content.xml") if part and "//" not in part else None
            if piece is not None:
                yield piece

    def _chart(self, part: str) -> text_flow.Piece | None:
        try:
            root = xml_part(self.package, part, self.name)
        except (*ARCHIVE_ERRORS, etree.LxmlError, ValueError, UnreadableDocument):
            self.ledger.add("damaged part", part)
            root = None
        if root is None or next(root.iter("{*}chart"), None) is None:
            return None
        self.read.add(part)
        return drawing_text.chart_text(drawing_chart.of_open_document(root))

    def _headers(self, look: Any) -> Iterator[text_flow.Piece]:
        """Yield the words of headers and footers that are no field of a page, file or sheet."""
        lines = set()
        for element in look.iter("{*}header", "{*}footer", "{*}header-left", "{*}footer-left"):
            label = "Footer" if local(element).startswith("footer") else "Header"
            words = " · ".join(filter(None, (_own_words(p) for p in element.iter("{*}p"))))
            if re.sub(r"\bPage\b|[\W\d_]", "", words) and (label, words) not in lines:
                lines.add((label, words))
                yield text_flow.Piece(f"{label}: {words}")


_PLAIN = _Style()
_WHITE = "#ffffff"
_DRAWN = ("frame", "custom-shape", "rect", "ellipse", "g", "control", "caption", "line", "polygon", "path", "connector")
_CONTENT = frozenset(
    f"{{urn:oasis:names:tc:opendocument:xmlns:{space}:1.0}}{name}"
    for space, name in (
        ("office", "value"), ("office", "string-value"), ("office", "date-value"), ("office", "time-value"),
        ("office", "boolean-value"), ("table", "formula"), ("table", "number-columns-spanned"),
    )
)  # fmt: skip
_FIELDS = frozenset(
    {"sheet-name", "page-number", "page-count", "date", "time", "file-name", "title", "modification-date"}
)


def _style_of(style: Any) -> _Style:
    result = _Style(parent=value(style, "parent-style-name"))
    for part in style:
        match local(part):
            case "map":
                result.has_conditions = True
            case "table-cell-properties":
                result.paper = value(part, "background-color").lower()
            case "text-properties":
                result.ink = value(part, "color").lower()
                result.is_struck = value(part, "text-line-through-style") not in ("", "none")
                result.is_struck |= value(part, "text-line-through-type") not in ("", "none")
                position = value(part, "text-position").split()
                if position and position[0] not in ("0%", "0"):
                    result.shift = "-" if position[0].startswith(("sub", "-")) else "+"
            case "table-properties":
                result.is_hidden = value(part, "display") == "false"
    return result


def _paragraphs(cell: Any) -> Iterator[Any]:
    """Yield the paragraphs of a cell, those in lists and tables too, but none of a remark or drawing."""
    for element in cell:
        if local(element) in ("p", "h"):
            yield element
        elif local(element) not in ("annotation", *_DRAWN) and len(element):
            yield from _paragraphs(element)


def _beside(cell: Any) -> Iterator[Any]:
    """Yield the remarks and drawings of a cell."""
    for element in cell:
        if local(element) in ("annotation", *_DRAWN):
            yield element
        elif len(element):
            yield from _beside(element)


def _inside(table: Any, tag: str) -> Iterator[Any]:
    """Yield the rows or columns of a table, those in groups too."""
    for element in table:
        if local(element) == tag:
            yield element
        elif local(element) in _GROUPS:
            yield from _inside(element, tag)


def _filled(row: Any) -> list[Any]:
    return [cell for cell in row if len(cell) or not _CONTENT.isdisjoint(cell.attrib.keys())]


def _joined(row: Any) -> Iterator[tuple[int, int]]:
    """Yield the first and last column of each cell that is as wide as several."""
    column = 0
    for cell in row:
        wide = _repeats(cell, "number-columns-spanned")
        if 1 < wide <= _COLUMNS:
            yield column, column + wide - 1
        column += _repeats(cell, "number-columns-repeated")


def _repeats(element: Any, what: str) -> int:
    text = value(element, what)
    return int(text) if text.isdigit() and len(text) < 9 else 1


def _outside(element: Any, shape: Any) -> Iterator[bool]:
    """Yield True for a paragraph that belongs to a comment or a chart inside the drawing."""
    for above in element.iterancestors():
        if above is shape:
            return
        if local(above) in ("annotation", "object", "desc", "title"):
            yield True


def _own_words(paragraph: Any) -> str:
    parts = [paragraph.text or ""]
    for element in paragraph.iter():
        if element is not paragraph:
            parts.append("" if local(element) in _FIELDS else element.text or "")
            parts.append(element.tail or "")
    return _line("".join(parts))


def _choices(root: Any, tables: list[Any]) -> Iterator[text_flow.Piece]:
    """Yield what cells that are filled in by choice offer, and what they tell who fills them in."""
    places: dict[str, str] = {}  # of the sheet that has such cells: the stated place may be in another
    for table in tables:
        for cell in table.iter("{*}table-cell"):
            if value(cell, "content-validation-name"):
                places.setdefault(value(cell, "content-validation-name"), value(table, "name"))
    for element in root.iter("{*}content-validation"):
        stated = value(element, "base-cell-address")
        sheet = places.get(value(element, "name"), "")
        place = stated if not sheet or stated.rpartition(".")[0].strip("$'") == sheet else sheet
        match = re.search(r"is-in-list\((.*)\)", value(element, "condition"))
        if match and '"' in match.group(1):
            yield text_flow.Piece(f"{place}, choices: {_line(match.group(1).replace(chr(34), '').replace(';', ', '))}")
        for message in element:
            if local(message) in ("help-message", "error-message"):
                words = _line(" ".join("".join(p.itertext()) for p in message.iter("{*}p")))
                title = _line(value(message, "title"))
                words = ". ".join(filter(None, (title, words)))
                if words:
                    yield text_flow.Piece(f"{place}, {local(message).partition('-')[0]}: {words}")


def _line(text: str) -> str:
    return " ".join(plain_text.clean(text).replace("\f", " ").split())
