from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import MARKS, Page, Table
from core.errors import BadInput
from core.evidence.quotes import QuoteFinder, edits, find, span
from tests.core.evidence.located import locate
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
    ("cut", "first_page", "second_page"),
    [
        ("likely that he did it.", "It is un-", "likely that he did it."),
        ("likely that he did it.", "It is un\u00ad", "likely that he did it."),
        ("likely that he did it.", "It is un-\n\n1", "HEAD\nlikely that he did it."),
        ("It is harm", "It is harm-", "less."),
        ("500 francs", "It cost 1,", "500 francs."),
        ("It cost 1", "It cost 1", "500 francs."),
    ],
)
def test_a_word_or_a_number_is_not_cut_where_its_page_ends(cut, first_page, second_page):
    assert find(cut, pages_of(first_page, second_page, "HEAD\nMore.")).status != "verified"


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
    quote = span(page(TEXT), 20, 40)
    assert TEXT[quote.start : quote.end] == quote.text
    assert quote.page_sha256 == page(TEXT).sha256
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
    source = page(text)
    assert find(text, [source]).status == "verified"
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    if not text[start:end].strip():
        return
    for match in find(text[start:end], [source]).matches:
        assert text[match.start : match.end] == match.text
    quote = locate(text[start:end], source)
    if quote is not None:
        assert text[quote.start : quote.end] == quote.text


@given(words)
def test_a_changed_digit_or_a_dropped_not_never_verifies(text):
    for old, new in (("14", "15"), ("1,500", "1,501"), ("not ", ""), ("Aske", "Asker"), ("10²", "102")):
        changed_text = text.replace(old, new, 1)
        if changed_text != text and changed_text.strip() and changed_text.split() != text.split():
            answer = find(changed_text, [page(text)])
            assert all(match.text != text for match in answer.matches) or answer.status != "verified"


@pytest.mark.slow
def test_many_quotes_take_work_in_proportion():
    pages = [page(f"Report {n}. " + f"The pump of hall {n} was seen by guard {n % 7} on day {n}. " * 60, n)
             for n in range(1, 101)]  # fmt: skip
    corpus = QuoteFinder(pages)

    def look_up(quotes: int) -> None:
        for n in range(quotes):
            assert corpus.find(f"The pump of hall {n % 100 + 1} was seen").status == "verified"

    assert linear(look_up, 400)


# --- over a page break -----------------------------------------------------------------------------------------------


def pages_of(*texts: str, document: str = "D1") -> list[Page]:
    return [page(text, number, document) for number, text in enumerate(texts, start=1)]


RUN_ON = pages_of(
    "Report on hall 4\nThe guard was asked twice. He said that the lock had been chan-\n\n- 1 -",
    "Report on hall 4\nged in May, and that he did not\nknow by whom. The vendor denied it,\n- 2 -",
    "Report on hall 4\nand nobody asked again.\n- 3 -",
)


BARE = pages_of(*("\n".join(page.text.split("\n")[1:-1]).strip() for page in RUN_ON[:2]), "and nobody asked again.")


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
    parts = [(match.page, match.start, match.end, match.text)]
    parts += [(part.page, part.start, part.end, part.text) for part in match.more]
    assert [(number, text) for number, _, _, text in parts] == stretches
    for number, start, end, text in parts:
        assert pages[number - 1].text[start:end] == text


@pytest.mark.parametrize(
    ("quote", "kind"),
    [
        ("He said that the lock had been changed in June, and that he did not", "date"),
        ("He said that the lock had been changed in May, and that he did know", "negation"),
        ("The vendor denied it, and Nobody asked again.", "word"),
        ("The vendor denied it, and somebody asked again.", "negation"),
    ],
)
def test_an_altered_quote_over_a_page_break_is_at_most_near(quote, kind):
    answer = find(quote, RUN_ON)
    assert answer.status == "near"
    assert kind in {difference.what for difference in answer.matches[0].differences}
    assert answer.matches[0].more


def test_only_pages_that_follow_one_another_are_joined():
    ends, begins = "They found that the", "second pump was running all night."
    whole = f"{ends} {begins}"
    assert find(whole, pages_of(ends, begins)).status == "verified"
    assert find(whole, [page(ends, 1, "D1"), page(begins, 2, "D2")]).status != "verified"
    assert find(whole, [page(ends, 1), page(begins, 3)]).status != "verified"
    assert find(whole, [page(begins, 1), page(ends, 2)]).status != "verified"
    assert find(whole, pages_of(ends, "", begins)).status != "verified"
    finder = QuoteFinder([*pages_of(ends, begins, document="D1"), *pages_of("Nothing.", document="D2")])
    assert finder.find(whole, document="D2").status != "verified"
    assert finder.find(whole, document="D1").matches[0].document == "D1"


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


def test_edits_cover_both_sides():
    for quote, page_text in (("tbe  pumq\nstood", "the pump\n stood"), ("no", ""), ("", "x"), ("½ cup", "1⁄2  cups")):
        pieces = edits(quote, page_text)
        assert "".join(edit.quote for edit in pieces) == quote
        assert "".join(edit.page for edit in pieces) == page_text
    assert [(e.kind, e.quote, e.page) for e in edits("the pumq stood still", "the pump stood")] == [
        ("same", "the pum", "the pum"),
        ("changed", "q", "p"),
        ("same", " stood", " stood"),
        ("added", " still", ""),
    ]


@given(words, words)
def test_edits_of_any_two_texts_cover_both(quote, page_text):
    pieces = edits(quote, page_text)
    assert "".join(edit.quote for edit in pieces) == quote
    assert "".join(edit.page for edit in pieces) == page_text


POWERS = "The lake holds 10⁶ litres. He was paid in 2019³ by the firm, and tons of CO₂ went. The valve failed³ again."


@pytest.mark.parametrize("quote", ["holds 10⁶ litres", "paid in 2019³ by", "tons of CO₂ went", "tons of CO2 went"])
def test_a_quote_with_its_raised_characters_is_verified_and_marked(quote):
    (match,) = find(quote, [page(POWERS)]).matches
    assert (match.differences, match.marks) == ((), ("raised",))
    assert match.text == quote.replace("CO2", "CO₂")


@pytest.mark.parametrize(
    ("quote", "altered", "difference"),
    [
        ("holds 106 litres", True, ("106", "10⁶", "number")),
        ("holds 10^6 litres", True, ("10^6", "10⁶", "number")),
        ("holds 10 litres", True, ("10", "10⁶", "number")),
        ("paid in 20193 by", True, ("20193", "2019³", "number")),
        ("paid in 2019 by the firm", False, ("2019", "2019³", "word")),
        ("The valve failed again", False, ("failed", "failed³", "word")),
    ],
)
def test_a_quote_without_its_raised_characters_is_near_and_says_where(quote, altered, difference):
    answer = find(quote, [page(POWERS)])
    assert (answer.status, answer.altered) == ("near", altered)
    differences = [(change.quote, change.page, change.what) for change in answer.matches[0].differences]
    assert difference in differences


def test_a_quote_of_digits_in_line_is_none_of_a_page_with_a_power():
    assert find("holds 10 6 litres", [page(POWERS)]).status == "near"
    assert find("holds 10⁶ litres", [page("The lake holds 106 litres.")]).status == "near"


def test_marks_are_those_that_touch_the_quote():
    text = "The pump was not opened by hand."
    marked = replace(page(text), struck_spans=((13, 16),), hidden_spans=((27, 31),), hidden_why=("tiny",))
    for quote, marks, doubts in (
        ("The pump was", (), ()),
        ("was not opened", ("struck",), ("struck through in the source",)),
        ("pump was not opened by hand", ("struck", "hidden"), (MARKS["struck"], MARKS["hidden"])),
        ("opened by", (), ()),
    ):
        (match,) = find(quote, [marked]).matches
        assert (match.marks, match.doubts) == (marks, doubts)
    (match,) = find("The pump was opened by hand.", [marked]).matches  # near
    assert "struck" in match.marks


def test_the_edge_of_struck_words_is_a_border_of_words():
    text = "The rent is 900 1,200 a month, payable inin advance."
    struck = replace(page(text), struck_spans=((12, 15), (39, 41)))
    for quote in ("The rent is 900", "1,200 a month", "payable in", "in advance", "the rent is 900".capitalize()):
        assert find(quote, [struck]).status == "verified", quote
        assert find(quote, [page(text)]).status != "verified", quote
    assert locate("The rent is 900", struck) is not None
    assert find("rent is 90", [struck]).status != "verified"
    assert find("200 a month", [struck]).status != "verified"


LOG = """\
time · vehicle · direction
07:58 · vehicle: white van · direction: in
08:14 · direction: out
16:55 · vehicle: 10² cars"""


def page_of_rows() -> Page:
    rows = []
    for line in LOG.splitlines()[1:]:
        start, cells = LOG.index(line), []
        for heading in ("", "vehicle: ", "direction: "):
            offset = line.find(heading)
            cell = line[offset + len(heading) :].split(" · ")[0] if offset >= 0 else ""
            begin = start + offset + len(heading) if cell else start + len(line)
            cells.append((begin, begin + len(cell)))
        rows.append(tuple(cells))
    return replace(page(LOG), tables=(Table(("time", "vehicle", "direction"), tuple(rows)),))


@pytest.mark.parametrize(
    ("copied", "on_page"),
    [
        ("07:58\twhite van\tin", "07:58 · vehicle: white van · direction: in"),
        ("white van\tin", "white van · direction: in"),
        ("08:14\t\tout\r\n", "08:14 · direction: out"),
        ("07:58\twhite van\tin\n08:14\t\tout", LOG.split("\n", 1)[1].rsplit("\n", 1)[0]),
        ("\tin\n16:55\t10² cars\t", None),
        ("white van\tin\n\tout", "white van · direction: in\n08:14 · direction: out"),
    ],
)
def test_rows_copied_from_a_sheet_are_verified_as_the_line_of_the_page(copied, on_page):
    answer = find(copied, [page_of_rows()])
    assert (answer.status == "verified") is (on_page is not None)
    if on_page is not None:
        assert [match.text for match in answer.matches] == [on_page]


@pytest.mark.parametrize(
    "copied",
    ["07:58\tin", "07:58\twhite van\tout", "08:14\tout", "07:58\tWhite van", "16:55\t102 cars", "07:58\twhite"],
)
def test_cells_that_are_no_row_of_the_table_are_not_verified(copied):
    assert find(copied, [page_of_rows()]).status != "verified"
