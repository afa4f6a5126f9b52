"""What a denial denies, in a sentence and in its nearest source. Pure, and for English.

Both may deny something, and not the same: 'not all came' and 'all did not come', 'no proof that it was open' and 'it
was not open', 'the cook, but not the maid'. A denial governs the next word of content or quantity; 'but not' the words
behind it alone, and 'neither' both of its halves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.language.denial import is_denial
from core.language.figures import bounds_of, figures
from core.language.lexicon import words_of
from core.language.word_forms import are_forms
from core.search.ranking import STOP_WORDS
from core.text import BARE_WORD

_WHOLES = words_of("en", "denied_whole")
_PAIRS = ("neither", "nor")
_OF_NOUNS = ("no", "without")
_SKIPPED = ("yet", "ever", "even", "also")
_PRONOUNS = ("none", "nobody", "nothing", "nowhere")
_JOINTS = frozenset(
    ("and", "or", "but", "nor", "as", "who", "whose", "which", "that", "because", "since", "when", "while", "although",
     "though", "until", "before", "after", "if")
)  # fmt: skip
_BREAK = re.compile(r"[.;:!?,()]")


@dataclass(frozen=True, slots=True)
class _Word:
    word: str
    start: int
    end: int
    has_break: bool  # a comma or the like precedes it


@dataclass(frozen=True, slots=True)
class _Denial:
    """A word of denial, with the place of the word that it governs; ``kind`` is 'verb', 'noun', 'pair' or 'rest'."""

    kind: str
    place: int
    target: int


def other_scope(sentence: str, source: str) -> tuple[int, int] | None:
    """Return the span of a word that only one of a sentence and its source denies, where both deny; else None."""
    claim, counterpart = _words(sentence), _words(source)
    denials, source_denials = _denials(sentence, claim), _denials(source, counterpart)
    if not denials or not source_denials:
        return None
    for denial in denials:
        alike = [other for other in source_denials if _is_alike(claim, denial, counterpart, other)]
        if not alike and _index(counterpart, claim[denial.target].word) is not None:
            return claim[denial.place].start, claim[denial.target].end
        if alike and all(_is_restricted(counterpart, other, claim) for other in alike):
            return claim[denial.place].start, claim[denial.target].end
    for other in source_denials:
        place = _index(claim, counterpart[other.target].word)
        if place is not None and not any(_is_alike(claim, denial, counterpart, other) for denial in denials):
            return claim[place].start, claim[place].end
    return None


def _is_alike(claim: Sequence[_Word], denial: _Denial, source: Sequence[_Word], other: _Denial) -> bool:
    """Return whether two denials may deny the same."""
    target, counterpart = claim[denial.target].word, source[other.target].word
    if _is_same(target, counterpart):
        return True
    if "verb" not in (denial.kind, other.kind) or denial.kind == other.kind:
        return False
    if denial.kind == "verb":  # 'The maid did not hear it': neither the cook nor the maid heard it
        return _governs(source, other, target) and _index(claim, counterpart) is not None
    return _governs(claim, denial, counterpart) and _index(source, target) is not None


def _is_restricted(source: Sequence[_Word], denial: _Denial, claim: Sequence[_Word]) -> bool:
    """Return whether a source denies something only together with what a sentence leaves out: 'never without a key'."""
    for word in source[denial.place + 1 :]:
        if word.has_break or word.word in _JOINTS:
            return False
        if not _is_small(word.word) and not word.word.isdigit() and _index(claim, word.word) is None:
            return True
    return False


def _governs(words: Sequence[_Word], denial: _Denial, verb: str) -> bool:
    """Return whether what a denial governs is denied the verb too: 'no member voted', 'the cook, but not the maid'."""
    if denial.kind != "noun":
        return _index(words, verb) is not None
    following = next((word.word for word in words[denial.target + 1 :] if word.word not in STOP_WORDS), "")
    return _is_same(following, verb)


def _denials(text: str, words: Sequence[_Word]) -> list[_Denial]:
    bounds = [bounds_of(text, figure) for figure in figures(text)]  # 'no more than 40' denies nothing
    result = []
    for place, word in enumerate(words):
        if not is_denial(word.word) or any(start <= word.start < end for start, end in bounds):
            continue
        previous = words[place - 1].word if place else ""
        is_rest = word.word == "not" and place > 0 and (previous in ("but", "and") or word.has_break)
        if word.word in _PRONOUNS:
            target = place - 1 if place and not (word.has_break or _is_small(previous)) else _target(words, place)
        else:
            target = _target(words, place)
        kind = "rest" if is_rest else "pair" if word.word in _PAIRS else "noun" if word.word in _OF_NOUNS else "verb"
        if target is not None:
            result.append(_Denial(kind, place, target))
    return result


def _target(words: Sequence[_Word], place: int) -> int | None:
    for index in range(place + 1, len(words)):
        if not _is_small(words[index].word):
            return index
    return None


def _is_small(word: str) -> bool:
    return word in _SKIPPED or (word in STOP_WORDS and word not in _WHOLES)


def _index(words: Sequence[_Word], sought: str) -> int | None:
    return next((index for index, word in enumerate(words) if _is_same(word.word, sought)), None)


def _is_same(word: str, candidate: str) -> bool:
    return word == candidate or (word not in STOP_WORDS and are_forms(word, candidate))


def _words(text: str) -> list[_Word]:
    result: list[_Word] = []
    end = 0
    for match in BARE_WORD.finditer(text):
        has_break = bool(_BREAK.search(text[end : match.start()]))
        word = match.group().casefold().replace("’", "'").removesuffix("'s")
        result.append(_Word(word, match.start(), match.end(), has_break))
        end = match.end()
    return result
