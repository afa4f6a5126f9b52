"""Which documents repeat which: versions, near copies, and those that print the same sentences. Pure.

Documents that repeat one another are one family: however many papers print one report, they are one source. Each member
but the first points to the earlier one that it repeats most. Which of two was first is told by their dates where both
have one, or else by the order in which they were added: who copied from whom nobody can read from the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.domain import Document, NearDuplicate
from core.text import counted, digest, sentences

Kind = Literal["version", "copy", "part", "sentences"]

_WORDS = 9  # of a sentence that says whose it is; shorter ones are said by many
_LONG = 18  # words of a sentence of which one is enough to be a repetition, else two are
_MANY, _SHARE = (
    30,
    0.05,
)  # documents, and share of all, in which a sentence says nothing: a footer, a stamp, a disclaimer
# A sentence that so many documents print may be that of their form: it counts between two of them only where what they
# share is this part of the shorter one's sentences, as in a reprint.
_TEMPLATE, _REPRINT = 4, 0.6
_RUNNING = 0.4  # share of words without a capital in a sentence; fewer are a row of labels and values
_NO_DATE = "9999"
_WORD = re.compile(r"[^\W_]+")
_QUOTED = re.compile(r"(?m)^[ \t]*(?:>[ \t]?)+")


@dataclass(frozen=True, slots=True)
class SentencePlace:
    """A sentence of a document that another one may print too: its key, its words, and its place."""

    key: str
    words: int
    page: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Relation:
    """A document that repeats an earlier one, ``of``.

    ``kind``: a newer 'version', a near 'copy', a 'part' (the other has most of the shorter one), or the same
    'sentences'. ``score`` is the share of the wording (0..1) of the first three, ``sentences`` how many long sentences
    both print, ``page``, ``start`` and ``end`` the place of the longest of them in ``document``.
    """

    document: str
    of: str
    kind: Kind
    score: float = 0.0
    sentences: int = 0
    page: int = 1
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Family:
    """Documents that repeat one another, the earliest first, and how each repeats another."""

    documents: tuple[str, ...]
    relations: tuple[Relation, ...]


def places_of(text: str, page: int) -> list[SentencePlace]:
    """List the sentences of a page that are long enough to be known again. Marks of quoted mail do not count."""
    result: list[SentencePlace] = []
    plain = _QUOTED.sub(lambda match: " " * len(match.group()), text)
    for span in sentences(plain):
        words = _WORD.findall(plain[span.start : span.end])
        if len(words) >= _WORDS and _is_running_text(words):
            key = digest(" ".join(words).casefold())[:16]
            result.append(SentencePlace(key, len(words), page, span.start, span.end))
    return result


def _is_running_text(words: Sequence[str]) -> bool:
    """Return whether words are those of a sentence, in capitals throughout or hardly at all: no row of a form."""
    letters = [word for word in words if not word.isdigit()]
    small = sum(not word[0].isupper() for word in letters)
    return small >= _RUNNING * len(letters) or sum(word.isupper() for word in letters) >= 0.9 * len(letters)


def families(
    documents: Sequence[Document],
    dates: Mapping[str, str],
    likenesses: Iterable[NearDuplicate],
    places: Mapping[str, Sequence[SentencePlace]],
) -> list[Family]:
    """Group documents that repeat one another, the largest family first.

    ``dates`` are ISO days by document, of those that have one; ``places`` what ``places_of`` gives for their pages.
    """
    order = _order(documents, dates)
    pairs = _shared_sentences(order, places)
    candidates: dict[str, list[tuple[tuple[int, float, int], Relation]]] = {document: [] for document in order}

    def add(left: str, right: str, kind: Kind, rank: int, score: float = 0.0) -> None:
        if left not in order or right not in order or left == right:
            return
        # A newer version comes after what it replaces, whatever their dates say.
        late, early = (left, right) if kind == "version" or order[left] > order[right] else (right, left)
        both = pairs.get((early, late)) or pairs.get((late, early)) or ()
        place = max(
            (shared for shared in places.get(late, ()) if shared.key in both), key=lambda p: p.words, default=None
        )
        where = (place.page, place.start, place.end) if place is not None else (1, 0, 0)
        relation = Relation(late, early, kind, score, len(both), *where)
        candidates[late].append(((rank, score, len(both)), relation))

    for document in documents:
        if document.superseded_by:
            add(document.superseded_by, document.id, "version", 3)
    for likeness in likenesses:
        kind: Kind = "copy" if likeness.measure == "near" else "part"
        add(likeness.document, likeness.of, kind, 2 if kind == "copy" else 1, likeness.score)
    for left, right in pairs:
        add(right, left, "sentences", 0)
    best = {
        document: max(candidate, key=lambda item: (item[0], -order[item[1].of]))[1]
        for document, candidate in candidates.items()
        if candidate
    }
    return _grouped(order, best)


def _order(documents: Sequence[Document], dates: Mapping[str, str]) -> dict[str, int]:
    """Return the place of each document in time; those without a date follow the others, as they were added."""
    keys = {document.id: (dates.get(document.id) or _NO_DATE, index) for index, document in enumerate(documents)}
    return {document: index for index, document in enumerate(sorted(keys, key=keys.__getitem__))}


def _shared_sentences(
    order: Mapping[str, int], places: Mapping[str, Sequence[SentencePlace]]
) -> dict[tuple[str, str], set[str]]:
    """Return the keys of the sentences that two documents share, where these are enough to be a repetition."""
    holders: dict[str, list[str]] = {}
    long: set[str] = set()
    lengths: dict[str, int] = {}  # of documents, in sentences
    for document in order:
        distinct = {place.key: place for place in places.get(document, ())}
        lengths[document] = len(distinct)
        for place in distinct.values():
            holders.setdefault(place.key, []).append(document)
            if place.words >= _LONG:
                long.add(place.key)
    limit = max(_MANY, _SHARE * len(order))
    shared: dict[tuple[str, str], set[str]] = {}
    for key, group in holders.items():
        if 2 <= len(group) <= limit:
            # Against the first that has it, and not every one against every other.
            shared_by = sorted(group, key=order.__getitem__)
            for later in shared_by[1:]:
                shared.setdefault((shared_by[0], later), set()).add(key)

    def counts(pair: tuple[str, str], keys: set[str]) -> bool:
        if len(keys) < _REPRINT * min(lengths[document] for document in pair):
            keys = {key for key in keys if len(holders[key]) < _TEMPLATE}
        return len(keys) > 1 or bool(keys & long)

    return {pair: keys for pair, keys in shared.items() if counts(pair, keys)}


def _grouped(order: Mapping[str, int], best: Mapping[str, Relation]) -> list[Family]:
    first: dict[str, str] = {}

    def root(document: str) -> str:
        while first.get(document, document) != document:
            document = first[document]
        return document

    for relation in best.values():
        left, right = sorted((root(relation.document), root(relation.of)), key=order.__getitem__)
        first[right] = left
    members: dict[str, list[str]] = {}
    for document in sorted({*best, *(relation.of for relation in best.values())}, key=order.__getitem__):
        members.setdefault(root(document), []).append(document)
    groups = sorted(members.values(), key=lambda group: (-len(group), order[group[0]]))
    return [
        Family(tuple(group), tuple(best[document] for document in group if document in best))
        for group in groups
        if len(group) > 1
    ]


def distinct_sources(documents: int, groups: Sequence[Family]) -> int:
    """Count the sources that are left where each family is one."""
    return documents - sum(len(family.documents) - 1 for family in groups)


def words_of(relation: Relation) -> str:
    """Return how a document repeats another: 'newer version', 'copy, 98% of the wording', '3 sentences'."""
    share = f", {100 * relation.score:.0f}% of the wording" if relation.score else ""
    match relation.kind:
        case "version":
            return f"newer version{share}"
        case "copy":
            return f"copy{share}"
        case "part":
            return f"much in common{share}"
    return counted(relation.sentences, "sentence")
