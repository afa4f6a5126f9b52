"""Omissions of a quotation: the words of the page that an ellipsis or a bracket leaves out or replaces. Pure.

An omission is harmless only if it is a plain detail of place or looks, or an adverb, made of known words alone, inside
a sentence without universals, negations or degrees. Any other word, in any language, may change the meaning.
"""

from __future__ import annotations

import re

from core.english import NUMBERS, SCALES, any_of
from core.evidence.framing import sentence_around
from core.evidence.word_differences import Difference, What
from core.language.lexicon import words_of
from core.text import NEGATIONS, normalise

ELLIPSIS = "…"

_ADVERBS = words_of("en", "adverb")
_LOOKS = words_of("en", "look")
_THINGS = words_of("en", "place")
_PLACE_WORDS = words_of("en", "place_word")
_PLACE = rf"(?:{any_of(_PLACE_WORDS)}) (?:the|a|an|its|their|his|her) (?:(?:{any_of(_LOOKS)}) )*(?:{any_of(_THINGS)})"
_LOOK = rf"(?:{any_of(_LOOKS)})"
_DETAIL = re.compile(
    rf"(?:, ?)?(?:{_PLACE}(?:,? (?:and )?{_PLACE})*|{_LOOK}(?:,? (?:and )?{_LOOK})*|(?:{any_of(_ADVERBS)}))(?: ?,)?"
)
_PUNCTUATION = re.compile(r"[\s,\u2010-\u2015-]*")
_ARTICLES = frozenset(("the", "a", "an"))

# Universals, negations and degrees depend on every detail of their sentence.
_RANGES = NEGATIONS | frozenset(
    (
        *("all", "every", "everything", "everyone", "everybody", "each", "any", "anything", "anyone", "only", "sole"),
        *("first", "last", "next", "most", "least", "more", "less", "fewer", "same", "other", "another", "always"),
        *("both", "whole", "entire", "entirely", "if", "unless", "whether", "hardly", "barely", "scarcely", "rarely"),
    )
)
_SUPERLATIVE = re.compile(r"(?!(?:west|rest|test|guest|chest|forest|request|harvest|honest|protest|arrest)$)\w{2,}est")
_NAMED_BY_THE_REST = words_of("en", "incomplete")
_NUMBER_WORDS = frozenset((*NUMBERS, *SCALES, "half", "dozen", "some", "several", "many", "few", "most", "all"))
_CAPITAL = re.compile(r"(?<!\w)[^\W\d_a-z]\w*")


def left_out(text: str, start: int, end: int, insertion: str = "") -> tuple[Difference | None, bool]:
    """Return the words that a quotation leaves out between two spans of a page, and whether that is harmless.

    ``insertion`` are the words in brackets in their place. None if nothing is left out or inserted.
    """
    gap = text[start:end]
    flat_gap = _flat(gap)
    if not insertion and _PUNCTUATION.fullmatch(gap):
        return None, True
    if insertion and flat_gap and _flat(insertion) == flat_gap:
        return None, True
    if insertion and _PUNCTUATION.fullmatch(gap) and set(_flat(insertion).split()) <= _ARTICLES:
        return Difference(f"[{insertion}]", "", "word"), True
    difference = Difference(f"[{insertion}]" if insertion else ELLIPSIS, " ".join(gap.split()), _kind(gap, insertion))
    return difference, not insertion and _is_detail(text, start, end, flat_gap)


def at_edge(text: str, start: int, end: int, insertion: str) -> Difference | None:
    """Return the words of the page in place of words in brackets at the beginning or end of a quotation."""
    gap = text[start:end]
    if _flat(insertion) and _flat(gap).casefold().endswith(_flat(insertion).casefold()):
        return None
    return Difference(f"[{insertion}]", " ".join(gap.split()), _kind(gap, insertion))


def _is_detail(text: str, start: int, end: int, flat_gap: str) -> bool:
    if not _DETAIL.fullmatch(flat_gap) or "\n\n" in text[start:end]:
        return False
    low, high = sentence_around(text, start, end)
    words = re.findall(r"\w+(?:'\w+)?", _flat(text[low:high]).casefold())
    preceding = re.findall(r"\w+", _flat(text[low:start]).casefold())
    if any(word in _RANGES or word.endswith("n't") or _SUPERLATIVE.fullmatch(word) for word in words):
        return False
    return not preceding or preceding[-1] not in _NAMED_BY_THE_REST


def _kind(gap: str, insertion: str) -> What:
    words = re.findall(r"\w+(?:'\w+)?", _flat(f"{gap} {insertion}").casefold())
    if any(word in NEGATIONS or word.endswith("n't") for word in words):
        return "negation"
    if any(word in _NUMBER_WORDS or any(sign.isdigit() for sign in word) for word in words):
        return "number"
    return "name" if _CAPITAL.search(gap) or _CAPITAL.search(insertion) else "word"


def _flat(text: str) -> str:
    return normalise(text)[0].strip()
