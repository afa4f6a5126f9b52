"""Near duplicates: quotes, passages and documents that say the same in nearly the same words. Pure.

Nothing is dropped: a later one is marked with the earlier one.
"""

from __future__ import annotations

import struct
from array import array
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rapidfuzz import fuzz, process, utils

from core.domain import NearDuplicate, Passage, Quote
from core.text import normalise, sayings

if TYPE_CHECKING:
    from numpy import uint32, uint64
    from numpy.typing import NDArray

    Hashes = NDArray[uint64]

# Of 100: word-order-free similarity of normalised quotes at which they count as the same words. A changed figure or
# name still scores above this in a long sentence, which is right: near copies are what the mark is for.
SAME_WORDS = 90.0


def possible_duplicates(quotes: Sequence[Quote], entries: Sequence[tuple[str, Quote]]) -> list[str | None]:
    """Return for each quote the id of the first of ``entries`` (id, quote) with nearly the same words, or None.

    The same span of the same page is no duplicate: one passage may bear on several hypotheses.
    """
    # One passage may have the same quote for thousands of hypotheses: each is compared once.
    first: dict[tuple[tuple[int, int, int], str], str] = {}
    for identity, quote in entries:
        first.setdefault((_place(quote), quote.text), identity)
    once = [(place, identity) for (place, _), identity in first.items()]
    texts = [utils.default_process(text) for _, text in first]
    matches: dict[tuple[tuple[int, int, int], str], str | None] = {}
    for quote in quotes:
        key = (_place(quote), quote.text)
        if key in matches:
            continue
        alike = process.extract(
            utils.default_process(quote.text),
            texts,
            scorer=fuzz.token_sort_ratio,
            processor=None,
            score_cutoff=SAME_WORDS,
            limit=None,
        )
        indices = [index for _, _, index in alike if once[index][0] != key[0]]
        matches[key] = once[min(indices)][1] if indices else None
    return [matches[_place(quote), quote.text] for quote in quotes]


def _place(quote: Quote) -> tuple[int, int, int]:
    return quote.page_id, quote.start, quote.end


# --- copies among the passages of a search ---------------------------------------------------------------------------


def collapse_duplicates(
    passages: Sequence[Passage], likenesses: Iterable[NearDuplicate] = ()
) -> list[tuple[Passage, ...]]:
    """Group passages that say the same: the first of a group is the one to show, the others are its copies.

    Every passage is in exactly one group; groups are in the order of their first. Copies have the same plain form
    (see core.text), or nearly the same words in documents that ``likenesses`` connect, with the same figures, names and
    negations in the same order: a passage of a later version that says otherwise stays apart.
    """
    family = _families(likenesses)
    plain = [normalise(passage.text)[0] for passage in passages]
    bare = [utils.default_process(text) for text in plain]
    groups: list[list[int]] = []
    heads: dict[str, int] = {}  # plain form -> its group
    for place, passage in enumerate(passages):
        index = heads.get(plain[place])
        if index is None and passage.document in family:
            index = next(
                (
                    number
                    for number, group in enumerate(groups)
                    if family.get(passages[group[0]].document) == family[passage.document]
                    and passages[group[0]].document != passage.document
                    and fuzz.token_sort_ratio(bare[place], bare[group[0]], score_cutoff=SAME_WORDS)
                    and sayings(plain[place]) == sayings(plain[group[0]])
                ),
                None,
            )
        if index is None:
            groups.append([place])
            index = len(groups) - 1
        else:
            groups[index].append(place)
        heads.setdefault(plain[place], index)
    return [tuple(passages[index] for index in group) for group in groups]


def _families(likenesses: Iterable[NearDuplicate]) -> dict[str, str]:
    """Map documents that are like each other, over however many steps, to one of them."""
    head: dict[str, str] = {}

    def first(document: str) -> str:
        while head.setdefault(document, document) != document:
            document = head[document]
        return document

    for likeness in likenesses:
        first_document, second_document = sorted(
            (first(likeness.document), first(likeness.of)), key=lambda id: (len(id), id)
        )
        head[second_document] = first_document
    return {document: first(document) for document in list(head)}


# --- one upstream ----------------------------------------------------------------------------------------------------

VERBATIM_WORDS = 8  # from this length on, the same words in two documents were copied, not written twice
SHINGLE = 8  # words
CONTAINED = 0.9  # share of the shorter document's shingles from which on the longer one holds it
NEAR_DOCUMENT = 0.7  # share of the shorter document's shingles that the other has, from which on it is a near copy
LONGEST = 200_000  # characters of a document that are compared


@dataclass(frozen=True, slots=True)
class UpstreamMatch:
    """The reason for which a row counts together with another.

    ``head`` is the first row of its cluster, ``with_`` the row it is a copy of ('' for the first itself), ``why``
    'verbatim', 'near' or 'part' (one quote contains the other).
    """

    head: str
    with_: str = ""
    why: str = ""


def same_upstream(quotes: Sequence[tuple[str, str, str]], text_of: Callable[[str], str]) -> dict[str, UpstreamMatch]:
    """Find the rows of evidence that come from one source, by row id; rows without another are left out.

    ``quotes`` are (row id, document, quote) in order, ``text_of`` gives the text of a document. Two rows of different
    documents belong together when their quotes are word for word the same and long enough to be copied, or, in
    documents that are near copies or parts of each other, when they have nearly the same words or one
    contains the other. Figures, names and negations must be the same: a second reading is no copy of the first. Rows
    of one document are never joined: a report may hold several facts.
    """
    bare = [utils.default_process(quote) for _, _, quote in quotes]
    plain = [" ".join(words.split()) for words in bare]
    sorted_words = [
        " ".join(sorted(words.split())) for words in bare
    ]  # sorted once, as token_sort_ratio would each time
    facts = [sayings(normalise(quote)[0]) for _, _, quote in quotes]
    figures = [[word for word in words if not word[-1].isalpha()] for words in facts]
    parts = _parts(plain)
    stretches: dict[str, Hashes] = {}
    matches: dict[str, UpstreamMatch] = {}
    for index, (row, document, _) in enumerate(quotes):
        alike = process.extract(
            sorted_words[index],
            sorted_words[:index],
            scorer=fuzz.ratio,
            processor=None,
            score_cutoff=SAME_WORDS,
            limit=None,
        )
        alike_rows = {earlier for _, _, earlier in alike}
        part = parts.get(index, set()) - alike_rows
        for previous in sorted(alike_rows | part):
            first, earlier_document, _ = quotes[previous]
            if earlier_document == document or not bare[index]:
                continue
            if plain[previous] == plain[index] and len(plain[index].split()) >= VERBATIM_WORDS:
                why = "verbatim" if figures[previous] == figures[index] else ""
            elif previous in alike_rows:
                why = (
                    "near"
                    if facts[previous] == facts[index] and _are_near(document, earlier_document, stretches, text_of)
                    else ""
                )
            else:
                why = "part" if _are_near(document, earlier_document, stretches, text_of) else ""
            if why:
                head = matches[first].head if first in matches else first
                matches.setdefault(first, UpstreamMatch(head))
                matches[row] = UpstreamMatch(head, first, why)
                break
    return matches


def _parts(quotes: Sequence[str]) -> dict[int, set[int]]:
    """Map each quote to the earlier ones that contain it or that it contains, when they are long enough."""
    holders: dict[str, list[int]] = {}
    begins: list[str] = []
    for index, quote in enumerate(quotes):
        words = quote.split()
        phrases = [" ".join(words[n : n + VERBATIM_WORDS]) for n in range(len(words) - VERBATIM_WORDS + 1)]
        begins.append(phrases[0] if phrases else "")
        for stretch in dict.fromkeys(phrases):
            holders.setdefault(stretch, []).append(index)
    earlier: dict[int, set[int]] = {}
    for index, quote in enumerate(quotes):
        for holder in holders.get(begins[index], ()):
            if holder != index and f" {quote} " in f" {quotes[holder]} ":
                earlier.setdefault(max(index, holder), set()).add(min(index, holder))
    return earlier


# --- whole documents -------------------------------------------------------------------------------------------------

BANDS, ROWS = 32, 4  # two documents alike to 0.7 meet in a band with a probability of 0.9998
_PERMUTATIONS = BANDS * ROWS
_FEWEST_WORDS = 20  # a note of a few words is like many others without being a copy
_FORM = b"2"  # first byte of a signature; the 512 bytes of older cases have none
_OLD_SIZE = 4 * _PERMUTATIONS
_EIGHTH = 7  # a stretch whose hash has none of these bits is kept as it is: every eighth
_SHARED = 0.5  # share of the kept stretches that make a document a candidate for holding another, or being held
_COMMON = 200  # documents that are remembered for one key; a stretch in so many is boilerplate and makes no candidates
# Keys that a dictionary holds, of the bands (32 a document) and of the stretches (every eighth of them).
_FRESH_BANDS, _FRESH = 400_000, 150_000
_KEPT = 64  # documents whose stretches are kept for the next comparison


def minhash_sketch(text: str) -> bytes:
    """Return the signature of a document, little endian; b'' for one too short to be compared.

    MinHash (128 x uint32) and every eighth of its stretches of eight words (uint32 each). The same text gives the same
    signature on every machine. MinHash finds what is alike as a whole, the sampled stretches find a document inside a
    longer one (both Broder 1997).
    """
    import numpy
    from rensa import RMinHash

    hashes, words = _document(text)
    if words < _FEWEST_WORDS:
        return b""
    digests = RMinHash.digest_matrix_from_flat_token_hashes(hashes, [0, len(hashes)], num_perm=_PERMUTATIONS, seed=42)
    sample = (hashes[(hashes & numpy.uint64(_EIGHTH)) == 0] >> numpy.uint64(32)).astype("<u4")
    return b"".join((_FORM, struct.pack(f"<{_PERMUTATIONS}I", *digests.to_rows()[0]), sample.tobytes()))


class NearDuplicateIndex:
    """An index that finds, for one document after another, the earlier one that it is most like."""

    def __init__(self, sketches: Iterable[tuple[str, bytes]], text_of: Callable[[str], str]) -> None:
        self._documents: list[str] = []
        self._bands = _Holders(_FRESH_BANDS)
        self._stretches = _Holders(_FRESH)
        self._sizes = array("I")  # kept stretches of a document
        self._text_of = text_of
        self._hash_cache: OrderedDict[str, Hashes] = OrderedDict()
        for document, data in sketches:
            # What an older program signed is signed again: the stretches were hashed in another way.
            data = minhash_sketch(text_of(document)) if len(data) == _OLD_SIZE else data
            self._add(document, _keys(data), _sample(data))

    def _add(self, document: str, keys: Sequence[int], sample: Sequence[int]) -> None:
        self._bands.add(len(self._documents), keys)
        self._stretches.add(len(self._documents), sample)
        self._sizes.append(len(sample))
        self._documents.append(document)

    def take(self, document: str, data: bytes) -> NearDuplicate | None:
        """Compare a new document with those taken before, then remember it.

        Candidates come from the signatures, the score is counted on the texts; of several the most alike, then the
        earliest.
        """
        best: NearDuplicate | None = None
        keys, sample = _keys(data), _sample(data)
        for candidate in sorted(self._candidates(keys, sample), key=lambda id: (len(id), id)):
            hashes, two = self._hashes(document), self._hashes(candidate)
            both = _count_common(hashes, two)
            resemblance, containment = both / (len(hashes) + len(two) - both), both / min(len(hashes), len(two))
            if resemblance >= NEAR_DOCUMENT:
                likeness = NearDuplicate(document, candidate, "near", round(resemblance, 3))
            elif containment >= CONTAINED:
                likeness = NearDuplicate(document, candidate, "contained", round(containment, 3))
            else:
                continue
            if best is None or (likeness.measure == "near", likeness.score) > (best.measure == "near", best.score):
                best = likeness
        self._add(document, keys, sample)
        return best

    def _candidates(self, keys: Sequence[int], sample: Sequence[int]) -> set[str]:
        candidates = set(self._bands.documents_with(keys, common=True))
        for candidate, count in Counter(self._stretches.documents_with(sample, common=False)).items():
            if count >= max(2, _SHARED * min(len(sample), self._sizes[candidate])):
                candidates.add(candidate)
        return {self._documents[index] for index in candidates}

    def _hashes(self, document: str) -> Hashes:
        if document not in self._hash_cache:
            self._hash_cache[document] = _document(self._text_of(document))[0]
            if len(self._hash_cache) > _KEPT:
                self._hash_cache.popitem(last=False)
        self._hash_cache.move_to_end(document)
        return self._hash_cache[document]


class _Holders:
    """Documents by key.

    Recent ones are in a dictionary, older ones in sorted arrays, which take twelve bytes for each where a dictionary
    takes ten times that.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._fresh: dict[int, int | tuple[int, ...]] = {}  # one document, or several
        self._runs: list[tuple[Hashes, NDArray[uint32]]] = []  # keys, and a document for each; older runs are longer

    def add(self, document: int, keys: Sequence[int]) -> None:
        fresh = self._fresh
        for key in keys:
            holders = fresh.setdefault(key, document)
            if not isinstance(holders, tuple):
                fresh[key] = document if holders is document else (holders, document)
            elif len(holders) < _COMMON:
                fresh[key] = (*holders, document)
        if len(fresh) > self._room:
            self._settle()

    def _settle(self) -> None:
        import numpy

        keys: list[int] = []
        holders: list[int] = []
        for key, documents in self._fresh.items():
            if isinstance(documents, tuple):
                keys += [key] * len(documents)
                holders += documents
            else:
                keys.append(key)
                holders.append(documents)
        all_keys = numpy.array(keys, dtype=numpy.uint64)
        order = all_keys.argsort(kind="stable")  # of one key the older documents stay first
        self._runs.append((all_keys[order], numpy.array(holders, dtype=numpy.uint32)[order]))
        self._fresh = {}
        while len(self._runs) > 1 and len(self._runs[-2][0]) < 2 * len(self._runs[-1][0]):
            (earlier, first), (two, second) = self._runs[-2:]
            both = numpy.concatenate((earlier, two))
            order = both.argsort(kind="stable")
            self._runs[-2:] = [(both[order], numpy.concatenate((first, second))[order])]

    def documents_with(self, keys: Sequence[int], *, common: bool) -> list[int]:
        """List the documents that have these keys, as often as they have one.

        Of a key that very many have the oldest where it is ``common`` to ask, else none.
        """
        in_runs = self._lookup(keys) if self._runs else {}
        every: list[int] = []
        for key in keys:
            fresh = self._fresh.get(key)
            if fresh is None and not in_runs:
                continue
            holders = in_runs.get(key, ())
            if fresh is not None:
                holders = (*holders, *(fresh if isinstance(fresh, tuple) else (fresh,)))
            if len(holders) < _COMMON:
                every += holders
            elif common:
                every += holders[:_COMMON]
        return every

    def _lookup(self, keys: Sequence[int]) -> dict[int, tuple[int, ...]]:
        import numpy

        keys = list(dict.fromkeys(keys))
        needles = numpy.array(keys, dtype=numpy.uint64)
        holders: dict[int, tuple[int, ...]] = {}
        for run_keys, documents in self._runs:
            begin = run_keys.searchsorted(needles)
            matches = numpy.flatnonzero(run_keys[numpy.minimum(begin, len(run_keys) - 1)] == needles)
            if not len(matches):
                continue
            ends = run_keys.searchsorted(needles[matches], side="right").tolist()
            for index, first, end in zip(matches.tolist(), begin[matches].tolist(), ends, strict=True):
                holders[keys[index]] = (*holders.get(keys[index], ()), *documents[first:end].tolist())
        return holders


def _keys(data: bytes) -> list[int]:
    """Return a number for each band of a signature."""
    halves = struct.unpack(f"<{2 * BANDS}Q", data[len(_FORM) : len(_FORM) + _OLD_SIZE]) if data else ()
    return [
        (left * _FACTOR + right + band) & _64_BITS  # equal rows of two bands are no match
        for band, (left, right) in enumerate(zip(halves[::2], halves[1::2], strict=True))
    ]


def _sample(data: bytes) -> Sequence[int]:
    body = data[len(_FORM) + _OLD_SIZE :]
    return struct.unpack(f"<{len(body) // 4}I", body)


# --- stretches of words ----------------------------------------------------------------------------------------------


_FACTOR = 0x9E3779B97F4A7C15  # odd, so that it has an inverse modulo 2**64
_64_BITS = (1 << 64) - 1


@lru_cache(maxsize=2)
def _powers(size: int) -> tuple[Hashes, Hashes]:
    """Return the first powers of the factor and of its inverse, modulo 2**64."""
    import numpy

    powers = []
    for factor in (_FACTOR, pow(_FACTOR, -1, 1 << 64)):
        steps = numpy.full(size, factor, dtype=numpy.uint64)
        steps[0] = 1
        powers.append(numpy.cumprod(steps, dtype=numpy.uint64))
    return powers[0], powers[1]


@lru_cache(maxsize=4)  # a document that is added is signed, and then compared
def _document(text: str) -> tuple[Hashes, int]:
    """Hash each stretch of eight words of a document, in order of the hash, each once; and count its words.

    A stretch is hashed as the polynomial of its bytes, which is a difference of two sums from the beginning of the text
    (Karp and Rabin 1987), and then mixed. A text of fewer words is one stretch. The same on every machine.
    """
    import numpy

    words = " ".join(utils.default_process(text[:LONGEST]).split()).encode("utf-8", "surrogatepass")
    data = numpy.frombuffer(words, dtype=numpy.uint8)
    if not len(data):
        return numpy.zeros(0, dtype=numpy.uint64), 0
    powers, inverse = _powers(1 << (len(data) + 1).bit_length())
    sums = numpy.zeros(len(data) + 1, dtype=numpy.uint64)
    numpy.cumsum(data * powers[: len(data)], out=sums[1:])
    gaps = numpy.flatnonzero(data == ord(" "))
    starts = numpy.zeros(len(gaps) + 1, dtype=gaps.dtype)
    numpy.add(gaps, 1, out=starts[1:])
    ends = numpy.full(len(gaps) + 1, len(data), dtype=gaps.dtype)
    ends[:-1] = gaps
    wide = min(SHINGLE, len(starts))
    first, last = starts[: len(starts) - wide + 1], ends[wide - 1 :]
    hashes = (sums[last] - sums[first]) * inverse[first]
    hashes = _mix(hashes)
    hashes.sort()
    new = numpy.ones(len(hashes), dtype=bool)
    numpy.not_equal(hashes[1:], hashes[:-1], out=new[1:])
    return hashes[new], len(starts)


def _mix(hashes: Hashes) -> Hashes:
    """Make every bit of a number depend on all of them, as SplitMix64 does."""
    import numpy

    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        hashes = (hashes ^ (hashes >> numpy.uint64(shift))) * numpy.uint64(factor)
    return hashes ^ (hashes >> numpy.uint64(31))


def _count_common(left: Hashes, right: Hashes) -> int:
    import numpy

    return len(numpy.intersect1d(left, right, assume_unique=True))


def _are_near(left: str, right: str, cache: dict[str, Hashes], text_of: Callable[[str], str]) -> bool:
    for document in (left, right):
        if document not in cache:
            cache[document] = _document(text_of(document))[0]
    fewest = min(len(cache[left]), len(cache[right]))
    return fewest > 0 and _count_common(cache[left], cache[right]) >= NEAR_DOCUMENT * fewest
