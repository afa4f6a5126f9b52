"""Readings of a sentence against a passage, and of a passage for a question."""

from __future__ import annotations

from core.domain import Bearing, Reply
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


def reply_out(reply: Reply) -> list[bytes]:
    """Send how a passage answers a question."""
    spans = [[start, end] for start, end, _ in reply.words]
    return pack({"type": "reply", "chance": reply.chance, "spans": spans, "values": [row[2] for row in reply.words]})


def reply_in(header: Header, length: int) -> Reply:
    """Read it for a passage of ``length`` characters. Raises ProtocolError for anything else."""
    spans, values = text_spans_in(header.get("spans"), length), header.get("values")
    if not isinstance(values, list) or len(values) != len(spans):
        raise ProtocolError("not a number for each span")
    words = ((*span, checked_number(value, most=1.0)) for span, value in zip(spans, values, strict=True))
    return Reply(checked_number(header.get("chance"), most=1.0), tuple(words))
