"""A file is written whole or not at all, and never over a case."""

from __future__ import annotations

import pytest

from core import files
from core.errors import CannotWrite


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_text_and_bytes_are_put_in_the_place_of_what_was_there(tmp_path):
    target = tmp_path / "report.html"
    target.write_text("older", "utf-8")
    files.write(target, "newer – and longer")
    assert target.read_text("utf-8") == "newer – and longer"
    files.write(target, b"\xff")
    assert target.read_bytes() == b"\xff"
    assert names(tmp_path) == ["report.html"]


def test_what_fails_half_way_leaves_the_older_file_and_nothing_else(tmp_path):
    target = tmp_path / "report.html"
    target.write_text("older", "utf-8")

    def fail_half_way():
        with files.replacing(target) as stream:
            stream.write(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert target.read_text("utf-8") == "older"
    assert names(tmp_path) == ["report.html"]


def test_an_unfinished_file_lies_beside_the_target_until_it_is_done(tmp_path):
    target = tmp_path / "report.html"
    with files.replacing(target) as stream:
        stream.write(b"half")
        (part,) = names(tmp_path)
        assert part.startswith("report.html.")
        assert part.endswith(".part")
        assert not target.exists()
    assert names(tmp_path) == ["report.html"]


def test_a_missing_folder_is_made_only_when_asked_for(tmp_path):
    target = tmp_path / "a" / "b" / "settings.json"
    with pytest.raises(CannotWrite) as refusal:
        files.write(target, "{}")
    assert "its folder is not there" in refusal.value.sentence
    files.write(target, "{}", make_folder=True)
    assert target.read_text("utf-8") == "{}"


def test_a_folder_is_not_replaced(tmp_path):
    with pytest.raises(CannotWrite) as refusal:
        files.check_target(tmp_path)
    assert "it is a folder" in refusal.value.sentence


def test_a_case_is_not_replaced_by_whatever_name_it_goes(tmp_path):
    target = tmp_path / "notes.txt"
    target.write_bytes(b"SQLite format 3\0" + b"\0" * 52 + b"DCNF" + b"\0" * 28)
    with pytest.raises(CannotWrite) as refusal:
        files.write(target, "over it")
    assert "it is a case" in refusal.value.sentence
    assert target.stat().st_size == 100


@pytest.mark.parametrize("ending", ["", "-wal", "-journal", "-shm", ".lock"])
def test_neither_the_open_case_nor_what_belongs_to_it_is_replaced(tmp_path, ending):
    case = tmp_path / "case.disconfirm"
    case.write_bytes(b"open")
    with pytest.raises(CannotWrite) as refusal:
        files.write(tmp_path / f"{case.name}{ending}", "over it", never=case)
    assert "belongs to the case that is open" in refusal.value.sentence
    assert case.read_bytes() == b"open"


def test_a_folder_is_free_while_nothing_lies_in_it(tmp_path):
    assert files.is_free_folder(tmp_path / "none")
    (tmp_path / "new").mkdir()
    assert files.is_free_folder(tmp_path / "new")
    (tmp_path / "new" / "file").touch()
    assert not files.is_free_folder(tmp_path / "new")
    assert not files.is_free_folder(tmp_path / "new" / "file")
