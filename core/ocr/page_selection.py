"""The pages that must be read in their pictures: those without text, and those whose text is no text.

Two things go wrong with the text that a file holds. A font that does not say which letters its glyphs are gives unknown
characters or letters shifted against the alphabet. A scan may carry what a poor engine once read in it, invisibly laid
over the picture. Both look like writing to a program; neither is what a person sees on the page.

A layer may also be good text, and not that of the picture: of another page, or with other numbers. Only a look at the
picture tells. It costs a second, so some pages of a document are looked at, and a few lines of each: those with the
most digits and negations. If one of them disagrees, all are looked at.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.domain import OF_THE_FILE, STAMP, Page, PageText

COVERED = 0.6  # of a page under pictures, from which on its text may be what an engine read in them
LAYER = 0.92  # of words like those of a language, below which the text layer of a scan is read again
TEXT = 0.55  # the same for text that no picture lies under: lists of parts and codes are text as well
_FEWEST = 8  # words of letters from which on a share of them says anything
_FEWEST_UNKNOWN = 5  # characters
_UNKNOWN = 0.2  # of the characters of a page; fewer are bullets and signs of a font of symbols
_UNKNOWN_LAYER = 0.05

_WORD = re.compile(r"\S+")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_VOWELS = frozenset("aeiouyäöüàâáãåæèéêëìíîïòóôõøœùúûýÿăąęėēīōūůőű")
_CROWD = re.compile(r"[bcdfghjklmnpqrstvwxzß]{6,}|([a-z])\1\1", re.IGNORECASE)
_MIXED = re.compile(r"[^\W\d_]\d+[^\W\d_]|[a-z][A-Z][a-z]|[^\W\d_][|~^*<>={}\\\[\]¢£¥§¦¬°±©®«»;:!?,][^\W\d_]")
_STRAY = re.compile(r"[|~^<>={}\\¢¥§¦¬°±©®«»•■]+|[^\W\d_aAiIoOyYeEuU]")
# Two letters that hardly ever follow each other in languages written with Latin letters.
_RARE = re.compile(
    r"q[b-tv-z]|[jvwxz][qjx]|[bcdfghklmnprst][jqx](?![aeiouyáéíóúàèâêôöüä])|[fghjklmnpqrstvwz]x|j[b-df-hj-np-tv-z]|"
    r"v[bcdfgkmpqtwxz]|w[vjxqz]|[kgq][zxq]|uu[^m]|ii[^nrs]|yy|hh|kk[bcdfgpqvwxz]",
    re.IGNORECASE,
)


def unknown(text: str) -> tuple[int, float]:
    """Count the unknown characters of a text (U+FFFD, private use, unassigned), and their share of all but blanks."""
    characters = [c for c in text if not c.isspace()]
    odd = sum(c == "\ufffd" or (c > "\x7f" and unicodedata.category(c) in ("Co", "Cn", "Cc")) for c in characters)
    return odd, odd / len(characters) if characters else 0.0


def likeness(text: str) -> float | None:
    """Return the share of the words of a text that could be words of a language written with Latin letters (0..1).

    None if too few are written so.
    """
    good = all_words = 0
    for match in _WORD.finditer(text):
        raw = match.group()
        bare = _EDGES.sub("", raw)
        if not bare:
            if _STRAY.fullmatch(raw):
                all_words += 1
            continue
        if not _LATIN.search(bare):
            continue
        all_words += 1
        good += not _odd(bare)
    return good / all_words if all_words >= _FEWEST else None


def _odd(word: str) -> bool:
    """Return whether a word, without the marks around it, looks like none."""
    if len(word) == 1:
        return bool(_STRAY.fullmatch(word)) and word.islower()
    if _MIXED.search(word) or _CROWD.search(word):
        return True
    letters = "".join(c for c in word if c.isalpha())
    if len(letters) >= 3 and _VOWELS.isdisjoint(letters.lower()) and not letters.isupper():
        return True
    return bool(_RARE.search(letters)) and not letters.isupper()


def needs_reading(text: str, *, picture: float = 0.0) -> str:
    """Return why the picture of a page must be read, '' where its text will do.

    'no text', 'unknown characters' or 'unlikely words'. ``picture`` is the share of the page under pictures (0..1).
    """
    if not text.strip():
        return "no text"
    layer = picture >= COVERED
    count, share = unknown(text)
    if count >= _FEWEST_UNKNOWN and share >= (_UNKNOWN_LAYER if layer else _UNKNOWN):
        return "unknown characters"
    like = likeness(text)
    return "unlikely words" if like is not None and like < (LAYER if layer else TEXT) else ""


def is_scan(page: Page) -> bool:
    """Return whether the text of a page is yet to be read in its picture: it has none, or no more than a stamp."""
    return page.source == "none" or (page.source in OF_THE_FILE and page.confidence == STAMP)


def with_ocr_flag(page: PageText) -> PageText:
    """Return the page as it is kept: text of the file that is no text gets a confidence, and is read in its picture.

    The confidence lies in 0..1; text that will do has none.
    """
    if page.source not in OF_THE_FILE or not (page.width and page.height):
        return page
    if page.confidence is not None:
        return page  # a scan with a stamp: its reader says so
    why = needs_reading(page.text, picture=page.picture)
    if why in ("", "no text"):
        return page
    share = 1 - unknown(page.text)[1] if why == "unknown characters" else likeness(page.text) or 0.0
    return replace(page, confidence=round(min(0.99, max(0.0, share)), 4))


# --- a layer that is good text, held against its picture -------------------------------------------------------------

SPOTS = 3  # pages of a document that are looked at first
AGREED = 0.6  # of the words of a layer that are also in the picture, below which it is not the text of it
_ABSENT = 0.34  # of the longer words of a layer, below which it is nothing of what is in the picture
_LONGER = 4  # letters: shorter ones are in every text
_LINES = 4  # of a page that are looked at
_MARGIN = 3.0  # points around them
_LEAST = 6  # words, below which nothing is told
_SURE = 0.95  # how sure an engine must be of what says otherwise
_READABLE = 0.7  # mean confidence, below which the picture is too poor to tell
_NEGATIONS = frozenset(
    ("not", "no", "never", "none", "nor", "neither", "cannot", "without", "nicht", "nie", "kein", "keine", "ne", "pas")
)


@dataclass(frozen=True, slots=True)
class WordBox:
    """A word in its place on the page, in points.

    ``sure`` (0..1): how sure who read it is of it; of two that disagree, neither is.
    """

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    sure: float = 1.0


def has_layer(page: PageText) -> bool:
    """Return whether the text of a page lies over a picture of it, and so may differ from the picture."""
    over = page.source == "layer" or (page.source == "embedded" and page.picture >= COVERED)
    return over and page.confidence is None and len(page.words) >= _LEAST and page.width > 0 and page.height > 0


def sample_pages(pages: Sequence[int]) -> list[int]:
    """Choose of the numbers of pages those that are looked at first: spread over all of them."""
    if len(pages) <= SPOTS:
        return list(pages)
    return [pages[round(spot * (len(pages) - 1) / (SPOTS - 1))] for spot in range(SPOTS)]


def sample_band(words: Sequence[WordBox]) -> tuple[float, float, float, float] | None:
    """Choose the part of a page (points) that is looked at.

    Lines that follow each other, with the most digits and negations, else those with the most words. None for a page of
    too few words.
    """
    lines: list[list[WordBox]] = []
    for word in sorted(words, key=lambda word: (word.y0 + word.y1) / 2):
        middle = (word.y0 + word.y1) / 2
        if lines and lines[-1][0].y0 <= middle <= lines[-1][0].y1:
            lines[-1].append(word)
        else:
            lines.append([word])
    best: tuple[tuple[int, int], list[WordBox]] | None = None
    for first in range(max(1, len(lines) - _LINES + 1)):
        here = [word for line in lines[first : first + _LINES] for word in line]
        weight = sum(any(c.isdigit() for c in word.text) or _plain(word.text) in _NEGATIONS for word in here)
        if len(here) >= _LEAST and (best is None or (weight, len(here)) > best[0]):
            best = (weight, len(here)), here
    if best is None:
        return None
    words_of_band = best[1]
    return (
        max(0.0, min(word.x0 for word in words_of_band) - _MARGIN),
        max(0.0, min(word.y0 for word in words_of_band) - _MARGIN),
        max(word.x1 for word in words_of_band) + _MARGIN,
        max(word.y1 for word in words_of_band) + _MARGIN,
    )


def agreement(layer: Sequence[WordBox], picture: Sequence[WordBox]) -> float | None:
    """Return the share of the words of a layer that is in the picture of the same place (0..1).

    0 where a number or a negation is plainly another one there, or no word at all was read where the layer has several.
    None if the picture is too poor, or too little is there, to tell.
    """
    layer_words = [word for word in layer if len(_plain(word.text)) >= 2]
    picture_words = [word for word in picture if _plain(word.text)]
    if len(layer_words) < _LEAST:
        return None
    if not picture and 2 * sum(bool(_LATIN.search(word.text)) for word in layer_words) > len(layer_words):
        return 0.0  # letters that every engine knows were to be read there, and nobody would see them
    if len(picture_words) < _LEAST // 2 or sum(word.sure for word in picture_words) / len(picture_words) < _READABLE:
        return None
    if _contradicts(layer, picture_words):
        return 0.0
    read = Counter(_plain(word.text) for word in picture_words)
    alike = sum(_is_among(_plain(word.text), read) for word in layer_words)
    return alike / len(layer_words)


def is_absent(layer: Sequence[WordBox], picture: Sequence[WordBox]) -> bool:
    """Return whether a layer that does not agree with its picture is nothing of what is there.

    Only of letters that every engine knows can that be told.
    """
    long_words = [word for word in layer if len(_plain(word.text)) >= _LONGER]
    if len(long_words) < _LEAST // 2 or 2 * sum(bool(_LATIN.search(word.text)) for word in long_words) <= len(
        long_words
    ):
        return False
    read = Counter(plain for word in picture if len(plain := _plain(word.text)) >= _LONGER - 1)
    return sum(_is_among(_plain(word.text), read) for word in long_words) < _ABSENT * len(long_words)


def is_proven(layer: Sequence[WordBox], picture: Sequence[WordBox]) -> bool:
    """Return whether each word of a layer was read in the picture, and each that was read there is in the layer."""
    return agreement(layer, picture) == 1.0 and agreement(picture, layer) == 1.0


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text))).casefold()


def _is_among(word: str, read: Counter[str]) -> bool:
    """Return whether a word was read, or one with a letter in four changed."""
    if word in read:
        return True
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    limit = len(word) // 4
    return (
        limit > 0 and process.extractOne(word, list(read), scorer=Levenshtein.distance, score_cutoff=limit) is not None
    )


def _contradicts(layer: Sequence[WordBox], picture: Sequence[WordBox]) -> bool:
    """Return whether a number is in the place of another one, or negations on one side only.

    As far as who read the picture is sure.
    """
    for word in layer:
        own_digits = _digits(word.text)
        if own_digits:
            match = next((candidate for candidate in picture if _same_place(word, candidate)), None)
            digits = _digits(match.text) if match is not None and match.sure >= _SURE else ""
            if digits and digits != own_digits and len(digits) == len(own_digits):
                return True
    if all(word.sure >= _SURE for word in picture if len(_plain(word.text)) <= 8):
        counts = [sum(_plain(word.text) in _NEGATIONS for word in words) for words in (layer, picture)]
        return counts[0] != counts[1]
    return False


def _digits(text: str) -> str:
    return "".join(c for c in text if c.isdigit())


def _same_place(left: WordBox, right: WordBox) -> bool:
    across = min(left.x1, right.x1) - max(left.x0, right.x0)
    down = min(left.y1, right.y1) - max(left.y0, right.y0)
    wide, high = max(left.x1 - left.x0, right.x1 - right.x0), max(left.y1 - left.y0, right.y1 - right.y0)
    return across > 0.6 * wide and down > 0.4 * high
