"""An .xz file of blocks: each kind of content packed in the way that makes it smallest, all blocks at the same time.

Every program that reads .xz reads it; a new one unpacks the blocks side by side. The same content gives the same bytes.
"""

from __future__ import annotations

import lzma
import os
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

BLOCK = 64 * 2**20
_FLAGS = b"\0\x01"  # each block is checked by its CRC32
_X86, _LZMA2 = 0x04, 0x21

TEXT, PROGRAM, WEIGHTS = "text", "program", "weights"
# Machine code has jumps whose targets repeat; numbers of four bytes are alike at the same place within them.
_WAYS: dict[str, dict[str, int]] = {TEXT: {}, PROGRAM: {}, WEIGHTS: {"lc": 2, "lp": 2, "pb": 2}}


def kind_of(file: Path) -> str:
    """Tell which way of packing suits a file."""
    with file.open("rb") as stream:
        head = stream.read(20)
    if head[:4] == b"\x7fELF" and head[18:20] == b"\x3e\0":
        return PROGRAM
    return WEIGHTS if file.suffix == ".safetensors" else TEXT


def write(target: IO[bytes], source: Path, pieces: Iterable[tuple[int, int, str]], *, preset: int) -> None:
    """Pack a file into ``target``; ``pieces`` are its parts in order: first byte, end and kind."""
    head = b"\xfd7zXZ\0" + _FLAGS + _sum(_FLAGS)
    target.write(head)
    rows = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [(source, first, end, kind, preset) for first, end, kind in _cut(pieces)]
        for packed, unpadded, size in pool.map(_block, jobs):
            target.write(packed)
            rows.append(_number(unpadded) + _number(size))
    index = _padded(b"\0" + _number(len(rows)) + b"".join(rows))
    index += _sum(index)
    tail = (len(index) // 4 - 1).to_bytes(4, "little") + _FLAGS
    target.write(index + _sum(tail) + tail + b"YZ")


def _cut(pieces: Iterable[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    for first, end, kind in pieces:
        for start in range(first, end, BLOCK):
            yield start, min(start + BLOCK, end), kind


def _block(job: tuple[Path, int, int, str, int]) -> tuple[bytes, int, int]:
    """Pack a part of a file; return the block, its size without padding, and the size of the content."""
    source, first, end, kind, preset = job
    with source.open("rb") as stream:
        stream.seek(first)
        content = stream.read(end - first)
    chain: list[dict[str, int]] = [{"id": lzma.FILTER_LZMA2, "preset": preset, "dict_size": BLOCK, **_WAYS[kind]}]
    flags = _number(_LZMA2) + _number(1) + b"\x1c"  # a dictionary of 64 MiB
    if kind == PROGRAM:
        chain.insert(0, {"id": lzma.FILTER_X86})
        flags = _number(_X86) + _number(0) + flags
    packed = lzma.compress(content, lzma.FORMAT_RAW, filters=chain)
    # The two sizes, which let a reader unpack blocks side by side, and the filters.
    fields = bytes([0xC0 | len(chain) - 1]) + _number(len(packed)) + _number(len(content)) + flags
    fields += bytes(-(len(fields) + 1) % 4)
    head = bytes([(len(fields) + 5) // 4 - 1]) + fields
    head += _sum(head)
    return head + _padded(packed) + _sum(content), len(head) + len(packed) + 4, len(content)


def _number(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _sum(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(4, "little")


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
