"""The fields of Word that have their text in the code: ticked boxes, chosen values, formulas of old documents."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from core.engines.readers import office_math, raised, symbol_fonts
from core.engines.readers.ooxml_package import child as _child
from core.engines.readers.ooxml_package import local as _local
from core.engines.readers.ooxml_package import value as _value

TICKED, UNTICKED = "☒", "☐"
_OFF = ("0", "false", "off")
_PAGE_NUMBERS = {"PAGE", "NUMPAGES", "SECTIONPAGES", "SECTION", "PAGEREF"}


@dataclass(slots=True)
class Field:
    """An open field: its code, and whether its result has begun and has text."""

    code: list[str] = field(default_factory=list)
    is_result: bool = False
    has_result: bool = False
    form: Any = None

    @property
    def kind(self) -> str:
        """The first word of the code, in capitals."""
        return next(iter("".join(self.code).split(None, 1)), "").upper()

    @property
    def is_page_number(self) -> bool:
        """Whether it only counts pages."""
        return self.kind in _PAGE_NUMBERS

    def end(self) -> str:
        """Return the text that a field without a result shows."""
        if self.has_result:
            return ""
        code = " ".join("".join(self.code).split())
        match self.kind:
            case "MACROBUTTON" | "GOTOBUTTON":
                return " ".join(code.split(" ")[2:])
            case "SYMBOL":
                return _symbol(code)
            case "EQ":
                return equation(code[2:])
            case "FORMTEXT" if self.form is not None:
                text_input = _child(self.form, "textInput")
                default = _child(text_input, "default") if text_input is not None else None
                return _value(default, "val") if default is not None else ""
        return ""


def form_value(form: Any) -> str | None:
    """Return the mark of a check box or the choice of a list from a form field's data (ffData); None for others."""
    for item in form if form is not None else ():
        match _local(item):
            case "checkBox":
                state = _child(item, "checked")
                state = _child(item, "default") if state is None else state
                return UNTICKED if state is None or _value(state, "val").lower() in _OFF else TICKED
            case "ddList":
                entries = [_value(entry, "val") for entry in item if _local(entry) == "listEntry"]
                result = _child(item, "result")
                result = _child(item, "default") if result is None else result
                digits = _value(result, "val") if result is not None else "0"
                index = int(digits) if digits.isdecimal() and len(digits) < 5 else 0
                return entries[index] if index < len(entries) else ""
    return None


def control_value(properties: Any) -> str | None:
    """Return the mark of a check box from the properties of a content control (sdtPr); None for others."""
    box = _child(properties, "checkbox") if properties is not None else None
    if box is None:
        return None
    state = _child(box, "checked")
    return UNTICKED if state is None or _value(state, "val").lower() in _OFF else TICKED


def _symbol(code: str) -> str:
    match = re.match(r"SYMBOL (0x[0-9a-f]{1,6}|\d{1,6})(?: .*?\\f \"?([^\"\\]+))?", code, re.IGNORECASE)
    if not match:
        return ""
    number = int(match[1], 16) if match[1].lower().startswith("0x") else int(match[1])
    font = (match[2] or "").strip()
    if symbol_fonts.is_symbolic(font):
        return symbol_fonts.character(font, number)
    return bytes([number]).decode("cp1252", "replace") if number < 256 else chr(min(number, 0xFFFD))


def equation(code: str) -> str:
    """Return an equation of the field EQ as a line of text; what is not a fraction, index or root keeps its words."""
    code = code.strip()[:5_000]
    for _ in range(50):  # from the inside out
        previous = code
        code = re.sub(r"\\f\s*\(([^()\\]*?)[,;]([^()\\]*?)\)", _eq_fraction, code, flags=re.IGNORECASE)
        code = re.sub(r"\\r\s*\(([^()\\]*?)[,;]([^()\\]*?)\)", _eq_root, code, flags=re.IGNORECASE)
        code = re.sub(r"\\r\s*\(([^()\\]*?)\)", "√⟨\\1⟩", code, flags=re.IGNORECASE)
        code = re.sub(r"\\s(?:\\(?:up|do|ai|di)\d*)*\s*\(([^()\\]*?)\)", _eq_shift, code, flags=re.IGNORECASE)
        code = re.sub(r"\\[a-z](?:\\[a-z]{2}\d*)*\s*\(([^()\\]*?)\)", "⟨\\1⟩", code, flags=re.IGNORECASE)
        if code == previous:
            break
    return code.replace("⟨", "(").replace("⟩", ")")


def _eq_fraction(match: re.Match[str]) -> str:
    return raised.fraction(match[1], match[2], match.string[: match.start()].rstrip())


def _eq_root(match: re.Match[str]) -> str:
    return f"{office_math.power('', match[1])}√⟨{match[2]}⟩"


def _eq_shift(match: re.Match[str]) -> str:
    return office_math.index("", match[1]) if "\\do" in match[0].lower() else office_math.power("", match[1])
