"""Small files of many formats, made here from invented text."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping

import docx
import openpyxl
from msoffcrypto.format.ooxml import OOXMLFile

from core.domain import LeftOut, PageText
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument
from core.ports import Attachment, Outline

_OFFICE = "http://schemas.openxmlformats.org"
_RELATIONS = f"{_OFFICE}/officeDocument/2006/relationships"


def contents(data: bytes, name: str = "a.eml", depth: int = 0) -> tuple[str, set[str]]:
    """All text of a file and of the files in it, read ``depth`` files deep, and the kinds of what was left out."""
    texts: list[str] = []
    left_out: set[str] = set()
    for item in FileReader().read(data, name):
        match item:
            case Outline():
                texts += [item.title, item.author]
            case PageText():
                texts.append(item.text)
            case Attachment():
                texts += [item.name, item.reason]
                try:
                    inner, kinds = contents(item.data, item.name, depth - 1) if depth and item.data else ("", set())
                except UnreadableDocument as error:
                    inner, kinds = error.sentence, set()
                texts.append(inner if depth else item.data.decode("latin-1"))
                left_out |= kinds
            case LeftOut():
                assert item.count
                assert item.where
                left_out.add(item.what)
    return "\n".join(texts), left_out


def packed(parts: Mapping[str, str | bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    return file.getvalue()


def relations(*targets: tuple[str, str, str]) -> str:
    """id, last word of the type, target."""
    items = "".join(f'<Relationship Id="{i}" Type="{_RELATIONS}/{kind}" Target="{to}"/>' for i, kind, to in targets)
    return f'<Relationships xmlns="{_OFFICE}/package/2006/relationships">{items}</Relationships>'


# --- compound files (Outlook messages, old office files) -------------------------------------------------------------

_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
Tree = Mapping[str, "bytes | Tree"]


def compound(tree: Tree) -> bytes:
    """A compound file with these streams and storages."""
    entries: list[list] = [["Root Entry", 5, _FREE, 0, 0]]  # name, type, child, start, size
    rights: dict[int, int] = {}
    streams: list[tuple[int, bytes]] = []

    def add(parent: int, items: Tree) -> None:
        previous = -1
        for name, content in items.items():
            number = len(entries)
            entries.append([name, 2 if isinstance(content, bytes) else 1, _FREE, 0, 0])
            if previous < 0:
                entries[parent][2] = number
            else:
                rights[previous] = number
            previous = number
            if isinstance(content, bytes):
                streams.append((number, content))
            else:
                add(number, content)

    add(0, tree)
    small, mini_fat, sectors, fat = bytearray(), [], bytearray(), []

    def chain(table: list[int], count: int) -> int:
        start = len(table)
        table.extend([*range(start + 1, start + count), _END])
        return start

    def place(data: bytes) -> int:
        count = -(-len(data) // 512)
        sectors.extend(data.ljust(count * 512, b"\0"))
        return chain(fat, count)

    for number, data in streams:
        entries[number][4] = len(data)
        if not data:
            entries[number][3] = _END
        elif len(data) < 4_096:
            count = -(-len(data) // 64)
            small.extend(data.ljust(count * 64, b"\0"))
            entries[number][3] = chain(mini_fat, count)
        else:
            entries[number][3] = place(data)
    entries[0][3:] = [place(bytes(small)) if small else _END, len(small)]
    mini_start = place(b"".join(struct.pack("<I", n) for n in mini_fat)) if mini_fat else _END
    listed = b""
    for number, (name, kind, child, start, size) in enumerate(entries):
        raw = name.encode("utf-16-le") + b"\0\0"
        listed += raw.ljust(64, b"\0") + struct.pack("<HBB", len(raw), kind, 1)
        listed += struct.pack("<III", _FREE, rights.get(number, _FREE), child) + b"\0" * 36
        listed += struct.pack("<IQ", start, size)
    while len(listed) % 512:
        listed += b"\0" * 68 + struct.pack("<III", _FREE, _FREE, _FREE) + b"\0" * 48
    listed_start = place(listed)
    pages = 1
    while -(-(len(fat) + pages) * 4 // 512) > pages:
        pages += 1
    first = len(fat)
    fat.extend([_FAT] * pages)
    table = b"".join(struct.pack("<I", n) for n in fat).ljust(pages * 512, b"\xff")
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 16
    head += struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + b"\0" * 6
    head += struct.pack("<IIIIIIIII", 0, pages, listed_start, 0, 4_096, mini_start, len(mini_fat) and 1, _END, 0)
    head += b"".join(struct.pack("<I", first + n if n < pages else _FREE) for n in range(109))
    return head + bytes(sectors) + table


def message(
    properties: Mapping[int, str | bytes | int | list[str]],
    *,
    receivers: tuple[tuple[str, str, int], ...] = (),
    attached: tuple[tuple[str, bytes], ...] = (),
    more: Tree | None = None,
) -> bytes:
    """An Outlook message: properties by number; receivers with name, address and kind; attached files."""

    def storage(values: Mapping[int, str | bytes | int | list[str]], head: bytes) -> dict[str, bytes]:
        streams, rows = {}, head
        for number, content in values.items():
            if isinstance(content, int):
                kind, value = (
                    (0x40, struct.pack("<Q", content)) if content > 1 << 32 else (3, struct.pack("<Q", content))
                )
                rows += struct.pack("<HHI", kind, number, 6) + value
                continue
            if isinstance(content, list):
                streams[f"__substg1.0_{number:04X}101F"] = b"".join(struct.pack("<I", 0) for _ in content)
                for index, text in enumerate(content):
                    streams[f"__substg1.0_{number:04X}101F-{index:08X}"] = (text + "\0").encode("utf-16-le")
                rows += struct.pack("<HHIII", 0x101F, number, 6, 4 * len(content), 0)
                continue
            data = content.encode("utf-16-le") if isinstance(content, str) else content
            kind = 0x1F if isinstance(content, str) else 0x102
            streams[f"__substg1.0_{number:04X}{kind:04X}"] = data
            rows += struct.pack("<HHIII", kind, number, 6, len(data) + 2 * isinstance(content, str), 0)
        streams["__properties_version1.0"] = rows
        return streams

    counts = (len(receivers), len(attached), len(receivers), len(attached))
    tree: dict = storage(properties, struct.pack("<8x4I8x", *counts))
    for number, (name, address, kind) in enumerate(receivers):
        tree[f"__recip_version1.0_#{number:08X}"] = storage({0x3001: name, 0x39FE: address, 0x0C15: kind}, b"\0" * 8)
    for number, (name, data) in enumerate(attached):
        tree[f"__attach_version1.0_#{number:08X}"] = storage({0x3707: name, 0x3701: data, 0x3705: 1}, b"\0" * 8)
    return compound({**tree, **(more or {})})


# --- tables ----------------------------------------------------------------------------------------------------------


def xls(cells: Mapping[tuple[int, int], str | float], *, name: str = "Budget", hidden: bool = False) -> bytes:
    """A table of the old kind."""

    def record(kind: int, data: bytes) -> bytes:
        return struct.pack("<HH", kind, len(data)) + data

    def begin(kind: int) -> bytes:
        return record(0x0809, struct.pack("<HHHHII", 0x0600, kind, 0x0DBB, 0x07CC, 0, 6))

    sheet = begin(0x10)
    for (row, column), content in cells.items():
        place = struct.pack("<HHH", row, column, 0)
        if isinstance(content, str):
            sheet += record(0x0204, place + struct.pack("<HB", len(content), 1) + content.encode("utf-16-le"))
        else:
            sheet += record(0x0203, place + struct.pack("<d", content))
    sheet += record(0x0A, b"")
    title = struct.pack("<BB", len(name), 1) + name.encode("utf-16-le")
    whole = begin(5) + record(0x42, struct.pack("<H", 1200))
    offset = len(whole) + 4 + 6 + len(title) + 4
    whole += record(0x85, struct.pack("<IBB", offset, int(hidden), 0) + title) + record(0x0A, b"")
    return compound({"Workbook": (whole + sheet).ljust(4_096, b"\0")})


def xlsb(cells: Mapping[tuple[int, int], str | float], *, name: str = "Budget") -> bytes:
    """A table in its binary form."""

    def record(kind: int, data: bytes = b"") -> bytes:
        head = bytes([kind]) if kind < 0x80 else bytes([(kind & 0x7F) | 0x80, kind >> 7])
        return head + bytes([len(data)]) + data

    def text(content: str) -> bytes:
        return struct.pack("<I", len(content)) + content.encode("utf-16-le")

    book = record(131) + record(143) + record(156, struct.pack("<II", 0, 1) + text("rId1") + text(name))
    book += record(144) + record(132)
    rows = sorted({row for row, _ in cells})
    last = max(column for _, column in cells)
    sheet = record(129) + record(148, struct.pack("<IIII", rows[0], rows[-1], 0, last)) + record(145)
    for row in rows:
        sheet += record(0, struct.pack("<I", row) + b"\0" * 13)
        for (number, column), content in sorted(cells.items()):
            if number == row:
                place = struct.pack("<II", column, 0)
                sheet += (
                    record(6, place + text(content))
                    if isinstance(content, str)
                    else record(5, place + struct.pack("<d", content))
                )
    sheet += record(146) + record(130)
    return packed(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relations(("r1", "officeDocument", "xl/workbook.bin")),
            "xl/workbook.bin": book,
            "xl/_rels/workbook.bin.rels": relations(("rId1", "worksheet", "worksheets/sheet1.bin")),
            "xl/worksheets/sheet1.bin": sheet,
        }
    )


# --- OpenDocument ----------------------------------------------------------------------------------------------------

_ODF = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
    for short, long in (
        ("office", "office"), ("text", "text"), ("table", "table"), ("style", "style"), ("draw", "drawing"),
        ("fo", "xsl-fo-compatible"), ("meta", "meta"), ("presentation", "presentation"),
        ("svg", "svg-compatible"),
    )
)  # fmt: skip


def opendocument(
    kind: str, body: str, *, styles: str = "", master: str = "", meta: str = "", more: Mapping[str, str] | None = None
) -> bytes:
    """``kind`` is text, spreadsheet or presentation; ``styles`` stand in the content."""
    outer = f'{_ODF} xmlns:dc="http://purl.org/dc/elements/1.1/"'
    return packed(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": f"<office:document-content {outer}><office:automatic-styles>{styles}"
            f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}></office:body>"
            "</office:document-content>",
            "styles.xml": f"<office:document-styles {outer}><office:master-styles>{master}</office:master-styles>"
            "</office:document-styles>",
            "META-INF/manifest.xml": "<manifest/>",
            "meta.xml": f"<office:document-meta {outer}><office:meta>{meta}</office:meta></office:document-meta>",
            **(more or {}),
        },
        method=zipfile.ZIP_STORED,
    )


# --- slides ----------------------------------------------------------------------------------------------------------

SPACES = f'xmlns:a="{_OFFICE}/drawingml/2006/main" xmlns:p="{_OFFICE}/presentationml/2006/main" xmlns:r="{_RELATIONS}"'


def shape(text: str, *, kind: str = "", spot: tuple[int, int] | None = None, hidden: bool = False) -> str:
    paragraphs = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in text.split("\n"))
    place = f'<a:xfrm><a:off x="{spot[0]}" y="{spot[1]}"/><a:ext cx="100" cy="100"/></a:xfrm>' if spot else ""
    holder = f'<p:ph type="{kind}"/>' if kind else ""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"{" hidden=" + chr(34) + "1" + chr(34) if hidden else ""}/>'
        f"<p:nvPr>{holder}</p:nvPr></p:nvSpPr><p:spPr>{place}</p:spPr>"
        f"<p:txBody><a:bodyPr/>{paragraphs}</p:txBody></p:sp>"
    )


def slide(*shapes: str, show: str = "1") -> str:
    return f'<p:sld {SPACES} show="{show}"><p:cSld><p:spTree>{"".join(shapes)}</p:spTree></p:cSld></p:sld>'


def slides(*parts: str, notes: Mapping[int, str] | None = None, more: Mapping[str, str] | None = None) -> bytes:
    """A presentation whose slides lie in the file in another order than they are shown."""
    count = len(parts)
    listed = "".join(f'<p:sldId id="{256 + n}" r:id="rId{n}"/>' for n in range(1, count + 1))
    files: dict[str, str] = {
        "_rels/.rels": relations(("r1", "officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f"<p:presentation {SPACES}><p:sldIdLst>{listed}</p:sldIdLst>"
        '<p:sldSz cx="1000" cy="800"/></p:presentation>',
        "ppt/_rels/presentation.xml.rels": relations(
            *((f"rId{n}", "slide", f"slides/slide{count + 1 - n}.xml") for n in range(1, count + 1))
        ),
        "docProps/core.xml": '<c xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Pumps</dc:title>'
        "<dc:creator>Ann Berg</dc:creator><created>2024-03-05T08:00:00Z</created></c>",
    }
    for number, part in enumerate(parts, start=1):
        file = f"slide{count + 1 - number}.xml"
        files[f"ppt/slides/{file}"] = part
        if notes and number in notes:
            files[f"ppt/slides/_rels/{file}.rels"] = relations(("n", "notesSlide", f"../notesSlides/{file}"))
            files[f"ppt/notesSlides/{file}"] = slide(shape(notes[number], kind="body"), shape("7", kind="sldNum"))
    return packed({**files, **(more or {})})


# --- the web ---------------------------------------------------------------------------------------------------------


def mhtml(page: str, *, frame: str = "", address: str = "https://example.org/pump") -> bytes:
    lines = [
        "From: <Saved by Blink>",
        f"Snapshot-Content-Location: {address}",
        "Subject: A saved page",
        "Date: Tue, 5 Mar 2024 08:00:00 +0000",
        "MIME-Version: 1.0",
        'Content-Type: multipart/related; type="text/html"; boundary="B"',
        "",
        "--B",
        "Content-Type: text/html; charset=utf-8",
        "Content-Transfer-Encoding: 8bit",
        f"Content-Location: {address}",
        "",
        page,
        "--B",
        "Content-Type: image/png",
        "Content-Transfer-Encoding: base64",
        "",
        "iVBORw0KGgo=",
    ]
    if frame:
        lines += ["--B", "Content-Type: text/html", "Content-ID: <frame>", "", frame]
    return "\r\n".join([*lines, "--B--", ""]).encode()


def warc(*records: tuple[str, str, bytes], zipped: bool = False, date: str = "2024-03-05T08:00:00Z") -> bytes:
    """Answers of servers: address, media type, content."""
    import gzip

    whole = b""
    for address, kind, content in records:
        http = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode() + content
        head = (
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {address}\r\nWARC-Date: {date}\r\n"
            "WARC-Record-ID: <urn:uuid:0>\r\nContent-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(http)}\r\n\r\n"
        )
        record = head.encode() + http + b"\r\n\r\n"
        whole += gzip.compress(record, mtime=0) if zipped else record
    return whole


def epub(*chapters: str) -> bytes:
    items = "".join(
        f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(len(chapters))
    )
    order = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    return packed(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
            'version="1.0"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/>'
            "</rootfiles></container>",
            "book.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="2.0"><metadata '
            'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The pump book</dc:title>'
            f"<dc:creator>Ann Berg</dc:creator></metadata><manifest>{items}</manifest><spine>{order}</spine></package>",
            **{
                f"c{n}.xhtml": f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{text}</body></html>'
                for n, text in enumerate(chapters)
            },
        },
        method=zipfile.ZIP_STORED,
    )


# --- office files of today -------------------------------------------------------------------------------------------


def word_file(heading: str, text: str) -> bytes:
    document = docx.Document()
    document.add_heading(heading, 1)
    document.add_paragraph(text)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def workbook_file(*row: str | float) -> bytes:
    book = openpyxl.Workbook()
    book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def locked_file(data: bytes, password: str) -> bytes:
    """An office file that opens with a password only."""
    file = io.BytesIO()
    OOXMLFile(io.BytesIO(data)).encrypt(password, file)
    return file.getvalue()
