"""Omissions of a quotation: the words of the page that an ellipsis or a bracket leaves out or replaces. Pure.

An omission is harmless only if it is a plain detail of place or looks, or an adverb, made of known words alone, inside
a sentence without universals, negations or degrees. Any other word, in any language, may change the meaning.
"""

from __future__ import annotations

import re

from core.english import NUMBERS, SCALES, any_of
from core.evidence.framing import sentence_around
from core.evidence.word_differences import Difference, What
from core.text import NEGATIONS, normalise

ELLIPSIS = "…"

_ADVERBS = (
    *("very", "quite", "also", "indeed", "moreover", "furthermore", "quietly", "slowly", "quickly", "calmly"),
    *("carefully", "silently", "gently", "of course", "in addition", "as well"),
)
_LOOKS = (
    *("big", "large", "huge", "small", "little", "long", "short", "tall", "high", "low", "wide", "narrow", "thick"),
    *("thin", "heavy", "round", "square", "flat", "steep", "cold", "warm", "wet", "dry", "dusty", "dirty", "muddy"),
    *("rusty", "old", "ancient", "dark", "bright", "pale", "quiet", "red", "blue", "green", "white", "black", "grey"),
    *("gray", "brown", "yellow", "brass", "copper", "iron", "steel", "stone", "brick", "glass", "wooden", "leather"),
)
_THINGS = (
    *("hall", "room", "house", "cellar", "attic", "kitchen", "corridor", "stairs", "staircase", "landing", "yard"),
    *("garden", "gate", "fence", "wall", "floor", "ceiling", "roof", "corner", "door", "doorway", "window", "desk"),
    *("table", "shelf", "cupboard", "drawer", "bench", "barn", "shed", "stable", "garage", "tower", "church", "chapel"),
    *("school", "library", "hospital", "hotel", "inn", "shop", "market", "square", "street", "road", "lane", "path"),
    *("track", "bridge", "tunnel", "river", "stream", "canal", "lake", "pond", "sea", "coast", "shore", "beach"),
    *("harbour", "harbor", "port", "dock", "quay", "pier", "jetty", "hill", "mountain", "valley", "forest", "wood"),
    *("field", "meadow", "village", "town", "city", "district", "valley", "station", "platform", "depot", "building"),
    *("office", "factory", "mill", "mine", "workshop", "warehouse", "plant", "building", "basement", "lobby", "deck"),
)
_PLACE_WORDS = (
    *("of", "in", "at", "on", "near", "beside", "behind", "above", "below", "under", "inside", "along", "by"),
    *("opposite", "next to", "close to", "in front of"),
)
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
# Nouns that 'of' completes: without it they mean another person or thing.
_NAMED_BY_THE_REST = frozenset(
    (
        *("president", "minister", "leader", "head", "chief", "chair", "chairman", "director", "member", "members"),
        *("owner", "king", "queen", "mayor", "captain", "secretary", "manager", "keeper", "master", "lord", "bishop"),
        *("man", "woman", "men", "women", "person", "people", "boy", "girl", "guard", "witness", "wife", "husband"),
        *("son", "daughter", "brother", "sister", "father", "mother", "friend", "one", "ones", "those", "that", "part"),
        *("half", "side", "rest", "end", "instead", "short", "free", "clear", "because", "lack", "absence", "copy"),
        *("model", "picture", "drawing", "plan", "photograph", "out", "ahead", "kind", "sort", "type", "number"),
    )
)
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
