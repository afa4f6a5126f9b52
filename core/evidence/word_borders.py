"""Where the characters of a quote are in a text, with word borders at both ends. Pure."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Collection, Iterator
from itertools import pairwise

from core.text import Offsets, normalise, plain_indices


def places(text: str, page: str, borders: Collection[int] = ()) -> Iterator[tuple[int, int]]:
    """Yield where ``text`` is in ``page``: as it is, or if it is nowhere, in its plain form.

    At ``borders``, such as the edges of what is struck through, a word ends whatever is beside it.
    """
    exact = list(exact_places(text.strip(), page, borders))
    if exact:
        yield from exact
        return
    flat, _ = normalise(plain_indices(text))
    plain, offsets = normalise(plain_indices(page))
    yield from plain_places(text, flat, plain, offsets, page, borders)


def exact_places(text: str, page: str, borders: Collection[int] = ()) -> Iterator[tuple[int, int]]:
    """Yield where the very characters of ``text`` are in ``page``."""
    offset = page.find(text) if text else -1
    while offset >= 0:
        if _at_word_borders(page, offset, offset + len(text), borders):
            yield offset, offset + len(text)
        offset = page.find(text, offset + 1)


def plain_places(
    text: str, flat: str, plain: str, offsets: Offsets, page: str, borders: Collection[int] = ()
) -> Iterator[tuple[int, int]]:
    """Yield where a quote of the plain form ``flat`` is in a page of the plain form ``plain``."""
    for offset, stop in _occurrences(flat, plain):
        if _cuts_a_character(offsets, offset, stop):
            continue
        start, end = offsets.span(offset, stop)
        if (_joins(plain, offset) and start not in borders) or (_joins(plain, stop) and end not in borders):
            continue
        if not _at_word_borders(page, start, end, borders):
            continue
        if stop - offset != len(flat) and not _own_hyphens(flat, plain, offsets, page, offset):
            continue
        # Numerals of other kinds become plain digits in the plain form: Ⅻ must not prove XII, nor ⒈ a 1.
        if _numerals(plain_indices(page[start:end])) == _numerals(plain_indices(text)):
            yield start, end


_HYPHEN = re.compile(r"(?<=[^\W_])-(?=[^\W\d_])")  # inside a word, where a line of the page may end
_LINE_END = re.compile(r"[-\u2010\u2011][ \t\r]*\n[ \t]*")
# What comes before a hyphen and says another thing without it: to re-cover, re-sign, un-ionised, a co-op.
_PREFIXES = frozenset(("re", "un", "in", "de", "co", "dis", "mis", "pre", "pro"))


def _occurrences(flat: str, plain: str) -> Iterator[tuple[int, int]]:
    """Yield where the plain form of a quote is in that of a page, which lost the hyphens at which its lines end."""
    if not flat:
        return
    hyphens = [m.start() for m in _HYPHEN.finditer(flat) if flat[m.end()].islower()]
    if not hyphens:
        offset = plain.find(flat)
        while offset >= 0:
            yield offset, offset + len(flat)
            offset = plain.find(flat, offset + 1)
        return
    pieces = [flat[left:right] for left, right in pairwise((0, *hyphens, len(flat)))]
    pattern = re.compile(
        "-?".join(re.escape(piece.removeprefix("-") if n else piece) for n, piece in enumerate(pieces))
    )
    match = pattern.search(plain)
    while match:
        yield match.span()
        match = pattern.search(plain, match.start() + 1)


def _own_hyphens(flat: str, plain: str, offsets: Offsets, page: str, offset: int) -> bool:
    """Return whether the hyphens of a quote that the plain form lacks, from ``offset`` on, are on the page.

    At the end of a line, and sure to be those of a compound ('well-known') and not of a word that was cut in two.
    """
    for hyphen in flat:
        if offset < len(plain) and plain[offset] == hyphen:
            offset += 1
            continue
        previous = offsets.span(offset - 1, offset)[1]
        word = re.search(r"[\w-]*$", plain[max(0, offset - 40) : offset])
        if not _LINE_END.fullmatch(page, previous, offsets[offset]) or (word and word.group().casefold() in _PREFIXES):
            return False
    return True


def _cuts_a_character(offsets: Offsets, start: int, end: int) -> bool:
    """Return whether a character of the page that became several, as an ellipsis does, lies inside in part only."""
    return (start > 0 and offsets[start - 1] == offsets[start]) or (
        end < len(offsets) and offsets[end - 1] == offsets[end]
    )


def _numerals(text: str) -> list[tuple[str, bool]]:
    """List the numerals of a text in order, with whether each is a plain digit; full-width digits count as plain."""
    return [
        (unicodedata.normalize("NFKC", c), unicodedata.category(c) == "Nd")
        for c in text
        if c.isnumeric() and unicodedata.category(c) in ("Nd", "No", "Nl")
    ]


def numeral_words(text: str) -> str:
    """Return the words of ``text`` that hold numerals."""
    return " ".join(word for word in text.split() if _numerals(word))


def is_blank(text: str, start: int, end: int) -> bool:
    """Return whether text[start:end] holds nothing but white space."""
    return start <= end and not text[start:end].strip()


def _joins(plain: str, offset: int) -> bool:
    """Return whether a word or a number of a plain form goes on over the border before character ``offset``."""
    return 0 < offset < len(plain) and _class(plain[offset - 1]) in ("a", "0") and _class(plain[offset]) in ("a", "0")


# What a character is for the borders of words and numbers: a letter, 0 a digit, - a dash that may join words, — one
# that never does, ' an apostrophe, . what separates digits, < a sign of mathematics, $ a currency or percent sign, # a
# sign that belongs to the number beside it, blank and line end; ; is anything else.
_DASHES = "\u00ac\u2043\u2212\u207b\u208b\u2e17"  # and all of the category of dashes; U+00AC is one in OCR
_LONG_DASHES = "\u2014\u2015\u2e3a\u2e3b\ufe58"
_SEPARATORS = ".,:/\u00b7\u02d9\u066b\u066c\u2044\u2215\u2219\u22c5\u2024\u2027\u30fb"
_SOFT_HYPHEN = re.compile(r"\u00ad(?=\s|$)")
_GAP = r"[ ]*\n?[ ]*"
_UNCUT = re.compile(
    rf"(?:(?:[-—<$]{_GAP}|[.#])+(?=0))?"  # the sign of a number
    r"[a0]+"
    rf"(?:(?:'|-{_GAP}|(?<=0)(?:{_GAP}[-—<$#.']+{_GAP}|{_GAP})(?=0))[a0]+)*"  # can't, un-likely, 1 500, 10–12
    r"-?(?:(?<=0)(?:[<#]|[ ]*\$)+)?"
)
_BETWEEN_WORDS = re.compile(r"[A-Za-z.,;:!?][ \n][A-Za-z]|.[A-Za-z][ \n.,;:!?)]", re.DOTALL)  # most borders, at once
NEXT_TO = 60  # characters to either side of a border that are looked at


def _at_word_borders(text: str, start: int, end: int, borders: Collection[int]) -> bool:
    """Return whether text[start:end] cuts no word and no number in two, and drops no sign of a number.

    Also not where a line ends or at a character without a shape. A dash before a number counts as its sign, with a
    blank between them too.
    """
    return all(
        border in borders or not cuts(text[max(0, border - NEXT_TO) : border], text[border : border + NEXT_TO])
        for border in (start, end)
    )


def cuts(left_part: str, after: str) -> bool:
    """Return whether a border between two stretches of one text lies inside a word, a number or a character."""
    if not left_part or not after or _BETWEEN_WORDS.fullmatch(left_part[-2:] + after[0]):
        return False
    mark = next((c for c in after if _class(c) or unicodedata.category(c)[0] == "M"), "")
    if mark and unicodedata.category(mark)[0] == "M":  # an accent of the last letter
        return True
    left, right = _classes(left_part, after), _classes(after)
    offset = len(left)
    return any(match.start() < offset < match.end() for match in _UNCUT.finditer(left + right))


def _classes(text: str, following: str = "") -> str:
    """Class every character that is seen, before ``following``; a soft hyphen is seen where its line ends."""
    if "\u00ad" in text:
        text = _SOFT_HYPHEN.sub("-", text + following)[: len(text)]
    return "".join(map(_class, text))


@functools.cache
def _class(c: str) -> str:
    """Class a character for the borders of words and numbers; '' for an accent and what has no shape."""
    if c.isspace():
        return "\n" if c in "\n\f\v\x85\u2028\u2029" else " "
    kind, (plain, _) = unicodedata.category(c), normalise(c)
    if not plain or kind[0] == "M":
        return ""
    if c in _LONG_DASHES:
        return "—"
    if kind == "Pd" or c in _DASHES:
        return "-"
    if c.isnumeric():
        return "0"
    if c.isalnum() or c == "_":
        return "a"
    if plain == "'":
        return "'"
    if c in _SEPARATORS or plain in _SEPARATORS:
        return "."
    if kind == "Sc" or plain in "%\u2030\u2031\u066a":
        return "$"
    return "<" if kind == "Sm" else "#" if kind in ("Sk", "So") or c in "#*\\&@" else ";"
