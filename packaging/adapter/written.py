"""Training units written for this program: passages with hypotheses whose labels follow from the facts behind them.

    python packaging/adapter/written.py 20 [SEED]      prints some

A bank (``written/*.txt``, one file a domain) holds *schemas*: a fact that a text can state (``+``), replace by a
contrary fact (``-``), or leave open although it speaks of it (``?``: a plan, an attempt, a disputed claim, another
object), with hypotheses that hold exactly where the fact is stated (``=``) or where its contrary is (``!``). A label is
therefore never guessed from words: a text in state ``+`` supports every ``=`` and contradicts every ``!``; in state
``-`` it is the other way round; in state ``?``, and where the text has nothing of the schema at all, both are neutral.
The state is drawn without regard to the hypothesis, so that a hypothesis alone says nothing about its label; every
passage is asked for all three labels, so that a passage alone says nothing either.

Lines of a bank, whose schemas are separated by empty lines::

    org: Lines | Freight             endings of the names of organisations in this domain
    . A sentence on the side that bears on no schema of the domain.
    *                                the contrary is the plain negation: to rule one out is to state the other
    $ a, b = pump/feed pump | valve  values of {a} and {b}, different ones; either wording of a value may be written
    ~ U                              a text on another {U} says nothing about the hypothesis
    + - ? = !                        as above

``[a|b]`` is a free choice. Slots: P Q R S V persons; C C2 C3 places; O O2 O3 organisations; U U2 unit numbers;
D1 < D2 < D3 dates; T1 < T2 < T3 times of a day; Y1 < Y2 < Y3 years; SMALL < MID < BIG counts, with d behind them in
digits, with m money, with p per cent, with k thousands; DIGIT; N1 + N2 = SUM and not NOTSUM; HALF of WHOLE and not
NOTHALF; WILL, and not WRONG, is DAYS days after WAS; SOON is less, LATE more than an hour after START. The schemas of
``_any.txt`` belong to every domain; ``_phrases.txt`` has the names and the frames that facts are set into.

Schemas of one domain must not bear on each other, and a filler on none of them: a hypothesis of one is neutral to a
passage that holds only others.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

SUPPORTS, CONTRADICTS, NEUTRAL = 0, 1, 2
NAMES = ("supports", "contradicts", "neutral")
BANK = Path(__file__).with_name("written")
WORDS = (15, 125)  # of a passage
MAX_CHARS = 900  # characters

_LOW = re.findall(
    r"\w+", "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
)
_LOW += re.findall(r"\w+", "sixteen seventeen eighteen nineteen")
_TENS = re.findall(r"\w+", "twenty thirty forty fifty sixty seventy eighty ninety")
_MONTHS = re.findall(r"\w+", "January February March April May June July August September October November December")
_ORDINAL_WORDS = re.findall(r"\w+", "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")
_ORDINALS = {**dict(enumerate(_ORDINAL_WORDS, 1)), 20: "twentieth", 21: "twenty-first", 30: "thirtieth"}
_CURRENCIES = {"$": "dollars", "€": "euros", "£": "pounds"}

Person = tuple[str, str]
Writer = Callable[[bool], str]  # what a slot says, in a passage (True) or in a hypothesis
Unit = tuple[str, list[tuple[str, int]]]

# --- the banks -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Schema:
    """One fact with its states and hypotheses; the marks are those of the head of this file."""

    statements: tuple[str, ...]
    contrary: tuple[str, ...]
    open: tuple[str, ...]
    holds: tuple[str, ...]
    fails: tuple[str, ...]
    values: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    swaps: tuple[str, ...]
    binary: bool


@dataclass(frozen=True, slots=True)
class Domain:
    """The content of one file of the bank."""

    name: str
    endings: tuple[str, ...]
    fillers: tuple[str, ...]
    schemas: tuple[Schema, ...]

    @property
    def breadth(self) -> int:
        """Number of different things it can speak of, roughly: what is broader is drawn more often."""
        return 60 + sum(len(options) for schema in self.schemas for _, options in schema.values)


@cache
def bank() -> tuple[Domain, ...]:
    """Return all domains, in order of their names."""
    return tuple(_domain(path) for path in sorted(BANK.glob("[a-z]*.txt")))


@cache
def general() -> Domain:
    """Return the schemas that fit into every domain."""
    return _domain(BANK / "_any.txt")


def _domain(path: Path) -> Domain:
    endings: tuple[str, ...] = ("Group",)
    fillers: list[str] = []
    schemas: list[Schema] = []
    for block in re.split(r"\n\s*\n", path.read_text(encoding="utf-8")):
        marks: dict[str, list[str]] = {}
        for line in block.strip().splitlines():
            if line.startswith("org:"):
                endings = _parts(line[4:], "|")
            else:
                marks.setdefault(line[0], []).append(line[1:].strip())
        fillers += marks.get(".", [])
        if "+" in marks:
            statements, contrary, left, holds, fails = (tuple(marks.get(mark, ())) for mark in "+-?=!")
            values = tuple(
                (_parts(names, ","), _parts(options, "|")) for names, options in map(_equation, marks.get("$", ()))
            )
            swaps = tuple(" ".join(marks.get("~", ())).split())
            schemas.append(Schema(statements, contrary, left, holds, fails, values, swaps, "*" in marks))
    return Domain(path.stem, endings, tuple(fillers), tuple(schemas))


def _parts(text: str, mark: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(mark))


def _equation(line: str) -> tuple[str, str]:
    names, _, options = line.partition("=")
    return names, options


@cache
def _phrases() -> Mapping[str, tuple[str, ...]]:
    """Return names (one a word) and frames (one a line), by the heading they stand under."""
    sections = (BANK / "_phrases.txt").read_text(encoding="utf-8").split("\n== ")[1:]
    read = {
        head: tuple(body.split("\n")) for head, _, body in (section.strip().partition("\n") for section in sections)
    }
    return {
        head: tuple(" ".join(lines).split()) if head.startswith("names:") else lines for head, lines in read.items()
    }


def _frames(head: str) -> tuple[str, ...]:
    return _phrases()[head]


@cache
def _ordinary() -> frozenset[str]:
    """Return the words that lose their capital where a sentence becomes a clause."""
    names = {
        *_MONTHS,
        "I",
        "Varo",
        *(name for head in _phrases() if head.startswith("names:") for name in _frames(head)),
    }
    words = set(_frames("names: words that begin a sentence and lose their capital within one"))
    for domain in (*bank(), general()):
        for schema in domain.schemas:
            texts = [*schema.statements, *schema.contrary, *schema.open, *schema.holds, *schema.fails]
            texts += [wording for _, options in schema.values for option in options for wording in option.split("/")]
            words |= {_tidy(text.split()[0]) for text in texts if text.strip()[:1] not in "{["} - names
    return frozenset(words)


# --- values of slots -----------------------------------------------------------------------------------------------


def in_words(number: int) -> str:
    """Write a count below a thousand in words."""
    if number < 20:
        return _LOW[number]
    if number < 100:
        return _TENS[number // 10 - 2] + ("-" + _LOW[number % 10] if number % 10 else "")
    rest = number % 100
    return _LOW[number // 100] + " hundred" + (" and " + in_words(rest) if rest else "")


def _count(rng: random.Random, number: int) -> str:
    in_letters = (number < 13 and rng.random() < 0.6) or (number < 100 and rng.random() < 0.3)
    return in_words(number) if in_letters else str(number)


def _money(rng: random.Random, number: int, sign: str) -> str:
    """Write ``number`` thousands of a currency."""
    name = _CURRENCIES[sign]
    if number >= 1000 and number % 100 == 0:
        millions = f"{number / 1000:g}"
        return rng.choice((f"{sign}{millions} million", f"{sign}{millions}m", f"{millions} million {name}"))
    whole = f"{sign}{number:,},000"
    return rng.choice((whole, f"{number:,},000 {name}", f"{sign}{number:,}k" if number < 1000 else whole))


def _share(rng: random.Random, number: int) -> str:
    in_letters = f"{in_words(number)} per cent" if number < 21 else f"{number} percent"
    return rng.choice((f"{number} %", f"{number}%", f"{number} per cent", in_letters))


def _date(rng: random.Random, day: tuple[int, int], year: int | None) -> str:
    month, number = _MONTHS[day[0] - 1], day[1]
    forms = [f"{number} {month}", f"{month} {number}", f"{number} {month}"]
    if number in _ORDINALS:
        forms.append(f"the {_ORDINALS[number]} of {month}")
    if year is not None:
        forms += [f"{number} {month} {year}", f"{month} {number}, {year}"]
    return rng.choice(forms)


def _time(rng: random.Random, minutes: int) -> str:
    hour, minute = divmod(minutes, 60)
    whole, half = f"{hour:02}:{minute:02}", "am" if hour < 12 else "pm"
    short = (hour - 1) % 12 + 1
    return rng.choice((whole, whole, f"{short}.{minute:02} {half}", f"{short}:{minute:02} {half}"))


def _rising(rng: random.Random, low: int, high: int, gap: int) -> list[int]:
    """Draw three rising numbers from low to high, at least ``gap`` apart."""
    span = high - gap * 2
    free = sorted(rng.sample(range(low, span + 1), 3)) if span - low >= 3 else [low] * 3
    return [number + gap * place for place, number in enumerate(free)]


@dataclass(slots=True)
class Scene:
    """The people, places and organisations that one passage is about."""

    rng: random.Random
    persons: list[Person]
    places: list[str]
    bodies: list[str]
    year: int
    names_used: set[str] = field(default_factory=set)

    def person(self, who: Person, *, passage: bool) -> str:
        """Write a name: the full one where a passage first has it."""
        first, last = who
        full = f"{first} {last}"
        if not passage:
            return self.rng.choice((full, full, last, f"{first[0]}. {last}"))
        if last not in self.names_used:
            self.names_used.add(last)
            return full
        return self.rng.choice((full, last, last))


def _scene(rng: random.Random, domain: Domain) -> Scene:
    names = _frames("names: first names"), _frames("names: last names")
    persons = list(zip(rng.sample(names[0], 6), rng.sample(names[1], 6), strict=True))
    stems = rng.sample(_frames("names: bodies"), 3)
    lasts = [last for last in rng.sample(names[1], 8) if last not in {person_last for _, person_last in persons}]
    bodies = []
    for stem, last in zip(stems, lasts, strict=False):
        bodies.append(rng.choice((stem, stem, last, f"{last} & {stem}")) + " " + rng.choice(domain.endings))
    return Scene(rng, persons, rng.sample(_frames("names: places"), 4), bodies, rng.randint(1988, 2024))


class Slots(dict[str, Writer]):
    """The text that each slot of a schema has in one scene; every schema draws roles and values of its own."""

    def __init__(self, scene: Scene, schema: Schema) -> None:
        super().__init__()
        rng = scene.rng
        self._draw_names(scene)
        self._draw_times(scene)
        self._draw_numbers(rng)
        self._draw_sums(rng)
        for names, options in schema.values:
            for name, option in zip(names, rng.sample(options, len(names)), strict=True):
                self[name] = lambda _passage, option=option: rng.choice(option.split("/")).strip()

    def _set_text(self, name: str, text: str) -> None:
        self[name] = lambda _passage: text

    def _draw_names(self, scene: Scene) -> None:
        rng = scene.rng
        for name, who in zip("PQRSV", rng.sample(scene.persons, 5), strict=True):
            self[name] = lambda passage, who=who: scene.person(who, passage=passage)
        for letter, texts in (("C", scene.places), ("O", scene.bodies)):
            for number, text in zip(("", "2", "3"), rng.sample(texts, 3), strict=True):
                self._set_text(letter + number, text)
        units = rng.sample(range(1, 40), 2)
        style = rng.choice(("{}", "{}", "{}", "A{}", "{}B", "K-{}"))
        for name, unit in zip(("U", "U2"), units, strict=True):
            self._set_text(name, style.format(unit))

    def _draw_times(self, scene: Scene) -> None:
        rng = scene.rng
        for number, day in enumerate(_rising(rng, 2, 360, 4), 1):
            date = (min(day // 30 + 1, 12), day % 28 + 1)
            self[f"D{number}"] = lambda passage, date=date: _date(rng, date, scene.year if passage else None)
        for number, minutes in enumerate(_rising(rng, 5, 1430, 9), 1):
            self[f"T{number}"] = lambda _passage, minutes=minutes: _time(rng, minutes)
        for number, year in enumerate(_rising(rng, scene.year - 60, scene.year, 3), 1):
            self._set_text(f"Y{number}", str(year))

    def _draw_numbers(self, rng: random.Random) -> None:
        top = rng.choice((14, 30, 60, 95, 400))
        for name, number in zip(("SMALL", "MID", "BIG"), _rising(rng, 2, top, 2), strict=True):
            self[name] = lambda _passage, number=number: _count(rng, number)
            self._set_text(name + "d", str(number))
        self._set_text("DIGIT", str(rng.randint(1, 9)))
        sign, top, step = rng.choice("$€£"), rng.choice((90, 900, 90)), rng.choice((1, 100, 5))
        for name, number in zip(("SMALLm", "MIDm", "BIGm"), _rising(rng, 3, top, 4), strict=True):
            self[name] = lambda _passage, number=number * step: _money(rng, number, sign)
        for name, number in zip(("SMALLp", "MIDp", "BIGp"), _rising(rng, 3, 97, 4), strict=True):
            self[name] = lambda _passage, number=number: _share(rng, number)
        for name, number in zip(("SMALLk", "MIDk", "BIGk"), _rising(rng, 12, 990, 9), strict=True):
            self._set_text(name, f"{number * 100:,}")

    def _draw_sums(self, rng: random.Random) -> None:
        a, b, half = rng.randint(2, 19), rng.randint(2, 19), rng.randint(3, 45)
        numbers = {"N1": a, "N2": b, "SUM": a + b, "NOTSUM": a + b + rng.choice((-2, 2, 3, 4, 5, 7))}
        numbers |= {"HALF": half, "WHOLE": 2 * half, "NOTHALF": half + rng.choice((-2, 2, 3, 5))}
        month, day, days, more = rng.randint(1, 12), rng.randint(1, 12), rng.randint(2, 9), rng.choice((2, 3, 4, 5))
        for name, number in {**numbers, "DAYS": days}.items():
            self[name] = lambda _passage, number=number: _count(rng, number)
        for name, later in (("WAS", 0), ("WILL", days), ("WRONG", days + more)):
            self[name] = lambda _passage, date=(month, day + later): _date(rng, date, None)
        start = rng.randint(60, 1000)
        for name, minutes in (("START", 0), ("SOON", rng.randint(15, 50)), ("LATE", rng.randint(75, 240))):
            self[name] = lambda _passage, minutes=start + minutes: _time(rng, minutes)


# --- sentences -----------------------------------------------------------------------------------------------------


def _choose(rng: random.Random, text: str) -> str:
    while (match := re.search(r"\[([^\[\]]*\|[^\[\]]*)\]", text)) is not None:
        text = text[: match.start()] + rng.choice(match.group(1).split("|")) + text[match.end() :]
    return text


def _tidy(text: str) -> str:
    """Set capitals at the beginning of sentences, the right article, the possessive of a plural, single blanks."""
    text = re.sub(r"(?<=\ws)'s\b", "'", re.sub(r"\s+", " ", text).strip())
    text = re.sub(r"\b([Aa]) (?=(?:[aeioAEIO]|un(?!i)|8\d?\b|11\b|18\b))(?!one\b|eu|O\b)", r"\1n ", text)
    text = re.sub(r"([.!?] )([a-z])", lambda match: match.group(1) + match.group(2).upper(), text)
    return text[:1].upper() + text[1:]


def _fill(scene: Scene, text: str, slots: Mapping[str, Writer], *, passage: bool) -> str:
    text = _choose(scene.rng, text)
    while "{" in text:  # a value may hold a slot
        text = re.sub(r"\{(\w+)\}", lambda match: slots[match.group(1)](passage), text)
    return _tidy(text)


def _clause(sentence: str) -> str:
    """Write a sentence as it stands behind 'that'."""
    sentence = sentence.strip().rstrip(".")
    head = sentence.split(" ", 1)[0]
    return sentence[0].lower() + sentence[1:] if head in _ordinary() else sentence


# --- facts ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Fact:
    """One schema with its values, in one state: True stated, False its contrary, None open or not spoken of."""

    scene: Scene
    schema: Schema
    slots: Slots
    state: bool | None
    by: Person | None = None  # the fact is that this person said it
    is_disputed: bool = False  # and somebody else denies it
    question: bool = False  # the fact is that the matter is open: True it is, False it is settled, None not spoken of

    @property
    def plain(self) -> bool:
        """Return whether it is the fact itself, not that somebody said it or that it is open."""
        return self.by is None and not self.question

    def label(self, holds: bool) -> int:
        """Return the label of a hypothesis that is true exactly in the state ``holds``."""
        return NEUTRAL if self.state is None else SUPPORTS if self.state == holds else CONTRADICTS

    def hypothesis(self, holds: bool, *, passage: bool = False) -> str:
        """Write the schema's own hypothesis."""
        lines = self.schema.holds if holds else self.schema.fails
        return _fill(self.scene, self.scene.rng.choice(lines), self.slots, passage=passage)

    def claim(self, holds: bool) -> str:
        """Write a hypothesis that is true exactly in the state ``holds``, be it that it was said or that it is open."""
        rng = self.scene.rng
        if self.by is not None:
            text = rng.choice(_frames("hypotheses on what was said"))
            name = self.scene.person(self.by, passage=False)
            return _tidy(text.format(who=name, x=_clause(self.hypothesis(holds))))
        if self.question:
            head = "hypotheses that it is undecided" if holds else "hypotheses that it is settled"
            text = _choose(rng, rng.choice(_frames(head)))
            return _tidy(text.format(x=_clause(self.hypothesis(rng.random() < 0.5))))
        return self.hypothesis(holds)

    def passage_text(self) -> str:
        """Write the sentence or sentences of the passage; none where the question is not spoken of."""
        rng, scene, schema = self.scene.rng, self.scene, self.schema
        either = rng.random() < 0.5
        if self.by is not None:
            return self._report(self.by)
        if self.question:
            frames = _frames("undecided, and said to be so" if self.state else "stated")
            return "" if self.state is None else self._in_frame(rng.choice(frames), either)
        if self.state is None:
            if schema.swaps and rng.random() < 0.4:
                slot = rng.choice(schema.swaps)
                others = {**self.slots, slot: self.slots[slot + "2"], slot + "2": self.slots[slot]}
                return _fill(scene, rng.choice(schema.statements if either else schema.contrary), others, passage=True)
            if schema.open and rng.random() < 0.68:
                return _fill(scene, rng.choice(schema.open), self.slots, passage=True)
            return self._in_frame(rng.choice(_frames("left open")), either)
        if rng.random() < 0.2:
            ruled_out = _frames("ruled out, where the contrary is the plain negation") if schema.binary else ()
            return self._in_frame(rng.choice((*_frames("stated"), *ruled_out)), self.state)
        return _fill(scene, rng.choice(schema.statements if self.state else schema.contrary), self.slots, passage=True)

    def _in_frame(self, frame: str, holds: bool) -> str:
        """Set the hypothesis that is true in the state ``holds`` into a frame of the passage."""
        scene = self.scene
        text = _choose(scene.rng, frame)
        parts = {"x": "", "o": ""}
        for name, which in (("x", holds), ("o", not holds)):
            if f"{{{name}}}" in text:
                parts[name] = _clause(self.hypothesis(which, passage=True))
        others = [person for person in scene.persons if not any(person[1] in part for part in parts.values())]
        who, second = scene.rng.sample(others if len(others) > 1 else scene.persons, 2)
        names = {"who": scene.person(who, passage=True), "other": scene.person(second, passage=True)}
        return _tidy(text.format(**names, **parts))

    def _report(self, by: Person) -> str:
        """Write that ``by`` said so; in the state None somebody else did, and what ``by`` thinks is not known."""
        scene, rng = self.scene, self.scene.rng
        somebody = rng.choice([who for who in scene.persons if who != by])
        holds = rng.random() < 0.5 if self.state is None else self.state
        who, listener = (somebody, by) if self.state is None else (by, somebody)
        text = _choose(rng, rng.choice(_frames("said")))
        names = {"who": scene.person(who, passage=True), "other": scene.person(listener, passage=True)}
        line = _tidy(text.format(**names, x=_clause(self.hypothesis(holds, passage=True))))
        tail = ""
        if self.state is not None and self.is_disputed:
            by = rng.choice([person for person in scene.persons if person != by])
            tail = "{by} [disputes|denies|contradicts] this[|, and nothing has been proved]."
        if self.state is None and rng.random() < 0.5 and "{other}" not in text:
            tail = "{by} was [present but said nothing|not asked about it|away that day]."
        return f"{line} {_choose(rng, tail).format(by=scene.person(by, passage=True))}" if tail else line


def _fact(scene: Scene, schema: Schema, state: bool | None) -> Fact:
    fact = Fact(scene, schema, Slots(scene, schema), state)
    kind = scene.rng.random()
    if kind < 0.06:
        fact.by = scene.rng.choice(scene.persons)
        fact.is_disputed = scene.rng.random() < 0.6
    fact.question = 0.06 <= kind < 0.085
    return fact


# --- passages ------------------------------------------------------------------------------------------------------


def _head(scene: Scene) -> str:
    rng = scene.rng
    who, second = rng.sample(scene.persons, 2)
    text = rng.choice(_frames("heads of a passage"))
    date = _date(rng, (rng.randint(1, 12), rng.randint(1, 28)), scene.year)
    number, place = rng.randint(2, 90), rng.choice(scene.places)
    head = text.format(n=number, who=" ".join(who), other=" ".join(second), place=place, date=date)
    return "" if text == "-" else head + " "


def _with_side_words(scene: Scene, text: str) -> str:
    """Write the text of a fact with, now and then, words around it that do not bear on it."""
    rng = scene.rng
    kind = rng.random()
    if kind > 0.2:
        return text
    who, second = (scene.person(person, passage=True) for person in rng.sample(scene.persons, 2))
    frame = _choose(rng, rng.choice(_frames("before a fact" if kind < 0.13 else "behind a fact")))
    clause = _clause(text) + ("" if text.endswith("?") else ".")
    return _tidy(frame.format(x=text, y=clause, who=who, other=second, n=rng.randint(2, 40)))


def _join(rng: random.Random, sentences: list[str]) -> list[str]:
    """Put the sentences in another order, now and then two of them in one."""
    rng.shuffle(sentences)
    if len(sentences) < 2 or rng.random() > 0.25:
        return sentences
    first, second, *rest = sentences
    if any(re.search(r'[.;:?"(\[=](?!$)', text) or not text.endswith(".") for text in (first, second)):
        return sentences
    frame = rng.choice(_frames("two facts in one sentence"))
    return [_tidy(frame.format(x=first[:-1], y=_clause(first), z=_clause(second))), *rest]


def unit(rng: random.Random) -> Unit:
    """Write one passage with three to five hypotheses, at least one of each label wherever the facts give it."""
    (domain,) = rng.choices(bank(), [domain.breadth for domain in bank()])
    scene = _scene(rng, domain)
    shape = rng.choice(("one", "two", "two", "three", "three"))
    schemas = rng.sample(domain.schemas, 3)
    if rng.random() < 0.4:
        schemas[rng.randrange(3)] = rng.choice(general().schemas)
    known_facts = [_fact(scene, schemas[0], rng.random() < 0.5)]
    if shape == "three" or (shape == "two" and rng.random() < 0.3):
        known_facts.append(_fact(scene, schemas[1], rng.random() < 0.5))
    open_fact = _fact(scene, schemas[2], None)
    absent = rng.random() < (0.6 if shape == "one" else 0.15)
    labels = [SUPPORTS, CONTRADICTS, NEUTRAL, *(rng.randrange(3) for _ in range(rng.choice((0, 0, 1, 2))))]
    passage = _passage(scene, domain, schemas, known_facts if absent else [*known_facts, open_fact])

    hypotheses: list[tuple[str, int]] = []
    for want in labels:
        for _ in range(6):
            text = _hypothesis(rng, known_facts, open_fact, want)
            if all(text != text_before.rstrip(".") for text_before, _ in hypotheses):
                hypotheses.append((text + "." if rng.random() < 0.75 else text, want))
                break
    rng.shuffle(hypotheses)
    return passage, hypotheses


def _passage(scene: Scene, domain: Domain, schemas: list[Schema], facts: list[Fact]) -> str:
    """Write what the facts say, with other facts and sentences on the side around them."""
    rng = scene.rng
    sentences = [_with_side_words(scene, text) for fact in facts if (text := fact.passage_text())]
    length = rng.choice((0, 0, 25, 45, 60, 80, 100))
    if rng.random() < 0.5:
        beside = [schema for schema in domain.schemas if schema not in schemas]
        side_schemas = rng.sample(beside, rng.choice((1, 1, 2, 3)))
        sentences += filter(
            None, [_fact(scene, schema, rng.choice((True, False, None))).passage_text() for schema in side_schemas]
        )
    sentences = _join(rng, sentences)
    slots = Slots(scene, schemas[0])
    for line in rng.sample(domain.fillers, min(6, len(domain.fillers))):
        if sum(len(text.split()) for text in sentences) >= max(length, 16):
            break
        sentences.append(_fill(scene, line, slots, passage=False))
    rng.shuffle(sentences)
    return _head(scene) + " ".join(sentences)


def _hypothesis(rng: random.Random, known_facts: list[Fact], open_fact: Fact, want: int) -> str:
    """Write a hypothesis with the label ``want``, without its full stop."""
    kind = rng.random()
    if kind < 0.07:
        for _ in range(20):
            left, right = rng.sample([*known_facts, open_fact, *known_facts], 2)
            first, second = rng.random() < 0.5, rng.random() < 0.5
            apart = left.schema is not right.schema and left.plain and right.plain
            if apart and conjunction_label(left.label(first), right.label(second)) == want:
                return f"{left.claim(first)}, and {_clause(right.claim(second))}"
    disputes = [fact for fact in known_facts if fact.is_disputed]
    if want == NEUTRAL and disputes and rng.random() < 0.6:  # what was said and denied, as if it were so
        return rng.choice(disputes).hypothesis(rng.random() < 0.5)
    fact = open_fact if want == NEUTRAL else rng.choice(known_facts)
    holds = rng.random() < 0.5 if fact.state is None else fact.state == (want == SUPPORTS)
    if 0.07 <= kind < 0.12 and fact.plain:  # the denial of what has the opposite label
        frame = rng.choice(_frames("denials of a hypothesis"))
        return frame.format(x=_clause(fact.claim(not holds)))
    return fact.claim(holds)


def conjunction_label(left: int, right: int) -> int:
    """Return the label of two hypotheses in one sentence."""
    return CONTRADICTS if CONTRADICTS in (left, right) else NEUTRAL if NEUTRAL in (left, right) else SUPPORTS


def units(seed: int, count: int) -> Iterator[Unit]:
    """Yield ``count`` passages, each with its hypotheses and their labels; the same ones for the same seed."""
    rng = random.Random(seed)
    while count > 0:
        passage, hypotheses = unit(rng)
        if WORDS[0] <= len(passage.split()) <= WORDS[1] and len(passage) <= MAX_CHARS:
            count -= 1
            yield passage, hypotheses


if __name__ == "__main__":
    for text, hypotheses in units(int((sys.argv[2:] or ["1"])[0]), int((sys.argv[1:] or ["20"])[0])):
        print(text, *(f"    {NAMES[label]:<12}{hypothesis}" for hypothesis, label in hypotheses), "", sep="\n")
