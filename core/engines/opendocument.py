"""OpenDocument text and slides (ODT, ODP): text, tables, notes, comments. Objects and macros are never opened."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from typing import Any

from core.domain import PageText
from core.engines import flow, locked, plain
from core.engines.package import BROKEN, check_package, child, damaged, local, value, xml_part
from core.errors import UnreadableDocument
from core.ports import Outline

_SKIPPED = {
    "tracked-changes", "forms", "sequence-decls", "variable-decls", "user-field-decls", "dde-connection-decls",
    "table-source", "shapes", "event-listeners", "title", "desc", "settings", "alphabetical-index-auto-mark-file",
}  # fmt: skip
_SPACES = 1_000  # that one element may stand for
_CELLS = 200  # that one cell of a table may be repeated


def told(package: zipfile.ZipFile, name: str) -> dict[str, str]:
    """Title, author and date, as the file states them."""
    root = xml_part(package, "meta.xml", name)
    found = {
        local(item): " ".join((item.text or "").split())[:1_000] for item in (root.iter() if root is not None else ())
    }
    return {
        "title": plain.clean(found.get("title", "")),
        "author": plain.clean(found.get("initial-creator") or found.get("creator") or ""),
        "date": plain.clean(found.get("creation-date") or found.get("date") or "")[:40],
    }


def read(data: bytes, name: str, kind: str, password: str = "") -> Iterator[Outline | PageText]:
    """``kind`` is odt or odp. Raises PasswordNeeded for a file that opens with one only."""
    from lxml import etree

    package = check_package(data, name)
    if locked.is_encrypted(package):
        package = check_package(locked.opened_package(package, name, password), name)
    try:
        content = xml_part(package, "content.xml", name)
        if content is None:
            raise damaged(name)
        styles = xml_part(package, "styles.xml", name)
        text = _Text(_Unseen(content, styles))
        text.body(content, styles)
        pages = flow.numbered(text.out.pages())
        stated = told(package, name)
    except (*BROKEN, etree.LxmlError, RecursionError, KeyError, ValueError) as error:
        raise damaged(name) from error
    if not any(page.text.strip() for page in pages):
        raise UnreadableDocument(
            reason=f"{name} holds no text.", remedy="If it shows pictures of text, save it as PDF and add that."
        )
    yield Outline(kind, len(pages), **stated)
    yield from pages


class _Unseen:
    """Which styles make text that nobody sees: not displayed, white without a ground, at most one point high."""

    def __init__(self, content: Any, styles: Any) -> None:
        self._own: dict[str, str | None] = {}
        self._parent: dict[str, str] = {}
        for root in (styles, content):
            for style in root.iter("{*}style") if root is not None else ():
                name = value(style, "name")
                self._own[name] = self._says(style)
                self._parent[name] = value(style, "parent-style-name")

    @staticmethod
    def _says(style: Any) -> str | None:
        found = None
        for properties in style:
            match local(properties):
                case "text-properties":
                    if value(properties, "display") in ("none", "true"):
                        found = "unseen" if value(properties, "display") == "none" else ""
                    size = re.fullmatch(r"([\d.]+)pt", value(properties, "font-size"))
                    if size and size.group(1).count(".") < 2 and float(size.group(1)) <= 1:
                        return "tiny"
                    ink, ground = (value(properties, name).lower() for name in ("color", "background-color"))
                    if ink == "#ffffff" and ground in ("", "transparent", "#ffffff"):
                        return "colour"
                    if ink and ink == ground:
                        return "blacked out" if ink == "#000000" else "colour"
                case "drawing-page-properties" if value(properties, "visibility") == "hidden":
                    return "unseen"
                case "section-properties" if value(properties, "display") == "none":
                    return "unseen"
        return found

    def __call__(self, name: str) -> str:
        """The reason, '' for a style whose text is seen."""
        for _ in range(20):  # a style that descends from itself ends too
            own = self._own.get(name)
            if own is not None or not name:
                return own or ""
            name = self._parent.get(name, "")
        return ""


class _Text:
    """Walks through the body. A page ends where the office program broke it, or with its slide."""

    def __init__(self, unseen: _Unseen) -> None:
        self.out = flow.Flow()
        self._unseen = unseen
        self._gone: dict[str, str] = {}  # what was deleted, by the id of the change

    def body(self, content: Any, styles: Any) -> None:
        body = child(content, "body")
        inner = next((each for each in (body if body is not None else ()) if isinstance(each.tag, str)), None)
        if inner is None:
            return
        margins = list(self._margins(styles))
        if local(inner) in ("presentation", "drawing"):
            for page in inner:
                if local(page) == "page":
                    hidden = self._unseen(value(page, "style-name"))
                    self._blocks(page, hidden)
                    self.out.end_page()
            return
        for text in margins:
            if text[0] == "header":
                self.out.write(text[1])
                self.out.gap("\n\n")
        self._blocks(inner, "")
        for text in margins:
            if text[0] == "footer":
                self.out.aside(text[1])
        self.out.end_page()

    def _margins(self, styles: Any) -> Iterator[tuple[str, str]]:
        """The different texts of headers and footers."""
        seen = set()
        for page in styles.iter("{*}master-page") if styles is not None else ():
            for margin in page:
                kind = local(margin).split("-")[0]
                if kind in ("header", "footer"):
                    text = self._apart(margin)
                    if re.search(r"[^\W\d_]", text) and text not in seen:  # a page number alone says nothing
                        seen.add(text)
                        yield kind, text

    def _apart(self, element: Any) -> str:
        """The text of a note, on one line."""
        apart = _Text(self._unseen)
        apart._blocks(element, "")
        return " ".join(apart.out.text().split())

    def _blocks(self, element: Any, hidden: str) -> None:
        for item in element:
            tag = local(item)
            if tag == "h":
                level = value(item, "outline-level")
                self.out.gap("\n\n")
                self.out.heading(int(level) if level.isdigit() and len(level) < 3 else 1)
                self._paragraph(item, hidden)
                self.out.end_heading()
            elif tag == "p":
                self._paragraph(item, hidden)
            elif tag == "table":
                self._table(item, hidden)
            elif tag == "soft-page-break":
                self._page_break()
            elif tag == "annotation":
                self._comment(item)
            elif tag == "tracked-changes":
                self._changes(item)
            elif tag == "change":
                self._deleted(item)
            elif tag == "notes":  # of a slide
                text = self._apart(item)
                self.out.aside(f"Notes: {text}" if text else "", hidden=hidden)
            elif tag and tag not in _SKIPPED:
                away = hidden or ("unseen" if value(item, "display") == "none" else "")
                if tag == "section":
                    away = away or self._unseen(value(item, "style-name"))
                if tag == "frame" and value(item, "class") == "title":  # of a slide
                    self.out.gap("\n\n")
                    self.out.heading(1)
                self._blocks(item, away)
                if tag == "frame":
                    self.out.end_heading()

    def _paragraph(self, paragraph: Any, hidden: str) -> None:
        self.out.gap("\n\n")
        boxes: list[tuple[Any, str]] = []
        self._inline(paragraph, hidden or self._unseen(value(paragraph, "style-name")), boxes)
        self.out.gap("\n\n")
        for box, away in boxes:
            self._blocks(box, away)
            self.out.gap("\n\n")

    def _table(self, table: Any, hidden: str) -> None:
        outermost = self.out.cell == 0
        self.out.gap("\n\n")
        for row in _rows(table):
            away = hidden or ("unseen" if value(row, "visibility") in ("collapse", "filter") else "")
            self.out.gap("\n")
            cells = [cell for cell in row if local(cell) in ("table-cell", "covered-table-cell")]
            for number, cell in enumerate(cells):
                times = value(cell, "number-columns-repeated")
                for again in range(min(int(times), _CELLS) if times.isdigit() and len(times) < 5 else 1):
                    if outermost and (number or again):
                        self.out.next_cell()
                    self.out.cell += 1
                    self._blocks(cell, away)
                    self.out.cell -= 1
            if outermost:
                self.out.end_row()
        self.out.gap("\n\n")

    def _inline(self, element: Any, hidden: str, boxes: list[tuple[Any, str]]) -> None:
        self._write(element.text, hidden)
        for item in element:
            match local(item):
                case "s":
                    count = value(item, "c")
                    self.out.write(" " * (min(int(count), _SPACES) if count.isdigit() and len(count) < 6 else 1))
                case "tab":
                    self.out.write("\t")
                case "line-break":
                    self.out.write("\n")
                case "soft-page-break":
                    self._page_break()
                case "note":
                    kind = "Endnote" if value(item, "note-class") == "endnote" else "Footnote"
                    body = child(item, "note-body")
                    text = self._apart(body) if body is not None else ""
                    self.out.aside(f"{kind}: {text}" if text else "", hidden=hidden)
                case "annotation":
                    self._comment(item)
                case "change":
                    self._deleted(item)
                case "hidden-text" | "hidden-paragraph":
                    self.out.write(item.text or "", hidden="unseen")
                case "frame" | "custom-shape" | "rect" | "text-box" | "g" | "line" | "ellipse" | "polygon" | "path":
                    boxes.append((item, hidden))
                case tag if tag and tag not in _SKIPPED:
                    self._inline(item, hidden or self._unseen(value(item, "style-name")), boxes)
            self._write(item.tail, hidden)

    def _write(self, text: str | None, hidden: str) -> None:
        if text:
            text = re.sub(r"[ \t\r\n]+", " ", text)
            self.out.write(text, hidden=hidden if text.strip() else "")

    def _comment(self, item: Any) -> None:
        who = next((" ".join((each.text or "").split()) for each in item if local(each) == "creator"), "")
        apart = _Text(self._unseen)
        for each in item:
            if local(each) in ("p", "h", "list"):
                apart._blocks([each], "")
        text = " ".join(apart.out.text().split())
        self.out.aside((f"Comment by {who}: {text}" if who else f"Comment: {text}") if text else "")

    def _changes(self, item: Any) -> None:
        """What tracked changes took out is no text of the document, but it is still in the file: it is kept for the
        place that it was taken from."""
        for region in item:
            deletion = child(region, "deletion")
            if deletion is None:
                continue
            told = next((each for each in deletion if local(each) == "change-info"), None)
            who = (
                next((" ".join((each.text or "").split()) for each in told if local(each) == "creator"), "")
                if told is not None
                else ""
            )
            apart = _Text(self._unseen)
            apart._blocks([each for each in deletion if local(each) != "change-info"], "")
            text = " ".join(apart.out.text().split())
            self._gone[value(region, "id")] = (
                f"Deleted by {who}: {text}" if text and who else text and f"Deleted: {text}"
            )

    def _deleted(self, item: Any) -> None:
        self.out.aside(self._gone.pop(value(item, "change-id"), ""), hidden="unseen")

    def _page_break(self) -> None:
        if not self.out.cell and self.out.started:
            self.out.end_page()


def _rows(table: Any) -> Iterator[Any]:
    for item in table:
        tag = local(item)
        if tag == "table-row":
            yield item
        elif tag in ("table-rows", "table-header-rows", "table-row-group"):
            yield from _rows(item)
