"""Pages saved from the web: MHTML, one page with its address and date, and WARC, many. Nothing is fetched."""

from __future__ import annotations

import email
import email.policy
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.message import Message
from functools import partial
from html import unescape
from typing import Any
from urllib.parse import unquote, urljoin

from core import formats
from core.domain import LeftOut, PageText
from core.engines.readers import attachments, email_message, html, http_body, pictures, plain_text, text_flow
from core.errors import UnreadableDocument
from core.ports import Attachment, Outline

_PARTS = 2_000  # of one MHTML file
RECORDS = 200_000  # of one WARC file
_RATIO = 200  # unpacked to packed: more is made to harm
_HARMLESS = 64_000_000  # bytes: as little may unpack as it likes
_STRETCH = 1 << 16
_PAGE = ("text/html", "application/xhtml+xml")
_TEXTS = ("text/plain", "text/markdown", "text/csv")
_DATA = ("application/json", "application/xml", "application/rss", "application/atom", "application/x-ndjson")
_FRAMES = 200  # pages of one MHTML file that are read in another
_DEPTH = 10  # pages in pages
_SHEET = re.compile(
    rb"<link\b[^>]{0,2000}?\bhref\s*=\s*[\"']?([^\"'\s>]{1,2000})"
    rb"|@import\s+(?:url\(\s*)?[\"']?([^\"'\s;)]{1,2000})",
    re.IGNORECASE,
)
_HEAD = 1_000_000  # bytes of a page in which its style sheets are named
_LOOK = 3_000_000  # bytes of the style sheets of a page
_FILES = {kind for kind in formats.TYPES if not kind.startswith(("text/", "image/"))} - {*_PAGE} | {"text/rtf"}


# --- MHTML -----------------------------------------------------------------------------------------------------------


def read_mhtml(data: bytes, name: str) -> Iterator[Outline | PageText | Attachment | LeftOut]:
    """Read a page saved as MHTML, the frames in their places. Raises UnreadableDocument."""
    message = email.message_from_bytes(data.lstrip(b"\r\n\xef\xbb\xbf"), policy=email.policy.default)
    archive = _SavedPage(message)
    pages = archive.read()
    first = pages[0] if pages else html.WebPage(text_flow.Piece(""))
    bodies = [page.body for page in pages if page.text.strip()]  # the page, then what it does not show in its frames
    if not bodies:
        raise UnreadableDocument(
            reason=f"{name} contains no page with text.",
            remedy="Open it in a browser, save the page again as HTML or PDF, and add that.",
        )
    locations = (_header(message.get("Snapshot-Content-Location")), *archive.locations)
    address = next((link for link in locations if re.match(r"https?://", link, re.IGNORECASE)), first.address)
    title = first.title or email_message.header(message, "Subject")
    text_pages = text_flow.join(bodies, "\n\n").pages()
    yield Outline(
        *("mhtml", len(text_pages), title, first.author, first.date or email_message.date_of(message)),
        *(address[:2_000], first.publisher),
    )
    yield from text_pages
    yield from archive.rest(pages)


class _SavedPage:
    """The parts of an MHTML file, found by the addresses that its pages use for them."""

    def __init__(self, message: Message) -> None:
        self._parts: list[Message] = []
        self._beyond = 0
        self._outside = 0
        for part in _parts(message):
            if isinstance(part.get_payload(), list):
                texts = (part.preamble or "", part.epilogue or "")
                self._outside += sum(map(email_message.has_own_words, texts))
            elif len(self._parts) < _PARTS:
                self._parts.append(part)
            else:
                self._beyond += 1
        pages = [part for part in self._parts if part.get_content_type() in _PAGE]
        start = _header(message.get_param("start", ""))
        pages.sort(key=lambda part: not start or _header(part.get("Content-ID")) != start)
        self._pages = pages
        self.locations = [_header(part.get("Content-Location")) for part in pages]
        self._base = next((location for location in self.locations if location), "")
        self._by_address: dict[str, Message] = {}
        for part in self._parts:
            identity = _header(part.get("Content-ID")).strip("<>")
            for address in (f"cid:{identity}" if identity else "", _header(part.get("Content-Location"))):
                if address:
                    self._by_address.setdefault(address, part)
        self._depth = 0
        self._in_use: set[int] = set()  # pages that are read, each once

    def read(self) -> list[html.WebPage]:
        """Read the page, and those of its frames that it does not name."""
        return [self._read(part) for part in self._pages if id(part) not in self._in_use]

    def _read(self, part: Message) -> html.WebPage:
        self._in_use.add(id(part))
        data = email_message.payload_of(part)
        charset = email_message.charset_of(part)
        around = html.Surroundings(self._page, self._sheet, lambda address: self._part(address) is not None)
        if charset:
            return html.parse(plain_text.decode(data, encoding=charset), around)
        return html.read(data, around)

    def _part(self, address: str) -> Message | None:
        address = address.strip()[:2_000]
        part = self._by_address.get(address) or self._by_address.get(unquote(address))
        if part is None and address and self._base:
            try:
                part = self._by_address.get(urljoin(self._base, address))
            except ValueError:  # of an address that is none
                return None
        return part

    def _page(self, address: str) -> html.WebPage | None:
        part = self._part(address)
        if part is None or id(part) in self._in_use or part.get_content_type() not in _PAGE:
            return None
        if len(self._in_use) >= _FRAMES or self._depth >= _DEPTH:
            return None
        self._depth += 1
        try:
            return self._read(part)
        finally:
            self._depth -= 1

    def _sheet(self, address: str) -> str | None:
        part = self._part(address)
        if part is None or part.get_content_type() != "text/css":
            return None
        return plain_text.decode(email_message.payload_of(part), encoding=email_message.charset_of(part))

    def rest(self, pages: Sequence[html.WebPage]) -> Iterator[Attachment | LeftOut]:
        """Yield the pictures and files among the parts, and a line for each kind of what is left out."""
        ledger: Counter[tuple[str, str]] = Counter()
        inside = attachments.Children()
        for page in pages:
            for name, data in page.pictures:
                yield from inside.take(name, partial(bytes, data), size=len(data))
            for item in page.left_out:
                ledger[item.what, item.where] += item.count
        for number, part in enumerate(self._parts):
            kind = part.get_content_type()
            if kind in _PAGE or kind == "text/css":
                continue
            data = email_message.payload_of(part)
            location = _header(part.get("Content-Location")) or f"part {number + 1}"
            file_name = unquote(location.partition("?")[0].rstrip("/").rpartition("/")[2]) or f"part {number + 1}"
            what = _left_out(kind, data)
            if what:
                ledger[what, "parts of the saved page"] += 1
            elif what is not None:
                suffix = formats.TYPES.get(kind) or (f".{pictures.ending(data)}" if pictures.ending(data) else "")
                suffix = "" if file_name.lower().endswith(suffix) else suffix
                yield from inside.take(file_name + suffix, partial(bytes, data), size=len(data))
        yield from inside.rest()
        if self._outside:
            ledger["text outside the parts", "saved page"] += self._outside
        if self._beyond:
            ledger["part beyond the number that is read", "parts of the saved page"] += self._beyond
        yield from (LeftOut(what, count, where) for (what, where), count in ledger.items())


def _left_out(kind: str, data: bytes) -> str | None:
    """Return the name in the ledger of a part that is no page; '' for one to be read, None for one without text."""
    if kind.startswith("image/") or pictures.ending(data):
        if not pictures.ending(data):
            return f"picture of type {kind}"
        return "" if pictures.worth_reading(data) else "small picture"
    if kind.startswith("font/") or "font" in kind or not data.strip():
        return None
    if kind in (*_TEXTS, *_FILES) or kind.startswith("application/vnd.o") or data.startswith(b"%PDF-"):
        return ""
    return "script" if "javascript" in kind else f"part of type {kind}"


def _parts(message: Message) -> Iterator[Message]:
    """Yield the parts of a message and those that hold others."""
    waiting, count = [message], 0
    while waiting and count < 10 * _PARTS:
        part = waiting.pop()
        count += 1
        payload: Any = part.get_payload()
        if isinstance(payload, list):
            waiting.extend(child for child in reversed(payload) if isinstance(child, Message))
        yield part


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
    status: str = ""  # "404 Not Found"; '' where all went well
    is_cut: bool = False  # its end is missing

    @property
    def is_page(self) -> bool:
        """Whether it is read as a page of its own, and not as a file."""
        return self.kind in _PAGE or _is_text(self.kind)


def read_warc(data: bytes, name: str) -> Iterator[Outline | PageText | Attachment | LeftOut]:
    """Read a web archive: a single record is the page itself.

    Of several each page becomes a file of its own, which keeps its record.
    """
    ledger: Counter[str] = Counter()
    sheets: dict[str, _Record] = {}
    records = list(_records(data, name, ledger, sheets))
    is_single = len(records) == 1 and records[0].is_page and not records[0].why
    ledger["record of type text/css"] += len(sheets) - (len(_sheets_of(records[0], sheets)) if is_single else 0)
    left_out = [LeftOut(what, count, "records of the archive") for what, count in ledger.items() if count]
    if is_single:
        yield from _single(records[0], name, sheets)
        yield from left_out
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
        out.write(" ".join(filter(None, (record.date, record.address, record.status and f"({record.status})"))))
    out.end_page()
    pages = text_flow.number_pages(out.pages())
    yield Outline("warc", len(pages))
    yield from pages
    inside = attachments.Children()
    for record in records:
        file_name = re.sub(r"^https?://", "", unquote(record.address)).rstrip("/") or "page"
        ending = ".warc" if record.is_page else formats.TYPES.get(record.kind) or f".{pictures.ending(record.content)}"
        ending = ending.rstrip(".")
        file_name = f"{file_name} ({record.status})" if record.status else file_name
        file_name = file_name if not ending or file_name.lower().endswith(ending) else file_name + ending
        look = _sheets_of(record, sheets)
        yield from inside.take(file_name, partial(_record_file, record, file_name, look), size=len(record.content))
    yield from inside.rest()
    yield from left_out


def _record_file(record: _Record, name: str, sheets: Sequence[_Record] = ()) -> bytes:
    """Write a page as a web archive of its own, so that its address and date stay with it; any other file as it is.

    The style sheets of the page come behind it.
    """
    if record.why:
        raise UnreadableDocument(
            reason=f"{name} {record.why}.", remedy="Save the page again as HTML or PDF, and add that."
        )
    return b"".join(map(_written, (record, *sheets))) if record.is_page else record.content


def _written(record: _Record) -> bytes:
    content_type = f"{record.kind}; charset={record.charset}" if record.charset else record.kind
    http = f"HTTP/1.1 {record.status or '200 OK'}\r\nContent-Type: {content_type}\r\n\r\n".encode()
    kind, form = "response", "application/http; msgtype=response"
    if not re.match(r"https?:", record.address, re.IGNORECASE):  # of a file, which no server sent
        kind, form, http = "resource", content_type, b""
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {record.address}\r\nWARC-Date: {record.date}\r\n"
        f"Content-Type: {form}\r\nContent-Length: {len(http) + len(record.content)}\r\n\r\n"
    )
    return head.encode() + http + record.content + b"\r\n\r\n"


def _sheets_of(record: _Record, sheets: Mapping[str, _Record]) -> list[_Record]:
    """Return the style sheets of a page that its archive has, those that they import included."""
    result: dict[str, _Record] = {}
    size = 0
    waiting = [record] if record.kind in _PAGE and sheets else []
    while waiting:
        page = waiting.pop(0)
        for match in _SHEET.finditer(page.content[:_HEAD]):
            sheet = _sheet_at(match[1] or match[2], page.address, sheets)
            if sheet is None or sheet.address in result or size + len(sheet.content) > _LOOK:
                continue
            size += len(sheet.content)
            result[sheet.address] = sheet
            waiting.append(sheet)
    return list(result.values())


def _sheet_at(raw: bytes, base: str, sheets: Mapping[str, _Record]) -> _Record | None:
    try:
        return sheets.get(urljoin(base, unescape(raw.decode("utf-8", "replace"))).partition("#")[0])
    except ValueError:  # of an address that is none
        return None


def _refuse_bomb(data: bytes, name: str) -> None:
    """Unpack packed records once, unread, and refuse what blows up before anything looks into it."""
    limit = max(_HARMLESS, _RATIO * len(data))
    unpacker, total, piece = zlib.decompressobj(31), 0, b""
    for start in range(0, len(data), _STRETCH):
        piece += data[start : start + _STRETCH]
        while piece:
            try:
                total += len(unpacker.decompress(piece, _STRETCH * 16))
            except zlib.error:  # the reader of archives says it better
                return
            if total > limit:
                raise UnreadableDocument(
                    reason=f"{name} unpacks to more than {_RATIO} times its size.",
                    remedy="Such a file may be malicious. Save the pages you need as HTML.",
                )
            piece = unpacker.unconsumed_tail
            if unpacker.eof:  # the next record is packed by itself
                piece, unpacker = unpacker.unused_data, zlib.decompressobj(31)


def _records(data: bytes, name: str, ledger: Counter[str], sheets: dict[str, _Record]) -> Iterator[_Record]:
    """Yield the pages and documents among the answers of servers, in the order of the file, and count the others.

    Style sheets are put into ``sheets`` by their address.
    """
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
            if record.rec_type not in ("response", "resource", "conversion"):
                ledger[f"{_word(record.rec_type)} record"] += 1
                continue
            answer = _answer(record)
            total += len(answer.content)
            if total > attachments.BYTES:
                raise UnreadableDocument(
                    reason=f"{name} unpacks to more than {attachments.BYTES // 1_000_000} MB.",
                    remedy="Such a file may be malicious. Split it, or save the pages you need as HTML.",
                )
            what = _record_left_out(answer)
            if answer.kind == "text/css" and answer.content and not answer.status and answer.address not in sheets:
                sheets[answer.address] = answer
            elif what:
                ledger[what] += 1
            else:
                ledger["page or file whose end is missing"] += answer.is_cut
                yield answer
    except (UnreadableDocument, MemoryError, RecursionError):
        raise
    except Exception as error:  # the library raises a dozen unrelated types for a damaged file
        raise UnreadableDocument(
            reason=f"{name} is damaged: its records are out of order.",
            remedy="Fetch it again from its source, or save the pages you need as HTML, and add those.",
        ) from error


def _answer(record: Any) -> _Record:
    headers = record.http_headers or record.rec_headers
    status = _header(headers.statusline) if record.http_headers else ""
    content_type = headers.get_header("Content-Type") or ""
    kind = content_type.split(";")[0].strip().lower()
    body = _content(record)
    content = body.content
    if not re.fullmatch(r"[\w.+-]+/[\w.+-]+", kind) or kind in ("application/octet-stream", "application/http"):
        kind = _kind_of(content)
    charset = re.search(r"charset\s*=\s*[\"']?([\w.:-]{2,40})", content_type)
    return _Record(
        _header(record.rec_headers.get_header("WARC-Target-URI")).strip("<>"),
        _date(record.rec_headers.get_header("WARC-Date")),
        *(kind, charset.group(1) if charset else "", content),
        *(body.why, "" if status.startswith("2") else status[:60]),
        body.is_cut or bool(record.rec_headers.get_header("WARC-Truncated")),
    )


def _kind_of(content: bytes) -> str:
    """Guess the media type of content that states none."""
    head = content[:2_000].lstrip()
    if head.startswith(b"%PDF-"):
        return "application/pdf"
    if pictures.ending(content):
        return f"image/{pictures.ending(content)}"
    if head.startswith(b"PK\x03\x04"):
        return "application/zip"
    if re.match(rb"<(?:!doctype\s+html|html|head|body|title|p|div|h1|table|!--)", head, re.IGNORECASE):
        return "text/html"
    return "text/plain" if content and b"\0" not in content[:10_000] else "unknown"


def _is_text(kind: str) -> bool:
    if kind in ("text/css", "text/javascript", "text/ecmascript", "text/rtf", "text/dns"):
        return False
    return kind.startswith("text/") or kind in _DATA or (kind.endswith(("+json", "+xml")) and kind != "image/svg+xml")


def _record_left_out(answer: _Record) -> str:
    """Return the name in the ledger of an answer that is neither page nor file; '' for one to be read."""
    kind, status = answer.kind, answer.status
    if re.match(r"(?!https?:|ftps?:|file:)[a-z][a-z0-9+.-]*:", answer.address, re.IGNORECASE):
        return "note of the program that saved the pages"
    if status.startswith("3"):
        return "redirection"
    if not answer.content and not answer.why:
        return "answer without contents"
    if answer.is_page or kind in _FILES or kind.startswith("application/vnd.o"):
        return ""
    if kind.startswith("image/"):
        what = _left_out(kind, answer.content)
        return "" if what is None else what
    return f"record of type {_word(kind)}"


def _word(text: object) -> str:
    return _header(text)[:80] or "unknown"


def _content(record: Any) -> http_body.Body:
    """Return the body of an answer unpacked, or why it cannot be."""
    raw = record.raw_stream.read(http_body.MOST + 1)
    if record.http_headers is None:
        return http_body.Body(raw) if len(raw) <= http_body.MOST else http_body.read(raw, "", is_chunked=False)
    codings = plain_text.clean(record.http_headers.get_header("Content-Encoding") or "")
    is_chunked = "chunked" in (record.http_headers.get_header("Transfer-Encoding") or "").lower()
    is_file = (record.http_headers.get_header("Content-Type") or "").lower().startswith("application/")
    if not codings.strip() and not is_chunked and is_file and len(raw) <= http_body.MOST:
        return http_body.Body(raw)  # packed or not, it is the file itself
    return http_body.read(raw, codings, is_chunked=is_chunked)


def _single(
    record: _Record, name: str, sheets: Mapping[str, _Record]
) -> Iterator[Outline | PageText | Attachment | LeftOut]:
    def sheet(address: str) -> str | None:
        answer = _sheet_at(address.encode(), record.address, sheets)
        return None if answer is None else plain_text.decode(answer.content, encoding=answer.charset)

    around = html.Surroundings(sheet=sheet)
    if record.kind not in _PAGE:
        page = html.WebPage(
            text_flow.Piece(plain_text.clean(plain_text.decode(record.content, encoding=record.charset)))
        )
    elif record.charset:
        page = html.parse(plain_text.decode(record.content, encoding=record.charset), around)
    else:
        page = html.read(record.content, around)
    if not page.text.strip():
        raise UnreadableDocument(
            reason=f"{name} contains a page without text.",
            remedy="Open it in a viewer of web archives, save it as PDF, and add that.",
        )
    pages = page.body.pages()
    facts = (page.title, page.author, page.date or record.date, record.address or page.address, page.publisher)
    yield Outline("warc", len(pages), *facts)
    yield from pages
    yield from html.parts(page)


def _date(value: object) -> str:
    text = _header(value)[:40]
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return ""
    return text
