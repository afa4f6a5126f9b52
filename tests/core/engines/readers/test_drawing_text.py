"""Words in drawings: text boxes with raised and struck runs, SmartArt, charts, alt texts."""

from __future__ import annotations

from lxml import etree

from core.engines.readers import drawing_chart, drawing_text

SPACES = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="urn:p" xmlns:m="urn:m" xmlns:r="urn:r"'
)


def element(inside: str):
    return etree.fromstring(f"<p:x {SPACES}>{inside}</p:x>")


def test_runs_keep_what_is_raised_and_struck():
    body = element(
        '<a:p><a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>6</a:t></a:r><a:r><a:t> CO</a:t></a:r><a:r>'
        '<a:rPr baseline="-25000"/><a:t>2</a:t></a:r></a:p>'
        '<a:p><a:r><a:rPr strike="sngStrike"/><a:t>not</a:t></a:r></a:p>'
    )
    piece = drawing_text.body_text(body)
    assert piece.text == "10⁶ CO₂\nnot"
    assert [piece.text[start:end] for start, end in piece.struck_spans] == ["not"]


def test_groups_and_alternatives_are_gone_through_once():
    tree = element(
        "<p:grpSp><p:sp/><p:grpSp><p:pic/></p:grpSp></p:grpSp><p:AlternateContent><p:Choice><p:sp/></p:Choice>"
        "<p:Fallback><p:sp/></p:Fallback></p:AlternateContent>"
    )
    assert len(list(drawing_text.shapes(tree))) == 3


def test_a_diagram_gives_its_points_and_a_chart_its_table():
    data = element(
        '<p:ptLst><p:pt><p:t><a:p><a:r><a:t>First</a:t></a:r></a:p></p:t></p:pt><p:pt type="parTrans"><p:t><a:p><a:r>'
        "<a:t>no</a:t></a:r></a:p></p:t></p:pt></p:ptLst>"
    )
    assert drawing_text.diagram_text(data).text == "First"
    chart = drawing_chart.Chart("Deaths", ("month",), (("", "Plant"), ("May", "417")))
    piece = drawing_text.chart_text(chart)
    assert piece.text.startswith("Chart: Deaths\nmonth\n")
    assert "May · Plant: 417" in piece.text
    assert piece.tables


def test_alt_texts_and_hidden_drawings():
    shape = element('<p:cNvPr id="1" name="x" title="Valve" descr="Photo of the open valve" hidden="1"/>')
    assert drawing_text.described(shape) == "Valve – Photo of the open valve"
    assert drawing_text.is_hidden(shape)


def test_a_chart_of_one_series_gives_pairs():
    piece = drawing_text.chart_text(drawing_chart.Chart("Deaths", (), (("", ""), ("May 2023", "417"), ("", "3"))))
    assert piece.text == "Chart: Deaths\nMay 2023: 417\n3"
    assert [[piece.text[s:e] for s, e in row] for row in piece.tables[0].rows] == [["May 2023", "417"], ["", "3"]]


def test_numbers_that_a_program_writes_before_paragraphs_are_read():
    def line(text: str, kind: str = "", level: int = 0, start: str = "") -> str:
        bullet = f'<a:buAutoNum type="{kind}"{start}/>' if kind else "<a:buNone/>"
        return f'<a:p><a:pPr lvl="{level}">{bullet}</a:pPr><a:r><a:t>{text}</a:t></a:r></a:p>'

    body = element(
        line("four", "arabicPeriod", start=' startAt="4"')
        + line("inner", "alphaLcParenR", 1)
        + line("inner", "alphaLcParenR", 1)
        + line("five", "arabicPeriod", start=' startAt="4"')
        + line("inner", "alphaLcParenR", 1)
        + line("none")
        + line("again", "romanUcParenBoth")
    )
    assert drawing_text.body_text(body).text == "4. four\na) inner\nb) inner\n5. five\na) inner\nnone\n(I) again"
