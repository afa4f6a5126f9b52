"""PowerPoint files (.pptx): one page a slide with its title, text, tables, notes and comments. Macros never run."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from core.domain import LeftOut, PageText
from core.engines.readers import (
    drawing_chart,
    drawing_text,
    package_parts,
    plain_text,
    pptx_background,
    table_text,
    text_flow,
    xml_residue,
)
from core.engines.readers.ooxml_package import (
    ARCHIVE_ERRORS,
    check_package,
    child,
    core_properties,
    damaged_file,
    local,
    raw_part,
    related_parts,
    relation_id,
    value,
    xml_of,
    xml_part,
)
from core.errors import UnreadableDocument
from core.ports import Attachment, Outline

_SLIDES = 5_000
_AGAIN = "Open it in a presentation program, save it again, or save it as PDF, and add that."


def read(data: bytes, name: str) -> Iterator[Outline | PageText | Attachment | LeftOut]:
    """Read slides: the outline, a page a slide, then what else the file holds. Raises UnreadableDocument."""
    package = check_package(data, name)
    ledger = package_parts.Ledger()
    try:
        main = next((part for kind, part in related_parts(package, name, "").values() if kind == "officeDocument"), "")
        main = main or "ppt/presentation.xml"
        root = xml_part(package, main, name)
        if root is None:
            raise damaged_file(name, _AGAIN)
        targets = related_parts(package, name, main)
        slide_list = child(root, "sldIdLst")
        parts = [
            targets.get(relation_id(slide), ("", ""))[1] for slide in (slide_list if slide_list is not None else ())
        ]
        if len(parts) > _SLIDES:
            raise UnreadableDocument(
                reason=f"{name} has {len(parts):,} slides; {_SLIDES:,} is the limit.",
                remedy="Split it into several files and add those.",
            )
        size = child(root, "sldSz")
        width, height = (_whole(size, side) if size is not None else 0 for side in ("cx", "cy"))
        source = _Source(package, name, ledger, _authors(package, name, targets), {main}, roots={main: root})
        out = text_flow.Flow()
        masters = pptx_background.Masters(package, name)
        for number, part in enumerate(parts, start=1):
            slide = source.root(part) if part else None
            if slide is None:
                if not part:
                    ledger.add("slide that is missing", f"slide {number}")
                out.end_page()
                continue
            ground = pptx_background.of(slide, part, masters)
            _Slide(out, width, height, ground, source).write(slide, part)
        pages = text_flow.number_pages(out.pages())
        properties = core_properties(package, name)
    except (*ARCHIVE_ERRORS, etree.LxmlError, RecursionError, KeyError, ValueError) as error:
        raise damaged_file(name, _AGAIN) from error
    _count_residue(source, [page.text for page in pages])
    lines = list(ledger.lines())
    extras = list(package_parts.rest(package, name, source.read, ledger))
    if not any(page.text.strip() for page in pages) and not any(isinstance(part, Attachment) for part in extras):
        if any(line.what in ("damaged part", "slide that is missing") for line in lines):
            raise damaged_file(name, _AGAIN)
        raise UnreadableDocument(
            reason=f"{name} contains no text.", remedy="If it shows pictures of text, save it as PDF and add that."
        )
    yield Outline("pptx", len(pages), properties["title"], properties["author"], file_date=properties["date"])
    yield from pages
    yield from extras


@dataclass(slots=True)
class _Source:
    """The parts of a presentation, those whose text was read, and the texts of designs that were written already."""

    package: zipfile.ZipFile
    name: str
    ledger: package_parts.Ledger
    authors: dict[str, str]
    read: set[str]
    designs: set[str] = field(default_factory=set)
    roots: dict[str, Any] = field(default_factory=dict)  # of the parts whose text was read

    def root(self, part: str) -> Any:
        """Return the root of a part, or None if it is missing or damaged, which is counted."""
        if not part:
            return None
        self.read.add(part)
        try:
            root = xml_part(self.package, part, self.name)
        except (*ARCHIVE_ERRORS, etree.LxmlError, ValueError, RecursionError):
            root = None
        if root is None:
            self.ledger.add("damaged part", part)
        else:
            self.roots[part] = root
        return root


# Attributes that hold words, by what they are called in the ledger.
_ATTRIBUTES = {"tooltip": "tip of a link", "title": "label of a drawing", "descr": "label of a drawing",
               "section name": "name of a section", "custShow name": "name of a slide show"}  # fmt: skip
_DESIGNS = re.compile(r"ppt/(slideLayouts|slideMasters|notesMasters|handoutMasters)/[^/]+\.xml")


def _count_residue(source: _Source, pages: list[str]) -> None:
    """Count the words of slides, notes and designs that are on no page; prompts of placeholders are none of them."""
    net = xml_residue.Net(pages, source.ledger)
    for part in source.package.namelist():
        if _DESIGNS.fullmatch(part):
            root = source.root(part)
            for shape in list(root.iter("{*}sp")) if root is not None else ():
                if _placeholder(shape) != "none":
                    shape.clear()
    for part, root in source.roots.items():
        net.count(root, part, _ATTRIBUTES, texts=("t", "text"), skips=("fld",))


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

    def __init__(
        self,
        out: text_flow.Flow,
        width: int,
        height: int,
        ground: pptx_background.Ground,
        source: _Source | None = None,
    ) -> None:
        self.out = out
        self._width, self._height = width, height
        self._ground = ground
        self._source = source
        self._relations: dict[str, tuple[str, str]] = {}

    def write(self, slide: Any, part: str) -> None:
        """Write a slide, its notes and comments, and what its design says the first time that it is used."""
        source = self._source
        assert source is not None
        reason = "unseen" if value(slide, "show") in ("0", "false") else ""
        self._relations = related_parts(source.package, source.name, part)
        common = child(slide, "cSld")
        tree = child(common, "spTree") if common is not None else None
        if tree is not None:
            shapes = list(drawing_text.shapes(tree))
            shapes.sort(key=lambda shape: not _is_title(shape))
            for shape in shapes:
                if _is_title(shape):
                    self.out.heading(1)
                self._shape(shape, reason or self._away(shape))
                self.out.end_heading()
        for kind, target in self._relations.values():
            if kind not in ("notesSlide", "comments", "slideLayout"):
                continue
            root = source.root(target)
            if root is None:
                continue
            if kind == "notesSlide":
                text = _apart(shape for shape in root.iter("{*}sp") if _placeholder(shape) in _NOTES)
                self.out.aside(f"Notes: {text}" if text else "", reason=reason)
            elif kind == "comments":
                for remark in _remarks(root, source.authors):
                    self.out.aside(remark, reason=reason)
            elif value(slide, "showMasterSp") not in ("0", "false"):
                self._design(root, target, reason)
        self.out.end_page()

    def _design(self, layout: Any, part: str, reason: str) -> None:
        """Note the words that a layout and its master put on each slide; prompts of placeholders are none of them."""
        source = self._source
        assert source is not None
        roots = [(part, layout)]
        if value(layout, "showMasterSp") not in ("0", "false"):
            for kind, target in related_parts(source.package, source.name, part).values():
                if kind == "slideMaster" and target not in source.designs:
                    roots.append((target, source.root(target)))
        for path, root in roots:
            if root is None or path in source.designs:
                continue
            source.designs.add(path)
            text = _apart(shape for shape in root.iter("{*}sp") if _placeholder(shape) == "none")
            self.out.aside(f"On each slide of this design: {text}" if text else "", reason=reason)

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
        body = child(shape, "txBody")
        if body is not None:
            self._text(body, reason, self._ground.behind(shape))
        words = drawing_text.described(shape)
        if words:
            what = "Picture" if local(shape) == "pic" else "Drawing"
            self._apart_piece(text_flow.Piece(f"{what}: {' '.join(plain_text.clean(words).split())}"), reason)
        if local(shape) in ("graphicFrame", "contentPart"):
            for relation in dict.fromkeys(drawing_text.relation_ids(shape)):
                self._part(*self._relations.get(relation, ("", "")), reason)

    def _part(self, kind: str, part: str, reason: str) -> None:
        """Write the words of a chart or diagram."""
        source = self._source
        if source is None or kind not in ("chart", "chartEx", "diagramData"):
            return
        piece = None
        source.read.add(part)
        try:
            data = raw_part(source.package, part, source.name)
            if data is not None and kind == "diagramData":
                piece = drawing_text.diagram_text(xml_of(data, source.name))
            elif data is not None:
                piece = drawing_text.chart_text(drawing_chart.chart(data, source.name))
        except (*ARCHIVE_ERRORS, etree.LxmlError, ValueError, RecursionError):
            piece = None
        if piece is None:
            source.ledger.add("damaged part", part)
        else:
            self._apart_piece(piece, reason)

    def _apart_piece(self, piece: text_flow.Piece, reason: str) -> None:
        if not piece.text:
            return
        hidden_spans = ((0, len(piece.text), reason),) if reason else piece.hidden_spans
        self.out.gap("\n\n")
        self.out.write_piece(text_flow.Piece(piece.text, hidden_spans, (), piece.struck_spans, piece.tables))
        self.out.gap("\n\n")

    def _text(self, body: Any, reason: str, behind: str = "") -> None:
        numbers = drawing_text.Numbers(body)
        for paragraph in body.iter("{*}p"):
            self.out.gap("\n" if local(paragraph.getparent()) == "txBody" else "\n\n")
            self.out.write(numbers.of(paragraph), reason=reason)
            for item in paragraph:
                match local(item):
                    case "r" | "fld":
                        drawing_text.write_run(self.out, item, reason=reason or self._unseen_run(item, behind))
                    case "br":
                        self.out.write("\n")
                    case "m" | "AlternateContent":
                        self.out.write(drawing_text.formula(item, self.out.text()[-1:]), reason=reason)
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
        rows: list[list[text_flow.Piece | None]] = []
        for row in table:
            if local(row) != "tr":
                continue
            cells: list[text_flow.Piece | None] = []
            for cell in row:
                if local(cell) != "tc":
                    continue
                is_covered = value(cell, "hMerge") in ("1", "true")
                piece: text_flow.Piece | None = None if is_covered and len(cells) else self._cell(cell, reason)
                if value(cell, "vMerge") in ("1", "true") and not (piece and piece.text):
                    piece = table_text.above(rows, len(cells))
                cells.append(piece)
            rows.append(cells)
        properties = child(table, "tblPr")
        has_heading = properties is not None and value(properties, "firstRow") in ("1", "true")
        self.out.gap("\n\n")
        self.out.write_piece(table_text.piece(rows, 1 if has_heading and len(rows) > 1 else None))
        self.out.gap("\n\n")

    def _cell(self, cell: Any, reason: str) -> text_flow.Piece:
        body, properties = child(cell, "txBody"), child(cell, "tcPr")
        writer = _Slide(text_flow.Flow(), 0, 0, self._ground)
        if body is not None:
            writer._text(body, reason, self._ground.plain_colour(properties) if properties is not None else "")
        return writer.out.piece()


def _placeholder(shape: Any) -> str:
    """Return the kind of a placeholder; 'none' for a shape that is none, 'body' where none is stated."""
    for element in shape.iter("{*}ph"):
        return value(element, "type") or "body"
    return "none"


_NOTES = ("body", "none", "hdr", "ftr")


def _remarks(root: Any, authors: dict[str, str]) -> Iterator[str]:
    """Yield the comments of a slide and the replies to them, each with its author."""
    for comment in root.iter("{*}cm", "{*}reply"):
        text = _words_of(comment)
        who = authors.get(value(comment, "authorId"), "")
        what = "Reply" if local(comment) == "reply" else "Comment"
        if text:
            yield f"{what} by {who}: {text}" if who else f"{what}: {text}"


def _words_of(comment: Any) -> str:
    words: list[str] = []
    for element in comment:
        if local(element) != "replyLst":
            words += [run.text or "" for run in element.iter() if local(run) in ("text", "t")]
    return " ".join(plain_text.clean(" ".join(words)).split())


def _is_title(shape: Any) -> bool:
    return local(shape) == "sp" and _placeholder(shape) in ("title", "ctrTitle")


def _apart(shapes: Iterator[Any]) -> str:
    out = text_flow.Flow()
    writer = _Slide(out, 0, 0, pptx_background.Ground())
    for shape in shapes:
        writer._shape(shape, "")
    return out.text().strip()
