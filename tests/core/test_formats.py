"""The table of formats: what it says of itself, and that each reader it names is there."""

from __future__ import annotations

import importlib
import inspect
from collections import Counter
from typing import get_args

import pytest

from core import formats


def test_no_kind_and_no_ending_stands_in_two_rows():
    kinds = Counter(row.kind for row in formats.FORMATS)
    assert max([*kinds.values(), *Counter(formats.ENDINGS).values()]) == 1
    assert all(ending == ending.lower() and ending.startswith(".") for ending in formats.ENDINGS)


@pytest.mark.parametrize("row", [row for row in formats.FORMATS if row.reader], ids=lambda row: row.kind)
def test_a_reader_takes_what_its_row_says(row):
    module, function = row.reader.split(".")
    read = getattr(importlib.import_module(f"core.engines.readers.{module}"), function)
    assert list(inspect.signature(read).parameters) == ["data", "name", *row.takes]


@pytest.mark.parametrize("trait", get_args(formats.Trait))
def test_every_trait_is_that_of_some_kind(trait):
    assert formats.kinds(trait)


def test_what_no_row_names_has_no_kind():
    assert (formats.by_name("a.docx.bak", "package"), formats.by_start(b"The pump")) == ("", "")
    assert formats.by_name("A.XLSM", "package") == "xlsx"
    assert formats.is_named("Plan.SVG", "xml")
    assert formats.by_start(b"{\\rtf1 pump}") == "rtf"


def test_every_media_type_has_an_ending_of_its_row_and_leads_to_it():
    for row in formats.FORMATS:
        assert {ending for _, ending in row.types} <= set(row.endings)
    assert len(formats.TYPES) == sum(len(row.types) for row in formats.FORMATS)
    assert formats.by_type("application/vnd.oasis.opendocument.text-template") == "odt"
    assert (formats.by_type("application/vnd.oasis.opendocument.graphics"), formats.by_type("image/png")) == ("", "")
