"""What speaks for two statements being about one thing and against their both being true, as numbers. Pure.

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
_WHOLE = lexicon.words_of("en", "absolute")
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
        """The weight of a word that stands in two statements."""
        ...


def features(one: Statement, other: Statement, rarity: Weights) -> dict[str, float]:
    """Return what is known of a pair of statements, by name; what is not named is 0."""
    values = _aboutness(one, other, rarity)
    differences = comparison.compare(one.line, other.line)
    values |= _by_difference(differences, values["likeness"], rarity)
    values |= {f"{kind} agrees": 1.0 for kind in comparison.agreements(one.line, other.line)}
    values |= _by_words(one, other)
    if one.day and other.day:
        values["days apart"] = min(1.0, abs(gates.days(one.day) - gates.days(other.day)) / 365)
    return values


def of_judge(there: float, back: float) -> dict[str, float]:
    """Return the features of a judge that read a pair in both directions: how probable it finds a contradiction."""
    return {"judge": max(there, back), "judge both ways": min(there, back)}


def as_difference(one: Statement, other: Statement, likeness: float) -> Contradiction:
    """Return what two statements say differently, as the conflict that they are shown as."""
    kinds: dict[comparison.Kind, Kind] = {"time": "time", "date": "date", "number": "quantity"}
    whole = Span(0, 0)
    for each in comparison.compare(one.text, other.text):
        if each.certain and each.kind in kinds:
            spans = Span(*each.left), Span(*each.right)
            values = one.text[slice(*each.left)].casefold(), other.text[slice(*each.right)].casefold()
            return Contradiction(kinds[each.kind], one, other, *spans, values, likeness, False)
    return Contradiction("denial", one, other, whole, whole, ("no", "yes"), likeness, False)


def is_candidate(one: Statement, other: Statement, values: Mapping[str, float]) -> bool:
    """Return whether a pair is worth reading: alike but no copy, and no question."""
    if any(each.line.endswith("?") or len(each.words) < _FEWEST_WORDS for each in (one, other)):
        return False
    return values["likeness"] < _COPY


def _aboutness(one: Statement, other: Statement, rarity: Weights) -> dict[str, float]:
    common = one.words & other.words
    square = math.fsum(rarity.weight(word) ** 2 for word in common)
    lengths = [math.fsum(rarity.weight(word) ** 2 for word in each.words) or 1.0 for each in (one, other)]
    shared = math.fsum(map(rarity.weight, common))
    coverages = [shared / (math.fsum(map(rarity.weight, each.words)) or 1.0) for each in (one, other)]
    return {
        "likeness": square / math.sqrt(lengths[0] * lengths[1]),
        "coverage of both": min(coverages),
        "names in common": min(2, len(one.names & other.names)) / 2,
        "other names": float(bool(one.names and other.names and not one.names & other.names)),
    }


def _by_difference(differences: Sequence[Difference], likeness: float, rarity: Weights) -> dict[str, float]:
    values: dict[str, float] = {}
    for each in differences:
        values[each.kind] = 1.0
        if each.certain:
            values[f"{each.kind}, certain"] = 1.0
            values[f"{each.kind}, certain, alike"] = likeness
        if each.common:
            weight = math.fsum(rarity.weight(word) for word in topical(each.common)) / rarity.highest
            name = f"{each.kind}, weight"
            values[name] = max(values.get(name, 0.0), min(2.0, weight))
        if each.kind == "denial":
            values["denial, share"] = max(values.get("denial, share", 0.0), each.share)
            values["denial, share, alike"] = values["denial, share"] * likeness
    return values


def _by_words(one: Statement, other: Statement) -> dict[str, float]:
    words = [{word.casefold().replace("’", "'") for word in words_of(each.text)} for each in (one, other)]
    values: dict[str, float] = {}
    groups = {
        "first person": _FIRST_PERSON, "absolute": _WHOLE, "planning": _PLANNING, "reservation": _RESERVING,
        "rounding": _ROUNDING, "update": _UPDATING,
    }  # fmt: skip
    for name, group in groups.items():
        count = sum(bool(group & each) for each in words)
        values[f"{name} in one"], values[f"{name} in both"] = float(count == 1), float(count == 2)
    return values
