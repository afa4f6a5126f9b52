"""The small files: one of every kind that is read, in the installed program, and all made by the script here."""

from __future__ import annotations

import pytest

from core import formats
from core.engines.readers import dispatch
from core.ports import Attachment
from core.selftest import small_files
from tests.core.selftest import small_files as script

WITHOUT_FILE = {"pst"}  # nothing that is installed writes one


def test_every_kind_that_is_read_has_a_small_file():
    assert {row.kind for row in formats.FORMATS if not row.samples} == WITHOUT_FILE


@pytest.mark.parametrize(("name", "kind"), [(name, row.kind) for row in formats.FORMATS for name, _ in row.samples])
def test_a_small_file_is_recognised_as_its_format(name, kind):
    data = small_files.load(name)
    found = dispatch._kind(data, name)[0]
    assert (next(iter(dispatch.FileReader().read(data, name))).kind if found == "text" else found) == kind


def test_the_folder_holds_these_files_and_no_others():
    assert {file.name for file in small_files.FOLDER.iterdir()} == set(small_files.FILES)
    assert sum(file.stat().st_size for file in small_files.FOLDER.iterdir()) < 250_000


@pytest.mark.parametrize("name", [name for name in small_files.FILES if name not in script.NEVER_THE_SAME])
def test_the_script_makes_the_same_bytes(name):
    made = script.files()[name]
    # How a picture is packed, and what a library writes about itself, may change with its version.
    if name in (*small_files.PICTURES, "note.pdf", "note.xps"):
        assert abs(len(made) - len(small_files.load(name))) < 20_000
    else:
        assert made == small_files.load(name)


def test_the_script_leaves_a_file_alone_that_it_would_only_change(tmp_path, monkeypatch):
    monkeypatch.setattr(script, "files", lambda: {"note.txt": b"new", "note.docx": b"new", "table.xlsx": b"new"})
    for name in ("note.txt", "note.docx"):
        (tmp_path / name).write_bytes(b"old")
    script.main([], tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {
        "note.txt": b"new",
        "note.docx": b"old",
        "table.xlsx": b"new",
    }
    script.main(["note.docx"], tmp_path)
    assert (tmp_path / "note.docx").read_bytes() == b"new"


def test_the_text_of_files_inside_counts():
    pages, text = small_files.text_of([Attachment("a.txt", b"one\n two"), "anything else"])
    assert (pages, text) == (0, "one two")
