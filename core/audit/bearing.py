"""The degree to which sources support a sentence: its best sources, their differences, and a score from 0 to 1.

Pure. A sentence is compared with the three sentences that have most of its words, weighted by rarity. The score is a
logistic regression, fitted on summaries that people rated as faithful to their document or not (SummEdits, development
part; tests/eval/audit.py). Findings of a rule do not depend on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import pairwise

from core.answers.sentences import Rarity
from core.audit import rules
from core.audit.rules import Difference, Evidence, Stock
from core.stats import Fit
from core.text import WORD

_OF_FIGURES = 0.1  # weight of the figures that a source has too
SHOWN = 3  # sentences that are shown beside the audited one


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence of a source with its neighbours; ``cosine`` is its passage's, None if it is not meaningful."""

    text: str
    context: str
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class Signs:
    """Signs for and against a sentence being supported by its sources.

    ``absent`` is the share of its content words that the documents lack, ``coverage`` the share that its best
    sources have, ``pairs`` the share of neighbouring content words that one of them has together. ``figures`` and
    ``names`` that differ, up to two of each; ``denials``: 1 if one differs. Of one document alone: ``rare`` counts
    the words that it lacks, weighted by how few other documents have them, ``joined`` is the share of neighbouring
    words that it has near each other.
    """

    absent: float = 0.0
    coverage: float = 0.0
    pairs: float = 0.0
    figures: float = 0.0
    names: float = 0.0
    denials: float = 0.0
    rare: float = 0.0
    joined: float = 1.0


SIGNS = tuple(field.name for field in fields(Signs))


# Of a text against one document, fitted by tests/eval/audit.py --fit: on documents that it was not fitted on .655
# balanced accuracy, .668 on all. Faithful texts are paraphrases there, so words that the document lacks count for
# them; words that are together only in the text count against it.
ONE_DOCUMENT = Fit(
    -1.5064, {"rare": 0.2499, "joined": 1.3564, "figures": -2.7597, "names": -2.8382, "denials": -3.9762}
)
# In a case: the sources must have most of the words.
IN_A_CASE = Fit(-3.5, {"coverage": 5.0, "absent": -1.0, "figures": -2.4, "names": -2.5, "denials": -3.4})
_VERBATIM, _IN_PAIRS = 0.95, 0.9  # shares from which a sentence is verbatim, or nearly, in its sources
SUPPORTED = 0.5  # least score of a supported sentence
NOT_FOUND = 0.34  # share of the content words below which the sources are about something else


def score(signs: Signs, fit: Fit) -> float:
    """Return the probability that a sentence with these signs is supported."""
    if signs.coverage >= _VERBATIM and signs.pairs >= _IN_PAIRS and not (signs.figures or signs.names or signs.denials):
        return round(signs.coverage, 4)
    return round(fit.probability(signs), 4)


def order(sentence: str, candidates: Sequence[Candidate], rarity: Rarity) -> list[tuple[float, int]]:
    """Rank candidates for a sentence, best first, with the share of its words that each holds; ties by position.

    Of those with about as many of its words, one with its figures comes first: of the rows of a log that with its time.
    """
    weights = _weights(sentence, rarity)
    total = sum(weights.values()) or 1.0
    figures = _figures(sentence)
    rows = []
    for index, candidate in enumerate(candidates):
        words, context_words = _first_letters_of_words(candidate.text), _first_letters_of_words(candidate.context)
        share = sum(weight for word, weight in weights.items() if word in words) / total
        wide = sum(weight for word, weight in weights.items() if word in context_words) / total
        share_of_figures = len(figures & _figures(candidate.text)) / len(figures) if figures else 0.0
        score = 0.7 * share + 0.3 * wide + 0.3 * (candidate.cosine or 0.0) + _OF_FIGURES * share_of_figures
        rows.append((round(score, 9), round(share, 6), index))
    rows.sort(key=lambda row: (-row[0], row[2]))
    return [(share, index) for _, share, index in rows]


@lru_cache(maxsize=50_000)  # the same sentences of the case are compared with many claims
def _first_letters_of_words(text: str) -> frozenset[str]:
    return frozenset(_first_letters(word) for word in WORD.findall(text))


@lru_cache(maxsize=50_000)
def _figures(text: str) -> frozenset[str]:
    """Return the words of a text that have a figure in them: '22:45:31', 'SL-4', '1,209.50'."""
    words = (word.strip("().,;:?!\"'“”‘’[]") for word in text.split())
    return frozenset(word for word in words if any(c.isdigit() for c in word))


def _first_letters(word: str) -> str:
    """Cut a word to its first letters, on which the weights of the audit were fitted."""
    return word.casefold()[:5]


def _weights(sentence: str, rarity: Rarity) -> dict[str, float]:
    weights: dict[str, float] = {}
    for word in _words(sentence):
        weights[word[0]] = max(weights.get(word[0], 0.0), rarity.weight(word[1]))
    return weights


def _words(sentence: str) -> list[tuple[str, str]]:
    return [(_first_letters(WORD.findall(word)[0]), word.casefold()) for word, _, _ in rules.content(sentence)]


def vocabulary(sentence: str) -> list[str]:
    """List the words of a sentence whose rarity counts."""
    return list(dict.fromkeys(word for _, word in _words(sentence)))


def signs(sentence: str, sources: Sequence[Candidate], documents: Stock, differences: Sequence[Difference]) -> Signs:
    """Read the signs off a sentence and its best sources."""
    words = _words(sentence)
    names = dict(words)
    beginnings_there = {word[:5] for word in documents.words}
    source_words = {word for source in sources for word in _first_letters_of_words(source.text)}
    contexts = [_first_letters_of_words(source.context) for source in sources]
    absent = [word for word in names if word not in beginnings_there]
    pairs = [(left, right) for (left, _), (right, _) in pairwise(words) if left != right]
    kinds = [difference.what for difference in differences]
    return Signs(
        absent=len(absent) / len(names) if names else 0.0,
        coverage=len(names.keys() & source_words) / len(names) if names else 0.0,
        pairs=sum(any(left in text and right in text for text in contexts) for left, right in pairs) / len(pairs)
        if pairs
        else 1.0,
        figures=float(min(2, kinds.count("number") + kinds.count("date"))),
        names=float(min(2, kinds.count("name"))),
        denials=float("negation" in kinds or "opposite" in kinds),
    )


def compare(sentence: str, sources: Sequence[Candidate], documents: Stock) -> list[Difference]:
    """List the differences of a sentence from its best sources."""
    return rules.compare(sentence, [Evidence(source.text, source.context) for source in sources], documents)
