"""The ground behind the words of a PowerPoint slide, as far as the file says it plainly.

It is the fill of their own shape, or the background of the slide, its layout or its master where nothing else is drawn
in that place.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.engines.readers.ooxml_package import child, local, related_parts, value, xml_part

_FILLS = {"solidFill", "gradFill", "blipFill", "pattFill", "grpFill"}
_DRAWING_TAGS = {"sp", "pic", "graphicFrame", "grpSp", "cxnSp", "AlternateContent"}
_ALIKE = 12  # two colours whose red, green and blue differ by no more look the same
_PRESET_COLOURS = {"white": "FFFFFF", "black": "000000"}

Area = tuple[float, float, float, float]
_EVERYWHERE = (-1e18, -1e18, 1e18, 1e18)


@dataclass(slots=True)
class Masters:
    """Layouts, masters and themes of one presentation, each read once."""

    package: zipfile.ZipFile
    name: str
    _roots: dict[str, Any] = field(default_factory=dict)
    _targets: dict[str, dict[str, str]] = field(default_factory=dict)

    def root(self, part: str) -> Any:
        """Return the root of a part, or None."""
        if part and part not in self._roots:
            self._roots[part] = xml_part(self.package, part, self.name)
        return self._roots.get(part)

    def of(self, part: str, kind: str) -> str:
        """Return the part of that kind that a part refers to, '' where there is none."""
        if part and part not in self._targets:
            self._targets[part] = dict(related_parts(self.package, self.name, part).values())
        return self._targets.get(part, {}).get(kind, "")


@dataclass(frozen=True, slots=True)
class Ground:
    """The ground of a slide, and what is drawn on it.

    ``colour`` of the slide as six hex digits, '' where it is none or not known; ``drawings`` what is drawn on it, in
    order; ``names`` the colours that the theme names; ``places`` the shapes that placeholders take after, by type and
    number, the nearest first.
    """

    colour: str = ""
    drawings: tuple[tuple[Any, Area], ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    places: tuple[Mapping[tuple[str, str], Any], ...] = ()

    def behind(self, shape: Any) -> str:
        """Return the colour behind the words of a shape; '' where it is not known."""
        properties = child(shape, "spPr")
        filled = self._fill(shape)
        if filled is not None:
            return self.plain_colour(filled)
        if properties is None or not self.colour:
            return ""
        group = next((ancestor for ancestor in shape.iterancestors() if local(ancestor) == "grpSp"), None)
        area = self._area(shape) if group is None else _EVERYWHERE
        for drawing, place in self.drawings:
            if drawing is shape:
                break
            if place[0] < area[2] and place[2] > area[0] and place[1] < area[3] and place[3] > area[1]:
                return ""
        return self.colour

    def plain_colour(self, properties: Any) -> str:
        """Return the colour that something is filled with, as six hex digits; '' where it is no plain colour."""
        fill = child(properties, "solidFill")
        colour = next((element for element in fill if isinstance(element.tag, str)), None) if fill is not None else None
        if colour is None or len(colour):  # a colour made lighter or darker
            return ""
        code = value(colour, "val")
        match local(colour):
            case "srgbClr":
                digits = code
            case "schemeClr":
                digits = self.names.get(code, "")
            case "sysClr":
                digits = value(colour, "lastClr")
            case "prstClr":
                digits = _PRESET_COLOURS.get(code, "")
            case _:
                digits = ""
        return digits.upper() if re.fullmatch(r"[0-9A-Fa-f]{6}", digits) else ""

    def _like(self, shape: Any) -> Iterator[Any]:
        """Yield a shape, then what it takes its look from."""
        yield shape
        mark = next(shape.iter("{*}ph"), None)
        if mark is None:
            return
        kind, number = value(mark, "type") or "body", value(mark, "idx")
        for places in self.places:
            model = places.get(("", number)) if number else None
            model = model if model is not None else places.get((kind, ""))
            if model is not None:
                yield model

    def _fill(self, shape: Any) -> Any:
        """Return the properties that fill a shape, or None for a transparent one."""
        for source in self._like(shape):
            properties = child(source, "spPr")
            if properties is None:
                continue
            if any(local(element) in _FILLS for element in properties):
                return properties
            if child(properties, "noFill") is not None:
                return None
        style = child(shape, "style")
        reference = child(style, "fillRef") if style is not None else None
        return style if reference is not None and value(reference, "idx") not in ("", "0") else None

    def _area(self, shape: Any) -> Area:
        for source in self._like(shape):
            place = _place(source)
            if place is not None:
                return place
        return _EVERYWHERE

    def shows(self, shape: Any) -> bool:
        """Return whether a shape is more than its letters."""
        return local(shape) != "sp" or self._fill(shape) is not None


def alike(left: str, right: str) -> bool:
    """Return whether two colours of six hex digits look the same."""
    return bool(left and right) and all(
        abs(int(left[start : start + 2], 16) - int(right[start : start + 2], 16)) <= _ALIKE for start in (0, 2, 4)
    )


def of(slide: Any, part: str, masters: Masters) -> Ground:
    """Return the ground behind the words of a slide, given as a part of the package."""
    layout_part = masters.of(part, "slideLayout")
    master_part = masters.of(layout_part, "slideMaster")
    theme = masters.root(masters.of(master_part, "theme"))
    roots = [slide, masters.root(layout_part), masters.root(master_part)]
    layers = [root for root in roots if root is not None]
    names = _names(theme, layers)
    bare = Ground("", (), names, tuple(_places(root) for root in layers[1:]))
    drawings: list[tuple[Any, Area]] = []
    visible_roots = [slide]
    if len(layers) > 1 and value(slide, "showMasterSp") not in ("0", "false"):
        visible_roots.insert(0, layers[1])
        if len(layers) > 2 and value(layers[1], "showMasterSp") not in ("0", "false"):
            visible_roots.insert(0, layers[2])
    for root in visible_roots:
        for shape in _drawings(root):
            is_placeholder = next(shape.iter("{*}ph"), None) is not None
            if (root is slide or not is_placeholder) and bare.shows(shape):
                drawings.append((shape, bare._area(shape)))
    return Ground(_background(layers, theme, bare), tuple(drawings), names, bare.places)


def _drawings(root: Any) -> Iterator[Any]:
    common = child(root, "cSld")
    tree = child(common, "spTree") if common is not None else None
    yield from (shape for shape in (tree if tree is not None else ()) if local(shape) in _DRAWING_TAGS)


def _place(shape: Any) -> Area | None:
    """Return where a shape says that it is; everywhere for one that is turned or made of several."""
    if local(shape) not in ("sp", "pic", "graphicFrame"):
        return _EVERYWHERE
    frame = next(shape.iter("{*}xfrm"), None)
    start, size = (child(frame, name) if frame is not None else None for name in ("off", "ext"))
    if frame is None or start is None or size is None:
        return None
    if value(frame, "rot") not in ("", "0"):
        return _EVERYWHERE
    x, y, width, height = (
        int(value(element, key) or 0) for element, key in ((start, "x"), (start, "y"), (size, "cx"), (size, "cy"))
    )
    return x, y, x + width, y + height


def _places(root: Any) -> dict[tuple[str, str], Any]:
    shapes: dict[tuple[str, str], Any] = {}
    for shape in _drawings(root):
        mark = next(shape.iter("{*}ph"), None) if local(shape) == "sp" else None
        if mark is not None:
            shapes.setdefault((value(mark, "type") or "body", ""), shape)
            if value(mark, "idx"):
                shapes.setdefault(("", value(mark, "idx")), shape)
    return shapes


def _names(theme: Any, layers: list[Any]) -> dict[str, str]:
    """Return the colours that a slide may call by name: those of its theme, as the nearest map turns them."""
    scheme = next(theme.iter("{*}clrScheme"), None) if theme is not None else None
    colours: dict[str, str] = {}
    for entry in scheme if scheme is not None else ():
        for colour in entry:
            colours[local(entry)] = value(colour, "lastClr") if local(colour) == "sysClr" else value(colour, "val")
    mapping: dict[str, str] = {}
    for root in layers:
        over = next(root.iter("{*}overrideClrMapping", "{*}clrMap"), None)
        if over is not None:
            mapping = {str(key): colours.get(str(name), "") for key, name in over.attrib.items()}
            break
    return {**colours, **mapping}


def _background(layers: list[Any], theme: Any, ground: Ground) -> str:
    for root in layers:
        common = child(root, "cSld")
        element = child(common, "bg") if common is not None else None
        if element is None:
            continue
        plain = child(element, "bgPr")
        if plain is not None:
            return ground.plain_colour(plain)
        reference = child(element, "bgRef")
        number = value(reference, "idx") if reference is not None else ""
        fills = next(theme.iter("{*}bgFillStyleLst"), None) if theme is not None else None
        index = int(number) - 1001 if number.isdigit() else -1
        if fills is None or not 0 <= index < len(fills) or local(fills[index]) != "solidFill":
            return ""
        takes = child(fills[index], "schemeClr")
        if takes is None or value(takes, "val") != "phClr" or len(takes):
            return ""
        holder = [holder_element for holder_element in reference if isinstance(holder_element.tag, str)]
        if len(holder) != 1 or len(holder[0]):
            return ""
        source = holder[0]
        digits = ground.names.get(value(source, "val"), "") if local(source) == "schemeClr" else value(source, "val")
        return digits.upper() if re.fullmatch(r"[0-9A-Fa-f]{6}", digits) else ""
    return "FFFFFF" if theme is not None else ""
