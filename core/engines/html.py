"""Saved web pages: all text that a person would see, block by block. Nothing is fetched, nothing else is opened."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from core.engines import plain

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
_UNSEEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*[01](?:px|pt)?\s*(?:;|!|$)"
    r"|opacity\s*:\s*0*\.?0+\s*(?:;|!|$)|(?:left|top|text-indent)\s*:\s*-\d{4,}px",
    re.IGNORECASE,
)
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{2,40})""")
_SAVED_FROM = re.compile(r"<!--\s*saved from url=\(\d+\)(\S{1,2000})\s*-->", re.IGNORECASE)
_PUBLISHED = re.compile(r'"date(?:Published|Created)"\s*:\s*"([^"]{4,40})"')
_DATES = (
    "article:published_time", "og:published_time", "datepublished", "date", "dc.date", "dc.date.issued",
    "dcterms.created", "dcterms.date", "pubdate", "publishdate", "sailthru.date", "parsely-pub-date", "citation_date",
    "article:modified_time", "og:updated_time", "last-modified",
)  # fmt: skip
_AUTHORS = ("author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "parsely-author")


@dataclass(frozen=True, slots=True)
class WebPage:
    """What a saved web page says and what it says about itself."""

    text: str
    title: str = ""
    author: str = ""
    date: str = ""
    address: str = ""


def read(data: bytes) -> WebPage:
    """The page as a person would see it, from the bytes of the file."""
    stated = _XML_ENCODING.search(data[:1_000]) or _CHARSET.search(data[:20_000])
    return parse(plain.decode(data, encoding=stated.group(1).decode("ascii") if stated else ""))


def parse(source: str) -> WebPage:
    # The parser counts a NUL as the end of text in places; it is shown as U+FFFD elsewhere too.
    tree = LexborHTMLParser(source.replace("\0", "\ufffd"))
    named = _named(tree)
    saved = _SAVED_FROM.search(source[:5_000])
    return WebPage(
        text=plain.clean(_visible(tree.root)) if tree.root is not None else "",
        title=_line(_first(tree, "head title") or _first(tree, "title") or named.get("og:title", "")),
        author=_line(next((named[key] for key in _AUTHORS if named.get(key)), "")),
        date=_line(next((named[key] for key in _DATES if named.get(key)), "") or _dated(tree, source))[:60],
        address=_address(
            _attribute(tree, 'link[rel~="canonical"]', "href"),
            named.get("og:url", ""),
            saved.group(1) if saved else "",
            _attribute(tree, "base", "href"),
        ),
    )


def _named(tree: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for meta in tree.css("meta")[:500]:
        attributes = meta.attributes
        key = attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or ""
        if key and attributes.get("content"):
            found.setdefault(key.lower(), attributes["content"])
    return found


def _first(tree: Any, selector: str) -> str:
    node = tree.css_first(selector)
    return node.text() if node is not None else ""


def _attribute(tree: Any, selector: str, name: str) -> str:
    node = tree.css_first(selector)
    return (node.attributes.get(name) or "") if node is not None else ""


def _dated(tree: Any, source: str) -> str:
    published = _PUBLISHED.search(source)
    return published.group(1) if published else _attribute(tree, "time[datetime]", "datetime")


def _address(*candidates: str) -> str:
    """The first that is an address on the web; a link to a file of this computer says nothing."""
    for candidate in candidates:
        candidate = _line(candidate)
        if re.match(r"https?://[^\s/]+", candidate, re.IGNORECASE):
            return candidate
    return ""


def _line(text: str) -> str:
    return " ".join(plain.clean(text).split())[:2_000]


def _hidden(node: Any) -> bool:
    attributes = node.attributes
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    if node.tag == "input":
        return True
    if node.tag == "dialog" and "open" not in attributes:
        return True
    style = attributes.get("style")
    return bool(style and _UNSEEN_STYLE.search(style))


def _visible(root: Any) -> str:
    """The text under ``root``: blocks apart by a blank line, rows and items by a newline, cells by a tab."""
    out = _Flow()
    node, down = root, True
    preformatted = 0
    while node is not None:
        if down:
            tag = node.tag
            if tag == "-text":
                out.write(node.text_content or "", exactly=preformatted > 0)
            elif tag is not None and tag not in _SILENT and (tag.startswith("-") or not _hidden(node)):
                _open(out, tag, node)
                if tag in ("pre", "textarea"):
                    preformatted += 1
                if node.first_child is not None:
                    node = node.first_child
                    continue
                if tag in ("pre", "textarea"):
                    preformatted -= 1
                _close(out, tag)
        if node.mem_id == root.mem_id:
            break
        if node.next is not None:
            node, down = node.next, True
            continue
        node, down = node.parent, False
        if node is not None:
            if node.tag in ("pre", "textarea"):
                preformatted -= 1
            _close(out, node.tag or "")
    return out.text()


def _open(out: _Flow, tag: str, node: Any) -> None:
    if tag in _BLOCKS:
        out.gap("\n\n")
    elif tag == "br":
        out.newline()
    elif tag in _LINES:
        out.gap("\n")
    elif tag in _CELLS:
        out.open_cell(data=_holds_data(node, out.depth))


def _close(out: _Flow, tag: str) -> None:
    if tag in _BLOCKS:
        out.gap("\n\n")
    elif tag in _LINES and tag != "br":
        out.gap("\n")
    elif tag in _CELLS:
        out.close_cell()


def _holds_data(cell: Any, depth: int) -> bool:
    """A cell with a table or a long text in it is there for the layout of the page."""
    return depth < 20 and cell.css_first("table") is None and len(cell.text()) < 400


class _Flow:
    """Text with collapsed white space. Gaps wait until something follows, and the strongest of them counts."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._gap = ""
        self._breaks = 0
        self._cells: list[bool] = []  # the open cells, and which of them hold data rather than layout

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
        if plain.GAPS.index(gap) > plain.GAPS.index(self._gap):
            self._gap = gap

    def newline(self) -> None:
        self._breaks += 1
        self.gap("\n" if self._breaks < 2 else "\n\n")

    def write(self, text: str, *, exactly: bool) -> None:
        if exactly:
            if text:
                self._flush()
                self._parts.append(text)
            return
        words = text.split()
        if not words:
            if text:
                self.gap(" ")
            return
        if text[0].isspace():
            self.gap(" ")
        self._flush()
        self._parts.append(" ".join(words))
        if text[-1].isspace():
            self.gap(" ")

    def _flush(self) -> None:
        if self._gap and self._parts:
            self._parts.append(self._gap)
        self._gap = ""
        self._breaks = 0

    def text(self) -> str:
        return "".join(self._parts).strip("\n").rstrip()
