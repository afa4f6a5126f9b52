"""What the records of an old workbook (XLS, BIFF8) hold beside plain values: number formats, what is hidden, remarks.

[MS-XLS] sections 2.3 and 2.4. Nothing is raised for an odd record: the rest is read.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from core.engines.readers import number_format, old_looks, package_parts, plain_text, text_flow, xlsx
from core.text import column_letters

_BOF, _EOF, _CONTINUE, _SHEET, _PASSWORD = 0x809, 0x0A, 0x3C, 0x85, 0x2F
_GLOBALS, _CHART, _MACROS = 0x05, 0x20, 0x40  # of a substream
_MOST = 300_000_000  # bytes of the stream
_RECORDS = 20_000_000
_CELLS = 2_000_000  # that have a number format, of all sheets
_BLACK, _WHITE = bytes(3), b"\xff" * 3
_MIXED = 0x100  # no number of a colour: a pattern of two
_REMARKS = 20_000  # of one sheet

# Records with words that no cell shows.
_UNSHOWN = {
    0x800: "tip of a link", 0x1BE: "rule for the contents of cells", 0xAF: "scenario", 0x9E: "value of a filter",
}  # fmt: skip
_STORAGES = {
    "_VBA_PROJECT_CUR": "macro project",
    "_SX_DB_CUR": "stored source of a pivot table",
    "Revision Log": "record of shared changes",
    "_xmlsignatures": "digital signature",
}


@dataclass(slots=True)
class Aside:
    """The parts of a sheet beyond its values. Rows and columns count from 0."""

    texts: dict[tuple[int, int], str] = field(default_factory=dict)  # numbers as they are shown
    words: dict[int, dict[int, str]] = field(default_factory=dict)  # of cells without a value, by row and column
    strings: dict[tuple[int, int], tuple[str, old_looks.Runs]] = field(default_factory=dict)  # in several fonts
    fonts: dict[tuple[int, int], old_looks.Font] = field(default_factory=dict)  # of cells, where one is not plain
    book_fonts: list[old_looks.Font] = field(default_factory=list)
    unseen: set[tuple[int, int]] = field(default_factory=set)  # in the colour of the paper
    rows: set[int] = field(default_factory=set)  # hidden
    columns: list[tuple[int, int]] = field(default_factory=list)  # hidden, first and last
    remarks: list[tuple[int, text_flow.Piece]] = field(default_factory=list)
    below: list[text_flow.Piece] = field(default_factory=list)


@dataclass(slots=True)
class Workbook:
    """The sheets of an old workbook by name, with its title and author."""

    sheets: dict[str, Aside] = field(default_factory=dict)
    title: str = ""
    author: str = ""
    date: str = ""


def read(data: bytes, name: str, ledger: package_parts.Ledger) -> Workbook:
    """Read the records of a workbook; what holds no text is counted in ``ledger``."""
    import olefile

    book = Workbook()
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            _properties(file, book)
            for storage in file.listdir(streams=False, storages=True):
                if len(storage) == 1 and storage[0] in _STORAGES:
                    ledger.add(_STORAGES[storage[0]], "workbook")
                elif len(storage) == 1 and storage[0].startswith("MBD"):
                    ledger.add("embedded object", "workbook")
            stream = next((candidate for candidate in ("Workbook", "Book") if file.exists(candidate)), "")
            records = file.openstream(stream).read(_MOST) if stream else b""
    except (MemoryError, RecursionError):
        raise
    except Exception:  # the library raises what comes for a damaged file
        ledger.add("damaged part", "workbook")
        return book
    _Walk(book, ledger).run(records)
    return book


def _properties(file: object, book: Workbook) -> None:
    meta = file.get_metadata()  # type: ignore[attr-defined]

    def words(raw: object) -> str:
        text = raw.decode("utf-8" if meta.codepage == 65001 else "cp1252", "replace") if isinstance(raw, bytes) else ""
        return " ".join(plain_text.clean(text.rstrip("\0")).split())[:1_000]

    book.title, book.author = words(meta.title), words(meta.author)
    book.date = meta.create_time.isoformat(sep=" ")[:19] if meta.create_time else ""


def _records(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield the offset, kind and content of each record; a continuation follows as a record of its own."""
    offset = 0
    for _ in range(_RECORDS):
        if offset + 4 > len(data):
            return
        kind, length = struct.unpack_from("<HH", data, offset)
        yield offset, kind, data[offset + 4 : offset + 4 + length]
        offset += 4 + length


class _Walk:
    """A walk over the records of a workbook, one after the other."""

    def __init__(self, book: Workbook, ledger: package_parts.Ledger) -> None:
        self._book = book
        self._ledger = ledger
        self._codes: dict[int, str] = {}
        self._looks: list[int] = []  # the number format of each style
        self._fonts: list[old_looks.Font] = []
        self._cell_fonts: list[old_looks.Font] = []  # of each style
        self._papers: list[int] = []  # the colour behind each style
        self._palette: dict[int, bytes] = {}
        self._string_parts: list[bytes] = []
        self._is_string_part = False
        self._strings: dict[int, tuple[str, old_looks.Runs]] = {}
        self._titles: dict[int, str] = {}  # of sheets, by the place of their first record
        self._since_1904 = False
        self._aside: Aside | None = None
        self._title = ""
        self._depth = 0
        self._object = (0, 0)  # kind and number of the last one
        self._texts: dict[int, str] = {}  # of objects of the current sheet
        self._notes: list[tuple[int, int, int, str]] = []  # row, column, object, author
        self._text_length = 0
        self._cells = 0
        self._is_sure = True  # of what nobody sees by its colour

    def run(self, data: bytes) -> None:
        """Read all records."""
        for offset, kind, content in _records(data):
            if kind == _PASSWORD:
                return
            try:
                if kind == _BOF:
                    self._begin(offset, content)
                elif kind == _EOF:
                    self._end()
                elif self._depth == 1 and self._aside is None:
                    self._of_book(kind, content)
                elif self._depth == 1:
                    self._of_sheet(kind, content)
            except (struct.error, IndexError, ValueError):
                self._ledger.add("damaged record", f"sheet {self._title}" if self._title else "workbook")

    def _begin(self, offset: int, content: bytes) -> None:
        self._depth += 1
        (kind,) = struct.unpack_from("<H", content, 2)
        if self._depth > 1:
            if kind == _CHART:
                self._ledger.add("chart", f"sheet {self._title}")
            return
        self._title = self._titles.get(offset, "")
        self._aside = None if kind == _GLOBALS else Aside(book_fonts=self._fonts)
        self._is_sure = True
        if kind == _CHART:
            self._ledger.add("chart sheet", f"sheet {self._title}")
        elif kind == _MACROS:
            self._ledger.add("macro sheet", f"sheet {self._title}")
        if self._aside is not None and self._title:
            self._book.sheets[self._title] = self._aside

    def _end(self) -> None:
        self._depth = max(0, self._depth - 1)
        if not self._depth and self._aside is None:
            self._strings = self._uneven_strings()
        if self._depth or self._aside is None:
            return
        for row, column, number, author in self._notes:
            text = self._texts.pop(number, "")
            if text:
                by = f" by {author}" if author else ""
                label = f"{column_letters(column)}{row + 1}, comment{by}"
                self._aside.remarks.append((row, text_flow.Piece(f"{label}: {text}")))
        self._aside.below += [text_flow.Piece(f"Text box: {text}") for text in self._texts.values()]
        self._notes, self._texts = [], {}
        if not self._is_sure:
            self._aside.unseen.clear()

    def _uneven_strings(self) -> dict[int, tuple[str, old_looks.Runs]]:
        """Return the strings that are set in several fonts, where that changes what they say."""
        if all(font.is_plain for font in self._fonts):
            return {}
        odd = {number for number, font in enumerate(self._fonts) if not font.is_plain}
        strings = enumerate(old_looks.shared_strings(self._string_parts))
        return {index: (text, runs) for index, (text, runs) in strings if any(number in odd for _, number in runs)}

    def _of_book(self, kind: int, content: bytes) -> None:
        self._is_string_part = kind == 0xFC or (kind == _CONTINUE and self._is_string_part)
        if self._is_string_part:
            self._string_parts.append(content)
        match kind:
            case 0x31:
                self._fonts.append(old_looks.font_of(content))
            case 0x92:
                self._palette = {8 + at // 4: content[at : at + 3] for at in range(2, len(content) - 3, 4)}
            case 0x85:
                (place,) = struct.unpack_from("<I", content)
                self._titles[place] = _short_text(content, 6)
            case 0x22:
                self._since_1904 = content[:2] == b"\1\0"
            case 0x41E:
                self._codes[struct.unpack_from("<H", content)[0]] = _long_text(content, 2)
            case 0xE0:
                font, look = struct.unpack_from("<HH", content)
                self._looks.append(look)
                number = old_looks.font_number(font)
                self._cell_fonts.append(self._fonts[number] if number < len(self._fonts) else old_looks.PLAIN)
                self._papers.append(_paper(content))
            case 0xEB:
                count = _picture_count(content)
                if count:
                    self._ledger.add("picture", "workbook", count)
            case 0x1AE if len(content) > 4:  # a shorter one is the workbook itself
                self._ledger.add("link to other workbooks", "workbook")
            case 0x18 if not content[0] & 0x20:  # built-in names are plumbing
                self._ledger.add("name of a range or formula", "workbook")

    def _of_sheet(self, kind: int, content: bytes) -> None:
        aside = self._aside
        assert aside is not None
        match kind:
            case 0x203:
                row, column, look, number = struct.unpack_from("<HHHd", content)
                self._number(row, column, look, number)
            case 0x27E:
                row, column, look = struct.unpack_from("<HHH", content)
                self._number(row, column, look, small_number(content, 6))
            case 0xBD:
                row, column = struct.unpack_from("<HH", content)
                for offset in range(4, len(content) - 2, 6):
                    (look,) = struct.unpack_from("<H", content, offset)
                    self._number(row, column + (offset - 4) // 6, look, small_number(content, offset + 2))
            case 0x06 if content[12:14] != b"\xff\xff":  # a formula with a number
                row, column, look, number = struct.unpack_from("<HHHd", content)
                self._number(row, column, look, number)
            case 0x06 if content[6] == 2:
                self._error(content, content[8])
            case 0x205 if content[7]:
                self._error(content, content[6])
            case 0xFD:
                row, column, look, index = struct.unpack_from("<HHHI", content)
                self._look(row, column, look)
                if index in self._strings and len(aside.strings) < _CELLS:
                    aside.strings[row, column] = self._strings[index]
            case 0x06 | 0x205 | 0x204:
                self._look(*struct.unpack_from("<HHH", content))
            case 0x1B0:  # a condition may colour what is behind a cell; then its own colours prove nothing
                self._is_sure = False
            case 0x208 if struct.unpack_from("<I", content, 12)[0] & 0x20:
                aside.rows.add(struct.unpack_from("<H", content)[0])
            case 0x7D if struct.unpack_from("<H", content, 8)[0] & 1:
                aside.columns.append(struct.unpack_from("<HH", content))
            case 0x14 | 0x15 if len(content) > 3:
                line = xlsx.header_line(_long_text(content, 0))
                if line:
                    aside.below.append(text_flow.Piece(f"{'Header' if kind == 0x14 else 'Footer'}: {line}"))
            case 0x800 | 0x1BE | 0xAF | 0x9E:
                self._ledger.add(_UNSHOWN[kind], f"sheet {self._title}")
            case 0x5D:
                self._object = struct.unpack_from("<HH", content, 4)
            case 0x1B6:
                (self._text_length,) = struct.unpack_from("<H", content, 10)
            case 0x3C if self._text_length and content:
                text = _characters(content, 0, self._text_length)
                self._text_length = 0
                words = " ".join(plain_text.clean(text).split())
                if words and len(self._texts) < _REMARKS:
                    self._texts[self._object[1]] = words
            case 0x1C if len(content) > 8 and len(self._notes) < _REMARKS:
                row, column, _, number = struct.unpack_from("<HHHH", content)
                self._notes.append((row, column, number, " ".join(_long_text(content, 8).split())))

    def _error(self, content: bytes, code: int) -> None:
        row, column, look = struct.unpack_from("<HHH", content)
        self._look(row, column, look)
        if self._aside is not None and code in old_looks.ERRORS:
            self._aside.words.setdefault(row, {})[column] = old_looks.ERRORS[code]

    def _look(self, row: int, column: int, look: int) -> None:
        aside = self._aside
        if aside is None or look >= len(self._cell_fonts):
            return
        font = self._cell_fonts[look]
        if not font.is_plain and len(aside.fonts) < _CELLS:
            aside.fonts[row, column] = font
        ink, paper = self._colour(font.colour, _BLACK), self._colour(self._papers[look], _WHITE)
        if ink and ink == paper and len(aside.unseen) < _CELLS:
            aside.unseen.add((row, column))

    def _colour(self, number: int, default: bytes) -> bytes:
        """Return a colour of the palette, b"" where it is one of those that nobody set."""
        if number in (-1, 64, 65, 0x7FFF):
            return default
        basic = {0: _BLACK, 8: _BLACK, 1: _WHITE, 9: _WHITE}
        return self._palette.get(number, basic.get(number, b""))

    def _number(self, row: int, column: int, look: int, number: float) -> None:
        self._look(row, column, look)
        code = number_format.code_of(self._looks[look], self._codes) if look < len(self._looks) else "General"
        if code != "General" and self._cells < _CELLS and self._aside is not None:
            self._cells += 1
            self._aside.texts[row, column] = number_format.shown(repr(number), code, since_1904=self._since_1904)


def _paper(content: bytes) -> int:
    """Return the number of the colour that fills a cell, -1 for none."""
    (borders,) = struct.unpack_from("<I", content, 14)
    (colours,) = struct.unpack_from("<H", content, 18)
    pattern = borders >> 26
    return -1 if not pattern else colours & 0x7F if pattern == 1 else _MIXED


def small_number(content: bytes, offset: int) -> float:
    """Return a number in 30 bits: a whole one or the upper half of a fraction, some of them hundredfold."""
    (bits,) = struct.unpack_from("<I", content, offset)
    if bits & 2:
        number = float(struct.unpack_from("<i", content, offset)[0] >> 2)
    else:
        (number,) = struct.unpack("<d", struct.pack("<II", 0, bits & 0xFFFFFFFC))
    return number / 100 if bits & 1 else number


def _short_text(content: bytes, offset: int) -> str:
    return plain_text.clean(_characters(content, offset + 1, content[offset]))


def _long_text(content: bytes, offset: int) -> str:
    return plain_text.clean(_characters(content, offset + 2, struct.unpack_from("<H", content, offset)[0]))


def _characters(content: bytes, offset: int, count: int) -> str:
    """Return characters behind a byte that says whether each takes two bytes or one."""
    if content[offset] & 1:
        return content[offset + 1 : offset + 1 + 2 * count].decode("utf-16-le", "replace")
    return content[offset + 1 : offset + 1 + count].decode("latin-1")


def _picture_count(content: bytes) -> int:
    """Count the pictures in a drawing group: the container F000 has a container F001, whose head tells the number."""
    offset = 8
    while offset + 8 <= min(len(content), 10_000):
        head, kind, length = struct.unpack_from("<HHI", content, offset)
        if kind == 0xF001:
            return min(int(head) >> 4, 4_095)
        offset += 8 + length
    return 0
