"""One sentence against the text of one document, without a case. Pure but for the models that it is given."""

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
from core.audit.accounting import SourceText, in_words, missing_parts
from core.audit.bearing import Candidate, Signs
from core.audit.finding import ERRORS, Finding, decide
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
_IN_WORDS = 0.9  # the chance of a sentence whose words all stand there


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
        least = _MIDDLE
        if self._reader is not None:
            texts = [part for part in parts if bearing.vocabulary(part)]
            outcomes = [self._read(self._reader, *row, document) for row in zip(texts, rows, strict=True)]
            finding = _worst([one for one, _ in outcomes])
            least = min(chance for _, chance in outcomes)
        if any(difference.is_sure for difference in differences):
            score = min(score, bearing.SUPPORTED / 2)
        if self._reader is not None:
            score = min(1.0, max(0.0, score + _WEIGHT * (least - _MIDDLE)))
        return Outcome(
            finding, round(score, 4), differences, tuple(s.text for top, _, _ in rows for s in top), whole, missing
        )

    def _read(
        self,
        reader: StatementReader,
        part: str,
        row: tuple[list[SourceText], list[Difference], Signs],
        document: _Document,
    ) -> tuple[Finding, float]:
        """Let the reader of statements decide on a sentence, but for what a rule is sure of and the reader is not.

        With how probable it finds it that a stretch bears it out.
        """
        sources, differences, signs = row
        score = bearing.score(signs, bearing.IN_A_CASE)
        is_accounted = not missing_parts(part, sources)
        finding, _ = decide(differences, score, signs.coverage, None, limits=LIMITS, is_accounted=is_accounted)
        readings: list[Reading] = []
        if finding != "supported":  # what stands there in all its parts needs no reader
            with suppress(AppError):  # one that cannot be asked leaves the words to decide
                readings = self._readings(reader, part, document)
        if not readings:
            return finding, _IN_WORDS if finding == "supported" else _MIDDLE
        proposal, reading = weigh(readings)
        chance = max(one.bearing.supported for one in readings)
        if any(one.is_sure for one in differences):
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
        for _, at in bearing.order(part, candidates, rarity):
            if len(spans) == _READ:
                break
            if not any(first <= at <= last for first, last in spans):
                spans.append(_around(at, document.sentences))
        rows = [(span, one) for span in spans if (one := _reading(reader, part, document, [span])) is not None]
        near = sorted(rows, key=lambda row: row[1].bearing.absent)[:2]
        readings = [one for _, one in rows]
        if len(near) > 1:
            both = _reading(reader, part, document, sorted(span for span, _ in near))
            readings += [both] if both is not None else []
        return readings

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


def _reading(
    reader: StatementReader, part: str, document: _Document, spans: Sequence[tuple[int, int]]
) -> Reading | None:
    """Read a sentence against stretches of a document; None where both are too long to be read at once."""
    text = " ".join(" ".join(document.sentences[first : last + 1]) for first, last in spans)
    try:
        outcome = reader.bearing(text, part)
    except BadInput:
        return None
    parts = missing_parts(part, [SourceText(text, text)])
    lacks = tuple(in_words(one) for one in parts if one.kind in EXACT)
    return Reading(Stretch((), text), outcome, lacks, coverage(part, text))


def _worst(findings: Sequence[Finding]) -> Finding:
    """Return the finding on a text by those on its sentences: wrong where one is, supported where all are."""
    wrong = [one for one in findings if one in ERRORS] or [one for one in findings if one == "not_found"]
    if wrong:
        return wrong[0]
    return "supported" if set(findings) == {"supported"} else "undecided"


def _around(at: int, texts: Sequence[str]) -> tuple[int, int]:
    """Return the first and last of the sentences around one that are read at once."""
    first = last = at
    size = len(texts[at])
    while first > 0 or last < len(texts) - 1:
        is_earlier = last == len(texts) - 1 or (first > 0 and at - first <= last - at)
        other = first - 1 if is_earlier else last + 1
        size += len(texts[other]) + 1
        if size > _AT_ONCE:
            break
        first, last = min(first, other), max(last, other)
    return first, last


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
    parts = tuple(text[span.start : span.end] for span in sentences(text))
    each = [frozenset(beginnings(part)) for part in parts]
    windows = tuple(one | other for one, other in pairwise([*each, frozenset()]))
    return _Document(tuple(candidates), tuple(passages), stock(text), frozenset(beginnings(text)), parts, windows)
