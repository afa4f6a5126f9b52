"""MPNet, run by onnxruntime: its graph is built from the weights of a GGUF file.

Matrices are multiplied in whole numbers: weights of 7 bits a row, states of 8 bits. Seven, because processors without
VNNI add two products of 8 bits in 16 and would lose the highest ones. Where the file has scales a channel (``smooth``),
states are divided by them and the weights in the file are multiplied already (Xiao et al. 2023, SmoothQuant). A few
tokens have states a hundred times larger than all others before the last product of a layer: there each row has a step
of its own. The bias of relative places is that of Song et al. 2020, MPNet: Masked and Permuted Pre-training for
Language Understanding, in the buckets of T5.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.engines.embedding.onnx_graph import Graph
from core.errors import ModelUnreadable
from core.model_files import gguf

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

FIRST_PLACE = 2  # of the positions; those before belong to padding
BUCKETS, FAR = 32, 128  # of relative places, half of them to each side; places farther away share the last
_LEAST_VARIANCE = 1e-5
_HIGHEST = 63  # of a weight in 7 bits
_SCALE = ".smooth"


@dataclass(frozen=True, slots=True)
class Encoder:
    """An encoder, loaded: the states of token ids, with the ids of the marks that frame texts."""

    layers: Callable[[Sequence[int]], NDArray[numpy.float32]]  # a row a token: of a middle layer, then of the last
    size: int  # of a state
    tokenizer: Tokenizer
    begin: int
    end: int
    capacity: int  # tokens at once
    heads: Mapping[str, tuple[NDArray[numpy.float32], ...]]  # matrix, shift, matrix, shift
    library: str

    def states(self, tokens: Sequence[int]) -> NDArray[numpy.float32]:
        """Return the states of the last layer, a row a token."""
        return self.layers(tokens)[:, self.size :]


def load(path: Path, head: gguf.GgufFile, *, threads: int) -> Encoder:
    """Load the encoder of a file whose head was checked. Raises ModelUnreadable."""
    import onnxruntime

    tensors = {tensor.name: tensor for tensor in head.tensors}
    try:
        words = gguf.words(head)
    except (OSError, ValueError) as error:
        raise unreadable(path, "its vocabulary cannot be read") from error

    weights = functools.partial(_weights, path, tensors)
    number = functools.partial(_number, head)
    layers, size, heads = number("block_count"), number("embedding_length"), number("attention.head_count")
    inner = number("feed_forward_length")
    if not 1 <= layers <= 48 or not 1 <= heads <= 64 or size % heads:
        raise unreadable(path, "the sizes in its head do not fit together")
    token_rows = weights("token_embd.weight", len(words), size)
    place_rows = weights("position_embd.weight", None, size)
    bias_rows = weights("relative_bias.weight", BUCKETS, heads)
    scales = {name for name in tensors if name.endswith(_SCALE)}
    graph = _graph(weights, scales, layers, size, heads, inner)
    onnxruntime.disable_telemetry_events()  # on Windows it would tell the system what is run
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # Threads that spin while they wait cost more than they win as soon as anything else runs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the cause can only be the file
        raise unreadable(path, "its weights do not fit together") from error
    capacity = len(place_rows) - FIRST_PLACE
    bias = _Bias(bias_rows, capacity)
    verdicts = {
        name.split(".")[1]: (
            weights(f"head.{name.split('.')[1]}.inner.weight", size, size),
            weights(f"head.{name.split('.')[1]}.inner.bias", size),
            weights(f"head.{name.split('.')[1]}.outer.weight", None, size),
            weights(f"head.{name.split('.')[1]}.outer.bias", None),
        )
        for name in tensors
        if name.startswith("head.") and name.endswith(".outer.weight")
    }
    del graph

    def layers_of(tokens: Sequence[int]) -> NDArray[numpy.float32]:
        count = len(tokens)
        embedded = token_rows[tokens] + place_rows[FIRST_PLACE : FIRST_PLACE + count]
        (rows,) = session.run(None, {"embedded": embedded[None], "bias": bias(count)})
        result: NDArray[Any] = rows[0]
        return result

    tokenizer = _tokenizer(words, path)
    begin, end = tokenizer.token_to_id("<s>"), tokenizer.token_to_id("</s>")
    if begin is None or end is None:
        raise unreadable(path, "its vocabulary lacks the marks around texts")
    return Encoder(layers_of, size, tokenizer, begin, end, capacity, verdicts, f"onnxruntime {onnxruntime.__version__}")


def floats(path: Path, head: gguf.GgufFile) -> dict[str, NDArray[numpy.float32]]:
    """Return all weights of a file whose head was checked, by name. Raises ModelUnreadable."""
    tensors = {tensor.name: tensor for tensor in head.tensors}
    return {name: _weights(path, tensors, name, *(None for _ in tensor.shape)) for name, tensor in tensors.items()}


def threads(*, plain: bool = False) -> int:
    """Return the number of threads to compute with: 1 where a processor is to be spared its wide instructions."""
    return 1 if plain else int(os.environ.get("OMP_NUM_THREADS", "0") or 0)


def unreadable(path: Path, reason: str) -> ModelUnreadable:
    """Return the error of a file that cannot be used."""
    return ModelUnreadable(path=path, reason=reason, effect=gguf.EFFECT)


def _weights(path: Path, tensors: Mapping[str, gguf.Tensor], name: str, *shape: int | None) -> NDArray[numpy.float32]:
    """Return one weight of ``path``; None in ``shape``: of any length."""
    import numpy
    from gguf import GGMLQuantizationType
    from gguf.quants import dequantize

    tensor = tensors.get(name)
    size = tuple(reversed(tensor.shape)) if tensor is not None else ()
    if (
        tensor is None
        or len(size) != len(shape)
        or any(expected not in (None, length) for expected, length in zip(shape, size, strict=True))
    ):
        raise unreadable(path, f"its weights lack {name}, or have it in another size than its head says")
    try:
        data = numpy.fromfile(path, numpy.uint8, tensor.size, offset=tensor.offset)
        array = dequantize(data[None], GGMLQuantizationType(tensor.type)).reshape(size)
    except (OSError, ValueError, TypeError, NotImplementedError) as error:
        raise unreadable(path, f"{name} in its weights cannot be read") from error
    if not numpy.isfinite(array).all():
        raise unreadable(path, f"{name} in its weights holds values that are no numbers")
    return array.astype(numpy.float32, copy=False)


def _number(head: gguf.GgufFile, key: str) -> int:
    value = head.values.get(f"{head.architecture}.{key}")
    if not isinstance(value, int):
        raise unreadable(head.path, f"its head lacks its {key.replace('_', ' ').replace('.', ' ')}")
    return value


def _tokenizer(words: Sequence[str], path: Path) -> Tokenizer:
    """Return BERT's tokeniser of lower case. No word of a text can become a mark: the marks are not added to it."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    vocabulary = {word: index for index, word in enumerate(words)}
    if "[UNK]" not in vocabulary:
        raise unreadable(path, "its vocabulary lacks a token for unknown words")
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


class _Bias:
    """The bias that each head adds to the attention between two places, by their distance."""

    def __init__(self, rows: NDArray[numpy.float32], capacity: int) -> None:
        import numpy

        distances = numpy.arange(1 - capacity, capacity)
        self._by_distance = rows[bucket(distances)].T.copy()  # (heads, distances)
        self._middle = capacity - 1

    def __call__(self, count: int) -> NDArray[numpy.float32]:
        """Return (1, heads, count, count)."""
        import numpy

        places = numpy.arange(count)
        bias: NDArray[numpy.float32] = self._by_distance[:, places[None, :] - places[:, None] + self._middle][None]
        return bias


def bucket(distance: NDArray[Any]) -> NDArray[Any]:
    """Return the bucket of relative places: exact to half of a side's buckets, then by the logarithm."""
    import numpy

    side = BUCKETS // 2
    exact = side // 2
    apart = numpy.abs(distance)
    # In float32, as the model was trained: at the borders another precision gives the next bucket.
    scale = numpy.log(numpy.maximum(apart, 1).astype(numpy.float32) / exact) / numpy.float32(numpy.log(FAR / exact))
    far = numpy.minimum(exact + (scale * (side - exact)).astype(numpy.int64), side - 1)
    number: NDArray[Any] = numpy.where(distance > 0, side, 0) + numpy.where(apart < exact, apart, far)
    return number


def _graph(
    weights: Callable[..., NDArray[numpy.float32]],
    scales: Collection[str],
    layers: int,
    size: int,
    heads: int,
    inner: int,
) -> bytes:
    """Build the model from the sum of token and place to the states of a middle layer and of the last."""
    import numpy

    graph = Graph()

    def norm(name: str, key: str, inputs: list[str]) -> str:
        kind = "SkipLayerNormalization" if len(inputs) == 2 else "LayerNormalization"  # of the sum of two
        scale = graph.constant(f"{name} scale", weights(f"{key}.weight", size))
        shift = graph.constant(f"{name} shift", weights(f"{key}.bias", size))
        return graph.node(kind, [*inputs, scale, shift], name, epsilon=_LEAST_VARIANCE)

    def whole(name: str, key: str, wide: int, deep: int) -> tuple[str, NDArray[numpy.float32], str]:
        matrix = weights(f"{key}.weight", wide, deep)
        steps = numpy.maximum(numpy.abs(matrix).max(axis=1) / _HIGHEST, 1e-12).astype(numpy.float32)
        values = numpy.ascontiguousarray(numpy.rint(matrix / steps[:, None]).astype(numpy.int8).T)
        shift = graph.constant(f"{name} shift", weights(f"{key}.bias", wide))
        return graph.constant(f"{name} matrix", values), steps, shift

    def linear(name: str, key: str, value: str, wide: int, deep: int) -> str:
        matrix, steps, shift = whole(name, key, wide, deep)
        inputs = [value, matrix, graph.constant(f"{name} steps", steps), "", shift]
        return graph.node("DynamicQuantizeMatMul", inputs, name)

    def linear_by_row(name: str, key: str, value: str, wide: int, deep: int) -> str:
        matrix, steps, shift = whole(name, key, wide, deep)
        largest = graph.node(
            "ReduceMax", [graph.node("Abs", [value], f"{name} sizes"), last], f"{name} top", keepdims=1
        )
        largest = graph.node("Max", [largest, least], f"{name} largest")
        scaled = graph.node("Mul", [value, graph.node("Div", [highest, largest], f"{name} inverse")], f"{name} scaled")
        moved = graph.node("Add", [graph.node("Round", [scaled], f"{name} round"), middle], f"{name} moved")
        states = graph.node("Cast", [moved], f"{name} whole", to=2)
        product = graph.node("MatMulInteger", [states, matrix, zero], f"{name} product")
        product = graph.node("Mul", [graph.node("Cast", [product], f"{name} float", to=1), largest], f"{name} rows")
        columns = graph.constant(f"{name} steps", (steps / 127).astype(numpy.float32))
        return graph.node("Add", [graph.node("Mul", [product, columns], f"{name} columns"), shift], name)

    def even(name: str, key: str, value: str, wide: int) -> str:
        if f"{key}{_SCALE}" not in scales:
            return value
        inverse = (1.0 / weights(f"{key}{_SCALE}", wide)).astype(numpy.float32)
        return graph.node("Mul", [value, graph.constant(f"{name} scales", inverse)], f"{name} even")

    highest = graph.constant("half", numpy.array(127.0, numpy.float32))
    middle = graph.constant("middle", numpy.array(128.0, numpy.float32))
    zero = graph.constant("zero", numpy.array(128, numpy.uint8))
    least = graph.constant("least", numpy.array(1e-9, numpy.float32))
    last = graph.constant("last", numpy.array([-1], numpy.int64))
    bias = graph.input("bias", "float32", [1, heads, "length", "length"])
    value = norm("start", "token_embd_norm", [graph.input("embedded", "float32", ["texts", "length", size])])
    for number in range(layers):
        key, place = f"blk.{number}", f"layer {number}"
        states = even(f"{place} in", f"{key}.attn_in", value, size)
        parts = [linear(f"{place} {part}", f"{key}.attn_{part}", states, size, size) for part in "qkv"]
        mixed = graph.node("MultiHeadAttention", [*parts, "", "", bias], f"{place} mixed", num_heads=heads)
        mixed = even(f"{place} mixed", f"{key}.attn_output", mixed, size)
        mixed = linear(f"{place} attention", f"{key}.attn_output", mixed, size, size)
        value = norm(f"{place} attended", f"{key}.attn_output_norm", [mixed, value])
        states = even(f"{place} attended", f"{key}.ffn_up", value, size)
        active = graph.node("Gelu", [linear(f"{place} inner", f"{key}.ffn_up", states, inner, size)], f"{place} active")
        active = even(f"{place} active", f"{key}.ffn_down", active, inner)
        outer = linear_by_row(f"{place} outer", f"{key}.ffn_down", active, size, inner)
        value = norm(f"{place} out", f"{key}.layer_output_norm", [outer, value])
    both = graph.node("Concat", [f"layer {middle_layer(layers) - 1} out", value], "both", axis=-1)
    return graph.serialise(both, ["texts", "length", 2 * size])


def middle_layer(layers: int) -> int:
    """Return how many layers a token has passed where the heads for statements first look at it: two thirds."""
    return max(1, 2 * layers // 3)
