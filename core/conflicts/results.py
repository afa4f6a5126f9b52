"""Conflicts: positions of the documents that cannot all be true, and the decisions on them."""

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
    """A sentence that takes a position: a proven quote, with the description of its document.

    ``words`` is the part of the quote that differs, '' for the whole; ``date`` the document's date; ``grade`` its
    Admiralty grade, '' for none; ``is_copy``: it repeats an earlier source of its position; ``before`` is the previous
    sentence.
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
    """One of the positions of a conflict. ``text`` is the part that differs, or the whole sentence, verbatim.

    ``note`` names a sign that it was superseded: a newer version, a correction; '' for none.
    """

    text: str
    sources: tuple[ConflictSource, ...]
    note: str = ""

    @property
    def independent(self) -> int:
        """Count the documents that take it, without copies."""
        return len({source.quote.document for source in self.sources if not source.is_copy})


@dataclass(frozen=True, slots=True)
class Conflict:
    """Statements that cannot all be true. ``score``: the higher, the more diagnostic."""

    kind: Kind
    subject: str
    positions: tuple[Position, ...]
    basis: Basis
    score: float
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConflictRecord:
    """A conflict as it is stored.

    ``position`` is the number, from 1, of the position that holds; 0 for no choice. ``evidence`` are the rows of the
    matrix whose quotes it touches. ``is_stale``: the documents have changed since it was computed.
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
    """Describe the basis of a conflict in a sentence."""
    if conflict.kind == "denial" and conflict.basis == "rule":
        return "One denies what the other says."
    return BASES[conflict.basis]
