"""ZIP archives: what they list, hand out and refuse."""

from __future__ import annotations

import io

import openpyxl
import pytest

from core.errors import UnreadableDocument
from core.ports import Attachment
from tests.core.engines.format_material import opendocument, packed
from tests.core.engines.readers.test_mailbox import read


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
