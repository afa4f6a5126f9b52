"""A sentence against the text of one document, without a case. Pure except for its models."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from core.answers.sentences import Rarity, beginnings
from core.audit import bearing
from core.audit.accounting import SourceText, in_words, is_turned, least_missing, missing_parts
from core.audit.bearing import Candidate, Signs
from core.audit.finding import ERRORS, Finding, decide
from core.audit.foreign import foreign_language, is_verbatim
from core.audit.readings import EXACT, WRONG, Reading, Stretch, weigh
from core.audit.rules import Difference, Stock, content, coverage, stock
from core.documents import chunking
from core.domain import PageText
from core.errors import AppError, BadInput
from core.ports import Embedder, StatementReader
from core.text import sentences

LIMITS = {"supported": bearing.SUPPORTED, "not found": bearing.NOT_FOUND}
_READ = 3  # stretches of a document that the reader of statements reads for a sentence, and the nearest two together
_AT_ONCE = 500  # characters of such a stretch
# What the least chance that the reader gives a sentence adds to the score of the words. On 120 summaries of SummEdits
# it brings the balanced accuracy from .655 to .705, on 690 sentences that the heads were not trained on from .556 to
# .661.
_WEIGHT, _MIDDLE = 0.5, 0.4
_IN_WORDS = 0.9  # the probability of a sentence whose words are all in the document


@dataclass(frozen=True, slots=True)
class Outcome:
    """The finding on a text against a document, with its score and differences."""

    finding: Finding
    score: float
    differences: tuple[Difference, ...]
    sources: tuple[str, ...] = ()
    signs: Signs | None = None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Document:
    candidates: tuple[tuple[int, str, str], ...]  # the passage of each sentence, its text, with its neighbours
    passages: tuple[str, ...]
    words: Stock
    beginnings: frozenset[str]
    sentences: tuple[str, ...]
    windows: tuple[frozenset[str], ...]  # of every two sentences that follow each other


class PairChecks:
    """Checks of texts against documents; ``frequency`` counts the passages of all documents that hold a word."""

    def __init__(
        self, embedder: Embedder | None, documents: Iterable[str], reader: StatementReader | None = None
    ) -> None:
        self._embedder = embedder
        self._reader = reader
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

    def check(self, text: str, document_text: str) -> Outcome:
        """Check a text, sentence by sentence, against the text of a document."""
        document = _document(document_text)
        claims = [text[span.start : span.end] for span in sentences(text)]
        rows = [self._check(part, document_text, document) for part in claims if bearing.vocabulary(part)]
        missing = tuple(
            in_words(part)
            for sentence, (sources, _, _) in zip(filter(bearing.vocabulary, claims), rows, strict=True)
            for part in least_missing(sentence, sources)
        )
        if not rows:
            return Outcome("not_a_claim", 0.0, ())
        differences = tuple(difference for _, row_differences, _ in rows for difference in row_differences)
        all_signs = tuple(signs for _, _, signs in rows)
        total = self._of_document(combine(all_signs), text, document)
        score = bearing.score(total, bearing.ONE_DOCUMENT)
        finding, _ = decide(
            differences, score, min(s.coverage for s in all_signs), None, limits=LIMITS, is_accounted=not missing
        )
        least = _MIDDLE
        if self._reader is not None:
            texts = [part for part in claims if bearing.vocabulary(part)]
            outcomes = [self._read(self._reader, *row, document) for row in zip(texts, rows, strict=True)]
            finding = _worst([result for result, _ in outcomes])
            least = min(chance for _, chance in outcomes)
        if finding != "not_found" and foreign_language((text, ""), (document_text, "")):
            texts_of_sources = [[source.text for source in sources] for sources, _, _ in rows]
            if finding != "supported" or not all(
                map(is_verbatim, filter(bearing.vocabulary, claims), texts_of_sources)
            ):
                return Outcome("not_judged", round(score, 4), ())
        if any(difference.is_sure for difference in differences):
            score = min(score, bearing.SUPPORTED / 2)
        if self._reader is not None:
            score = min(1.0, max(0.0, score + _WEIGHT * (least - _MIDDLE)))
        return Outcome(
            finding, round(score, 4), differences, tuple(s.text for top, _, _ in rows for s in top), total, missing
        )

    def _read(
        self,
        reader: StatementReader,
        part: str,
        row: tuple[list[SourceText], list[Difference], Signs],
        document: _Document,
    ) -> tuple[Finding, float]:
        """Let the statement reader decide on a sentence, except where a rule is certain and the reader is not.

        Also returns the probability that a stretch supports it.
        """
        sources, differences, signs = row
        score = bearing.score(signs, bearing.IN_A_CASE)
        is_accounted = not least_missing(part, sources)
        finding, _ = decide(differences, score, signs.coverage, None, limits=LIMITS, is_accounted=is_accounted)
        readings: list[Reading] = []
        if finding != "supported":  # a sentence whose parts are all there needs no reader
            with suppress(AppError):  # without a reader's answer the words decide
                readings = self._readings(reader, part, document)
        if not readings:
            return finding, _IN_WORDS if finding == "supported" else _MIDDLE
        proposal, reading = weigh(readings)
        chance = max(item.bearing.supported for item in readings)
        if any(item.is_sure for item in differences):
            if reading.bearing.supported < WRONG:
                return finding, chance
            return ("undecided" if proposal == "supported" else proposal), chance
        return proposal, chance

    def _readings(self, reader: StatementReader, part: str, document: _Document) -> list[Reading]:
        """Read a sentence against the stretches of a document that hold most of its words, and two of them together."""
        words = bearing.vocabulary(part)
        rarity = Rarity(self._passages, {word: self._frequency[word[:5]] for word in words})
        candidates = [Candidate(text, text) for text in document.sentences]
        spans: list[tuple[int, int]] = []
        for _, index in bearing.order(part, candidates, rarity):
            if len(spans) == _READ:
                break
            if not any(first <= index <= last for first, last in spans):
                spans.append(_around(index, document.sentences))
        rows = [(span, reading) for span in spans if (reading := _reading(reader, part, document, [span])) is not None]
        nearest = sorted(rows, key=lambda row: row[1].bearing.absent)[:2]
        readings = [reading for _, reading in rows]
        if len(nearest) > 1:
            joint = _reading(reader, part, document, sorted(span for span, _ in nearest))
            readings += [joint] if joint is not None else []
        return readings

    def _of_document(self, signs: Signs, text: str, document: _Document) -> Signs:
        """Add the signs that need a whole document."""
        words = [beginnings(word)[0] for word, _, _ in content(text)]
        absent = {word for word in words if word not in document.beginnings}
        pairs = [(a, b) for a, b in pairwise(words) if a != b and {a, b} <= document.beginnings]
        count = sum(any(a in window and b in window for window in document.windows) for a, b in pairs)
        return replace(
            signs,
            rare=sum(1 / (1 + self._documents[word]) for word in absent),
            joined=count / len(pairs) if pairs else 1.0,
        )

    def _check(
        self, part: str, document_text: str, document: _Document
    ) -> tuple[list[SourceText], list[Difference], Signs]:
        words = bearing.vocabulary(part)
        rarity = Rarity(self._passages, {word: self._frequency[word[:5]] for word in words})
        cosines = self._cosines(part, document_text, document)
        candidates = [Candidate(text, context, cosines[passage]) for passage, text, context in document.candidates]
        order = bearing.order(part, candidates, rarity)
        sources = [candidates[passage] for _, passage in order[: bearing.SHOWN]]
        differences = bearing.compare(part, sources, document.words)
        signs = bearing.signs(part, sources, document.words, differences)
        return [SourceText(candidate.text, candidate.context) for candidate in sources], differences, signs

    def _cosines(self, part: str, document_text: str, document: _Document) -> list[float | None]:
        if self._embedder is None or not document.passages:
            return [None] * len(document.passages)
        if document_text not in self._vectors:
            self._vectors[document_text] = [_numbers(vector) for vector in self._embedder.embed(document.passages)]
        claim_vector = _numbers(self._embedder.embed_queries([part])[0])
        return [sum(a * b for a, b in zip(claim_vector, row, strict=True)) for row in self._vectors[document_text]]


def _reading(
    reader: StatementReader, part: str, document: _Document, spans: Sequence[tuple[int, int]]
) -> Reading | None:
    """Read a sentence against stretches of a document; return None if both are too long for one call."""
    text = " ".join(" ".join(document.sentences[first : last + 1]) for first, last in spans)
    try:
        outcome = reader.bearing(text, part)
    except BadInput:
        return None
    parts = missing_parts(part, [SourceText(text, text)])
    lacks = tuple(in_words(lack) for lack in parts if lack.kind in EXACT)
    own_texts = [sentence for first, last in spans for sentence in document.sentences[first : last + 1]]
    return Reading(Stretch((), text), outcome, lacks, coverage(part, text), is_turned(part, own_texts))


def _worst(findings: Sequence[Finding]) -> Finding:
    """Return the finding on a text from those on its sentences: wrong if one is, supported if all are."""
    for kinds in (ERRORS, {"not_found"}):
        if wrong := [finding for finding in findings if finding in kinds]:
            return wrong[0]
    return "supported" if set(findings) == {"supported"} else "undecided"


def _around(middle: int, texts: Sequence[str]) -> tuple[int, int]:
    """Return the first and last of the sentences around a sentence that are read at once."""
    first = last = middle
    size = len(texts[middle])
    while first > 0 or last < len(texts) - 1:
        is_earlier = last == len(texts) - 1 or (first > 0 and middle - first <= last - middle)
        neighbour = first - 1 if is_earlier else last + 1
        size += len(texts[neighbour]) + 1
        if size > _AT_ONCE:
            break
        first, last = min(first, neighbour), max(last, neighbour)
    return first, last


def combine(signs: tuple[Signs, ...]) -> Signs:
    """Combine the signs of the sentences of a text: the mean of each, and the sum of differences."""
    mean = {name: sum(getattr(row, name) for row in signs) / len(signs) for name in bearing.SIGNS}
    for name in ("figures", "names"):
        mean[name] = min(2.0, sum(getattr(row, name) for row in signs))
    mean["denials"] = max(row.denials for row in signs)
    return Signs(**mean)


def _numbers(vector: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(vector) // 4}f", vector)


@lru_cache(maxsize=64)
def _document(text: str) -> _Document:
    passages = [text[span.start : span.end] for span in chunking.split(PageText(1, text))]
    candidates = []
    for index, passage in enumerate(passages):
        spans = sentences(passage)
        for number, span in enumerate(spans):
            first, last = spans[max(0, number - 1)], spans[min(len(spans) - 1, number + 1)]
            candidates.append((index, passage[span.start : span.end], passage[first.start : last.end]))
    parts = tuple(text[span.start : span.end] for span in sentences(text))
    stems = [frozenset(beginnings(part)) for part in parts]
    windows = tuple(left | right for left, right in pairwise([*stems, frozenset()]))
    return _Document(tuple(candidates), tuple(passages), stock(text), frozenset(beginnings(text)), parts, windows)
