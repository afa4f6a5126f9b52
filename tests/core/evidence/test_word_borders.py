"""Where the characters of a quote stand: borders of words and numbers."""

from __future__ import annotations

import pytest

from core.evidence.quotes import find
from tests.core.evidence.located import locate
from tests.core.evidence.test_quotes import page, pages_of


@pytest.mark.parametrize(
    ("cut", "page_text"),
    [
        ("likely that he did it", "We think it is un-\nlikely that he did it."),
        ("likely that he did it", "We think it is un\u2010\n  likely that he did it."),
        ("likely that he did it", "We think it is un- likely that he did it."),
        ("likely that he did it", "We think it is un\u00ac\nlikely that he did it."),
        ("likely that he did it", "We think it is un\u00adlikely that he did it."),
        ("likely that he did it", "We think it is un\u00ad\nlikely that he did it."),
        ("likely that he did it", "We think it is un\u200blikely that he did it."),
        ("likely that he did it", "We think it is un\u2060likely that he did it."),
        ("possible for him to do it", "It was im-\npossible for him to do it."),
        ("legal act", "An il-\nlegal act."),
        ("agree with", "They dis-\nagree with him."),
        ("treated well", "They were mis-\ntreated well."),
        ("guilty man", "A non-\nguilty man."),
        ("violent protest", "A non-violent protest."),
        ("He is harm", "He is harm-\nless."),
        ("He is harm-", "He is harm-\nless."),
        ("He can", "He can\u2019t swim."),
        ("He can\u2019", "He can\u2019t swim."),
        ("He can", "He can't swim."),
        ("He won", "He won\u2019t come."),
        ("He is\u200b not", "He is\u200b not\u200bable."),
        ("the man", "He saw the\u0301 man\u0301 there."),
    ],
)
def test_a_word_is_never_cut_where_its_line_ends_at_an_apostrophe_or_at_what_is_not_seen(cut, page_text):
    assert find(cut, [page(page_text)]).status != "verified"
    assert locate(cut, page(page_text)) is None


@pytest.mark.parametrize(
    "prefix",
    [
        *(
            "1 ",
            "1\u00a0",
            "1\u202f",
            "1\u2009",
            "1'",
            "1\u2019",
            "1,\n",
            "1\n",
            "0\u00b7",
            "0\u066b",
            "0.\u200b",
            "0,",
        ),
        *(
            "0.\n",
            "0. ",
            "1\u066c",
            "\u2012",
            "\u2013",
            "\u2014",
            "\ufe63",
            "\uff0d",
            "\u2212",
            "- ",
            "-\u00ad",
            "-\u200b",
        ),
        *(
            "\u2212\n",
            "\u2014 ",
            "<",
            "< ",
            ">",
            "~",
            "\u2248",
            "\u2264 ",
            "=\u0338 ",
            ".",
            "$",
            "\u00a3",
            "\u20ac ",
            "\u00b1",
        ),
        *("10\u201312-", "10\u2013", "10-", "10 - ", "1/", "1:", "#", "10\u207b"),
    ],
)
def test_a_number_is_never_cut_and_keeps_its_sign(prefix):
    for quantity in ("500 francs", "5 degrees"):
        page_text = f"It was {prefix}{quantity} then."
        assert find(quantity, [page(page_text)]).status != "verified"
        assert locate(quantity, page(page_text)) is None
        assert find(page_text, [page(page_text)]).status == "verified"
        if prefix[0] not in "<>~=":
            assert find(f"{prefix}{quantity}", [page(page_text)]).status == "verified"


@pytest.mark.parametrize(
    "suffix",
    [
        *(
            " 500",
            "\u00a0500",
            "'500",
            "\u2019500",
            ",\n500",
            "\n500",
            "\u00b75",
            "\u066b5",
            ".\u200b5",
            "\u200b5",
            "\u00ad5",
        ),
        *(
            "%",
            " %",
            "\u2030",
            "\u20ac",
            " \u20ac",
            "\u00b0C",
            "-10",
            "\u201310",
            " \u2013 10",
            "\u00b2",
            "/2",
            ":2",
            " \u00b1 2",
            "-\nyear",
        ),
    ],
)
def test_a_number_is_never_cut_at_its_end(suffix):
    page_text = f"It was 1{suffix} then."
    assert find("It was 1", [page(page_text)]).status != "verified"
    assert find(page_text, [page(page_text)]).status == "verified"


@pytest.mark.parametrize(
    ("quote", "page_text"),
    [
        ("pages 10-12", "See pages 10\u201312 of it."),
        ("12 men came", "There, (12 men came) at last."),
        ("12 men came", "Bullets:\n\u2022 12 men came"),
        ("12 men came", "Chapter 1\n\n12 men came."),
        ("It was 1", "It was 1, and then 2."),
        ("in 1995.", "He came in 1995. Then he left."),
        ("guilty", "He said 'guilty' and left\u2014guilty as charged."),
        ("guilty as charged", "He left\u2014guilty as charged."),
        ("he left", "\u2018he left\u2019, they said."),
        ("the guards", "the guards\u2019 key"),
        ("- men came", "It says:\n- men came"),
        ("men came", "It says:\n- men came"),
        ("it was cold", "He left - it was cold - at night"),
        ("\u0647\u0648 \u0647\u0646\u0627", "\u0642\u0627\u0644 \u0647\u0648 \u0647\u0646\u0627."),
        ("he is guilty", "so he is\u200c guilty\u200b indeed"),
    ],
)
def test_true_borders_stay_borders(quote, page_text):
    assert find(quote, [page(page_text)]).status == "verified"


@pytest.mark.parametrize(
    "compound",
    [
        "well-known",
        "tax-free",
        "e-mail",
        "12-year",
        "mother-in-law",
        "self-made",
        "ex-wife",
        "non-violent",
        "Anglo-saxon",
    ],
)
def test_a_compound_broken_at_its_own_hyphen_is_verified(compound):
    quote = f"He met a {compound} person of the oper-ator."
    for offset in (i for i, c in enumerate(compound) if c == "-"):
        broken_word = f"{compound[: offset + 1]}\n {compound[offset + 1 :]}"
        page_text = f"He met a {broken_word} person of the oper-\nator."
        for quotation in (quote.replace("oper-ator", "operator"), f"a {compound} person", f"{compound} person"):
            answer = find(quotation, [page(page_text)])
            assert answer.status == "verified", (quotation, page_text)
            assert " ".join(answer.matches[0].text.replace("-\n ", "-").split())[:9] in page_text.replace("-\n ", "-")
        assert find(f"a {compound.replace('-', ' ')} person", [page(page_text)]).status != "verified"
        over = pages_of(page_text[: page_text.index("\n")], page_text[page_text.index("\n") + 1 :])
        assert find(f"a {compound} person", over).status == "verified"


@pytest.mark.parametrize(
    ("quote", "page_text"),
    [
        ("They re-cover the chair.", "They re-\ncover the chair."),
        ("He had to re-sign it.", "He had to re-\nsign it."),
        ("It was un-ionised.", "It was un-\nionised."),
        ("The well-known man", "The wellknown man"),
        ("The well-known man", "The well\nknown man"),
        ("The well-known man", "The well\u00ad\nknown man"),
        ("The well-known man", "The well\u2013\nknown man"),
        ("from 1990-95 on", "from 199095 on"),
        ("from 19-95 on", "from 1-\n995 on"),
        ("a 12-year term", "a 1-\n2year term"),
        ("Smith-jones left", "Smith-\nJones left"),
        ("a tax-free sum", "a tax-\nFree sum"),
        ("no-one came", "noone came"),
    ],
)
def test_a_hyphen_that_may_not_be_the_words_own_is_not_verified(quote, page_text):
    assert find(quote, [page(page_text)]).status != "verified"


@pytest.mark.parametrize(
    ("quote", "page_text"),
    [
        ("Guilty.", "He said: Guilty\u2026"),
        ("Guilty..", "He said: Guilty\u2026"),
        (".He said", "\u2026He said it."),
        ("the cafe", "He left the cafe\u0301 early."),
        ("is TM", "This is TM\u0301 here"),
        ("costs 1", "It costs 1\u20442 or \u00bd"),
    ],
)
def test_a_character_of_the_page_is_never_matched_in_part(quote, page_text):
    if "costs" in quote:
        page_text = page_text.replace("1\u20442 or ", "")
    assert find(quote, [page(page_text)]).status != "verified"
    assert locate(quote, page(page_text)) is None


def test_an_ellipsis_is_the_same_as_three_dots():
    assert find("Guilty...", [page("He said: Guilty\u2026")]).status == "verified"
    assert find("Guilty\u2026", [page("He said: Guilty...")]).status == "verified"
