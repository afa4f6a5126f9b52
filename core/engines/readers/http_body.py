"""Bodies of what servers answered: taken out of their chunks and unpacked, within bounds."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

MOST = 50_000_000  # bytes of a body, packed or not
_STRETCH = 1 << 16  # bytes that are packed
_PIECE = 1 << 20  # bytes that are not
_CHUNK = re.compile(rb"[ \t]*([0-9a-fA-F]{1,8})[ \t]*(?:;[^\n]{0,1000})?\r?")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")

_Unpack = Callable[[bytes], Iterator[bytes]]


class _TooLarge(ValueError):
    pass


class _Cut(ValueError):
    """The end of what is packed is missing or damaged."""


@dataclass(frozen=True, slots=True)
class Body:
    """What a server sent. ``why`` is given, and ``content`` empty, where it cannot be read; ``is_cut``: not whole."""

    content: bytes
    why: str = ""
    is_cut: bool = False


def read(raw: bytes, codings: str, *, is_chunked: bool) -> Body:
    """Return the body of ``raw``, joined from chunks and unpacked from each of ``codings``."""
    if len(raw) > MOST:
        return _too_large()
    content, is_cut = _joined(raw) if is_chunked else (raw, False)
    names = [name.strip().lower().removeprefix("x-") for name in codings.split(",")]
    names = [name for name in names if name not in ("", "identity")]
    if not names and content.startswith(b"\x1f\x8b"):
        names = ["gzip"]
    for name in reversed(names):
        try:
            content, is_short = _unpacked(content, name)
        except _TooLarge:
            return _too_large()
        except ValueError:
            if not _CONTROL.search(content[:2_000]):
                break  # the header says more than was done
            return Body(b"", f"is packed in a way the program cannot handle ({name[:20]})")
        is_cut = is_cut or is_short
    return Body(content, is_cut=is_cut)


def _too_large() -> Body:
    return Body(b"", f"is larger than {MOST // 1_000_000} MB")


def _joined(raw: bytes) -> tuple[bytes, bool]:
    """Return a body without the lengths of its chunks, and whether its end is missing; as it is where it has none."""
    out = bytearray()
    offset = 0
    while True:
        end = raw.find(b"\n", offset)
        match = _CHUNK.fullmatch(raw, offset, end if end >= 0 else len(raw))
        if match is None:
            return (bytes(out), True) if offset else (raw, False)
        size = int(match.group(1), 16)
        if not size:
            return bytes(out), False
        part = raw[end + 1 : end + 1 + size] if end >= 0 else b""
        out += part
        if len(part) < size:
            return bytes(out), True
        offset = end + 1 + size
        offset += 2 if raw.startswith(b"\r\n", offset) else raw.startswith(b"\n", offset)


def _unpacked(data: bytes, name: str) -> tuple[bytes, bool]:
    """Unpack a body and return whether its end is missing. Raises ValueError if nothing can be unpacked."""
    ways: dict[str, tuple[_Unpack, ...]] = {
        "gzip": (lambda packed: _inflated(packed, 31),),
        "deflate": (lambda packed: _inflated(packed, 15), lambda packed: _inflated(packed, -15)),
        "br": (_of_brotli,),
        "zstd": (_of_zstandard,),
    }
    for unpack in ways.get(name, ()):
        out = bytearray()
        try:
            for piece in unpack(data):
                out += piece
                if len(out) > MOST:
                    raise _TooLarge
        except _Cut:
            if out:
                return bytes(out), True
            continue
        if out or not data:
            return bytes(out), False
    raise ValueError(name)


def _stretches(data: bytes) -> Iterator[bytes]:
    return (data[start : start + _STRETCH] for start in range(0, len(data), _STRETCH))


def _inflated(data: bytes, window: int) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(window)
    try:
        for stretch in _stretches(data):
            remaining = stretch
            while remaining:
                yield unpacker.decompress(remaining, _PIECE)
                remaining = unpacker.unconsumed_tail
                if unpacker.eof:
                    remaining = unpacker.unused_data
                    if window != 31 or (remaining and not remaining.startswith(b"\x1f")):
                        return
                    unpacker = zlib.decompressobj(window) if remaining else unpacker
        while not unpacker.eof:
            piece = unpacker.decompress(b"", _PIECE)
            if not piece:
                raise _Cut
            yield piece
    except zlib.error as error:
        raise _Cut from error


def _of_brotli(data: bytes) -> Iterator[bytes]:
    import brotli

    unpacker = brotli.Decompressor()
    try:
        for stretch in _stretches(data):
            yield unpacker.process(stretch, output_buffer_limit=_PIECE)
            while not unpacker.can_accept_more_data():
                yield unpacker.process(b"", output_buffer_limit=_PIECE)
            if unpacker.is_finished():
                return
    except brotli.error as error:
        raise _Cut from error
    raise _Cut


def _of_zstandard(data: bytes) -> Iterator[bytes]:
    from backports import zstd

    unpacker = zstd.ZstdDecompressor()
    try:
        for stretch in _stretches(data):
            yield unpacker.decompress(stretch, _PIECE)
            while not unpacker.needs_input and not unpacker.eof:
                yield unpacker.decompress(b"", _PIECE)
            if unpacker.eof:
                return
    except zstd.ZstdError as error:
        raise _Cut from error
    raise _Cut
