"""Files and folders as they are offered, and what adding them would do."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from core.documents import folder_scan
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument
from core.ports import Engines
from core.progress import Cancelled, Progress
from core.workbench import Workbench
from tests.contracts import zipped
from tests.core.documents.test_service import LOG, MEMO, put
from tests.fakes import HashEmbedder


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


USERS = [{"id": "U1", "profile": {"real_name": "Ines Varga"}}, {"id": "U2", "real_name": "Kit Moss"}]


def slack(folder: Path) -> Path:
    """An export of Slack that was unpacked, with a plan beside it."""
    (folder / "quay").mkdir(parents=True)
    (folder / "users.json").write_text(json.dumps(USERS))
    (folder / "channels.json").write_text(json.dumps([{"id": "C1", "name": "quay"}]))
    post = {"type": "message", "user": "U1", "text": "<@U2> closed it", "ts": "1710248733.0"}
    (folder / "quay" / "2024-03-12.json").write_text(json.dumps([post]))
    (folder / "quay" / "plan.txt").write_text("The plan of the quay.")
    return folder


@pytest.fixture
def case(tmp_path):
    with Workbench.create(tmp_path / "case.disconfirm", Engines(FileReader(), HashEmbedder()), title="Quay") as bench:
        yield bench


def test_a_folder_with_an_export_of_slack_is_one_document_with_the_names_of_people(case, tmp_path):
    export = slack(tmp_path / "in" / "acme")
    assert list(folder_scan.files_in([tmp_path / "in"])) == [export, export / "quay" / "plan.txt"]
    assert folder_scan.preview(case.store, [tmp_path / "in"]).new == (export, export / "quay" / "plan.txt")
    case.documents.add([tmp_path / "in"])
    names = {document.name: document for document in case.documents.all()}
    assert set(names) == {"acme", "acme/users.json", "acme/channels.json", "plan.txt"}
    text = case.documents.page(names["acme"].id, 1).text
    assert "Ines Varga: @Kit Moss closed it" in text
    assert "U1" not in text
    assert (export, names["acme"].id) in folder_scan.preview(case.store, [export]).copies


def test_a_new_day_in_an_export_is_a_newer_version(case, tmp_path):
    export = slack(tmp_path / "acme")
    case.documents.add([export])
    assert case.documents.add([export], changed_only=True).unchanged_files == 2
    post = {"type": "message", "user": "U2", "text": "Not me", "ts": "1710338733.0"}
    (export / "quay" / "2024-03-13.json").write_text(json.dumps([post]))
    assert folder_scan.new_in(case.store, export) == [export]
    (newer,) = case.documents.add([export], changed_only=True).documents[:1]
    assert (newer.pages, newer.version_of) == (2, "D1")


def test_files_that_are_no_export_or_too_many_for_one_stay_files(tmp_path, monkeypatch):
    export = slack(tmp_path / "acme")
    (tmp_path / "users.json").write_text("[]")
    assert list(folder_scan.files_in([tmp_path])) == [
        tmp_path / "users.json", export, export / "quay" / "plan.txt",
    ]  # fmt: skip
    monkeypatch.setattr(folder_scan, "_EXPORT_BYTES", 10)
    assert len(list(folder_scan.files_in([tmp_path]))) == 5


def test_messages_of_discord_stand_with_the_names_of_their_channels(tmp_path):
    (tmp_path / "c12").mkdir()
    for name in ("index.json", "c12/channel.json", "c12/messages.json"):
        (tmp_path / name).write_text("{}")
    assert [part.name for part in folder_scan.chat_export(tmp_path)] == ["channel.json", "messages.json", "index.json"]
