"""Readings of a sentence against a passage."""

from __future__ import annotations

from core.domain import Bearing
from core.workers.frames import Header, ProtocolError, checked_number, pack


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
    return Bearing(supported, contradicted, differs, overstated, absent, _spans(header, length))


def _spans(header: Header, length: int) -> tuple[tuple[int, int], ...]:
    spans = header.get("spans")
    if not isinstance(spans, list) or len(spans) > length:
        raise ProtocolError("not a list of spans")
    result = []
    for span in spans:
        if not isinstance(span, list) or len(span) != 2 or any(type(place) is not int for place in span):
            raise ProtocolError("a span is not two whole numbers")
        if not 0 <= span[0] < span[1] <= length:
            raise ProtocolError("a span outside its text")
        result.append((span[0], span[1]))
    return tuple(result)
