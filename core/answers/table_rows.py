"""The rows of a table that a question names by what is in their cells: 'van SL-4 on 28 September', 'at 02:00'.

A log is asked by its keys: a day, a time of day, a code, a name. Words say little about which of its rows is meant, so
the keys decide: a row is named if it has all of them that any row of its table has. Where all such rows have one value
below the heading that is asked for ('which badge'), the first stands for them. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from core.answers.features import YEARLESS, days_of
from core.answers.question import ASKS_CLOCK, Question
from core.answers.sentences import beginning, beginnings
from core.answers.short_answers import short_answer
from core.english import MONTHS, WEEKDAYS
from core.language.clock_times import ClockTime, clock_times_in, differ
from core.language.dates import dates_in
from core.text import row_cells

MOST_ROWS = 3  # that a question may name
_ENOUGH = 2  # keys that name a row; a day, a time of day or a code may name a single one alone
_SHORT = 3  # digits of a figure that is no key
_CALENDAR = frozenset(name.casefold() for name in (*MONTHS, *WEEKDAYS))


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: ``place`` is the caller's, ``table`` says which rows belong together.

    ``head`` is the title and the beginning of the document that has the table.
    """

    place: tuple[int, int]
    table: str
    text: str
    head: str = ""


@dataclass(frozen=True, slots=True)
class _Keys:
    """The keys in a question: days as MM-DD, times of day, codes and figures, and the words of each name."""

    days: frozenset[str]
    times: tuple[ClockTime, ...]
    codes: tuple[str, ...]
    names: tuple[frozenset[str], ...]

    @property
    def is_empty(self) -> bool:
        """Whether the question has none."""
        return not (self.days or self.times or self.codes or self.names)

    def of(self, text: str) -> frozenset[str]:
        """Return the keys that the cells of a row have."""
        return frozenset(self._in(text))

    def _in(self, text: str) -> Iterator[str]:
        values = [text[cell.start : cell.end] for cell in row_cells(text)]
        if self.days and any(not self.days.isdisjoint(days_of(value)) for value in values):
            yield "day"
        times = [time for value in values for time in clock_times_in(value)] if self.times else []
        for key in self.times:
            if any(not differ(key, time) for time in times):
                yield f"time {key.minute}"
        words = {word for value in values for word in _tokens(value)}
        for code in self.codes:
            if code in words:
                yield f"code {code}"
        for number, name in enumerate(self.names):
            if name <= words:
                yield f"name {number}"


def has_keys(question: Question) -> bool:
    """Return whether a question has keys that could name a row."""
    return not _keys_of(question).is_empty


def named(question: Question, rows: Sequence[Row]) -> list[Row]:
    """Return the rows that a question names, in order: at most ``MOST_ROWS``, of one table, each with a fitting value.

    Empty where it names none, more of them, or rows of two tables. The other rows of that table answer nothing.
    """
    keys = _keys_of(question)
    if keys.is_empty:
        return []
    tables: dict[str, list[tuple[Row, frozenset[str]]]] = {}
    for row in rows:
        tables.setdefault(row.table, []).append((row, keys.of(row.text)))
    groups = [group for table in tables.values() if (group := _of_table(question, keys, table))]
    highest = max((count for count, _ in groups), default=0)
    best = [group for count, group in groups if count == highest]
    return best[0] if len(best) == 1 and len(best[0]) <= MOST_ROWS else []


def _of_table(
    question: Question, keys: _Keys, rows: Sequence[tuple[Row, frozenset[str]]]
) -> tuple[int, list[Row]] | None:
    """Return how many keys name rows of a table, and these rows; None if they do not."""
    present = frozenset[str]().union(*(found for _, found in rows))
    matches = [row for row, found in rows if found == present]
    if present and question.kind == "what" and len(values := _values(question, matches)) == 1 and all(values):
        return len(present), matches[:1]
    if len(present) < _ENOUGH and not _is_alone(question, present, matches):
        return None
    if "day" not in present and keys.days and any(days_of(row.text) for row in matches):
        return None  # a table of other days
    fitting = [row for row in matches if _has_value(question, row.text)]
    return (len(present), fitting) if fitting else None


def _values(question: Question, rows: Sequence[Row]) -> set[str]:
    """Return the values of rows below the heading that is asked for, '' for one without."""
    spans = [short_answer(question, row.text) for row in rows]
    return {row.text[span.start : span.end] if span else "" for row, span in zip(rows, spans, strict=True)}


def _has_value(question: Question, text: str) -> bool:
    """Return whether a cell of a row has a value of the kind that is asked for."""
    if ASKS_CLOCK.search(question.text):
        return bool(clock_times_in(text))
    span = short_answer(question, text)
    cells = row_cells(text)
    if span is None:
        return question.kind == "what"
    return any(cell.start <= span.start and span.end <= cell.end for cell in cells)


def _is_alone(question: Question, present: Collection[str], rows: Sequence[Row]) -> bool:
    """Return whether one key names a single row of a table that is about a word of the question."""
    if len(rows) != 1:
        return False
    has_headings = any(cell.heading for cell in row_cells(rows[0].text))
    strong = ("day", "time", "code") if has_headings else ("day", "time")
    if not any(key.startswith(strong) for key in present):
        return False
    keys = {beginning(word) for key in present for word in key.split()}
    topic = {beginning(word) for word in question.words if word.isalpha()} - keys
    return not topic.isdisjoint(beginnings(f"{rows[0].head} {rows[0].text}".replace("_", " ")))


def _keys_of(question: Question) -> _Keys:
    text = question.text
    times = clock_times_in(text)
    spans = [(date.start, date.end) for date in dates_in(text)] + [(time.start, time.end) for time in times]
    spans += [match.span() for match in YEARLESS.finditer(text)]
    bare = list(text)
    for start, end in spans:
        bare[start:end] = " " * (end - start)
    rest = "".join(bare)
    names = [name for name in question.names if name in rest]
    name_words = [frozenset(_last(name)) for name in names]
    return _Keys(
        frozenset(days_of(text)),
        times,
        tuple(word for word in _tokens(rest) if _has_digit(word) and _is_key(word)),
        tuple(words for words in name_words if words and not any(map(_has_digit, words)) and not words & _CALENDAR),
    )


def _last(name: str) -> list[str]:
    """Return the word that a row would name somebody by: the last one, or all where that is a letter."""
    words = _tokens(name.removesuffix("'s").removesuffix("’s"))
    return words[-1:] if words and len(words[-1]) > 2 else words


def _tokens(text: str) -> list[str]:
    """List the words of a text, in small letters, codes such as 'SL-4' in one piece."""
    words = text.casefold().replace("/", " ").replace("’s", "").replace("'s", "").split()
    return list(dict.fromkeys(filter(None, (word.strip("().,;:?!\"'“”‘’[]") for word in words))))


def _has_digit(word: str) -> bool:
    return any(c.isdigit() for c in word)


def _is_key(code: str) -> bool:
    """Return whether a word with a digit is more than a small figure or a year."""
    return not code.isdigit() or (len(code) >= _SHORT and not (len(code) == 4 and code[:2] in ("19", "20")))
