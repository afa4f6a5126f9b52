"""What is in a drawing of a Word document: text boxes, charts, diagrams, lettering, and what pictures show in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from core.engines.readers.ooxml_package import child as _child
from core.engines.readers.ooxml_package import local as _local
from core.engines.readers.ooxml_package import value as _value


class Content(NamedTuple):
    """A part of a drawing.

    ``kind``: box (``element`` has blocks), chart or diagram (``text`` names a relation), lettering or alt (``text`` has
    the words).
    """

    kind: str
    element: Any
    text: str = ""


def contents(drawing: Any) -> Iterator[Content]:
    """Yield what is in a drawing, each thing once, whichever of its alternatives states it."""
    words: set[str] = set()
    for content in _contents(drawing):
        if content.kind == "alt":
            if not content.text or content.text in words:
                continue
            words.add(content.text)
        yield content


def _contents(element: Any) -> Iterator[Content]:
    for item in element:
        tag = _local(item)
        match tag:
            case "AlternateContent":
                yield from _contents(choice(item))
                continue
            case "txbxContent":
                yield Content("box", item)
                continue
            case "chart" if _value(item, "id"):
                yield Content("chart", item, _value(item, "id"))
            case "relIds":
                yield Content("diagram", item, _value(item, "dm"))
            case "docPr" | "cNvPr":
                yield Content("alt", item, _described(item, "title", "descr"))
            case "shape" | "rect" | "roundrect" | "oval" | "group":
                yield Content("alt", item, _described(item, "title", "alt"))
            case "textpath":
                yield Content("lettering", item, " ".join(_value(item, "string").split()))
            case "txBody":  # of a drawing canvas
                lines = ("".join(run.text or "" for run in line.iter("{*}t")) for line in item.iter("{*}p"))
                yield Content("lettering", item, "\n".join(line for line in lines if line))
                continue
        yield from _contents(item)


def _described(item: Any, *names: str) -> str:
    return ": ".join(dict.fromkeys(filter(None, (" ".join(_value(item, name).split()) for name in names))))


def choice(alternate: Any) -> Any:
    """Choose one of the alternatives, because they say the same: the first with text."""
    options = [child for child in alternate if _local(child) in ("Choice", "Fallback")]
    for option in options:
        if any(_local(descendant) == "t" and descendant.text for descendant in option.iter()):
            return option
    return options[0] if options else alternate


def is_clear(box: Any) -> bool:
    """Return whether it is plain that nothing is behind the words of a text box, or white."""
    for shape in box.iterancestors():
        match _local(shape):
            case "wsp":
                look = _child(shape, "spPr")
                fill = _child(look, "solidFill") if look is not None else None
                white = fill is not None and [_value(part, "val").upper() for part in fill] == ["FFFFFF"]
                return white or (look is not None and _child(look, "noFill") is not None)
            case "shape" | "rect" | "roundrect" | "oval":
                fill_switch, colour = _value(shape, "filled").lower(), _value(shape, "fillcolor").lower()
                return fill_switch in ("f", "false") or colour in ("white", "#ffffff")
    return False


def diagram_lines(root: Any) -> Iterator[str]:
    """Yield the lines of a diagram (SmartArt) from its data: a line a paragraph of each point."""
    for point in root.iter("{*}pt"):
        for paragraph in point.iter("{*}p"):
            line = " ".join("".join(run.text or "" for run in paragraph.iter("{*}t")).split())
            if line:
                yield line
