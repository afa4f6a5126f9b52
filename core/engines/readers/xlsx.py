"""Workbooks of Office Open XML (XLSX, XLSM): cells as they are shown, and remarks, drawings and headers.

Formulas and macros never run: the value that the file holds is read, and a formula without one is named.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
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
    sheet_ledger,
    text_flow,
)
from core.engines.readers.ooxml_package import (
    ARCHIVE_ERRORS,
    child,
    damaged_file,
    hostile,
    local,
    raw_part,
    related_parts,
    relation_id,
    value,
    xml_of,
    xml_part,
)
from core.engines.readers.sheet_pages import Cell, Row, Sheet
from core.errors import UnreadableDocument
from core.text import CELL_BORDER

AGAIN = "Open it in a spreadsheet program, save it again, or save it as CSV text, and add that."
_MOST_COLUMNS, _MOST_ROWS = 16_384, 1_048_576
_SHEETS = 1_000
_WHITE = "FFFFFF"

Rich = tuple[str, tuple[tuple[int, int], ...]]  # a text and the spans of it that are struck


@dataclass(slots=True)
class _Style:
    """The look of a cell: its number format, whether and why it is not seen, struck, raised ('+') or lowered ('-')."""

    code: str = "General"
    reason: str = ""
    is_struck: bool = False
    shift: str = ""


@dataclass(slots=True)
class Book:
    """A workbook whose sheets are read one after the other; ``read`` gathers the parts whose text was taken."""

    package: zipfile.ZipFile
    name: str
    ledger: package_parts.Ledger
    read: set[str] = field(default_factory=set)
    strings: list[Rich] = field(default_factory=list)
    styles: list[_Style] = field(default_factory=list)
    persons: dict[str, str] = field(default_factory=dict)
    since_1904: bool = False
    shown_strings: set[int] = field(default_factory=set)

    def sheets(self) -> Iterator[Sheet]:
        """Yield the sheets in their order, hidden ones too. Raises UnreadableDocument where there is no workbook."""
        main = _main_part(self.package, self.name)
        root = xml_part(self.package, main, self.name)
        if root is None:
            raise damaged_file(self.name, AGAIN)
        self.read.add(main)
        targets = related_parts(self.package, self.name, main)
        properties = child(root, "workbookPr")
        self.since_1904 = properties is not None and value(properties, "date1904") in ("1", "true")
        for kind, part in targets.values():
            match kind:
                case "sharedStrings":
                    self.strings = self._try(part, self._strings) or []
                case "styles":
                    self.styles = self._try(part, self._styles) or []
                case "person":
                    self.persons = self._try(part, self._persons) or {}
        sheet_list = child(root, "sheets")
        entries = list(sheet_list) if sheet_list is not None else []
        if len(entries) > _SHEETS:
            raise UnreadableDocument(
                reason=f"{self.name} has {len(entries):,} sheets; {_SHEETS:,} is the limit.",
                remedy="Split it into several files and add those.",
            )
        for entry in entries:
            kind, part = targets.get(relation_id(entry), ("", ""))
            title, state = value(entry, "name"), value(entry, "state")
            sheet = Sheet(title, (), state not in ("", "visible"))
            if kind == "worksheet":
                self._worksheet(sheet, part)
            elif kind in ("chartsheet", "dialogsheet"):
                self._drawings(sheet, part)
                if not sheet.below:
                    continue
                self.read.add(part)
            else:
                if kind:
                    self.ledger.add("macro sheet" if "acro" in kind else "sheet that is missing", f"sheet {title}")
                    self.read.add(part)
                else:
                    self.ledger.add("sheet that is missing", f"sheet {title}")
                continue
            yield sheet
        unshown = sum(bool(words) for index, (words, _) in enumerate(self.strings) if index not in self.shown_strings)
        self.ledger.add("text that no cell shows", "xl/sharedStrings.xml", unshown)
        names = list(self._defined_names(root))
        if names:
            yield Sheet("Names", (), below=[text_flow.Piece("\n".join(names))])

    def _try(self, part: str, reading: Callable[[bytes], Any]) -> Any:
        """Read a part, or name it in the ledger and return None if it cannot be read."""
        try:
            data = raw_part(self.package, part, self.name)
            if data is None:
                return None
            result = reading(data)
        except UnreadableDocument as error:
            if "entities" in str(error):
                raise
            self.ledger.add("damaged part", part)
        except (*ARCHIVE_ERRORS, etree.LxmlError, ValueError, KeyError, RecursionError):
            self.ledger.add("damaged part", part)
        else:
            self.read.add(part)
            return result
        self.read.add(part)
        return None

    # --- shared strings, styles, persons ---

    def _strings(self, data: bytes) -> list[Rich]:
        strings: list[Rich] = []
        readings = 0
        for item in _elements(data, self.name, ("si",)):
            strings.append(_rich(item))
            readings += child(item, "rPh") is not None
            _drop(item)
        self.ledger.add("reading of characters", "xl/sharedStrings.xml", readings)
        return strings

    def _persons(self, data: bytes) -> dict[str, str]:
        root = xml_of(data, self.name)
        return {value(person, "id"): " ".join(value(person, "displayName").split()) for person in root}

    def _styles(self, data: bytes) -> list[_Style]:
        parts = {local(part): part for part in xml_of(data, self.name)}
        codes = {
            int(value(node, "numFmtId")): value(node, "formatCode")
            for node in parts.get("numFmts", ())
            if value(node, "numFmtId").isdigit()
        }
        fonts = list(parts.get("fonts", ()))
        inks = [_colour(child(font, "color"), "000000") for font in fonts]
        grounds = []
        for fill in parts.get("fills", ()):
            pattern = child(fill, "patternFill")
            kind = "gradient" if pattern is None else value(pattern, "patternType") or "none"
            solid = _colour(child(pattern, "fgColor"), "") if kind == "solid" else ""
            grounds.append(_WHITE if kind == "none" else solid)
        styles = []
        for node in parts.get("cellXfs", ()):
            style = _Style()
            number, font, fill = (value(node, "numFmtId"), value(node, "fontId") or "0", value(node, "fillId") or "0")
            if number.isdigit() and len(number) < 6:
                style.code = number_format.code_of(int(number), codes) or "General"
            index = int(font) if font.isdigit() and len(font) < 6 else -1
            ink = inks[index] if 0 <= index < len(inks) else ""
            ground = grounds[int(fill)] if fill.isdigit() and len(fill) < 6 and int(fill) < len(grounds) else ""
            if style.code.replace(" ", "") == ";;;":
                style.reason = "unseen"
            elif ink and ink == ground:
                style.reason = "colour"
            if 0 <= index < len(fonts):
                style.is_struck = _is_on(child(fonts[index], "strike"))
                style.shift = _shift(fonts[index])
            styles.append(style)
        return styles

    # --- worksheets ---

    def _worksheet(self, sheet: Sheet, part: str) -> None:
        data = raw_part(self.package, part, self.name)
        self.read.add(part)
        if data is None:
            self.ledger.add("sheet that is missing", f"sheet {sheet.title}")
            return
        if b"\0" in data[:200]:  # UTF-16
            data = etree.tostring(xml_of(data, self.name))
        if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
            raise hostile(self.name, "its XML declares entities")
        sheet.wide_cells = _merged(data)
        sheet.heading_rows = frozenset(_heading_rows(data)) | self._table_heads(part)
        # A table's style, or a condition, may colour what is behind a cell; then its own colours prove nothing.
        is_sure = b"tablePart" not in data and b"conditionalFormatting" not in data
        self._beside(sheet, part)
        sheet.rows = self._rows(sheet, data, is_sure=is_sure)

    def _rows(self, sheet: Sheet, data: bytes, *, is_sure: bool) -> Iterator[Row]:
        hidden_columns = _hidden_columns(data)
        styles = [style if is_sure or style.reason != "colour" else _plain(style) for style in self.styles]
        formulas = sheet_formulas.Formulas()
        number = -1
        try:
            for element in _elements(data, self.name, ("row", "headerFooter", "dataValidation", *sheet_ledger.TAGS)):
                tag = local(element)
                if tag == "row":
                    number_text = element.get("r") or ""
                    number = (
                        int(number_text) - 1
                        if number_text.isdigit() and 0 < int(number_text[:9]) <= _MOST_ROWS
                        else number + 1
                    )
                    cells = list(self._cells(element, number, styles, hidden_columns, formulas))
                    if cells:
                        yield Row(number, cells, element.get("hidden") in ("1", "true", "on"))
                elif tag == "headerFooter":
                    sheet.below[:0] = _headers(element)
                elif tag == "dataValidation":
                    sheet.below += _choices(element)
                sheet_ledger.count(element, sheet.title, self.ledger)
                _drop(element)
        except etree.LxmlError:
            self.ledger.add("damaged rest of a sheet", f"sheet {sheet.title}")
        formulas.finish(sheet.title, self.ledger)

    def _cells(
        self,
        row: Any,
        number: int,
        styles: list[_Style],
        hidden_columns: list[tuple[int, int]],
        formulas: sheet_formulas.Formulas,
    ) -> Iterator[Cell]:
        column = -1
        for element in row:
            if not len(element):
                column = _column(element.get("r") or "", column)
                continue
            column = _column(element.get("r") or "", column)
            look = element.get("s") or "0"
            index = int(look) if look.isdigit() and len(look) < 7 else 0
            style = styles[index] if index < len(styles) else _NORMAL
            text, struck_spans, is_unseen = self._value(element, style)
            formula = child(element, "f")
            if formula is not None:
                is_calculated = not text.endswith(sheet_formulas.NOT_CALCULATED)
                formulas.add(formula.text or "", number, column, is_calculated=is_calculated)
            if not text:
                continue
            reason = style.reason or ("unseen" if is_unseen else "")
            if hidden_columns and any(first <= column <= last for first, last in hidden_columns):
                reason = "unseen"
            if style.is_struck:
                struck_spans = ((0, len(text)),)
            yield Cell(column, text, reason, struck_spans)

    def _value(self, element: Any, style: _Style) -> tuple[str, tuple[tuple[int, int], ...], bool]:
        """Return the text that a cell shows, its struck spans, and whether its format shows nothing of it."""
        content = formula = inline = None
        for part in element:
            tag = part.tag
            if tag.endswith("}v"):
                content = part
            elif tag.endswith("}f"):
                formula = part
            elif tag.endswith("}is"):
                inline = part
        kind = element.get("t") or "n"
        if inline is not None:
            text, spans = _rich(inline)
            return text, spans, False
        raw = (content.text or "") if content is not None else ""
        if kind == "s":
            index = int(raw) if raw.strip().isdigit() and len(raw) < 10 else -1
            text, spans = self.strings[index] if 0 <= index < len(self.strings) else ("", ())
            self.shown_strings.add(index)
            if style.shift:
                return _shifted(text, style.shift), spans, False
            shown = number_format.text_shown(text, style.code) if text else ""
            lead = max(0, shown.find(text))  # words that the format puts before the text
            return shown, tuple((start + lead, end + lead) for start, end in spans), False
        if formula is not None and not raw and kind != "str":
            words = " ".join((formula.text or "").split())[:1_000]
            return (f"={words}" if words else "formula") + f" {sheet_formulas.NOT_CALCULATED}", (), False
        if not raw:
            return "", (), False
        match kind:
            case "b":
                return ("TRUE" if raw.strip() == "1" else "FALSE"), (), False
            case "e":
                return _clean(raw), (), False
            case "str":
                return number_format.text_shown(_clean(raw), style.code), (), False
            case "d":
                return number_format.iso_shown(raw, style.code).replace("T", " "), (), False
        words = number_format.shown(raw, style.code, since_1904=self.since_1904)
        if not words:
            return _clean(number_format.general(raw)), (), True
        return (_shifted(words, style.shift) if style.shift else _clean(words)), (), False

    # --- what is beside the cells ---

    def _table_heads(self, part: str) -> frozenset[int]:
        rows = []
        for kind, target in related_parts(self.package, self.name, part).values():
            root = self._try(target, lambda data: xml_of(data, self.name)) if kind == "table" else None
            place = re.match(r"\$?[A-Z]{1,3}\$?(\d{1,7})", value(root, "ref")) if root is not None else None
            if place and value(root, "headerRowCount") != "0":
                rows.append(int(place.group(1)) - 1)
        return frozenset(rows)

    def _beside(self, sheet: Sheet, part: str) -> None:
        relations = related_parts(self.package, self.name, part)
        threads: dict[str, list[str]] = {}  # what is said in each cell
        for kind, target in relations.values():
            if kind == "threadedComment":
                sheet.remarks += self._try(target, lambda data: self._threads(data, threads)) or []
        for kind, target in relations.values():
            if kind == "comments":
                sheet.remarks += self._try(target, lambda data: list(self._comments(data, threads))) or []
        self._drawings(sheet, part)

    def _comments(self, data: bytes, threads: dict[str, list[str]]) -> Iterator[tuple[int, text_flow.Piece]]:
        authors: list[str] = []
        for element in xml_of(data, self.name).iter():
            match local(element):
                case "author":
                    authors.append(" ".join((element.text or "").split()))
                case "comment":
                    place = _PLACE.fullmatch(value(element, "ref"))
                    text = child(element, "text")
                    words, struck_spans = _rich(text) if text is not None else ("", ())
                    # For programs that know no threads, Excel writes all that is said in a cell once more.
                    flat = " ".join(words.split())
                    if not (place and words) or any(
                        message in flat for message in threads.get(value(element, "ref"), ())
                    ):
                        continue
                    by = int(value(element, "authorId")) if value(element, "authorId").isdigit() else -1
                    who = f" by {_clean(authors[by])}" if 0 <= by < len(authors) and authors[by] else ""
                    body = text_flow.Piece(words, struck_spans=struck_spans)
                    yield int(place.group(2)) - 1, drawing_text.named(f"{''.join(place.groups())}, comment{who}", body)

    def _threads(self, data: bytes, threads: dict[str, list[str]]) -> list[tuple[int, text_flow.Piece]]:
        remarks = []
        for element in xml_of(data, self.name).iter("{*}threadedComment"):
            place = _PLACE.fullmatch(value(element, "ref"))
            text = child(element, "text")
            words = _clean("".join(text.itertext())) if text is not None else ""
            if not (place and words):
                continue
            threads.setdefault(value(element, "ref"), []).append(" ".join(words.split()))
            who = self.persons.get(value(element, "personId"), "")
            what = "reply" if value(element, "parentId") else "comment"
            when = value(element, "dT")[:16].replace("T", " ")
            label = (
                f"{''.join(place.groups())}, {what}{f' by {_clean(who)}' if who else ''}{f' ({when})' if when else ''}"
            )
            remarks.append((int(place.group(2)) - 1, text_flow.Piece(f"{label}: {words}")))
        return remarks

    def drawings(self, part: str) -> list[text_flow.Piece]:
        """Return the words of the drawings and charts of a sheet that is read elsewhere."""
        sheet = Sheet("", ())
        self._drawings(sheet, part)
        return sheet.below

    def _drawings(self, sheet: Sheet, part: str) -> None:
        for kind, target in related_parts(self.package, self.name, part).values():
            if kind == "drawing":
                sheet.below += self._try(target, partial(self._drawing, part=target)) or []
            elif kind == "vmlDrawing":
                sheet.below += self._try(target, lambda data: list(_old_boxes(data, self.name))) or []

    def _drawing(self, data: bytes, part: str) -> list[text_flow.Piece]:
        return list(self._of_drawing(data, part))

    def _of_drawing(self, data: bytes, part: str) -> Iterator[text_flow.Piece]:
        relations = related_parts(self.package, self.name, part)
        for shape in drawing_text.shapes(xml_of(data, self.name)):
            reason = "unseen" if drawing_text.is_hidden(shape) else ""
            body = child(shape, "txBody")
            text = drawing_text.body_text(body) if body is not None else text_flow.Piece("")
            if text.text:
                yield drawing_text.named("Text box", text, reason=reason)
            words = drawing_text.described(shape)
            if words:
                what = "Picture" if local(shape) == "pic" else "Drawing"
                yield drawing_text.named(what, text_flow.Piece(_clean(words)), reason=reason)
            for relation in drawing_text.relation_ids(shape):
                kind, target = relations.get(relation, ("", ""))
                yield from self._drawn(kind, target, reason)

    def _drawn(self, kind: str, part: str, reason: str) -> Iterator[text_flow.Piece]:
        piece = None
        match kind:
            case "chart" | "chartEx":
                piece = self._try(part, self._chart)
            case "diagramData":
                words = self._try(part, lambda data: drawing_text.diagram_text(xml_of(data, self.name)))
                piece = drawing_text.named("Diagram", words) if words is not None and words.text else None
        if piece is not None and piece.text:
            yield piece if not reason else text_flow.Piece(piece.text, ((0, len(piece.text), reason),))

    def _chart(self, data: bytes) -> text_flow.Piece:
        return drawing_text.chart_text(drawing_chart.chart(data, self.name))

    def _defined_names(self, root: Any) -> Iterator[str]:
        """Yield the names of words or numbers, and count those of cells or formulas."""
        entries = child(root, "definedNames")
        for entry in entries if entries is not None else ():
            title, text = value(entry, "name"), " ".join((entry.text or "").split())[:1_000]
            if not text or title.startswith("_xlnm."):
                continue
            if re.fullmatch(r'"[^"]*"|[-+]?\d[\d.,]*|TRUE|FALSE', text):
                yield f"{_clean(title)}: {_clean(text.strip(chr(34)))}"
            else:
                self.ledger.add("name of a range or formula", "names")


_NORMAL = _Style()
_PLACE = re.compile(r"([A-Z]{1,3})(\d{1,7})")


def _main_part(package: zipfile.ZipFile, name: str) -> str:
    main = next((part for kind, part in related_parts(package, name, "").values() if kind == "officeDocument"), "")
    return main or "xl/workbook.xml"


def _elements(data: bytes, name: str, tags: tuple[str, ...]) -> Iterator[Any]:
    """Yield elements of a large part as they end; the caller drops each."""
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise hostile(name, "its XML declares entities")
    context = etree.iterparse(
        io.BytesIO(data),
        events=("end",),
        tag=[f"{{*}}{tag}" for tag in tags],
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    for _, element in context:
        yield element


def _drop(element: Any) -> None:
    """Free an element that was read, and those before it."""
    element.clear()
    parent = element.getparent()
    while parent is not None and parent[0] is not element:
        del parent[0]


def _clean(text: str) -> str:
    return " ".join(plain_text.clean(text).replace("\f", " ").split())


def _rich(item: Any) -> Rich:
    """Return the words of a string of runs: raised and lowered as such, with the spans that are struck."""
    parts: list[str] = []
    struck_spans: list[tuple[int, int]] = []
    is_plain = True
    length = 0
    for run in item:
        tag = local(run)
        if tag == "t":
            words = run.text or ""
            look = None
        elif tag == "r":
            words = "".join(text.text or "" for text in run if local(text) == "t")
            look = child(run, "rPr")
        else:
            continue
        words = plain_text.clean(words).replace("\f", " ")
        if look is not None:
            words = _shifted(words, _shift(look))
            if words.strip() and _is_on(child(look, "strike")):
                is_plain = False
                struck_spans.append((length, length + len(words)))
        parts.append(words)
        length += len(words)
    text = "".join(parts)
    return (" ".join(text.split()), ()) if is_plain else (text, tuple(struck_spans))


def _is_on(element: Any) -> bool:
    return element is not None and value(element, "val") not in ("0", "false", "off")


def _shift(look: Any) -> str:
    """Return whether a font raises ('+') or lowers ('-') its characters."""
    align = child(look, "vertAlign")
    return {"superscript": "+", "subscript": "-"}.get(value(align, "val"), "") if align is not None else ""


def _shifted(text: str, shift: str) -> str:
    return raised.raised(text) if shift == "+" else raised.lowered(text) if shift == "-" else text


def _plain(style: _Style) -> _Style:
    return _Style(style.code, "", style.is_struck, style.shift)


def _column(reference: str, previous: int) -> int:
    """Return the column of a cell, counted from 0; the next one where the cell does not state its place."""
    across = 0
    for letter in reference[:4]:
        if not "A" <= letter <= "Z":
            break
        across = across * 26 + ord(letter) - 64
    return across - 1 if 0 < across <= _MOST_COLUMNS else previous + 1


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


# --- the frame of a sheet, before and behind its rows ----------------------------------------------------------------

_COLUMN = re.compile(rb"<(?:\w+:)?col\b[^>]*>")
_UNSEEN = re.compile(rb"""\bhidden=["'](?:1|true|on)["']""")
_NUMBER = re.compile(rb"""\b(min|max)=["'](\d{1,5})["']""")
_MERGED = re.compile(rb"""<(?:\w+:)?mergeCell\b[^>]*?\bref=["']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})\d{1,7}["']""")
_FILTER = re.compile(rb"""<(?:\w+:)?autoFilter\b[^>]*?\bref=["']\$?[A-Z]{1,3}\$?(\d{1,7})""")


def _hidden_columns(data: bytes) -> list[tuple[int, int]]:
    head = data[: max(0, data.find(b"sheetData"))]
    spans = []
    for column in _COLUMN.finditer(head):
        if _UNSEEN.search(column.group()):
            ends = {key: int(number) for key, number in _NUMBER.findall(column.group())}
            spans.append((ends.get(b"min", 1) - 1, ends.get(b"max", 1) - 1))
    return spans


def _merged(data: bytes) -> dict[int, list[tuple[int, int]]]:
    """Return the cells that are joined across columns, by their first row."""
    spans: dict[int, list[tuple[int, int]]] = {}
    for first, row, last in _MERGED.findall(data):
        span = _column(first.decode(), -1), _column(last.decode(), -1)
        if span[0] < span[1]:
            spans.setdefault(int(row) - 1, []).append(span)
    return spans


def _heading_rows(data: bytes) -> Iterator[int]:
    """Yield the rows that head a list with filters."""
    for row in _FILTER.findall(data):
        yield int(row) - 1


_CODE = re.compile(r'&(?:"[^"]*"|K[0-9A-Fa-f]{6}|K\d\d[+-]\d{3}|\d{1,3}|[BIUESXYHO&])')
_FIELD = {"P": "#", "N": "#", "D": "date", "T": "time", "A": "sheet", "F": "file", "Z": "path", "G": "picture"}


def _headers(element: Any) -> Iterator[text_flow.Piece]:
    """Yield the words of headers and footers: left, centre and right, without the codes of their look."""
    lines = set()
    for part in element:
        label = "Footer" if "ooter" in local(part) else "Header"
        line = header_line(part.text or "")
        if line and (label, line) not in lines:
            lines.add((label, line))
            yield text_flow.Piece(f"{label}: {line}")


def header_line(text: str) -> str:
    """Return the words of a header, '' where it has fields of the page and file alone."""
    bare = _CODE.sub(lambda match: "\0" if match.group() == "&&" else "", text)
    fields = re.sub(r"&([PNDTAFZG])", lambda match: f"[{_FIELD[match.group(1)]}]", bare)
    words = [_clean(part.replace("\0", "&")) for part in re.split(r"&[LCR]", fields)]
    line = CELL_BORDER.join(word for word in words if word)
    return line if re.sub(r"\[\w+\]|#", "", line).strip(" ·-/") else ""


def _choices(element: Any) -> Iterator[text_flow.Piece]:
    """Yield what a cell that is filled in by choice offers, and what it tells who fills it in."""
    place = _clean(value(element, "sqref"))[:60]
    first = child(element, "formula1")
    text = _clean("".join(first.itertext())) if first is not None else ""
    if value(element, "type") == "list" and text.startswith('"'):
        yield text_flow.Piece(f"{place}, choices: {text.strip(chr(34))}")
    for title, words in (("promptTitle", "prompt"), ("errorTitle", "error")):
        line = ". ".join(filter(None, (_clean(value(element, title)), _clean(value(element, words)))))
        if line:
            yield text_flow.Piece(f"{place}, {words}: {line}")


def _old_boxes(data: bytes, name: str) -> Iterator[text_flow.Piece]:
    """Yield the words on buttons and boxes of the old drawing format; those of comments are read elsewhere."""
    for shape in xml_of(data, name).iter("{*}shape"):
        client = child(shape, "ClientData")
        if client is not None and value(client, "ObjectType") == "Note":
            continue
        about = ". ".join(filter(None, (_clean(value(shape, "title")), _clean(value(shape, "alt")))))
        if about:
            yield text_flow.Piece(f"Drawing: {about}")
        words = " ".join(_clean("".join(box.itertext())) for box in shape if local(box) == "textbox")
        if words.strip():
            yield text_flow.Piece(f"Text box: {words.strip()}")
