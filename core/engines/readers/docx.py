"""Word documents (.docx): text, tables, notes, comments, headers. Embedded objects and macros are never opened.

Read from the XML itself, because only there a hidden or deleted run can be told from a visible one.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from lxml import etree

from core.domain import PageText
from core.engines.readers import text_flow
from core.engines.readers.ooxml_package import ARCHIVE_ERRORS, check_package, core_properties, damaged_file
from core.engines.readers.ooxml_package import child as _child
from core.engines.readers.ooxml_package import local as _local
from core.engines.readers.ooxml_package import value as _value
from core.engines.readers.ooxml_package import xml_part as _xml
from core.errors import UnreadableDocument
from core.ports import Outline


def read(data: bytes, name: str, *, note_marks: bool = False) -> Iterator[Outline | PageText]:
    """Read a Word document: its outline, then its pages, with marks of its notes. Raises UnreadableDocument."""
    package = check_package(data, name)
    try:
        main = _main_part(package, name)
        styles = next(iter(_related_parts(package, name, main, "styles")), "")
        document = _Document(
            styles=_Styles(_xml(package, styles, name) if styles else None),
            footnotes=_notes(package, name, main, "footnotes", "footnote"),
            endnotes=_notes(package, name, main, "endnotes", "endnote"),
            comments=_notes(package, name, main, "comments", "comment"),
            note_marks=note_marks,
        )
        root = _xml(package, main, name)
        if root is None:
            raise damaged_file(name)
        pages = document.pages(root, _margins(package, name, main, "header"), _margins(package, name, main, "footer"))
        properties = core_properties(package, name)
    except (*ARCHIVE_ERRORS, etree.LxmlError, RecursionError, KeyError, ValueError) as error:
        raise damaged_file(name) from error
    if not any(page.text.strip() for page in pages):
        raise UnreadableDocument(
            reason=f"{name} contains no text.", remedy="If it shows pictures of text, save it as PDF and add that."
        )
    yield Outline("docx", len(pages), properties["title"], properties["author"], file_date=properties["date"])
    yield from pages


# --- the package -----------------------------------------------------------------------------------------------------


def _main_part(package: zipfile.ZipFile, name: str) -> str:
    root = _xml(package, "_rels/.rels", name)
    if root is not None:
        for relation in root:
            if str(relation.get("Type", "")).endswith("/officeDocument"):
                return str(relation.get("Target", "")).lstrip("/")
    return "word/document.xml"


def _related_parts(package: zipfile.ZipFile, name: str, main: str, kind: str) -> list[str]:
    folder, file = posixpath.split(main)
    root = _xml(package, f"{folder}/_rels/{file}.rels", name)
    if root is None:
        return []
    targets = []
    for relation in root:
        if str(relation.get("Type", "")).endswith(f"/{kind}") and relation.get("TargetMode") != "External":
            target = str(relation.get("Target", ""))
            targets.append(target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"{folder}/{target}"))
    return sorted(set(targets))


def _notes(package: zipfile.ZipFile, name: str, main: str, kind: str, tag: str) -> dict[str, tuple[str, str]]:
    """Return notes by id: who wrote it (comments only) and its text."""
    notes: dict[str, tuple[str, str]] = {}
    for part in _related_parts(package, name, main, kind):
        root = _xml(package, part, name)
        for note in root if root is not None else ():
            if _local(note) == tag and _value(note, "type") not in ("separator", "continuationSeparator"):
                text = " ".join(_Document().plain_text(note).split())
                if text:
                    notes[_value(note, "id")] = (_value(note, "author"), text)
    return notes


def _margins(package: zipfile.ZipFile, name: str, main: str, kind: str) -> list[str]:
    """Return the different texts of all headers or footers."""
    texts: dict[str, None] = {}
    for part in _related_parts(package, name, main, kind):
        root = _xml(package, part, name)
        if root is not None:
            text = _Document().plain_text(root).strip()
            if re.search(r"[^\W\d_]", text):  # a page number alone says nothing
                texts.setdefault(text)
    return list(texts)


# --- the text --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Document:
    """A walk through the body that writes pages. A page ends where Word broke it when it last saved the file.

    A file that no office program has laid out has no such marks; it becomes one flowing text.
    """

    styles: _Styles = field(default_factory=lambda: _Styles(None))
    footnotes: dict[str, tuple[str, str]] = field(default_factory=dict)
    endnotes: dict[str, tuple[str, str]] = field(default_factory=dict)
    comments: dict[str, tuple[str, str]] = field(default_factory=dict)
    out: text_flow.Flow = field(default_factory=text_flow.Flow)
    note_marks: bool = False
    marks: int = 0  # of notes so far
    has_ground: bool = False  # whether something is behind what is written now that is not white

    def pages(self, root: Any, headers: list[str], footers: list[str]) -> list[PageText]:
        for header in headers:
            self.out.write(header)
            self.out.gap("\n\n")
        paper = _child(root, "background")
        self.has_ground = paper is not None and _value(paper, "color").upper() not in ("", "AUTO", "FFFFFF")
        body = _child(root, "body")
        self._blocks(body if body is not None else root)
        for footer in footers:
            self.out.aside(footer)
        self.out.end_page()
        return text_flow.number_pages(self.out.pages())

    def plain_text(self, root: Any) -> str:
        self._blocks(root)
        return self.out.text()

    def _blocks(self, element: Any) -> None:
        for child in element:
            tag = _local(child)
            if tag == "p":
                self._paragraph(child)
            elif tag == "tbl":
                self._table(child)
            elif tag in ("sdt", "sdtContent", "customXml", "body", "hdr", "ftr", "ins", "moveTo", "AlternateContent"):
                self._blocks(_choice(child) if tag == "AlternateContent" else child)

    def _paragraph(self, paragraph: Any) -> None:
        properties = _child(paragraph, "pPr")
        style = self.styles.of(properties, "pStyle")
        has_ground = self.has_ground or bool(_shades(properties))
        boxes: list[Any] = []
        self.out.gap("\n\n")
        level = _outline_level(properties)
        level = style.level if level is None else level
        if level and not self.out.cell:
            self.out.heading(level)
        self._runs(paragraph, style.look.on_ground() if has_ground else style.look, boxes)
        self.out.end_heading()
        self.out.gap("\n\n")
        before = self.has_ground
        for box in boxes:
            self.has_ground = before or not _clear(box)
            self._blocks(box)
            self.has_ground = before
            self.out.gap("\n\n")

    def _table(self, table: Any) -> None:
        outermost = self.out.cell == 0
        before = self.has_ground
        properties = _child(table, "tblPr")
        has_ground = before or self.styles.shades(properties) or bool(_shades(properties))
        self.out.gap("\n\n")
        for row in _inside(table, "tr"):
            self.out.gap("\n")
            for number, cell in enumerate(_inside(row, "tc")):
                if outermost and number:
                    self.out.next_cell()
                own = _shades(_child(cell, "tcPr"))
                self.has_ground = has_ground if own is None else own
                self.out.cell += 1
                self._blocks(cell)
                self.out.cell -= 1
                self.has_ground = before
            if outermost:
                self.out.end_row()
            else:
                self.out.gap("\n")
        self.out.gap("\n\n")

    def _runs(self, element: Any, look: _Look, boxes: list[Any]) -> None:
        for child in element:
            tag = _local(child)
            if tag == "r":
                properties = _child(child, "rPr")
                if properties is None:
                    self._run(child, look.unseen, boxes)
                    continue
                style_look = look.over(self.styles.of(properties, "rStyle").look)
                self._run(child, style_look.over(_Look.of(properties)).unseen, boxes)
            elif tag == "AlternateContent":
                self._runs(_choice(child), look, boxes)
            elif tag == "t":  # a formula
                self.out.write(child.text or "")
            elif tag in ("del", "moveFrom"):
                self._deletion(child)
            elif tag == "bdo" and _value(child, "val") == "rtl":  # shown from right to left, letter by letter
                self.out.write(text_flow.REVERSED[0])
                self._runs(child, look, boxes)
                self.out.write(text_flow.REVERSED[1])
            elif tag not in ("pPr", "rPr", "sdtPr", "tblPr", "delText", "instrText"):
                self._runs(child, look, boxes)

    def _deletion(self, change: Any) -> None:
        """Write what a tracked change took out aside: it is no text of the document, but still in the file."""
        if _local(change) == "moveFrom":
            return  # it stands where it was moved to
        text = "".join(each.text or "" for each in change.iter() if _local(each) == "delText").strip()
        who = _value(change, "author")
        if re.search(r"\w", text):
            self.out.aside(f"Deleted by {who}: {text}" if who else f"Deleted: {text}", reason="unseen")

    def _run(self, run: Any, reason: str, boxes: list[Any]) -> None:
        for child in run:
            match _local(child):
                case "t":
                    self.out.write(child.text or "", reason=reason)
                case "tab" | "ptab":
                    self.out.write("\t")
                case "br" if _value(child, "type") not in ("page", "column"):
                    self.out.write("\n")
                case "br":
                    self.out.gap("\n\n")
                case "cr":
                    self.out.write("\n")
                case "noBreakHyphen":
                    self.out.write("-", reason=reason)
                case "softHyphen":
                    self.out.write("\u00ad", reason=reason)
                case "sym":
                    self.out.write(_symbol(child), reason=reason)
                case "lastRenderedPageBreak":
                    if not self.out.cell and self.out.has_text:
                        self.out.end_page()
                case "footnoteReference":
                    self._refer(self.footnotes.get(_value(child, "id")), "Footnote")
                case "endnoteReference":
                    self._refer(self.endnotes.get(_value(child, "id")), "Endnote")
                case "commentReference":
                    self._refer(self.comments.get(_value(child, "id")), "Comment")
                case "AlternateContent" | "drawing" | "pict" | "object":
                    choice = _choice(child) if _local(child) == "AlternateContent" else child
                    boxes.extend(box for box in choice.iter() if _local(box) == "txbxContent" and not _in_box(box))

    def _refer(self, note: tuple[str, str] | None, kind: str) -> None:
        if note is not None:
            author, text = note
            if self.note_marks and kind != "Comment":
                self.marks += 1
                self.out.write(f"[^{self.marks}]")
                kind = f"[^{self.marks}]"
            self.out.aside(f"{kind} by {author}: {text}" if author else f"{kind}: {text}")


def _inside(element: Any, tag: str) -> Iterator[Any]:
    """Yield children named ``tag``, also those wrapped in content controls or tracked insertions."""
    for child in element:
        name = _local(child)
        if name == tag:
            yield child
        elif name in ("sdt", "sdtContent", "customXml", "ins"):
            yield from _inside(child, tag)


def _choice(alternate: Any) -> Any:
    """Choose one of the alternatives, because they say the same: the first with text."""
    options = [child for child in alternate if _local(child) in ("Choice", "Fallback")]
    for option in options:
        if any(_local(each) == "t" and each.text for each in option.iter()):
            return option
    return options[0] if options else alternate


def _shades(properties: Any) -> bool | None:
    """Tell whether properties put something behind the text that is not white; None where they say nothing of it."""
    shading = _child(properties, "shd") if properties is not None else None
    if shading is None:
        return None
    if _value(shading, "val") not in ("", "clear", "nil") or _value(shading, "themeFill"):
        return True
    return _value(shading, "fill").upper() not in ("", "AUTO", "FFFFFF")


def _clear(box: Any) -> bool:
    """Tell whether it is plain that nothing is behind the words of a text box, or white."""
    for shape in box.iterancestors():
        match _local(shape):
            case "wsp":
                look = _child(shape, "spPr")
                fill = _child(look, "solidFill") if look is not None else None
                white = fill is not None and [_value(each, "val").upper() for each in fill] == ["FFFFFF"]
                return white or (look is not None and _child(look, "noFill") is not None)
            case "shape" | "rect" | "roundrect" | "oval":
                fill_switch, colour = _value(shape, "filled").lower(), _value(shape, "fillcolor").lower()
                return fill_switch in ("f", "false") or colour in ("white", "#ffffff")
    return False


def _in_box(box: Any) -> bool:
    """Tell whether a text box lies in another one, which writes it."""
    parent = box.getparent()
    while parent is not None:
        if _local(parent) == "txbxContent":
            return True
        parent = parent.getparent()
    return False


def _symbol(element: Any) -> str:
    """Return a character that is named by its number; those of symbol fonts have none that means the same elsewhere."""
    digits = _value(element, "char")
    code = int(digits, 16) if re.fullmatch(r"[0-9A-Fa-f]{1,6}", digits) else 0
    return chr(code) if 0x20 <= code < 0xE000 or 0xF900 <= code < 0x110000 else "\ufffd" if code else ""


# --- what the format says --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Look:
    """The format of a run, as far as it makes it seen or not; None: not stated here."""

    vanish: bool | None = None
    tiny: bool | None = None
    ink: str | None = None  # 'FFFFFF', 'auto' ...
    ground: str | None = None  # of the run itself; 'auto' where nothing is behind it
    highlight: str | None = None  # the colour of a highlighter
    has_ground: bool = False  # whether something is behind it that is not its own

    @classmethod
    def of(cls, properties: Any) -> _Look:
        """Read the properties of a run."""
        values: dict[str, Any] = {}
        for item in properties if properties is not None else ():
            match _local(item):
                case "vanish" | "specVanish":
                    values["vanish"] = values.get("vanish", False) or _value(item, "val") not in _OFF
                case "sz":
                    points = _value(item, "val")  # half points
                    values["tiny"] = int(points) <= 2 if points.isdigit() and len(points) < 6 else None
                case "color":
                    values["ink"] = _value(item, "val").upper()
                case "shd":
                    values["ground"] = (_value(item, "fill") or "auto").upper()
                case "highlight":
                    values["highlight"] = _value(item, "val").lower()
        return cls(**values) if values else _PLAIN

    def over(self, nearer: _Look) -> _Look:
        """Return this with what a nearer format says instead."""
        if nearer is _PLAIN:
            return self
        changes = {name: value for name in _FORMAT_FIELDS if (value := getattr(nearer, name)) is not None}
        return (
            replace(self, **changes, has_ground=self.has_ground or nearer.has_ground)
            if changes or nearer.has_ground
            else self
        )

    def on_ground(self) -> _Look:
        return replace(self, has_ground=True)

    @property
    def unseen(self) -> str:
        """Reason why it is not seen, '' where it is. Ink that the program chooses stands out against any ground."""
        if self.vanish:
            return "unseen"
        if self.tiny:
            return "tiny"
        ink, ground, highlight = self.ink or "AUTO", self.ground or "AUTO", self.highlight or "none"
        if highlight == "black" and ink in ("AUTO", "000000"):
            return "blacked out"
        if ground != "AUTO" and ground == ink:
            return "blacked out" if ink == "000000" else "colour"
        open_ground = ground == "AUTO" and not self.has_ground
        return "colour" if ink == "FFFFFF" and (highlight == "white" or (highlight == "none" and open_ground)) else ""


_PLAIN = _Look()
_OFF = ("0", "false", "off", "none")
_FORMAT_FIELDS = ("vanish", "tiny", "ink", "ground", "highlight")


@dataclass(frozen=True, slots=True)
class _Style:
    level: int = 0  # of a heading, 0: it is none
    look: _Look = _PLAIN


class _Styles:
    """The styles of a document with what they take from those they are based on."""

    def __init__(self, root: Any) -> None:
        self._definitions: dict[str, tuple[str, str, int | None, _Look]] = {}  # based on, name, outline level, look
        self._styles: dict[str, _Style] = {"": _Style()}
        self._usual: dict[str, str] = {}
        self._shades: set[str] = set()  # tables of which put something behind a cell
        for style in root if root is not None else ():
            if _local(style) != "style":
                continue
            identity, base, name = _value(style, "styleId"), _child(style, "basedOn"), _child(style, "name")
            paragraph, run = _child(style, "pPr"), _child(style, "rPr")
            self._definitions[identity] = (
                _value(base, "val") if base is not None else "",
                _value(name, "val").lower() if name is not None else "",
                _outline_level(paragraph),
                replace(_Look.of(run), has_ground=True) if _shades(paragraph) else _Look.of(run),
            )
            if any(_shades(part) for part in style.iter() if _local(part) in ("tcPr", "tblPr", "pPr", "trPr")):
                self._shades.add(identity)
            if _value(style, "type") == "paragraph" and _value(style, "default") in ("1", "true", "on"):
                self._usual["pStyle"] = identity

    def of(self, properties: Any, kind: str) -> _Style:
        """Return the style that a paragraph ('pStyle') or a run ('rStyle') names, or the usual one."""
        reference = _child(properties, kind) if properties is not None else None
        return self._style(_value(reference, "val") if reference is not None else self._usual.get(kind, ""))

    def shades(self, properties: Any) -> bool:
        """Tell whether the style that a table names puts something behind cells of it."""
        reference = _child(properties, "tblStyle") if properties is not None else None
        at = _value(reference, "val") if reference is not None else ""
        for _ in range(20):
            if at in self._shades or (at and at not in self._definitions):
                return True
            at = self._definitions[at][0] if at else ""
        return False

    def _style(self, identity: str) -> _Style:
        if identity not in self._styles:
            chain: list[str] = []
            at = identity
            while at in self._definitions and at not in chain and len(chain) < 20:
                chain.append(at)
                at = self._definitions[at][0]
            level, look = 0, _PLAIN
            for each in reversed(chain):
                _, name, outline_level, own = self._definitions[each]
                heading = re.fullmatch(r"heading ([1-9])", name)
                level = int(heading.group(1)) if heading else level
                level = outline_level if outline_level is not None else level
                look = look.over(own)
            self._styles[identity] = _Style(level, look)
        return self._styles[identity]


def _outline_level(properties: Any) -> int | None:
    """Return the level of a heading from 1, 0 for the level of body text, None where none is stated."""
    element = _child(properties, "outlineLvl") if properties is not None else None
    digits = _value(element, "val") if element is not None else ""
    return None if not digits.isdigit() or len(digits) > 2 else int(digits) + 1 if int(digits) < 9 else 0
