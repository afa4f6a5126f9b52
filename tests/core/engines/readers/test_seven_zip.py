"""7z archives: what they list, hand out and refuse."""

from __future__ import annotations

import io

import py7zr
import pytest

from core.domain import LeftOut
from core.engines.readers.dispatch import FileReader
from core.errors import PasswordNeeded, UnreadableDocument
from core.ports import Attachment
from tests.core.engines.format_material import contents

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


PLACES = {  # and the line of the ledger that stands for one
    "file": (lambda w: archive({"a.txt": w.encode()}), ""),
    "name": (lambda w: archive({f"{w}.txt": b"x"}), ""),
    "name of an empty file": (lambda w: archive({"a.txt": b"x", w: b""}), ""),
    "file in a file": (lambda w: archive({"a.7z": archive({"b.txt": w.encode()})}), ""),
    "note of a Macintosh": (
        lambda w: archive({"a.txt": b"x", "__MACOSX/._a": w.encode()}),
        "note of a Macintosh on a file",
    ),
    "behind the end": (lambda w: archive() + w.encode(), "data behind the end of the archive"),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_word_in_each_kind_of_place_is_read_or_its_place_is_named(place):
    make, line = PLACES[place]
    text, left_out = contents(make("quartzword"), "files.7z", depth=2)
    assert line in left_out if line else "quartzword" in text


def test_empty_folders_are_named(tmp_path):
    (tmp_path / "none").mkdir()
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "a.txt").write_text("x")
    file = io.BytesIO()
    with py7zr.SevenZipFile(file, "w") as out:
        out.writeall(tmp_path, "d")
    assert read(file.getvalue())[-1] == LeftOut("empty folder", 1, "d/none")
