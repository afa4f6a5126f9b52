"""Saved web pages: all text that a person would see, block by block, and a count of what else they hold.

Nothing is fetched, nothing else is stack.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree

from selectolax.lexbor import LexborHTMLParser

from core.domain import LeftOut
from core.engines.readers import (
    attachments,
    docx_numbering,
    office_math,
    package_parts,
    pictures,
    plain_text,
    raised,
    table_text,
    text_flow,
    web_facts,
    web_styles,
    web_tables,
)
from core.engines.readers.web_flow import WebFlow
from core.engines.readers.web_look import INLINE, Look, styled
from core.ports import Attachment
from core.text import column_letters

# Elements whose contents are not shown, by what they are called in the ledger.
_SILENT = {
    "script": "script", "template": "template", "noscript": "text for browsers without scripts",
    "iframe": "embedded page", "frame": "embedded page", "object": "embedded object", "embed": "embedded object",
    "applet": "embedded object", "canvas": "drawing by a script", "audio": "sound", "video": "video",
    "map": "picture map", "datalist": "list of suggestions", "noframes": "text for browsers without frames",
    "-comment": "comment in the source", "desc": "label of a drawing", "metadata": "label of a drawing",
    "annotation": "source of a formula", "annotation-xml": "source of a formula",
}  # fmt: skip
_PLUMBING = {"style", "title", "head", "source", "track", "param", "link", "meta", "base", "-doctype"}
_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "dir", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr",
    "html", "legend", "main", "menu", "nav", "ol", "p", "pre", "search", "section", "summary", "table", "tbody",
    "tfoot", "thead", "ul", "caption", "textarea", "frameset", "svg",
}  # fmt: skip
_LINES = {"br", "li", "tr", "option", "optgroup", "text"}
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_STRUCK = {"del", "s", "strike"}
_OVERRIDE = re.compile(r"(?<![\w-])unicode-bidi\s*:\s*(?:bidi|isolate)-override", re.I)
_RIGHT_TO_LEFT = re.compile(r"(?<![\w-])direction\s*:\s*rtl", re.I)
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{2,40})""")
_PAGE_IN_ADDRESS = re.compile(r"data:(?:text/html|application/xhtml\+xml|text/plain|,|;)", re.IGNORECASE)
_NOT_A_PLACE = re.compile(r"(?:about|data|javascript|blob):", re.IGNORECASE)
_ADDRESS = re.compile(r"\s*(?:https?:|ftp:|mailto:|tel:|//)", re.IGNORECASE)  # behind a link, outside the page
_WORD_INSIDE = re.compile(r">[^<]*[^\W_]|=\s*\"[^\"]*[^\W_]")
_WITHOUT_CHILDREN = {"br", "hr", "img", "image", "input", "wbr", "area", "col", "use"}
_SPECIAL = {
    "ol", "li", "q", "rt", "select", "optgroup", "option", "progress", "meter", "a", "button", "tspan",
    "textarea",
}  # fmt: skip
# Attributes that are heard and not seen, by what they are called in the ledger.
_HEARD = {
    "aria-label": "label for screen readers", "aria-description": "label for screen readers",
    "alttext": "source of a formula", "summary": "summary of a table", "xlink:title": "tooltip",
}  # fmt: skip
_TAGS_OF_LOOK = {*_STRUCK, "sup", "sub", "font", "option", "dialog", "defs", "symbol"}
# Text of a drawing, and the attributes that say what styles say elsewhere.
_DRAWN = {"g", "svg", "text", "tspan"}
_DRAWN_LOOKS = ("display", "visibility", "opacity", "font-size", "text-decoration", "baseline-shift")
_ITEMS = {"flex": " ", "inline flex": " ", "grid": "\n", "inline grid": "\n"}  # what parts the children, by display
_AS_BLOCK = ("block", "flex", "grid")
_APART = {"button", "label", "select", "textarea"}  # do not join the words beside them
_SHADOWS = ("shadowrootmode", "shadowroot", "shadowmode")
_DESCRIPTIONS = {
    "description", "og:description", "twitter:description", "keywords", "news_keywords", "abstract", "dc.description",
    "dc.subject", "og:image:alt", "twitter:image:alt",
}  # fmt: skip
_INNER = 5  # pages in pages
_INNER_PAGES = 200  # of one page
_PICTURES = 500  # written into one page
_PICTURE = 30_000_000  # bytes
_FRAME = 300  # characters of the address of a frame
_ALONE = 20  # steps to the next words around a picture


@dataclass(frozen=True, slots=True)
class WebPage:
    """The text of a saved web page, what it says about itself, and what it holds besides.

    ``pictures`` are those written into the page itself that are worth reading, each with a name.
    """

    body: text_flow.Piece
    title: str = ""
    author: str = ""
    date: str = ""
    address: str = ""
    publisher: str = ""
    left_out: tuple[LeftOut, ...] = ()
    pictures: tuple[tuple[str, bytes], ...] = ()

    @property
    def text(self) -> str:
        """The text alone, without where its headings and hidden spans lie."""
        return self.body.text


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a page needs of the file that it is saved in: by an address, a page, a style sheet, or whether it is there.

    ``page`` returns the page of a frame, ``sheet`` the text of a style sheet, or None.
    """

    page: Callable[[str], WebPage | None] = lambda _: None
    sheet: Callable[[str], str | None] = lambda _: None
    has: Callable[[str], bool] = lambda _: False


ALONE = Surroundings()


def read(data: bytes, around: Surroundings = ALONE) -> WebPage:
    """Read the page as a person would see it, from the bytes of the file."""
    declaration = _XML_ENCODING.search(data[:1_000]) or _CHARSET.search(data[:20_000])
    encoding = declaration.group(1).decode("ascii") if declaration else ""
    source = plain_text.decode(data, encoding=encoding)
    return parse(_as_html(source) if _XML_START.match(source) else source, around)


_XML_START = re.compile(
    r"\ufeff?\s*(?:<\?xml\b|(?:<!DOCTYPE[^>]{0,300}>\s*)?<html\b[^>]{0,500}\bxmlns\s*=)", re.IGNORECASE
)
_CLOSED = re.compile(r"<([a-zA-Z][\w-]*)((?:\s(?:[^<>\"'/]|/(?!>)|\"[^\"<]*\"|'[^'<]*')*+)?)/>")
_MARK = re.compile(r"<(/?)(?:style|script)\b[^<>]{0,2000}>|<!\[CDATA\[|\]\]>", re.IGNORECASE)


def _as_html(source: str) -> str:
    """Return XHTML as HTML writes it: an element that is closed at once has an end, data of characters is text."""
    return _CLOSED.sub(_with_end, _without_sections(source) if "<![CDATA[" in source else source)


def _without_sections(source: str) -> str:
    """Return XHTML with its sections of characters as text, those of style sheets and scripts as they are."""
    out: list[str] = []
    start = 0
    is_raw = is_section = False

    def text(end: int) -> str:
        words = source[start:end]
        return words if is_raw or not is_section else words.replace("&", "&amp;").replace("<", "&lt;")

    for match in _MARK.finditer(source):
        mark = match.group()
        if is_section != (mark == "]]>"):
            continue
        out.append(text(match.start()))
        if mark.startswith("<!") or is_section:
            is_section = not is_section
        else:
            out.append(mark)
            is_raw = not match[1]
        start = match.end()
    out.append(text(len(source)))
    return "".join(out)


def _with_end(match: re.Match[str]) -> str:
    name = match[1]
    if name.lower() in _VOID:
        return match[0]
    return f"<{name}{match[2]}></{name}>"


def parts(page: WebPage) -> Iterator[Attachment | LeftOut]:
    """Yield what a page holds besides its text: the pictures written into it, and a line for all that is left out."""
    inside = attachments.Children()
    for name, data in page.pictures:
        yield from inside.take(name, partial(bytes, data), size=len(data))
    yield from inside.rest()
    yield from page.left_out


_DEEPEST = 2_000  # elements inside each other; the parser's time grows with the square of the depth
_MANY_TAGS = 10_000  # in fewer of them depth costs nothing
_TAG = re.compile(r"<(/?)([a-zA-Z][\w:-]*)(?:[^<>\"']|\"[^\"]*\"|'[^']*')*+>")
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr")
)
_UNNESTED = _VOID | frozenset(("p", "li", "td", "th", "tr", "dt", "dd", "option"))


def _less_deep(source: str) -> str:
    """Return a page without the tags of elements that lie deeper than any page has them; their text stays."""
    if source.count("<") < _MANY_TAGS:
        return source
    depth = 0

    def tag(match: re.Match[str]) -> str:
        nonlocal depth
        if match[2].lower() in _UNNESTED:
            return match[0]
        if match[1]:
            depth = max(0, depth - 1)
            return match[0] if depth < _DEEPEST else " "
        depth += 1
        return match[0] if depth <= _DEEPEST else " "

    return _TAG.sub(tag, source)


_NOSCRIPT = re.compile(r"<noscript\b[^<>]{0,2000}>", re.IGNORECASE)
_NOSCRIPT_END = re.compile(r"</noscript\b", re.IGNORECASE)


def _as_with_scripts(source: str) -> str:
    """Return a page as a browser with scripts takes it apart: words for others are a remark, whatever they hold."""
    out: list[str] = []
    start = 0
    while (begin := _NOSCRIPT.search(source, start)) and (end := _NOSCRIPT_END.search(source, begin.end())):
        inside = source[begin.end() : end.start()].replace("--", "- -")
        out += [source[start : begin.end()], f"<!-- {inside} -->" if inside.strip() else ""]
        start = end.start()
    out.append(source[start:])
    return "".join(out)


def parse(source: str, around: Surroundings = ALONE) -> WebPage:
    """Read the page as a person would see it, from its source."""
    return _parse(source, around, [0])


def _parse(source: str, around: Surroundings, inner: list[int], depth: int = 0) -> WebPage:
    # The parser counts a NUL as the end of text in places; it is shown as U+FFFD elsewhere too.
    source = _as_with_scripts(source.replace("\0", "\ufffd"))
    tree = LexborHTMLParser(_less_deep(_LONG_TAG.sub(_fewer_attributes, source)))
    facts = web_facts.read(tree, source)
    if tree.root is None:
        return WebPage(text_flow.Piece(""))
    sheets, has_unknown = _sheets(tree, source, around)
    reader = _Reader(around, sheets, has_unknown, inner, depth)
    body = reader.piece(tree.root)
    if sheets and _hides_all(body, reader.of_sheets):
        # What hides a whole page until a script has run hides nothing from its reader.
        reader = _Reader(around, web_styles.StyleSheets(written=sheets.written), has_unknown, inner, depth)
        body = reader.piece(tree.root)
    reader.count_head(tree)
    return WebPage(
        body, facts.title, facts.author, facts.date, facts.address, facts.publisher, reader.ledger(),
        tuple(reader.pictures),
    )  # fmt: skip


def _hides_all(body: text_flow.Piece, count: int) -> bool:
    return len(body.text) > 2_000 and count > 0.9 * len(body.text)


def _sheets(tree: Any, source: str, around: Surroundings) -> tuple[web_styles.StyleSheets, bool]:
    """Return the rules of the page's own style sheets, and whether there are others, which are not in the file."""
    texts: list[tuple[str, str]] = []
    has_unknown = False
    for node in tree.css('style, link[rel~="stylesheet"]')[:200]:
        attributes = node.attributes
        if "disabled" in attributes:
            continue
        if node.tag == "style":
            text: str | None = node.text()
        else:
            text = around.sheet(attributes.get("href") or "")
            has_unknown = has_unknown or text is None
        for part in (text or "", *_imports(text or "", around)):
            texts.append((part, attributes.get("media") or ""))
        has_unknown = has_unknown or "@import" in (text or "")
    is_styled = bool(texts) or tree.css_first('[style*="var("]') is not None
    return (web_styles.read(texts, tree) if is_styled else web_styles.StyleSheets()), has_unknown


def _imports(text: str, around: Surroundings) -> Iterator[str]:
    if "@import" not in text:
        return
    for address in re.findall(r"@import\s+(?:url\(\s*)?[\"']?([^\"'\s;)]{1,2000})", text)[:50]:
        sheet = around.sheet(address)
        if sheet:
            yield sheet


_LONG_TAG = re.compile(r"<[a-zA-Z][^<>]{4000,}")
_ATTRIBUTE = re.compile(r"""[^\s/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"']+))?""")
_ATTRIBUTES = 500  # of one tag; the time the parser takes for them grows with their square
_OF_THE_LOOK = ("hidden", "style", "color", "bgcolor", "open", "align", "class", "id", "alt", "value")


def _fewer_attributes(tag: re.Match[str]) -> str:
    """Cut a tag to its first attributes and all that say how its text looks; it stays as it was where it has few."""
    text = tag.group()
    head, *attributes = _ATTRIBUTE.findall(text)
    if len(attributes) <= _ATTRIBUTES:
        return text
    by_name: dict[str, str] = {}
    for attribute in attributes:
        by_name.setdefault(attribute.partition("=")[0].strip().lower(), attribute)
    selection = [item for rank, (key, item) in enumerate(by_name.items()) if rank < _ATTRIBUTES or key in _OF_THE_LOOK]
    return " ".join((head, *selection))


@dataclass(slots=True)
class _Open:
    """An element whose children are being read."""

    tag: str
    look: Look
    reason: str
    end: str = ""
    gap: str = ""
    number: int = 0  # of the next item of a list
    step: int = 0  # 0: its items have no numbers
    form: str = "1"
    items: str = ""  # what parts its children, where they are side by side or below one another by its style
    is_inline: bool = False  # whether its style puts it into a line
    is_apart: bool = False  # whether it is apart from the words beside it


class _Reader:
    """Reads one page, or one page in another."""

    def __init__(
        self, around: Surroundings, sheets: web_styles.StyleSheets, has_unknown: bool, inner: list[int], depth: int
    ) -> None:
        self._around = around
        self._sheets = sheets
        self._has_unknown = has_unknown  # whether a style sheet lies outside the file
        self._inner = inner
        self._depth = depth
        self._left_out: Counter[str] = Counter()
        self._head: Counter[str] = Counter()
        self._below: list[LeftOut] = []
        self._options: set[int] = set()  # of the lists to choose from, what is chosen
        self._skips: set[int] = set()  # elements that were read with the one before them
        self._display = ""  # of the current element, as its style states it
        self._is_column = self._is_apart = False
        self._list_marker = ""  # of the style of the current element, '' where it states none
        self._hides_markers = False
        self.of_sheets = 0
        self.pictures: list[tuple[str, bytes]] = []

    def ledger(self) -> tuple[LeftOut, ...]:
        """Return the parts that are left out, by kind."""
        if self._sheets.beyond:
            self._head["style sheet beyond what is applied"] += self._sheets.beyond
        counts = [(self._head, "head"), (self._left_out, "body")]
        elements = [LeftOut(what, count, where) for counter, where in counts for what, count in (+counter).items()]
        written = [
            LeftOut("text written by a style sheet", count, where) for where, count in self._sheets.written.items()
        ]
        return (*elements, *written, *self._below)

    def count_head(self, tree: Any) -> None:
        """Count what the head of the page holds for a reader besides its title."""
        outside = [tree.root, *(tree.head.iter(include_text=True) if tree.head is not None else ())]
        outside += [*_siblings(tree.root, "prev"), *_siblings(tree.root, "next")]
        self._head[_SILENT["-comment"]] += sum(_is_remark(node) for node in outside[:2_000])
        for node in tree.css("head > script, head > noscript, head > template, head > meta[content]")[:2_000]:
            attributes = node.attributes
            if node.tag != "meta":
                self._head[_kind(node, attributes)] += self._has_words(node)
            elif (attributes.get("name") or attributes.get("property") or "").lower() in _DESCRIPTIONS:
                self._head["description for search engines"] += 1

    def piece(self, root: Any, look: Look | None = None) -> text_flow.Piece:
        """Write the text under ``root``: blocks apart by a blank line, rows and items by a newline, cells by a tab."""
        out = WebFlow()
        start = look or Look(picture=self._has_unknown)
        stack = [_Open("", start, start.reason)]
        node, down = root, True
        while node is not None:
            if down:
                tag = node.tag
                top = stack[-1]
                if tag == "-text":
                    if not (self._skips and node.mem_id in self._skips):
                        self._write(out, node.text_content or "", top)
                elif tag is not None and self._enters(out, tag, node, stack):
                    node = node.first_child
                    continue
            if node.mem_id == root.mem_id:
                break
            if node.next is not None:
                node, down = node.next, True
                continue
            node, down = node.parent, False
            if node is not None:
                self._leave(out, stack.pop())
        return out.piece()

    def _write(self, out: WebFlow, text: str, top: _Open) -> None:
        look = top.look
        # A number in brackets is none that could join the word before it.
        if look.shift and not (text.startswith("[") or out.last.endswith("[")):
            text = raised.raised(text) if look.shift == "raised" else raised.lowered(text)
        if look.is_of_sheet and top.reason:
            self.of_sheets += len(text)
        out.write(text, exactly=look.keeps_lines, reason=top.reason, is_struck=look.is_struck)

    def _enters(self, out: WebFlow, tag: str, node: Any, stack: list[_Open]) -> bool:
        """Begin an element and return whether to read its children; one without children is ended at once."""
        if (tag in _SILENT or tag in _PLUMBING) and not self._pass(out, tag, node, stack[-1]):
            return False
        if tag.startswith("-"):
            if node.first_child is None:
                return False
            stack.append(_Open("", stack[-1].look, stack[-1].reason))
            return True
        if self._skips and node.mem_id in self._skips:
            return False
        attributes = node.attributes
        top = stack[-1]
        look = self._look(node, tag, attributes, top.look)
        display, self._display = self._display, ""
        entry = _Open(tag, look, look.reason if look is not top.look else top.reason)
        entry.is_inline, entry.items = display.startswith("inline"), _ITEMS.get(display, "")
        entry.is_apart = self._is_apart or display == "table-cell" or tag in _APART
        if entry.items and self._is_column:
            entry.items = "\n"
        if self._is_written_whole(out, tag, node, attributes, entry):
            if self._sheets:
                self._sheets.leave()
            return False
        if tag in ("pre", "textarea", "listing", "xmp"):
            entry.look = replace(look, keeps_lines=True)
        entry.gap = "\n" if display in _AS_BLOCK else top.items
        self._begin(out, entry, node, attributes, top)
        if node.first_child is not None:
            stack.append(entry)
            return True
        self._leave(out, entry)
        return False

    def _is_written_whole(
        self, out: WebFlow, tag: str, node: Any, attributes: dict[str, str | None], entry: _Open
    ) -> bool:
        if tag in _WITHOUT_CHILDREN:
            self._stand_in(out, tag, node, attributes, entry)
            return True
        if tag == "math":
            self._formula(out, node, entry)
            return True
        return (
            (tag == "table" and self._table(out, node, entry.look))
            or (tag == "sup" and self._fraction(out, node, entry))
            or ((tag in INLINE or entry.is_inline) and self._stack(out, node, entry))
        )

    def _leave(self, out: WebFlow, entry: _Open) -> None:
        tag = entry.tag
        if entry.end:
            out.write(entry.end, exactly=True, reason=entry.reason)
        if tag in _HEADINGS:
            out.end_heading()
        if tag in web_tables.CELLS:
            out.close_cell()
        if entry.gap:
            out.gap(entry.gap)
        if entry.is_apart:
            out.part()
        if tag == "li":
            out.drop_marker()
        if self._sheets and tag:
            self._sheets.leave()

    def _begin(self, out: WebFlow, entry: _Open, node: Any, attributes: dict[str, str | None], top: _Open) -> None:
        tag = entry.tag
        if tag in _BLOCKS:
            entry.gap = "\n\n"
        elif tag in _LINES:
            entry.gap = "\n"
        elif tag in web_tables.CELLS:
            out.open_cell(data=web_tables.holds_data(node, out.depth))
        if entry.gap:
            out.gap(entry.gap)
        if entry.is_apart:
            out.part()
        if tag in _HEADINGS:
            out.heading(_HEADINGS[tag])
            return
        if tag in _SPECIAL:
            self._begin_special(out, entry, node, attributes, top)
        if attributes and _is_reversed(tag, attributes):
            out.write(text_flow.REVERSED[0], exactly=True)
            entry.end = text_flow.REVERSED[1]

    def _begin_special(
        self, out: WebFlow, entry: _Open, node: Any, attributes: dict[str, str | None], top: _Open
    ) -> None:
        match entry.tag:
            case "ol":
                entry.number, entry.step, entry.form = self._numbering(node, attributes)
            case "li" if top.step:
                value = attributes.get("value") or ""
                number = int(value) if re.fullmatch(r"-?\d{1,6}", value) else top.number
                top.number = number + top.step
                out.marker(_marker(number, top.form))
            case "q":
                out.write("“", reason=entry.reason)
                entry.end = "”"
            case "rt" if not _has_brackets(node):
                out.write("(", reason=entry.reason)
                entry.end = ")"
            case "select":
                self._choose(node, attributes)
            case "progress" | "meter":
                if not node.text(strip=True) and attributes.get("value"):
                    maximum = attributes.get("max") or "1"
                    out.write(f" {attributes['value']} of {maximum} ", reason=entry.reason)
            case "optgroup":
                label = (attributes.get("label") or "").strip()
                out.write(label, reason=entry.reason or ("unseen" if node.mem_id in self._options else ""))
                out.gap("\n")
            case "option" if not node.text(strip=True):
                out.write((attributes.get("label") or "").strip(), reason=entry.reason)
            case "a" | "button":
                self._left_out["link address"] += _ADDRESS.match(attributes.get("href") or "") is not None
                label = (attributes.get("aria-label") or "").strip()
                if label and not node.text(strip=True) and node.css_first("img[alt], svg text") is None:
                    out.write(f" [{label[:500]}] ", reason=entry.reason)
            case "textarea" if attributes.get("placeholder") and not node.text(strip=True):
                self._left_out["hint in an empty form field"] += 1
            case "tspan" if "x" in attributes or "dy" in attributes:
                out.gap(" ")

    def _numbering(self, node: Any, attributes: dict[str, str | None]) -> tuple[int, int, str]:
        """Return the first number of a list, the step and the form; without a step where none may be shown."""
        if self._hides_markers:
            return 0, 0, ""
        is_stated = any(name in attributes for name in ("start", "type", "reversed"))
        if self._has_unknown and not is_stated and node.css_first("li[value]") is None:
            return 0, 0, ""
        form = web_styles.MARKERS.get(self._list_marker, "" if self._list_marker[:1] in "\"'" else "1")
        if self._list_marker and not form:
            return 0, 0, ""
        form = form if self._list_marker else (attributes.get("type") or "1").strip()[:1]
        start = attributes.get("start") or ""
        step = 1
        number = int(start) if re.fullmatch(r"-?\d{1,6}", start.strip()) else 1
        if "reversed" in attributes:
            step = -1
            if not start:
                number = sum(1 for child in web_tables.children(node) if child.tag == "li")
        return number, step, form

    def _choose(self, node: Any, attributes: dict[str, str | None]) -> None:
        """Note which entries of a list to choose from are not shown as chosen."""
        if "multiple" in attributes or (attributes.get("size") or "1") not in ("", "0", "1"):
            return
        options = node.css("option")[:5_000]
        chosen = [option for option in options if "selected" in option.attributes][-1:] or options[:1]
        names = {candidate.mem_id for candidate in chosen}
        self._options.update(item.mem_id for item in options if item.mem_id not in names)
        self._options.update(group.mem_id for group in node.css("optgroup")[:5_000])

    # --- how it looks ---

    def _look(self, node: Any, tag: str, attributes: dict[str, str | None], around: Look) -> Look:
        inline = attributes.get("style") or "" if attributes else ""
        if attributes and tag in _DRAWN:
            stated = (f"{name}:{attributes[name]};" for name in _DRAWN_LOOKS if attributes.get(name))
            inline = f"{''.join(stated)}{inline}"
        style: web_styles.Style = {}
        is_of_sheet = False
        if self._sheets:
            style, is_of_sheet = self._sheets.enter(node, attributes, inline, undoes=around.may_be_undone)
        elif inline:
            style = web_styles.style_of(inline)
        look = around
        if attributes and "title" in attributes:
            self._tooltip(node, attributes)
        if attributes and not _HEARD.keys().isdisjoint(attributes):
            self._count_heard(node, tag, attributes)
        if tag in _TAGS_OF_LOOK:
            look = self._look_of_tag(node, tag, attributes, look)
        if attributes:
            if (
                "hidden" in attributes
                and attributes["hidden"] != "until-found"
                and style.get("display") not in _AS_BLOCK
            ):
                look = replace(look, why=look.why or "unseen")
            if "popover" in attributes and style.get("display") not in _AS_BLOCK:
                look = replace(look, why=look.why or "unseen")
            if attributes.get("bgcolor"):
                ground = web_styles.rgb(attributes["bgcolor"] or "")
                look = replace(look, ground=ground, picture=ground is None)
        self._hides_markers, self._list_marker, self._is_column, self._is_apart = False, "", False, False
        if not style:
            return look
        self._display = style.get("display", "")
        self._is_column = bool(style.get("column"))
        self._is_apart = bool(style.get("float")) or style.get("position") in ("absolute", "fixed")
        self._list_marker = style.get("marker") or ""
        self._hides_markers = style.get("marker") == ""
        return styled(look, tag, style, is_of_sheet=is_of_sheet)

    def _tooltip(self, node: Any, attributes: dict[str, str | None]) -> None:
        text = (attributes["title"] or "").strip()
        child = node.first_child
        label = (child.text_content or "").strip() if child is not None and child.tag == "-text" else ""
        self._left_out["tooltip"] += bool(text) and text not in (label, (attributes.get("alt") or "").strip())

    def _count_heard(self, node: Any, tag: str, attributes: dict[str, str | None]) -> None:
        """Count labels that say something else than the element does."""
        for name in _HEARD.keys() & attributes.keys():
            label = (attributes[name] or "").strip()
            is_shown = label == node.text(strip=True) or (tag in ("a", "button") and not node.text(strip=True))
            self._left_out[_HEARD[name]] += bool(re.search(r"[^\W_]", label)) and not is_shown

    def _look_of_tag(self, node: Any, tag: str, attributes: dict[str, str | None], look: Look) -> Look:
        if tag in _STRUCK:
            return replace(look, is_struck=True)
        match tag:
            case "sup":
                return replace(look, shift="raised")
            case "sub":
                return replace(look, shift="lowered")
            case "font" if attributes.get("color"):
                return replace(look, ink=web_styles.rgb(attributes["color"] or ""))
            case "option" if node.mem_id in self._options:
                return replace(look, why=look.why or "unseen")
            case "dialog" if "open" not in attributes:
                return replace(look, why=look.why or "unseen")
            case "defs" | "symbol":
                return replace(look, why=look.why or "unseen")
        return look

    # --- what is not written as it stands ---

    def _pass(self, out: WebFlow, tag: str, node: Any, top: _Open) -> bool:
        """Count an element whose contents are not shown, or read the page in it; return whether they are shown yet."""
        if tag in _PLUMBING:
            if tag == "title" and node.parent is not None and node.parent.tag != "head":
                self._left_out["label of a drawing"] += self._has_words(node)
            return False
        if tag == "-comment":
            self._left_out[_SILENT[tag]] += _is_remark(node)
            return False
        attributes = node.attributes
        if tag == "template" and any(name in attributes for name in _SHADOWS):
            if self._write_page(out, self._source_of_template(node), top):
                return False
        elif tag == "iframe" and attributes.get("srcdoc"):
            if self._write_page(out, attributes["srcdoc"] or "", top):
                return False
        elif tag in ("iframe", "frame", "object", "embed"):
            address = " ".join((attributes.get("src") or attributes.get("data") or "").split())
            page = self._around.page(address)
            if page is not None:
                self._add_page(out, page, top)
                return False
            if _PAGE_IN_ADDRESS.match(address) and self._write_page(out, _text_of(address), top):
                return False
            if tag == "frame" and address:
                out.gap("\n")
                out.write(f"[frame: {address[:_FRAME]}]", reason=top.reason)
                out.gap("\n")
            # What is in an object is shown where the object itself is not.
            is_shown = tag == "object" and not address.startswith("data:") and not self._around.has(address)
            if is_shown and not address:
                return True
            place = package_parts.host(address) if _ADDRESS.match(address) else address.partition("?")[0][:_FRAME]
            if place and not _NOT_A_PLACE.match(address):
                self._below.append(LeftOut(_SILENT[tag], 1, place))
                return is_shown
        if tag in ("script", "noscript", "template", "datalist", "map", "desc", "metadata"):
            self._left_out[_kind(node, attributes)] += self._has_words(node)
        else:
            self._left_out[_SILENT[tag]] += 1
        return False

    def _has_words(self, node: Any) -> bool:
        if node.tag == "script":
            return bool(node.attributes.get("src")) or not node.text().isspace()
        if node.tag in ("noscript", "template"):
            return _WORD_INSIDE.search((node.html or "").replace("<!-- ", "")) is not None
        return bool(node.text(strip=True)) or node.tag == "map" or node.css_first("option[value]") is not None

    def _source_of_template(self, node: Any) -> str:
        fragments = node.template_fragments()
        return (fragments[0].inner_html or fragments[0].html or "") if fragments else ""

    def _write_page(self, out: WebFlow, source: str, top: _Open) -> bool:
        """Read a page written into this one, and write it in its place; False where it lies too deep."""
        if self._depth >= _INNER or self._inner[0] >= _INNER_PAGES:
            return False
        self._inner[0] += 1
        self._add_page(out, _parse(source, self._around, self._inner, self._depth + 1), top)
        return True

    def _add_page(self, out: WebFlow, page: WebPage, top: _Open) -> None:
        piece = page.body
        if top.reason:
            piece = replace(piece, hidden_spans=((0, len(piece.text), top.reason),))
        out.gap("\n\n")
        out.write_piece(piece)
        out.gap("\n\n")
        self._below += [LeftOut(entry.what, entry.count, "embedded page") for entry in page.left_out]
        self.pictures += page.pictures

    def _stand_in(self, out: WebFlow, tag: str, node: Any, attributes: dict[str, str | None], entry: _Open) -> None:
        """Write what is shown for an element without text of its own."""
        if tag == "br":
            out.newline()
        elif tag == "hr":
            out.gap("\n\n")
        elif tag == "input":
            self._field(out, attributes, entry)
        elif tag in ("img", "image"):
            self._picture(out, node, attributes, entry)

    def _field(self, out: WebFlow, attributes: dict[str, str | None], entry: _Open) -> None:
        kind = (attributes.get("type") or "text").lower()
        value = attributes.get("value") or ""
        if kind == "hidden":
            self._left_out["hidden form value"] += bool(value.strip())
        elif kind in ("checkbox", "radio"):
            is_on = "checked" in attributes
            mark = ("☑" if is_on else "☐") if kind == "checkbox" else ("◉" if is_on else "○")
            out.write(f" {mark} ", reason=entry.reason)
        elif kind == "image":
            value = attributes.get("alt") or value
            out.write(f" [{value}] " if value.strip() else "", reason=entry.reason)
        elif kind in ("password", "color", "range", "file"):
            self._left_out["value of a form field"] += bool(value.strip())
        elif value.strip():
            out.write(f" {value} ", reason=entry.reason)
        elif (attributes.get("placeholder") or "").strip():
            self._left_out["hint in an empty form field"] += 1

    def _picture(self, out: WebFlow, node: Any, attributes: dict[str, str | None], entry: _Open) -> None:
        alt = (attributes.get("alt") or "").strip()[:2_000]
        address = (attributes.get("src") or "").strip()
        if alt:
            if re.search(r"[^\W_]", alt) and _is_alone(node):
                out.gap("\n")
                out.write(f"[picture: {' '.join(alt.split())}]", reason=entry.reason, is_struck=entry.look.is_struck)
                out.gap("\n")
            else:
                out.write(alt, reason=entry.reason, is_struck=entry.look.is_struck)
        if address[:5].lower() == "data:":
            data = _data_of(address)
            if data and pictures.worth_reading(data) and len(self.pictures) < _PICTURES:
                self.pictures.append((f"picture {len(self.pictures) + 1}.{pictures.ending(data)}", data))
            elif data and len(self.pictures) >= _PICTURES:
                self._left_out["picture beyond the number that is read"] += 1
            elif address[5:14].lower() == "image/svg":
                self._left_out["vector picture (SVG)"] += "<text" in _text_of(address)
        elif address and not self._around.has(address):
            self._left_out["picture that is not in the file"] += 1

    def _fraction(self, out: WebFlow, node: Any, entry: _Open) -> bool:
        """Write a raised and a lowered number with a stroke between them as the fraction that they look like."""
        stroke = node.next
        if stroke is None or stroke.tag != "-text" or (stroke.text_content or "").strip() not in ("/", "⁄", "∕"):
            return False
        below = stroke.next
        if below is None or below.tag != "sub":
            return False
        parts = node.text(strip=True), below.text(strip=True)
        if not all(re.fullmatch(r"\d{1,4}", part) for part in parts):
            return False
        text = raised.fraction(parts[0], parts[1], out.last)
        out.write(text, reason=entry.reason, is_struck=entry.look.is_struck)
        self._skips.update((stroke.mem_id, below.mem_id))
        return True

    def _stack(self, out: WebFlow, node: Any, entry: _Open) -> bool:
        """Write two numbers that a style sets one above the other in a line as the fraction that they look like."""
        if node.first_child is None or node.first_child.next is None:
            return False
        children = list(web_tables.children(node))
        parts = [child.text(strip=True) for child in children] if len(children) in (2, 3) else []
        if len(parts) == 3 and parts.pop(1) not in ("", "/", "⁄", "∕"):
            return False
        if not parts or not all(re.fullmatch(r"\d{1,4}", part) for part in parts):
            return False
        if len(node.text(strip=True)) > sum(map(len, parts)) + 1 or not (
            entry.items == "\n" or all(self._display_of(child) == "block" for child in (children[0], children[-1]))
        ):
            return False
        out.write(raised.fraction(parts[0], parts[1], out.last), reason=entry.reason, is_struck=entry.look.is_struck)
        return True

    def _display_of(self, node: Any) -> str:
        attributes = node.attributes
        inline = attributes.get("style") or ""
        if not self._sheets:
            return str(web_styles.style_of(inline).get("display", ""))
        style, _ = self._sheets.enter(node, attributes, inline)
        self._sheets.leave()
        return str(style.get("display", ""))

    def _formula(self, out: WebFlow, node: Any, entry: _Open) -> None:
        """Write a formula in one line."""
        self._left_out["source of a formula"] += len(node.css("annotation, annotation-xml"))
        self._left_out["hidden part of a formula"] += len(node.css("mphantom"))
        drawings = list(_drawings(node))
        self._skips.update(drawing.mem_id for drawing in drawings)
        self._left_out["drawing of a formula"] += len(drawings)
        # A formula that is there for readers of a screen stands for the drawing beside it.
        reason = "" if drawings and entry.reason == "cut off" else entry.reason
        out.write(office_math.mathml(_as_xml(node), preceding=out.last), reason=reason, is_struck=entry.look.is_struck)

    # --- tables ---

    def _table(self, out: WebFlow, node: Any, look: Look) -> bool:
        """Write a table of data with its headings; False for one that lays out a page."""
        if out.depth or (node.attributes.get("role") or "") in ("presentation", "none"):
            return False
        grid = web_tables.grid(node)
        if grid is None:
            return False
        rows: list[list[text_flow.Piece | None]] = []
        reaching: dict[int, tuple[int, text_flow.Piece | None]] = {}  # by column: rows still to come, and the cell
        headings = 0
        for row in grid:
            cells: list[text_flow.Piece | None] = []
            is_heading = len(rows) == headings
            row_look = self._enter_all(row.parents, look)
            for cell in row.cells:
                web_tables.fill(cells, reaching)
                piece = self.piece(cell, row_look)
                wide, high = web_tables.spans(cell)
                for number in range(wide):
                    if high > 1:
                        reaching[len(cells)] = (high - 1, piece if number == 0 else None)
                    cells.append(piece if number == 0 else None)
                is_heading = is_heading and (cell.tag == "th" or row.is_head)
            web_tables.fill(cells, reaching, to_end=True)
            self._leave_all(len(row.parents))
            headings += is_heading
            rows.append(cells)
        has_headings = 0 < headings < len(rows)
        out.gap("\n\n")
        for caption in web_tables.children(node):
            if caption.tag == "caption":
                out.write_piece(self.piece(caption, look).strip())
                out.gap("\n\n")
        out.write_piece(table_text.piece(rows, headings if has_headings else None))
        out.gap("\n\n")
        return True

    def _enter_all(self, nodes: Any, look: Look) -> Look:
        for node in nodes:
            look = self._look(node, node.tag, node.attributes, look)
        return look

    def _leave_all(self, count: int) -> None:
        for _ in range(count if self._sheets else 0):
            self._sheets.leave()


def _drawings(formula: Any) -> Iterator[Any]:
    """Yield the elements behind a formula that draw it once more, hidden from those who hear the page."""
    node = formula
    for _ in range(2):
        sibling = node.next
        while sibling is not None:
            if not sibling.tag.startswith("-") and sibling.attributes.get("aria-hidden") == "true":
                yield sibling
            sibling = sibling.next
        node = node.parent
        if node is None or node.tag != "span":
            return


def _as_xml(node: Any, depth: int = 0) -> Any:
    """Return a formula as a tree of elements of their own, with text in the innermost alone."""
    element = ElementTree.Element(re.sub(r"[^a-z0-9-]", "", node.tag.rpartition(":")[2]) or "mrow")
    child = node.first_child
    if child is None or (child.next is None and child.tag == "-text") or depth > office_math.DEEPEST:
        element.text = plain_text.clean(node.text())
        return element
    while child is not None:
        if child.tag == "-text" and (child.text_content or "").strip():
            ElementTree.SubElement(element, "mtext").text = plain_text.clean(child.text_content or "")
        elif not child.tag.startswith("-"):
            element.append(_as_xml(child, depth + 1))
        child = child.next
    return element


def _elements_before(node: Any) -> Iterator[Any]:
    for _ in range(_ALONE):
        node = node.prev
        if node is None:
            return
        if not node.tag.startswith("-"):
            yield node


def _has_brackets(node: Any) -> bool:
    """Return whether the page itself puts the reading of a word in brackets."""
    return any(sibling.tag == "rp" for sibling in _elements_before(node))


def _is_alone(node: Any) -> bool:
    """Return whether a picture has no words on its line."""
    for _ in range(_ALONE):
        for side in ("prev", "next"):
            sibling = getattr(node, side)
            for _ in range(_ALONE):
                if sibling is None or sibling.tag in _BLOCKS or sibling.tag in _LINES:
                    break
                if _holds_words(sibling):
                    return False
                sibling = getattr(sibling, side)
        node = node.parent
        if node is None or (node.tag not in INLINE and node.tag != "picture"):
            return True
    return True


def _holds_words(node: Any) -> bool:
    if node.tag == "-text":
        return bool((node.text_content or "").strip())
    return (node.tag in INLINE or node.tag in ("sup", "sub")) and bool((node.text() or "").strip())


def _is_reversed(tag: str, attributes: dict[str, str | None]) -> bool:
    """Return whether an element shows its text from right to left, letter by letter, whatever its script."""
    style = attributes.get("style") or ""
    if tag != "bdo" and not _OVERRIDE.search(style):
        return False
    is_leftward = (attributes.get("dir") or "").strip().lower() == "rtl"
    return is_leftward or (tag != "bdo" and _RIGHT_TO_LEFT.search(style) is not None)


def _marker(number: int, form: str) -> str:
    """Return the marker of an item of a numbered list."""
    if form in ("a", "A") and number > 0:
        text = column_letters(number - 1)
        return f"{text if form == 'A' else text.lower()}. "
    if form in ("i", "I"):
        text = docx_numbering.roman(number)
        return f"{text.upper() if form == 'I' else text}. "
    return f"{number:02}. " if form == "0" else f"{number}. "


def _siblings(node: Any, side: str) -> Iterator[Any]:
    while (node := getattr(node, side)) is not None:
        yield node


def _is_remark(node: Any) -> bool:
    """Return whether a node is a comment with words that a person wrote."""
    comment = (node.comment_content or "") if node.tag == "-comment" else ""
    is_plumbing = comment.startswith("?xml") or "saved from url" in comment
    return bool(re.search(r"[^\W_]", comment)) and not is_plumbing


def _kind(node: Any, attributes: dict[str, str | None]) -> str:
    if node.tag == "script" and "json" in (attributes.get("type") or ""):
        return "block of data in a script"
    return _SILENT[node.tag]


def _text_of(address: str) -> str:
    """Return the text that a data address holds."""
    head, _, body = address.partition(",")
    data = _data_of(address) if head.lower().endswith(";base64") else unquote_to_bytes(body)
    charset = re.search(r";charset=([\w.:-]{2,40})", head, re.IGNORECASE)
    return plain_text.decode(data, encoding=charset[1] if charset else "")


def _data_of(address: str) -> bytes:
    """Return the bytes that a data address holds, b"" where there are none or too many."""
    head, comma, body = address.partition(",")
    if not comma or len(body) > _PICTURE * 4 // 3:
        return b""
    if not head.lower().endswith(";base64"):
        return b""
    try:
        return base64.b64decode(unquote_to_bytes(body))
    except (binascii.Error, ValueError):
        return b""
