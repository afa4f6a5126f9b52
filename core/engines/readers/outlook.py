"""Single Outlook messages (.msg), read as the mail that they are: headers, body in whichever form, what is attached."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from core.domain import LeftOut, PageText
from core.engines.readers import attachments, email_message, ole_compound, plain_text, rtf_body
from core.engines.readers.mapi_mail import (
    NOT_TAKEN_OUT,
    REPLY_TO,
    MapiFile,
    MapiMail,
    address,
    authors,
    compose,
    date_header,
    details,
    subject,
)
from core.errors import UnreadableDocument
from core.ports import Attachment, Outline

_SENT_AS = 0x0C15  # the property that tells a receiver from a copy
_RECIPIENT_KINDS = {1: "To", 2: "Cc", 3: "Bcc"}
_EMBEDDED = "__substg1.0_3701000D"  # the storage of a message inside a message (MS-OXMSG, 2.2.2.1)
_TOP, _INNER, _BESIDE = 32, 24, 8  # bytes before the properties of a message, of one inside it, of a receiver or file
_VALUE = re.compile(r"__substg1\.0_([89A-Fa-f][0-9A-Fa-f]{3})101([EFef])-[0-9A-Fa-f]{8}")  # of a text of several
_DEPTH = 10  # messages inside messages


def read(data: bytes, name: str) -> Iterator[Outline | PageText | Attachment | LeftOut]:
    """Read an Outlook message: its outline, its pages, then the files attached. Raises UnreadableDocument."""
    from oxmsg import Message

    ole_compound.check_chains(data, name)
    try:
        message = _mail(Message.load(data)._storage, _TOP, 0)
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # the library raises what comes for a damaged file
        raise UnreadableDocument(
            reason=f"{name} is damaged: no message could be found in it.",
            remedy="Open it in Outlook, save it again or as .eml or PDF, and add that.",
        ) from error
    mail = email_message.read(compose(message))
    body = replace(mail.body, text=mail.body.text.replace("\f", "\n"))
    if not body.text.strip():
        raise UnreadableDocument(reason=f"{name} contains no text.", remedy="Open it in Outlook and save it as PDF.")
    pages = body.pages()
    yield Outline("msg", len(pages), mail.subject, mail.sender, mail.date)
    yield from pages
    yield from mail.left_out
    yield from mail.attachments()


def _mail(storage: Any, offset: int, depth: int) -> MapiMail:
    from oxmsg.properties import Properties

    properties = Properties(storage, properties_header_offset=offset)
    receivers: dict[str, list[str]] = {}
    for recipient in storage.iter_recipient_storages():
        person = Properties(recipient, properties_header_offset=_BESIDE)
        kind = _RECIPIENT_KINDS.get((_value(person.int_prop_value, _SENT_AS) or 1) & 0xF, "To")
        mail_address = _text(person, 0x39FE) or _text(person, 0x3003)
        receivers.setdefault(kind, []).append(address(_text(person, 0x3001), mail_address))
    sender = address(_text(properties, 0x0C1A), _text(properties, 0x0C1F) or _text(properties, 0x5D01))
    author = address(_text(properties, 0x0042), _text(properties, 0x0065))
    moment = _value(properties.date_prop_value, 0x0039) or _value(properties.date_prop_value, 0x0E06)
    fields = {
        **authors(author, sender),
        "To": ", ".join(filter(None, receivers.get("To", ()))) or _text(properties, 0x0E04),
        "Cc": ", ".join(filter(None, receivers.get("Cc", ()))) or _text(properties, 0x0E03),
        "Bcc": ", ".join(filter(None, receivers.get("Bcc", ()))) or _text(properties, 0x0E02),
        "Reply-To": _text(properties, REPLY_TO),
        "Date": date_header(moment),
        "Subject": subject(_text(properties, 0x0037)),
    }
    page, charset = _page(properties)
    packed = _value(properties.binary_prop_value, 0x1009) or b""
    rich_text = rtf_body.decompress(packed)
    return MapiMail(
        fields=tuple(fields.items()),
        transport=_text(properties, 0x007D),
        plain=plain_text.clean(_text(properties, 0x1000)),
        page=page,
        charset=charset,
        rich_text=rich_text,
        details=tuple(_details(properties, storage)),
        files=tuple(_files(storage, depth)),
        is_body_lost=bool(packed.strip(b"\0")) and not rich_text,
    )


def _page(properties: Any) -> tuple[bytes, str]:
    """Return the body in HTML, and its encoding."""
    page = _value(properties.binary_prop_value, 0x1013)
    if not page:
        text = _text(properties, 0x1013)
        return text.encode("utf-8", "replace"), "utf-8" if text else ""
    codepage = _value(properties.int_prop_value, 0x3FDE) or 0
    return page, "utf-8" if codepage == 65_001 else f"cp{codepage}" if codepage else ""


def _details(properties: Any, storage: Any) -> Iterator[str]:
    """Yield what the message says beside the fields of a mail."""
    texts = {item.pid: _text(properties, item.pid) for item in properties if item.ptyp in (0x1E, 0x1F)}
    lists: dict[int, list[str]] = {}
    for stream in storage.streams:
        if match := _VALUE.fullmatch(stream.name):
            is_wide = match[2].upper() == "F"
            text = stream.bytes_.decode("utf-16-le", "replace") if is_wide else plain_text.decode(stream.bytes_)
            lists.setdefault(int(match[1], 16), []).append(text.rstrip("\0"))
    named = (_value(properties.date_prop_value, item.pid) for item in properties if item.pid >= 0x8000)
    return details(texts, lists, (moment for moment in named if isinstance(moment, datetime)))


def _files(storage: Any, depth: int) -> Iterator[MapiFile]:
    from oxmsg.properties import Properties

    for number, attachment in enumerate(storage.iter_attachment_storages(), start=1):
        if number > attachments.COUNT + 1:
            break
        properties = Properties(attachment, properties_header_offset=_BESIDE)
        name = next((text for pid in (0x3707, 0x3704, 0x3001) if (text := _text(properties, pid))), "")
        name = " ".join(plain_text.clean(name).split())[:200] or f"attachment {number}"
        inner = next((storage for storage in attachment.storages if storage.name == _EMBEDDED), None)
        if inner is not None and depth < _DEPTH and any(s.name.startswith("__properties") for s in inner.streams):
            yield MapiFile(name, compose(_mail(inner, _INNER, depth + 1)), "message/rfc822")
            continue
        content = _value(properties.binary_prop_value, 0x3701) or b""
        kind, content_id = _text(properties, 0x370E), _text(properties, 0x3712)
        kind = kind if content else NOT_TAKEN_OUT
        yield MapiFile(name, content, kind, content_id if kind.startswith("image/") else "")


def _text(properties: Any, number: int) -> str:
    """Return a text, decoded as well as can be where it is not in the encoding that the message states."""
    value = _value(properties.str_prop_value, number)
    if value is None:
        try:
            value = plain_text.decode(properties._storage.property_stream_bytes(number, 0x1E))
        except (KeyError, AttributeError):
            value = ""
    return str(value).rstrip("\0")


def _value(function: Any, number: int) -> Any:
    try:
        return function(number)
    except (KeyError, AssertionError, LookupError, ValueError, AttributeError, OverflowError):  # damaged, or not there
        return None
