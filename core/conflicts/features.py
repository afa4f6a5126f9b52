"""Features of a pair of statements: signs that they are about one thing, and that they contradict each other. Pure.

The scorer (core.conflicts.scorer) weighs them; packaging/conflict_scorer.py fits the weights.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

from core.conflicts import gates
from core.conflicts.differences import Difference as Contradiction
from core.conflicts.differences import Kind
from core.conflicts.statements import Statement, topical, words_of
from core.domain import Span
from core.language import comparison, lexicon
from core.language.comparison import Difference

_COPY = 0.9  # likeness from which two statements are copies
_FEWEST_WORDS = 3  # topical words of a statement that says something by itself
_FIRST_PERSON = frozenset(("i", "me", "my", "mine", "we", "us", "our"))
_ABSOLUTE = lexicon.words_of("en", "absolute")
_PLANNING = lexicon.words_of("en", "planning")
_RESERVING = lexicon.words_of("en", "reservation")
_ROUNDING = frozenset(("about", "around", "roughly", "approximately", "some", "nearly", "almost"))
_UPDATING = lexicon.words_of("en", "update")


class Weights(Protocol):
    """Weights of words: the rarer in the case, the more."""

    def weight(self, word: str) -> float:
        """Weigh a word."""
        ...

    @property
    def highest(self) -> float:
        """The weight of a word that two statements have."""
        ...


def features(left: Statement, right: Statement, rarity: Weights) -> dict[str, float]:
    """Return the features of a pair of statements by name; features that are not listed are 0."""
    values = _by_topic(left, right, rarity)
    differences = comparison.compare(left.line, right.line)
    values |= _by_difference(differences, values["likeness"], rarity)
    values |= {f"{kind} agrees": 1.0 for kind in comparison.agreements(left.line, right.line)}
    values |= _by_words(left, right)
    if left.day and right.day:
        values["days apart"] = min(1.0, abs(gates.days(left.day) - gates.days(right.day)) / 365)
    return values


def of_judge(forward: float, backward: float) -> dict[str, float]:
    """Return the features of a judge's probabilities of a contradiction in both directions."""
    return {"judge": max(forward, backward), "judge both ways": min(forward, backward)}


def as_difference(left: Statement, right: Statement, likeness: float) -> Contradiction:
    """Return the difference that a pair of statements is shown with: a certain one of fact, else a denial."""
    kinds: dict[comparison.Kind, Kind] = {"time": "time", "date": "date", "number": "quantity"}
    whole = Span(0, 0)
    for difference in comparison.compare(left.text, right.text):
        if difference.certain and difference.kind in kinds:
            spans = Span(*difference.left), Span(*difference.right)
            values = left.text[slice(*difference.left)].casefold(), right.text[slice(*difference.right)].casefold()
            return Contradiction(kinds[difference.kind], left, right, *spans, values, likeness, False)
    return Contradiction("denial", left, right, whole, whole, ("no", "yes"), likeness, False)


def is_candidate(left: Statement, right: Statement, values: Mapping[str, float]) -> bool:
    """Return whether a pair is worth judging: no copies, questions or short remarks."""
    if any(statement.line.endswith("?") or len(statement.words) < _FEWEST_WORDS for statement in (left, right)):
        return False
    return values["likeness"] < _COPY


def _by_topic(left: Statement, right: Statement, rarity: Weights) -> dict[str, float]:
    shared_words = left.words & right.words
    square = math.fsum(rarity.weight(word) ** 2 for word in shared_words)
    lengths = [math.fsum(rarity.weight(word) ** 2 for word in statement.words) or 1.0 for statement in (left, right)]
    shared_weight = math.fsum(map(rarity.weight, shared_words))
    coverages = [shared_weight / (math.fsum(map(rarity.weight, statement.words)) or 1.0) for statement in (left, right)]
    return {
        "likeness": square / math.sqrt(lengths[0] * lengths[1]),
        "coverage of both": min(coverages),
        "names in common": min(2, len(left.names & right.names)) / 2,
        "other names": float(bool(left.names and right.names and not left.names & right.names)),
    }


def _by_difference(differences: Sequence[Difference], likeness: float, rarity: Weights) -> dict[str, float]:
    values: dict[str, float] = {}
    for difference in differences:
        values[difference.kind] = 1.0
        if difference.certain:
            values[f"{difference.kind}, certain"] = 1.0
            values[f"{difference.kind}, certain, alike"] = likeness
        if difference.common:
            weight = math.fsum(rarity.weight(word) for word in topical(difference.common)) / rarity.highest
            name = f"{difference.kind}, weight"
            values[name] = max(values.get(name, 0.0), min(2.0, weight))
        if difference.kind == "denial":
            values["denial, share"] = max(values.get("denial, share", 0.0), difference.share)
            values["denial, share, alike"] = values["denial, share"] * likeness
    return values


def _by_words(left: Statement, right: Statement) -> dict[str, float]:
    sides = [{word.casefold().replace("’", "'") for word in words_of(row.text)} for row in (left, right)]
    values: dict[str, float] = {}
    groups = {
        "first person": _FIRST_PERSON, "absolute": _ABSOLUTE, "planning": _PLANNING, "reservation": _RESERVING,
        "rounding": _ROUNDING, "update": _UPDATING,
    }  # fmt: skip
    for name, group in groups.items():
        count = sum(bool(group & side) for side in sides)
        values[f"{name} in one"], values[f"{name} in both"] = float(count == 1), float(count == 2)
    return values
