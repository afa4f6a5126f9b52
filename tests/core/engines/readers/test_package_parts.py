"""Every part of an office file is text, a document of its own, named, or plumbing that is listed by name."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import LeftOut
from core.engines.readers import ole_object, package_parts
from core.engines.readers.ooxml_package import check_package
from core.ports import Attachment
from tests.core.engines.readers.test_pictures import picture


def packed(parts: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return file.getvalue()


def rest(parts: dict[str, bytes], *read: str) -> tuple[dict[str, bytes], list[LeftOut]]:
    items = list(
        package_parts.rest(check_package(packed(parts), "a.docx"), "a.docx", set(read), package_parts.Ledger())
    )
    files = {item.name: item.data for item in items if isinstance(item, Attachment)}
    return files, [item for item in items if isinstance(item, LeftOut)]


def test_pictures_with_room_for_words_become_documents_and_others_are_counted() -> None:
    large, small = picture("PNG", 400, 100), picture("PNG", 20, 20)
    parts = {f"word/media/{n}": data for n, data in (("a.png", large), ("b.png", small), ("c.png", small))}
    files, lines = rest(parts | {"word/media/again.png": large, "word/media/x.emf": b"\1\0\0\0"})
    assert files == {"a.png": large}
    assert set(lines) == {LeftOut("small picture", 2, "word/media"), LeftOut("vector picture (EMF)", 1, "word/media")}


def test_what_the_reader_took_and_plumbing_have_no_line() -> None:
    parts = {"word/document.xml": b"<a/>", "word/theme/theme1.xml": b"<a/>", "word/_rels/document.xml.rels": b"<a/>"}
    assert rest(parts | {"customXml/item1.xml": b"<sources/>"}, "word/document.xml") == ({}, [])


@pytest.mark.parametrize(
    ("part", "people", "count"),
    [
        ("docProps/core.xml", {"creator": "Ada", "lastModifiedBy": "Bo"}, 1),
        ("docProps/core.xml", {"creator": "", "lastModifiedBy": "Bo"}, 1),
        ("docProps/core.xml", {"creator": "Ada", "lastModifiedBy": "Ada"}, 0),
        ("docProps/core.xml", {"creator": "Ada"}, 0),
        ("meta.xml", {"initial-creator": "Ada", "creator": "Bo"}, 1),
        ("meta.xml", {"creator": "Bo"}, 0),  # who is shown as the author
    ],
)
def test_who_saved_a_file_last_is_named_unless_it_is_the_author(part: str, people: dict[str, str], count: int) -> None:
    inside = "".join(f"<{tag}>{name}</{tag}>" for tag, name in people.items())
    _, lines = rest({part: f"<a>{inside}</a>".encode()}, part)
    assert lines == [LeftOut("property of the file (last editor)", 1, part)] * count


def native(name: str, data: bytes) -> bytes:
    inner = (
        b"\2\0" + name.encode() + b"\0C:\\x\\" + name.encode() + b"\0" + b"\0\0\3\0" + struct.pack("<I", 4) + b"tmp\0"
    )
    inner += struct.pack("<I", len(data)) + data
    return struct.pack("<I", len(inner)) + inner


def test_the_file_in_a_packager_object_is_taken_out() -> None:
    content = ole_object.native(native("C:\\notes\\plan.txt", b"Meet at noon."), "oleObject1")
    assert (content.name, content.data) == ("plan.txt", b"Meet at noon.")
    assert ole_object.native(native("plan.txt", b"Meet at noon.")[:-3], "x").data == b""


def test_embedded_files_become_documents_and_objects_without_a_file_are_named() -> None:
    sheet = packed({"xl/workbook.xml": b"<a/>"})
    files, lines = rest({"word/embeddings/Sheet1.xlsx": sheet, "word/embeddings/ole1.bin": ole_object.MAGIC + b"x"})
    assert files == {"Sheet1.xlsx": sheet}
    assert lines == [LeftOut("embedded object (damaged)", 1, "word/embeddings")]


PLACES = (
    "word/media/{}.mp3", "word/embeddings/{}.pdf", "word/vbaProject.bin/{}", "customXml/item1.xml", "word/{}.dat",
    "docProps/custom.xml", "word/charts/{}.xml", "word/glossary/{}.xml", "_xmlsignatures/{}.xml", "{}.bin", "odd/{}",
    "xl/pivotCache/{}.xml", "xl/externalLinks/{}.xml", "Basic/{}.xml", "Versions/{}", "word/ink/{}.xml",
)  # fmt: skip


@given(st.lists(st.sampled_from(PLACES), unique=True))
def test_each_part_that_could_hold_words_is_a_document_or_named_with_its_place(places: list[str]) -> None:
    parts = {place.format(f"word{n}"): b"<x>secret</x>" for n, place in enumerate(places)}
    files, lines = rest(parts)
    folders = [line.where for line in lines for _ in range(line.count)]
    for part in parts:
        folder, _, name = part.rpartition("/")
        assert name in files or folder in folders
        if name not in files:
            folders.remove(folder)
    assert not folders


@pytest.mark.parametrize("count", [5, 500])
def test_endless_kinds_are_counted_as_one(count: int) -> None:
    _, lines = rest({f"odd/{n}.kind{n}": b"x" for n in range(count)})
    assert len(lines) <= 201
    assert sum(line.count for line in lines) == count


def test_addresses_behind_links_are_counted_with_the_first_places_they_lead_to() -> None:
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"
    targets = ("https://a.example/1", "https://a.example/2", "mailto:x@y.example", "//u@b.example/", "c.docx")
    links = "".join(f'<R Id="r{n}" Type="{kind}" Target="{to}" TargetMode="External"/>' for n, to in enumerate(targets))
    inner = f'<R Id="i" Type="{kind}" Target="#top"/>'
    parts = {"word/document.xml": b"<a/>", "word/_rels/document.xml.rels": f"<Rs>{links}{inner}</Rs>".encode()}
    assert rest(parts, "word/document.xml") == (
        {},
        [LeftOut("link address", 5, "a.example, mailto address, b.example")],
    )
