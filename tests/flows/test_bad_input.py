"""What a hostile or unlucky day brings: each case gives a sentence with a remedy, and nothing that was kept is lost."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from core import paths
from core.documents import folder_scan
from core.engines.readers import plain_text
from core.engines.readers.dispatch import FileReader
from core.errors import DiskFull, EngineStopped, ModelMissing, ModelUnreadable, UnreadableDocument
from core.ports import Engines
from core.workbench import Workbench
from core.workers.engines import EmbedderClient, JudgeClient, ReaderClient
from tests.fakes import HashEmbedder, PlainReader, ScriptedJudge
from tests.small_disk import mounted, needs_mount


@pytest.fixture
def bench(tmp_path, engines):
    with Workbench.create(tmp_path / "case.disconfirm", engines) as opened:
        yield opened


def _write(folder, name, text):
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_a_document_of_one_character(bench, tmp_path):
    report = bench.documents.add([_write(tmp_path, "x.txt", "x")])
    assert (report.documents[0].status, report.documents[0].chunks) == ("added", 1)
    assert bench.search.passages_for("x").passages[0].text == "x"


def test_a_document_of_3000_pages(bench, tmp_path):
    pages = [f"Page {n}. The pump of hall {n} was inspected on day {n}." for n in range(1, 3001)]
    report = bench.documents.add([_write(tmp_path, "long.txt", "\f".join(pages))])
    assert report.documents[0].pages == 3000
    assert bench.documents.page("D1", 3000).text == pages[-1]
    assert bench.search.passages_for("hall 2719", mode="lexical").passages[0].page == 2719
    assert bench.case.verify().ok


@pytest.mark.slow
def test_a_text_of_100_000_pages_is_read_whole(tmp_path):
    words = [f"Page {n}. The pump of hall {n} was inspected." for n in range(1, 100_001)]
    reader = ReaderClient()
    try:
        outline, *pages = reader.read("\f".join(words).encode(), "long.txt")
    finally:
        reader.close()
    assert outline.pages == len(pages) == 5_000
    assert (pages[0].label, pages[-1].label) == ("pages 1 to 20", "pages 99981 to 100000")
    assert "\n".join(page.text for page in pages) == "\n".join(words)


def test_more_pages_than_a_document_may_have_are_refused_with_what_to_do(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(plain_text, "PAGES", 20)
    broken = "<w:p><w:r><w:lastRenderedPageBreak/><w:t>x</w:t></w:r></w:p>" * 30
    file = tmp_path / "long.docx"
    with zipfile.ZipFile(file, "w") as archive:
        space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{broken}</w:body></w:document>')
    with pytest.raises(UnreadableDocument) as caught:
        list(FileReader().read(file.read_bytes(), "long.docx"))
    assert "has 30 pages; 20 is the limit" in caught.value.sentence
    assert caught.value.hint.startswith("Split it")


def test_links_that_loop_end_and_are_reported(bench, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    _write(folder, "a.txt", "The pump stopped.")
    try:
        (folder / "round").symlink_to(folder, target_is_directory=True)
        (folder / "self.txt").symlink_to(folder / "self.txt")
        (folder / "one.txt").symlink_to(folder / "two.txt")
        (folder / "two.txt").symlink_to(folder / "one.txt")
    except OSError:
        pytest.skip("no links on this file system")
    report = bench.documents.add([folder])
    outcomes = {item.name: item.status for item in report.documents}
    assert outcomes.pop("a.txt") == "added"
    assert set(outcomes) <= {"self.txt", "one.txt", "two.txt", "round"}
    assert set(outcomes) >= {"self.txt", "one.txt", "two.txt"}
    assert set(outcomes.values()) == {"failed"}
    assert len(report.problems) == len(outcomes)
    assert bench.case.verify().ok


def test_a_linked_folder_outside_of_what_was_submitted_is_reported_and_not_followed(bench, tmp_path):
    folder, elsewhere = tmp_path / "in", tmp_path / "elsewhere"
    (folder / "sub").mkdir(parents=True)
    elsewhere.mkdir()
    _write(folder / "sub", "a.txt", "The pump stopped.")
    _write(elsewhere, "b.txt", "Nobody had touched it.")
    try:
        (folder / "inside").symlink_to(folder / "sub", target_is_directory=True)
        (folder / "outside").symlink_to(elsewhere, target_is_directory=True)
    except OSError:
        pytest.skip("no links on this file system")
    report = bench.documents.add([folder])
    assert {item.name: item.status for item in report.documents} == {"a.txt": "added", "outside": "failed"}
    (problem,) = report.problems
    assert "outside is a link to a folder elsewhere; such links are not followed." in problem.what
    assert problem.hint == "Add that folder itself."


def test_files_and_folders_that_may_not_be_read_are_reported(bench, tmp_path, monkeypatch):
    folder = tmp_path / "in"
    (folder / "closed").mkdir(parents=True)
    _write(folder, "a.txt", "The pump stopped.")
    _write(folder, "b.txt", "Nobody had touched it.")
    _write(folder / "closed", "c.txt", "Not to be seen.")
    read, look = folder_scan._pieces, os.scandir

    # Asked of the system, a superuser may read everything.
    def refuse(path):
        if path.name == "b.txt":
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    def closed(path="."):
        if os.fspath(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return look(path)

    monkeypatch.setattr(folder_scan, "_pieces", refuse)
    monkeypatch.setattr(os, "scandir", closed)
    monkeypatch.setattr(os, "listdir", closed)
    report = bench.documents.add([folder])
    assert {item.name: item.status for item in report.documents} == {
        "a.txt": "added",
        "b.txt": "failed",
        "closed": "failed",
    }
    assert all("Permission denied" in problem.what for problem in report.problems)
    assert len(report.problems) == 2


@pytest.mark.parametrize("change", ["longer", "shorter", "other words"])
def test_a_file_that_changes_while_it_is_read_is_not_kept(bench, tmp_path, monkeypatch, change):
    file = _write(tmp_path, "a.txt", "The pump stopped at night.")
    os.utime(file, ns=(1, 1))
    read = folder_scan._pieces
    texts = {
        "longer": "The pump stopped at night and more.",
        "shorter": "The pump",
        "other words": "The dumb stopped at night.",
    }

    def changing(path):
        data = b"".join(read(path))
        path.write_text(texts[change], "utf-8")
        return [data]

    with monkeypatch.context() as patched:
        patched.setattr(folder_scan, "_pieces", changing)
        report = bench.documents.add([file])
    assert [item.status for item in report.documents] == ["failed"]
    assert "changed while it was read" in report.problems[0].what
    report = bench.documents.add([file])
    assert [item.status for item in report.documents] == ["added"]
    assert bench.documents.page(report.documents[0].id, 1).text == texts[change]


def test_names_inside_files_that_are_not_unicode(bench, tmp_path):
    file = tmp_path / "a.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("XX.txt", "The pump stopped.")
        archive.writestr("b.txt", "Nobody had touched it.")
    file.write_bytes(file.read_bytes().replace(b"XX.txt", b"\xff\xfe.txt"))
    reader = ReaderClient()
    try:
        items = list(reader.read(file.read_bytes(), "a.zip"))
    finally:
        reader.close()
    first, second = items[-2:]
    assert first.data == b"The pump stopped."
    assert first.name.endswith(".txt")
    first.name.encode("utf-8")
    assert second.name == "b.txt"


def test_right_to_left_text_keeps_its_offsets(bench, tmp_path):
    text = "توقفت المضخة عند الساعة 02:14. لم يلمسها أحد.\nהמשאבה נעצרה בלילה."
    bench.documents.add([_write(tmp_path, "rtl.txt", text)])
    passage = bench.search.passages_for("המשאבה", mode="lexical").passages[0]
    assert text[passage.start : passage.end] == passage.text
    assert bench.evidence.check("لم يلمسها أحد").status == "verified"


@pytest.mark.parametrize(
    "name",
    ["a b.txt", "ünïcödé 資料.txt", "quote'\"s.txt", "-rf.txt", "new\nline.txt", "🚰.txt", "a" * 200 + ".txt",
     "\u202etxt.exe.txt", "%s{0}.txt"],
)  # fmt: skip
def test_names_with_odd_characters(bench, tmp_path, name):
    report = bench.documents.add([_write(tmp_path, name, "The pump stopped.")])
    assert report.documents[0].name == name
    bench.hypotheses.add("The pump stopped.")
    bench.review.propose()
    bench.review.accept([p.id for p in bench.verdicts.proposals()])
    written = bench.reports.write(tmp_path / "r.html")
    assert b"<script" not in written.file.read_bytes()
    assert bench.case.verify().ok


def test_a_name_that_is_not_unicode(bench, tmp_path):
    raw = os.fsencode(tmp_path) + b"/bad\xff.txt"
    try:
        Path(os.fsdecode(raw)).write_bytes(b"The pump stopped.")
    except OSError:
        pytest.skip("this file system refuses names that are not Unicode")
    report = bench.documents.add([tmp_path])
    assert [item.status for item in report.documents if item.name.startswith("bad")] == ["added"]
    bench.reports.write(tmp_path / "r.html")
    assert bench.case.verify().ok


def test_a_hypothesis_of_strange_characters(bench, tmp_path):
    bench.documents.add([_write(tmp_path, "a.txt", "The pump stopped at night.")])
    for text in ("H\u202eidden", "<b>bold</b> & 'quoted'", "' OR 1=1 --", 'NEAR(* "', "😀" * 40, "נעצר"):
        bench.hypotheses.add(text)
    notes = bench.review.propose().notes
    # What the search has to say once for each, and that the judge knows English only.
    assert all(sum(note.startswith(f"H{number}:") for note in notes) <= 2 for number in range(1, 7))
    assert all(note.startswith("H") for note in notes)
    bench.reports.write(tmp_path / "r.html")


def test_a_missing_search_model_is_named_and_words_still_find(tmp_path):
    engines = Engines(PlainReader(), EmbedderClient(tmp_path / "nowhere"), ScriptedJudge())
    with Workbench.create(tmp_path / "c.disconfirm", engines) as bench:
        report = bench.documents.add([_write(tmp_path, "a.txt", "The pump stopped.")])
        assert report.documents[0].status == "added"
        assert "search by words goes on" in report.problems[0].what
        assert bench.search.passages_for("pump").passages


@pytest.mark.parametrize("when", ["passages", "queries"])
def test_a_search_model_with_damaged_weights_is_named_and_words_still_find(tmp_path, when):
    class Damaged(HashEmbedder):
        """What the engine says when a vector has NaN in it or is zero."""

        def embed(self, texts):
            if when == "passages":
                raise ModelUnreadable(path="model", reason="it gives zero vectors", effect="none")
            return super().embed(texts)

        def embed_queries(self, texts):
            raise ModelUnreadable(path="model", reason="it gives zero vectors", effect="none")

    engines = Engines(PlainReader(), Damaged(), ScriptedJudge())
    with Workbench.create(tmp_path / "c.disconfirm", engines) as bench:
        for text in ("The pump stopped.", "The pump ran."):
            bench.hypotheses.add(text)
        report = bench.documents.add([_write(tmp_path, "a.txt", "The pump stopped.")])
        assert report.documents[0].status == "added"
        assert bool(report.problems) == (when == "passages")
        found = bench.search.passages_for("pump")
        assert [p.vector_rank for p in found.passages] == [None]
        assert "zero vectors" in found.notes[0]
        assert bench.review.propose().proposals
        with pytest.raises(ModelUnreadable) as caught:
            bench.plans.discriminating()
        assert caught.value.hint
        themes = bench.search.themes("pump", least=1)  # of passages that have a vector
        assert [theme.sentence for theme in themes] == ([] if when == "passages" else ["The pump stopped."])


@pytest.mark.parametrize("text", ["", "x", "the of and", "\u0001\u0002 \u202e", "насос", "1 " * 5_000])
def test_every_way_to_search_takes_a_case_of_next_to_nothing(tmp_path, engines, text):
    with Workbench.create(tmp_path / "c.disconfirm", engines) as bench:
        if text:
            bench.documents.add([_write(tmp_path, "a.txt", text)])
        for hypothesis in ("x", "The pump stopped."):
            bench.hypotheses.add(hypothesis)
        bench.entities.add("x")
        bench.plans.make()
        assert len(bench.plans.get()) >= 4
        chunks = bench.store.pages.every_chunk()
        for result in bench.plans.run():
            assert {p.chunk for p in result.passages} <= set(chunks)
        assert {one.passage.id for one in bench.plans.discriminating()} <= set(chunks)
        for query in ("x", "-x", '"x"', "when:2024", "date:2024", "in:D1", "tag:x", "name:x", "x NEAR x", "x*"):
            result = bench.search.find(query)
            assert {p.chunk for p in result.passages} <= set(chunks)
            assert result.passages or result.notes
            assert len(bench.search.themes(query, least=1)) <= len(chunks)
        for group in bench.search.grouped(bench.search.find("x").passages):
            assert set(group.passages) <= set(chunks)
        assert bench.timeline.date_mentions() == []
        assert bench.entities.co_occurrences() == []
        assert bench.plans.elusion("H1").high <= len(chunks)
        assert {chunk.id for chunk in bench.plans.elusion_sample("H1")} <= set(chunks)
        for one in bench.store.pages.every_chunk():
            assert one not in {p.chunk for p in bench.search.similar(one).passages}
        bench.entities.suggested()
        bench.review.propose()
        assert {e.passages for e in bench.plans.effort()} <= set(range(len(chunks) + 1))


def test_a_truncated_judge_is_refused_before_it_is_loaded(tmp_path):
    short = tmp_path / "short.gguf"
    short.write_bytes(paths.reader().read_bytes()[:100_000])
    judge = JudgeClient(short)
    try:
        with pytest.raises(ModelUnreadable) as caught:
            judge.judge("The pump stopped.", ["The pump stopped."])
        assert caught.value.hint
    finally:
        judge.close()
    gone = JudgeClient(tmp_path / "gone.gguf")
    try:
        with pytest.raises(ModelMissing):
            gone.judge("The pump stopped.", ["The pump stopped."])
    finally:
        gone.close()


def _engine_children() -> set[int]:
    """Process ids of the engines that this process started."""
    listed = subprocess.run(
        ["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=True
    )
    return {int(line.split()[0]) for line in listed.stdout.splitlines() if "-m core.workers " in line}


@pytest.mark.skipif(os.name != "posix", reason="kills processes by signal")
@pytest.mark.parametrize("role", ["reader", "embedder", "judge"])
def test_a_killed_child_costs_one_call_and_no_saved_work(tmp_path, role):
    earlier = _engine_children()
    engine = {
        "reader": lambda: ReaderClient(),
        "embedder": lambda: EmbedderClient(paths.models() / paths.EMBEDDER),
        "judge": lambda: JudgeClient(paths.reader()),
    }[role]()
    engines = Engines(
        engine if role == "reader" else PlainReader(),
        engine if role == "embedder" else HashEmbedder(),
        engine if role == "judge" else ScriptedJudge(),
    )
    first = _write(tmp_path, "first.txt", "The pump stopped at night.")
    second = _write(tmp_path, "second.txt", "Nobody had touched the pump.")
    try:
        with Workbench.create(tmp_path / "c.disconfirm", engines) as bench:
            bench.documents.add([first])
            bench.hypotheses.add("The pump stopped at night.")
            assert engine.fingerprint  # it runs
            (child,) = _engine_children() - earlier
            os.kill(child, signal.SIGKILL)
            with contextlib.suppress(EngineStopped):
                bench.documents.add([second])
                bench.review.propose()
            bench.documents.add([second])
            bench.review.propose()
            assert {d.name for d in bench.documents.all()} == {"first.txt", "second.txt"}
            assert bench.verdicts.proposals()
            assert bench.case.verify().ok
    finally:
        engine.close()


@needs_mount
def test_a_disk_that_is_full_in_the_middle_of_an_import_keeps_what_was_done(tmp_path, engines):
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    for number in range(12):
        words = " ".join(f"pump{number}x{at}" for at in range(8_000))
        _write(inbox, f"{number:02}.txt", words)
    with (
        mounted(tmp_path / "small", "2m") as small,
        Workbench.create(small / "case.disconfirm", engines) as bench,
    ):
        with pytest.raises(DiskFull) as caught:
            bench.documents.add([inbox])
        assert caught.value.hint
        kept = [document.name for document in bench.documents.all()]
        assert 0 < len(kept) < 12
        assert kept == [f"{number:02}.txt" for number in range(len(kept))]
        assert bench.search.passages_for("pump0x7", mode="lexical").passages
        subprocess.run(["mount", "-o", "remount,size=200m", str(small)], check=True)
        report = bench.documents.add([inbox])
        told = Counter(item.status for item in report.documents)
        assert told == {"duplicate": len(kept), "added": 12 - len(kept)}
        assert bench.case.verify().ok


def test_submitted_is_added_and_duplicate_and_failed(bench, tmp_path):
    """One folder of everything at once, given twice."""
    inbox = tmp_path / "inbox"
    (inbox / "deep").mkdir(parents=True)
    for number in range(4):
        _write(inbox, f"{number}.txt", f"Report {number}. The pump of hall {number} stopped at night.")
    _write(inbox / "deep", "again.txt", "Report 1. The pump of hall 1 stopped at night.")
    _write(inbox, "empty.txt", "")
    (inbox / "odd.bin").write_bytes(bytes(range(256)) * 20)
    (inbox / "bad.pdf").write_bytes(b"%PDF-1.7 nothing else")
    with contextlib.suppress(OSError):
        Path(os.fsdecode(os.fsencode(inbox) + b"/bad\xff.txt")).write_bytes(b"Its name is not Unicode.")
    submitted = sum(len(files) for _, _, files in os.walk(inbox))
    reader = ReaderClient()
    try:
        bench.engines = replace(bench.engines, reader=reader, readers=())
        for time_given in (1, 2):
            report = bench.documents.add([inbox])
            told = Counter(item.status for item in report.documents)
            assert told["added"] + told["near_duplicate"] + told["duplicate"] + told["failed"] == submitted
            assert told["failed"] == 3
            assert told["duplicate"] == (1 if time_given == 1 else submitted - 3)
    finally:
        reader.close()
