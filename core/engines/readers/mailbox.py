"""Mailboxes (.mbox): one page a message, in the order of the file; what is attached follows as files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from core.domain import PageText, Section
from core.engines.readers import attachments, email_message, text_flow
from core.errors import UnreadableDocument
from core.ports import Attachment, Outline

MESSAGES = 9_000
_START = re.compile(rb"(?:\A|(?<=\n)\r?\n|(?<=\n\n)|(?<=\r\n\r\n))From [^\r\n]{0,500}\r?\n(?=[!-9;-~]{1,80}:|>From )")
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)


def messages(data: bytes) -> list[bytes]:
    """Cut a mailbox into its messages, as they were before they were put into it."""
    starts = [(match.start(), match.end()) for match in _START.finditer(data)]
    ends = [*(start for start, _ in starts[1:]), len(data)][: len(starts)]
    return [_QUOTED_FROM.sub(rb"\1", data[start:end]) for (_, start), end in zip(starts, ends, strict=True)]


def read(data: bytes, name: str) -> Iterator[Outline | PageText | Attachment]:
    """Read a mailbox: its outline, a page a message, then the files attached. Raises UnreadableDocument."""
    raw_messages = messages(data)
    if not raw_messages:
        raise UnreadableDocument(
            reason=f"{name} contains no message: none of its lines begins one.",
            remedy="Check that it is a mailbox; a single message can be saved as .eml and added.",
        )
    if len(raw_messages) > MESSAGES:
        raise UnreadableDocument(
            reason=f"{name} contains {len(raw_messages):,} messages; {MESSAGES:,} is the limit for one file.",
            remedy="Split it into several mailboxes in the mail program and add those.",
        )
    pages: list[PageText] = []
    dates: list[str] = []
    for number, message in enumerate(raw_messages, start=1):
        letter = email_message.read(message)
        if letter.date:
            dates.append(letter.date)
        body = letter.body
        if not body.sections or body.sections[0].start:  # no subject: it must not count to the message before
            heading = (Section(1, f"message {number}", 0), *body.sections)
            body = replace(body, sections=heading)
        pages += replace(body, text=body.text.replace("\f", "\n")).pages(f"message {number}")
    pages = text_flow.number_pages(pages)
    if not any(page.text.strip() for page in pages):
        raise UnreadableDocument(reason=f"{name} contains no text.", remedy="Save its messages as .eml and add those.")
    yield Outline("mbox", len(pages), date=dates[0] if len(dates) == 1 else "")
    yield from pages
    inside = attachments.Children()
    for number, message in enumerate(raw_messages, start=1):
        for each in email_message.attachments_of(message):
            yield from inside.take(f"message {number}/{each.name}", partial(attachments.content_of, each))
    yield from inside.rest()
