"""The sentences of passages, ranked by how well each answers a question.

Pure. Words are compared by their stems. A sentence is scored by its passage (BM25 and cosine), by its best match with
each token of the question (MaxSim: Khattab and Zaharia, 2020) and by the shares of the question's words, weighted by
rarity, that it, its previous sentence and its passage have. The weights were fitted on English XQuAD
(tests/eval/ask.py), with one fifth of its articles held out at a time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from core.answers.question import names_in
from core.domain import Span
from core.english import VOWELS
from core.language.lexicon import words_of
from core.text import CELL_BORDER, WORD, row_cells, sentences

SHORTLIST = 60  # sentences whose tokens are compared with the question's
RANKED = 30  # of these are ranked
_LABEL = 5  # words of a label at most
_LINES = 2  # line ends between a label and its value at most
_BEGINNING = 5
_STEM = 4  # letters of the short words that are known without their endings
_NO_STEM = {"ing": (), "ed": ("e",), "s": ("s", "u", "i")}  # letters before which an ending is not removed
_PRONOUN = re.compile(r"(He|She|They|His|Her|Their)\b")
_POSSESSIVES = ("his", "her", "their")
_ASIDE = re.compile(
    r"\b(?:in|at|of|from|for|on|since|until|by|near|to)(?: the)?\s+$"
)  # before a name that is no subject
WORST = 3  # tokens of the question that are met worst


@dataclass(frozen=True, slots=True)
class SearchedPassage:
    """A passage of a search; ``cosine`` is None if it is unknown or not meaningful."""

    text: str
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class Rarity:
    """The rarity of words in a case of ``passages`` passages; ``frequency`` counts those that have a word."""

    passages: int
    frequency: Mapping[str, int]

    def weight(self, word: str) -> float:
        """Weigh a word of the question by its rarity, as BM25 does (Robertson and Sparck Jones, 1976)."""
        frequency = min(self.frequency.get(word, 0), self.passages)
        return math.log(1 + (self.passages - frequency + 0.5) / (frequency + 0.5))


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage: ``passage`` is the index of that passage, ``span`` its place in it.

    ``near`` is the weight of the question's words in it and the previous sentence, ``around`` that in its passage,
    both as shares of all; ``lacks`` the weight of the rarest word missing in the first two, as a share of that of a
    word that no passage has. ``words`` is its own BM25, ``passage_words`` its passage's. ``named`` is its text with the
    name from the question in the place of the pronoun that it begins with; '' without one. ``has_keys``: it is a row of
    a table that the question names by its keys.
    """

    passage: int
    span: Span
    text: str
    near: float
    around: float
    lacks: float
    words: float
    passage_words: float
    cosine: float | None
    named: str = ""
    has_keys: bool = False

    @property
    def place(self) -> tuple[int, int]:
        """The index of its passage and where it begins there."""
        return self.passage, self.span.start

    @property
    def read(self) -> str:
        """Its text as it is compared with the question."""
        return self.named or self.text


@dataclass(frozen=True, slots=True)
class RankedSentence:
    """A sentence with its score and how well the tokens of the question are met in it (empty: not known)."""

    sentence: Sentence
    score: float
    tokens: tuple[float, ...] = ()

    @property
    def met(self) -> float:
        """Mean over the tokens of the question."""
        return sum(self.tokens) / len(self.tokens) if self.tokens else 0.0

    @property
    def met_worst(self) -> float:
        """Mean over the tokens that are met worst."""
        worst = sorted(self.tokens)[:WORST]
        return sum(worst) / len(worst) if worst else 0.0


def beginnings(text: str) -> list[str]:
    """List the words of a text by their beginnings, in order."""
    return [beginning(word) for word in WORD.findall(text)]


def beginning(word: str) -> str:
    """Return the first letters of a word; of a short English one the stem (stop, stopped)."""
    word = word.casefold()
    for ending in ("ing", "ed", "s"):
        stem = word.removesuffix(ending)
        if stem == word or stem.endswith(_NO_STEM[ending]):
            continue
        if ending != "s" and stem[-2:-1] == stem[-1:] and stem[-1:] not in "lsz":
            stem = stem[:-1]
        if len(stem) == _STEM and not VOWELS.isdisjoint(stem):
            return stem
    return word[:_BEGINNING]


def shortlist(
    words: Sequence[str],
    passages: Sequence[SearchedPassage],
    rarity: Rarity,
    *,
    names: Sequence[str] = (),
    first: Collection[tuple[int, int]] = (),
    limit: int = SHORTLIST,
) -> list[Sentence]:
    """Choose the sentences to look at closely by the question's words and by how near their passages are.

    Best first, those of ``first``, each by the index of its passage and its beginning, before all; ties by place. A
    pronoun stands for that of ``names`` which the previous sentence is about.
    """
    from rank_bm25 import BM25Plus

    places = [(source, span) for source, item in enumerate(passages) for span in _with_values(item.text)]
    places = [(n, span) for n, span in places if WORD.search(passages[n].text, span.start, span.end)]
    weights: dict[str, float] = {}
    for word in words:
        weights[beginning(word)] = max(weights.get(beginning(word), 0.0), rarity.weight(word))
    total, nowhere = sum(weights.values()), Rarity(rarity.passages, {}).weight("")
    if not places or not total:
        return []
    lists = [beginnings(passages[source].text[span.start : span.end]) for source, span in places]
    passage_lists = [beginnings(item.text) or [""] for item in passages]
    sentence_scores, passage_scores = (_bm25(BM25Plus(texts), weights) for texts in (lists, passage_lists))
    rows = []
    for number, (source, span) in enumerate(places):
        words_here = set(lists[number])
        is_behind = number > 0 and places[number - 1][0] == source
        words_before = set(lists[number - 1]) if is_behind else set()
        text = passages[source].text[span.start : span.end]
        preceding = places[number - 1][1] if is_behind else Span(0, 0)
        rows.append(
            Sentence(
                passage=source,
                span=span,
                text=text,
                near=_share(weights, words_here | words_before, total),
                around=_share(weights, set(passage_lists[source]), total),
                lacks=_rarest_missing(weights, words_here | words_before, nowhere),
                words=sentence_scores[number],
                passage_words=passage_scores[source],
                cosine=passages[source].cosine,
                named=with_name(text, passages[source].text[preceding.start : preceding.end], names),
                has_keys=(source, span.start) in first,
            )
        )
    names = ("words", "passage_words", "cosine", "near")
    table = [_standard([getattr(row, name) or 0.0 for row in rows]) for name in names]
    scores = [round(sum(column[source] for column in table), 9) for source in range(len(rows))]
    order = sorted(range(len(rows)), key=lambda source: (not rows[source].has_keys, -scores[source], source))
    return [rows[source] for source in order[:limit]]


def with_name(text: str, preceding: str, names: Sequence[str]) -> str:
    """Return a sentence with a name for the pronoun that it begins with; '' if it begins with none or none fits.

    The name is the first in the sentence before, which names nobody else: what follows a preposition or a month is no
    rival.
    """
    match = _PRONOUN.match(text)
    first_names = names_in(f"- {preceding}") if match and names else ()  # its first word may be a name
    if match is None or not first_names:
        return ""
    subject = _name_words(first_names[0])
    fitting = [name for name in names if subject and (subject <= _name_words(name) or _name_words(name) <= subject)]
    name_words = set[str]().union(*map(_name_words, names))
    rivals = [name for name in first_names[1:] if not _name_words(name) <= name_words]
    if not fitting or any(not _ASIDE.search(preceding[: preceding.find(name)]) for name in rivals):
        return ""
    ending = "'s" if match[1].casefold() in _POSSESSIVES else ""
    return f"{fitting[0]}{ending}{text[match.end() :]}"


def rank(
    candidates: Sequence[Sentence], token_matches: Sequence[Sequence[float]] | None = None
) -> list[RankedSentence]:
    """Rank sentences of the shortlist, best first; ties keep their order.

    ``token_matches`` has the match of each token of the question for each sentence; None if unknown.
    """
    if not candidates:
        return []
    token_rows = [tuple(row) for row in token_matches] if token_matches is not None else [()] * len(candidates)
    rows = [RankedSentence(sentence, 0.0, tokens) for sentence, tokens in zip(candidates, token_rows, strict=True)][
        :RANKED
    ]
    knows_meaning = token_matches is not None and all(row.sentence.cosine is not None for row in rows)
    weights, table = (WEIGHTS if knows_meaning else WORDS_ALONE), _columns(rows)
    scores = [round(sum(weight * table[name][n] for name, weight in weights.items()), 9) for n in range(len(rows))]
    order = sorted(range(len(rows)), key=lambda index: (-scores[index], index))
    return [RankedSentence(rows[index].sentence, scores[index], rows[index].tokens) for index in order]


def without_headings(candidates: Sequence[Sentence]) -> list[Sentence]:
    """Leave out rows of a table that hold nothing but the headings of its other rows: they answer nothing."""
    headings: dict[int, set[str]] = {}
    for candidate in candidates:
        own_headings = {cell.heading for cell in row_cells(candidate.text)} - {""}
        headings.setdefault(candidate.passage, set()).update(own_headings)
    return [
        candidate
        for candidate in candidates
        if not (cells := candidate.text.split(CELL_BORDER)[1:]) or not headings[candidate.passage].issuperset(cells)
    ]


def of_named_rows(question: str, ranking: Sequence[RankedSentence]) -> list[RankedSentence]:
    """Leave out the rows of a table with another name than the one that a question asks about: K-2 for K-7.

    A row is named by its first cell. Rows of one passage count as one table.
    """
    question_stems = set(beginnings(question))
    names = [_row_name(row.sentence.text) for row in ranking]
    is_named = [bool(name) and question_stems.issuperset(name) for name in names]
    tables = {row.sentence.passage for row, is_called in zip(ranking, is_named, strict=True) if is_called}
    return [
        row
        for row, name, is_called in zip(ranking, names, is_named, strict=True)
        if is_called or not name or row.sentence.passage not in tables
    ]


def _name_words(name: str) -> set[str]:
    return {word.casefold() for word in WORD.findall(name)} - words_of("en", "title")


def _with_values(text: str) -> list[Span]:
    """Split a text into sentences; a label and the value in the next line are one: 'Population:' and '783,305'."""
    spans: list[Span] = []
    is_label = False
    for span in sentences(text):
        if is_label and text.count("\n", spans[-1].end, span.start) <= _LINES:
            spans[-1] = Span(spans[-1].start, span.end)
            is_label = False
            continue
        spans.append(span)
        line = text[span.start : span.end].rstrip()
        is_label = line.endswith(":") and len(line.split()) <= _LABEL
    return spans


def _row_name(line: str) -> frozenset[str]:
    """Return the stems of the words that name a row of a table with headings; none for another line."""
    cells = row_cells(line)
    if not any(cell.heading for cell in cells):
        return frozenset()
    return frozenset(beginnings(line[cells[0].start : cells[0].end]))


def columns(candidates: Sequence[Sentence], token_matches: Sequence[Sequence[float]]) -> dict[str, list[float]]:
    """Return the figures that the weights are for, a list for each with a number a sentence."""
    pairs = zip(candidates, token_matches, strict=True)
    return _columns([RankedSentence(sentence, 0.0, tuple(tokens)) for sentence, tokens in pairs][:RANKED])


def _columns(rows: Sequence[RankedSentence]) -> dict[str, list[float]]:
    return {
        "passage_words": _standard([row.sentence.passage_words for row in rows]),
        "cosine": _standard([row.sentence.cosine or 0.0 for row in rows]),
        "met": _standard([row.met for row in rows]),
        "met_worst": [(row.met_worst - 0.27) / 0.11 for row in rows],
        "near": [(row.sentence.near - 0.4) / 0.25 for row in rows],
        "around": [(row.sentence.around - 0.5) / 0.25 for row in rows],
    }


# Fitted by tests/eval/ask.py.
WEIGHTS: Mapping[str, float] = {
    "passage_words": 0.2,
    "cosine": 0.9,
    "met": 0.8,
    "met_worst": 0.6,
    "near": 0.6,
    "around": 0.8,
}
WORDS_ALONE: Mapping[str, float] = {"passage_words": 0.5, "near": 1.5, "around": 0.8}


def _bm25(index: object, weights: Mapping[str, float]) -> list[float]:
    """Score every text of an index of rank-bm25, with the rarity that words have in the case, 0 without any."""
    index.idf = dict(weights)  # type: ignore[attr-defined]
    present = [word for word in weights if any(word in texts for texts in index.doc_freqs)]  # type: ignore[attr-defined]
    least = sum(weights[word] * index.delta for word in present)  # type: ignore[attr-defined]
    return [round(float(score) - least, 9) for score in index.get_scores(present)]  # type: ignore[attr-defined]


def _share(weights: Mapping[str, float], words: set[str], total: float) -> float:
    return sum(weight for word, weight in weights.items() if word in words) / total


def _rarest_missing(weights: Mapping[str, float], words: set[str], nowhere: float) -> float:
    return max((weight for word, weight in weights.items() if word not in words), default=0.0) / nowhere


def _standard(values: Sequence[float]) -> list[float]:
    """Standardise values to mean 0 and deviation 1; all 0 if they are equal."""
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    return [(value - mean) / deviation if deviation > 1e-9 else 0.0 for value in values]
