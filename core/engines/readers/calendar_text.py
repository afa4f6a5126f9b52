"""Calendars (iCalendar, .ics) and address cards (vCard, .vcf) as lines of text: one entry a paragraph (RFC 5545, 6350).

Every property is shown but those that only serve programs, such as identifiers and the rules of a time zone.
"""

from __future__ import annotations

import base64
import binascii
import quopri
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.domain import LeftOut
from core.engines.readers import plain_text

_LINES = 500_000  # properties of one file
_FILES = 200  # embedded in one file
_COMPONENTS = {
    "VEVENT": "Event", "VTODO": "Task", "VJOURNAL": "Journal entry", "VFREEBUSY": "Free and busy times",
    "VALARM": "Reminder", "VAVAILABILITY": "Availability", "AVAILABLE": "Available",
}  # fmt: skip
_FIELDS = {
    "SUMMARY": "Summary", "DTSTART": "Start", "DTEND": "End", "DUE": "Due", "DURATION": "Duration",
    "LOCATION": "Place", "ORGANIZER": "Organizer", "ATTENDEE": "Attendee", "STATUS": "Status", "RRULE": "Repeats",
    "RDATE": "Also on", "EXDATE": "Not on", "TRIGGER": "Reminds", "DESCRIPTION": "Description", "COMMENT": "Comment",
    "CONTACT": "Contact", "CATEGORIES": "Categories", "COMPLETED": "Completed", "PERCENT-COMPLETE": "Percent done",
    "RECURRENCE-ID": "Instead of", "URL": "Address on the web", "ATTACH": "Attachment", "CLASS": "Class",
    "CREATED": "Entered", "LAST-MODIFIED": "Changed", "X-WR-CALNAME": "Calendar", "X-WR-CALDESC": "Calendar",
    "METHOD": "Method", "FREEBUSY": "Busy", "X-ALT-DESC": "Description in HTML",
    "X-APPLE-STRUCTURED-LOCATION": "Coordinates", "CONFERENCE": "Conference",
}  # fmt: skip
_ORDER = tuple(_FIELDS)
_CARD_FIELDS = {
    "FN": "Name", "N": "Name", "NICKNAME": "Nickname", "ORG": "Organization", "TITLE": "Title", "ROLE": "Role",
    "TEL": "Phone", "EMAIL": "E-mail", "ADR": "Address", "LABEL": "Address label", "BDAY": "Birthday",
    "ANNIVERSARY": "Anniversary", "NOTE": "Note", "URL": "Address on the web", "PHOTO": "Picture", "LOGO": "Logo",
    "SOUND": "Sound", "CATEGORIES": "Categories", "IMPP": "Messenger", "RELATED": "Related", "REV": "Changed",
    "MEMBER": "Member", "KIND": "Kind", "GEO": "Coordinates", "TZ": "Time zone", "AGENT": "Agent", "KEY": "Key",
}  # fmt: skip
_PLUMBING = {
    "VERSION", "PRODID", "CALSCALE", "UID", "SEQUENCE", "DTSTAMP", "TRANSP", "ACTION", "X-WR-RELCALID",
    "X-WR-TIMEZONE", "X-PUBLISHED-TTL", "REFRESH-INTERVAL", "REQUEST-STATUS", "CLIENTPIDMAP", "PROFILE", "MAILER",
    "X-LIC-LOCATION", "X-PRODID",
}  # fmt: skip
# Parameters that say how the value is written, or that are shown with it.
_FORMS = {
    "", "VALUE", "ENCODING", "CHARSET", "TZID", "FMTTYPE", "LANGUAGE", "TYPE", "PREF", "CN", "PARTSTAT", "ROLE", "RSVP",
    "CUTYPE", "RELATED", "RANGE", "SCHEDULE-AGENT", "SCHEDULE-STATUS", "X-NUM-GUESTS",
}  # fmt: skip
_FILE_NAMES = ("FILENAME", "X-FILENAME", "X-APPLE-FILENAME")
_PLUMBING_STARTS = ("X-MICROSOFT-", "X-MS-", "X-APPLE-", "X-MOZ-", "X-ABUID", "X-ABSHOWAS")
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z?))?(?=$|[,/;])")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Property:
    name: str  # upper case, without the group before it
    parameters: tuple[tuple[str, str], ...]
    value: str

    def parameter(self, name: str) -> str:
        return next((value for key, value in self.parameters if key == name), "")

    @property
    def encoding(self) -> str:
        """Return how the value is packed, '' for as it is; version 2.1 writes it without a name."""
        words = {value.upper() for key, value in self.parameters if key in ("ENCODING", "")}
        if "QUOTED-PRINTABLE" in words:
            return "quoted-printable"
        return "base64" if words & {"BASE64", "B"} else ""


def unfold(data: bytes) -> bytes:
    """Join the lines that were folded, before they are decoded: a fold may lie within a character."""
    return re.sub(rb"\r?\n[ \t]", b"", data)


def calendar(text: str, ledger: Counter[str] | None = None) -> str:
    """Write a calendar as text: for each entry its summary, start, end, place, people, description and the rest.

    ``ledger`` counts the properties that only serve programs, by their names, and time zones.
    """
    ledger = Counter() if ledger is None else ledger
    paragraphs: list[list[str]] = [[]]
    open_components: list[tuple[str, list[_Property], list[str]]] = []  # its name, properties, and lines in it
    time_zones = 0
    for item in _properties(text):
        if item.name in ("BEGIN", "END"):
            component = item.value.strip().upper()
            if component == "VTIMEZONE":
                time_zones = max(0, time_zones + (1 if item.name == "BEGIN" else -1))
                ledger[component] += item.name == "BEGIN"
            elif time_zones or component == "VCALENDAR":
                continue
            elif item.name == "BEGIN" and len(open_components) < 20:
                open_components.append((component, [], []))
            elif item.name == "END" and open_components:
                _end(open_components, paragraphs, ledger)
            continue
        if time_zones:
            continue
        if open_components:
            open_components[-1][1].append(item)
        else:
            paragraphs[0] += _lines_of([item], ledger)
    while open_components:  # a file that was cut off
        _end(open_components, paragraphs, ledger)
    return "\n\n".join("\n".join(lines) for lines in paragraphs if lines)


def left_out(ledger: Counter[str]) -> list[LeftOut]:
    """Return the line for what only serves programs."""
    names = sorted(name for name, count in ledger.items() if count)
    return [LeftOut("technical field", ledger.total(), ", ".join(names))] if names else []


def _end(
    open_components: list[tuple[str, list[_Property], list[str]]], paragraphs: list[list[str]], ledger: Counter[str]
) -> None:
    component, properties, inner = open_components.pop()
    summary = next((_text(item) for item in properties if item.name == "SUMMARY"), "")
    title = _COMPONENTS.get(component, component.capitalize())
    lines = [f"{title}: {summary}" if summary else title]
    others = [
        item for item in properties if not (item.name == "SUMMARY" and _with_remarks(item, _text(item)) == summary)
    ]
    lines += _lines_of(others, ledger)
    lines += inner
    if open_components:
        open_components[-1][2].extend(lines)
    else:
        paragraphs.append(lines)


def _lines_of(properties: Sequence[_Property], ledger: Counter[str]) -> list[str]:
    """Write properties in the order in which a person reads them."""
    order = {name: rank for rank, name in enumerate(_ORDER)}
    lines = []
    for item in sorted(properties, key=lambda item: order.get(item.name, len(order))):
        if _is_plumbing(item, ledger):
            continue
        value = _with_remarks(item, _calendar_value(item))
        if not value:
            continue
        label = _FIELDS.get(item.name, _label(item.name))
        lines.append(f"{label}: {value}" if label else value)
    return lines


def _is_plumbing(item: _Property, ledger: Counter[str]) -> bool:
    """Return whether a property only serves programs, and count it."""
    is_plumbing = item.name in _PLUMBING or item.name.startswith(_PLUMBING_STARTS)
    if is_plumbing and item.name not in _FIELDS:
        ledger[item.name] += 1
        return True
    return False


def _with_remarks(item: _Property, text: str) -> str:
    """Return a value with what its parameters say that neither forms it nor stands in it."""
    hidden = (*_FORMS, *(_FILE_NAMES if item.encoding == "base64" else ()))
    words = [
        f"{_label(key).lower()}: {value}" for key, value in item.parameters if key not in hidden and value not in text
    ]
    return f"{text} ({', '.join(words)})".strip() if words else text


def _calendar_value(item: _Property) -> str:
    if item.encoding == "base64":
        return _file_line(item)
    if item.name in ("ATTENDEE", "ORGANIZER"):
        return _person(item)
    if _TIME.match(item.value):
        zone = item.parameter("TZID")
        text = _TIME.sub(_readable_time, item.value).replace(",", ", ").replace("/", " to ")
        return f"{text} ({zone})" if zone and not item.value.endswith("Z") else text
    if item.name == "X-ALT-DESC":
        from core.engines.readers import html

        return html.parse(_text(item)).body.text
    return _text(item)


def _readable_time(match: re.Match[str]) -> str:
    year, month, day, hour, minute, second, utc = match.groups()
    text = f"{year}-{month}-{day}"
    if hour:
        text += f" {hour}:{minute}" + (f":{second}" if second not in (None, "00") else "") + (" UTC" if utc else "")
    return text


def _person(item: _Property) -> str:
    address = re.sub(r"(?i)^mailto:", "", item.value.strip())
    name = item.parameter("CN")
    about = [item.parameter(key).lower().replace("-", " ") for key in ("PARTSTAT", "ROLE")]
    text = f"{name} <{address}>" if name and name != address else address
    details = ", ".join(word for word in about if word)
    return f"{text} ({details})" if details else text


def contacts(text: str, ledger: Counter[str] | None = None) -> str:
    """Write address cards as text: for each the name, the organization, ways to reach the person and the rest.

    ``ledger`` counts the properties that only serve programs, by their names.
    """
    ledger = Counter() if ledger is None else ledger
    cards: list[list[_Property]] = [[]]
    for item in _properties(text):
        if item.name == "BEGIN":
            cards.append([])
        elif item.name != "END":
            cards[-1].append(item)
    return "\n\n".join("\n".join(lines) for card in cards if (lines := _card(card, ledger)))


def _card(properties: Sequence[_Property], ledger: Counter[str]) -> list[str]:
    order = {name: rank for rank, name in enumerate(_CARD_FIELDS)}
    full_names = {frozenset(_card_value(item).split()) for item in properties if item.name == "FN"}
    lines = []
    for item in sorted(properties, key=lambda item: order.get(item.name, len(order))):
        if _is_plumbing(item, ledger):
            continue
        value = _with_remarks(item, _card_value(item))
        if not value or (item.name == "N" and frozenset(value.split()) in full_names):
            continue
        label = _CARD_FIELDS.get(item.name, _label(item.name))
        kinds = ", ".join(_types(item))
        label = f"{label} ({kinds})" if kinds and label else label
        lines.append(f"{label}: {value}" if label else value)
    return lines


def _types(item: _Property) -> Iterator[str]:
    if item.encoding == "base64":
        return
    for key, value in item.parameters:
        if key in ("TYPE", ""):
            for word in value.lower().split(","):
                if word not in ("", "internet", "pref", "voice", "quoted-printable", "8bit", "7bit"):
                    yield word


def _card_value(item: _Property) -> str:
    if item.encoding == "base64" or (item.value[:5].lower() == "data:" and len(item.value) > 200):
        return _file_line(item)
    if item.name in ("N", "ADR", "ORG") or ";" in item.value:
        between = " " if item.name == "N" else ", "
        parts = [_unescape(part).strip() for part in re.split(r"(?<!\\);", _decode(item))]
        return between.join(part for part in parts if part)
    if item.name in ("BDAY", "ANNIVERSARY", "REV") and _TIME.match(item.value):
        return _TIME.sub(_readable_time, item.value)
    return _text(item)


def embedded_files(text: str) -> list[tuple[str, bytes]]:
    """Return the files that are written into a calendar or a card, such as pictures, each with a name."""
    files: list[tuple[str, bytes]] = []
    for item in _properties(text):
        content = _content(item)
        if content and len(files) < _FILES:
            files.append((_file_name(item, len(files) + 1), content))
    return files


def _content(item: _Property) -> bytes:
    value = item.value
    if value[:5].lower() == "data:" and ";base64," in value[:200]:
        value = value.partition(";base64,")[2]
    elif item.encoding != "base64":
        return b""
    try:
        return base64.b64decode(re.sub(r"\s", "", value) + "==")
    except (ValueError, binascii.Error):
        return b""


def _file_name(item: _Property, number: int) -> str:
    name = next(filter(None, map(item.parameter, _FILE_NAMES)), "")
    if name:
        return name
    kind = next((word for word in _kinds(item) if word in ("jpeg", "jpg", "png", "gif", "pdf")), "")
    return f"{item.name.lower()} {number}" + (f".{kind.replace('jpeg', 'jpg')}" if kind else "")


def _kinds(item: _Property) -> Iterator[str]:
    for value in (*(value for _, value in item.parameters), item.value[:40] if item.value[:5] == "data:" else ""):
        yield from re.findall(r"[a-z]+", value.lower())


def _file_line(item: _Property) -> str:
    size = len(_content(item))
    name = next(filter(None, map(item.parameter, _FILE_NAMES)), "a file")
    return f"{name} ({size} bytes)" if size else "a file that cannot be read"


def _label(name: str) -> str:
    return name.removeprefix("X-").replace("-", " ").capitalize()


def _decode(item: _Property) -> str:
    if item.encoding == "quoted-printable":
        data = quopri.decodestring(item.value.encode("utf-8", "surrogateescape"))
        return plain_text.clean(plain_text.decode(data, encoding=item.parameter("CHARSET")))
    return item.value


def _text(item: _Property) -> str:
    return _unescape(_decode(item)).strip()


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda match: {"n": "\n", "N": "\n"}.get(match.group(1), match.group(1)), text)


def _properties(text: str) -> Iterator[_Property]:
    """Yield the properties of a file, unfolded. A line that is none is given with its text and without a name."""
    lines = plain_text.clean(text).split("\n")
    index = 0
    for _ in range(_LINES):
        if index >= len(lines):
            return
        parts = [lines[index]]
        index += 1
        is_quoted_printable = "QUOTED-PRINTABLE" in parts[0][:500].upper().partition(":")[0]
        while index < len(lines):
            if is_quoted_printable and parts[-1].endswith("="):
                parts[-1] = parts[-1][:-1]
                parts.append(lines[index])
            elif lines[index][:1] in (" ", "\t"):
                parts.append(lines[index][1:])
            else:
                break
            index += 1
        line = "".join(parts)
        if line.strip():
            yield _property(line)
    remainder = "\n".join(lines[index:])
    if remainder.strip():
        yield _Property("", (), remainder)


def _property(line: str) -> _Property:
    end = _end_of_head(line)
    if end < 0 or not re.match(r"[A-Za-z0-9.-]{1,100}(?=[;:])", line):
        return _Property("", (), line)
    head = re.findall(r'(?:[^;"]+|"[^"]*"?)+', line[:end])
    parameters = []
    for part in head[1:]:
        key, equals, value = part.partition("=")
        parameters.append((key.upper(), value.strip('"')) if equals else ("", key))
    return _Property(head[0].rpartition(".")[2].upper(), tuple(parameters), line[end + 1 :])


def _end_of_head(line: str) -> int:
    """Return the place of the colon before the value, which is not one in quotation marks; -1 for none."""
    is_quoted = False
    for index, character in enumerate(line[:5_000]):
        if character == '"':
            is_quoted = not is_quoted
        elif character == ":" and not is_quoted:
            return index
    return -1
