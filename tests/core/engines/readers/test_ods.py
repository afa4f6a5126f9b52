"""Sheets of OpenDocument: cells as they are shown, and every place that holds words is read or named."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import LeftOut, PageText
from core.engines.readers.dispatch import FileReader
from core.ports import Attachment
from tests.core.engines.format_material import opendocument

READER = FileReader()


def cell(inside: str = "", **attributes: str) -> str:
    stated = "".join(f' {name.replace("_", ":", 1).replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f"<table:table-cell{stated}>{inside}</table:table-cell>"


def text(words: str) -> str:
    return cell(f"<text:p>{words}</text:p>")


def book(*rows: str, leading: str = "", styles: str = "", more=None) -> bytes:
    lines = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    body = f'<table:table table:name="Data">{leading}{lines}</table:table>'
    return opendocument("spreadsheet", body, styles=styles, more=more or {})


def read(data: bytes):
    _, *items = READER.read(data, "a.ods")
    return [[item for item in items if isinstance(item, kind)] for kind in (PageText, Attachment, LeftOut)]


def test_cells_are_read_as_they_are_shown():
    cells = (
        cell("<text:p>12.5%</text:p>", office_value_type="percentage", office_value="0.125")
        + cell(office_value_type="float", office_value="7")
        + cell(table_formula="of:=SUM([.A1:.A2])")
        + cell("<text:p>two</text:p><text:p>lines<text:s text:c='2'/>apart</text:p>")
    )
    (page,), _, _ = read(book(cells))
    assert page.text.endswith("\n\n12.5% · 7 · =SUM([.A1:.A2]) (not calculated) · two lines apart")


INK = '<style:style style:name="{}" style:family="table-cell" style:parent-style-name="{}">{}</style:style>'
WHITE_INK, DARK = (
    '<style:text-properties fo:color="#FFFFFF"/>',
    '<style:table-cell-properties fo:background-color="#000"/>',
)


@pytest.mark.parametrize(
    ("styles", "unseen"),
    [
        (INK.format("a", "", WHITE_INK), True),
        (INK.format("a", "b", "") + INK.format("b", "", WHITE_INK), True),
        (INK.format("a", "b", WHITE_INK) + INK.format("b", "", DARK), False),
        (INK.format("a", "", DARK.replace("#000", "#FFFFFF") + WHITE_INK), True),
        (INK.format("a", "", WHITE_INK + '<style:map style:condition="x"/>'), False),
        (INK.format("a", "a", WHITE_INK), False),
        (INK.format("a", "", ""), False),
    ],
)
def test_words_in_the_colour_of_the_paper_are_flagged(styles, unseen):
    ((page,), *_) = read(book(cell("<text:p>word</text:p>", table_style_name="a") + text("other"), styles=styles))
    assert [page.text[start:end] for start, end in page.hidden_spans] == (["word"] if unseen else [])


@pytest.mark.parametrize(
    ("stated", "place"), [("Data.B2", "Data.B2"), ("$'Data'.B2", "$'Data'.B2"), ("Other.B2", "Data")]
)
def test_choices_name_the_sheet_that_has_them(stated, place):
    rule = (
        f'<table:content-validations><table:content-validation table:name="v" table:base-cell-address="{stated}" '
        'table:condition="cell-content-is-in-list(&quot;yes&quot;)"><table:help-message table:title="Mind">'
        "<text:p>the gap</text:p></table:help-message></table:content-validation></table:content-validations>"
    )
    filled = cell("<text:p>yes</text:p>", table_content_validation_name="v")
    data = opendocument(
        "spreadsheet", f'{rule}<table:table table:name="Data"><table:table-row>{filled}</table:table-row></table:table>'
    )
    ((page,), *_) = read(data)
    assert page.text.endswith(f"{place}, choices: yes\n\n{place}, help: Mind. the gap")


def test_raised_and_struck_words():
    styles = (
        '<style:style style:name="up" style:family="text"><style:text-properties style:text-position="super 58%"/>'
        '</style:style><style:style style:name="out" style:family="text"><style:text-properties '
        'style:text-line-through-style="solid"/></style:style>'
    )
    rows = text('10<text:span text:style-name="up">6</text:span>') + text(
        'may <text:span text:style-name="out">not</text:span> sublet'
    )
    (page,), _, _ = read(book(rows, styles=styles))
    assert page.text.endswith("10⁶ · may not sublet")
    assert [page.text[start:end] for start, end in page.struck_spans] == ["not"]


CHART = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:chart><chart:chart><chart:title>'
    "<text:p>WORD</text:p></chart:title></chart:chart></office:chart></office:body></office:document-content>"
)
FRAME = (
    "<table:shapes><draw:frame>"
    '<draw:object xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="./Object 1"/></draw:frame></table:shapes>'
)
PLACES = {
    "cell": lambda w: book(text("a") + text(w)),
    "span": lambda w: book(text(f"a <text:span>b {w}</text:span> c")),
    "comment": lambda w: book(cell(f"<office:annotation><text:p>{w}</text:p></office:annotation><text:p>a</text:p>")),
    "value": lambda w: book(text("a") + cell(office_value_type="string", office_string_value=w)),
    "formula": lambda w: book(text("a") + cell(table_formula=f"of:={w}(1)")),
    "text box": lambda w: book(
        text("a"),
        leading=f"<table:shapes><draw:frame><draw:text-box><text:p>{w}</text:p></draw:text-box></draw:frame></table:shapes>",
    ),
    "shape in a cell": lambda w: book(
        cell(f"<draw:custom-shape><text:p>{w}</text:p></draw:custom-shape><text:p>a</text:p>")
    ),
    "alt text": lambda w: book(
        text("a"), leading=f"<table:shapes><draw:frame><svg:desc>{w}</svg:desc></draw:frame></table:shapes>"
    ),
    "chart": lambda w: book(text("a"), leading=FRAME, more={"Object 1/content.xml": CHART.replace("WORD", w)}),
    "list in a cell": lambda w: book(
        cell(f"<text:list><text:list-item><text:p>{w}</text:p></text:list-item></text:list>")
    ),
    "table in a cell": lambda w: book(
        cell(f"<table:table><table:table-row>{text(w)}</table:table-row></table:table>")
    ),
    "frame in a paragraph": lambda w: book(
        text(f"a<draw:frame><draw:text-box><text:p>{w}</text:p></draw:text-box></draw:frame>")
    ),
    "formula of a number": lambda w: book(text("a") + cell(table_formula=f"of:={w}(1)", office_value_type="float")),
    "description of the sheet": lambda w: book(text("a"), leading=f"<table:desc>{w}</table:desc>"),
    "content.xml": lambda w: book(cell("<text:p>a</text:p>", office_value_type="string", office_string_value=w)),
    "Basic/Standard": lambda w: book(text("a"), more={"Basic/Standard/Module1.xml": f"<a>{w}</a>"}),
    "odd": lambda w: book(text("a"), more={"odd/part.xyz": w}),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
@settings(max_examples=10)
@given(word=st.from_regex(r"[a-z]{6}q[a-z]{3}", fullmatch=True))
def test_a_word_is_read_or_its_place_is_named(place, word):
    pages, files, lines = read(PLACES[place](word))
    is_read = any(word in page.text for page in pages)
    assert is_read or any(word.encode() in file.data for file in files) or place in {line.where for line in lines}


def test_what_no_cell_shows_has_a_line():
    rows = (
        cell(table_formula="of:=NOW()"),
        cell("<text:p>no</text:p>", office_value_type="string", table_formula="of:=IF([.A1];&quot;guilty&quot;;1)"),
        cell('<text:p><text:a xlink:href="https://a.example/1" xmlns:xlink="urn:x">b</text:a></text:p>'),
    )
    _, _, lines = read(book(*rows))
    assert set(lines) == {
        LeftOut("formula that is not calculated", 1, "sheet Data, A1"),
        LeftOut("formula with words in it", 1, "sheet Data"),
        LeftOut("link address", 1, "a.example"),
    }
