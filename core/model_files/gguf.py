"""Read the head of a GGUF file in plain Python, before a native loader sees it.

The native loader trusts much of what a file says about itself; a truncated or garbled file can end the process. What
``check`` lets through has a sound head: counts and lengths within bounds, names that occur once, known types, and every
tensor inside the file. Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import hashlib
import math
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from core.errors import ModelMissing, ModelUnreadable, NotEnoughMemory

EFFECT = "no passage can be judged; everything else works"

_MAX_KEY_BYTES = 65_535  # bytes, from the format
_MAX_STRING_BYTES = 1 << 20  # bytes; the longest in use are chat templates of some 10 KB
_MAX_ARRAY = 1 << 21  # entries; vocabularies and merges have up to some 500,000
_MAX_KEYS = 4_096
_MAX_TENSORS = 65_536
_MAX_DIMENSIONS = 4

_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9
_I32, _F32 = 5, 6

# A loader does not refuse these but ends the process: more layers or experts than its tables hold, a way of stretching
# positions that it does not know, a vocabulary by which it cannot read.
_MAX_LAYERS = _MAX_EXPERTS = 512
_STRETCHED = ("none", "linear", "yarn", "longrope")
_NO_WORDS = ("none", "no_vocab", "bert")
_NO_TOKEN = 0xFFFF_FFFF

# ggml type: (weights a block, bytes a block), as ggml_blck_size and ggml_type_size tell them. Missing: numbers that are
# no longer in use, and Q8_1 and Q8_K, in which the library computes and no file is kept.
_BLOCKS = {
    0: (1, 4),  # F32
    1: (1, 2),  # F16
    2: (32, 18),  # Q4_0
    3: (32, 20),  # Q4_1
    6: (32, 22),  # Q5_0
    7: (32, 24),  # Q5_1
    8: (32, 34),  # Q8_0
    10: (256, 84),  # Q2_K
    11: (256, 110),  # Q3_K
    12: (256, 144),  # Q4_K
    13: (256, 176),  # Q5_K
    14: (256, 210),  # Q6_K
    16: (256, 66),  # IQ2_XXS
    17: (256, 74),  # IQ2_XS
    18: (256, 98),  # IQ3_XXS
    19: (256, 50),  # IQ1_S
    20: (32, 18),  # IQ4_NL
    21: (256, 110),  # IQ3_S
    22: (256, 82),  # IQ2_S
    23: (256, 136),  # IQ4_XS
    24: (1, 1),  # I8
    25: (1, 2),  # I16
    26: (1, 4),  # I32
    27: (1, 8),  # I64
    28: (1, 8),  # F64
    29: (256, 56),  # IQ1_M
    30: (1, 2),  # BF16
    34: (256, 54),  # TQ1_0
    35: (256, 66),  # TQ2_0
    39: (32, 17),  # MXFP4
    40: (64, 36),  # NVFP4
    41: (128, 18),  # Q1_0
    42: (64, 18),  # Q2_0
}

FILE_TYPES = {0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 12: "Q3_K_M",
              14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 25: "IQ4_NL", 30: "IQ4_XS",
              32: "BF16", 38: "MXFP4"}  # fmt: skip

# Bytes of addresses that the library and its threads reserve and hardly use; they count where a process is granted so
# many (measured: a model that needs 315 MB runs with 550 MB of them, not with 520).
_RESERVED = 200_000_000

Scalar = int | float | bool | str


@dataclass(frozen=True, slots=True)
class Tensor:
    """``size`` and ``offset`` in bytes; ``offset`` counts from the start of the file."""

    name: str
    shape: tuple[int, ...]
    type: int
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class GgufFile:
    """The head of an audio file. ``arrays`` holds only the lengths."""

    path: Path
    version: int
    values: dict[str, Scalar]
    arrays: dict[str, int]
    tensors: tuple[Tensor, ...]
    control: frozenset[str] = frozenset()  # control words of the vocabulary, by their text
    words_at: int = 0  # byte where the words of the vocabulary begin

    @property
    def architecture(self) -> str:
        """The kind of model, as its maker names it; '' where it does not say."""
        return str(self.values.get("general.architecture", ""))

    @property
    def quantisation(self) -> str:
        """Return how its weights are kept."""
        kind = self.values.get("general.file_type")
        return FILE_TYPES.get(kind, f"type {kind}") if isinstance(kind, int) else "of no stated type"

    @property
    def weights(self) -> int:
        """Return how many numbers the model has learned."""
        return sum(math.prod(tensor.shape) for tensor in self.tensors)

    def memory(self, window: int, batch: int) -> int:
        """Estimate the bytes that the model takes in use.

        They are its weights, the keys and values of ``window`` tokens in half precision, what is computed of ``batch``
        tokens at a time, and the process around it. For three models of 135 and 270 million weights it was 3 to 7 %
        more than their processes took at most. An encoder's matrices are loaded as whole numbers, its table of words
        as floating point.
        """
        if self.architecture == JUDGE:
            return self._encoder_memory()
        layers, width, heads = (
            self._size(key, 1) for key in ("block_count", "embedding_length", "attention.head_count")
        )
        kv_heads = self._size("attention.head_count_kv", heads)
        keys = self._size("attention.key_length", width // max(1, heads))
        values = self._size("attention.value_length", keys)
        wide = 4 * width + 2 * self._size("feed_forward_length", 4 * width)
        words = self.arrays.get("tokenizer.ggml.tokens", 0)
        return (
            sum(tensor.size for tensor in self.tensors)
            + layers * kv_heads * (keys + values) * 2 * window
            + 4 * batch * (wide + heads * window)
            + words * 200
            + 60_000_000
        )

    def _encoder_memory(self) -> int:
        in_layers = sum(math.prod(tensor.shape) for tensor in self.tensors if tensor.name.startswith("blk."))
        return 3 * in_layers + 4 * (self.weights - in_layers) + 70_000_000

    def _size(self, key: str, otherwise: int) -> int:
        value = self.values.get(f"{self.architecture}.{key}")
        return value if isinstance(value, int) else otherwise


class _Unsound(Exception):
    """A fault, in a few words."""


class _Head:
    """Reads forward through the head and never past the end of the file."""

    def __init__(self, stream: IO[bytes], size: int) -> None:
        self._stream = stream
        self._left = size
        self.offset = 0

    def take(self, count: int) -> bytes:
        if count > self._left:
            raise _Unsound("it is truncated")
        data = self._stream.read(count)
        if len(data) != count:
            raise _Unsound("it is truncated")
        self._left -= count
        self.offset += count
        return data

    def number(self, form: str) -> int:
        return int(struct.unpack(form, self.take(struct.calcsize(form)))[0])

    def string(self, longest: int = _MAX_STRING_BYTES) -> str:
        length = self.number("<Q")
        if length > longest:
            raise _Unsound("a text in its header is too long")
        return self.take(length).decode("utf-8", "replace")

    def strings(self, count: int) -> Iterator[bytes]:
        for _ in range(count):
            length = self.number("<Q")
            if length > _MAX_STRING_BYTES:
                raise _Unsound("a text in its header is too long")
            yield self.take(length)


def sha256(path: Path) -> str:
    """Hex digest of a file's bytes; some 0.1 s for 150 MB."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def check(path: Path) -> GgufFile:
    """Read the head of the GGUF file at ``path``. Raises ModelMissing, ModelUnreadable; takes under a second."""
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise _Unsound("it is not a file")
        size = path.stat().st_size
        with path.open("rb") as stream:
            return _read(path, _Head(stream, size), size)
    except FileNotFoundError as error:
        raise ModelMissing(role="judging", path=path, effect=EFFECT) from error
    except OSError as error:
        raise ModelUnreadable(path=path, reason=error.strerror or type(error).__name__, effect=EFFECT) from error
    except _Unsound as error:
        raise ModelUnreadable(path=path, reason=str(error), effect=EFFECT) from error


def _read(path: Path, head: _Head, size: int) -> GgufFile:
    if head.take(4) != b"GGUF":
        raise _Unsound("it is not a GGUF file")
    version = head.number("<I")
    if version not in (2, 3):
        raise _Unsound(f"its format version {version} is not known")
    tensor_count, key_count = head.number("<Q"), head.number("<Q")
    if tensor_count > _MAX_TENSORS or key_count > _MAX_KEYS:
        raise _Unsound("it claims too many parts")
    vocabulary = _Vocabulary()
    values, arrays = _keys(head, key_count, vocabulary)
    tensors = _tensors(head, tensor_count, values, size)
    _shape_of_model(values, arrays, tensors)
    if values.get("general.type") != "adapter":
        _check_words(values, arrays, vocabulary)
    return GgufFile(path, version, values, arrays, tensors, vocabulary.control(), vocabulary.offset)


def words(head: GgufFile) -> list[str]:
    """Read the vocabulary of a file whose head was checked. Raises OSError, ValueError for a file that was changed."""
    size = head.path.stat().st_size
    with head.path.open("rb") as stream:
        stream.seek(head.words_at)
        try:
            texts = _Head(stream, size - head.words_at).strings(head.arrays["tokenizer.ggml.tokens"])
            return [text.decode("utf-8", "replace") for text in texts]
        except _Unsound as error:
            raise ValueError(str(error)) from error


_BYTE = re.compile(rb"<0x[0-9A-F]{2}>")
_KINDS = {
    "tokenizer.ggml.tokens": _STRING,
    "tokenizer.ggml.merges": _STRING,
    "tokenizer.ggml.token_type": _I32,
    "tokenizer.ggml.scores": _F32,
}


class _Vocabulary:
    """The contents of a vocabulary: words that look like control words, until their kinds are known; bytes; doubles."""

    def __init__(self) -> None:
        self.offset = 0  # byte of the file
        self.words: dict[int, str] = {}
        self.kinds = b""
        self.doubles = False
        self.bytes: set[int] = set()  # those that can be read as a word of their own

    def read(self, texts: Iterator[bytes]) -> None:
        earlier_texts: set[bytes] = set()
        for index, raw in enumerate(texts):
            text = raw.partition(b"\0")[0]  # so a loader reads it
            self.doubles = self.doubles or (bool(text) and text in earlier_texts)
            earlier_texts.add(text)
            if len(text) == 1:
                self.bytes.add(text[0])
            if text[:1] not in (b"<", b"["):
                continue
            self.words[index] = text[:200].decode("utf-8", "replace")
            if _BYTE.fullmatch(text):
                self.bytes.add(int(text[3:5], 16))

    def control(self) -> frozenset[str]:
        kinds = struct.unpack(f"<{len(self.kinds) // 4}i", self.kinds)
        return frozenset(text for index, text in self.words.items() if index < len(kinds) and kinds[index] in (3, 4))


def _keys(head: _Head, count: int, vocabulary: _Vocabulary) -> tuple[dict[str, Scalar], dict[str, int]]:
    values: dict[str, Scalar] = {}
    arrays: dict[str, int] = {}
    for _ in range(count):
        key = head.string(_MAX_KEY_BYTES)
        if not key or key in values or key in arrays:
            raise _Unsound("a name in its header is empty or occurs twice")
        kind = head.number("<I")
        if kind == _STRING:
            values[key] = head.string()
        elif kind == _ARRAY:
            arrays[key] = _array(head, key, vocabulary)
        elif kind in _SCALARS:
            form = _SCALARS[kind]
            raw = head.take(struct.calcsize(form))
            if kind == 7 and raw not in (b"\0", b"\1"):
                raise _Unsound("a value in its header is neither true nor false")
            values[key] = struct.unpack(form, raw)[0]
        else:
            raise _Unsound("a value in its header is of unknown type")
    return values, arrays


def _array(head: _Head, key: str, vocabulary: _Vocabulary) -> int:
    kind, length = head.number("<I"), head.number("<Q")
    if length > _MAX_ARRAY:
        raise _Unsound("a list in its header is too long")
    if kind != _KINDS.get(key, kind):
        raise _Unsound("a list of its vocabulary is of the wrong type")
    if kind == _STRING:
        texts = head.strings(length)
        if key == "tokenizer.ggml.tokens":
            vocabulary.offset = head.offset
            vocabulary.read(texts)
        for _ in texts:
            pass
    elif kind in _SCALARS:
        numbers = head.take(length * struct.calcsize(_SCALARS[kind]))
        if key == "tokenizer.ggml.token_type":
            vocabulary.kinds = numbers
        if key == "tokenizer.ggml.scores" and any(map(math.isnan, struct.unpack(f"<{length}f", numbers))):
            raise _Unsound("a token of its vocabulary has no score")
    else:
        raise _Unsound("a list in its header is of unknown type")
    return length


def _tensors(head: _Head, count: int, values: dict[str, Scalar], size: int) -> tuple[Tensor, ...]:
    alignment = values.get("general.alignment", 32)
    if not isinstance(alignment, int) or not 8 <= alignment <= 1 << 16 or alignment & (alignment - 1):
        raise _Unsound("its alignment is implausible")
    entries: list[tuple[str, tuple[int, ...], int, int, int]] = []
    names: set[str] = set()
    for _ in range(count):
        name = head.string(_MAX_KEY_BYTES)
        if not name or name in names:
            raise _Unsound("a tensor has no name or a name that occurs twice")
        names.add(name)
        dimensions = head.number("<I")
        if not 1 <= dimensions <= _MAX_DIMENSIONS:
            raise _Unsound("a tensor has an impossible shape")
        shape = tuple(head.number("<Q") for _ in range(dimensions))
        kind, offset = head.number("<I"), head.number("<Q")
        if kind not in _BLOCKS:
            raise _Unsound("a tensor is of unknown type")
        weights, bytes_ = _BLOCKS[kind]
        if min(shape) < 1 or math.prod(shape) > 1 << 40 or shape[0] % weights:
            raise _Unsound("a tensor has an impossible shape")
        if offset % alignment:
            raise _Unsound("a tensor does not start where one may start")
        entries.append((name, shape, kind, offset, math.prod(shape) // weights * bytes_))
    start = -(-head.offset // alignment) * alignment
    last_end = 0
    # In the order of their places, each after the one before: overlapping tensors are no honest file.
    for _, _, _, offset, length in sorted(entries, key=lambda tensor: tensor[3]):
        if offset < last_end:
            raise _Unsound("two of its tensors overlap")
        last_end = offset + length
        if start + last_end > size:
            raise _Unsound("it is truncated")
    return tuple(Tensor(name, shape, kind, start + offset, length) for name, shape, kind, offset, length in entries)


JUDGE = "mpnet-judge"  # the architecture of an encoder that reads passage and hypothesis together

_LAYER = re.compile(r"blk\.([0-9]{1,4})\.")

# Models that make vectors, pictures, sound or a translation, and do not continue a text.
_NO_WRITERS = ("bert", "t5", "clip", "whisper", "wavtokenizer", "siglip", "vit", "esm", "sdxl", "flux", "diffusion")


def no_writer(head: GgufFile) -> str:
    """Return why no text can be continued with this file, by its own word; '' where nothing speaks against it."""
    if head.values.get("general.type") == "adapter":
        return "it is an adapter, which works on top of a model only: merge the two first"
    parts = head.values.get("split.count", 0)
    if isinstance(parts, int) and parts > 1:
        return f"it is one of {parts} parts: join them first, with llama-gguf-split --merge"
    if trained_to_judge(head) or any(name in head.architecture.lower() for name in _NO_WRITERS):
        return f"it is a model of the kind '{head.architecture[:40]}', which does not continue a text"
    return ""


def trained_to_judge(head: GgufFile) -> bool:
    """Return whether the file is an encoder that was trained to judge (core.engines.cross_encoder)."""
    return head.architecture == JUDGE


def free_memory() -> int | None:
    """Return the bytes that this process can still take; None if the system does not tell.

    They are what is free on the computer, and no more than the process was granted.
    """
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
        import resource  # not on Windows, which has no /proc either

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return free
        in_use = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
        return max(0, min(free, limit - in_use - _RESERVED))
    except (OSError, StopIteration, ValueError, IndexError):
        return None


def require_memory(head: GgufFile, window: int, batch: int) -> None:
    """Raise NotEnoughMemory when the model cannot fit, where the system tells. A cause before, not a death after."""
    need, free = head.memory(window, batch), free_memory()
    if free is not None and free < need:
        raise NotEnoughMemory(role="judging", needed=f"{need / 1e6:,.0f}", free=f"{free / 1e6:,.0f}", effect=EFFECT)


def _shape_of_model(values: dict[str, Scalar], arrays: dict[str, int], tensors: tuple[Tensor, ...]) -> None:
    """Check the few numbers by which a loader divides or multiplies, for a model of texts; an adapter has none."""
    architecture = values.get("general.architecture")
    if not isinstance(architecture, str) or not architecture:
        raise _Unsound("it does not say what kind of model it is")
    if values.get("general.type") == "adapter":
        return
    if not tensors:
        raise _Unsound("it has no weights")
    for key, limit in (
        ("block_count", _MAX_LAYERS),
        ("embedding_length", 1 << 17),
        ("feed_forward_length", 1 << 20),
        ("attention.head_count", 4_096),
        ("attention.head_count_kv", 4_096),
        ("context_length", 1 << 24),
        ("vocab_size", _MAX_ARRAY),
        ("rope.dimension_count", 1 << 14),
    ):
        value = values.get(f"{architecture}.{key}", 1)
        if not isinstance(value, int) or not 1 <= value <= limit:
            raise _Unsound(f"its {key.replace('_', ' ').replace('.', ' ')} is implausible")
    _check_layers(values, architecture, tensors)
    scaling = values.get(f"{architecture}.rope.scaling.type", "none")
    if scaling not in _STRETCHED:
        raise _Unsound("it scales its positions in an unknown way")
    for key in ("layer_norm_epsilon", "layer_norm_rms_epsilon", "group_norm_epsilon"):
        least = values.get(f"{architecture}.attention.{key}", 0.0)
        if not isinstance(least, float) or not 0.0 <= least < 1.0:
            raise _Unsound(f"its {key.replace('_', ' ')} is implausible")


def _check_layers(values: dict[str, Scalar], architecture: str, tensors: tuple[Tensor, ...]) -> None:
    """Check that it holds as many layers as it says; that of its experts it uses some, and not more than it has."""
    layers = {int(match[1]) for tensor in tensors if (match := _LAYER.match(tensor.name))}
    block_count = values.get(f"{architecture}.block_count")
    # Layers that only guess ahead are counted and may be left out.
    ahead = values.get(f"{architecture}.nextn_predict_layers", 0)
    if isinstance(block_count, int) and isinstance(ahead, int):
        last = 1 + max(layers, default=-1)
        if not max(1, block_count - ahead) <= last <= block_count:
            raise _Unsound(f"it says that it has {block_count:,} layers and has {last:,}")
    experts, experts_in_use = (values.get(f"{architecture}.{key}", 0) for key in ("expert_count", "expert_used_count"))
    if isinstance(experts, int) and not 0 <= experts <= _MAX_EXPERTS:
        raise _Unsound("its expert count is implausible")
    if (
        isinstance(experts, int)
        and isinstance(experts_in_use, int)
        and not min(1, experts) <= experts_in_use <= experts
    ):
        raise _Unsound("its expert used count is implausible")


def _check_words(values: dict[str, Scalar], arrays: dict[str, int], vocabulary: _Vocabulary) -> None:
    """Check that the vocabulary has one length, each word once and the marks that it names, and can read every text."""
    words = arrays.get("tokenizer.ggml.tokens")
    kind = values.get("tokenizer.ggml.model", "")
    if not words or kind in _NO_WORDS:
        raise _Unsound("it has no vocabulary")
    for key in ("tokenizer.ggml.token_type", "tokenizer.ggml.scores"):
        if key in values or arrays.get(key, words) != words:
            raise _Unsound("its vocabulary has inconsistent lengths")
    if vocabulary.doubles:
        raise _Unsound("its vocabulary has a token twice")
    for key in ("bos", "eos"):
        mark = values.get(f"tokenizer.ggml.{key}_token_id", 0)
        if not isinstance(mark, int) or not (0 <= mark < words or mark == _NO_TOKEN):
            raise _Unsound(f"its {key} token id is outside its vocabulary")
    if kind == "llama" and len(vocabulary.bytes) < 256:
        raise _Unsound("its vocabulary lacks bytes, so there are texts that it cannot read")
