"""The formats of Word that change what a person sees: hidden, struck, raised, without contrast. Styles and heirs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from core.engines.readers.docx_numbering import Numbering
from core.engines.readers.ooxml_package import child as _child
from core.engines.readers.ooxml_package import local as _local
from core.engines.readers.ooxml_package import value as _value

_SHIFT = 6  # half points up or down, from which figures count as raised or lowered


def shades(properties: Any) -> bool | None:
    """Return whether properties paint a ground that is not white; None if they do not state one."""
    shading = _child(properties, "shd") if properties is not None else None
    if shading is None:
        return None
    if _value(shading, "val") not in ("", "clear", "nil") or _value(shading, "themeFill"):
        return True
    return _value(shading, "fill").upper() not in ("", "AUTO", "FFFFFF")


@dataclass(frozen=True, slots=True)
class Look:
    """The format of a run, as far as it makes it seen or not, and what it means; None: not stated here."""

    vanish: bool | None = None
    tiny: bool | None = None
    ink: str | None = None  # 'FFFFFF', 'auto' ...
    ground: str | None = None  # of the run itself; 'auto' where nothing is behind it
    highlight: str | None = None  # the colour of a highlighter
    strike: bool | None = None
    shift: str | None = None  # 'superscript', 'subscript' or 'baseline'
    font: str | None = None
    has_ground: bool = False  # whether something is behind it that is not its own

    @classmethod
    def of(cls, properties: Any) -> Look:
        """Read the properties of a run."""
        values: dict[str, Any] = {}
        for item in properties if properties is not None else ():
            match _local(item):
                case "vanish" | "specVanish":
                    values["vanish"] = values.get("vanish", False) or _value(item, "val") not in _OFF
                case "sz":
                    points = _value(item, "val")  # half points
                    values["tiny"] = int(points) <= 2 if points.isdigit() and len(points) < 6 else None
                case "color":
                    values["ink"] = _value(item, "val").upper()
                case "shd":
                    values["ground"] = (_value(item, "fill") or "auto").upper()
                case "strike" | "dstrike":
                    values["strike"] = values.get("strike", False) or _value(item, "val") not in _OFF
                case "vertAlign":
                    values["shift"] = _value(item, "val")
                case "position" if values.get("shift") in (None, "baseline"):
                    values["shift"] = _shift(_value(item, "val"))
                case "rFonts":
                    values["font"] = _value(item, "ascii") or _value(item, "hAnsi") or None
                case "highlight":
                    values["highlight"] = _value(item, "val").lower()
        return cls(**values) if values else PLAIN

    def over(self, nearer: Look) -> Look:
        """Return this with what a nearer format says instead."""
        if nearer is PLAIN:
            return self
        changes = {name: value for name in _FORMAT_FIELDS if (value := getattr(nearer, name)) is not None}
        return (
            replace(self, **changes, has_ground=self.has_ground or nearer.has_ground)
            if changes or nearer.has_ground
            else self
        )

    def on_ground(self) -> Look:
        """Return this on a ground of another colour than the page."""
        return replace(self, has_ground=True)

    @property
    def unseen(self) -> str:
        """Reason why it is not seen, or ''. Ink that the program chooses contrasts with any ground."""
        if self.vanish:
            return "unseen"
        if self.tiny:
            return "tiny"
        ink, ground, highlight = self.ink or "AUTO", self.ground or "AUTO", self.highlight or "none"
        if highlight == "black" and ink in ("AUTO", "000000"):
            return "blacked out"
        if ground != "AUTO" and ground == ink:
            return "blacked out" if ink == "000000" else "colour"
        open_ground = ground == "AUTO" and not self.has_ground
        return "colour" if ink == "FFFFFF" and (highlight == "white" or (highlight == "none" and open_ground)) else ""


PLAIN = Look()
_OFF = ("0", "false", "off", "none")
_FORMAT_FIELDS = ("vanish", "tiny", "ink", "ground", "highlight", "strike", "shift", "font")


def _shift(half_points: str) -> str | None:
    """Return the script position of a base line shift: exponents are often set by hand."""
    digits = half_points.lstrip("-")
    if not digits.isdecimal() or len(digits) > 4 or int(digits) < _SHIFT:
        return None
    return "subscript" if half_points.startswith("-") else "superscript"


@dataclass(frozen=True, slots=True)
class Style:
    """A paragraph or character style. ``level`` is that of a heading, 0: it is none.

    ``list_id`` names the list that numbers its paragraphs, ``list_level`` the level, from 0.
    """

    level: int = 0
    look: Look = PLAIN
    list_id: str = ""
    list_level: int = 0


class Styles:
    """The styles of a document with what they take from those they are based on."""

    def __init__(self, root: Any, numbering: Numbering) -> None:
        # based on, name, outline level, look, list with its level ('' where not stated)
        self._definitions: dict[str, tuple[str, str, int | None, Look, tuple[str, str]]] = {}
        self._numbering = numbering
        self._styles: dict[str, Style] = {"": Style()}
        self._usual: dict[str, str] = {}
        self._shades: set[str] = set()  # tables of which put something behind a cell
        for style in root if root is not None else ():
            if _local(style) != "style":
                continue
            identity, base, name = _value(style, "styleId"), _child(style, "basedOn"), _child(style, "name")
            paragraph, run = _child(style, "pPr"), _child(style, "rPr")
            self._definitions[identity] = (
                _value(base, "val") if base is not None else "",
                _value(name, "val").lower() if name is not None else "",
                outline_level(paragraph),
                replace(Look.of(run), has_ground=True) if shades(paragraph) else Look.of(run),
                list_of(paragraph),
            )
            if any(shades(part) for part in style.iter() if _local(part) in ("tcPr", "tblPr", "pPr", "trPr")):
                self._shades.add(identity)
            if _value(style, "type") == "paragraph" and _value(style, "default") in ("1", "true", "on"):
                self._usual["pStyle"] = identity

    def of(self, properties: Any, kind: str) -> Style:
        """Return the style that a paragraph ('pStyle') or a run ('rStyle') names, or the usual one."""
        reference = _child(properties, kind) if properties is not None else None
        return self._style(_value(reference, "val") if reference is not None else self._usual.get(kind, ""))

    def shades(self, properties: Any) -> bool:
        """Return whether the style that a table names puts something behind cells of it."""
        reference = _child(properties, "tblStyle") if properties is not None else None
        style = _value(reference, "val") if reference is not None else ""
        for _ in range(20):
            if style in self._shades or (style and style not in self._definitions):
                return True
            style = self._definitions[style][0] if style else ""
        return False

    def _style(self, identity: str) -> Style:
        if identity not in self._styles:
            chain: list[str] = []
            ancestor = identity
            while ancestor in self._definitions and ancestor not in chain and len(chain) < 20:
                chain.append(ancestor)
                ancestor = self._definitions[ancestor][0]
            level, look, number, number_level = 0, PLAIN, "", 0
            for style in reversed(chain):
                _, name, own_level, own_look, (list_id, list_level) = self._definitions[style]
                heading = re.fullmatch(r"heading ([1-9])", name)
                level = int(heading.group(1)) if heading else level
                level = own_level if own_level is not None else level
                look = look.over(own_look)
                number = list_id or number
                named = self._numbering.level_of_style(number, style)
                if list_level.isdecimal() and len(list_level) < 3:
                    number_level = int(list_level)
                elif named is not None or list_id:
                    number_level = named or 0
            self._styles[identity] = Style(level, look, number, number_level)
        return self._styles[identity]


def outline_level(properties: Any) -> int | None:
    """Return the level of a heading from 1, 0 for body text, or None if none is stated."""
    element = _child(properties, "outlineLvl") if properties is not None else None
    digits = _value(element, "val") if element is not None else ""
    return None if not digits.isdigit() or len(digits) > 2 else int(digits) + 1 if int(digits) < 9 else 0


def list_of(properties: Any) -> tuple[str, str]:
    """Return the list that numbers a paragraph and its level on it, as far as they are stated; "0" is no list."""
    element = _child(properties, "numPr") if properties is not None else None
    if element is None:
        return "", ""
    number, level = _child(element, "numId"), _child(element, "ilvl")
    return (_value(number, "val") if number is not None else "", _value(level, "val") if level is not None else "")
