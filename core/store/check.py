"""Proving a case: every original, text, quote and log entry, and the search index against the rows it was made from."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import Problem


@dataclass(frozen=True, slots=True)
class CaseCheck:
    """What ``verify`` found. ``checked`` counts what was looked at."""

    ok: bool
    checked: dict[str, int]
    problems: tuple[Problem, ...]
