"""Files that open with a password only: asked for, tried, and what it opens is read like any other file."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import docx
import msoffcrypto
import openpyxl
import pytest
from msoffcrypto.format.ooxml import OOXMLFile

from core.apart import RemoteReader
from core.engines.reader import FileReader
from core.errors import PasswordNeeded, UnreadableDocument

READER = FileReader()


def word(text: str) -> bytes:
    document = docx.Document()
    document.add_heading("The dam", 1)
    document.add_paragraph(text)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def book() -> bytes:
    made = openpyxl.Workbook()
    made.active.append(["pump", 31])
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def locked(data: bytes, password: str) -> bytes:
    out = io.BytesIO()
    OOXMLFile(io.BytesIO(data)).encrypt(password, out)
    return out.getvalue()


@pytest.mark.parametrize(("data", "name"), [(word("It broke."), "a.docx"), (book(), "a.xlsx"), (word("It"), "a.bin")])
def test_an_office_file_is_read_with_its_password(data, name):
    protected = locked(data, "pässword 1")
    with pytest.raises(PasswordNeeded) as caught:
        list(READER.read(protected, name))
    assert caught.value.sentence == f"{name} is protected by a password."
    with pytest.raises(PasswordNeeded, match="not the one that was given"):
        list(READER.read(protected, name, password="wrong"))
    items = list(READER.read(protected, name, password="pässword 1"))
    assert items == list(READER.read(data, name))


def test_the_child_reads_it_too():
    reader = RemoteReader()
    try:
        protected = locked(word("It broke."), "secret")
        with pytest.raises(PasswordNeeded):
            list(reader.read(protected, "a.docx"))
        items = list(reader.read(protected, "a.docx", password="secret"))
    finally:
        reader.close()
    assert items[1].text == "The dam\n\nIt broke."
    assert [section.title for section in items[1].sections] == ["The dam"]


def test_what_is_damaged_or_holds_no_document_says_so():
    protected = locked(word("It broke."), "secret")
    for broken in (
        protected[: len(protected) // 2],
        protected[:600],
        protected.replace(b"<encryption", b"<encreption"),
    ):
        with pytest.raises(UnreadableDocument) as caught:
            list(READER.read(broken, "a.docx", password="secret"))
        assert caught.value.hint.endswith(".")
    nothing = io.BytesIO()
    file = OOXMLFile(io.BytesIO(word("x")))
    file.file = io.BytesIO(b"just some bytes that are no document " * 200)
    file.encrypt("secret", nothing)
    with pytest.raises(UnreadableDocument, match="no document in it"):
        list(READER.read(nothing.getvalue(), "a.docx", password="secret"))
    twice = locked(word("x"), "secret")
    file = OOXMLFile(io.BytesIO(word("x")))
    file.file = io.BytesIO(twice)
    out = io.BytesIO()
    file.encrypt("secret", out)
    with pytest.raises(UnreadableDocument, match="no document in it"):
        list(READER.read(out.getvalue(), "a.docx", password="secret"))


def test_the_library_still_opens_what_it_makes():
    file = msoffcrypto.OfficeFile(io.BytesIO(locked(word("x"), "secret")))
    assert file.is_encrypted()


# --- archives --------------------------------------------------------------------------------------------------------


def _table() -> list[int]:
    made = []
    for number in range(256):
        for _ in range(8):
            number = (number >> 1) ^ 0xEDB88320 if number & 1 else number >> 1
        made.append(number)
    return made


_CRC = _table()


def _encrypted(data: bytes, password: bytes, check: int) -> bytes:
    """The old encryption of ZIP archives, by the description in APPNOTE.TXT 6.1."""
    keys = [0x12345678, 0x23456789, 0x34567890]

    def update(byte: int) -> None:
        keys[0] = (keys[0] >> 8) ^ _CRC[(keys[0] ^ byte) & 0xFF]
        keys[1] = ((keys[1] + (keys[0] & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        keys[2] = (keys[2] >> 8) ^ _CRC[(keys[2] ^ keys[1] >> 24) & 0xFF]

    for byte in password:
        update(byte)
    out = bytearray()
    for byte in bytes(11) + bytes([check]) + data:
        mixed = keys[2] | 2
        out.append(byte ^ ((mixed * (mixed ^ 1)) >> 8 & 0xFF))
        update(byte)
    return bytes(out)


def archive(files: dict[str, bytes], password: bytes, protected: set[str], method: int = 0) -> bytes:
    """An archive made by hand, because the library writes no protected ones; ``method`` 99 says AES."""
    out, directory = bytearray(), bytearray()
    for name, data in files.items():
        crc, flags = zlib.crc32(data), int(name in protected)
        body = _encrypted(data, password, crc >> 24) if name in protected else data
        way = method if name in protected else 0
        told = struct.pack("<HHHHHIIIHH", 20, flags, way, 0, 0x21, crc, len(body), len(data), len(name), 0)
        directory += b"PK\1\2" + struct.pack("<H", 20) + told + struct.pack("<HHHII", 0, 0, 0, 0, len(out))
        directory += name.encode()
        out += b"PK\3\4" + told + name.encode() + body
    end = struct.pack("<HHHHIIH", 0, 0, len(files), len(files), len(directory), len(out), 0)
    return bytes(out + directory + b"PK\5\6" + end)


FILES = {"a.txt": b"The pump stopped.", "b.txt": b"Nobody had touched it." * 50}


def test_the_archive_made_by_hand_is_one():
    with zipfile.ZipFile(io.BytesIO(archive(FILES, b"secret", set(FILES)))) as made:
        assert {name: made.read(name, pwd=b"secret") for name in made.namelist()} == FILES


def test_a_protected_archive_asks_for_its_password_and_opens_with_it():
    data = archive(FILES, "gehäim".encode(), set(FILES))
    with pytest.raises(PasswordNeeded) as caught:
        list(READER.read(data, "a.zip"))
    assert caught.value.sentence == "a.zip is protected by a password."
    with pytest.raises(PasswordNeeded, match="not the one"):
        list(READER.read(data, "a.zip", password="wrong"))
    _, _, *inside = READER.read(data, "a.zip", password="gehäim")
    assert {each.name: each.data for each in inside} == FILES


def test_an_archive_with_one_protected_file_gives_the_others_and_all_with_the_password():
    data = archive(FILES, b"secret", {"a.txt"})
    _, _, first, second = READER.read(data, "a.zip")
    assert (first.data, "password" in first.reason, second.data) == (b"", True, FILES["b.txt"])
    _, _, *inside = READER.read(data, "a.zip", password="secret")
    assert {each.name: each.data for each in inside} == FILES


def test_the_strong_way_is_refused_with_what_to_do():
    data = archive(FILES, b"secret", {"a.txt", "b.txt"}, method=99)
    for password in ("", "secret"):
        _, _, first, second = READER.read(data, "a.zip", password=password)
        for each in (first, second):
            assert "AES" in each.reason
            assert each.remedy == "Unpack it with its password, and add the file."
