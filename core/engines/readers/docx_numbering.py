"""The numbers that Word writes before paragraphs by itself: "§ 1.", "1.2", "(a)" (ISO/IEC 29500-1, 17.9)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from core.engines.readers.ooxml_package import child as _child
from core.engines.readers.ooxml_package import local as _local
from core.engines.readers.ooxml_package import value as _value

_LEVELS = 9
_LARGEST = 1_000_000  # number of a paragraph
_TEXT = 200  # characters of one label
_CARDINALS = [
    "Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve",
    "Thirteen", "Fourteen", "Fifteen", "Sixteen", "Seventeen", "Eighteen", "Nineteen", "Twenty",
]  # fmt: skip
_ORDINALS = [
    "Zeroth", "First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth", "Tenth",
    "Eleventh", "Twelfth", "Thirteenth", "Fourteenth", "Fifteenth", "Sixteenth", "Seventeenth", "Eighteenth",
    "Nineteenth", "Twentieth",
]  # fmt: skip

_LONGEST = 255  # characters of the text of a level, which no program exceeds


@dataclass(frozen=True, slots=True)
class Level:
    """A level of a list: its first number, how that is written, and the text around it."""

    start: int = 1
    kind: str = "decimal"
    text: str = ""
    restart: int = -1  # the level, counted from 1, whose numbers begin it again; 0: none does; -1: every one above
    is_legal: bool = False  # whether all numbers of its label are decimal
    style: str = ""  # of the paragraphs that are on this level by their style


@dataclass(slots=True)
class Numbering:
    """The lists of a document and how far each has been counted."""

    _lists: dict[str, dict[int, Level]] = field(default_factory=dict)  # by the id of the abstract definition
    _numbers: dict[str, tuple[str, dict[int, Level], dict[int, int]]] = field(default_factory=dict)
    _counts: dict[str, list[int | None]] = field(default_factory=dict)
    _started: set[str] = field(default_factory=set)  # lists whose own first number was taken

    @classmethod
    def of(cls, root: Any) -> Numbering:
        """Read the part of a document that defines its lists; ``root`` may be None."""
        numbering = cls()
        links: dict[str, str] = {}
        linked: dict[str, str] = {}
        for item in root if root is not None else ():
            if _local(item) == "abstractNum":
                identity = _value(item, "abstractNumId")
                numbering._lists[identity] = _levels(item)
                for child in item:
                    if _local(child) == "numStyleLink":
                        links[identity] = _value(child, "val")
                    elif _local(child) == "styleLink":
                        linked[_value(child, "val")] = identity
        for identity, style in links.items():
            target = linked.get(style, "")
            numbering._lists[identity] = numbering._lists.get(target) or numbering._lists[identity]
        for item in root if root is not None else ():
            if _local(item) != "num":
                continue
            reference = _child(item, "abstractNumId")
            changes: dict[int, Level] = {}
            starts: dict[int, int] = {}
            for child in item:
                if _local(child) == "lvlOverride":
                    level = _whole(_value(child, "ilvl"))
                    changes |= _levels(child)
                    start = _child(child, "startOverride")
                    if start is not None:
                        starts[level] = _whole(_value(start, "val"))
            abstract = _value(reference, "val") if reference is not None else ""
            numbering._numbers[_value(item, "numId")] = (abstract, changes, starts)
        return numbering

    @classmethod
    def of_lists(
        cls, lists: dict[str, dict[int, Level]], numbers: dict[str, tuple[str, dict[int, Level], dict[int, int]]]
    ) -> Numbering:
        """Return lists by their ids, with their uses by theirs: the list, its changed levels, other first numbers."""
        return cls(lists, numbers)

    def level_of_style(self, number: str, style: str) -> int | None:
        """Return the level that a list gives to paragraphs of a style, or None."""
        abstract, changes, _ = self._numbers.get(number, ("", {}, {}))
        levels = self._lists.get(abstract, {}) | changes
        return next((level for level, definition in levels.items() if style and definition.style == style), None)

    def has(self, number: str) -> bool:
        """Return whether a list is defined."""
        return self._numbers.get(number, ("", {}, {}))[0] in self._lists

    def label(self, number: str, level: int) -> str:
        """Count a paragraph of a list and return its label; '' for a bullet and for no list."""
        if number not in self._numbers or not 0 <= level < _LEVELS:
            return ""
        abstract, changes, starts = self._numbers[number]
        levels = self._lists.get(abstract, {}) | changes
        counts = self._counts.setdefault(abstract, [None] * _LEVELS)
        if starts and number not in self._started:
            self._started.add(number)
            for started_level, start in starts.items():
                if 0 <= started_level < _LEVELS:
                    counts[started_level] = start - 1
        definition = levels.get(level, Level())
        count = counts[level]
        counts[level] = definition.start if count is None else min(count + 1, _LARGEST)
        for below in range(level + 1, _LEVELS):
            restart = levels.get(below, Level()).restart
            if restart < 0 or level < restart:
                counts[below] = None
        if definition.kind in ("bullet", "none") and "%" not in definition.text:
            return "" if definition.kind == "bullet" else definition.text.strip()
        return self._text(definition, levels, counts)

    @staticmethod
    def _text(definition: Level, levels: dict[int, Level], counts: list[int | None]) -> str:
        def number(match: re.Match[str]) -> str:
            index = int(match[1]) - 1
            level = levels.get(index, Level())
            count = counts[index]
            count = level.start if count is None else count
            kind = level.kind
            return _number(count, "decimal" if definition.is_legal and kind not in ("none", "decimalZero") else kind)

        return " ".join(re.sub(r"%([1-9])", number, definition.text)[:_TEXT].split())


def _levels(definition: Any) -> dict[int, Level]:
    levels: dict[int, Level] = {}
    for item in definition:
        if _local(item) != "lvl":
            continue
        values = {_local(element): _value(element, "val") for element in item}
        kind = values.get("numFmt", "decimal")
        alternate = _child(item, "AlternateContent")  # formats of Word 2010 and later
        if alternate is not None:
            kind = next((_value(element, "val") for element in alternate.iter("{*}numFmt")), kind)
        level = Level(
            _whole(values.get("start", "0")),
            kind,
            values.get("lvlText", "")[:_LONGEST],
            _whole(values["lvlRestart"]) if "lvlRestart" in values else -1,
            "isLgl" in values and values["isLgl"] not in ("0", "false", "off"),
            values.get("pStyle", ""),
        )
        levels.setdefault(_whole(_value(item, "ilvl")), level)
    return levels


def _whole(digits: str) -> int:
    return int(digits) if digits.isdecimal() and len(digits) < 7 else 0


def _number(count: int, kind: str) -> str:
    if count < 0:
        return str(count)
    return _FORMATS.get(kind, str)(count)


def roman(count: int) -> str:
    """Return a number in Roman figures, in Arabic ones where there are none for it."""
    if not 0 < count < 4_000:
        return str(count)
    text = ""
    for amount, letters in _ROMAN:
        text += letters * (count // amount)
        count %= amount
    return text


_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


def letters(count: int) -> str:
    """Return a number as a letter: a to z, then aa, bb."""
    return chr(ord("a") + (count - 1) % 26) * min((count - 1) // 26 + 1, 30) if count > 0 else str(count)


def _ordinal(count: int) -> str:
    tail = "th" if 10 < count % 100 < 20 else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
    return f"{count}{tail}"


def _word(words: list[str]) -> Callable[[int], str]:
    return lambda count: words[count] if count < len(words) else str(count)


_FORMATS: dict[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalZero": lambda count: f"{count:02}",
    "lowerRoman": roman,
    "upperRoman": lambda count: roman(count).upper(),
    "lowerLetter": letters,
    "upperLetter": lambda count: letters(count).upper(),
    "ordinal": _ordinal,
    "cardinalText": _word(_CARDINALS),
    "ordinalText": _word(_ORDINALS),
    "numberInDash": lambda count: f"- {count} -",
    "none": lambda _: "",
}
