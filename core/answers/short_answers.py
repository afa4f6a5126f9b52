"""The name, date or figure in a sentence that answers a question by itself.

Pure, and by form alone: it is only marked for the reader, and is never the answer as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.answers.question import ASKS_CLOCK, Question, asked_noun, names_in
from core.answers.sentences import beginning, beginnings
from core.domain import Span
from core.english import MONTHS, NUMBERS, SCALES, WEEKDAYS, any_of
from core.language.clock_times import clock_times_in
from core.language.dates import dates_in
from core.language.lexicon import words_of
from core.language.word_forms import are_forms
from core.search.ranking import STOP_WORDS
from core.text import WORD, RowCell, row_cells

_TITLES = words_of("en", "title")
_NUMBER_WORDS = any_of({*NUMBERS, *SCALES, "dozen", "half", "third", "quarter", "once", "twice"} - {"zero"})
_FIGURE = re.compile(
    r"(?<![\d:.])(?<![A-Za-z]-)(?:(?<![^\W\d_])|(?<=\b[A-Z]{3}))"  # not the 5 of a cell A5, but that of EUR5
    rf"[$€£¥]?(?!\d+:\d)(?!\d+(?:st|nd|rd|th)\b)\d+(?:[.,]\d+)*(?:[–-]\d+(?:[.,]\d+)*)?[½¼¾]?"
    rf"(?:\s?%|\s(?:percent|per cent|{_NUMBER_WORDS}))?"
    rf"|[½¼¾]|\b(?:{_NUMBER_WORDS})(?:[\s-](?:and\s(?:a\s)?)?(?:{_NUMBER_WORDS}))*\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b\d{1,2}[:.]\d{2}\b(?::\d{2}\b)?(?:\s?[ap]\.?m\.?)?|\b\d{1,2}\s?[ap]\.?m\.?\b|\b[1-9]\d{2,3}s?\b|\b\d+(?:st|nd|rd|th)\b"
    r"|\b[0-2]\d[0-5]\d(?=\s?(?:hours|hrs|h|GMT|UTC)\b)|(?<=\bat )[0-2]\d[0-5]\d\b",
    re.IGNORECASE,
)
# Before figures: words that make them names of things rather than times.
_NAMED_BY_NUMBER = re.compile(
    r"(?:\b(?:numbers?|nos?\.?|nrs?\.?|page|file|form|room|seal|serial|unit|lot|item)|#|№)\s?$", re.IGNORECASE
)
_SEASONS = ("noon", "midnight", "morning", "evening", "spring", "summer", "autumn", "winter", "century")
_CALENDAR = re.compile(
    rf"\b(?:\d{{1,2}}\s+)?(?:{any_of(MONTHS)})(?:\s+\d{{1,2}})?\b|\b(?:{any_of((*WEEKDAYS, *_SEASONS))})\b",
    re.IGNORECASE,
)
_CALENDAR_WORDS = frozenset((*MONTHS, *WEEKDAYS))
# Before a name: words that rule out a place, or a person.
_OTHERWISE = {
    "where": re.compile(r"\b(?:by|with|against|groups? such as)(?: the)?\s+$", re.IGNORECASE),
    "who": re.compile(r"\b(?:in|at|near)(?: the)?\s+$", re.IGNORECASE),
}
# Of a question for the one who does something: behind these words is not who does it.
_ASKS_WHO_DOES = re.compile(
    r"^\W*who\s+(?!(?:did|do|does|was|were|is|are|has|have|had|can|could|will|would|shall|should|may|might|must)\b)",
    re.IGNORECASE,
)
_ASKS_WHOM = re.compile(r"^\W*(?:whom\b|who\s+(?:did|do|does|has|have|had|will|would)\s+(?!not\b))", re.IGNORECASE)
_TOWARDS = re.compile(r"\b(?:to|into|about|against)(?: the)?\s+$", re.IGNORECASE)
_LABELLED = re.compile(r"\s*:(?:\s|$)")  # behind the name of a speaker
_STAMP = re.compile(r"\W*(?:\[[^\]\n]*\]\s*)?")
_SPEAKER_ACTS = re.compile(r"\b(?:I|[Ww]e)\b")
# A time of day in words, and an article that looks like a number: no figure of anything.
_MONTH = rf"(?:{any_of(MONTHS)})"
_CLOCK = re.compile(
    r"\b(?:half|quarter)\s+(?:to|past|after|before)\b|\b\w+\s+o['’]clock\b|\b\d{1,2}[:.]\d{2}\b"
    rf"|\bone\s+(?:night|day|morning|evening|afternoon)\b|\b\d{{1,2}}\s+{_MONTH}\b|\b{_MONTH}\s+\d{{1,2}}\b",
    re.IGNORECASE,
)
_COUNTS = frozenset(
    ("quantity", "qty", "count", "number", "pieces", "pcs", "anzahl", "menge", "quantité", "cantidad", "quantità")
)
_PERIODS = r"(?:second|minute|hour|day|night|week|month|year|decade|centur|generation)"
_LENGTHS = (
    r"(?:mile|kilomet|met(?:er|re)s?\b|feet|foot|yard|inch|centimet|millimet|light-year|block|km\b|mi\b|m\b|cm\b|mm\b)"
)
_WEIGHTS = r"(?:kilo|kg\b|gram|g\b|tons?\b|tonne|pound|lbs?\b|stone|ounce)"
_SPEEDS = rf"(?:mph|kph|knot|mach|percent|{_LENGTHS}|{_PERIODS})"
_UNITS = {
    "long": rf"(?:{_PERIODS}|{_LENGTHS})",
    "old": rf"{_PERIODS}\w*[\s-]+(?:old|of\s+age|ago)\b",
    "far": rf"(?:{_LENGTHS}|{_PERIODS})",
    "heavy": _WEIGHTS,
    "fast": _SPEEDS,
    **dict.fromkeys(("high", "tall", "deep", "wide"), _LENGTHS),
}
# Questions whose figures need a unit: "how old" is not answered by a house number.
_WITH_UNIT_ONLY = frozenset(("long", "old", "far", "tall", "deep", "wide", "heavy", "fast"))
# Where a figure by itself is an age: "aged 39", "born in 1953", "Manning, 39,", "she was 39 when".
_AGE_BEFORE = re.compile(r"\b(?:aged?|ages?\s+of|turn(?:ed|s|ing)|at\s+age)\s+$|\bborn\b[^.;]{0,25}$", re.IGNORECASE)
_IS_AGE = re.compile(
    r"(?:\b(?:[A-Z]|[Tt]he\s|[Aa]n?\s)[\w'’-]+(?:\s\([^)]*\))?\s?[,(]\s?|\b(?:was|is|were|be|been|being|became)\s(?:only\s|just\s|about\s)?)$"
)
_AGE_AFTER = re.compile(r"\s?(?:[,.;)]|$|(?:when|at|on|and|then)\b)")
_OLDEST = 120
# Before the second figure of 'eleven of the fourteen boxes', and before the first of 'of fourteen boxes, eleven'.
_OF_SOME = re.compile(
    r"\s(?:out\s)?of\s(?:the\s|these\s|those\s|its\s|their\s|his\s|her\s|our\s|all\s)*", re.IGNORECASE
)
_A_PART = rf"(?:{_OF_SOME.pattern}(?:\d[\d.,]*|{_NUMBER_WORDS}))?"
_OF_FIRST = re.compile(r"(?:^|[,;:.]\s)\W*of\s(?:the\s|these\s|those\s|all\s)*$", re.IGNORECASE)
_AND = re.compile(r"[.;:!?,()]|\b(?:and|but|while|whereas|or)\b", re.IGNORECASE)
_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being)\s(?:\w+ly\s|also\s|then\s|later\s|not\s)?$", re.IGNORECASE)
_LETTER = re.compile(r"\b[^\W\d_A-Z]\w*\s$")  # the word before the letter of 'hall B'
_FIRST = re.compile(
    r"\W*(?P<name>[A-Z][\w'’-]+)\s(?:(?:has|had|also|then|later)\s)?"
)  # the first word, before its verb
_FIRM = re.compile(r"\s&\s[A-Z][\w'’-]*")
_HOW = re.compile(r"\bhow\s+(\w+)(?:\s+(.*))?", re.IGNORECASE | re.DOTALL)
_VERBS = frozenset(
    ("is", "are", "was", "were", "did", "do", "does", "has", "have", "had", "can", "could", "will", "would", "of", "in",
     "on", "at", "from", "to", "by", "for", "with", "there", "that", "who", "which")
)  # fmt: skip


def short_answer(question: Question, sentence: str) -> Span | None:
    """Find the span of the name, date or figure in a sentence that the question asks for, or None.

    Of several it is the nearest to the question's words in the sentence, the first of equals. Names of the question
    itself do not count.
    """
    if question.kind == "what":
        return _cell_asked_for(question, sentence)
    spans = _choices(question, sentence)
    if not spans:
        return None
    topical = {beginning(word) for word in question.words}
    places = [match.span() for match in WORD.finditer(sentence) if beginning(match.group()) in topical]

    def distance(span: Span) -> float:
        gaps = [max(span.start - end, start - span.end, 0) for start, end in places]
        return sum(sorted(gaps)[:2]) if gaps else 0

    return min(spans, key=lambda span: (distance(span), span.start, -span.end))


def is_settled(question: Question, sentence: str) -> bool:
    """Return whether a sentence has one value of the kind that is asked for, in the role that is asked for.

    Of several the nearest is but likely; and who is told something is not who tells it.
    """
    if question.kind == "what":
        return True
    spans = _choices(question, sentence)
    texts = {sentence[span.start : span.end].casefold() for span in spans}
    times = {text for text in texts if clock_times_in(text)}  # 'at 9:15 on 4 May' is one
    if max(len(times), len(texts - times)) > 1:
        return False
    if question.kind != "who" or any(cell.heading for cell in row_cells(sentence)):
        return True
    if _ASKS_WHO_DOES.match(question.text):
        return bool(_doers(question, sentence, spans)) or not _verbs(question, sentence)
    asks_whom = _ASKS_WHOM.match(question.text)
    return not (asks_whom and any(span in spans for span in _before_verbs(question, sentence, spans)))


def _choices(question: Question, sentence: str) -> list[Span]:
    """List the spans of a sentence that may be what is asked for; one, where its grammar says which."""
    spans = [
        span for span in _candidates(question, sentence) if not _is_asked(question, sentence[span.start : span.end])
    ]
    cells = row_cells(sentence)
    if any(cell.heading for cell in cells):
        spans = [span for span in spans if any(cell.start <= span.start and span.end <= cell.end for cell in cells)]
        return _of_the_cell(question, cells, spans)
    if question.kind == "how many":
        spans = _of_what_is_counted(question, sentence, spans)
    return _doers(question, sentence, spans) or _of_the_last_word(question, sentence, spans) or spans


def _verbs(question: Question, sentence: str) -> list[re.Match[str]]:
    """List the forms in a sentence of the verb behind 'who', or of the first word after the one who is asked about."""
    asks = _ASKS_WHO_DOES.match(question.text)
    if asks is not None:
        words = WORD.findall(question.text, asks.end())[:1]
    else:
        names = {part for name in question.names for part in WORD.findall(name.casefold())}
        words = [word for word in question.words if word not in names][:1]
    return [match for match in WORD.finditer(sentence) if any(_is_form(match.group(), word) for word in words)]


def _before_verbs(question: Question, sentence: str, spans: Sequence[Span]) -> list[Span]:
    """Return the last span before each active form of the verb that is asked about: who does it."""
    active = [verb for verb in _verbs(question, sentence) if not _PASSIVE.search(sentence[: verb.start()])]
    rows = ([span for span in spans if span.end <= verb.start()][-1:] for verb in active)
    return [span for row in rows for span in row]


def _doers(question: Question, sentence: str, spans: Sequence[Span]) -> list[Span]:
    """Return the one who does what the verb behind 'who' says: the name before the verb, or behind its 'by'."""
    if not _ASKS_WHO_DOES.match(question.text):
        return []
    for match in _verbs(question, sentence):
        if _PASSIVE.search(sentence[: match.start()]):
            border = _AND.search(sentence, match.end())
            clause = sentence[match.end() : border.start() if border else len(sentence)]
            by = clause.find(" by ")
            doers = [span for span in spans if 0 <= by < span.start - match.end() <= len(clause)][:1]
        else:
            doers = [span for span in spans if span.end <= match.start()][-1:]
            if not doers and (first := _FIRST.fullmatch(sentence, 0, match.start())):
                is_name = first["name"].casefold() not in STOP_WORDS and not _is_asked(question, first["name"])
                doers = [Span(*first.span("name"))] if is_name else []
        if doers:
            return doers
    return []


def _of_the_last_word(question: Question, sentence: str, spans: Sequence[Span]) -> list[Span]:
    """Return the spans that follow the last word of the question that some follow: its verb, not its subject."""
    if question.kind not in ("when", "where"):
        return []
    governors = [_governor(sentence, span, spans) for span in spans]
    ranks = [
        max((place for place, word in enumerate(question.words, 1) if _is_form(word, governor)), default=0)
        for governor in governors
    ]
    return [span for span, rank in zip(spans, ranks, strict=True) if rank and rank == max(ranks)]


def _governor(sentence: str, span: Span, spans: Sequence[Span]) -> str:
    """Return the last content word before a span in its clause, '' for none."""
    lead = sentence[: span.start]
    for other in spans:
        if other.end <= span.start:
            lead = lead[: other.start] + " " * (other.end - other.start) + lead[other.end :]
    words = [word for word in WORD.findall(_AND.split(lead)[-1]) if word.casefold() not in STOP_WORDS]
    return words[-1] if words else ""


def _is_form(word: str, candidate: str) -> bool:
    return beginning(word) == beginning(candidate) or are_forms(word.casefold(), candidate.casefold())


def _cell_asked_for(question: Question, line: str) -> Span | None:
    """Return the only cell of a table row whose heading has the noun that is asked for, or None."""
    nouns = {beginning(word) for word in asked_noun(question)}
    cells = [
        Span(cell.start, cell.end)
        for cell in row_cells(line)
        if cell.heading and not nouns.isdisjoint(beginnings(cell.heading.replace("_", " ")))
    ]
    if len(cells) != 1 or not line[cells[0].start : cells[0].end].strip():
        return None
    return None if _is_asked(question, line[cells[0].start : cells[0].end]) else cells[0]


def _of_the_cell(question: Question, cells: Sequence[RowCell], spans: list[Span]) -> list[Span]:
    """Keep the spans below the headings of a table row that have most words of the question.

    If none has any, a count may be below a heading for counts; other figures may be about something else.
    """
    nouns = {beginning(word) for word in asked_noun(question)} if question.kind == "how many" else set()
    question_stems = {beginning(word) for word in question.words}
    headings = [set(beginnings(cell.heading.replace("_", " "))) for cell in cells]
    if any(not nouns.isdisjoint(heading) for heading in headings):
        question_stems = nouns
    counts = [len(question_stems & heading) for heading in headings]
    best = max(counts)
    if best:
        columns = [cell for cell, number in zip(cells, counts, strict=True) if number == best]
    else:
        columns = [cell for cell in cells if not _COUNTS.isdisjoint(WORD.findall(cell.heading.casefold()))]
    fitting = [span for span in spans if any(cell.start <= span.start and span.end <= cell.end for cell in columns)]
    return fitting if fitting or question.kind == "how many" else spans


def _candidates(question: Question, sentence: str) -> Iterator[Span]:
    match question.kind:
        case "how many":
            forms = [_FIGURE]
        case "when":
            times = [Span(time.start, time.end) for time in clock_times_in(sentence)]
            yield from times
            if times and ASKS_CLOCK.search(question.text):
                return
            yield from (Span(date.start, date.end) for date in dates_in(sentence))
            forms = [_TIME, _CALENDAR]
        case "who" | "where":
            for name in names_in(sentence):
                start = sentence.find(name)
                if name in _CALENDAR_WORDS:
                    continue
                if start < 0 or _OTHERWISE[question.kind].search(sentence[:start]):
                    continue
                if question.kind == "where" and _LABELLED.match(sentence, start + len(name)):
                    continue
                if question.kind == "where" or _may_be_who(question, sentence, start, start + len(name)):
                    yield _whole_name(question, sentence, start, start + len(name))
            return
        case _:
            return
    for form in forms:
        for match in form.finditer(sentence):
            if _is_time(sentence, match) if question.kind == "when" else _is_figure(match.group()):
                yield Span(match.start(), match.end())


def _whole_name(question: Question, sentence: str, start: int, end: int) -> Span:
    """Return the span of a name with the rest of a firm's, 'Brandt & Low', and of a place with what it is, 'hall B'."""
    if firm := _FIRM.match(sentence, end):
        end = firm.end()
    if question.kind == "where" and end - start == 1 and (noun := _LETTER.search(sentence[:start])):
        start = noun.start()
    return Span(start, end)


def _may_be_who(question: Question, sentence: str, start: int, end: int) -> bool:
    """Return whether the form lets a name be the one who does what is asked.

    A speaker does what 'I' do; another name before a colon is the label of a form.
    """
    if label := _LABELLED.match(sentence, end):
        return bool(_STAMP.fullmatch(sentence, 0, start) and _SPEAKER_ACTS.search(sentence, label.end()))
    return not (_ASKS_WHO_DOES.match(question.text) and _TOWARDS.search(sentence[:start]))


def _is_time(sentence: str, match: re.Match[str]) -> bool:
    """Return whether a number or a calendar name is a time: no number of a thing, no verb (may, march)."""
    return match.group() not in ("may", "march") and not _NAMED_BY_NUMBER.search(sentence[: match.start()])


def _is_figure(text: str) -> bool:
    """Return whether a figure is one, or two that are a range: '55-1182' is the number of a thing."""
    first, border, last = text.replace(",", "").replace("–", "-").partition("-")
    if not border or not first.isdigit() or not last.isdigit():
        return True
    return int(first) < int(last) and len(last) <= len(first) + 1


def _of_what_is_counted(question: Question, sentence: str, spans: list[Span]) -> list[Span]:
    """Keep the figures of the thing that is asked for, or every plain figure if none precedes its name.

    A length of time must be a figure with its unit.
    """
    how_match = _HOW.search(question.text)
    kind, object_words = (how_match[1].casefold(), how_match[2] or "") if how_match else ("", "")
    unit = _UNITS.get(kind, "")
    nouns: list[str] = []
    for word in WORD.findall(object_words.casefold()) if kind in ("many", "much") else ():
        if word in _VERBS or len(nouns) == 3:
            break
        nouns.append(re.escape(word[:5]))
    spans = _of_a_part(sentence, spans) if kind == "many" else spans
    if nouns:
        unit = rf"(?:{'|'.join(nouns)})"
    if unit:
        unit_after = re.compile(rf"{_A_PART}(?:[\s-]+[^\W\d]\w*){{0,2}}?[\s-]+(?P<unit>{unit})", re.IGNORECASE)
        matches = [(span, unit_after.match(sentence, span.end)) for span in spans]
        units = [(span, match) for span, match in matches if match and not _CLOCK.match(sentence, span.start)]
        if nouns:  # 'firefighters fought': of the noun rather than of the verb behind it
            numbers = [nouns.index(re.escape(match["unit"].casefold())) for _, match in units]
            units = [row for row, number in zip(units, numbers, strict=True) if number == min(numbers)]
        with_unit = [span for span, _ in units]
        if kind == "old":
            with_unit += [span for span in spans if span not in with_unit and _is_age(sentence, span)]
        if with_unit or kind in _WITH_UNIT_ONLY:
            return with_unit
    excluded = [Span(*match.span()) for match in _CLOCK.finditer(sentence)]
    excluded += [
        Span(date.start, date.end) for date in dates_in(sentence) if not sentence[date.start : date.end].isdigit()
    ]
    return [
        span
        for span in spans
        if sentence[span.start : span.end].casefold() != "one"
        and not any(row.start <= span.start < row.end for row in excluded)
    ]


def _of_a_part(sentence: str, spans: Sequence[Span]) -> list[Span]:
    """Leave out the number of all where a part of them is counted too: 'eleven of the fourteen boxes'."""
    wholes = [
        span
        for span in spans
        if any(_OF_SOME.fullmatch(sentence, other.end, span.start) for other in spans)
        or (len(spans) > 1 and _OF_FIRST.search(sentence[: span.start]))
    ]
    return [span for span in spans if span not in wholes]


def _is_age(sentence: str, span: Span) -> bool:
    """Return whether a figure without a unit is an age, by the words around it."""
    prefix = sentence[: span.start]
    if _AGE_BEFORE.search(prefix):
        return True
    words = sentence[span.start : span.end]
    is_age = words.isdigit() and int(words) < _OLDEST
    return is_age and bool(_IS_AGE.search(prefix) and _AGE_AFTER.match(sentence, span.end))


def _is_asked(question: Question, text: str) -> bool:
    """Return whether a text is what the question names itself: in its words, or more of the same name."""
    own_words = {word.casefold() for word in WORD.findall(question.text)}
    words = [word.casefold() for word in WORD.findall(text)]
    if not words or all(word in own_words for word in words):
        return bool(words)
    names = ({word.casefold() for word in WORD.findall(name)} - _TITLES for name in question.names)
    return question.kind in ("who", "where") and any(name and name <= set(words) for name in names)
