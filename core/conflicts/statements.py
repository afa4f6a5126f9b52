"""Sentences in a form that can be compared: topical words, names, figures, dates, times and negations. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.english import CALENDAR, MONTHS, WEEKDAYS
from core.language import lexicon
from core.language.clock_times import ClockTime, clock_times_in
from core.language.dates import DateMention, dates_in
from core.language.quantities import Quantity, quantities_in
from core.search.ranking import STOP_WORDS
from core.text import NEGATIONS, sentences

_BEGINNING = 6  # letters by which words are compared: 'stopped', 'stoppage'
FEWEST_WORDS, MOST_WORDS = 4, 90
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_EMPHASIS_END = re.compile(r"[*_]{2,3}\s+")  # of a heading in bold that the sentence follows in its line
_OPENS = re.compile(r"^[\W_]*(?:[A-Z]{1,3}: )?[\W_]*")
_TITLES = lexicon.words_of("en", "rank")
# Some of the words that must never differ say how a thing went rather than that it did not happen.
_DENYING = NEGATIONS - {"without", "failed", "fails", "refused", "lacks"}
_FIRST_PERSON = frozenset(("I", "me", "my", "My", "mine", "myself"))
NUMBER_NAMES = frozenset(
    re.findall(
        r"\w+",
        "one two three four five six seven eight nine ten eleven twelve first second third fourth fifth sixth last",
    )
)
_NO_NAMES = CALENDAR | _TITLES | NUMBER_NAMES


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a page, page.text[start:end]; ``number`` is its index among all sentences read.

    ``words`` are the stems of its topical words, including names; ``names`` its capitalised words in lower case.
    ``previous`` is the preceding sentence. ``day`` is its document's date, '' if it is unknown. ``speaker`` are the
    stems of the names of who says 'I' in it.
    """

    number: int
    document: str
    page_id: int
    page: int
    start: int
    end: int
    text: str
    words: frozenset[str]
    names: frozenset[str]
    is_negated: bool
    previous: str = ""
    day: str = ""
    speaker: frozenset[str] = frozenset()

    @property
    def line(self) -> str:
        """The sentence in one line."""
        return " ".join(self.text.split())

    def shared_words(self, statement: Statement) -> frozenset[str]:
        """Return the words that both statements have; 'I' in one is the name of its speaker in the other."""
        names = (self.speaker & statement.words) | (self.words & statement.speaker)
        return (self.words & statement.words) | names


@dataclass(frozen=True, slots=True)
class PageContent:
    """The visible text of a page, with blanks for hidden text. ``speaker``: the names of who says 'I' in it."""

    document: str
    page_id: int
    page: int
    text: str
    day: str = ""
    speaker: frozenset[str] = frozenset()


def statements_in(pages: Iterable[PageContent], *, first: int = 0) -> Iterator[Statement]:
    """Split pages into statements, in order, without sentences that are too short or too long to state one thing."""
    number = first
    for page in pages:
        previous = ""
        for span in sentences(page.text):
            mark = _EMPHASIS_END.match(page.text, span.start, span.end)
            start = mark.end() if mark else span.start
            text = page.text[start : span.end]
            tokens = words_of(text)
            if FEWEST_WORDS <= len(tokens) <= MOST_WORDS:
                speaker = topical(page.speaker) if not _FIRST_PERSON.isdisjoint(tokens) else frozenset()
                yield Statement(
                    number, page.document, page.page_id, page.page, start, span.end, text,
                    topical(tokens), names_in(text), is_negated(tokens), previous, page.day, speaker,
                )  # fmt: skip
                number += 1
            previous = text


def words_of(text: str) -> list[str]:
    """List the words and numbers of a text, in order."""
    return _WORD.findall(text)


def topical(tokens: Iterable[str]) -> frozenset[str]:
    """Return the stems of the topical words, without numbers, months, days, negations and stop words."""
    words = set()
    for token in tokens:
        word = token.casefold().replace("’", "'").removesuffix("'s")
        if len(word) < 3 or not word[0].isalpha() or word in STOP_WORDS or word in CALENDAR or word in NEGATIONS:
            continue
        word = word[:-1] if word.endswith("s") and len(word) > 3 and not word.endswith("ss") else word
        words.add(word[:_BEGINNING])
    return frozenset(words)


def is_negated(tokens: Iterable[str]) -> bool:
    """Return whether a sentence is negated; two negations cancel out."""
    count = sum(1 for token in tokens if is_negation(token))
    return count % 2 == 1


def is_negation(token: str) -> bool:
    """Return whether a word is a negation; 'not’been', as scans have it, is one too."""
    word = token.casefold().replace("’", "'")
    if "'" not in word and "-" not in word:
        return word in _DENYING
    return word.endswith("n't") or any(part in _DENYING for part in re.split("['-]", word))


def names_in(text: str) -> frozenset[str]:
    """Return the capitalised words in lower case, without the first word of the sentence, titles and dates."""
    start = _OPENS.match(text).end()  # type: ignore[union-attr]  # it matches anything
    return frozenset(
        word
        for match in _WORD.finditer(text)
        if match.start() > start and is_name(match.group()) and (word := plain_name(match.group()))
    )


def is_name(token: str) -> bool:
    """Return whether a word has the form of a name."""
    word = plain_name(token)
    return token[0].isupper() and len(word) > 1 and word not in _NO_NAMES and word not in STOP_WORDS


def plain_name(token: str) -> str:
    """Lower-case a name and strip the possessive 's."""
    return token.casefold().replace("’", "'").removesuffix("'s").strip(".'")


def name_words(statements: Sequence[Statement]) -> Counter[str]:
    """Count the statements that have each name."""
    return Counter(name for statement in statements for name in statement.names)


@lru_cache(maxsize=200_000)
def quantities_of(text: str) -> tuple[Quantity, ...]:
    """Find the numbers of a sentence that belong to no date and no time of day."""
    dates, times = dates_of(text), times_of(text)
    excluded = [*((row.start, row.end) for row in dates), *((row.start, row.end) for row in times)]
    excluded += [(match.start(), match.end()) for match in _DAY.finditer(text)]
    return tuple(
        row for row in quantities_in(text) if not any(row.start < end and row.end > start for start, end in excluded)
    )


@lru_cache(maxsize=200_000)
def dates_of(text: str) -> tuple[DateMention, ...]:
    """Find the dates of a sentence that have a year."""
    return dates_in(text)


@lru_cache(maxsize=200_000)
def times_of(text: str) -> tuple[ClockTime, ...]:
    """Find the times of day of a sentence."""
    return clock_times_in(text)


def clear_caches() -> None:
    """Clear the caches of numbers, dates and times."""
    for cache in (quantities_of, dates_of, times_of):
        cache.cache_clear()


_MONTH = (
    r"(?:Jan(?:uary|\.)?|Feb(?:ruary|\.)?|Mar(?:ch|\.)?|Apr(?:il|\.)?|May|June?|July?|Aug(?:ust|\.)?"
    r"|Sept?(?:ember|\.)?|Oct(?:ober|\.)?|Nov(?:ember|\.)?|Dec(?:ember|\.)?)"
)
_DAY = re.compile(
    rf"\b{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?\b|\b\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}(?!\w)"
    rf"|\b(?:{'|'.join(WEEKDAYS)})s?\b|\d{{1,2}}\.\d{{2}}\.(?:\d{{2,4}})?(?!\d)"
    rf"|\b(?:{'|'.join(month for month in MONTHS if month != 'May')})\b|\b(?:1[5-9]|20)\d\d\b"
)


def days_in(text: str) -> list[tuple[int, int]]:
    """Find days, months and years, complete or not, as spans (start, end) in order."""
    places = [(date.start, date.end) for date in dates_of(text)]
    for match in _DAY.finditer(text):
        if not any(match.start() < end and match.end() > start for start, end in places):
            places.append(match.span())
    return sorted(places)
