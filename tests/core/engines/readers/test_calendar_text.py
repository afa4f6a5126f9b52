"""Calendars and address cards as lines of text."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import LeftOut, PageText
from core.engines.readers import calendar_text
from core.engines.readers.dispatch import FileReader

EVENT = """BEGIN:VCALENDAR
VERSION:2.0
METHOD:REQUEST
BEGIN:VTIMEZONE
TZID:Europe/Rome
BEGIN:STANDARD
DTSTART:19701025T030000
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
UID:1
DTSTART;TZID=Europe/Rome:20240314T090000
DTEND:20240314T100000Z
SUMMARY:The keys of the dam with the confi
 dential list\\, and the plans
LOCATION:Weir house
ORGANIZER;CN=Ann Berg:mailto:ann@example.org
ATTENDEE;CN="Bo; Lind: guest";PARTSTAT=TENTATIVE:mailto:bo@example.org
DESCRIPTION:Bring the folder\\nand come alone.
RRULE:FREQ=DAILY
X-COLOUR-CODE:crimson
BEGIN:VALARM
TRIGGER:-PT15M
DESCRIPTION:Take the boat
END:VALARM
END:VEVENT
END:VCALENDAR
"""


def test_an_event_is_shown_as_fields_in_the_order_of_a_reader():
    assert calendar_text.calendar(EVENT.replace("\n", "\r\n")) == (
        "Method: REQUEST\n\n"
        "Event: The keys of the dam with the confidential list, and the plans\n"
        "Start: 2024-03-14 09:00 (Europe/Rome)\n"
        "End: 2024-03-14 10:00 UTC\n"
        "Place: Weir house\n"
        "Organizer: Ann Berg <ann@example.org>\n"
        "Attendee: Bo; Lind: guest <bo@example.org> (tentative)\n"
        "Repeats: FREQ=DAILY\n"
        "Description: Bring the folder\nand come alone.\n"
        "Colour code: crimson\n"
        "Reminder\nReminds: -PT15M\nDescription: Take the boat"
    )


def test_several_entries_are_paragraphs_and_a_cut_file_loses_nothing():
    text = calendar_text.calendar("BEGIN:VEVENT\nSUMMARY:One\nEND:VEVENT\nBEGIN:VTODO\nSUMMARY:Two\nDUE:20240301")
    assert text == "Event: One\n\nTask: Two\nDue: 2024-03-01"


def test_a_fold_within_a_character_is_joined_before_decoding():
    data = "BEGIN:VEVENT\r\nSUMMARY:Pr\u00fcfung\r\nEND:VEVENT".encode()
    cut = data.index(b"\xbc")
    folded = data[:cut] + b"\r\n " + data[cut:]
    assert calendar_text.calendar(calendar_text.unfold(folded).decode()) == "Event: Pr\u00fcfung"


def test_a_card_of_each_version_is_read():
    old = (
        "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=4D=C3=BC=6C=6C=65=72;=4A=C3=BC=\r\n"
        "=72=67=65=6E;;;\r\nTEL;CELL:+15550100\r\nEND:VCARD\r\n"
    )
    assert calendar_text.contacts(old) == "Name: M\u00fcller J\u00fcrgen\nPhone (cell): +15550100"
    new = (
        "BEGIN:VCARD\nVERSION:4.0\nFN:Ann Berg\nN:Berg;Ann;;;\nORG:Acme;Valves\n"
        "item1.ADR;TYPE=home:;;Main St 1;Town;;12;\n"
        "BDAY:19700304\nNOTE:one\\, two\\nthree\nEND:VCARD\nBEGIN:VCARD\nFN:Bo\nEND:VCARD"
    )
    assert calendar_text.contacts(new) == (
        "Name: Ann Berg\nOrganization: Acme, Valves\nAddress (home): Main St 1, Town, 12\nBirthday: 1970-03-04\n"
        "Note: one, two\nthree\n\nName: Bo"
    )


def test_files_in_a_card_or_an_event_are_handed_out_and_named():
    packed = base64.b64encode(b"picture" * 20).decode()
    card = f"BEGIN:VCARD\nFN:Ann\nPHOTO;ENCODING=b;TYPE=JPEG:{packed[:60]}\n {packed[60:]}\nEND:VCARD"
    assert calendar_text.embedded_files(card) == [("photo 1.jpg", b"picture" * 20)]
    assert calendar_text.contacts(card) == "Name: Ann\nPicture: a file (140 bytes)"
    event = f"BEGIN:VEVENT\nATTACH;ENCODING=BASE64;VALUE=BINARY;FILENAME=plan.pdf:{packed}\nEND:VEVENT"
    assert calendar_text.embedded_files(event) == [("plan.pdf", b"picture" * 20)]
    assert "Attachment: plan.pdf (140 bytes)" in calendar_text.calendar(event)


@pytest.mark.parametrize("read", [calendar_text.calendar, calendar_text.contacts])
@given(st.data())
@settings(max_examples=100, deadline=None)
def test_every_word_of_a_property_is_in_the_text(read, data):
    kind = "VEVENT" if read is calendar_text.calendar else "VCARD"
    names = ["SUMMARY", "NOTE", "X-OWN", "COMMENT", "TEL;TYPE=home", 'ATTENDEE;CN="x"', "DESCRIPTION", "an odd line"]
    lines = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=12))
    words = [f"word{number}w" for number in range(len(lines))]
    rows = [f"{name}:{word[:3]}\n {word[3:]}" for name, word in zip(lines, words, strict=True)]
    text = read("\n".join([f"BEGIN:{kind}", *rows, f"END:{kind}"]))
    assert [word for word in words if word not in text] == []


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_nothing_breaks_the_reader(text):
    calendar_text.calendar(text)
    calendar_text.contacts("BEGIN:VCARD\nN;ENCODING=QUOTED-PRINTABLE:" + text)
    calendar_text.embedded_files("PHOTO;ENCODING=b:" + text)


EVENTS = (
    "SUMMARY:{w}", "DESCRIPTION:{w}", "DESCRIPTION;ALTREP=\"cid:{w}\":x", "LOCATION;X-TITLE={w}:Room",
    "COMMENT:a\\n{w}", "ATTENDEE;CN={w}:mailto:a@b.c", "ATTENDEE:mailto:{w}@b.c",
    "ATTENDEE;SENT-BY=\"mailto:{w}@x.org\":mailto:a@b.c",
    "ATTENDEE;DELEGATED-TO=\"mailto:{w}@x.org\":mailto:a@b.c", "ATTENDEE;EMAIL={w}@x.org:mailto:a@b.c",
    "ORGANIZER;DIR=\"ldap://{w}\":mailto:a@b.c", "CONFERENCE;LABEL={w}:https://a.b", "ATTACH:https://a.b/{w}",
    "ATTACH;FILENAME={w}.pdf:https://a.b", "CATEGORIES:A,{w}", "GEO:{w}", "X-OWN:{w}", "X-OWN;X-A={w}:", "{w}", "{w};a",
    "X-APPLE-STRUCTURED-LOCATION;X-TITLE={w}:geo:1,2", "DTSTART;TZID={w}:20240301T100000", "SUMMARY;X-A={w}:S",
    "UID:{w}", "X-MS-OLK-SENDER:{w}", "X-MICROSOFT-CDO-OWNER:{w}", "REQUEST-STATUS:2.0;{w}", "SEQUENCE:{w}",
    "TRANSP:{w}",
)  # fmt: skip
CARDS = (
    "FN:{w}", "N:{w};A;;;", "N;SORT-AS={w}:Berg;Ann;;;", "ORG:A;{w}", "TITLE:{w}", "NOTE:a\\n{w}", "TEL;TYPE={w}:1",
    "TEL;X-A={w}:1", "ADR;LABEL={w}:;;a", "ADR:;;{w};;", "item1.X-ABLabel:{w}", "PHOTO;VALUE=uri:https://a.b/{w}.jpg",
    "X-OWN:{w}", "AGENT:{w}", "{w}", "REV:{w}", "UID:{w}", "PRODID:{w}", "X-MS-CARDPICTURE:{w}", "X-APPLE-A:{w}",
    "MAILER:{w}",
)  # fmt: skip
WHOLE = (
    "BEGIN:VCALENDAR\nPRODID:{w}\n", "BEGIN:VCALENDAR\nX-WR-CALNAME:{w}\n", "{w}\nBEGIN:VCALENDAR\n",
    "BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:{w}\nEND:VTIMEZONE\n",
    "BEGIN:VCALENDAR\nBEGIN:VEVENT\nBEGIN:VALARM\nDESCRIPTION:{w}\nEND:VALARM\nEND:VEVENT\n",
    "BEGIN:VCALENDAR\n" + "BEGIN:VEVENT\n" * 25 + "SUMMARY:{w}\n" + "END:VEVENT\n" * 25,
)  # fmt: skip


@pytest.mark.parametrize(
    "data",
    [
        *(f"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:S\n{line}\nEND:VEVENT\nEND:VCALENDAR\n" for line in EVENTS),
        *(f"{head}BEGIN:VEVENT\nSUMMARY:S\nEND:VEVENT\nEND:VCALENDAR\n" for head in WHOLE),
        *(f"BEGIN:VCARD\nVERSION:4.0\nFN:Ann Berg\n{line}\nEND:VCARD\n" for line in CARDS),
    ],
)
def test_a_word_in_each_kind_of_place_is_read_or_its_property_is_named(data):
    _, *items = FileReader().read(data.format(w="quartzword").encode(), "a.ics")
    text = "\n".join(item.text for item in items if isinstance(item, PageText))
    names = ", ".join(item.where for item in items if isinstance(item, LeftOut)).split(", ")
    if "quartzword" not in text:
        (line,) = (line for line in data.splitlines() if "{w}" in line)
        assert line.partition(":")[0].partition(";")[0] in names or "VTIMEZONE" in names
