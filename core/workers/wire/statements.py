"""Readings of a sentence against a passage."""

from __future__ import annotations

from core.domain import Bearing
from core.workers.frames import Header, ProtocolError, checked_number, pack
from core.workers.wire.documents import text_spans_in


def bearing_out(reading: Bearing) -> list[bytes]:
    """Send how a passage bears on a sentence."""
    values = [reading.supported, reading.contradicted, reading.differs, reading.overstated, reading.absent]
    return pack({"type": "bearing", "values": values, "spans": [list(span) for span in reading.faults]})


def bearing_in(header: Header, length: int) -> Bearing:
    """Read it for a sentence of ``length`` characters. Raises ProtocolError for anything else."""
    values = header.get("values")
    if not isinstance(values, list) or len(values) != 5:
        raise ProtocolError("not five numbers")
    supported, contradicted, differs, overstated, absent = (checked_number(value, most=1.0) for value in values)
    if abs(supported + contradicted + differs + overstated + absent - 1.0) > 1e-3:
        raise ProtocolError("a reading does not sum to 1")
    return Bearing(supported, contradicted, differs, overstated, absent, text_spans_in(header.get("spans"), length))
