"""What a line calls the text that it is above, as minutes or a notice, and the day that it gives that text. Pure.

A record (minutes, a statement, a log) is of the day that it tells of; what is given out (a notice, a press release) is
of a day only where the day is set apart: 'Notice of the meeting on 6 June' is older than the meeting.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from core.language import dates
from core.language.lexicon import words_of

_LONGEST, _TITLE = 260, 160  # characters of a line that is looked at, and of one that is a title
_LANGUAGES = ("en", "de", "fr", "es", "ru")
_DAY = "\0"  # in place of a day, its weekday and its hours
_WEEKDAY = (
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch"
    r"|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo"
    r"|понедельник|вторник|сред[ау]|четверг|пятниц[ау]|суббот[ау]|воскресенье)\b[.,]?\s+"
)
_BEFORE = re.compile(rf"(?i)(?:\b{_WEEKDAY})?(?:\b(?:the|den|le|el)\s+)?$")
_CLOCK = r"\d{1,2}(?:[:.h]\d\d)?\s?(?:[ap]\.?\s?m\b\.?|hrs?\b|uhr\b|h\b|noon\b)?"
_HOURS = re.compile(
    rf"(?i)(?:\s+(?:г\.?|года)(?!\w))?(?:(?:,|\s+(?:at|um|à|to|bis)|\s*[–—-])?\s*(?<!\d)(?:[ap]\.?m\b\.?|{_CLOCK}(?![\d/.]*\d)))*"
)
_OF = r"(?:held on|of|from|on|dated|vom|von|am|du|le|del|от|за)"
_PREPOSED = re.compile(rf"(?i)\b{_OF}\s+$")
_DOTTED = re.compile(r"[\d.]+\.\s*[^\s\d]")
_LABEL = re.compile(r"(?i)(?:date|datum|fecha|дата)\s+$")
_SENTENCE = re.compile(r"(?:(?<=[^\W\d_]{3})|(?<=[\d\0)]))[.;](?:\s+|$)")
_SEPARATOR = re.compile(rf"\s*[,:|·•]\s+|\s+[–—-]+\s+|\s*\(|\)\s*|\s{{3,}}|(?<=\0),\s*|{_SENTENCE.pattern}")
_ABOUT = re.compile(
    r"(?i)\b(?:on|about|into|concerning|regarding|over|after|über|zu[mr]?|nach|sur|après|sobre|tras|о|об)\b"
)
_AFTER_KIND = re.compile(
    r"(?i)\s*(?:$|(?:of|to|by|no|nr|number|for|from|with|on|held|taken|made|vom|von|der|des|du|de|del|an|zu[mr]?|über"
    r"|am|à|aux?)\b|№|[\d\0])"
)
_NUMBER = re.compile(r"(?i)(?:(?:no|nr|number|№)\.?)? ?[\d/.-]+|\0|")
_AUDIENCE = re.compile(r"(?i)(?:to|of|for|an|à|aux?|de|для)\b")
# What is beside a day that is not that of the text.
OF_ANOTHER_DAY = re.compile(
    r"(?i)(?:copyright|deadline|due|expir\w+|effective|valid|in force|born|died|until|till|from|since|before|after"
    r"|closing|payable|next|begin\w*|starts?|ends?|event|arrest\w*|visits?|received|approved|adopted|amended|ratified"
    r"|confirmed|revised|corrected|replaces|period|gültig|fällig|frist|geboren|gestorben|ab|bis|seit|genehmigt"
    r"|eingegangen|nächste\w?|approuvée?|adoptée?|reçue?|aprobad[ao]|recibid[ao]|утвержд[её]н\w*|получено)\b.*"
)
_FINITE = re.compile(
    r"(?i)\b(?:is|are|was|were|has|have|had|be|been|will|ist|sind|war|wurden?|wird|est|sont|es|son|fue)\b"
)
_PRONOUN = re.compile(
    r"(?i)\b(?:i|we|he|she|they|my|our|your|his|her|their|re|ich|wir|ihr|mein|unser|nous|vous|votre|yo|su)\b"
)
_WORD = re.compile(r"[^\W\d_]+")
_TO_COME = (
    r"(?:agenda|invitation|programme|einladung|tagesordnung|convocation|ordre du jour|invitación|convocatoria"
    r"|orden del día|приглашение|повестка(?: дня)?)"
)
_ANNOUNCED = re.compile(
    rf"(?i)(?:[\w'’]+ ){{0,4}}{_TO_COME}\W*|{_TO_COME}\W+(?:for|of|to|zu[mr]?|für|der|des|à|de|du|para|a|на)\b.*"
    r"|.{0,30}\bnotice of .{0,40}\b(?:meeting|hearing|assembly|auction|sale)\b.*"
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of text that a line names. ``title``: as far as the line is one; it says no more if ``is_bare``."""

    title: str
    is_record: bool
    is_bare: bool = False
    is_below: bool = False  # what it is, below its name: 'The newsletter of the club', 'Notice to all tenants'


@dataclass(frozen=True, slots=True)
class _Match:
    """A kind in a part of a line: what is before and behind it there."""

    before: str
    rest: str
    is_record: bool


def lists_those_present(line: str) -> bool:
    """Return whether a line begins as minutes do: 'Present: Ms Doe (chair)'."""
    bare = line.lstrip("*_ ")
    label = _words("attendance").match(bare)
    return label is not None and re.match(r"[*_]*\s?[:(]", bare[label.end() :]) is not None


def is_meeting(line: str) -> bool:
    """Return whether a line names a meeting, which is no place."""
    return _words("meeting").search(line) is not None


def announces(line: str) -> bool:
    """Return whether a line is above a text on what is still to come, so that a day in its head is not its own."""
    return _ANNOUNCED.fullmatch(line) is not None


def kind_of(line: str, *, language: str = "") -> Kind | None:
    """Return the kind of text that a line names, None where it names none."""
    mask, days = _mask(line, language)
    match = next(filter(None, map(_match, _parts(mask))), None) if mask else None
    if match is None:
        return None
    rest = match.rest.strip(" .")
    is_bare = not match.before and _NUMBER.fullmatch(rest) is not None
    is_below = not match.is_record and _AUDIENCE.match(rest) is not None
    return Kind(_title(mask, days), match.is_record, is_bare, is_below)


def is_record_of_statement(line: str) -> bool:
    """Return whether a line says when a record was taken and nothing else: 'Statement of Ann Berg, taken on 4 May'.

    It has no verb of its own: 'the arrest was made on 4 May' does.
    """
    kind = kind_of(line)
    if kind is None or not kind.is_record:
        return False
    return _words("recording").search(line) is not None and _FINITE.search(line) is None


def minutes_of(line: str, *, language: str = "") -> Kind:
    """Return the kind of a text that lists those present: minutes, with a line above that list as its title."""
    return kind_of(line, language=language) or Kind(_title(*_mask(line, language)), is_record=True)


def day_of(line: str, *, language: str = "", kind: Kind | None = None, is_below: bool = False) -> str:
    """Return the day that a line gives the text that it is of, ISO 8601; '' where it gives none that is sure.

    ``kind``: what the text is called on a line before. ``is_below``: the line is below a title, or above the
    greeting of a letter.
    """
    mask, mentions = _mask(line, language)
    parts = _parts(mask)
    matches = list(map(_match, parts))
    kind_index = next((index for index, match in enumerate(matches) if match), -1)
    record_index = next((index for index, part in enumerate(parts) if _words("recording").match(part)), len(parts))
    final_days = {mask.count(_DAY, 0, end.start()) for end in re.finditer(r"(?<=\0)\s*(?:[.;)]|$)", mask)}
    match = matches[kind_index] if kind_index >= 0 else None
    is_record = match.is_record if match else kind is not None and kind.is_record
    is_other = kind is not None and not kind.is_bare and kind.is_record != is_record  # 'Letter' below 'Notes of'
    days: set[str] = set()
    number = 0
    for index, part in enumerate(parts):
        number += part.count(_DAY)
        labels = [above for above in parts[:index] if len(above.split()) < 4 and _DAY not in above]
        if _DAY not in part or any(map(OF_ANOTHER_DAY.match, (part, *labels))):
            continue
        before, _, rest = part.partition(_DAY)
        day = mentions[number - 1][1] if _DAY not in rest else ""
        if rest.strip(" .") or (before and not _LABEL.fullmatch(before)):
            is_own = _is_told(part, matches[index], parts[index + 1 :], is_record=is_record)
            is_own = is_own and (not matches[index] or _are_names(parts[:index]))
        elif _is_labelled(mask, number):
            is_own = matches[index - 1] is not None or _words("recording").match(parts[index - 1]) is not None
        elif before or record_index < index:
            is_own = True
        elif kind is not None or 0 <= kind_index <= max(index, 1):
            is_own = (
                _is_set_apart(parts, index, kind_index, match, is_record=is_record, is_hour="T" in day) and not is_other
            )
        else:
            ends = number in final_days and "T" not in day
            is_own = is_below and ":" not in mask and _are_names(parts[:index] or parts[1:]) and (ends or not index)
        if not day or not is_own:
            return ""
        days.add(day)
    return days.pop() if len(days) == 1 else ""


def _is_labelled(mask: str, number: int) -> bool:
    """Return whether a line says of a day what it is, as 'Date of birth: 3 May'."""
    return mask.split(_DAY)[number - 1].rstrip().endswith(":")


def _is_set_apart(
    parts: list[str], index: int, kind_index: int, match: _Match | None, *, is_record: bool, is_hour: bool
) -> bool:
    """Return whether nothing but names is between a kind and a day: 'Report, Ann Berg, Abila, 3 May'.

    Neither what the text is about, as in 'Report on the fire, 3 May', nor, with the hour, what it invites to, as in
    'Notice, Corn Hall, 3 May, 7 pm'.
    """
    if match is not None and _ABOUT.search(match.rest):
        return False
    beside = parts[kind_index + 1 if kind_index < index else 0 : index]
    is_name = _are_names(beside, is_behind=0 <= kind_index < index, is_record=is_record)
    return is_name and all(map(_is_short, parts[index + 1 : index + 4])) and not (beside and is_hour and not is_record)


def _is_told(part: str, match: _Match | None, following: list[str], *, is_record: bool) -> bool:
    """Return whether a part says what was done on its day: 'Taken on the 3rd by Mr Ray', 'Minutes of the 3rd'."""
    before = (match.rest if match else part).partition(_DAY)[0]
    if not _BEHIND_A_DAY.match(part.partition(_DAY)[2]):
        return False
    recording = _words("recording").search(before)
    if recording is not None and _FINITE.search(part) is None:
        return (match is not None or not recording.start()) and all(
            _ON_ITS_OWN.match(rest) or _words("recording").match(rest) for rest in following
        )
    if _is_clause(part):
        return False
    stem = _PREPOSED.sub("", before)
    if stem == before or _ABOUT.search(stem):
        return False
    return (match is not None and not stem.strip()) or (is_record and (is_meeting(part) or not stem.strip()))


def _title(mask: str, days: list[tuple[str, str]]) -> str:
    """Return the first sentence of a line as far as the day that is set apart in it."""
    title = _SENTENCE.split(re.split(r"\s*[,:;(|·•–—-]\s*\0|[.;]\s+\0|^\0\W*", mask, maxsplit=1)[0], maxsplit=1)[0]
    for day, _ in days[: title.count(_DAY)]:
        title = title.replace(_DAY, day, 1)
    is_sentence = _FINITE.search(title) is not None or _PRONOUN.match(title) is not None
    return title.strip() if len(title) <= _TITLE and not is_sentence else ""


def _is_clause(part: str) -> bool:
    return _FINITE.search(part) is not None or _PRONOUN.search(part) is not None


def _is_short(part: str) -> bool:
    return len(part.split()) < 9 and not _is_clause(part)


def _are_names(parts: list[str], *, is_behind: bool = False, is_record: bool = False) -> bool:
    """Return whether parts are names of people, bodies and places, or, behind a name, what a person is.

    ``is_behind``: behind a name already. ``is_record``: of the meeting or the place that a record is of.
    """
    for part in parts:
        words = [word for word in _WORD.findall(part) if len(word) > 3] or _WORD.findall(part)
        is_body = not words_of("en", "institution").isdisjoint(part.casefold().split())
        share = 0.3 if is_record else 0.5 if is_body else 0.8  # of 'Claims department', of 'Collapse of the bridge'
        is_name = part[0].isupper() and sum(word[0].isupper() for word in words) >= share * len(words)
        is_role = is_behind and len(words) < 5 and (not part[0].isupper() or part.startswith(_ON_BEHALF))
        is_event = is_meeting(part) or re.search(r"\D\d", part) is not None
        is_event = (is_event and not is_record) or (_ENTITLED.search(part) is not None and not is_meeting(part))
        if _is_clause(part) or is_event or len(part.split()) > 7 or not (is_name or is_role):
            return False
        is_behind = True
    return True


_ON_BEHALF = ("At the ", "For the ", "In the ", "On behalf ")
_ENTITLED = re.compile(r"^[A-ZÀ-ÞА-Я].*\w (?:at|in|on|near|am|im|bei|à|en|в|на)\b")  # 'Fire at Shed 7'
_BEHIND_A_DAY = re.compile(
    r"(?i)\W*(?:$|(?:at|in|by|and|held|to|before|with|um|im|bei|durch|à|au|par|en|por|a las|в|на)\b)"
)
# No rest of a sentence, as in 'Written on 3 May, the letter came too late'.
_ON_ITS_OWN = re.compile(r"[^a-zа-яё]|(?:at|in|by|between|from|before|with|while|commencing)\b")


def _match(part: str) -> _Match | None:
    """Return where a part of a line names the kind of a text, None where it names none."""
    for kind in ("issue", "record"):
        for match in _words(kind).finditer(part):
            before, rest = part[: match.start()], part[match.end() :]
            words = _WORD.findall(before.casefold())
            follows = _AFTER_KIND.match(rest) or (not words and match[0] >= "Ѐ")  # Russian has no 'of'
            is_alone = len(words) > 3 or words[:1] in (["a"], ["an"]) or _is_clause(before) or _BEHIND.search(before)
            if follows and not is_alone:
                return _Match(before, rest, kind == "record")
    return None


_BEHIND = re.compile(rf"(?i)\b(?:of|to|for|from|by|in|at|with|von|der|des|de|du|del|{_ABOUT.pattern[4:]})\b|\0")


def _mask(line: str, language: str) -> tuple[str, list[tuple[str, str]]]:
    """Return a line with one character in place of each day, and what it says there and the day; '' of a long line."""
    days: list[tuple[str, str]] = []
    if len(line) > _LONGEST:
        return "", days
    mask, end = "", 0
    for mention in dates.dates_in(line, language=language):
        if mention.precision not in ("day", "time"):
            continue
        preceding = line[end : mention.start]
        weekday = _BEFORE.search(preceding)
        start = mention.start - (len(weekday[0]) if weekday else 0)
        mask = f"{mask}{line[end:start]}{_DAY}"
        hours = _HOURS.match(line, mention.end)
        end = max(mention.end, hours.end() if hours else 0)
        if _DOTTED.match(line, mention.start):  # '2020.3.30. ' may go on
            end += 1
        is_day = not mention.doubt and mention.earliest[:10] == mention.latest[:10]
        days.append((line[start:end], mention.earliest if is_day else ""))
    return mask + line[end:], days


def _parts(mask: str) -> list[str]:
    return [part.strip() for part in _SEPARATOR.split(mask) if part and part.strip()]


@cache
def _words(kind: str) -> re.Pattern[str]:
    """Return what finds the entries of a word list in all its languages, the longest first."""
    entries = {word for language in _LANGUAGES for word in words_of(language, kind)}
    return re.compile(rf"(?i)\b(?:{'|'.join(map(re.escape, sorted(entries, key=lambda word: (-len(word), word))))})\b")
