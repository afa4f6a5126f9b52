"""Quotations: twenty ways of altering one, in ten places, are all found; the true ones are verified."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from core.audit.quotations import check, extract
from core.domain import Page
from core.evidence.quotes import QuoteFinder

PLACES = [
    "On 3 May 2021 the night operator Klara Bost did not open the main valve of pump two, because some of "
    "the lamps on the panel were dark.",
    "The committee of 12 members said that Ruben Aske had probably left the hall before 02:14, unless the "
    "clock was not right at all.",
    "In March 1998 the harbour office of Ostermere paid 4,500 crowns to Meridian Ltd, but it never "
    "received all of the papers it wanted.",
    "According to Dr Lund, 37 per cent of the patients may have been given the wrong dose, though no "
    "records of some days that week were kept.",
    "The bridge at Weir Lane was closed on 14 June 2003, after Inspector Holm reported some cracks that "
    "were not in the older drawings.",
    "Between 1990 and 1995 the colony lost about 60 birds a year, and Professor Ames could not say "
    "whether many of them had simply moved.",
    "Captain Vega wrote on 9 August 1911 that the southern lamp was not lit, although several of the "
    "keepers had sworn to the contrary.",
    "Some auditors of the firm Brandt and Sons found 18 invoices in February 2015 that were never "
    "approved, and possibly some others were missing.",
    "Witness Dora Klein saw 2 men at 23:40 near the northern gate, but she did not recognise either of "
    "them in the dark and some rain.",
    "By 30 November 2020 the Tallis River had risen 7 metres, and the mayor had not yet told most of the "
    "families to leave their homes.",
]  # fmt: skip


def page(text: str, number: int) -> Page:
    sha = hashlib.sha256(text.encode()).hexdigest()
    return Page(number, "D1", number, text, sha, 0, 0, "embedded", None, "", (), "f")


PAGES = [
    page(f"Some words before it. {text} And some words after it.", number)
    for number, text in enumerate(PLACES, start=1)
]
LOOK_UP = QuoteFinder(PAGES).find


def page_of(_document: str, number: int) -> Page:
    return PAGES[number - 1]


def first(text: str, old: tuple[str, ...], new: str) -> str:
    word = next(word for word in old if word in text)
    return text.replace(word, new, 1)


def number_of(text: str) -> str:
    return next(word for word in text.split() if word.strip(",.").isdigit()).strip(",.")


NEGATIONS = (" did not ", " not ", " never ", " no ")
VERBS = (" had ", " found ", " was ", " paid ", " saw ", " did ", " lost ", " may ")
PARTS = ("some", "several", "many", "most", "all")
NAMES = ("Klara", "Ruben", "Ostermere", "Lund", "Holm", "Ames", "Vega", "Brandt", "Dora", "Tallis")
WAYS = {
    "a figure is another one": lambda t: t.replace(number_of(t), str(int(number_of(t)) + 7), 1),
    "a figure gets a zero": lambda t: t.replace(number_of(t), number_of(t) + "0", 1),
    "a figure is left out": lambda t: t.replace(f" {number_of(t)}", "", 1),
    "a name is another one": lambda t: first(t, NAMES, "Someone"),
    "a name loses its capital": lambda t: (lambda n: t.replace(n, n.lower(), 1))(next(n for n in NAMES if n in t)),
    "a denial is left out": lambda t: first(t, NEGATIONS, " "),
    "a denial is put in": lambda t: first(t, VERBS, " not "),
    "a part is made the whole": lambda t: first(t, PARTS, "every one"),
    "a word is another one": lambda t: first(t, (" the ",), " this "),
    "a word is left out": lambda t: first(t, (" the ",), " "),
    "a word is put in": lambda t: first(t, (" the ",), " the very "),
    "two words change places": lambda t: " ".join([*(w := t.split())[:4], w[5], w[4], *w[6:]]),
    "a letter is another one": lambda t: first(t, ("e",), "o"),
    "a doubled word": lambda t: first(t, (" the ",), " the the "),
    "a comma is left out": lambda t: t.replace(", ", " ", 1),
    "an ending is changed": lambda t: first(t, ("ed ", "re ", "es ", "s "), "ing "),
    "the end is another": lambda t: t.rsplit(" ", 1)[0] + " tomorrow.",
    "the beginning is another": lambda t: "Yesterday " + t.split(" ", 1)[1],
    "an ellipsis hides a denial": lambda t: (lambda n: t.replace(n, " … ", 1))(next(n for n in NEGATIONS if n in t)),
    "an ellipsis joins what is not joined": lambda t: " ".join(
        [*t.split()[:6], "…", *PLACES[(PLACES.index(t) + 3) % 10].split()[-6:]]
    ),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("place", range(len(PLACES)))
def test_every_alteration_is_found(way, place):
    altered = WAYS[way](PLACES[place])
    assert altered != PLACES[place]
    assert check(altered, LOOK_UP, page_of).status != "verified"


@pytest.mark.parametrize("place", range(len(PLACES)))
def test_true_quotations_are_verified(place):
    text = PLACES[place]
    words = text.split()
    middle = text[text.index(words[3]) :]
    for form in (
        text,
        text.rstrip("."),
        " ".join(words[:8]) + ",",
        middle,
        middle[0].swapcase() + middle[1:],
        text.replace(words[2], f"{words[2]} [sic]", 1) if place else text,
        "… " + " ".join(words[2:9]) + " …",
    ):
        assert check(form, LOOK_UP, page_of).status == "verified", form


def check_on(text: str, quotation: str, context: str = ""):
    pages = [page(text, 1)]
    return check(quotation, QuoteFinder(pages).find, lambda *_: pages[0], context=context)


def test_an_omission_alters_unless_it_is_a_plain_detail():
    text = "The pump of the hall was out for 47 minutes. It rained. The door was open."
    detail = check_on(text, "The pump … was out for 47 minutes")
    assert (detail.status, [difference.page for difference in detail.differences]) == ("verified", ["of the hall"])
    sentence_gap = check_on(text, "was out for 47 minutes. [...] The door was open")
    assert (sentence_gap.status, [difference.page for difference in sentence_gap.differences]) == (
        "altered",
        ["It rained."],
    )


@pytest.mark.parametrize(
    ("text", "quotation", "report_words", "page_words"),
    [
        ("Aske said that Fenn broke the relay.", "Aske ... broke the relay", "…", "said that Fenn"),
        ("He broke the relay at noon.", "[Aske] broke the relay", "[Aske]", "He"),
        ("Aske broke it at noon.", "Aske broke [the relay] at noon", "[the relay]", "it"),
        ("Aske saw the relay at noon.", "Aske saw the [broken] relay at noon", "[broken]", ""),
        ("Aske broke the relay or the lamp.", "Aske broke the [only lamp]", "[only lamp]", "relay or the lamp."),
    ],
)
def test_omissions_and_insertions_are_differences(text, quotation, report_words, page_words):
    finding = check_on(text, quotation)
    assert (finding.status, finding.differences[-1].quote, finding.differences[-1].page) == (
        "altered",
        report_words,
        page_words,
    )


@pytest.mark.parametrize(
    "dots", ["...", "…", "....", ". . .", "[...]", "[…]", "(…)", "[. . .]", "⋯", "‥", "<...>", "[—]"]
)
def test_every_way_to_write_an_omission_shows_it(dots):
    finding = check_on("Aske said that Fenn broke the relay.", f"Aske {dots} broke the relay")
    assert (finding.status, finding.differences[0].page) == ("altered", "said that Fenn")


def test_dots_and_brackets_of_the_page_are_verified():
    assert check_on("Aske ... broke [the] relay at noon.", "Aske … broke [the] relay").status == "verified"
    assert check_on("Aske broke the relay at noon.", "Aske broke[^2] … the relay [sic]").status == "verified"
    assert check_on("Aske broke relays at noon.", "Aske broke [the] relays at noon").status == "verified"


def test_a_question_quoted_as_a_statement_is_altered():
    text = "Was it the clerk? Fenn broke the relay? I doubt it."
    assert check_on(text, "Fenn broke the relay.").status == "altered"
    assert check_on(text, "Fenn broke the relay?").status == "verified"
    assert check_on(text + " Fenn broke the relay.", "Fenn broke the relay.").status == "verified"


@pytest.mark.parametrize("word", ["If", "never", "almost", "Unless", "not"])
def test_a_negation_before_a_quotation_alters_it(word):
    finding = check_on(f"{word} broke the relay, he says.", "broke the relay, he says")
    assert (finding.status, finding.differences[0].page) == ("altered", word)
    assert (
        check_on(f"{word} broke the relay, he says.", "broke the relay, he says", f"{word.lower()} he").status
        == "verified"
    )


@pytest.mark.parametrize(
    ("text", "quotation", "codes"),
    [
        ("They paid 012 crowns to Fenn.", "They paid \u202e012\u202c crowns to Fenn", ("U+202E", "")),
        ("They paid 12 or 34 crowns.", "They paid \u202b12 or 34\u202c crowns", ("U+202B", "")),
        ("They paid 12 or 34 crowns.", "They paid \u206712 or 34\u2069 crowns", ("U+2067", "")),
        ("They paid \u202e012\u202c crowns to Fenn.", "They paid 012 crowns to Fenn", ("", "U+202E")),
        ("It was a notable hall of Fenn.", "It was a no\u115ftable hall of Fenn", ("U+115F", "")),
    ],
)
def test_characters_that_turn_a_quotation_alter_it(text, quotation, codes):
    finding = check_on(text, quotation)
    assert (finding.status, finding.differences[-1].quote, finding.differences[-1].page) == ("altered", *codes)


def test_typesetting_characters_alter_nothing():
    assert check_on(
        "The cafe\u0301 re\u00adcorded it in the o\ufb03ce.", "The caf\u00e9 re\u200bcorded it in the office"
    ).status == ("verified")
    hebrew = "\u05d4\u05e9\u05e2\u05e8 \u05d4\u05d9\u05d4 \u05e4\u05ea\u05d5\u05d7"
    assert check_on(f"{hebrew} x", f"\u202b{hebrew}\u202c").status == "verified"
    assert check_on("They paid \u202e012\u202c crowns.", "They paid \u202e012\u202c crowns").status == "verified"


def test_denied_words_are_altered_unless_the_report_says_so():
    pages = [page("It is not true that the valve was open when he left.", 1)]
    look_up = QuoteFinder(pages).find
    finding = check("the valve was open when he left", look_up, lambda *_: pages[0])
    assert (finding.status, finding.differences[0].what) == ("altered", "negation")
    context = "He denied that"
    assert check("the valve was open when he left", look_up, lambda *_: pages[0], context=context).status == "verified"


def test_extracted_quotations():
    text = "He said “the valve was open”, a “big” thing, \"not by my own hand\", and 'it's fine'."
    assert [quotation.text for quotation in extract(text)] == ["the valve was open", "not by my own hand"]
    assert all(text[quotation.start : quotation.end] == quotation.text for quotation in extract(text))


@pytest.mark.parametrize(
    "spans", [{"struck_spans": ((30, 45),)}, {"hidden_spans": ((30, 45),), "hidden_why": ("tiny",)}]
)
def test_a_quotation_of_struck_or_hidden_words_is_altered_unless_the_report_says_so(spans):
    marked_pages = [replace(PAGES[0], **spans)]
    words = "the night operator Klara Bost did not open the main valve"
    finding = check(words, QuoteFinder(marked_pages).find, lambda _document, _number: marked_pages[0])
    assert finding.status == "altered"
    assert finding.differences[-1].page in ("struck through in the source", "hidden in the source")
    notice = "The words that are struck out or hidden read: "
    assert (
        check(words, QuoteFinder(marked_pages).find, lambda _document, _number: marked_pages[0], context=notice).status
        == "verified"
    )
    pages = [*marked_pages, replace(PAGES[0], number=2)]
    assert check(words, QuoteFinder(pages).find, lambda _document, number: pages[number - 1]).status == "verified"
