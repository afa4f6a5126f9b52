"""Which pages must be read in their pictures: those without text, and those whose text is no text.

Two things go wrong with the text that a file holds. A font that does not say which letters its glyphs are gives unknown
characters or letters shifted against the alphabet. A scan may carry what a poor engine once read in it, invisibly laid
over the picture. Both look like writing to a program; neither is what a person sees on the page.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

from core.domain import PageText

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
_VOWEL = re.compile(r"[aeiouyäöüàâáãåæèéêëìíîïòóôõøœùúûýÿăąęėēīōūůőű]", re.IGNORECASE)
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
    """How many characters of a text are unknown (U+FFFD, private use, unassigned), and what share of those that are
    no blanks."""
    shown = [c for c in text if not c.isspace()]
    odd = sum(c == "\ufffd" or (c > "\x7f" and unicodedata.category(c) in ("Co", "Cn", "Cc")) for c in shown)
    return odd, odd / len(shown) if shown else 0.0


def likeness(text: str) -> float | None:
    """What share of the words of a text could be words of a language written with Latin letters (0..1). None where too
    few are written so."""
    good = all_words = 0
    for found in _WORD.finditer(text):
        raw = found.group()
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
    """Whether a word, without the marks around it, looks like none."""
    if len(word) == 1:
        return bool(_STRAY.fullmatch(word)) and word.islower()
    if _MIXED.search(word) or _CROWD.search(word):
        return True
    letters = "".join(c for c in word if c.isalpha())
    if len(letters) >= 3 and not _VOWEL.search(letters) and not letters.isupper():
        return True
    return bool(_RARE.search(letters)) and not letters.isupper()


def needs_reading(text: str, *, picture: float = 0.0) -> str:
    """Why the picture of a page must be read, '' where its text will do: 'no text', 'unknown characters' or
    'unlikely words'. ``picture`` is the share of the page under pictures (0..1)."""
    if not text.strip():
        return "no text"
    layer = picture >= COVERED
    count, share = unknown(text)
    if count >= _FEWEST_UNKNOWN and share >= (_UNKNOWN_LAYER if layer else _UNKNOWN):
        return "unknown characters"
    like = likeness(text)
    return "unlikely words" if like is not None and like < (LAYER if layer else TEXT) else ""


def judged(page: PageText) -> PageText:
    """The page as it is kept: text of the file that is no text gets a confidence, 0 to 1, and is read in its picture.
    Text that will do has none."""
    if page.source != "embedded" or not (page.width and page.height):
        return page
    why = needs_reading(page.text, picture=page.picture)
    if why in ("", "no text"):
        return page
    share = 1 - unknown(page.text)[1] if why == "unknown characters" else likeness(page.text) or 0.0
    return replace(page, confidence=round(min(0.99, max(0.0, share)), 4))
