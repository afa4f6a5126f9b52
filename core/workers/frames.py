"""Frames: what the program and a child send each other over the child's standard input and output.

    4 bytes   length of the header, big endian
    header    one JSON object; "blobs" lists the lengths of the byte strings that follow
    blobs     raw bytes

What comes out of a child is untrusted: lengths are capped before memory is taken, and every field is checked.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Header = dict[str, Any]
MIB = 1 << 20
REQUEST_HEADER_CAP = 16 * MIB  # texts to embed lie in the header
ANSWER_HEADER_CAP = MIB  # small, because parsed JSON takes up to thirty times its size
ANSWER_CAP = 64 * MIB  # all blobs of one frame from a child: a page picture of 12 Mpx is below 40 MB
DOCUMENT_CAP = 500 * MIB  # a document on its way into a child
_BLOBS_CAP = 4
DETAIL_CAP = 2_000  # characters of one detail of an error


class ProtocolError(Exception):
    """The other side sent something that is not a frame, or a frame that says nothing sensible."""


def pack(header: Mapping[str, object], blobs: Sequence[bytes] = ()) -> list[bytes]:
    """Return a frame as byte strings, to be written one after the other (a document is not copied to be joined)."""
    body = json.dumps({**header, "blobs": [len(blob) for blob in blobs]}, ensure_ascii=True, allow_nan=False).encode()
    if len(body) > REQUEST_HEADER_CAP:
        raise ProtocolError("header too long")
    return [struct.pack(">I", len(body)) + body, *blobs]


def unpack(exactly: Callable[[int], bytes], *, header_cap: int, cap: int) -> tuple[Header, list[bytes]]:
    """Read one frame through ``exactly(n)``, which returns n bytes or raises. ``cap`` bounds all blobs together."""
    (length,) = struct.unpack(">I", exactly(4))
    if not 2 <= length <= header_cap:
        raise ProtocolError("header length out of range")
    try:
        header = json.loads(exactly(length).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ProtocolError("header is not JSON") from error
    if not isinstance(header, dict):
        raise ProtocolError("header is not an object")
    lengths = header.get("blobs")
    if not isinstance(lengths, list) or len(lengths) > _BLOBS_CAP:
        raise ProtocolError("no list of blob lengths")
    if not all(type(n) is int and n >= 0 for n in lengths) or sum(lengths) > cap:
        raise ProtocolError("blob lengths out of range")
    return header, [exactly(n) for n in lengths]


def frame_at(unread: bytearray, offset: int) -> tuple[int, Header] | None:
    """Return the end and the header of the frame at ``offset``. None: not all of it is there, or it is no frame."""
    if len(unread) < offset + 4:
        return None
    (length,) = struct.unpack_from(">I", unread, offset)
    if length > ANSWER_HEADER_CAP or len(unread) < offset + 4 + length:
        return None
    try:
        header = json.loads(unread[offset + 4 : offset + 4 + length])
        size, kind = sum(header["blobs"]), header["type"]
        if not isinstance(kind, str):
            return None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    end = offset + 4 + length + size
    if type(size) is not int or size < 0 or end > len(unread):
        return None
    return end, header


def take_from(data: bytearray) -> Callable[[int], bytes]:
    """Bytes taken off the beginning of ``data``."""

    def exactly(count: int) -> bytes:
        if len(data) < count:
            raise EOFError
        chunk = bytes(memoryview(data)[:count])
        del data[:count]
        return chunk

    return exactly


LONE_SURROGATES = re.compile("[\ud800-\udfff]")  # JSON can say halves of characters, which no file can hold


def text_field(header: Header, key: str, *, longest: int = 10_000) -> str:
    """Return a text of the header; raises ProtocolError for anything else."""
    value = header.get(key)
    if not isinstance(value, str) or len(value) > longest:
        raise ProtocolError(f"{key} is not a text of at most {longest} characters")
    return LONE_SURROGATES.sub("\ufffd", value)


def count_field(header: Header, key: str, *, most: int) -> int:
    """Return a whole number of the header, from 0 on; raises ProtocolError for anything else."""
    value = header.get(key)
    if type(value) is not int or not 0 <= value <= most:
        raise ProtocolError(f"{key} is not a number up to {most}")
    return value


def checked_number(value: object, *, least: float = 0.0, most: float = 1e9) -> float:
    """Return a number within bounds; raises ProtocolError for anything else."""
    if type(value) not in (int, float) or not least <= value <= most:  # type: ignore[operator]
        raise ProtocolError("a number is out of range")
    return float(value)  # type: ignore[arg-type]


def blob_at(blobs: Sequence[bytes], index: int) -> bytes:
    """Return one of the byte strings; raises ProtocolError where it is missing."""
    if index >= len(blobs):
        raise ProtocolError("a byte string is missing")
    return blobs[index]


def list_field(header: Header, key: str, *, most: int) -> list[Any]:
    """Return a list of the header; raises ProtocolError for anything else."""
    value = header.get(key)
    if not isinstance(value, list) or len(value) > most:
        raise ProtocolError(f"{key} is not a list of at most {most}")
    return value


def choice_field(header: Header, key: str, choices: Sequence[str]) -> str:
    """Return a text of the header that is one of ``choices``; raises ProtocolError for anything else."""
    value = header.get(key)
    if not isinstance(value, str) or value not in choices:
        raise ProtocolError(f"{key} is not one of {', '.join(choices)}")
    return value


def clean_text(text: str) -> str:
    """Without control characters and lone surrogates: this may be shown on a terminal or in a window."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", "\ufffd", text)
