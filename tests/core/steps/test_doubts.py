from __future__ import annotations

import random
from dataclasses import replace

import pytest

from core.domain import Page, Reading, Word, Words
from core.ports import UNREAD
from core.steps.doubts import alike, difference, doubts, in_order


def scan(told: str, page_id: int = 1) -> tuple[Page, Reading, Words]:
    """A page from words as 'text', 'text~other' or 'text~other~confidence'; 0.95 where nothing is said."""
    text, words, sure, others = "", [], [], []
    for piece in told.split():
        word, other, confidence = (*piece.split("~"), "", "")[:3]
        text += " " if text else ""
        words.append(Word(len(text), len(text) + len(word), len(text), 10, len(text) + 9, 20))
        text += word
        sure.append(float(confidence or 0.95))
        others.append(other)
    packed = Words.of(words)
    reading = Reading("engine 1", text, packed, tuple(sure), ((),) * len(words), tuple(others))
    page = Page(page_id, f"D{page_id}", 1, text, "", 100, 100, "ocr", 0.9, "", (), "engine 1")
    return page, reading, packed


def of(told: str, cited: str = "", decided: tuple[int, ...] = ()) -> list[tuple[str, tuple[str, ...]]]:
    page, reading, words = scan(told)
    start = page.text.index(cited) if cited else 0
    quotes = [(start, start + len(cited), "E4")] if cited else []
    return [(doubt.text, doubt.reasons) for doubt in doubts(page, reading, words, decided, quotes)]


def test_a_word_that_is_fine_is_no_doubt():
    assert of("The guard saw nothing of it.") == []
    assert of("The guard~~0.9 Keller~~0.9 did not~~0.9 go.", cited="Keller did") == []


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
        ("March", ("85% sure", "a date")),
        ("Water", ("75% sure",)),
        ("3", ("a figure",)),
    ]


def test_inside_a_quote_a_word_comes_first():
    told = "room 12~l2~0.3 was locked~~0.85 that night"
    assert [text for text, _ in of(told)] == ["12", "locked"]
    assert [text for text, _ in of(told, cited="was locked")] == ["locked", "12"]
    page, reading, words = scan(told)
    first = doubts(page, reading, words, (), [(0, 3, "E4"), (8, 18, "E7"), (5, 15, "E4")])[0]
    assert (first.text, first.cited, first.page) == ("12", ("E4",), 1)


def test_the_order_is_by_consequence_never_by_page():
    told = "cat~~0.3 2019~~0.99 Keller~~0.85 tbe~the 14~l4 end"
    assert [text for text, _ in of(told)] == ["14", "tbe", "Keller", "cat", "2019"]
    pages = []
    for page_id in (3, 1, 2):
        page, reading, words = scan("tbe~the cat~~0.3", page_id)
        pages += doubts(page, reading, words, ())
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
    (left,) = doubts(replace(page, text="these moden door"), reading, moved, {0})
    assert (left.text, left.start, left.end, left.word) == ("moden", 6, 11, 1)
    assert left.context == ("these", "door")
    with pytest.raises(ValueError, match="2 words"):
        doubts(page, reading, Words.of(list(words)[:2]), ())


def test_the_context_is_whole_words_and_says_where_the_page_goes_on():
    page, reading, words = scan(" ".join(["before"] * 40 + ["tbe~the"] + ["after"] * 40))
    (doubt,) = doubts(page, reading, words, ())
    assert doubt.context[0].startswith("… before before")
    assert doubt.context[1].endswith("after after …")
    assert set(" ".join(doubt.context).split()) == {"…", "before", "after"}


@pytest.mark.parametrize(
    ("text", "other", "what"),
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
def test_a_difference_is_what_is_left_without_what_both_share(text, other, what):
    assert difference(text, other) == what


def test_alike_gathers_what_differs_in_the_same_way():
    page, reading, words = scan("modern~modem tbe~the burn~bum gate~~0.3 gate~~0.4 corn~com")
    groups = [(group.what, [doubt.text for doubt in group.doubts]) for group in alike(doubts(page, reading, words, ()))]
    assert groups == [("rn/m", ["modern", "burn", "corn"]), ("b/h", ["tbe"]), ("gate", ["gate", "gate"])]
