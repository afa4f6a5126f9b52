"""Word documents (.docx): text, tables, notes, comments, headers, charts, forms. Macros are never opened.

Read from the XML itself, because only there a hidden, struck or deleted run can be told from a visible one. What lies
in the package beside the text is handed out or named.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from core import formats
from core.domain import LeftOut, PageText
from core.engines.readers import (
    attachments,
    docx_drawing,
    docx_ledger,
    drawing_chart,
    office_math,
    package_parts,
    symbol_fonts,
    table_text,
    text_flow,
    word_fields,
    xml_residue,
)
from core.engines.readers.docx_look import Look, Styles, list_of, outline_level, shades
from core.engines.readers.docx_numbering import Numbering
from core.engines.readers.ooxml_package import (
    ARCHIVE_ERRORS,
    check_package,
    core_properties,
    damaged_file,
    raw_part,
    related_parts,
    xml_part,
)
from core.engines.readers.ooxml_package import child as _child
from core.engines.readers.ooxml_package import local as _local
from core.engines.readers.ooxml_package import value as _value
from core.engines.readers.raised import lowered, raised
from core.errors import UnreadableDocument
from core.ports import Attachment, Outline

_Items = Iterator[Outline | PageText | Attachment | LeftOut]
ReadPart = Callable[[bytes, str], _Items]  # reads a part that is a file of its own, by its content and name

_DEEPEST = 4  # documents imported into imported documents
_IMPORTS = 200  # parts imported into one document
_REPEATS = 3  # times that one part is imported
_CELL = 2_000  # characters of a cell, from which a table is one that only places text
_CONTAINERS = {
    "sdt", "sdtContent", "customXml", "body", "hdr", "ftr", "ins", "moveTo", "AlternateContent", "smartTag", "rubyBase",
}  # fmt: skip


def read(
    data: bytes, name: str, *, note_marks: bool = False, read_part: ReadPart | None = None, depth: int = 0
) -> _Items:
    """Read a Word document: its outline, its pages, with marks of its notes, then what lies beside its text.

    ``read_part`` reads the parts of other formats that the document imports. Raises UnreadableDocument.
    """
    package = check_package(data, name)
    source = _Source(package, name, read_part, depth)
    try:
        main = _main_part(source)
        root = source.xml(main)
        if root is None:
            raise damaged_file(name)
        pages = _pages(source, main, root, note_marks=note_marks)
        properties = core_properties(package, name)
    except (*ARCHIVE_ERRORS, etree.LxmlError, RecursionError, KeyError, ValueError) as error:
        raise damaged_file(name) from error
    net = xml_residue.Net([page.text for page in pages], source.ledger)
    for part, text_root in source.roots.items():
        net.count(text_root, part, texts=("t", "delText"))
    beside = [*source.items, *package_parts.rest(package, name, source.parts, source.ledger, source.children)]
    beside += source.children.rest()
    if not any(page.text.strip() for page in pages):
        files = [item.name for item in beside if isinstance(item, Attachment)]
        if not files:
            raise UnreadableDocument(
                reason=f"{name} contains no text.", remedy="If it shows pictures of text, save it as PDF and add that."
            )
        pages = [text_flow.page(1, "\n".join(["Pictures and files:", *(f"- {file}" for file in files)]), [])]
    yield Outline("docx", len(pages), properties["title"], properties["author"], file_date=properties["date"])
    yield from pages
    yield from beside


def _pages(source: _Source, main: str, root: Any, *, note_marks: bool) -> list[PageText]:
    numbering = Numbering.of(source.related_xml(main, "numbering"))
    context = _Context(source, Styles(source.related_xml(main, "styles"), numbering), numbering, note_marks=note_marks)
    for part in source.related(main, "footnotes"):
        context.footnotes |= _notes(context, part, "footnote")
    for part in source.related(main, "endnotes"):
        context.endnotes |= _notes(context, part, "endnote")
    for part in source.related(main, "comments"):
        context.comments |= _notes(context, part, "comment")
    headers, footers = _margins(context, main, "header"), _margins(context, main, "footer")
    context.moved = "".join(text.text or "" for move in root.iter("{*}moveTo") for text in move.iter("{*}t"))
    document = _Document(context, main)
    source.related_xml(main, "settings")  # for the ledger
    return document.pages(root, headers, footers)


# --- the package -----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Source:
    """The package of a document, which of its parts gave text, and what else is to be handed out."""

    package: zipfile.ZipFile
    name: str
    read_part: ReadPart | None = None
    depth: int = 0
    parts: set[str] = field(default_factory=set)
    items: list[Attachment | LeftOut] = field(default_factory=list)
    children: attachments.Children = field(default_factory=attachments.Children)
    ledger: package_parts.Ledger = field(default_factory=package_parts.Ledger)
    imports: Counter[str] = field(default_factory=Counter)
    roots: dict[str, Any] = field(default_factory=dict)  # of the parts whose text is taken
    _relations: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)

    def xml(self, part: str) -> Any:
        """Return the root of a part whose text is taken, or None."""
        self.parts.add(part)
        root = xml_part(self.package, part, self.name)
        if root is not None and part not in self.roots:
            docx_ledger.count(root, part, self.ledger)
            self.roots[part] = root
        return root

    def odd_xml(self, part: str, what: str) -> Any:
        """Return the root of a part that the text does without: one that is damaged is named."""
        try:
            root = self.xml(part)
        except (UnreadableDocument, *ARCHIVE_ERRORS, etree.LxmlError, ValueError):
            root = None
        if root is None:
            self.ledger.add(f"damaged {what}", part)
        return root

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """Return the relations of a part: id -> (kind, part)."""
        if part not in self._relations:
            self._relations[part] = related_parts(self.package, self.name, part)
        return self._relations[part]

    def related(self, part: str, kind: str) -> list[str]:
        """Return the parts of a kind that a part refers to."""
        return sorted({target for its_kind, target in self.relations(part).values() if its_kind == kind})

    def related_xml(self, part: str, kind: str) -> Any:
        """Return the root of the first part of a kind that a part refers to, or None."""
        return next((self.xml(target) for target in self.related(part, kind)), None)

    def import_part(self, part: str) -> Iterator[text_flow.Piece]:
        """Yield the text of a part that is a file of another format; what lies in it is handed out with the rest."""
        file = part.rpartition("/")[2]
        self.imports[part] += 1
        self.parts.add(part)
        if self.imports[part] > _REPEATS:
            self.ledger.add("repetition of an imported part", part)
            return
        if self.imports.total() > _IMPORTS or self.depth >= _DEEPEST or self.read_part is None:
            self.ledger.add("imported part beyond the limit", part)
            return
        try:
            data = raw_part(self.package, part, self.name)
            if data is None:
                self.ledger.add("imported part that is missing", part)
                return
            for item in self._read_part(data, file + self._ending(part, data)):
                if isinstance(item, PageText):
                    yield text_flow.piece_of(item)
                elif isinstance(item, Attachment | LeftOut):
                    self.items.append(item)
        except UnreadableDocument as error:
            self.items.append(Attachment(file, b"", error.sentence, error.hint))

    def _read_part(self, data: bytes, file: str) -> _Items:
        if data.startswith(b"PK") and b"word/" in data:
            yield from read(data, file, read_part=self.read_part, depth=self.depth + 1)
        elif self.read_part is not None:
            yield from self.read_part(data, file)

    def _ending(self, part: str, data: bytes) -> str:
        """Return the usual ending of the type that the package states for a part, '' where its name has one."""
        types = xml_part(self.package, "[Content_Types].xml", self.name)
        extension = part.rpartition(".")[2].lower()
        kind = ""
        for item in types if types is not None else ():
            if _value(item, "PartName").lstrip("/") == part:
                kind = _value(item, "ContentType")
                break
            if _value(item, "Extension").lower() == extension:
                kind = _value(item, "ContentType")
        kind = kind.partition(";")[0].strip().lower()
        if kind in ("message/rfc822", "application/x-mimearchive", "multipart/related"):
            return ".mht"
        ending = formats.TYPES.get(kind, "")
        return "" if part.lower().endswith(ending or ".") else ending


def _main_part(source: _Source) -> str:
    for kind, target in source.relations("").values():
        if kind == "officeDocument":
            return target
    return "word/document.xml"


def _notes(context: _Context, part: str, tag: str) -> dict[str, tuple[str, text_flow.Piece]]:
    """Return notes by id: who wrote it (comments only) and its text."""
    notes: dict[str, tuple[str, text_flow.Piece]] = {}
    root = context.source.xml(part)
    for note in root if root is not None else ():
        if _local(note) == tag:
            piece = _Document(context, part, out=text_flow.Flow(cell=1)).piece(note)
            if piece.text:
                notes[_value(note, "id")] = (_value(note, "author"), piece)
    return notes


def _margins(context: _Context, main: str, kind: str) -> list[text_flow.Piece]:
    """Return the different texts of all headers or footers."""
    texts: dict[str, text_flow.Piece] = {}
    for part in context.source.related(main, kind):
        root = context.source.xml(part)
        if root is not None:
            margin = _Document(context, part)
            piece = margin.piece(root)
            if re.search(r"[^\W_]", margin.own_words) or re.search(r"[^\W\d_]", piece.text):
                texts.setdefault(piece.text, piece)
    return list(texts.values())


# --- the text --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Context:
    """What all texts of a document share."""

    source: _Source
    styles: Styles
    numbering: Numbering
    note_marks: bool = False
    footnotes: dict[str, tuple[str, text_flow.Piece]] = field(default_factory=dict)
    endnotes: dict[str, tuple[str, text_flow.Piece]] = field(default_factory=dict)
    comments: dict[str, tuple[str, text_flow.Piece]] = field(default_factory=dict)
    moved: str = ""  # the words that were moved within the document, where they were moved to


@dataclass(slots=True)
class _Document:
    """A walk through the body that writes pages. A page ends where Word broke it when it last saved the file.

    A file that no office program has laid out has no such marks; it becomes one flowing text.
    """

    context: _Context
    part: str
    out: text_flow.Flow = field(default_factory=text_flow.Flow)
    marks: int = 0  # of notes so far
    has_ground: bool = False  # whether something is behind what is written now that is not white
    is_away: bool = False  # whether it is in a row that is not shown
    own_words: str = ""  # of a margin: what is no number of a page, up to the first word
    goes_on: bool = False  # whether the end of the paragraph before was deleted
    boxes: list[docx_drawing.Content] = field(default_factory=list)  # of the paragraphs joined so far
    _fields: list[word_fields.Field] = field(default_factory=list)
    _cited: set[tuple[str, str]] = field(default_factory=set)  # notes

    def pages(self, root: Any, headers: list[text_flow.Piece], footers: list[text_flow.Piece]) -> list[PageText]:
        for header in headers:
            self.out.write_piece(header)
            self.out.gap("\n\n")
        paper = _child(root, "background")
        self.has_ground = paper is not None and _value(paper, "color").upper() not in ("", "AUTO", "FFFFFF")
        body = _child(root, "body")
        self._blocks(body if body is not None else root)
        for kind, notes in self._note_kinds():
            for identity, (author, text) in notes.items():
                if (kind, identity) not in self._cited:  # no place of the text refers to it
                    self._note(author, text, kind)
        for footer in footers:
            self.out.aside(footer)
        self.out.end_page()
        return text_flow.number_pages(self.out.pages())

    def piece(self, root: Any) -> text_flow.Piece:
        """Return the text of a note or a margin."""
        is_line = bool(self.out.cell)
        self._blocks(root)
        return self.out.whole(" " if is_line else "\n\n")

    def _note_kinds(self) -> tuple[tuple[str, dict[str, tuple[str, text_flow.Piece]]], ...]:
        context = self.context
        return ("Footnote", context.footnotes), ("Endnote", context.endnotes), ("Comment", context.comments)

    def _blocks(self, element: Any) -> None:
        for child in element:
            tag = _local(child)
            if tag == "p":
                self._paragraph(child)
            elif tag == "tbl":
                self._table(child)
            elif tag == "AlternateContent":
                self._blocks(docx_drawing.choice(child))
            elif tag == "altChunk":
                self._import(child)
            elif tag in ("oMath", "oMathPara"):
                self.out.gap("\n\n")
                self._write(office_math.text(child), Look())
                self.out.gap("\n\n")
            elif tag in ("del", "moveFrom"):
                self._deletion(child)
            elif tag == "subDoc":
                self.context.source.ledger.add("part of the text in another file", "outside the file")
            elif tag in _CONTAINERS or (tag and not tag.endswith("Pr") and len(child)):
                self._blocks(child)

    def _import(self, element: Any) -> None:
        _kind, target = self.context.source.relations(self.part).get(_value(element, "id"), ("", ""))
        if not target:
            self.context.source.ledger.add("imported part that is missing", self.part)
            return
        for piece in self.context.source.import_part(target):
            self.out.gap("\n\n")
            if self.out.cell:
                self.out.write(piece.text)
            else:
                self.out.write_piece(piece)
            self.out.gap("\n\n")

    def _paragraph(self, paragraph: Any) -> None:
        properties = _child(paragraph, "pPr")
        style = self.context.styles.of(properties, "pStyle")
        has_ground = self.has_ground or bool(shades(properties))
        boxes: list[docx_drawing.Content] = []
        if not self.goes_on:
            self.out.gap("\n\n")
            self._begin(_child(_end_of(paragraph), "pPr"))
        self.goes_on = _next_joined(paragraph) is not None
        self._runs(paragraph, style.look.on_ground() if has_ground else style.look, boxes)
        if self.goes_on:
            self.boxes += boxes
            return
        boxes, self.boxes = [*self.boxes, *boxes], []
        self.out.end_heading()
        self.out.gap("\n\n")
        had_ground = self.has_ground
        for box in boxes:
            self.has_ground = had_ground or not docx_drawing.is_clear(box.element)
            self._content(box)
            self.has_ground = had_ground
            self.out.gap("\n\n")

    def _begin(self, properties: Any) -> None:
        """Begin a paragraph of these properties: as a heading if it is one, with the label of its list."""
        style = self.context.styles.of(properties, "pStyle")
        level = outline_level(properties)
        level = style.level if level is None else level
        if level and not self.out.cell:
            self.out.heading(level)
        own_list, own_level = list_of(properties)
        list_level = int(own_level) if own_level.isdecimal() and len(own_level) < 3 else style.list_level
        label = self.context.numbering.label(own_list or style.list_id, list_level)
        if label:
            self._write(label, Look())
            self.out.gap(" ")

    def _content(self, content: docx_drawing.Content) -> None:
        """Write what is in a drawing."""
        source = self.context.source
        if content.kind == "box":
            self._blocks(content.element)
            return
        text = content.text
        if content.kind in ("chart", "diagram"):
            _, target = source.relations(self.part).get(text, ("", ""))
            root = source.odd_xml(target, content.kind) if target else None
            if root is None:
                text = ""
            elif content.kind == "diagram":
                text = "\n".join(docx_drawing.diagram_lines(root))
            else:
                text = self._chart(target)
        self._write(text, Look())

    def _chart(self, part: str) -> str:
        source = self.context.source
        try:
            lines = [drawing_chart.chart(raw_part(source.package, part, source.name) or b"", source.name).text]
        except (UnreadableDocument, etree.LxmlError, ValueError):
            source.ledger.add("damaged chart", part)
            return ""
        for kind, target in source.relations(part).values():
            root = source.odd_xml(target, "drawing in a chart") if kind == "chartUserShapes" else None
            if root is not None:
                lines += ["".join(text.text or "" for text in line.iter("{*}t")) for line in root.iter("{*}p")]
        return "\n".join(line for line in lines if line)

    def _table(self, table: Any) -> None:
        rows = [(row, list(_inside(row, "tc"))) for row in _inside(table, "tr")]
        is_grid = not self.out.cell and any(len(cells) > 1 for _, cells in rows)
        is_grid = is_grid and next(_nested(table), None) is None
        had_ground, was_away = self.has_ground, self.is_away
        properties = _child(table, "tblPr")
        has_ground = had_ground or self.context.styles.shades(properties) or bool(shades(properties))
        self.out.gap("\n\n")
        about = (
            [_child(properties, name) for name in ("tblCaption", "tblDescription")] if properties is not None else []
        )
        texts = list(dict.fromkeys(_value(element, "val") for element in about if element is not None))
        # The description often begins with the caption.
        words = ". ".join(texts[1:] if len(texts) > 1 and texts[1].startswith(texts[0]) else texts)
        if words:
            self._write(f"[table: {words}]", Look())
            self.out.gap("\n\n")
        grid: list[list[text_flow.Piece | None]] = []
        headings = 0
        for row, cells in rows:
            row_properties = _child(row, "trPr")
            self.is_away = was_away or _is_on(row_properties, "hidden")
            if _is_on(row_properties, "tblHeader") and headings == len(grid):
                headings += 1
            pieces: list[text_flow.Piece | None] = [text_flow.Piece("")] * _count(row_properties, "gridBefore")
            for cell in cells:
                cell_ground = shades(_child(cell, "tcPr"))
                self.has_ground = has_ground if cell_ground is None else cell_ground
                if is_grid:
                    piece: text_flow.Piece | None = self._cell(cell)
                    if _goes_on(cell) and piece is not None and not piece.text:
                        piece = table_text.above(grid, len(pieces))
                    pieces += [piece, *[None] * (_count(_child(cell, "tcPr"), "gridSpan") - 1)]
                else:
                    self._blocks(cell)
                    self.out.gap("\n\n")
                self.has_ground = had_ground
            grid.append(pieces)
        self.is_away = was_away
        if is_grid and any(len(piece.text) > _CELL for row in grid for piece in row if piece is not None):
            for piece in (piece for row in grid for piece in row if piece is not None):
                self.out.write_piece(piece)
                self.out.gap("\n\n")
        elif is_grid:
            self.out.write_piece(table_text.piece(grid, headings or None))
        self.out.gap("\n\n")

    def _cell(self, cell: Any) -> text_flow.Piece:
        outer, self.out = self.out, text_flow.Flow(cell=1)
        self._blocks(cell)
        piece = self.out.piece().strip()
        outer.take_asides(self.out)
        self.out = outer
        return piece

    def _runs(self, element: Any, look: Look, boxes: list[docx_drawing.Content]) -> None:
        for child in element:
            tag = _local(child)
            if tag == "r":
                properties = _child(child, "rPr")
                if properties is None:
                    self._run(child, look, boxes)
                    continue
                style_look = look.over(self.context.styles.of(properties, "rStyle").look)
                self._run(child, style_look.over(Look.of(properties)), boxes)
            elif tag == "AlternateContent":
                self._runs(docx_drawing.choice(child), look, boxes)
            elif tag in ("oMath", "oMathPara"):
                self._write(office_math.text(child, self.out.last), look)
            elif tag in ("del", "moveFrom"):
                self._deletion(child)
            elif tag == "bdo" and _value(child, "val") == "rtl":  # shown from right to left, letter by letter
                self.out.write(text_flow.REVERSED[0])
                self._runs(child, look, boxes)
                self.out.write(text_flow.REVERSED[1])
            elif tag == "fldSimple":
                self._fields.append(word_fields.Field([_value(child, "instr")], is_result=True))
                self._runs(child, look, boxes)
                self._end_field(look)
            elif tag == "sdt" and (mark := word_fields.control_value(_child(child, "sdtPr"))) is not None:
                self._write(mark, look)
            elif tag == "subDoc":
                self.context.source.ledger.add("part of the text in another file", "outside the file")
            elif tag not in ("pPr", "rPr", "sdtPr", "tblPr", "delText", "instrText"):
                self._runs(child, look, boxes)

    def _deletion(self, change: Any) -> None:
        """Write what a tracked change took out aside: it is no text of the document, but still in the file."""
        is_move = _local(change) == "moveFrom"
        text = "".join(element.text or "" for element in change.iter("{*}t" if is_move else "{*}delText")).strip()
        if is_move and text in self.context.moved:
            return  # it is where it was moved to
        who = _value(change, "author")
        if re.search(r"\w", text):
            self.out.aside(f"Deleted by {who}: {text}" if who else f"Deleted: {text}", reason="unseen")

    def _write(self, text: str, look: Look) -> None:
        """Write text in the look of its run."""
        reason = "unseen" if self.is_away else look.unseen
        if self._fields:
            if any(not open_field.is_result for open_field in self._fields[:-1]):  # inside the code of another field
                reason = reason or "unseen"
            if word_fields.form_value(self._fields[-1].form) is not None and self._fields[-1].is_result:
                return  # the state of the field is written
            self._fields[-1].has_result = self._fields[-1].has_result or bool(text.strip())
        if not self.own_words.strip() and not any(open_field.is_page_number for open_field in self._fields):
            self.own_words = text
        if look.font:
            text = symbol_fonts.text(look.font, text)
        if look.shift == "superscript":
            text = raised(text)
        elif look.shift == "subscript":
            text = lowered(text)
        self.out.write(text, reason=reason, is_struck=bool(look.strike))

    def _run(self, run: Any, look: Look, boxes: list[docx_drawing.Content]) -> None:
        for child in run:
            match _local(child):
                case "t":
                    self._write(child.text or "", look)
                case "tab" | "ptab":
                    self.out.write("\t")
                case "br" if _value(child, "type") not in ("page", "column"):
                    self.out.write("\n")
                case "br":
                    self.out.gap("\n\n")
                case "cr":
                    self.out.write("\n")
                case "noBreakHyphen":
                    self._write("-", look)
                case "softHyphen":
                    self._write("\u00ad", look)
                case "sym":
                    self._write(_symbol(child), look)
                case "lastRenderedPageBreak":
                    if not self.out.cell and self.out.has_text:
                        self.out.end_page()
                case "footnoteReference":
                    self._refer(_value(child, "id"), self.context.footnotes, "Footnote")
                case "endnoteReference":
                    self._refer(_value(child, "id"), self.context.endnotes, "Endnote")
                case "commentReference":
                    self._refer(_value(child, "id"), self.context.comments, "Comment")
                case "ruby":
                    self._ruby(child, look, boxes)
                case "fldChar":
                    self._field(child, look)
                case "instrText" if self._fields:
                    self._fields[-1].code.append(child.text or "")
                case "AlternateContent" | "drawing" | "pict" | "object":
                    inside = docx_drawing.choice(child) if _local(child) == "AlternateContent" else child
                    for content in docx_drawing.contents(inside):
                        if content.kind == "alt":
                            self._write(f"[picture: {content.text}]", look)
                        else:
                            boxes.append(content)

    def _ruby(self, ruby: Any, look: Look, boxes: list[docx_drawing.Content]) -> None:
        """Write characters, and behind them in brackets how they are said."""
        base, above = _child(ruby, "rubyBase"), _child(ruby, "rt")
        if base is not None:
            self._runs(base, look, boxes)
        if above is not None:
            self._write("(", look)
            self._runs(above, look, boxes)
            self._write(")", look)

    def _field(self, mark: Any, look: Look) -> None:
        match _value(mark, "fldCharType"):
            case "begin":
                form = _child(mark, "ffData")
                state = word_fields.form_value(form)
                if state:
                    self._write(state, look)
                self._fields.append(word_fields.Field(form=form))
            case "separate" if self._fields:
                self._fields[-1].is_result = True
            case "end" if self._fields:
                self._end_field(look)

    def _end_field(self, look: Look) -> None:
        """Write the end of a field, separated from a number before it."""
        field = self._fields.pop()
        docx_ledger.count_field(field.kind, "".join(field.code), self.part, self.context.source.ledger)
        text = field.end()
        self._write(f" {text}" if text[:1].isdigit() and self.out.last.isdigit() else text, look)

    def _refer(self, identity: str, notes: dict[str, tuple[str, text_flow.Piece]], kind: str) -> None:
        note = notes.get(identity)
        if note is None:
            return
        self._cited.add((kind, identity))
        author, text = note
        if self.context.note_marks and kind != "Comment":
            self.marks += 1
            self.out.write(f"[^{self.marks}]")
            kind = f"[^{self.marks}]"
        self._note(author, text, kind)

    def _note(self, author: str, text: text_flow.Piece, kind: str) -> None:
        lead = text_flow.Piece(f"{kind} by {author}:" if author else f"{kind}:")
        self.out.aside(text_flow.join([lead, text], " "))


def _next_joined(paragraph: Any) -> Any:
    """Return the paragraph that a tracked change joins to this one by deleting its end, or None."""
    properties = _child(paragraph, "pPr")
    mark = _child(properties, "rPr") if properties is not None else None
    if mark is None or (_child(mark, "del") is None and _child(mark, "moveFrom") is None):
        return None
    following = paragraph.getnext()
    # Of a bookmark, a comment, a move; or what Word marks as misspelt.
    while following is not None and _local(following).endswith(("Start", "End", "proofErr")):
        following = following.getnext()
    return following if following is not None and _local(following) == "p" else None


def _end_of(paragraph: Any) -> Any:
    """Return the last of the paragraphs that are joined from this one on: what they are joined to has its looks."""
    while (following := _next_joined(paragraph)) is not None:
        paragraph = following
    return paragraph


def _inside(element: Any, tag: str) -> Iterator[Any]:
    """Yield children named ``tag``, also those wrapped in content controls or tracked insertions."""
    for child in element:
        name = _local(child)
        if name == tag:
            yield child
        elif name in ("sdt", "sdtContent", "customXml", "ins", "smartTag"):
            yield from _inside(child, tag)


def _goes_on(cell: Any) -> bool:
    """Return whether a cell is the lower part of the one above it."""
    properties = _child(cell, "tcPr")
    merge = _child(properties, "vMerge") if properties is not None else None
    return merge is not None and _value(merge, "val") != "restart"


def _nested(table: Any) -> Iterator[Any]:
    """Yield the tables inside a table, those in text boxes left out."""
    for item in table.iter("{*}tbl"):
        if item is not table and not any(_local(ancestor) == "txbxContent" for ancestor in _between(item, table)):
            yield item


def _between(element: Any, outer: Any) -> Iterator[Any]:
    for parent in element.iterancestors():
        if parent is outer:
            return
        yield parent


def _is_on(properties: Any, name: str) -> bool:
    switch = _child(properties, name) if properties is not None else None
    return switch is not None and _value(switch, "val").lower() not in ("0", "false", "off")


def _count(properties: Any, name: str) -> int:
    """Return a number of columns that properties state, at most 63; that of a span is 1 where none is stated."""
    element = _child(properties, name) if properties is not None else None
    digits = _value(element, "val") if element is not None else ""
    return min(int(digits), 63) if digits.isdecimal() and len(digits) < 4 else 0


def _symbol(element: Any) -> str:
    """Return a character that is named by its number; those of symbol fonts have their own meaning."""
    digits = _value(element, "char")
    code = int(digits, 16) if re.fullmatch(r"[0-9A-Fa-f]{1,6}", digits) else 0
    font = _value(element, "font")
    if code and symbol_fonts.is_symbolic(font):
        return symbol_fonts.character(font, code)
    return chr(code) if 0x20 <= code < 0xE000 or 0xF900 <= code < 0x110000 else "\ufffd" if code else ""
