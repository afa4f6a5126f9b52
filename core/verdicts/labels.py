"""What a judge's numbers amount to: a label, the sentence that carries it, and one plain sentence about both.

Nothing here asks a model by itself: ``choose_quote`` is given a function that does. A quote is always a span of the
passage, never text that somebody or something wrote.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from core import paths
from core.domain import Label, Probabilities, Proposal, Rating, ShowMode, Span, Suggestion, Verdict
from core.english import COUNTS, MONTH_NUMBERS, MONTHS, NUMBERS
from core.language import identification
from core.language.lexicon import words_of
from core.language.quantities import quantities_in
from core.text import sentences

Ask = Callable[[str], Probabilities]

MOST_SENTENCES = 6  # of one passage that are judged alone; those nearest to the hypothesis by words come first
WEAK = 0.5  # below this a sentence alone does not carry the verdict, and pairs of neighbours are tried
LONGEST_PAIR = 700  # characters of two neighbouring sentences that are still a quote and not a passage


# --- what was measured of the judge --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Benchmark:
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
    """The probability from which on verdicts of a class were right nine times in ten; ``threshold`` None: none is.

    ``precision`` is what was measured of the verdicts from there on, ``coverage`` the share of the class's verdicts
    that they are, ``n`` how many they were; ``on`` says on what.
    """

    label: Label
    threshold: float | None
    precision: float = 0.0
    coverage: float = 0.0
    n: int = 0
    on: str = ""

    def sentence(self) -> str:
        """Return from where on the class is shown, and what was measured."""
        if self.threshold is None:
            return f"“{self.label}” is never shown: at no probability were nine in ten of them right ({self.on})."
        return (
            f"“{self.label}” is shown from {self.threshold:.2f} on: {self.precision:.0%} of {self.n} were right, "
            f"{self.coverage:.0%} of all such verdicts ({self.on})."
        )


@dataclass(frozen=True, slots=True)
class ModelCard:
    """The facts known of a judge.

    ``threshold`` is the margin under which it withholds; ``temperature`` is what its numbers were divided by so that a
    probability says how often it is right. ``right`` is the share of the exam's statements that it had right, with the
    interval of 95%; None: it has not sat the exam. ``clues`` is the same of the exam's clues, then what chance gives.
    ``sure`` has the classes of which a strict case shows verdicts; a class that is not there was not measured for it,
    and is not shown. ``sha256`` is of the file that the card describes; '' where nobody said.
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
    measured: tuple[Benchmark, ...]
    limits: tuple[str, ...]
    summary: str
    right: tuple[float, float, float] | None = None
    sure: tuple[ShowThreshold, ...] = ()
    clues: tuple[float, float, float, float] | None = None
    sha256: str = ""

    def line(self) -> str:
        """Write one line for the foot of a list of verdicts."""
        return f"{self.name}: {self.summary}"


def card_file() -> Path:
    """Return the file of the card of the judge in the program's resources."""
    return paths.reader().with_suffix(".json")


@functools.cache
def card() -> ModelCard:
    """Read the card of the judge in the program's resources."""
    return card_from(json.loads(card_file().read_text("utf-8")))


_CONVERTED: dict[str, Callable[[Any], Any]] = {"str": str, "int": int, "float": float}


def card_from(raw: Mapping[str, Any]) -> ModelCard:
    """Read a card from ``raw``. Raises ValueError for anything else."""
    try:
        right, clues = raw.get("right"), raw.get("clues")
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
        result = ModelCard(
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
                Benchmark(**{part.name: _CONVERTED[str(part.type)](row[part.name]) for part in fields(Benchmark)})
                for row in raw["measured"]
            ),
            limits=_texts(raw["limits"]),
            summary=str(raw["summary"]),
            right=None if right is None else (float(right[0]), float(right[1]), float(right[2])),
            sure=sure,
            clues=None if clues is None else (float(clues[0]), float(clues[1]), float(clues[2]), float(clues[3])),
            sha256=str(raw.get("sha256", "")),
        )
        sound = all(row.label in ("supports", "contradicts", "neutral") for row in sure)
    except (KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
        raise ValueError("not the card of a judge") from error
    if not sound:
        raise ValueError("not the card of a judge")
    return result


def _texts(raw: Sequence[Any]) -> tuple[str, ...]:
    return tuple(str(sentence) for sentence in raw)


# What the program writes of weights into a fingerprint. Before it stands the name that a file gives itself, which may
# hold any words, these among them; after it nothing that anybody else chose.
_WEIGHTS = re.compile(r"sha256:([0-9a-f]{16})(?!.*sha256:)", re.DOTALL)


def weights_of(fingerprint: str) -> str:
    """Return the beginning of the sum of the weights that a fingerprint names; the whole of it where it names none."""
    match = _WEIGHTS.search(fingerprint)
    return match[1] if match else fingerprint


def is_own(fingerprint: str) -> bool:
    """Return whether a fingerprint is of the very weights that the card of the program describes, whatever its name."""
    own_weights = card().sha256[:16]
    return own_weights != "" and weights_of(fingerprint) == own_weights


def model_card(judge: str, exam: str, right: tuple[float, float, float] | None = None, *, own: bool) -> ModelCard:
    """Return the card of the judge of this fingerprint; ``exam`` says in one line how it did, or that it sat none.

    What was measured elsewhere is known of the judge that comes with the program alone: ``own``.
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


SHOW_MODES: dict[ShowMode, str] = {
    "exploratory": "Shows every verdict, and each suggests its rating.",
    "strict": "Shows only verdicts of a kind that was right nine times in ten, and hides the others.",
    "audit": "Shows every verdict and search, but only a kind right nine times in ten suggests ratings.",
}


def is_withheld(verdict: Verdict, sure: Sequence[ShowThreshold]) -> bool:
    """Return whether a strict case does not show a verdict.

    One that is undecided, of a class that never was right nine times in ten, or less probable than from where on it
    was.
    """
    threshold = next((row.threshold for row in sure if row.label == verdict.label), None)
    return threshold is None or _by_label(verdict.probabilities).get(verdict.label, 0.0) < threshold


# --- label and rating ----------------------------------------------------------------------------------------------


def label(probabilities: Probabilities, threshold: float | None = None) -> Label:
    """Return the most probable label, ``ambiguous`` where the next is nearer than ``threshold`` (None: the card's)."""
    if threshold is None:
        threshold = card().threshold
    ranking = sorted(_by_label(probabilities).items(), key=lambda item: -item[1])
    return ranking[0][0] if ranking[0][1] - ranking[1][1] >= threshold else "ambiguous"


def rating_for(label: Label) -> Rating | None:
    """Return the rating that a label suggests: none for ``ambiguous``, and never ``CC`` or ``II``."""
    ratings: dict[Label, Rating] = {"supports": "C", "contradicts": "I", "neutral": "N"}
    return ratings.get(label)


def suggested_rating(proposal: Proposal) -> Rating | None:
    """Return the rating that a verdict suggests; None if models disagree, it is not sure enough, or is outdated."""
    if proposal.disputed or proposal.doubtful or proposal.withheld or proposal.outdated or proposal.unmeasured_language:
        return None
    return rating_for(proposal.verdict.label)


_HIDDEN = {
    "": "",
    "blind": "verdict hidden",
    "outdated": "changed since judged",
    "withheld": "not sure enough",
}


def readers_words(proposal: Proposal) -> str:
    """Return what it means that second readers agree or disagree with a verdict; '' where none read it."""
    if proposal.disputed:
        return "The two readers disagree (≠): read the passage. It is taken as undecided, and nothing is suggested."
    if proposal.agreed:
        return "Two readers agree. No probability rises for it: how often both err together was not measured."
    return ""


def hidden_words(proposal: Proposal) -> str:
    """Return the words in the place of a verdict that is not to be seen; '' for others."""
    reason = proposal.hidden_reason
    return f"not judged: {proposal.unmeasured_language}" if reason == "language" else _HIDDEN[reason]


def suggestion(proposal: Proposal, evidence: str, moment: str) -> Suggestion | None:
    """Return what a verdict suggests for a cell of ``evidence``, as it is kept; None if it suggests nothing."""
    rating, verdict = suggested_rating(proposal), proposal.verdict
    if rating is None:
        return None
    return Suggestion(evidence, proposal.hypothesis, rating, verdict.model, verdict.probabilities, moment)


def _by_label(probabilities: Probabilities) -> dict[Label, float]:
    return {
        "supports": probabilities.supports,
        "contradicts": probabilities.contradicts,
        "neutral": probabilities.neutral,
    }


# --- the language that was measured --------------------------------------------------------------------------------


# Of hypotheses and quotes, asked for wherever proposals are listed.
_language_of = functools.lru_cache(maxsize=100_000)(identification.language_of)


def foreign_language(passage: str, hypothesis: str, document: str = "") -> str:
    """Return the name of the language, not measured, of a passage or of a hypothesis: then no verdict on them counts.

    ``document`` is the language (ISO 639-1) of the passage's document, '' where it is unknown. '' for English.
    """
    text = identification.without_mail_header(passage)
    languages = (_language_of(text, document), _language_of(hypothesis))
    return next((identification.name_of(language) for language in languages if language != identification.ENGLISH), "")


# --- the sentence that carries the verdict -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Choice:
    """A span of a passage that is to be quoted.

    ``probability`` is that of the passage's label when the span is judged alone, None when it was not judged;
    ``agrees`` says whether the span alone has the passage's label; ``alone`` is the label it has. ``which`` says which
    of the passage's sentences it is: '3 of 7', '3 and 4 of 7', '' for the only one.
    """

    start: int
    end: int
    probability: float | None = None
    agrees: bool = False
    alone: Label | None = None
    which: str = ""


def _worth(overlaps: Sequence[int]) -> list[int]:
    """Choose the sentences that are judged alone, by the words that each shares with the hypothesis."""
    return sorted(sorted(range(len(overlaps)), key=lambda index: (-overlaps[index], index))[:MOST_SENTENCES])


def choose_quote(passage: str, spans: Sequence[Span], label: Label, hypothesis: str, ask: Ask) -> Choice:
    """Choose the sentence of ``passage``, or two neighbours, that carries ``label``; ``spans`` are its sentences.

    For supports and contradicts the sentences are judged alone: the one with the label and its highest probability
    wins, two neighbours when each alone is weak. For the other labels the sentence nearest by words is shown.
    """
    sentences = _without_blanks(passage, spans)
    if not sentences:
        trimmed = _trim(passage, Span(0, len(passage)))
        return Choice(trimmed.start, trimmed.end)
    overlaps = [_shared_words(passage[span.start : span.end], hypothesis) for span in sentences]
    nearest = sentences[max(range(len(sentences)), key=lambda index: (overlaps[index], -index))]
    if label not in ("supports", "contradicts") or len(sentences) == 1:
        return Choice(nearest.start, nearest.end, which=_which(sentences, nearest))

    answers: dict[Span, Probabilities] = {}
    for index in _worth(overlaps):
        answers[sentences[index]] = ask(passage[sentences[index].start : sentences[index].end])
    best = _best(answers, label)
    if _by_label(answers[best])[label] < WEAK:
        index = sentences.index(best)
        for first, second in ((index - 1, index), (index, index + 1)):
            if first < 0 or second >= len(sentences):
                continue
            pair = Span(sentences[first].start, sentences[second].end)
            if pair.end - pair.start <= LONGEST_PAIR and "\n\n" not in passage[pair.start : pair.end]:
                answers[pair] = ask(passage[pair.start : pair.end])
        best = _best(answers, label)
    return _choice(sentences, best, label, answers[best])


def chosen(spans: Sequence[Span], quote: Span, verdict: Verdict) -> Choice:
    """Return the choice of a quote that was judged by itself."""
    return Choice(
        quote.start,
        quote.end,
        _by_label(verdict.probabilities).get(verdict.label),
        True,
        verdict.label,
        _which(spans, quote),
    )


def weigh(passage: str, spans: Sequence[Span], quote: Span, label: Label, ask: Ask) -> Choice:
    """Judge a ``quote`` that is chosen already, as ``choose_quote`` would: for another model that is asked about it."""
    sentences = _without_blanks(passage, spans)
    if label not in ("supports", "contradicts") or len(sentences) <= 1:
        return Choice(quote.start, quote.end, which=_which(sentences, quote))
    return _choice(sentences, quote, label, ask(passage[quote.start : quote.end]))


def _choice(sentences: Sequence[Span], quote: Span, label: Label, probabilities: Probabilities) -> Choice:
    values = _by_label(probabilities)
    alone = max(values, key=lambda name: values[name])
    return Choice(quote.start, quote.end, values[label], alone == label, alone, _which(sentences, quote))


def _which(sentences: Sequence[Span], quote: Span) -> str:
    """Return which of the sentences a quote is made of."""
    numbers = [n for n, s in enumerate(sentences, start=1) if s.start < quote.end and s.end > quote.start]
    if len(sentences) < 2 or not numbers:
        return ""
    first, last = numbers[0], numbers[-1]
    which = f"{first}" if first == last else f"{first} and {last}" if last == first + 1 else f"{first} to {last}"
    return f"{which} of {len(sentences)}"


def _best(answers: dict[Span, Probabilities], label: Label) -> Span:
    """Return the span with the highest probability of ``label``; of equals the shorter, then the earlier one."""
    return min(answers, key=lambda span: (-_by_label(answers[span])[label], span.end - span.start, span.start))


def _without_blanks(passage: str, spans: Sequence[Span]) -> list[Span]:
    """List the spans that hold more than white space, without that around them."""
    return [span for span in (_trim(passage, span) for span in spans) if span.start < span.end]


def _trim(text: str, span: Span) -> Span:
    start, end = span.start, span.end
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


_COMMON = words_of("en", "common")


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

_VERDICTS: dict[Label, str] = {"supports": "speaks for", "contradicts": "speaks against", "neutral": "neutral"}
_VERBS: dict[Label, str] = {"supports": "speaks for", "contradicts": "speaks against", "neutral": "is neutral to"}
_PLURAL_VERBS: dict[Label, str] = {"supports": "speak for", "contradicts": "speak against", "neutral": "are neutral to"}


def explanation(
    label: Label,
    probabilities: Probabilities,
    choice: Choice,
    quote: str,
    hypothesis: str,
    *,
    before: str = "",
    mind: str = "",
) -> str:
    """Put the numbers in one plain sentence, and what a reader should mind; the same input gives the same words.

    It names the quoted sentence, what the model makes of it alone, and what the rest of the passage changes. ``before``
    is the passage up to the quote, ``mind`` one thing more to mind about the passage.
    """
    values = _by_label(probabilities)
    which = f", {choice.which}," if choice.which else ""
    nearest = f"the part that says most{which}" if choice.agrees else f"the sentence nearest by words{which}"
    if label == "ambiguous":
        first, second = sorted(values, key=lambda name: -values[name])[:2]
        text = (
            f"The model cannot decide between “{_VERDICTS[first]}” ({values[first]:.2f}) and "
            f"“{_VERDICTS[second]}” ({values[second]:.2f}); "
            f"{nearest} is quoted."
        )
    elif choice.agrees and choice.probability == values[label] and choice.which:
        is_plural = " and " in choice.which or " to " in choice.which
        noun, verb = ("sentences", _PLURAL_VERBS[label]) if is_plural else ("sentence", _VERBS[label])
        text = f"The model finds that the quoted {noun}{which} {verb} the hypothesis ({values[label]:.2f})."
    else:
        text = f"The model finds that the passage {_VERBS[label]} the hypothesis ({values[label]:.2f}"
        if choice.probability is None:
            text += ")." if label != "neutral" else f"); {nearest} is quoted."
        elif choice.agrees:
            noun = "sentences" if " and " in choice.which or " to " in choice.which else "sentence"
            text += f"; the quoted {noun}{which} alone {choice.probability:.2f})."
            if choice.probability - values[label] >= APART:
                text += " The rest of the passage weakens it: read the passage."
            elif values[label] - choice.probability >= APART:
                text += " The rest of the passage adds to it."
        else:
            alone = f"; by itself it {_VERBS[choice.alone]} it" if choice.alone in _VERBS else ""
            text += f"), but no sentence alone does (the quoted one{which} {choice.probability:.2f}{alone}):"
            text += " read the passage."
    minds = warnings(quote, hypothesis, before)
    if mind:
        minds.append(mind)
    return text + (f" Note: {'; '.join(minds)}." if minds else "")


def warnings(quote: str, hypothesis: str, before: str = "") -> list[str]:
    """List what of the quote the model is known to misread, by rule.

    Negation, hedging, reported speech, other dates, numbers and names than those of the hypothesis. A pronoun of the
    quote may stand for a name in the text ``before`` it.
    """
    remarks = []
    negation, other_negation = _NEGATION.search(quote), _NEGATION.search(hypothesis)
    if bool(negation) != bool(other_negation):
        where, match = ("quote", negation) if negation else ("hypothesis", other_negation)
        if match is not None:
            remarks.append(f"only the {where} is negated (“{match[0]}”)")
    hedge = _HEDGE.search(quote)
    if hedge:
        remarks.append(f"hedged (“{hedge[0]}”)")
    reporting_verb = _REPORTED.search(quote)
    if reporting_verb and (hedge is None or reporting_verb.start() != hedge.start()):
        remarks.append(f"reported speech (“{reporting_verb[0]}”)")
    ours, hypothesis_dates = _dates(quote), _dates(hypothesis)
    # Only where both sides name some and share none: a quote need not repeat what the hypothesis says.
    if (
        ours
        and hypothesis_dates
        and not any(_same_date(date, hypothesis_date) for date in ours for hypothesis_date in hypothesis_dates)
    ):
        remarks.append(_difference("dates", hypothesis_dates[0].words, ours[0].words))
    numbers, other_numbers = _numbers(quote), _numbers(hypothesis)
    if not set(numbers) & set(other_numbers) and (pair := _of_one_thing(quote, numbers, hypothesis, other_numbers)):
        remarks.append(_difference("numbers", *pair))
    names, other_names = _names(quote), _names(hypothesis)
    nearby = f"{before} {quote}" if _PRONOUN.search(quote) else quote
    if names and other_names and not _share_a_name(nearby, hypothesis):
        name, hypothesis_name = next(iter(names.values())), next(iter(other_names.values()))
        remarks.append(_difference("names", hypothesis_name, name))
    return remarks


def _difference(of: str, in_hypothesis: str, in_passage: str) -> str:
    """Word a difference so that it is plain which text says which."""
    return f"different {of} (hypothesis: “{in_hypothesis}”; passage: “{in_passage}”)"


def _of_one_thing(
    quote: str, numbers: Mapping[float, str], hypothesis: str, other_numbers: Mapping[float, str]
) -> tuple[str, str] | None:
    """Return a number of the hypothesis and one of the quote that may count the same, by their nouns; None for none."""
    heads, other_heads = _counted_things(quote), _counted_things(hypothesis)
    pairs = [(value, other) for value in numbers for other in other_numbers]
    alike = [pair for pair in pairs if heads.get(pair[0], set()) & other_heads.get(pair[1], set())]
    unknown = [pair for pair in pairs if not heads.get(pair[0]) or not other_heads.get(pair[1])]
    for value, other in alike or unknown:
        return other_numbers[other], numbers[value]
    return None


def _counted_things(text: str) -> dict[float, set[str]]:
    """Map the numbers of a text to the nouns that say what they count; those without one are left out."""
    things: dict[float, set[str]] = {}
    for quantity in quantities_in(text):
        if quantity.heads:
            things.setdefault(quantity.value, set()).update(quantity.heads)
    return things


def _share_a_name(text: str, hypothesis: str) -> bool:
    """Return whether a text has a name of the hypothesis, its first word included, or in an address or before an 's."""
    names = (match[0] for match in _CAPITAL.finditer(hypothesis) if match[0].casefold() not in _NO_NAME_WORDS)
    return any(re.search(rf"(?<![^\W\d_]){name}(?![^\W\d_])", text, re.IGNORECASE) for name in names)


@dataclass(frozen=True, slots=True)
class _Date:
    """A date as a text gives it; 0 for what it does not say."""

    year: int
    month: int
    day: int
    words: str


# With a capital: "may" without one is a verb.
_MONTH = rf"(?P<m>{'|'.join(MONTHS)}" r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?)"
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
    """List the dates of an English text, in the order of their patterns."""
    dates = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            parts = match.groupdict()
            month = parts.get("m") or "0"
            number = int(month) if month.isdecimal() else MONTH_NUMBERS[month[:3].lower()]
            dates.append(_Date(int(parts["y"] or 0), number, int(parts.get("d") or 0), match[0]))
        text = pattern.sub(lambda match: "\0" * len(match[0]), text)
    return dates


def _same_date(left: _Date, right: _Date) -> bool:
    """Return whether both can be the same day: what only one of them says cannot differ."""
    pairs = ((left.year, right.year), (left.month, right.month), (left.day, right.day))
    return all(not left or not right or left == right for left, right in pairs)


_NUMBER = re.compile(r"(?<![\w.,:/-])[0-9][0-9,]*(?:\.[0-9]+)?(?![\w:/]|-\w|[.,][0-9])")
_COUNT = re.compile(rf"\b(?:{'|'.join(COUNTS[1:])})\b", re.IGNORECASE)  # “one” is no number in most sentences


def _numbers(text: str) -> dict[float, str]:
    """Map the values of the numbers of a text that belong to no date, time or name of a thing to their words."""
    for pattern in _DATES:
        text = pattern.sub(lambda match: "\0" * len(match[0]), text)
    numbers: dict[float, str] = {}
    for match in _NUMBER.finditer(text):
        numbers.setdefault(float(match[0].replace(",", "")), match[0])
    for match in _COUNT.finditer(text):
        numbers.setdefault(NUMBERS[match[0].casefold()], match[0])
    return numbers


# Written with a capital and yet no name of somebody or something.
_NO_NAMES = re.compile(rf"(?:{_MONTH}|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)s?")
_NO_NAME_WORDS = frozenset().union(*(words_of("en", kind) for kind in ("no_name", "function", "institution")))
_CAPITAL = re.compile(r"\b[^\W\d_a-z][\w-]+")
_PRONOUN = re.compile(r"\b(?:I|(?i:me|my|we|us|our|you|your|he|she|they|him|her|them|his|their))\b")


def _names(text: str) -> dict[str, str]:
    """Map words with a capital within a sentence from their folded form; the first word of a sentence tells nothing.

    Codes of letters and figures are no names.
    """
    names: dict[str, str] = {}
    starts = {span.start for span in sentences(text)}
    for match in re.finditer(r"\b[^\W\d_][\w-]+", text):
        word, preceding = match[0], text[: match.start()].rstrip("\"'“‘( \t\n")
        first = not starts.isdisjoint(range(len(preceding), match.start() + 1)) or preceding[-1:] in tuple(".!?:;•·]")
        is_name = word.casefold() not in _NO_NAME_WORDS and not any(map(str.isdigit, word))
        if word[0].isupper() and not first and is_name and not _NO_NAMES.fullmatch(word):
            names.setdefault(word.casefold(), word)
    return names
