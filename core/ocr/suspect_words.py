"""The words of scans that a person should check, ordered by what an error in them would change, never by page.

A word is in doubt when two engines read it differently, when its engine was unsure, when it is a figure, which no
neighbour corrects, when it occurs nowhere else in the case and is no word of the language, when a word that is easily
mistaken for it is there often, or when a mark is where none belongs. Quotes of the case go first; in them and
behind them a word goes the earlier the likelier it is wrong and the more it changes: figures, negations, dates, names.

How likely a word is wrong is the sum of what speaks against it, as log odds. The weights are those of a logistic
regression on half of 48 pages of scanned books, clean and worn, rounded to halves; the other half they were tested on.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from core.domain import Page, Reading, Words
from core.english import CALENDAR
from core.ports import UNREAD

UNSURE = 0.95  # below this a word is in doubt; on clean pages a word in twelve is
LIKELY = 0.08  # chance of being wrong from which on a word is counted among those that matter
_HARDLY_SURE = 0.97
_AROUND = 90  # characters of the page on either side of a word

_NEGATIONS = frozenset(
    (
        *("no", "not", "never", "none", "nor", "neither", "nobody", "nothing", "nowhere", "without", "cannot"),
        *("denied", "denies", "deny", "failed", "refused", "lacks", "false"),
        *("nicht", "kein", "keine", "keinen", "nie", "niemals", "niemand", "nichts"),
        *("ne", "pas", "jamais", "aucun", "nunca", "jamás", "ningún"),
    )
)
_ENDS = ".!?:;"
# What makes an error in a word change what its sentence says, the gravest first, with how far forward it brings it.
_GRAVE = {"a figure": 1.0, "a negation": 1.0, "a date": 0.75, "a name": 0.5}
# Letters that engines take for each other.
_CONFUSED = (
    "c/e n/u h/b l/t l/i o/e a/o a/e a/u s/a f/t i/t r/t v/y I/l 1/l n/h r/n c/o f/l a/n d/l s/n k/h t/e "
    "rn/m ii/u li/h cl/d fl/tl in/m ni/m vv/w"
)
_SWAPS = tuple(
    swap
    for first, _, second in (pair.partition("/") for pair in _CONFUSED.casefold().split())
    for swap in ((first, second), (second, first))
)
_PARTS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ODD_MARK = re.compile(
    r"[*~|\\^_{}<>»«#=]|[^\W\d]{2}[.,;:!?/\[\]][^\W\d]|[^\W\d][.,;:!?/\[\]][^\W\d]{2}|[.,;:!?]{2}(?<!\.\.)"
)
_OFTEN = 4  # times as often, for a like word to be the likelier one


@dataclass(frozen=True, slots=True)
class SuspectWord:
    """A word to check: the ``word``-th of its page, ``text`` = page text[start:end] as it is now.

    ``box`` is (x0, y0, x1, y1) in points of the page as shown; ``confidence`` (0..1) and ``alternatives`` are those of
    the engine whose reading made the text; ``other`` is what the other engine read, '' where it agrees or there is
    none, UNREAD where it saw nothing. ``reasons`` say in words why it is here; ``cited`` are the ids of the evidence
    whose quote holds it; ``context`` is what is before and after it on the page.
    """

    page_id: int
    document: str
    page: int
    word: int
    text: str
    start: int
    end: int
    box: tuple[float, float, float, float]
    confidence: float
    alternatives: tuple[str, ...]
    other: str
    reasons: tuple[str, ...]
    cited: tuple[str, ...]
    context: tuple[str, str]
    error_probability: float = 0.0  # 0..1


@dataclass(frozen=True, slots=True)
class ConfusionGroup:
    """Doubts in which the engines differ in the same way.

    ``what`` is that difference, 'rn/m'; for words that only one engine read it is the word itself.
    """

    what: str
    doubts: tuple[SuspectWord, ...]


@lru_cache(maxsize=50_000)
def _parts(text: str) -> tuple[str, ...]:
    """Return the words in a word: without the marks around and between them."""
    return tuple(_PARTS.findall(text))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words that are known.

    ``counts`` says how often each is in the scans of the case where no engine doubts it, in small letters;
    ``language`` has those of the language, None: no list of them is here.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    language: Container[str] | None = None
    _cache: dict[str, bool] = field(default_factory=dict, compare=False, repr=False)

    def has(self, word: str) -> bool:
        """Return whether it is a word of the language; of a language without a list, whether it is in the case."""
        if self.language is None:
            return bool(self.counts.get(word.casefold()))
        is_word = self._cache.get(word)
        if is_word is None:
            is_word = self._cache[word] = word in self.language or word.casefold() in self.language
        return is_word

    def liker(self, word: str, often: int) -> str:
        """Return a word easily mistaken for this one that is in the case much more often; '' if there is none."""
        best = max(_look_alikes(word), key=lambda look_alike: self.counts.get(look_alike, 0), default="")
        return best if self.counts.get(best, 0) >= _OFTEN * (often + 1) else ""


def word_counts(readings: Iterable[Reading]) -> Counter[str]:
    """Count how often each word is in readings where the engines agree, in small letters."""
    counts: Counter[str] = Counter()
    for reading in readings:
        second_readings = reading.others or ("",) * len(reading.words)
        for word, second_reading in zip(reading.words, second_readings, strict=True):
            if not second_reading:
                counts.update(part.casefold() for part in _parts(reading.text[word.start : word.end]))
    return counts


@lru_cache(maxsize=20_000)
def _look_alikes(word: str) -> frozenset[str]:
    """Return what an engine may have taken for this word."""
    lower = word.casefold()
    candidates: set[str] = set()
    for sign, two in _SWAPS:
        offset = lower.find(sign)
        while offset >= 0:
            candidates.add(lower[:offset] + two + lower[offset + len(sign) :])
            offset = lower.find(sign, offset + 1)
    return frozenset(candidates - {lower})


def find(
    page: Page,
    reading: Reading,
    words: Words,
    decisions: Collection[int],
    citations: Sequence[tuple[int, int, str]] = (),
    *,
    vocabulary: Vocabulary | None = None,
) -> list[SuspectWord]:
    """List the words of one page that nobody has decided about yet and that are in doubt, the gravest first.

    ``reading`` is the one that made the text, ``words`` stand for its words, one each, as they are on the page now.
    ``decisions`` are places of words, ``citations`` the (start, end, id) of quotes from the page; ``vocabulary`` tells
    what is a word, None: nothing is said about that. Raises ValueError when words and reading are not of one page.
    """
    if len(words) != len(reading.words):
        raise ValueError(f"page {page.id} has {len(words)} words, its reading has {len(reading.words)}")
    suspects = []
    began = True
    boxes = list(words)
    texts = [page.text[word.start : word.end] for word in boxes]
    second_readings = reading.others or ("",) * len(boxes)
    apart_share = sum(map(bool, second_readings)) / max(1, len(second_readings))
    for place, (word, confidence) in enumerate(zip(boxes, reading.confidences, strict=True)):
        text = texts[place]
        starts, began = began, text.rstrip("\"'”’)")[-1:] in _ENDS
        if place in decisions or not text:
            continue
        second_reading = second_readings[place]
        inside = tuple(identity for start, end, identity in citations if start < word.end and end > word.start)
        beside = (texts[place - 1] if place else "", texts[place + 1] if place + 1 < len(texts) else "")
        odd, odd_signs = _odd(text, second_reading, beside, vocabulary)
        reasons = _reasons(text, second_reading, round(confidence, 2), starts, odd_signs)
        if not reasons:
            continue
        near = sum(
            bool(second_readings[index]) for index in (place - 1, place + 1) if 0 <= index < len(second_readings)
        )
        odds = odd + _apart(text, second_reading, confidence, vocabulary) + 0.5 * near + 2.5 * apart_share - 6.5
        suspects.append(
            SuspectWord(
                page_id=page.id,
                document=page.document,
                page=page.number,
                word=place,
                text=text,
                start=word.start,
                end=word.end,
                box=(word.x0, word.y0, word.x1, word.y1),
                confidence=round(confidence, 4),
                alternatives=reading.alternatives[place] if reading.alternatives else (),
                other=second_reading,
                reasons=reasons,
                cited=inside,
                context=_context(page.text, word.start, word.end),
                error_probability=round(1 / (1 + math.exp(-odds)), 4),
            )
        )
    return in_order(suspects)


def in_order(suspects: Iterable[SuspectWord]) -> list[SuspectWord]:
    """Sort doubts of any pages, the one whose error would change most first; equal ones by page and word."""
    return sorted(suspects, key=_order)


def matters(doubt: SuspectWord) -> bool:
    """Return whether a word is one that a person should look at: it is in a quote, or likely to be wrong."""
    return bool(doubt.cited) or doubt.error_probability >= LIKELY


def _order(doubt: SuspectWord) -> tuple[bool, float, int, int]:
    grave = max((_GRAVE.get(reason, 0.0) for reason in doubt.reasons), default=0.0)
    odds = math.log(max(doubt.error_probability, 1e-6) / max(1 - doubt.error_probability, 1e-6))
    # In a quote, and where the engines differ, it counts most what an error would change; elsewhere how likely it is.
    weight = 4.0 if doubt.other or doubt.cited else 0.5
    return (not doubt.cited, -round(odds + weight * grave, 3), doubt.page_id, doubt.word)


def _apart(text: str, second_reading: str, confidence: float, vocabulary: Vocabulary | None) -> float:
    """Weigh what the engines' own words say against a word, in log odds."""
    if second_reading == UNREAD:
        return 3.0 + 2.5 * max(0.0, 0.95 - 2 * confidence)
    if second_reading:
        parts = _parts(second_reading)
        likely = vocabulary is not None and bool(parts) and all(vocabulary.has(part) for part in parts)
        # Where engines differ the confidence is half of what the engine said.
        return 2.5 + 2.5 * max(0.0, 0.95 - 2 * confidence) + 0.5 * likely
    short = sum(c.isalnum() for c in text) <= 3
    return 0.75 * (confidence < _HARDLY_SURE) + 0.75 * (confidence < UNSURE) + (0.5 + 0.5 * short) * (1 - confidence)


def _odd(
    text: str, second_reading: str, beside: tuple[str, str], vocabulary: Vocabulary | None
) -> tuple[float, list[str]]:
    """Weigh what the word itself says against it, in log odds, with what of it a person is told."""
    parts = _parts(text)
    if not parts:
        return 1.5, []
    odds = 0.0
    signs: list[str] = []
    if any(c.isdigit() for c in text):
        odds += 1.5
    elif vocabulary is not None:
        here = 0 if second_reading else 1
        often = [max(0, vocabulary.counts.get(part.casefold(), 0) - here) for part in parts]
        strange = [part for part in parts if not vocabulary.has(part)]
        alone = min(often) < 1
        if strange:
            odds += 2.0
            if alone and any(vocabulary.has(like) for part in strange for like in _look_alikes(part)):
                odds += 1.5
            if alone:
                signs.append("occurs nowhere else")
        odds += 1.0 * alone
        for part, times in zip(parts, often, strict=True):
            like = vocabulary.liker(part, times) if len(part) > 1 and times < _OFTEN else ""
            if like:
                odds += 2.0
                signs.append(f"“{like}” is frequent here")
                break
    if (_ODD_MARK.search(text) and not any(c.isdigit() for c in text)) or _stops(text, beside[1], vocabulary):
        odds += 2.5
        signs.append("an odd mark")
    elif any(_parts(text.casefold()) == _parts(word.casefold()) for word in beside):
        odds += 2.5
        signs.append("occurs twice")
    return odds, signs


def _stops(text: str, following: str, vocabulary: Vocabulary | None) -> bool:
    """Return whether a sentence goes on behind a full stop, or one begins behind a comma."""
    first = next(iter(_parts(following)), "")
    if not first:
        return False
    if text[-1:] in (".", "!", "?") and following[:1].islower():
        letters = "".join(c for c in text if c.isalpha()).casefold()
        # Short words are abbreviations, unless they are there often without a stop.
        return len(letters) > 3 or (vocabulary is not None and vocabulary.counts.get(letters, 0) >= 5 * _OFTEN)
    begins = text[-1:] == "," and following[:1].isupper() and 1 < len(first) <= 4
    return (
        begins
        and vocabulary is not None
        and vocabulary.language is not None
        and first.casefold() in vocabulary.language
    )


def _reasons(
    text: str, second_reading: str, confidence: float, starts: bool, odd_signs: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return why a word is in doubt, in words; nothing when it is not."""
    reasons = []
    if second_reading == UNREAD:
        reasons.append("only one engine saw it")
    elif second_reading:
        reasons.append("the engines differ")
    # What the other engine read counts as well: "not" is no less a negation when it was read as "hot".
    kinds = {_kind(text, starts), _kind(second_reading, starts)} - {""}
    if confidence < UNSURE:
        reasons.append(f"{confidence:.0%} sure")
    reasons += odd_signs
    if not reasons and "a figure" not in kinds:
        return ()
    reasons += [kind for kind in _GRAVE if kind in kinds]
    return tuple(reasons)


def _kind(text: str, starts: bool) -> str:
    bare = re.sub(r"^\W+|\W+$", "", text)
    if not bare or text == UNREAD:
        return ""
    if re.search(r"\d", bare):
        return "a figure"
    lower = bare.casefold()
    if lower in _NEGATIONS or lower.endswith(("n't", "n’t")):
        return "a negation"
    if lower in CALENDAR and bare[0].isupper():
        return "a date"
    if bare[0].isupper() and len(bare) > 1 and not starts:
        return "a name"
    return ""


def _context(text: str, start: int, end: int) -> tuple[str, str]:
    """Return what is before and after on one line, whole words, with an ellipsis where the page goes on."""
    preceding = text[max(0, start - _AROUND) : start]
    after = text[end : end + _AROUND]
    if start > _AROUND:
        preceding = "… " + preceding.partition(" ")[2]
    if end + _AROUND < len(text):
        after = after.rpartition(" ")[0] + " …"
    return " ".join(preceding.split()), " ".join(after.split())


def apart(text: str, second_reading: str) -> tuple[int, int, int]:
    """Find where two readings of a word part: text[first:end] is other[first:other_end], the rest is the same."""
    shortest = min(len(text), len(second_reading))
    first = next((index for index in range(shortest) if text[index] != second_reading[index]), shortest)
    last = next(
        (index for index in range(shortest - first) if text[-1 - index] != second_reading[-1 - index]), shortest - first
    )
    return first, len(text) - last, len(second_reading) - last


def difference(text: str, second_reading: str) -> str:
    """Return in what two readings of a word differ: 'rn/m' for 'modern' and 'modem'; '' where they do not."""
    if not second_reading or second_reading == UNREAD or text == second_reading:
        return ""
    first, end, other_end = apart(text, second_reading)
    return f"{text[first:end]}/{second_reading[first:other_end]}"


def confusion_groups(suspects: Iterable[SuspectWord]) -> list[ConfusionGroup]:
    """Gather doubts by what is doubtful in them, in the order of the first of each."""
    groups: dict[tuple[bool, str], list[SuspectWord]] = {}
    for doubt in suspects:
        what = difference(doubt.text, doubt.other)
        groups.setdefault((bool(what), what or doubt.text), []).append(doubt)
    return [ConfusionGroup(what, tuple(group)) for (_, what), group in groups.items()]
