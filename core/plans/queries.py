"""Searches that test a hypothesis: as much for what would speak against it as for it.

Without a capable model the searches come from templates over what the case knows: the hypothesis, its opposite, the
analyst's own expectations, its rivals, names, and the rarest of its words. Deterministic.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from core.domain import Entity, Hypothesis, PlanQuery
from core.language.lexicon import words_of

# The two sides of a search. Each gets half of the passages that are looked at.
FOR = ("statement", "if true", "names", "keywords", "for")
AGAINST = ("negation", "if false", "against")
EVERYTHING = "every passage"  # the role of a reading of all passages in the record of searches

# The constant of the reciprocal ranks, and what a search counts for when those of a side are brought together. Chosen
# on one half of 240 claims of science with 5,183 abstracts and of 225 questions on aerodynamics (tests/eval/plans.py).
# Of what bears on a claim, and of what answers a question, .917 and .635 are among the first thirty passages of a plan
# (.892 and .634 where keywords count as much as the statement, .917 and .635 for the statement alone), .851 and .466
# among the first ten (.851 and .460 for the statement alone). On the other halves .922 and .629 among thirty, .922 and
# .639 for the statement alone: half of the places go to what speaks against, and that costs nothing or a little.
_RANKS = 5
_WEIGHTS = {"keywords": 0.5, "for": 0.5, "against": 0.5}

_RIVALS = 3  # rivals whose statements are searched as what one would see if a hypothesis were false
_KEYWORDS = 8

_AUXILIARY = re.compile(
    r"\b(is|are|was|were|has|have|had|did|does|do|can|could|will|would|should|may|might|must|shall)\b(?!\s+not\b|n't)",
    re.IGNORECASE,
)
_SMALL = words_of("en", "beginning")
_NEGATION = re.compile(r"\s+not\b|n['’]t\b|\s+never\b", re.IGNORECASE)
_NOBODY = re.compile(r"\b(no one|nobody|none)\b|\bno\b(?=\s+\w)", re.IGNORECASE)
_WITHOUT = {"no one": "somebody", "nobody": "somebody", "none": "some", "no": "some"}


@dataclass(frozen=True, slots=True)
class PlannedPassage:
    """A passage that searches of a plan found.

    It has the best rank on each side (None: that side did not find it) and the roles of the searches that did. ``side``
    is the one in whose place it is looked at: 'for' or 'against'.
    """

    chunk: int
    rank_for: int | None
    rank_against: int | None
    roles: tuple[str, ...]
    side: str = ""


def negation(sentence: str) -> str:
    """Return the opposite of a plain sentence, as far as rules can say it: 'not' put in or taken out."""
    text = sentence.strip()
    if _NEGATION.search(text):
        return _NEGATION.sub("", text, count=1).strip()
    if _NOBODY.search(text):
        opposite = _NOBODY.sub(lambda match: _WITHOUT[match.group().lower()], text, count=1)
        return opposite[:1].upper() + opposite[1:]
    auxiliary = _AUXILIARY.search(text)
    if auxiliary:
        return f"{text[: auxiliary.end()]} not{text[auxiliary.end() :]}"
    first, remainder = re.match(r"(\w*)(.*)", text, re.S).groups()  # type: ignore[union-attr]  # it matches anything
    return f"It is not true that {first.lower() if first.lower() in _SMALL else first}{remainder}"


def keywords(words: Sequence[str], frequency: Mapping[str, int]) -> list[str]:
    """Choose from the topical words of a hypothesis those that are in the fewest passages, in their order.

    ``frequency`` has the number of passages a word is in; words that are in none cannot be found.
    """
    candidates = sorted(
        (word for word in words if frequency.get(word, 0) > 0), key=lambda word: (frequency[word], word)
    )
    rarest = set(candidates[:_KEYWORDS])
    return [word for word in words if word in rarest]


def names_in(text: str, entities: Sequence[Entity]) -> list[Entity]:
    """List the confirmed names that are in a text, by name or alias, as whole words."""
    lower_text = text.casefold()
    mentions = []
    for entity in entities:
        names = (entity.name, *entity.aliases)
        if entity.status == "confirmed" and any(
            re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", lower_text) for name in names
        ):
            mentions.append(entity)
    return mentions


def default_queries(
    hypothesis: Hypothesis,
    rivals: Sequence[Hypothesis],
    *,
    if_true: Sequence[str] = (),
    if_false: Sequence[str] = (),
    entities: Sequence[Entity] = (),
    words: Sequence[str] = (),
    frequency: Mapping[str, int] | None = None,
) -> list[PlanQuery]:
    """Write the searches for one hypothesis.

    ``if_true`` and ``if_false`` are the analyst's own words for what one would see if it were true or false, ``words``
    the topical words of the hypothesis. Ids are given when they are kept.
    """
    text = hypothesis.text.strip()
    opposite = negation(text)

    def query(role: str, words: str, origin: str = "template") -> PlanQuery:
        return PlanQuery("", hypothesis.id, role, words, origin)

    queries = [query("statement", text), query("negation", opposite)]
    queries += [query("if true", words, "analyst") for words in if_true]
    queries += [query("if false", words, "analyst") for words in if_false]
    # If it is false, one of the others is true.
    queries += [query("if false", rival.text) for rival in rivals[:_RIVALS] if rival.id != hypothesis.id]
    rare_words = keywords(words, frequency or {})
    for entity in names_in(text, entities):
        names = " ".join(dict.fromkeys((entity.name, *entity.aliases)))
        context = [word for word in rare_words if word not in names.casefold().split()]
        queries.append(query("names", " ".join([names, *context[:4]])))
    if rare_words:
        queries.append(query("keywords", " ".join(rare_words)))
    queries.append(query("for", f"Records and witnesses confirm it: {text}"))
    queries.append(query("against", f"Records and witnesses rule it out: {opposite}"))
    return queries


def effort_gaps(passages: Mapping[str, int]) -> dict[str, str]:
    """Return a sentence for each hypothesis with fewer passages looked at than another: by how many."""
    highest = max(passages.values(), default=0)
    ahead = next((h for h, number in passages.items() if number == highest), "")
    sentences = {}
    for hypothesis, number in passages.items():
        fewer = highest - number
        if fewer:
            what = "passage" if fewer == 1 else "passages"
            sentences[hypothesis] = f"{hypothesis} had {fewer:,} fewer {what} looked at than {ahead}."
    return sentences


def merge(
    hit_lists: Sequence[tuple[str, Sequence[int]]], budget: int, *, without: Collection[int] = ()
) -> list[PlannedPassage]:
    """Choose the passages to look at, at most ``budget``: both sides in turn, the best first; none of ``without``.

    ``hit_lists`` has for each search its role and the chunk ids it found, best first. A side is ordered by the
    reciprocal ranks of its searches summed up (Cormack and others 2009), ties by id; one that is exhausted leaves its
    place to the other.
    """
    roles: dict[int, list[str]] = {}
    best: dict[bool, dict[int, int]] = {True: {}, False: {}}
    scores: dict[bool, dict[int, float]] = {True: {}, False: {}}
    for role, chunks in hit_lists:
        side = role in FOR
        for rank, chunk in enumerate(chunks, start=1):
            if chunk in without:
                continue
            chunk_roles = roles.setdefault(chunk, [])
            if role not in chunk_roles:
                chunk_roles.append(role)
            best[side][chunk] = min(rank, best[side].get(chunk, rank))
            scores[side][chunk] = scores[side].get(chunk, 0.0) + _WEIGHTS.get(role, 1.0) / (_RANKS + rank)
    sides = [sorted(scores[side], key=lambda c, s=side: (-scores[s][c], c)) for side in (True, False)]  # type: ignore[misc]
    order: dict[int, str] = {}
    waiting = [(name, iter(chunks)) for name, chunks in zip(("for", "against"), sides, strict=True)]
    while waiting and len(order) < budget:
        for turn in tuple(waiting):
            # What the other side had first is no turn of this one: else it would look at fewer than half.
            candidate = next((chunk for chunk in turn[1] if chunk not in order), None)
            if candidate is None:
                waiting.remove(turn)
            else:
                order[candidate] = turn[0]
    return [
        PlannedPassage(chunk, best[True].get(chunk), best[False].get(chunk), tuple(roles[chunk]), side_name)
        for chunk, side_name in list(order.items())[:budget]
    ]
