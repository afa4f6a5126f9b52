"""Numbers of texts: vectors, lengths in tokens, scores."""

from __future__ import annotations

from collections.abc import Sequence

from core.workers.frames import Header, ProtocolError, checked_number, pack


def vectors_out(vectors: Sequence[bytes]) -> list[bytes]:
    """Send vectors of four-byte numbers, one after the other."""
    return pack({"type": "vectors"}, [b"".join(vectors)])


def vectors_in(header: Header, blobs: Sequence[bytes], count: int, dimensions: int) -> list[bytes]:
    """Read one vector a text; raises ProtocolError for anything else."""
    size = 4 * dimensions
    if header.get("type") != "vectors" or len(blobs) != 1 or len(blobs[0]) != size * count:
        raise ProtocolError("not one vector a text")
    return [blobs[0][start : start + size] for start in range(0, len(blobs[0]), size)]


def lengths_out(lengths: Sequence[int]) -> list[bytes]:
    """Send the lengths of texts in tokens."""
    return pack({"type": "pieces", "counts": lengths})


def lengths_in(header: Header, count: int) -> list[int]:
    """Read one length a text; raises ProtocolError for anything else."""
    lengths = header.get("counts")
    if not isinstance(lengths, list) or len(lengths) != count or any(type(n) is not int for n in lengths):
        raise ProtocolError("not one number a text")
    return lengths


def matches_out(matches: Sequence[Sequence[float]]) -> list[bytes]:
    """Send how well the tokens of a query are met in texts."""
    return pack({"type": "matches", "matches": [list(match) for match in matches]})


def matches_in(header: Header, count: int) -> list[tuple[float, ...]]:
    """Read equally many cosines a text; raises ProtocolError for anything else."""
    rows = header.get("matches")
    if not isinstance(rows, list) or len(rows) != count or any(not isinstance(row, list) for row in rows):
        raise ProtocolError("not one list a text")
    if len({len(row) for row in rows}) > 1:
        raise ProtocolError("lists of several lengths")
    try:
        return [tuple(checked_number(value, least=-1.001) for value in row) for row in rows]
    except ProtocolError as error:
        raise ProtocolError("what is no cosine") from error


def scores_out(scores: Sequence[float]) -> list[bytes]:
    """Send the scores of passages."""
    return pack({"type": "scores", "scores": scores})


def scores_in(header: Header, count: int) -> list[float]:
    """Read one score a passage; raises ProtocolError for anything else."""
    scores = header.get("scores")
    if not isinstance(scores, list) or len(scores) != count:
        raise ProtocolError("not one number a passage")
    try:
        return [checked_number(score, least=-1e9) for score in scores]
    except ProtocolError as error:
        raise ProtocolError("what is no number") from error
