"""Bombs through the real reader: each is refused, or read without harm, within seconds and in little memory."""

from __future__ import annotations

import gzip
import io
import os
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import EngineStopped, UnreadableDocument
from core.ports import Attachment
from core.workers.engines import ReaderClient
from tests.core.engines.format_material import packed
from tests.core.engines.readers.test_dispatch import word

SECONDS = 3.0  # of processor time, so that a busy machine does not count
MEMORY = 300  # MB of the child above what it takes for a small file

LAUGHS = "<!DOCTYPE l [<!ENTITY a0 'ha'>" + "".join(
    f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 12)
)  # fmt: skip
BODY = (
    "<w:document xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'>"
    "<w:body><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:body></w:document>"
)


def with_part(data: bytes, name: str, content: str | bytes) -> bytes:
    """A package with one part put in the place of its own."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        parts = {part: file.read(part) for part in file.namelist()}
    return packed({**parts, name: content})


def nested(depth: int) -> bytes:
    data = packed({"deepest.txt": b"\0" * 5_000_000})
    for level in range(depth):
        data = packed({f"{level}-{n}.zip": data for n in range(10)})
    return data


def overlapping(entries: int, size: int) -> bytes:
    """Entries that share one stretch of packed bytes, each of which promises ``size`` bytes."""
    zipped = zlib.compressobj(9, zlib.DEFLATED, -15)
    plain = b"\0" * size
    body = zipped.compress(plain) + zipped.flush()
    check = zlib.crc32(plain)
    name = b"a"
    head = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 8, 0, 0, check, len(body), size, len(name), 0) + name
    central = b"".join(
        struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 8, 0, 0, check, len(body), size, 8, 0, 0, 0, 0, 0, 0)
        + f"{n:08}".encode()
        for n in range(entries)
    )
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, entries, entries, len(central), len(head) + len(body), 0)
    return head + body + central + end


def many_parts(entries: int) -> bytes:
    """Empty entries by the hundred thousand, in the form for more than 65,535."""
    head = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 0, 0, 0, 0, 0, 0, 7, 0) + b"0000000"
    entry = struct.Struct("<4s6H3I5H2I")
    central = b"".join(
        entry.pack(b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0) + f"{n:07}".encode()
        for n in range(entries)
    )
    start = len(head)
    wide = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, entries, entries, len(central), start)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, start + len(central), 1)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return head + central + wide + locator + end


def in_word(document: str | bytes, part: str = "word/document.xml") -> bytes:
    return with_part(word(), part, document)


ZEROS = 300_000_000
QUADRATIC = f"<!DOCTYPE a [<!ENTITY a '{'x' * 50_000}'>]>" + BODY.format("&a;" * 50_000)
OUTSIDE = "<!DOCTYPE a [<!ENTITY a SYSTEM 'file:///etc/hostname'>]>" + BODY.format("&a;")
BOOK = f"<?xml version='1.0'?>{LAUGHS}]><FictionBook><body><p>&a11;</p></body></FictionBook>"
# Each is made by the test that sets it off: together they take seconds.
BOMBS: dict[str, Callable[[], bytes]] = {
    "nested.zip": lambda: nested(4),
    "overlapping.zip": lambda: overlapping(2_000, 10_000_000),
    "parts.zip": lambda: many_parts(1_000_000),
    "parts.docx": lambda: many_parts(300_000),
    "zeros.zip": lambda: packed({"zeros.txt": bytes(ZEROS)}),
    "zeros.docx": lambda: in_word(bytes(ZEROS)),
    "laughs.docx": lambda: in_word(LAUGHS + "]>" + BODY.format("&a11;")),
    "quadratic.docx": lambda: in_word(QUADRATIC),
    "outside.docx": lambda: in_word(OUTSIDE),
    "doctype.docx": lambda: in_word("<!DOCTYPE a><Types/>", "[Content_Types].xml"),
    "laughs.xml.html": lambda: (LAUGHS + "]><html><p>&a11;</p></html>").encode(),
    "laughs.svg": lambda: (LAUGHS + "]><svg xmlns='http://www.w3.org/2000/svg'><text>&a11;</text></svg>").encode(),
    "laughs.fb2": BOOK.encode,
    "zeros.warc.gz": lambda: gzip.compress(b"WARC/1.0\r\n" + bytes(ZEROS)),
}


def busy(reader: ReaderClient) -> float:
    """Seconds of processor time that the child took."""
    fields = Path(f"/proc/{reader.child.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak(reader: ReaderClient) -> float:
    """MB of memory that the child ever took."""
    for line in Path(f"/proc/{reader.child.process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("the kernel tells no peak")


@pytest.mark.skipif(sys.platform != "linux", reason="what another process took is known on Linux")
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_does_no_harm(name):
    bomb = BOMBS[name]()
    reader = ReaderClient()
    try:
        list(reader.read(word(), "a.docx"))  # libraries are loaded
        first_peak, began = peak(reader), busy(reader)
        try:
            items = list(reader.read(bomb, name))
        except (UnreadableDocument, EngineStopped) as error:
            items = []
            outcome = error.hint
        else:
            outcome = "read"
        assert outcome
        # What was read without harm is small.
        assert sum(len(getattr(item, "text", "")) for item in items) < 1_000_000
        assert sum(len(item.data) for item in items if isinstance(item, Attachment)) < 100_000_000
        assert busy(reader) - began < SECONDS
        assert peak(reader) - first_peak < MEMORY
    finally:
        reader.close()
