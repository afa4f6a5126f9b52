"""Mails that lie inside their signature."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.engines.readers import signed_mail
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument

INNER = b"Content-Type: text/plain\r\n\r\nThe dam was opened at 02:14.\r\n"
SIGNED, ENVELOPED, DATA = "2a864886f70d010702", "2a864886f70d010703", "2a864886f70d010701"


def element(tag: int, *parts: bytes) -> bytes:
    body = b"".join(parts)
    size = len(body).to_bytes(3, "big")
    return bytes([tag, 0x83]) + size + body


def open_element(tag: int, *parts: bytes) -> bytes:
    return bytes([tag, 0x80]) + b"".join(parts) + b"\0\0"


def oid(digits: str) -> bytes:
    return bytes([6, len(digits) // 2]) + bytes.fromhex(digits)


def signed(content: bytes, kind: str = SIGNED, element=element) -> bytes:
    halves = (element(0x04, content[:20]), element(0x04, content[20:])) if element is open_element else ()
    octets = open_element(0x24, *(b"\x04\x82" + len(c).to_bytes(2, "big") + c for c in (content[:20], content[20:])))
    body = octets if halves else element(0x04, content)
    info = element(0x30, oid(DATA), element(0xA0, body))
    return element(0x30, oid(kind), element(0xA0, element(0x30, b"\x02\x01\x01", b"\x31\x00", info)))


def test_the_message_is_taken_out_of_both_ways_of_writing_it():
    assert signed_mail.content(signed(INNER)) == signed_mail.Content(INNER, is_cut=False)
    assert signed_mail.content(signed(INNER, element=open_element)) == signed_mail.Content(INNER, is_cut=False)
    assert signed_mail.content(signed(INNER, ENVELOPED)) is None


def mail(data: bytes) -> bytes:
    head = b"From: a@x.org\nMIME-Version: 1.0\nContent-Type: application/pkcs7-mime; name=smime.p7m\n"
    return head + b"Content-Transfer-Encoding: binary\n\n" + data


def test_a_signed_mail_is_read_and_an_encrypted_one_named():
    items = list(FileReader().read(mail(signed(INNER.replace(b"\r", b""))), "a.eml"))
    assert "The dam was opened at 02:14." in items[1].text
    assert [(item.what, item.count) for item in items[2:]] == [("digital signature", 1)]
    *_, encrypted = FileReader().read(mail(signed(INNER, ENVELOPED)), "a.eml")
    assert encrypted.name == "smime.p7m"
    assert "encrypted (S/MIME)" in encrypted.reason
    assert "decrypted" in encrypted.remedy


@pytest.mark.parametrize("element", [element, open_element])
def test_of_a_file_that_is_cut_off_the_rest_is_read_and_the_loss_said(element):
    whole = signed(INNER * 3, element=element)
    head = whole.index(INNER[:20])
    letters = base64.encodebytes(whole[: head + 60])
    for data in (whole[: head + 60], letters[: len(letters) // 4 * 4 - 3], mail(whole[: head + 60])):
        _, page, *left_out = FileReader().read(data, "a.eml" if data.startswith(b"From") else "smime.p7m")
        assert "The dam was opened at 02:" in page.text
        assert [item.what for item in left_out] == ["digital signature", "end of a signed file, which is cut off"]
    assert signed_mail.content(whole[:head]) is None


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60), st.integers(0, 90))
def test_nothing_breaks_the_reader(data, offset):
    whole = signed(INNER, element=open_element)
    signed_mail.content(data)
    signed_mail.content(whole[:offset] + data + whole[offset:])


def test_a_signed_file_is_read_by_itself_and_where_it_is_attached():
    invoice = signed(b"<?xml version='1.0'?><invoice><sum>-1048.20</sum></invoice>")
    letters = b"-----BEGIN PKCS7-----\n" + base64.encodebytes(invoice) + b"-----END PKCS7-----\n"
    for data in (invoice, letters):
        outline, page, signature = FileReader().read(data, "invoice.xml.p7m")
        assert (outline.kind, page.text, signature.what) == ("xml", "sum: -1048.20", "digital signature")
    *_, file = FileReader().read(mail(invoice).replace(b"smime.p7m", b"invoice.xml.p7m"), "a.eml")
    assert (file.name, file.data) == ("invoice.xml.p7m", invoice)
    with pytest.raises(UnreadableDocument, match="encrypted, damaged, or a signature"):
        list(FileReader().read(signed(INNER, ENVELOPED), "smime.p7m"))


def test_a_signed_mail_is_known_by_its_name_where_a_gateway_changed_its_type():
    data = mail(signed(INNER.replace(b"\r", b""))).replace(b"application/pkcs7-mime", b"application/octet-stream")
    assert "The dam was opened at 02:14." in list(FileReader().read(data, "a.eml"))[1].text
    outline, page, _ = FileReader().read(signed(INNER), "smime.p7m")
    assert (outline.kind, page.text) == ("email", "The dam was opened at 02:14.")
