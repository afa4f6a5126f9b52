from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.text import (
    blocks,
    column_letters,
    has_raised,
    normalise,
    plain_indices,
    power_of_ten,
    sayings,
    searchable,
    sentences,
    without_hidden,
)
from tests.work import linear

ODD = "aB1é. !?\n\t\r\f\x0b\x85\xa0\u2028\u2029\u200b\u00ad\u0301-\u2010–“”’'\"…。؟🙂ﬁ①\u1100\u1161\u11a8ﷺ´"
texts = st.text(st.sampled_from(ODD), max_size=80) | st.text(max_size=80)


def plain(text: str) -> str:
    return normalise(text)[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("  \n ", ""),
        ("The Pump", "The Pump"),
        (" two  spaces\n\tand lines ", "two spaces and lines"),
        ("the out-\nage lasted   nine days", "the outage lasted nine days"),
        ("the out-  \r\n   age", "the outage"),
        ("Anglo-\nSaxon, 2020-\n2021", "Anglo-Saxon, 2020-2021"),
        ("in\u00adter\u00ad\nesting", "interesting"),
        ("a -\nb", "a - b"),
        ("- item\n- item", "- item - item"),
        ("“Don’t” – she said — ‘no’", "\"Don't\" - she said - 'no'"),
        ("ﬁnal ﬂow oﬃce", "final flow office"),
        ("e\u0301te\u0301", "été"),
        ("ze\u200bro\ufeff wi\u2060dth", "zero width"),
        ("a \u200b b", "a b"),
        ("½ ① ２", "1⁄2 1 2"),
        ("wait… what", "wait... what"),
        ("x\u00a0y\u2003z", "x y z"),
        ("\U000e0041\U000e0042visible", "visible"),
        ("ﻣﺮﺣﺒﺎ", "مرحبا"),
        ("\u1112\u1161\u11ab", "한"),
    ],
)
def test_plain_form(text, expected):
    assert plain(text) == expected


@pytest.mark.parametrize(
    ("text", "needle", "found"),
    [
        (
            "He said: The out-\nage lasted   nine days. So.",
            "The outage lasted nine days",
            "The out-\nage lasted   nine days",
        ),
        ("the oﬃce closed", "office", "oﬃce"),
        ("the oﬃce closed", "off", "oﬃ"),
        ("cafe\u0301 noir", "café", "cafe\u0301"),
        ("so… yes", "so...", "so…"),
        ("zero\u200bwidth gap", "zerowidth", "zero\u200bwidth"),
        ("seen\u200b gap", "seen", "seen"),
    ],
)
def test_the_way_back_is_exact(text, needle, found):
    flat, at = normalise(text)
    k = flat.index(needle)
    start, end = at.span(k, k + len(needle))
    assert text[start:end] == found
    assert at[k] == start


@settings(max_examples=1_000)
@given(texts)
@example("e" + "\u0301" * 200)
def test_offsets_are_ordered_and_in_range(text):
    flat, at = normalise(text)
    assert len(at) == len(flat)
    assert list(at.starts) == sorted(at.starts)
    assert list(at.ends) == sorted(at.ends)
    assert all(0 <= s < e <= len(text) for s, e in zip(at.starts, at.ends, strict=True))
    assert flat == flat.strip()
    assert "  " not in flat
    if flat:
        start, end = at.span(0, len(flat))
        assert plain(text[start:end]) == flat


@settings(max_examples=500)
@given(texts)
def test_a_letter_comes_from_itself(text):
    flat, at = normalise(text)
    for k, c in enumerate(flat):
        if c.isascii() and c.isalpha():
            assert c in unicodedata.normalize("NFKD", text[at[k] : at.ends[k]])


@given(st.text(st.sampled_from("abAB ,.'\"-12"), max_size=60))
def test_what_is_plain_stays(text):
    assert plain(text) == " ".join(text.split())


@settings(max_examples=500)
@given(texts, st.data())
def test_every_stretch_of_the_plain_form_leads_back_to_what_it_was_made_of(text, data):
    flat, at = normalise(text)
    if not flat:
        return
    first = data.draw(st.integers(0, len(flat) - 1))
    last = data.draw(st.integers(first + 1, len(flat)))
    start, end = at.span(first, last)
    assert (start, end) == (at.starts[first], at.ends[last - 1]) == (at[first], at.ends[last - 1])
    # What became several characters is taken whole: the stretch says at least what was asked for.
    assert flat[first:last].strip() in plain(text[start:end]) or not text[start:end].isascii()


@settings(max_examples=500)
@given(texts)
def test_the_plain_form_of_ascii_is_its_own_plain_form(text):
    flat = plain(text)
    if flat.isascii():
        assert plain(flat) == flat


def test_no_stretch_no_span():
    _, at = normalise("abc")
    for start, end in ((1, 1), (2, 1), (0, 4), (-1, 2)):
        with pytest.raises(ValueError):
            at.span(start, end)


# --- sentences -------------------------------------------------------------------------------------------------------


def cut(text: str) -> list[str]:
    return [text[s.start : s.end] for s in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\f ", []),
        ("x", ["x"]),
        ("Dr. Smith left at 5 p.m. on Jan. 5. He said so.", ["Dr. Smith left at 5 p.m. on Jan. 5.", "He said so."]),
        ("One.\n\nTwo without an end\n\nThree", ["One.", "Two without an end", "Three"]),
        (
            "Agenda:\n- first thing\n- second\n  thing\n3. third",
            ["Agenda:", "- first thing", "- second\n  thing", "3. third"],
        ),
        ("From: A\nTo: B\nSubject: the dam", ["From: A", "To: B", "Subject: the dam"]),
        ("name\tage\nAnn\t31\nBob\t40", ["name\tage", "Ann\t31", "Bob\t40"]),
        (
            "THE FINDINGS\nThe pump stopped at two in the morning and nobody\nhad touched it since. It rained.",
            ["THE FINDINGS", "The pump stopped at two in the morning and nobody\nhad touched it since.", "It rained."],
        ),
        (
            "The inspector met the people of\nBrussels and wrote a long report about all that he saw.",
            ["The inspector met the people of\nBrussels and wrote a long report about all that he saw."],
        ),
        ("日本語です。次の文。", ["日本語です。", "次の文。"]),
        ("هل هذا صحيح؟ نعم.", ["هل هذا صحيح؟", "نعم."]),
    ],
)
def test_sentences(text, expected):
    assert cut(text) == expected


@settings(max_examples=1_500)
@given(texts)
@example("A. B\u2029 C.")
@example("J.\u00a0R.\u2028Smith. \ud800 x.")
def test_every_character_is_in_exactly_one_sentence(text):
    at = 0
    for span in sentences(text):
        assert at <= span.start < span.end <= len(text)
        assert not text[at : span.start].strip()
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        at = span.end
    assert not text[at:].strip()


@given(texts)
def test_sentences_stay_in_their_block(text):
    edges = [(b.start, b.end) for b in blocks(text)]
    for span in sentences(text):
        assert any(start <= span.start and span.end <= end for start, end in edges)


def test_a_splitter_that_panics_does_not_end_the_program(monkeypatch):
    import sentencex

    class PanicException(BaseException):
        pass

    def panic(*_args):
        raise PanicException

    monkeypatch.setattr(sentencex, "segment", panic)
    assert cut("It stopped. Nobody knew why.  Then it ran.") == ["It stopped.", "Nobody knew why.", "Then it ran."]


@pytest.mark.parametrize("piece", ["a. ", "((", "\n- a", ". ", "x", "A.\n", "a-\n", "e\u0301", "\u0301", "\t\n", "“"])
def test_hostile_repetition_takes_work_in_proportion(piece):
    text = piece * (200_000 // len(piece))
    assert all(0 <= span.start < span.end <= len(text) for span in sentences(text))
    assert len(normalise(text)[0]) <= len(text)
    assert linear(lambda size: (sentences(text[:size]), normalise(text[:size])), 10_000)


def test_what_is_hidden_becomes_blanks_and_every_place_stays():
    text = "Seen. Answer that it is so. Seen again."
    plain = without_hidden(text, [(6, 27)])
    assert plain == "Seen. " + " " * 21 + " Seen again."
    assert without_hidden(text, []) == text


LOG = "07:58 gate opened by the guard\n08:14 grey car in\n16:55 white van out"
CHAT = "[12.03.24, 14:06:10] Ines: The valve was open\nand nobody noticed\n[13.03.24, 02:03:00] Tom: I closed it"
SYSTEM = "Jan  5 03:12:11 host sshd: in\nJan 14 03:12:12 host sshd: out"
ACCESS = "10.0.0.1 - - [12/Mar/2024] GET /a\n10.0.0.2 - - [12/Mar/2024] GET /b"
WRAPPED = "The guard said that the gate was opened at\n07:58 and that nobody had come through it before\n08:14 or so."


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (LOG, LOG.split("\n")),
        (CHAT, ["[12.03.24, 14:06:10] Ines: The valve was open\nand nobody noticed", CHAT.rpartition("\n")[2]]),
        (ACCESS, ACCESS.split("\n")),
        (SYSTEM, SYSTEM.split("\n")),
        (WRAPPED, [WRAPPED]),
    ],
)  # fmt: skip
def test_each_entry_of_a_log_is_a_block_of_its_own(text, lines):
    assert [text[block.start : block.end] for block in blocks(text)] == lines


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("10⁶ in 2019³", "10  ⁶  in 2019  ³ "),
        ("CO₂ and C₂H₅OH", "CO2 and C2H5OH"),
        ("x₁, 10₂", "x1, 10 ₂ "),
        ("10⁻⁶", "10 ⁻⁶ "),
        ("plain 106", "plain 106"),
        ("café", "café"),
    ],
)
def test_raised_characters_are_words_of_their_own_where_words_are_looked_for(text, words):
    assert searchable(text).split() == words.split()
    assert len(plain_indices(text)) == len(text)


def test_the_plain_form_leaves_raised_and_lowered_characters():
    assert normalise("10⁶  m² ﬁt CO₂")[0] == "10⁶ m² fit CO₂"
    assert sayings("It held 10⁶ litres") == ["It", "10⁶"]
    assert [has_raised(text) for text in ("10⁶", "H₂O", "xⁿ", "106", "½", "É")] == [
        True,
        True,
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("mantissa", "exponent", "value"), [(None, "⁶", 1e6), ("3.2", "⁶", 3.2e6), (None, "⁻³", 1e-3), ("2", "¹²", 2e12)]
)
def test_powers_of_ten_have_a_value(mantissa, exponent, value):
    assert power_of_ten(mantissa, exponent) == pytest.approx(value)


@pytest.mark.parametrize(
    "text",
    [
        "Die Pumpe ist am 10. März 2024 ausgefallen.",
        "Насос остановился 10 марта 2024 г. в Москве.",
    ],
)
def test_a_day_or_an_abbreviation_of_another_language_ends_no_sentence(text):
    assert [text[one.start : one.end] for one in sentences(text)] == [text]


def test_columns_have_letters():
    assert [column_letters(n) for n in (0, 25, 26, 701, 702, 16_383)] == ["A", "Z", "AA", "ZZ", "AAA", "XFD"]
