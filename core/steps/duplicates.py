"""Quotes that say the same in nearly the same words. Nothing is dropped: a later one is marked with the earlier one."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Iterable, Sequence

from rapidfuzz import fuzz, process, utils

from core.domain import Likeness, Passage, Quote
from core.text import normalise, sayings

# Of 100: word-order-free similarity of normalised quotes at which they count as the same words. A changed figure or
# name still scores above this in a long sentence, which is right: near copies are what the mark is for.
SAME_WORDS = 90.0


def possible_duplicates(quotes: Sequence[Quote], known: Sequence[tuple[str, Quote]]) -> list[str | None]:
    """For each quote the id of the first entry of ``known`` (id, quote) with nearly the same words, or None.

    The same span of the same page is no duplicate: one passage may bear on several hypotheses.
    """
    prepared = [utils.default_process(quote.text) for _, quote in known]
    found: list[str | None] = []
    for quote in quotes:
        alike = process.extract(
            utils.default_process(quote.text),
            prepared,
            scorer=fuzz.token_sort_ratio,
            processor=None,
            score_cutoff=SAME_WORDS,
            limit=None,
        )
        others = [at for _, _, at in alike if _place(known[at][1]) != _place(quote)]
        found.append(known[min(others)][0] if others else None)
    return found


def _place(quote: Quote) -> tuple[int, int, int]:
    return quote.page_id, quote.start, quote.end


# --- copies among the passages of a search ---------------------------------------------------------------------------


def collapse(passages: Sequence[Passage], likenesses: Iterable[Likeness] = ()) -> list[tuple[Passage, ...]]:
    """The passages in groups that say the same: the first of a group is the one to show, the others are its copies.

    Every passage is in exactly one group; groups stand in the order of their first. Copies have the same plain form
    (see core.text), or nearly the same words in documents that ``likenesses`` connect, with the same figures, names and
    negations in the same order: a passage of a later version that says otherwise stays apart.
    """
    family = _families(likenesses)
    plain = [normalise(passage.text)[0] for passage in passages]
    bare = [utils.default_process(text) for text in plain]
    groups: list[list[int]] = []
    heads: dict[str, int] = {}  # plain form -> its group
    for at, passage in enumerate(passages):
        known = heads.get(plain[at])
        if known is None and passage.document in family:
            known = next(
                (
                    number
                    for number, group in enumerate(groups)
                    if family.get(passages[group[0]].document) == family[passage.document]
                    and passages[group[0]].document != passage.document
                    and fuzz.token_sort_ratio(bare[at], bare[group[0]], score_cutoff=SAME_WORDS)
                    and sayings(plain[at]) == sayings(plain[group[0]])
                ),
                None,
            )
        if known is None:
            groups.append([at])
            known = len(groups) - 1
        else:
            groups[known].append(at)
        heads.setdefault(plain[at], known)
    return [tuple(passages[at] for at in group) for group in groups]


def _families(likenesses: Iterable[Likeness]) -> dict[str, str]:
    """Documents that are like each other, over however many steps -> one of them."""
    head: dict[str, str] = {}

    def first(document: str) -> str:
        while head.setdefault(document, document) != document:
            document = head[document]
        return document

    for likeness in likenesses:
        one, other = sorted((first(likeness.document), first(likeness.of)), key=lambda id: (len(id), id))
        head[other] = one
    return {document: first(document) for document in list(head)}


# --- one upstream ----------------------------------------------------------------------------------------------------

VERBATIM_WORDS = 8  # from this length on, the same words in two documents were copied, not written twice
SHINGLE = 8  # words
CONTAINED = 0.9  # share of the shorter document's shingles from which on the longer one holds it
NEAR_DOCUMENT = 0.7  # share of the shorter document's shingles that the other has, from which on it is a near copy
LONGEST = 200_000  # characters of a document that are compared


def same_upstream(quotes: Sequence[tuple[str, str, str]], text_of: Callable[[str], str]) -> dict[str, str]:
    """Which rows of evidence tell what one source told: row id -> the first row of its cluster, alone ones left out.

    ``quotes`` are (row id, document, quote) in order, ``text_of`` gives the text of a document. Two rows of different
    documents belong together when their quotes are word for word the same and long enough to be copied, or nearly the
    same in documents that are near copies of each other. Figures must be the same in either case: a second reading is
    no copy of the first. Rows of one document are never joined: a report may hold several facts.
    """
    prepared = [utils.default_process(quote) for _, _, quote in quotes]
    figures = [tuple(re.findall(r"\d+", quote)) for _, _, quote in quotes]
    shingles: dict[str, frozenset[int]] = {}
    head: dict[int, int] = {}
    for at, (_, document, _) in enumerate(quotes):
        alike = process.extract(
            prepared[at],
            prepared[:at],
            scorer=fuzz.token_sort_ratio,
            processor=None,
            score_cutoff=SAME_WORDS,
            limit=None,
        )
        for before in sorted(known for _, _, known in alike):
            other = quotes[before][1]
            if other == document or figures[before] != figures[at] or not prepared[at]:
                continue
            verbatim = prepared[before] == prepared[at] and len(prepared[at].split()) >= VERBATIM_WORDS
            if verbatim or _near(document, other, shingles, text_of):
                head[at] = head.get(before, before)
                break
    found = {}
    for at, first in head.items():
        found[quotes[at][0]] = found[quotes[first][0]] = quotes[first][0]
    return found


# --- whole documents -------------------------------------------------------------------------------------------------

BANDS, ROWS = 32, 4  # two documents alike to 0.7 meet in a band with a probability of 0.9998
_PERMUTATIONS = BANDS * ROWS
_FEWEST_WORDS = 20  # a note of a few words is like many others without being a copy


def sketch(text: str) -> bytes:
    """A MinHash signature of a document (128 x uint32, little endian); b'' for one too short to be compared.

    The same text gives the same signature on every machine. Broder 1997; the shingles are stretches of eight words.
    """
    from rensa import RMinHash

    words = utils.default_process(text[:LONGEST]).split()
    if len(words) < _FEWEST_WORDS:
        return b""
    hashed = RMinHash(num_perm=_PERMUTATIONS, seed=42)
    hashed.update([" ".join(words[at : at + SHINGLE]) for at in range(len(words) - SHINGLE + 1)])
    return struct.pack(f"<{_PERMUTATIONS}I", *hashed.digest())


class Likenesses:
    """Finds, for one document after another, the earlier one that it is most like."""

    def __init__(self, sketches: Iterable[tuple[str, bytes]], text_of: Callable[[str], str]) -> None:
        self._bands: list[dict[bytes, list[str]]] = [{} for _ in range(BANDS)]
        self._text_of = text_of
        for document, data in sketches:
            self._add(document, data)

    def _add(self, document: str, data: bytes) -> None:
        for band, key in enumerate(_keys(data)):
            self._bands[band].setdefault(key, []).append(document)

    def take(self, document: str, data: bytes) -> Likeness | None:
        """Compare a new document with those taken before, then remember it. Candidates come from the signatures, the
        score is counted on the texts; of several the most alike, then the earliest."""
        found: Likeness | None = None
        candidates = {other for band, key in enumerate(_keys(data)) for other in self._bands[band].get(key, ())}
        known: dict[str, frozenset[int]] = {}
        for other in sorted(candidates, key=lambda id: (len(id), id)):
            one, two = _shingles(document, known, self._text_of), _shingles(other, known, self._text_of)
            both = len(one & two)
            near, contained = both / len(one | two), both / min(len(one), len(two))
            if near >= NEAR_DOCUMENT:
                likeness = Likeness(document, other, "near", round(near, 3))
            elif contained >= CONTAINED:
                likeness = Likeness(document, other, "contained", round(contained, 3))
            else:
                continue
            if found is None or (likeness.measure == "near", likeness.score) > (found.measure == "near", found.score):
                found = likeness
        self._add(document, data)
        return found


def _keys(data: bytes) -> list[bytes]:
    width = 4 * ROWS
    return [data[at : at + width] for at in range(0, len(data), width)]


def _near(one: str, other: str, known: dict[str, frozenset[int]], text_of: Callable[[str], str]) -> bool:
    pair = (_shingles(one, known, text_of), _shingles(other, known, text_of))
    smaller, larger = sorted(pair, key=len)
    return len(smaller & larger) >= NEAR_DOCUMENT * len(smaller)


def _shingles(document: str, known: dict[str, frozenset[int]], text_of: Callable[[str], str]) -> frozenset[int]:
    if document not in known:
        words = utils.default_process(text_of(document)[:LONGEST]).split()
        # crc32, since Python's own hash of a text differs from run to run.
        known[document] = frozenset(
            zlib.crc32(" ".join(words[at : at + SHINGLE]).encode()) for at in range(max(1, len(words) - SHINGLE + 1))
        )
    return known[document]
