"""Messages of Outlook, written as the mail that they are (RFC 5322), so that one reader reads them all.

What is written depends on nothing but the message: the same message gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime

from core.engines.readers import plain_text

NOT_TAKEN_OUT = "application/x-not-taken-out"  # the kind of a file that lies in a message and cannot be had
REPLY_TO = 0x0050  # the names of those whom an answer goes to
_HEADER = 30_000  # characters
_NAMED = 0x8000  # properties from here on have a name beside their number
_MAILS = ("IPM.NOTE", "IPM.MICROSOFT MAIL.NOTE")  # kinds of entry
_PACKED = re.compile(r"(?i)(?:content-[a-z-]+|mime-version)\Z")

# Properties of a contact (MS-OXOCNTC), by their numbers.
CONTACT = {
    0x3A16: "Organization", 0x3A17: "Title", 0x3A18: "Department", 0x3A19: "Office", 0x3A08: "Phone (work)",
    0x3A1B: "Phone (work)", 0x3A09: "Phone (home)", 0x3A1C: "Phone (mobile)", 0x3A24: "Fax (work)",
    0x3A25: "Fax (home)", 0x3A29: "Street", 0x3A27: "Town", 0x3A28: "Region", 0x3A2A: "Postcode", 0x3A26: "Country",
    0x3A15: "Address", 0x3A06: "Given name", 0x3A11: "Surname", 0x3A4F: "Nickname", 0x3A30: "Assistant",
    0x3A4E: "Manager", 0x3A48: "Partner", 0x3A46: "Profession", 0x3A51: "Address on the web",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MapiFile:
    """A file attached to a message; ``content_id`` names the place in the body that shows it."""

    name: str
    content: bytes
    kind: str = ""
    content_id: str = ""


@dataclass(frozen=True, slots=True)
class MapiMail:
    """A message of Outlook. ``transport`` are the headers it came with, ``fields`` what its properties say instead.

    ``details`` are lines on what else it says, as of an appointment or a contact; ``page`` is the body in HTML, in the
    encoding ``charset`` ('': its own word for it), ``rich_text`` that in RTF.
    """

    fields: tuple[tuple[str, str], ...]
    transport: str = ""
    plain: str = ""
    page: bytes = b""
    charset: str = ""
    rich_text: bytes = b""
    details: tuple[str, ...] = ()
    files: tuple[MapiFile, ...] = ()
    is_body_lost: bool = False  # there is a body in RTF, and it cannot be unpacked


def compose(mail: MapiMail) -> bytes:
    """Write a message as a mail."""
    bodies: list[bytes] = []
    if mail.plain.strip():
        bodies.append(_part("text/plain; charset=utf-8", mail.plain.encode("utf-8", "replace")))
    if mail.page.strip():
        charset = f"; charset={mail.charset}" if mail.charset else ""
        bodies.append(_part(f"text/html{charset}", mail.page))
    elif mail.rich_text.strip():
        bodies.append(_part("text/rtf", mail.rich_text))
    if mail.is_body_lost and not bodies:
        bodies.append(_file(MapiFile("body in RTF", b"", NOT_TAKEN_OUT)))
    parts = [_several("alternative", bodies)] if len(bodies) > 1 else bodies
    if mail.details:
        parts.append(_part("text/plain; charset=utf-8", "\n".join(mail.details).encode("utf-8", "replace")))
    parts += [_file(file) for file in mail.files]
    head = "".join(f"{name}: {value}\r\n" for name, value in _headers(mail)).encode("utf-8", "replace")
    return head + b"MIME-Version: 1.0\r\n" + _several("mixed", parts)


def _headers(mail: MapiMail) -> list[tuple[str, str]]:
    headers: list[tuple[str, str]] = []
    for line in re.sub(r"\r?\n[ \t]+", " ", mail.transport).splitlines():
        match = re.match(r"([!-9;-~]{1,100})[ \t]*:\s*(.*)", line)
        if match and not _PACKED.match(match.group(1)):
            headers.append((match.group(1), _line(match.group(2))))
    names = {name.lower() for name, _ in headers}
    fields = [(name, _line(value)) for name, value in mail.fields if name.lower() not in names and value.strip()]
    return [*headers, *fields]


def _line(text: str) -> str:
    return " ".join(plain_text.clean(text).split())[:_HEADER]


def _part(kind: str, content: bytes, more: str = "") -> bytes:
    head = f"Content-Type: {kind}\r\nContent-Transfer-Encoding: base64\r\n{more}\r\n".encode("utf-8", "replace")
    return head + base64.encodebytes(content).replace(b"\n", b"\r\n")


def _several(kind: str, parts: Sequence[bytes]) -> bytes:
    border = "=_" + hashlib.sha256(b"\0".join((kind.encode(), *parts))).hexdigest()[:40]
    head = f'Content-Type: multipart/{kind}; boundary="{border}"\r\n\r\n'.encode()
    return head + b"".join(f"--{border}\r\n".encode() + part + b"\r\n" for part in parts) + f"--{border}--\r\n".encode()


def _file(file: MapiFile) -> bytes:
    name = re.sub(r'["\\\r\n]', "_", _line(file.name))[:200]
    if file.kind == "message/rfc822":
        more = f'Content-Disposition: attachment; filename="{name}"\r\n\r\n'
        return f"Content-Type: message/rfc822\r\n{more}".encode("utf-8", "replace") + file.content
    kind = file.kind if re.fullmatch(r"[\w.+-]{1,60}/[\w.+-]{1,80}", file.kind) else "application/octet-stream"
    if kind.startswith(("multipart/", "message/")):
        kind = "application/octet-stream"
    way = "inline" if file.content_id else "attachment"
    more = f'Content-Disposition: {way}; filename="{name}"\r\n'
    if file.content_id:
        more += f"Content-ID: <{_line(file.content_id)[:200]}>\r\n"
    return _part(kind, file.content, more)


def details(texts: Mapping[int, str], lists: Mapping[int, Sequence[str]], moments: Iterable[datetime]) -> Iterator[str]:
    """Yield what an entry says beside the fields of a mail: its categories, and all of a contact or an appointment.

    ``texts``, ``lists`` (texts of several values) and ``moments`` are its properties. Which number a named one has
    (from 0x8000 on) differs from file to file, and the libraries do not tell its name.
    """
    kind = texts.get(0x001A, "")
    is_mail = not kind or kind.upper().startswith(_MAILS)
    words = [" ".join(word.split()) for number, values in lists.items() if number >= _NAMED for word in values]
    if any(words):
        yield f"{'Categories' if is_mail else 'Field'}: {', '.join(filter(None, words))}"
    if not is_mail:
        yield f"Kind of entry: {kind}"
    for number, label in CONTACT.items() if not is_mail or not kind else ():
        if text := texts.get(number, "").strip():
            yield f"{label}: {text}"
    if is_mail:
        return
    fields = (text.strip() for number, text in texts.items() if number >= _NAMED)
    yield from (f"Field: {text}" for text in dict.fromkeys(fields) if text)
    for moment in sorted(set(moments)):
        if 1700 < moment.year < 4000:
            yield f"Time: {moment:%Y-%m-%d %H:%M} UTC"


def date_header(moment: datetime | None) -> str:
    """Return a moment as a header states it, '' for none; one without a zone is in UTC."""
    if moment is None:
        return ""
    try:
        return format_datetime(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return ""


def address(name: str, mail_address: str) -> str:
    """Return a person as a header names one."""
    name, mail_address = _line(name), _line(mail_address)
    if name and mail_address and name != mail_address:
        return f"{name} <{mail_address}>"
    return mail_address or name


def authors(author: str, sender: str) -> dict[str, str]:
    """Return the headers that name the author of a message, and who sent it for that person."""
    if author.partition(" <")[0] in sender:
        return {"From": sender}
    return {"From": author, "Sender": sender}


def subject(text: str) -> str:
    """Return a subject without the two characters that say where its prefix ends."""
    return text[2:] if text[:1] == "\x01" else text
