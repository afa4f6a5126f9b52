"""XML of no known kind: the texts of its elements in order, attributes in parentheses, a record a line.

Nothing is fetched and no entity is expanded. What is not well-formed is read as it is written, tags and all.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from core import formats
from core.domain import LeftOut
from core.engines.readers import office_math, plain_text, raised, text_flow
from core.engines.readers.ooxml_package import local
from core.ports import Attachment

_RECORD = 400  # characters of a record that is on one line
_PICTURES = 500  # written into one file
_LONG = 10_000_000  # characters of one value, from which on the library reads it only without its limits
_DEPTH = 256  # elements in elements, as the library has it
_ATTRIBUTES = 2_000  # of one element; the time the library takes for them grows with their square
_DECLARATION = re.compile(r"\s*<\?xml\b[^>]{0,400}?(?:encoding\s*=\s*[\"']([\w.:-]{1,40})[\"'])?[^>]{0,400}?\?>")
_START = re.compile(r"\ufeff?\s*<(?:\?xml\b|!DOCTYPE\s|!--|([A-Za-z_][\w.-]*(?::[\w.-]+)?)(?=[\s/>]))")
_REFERENCE = re.compile(r"&#(?:x([0-9A-Fa-f]{1,6})|([0-9]{1,7}));")
MARKUP = re.compile(r"<(?:p|br|div|a|b|i|em|strong|ul|ol|li|table|span|h\d|img|blockquote)\b[^>]*>", re.IGNORECASE)
_DATA = re.compile(r"data:([\w/+.-]{1,80})?[^,]{0,80}?;base64,", re.IGNORECASE)
# Elements of prose: their names say nothing that the text does not.
_PROSE = {
    "p", "para", "title", "head", "text", "tspan", "h1", "h2", "h3", "h4", "h5", "h6", "li", "item", "l", "lg", "ab",
    "quote", "line", "simpara", "textPath", "section", "div", "body", "t", "cell", "td", "th", "row", "paragraph",
    "desc", "v", "empty-line", "subtitle", "abstract", "span", "string", "content", "value",
}  # fmt: skip
_NO_FIELDS = _PROSE | {"script", "style"}
_RAISED, _LOWERED = {"sup", "superscript"}, {"sub", "subscript"}
_STRUCK = {"del", "strike", "strikethrough"}
_LOOKS = ("rend", "rendition", "role", "style", "position")  # attributes that say how words look
_CHOICES = {"choice", "app", "subst"}  # of the same words in several forms
_NOTES = {"note", "footnote", "fn"}
_REFERENCES = {"xref", "ref", "footnoteref", "noteref"}
_SHIFTED = 20  # characters of what stands raised or lowered
_JOINED = {"p", "para", "simpara", "h", "math"}  # elements whose inner elements are parts of one line
# How a drawing is drawn; anything else that is in an attribute is written.
_DRAWING = re.compile(
    r"d|x|y|x1|x2|y1|y2|cx|cy|r|rx|ry|dx|dy|fx|fy|width|height|points|transform|viewBox|style|class|id|version|space"
    r"|preserveAspectRatio|offset|rotate|textLength|lengthAdjust|marker\S*|fill\S*|stroke\S*|font\S*|text-\S+|opacity"
    r"|stop-\S+|clip\S*|mask\S*|filter\S*|color\S*|display|visibility|overflow|enable-background|letter-spacing"
    r"|word-spacing|writing-mode|dominant-baseline|baseline-shift|gradient\S*|spreadMethod|pattern\S*|std\S+|in|in2"
    r"|result|mode|values|type|operator|k\d|flood\S*|pathLength|orient|ref[XY]|unicode-bidi|direction|nodetypes|role"
)
_UNSEEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|(?<![\w-])(?:fill-)?opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)"
)

Items = Iterator[Attachment | LeftOut]


@dataclass(slots=True)
class Reading:
    """The text of an XML file, its title, and what of it is no text."""

    body: text_flow.Piece
    title: str = ""
    left_out: Counter[str] = field(default_factory=Counter)
    pictures: list[Attachment] = field(default_factory=list)


def looks_like(head: str, name: str) -> bool:
    """Return whether a text begins as XML does, or is named so."""
    match = _START.match(head)
    if formats.is_named(name, "xml") or (match and match.group(0).endswith("<?xml")):
        return True
    return bool(match and match.group(1) in ("svg", "rss", "feed", "kml", "opml", "TEI", "FictionBook"))


def read(data: bytes) -> Reading:
    """Read an XML file of any kind. Never raises: anything else is read as plain text."""
    text = _text_of(data)
    root = _root_of(text)
    if root is None:
        return Reading(text_flow.Piece(text))
    reading = Reading(text_flow.Piece(""))
    walk = _Walk(reading)
    for beside in (*reversed(list(root.itersiblings(preceding=True))), *root.itersiblings()):
        walk.count(beside)
    subset = root.getroottree().docinfo.internalDTD
    entities = sum(1 for _ in subset.iterentities()) if subset is not None else 0
    if entities:
        reading.left_out["entity declaration"] += entities
    walk.block(root)
    paragraphs = [text_flow.join(lines, "\n") for lines in walk.paragraphs]
    reading.body = text_flow.join(paragraphs, "\n\n")
    if not reading.body.text.strip():
        return Reading(text_flow.Piece(text), left_out=Counter())
    return reading


def items(reading: Reading) -> Items:
    """Yield the pictures that are written into the file, and what of it is left out."""
    yield from reading.pictures
    for what, count in reading.left_out.items():
        yield LeftOut(what, count, "whole file")


def root_of(data: bytes) -> Any:
    """Return the first element of an XML file, or None if it is not well-formed."""
    return _root_of(_text_of(data))


def _text_of(data: bytes) -> str:
    declaration = _DECLARATION.match(data[:1_000].decode("latin-1").removeprefix("\xef\xbb\xbf"))
    return plain_text.clean(plain_text.decode(data, encoding=(declaration.group(1) or "") if declaration else ""))


def _root_of(text: str) -> Any:
    """Parse XML without entities and without network, or return None if it is not well-formed."""
    from lxml import etree

    declaration = _DECLARATION.match(text)
    text = text[declaration.end() if declaration else 0 :].lstrip()
    is_long = len(text) > _LONG and "<!ENTITY" not in text  # a film or a picture; an entity could grow without limit
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=is_long, encoding="utf-8", strip_cdata=True
    )
    # Some programs write characters as references that XML does not allow: the halves of UTF-16, control characters.
    for attempt in (text, _with_characters(text)) if "&#" in text else (text,):
        try:
            root = etree.fromstring(attempt.encode("utf-8", "replace"), parser)
        except (etree.XMLSyntaxError, ValueError):
            continue
        return None if is_long and _is_deep(root) else root
    return None


def _is_deep(root: Any) -> bool:
    from lxml import etree

    depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > _DEPTH:
            return True
    return False


def _with_characters(text: str) -> str:
    """Return XML with the characters for references beyond ASCII or to control characters."""

    def character(match: re.Match[str]) -> str:
        code = int(match.group(1), 16) if match.group(1) else int(match.group(2))
        return match.group() if code in (9, 10, 13) or 32 <= code < 127 else chr(code) if code < 0x110000 else "\ufffd"

    halves = _REFERENCE.sub(character, text).encode("utf-16-le", "surrogatepass")
    return plain_text.clean(halves.decode("utf-16-le", "replace"))


class _Walk:
    """A walk over the elements that writes their texts as lines of paragraphs."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.paragraphs: list[list[text_flow.Piece]] = [[]]

    def count(self, node: Any) -> bool:
        """Count a node that is no element as left out; return whether it was one."""
        from lxml import etree

        if isinstance(node, etree._Comment):
            self.reading.left_out["comment"] += 1
        elif isinstance(node, etree._ProcessingInstruction):
            self.reading.left_out["processing instruction"] += 1
        else:
            return False
        return True

    def block(self, element: Any) -> None:
        """Write an element as a block."""
        children = [child for child in element if isinstance(child.tag, str)]
        mixed = bool(children) and (_text(element.text) or any(child.tail and _text(child.tail) for child in element))
        name = local(element)
        if name == "script":
            self.reading.left_out["script"] += 1
            return
        if name == "style" and not children:  # how it looks
            return
        if mixed or not children or name in _JOINED:
            piece = self.line(element, top=True)
            if piece.text:
                self.paragraphs[-1].append(piece)
                if not self.reading.title and name == "title":
                    self.reading.title = text_flow.heading_text(piece.text.split("\n")[0])
            return
        if len(children) < len(element):
            for child in element:
                self.count(child)
        about = self.attributes(element)
        head = text_flow.Piece(f"{name} {about}") if about else text_flow.Piece("")
        if self._record(element, children):
            fields = [head.text, *(field for child in children if (field := _plain_field(child)) is not None)]
            if len(fields) > len(children) and sum(map(len, fields)) <= _RECORD:
                self.paragraphs[-1].append(text_flow.Piece(" · ".join(filter(None, fields))))
                return
            pieces = [head, *(self.line(child, top=True) for child in children)]
            if sum(len(piece.text) for piece in pieces) <= _RECORD and not any("\n" in piece.text for piece in pieces):
                self.paragraphs[-1].append(text_flow.join(pieces, " · "))
            else:
                self.paragraphs += [[piece for piece in pieces if piece.text], []]
            return
        if self.paragraphs[-1]:
            self.paragraphs.append([])
        if head.text:
            self.paragraphs[-1].append(head)
        for child in children:
            self.block(child)
        if self.paragraphs[-1]:
            self.paragraphs.append([])

    def _record(self, element: Any, children: list[Any]) -> bool:
        if local(element) in ("svg", "g", "defs"):
            return False
        return not any(len(child) or local(child) in _NO_FIELDS for child in children)

    def line(self, element: Any, *, top: bool = False) -> text_flow.Piece:
        """Write an element and all in it as one line, or as the lines that its own text has."""
        name = local(element)
        about = self.attributes(element)
        if name in ("script", "style"):
            self.reading.left_out[name] += name == "script"
            return text_flow.Piece("")
        if name == "math":
            return text_flow.Piece(office_math.mathml(element))
        body = self._mixed(element) if len(element) else self._leaf(element.text or "")
        if top and body.text and name not in _PROSE and "\n" not in body.text:
            body = _beside(f"{name}: ", body)
        elif top and not body.text and about:
            body = text_flow.Piece(name)
        piece = replace(body, text=f"{body.text} {about}" if body.text else about) if about else body
        if piece.text and _unseen(element):
            piece = text_flow.Piece(piece.text, ((0, len(piece.text), "invisible"),))
        return piece

    def _leaf(self, text: str) -> text_flow.Piece:
        if "<" in text and MARKUP.search(text):  # a page inside a field, as news feeds have it
            from core.engines.readers import html

            return html.parse(text).body.strip()
        data = _DATA.match(text.strip()[:200])
        if data and self._picture(text.strip(), data):
            return text_flow.Piece("")
        text = text.strip()
        if "\n" not in text:
            return text_flow.Piece(" ".join(text.split()))
        return text_flow.Piece("\n".join(" ".join(line.split()) for line in text.split("\n")))

    def _mixed(self, element: Any) -> text_flow.Piece:
        parts = [text_flow.Piece(_inline(element.text))]
        is_choice = local(element) in _CHOICES
        for number, child in enumerate(element):
            if is_choice and number:
                parts.append(text_flow.Piece("/"))
            if not self.count(child):
                if isinstance(child.tag, str):
                    name = local(child)
                    if name in ("br", "lb", "cr"):
                        parts.append(text_flow.Piece("\n"))
                    elif name in ("tab", "s"):
                        parts.append(text_flow.Piece(" "))
                    inner = self._within(child, parts)
                    if child.text and child.text[:1].isspace() and inner.text:
                        parts.append(text_flow.Piece(" "))
                    parts.append(inner)
                else:  # an entity, which is not expanded
                    self.reading.left_out["entity that is not expanded"] += 1
                    parts.append(text_flow.Piece(str(child.text or "")))
            parts.append(text_flow.Piece(_inline(child.tail)))
        return _squeeze(text_flow.join(parts, ""))

    def _within(self, element: Any, parts: list[text_flow.Piece]) -> text_flow.Piece:
        """Write an element within a line, behind the ``parts`` of it: raised, lowered and struck words as such."""
        preceding = next((part.text[-1] for part in reversed(parts) if part.text), "")
        name, look = local(element), _look(element)
        if name == "math":
            return text_flow.Piece(office_math.mathml(element, preceding))
        if look:
            piece = self._mixed(element) if len(element) else self._leaf(element.text or "")
            if look == "struck":
                return replace(piece, struck_spans=((0, len(piece.text)),) if piece.text else ())
            if len(piece.text) <= _SHIFTED and not piece.hidden_spans and not piece.struck_spans:
                return text_flow.Piece(raised.raised(piece.text) if look == "raised" else raised.lowered(piece.text))
        piece = self.line(element)
        if preceding.isalnum() and name in _NOTES and piece.text:
            return text_flow.join((text_flow.Piece(" "), piece), "")
        number = re.match(r"\d+", piece.text) if preceding.isalnum() and name in _REFERENCES else None
        return replace(piece, text=f"[{number[0]}]{piece.text[number.end() :]}") if number else piece

    def attributes(self, element: Any) -> str:
        """Write the attributes of an element in parentheses, '' where none says anything."""
        if not element.attrib:
            return ""
        drawing = str(element.tag).startswith("{http://www.w3.org/2000/svg}")
        fields = []
        beyond = len(element.attrib) - _ATTRIBUTES
        if beyond > 0:
            self.reading.left_out[f"attribute beyond the first {_ATTRIBUTES:,} of an element"] += beyond
        for name in islice(element.attrib.iterkeys(), _ATTRIBUTES):  # all items at once take time by their square
            key, value = str(name).rsplit("}", 1)[-1], " ".join(str(element.get(name)).split())
            data = _DATA.match(value[:200])
            if data and self._picture(value, data):
                continue
            if value and not (drawing and (_DRAWING.fullmatch(key) or value.startswith("#"))):
                fields.append(f'{key}="{value}"')
        return f"({', '.join(fields)})" if fields else ""

    def _picture(self, value: str, match: re.Match[str]) -> bool:
        try:
            content = base64.b64decode(re.sub(r"\s", "", value[match.end() :]) + "==")
        except (ValueError, binascii.Error):
            return False
        kind = (match.group(1) or "application/octet-stream").rsplit("/", 1)[-1].split("+")[0]
        if not content:
            return False
        if len(self.reading.pictures) >= _PICTURES:
            self.reading.left_out["embedded file"] += 1
        else:
            number = len(self.reading.pictures) + 1
            self.reading.pictures.append(Attachment(f"embedded {number}.{kind.replace('jpeg', 'jpg')}", content))
        return True


def _look(element: Any) -> str:
    """Return "raised", "lowered" or "struck" by the element and its attributes, or ''."""
    name = local(element)
    if name in _RAISED:
        return "raised"
    if name in _LOWERED:
        return "lowered"
    if name in _STRUCK:
        return "struck"
    for key in _LOOKS if element.attrib else ():
        words = str(element.get(key) or "").lower()
        if re.search(r"\bsup(?:er|erscript)?\b", words):
            return "raised"
        if re.search(r"\bsub(?:script)?\b", words):
            return "lowered"
        if "strike" in words or "line-through" in words:
            return "struck"
    return ""


def _unseen(element: Any) -> bool:
    if not element.attrib:
        return False
    style = str(element.get("style", ""))
    hidden = element.get("display") == "none" or element.get("visibility") == "hidden" or element.get("opacity") == "0"
    return hidden or bool(style and _UNSEEN.search(style))


def _text(text: str | None) -> bool:
    return bool(text and text.strip())


def _inline(text: str | None) -> str:
    return re.sub(r"\s+", " ", text or "")


def _plain_field(element: Any) -> str | None:
    """Return the line of a field of words alone, as ``_Walk.line`` writes it, or None for any other."""
    text = (element.text or "").strip()
    if "\n" in text or "<" in text or text[:5].casefold() == "data:" or element.attrib:
        return None
    return f"{local(element)}: {' '.join(text.split())}" if text else ""


def _beside(lead: str, piece: text_flow.Piece) -> text_flow.Piece:
    """Return a piece with a text without marks before it."""
    if piece.hidden_spans or piece.sections or piece.struck_spans or piece.tables:
        return text_flow.join([text_flow.Piece(lead), piece], "")
    return text_flow.Piece(lead + piece.text)


def _squeeze(piece: text_flow.Piece) -> text_flow.Piece:
    """Return a piece without doubled blanks, its hidden spans moved along."""
    if "  " not in piece.text:
        return piece.strip()
    parts, start = [], 0
    for match in re.finditer(r" {2,}", piece.text):
        parts.append(piece.cut(start, match.start() + 1))
        start = match.end()
    parts.append(piece.cut(start, len(piece.text)))
    return text_flow.join(parts, "").strip()
