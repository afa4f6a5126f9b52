"""Chats that were exported as text: WhatsApp, Signal, Discord."""

from __future__ import annotations

import re
from dataclasses import replace

from core.engines.readers import chat
from core.engines.readers.chat import Conversation, Export, Message

_MARKS = "[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]*"
# The halves of a day, as exports write them before the hour or behind the minute.
_BEFORE_NOON = ("am", "上午", "午前", "凌晨", "早上", "오전", "ص", "ق.ظ.", "पूर्वाह्न", "π.μ.")
_AFTER_NOON = ("pm", "下午", "午後", "오후", "م", "ب.ظ.", "अपराह्न", "μ.μ.")
_HALVES = "|".join(map(re.escape, (*_BEFORE_NOON[1:], *_AFTER_NOON[1:])))
_BLANK = "[ \u202f\xa0]"
_POINT = rf"{_MARKS}[./-]{_MARKS} ?"
_DATE = rf"(?P<date>\d{{1,4}}{_POINT}\d{{1,2}}{_POINT}\d{{1,4}})\.?(?:{_BLANK}г\.)?"
_TIME = (
    rf"(?P<half>[^\W\d]{{1,4}}{_BLANK}?)?(?P<hour>\d{{1,2}})(?:[:.]|{_BLANK}?h{_BLANK}?)(?P<minute>\d\d)"
    rf"(?:[:.](?P<second>\d\d))?(?:{_BLANK}?(?P<noon>[APap]\.?{_BLANK}?[Mm]\.?|{_HALVES}))?(?:{_BLANK}ч\.)?"
)
_DATE_FIRST = rf"{_DATE}[,،]?{_MARKS}{_BLANK}+(?:klo |kl\. ?|um |at |à |às )?{_TIME}"
_TIME_FIRST = re.sub(r"P<(\w+)>", r"P<\1_first>", rf"{_TIME}, {_DATE}")
_MOMENT = rf"(?:{_DATE_FIRST}|{_TIME_FIRST})"
_SECOND = re.sub(r"P<(\w+)>", r"P<\1_>", _MOMENT)  # the same without brackets
_HEADER = re.compile(rf"(?m)^{_MARKS}(?:\[{_MOMENT}\][ \t]*|{_SECOND}{_BLANK}[-–]{_BLANK})")
_SENDER = re.compile(rf"{_MARKS}([^:\n\[\]]{{1,100}}?):(?:[ \u202f\xa0]|$)", re.MULTILINE)
_LEVELS = re.compile(r"(?i)\W*(?:info|debug|warn(?:ing)?|error|fatal|critical|trace|notice|root|main)\b")
_DISCORD = re.compile(rf"(?m)^\[{_MOMENT}\] (?P<who>[^\n]+)$")


def looks_like(head: str) -> bool:
    """Return whether a text begins as an exported chat does."""
    if re.match(r"\ufeff?={20,}\n(?:Guild|Server): ", head):
        return True
    first = _HEADER.search(head[:2_000])
    if first is None or head[: first.start()].strip("\ufeff \n\u200e").count("\n") > 3:
        return False
    headers = list(_HEADER.finditer(head))
    senders = [match.group(1) for header in headers if (match := _SENDER.match(head, header.end()))]
    if not senders or any(_LEVELS.match(sender) for sender in senders):
        return False
    return len(headers) > 1 or not head[: first.start()].strip("\ufeff \n\u200e")


def read(text: str) -> Export:
    """Take the messages out of an exported text; lines before the first one stay above them."""
    if re.match(r"\ufeff?={20,}\n", text):
        return _discord(text)
    headers = list(_HEADER.finditer(text))
    order = _order([_group(header, "date") for header in headers])
    ends = [*(header.start() for header in headers[1:]), len(text)]
    messages = []
    for header, end in zip(headers, ends, strict=True):
        body = text[header.end() : end].rstrip("\n")
        sender = _SENDER.match(body)
        who = sender.group(1).strip() if sender else ""
        content = body[sender.end() :] if sender else body
        messages.append(Message(who, _moment(header, order), re.sub(f"^{_MARKS}", "", content)))
    preamble = text[: headers[0].start()].strip("\ufeff \n") if headers else text
    conversation = Conversation("", messages, (preamble,) if preamble else ())
    return Export("WhatsApp", [conversation], struck=chat.TILDE)


def _group(header: re.Match[str], name: str) -> str:
    names = header.groupdict()
    text = next(filter(None, (names.get(name + end) for end in ("", "_", "_first", "_first_"))), "").strip()
    return re.sub(r"[^\d./-]", "", text) if name == "date" else text


def _order(dates: list[str]) -> str:
    """Return the order of day, month and year in the dates of a file, '' where nothing shows it."""
    parts = [tuple(map(int, re.split(r"[./-]", date))) for date in dates]
    if not parts:
        return ""
    if any(len(re.split(r"[./-]", date)[0]) == 4 for date in dates):
        return "ymd"
    if any(first > 12 for first, _, _ in parts):
        return "dmy"
    if any(second > 12 for _, second, _ in parts):
        return "mdy"
    if all("." in date for date in dates):  # no country writes the month first with full stops
        return "dmy"
    # An export runs forward in time; where only one order does, it is that one.
    by_day = [(year, month, day) for day, month, year in parts]
    by_month = [(year, month, day) for month, day, year in parts]
    forward = by_day == sorted(by_day), by_month == sorted(by_month)
    return {(True, False): "dmy", (False, True): "mdy"}.get(forward, "")


def _moment(header: re.Match[str], order: str) -> str:
    """Return the time of a message with the year first, or unchanged if the order is not known."""
    stands = re.sub(r"[\u200e\u200f\[]", "", header.group(0).partition("]")[0])
    stands = " ".join(stands.split()).rstrip("-– ")
    hour = int(_group(header, "hour"))
    half = (_group(header, "half") or _group(header, "noon")).lower()
    half = re.sub(r"[.\s]", "", half) if half.isascii() or half[:1] in "ap" else half
    if half in _AFTER_NOON:
        hour = hour % 12 + 12
    elif half in _BEFORE_NOON:
        hour = hour % 12
    elif half:
        return stands
    numbers = dict(zip(order, re.split(r"[./-]", _group(header, "date")), strict=False))
    if not numbers or hour > 23:
        return stands
    year, month, day = (int(numbers[part]) for part in "ymd")
    year += 2_000 if year < 100 else -543 if year > 2_400 else 0  # in Thailand years are counted from 543 before ours
    if not (1 <= month <= 12 and 1 <= day <= 31 and year > 1_900):
        return stands
    second = _group(header, "second")
    time = f"{hour:02}:{int(_group(header, 'minute')):02}" + (f":{int(second):02}" if second else "")
    return f"{year:04}-{month:02}-{day:02} {time}"


def _discord(text: str) -> Export:
    headers = list(_DISCORD.finditer(text))
    order = _order([_group(header, "date") for header in headers])
    if not order:
        order = "mdy" if any(header.group("noon") for header in headers) else ""
    borders = [*(header.start() for header in headers), len(text)]
    messages = [
        Message(header.group("who").strip(), _moment(header, order), text[header.end() : end].strip("\n"))
        for header, end in zip(headers, borders[1:], strict=True)
    ]
    preamble = text[: headers[0].start()] if headers else text
    about = tuple(line for line in preamble.split("\n") if line.strip("= \ufeff"))
    title = next((line.split(":", 1)[1].strip() for line in about if line.startswith("Channel:")), "")
    tail = ""
    if messages:  # the file ends with a count between two lines
        head, mark, tail = messages[-1].text.partition("\n\n====")
        messages[-1] = replace(messages[-1], text=head)
        tail = re.sub(r"=+", "", mark + tail).strip()
    conversation = Conversation(title, messages, (*about, *filter(None, [tail])))
    return Export("Discord", [conversation], struck=chat.TILDES)
