"""The judge's weights, merged in a child process, and the judge that waits for them."""

from __future__ import annotations

import hashlib

import pytest

from core import paths, settings
from core.engines.llm.merging import AdapterMerger
from core.errors import ModelUnreadable
from core.model_files import merged_judge
from core.runtime import launch
from core.verdicts import exam_results, labels
from core.workers.engines import JudgeClient, MergerClient
from tests.core.engines import tiny_gguf
from tests.core.workers.children import COMMAND

PAIR = {"blk.0.attn_q.weight": (tiny_gguf.weights(3, 4, 64), tiny_gguf.weights(4, 48, 4))}


@pytest.fixture
def sources(tmp_path):
    base = tiny_gguf.model(tmp_path / "base.gguf")
    return base, tiny_gguf.adapter(tmp_path / "change.gguf", PAIR, alpha=6.0)


def test_a_child_that_may_write_nothing_gives_the_same_file(sources, tmp_path):
    own = b"".join(AdapterMerger(*sources).pieces())
    merged = launch.merge_judge(*sources, tmp_path / "out")
    assert merged.read_bytes() == own
    assert launch.merge_judge(*sources, tmp_path / "out") == merged


def test_what_the_child_refuses_is_an_error_and_nothing_is_left(sources, tmp_path):
    with pytest.raises(ModelUnreadable):
        launch.merge_judge(sources[0], sources[0], tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_reading_that_is_left_ends_the_child(sources):
    client = MergerClient(*sources)
    pieces = client.pieces()
    next(pieces)
    pieces.close()
    assert client.child is None
    client.close()


def judge(sources, substitute):
    return JudgeClient(*sources, sha256="base", substitute=substitute, command=COMMAND)


def test_the_judge_is_merged_before_it_is_first_started_and_once(sources, tmp_path):
    calls = []
    client = judge(sources, lambda: calls.append(client.child) or (tmp_path / "merged.gguf", "abc"))
    for _ in range(2):
        assert len(client.judge("A passage.", ["A hypothesis."])) == 1
    client.close()
    assert calls == [None]
    assert (client.options["model"], client.options["adapter"], client.options["sha256"]) == (
        str(tmp_path / "merged.gguf"), None, "abc",
    )  # fmt: skip


def test_where_they_cannot_be_merged_base_and_adapter_judge(sources):
    client = judge(sources, lambda: None)
    assert len(client.judge("A passage.", ["A hypothesis."])) == 1
    client.close()
    assert (client.options["model"], client.options["adapter"]) == tuple(map(str, sources))
    assert client.options["sha256"] == "base"


def test_a_folder_that_cannot_be_written_leaves_base_and_adapter(sources, tmp_path, monkeypatch):
    (tmp_path / "models").write_text("a file in its place", "utf-8")
    monkeypatch.setenv("DISCONFIRM_MODELS", str(tmp_path / "models"))
    assert launch.merged_or_none(*sources) is None


@pytest.fixture
def packaged(tmp_path, monkeypatch):
    """The packaged program on a computer where it never ran."""
    monkeypatch.setenv("DISCONFIRM_MODELS", str(tmp_path / "own"))
    monkeypatch.setattr(paths, "PACKAGED", True)
    monkeypatch.setattr(paths, "PACKAGED_MODELS", tmp_path / "packaged")
    (tmp_path / "packaged").mkdir()
    (tmp_path / "packaged" / paths.JUDGE).write_bytes(b"weights")


def test_the_packaged_program_waits_for_the_merged_file_and_shows_its_own_judge(packaged):
    engines = launch.build_engines(settings.Settings())
    try:
        assert engines.judge_file == paths.models() / paths.MERGED_JUDGE
        assert exam_results.card(engines).name == labels.card().name
        merged = hashlib.sha256(b"merged").hexdigest()[:16]
        assert exam_results.other_model(engines, f"evidence-judge F16 sha256:{merged} prompt") == ""
    finally:
        launch.close(engines)


def test_the_version_of_the_way_of_merging_is_part_of_what_a_file_is_known_by(sources, tmp_path, monkeypatch):
    merged = launch.merge_judge(*sources, tmp_path / "out")
    before = merged.stat().st_mtime_ns
    monkeypatch.setattr(merged_judge, "VERSION", merged_judge.VERSION + 1)
    assert launch.merge_judge(*sources, tmp_path / "out").stat().st_mtime_ns != before
