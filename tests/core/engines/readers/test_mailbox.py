"""Mailboxes, Outlook messages, and the files that are attached to mail."""

from __future__ import annotations

import email.message
import email.policy

import pytest

from core.domain import PageText
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument
from core.ports import Attachment

READER = FileReader()


def read(data, name):
    outline, *rest = READER.read(data, name)
    pages = [item for item in rest if isinstance(item, PageText)]
    return outline, pages, [item for item in rest if isinstance(item, Attachment)]


def letter(body="The pump stopped.", subject="Pump", attached=(), inline=()) -> bytes:
    made = email.message.EmailMessage(policy=email.policy.SMTP)
    made["From"], made["To"], made["Subject"] = "Ann <ann@example.org>", "bo@example.org", subject
    made["Date"] = "Tue, 05 Mar 2024 08:00:00 +0000"
    made.set_content(body)
    for name, kind, data in attached:
        main, _, sub = kind.partition("/")
        made.add_attachment(data, maintype=main, subtype=sub, filename=name)
    for name, data in inline:
        made.add_attachment(data, maintype="image", subtype="png", filename=name, disposition="inline", cid=f"<{name}>")
    return made.as_bytes()


# --- what is attached ------------------------------------------------------------------------------------------------


def test_attached_files_are_handed_out_as_they_are_and_the_text_names_them():
    data = letter(attached=[("a.txt", "text/plain", b"one\n"), ("b.bin", "application/pdf", b"%PDF-1.4 \0\xff")])
    outline, (page,), inside = read(data, "a.eml")
    assert outline.kind == "email"
    assert "Attachments:\n- a.txt (4 bytes)\n- b.bin (11 bytes)" in page.text
    assert inside == [Attachment("a.txt", b"one\n"), Attachment("b.bin", b"%PDF-1.4 \0\xff")]


def test_pictures_of_the_body_and_signatures_are_not_handed_out():
    data = letter(
        inline=[("logo.png", b"\x89PNG\r\n\x1a\n")],
        attached=[("s.asc", "application/pgp-signature", b"x"), ("photo.png", "image/png", b"y")],
    )
    assert [item.name for item in read(data, "a.eml")[2]] == ["photo.png"]


def test_what_is_attached_to_an_attached_message_is_handed_out_once():
    outer = email.message_from_bytes(letter("Look.", "Fwd"), policy=email.policy.SMTP)
    outer.add_attachment(
        email.message_from_bytes(letter(attached=[("a.txt", "text/plain", b"one\n")]), policy=email.policy.SMTP)
    )
    _, (page,), inside = read(outer.as_bytes(), "a.eml")
    assert "The pump stopped." in page.text
    assert [item.name for item in inside] == ["a.txt"]


def test_a_message_of_endless_parts_ends():
    data = (
        b"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
        + b"--b\nContent-Type: image/png\n\nx\n" * 5_000
    )
    *taken, last = read(data + b"--b--", "a.eml")[2]
    assert len(taken) < 2_000
    assert not any(each.reason for each in taken)
    assert last.name == "(more parts)"
    assert "the rest were not read" in last.reason


# --- mailboxes -------------------------------------------------------------------------------------------------------


def mbox(*letters: bytes, end: bytes = b"\n") -> bytes:
    whole = b""
    for each in letters:
        body = each.replace(b"\r\n", b"\n").replace(b"\nFrom ", b"\n>From ")
        whole += b"From ann@example.org Tue Mar  5 08:00:00 2024\n" + body + b"\n"
    return whole.replace(b"\n", end)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_each_message_is_a_page_and_a_line_that_begins_with_from_is_text(end):
    data = mbox(letter("One.\n\nFrom here on it was dark.\n", "First"), letter("Two."), end=end)
    outline, pages, _ = read(data, "a.mbox")
    assert (outline.kind, outline.pages) == ("mbox", 2)
    assert [page.label for page in pages] == ["message 1", "message 2"]
    assert "Subject: First" in pages[0].text
    assert "\nFrom here on it was dark." in pages[0].text
    assert pages[1].text.endswith("Two.")


def test_what_is_attached_in_a_mailbox_names_its_message():
    data = mbox(
        letter(),
        letter(attached=[("a.txt", "text/plain", b"one\n")]),
        letter(attached=[("a.txt", "text/plain", b"two\n")]),
    )
    assert read(data, "a.mbox")[2] == [
        Attachment("message 2/a.txt", b"one\n"),
        Attachment("message 3/a.txt", b"two\n"),
    ]


def test_a_long_message_takes_several_pages_under_its_number():
    _, pages, _ = read(mbox(letter("word " * 100_000), letter("Two.")), "a.mbox")
    assert len(pages) > 2
    assert pages[0].label.startswith("message 1, part 1")
    assert pages[-1].label == "message 2"


def test_a_mailbox_of_too_many_messages_is_refused():
    with pytest.raises(UnreadableDocument, match="messages") as caught:
        read(b"From a Tue Mar 5 2024\nTo: b\n\nx\n\n" * 9_001, "a.mbox")
    assert "Split" in caught.value.hint
