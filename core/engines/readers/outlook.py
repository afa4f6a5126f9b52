"""Single Outlook messages (.msg): headers, body, what is attached. Nothing attached is opened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from core.domain import PageText
from core.engines.readers import attachments, email_message, html, ole_compound, plain_text, text_flow
from core.errors import UnreadableDocument
from core.ports import Attachment, Outline

_HEADERS = ("From", "To", "Cc", "Bcc", "Date", "Subject")
_RECIPIENT_KINDS = {0: "", 1: "To", 2: "Cc", 3: "Bcc"}
_SENT_AS = 0x0C15  # the property that tells a receiver from a copy


def read(data: bytes, name: str) -> Iterator[Outline | PageText | Attachment]:
    """Read an Outlook message: its outline, its pages, then the files attached. Raises UnreadableDocument."""
    from oxmsg import Message

    ole_compound.check_chains(data, name)
    try:
        message = Message.load(data)
        head = _head(message)
        body = _body(message)
        files = list(_files(message))
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # the library raises what comes for a damaged file
        raise UnreadableDocument(
            reason=f"{name} is damaged: no message could be found in it.",
            remedy="Open it in Outlook, save it again or as .eml or PDF, and add that.",
        ) from error
    lines = "\n".join(f"{key}: {head[key]}" for key in _HEADERS if head.get(key))
    blocks = [email_message.head_piece(lines, head["Subject"]), body.strip().below(1)]
    if files:
        listing = "\n".join(f"- {file_name} ({_size(len(data))})" for file_name, data in files)
        blocks.append(text_flow.Piece(f"Attachments:\n{listing}"))
    whole = text_flow.join(blocks, "\n\n")
    whole = replace(whole, text=whole.text.replace("\f", "\n"))
    if not whole.text.strip():
        raise UnreadableDocument(reason=f"{name} contains no text.", remedy="Open it in Outlook and save it as PDF.")
    pages = whole.pages()
    yield Outline("msg", len(pages), head["Subject"], head["From"], head["Date"])
    yield from pages
    inside = attachments.Children()
    for file_name, content in files:
        yield from inside.take(file_name, partial(_bytes_of, file_name, content), size=len(content))
    yield from inside.rest()


def _bytes_of(name: str, content: bytes) -> bytes:
    if not content:
        raise UnreadableDocument(
            reason=f"{name} is attached in a way the program cannot read, such as a message or a link.",
            remedy="Open the message in Outlook, save what is attached, and add it.",
        )
    return content


def _head(message: Any) -> dict[str, str]:
    headers = message.message_headers
    by_name = {str(key).lower(): str(value) for key, value in headers.items()}
    date = message.sent_date
    head = {"From": message.sender or "", "Subject": message.subject, "Date": date.isoformat() if date else ""}
    for key in ("To", "Cc", "Bcc"):
        head[key] = by_name.get(key.lower(), "")
    if not any(head[key] for key in ("To", "Cc", "Bcc")):
        receivers = [(_kind(each), _receiver(each)) for each in message.recipients]
        for key in ("To", "Cc", "Bcc"):
            head[key] = ", ".join(who for kind, who in receivers if kind == key and who)
    return {key: " ".join(plain_text.clean(value).split())[:4_000] for key, value in head.items()}


def _kind(receiver: Any) -> str:
    kind = receiver.properties.int_prop_value(_SENT_AS)
    return _RECIPIENT_KINDS.get((kind or 1) & 0xF, "To")


def _receiver(receiver: Any) -> str:
    name, address = receiver.name or "", receiver.email_address or ""
    return f"{name} <{address}>" if name and address and name != address else name or address


def _body(message: Any) -> text_flow.Piece:
    text = message.body
    if text and text.strip():
        return text_flow.Piece(plain_text.clean(str(text)))
    try:
        page = message.html_body
    except (LookupError, ValueError):  # an encoding that is not what it says
        page = None
    return html.parse(page).body if page else text_flow.Piece("")


def _files(message: Any) -> Iterator[tuple[str, bytes]]:
    for number, each in enumerate(message.attachments, start=1):
        if number > attachments.COUNT + 1:
            break
        file_name = each.file_name or each.properties.str_prop_value(0x3704) or ""
        file_name = file_name or each.properties.str_prop_value(0x3001) or f"attachment {number}"
        yield " ".join(plain_text.clean(str(file_name)).split())[:200] or f"attachment {number}", _content(each)


def _content(attachment: Any) -> bytes:
    try:
        return attachment.file_bytes or b""
    except (KeyError, AssertionError):  # a message inside the message has no bytes of its own
        return b""


def _size(size: int) -> str:
    return f"{size} bytes" if size < 1_000 else f"{size / 1_000:.0f} kB" if size < 1_000_000 else f"{size / 1e6:.1f} MB"
