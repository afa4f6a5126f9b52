"""What a case has to compare a report with."""

from __future__ import annotations

import pytest

from core.audit.citations import Source, Target, find
from core.audit.document_text import read
from core.audit.sources import CaseSources, Reference, near_pages
from core.domain import PageText
from core.progress import silent


@pytest.fixture
def bench(case_of):
    return case_of(
        {
            "log.txt": "The relay was out for 47 minutes.\fRain fell all night.",
            "other.txt": "The relay of the other plant was out for 74 minutes.",
        }
    )


def case_sources(bench, left_out=()):
    catalogue = [Source(document.id, document.name, pages=document.pages) for document in bench.documents.all()]
    return CaseSources(bench._open, bench.index, bench.search, catalogue, frozenset(left_out), silent())


def test_a_cited_page_is_looked_at_first_and_the_report_itself_never(bench):
    (sentence,) = read([PageText(1, "The relay was out for 74 minutes (log.txt, p. 1).")]).sentences
    (mention,) = find(sentence.text)
    references = [Reference(mention, Target("D1", (1,)))]
    sources = case_sources(bench)
    places = sources.places([sentence], [references])[sentence.number]
    text = sources.without_citations(sentence.text)
    assert len(text) == len(sentence.text)
    assert "log.txt" not in text
    best, shares = sources.best(text, places, references)
    assert {place.page.document for place in best} == {"D1"}
    assert max(shares) > 0.5
    assert sources.source(best[0], references).is_cited
    words = sources.stock(places, best, references)
    assert "47" in {figure.text for figure in words.figures}
    assert "74" not in {figure.text for figure in words.figures}
    reduced = case_sources(bench, ["D1"])
    assert {place.page.document for place in reduced.places([sentence], [references])[sentence.number]} == {"D2"}


def test_near_pages():
    assert near_pages([1, 3]) == [1, 2, 3, 4]
