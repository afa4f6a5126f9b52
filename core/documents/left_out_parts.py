"""The ledger of a document: parts of its file that no page holds and that are no document of their own. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from core.domain import UNSHOWN_HEADER, LeftOut
from core.text import counted

_LINES = 200  # of one document, each with its place
_KINDS = 50  # whose rest is counted after that
_COUNTERS = 5_000  # held while a file is read
_LONGEST_KIND, _LONGEST_PLACE = 200, 300
SEVERAL = "several places"
_BODY = "body"  # of a web page, where nearly all parts are: not named to people
OTHER_KINDS = "part of another kind"

_HEAD = re.compile(
    r"(.*?)((?: (?:of|in|for|with|without|from|to|by|on|at|that|which|whose|beyond|too|before|behind|under)\b"
    r"| ?[,:(]).*)?",
    re.DOTALL,
)
_VERBS = {"is": "are", "was": "were", "has": "have", "leads": "lead"}  # behind "that"


class Ledger:
    """Parts of one file that are left out, counted by kind and place."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, part: LeftOut) -> None:
        """Count a part. Past some thousand places it is counted by its kind alone: a file may name any number."""
        kind = " ".join(part.what.split())[:_LONGEST_KIND] or "part"
        key = (kind, " ".join(part.where.split())[:_LONGEST_PLACE])
        for limit, next_key in ((_COUNTERS, (kind, SEVERAL)), (_COUNTERS + _KINDS, (OTHER_KINDS, SEVERAL))):
            if key not in self._counts and len(self._counts) >= limit:
                key = next_key
        self._counts[key] += max(1, part.count)

    def lines(self) -> tuple[LeftOut, ...]:
        """Return a line for each kind and place, in order; past 200 of them the rest is counted by kind."""
        lines = [LeftOut(what, count, where) for (what, where), count in sorted(self._counts.items())]
        further: Counter[str] = Counter()
        for line in lines[_LINES:]:
            key = line.what if line.what in further or len(further) < _KINDS else OTHER_KINDS
            further[key] += line.count
        return (*lines[:_LINES], *(LeftOut(what, count, SEVERAL) for what, count in sorted(further.items())))


def grouped(parts: Iterable[LeftOut]) -> tuple[LeftOut, ...]:
    """Count equal parts together, in order of kind and place."""
    ledger = Ledger()
    for part in parts:
        ledger.add(part)
    return ledger.lines()


def of_content(parts: Iterable[LeftOut]) -> tuple[LeftOut, ...]:
    """Return the parts other than headers of transport, which nearly every mail has."""
    return tuple(part for part in parts if part.what != UNSHOWN_HEADER)


def in_words(parts: Sequence[LeftOut], *, places: bool = True) -> str:
    """Word the parts left out of a document, as '2 charts (word/charts), 1 calendar part'; '' for nothing.

    Without ``places`` the parts of a kind are counted together, wherever they are.
    """
    if not places:
        kinds: Counter[str] = Counter()
        for part in parts:
            kinds[part.what] += part.count
        parts = [LeftOut(what, count, "") for what, count in kinds.items()]
    return ", ".join(
        counted(part.count, part.what, _plural(part.what))
        + (f" ({part.where})" if part.where not in ("", _BODY) else "")
        for part in parts
    )


def sentence(parts: Sequence[LeftOut], *, places: bool = True) -> str:
    """Word the parts left out of a document in a line: 'Left out: 2 charts (word/charts)'; '' for nothing."""
    return f"Left out: {in_words(parts, places=places)}" if parts else ""


def _plural(kind: str) -> str:
    """Return the plural of a noun phrase in the singular: of 'record of type x', 'records of type x'."""
    match = _HEAD.fullmatch(kind)
    head, tail = (match[1], match[2] or "") if match else (kind, "")
    tail = re.sub(r"^( that )(\w+)", lambda clause: clause[1] + _VERBS.get(clause[2], clause[2]), tail)
    if re.search(r"(?:s|x|z|ch|sh)$", head):
        return f"{head}es{tail}"
    if re.search(r"[^aeiou]y$", head):
        return f"{head[:-1]}ies{tail}"
    return f"{head}s{tail}"
