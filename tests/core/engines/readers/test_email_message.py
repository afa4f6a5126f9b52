from __future__ import annotations

import base64
import email.policy
from email.message import EmailMessage

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.engines.readers import email_message
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument
from core.ports import Engines
from core.workbench import Workbench
from tests.fakes import HashEmbedder

READER = FileReader()
HEAD = b"From: Ann <ann@x.org>\nTo: Bob <bob@x.org>\nDate: Wed, 31 Jan 2024 10:00:00 +0100\nSubject: The dam\n"


def letter(**headers: str) -> EmailMessage:
    message = EmailMessage()
    for name, value in ({"From": "Ann <ann@x.org>", "To": "bob@x.org", "Subject": "The dam"} | headers).items():
        message[name] = value
    return message


def read(data: bytes, name: str = "a.eml"):
    items = list(READER.read(data, name))
    return items[0], items[1].text


def test_headers_stand_above_the_body():
    outline, text = read(HEAD + b"\nIt broke.\nAt night.\n")
    assert text == (
        "From: Ann <ann@x.org>\nTo: Bob <bob@x.org>\nDate: Wed, 31 Jan 2024 10:00:00 +0100\nSubject: The dam\n\n"
        "It broke.\nAt night."
    )
    assert (outline.kind, outline.title, outline.author) == ("email", "The dam", "Ann <ann@x.org>")
    assert outline.date == "2024-01-31T10:00:00+01:00"


def both_forms(plain: str, rich: str) -> str:
    message = letter()
    message.set_content(plain)
    message.add_alternative(rich, subtype="html")
    return read(bytes(message))[1].partition("\n\n")[2]


def test_the_plain_body_is_preferred_and_html_becomes_text():
    assert both_forms("Rich\nwords.", "<p>Rich <b>words</b></p>") == "Rich\nwords."
    only = letter()
    only.set_content("<p>Rich <b>words</b></p><script>x</script>", subtype="html")
    assert read(bytes(only))[1].endswith("\n\nRich words")
    empty = letter()
    empty.set_content(" \n")
    empty.add_alternative("<p>Rich</p>", subtype="html")
    assert read(bytes(empty))[1].endswith("\n\nRich")


def test_attachments_are_named_not_opened():
    message = letter()
    message.set_content("See the plan.")
    message.add_attachment(b"x" * 12_345, maintype="application", subtype="pdf", filename="plän \x1b.pdf")
    message.add_attachment("attached text", filename="notes.txt")
    text = read(bytes(message))[1]
    assert "Attachments:\n- plän" in text
    assert "(12 kB)" in text
    assert "- notes.txt (" in text
    assert "attached text" not in text
    assert "\x1b" not in text


def test_a_forwarded_message_is_read():
    inner = letter(Subject="The pump", From="carl@x.org")
    inner.set_content("It stopped.")
    outer = letter()
    outer.set_content("Look at this.")
    outer.add_attachment(inner)
    text = read(bytes(outer))[1]
    assert text.index("Look at this.") < text.index("Attached message:") < text.index("Subject: The pump")
    assert text.endswith("It stopped.")


def forwarded(times: int) -> bytes:
    """A message inside as many others."""
    data = b"From: a@x.org\nSubject: the first\n\nthe innermost words\n"
    for depth in range(times):
        head = f"From: a@x.org\nSubject: level {depth}\nMIME-Version: 1.0\nContent-Type: message/rfc822\n\n"
        data = head.encode() + data
    return data


def in_parts(times: int) -> bytes:
    """A text inside as many multiparts."""
    data = b"Content-Type: text/plain\n\nthe innermost words\n"
    for depth in range(times):
        border = b"b%d" % depth
        data = b"Content-Type: multipart/mixed; boundary=%s\n\n--%s\n%s\n--%s--\n" % (border, border, data, border)
    return b"From: a@x.org\nMIME-Version: 1.0\n" + data


@pytest.mark.parametrize(
    ("plain", "rich", "text"),
    [
        (
            "See HTML.",
            "<p>It cost 48,200 euros.</p>",
            "It cost 48,200 euros.\n\nIn the plain text of this mail also:\n\nSee HTML.",
        ),
        ("The dam broke.", "<p>The dam broke.</p><p>In 2019.</p>", "The dam broke.\n\nIn 2019."),
        (
            "The dam\nbroke <https://x.org/a>.",
            '<p>The <a href="https://x.org/a">dam</a> broke.</p>',
            "The dam\nbroke <https://x.org/a>.",
        ),
        ("It was not shut, not open.", "<p>It was not shut, open.</p>", "It was not shut, not open."),
        ("It was not shut, open.", "<p>It was not shut, not open.</p>", "It was not shut, not open."),
        (
            "One.\n\nTwo.\n\nThe code is 7714.",
            "<p>Two.</p><p>One.</p><p>Three.</p>",
            "Two.\n\nOne.\n\nThree.\n\nIn the plain text of this mail also:\n\nThe code is 7714.",
        ),
    ],
)
def test_both_forms_of_a_body_are_read_where_one_says_more(plain, rich, text):
    assert both_forms(plain, rich) == text


@pytest.mark.parametrize(
    ("data", "whole"),
    [(forwarded(n), n < 20) for n in (1, 4, 5, 7, 12, 19, 20, 60)]
    + [(in_parts(n), n <= 200) for n in (3, 60, 100, 200, 201)],
)
def test_a_text_deep_in_others_is_read_or_reported(data, whole):
    items = list(READER.read(data, "a.eml"))
    assert ("innermost" in items[1].text) is whole
    assert ("more deeply" in items[1].text) is not whole
    refused = [item for item in items[2:] if item.reason]
    assert bool(refused) is not whole
    for refusal in refused:
        assert "deep in others, and no text was read" in refusal.reason
        assert refusal.remedy


def test_an_import_names_what_lies_too_deep_in_a_message(tmp_path):
    (tmp_path / "deep.eml").write_bytes(forwarded(40))
    with Workbench.create(tmp_path / "case.disconfirm", Engines(READER, HashEmbedder()), title="Pump") as bench:
        report = bench.documents.add([tmp_path / "deep.eml"])
    assert [(item.name, item.status) for item in report.documents] == [
        ("deep.eml", "added"),
        ("deep.eml/(deeper messages)", "failed"),
    ]
    assert [problem.where for problem in report.problems] == ["deep.eml/(deeper messages)"]


def test_encoded_headers_and_bodies():
    outline, text = read(
        b"From: =?utf-8?q?J=C3=BCrgen?= <j@x.org>\nSubject: =?koi8-r?B?7sHTz9M=?= broke\nMIME-Version: 1.0\n"
        b"Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nSch=E4den\n"
    )
    assert outline.title == "Насос broke"
    assert outline.author == "Jürgen <j@x.org>"
    assert text.endswith("Schäden")


@pytest.mark.parametrize(
    "data",
    [
        b"From: a@x.org\nContent-Type: text/plain; charset=no-such-code\n\nStill r\xe9ad\n",
        b'From: a@x.org\nContent-Type: text/plain; charset=""\n\nStill r\xe9ad\n',
        b"From: a@x.org\nContent-Transfer-Encoding: base64\nContent-Type: text/plain\n\nStill%%%read\n",
        b"From: a@x.org\nContent-Type: multipart/mixed; boundary=x\n\nStill read without parts\n",
        b"From: a@x.org\nContent-Type: multipart/mixed\n\nStill read without a border\n",
        b'From: <<<>>>@@@;,,,\nTo: "unclosed\nSubject: =?utf-8?b?%%%?=\n\nStill read\n',
        b"From: a@x.org\nDate: yesterday\n\nStill read\n",
        b"From: a@x.org\nSubject: " + b"=?utf-8?q?x?=" * 2_000 + b"\n\nStill read\n",
        b"From: a@x.org\nContent-Type: text/plain; name*0*=x'%%; charset*=\xff\n\nStill read\n",
        b"\xff\xfe" + "From: a@x.org\nSubject: wide\n\nStill read\n".encode("utf-16-le"),
        b"\xef\xbb\xbfFrom: a@x.org\n\nStill read\n",
    ],
)
def test_malformed_messages_are_read_as_far_as_possible(data):
    assert read(data)[1]


def test_a_message_without_anything_is_refused():
    with pytest.raises(UnreadableDocument, match="no text"):
        read(b"\n\n")


def test_dates():
    assert read(b"From: a@x.org\nDate: 2024-01-31T10:00:00Z\n\nx")[0].date == "2024-01-31T10:00:00+00:00"
    assert read(b"From: a@x.org\nDate: 31 Feb 9999 99:99\n\nx")[0].date == "31 Feb 9999 99:99"
    assert read(b"From: a@x.org\n\nx")[0].date == ""
    assert read(b"From: a@x.org\nDate: 12.03.2024 09:05:33 ZE1\n\nx")[0].date == "2024-03-12T09:05:33"
    assert read(b"From: a@x.org\nDate: 31.02.2024 14:05\n\nx")[0].date == "31.02.2024 14:05"


def test_a_message_is_known_by_its_content():
    head = b"MIME-Version: 1.0\nMessage-ID: <1@x>\n" + HEAD + b"\nbody"
    assert read(head, "saved.txt")[0].kind == "email"
    assert read(HEAD + b"\nA memo, not a mail.", "memo.txt")[0].kind == "text"


def test_a_thousand_parts_end_soon():
    parts = b"".join(b"--x\nContent-Type: image/png; name=a%d.png\n\nx\n" % n for n in range(5_000))
    items = list(
        READER.read(b"From: a@x.org\nContent-Type: multipart/mixed; boundary=x\n\n" + parts + b"--x--", "a.eml")
    )
    assert "the rest is left out" in items[1].text
    assert [item.name for item in items[2:] if item.reason] == ["(more parts)"]


LINES = st.sampled_from(
    [b"From: a@x.org", b"MIME-Version: 1.0", b"Content-Type: multipart/alternative; boundary=b", b"--b", b"--b--", b"",
     b"Content-Type: text/html; charset=utf-7", b"Content-Type: message/rfc822", b"Content-Transfer-Encoding: base64",
     b"Content-Transfer-Encoding: quoted-printable", b"=E4=\xff", b"Subject: =?x?q?=FF?=", b"body text", b"\0\xff\xfe",
     b"Content-Type: text/plain; charset=idna", b"Content-Disposition: attachment; filename==?", b" folded",
     b"Content-Type: message/delivery-status", b"Content-Type: multipart/digest; boundary=b", b"begin 644 x"]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(LINES, max_size=25).map(b"\n".join) | st.binary(max_size=200))
def test_no_message_breaks_the_reader(data):
    result = email_message.read(data)
    assert "\0" not in result.text
    (result.text + result.subject + result.sender + result.date).encode("utf-8")


def test_a_header_of_millions_of_characters_is_cut_and_says_so(monkeypatch):
    parsed = []

    def parse(self, name, value):
        parsed.append(len(value))
        return email.policy.EmailPolicy.header_fetch_parse(self, name, value)

    monkeypatch.setattr(email_message._Policy, "header_fetch_parse", parse)
    parsed.append(0)
    to = ",\n ".join(f"Name {n} <a{n}@x.org>" for n in range(100_000))
    outline, text = read(f"From: a@x.org\nSubject: {'word ' * 1_000_000}\nTo: {to}\n\nThe body.\n".encode())
    assert text.endswith("The body.")
    assert text.count("(the rest of this line is not read)") == 2
    assert outline.author == "a@x.org"
    assert max(parsed) < 10_000


def test_what_a_body_in_html_holds_besides_its_text_is_counted():
    body = (
        "<html><body><p title='Seen with the mouse'>The pump stopped.</p><script>run('now')</script>"
        "<!-- draft of Tuesday --><img src='cid:plan'><img src='https://example.org/plan.png'></body></html>"
    )
    mail = email_message.read(f"Subject: x\nContent-Type: text/html; charset=utf-8\n\n{body}".encode())
    counts = {(line.what, line.count, line.where) for line in mail.left_out}
    assert {("tooltip", 1, "mail"), ("script", 1, "mail"), ("comment in the source", 1, "mail")} <= counts
    assert ("picture that is not in the file", 1, "mail") in counts  # that of the part "plan" is handed out


def test_a_remark_behind_the_encoding_and_a_quoted_envelope_line_change_nothing():
    data = (
        b">From a@x.org Tue Mar 12 14:05:33 2024\nReceived: by x\nFrom: a@x.org\nSubject: Limits\nMIME-Version: 1.0\n"
        b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable (as sent)\n\n"
        b"40 =3D four, 48,=  \n200 euros"
    )
    outline, page, *_ = FileReader().read(data, "a.eml")
    assert (outline.title, outline.author) == ("Limits", "a@x.org")
    assert page.text.endswith("40 = four, 48,200 euros")


def test_a_text_that_is_cut_off_within_its_encoding_is_read_as_far_as_it_goes():
    packed = base64.b64encode(b"The last line names the dam.")[:33].decode()
    mail = email_message.read(
        f"From: a@x.org\nMIME-Version: 1.0\nContent-Transfer-Encoding: base64\n\n{packed}".encode()
    )
    assert mail.text.endswith("The last line names the")


def test_a_footer_behind_an_encoded_text_is_read():
    packed = base64.encodebytes("Das Tor blieb zu. 5 Männer.\n".encode()).decode()
    head = "From: a@x.org\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64"
    mail = email_message.read(f"{head}\n\n{packed}\n____\nlist mailing list\n".encode())
    assert mail.text.endswith("Das Tor blieb zu. 5 Männer.\n\n____\nlist mailing list")


def test_a_header_in_the_escapes_of_iso_2022_is_read():
    subject = "会議は中止".encode("iso2022_jp")
    head = b"From: a@x.org\nMIME-Version: 1.0\nContent-Type: text/plain; charset=ISO-2022-JP\nSubject: "
    assert email_message.read(head + subject + b"\n\nx\n").subject == "会議は中止"


def test_a_mail_nested_without_end_is_refused_as_such():
    parts = "core\n"
    for number in range(5_000):
        parts = f"Content-Type: multipart/mixed; boundary=b{number}\n\n--b{number}\n{parts}\n--b{number}--\n"
    with pytest.raises(UnreadableDocument, match="nested in each other too deeply"):
        list(FileReader().read(f"From: a@x.org\nMIME-Version: 1.0\nSubject: x\n{parts}".encode(), "a.eml"))
