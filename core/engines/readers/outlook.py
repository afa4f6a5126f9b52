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

_SHOWN = ("From", "To", "Cc", "Bcc", "Date", "Subject")
_MEANT = {0: "", 1: "To", 2: "Cc", 3: "Bcc"}
_SENT_AS = 0x0C15  # the property that tells a receiver from a copy


def read(data: bytes, name: str) -> Iterator[Outline | PageText | Attachment]:
    from oxmsg import Message

    ole_compound.check_chains(data, name)
    try:
        message = Message.load(data)
        head = _head(message)
        body = _body(message)
        attached = list(_attached(message))
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # the library raises what comes for a damaged file
        raise UnreadableDocument(
            reason=f"{name} is damaged: no message could be found in it.",
            remedy="Open it in Outlook, save it again or as .eml or PDF, and add that.",
        ) from error
    lines = "\n".join(f"{key}: {head[key]}" for key in _SHOWN if head.get(key))
    blocks = [email_message.titled(lines, head["Subject"]), body.stripped().below(1)]
    if attached:
        named = "\n".join(f"- {shown} ({_size(len(data))})" for shown, data in attached)
        blocks.append(text_flow.Piece(f"Attachments:\n{named}"))
    whole = text_flow.joined(blocks, "\n\n")
    whole = replace(whole, text=whole.text.replace("\f", "\n"))
    if not whole.text.strip():
        raise UnreadableDocument(reason=f"{name} holds no text.", remedy="Open it in Outlook and save it as PDF.")
    pages = whole.pages()
    yield Outline("msg", len(pages), head["Subject"], head["From"], head["Date"])
    yield from pages
    inside = attachments.Children()
    for shown, content in attached:
        yield from inside.take(shown, partial(_given, shown, content), size=len(content))
    yield from inside.rest()


def _given(name: str, content: bytes) -> bytes:
    if not content:
        raise UnreadableDocument(
            reason=f"{name} is attached in a way the program cannot read, such as a message or a link.",
            remedy="Open the message in Outlook, save what is attached, and add it.",
        )
    return content


def _head(message: Any) -> dict[str, str]:
    stated = message.message_headers
    by_name = {str(key).lower(): str(value) for key, value in stated.items()}
    sent = message.sent_date
    head = {"From": message.sender or "", "Subject": message.subject, "Date": sent.isoformat() if sent else ""}
    for key in ("To", "Cc", "Bcc"):
        head[key] = by_name.get(key.lower(), "")
    if not any(head[key] for key in ("To", "Cc", "Bcc")):
        receivers = [(_kind(each), _receiver(each)) for each in message.recipients]
        for key in ("To", "Cc", "Bcc"):
            head[key] = ", ".join(who for kind, who in receivers if kind == key and who)
    return {key: " ".join(plain_text.clean(value).split())[:4_000] for key, value in head.items()}


def _kind(receiver: Any) -> str:
    kind = receiver.properties.int_prop_value(_SENT_AS)
    return _MEANT.get((kind or 1) & 0xF, "To")


def _receiver(receiver: Any) -> str:
    named, address = receiver.name or "", receiver.email_address or ""
    return f"{named} <{address}>" if named and address and named != address else named or address


def _body(message: Any) -> text_flow.Piece:
    text = message.body
    if text and text.strip():
        return text_flow.Piece(plain_text.clean(str(text)))
    try:
        page = message.html_body
    except (LookupError, ValueError):  # an encoding that is not what it says
        page = None
    return html.parse(page).body if page else text_flow.Piece("")


def _attached(message: Any) -> Iterator[tuple[str, bytes]]:
    for number, each in enumerate(message.attachments, start=1):
        if number > attachments.COUNT + 1:
            break
        shown = each.file_name or each.properties.str_prop_value(0x3704) or ""
        shown = shown or each.properties.str_prop_value(0x3001) or f"attachment {number}"
        yield " ".join(plain_text.clean(str(shown)).split())[:200] or f"attachment {number}", _content(each)


def _content(attachment: Any) -> bytes:
    try:
        return attachment.file_bytes or b""
    except (KeyError, AssertionError):  # a message inside the message has no bytes of its own
        return b""


def _size(size: int) -> str:
    return f"{size} bytes" if size < 1_000 else f"{size / 1_000:.0f} kB" if size < 1_000_000 else f"{size / 1e6:.1f} MB"
