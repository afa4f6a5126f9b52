"""What no sentence may do that answers a question: only ask, deny what is asked for, or belong to another day. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.answers.features import days_of
from core.answers.question import ASKS_CLOCK, Question
from core.answers.sentences import beginning
from core.answers.short_answers import short_answer
from core.language.clock_times import ClockTime, clock_times_in, differ
from core.language.denial import is_denial
from core.language.lexicon import words_of
from core.text import FULL_WORD, WORD

_ASKS = re.compile(r"[?？؟][\s)\]]*$")
_CLAUSE = re.compile(r"[.;:!?](?=\s|$)|,|\b(?:but|although|though|whereas|while|except|instead)\b", re.IGNORECASE)
_PART = re.compile(rf"{_CLAUSE.pattern}|\band\b", re.IGNORECASE)
_AT_ONCE = 2  # words between a word and the denial behind it
# How an entry of a log begins, and a line that heads some: '4 March: ...', '[04/03/2025, 19:06] ...', 'Log of 4 March'.
_LABEL = re.compile(r"^\s*(?:[\[(<]([^\])>\n]{3,40})[\])>]|((?:[^:\n]|:(?=\d)){3,40}?)\s*(?::(?!\d)|\s[-–—]\s))")
_ENTRY = re.compile(r"^\s*(?:[-*•–]\s|\(?\d{1,3}[.)]\s|\d{1,2}[:.]\d{2}\b|[^.!?\n]{1,60}$)")
_BEFORE = re.compile(r"^\W*(?:\[[^\]\n]*\]\s*)?(?:[^\W\d][^:.!?\n]{0,30}:(?=\s))?")  # the stamp and the speaker
_HEADING = 6  # words of a heading at most
_BY = re.compile(r"\bby\b", re.IGNORECASE)
_AT = re.compile(r"\bat\s(?:about\s|around\s|exactly\s|precisely\s)?$", re.IGNORECASE)
_ABOUT_THEN = 5  # minutes by which two accounts of one thing may differ
_MOST_LINES = 400  # lines above an entry that are looked at for its heading


def only_asks(text: str) -> bool:
    """Return whether a sentence is a question of the document's own."""
    return _ASKS.search(text) is not None


def knows_nothing(question: Question, text: str) -> bool:
    """Return whether a sentence only says that its speaker does not know: no other clause of it is on the question."""
    clauses = [clause for clause in _PART.split(text) if clause]
    others = [clause for clause in clauses if not _says_ignorance(clause)]
    topic = {beginning(word) for word in question.words}
    return len(others) < len(clauses) and all(
        topic.isdisjoint(map(beginning, FULL_WORD.findall(clause))) and short_answer(question, clause) is None
        for clause in others
    )


def _says_ignorance(text: str) -> bool:
    small = f" {' '.join(FULL_WORD.findall(text.casefold().replace('’', chr(39))))} "
    return any(f" {phrase} " in small for phrase in words_of("en", "ignorance"))


def denies_it(question: Question, text: str) -> bool:
    """Return whether a sentence denies what a question for a person asks about: it names who did not do it."""
    if question.kind != "who" or _has_denial(question.text):
        return False
    names = {word.casefold() for name in question.names for word in WORD.findall(name)}
    topic = {beginning(word) for word in question.words if word not in names and not word[0].isdigit()}
    clauses = [words for clause in _CLAUSE.split(_BEFORE.sub("", text)) if (words := FULL_WORD.findall(clause))]
    about = [words for words in clauses if any(beginning(word) in topic for word in words)]
    return all(_is_denied(words, topic) for words in about) if about else bool(clauses) and all(map(_denies, clauses))


def is_denied(question: Question, text: str) -> bool:
    """Return whether a sentence denies something that a question without a denial asks about."""
    topic = {beginning(word) for word in question.words}
    clauses = [FULL_WORD.findall(clause) for clause in _CLAUSE.split(text)]
    return not _has_denial(question.text) and any(_is_denied(words, topic) for words in clauses)


def is_turned(question: Question, text: str) -> bool:
    """Return whether a sentence has the two names of a question the other way round: who did it to whom."""
    places = [text.find(name) for name in question.names]
    if len(places) != 2 or min(places) < 0 or bool(_BY.search(question.text)) != bool(_BY.search(text)):
        return False
    return places[0] > places[1]


def is_of_another_time(question: Question, text: str) -> bool:
    """Return whether all times of day of a sentence are others than that at which something was, by a question.

    So of questions for a person or for yes or no. A time between two of the sentence is not left out.
    """
    times = [time for time in clock_times_in(question.text) if _AT.search(question.text[: time.start])]
    rivals = clock_times_in(text)
    if (
        question.kind not in ("who", "whether")
        or not times
        or not rivals
        or any(_is_between(time, rivals) for time in times)
    ):
        return False
    return all(differ(replace(left, slack=left.slack + _ABOUT_THEN), right) for left in times for right in rivals)


def _is_between(time: ClockTime, others: Sequence[ClockTime]) -> bool:
    minutes = [other.minute for other in others]
    return min(minutes) < time.minute < max(minutes)


def days_at(text: str, start: int, end: int) -> set[str]:
    """Return the days of text[start:end] as MM-DD: its own, else that of its log entry, else that of its heading."""
    if own_days := days_of(text[start:end]):
        return own_days
    line_start = text.rfind("\n", 0, start) + 1
    label = _LABEL.match(text[line_start:start])
    if label and (label_days := days_of(label[1] or label[2])):
        return label_days
    line_end = text.find("\n", start)
    if not _is_entry(text[line_start : line_end if line_end >= 0 else len(text)]):
        return set()
    for line in reversed(text[:line_start].split("\n")[-_MOST_LINES:]):
        if _is_heading(line):
            return days_of(line)
        if line.strip() and not _is_entry(line):
            break
    return set()


def is_of_another_day(question: Question, days: set[str], *, is_entry: bool = False) -> bool:
    """Return whether the days of a sentence, as MM-DD, leave out those that a question names.

    A day between two of them is not left out. A question for a date may well be answered by another day than the one
    that it names, other questions than those for a time of day, a person or yes or no by all but an entry of a list of
    a day.
    """
    asks_clock = ASKS_CLOCK.search(question.text) is not None
    is_strict = asks_clock or is_entry or question.kind in ("who", "whether")
    if not days or (question.kind == "when" and not asks_clock) or not is_strict:
        return False
    named_days = days_of(question.text)
    return (
        bool(named_days) and named_days.isdisjoint(days) and not any(min(days) < day < max(days) for day in named_days)
    )


def is_of_the_day(question: Question, rows: Sequence[set[str]]) -> bool:
    """Return whether a question names no day, or some sentence has one that does not exclude it; one set for each."""
    return not days_of(question.text) or any(days and not is_of_another_day(question, days) for days in rows)


def _is_heading(line: str) -> bool:
    """Return whether a line names a day and is no sentence or entry itself."""
    words = WORD.findall(line)
    return 0 < len(words) <= _HEADING and not line.rstrip().endswith((".", "!", "?")) and bool(days_of(line))


def _is_entry(line: str) -> bool:
    """Return whether a line is an item of a list or log: short, or begun with a bullet, a number or a time."""
    return bool(_ENTRY.match(line))


def _is_denied(words: Sequence[str], topic: set[str]) -> bool:
    denials = [index for index, word in enumerate(words) if _is_word_of_denial(word)]
    places = [index for index, word in enumerate(words) if beginning(word) in topic]
    return any(
        denial < place or (denial - place <= _AT_ONCE and words[denial].casefold() != "without")
        for denial in denials
        for place in places
    )


def _denies(words: Sequence[str]) -> bool:
    return any(map(_is_word_of_denial, words))


def _has_denial(text: str) -> bool:
    return _denies(FULL_WORD.findall(text))


def _is_word_of_denial(word: str) -> bool:
    small = word.casefold().replace("’", "'")
    return is_denial(small) or any(small in words_of("en", kind) for kind in ("denying", "refusal"))
