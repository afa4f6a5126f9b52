"""OpenDocument text and slides (ODT, ODP): text, tables, notes, comments. Objects and macros are never opened."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any

from core.domain import PageText
from core.engines.readers import encrypted_office, text_flow
from core.engines.readers import plain_text as plain
from core.engines.readers.ooxml_package import (
    ARCHIVE_ERRORS,
    check_package,
    child,
    damaged_file,
    local,
    value,
    xml_part,
)
from core.errors import UnreadableDocument
from core.ports import Outline

_SKIPPED_TAGS = {
    "tracked-changes", "forms", "sequence-decls", "variable-decls", "user-field-decls", "dde-connection-decls",
    "table-source", "shapes", "event-listeners", "title", "desc", "settings", "alphabetical-index-auto-mark-file",
}  # fmt: skip
_SPACES = 1_000  # that one element may stand for
_SHAPES = {"custom-shape", "rect", "ellipse", "circle", "polygon", "path", "regular-polygon"}
_WHITE = "white"  # white letters without a ground of their own
_CELLS = 200  # that one cell of a table may be repeated


def meta_properties(package: zipfile.ZipFile, name: str) -> dict[str, str]:
    """Return title, author and date, as the file states them."""
    root = xml_part(package, "meta.xml", name)
    fields = {
        local(item): " ".join((item.text or "").split())[:1_000] for item in (root.iter() if root is not None else ())
    }
    return {
        "title": plain.clean(fields.get("title", "")),
        "author": plain.clean(fields.get("initial-creator") or fields.get("creator") or ""),
        "date": plain.clean(fields.get("creation-date") or fields.get("date") or "")[:40],
    }


def read(
    data: bytes, name: str, kind: str, password: str = "", *, note_marks: bool = False
) -> Iterator[Outline | PageText]:
    """Read a text or slides: the outline, then the pages. ``kind`` is odt or odp.

    Raises PasswordNeeded for a file that opens with a password only.
    """
    from lxml import etree

    package = check_package(data, name)
    if encrypted_office.is_encrypted(package):
        package = check_package(encrypted_office.decrypt_package(package, name, password), name)
    try:
        content = xml_part(package, "content.xml", name)
        if content is None:
            raise damaged_file(name)
        styles = xml_part(package, "styles.xml", name)
        text = _Text(_Unseen(content, styles), note_marks=note_marks)
        text.body(content, styles)
        pages = text_flow.number_pages(text.out.pages())
        properties = meta_properties(package, name)
    except (*ARCHIVE_ERRORS, etree.LxmlError, RecursionError, KeyError, ValueError) as error:
        raise damaged_file(name) from error
    if not any(page.text.strip() for page in pages):
        raise UnreadableDocument(
            reason=f"{name} contains no text.", remedy="If it shows pictures of text, save it as PDF and add that."
        )
    yield Outline(kind, len(pages), properties["title"], properties["author"], file_date=properties["date"])
    yield from pages


class _Unseen:
    """The styles that make text nobody sees: not displayed, white without a ground, at most one point high."""

    def __init__(self, content: Any, styles: Any) -> None:
        self._own: dict[str, str | None] = {}
        self._ground: dict[str, bool | None] = {}
        self._parent: dict[str, str] = {}
        self.pages: dict[str, Any] = {}  # what stands behind slides, by name
        self.has_colour = False  # whether the paper itself is
        for root in (styles, content):
            for style in root.iter("{*}style") if root is not None else ():
                name = value(style, "name")
                self._own[name] = self._says(style)
                self._ground[name] = _paints(style)
                self._parent[name] = value(style, "parent-style-name")
            for page in root.iter("{*}master-page") if root is not None else ():
                self.pages[value(page, "name")] = page
            for layout in root.iter("{*}page-layout") if root is not None else ():
                self.has_colour = self.has_colour or bool(_paints(layout))

    @staticmethod
    def _says(style: Any) -> str | None:
        reason = None
        for properties in style:
            match local(properties):
                case "text-properties":
                    if value(properties, "display") in ("none", "true"):
                        reason = "unseen" if value(properties, "display") == "none" else ""
                    size = re.fullmatch(r"([\d.]+)pt", value(properties, "font-size"))
                    if size and size.group(1).count(".") < 2 and float(size.group(1)) <= 1:
                        return "tiny"
                    ink, ground = (value(properties, name).lower() for name in ("color", "background-color"))
                    if ink == "#ffffff" and ground in ("", "transparent", "#ffffff"):
                        return _WHITE
                    if ink and ink == ground:
                        return "blacked out" if ink == "#000000" else "colour"
                case "drawing-page-properties" if value(properties, "visibility") == "hidden":
                    return "unseen"
                case "section-properties" if value(properties, "display") == "none":
                    return "unseen"
        return reason

    def paints(self, element: Any) -> bool:
        """Tell whether an element puts something behind its text that is not white."""
        name = value(element, "style-name")
        for _ in range(20):
            own = self._ground.get(name)
            if own is not None or not name:
                break
            name = self._parent.get(name, "")
        # A shape that does not say so is filled as the office program pleases.
        return bool(own) or (own is None and local(element) in _SHAPES)

    def __call__(self, name: str) -> str:
        """Return the reason, '' for a style whose text is seen; _WHITE where it is not seen on white paper."""
        for _ in range(20):  # a style that descends from itself ends too
            own = self._own.get(name)
            if own is not None or not name:
                return own or ""
            name = self._parent.get(name, "")
        return ""


def _paints(style: Any) -> bool | None:
    """Tell whether a style puts something behind its text that is not white; None where it says nothing of it."""
    paints: bool | None = None
    for properties in style:
        if not local(properties).endswith("-properties") or local(properties) == "text-properties":
            continue
        fill, ground = value(properties, "fill"), value(properties, "background-color").lower()
        if fill in ("gradient", "bitmap", "hatch") or child(properties, "background-image") is not None:
            return True
        if fill == "solid":
            ground = value(properties, "fill-color").lower() or "unknown"
        elif fill == "none":
            paints = False
        if ground:
            paints = ground not in ("transparent", "#ffffff")
    return paints


_UNIT = {"cm": 28.3465, "mm": 2.83465, "in": 72.0, "pt": 1.0, "pc": 12.0}
_Area = tuple[float, float, float, float]


def _area(shape: Any) -> _Area:
    """Return where a shape of a slide is, in points; everywhere where that is not said simply."""
    lengths = [re.fullmatch(r"(-?[\d.]+)(cm|mm|in|pt|pc)", value(shape, key)) for key in ("x", "y", "width", "height")]
    if value(shape, "transform") or local(shape) == "g" or not all(lengths):
        return -1e9, -1e9, 1e9, 1e9
    x, y, width, height = (float(one[1]) * _UNIT[one[2]] for one in lengths if one)
    return x, y, x + width, y + height


class _Text:
    """A walk through the body. A page ends where the office program broke it, or with its slide."""

    def __init__(self, unseen: _Unseen, *, note_marks: bool = False) -> None:
        self.out = text_flow.Flow()
        self._note_marks, self._notes = note_marks, 0
        self._unseen = unseen
        self._shades = int(unseen.has_colour)  # how many things are behind the text that are not white
        self._deletions: dict[str, str] = {}  # what was deleted, by the id of the change

    def body(self, content: Any, styles: Any) -> None:
        body = child(content, "body")
        inner = next((each for each in (body if body is not None else ()) if isinstance(each.tag, str)), None)
        if inner is None:
            return
        margins = list(self._margins(styles))
        if local(inner) in ("presentation", "drawing"):
            for page in inner:
                if local(page) == "page":
                    self._slide(page)
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

    def _slide(self, page: Any) -> None:
        reason = self._why(value(page, "style-name"))
        master = self._unseen.pages.get(value(page, "master-page-name"))
        has_ground = any(self._unseen.paints(each) for each in (page, master) if each is not None)
        shapes = [*(master if master is not None else ()), *page]
        areas = [(shape, _area(shape)) for shape in shapes if self._shows(shape)]
        for item in page:
            x0, y0, x1, y1 = _area(item)
            on = any(other is not item and a[0] < x1 and a[2] > x0 and a[1] < y1 and a[3] > y0 for other, a in areas)
            self._shades += has_ground or on
            self._blocks((item,), reason)
            self._shades -= has_ground or on

    def _shows(self, shape: Any) -> bool:
        """Tell whether a shape of a slide is more than letters."""
        if not isinstance(shape.tag, str) or local(shape) in ("notes", *_SKIPPED_TAGS):
            return False
        plain = local(shape) == "frame" and all(
            local(each) == "text-box" for each in shape if isinstance(each.tag, str)
        )
        return not plain or self._unseen.paints(shape)

    def _why(self, style: str) -> str:
        """Return why text of a style is not seen where it stands."""
        why = self._unseen(style)
        return ("" if self._shades else "colour") if why == _WHITE else why

    def _margins(self, styles: Any) -> Iterator[tuple[str, str]]:
        """Yield the different texts of headers and footers."""
        texts = set()
        for page in styles.iter("{*}master-page") if styles is not None else ():
            for margin in page:
                kind = local(margin).split("-")[0]
                if kind in ("header", "footer"):
                    text = self._apart(margin)
                    if re.search(r"[^\W\d_]", text) and text not in texts:  # a page number alone says nothing
                        texts.add(text)
                        yield kind, text

    def _apart(self, element: Any) -> str:
        """Return the text of a note, on one line."""
        apart = _Text(self._unseen)
        apart._blocks(element, "")
        return " ".join(apart.out.text().split())

    def _blocks(self, element: Iterable[Any], reason: str) -> None:
        for item in element:
            tag = local(item)
            if tag == "h":
                level = value(item, "outline-level")
                self.out.gap("\n\n")
                self.out.heading(int(level) if level.isdigit() and len(level) < 3 else 1)
                self._paragraph(item, reason)
                self.out.end_heading()
            elif tag == "p":
                self._paragraph(item, reason)
            elif tag == "table":
                self._table(item, reason)
            elif tag == "soft-page-break":
                self._page_break()
            elif tag == "annotation":
                self._comment(item)
            elif tag == "tracked-changes":
                self._changes(item)
            elif tag == "change":
                self._deletion(item)
            elif tag == "notes":  # of a slide
                text = self._apart(item)
                self.out.aside(f"Notes: {text}" if text else "", reason=reason)
            elif tag and tag not in _SKIPPED_TAGS:
                away = reason or ("unseen" if value(item, "display") == "none" else "")
                if tag == "section":
                    away = away or self._why(value(item, "style-name"))
                if tag == "frame" and value(item, "class") == "title":  # of a slide
                    self.out.gap("\n\n")
                    self.out.heading(1)
                has_ground = self._unseen.paints(item)
                self._shades += has_ground
                self._blocks(item, away)
                self._shades -= has_ground
                if tag == "frame":
                    self.out.end_heading()

    def _paragraph(self, paragraph: Any, reason: str) -> None:
        self.out.gap("\n\n")
        boxes: list[tuple[Any, str]] = []
        has_ground = self._unseen.paints(paragraph)
        self._shades += has_ground
        self._inline(paragraph, reason or self._why(value(paragraph, "style-name")), boxes)
        self.out.gap("\n\n")
        for box, away in boxes:
            box_has_ground = self._unseen.paints(box)
            self._shades += box_has_ground
            self._blocks(box, away)
            self._shades -= box_has_ground
            self.out.gap("\n\n")
        self._shades -= has_ground

    def _table(self, table: Any, reason: str) -> None:
        outermost = self.out.cell == 0
        before = self._shades
        self.out.gap("\n\n")
        for row in _rows(table):
            # The look of a table may come from a template that is not in the file.
            has_ground = bool(value(table, "template-name")) or any(self._unseen.paints(each) for each in (table, row))
            away = reason or ("unseen" if value(row, "visibility") in ("collapse", "filter") else "")
            self.out.gap("\n")
            cells = [cell for cell in row if local(cell) in ("table-cell", "covered-table-cell")]
            for number, cell in enumerate(cells):
                times = value(cell, "number-columns-repeated")
                for again in range(min(int(times), _CELLS) if times.isdigit() and len(times) < 5 else 1):
                    if outermost and (number or again):
                        self.out.next_cell()
                    self.out.cell += 1
                    self._shades += has_ground or self._unseen.paints(cell)
                    self._blocks(cell, away)
                    self._shades = before
                    self.out.cell -= 1
            if outermost:
                self.out.end_row()
        self.out.gap("\n\n")

    def _inline(self, element: Any, reason: str, boxes: list[tuple[Any, str]]) -> None:
        self._write(element.text, reason)
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
                    if text and self._note_marks:
                        self._notes += 1
                        kind = f"[^{self._notes}]"
                        self.out.write(kind, reason=reason)
                    self.out.aside(f"{kind}: {text}" if text else "", reason=reason)
                case "annotation":
                    self._comment(item)
                case "change":
                    self._deletion(item)
                case "hidden-text" | "hidden-paragraph":
                    self.out.write(item.text or "", reason="unseen")
                case "frame" | "custom-shape" | "rect" | "text-box" | "g" | "line" | "ellipse" | "polygon" | "path":
                    boxes.append((item, reason))
                case tag if tag and tag not in _SKIPPED_TAGS:
                    self._inline(item, reason or self._why(value(item, "style-name")), boxes)
            self._write(item.tail, reason)

    def _write(self, text: str | None, reason: str) -> None:
        if text:
            text = re.sub(r"[ \t\r\n]+", " ", text)
            self.out.write(text, reason=reason if text.strip() else "")

    def _comment(self, item: Any) -> None:
        who = next((" ".join((each.text or "").split()) for each in item if local(each) == "creator"), "")
        apart = _Text(self._unseen)
        for each in item:
            if local(each) in ("p", "h", "list"):
                apart._blocks([each], "")
        text = " ".join(apart.out.text().split())
        self.out.aside((f"Comment by {who}: {text}" if who else f"Comment: {text}") if text else "")

    def _changes(self, item: Any) -> None:
        """Keep what tracked changes took out for the place that it was taken from.

        It is no text of the document, but it is still in the file.
        """
        for region in item:
            deletion = child(region, "deletion")
            if deletion is None:
                continue
            info = next((each for each in deletion if local(each) == "change-info"), None)
            who = (
                next((" ".join((each.text or "").split()) for each in info if local(each) == "creator"), "")
                if info is not None
                else ""
            )
            apart = _Text(self._unseen)
            apart._blocks([each for each in deletion if local(each) != "change-info"], "")
            text = " ".join(apart.out.text().split())
            self._deletions[value(region, "id")] = (
                f"Deleted by {who}: {text}" if text and who else text and f"Deleted: {text}"
            )

    def _deletion(self, item: Any) -> None:
        self.out.aside(self._deletions.pop(value(item, "change-id"), ""), reason="unseen")

    def _page_break(self) -> None:
        if not self.out.cell and self.out.has_text:
            self.out.end_page()


def _rows(table: Any) -> Iterator[Any]:
    for item in table:
        tag = local(item)
        if tag == "table-row":
            yield item
        elif tag in ("table-rows", "table-header-rows", "table-row-group"):
            yield from _rows(item)
