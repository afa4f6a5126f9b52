"""What the records of a binary workbook (XLSB, BIFF12) hold beside plain values: number formats, looks, what is hidden.

[MS-XLSB] sections 2.1 and 2.4. Nothing is raised for an odd record: the rest is read.
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass

from core.engines.readers import number_format, old_looks, package_parts, text_flow, xls_records, xlsx
from core.engines.readers.ooxml_package import raw_part, related_parts

_RECORDS = 30_000_000
_CELLS = 2_000_000  # that have a number format, of one sheet


def read(package: zipfile.ZipFile, name: str, book: xlsx.Book) -> dict[str, xls_records.Aside]:
    """Return the parts of each sheet beyond its values, by name. ``book`` reads drawings and gathers the parts."""
    main = next((part for kind, part in related_parts(package, name, "").values() if kind == "officeDocument"), "")
    main = main or "xl/workbook.bin"
    targets = related_parts(package, name, main)
    styles = next((part for kind, part in targets.values() if kind == "styles"), "")
    looks = _looks(raw_part(package, styles, name) or b"") if styles else _Looks([], [], [])
    strings_part = next((part for kind, part in targets.values() if kind == "sharedStrings"), "")
    strings = _uneven_strings(raw_part(package, strings_part, name) or b"") if strings_part else {}
    since_1904 = False
    sheets: dict[str, xls_records.Aside] = {}
    for kind, content in _records(raw_part(package, main, name) or b""):
        if kind == 39 and content and not content[0] & 0x20:  # built-in names are plumbing
            book.ledger.add("name of a range or formula", "workbook")
        if kind == 153:
            since_1904 = bool(content[:1] and content[0] & 1)
        if kind != 156:
            continue
        try:
            relation, end = _text(content, 8)
            title, _ = _text(content, end)
        except (struct.error, ValueError):
            continue
        part = targets.get(relation, ("", ""))[1]
        if part:
            data = raw_part(package, part, name) or b""
            sheets[title] = _sheet(data, looks, strings, since_1904=since_1904)
            _count_words(data, f"sheet {title}", book.ledger)
            sheets[title].below += book.drawings(part)
    return sheets


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield kind and content of each record: a number and a length, each in seven bits a byte."""
    offset = 0
    for _ in range(_RECORDS):
        if offset + 1 >= len(data):
            return
        kind, offset = data[offset], offset + 1
        if kind & 0x80:
            kind, offset = kind & 0x7F | (data[offset] & 0x7F) << 7, offset + 1
        length = shift = 0
        while offset < len(data):
            byte, offset = data[offset], offset + 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80 or shift > 21:
                break
        yield kind, data[offset : offset + length]
        offset += length


def _text(content: bytes, offset: int) -> tuple[str, int]:
    """Return a text behind its length, and where it ends."""
    (count,) = struct.unpack_from("<I", content, offset)
    if count == 0xFFFFFFFF:
        return "", offset + 4
    end = offset + 4 + 2 * count
    if end > len(content):
        raise ValueError("a text is cut off")
    return content[offset + 4 : end].decode("utf-16-le", "replace"), end


@dataclass(frozen=True, slots=True)
class _Looks:
    """The number format and the font of each cell style, and the fonts by their numbers."""

    codes: list[str]
    cell_fonts: list[old_looks.Font]
    fonts: list[old_looks.Font]


def _looks(data: bytes) -> _Looks:
    custom: dict[int, str] = {}
    fonts: list[old_looks.Font] = []
    styles: list[tuple[int, int]] = []
    is_cell_style = False
    for kind, content in _records(data):
        try:
            match kind:
                case 43:
                    fonts.append(old_looks.font_of_xlsb(content))
                case 44:
                    custom[struct.unpack_from("<H", content)[0]] = _text(content, 2)[0]
                case 617 | 618:
                    is_cell_style = kind == 617
                case 47 if is_cell_style:
                    styles.append(struct.unpack_from("<HHH", content)[1:])
        except (struct.error, ValueError):
            continue
    return _Looks(
        [number_format.code_of(code, custom) for code, _ in styles],
        [fonts[font] if font < len(fonts) else old_looks.PLAIN for _, font in styles],
        fonts,
    )


def _uneven_strings(data: bytes) -> dict[int, tuple[str, old_looks.Runs]]:
    """Return the shared strings that are set in several fonts, by their numbers."""
    strings = (content for kind, content in _records(data) if kind == 19)
    return {number: uneven for number, content in enumerate(strings) if (uneven := _uneven(content, 0))}


def _uneven(content: bytes, offset: int) -> tuple[str, old_looks.Runs] | None:
    """Return a string and where its font changes, None for one in a single font."""
    try:
        if not content[offset] & 1:
            return None
        text, end = _text(content, offset + 1)
        (count,) = struct.unpack_from("<I", content, end)
        return text, [struct.unpack_from("<HH", content, end + 4 + 4 * n) for n in range(min(count, len(content)))]
    except (struct.error, ValueError, IndexError):
        return None


def _sheet(
    data: bytes, looks: _Looks, strings: dict[int, tuple[str, old_looks.Runs]], *, since_1904: bool
) -> xls_records.Aside:
    aside = xls_records.Aside(book_fonts=looks.fonts)
    row = 0
    for kind, content in _records(data):
        try:
            if 1 <= kind <= 11 or kind == 62:
                column, look = struct.unpack_from("<II", content)
                _cell(aside, (row, column), kind, content, looks, look & 0xFFFFFF, strings, since_1904=since_1904)
                continue
            match kind:
                case 0:
                    (row,) = struct.unpack_from("<I", content)
                    if content[11] & 0x10:
                        aside.rows.add(row)
                case 60 if struct.unpack_from("<H", content, 16)[0] & 1:
                    aside.columns.append(struct.unpack_from("<II", content))
                case 479:
                    aside.below += _headers(content)
        except (struct.error, ValueError, IndexError):
            continue
    return aside


def _cell(
    aside: xls_records.Aside,
    place: tuple[int, int],
    kind: int,
    content: bytes,
    looks: _Looks,
    look: int,
    strings: dict[int, tuple[str, old_looks.Runs]],
    *,
    since_1904: bool,
) -> None:
    """Keep what a cell shows beyond its value."""
    if look < len(looks.codes) and len(aside.fonts) < _CELLS and not looks.cell_fonts[look].is_plain:
        aside.fonts[place] = looks.cell_fonts[look]
    match kind:
        case 2 | 5 | 9 if len(aside.texts) < _CELLS and look < len(looks.codes) and looks.codes[look] != "General":
            number = xls_records.small_number(content, 8) if kind == 2 else _double(content, 8)
            aside.texts[place] = number_format.shown(repr(number), looks.codes[look], since_1904=since_1904)
        case 3 | 11 if content[8] in old_looks.ERRORS:
            aside.words.setdefault(place[0], {})[place[1]] = old_looks.ERRORS[content[8]]
        case 7 | 62 if len(aside.strings) < _CELLS:
            index = struct.unpack_from("<I", content, 8)[0] if kind == 7 else -1
            uneven = strings.get(index) if kind == 7 else _uneven(content, 8)
            if uneven:
                aside.strings[place] = uneven
            if kind == 62:
                aside.words.setdefault(place[0], {})[place[1]] = _text(content, 9)[0]


# Records with words that no cell shows: where those begin, how many texts stand before, what the ledger calls them.
_WORDS = {
    494: (16, 2, "tip of a link"), 463: (42, 0, "rule for the look of cells"), 167: (0, 0, "value of a filter"),
}  # fmt: skip


def _count_words(data: bytes, where: str, ledger: package_parts.Ledger) -> None:
    for kind, content in _records(data):
        if kind == 64:
            ledger.add("rule for the contents of cells", where)
        if kind not in _WORDS:
            continue
        offset, before, what = _WORDS[kind]
        try:
            for _ in range(before):
                _, offset = _text(content, offset)
            text, _ = _text(content, offset)
        except (struct.error, ValueError):
            text = "damaged"
        if text.strip():
            ledger.add(what, where)


def _double(content: bytes, offset: int) -> float:
    return float(struct.unpack_from("<d", content, offset)[0])


def _headers(content: bytes) -> Iterator[text_flow.Piece]:
    """Yield headers and footers: those of odd pages, of even ones, of the first."""
    offset = 2
    lines = set()
    for label in ("Header", "Footer") * 3:
        text, offset = _text(content, offset)
        line = xlsx.header_line(text)
        if line and (label, line) not in lines:
            lines.add((label, line))
            yield text_flow.Piece(f"{label}: {line}")
