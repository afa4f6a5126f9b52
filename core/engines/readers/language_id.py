"""Which language a text is in. The model comes with its library and is loaded when the first text is long enough."""

from __future__ import annotations

import io
import lzma
import re
from array import array
from functools import cache
from typing import Any

from core.language.identification import ENGLISH, is_plainly_english, possible_languages, without_mail_header

_BYTES = 40  # of letters, in UTF-8; fewer say too little: six words of Latin letters, a dozen signs of Chinese
_SAMPLE = 250  # characters, from the beginning, the middle and the end of a page: about half a millisecond
_PIECE = 200  # characters: a shorter text is looked at in one piece
# Where the model was less sure, it was wrong as often as right on lists, names and code.
_SURE = 0.8
# Names and titles have capitals: of the words of four letters and more in a text with sentences more begin with a small
# one, in German too. Of shorter ones many are parts of names (van, de la).
_SMALL = 0.2
_WORD = re.compile(r"[^\W\d_]{4,}")
_ENTRY = 3  # words at most in each line of a list, such as one of plants or substances, whose names are Latin anywhere
_HAN = {"zh", "ja"}
_HAN_STOPS = re.compile("[。！？；]")
_LETTERS = re.compile(r"[^\W\d_]+")


def of(text: str) -> str:
    """Return the language by its code of two letters (ISO 639-1); '' for a text too short, mixed, or in none."""
    pieces = _pieces(without_mail_header(text).rstrip())
    answers = [code for code in map(_of_piece, pieces) if code]
    return answers[0] if 2 * len(answers) > len(pieces) and len(set(answers)) == 1 else ""


def _pieces(text: str) -> list[str]:
    if len(text) > 3 * _SAMPLE:
        middle = (len(text) - _SAMPLE) // 2
        return [text[:_SAMPLE], text[middle : middle + _SAMPLE], text[-_SAMPLE:]]
    size = -(-len(text) // max(1, min(3, len(text) // _PIECE)))
    return [text[start : start + size] for start in range(0, len(text), size or 1)]


def _of_piece(text: str) -> str:
    if len("".join(filter(str.isalpha, text)).encode("utf-8", "replace")) < _BYTES or (model := _model()) is None:
        return ""
    code, sure = (ENGLISH, 1.0) if is_plainly_english(text) else model.classify(text)
    if sure < _SURE and _HAN_STOPS.search(text) and possible_languages(text) == _HAN:
        return "zh"  # a sentence in Japanese has kana
    return str(code) if sure >= _SURE and len(code) == 2 and _has_sentences(text, code) else ""


def _has_sentences(text: str, language: str) -> bool:
    """Return whether a text is more than names, titles and entries of a list, as far as its script has capitals."""
    capital, small = sum(map(str.isupper, text)), sum(map(str.islower, text))
    if 2 * (capital + small) <= sum(map(str.isalpha, text)):
        return True
    lines = text.splitlines()
    if len(lines) > 1 and all(len(_LETTERS.findall(line)) <= _ENTRY for line in lines):
        return False
    if capital > small:  # in capitals alone the small words tell
        return possible_languages(text) == {language}
    words = _WORD.findall(text)
    return bool(sum(word[0].islower() for word in words) > _SMALL * len(words))


@cache
def _model() -> Any:
    """Load the model, or return None if it is missing: no document is refused for that.

    Unpacked in memory: the library would unpack it into a file, which the reader's process may not write.
    """
    try:
        import numpy
        from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

        with lzma.open(MODEL_DIR / MODEL_FILE) as file:
            content = io.BytesIO(file.read())
    except (ImportError, OSError):
        return None
    with numpy.load(content, allow_pickle=False) as data:
        # Kept in half the precision that it is used with: widened once and not for every text.
        ptc, pc, classes = data["ptc"].astype("float32"), data["pc"], data["classes"].tolist()
        moves, rows, features = data["nextmove"], data["nextmove_row"], data["out_feat"].tolist()
    return LanguageIdentifier(ptc, pc, classes, _plainly(moves), features, norm_probs=True, tk_row=_plainly(rows))


def _plainly(numbers: Any) -> array[int]:
    """Return an array of Python's own whole numbers, which are several times faster to walk along."""
    items: array[int] = array({2: "H", 4: "I", 8: "L"}[numbers.dtype.itemsize])
    items.frombytes(numbers.tobytes())
    return items
