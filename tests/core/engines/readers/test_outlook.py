"""Outlook messages: headers, body, what is attached."""

from __future__ import annotations

import struct

import compressed_rtf
import pytest

from core.errors import UnreadableDocument
from core.ports import Attachment
from tests.core.engines.format_material import contents, message
from tests.core.engines.readers.test_mailbox import read

SUBJECT, BODY, HTML, NAME, ADDRESS, SENT, HEADERS = 0x0037, 0x1000, 0x1013, 0x0C1A, 0x0C1F, 0x0039, 0x007D
TIME = 133_540_992_000_000_000  # 2024-03-05 08:00 in tenths of a microsecond since 1601


def test_an_outlook_message_gives_headers_body_and_what_is_attached():
    data = message(
        {
            SUBJECT: "The pump",
            BODY: "It stopped at 02:14.\r\nÄ€",
            NAME: "Ann Berg",
            ADDRESS: "ann@example.org",
            SENT: TIME,
        },
        receivers=(("Bo Lind", "bo@example.org", 1), ("Cy", "cy@example.org", 2), ("Di", "di@example.org", 3)),
        attached=(("log.txt", b"one\n" * 2_000), ("small.bin", b"\0\1")),
    )
    outline, (page,), inside = read(data, "a.msg")
    assert (outline.kind, outline.title, outline.date) == ("msg", "The pump", "2024-03-05T08:00:00+00:00")
    assert outline.author == "Ann Berg <ann@example.org>"
    assert page.text == (
        "From: Ann Berg <ann@example.org>\nTo: Bo Lind <bo@example.org>\nCc: Cy <cy@example.org>\n"
        "Bcc: Di <di@example.org>\nDate: Tue, 05 Mar 2024 08:00:00 +0000\nSubject: The pump\n\n"
        "It stopped at 02:14.\nÄ€\n\nAttachments:\n- log.txt (8 kB)\n- small.bin (2 bytes)"
    )
    assert inside == [Attachment("log.txt", b"one\n" * 2_000), Attachment("small.bin", b"\0\1")]


def test_the_headers_of_the_message_are_believed_first():
    data = message(
        {HEADERS: "From: ann@example.org\r\nTo: all@example.org\r\n", BODY: "x"}, receivers=(("Bo", "b@c.d", 1),)
    )
    assert read(data, "a.msg")[1][0].text.startswith("From: ann@example.org\nTo: all@example.org\n")


def test_a_body_in_html_is_read_as_a_person_sees_it():
    data = message({SUBJECT: "x", HTML: b"<p>The <b>pump</b></p><p style='display:none'>no</p>", 0x3FDE: 65_001})
    page = read(data, "a.msg")[1][0]
    assert page.text == "Subject: x\n\nThe pump\n\nno"
    assert (page.hidden_spans, page.hidden_why) == (((22, 24),), ("unseen",))
    assert [(s.title, s.start) for s in page.sections] == [("x", 0)]


def test_an_attachment_without_bytes_is_named_with_the_reason():
    _, _, (inside,) = read(message({BODY: "x"}, attached=(("inner.msg", b""),)), "a.msg")
    assert inside.name == "inner.msg"
    assert inside.reason
    assert inside.remedy


def test_a_body_in_rtf_alone_is_read():
    rich = rb"{\rtf1\ansi\ansicpg1252 The valve was \b opened\b0  at 02:14 by M\'fcller.\par}"
    page = read(message({SUBJECT: "x", 0x1009: compressed_rtf.compress(rich)}), "a.msg")[1][0]
    assert "The valve was opened at 02:14 by Müller." in page.text


def test_a_body_in_rtf_without_a_checksum_is_read_and_a_damaged_one_is_named():
    packed = compressed_rtf.compress(rb"{\rtf1\ansi The valve was opened at 02:14.\par}")
    unsigned = packed[:12] + bytes(4) + packed[16:]
    assert "opened at 02:14" in read(message({SUBJECT: "x", 0x1009: unsigned}), "a.msg")[1][0].text
    for damaged in (packed[:20] + b"x" + packed[21:], b"\x99" * 40):
        _, _, (body,) = read(message({SUBJECT: "x", 0x1009: damaged}), "a.msg")
        assert (body.name, bool(body.reason)) == ("body in RTF", True)


def test_a_message_in_a_message_is_read_with_what_is_attached_to_it():
    inner = {
        "__properties_version1.0": struct.pack("<24x")
        + b"".join(struct.pack("<HHIII", 0x1F, number, 6, 20, 0) for number in (SUBJECT, BODY)),
        "__substg1.0_0037001F": "Inner".encode("utf-16-le"),
        "__substg1.0_1000001F": "The pump was off.".encode("utf-16-le"),
        "__attach_version1.0_#00000000": {
            "__properties_version1.0": struct.pack("<8x")
            + b"".join(
                struct.pack("<HHIII", kind, number, 6, 20, 0) for kind, number in ((0x1F, 0x3707), (0x102, 0x3701))
            ),
            "__substg1.0_3707001F": "a.txt".encode("utf-16-le"),
            "__substg1.0_37010102": b"one",
        },
    }
    attached = {
        "__properties_version1.0": struct.pack("<8x") + struct.pack("<HHIII", 0x1F, 0x3001, 6, 20, 0),
        "__substg1.0_3001001F": "Fwd".encode("utf-16-le"),
        "__substg1.0_3701000D": inner,
    }
    data = message({SUBJECT: "Outer", BODY: "Look."}, more={"__attach_version1.0_#00000000": attached})
    _, (page,), inside = read(data, "a.msg")
    assert "Attached message: Fwd\n\nSubject: Inner\n\nThe pump was off." in page.text
    assert inside == [Attachment("a.txt", b"one")]


def test_the_fields_of_a_contact_are_read():
    page = read(message({SUBJECT: "Bo", 0x001A: "IPM.Contact", 0x3A16: "Weir Co", 0x3A1C: "+15550100"}), "a.msg")[1][0]
    assert "Organization: Weir Co" in page.text
    assert "Phone (mobile): +15550100" in page.text


@pytest.mark.parametrize("keep", [0.2, 0.5, 0.9])
def test_a_message_that_was_cut_off_is_refused(keep):
    data = message({BODY: "x" * 9_000}, attached=(("a", b"y" * 9_000),))
    with pytest.raises(UnreadableDocument, match=r"damaged|no text|office file") as caught:
        read(data[: int(len(data) * keep)], "a.msg")
    assert caught.value.hint


RICH = rb"{\rtf1\ansi %s\par}"
INNER = {
    "__properties_version1.0": struct.pack("<24x") + struct.pack("<HHIII", 0x1F, BODY, 6, 20, 0),
}
PLACES = {
    "subject": lambda w: message({SUBJECT: w}),
    "plain body": lambda w: message({BODY: f"See {w}."}),
    "page": lambda w: message({HTML: f"<p>See {w}.</p>".encode()}),
    "rich text": lambda w: message({0x1009: compressed_rtf.compress(RICH % w.encode())}),
    "plain body beside a page": lambda w: message({BODY: f"All.\r\n\r\n{w}", HTML: b"<p>All.</p>"}),
    "page beside a plain body": lambda w: message({BODY: "All.", HTML: f"<p>All.</p><p>{w}</p>".encode()}),
    "sender": lambda w: message({NAME: w, BODY: "x"}),
    "address of the sender": lambda w: message({NAME: "Ann", ADDRESS: f"{w}@x.org", BODY: "x"}),
    "author of what another sent": lambda w: message({NAME: "Ann", 0x0042: w, BODY: "x"}),
    "sender for another": lambda w: message({NAME: w, 0x0042: "Ann", BODY: "x"}),
    "receiver of answers": lambda w: message({0x0050: w, BODY: "x"}),
    "receiver": lambda w: message({BODY: "x"}, receivers=((w, "b@x.org", 1),)),
    "address of a receiver": lambda w: message({BODY: "x"}, receivers=(("Bo", f"{w}@x.org", 1),)),
    "receiver of a copy": lambda w: message({BODY: "x"}, receivers=((w, "b@x.org", 2),)),
    "receiver of a blind copy": lambda w: message({BODY: "x"}, receivers=((w, "b@x.org", 3),)),
    "header": lambda w: message({HEADERS: f"Subject: {w}\r\n", BODY: "x"}),
    "category": lambda w: message({0x001A: "IPM.Note", 0x8011: ["Dam", w], BODY: "x"}),
    "kind of entry": lambda w: message({0x001A: f"IPM.{w}", BODY: "x"}),
    "field of a contact": lambda w: message({0x001A: "IPM.Contact", 0x3A16: w}),
    "field of its own": lambda w: message({0x001A: "IPM.Appointment", 0x8021: w}),
    "list of its own": lambda w: message({0x001A: "IPM.Appointment", 0x8021: [w, "Bo"]}),
    "name of a file": lambda w: message({BODY: "x"}, attached=((f"{w}.txt", b"one"),)),
    "file": lambda w: message({BODY: "x"}, attached=(("a.txt", f"See {w}.".encode()),)),
    "object": lambda w: message({BODY: "x"}, more={"__attach_version1.0_#00000000": {
        "__properties_version1.0": struct.pack("<8x"), "__substg1.0_3701000D": {"CONTENTS": w.encode()}}}),
    "message inside": lambda w: message({BODY: "x"}, more={"__attach_version1.0_#00000000": {
        "__properties_version1.0": struct.pack("<8x"),
        "__substg1.0_3701000D": {**INNER, "__substg1.0_1000001F": f"See {w}.".encode("utf-16-le")}}}),
}  # fmt: skip
NAMED = {"object": "attachment 1"}  # places whose words cannot be had


@pytest.mark.parametrize("place", PLACES)
def test_a_word_in_each_kind_of_place_is_read_or_its_place_is_named(place):
    text, _ = contents(PLACES[place]("quartzword"), "a.msg", depth=1)
    assert NAMED.get(place, "quartzword") in text
