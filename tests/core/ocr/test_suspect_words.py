from __future__ import annotations

import random
from dataclasses import replace

import pytest

from core.domain import Page, Reading, Word, Words
from core.ocr.suspect_words import Vocabulary, confusion_groups, difference, find, in_order, matters, word_counts
from core.ports import UNREAD


def scan(notation: str, page_id: int = 1) -> tuple[Page, Reading, Words]:
    """A page from words as 'text', 'text~other' or 'text~other~confidence'; 0.95 where nothing is said."""
    text, words, sure, second_words = "", [], [], []
    for piece in notation.split():
        word, second_word, confidence = (*piece.split("~"), "", "")[:3]
        text += " " if text else ""
        words.append(Word(len(text), len(text) + len(word), len(text), 10, len(text) + 9, 20))
        text += word
        sure.append(float(confidence or 0.95))
        second_words.append(second_word)
    packed = Words.of(words)
    reading = Reading("engine 1", text, packed, tuple(sure), ((),) * len(words), tuple(second_words))
    page = Page(page_id, f"D{page_id}", 1, text, "", 100, 100, "ocr", 0.9, "", (), "engine 1")
    return page, reading, packed


def of(notation: str, cited: str = "", decided: tuple[int, ...] = ()) -> list[tuple[str, tuple[str, ...]]]:
    page, reading, words = scan(notation)
    start = page.text.index(cited) if cited else 0
    quotes = [(start, start + len(cited), "E4")] if cited else []
    return [(doubt.text, doubt.reasons) for doubt in find(page, reading, words, decided, quotes)]


def test_a_word_that_is_fine_is_no_doubt():
    assert of("The guard saw nothing of it.") == []
    assert of("The guard~~0.95 Keller~~0.96 did not~~0.95 go.", cited="Keller did") == []


def test_each_reason_is_said_in_plain_words():
    assert of("the modern~modem door") == [("modern", ("the engines differ",))]
    assert of("the gate~~0.41 door") == [("gate", ("41% sure",))]
    assert of("in 1994 he") == [("1994", ("a figure",))]
    assert of(f"the speck~{UNREAD}~0.95 door") == [("speck", ("only one engine saw it",))]
    assert of("he did not~hot~0.5 go") == [("not", ("the engines differ", "50% sure", "a negation"))]


def test_a_negation_counts_that_only_the_other_engine_read():
    assert of("he did hot~not go") == [("hot", ("the engines differ", "a negation"))]


@pytest.mark.parametrize(("word", "kind"), [("never", "a negation"), ("didn’t", "a negation"), ("Keller", "a name")])
def test_what_makes_an_error_in_a_word_matter_is_said(word, kind):
    assert of(f"he went~~0.4 {word}~~0.85 on") == [(word, ("85% sure", kind)), ("went", ("40% sure",))]
    assert of(f"he {word} went") == []


def test_a_month_is_a_date_and_a_capital_at_the_start_of_a_sentence_is_no_name():
    assert of("on 3~~0.95 March~~0.85 it rained. Water~~0.75 stood.") == [
        ("3", ("a figure",)),
        ("March", ("85% sure", "a date")),
        ("Water", ("75% sure",)),
    ]


def test_inside_a_quote_a_word_comes_first():
    notation = "room 12~l2~0.3 was locked~~0.85 that night"
    assert [text for text, _ in of(notation)] == ["12", "locked"]
    assert [text for text, _ in of(notation, cited="was locked")] == ["locked", "12"]
    page, reading, words = scan(notation)
    first = find(page, reading, words, (), [(0, 3, "E4"), (8, 18, "E7"), (5, 15, "E4")])[0]
    assert (first.text, first.cited, first.page) == ("12", ("E4",), 1)


def test_the_order_is_by_consequence_never_by_page():
    notation = "cat~~0.3 2019~~0.99 Keller~~0.85 tbe~the 14~l4 end"
    assert [text for text, _ in of(notation)] == ["14", "tbe", "Keller", "cat", "2019"]
    pages = []
    for page_id in (3, 1, 2):
        page, reading, words = scan("tbe~the then cat~~0.3", page_id)
        pages += find(page, reading, words, ())
    random.Random(7).shuffle(pages)
    order = [(doubt.page_id, doubt.text) for doubt in in_order(pages)]
    assert order == [(1, "tbe"), (2, "tbe"), (3, "tbe"), (1, "cat"), (2, "cat"), (3, "cat")]


def test_what_is_decided_is_no_doubt_any_more():
    assert of("tbe~the cat~~0.3", decided=(0,)) == [("cat", ("30% sure",))]


def test_after_a_correction_the_words_are_those_of_the_page_now():
    page, reading, words = scan("tbe~the moden~modern~0.4 door")
    moved = Words.of(
        Word(start, end, *word[2:]) for (start, end), word in zip([(0, 5), (6, 11), (12, 16)], words, strict=True)
    )
    (left,) = find(replace(page, text="these moden door"), reading, moved, {0})
    assert (left.text, left.start, left.end, left.word) == ("moden", 6, 11, 1)
    assert left.context == ("these", "door")
    with pytest.raises(ValueError, match="2 words"):
        find(page, reading, Words.of(list(words)[:2]), ())


def test_the_context_is_whole_words_and_says_where_the_page_goes_on():
    page, reading, words = scan(" ".join(["long", "before"] * 20 + ["tbe~the"] + ["long", "after"] * 20))
    (doubt,) = find(page, reading, words, ())
    assert doubt.context[0].startswith("… long before")
    assert doubt.context[1].endswith("long after …")
    assert set(" ".join(doubt.context).split()) == {"…", "long", "before", "after"}


@pytest.mark.parametrize(
    ("text", "second_reading", "expected"),
    [
        ("modern", "modem", "rn/m"),
        ("O4", "04", "O/0"),
        ("enied", "denied", "/d"),
        ("aa", "a", "a/"),
        ("same", "same", ""),
        ("x", "", ""),
        ("x", UNREAD, ""),
    ],
)
def test_a_difference_is_what_is_left_without_what_both_share(text, second_reading, expected):
    assert difference(text, second_reading) == expected


def test_alike_gathers_what_differs_in_the_same_way():
    page, reading, words = scan("modern~modem by tbe~the by burn~bum by gate~~0.3 by gate~~0.4 by corn~com")
    groups = [
        (group.what, [doubt.text for doubt in group.doubts])
        for group in confusion_groups(find(page, reading, words, ()))
    ]
    assert groups == [("rn/m", ["modern", "burn", "corn"]), ("b/h", ["tbe"]), ("gate", ["gate", "gate"])]


# --- words that are none ---------------------------------------------------------------------------------------------

ENGLISH = frozenset(
    (
        *("the", "which", "who", "guard", "heard", "saw", "door", "of", "and", "to", "a", "man", "in", "stood"),
        *("gate", "he", "left", "by", "not", "but", "was", "wide", "red", "paint"),
    )
)


def doubts_in(text: str, vocabulary: Vocabulary | None) -> dict[str, tuple[str, ...]]:
    page, reading, words = scan(text)
    return {doubt.text: doubt.reasons for doubt in find(page, reading, words, (), vocabulary=vocabulary)}


def test_words_of_readings_are_counted_where_the_engines_agree():
    _, reading, _ = scan("The guard, the gaurd~guard and Keller’s door.")
    assert word_counts([reading]) == {"the": 2, "guard": 1, "and": 1, "keller’s": 1, "door": 1}


def test_a_word_that_stands_nowhere_else_and_is_none_of_the_language_is_in_doubt():
    text = "the guard heard the dcor and the guard saw Keller who saw Keller"
    _, reading, _ = scan(text)
    vocabulary = Vocabulary(word_counts([reading]), ENGLISH)
    assert doubts_in(text, vocabulary) == {"dcor": ("occurs nowhere else",)}
    # A name that stands there twice is a name; without a list of words nothing is said of single ones.
    assert doubts_in(text, None) == {}


def test_a_word_that_is_easily_mistaken_for_a_frequent_one_is_in_doubt():
    often = "he left and " * 6
    text = often + "who hut he"
    _, reading, _ = scan(often + "but he but he but he but he but he but " + text)
    vocabulary = Vocabulary(word_counts([reading]), ENGLISH | {"hut"})
    assert doubts_in("who hut saw", vocabulary) == {"hut": ("“but” is frequent here",)}


@pytest.mark.parametrize(
    ("text", "odd"), [("the man stood. at", "stood."), ("in.a gate", "in.a"), ("the gua|rd saw", "gua|rd")]
)
def test_a_mark_where_none_belongs_is_said(text, odd):
    assert doubts_in(text, None) == {odd: ("an odd mark",)}


@pytest.mark.parametrize(
    "text", ["on Mon. at ten", "it was so... and then", "he’s by the U.S. gates", "well-known men"]
)
def test_marks_that_belong_are_none(text):
    assert doubts_in(text, None) == {}


def test_a_word_read_twice_is_in_doubt_on_both_sides():
    assert doubts_in("one of of his", None) == {"of": ("occurs twice",)}


def test_what_matters_is_in_a_quote_or_likely_wrong():
    page, reading, words = scan("the dcor~door was 12~~0.99 wide and red~~0.94 paint")
    vocabulary = Vocabulary(word_counts([reading]), ENGLISH)
    by_text = {doubt.text: matters(doubt) for doubt in find(page, reading, words, (), vocabulary=vocabulary)}
    assert by_text == {"dcor": True, "12": False, "red": False}
    assert all(matters(doubt) for doubt in find(page, reading, words, (), [(0, len(page.text), "E1")]))


def test_the_likelier_a_word_is_wrong_the_earlier_it_comes():
    page, reading, words = scan("a gate~~0.4 he stood~stocd~0.5 by")
    doubts = find(page, reading, words, ())
    assert [doubt.text for doubt in doubts] == ["stood", "gate"]
    assert doubts[0].error_probability > doubts[1].error_probability > 0
