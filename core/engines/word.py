"""Word documents (.docx): text, tables, notes, comments, headers. Embedded objects and macros are never opened.

Read from the XML itself, because only there a hidden or deleted run can be told from a visible one.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from core.domain import PageText
from core.engines import plain
from core.engines.package import BROKEN, check_package, damaged
from core.engines.package import child as _child
from core.engines.package import local as _local
from core.engines.package import told as stated
from core.engines.package import value as _value
from core.engines.package import xml_part as _xml
from core.errors import UnreadableDocument
from core.ports import Outline


def read(data: bytes, name: str) -> Iterator[Outline | PageText]:
    package = check_package(data, name)
    try:
        main = _main_part(package, name)
        document = _Document(
            footnotes=_notes(package, name, main, "footnotes", "footnote"),
            endnotes=_notes(package, name, main, "endnotes", "endnote"),
            comments=_notes(package, name, main, "comments", "comment"),
        )
        root = _xml(package, main, name)
        if root is None:
            raise damaged(name)
        pages = document.pages(root, _margins(package, name, main, "header"), _margins(package, name, main, "footer"))
        told = stated(package, name)
    except (*BROKEN, etree.LxmlError, RecursionError, KeyError, ValueError) as error:
        raise damaged(name) from error
    if not any(page.text.strip() for page in pages):
        raise UnreadableDocument(
            reason=f"{name} holds no text.", remedy="If it shows pictures of text, save it as PDF and add that."
        )
    yield Outline(kind="docx", pages=len(pages), **told)
    yield from pages


# --- the package -----------------------------------------------------------------------------------------------------


def _main_part(package: zipfile.ZipFile, name: str) -> str:
    root = _xml(package, "_rels/.rels", name)
    if root is not None:
        for relation in root:
            if str(relation.get("Type", "")).endswith("/officeDocument"):
                return str(relation.get("Target", "")).lstrip("/")
    return "word/document.xml"


def _related(package: zipfile.ZipFile, name: str, main: str, kind: str) -> list[str]:
    folder, file = posixpath.split(main)
    root = _xml(package, f"{folder}/_rels/{file}.rels", name)
    if root is None:
        return []
    found = []
    for relation in root:
        if str(relation.get("Type", "")).endswith(f"/{kind}") and relation.get("TargetMode") != "External":
            target = str(relation.get("Target", ""))
            found.append(target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"{folder}/{target}"))
    return sorted(set(found))


def _notes(package: zipfile.ZipFile, name: str, main: str, kind: str, tag: str) -> dict[str, tuple[str, str]]:
    """Notes by id: who wrote it (comments only) and its text."""
    notes: dict[str, tuple[str, str]] = {}
    for part in _related(package, name, main, kind):
        root = _xml(package, part, name)
        for note in root if root is not None else ():
            if _local(note) == tag and _value(note, "type") not in ("separator", "continuationSeparator"):
                text = " ".join(_Document().plain_text(note).split())
                if text:
                    notes[_value(note, "id")] = (_value(note, "author"), text)
    return notes


def _margins(package: zipfile.ZipFile, name: str, main: str, kind: str) -> list[str]:
    """The different texts of all headers or footers."""
    texts: dict[str, None] = {}
    for part in _related(package, name, main, kind):
        root = _xml(package, part, name)
        if root is not None:
            text = _Document().plain_text(root).strip()
            if re.search(r"[^\W\d_]", text):  # a page number alone says nothing
                texts.setdefault(text)
    return list(texts)


def _is_on(properties: Any, name: str) -> bool:
    flag = _child(properties, name) if properties is not None else None
    return flag is not None and _value(flag, "val") not in ("0", "false", "off", "none")


# --- the text --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Document:
    """Walks through the body and writes pages. A page ends where Word broke it when it last saved the file.

    A file that no office program has laid out has no such marks; it becomes one flowing text.
    """

    footnotes: dict[str, tuple[str, str]] = field(default_factory=dict)
    endnotes: dict[str, tuple[str, str]] = field(default_factory=dict)
    comments: dict[str, tuple[str, str]] = field(default_factory=dict)
    _done: list[tuple[str, list[tuple[int, int]]]] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)
    _length: int = 0
    _gap: str = ""
    _hidden: list[tuple[int, int]] = field(default_factory=list)
    _aside: list[str] = field(default_factory=list)  # notes and comments of the page in hand
    _cell: int = 0  # depth of table cells

    def pages(self, root: Any, headers: list[str], footers: list[str]) -> list[PageText]:
        for header in headers:
            self._write(header, hidden=False)
            self._space("\n\n")
        body = _child(root, "body")
        self._blocks(body if body is not None else root)
        self._aside.extend(footers)
        self._end_page()
        if len(self._done) == 1:
            text, hidden = self._done[0]
            cut = plain.pages(text)
            return _shared_out(cut, hidden) if len(cut) > 1 else [_page(1, text, hidden)]
        return [_page(number, text, spans) for number, (text, spans) in enumerate(self._done, start=1)]

    def plain_text(self, root: Any) -> str:
        self._blocks(root)
        return "".join(self._parts)

    def _write(self, text: str, *, hidden: bool) -> None:
        if not text:
            return
        if self._gap and self._parts:
            self._parts.append(self._gap)
            self._length += len(self._gap)
        self._gap = ""
        text = plain.clean(text).replace("\f", "\n")
        if hidden:
            self._hidden.append((self._length, self._length + len(text)))
        self._parts.append(text)
        self._length += len(text)

    def _space(self, gap: str) -> None:
        if self._cell:
            gap = " "
        held = self._gap.rstrip("\t") or self._gap[:1]
        if plain.GAPS.index(gap) > plain.GAPS.index(held):
            self._gap = gap

    def _end_page(self) -> None:
        for note in self._aside:
            self._gap = "\n\n"
            self._write(note, hidden=False)
        self._aside = []
        self._done.append(("".join(self._parts), self._hidden))
        self._parts, self._length, self._gap, self._hidden = [], 0, "", []

    def _blocks(self, element: Any) -> None:
        for child in element:
            tag = _local(child)
            if tag == "p":
                self._paragraph(child)
            elif tag == "tbl":
                self._table(child)
            elif tag in ("sdt", "sdtContent", "customXml", "body", "hdr", "ftr", "ins", "moveTo", "AlternateContent"):
                self._blocks(_preferred(child) if tag == "AlternateContent" else child)

    def _paragraph(self, paragraph: Any) -> None:
        properties = _child(paragraph, "pPr")
        shaded = self._cell > 0 or (properties is not None and _child(properties, "shd") is not None)
        boxes: list[Any] = []
        self._space("\n\n")
        self._runs(paragraph, shaded, boxes)
        self._space("\n\n")
        for box in boxes:
            self._blocks(box)
            self._space("\n\n")

    def _table(self, table: Any) -> None:
        outermost = self._cell == 0
        self._space("\n\n")
        for row in _inside(table, "tr"):
            self._space("\n")
            for number, cell in enumerate(_inside(row, "tc")):
                if outermost and number:
                    # An empty cell leaves its tab, so that columns stay columns.
                    self._gap = self._gap.rstrip(" ") + "\t"
                self._cell += 1
                self._blocks(cell)
                self._cell -= 1
            if outermost and not self._gap.startswith("\n"):
                self._gap = "\n"
            else:
                self._space("\n")
        self._space("\n\n")

    def _runs(self, element: Any, shaded: bool, boxes: list[Any]) -> None:
        for child in element:
            tag = _local(child)
            if tag == "r":
                self._run(child, _unseen_run(child, shaded), shaded, boxes)
            elif tag == "AlternateContent":
                self._runs(_preferred(child), shaded, boxes)
            elif tag == "t":  # a formula
                self._write(child.text or "", hidden=False)
            elif tag not in ("pPr", "rPr", "del", "moveFrom", "sdtPr", "tblPr", "delText", "instrText"):
                self._runs(child, shaded, boxes)

    def _run(self, run: Any, hidden: bool, shaded: bool, boxes: list[Any]) -> None:
        for child in run:
            match _local(child):
                case "t":
                    self._write(child.text or "", hidden=hidden)
                case "tab" | "ptab":
                    self._write("\t" if not self._cell else " ", hidden=False)
                case "br" if _value(child, "type") not in ("page", "column"):
                    self._write("\n" if not self._cell else " ", hidden=False)
                case "br":
                    self._space("\n\n")
                case "cr":
                    self._write("\n" if not self._cell else " ", hidden=False)
                case "noBreakHyphen":
                    self._write("-", hidden=hidden)
                case "softHyphen":
                    self._write("\u00ad", hidden=hidden)
                case "lastRenderedPageBreak":
                    if not self._cell and (self._parts or self._done):
                        self._end_page()
                case "footnoteReference":
                    self._refer(self.footnotes.get(_value(child, "id")), "Footnote")
                case "endnoteReference":
                    self._refer(self.endnotes.get(_value(child, "id")), "Endnote")
                case "commentReference":
                    self._refer(self.comments.get(_value(child, "id")), "Comment")
                case "AlternateContent" | "drawing" | "pict" | "object":
                    preferred = _preferred(child) if _local(child) == "AlternateContent" else child
                    boxes.extend(box for box in preferred.iter() if _local(box) == "txbxContent" and not _in_box(box))

    def _refer(self, note: tuple[str, str] | None, kind: str) -> None:
        if note is not None:
            author, text = note
            self._aside.append(f"{kind} by {author}: {text}" if author else f"{kind}: {text}")


def _inside(element: Any, tag: str) -> Iterator[Any]:
    """Children named ``tag``, also those wrapped in content controls or tracked insertions."""
    for child in element:
        name = _local(child)
        if name == tag:
            yield child
        elif name in ("sdt", "sdtContent", "customXml", "ins"):
            yield from _inside(child, tag)


def _preferred(alternate: Any) -> Any:
    """One of the alternatives, because they say the same: the first with text."""
    options = [child for child in alternate if _local(child) in ("Choice", "Fallback")]
    for option in options:
        if any(_local(found) == "t" and found.text for found in option.iter()):
            return option
    return options[0] if options else alternate


def _in_box(box: Any) -> bool:
    """Whether a text box lies in another one, which writes it."""
    parent = box.getparent()
    while parent is not None:
        if _local(parent) == "txbxContent":
            return True
        parent = parent.getparent()
    return False


def _unseen_run(run: Any, shaded: bool) -> bool:
    """Hidden by its format: the 'hidden' attribute, white without a ground, or at most one point high."""
    properties = _child(run, "rPr")
    if properties is None:
        return False
    if _is_on(properties, "vanish") or _is_on(properties, "specVanish"):
        return True
    size = _child(properties, "sz")
    if size is not None and _value(size, "val").isdigit() and int(_value(size, "val")) <= 2:  # half points
        return True
    color = _child(properties, "color")
    if color is None or shaded or _value(color, "val").upper() != "FFFFFF":
        return False
    return _child(properties, "shd") is None and _child(properties, "highlight") is None


def _page(number: int, text: str, hidden: list[tuple[int, int]], label: str = "") -> PageText:
    source = "embedded" if text.strip() else "none"
    spans = plain.merged([span for span in hidden if span[1] > span[0]] + list(plain.unseen(text)))
    return PageText(number, text, source=source, label=label, hidden=spans)


def _shared_out(cut: list[PageText], hidden: list[tuple[int, int]]) -> list[PageText]:
    """Hidden spans of a long text given to the parts it was cut into."""
    result, at = [], 0
    for page in cut:
        end = at + len(page.text)
        mine = [(max(s, at) - at, min(e, end) - at) for s, e in hidden if s < end and e > at]
        result.append(_page(page.number, page.text, mine, page.label))
        at = end
    return result
