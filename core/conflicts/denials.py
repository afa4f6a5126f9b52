"""Denials of the preceding sentence: 'Ruben Aske denies this.' Pure. A statement that repeats the claim opposes it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from core.conflicts.pairs import BUCKET, MOST_FREQUENT, RAREST, Rarity
from core.conflicts.statements import Statement, names_in, topical, words_of
from core.language.denial import is_denial
from core.text import FULL_WORD

LIKELY = 5  # statements that a denial is compared with
RESTATES = 0.4  # share of the claim's weight that a statement must have
_ADMITTED = 0.25  # the same for a question whose answer admits it
_LEAST = 0.12  # likeness
_SHARED_WORDS = 4
_COPY = 80  # of 100: likeness of a sentence to another reading of the one that is denied
_DENIES = re.compile(
    r"\b(?:den(?:y|ies|ied)|disput(?:e|es|ed)|contradict(?:s|ed)?|refut(?:e|es|ed))\s"
    r"(?:(?:this|that|it)(?=\s*(?:[.,;:!?\"”]|$|and\b|but\b))|having\sdone\sso|any\ssuch\sthing"
    r"|(?:the|these|those|all)\s(?:claim|charge|allegation|accusation|report)s?\b)"
    r"|\b(?:this|that|it)\sis\s(?:not\strue|untrue|false|a\slie)\b",
    re.IGNORECASE,
)
_ATTRIBUTION = re.compile(
    r"^.*?\b(?:said|says|written|wrote|told|claim(?:s|ed)|allege[sd]|report(?:s|ed))\b[^,.;]{0,30}?\bthat\s"
)
_ADMITS = re.compile(
    r"\b(?:yes|I said it|I did|I admit|that is (?:true|right|correct)|it is true|guilty)\b", re.IGNORECASE
)
_ASKS = re.compile(r"\?\W*$|\b(?:whether|asked)\b", re.IGNORECASE)
_SPEAKER = re.compile(r"^\s*[A-Z]{1,3}:\s")


@dataclass(frozen=True, slots=True)
class Denial:
    """A sentence that denies the previous one; ``claim`` is the previous one without its attribution."""

    statement: Statement
    claim: str


def denials_in(statements: Sequence[Statement]) -> list[Denial]:
    """List the statements that deny their previous sentence."""
    return [
        Denial(statement, " ".join(_ATTRIBUTION.sub("", statement.previous, count=1).split()))
        for statement in statements
        if len(statement.text) < 160 and _DENIES.search(statement.text) and len(words_of(statement.previous)) > 5
    ]


def denying_words(text: str) -> str:
    """Return the words by which a text denies something; '' where it has none."""
    match = _DENIES.search(text)
    if match is not None:
        return match.group()
    words = (found.group() for found in FULL_WORD.finditer(text))
    return next((word for word in words if is_denial(word.casefold().replace("’", "'"))), "")


def against(
    denials: Sequence[Denial], statements: Sequence[Statement], rarity: Rarity
) -> Iterator[tuple[Denial, Statement, float]]:
    """Yield for each denial the statements most similar to its claim that do not deny it as well."""
    topics = {word for denial in denials for word in topical(words_of(denial.statement.previous))}
    index: dict[str, list[Statement]] = defaultdict(list)
    for statement in statements:
        for word in statement.words & topics:
            if rarity.frequency(word) <= MOST_FREQUENT:
                index[word].append(statement)
    for denial in denials:
        claim = replace(
            denial.statement, words=topical(words_of(denial.statement.previous)), names=names_in(denial.claim)
        )
        rare = sorted(claim.words, key=lambda word: (rarity.frequency(word), word))[: 2 * RAREST]
        counts = Counter(candidate.number for word in rare for candidate in index[word][: BUCKET * 2])
        by_number = {candidate.number: candidate for word in rare for candidate in index[word][: BUCKET * 2]}
        rows = []
        for number in counts:
            candidate = by_number[number]
            is_source = candidate.number == denial.statement.number or _is_copy(
                candidate.text, denial.statement.previous
            )
            shared_words = claim.words & candidate.words
            if is_source or candidate.is_negated or len(shared_words) < _SHARED_WORDS or _ASKS.search(candidate.text):
                continue
            likeness = rarity.likeness(claim, candidate)
            share = sum(map(rarity.weight, shared_words)) / sum(map(rarity.weight, claim.words))
            if likeness >= _LEAST and share >= (_ADMITTED if _SPEAKER.match(candidate.text) else RESTATES):
                rows.append((-likeness, number))
        for likeness, number in sorted(rows)[:LIKELY]:
            yield denial, by_number[number], -likeness


def _is_copy(text: str, original: str) -> bool:
    return fuzz.ratio(text.casefold(), original.casefold()) >= _COPY


def with_answer(statement: Statement, page: str) -> Statement | None:
    """Extend a transcript's question by an answer that admits it; return None for another answer.

    A statement that is no question of a transcript is returned unchanged.
    """
    if not _SPEAKER.match(statement.text):
        return statement
    remainder = page[statement.end : statement.end + 400]
    answer = re.match(r"\s*[A-Z]{1,3}:[^\n]*", remainder)
    if answer is None:
        return None
    sentence_ends = [match.end() for match in re.finditer(r"[.!?](?=\s|$)", answer.group())]
    for end in sentence_ends[:3]:
        if _ADMITS.search(answer.group()[:end]):
            next_ends = [position for position in sentence_ends if position > end][:1]
            stop = next_ends[0] if next_ends and _ADMITS.search(answer.group()[end : next_ends[0]]) else end
            return replace(statement, end=statement.end + stop, text=page[statement.start : statement.end + stop])
    return None
