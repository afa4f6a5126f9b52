"""Verdicts of a judge on a passage."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain import Probabilities
from core.workers.frames import Header, ProtocolError, checked_number, pack


def probabilities_out(rows: Sequence[Probabilities]) -> list[bytes]:
    """Send the probabilities of verdicts: supports, contradicts, neutral."""
    return pack({"type": "verdicts", "rows": [[p.supports, p.contradicts, p.neutral] for p in rows]})


def probabilities_in(header: Header, count: int) -> list[Probabilities]:
    """Read one verdict a hypothesis, whose numbers sum to 1; raises ProtocolError for anything else."""
    rows = header.get("rows")
    if not isinstance(rows, list) or len(rows) != count:
        raise ProtocolError("not one verdict a hypothesis")
    results = []
    for row in rows:
        if not isinstance(row, list) or len(row) != 3:
            raise ProtocolError("a verdict is not three numbers")
        values = [checked_number(value, most=1.0) for value in row]
        if abs(sum(values) - 1.0) > 1e-3:
            raise ProtocolError("a verdict does not sum to 1")
        results.append(Probabilities(*values))
    return results
