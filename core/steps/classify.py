"""What a judge's numbers amount to: a label, the sentence that carries it, and one plain sentence about both.

Nothing here asks a model by itself: ``choose_quote`` is given a function that does. A quote is always a span of the
passage, never text that somebody or something wrote.
"""

from __future__ import annotations

import base64
import binascii
import functools
import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core import paths
from core.domain import Label, Probabilities, Rating, Span

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
class JudgeCard:
    """What is known of a judge. ``threshold`` is the margin under which it withholds; ``temperature`` is what its
    numbers were divided by so that a probability says how often it is right. ``right`` is the share of the exam that
    it had right, with the interval of 95 %; None: it has not sat the exam."""

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

    def line(self) -> str:
        """One line for the foot of a list of verdicts."""
        return f"{self.name}: {self.summary}"


def card_file() -> Path:
    return (paths.RESOURCES / "models" / paths.ADAPTER).with_suffix(".json")


@functools.cache
def card() -> JudgeCard:
    """The card of the judge in the program's resources."""
    text: dict[str, Any] = json.loads(card_file().read_text("utf-8"))
    return JudgeCard(
        name=text["name"],
        base=text["base"],
        licence=text["licence"],
        data=tuple(text["data"]),
        temperature=text["temperature"],
        threshold=text["threshold"],
        coverage=text["coverage"],
        accuracy_of_kept=text["accuracy_of_kept"],
        threshold_fitted_on=tuple(text["threshold_fitted_on"]),
        measured=tuple(Measured(**row) for row in text["measured"]),
        limits=tuple(text["limits"]),
        summary=text["summary"],
    )


def card_of(judge: str, exam: str, right: tuple[float, float, float] | None = None) -> JudgeCard:
    """The card of the judge of this fingerprint; ``exam`` says in one line what it reached in the exam, or that it did
    not sit it. What was measured elsewhere is known of the judge that comes with the program alone."""
    own = card()
    if own.name in judge:
        return replace(own, summary=f"{exam}; {own.summary}", right=right)
    return JudgeCard(
        name=judge.partition(" sha256:")[0],
        base="",
        licence="",
        data=(),
        temperature=1.0,
        threshold=own.threshold,
        coverage=0.0,
        accuracy_of_kept=0.0,
        threshold_fitted_on=(),
        measured=(),
        limits=("Nothing but its exam is known of this model.",),
        summary=exam,
        right=right,
    )


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


# --- the sentence that carries the verdict -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Choice:
    """A span of a passage. ``probability`` is that of the passage's label when the span is judged alone, None when it
    was not judged; ``agrees`` says whether the span alone has the passage's label. ``instruction``: the passage (not
    only the span) holds text that speaks to a reader or a model."""

    start: int
    end: int
    probability: float | None = None
    agrees: bool = False
    instruction: bool = False


def choose_quote(passage: str, spans: Sequence[Span], label: Label, hypothesis: str, ask: Ask) -> Choice:
    """The sentence of ``passage``, or two neighbours, that carries ``label``; ``spans`` are its sentences in order.

    For supports and contradicts the sentences are judged alone: the one with the label and its highest probability
    wins, two neighbours when each alone is weak. For the other labels the sentence nearest by words is shown.
    """
    instruction = suspicious_instruction(passage)
    filled = [span for span in (_trimmed(passage, span) for span in spans) if span.start < span.end]
    if not filled:
        whole = _trimmed(passage, Span(0, len(passage)))
        return Choice(whole.start, whole.end, instruction=instruction)
    shared = [_shared_words(passage[span.start : span.end], hypothesis) for span in filled]
    nearest = filled[max(range(len(filled)), key=lambda at: (shared[at], -at))]
    if label not in ("supports", "contradicts") or len(filled) == 1:
        return Choice(nearest.start, nearest.end, instruction=instruction)

    asked: dict[Span, Probabilities] = {}
    worth = sorted(range(len(filled)), key=lambda at: (-shared[at], at))[:MOST_SENTENCES]
    for at in sorted(worth):
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
    values = _by_label(asked[best])
    return Choice(best.start, best.end, values[label], max(values, key=lambda k: values[k]) == label, instruction)


def _best(asked: dict[Span, Probabilities], label: Label) -> Span:
    """Highest probability of ``label``; of equals the shorter, then the earlier one."""
    return min(asked, key=lambda span: (-_by_label(asked[span])[label], span.end - span.start, span.start))


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
    r"\b(?:may|might|could|perhaps|possibl[ey]|probabl[ey]|likely|unlikely|appear(?:s|ed)?|seem(?:s|ed)?|suggest(?:s|ed)?"
    r"|alleged(?:ly)?|reported(?:ly)?|apparent(?:ly)?|presumabl[ey]|purported(?:ly)?|suspect(?:s|ed)?|believed to"
    r"|is thought to|unconfirmed|potential(?:ly)?|rumou?red)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:said|says|told|stated|states|claim(?:s|ed)|according to|testified|asserted|insisted|argued|reports? that"
    r"|reported that|denied|denies|wrote that|announced|recalled|quoted as)\b",
    re.IGNORECASE,
)

_VERBS: dict[Label, str] = {"supports": "supports", "contradicts": "contradicts", "neutral": "is neutral to"}


def explanation(label: Label, probabilities: Probabilities, choice: Choice, quote: str, hypothesis: str) -> str:
    """One plain sentence on the numbers, and what a reader should mind; the same input gives the same words."""
    values = _by_label(probabilities)
    if label == "ambiguous":
        first, second = sorted(values, key=lambda name: -values[name])[:2]
        said = (
            f"The model cannot decide between {first} ({values[first]:.2f}) and {second} ({values[second]:.2f}); "
            "the sentence nearest by words is quoted."
        )
    else:
        said = f"The model finds that the passage {_VERBS[label]} the hypothesis ({values[label]:.2f}"
        if choice.probability is None:
            said += ")." if label != "neutral" else "); the sentence nearest by words is quoted."
        elif choice.agrees:
            said += f"; the quoted sentence alone {choice.probability:.2f})."
        else:
            said += f"), but no sentence alone does (the quoted one {choice.probability:.2f}): read the passage."
    minds = warnings(quote, hypothesis)
    if choice.instruction:
        minds.append("the passage holds text that speaks to a reader or a model, such as an instruction")
    return said + (f" Mind: {'; '.join(minds)}." if minds else "")


def warnings(quote: str, hypothesis: str) -> list[str]:
    """What of the quote the model is known to misread, by rule: negation, hedging, reported speech."""
    found = []
    denied, meant = _NEGATION.search(quote), _NEGATION.search(hypothesis)
    if bool(denied) != bool(meant):
        where, match = ("quote", denied) if denied else ("hypothesis", meant)
        if match is not None:
            found.append(f"a negation in the {where} alone (“{match[0]}”)")
    hedge = _HEDGE.search(quote)
    if hedge:
        found.append(f"hedged (“{hedge[0]}”)")
    reported = _REPORTED.search(quote)
    if reported and (hedge is None or reported.start() != hedge.start()):
        found.append(f"reported speech (“{reported[0]}”)")
    return found


# --- text that speaks to a reader or a model -----------------------------------------------------------------------

_VERDICT = r"(?:support(?:s|ed|ing|ive)?|contradict(?:s|ed|ing|ory|ion)?|neutral|refute[sd]?|true|correct|verified)"
_ORDERS = r"(?:instruction|prompt|rule|guideline|direction|command|order|directive|constraint|training|programming)s?"
_PUSH_ASIDE = (
    r"(?:ignor(?:e|ing)|disregard(?:ing)?|forget|override|overrule|bypass|discard|do not follow|stop following|neglect)"
)
_MODELS = (
    r"(?:ai|a\.i\.|llms?|language models?"
    r"|(?:ai )?(?:assistants?|models?|systems?|agents?|graders?|judges?|classifiers?)"
    r"|chatbots?|chat ?gpt|claude|machine readers?|automated (?:readers?|reviewers?|systems?))"
)

_INSTRUCTIONS = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        # Orders about earlier orders.
        rf"\b{_PUSH_ASIDE}\b[^.!?\n]{{0,40}}\b(?:previous|prior|above|earlier|preceding|former|your|initial|original"
        rf"|system)\b[^.!?\n]{{0,40}}\b{_ORDERS}\b",
        # Without such a word only as an order: people are said to ignore the instructions of a manufacturer, too.
        rf"(?:^|[^\w\s,'’]\s*|\b(?:please|must|should|shall|now|and|then|just|you|you to)\s+){_PUSH_ASIDE}\b"
        rf"[^.!?\n]{{0,40}}\b(?:all|any|every|these|those|the|other)\b[^.!?\n]{{0,40}}\b{_ORDERS}\b",
        r"\b(?:ignore|disregard|forget)\s+(?:everything|anything|all|what(?:ever)?)\b[^.!?\n]{0,30}"
        r"\b(?:above|before|earlier|previous(?:ly)?|prior|said|told|else|other)\b",
        r"\b(?:ignore|disregard)\s+(?:all|any|the|every)\s+(?:other|previous|prior|earlier|preceding|remaining)\s+"
        r"(?:passages?|evidence|documents?|text|context|hypothes[ei]s|sources?)\b",
        rf"\b(?:new|updated|revised|secret|hidden|additional|special|real|actual)\s+(?:system\s+)?{_ORDERS}\s*(?::|follow)",
        rf"\byour\s+(?:new|only|real|actual|true|next)\s+(?:{_ORDERS}|task|job|role|goal|purpose)\s+(?:is|are)\b",
        # Orders about the verdict.
        rf"\b(?:rate|label|mark|classify|score|judge|treat|grade|tag|report|flag|assess|evaluate|count)\s+(?:it|this|that"
        rf"|these|those|everything|every|all|each|any|the|them|both)\b[^.!?\n]{{0,60}}\b(?:as|to be|with)\s+[\"'“‘*]*"
        rf"{_VERDICT}\b",
        rf"\b(?:always|only|just|simply|must|should|please|now|immediately|to)\s+(?:answer|respond|reply|output|return"
        rf"|print|say|write|emit|choose|select|predict|pick)\b[^.!?\n]{{0,40}}[\"'“‘: ]{_VERDICT}\b",
        rf"(?:^|[.!?:;\n]\s*|[\"“(\[*#-]\s*)(?:answer|respond|reply|output|return|print|say|write|emit|choose|select"
        rf"|predict|pick)\s+(?:only\s+|just\s+|with\s+|exactly\s+|the\s+words?\s+|the\s+label\s+|that\s+it\s+){{0,3}}"
        rf"[\"'“‘*`]*{_VERDICT}\b",
        rf"\b(?:correct|right|expected|final|only|true|valid|required)\s+(?:answer|verdict|label|output|classification"
        rf"|response|rating)\b[^.!?\n]{{0,30}}\b(?:is|are|must be|should be|:)\s*[\"'“‘*]*{_VERDICT}\b",
        rf"^\s*(?:verdict|label|answer|classification|rating|stance)\s*[:=]\s*[\"'“‘*]*{_VERDICT}\b",
        rf"\bverdict\s*:\s*[\"'“‘*]*{_VERDICT}\b",
        rf"[\"']?(?:verdict|label|rating|stance|classification|answer)[\"']?\s*:\s*[\"']{_VERDICT}[\"']",
        rf"\b(?:set|change|force|make|switch)\s+(?:the\s+|your\s+|every\s+|all\s+)?(?:verdict|label|rating|answer"
        rf"|classification|output)s?\s+(?:to|=)\s*[\"'“‘]?{_VERDICT}\b",
        # Speech to a model, or in the costume of one.
        rf"\b(?:note|message|attention|notice|memo|instructions?|warning|important|reminder)\s*(?:to|for)?\s*:?\s*"
        rf"(?:the\s+|any\s+|all\s+|every\s+)?{_MODELS}\b\s*"
        rf"(?:[:,;!.-]|reading|that|which|who|processing"
        r"|evaluating|when|if)",
        rf"\b(?:if you are|you are|you're|act as|pretend to be|behave as|roleplay as|you must act as)\s+"
        rf"(?:now\s+|reading\s+this\s+as\s+)?(?:an?\s+|the\s+)?(?:\w+\s+){{0,2}}{_MODELS}\b",
        r"\byou are now\s+(?:dan\b|in\s+\w+\s+mode|free|unrestricted)",
        r"\b(?:developer|debug|admin(?:istrator)?|god|jailbreak|maintenance)\s+mode\s+(?:is\s+)?(?:on|enabled|activated)\b",
        r"\b(?:system|developer|hidden|initial)\s+prompt\b",
        r"\bprompt injection\b",
        r"^\s*(?:system|assistant|developer|human|user)\s*(?:message\s*)?[:>]\s*\S",
        r"^\s*#{2,}\s*(?:system|instructions?|assistant|user|response|human)\b",
        r"\[/?(?:inst|system|sys)\]|<</?sys>>|</?(?:system|assistant|instructions?|prompt)>|<\|[a-z_]{2,30}\|>",
        r"<(?:start|end)_of_turn>|\bBEGIN (?:SYSTEM|PROMPT|INSTRUCTIONS?)\b|\bEND OF (?:SYSTEM )?PROMPT\b",
        r"[-=*<\[#]{2,}\s*end of (?:the\s+)?(?:document|passage|text|file|context|input|data)\b",
        r"^\s*(?:passage|hypothesis)\s*:\s*\S.{0,400}$(?=[\s\S]{0,400}^\s*(?:verdict|hypothesis)\s*:)",
        r"\bdo not (?:quote|cite|flag|mention|reveal|report|disclose)\s+(?:this|these)\s+(?:instructions?|sentences?"
        r"|lines?|text|message|note|passage)\b",
        # The same in other languages.
        r"\b(?:ignorier\w*|vergiss|vergessen sie|missacht\w*)\b[^.!?\n]{0,40}\b(?:anweisung|befehl|vorgabe|regel)\w*",
        r"\b(?:ignore[zr]?|oublie[zr]?)\s+(?:les|ces|vos|tes|mes|toutes?|tous)\b[^.!?\n]{0,40}\b(?:instructions?|consignes?|directives?)\b",
        r"\b(?:ignor[ae]n?|olvid[ae]n?|desestim[ae])\b[^.!?\n]{0,40}\b(?:instrucciones|instruções|indicaciones|istruzioni)\b",
        r"\b(?:игнорир\w*|забуд\w*)\b[^.!?\n]{0,40}\b(?:инструкц|указан|команд)\w*",
        r"忽略[^。\n]{0,12}(?:指令|指示|提示)|تجاهل[^.\n]{0,30}(?:التعليمات|الأوامر)",
    )
)

_TAGS = re.compile("[\U000e0001-\U000e007f]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]")
_ENCODED = re.compile(r"\b[A-Za-z0-9+/]{40,}={0,2}")


def suspicious_instruction(text: str) -> bool:
    """Whether ``text`` holds words that speak to a reader or a model rather than about the matter.

    Fixed rules: orders about orders or verdicts, costumes of a prompt, control words, invisible tags, the same behind
    base64. It marks a passage for a person; it decides nothing.
    """
    if _TAGS.search(text):
        return True
    plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
    plain = re.sub(r"[ \t]+", " ", plain)
    flowing = re.sub(r"(?<=\S)\s*\n\s*(?=\S)", " ", plain)
    if any(pattern.search(plain) or pattern.search(flowing) for pattern in _INSTRUCTIONS):
        return True
    for match in _ENCODED.finditer(plain):
        with_padding = match[0] + "=" * (-len(match[0]) % 4)
        try:
            hidden = base64.b64decode(with_padding, validate=True).decode("ascii")
        except (binascii.Error, UnicodeDecodeError):
            continue
        if any(pattern.search(hidden) for pattern in _INSTRUCTIONS):
            return True
    return False
