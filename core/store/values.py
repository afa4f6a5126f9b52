"""What the columns of a case hold beyond their type: the one place where text of a row becomes a value.

A case may come from anybody, so that a text in it is JSON, or one of a few words, is proven where the row is read. What
is not raises CaseValueWrong with the table and the row; ``verify`` lists the same.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any, get_args

from core.domain import HIDDEN, LABELS, RATINGS, WORD_BYTES, Absence, Level, Probabilities, QuotePart, Table, Words
from core.errors import CaseValueWrong

Holds = Callable[[Any], bool]

HYPOTHESIS_KINDS = ("", "null", "deception")
EVIDENCE_KINDS = ("observation", "assumption", "absence")
WITHDRAWN = "withdrawn"  # of evidence whose document was erased; nobody gives it this kind by hand
CONFIDENCES = ("", "low", "medium", "high")
LEVELS = (None, *get_args(Level))
MOST = 1 << 53  # of a number that counts: the last that JSON keeps exactly


def from_json(text: object) -> Any:
    """Return what a JSON text says. Raises ValueError also for one that is nested too deep, or is no text."""
    if not isinstance(text, str):
        raise ValueError("not a text")
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def _says(shape: Holds) -> Holds:
    """Make a rule for a JSON text."""

    def holds(text: Any) -> bool:
        if text == "[]":  # by far the most
            return True
        try:
            return shape(from_json(text))
        except ValueError:
            return False

    return holds


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _object(value: Any) -> bool:
    return isinstance(value, dict)


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MOST


def _share(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value) and -1e-6 <= value <= 1 + 1e-6


def _maybe(holds: Holds) -> Holds:
    return lambda value: value is None or holds(value)


def _id(letter: str) -> Holds:
    return lambda value: isinstance(value, str) and re.fullmatch(letter + r"\d{1,15}", value) is not None


def _left_out(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, list) and len(item) == 3 and _texts(item[::2]) and item[0] and _count(item[1]) and item[1]
        for item in value
    )


def _attributions(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, list) and len(item) == 3 and _texts(item) and item[2] in get_args(Level) for item in value
    )


_PART = {field.name: str if field.type == "str" else int for field in fields(QuotePart)}


def _part(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == _PART.keys()
        and all(type(value[name]) is kind for name, kind in _PART.items())
    )


def _parts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_part, value))


def _absence(value: Any) -> bool:
    if not isinstance(value, dict) or not value.keys() <= {field.name for field in fields(Absence)}:
        return False
    return (
        isinstance(value.get("hypothesis"), str)
        and _texts(value.get("queries"))
        and all(isinstance(item, str | int | float) for key, item in value.items() if key != "queries")
    )


# By table and column. A column that is missing here may hold whatever its type lets it.
RULES: Mapping[str, Mapping[str, Holds]] = {
    "document": {
        "id": _id("D"),
        "tags": _says(_texts),
        "attributions": _says(_attributions),
        "left_out": _says(_left_out),
    }
    | dict.fromkeys(("pages", "chunks", "size"), _count),
    "hypothesis": {"id": _id("H"), "kind": HYPOTHESIS_KINDS.__contains__, "prior": _maybe(_share)},
    "proposal": {
        "id": _id("P"),
        "label": LABELS.__contains__,
        "status": ("pending", "accepted", "rejected").__contains__,
    }
    | dict.fromkeys(("supports", "contradicts", "neutral"), _share)
    | dict.fromkeys(("chunk", "page_id", "page", "start", "end"), _count),
    "other_verdict": {"label": LABELS.__contains__} | dict.fromkeys(("supports", "contradicts", "neutral"), _share),
    "evidence": {
        "id": _id("E"),
        "credibility": LEVELS.__contains__,
        "relevance": LEVELS.__contains__,
        "kind": (*EVIDENCE_KINDS, WITHDRAWN).__contains__,
        "absence": _maybe(_says(_absence)),
        "more": _says(_parts),
    }
    | dict.fromkeys(("page_id", "page", "start", "end"), _maybe(_count)),
    "rating": {"rating": RATINGS.__contains__, "confidence": CONFIDENCES.__contains__},
    "suggestion": {"rating": RATINGS.__contains__} | dict.fromkeys(("supports", "contradicts", "neutral"), _share),
    "likelihood": {"value": _share},
    "consideration": {"id": _id("C"), "seen": _count},
    "entity": {"id": _id("N"), "aliases": _says(_texts)},
    "plan_query": {"id": _id("S")},
    "ocr_word": {"page": _count, "word": _count},
    "relevance": {"chunk": _count},
    "resolution": {"status": ("open", "held", "both", "accepted", "overruled").__contains__},
    **{
        table: {"id": _id(letter), "value": _says(_object)}
        for table, letter in (("answer", "A"), ("conflict", "X"), ("audit", "U"))
    },
}

_WHOLE = frozenset(
    (
        *("size", "pages", "chunks", "pages_without_text", "included", "chunk", "page_id", "page", "start", "end"),
        *("vector_rank", "lexical_rank", "seen", "relevant", "word"),
    )
)
_REAL = frozenset(("prior", "supports", "contradicts", "neutral", "similarity"))
_NONE = frozenset(
    ("prior", "similarity", "vector_rank", "lexical_rank", "possible_duplicate", "credibility", "relevance", "absence")
)
_NONE_IN_EVIDENCE = frozenset(("document", "page_id", "page", "start", "end", "quote", "page_sha256", "proposal"))


def faults(table: str, row: Mapping[str, Any]) -> Iterator[str]:
    """Yield the columns of a row of a decision table that hold what they cannot."""
    for column, holds in RULES.get(table, {}).items():
        if not holds(row[column]):
            yield column
    if table == "setting" and not _setting(row):
        yield "value"


def prove(table: str, key: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return the row itself. Raises CaseValueWrong."""
    for column in faults(table, row):
        raise wrong(table, key, column)
    return row


def log_row(table: str, columns: tuple[str, ...], key: str, row: Any) -> dict[str, Any]:
    """Return a row as an entry of the log tells it.

    It has these columns, each of its type. Raises CaseValueWrong.
    """
    if not isinstance(row, dict) or row.keys() != set(columns):
        raise wrong(table, key, "columns")
    for column, value in row.items():
        if value is None and (column in _NONE or (table == "evidence" and column in _NONE_IN_EVIDENCE)):
            continue
        if column in _REAL or (table, column) == ("likelihood", "value"):
            fits = type(value) in (int, float)
        elif column in _WHOLE:
            fits = type(value) is int
        else:
            fits = type(value) is str
        if not fits:
            raise wrong(table, key, column)
    return prove(table, key, row)


def _setting(row: Mapping[str, Any]) -> bool:
    try:
        value = from_json(row["value"])
    except ValueError:
        return False
    match row["id"]:
        case "ocr_languages" | "exclusive":
            return _texts(value)
        case "grade_weights":
            return isinstance(value, dict) and all(
                isinstance(item, int | float) and math.isfinite(item) for item in value.values()
            )
        case "report_summary":
            return _texts(value) and len(value) == 2
        case "report_omissions":
            return _texts(value)
        case "report_author" | "report_marking":
            return isinstance(value, str)
    return True


def spans(text: object, length: int) -> tuple[tuple[tuple[int, int], ...], tuple[str, ...]]:
    """Return the hidden spans of a page of ``length`` characters, and why each is hidden. Raises ValueError."""
    if text == "[]":
        return (), ()
    value = from_json(text)
    if not isinstance(value, list):
        raise ValueError("not a list")
    places, reasons = [], []
    for item in value:
        match item:
            case [int(start), int(end), *rest] if 0 <= start <= end <= length and len(rest) <= 1:
                places.append((start, end))
                reasons.append(rest[0] if rest else "unseen")
            case _:
                raise ValueError("not a span")
    if not all(isinstance(reason, str) and reason in HIDDEN for reason in reasons):
        raise ValueError("no reason")
    return tuple(places), tuple(reasons)


def struck_places(text: object, length: int) -> tuple[tuple[int, int], ...]:
    """Return the struck spans of a page of ``length`` characters. Raises ValueError."""
    return () if text == "[]" else _places(from_json(text), length)


def tables(text: object, length: int) -> tuple[Table, ...]:
    """Return the tables on a page of ``length`` characters. Raises ValueError."""
    if text == "[]":
        return ()
    value = from_json(text)
    if not isinstance(value, list):
        raise ValueError("not a list")
    grids = []
    for item in value:
        match item:
            case [list(columns), list(rows), list(letters), list(numbers)] if _texts(columns) and _texts(letters):
                cells = tuple(_places(row, length) for row in rows)
                grids.append(Table(tuple(columns), cells, tuple(letters), tuple(numbers)))
            case _:
                raise ValueError("not a table")
    if not all(map(_fits, grids)):
        raise ValueError("not one cell a column")
    return tuple(grids)


def _fits(table: Table) -> bool:
    columns, rows = len(table.columns), len(table.rows)
    return (
        all(len(row) == columns for row in table.rows)
        and len(table.letters) in (0, columns)
        and len(table.numbers) in (0, rows)
        and all(map(_count, table.numbers))
    )


def _places(value: object, length: int) -> tuple[tuple[int, int], ...]:
    """Return places in a text of ``length`` characters, as pairs of numbers. Raises ValueError."""
    if not isinstance(value, list):
        raise ValueError("not a list")
    places = []
    for item in value:
        match item:
            case [int(start), int(end)] if 0 <= start <= end <= length:
                places.append((start, end))
            case _:
                raise ValueError("not a span")
    return tuple(places)


def alternatives(text: object) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Return what else each word of a reading could be, and the other texts of the page. Raises ValueError."""
    match from_json(text):
        case [list(words), list(second_readings)] if all(map(_texts, words)) and _texts(second_readings):
            return tuple(tuple(word) for word in words), tuple(second_readings)
    raise ValueError("not alternatives")


def probabilities_of(row: Mapping[str, Any]) -> Probabilities:
    """Return what a model said in a row of a decision table."""
    return Probabilities(row["supports"], row["contradicts"], row["neutral"])


def words(table: str, key: str, data: object) -> Words:
    """Read the boxes of words that a row holds. Raises CaseValueWrong."""
    if not isinstance(data, bytes) or len(data) % WORD_BYTES:
        raise wrong(table, key, "words")
    return Words(data)


def wrong(table: str, key: object, column: str) -> CaseValueWrong:
    """Return the error for a value that a row cannot hold."""
    return CaseValueWrong(table=table, id=str(key)[:60], column=column)
