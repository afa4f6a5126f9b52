"""Packages made to harm: bombs, entities, and parts that are damaged inside."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable

import pytest

from core.errors import EngineStopped, UnreadableDocument
from tests.core.engines.format_material import packed
from tests.core.engines.readers.test_dispatch import checked, mutants
from tests.core.engines.readers.test_hostile_formats import MATERIAL, refused

PACKED = ["a.xlsx", "a.xlsb", "a.ods", "a.odt", "a.pptx", "a.epub"]


def damaged_inside(name: str, count: int, seed: int) -> list[bytes]:
    """Copies whose archive is whole and one of whose parts is damaged: the checksums of the archive hide nothing."""
    with zipfile.ZipFile(io.BytesIO(MATERIAL[name])) as archive:
        parts = {part: archive.read(part) for part in archive.namelist()}
    worth = [part for part, data in parts.items() if len(data) > 60 and part != "mimetype"]
    return [
        packed({**parts, worth[n % len(worth)]: mutants(parts[worth[n % len(worth)]], 1, seed + n)[0]})
        for n in range(count)
    ]


@pytest.mark.parametrize("count", [3, pytest.param(24, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", PACKED)
def test_damaged_parts_end_as_pages_or_a_problem(reader, name, count):
    stopped = 0
    for copy in damaged_inside(name, count, seed=5):
        try:
            checked(list(reader.read(copy, name)))
        except UnreadableDocument as error:
            refused(error)
        except EngineStopped:
            stopped += 1
    assert stopped <= 1


DOCUMENT = "application/vnd.oasis.opendocument"
ENTITIES = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><a>&b;</a>'
# Each is made by the test that sets it off: together they take a second.
BOMBS: dict[str, Callable[[], bytes]] = {
    "zeros.xlsx": lambda: packed({"xl/workbook.xml": bytes(100_000_000)}),
    "entities.xlsx": lambda: packed({"xl/workbook.xml": ENTITIES}),
    "entities.ods": lambda: packed({"mimetype": f"{DOCUMENT}.spreadsheet", "content.xml": ENTITIES}),
    "entities.pptx": lambda: packed({"ppt/presentation.xml": ENTITIES}),
    "zeros.odt": lambda: packed({"mimetype": f"{DOCUMENT}.text", "content.xml": b" " * 100_000_000}),
    "parts.zip": lambda: b"PK\3\4" + b"PK\1\2" * 30_000,
    "zeros.zip": lambda: packed({"zeros": bytes(100_000_000)}),
    "deep.rtf": lambda: b"{\\rtf1 " + b"{" * 1_000_000,
    "zeros.warc": lambda: gzip.compress(b"WARC/1.0\r\n" + b"a" * 100_000_000),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused(reader, name):
    with pytest.raises((UnreadableDocument, EngineStopped)) as caught:
        checked(list(reader.read(BOMBS[name](), name)))
    assert caught.value.hint
