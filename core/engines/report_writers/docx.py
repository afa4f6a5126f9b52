"""A text document with python-docx: real headings, the matrix on a page that lies on its side, pictures with words.

Nothing in it leads outside: no link but to its own bookmarks, no field but page numbers, no template, no macro.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Any

from docx import Document
from docx.enum.section import WD_ORIENT, WD_SECTION
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Emu, Mm, Pt, RGBColor
from lxml import etree

from core.engines.report_writers.dispatch import moment, png_size

_FILLS = {"CC": "8DBBE8", "C": "CFE3F6", "N": "ECEFF2", "I": "FBD3A6", "II": "EF9A4A"}
_SHAPES = {"CC": " ▲▲", "C": " ▲", "N": " ●", "I": " ▼", "II": " ▼▼", "NA": " ○"}
_INK, _MUTED, _RULE, _OUTLINE = "1B1F24", "5B6570", "CFD6DD", "6A4FA3"
_SANS, _SERIF, _MONO = "Calibri", "Cambria", "Consolas"
_PER_POINT = 2.0  # pixels of a picture that make a point on paper
_WIDE, _TALL = Mm(297), Mm(210)
_MARGIN = Mm(18)
_EDGE = Mm(8)  # of the page, to the marking
_ID_BEHIND = re.compile("\u2002(\\([^()\u2002\n]{1,20}\\))")  # see core.report.wording.behind


def write(content: Mapping[str, Any], pictures: Mapping[str, bytes]) -> bytes:
    """Return the report as the bytes of a DOCX file."""
    document = Document()
    _bare(document, content)
    _styles(document)
    story = content["story"]
    _words(document.add_paragraph(style="Kind"), "Analysis of competing hypotheses")
    _words(document.add_paragraph(style="Title"), story["title"])
    _words(document.add_paragraph(style="Quiet"), story["subtitle"])
    page = _Page(document, pictures)
    for section in story["sections"]:
        page.section(section)
    _footer(document, story["marking"])
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def _bare(document: Any, content: Mapping[str, Any]) -> None:
    """Set properties that say nothing about the computer, and take out the picture of python-docx's own template."""
    core, created_at = document.core_properties, moment(content).replace(tzinfo=None)
    core.title, core.author, core.last_modified_by = (
        content["story"]["title"][:250],
        content["story"]["author"][:250],
        "",
    )
    core.comments, core.keywords, core.subject, core.category = "", "", "", ""
    core.created = core.modified = created_at
    core.last_printed = created_at
    core.revision, core.language = 1, "en"
    package = document.part.package
    for key, relation in list(package.rels.items()):
        if relation.reltype.endswith("/thumbnail"):
            del package.rels[key]


def _styles(document: Any) -> None:
    first = document.sections[0]
    first.page_width, first.page_height = _TALL, _WIDE
    first.left_margin = first.right_margin = first.top_margin = first.bottom_margin = _MARGIN
    first.header_distance = first.footer_distance = _EDGE
    normal = document.styles["Normal"]
    _font(normal, _SANS, 10, _INK)
    normal.paragraph_format.space_after = Pt(6)
    for name, points, space_before, after in (
        ("Title", 24, 0, 4), ("Heading 1", 15, 22, 8), ("Heading 2", 11, 12, 4),
    ):  # fmt: skip
        style = document.styles[name]
        _font(style, _SANS, points, _INK, bold=True)
        style.paragraph_format.space_before, style.paragraph_format.space_after = Pt(space_before), Pt(after)
        style.paragraph_format.keep_with_next = True
        for border in style.element.findall(".//" + qn("w:pBdr")):
            border.getparent().remove(border)
    _font(document.styles["List Bullet"], _SANS, 10, _INK)
    for name, face, size, colour, bold in (
        ("Kind", _SANS, 9, _MUTED, False),
        ("Quiet", _SANS, 8.5, _MUTED, False),
        ("Lead", _SERIF, 17, _INK, False),
        ("Leader", _SERIF, 12, _INK, False),
        ("Words quoted", _SERIF, 12, _INK, False),
        ("After", _SANS, 4, _INK, False),
        ("Cell", _SANS, 8.5, _INK, False),
        ("Cell head", _SANS, 8.5, _MUTED, True),
    ):
        style = document.styles.add_style(name, 1)
        style.base_style = normal
        _font(style, face, size, colour, bold=bold)
        style.paragraph_format.space_after = Pt(0 if name.startswith("Cell") else 2 if name == "After" else 6)
    quotation = document.styles["Words quoted"]
    quotation.paragraph_format.left_indent = Pt(10)
    _border(quotation.element.get_or_add_pPr(), "left", 18, _INK)


def _font(style: Any, face: str, size: float, colour: str, *, bold: bool = False) -> None:
    style.font.name, style.font.size, style.font.bold = face, Pt(size), bold
    style.font.italic = False
    style.font.color.rgb = RGBColor.from_string(colour)
    fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
    for which in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
        fonts.attrib.pop(qn(f"w:{which}"), None)
    for which in ("ascii", "hAnsi", "cs"):
        fonts.set(qn(f"w:{which}"), face)


def _border(properties: Any, side: str, eighths: int, colour: str) -> None:
    borders = OxmlElement("w:pBdr")
    _sub(borders, f"w:{side}", val="single", sz=eighths, space=8, color=colour)
    properties.insert(0, borders)


def _sub(parent: Any, tag: str, **values: object) -> Any:
    """Add a new last child. Made by lxml itself: python-docx's own way is four times slower, and tables are large."""
    element = etree.SubElement(parent, _name(tag))
    for name, value in values.items():
        element.set(_name(f"w:{name}"), str(value))
    return element


@cache
def _name(tag: str) -> str:
    return str(qn(tag))


class _Page:
    """A writer that puts block after block into the document and turns the page where a section is wide."""

    def __init__(self, document: Any, pictures: Mapping[str, bytes]) -> None:
        self._document = document
        self._pictures = pictures
        self._marks: dict[str, str] = {}
        self._numbers = 0
        self._wide = False
        self._end = document.element.body[-1]  # the properties of the last section close the document

    def _line(self, style: str) -> Any:
        """Add a new last paragraph. Made by lxml itself: looking a style up by its name takes half a millisecond."""
        paragraph = OxmlElement("w:p")
        _sub(_sub(paragraph, "w:pPr"), "w:pStyle", val=style)
        self._end.addprevious(paragraph)
        return paragraph

    def section(self, section: Mapping[str, Any]) -> None:
        if section["wide"] != self._wide:
            self._turn(section["wide"])
        _fill(self._line("Heading1"), section["title"], strong_id=True)
        for block in section["blocks"]:
            getattr(self, f"_{block['kind']}")(block)

    def _turn(self, wide: bool) -> None:
        section = self._document.add_section(WD_SECTION.NEW_PAGE)
        section.orientation = WD_ORIENT.LANDSCAPE if wide else WD_ORIENT.PORTRAIT
        section.page_width, section.page_height = (_WIDE, _TALL) if wide else (_TALL, _WIDE)
        self._end = self._document.element.body[-1]
        self._wide = wide

    @property
    def _width(self) -> float:
        """Width of the text, in points."""
        return float(((_WIDE if self._wide else _TALL) - 2 * _MARGIN) / Pt(1))

    def _para(self, block: Mapping[str, Any]) -> None:
        style = {"lead": "Lead", "strong": "Leader", "quiet": "Quiet"}.get(block["tone"], "Normal")
        _fill(self._line(style), block["text"], strong_id=True)

    def _sub(self, block: Mapping[str, Any]) -> None:
        paragraph = self._line("Heading2")
        if not block["anchor"]:
            _fill(paragraph, block["text"], strong_id=True)
            return
        number = self._numbers = self._numbers + 1
        _sub(paragraph, "w:bookmarkStart", id=number, name=self._mark(block["anchor"]))
        _fill(paragraph, block["text"], strong_id=True)
        _sub(paragraph, "w:bookmarkEnd", id=number)

    def _mark(self, anchor: str) -> str:
        """Return the bookmark of an anchor: a name of letters and digits."""
        return self._marks.setdefault(anchor, f"mark_{anchor.replace('-', '_')[:30]}")

    def _points(self, block: Mapping[str, Any]) -> None:
        for item in block["items"]:
            _fill(self._line("ListBullet"), item, strong_id=True)

    def _quote(self, block: Mapping[str, Any]) -> None:
        _fill(self._line("Wordsquoted"), block["text"])

    def _terms(self, block: Mapping[str, Any]) -> None:
        self._set(
            title="",
            columns=[{"title": "", "look": "text", "share": 1.0}, {"title": "", "look": "text", "share": 5.0}],
            rows=block["pairs"],
            width=self._width,
            head=False,
        )

    def _table(self, block: Mapping[str, Any]) -> None:
        self._set(
            title=block["title"],
            columns=block["columns"],
            rows=block["rows"],
            width=self._width,
            marks=[self._mark(anchor) if anchor else "" for anchor in block["anchors"]],
        )

    def _set(self, **table: Any) -> None:
        """Add a table, and a line to part it from a table that follows."""
        self._end.addprevious(_table(**table))
        self._line("After")

    def _figure(self, block: Mapping[str, Any]) -> None:
        png = self._pictures.get(block["evidence"])
        if png is None:
            return
        width = min(png_size(png)[0] / _PER_POINT, self._width)
        run = self._document.add_paragraph().add_run()
        shape = run.add_picture(io.BytesIO(png), width=Emu(int(width * 12_700)))
        shape._inline.docPr.set("descr", block["text"])
        shape._inline.docPr.set("name", f"Page behind {block['evidence']}")


def _words(paragraph: Any, text: str) -> None:
    """Write ``text`` into a paragraph, a leading id strong, from right to left where its letters run so."""
    _fill(paragraph._p, text, strong_id=True)


def _fill(element: Any, text: str, *, strong_id: bool = False, properties: Mapping[str, str] | None = None) -> None:
    right = _runs_right(text)
    if right:
        shape = element.get_or_add_pPr()
        # The order of the properties is part of the format: after the style, before whatever aligns.
        shape.insert(int(len(shape) > 0 and shape[0].tag == _name("w:pStyle")), OxmlElement("w:bidi"))
    gap = text.find("  ")
    if strong_id and 0 < gap <= 8:
        _run(element, text[:gap] + "\u00a0 ", {**(properties or {}), "b": "1"}, right=False)
        text = text[gap + 2 :]
    for n, part in enumerate(_ID_BEHIND.split(text)):
        if n % 2:
            _run(element, f" {part}", {**(properties or {}), "color": _MUTED, "small": "1"}, right=False)
        elif part or not n:
            _run(element, part, properties or {}, right=right)


def _run(element: Any, text: str, properties: Mapping[str, str], *, right: bool) -> None:
    """Add one run; line ends become breaks. ``properties``: b, color, mono, small."""
    run = _sub(element, "w:r")
    looks = _sub(run, "w:rPr")
    if "mono" in properties:
        _sub(looks, "w:rFonts", ascii=_MONO, hAnsi=_MONO, cs=_MONO)
    if "b" in properties:
        _sub(looks, "w:b")
    if "color" in properties:
        _sub(looks, "w:color", val=properties["color"])
    if "mono" in properties or "small" in properties:
        _sub(looks, "w:sz", val=13 if "mono" in properties else 15)
    if right:
        _sub(looks, "w:rtl")
    if not len(looks):
        run.remove(looks)
    for n, line in enumerate(text.split("\n")):
        if n:
            _sub(run, "w:br")
        run_text = _sub(run, "w:t")
        run_text.text = line
        run_text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")


def _runs_right(text: str) -> bool:
    """Return whether the first letter with a direction runs from right to left."""
    if text.isascii():
        return False
    for character in text:
        direction = unicodedata.bidirectional(character)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False


def _table(
    *,
    title: str,
    columns: list[Mapping[str, Any]],
    rows: list[list[str]],
    width: float,
    head: bool = True,
    marks: list[str] | None = None,
) -> Any:
    """Build a table element by element: python-docx's own cells take seconds for a thousand rows."""
    cells = sum(column["look"] == "cell" for column in columns)
    table = OxmlElement("w:tbl")
    properties = _sub(table, "w:tblPr")
    _sub(properties, "w:tblW", w=int(width * 20), type="dxa")
    borders = _sub(properties, "w:tblBorders")
    if head:
        for side in ("top", "left", "bottom", "right", "insideH", "insideV") if cells > 1 else ("bottom", "insideH"):
            _sub(borders, f"w:{side}", val="single", sz=4, space=0, color=_RULE)
    _sub(properties, "w:tblLayout", type="fixed")
    margins = _sub(properties, "w:tblCellMar")
    for side, twips in (("top", 40), ("left", 80), ("bottom", 40), ("right", 80)):
        _sub(margins, f"w:{side}", w=twips, type="dxa")
    if head:
        _sub(properties, "w:tblLook", val="0020", firstRow=1)
    if title:
        _sub(properties, "w:tblCaption", val=title[:250])
        _sub(properties, "w:tblDescription", val=f"{title}: {len(rows)} rows, {len(columns)} columns"[:250])
    total = sum(column["share"] for column in columns)
    widths = [int(width * 20 * column["share"] / total) for column in columns]
    grid = _sub(table, "w:tblGrid")
    for twips in widths:
        _sub(grid, "w:gridCol", w=twips)
    if head:
        row = _sub(table, "w:tr")
        looks = _sub(row, "w:trPr")
        _sub(looks, "w:cantSplit")
        _sub(looks, "w:tblHeader")
        for column, twips in zip(columns, widths, strict=True):
            _cell(row, column["title"], column["look"], twips, style="Cellhead", small=cells > 6)
    for n, values in enumerate(rows):
        row = _sub(table, "w:tr")
        if sum(map(len, values)) < 1_000:
            _sub(_sub(row, "w:trPr"), "w:cantSplit")
        for k, (value, column, twips) in enumerate(zip(values, columns, widths, strict=True)):
            mark = marks[n] if marks and k == 0 and n < len(marks) else ""
            look = "term" if not head and k == 0 else column["look"]
            if look == "text" and not head and values[0] == "SHA-256":
                look = "code"
            _cell(row, value, look, twips, style="Cell", mark=mark, small=cells > 6)
    return table


def _cell(row: Any, text: str, look: str, twips: int, *, style: str, mark: str = "", small: bool = False) -> None:
    cell = _sub(row, "w:tc")
    properties = _sub(cell, "w:tcPr")
    _sub(properties, "w:tcW", w=twips, type="dxa")
    if style == "Cell" and look == "cell" and text in _FILLS:
        _sub(properties, "w:shd", val="clear", color="auto", fill=_FILLS[text])
    if look == "cell" and style == "Cell":
        _sub(properties, "w:vAlign", val="center")
    paragraph = _sub(cell, "w:p")
    shape = _sub(paragraph, "w:pPr")
    _sub(shape, "w:pStyle", val=style)
    if look in ("num", "cell") and not (style == "Cellhead" and look == "cell"):
        _sub(shape, "w:jc", val="right" if look == "num" else "center")
    looks: dict[str, str] = {}
    if style == "Cell":
        match look:
            case "cell" if text in _SHAPES:
                looks["b"] = "1"
                text += _SHAPES[text] if not small or len(text) == 1 else ""
            case "cell":
                looks["color"] = _OUTLINE if text.startswith("(") else _MUTED
            case "id":
                looks["b"] = "1"
            case "code":
                looks["mono"] = "1"
            case "term":
                looks["color"] = _MUTED
            case _:
                pass
    if mark and (key := _ID_BEHIND.search(text)):
        _fill(paragraph, text[: key.start()] + "\u00a0")
        link = _sub(paragraph, "w:hyperlink", anchor=mark, history=1)
        _run(link, key[1], {"b": "1", "small": "1"}, right=False)
    else:
        _fill(paragraph, text, strong_id=look == "text", properties=looks)


def _footer(document: Any, marking: str) -> None:
    """Add page numbers, and the marking at both ends of a page; the sections after the first take them over."""
    if marking:
        for part in (document.sections[0].header, document.sections[0].footer):
            paragraph = part.paragraphs[0]
            paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
            _run(paragraph._p, marking, {"b": "1"}, right=_runs_right(marking))
        document.sections[0].footer.add_paragraph()
    paragraph = document.sections[0].footer.paragraphs[-1]
    paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    for n, field in enumerate((" PAGE ", " NUMPAGES ")):
        if n:
            _run(paragraph._p, " / ", {"color": _MUTED}, right=False)
        simple = _sub(paragraph._p, "w:fldSimple", instr=field)
        _run(simple, "1", {"color": _MUTED}, right=False)
