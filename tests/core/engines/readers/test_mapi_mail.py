"""Messages of Outlook, written as mails."""

from __future__ import annotations

from datetime import datetime

from core.engines.readers import email_message
from core.engines.readers.mapi_mail import MapiFile, MapiMail, address, compose, date_header, subject

MAIL = MapiMail(
    fields=(("From", "Ann <ann@x.org>"), ("Subject", "Prüfung\r\nBcc: evil@x.org"), ("X-Folder", "Inbox")),
    plain="The dam broke.",
    page="<p>The dam broke in März.</p>".encode("cp1252"),
    charset="cp1252",
    details=("Place: Weir house",),
    files=(
        MapiFile('a"b.txt', b"one"),
        MapiFile("p.bin", b"two", "multipart/odd"),
        MapiFile("in.eml", b"Subject: In\r\n\r\nx", "message/rfc822"),
    ),
)


def test_a_message_is_read_as_it_was_meant():
    mail = email_message.read(compose(MAIL))
    assert mail.text == (
        "From: Ann <ann@x.org>\nSubject: Prüfung Bcc: evil@x.org\nFolder: Inbox\n\nThe dam broke in März.\n\n"
        "Place: Weir house\n\nAttachments:\n- a_b.txt (3 bytes)\n- p.bin (3 bytes)\n\n"
        "Attached message: in.eml\n\nSubject: In\n\nx"
    )
    assert [item.data for item in mail.attachments()] == [b"one", b"two"]
    assert compose(MAIL) == compose(MAIL)


def test_the_headers_it_came_with_are_believed_first_but_for_those_of_its_parts():
    transport = "From: Bo <bo@x.org>\r\nTo: all@x.org,\r\n\tsome@x.org\r\nContent-Type: text/html\r\n"
    mail = email_message.read(compose(MapiMail(MAIL.fields, transport, plain="x")))
    assert mail.text.startswith("From: Bo <bo@x.org>\nTo: all@x.org, some@x.org\nSubject: Pr")
    assert mail.text.endswith("\n\nx")


def test_small_values():
    assert date_header(datetime(2024, 3, 5, 8)) == "Tue, 05 Mar 2024 08:00:00 +0000"
    assert date_header(None) == ""
    assert address("Ann", "ann@x.org") == "Ann <ann@x.org>"
    assert address("a@x.org", "a@x.org") == "a@x.org"
    assert subject("\x01\x05RE: x") == "RE: x"
