"""What Outlook packs into one file for the way (winmail.dat)."""

from __future__ import annotations

import base64
import struct

import compressed_rtf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.engines.readers import tnef
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument
from core.formats import BY_KIND
from core.ports import Attachment

(SIGNATURE,) = BY_KIND["tnef"].starts
RICH = rb"{\rtf1\ansi\ansicpg1252 The valve was opened at 02:14.\par}"


def item(level: int, name: int, kind: int, data: bytes) -> bytes:
    return struct.pack("<BHHI", level, name, kind, len(data)) + data + struct.pack("<H", sum(data) & 0xFFFF)


def prop(number: int, data: bytes, kind: int = 0x102) -> bytes:
    return struct.pack("<HHII", kind, number, 1, len(data)) + data + b"\0" * (-len(data) % 4)


def props(*parts: bytes) -> bytes:
    return struct.pack("<I", len(parts)) + b"".join(parts)


def text(words: str) -> bytes:
    return (words + "\0").encode("utf-16-le")


def packed(*, codepage: bool = True, files: tuple[tuple[str, bytes], ...] = ()) -> bytes:
    data = SIGNATURE + b"\x01\0" + item(1, 0x9006, 8, struct.pack("<I", 0x10000))
    if codepage:
        data += item(1, 0x9007, 6, struct.pack("<II", 1252, 0))
    data += item(1, 0x8004, 1, b"Weir\0")
    data += item(1, 0x9003, 6, props(prop(0x1009, compressed_rtf.compress(RICH)), prop(0x0C1A, text("Ann"), 0x1F)))
    for name, content in files:
        data += item(2, 0x9002, 6, b"\0" * 14) + item(2, 0x800F, 6, content)
        data += item(2, 0x9005, 6, props(prop(0x3707, text(name), 0x1F)))
    return data


@pytest.mark.parametrize("codepage", [True, False])
def test_body_and_files_are_read_as_a_file_by_itself(codepage):
    outline, page, *inside = FileReader().read(
        packed(codepage=codepage, files=(("plan.txt", b"one\0\0"),)), "winmail.dat"
    )
    assert (outline.kind, outline.title, outline.author) == ("email", "Weir", "Ann")
    assert "The valve was opened at 02:14." in page.text
    assert inside == [Attachment("plan.txt", b"one\0\0")]


def test_body_and_files_are_read_in_a_mail():
    head = b"From: a@x.org\nSubject: Out\nMIME-Version: 1.0\nContent-Type: application/ms-tnef; name=winmail.dat\n"
    content = base64.encodebytes(packed(files=(("plan.txt", b"one"),)))
    data = head + b"Content-Transfer-Encoding: base64\n\n" + content
    _, page, *inside = FileReader().read(data, "a.eml")
    assert "Subject: Out" in page.text
    assert "Subject: Weir" in page.text
    assert "The valve was opened at 02:14." in page.text
    assert inside == [Attachment("plan.txt", b"one")]


def test_a_damaged_file_is_refused_and_a_count_without_end_does_not_keep_it_busy():
    bomb = SIGNATURE + b"\x01\0" + item(1, 0x9003, 6, struct.pack("<I", 0xFFFFFFFF) + b"\0" * 40) + b"\0" * 20
    for data in (bomb, packed()[:8]):
        with pytest.raises(UnreadableDocument, match="damaged"):
            list(FileReader().read(data, "winmail.dat"))


@settings(max_examples=200, deadline=None)
@given(st.integers(6, 200), st.binary(max_size=12))
def test_nothing_breaks_the_reader(offset, data):
    whole = packed(files=(("plan.txt", b"one"),))
    tnef.as_mail(whole[:offset] + data + whole[offset + len(data) :])
