"""Files inside files: each becomes a document, a duplicate or a failure; nothing goes on for ever."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from core.documents import importing
from core.errors import EngineStopped
from core.ports import Attachment, Engines, Outline
from core.progress import Cancelled, Progress
from core.workbench import Workbench
from core.workers.engines import ReaderClient
from core.workers.frames import ANSWER_CAP, ProtocolError
from core.workers.wire.documents import attachment_in
from tests.contracts import zipped
from tests.fakes import HashEmbedder, PlainReader

LOG = b"The dosing pump stopped at 02:14."
MEMO = b"The vendor opened the valve."


@pytest.fixture
def bench(tmp_path):
    with Workbench.create(tmp_path / "case.disconfirm", Engines(PlainReader(), HashEmbedder()), title="Pump") as bench:
        yield bench


def added(bench, tmp_path, files, name="files.zip"):
    path = tmp_path / name
    path.write_bytes(files if isinstance(files, bytes) else zipped(files))
    return bench.documents.add([path])


def rows_of(report):
    return [(item.name, item.status, item.parent) for item in report.documents]


def test_every_file_inside_is_accounted_for(bench, tmp_path):
    report = added(
        bench,
        tmp_path,
        {
            "log.txt": LOG,
            "again.txt": LOG,
            "empty.txt": b"",
            "locked.txt": b"x",
            "inner.zip": zipped({"memo.txt": MEMO, "log.txt": LOG}),
            "noise.bin": b"\xff\xfe",
        },
    )
    assert rows_of(report) == [
        ("files.zip", "added", ""),
        ("files.zip/log.txt", "added", "files.zip"),
        ("files.zip/again.txt", "duplicate", "files.zip"),
        ("files.zip/empty.txt", "failed", "files.zip"),
        ("files.zip/locked.txt", "failed", "files.zip"),
        ("files.zip/inner.zip", "added", "files.zip"),
        ("files.zip/inner.zip/memo.txt", "added", "files.zip/inner.zip"),
        ("files.zip/inner.zip/log.txt", "duplicate", "files.zip/inner.zip"),
        ("files.zip/noise.bin", "failed", "files.zip"),
    ]
    failed = {item.name for item in report.documents if item.status == "failed"}
    assert {problem.where for problem in report.problems} == failed
    assert all(problem.what and problem.hint for problem in report.problems)
    log = next(d for d in bench.documents.all() if d.name == "files.zip/log.txt")
    assert bench.documents.original(log.id) == LOG
    assert {i.of for i in report.documents if i.status == "duplicate"} == {log.id}
    assert bench.search.passages_for("dosing pump").passages


def test_an_archive_that_was_added_is_a_duplicate_with_all_it_holds(bench, tmp_path):
    added(bench, tmp_path, {"log.txt": LOG})
    assert rows_of(added(bench, tmp_path, {"log.txt": LOG})) == [("files.zip", "duplicate", "")]
    assert len(bench.documents.all()) == 2


def test_a_file_that_is_in_the_case_already_is_found_again_inside(bench, tmp_path):
    (tmp_path / "log.txt").write_bytes(LOG)
    bench.documents.add([tmp_path / "log.txt"])
    report = added(bench, tmp_path, {"copy.txt": LOG})
    assert [item.status for item in report.documents] == ["added", "duplicate"]
    assert report.documents[1].of == "D1"


def test_files_deeper_than_five_are_left_where_they_are(bench, tmp_path):
    data = zipped({"core.txt": LOG})
    for depth in range(8):
        data = zipped({f"{depth}.zip": data})
    report = added(bench, tmp_path, data)
    statuses = [item.status for item in report.documents]
    assert statuses == ["added"] * 6 + ["failed"]
    assert report.documents[-1].name.endswith("/(all 1)")
    assert "deep" in report.problems[0].what
    assert all(problem.hint for problem in report.problems)


def test_a_bomb_of_many_small_archives_ends(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(importing, "_FILES_INSIDE", 30)
    report = added(
        bench, tmp_path, {f"{n}.zip": zipped({f"{m}.txt": b"%d %d" % (n, m) for m in range(9)}) for n in range(9)}
    )
    assert sum(item.status == "added" for item in report.documents) == 1 + 9 + 2 * 9
    failed = [item.name for item in report.documents if item.status == "failed"]
    assert failed == [f"files.zip/{n}.zip/(all 9)" for n in range(2, 9)]


def test_too_many_bytes_inside_are_not_taken(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(importing, "_BYTES_INSIDE", 60)
    report = added(bench, tmp_path, {"a.txt": b"a" * 50, "b.txt": b"b" * 50})
    assert [item.status for item in report.documents] == ["added", "failed"]
    assert "larger" in report.problems[0].what


class DrosteReader(PlainReader):
    """Every file holds itself."""

    def read(self, data, name, *, password=""):
        yield Outline("text", 1)
        yield list(super().read(LOG, "a.txt"))[1]
        yield Attachment("self.txt", data)


def test_a_file_that_holds_itself_is_a_duplicate_of_itself(bench, tmp_path):
    bench.engines = Engines(DrosteReader())
    report = added(bench, tmp_path, b"quine", "q.txt")
    assert rows_of(report) == [("q.txt", "added", ""), ("q.txt/self.txt", "duplicate", "q.txt")]
    assert [d.status for d in bench.documents.all()] == ["ready"]


class GrowingReader(PlainReader):
    """Every file holds a longer one."""

    def read(self, data, name, *, password=""):
        yield Outline("text", 1)
        yield list(super().read(LOG, "a.txt"))[1]
        yield Attachment("next.txt", data + b"!")


def test_a_file_that_never_ends_ends(bench, tmp_path):
    bench.engines = Engines(GrowingReader())
    report = added(bench, tmp_path, b"more", "q.txt")
    assert [item.status for item in report.documents] == ["added"] * 6 + ["failed"]


def test_cancelling_inside_keeps_finished_files_and_a_second_run_completes(bench, tmp_path):
    progress = Progress(lambda count, total, label: None)

    class Cancelling(PlainReader):
        def read(self, data, name, *, password=""):
            if name.endswith("b.txt"):
                progress.cancel()
            yield from super().read(data, name)

    bench.engines = Engines(Cancelling(), HashEmbedder())
    path = tmp_path / "files.zip"
    path.write_bytes(zipped({"a.txt": LOG, "b.txt": MEMO}))
    with pytest.raises(Cancelled):
        bench.documents.add([path], progress)
    assert [d.name for d in bench.documents.all()] == ["files.zip/a.txt"]
    bench.engines = Engines(PlainReader(), HashEmbedder())
    assert [item.status for item in bench.documents.add([path]).documents] == ["added", "duplicate", "added"]


def test_a_reader_that_ends_at_one_file_inside_costs_that_file_only(bench, tmp_path):
    class Ending(PlainReader):
        def read(self, data, name, *, password=""):
            if name.endswith("b.txt"):
                raise EngineStopped(engine="document reader", item=name, reason="it was ended")
            yield from super().read(data, name)

    bench.engines = Engines(Ending())
    report = added(bench, tmp_path, {"a.txt": LOG, "b.txt": MEMO, "c.txt": b"The valve."})
    assert [item.status for item in report.documents] == ["added", "added", "failed", "added"]


def test_the_command_line_counts_files_and_what_is_inside_them_apart(tmp_path, capsys, engines, monkeypatch):
    from core.__main__ import main
    from core.runtime import launch

    monkeypatch.setattr(launch, "build_engines", lambda _settings: engines)
    case = str(tmp_path / "a.disconfirm")
    (tmp_path / "files.zip").write_bytes(zipped({"log.txt": LOG, "memo.txt": MEMO}))
    assert main(["new", case, "--json"]) == 0
    capsys.readouterr()
    main(["add", case, str(tmp_path / "files.zip"), "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert (answer["submitted"], answer["inside"]) == (1, 2)
    assert [item.get("parent", "") for item in answer["documents"]] == ["", "files.zip", "files.zip"]


# --- the way out of the child ----------------------------------------------------------------------------------------


def test_a_file_larger_than_one_frame_comes_out_whole():
    data = bytes(range(256)) * (70 << 12)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("large.bin", data)
        archive.writestr("small.txt", LOG)
    reader = ReaderClient()
    *_, large, small = reader.read(file.getvalue(), "a.zip")
    reader.close()
    assert len(data) > ANSWER_CAP
    assert (large.name, small) == ("large.bin", Attachment("small.txt", LOG))
    assert large.data == data


@pytest.mark.parametrize(
    ("header", "blobs"),
    [
        ({}, [b"x"]),
        ({"more": 1}, [b"x"]),
        ({"name": ""}, [b"x"]),
        ({"name": 7}, [b"x"]),
        ({"name": "x" * 1_001}, [b"x"]),
        ({"reason": "gone"}, [b"x"]),
        ({"reason": None}, [b"x"]),
        ({"remedy": "x" * 10_001}, [b"x"]),
        ({"name": "a"}, []),
    ],
)
def test_an_attachment_out_of_form_is_not_taken(header, blobs):
    whole = {"name": "a", "reason": "", "remedy": "", "more": False}
    if header:
        whole.update(header)
    else:
        whole.pop("more")
    with pytest.raises(ProtocolError):
        attachment_in(whole, blobs)


def test_a_name_from_the_child_is_cleaned():
    header = {"name": "a\x1b[31m\n.txt", "reason": "", "remedy": "", "more": False}
    assert attachment_in(header, [b"x"])[0].name == "a\ufffd[31m\n.txt"


@pytest.mark.development_data
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_an_archive_of_every_kind_of_file_is_accounted_for(development_data, tmp_path, step):
    files = sorted((development_data / "docs_other/mixed_formats/files").iterdir())[2 % step :: step]
    with zipfile.ZipFile(tmp_path / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.write(file, file.name)
    reader = ReaderClient()
    with Workbench.create(tmp_path / "case.disconfirm", Engines(reader)) as bench:
        report = bench.documents.add([tmp_path / "all.zip"])
        second_report = bench.documents.add(files)
    reader.close()
    direct = [item for item in report.documents if item.parent == "all.zip"]
    assert [item.name for item in direct] == [f"all.zip/{file.name}" for file in files]
    assert len(report.problems) == sum(item.status == "failed" for item in report.documents)
    assert len(second_report.documents) == len(files)
    assert {item.status for item in second_report.documents} == {"duplicate", "failed"}
    assert sum(item.status == "failed" for item in second_report.documents) == sum(
        item.status == "failed" for item in direct
    )


def test_what_was_written_from_a_case_is_no_source_for_it(bench, tmp_path):
    folder = tmp_path / "inbox"
    folder.mkdir()
    (folder / "log.txt").write_text("The pump stopped at night.", "utf-8")
    bench.documents.add([folder])
    bench.hypotheses.add("The pump was stopped by hand.")
    written = folder / "report.html"
    bench.reports.write(written)
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        archive.write(written, "copy.html")
    assert [path.name for path in bench.documents.new_in(folder)] == ["all.zip"]
    assert bench.documents.preview([folder]).cases == (written,)
    report = bench.documents.add([folder])
    assert sum("written from this case" in problem.what for problem in report.problems) == 2
    assert {document.name for document in bench.documents.all()} == {"log.txt", "all.zip"}
    (folder / "other.html").write_bytes(written.read_bytes() + b"<!-- changed -->")
    assert bench.documents.add([folder / "other.html"]).documents[0].status == "added"


def test_a_report_that_was_changed_since_is_taken_with_a_warning(tmp_path, engines):
    """Its bytes are no longer those that were written, but it still names an entry of the case's log."""
    (tmp_path / "log.txt").write_text("The night guard opened the main valve.", "utf-8")
    (tmp_path / "hash.txt").write_text(f"The file of somebody else: {'ab' * 32}.", "utf-8")
    with Workbench.create(tmp_path / "case.disconfirm", engines) as bench:
        bench.documents.add([tmp_path / "log.txt"])
        bench.reports.write(tmp_path / "report.md")
        text = (tmp_path / "report.md").read_text("utf-8")
        mark = bench.store.log.entries()[-2].hash  # what is behind it is the writing of the report
        assert mark in text
        (tmp_path / "edited.txt").write_text(text.replace(mark, f"{mark[:30]}\n{mark[30:]}") + "Agreed.", "utf-8")
        report = bench.documents.add([tmp_path / "edited.txt", tmp_path / "hash.txt"])
        assert [(item.name, item.status) for item in report.documents] == [
            ("edited.txt", "added"),
            ("hash.txt", "added"),
        ]
        (problem,) = report.problems
        assert (problem.where, "a hash from this case's log" in problem.what) == ("edited.txt", True)


# --- imports that were stopped ---------------------------------------------------------------------------------------


def stop_at(number):
    """A progress that is cancelled when so many files are done."""
    progress = Progress(lambda count, *_: progress.cancel() if count == number else None)
    return progress


def stopped(bench, folder, limit=2, count=5):
    """An import of a folder that was stopped after some files."""
    folder.mkdir(exist_ok=True)
    for number in range(count):
        (folder / f"n{number}.txt").write_text(f"Statement number {number * 71}.")
    with pytest.raises(Cancelled):
        bench.documents.add([folder], stop_at(limit))
    return bench


def counts(bench):
    return [(count.files, count.read, count.pending) for count in bench.documents.import_counts()]


def test_what_a_stopped_import_did_not_come_to_is_read_later_and_nothing_twice(bench, tmp_path):
    stopped(bench, tmp_path / "in")
    assert counts(bench) == [(5, 2, 3)]
    steps = []
    report = bench.documents.resume(Progress(lambda *step: steps.append(step)))
    assert [(item.name, item.status) for item in report.documents] == [(f"n{n}.txt", "added") for n in (2, 3, 4)]
    assert (report.files, report.read, report.pending) == (5, 5, 0)
    assert steps[0][:2] == (2, 5)
    assert counts(bench) == [(5, 5, 0)]
    assert {document.folder for document in bench.documents.all()} == {"in"}
    assert [(row.run, row.name) for row in bench.documents.imports()] == [(1, f"n{n}.txt") for n in range(5)]
    assert bench.documents.resume().documents == ()
    assert bench.case.verify().problems == ()


def test_files_that_are_gone_or_changed_meanwhile_are_named(bench, tmp_path):
    stopped(bench, tmp_path / "in")
    (tmp_path / "in" / "n2.txt").unlink()
    (tmp_path / "in" / "n3.txt").write_text("Somebody wrote something else.")
    report = bench.documents.resume()
    assert [(item.name, item.status) for item in report.documents] == [
        ("n2.txt", "failed"),
        ("n3.txt", "added"),
        ("n4.txt", "added"),
    ]
    problems = [(problem.where.rpartition("/")[2], problem.what) for problem in report.problems]
    assert problems == [
        ("n2.txt", "n2.txt is not there."),
        ("n3.txt", "It has changed since the import was stopped, and was read as it is now."),
    ]
    assert report.pending == 0


def test_what_lies_on_a_drive_that_is_not_connected_stays_pending(bench, tmp_path):
    stopped(bench, tmp_path / "in")
    (tmp_path / "in").rename(tmp_path / "away")
    report = bench.documents.resume()
    assert (report.documents, report.pending) == ((), 3)
    assert "The folder is not there, so 3 files in it could not be read." in report.problems[0].what
    (tmp_path / "away").rename(tmp_path / "in")
    assert bench.documents.resume().pending == 0
    assert len(bench.documents.all()) == 5


def test_a_document_whose_import_ended_before_it_could_say_so_is_no_copy(bench, tmp_path, monkeypatch):
    class Killed(BaseException):
        """What stands for the end of the process."""

    def die(*_args):
        raise Killed

    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_bytes(LOG)
    (folder / "b.zip").write_bytes(zipped({"memo.txt": MEMO, "again.txt": LOG}))
    with monkeypatch.context() as patch:
        patch.setattr(bench.store.imports, "settle", die)
        with pytest.raises(Killed):
            bench.documents.add([folder])
    assert [document.name for document in bench.documents.all()] == ["a.txt"]
    report = bench.documents.resume()
    assert rows_of(report) == [
        ("a.txt", "added", ""),
        ("b.zip", "added", ""),
        ("b.zip/memo.txt", "added", "b.zip"),
        ("b.zip/again.txt", "duplicate", "b.zip"),
    ]


def test_files_asked_for_again_are_read_once(bench, tmp_path):
    stopped(bench, tmp_path / "in")
    bench.documents.add([tmp_path / "in"])
    assert counts(bench) == [(5, 2, 0), (5, 5, 0)]
    assert len(bench.documents.all()) == 5


def test_what_is_asked_for_is_stored_before_anything_is_read_and_can_be_discarded(bench, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    names = [folder / f"n{number}.txt" for number in range(10_000)]
    assert bench.documents.ask(names, roots=[folder]) == 1
    assert counts(bench) == [(10_000, 0, 10_000)]
    assert bench.documents.all() == []
    assert bench.documents.discard_pending().files == 10_000
    assert bench.documents.discard_pending().files == 0
    assert counts(bench) == [(10_000, 0, 0)]
    entry = bench.store.log.entries()[-1]
    assert (entry.verb, json.loads(entry.after)["import"]) == ("discard import", {"1": {"discarded": 10_000}})
    assert bench.case.undoable() is None
    assert bench.case.verify().problems == ()


def test_no_path_is_left_in_the_case_when_all_is_read(bench, tmp_path):
    stopped(bench, tmp_path / "whereabouts")
    case = bench.path
    bench.close()
    assert b"whereabouts/n4.txt" in case.read_bytes()
    with Workbench.open(case, Engines(PlainReader(), HashEmbedder())) as reopened_bench:
        reopened_bench.documents.resume()
    assert b"whereabouts/n4.txt" not in case.read_bytes()


def test_pages_over_pictures_are_compared_also_when_the_import_was_stopped_before(bench, tmp_path, monkeypatch):
    stopped(bench, tmp_path / "in")
    bench.store.imports.put_layers("D1", [1])
    calls = []
    monkeypatch.setattr(bench.documents._importer._ocr, "check_layers", lambda pages, _progress: calls.append(pages))
    bench.documents.resume()
    assert calls == [{"D1": [1]}]
    assert bench.store.imports.layers() == {}
