"""Heads, feet and page numbers between the words of a quote."""

from __future__ import annotations

import pytest

from core.evidence import running_lines
from core.evidence.quotes import find
from tests.core.evidence.test_quotes import RUN_ON, page, pages_of


def test_words_that_are_no_running_line_are_never_left_out():
    phrase = "They found that he did"
    for between in ("not", "14", "sometimes", "not\n2"):
        pages = pages_of(f"Preface.\n{phrase}\n{between}", "touch the pump at night.", "Another page.")
        answer = find(f"{phrase} touch the pump at night.", pages)
        assert answer.status != "verified", between
    for first_line, second_line, last in (("1", "2", "3"), ("- 1 -", "- 2 -", "- 3 -"), ("[1]", "[2]", "[3]")):
        pages = pages_of(
            f"Preface.\n{phrase}\n{first_line}", f"touch the pump at night.\n{second_line}", f"Another page.\n{last}"
        )
        assert find(f"{phrase} touch the pump at night.", pages).status == "near", first_line
        pages = pages_of(
            f"Preface.\n{phrase}.\n{first_line}", f"The pump ran.\n{second_line}", f"Another page.\n{last}"
        )
        answer = find(f"{phrase}. The pump ran.", pages)
        assert answer.status == "verified", first_line
        assert [(part.page, part.text) for part in answer.matches[0].skipped_lines] == [(1, first_line)]


BOMB = ("The bomb killed", "people in the hall.", "The bomb killed people in the hall.")


COLD = ("Outside the temperature was", "degrees when the guard came.", "temperature was degrees when the guard came.")


SEEN = ("The witness said it was", "seen by him.", "The witness said it was seen by him.")


@pytest.mark.parametrize(
    ("sentence", "dropped", "elsewhere"),
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
def test_what_may_be_words_of_the_text_is_never_dropped_over_a_page_break(sentence, dropped, elsewhere, side):
    opening, ending, quote = sentence
    first, last = elsewhere
    pages = pages_of(first, f"{opening}\n{dropped}", ending, last)
    if side == "head":
        first, middle, last = ("\n".join(reversed(page.split("\n"))) for page in (first, f"{ending}\n{dropped}", last))
        # A number is that of its page: the second.
        pages = pages_of(opening, middle, last) if "2" in dropped else pages_of(first, opening, middle, last)
    answer = find(quote, pages)
    assert answer.status != "verified"
    if answer.status == "near":
        page_words = " ".join(difference.page for difference in answer.matches[0].differences)
        assert dropped.replace("\u2212", "-").split()[0] in page_words.replace("\u2212", "-")


def test_a_line_that_may_be_a_page_number_stands_in_the_difference_and_in_a_quote_that_has_it():
    pages = pages_of("Preface.", "The bomb killed\n2", "people in the hall.")
    answer = find("The bomb killed people in the hall.", pages)
    assert (answer.status, answer.altered) == ("near", True)
    (match,) = answer.matches
    assert [(difference.quote, difference.page, difference.what) for difference in match.differences] == [
        ("", "2", "number")
    ]
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
    assert [difference.page for difference in answer.matches[0].differences] == [
        number.format(2 if side == "foot" else 3).strip()
    ]
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
    assert [difference.page for difference in few.matches[0].differences] == [head.strip()]
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
    assert line.split()[0] in " ".join(difference.page for difference in answer.matches[0].differences)


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


def test_the_running_lines_of_a_page_are_listed_by_where_they_are():
    pages = {n: page(f"The mill, annual report\n\nThe turbine ran for {n} days.\n\n{n}", n) for n in (1, 2, 3)}
    lines = running_lines.spans(pages[2], lambda _document, number: pages[number].text if number in pages else "")
    assert [pages[2].text[line.start : line.end] for line in lines] == ["The mill, annual report", "2"]
