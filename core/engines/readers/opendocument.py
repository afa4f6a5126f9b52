"""OpenDocument text and slides (ODT, ODP): text, tables, notes, comments, charts, forms. Macros are never opened.

What lies in the package beside the text is handed out or named.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any

from core.domain import LeftOut, PageText
from core.engines.readers import (
    attachments,
    docx_numbering,
    drawing_chart,
    encrypted_office,
    office_math,
    package_parts,
    table_text,
    text_flow,
    word_fields,
    xml_residue,
)
from core.engines.readers import plain_text as plain
from core.engines.readers.ooxml_package import (
    ARCHIVE_ERRORS,
    check_package,
    child,
    damaged_file,
    local,
    raw_part,
    value,
    xml_part,
)
from core.engines.readers.raised import lowered, raised
from core.errors import UnreadableDocument
from core.ports import Attachment, Outline

_SKIPPED_TAGS = {
    "tracked-changes", "forms", "sequence-decls", "variable-decls", "user-field-decls", "dde-connection-decls",
    "table-source", "event-listeners", "title", "desc", "settings", "alphabetical-index-auto-mark-file",
}  # fmt: skip
_SPACES = 1_000  # that one element may stand for
_SHAPES = {"custom-shape", "rect", "ellipse", "circle", "polygon", "path", "regular-polygon"}
_DRAWINGS = {
    "control", "frame", "custom-shape", "rect", "text-box", "g", "line", "ellipse", "circle", "polygon", "polyline",
    "path", "regular-polygon", "connector", "caption", "measure",
}  # fmt: skip
_WHITE = "white"  # white letters without a ground of their own
_CELLS = 200  # that one cell of a table may be repeated
_CELL = 2_000  # characters of a cell, from which a table is one that only places text
_OBJECTS = 500  # of one document
_NUMBERED = re.compile("[1aAiI]")


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
) -> Iterator[Outline | PageText | Attachment | LeftOut]:
    """Read a text or slides: the outline, the pages, then what lies beside the text. ``kind`` is odt or odp.

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
        text = _Text(_Unseen(content, styles), note_marks=note_marks, objects=_Objects(package, name))
        text.body(content, styles)
        pages = text_flow.number_pages(text.out.pages())
        properties = meta_properties(package, name)
    except (*ARCHIVE_ERRORS, etree.LxmlError, RecursionError, KeyError, ValueError) as error:
        raise damaged_file(name) from error
    objects = text.objects
    count_residue(content, styles, [page.text for page in pages], objects.ledger)
    beside = [*objects.files, *package_parts.rest(package, name, objects.parts, objects.ledger, objects.children)]
    beside += objects.children.rest()
    files = [item.name for item in beside if isinstance(item, Attachment)]
    if not any(page.text.strip() for page in pages) and files:
        pages = [text_flow.page(1, "\n".join(["Pictures and files:", *(f"- {file}" for file in files)]), [])]
    if not any(page.text.strip() for page in pages):
        raise UnreadableDocument(
            reason=f"{name} contains no text.", remedy="If it shows pictures of text, save it as PDF and add that."
        )
    yield Outline(kind, len(pages), properties["title"], properties["author"], file_date=properties["date"])
    yield from pages
    yield from beside


# Attributes that hold words, by what they are called in the ledger.
_ATTRIBUTES = {
    "title": "label of a drawing", "a title": "tip of a link", "label": "label of a form field",
    "current-value": "value of a form field", "description": "hint of a field", "string-value": "value of a field",
    "string-value-if-true": "choice of a conditional text", "string-value-if-false": "choice of a conditional text",
    "label value": "choice of a form field", "display-text": "choice of a form field", "alias": "name of a form field",
    "hidden value": "value of a form field", "property string-value": "value of a form field", "condition": "condition",
    "condition value": "condition", "filter-condition value": "condition", "bookmark name": "bookmark name",
    "bookmark-start name": "bookmark name", "comment": "remark on a scenario", "content": "meaning of a text",
    "dde-topic": "link to another program", "bibliography-mark title": "entry of a bibliography",
    "href": "link address", "database-range name": "name of a range or formula", "show name": "name of a slide show",
    "page name": "name of a slide", "user-field-decl name": "name of a variable",
    "variable-decl name": "name of a variable",
}  # fmt: skip
# Settings, templates and the places of fields; what is tracked and linked is counted by kind elsewhere.
_NO_TEXTS = {
    "automatic-styles", "font-face-decls", "binary-data", "date", "date-string", "creator-initials", "page-number",
    "page-count", "time", "date-time", "named-expressions", "data-pilot-tables", "cell-content-change",
    "dde-links",
}  # fmt: skip


def count_residue(content: Any, styles: Any, pages: list[str], ledger: package_parts.Ledger) -> None:
    """Count the words of a document and of its masters that are on no page."""
    net = xml_residue.Net(pages, ledger)
    net.count(content, "content.xml", _ATTRIBUTES, skips=_NO_TEXTS)
    for element in styles if styles is not None else ():
        if local(element) in ("master-styles", "styles"):
            shapes = [shape for shape in element.iter() if value(shape, "placeholder") == "true"]
            for shape in shapes:  # the prompts of a master: 'Click to edit the title'
                shape.clear()
            net.count(element, "styles.xml", {}, skips=_NO_TEXTS)


class _Objects:
    """The objects in a package: charts and formulas as text, documents as files of their own."""

    def __init__(self, package: zipfile.ZipFile | None = None, name: str = "") -> None:
        self.parts = {"content.xml", "styles.xml"}
        self.files: list[Attachment] = []
        self.children = attachments.Children()
        self.ledger = package_parts.Ledger()
        self._package, self._name = package, name
        self._count = 0

    def text(self, link: str, preceding: str) -> str:
        """Return the words of a chart or formula; a document is put among the files."""
        path = link.removeprefix("./").strip("/")
        part = f"{path}/content.xml"
        self._count += 1
        if self._package is None or not path or part in self.parts or self._count > _OBJECTS:
            return ""
        from lxml import etree

        try:
            root = xml_part(self._package, part, self._name)
        except (UnreadableDocument, etree.LxmlError, ValueError):
            self.ledger.add("damaged object", path)
            return ""
        if root is None:
            return ""
        self.parts.add(part)
        if local(root) == "math":
            return office_math.mathml(root, preceding)
        if next(root.iter("{*}chart"), None) is not None:
            return drawing_chart.of_open_document(root).text
        self.files += self.children.take(f"{path}.{_kind_of(root)}", lambda: self._packed(path, root))
        return ""

    def _packed(self, path: str, root: Any) -> bytes:
        """Return the parts of an object as a package of its own."""
        assert self._package is not None
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{_TYPES[_kind_of(root)]}")
            for info in self._package.infolist():
                if info.filename.startswith(f"{path}/") and not info.is_dir():
                    data = raw_part(self._package, info.filename, self._name) or b""
                    archive.writestr(info.filename.removeprefix(f"{path}/"), data)
                    self.parts.add(info.filename)
        return file.getvalue()


_TYPES = {"ods": "spreadsheet", "odp": "presentation", "odt": "text", "odg": "graphics"}
_KINDS = {"spreadsheet": "ods", "presentation": "odp", "drawing": "odg"}


def _kind_of(root: Any) -> str:
    body = child(root, "body")
    return next((_KINDS[local(item)] for item in (body if body is not None else ()) if local(item) in _KINDS), "odt")


class _Unseen:
    """The styles that make text nobody sees: not displayed, white without a ground, at most one point high."""

    def __init__(self, content: Any, styles: Any) -> None:
        self._own: dict[str, str | None] = {}
        self._ground: dict[str, bool | None] = {}
        self._parent: dict[str, str] = {}
        self._struck: dict[str, bool | None] = {}
        self._shift: dict[str, int | None] = {}
        self.lists: dict[str, dict[int, Any]] = {}  # the levels of lists, '' for the headings
        self.pages: dict[str, Any] = {}  # what is behind slides, by name
        self.has_colour = False  # whether the paper itself is
        for root in (styles, content):
            for style in root.iter("{*}style") if root is not None else ():
                name = value(style, "name")
                self._own[name] = self._says(style)
                self._ground[name] = _paints(style)
                self._parent[name] = value(style, "parent-style-name")
                self._struck[name], self._shift[name] = _strikes(style), _shifts(style)
            for style in root.iter("{*}list-style", "{*}outline-style") if root is not None else ():
                name = value(style, "name") if local(style) == "list-style" else ""
                self.lists[name] = {_whole(value(level, "level")): level for level in style if value(level, "level")}
            for page in root.iter("{*}master-page") if root is not None else ():
                self.pages[value(page, "name")] = page
            for layout in root.iter("{*}page-layout") if root is not None else ():
                self.has_colour = self.has_colour or bool(_paints(layout))

    def strikes(self, name: str) -> bool | None:
        """Return whether a style strikes its words through; None if it does not state it."""
        is_struck: bool | None = self._inherited(self._struck, name)
        return is_struck

    def shifts(self, name: str) -> int | None:
        """Return whether a style raises (above 0) or lowers its words; None if it does not state it."""
        shift: int | None = self._inherited(self._shift, name)
        return shift

    def _inherited(self, values: dict[str, Any], name: str) -> Any:
        for _ in range(20):
            if values.get(name) is not None or not name:
                break
            name = self._parent.get(name, "")
        return values.get(name)

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
        """Return whether an element puts something behind its text that is not white."""
        name = value(element, "style-name")
        for _ in range(20):
            ground = self._ground.get(name)
            if ground is not None or not name:
                break
            name = self._parent.get(name, "")
        # A shape that does not say so is filled as the office program pleases.
        return bool(ground) or (ground is None and local(element) in _SHAPES)

    def __call__(self, name: str) -> str:
        """Return the reason, '' for a style whose text is seen; _WHITE where it is not seen on white paper."""
        for _ in range(20):  # a style that descends from itself ends too
            reason = self._own.get(name)
            if reason is not None or not name:
                return reason or ""
            name = self._parent.get(name, "")
        return ""


def _strikes(style: Any) -> bool | None:
    properties = child(style, "text-properties")
    if properties is None:
        return None
    lines = [value(properties, f"text-line-through-{attribute}") for attribute in ("style", "type")]
    return None if not any(lines) else any(line not in ("", "none") for line in lines)


def _shifts(style: Any) -> int | None:
    properties = child(style, "text-properties")
    position = value(properties, "text-position").split(" ")[0] if properties is not None else ""
    if position in ("super", "sub"):
        return 1 if position == "super" else -1
    amount = re.fullmatch(r"(-?\d{1,3})(?:\.\d*)?%", position)
    return None if amount is None else (int(amount[1]) > 0) - (int(amount[1]) < 0)


def _whole(digits: str) -> int:
    return int(digits) if digits.isdecimal() and len(digits) < 7 else 0


def _number(count: int, kind: str) -> str:
    match kind:
        case "a" | "A":
            text = docx_numbering.letters(count)
        case "i" | "I":
            text = docx_numbering.roman(count)
        case _:
            return str(count)
    return text.upper() if kind.isupper() else text


def _paints(style: Any) -> bool | None:
    """Return whether a style paints a ground that is not white; None if it does not state one."""
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
    x, y, width, height = (float(length[1]) * _UNIT[length[2]] for length in lengths if length)
    return x, y, x + width, y + height


class _Text:
    """A walk through the body. A page ends where the office program broke it, or with its slide."""

    def __init__(
        self, unseen: _Unseen, *, note_marks: bool = False, objects: _Objects | None = None, is_line: bool = False
    ) -> None:
        self.out = text_flow.Flow(cell=int(is_line))
        self.objects = objects or _Objects()
        self._is_struck, self._shift = False, 0
        self._controls: dict[str, str] = {}  # the states of form controls that have not been written
        self._lists: list[str] = []  # the styles of the current lists, from the outermost
        self._counts: dict[tuple[str, int], int] = {}  # how far a level of a list has been counted
        self._note_marks, self._notes = note_marks, 0
        self._unseen = unseen
        self._shades = int(unseen.has_colour)  # how many things are behind the text that are not white
        self._deletions: dict[str, str] = {}  # what was deleted, by the id of the change

    def body(self, content: Any, styles: Any) -> None:
        body = child(content, "body")
        inner = next((element for element in (body if body is not None else ()) if isinstance(element.tag, str)), None)
        if inner is None:
            return
        self._controls = dict(_controls(inner))
        margins = list(self._margins(styles))
        if local(inner) in ("presentation", "drawing"):
            for page in inner:
                if local(page) == "page":
                    self._slide(page)
                    self._master(page)
                    self.out.end_page()
                elif local(page) in ("header-decl", "footer-decl"):
                    self.out.aside(" ".join("".join(page.itertext()).split()))
            return
        for text in margins:
            if text[0] == "header":
                self.out.write_piece(text[1])
                self.out.gap("\n\n")
        self._blocks(inner, "")
        for text in margins:
            if text[0] == "footer":
                self.out.aside(text[1])
        for state in self._controls.values():
            self.out.aside(state)
        self.out.end_page()

    def _master(self, page: Any) -> None:
        """Note the words on the master of a slide, once for each master."""
        master = self._unseen.pages.pop(value(page, "master-page-name"), None)
        for shape in master if master is not None else ():
            if local(shape) in ("frame", "custom-shape", "g", "rect") and value(shape, "placeholder") != "true":
                self.out.aside(self._apart((shape,)))

    def _slide(self, page: Any) -> None:
        reason = self._why(value(page, "style-name"))
        master = self._unseen.pages.get(value(page, "master-page-name"))
        has_ground = any(self._unseen.paints(element) for element in (page, master) if element is not None)
        shapes = [*(master if master is not None else ()), *page]
        areas = [(shape, _area(shape)) for shape in shapes if self._shows(shape)]
        for item in page:
            x0, y0, x1, y1 = _area(item)
            on = any(
                neighbour is not item and a[0] < x1 and a[2] > x0 and a[1] < y1 and a[3] > y0 for neighbour, a in areas
            )
            self._shades += has_ground or on
            self._blocks((item,), reason)
            self._shades -= has_ground or on

    def _shows(self, shape: Any) -> bool:
        """Return whether a shape of a slide is more than letters."""
        if not isinstance(shape.tag, str) or local(shape) in ("notes", *_SKIPPED_TAGS):
            return False
        plain = local(shape) == "frame" and all(
            local(element) == "text-box" for element in shape if isinstance(element.tag, str)
        )
        return not plain or self._unseen.paints(shape)

    def _why(self, style: str) -> str:
        """Return why text of a style is not seen at this place."""
        why = self._unseen(style)
        return ("" if self._shades else "colour") if why == _WHITE else why

    def _margins(self, styles: Any) -> Iterator[tuple[str, text_flow.Piece]]:
        """Yield the different texts of headers and footers."""
        texts = set()
        for page in styles.iter("{*}master-page") if styles is not None else ():
            for margin in page:
                kind = local(margin).split("-")[0]
                if kind in ("header", "footer"):
                    piece = self._apart(margin)
                    # A page number alone says nothing.
                    if re.search(r"[^\W\d_]|\d{3}", piece.text) and piece.text not in texts:
                        texts.add(piece.text)
                        yield kind, piece

    def _apart(self, element: Iterable[Any], lead: str = "") -> text_flow.Piece:
        """Return the text of a note behind ``lead``, on one line; an empty one where there is none."""
        apart = _Text(self._unseen, objects=self.objects, is_line=True)
        apart._blocks(element, "")
        piece = apart.out.whole()
        return text_flow.join([text_flow.Piece(lead), piece], " ") if piece.text else piece

    def _blocks(self, element: Iterable[Any], reason: str) -> None:
        for item in element:
            tag = local(item)
            if tag == "h":
                level = value(item, "outline-level")
                self.out.gap("\n\n")
                self.out.heading(int(level) if level.isdigit() and len(level) < 3 else 1)
                if value(item, "is-list-header") != "true":
                    self._label("", (_whole(level) or 1) - 1)
                self._paragraph(item, reason)
                self.out.end_heading()
            elif tag == "p":
                self._paragraph(item, reason)
            elif tag == "table":
                self._table(item, reason)
            elif tag == "list":
                self._list(item, reason)
            elif tag == "object":
                self.out.write(self.objects.text(value(item, "href"), self.out.last), reason=reason)
                self.out.gap("\n\n")
            elif tag in ("title", "desc"):
                self._picture(item, reason)
            elif tag == "control":
                self.out.write(self._controls.pop(value(item, "control"), ""), reason=reason)
                self.out.gap("\n\n")
            elif tag == "soft-page-break":
                self._page_break()
            elif tag == "annotation":
                self._comment(item)
            elif tag == "tracked-changes":
                self._changes(item)
            elif tag == "change":
                self._deletion(item)
            elif tag == "notes":  # of a slide
                self._aside(self._apart(item, "Notes:"), reason)
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

    def _aside(self, piece: text_flow.Piece, reason: str = "") -> None:
        self.out.aside(piece.text if reason else piece, reason=reason)

    def _picture(self, item: Any, reason: str) -> None:
        """Write what a picture shows in words."""
        text = " ".join("".join(item.itertext()).split())
        longer = child(item.getparent(), "desc") if local(item) == "title" else None
        if longer is not None and "".join(longer.itertext()).strip():
            text = ""
        self.out.write(f"[picture: {text}]" if text else "", reason=reason)
        self.out.gap("\n\n")

    def _list(self, element: Any, reason: str) -> None:
        """Write a list, with the numbers that the office program writes before its items."""
        style = value(element, "style-name") or (self._lists[-1] if self._lists else "")
        level = len(self._lists)
        if value(element, "continue-numbering") != "true" and not value(element, "continue-list") and not level:
            self._counts = {key: count for key, count in self._counts.items() if key[0] != style}
        self._lists.append(style)
        for item in element:
            if local(item) == "list-item":
                start = value(item, "start-value")
                if start:
                    self._counts[style, level] = _whole(start) - 1
                if len(item) and local(item[0]) in ("p", "h"):
                    self.out.gap("\n\n")
                    self._label(style, level)
            self._blocks(item, reason)
        self._lists.pop()
        self._counts = {key: count for key, count in self._counts.items() if key != (style, level + 1)}

    def _label(self, style: str, level: int) -> None:
        """Count an item of a list, and write its label."""
        levels = self._unseen.lists.get(style, {})
        definition = levels.get(level + 1)
        if definition is None or local(definition) == "list-level-style-bullet":
            return
        start = _whole(value(definition, "start-value") or "1")
        self._counts[style, level] = self._counts.get((style, level), start - 1) + 1
        for key in [key for key in self._counts if key[0] == style and key[1] > level]:
            del self._counts[key]
        kind = value(definition, "num-format")
        if not _NUMBERED.fullmatch(kind):
            return
        shown_levels = min(_whole(value(definition, "display-levels") or "1") or 1, level + 1)
        numbers = []
        for index in range(level - shown_levels + 1, level + 1):
            shown = levels.get(index + 1)
            shown_kind = value(shown, "num-format") if shown is not None else ""
            if shown_kind:
                count = self._counts.get((style, index), _whole(value(shown, "start-value") or "1"))
                numbers.append(_number(count, shown_kind))
        label = value(definition, "num-prefix") + ".".join(numbers) + value(definition, "num-suffix")
        self.out.write(" ".join(label.split()))
        self._after_label = True

    _after_label = False  # whether a label is before the paragraph that follows

    def _paragraph(self, paragraph: Any, reason: str) -> None:
        self.out.gap(" " if self._after_label else "\n\n")
        self._after_label = False
        outer_look = self._is_struck, self._shift
        self._restyle(value(paragraph, "style-name"))
        boxes: list[tuple[Any, str]] = []
        has_ground = self._unseen.paints(paragraph)
        self._shades += has_ground
        self._inline(paragraph, reason or self._why(value(paragraph, "style-name")), boxes)
        self._is_struck, self._shift = outer_look
        self.out.gap("\n\n")
        for box, away in boxes:
            box_has_ground = self._unseen.paints(box)
            self._shades += box_has_ground
            self._blocks((box,) if local(box) == "control" else box, away)
            self._shades -= box_has_ground
            self.out.gap("\n\n")
        self._shades -= has_ground

    def _restyle(self, name: str) -> None:
        """Take over what a style says of struck and raised words."""
        is_struck, shift = self._unseen.strikes(name), self._unseen.shifts(name)
        self._is_struck = self._is_struck if is_struck is None else is_struck
        self._shift = self._shift if shift is None else shift

    def _table(self, table: Any, reason: str) -> None:
        outer_shades = self._shades
        self.out.gap("\n\n")
        about = (" ".join("".join(item.itertext()).split()) for item in table if local(item) in ("title", "desc"))
        words = ". ".join(dict.fromkeys(filter(None, about)))
        if words:
            self.out.write(f"[table: {words}]", reason=reason)
            self.out.gap("\n\n")
        rows = list(_rows(table))
        headings = sum(1 for row in rows if local(row.getparent()) == "table-header-rows")
        is_grid = not self.out.cell and all(nested is table for nested in table.iter("{*}table"))
        grid: list[list[text_flow.Piece | None]] = []
        for row in rows:
            # The look of a table may come from a template that is not in the file.
            has_ground = bool(value(table, "template-name")) or any(self._unseen.paints(part) for part in (table, row))
            away = reason or ("unseen" if value(row, "visibility") in ("collapse", "filter") else "")
            pieces: list[text_flow.Piece | None] = []
            span = 1
            for cell in row:
                tag = local(cell)
                if tag not in ("table-cell", "covered-table-cell"):
                    continue
                times = value(cell, "number-columns-repeated")
                span = _whole(value(cell, "number-columns-spanned") or "1") if tag == "table-cell" else span - 1
                self._shades += has_ground or self._unseen.paints(cell)
                for _ in range(min(int(times), _CELLS) if times.isdigit() and len(times) < 5 else 1):
                    if is_grid:
                        piece = self._cell(cell, away)
                        is_covered = tag != "table-cell" and not piece.text
                        if is_covered:
                            pieces.append(None if span > 0 else table_text.above(grid, len(pieces)))
                        else:
                            pieces.append(piece)
                    else:
                        self._blocks(cell, away)
                        self.out.gap("\n\n")
                self._shades = outer_shades
            grid.append(pieces)
        texts = [piece for row in grid for piece in row if piece is not None]
        if is_grid and (max(map(len, grid), default=0) < 2 or any(len(piece.text) > _CELL for piece in texts)):
            for piece in texts:
                self.out.write_piece(piece)
                self.out.gap("\n\n")
        elif is_grid:
            while grid and not any(piece is not None and piece.text for piece in grid[-1]):
                grid.pop()
            self.out.write_piece(table_text.piece(grid, headings or None))
        self.out.gap("\n\n")

    def _cell(self, cell: Any, reason: str) -> text_flow.Piece:
        outer, self.out = self.out, text_flow.Flow(cell=1)
        self._blocks(cell, reason)
        piece = self.out.piece().strip()
        outer.take_asides(self.out)
        self.out = outer
        return piece

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
                    if body is not None and self._note_marks and self._apart(body).text:
                        self._notes += 1
                        kind = f"[^{self._notes}]"
                        self.out.write(kind, reason=reason)
                    self._aside(self._apart(body if body is not None else (), f"{kind}:"), reason)
                case "annotation":
                    self._comment(item)
                case "change":
                    self._deletion(item)
                case "hidden-text" | "hidden-paragraph":
                    self.out.write(item.text or "", reason="unseen")
                case tag if tag in _DRAWINGS:
                    boxes.append((item, reason))
                case "fieldmark" | "fieldmark-start" if value(item, "type").endswith("FORMCHECKBOX"):
                    states = (value(part, "value") for part in item if value(part, "name") == "Checkbox_Checked")
                    is_on = next(states, "") == "true"
                    self.out.write(word_fields.TICKED if is_on else word_fields.UNTICKED, reason=reason)
                case "ruby-text":
                    self._write(f"({''.join(item.itertext())})", reason)
                case tag if tag and tag not in _SKIPPED_TAGS:
                    outer_look = self._is_struck, self._shift
                    self._restyle(value(item, "style-name"))
                    self._inline(item, reason or self._why(value(item, "style-name")), boxes)
                    self._is_struck, self._shift = outer_look
            self._write(item.tail, reason)

    def _write(self, text: str | None, reason: str) -> None:
        if text:
            text = re.sub(r"[ \t\r\n]+", " ", text)
            if self._shift:
                text = raised(text) if self._shift > 0 else lowered(text)
            self.out.write(text, reason=reason if text.strip() else "", is_struck=self._is_struck)

    def _comment(self, item: Any) -> None:
        who = next((" ".join((element.text or "").split()) for element in item if local(element) == "creator"), "")
        blocks = [element for element in item if local(element) in ("p", "h", "list")]
        self.out.aside(self._apart(blocks, f"Comment by {who}:" if who else "Comment:"))

    def _changes(self, item: Any) -> None:
        """Keep what tracked changes took out for the place that it was taken from.

        It is no text of the document, but it is still in the file.
        """
        for region in item:
            deletion = child(region, "deletion")
            if deletion is None:
                continue
            info = next((part for part in deletion if local(part) == "change-info"), None)
            who = (
                next((" ".join((part.text or "").split()) for part in info if local(part) == "creator"), "")
                if info is not None
                else ""
            )
            text = " ".join(self._apart([part for part in deletion if local(part) != "change-info"]).text.split())
            self._deletions[value(region, "id")] = (
                f"Deleted by {who}: {text}" if text and who else text and f"Deleted: {text}"
            )

    def _deletion(self, item: Any) -> None:
        self.out.aside(self._deletions.pop(value(item, "change-id"), ""), reason="unseen")

    def _page_break(self) -> None:
        if not self.out.cell and self.out.has_text:
            self.out.end_page()


def _controls(body: Any) -> Iterator[tuple[str, str]]:
    """Yield the id of each form control and what it shows."""
    for forms in body.iter("{*}forms"):
        for control in forms.iter():
            identity = value(control, "id")
            label, state = value(control, "label"), value(control, "current-value") or value(control, "value")
            match local(control):
                case "checkbox" | "radio":
                    is_on = value(control, "current-state") == "checked" or value(control, "current-selected") == "true"
                    state = word_fields.TICKED if is_on else word_fields.UNTICKED
                    yield identity, f"{state} {label}".strip()
                case "listbox" | "combobox":
                    options = [entry for entry in control if local(entry) in ("option", "item")]
                    chosen = [value(entry, "label") for entry in options if value(entry, "current-selected") == "true"]
                    yield identity, ", ".join(chosen) or state
                case "text" | "textarea" | "formatted-text" | "number" | "date" | "time" | "fixed-text" | "value-range":
                    words = " ".join(" ".join("".join(line.itertext()).split()) for line in control.iter("{*}p"))
                    yield identity, words or state or label


def _rows(table: Any) -> Iterator[Any]:
    for item in table:
        tag = local(item)
        if tag == "table-row":
            yield item
        elif tag in ("table-rows", "table-header-rows", "table-row-group"):
            yield from _rows(item)
