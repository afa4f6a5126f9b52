"""Proving quotes: the only place where a ``Quote`` is made, and the search for text that claims to be one.

A quote is a span of a page. Text that somebody typed or a model wrote is *verified* when the same characters stand on
a page, apart from white space, hyphens at line ends, ligatures and the shape of quotation marks and dashes; letter
case, digits, signs and every word must be the same, and it must begin and end at word borders, so that 'likely' is no
quote from 'unlikely' and '500' none from '1,500'. A fuzzy ratio only ever locates what is *near*, with the differences.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

from core.domain import Page, Quote, QuotePart
from core.errors import BadInput
from core.text import NEGATIONS, Offsets, normalise

Status = Literal["verified", "near", "not_found", "unchecked"]

MOST_MATCHES = 20  # places a verified quote is reported at
NEAR = 0.75  # share of the quote's characters that must be found again for a place to be called near
LONGEST_NEAR = 400  # words; longer text is only ever verified or not found, since aligning it is slow

_CANDIDATES = 8  # pages that are aligned word by word
_PROBES = 12  # longest words of a quote by which pages are picked
_SHORTLIST = 40  # pages looked at by ratio before the alignment

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the quote and the page part; '' on the side where nothing stands. ``what`` is 'number', 'negation',
    'name', or 'word'; ``quote`` is the given text, ``page`` what the page says."""

    quote: str
    page: str
    what: Literal["number", "negation", "name", "word"]


@dataclass(frozen=True, slots=True)
class Match:
    """A place: page.text[start:end] == text. ``differences`` is empty for a verified quote."""

    document: str
    page: int
    start: int
    end: int
    text: str
    differences: tuple[Difference, ...] = ()
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class Answer:
    """``unchecked``: no page that could be searched has text. Matches are in order of page; a near one is the best."""

    status: Status
    matches: tuple[Match, ...] = ()


# --- making quotes ---------------------------------------------------------------------------------------------------


def span(page: Page, start: int, end: int, more: Sequence[tuple[Page, int, int]] = ()) -> Quote:
    """The quote page.text[start:end] without white space at its ends; ``more`` are the pages on which it goes on, with
    the stretch of each. Raises BadInput for a stretch without text, and for pages that do not follow one another."""
    first, *others = (_stretch(*each) for each in ((page, start, end), *more))
    for number, (following, *_) in enumerate(more, start=1):
        if (following.document, following.number) != (page.document, page.number + number):
            raise BadInput(
                reason=f"Page {following.number} of {following.document} does not follow page "
                f"{page.number + number - 1} of {page.document}, so this is not one quote.",
                remedy="Mark words that run on from one page to the next, or add two quotes.",
            )
    whole = first.page_id, first.page, first.start, first.end, first.text, first.page_sha256
    return Quote(page.document, *whole, more=tuple(others))


def _stretch(page: Page, start: int, end: int) -> QuotePart:
    """page.text[start:end] without white space at its ends."""
    if not 0 <= start < end <= len(page.text) or not page.text[start:end].strip():
        raise BadInput(
            reason=f"Characters {start} to {end} of page {page.number} hold no text.",
            remedy=f"Mark at least one word; the page has {len(page.text)} characters.",
        )
    while page.text[start].isspace():
        start += 1
    while page.text[end - 1].isspace():
        end -= 1
    return QuotePart(page.id, page.number, start, end, page.text[start:end], page.sha256)


def locate(text: str, page: Page) -> Quote | None:
    """The first place on ``page`` where ``text`` is verified, as a quote; None when there is none."""
    for start, end in _places(text, page.text):
        return span(page, start, end)
    return None


# --- finding what claims to be a quote -------------------------------------------------------------------------------


def find(text: str, pages: Iterable[Page]) -> Answer:
    """Whether ``text`` stands on any of ``pages``. Raises BadInput for an empty text."""
    return Corpus(pages).find(text)


class Corpus:
    """Pages to look quotes up in; for many quotes the plain forms are made once."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self._pages = list(pages)
        self._folded = [page.text.casefold() for page in self._pages]
        self._plain = functools.lru_cache(maxsize=256)(lambda at: normalise(self._pages[at].text))

    def find(self, text: str, *, document: str | None = None) -> Answer:
        """Verified where it stands, else the nearest place, else not found."""
        if not text.strip():
            raise BadInput(reason="The quote is empty.", remedy="Give the words to look for.")
        scope = [
            at
            for at, page in enumerate(self._pages)
            if (document is None or page.document == document) and page.text.strip()
        ]
        if not scope:
            return Answer("unchecked")
        exact = [
            self._match(at, start, end)
            for at in scope
            for start, end in _exact_places(text.strip(), self._pages[at].text)
        ]
        if exact:
            return Answer("verified", tuple(exact[:MOST_MATCHES]))
        flat, _ = normalise(text)
        if not flat:
            return Answer("not_found")
        shortlist = self._shortlist(flat, scope)
        plain = [
            self._match(at, start, end)
            for at in sorted(shortlist)
            for start, end in _plain_places(text, flat, *self._plain(at), self._pages[at].text)
        ]
        if plain:
            return Answer("verified", tuple(plain[:MOST_MATCHES]))
        near = self._near(text, flat, shortlist)
        return Answer("near", (near,)) if near else Answer("not_found")

    def _match(self, at: int, start: int, end: int) -> Match:
        page = self._pages[at]
        return Match(page.document, page.number, start, end, page.text[start:end])

    def _shortlist(self, flat: str, scope: Sequence[int]) -> list[int]:
        """The pages that hold most of the longest words of the quote, most first, at least a third of them."""
        words = sorted(set(re.findall(r"\w+", flat.casefold())), key=lambda word: (-len(word), word))[:_PROBES]
        if not words:
            return list(scope[:_SHORTLIST])
        counted = [(sum(word in self._folded[at] for word in words), at) for at in scope]
        enough = [(count, at) for count, at in counted if 3 * count >= len(words)]
        return [at for _, at in sorted(enough, key=lambda item: (-item[0], item[1]))[:_SHORTLIST]]

    def _near(self, text: str, flat: str, shortlist: Sequence[int]) -> Match | None:
        if len(flat.split()) > LONGEST_NEAR:
            return None
        needle = flat.casefold()
        located = []
        for at in shortlist:
            plain, _ = self._plain(at)
            if not plain:
                continue
            # The shorter of the two is slid along the longer one: a page shorter than the quote is taken whole.
            if len(plain) <= len(needle):
                located.append((fuzz.ratio(needle, plain.casefold()), at, 0, len(plain)))
                continue
            folded = plain.casefold()
            if len(folded) != len(plain):  # a letter that folds into two would shift every offset behind it
                folded = plain.lower() if len(plain.lower()) == len(plain) else plain
            found = fuzz.partial_ratio_alignment(needle, folded, score_cutoff=100 * (NEAR - 0.2))
            if found is not None:
                located.append((found.score, at, found.dest_start, found.dest_end))
        best: Match | None = None
        for _, at, start, end in sorted(located, key=lambda item: (-item[0], item[1]))[:_CANDIDATES]:
            match = self._aligned(text, flat, at, start, end)
            if match is not None and (best is None or match.score > best.score):
                best = match
        return best

    def _aligned(self, text: str, flat: str, at: int, start: int, end: int) -> Match | None:
        """The stretch around plain[start:end] that fits the quote word by word, with the words that differ."""
        plain, offsets = self._plain(at)
        room = len(flat) // 3 + 20  # the sliding window is never longer than the quote: look beyond both ends
        low = max(0, start - room)
        window = [
            (m.start() + low, m.end() + low, m.group())
            for m in _WORD.finditer(plain[low : min(len(plain), end + room)])
        ]
        wanted = flat.split()
        pairs, cost = _align(wanted, [word for _, _, word in window])
        used = [there for _, there in pairs if there is not None]
        score = 1.0 - cost / max(1, sum(len(word) for word in wanted))
        if not used or score < NEAR:
            return None
        first, last = offsets.span(window[used[0]][0], window[used[-1]][1])
        differences = _differences(wanted, [word for _, _, word in window], pairs)
        page = self._pages[at]
        there = page.text[first:last]
        if not differences:  # plain forms are equal: a numeral of another kind ('10²' for '102') keeps them apart
            differences = (Difference(_written(text), _written(there), "number"),)
        return Match(page.document, page.number, first, last, there, differences, round(score, 4))


# --- the same characters ---------------------------------------------------------------------------------------------


def _places(text: str, page: str) -> Iterator[tuple[int, int]]:
    exact = list(_exact_places(text.strip(), page))
    if exact:
        yield from exact
        return
    flat, _ = normalise(text)
    plain, offsets = normalise(page)
    yield from _plain_places(text, flat, plain, offsets, page)


def _exact_places(text: str, page: str) -> Iterator[tuple[int, int]]:
    at = page.find(text) if text else -1
    while at >= 0:
        if _at_word_borders(page, at, at + len(text)):
            yield at, at + len(text)
        at = page.find(text, at + 1)


def _plain_places(text: str, flat: str, plain: str, offsets: Offsets, page: str) -> Iterator[tuple[int, int]]:
    at = plain.find(flat) if flat else -1
    while at >= 0:
        if _at_word_borders(plain, at, at + len(flat)):
            start, end = offsets.span(at, at + len(flat))
            # A superscript or a fraction becomes plain digits in the plain form: '10²' must not prove '102'.
            if _numerals(page[start:end]) == _numerals(text):
                yield start, end
        at = plain.find(flat, at + 1)


def _numerals(text: str) -> list[tuple[str, bool]]:
    """The numerals of a text in order, with whether each is a plain digit. Full-width digits count as plain."""
    return [
        (unicodedata.normalize("NFKC", c), unicodedata.category(c) == "Nd")
        for c in text
        if unicodedata.category(c) in ("Nd", "No", "Nl")
    ]


def _written(text: str) -> str:
    """The words of ``text`` that hold numerals."""
    return " ".join(word for word in text.split() if _numerals(word))


def _at_word_borders(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] cuts no word and no number in two, and drops no sign before a number."""
    first, last = text[start], text[end - 1]
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if _joins(first) and before and _joins(before[-1]):
        return False
    if _joins(last) and after and _joins(after[0]):
        return False
    if first.isdigit() and before:
        if len(before) == 2 and before[1] in ".,:/" and before[0].isdigit():
            return False
        if before[-1] in "-+−±" and (len(before) == 1 or not before[0].isalnum()):
            return False
    return not (last.isdigit() and len(after) == 2 and after[0] in ".,:/" and after[1].isdigit())


def _joins(c: str) -> bool:
    return c.isalnum() or c == "_"


# --- nearly the same words -------------------------------------------------------------------------------------------

Pair = tuple[int | None, int | None]  # places in the quote's and in the page's words; None: nothing stands there


def _align(wanted: Sequence[str], there: Sequence[str]) -> tuple[list[Pair], float]:
    """The cheapest way to lay ``wanted`` over a stretch of ``there``, both lists of words, and what it costs.

    A word costs its characters when it is missing on one side, else the characters that must be changed (Indel
    distance halved). What lies before and behind the stretch is free (semi-global alignment, Sellers 1980).
    """
    rows, columns = len(wanted), len(there)
    lengths = [len(word) for word in there]
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    came = [[0] * (columns + 1) for _ in range(rows + 1)]  # 0 stop, 1 both, 2 quote only, 3 page only
    for i in range(1, rows + 1):
        word = wanted[i - 1]
        above, here, back = best[i - 1], best[i], came[i]
        here[0], back[0] = above[0] + len(word), 2
        for j in range(1, columns + 1):
            both = above[j - 1] + _change(word, there[j - 1])
            quote_only = above[j] + len(word)
            page_only = here[j - 1] + lengths[j - 1]
            here[j] = min(both, quote_only, page_only)
            back[j] = 1 if here[j] == both else 2 if here[j] == quote_only else 3
    j = min(range(columns + 1), key=lambda at: (best[rows][at], at))
    cost, i = best[rows][j], rows
    pairs: list[Pair] = []
    while i > 0:
        step = came[i][j]
        if step == 1:
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif step == 2:
            i -= 1
            pairs.append((i, None))
        else:
            j -= 1
            pairs.append((None, j))
    return pairs[::-1], cost


@functools.lru_cache(maxsize=65_536)
def _change(one: str, other: str) -> float:
    return 0.0 if one == other else Indel.distance(one, other) / 2 + 0.01  # equal words win over like ones


def _differences(wanted: Sequence[str], there: Sequence[str], pairs: Sequence[Pair]) -> tuple[Difference, ...]:
    found = []
    for here, at in pairs:
        quote = wanted[here] if here is not None else ""
        page = there[at] if at is not None else ""
        if quote != page:
            found.append(Difference(quote, page, _kind(quote, page)))
    return tuple(found)


def _kind(quote: str, page: str) -> Literal["number", "negation", "name", "word"]:
    """What kind of difference it is, the gravest first."""
    if re.findall(r"\d+", quote) != re.findall(r"\d+", page):
        return "number"
    bare = [re.sub(r"^\W+|\W+$", "", word).casefold() for word in (quote, page)]
    if (bare[0] in NEGATIONS) != (bare[1] in NEGATIONS) or _prefixed(*bare):
        return "negation"
    if any(word[:1].isupper() for word in (quote, page)) and bare[0] != bare[1]:
        return "name"
    return "word"


def _prefixed(one: str, other: str) -> bool:
    """Whether one word is the other with a denying prefix: likely, unlikely."""
    short, long = sorted((one, other), key=len)
    return bool(short) and any(
        long == prefix + short for prefix in ("un", "in", "im", "il", "ir", "dis", "non", "non-")
    )
