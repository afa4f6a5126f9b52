"""Letters put right by where their glyphs are: accents drawn apart, as TeX does, and Arabic ligatures.

MuPDF gives an accent as a character of its own, and the letters of a ligature in a text from right to left backwards.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.engines.readers.pdf_layout import Line

# Accents that are alone, with those that join a letter.
_JOINING = {
    "`": "\u0300", "´": "\u0301", "^": "\u0302", "ˆ": "\u0302", "~": "\u0303", "˜": "\u0303", "¯": "\u0304",
    "ˉ": "\u0304", "˘": "\u0306", "˙": "\u0307", "¨": "\u0308", "˚": "\u030a", "˝": "\u030b", "ˇ": "\u030c",
    "¸": "\u0327", "˛": "\u0328",
}  # fmt: skip
_JOINING |= {mark: mark for mark in set(_JOINING.values())}
_ACCENTS = re.escape("".join(_JOINING))
_ARABIC = "\u0620-\u064a\u066e-\u06d3"
_BESIDE = re.compile(rf"[{_ACCENTS}][^\W\d_]|[^\W\d_][{_ACCENTS}]|[{_ARABIC}]{{2}}")
_LETTER = re.compile(rf"[{_ARABIC}]")
_OVER = 0.5  # of its width, how much of an accent is over its letter at least
_FLAT, _NEAR = 0.01, 0.5  # points: the width of a letter that its ligature holds, and how far it is from the first
_DOTLESS = {"ı": "i", "ȷ": "j"}

_Char = Mapping[str, Any]


def in_doubt(words: Iterable[Sequence[Any]]) -> bool:
    """Return whether the ``words`` that MuPDF gives hold a letter beside an accent, or Arabic ones."""
    return _BESIDE.search(" ".join([word[4] for word in words])) is not None


def put_right(lines: Iterable[Line], blocks: Sequence[Mapping[str, Any]]) -> None:
    """Put letters right in ``lines``, and in the spans of MuPDF's ``blocks`` of characters, which get their text."""
    by_block = {block["number"]: block.get("lines", ()) for block in blocks}
    for block_lines in by_block.values():
        for block_line in block_lines:
            for span in block_line["spans"]:
                span["text"] = "".join([char["c"] for char in span["chars"]])
    for line in lines:
        block_lines = by_block.get(line.block, ())
        if line.number < len(block_lines) and in_doubt(line.words):
            _put_right(line, block_lines[line.number])


def _put_right(line: Line, block_line: Mapping[str, Any]) -> None:
    chars: list[_Char] = [char for span in block_line["spans"] for char in span["chars"]]
    texts = [char["c"] for char in chars]
    places = _places(texts)
    if ["".join(texts[start:end]) for start, end in places] != [word[4] for word in line.words]:
        return
    axis = 0 if abs(block_line["dir"][0]) >= abs(block_line["dir"][1]) else 1
    for start, end in places:
        _turn_ligatures(chars, texts, start, end, axis)
        _put_accents(chars, texts, start, end, axis)
    words = ["".join(texts[start:end]) for start, end in places]
    line.words = [(*word[:4], text) for word, text in zip(line.words, words, strict=True)]
    start = 0
    for span in block_line["spans"]:
        end = start + len(span["chars"])
        span["text"] = "".join(texts[start:end])
        start = end


def _places(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Return where the words of a line begin and end, parted as MuPDF parts them."""
    places: list[tuple[int, int]] = []
    start = 0
    for place, text in enumerate([*texts, " "]):
        is_end = text <= " " or text == "\xa0" or "\u202a" <= text <= "\u202e"
        if place > start and (is_end or _is_leftward(text) != _is_leftward(texts[place - 1])):
            places.append((start, place))
            start = place
        if is_end or (place == start and text == "\u200d"):
            start = place + 1
    return places


def _is_leftward(text: str) -> bool:
    return "\u0590" <= text <= "\u0900"


def _put_accents(chars: Sequence[_Char], texts: list[str], start: int, end: int, axis: int) -> None:
    """Put each accent of a word onto the letter that it is over."""
    for place in range(start, end):
        joining = _JOINING.get(chars[place]["c"])
        beside = [near for near in (place + 1, place - 1) if start <= near < end]
        if joining is None or not beside:
            continue
        letter = max(beside, key=lambda near: _overlap(chars[place], chars[near], axis))
        if _overlap(chars[place], chars[letter], axis) <= _OVER:
            continue
        joined = unicodedata.normalize("NFC", _DOTLESS.get(texts[letter], texts[letter]) + joining)
        if len(joined) == 1 and joined.isalpha():
            texts[letter], texts[place] = joined, ""


def _turn_ligatures(chars: Sequence[_Char], texts: list[str], start: int, end: int, axis: int) -> None:
    """Put the first letter of each ligature, which has all its width, before the rest, which have none."""
    while start < end:
        last = start
        while last < end and _is_flat(chars[last], axis):
            last += 1
        if start < last < end and _is_first(chars[last], chars[start], axis):
            texts[start : last + 1] = reversed(texts[start : last + 1])
        start = last + 1


def _is_flat(char: _Char, axis: int) -> bool:
    box = char["bbox"]
    return box[axis + 2] - box[axis] < _FLAT and _LETTER.match(char["c"]) is not None


def _is_first(char: _Char, flat: _Char, axis: int) -> bool:
    is_near = abs(char["bbox"][axis + 2] - flat["bbox"][axis]) < _NEAR
    return is_near and _LETTER.match(char["c"]) is not None


def _overlap(accent: _Char, letter: _Char, axis: int) -> float:
    """Return how much of the width of an accent is over a letter."""
    a, b = accent["bbox"], letter["bbox"]
    width = max(a[axis + 2] - a[axis], 0.1)
    return float((min(a[axis + 2], b[axis + 2]) - max(a[axis], b[axis])) / width)
