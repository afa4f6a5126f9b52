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
from tests.core.engines.format_material import contents

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


def several(number: int, *values: str) -> bytes:
    """A property with a name of its own and several texts, or one."""
    guid = bytes(16) + struct.pack("<II", 0, number)
    raw = b"".join(
        struct.pack("<I", len(text(value))) + text(value) + b"\0" * (-len(text(value)) % 4) for value in values
    )
    return struct.pack("<HH", 0x101F if len(values) > 1 else 0x1F, number) + guid + struct.pack("<I", len(values)) + raw


def receivers(*people: tuple[str, str, int]) -> bytes:
    rows = [
        props(prop(0x3001, text(name), 0x1F), prop(0x39FE, text(address), 0x1F), struct.pack("<HHI", 3, 0x0C15, kind))
        for name, address, kind in people
    ]
    return item(1, 0x9004, 6, struct.pack("<I", len(rows)) + b"".join(rows))


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


def mail(*properties: bytes, more: bytes = b"", body: str = "x") -> bytes:
    data = SIGNATURE + b"\x01\0" + item(1, 0x9007, 6, struct.pack("<II", 1252, 0)) + item(1, 0x800C, 2, body.encode())
    return data + item(1, 0x9003, 6, props(*properties)) + more


def wide(number: int, word: str) -> bytes:
    return prop(number, text(word), 0x1F)


def attached(*properties: bytes, content: bytes = b"") -> bytes:
    data = item(2, 0x9002, 6, bytes(14)) + (item(2, 0x800F, 6, content) if content else b"")
    return data + item(2, 0x9005, 6, props(*properties))


CONTACT, VISIT = wide(0x001A, "IPM.Contact"), wide(0x001A, "IPM.Appointment")
MESSAGE = b"\x07\x03\x02\0\0\0\0\0\xc0\0\0\0\0\0\0\x46"  # the class of a message as an object
PLACES = {
    "plain body": lambda w: mail(body=f"See {w}."),
    "page": lambda w: mail(prop(0x1013, f"<p>See {w}.</p>".encode())),
    "rich text": lambda w: mail(prop(0x1009, compressed_rtf.compress(rb"{\rtf1\ansi " + w.encode() + rb"\par}"))),
    "subject": lambda w: mail(wide(0x0037, w)),
    "subject beside the properties": lambda w: mail(more=item(1, 0x8004, 1, w.encode() + b"\0")),
    "sender": lambda w: mail(wide(0x0C1A, w)),
    "sender beside the properties": lambda w: mail(
        more=item(1, 0x8000, 0, struct.pack("<HHHH", 4, 32, 11, 13) + w.encode() + b"\0SMTP:a@x.org\0")
    ),
    "author of what another sent": lambda w: mail(wide(0x0C1A, "Ann"), wide(0x0042, w)),
    "receiver": lambda w: mail(more=receivers((w, "b@x.org", 1))),
    "address of a receiver": lambda w: mail(more=receivers(("Bo", f"{w}@x.org", 2))),
    "receiver of a copy": lambda w: mail(more=receivers(("Bo", "b@x.org", 1), (w, "c@x.org", 2))),
    "receiver of answers": lambda w: mail(wide(0x0050, w)),
    "category": lambda w: mail(several(0x8011, "Dam", w)),
    "field of a contact": lambda w: mail(CONTACT, wide(0x3A16, w)),
    "field of its own": lambda w: mail(VISIT, several(0x8021, w)),
    "list of its own": lambda w: mail(VISIT, several(0x8021, "Dam", w)),
    "name of a file": lambda w: mail(more=attached(wide(0x3707, f"{w}.txt"), content=b"one")),
    "file": lambda w: mail(more=attached(wide(0x3707, "a.txt"), content=f"See {w}.".encode())),
    "file without contents": lambda w: mail(more=attached(wide(0x3707, f"{w}.bin"))),
    "message inside": lambda w: mail(
        more=attached(wide(0x3707, "Fwd"), prop(0x3701, MESSAGE + mail(body=f"See {w}."), 0x0D))
    ),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_word_in_each_kind_of_place_is_read(place):
    text, _ = contents(PLACES[place]("quartzword"), "winmail.dat", depth=1)
    assert "quartzword" in text


def test_a_file_that_cannot_be_had_is_named_with_the_reason():
    *_, inside = FileReader().read(mail(more=attached(wide(0x3707, "plan.bin"))), "winmail.dat")
    assert isinstance(inside, Attachment)
    assert inside.reason
