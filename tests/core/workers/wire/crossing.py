"""What the other side makes of a frame."""

from __future__ import annotations

from collections.abc import Sequence

from core.workers.frames import Header, unpack
from tests.core.workers.test_frames import Source


def received(frame: Sequence[bytes]) -> tuple[Header, list[bytes]]:
    """Return the header and the byte strings of a frame as they arrive."""
    return unpack(Source(b"".join(frame)).exactly, header_cap=1 << 16, cap=1 << 20)
