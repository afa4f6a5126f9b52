"""Mailboxes, Outlook messages, and the files that are attached to mail."""

from __future__ import annotations

import email.message
import email.policy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import LeftOut, PageText
from core.engines.readers import mailbox
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument
from core.ports import Attachment

READER = FileReader()


def read(data, name):
    outline, *rest = READER.read(data, name)
    pages = [item for item in rest if isinstance(item, PageText)]
    return outline, pages, [item for item in rest if isinstance(item, Attachment)]


def letter(body="The pump stopped.", subject="Pump", attached=(), inline=()) -> bytes:
    mail = email.message.EmailMessage(policy=email.policy.SMTP)
    mail["From"], mail["To"], mail["Subject"] = "Ann <ann@example.org>", "bo@example.org", subject
    mail["Date"] = "Tue, 05 Mar 2024 08:00:00 +0000"
    mail.set_content(body)
    for name, kind, data in attached:
        main, _, sub = kind.partition("/")
        mail.add_attachment(data, maintype=main, subtype=sub, filename=name)
    for name, data in inline:
        mail.add_attachment(data, maintype="image", subtype="png", filename=name, disposition="inline", cid=f"<{name}>")
    return mail.as_bytes()


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
    *parts, last = read(data + b"--b--", "a.eml")[2]
    assert len(parts) < 2_000
    assert not any(part.reason for part in parts)
    assert last.name == "(more parts)"
    assert "the rest were not read" in last.reason


# --- mailboxes -------------------------------------------------------------------------------------------------------


def mbox(*letters: bytes, end: bytes = b"\n") -> bytes:
    whole = b""
    for content in letters:
        body = content.replace(b"\r\n", b"\n").replace(b"\nFrom ", b"\n>From ")
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


def from_line(date: str, sender: str = "ann@example.org") -> bytes:
    return f"From {sender} {date}\n".encode()


DATES = (
    "Tue Mar  5 08:00:00 2024", "Tue Mar 05 08:00 2024", "Tue Mar  5 08:00:00 +0100 2024", "Tue Mar  5 2024",
    "Tue Mar  5 08:00:00 MET 2024", "Tue, 5 Mar 2024 08:00:00 +0000", "Tue Mar  5 08:00:00 2024 +0100",
)  # fmt: skip


@pytest.mark.parametrize("date", DATES)
@pytest.mark.parametrize("gap", [b"", b"\n", b"\n\n"])
def test_messages_begin_with_a_dated_line_whether_or_not_a_blank_line_stands_before(date, gap):
    data = b"".join(from_line(date) + b"Subject: n%d\nFrom: a\n\nBody %d.\n" % (n, n) + gap for n in range(3))
    _, pages, _ = read(data, "INBOX")
    assert [page.text for page in pages] == [f"From: a\nSubject: n{n}\n\nBody {n}." for n in range(3)]


@pytest.mark.parametrize(
    "line",
    ["From our side nothing was lost.", "From our meeting of Tue Mar  5 08:00:00 2024", "From ann to bo in 2024"],
)
@pytest.mark.parametrize("after", ["Note: the seal was intact.", "", "More."])
def test_a_sentence_that_begins_with_from_neither_splits_nor_goes_missing(line, after):
    body = f"Dear Bo.\n\n{line}\n{after}\nRegards"
    data = mbox(letter("One.")) + from_line(DATES[0]) + letter(body).replace(b"\r\n", b"\n")
    _, pages, _ = read(data, "a.mbox")
    assert len(pages) == 2
    assert pages[1].text.endswith(f"\n{line}\n{after}\nRegards")


def test_lines_before_the_first_message_are_a_page():
    _, pages, _ = read(b"Words before it\n\n" + mbox(letter("One.")), "a.mbox")
    assert [page.label for page in pages] == ["before the first message", "message 1"]
    assert pages[0].text == "Words before it"


def test_a_mailbox_without_dates_is_split_by_blank_lines_and_usual_headers():
    data = b"From ann\nSubject: One\n\nFirst.\n\nFrom our side\nNote: no.\n\nFrom bo\nSubject: Two\n\nSecond.\n"
    _, pages, _ = read(data, "a.mbox")
    assert [page.label for page in pages] == ["message 1", "message 2"]
    assert "From our side\nNote: no." in pages[0].text


@pytest.mark.parametrize("name", ["INBOX", "Sent.txt", "mail.eml", "x.mbox"])
def test_a_mailbox_is_known_by_its_content(name):
    assert read(mbox(letter("One."), letter("Two.")), name)[0].kind == "mbox"


def test_a_letter_that_begins_with_from_is_no_mailbox():
    for text in (b"From the dam\nTo: all\n", b"From Tue Mar  5 08:00:00 2024 on it was dark\nSubject: x\n"):
        assert read(text, "note.txt")[0].kind == "text"


LINES = st.sampled_from(
    [b"From ann Tue Mar  5 08:00:00 2024", b"From our side", b"Subject: x", b"", b"A line", b">From bo", b"Note: y"]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(LINES, max_size=20))
def test_no_line_of_a_mailbox_is_lost(lines):
    data = b"\n".join(lines)
    messages = mailbox.messages(data)
    if not messages:
        return
    rest = [line for message in messages for line in message.splitlines() if line.strip()]
    starts = [line for line in lines if line.startswith(b"From ann")]
    expected = [line.removeprefix(b">") for line in lines if line.strip()]
    assert len(expected) - len(starts) <= len(rest) <= len(expected)
    words = [[line.lstrip(b">") for line in group if not line.startswith(b"From ann")] for group in (rest, expected)]
    assert words[0] == words[1]


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


def test_a_mailbox_whose_lines_end_with_a_carriage_return_alone_is_cut():
    head = "From a@x.org Tue Mar 12 14:05:33 2024\nFrom: a@x.org\nSubject: s"
    letters = "".join(f"{head}\n\nLetter {number}.\n\n" for number in (1, 2)).replace("\n", "\r")
    assert [page.text[-9:] for page in read(letters.encode(), "in")[1]] == ["Letter 1.", "Letter 2."]


def test_a_message_whose_length_is_stated_is_not_split_by_what_it_quotes():
    body = b"Look:\n\nFrom nobody Mon Mar  4 09:00:00 2024\nSubject: forged\n\nThe end.\n"
    first, second = (
        b"From a@x.org Mon Mar  4 1%d:00:00 2024\nSubject: Dam\nContent-Length: %%d\n\n" % n for n in (0, 1)
    )
    data = first % len(body) + body + b"\n" + second % 5 + b"done\n"
    assert [b"forged" in message for message in mailbox.messages(data)] == [True, False]
    assert len(mailbox.messages(data)) == 2
    for wrong in (len(body) + 9, len(body) - 9, 999_999_999):  # a length that no message ends at says nothing
        assert len(mailbox.messages(data.replace(b"Length: %d" % len(body), b"Length: %d" % wrong))) == 3


def test_the_date_of_a_message_is_not_that_of_a_mailbox_of_several():
    dated = b"From a@x.org Mon Mar  4 10:00:00 2024\nSubject: a\nDate: Mon, 4 Mar 2024 10:00:00 +0000\n\nx\n\n"
    second = b"From b@x.org Mon Mar  4 11:00:00 2024\nSubject: b\n\ny\n"
    assert [next(iter(READER.read(data, "a.mbox"))).date for data in (dated, dated + second)] == [
        "2024-03-04T10:00:00+00:00",
        "",
    ]


# --- messages that were sent in pieces -------------------------------------------------------------------------------


def pieces(message: bytes, count: int) -> list[bytes]:
    """Cut a message as mail programs do (RFC 2046, 5.2.2.1), after whole lines."""
    lines = message.replace(b"\r\n", b"\n").splitlines(keepends=True)
    size = -(-len(lines) // count)
    result = []
    for number in range(1, count + 1):
        about = f'Content-Type: message/partial; id="i@x"; number={number}; total={count}'
        head = f"From: Ann <ann@example.org>\nSubject: Piece\nMIME-Version: 1.0\n{about}\n\n"
        result.append(head.encode() + b"".join(lines[(number - 1) * size : number * size]))
    return result


def box(messages: list[bytes]) -> bytes:
    return b"".join(b"From ann@example.org Tue Mar  5 08:00:00 2024\n%s\n" % message for message in messages)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_pieces_of_a_message_are_joined_where_all_are_in_the_mailbox(order):
    content = bytes(range(256)) * 40
    cut = pieces(letter("The pump stopped.\n" * 9, attached=[("b.bin", "application/octet-stream", content)]), 3)
    items = list(READER.read(box([cut[place] for place in order]), "a.mbox"))
    page = next(item for item in items if isinstance(item, PageText) and item.label == f"message {order.index(0) + 1}")
    assert "Subject: Pump" in page.text
    assert "Piece" not in page.text
    assert [item.data for item in items if isinstance(item, Attachment)] == [content]


def test_a_piece_that_is_missing_leaves_the_others_as_they_are():
    cut = pieces(letter("\n".join(f"Line {number} of the report." for number in range(30))), 3)
    items = list(READER.read(box([cut[0], cut[2]]), "a.mbox"))
    text = "\n".join(item.text for item in items if isinstance(item, PageText))
    assert "Line 0 of the report." in text
    assert "Line 29 of the report." in text
    assert "piece 3 of 3 of a message that was sent in pieces" in text
    assert [item.count for item in items if isinstance(item, LeftOut)] == [1, 1]
