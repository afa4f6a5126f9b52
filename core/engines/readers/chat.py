"""Chats: messages with sender and time, a page a day. Other modules take the messages out of the exports."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from core.domain import LeftOut, PageText, Section
from core.engines.readers import plain_text, text_flow
from core.errors import UnreadableDocument
from core.ports import Outline

MESSAGES = 500_000  # of one file
_DAYS = 5_000  # pages of one file, from which on a page is a month, a year, or a conversation
_EXTRA = 2_000  # characters of a field that is written as it is
_INDENT = "    "
_LIKE_A_MESSAGE = re.compile(r"[^\w(]{0,20}\[")
_BREAK = re.compile(r"[\n\f\x1c-\x1e\u2028\u2029]")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class Message:
    """A message: who sent it, when (as the export has it, the year first), its text, and what belongs to it."""

    sender: str
    time: str
    text: str
    notes: tuple[str, ...] = ()  # edited, deleted, reactions, attachments: a line each
    struck_spans: tuple[tuple[int, int], ...] = ()  # of the text
    hidden_spans: tuple[tuple[int, int, str], ...] = ()  # of the text, with the reason

    @property
    def day(self) -> str:
        """Return the day of its time, or the time itself where the day cannot be told from it."""
        return self.time[:10] if _DAY.match(self.time) else self.time.split(" ")[0].rstrip(",")


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages in their order, with what the export says of them all."""

    title: str
    messages: Sequence[Message]
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Export:
    """The export of a chat program; ``struck`` matches the words that its signs strike through, as group 1."""

    program: str
    conversations: Sequence[Conversation]
    left_out: tuple[LeftOut, ...] = field(default=())
    struck: re.Pattern[str] | None = None


# Signs around struck words, which a chat program shows as a line through them.
TILDE = re.compile(r"(?<![\w~])~([^\s~](?:[^~\n]{0,2000}[^\s~])?)~(?![\w~])")
TILDES = re.compile(r"~~(?=[^\s~])([^\n]{1,2000}?)(?<=\S)~~")


def read(export: Export, name: str) -> Iterator[Outline | PageText | LeftOut]:
    """Read an export: a page for each day of each conversation. Raises UnreadableDocument for too many messages."""
    count = sum(len(conversation.messages) for conversation in export.conversations)
    if count > MESSAGES:
        raise UnreadableDocument(
            reason=f"{name} contains {count:,} messages; {MESSAGES:,} is the limit for one file.",
            remedy="Export the chats one by one, or a shorter period of them, and add those.",
        )
    for length in (10, 7, 4, 0):  # characters of a date
        days = [(conversation, _days(conversation.messages, length)) for conversation in export.conversations]
        if sum(len(groups) for _, groups in days) <= _DAYS:
            break
    several = len(export.conversations) > 1
    pages: list[PageText] = []
    for conversation, groups in days:
        head = "\n".join(line for line in (conversation.title, *conversation.about) if line).replace("\f", "\n")
        for day, messages in groups or [("", [])]:
            first = bool(head)
            body = text_flow.join((_lines(message, export.struck) for message in messages), "\n")
            piece = text_flow.join((text_flow.Piece(head), body), "\n\n")
            sections = []
            if first and conversation.title:
                sections.append(Section(1, text_flow.heading_text(conversation.title), 0))
            if day:
                sections.append(Section(2 if conversation.title else 1, day, len(piece.text) - len(body.text)))
            label = f"{conversation.title}, {day}" if several and conversation.title and day else day
            pages += replace(piece, sections=tuple(sections)).pages(label)
            head = ""
    pages = text_flow.number_pages(pages)
    dates = sorted(day for _, groups in days for day, _ in groups if _DAY.fullmatch(day))
    title = export.conversations[0].title if len(export.conversations) == 1 else ""
    only_day = dates[0] if dates and dates[0] == dates[-1] else ""
    yield Outline("chat", len(pages), title, date=only_day)
    yield from pages
    yield from export.left_out


def _days(messages: Sequence[Message], length: int) -> list[tuple[str, list[Message]]]:
    groups: list[tuple[str, list[Message]]] = []
    for message in messages:
        day = message.day[:length]
        if not groups or (day and groups[-1][0] != day):
            groups.append((day, []))
        groups[-1][1].append(message)
    return groups


def _lines(message: Message, struck: re.Pattern[str] | None) -> text_flow.Piece:
    """Write a message. A further line that begins like a message is set in, so that it does not pass for one."""
    time = f"[{_line(message.time)}] " if message.time else ""
    sender = f"{_line(message.sender)}: " if message.sender else ""
    notes = "".join(f"\n({note})" for note in message.notes)
    lead = len(time) + len(sender)
    text = plain_text.clean(f"{time}{sender}{message.text}".rstrip() + notes)
    lines = _BREAK.split(text)
    insets, start = [], len(lines[0]) + 1  # where lines begin that are set in
    for number, line in enumerate(lines[1:], start=1):
        if _LIKE_A_MESSAGE.match(line):
            insets.append(start)
            lines[number] = f"{_INDENT}{line}"
        start += len(line) + 1

    def place(offset: int) -> int:
        return offset + len(_INDENT) * bisect_right(insets, offset)

    struck_spans = [(lead + start, lead + end) for start, end in message.struck_spans]
    struck_spans += [match.span(1) for match in struck.finditer(text, lead)] if struck and "~" in text else []
    return text_flow.Piece(
        "\n".join(lines),
        tuple((place(lead + start), place(lead + end), why) for start, end, why in message.hidden_spans),
        (),
        tuple((place(start), place(end)) for start, end in sorted(struck_spans)),
    )


def _line(text: str) -> str:
    return " ".join(text.split())


def utc(seconds: float) -> str:
    """Return a moment counted from 1970 as a time in UTC, '' for one that no calendar has."""
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    thousandths = moment.microsecond // 1_000
    return f"{moment:%Y-%m-%d %H:%M:%S}{f'.{thousandths:03}' if thousandths else ''} UTC"


def iso(text: str) -> str:
    """Return an ISO time as it is shown, its zone unchanged and fractions of seconds without zeros at their end."""
    match = re.match(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)([.,]\d+)?\s*(Z|[+-]\d\d:?\d\d)?$", text.strip())
    if match is None:
        return text.strip()
    day, time, fraction, zone = (group or "" for group in match.groups())
    fraction = fraction.rstrip("0").rstrip(".,")
    return f"{day} {time}{fraction}{' UTC' if zone in ('Z', '+00:00') else f' {zone}' if zone else ''}"


def fields(value: Any, skip: frozenset[str] = frozenset(), name: str = "") -> list[str]:
    """Write the fields of a JSON value that no reader knows: 'name: value' each, nested names joined by dots."""
    result: list[str] = []
    waiting: list[tuple[str, Any]] = [(name, value)]
    while waiting and len(result) < 200:
        key, item = waiting.pop()
        if isinstance(item, dict):
            inner = [(f"{key}.{k}" if key else str(k), v) for k, v in item.items() if key or k not in skip]
            waiting += reversed(inner)
        elif isinstance(item, list):
            if all(not isinstance(element, dict | list) for element in item):
                line = ", ".join(str(element) for element in item if element not in (None, ""))
                result += [_cut(f"{key}: {line}")] if line else []
            else:
                waiting += [(key, element) for element in reversed(item)]
        elif item not in (None, "") and item is not False:
            result.append(_cut(f"{key}: {item if item is not True else 'yes'}"))
    if waiting:
        result.append("more fields, which are not read")
    return result


def _cut(line: str) -> str:
    return line if len(line) <= _EXTRA else f"{line[:_EXTRA]} … (cut here: {len(line):,} characters)"
