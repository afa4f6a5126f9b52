"""Saved web pages: all text that a person would see, block by block. Nothing is fetched, nothing else is opened."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from core.domain import Section
from core.engines.readers import plain_text, text_flow

_SILENT = {
    "script", "style", "template", "noscript", "head", "title", "iframe", "object", "embed", "applet", "svg", "canvas",
    "audio", "video", "map", "datalist", "-comment", "frameset", "noframes",
}  # fmt: skip
_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "dir", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr",
    "html", "legend", "main", "menu", "nav", "ol", "p", "pre", "search", "section", "summary", "table", "tbody",
    "tfoot", "thead", "ul", "caption", "textarea",
}  # fmt: skip
_LINES = {"br", "li", "tr", "option", "optgroup"}
_CELLS = {"td", "th"}
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
# What a style written at an element says, by the reason why its text is not seen.
_UNSEEN_STYLES = (
    ("unseen", re.compile(r"(?<![\w-])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))", re.I)),
    ("tiny", re.compile(r"(?<![\w-])font-size\s*:\s*(?:0*1|0*\.\d+|0+(?:\.\d+)?)(?:px|pt)?\s*(?:;|!|$)", re.I)),
    ("transparent", re.compile(r"(?<![\w-])opacity\s*:\s*0*\.?0+%?\s*(?:;|!|$)", re.I)),
    ("outside", re.compile(r"(?<![\w-])(?:left|top|text-indent|margin-left)\s*:\s*-\d{4,}px", re.I)),
)
_OVERRIDE = re.compile(r"(?<![\w-])unicode-bidi\s*:\s*(?:bidi|isolate)-override", re.I)
_RIGHT_TO_LEFT = re.compile(r"(?<![\w-])direction\s*:\s*rtl", re.I)
_COLOUR = re.compile(r"(?<![\w-])(color|background|background-color)\s*:\s*([^;!]{1,60})", re.IGNORECASE)
_NAMED_COLOURS = {
    "white": (255, 255, 255), "black": (0, 0, 0), "red": (255, 0, 0), "blue": (0, 0, 255), "green": (0, 128, 0),
    "yellow": (255, 255, 0), "gray": (128, 128, 128), "grey": (128, 128, 128), "silver": (192, 192, 192),
    "snow": (255, 250, 250), "whitesmoke": (245, 245, 245), "ivory": (255, 255, 240), "navy": (0, 0, 128),
}  # fmt: skip
_ALIKE = 12  # two colours whose red, green and blue differ by no more look the same
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{2,40})""")
_SAVED_FROM = re.compile(r"<!--\s*saved from url=\(\d+\)(\S{1,2000})\s*-->", re.IGNORECASE)
_PUBLISHED_DATE = re.compile(r'"date(?:Published|Created)"\s*:\s*"([^"]{4,40})"')
_DATES = (
    "article:published_time", "og:published_time", "datepublished", "date", "dc.date", "dc.date.issued",
    "dcterms.created", "dcterms.date", "pubdate", "publishdate", "sailthru.date", "parsely-pub-date", "citation_date",
    "article:modified_time", "og:updated_time", "last-modified",
)  # fmt: skip
_AUTHORS = ("author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "parsely-author")
_PUBLISHERS = ("og:site_name", "dc.publisher", "dcterms.publisher", "citation_journal_title", "application-name")


@dataclass(frozen=True, slots=True)
class WebPage:
    """The text of a saved web page, and what it says about itself."""

    body: text_flow.Piece
    title: str = ""
    author: str = ""
    date: str = ""
    address: str = ""
    publisher: str = ""

    @property
    def text(self) -> str:
        """The text alone, without where its headings and hidden spans lie."""
        return self.body.text


def read(data: bytes) -> WebPage:
    """Read the page as a person would see it, from the bytes of the file."""
    declaration = _XML_ENCODING.search(data[:1_000]) or _CHARSET.search(data[:20_000])
    return parse(plain_text.decode(data, encoding=declaration.group(1).decode("ascii") if declaration else ""))


def parse(source: str) -> WebPage:
    """Read the page as a person would see it, from its source."""
    # The parser counts a NUL as the end of text in places; it is shown as U+FFFD elsewhere too.
    tree = LexborHTMLParser(_LONG_TAG.sub(_fewer_attributes, source.replace("\0", "\ufffd")))
    meta = _meta_values(tree)
    origin = _SAVED_FROM.search(source[:5_000])
    return WebPage(
        body=_body(tree.root, _has_style_sheet(tree)) if tree.root is not None else text_flow.Piece(""),
        title=_line(_first(tree, "head title") or _first(tree, "title") or meta.get("og:title", "")),
        author=_line(next((meta[key] for key in _AUTHORS if meta.get(key)), "")),
        date=_line(next((meta[key] for key in _DATES if meta.get(key)), "") or _date_of(tree, source))[:60],
        address=_address(
            _attribute(tree, 'link[rel~="canonical"]', "href"),
            meta.get("og:url", ""),
            origin.group(1) if origin else "",
            _attribute(tree, "base", "href"),
        ),
        publisher=_line(next((meta[key] for key in _PUBLISHERS if meta.get(key)), ""))[:200],
    )


_LONG_TAG = re.compile(r"<[a-zA-Z][^<>]{4000,}")
_ATTRIBUTE = re.compile(r"""[^\s/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"']+))?""")
_ATTRIBUTES = 500  # of one tag; the time the parser takes for them grows with their square
_OF_THE_LOOK = ("hidden", "style", "color", "bgcolor", "open", "align")


def _fewer_attributes(tag: re.Match[str]) -> str:
    """Cut a tag to its first attributes and all that say how its text looks; it stays as it was where it has few."""
    text = tag.group()
    head, *attributes = _ATTRIBUTE.findall(text)
    if len(attributes) <= _ATTRIBUTES:
        return text
    by_name: dict[str, str] = {}
    for attribute in attributes:
        by_name.setdefault(attribute.partition("=")[0].strip().lower(), attribute)
    selection = [each for at, (key, each) in enumerate(by_name.items()) if at < _ATTRIBUTES or key in _OF_THE_LOOK]
    return " ".join((head, *selection))


def _meta_values(tree: Any) -> dict[str, str]:
    values: dict[str, str] = {}
    for meta in tree.css("meta")[:500]:
        attributes = meta.attributes
        key = attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or ""
        if key and attributes.get("content"):
            values.setdefault(key.lower(), attributes["content"])
    return values


def _first(tree: Any, selector: str) -> str:
    node = tree.css_first(selector)
    return node.text() if node is not None else ""


def _attribute(tree: Any, selector: str, name: str) -> str:
    node = tree.css_first(selector)
    return (node.attributes.get(name) or "") if node is not None else ""


def _date_of(tree: Any, source: str) -> str:
    match = _PUBLISHED_DATE.search(source)
    return match.group(1) if match else _attribute(tree, "time[datetime]", "datetime")


def _address(*candidates: str) -> str:
    """Return the first that is an address on the web; a link to a file of this computer says nothing."""
    for candidate in candidates:
        candidate = _line(candidate)
        if re.match(r"https?://[^\s/]+", candidate, re.IGNORECASE):
            return candidate
    return ""


def _line(text: str) -> str:
    return " ".join(plain_text.clean(text).split())[:2_000]


def _left_out(node: Any) -> bool:
    """Tell whether an element belongs to the working of a page and not to its text."""
    return node.tag == "input" or (node.tag == "dialog" and "open" not in node.attributes)


@dataclass(frozen=True, slots=True)
class _Look:
    """The reason why the text under an element is not seen ('' where it is), and the colours it has from around it."""

    reason: str = ""
    ink: tuple[int, int, int] | None = None  # None: not stated
    ground: tuple[int, int, int] | None = None
    picture: bool = False  # whether something stands behind it whose colour is not known


def _look(node: Any, around: _Look) -> _Look:
    attributes = node.attributes
    if not attributes:
        return around
    look = around
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        look = replace(look, reason=look.reason or "unseen")
    if node.tag == "font" and attributes.get("color"):
        look = replace(look, ink=_rgb(attributes["color"]))
    if attributes.get("bgcolor"):
        ground = _rgb(attributes["bgcolor"])
        look = replace(look, ground=ground, picture=ground is None)
    style = attributes.get("style")
    if style:
        styling = _style_look(style)
        if styling is not None:
            reason, colours = styling
            look = replace(look, reason=look.reason or reason, **dict(colours))
    return look


@lru_cache(maxsize=5_000)
def _style_look(style: str) -> tuple[str, tuple[tuple[str, Any], ...]] | None:
    """Return why a style hides its text, and the colours of text and ground in it; None for nothing of these."""
    reason = next((why for why, pattern in _UNSEEN_STYLES if pattern.search(style)), "")
    colours: dict[str, Any] = {}
    for name, value in _COLOUR.findall(style):
        if name.lower() == "color":
            colours["ink"] = _rgb(value)
        elif value.strip().lower() not in ("none", "transparent", "inherit", "initial", "unset"):
            colours["ground"] = _rgb(value)
            colours["picture"] = colours["ground"] is None
    return (reason, tuple(colours.items())) if reason or colours else None


def _why(look: _Look) -> str:
    """Return the reason, with the colour of the text held against the ground: white where a page states none."""
    if look.reason or look.ink is None or look.picture:
        return look.reason
    ground = look.ground or (255, 255, 255)
    return "colour" if all(abs(a - b) <= _ALIKE for a, b in zip(look.ink, ground, strict=True)) else ""


def _rgb(value: str) -> tuple[int, int, int] | None:
    """Return red, green and blue in 0..255; None for what is not known or transparent."""
    value = value.strip().lower()
    if value in _NAMED_COLOURS:
        return _NAMED_COLOURS[value]
    digits = re.match(r"#?([0-9a-f]{6}|[0-9a-f]{3})$", value)
    if digits:
        text = digits.group(1)
        text = "".join(digit * 2 for digit in text) if len(text) == 3 else text
        return int(text[:2], 16), int(text[2:4], 16), int(text[4:], 16)
    numbers = re.match(
        r"rgba?\(\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*(?:[,/]\s*(?:1|1\.0|100%)\s*)?\)", value
    )
    return (int(numbers.group(1)), int(numbers.group(2)), int(numbers.group(3))) if numbers else None


def _has_style_sheet(tree: Any) -> bool:
    """Tell whether a style sheet may give grounds.

    They are not worked out, so that what has no ground of its own stands on one that is not known.
    """
    if tree.css_first('link[rel~="stylesheet"]') is not None:
        return True
    return any("background" in style.text() or "@import" in style.text() for style in tree.css("style")[:200])


def _body(root: Any, has_style_sheet: bool) -> text_flow.Piece:
    """Write the text under ``root``: blocks apart by a blank line, rows and items by a newline, cells by a tab."""
    out = _Flow()
    node, down = root, True
    pre_depth = 0
    looks = [_Look(picture=has_style_sheet)]  # of the open elements
    ends = [""]  # what each of them is closed with
    while node is not None:
        if down:
            tag = node.tag
            if tag == "-text":
                out.write(node.text_content or "", exactly=pre_depth > 0, reason=_why(looks[-1]))
            elif tag is not None and tag not in _SILENT and (tag.startswith("-") or not _left_out(node)):
                _open(out, tag, node)
                start, end = text_flow.REVERSED if _is_reversed(tag, node) else ("", "")
                out.write(start, exactly=True)
                if tag in ("pre", "textarea"):
                    pre_depth += 1
                if node.first_child is not None:
                    looks.append(looks[-1] if tag.startswith("-") else _look(node, looks[-1]))
                    ends.append(end)
                    node = node.first_child
                    continue
                if tag in ("pre", "textarea"):
                    pre_depth -= 1
                out.write(end, exactly=True)
                _close(out, tag)
        if node.mem_id == root.mem_id:
            break
        if node.next is not None:
            node, down = node.next, True
            continue
        node, down = node.parent, False
        if node is not None:
            looks.pop()
            if node.tag in ("pre", "textarea"):
                pre_depth -= 1
            out.write(ends.pop(), exactly=True)
            _close(out, node.tag or "")
    return out.piece()


def _is_reversed(tag: str, node: Any) -> bool:
    """Tell whether an element shows its text from right to left, letter by letter, whatever its script."""
    if tag.startswith("-"):
        return False
    attributes = node.attributes
    style = attributes.get("style") or ""
    if tag != "bdo" and not _OVERRIDE.search(style):
        return False
    is_leftward = (attributes.get("dir") or "").strip().lower() == "rtl"
    return is_leftward or (tag != "bdo" and _RIGHT_TO_LEFT.search(style) is not None)


def _open(out: _Flow, tag: str, node: Any) -> None:
    if tag in _BLOCKS:
        out.gap("\n\n")
    elif tag == "br":
        out.newline()
    elif tag in _LINES:
        out.gap("\n")
    elif tag in _CELLS:
        out.open_cell(data=_holds_data(node, out.depth))
    if tag in _HEADINGS:
        out.heading(_HEADINGS[tag])


def _close(out: _Flow, tag: str) -> None:
    if tag in _HEADINGS:
        out.end_heading()
    if tag in _BLOCKS:
        out.gap("\n\n")
    elif tag in _LINES and tag != "br":
        out.gap("\n")
    elif tag in _CELLS:
        out.close_cell()


def _holds_data(cell: Any, depth: int) -> bool:
    """Tell whether a cell holds data; one with a table or a long text in it is there for the layout of the page."""
    return depth < 20 and cell.css_first("table") is None and len(cell.text()) < 400


class _Flow:
    """Text with collapsed white space. Gaps wait until something follows, and the strongest of them counts."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._gap = ""
        self._breaks = 0
        self._cells: list[bool] = []  # the open cells, and which of them hold data rather than layout
        self._hidden_spans: plain_text.Reasons = []
        self._sections: list[Section] = []
        self._heading: tuple[int, list[str]] | None = None  # the level and the visible words of an open heading
        self._heading_start = 0

    def open_cell(self, *, data: bool) -> None:
        self.gap("\t" if data else "\n\n")
        self._cells.append(data)

    def close_cell(self) -> None:
        if self._cells:
            self._cells.pop()

    @property
    def depth(self) -> int:
        return len(self._cells)

    def gap(self, gap: str) -> None:
        if self._cells and self._cells[-1]:
            gap = " "  # a paragraph inside a cell must not break the row
        if plain_text.GAPS.index(gap) > plain_text.GAPS.index(self._gap):
            self._gap = gap

    def newline(self) -> None:
        self._breaks += 1
        self.gap("\n" if self._breaks < 2 else "\n\n")

    def heading(self, level: int) -> None:
        self.end_heading()
        self._heading = (level, [])

    def end_heading(self) -> None:
        if self._heading is not None:
            level, words = self._heading
            title = text_flow.heading_text("".join(words))
            if title:
                self._sections.append(Section(level, title, self._heading_start))
        self._heading = None

    def write(self, text: str, *, exactly: bool, reason: str = "") -> None:
        if exactly:
            if text:
                self._put(plain_text.clean(text).replace("\f", "\n"), reason)
            return
        words = plain_text.clean(text).split()
        if not words:
            if text:
                self.gap(" ")
            return
        if text[0].isspace():
            self.gap(" ")
        self._put(" ".join(words), reason)
        if text[-1].isspace():
            self.gap(" ")

    def _put(self, text: str, reason: str) -> None:
        gap = self._gap if self._parts else ""
        self._gap = ""
        self._breaks = 0
        if not self._parts:
            text = text.lstrip("\n")
        if not text:
            return
        if gap:
            self._parts.append(gap)
            self._length += len(gap)
        if reason and text.strip():
            start = self._length
            # From the one before, if nothing but a gap stands between, so that one hidden stretch is one span.
            if self._hidden_spans and self._hidden_spans[-1][1:] == (start - len(gap), reason):
                start = self._hidden_spans.pop()[0]
            self._hidden_spans.append((start, self._length + len(text), reason))
        elif self._heading is not None and (self._heading[1] or text.strip()):
            if not self._heading[1]:
                self._heading_start = self._length + len(text) - len(text.lstrip())
            self._heading[1].append((" " if gap else "") + text)
        self._parts.append(text)
        self._length += len(text)

    def piece(self) -> text_flow.Piece:
        self.end_heading()
        text = "".join(self._parts).rstrip()
        return text_flow.Piece(text, tuple(self._hidden_spans), tuple(self._sections)).cut(0, len(text))
