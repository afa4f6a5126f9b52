"""Which words of a scan a person should look at first: by how likely they are wrong, and by what would follow."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from core.ports import OcrWord

UNSURE = 0.8  # below this an engine doubts a word itself

_NEGATION = re.compile(
    r"no|not|never|none|nor|neither|nobody|nothing|nowhere|without|cannot|den(y|ies|ied)|refused|.*n['’]t|"
    r"nicht|keine?[nmrs]?|nie|niemals|niemand|nichts|ne|pas|jamais|aucune?|nunca|jamás|ning[uú]n[ao]?",
    re.I,
)
_DATE = re.compile(
    r"january|february|march|april|june|july|august|september|october|november|december|"
    r"(mon|tues|wednes|thurs|fri|satur|sun)day",
    re.I,
)
_ENDS = ".!?:;"
# How much more an error in such a word weighs than in another: it changes what a sentence says.
_CONSEQUENCE = {"number": 2.0, "negation": 2.0, "date": 1.6, "name": 1.4}
_CITED = 4.0
_UNKNOWN = 0.2  # the chance of an error in a word that stands nowhere else, where nothing else speaks for one
_SHORT = 4  # letters; shorter words are known by chance


@dataclass(frozen=True, slots=True)
class Doubt:
    """A word to look at: its place among the words of the page, how urgent it is, and why.

    ``why`` has 'engines differ', 'unsure', 'number', 'date', 'name', 'negation', 'cited', 'unknown word',
    those that hold.
    """

    word: int
    weight: float
    why: tuple[str, ...]


def queue(
    words: Iterable[OcrWord], *, cited: Collection[int] = (), known: Callable[[str], bool] | None = None
) -> list[Doubt]:
    """Every word of a page, the most urgent first. ``cited`` are the places of words that a quote of the case holds.
    ``known`` says of a word in small letters whether it stands elsewhere in the case too: both engines can agree on a
    word that does not exist.

    The weight is the chance that the word is wrong, as its confidence tells (half of the engine's own where two
    engines differ), times what an error would change. Weights of several pages can be put in one order.
    """
    doubts = []
    began = True
    for number, word in enumerate(words):
        why = tuple(_why(word, began, number in cited))
        consequence = max((_CONSEQUENCE.get(reason, 1.0) for reason in why), default=1.0)
        chance = 1.0 - word.confidence
        bare = _bare(word.text).casefold()
        if known is not None and bare.isalpha() and len(bare) >= _SHORT and not known(bare):
            chance = max(chance, _UNKNOWN)
            why = (*why, "unknown word")
        weight = chance * consequence * (_CITED if number in cited else 1.0)
        doubts.append(Doubt(number, weight, why))
        began = word.text.rstrip("\"'”’)")[-1:] in _ENDS
    return sorted(doubts, key=lambda doubt: (-doubt.weight, doubt.word))


def _why(word: OcrWord, began: bool, cited: bool) -> Iterable[str]:
    if word.other:
        yield "engines differ"
    elif word.confidence < UNSURE:
        yield "unsure"
    # What the other engine read counts as well: "not" is no less a negation when it was read as "hot".
    for text in (word.text, word.other):
        bare = _bare(text)
        if not bare:
            continue
        if re.search(r"\d", bare):
            yield "number"
        elif _NEGATION.fullmatch(bare):
            yield "negation"
        elif _DATE.fullmatch(bare):
            yield "date"
        elif bare[0].isupper() and len(bare) > 1 and not began:
            yield "name"
    if cited:
        yield "cited"


def _bare(text: str) -> str:
    return re.sub(r"^\W+|\W+$", "", text)
