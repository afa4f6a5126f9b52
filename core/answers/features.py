"""What speaks for a sentence as the answer to a question, in figures that a fitted model weighs.

Pure. Most figures lie between 0 and 1; none depends on how large a case is. A figure of what a question does not ask
for (a name, a number, a kind of value) is 0.5. The weights are those of ``core.answers.answer_model``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.answers.question import EXPECTED, Question, asked_noun
from core.answers.sentences import WORST, RankedSentence, Rarity, beginning, beginnings
from core.answers.short_answers import short_answer
from core.domain import Span
from core.english import MONTH_NUMBERS, MONTHS, any_of
from core.language.dates import dates_in
from core.language.denial import denies
from core.search.ranking import STOP_WORDS
from core.text import row_cells, sentences

Row = dict[str, float]

_HEAD = 300  # characters at the beginning of a document that say what it is, and whose
_MOST_OF_A_DOCUMENT = 200_000  # characters that words are looked for in
_REACH = 4  # words between two of the question that belong together
_WORD = re.compile(r"\w+")
_CLOCK = re.compile(
    r"\b\d{1,2}[:.]\d{2}\b|\b\d{1,2}\s?[ap]\.?m\b|\b(?:noon|midnight|o['’]clock)\b"
    r"|\b(?:half|quarter|\w+)\s(?:past|to)\s"
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
    re.IGNORECASE,
)
_ASKS_CLOCK = re.compile(r"\b(?:what|which) (?:\w+ )?(?:time|hour)\b|\bwhat minute\b", re.IGNORECASE)
_ASKS_DAY = re.compile(r"\b(?:what|which) (?:\w+ )?(?:date|day|month|year|weekday)\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:I|me|my|we|us|our)\b")
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
_YEARLESS = re.compile(
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
    """Return the figures of each ranked sentence; ``contexts`` has one for each.

    ``pieces`` counts the tokens of each word of the question; without it all its tokens count the same.
    """
    if not ranking:
        return []
    asked = _asked(question, rarity, pieces, len(ranking[0].tokens))
    places = _Places(ranking, contexts)
    best = max(ranked.score for ranked in ranking)
    rows = []
    for number, (ranked, context) in enumerate(zip(ranking, contexts, strict=True)):
        row = (
            _of_words(asked, places, ranked, context)
            | _of_tokens(asked, places, ranked)
            | _of_kind(asked, ranked, context)
        )
        row |= {
            "cosine": ranked.sentence.cosine or 0.0,
            "score": ranked.score,
            "behind": best - ranked.score,
            "first": float(number == 0),
            "rank": 1 / (1 + number),
            "judged": 0.0,  # of a reader, which comes later (core.answers.judgement.reordered)
        }
        rows.append(row)
    return rows


def days_of(text: str) -> set[str]:
    """Return the days that a text names, as MM-DD: most say no year."""
    days = {date.earliest[5:10] for date in dates_in(text) if date.precision in ("day", "time")}
    for match in _YEARLESS.finditer(text):
        month, day = match["month"] or match["before"], match["day"] or match["behind"]
        days.add(f"{MONTH_NUMBERS[month.casefold()]:02}-{int(day):02}")
    return days


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question as it is held against sentences: its words by their beginnings, with their rarity.

    ``noun`` is what it asks for, as in 'which vessel'. ``by_rarity``, ``by_noun`` and ``single`` weigh its tokens: by
    the rarity of their word, those of the noun alone, and those of each word by itself.
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
        """Return the share of its numbers that stand in a text."""
        numbers = self.question.numbers
        return sum(number in text for number in numbers) / len(numbers) if numbers else 0.5


def _asked(question: Question, rarity: Rarity, pieces: Sequence[int], count: int) -> _Asked:
    weights: dict[str, float] = {}
    for word in question.words:
        weights[beginning(word)] = max(weights.get(beginning(word), 0.0), rarity.weight(word))
    order = [beginning(word) for word in question.words]
    noun = [beginning(word) for word in asked_noun(question)]
    words = _WORD.findall(question.text)
    by_rarity, by_noun = (1.0,) * count, (0.0,) * count
    single: tuple[tuple[float, ...], ...] = ()
    if len(pieces) == len(words) and sum(pieces) == count:
        places = [at for at, number in enumerate(pieces) for _ in range(number)]
        of_tokens = [beginning(words[at]) for at in places]
        rare = tuple(weights.get(word, 0.0) / pieces[at] for word, at in zip(of_tokens, places, strict=True))
        by_rarity = rare if any(rare) else by_rarity
        by_noun = tuple(float(word in noun) for word in of_tokens)
        single = tuple(
            tuple(float(at == place) for place in places) for at, word in enumerate(words) if beginning(word) in weights
        )
    return _Asked(
        question,
        weights,
        frozenset(noun),
        frozenset(beginning(word) for name in question.names for word in _WORD.findall(name) if len(word) > 1),
        frozenset(days_of(question.text)),
        tuple((left, right) for left, right in pairwise(order) if left != right),
        *(by_rarity, by_noun, single),
    )


class _Places:
    """Ranked sentences among those of their passages and documents, each passage and document read once."""

    def __init__(self, ranking: Sequence[RankedSentence], contexts: Sequence[Context]) -> None:
        self._spans: dict[str, list[Span]] = {}
        self._words: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
        self._tokens = {(ranked.sentence.passage, ranked.sentence.span.start): ranked.tokens for ranked in ranking}
        self._together: dict[int, tuple[float, ...]] = {}
        for ranked in ranking:
            passage = ranked.sentence.passage
            self._together[passage] = _greatest(ranked.tokens, self._together.get(passage, ()))
        for context in contexts:
            if context.passage not in self._spans:
                self._spans[context.passage] = sentences(context.passage)
            if context.document not in self._words:
                head = f"{context.title} {context.document[:_HEAD]}"
                body = context.document[:_MOST_OF_A_DOCUMENT]
                self._words[context.document] = (frozenset(beginnings(body)), frozenset(beginnings(head)))

    def words_of(self, context: Context) -> tuple[frozenset[str], frozenset[str]]:
        """Return the words of a document, and those of its title and beginning."""
        return self._words[context.document]

    def beside(self, ranked: RankedSentence, context: Context) -> tuple[Span | None, Span | None]:
        """Return the sentence before another and the one behind it."""
        spans = self._spans[context.passage]
        preceding = [span for span in spans if span.end <= ranked.sentence.span.start]
        behind = [span for span in spans if span.start >= ranked.sentence.span.end]
        return (preceding[-1] if preceding else None), (behind[0] if behind else None)

    def tokens_beside(self, ranked: RankedSentence, context: Context) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return how well tokens are met in a sentence or the one before it, and in it or the one behind it."""
        passage = ranked.sentence.passage
        left, right = (
            self._tokens.get((passage, span.start), ()) if span else () for span in self.beside(ranked, context)
        )
        return _greatest(ranked.tokens, left), _greatest(ranked.tokens, right)

    def together(self, ranked: RankedSentence) -> tuple[float, ...]:
        """Return how well tokens are met in all ranked sentences of a passage."""
        return self._together[ranked.sentence.passage]


def _of_words(asked: _Asked, places: _Places, ranked: RankedSentence, context: Context) -> Row:
    text = ranked.sentence.text
    own_list = beginnings(text)
    own = frozenset(own_list)
    previous, following = places.beside(ranked, context)
    before, after = (
        frozenset(beginnings(context.passage[span.start : span.end])) if span else frozenset()
        for span in (previous, following)
    )
    document, head = places.words_of(context)
    here, words = asked.share(own), _WORD.findall(text)
    is_row = bool(row_cells(text))
    new = sum(word.casefold() not in STOP_WORDS and beginning(word) not in asked.weights for word in words)
    heading = frozenset(word for cell in row_cells(text) for word in beginnings(cell.heading.replace("_", " ")))
    return {
        "own": here,
        "near": asked.share(own | before),
        "after": asked.share(own | after),
        "around": ranked.sentence.around,
        "document": asked.share(document),
        "with_head": asked.share(own | before | head),
        "lacks": ranked.sentence.lacks,
        "names_here": asked.named(own),
        "names_near": asked.named(own | before | head),
        "names_document": asked.named(document | head),
        "numbers_here": asked.numbered(text),
        "numbers_near": asked.numbered(context.passage),
        "numbers_document": asked.numbered(context.document),
        "asked_here": asked.wanted(own),
        "asked_near": asked.wanted(own | before | after),
        "asked_heading": asked.wanted(heading) if asked.noun and is_row else 0.0,
        "row": float(is_row),
        "row_share": here if is_row else 0.0,
        "pairs": _pairs_together(asked.pairs, own_list),
        "length": min(1.0, math.log1p(len(words)) / 4),
        "tiny": float(len(words) < 5 and not is_row),
        "new": min(1.0, new / 12),
        "nothing_new": float(new == 0),
        "question": float(text.rstrip().endswith("?")),
        "greeting": float(bool(_GREETING.search(text))),
        "heading_line": float(
            previous is None and not is_row and not text.rstrip().endswith((".", "!", "?", "”", '"'))
        ),
        "i_named": float(bool(_FIRST_PERSON.search(text)) and not asked.names.isdisjoint(head)),
        "denial": float(denies(text)),
    } | _of_tokens_beside(asked, places, ranked, context)


def _of_tokens_beside(asked: _Asked, places: _Places, ranked: RankedSentence, context: Context) -> Row:
    previous, following = places.tokens_beside(ranked, context)
    return {
        "met_previous": _weighted(previous, asked.by_rarity),
        "met_following": _weighted(following, asked.by_rarity),
    }


def _of_tokens(asked: _Asked, places: _Places, ranked: RankedSentence) -> Row:
    together = places.together(ranked)
    return {
        "met": ranked.met,
        "met_worst": ranked.met_worst,
        "met_least": min(ranked.tokens, default=0.0),
        "mate": sum(together) / len(together) if together else 0.0,
        "mate_worst": sum(sorted(together)[:WORST]) / WORST if together else 0.0,
        "met_words": _weighted(ranked.tokens, asked.by_rarity),
        "met_lowest": min((_weighted(ranked.tokens, word) for word in asked.single), default=0.0),
        "met_asked": _weighted(ranked.tokens, asked.by_noun) if any(asked.by_noun) else 0.4,
        "mate_words": _weighted(together, asked.by_rarity),
        "mate_lowest": min((_weighted(together, word) for word in asked.single), default=0.0),
    }


def _of_kind(asked: _Asked, ranked: RankedSentence, context: Context) -> Row:
    question, text = asked.question, ranked.sentence.text
    days, is_clock = days_of(text), bool(_CLOCK.search(text))
    has_value = short_answer(question, text) is not None
    wants = EXPECTED[question.kind]
    asks_clock = bool(_ASKS_CLOCK.search(question.text))
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
        "day_here": float(not asked.days.isdisjoint(days)),
        "other_day": float(bool(asked.days and days) and asked.days.isdisjoint(days)),
    }


def _pairs_together(pairs: Sequence[tuple[str, str]], words: Sequence[str]) -> float:
    """Return the share of pairs of words whose two stand near each other among some."""
    places: dict[str, list[int]] = {}
    for at, word in enumerate(words):
        places.setdefault(word, []).append(at)
    near = sum(
        any(abs(i - j) <= _REACH for i in places.get(left, ()) for j in places.get(right, ())) for left, right in pairs
    )
    return near / len(pairs) if pairs else 0.0


def _greatest(values: tuple[float, ...], others: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(map(max, values, others)) if values and others else values or others


def _weighted(values: Sequence[float], weights: Sequence[float]) -> float:
    total = sum(weights)
    if not values or not total:
        return 0.0
    return sum(value * weight for value, weight in zip(values, weights, strict=True)) / total
