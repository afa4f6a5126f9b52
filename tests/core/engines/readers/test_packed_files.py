"""Tar archives and packed files: what they list, hand out and refuse."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import LeftOut, PageText
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument
from core.ports import Attachment
from tests.core.engines.format_material import contents

PLAIN, LINK, DEVICE = tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.CHRTYPE


def tar(members, mode="w"):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:
        for name, content, kind in members:
            info = tarfile.TarInfo(name)
            info.type, info.size, info.linkname = kind, len(content), "/etc/passwd" if kind == LINK else ""
            archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


def read(data, name="a.tar"):
    _, *items = FileReader().read(data, name)
    return (
        "".join(item.text for item in items if isinstance(item, PageText)),
        [item for item in items if isinstance(item, Attachment)],
        [item for item in items if isinstance(item, LeftOut)],
    )


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_a_tar_archive_hands_out_its_files_however_it_is_packed(pack):
    members = [
        ("d/a.txt", b"one", PLAIN),
        ("d/a.txt", b"two", PLAIN),
        ("../../x", b"3", PLAIN),
        ("l", b"", LINK),
        ("v", b"", DEVICE),
    ]
    text, inside, left_out = read(pack(tar(members)), "files")
    assert text == "Archive with 5 files\n\nd/a.txt\nd/a.txt\n../../x\nl\nv"
    assert [(item.name, item.data) for item in inside] == [
        ("d/a.txt", b"one"),
        ("d/a (2).txt", b"two"),
        ("x", b"3"),
        ("l", b""),
        ("v", b""),
    ]
    assert ["link to /etc/passwd" in inside[3].reason, "device" in inside[4].reason, left_out] == [True, True, []]


def test_a_packed_file_has_its_own_name():
    named = io.BytesIO()
    with gzip.GzipFile("report.txt", "wb", fileobj=named) as file:
        file.write(b"words")
    assert read(named.getvalue(), "x.gz")[1] == [Attachment("report.txt", b"words")]
    assert read(bz2.compress(b"a,b"), "n.csv.bz2")[1] == [Attachment("n.csv", b"a,b")]
    assert read(gzip.compress(b"a") + gzip.compress(b"b"), "ab.txt.gz")[1] == [Attachment("ab.txt", b"ab")]


def test_what_is_cut_off_is_read_as_far_as_it_goes_and_named():
    data = tar([("a.txt", b"one", PLAIN), ("b.txt", b"x" * 3_000, PLAIN)])
    _, inside, _ = read(data[:2_000])
    assert [(item.name, item.data, bool(item.reason)) for item in inside] == [
        ("a.txt", b"one", False),
        ("b.txt", b"", True),
    ]
    _, inside, left_out = read(gzip.compress(b"The pump stopped. " * 50)[:-12], "h.txt.gz")
    assert inside[0].data.startswith(b"The pump")
    assert left_out == [LeftOut("damaged rest of the packed file", 1, "h.txt")]
    assert read(b"\x1f\x8b\x08", "h.txt.gz")[2] == left_out


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_bombs_are_refused(pack):
    with pytest.raises(UnreadableDocument, match="unpacks to a size"):
        read(pack(b"0" * 12_000_000), "a.gz")


NAMES = st.lists(st.from_regex(r"[a-z]{3,8}/[a-z]{3,8}\.txt", fullmatch=True), min_size=1, max_size=5, unique=True)


@given(NAMES, st.sampled_from([bytes, gzip.compress]))
def test_every_file_is_listed_and_handed_out(names, pack):
    text, inside, _ = read(pack(tar([(name, name.encode(), PLAIN) for name in names])))
    assert text.split("\n")[2:] == names
    assert inside == [Attachment(name, name.encode()) for name in names]


def tar_of(name: str, content: bytes = b"", comment: str = "", **fields: object) -> bytes:
    """An archive with a file, and an entry with these fields."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", pax_headers={"comment": comment} if comment else {}) as archive:
        archive.addfile(tarfile.TarInfo("d/first.txt"), io.BytesIO())
        info = tarfile.TarInfo(name)
        info.size = len(content)
        for field, value in fields.items():
            setattr(info, field, value)
        archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


def gzip_of(flags: int, words: bytes) -> bytes:
    return b"\x1f\x8b\x08" + bytes([flags]) + bytes(6) + words + gzip.compress(b"hello")[10:]


NOTE, BEHIND, DAMAGED = (
    "note of a Macintosh on a file",
    "data behind the end of the archive",
    "damaged rest of the packed file",
)
PLACES = {  # and the line of the ledger that stands for one
    "file": (lambda w: tar_of("a.txt", w.encode()), ""),
    "name": (lambda w: tar_of(f"{w}.txt"), ""),
    "name of a folder": (lambda w: tar_of(f"{w}/a.txt"), ""),
    "empty folder": (lambda w: tar_of(w, type=tarfile.DIRTYPE), "empty folder"),
    "target of a link": (lambda w: tar_of("a", type=LINK, linkname=w), ""),
    "target of a hard link": (lambda w: tar_of("a", type=tarfile.LNKTYPE, linkname=w), ""),
    "device": (lambda w: tar_of(w, type=DEVICE), ""),
    "remark on a file": (lambda w: tar_of("a", pax_headers={"comment": w}), ""),
    "remark on the archive": (lambda w: tar_of("a", comment=w), ""),
    "note of a Macintosh": (lambda w: tar_of("._a", w.encode()), NOTE),
    "behind the end": (lambda w: tar_of("a") + w.encode(), BEHIND),
    "another archive behind it": (lambda w: tar_of("a") + tar_of(w), BEHIND),
    "packed file": (lambda w: gzip.compress(w.encode()), ""),
    "second part": (lambda w: bz2.compress(b"x") + bz2.compress(w.encode()), ""),
    "name of a packed file": (lambda w: gzip_of(8, w.encode() + b"\0"), ""),
    "remark on a packed file": (lambda w: gzip_of(24, b"a.txt\0" + w.encode() + b"\0"), ""),
    "behind a packed file": (lambda w: gzip.compress(b"x") + w.encode(), DAMAGED),
    "end of a packed file that is cut off": (lambda w: gzip.compress(b"x" * 99 + w.encode())[:-20], DAMAGED),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_word_in_each_kind_of_place_is_read_or_its_place_is_named(place):
    make, line = PLACES[place]
    text, left_out = contents(make("quartzword"), "files")
    assert line in left_out if line else "quartzword" in text
