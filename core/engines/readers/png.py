"""Pictures of pages as PNG, written for speed: they live for seconds and cross one pipe.

The library's own writer takes three times as long for a tenth less.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

_LEVEL = 1  # of zlib


def encode(pixels: Any) -> bytes:
    """Write a pixmap of PyMuPDF, RGB without alpha, as PNG."""
    width, height, stride, samples = pixels.width, pixels.height, pixels.stride, pixels.samples_mv
    if pixels.n != 3:
        raise ValueError("a picture that is not RGB")
    # Every row begins with the number of its filter: none.
    rows = b"".join(b"\0" + samples[start : start + 3 * width] for start in range(0, stride * height, stride))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + _part(b"IHDR", head) + _part(b"IDAT", zlib.compress(rows, _LEVEL)) + _part(b"IEND", b"")
    )


def _part(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))
