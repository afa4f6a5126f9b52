"""Frames: lengths are checked before memory is taken."""

from __future__ import annotations

import json
import struct

import pytest

from core.workers.frames import ProtocolError, unpack


class Source:
    """Bytes that come to an end."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.asked = data, 0, 0

    def exactly(self, count: int) -> bytes:
        self.asked = max(self.asked, count)
        part = self.data[self.at : self.at + count]
        if len(part) < count:
            raise EOFError
        self.at += count
        return part


def test_oversized_lengths_are_refused_before_memory_is_taken():
    for head, body in [
        (2**32 - 1, b""),
        (0, b""),
        (13, b'{"blobs":[9]}'),
    ]:
        source = Source(struct.pack(">I", head) + body)
        with pytest.raises((ProtocolError, EOFError)):
            unpack(source.exactly, header_cap=1 << 16, cap=8)
        assert source.asked <= 1 << 16
    many = json.dumps({"blobs": [0] * 5}).encode()
    with pytest.raises(ProtocolError):
        unpack(Source(struct.pack(">I", len(many)) + many).exactly, header_cap=1 << 16, cap=8)
