from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import Page
from core.errors import BadInput
from core.evidence.quotes import QuoteFinder, edits, find, locate, span
from core.text import NEGATIONS
from tests.work import linear

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
        ("The operator did not touch the pump on 3 June 2021.", "date"),
        ("The operator did not touch the valve on 3 May 2021.", "word"),
        ("it is likely to fail.", "negation"),
        ("We paid 500 crowns — no more.", "number"),
        ("The loss was 5 degrees and 10² litres.", "number"),
        ("The loss was -5 degrees and 102 litres.", "number"),
        ("the operator did not touch the pump on 3 May 2021.", "word"),
    ],
)
def test_a_changed_quote_is_at_most_near_and_the_change_is_named(quote, what):
    answer = find(quote, [page(TEXT)])
    assert answer.status == "near"
    assert what in {difference.what for difference in answer.matches[0].differences}
    assert locate(quote, page(TEXT)) is None


@pytest.mark.parametrize(
    ("cut", "there"),
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
def test_a_word_is_never_cut_where_its_line_ends_at_an_apostrophe_or_at_what_is_not_seen(cut, there):
    assert find(cut, [page(there)]).status != "verified"
    assert locate(cut, page(there)) is None


@pytest.mark.parametrize(
    "before",
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
def test_a_number_is_never_cut_and_keeps_its_sign(before):
    for what in ("500 francs", "5 degrees"):
        there = f"It was {before}{what} then."
        assert find(what, [page(there)]).status != "verified"
        assert locate(what, page(there)) is None
        assert find(there, [page(there)]).status == "verified"
        if before[0] not in "<>~=":
            assert find(f"{before}{what}", [page(there)]).status == "verified"


@pytest.mark.parametrize(
    "after",
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
def test_a_number_is_never_cut_at_its_end(after):
    there = f"It was 1{after} then."
    assert find("It was 1", [page(there)]).status != "verified"
    assert find(there, [page(there)]).status == "verified"


@pytest.mark.parametrize(
    ("quote", "there"),
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
def test_true_borders_stay_borders(quote, there):
    assert find(quote, [page(there)]).status == "verified"


@pytest.mark.parametrize(
    ("cut", "one", "other"),
    [
        ("likely that he did it.", "It is un-", "likely that he did it."),
        ("likely that he did it.", "It is un\u00ad", "likely that he did it."),
        ("likely that he did it.", "It is un-\n\n1", "HEAD\nlikely that he did it."),
        ("It is harm", "It is harm-", "less."),
        ("500 francs", "It cost 1,", "500 francs."),
        ("It cost 1", "It cost 1", "500 francs."),
    ],
)
def test_a_word_or_a_number_is_not_cut_where_its_page_ends(cut, one, other):
    assert find(cut, pages_of(one, other, "HEAD\nMore.")).status != "verified"


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
    assert [m.document for m in QuoteFinder(pages).find("It rained.", document="D2").matches] == ["D2"]


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


def test_many_quotes_take_work_in_proportion():
    pages = [page(f"Report {n}. " + f"The pump of hall {n} was seen by guard {n % 7} on day {n}. " * 60, n)
             for n in range(1, 101)]  # fmt: skip
    corpus = QuoteFinder(pages)

    def look_up(quotes: int) -> None:
        for n in range(quotes):
            assert corpus.find(f"The pump of hall {n % 100 + 1} was seen").status == "verified"

    assert linear(look_up, 400)


def test_negation_words_are_lower_case():
    assert all(word == word.casefold() for word in NEGATIONS)


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
    for at in (i for i, c in enumerate(compound) if c == "-"):
        broken = f"{compound[: at + 1]}\n {compound[at + 1 :]}"
        there = f"He met a {broken} person of the oper-\nator."
        for said in (quote.replace("oper-ator", "operator"), f"a {compound} person", f"{compound} person"):
            answer = find(said, [page(there)])
            assert answer.status == "verified", (said, there)
            assert " ".join(answer.matches[0].text.replace("-\n ", "-").split())[:9] in there.replace("-\n ", "-")
        assert find(f"a {compound.replace('-', ' ')} person", [page(there)]).status != "verified"
        over = pages_of(there[: there.index("\n")], there[there.index("\n") + 1 :])
        assert find(f"a {compound} person", over).status == "verified"


@pytest.mark.parametrize(
    ("quote", "there"),
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
def test_a_hyphen_that_may_not_be_the_words_own_is_not_verified(quote, there):
    assert find(quote, [page(there)]).status != "verified"


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ("Guilty.", "He said: Guilty\u2026"),
        ("Guilty..", "He said: Guilty\u2026"),
        (".He said", "\u2026He said it."),
        ("the cafe", "He left the cafe\u0301 early."),
        ("is TM", "This is TM\u0301 here"),
        ("costs 1", "It costs 1\u20442 or \u00bd"),
    ],
)
def test_a_character_of_the_page_is_never_matched_in_part(quote, there):
    if "costs" in quote:
        there = there.replace("1\u20442 or ", "")
    assert find(quote, [page(there)]).status != "verified"
    assert locate(quote, page(there)) is None


def test_an_ellipsis_is_the_same_as_three_dots():
    assert find("Guilty...", [page("He said: Guilty\u2026")]).status == "verified"
    assert find("Guilty\u2026", [page("He said: Guilty...")]).status == "verified"


# --- over a page break -----------------------------------------------------------------------------------------------


def pages_of(*texts: str, document: str = "D1") -> list[Page]:
    return [page(text, number, document) for number, text in enumerate(texts, start=1)]


RUN_ON = pages_of(
    "Report on hall 4\nThe guard was asked twice. He said that the lock had been chan-\n\n- 1 -",
    "Report on hall 4\nged in May, and that he did not\nknow by whom. The vendor denied it,\n- 2 -",
    "Report on hall 4\nand nobody asked again.\n- 3 -",
)


BARE = pages_of(*("\n".join(one.text.split("\n")[1:-1]).strip() for one in RUN_ON[:2]), "and nobody asked again.")


@pytest.mark.parametrize(
    ("pages", "quote", "stretches"),
    [
        (
            RUN_ON,
            "He said that the lock had been changed in May",
            [(1, "He said that the lock had been chan-"), (2, "ged in May")],
        ),
        (
            BARE,
            "vendor denied it, and nobody asked again.",
            [(2, "vendor denied it,"), (3, "and nobody asked again.")],
        ),
        (
            BARE,
            "changed in May, and that he did not know by whom. The vendor denied it, and nobody",
            [
                (1, "chan-"),
                (2, "ged in May, and that he did not\nknow by whom. The vendor denied it,"),
                (3, "and nobody"),
            ],
        ),
    ],
)
def test_a_quote_over_a_page_break_is_verified_with_every_stretch_of_it(pages, quote, stretches):
    answer = find(quote, pages)
    assert answer.status == "verified"
    (match,) = answer.matches
    found = [(match.page, match.start, match.end, match.text)]
    found += [(part.page, part.start, part.end, part.text) for part in match.more]
    assert [(number, text) for number, _, _, text in found] == stretches
    for number, start, end, text in found:
        assert pages[number - 1].text[start:end] == text


@pytest.mark.parametrize(
    ("quote", "what"),
    [
        ("He said that the lock had been changed in June, and that he did not", "date"),
        ("He said that the lock had been changed in May, and that he did know", "negation"),
        ("The vendor denied it, and Nobody asked again.", "word"),
        ("The vendor denied it, and somebody asked again.", "negation"),
    ],
)
def test_an_altered_quote_over_a_page_break_is_at_most_near(quote, what):
    answer = find(quote, RUN_ON)
    assert answer.status == "near"
    assert what in {difference.what for difference in answer.matches[0].differences}
    assert answer.matches[0].more


def test_words_that_are_no_running_line_are_never_left_out():
    said = "They found that he did"
    for between in ("not", "14", "sometimes", "not\n2"):
        pages = pages_of(f"Preface.\n{said}\n{between}", "touch the pump at night.", "Another page.")
        answer = find(f"{said} touch the pump at night.", pages)
        assert answer.status != "verified", between
    for here, there, last in (("1", "2", "3"), ("- 1 -", "- 2 -", "- 3 -"), ("[1]", "[2]", "[3]")):
        pages = pages_of(f"Preface.\n{said}\n{here}", f"touch the pump at night.\n{there}", f"Another page.\n{last}")
        assert find(f"{said} touch the pump at night.", pages).status == "near", here
        pages = pages_of(f"Preface.\n{said}.\n{here}", f"The pump ran.\n{there}", f"Another page.\n{last}")
        answer = find(f"{said}. The pump ran.", pages)
        assert answer.status == "verified", here
        assert [(part.page, part.text) for part in answer.matches[0].skipped_lines] == [(1, here)]


BOMB = ("The bomb killed", "people in the hall.", "The bomb killed people in the hall.")
COLD = ("Outside the temperature was", "degrees when the guard came.", "temperature was degrees when the guard came.")
SEEN = ("The witness said it was", "seen by him.", "The witness said it was seen by him.")


@pytest.mark.parametrize(
    ("said", "dropped", "elsewhere"),
    [
        (BOMB, "2", ("Preface.", "The end.")),  # the number of its page, and no other page has one
        (BOMB, "2", ("Preface.\n1", "The end.")),  # one page of three: a figure may count by chance
        (BOMB, "2", ("Preface.\n7", "The end.\n9")),
        (BOMB, "Page 2", ("Preface.", "The end.")),
        (BOMB, "two", ("Preface.\ntwo", "The end.\ntwo")),
        (COLD, "-2", ("Preface.\n-1", "The end.\n-4")),
        (COLD, "\u22122", ("Preface.\n\u22121", "The end.\n\u22124")),
        (COLD, "\n-2", ("Preface.\n\n-1", "The end.\n\n-4")),
        (COLD, "minus 2", ("Preface.\nminus 1", "The end.\nminus 4")),
        (SEEN, "rejected", ("Preface.\nrejected", "The end.\nrejected")),
        (SEEN, "\nhardly ever", ("Preface.\n\nhardly ever", "The end.\n\nhardly ever")),
        (SEEN, "allegedly", ("Preface.\nallegedly", "The end.\nallegedly")),
        (SEEN, "Allegedly", ("Preface.\nAllegedly", "The end.\nAllegedly")),
        (SEEN, "\nREJECTED", ("Preface.\n\nREJECTED", "The end.\n\nREJECTED")),
        (SEEN, "Ivan Petrov", ("Preface.\nIvan Petrov", "The end.\nIvan Petrov")),
        (SEEN, "3 May 2021", ("Preface.\n3 May 2021", "The end.\n3 May 2021")),
        (SEEN, "not", ("Preface.\nnot", "The end.\nnot")),
        (SEEN, "THE GAZETTE", ("Preface.", "The end.\nTHE GAZETTE")),
    ],
)
@pytest.mark.parametrize("side", ["foot", "head"])
def test_what_may_be_words_of_the_text_is_never_dropped_over_a_page_break(said, dropped, elsewhere, side):
    before, after, quote = said
    one, last = elsewhere
    pages = pages_of(one, f"{before}\n{dropped}", after, last)
    if side == "head":
        one, here, last = ("\n".join(reversed(page.split("\n"))) for page in (one, f"{after}\n{dropped}", last))
        # A number is that of its page: the second.
        pages = pages_of(before, here, last) if "2" in dropped else pages_of(one, before, here, last)
    answer = find(quote, pages)
    assert answer.status != "verified"
    if answer.status == "near":
        shown = " ".join(each.page for each in answer.matches[0].differences)
        assert dropped.replace("\u2212", "-").split()[0] in shown.replace("\u2212", "-")


def test_a_line_that_may_be_a_page_number_stands_in_the_difference_and_in_a_quote_that_has_it():
    pages = pages_of("Preface.", "The bomb killed\n2", "people in the hall.")
    answer = find("The bomb killed people in the hall.", pages)
    assert (answer.status, answer.altered) == ("near", True)
    (match,) = answer.matches
    assert [(each.quote, each.page, each.what) for each in match.differences] == [("", "2", "number")]
    assert [(part.page, part.start, part.end, part.text) for part in match.skipped_lines] == [(2, 16, 17, "2")]
    assert match.score < 1
    whole = find("The bomb killed 2 people in the hall.", pages)
    assert whole.status == "verified"
    assert whole.matches[0].skipped_lines == ()


NUMBERS = ["- {} -", "{}", "\nPage {}", "\n[{}]", "{} / 9"]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("side", ["foot", "head"])
def test_a_page_number_is_surely_one_only_between_two_sentences(number, side):
    def numbered(*texts):
        for n, text in enumerate(texts, start=1):
            lines = [text, number.format(n)]
            yield "\n".join(reversed("\n".join(lines).split("\n")) if side == "head" else lines)

    pages = pages_of(*numbered("Preface.", "The guard changed the lock.", "He left in May.", "The end."))
    answer = find("changed the lock. He left in May.", pages)
    assert answer.status == "verified"
    (part,) = answer.matches[0].skipped_lines
    assert part.text == number.format(2 if side == "foot" else 3).strip()
    assert pages[part.page - 1].text[part.start : part.end] == part.text
    pages = pages_of(*numbered("Preface.", "The bomb killed", "people in the hall.", "The end."))
    answer = find("The bomb killed people in the hall.", pages)
    assert answer.status == "near"
    assert [each.page for each in answer.matches[0].differences] == [number.format(2 if side == "foot" else 3).strip()]
    assert (
        find("lock. He left in May.", pages_of(*numbered("He changed the lock.", "He left in May."))).status == "near"
    )


@pytest.mark.parametrize(
    "head", ["THE GAZETTE", "Report on hall 4", "Annual report\n", "Ivan Petrov\n", "www.example.org\n"]
)
def test_a_head_is_surely_one_where_it_stands_on_many_pages_and_the_sentence_runs_on(head):
    texts = ("Preface.", "The guard said that the lock had been", "changed in May, and left.", "The end.")
    pages = pages_of(*(f"{head}\n{text}" for text in (*texts, "More.", "And more.")))
    answer = find("the lock had been changed in May", pages)
    assert answer.status == "verified"
    (part,) = answer.matches[0].skipped_lines
    assert (part.page, part.text) == (3, head.strip())
    few = find("the lock had been changed in May", pages[:4])
    assert few.status == "near"
    assert [each.page for each in few.matches[0].differences] == [head.strip()]
    capital = pages_of(
        *(f"{head}\n{text}" for text in ("One.", "He said", "Changed in May.", "Four.", "Five.", "Six."))
    )
    assert find("He said Changed in May.", capital).status == "near"


QUALIFIED = [
    *("UNDER DURESS", "HYPOTHETICAL SCENARIO", "In a hypothetical scenario", "Had he been there", "Were it true"),
    *("Bob said that", "In Theory", "Draft", "Fiction", "Said Bob Miller", "rejected", "A Novel", "As a joke"),
]


@pytest.mark.parametrize("line", QUALIFIED)
@pytest.mark.parametrize("form", ["{1}\n{0}", "{1}\n\n{0}", "{0}\n{1}", "{0}\n\n{1}", "{1} {2}\n{0}", "{1} {2}\n\n{0}"])
@pytest.mark.parametrize("more", [0, 4])
def test_a_line_that_may_qualify_a_sentence_is_never_verified_away(line, form, more):
    texts = ("Aa aa.\nbb bb", "Intro intro.\nThe witness said that", "it was seen by him.\nMore.", *["Zz.\nyy"] * more)
    pages = pages_of(*(form.format(text, line, n) for n, text in enumerate(texts, start=1)))
    answer = find("The witness said that it was seen by him.", pages)
    assert answer.status == "near"
    assert line.split()[0] in " ".join(each.page for each in answer.matches[0].differences)


@pytest.mark.parametrize("figure", ["{}", "({})", "{}/4", "-{}-", "10{}", "page {} of 4", "{} of the"])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_figure_that_counts_pages_inside_a_sentence_is_never_verified_away(figure, count):
    for space in ("\n", "\n\n"):
        texts = ("He paid", "dollars for it.\nMore.", "Zz.\nyy", "Zz.\nyy")[:count]
        pages = pages_of(*(f"{text}{space}{figure.format(n)}" for n, text in enumerate(texts, start=1)))
        answer = find("He paid dollars for it.", pages)
        assert (answer.status, answer.altered) == ("near", True)


def test_no_line_is_part_of_a_word_that_is_cut_by_a_page_break():
    assert find("that the lock had been changed in May", RUN_ON).status == "verified"
    pages = pages_of("It was an un-\nage", "likely guess.\nage", "More.\nage")
    assert find("It was an unlikely guess.", pages).status != "verified"


def test_a_bare_number_that_does_not_count_pages_is_text():
    pages = pages_of("The bomb killed\n14", "people in the hall.\n14", "More.\n14")
    assert find("The bomb killed people in the hall.", pages).status != "verified"
    assert find("The bomb killed 14 people in the hall.", pages).status == "verified"
    counted = pages_of("The bomb went off.\n114", "People ran away.\n115", "More.\n116")
    assert find("The bomb went off. People ran away.", counted).status == "verified"


def test_a_running_line_with_a_negation_is_text():
    pages = pages_of("He did\nnot to be copied", "touch it.\nnot to be copied", "More.\nnot to be copied")
    assert find("He did touch it.", pages).status != "verified"


def test_only_pages_that_follow_one_another_are_joined():
    ends, begins = "They found that the", "second pump was running all night."
    whole = f"{ends} {begins}"
    assert find(whole, pages_of(ends, begins)).status == "verified"
    assert find(whole, [page(ends, 1, "D1"), page(begins, 2, "D2")]).status != "verified"
    assert find(whole, [page(ends, 1), page(begins, 3)]).status != "verified"
    assert find(whole, [page(begins, 1), page(ends, 2)]).status != "verified"
    assert find(whole, pages_of(ends, "", begins)).status != "verified"
    other = QuoteFinder([*pages_of(ends, begins, document="D1"), *pages_of("Nothing.", document="D2")])
    assert other.find(whole, document="D2").status != "verified"
    assert other.find(whole, document="D1").matches[0].document == "D1"


@given(words, words, st.data())
def test_every_stretch_of_a_match_over_a_page_break_is_proven(first, second, data):
    pages = pages_of(first, second)
    start = data.draw(st.integers(0, len(first) - 1))
    end = data.draw(st.integers(1, len(second)))
    if not first[start:].strip() or not second[:end].strip():
        return
    answer = find(f"{first[start:]}\n{second[:end]}", pages)
    for match in answer.matches:
        assert pages[match.page - 1].text[match.start : match.end] == match.text
        for part in match.more:
            assert pages[part.page - 1].text[part.start : part.end] == part.text
    if start == 0 and end == len(second):
        assert answer.status == "verified"


def test_a_long_page_is_cut_at_a_line_and_never_inside_a_word():
    long = "\n".join(f"line {n} of a long page that nobody needs" for n in range(2_000))
    pages = pages_of(f"{long}\nand the oper", "ator did not touch the pump.")
    assert find("the oper ator did not touch", pages).status == "verified"
    assert find("nobody needs and the oper ator did not touch", pages).status == "verified"
    assert find("ody needs and the oper ator did not touch", pages).status != "verified"


# --- what differs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quote", "altered"),
    [
        ("The operator did not tonch the pump on 3 May 2021.", False),
        ("The operator did not touch the pump on 3 May 2021 .", False),
        ("The operator did not touch the pump on 8 May 2021.", True),
        ("The operator did not touch the pump on 3 May 2022.", True),
        ("The operator did not touch the pump on 3 March 2021.", True),
        ("The operator did touch the pump on 3 May 2021.", True),
        ("The operator didn't touch the pump on 3 May 2021.", False),
        ("The Operator Smith did not touch the pump on 3 May 2021.", True),
        ("The outage lasted eight days. The operator did not touch", True),
    ],
)
def test_what_differs_in_a_figure_a_date_a_negation_or_a_name_is_altered(quote, altered):
    answer = find(quote, [page(TEXT)])
    assert answer.status == "near"
    assert answer.altered is altered


def test_edits_cover_both_sides():
    for quote, there in (("tbe  pumq\nstood", "the pump\n stood"), ("no", ""), ("", "x"), ("½ cup", "1⁄2  cups")):
        found = edits(quote, there)
        assert "".join(edit.quote for edit in found) == quote
        assert "".join(edit.page for edit in found) == there
    assert [(e.kind, e.quote, e.page) for e in edits("the pumq stood still", "the pump stood")] == [
        ("same", "the pum", "the pum"),
        ("changed", "q", "p"),
        ("same", " stood", " stood"),
        ("added", " still", ""),
    ]


@given(words, words)
def test_edits_of_any_two_texts_cover_both(one, other):
    found = edits(one, other)
    assert "".join(edit.quote for edit in found) == one
    assert "".join(edit.page for edit in found) == other
