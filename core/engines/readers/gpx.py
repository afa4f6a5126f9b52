"""GPS tracks (GPX 1.0 and 1.1): waypoints, routes and tracks, each of their points a line with its time and place.

A file that is damaged, or that declares entities, is read as other XML is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

from core.domain import LeftOut, PageText, Section
from core.engines.readers import plain_text, text_flow, xml_text
from core.engines.readers.ooxml_package import local
from core.errors import UnreadableDocument
from core.ports import Attachment, Outline

# What is before the first element. Nothing in it is tried twice, however many comments there are.
_ROOT = re.compile(
    r"\ufeff?(?>\s+|<\?(?:(?!\?>).)*\?>|<!--(?:(?!-->).)*-->|<!DOCTYPE[^>\[]*>)*+<(?:[A-Za-z_][\w.-]*:)?gpx(?=[\s/>])",
    re.DOTALL,
)
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?")
_BLOCKS = {"wpt": "Waypoint", "rte": "Route", "trk": "Track"}
_POINTS = {"rtept", "trkpt"}
_LABELS = {
    "name": "Name", "desc": "Description", "cmt": "Comment", "author": "Author", "email": "Email", "link": "Link",
    "url": "Link", "urlname": "Link text", "time": "Time", "keywords": "Keywords", "copyright": "Copyright",
    "bounds": "Bounds", "ele": "Elevation (m)", "src": "Source", "sym": "Symbol", "type": "Type",
}  # fmt: skip
_VALUES = {"link": ("href",), "email": ("id", "domain"), "copyright": ("author",)}  # attributes that are the value
_FOR_PROGRAMS = {"version", "schemaLocation"}  # attributes of the whole file
_NOTHING = text_flow.Piece("")


def looks_like(head: str) -> bool:
    """Return whether a text begins as GPX does."""
    return _ROOT.match(head) is not None


def read(data: bytes, name: str) -> Iterator[Outline | PageText | Attachment | LeftOut]:
    """Read a GPX file: its outline, its pages, then what is left out. Raises UnreadableDocument for no text."""
    root = xml_text.root_of(data)
    if root is None or local(root) != "gpx" or root.getroottree().docinfo.internalDTD is not None:
        reading, author, date = xml_text.read(data), "", ""
    else:
        left_out: Counter[str] = Counter()
        body = text_flow.join(_blocks(root, left_out), "\n\n")
        reading = xml_text.Reading(body, _about(root, "name"), left_out)
        author, date = _about(root, "author"), _about(root, "time")
    if not reading.body.text.strip():
        raise UnreadableDocument(
            reason=f"{name} contains no waypoint, route or track.",
            remedy="Export it again from the device or program that recorded it, and add that.",
        )
    pages = reading.body.pages()
    yield Outline("gpx", len(pages), reading.title, author, file_date=date)
    yield from pages
    yield from xml_text.items(reading)


def _about(root: Any, what: str) -> str:
    """Return what a file says about itself, '' for nothing."""
    places = (f"{{*}}metadata/{{*}}{what}/{{*}}name", f"{{*}}metadata/{{*}}{what}", f"{{*}}{what}")
    texts = (text_flow.heading_text(root.findtext(place) or "") for place in places)
    return next(filter(None, texts), "")


def _blocks(root: Any, left_out: Counter[str]) -> Iterator[text_flow.Piece]:
    """Yield what the file says of itself, then its waypoints, routes and tracks in their order."""
    for beside in (*root.itersiblings(preceding=True), *root.itersiblings()):
        _count(beside, left_out)
    creator = " ".join(str(root.get("creator") or "").split())
    lines = [text_flow.Piece(f"Made with: {creator}" if creator else "")]
    lines += [text_flow.Piece(_attributes(root, {"creator", *_FOR_PROGRAMS})), *_fields(root, left_out, skip=_BLOCKS)]
    yield text_flow.join(lines, "\n")
    for element in root.iterchildren("{*}*"):
        if local(element) in _BLOCKS:
            yield text_flow.join(_block(element, left_out), "\n")


def _block(element: Any, left_out: Counter[str]) -> Iterator[text_flow.Piece]:
    """Yield the lines of a waypoint, a route or a track, its heading first."""
    kind, name = _BLOCKS[local(element)], _plain(element, "name")
    title = " ".join((name.text or "").split()) if name is not None else ""
    heading = plain_text.clean(f"{kind}: {title}" if title else kind)
    yield text_flow.Piece(heading, sections=(Section(1, text_flow.heading_text(heading), 0),))
    yield text_flow.Piece(_place(element))
    yield from _fields(element, left_out, skip={*_POINTS, "trkseg"}, but=name)
    yield from _points(element, left_out)
    segments = list(element.iterchildren("{*}trkseg"))
    for number, segment in enumerate(segments, start=1):
        yield text_flow.Piece(f"Segment {number}" if len(segments) > 1 else "")
        yield text_flow.Piece(_attributes(segment))
        yield from _fields(segment, left_out, skip=_POINTS)
        yield from _points(segment, left_out)


def _points(element: Any, left_out: Counter[str]) -> Iterator[text_flow.Piece]:
    """Yield a line for each point of a route or of a part of a track: its time, its place and the rest."""
    for point in element.iterchildren("{*}*"):
        if local(point) in _POINTS:
            time = _plain(point, "time")
            moment = _TIME.sub(_readable_time, " ".join((time.text or "").split())) if time is not None else ""
            lines = [text_flow.Piece(moment), text_flow.Piece(_place(point)), *_fields(point, left_out, but=time)]
            yield text_flow.join((part for line in lines for part in _in_one_line(line)), " · ")


def _plain(element: Any, what: str) -> Any:
    """Return the first element of that name in another, or None if it is more than words."""
    child = next(element.iterchildren(f"{{*}}{what}"), None)
    return child if child is not None and not len(child) and not child.attrib else None


def _in_one_line(piece: text_flow.Piece) -> Iterator[text_flow.Piece]:
    """Yield the lines of a piece without the blanks around them."""
    if "\n" not in piece.text:
        yield piece
        return
    start = 0
    for line in piece.text.split("\n"):
        yield piece.cut(start, start + len(line)).strip()
        start += len(line) + 1


def _place(point: Any) -> str:
    """Write the attributes of a point, latitude and longitude first."""
    place = ", ".join(f"{key} {' '.join(point.get(key).split())}" for key in ("lat", "lon") if point.get(key))
    return " ".join(filter(None, (place, _attributes(point, {"lat", "lon"}))))


def _attributes(element: Any, skip: Collection[str] = ()) -> str:
    """Write the attributes of an element in parentheses, '' for none."""
    if not element.attrib:
        return ""
    named = ((str(key).rsplit("}", 1)[-1], " ".join(str(value).split())) for key, value in element.attrib.items())
    written = ", ".join(f'{key}="{value}"' for key, value in named if value and key not in skip)
    return f"({written})" if written else ""


def _fields(
    element: Any, left_out: Counter[str], skip: Collection[str] = (), but: Any = None, within: str = ""
) -> Iterator[text_flow.Piece]:
    """Yield the words that are in an element, and what is in it, 'Label: value' each."""
    yield _words(element.text, left_out)
    for node in element:
        name = local(node)
        if not name:
            _count(node, left_out)
        elif name not in skip and node is not but:
            label = f"{within} {name}" if within else _LABELS.get(name, name)
            keys = _VALUES.get(name, ())
            stated = "@".join(filter(None, (" ".join(str(node.get(key) or "").split()) for key in keys)))
            words = _NOTHING if len(node) else _words(node.text, left_out, is_time=name == "time")
            about = text_flow.Piece(_attributes(node, keys))
            value = text_flow.join((text_flow.Piece(stated), words, about), " ")
            yield text_flow.join((text_flow.Piece(f"{label}: " if value.text else ""), value), "")
            if len(node):
                yield from _fields(node, left_out, within=label if keys or name == "author" else "")
        yield _words(node.tail, left_out)


def _count(node: Any, left_out: Counter[str]) -> None:
    from lxml import etree

    left_out["comment" if isinstance(node, etree._Comment) else "processing instruction"] += 1


def _words(text: str | None, left_out: Counter[str], *, is_time: bool = False) -> text_flow.Piece:
    """Return the words of an element, those of a page that is written into it as its reader gives them."""
    if not text or text.isspace():
        return _NOTHING
    text = plain_text.clean(text).strip()
    if is_time:
        return text_flow.Piece(_TIME.sub(_readable_time, text))
    if plain_text.without_blanks(text):
        left_out["block of data"] += 1
        return _NOTHING
    if "<" in text and xml_text.MARKUP.search(text):  # as places of a map often have it
        from core.engines.readers import html

        return html.parse(text).body.strip()
    return text_flow.Piece("\n".join(" ".join(line.split()) for line in text.split("\n")))


def _readable_time(match: re.Match[str]) -> str:
    day, time, zone = match.groups()
    return f"{day} {time} UTC" if zone == "Z" else f"{day} {time} {zone}" if zone else f"{day} {time}"
