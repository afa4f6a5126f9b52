"""Every part of a mail is text of the page, a file that is handed out, or a line of what was left out."""

from __future__ import annotations

import base64
import binascii
import quopri
import random
import struct
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import LeftOut
from core.engines.readers import email_message
from core.engines.readers.dispatch import FileReader
from tests.core.engines.format_material import contents

HEAD = "From: a@x.org\r\nTo: b@x.org\r\nSubject: Parts\r\nMIME-Version: 1.0\r\n"


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress(b"".join(b"\0" + b"\xff" * width for _ in range(height)))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def part(kind: str, content: bytes, *headers: str, encoding: str = "base64") -> bytes:
    body = {"base64": base64.encodebytes, "quoted-printable": quopri.encodestring}.get(encoding, bytes)(content)
    lines = [f"Content-Type: {kind}", f"Content-Transfer-Encoding: {encoding}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def several(kind: str, parts: list[bytes], *, preamble: bytes = b"", epilogue: bytes = b"") -> bytes:
    border = f"b{len(parts)}{binascii.crc32(b''.join(parts)):x}"
    head = f'Content-Type: multipart/{kind}; boundary="{border}"\r\n\r\n'.encode()
    inner = b"".join(f"\r\n--{border}\r\n".encode() + part for part in parts)
    return head + preamble + inner + f"\r\n--{border}--\r\n".encode() + epilogue


def page_of(word: str) -> bytes:
    return f"<p>{word}</p>".encode()


def inner_mail(word: str) -> bytes:
    return f"From: c@x.org\r\nSubject: Inner\r\nMIME-Version: 1.0\r\n\r\nSays {word}.\r\n".encode()


ATTACHED = 'Content-Disposition: attachment; filename="{}.bin"'
# Each kind of place in which a word may stand.
PLACES: dict[str, Callable[[str], bytes]] = {
    "plain": lambda word: part("text/plain; charset=utf-8", word.encode()),
    "plain in quoted-printable": lambda word: part("text/plain", word.encode(), encoding="quoted-printable"),
    "plain as it is": lambda word: part("text/plain", word.encode(), encoding="8bit"),
    "flowing": lambda word: part("text/plain; format=flowed; delsp=yes", f"{word[:4]} \r\n{word[4:]}".encode()),
    "page": lambda word: part("text/html; charset=utf-8", page_of(word)),
    "unknown text": lambda word: part("text/x-notes", word.encode()),
    "table": lambda word: part("text/csv", f"a,b\n{word},1".encode()),
    "enriched": lambda word: part("text/enriched", f"<bold>{word}</bold>".encode()),
    "rich text": lambda word: part("text/rtf", b"{\\rtf1\\ansi " + word.encode() + b"\\par}"),
    "calendar": lambda word: part("text/calendar", f"BEGIN:VEVENT\r\nSUMMARY:{word}\r\nEND:VEVENT".encode()),
    "card": lambda word: part("text/vcard", f"BEGIN:VCARD\r\nFN:{word}\r\nEND:VCARD".encode()),
    "file": lambda word: part("application/octet-stream", word.encode(), ATTACHED.format("a")),
    "text file": lambda word: part("text/plain", word.encode(), ATTACHED.format("b")),
    "name of a file": lambda word: part("application/pdf", b"%PDF-", ATTACHED.format(word)),
    "file without a name": lambda word: part("application/zip", word.encode()),
    "uuencoded": lambda word: part(
        "text/plain", b"begin 644 a.txt\n" + binascii.b2a_uu(word.encode()) + b"`\nend\n", encoding="7bit"
    ),
    "picture": lambda word: part("image/png", png(300, 90) + word.encode(), "Content-ID: <i1>"),
    "small picture": lambda word: part("image/png", png(1, 1) + word.encode(), "Content-ID: <i2>"),
    "picture in a page": lambda word: part(
        "text/html", b'<img src="data:image/png;base64,' + base64.b64encode(png(300, 90) + word.encode()) + b'">'
    ),
    "message": lambda word: b"Content-Type: message/rfc822\r\n\r\n" + inner_mail(word),
    "message in base64": lambda word: part("message/rfc822", inner_mail(word)),
    "message in quoted-printable": lambda word: part("message/rfc822", inner_mail(word), encoding="quoted-printable"),
    "delivery": lambda word: part(
        "message/delivery-status", f"Action: failed\r\n\r\nX-Why: {word}\r\n".encode(), encoding="7bit"
    ),
    "delivery in base64": lambda word: part("message/delivery-status", f"Action: failed\r\n\r\nX-Why: {word}".encode()),
    "headers": lambda word: part("text/rfc822-headers", f"Subject: {word}\r\n".encode()),
    "signature": lambda word: part("application/pgp-signature", word.encode()),
    "elsewhere": lambda word: part(f"message/external-body; access-type=URL; URL={word}", b"", encoding="7bit"),
    "fragment": lambda word: part("message/partial; id=1; number=1; total=2", word.encode(), encoding="7bit"),
    "later fragment": lambda word: part("message/partial; id=1; number=2; total=2", word.encode(), encoding="7bit"),
    "packed fragment": lambda word: part(
        "message/partial; id=1; number=2; total=2", base64.encodebytes(word.encode() * 20), encoding="7bit"
    ),
    "resource fork": lambda word: part("application/applefile", word.encode()),
    "before the parts": lambda word: several("mixed", [part("text/plain", b"x")], preamble=word.encode()),
    "behind the parts": lambda word: several("mixed", [part("text/plain", b"x")], epilogue=word.encode()),
    "stub": lambda word: several(
        "alternative", [part("text/plain", b"Use a program that shows HTML."), part("text/html", page_of(word))]
    ),
    "plain alone": lambda word: several(
        "alternative", [part("text/plain", f"All.\n\n{word}".encode()), part("text/html", b"<p>All.</p>")]
    ),
    "calendar beside": lambda word: several(
        "alternative", [part("text/plain", b"All."), part("text/calendar", f"BEGIN:VEVENT\nSUMMARY:{word}".encode())]
    ),
    "watch": lambda word: several(
        "alternative", [part("text/plain", b"All."), part("text/watch-html", page_of(word)), part("text/html", b"All.")]
    ),
}
LEFT_OUT = {
    "small picture": "picture too small to hold words", "signature": "digital signature",
    "packed fragment": "fragment of a message that was sent in pieces",
    "resource fork": "resource fork of a Macintosh file",
}  # fmt: skip


def word_of(number: int) -> str:
    return f"word{number:03}quartz"


@pytest.mark.parametrize("place", PLACES)
def test_a_word_in_each_kind_of_place_is_accounted_for(place):
    text, left_out = contents(HEAD.encode() + several("mixed", [part("text/plain", b"x"), PLACES[place](word_of(1))]))
    assert (word_of(1) in text) is (place not in LEFT_OUT)
    assert place not in LEFT_OUT or LEFT_OUT[place] in left_out


TREES = st.recursive(
    st.sampled_from(sorted(PLACES)),
    lambda inner: st.tuples(
        st.sampled_from(("mixed", "alternative", "related", "report", "x-own")),
        st.lists(inner, min_size=1, max_size=4),
    ),
    max_leaves=12,
)


def build(tree: str | tuple[str, list], places: list[str]) -> bytes:
    if isinstance(tree, str):
        places.append(tree)
        return PLACES[tree](word_of(len(places)))
    return several(tree[0], [build(branch, places) for branch in tree[1]])


@settings(max_examples=150, deadline=None)
@given(TREES)
def test_every_word_of_a_tree_of_parts_is_accounted_for(tree):
    places: list[str] = []
    text, left_out = contents(HEAD.encode() + build(tree, places))
    for number, place in enumerate(places, start=1):
        if place in LEFT_OUT:
            assert LEFT_OUT[place] in left_out
        else:
            assert word_of(number) in text, place


def test_a_fragment_of_a_message_says_which_it_is():
    fragment = part("message/partial; id=1; number=2; total=3", b"The second part.", encoding="7bit")
    text, left_out = contents(HEAD.encode() + fragment)
    assert "The second part." in text
    assert "piece 2 of 3 of a message that was sent in pieces" in text
    assert left_out == {LEFT_OUT["packed fragment"]}


def test_a_file_of_apple_mail_is_read_by_its_content():
    mail = HEAD.encode() + b"Message-Id: <1@x>\r\n\r\nThe valve was opened.\r\n"
    listing = b'<?xml version="1.0"?><plist version="1.0"><dict/></plist>'
    for length in (len(mail), len(mail) + 40):
        for name in ("1.emlx", "1"):
            outline, page, *rest = FileReader().read(b"%d      \n" % length + mail + listing, name)
            assert (outline.kind, outline.title) == ("email", "Parts")
            assert page.text.endswith("The valve was opened.")
            assert rest == [
                LeftOut("property list of Apple Mail", 1, "mail"),
                LeftOut("header that is not shown", 1, "mail: Message-Id"),
            ]
    text = list(FileReader().read(b"%d\n" % len(mail) + mail + b"Words behind it", "1.emlx"))[1].text
    assert text.endswith("Words behind it")


def test_encrypted_text_is_named_with_its_remedy():
    *_, last = FileReader().read(HEAD.encode() + b"\r\n-----BEGIN PGP MESSAGE-----\r\n\r\nxyz\r\n", "a.eml")
    assert "encrypted (PGP)" in last.reason
    assert "decrypted" in last.remedy


def test_a_shuffled_mail_of_many_parts_ends():
    lines = (HEAD.encode() + several("mixed", [make(word_of(1)) for make in PLACES.values()])).splitlines(keepends=True)
    for seed in range(20):
        random.Random(seed).shuffle(lines)
        mail = email_message.read(HEAD.encode() + b"".join(lines))
        list(mail.attachments())
