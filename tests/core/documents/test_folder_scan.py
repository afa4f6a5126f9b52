"""Files and folders as they are offered, and what adding them would do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.documents import folder_scan
from core.errors import UnreadableDocument
from core.progress import Cancelled, Progress
from tests.contracts import zipped
from tests.core.documents.test_service import LOG, MEMO, put


def test_reading_a_file_that_comes_slowly_can_be_cancelled(bench, inbox, monkeypatch):
    put(inbox, "log.txt", LOG)
    put(inbox, "memo.txt", MEMO)
    progress = Progress()
    names = []

    def slow(path):
        for piece in range(1_000):
            names.append(path.name)
            if piece == 2:
                progress.cancel()
            yield b"x"

    monkeypatch.setattr(folder_scan, "_pieces", slow)
    with pytest.raises(Cancelled):
        bench.documents.add([inbox], progress)
    assert names == ["log.txt"] * 3
    assert bench.documents.all() == []


def test_the_place_of_a_file_is_not_told(bench, inbox, tmp_path):
    put(inbox, "log.txt", LOG)
    bench.documents.add([inbox])
    bench.close()
    assert os.fsencode(inbox) not in (tmp_path / "case.disconfirm").read_bytes()
    bench.__init__(type(bench.store).open(tmp_path / "case.disconfirm"), bench.engines)


def test_a_look_before_anything_is_added(bench, inbox, monkeypatch):
    log = put(inbox, "log.txt", LOG)
    memo = put(inbox, "memo.txt", MEMO)
    noise = put(inbox, "noise.bin", b"\xff\xfe")
    bench.documents.add([inbox])
    copy = put(inbox, "copy.txt", LOG)
    new = put(inbox, "new.txt", "Something new.")
    put(inbox, "memo.txt", MEMO + " More.", age=5)
    film = put(inbox, "film.mp4", b"0" * 700)
    large = put(inbox, "large.txt", "x" * 900)
    monkeypatch.setattr(folder_scan, "LARGEST_FILE", 800)
    entries = len(bench.store.log.entries())
    preview = bench.documents.preview([inbox, inbox / "missing.txt"])
    assert preview.new == (new,)
    assert set(preview.copies) == {(copy, "D1"), (log, "D1")}
    assert preview.changed == ((memo, "D2"),)
    assert preview.again == ((noise, "D3"),)
    assert (preview.without_text, preview.too_large) == ((film,), (large,))
    assert preview.missing == (inbox / "missing.txt",)
    assert preview.files == 8
    assert set(preview.readable) == {new, memo, noise}
    assert len(bench.store.log.entries()) == entries


@pytest.mark.skipif(not Path("/proc/kmsg").exists(), reason="the system makes up no such file")
def test_files_that_the_system_makes_up_are_refused_and_never_waited_for(bench, tmp_path):
    (tmp_path / "link.txt").symlink_to("/proc/kmsg")
    (tmp_path / "empty.txt").write_bytes(b"")
    bench.documents.add([tmp_path / "empty.txt"])  # a file without bytes is known from now on
    paths = [Path("/proc/kmsg"), Path("/proc/self/status"), Path("/sys/kernel"), tmp_path / "link.txt"]
    assert Path("/proc/kmsg") in bench.documents.preview(paths).missing
    report = bench.documents.add(paths)
    assert {item.status for item in report.documents} == {"failed"}
    for path in (paths[0], paths[1], paths[3]):
        with pytest.raises(UnreadableDocument, match="generates its content"):
            folder_scan.file_bytes(path)


def test_a_file_is_read_as_far_as_it_reached_when_it_was_opened(tmp_path):
    path = tmp_path / "log.txt"
    path.write_bytes(b"one line\n")
    pieces = folder_scan._pieces(path)
    with path.open("ab") as more:
        first = next(pieces)
        more.write(b"another line\n")
    assert b"".join((first, *pieces)) == b"one line\n"


def test_a_document_keeps_its_folder_within_the_one_that_was_added_and_nothing_above_it(bench, inbox, tmp_path):
    (inbox / "press" / "2011").mkdir(parents=True)
    put(inbox, "log.txt", LOG)
    put(inbox / "press" / "2011", "memo.txt", MEMO)
    put(inbox / "press", "bag.zip", zipped({"deep/inner.txt": b"What lies in an archive is from its folder too."}))
    put(tmp_path, "alone.txt", "A file that was named by itself has no folder.")
    bench.documents.add([inbox, tmp_path / "alone.txt"])
    folders = {document.name: document.folder for document in bench.documents.all()}
    assert folders == {
        "log.txt": "inbox",
        "memo.txt": "inbox/press/2011",
        "bag.zip": "inbox/press",
        "bag.zip/deep/inner.txt": "inbox/press",
        "alone.txt": "",
    }


def test_the_name_of_a_home_folder_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert folder_scan.folder_of(tmp_path / "case" / "log.txt", [tmp_path]) == "case"
    assert folder_scan.folder_of(tmp_path / "log.txt", [tmp_path]) == ""
    monkeypatch.chdir(tmp_path)
    assert folder_scan.folder_of(Path("case/log.txt"), [Path()]) == "case"
