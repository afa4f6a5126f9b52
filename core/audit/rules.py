"""Differences of a sentence from its sources: figures, days, names, denials, hedges, reports, shares. Pure.

Each rule names the words it relies on. Words are compared with the nearest source; figures and names are looked up in
the whole text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from core.answers.question import names_in
from core.answers.sentences import beginnings
from core.english import COUNTS
from core.language.figures import Figure, agree, figures, missing, same_slot
from core.language.lexicon import opposites_in, words_of
from core.search.ranking import STOP_WORDS
from core.text import FULL_WORD

What = Literal[
    "number",
    "date",
    "name",
    "negation",
    "opposite",
    "hedge",
    "reported",
    "share",
    "likelihood",
    "confidence",
    "quote",
    "speaker",
    "word",
]
CONTRADICTS: frozenset[What] = frozenset(("negation", "opposite"))
OVERSTATES: frozenset[What] = frozenset(("hedge", "reported", "share", "likelihood"))
DIFFERS: frozenset[What] = frozenset(("number", "date", "name"))

NEAR = 0.6  # share of the other content words that a source must have to be about the same thing
VERY_NEAR = 0.75
_AKIN = 0.4  # below it a figure of the source is that of another thing

_NEGATED = re.compile(r"^(?:not|never|no|nor|neither|none|nobody|nothing|without|cannot)$|n['’]t$", re.IGNORECASE)
_NO_DENIAL = re.compile(
    r"\bnot only\b|\bno (?:later|sooner|fewer|less|more) than\b|\bno\. ?\d|\bno doubt\b|\bwhether or not\b"
    r"|\bnot (?:just|merely|until)\b",
    re.I,
)
_COUNTS = frozenset((*COUNTS, "both"))
_PRONOUN = re.compile(r"\b(?:he|she|they|his|her|their)\b", re.IGNORECASE)
_SCOPE = 4  # words after a negation that it may negate

# Hedges that weaken a statement of fact; the others do so only in otherwise identical statements.
_STRONG_HEDGES = words_of("en", "strong_hedge")
HEDGES = _STRONG_HEDGES | words_of("en", "hedge")
_REPORTS = re.compile(
    r"\b(?P<source>(?:[A-Z][\w'’.-]*\s){0,3}(?:he|she|they|[A-Z][\w'’.-]+|\w+))?\s*\b(?P<verb>claims?|claimed"
    r"|alleges?|alleged|asserts?"
    r"|asserted|insists?|insisted|maintains|maintained|denies|denied|testified|recalled"
    r"|rumou?red)\b(?!\s(?:responsibility|to\b))"
    r"|\baccording to\b|\bin (?:his|her|their) (?:view|opinion|words|account)\b|\b(?:so )?(?:he|she|they) "
    r"(?:said|says)\b"
)
_SAYS = re.compile(
    r"\b(?:say|says|said|told|tells|states?|stated|claims?|claimed|alleges?|alleged|asserts?|asserted|insists?"
    r"|insisted|maintains|maintained"
    r"|testified|recalled|reports?|reported|reportedly|allegedly|writes?|wrote|according to|denies|denied"
    r"|mentions?|mentioned|notes?|noted|argues?|argued"
    r"|explains?|explained|account|statement|rumou?red|thinks?|thought|believes?|believed|suggests?|suggested"
    r"|announced?|asked|asks|quoted|words)\b",
    re.IGNORECASE,
)
# From the least to the most.
_SHARES = (
    ("no", "none", "neither", "nobody", "never", "nothing"),
    ("few", "hardly", "rarely", "seldom", "little"),
    ("some", "several", "sometimes", "occasionally", "partly", "partially", "part", "certain", "one", "a number"),
    ("many", "often", "frequently", "much"),
    ("most", "mostly", "mainly", "usually", "majority", "largely", "generally", "nearly", "almost"),
    (
        "all", "every", "everyone", "everybody", "always", "entire", "entirely", "completely", "whole", "fully",
        "each", "only",
    ),
)  # fmt: skip
_ALL = frozenset(_SHARES[-1]) - {"each", "only", "whole", "fully", "completely", "entire"}
_PARTIAL = {word: level for level, words in enumerate(_SHARES) for word in words if 0 < level < 5} | {}
_NOT_SHARES = re.compile(
    r"\b(?:at all|after all|above all|all right|all over|first of all|in all|for all|not all|no one|one of the "
    r"most|at most|the most|most (?:recent|likely|important)\w*|all the more|all but|almost all|nearly all|all "
    r"(?:day|night)(?: long)?)\b",
    re.I,
)

_OPPOSITE = opposites_in("en", "contrast")


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where a sentence differs from its sources: text[start:end] of the sentence is ``own``.

    ``source`` is the source's counterpart, '' for none; ``is_sure``: it is an error rather than a doubt.
    """

    what: What
    own: str
    source: str
    start: int
    end: int
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class Evidence:
    """A stretch of a source that a sentence is compared with.

    ``text`` is one sentence of it, ``context`` that sentence with its neighbours.
    """

    text: str
    context: str


@dataclass(frozen=True, slots=True)
class Stock:
    """The words (in lower case, with their parts) and figures of whole documents."""

    words: frozenset[str]
    figures: tuple[Figure, ...]
    codes: frozenset[str] = frozenset()  # the digits at the end of words such as 'FGF21'

    def __or__(self, stock: Stock) -> Stock:
        return Stock(self.words | stock.words, self.figures + stock.figures, self.codes | stock.codes)


def stock(text: str) -> Stock:
    """Read the words and figures of a document."""
    words = {word.casefold().removesuffix("'s").removesuffix("’s") for word in FULL_WORD.findall(text)}
    pieces = {piece for word in words for piece in re.split(r"['’]", word)}
    codes = frozenset(match[1] for word in words if (match := re.fullmatch(r"\D+(\d+)", word)))
    return Stock(frozenset(words | pieces), tuple(figures(text)), codes)


def content(text: str) -> list[tuple[str, int, int]]:
    """List the content words of a text with their places: no stop words, no figures."""
    return [
        (match.group(), match.start(), match.end())
        for match in FULL_WORD.finditer(text)
        if match.group().casefold() not in STOP_WORDS and not match.group()[0].isdigit()
    ]


def coverage(sentence: str, source: str) -> float:
    """Return the share of the content words of a sentence that a source has, by their stems."""
    claim_words = set(beginnings(" ".join(word for word, _, _ in content(sentence))))
    return len(claim_words & set(beginnings(source))) / len(claim_words) if claim_words else 0.0


def compare(sentence: str, evidence: Sequence[Evidence], documents: Stock) -> list[Difference]:
    """List the differences of a sentence from its sources, in order of place.

    ``evidence`` is ordered, the best first; ``documents`` are the words and figures of the documents it is from.
    """
    if not evidence:
        return []
    result = [*_figures(sentence, evidence, documents), *_names(sentence, evidence, documents)]
    head = _aligned(sentence, evidence)
    if head is not None:
        share, source = head
        if share >= VERY_NEAR:
            result += _negation(sentence, source)
        result += _opposites(sentence, source)
        if share >= NEAR:
            result += [
                *_hedge(sentence, source, evidence),
                *_reported(sentence, source, share),
                *_shares(sentence, source),
            ]
    return sorted(set(result), key=lambda difference: (difference.start, difference.end, difference.what))


def _aligned(sentence: str, evidence: Sequence[Evidence]) -> tuple[float, Evidence] | None:
    """Return the source that has most of the words of a sentence, with their share; the first of equally good ones."""
    rows = [(coverage(sentence, source.text), source) for source in evidence]
    return max(rows, key=lambda row: row[0], default=None)


# --- figures ---------------------------------------------------------------------------------------------------------


def _figures(sentence: str, evidence: Sequence[Evidence], documents: Stock) -> list[Difference]:
    claim_figures = [figure for figure in figures(sentence) if figure.text.casefold() not in ("two", "three", "half")]
    if not claim_figures:
        return []
    # Only sources about the same thing can confirm or contradict a figure.
    related = [figure for row in evidence if coverage(sentence, row.text) >= _AKIN for figure in figures(row.context)]
    result = []
    absent = missing(claim_figures, documents.figures)
    head = _aligned(sentence, evidence)
    share = head[0] if head else 0.0
    for figure in claim_figures:
        near_values = list(same_slot(figure, figures(head[1].text))) if head else []
        what: What = "date" if figure.kind in ("date", "day", "time") else "number"
        if figure.text.strip() in documents.codes or _is_sum(figure, figures(head[1].context) if head else []):
            continue
        if figure in absent:
            values = [*(near_values if share >= _AKIN else ()), *same_slot(figure, related)]
            replacement = values[0].text if values else ""
            result.append(Difference(what, figure.text, replacement, figure.start, figure.end))
        elif (
            share >= NEAR
            and near_values
            and not any(agree(figure, candidate) for candidate in related)
            and len({candidate.text for candidate in near_values}) == 1
        ):
            result.append(Difference(what, figure.text, near_values[0].text, figure.start, figure.end))
    return result


def _is_sum(figure: Figure, counts: Sequence[Figure]) -> bool:
    """Return whether a number is that of several counted things together: 'four ... and three'."""
    values = [right.low for right in counts if right.kind == figure.kind == "number"][:8]
    return any(left + right == figure.low for at, left in enumerate(values) for right in values[at + 1 :])


# --- names -----------------------------------------------------------------------------------------------------------


def _names(sentence: str, evidence: Sequence[Evidence], documents: Stock) -> list[Difference]:
    """List names that the sources lack: an error if another name is in their place, else a doubt."""
    head = _aligned(sentence, evidence)
    near_words = {word.casefold() for row in evidence for word in FULL_WORD.findall(row.context)}
    result = []
    for name in names_in(sentence):
        start = sentence.find(name)
        words = [word for word in FULL_WORD.findall(name) if word.casefold() not in STOP_WORDS and len(word) > 1]
        words = [word for word in words if not word[0].isdigit()]
        initials = "".join(word[0] for word in words).casefold()
        if start < 0 or not words or (len(words) > 1 and initials in documents.words):
            continue
        if name.casefold() in _COUNTS:
            continue
        unknown = [word for word in words if not _occurs(word.casefold(), documents.words)]
        if unknown and len(unknown) < len(words):
            replacement = "" if head is None else _namesake(sentence, name, unknown, head[1])
            position = start + name.find(unknown[0])
            end = position + len(unknown[0])
            result.append(Difference("name", unknown[0], replacement, position, end, bool(replacement)))
            continue
        replacement = "" if head is None else _other_name(sentence, name, head[1])
        if unknown or (replacement and not any(_occurs(word.casefold(), near_words) for word in words)):
            result.append(Difference("name", name, replacement, start, start + len(name), bool(replacement)))
    return result


def _namesake(sentence: str, name: str, alien: Sequence[str], source: Evidence) -> str:
    """Return the name of a source that shares one of its two words with another name; '' for none."""
    name_parts = [_normalised(word) for word in name.split()]
    if len(name_parts) != 2 or coverage(sentence.replace(name, " "), source.text) < VERY_NEAR:
        return ""
    common_parts = set(name_parts) - {_normalised(word) for word in alien}
    for candidate in names_in(source.text):
        words = [_normalised(word) for word in candidate.split()]
        if len(words) != len(name_parts):
            continue
        differing = [(part, word) for part, word in zip(name_parts, words, strict=True) if part != word]
        if len(differing) == 1 and differing[0][0] not in common_parts:
            part, word = differing[0]
            return "" if part[:2] == word[:2] else candidate  # 'Mike' and 'Michael'
    return ""


def _normalised(word: str) -> str:
    """Lower-case a word and strip accents and possessive 's."""
    letters = unicodedata.normalize("NFKD", word.casefold().removesuffix("'s").removesuffix("’s"))
    return "".join(c for c in letters if c.isalnum())


def _other_name(sentence: str, name: str, source: Evidence) -> str:
    """Return the one name that a source has in place of another in the same statement; '' for none.

    A source with 'he' or 'she' may mean anybody.
    """
    if coverage(sentence.replace(name, " "), source.text) < VERY_NEAR or _PRONOUN.search(source.text):
        return ""
    claim_words = {word.casefold() for word in FULL_WORD.findall(sentence)}
    names = [name for name in names_in(source.text) if len(name) > 1]
    candidates = [name for name in names if not claim_words & {word.casefold() for word in FULL_WORD.findall(name)}]
    return candidates[0] if len(candidates) == 1 and not (len(candidates[0]) > 4 and candidates[0].isupper()) else ""


def _occurs(word: str, vocabulary: Collection[str]) -> bool:
    word = word.removesuffix("'s").removesuffix("’s")
    if word in vocabulary or word.removesuffix("s") in vocabulary or f"{word}s" in vocabulary:
        return True
    if "-" in word and all(part in vocabulary for part in word.split("-")):
        return True
    # 'German' and 'Germany', 'Congress' and 'Congressional'
    return len(word) > 5 and any(
        min(len(candidate), len(word)) > 5 and (candidate.startswith(word) or word.startswith(candidate))
        for candidate in vocabulary
    )


# --- denials ---------------------------------------------------------------------------------------------------------


def _polarity(text: str) -> tuple[set[str], set[str], dict[str, tuple[int, int, str]]]:
    """Return the stems of the words that a text denies and asserts, and the spans of the denials."""
    text = _NO_DENIAL.sub(lambda match: " " * len(match.group()), text)
    tokens = list(FULL_WORD.finditer(text))
    reach = -1
    spans: dict[str, tuple[int, int, str]] = {}
    denials: set[str] = set()
    assertions: set[str] = set()
    marker: re.Match[str] | None = None
    for index, token in enumerate(tokens):
        word = token.group()
        gap = text[tokens[index - 1].end() : token.start()] if index else ""
        if word.lower() == "but" or re.search(r"[,;:.()]|\bbut\b", gap):
            reach = -1
        if _NEGATED.search(word):
            reach, marker = index + _SCOPE, token
            continue
        if word.casefold() in STOP_WORDS:
            reach += index <= reach  # stop words do not use up its reach
            continue
        (head,) = beginnings(word)[:1] or ("",)
        if index <= reach and marker is not None:
            denials.add(head)
            spans.setdefault(head, (marker.start(), token.end(), marker.group()))
        else:
            assertions.add(head)
    return denials, assertions, spans


def _negation(sentence: str, source: Evidence) -> list[Difference]:
    denials, assertions, spans = _polarity(sentence)
    source_denials, source_assertions, source_spans = _polarity(source.text)
    for word in sorted(denials, key=spans.__getitem__):
        if word in source_assertions and word not in source_denials and not _has_other_denial(source.text):
            start, end, _ = spans[word]
            return [Difference("negation", sentence[start:end], "", start, end)]
    if not denials and not _has_other_denial(sentence):
        for word in sorted(source_denials, key=source_spans.__getitem__):
            if word in assertions and word not in source_assertions:
                start, end, _ = source_spans[word]
                place = next((m for m in FULL_WORD.finditer(sentence) if beginnings(m.group())[:1] == [word]), None)
                if place is not None:
                    return [Difference("negation", place.group(), source.text[start:end], place.start(), place.end())]
    return []


_OTHER_DENIAL = re.compile(
    r"\b(?:not|no|never|none|nor|neither|without|fail\w*|den(?:y|ies|ied)|refus\w+|lack\w*|absen\w+|unable"
    r"|hardly|barely|non(?=-\w)|reject\w*|prevent\w*|avoid\w*|stop\w*|\w+n['’]t)\b",
    re.IGNORECASE,
)


def _has_other_denial(text: str) -> bool:
    return _OTHER_DENIAL.search(_NO_DENIAL.sub("", text)) is not None


def _opposites(sentence: str, source: Evidence) -> list[Difference]:
    claim_words = {word.casefold(): (start, end) for word, start, end in _words(sentence)}
    source_words = {word.casefold() for word, _, _ in _words(source.text)}
    context_words = {word.casefold() for word, _, _ in _words(source.context)}
    if _has_other_denial(sentence) != _has_other_denial(source.text):
        return []  # 'not open' is 'closed'
    (denials, *_), (source_denials, *_) = _polarity(sentence), _polarity(source.text)
    result = []
    for word, (start, end) in claim_words.items():
        opposites = sorted(_OPPOSITE.get(word, frozenset()) & source_words)
        stems = {beginnings(opposite)[0] for opposite in opposites}
        is_turned = (beginnings(word)[0] in denials) != bool(stems & source_denials)
        if opposites and not is_turned and word not in context_words and not _OPPOSITE[word] & claim_words.keys():
            remainder = sentence[:start] + sentence[end:]
            neighbours = _neighbours(sentence, word)
            has_same_neighbours = any(neighbours & _neighbours(source.text, opposite) for opposite in opposites)
            if has_same_neighbours and coverage(remainder, source.text) >= VERY_NEAR:
                result.append(Difference("opposite", sentence[start:end], opposites[0], start, end))
    return result


def _neighbours(text: str, word: str) -> set[str]:
    """Return the content words next to a word, by their beginnings."""
    words = [token.casefold() for token in FULL_WORD.findall(text)]
    words = [token for token in words if token not in STOP_WORDS or token == word]
    places = [index + offset for index, token in enumerate(words) if token == word for offset in (-2, -1, 1, 2)]
    neighbours = {words[index] for index in places if 0 <= index < len(words)}
    return {beginnings(token)[0] for token in neighbours if beginnings(token)}


def _words(text: str) -> list[tuple[str, int, int]]:
    return [(match.group(), match.start(), match.end()) for match in FULL_WORD.finditer(text)]


# --- overstatements --------------------------------------------------------------------------------------------------


def _hedge(sentence: str, source: Evidence, evidence: Sequence[Evidence]) -> list[Difference]:
    claim_words = {word.casefold() for word in FULL_WORD.findall(sentence)}
    if claim_words & HEDGES or _SAYS.search(sentence):
        return []
    match = next(
        (m for m in FULL_WORD.finditer(source.text) if m.group().casefold() in _STRONG_HEDGES and m.group() != "May"),
        None,
    )
    if match is None or coverage(sentence, source.text) < VERY_NEAR:
        return []
    if any(
        coverage(sentence, row.text) >= NEAR and not {w.casefold() for w in FULL_WORD.findall(row.text)} & HEDGES
        for row in evidence
        if row != source
    ):
        return []
    hedged = _weakened(source.text, match.end())
    place = next((m for m in FULL_WORD.finditer(sentence) if hedged and beginnings(m.group())[:1] == [hedged]), None)
    if place is None:
        return []
    return [Difference("hedge", place.group(), match.group(), place.start(), place.end())]


def _weakened(text: str, start: int) -> str:
    """Return the stem of the first content word after a hedge."""
    for word, _, _ in content(text[start : start + 80]):
        if word.casefold() not in HEDGES:
            return beginnings(word)[0]
    return ""


def _reported(sentence: str, source: Evidence, share: float) -> list[Difference]:
    match = _REPORTS.search(source.text)
    if match is None or share < VERY_NEAR or _SAYS.search(sentence):
        return []
    if {word.casefold() for word in FULL_WORD.findall(sentence)} & HEDGES:
        return []
    place = FULL_WORD.search(sentence)
    start = place.start() if place else 0
    end = place.end() if place else len(sentence)
    words = " ".join(match.group().split())
    return [Difference("reported", sentence[start:end], words, start, end, False)]


def _shares(sentence: str, source: Evidence) -> list[Difference]:
    masked = _NOT_SHARES.sub(lambda match: "\0" * len(match.group()), sentence)
    source_text = _NOT_SHARES.sub(" ", source.text)
    source_words = {word.casefold() for word in FULL_WORD.findall(source_text)}
    if source_words & set(_SHARES[-1]):
        return []
    for match in FULL_WORD.finditer(masked):
        if match.group().casefold() not in _ALL:
            continue
        noun = _weakened(masked, match.end())
        for candidate in FULL_WORD.finditer(source_text):
            if (
                candidate.group().casefold() in _PARTIAL
                and candidate.group().casefold() != "one"
                and noun
                and noun == _weakened(source_text, candidate.end())
            ):
                return [Difference("share", match.group(), candidate.group(), match.start(), match.end())]
    return []
