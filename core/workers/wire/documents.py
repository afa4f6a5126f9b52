"""Outlines, pages, what could be headings on them, files inside files, pictures of pages; and reports that were set."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator, Sequence
from typing import Any

from core.domain import HIDDEN, OF_THE_FILE, Attribution, LeftOut, PageText, Section, Table, Words
from core.ports import Attachment, Outline, Picture
from core.workers.frames import (
    MIB,
    Header,
    ProtocolError,
    blob_at,
    checked_number,
    clean_text,
    count_field,
    pack,
    text_field,
)

TEXT_CAP = 500 * MIB  # the text of one document on its way back
PAGE_CAP = 10_000
_PICTURE_SIDE = 10_000  # pixels


def outline_out(outline: Outline) -> list[bytes]:
    """Send what is known of a document before its pages."""
    return pack(
        {
            "type": "outline",
            "kind": outline.kind,
            "pages": outline.pages,
            "title": outline.title,
            "author": outline.author,
            "date": outline.date,
            "address": outline.address,
            "publisher": outline.publisher,
            "file date": outline.file_date,
            "encoding": next(
                (attribution.where for attribution in outline.attributions if attribution.field == "encoding"), ""
            ),
        }
    )


def outline_in(header: Header) -> Outline:
    """Read what is known of a document before its pages; raises ProtocolError for anything else."""
    encoding = text_field(header, "encoding", longest=100)
    return Outline(
        kind=text_field(header, "kind", longest=40),
        pages=count_field(header, "pages", most=PAGE_CAP),
        title=text_field(header, "title"),
        author=text_field(header, "author"),
        date=text_field(header, "date"),
        address=text_field(header, "address"),
        publisher=text_field(header, "publisher"),
        file_date=text_field(header, "file date"),
        attributions=(Attribution("encoding", encoding, "L"),) if encoding else (),
    )


def page_out(page: PageText) -> list[bytes]:
    """Send a page of text."""
    return pack(
        {
            "type": "page",
            "number": page.number,
            "width": page.width,
            "height": page.height,
            "source": page.source,
            "confidence": page.confidence,
            "label": page.label,
            "hidden": page.hidden_spans,
            "why": page.hidden_why,
            "sections": [[s.level, s.title, s.start] for s in page.sections],
            "language": page.language,
            "picture": page.picture,
            "struck": page.struck_spans,
        },
        [page.text.encode("utf-8"), page.words.buffer, _tables_out(page.tables) if page.tables else b""],
    )


WORD_BOX = struct.Struct("<2I4f")


def page_in(header: Header, blobs: Sequence[bytes]) -> PageText:
    """Read a page of text; raises ProtocolError for anything else."""
    try:
        text = blob_at(blobs, 0).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ProtocolError("page text is not UTF-8") from error
    boxes = blob_at(blobs, 1)
    if len(boxes) % WORD_BOX.size:
        raise ProtocolError("word boxes are cut off")
    end = len(text)
    for word in WORD_BOX.iter_unpack(boxes):
        # A sum that is not a number shows any coordinate that is not one.
        if not (word[0] < word[1] <= end and math.isfinite(word[2] + word[3] + word[4] + word[5])):
            raise ProtocolError("a word box is out of range")
    spans = text_spans_in(header.get("hidden"), end)
    why = header.get("why")
    if not isinstance(why, list) or len(why) not in (0, len(spans)):
        raise ProtocolError("not one reason a hidden span")
    if not all(isinstance(reason, str) and reason in HIDDEN for reason in why):
        raise ProtocolError("hidden spans without a reason")
    source = text_field(header, "source", longest=20)
    if source not in (*OF_THE_FILE, "ocr", "none"):
        raise ProtocolError("unknown text source")
    confidence = header.get("confidence")
    return PageText(
        number=count_field(header, "number", most=PAGE_CAP),
        text=text,
        words=Words(boxes),
        width=checked_number(header.get("width")),
        height=checked_number(header.get("height")),
        source=source,
        confidence=None if confidence is None else checked_number(confidence, most=1.0),
        label=text_field(header, "label", longest=200),
        hidden_spans=spans,
        hidden_why=tuple(why),
        sections=_sections_in(header.get("sections"), end),
        language=text_field(header, "language", longest=10),
        picture=checked_number(header.get("picture"), most=1.0),
        struck_spans=text_spans_in(header.get("struck"), end),
        tables=_tables_in(blob_at(blobs, 2), end),
    )


def text_spans_in(value: Any, end: int) -> tuple[tuple[int, int], ...]:
    """Read spans of a text of ``end`` characters, in order and apart from each other."""
    if not isinstance(value, list) or len(value) > end:
        raise ProtocolError("spans are not a list")
    spans: list[tuple[int, int]] = []
    for span in value:
        if not isinstance(span, list) or len(span) != 2 or not all(type(n) is int for n in span):
            raise ProtocolError("a span is not a pair")
        if not (spans[-1][1] if spans else 0) <= span[0] < span[1] <= end:
            raise ProtocolError("a span is out of range")
        spans.append((span[0], span[1]))
    return tuple(spans)


TABLES_CAP = 2_000  # tables on one page
COLUMNS_CAP = 16_384
CELLS_CAP = 2_000_000  # of one page
_TABLES_CAP = 48 * MIB


def _tables_out(tables: Sequence[Table]) -> bytes:
    """Return the tables of a page as JSON: there may be more of them than a header holds."""
    return json.dumps([[table.columns, table.rows, table.letters, table.numbers] for table in tables]).encode()


def _tables_in(data: bytes, end: int) -> tuple[Table, ...]:
    """Read the tables of a page: cells in order, each inside the text, one a column."""
    if not data:
        return ()
    if len(data) > _TABLES_CAP:
        raise ProtocolError("too much in tables")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("tables are not JSON") from error
    if not isinstance(value, list) or len(value) > TABLES_CAP:
        raise ProtocolError("tables are not a list")
    tables: list[Table] = []
    cells = 0
    for item in value:
        match item:
            case [list(columns), list(rows), list(letters), list(numbers)] if len(columns) <= COLUMNS_CAP:
                pass
            case _:
                raise ProtocolError("a table is out of form")
        if not all(isinstance(title, str) and len(title) <= 10_000 for title in columns):
            raise ProtocolError("a column of a table has no heading")
        if len(letters) not in (0, len(columns)) or not all(type(name) is str and len(name) < 8 for name in letters):
            raise ProtocolError("a column of a sheet has no letter")
        if len(numbers) not in (0, len(rows)) or not all(type(n) is int and 0 < n < 1 << 32 for n in numbers):
            raise ProtocolError("a row of a sheet has no number")
        cells += len(columns) * len(rows)
        if cells > CELLS_CAP:
            raise ProtocolError("tables of too many cells")
        spans = tuple(_row_in(row, len(columns), end) for row in rows)
        tables.append(Table(tuple(map(clean_text, columns)), spans, tuple(map(clean_text, letters)), tuple(numbers)))
    return tuple(tables)


def _row_in(value: Any, columns: int, end: int) -> tuple[tuple[int, int], ...]:
    if not isinstance(value, list) or len(value) != columns:
        raise ProtocolError("a row of a table has not one cell a column")
    row: list[tuple[int, int]] = []
    for cell in value:
        match cell:
            case [int(start), int(stop)] if 0 <= start <= stop <= end:
                row.append((start, stop))
            case _:
                raise ProtocolError("a cell of a table is out of range")
    return tuple(row)


LEFT_OUT_CAP = 100_000  # lines of one document


def left_out_out(part: LeftOut) -> list[bytes]:
    """Send what of a file is on no page and no document of its own."""
    return pack({"type": "left out", "what": part.what, "count": part.count, "where": part.where})


def left_out_in(header: Header) -> LeftOut:
    """Read what of a file was left out; raises ProtocolError for anything else."""
    what = clean_text(text_field(header, "what", longest=500))
    count = count_field(header, "count", most=100_000_000)
    if not what or count < 1:
        raise ProtocolError("what was left out has no name or no number")
    return LeftOut(what, count, clean_text(text_field(header, "where", longest=1_000)))


def _sections_in(value: Any, end: int) -> tuple[Section, ...]:
    if not isinstance(value, list):
        raise ProtocolError("sections are not a list")
    sections: list[Section] = []
    for item in value:
        match item:
            case [int(level), str(title), int(start)] if 1 <= level <= 99 and 0 <= start <= end and len(title) <= 1_000:
                sections.append(Section(level, clean_text(title), start))
            case _:
                raise ProtocolError("a section is out of form")
    return tuple(sections)


_PIECE = 32 * MIB  # of a file inside a file: one frame
CHILDREN_CAP = 2_100  # files inside one file
MAILBOX_CHILDREN_CAP = 50_100  # of a mailbox whose mails are files of their own


def attachment_out(attachment: Attachment) -> Iterator[list[bytes]]:
    """Send a file inside a file, in as many frames as its size takes."""
    head = {"type": "attachment", "name": attachment.name, "reason": attachment.reason, "remedy": attachment.remedy}
    for start in range(0, max(1, len(attachment.data)), _PIECE):
        yield pack({**head, "more": start + _PIECE < len(attachment.data)}, [attachment.data[start : start + _PIECE]])


def attachment_in(header: Header, blobs: Sequence[bytes]) -> tuple[Attachment, bool]:
    """Read a part of a file inside a file, and whether more of it follows; raises ProtocolError for anything else."""
    more = header.get("more")
    if not isinstance(more, bool):
        raise ProtocolError("an attachment does not say whether more follows")
    name, reason = clean_text(text_field(header, "name", longest=1_000)), clean_text(text_field(header, "reason"))
    if not name or (reason and blob_at(blobs, 0)):
        raise ProtocolError("an attachment is without a name, or both there and not there")
    return Attachment(name, blob_at(blobs, 0), reason, clean_text(text_field(header, "remedy"))), more


def picture_out(picture: Picture) -> list[bytes]:
    """Send the picture of a page."""
    head = {"type": "picture", "width": picture.width, "height": picture.height, "scale": picture.scale}
    return pack(head, [picture.png])


def picture_in(header: Header, blobs: Sequence[bytes]) -> Picture:
    """Read the picture of a page; raises ProtocolError for what is no PNG of that size."""
    png = blob_at(blobs, 0)
    width, height = count_field(header, "width", most=_PICTURE_SIDE), count_field(header, "height", most=_PICTURE_SIDE)
    # The program hands these bytes to its own image decoder: at least the size must be what was promised.
    if not png.startswith(b"\x89PNG\r\n\x1a\n") or png[16:24] != struct.pack(">II", width, height):
        raise ProtocolError("the picture is not what it says")
    return Picture(png, width, height, checked_number(header.get("scale"), most=100.0))


def report_out(file: bytes) -> list[bytes]:
    """Send a report that was set."""
    return pack({"type": "written"}, [file])


def report_in(header: Header, blobs: Sequence[bytes]) -> bytes:
    """Read a report that was set; raises ProtocolError where there is none."""
    if header.get("type") != "written" or len(blobs) != 1 or not blobs[0]:
        raise ProtocolError("not one file")
    return blobs[0]
