"""What a hostile or unlucky day brings: each case gives a sentence with a remedy, and nothing that was kept is lost."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from core import paths
from core.apart import RemoteEmbedder, RemoteJudge, RemoteReader
from core.errors import EngineStopped, ModelMissing, ModelUnreadable
from core.launch import judge_files
from core.ports import Engines
from core.settings import Settings
from core.workbench import Workbench
from tests.fakes import HashEmbedder, PlainReader, ScriptedJudge


@pytest.fixture
def bench(tmp_path, engines):
    with Workbench.create(tmp_path / "case.disconfirm", engines) as opened:
        yield opened


def _write(folder, name, text):
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_a_document_of_one_character(bench, tmp_path):
    report = bench.add_documents([_write(tmp_path, "x.txt", "x")])
    assert (report.documents[0].status, report.documents[0].chunks) == ("added", 1)
    assert bench.search("x").passages[0].text == "x"


def test_a_document_of_3000_pages(bench, tmp_path):
    pages = [f"Page {n}. The pump of hall {n} was inspected on day {n}." for n in range(1, 3001)]
    began = time.monotonic()
    report = bench.add_documents([_write(tmp_path, "long.txt", "\f".join(pages))])
    assert report.documents[0].pages == 3000
    assert time.monotonic() - began < 60
    assert bench.page("D1", 3000).text == pages[-1]
    assert bench.search("hall 2719", mode="lexical").passages[0].page == 2719
    assert bench.verify().ok


def test_right_to_left_text_keeps_its_offsets(bench, tmp_path):
    text = "توقفت المضخة عند الساعة 02:14. لم يلمسها أحد.\nהמשאבה נעצרה בלילה."
    bench.add_documents([_write(tmp_path, "rtl.txt", text)])
    passage = bench.search("המשאבה", mode="lexical").passages[0]
    assert text[passage.start : passage.end] == passage.text
    assert bench.quote("لم يلمسها أحد").status == "verified"


@pytest.mark.parametrize(
    "name",
    ["a b.txt", "ünïcödé 資料.txt", "quote'\"s.txt", "-rf.txt", "new\nline.txt", "🚰.txt", "a" * 200 + ".txt",
     "\u202etxt.exe.txt", "%s{0}.txt"],
)  # fmt: skip
def test_names_with_odd_characters(bench, tmp_path, name):
    report = bench.add_documents([_write(tmp_path, name, "The pump stopped.")])
    assert report.documents[0].name == name
    bench.add_hypothesis("The pump stopped.")
    bench.propose()
    bench.accept([p.id for p in bench.proposals()])
    written = bench.report(tmp_path / "r.html")
    assert b"<script" not in written.file.read_bytes()
    assert bench.verify().ok


def test_a_name_that_is_not_unicode(bench, tmp_path):
    raw = os.fsencode(tmp_path) + b"/bad\xff.txt"
    try:
        Path(os.fsdecode(raw)).write_bytes(b"The pump stopped.")
    except OSError:
        pytest.skip("this file system refuses names that are not Unicode")
    report = bench.add_documents([tmp_path])
    assert [item.status for item in report.documents if item.name.startswith("bad")] == ["added"]
    bench.report(tmp_path / "r.html")
    assert bench.verify().ok


def test_a_hypothesis_of_strange_characters(bench, tmp_path):
    bench.add_documents([_write(tmp_path, "a.txt", "The pump stopped at night.")])
    for text in ("H\u202eidden", "<b>bold</b> & 'quoted'", "' OR 1=1 --", 'NEAR(* "', "😀" * 40, "נעצר"):
        bench.add_hypothesis(text)
    assert len(bench.propose().notes) <= 6
    bench.report(tmp_path / "r.html")


def test_a_missing_search_model_is_named_and_words_still_find(tmp_path):
    engines = Engines(PlainReader(), RemoteEmbedder(tmp_path / "nowhere"), ScriptedJudge())
    with Workbench.create(tmp_path / "c.disconfirm", engines) as bench:
        report = bench.add_documents([_write(tmp_path, "a.txt", "The pump stopped.")])
        assert report.documents[0].status == "added"
        assert "search by words goes on" in report.problems[0].what
        assert bench.search("pump").passages


def test_a_truncated_judge_is_refused_before_it_is_loaded(tmp_path):
    files = judge_files(Settings())
    assert files is not None, "the set-up installs the judge"
    short = tmp_path / "short.gguf"
    short.write_bytes(files[0].read_bytes()[:100_000])
    judge = RemoteJudge(short, None)
    try:
        with pytest.raises(ModelUnreadable) as caught:
            judge.judge("The pump stopped.", ["The pump stopped."])
        assert caught.value.hint
    finally:
        judge.close()
    gone = RemoteJudge(tmp_path / "gone.gguf", None)
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
    return {int(line.split()[0]) for line in listed.stdout.splitlines() if "core.apart" in line}


@pytest.mark.skipif(os.name != "posix", reason="kills processes by signal")
@pytest.mark.parametrize("role", ["reader", "embedder", "judge"])
def test_a_killed_child_costs_one_call_and_no_saved_work(tmp_path, role):
    engine = {
        "reader": lambda: RemoteReader(),
        "embedder": lambda: RemoteEmbedder(paths.models() / paths.EMBEDDER),
        "judge": lambda: RemoteJudge(*judge_files(Settings())),
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
            bench.add_documents([first])
            bench.add_hypothesis("The pump stopped at night.")
            assert engine.fingerprint  # it runs
            (child,) = _engine_children()
            os.kill(child, signal.SIGKILL)
            with contextlib.suppress(EngineStopped):
                bench.add_documents([second])
                bench.propose()
            bench.add_documents([second])
            bench.propose()
            assert {d.name for d in bench.documents()} == {"first.txt", "second.txt"}
            assert bench.proposals()
            assert bench.verify().ok
    finally:
        engine.close()
