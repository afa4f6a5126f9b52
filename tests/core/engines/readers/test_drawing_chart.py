"""Charts become words: each title, category, name of a series and value is in the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from core.engines.readers import drawing_chart

C = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
CX = 'xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'


def points(texts: list[str]) -> str:
    return "".join(f'<c:pt idx="{n}"><c:v>{text}</c:v></c:pt>' for n, text in enumerate(texts) if text)


def rich(text: str) -> str:
    return f"<c:title><c:tx><c:rich><a:p><a:r><a:t>{text}</a:t></a:r></a:p></c:rich></c:tx></c:title>"


def series(name: str, categories: list[str], values: list[str], code: str = "General") -> str:
    named = f"<c:tx><c:strRef><c:strCache>{points([name])}</c:strCache></c:strRef></c:tx>" if name else ""
    return (
        f"<c:ser>{named}<c:cat><c:strRef><c:strCache>{points(categories)}</c:strCache></c:strRef></c:cat>"
        f"<c:val><c:numRef><c:numCache><c:formatCode>{code}</c:formatCode>{points(values)}</c:numCache></c:numRef>"
        "</c:val></c:ser>"
    )


def part(inside: str, title: str = "") -> bytes:
    head = rich(title) if title else ""
    return (
        f"<c:chartSpace {C}><c:chart>{head}<c:plotArea><c:barChart>{inside}</c:barChart>"
        f"<c:catAx>{rich('Month')}</c:catAx></c:plotArea></c:chart></c:chartSpace>"
    ).encode()


def text(xml: bytes) -> str:
    return drawing_chart.chart(xml, "a.docx").text


def test_a_series_without_a_name_gives_a_value_a_category() -> None:
    assert text(part(series("", ["May", "June"], ["417", "9"]), "Losses")) == "Losses\nMonth\nMay: 417\nJune: 9"


def test_series_stand_with_their_names_and_gaps_stay_gaps() -> None:
    both_series = series("killed", ["May", "June"], ["417", "9"]) + series("hurt", ["May", "June"], ["", "3"])
    assert text(part(both_series)) == "Month\nMay · killed: 417\nJune · killed: 9 · hurt: 3"


@pytest.mark.parametrize(
    ("number", "code", "expected"),
    [
        ("0.125", "0.0%", "12.5%"),
        ("45061", "yyyy\\-mm\\-dd", "2023-05-15"),
        ("417", "General", "417"),
        ("0.30000000000000004", "General", "0.3"),
        ("9e99", "m/d/yyyy", "9E+99"),
        ("45047", "mmm yyyy", "May 2023"),
        ("1234.5", "#,##0.00", "1,234.50"),
        ("n/a", "0%", "n/a"),
        ("inf", "0%", "inf"),
    ],
)
def test_numbers_are_shown_by_their_format(number: str, code: str, expected: str) -> None:
    assert text(part(series("", ["x"], [number], code))).endswith(f"x: {expected}")


def test_levels_of_categories_stand_from_the_outside_in() -> None:
    inner, outer = points(["May", "June", "July"]), points(["2023", "", "2024"])
    categories = f"<c:cat><c:multiLvlStrRef><c:multiLvlStrCache><c:lvl>{inner}</c:lvl><c:lvl>{outer}</c:lvl>"
    values = f"</c:multiLvlStrCache></c:multiLvlStrRef></c:cat><c:val>{points(['1', '2', '3'])}</c:val>"
    series = f"<c:ser>{categories}{values}</c:ser>"
    assert text(part(series)).splitlines()[1:] == ["2023 / May: 1", "2023 / June: 2", "2024 / July: 3"]


def test_charts_of_the_newer_kind_are_read() -> None:
    xml = (
        f"<cx:chartSpace {CX}><cx:chartData><cx:data id='0'><cx:strDim type='cat'><cx:lvl><cx:pt idx='0'>North</cx:pt>"
        "<cx:pt idx='1'>South</cx:pt></cx:lvl></cx:strDim><cx:numDim type='val'><cx:lvl><cx:pt idx='0'>31</cx:pt>"
        "<cx:pt idx='1'>32</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData><cx:chart><cx:title><cx:tx>"
        "<cx:txData><cx:v>Flow</cx:v></cx:txData></cx:tx></cx:title><cx:plotArea><cx:plotAreaRegion>"
        "<cx:series><cx:tx><cx:txData><cx:v>litres</cx:v></cx:txData></cx:tx><cx:dataId val='0'/></cx:series>"
        "</cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>"
    ).encode()
    assert text(xml) == "Flow\nNorth · litres: 31\nSouth · litres: 32"


def test_charts_of_open_document_are_read() -> None:
    xml = (
        "<o xmlns:chart='c' xmlns:table='t' xmlns:text='x' xmlns:office='o'><chart:chart><chart:title><text:p>Flow"
        "</text:p></chart:title><chart:axis><chart:title><text:p>Month</text:p></chart:title></chart:axis>"
        "<table:table><table:table-header-rows><table:table-row><table:table-cell/><table:table-cell><text:p>litres"
        "</text:p></table:table-cell></table:table-row></table:table-header-rows><table:table-row><table:table-cell>"
        "<text:p>May</text:p><g><desc>Data.B2:Data.B9</desc></g></table:table-cell>"
        "<table:table-cell office:value='31'/></table:table-row></table:table>"
        "</chart:chart></o>"
    )
    assert drawing_chart.of_open_document(etree.fromstring(xml)).text == "Flow\nMonth\nMay · litres: 31"


words = st.text(st.sampled_from("abcdefgh"), min_size=5, max_size=8)


@given(st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=3), st.integers(1, 5)), max_size=4), words)
def test_every_word_of_a_chart_is_in_its_text(all_series, title) -> None:
    inside = "".join(series(name, cats, [str(n * 1_001)] * len(cats)) for name, cats, n in all_series)
    lines = text(part(inside, title))
    for name, categories, number in all_series:
        assert {name, *categories, str(number * 1_001)} <= set(lines.replace(":", " ").split())
    assert title in lines


def test_a_chart_of_endless_points_ends() -> None:
    many = "".join(series(f"s{n}", [f"c{n}-{k}" for k in range(300)], ["1"] * 300) for n in range(60))
    assert len(drawing_chart.chart(part(many), "a.docx").rows) <= 200_000 // 60 + 1
