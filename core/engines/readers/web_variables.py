"""Custom properties of style sheets: what ``var()`` stands for at an element."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

Variables = Mapping[str, str]

_LONGEST = 2_000  # characters of a value
_STEPS = 30  # references in a value, those in what they stand for included
_CHOICES = 60  # values that one value may come to
_REFERENCE = re.compile(r"var\(\s*(--[^\s,()]{1,200})\s*(,)?")
_BRACKET = re.compile(r"[()]")


class _Reference(NamedTuple):
    start: int
    end: int
    name: str
    default: str | None


def _reference(value: str) -> _Reference | None:
    """Return the first ``var()`` of a value; None if none is whole."""
    match = _REFERENCE.search(value)
    if match is None:
        return None
    depth = 1
    for bracket in _BRACKET.finditer(value, match.end()):
        depth += 1 if bracket[0] == "(" else -1
        if not depth:
            default = value[match.end() : bracket.start()].strip() if match[2] else None
            return _Reference(match.start(), bracket.end(), match[1], default)
    return None


def resolved(value: str, variables: Variables) -> str | None:
    """Return a value with what its references stand for; None if one stands for nothing."""
    for _ in range(_STEPS):
        if "var(" not in value:
            return value
        reference = _reference(value)
        if reference is None:
            return None
        content = variables.get(reference.name, reference.default)
        if content is None or len(value) + len(content) > _LONGEST:
            return None
        value = value[: reference.start] + content + value[reference.end :]
    return None


def possible(value: str, definitions: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield what a value may come to, whichever definition of a custom property holds."""
    waiting = [value]
    for _ in range(_CHOICES):
        if not waiting:
            return
        value = waiting.pop()
        reference = _reference(value) if "var(" in value else None
        if reference is None:
            if "var(" not in value:
                yield value
            continue
        defaults = () if reference.default is None else (reference.default,)
        for content in (*definitions.get(reference.name, ()), *defaults):
            if len(value) + len(content) <= _LONGEST:
                waiting.append(value[: reference.start] + content + value[reference.end :])


def names_in(value: str) -> list[str]:
    """List the custom properties that a value names."""
    return [match[1] for match in _REFERENCE.finditer(value)] if "var(" in value else []
