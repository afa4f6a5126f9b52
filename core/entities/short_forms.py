"""Short forms of a person's full name: 'Brandt', 'Ms Brandt', 'I. Brandt', 'BRANDT, Ilse'. Pure.

A last name is told as a person's only where one full name in the case and in its documents has it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.domain import Entity
from core.language.fold import WORD, fold
from core.language.lexicon import opposites_in, words_of

PARTICLES = "of|the|de|del|della|der|den|di|da|dos|du|la|le|van|von|zu|bin|ibn|al|el|y|e|and|&"
_LANGUAGES_OF_TITLES = ("en", "de")
_FORMS = 5  # of one name that are suggested together
_LEAST = 3  # letters of a last name
_REACH = 60  # characters before a last name in which titles, initials and first names stand
_BEHIND = re.compile(r"(?P<comma>,[ \u00a0]+|[ \u00a0]+)(?P<word>[^\W\d_][\w’'-]*\.?)(?P<end>\s*(?:$|[\n:;·(]))?")
_CLOSING = (",", ";", ":", "!", "?", ")", "]", "”", '"', "·", "|")


@dataclass(frozen=True, slots=True)
class ShortForm:
    """A short form (``text``, and ``others`` of the same name) of the name ``entity``, where it is found."""

    entity: str
    text: str
    others: tuple[str, ...]
    passages: int
    documents: int


@dataclass(slots=True)
class _LastName:
    """What the documents show of one last name. ``first`` are the first names of each person who has it."""

    first: dict[str, tuple[str, ...]]  # by entity
    is_person: bool
    forms: Counter[str] = field(default_factory=Counter)
    bare: Counter[str] = field(default_factory=Counter)
    titles: set[str] = field(default_factory=set)
    words_before: set[str] = field(default_factory=set)  # that may be the first name of somebody else
    is_shared: bool = False
    is_word: bool = False  # also an ordinary word, or a part of another name
    passages: list[tuple[str, frozenset[str]]] = field(default_factory=list)  # (document, forms in it)


class ShortForms:
    """The short forms of the names of a case, read passage by passage."""

    def __init__(self, entities: Sequence[Entity]) -> None:
        self._decided = {fold(name) for entity in entities for name in (entity.name, *entity.aliases)}
        self._last_names: dict[str, _LastName] = {}
        self._small: set[str] = set()  # words that are written small
        for entity in entities:
            if entity.status != "confirmed" or entity.kind not in ("", "person"):
                continue
            for name in (entity.name, *entity.aliases):
                first, last = _parts(name)
                if first and len(last) >= _LEAST and fold(last) not in self._decided:
                    row = self._last_names.setdefault(last.casefold(), _LastName({}, is_person=True))
                    row.first[entity.id] = (*row.first.get(entity.id, ()), *first)
                    row.is_person = row.is_person and entity.kind == "person"
        longest_first = sorted(map(re.escape, self._last_names), key=lambda name: (-len(name), name))
        self._pattern = re.compile(rf"(?<![\w’'-])(?:{'|'.join(longest_first)})(?![\w-])", re.IGNORECASE)

    def take(self, document: str, text: str) -> None:
        """Read one passage."""
        if not self._last_names:
            return
        self._small.update(word for word in WORD.findall(text) if word.islower())
        forms: dict[str, set[str]] = {}
        for match in self._pattern.finditer(text):
            name = match[0].casefold()
            if match[0].islower():
                self._last_names[name].is_word = True
                continue
            forms.setdefault(name, set()).update(_read(self._last_names[name], text, match))
        for name, in_passage in forms.items():
            self._last_names[name].passages.append((document, frozenset(in_passage)))

    def rows(self) -> Iterator[ShortForm]:
        """Yield a row for each last name of one person that is found in a short form."""
        for row in self._last_names.values():
            if len(row.first) != 1 or self._is_of_two(row):
                continue
            ((entity, _),) = row.first.items()
            has_bare = bool(row.bare) and not row.is_word and (row.is_person or bool(row.forms))
            forms = [*(row.bare.most_common(1) if has_bare else ()), *sorted(row.forms.items(), key=_by_count)]
            texts = list(dict.fromkeys(text for text, _ in forms if fold(text) not in self._decided))[: _FORMS + 1]
            if not texts:
                continue
            where = [document for document, in_passage in row.passages if has_bare or in_passage & set(texts)]
            yield ShortForm(entity, texts[0], tuple(texts[1:]), len(where), len(set(where)))

    def _is_of_two(self, row: _LastName) -> bool:
        """Return whether the documents name another person with a last name."""
        opposites = [opposites_in(language, "title_opposites") for language in _LANGUAGES_OF_TITLES]
        two_titles = any(row.titles & pairs.get(title, frozenset()) for pairs in opposites for title in row.titles)
        return row.is_shared or two_titles or any(word not in self._small for word in row.words_before)


def _by_count(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


def _titles() -> frozenset[str]:
    return words_of("en", "rank").union(*(words_of(language, "title") for language in _LANGUAGES_OF_TITLES))


def _parts(name: str) -> tuple[tuple[str, ...], str]:
    """Return the first names of a full name, without titles, and its last name with its particles; ((), '') if none."""
    words = [word for word in name.split() if word.strip(".").casefold() not in _titles()]
    if len(words) < 2 or any(not word[0].isalpha() for word in words) or len(words) > 5:
        return (), ""
    if words[0].endswith(",") and len(words) == 2:
        words = [words[1], words[0].rstrip(",")]
    start = len(words) - 1
    while start > 1 and words[start - 1] in PARTICLES.split("|"):
        start -= 1
    return tuple(words[:start]), " ".join(words[start:])


def _read(row: _LastName, text: str, match: re.Match[str]) -> Iterator[str]:
    """Yield the short form at a place, if there is one, and keep what the place shows of the last name."""
    last = " ".join(match[0].split())
    first = {name.strip(".").casefold() for names in row.first.values() for name in names}
    initials = {name[:1] for name in first}
    before = _before(text, match.start())
    titles = [word for word in before if word.strip(".").casefold() in _titles()]
    others = [word for word in before if word not in titles]
    row.titles.update(title.strip(".").casefold() for title in titles)
    is_full, is_initial = False, False
    for word in others:
        plain = word.strip(".").casefold()
        if plain in first and len(plain) > 1:
            is_full = True
        elif _is_initial(word):
            is_initial = True
            row.is_shared |= not is_full and plain[:1] not in initials
        elif plain not in words_of("en", "no_name") | words_of("en", "function"):
            row.words_before.add(plain)
    behind = _BEHIND.match(text, match.end())
    if behind is not None and not is_full:
        word = behind["word"].strip(".").casefold()
        is_own = word in first or (_is_initial(behind["word"]) and word[:1] in initials)
        has_capital = behind["word"][0].isupper()
        is_listed = behind["comma"].startswith(",") and (last.isupper() or _begins_line(text, match.start()))
        if is_own and behind["comma"].startswith(","):
            yield _counted(row.forms, f"{last}, {behind['word']}")
            return
        if is_listed and has_capital and not behind["word"].isupper() and (last.isupper() or behind["end"] is not None):
            row.is_shared = True
        elif has_capital and not behind["comma"].startswith(",") and not last.isupper() and not is_own:
            row.is_word = True  # 'Brandt Logistics'
    if is_full:
        return
    if titles or is_initial:
        prefix = [word for word in before if word in titles or _is_initial(word)]
        yield _counted(row.forms, " ".join([*prefix, last]))
        return
    yield _counted(row.bare, last)


def _counted(count: Counter[str], form: str) -> str:
    count[form] += 1
    return form


def _before(text: str, start: int) -> list[str]:
    """List the words with a capital right before a place, in order: titles, initials, first names."""
    line = text[max(0, start - _REACH) : start].rpartition("\n")[2]
    words: list[str] = []
    for word in reversed(line.split()):
        if word.endswith(_CLOSING) or (word.endswith(".") and not _is_initial(word) and not _is_title(word)):
            break
        bare = word.lstrip("(\"'“‘[")
        if not bare[:1].isupper():
            break
        words.insert(0, bare)
        if bare != word or len(words) == 4:
            break
    return words


def _is_title(word: str) -> bool:
    return word.strip(".").casefold() in _titles()


def _is_initial(word: str) -> bool:
    return re.fullmatch(r"(?:[^\W\d_]\.-?)+", word) is not None


def _begins_line(text: str, start: int) -> bool:
    return start == 0 or text[start - 1] == "\n"
