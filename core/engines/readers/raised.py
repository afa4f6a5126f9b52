"""Raised and lowered characters and fractions in plain text: 10⁶ never becomes 106, and 12 1/2 never 121/2."""

from __future__ import annotations

import re
import unicodedata

_SIGNS = "+-=()"
_RAISED_SIGNS = str.maketrans(_SIGNS, "⁺⁻⁼⁽⁾")
_LOWERED_SIGNS = str.maketrans(_SIGNS, "₊₋₌₍₎")
_RAISED_DIGITS, _LOWERED_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉"
_RAISED_LETTERS = str.maketrans("ni", "ⁿⁱ")
_LETTER = rf"[^\W\d_ⁿⁱ{_RAISED_DIGITS}{_LOWERED_DIGITS}]"
_LONE_LETTER = re.compile(rf"(?<!{_LETTER})[ni](?!{_LETTER})")
_WORD_SIGN = rf"(?<={_LETTER})[+\-=](?={_LETTER})"  # of "T-shirt"
_SIGN = re.compile(rf"(?!{_WORD_SIGN})[+\-=()]")
_DIGIT = re.compile(r"\d")
_MINUS = re.compile("[\N{MINUS SIGN}\N{NON-BREAKING HYPHEN}]")


def raised(text: str) -> str:
    """Return raised text with superscript characters; words ("st", "TM") stay letters."""
    text = _DIGIT.sub(lambda match: _RAISED_DIGITS[int(match[0])], _plain(text))
    return _signs(_LONE_LETTER.sub(lambda match: match[0].translate(_RAISED_LETTERS), text), _RAISED_SIGNS)


def lowered(text: str) -> str:
    """Return lowered text with subscript characters; letters stay letters."""
    text = _DIGIT.sub(lambda match: _LOWERED_DIGITS[int(match[0])], _plain(text))
    return _signs(text, _LOWERED_SIGNS)


def fraction(above: str, below: str, preceding: str = "") -> str:
    """Return a fraction that is set as one over the other, with a blank where the text before it ends in a digit."""
    above, below = (part if re.fullmatch(r"\w*", part) else f"({part})" for part in (above.strip(), below.strip()))
    return f"{' ' if preceding[-1:].isdigit() else ''}{above}/{below}"


def _signs(text: str, signs: dict[int, int]) -> str:
    """Return text with its signs translated, unless it is made of words alone."""
    has_figure = re.search(rf"[ⁿⁱ{_RAISED_DIGITS}{_LOWERED_DIGITS}]", text)
    if not has_figure and re.search(_LETTER, text):
        return text
    return _SIGN.sub(lambda match: match[0].translate(signs), text)


def _plain(text: str) -> str:
    """Return text with fractions such as ½ as digits and with the one sign that has a raised form for every minus."""
    text = "".join(
        unicodedata.normalize("NFKC", char) if unicodedata.decomposition(char).startswith("<fraction>") else char
        for char in text
    )
    return _MINUS.sub("-", text)
