"""Word documents of the formats before 2007 (.doc): Word 97 to 2003 with their marks, Word 6 and 95 as plain text.

The text lies in pieces that a table in the file puts in order; what is struck, hidden or raised lies in pages of
formats beside it ([MS-DOC] 2.4.1, 2.4.6). Macros are never opened.
"""

from __future__ import annotations

import io
import re
import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

from core.domain import LeftOut, PageText
from core.engines.readers import (
    attachments,
    docx_ledger,
    docx_numbering,
    encrypted_office,
    ole_compound,
    ole_object,
    package_parts,
    pictures,
    plain_text,
    symbol_fonts,
    table_text,
    text_flow,
    word_fields,
    word_lists,
)
from core.engines.readers.raised import lowered, raised
from core.errors import UnreadableDocument
from core.ports import Attachment, Outline

_STREAM = 300_000_000  # bytes of one stream
_CELL = 2_000  # characters of a cell, from which a table is one that only places text
_AGAIN = "Open it in an office program, save it as DOCX or PDF, and add that."
_DAMAGED = (struct.error, IndexError, ValueError, KeyError, OverflowError)
# Code pages of Word 6 files by the language of the file ([MS-LCID]); others are Western.
_PAGES = {
    0x0405: "cp1250", 0x040E: "cp1250", 0x0415: "cp1250", 0x0418: "cp1250", 0x041A: "cp1250", 0x041B: "cp1250",
    0x0424: "cp1250", 0x0402: "cp1251", 0x0419: "cp1251", 0x0422: "cp1251", 0x0423: "cp1251", 0x0408: "cp1253",
    0x041F: "cp1254", 0x040D: "cp1255", 0x0401: "cp1256", 0x0425: "cp1257", 0x0426: "cp1257", 0x0427: "cp1257",
    0x0411: "cp932", 0x0412: "cp949", 0x0404: "cp950", 0x0804: "gbk", 0x041E: "cp874",
}  # fmt: skip
_PROPERTIES = {
    "subject": "subject", "keywords": "keywords", "comments": "remarks", "category": "category", "manager": "manager",
    "company": "company",
}  # fmt: skip


def read(data: bytes, name: str, password: str = "") -> Iterator[Outline | PageText | Attachment | LeftOut]:
    """Read an old Word document: its outline, its pages, then what lies beside its text.

    Raises UnreadableDocument, and PasswordNeeded for a file that opens with a password only.
    """
    import olefile

    ole_compound.check_chains(data, name)
    ledger, inside = package_parts.Ledger(), attachments.Children()
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            main = _stream(file, "WordDocument")
            if len(main) > 12 and struct.unpack_from("<H", main, 10)[0] & 0x100:
                if password:
                    file.close()
                    yield from _decrypted(data, name, password)
                    return
                raise encrypted_office.password_needed(name)
            source = _File(main, _stream(file, _table_name(main)), _stream(file, "Data"))
            flow = _Writer(source, ledger, source.numbering()).write()
            properties = _properties(file, ledger)
            files = list(_beside(file, source, inside, ledger))
    except (MemoryError, RecursionError, UnreadableDocument):
        raise
    except Exception as error:  # the library raises what comes for a damaged file
        raise UnreadableDocument(reason=f"{name} is damaged: its text could not be found.", remedy=_AGAIN) from error
    pages = text_flow.number_pages(flow.pages())
    names = [item.name for item in files]
    if not any(page.text.strip() for page in pages):
        if not names:
            raise UnreadableDocument(
                reason=f"{name} contains no text.", remedy="If it shows pictures of text, save it as PDF and add that."
            )
        pages = [text_flow.page(1, "\n".join(["Pictures and files:", *(f"- {file_name}" for file_name in names)]), [])]
    yield Outline("doc", len(pages), properties["title"], properties["author"], file_date=properties["date"])
    yield from pages
    yield from files
    yield from inside.rest()
    yield from ledger.lines()


def _decrypted(data: bytes, name: str, password: str) -> Iterator[Outline | PageText | Attachment | LeftOut]:
    clear = encrypted_office.decrypt(data, name, password)
    import olefile

    with olefile.OleFileIO(io.BytesIO(clear)) as file:
        is_clear = not struct.unpack_from("<H", _stream(file, "WordDocument").ljust(12, b"\0"), 10)[0] & 0x100
    if not is_clear:
        raise encrypted_office.password_needed(name, is_wrong=True)
    yield from read(clear, name)


def _stream(file: Any, name: str) -> bytes:
    if not name or not file.exists(name) or file.get_size(name) > _STREAM:
        return b""
    return bytes(file.openstream(name).read())


def _table_name(main: bytes) -> str:
    return "1Table" if struct.unpack_from("<H", main, 10)[0] & 0x200 else "0Table"


# --- the pieces and their formats ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Look:
    is_struck: bool = False
    is_hidden: bool = False
    is_deleted: bool = False
    is_special: bool = False
    shift: int = 0
    size: int = 20  # half points
    ink: int = 0  # 8: white
    font: int = -1
    symbol: str = ""
    place: int = -1  # of a picture or of the data of a form, in the stream Data


@dataclass(frozen=True, slots=True)
class _Paragraph:
    level: int = 0
    in_table: bool = False
    ends_row: bool = False
    style: int = 0
    list: int | None = None  # None: that of the style
    list_level: int | None = None


_PLAIN, _BODY = _Look(), _Paragraph()


class _File:
    """The streams of a document, its pieces of text, and the formats of stretches of the stream."""

    def __init__(self, main: bytes, table: bytes, data: bytes) -> None:
        identity, version = struct.unpack_from("<HH", main)
        if identity not in (0xA5EC, 0xA5DC, 0xA59B, 0xA698, 0xA699):
            raise ValueError("no Word document")
        self.main, self.data = main, data
        self.is_old = version < 193  # Word 6 or 95
        self.table = main if self.is_old else table
        self.flags = struct.unpack_from("<H", main, 10)[0]
        self.counts = struct.unpack_from("<8i", main, 0x34 if self.is_old else 0x4C)
        if min(self.counts) < 0 or sum(self.counts) > 4 * len(main):
            raise ValueError("impossible lengths")
        self.pieces = list(self._pieces())
        self._piece_starts = [piece[0] for piece in self.pieces]
        self.looks: list[tuple[int, int, _Look]] = []
        self.paragraphs: list[tuple[int, int, _Paragraph]] = []
        self.fonts: list[str] = []
        self.list_styles: dict[int, tuple[int, int]] = {}
        self.page = self._code_page() if self.is_old else "cp1252"
        if not self.is_old:
            self.looks = sorted(self._pages(12, 1, _look_of), key=lambda run: run[0])
            self.paragraphs = sorted(self._pages(13, 13, _paragraph_of), key=lambda run: run[0])
            try:
                self.fonts = list(self._fonts())
            except _DAMAGED:
                self.fonts = []
            try:
                self.list_styles = word_lists.styles(self._structure(1))
            except _DAMAGED:
                self.list_styles = {}
        self._look_starts = [run[0] for run in self.looks]
        self._paragraph_starts = [run[0] for run in self.paragraphs]

    def place(self, number: int) -> tuple[int, int]:
        """Return offset and length of a structure of the table stream, by its number in the head of the file."""
        return struct.unpack_from("<II", self.main, 0x9A + 8 * number)

    def _structure(self, number: int) -> bytes:
        start, length = self.place(number)
        return self.table[start : start + length]

    def numbering(self) -> docx_numbering.Numbering:
        """Return the lists of the document; none for one of an older format, or where they are damaged."""
        try:
            start, length = self.place(73) if not self.is_old else (0, 0)
            return (
                word_lists.numbering(self.table[start:], self._structure(74)) if length else docx_numbering.Numbering()
            )
        except _DAMAGED:
            return docx_numbering.Numbering()

    def positions(self, number: int, size: int) -> tuple[list[int], bytes]:
        """Return the positions of a table of that many structures of ``size`` bytes, and the structures."""
        if self.is_old:
            return [], b""
        start, length = self.place(number)
        plc = self.table[start : start + length]
        count = (len(plc) - 4) // (4 + size)
        if length != len(plc) or count < 1:
            return [], b""
        return list(struct.unpack_from(f"<{count + 1}i", plc)), plc[4 * (count + 1) :]

    def _pieces(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield pieces: first and last position in the text, offset in the stream, bytes a character."""
        start, length = struct.unpack_from("<II", self.main, 0x160) if self.is_old else self.place(33)
        clx = self.table[start : start + length] if not self.is_old or self.flags & 4 else b""
        place = 0
        while place + 3 <= len(clx) and clx[place] == 1:
            place += 3 + struct.unpack_from("<H", clx, place + 1)[0]
        if place + 5 > len(clx) or clx[place] != 2:
            offset, end = struct.unpack_from("<II", self.main, 0x18)
            width = 2 if self.is_old and self.flags & 0x1000 else 1
            yield 0, min(sum(self.counts), (end - offset) // width), offset, width
            return
        plc = clx[place + 5 : place + 5 + struct.unpack_from("<I", clx, place + 1)[0]]
        count = (len(plc) - 4) // 12
        positions = struct.unpack_from(f"<{count + 1}i", plc)
        for number in range(count):
            first, last = positions[number : number + 2]
            (offset,) = struct.unpack_from("<I", plc, 4 * (count + 1) + 8 * number + 2)
            if not 0 <= first <= last or last - first > len(self.main):
                raise ValueError("pieces out of order")
            if self.is_old:
                yield first, last, offset, 2 if self.flags & 0x1000 else 1
            elif offset & 0x40000000:
                yield first, last, (offset & 0x3FFFFFFF) // 2, 1
            else:
                yield first, last, offset, 2

    def _pages(self, number: int, width: int, format_of: Any) -> Iterator[tuple[int, int, Any]]:
        """Yield the formats of stretches of the stream, from pages of 512 bytes."""
        _, structures = self.positions(number, 4)
        pages = set()
        for index in range(0, len(structures) - 3, 4):
            page = struct.unpack_from("<I", structures, index)[0] & 0x3FFFFF
            data = self.main[512 * page : 512 * page + 512]
            if page in pages or len(data) < 512:
                continue
            pages.add(page)
            count = data[511]
            if 4 * (count + 1) + width * count > 511:
                continue
            offsets = struct.unpack_from(f"<{count + 1}I", data)
            for run in range(count):
                place = 2 * data[4 * (count + 1) + width * run]
                yield offsets[run], offsets[run + 1], format_of(data, place)

    def _fonts(self) -> Iterator[str]:
        start, length = self.place(15)
        table = self.table[start : start + length]
        place = 4
        while place + 40 < len(table):
            size = table[place]
            name = table[place + 40 : place + 1 + size].decode("utf-16-le", "replace").partition("\0")[0]
            yield name
            place += 1 + size

    def offset(self, position: int) -> int:
        """Return where in the stream a position of the text is, -1 where it is in no piece."""
        number = bisect_right(self._piece_starts, position) - 1
        start, end, offset, width = self.pieces[number] if number >= 0 else (0, 0, 0, 1)
        return offset + (position - start) * width if start <= position < end else -1

    def look(self, offset: int) -> tuple[_Look, int]:
        """Return the format at an offset of the stream, and where it ends."""
        return _at(self.looks, self._look_starts, offset, _PLAIN)

    def paragraph(self, offset: int) -> _Paragraph:
        """Return the format of the paragraph at an offset of the stream."""
        paragraph: _Paragraph = _at(self.paragraphs, self._paragraph_starts, offset, _BODY)[0]
        return paragraph

    def runs(self, first: int, last: int) -> Iterator[tuple[str, _Look, int, int]]:
        """Yield text[first:last] run by run: the text, its look, its offset in the stream, bytes a character."""
        for start, end, offset, width in self.pieces[max(0, bisect_right(self._piece_starts, first) - 1) :]:
            if start >= last:
                break
            start_here, end_here = max(first, start), min(last, end)
            position = start_here
            while position < end_here:
                place = offset + (position - start) * width
                look, until = self.look(place)
                stop = min(end_here, position + max(1, -(-(until - place) // width)))
                raw = self.main[place : place + (stop - position) * width]
                yield self._decode(raw, width), look, place, width
                position = stop

    def _decode(self, raw: bytes, width: int) -> str:
        if width == 2:
            return raw.decode("utf-16-le", "surrogatepass" if len(raw) % 2 == 0 else "replace")
        return raw.decode(self.page, "replace")

    def _code_page(self) -> str:
        """Return the code page of a Word 6 file: that of its language, Cyrillic where hardly a letter is Latin."""
        page = _PAGES.get(struct.unpack_from("<H", self.main, 6)[0], "cp1252")
        raw = b"".join(
            self.main[start : start + last - first] for first, last, start, width in self.pieces if width == 1
        )
        letters = re.findall(rb"[A-Za-z\xc0-\xff]", raw[:200_000])
        foreign = sum(letter >= b"\xc0" for letter in letters)
        return "cp1251" if page == "cp1252" and foreign > 0.6 * len(letters) > 60 else page


def _at(runs: list[tuple[int, int, Any]], starts: list[int], offset: int, otherwise: Any) -> tuple[Any, int]:
    number = bisect_right(starts, offset) - 1
    if number >= 0 and runs[number][1] > offset:
        return runs[number][2], runs[number][1]
    return otherwise, runs[number + 1][0] if number + 1 < len(runs) else 1 << 40


def _look_of(page: bytes, place: int) -> _Look:
    if not place:
        return _PLAIN
    values: dict[str, Any] = {}
    for code, operand in word_lists.changes(page[place + 1 : place + 1 + page[place]]):
        number = int.from_bytes(operand, "little")
        match code:
            case 0x0837 | 0x2A53:
                values["is_struck"] = values.get("is_struck", False) or bool(number & 1)
            case 0x083C:
                values["is_hidden"] = bool(number & 1)
            case 0x0800:
                values["is_deleted"] = bool(number & 1)
            case 0x0855:
                values["is_special"] = bool(number & 1)
            case 0x2A48:
                values["shift"] = {1: 1, 2: -1}.get(number, 0)
            case 0x4845 if "shift" not in values:
                half_points = int.from_bytes(operand, "little", signed=True)
                values["shift"] = (half_points >= 6) - (half_points <= -6)
            case 0x4A43:
                values["size"] = number
            case 0x2A42:
                values["ink"] = number
            case 0x4A4F:
                values["font"] = number
            case 0x6A03:
                values["place"] = number
            case 0x6A09 if len(operand) == 4:
                values["font"] = number & 0xFFFF
                values["symbol"] = chr(number >> 16)
                values["is_special"] = True
    return _Look(**values) if values else _PLAIN


def _paragraph_of(page: bytes, place: int) -> _Paragraph:
    if not place:
        return _BODY
    size = page[place]
    start, length = (place + 1, 2 * size - 1) if size else (place + 2, 2 * page[place + 1])
    data = page[start : start + length]
    style = struct.unpack_from("<H", data)[0] if len(data) > 1 else 0
    level, in_table, ends_row = (style if 1 <= style <= 9 else 0), False, False
    for code, operand in word_lists.changes(data[2:]):
        number = int.from_bytes(operand, "little")
        match code:
            case 0x2416:
                in_table = bool(number)
            case 0x2417:
                ends_row = bool(number)
            case 0x2640:
                level = number + 1 if number < 9 else 0
    return _Paragraph(level, in_table, ends_row, style, *word_lists.place_of(data[2:]))


# --- the text --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Writer:
    """A walk through the texts of a document: main text, notes, margins, comments, text boxes."""

    source: _File
    ledger: package_parts.Ledger
    numbering: docx_numbering.Numbering
    out: text_flow.Flow = field(default_factory=text_flow.Flow)
    _fields: list[word_fields.Field] = field(default_factory=list)
    _deletion: list[str] = field(default_factory=list)
    _cell: text_flow.Flow | None = None
    _row: list[text_flow.Piece | None] = field(default_factory=list)
    _rows: list[list[text_flow.Piece | None]] = field(default_factory=list)
    _pending: _Paragraph | None = None  # one that has begun, and whose number is not written yet

    def write(self) -> text_flow.Flow:
        """Write all texts of the document, and return the flow they are in."""
        text, notes, margins, macros, comments, end_notes, boxes, margin_boxes = self.source.counts
        starts = [0]
        for count in (text, notes, margins, macros, comments, end_notes, boxes, margin_boxes):
            starts.append(starts[-1] + count)
        for is_header, piece in self._margins(starts[2], starts[3]):
            if is_header:
                self.out.write_piece(piece)
                self.out.gap("\n\n")
            else:
                self.out.aside(piece)
        footers, self.out._aside = self.out._aside, []
        self._text(0, text)
        for first, last in ((starts[6], starts[7]), (starts[7], starts[8])):
            self.out.gap("\n\n")
            self._text(first, last)
        for kind, number, first, last in (("Footnote", 3, 1, 2), ("Endnote", 47, 5, 6), ("Comment", 5, 4, 5)):
            names = self._authors() if kind == "Comment" else []
            for index, piece in enumerate(self._stories(number, starts[first], starts[last])):
                who = names[index] if index < len(names) else ""
                lead = text_flow.Piece(f"{kind} by {who}:" if who else f"{kind}:")
                self.out.aside(text_flow.join([lead, piece], " ") if piece.text else "")
        self.out._aside += footers
        self._countchanges()
        if self.source.is_old:
            self.ledger.add("set of marks for struck and hidden words", "the formats of Word 6 or 95")
        self.out.end_page()
        return self.out

    def _stories(self, number: int, first: int, last: int) -> Iterator[text_flow.Piece]:
        """Yield the texts of notes one by one, all as one where the table that parts them is missing."""
        if last <= first:
            return
        positions, _ = self.source.positions(number, 0)
        inner = sorted({first, *(first + position for position in positions if 0 <= position < last - first), last})
        for start, end in pairwise(inner):
            part = _Writer(self.source, self.ledger, self.numbering, text_flow.Flow(cell=1))
            part._text(start, end)
            piece = part.out.whole()
            if piece.text:
                yield piece

    def _margins(self, first: int, last: int) -> Iterator[tuple[bool, text_flow.Piece]]:
        """Yield the different texts of headers and footers, and whether each is a header."""
        positions, _ = self.source.positions(11, 0)
        texts = set()
        spans = [(first + start, first + end) for start, end in pairwise(positions)]
        for number, (start, end) in enumerate(spans if spans else [(first, last)]):
            # The first six are the lines above notes; then six a section, headers of even and odd pages before footers.
            if not first <= start < end <= last or (spans and number < 6):
                continue
            part = _Writer(self.source, package_parts.Ledger(), self.numbering)
            part._text(start, end)
            piece = part.out.whole("\n\n")
            if re.search(r"[^\W\d_]|\d{3}", piece.text) and piece.text not in texts:
                texts.add(piece.text)
                yield not spans or (number % 6) in (0, 1, 4), piece

    def _countchanges(self) -> None:
        """Count who made the tracked changes, by the table of their names ([MS-DOC] 2.9.289)."""
        if self.source.is_old:
            return
        start, length = self.source.place(51)
        table = self.source.table[start : start + length]
        names, offset = set(), 6  # behind its mark and its counts
        while offset + 2 <= len(table):
            end = offset + 2 + 2 * struct.unpack_from("<H", table, offset)[0]
            names.add(table[offset + 2 : end].decode("utf-16-le", "replace").strip())
            offset = end
        self.ledger.add("author of a change", "text", len(names - {"", "Unknown"}))

    def _authors(self) -> list[str]:
        """Return who wrote each comment."""
        _, structures = self.source.positions(4, 30)
        if self.source.is_old or not structures:
            return []
        start, length = self.source.place(36)
        table = self.source.table[start : start + length]
        names, offset = [], 0
        while offset + 2 <= len(table):
            (count,) = struct.unpack_from("<H", table, offset)
            names.append(
                " ".join(
                    plain_text.clean(table[offset + 2 : offset + 2 + 2 * count].decode("utf-16-le", "replace")).split()
                )
            )
            offset += 2 + 2 * count
        numbers = [
            struct.unpack_from("<H", structures, offset + 20)[0] for offset in range(0, len(structures) - 29, 30)
        ]
        return [names[number] if number < len(names) else "" for number in numbers]

    def _text(self, first: int, last: int) -> None:
        self._begin(first)
        for text, look, place, width in self.source.runs(first, last):
            start = 0
            for mark in re.finditer(r"[\x00-\x08\x0b-\x15\x1e\x1f]|\(", text):
                if mark[0] == "(" and not look.symbol:
                    continue
                self._write(text[start : mark.start()], look)
                start = mark.end()
                self._mark(mark[0], look, place + mark.start() * width, place + mark.end() * width)
            self._write(text[start:], look)
        self._fields = []
        self._pending = None
        self._end_deletion()
        self._end_row()
        self._end_table()
        self.out.end_heading()
        self.out.gap("\n\n")

    def _begin(self, position: int) -> None:
        place = self.source.offset(position)
        if place >= 0:
            self._begin_paragraph(place)

    def _begin_paragraph(self, place: int) -> None:
        """Begin the paragraph at an offset of the stream."""
        paragraph = self.source.paragraph(place)
        self.out.end_heading()
        if self.source.is_old:
            return
        self._pending = None if paragraph.ends_row else paragraph
        if paragraph.in_table:
            self._cell = self._cell or text_flow.Flow(cell=1)
            return
        self._end_row()
        self._end_table()
        self.out.gap("\n\n")
        if paragraph.level and not self.out.cell:
            self.out.heading(paragraph.level)

    def _number(self) -> None:
        """Write the number of the list before a paragraph that has just begun."""
        paragraph, self._pending = self._pending, None
        if paragraph is None:
            return
        number, level = self.source.list_styles.get(paragraph.style, (word_lists.NONE, 0))
        number = number if paragraph.list is None else paragraph.list
        level = level if paragraph.list_level is None else paragraph.list_level
        if number == word_lists.NONE:
            return
        if not self.numbering.has(str(number)):
            self.ledger.add("number that Word writes before a paragraph", "text")
            return
        label = self.numbering.label(str(number), level)
        if label:
            self._write(label, _PLAIN)
            self._flow().gap(" ")

    def _mark(self, mark: str, look: _Look, place: int, after: int) -> None:
        """Write the meaning of a special character."""
        self._number()
        match mark:
            case "\r":
                if self._cell is None or not self.source.paragraph(place).in_table:
                    self.out.end_heading()
                    self.out.gap("\n\n")
                self._flow().gap(" " if self._cell is not None else "\n\n")
                self._begin_paragraph(after)
            case "\x07":
                self._end_cell(place)
                self._begin_paragraph(after)
            case "\x0c" | "\x0e":
                self._flow().gap("\n\n")
                if mark == "\x0c":
                    self._begin_paragraph(after)
            case "\x0b":
                self._write("\n", look)
            case "\x1e":
                self._write("-", look)
            case "\x1f":
                self._write("\xad", look)
            case "\x13":
                self._fields.append(word_fields.Field())
            case "\x14" if self._fields:
                self._fields[-1].is_result = True
            case "\x15" if self._fields:
                code = self._fields.pop()
                self._write(code.end(), look)
                docx_ledger.count_field(code.kind, "".join(code.code), "text", self.ledger)
            case "\x01" if look.place >= 0 and self._fields and self._fields[-1].kind.startswith("FORM"):
                self._form(look.place)
            case "(" if look.symbol:
                font = self.source.fonts[look.font] if 0 <= look.font < len(self.source.fonts) else ""
                known = symbol_fonts.is_symbolic(font)
                self._write(symbol_fonts.character(font, ord(look.symbol)) if known else look.symbol, look)

    def _form(self, place: int) -> None:
        """Write the state of a form field, and count its other words ([MS-DOC] 2.9.78)."""
        kind = self._fields[-1].kind
        try:
            head = self.source.data[place : place + 100_000]
            offset = struct.unpack_from("<H", head, 4)[0] + 4  # behind the version
            (bits,) = struct.unpack_from("<H", head, offset)
            name, offset = _string(head, offset + 6)
            (default,) = struct.unpack_from("<H", head, offset)
            offset = _string(head, offset)[1] if kind == "FORMTEXT" else offset + 2
            hints = []
            for _ in range(5):  # format, help, status and two macros
                hint, offset = _string(head, offset)
                hints.append(hint)
            self.ledger.add("name of a form field", "text", bool(name.strip()))
            self.ledger.add("help text of a form field", "text", sum(bool(hint.strip()) for hint in hints[1:3]))
            if kind == "FORMTEXT":
                return
            state = bits >> 2 & 0x1F
            state = default if state == 25 else state
            if kind == "FORMCHECKBOX":
                text = word_fields.TICKED if state else word_fields.UNTICKED
            else:
                text = _choice(head, offset, state)
        except _DAMAGED:
            self.ledger.add("state of a form field", "text")
            return
        field_in_hand = self._fields.pop()
        self._write(text, _PLAIN)
        field_in_hand.has_result = True
        self._fields.append(field_in_hand)

    def _write(self, text: str, look: _Look) -> None:
        if not text:
            return
        self._number()
        if self._fields and not self._fields[-1].is_result:
            self._fields[-1].code.append(text)
            return
        if any(not open_field.is_result for open_field in self._fields):
            return  # part of the code of another field
        for open_field in self._fields[-1:]:
            open_field.has_result = open_field.has_result or bool(text.strip())
        if look.is_deleted:
            self._deletion.append(text)
            return
        self._end_deletion()
        if 0 <= look.font < len(self.source.fonts):
            text = symbol_fonts.text(self.source.fonts[look.font], text)
        if look.shift:
            text = raised(text) if look.shift > 0 else lowered(text)
        reason = "unseen" if look.is_hidden else "tiny" if look.size <= 2 else "colour" if look.ink == 8 else ""
        self._flow().write(text, reason=reason if text.strip() else "", is_struck=look.is_struck)

    def _flow(self) -> text_flow.Flow:
        return self.out if self._cell is None else self._cell

    def _end_deletion(self) -> None:
        text = " ".join("".join(self._deletion).split())
        self._deletion = []
        if re.search(r"\w", text):
            self.out.aside(f"Deleted: {text}", reason="unseen")

    def _end_cell(self, place: int) -> None:
        """End a cell, or the row whose end mark this is."""
        if self.source.is_old:  # without formats an empty cell looks like the end of a row
            self.out.next_cell()
        elif self.source.paragraph(place).ends_row:
            self._end_row()
        else:
            self._row.append(self._cell.piece().strip() if self._cell is not None else text_flow.Piece(""))
            self._cell = text_flow.Flow(cell=1)

    def _end_row(self) -> None:
        if self._cell is not None and not self._cell.empty:
            self._row.append(self._cell.piece().strip())
        if self._row:
            self._rows.append(self._row)
        self._row, self._cell = [], None

    def _end_table(self) -> None:
        if not self._rows:
            return
        rows, self._rows = self._rows, []
        pieces = [piece for row in rows for piece in row if piece is not None]
        self.out.gap("\n\n")
        if max(map(len, rows)) < 2 or self.out.cell or any(len(piece.text) > _CELL for piece in pieces):
            for piece in pieces:
                self.out.write_piece(piece)
                self.out.gap("\n\n")
        else:
            self.out.write_piece(table_text.piece(rows))
        self.out.gap("\n\n")


def _string(data: bytes, offset: int) -> tuple[str, int]:
    """Return a text behind its length, and where it ends."""
    (length,) = struct.unpack_from("<H", data, offset)
    end = offset + 2 + 2 * length
    return data[offset + 2 : end].decode("utf-16-le", "replace"), end + 2


def _choice(head: bytes, offset: int, state: int) -> str:
    """Return the chosen entry of a list."""
    _, count, extra = struct.unpack_from("<HHH", head, offset)
    offset += 6
    for number in range(count):
        (length,) = struct.unpack_from("<H", head, offset)
        if number == state:
            return head[offset + 2 : offset + 2 + 2 * length].decode("utf-16-le", "replace")
        offset += 2 + 2 * length + extra
    return ""


# --- beside the text -------------------------------------------------------------------------------------------------


def _properties(file: Any, ledger: package_parts.Ledger) -> dict[str, str]:
    """Return title, author and date, and count what else the file says about itself."""
    try:
        metadata = file.get_metadata()
    except Exception:  # the library raises what comes for a damaged part
        ledger.add("damaged set of properties", "SummaryInformation")
        return {"title": "", "author": "", "date": ""}

    def text(value: Any) -> str:
        if isinstance(value, bytes):
            page = metadata.codepage
            for encoding in ("utf-8", "cp1252") if page == -535 else (f"cp{page}", "cp1252"):
                try:
                    value = value.decode(encoding)
                    break
                except (LookupError, ValueError):
                    continue
        return " ".join(plain_text.clean(value if isinstance(value, str) else "").split())[:1_000]

    for key, what in _PROPERTIES.items():
        if text(getattr(metadata, key, "")):
            ledger.add(f"property of the file ({what})", "properties")
    if text(metadata.last_saved_by) not in ("", text(metadata.author)):
        ledger.add("property of the file (last editor)", "properties")
    created = metadata.create_time
    date = created.isoformat() if hasattr(created, "isoformat") and created.year > 1980 else ""
    return {"title": text(metadata.title), "author": text(metadata.author), "date": date}


_METAFILES = (
    ("vector picture (EMF)", re.compile(rb"[\x40\x50]\x3d\x1a\xf0")),
    ("vector picture (WMF)", re.compile(rb"[\x60\x70]\x21\x1b\xf0")),
)
_BLIP = re.compile(rb"[\x1d\x1e]\xf0|\x2a\xf0")  # records of a JPEG or PNG in a drawing ([MS-ODRAW] 2.2.23)


def _beside(
    file: Any, source: _File, inside: attachments.Children, ledger: package_parts.Ledger
) -> Iterator[Attachment]:
    for what, pattern in _METAFILES:
        ledger.add(what, "drawings", len(pattern.findall(source.data)) + len(pattern.findall(source.main)))
    digests: set[int] = set()
    for stream in (source.data, source.main):
        for match in _BLIP.finditer(stream):
            start = match.end()
            (length,) = struct.unpack_from("<I", stream.ljust(start + 4, b"\0"), start)
            picture = next(
                (
                    stream[start + 4 + head : start + 4 + length]
                    for head in (17, 33)
                    if pictures.ending(stream[start + 4 + head :][:8])
                ),
                b"",
            )
            if not picture or length > len(stream) or len(digests) > attachments.COUNT or hash(picture) in digests:
                continue
            digests.add(hash(picture))
            if pictures.worth_reading(picture):
                name = f"picture.{pictures.ending(picture)}"
                yield from inside.take(name, partial(bytes, picture), size=len(picture))
            else:
                ledger.add("small picture", "drawings")
    objects = set()
    for path in file.listdir():
        if path[0] == "ObjectPool" and len(path) > 1:
            objects.add(path[1])
        elif path[0] == "Macros" and path[-1] == "PROJECT":
            ledger.add("macro project", "Macros")
        elif path[0] in ("_xmlsignatures", "_signatures"):
            ledger.add("digital signature", path[0])
    for name in sorted(objects):
        content = _pool_object(file, f"ObjectPool/{name}")
        if content.data:
            yield from inside.take(content.name, partial(bytes, content.data), size=len(content.data))
        else:
            ledger.add(f"embedded object ({content.kind})" if content.kind else "embedded object", "ObjectPool")


def _pool_object(file: Any, path: str) -> ole_object.Content:
    for stream in ("Package", "CONTENTS"):
        data = _stream(file, f"{path}/{stream}")
        if data.startswith((b"PK\x03\x04", b"%PDF")):
            return ole_object.Content("object.pdf" if data.startswith(b"%PDF") else "object.bin", data)
    data = _stream(file, f"{path}/\x01Ole10Native")
    if data:
        return ole_object.native(data, "object")
    return ole_object.Content(kind=ole_object.user_type(_stream(file, f"{path}/\x01CompObj")))
