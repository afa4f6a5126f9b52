"""What a judge's numbers amount to: a label, the sentence that carries it, and one plain sentence about both.

Nothing here asks a model by itself: ``choose_quote`` is given a function that does. A quote is always a span of the
passage, never text that somebody or something wrote.
"""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from core import paths
from core.domain import Label, Probabilities, Rating, Span, Verdict

Ask = Callable[[str], Probabilities]

MOST_SENTENCES = 6  # of one passage that are judged alone; those nearest to the hypothesis by words come first
WEAK = 0.5  # below this a sentence alone does not carry the verdict, and pairs of neighbours are tried
LONGEST_PAIR = 700  # characters of two neighbouring sentences that are still a quote and not a passage


# --- what was measured of the judge --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Measured:
    """Figures of one set; F1 and accuracy in 0..1. ``seen`` says what training saw of the set."""

    set: str
    n: int
    accuracy: float
    macro_f1: float
    supports_f1: float
    contradicts_f1: float
    neutral_f1: float
    calibration_error: float
    coverage: float
    accuracy_of_kept: float
    seen: str


@dataclass(frozen=True, slots=True)
class ShowThreshold:
    """From which probability on verdicts of a class were right nine times in ten. ``threshold`` None: no probability
    reaches it. ``precision`` is what was measured of the verdicts from there on, ``coverage`` the share of the class's
    verdicts that they are, ``n`` how many they were; ``on`` says on what.
    """

    label: Label
    threshold: float | None
    precision: float = 0.0
    coverage: float = 0.0
    n: int = 0
    on: str = ""

    def sentence(self) -> str:
        if self.threshold is None:
            return f"“{self.label}” is never shown: at no probability were nine in ten of them right ({self.on})."
        return (
            f"“{self.label}” is shown from {self.threshold:.2f} on: {self.precision:.0%} of {self.n} were right, "
            f"{self.coverage:.0%} of all such verdicts ({self.on})."
        )


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What is known of a judge. ``threshold`` is the margin under which it withholds; ``temperature`` is what its
    numbers were divided by so that a probability says how often it is right. ``right`` is the share of the exam that
    it had right, with the interval of 95%; None: it has not sat the exam. ``sure`` has the classes of which a
    strict case shows verdicts; a class that is not there was not measured for it, and is not shown. The sums are of the
    files that the card describes, base model and adapter, and of the two merged; '' where nobody said.
    """

    name: str
    base: str
    licence: str
    data: tuple[str, ...]
    temperature: float
    threshold: float
    coverage: float
    accuracy_of_kept: float
    threshold_fitted_on: tuple[str, ...]
    measured: tuple[Measured, ...]
    limits: tuple[str, ...]
    summary: str
    right: tuple[float, float, float] | None = None
    sure: tuple[ShowThreshold, ...] = ()
    base_sha256: str = ""
    adapter_sha256: str = ""
    merged_sha256: str = ""

    def line(self) -> str:
        """One line for the foot of a list of verdicts."""
        return f"{self.name}: {self.summary}"


def card_file() -> Path:
    return (paths.RESOURCES / "models" / paths.ADAPTER).with_suffix(".json")


@functools.cache
def card() -> ModelCard:
    """The card of the judge in the program's resources."""
    return card_from(json.loads(card_file().read_text("utf-8")))


_CONVERTED: dict[str, Callable[[Any], Any]] = {"str": str, "int": int, "float": float}


def card_from(raw: Mapping[str, Any]) -> ModelCard:
    """The card that is written in ``raw``. Raises ValueError for anything else."""
    try:
        right = raw.get("right")
        sure = tuple(
            ShowThreshold(
                label=row["label"],
                threshold=None if row["threshold"] is None else float(row["threshold"]),
                precision=float(row.get("precision", 0.0)),
                coverage=float(row.get("coverage", 0.0)),
                n=int(row.get("n", 0)),
                on=str(row.get("on", "")),
            )
            for row in raw.get("sure", ())
        )
        found = ModelCard(
            name=str(raw["name"]),
            base=str(raw["base"]),
            licence=str(raw["licence"]),
            data=_texts(raw["data"]),
            temperature=float(raw["temperature"]),
            threshold=float(raw["threshold"]),
            coverage=float(raw["coverage"]),
            accuracy_of_kept=float(raw["accuracy_of_kept"]),
            threshold_fitted_on=_texts(raw["threshold_fitted_on"]),
            measured=tuple(
                Measured(**{part.name: _CONVERTED[str(part.type)](row[part.name]) for part in fields(Measured)})
                for row in raw["measured"]
            ),
            limits=_texts(raw["limits"]),
            summary=str(raw["summary"]),
            right=None if right is None else (float(right[0]), float(right[1]), float(right[2])),
            sure=sure,
            base_sha256=str(raw.get("base_sha256", "")),
            adapter_sha256=str(raw.get("adapter_sha256", "")),
            merged_sha256=str(raw.get("merged_sha256", "")),
        )
        sound = all(row.label in ("supports", "contradicts", "neutral") for row in sure)
    except (KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
        raise ValueError("not the card of a judge") from error
    if not sound:
        raise ValueError("not the card of a judge")
    return found


def _texts(raw: Sequence[Any]) -> tuple[str, ...]:
    return tuple(str(one) for one in raw)


# What the program writes of weights into a fingerprint. Before it stands the name that a file gives itself, which may
# hold any words, these among them; after it nothing that anybody else chose.
_WEIGHTS = re.compile(r"sha256:([0-9a-f]{16})(?: with \S+ sha256:([0-9a-f]{16}))?(?!.*sha256:)", re.DOTALL)


def weights_of(fingerprint: str) -> tuple[str, ...]:
    """The beginnings of the sums of the weights that a fingerprint names, those of an adapter last; where it names
    none, the whole of it.
    """
    found = _WEIGHTS.search(fingerprint)
    return tuple(one for one in found.groups() if one) if found else (fingerprint,)


def is_own(fingerprint: str) -> bool:
    """Whether a fingerprint is of the very weights that the card of the program describes, whatever it is called."""
    own = card()
    pair, merged = (own.base_sha256[:16], own.adapter_sha256[:16]), (own.merged_sha256[:16],)
    return weights_of(fingerprint) in (pair, merged) and "" not in (*pair, *merged)


def model_card(judge: str, exam: str, right: tuple[float, float, float] | None = None, *, own: bool) -> ModelCard:
    """The card of the judge of this fingerprint; ``exam`` says in one line what it reached in the exam, or that it did
    not sit it. What was measured elsewhere is known of the judge that comes with the program alone: ``own``.
    """
    ours = card()
    if own:
        return replace(ours, summary=f"{exam}; {ours.summary}", right=right)
    return ModelCard(
        name=judge.partition(" sha256:")[0],
        base="",
        licence="",
        data=(),
        temperature=1.0,
        threshold=ours.threshold,
        coverage=0.0,
        accuracy_of_kept=0.0,
        threshold_fitted_on=(),
        measured=(),
        limits=() if right is None else ("Only its exam result is known of this model.",),
        summary=exam,
        right=right,
    )


def withheld(verdict: Verdict, sure: Sequence[ShowThreshold]) -> bool:
    """Whether a strict case does not show a verdict: one that is undecided, of a class that never was right nine times
    in ten, or less probable than from where on it was.
    """
    threshold = next((row.threshold for row in sure if row.label == verdict.label), None)
    return threshold is None or _by_label(verdict.probabilities).get(verdict.label, 0.0) < threshold


# --- label and rating ----------------------------------------------------------------------------------------------


def label(probabilities: Probabilities, threshold: float | None = None) -> Label:
    """The most probable label, or ``ambiguous`` when the next one is nearer than ``threshold`` (None: the card's)."""
    if threshold is None:
        threshold = card().threshold
    ranked = sorted(_by_label(probabilities).items(), key=lambda item: -item[1])
    return ranked[0][0] if ranked[0][1] - ranked[1][1] >= threshold else "ambiguous"


def rating_for(label: Label) -> Rating | None:
    """The rating a label suggests. An ambiguous verdict suggests nothing, and nothing here is ever ``CC`` or ``II``."""
    ratings: dict[Label, Rating] = {"supports": "C", "contradicts": "I", "neutral": "N"}
    return ratings.get(label)


def _by_label(probabilities: Probabilities) -> dict[Label, float]:
    return {
        "supports": probabilities.supports,
        "contradicts": probabilities.contradicts,
        "neutral": probabilities.neutral,
    }


# --- the language that was measured --------------------------------------------------------------------------------

_ENGLISH = frozenset(
    re.findall(
        r"\w+",
        "the of and were by that with from has had not did does this these those which who would could should are been "
        "their there they his her its at for",
    )
)
# Small words of languages near to English in script, without those that are English words, too: German, French,
# Spanish, Italian, Portuguese, Dutch, Scandinavian, Polish.
_FOREIGN = frozenset(
    re.findall(
        r"\w+",
        "der das und ist nicht wurde wurden hat haben ein eine einen dem den des mit von zur zum "
        "le les une est dans pas du que qui sont avec aux été ont "
        "el los las una del por con fue está han son al "
        "il gli della che non è sono stato nel per "
        "não foi uma dos das pela pelo com "
        "het een van werd niet zijn voor "
        "och inte som det att är på af ikke blev er og "
        "nie się jest został przez w z na",
    )
)


def foreign(text: str) -> bool:
    """Whether ``text`` seems to be in another language than English: by its script, or by its small words.

    Made for one sentence, where statistics have too little to go by. In doubt it is English.
    """
    letters = [mark for mark in text if mark.isalpha()]
    latin = sum("LATIN" in unicodedata.name(mark, "") for mark in letters)
    if latin < len(letters) / 2:
        return True
    words = set(re.findall(r"\w+", text.casefold()))
    return len(words & _FOREIGN) >= 2 and not words & _ENGLISH


# --- the sentence that carries the verdict -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Choice:
    """A span of a passage. ``probability`` is that of the passage's label when the span is judged alone, None when it
    was not judged; ``agrees`` says whether the span alone has the passage's label; ``alone`` is the label it has.
    ``named`` says which of the passage's sentences it is: '3 of 7', '3 and 4 of 7', '' for the only one.
    """

    start: int
    end: int
    probability: float | None = None
    agrees: bool = False
    alone: Label | None = None
    named: str = ""


def worth_asking(passage: str, spans: Sequence[Span], label: Label, hypothesis: str) -> list[str]:
    """The sentences that ``choose_quote`` will ask about, whatever the answers are: who asks several hypotheses about
    one passage can then ask each sentence once for all of them.
    """
    filled = _filled(passage, spans)
    if label not in ("supports", "contradicts") or len(filled) < 2:
        return []
    shared = [_shared_words(passage[span.start : span.end], hypothesis) for span in filled]
    return [passage[filled[at].start : filled[at].end] for at in _worth(shared)]


def _worth(shared: Sequence[int]) -> list[int]:
    """Which sentences are judged alone, by the words that each shares with the hypothesis."""
    return sorted(sorted(range(len(shared)), key=lambda at: (-shared[at], at))[:MOST_SENTENCES])


def choose_quote(passage: str, spans: Sequence[Span], label: Label, hypothesis: str, ask: Ask) -> Choice:
    """The sentence of ``passage``, or two neighbours, that carries ``label``; ``spans`` are its sentences in order.

    For supports and contradicts the sentences are judged alone: the one with the label and its highest probability
    wins, two neighbours when each alone is weak. For the other labels the sentence nearest by words is shown.
    """
    filled = _filled(passage, spans)
    if not filled:
        whole = _trimmed(passage, Span(0, len(passage)))
        return Choice(whole.start, whole.end)
    shared = [_shared_words(passage[span.start : span.end], hypothesis) for span in filled]
    nearest = filled[max(range(len(filled)), key=lambda at: (shared[at], -at))]
    if label not in ("supports", "contradicts") or len(filled) == 1:
        return Choice(nearest.start, nearest.end, named=_named(filled, nearest))

    asked: dict[Span, Probabilities] = {}
    for at in _worth(shared):
        asked[filled[at]] = ask(passage[filled[at].start : filled[at].end])
    best = _best(asked, label)
    if _by_label(asked[best])[label] < WEAK:
        at = filled.index(best)
        for first, second in ((at - 1, at), (at, at + 1)):
            if first < 0 or second >= len(filled):
                continue
            pair = Span(filled[first].start, filled[second].end)
            if pair.end - pair.start <= LONGEST_PAIR and "\n\n" not in passage[pair.start : pair.end]:
                asked[pair] = ask(passage[pair.start : pair.end])
        best = _best(asked, label)
    return _weighed(filled, best, label, asked[best])


def weigh(passage: str, spans: Sequence[Span], quote: Span, label: Label, ask: Ask) -> Choice:
    """What ``choose_quote`` says, of a ``quote`` that is chosen already: as another model is asked about it."""
    filled = _filled(passage, spans)
    if label not in ("supports", "contradicts") or len(filled) <= 1:
        return Choice(quote.start, quote.end, named=_named(filled, quote))
    return _weighed(filled, quote, label, ask(passage[quote.start : quote.end]))


def _weighed(sentences: Sequence[Span], quote: Span, label: Label, told: Probabilities) -> Choice:
    values = _by_label(told)
    alone = max(values, key=lambda name: values[name])
    return Choice(quote.start, quote.end, values[label], alone == label, alone, _named(sentences, quote))


def _named(sentences: Sequence[Span], quote: Span) -> str:
    """Which of the sentences a quote is made of."""
    at = [n for n, s in enumerate(sentences, start=1) if s.start < quote.end and s.end > quote.start]
    if len(sentences) < 2 or not at:
        return ""
    first, last = at[0], at[-1]
    which = f"{first}" if first == last else f"{first} and {last}" if last == first + 1 else f"{first} to {last}"
    return f"{which} of {len(sentences)}"


def _best(asked: dict[Span, Probabilities], label: Label) -> Span:
    """Highest probability of ``label``; of equals the shorter, then the earlier one."""
    return min(asked, key=lambda span: (-_by_label(asked[span])[label], span.end - span.start, span.start))


def _filled(passage: str, spans: Sequence[Span]) -> list[Span]:
    """The spans that hold more than white space, without that around them."""
    return [span for span in (_trimmed(passage, span) for span in spans) if span.start < span.end]


def _trimmed(text: str, span: Span) -> Span:
    start, end = span.start, span.end
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


# Words too common to say that two sentences speak of the same thing.
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be been but by did do does for from had has have he her his i if in into is it its me my "
        "no nor not of on or our she so such than that the their them then there these they this those to too us was "
        "we were what when where which while who whom why will with would you your",
    )
)


def _words(text: str) -> set[str]:
    return {word[:6] for word in re.findall(r"\w+", text.casefold()) if word not in _COMMON}


def _shared_words(sentence: str, hypothesis: str) -> int:
    return len(_words(sentence) & _words(hypothesis))


# --- one plain sentence --------------------------------------------------------------------------------------------

_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|without|cannot|fail(?:s|ed)? to|denie[sd]|deny|lack(?:s|ed)?"
    r"|absence of|refuted?|rul(?:es|ed) out)\b|n['’]t\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:(?-i:may)|might|could|perhaps|possibl[ey]|probabl[ey]|likely|unlikely|appear(?:s|ed)?"
    r"|seem(?:s|ed)?|suggest(?:s|ed)?|alleged(?:ly)?|reported(?:ly)?|apparent(?:ly)?|presumabl[ey]|purported(?:ly)?"
    r"|(?<!the )(?<!a )suspect(?:s|ed)?"
    r"|believed to|is thought to|unconfirmed|potential(?:ly)?|rumou?red)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:said|says|told|stated|states|claim(?:s|ed)|according to|testified|asserted|insisted|argued|reports? that"
    r"|reported that|denied|denies|wrote that|announced|recalled|quoted as)\b",
    re.IGNORECASE,
)

APART = 0.15  # between a passage and its sentence: a difference worth telling

_VERBS: dict[Label, str] = {"supports": "supports", "contradicts": "contradicts", "neutral": "is neutral to"}


def explanation(
    label: Label, probabilities: Probabilities, choice: Choice, quote: str, hypothesis: str, *, mind: str = ""
) -> str:
    """One plain sentence on the numbers, and what a reader should mind; the same input gives the same words.

    It names the quoted sentence, what the model makes of it alone, and what the rest of the passage changes.

    ``mind`` is one thing more that was found of the passage.
    """
    values = _by_label(probabilities)
    which = f", {choice.named}," if choice.named else ""
    nearest = f"the sentence nearest by words{which}"
    if label == "ambiguous":
        first, second = sorted(values, key=lambda name: -values[name])[:2]
        said = (
            f"The model cannot decide between {first} ({values[first]:.2f}) and {second} ({values[second]:.2f}); "
            f"{nearest} is quoted."
        )
    else:
        said = f"The model finds that the passage {_VERBS[label]} the hypothesis ({values[label]:.2f}"
        if choice.probability is None:
            said += ")." if label != "neutral" else f"); {nearest} is quoted."
        elif choice.agrees:
            quoted = "sentences" if " and " in choice.named or " to " in choice.named else "sentence"
            said += f"; the quoted {quoted}{which} alone {choice.probability:.2f})."
            if choice.probability - values[label] >= APART:
                said += " The rest of the passage weakens it: read the passage."
            elif values[label] - choice.probability >= APART:
                said += " The rest of the passage adds to it."
        else:
            own = f"; by itself it {_VERBS[choice.alone]} it" if choice.alone in _VERBS else ""
            said += f"), but no sentence alone does (the quoted one{which} {choice.probability:.2f}{own}):"
            said += " read the passage."
    minds = warnings(quote, hypothesis)
    if mind:
        minds.append(mind)
    return said + (f" Note: {'; '.join(minds)}." if minds else "")


def warnings(quote: str, hypothesis: str) -> list[str]:
    """What of the quote the model is known to misread, by rule: negation, hedging, reported speech, other dates,
    numbers and names than those of the hypothesis.
    """
    found = []
    denied, meant = _NEGATION.search(quote), _NEGATION.search(hypothesis)
    if bool(denied) != bool(meant):
        where, match = ("quote", denied) if denied else ("hypothesis", meant)
        if match is not None:
            found.append(f"only the {where} is negated (“{match[0]}”)")
    hedge = _HEDGE.search(quote)
    if hedge:
        found.append(f"hedged (“{hedge[0]}”)")
    reported = _REPORTED.search(quote)
    if reported and (hedge is None or reported.start() != hedge.start()):
        found.append(f"reported speech (“{reported[0]}”)")
    ours, theirs = _dates(quote), _dates(hypothesis)
    # Only where both sides name some and share none: a quote need not repeat what the hypothesis says.
    if ours and theirs and not any(_same_date(one, other) for one in ours for other in theirs):
        found.append(f"different dates (“{ours[0].words}” in the quote, “{theirs[0].words}” in the hypothesis)")
    counted, meant_counted = _numbers(quote), _numbers(hypothesis)
    if counted and meant_counted and not set(counted) & set(meant_counted):
        one, other = next(iter(counted.values())), next(iter(meant_counted.values()))
        found.append(f"different numbers (“{one}” in the quote, “{other}” in the hypothesis)")
    there, meant_there = _names(quote), _names(hypothesis)
    if there and meant_there and not there.keys() & meant_there.keys():
        one, other = next(iter(there.values())), next(iter(meant_there.values()))
        found.append(f"different names (“{one}” in the quote, “{other}” in the hypothesis)")
    return found


@dataclass(frozen=True, slots=True)
class _Date:
    """A date as a text gives it; 0 for what it does not say."""

    year: int
    month: int
    day: int
    words: str


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# With a capital: "may" without one is a verb.
_MONTH = (
    r"(?P<m>January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?)"
)
_DATES = tuple(
    re.compile(pattern)
    for pattern in (
        # Longer ones first; each is taken out of the text, so that its year is not read again alone.
        r"\b(?P<y>[0-9]{4})-(?P<m>[0-9]{2})(?:-(?P<d>[0-9]{2}))?\b",
        rf"\b(?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? (?P<y>[0-9]{{4}})\b)?",
        rf"\b{_MONTH} (?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)?\b(?![:.][0-9])(?:,? (?P<y>[0-9]{{4}})\b)?",
        rf"\b{_MONTH},? (?P<y>[0-9]{{4}})\b",
        r"\b(?P<y>1[4-9][0-9]{2}|20[0-9]{2})\b(?![%:]|[.,][0-9])",
    )
)


def _dates(text: str) -> list[_Date]:
    """The dates of an English text, in the order of their patterns."""
    found = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            parts = match.groupdict()
            month = parts.get("m") or "0"
            number = int(month) if month.isdecimal() else _MONTHS.index(month[:3]) + 1
            found.append(_Date(int(parts["y"] or 0), number, int(parts.get("d") or 0), match[0]))
        text = pattern.sub(lambda match: "\0" * len(match[0]), text)
    return found


def _same_date(one: _Date, other: _Date) -> bool:
    """Whether both can be the same day: what only one of them says cannot differ."""
    pairs = ((one.year, other.year), (one.month, other.month), (one.day, other.day))
    return all(not mine or not theirs or mine == theirs for mine, theirs in pairs)


_NUMBER = re.compile(r"(?<![\w.,:/-])[0-9][0-9,]*(?:\.[0-9]+)?(?![\w:/]|-\w|[.,][0-9])")
_COUNTS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_COUNT = re.compile(rf"\b(?:{'|'.join(_COUNTS[1:])})\b", re.IGNORECASE)  # “one” is no number in most sentences


def _numbers(text: str) -> dict[float, str]:
    """The numbers of a text that belong to no date, time or name of a thing, by what they are worth."""
    for pattern in _DATES:
        text = pattern.sub(lambda match: "\0" * len(match[0]), text)
    found: dict[float, str] = {}
    for match in _NUMBER.finditer(text):
        found.setdefault(float(match[0].replace(",", "")), match[0])
    for match in _COUNT.finditer(text):
        found.setdefault(float(_COUNTS.index(match[0].casefold()) + 1), match[0])
    return found


# Written with a capital and yet no name of somebody or something.
_NO_NAMES = re.compile(rf"(?:{_MONTH}|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)s?")


def _names(text: str) -> dict[str, str]:
    """Words with a capital within a sentence, by their folded form. The first word of a sentence tells nothing."""
    found: dict[str, str] = {}
    for match in re.finditer(r"\b[^\W\d_][\w-]+", text):
        before = text[: match.start()].rstrip("\"'“‘( \t\n")
        first = not before or before[-1] in ".!?:;•"
        if match[0][0].isupper() and not first and not _NO_NAMES.fullmatch(match[0]):
            found.setdefault(match[0].casefold(), match[0])
    return found
