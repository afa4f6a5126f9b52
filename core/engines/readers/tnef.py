"""What Outlook packs into one file for the way (winmail.dat, MS-OXTNEF), written as the mail that it is."""

from __future__ import annotations

import logging
import struct
from collections.abc import Iterator
from typing import Any

from core import formats
from core.engines.readers import plain_text, rtf_body
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

_LARGEST = 200_000_000  # bytes
_OBJECTS = 20_000
_DEPTH = 5  # messages inside messages
_CODEPAGE = 0x9007
_WITH_PROPERTIES = (0x9003, 0x9005)  # their first number says how many properties follow
_TEXTS = {0x0037: "Subject", 0x0E04: "To", 0x0E03: "Cc", 0x0E02: "Bcc", REPLY_TO: "Reply-To"}


def as_mail(data: bytes) -> bytes | None:
    """Return the content of ``data`` as the bytes of a mail, or None if it is damaged."""
    from tnefparse import TNEF

    if formats.by_start(data) != "tnef" or len(data) > _LARGEST:
        return None
    ready = _with_codepage(data)
    if ready is None:
        return None
    logging.getLogger("tnefparse").disabled = True  # it writes about what it reads
    try:
        return compose(_mail(TNEF(ready, do_checksum=False), 0))
    except MemoryError:
        raise
    except Exception:  # the library raises what comes for a damaged file
        return None


def mail_in(data: bytes, name: str) -> bytes:
    """Return the bytes of a mail with what is packed in a file. Raises UnreadableDocument."""
    mail = as_mail(data)
    if mail is None:
        raise UnreadableDocument(
            reason=f"{name} is damaged: no message could be found in it.",
            remedy="Open the mail that it came with in Outlook, save it as .eml or PDF, and add that.",
        )
    return mail


def _with_codepage(data: bytes) -> bytes | None:
    """Return the file with an encoding for its texts, without which the library stops; None for any other file.

    A count of properties beyond what the file has room for would keep the library busy for hours.
    """
    offset, count, has_codepage = 6, 0, False
    while offset + 12 < len(data):
        name, length = struct.unpack_from("<H2xI", data, offset + 1)
        if name in _WITH_PROPERTIES and offset + 13 <= len(data):
            (properties,) = struct.unpack_from("<I", data, offset + 9)
            if properties > length // 4:
                return None
        has_codepage = has_codepage or name == _CODEPAGE
        offset += length + 11
        count += 1
        if count > _OBJECTS:
            return None
    if not count:
        return None
    if has_codepage:
        return data
    return data[:6] + struct.pack("<BHHIIIH", 1, _CODEPAGE, 6, 8, 1252, 0, (1252 >> 8) + (1252 & 0xFF)) + data[6:]


def _mail(tnef: Any, depth: int) -> MapiMail:
    texts: dict[int, str] = {}
    lists: dict[int, list[str]] = {}
    for prop in tnef.mapiprops:  # one of several values comes as often as it has values
        if _is_text(prop) and (text := _text(_value(prop))):
            lists.setdefault(prop.name, []).append(text)
            texts.setdefault(prop.name, text)
    lists = {number: values for number, values in lists.items() if len(values) > 1}
    moments = {prop.name: _value(prop) for prop in tnef.mapiprops if prop.attr_type == 0x40}
    by_name = {item.name: item.data for item in tnef.msgprops}
    texts.setdefault(0x001A, _text(by_name.get(tnef.ATTMESSAGECLASS)))
    sender = address(texts.get(0x0C1A, ""), texts.get(0x0C1F, ""))
    author = address(texts.get(0x0042, ""), texts.get(0x0065, ""))
    fields = {name: texts.get(number, "") for number, name in _TEXTS.items()}
    fields |= _receivers(by_name.get(tnef.ATTRECIPTABLE) or [])
    own_subject = by_name.get(tnef.ATTSUBJECT)
    fields["Subject"] = subject(fields["Subject"]) or (_text(own_subject) if own_subject else "")
    if not sender and not author and isinstance(by_name.get(tnef.ATTFROM), tuple):
        name, _, mail_address = by_name[tnef.ATTFROM]
        sender = address(_text(name), _text(mail_address))
    moment = moments.get(0x0039) or moments.get(0x0E06) or by_name.get(tnef.ATTDATESENT)
    fields = {
        **authors(author, sender),
        **fields,
        "Date": date_header(moment if hasattr(moment, "isoformat") else None),
    }
    page, packed = tnef.htmlbody or b"", tnef._rtfbody or b""
    rich_text = rtf_body.decompress(packed)
    return MapiMail(
        fields=tuple(fields.items()),
        transport=texts.get(0x007D, ""),
        plain=plain_text.clean(_text(tnef.body)),
        page=page if isinstance(page, bytes) else page.encode("utf-8", "replace"),
        charset="" if isinstance(page, bytes) else "utf-8",
        rich_text=rich_text,
        is_body_lost=bool(packed.strip(b"\0")) and not rich_text,
        details=tuple(details(texts, lists, (moment for number, moment in moments.items() if number >= 0x8000))),
        files=tuple(_files(tnef, depth)),
    )


def _receivers(rows: list[Any]) -> dict[str, str]:
    """Return the headers that name the receivers, from the table of them."""
    people: dict[str, list[str]] = {}
    for row in rows:
        values = {prop.name: _value(prop) for prop in row if not prop.guid}
        mail_address = _text(values.get(0x39FE)) or _text(values.get(0x3003))
        kind = {2: "Cc", 3: "Bcc"}.get(values.get(0x0C15, 1), "To")
        people.setdefault(kind, []).append(address(_text(values.get(0x3001)), mail_address))
    return {kind: ", ".join(filter(None, persons)) for kind, persons in people.items()}


def _files(tnef: Any, depth: int) -> Iterator[MapiFile]:
    for number, attachment in enumerate(tnef.attachments, start=1):
        properties = {prop.name: prop for prop in attachment.mapi_attrs if not prop.guid}
        name = _text(_value(properties[0x3707])) if 0x3707 in properties else ""
        name = name or _text(attachment._name).strip("\0") or f"attachment {number}"
        inner = getattr(attachment, "embed", None)
        if inner is not None and depth < _DEPTH:
            content = compose(_mail(inner, depth + 1))
            yield MapiFile(name, content, "message/rfc822")
            continue
        kind = _text(_value(properties[0x370E])) if 0x370E in properties else ""
        content_id = _text(_value(properties[0x3712])) if 0x3712 in properties else ""
        content = attachment.data if isinstance(attachment.data, bytes) else b""
        kind = kind if content else NOT_TAKEN_OUT
        yield MapiFile(name, content, kind, content_id if kind.startswith("image/") else "")


def _is_text(prop: Any) -> bool:
    return prop.attr_type in (0x1E, 0x1F)


def _value(prop: Any) -> Any:
    try:
        return prop.data
    except Exception:  # of a property that was cut off
        return None


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return plain_text.decode(value.rstrip(b"\0"))
    return value.rstrip("\0") if isinstance(value, str) else ""
