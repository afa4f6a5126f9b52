"""Who and what a case is about: where its names are, which more the documents suggest, and who is with whom.

A suggestion is only ever a suggestion: capital letters do not make a name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

from core.domain import Entity
from core.entities.short_forms import PARTICLES
from core.language.capitals import CAPITAL_NOUNS, is_name
from core.language.identification import language_of
from core.language.lexicon import words_of
from core.language.scripts import is_word_border

SUGGESTED = 300  # names, and as many codes
CODE = "plate or code"
_KINDS = ("person", "organisation", "place")  # that come first
_SMALL = re.compile(r"(?<![\w'’-])[a-zß-öø-ÿ]+(?![\w'’-])")
_JOINING = {"of", "the", "and", "&", "y", "e"}
_LONGEST = 6  # words of a suggested name
_BREAKS = frozenset("\n\r\v\f\t\u2028\u2029")

_CAPITAL = r"[\p{Lu}\p{Lt}]"
# A full stop belongs to an initial, a title, or is inside; else it ends the name.
_PART = rf"(?:(?:Dr|Mr|Mrs|Ms|Prof|St|Gen|Col|Sgt|Lt|Capt)\.|(?:{_CAPITAL}\.)+|{_CAPITAL}(?:[\w’'&-]|\.(?=\w))*)"
_NAME = rf"(?:{_PART})(?:[ \u00a0]+(?:(?:{PARTICLES})[ \u00a0]+)?(?:{_PART}|\d{{1,4}}\b))*"
_SENTENCE = re.compile(r"(?:^|[.!?:;•\n\t]|[\"“”»)\]])\s*$")
# What can be told by its form alone, with what it is.
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("address", re.compile(r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")),
    ("web", re.compile(r"\b(?:https?://|www\.)[^\s<>\"“”]{4,200}[^\s<>\"“”.,;:)]")),
    ("network", re.compile(r"\b(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b")),
    ("account", re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b")),
    ("phone", re.compile(r"(?<![\w.])\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{2,4}(?:[ .-]?\d{2,4}){1,4}\b")),
    (CODE, re.compile(r"\b[A-Z]{1,4}-?\d{2,}(?:-[A-Z0-9]+)*\b")),
)
CODES = frozenset(kind for kind, _ in _PATTERNS)  # kinds that name nobody: numbers, codes and addresses
_NO_NAMES = words_of("en", "no_name")
_ALONE = words_of("en", "name_part")
# Where people come from and what they believe: written with a capital letter, and the name of nobody. Within a longer
# name ('Swiss Bank') they stay.
_OF_PEOPLES = words_of("en", "people")
_SHORT_STATES = words_of("en", "state")
_WHOLE = words_of("en", "institution")
_TITLES = {"mr", "mrs", "ms", "miss", "messrs", "dr", "prof", "sir", "lady", "lord", "captain", "capt", "col", "gen",
           "sgt", "maj", "lt", "adm", "rev", "rep", "sen", "gov", "president"}  # fmt: skip
_SHORT = 5  # letters of the longest short form in capitals: 'NATO', 'MSNBC'
_AT_LEAST_INSIDE = 0.2  # of a single word's places must not be the beginning of a sentence
_COMPANY = words_of("en", "company")
_PLACE = {"street", "road", "avenue", "square", "river", "lake", "mount", "island", "city", "county", "port", "bay",
          "station", "airport", "bridge", "harbour", "harbor", "valley"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mention:
    """text[start:end] is the entity by one of its names."""

    entity: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A name that the documents suggest.

    ``name`` is as it is mostly written; ``kind`` is '' where nothing points to one; ``mentions`` says how often it
    is there, ``documents`` in how many of them, ``spellings`` are other ways in which it is written.

    ``by`` says what suggests it: its 'form' alone, the 'model' for names alone, or 'both'. The kind is the model's
    where it found the name, else the one its words point to. ``passages`` is how many hold it in any spelling, also
    inside a longer name, and ``documents`` then counts theirs; 0 where nobody counted.
    """

    name: str
    kind: str
    mentions: int
    documents: int
    spellings: tuple[str, ...] = ()
    by: Literal["form", "model", "both"] = "form"
    passages: int = 0

    @property
    def is_code(self) -> bool:
        """Return whether it is a number, a code or an address, and the name of nobody."""
        return self.kind in CODES


@dataclass(frozen=True, slots=True)
class CoOccurrence:
    """Two entities that are in the same passage, ``passages`` times, in ``documents`` documents."""

    one: str
    other: str
    passages: int
    documents: int


def counted_in(suggestions: Sequence[Candidate], passages: Iterable[tuple[str, str]]) -> list[Candidate]:
    """Count the (document, text) passages that hold each candidate, and their documents.

    The case of letters does not count; a candidate that no passage holds stays as it was. People, organisations and
    places come first, codes last; then those in most documents, among them those that stand most often by themselves: a
    full name before a part of it.
    """
    entities = [
        Entity(str(index), suggestion.name, aliases=suggestion.spellings)
        for index, suggestion in enumerate(suggestions)
    ]
    find = name_matcher(entities, overlapping=True)
    times: Counter[int] = Counter()
    where: dict[int, set[str]] = {}
    for document, text in passages:
        for index in {int(mention.entity) for mention in find(text)}:
            times[index] += 1
            where.setdefault(index, set()).add(document)
    rows = [
        replace(suggestion, passages=times[index], documents=len(where[index])) if times[index] else suggestion
        for index, suggestion in enumerate(suggestions)
    ]
    return _in_order(rows)


def name_matcher(entities: Sequence[Entity], *, overlapping: bool = False) -> Callable[[str], tuple[Mention, ...]]:
    """Make a function that finds every confirmed name and alias in a text, as a whole word.

    It finds the longest where several begin, whatever the case of letters. A name of one or two letters must be written
    exactly so. ``overlapping`` finds a name inside a longer one too.
    """
    names: dict[str, str] = {}
    exact: dict[str, str] = {}
    for entity in entities:
        if entity.status == "confirmed":
            for name in filter(str.strip, (entity.name, *entity.aliases)):
                (exact if len(name) <= 2 else names).setdefault(name if len(name) <= 2 else _folded(name), entity.id)
    if not names and not exact:
        return lambda text: ()
    import ahocorasick_rs

    def searcher(of: Mapping[str, str]) -> Any:
        # Every match is wanted: one that is no whole word may hide one that is.
        return ahocorasick_rs.AhoCorasick(list(of)) if of else None

    folded_search, exact_search = searcher(names), searcher(exact)
    folded_ids, exact_ids = list(names.values()), list(exact.values())

    def find(text: str) -> tuple[Mention, ...]:
        hits = []
        for search, ids, haystack in ((folded_search, folded_ids, _folded(text)), (exact_search, exact_ids, text)):
            if search is not None:
                hits += [(s, e, ids[n]) for n, s, e in search.find_matches_as_indexes(haystack, overlapping=True)]
        mentions: list[Mention] = []
        for start, end, entity in sorted(hits, key=lambda hit: (hit[0], -hit[1])):
            is_word = is_word_border(text, start) and is_word_border(text, end)
            if is_word and (overlapping or not mentions or start >= mentions[-1].end):
                mentions.append(Mention(entity, start, end))
        return tuple(mentions)

    return find


def _nobody(_text: str) -> Sequence[tuple[str, str]]:
    return ()


def candidates(
    pages: Iterable[tuple[str, str]],
    gazetteer: Sequence[Entity] = (),
    *,
    model_names: Callable[[str], Sequence[tuple[str, str]]] = _nobody,
) -> list[Candidate]:
    """List names that (document, text) pairs suggest and nobody decided on, in the order of ``counted_in``.

    Runs of words with capital letters, unless they only ever begin a sentence or name nobody, and what has the form of
    an address, number or code. ``model_names`` gives the (name, kind) pairs that a model found in a text, one a place:
    what it says is a name needs no capital letter, and may be at the beginning of sentences only.
    """
    import regex  # knows capital letters of every script

    runs = regex.compile(_NAME)
    gazetteer_names = {_folded(name) for entity in gazetteer for name in (entity.name, *entity.aliases)}
    forms: dict[str, Counter[str]] = {}
    inside: Counter[str] = Counter()
    where: dict[str, set[str]] = {}
    kinds: dict[str, str] = {}
    in_capitals: Counter[str] = Counter()
    plain: Counter[str] = Counter()
    model_kinds: dict[str, Counter[str]] = {}  # kinds by the model
    model_forms: dict[str, Counter[str]] = {}
    model_documents: dict[str, set[str]] = {}
    beyond: Counter[str] = Counter()  # places that the model alone finds
    here: Counter[str] = Counter()  # on the selected page

    def take(form: str, document: str, *, begins: bool, kind: str = "") -> None:
        key = _folded(form)
        forms.setdefault(key, Counter())[form] += 1
        where.setdefault(key, set()).add(document)
        here[key] += 1
        inside[key] += not begins
        in_capitals[key] += not kind and _shouted(form)
        if kind:
            kinds[key] = kind

    for document, text in pages:
        here.clear()
        for kind, pattern in _PATTERNS:
            for match in pattern.finditer(text):
                take(match.group(), document, begins=False, kind=kind)
        nouns_too = language_of(text) in CAPITAL_NOUNS
        for match in runs.finditer(text):
            begins = bool(_SENTENCE.search(text[max(0, match.start() - 4) : match.start()])) or match.start() == 0
            for part in _apart(match.group()):
                name, is_cut = _trimmed(part)
                if name and (not nouns_too or " " in name or is_name(text, match.start(), match.end())):
                    take(name, document, begins=begins and not is_cut)
                begins = False
        plain.update(_SMALL.findall(text))
        model_counts: Counter[str] = Counter()
        for name, kind in model_names(text):
            form = _by_model(name)
            if form:
                key = _folded(form)
                model_counts[key] += 1
                model_kinds.setdefault(key, Counter())[kind] += 1
                model_documents.setdefault(key, set()).add(document)
                if not set(name) & _BREAKS:  # a name over two lines is one, and cannot be looked for as it is written
                    model_forms.setdefault(key, Counter())[form] += 1
        beyond.update({key: times - here[key] for key, times in model_counts.items() if times > here[key]})
    suggestions = []
    for key, spellings in forms.items():
        words = key.split()
        count = sum(spellings.values())
        if key in gazetteer_names:
            continue
        if key in model_kinds and _is_name_by_model(key, model_kinds, count, plain):
            continue  # below, with what the model says of it
        # One word at the beginning of sentences only is a word, not a name.
        if key not in kinds and len(words) == 1 and not inside[key]:
            continue
        # What is only ever set in capitals is a headline or a label, unless it is a short form.
        if in_capitals[key] == count and key not in kinds:
            continue
        if len(words) == 1 and key not in kinds and inside[key] < _AT_LEAST_INSIDE * count:
            continue
        # A word that is written small as often is none either, however large some headline sets it.
        if len(words) == 1 and key not in kinds and plain[key] >= inside[key]:
            continue
        if count < 2 and key not in kinds and len(words) == 1:
            continue
        form = max(spellings, key=lambda spelling: (spellings[spelling], spelling))
        variants = tuple(sorted(spelling for spelling in spellings if spelling != form))
        kind = kinds.get(key) or _kind(words) or (CODE if _is_code(form) else "")
        suggestions.append(Candidate(form, kind, count, len(where[key]), variants))
    for key, by_kind in model_kinds.items():
        spellings = model_forms.get(key, Counter()) + forms.get(key, Counter())
        count = forms[key].total() if key in forms else 0
        if key in gazetteer_names or not spellings or not _is_name_by_model(key, model_kinds, count, plain):
            continue
        form = max(spellings, key=lambda spelling: (spellings[spelling], spelling))
        variants = tuple(sorted(spelling for spelling in spellings if spelling != form))
        kind = kinds.get(key) or max(by_kind, key=lambda kind: (by_kind[kind], kind))
        kind = CODE if _is_code(form) and kind not in _KINDS else kind
        by: Literal["model", "both"] = "both" if key in forms else "model"
        documents = len(where.get(key, set()) | model_documents[key])
        suggestions.append(Candidate(form, kind, count + beyond[key], documents, variants, by))
    suggestions.sort(key=lambda suggestion: (-suggestion.documents, -suggestion.mentions, suggestion.name))
    names = [suggestion for suggestion in suggestions if not suggestion.is_code][:SUGGESTED]
    codes = [suggestion for suggestion in suggestions if suggestion.is_code][:SUGGESTED]
    return _in_order([*names, *codes])


def co_occurrences(passages: Iterable[tuple[str, Sequence[Mention]]]) -> list[CoOccurrence]:
    """List who is with whom in (document, mentions) of passages: most passages first, ties by id."""
    count: Counter[tuple[str, str]] = Counter()
    where: dict[tuple[str, str], set[str]] = {}
    for document, mentions in passages:
        ids = sorted({mention.entity for mention in mentions}, key=lambda entity: (len(entity), entity))
        for pair in combinations(ids, 2):
            count[pair] += 1
            where.setdefault(pair, set()).add(document)
    pairs = [CoOccurrence(*pair, times, len(where[pair])) for pair, times in count.items()]
    return sorted(pairs, key=lambda t: (-t.passages, len(t.one), t.one, len(t.other), t.other))


def _in_order(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Put what may be a person, an organisation or a place first, then things, codes last; by documents among them.

    Where a model was asked, what it did not find is among the things.
    """
    first = {*_KINDS} if any(candidate.by != "form" for candidate in candidates) else {*_KINDS, ""}

    def place(candidate: Candidate) -> tuple[int, int, int, str]:
        rank = 0 if candidate.kind in first else 2 if candidate.is_code else 1
        return rank, -candidate.documents, -candidate.mentions, candidate.name

    return sorted(candidates, key=place)


def _is_code(form: str) -> bool:
    """Return whether a form is one word of capitals with a figure in it: 'PRN-3', 'A320'."""
    return " " not in form and any(c.isdigit() for c in form) and not any(c.islower() for c in form)


def _folded(text: str) -> str:
    """Put a text in small letters, as long as before: offsets stay what they are."""
    small = text.lower()
    if len(small) == len(text):
        return small
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _is_name_by_model(key: str, model_kinds: Mapping[str, Counter[str]], count: int, plain: Counter[str]) -> bool:
    """Return whether what a model says makes it a name.

    That is so where it says it in half of the places where it has the form of one at least, and of one word more than
    once, and more often than it is written small.
    """
    times = model_kinds[key].total()
    return times * 2 >= count and (" " in key or (times > 1 and times > plain[key]))


def _by_model(name: str) -> str:
    """Return a name of a model's on one line, without what names nobody at its ends; '' for what is none."""
    form, _ = _trimmed(" ".join(name.split()).strip("\"'“”‘’«»()[]{}<>*_#|,;:"))
    return form if form and not re.search(r"[<>{}|\[\]*_#=\\]|\d{5}", form) else ""


def _shouted(name: str) -> bool:
    """Return whether a name is set in capitals throughout, and too long to be a short form."""
    letters = [c for c in name if c.isalpha()]
    return name.upper() == name and name.lower() != name and (" " in name or len(letters) > _SHORT)


def _apart(run: str) -> list[str]:
    """Part names: 'Dana Reyes of Meridian Ltd' is two, 'Ministry of Defence', 'United States of America' are one."""
    words = run.split()
    cut = next(
        (
            index
            for index, word in enumerate(words)
            if word in _JOINING
            and index >= 2
            and not (word in ("of", "the") and words[index - 1].casefold() in _WHOLE)
            and not (word == "the" and words[index - 1] == "of")
        ),
        None,
    )
    return [run] if cut is None else [" ".join(words[:cut]), *_apart(" ".join(words[cut + 1 :]))]


def _trimmed(run: str) -> tuple[str, bool]:
    """Cut off what names nobody at the ends of a run of capital words, and tell whether its beginning was cut."""
    words = run.replace("\u00a0", " ").split()
    is_cut = False
    while words and _bare(words[0]) in _NO_NAMES - _TITLES:
        words.pop(0)
        is_cut = True
    while words and words[0] in PARTICLES.split("|"):
        words.pop(0)
    while words and (
        (_bare(words[-1]) in _NO_NAMES and (len(words) == 1 or _bare(words[-1]) not in _COMPANY)) or words[-1].isdigit()
    ):
        words.pop()
    words = words[:_LONGEST]
    if not words or all(_bare(word) in _TITLES | _NO_NAMES | _ALONE | _OF_PEOPLES for word in words):
        return "", is_cut
    if len(words) == 1 and _bare(words[0]) in _SHORT_STATES:
        return "", is_cut
    if len(words) > 1 and len(words[0]) == 1 and len(words[1]) > 1 and words[0] != "&":
        words, is_cut = words[1:], True  # a letter that numbers a heading: 'B Brennick Components'
    name = " ".join(words)
    if re.search(r"[’'](?:m|ve|re|d|ll|t)$", name, re.IGNORECASE):
        return "", is_cut
    # A full stop belongs to a name only after an initial or within a short form.
    if name.endswith(".") and not re.search(r"(?:^|[\s.])\w\.$", name):
        name = name[:-1]
    name = re.sub(r"[’']s$", "", name).strip("-’'")
    return (name, is_cut) if sum(c.isalpha() for c in name) >= 2 else ("", is_cut)


def _bare(word: str) -> str:
    """Strip a word of what is around it, in small letters: 'Thursday’s' is 'thursday'."""
    return re.sub(r"[’']s$", "", word.casefold()).strip(".’'")


def _kind(words: Sequence[str]) -> str:
    """Return the kind that the words of a name point to; '' where they point to none."""
    plain = {word.strip(".,").removesuffix("'s") for word in words}
    if plain & _COMPANY:
        return "organisation"
    if plain & _PLACE:
        return "place"
    if words[0].strip(".") in _TITLES and len(words) > 1:
        return "person"
    return ""
