from __future__ import annotations

import contextlib
import ctypes
import itertools
import math
import os
import random
import struct
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from gguf import GGMLQuantizationType, GGUFValueType
from gguf.gguf_writer import GGUFValue

from core import cpu
from core.engines.llm.llama import LlamaJudge
from core.errors import ModelMissing, ModelUnreadable
from core.model_files import gguf
from tests.core.engines import tiny_gguf

ROOT = Path(gguf.__file__).parents[2]


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return tiny_gguf.model(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture
def no_loader(monkeypatch):
    """Reaching for the native loader is an ImportError."""
    monkeypatch.setitem(sys.modules, "llama_cpp", None)


@pytest.fixture(scope="module")
def fields(sound):
    """(place, form) of every number in the head, by the names of core.model_files.gguf's own reading."""
    places: list[tuple[int, str]] = []

    class Noting(gguf._Head):
        def number(self, form):
            places.append((self.offset, form))
            return super().number(form)

    with sound.open("rb") as stream:
        gguf._read(sound, Noting(stream, sound.stat().st_size), sound.stat().st_size)
    return places


def broken_file(tmp_path, data: bytes):
    path = tmp_path / "broken.gguf"
    path.write_bytes(data)
    return path


def test_a_sound_file_is_described(sound):
    head = gguf.check(sound)
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
    last = max(t.offset + t.size for t in gguf.check(sound).tensors)
    cuts = sorted({round(index * (last - 1) / 63) for index in range(64)})
    assert len(cuts) == 64
    for cut in cuts:
        path = broken_file(tmp_path, data[:cut])
        with pytest.raises(ModelUnreadable) as error:
            LlamaJudge(path)
        assert str(path) in error.value.sentence
        assert gguf.EFFECT in error.value.sentence


def test_wild_numbers_in_the_head_are_refused_before_the_native_loader(sound, fields, tmp_path, no_loader):
    data = sound.read_bytes()
    chosen = random.Random(7)
    count = 0
    for place, form in fields:
        size = struct.calcsize(form)
        for _ in range(3):
            # Too large for any honest file of this size, and odd: no offset and no type is either.
            wild = chosen.randrange(1 << (8 * size - 9), 1 << (8 * size)) | 1
            path = broken_file(tmp_path, data[:place] + struct.pack(form, wild) + data[place + size :])
            with pytest.raises(ModelUnreadable):
                LlamaJudge(path)
            count += 1
    assert count >= 100


def test_a_garbled_head_is_refused_or_still_sound(sound, tmp_path):
    data = sound.read_bytes()
    end = min(t.offset for t in gguf.check(sound).tensors)
    chosen = random.Random(7)
    refused = 0
    for _ in range(400):
        garbled = bytearray(data)
        for _ in range(chosen.choice((1, 1, 2, 8))):
            garbled[chosen.randrange(end)] = chosen.randrange(256)
        path = broken_file(tmp_path, bytes(garbled))
        try:
            head = gguf.check(path)
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
    ("old", "new", "reason"),
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
def test_the_reason_is_named(sound, tmp_path, old, new, reason):
    data = sound.read_bytes()
    assert data.count(old) == 1
    with pytest.raises(ModelUnreadable) as error:
        gguf.check(broken_file(tmp_path, data.replace(old, new)))
    assert reason in error.value.sentence
    assert error.value.hint


ARRAYS = "tokenizer.ggml."


def put(key: str, value, kind: GGUFValueType, inner: GGUFValueType | None = None):
    """A change to a file's head: this value instead of the one that is there."""
    return lambda writer: writer.kv_data[0].__setitem__(key, GGUFValue(value, kind, inner))


def listed(name: str, form):
    """A change to a list of the vocabulary, by the list as it is."""

    def change(writer):
        field = writer.kv_data[0][ARRAYS + name]
        writer.kv_data[0][ARRAYS + name] = GGUFValue(form(list(field.value)), field.type, field.sub_type)

    return change


def twice(*changes):
    return lambda writer: [change(writer) for change in changes]


U32, F32, TEXT, LIST = (GGUFValueType[name] for name in ("UINT32", "FLOAT32", "STRING", "ARRAY"))
# Most of these end the process that loads the file or reads with it; the others a loader refuses by itself.
ENDED_THE_LOADER = {
    "layers beyond its table": (put("llama.block_count", 900, U32), "block count"),
    "one layer more": (put("llama.block_count", 2, U32), "2 layers and has 1"),
    "no layers": (lambda writer: [writer.tensors[0].pop(n) for n in [*writer.tensors[0]] if "blk" in n], "has 0"),
    "experts that are not used": (put("llama.expert_count", 8, U32), "expert used count"),
    "experts beyond its table": (put("llama.expert_count", 9_999, U32), "expert count"),
    "more experts used than there are": (put("llama.expert_used_count", 5, U32), "expert used count"),
    "positions stretched": (put("llama.rope.scaling.type", "x", TEXT), "scales its positions"),
    "a negative epsilon": (put("llama.attention.layer_norm_rms_epsilon", -1.0, F32), "epsilon"),
    "an epsilon that is no number": (put("llama.attention.layer_norm_rms_epsilon", math.nan, F32), "epsilon"),
    "no kind of vocabulary": (put(ARRAYS + "model", "none", TEXT), "no vocabulary"),
    "a vocabulary of another trade": (put(ARRAYS + "model", "bert", TEXT), "no vocabulary"),
    "a token twice": (listed("tokens", lambda words: [*words[:-1], words[5]]), "a token twice"),
    "a token twice up to a zero": (listed("tokens", lambda words: [*words[:-1], words[5] + "\0x"]), "a token twice"),
    "a byte that is none": (listed("tokens", lambda words: [*words[:9], "<0xZZ>", *words[10:]]), "lacks bytes"),
    "words that are numbers": (put(ARRAYS + "tokens", [1] * 262, LIST, GGUFValueType.INT32), "wrong type"),
    "kinds that are words": (put(ARRAYS + "token_type", ["1"] * 262, LIST, TEXT), "wrong type"),
    "kinds without a sign": (put(ARRAYS + "token_type", [1] * 262, LIST, U32), "wrong type"),
    "kinds of another number": (listed("token_type", lambda kinds: kinds[:-5]), "inconsistent lengths"),
    "kinds that are no list": (put(ARRAYS + "token_type", 1, U32), "inconsistent lengths"),
    "weights of another width": (put(ARRAYS + "scores", [0.0] * 262, LIST, GGUFValueType.FLOAT64), "wrong type"),
    "weights of another number": (listed("scores", lambda scores: [*scores, 0.0]), "inconsistent lengths"),
    "a weight that is no number": (listed("scores", lambda scores: [*scores[:-1], math.nan]), "no score"),
    "merges that are numbers": (put(ARRAYS + "merges", [1, 2], LIST, GGUFValueType.INT32), "wrong type"),
    "a first word that is not there": (put(ARRAYS + "bos_token_id", 0x7FFF_FFFF, U32), "bos token id"),
    "a last word that is not there": (put(ARRAYS + "eos_token_id", 262, U32), "eos token id"),
}


@pytest.mark.parametrize("case", ENDED_THE_LOADER)
def test_what_ends_a_loader_is_refused_before_it(case, tmp_path, no_loader):
    change, reason = ENDED_THE_LOADER[case]
    path = tiny_gguf.chat(tmp_path / "spoilt.gguf", ("<|im_start|>", "<|im_end|>"), change=change)
    with pytest.raises(ModelUnreadable, match=reason):
        LlamaJudge(path)


@pytest.mark.parametrize(
    "change",
    [
        put(ARRAYS + "bos_token_id", 0xFFFF_FFFF, U32),  # none
        put(ARRAYS + "padding_token_id", 9_999, U32),  # such files are in use, and nothing is ever padded
        put("llama.rope.scaling.type", "yarn", TEXT),
        twice(put("llama.block_count", 2, U32), put("llama.nextn_predict_layers", 1, U32)),
        twice(put("llama.expert_count", 8, U32), put("llama.expert_used_count", 2, U32)),
        put("llama.feed_forward_length", [64], LIST, U32),  # one a layer
        listed("tokens", lambda words: [*words[:-2], "", ""]),
        lambda writer: [writer.kv_data[0].pop(ARRAYS + name) for name in ("scores", "token_type")],
    ],
)
def test_what_honest_files_hold_is_let_through(change, tmp_path):
    gguf.check(tiny_gguf.chat(tmp_path / "fine.gguf", ("<|im_start|>", "<|im_end|>"), change=change))


def test_every_type_of_tensor_is_known_as_the_library_knows_it():
    library = ctypes.CDLL(str(next(cpu.folders()[0].glob("*ggml-base.*"))))
    library.ggml_blck_size.restype = ctypes.c_int64
    library.ggml_type_size.restype = ctypes.c_size_t
    library.ggml_type_name.restype = ctypes.c_char_p
    sizes = {number: (library.ggml_blck_size(number), library.ggml_type_size(number)) for number in gguf._BLOCKS}
    assert sizes == gguf._BLOCKS
    names = {number: library.ggml_type_name(number) for number in gguf._BLOCKS}
    assert (names[39], names[40]) == (b"mxfp4", b"nvfp4")
    computed_in = {kind for kind in GGMLQuantizationType if kind.name in ("Q8_1", "Q8_K")}
    assert set(gguf._BLOCKS) >= set(GGMLQuantizationType) - computed_in


def test_a_model_in_four_bits_with_shared_exponents_is_sound(tmp_path):
    def change(writer):
        data = numpy.zeros((tiny_gguf.WIDTH, tiny_gguf.WIDTH // 32 * 17), numpy.uint8)
        kind = GGMLQuantizationType.MXFP4
        writer.tensors[0].pop("blk.0.ffn_up.weight")
        writer.add_tensor("blk.0.ffn_up.weight", data, raw_dtype=kind)
        put("general.file_type", 38, U32)(writer)

    head = gguf.check(tiny_gguf.chat(tmp_path / "four.gguf", change=change))
    (tensor,) = (tensor for tensor in head.tensors if tensor.type == 39)
    assert (tensor.shape, tensor.size) == ((64, 64), 64 * 2 * 17)
    assert head.quantisation == "MXFP4"


LOAD = """
import os, resource, sys
from pathlib import Path
from core.engines.llm.llama import LlamaJudge
from core.errors import AppError
import llama_cpp

resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
for path in sys.argv[1:]:
    process = os.fork()
    if not process:
        try:
            LlamaJudge(Path(path), plain=True).judge("The pump stopped.", ["The pump ran."])
        except AppError:
            os._exit(1)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="each file is loaded in a process of its own, by fork")
@pytest.mark.parametrize("merges", [(), ("supports", "contradicts", "neutral")])
def test_a_garbled_head_that_is_let_through_never_ends_the_loader(tmp_path, merges):
    data = tiny_gguf.chat(tmp_path / "a.gguf", ("<|im_start|>", "<|im_end|>"), merges=merges).read_bytes()
    end = min(tensor.offset for tensor in gguf.check(tmp_path / "a.gguf").tensors)
    chosen = random.Random(11)
    through = []
    while len(through) < 40:
        garbled = bytearray(data)
        offset = chosen.randrange(24, end - 4)
        if chosen.random() < 0.7:
            garbled[offset] ^= 1 << chosen.randrange(8)
        else:
            garbled[offset : offset + 4] = struct.pack("<I", chosen.choice((0, 1, 900, 0x7FFF_FFFF, 0xFFFF_FFFF)))
        path = tmp_path / f"{len(through)}.gguf"
        path.write_bytes(garbled)
        with contextlib.suppress(ModelUnreadable):
            gguf.check(path)
            through.append(path)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "GGML_NO_BACKTRACE": "1", "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", LOAD, *map(str, through)], env=environment, capture_output=True, text=True, check=True
    )
    ends = [int(line) for line in run.stdout.split()]
    assert len(ends) == len(through)
    assert set(ends) <= {0, 1}, [(path.name, end) for path, end in zip(through, ends, strict=True) if end not in (0, 1)]
    assert ends.count(0) > 10  # most are harmless


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(ModelMissing) as error:
        gguf.check(tmp_path / "none.gguf")
    assert "none.gguf" in error.value.sentence
    with pytest.raises(ModelUnreadable):
        gguf.check(tmp_path)


@pytest.mark.parametrize("data", [b"", b"G", b"GGUF", b"PK\x03\x04" + bytes(5_000), bytes(5_000), b"\xff" * 5_000])
def test_other_files_are_refused(tmp_path, data):
    with pytest.raises(ModelUnreadable):
        gguf.check(broken_file(tmp_path, data))


def test_an_adapter_needs_no_vocabulary(tmp_path):
    pair = (tiny_gguf.weights(3, 4, 64), tiny_gguf.weights(4, 48, 4))
    path = tiny_gguf.adapter(tmp_path / "adapter.gguf", {"blk.0.attn_q.weight": pair}, alpha=8.0)
    assert len(gguf.check(path).tensors) == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name here")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    pipe = tmp_path / "pipe.gguf"
    os.mkfifo(pipe)
    code = (
        "import sys\nfrom pathlib import Path\nfrom core.errors import ModelUnreadable\n"
        "from core.model_files import gguf\n"
        "try: gguf.check(Path(sys.argv[1]))\nexcept ModelUnreadable as error: print(error.details['reason'])"
    )
    run = subprocess.run([sys.executable, "-c", code, str(pipe)], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert run.stdout.strip() == "it is not a file"
