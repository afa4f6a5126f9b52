"""Near-identical passages are grouped, and what differs between two is told."""

from __future__ import annotations

from core.documents.copies import copies_among, differences, near_identical, phrases
from tests.work import linear

TEXT = "The night log shows that the dosing pump of the north well stopped at 02:14 and that nobody touched it at all."


def test_short_texts_that_differ_in_a_word_are_not_copies():
    assert near_identical(["The pump was on.", "The pump was off.", "the pump was on", "", ""]) == [
        [0],
        [1],
        [2],
        [3, 4],
    ]


def test_two_texts_that_share_a_long_beginning_only_are_not_copies():
    assert near_identical([TEXT, TEXT + " " + TEXT.upper()]) == [[0], [1]]


SCANNED = (
    "In December the committee asked what the station had known of his visit to the embassy, who had listened to the "
    "calls, and whether the photograph that was sent in October showed the man or somebody else who had never been "
    "named in any of the cables of that year. The reply gave 14 names and 3 dates."
)
MISREAD = {
    "December": "Decenber", "committee": "committce", "station": "statlon", "visit": "viait", "listened": "Iistened",
    "photograph": "photogragh", "somebody": "somebedy", "named": "narned", "cables": "cahles", "reply": "rep1y",
}  # fmt: skip


def test_two_scans_of_a_page_are_copies():
    second_scan = " ".join(MISREAD.get(word, word) for word in SCANNED.split())
    assert near_identical([SCANNED, second_scan]) == [[0, 1]]


def test_the_copies_of_a_text_are_found_among_others_alone():
    again = " ".join(MISREAD.get(word, word) for word in SCANNED.split())
    near = [TEXT.replace("02:14", "02:15"), again, "", TEXT]
    assert copies_among(TEXT, near) == [0, 3]
    assert copies_among(SCANNED, near) == [1]
    assert copies_among(SCANNED, []) == []


def test_long_texts_of_one_form_with_other_words_and_figures_are_not_copies():
    replacements = {
        "December": "the spring", "committee": "lawyer", "visit": "money", "embassy": "bank", "14": "15", "3": "4",
        "photograph": "letter", "October": "June", "listened": "paid", "cables": "books", "named": "seen",
    }  # fmt: skip
    form = " ".join(replacements.get(word, word) for word in SCANNED.split())
    assert near_identical([SCANNED, form]) == [[0], [1]]


def test_figures_are_other_figures_by_any_sign():
    rows = [" ".join(f"item {index} costs {index * 37 + more} in all" for index in range(9)) for more in (0, 1)]
    assert near_identical(rows) == [[0], [1]]


def test_differences_are_told_in_order_with_what_is_only_in_one():
    assert differences("a b c d", "a c d e") == (("b", ""), ("", "e"))
    assert differences("a  b", "a b") == ()


def test_grouping_is_linear_also_where_every_text_has_the_same_phrase():
    phrase = "this message was scanned by the mail gateway of the company"
    assert linear(
        lambda n: near_identical(
            [f"{number} {number * 7} {number * 11} {phrase} {number * 13} {number + 5}" for number in range(n)]
        ),
        400,
    )


def test_a_copy_with_another_number_still_has_a_phrase_of_the_text():
    copy = " ".join(TEXT.replace("02:14", "02:41").split())
    assert any(phrase in copy for phrase in phrases(TEXT))
    assert all(len(phrase.split()) == 5 for phrase in phrases(TEXT))


def test_phrases_of_a_short_text_are_all_of_it():
    assert phrases("The pump was on.") == ["The pump was on"]
    assert phrases(" \n") == []
