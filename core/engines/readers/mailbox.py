"""Mailboxes (.mbox): one page a message, in the order of the file; what is attached follows as files."""

from __future__ import annotations

import email
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from core.domain import LeftOut, PageText, Section
from core.engines.readers import attachments, email_message, plain_text, text_flow
from core.errors import UnreadableDocument
from core.ports import Attachment, Outline

MESSAGES = 9_000
_LEFT_OUT = 300  # lines of what was left out, named message by message
_LINE = re.compile(rb"^From ([^\r\n]{1,500})\r?$", re.MULTILINE)
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
_DAY, _MONTH = rb"(?:mon|tue|wed|thu|fri|sat|sun)", rb"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_ZONE = rb"(?:[ \t]+(?:[+-]\d{4}|[a-z]{1,5}(?:[+-]\d{1,2})?))?"
_CLOCK = rb"\d{1,2}:\d\d(?::\d\d)?"
# A date at the end of a line, as C writes it (asctime) or as a header has it.
_DATE = re.compile(
    rb"(?:" + _DAY + rb"[ \t]+" + _MONTH + rb"[ \t]+\d{1,2}(?:[ \t]+" + _CLOCK + rb")?" + _ZONE + rb",?[ \t]+\d{4}"
    rb"|(?:" + _DAY + rb",?[ \t]+)?\d{1,2}[ \t]+" + _MONTH + rb"[ \t]+\d{2,4}[ \t]+" + _CLOCK + rb")"
    rb"" + _ZONE + rb"(?:[ \t]*\([^()]{1,20}\)|[ \t]+remote from \S{1,80})?[ \t]*\Z",
    re.IGNORECASE,
)
_HEAD = re.compile(rb"(?:[^\n]+\n){1,2000}?\r?\n")
_LENGTH = re.compile(rb"(?mi)^content-length:[ \t]*(\d{1,9})[ \t]*\r?$")
_HEADER = re.compile(rb"[!-9;-~]{1,80}[ \t]*:|>From ")
_USUAL_HEADER = re.compile(
    rb"(?:from|to|cc|subject|date|return-path|received|message-id|x-[a-z-]{1,40}|delivered-to|mime-version|status|"
    rb"content-type|reply-to|sender|envelope-to|in-reply-to|references|dkim-signature)[ \t]*:|>From ",
    re.IGNORECASE,
)


def looks_like(data: bytes) -> bool:
    """Return whether a file begins with a message of a mailbox: a line "From " with a date, and headers behind it."""
    start = data[:3].count(b"\xef") and 3
    head = data.lstrip(b"\r\n")[start:2_000] if start else data[:2_000].lstrip(b"\r\n")
    match = _LINE.match(_with_line_feeds(head))
    if match is None or not _DATE.search(match.group(1)):
        return False
    return _USUAL_HEADER.match(match.string, match.end() + 1) is not None


def messages(data: bytes) -> list[bytes]:
    """Cut a mailbox into its messages, as they were before they were put into it; no line is in none of them.

    Words before the first one are given as a message of their own.
    """
    data = _with_line_feeds(data)
    starts = list(_starts(data))
    if not starts:
        return []
    ends = [*(start for start, _ in starts[1:]), len(data)]
    result = [_QUOTED_FROM.sub(rb"\1", data[start:end]) for (_, start), end in zip(starts, ends, strict=True)]
    preface = data[: starts[0][0]].removeprefix(b"\xef\xbb\xbf")
    return [b"\n" + preface, *result] if preface.strip() else result


def _with_line_feeds(data: bytes) -> bytes:
    """Return a mailbox of the old Macintosh, whose lines end with a carriage return alone, with line feeds."""
    return data if b"\n" in data else data.replace(b"\r", b"\n")


def _starts(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield where messages begin: the line that says so, and what follows it, or that line where it has no date.

    Such a line carries a date, and headers follow it or a blank line is before it. In a mailbox without dates it
    is one between a blank line and a header of the usual names.
    """
    kept_until = 0  # within a message whose length its headers state, no line begins another
    lines = [(match, _DATE.search(match.group(1)) is not None) for match in _LINE.finditer(data)]
    has_dates = any(
        has_date and _HEADER.match(data, match.end() + 1) is not None and _is_after_blank(data, match.start())
        for match, has_date in lines
    )
    for match, has_date in lines:
        if match.start() < kept_until:
            continue
        end = min(match.end() + 1, len(data))
        blank = _is_after_blank(data, match.start())
        if not has_dates:
            is_start = blank and _USUAL_HEADER.match(data, end) is not None
        elif not has_date:
            is_start = False
        elif _HEADER.match(data, end) is not None:
            is_usual = _USUAL_HEADER.match(data, end) is not None
            is_start = _has_one_sender(match.group(1)) or (blank and is_usual)
        else:
            is_start = blank and _has_one_sender(match.group(1)) and not data[end : end + 2].strip()
        if is_start:
            yield match.start(), end if has_date else match.start()
            kept_until = _stated_end(data, end)


def _stated_end(data: bytes, start: int) -> int:
    """Return where a message ends by its header Content-Length, 0 where none says so or no message begins there."""
    head = _HEAD.match(data, start)
    length = _LENGTH.search(head.group()) if head else None
    if head is None or length is None:
        return 0
    end = head.end() + int(length.group(1))
    behind = data[end : end + 7].lstrip(b"\r\n")
    return end if head.end() <= end <= len(data) and (not behind or behind.startswith(b"From ")) else 0


def _is_after_blank(data: bytes, start: int) -> bool:
    preceding = data[max(0, start - 3) : start]
    return (start <= 3 and not preceding.strip(b"\r\n\xef\xbb\xbf")) or preceding.endswith((b"\n\n", b"\n\r\n"))


def _has_one_sender(line: bytes) -> bool:
    """Return whether the date follows a single word, as in no sentence."""
    match = _DATE.search(line)
    return match is not None and len(line[: match.start()].split()) <= 1


def read(data: bytes, name: str) -> Iterator[Outline | PageText | Attachment | LeftOut]:
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
    has_preface = raw_messages[0][:1] == b"\n" and data[:1] != b"\n"
    pages: list[PageText] = []
    dates: list[str] = []
    with_files: list[tuple[str, bytes]] = []
    left_out: list[LeftOut] = []
    whole = _pieces_joined(raw_messages)
    for number, message in enumerate(raw_messages, start=0 if has_preface else 1):
        message = whole.get(message, message)
        label = f"message {number}" if number else "before the first message"
        if not number:
            pages += text_flow.Piece(plain_text.clean(plain_text.decode(message)).strip()).pages(label)
            continue
        mail = email_message.read(message, label)
        if mail.date:
            dates.append(mail.date)
        if mail.files:
            with_files.append((label, message))
        left_out += mail.left_out
        body = mail.body
        if not body.sections or body.sections[0].start:  # no subject: it must not count to the message before
            heading = (Section(1, label, 0), *body.sections)
            body = replace(body, sections=heading)
        pages += replace(body, text=body.text.replace("\f", "\n")).pages(label)
    pages = text_flow.number_pages(pages)
    if not any(page.text.strip() for page in pages):
        raise UnreadableDocument(reason=f"{name} contains no text.", remedy="Save its messages as .eml and add those.")
    yield Outline("mbox", len(pages), date=dates[0] if len(dates) == len(raw_messages) - has_preface == 1 else "")
    yield from pages
    yield from _grouped(left_out)
    inside = attachments.Children()
    for label, message in with_files:
        for attachment in email_message.read(message, label).attachments():
            yield from inside.take(f"{label}/{attachment.name}", partial(attachments.content_of, attachment))
    yield from inside.rest()


_PARTIAL = re.compile(rb"(?im)^content-type:[ \t]*message/partial\b")
_OF_THE_WHOLE = re.compile(rb"(?i)(?:content-[\w-]+|subject|message-id|encrypted|mime-version)[ \t]*:")
_FIELD = re.compile(rb"[^\n]*\n(?:[ \t][^\n]*\n)*")


def _pieces_joined(raw_messages: list[bytes]) -> dict[bytes, bytes]:
    """Return the whole of each message that was sent in pieces, by its first piece, where all are there (RFC 2046)."""
    pieces: dict[str, dict[int, bytes]] = {}
    totals: dict[str, int] = {}
    for message in raw_messages:
        head, _, _ = _parts_of(message)
        if not _PARTIAL.search(head):
            continue
        about = email.message_from_bytes(head)
        identity, number, total = (str(about.get_param(key, "")) for key in ("id", "number", "total"))
        if number.isdecimal() and len(number) < 6:
            pieces.setdefault(identity, {})[int(number)] = message
        if total.isdecimal() and len(total) < 6:
            totals[identity] = int(total)
    result = {}
    for identity, by_number in pieces.items():
        if set(by_number) != set(range(1, totals.get(identity, 0) + 1)):
            continue
        head, gap, first = _parts_of(by_number[1])
        inner, inner_gap, body = _parts_of(first)
        fields = [field for field in _FIELD.findall(head) if not _OF_THE_WHOLE.match(field)]
        fields += [field for field in _FIELD.findall(inner) if _OF_THE_WHOLE.match(field)]
        bodies = [body, *(_parts_of(by_number[number])[2] for number in range(2, len(by_number) + 1))]
        # The mailbox has a blank line behind each message.
        bodies[:-1] = [re.sub(rb"(?<=\n)\r?\n\Z", b"", text) for text in bodies[:-1]]
        result[by_number[1]] = b"".join([*fields, inner_gap or gap, *bodies])
    return result


def _parts_of(message: bytes) -> tuple[bytes, bytes, bytes]:
    """Return the headers of a message, the blank line, and the rest."""
    blank = re.search(rb"(?:(?<=\n)|\A)\r?\n", message)
    return (message[: blank.start()], blank[0], message[blank.end() :]) if blank else (message, b"", b"")


def _grouped(left_out: list[LeftOut]) -> list[LeftOut]:
    """Return one line a kind where there are too many to name each message."""
    if len(left_out) <= _LEFT_OUT:
        return left_out
    counts: Counter[str] = Counter()
    places: Counter[str] = Counter()
    for entry in left_out:
        counts[entry.what] += entry.count
        places[entry.what] += 1
    return [LeftOut(what, count, f"{places[what]:,} messages") for what, count in counts.items()]
