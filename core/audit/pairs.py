"""One sentence against the text of one document, without a case. Pure but for the search model that it is given."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from core.answers.sentences import Rarity, beginnings
from core.audit import bearing
from core.audit.accounting import SourceText, in_words, missing_parts
from core.audit.bearing import Candidate, Signs
from core.audit.finding import Finding, decide
from core.audit.rules import Difference, Stock, content, stock
from core.documents import chunking
from core.domain import PageText
from core.ports import Embedder
from core.text import sentences

LIMITS = {"supported": bearing.SUPPORTED, "not found": bearing.NOT_FOUND}
_CLOSE = 30  # sentences whose tokens are compared


@dataclass(frozen=True, slots=True)
class Outcome:
    """The finding on one text against one document, with its score and what differs."""

    finding: Finding
    score: float
    differences: tuple[Difference, ...]
    sources: tuple[str, ...] = ()
    whole: Signs | None = None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Document:
    candidates: tuple[tuple[int, str, str], ...]  # the passage of each sentence, its text, with its neighbours
    passages: tuple[str, ...]
    words: Stock
    beginnings: frozenset[str]
    windows: tuple[frozenset[str], ...]  # of every two sentences that follow each other


class PairChecks:
    """Checks of texts against documents; ``frequency`` counts the passages of all documents that hold a word."""

    def __init__(self, embedder: Embedder | None, documents: Iterable[str]) -> None:
        self._embedder = embedder
        self._frequency: Counter[str] = Counter()
        self._documents: Counter[str] = Counter()
        self._passages = 0
        self._vectors: dict[str, list[tuple[float, ...]]] = {}
        for text in dict.fromkeys(documents):
            document = _document(text)
            self._passages += len(document.passages)
            self._documents.update(document.beginnings)
            for passage in document.passages:
                self._frequency.update(set(beginnings(passage)))

    def check(self, text: str, against: str) -> Outcome:
        """Check a text, sentence by sentence, against the text of a document."""
        document = _document(against)
        parts = [text[span.start : span.end] for span in sentences(text)]
        rows = [self._check(part, against, document) for part in parts if bearing.vocabulary(part)]
        missing = tuple(
            in_words(part)
            for text_part, (sources, _, _) in zip(filter(bearing.vocabulary, parts), rows, strict=True)
            for part in missing_parts(text_part, sources)
        )
        if not rows:
            return Outcome("not_a_claim", 0.0, ())
        differences = tuple(difference for _, found_differences, _ in rows for difference in found_differences)
        all_signs = tuple(signs for _, _, signs in rows)
        whole = self._of_document(combine(all_signs), text, document)
        score = bearing.score(whole, bearing.ONE_DOCUMENT)
        finding, _ = decide(
            differences, score, min(s.coverage for s in all_signs), None, limits=LIMITS, is_accounted=not missing
        )
        if any(difference.is_sure for difference in differences):
            score = min(score, bearing.SUPPORTED / 2)
        return Outcome(
            finding, round(score, 4), differences, tuple(s.text for top, _, _ in rows for s in top), whole, missing
        )

    def _of_document(self, signs: Signs, text: str, document: _Document) -> Signs:
        """Add what only a whole document tells."""
        words = [beginnings(word)[0] for word, _, _ in content(text)]
        absent = {word for word in words if word not in document.beginnings}
        pairs = [(one, other) for one, other in pairwise(words) if one != other and {one, other} <= document.beginnings]
        joined = sum(any(one in near and other in near for near in document.windows) for one, other in pairs)
        return replace(
            signs,
            rare=sum(1 / (1 + self._documents[word]) for word in absent),
            joined=joined / len(pairs) if pairs else 1.0,
        )

    def _check(self, part: str, against: str, document: _Document) -> tuple[list[SourceText], list[Difference], Signs]:
        words = bearing.vocabulary(part)
        rarity = Rarity(self._passages, {word: self._frequency[word[:5]] for word in words})
        cosines = self._cosines(part, against, document)
        candidates = [Candidate(text, around, cosines[at]) for at, text, around in document.candidates]
        order = bearing.order(part, candidates, rarity)
        sources = [candidates[at] for _, at in order[: bearing.SHOWN]]
        differences = bearing.compare(part, sources, document.words)
        signs = bearing.signs(part, sources, document.words, differences)
        return [SourceText(one.text, one.around) for one in sources], differences, signs

    def _cosines(self, part: str, against: str, document: _Document) -> list[float | None]:
        if self._embedder is None or not document.passages:
            return [None] * len(document.passages)
        if against not in self._vectors:
            self._vectors[against] = [_numbers(vector) for vector in self._embedder.embed(document.passages)]
        own = _numbers(self._embedder.embed_queries([part])[0])
        return [sum(a * b for a, b in zip(own, other, strict=True)) for other in self._vectors[against]]


def combine(signs: tuple[Signs, ...]) -> Signs:
    """Bring the signs of the sentences of one text together: the mean of each, and the sum of what differs."""
    mean = {name: sum(getattr(one, name) for one in signs) / len(signs) for name in bearing.SIGNS}
    for name in ("figures", "names"):
        mean[name] = min(2.0, sum(getattr(one, name) for one in signs))
    mean["denials"] = max(one.denials for one in signs)
    return Signs(**mean)


def _numbers(vector: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(vector) // 4}f", vector)


@lru_cache(maxsize=64)
def _document(text: str) -> _Document:
    passages = [text[span.start : span.end] for span in chunking.split(PageText(1, text))]
    candidates = []
    for at, passage in enumerate(passages):
        spans = sentences(passage)
        for number, span in enumerate(spans):
            first, last = spans[max(0, number - 1)], spans[min(len(spans) - 1, number + 1)]
            candidates.append((at, passage[span.start : span.end], passage[first.start : last.end]))
    each = [frozenset(beginnings(text[span.start : span.end])) for span in sentences(text)]
    windows = tuple(one | other for one, other in pairwise([*each, frozenset()]))
    return _Document(tuple(candidates), tuple(passages), stock(text), frozenset(beginnings(text)), windows)
