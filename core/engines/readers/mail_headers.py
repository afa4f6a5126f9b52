"""Headers of e-mails as a person reads them, however they were encoded, and heads with lines that are no headers."""

from __future__ import annotations

import base64
import binascii
import re
from email.message import Message

from core.engines.readers import plain_text

# The headers that a person reads, in their order; each is shown as often as it is there.
SHOWN = (
    "From", "Sender", "Reply-To", "To", "Cc", "Bcc", "Newsgroups", "Date", "Sent", "Subject", "Organization",
    "Comments", "Keywords", "Resent-From", "Resent-Sender", "Resent-To", "Resent-Cc", "Resent-Bcc", "Resent-Date",
    "X-Folder", "X-Gmail-Labels", "Importance", "Sensitivity",
)  # fmt: skip
_FORM = {  # of the message, which its text shows
    "mime-version", "content-type", "content-transfer-encoding", "content-disposition", "content-language",
    "content-length", "content-id", "lines",
}  # fmt: skip
_LISTS = {"to", "cc", "bcc", "resent-to", "resent-cc", "resent-bcc"}
_ORDINARY = {"importance": "normal", "sensitivity": "normal"}  # what says nothing
_HEADER = 4_000  # characters of a header that are shown
_HEAD = 1_000_000  # bytes searched for the end of the headers
_WORD = re.compile(r"=\?([^\s?*]{1,60})(?:\*[^\s?]{0,40})?\?([bBqQ])\?([^?\r\n]*)\?=")
_FIELD = re.compile(rb"([!-9;-~]{1,200})[ \t]*:")
_COMMON = {
    b"from", b"to", b"cc", b"bcc", b"subject", b"date", b"message-id", b"mime-version", b"content-type", b"reply-to",
    b"content-transfer-encoding", b"received", b"return-path", b"sender", b"in-reply-to", b"references", b"x-mailer",
}  # fmt: skip


def lines(message: Message) -> list[str]:
    """Return the headers that a person reads, a line each, repeated ones included."""
    result: list[str] = []
    senders = set(_values(message, "From"))
    for name in SHOWN:
        label = name.removeprefix("X-")
        values = _values(message, name)
        if name in ("Sender", "Reply-To"):
            values = [value for value in values if value not in senders]
        if name.lower() in _LISTS:
            values = [shorten(", ".join(values))] if values else []
        for value in dict.fromkeys(values):
            if value and value.lower() != _ORDINARY.get(name.lower()):
                result.append(f"{label}: {value}")
    return result


def unshown(message: Message) -> list[str]:
    """Return the name of each header with words that is not shown."""
    shown = {name.lower() for name in SHOWN} | _FORM
    return [name for name, text in message.raw_items() if name.lower() not in shown and str(text).strip()]


def value(message: Message, name: str) -> str:
    """Return a header as a person reads it, on one line; of several the first, of receivers all."""
    values = _values(message, name)
    return shorten(", ".join(values)) if name.lower() in _LISTS else (values or [""])[0]


def _values(message: Message, name: str) -> list[str]:
    raw = [str(text) for key, text in message.raw_items() if key.lower() == name.lower()]
    return [shorten(" ".join(plain_text.clean(decode_words(text)).split())) for text in raw]


def shorten(text: str) -> str:
    """Return a header, cut where it is far too long to be shown."""
    return text if len(text) <= _HEADER else f"{text[:_HEADER]} … (the rest of this line is not read)"


def decode_words(text: str) -> str:
    """Decode the encoded words of a header (RFC 2047); a character may be split between two of them."""
    if "=?" not in text:
        return text
    parts: list[str] = []
    pending, encoding = b"", ""
    offset = 0
    for match in _WORD.finditer(text):
        between = text[offset : match.start()]
        content = _bytes_of_word(match.group(2).lower(), match.group(3))
        if content is None:
            continue
        is_adjacent = bool(encoding) and not between.strip()
        if not (is_adjacent and match.group(1).lower() == encoding):
            parts.append(plain_text.decode(pending, encoding=encoding) if pending else "")
            pending = b""
        if not is_adjacent:
            parts.append(between)
        pending, encoding = pending + content, match.group(1).lower()
        offset = match.end()
    parts.append(plain_text.decode(pending, encoding=encoding) if pending else "")
    return "".join(parts) + text[offset:]


def _bytes_of_word(kind: str, text: str) -> bytes | None:
    try:
        if kind == "b":
            return base64.b64decode(re.sub(r"\s", "", text).rstrip("=") + "==") if text else b""
        raw = text.replace("_", " ").encode("utf-8", "surrogateescape")
        return re.sub(rb"=([0-9A-Fa-f]{2})", lambda match: bytes([int(match.group(1), 16)]), raw)
    except (ValueError, binascii.Error):
        return None


def stated_charset(data: bytes) -> str:
    """Return the encoding that a message states first, in which its headers may be written as well."""
    match = re.search(rb"""(?i)charset\s*=\s*["']?([\w.:+-]{2,40})""", data[:20_000])
    return match.group(1).decode("ascii") if match else ""


def mend(data: bytes) -> tuple[bytes, list[str]]:
    """Take the lines out of a head that are no headers, and return them beside the rest.

    A line is one only where headers of the usual names go on behind it: elsewhere the body has begun.
    """
    blank = re.search(rb"(?:\A|\n)\r?\n", data[:_HEAD])
    end = blank.start() + 1 if blank else min(len(data), _HEAD)
    head = data[:end].splitlines(keepends=True)
    fields = [_FIELD.match(line) for line in head]
    last = max((index for index, field in enumerate(fields) if field and field.group(1).lower() in _COMMON), default=-1)
    headers: list[bytes] = []
    strays: list[bytes] = []
    is_stray = False
    for index, (line, field) in enumerate(zip(head, fields, strict=True)):
        if index > last:
            headers += head[index:]
            break
        if field is not None:
            is_stray = False
            name = field.group(1)
            headers.append(name + line[line.index(b":") :] if line[len(name) : len(name) + 1] in b" \t" else line)
            continue
        is_stray = is_stray or (line[:1] not in b" \t" and not (index == 0 and line.startswith((b"From ", b">From "))))
        (strays if is_stray else headers).append(line)
    if not strays and headers == head:
        return data, []
    texts = [plain_text.clean(plain_text.decode(line)).strip() for line in strays]
    return b"".join(headers) + data[end:], [text for text in texts if text]
