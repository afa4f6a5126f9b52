"""Mailboxes, Outlook messages, and the files that are attached to mail."""

from __future__ import annotations

import email.message
import email.policy
import io

import openpyxl
import pytest

from core.domain import PageText
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument
from core.ports import Attachment
from tests.core.engines.format_material import message, opendocument, packed

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


def test_names_are_made_safe_and_told_apart():
    attached = [("../../etc/passwd", "application/pdf", b"1"), ("C:\\x\\y.pdf", "application/pdf", b"2")]
    attached += [
        ("a.pdf", "application/pdf", b"3"),
        ("a.pdf", "application/pdf", b"4"),
        ("\u202etxt.exe", "application/pdf", b"5"),
    ]
    names = [item.name for item in read(letter(attached=attached), "a.eml")[2]]
    assert names == ["etc/passwd", "C:/x/y.pdf", "a.pdf", "a (2).pdf", "\ufffdtxt.exe"]


def test_unnamed_attachments_get_a_name_by_their_kind():
    head = b"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
    data = head + b"--b\n\ntext\n--b\nContent-Type: application/pdf\n\nx\n--b--\n"
    assert [item.name for item in read(data, "a.eml")[2]] == ["attachment.pdf"]


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


# --- Outlook ---------------------------------------------------------------------------------------------------------

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
    assert outline.author == '"Ann Berg" <ann@example.org>'
    assert page.text == (
        'From: "Ann Berg" <ann@example.org>\nTo: Bo Lind <bo@example.org>\nCc: Cy <cy@example.org>\n'
        "Bcc: Di <di@example.org>\nDate: 2024-03-05T08:00:00+00:00\nSubject: The pump\n\n"
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
    assert (page.hidden, page.hidden_why) == (((22, 24),), ("unseen",))
    assert [(s.title, s.start) for s in page.sections] == [("x", 0)]


def test_an_attachment_without_bytes_is_named_with_the_reason():
    _, _, (inside,) = read(message({BODY: "x"}, attached=(("inner.msg", b""),)), "a.msg")
    assert inside.name == "inner.msg"
    assert inside.reason
    assert inside.remedy


@pytest.mark.parametrize("keep", [0.2, 0.5, 0.9])
def test_a_message_that_was_cut_off_is_refused(keep):
    data = message({BODY: "x" * 9_000}, attached=(("a", b"y" * 9_000),))
    with pytest.raises(UnreadableDocument, match=r"damaged|no text|office file") as caught:
        read(data[: int(len(data) * keep)], "a.msg")
    assert caught.value.hint


# --- archives --------------------------------------------------------------------------------------------------------


def test_an_archive_lists_what_it_holds_and_hands_it_out():
    book = io.BytesIO()
    openpyxl.Workbook().save(book)
    files = {
        "a/one.txt": b"one",
        "two.odt": opendocument("text", "<text:p>word/document.xml</text:p>"),
        "__MACOSX/a/._one.txt": b"x",
        "a/.DS_Store": b"x",
        "three.xlsx": book.getvalue(),
        "empty": b"",
    }
    outline, (page,), inside = read(packed(files), "files.zip")
    assert (outline.kind, outline.pages) == ("zip", 1)
    assert page.text == "Archive with 4 files\n\na/one.txt\ntwo.odt\nthree.xlsx\nempty"
    assert inside == [Attachment(name, files[name]) for name in ("a/one.txt", "two.odt", "three.xlsx", "empty")]


def test_names_of_other_code_pages_are_read_as_meant():
    data = packed({"Gru.txt": b"x"}).replace(b"Gru.txt", "Grü.tx".encode())
    assert read(data, "a.zip")[2][0].name == "Grü.tx"


def test_a_locked_file_and_a_link_are_named_with_the_reason_and_the_others_are_read():
    import struct
    import zipfile

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("locked.txt", b"x")
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("open.txt", b"open")
        archive.writestr("wrong.txt", b"right")
    data = bytearray(file.getvalue())
    for mark, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        place = data.index(mark) + at
        data[place : place + 2] = struct.pack("<H", 1)
    data[data.index(b"right") : data.index(b"right") + 5] = b"wrong"
    inside = read(bytes(data), "a.zip")[2]
    assert [(item.name, item.data) for item in inside] == [
        ("locked.txt", b""), ("link", b""), ("open.txt", b"open"), ("wrong.txt", b""),
    ]  # fmt: skip
    assert ["password" in inside[0].reason, "link" in inside[1].reason, "damaged" in inside[3].reason] == [True] * 3
    assert all(item.remedy for item in inside if item.reason)


def test_bombs_are_refused_before_they_are_unpacked():
    bomb = packed({"zeros": b"\0" * 20_000_000})
    with pytest.raises(UnreadableDocument, match="unpacks") as caught:
        read(bomb, "a.zip")
    assert "unpack it" in caught.value.hint


def test_more_files_than_are_taken_are_counted_not_dropped():
    _, _, inside = read(packed({f"{n}.txt": b"x" for n in range(2_010)}), "a.zip")
    assert len(inside) == 2_001
    assert "10 more" in inside[-1].reason
    assert inside[-1].remedy
