"""7z archives: what they list, hand out and refuse."""

from __future__ import annotations

import contextlib
import hashlib
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


@pytest.fixture
def quick_keys(monkeypatch):
    """Make a key of a password at once, not in half a million rounds."""

    def key(password, cycles, salt, digest):
        return hashlib.sha256(password + salt).digest()

    monkeypatch.setattr("py7zr.compressor.calculate_key", key)


WAYS = {
    "not packed": [],
    "deflate": [{"id": py7zr.FILTER_DEFLATE}],
    "bzip2": [{"id": py7zr.FILTER_BZIP2}],
    "lzma": [{"id": py7zr.FILTER_LZMA2, "preset": 1}],
    "zstd": [{"id": py7zr.FILTER_ZSTD}],
}
AES = {"id": py7zr.FILTER_CRYPTO_AES256_SHA256}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("files", [FILES, {"empty": b"", "small.txt": b"four"}])
def test_of_300_wrong_passwords_none_opens_it(quick_keys, way, files):
    data = archive(files, password="right", filters=[*WAYS[way], AES])
    opened = []
    for number in range(300):
        with contextlib.suppress(PasswordNeeded):
            opened.append(read(data, f"wrong {number}"))
    assert opened == []
    assert [item.data for item in read(data, "right")[2:]] == list(files.values())


def streams(files, *, filters):
    """An archive in which each file is packed by itself."""
    file = io.BytesIO()
    for number, (name, content) in enumerate(files.items()):
        file.seek(0)
        with py7zr.SevenZipFile(file, "a" if number else "w", password="right", filters=filters) as out:
            out.writestr(content, name)
    return file.getvalue()


@pytest.mark.parametrize(("place", "name"), [(40, "a.txt"), (32 + 480 + 40, "b.txt")])
def test_a_damaged_file_is_no_wrong_password_where_another_opens(quick_keys, place, name):
    data = bytearray(streams({"a.txt": b"a" * 480, "b.txt": b"b" * 480, "c.txt": b"c" * 480}, filters=[AES]))
    data[place] ^= 255
    inside = read(bytes(data), "right")[2:]
    assert [item.name for item in inside if "damaged" in item.reason] == [name]
    assert [len(item.data) for item in inside if not item.reason] == [480, 480]


def test_what_has_a_password_but_no_checksum_is_not_handed_out(quick_keys, monkeypatch):
    data = archive({"a.txt": b"words"}, password="right", filters=[AES])
    monkeypatch.setattr(py7zr.py7zr.ArchiveFile, "crc32", None)
    for word in ("right", "wrong"):
        with pytest.raises(PasswordNeeded):
            read(data, word)


def test_an_empty_file_between_others_does_not_move_their_names(quick_keys):
    names = ("a", "empty", "b", "c", "d")
    data = streams({name: b"" if name == "empty" else name.encode() * 40 for name in names}, filters=[AES])
    assert [(item.name, item.data[:1]) for item in read(data, "right")[2:]] == [
        (name, b"" if name == "empty" else name.encode()) for name in names
    ]


@pytest.mark.parametrize("names", [("a.txt", "a.txt"), ("a/b.txt", "a/./b.txt"), ("a/b.txt", "../a/b.txt")])
def test_two_names_that_are_or_mean_one_are_two_files(monkeypatch, names):
    data = archive({"0": b"first", "1": b"other"})
    stored = py7zr.py7zr.ArchiveFile.filename.fget
    monkeypatch.setattr(py7zr.py7zr.ArchiveFile, "filename", property(lambda entry: names[int(stored(entry))]))
    inside = read(data)[2:]
    assert [item.data for item in inside] == [b"first", b"other"]
    assert inside[0].name == names[0]


def test_a_link_says_where_it_points(tmp_path):
    (tmp_path / "place.txt").write_text("x")
    (tmp_path / "link").symlink_to("place.txt")
    file = io.BytesIO()
    with py7zr.SevenZipFile(file, "w") as out:
        out.write(tmp_path / "link", "link")
    assert "link to place.txt" in read(file.getvalue())[2].reason


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
