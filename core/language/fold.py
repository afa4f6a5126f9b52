"""The words of a text as the index has them and as they are asked for: one fold for both sides.

Letters are folded by the rules of their script: small, 'ß' as 'ss', without accents in Latin and Greek, without points
and with one form each in Arabic and Hebrew, digits of every script as 0 to 9. Scripts without blanks are written as
overlapping pairs of signs, so that a word is found within a run. Beside the words of a passage stand its other forms:
words broken at a line end as one, vowels with dots spelled out, and stems in the language of the passage.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from core.language.identification import language_of, languages_by_letters
from core.language.scripts import WITHOUT_BLANKS
from core.text import searchable

# Languages that ``language_of`` knows, and the names of their stemmers (Snowball). English has its own in the index.
_STEMMERS = {
    "ar": "arabic", "de": "german", "el": "greek", "es": "spanish", "fr": "french", "hy": "armenian", "it": "italian",
    "nl": "dutch", "pl": "polish", "pt": "portuguese", "ru": "russian", "sv": "swedish", "ta": "tamil",
    "no": "norwegian", "da": "danish",
}  # fmt: skip
_MARKS = {language: chr(0xE000 + index) for index, language in enumerate(_STEMMERS)}  # after a stem; in no other word
_SHORTEST = 3  # letters of a word that is stemmed

# Letters that have a plain form and no decomposition, or one that is written as another.
_PLAIN = {
    **{"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "ё": "е"},
    **{"أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ی": "ي", "ئ": "ي", "ؤ": "و", "ة": "ه", "ک": "ك", "ـ": ""},
}
_POINTS = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]"
)
_WITH_PLAIN_LETTERS = ("LATIN", "GREEK")
_FORMS_OF_A_LETTER = ("<wide>", "<narrow>", "<initial>", "<medial>", "<final>", "<isolated>", "<compat>", "<font>")
# 'Müller' is 'Mueller' too: in German, and where the letters are of the north.
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})

_KOREAN = re.compile(r"[\uac00-\ud7a3]{2,}")  # syllables; a single one begins too many other words
_SIGN = WITHOUT_BLANKS.pattern
_RUN = re.compile(rf"{_SIGN}+(?:[ \t]*\n[ \t]*{_SIGN}+)*")  # a line ends within a word there
# The hyphen comes first: a pattern that begins by looking back is tried at every letter.
_HYPHEN = r"[-\u2010\u2011\u00ad]"
_BROKEN = re.compile(rf"{_HYPHEN}(?<=[^\W\d_]{_HYPHEN})[ \t\r]*\n[ \t]*(?=[^\W\d_])")
# The marks of some scripts are no letters to the pattern of a word.
WORD = re.compile(
    r"[\w\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u17d3]+"
)


class _Fold(dict[int, str]):
    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold(chr(code))
        return folded


def _fold(letter: str) -> str:
    """Return the plain form of one character."""
    if unicodedata.category(letter) == "Cf" or _POINTS.match(letter) or letter in _MARKS.values():
        return ""
    if letter.isdecimal():
        return str(unicodedata.decimal(letter))
    if unicodedata.decomposition(letter).startswith(_FORMS_OF_A_LETTER):
        wide = unicodedata.normalize("NFKC", letter)
        return letter if wide == letter or wide.startswith(" ") else wide.translate(_TABLE)
    return "".join(_plain(small) for small in letter.casefold())


def _plain(small: str) -> str:
    if small in _PLAIN:
        return _PLAIN[small]
    if _POINTS.match(small):
        return ""
    if unicodedata.name(small, "").startswith(_WITH_PLAIN_LETTERS):
        return _POINTS.sub("", unicodedata.normalize("NFD", small))
    return small


_TABLE = _Fold()


def fold(text: str) -> str:
    """Return a text in the letters that words are compared in; what is between words stays."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", searchable(text)).translate(_TABLE)


def columns(text: str, reading: str = "") -> tuple[str, str]:
    """Return what the index has of a passage: its words, and beside them other forms of them.

    ``reading`` is the passage as it is read, where that has more words than its text.
    """
    joined = _BROKEN.sub("", text)
    beside = [_in_pairs(fold(words)) for words in dict.fromkeys((joined, reading)) if words and words != text]
    whole = f"{joined}\n{reading}" if reading else joined
    beside += _spelled_out(whole)
    language = language_of(text)
    if language in _STEMMERS:
        beside += (_stem(language, word) for word in _words(whole))
    return _in_pairs(fold(text)), " ".join(beside)


def forms_of_query(word: str) -> tuple[str, ...]:
    """Return the other forms under which the index has a word of a query."""
    languages = [language for language in languages_by_letters(word) if language in _STEMMERS]
    stems = [_stem(language, part) for part in _words(word) for language in languages]
    return tuple(dict.fromkeys((*_spelled_out(word), *stems)))


def text_of_query(text: str) -> str:
    """Return the words of a query as the index has them: a run of signs ends with its last pair."""
    return _in_pairs(fold(text), is_open=True)


def phrase(words: Sequence[str]) -> str:
    """Write the FTS5 expression of words that follow each other."""
    folded = text_of_query(" ".join(words)).split()
    return f'"{" ".join(folded)}"{" *" if folded and is_beginning(folded[-1]) else ""}'


def any_form(word: str) -> str:
    """Return the FTS5 expression of a word in any of its forms."""
    return " OR ".join((phrase((word,)), *(f'"{form}"' for form in forms_of_query(word))))


def is_beginning(word: str) -> bool:
    """Return whether a word of a query stands for those of the index that begin with it.

    One sign of a script without blanks, with which only pairs begin there, and a Korean word, whose particles are
    written behind it.
    """
    return (len(word) == 1 and WITHOUT_BLANKS.match(word) is not None) or _KOREAN.fullmatch(word) is not None


def _in_pairs(text: str, *, is_open: bool = False) -> str:
    """Write runs of signs as overlapping pairs, and the last sign of each by itself unless the run is ``is_open``."""
    if text.isascii():
        return text

    def pairs(match: re.Match[str]) -> str:
        signs = "".join(match.group().split())
        last = len(signs) - (is_open and match.end() == len(text) and len(signs) > 1)
        return f" {' '.join(signs[index : index + 2] for index in range(last))} "

    return _RUN.sub(pairs, text)


def _spelled_out(text: str) -> list[str]:
    """Return the words of a text that have a letter which is also spelled out, so."""
    if text.isascii():
        return []
    words = (word for word in WORD.findall(unicodedata.normalize("NFC", text).casefold()))
    return [fold(spelled) for word in words if (spelled := word.translate(_SPELLED_OUT)) != word]


def _words(text: str) -> list[str]:
    words = WORD.findall(_POINTS.sub("", unicodedata.normalize("NFC", text)).casefold())
    return [word for word in words if len(word) >= _SHORTEST and word.isalpha()]


@lru_cache(maxsize=100_000)
def _stem(language: str, word: str) -> str:
    return fold(_stemmer(language).stemWord(word)) + _MARKS[language]


@cache
def _stemmer(language: str) -> Any:
    import Stemmer

    return Stemmer.Stemmer(_STEMMERS[language], 0)
