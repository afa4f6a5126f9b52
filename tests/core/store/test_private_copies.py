"""Copies of cases that are only read: nobody else's eyes, overwritten at the end, and cleared away after a kill."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

from core import files, paths
from core.passphrase import Passphrase
from core.progress import silent
from core.store import CaseFile, connection, encryption, integrity, merge
from core.store.private_copies import PrivateFolder, clear_ended

HOLD = """
import sys
from core.store.private_copies import PrivateFolder
folder = PrivateFolder()
(folder.path / "other.disconfirm").write_bytes(b"secret" * 1000)
print(folder.path, flush=True)
sys.stdin.read()
"""


def left():
    """What lies in the person's folder of copies."""
    place = paths.user_data() / "copies"
    return {file.name for file in place.iterdir()} if place.is_dir() else set()


def test_what_a_killed_process_left_is_overwritten_and_removed_and_a_living_ones_stays():
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout.readline().strip()
            clear_ended()
            assert len(left()) == 2  # the folder and its lock
        finally:
            process.kill()
    (folder,) = (paths.user_data() / "copies").glob("*.files")
    with (folder / "other.disconfirm").open("rb") as file:
        clear_ended()
        data = file.read()
    assert b"secret" not in data
    assert not left()


def test_a_folder_is_for_nobody_else_and_goes_with_the_process():
    folder = PrivateFolder()
    assert stat.S_IMODE(folder.path.stat().st_mode) == stat.S_IMODE(folder.path.parent.stat().st_mode) == 0o700
    (folder.path / "deep").mkdir()
    (folder.path / "deep" / "file").write_bytes(b"secret")
    with (folder.path / "deep" / "file").open("rb") as file:
        del folder
        assert b"secret" not in file.read()
    assert not left()


def test_a_folder_without_its_lock_belongs_to_nobody():
    with PrivateFolder() as folder:
        lock = folder.with_suffix(".lock")
        data = lock.read_bytes()
    folder.mkdir()
    lock.write_bytes(data)
    foreign_folder = folder.with_name("other.files")
    foreign_folder.mkdir()
    clear_ended()
    assert not left()


def test_a_viewed_case_is_copied_there_and_an_encrypted_one_as_it_is(closed_case, monkeypatch):
    key = encryption.make_key(Passphrase("four words of mine"))
    encryption.change(closed_case, None, key)
    monkeypatch.setattr(connection, "_writable", lambda _path: False)
    with CaseFile.open(closed_case, key=key) as case:
        folder = case.db.handle.copy.path
        assert folder.parent == paths.user_data() / "copies"
        copies = [file.read_bytes() for file in folder.iterdir()]
        assert files.is_encrypted_case((folder / closed_case.name).read_bytes())
        assert not any(b"dosing pump" in data or b"SQLite format" in data for data in copies)
    assert not left()


def test_a_merge_copies_there(closed_case, tmp_path, monkeypatch):
    places = []
    first_fault = integrity.first_fault

    def look(merged_case, progress):
        places.append(merged_case.path)
        return first_fault(merged_case, progress)

    monkeypatch.setattr(integrity, "first_fault", look)
    with CaseFile.create(tmp_path / "own.disconfirm") as case:
        merge(case, closed_case, silent())
    assert [place.parent.parent for place in places] == [paths.user_data() / "copies"]
    assert not left()


@pytest.mark.skipif(os.name != "posix", reason="folders have no owner there")
def test_where_the_own_folder_cannot_be_written_a_temporary_one_serves(tmp_path, monkeypatch):
    paths.user_data().joinpath("copies").write_bytes(b"no folder")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with PrivateFolder() as folder:
        assert folder.parent == tmp_path / f"disconfirm-copies-{os.getuid()}"
        assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    folder.mkdir()
    clear_ended()
    assert not list(folder.parent.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="links need a right of their own there")
def test_a_link_at_the_place_is_not_followed(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    target = tmp_path / "other"
    target.joinpath("mine.files").mkdir(parents=True)
    paths.user_data().joinpath("copies").symlink_to(target)
    clear_ended()
    assert target.joinpath("mine.files").is_dir()
    with PrivateFolder() as folder:
        assert folder.parent != paths.user_data() / "copies"
