"""Other spellings of a name: in another case of its language, in another script, or a short form of it. Pure.

They are suggestions: two names may be written alike in another script. What a person confirms is an alias, which search
uses.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from core.domain import Entity
from core.english import VOWELS
from core.entities.short_forms import ShortForms
from core.language.fold import WORD, fold
from core.language.lexicon import words_of

_SCRIPTS = ("LATIN", "CYRILLIC", "ARABIC", "GREEK", "HEBREW")
_WITH_CAPITALS = ("LATIN", "CYRILLIC", "GREEK")
_ENDINGS = {"LATIN": "de", "CYRILLIC": "ru"}  # the language whose endings names take on
_LEAST_STEM, _LEAST_SKELETON = 3, 3
_BEFORE_ARABIC = "وبلفك"  # 'and', 'in', 'for' and the like, joined with the word behind them
# How one sound is written in Latin letters, the longest first; vowels are left out after that.
_SOUNDS = (
    ("shch", "S"), ("tch", "C"), ("sch", "S"), ("sh", "S"), ("ch", "C"), ("kh", "k"), ("gh", "g"), ("zh", "j"),
    ("ph", "f"), ("th", "t"), ("dh", "d"), ("ts", "z"), ("tz", "z"), ("ck", "k"), ("x", "ks"), ("q", "k"), ("c", "k"),
    ("w", "v"),
)  # fmt: skip
_TWICE = re.compile(r"(.)\1+")


@dataclass(frozen=True, slots=True)
class Spelling:
    """A way in which a name of the case (``entity``) may be in ``passages``, in ``documents`` of them.

    ``kind`` is 'form' for another case of its language, 'script' for another script, 'short' for a short form of a
    person's name, with ``others`` of the same last name.
    """

    entity: str
    text: str
    kind: Literal["form", "script", "short"]
    passages: int
    documents: int
    others: tuple[str, ...] = ()


def spellings(entities: Sequence[Entity], passages: Iterable[tuple[str, str]]) -> list[Spelling]:
    """List spellings of confirmed names that (document, text) pairs hold and nobody has decided on, by name."""
    names = {
        (entity.id, name): tuple(WORD.findall(name))
        for entity in entities
        if entity.status == "confirmed"
        for name in (entity.name, *entity.aliases)
    }
    decided = {fold(name) for entity in entities for name in (entity.name, *entity.aliases)}
    count: Counter[tuple[str, str, Literal["form", "script"]]] = Counter()
    where: dict[tuple[str, str, str], set[str]] = {}
    short_forms = ShortForms(entities)
    for document, text in passages:
        short_forms.take(document, text)
        words = WORD.findall(text)
        hits = {
            (entity, spelling, kind)
            for (entity, _), name in names.items()
            for spelling, kind in _in_words(words, name)
            if fold(spelling) not in decided
        }
        count.update(hits)
        for hit in hits:
            where.setdefault(hit, set()).add(document)
    undecided = [Spelling(*hit, times, len(where[hit])) for hit, times in count.items()]
    undecided += [
        Spelling(row.entity, row.text, "short", row.passages, row.documents, row.others) for row in short_forms.rows()
    ]
    return sorted(undecided, key=lambda row: (int(row.entity[1:]), -row.passages, row.text))


def _in_words(words: Sequence[str], name: Sequence[str]) -> Iterator[tuple[str, Literal["form", "script"]]]:
    least = _LEAST_SKELETON if len(name) == 1 else _LEAST_SKELETON - 1
    for start in range(len(words) - len(name) + 1):
        if not name or not (first := _likeness(name[0], words[start], least)):
            continue
        kinds = [
            first,
            *(_likeness(part, word, least) for part, word in zip(name[1:], words[start + 1 :], strict=False)),
        ]
        if all(kinds) and set(kinds) != {"same"}:
            yield " ".join(words[start : start + len(name)]), "script" if "script" in kinds else "form"


@lru_cache(maxsize=200_000)
def _likeness(name: str, word: str, least: int) -> Literal["", "same", "form", "script"]:
    """Return how a word may be one of a name: the 'same', another 'form' of it, in another 'script', or '' not at all.

    ``least`` consonants tell a name in another script.
    """
    left, right = _script(name), _script(word)
    if left not in _SCRIPTS or right not in _SCRIPTS or (right in _WITH_CAPITALS and not word[0].isupper()):
        return ""
    if left != right:
        is_arabic = "ARABIC" in (left, right)
        consonants = _skeleton(name, is_arabic=is_arabic)
        same = consonants == _skeleton(word, is_arabic=is_arabic)
        return "script" if same and len(consonants) >= least else ""
    of_name, of_word = fold(name), fold(word)
    if of_name == of_word:
        return "same"
    if left == "ARABIC":
        return "form" if of_word[:1] in _BEFORE_ARABIC and of_word[1:] == of_name else ""
    endings = words_of(_ENDINGS[left], "name_ending") if left in _ENDINGS else frozenset()
    shared = next((index for index, pair in enumerate(zip(of_name, of_word, strict=False)) if pair[0] != pair[1]), None)
    stem = min(len(of_name), len(of_word)) if shared is None else shared
    rests = {of_name[stem:] or "-", of_word[stem:] or "-"}
    longest = max(_LEAST_STEM, len(of_name) - (2 if left == "CYRILLIC" else 0))
    return "form" if stem >= longest and rests <= endings else ""


@lru_cache(maxsize=200_000)
def _skeleton(word: str, *, is_arabic: bool) -> str:
    """Return the consonants of a word in Latin letters; without 'v' and 'w' where one side is Arabic."""
    from anyascii import anyascii

    text = re.sub(r"[^a-z]", "", anyascii(word).lower())
    for sound, sign in _SOUNDS:
        text = text.replace(sound, sign)
    text = "".join(letter for letter in text if letter not in VOWELS)
    return _TWICE.sub(r"\1", text.replace("v", "") if is_arabic else text)


def _script(word: str) -> str:
    return unicodedata.name(word[:1], "").partition(" ")[0]
