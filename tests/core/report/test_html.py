"""The report as a web page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.report import (
    render_html,
)
from core.report.rows import ranking, warnings
from tests.core.report.test_report import POLICY, Seen, made_case


def test_every_quote_stands_with_its_place_and_hashes():
    data = made_case()
    page = Seen(render_html(data))
    text = "\n".join(page.text)
    for item in data.evidence:
        if item.quote:
            assert item.quote in text
            assert f"characters {item.start} to {item.end}" in text
            assert data.page_sha256[item.page_id] in text
    for document in data.documents:
        assert document.sha256 in text
        assert document.name in text
    assert page.wrong == []
    assert page.policy == POLICY


def test_the_bottom_line_comes_first_and_keeps_ties():
    data = made_case()
    text = " ".join(" ".join(Seen(render_html(data)).text).split())
    assert data.matrix.leaders["weighted_inconsistency"] == ("H2", "H3")
    assert "H2 and H3 cannot be separated" in text
    assert text.index("cannot be separated") < text.index("Hypotheses, least contradicted first")
    assert text.count("1=") >= 2
    places = {line.hypothesis.id: line.place for line in ranking(data)}
    assert places == {"H2": "1=", "H3": "1=", "H1": "3"}
    for warning in warnings(data):
        assert "".join(warning.split()) in "".join(text.split())
    assert "interview, 7 May (E4) against H3" in text
    assert "3 of 15 cells are open" in text


def test_suggestions_never_look_like_decisions():
    page = render_html(made_case()).decode()
    row = page[page.index('aria-label="E4 against H3') :]
    assert row.startswith('aria-label="E4 against H3: not rated; the model suggests I"><span class="rating suggested">')


@pytest.mark.parametrize(
    ("words", "attribute"),
    [
        ("Дверь была взломана.", ' lang="ru"'),
        ("Die Lager wurden nicht geschmiert.", ' lang="de"'),
        ("The door was forced.", ""),
    ],
)
def test_a_foreign_quote_says_its_language(words, attribute):
    data = made_case()
    number = next(index for index, item in enumerate(data.evidence) if item.quote)
    evidence = list(data.evidence)
    evidence[number] = replace(evidence[number], quote=words)
    page = render_html(replace(data, evidence=tuple(evidence))).decode()
    assert f'<blockquote dir="auto"{attribute}>{words}' in page
