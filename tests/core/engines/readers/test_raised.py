"""Raised and lowered characters never join the number before them."""

from __future__ import annotations

import re

import pytest

from core.engines.readers.raised import fraction, lowered, raised


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("6", "⁶"),
        ("-3", "⁻³"),
        ("\N{MINUS SIGN}12", "⁻¹²"),
        ("n", "ⁿ"),
        ("n+1", "ⁿ⁺¹"),
        ("(2)", "⁽²⁾"),
        ("1, 3", "¹, ³"),
        ("2.5", "².⁵"),
        ("+", "⁺"),
        ("1/2", "¹/²"),
        ("½", "¹\N{FRACTION SLASH}²"),
        ("\N{ARABIC-INDIC DIGIT THREE}", "³"),
    ],
)
def test_raised_figures_have_their_own_characters(text: str, expected: str) -> None:
    assert raised(text) == expected


@pytest.mark.parametrize("word", ["st", "nd", "th", "TM", "in", "(a)", "T-shirt", "*", "†", "", " "])
def test_raised_words_stay_letters(word: str) -> None:
    assert raised(word) == word


def test_lowered_figures_have_their_own_characters() -> None:
    assert "CO" + lowered("2") == "CO₂"
    assert lowered("(n+1)") == "₍n₊₁₎"
    assert lowered("max") == "max"


def test_no_digit_is_left_to_join_a_number() -> None:
    every = "".join(chr(code) for code in range(0x20, 0x3000))
    assert not re.search(r"\d", raised(every))
    assert not re.search(r"\d", lowered(every))


def test_a_fraction_never_joins_the_number_before_it() -> None:
    assert "12" + fraction("1", "2", "12") == "12 1/2"
    assert fraction("1", "2", "about ") == "1/2"
    assert fraction("a+b", " c ") == "(a+b)/c"
