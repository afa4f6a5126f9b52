"""The merging of the judge's adapter into its base model: what the weights become, and when a file is made again."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import numpy
import pytest
from gguf import GGUFReader
from gguf.quants import dequantize

from core.engines.llm.merging import AdapterMerger
from core.errors import CannotWrite, ModelMissing, ModelUnreadable
from core.model_files import gguf, merged_judge
from tests.core.engines import tiny_gguf

RANK, ALPHA = 4, 6.0
NAME = "blk.0.attn_q.weight"
DOWN, UP = tiny_gguf.weights(3, RANK, 64), tiny_gguf.weights(4, 48, RANK)


def made(base: Path, adapter: Path, folder: Path) -> Path:
    """The merged file as the program makes it, with the weights computed in this process."""
    return merged_judge.merged_judge(base, adapter, folder, AdapterMerger(base, adapter).pieces)


@pytest.fixture
def base(tmp_path):
    return tiny_gguf.model(tmp_path / "base.gguf")


@pytest.fixture
def adapter(tmp_path):
    return tiny_gguf.adapter(tmp_path / "change.gguf", {NAME: (DOWN, UP)}, alpha=ALPHA)


def tensors(path) -> dict[str, numpy.ndarray]:
    return {t.name: dequantize(t.data, t.tensor_type) for t in GGUFReader(path).tensors}


def digest(path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_merged_weights_are_the_base_plus_the_scaled_product(base, adapter, tmp_path):
    before, after = tensors(base), tensors(made(base, adapter, tmp_path / "out"))
    assert before.keys() == after.keys()
    expected = before[NAME] + UP @ DOWN * (ALPHA / RANK)
    # A half float has eleven bits; below 2**-14 its step is 2**-24. Rounding errs by half a step.
    error = numpy.abs(after[NAME] - expected)
    assert (error <= numpy.abs(expected) * 2**-11 * 1.01 + 2**-25).all()
    assert numpy.abs(expected - before[NAME]).max() > 10 * error.max()  # the change is far larger than the error


def test_what_the_adapter_does_not_change_stays_bit_for_bit(base, adapter, tmp_path):
    merged = made(base, adapter, tmp_path / "out")
    before, after = ({t.name: t.data.tobytes() for t in GGUFReader(path).tensors} for path in (base, merged))
    assert {name for name in before if before[name] != after[name]} == {NAME}


def test_the_head_is_kept_and_the_name_says_what_it_is(base, adapter, tmp_path):
    before, after = gguf.check(base), gguf.check(made(base, adapter, tmp_path / "out"))
    assert after.values.pop("general.name") == "base with change"
    assert before.values.pop("general.name") == "tiny"
    assert after.quantisation == "F16"
    before.values["general.file_type"] = after.values["general.file_type"]
    assert after.values == before.values
    assert after.arrays == before.arrays
    assert [(t.name, t.shape) for t in after.tensors] == [(t.name, t.shape) for t in before.tensors]


def test_the_same_sources_give_the_same_bytes(base, adapter, tmp_path):
    one, two = (made(base, adapter, tmp_path / folder) for folder in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    assert one.with_suffix(".json").read_bytes() == two.with_suffix(".json").read_bytes()


def test_the_file_beside_it_names_the_sources(base, adapter, tmp_path):
    merged = made(base, adapter, tmp_path / "out")
    described = json.loads(merged.with_suffix(".json").read_text("utf-8"))
    assert described["base"] == {"file": "base.gguf", "sha256": digest(base)}
    assert described["adapter"] == {"file": "change.gguf", "sha256": digest(adapter)}
    assert described["merged"] == {"file": merged.name, "sha256": digest(merged), "bytes": merged.stat().st_size}
    assert (described["quantisation"], described["version"]) == ("F16", merged_judge.VERSION)
    assert {path.name for path in merged.parent.iterdir()} == {merged.name, merged.with_suffix(".json").name}


def test_a_merged_file_that_stands_is_not_made_again(base, adapter, tmp_path):
    merged = made(base, adapter, tmp_path / "out")
    os.utime(merged, ns=(1, 1))

    def refuse():
        raise AssertionError("merged again")

    assert merged_judge.merged_judge(base, adapter, tmp_path / "out", refuse) == merged
    assert merged.stat().st_mtime_ns == 1


@pytest.mark.parametrize("what", ["damaged", "cut", "no description", "bad description", "other version", "gone"])
def test_a_merged_file_in_doubt_is_made_again(base, adapter, tmp_path, monkeypatch, what):
    merged = made(base, adapter, tmp_path / "out")
    whole, sidecar = merged.read_bytes(), merged.with_suffix(".json")
    if what == "damaged":
        merged.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    elif what == "cut":
        merged.write_bytes(whole[:100])
    elif what == "no description":
        sidecar.unlink()
    elif what == "bad description":
        sidecar.write_text("[]")
    elif what == "other version":
        monkeypatch.setattr(merged_judge, "VERSION", merged_judge.VERSION + 1)
    else:
        merged.unlink()
    os.utime(merged, ns=(1, 1)) if merged.exists() else None
    assert made(base, adapter, tmp_path / "out").read_bytes() == whole
    assert merged.stat().st_mtime_ns != 1
    assert json.loads(sidecar.read_text("utf-8"))["version"] == merged_judge.VERSION


def test_another_adapter_makes_another_file(base, adapter, tmp_path):
    first = made(base, adapter, tmp_path / "out").read_bytes()
    tiny_gguf.adapter(adapter, {NAME: (DOWN, -UP)}, alpha=ALPHA)
    assert made(base, adapter, tmp_path / "out").read_bytes() != first


def test_the_merged_judge_of_an_earlier_adapter_goes(base, adapter, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    kept = [folder / name for name in ("evidence-judge-r16.gguf", "another.merged.gguf", "SmolLM2.Q4_1.gguf")]
    gone = [folder / f"evidence-judge-r16.merged{ending}" for ending in (".gguf", ".json")]
    for file in (*kept, *gone):
        file.write_bytes(b"x")
    merged = made(base, adapter, folder)
    assert {file.name for file in folder.iterdir()} == {
        merged.name,
        merged.with_suffix(".json").name,
        *(file.name for file in kept),
    }


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        ({"blk.9.attn_q.weight": (DOWN, UP)}, "another model"),
        ({NAME: (DOWN[:, :32], UP)}, "another model"),
        ({NAME: (DOWN[:2], UP)}, "another model"),
        ({NAME: (DOWN, None)}, "pairs"),
    ],
)
def test_an_adapter_of_another_model_is_refused_and_nothing_is_left(base, tmp_path, pairs, reason):
    adapter = tiny_gguf.adapter(tmp_path / "other.gguf", pairs, alpha=ALPHA)
    with pytest.raises(ModelUnreadable) as caught:
        made(base, adapter, tmp_path / "out")
    assert "other.gguf" in caught.value.sentence
    assert reason in caught.value.sentence
    assert list((tmp_path / "out").iterdir()) == []


def test_a_model_is_no_adapter(base, tmp_path):
    other = tiny_gguf.model(tmp_path / "other.gguf")
    with pytest.raises(ModelUnreadable) as caught:
        made(base, other, tmp_path / "out")
    assert "other.gguf" in caught.value.sentence


def test_missing_sources_are_named(base, adapter, tmp_path):
    for sources in ((tmp_path / "none.gguf", adapter), (base, tmp_path / "none.gguf")):
        with pytest.raises(ModelMissing) as caught:
            made(*sources, tmp_path / "out")
        assert "none.gguf" in caught.value.sentence


def test_a_folder_that_cannot_be_written_is_named(base, adapter, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CannotWrite):
        made(base, adapter, tmp_path / "file" / "out")
