"""Symbols have the characters that they look like."""

from __future__ import annotations

import pytest

from core.engines.readers import symbol_fonts


@pytest.mark.parametrize(
    ("font", "code", "expected"),
    [
        ("Symbol", 0x61, "α"),
        ("Symbol", 0xF06D, "μ"),
        ("Symbol", 0xA3, "≤"),
        ("Symbol", 0xB1, "±"),
        ("Symbol", 0xB3, "≥"),
        ("Symbol", 0x7E, "∼"),
        ("Symbol", 0xE5, "∑"),
        ("Symbol", 0xF2, "∫"),
        ("Symbol", 0xFE, "⎭"),
        ("Wingdings", 0xF0FE, "☑"),
        ("Wingdings 2", 0xF052, "☑"),
        ("Times", 0x61, "\ufffd"),
        ("Wingdings", 0x01, "\ufffd"),
    ],
)
def test_codes_of_symbol_fonts(font: str, code: int, expected: str) -> None:
    assert symbol_fonts.character(font, code) == expected


def test_only_the_private_area_is_turned_into_symbols() -> None:
    assert symbol_fonts.text("Symbol", "a \uf0a3 5") == "a ≤ 5"
    assert symbol_fonts.text("Unknown", "\uf0a3") == "\ufffd"
