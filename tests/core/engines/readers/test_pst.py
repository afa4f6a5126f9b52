"""Mailboxes of Outlook, with objects that answer as the library's do: no program but Outlook writes such files."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate

import pypff
import pytest

from core.domain import LeftOut, PageText
from core.engines.readers import pst
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument
from core.formats import BY_KIND
from core.ports import Attachment, Engines
from core.workbench import Workbench
from core.workers.wire.documents import MAILBOX_CHILDREN_CAP
from tests.core.engines.format_material import contents
from tests.fakes import HashEmbedder


@dataclass
class Entry:
    number: int
    value: object

    def get_entry_type(self):
        return self.number

    def get_value_type(self):
        return {str: 0x1F, list: 0x101F, datetime: 0x40, int: 3}[type(self.value)]

    def get_data(self):
        parts = [text.encode("utf-16-le") for text in self.value]
        places = accumulate(map(len, parts[:-1]), initial=4 + 4 * len(parts))
        return struct.pack(f"<{len(parts) + 1}I", len(parts), *places) + b"".join(parts)

    def get_data_as_string(self):
        return self.value

    get_data_as_datetime = get_data_as_integer = get_data_as_string


@dataclass
class RecordSet:
    entries: list[Entry]

    def get_number_of_entries(self):
        return len(self.entries)

    def get_entry(self, index):
        return self.entries[index]


@dataclass
class Item:
    """What has properties."""

    properties: dict[int, object] = field(default_factory=dict)

    def get_number_of_record_sets(self):
        return 1

    def get_record_set(self, _):
        return RecordSet([Entry(*pair) for pair in self.properties.items()])

    def get_number_of_sub_items(self):
        return 0


@dataclass
class File(Item):
    content: bytes = b""

    def get_size(self):
        return len(self.content)

    def read_buffer(self, size):
        return self.content[:size]


@dataclass
class Recipients:
    people: list[dict[int, object]]

    def get_number_of_recipients(self):
        return len(self.people)

    def get_recipient(self, index):
        return RecordSet([Entry(*pair) for pair in self.people[index].items()])


@dataclass
class Message(Item):
    plain: bytes = b""
    page: bytes = b""
    rich: bytes = b""
    headers: str = ""
    files: list[File] = field(default_factory=list)
    people: list[dict[int, object]] = field(default_factory=list)

    def get_subject(self):
        return self.properties[0x0037]

    def get_plain_text_body(self):
        return self.plain

    def get_html_body(self):
        return self.page

    def get_rtf_body(self):
        if not self.rich:
            raise OSError("no such body")
        return self.rich

    def get_transport_headers(self):
        return self.headers or None

    def get_number_of_attachments(self):
        return len(self.files)

    def get_attachment(self, index):
        return self.files[index]

    @property
    def recipients(self):
        return Recipients(self.people)


@dataclass
class Folder:
    name: str = ""
    messages: list[object] = field(default_factory=list)
    folders: list[object] = field(default_factory=list)
    others: int = 0

    def get_name(self):
        return self.name

    def get_number_of_sub_messages(self):
        return len(self.messages)

    def get_sub_message(self, index):
        if self.messages[index] is None:
            raise OSError("damaged")
        return self.messages[index]

    def get_number_of_sub_folders(self):
        return len(self.folders)

    def get_sub_folder(self, index):
        return self.folders[index]

    def get_number_of_sub_items(self):
        return len(self.messages) + len(self.folders) + self.others


@dataclass
class Store:
    root: Folder
    orphans: list[Message] = field(default_factory=list)

    def open_file_object(self, file):
        assert (file.read(4),) == BY_KIND["pst"].starts

    def get_root_folder(self):
        return self.root

    def get_number_of_orphan_items(self):
        return len(self.orphans)

    def get_orphan_item(self, index):
        return self.orphans[index]


def test_the_objects_here_answer_what_those_of_the_library_are_asked():
    pairs = ((Store, pypff.file), (Folder, pypff.folder), (Message, pypff.message), (File, pypff.attachment))
    pairs += ((Entry, pypff.record_entry), (RecordSet, pypff.record_set), (Recipients, pypff.recipients))
    for fake, real in pairs:
        names = [name for name in vars(fake) if not name.startswith("_") and callable(getattr(fake, name))]
        assert names
        assert [name for name in names if not hasattr(real, name)] == []
    assert not hasattr(pypff.item, "get_subject")
    assert hasattr(pypff.message, "recipients")


def read(monkeypatch, store: Store) -> tuple[PageText, list[Attachment], list[LeftOut]]:
    monkeypatch.setattr(pypff, "file", lambda: store)
    _, page, *rest = FileReader().read(b"!BDN" + b"\0" * 600, "old.pst")
    inside = [item for item in rest if isinstance(item, Attachment)]
    return page, inside, [item for item in rest if isinstance(item, LeftOut)]


PUMP = Message(
    {0x0037: "\x01\x05RE: The pump", 0x0C1A: "Ann", 0x0C1F: "ann@x.org", 0x0039: datetime(2024, 3, 5, 8)},
    plain=b"It stopped at 02:14.",
    files=[File({0x3707: "log.txt"}, b"one"), File({0x3001: "Fwd", 0x3705: 5})],
    people=[{0x3001: "Bo", 0x39FE: "bo@x.org", 0x0C15: 1}, {0x3001: "Cy", 0x3003: "cy@x.org", 0x0C15: 2}],
)


def mailbox(*messages: object, others: int = 0) -> Store:
    project = Folder("Project", list(messages), others=others)
    inbox = Folder("Inbox", [], [project])
    return Store(Folder(folders=[Folder("Top of Personal Folders", [], [inbox])]))


def test_each_entry_is_a_mail_named_by_its_folders_with_its_files_in_it(monkeypatch):
    page, (mail,), _ = read(monkeypatch, mailbox(PUMP))
    assert page.text == "Outlook mailbox with 1 entry\nInbox/Project: 1"
    assert mail.name == "Inbox/Project/RE: The pump.eml"
    outline, text, *inside = FileReader().read(mail.data, mail.name)
    assert (outline.kind, outline.title, outline.date) == ("email", "RE: The pump", "2024-03-05T08:00:00+00:00")
    assert text.text.startswith(
        "From: Ann <ann@x.org>\nTo: Bo <bo@x.org>\nCc: Cy <cy@x.org>\nDate: Tue, 05 Mar 2024 08:00:00 +0000\n"
        "Subject: RE: The pump\nFolder: Inbox/Project\n\nIt stopped at 02:14."
    )
    assert [(item.name, item.data) for item in inside] == [("log.txt", b"one"), ("Fwd", b"")]
    assert inside[1].reason
    assert read(monkeypatch, mailbox(PUMP))[1] == [mail], "the same entry gives the same bytes"


def test_every_form_of_body_is_read(monkeypatch):
    forms = (
        Message({0x0037: "a", 0x3FDE: 1252}, page="<p>Zur Prüfung</p>".encode("cp1252")),
        Message({0x0037: "b"}, rich=rb"{\rtf1\ansi Zur Pr\'fcfung\par}"),
        Message({0x0037: "c"}, plain="Zur Prüfung".encode(), headers="Subject: d\r\nContent-Type: text/x\r\n"),
    )
    for mail in read(monkeypatch, mailbox(*forms))[1]:
        assert (
            "Zur Prüfung"
            in next(item for item in FileReader().read(mail.data, mail.name) if isinstance(item, PageText)).text
        )


def test_what_is_damaged_or_no_mail_is_named(monkeypatch):
    store = mailbox(PUMP, None, Item(), others=3)
    store.orphans.append(Message({0x0037: "Gone"}, plain=b"Deleted words"))
    page, inside, left_out = read(monkeypatch, store)
    assert [(item.name, bool(item.reason)) for item in inside] == [
        ("Inbox/Project/RE: The pump.eml", False),
        ("Inbox/Project/without subject.eml", True),
        ("(deleted entries)/Gone.eml", False),
    ]
    assert left_out == [LeftOut("settings entry of Outlook", 4, "mailbox")]
    assert "(deleted entries): 1" in page.text


def test_the_fields_of_other_entries_are_read(monkeypatch):
    entry = Message(
        {0x0037: "Bo", 0x001A: "IPM.Contact", 0x3A16: "Weir Co", 0x8021: "Room 5", 0x8004: datetime(2024, 3, 5, 8)}
    )
    (mail,) = read(monkeypatch, mailbox(entry))[1]
    text = list(FileReader().read(mail.data, mail.name))[1].text
    assert "Organization: Weir Co\nField: Room 5\nTime: 2024-03-05 08:00 UTC" in text


def test_the_mails_of_a_large_mailbox_are_all_added(monkeypatch, tmp_path):
    count = 2_300  # more than is taken out of any other file
    messages = [Message({0x0037: f"n{number}"}, plain=f"Statement {number}".encode()) for number in range(count)]
    assert len(read(monkeypatch, mailbox(*messages))[1]) == count
    assert pst.MESSAGES < MAILBOX_CHILDREN_CAP
    monkeypatch.setattr("core.documents.importing._FILES_INSIDE", 1)
    (tmp_path / "old.pst").write_bytes(b"!BDN" + b"\0" * 600)
    monkeypatch.setattr(pypff, "file", lambda: mailbox(*messages[:4]))
    with Workbench.create(tmp_path / "case.disconfirm", Engines(FileReader(), HashEmbedder()), title="Pump") as bench:
        report = bench.documents.add([tmp_path / "old.pst"])
    names = [(item.name, item.status) for item in report.documents]
    assert len([1 for name, status in names if status in ("added", "near_duplicate")]) == 5
    assert names[1][0] == "old.pst/Inbox/Project/n0.eml"


def test_a_damaged_file_is_refused():
    with pytest.raises(UnreadableDocument, match="damaged"):
        list(FileReader().read(b"!BDN" + struct.pack("<200I", *range(200)), "old.pst"))


def entry(properties: dict[int, object] | None = None, **parts: object) -> Store:
    return mailbox(Message({0x0037: "x", **(properties or {})}, **{"plain": b"x", **parts}))


CONTACT, VISIT = {0x001A: "IPM.Contact"}, {0x001A: "IPM.Appointment"}
PLACES = {
    "folder": lambda w: Store(Folder(folders=[Folder(w, [PUMP])])),
    "folder in a folder": lambda w: Store(
        Folder(folders=[Folder("Top of Personal Folders", [], [Folder("In", [], [Folder(w, [PUMP])])])])
    ),
    "deleted entry": lambda w: Store(Folder(), [Message({0x0037: "x"}, plain=w.encode())]),
    "subject": lambda w: entry({0x0037: w}),
    "plain body": lambda w: entry(plain=f"See {w}.".encode()),
    "page": lambda w: entry(plain=b"", page=f"<p>See {w}.</p>".encode()),
    "page beside a plain body": lambda w: entry(plain=b"All.", page=f"<p>All.</p><p>{w}</p>".encode()),
    "plain body beside a page": lambda w: entry(plain=f"All.\n\n{w}".encode(), page=b"<p>All.</p>"),
    "rich text": lambda w: entry(plain=b"", rich=rb"{\rtf1\ansi " + w.encode() + rb"\par}"),
    "header": lambda w: entry(headers=f"Subject: {w}\r\n"),
    "sender": lambda w: entry({0x0C1A: w}),
    "author of what another sent": lambda w: entry({0x0C1A: "Ann", 0x0042: w}),
    "receiver": lambda w: entry(people=[{0x3001: w, 0x39FE: "b@x.org", 0x0C15: 1}]),
    "receiver of a copy": lambda w: entry(people=[{0x3001: w, 0x39FE: "b@x.org", 0x0C15: 2}]),
    "receiver of a blind copy": lambda w: entry(people=[{0x3001: w, 0x39FE: "b@x.org", 0x0C15: 3}]),
    "receiver of answers": lambda w: entry({0x0050: w}),
    "category": lambda w: entry({0x8011: ["Dam", w]}),
    "field of a contact": lambda w: entry({**CONTACT, 0x3A16: w}),
    "field of its own": lambda w: entry({**VISIT, 0x8021: w}),
    "list of its own": lambda w: entry({**VISIT, 0x8021: [w, "Dam"]}),
    "name of a file": lambda w: entry(files=[File({0x3707: f"{w}.txt"}, b"one")]),
    "file": lambda w: entry(files=[File({0x3707: "a.txt"}, f"See {w}.".encode())]),
    "file without contents": lambda w: entry(files=[File({0x3707: f"{w}.bin"})]),
    "damaged entry": lambda w: mailbox(PUMP, None, PUMP),
    "settings": lambda w: mailbox(PUMP, others=1),
}
NAMED = {"damaged entry": "is damaged", "settings": ""}  # places whose words cannot be had


@pytest.mark.parametrize("place", PLACES)
def test_a_word_in_each_kind_of_place_is_read_or_its_place_is_named(monkeypatch, place):
    monkeypatch.setattr(pypff, "file", lambda: PLACES[place]("quartzword"))
    text, left_out = contents(b"!BDN" + b"\0" * 600, "old.pst", depth=2)
    assert NAMED.get(place, "quartzword") in text
    assert (place == "settings") is ("settings entry of Outlook" in left_out)
