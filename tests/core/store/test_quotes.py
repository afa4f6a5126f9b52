"""Kept quotes, held against their pages again whenever they are shown."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from core.domain import Quote


@dataclass(frozen=True, slots=True)
class Cited:
    quote: Quote
    name: str = "log.txt"
    before: str = ""
    layer: str = "embedded"


@pytest.fixture
def quote(pump_case):
    page = pump_case.pages.page("D1", 1)
    return Quote("D1", page.id, 1, 4, 12, page.text[4:12], page.sha256)


def test_a_quote_stands_while_its_page_says_it(pump_case, quote):
    assert pump_case.quotes.stands(quote)
    changes = (
        {"text": "He confessed."},
        {"start": 5},
        {"end": 999_999},
        {"page": 2},
        {"document": "D2"},
        {"document": "D99"},
        {"page_id": 999},
        {"page_sha256": "0"},
    )
    for change in changes:
        assert not pump_case.quotes.stands(replace(quote, **change))


def test_a_source_is_named_as_the_case_names_it(pump_case, quote):
    name = pump_case.documents.get("D1").name
    head = pump_case.pages.page("D1", 1).text[:4]
    good = Cited(quote, name, head)
    assert pump_case.quotes.current([good]) == (good,)
    forged = Cited(quote, "confession.pdf", "He confessed.", "ocr")
    assert pump_case.quotes.current([forged]) == (Cited(quote, name),)
    assert pump_case.quotes.current([Cited(replace(quote, text="He confessed."))]) == ()
