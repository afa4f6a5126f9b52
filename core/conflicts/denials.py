"""Denials of what stands before them: 'Ruben Aske denies this.' Pure.

What is denied is the sentence before; who says it is so says the opposite.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from core.conflicts.pairs import BUCKET, MOST_FREQUENT, RAREST, Rarity
from core.conflicts.statements import Statement, names_in, topical, words_of

LIKELY = 5  # statements that a denial is held against
RESTATES = 0.4  # share of the weight of what is denied that a statement has to say
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
    """A sentence that denies the one before it; ``claim`` is what that one says, without who says it."""

    statement: Statement
    claim: str


def denials_in(statements: Sequence[Statement]) -> list[Denial]:
    """List the statements that deny what stands before them."""
    return [
        Denial(statement, " ".join(_ATTRIBUTION.sub("", statement.before, count=1).split()))
        for statement in statements
        if len(statement.text) < 160 and _DENIES.search(statement.text) and len(words_of(statement.before)) > 5
    ]


def against(
    denials: Sequence[Denial], statements: Sequence[Statement], rarity: Rarity
) -> Iterator[tuple[Denial, Statement, float]]:
    """Yield for each denial the statements most like what it denies, that do not deny it too."""
    topics = {word for denial in denials for word in topical(words_of(denial.statement.before))}
    index: dict[str, list[Statement]] = defaultdict(list)
    for statement in statements:
        for word in statement.words & topics:
            if rarity.frequency(word) <= MOST_FREQUENT:
                index[word].append(statement)
    for denial in denials:
        claim = replace(
            denial.statement, words=topical(words_of(denial.statement.before)), names=names_in(denial.claim)
        )
        rare = sorted(claim.words, key=lambda word: (rarity.frequency(word), word))[: 2 * RAREST]
        counts = Counter(each.number for word in rare for each in index[word][: BUCKET * 2])
        by_number = {each.number: each for word in rare for each in index[word][: BUCKET * 2]}
        rows = []
        for number in counts:
            other = by_number[number]
            is_same = other.number == denial.statement.number or _is_copy(other.text, denial.statement.before)
            common = claim.words & other.words
            if is_same or other.is_negated or len(common) < _SHARED_WORDS or _ASKS.search(other.text):
                continue
            likeness = rarity.likeness(claim, other)
            share = sum(map(rarity.weight, common)) / sum(map(rarity.weight, claim.words))
            if likeness >= _LEAST and share >= (_ADMITTED if _SPEAKER.match(other.text) else RESTATES):
                rows.append((-likeness, number))
        for likeness, number in sorted(rows)[:LIKELY]:
            yield denial, by_number[number], -likeness


def _is_copy(text: str, other: str) -> bool:
    return fuzz.ratio(text.casefold(), other.casefold()) >= _COPY


def with_answer(statement: Statement, page: str) -> Statement | None:
    """Return a question of a transcript together with the answer, where that admits it.

    None where it does not; what is no question of a transcript stays as it is.
    """
    if not _SPEAKER.match(statement.text):
        return statement
    rest = page[statement.end : statement.end + 400]
    answer = re.match(r"\s*[A-Z]{1,3}:[^\n]*", rest)
    if answer is None:
        return None
    sentence_ends = [match.end() for match in re.finditer(r"[.!?](?=\s|$)", answer.group())]
    for end in sentence_ends[:3]:
        if _ADMITS.search(answer.group()[:end]):
            following = [each for each in sentence_ends if each > end][:1]
            stop = following[0] if following and _ADMITS.search(answer.group()[end : following[0]]) else end
            return replace(statement, end=statement.end + stop, text=page[statement.start : statement.end + stop])
    return None
