"""The characters of fonts with an encoding of their own: Symbol, and of Wingdings what people tick and point with."""

from __future__ import annotations

import re

_SYMBOL = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
    + "\ufffd" * 33
    + "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…|—↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\ufffd〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
)
_WINGDINGS = {
    0x20: " ", 0x4A: "☺", 0x4C: "☹", 0x6C: "●", 0x6E: "■", 0x6F: "□", 0x70: "☐", 0x71: "☐", 0x72: "☐", 0x75: "◆",
    0x9F: "•", 0xA1: "○", 0xA7: "▪", 0xA8: "☐", 0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE8: "➔",
    0xF0: "⇨", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_WINGDINGS_2 = {
    0x20: " ", 0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0x97: "●", 0xA2: "■", 0xA3: "☐",
}  # fmt: skip
_WEBDINGS = {0x20: " ", 0x61: "✓", 0x63: "☐", 0x67: "■", 0x72: "✗"}
_TABLES: dict[str, dict[int, str]] = {
    "symbol": {0x20 + number: char for number, char in enumerate(_SYMBOL) if char != "\ufffd"},
    "standardsymbolsps": {},
    "wingdings": _WINGDINGS,
    "wingdings2": _WINGDINGS_2,
    "webdings": _WEBDINGS,
}
_TABLES["standardsymbolsps"] = _TABLES["symbol"]
_PRIVATE = re.compile("[\uf020-\uf0ff]")  # where office programs put the bytes of such a font


def is_symbolic(font: str) -> bool:
    """Return whether a font has an encoding of its own that is known here."""
    return _key(font) in _TABLES


def character(font: str, code: int) -> str:
    """Return the character with that code in a symbol font, U+FFFD where its meaning is not known."""
    return _TABLES.get(_key(font), {}).get(code & 0xFF, "\ufffd")


def text(font: str, words: str) -> str:
    """Return text of a symbol font, which an office program has in the private area, as characters."""
    if not _PRIVATE.search(words):
        return words
    return _PRIVATE.sub(lambda match: character(font, ord(match[0])), words)


def _key(font: str) -> str:
    return re.sub(r"[\s-]", "", font).lower()
