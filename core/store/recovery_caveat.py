"""The caveat of a case that was recovered: from which damaged file, and what was lost, as its log says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from core.domain import LogEntry
from core.store.decision_log import TABLES
from core.text import counted

# One thing of each kind that can be lost, and several; those that are made again when they are needed come last.
KINDS: Mapping[str, tuple[str, str]] = {
    "original": ("original file", "original files"),
    "page": ("page text", "page texts"),
    "document": ("document", "documents"),
    "hypothesis": ("hypothesis", "hypotheses"),
    "evidence": ("row of evidence", "rows of evidence"),
    "quote": ("quote", "quotes"),
    "rating": ("rating", "ratings"),
    "proposal": ("proposal", "proposals"),
    "consideration": ("note", "notes"),
    "log": ("log entry", "log entries"),
    "vector": ("vector", "vectors"),
    "verdict": ("verdict of a model", "verdicts of models"),
}
RENEWABLE = ("vector", "verdict")


def share(kind: str, part: int, total: int) -> str:
    """Write how many of how many things of a kind: '3 of 12 page texts'."""
    return f"{part:,} of {counted(total, *KINDS[kind])}"


def _pairs(counts: Mapping[str, Any]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield what was lost of how many; what no version of the program wrote is left out."""
    for kind, pair in counts.items():
        match pair:
            case [int(part), int(total)] if kind in KINDS:
                yield kind, (part, total)


def _page_count(origin: Mapping[str, Any], fact: str) -> str:
    """Write how many pages a fact of the entry is of; '' for none, or what no version of the program wrote."""
    count = origin.get(fact)
    return counted(count, "page", "pages") if isinstance(count, int) and count > 0 else ""


def caveat(entry: LogEntry, source: str = "") -> str:
    """Return what an entry of recovery tells, of this case or of one called ``source`` that was merged into it.

    Raises ValueError, KeyError, TypeError, AttributeError where it cannot.
    """
    after = json.loads(entry.after)
    origin = after["recovery"]["case"]
    rows = sum(len(after.get(name, {})) for name in TABLES)
    counts = origin.get("lost")
    losses = [share(kind, *pair) for kind, pair in _pairs(counts)] if isinstance(counts, dict) else []
    if origin["entries"] < origin["of"]:
        losses.append(share("log", origin["of"] - origin["entries"], origin["of"]))
    if origin.get("others"):
        losses.append("and other things that are not counted" if losses else "things that are not counted")
    case = f"{source}, which was merged into this case," if source else "this case"
    words = f"{entry.who} recovered {case} on {entry.at[:10]} from a damaged file, {origin['file']}."
    if losses:
        words += f" Lost: {', '.join(losses)}."
    elif counts == {} and not origin.get("unlike"):  # else nothing was counted
        words += " Nothing was lost."
    if pages := _page_count(origin, "unproven"):
        words += f" Neither the log nor an original proves the text of {pages}: compare what you quote from there."
    if pages := _page_count(origin, "unlike"):
        words += f" What goes with the text of {pages} (what is hidden, how it was read) is not what the log says."
    if rows:
        differ = f"{counted(rows, 'row')} that {'differs' if rows == 1 else 'differ'} from the log before it"
        words += f" Nothing but entry {entry.seq} of {'its' if source else 'the'} log proves {differ}."
    return words
