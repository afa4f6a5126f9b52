"""Words in drawings of office files (DrawingML): text boxes, shapes, SmartArt, and what is said about pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from core.domain import Table
from core.engines.readers import drawing_chart, office_math, raised, table_text, text_flow
from core.engines.readers.docx_numbering import letters, roman
from core.engines.readers.ooxml_package import child, local, value

_OFF = ("0", "false", "none", "noStrike", "")


def write_run(out: text_flow.Flow, run: Any, *, reason: str = "") -> None:
    """Write a run of text: raised and lowered characters as such, struck words marked."""
    properties = child(run, "rPr")
    is_struck = properties is not None and value(properties, "strike") not in _OFF
    baseline = value(properties, "baseline") if properties is not None else ""
    for text in run:
        if local(text) == "t" and text.text:
            out.write(shifted(text.text, baseline), reason=reason, is_struck=is_struck)


def shifted(text: str, baseline: str) -> str:
    """Return text as raised or lowered characters; ``baseline`` in thousandths of a percent."""
    shift = baseline.strip().rstrip("%")
    if shift in ("", "0"):
        return text
    return raised.lowered(text) if shift.startswith("-") else raised.raised(text)


def formula(item: Any, preceding: str = "") -> str:
    """Return the equations in an element on one line, fractions and powers apart: 3/4, 10⁶."""
    parts: list[str] = []
    for equation in item.iter("{*}oMath"):
        if next(equation.iterancestors("{*}oMath", "{*}Fallback"), None) is None:
            parts.append(office_math.text(equation, preceding + "".join(parts)))
    if parts or local(item) != "AlternateContent":
        return "".join(parts)
    choice = child(item, "Choice")
    return "".join(text.text or "" for text in (item if choice is None else choice).iter("{*}t"))


def body_text(body: Any) -> text_flow.Piece:
    """Return the paragraphs of a text body, a line each."""
    out = text_flow.Flow()
    numbers = Numbers(body)
    for paragraph in body.iter("{*}p"):
        out.gap("\n")
        out.write(numbers.of(paragraph))
        for item in paragraph:
            match local(item):
                case "r" | "fld":
                    write_run(out, item)
                case "br":
                    out.write("\n")
                case "m" | "AlternateContent":
                    out.write(formula(item, out.text()[-1:]))
    return out.piece().strip()


_NUMBERED = re.compile(r"(arabic|alpha|roman)(Lc|Uc)?(ParenBoth|ParenR|Period|Plain)")
_FORMS = {"ParenBoth": "({})", "ParenR": "{})", "Period": "{}.", "Plain": "{}"}


class Numbers:
    """The numbers that a program writes before the paragraphs of a text body, counted from paragraph to paragraph."""

    def __init__(self, body: Any) -> None:
        self._own_style = child(body, "lstStyle") if body is not None else None
        self._counts: dict[int, tuple[str, int]] = {}  # by level: the form, and the number of the last paragraph

    def of(self, paragraph: Any) -> str:
        """Return the number of a paragraph with a blank behind it, or ''."""
        properties = child(paragraph, "pPr")
        digits = value(properties, "lvl") if properties is not None else ""
        level = int(digits) if digits in ("1", "2", "3", "4", "5", "6", "7", "8") else 0
        if not any(run.text for run in paragraph.iter("{*}t")):
            return ""
        bullet = self._bullet(properties, level)
        form = value(bullet, "type") if bullet is not None and local(bullet) == "buAutoNum" else ""
        self._counts = {key: count for key, count in self._counts.items() if key < level or (key == level and form)}
        match = _NUMBERED.fullmatch(form)
        if not match or bullet is None:
            return ""
        start = value(bullet, "startAt")
        first = int(start) if start.isdecimal() and len(start) < 6 else 1
        last_form, last = self._counts.get(level, ("", first - 1))
        number = last + 1 if last_form == form else first
        self._counts[level] = form, number
        kind, case, frame = match.groups()
        text = str(number) if kind == "arabic" else (letters if kind == "alpha" else roman)(number)
        return _FORMS[frame].format(text.upper() if case == "Uc" else text) + " "

    def _bullet(self, properties: Any, level: int) -> Any:
        """Return the bullet element of a paragraph: its own, or that of the body's list."""
        style = child(self._own_style, f"lvl{level + 1}pPr") if self._own_style is not None else None
        for source in (properties, style):
            for item in source if source is not None else ():
                if local(item) in ("buNone", "buChar", "buAutoNum", "buBlip"):
                    return item
        return None


def named(label: str, piece: text_flow.Piece, *, reason: str = "") -> text_flow.Piece:
    """Return a piece behind its label; with a ``reason`` nobody sees any of it."""
    line = text_flow.join([text_flow.Piece(f"{label}: "), piece], "")
    if not reason:
        return line
    return text_flow.Piece(line.text, ((0, len(line.text), reason),), (), line.struck_spans, line.tables)


def diagram_text(root: Any) -> text_flow.Piece:
    """Return the words of a SmartArt diagram from its data part, a line a point."""
    points = [
        element for element in root.iter("{*}pt") if value(element, "type") not in ("pres", "parTrans", "sibTrans")
    ]
    bodies = (body for point in points for body in point if local(body) == "t")
    return text_flow.join((body_text(body) for body in bodies), "\n")


def chart_text(chart: drawing_chart.Chart) -> text_flow.Piece:
    """Return a chart as its title, labels and a table of its values."""
    lines = [text_flow.Piece(line) for line in (f"Chart: {chart.title}" if chart.title else "Chart", *chart.labels)]
    if chart.rows and not any(chart.rows[0]) and all(len(row) == 2 for row in chart.rows):
        return text_flow.join([text_flow.join(lines, "\n"), _pairs(chart.rows[1:])], "\n")
    rows = [[text_flow.Piece(cell) for cell in row] for row in chart.rows]
    return text_flow.join([text_flow.join(lines, "\n"), table_text.piece(rows, 1 if rows else 0)], "\n")


def _pairs(rows: Sequence[Sequence[str]]) -> text_flow.Piece:
    """Write categories with their values, 'May 2023: 417', a line each."""
    lines: list[str] = []
    cells: list[tuple[tuple[int, int], ...]] = []
    offset = 0
    for category, amount in ((table_text.flat(left), table_text.flat(right)) for left, right in rows):
        line = f"{category}: {amount}" if category and amount else category or amount
        if line:
            lines.append(line)
            cells.append(((offset, offset + len(category)), (offset + len(line) - len(amount), offset + len(line))))
            offset += len(line) + 1
    tables = (Table(("", ""), tuple(cells)),) if cells else ()
    return text_flow.Piece("\n".join(lines), tables=tables)


def described(element: Any) -> str:
    """Return the title and description of a drawing, meant for people who cannot see it."""
    for properties in element.iter("{*}cNvPr"):
        words = (" ".join(value(properties, key).split()) for key in ("title", "descr"))
        return " – ".join(dict.fromkeys(word for word in words if word))
    return ""


def is_hidden(element: Any) -> bool:
    """Return whether a drawing is hidden."""
    for properties in element.iter("{*}cNvPr"):
        return value(properties, "hidden") in ("1", "true")
    return False


def shapes(tree: Any) -> Iterator[Any]:
    """Yield shapes, pictures, frames and connectors of a drawing, those of groups too, of alternatives the first."""
    for item in tree:
        match local(item):
            case "sp" | "graphicFrame" | "pic" | "cxnSp" | "contentPart":
                yield item
            case "AlternateContent":
                choice = next((option for option in item if next(shapes(option), None) is not None), None)
                if choice is not None:
                    yield from shapes(choice)
            case (
                "grpSp" | "Choice" | "Fallback" | "twoCellAnchor" | "oneCellAnchor" | "absoluteAnchor" | "relSizeAnchor"
            ):
                yield from shapes(item)


def relation_ids(element: Any) -> Iterator[str]:
    """Yield the relations that a drawing refers to, its own and those of its parts."""
    for part in element.iter():
        for key, text in part.attrib.items():
            if "relationships}" in key:
                yield str(text)
