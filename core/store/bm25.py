"""BM25 over the words of passages in memory: the ranking of a whole sentence in a fraction of the time FTS5 takes.

FTS5 is the index that lasts, and reads phrases, nearness and prefixes. Scoring every row that holds any of twenty
words is what it does slowly, so the rows of a word are read out of it once, when the word is first asked for.
The formula is that of BM25Okapi of rank-bm25 0.2.2 (Robertson and Zaragoza, 2009, with a floor under the weight of
words that are in more than half of the passages).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.store.vector_matrix import Column, scope_mask

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

# As in rank-bm25. Measured on the development sets (tests/eval/retrieval.py): no other pair is better on all of them.
K1 = 1.5
B = 0.75
# What a word counts for that is in what surrounds a passage (its context) and not in the passage itself.
CONTEXT = 0.2
FLOOR = 0.25  # of the mean weight of all words: what a word weighs that is in more than half of the passages

# Up to so many passages a chosen scope is ranked by its own statistics: in a few documents on one subject, the words of
# the subject say nothing, however rare they are in the rest of the case.
OWN_STATISTICS = 2_000

# In languages of many endings a word counts with those that look like it, each by how
# much: twice the runs of three letters that both have, over those of either. Chosen on one half of the questions on an
# encyclopedia in Russian and in Arabic (tests/eval/retrieval.py): nDCG@10 of words alone is .86 and .85, so .95 and
# .92; the same with 0.4 to 0.6 to a hundredth.
ALIKE = 0.5
_MOST_ALIKE = 50

_MARK = "\0"  # is in no word of the index
_FORMS = _MARK  # before a word: the rows of all that look like it

_LEAST = 1e-3
_KEPT = 120_000_000  # bytes of rows of words that are kept; those not asked for longest go first


@dataclass(slots=True)
class _Rows:
    """The places of the passages of a word, its count in each, and what that is worth (None: not computed)."""

    places: NDArray[numpy.int32]
    counts: NDArray[numpy.float32]
    worth: NDArray[numpy.float32] | None = None

    @property
    def bytes(self) -> int:
        return 12 * len(self.places)


@dataclass(slots=True)
class Postings:
    """The passages of each word, in memory, as far as it was asked for.

    ``read`` gives the passages of a word, ascending, one item each time it is there, ``frequencies`` in how many
    passages each word stands.
    """

    read: Callable[[str], NDArray[numpy.int64]]
    frequencies: Callable[[], dict[str, int]]
    _chunks: Column = field(default_factory=lambda: Column("int64"))
    _documents: Column = field(default_factory=lambda: Column("int32"))
    _lengths: Column = field(default_factory=lambda: Column("float32"))
    _words: dict[str, _Rows] = field(default_factory=dict)
    _size: int = 0
    _damping: NDArray[numpy.float32] | None = None  # of the length of each passage
    _spread: dict[str, int] | None = None  # what ``frequencies`` gave, kept up to date
    _runs: _Runs | None = None  # of three letters, of all words
    _mean_weight: float | None = None
    # Contexts: passages under one heading share one, so what it is worth is computed once for all of them. 0 is none.
    _context_of: Column = field(default_factory=lambda: Column("int32"))
    _contexts: dict[tuple[str, ...], int] = field(default_factory=lambda: {(): 0})
    _context_lengths: list[int] = field(default_factory=lambda: [0])
    _context_words: dict[str, dict[int, int]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._chunks.values)

    @property
    def last(self) -> int:
        """Return the highest chunk that is known."""
        return int(self._chunks.values[-1]) if len(self) else 0

    def add(
        self,
        rows: Sequence[tuple[int, int, int]],
        words: Mapping[str, Mapping[int, int]] | None = None,
        forms: Mapping[str, Mapping[int, int]] | None = None,
    ) -> None:
        """Take in (chunk, document, length in words), ascending and all after ``last``.

        ``words`` are the words of these passages, {word: {chunk: count}}, ``forms`` other forms of them, each in
        passages where it is no word; None: not known, so nothing read stays valid.
        """
        import numpy

        if not rows:
            return
        chunks = [row[0] for row in rows]
        if chunks[0] <= self.last or any(a >= b for a, b in itertools.pairwise(chunks)):
            raise ValueError("passages come in order")
        first = len(self)
        self._chunks.add(chunks)
        self._documents.add([row[1] for row in rows])
        self._lengths.add([row[2] for row in rows])
        self._context_of.add([0] * len(rows))
        self._damping = self._mean_weight = None
        if words is None or forms is None:
            self._forget()
            return
        if self._spread is not None:
            for word, holding in words.items():
                self._spread[word] = self._spread.get(word, 0) + len(holding)
        place = {chunk: first + index for index, chunk in enumerate(chunks)}
        self._runs = None
        for word in [word for word in self._words if _MARK in word]:
            self._size -= self._words.pop(word).bytes
        for word, rows_of_word in self._words.items():
            rows_of_word.worth = None
            if new := {**words.get(word, {}), **forms.get(word, {})}:
                self._size += 12 * len(new)
                new_places = numpy.array([place[chunk] for chunk in new], dtype=numpy.int32)
                rows_of_word.places = numpy.concatenate([rows_of_word.places, new_places])
                rows_of_word.counts = numpy.concatenate(
                    [rows_of_word.counts, numpy.array(list(new.values()), dtype=numpy.float32)]
                )

    def surround(
        self, documents: Mapping[int, tuple[str, ...]], passages: Mapping[int, tuple[str, ...]] | None = None
    ) -> None:
        """Set the words around passages: {document: words of its context}, and {chunk: words} where that is more."""
        import numpy

        if documents:
            numbers = numpy.full(max(documents) + 1, -1, dtype=numpy.int32)
            for document, words in documents.items():
                numbers[document] = self._context(words)
            values = self._documents.values
            contexts = numpy.where(values < len(numbers), numbers[numpy.minimum(values, len(numbers) - 1)], -1)
            numpy.copyto(self._context_of.values, contexts, where=contexts >= 0)
        if passages:
            chunks = numpy.fromiter(passages, dtype=numpy.int64, count=len(passages))
            places = numpy.searchsorted(self._chunks.values, chunks)
            self._context_of.values[places] = [self._context(words) for words in passages.values()]

    def _context(self, words: tuple[str, ...]) -> int:
        """Return the number of a context, which gets one if need be."""
        number = self._contexts.setdefault(words, len(self._contexts))
        if number == len(self._context_lengths):
            self._context_lengths.append(len(words))
            for word in words:
                counts = self._context_words.setdefault(word, {})
                counts[number] = counts.get(number, 0) + 1
        return number

    def _forget(self) -> None:
        self._words.clear()
        self._size = 0
        self._spread = self._runs = None

    def rank(
        self,
        words: Sequence[tuple[str, ...]],
        k: int,
        *,
        document_mask: NDArray[numpy.bool_] | None = None,
        among: NDArray[numpy.int64] | None = None,
        counts: Callable[[NDArray[numpy.int64]], Collection[int]],
        forms: bool = False,
    ) -> list[tuple[int, float]]:
        """Rank the ``k`` best passages that hold any of ``words``, as (chunk, score): best first, ties by chunk.

        Words are as the index cuts them, each with other forms of it that count as the same word; one that comes twice
        counts twice. ``document_mask`` says of every document
        number whether it is searched, ``among`` names the chunks that are. ``counts`` gives for some chunks how many of
        them have each of their words. With ``forms`` a word counts with those that look like it, as one word.
        """
        import numpy

        if k <= 0 or not len(self):
            return []
        mask = None
        if document_mask is not None or among is not None:
            mask = scope_mask(self._documents.values, document_mask)
            if among is not None:
                mask &= numpy.isin(self._chunks.values, among)
        scope_size = len(self) if mask is None else int(mask.sum())
        keys = [_FORMS * forms + _MARK.join(word) for word in words]
        if mask is not None and scope_size <= OWN_STATISTICS:
            scores, hits = self._by_own_statistics(keys, mask, scope_size, counts)
            self._add_contexts([word[0] for word in words], mask, scope_size, scores, hits)
        else:
            scores, hits = self._by_all(keys)
            self._add_contexts([word[0] for word in words], None, len(self), scores, hits)
        if mask is not None:
            hits &= mask
        places = numpy.flatnonzero(hits)
        values = scores[places]
        if k < len(places):
            least = values[numpy.argpartition(values, len(values) - k)[len(values) - k :]].min()
            is_best = values >= least
            places, values = places[is_best], values[is_best]
        chunks = self._chunks.values[places]
        order = numpy.lexsort((chunks, -values))[:k]
        return list(zip(chunks[order].tolist(), values[order].tolist(), strict=True))

    def _by_all(self, words: Sequence[str]) -> tuple[NDArray[numpy.float32], NDArray[numpy.bool_]]:
        import numpy

        total = len(self)
        scores = numpy.zeros(total, dtype=numpy.float32)
        hits = numpy.zeros(total, dtype=bool)
        for word in words:
            rows = self._rows(word)
            if not len(rows.places):
                continue
            if rows.worth is None:
                rows.worth = _worth(rows.counts, self._length_damping()[rows.places])
            weight = _weight(total, len(rows.places), self._all_weights)
            scores[rows.places] += numpy.float32(weight) * rows.worth
            hits[rows.places] = True
        return scores, hits

    def _by_own_statistics(
        self,
        words: Sequence[str],
        mask: NDArray[numpy.bool_],
        scope_size: int,
        lookup: Callable[[NDArray[numpy.int64]], Collection[int]],
    ) -> tuple[NDArray[numpy.float32], NDArray[numpy.bool_]]:
        import numpy

        scores = numpy.zeros(len(self), dtype=numpy.float32)
        hits = numpy.zeros(len(self), dtype=bool)
        if not scope_size:
            return scores, hits
        lengths = self._lengths.values
        mean = max(1.0, float(lengths[mask].mean(dtype=numpy.float64)))
        mean_weights: list[float] = []

        def mean_weight() -> float:
            if not mean_weights:
                mean_weights.append(_mean_weight(scope_size, lookup(self._chunks.values[mask])))
            return mean_weights[0]

        for word in words:
            rows = self._rows(word)
            inside = mask[rows.places]
            places = rows.places[inside]
            if not len(places):
                continue
            worth = _worth(rows.counts[inside], _damping(lengths[places], mean))
            scores[places] += numpy.float32(_weight(scope_size, len(places), mean_weight)) * worth
            hits[places] = True
        return scores, hits

    def _add_contexts(
        self,
        words: Sequence[str],
        mask: NDArray[numpy.bool_] | None,
        scope_size: int,
        scores: NDArray[numpy.float32],
        hits: NDArray[numpy.bool_],
    ) -> None:
        """Add the scores of the contexts by the same formula, each as often as it surrounds a passage."""
        import numpy

        word_counts = [counts for word in words if (counts := self._context_words.get(word))]
        if not word_counts or not scope_size:
            return
        context_of = self._context_of.values
        number = len(self._context_lengths)
        sizes = numpy.bincount(context_of if mask is None else context_of[mask], minlength=number)
        lengths = numpy.array(self._context_lengths, dtype=numpy.float32)
        damping = _damping(lengths, max(1.0, float((sizes * lengths).sum()) / scope_size))
        worth = numpy.zeros(number, dtype=numpy.float32)
        for counts in word_counts:
            contexts = numpy.fromiter(counts, dtype=numpy.int64, count=len(counts))
            often = numpy.fromiter(counts.values(), dtype=numpy.float32, count=len(counts))
            holding = int(sizes[contexts].sum())
            if holding:
                weight = _weight(scope_size, holding, lambda: 0.0)
                worth[contexts] += numpy.float32(CONTEXT * weight) * _worth(often, damping[contexts])
        context_worth = worth[context_of]
        scores += context_worth
        hits |= context_worth > 0

    def _all_weights(self) -> float:
        if self._mean_weight is None:
            if self._spread is None:
                self._spread = self.frequencies()
            self._mean_weight = _mean_weight(len(self), self._spread.values())
        return self._mean_weight

    def _length_damping(self) -> NDArray[numpy.float32]:
        import numpy

        if self._damping is None:
            lengths = self._lengths.values
            self._damping = _damping(lengths, max(1.0, float(lengths.mean(dtype=numpy.float64))))
        return self._damping

    def _rows(self, word: str) -> _Rows:
        import numpy

        postings = self._words.pop(word, None)
        if postings is not None:
            self._words[word] = postings  # to the end: asked for last
            return postings
        if _MARK in word:
            first, *forms = word.removeprefix(_FORMS).split(_MARK)
            alike = self.alike(first) if word.startswith(_FORMS) else [(first, 1.0)]
            postings = self._rows_of_forms(alike, forms)
        else:
            chunks, counts = numpy.unique(self.read(word), return_counts=True)
            places = numpy.searchsorted(self._chunks.values, chunks)
            if len(places) and (places[-1] >= len(self) or not numpy.array_equal(self._chunks.values[places], chunks)):
                raise LookupError("the word index has a passage that is not there")
            postings = _Rows(places.astype(numpy.int32), counts.astype(numpy.float32))
        self._words[word] = postings
        self._size += postings.bytes
        while self._size > _KEPT and len(self._words) > 1:
            longest_ago = next(iter(self._words))
            self._size -= self._words.pop(longest_ago).bytes
        return postings

    def _rows_of_forms(self, alike: Sequence[tuple[str, float]], forms: Sequence[str]) -> _Rows:
        """Count how often a word, one that looks like it, or another form of it is in each passage.

        Those that look like it count times their likeness. Each other form counts the same words again.
        """
        import numpy

        often = numpy.zeros(len(self), dtype=numpy.float32)
        for word, likeness in alike:
            rows = self._rows(word)
            often[rows.places] += numpy.float32(likeness) * rows.counts
        for form in forms:
            rows = self._rows(form)
            often[rows.places] = numpy.maximum(often[rows.places], rows.counts)
        places = numpy.flatnonzero(often)
        return _Rows(places.astype(numpy.int32), often[places])

    def alike(self, word: str) -> list[tuple[str, float]]:
        """List the words of the index that look like one, itself first, with how much (0..1); at most fifty."""
        if self._runs is None:
            if self._spread is None:
                self._spread = self.frequencies()
            self._runs = _Runs(sorted(self._spread))
        return self._runs.alike(word)


class _Runs:
    """The runs of three letters of words, with a mark before and after each."""

    def __init__(self, words: Sequence[str]) -> None:
        import numpy

        self._words = words
        runs = _runs_in(_MARK + _MARK.join(words) + _MARK)
        # A run belongs to the word in which its second letter is; one with the mark in the middle to none.
        letters = _letters(_MARK.join(words))
        marks = letters == ord(_MARK)
        of = numpy.cumsum(marks, dtype=numpy.int32)[~marks]
        order = numpy.argsort(runs[~marks], kind="stable")
        runs, of = runs[~marks][order], of[order]
        first = numpy.ones(len(runs), dtype=bool)  # a run that a word has twice counts once
        first[1:] = (runs[1:] != runs[:-1]) | (of[1:] != of[:-1])
        self._codes, self._of = runs[first], of[first]
        self._sizes = numpy.bincount(self._of, minlength=len(words))

    def alike(self, word: str) -> list[tuple[str, float]]:
        import numpy

        query_runs = numpy.unique(_runs_in(_MARK + word + _MARK))
        begin, end = (numpy.searchsorted(self._codes, query_runs, side) for side in ("left", "right"))
        word_ids = [self._of[a:b] for a, b in zip(begin.tolist(), end.tolist(), strict=True)]
        places, both = numpy.unique(numpy.concatenate(word_ids), return_counts=True)
        likeness = 2.0 * both / (len(query_runs) + self._sizes[places])
        near = likeness >= ALIKE
        pairs = [
            (self._words[index], value) for index, value in zip(places[near], likeness[near].tolist(), strict=True)
        ]
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:_MOST_ALIKE]


def _letters(text: str) -> NDArray[numpy.uint64]:
    import numpy

    return numpy.frombuffer(text.encode("utf-32-le", "replace"), dtype="<u4").astype(numpy.uint64)


def _runs_in(text: str) -> NDArray[numpy.uint64]:
    """Return every three letters that follow each other, as one number."""
    letters = _letters(text)
    runs: NDArray[Any] = letters[:-2] << 42 | letters[1:-1] << 21 | letters[2:]
    return runs


def _damping(lengths: NDArray[numpy.float32], mean: float) -> NDArray[numpy.float32]:
    damping: NDArray[Any] = K1 * (1.0 - B + B * lengths / mean)
    return damping.astype("float32")


def _worth(counts: NDArray[numpy.float32], damping: NDArray[numpy.float32]) -> NDArray[numpy.float32]:
    worth: NDArray[numpy.float32] = counts * (K1 + 1.0) / (counts + damping)
    return worth


def _weight(passages: int, holding: int, mean: Callable[[], float]) -> float:
    """Weigh a word that is in ``holding`` of ``passages``."""
    weight = math.log(passages - holding + 0.5) - math.log(holding + 0.5)
    # In a handful of passages every word may weigh nothing: those that hold more of them still come first.
    return max(weight if weight >= 0 else FLOOR * mean(), _LEAST)


def _mean_weight(passages: int, holding: Collection[int]) -> float:
    """Return the mean weight of all words, each standing in so many passages."""
    import numpy

    if not holding:
        return 0.0
    counts = numpy.fromiter(holding, dtype=numpy.float64, count=len(holding))
    return float((numpy.log(numpy.maximum(passages - counts, 0) + 0.5) - numpy.log(counts + 0.5)).mean())
