"""PowerPoint files (.pptx): one page a slide with its title, text, tables, notes and comments. Macros never run."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import Any

from lxml import etree

from core.domain import PageText
from core.engines.readers import plain_text, pptx_background, text_flow
from core.engines.readers.ooxml_package import (
    ARCHIVE_ERRORS,
    check_package,
    child,
    core_properties,
    damaged_file,
    local,
    related_parts,
    value,
    xml_part,
)
from core.errors import UnreadableDocument
from core.ports import Outline

_SLIDES = 5_000
_AGAIN = "Open it in a presentation program, save it again, or save it as PDF, and add that."


def read(data: bytes, name: str) -> Iterator[Outline | PageText]:
    """Read slides: the outline, then a page a slide. Raises UnreadableDocument."""
    package = check_package(data, name)
    try:
        main = next((part for kind, part in related_parts(package, name, "").values() if kind == "officeDocument"), "")
        main = main or "ppt/presentation.xml"
        root = xml_part(package, main, name)
        if root is None:
            raise damaged_file(name, _AGAIN)
        targets = related_parts(package, name, main)
        slide_list = child(root, "sldIdLst")
        parts = [
            targets.get(_reference(slide), ("", ""))[1] for slide in (slide_list if slide_list is not None else ())
        ]
        if len(parts) > _SLIDES:
            raise UnreadableDocument(
                reason=f"{name} has {len(parts):,} slides; {_SLIDES:,} is the limit.",
                remedy="Split it into several files and add those.",
            )
        size = child(root, "sldSz")
        width, height = (_whole(size, side) if size is not None else 0 for side in ("cx", "cy"))
        authors = _authors(package, name, targets)
        out = text_flow.Flow()
        masters = pptx_background.Masters(package, name)
        for part in parts:
            slide = xml_part(package, part, name)
            if slide is None:
                raise damaged_file(name, _AGAIN)
            ground = pptx_background.of(slide, part, masters)
            _Slide(out, width, height, ground).write(slide, package, name, part, authors)
        pages = text_flow.number_pages(out.pages())
        properties = core_properties(package, name)
    except (*ARCHIVE_ERRORS, etree.LxmlError, RecursionError, KeyError, ValueError) as error:
        raise damaged_file(name, _AGAIN) from error
    if not any(page.text.strip() for page in pages):
        raise UnreadableDocument(
            reason=f"{name} contains no text.", remedy="If it shows pictures of text, save it as PDF and add that."
        )
    yield Outline("pptx", len(pages), properties["title"], properties["author"], file_date=properties["date"])
    yield from pages


def _reference(element: Any) -> str:
    """Return the id of a relation: the attribute 'id' of the namespace for relations, not the number beside it."""
    return next((str(text) for key, text in element.attrib.items() if key.endswith("relationships}id")), "")


def _whole(element: Any, name: str) -> int:
    text = value(element, name)
    return int(text) if text.lstrip("-").isdigit() and len(text) < 15 else 0


def _authors(package: zipfile.ZipFile, name: str, targets: dict[str, tuple[str, str]]) -> dict[str, str]:
    names: dict[str, str] = {}
    for kind, part in targets.values():
        if kind in ("commentAuthors", "authors"):
            root = xml_part(package, part, name)
            for author in root if root is not None else ():
                names[value(author, "id")] = " ".join(plain_text.clean(value(author, "name")).split())
    return names


class _Slide:
    """A writer of one slide: its title first, then the shapes in the order of the file, then notes and comments."""

    def __init__(self, out: text_flow.Flow, width: int, height: int, ground: pptx_background.Ground) -> None:
        self.out = out
        self._width, self._height = width, height
        self._ground = ground

    def write(self, slide: Any, package: zipfile.ZipFile, name: str, part: str, authors: dict[str, str]) -> None:
        reason = "unseen" if value(slide, "show") in ("0", "false") else ""
        common = child(slide, "cSld")
        tree = child(common, "spTree") if common is not None else None
        if tree is not None:
            shapes = list(_shapes(tree))
            shapes.sort(key=lambda shape: not _is_title(shape))
            for shape in shapes:
                if _is_title(shape):
                    self.out.heading(1)
                self._shape(shape, reason or self._away(shape))
                self.out.end_heading()
        for kind, target in related_parts(package, name, part).values():
            if kind not in ("notesSlide", "comments", "diagramData"):
                continue
            root = xml_part(package, target, name)
            if root is None:
                continue
            if kind == "notesSlide":
                text = _apart(shape for shape in root.iter("{*}sp") if _placeholder(shape) in ("body", "none"))
                self.out.aside(f"Notes: {text}" if text else "", reason=reason)
            elif kind == "diagramData":
                for paragraph in root.iter("{*}t"):
                    if local(paragraph.getparent()) == "pt":
                        self._text(paragraph, reason)
            else:
                for comment in root:
                    who = authors.get(value(comment, "authorId"), "")
                    words = (t.text or "" for t in comment.iter() if local(t) in ("text", "t"))
                    text = " ".join(plain_text.clean(" ".join(words)).split())
                    remark = f"Comment by {who}: {text}" if who else f"Comment: {text}"
                    self.out.aside(remark if text else "", reason=reason)
        self.out.end_page()

    def _away(self, shape: Any) -> str:
        """Return why a shape is not seen: hidden, or wholly beside the slide."""
        for element in shape.iter("{*}cNvPr"):
            if value(element, "hidden") in ("1", "true"):
                return "unseen"
            break
        if not (self._width and self._height) or local(shape.getparent()) == "grpSp":
            return ""  # a group has a measure of its own
        place = next((xfrm for xfrm in shape.iter("{*}xfrm")), None)
        if place is None:
            return ""
        start, extent = child(place, "off"), child(place, "ext")
        if start is None or extent is None:
            return ""
        x, y = _whole(start, "x"), _whole(start, "y")
        right, bottom = x + _whole(extent, "cx"), y + _whole(extent, "cy")
        return "outside" if right <= 0 or bottom <= 0 or x >= self._width or y >= self._height else ""

    def _shape(self, shape: Any, reason: str) -> None:
        if local(shape) == "graphicFrame":
            for table in shape.iter("{*}tbl"):
                self._table(table, reason)
            return
        body = child(shape, "txBody")
        if body is not None:
            self._text(body, reason, self._ground.behind(shape))

    def _text(self, body: Any, reason: str, behind: str = "") -> None:
        for paragraph in body.iter("{*}p"):
            self.out.gap("\n" if local(paragraph.getparent()) == "txBody" else "\n\n")
            for item in paragraph:
                match local(item):
                    case "r" | "fld":
                        unseen = reason or self._unseen_run(item, behind)
                        for text in item:
                            if local(text) == "t":
                                self.out.write(text.text or "", reason=unseen)
                    case "br":
                        self.out.write("\n")
                    case "m" | "AlternateContent":
                        for text in item.iter("{*}t"):
                            self.out.write(text.text or "", reason=reason)
        self.out.gap("\n\n")

    def _unseen_run(self, run: Any, behind: str) -> str:
        """Return why a run is not seen: at most one point high, transparent, or in the colour of what is behind it."""
        properties = child(run, "rPr")
        if properties is None:
            return ""
        size = value(properties, "sz")  # hundredths of a point
        if size.isdigit() and int(size) <= 100:
            return "tiny"
        fill = child(properties, "solidFill")
        if fill is not None and any(value(alpha, "val") in ("0", "0%") for alpha in fill.iter("{*}alpha")):
            return "transparent"
        return "colour" if pptx_background.alike(self._ground.plain_colour(properties), behind) else ""

    def _table(self, table: Any, reason: str) -> None:
        self.out.gap("\n\n")
        for row in table:
            if local(row) != "tr":
                continue
            self.out.gap("\n")
            for number, cell in enumerate(each for each in row if local(each) == "tc"):
                if number:
                    self.out.next_cell()
                self.out.cell += 1
                body = child(cell, "txBody")
                if body is not None:
                    properties = child(cell, "tcPr")
                    self._text(body, reason, self._ground.plain_colour(properties) if properties is not None else "")
                self.out.cell -= 1
            self.out.end_row()
        self.out.gap("\n\n")


def _shapes(tree: Any) -> Iterator[Any]:
    for item in tree:
        tag = local(item)
        if tag in ("sp", "graphicFrame"):
            yield item
        elif tag in ("grpSp", "Choice"):
            yield from _shapes(item)
        elif tag == "AlternateContent":
            choice = next((each for each in item if next(_shapes(each), None) is not None), None)
            if choice is not None:
                yield from _shapes(choice)


def _placeholder(shape: Any) -> str:
    """Return the kind of a placeholder; 'none' for a shape that is none, 'body' where none is stated."""
    for element in shape.iter("{*}ph"):
        return value(element, "type") or "body"
    return "none"


def _is_title(shape: Any) -> bool:
    return local(shape) == "sp" and _placeholder(shape) in ("title", "ctrTitle")


def _apart(shapes: Iterator[Any]) -> str:
    out = text_flow.Flow()
    writer = _Slide(out, 0, 0, pptx_background.Ground())
    for shape in shapes:
        writer._shape(shape, "")
    return out.text().strip()
