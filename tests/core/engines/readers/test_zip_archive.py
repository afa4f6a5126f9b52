"""ZIP archives: what they list, hand out and refuse."""

from __future__ import annotations

import contextlib
import io
import struct
import zipfile
import zlib

import openpyxl
import pytest
import pyzipper
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import LeftOut
from core.engines.readers.dispatch import FileReader
from core.errors import PasswordNeeded, UnreadableDocument
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


def test_empty_folders_and_notes_of_a_macintosh_are_named():
    names = ("a/", "a/b.txt", "c/", "c/d/", "__MACOSX/", "__MACOSX/._a", "x/.DS_Store")
    lines = [
        item for item in FileReader().read(packed(dict.fromkeys(names, b"x")), "a.zip") if isinstance(item, LeftOut)
    ]
    assert lines == [LeftOut("empty folder", 1, "c/d/"), LeftOut("note of a Macintosh on a file", 2, "archive")]


@settings(max_examples=20, deadline=None)
@given(
    st.dictionaries(st.from_regex(r"[a-z]{1,8}(/[a-z]{1,8})?\.txt", fullmatch=True), st.text("uvwxyz ", max_size=9)),
    st.text("uvwxyz", max_size=9),
)
def test_every_name_text_and_remark_of_an_archive_is_read(remarks, remark):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as package:
        package.comment = remark.encode()
        for name, words in {"first.txt": "", **remarks}.items():
            entry = zipfile.ZipInfo(name)
            entry.comment = words.encode()
            package.writestr(entry, f"text of {name}")
    _, (page,), files = read(made.getvalue(), "a.zip")
    lines = page.text.split("\n\n" if remark else "\n")
    assert not remark or lines[1] == remark
    for name, words in remarks.items():
        said = " ".join(words.split())
        assert (f"{name} ({said})" if said else name) in page.text
    assert [(file.name, file.data) for file in files] == [
        (name, f"text of {name}".encode()) for name in {"first.txt": "", **remarks}
    ]


def test_names_of_other_code_pages_are_read_as_meant():
    data = packed({"Gru.txt": b"x"}).replace(b"Gru.txt", "Grü.tx".encode())
    assert read(data, "a.zip")[2][0].name == "Grü.tx"


def test_a_locked_file_and_a_link_are_named_with_the_reason_and_the_others_are_read():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("locked.txt", b"x")
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("open.txt", b"open")
        archive.writestr("wrong.txt", b"right")
    data = bytearray(file.getvalue())
    for mark, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        place = data.index(mark) + offset
        data[place : place + 2] = struct.pack("<H", 1)
    data[data.index(b"right") : data.index(b"right") + 5] = b"wrong"
    inside = read(bytes(data), "a.zip")[2]
    assert [(item.name, item.data) for item in inside] == [
        ("locked.txt", b""), ("link", b""), ("open.txt", b"open"), ("wrong.txt", b""),
    ]  # fmt: skip
    assert [
        "password" in inside[0].reason,
        "link to /etc/passwd" in inside[1].reason,
        "damaged" in inside[3].reason,
    ] == [True] * 3
    assert all(item.remedy for item in inside if item.reason)


def test_bombs_are_refused_before_they_are_unpacked():
    bomb = packed({"zeros": b"\0" * 20_000_000})
    with pytest.raises(UnreadableDocument, match="unpacks") as caught:
        read(bomb, "a.zip")
    assert "unpack it" in caught.value.hint


def test_a_doubled_name_is_two_files():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("dup.txt", b"first")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("dup.txt", b"second")
    inside = read(file.getvalue(), "a.zip")[2]
    assert inside == [Attachment("dup.txt", b"first"), Attachment("dup (2).txt", b"second")]


@pytest.mark.parametrize("strong", [False, True])
def test_a_password_opens_both_kinds_of_encryption(strong):
    data = locked_zip(strong=strong)
    for wrong in ("", "no"):
        with pytest.raises(PasswordNeeded):
            read_with(data, "a.zip", wrong)
    assert read_with(data, "a.zip", "Pässwort")[2:] == [Attachment("a.txt", b"secret"), Attachment("b.txt", b"two")]


@pytest.mark.parametrize("strong", [False, True])
@pytest.mark.parametrize(
    "files",
    [
        {"empty.txt": b"", "a.txt": b"some words", "b.txt": b"two"},
        {"a.txt": b"y", "b.txt": b"z"},
        {"a.txt": b"y", "b.txt": b"words " * 50},
    ],
)
def test_of_300_wrong_passwords_none_opens_it(strong, files):
    data = locked_zip(files, strong=strong)
    opened = []
    for number in range(300):
        with contextlib.suppress(PasswordNeeded):
            opened.append(read_with(data, "a.zip", f"wrong {number}"))
    assert opened == []
    assert [item.data for item in read_with(data, "a.zip", "Pässwort")[2:]] == list(files.values())


@pytest.mark.parametrize("strong", [False, True])
@pytest.mark.parametrize("name", ["a.txt", "b.txt"])
def test_a_damaged_file_is_no_wrong_password_where_another_opens(strong, name):
    files = {"a.txt": b"some words", "b.txt": b"longer words"}
    data = bytearray(locked_zip(files, strong=strong))
    data[data.index(b"PK\1\2" if name == "b.txt" else b"PK\3\4", 4) - 12] ^= 1
    inside = read_with(bytes(data), "a.zip", "Pässwort")[2:]
    assert [item.name for item in inside if "damaged, or has another password" in item.reason] == [name]
    assert [item.data for item in inside if not item.reason] == [files[other] for other in files if other != name]


def locked_zip(files=None, *, strong):
    files = {"a.txt": b"secret", "b.txt": b"two"} if files is None else files
    file = io.BytesIO()
    if strong:
        with pyzipper.AESZipFile(file, "w", encryption=pyzipper.WZ_AES) as archive:
            archive.setpassword("Pässwort".encode())
            for name, content in files.items():
                archive.writestr(name, content)
        return file.getvalue()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, b"\0" * 12 + content)
    data = bytearray(file.getvalue())
    place, central = 0, data.index(b"PK\1\2")
    for name, content in files.items():
        check = zlib.crc32(content)
        plain = b"\0" * 11 + bytes([check >> 24]) + content
        start = place + 30 + len(name)
        data[start : start + len(plain)] = zip_crypto(plain, "Pässwort".encode())
        for header, flag in ((place, 6), (central, 8)):
            struct.pack_into("<H", data, header + flag, 1)
            struct.pack_into("<III", data, header + flag + 8, check, len(plain), len(content))
        place, central = start + len(plain), central + 46 + len(name)
    return bytes(data)


def zip_crypto(plain, key):
    """Encrypt as PKZIP 2.0 does (its application note, section 6.1)."""
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ 0xEDB88320 if byte & 1 else byte >> 1
        table.append(byte)
    keys = [0x12345678, 0x23456789, 0x34567890]

    def update(byte):
        keys[0] = keys[0] >> 8 ^ table[(keys[0] ^ byte) & 255]
        keys[1] = ((keys[1] + (keys[0] & 255)) * 134775813 + 1) & 0xFFFFFFFF
        keys[2] = keys[2] >> 8 ^ table[(keys[2] ^ keys[1] >> 24) & 255]

    for byte in key:
        update(byte)
    out = bytearray()
    for byte in plain:
        mask = (keys[2] | 2) & 0xFFFF
        out.append(byte ^ (mask * (mask ^ 1) >> 8 & 255))
        update(byte)
    return bytes(out)


def read_with(data, name, password):
    return list(FileReader().read(data, name, password=password))


def test_a_way_of_packing_that_is_not_known_is_named():
    data = bytearray(packed({"a.txt": b"x", "b.txt": b"y"}))
    for mark, offset in ((b"PK\3\4", 8), (b"PK\1\2", 10)):
        place = data.index(mark) + offset
        data[place : place + 2] = b"\x62\0"
    first, second = read(bytes(data), "a.zip")[2]
    assert ("method 98" in first.reason, second.data) == (True, b"y")


def test_names_of_russian_and_japanese_archives():
    for charset, name in (("cp866", "Отчёт.txt"), ("cp932", "会議の記録.txt"), ("cp437", "Grüße.txt")):
        raw = name.encode(charset)
        data = packed({"n" * len(raw): b"x"}).replace(b"n" * len(raw), raw)
        assert read(data, "a.zip")[2][0].name == name
