"""7z archives: what they list, hand out and refuse."""

from __future__ import annotations

import io

import py7zr
import pytest

from core.engines.readers.dispatch import FileReader
from core.errors import PasswordNeeded, UnreadableDocument
from core.ports import Attachment

FILES = {"d/a.txt": b"one", "b.txt": b"two" * 100, "empty": b""}


def archive(files=FILES, **options):
    file = io.BytesIO()
    with py7zr.SevenZipFile(file, "w", **options) as out:
        for name, content in files.items():
            out.writestr(content, name)
    return file.getvalue()


def read(data, password=""):
    return list(FileReader().read(data, "files", password=password))


def test_an_archive_lists_what_it_holds_and_hands_it_out():
    outline, page, *inside = read(archive())
    assert (outline.kind, page.text) == ("zip", "Archive with 3 files\n\nd/a.txt\nb.txt\nempty")
    assert inside == [Attachment(name, content) for name, content in FILES.items()]


@pytest.mark.parametrize("hidden_names", [False, True])
def test_a_password_opens_it(hidden_names):
    data = archive(password="Pässwort", header_encryption=hidden_names)
    for wrong in ("", "no"):
        with pytest.raises(PasswordNeeded):
            read(data, wrong)
    assert read(data, "Pässwort")[2:] == [Attachment(name, content) for name, content in FILES.items()]


def test_a_bomb_and_a_damaged_list_are_refused():
    with pytest.raises(UnreadableDocument, match="unpacks to a size"):
        read(archive({"zeros": b"0" * 20_000_000}))
    with pytest.raises(UnreadableDocument, match="damaged"):
        read(archive()[:60])


def test_damaged_content_is_named_file_by_file():
    data = bytearray(archive())
    data[40] ^= 255
    inside = read(bytes(data))[2:]
    assert [item.name for item in inside] == list(FILES)
    assert inside[0].reason
    assert inside[0].remedy
