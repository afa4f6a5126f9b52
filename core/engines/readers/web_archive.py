"""Pages saved from the web: MHTML, one page with its address and date, and WARC, many. Nothing is fetched."""

from __future__ import annotations

import email
import email.policy
import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from email.message import Message
from functools import partial
from typing import Any
from urllib.parse import unquote

from core.domain import PageText
from core.engines.readers import attachments, email_message, html, plain_text, text_flow
from core.errors import UnreadableDocument
from core.ports import Attachment, Outline

_PARTS = 2_000  # of one MHTML file
RECORDS = 200_000  # of one WARC file
_RECORD = 50_000_000  # bytes of one page or file
_RATIO = 200  # unpacked to packed: more is made to harm
_HARMLESS = 64_000_000  # bytes: as little may unpack as it likes
_STRETCH = 1 << 16
_PAGE = ("text/html", "application/xhtml+xml")
_TEXTS = ("text/plain", "text/markdown", "text/csv")
_FILES = (
    "application/pdf", "application/msword", "application/rtf", "text/rtf", "application/vnd.ms-excel",
    "application/epub+zip", "application/zip", "message/rfc822",
)  # fmt: skip


# --- MHTML -----------------------------------------------------------------------------------------------------------


def read_mhtml(data: bytes, name: str) -> Iterator[Outline | PageText]:
    """Read a page saved as MHTML, the frames in it behind it. Raises UnreadableDocument."""
    message = email.message_from_bytes(data.lstrip(b"\r\n\xef\xbb\xbf"), policy=email.policy.default)
    parts = list(_parts(message))
    pages = [part for part in parts if part.get_content_type() in _PAGE]
    start = _header(message.get_param("start", ""))
    pages.sort(key=lambda part: not start or _header(part.get("Content-ID")) != start)
    read = [(part, _page(part)) for part in pages]
    first = read[0][1] if read else html.WebPage(text_flow.Piece(""))
    bodies = [page.body for _, page in read if page.text.strip()]  # the page, then the frames in it
    if not bodies:
        raise UnreadableDocument(
            reason=f"{name} contains no page with text.",
            remedy="Open it in a browser, save the page again as HTML or PDF, and add that.",
        )
    locations = (
        _header(message.get("Snapshot-Content-Location")),
        *(_header(p.get("Content-Location")) for p in pages),
    )
    address = next((each for each in locations if re.match(r"https?://", each, re.IGNORECASE)), first.address)
    title = first.title or email_message.header(message, "Subject")
    text_pages = text_flow.join(bodies, "\n\n").pages()
    yield Outline(
        *("mhtml", len(text_pages), title, first.author, first.date or email_message.date_of(message)),
        *(address[:2_000], first.publisher),
    )
    yield from text_pages


def _parts(message: Message) -> Iterator[Message]:
    waiting, count = [message], 0
    while waiting and count < _PARTS:
        part = waiting.pop()
        count += 1
        payload: Any = part.get_payload()
        if isinstance(payload, list):
            waiting.extend(each for each in reversed(payload) if isinstance(each, Message))
        else:
            yield part


def _page(part: Message) -> html.WebPage:
    data = email_message.payload_of(part)
    charset = email_message.charset_of(part)
    return html.parse(plain_text.decode(data, encoding=charset)) if charset else html.read(data)


def _header(value: object) -> str:
    return " ".join(plain_text.clean(str(value or "")).split())[:2_000]


# --- WARC ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Record:
    """The answer of a server. ``why`` is given, and ``content`` empty, where it cannot be read."""

    address: str
    date: str
    kind: str
    charset: str
    content: bytes
    why: str = ""


def read_warc(data: bytes, name: str) -> Iterator[Outline | PageText | Attachment]:
    """Read a web archive: a single record is the page itself.

    Of several each page becomes a file of its own, which keeps its record.
    """
    records = list(_records(data, name))
    if len(records) == 1 and records[0].kind in (*_PAGE, *_TEXTS) and not records[0].why:
        yield from _single(records[0], name)
        return
    if not records:
        raise UnreadableDocument(
            reason=f"{name} contains no page that the program reads.",
            remedy="Open it in a viewer of web archives, save the pages you need as HTML or PDF, and add those.",
        )
    out = text_flow.Flow()
    out.write(f"Web archive with {len(records)} {'page' if len(records) == 1 else 'pages'}")
    for number, record in enumerate(records):
        out.gap("\n" if number else "\n\n")
        out.write(f"{record.date} {record.address}".strip())
    out.end_page()
    pages = text_flow.number_pages(out.pages())
    yield Outline("warc", len(pages))
    yield from pages
    inside = attachments.Children()
    for record in records:
        file_name = re.sub(r"^https?://", "", unquote(record.address)).rstrip("/") or "page"
        ending = ".warc" if record.kind in (*_PAGE, *_TEXTS) else attachments.ending(record.kind)
        file_name = file_name if not ending or file_name.lower().endswith(ending) else file_name + ending
        yield from inside.take(file_name, partial(_record_file, record, file_name), size=len(record.content))
    yield from inside.rest()


def _record_file(record: _Record, name: str) -> bytes:
    """Write a page as a web archive of its own, so that its address and date stay with it; any other file as it is."""
    if record.why:
        raise UnreadableDocument(
            reason=f"{name} {record.why}.", remedy="Save the page again as HTML or PDF, and add that."
        )
    if record.kind not in (*_PAGE, *_TEXTS):
        return record.content
    content_type = f"{record.kind}; charset={record.charset}" if record.charset else record.kind
    http = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n\r\n".encode()
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {record.address}\r\nWARC-Date: {record.date}\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(http) + len(record.content)}\r\n\r\n"
    )
    return head.encode() + http + record.content + b"\r\n\r\n"


def _refuse_bomb(data: bytes, name: str) -> None:
    """Unpack packed records once, unread, and refuse what blows up before anything looks into it."""
    most = max(_HARMLESS, _RATIO * len(data))
    unpacker, total, piece = zlib.decompressobj(31), 0, b""
    for at in range(0, len(data), _STRETCH):
        piece += data[at : at + _STRETCH]
        while piece:
            try:
                total += len(unpacker.decompress(piece, _STRETCH * 16))
            except zlib.error:  # the reader of archives says it better
                return
            if total > most:
                raise UnreadableDocument(
                    reason=f"{name} unpacks to more than {_RATIO} times its size.",
                    remedy="Such a file may be malicious. Save the pages you need as HTML.",
                )
            piece = unpacker.unconsumed_tail
            if unpacker.eof:  # the next record is packed by itself
                piece, unpacker = unpacker.unused_data, zlib.decompressobj(31)


def _records(data: bytes, name: str) -> Iterator[_Record]:
    """Yield the pages and documents among the answers of servers, in the order of the file."""
    from warcio.archiveiterator import ArchiveIterator

    if data.startswith(b"\x1f\x8b"):
        _refuse_bomb(data, name)
    total = 0
    try:
        for number, record in enumerate(ArchiveIterator(io.BytesIO(data))):
            if number >= RECORDS:
                raise UnreadableDocument(
                    reason=f"{name} has more than {RECORDS:,} records.", remedy="Split it and add the parts."
                )
            if record.rec_type not in ("response", "resource"):
                continue
            headers = record.http_headers if record.rec_type == "response" else record.rec_headers
            if headers is None:
                continue
            status = headers.get_statuscode() if record.rec_type == "response" else "200"
            content_type = headers.get_header("Content-Type") or ""
            kind = content_type.split(";")[0].strip().lower()
            if not (kind in (*_PAGE, *_TEXTS, *_FILES) or kind.startswith("application/vnd.o")):
                continue
            if not str(status).startswith("2"):
                continue
            address = _header(record.rec_headers.get_header("WARC-Target-URI")).strip("<>")
            if re.match(r"(?!https?:|ftps?:|file:)[a-z][a-z0-9+.-]*:", address, re.IGNORECASE):
                continue  # what the program that saved the pages notes of its own work
            content, why = _content(record)
            total += len(content)
            if total > attachments.BYTES:
                raise UnreadableDocument(
                    reason=f"{name} unpacks to more than {attachments.BYTES // 1_000_000} MB.",
                    remedy="Such a file may be malicious. Split it, or save the pages you need as HTML.",
                )
            charset = re.search(r"charset\s*=\s*[\"']?([\w.:-]{2,40})", content_type)
            if content or why:
                date = _date(record.rec_headers.get_header("WARC-Date"))
                yield _Record(address, date, kind, charset.group(1) if charset else "", content, why)
    except (UnreadableDocument, MemoryError, RecursionError):
        raise
    except Exception as error:  # the library raises a dozen unrelated types for a damaged file
        raise UnreadableDocument(
            reason=f"{name} is damaged: its records are out of order.",
            remedy="Fetch it again from its source, or save the pages you need as HTML, and add those.",
        ) from error


def _content(record: Any) -> tuple[bytes, str]:
    """Return the body of an answer unpacked, or why it cannot be."""
    encoding = ((record.http_headers and record.http_headers.get_header("Content-Encoding")) or "").strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
        return b"", f"is packed in a way the program cannot handle ({plain_text.clean(encoding)[:20]})"
    stream = record.content_stream()
    content = bytearray()
    while piece := stream.read(65_536):
        content += piece
        if len(content) > _RECORD:
            return b"", f"is larger than {_RECORD // 1_000_000} MB"
    return bytes(content), ""


def _single(record: _Record, name: str) -> Iterator[Outline | PageText]:
    if record.kind not in _PAGE:
        page = html.WebPage(
            text_flow.Piece(plain_text.clean(plain_text.decode(record.content, encoding=record.charset)))
        )
    elif record.charset:
        page = html.parse(plain_text.decode(record.content, encoding=record.charset))
    else:
        page = html.read(record.content)
    if not page.text.strip():
        raise UnreadableDocument(
            reason=f"{name} contains a page without text.",
            remedy="Open it in a viewer of web archives, save it as PDF, and add that.",
        )
    pages = page.body.pages()
    own = (page.title, page.author, page.date or record.date, record.address or page.address, page.publisher)
    yield Outline("warc", len(pages), *own)
    yield from pages


def _date(value: object) -> str:
    text = _header(value)[:40]
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return ""
    return text
