"""Features of a sentence as the answer to a question, for a fitted model.

Pure. Most features are between 0 and 1; none depends on the size of a case. A feature that a question does not ask for
(a name, a number, a kind of value) is 0.5. The weights are those of ``core.answers.answer_model``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.answers.question import ASKS_CLOCK, EXPECTED, Question, asked_noun
from core.answers.sentences import WORST, RankedSentence, Rarity, beginning, beginnings
from core.answers.short_answers import short_answer
from core.domain import Span
from core.english import FIRST_PERSON, MONTH_NUMBERS, MONTHS, any_of
from core.language.dates import dates_in
from core.language.denial import denies
from core.search.ranking import STOP_WORDS
from core.text import WORD, row_cells, sentences

Row = dict[str, float]

HEAD = 300  # characters at the beginning of a document that may name its subject and author
_MOST_OF_A_DOCUMENT = 200_000  # characters that words are looked for in
_REACH = 4  # words between two of the question that belong together
_CLOCK = re.compile(
    r"\b\d{1,2}[:.]\d{2}\b|\b\d{1,2}\s?[ap]\.?m\b|\b(?:noon|midnight|o['’]clock)\b"
    r"|\b(?:half|quarter|\w+)\s(?:past|to)\s"
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
    re.IGNORECASE,
)
_ASKS_DAY = re.compile(r"\b(?:what|which) (?:\w+ )?(?:date|day|month|year|weekday)\b", re.IGNORECASE)
_GREETING = re.compile(
    r"^\W*(?:dear|hello|hi|kind regards|regards|yours|from:|to:|subject:|date:|cc:)\b", re.IGNORECASE
)
_PLACE = re.compile(
    r"\b(?:in|at|on|near|from|to|into|behind|under|beside|by|inside|outside|opposite|between)\s+"
    r"(?:the\s+|a\s+|his\s+|her\s+|their\s+|our\s+|my\s+)?\w+"
)
_CAUSE = re.compile(
    r"\b(?:because|since|so that|due to|in order|therefore|as a result|for fear|reason|owing to|so as|caused?"
    r"|to \w+)\b",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"\b(?:I|he|she|we|they|mr|mrs|ms|miss|dr|the (?:\w+ )?\w+(?:er|or|man|woman|ist|ant|ent))\b", re.IGNORECASE
)
YEARLESS = re.compile(
    rf"\b(?P<day>[0-3]?\d)(?:st|nd|rd|th)?(?:\s+of)?\s+(?P<month>{any_of(MONTHS)})\b"
    rf"|\b(?P<before>{any_of(MONTHS)})\s+(?P<behind>[0-3]?\d)(?:st|nd|rd|th)?\b(?!\s?[:.]\d)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Context:
    """The surroundings of a sentence: text of its passage, title and text of its document."""

    passage: str
    title: str
    document: str


def table(
    question: Question,
    rarity: Rarity,
    ranking: Sequence[RankedSentence],
    contexts: Sequence[Context],
    *,
    pieces: Sequence[int] = (),
) -> list[Row]:
    """Return the features of each ranked sentence; ``contexts`` has one for each.

    ``pieces`` counts the tokens of each word of the question; without it all its tokens weigh the same.
    """
    if not ranking:
        return []
    profile = _profile_of(question, rarity, pieces, len(ranking[0].tokens))
    places = _Places(ranking, contexts)
    best = max(row.score for row in ranking)
    rows = []
    for rank, (row, context) in enumerate(zip(ranking, contexts, strict=True)):
        figures = (
            _of_words(profile, places, row, context)
            | _of_tokens(profile, places, row)
            | _of_kind(profile, row, context)
        )
        figures |= {
            "cosine": row.sentence.cosine or 0.0,
            "score": row.score,
            "behind": best - row.score,
            "first": float(rank == 0),
            "rank": 1 / (1 + rank),
            "judged": 0.0,  # of a reader, which comes later (core.answers.judgement.reordered)
        }
        rows.append(figures)
    return rows


def days_of(text: str) -> set[str]:
    """Return the days that a text names, as MM-DD: most say no year. Both of one whose order is in doubt."""
    days = set[str]()
    for date in dates_in(text):
        if date.precision in ("day", "time"):
            days.update(day[5:10] for day in date.readings or (date.earliest,))
    for match in YEARLESS.finditer(text):
        month, day = match["month"] or match["before"], match["day"] or match["behind"]
        days.add(f"{MONTH_NUMBERS[month.casefold()]:02}-{int(day):02}")
    return days


@dataclass(frozen=True, slots=True)
class _Profile:
    """A question in the form that sentences are compared with: the stems of its words, with their rarity.

    ``noun`` is what it asks for, as in 'which vessel'. ``by_rarity``, ``by_noun`` and ``single`` are weights of its
    tokens: by the rarity of their word, of the noun alone, and of each word alone.
    """

    question: Question
    weights: Mapping[str, float]
    noun: frozenset[str]
    names: frozenset[str]
    days: frozenset[str]
    pairs: tuple[tuple[str, str], ...]
    by_rarity: tuple[float, ...]
    by_noun: tuple[float, ...]
    single: tuple[tuple[float, ...], ...]

    def share(self, words: Collection[str]) -> float:
        """Return the weight of its words that are among some, as a share of all."""
        total = sum(self.weights.values())
        return sum(weight for word, weight in self.weights.items() if word in words) / total if total else 0.0

    def named(self, words: Collection[str]) -> float:
        """Return the share of the words of its names that are among some."""
        return sum(name in words for name in self.names) / len(self.names) if self.names else 0.5

    def wanted(self, words: Collection[str]) -> float:
        """Return the share of the noun it asks for that is among some words."""
        return sum(word in words for word in self.noun) / len(self.noun) if self.noun else 0.5

    def numbered(self, text: str) -> float:
        """Return the share of its numbers that a text has."""
        numbers = self.question.numbers
        return sum(number in text for number in numbers) / len(numbers) if numbers else 0.5


def _profile_of(question: Question, rarity: Rarity, pieces: Sequence[int], count: int) -> _Profile:
    weights: dict[str, float] = {}
    for word in question.words:
        weights[beginning(word)] = max(weights.get(beginning(word), 0.0), rarity.weight(word))
    order = [beginning(word) for word in question.words]
    noun = [beginning(word) for word in asked_noun(question)]
    words = WORD.findall(question.text)
    by_rarity, by_noun = (1.0,) * count, (0.0,) * count
    single: tuple[tuple[float, ...], ...] = ()
    if len(pieces) == len(words) and sum(pieces) == count:
        places = [index for index, number in enumerate(pieces) for _ in range(number)]
        of_tokens = [beginning(words[index]) for index in places]
        by_word = tuple(weights.get(word, 0.0) / pieces[index] for word, index in zip(of_tokens, places, strict=True))
        by_rarity = by_word if any(by_word) else by_rarity
        by_noun = tuple(float(word in noun) for word in of_tokens)
        single = tuple(
            tuple(float(index == place) for place in places)
            for index, word in enumerate(words)
            if beginning(word) in weights
        )
    return _Profile(
        question,
        weights,
        frozenset(noun),
        frozenset(beginning(word) for name in question.names for word in WORD.findall(name) if len(word) > 1),
        frozenset(days_of(question.text)),
        tuple((left, right) for left, right in pairwise(order) if left != right),
        *(by_rarity, by_noun, single),
    )


class _Places:
    """Ranked sentences with their neighbours; each passage and document is read once."""

    def __init__(self, ranking: Sequence[RankedSentence], contexts: Sequence[Context]) -> None:
        self._spans: dict[str, list[Span]] = {}
        self._words: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
        self._tokens = {(row.sentence.passage, row.sentence.span.start): row.tokens for row in ranking}
        self._together: dict[int, tuple[float, ...]] = {}
        for row in ranking:
            passage = row.sentence.passage
            self._together[passage] = _greatest(row.tokens, self._together.get(passage, ()))
        for context in contexts:
            if context.passage not in self._spans:
                self._spans[context.passage] = sentences(context.passage)
            if context.document not in self._words:
                head = f"{context.title} {context.document[:HEAD]}"
                body = context.document[:_MOST_OF_A_DOCUMENT]
                self._words[context.document] = (frozenset(beginnings(body)), frozenset(beginnings(head)))

    def words_of(self, context: Context) -> tuple[frozenset[str], frozenset[str]]:
        """Return the words of a document, and those of its title and beginning."""
        return self._words[context.document]

    def beside(self, row: RankedSentence, context: Context) -> tuple[Span | None, Span | None]:
        """Return the previous and the next sentence."""
        spans = self._spans[context.passage]
        preceding = [span for span in spans if span.end <= row.sentence.span.start]
        later = [span for span in spans if span.start >= row.sentence.span.end]
        return (preceding[-1] if preceding else None), (later[0] if later else None)

    def tokens_beside(self, row: RankedSentence, context: Context) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return the token matches of a sentence and its previous one, and of it and its next one."""
        passage = row.sentence.passage
        left, right = (
            self._tokens.get((passage, span.start), ()) if span else () for span in self.beside(row, context)
        )
        return _greatest(row.tokens, left), _greatest(row.tokens, right)

    def together(self, row: RankedSentence) -> tuple[float, ...]:
        """Return how well tokens are met in all ranked sentences of a passage."""
        return self._together[row.sentence.passage]


def _of_words(profile: _Profile, places: _Places, row: RankedSentence, context: Context) -> Row:
    text = row.sentence.read
    own_list = beginnings(text)
    own_words = frozenset(own_list)
    previous, successor = places.beside(row, context)
    previous_words, next_words = (
        frozenset(beginnings(context.passage[span.start : span.end])) if span else frozenset()
        for span in (previous, successor)
    )
    document, head = places.words_of(context)
    own_share, words = profile.share(own_words), WORD.findall(text)
    is_row = bool(row_cells(text))
    new = sum(word.casefold() not in STOP_WORDS and beginning(word) not in profile.weights for word in words)
    heading = frozenset(word for cell in row_cells(text) for word in beginnings(cell.heading.replace("_", " ")))
    return {
        "own": own_share,
        "near": profile.share(own_words | previous_words),
        "after": profile.share(own_words | next_words),
        "around": row.sentence.around,
        "document": profile.share(document),
        "with_head": profile.share(own_words | previous_words | head),
        "lacks": row.sentence.lacks,
        "names_here": profile.named(own_words),
        "names_near": profile.named(own_words | previous_words | head),
        "names_document": profile.named(document | head),
        "numbers_here": profile.numbered(text),
        "numbers_near": profile.numbered(context.passage),
        "numbers_document": profile.numbered(context.document),
        "asked_here": profile.wanted(own_words),
        "asked_near": profile.wanted(own_words | previous_words | next_words),
        "asked_heading": profile.wanted(heading) if profile.noun and is_row else 0.0,
        "row": float(is_row),
        "row_share": own_share if is_row else 0.0,
        "pairs": _pairs_together(profile.pairs, own_list),
        "length": min(1.0, math.log1p(len(words)) / 4),
        "tiny": float(len(words) < 5 and not is_row),
        "new": min(1.0, new / 12),
        "nothing_new": float(new == 0),
        "question": float(text.rstrip().endswith("?")),
        "greeting": float(bool(_GREETING.search(text))),
        "heading_line": float(
            previous is None and not is_row and not text.rstrip().endswith((".", "!", "?", "”", '"'))
        ),
        "i_named": float(bool(FIRST_PERSON.search(text)) and not profile.names.isdisjoint(head)),
        "denial": float(denies(text)),
    } | _of_tokens_beside(profile, places, row, context)


def _of_tokens_beside(profile: _Profile, places: _Places, row: RankedSentence, context: Context) -> Row:
    previous, successor = places.tokens_beside(row, context)
    return {
        "met_previous": _weighted(previous, profile.by_rarity),
        "met_following": _weighted(successor, profile.by_rarity),
    }


def _of_tokens(profile: _Profile, places: _Places, row: RankedSentence) -> Row:
    mates = places.together(row)
    return {
        "met": row.met,
        "met_worst": row.met_worst,
        "met_least": min(row.tokens, default=0.0),
        "mate": sum(mates) / len(mates) if mates else 0.0,
        "mate_worst": sum(sorted(mates)[:WORST]) / WORST if mates else 0.0,
        "met_words": _weighted(row.tokens, profile.by_rarity),
        "met_lowest": min((_weighted(row.tokens, word) for word in profile.single), default=0.0),
        "met_asked": _weighted(row.tokens, profile.by_noun) if any(profile.by_noun) else 0.4,
        "mate_words": _weighted(mates, profile.by_rarity),
        "mate_lowest": min((_weighted(mates, word) for word in profile.single), default=0.0),
    }


def _of_kind(profile: _Profile, row: RankedSentence, context: Context) -> Row:
    question, text = profile.question, row.sentence.read
    days, is_clock = days_of(text), bool(_CLOCK.search(text))
    has_value = short_answer(question, text) is not None
    wants = EXPECTED[question.kind]
    asks_clock = bool(ASKS_CLOCK.search(question.text))
    if asks_clock:
        fits = is_clock
    elif _ASKS_DAY.search(question.text):
        fits = bool(days)
    else:
        form = {"who": _PERSON, "where": _PLACE, "why": _CAUSE}.get(question.kind)
        fits = form.search(text) is not None if form else not wants or has_value
        fits = fits or (question.kind == "who" and has_value)
    return {
        "fits": float(fits) if wants or question.kind == "why" else 0.5,
        "typed": float(has_value) if wants else 0.5,
        "clock": float(is_clock) if asks_clock else 0.5,
        "day_here": float(not profile.days.isdisjoint(days)),
        "other_day": float(bool(profile.days and days) and profile.days.isdisjoint(days)),
    }


def _pairs_together(pairs: Sequence[tuple[str, str]], words: Sequence[str]) -> float:
    """Return the share of pairs of words that are near each other in a text."""
    places: dict[str, list[int]] = {}
    for index, word in enumerate(words):
        places.setdefault(word, []).append(index)
    near = sum(
        any(abs(i - j) <= _REACH for i in places.get(left, ()) for j in places.get(right, ())) for left, right in pairs
    )
    return near / len(pairs) if pairs else 0.0


def _greatest(left: tuple[float, ...], right: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(map(max, left, right)) if left and right else left or right


def _weighted(values: Sequence[float], weights: Sequence[float]) -> float:
    total = sum(weights)
    if not values or not total:
        return 0.0
    return sum(value * weight for value, weight in zip(values, weights, strict=True)) / total
