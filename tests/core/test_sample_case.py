"""Building the sample case where one stands already: nothing of the older one is lost or gets into the new one."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from core import sample_case
from core.engines.readers.dispatch import FileReader
from core.errors import CannotWrite, CaseInUse
from core.paths import RESOURCES
from core.ports import Engines
from core.sample_case import FOLDER, build_sample
from core.workbench import Workbench
from tests.fakes import HashEmbedder, ScriptedJudge

ROOT = RESOURCES.parent

# Works on the sample case, tells, and waits to be killed: what it did is in the journal beside the file.
WORKER = """
import sys
from dataclasses import replace
from pathlib import Path
from core.ports import Engines
from core.workbench import Workbench
from tests.fakes import PlainReader
bench = Workbench.open(Path(sys.argv[1]), Engines(reader=PlainReader()))
bench.hypotheses.add("Written just before the end.")
print("done", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def engines() -> Engines:
    """The real reader, in this process; no judge, so that a build takes a second."""
    return Engines(reader=FileReader(), embedder=HashEmbedder())


@pytest.fixture
def worker():
    started: list[subprocess.Popen[str]] = []

    def start(case):
        child = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(case)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(child)
        assert child.stdout.readline() == "done\n"
        return child

    yield start
    for child in started:
        child.kill()
        child.communicate()


def test_work_of_a_killed_run_is_kept_and_stays_out_of_the_new_case(tmp_path, engines, worker):
    case = tmp_path / "sample.disconfirm"
    Workbench.create(case, engines).close()
    child = worker(case)
    child.kill()
    child.wait()
    assert case.with_name(case.name + "-wal").stat().st_size > 0
    sample = build_sample(engines, tmp_path)
    assert sample.case == case
    assert sample.ok
    with Workbench.open(case, engines) as bench:
        assert "Written just before the end." not in [h.text for h in bench.hypotheses.all()]
    with Workbench.open(tmp_path / "sample-kept-1.disconfirm", engines) as bench:
        assert [h.text for h in bench.hypotheses.all()] == ["Written just before the end."]


def test_a_sample_case_that_is_open_elsewhere_is_left_alone(tmp_path, engines, worker):
    case = tmp_path / "sample.disconfirm"
    Workbench.create(case, engines).close()
    worker(case)
    with pytest.raises(CaseInUse):
        build_sample(engines, tmp_path)
    assert case.exists()
    assert not list(tmp_path.glob("*-kept-*"))


def test_a_damaged_sample_case_is_put_aside_with_its_journal(tmp_path, engines):
    case = tmp_path / "sample.disconfirm"
    case.write_bytes(b"no case at all")
    case.with_name(case.name + "-wal").write_bytes(b"its journal")
    (tmp_path / "sample-kept-1.disconfirm").write_bytes(b"an older one")
    assert build_sample(engines, tmp_path).ok
    assert (tmp_path / "sample-kept-1.disconfirm").read_bytes() == b"an older one"
    assert (tmp_path / "sample-kept-2.disconfirm").read_bytes() == b"no case at all"
    assert (tmp_path / "sample-kept-2.disconfirm-wal").read_bytes() == b"its journal"


def test_a_passage_with_copies_is_proposed_for_all_of_them(tmp_path, engines):
    sample = build_sample(replace(engines, judge=ScriptedJudge()), tmp_path)
    assert sample.proposals
    truth = json.loads((FOLDER / "expected.json").read_text("utf-8"))["passages"]
    twins = [one for one in truth if one["document"].startswith("press-release")]
    assert len(twins) == 2
    assert twins[0]["quote"] == twins[1]["quote"]
    with Workbench.open(sample.case, engines) as bench:
        texts = [(p.name, " ".join(p.quote.text.split())) for p in bench.verdicts.proposals() if p.hypothesis == "H1"]
    named = {name for name, text in texts if text in twins[0]["quote"] or twins[0]["quote"] in text}
    assert named == {one["document"] for one in twins}
    assert not [missing for missing in sample.missing if "press-release" in missing]


@pytest.fixture
def built(tmp_path, monkeypatch):
    """The finished sample case as the packaged program brings it."""
    folder = tmp_path / "built"
    folder.mkdir()
    (folder / sample_case.CASE).write_bytes(b"case")
    (folder / sample_case.REPORT).write_bytes(b"report")
    monkeypatch.setattr(sample_case, "BUILT", folder)
    return folder


def test_the_packaged_sample_is_copied_and_then_stands(tmp_path, built):
    case = sample_case.packaged_sample(tmp_path / "own")
    assert case == tmp_path / "own" / sample_case.CASE
    assert case.read_bytes() == b"case"
    assert sample_case.finished_sample(tmp_path / "own") == case
    assert sorted(file.name for file in case.parent.iterdir()) == [sample_case.REPORT, sample_case.CASE]


def test_work_in_an_unfinished_sample_is_kept_under_another_name(tmp_path, built):
    (tmp_path / sample_case.CASE).write_bytes(b"work of a person")
    sample_case.packaged_sample(tmp_path)
    assert (tmp_path / "sample-kept-1.disconfirm").read_bytes() == b"work of a person"


def test_a_folder_that_cannot_be_written_is_told(tmp_path, built):
    (tmp_path / "file").write_bytes(b"in the way")
    with pytest.raises(CannotWrite):
        sample_case.packaged_sample(tmp_path / "file" / "sample")


def test_a_program_that_runs_from_its_source_has_no_packaged_sample(tmp_path):
    assert sample_case.packaged_sample(tmp_path) is None
    assert list(tmp_path.iterdir()) == []
