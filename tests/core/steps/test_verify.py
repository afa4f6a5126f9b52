from __future__ import annotations

import hashlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import Page
from core.errors import BadInput
from core.steps.verify import Corpus, find, locate, span
from core.text import NEGATIONS

TEXT = (
    "The out-\nage lasted   nine days. The operator did not touch the pump on 3 May 2021.\n\n"
    "He said: “We paid 1,500 crowns — no more.” The ﬁrst oﬃce was closed; it is unlikely to fail.\n"
    "The loss was -5 degrees and 10² litres."
)


def page(text: str, number: int = 1, document: str = "D1", source: str = "embedded") -> Page:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Page(number, document, number, text, digest, 0.0, 0.0, source, None, "", (), "test")


@pytest.mark.parametrize(
    ("quote", "on_page"),
    [
        ("The outage lasted nine days.", "The out-\nage lasted   nine days."),
        ('"We paid 1,500 crowns - no more."', "“We paid 1,500 crowns — no more.”"),
        ("The first office was closed", "The ﬁrst oﬃce was closed"),
        ("  did not touch the pump ", "did not touch the pump"),
        ("10² litres", "10² litres"),
        ("-5 degrees", "-5 degrees"),
    ],
)
def test_the_same_words_are_verified_with_the_pages_own_characters(quote, on_page):
    answer = find(quote, [page(TEXT)])
    assert answer.status == "verified"
    match = answer.matches[0]
    assert match.text == TEXT[match.start : match.end] == on_page
    assert match.differences == ()
    assert locate(quote, page(TEXT)).text == on_page


@pytest.mark.parametrize(
    ("quote", "what"),
    [
        ("The operator did touch the pump on 3 May 2021.", "negation"),
        ("The operator did not touch the pump on 4 May 2021.", "number"),
        ("The operator did not touch the pump on 3 June 2021.", "name"),
        ("The operator did not touch the valve on 3 May 2021.", "word"),
        ("it is likely to fail.", "negation"),
        ("We paid 500 crowns — no more.", "number"),
        ("The loss was 5 degrees and 10² litres.", "word"),
        ("The loss was -5 degrees and 102 litres.", "number"),
        ("the operator did not touch the pump on 3 May 2021.", "word"),
    ],
)
def test_a_changed_quote_is_at_most_near_and_the_change_is_named(quote, what):
    answer = find(quote, [page(TEXT)])
    assert answer.status == "near"
    assert what in {difference.what for difference in answer.matches[0].differences}
    assert locate(quote, page(TEXT)) is None


@pytest.mark.parametrize("cut", ["likely to fail", "500 crowns", "5 degrees", "peration", "202", "pera", "ine days"])
def test_a_cut_word_or_number_is_no_quote(cut):
    assert find(cut, [page(TEXT)]).status != "verified"


def test_what_stands_nowhere_is_not_found():
    assert find("The minister resigned over an unrelated scandal in August.", [page(TEXT)]).status == "not_found"


def test_an_empty_quote_is_refused():
    with pytest.raises(BadInput):
        find(" \n", [page(TEXT)])


def test_pages_without_text_leave_a_quote_unchecked():
    assert find("anything", [page("", source="none")]).status == "unchecked"
    assert find("anything at all", [page("", source="none"), page(TEXT, 2)]).status == "not_found"


def test_every_place_is_named_in_order_and_a_document_narrows_the_search():
    pages = [page("It rained. It rained.", 1, "D1"), page("It rained.", 2, "D2")]
    assert [(m.document, m.start) for m in find("It rained.", pages).matches] == [("D1", 0), ("D1", 11), ("D2", 0)]
    assert [m.document for m in Corpus(pages).find("It rained.", document="D2").matches] == ["D2"]


def test_a_span_is_what_stands_there():
    made = span(page(TEXT), 20, 40)
    assert TEXT[made.start : made.end] == made.text
    assert made.page_sha256 == page(TEXT).sha256
    for start, end in ((5, 5), (-1, 4), (0, len(TEXT) + 1), (8, 9)):
        if not TEXT[max(start, 0) : end].strip() or start < 0 or end > len(TEXT):
            with pytest.raises(BadInput):
                span(page(TEXT), start, end)


words = st.lists(
    st.sampled_from(
        [
            "pump",
            "not",
            "14",
            "May",
            "ﬁre",
            "“so”",
            "out-\nage",
            "–",
            "never",
            "Aske",
            "1,500",
            "the",
            "a's",
            "naïve",
            "\xadsoft",
            "10²",
            "نعم",
        ]
    ),
    min_size=1,
    max_size=25,
).map(" ".join)


@given(words, st.data())
def test_every_verified_match_is_proven_and_every_whole_page_verifies(text, data):
    here = page(text)
    assert find(text, [here]).status == "verified"
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    if not text[start:end].strip():
        return
    for match in find(text[start:end], [here]).matches:
        assert text[match.start : match.end] == match.text
    quote = locate(text[start:end], here)
    if quote is not None:
        assert text[quote.start : quote.end] == quote.text


@given(words)
def test_a_changed_digit_or_a_dropped_not_never_verifies(text):
    for old, new in (("14", "15"), ("1,500", "1,501"), ("not ", ""), ("Aske", "Asker"), ("10²", "102")):
        changed = text.replace(old, new, 1)
        if changed != text and changed.strip() and changed.split() != text.split():
            answer = find(changed, [page(text)])
            assert all(match.text != text for match in answer.matches) or answer.status != "verified"


def test_a_thousand_quotes_are_fast():
    pages = [page(f"Report {n}. " + f"The pump of hall {n} was seen by guard {n % 7} on day {n}. " * 60, n)
             for n in range(1, 101)]  # fmt: skip
    corpus = Corpus(pages)
    began = time.monotonic()
    for n in range(1000):
        assert corpus.find(f"The pump of hall {n % 100 + 1} was seen").status == "verified"
    assert time.monotonic() - began < 20  # far above what it takes; a quadratic slip would miss it


def test_negation_words_are_lower_case():
    assert all(word == word.casefold() for word in NEGATIONS)
