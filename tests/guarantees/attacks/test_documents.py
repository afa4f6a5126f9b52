"""Hostile documents through the real reader, added as a person adds a folder (rows C1 and C5)."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import pytest

from core.ports import Engines
from core.workbench import Workbench
from core.workers.engines import ReaderClient
from tests.fakes import HashEmbedder
from tests.guarantees.attacks import documents

MEMORY = 700_000  # kB of the program's own process at most


def forget_peak() -> None:
    """What other tests held at most, and what the making of the documents took, is none of what follows."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")


def peak() -> int:
    status = Path("/proc/self/status").read_text("utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:"))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.skipif(sys.platform != "linux", reason="looks at memory in /proc")
def test_every_hostile_document_is_added_or_listed_with_a_reason(tmp_path, record_property):
    paths = documents.write(tmp_path / "in")
    around = sorted(tmp_path.iterdir())
    forget_peak()
    reader = ReaderClient()
    try:
        with Workbench.create(tmp_path / "a.disconfirm", Engines(reader=reader, embedder=HashEmbedder())) as bench:
            report = bench.documents.add([tmp_path / "in"])
            item_of = {item.name: item for item in report.documents}
            assert {path.name for path in paths} <= {name.split("/")[-1] for name in item_of}
            assert {item.status for item in report.documents} <= {"added", "failed", "duplicate"}
            rows = [row for row in bench.documents.imports() if row.status == "failed"]
            assert len(rows) == sum(item.status == "failed" for item in report.documents)
            assert [row.name for row in rows if not (row.reason and row.remedy)] == []
            assert all(problem.what and problem.hint for problem in report.problems)
            assert item_of["sound.pdf"].status == "added"
            assert bench.case.verify().problems == ()
    finally:
        reader.close()
    left = [path.name for path in tmp_path.iterdir() if path not in around and not path.name.startswith("a")]
    assert left == []
    assert not list(tmp_path.rglob("*escape*"))
    record_property("n", len(paths))
    record_property("figure", f"{len(paths)} hostile documents and their contents: all added or listed with a reason")
    assert peak() < MEMORY


def test_there_are_fifty_seven_and_more():
    names = [name for name, _ in documents.files()]
    assert len(names) == len(set(names)) >= 57
