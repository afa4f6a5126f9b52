"""What an erasure blanks: the words of a document in rows, in the log, and where people copied them.

All that comes of the document itself is blanked whole: its description, what was quoted, proposed and answered from it,
names that are in no other document. In what people wrote, stretches of words are blanked that are in the document
and in no other one: five words that follow one another, its name, its title, and its shorter pages as a whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.store import decision_log, values
from core.store.decision_log import Row

ERASED = "[erased]"
WITHDRAWN = "Withdrawn: the document it quoted was erased."

_STRETCH = 5  # words: fewer in a row are said by anybody
_SHORT = 3  # words of a page that has hardly any, below which they are nobody's own
# Letters of scripts without spaces are words of their own.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")
# The columns that people write in, by table; a setting is JSON, and so is the value of a result.
_OWN_WORDS: Mapping[str, tuple[str, ...]] = {
    "about": ("title",),
    "document": ("note", "own_title", "own_author", "own_place", "origin"),
    "hypothesis": ("text", "note"),
    "evidence": ("text", "source", "upstream", "note"),
    "rating": ("note",),
    "consideration": ("text", "query"),
    "entity": ("note",),
    "plan_query": ("text",),
    "resolution": ("note",),
    **dict.fromkeys(("answer", "conflict", "audit"), ("subject",)),
}
_JSON = {"setting": "value", "evidence": "absence", **dict.fromkeys(("answer", "conflict", "audit"), "value")}
_OF_DOCUMENT: Row = {
    **dict.fromkeys(("title", "author", "date", "address", "reason", "remedy", "origin", "dated", "note"), ""),
    **dict.fromkeys(("publisher", "place", "own_title", "own_author", "own_place", "folder", "file_date"), ""),
    **dict.fromkeys(("tags", "attributions", "left_out"), "[]"),
    "name": ERASED,
}
_OF_EVIDENCE: Row = {"text": ERASED, "source": ERASED, "date": "", "upstream": ""}

Words = tuple[str, ...]


def words_of(text: str) -> Words:
    """Return the words of a text, whatever the case of their letters."""
    return tuple(match[0].casefold() for match in _WORD.finditer(text))


class Stretches:
    """The stretches of words that are looked for in texts: those of one document that are in no other."""

    def __init__(self, own_texts: Iterable[str]) -> None:
        """Begin with the texts that people wrote: only what is in one of these is of any interest."""
        self._own_texts = [words_of(text) for text in dict.fromkeys(own_texts)]
        self._runs_written: dict[int, set[Words]] = {}
        self._by_length: dict[int, set[Words]] = {}

    def stand_in(self, text: str) -> None:
        """Look for every stretch of a page of the document."""
        words = words_of(text)
        length = min(_STRETCH, len(words))
        if length >= _SHORT:
            self._by_length.setdefault(length, set()).update(self._written(length) & set(_runs(words, length)))

    def phrase(self, text: str) -> None:
        """Look for a name or title as a whole, where it is more than a word."""
        words = words_of(text)
        if len(words) > 1 and words in self._written(len(words)):
            self._by_length.setdefault(len(words), set()).add(words)

    def stand_elsewhere(self, text: str) -> None:
        """Look for nothing of what is in this text of another document."""
        words = words_of(text)
        for length, stretches in self._by_length.items():
            stretches.difference_update(_runs(words, length))

    def __bool__(self) -> bool:
        return any(self._by_length.values())

    def _written(self, length: int) -> set[Words]:
        if length not in self._runs_written:
            self._runs_written[length] = {run for words in self._own_texts for run in _runs(words, length)}
        return self._runs_written[length]

    def blank(self, text: str) -> str:
        """Return a text with each of the stretches blanked."""
        for start, end in reversed(self._places(text)):
            text = text[:start] + ERASED + text[end:]
        return text

    def cut(self, text: str) -> list[str]:
        """List what ``blank`` takes out of a text."""
        return [text[start:end] for start, end in self._places(text)]

    def _places(self, text: str) -> list[tuple[int, int]]:
        matches = list(_WORD.finditer(text)) if self else []
        words = tuple(match[0].casefold() for match in matches)
        spans: list[list[int]] = []
        for first in range(len(words)):
            length = max((n for n, runs in self._by_length.items() if words[first : first + n] in runs), default=0)
            if length:
                start, end = matches[first].start(), matches[first + length - 1].end()
                if spans and first <= spans[-1][2] + 1:
                    spans[-1][1:] = [max(end, spans[-1][1]), max(spans[-1][2], first + length - 1)]
                else:
                    spans.append([start, end, first + length - 1])
        return [(start, end) for start, end, _ in spans]


def _runs(words: Words, length: int) -> Iterator[Words]:
    return (words[start : start + length] for start in range(len(words) - length + 1))


@dataclass(frozen=True, slots=True)
class Traces:
    """All that a case holds of erased documents: their pages, and the rows that came of them, by their ids.

    ``names`` are in no other document, their letters folded.
    ``stretches`` are what is looked for in the words of people.
    """

    documents: frozenset[str]
    pages: frozenset[int]
    stretches: Stretches
    evidence: frozenset[str] = frozenset()
    proposals: frozenset[str] = frozenset()
    results: frozenset[str] = frozenset()
    names: frozenset[str] = field(default_factory=frozenset)


def own_texts(table: str, row: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a row holds that people wrote."""
    for column in _OWN_WORDS.get(table, ()):
        if isinstance(row.get(column), str):
            yield row[column]
    if isinstance(row.get(_JSON.get(table, "")), str):
        yield row[_JSON[table]]


def cut_words(table: str, row: Row, traces: Traces) -> Iterator[tuple[str, list[str]]]:
    """Yield each column of a row in which people wrote, with what an erasure takes out of it."""
    blank_columns = _blank_columns(table, row, traces)
    for column in (*_OWN_WORDS.get(table, ()), *filter(None, [_JSON.get(table)])):
        value = row.get(column)
        if column not in blank_columns and isinstance(value, str):
            texts = _strings(value) if column == _JSON.get(table) else [value]
            if words := [word for text in texts for word in traces.stretches.cut(text)]:
                yield column, words


def mentions(value: object, documents: Collection[str]) -> bool:
    """Return whether the value of a result names one of these documents."""
    return any(f'"{document}"' in str(value) for document in documents)


def redacted_row(table: str, row: Row, traces: Traces) -> Row:
    """Return a row of a decision table, as it is there or in the log, without what is erased."""
    blank_columns = _blank_columns(table, row, traces)
    changes = {column: value for column, value in blank_columns.items() if column in row}
    for column in _OWN_WORDS.get(table, ()):
        if column not in changes and isinstance(row.get(column), str):
            changes[column] = traces.stretches.blank(str(row[column]))
    column = _JSON.get(table, "")
    if column in row and column not in changes and traces.stretches:
        changes[column] = _blank_json(row[column], traces.stretches)
    return {**row, **changes}


def _blank_columns(table: str, row: Row, traces: Traces) -> Row:
    """Return the columns of a row that are of an erased document whole, as they are to be."""
    match table:
        case "document" if row["id"] in traces.documents:
            return _OF_DOCUMENT
        case "proposal" if row["id"] in traces.proposals:
            return {"quote": "", "explanation": ""}
        case "other_verdict" if row["proposal"] in traces.proposals:
            return {"explanation": ""}
        case "evidence" if row["id"] in traces.evidence:
            quoting = row["document"] in traces.documents
            more = decision_log.canonical([{**part, "text": ""} for part in values.from_json(row.get("more") or "[]")])
            return _OF_EVIDENCE | ({"quote": "", "more": more} if quoting else {})
        case "ocr_word" if row["page"] in traces.pages:
            return {"text": ""}
        case "answer" | "conflict" | "audit" if row["id"] in traces.results:
            return {"subject": ERASED, "value": "{}"}
        case "resolution" if row["result"] in traces.results:
            return {"note": ""}
        case "entity" if traces.names:
            return _without_names(row, traces.names)
    return {}


def _without_names(row: Row, names: Collection[str]) -> Row:
    """Return what is left of a name: those of its forms that are elsewhere."""
    forms = [str(row["name"]), *map(str, values.from_json(row["aliases"]))]
    left = [form for form in forms if form.casefold() not in names]
    if left == forms:
        return {}
    if not left:
        return {"name": ERASED, "aliases": "[]", "note": ""}
    return {"name": left[0], "aliases": decision_log.canonical(left[1:])}


def _blank_json(text: object, stretches: Stretches) -> object:
    if not isinstance(text, str):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    remainder = _blank_value(value, stretches)
    return text if remainder == value else decision_log.canonical(remainder)


def _blank_value(value: Any, stretches: Stretches) -> Any:
    match value:
        case str():
            return stretches.blank(value)
        case list():
            return [_blank_value(item, stretches) for item in value]
        case dict():
            return {key: _blank_value(item, stretches) for key, item in value.items()}
    return value


def _strings(text: str) -> Iterator[str]:
    """Yield the strings of a JSON text."""
    try:
        waiting = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    while waiting:
        match waiting.pop(0):
            case str() as string:
                yield string
            case list() as items:
                waiting = [*items, *waiting]
            case dict() as fields:
                waiting = [*fields.values(), *waiting]


def redacted_side(tables: Mapping[str, Any], traces: Traces) -> dict[str, Any]:
    """Return one side of an entry of the log without what is erased; what is no decision row stays as it is."""
    return {
        name: {
            key: redacted_row(name, row, traces) if isinstance(row, dict) and name in decision_log.TABLES else row
            for key, row in rows.items()
        }
        if isinstance(rows, dict)
        else rows
        for name, rows in tables.items()
    }
