"""Formulas of office files as a line of text: 10³, 1/2, √(2), x^(a+b). Office MathML and MathML of OpenDocument."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from core.engines.readers import raised as shift
from core.engines.readers.ooxml_package import child, local, value

DEEPEST = 60  # of formulas in formulas
_TEXT = 20_000  # characters of one formula


def text(formula: Any, preceding: str = "") -> str:
    """Return the words of a formula (oMath); ``preceding`` is the text before it."""
    return _joined(_children(formula, 0), preceding)[:_TEXT]


def mathml(formula: Any, preceding: str = "") -> str:
    """Return the words of a MathML formula; ``preceding`` is the text before it."""
    return _joined(_mathml_children(formula, 0), preceding)[:_TEXT]


def power(base: str, above: str) -> str:
    """Return a base with its superscript, in brackets behind ^ if it has no plain form."""
    if above and (re.search(r"\w\s*[/+−·×-]\s*\w", base) or _RAISED.search(base[-1:])):
        base = f"({base})"
    return base + _shifted(shift.raised, above, "^")


def index(base: str, below: str) -> str:
    """Return a base with its subscript, in brackets behind _ if it has no plain form."""
    if below and _LOWERED.search(base[-1:]):
        base = f"({base})"
    return base + _shifted(shift.lowered, below, "_")


_RAISED, _LOWERED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ]"), re.compile("[₀-₎]")
_PLAIN = re.compile(r"[0-9ni()+=−-]*")


def _shifted(form: Callable[[str], str], words: str, sign: str) -> str:
    words = words.strip()
    converted = form(words) if _PLAIN.fullmatch(words) else words
    if not re.search(r"\w", converted) or (converted != words and not re.search(r"[0-9A-Za-z]", converted)):
        return converted
    return f"{sign}{words}" if len(words) == 1 else f"{sign}({words})"


def _joined(parts: Iterable[str], preceding: str = "") -> str:
    """Put parts one after the other, with a blank where a fraction and a number would join."""
    line = ""
    for part in parts:
        last = (preceding + line)[-1:]
        if part and last.isdigit() and part[0].isdigit() and ("/" in part or "/" in line[-12:]):
            line += " "
        line += part
    return line


def _children(element: Any, depth: int) -> Iterator[str]:
    if depth > DEEPEST:
        yield " ".join(run.text or "" for run in element.iter("{*}t"))
        return
    for item in element:
        yield _formula(item, depth + 1)


def _argument(element: Any, name: str, depth: int) -> str:
    part = child(element, name)
    return _joined(_children(part, depth)) if part is not None else ""


def _property(element: Any, group: str, name: str, default: str) -> str:
    properties = child(element, group)
    item = child(properties, name) if properties is not None else None
    return value(item, "val") if item is not None else default


def _formula(item: Any, depth: int) -> str:
    tag = local(item)

    def part(name: str) -> str:
        return _argument(item, name, depth)

    match tag:
        case "t" | "delText":
            return item.text or ""
        case "f":
            return shift.fraction(part("num"), part("den"))
        case "sSup":
            return power(part("e"), part("sup"))
        case "sSub":
            return index(part("e"), part("sub"))
        case "sSubSup":
            return power(index(part("e"), part("sub")), part("sup"))
        case "sPre":
            return power(index("", part("sub")), part("sup")) + part("e")
        case "nary":
            sign = _property(item, "naryPr", "chr", "∫")
            return power(index(sign, part("sub")), part("sup")) + " " + part("e")
        case "rad":
            return f"{power('', part('deg'))}√({part('e')})"
        case "d":
            start, end = _property(item, "dPr", "begChr", "("), _property(item, "dPr", "endChr", ")")
            parts = (_joined(_children(argument, depth)) for argument in item if local(argument) == "e")
            return start + _property(item, "dPr", "sepChr", "|").join(parts) + end
        case "func":
            return f"{part('fName')} {part('e')}"
        case "limLow":
            return index(part("e"), part("lim"))
        case "limUpp":
            return power(part("e"), part("lim"))
        case "acc":
            return part("e") + _property(item, "accPr", "chr", "\u0302")
        case "m":
            rows = (row for row in item if local(row) == "mr")
            cells = (", ".join(_joined(_children(cell, depth)) for cell in row if local(cell) == "e") for row in rows)
            return f"[{'; '.join(cells)}]"
        case "eqArr":
            return "; ".join(_joined(_children(argument, depth)) for argument in item if local(argument) == "e")
        case "tab":
            return "\t"
        case "br":
            return "\n"
        case _ if tag.endswith("Pr") or tag == "instrText":
            return ""
    return _joined(_children(item, depth))


def _mathml_children(element: Any, depth: int) -> Iterator[str]:
    if depth > DEEPEST:
        yield " ".join(" ".join(element.itertext()).split())
        return
    for item in element:
        yield _mathml(item, depth + 1)


def _mathml(item: Any, depth: int) -> str:
    tag = local(item)
    if tag in ("annotation", "annotation-xml", "mphantom", ""):
        return ""
    if tag in ("mi", "mn", "mo", "mtext", "ms"):
        return " ".join("".join(item.itertext()).split())
    parts = list(_mathml_children(item, depth))
    match tag, parts:
        case "mfrac", [above, below, *_]:
            return shift.fraction(above, below)
        case "msup" | "mover", [base, above, *_]:
            return power(base, above)
        case "msub" | "munder", [base, below, *_]:
            return index(base, below)
        case "msubsup" | "munderover", [base, below, above, *_]:
            return power(index(base, below), above)
        case "maction", [first, *_]:
            return first
        case "msqrt", _:
            return f"√({_joined(parts)})"
        case "mroot", [base, degree, *_]:
            return f"{power('', degree)}√({base})"
        case "mtr", _:
            return ", ".join(parts)
        case "mtable", _:
            return f"[{'; '.join(parts)}]"
        case "mfenced", _:
            start, end = str(item.get("open", "(")), str(item.get("close", ")"))
            return start + ", ".join(parts) + end
    return _joined(parts)
