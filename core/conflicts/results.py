"""Conflicts: what is said in the documents that cannot all be true, and what a person decided on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.conflicts.differences import Kind
from core.domain import Changes, Quote

Status = Literal["open", "held", "both"]
STATUSES: dict[Status, str] = {
    "open": "open",
    "held": "one position holds",
    "both": "both hold, about different things",
}
Basis = Literal["rule", "judge", "verdicts"]
BASES: dict[Basis, str] = {
    "rule": "The statements are the same except for this.",
    "judge": "The statements are about one thing, and the judge finds that they contradict each other.",
    "verdicts": "The judge's verdicts on passages: some speak for the hypothesis and some against it.",
}


@dataclass(frozen=True, slots=True)
class ConflictSource:
    """A sentence that takes a position: a proven quote, with what is said of its document.

    ``words`` is the stretch of the quote that differs, '' for the whole; ``date`` that of the document; ``grade`` its
    Admiralty grade, '' where there is none; ``is_copy``: it repeats an earlier one of its position.
    """

    quote: Quote
    name: str
    words: str = ""
    date: str = ""
    grade: str = ""
    is_copy: bool = False
    layer: str = "embedded"
    before: str = ""


@dataclass(frozen=True, slots=True)
class Position:
    """One of the things that are said. ``text`` is what differs, or the sentence itself, word by word.

    ``note`` says what speaks for its having been replaced: a newer version, a correction; '' for nothing.
    """

    text: str
    sources: tuple[ConflictSource, ...]
    note: str = ""

    @property
    def independent(self) -> int:
        """Count the documents that say it, those that only repeat another left out."""
        return len({source.quote.document for source in self.sources if not source.is_copy})


@dataclass(frozen=True, slots=True)
class Conflict:
    """Statements that cannot all be true. ``score``: the higher, the more telling."""

    kind: Kind
    subject: str
    positions: tuple[Position, ...]
    basis: Basis
    score: float
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConflictRecord:
    """A conflict as the case keeps it.

    ``position`` is the number, from 1, of the one that holds; 0 where none was chosen. ``evidence`` are the rows of the
    matrix whose quotes it touches. ``is_stale``: the documents have changed since it was worked out.
    """

    id: str
    conflict: Conflict
    status: Status = "open"
    position: int = 0
    note: str = ""
    by: str = ""
    at: str = ""
    is_stale: bool = False
    evidence: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Return whether nobody has resolved it yet."""
        return self.status == "open"


@dataclass(frozen=True, slots=True)
class ConflictsReport:
    """The conflicts of a case, the most diagnostic first. ``notes`` say what was left out, and why."""

    conflicts: tuple[ConflictRecord, ...]
    statements: int = 0
    pairs: int = 0
    pairs_judged: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    changes: Changes = Changes(results=True, matrix=True)


def basis_words(conflict: Conflict) -> str:
    """Say in a sentence what a conflict rests on."""
    if conflict.kind == "denial" and conflict.basis == "rule":
        return "One denies what the other says."
    return BASES[conflict.basis]
