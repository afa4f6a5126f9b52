"""Workbooks: cells as they are shown, and every place that holds words is read or named."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import LeftOut, PageText
from core.engines.readers.dispatch import FileReader
from core.ports import Attachment
from tests.core.engines.format_material import packed, relations

READER = FileReader()
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
DRAWING = (
    'xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
REFERENCE = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'


def workbook(
    rows: str = "", *, strings: str = "", styles: str = "", tail: str = "", names: str = "", more=None
) -> bytes:
    """Pack a workbook of one sheet; ``more`` are parts of their own, ``tail`` follows the rows."""
    return packed(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relations(("r1", "officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": f'<workbook xmlns="{SHEET}" {REFERENCE}><sheets>'
            f'<sheet name="Data" sheetId="1" r:id="s1"/></sheets>{names}</workbook>',
            "xl/_rels/workbook.xml.rels": relations(
                ("s1", "worksheet", "worksheets/sheet1.xml"),
                ("s2", "sharedStrings", "sharedStrings.xml"),
                ("s3", "styles", "styles.xml"),
                ("s4", "person", "persons/person.xml"),
            ),
            "xl/sharedStrings.xml": f'<sst xmlns="{SHEET}">{strings}</sst>',
            "xl/styles.xml": f'<styleSheet xmlns="{SHEET}">{styles}</styleSheet>',
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{SHEET}" {REFERENCE}><sheetData>{rows}</sheetData>{tail}'
            "</worksheet>",
            **(more or {}),
        }
    )


def read(data: bytes) -> tuple[list[PageText], list[Attachment], list[LeftOut]]:
    _, *items = READER.read(data, "a.xlsx")
    return (
        [item for item in items if isinstance(item, PageText)],
        [item for item in items if isinstance(item, Attachment)],
        [item for item in items if isinstance(item, LeftOut)],
    )


def test_cells_are_read_as_they_are_shown():
    codes = {170: "0.0%", 171: "00000", 172: "#,##0;(#,##0)", 173: "yyyy\\-mm\\-dd"}
    formats = "".join(f'<numFmt numFmtId="{number}" formatCode="{code}"/>' for number, code in codes.items())
    looks = "".join(f'<xf numFmtId="{number}"/>' for number in (0, *codes))
    values = ("5", "0.125", "1234", "-1500", "45363")
    cells = "".join(f'<c s="{style}"><v>{number}</v></c>' for style, number in enumerate(values))
    others = '<c t="e"><v>#REF!</v></c><c t="b"><v>1</v></c><c t="d"><v>2024-03-12T14:05:33</v></c>'
    formulas = '<c><f>SUM(A1:A3)</f></c><c t="str"><f>A1</f><v>words</v></c><c t="str"><f>A9</f><v></v></c>'
    (page,), _, _ = read(
        workbook(
            f'<row r="1">{cells}{others}{formulas}</row>',
            styles=f"<numFmts>{formats}</numFmts><fonts><font/></fonts><cellXfs>{looks}</cellXfs>",
        )
    )
    assert page.text.split("\n")[2].split(" · ") == [
        "5", "12.5%", "01234", "(1,500)", "2024-03-12", "#REF!", "TRUE", "2024-03-12 14:05:33",
        "=SUM(A1:A3) (not calculated)", "words",
    ]  # fmt: skip


def test_struck_words_keep_their_place_behind_those_of_the_format():
    strings = "<si><r><t>may </t></r><r><rPr><strike/></rPr><t>not</t></r></si>"
    styles = (
        "<numFmts><numFmt numFmtId='170' formatCode='&quot;Lot &quot;@'/></numFmts><fonts><font/></fonts>"
        "<cellXfs><xf numFmtId='170'/></cellXfs>"
    )
    (page,), _, _ = read(workbook('<row><c t="s"><v>0</v></c></row>', strings=strings, styles=styles))
    assert page.text.endswith("Lot may not")
    assert [page.text[start:end] for start, end in page.struck_spans] == ["not"]


def test_raised_and_struck_runs_and_cells():
    strings = (
        "<si><r><t>10</t></r><r><rPr><vertAlign val='superscript'/></rPr><t>6</t></r></si>"
        "<si><r><t>may </t></r><r><rPr><strike/></rPr><t>not</t></r><r><t> sublet</t></r></si><si><t>all</t></si>"
    )
    styles = "<fonts><font/><font><strike/></font></fonts><cellXfs><xf fontId='0'/><xf fontId='1'/></cellXfs>"
    cells = '<c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s" s="1"><v>2</v></c>'
    (page,), _, _ = read(workbook(f"<row>{cells}</row>", strings=strings, styles=styles))
    assert page.text.endswith("10⁶ · may not sublet · all")
    assert [page.text[start:end] for start, end in page.struck_spans] == ["not", "all"]


def test_a_filter_and_wide_cells_tell_the_headings():
    def text(words: str) -> str:
        return f'<c t="inlineStr"><is><t>{words}</t></is></c>'

    rows = f"<row>{text('left')}{text('right')}</row><row>{text('Ann')}{text('Bo')}</row>"
    (page,), _, _ = read(workbook(rows, tail='<autoFilter ref="A1:B2"/>'))
    assert page.text.endswith("left · right\nAnn · right: Bo")
    years = f"<row>{text('Plant')}{text('Dead')}<c/></row><row><c/>{text('May')}{text('June')}</row>"
    body = f"<row>{text('two')}<c><v>417</v></c><c><v>3</v></c></row>"
    (page,), _, _ = read(workbook(years + body, tail='<mergeCells><mergeCell ref="B1:C1"/></mergeCells>'))
    assert page.text.endswith("two · Dead May: 417 · Dead June: 3")


def test_a_damaged_part_is_named_and_the_rest_is_read():
    data = workbook("<row><c><v>5</v></c></row>", more={"xl/styles.xml": "<styleSheet><broken>"})
    (page,), _, lines = read(data)
    assert page.text.endswith("\n\n5")
    assert LeftOut("damaged part", 1, "xl/styles.xml") in lines


def beside(word: str, kind: str, part: str, content: str) -> dict[str, str]:
    return {
        "xl/worksheets/_rels/sheet1.xml.rels": relations(("d1", kind, f"../{part}")),
        f"xl/{part}": content.replace("WORD", word),
    }


def drawing(word: str, inside: str, *, more=None, **targets: str) -> dict[str, str]:
    parts = beside(
        word, "drawing", "drawings/drawing1.xml",
        f"<xdr:wsDr {DRAWING}><xdr:twoCellAnchor>{inside}</xdr:twoCellAnchor></xdr:wsDr>",
    )  # fmt: skip
    links = tuple((id, kind.rsplit("_", 1)[0], target) for id, (kind, target) in enumerate(targets.items()))
    parts["xl/drawings/_rels/drawing1.xml.rels"] = relations(*((f"d{id}", kind, to) for id, kind, to in links))
    return {**parts, **{name: text.replace("WORD", word) for name, text in (more or {}).items()}}


CHART = (
    '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>WORD'
    "</a:t></a:r></a:p></c:rich></c:tx></c:title></c:chart></c:chartSpace>"
)
BODY = "<xdr:txBody><a:p><a:r><a:t>WORD</a:t></a:r></a:p></xdr:txBody>"
FRAME = (
    '<xdr:graphicFrame><a:graphic><a:graphicData><c:chart r:id="d0"/></a:graphicData></a:graphic></xdr:graphicFrame>'
)

# Each puts a word into one kind of place: text of pages, or a part with the folder that names it.
PLACES = {
    "inline": lambda w: workbook(f'<row><c t="inlineStr"><is><t>{w}</t></is></c></row>'),
    "shared": lambda w: workbook('<row><c t="s"><v>0</v></c></row>', strings=f"<si><t>{w}</t></si>"),
    "rich": lambda w: workbook('<row><c t="s"><v>0</v></c></row>', strings=f"<si><r><t>{w}</t></r></si>"),
    "formula text": lambda w: workbook(f'<row><c t="str"><f>A9</f><v>{w}</v></c></row>'),
    "formula": lambda w: workbook(f"<row><c><f>{w}(1)</f></c></row>"),
    "header": lambda w: workbook(tail=f"<headerFooter><oddHeader>&amp;C&amp;B{w}</oddHeader></headerFooter>"),
    "footer": lambda w: workbook(
        tail=f"<headerFooter><evenFooter>&amp;L{w}&amp;RPage &amp;P</evenFooter></headerFooter>"
    ),
    "choices": lambda w: workbook(
        tail=f'<dataValidations><dataValidation type="list" sqref="A1"><formula1>"no,{w}"</formula1></dataValidation>'
        "</dataValidations>"
    ),
    "prompt": lambda w: workbook(tail=f'<dataValidations><dataValidation sqref="A1" prompt="{w}"/></dataValidations>'),
    "name": lambda w: workbook(names=f'<definedNames><definedName name="rate">"{w}"</definedName></definedNames>'),
    "comment": lambda w: workbook(
        more=beside(
            w, "comments", "comments1.xml",
            f'<comments xmlns="{SHEET}"><authors><author>Bo</author></authors><commentList><comment ref="B2" '
            'authorId="0"><text><r><t>WORD</t></r></text></comment></commentList></comments>',
        )
    ),
    "author": lambda w: workbook(
        more=beside(
            w, "comments", "comments1.xml",
            f'<comments xmlns="{SHEET}"><authors><author>WORD</author></authors><commentList><comment ref="B2" '
            'authorId="0"><text><t>x</t></text></comment></commentList></comments>',
        )
    ),
    "thread": lambda w: workbook(
        more=beside(
            w, "threadedComment", "threadedComments/threadedComment1.xml",
            '<ThreadedComments><threadedComment ref="A1" dT="2024-03-05T08:00:00" personId="p"><text>WORD</text>'
            "</threadedComment></ThreadedComments>",
        )
    ),
    "text box": lambda w: workbook(more=drawing(w, f"<xdr:sp>{BODY}</xdr:sp>")),
    "group": lambda w: workbook(
        more=drawing(w, f"<xdr:grpSp><xdr:grpSp><xdr:sp>{BODY}</xdr:sp></xdr:grpSp></xdr:grpSp>")
    ),
    "alt text": lambda w: workbook(
        more=drawing(w, '<xdr:pic><xdr:nvPicPr><xdr:cNvPr id="1" name="p" descr="WORD"/></xdr:nvPicPr></xdr:pic>')
    ),
    "chart": lambda w: workbook(
        more=drawing(w, FRAME, chart="../charts/chart1.xml", more={"xl/charts/chart1.xml": CHART})
    ),
    "button": lambda w: workbook(
        more=beside(
            w, "vmlDrawing", "drawings/vmlDrawing1.vml",
            '<xml xmlns:v="urn:schemas-microsoft-com:vml"><v:shape><v:textbox><div>WORD</div></v:textbox>'
            "</v:shape></xml>",
        )
    ),
    "xl/pivotCache": lambda w: workbook(more={"xl/pivotCache/records.xml": f"<a>{w}</a>"}),
    "xl/externalLinks": lambda w: workbook(more={"xl/externalLinks/externalLink1.xml": f"<a>{w}</a>"}),
    "xl": lambda w: workbook(more={"xl/vbaProject.bin": w}),
    "customXml": lambda w: workbook(more={"customXml/item1.xml": f"<a>{w}</a>"}),
    "docProps": lambda w: workbook(more={"docProps/custom.xml": f"<a>{w}</a>"}),
    "embedded": lambda w: workbook(more={"xl/embeddings/a.docx": w}),
    "odd": lambda w: workbook(more={"odd/part.xyz": w}),
}  # fmt: skip
MORE = '<row r="1"><c r="A1"><v>1</v></c></row>'
# What no cell shows, each with the line that names it.
UNSHOWN = {
    "a formula without a value": (
        workbook('<row r="3"><c r="B3"><f>NOW()</f></c><c r="D3"><f>ODD()</f></c></row>'),
        LeftOut("formula that is not calculated", 2, "sheet Data, B3, D3"),
    ),
    "words in a formula": (
        workbook(
            '<row><c t="str"><f>IF(A1,"guilty","no")</f><v>no</v></c><c><f>TEXT(A1,"dd.mm.yyyy")</f><v>1</v></c></row>'
        ),
        LeftOut("formula with words in it", 1, "sheet Data"),
    ),
    "a text that no cell refers to": (
        workbook('<row><c t="s"><v>0</v></c></row>', strings="<si><t>a</t></si><si><t>quartz</t></si>"),
        LeftOut("text that no cell shows", 1, "xl/sharedStrings.xml"),
    ),
    "the reading of characters": (
        workbook(strings="<si><t>a</t><rPh><t>quartz</t></rPh></si>"),
        LeftOut("reading of characters", 1, "xl/sharedStrings.xml"),
    ),
    "the tip of a link": (
        workbook(tail='<hyperlinks><hyperlink ref="A1" tooltip="quartz"/></hyperlinks>'),
        LeftOut("tip of a link", 1, "sheet Data"),
    ),
    "a rule for the look of cells": (
        workbook(tail='<conditionalFormatting><cfRule text="quartz"/></conditionalFormatting>'),
        LeftOut("rule for the look of cells", 1, "sheet Data"),
    ),
    "a rule for the contents of cells": (
        workbook(
            tail='<dataValidations><dataValidation type="custom"><formula1>A1="quartz"</formula1></dataValidation>'
            "</dataValidations>"
        ),
        LeftOut("rule for the contents of cells", 1, "sheet Data"),
    ),
    "a scenario": (
        workbook(tail='<scenarios><scenario name="quartz"/></scenarios>'), LeftOut("scenario", 1, "sheet Data")
    ),
    "a filter": (
        workbook(
            tail='<autoFilter><filterColumn><filters><filter val="quartz"/></filters></filterColumn></autoFilter>'
        ),
        LeftOut("value of a filter", 1, "sheet Data"),
    ),
    "linked values": (
        workbook(more={"xl/richData/rdrichvalue.xml": "<a>quartz</a>"}),
        LeftOut("set of linked values", 1, "xl/richData"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("place", UNSHOWN)
def test_what_no_cell_shows_has_a_line(place):
    data, line = UNSHOWN[place]
    assert line in read(_with_a_cell(data))[2]


def test_choices_that_are_stored_as_an_extension_are_read():
    choices = (
        '<extLst><ext><x14:dataValidations xmlns:x14="urn:x14"><x14:dataValidation type="list"><x14:formula1>'
        '<xm:f xmlns:xm="urn:xm">"no,quartz"</xm:f></x14:formula1></x14:dataValidation></x14:dataValidations></ext>'
        "</extLst>"
    )
    pages, _, _ = read(_with_a_cell(workbook(tail=choices)))
    assert any("choices: no,quartz" in page.text for page in pages)


@pytest.mark.parametrize("place", PLACES)
@settings(max_examples=10)
@given(word=st.from_regex(r"[a-z]{6}q[a-z]{3}", fullmatch=True))
def test_a_word_is_read_or_its_place_is_named(place, word):
    pages, files, lines = read(_with_a_cell(PLACES[place](word)))
    is_read = any(word in page.text for page in pages)
    is_document = any(word.encode() in file.data for file in files)
    assert is_read or is_document or place in {line.where for line in lines}


def _with_a_cell(data: bytes) -> bytes:
    """Return the same workbook with a second sheet, so that it has text whatever becomes of the word."""
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["xl/workbook.xml"] = parts["xl/workbook.xml"].replace(
        b"</sheets>", b'<sheet name="More" sheetId="2" r:id="s9"/></sheets>'
    )
    parts["xl/_rels/workbook.xml.rels"] = parts["xl/_rels/workbook.xml.rels"].replace(
        b"</Relationships>", relations(("s9", "worksheet", "worksheets/sheet9.xml")).split(">", 1)[1].encode()
    )
    parts["xl/worksheets/sheet9.xml"] = f'<worksheet xmlns="{SHEET}"><sheetData>{MORE}</sheetData></worksheet>'.encode()
    return packed(parts)
