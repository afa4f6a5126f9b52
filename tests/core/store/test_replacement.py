"""Putting a file in the place of another: the old one is overwritten, what a killed program left is cleared away."""

from __future__ import annotations

import os

import pytest

from core.store import replacement
from core.store.lock import beside


@pytest.fixture
def place(tmp_path):
    file = tmp_path / f"{'n' * 100}.disconfirm"
    file.write_bytes(b"old" * 1000)
    file.chmod(0o640)
    return file


def names(folder):
    return {file.name for file in folder.iterdir()}


def begun(place):
    part = replacement.begin_part(place)
    part.write_bytes(b"new")
    return part


def test_the_new_file_has_the_place_and_the_mode_of_the_old_one(place):
    part = begun(place)
    assert part.name.startswith(".")
    assert len(part.name) < 60
    with place.open("rb") as old:
        replacement.put_in_place(place)
        data = old.read()
    assert place.read_bytes() == b"new"
    assert place.stat().st_mode & 0o777 == 0o640
    assert len(data) == 3000
    assert b"old" not in data
    assert names(place.parent) == {place.name}


def test_a_part_that_stands_there_already_is_not_written_over(place):
    begun(place)
    with pytest.raises(FileExistsError):
        replacement.begin_part(place)


def test_a_part_is_never_written_through_a_link(place, tmp_path):
    target = tmp_path / "other"
    target.write_bytes(b"mine")
    replacement.part_of(place).symlink_to(target)
    with pytest.raises(FileExistsError):
        replacement.begin_part(place)
    replacement.clear_away(place)
    assert target.read_bytes() == b"mine"
    assert names(tmp_path) == {place.name, "other"}


def test_what_was_left_before_the_turn_is_removed_and_the_case_stays(place):
    begun(place)
    beside(replacement.part_of(place), "-journal").write_bytes(b"journal")
    os.link(place, replacement._former(place))
    replacement.clear_away(place)
    assert place.read_bytes() == b"old" * 1000
    assert names(place.parent) == {place.name}


def test_what_was_left_after_the_turn_is_overwritten_and_removed(place):
    former = replacement._former(place)
    former.write_bytes(b"old")
    with former.open("rb") as former_file:
        replacement.clear_away(place)
        assert former_file.read() != b"old"
    assert names(place.parent) == {place.name}


def test_erasing_what_is_not_there_is_done(tmp_path):
    replacement.erase(tmp_path / "none")


def test_two_cases_of_one_beginning_do_not_share_their_parts(place):
    neighbour = place.with_name(f"{place.stem}2{place.suffix}")
    assert replacement.part_of(place) != replacement.part_of(neighbour)
