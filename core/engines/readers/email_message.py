"""Single e-mails (.eml): headers a person reads, the body, and what is attached. Nothing attached is opened."""

from __future__ import annotations

import email
import email.errors
import email.header
import email.policy
import email.utils
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from email.message import Message
from functools import partial
from typing import Any

from core.domain import Section
from core.engines.readers import attachments as children
from core.engines.readers import html, plain_text, text_flow
from core.ports import Attachment

_HEADERS = ("From", "To", "Cc", "Bcc", "Date", "Subject")
_MAX_DEPTH = 20  # messages inside messages
_MAX_NESTING = 200  # parts inside parts of one message
_PARTS = 2_000
_HEADER = 4_000  # characters
_RAW = 8_000  # characters of a header as it is sent; the time to take one apart grows with their square


@dataclass(frozen=True, slots=True)
class Mail:
    """An e-mail as text, and what it says about itself."""

    body: text_flow.Piece
    subject: str = ""
    sender: str = ""
    date: str = ""

    @property
    def text(self) -> str:
        """The text alone, without where its headings and hidden spans lie."""
        return self.body.text


class _Policy(email.policy.EmailPolicy):
    """The usual reading of a message, with long headers cut."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value if len(value) <= _RAW else f"{value[:_RAW]} {_CUT}"


_CUT = "(cut here)"
_POLICY = _Policy()


def looks_like(head: str) -> bool:
    """Tell whether a text begins like an e-mail. A memo with 'From:' and 'To:' alone does not."""
    fields: set[str] = set()
    for line in head.removeprefix("\ufeff").lstrip("\n\r").splitlines()[:60]:
        if not line.strip():
            break
        if line[:1] in " \t":
            continue
        field = re.match(r"([A-Za-z][A-Za-z0-9-]{1,60}):", line)
        if not field:
            if fields or not line.startswith("From "):
                break
            continue
        fields.add(field.group(1).lower())
    return bool(fields & {"mime-version", "received", "message-id", "return-path", "x-mailer"}) and len(fields) >= 3


def read(data: bytes) -> Mail:
    """Read a message. Never raises for a malformed one: what can be read is read, the rest is named."""
    message = _parse(data)
    body = _message_text(message, 0, [0])
    sender = header(message, "From")
    return Mail(body, header(message, "Subject"), sender, date_of(message))


_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")


def attachments_of(data: bytes) -> Iterator[Attachment]:
    """Yield the files attached to a message and to those attached to it, without signatures and pictures of a body.

    What lies deeper than the program reads, or beyond the number of parts that it takes, is named with the reason.
    """
    files = children.Children()
    yield from _attachments(_parse(data), files)
    yield from files.rest()


def _attachments(message: Message, files: children.Children) -> Iterator[Attachment]:
    waiting, count, deep = [(message, 0, 0)], 0, 0  # each with the messages and the parts around it
    while waiting:
        part, messages, parts = waiting.pop()
        count += 1
        if count > _PARTS:
            yield _unread("more parts", f"It has more than {_PARTS:,} parts; the rest were not read.")
            break
        inner = _children(part)
        if inner:
            into = (messages + 1, 0) if part.get_content_type() == "message/rfc822" else (messages, parts + 1)
            waiting.extend((each, *into) for each in reversed(inner))
            continue
        deep += messages >= _MAX_DEPTH or parts > _MAX_NESTING
        kind = part.get_content_type()
        name = _name(part)
        disposition = str(part.get("Content-Disposition", "")).strip().lower()
        away = disposition.startswith("attachment")
        if part.is_multipart() or kind in _SIGNATURES or (kind.startswith("text/") and not away and not name):
            continue
        if kind.startswith("image/") and part.get("Content-ID") and not away:
            continue
        if payload := payload_of(part):
            yield from files.take(name or f"attachment{children.ending(kind)}", partial(bytes, payload))
    if deep:
        several = f"{deep} parts of it are nested" if deep > 1 else "A part of it is nested"
        yield _unread(
            "deeper messages",
            f"{several} more than {_MAX_DEPTH} messages or {_MAX_NESTING} parts deep in others, "
            "and no text was read there.",
        )


def _unread(name: str, reason: str) -> Attachment:
    return Attachment(
        f"({name})", b"", reason, "Open it in the mail program, save the innermost messages as .eml, and add those."
    )


def _parse(data: bytes) -> Message:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or data[:200].count(0) > 20:
        data = plain_text.decode(data).encode("utf-8")
    return email.message_from_bytes(data.lstrip(b"\r\n\xef\xbb\xbf"), policy=_POLICY)


def _message_text(message: Message, depth: int, count: list[int]) -> text_flow.Piece:
    """Write headers, body and attachments, under the subject as their heading.

    ``count`` holds the number of parts seen so far, in all depths.
    """
    head = [f"{name}: {value}" for name in _HEADERS if (value := header(message, name))]
    bodies: list[text_flow.Piece] = []
    file_lines: list[str] = []
    messages: list[Message] = []
    _collect(message, bodies, file_lines, messages, count, 0)
    blocks = [head_piece("\n".join(head), header(message, "Subject")), *(body.strip().below(1) for body in bodies)]
    if file_lines:
        blocks.append(
            text_flow.Piece(plain_text.clean("Attachments:\n" + "\n".join(f"- {line}" for line in file_lines)))
        )
    for inner in messages:
        if depth + 1 >= _MAX_DEPTH:
            blocks.append(
                text_flow.Piece(f"- a message attached more deeply than the program reads ({_MAX_DEPTH} deep)")
            )
            break
        blocks.append(
            text_flow.join(
                (text_flow.Piece("Attached message:"), _message_text(inner, depth + 1, count).below(1)), "\n\n"
            )
        )
    return text_flow.join(blocks, "\n\n")


def head_piece(head: str, subject: str) -> text_flow.Piece:
    """Return the headers of a message, with its subject as the heading of all that follows."""
    title = text_flow.heading_text(subject)
    return text_flow.Piece(head, (), (Section(1, title, 0),) if title and head else ())


def _collect(
    part: Message,
    bodies: list[text_flow.Piece],
    file_lines: list[str],
    messages: list[Message],
    count: list[int],
    depth: int,
) -> None:
    count[0] += 1
    if count[0] > _PARTS:
        if count[0] == _PARTS + 1:
            file_lines.append(f"more than {_PARTS} parts; the rest is left out")
        return
    kind = part.get_content_type()
    name = _name(part)
    disposition = str(part.get("Content-Disposition", "")).strip().lower()
    if kind == "message/rfc822" or (kind.startswith("message/") and part.is_multipart()):
        inner = _children(part)
        if inner and kind == "message/rfc822":
            messages.extend(inner)
        else:
            file_lines.append(name or kind)
    elif part.is_multipart() and depth >= _MAX_NESTING:
        file_lines.append(f"parts that lie more deeply than the program reads ({_MAX_NESTING} deep)")
    elif part.is_multipart():
        children = _children(part)
        if kind == "multipart/alternative":
            _collect_best(children, bodies, file_lines, messages, count, depth)
        else:
            for child in children:
                _collect(child, bodies, file_lines, messages, count, depth + 1)
    elif kind in ("text/plain", "text/html") and not disposition.startswith("attachment") and not name:
        bodies.append(_body(part, kind))
    elif not part.is_multipart():
        size = len(payload_of(part))
        if name or size:
            file_lines.append(f"{name or kind} ({_size(size)})")


def _children(part: Message) -> list[Message]:
    children: Any = part.get_payload()
    return [child for child in children if isinstance(child, Message)] if isinstance(children, list) else []


def _collect_best(
    children: list[Message],
    bodies: list[text_flow.Piece],
    file_lines: list[str],
    messages: list[Message],
    count: list[int],
    depth: int,
) -> None:
    """Take of several forms of one body the plain one, or the first that has text."""
    candidates: list[tuple[list[text_flow.Piece], list[str], list[Message]]] = []
    for child in sorted(children, key=lambda child: child.get_content_type() != "text/plain"):
        forms: tuple[list[text_flow.Piece], list[str], list[Message]] = ([], [], [])
        _collect(child, *forms, count, depth + 1)
        candidates.append(forms)
    for forms in candidates:
        if any(body.text.strip() for body in forms[0]):
            bodies.extend(forms[0])
            break
    for forms in candidates:
        file_lines.extend(forms[1])
        messages.extend(forms[2])


def payload_of(part: Message) -> bytes:
    """Return the bytes of a part, as they were before they were packed for the way."""
    try:
        data: Any = part.get_payload(decode=True)
    except Exception:  # the decoders raise what they like for malformed input
        data = str(part.get_payload()).encode("utf-8", "replace")
    return data if isinstance(data, bytes) else b""


def _body(part: Message, kind: str) -> text_flow.Piece:
    text = plain_text.decode(payload_of(part), encoding=charset_of(part))
    return html.parse(text).body if kind == "text/html" else text_flow.Piece(plain_text.clean(text))


def charset_of(part: Message) -> str:
    """Return the encoding that a part states, '' where it states none."""
    try:
        return part.get_content_charset() or ""
    except Exception:  # of a malformed header
        return ""


def header(message: Message, name: str) -> str:
    """Return a header as a person reads it, on one line."""
    try:
        values = [str(value) for value in message.get_all(name, [])]
    except Exception:  # the structured header parser fails on some malformed addresses
        raw = [value for key, value in getattr(message, "_headers", []) if key.lower() == name.lower()]
        values = [_decode_words(str(value)) for value in raw]
    text = ", ".join(values) if name in ("To", "Cc", "Bcc") else "".join(values[:1])
    text = " ".join(plain_text.clean(text).split())
    return text if len(text) <= _HEADER else f"{text[:_HEADER]} … (the rest of this line is not read)"


def _decode_words(value: str) -> str:
    try:
        return str(email.header.make_header(email.header.decode_header(value)))
    except Exception:
        return value


def _name(part: Message) -> str:
    try:
        name = part.get_filename() or ""
    except Exception:
        name = ""
    return " ".join(plain_text.clean(_decode_words(str(name))).split())[:200]


def date_of(message: Message) -> str:
    """Return the date as ISO 8601, or as it stands where it is none."""
    text = header(message, "Date")
    try:
        return email.utils.parsedate_to_datetime(text).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        pass
    try:
        return datetime.fromisoformat(text).isoformat()
    except ValueError:
        return text[:100]


def _size(size: int) -> str:
    return f"{size} bytes" if size < 1_000 else f"{size / 1_000:.0f} kB" if size < 1_000_000 else f"{size / 1e6:.1f} MB"
