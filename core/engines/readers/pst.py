"""Mailboxes of Outlook (.pst, .ost): a page that lists the folders, and each entry as a mail of its own.

A mail is named by its folders and its subject; what is attached to it lies in it.
"""

from __future__ import annotations

import contextlib
import io
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import pairwise
from typing import Any

from core.domain import LeftOut, PageText
from core.engines.readers import attachments, plain_text, text_flow
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

MESSAGES = 50_000  # of one mailbox; the same in core.documents.importing and core.workers.wire.documents
_FOLDERS = 20_000
_DEPTH = 50
_FILES = 500  # attached to one message
_FILE = 200_000_000  # bytes of one of them
# The folders around those that a person sees.
_TOPS = {"Top of Personal Folders", "Top of Outlook data file", "IPM_SUBTREE", "Root - Mailbox", "Root - Public"}
_TEXTS, _TIME, _INTEGER = (0x1E, 0x1F), 0x40, 3
_LISTS = {0x101E: "", 0x101F: "utf-16-le"}  # of texts, with their encoding
_EMBEDDED = 5  # the way of attaching a message (MS-OXCMSG, 2.2.2.9)


def read(data: bytes, name: str) -> Iterator[Outline | PageText | Attachment | LeftOut]:
    """Read a mailbox of Outlook: a page with its folders, then each entry as a mail. Raises UnreadableDocument."""
    import pypff

    file = pypff.file()
    try:
        file.open_file_object(io.BytesIO(data))
        folders = list(_folders(file.get_root_folder()))
        orphans = file.get_number_of_orphan_items()
    except MemoryError:
        raise
    except Exception as error:  # the library raises what comes for a damaged file
        raise UnreadableDocument(
            reason=f"{name} is damaged: no folder could be found in it.",
            remedy="Repair it with Outlook's repair tool (scanpst), or export its messages, and add those.",
        ) from error
    counts = [(path, folder.get_number_of_sub_messages()) for path, folder in folders]
    total = sum(count for _, count in counts) + orphans
    out = text_flow.Flow()
    out.write(f"Outlook mailbox with {total:,} {'entry' if total == 1 else 'entries'}")
    for path, count in [*counts, *([("(deleted entries)", orphans)] if orphans else [])]:
        if count:
            out.gap("\n")
            out.write(f"{path}: {count:,}")
    out.end_page()
    pages = text_flow.number_pages(out.pages())
    yield Outline("pst", len(pages))
    yield from pages
    inside = attachments.Children(MESSAGES)
    items = 0
    for path, folder in folders:
        for number in range(folder.get_number_of_sub_messages()):
            item = _quietly(folder.get_sub_message, number)
            if item is not None and not hasattr(item, "get_subject"):
                items += 1
                continue
            yield from _entry(item, path, inside)
        with contextlib.suppress(Exception):
            entries = folder.get_number_of_sub_items() - folder.get_number_of_sub_folders()
            items += max(0, entries - folder.get_number_of_sub_messages())
    for number in range(orphans):
        item = _quietly(file.get_orphan_item, number)
        if item is not None and not hasattr(item, "get_subject"):
            items += 1
            continue
        yield from _entry(item, "(deleted entries)", inside)
    yield from inside.rest()
    if items:
        yield LeftOut("settings entry of Outlook", items, "mailbox")


def _folders(root: Any) -> Iterator[tuple[str, Any]]:
    """Yield each folder with its path, in the order of the file."""
    waiting = [("", root, 0)]
    count = 0
    while waiting and count < _FOLDERS:
        path, folder, depth = waiting.pop()
        if path:
            count += 1
            yield path, folder
        inner = []
        for number in range(folder.get_number_of_sub_folders() if depth < _DEPTH else 0):
            child = _quietly(folder.get_sub_folder, number)
            if child is not None:
                title = _line(_quietly(child.get_name)) or f"folder {number + 1}"
                above = "" if path in _TOPS else path
                inner.append((f"{above}/{title}" if above else title, child, depth + 1))
        waiting.extend(reversed(inner))


def _entry(item: Any, path: str, inside: attachments.Children) -> list[Attachment]:
    title = _line(subject(_quietly(item.get_subject) or "")) if item is not None else ""
    title = re.sub(r"[/\\]", "-", title)[:100] or "without subject"
    return inside.take(f"{path}/{title}.eml", partial(_mail_bytes, item, path))


def _mail_bytes(item: Any, path: str) -> bytes:
    try:
        return compose(_mail(item, path))
    except MemoryError:
        raise
    except Exception as error:  # the library raises what comes for a damaged entry
        raise UnreadableDocument(
            reason="This entry of the mailbox is damaged.",
            remedy="Open it in Outlook, save it as .eml, .msg or PDF, and add that.",
        ) from error


def _mail(item: Any, path: str) -> MapiMail:
    properties = _properties(item)
    texts, moments, numbers = properties.texts, properties.moments, properties.numbers
    author = address(texts.get(0x0042, ""), _address_of(texts, 0x5D02, 0x0065))
    moment = moments.get(0x0039) or moments.get(0x0E06) or moments.get(0x3007)
    receivers = _receivers(item)
    fields = {
        **authors(author, address(texts.get(0x0C1A, ""), _address_of(texts, 0x5D01, 0x0C1F))),
        "To": receivers.get("To") or texts.get(0x0E04, ""),
        "Cc": receivers.get("Cc") or texts.get(0x0E03, ""),
        "Bcc": receivers.get("Bcc") or texts.get(0x0E02, ""),
        "Reply-To": texts.get(REPLY_TO, ""),
        "Date": date_header(moment),
        "Subject": subject(texts.get(0x0037, "")),
        "X-Folder": path,
    }
    codepage = numbers.get(0x3FDE) or numbers.get(0x3FFD) or 0
    page = _bytes(item, "get_html_body")
    return MapiMail(
        fields=tuple(fields.items()),
        transport=_quietly(getattr(item, "get_transport_headers", None)) or "",
        plain=plain_text.clean(plain_text.decode(_bytes(item, "get_plain_text_body"))).rstrip("\0"),
        page=page,
        charset="utf-8" if codepage == 65001 else f"cp{codepage}" if codepage and page else "",
        rich_text=_bytes(item, "get_rtf_body"),
        details=tuple(details(texts, properties.lists, properties.named_moments)),
        files=tuple(_files(item)),
    )


def _address_of(texts: dict[int, str], *numbers: int) -> str:
    candidates = [texts.get(number, "") for number in numbers]
    return next((candidate for candidate in candidates if "@" in candidate), "")


@dataclass(slots=True)
class _Properties:
    """The properties of an entry by their numbers: texts, texts of several values, moments and whole numbers."""

    texts: dict[int, str] = field(default_factory=dict)
    lists: dict[int, list[str]] = field(default_factory=dict)
    moments: dict[int, datetime] = field(default_factory=dict)
    numbers: dict[int, int] = field(default_factory=dict)

    @property
    def named_moments(self) -> list[datetime]:
        """The moments that an entry of its kind has beside those of every entry."""
        return [moment for number, moment in self.moments.items() if number >= 0x8000]

    def take(self, record_set: Any) -> None:
        for index in range(_quietly(record_set.get_number_of_entries) or 0 if record_set is not None else 0):
            entry = _quietly(record_set.get_entry, index)
            if entry is None:
                continue
            number, kind = _quietly(entry.get_entry_type), _quietly(entry.get_value_type)
            if number is None:
                continue
            if kind in _TEXTS and (text := _quietly(entry.get_data_as_string)):
                self.texts.setdefault(number, text)
            elif kind in _LISTS and (values := _values(_quietly(entry.get_data) or b"", _LISTS[kind])):
                self.lists.setdefault(number, values)
            elif kind == _TIME and (moment := _quietly(entry.get_data_as_datetime)):
                self.moments.setdefault(number, moment)
            elif kind == _INTEGER and (value := _quietly(entry.get_data_as_integer)) is not None:
                self.numbers.setdefault(number, value)


def _properties(item: Any) -> _Properties:
    properties = _Properties()
    for index in range(_quietly(item.get_number_of_record_sets) or 0):
        properties.take(_quietly(item.get_record_set, index))
    return properties


def _values(data: bytes, encoding: str) -> list[str]:
    """Return texts behind their count and the places where they begin (MS-PST, 2.3.3.4.2)."""
    count = min(int.from_bytes(data[:4], "little"), len(data) // 4 - 1, 1_000)
    if count < 1:
        return []
    places = [*struct.unpack_from(f"<{count}I", data, 4), len(data)]
    raw = [data[start:end] for start, end in pairwise(places)]
    texts = (part.decode(encoding, "replace") if encoding else plain_text.decode(part) for part in raw)
    return [text.rstrip("\0") for text in texts]


def _receivers(item: Any) -> dict[str, str]:
    people: dict[str, list[str]] = {}
    recipients: Any = getattr(item, "recipients", None)
    for index in range(min(5_000, (_quietly(recipients.get_number_of_recipients) or 0) if recipients else 0)):
        person = _Properties()
        person.take(_quietly(recipients.get_recipient, index))
        texts, numbers = person.texts, person.numbers
        mail_address = next((texts[n] for n in (0x39FE, 0x3003) if "@" in texts.get(n, "")), "")
        kind = {2: "Cc", 3: "Bcc"}.get(numbers.get(0x0C15, 1) & 0xF, "To")
        people.setdefault(kind, []).append(address(texts.get(0x3001, ""), mail_address))
    return {kind: ", ".join(person for person in persons if person) for kind, persons in people.items()}


def _files(item: Any) -> Iterator[MapiFile]:
    for index in range(min(_FILES, _quietly(getattr(item, "get_number_of_attachments", None)) or 0)):
        attachment = _quietly(item.get_attachment, index)
        if attachment is None:
            yield MapiFile(f"attachment {index + 1}", b"", NOT_TAKEN_OUT)
            continue
        properties = _properties(attachment)
        texts, numbers = properties.texts, properties.numbers
        name = texts.get(0x3707) or texts.get(0x3704) or texts.get(0x3001) or f"attachment {index + 1}"
        kind, content_id = texts.get(0x370E, ""), texts.get(0x3712, "")
        inner = _quietly(attachment.get_sub_item, 0) if _quietly(attachment.get_number_of_sub_items) else None
        if numbers.get(0x3705) == _EMBEDDED and inner is not None and hasattr(inner, "get_subject"):
            yield MapiFile(name, compose(_mail(inner, "")), "message/rfc822")
            continue
        size = _quietly(attachment.get_size) or 0
        content = b""
        if numbers.get(0x3705) != _EMBEDDED and 0 < size <= _FILE:
            content = _quietly(attachment.read_buffer, size) or b""
        kind = kind if content else NOT_TAKEN_OUT
        yield MapiFile(name, content, kind, content_id if kind.startswith("image/") else "")


def _bytes(item: Any, method: str) -> bytes:
    value = _quietly(getattr(item, method, None))
    return value.encode("utf-8", "replace") if isinstance(value, str) else value or b""


def _quietly(function: Any, *arguments: Any) -> Any:
    """Call the library, and return None if it fails."""
    if function is None:
        return None
    try:
        return function(*arguments)
    except MemoryError:
        raise
    except Exception:  # it raises for each property that is not there
        return None


def _line(text: Any) -> str:
    return " ".join(plain_text.clean(str(text or "")).replace("\f", " ").split())
