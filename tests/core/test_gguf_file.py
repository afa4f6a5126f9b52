from __future__ import annotations

import itertools
import random
import struct
import sys
import time

import pytest

from core import gguf_file
from core.engines.llama import LlamaJudge
from core.errors import ModelMissing, ModelUnreadable
from tests.core.engines import tiny_gguf


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return tiny_gguf.model(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture
def no_loader(monkeypatch):
    """Reaching for the native loader is an ImportError."""
    monkeypatch.setitem(sys.modules, "llama_cpp", None)


@pytest.fixture(scope="module")
def fields(sound):
    """(place, form) of every number in the head, by the names of core.gguf_file's own reading."""
    found: list[tuple[int, str]] = []

    class Noting(gguf_file._Head):
        def number(self, form):
            found.append((self.at, form))
            return super().number(form)

    with sound.open("rb") as stream:
        gguf_file._read(sound, Noting(stream, sound.stat().st_size), sound.stat().st_size)
    return found


def broken(tmp_path, data: bytes):
    path = tmp_path / "broken.gguf"
    path.write_bytes(data)
    return path


def test_a_sound_file_is_described(sound):
    head = gguf_file.check(sound)
    assert (head.version, head.architecture, head.quantisation) == (3, "llama", "Q8_0")
    assert head.values["llama.embedding_length"] == tiny_gguf.WIDTH
    assert head.arrays["tokenizer.ggml.tokens"] == 4
    assert {t.name: t.shape for t in head.tensors} == {
        "output_norm.weight": (64,),
        "blk.0.attn_q.weight": (64, 48),
        "blk.0.ffn_up.weight": (64, 48),
    }
    assert all(t.offset % 32 == 0 and t.offset + t.size <= sound.stat().st_size for t in head.tensors)


def test_only_a_sound_file_reaches_the_native_loader(sound, no_loader):
    with pytest.raises(ImportError):
        LlamaJudge(sound)


def test_a_file_cut_anywhere_is_refused_before_the_native_loader(sound, tmp_path, no_loader):
    data = sound.read_bytes()
    last = max(t.offset + t.size for t in gguf_file.check(sound).tensors)
    cuts = sorted({round(at * (last - 1) / 63) for at in range(64)})
    assert len(cuts) == 64
    for cut in cuts:
        path = broken(tmp_path, data[:cut])
        with pytest.raises(ModelUnreadable) as caught:
            LlamaJudge(path)
        assert str(path) in caught.value.sentence
        assert gguf_file.EFFECT in caught.value.sentence


def test_wild_numbers_in_the_head_are_refused_before_the_native_loader(sound, fields, tmp_path, no_loader):
    data = sound.read_bytes()
    chosen = random.Random(7)
    tried = 0
    began = time.monotonic()
    for place, form in fields:
        size = struct.calcsize(form)
        for _ in range(3):
            # Too large for any honest file of this size, and odd: no offset and no type is either.
            wild = chosen.randrange(1 << (8 * size - 9), 1 << (8 * size)) | 1
            path = broken(tmp_path, data[:place] + struct.pack(form, wild) + data[place + size :])
            with pytest.raises(ModelUnreadable):
                LlamaJudge(path)
            tried += 1
    assert tried >= 100
    assert time.monotonic() - began < 20


def test_a_garbled_head_is_refused_or_still_sound(sound, tmp_path):
    data = sound.read_bytes()
    end = min(t.offset for t in gguf_file.check(sound).tensors)
    chosen = random.Random(7)
    refused = 0
    for _ in range(400):
        garbled = bytearray(data)
        for _ in range(chosen.choice((1, 1, 2, 8))):
            garbled[chosen.randrange(end)] = chosen.randrange(256)
        path = broken(tmp_path, bytes(garbled))
        try:
            head = gguf_file.check(path)
        except ModelUnreadable:
            refused += 1
        else:
            # A changed name or value: whatever is left says nothing that lies outside the file.
            assert head.architecture
            assert len({t.name for t in head.tensors}) == len(head.tensors) > 0
            places = sorted((t.offset, t.offset + t.size) for t in head.tensors)
            assert places[-1][1] <= len(garbled)
            assert all(left[1] <= right[0] for left, right in itertools.pairwise(places))
    assert refused > 100


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (b"GGUF", b"GGML", "not a GGUF file"),
        (b"GGUF" + struct.pack("<I", 3), b"GGUF" + struct.pack("<I", 4), "version 4"),
        (b"GGUF" + struct.pack("<I", 3), b"GGUF" + struct.pack(">I", 3), "version"),
        (b"blk.0.ffn_up.weight", b"blk.0.attn_q.weight", "twice"),
        (b"general.architecture", b"general.architectura", "what kind of model"),
        (b"tokenizer.ggml.tokens", b"tokenizer.ggml.tokenz", "no vocabulary"),
        (
            b"llama.attention.head_count" + struct.pack("<II", 4, 1),
            b"llama.attention.head_count" + struct.pack("<II", 4, 0),
            "head count",
        ),
        (
            b"llama.embedding_length" + struct.pack("<II", 4, 64),
            b"llama.embedding_length" + struct.pack("<Ii", 5, -64),
            "embedding length",
        ),
    ],
)
def test_the_reason_is_named(sound, tmp_path, before, after, reason):
    data = sound.read_bytes()
    assert data.count(before) == 1
    with pytest.raises(ModelUnreadable) as caught:
        gguf_file.check(broken(tmp_path, data.replace(before, after)))
    assert reason in caught.value.sentence
    assert caught.value.hint


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(ModelMissing) as caught:
        gguf_file.check(tmp_path / "none.gguf")
    assert "none.gguf" in caught.value.sentence
    with pytest.raises(ModelUnreadable):
        gguf_file.check(tmp_path)


@pytest.mark.parametrize("data", [b"", b"G", b"GGUF", b"PK\x03\x04" + bytes(5_000), bytes(5_000), b"\xff" * 5_000])
def test_other_files_are_refused(tmp_path, data):
    with pytest.raises(ModelUnreadable):
        gguf_file.check(broken(tmp_path, data))


def test_an_adapter_needs_no_vocabulary(tmp_path):
    pair = (tiny_gguf.weights(3, 4, 64), tiny_gguf.weights(4, 48, 4))
    path = tiny_gguf.adapter(tmp_path / "adapter.gguf", {"blk.0.attn_q.weight": pair}, alpha=8.0)
    assert len(gguf_file.check(path).tensors) == 2
