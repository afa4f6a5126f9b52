"""Backups of text messages and calls: who wrote what and when, files, and that nothing of an entry is lost."""

from __future__ import annotations

import base64

from core.domain import LeftOut, PageText
from core.engines.readers.dispatch import FileReader
from core.ports import Attachment, Outline

HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes" ?><!--File Created By SMS Backup--><?xml-stylesheet a?>'
INES = 'address="+15550100" contact_name="Ines Varga" subject="null" toa="null"'
SMSES = f"""{HEAD}<smses count="4" backup_date="1710338733000">
  <sms protocol="0" {INES} date="1710252333500" type="1" body="The valve&#10;was open &#55357;&#56832;"
    date_sent="1710252330000"/>
  <sms protocol="0" {INES} date="1710252393000" type="2" body="Who knows?" readable_date="Mar 12"/>
  <sms {INES} date="1710338733000" type="5" body="Call me" mood="odd"/>
  <mms date="1710248733000" date_sent="1710248733" msg_box="1" address="+15550100~+15550199"
    contact_name="Ines Varga, Tom Aske">
    <parts><part seq="-1" ct="application/smil" text="x"/><part ct="text/plain" text="See the &lt;gate&gt;"/>
    <part ct="image/png" cl="gate.png" data="{base64.b64encode(b"picture").decode()}"/>
    <part ct="image/gif" name="b.gif"/></parts>
    <addrs><addr address="+15550100" type="137"/><addr address="+15550199" type="151"/>
    <addr address="+15550111" type="151"/></addrs></mms></smses>""".encode()


def read(data: bytes):
    items = list(FileReader().read(data, "sms.xml"))
    (outline,) = [item for item in items if isinstance(item, Outline)]
    return outline, *([item for item in items if isinstance(item, kind)] for kind in (PageText, Attachment, LeftOut))


def test_a_backup_of_text_messages_is_a_chat_for_each_number_and_a_page_a_day():
    outline, pages, files, left_out = read(SMSES)
    assert (outline.kind, outline.pages, [page.label for page in pages]) == (
        "chat", 3,
        [
            "Ines Varga (+15550100), 2024-03-12", "Ines Varga (+15550100), 2024-03-13",
            "Ines Varga, Tom Aske (+15550100, +15550199), 2024-03-12",
        ],
    )  # fmt: skip
    assert pages[0].text == (
        "Ines Varga (+15550100)\nBackup of 2024-03-13 14:05:33 UTC\n\n"
        "[2024-03-12 14:05:33.500 UTC] Ines Varga: The valve\nwas open 😀\n(sent 2024-03-12 14:05:30 UTC)\n"
        "[2024-03-12 14:06:33 UTC] me: Who knows?"
    )
    assert pages[1].text == "[2024-03-13 14:05:33 UTC] me: Call me\n(sending failed)\n(mood: odd)"
    assert pages[2].text.split("\n\n")[1] == (
        "[2024-03-12 13:05:33 UTC] Ines Varga: See the <gate>\n(attachment: gate.png)\n"
        "(attachment, not in the backup: b.gif)\n(to +15550199, +15550111)"
    )
    assert [(file.name, file.data) for file in files] == [("gate.png", b"picture")]
    assert [(item.what, item.count, item.where) for item in left_out] == [
        ("layout of a picture message", 1, "whole file"),
        ("file of a picture message that is not in the backup", 1, "whole file"),
        ("comment", 2, "whole file"),
        ("technical field", 3, "protocol, readable_date"),
    ]


def test_calls_are_lines_and_other_xml_is_none_of_them():
    call = '<call number="+15550100" duration="12" date="1710252333000" type="3" contact_name="(Unknown)"/>'
    called = call.replace('"3"', '"2"').replace("(Unknown)", "Ines")
    _, (page,), _, _ = read(f"{HEAD}<calls>{called}{call}</calls>".encode())
    assert page.text == (
        "Ines (+15550100)\n\n[2024-03-12 14:05:33 UTC] me: outgoing call, 12 s\n"
        "[2024-03-12 14:05:33 UTC] Ines: missed call, 12 s"
    )
    fields = " ".join(f'a{n}=""' for n in range(600))
    many = f"<smses><sms {fields} body='The gate'/></smses>"
    for body in ("<calls><ring>The gate</ring></calls>", "<!--<smses>--><note>The gate</note>", many):
        outline, (page,), _, _ = read(f"{HEAD}{body}".encode())
        assert (outline.kind, "The gate" in page.text) == ("xml", True)


def test_what_no_message_holds_is_named_and_a_date_that_no_calendar_has_stays():
    beside = '<!--c--><mms date="NaN"><parts><mms body="in it"/></parts></mms>words<other/>'
    _, (page,), _, left_out = read(f'<smses><sms date="253402300800000" body="Late"/>{beside}</smses>'.encode())
    assert page.text == "unknown number\n\nunknown number:\n(date: NaN)\nunknown number: Late\n(date: 253402300800000)"
    assert {(item.what, item.count) for item in left_out} == {
        ("comment", 1), ("entry of the kind mms", 1), ("entry of the kind other", 1), ("text between the entries", 1),
    }  # fmt: skip


def test_a_backup_that_is_cut_off_is_read_up_to_its_last_entry():
    _, pages, _, left_out = read(SMSES[: SMSES.index(b"mood")])
    assert pages[-1].text.endswith("me: Who knows?")
    assert LeftOut("last entry, which is cut off", 1, "whole file") in left_out


def test_a_film_in_a_message_is_a_file():
    film = bytes(8_000_000)
    whole = SMSES.replace(b"cGljdHVyZQ==", base64.b64encode(film))
    _, pages, (file,), _ = read(whole)
    assert (len(pages), file.data == film) == (3, True)
