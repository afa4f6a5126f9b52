"""Headers of mails, however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import UNSHOWN_HEADER
from core.engines.readers import email_message, mail_headers


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("From: J\xfcrgen <j@x.org>\nSubject: Pr\xfcfung", ["From: Jürgen <j@x.org>", "Subject: Prüfung"]),
        (
            "From: a@x.org\nFrom: c@x.org\nSubject: One\nSubject: Two",
            ["From: a@x.org\nFrom: c@x.org", "Subject: One\nSubject: Two"],
        ),
        ("From: a@x.org\nReply-To: d@x.org\nSender: e@x.org", ["Reply-To: d@x.org", "Sender: e@x.org"]),
        ("From: a@x.org\nReply-To: a@x.org", ["From: a@x.org\nTo: "]),
        ("From: a@x.org\nResent-From: f@x.org\nResent-Date: today", ["Resent-From: f@x.org", "Resent-Date: today"]),
        ("From: a@x.org\nno header here\n and more\nSubject : Late", ["Subject: Late", "no header here\nand more"]),
        ("Subject: =?gb2312?B?1uzptUYg?= =?gb2312?Q?=B1=C3?=\nFrom: a@x.org", ["泵"]),
        ("Subject: =?utf-8?B?w7w=?= =?utf-8?B?ww==?= =?utf-8?B?vA==?= x\nFrom: a@x.org", ["Subject: üü x"]),
        ("Subject: =?utf-8?Q?a=?= b\nFrom: a@x.org", ["Subject: a= b"]),
    ],
)
def test_headers_are_read_however_they_are_written(lines, expected):
    data = (lines + "\nTo: b@x.org\nContent-Type: text/plain; charset=iso-8859-1\n\nBody.\n").encode("latin-1")
    text = email_message.read(data).text
    for words in expected:
        assert words in text
    assert text.endswith("\n\nBody.")


def test_a_body_without_a_blank_line_before_it_is_no_stray_header():
    assert email_message.read(b"From: a@x.org\nThe body begins.\nIt goes on.\n").text == (
        "From: a@x.org\n\nThe body begins.\nIt goes on."
    )


def test_a_head_as_it_should_be_is_left_alone():
    data = b"From a@x.org Tue Mar  5 08:00:00 2024\r\nFrom: a@x.org\r\nTo: b@x.org,\r\n c@x.org\r\n\r\nno header\r\n"
    assert mail_headers.mend(data) == (data, [])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["From: a@x.org", "To: b", "odd line", " folded", "", "Subject : x", "text: y"])))
def test_no_line_of_a_head_is_lost(lines):
    data, strays = mail_headers.mend("\n".join(lines).encode())
    rest = data.decode().replace("Subject: x", "Subject : x").split("\n")
    assert sorted(line.strip() for line in [*rest, *strays] if line) == sorted(line.strip() for line in lines if line)


NAMES = ("Received", "X-Originating-IP", "Message-ID", "User-Agent", "Thread-Topic", "Sent", "Comments", "X-Folder")


@given(st.lists(st.sampled_from(NAMES)), st.from_regex(r"q[a-z]{6}", fullmatch=True))
def test_every_header_is_shown_or_named_in_the_ledger(names, word):
    head = "".join(f"{name}: {word}\n" for name in names)
    mail = email_message.read(f"From: a@x.org\nMIME-Version: 1.0\nX-Empty:\n{head}\nBody.\n".encode())
    shown = {name for name in NAMES if f"{name.removeprefix('X-')}: {word}" in mail.text}
    unshown = [name for name in names if name not in shown]
    assert shown <= {"Sent", "Comments", "X-Folder"}
    lines = [line for line in mail.left_out if line.what == UNSHOWN_HEADER]
    assert sum(line.count for line in lines) == len(unshown)
    assert [line.where for line in lines] == ([f"mail: {', '.join(dict.fromkeys(unshown))}"] if unshown else [])
