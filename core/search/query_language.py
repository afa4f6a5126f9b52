"""What a person types into the search field, taken apart: words, and what must or must not be there.

    pump "stood still" pressure NEAR/5 valve press* -alarm -"test run"    pump AND valve NOT alarm
    document:D3 -document:D4 tag:mail language:de name:"Dana Reyes" grade:A-C date:2024-03 after:2023 before:2024-05-01
    when:2024-03-05..2024-03-09

Words rank passages; everything else is a condition. Nothing typed is an error: what cannot be taken as a condition is
searched as words, and ``notes`` say so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.language.fold import WORD, phrase
from core.language.identification import code_of

_FIELDS = (
    *("document", "doc", "in", "source", "tag", "language", "name", "entity", "grade"),
    *("date", "after", "before", "when"),
)
_TOKEN = re.compile(
    r"""
    (?P<minus>-)?
    (?:
        (?P<field>[a-z]{2,8}):(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s"]+))
      | "(?P<phrase>[^"]*)"?
      | (?P<word>[^\s"]+)
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NEAR = re.compile(r"NEAR(?:/(\d{1,3}))?")
_MEANT_NEAR = re.compile(r"NEAR(?:/\S*)?")  # what was meant for one, too, whatever is behind the stroke
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_GRADES = re.compile(r"([A-Fa-f])(?:-([A-Fa-f]))?")
_JOINING = ("AND", "OR", "NOT")  # in capitals, as other search programs have them
_NEAR_WORDS = 10  # what FTS5 takes where no distance is given
_MOST = 64  # conditions of one kind: nobody types more


@dataclass(frozen=True, slots=True)
class Query:
    """``words`` are what the passages are ranked by, as typed and in order, phrases and near words included.

    ``phrases`` (tuples of words), ``near`` (two groups of words, distance in words) and ``prefixes`` must all be there;
    none of ``without`` (tuples of words) may. Of ``documents``, ``sources``, ``tags``, ``languages`` (codes) and
    ``names`` one each must fit, of ``not_documents``, ``not_sources``, ``not_tags`` and ``not_languages`` none.
    ``after`` and ``before`` are ISO dates, both included; '' is open: the document is of then. ``when`` are the first
    and the last day of what the passage itself speaks of. ``grades`` are Admiralty letters, any of them.
    """

    words: str = ""
    phrases: tuple[tuple[str, ...], ...] = ()
    near: tuple[tuple[tuple[str, ...], tuple[str, ...], int], ...] = ()
    prefixes: tuple[str, ...] = ()
    without: tuple[tuple[str, ...], ...] = ()
    documents: tuple[str, ...] = ()
    not_documents: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    not_sources: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    not_tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    not_languages: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    grades: tuple[str, ...] = ()
    after: str = ""
    before: str = ""
    when: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def conditions(self) -> bool:
        """Return whether anything but words was typed."""
        return self != Query(words=self.words, notes=self.notes)


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition as it was typed: removing ``text[start:end]`` drops it.

    ``kind`` is phrase, near, prefix, without, document, source, tag, language, name, grade, date, after, before or
    when; ``value`` says it; ``minus``: it is negated.
    """

    kind: str
    value: str
    start: int
    end: int
    minus: bool = False


def parse(text: str) -> Query:
    """Take apart what was typed. Never raises; control characters count as blanks."""
    return _parts(text)[0]


def conditions(text: str) -> list[Condition]:
    """List the conditions of what was typed, in order, without those that a later one takes the place of."""
    everything = _parts(text)[1]
    effective: list[Condition] = []
    for index, condition in enumerate(everything):
        later = {condition_after.kind for condition_after in everything[index + 1 :]}
        is_overridden = (
            condition.kind in later
            if condition.kind in ("grade", "date", "when")
            else condition.kind in ("after", "before") and bool(later & {condition.kind, "date"})
        )
        if not is_overridden:
            effective.append(condition)
    return effective


def _parts(text: str) -> tuple[Query, list[Condition]]:
    # One character for one, so that places in what was typed stay what they are.
    text = "".join(c if c.isprintable() else " " for c in text).replace("“", '"').replace("”", '"').replace("„", '"')
    words: list[str] = []
    in_order: list[Condition] = []

    def note(kind: str, value: str, token: re.Match[str], *, minus: bool = False) -> None:
        in_order.append(Condition(kind, value, token.start(), token.end(), minus))

    query = Query()
    tokens = list(_TOKEN.finditer(text))
    offset = 0
    while offset < len(tokens):
        token = tokens[offset]
        if _joins(tokens, offset):
            if token["word"] == "OR":
                message = "“OR” was left out: passages with any of the words are found."
                query = replace(query, notes=(*query.notes, message))
            offset += 1
            continue
        minus = bool(token["minus"]) or _joins(tokens, offset - 1, "NOT")
        is_required = _joins(tokens, offset - 1, "AND") or _joins(tokens, offset + 1, "AND")
        distance = _NEAR.fullmatch(token["word"] or "") if not minus else None
        if distance and words and offset + 1 < len(tokens):
            # 'a NEAR b': what is on both sides of it, words or phrases.
            left, right = _words(words[-1]), _words(tokens[offset + 1]["phrase"] or tokens[offset + 1]["word"] or "")
            if left and right and not tokens[offset + 1]["minus"]:
                near = (left, right, int(distance[1] or _NEAR_WORDS))
                query = replace(query, near=(*query.near, near)[:_MOST])
                note("near", f"{' '.join(left)} … {' '.join(right)}, {near[2]} words apart at most", token)
                words.append(" ".join(right))
                offset += 2
                continue
        if token["field"] is not None:
            value = token["quoted"] if token["quoted"] is not None else token["bare"]
            narrower = _with_field(query, token["field"].lower(), value.strip(), minus)
            if narrower is None:
                words.append(f"{token['field']} {value}")
                name = token["field"].lower()
                if name in _FIELDS:
                    message = f"“{token.group().strip()}” could not be taken as a condition and was searched as words."
                    query = replace(query, notes=(*query.notes, message))
            else:
                query = narrower
                kind = {"doc": "document", "in": "document", "entity": "name"}.get(
                    token["field"].lower(), token["field"].lower()
                )
                note(kind, value.strip(), token, minus=minus)
        elif token["phrase"] is not None:
            phrase = _words(token["phrase"])
            if phrase:
                note("without" if minus else "phrase", " ".join(phrase), token, minus=minus)
            if phrase and minus:
                query = replace(query, without=(*query.without, phrase)[:_MOST])
            elif phrase:
                query = replace(query, phrases=(*query.phrases, phrase)[:_MOST])
                words.append(" ".join(phrase))
        else:
            word = token["word"]
            parts = _words(word)
            if minus and parts and _starts_as_word(word):
                note("without", " ".join(parts), token, minus=True)
                query = replace(query, without=(*query.without, parts)[:_MOST])
            elif is_required and parts and not word.endswith("*"):
                note("phrase", " ".join(parts), token)
                query = replace(query, phrases=(*query.phrases, parts)[:_MOST])
                words.append(word)
            elif word.endswith("*") and len(parts) == 1 and len(parts[0]) >= 2:
                note("prefix", f"{parts[0]}*", token)
                query = replace(query, prefixes=(*query.prefixes, parts[0])[:_MOST])
                words.append(parts[0])
            elif _MEANT_NEAR.fullmatch(word) and not minus:
                if _NEAR.fullmatch(word) and len(tokens) > 1:
                    message = f"“{word}” needs a word or a phrase on each side of it and was left out."
                else:
                    words.append(word)
                    message = f"“{word}” could not be taken as a condition and was searched as words."
                query = replace(query, notes=(*query.notes, message))
            elif word.strip("*-"):
                words.append(("-" if minus else "") + word)
        offset += 1
    return replace(query, words=" ".join(words)), in_order


def plain_words(text: str) -> str:
    """Leave out of a text what would be taken for a condition: words of a document, to be searched as words."""
    words = _NEAR.sub(" ", re.sub(r"[\"“”„*:]|(?<!\w)-", " ", text)).split()
    return " ".join(word.lower() if word in _JOINING else word for word in words)


def required_expression(query: Query) -> str:
    """Write the FTS5 expression of what a passage must have; '' for none."""
    parts = [phrase(words) for words in query.phrases]
    parts += [f"NEAR({phrase(left)} {phrase(right)}, {far})" for left, right, far in query.near]
    parts += [f"{phrase((prefix,)).removesuffix(' *')} *" for prefix in query.prefixes]
    return " AND ".join(dict.fromkeys(parts))


def excluded_expression(query: Query) -> str:
    """Write the FTS5 expression of what a passage must not have; '' for none."""
    return " OR ".join(dict.fromkeys(phrase(words) for words in query.without))


def day_range(text: str) -> tuple[str, str] | None:
    """Return the first and the last day of '2024', '2024-03' or '2024-03-05'; None for anything else."""
    match = _DATE.fullmatch(text)
    if not match:
        return None
    year, month, day = match[1], match[2], match[3]
    if month is None:
        return f"{year}-01-01", f"{year}-12-31"
    number = int(month)
    if not 1 <= number <= 12:
        return None
    last = _days(int(year), number)
    if day is None:
        return f"{year}-{number:02}-01", f"{year}-{number:02}-{last:02}"
    if not 1 <= int(day) <= last:
        return None
    return (f"{year}-{number:02}-{int(day):02}",) * 2


def _with_field(query: Query, field: str, value: str, minus: bool) -> Query | None:
    """Add one condition to a query; None if this is none."""
    if not value:
        return None
    if field in ("document", "doc", "in"):
        if minus:
            return replace(query, not_documents=(*query.not_documents, value)[:_MOST])
        return replace(query, documents=(*query.documents, value)[:_MOST])
    if field == "source":
        if minus:
            return replace(query, not_sources=(*query.not_sources, value)[:_MOST])
        return replace(query, sources=(*query.sources, value)[:_MOST])
    if field == "tag":
        if minus:
            return replace(query, not_tags=(*query.not_tags, value)[:_MOST])
        return replace(query, tags=(*query.tags, value)[:_MOST])
    if field == "language":
        code = code_of(value)
        if not code:
            return None
        if minus:
            return replace(query, not_languages=(*query.not_languages, code)[:_MOST])
        return replace(query, languages=(*query.languages, code)[:_MOST])
    if minus:
        return None
    if field in ("name", "entity"):
        return replace(query, names=(*query.names, value)[:_MOST])
    if field == "grade":
        match = _GRADES.fullmatch(value)
        if not match:
            return None
        first, last = sorted((match[1].upper(), (match[2] or match[1]).upper()))
        return replace(query, grades=tuple(letter for letter in "ABCDEF" if first <= letter <= last))
    if field in ("date", "after", "before", "when"):
        start, _, end = value.partition("..")
        days, until = day_range(start), day_range(end or start)
        if days is None or until is None or (end and field not in ("date", "when")) or days[0] > until[1]:
            return None
        if field == "when":
            return replace(query, when=(days[0], until[1]))
        if field == "after":
            return replace(query, after=days[0])
        if field == "before":
            return replace(query, before=until[1])
        return replace(query, after=days[0], before=until[1])
    return None


def _joins(tokens: Sequence[re.Match[str]], offset: int, joint: str = "") -> bool:
    """Return whether a token is a joining word in capitals (that one, if given) with something on its sides."""
    if not 0 <= offset < len(tokens) - 1 or tokens[offset]["minus"]:
        return False
    word, following = tokens[offset]["word"], tokens[offset + 1]
    if word not in ((joint,) if joint else _JOINING):
        return False
    if word == "NOT":
        return following["field"] is None and not following["minus"] and following["word"] not in _JOINING
    return offset > 0


def _words(text: str) -> tuple[str, ...]:
    return tuple(WORD.findall(text))


def _starts_as_word(word: str) -> bool:
    """Return whether a word such as '-alarm' leaves out; '--' and '-*' are only strokes."""
    return word[0].isalnum() or word[0] == "_"


def _days(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31
