"""The embedder for models of BERT's shape: its graph is built from the folder's weights and run by onnxruntime.

It gives the vectors of sentence-transformers (float32, cosine 1.000000) in half the time, and starts in a
second, since neither torch nor transformers is loaded. One text is computed at a time: nothing is padded, so no work is
lost on it, and a vector cannot depend on what is beside its text. Imported in a child process only.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.engines.embedding.onnx_graph import Graph
from core.errors import ModelUnreadable
from core.model_files import embedding_folder, gguf
from core.model_files.embedding_folder import EFFECT, GGUF, ModelFolder, Tensor

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

# Families whose layers are BERT's; the second count their places from the number of the empty piece on.
_FAMILIES = ("bert", "xlm-roberta", "roberta", "camembert")
_MAX_BYTES = 1_500_000_000  # bytes of float32: a graph of 2 GB cannot be written
_BLOCK = 1 << 20
_NO_SIZES = "its config.json lacks the sizes of the model"
# What config.json says in most models of this shape besides the sizes of their weights.
_HEADS = 12


def fits(folder: ModelFolder) -> bool:
    """Return whether this engine computes exactly what the folder describes; else sentence-transformers does."""
    config = folder.config
    if folder.family == GGUF:
        return True
    return (
        folder.plain
        and not folder.is_lower_case
        and folder.pooling in ("mean", "cls")
        and folder.family in _FAMILIES
        and folder.dimensions is not None
        and folder.most_pieces is not None
        and config.get("hidden_act", "gelu") == "gelu"
        and config.get("position_embedding_type", "absolute") in (None, "absolute")
        and not config.get("is_decoder")
        and not config.get("add_cross_attention")
        and (folder.path / "tokenizer.json").is_file()
        and all(tensor.kind in ("F32", "F16", "BF16", "I64") for tensor in folder.tensors.values())
        and _size(folder) <= _MAX_BYTES
    )


def _size(folder: ModelFolder) -> int:
    return sum(4 * _count(tensor) for tensor in folder.tensors.values())


def _count(tensor: Tensor) -> int:
    count = 1
    for side in tensor.shape:
        count *= side
    return count


class EncoderEmbedder:
    """Vectors of unit length from a folder that ``fits``. Never asks a network."""

    def __init__(self, folder: ModelFolder) -> None:
        import numpy
        import onnxruntime

        self._numpy = numpy
        self._folder = folder
        assert folder.dimensions is not None
        assert folder.most_pieces is not None
        self._dimensions = folder.dimensions
        encoder = quantised_encoder(folder) if folder.family == GGUF else folder_encoder(folder)
        self._whole, self._cut, self._run = encoder.whole, encoder.cut, encoder.states
        for tokenizer in (self._whole, self._cut):
            tokenizer.no_padding()
        self._whole.no_truncation()
        self._cut.enable_truncation(folder.most_pieces)
        weights = digest(folder, encoder.usage)[:16]
        self._fingerprint = f"{folder.name} sha256:{weights} onnxruntime {onnxruntime.__version__}"
        if folder.before_passage:
            self._fingerprint += f" passages begin {folder.before_passage!r}"
        self.embed(["a first text shows whether everything fits together"])

    @property
    def fingerprint(self) -> str:
        """Name of the folder, SHA-256 of its weights, the library, and what passages begin with."""
        return self._fingerprint

    @property
    def dimensions(self) -> int:
        """Number of components of a vector."""
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector a passage, as the bytes of float32. See core.ports.Embedder."""
        return [self._vector(self._folder.before_passage + text) for text in texts]

    def embed_queries(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector a question, as the bytes of float32."""
        return [self._vector(self._folder.before_query + text) for text in texts]

    def pieces(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, whole and without the special ones."""
        return [len(self._whole.encode(text, add_special_tokens=False).ids) for text in texts]

    def token_matches(self, query: str, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Return the best cosine of each token of a query among the tokens of each text. See core.ports.Embedder."""
        query_text = self._folder.before_query + query
        encoding = self._cut.encode(query_text)
        positions = [
            index
            for index, (start, end) in enumerate(encoding.offsets)
            if not encoding.special_tokens_mask[index]
            and end > len(self._folder.before_query)
            and any(c.isalnum() for c in query_text[start:end])
        ]
        query_rows = directions(self._states(encoding.ids)[positions])
        if not positions:
            return [() for _ in texts]
        return [
            best_matches(query_rows, directions(self._states(self._cut.encode(self._folder.before_passage + text).ids)))
            for text in texts
        ]

    def _vector(self, text: str) -> bytes:
        states = self._states(self._cut.encode(text).ids)
        vector = states[0] if self._folder.pooling == "cls" else states.mean(axis=0, dtype=self._numpy.float64)
        return unit(vector, self._folder)

    def _states(self, pieces: Sequence[int]) -> NDArray[numpy.float32]:
        """Run the model on one text; returns a row a piece."""
        try:
            rows: NDArray[Any] = self._run(pieces)
        except ModelUnreadable:
            raise
        except Exception as error:  # the cause can only be the folder
            raise _unreadable(self._folder, "its weights do not fit its config.json") from error
        return rows


@dataclass(frozen=True, slots=True)
class Encoder:
    """Two tokenizers, one of which cuts, and the states of pieces, a row each.

    ``usage`` is what the weights alone do not say of the vectors.
    """

    whole: Tokenizer
    cut: Tokenizer
    states: Callable[[Sequence[int]], NDArray[numpy.float32]]
    usage: bytes = b""


def folder_encoder(folder: ModelFolder) -> Encoder:
    """Load the encoder of a folder that sentence-transformers saved. Raises ModelUnreadable."""
    import numpy
    from tokenizers import Tokenizer

    try:
        file = str(folder.path / "tokenizer.json")
        full, cut = Tokenizer.from_file(file), Tokenizer.from_file(file)
    except Exception as error:  # the library raises Exception itself
        raise _unreadable(folder, "its tokenizer.json is broken") from error
    model, first, vocabulary = _graph(folder)
    run = session(folder, model)
    del model  # as large as the weights

    def states(pieces: Sequence[int]) -> NDArray[numpy.float32]:
        if not pieces or max(pieces) >= vocabulary:
            raise _unreadable(folder, "its tokenizer and its weights are of different models")
        places = numpy.arange(first, first + len(pieces), dtype=numpy.int64)
        return run({"pieces": numpy.array([pieces], dtype=numpy.int64), "places": places})

    return Encoder(full, cut, states, _deviation(folder))


def quantised_encoder(folder: ModelFolder) -> Encoder:
    """Load the encoder of a GGUF file: matrices are widened to float32, rows of its table of words as they are used.

    Raises ModelUnreadable.
    """
    import numpy
    from gguf import GGMLQuantizationType
    from gguf.quants import dequantize

    head = gguf.check(folder.path / embedding_folder.WEIGHTS)
    size = folder.dimensions
    assert size is not None

    def raw(name: str) -> tuple[NDArray[Any], int]:
        tensor = folder.tensors.get(name)
        if tensor is None:
            raise _unreadable(folder, f"its weights lack {name}")
        data = numpy.fromfile(tensor.file, numpy.uint8, tensor.end - tensor.start, offset=tensor.start)
        return data, int(tensor.kind)

    def weights(name: str, *shape: int | None) -> NDArray[numpy.float32]:
        data, kind = raw(name)
        size = folder.tensors[name].shape
        if len(size) != len(shape) or any(want not in (None, side) for want, side in zip(shape, size, strict=True)):
            raise _unreadable(folder, f"{name} in its weights has another size than its head says")
        array: NDArray[numpy.float32] = dequantize(data[None], GGMLQuantizationType(kind)).reshape(size)
        if not numpy.isfinite(array).all():
            raise _unreadable(folder, f"{name} in its weights holds values that are no numbers")
        return array

    def part(name: str, *shape: int | None) -> NDArray[numpy.float32]:
        """Return what the layers call 'encoder.layer.0.attention.self.query.weight', by its name in the file."""
        layer = re.fullmatch(r"encoder\.layer\.(\d+)\.(.+)\.(weight|bias)", name)
        short = f"blk.{layer[1]}.{_GGUF_PARTS[layer[2]]}.{layer[3]}" if layer else name
        return weights(short.replace("embeddings.LayerNorm", "token_embd_norm"), *shape)

    table, kind = raw("token_embd.weight")
    words = gguf.words(head)
    if not words or folder.tensors["token_embd.weight"].shape != (len(words), size):
        raise _unreadable(folder, "its tokenizer and its weights are of different models")
    table = table.reshape(len(words), -1)
    places = weights("position_embd.weight", None, size) + weights("token_types.weight", None, size)[0]
    graph = Graph()
    embedded = graph.input("embedded", "float32", ["texts", "length", size])
    value = _layers(folder, graph, part, embedded)
    run = session(folder, graph.serialise(value, ["texts", "length", size]))
    scores = numpy.frombuffer(raw("token_scores")[0], "<f4").tolist()
    dropped, blanks = (numpy.frombuffer(raw(name)[0], "<i4").tolist() for name in ("dropped_signs", "blank_signs"))

    def states(pieces: Sequence[int]) -> NDArray[numpy.float32]:
        rows = dequantize(table[list(pieces)], GGMLQuantizationType(kind)) + places[: len(pieces)]
        return run({"embedded": rows[None].astype(numpy.float32)})

    full, cut = (_unigram(folder, words, scores, dropped, blanks) for _ in range(2))
    return Encoder(full, cut, states)


# The parts of a layer by their names in a GGUF file, as llama.cpp has them.
_GGUF_PARTS = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}


def _unigram(
    folder: ModelFolder, words: Sequence[str], scores: Sequence[float], dropped: Sequence[int], blanks: Sequence[int]
) -> Tokenizer:
    """Make the tokenizer of XLM-RoBERTa: NFKC, but for some signs that go and some that become blanks; unigrams."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    def signs(codes: Sequence[int]) -> Regex:
        return Regex("[" + "".join(f"\\x{{{code:x}}}" for code in codes) + "]")

    try:
        tokenizer = Tokenizer(models.Unigram(list(zip(words, scores, strict=True)), unk_id=words.index("<unk>")))
        tokenizer.normalizer = normalizers.Sequence(
            [
                normalizers.Replace(signs(dropped), ""),
                normalizers.Replace(signs(blanks), " "),
                normalizers.NFKC(),
                normalizers.Replace(Regex(" {2,}"), " "),
                normalizers.Strip(),
            ]
        )
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=False)
        begin, end = words.index("<s>"), words.index("</s>")
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", special_tokens=[("<s>", begin), ("</s>", end)]
        )
    except Exception as error:  # the library raises Exception itself
        raise _unreadable(folder, "its vocabulary is broken") from error
    return tokenizer


def session(folder: ModelFolder, model: bytes) -> Callable[[Mapping[str, Any]], NDArray[numpy.float32]]:
    """Load a graph of one text for onnxruntime; the function that is returned runs it. Raises ModelUnreadable."""
    import onnxruntime

    onnxruntime.disable_telemetry_events()  # on Windows it would tell the system what is run
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ.get("OMP_NUM_THREADS", "0") or 0)
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # Threads that spin while they wait cost more than they win as soon as anything else runs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        loaded = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the cause can only be the folder
        raise _unreadable(folder, "its weights do not fit its config.json") from error

    def run(inputs: Mapping[str, Any]) -> NDArray[numpy.float32]:
        rows: NDArray[numpy.float32] = loaded.run(None, inputs)[0][0]
        return rows

    return run


def directions(rows: Any) -> Any:
    """Bring each row to length 1; a row without a direction stays nought."""
    import numpy

    wide = numpy.asarray(rows, dtype=numpy.float64)
    lengths = numpy.sqrt((wide * wide).sum(axis=1, keepdims=True))
    return wide / numpy.where(lengths > 1e-12, lengths, 1.0)


def best_matches(query_rows: Any, passage_rows: Any) -> tuple[float, ...]:
    """Return the largest cosine of each row of ``query_rows`` with the rows of ``passage_rows``, all of length 1."""
    if not len(passage_rows):
        return (0.0,) * len(query_rows)
    return tuple(round(float(best), 6) for best in (query_rows @ passage_rows.T).max(axis=1))


def unit(vector: Any, folder: ModelFolder) -> bytes:
    """Bring a vector to length 1, in float32. Raises ModelUnreadable for one with NaN or without a direction."""
    import numpy

    wide = numpy.asarray(vector, dtype=numpy.float64)
    length = float(numpy.sqrt((wide * wide).sum()))
    if not numpy.isfinite(length) or length < 1e-12:
        raise _unreadable(folder, "it gives zero vectors, so its weights are damaged")
    return bytes((wide / length).astype("<f4").tobytes())


def digest(folder: ModelFolder, usage: bytes = b"") -> str:
    """SHA-256 of all weights, file by file in order of name, of how they are used, and of ``usage``."""
    hasher = hashlib.sha256()
    for file in sorted({tensor.file for tensor in folder.tensors.values()}):
        with file.open("rb") as stream:
            while block := stream.read(_BLOCK):
                hasher.update(block)
    for name in ("tokenizer.json", "1_Pooling/config.json"):
        if (folder.path / name).is_file():
            hasher.update((folder.path / name).read_bytes())
    hasher.update(repr((folder.most_pieces, folder.pooling)).encode() + usage)
    return hasher.hexdigest()


def _unreadable(folder: ModelFolder, reason: str) -> ModelUnreadable:
    return ModelUnreadable(path=folder.path, reason=reason, effect=EFFECT)


class _Weights:
    """The folder's arrays as float32, whatever its model called its trunk ('bert.encoder...', 'encoder...')."""

    def __init__(self, folder: ModelFolder) -> None:
        self._folder = folder
        marker = "embeddings.word_embeddings.weight"
        names = [name for name in folder.tensors if name.endswith(marker)]
        if len(names) != 1:
            raise _unreadable(folder, "its weights do not fit the model that its config.json describes")
        self._before = names[0].removesuffix(marker)

    def __call__(self, name: str, *shape: int | None) -> NDArray[numpy.float32]:
        import numpy

        tensor = self._folder.tensors.get(self._before + name)
        if tensor is None or len(tensor.shape) != len(shape):
            raise _unreadable(self._folder, f"its weights lack {name}")
        if any(expected_size not in (None, side) for expected_size, side in zip(shape, tensor.shape, strict=True)):
            raise _unreadable(self._folder, f"{name} in its weights has another size than its config.json says")
        with tensor.file.open("rb") as file:
            file.seek(tensor.start)
            data = file.read(tensor.end - tensor.start)
        if len(data) < tensor.end - tensor.start:
            raise _unreadable(self._folder, f"{tensor.file.name} was cut off")
        match tensor.kind:
            case "F32":
                values = numpy.frombuffer(data, dtype="<f4")
            case "F16":
                values = numpy.frombuffer(data, dtype="<f2").astype(numpy.float32)
            case "BF16":  # the upper half of a float32
                values = (numpy.frombuffer(data, dtype="<u2").astype(numpy.uint32) << 16).view(numpy.float32)
            case _:
                raise _unreadable(self._folder, f"{name} in its weights has whole numbers")
        return values.astype(numpy.float32, copy=False).reshape(tensor.shape)


def _shape(folder: ModelFolder) -> tuple[int, int, int, float]:
    """Return what the weights alone do not say: layers, heads, the number of the first place, the least variance."""
    layers, heads = _whole_number(folder, "num_hidden_layers"), _whole_number(folder, "num_attention_heads")
    first = 0 if folder.family == "bert" else _whole_number(folder, "pad_token_id", 1) + 1
    try:
        epsilon = float(folder.config.get("layer_norm_eps", 1e-12))
    except (OverflowError, TypeError, ValueError) as error:
        raise _unreadable(folder, _NO_SIZES) from error
    if heads <= 0 or (folder.dimensions or 0) % heads or not 0 < layers <= 200 or not 0 <= first < 100:
        raise _unreadable(folder, _NO_SIZES)
    return layers, heads, first, epsilon


def _deviation(folder: ModelFolder) -> bytes:
    """Name what config.json says unlike most models of its shape: with the same weights it gives other vectors.

    Nothing for the others, so that the vectors that cases have of them stay theirs.
    """
    numbers = {int(match[1]) for name in folder.tensors if (match := re.search(r"encoder\.layer\.(\d+)\.", name))}
    is_bert = folder.family == "bert"
    usual = (len(numbers), _HEADS, 0 if is_bert else 2, 1e-12 if is_bert else 1e-5)
    shape = _shape(folder)
    return b"" if shape == usual else repr(shape).encode()


def _whole_number(folder: ModelFolder, key: str, default: int | None = None) -> int:
    try:
        return int(folder.config.get(key, default))
    except (OverflowError, TypeError, ValueError) as error:
        raise _unreadable(folder, _NO_SIZES) from error


def _graph(folder: ModelFolder) -> tuple[bytes, int, int]:
    """Build the model for onnxruntime; return it, the number of the first place, and the size of the vocabulary."""
    weights, graph, size = _Weights(folder), Graph(), folder.dimensions
    _, _, first, _ = _shape(folder)
    assert size is not None
    words = weights("embeddings.word_embeddings.weight", None, size)
    places = weights("embeddings.position_embeddings.weight", None, size)
    places = places + weights("embeddings.token_type_embeddings.weight", None, size)[0]  # there is one text
    if folder.most_pieces is None or first + folder.most_pieces > len(places):
        raise _unreadable(folder, "its stated context length is longer than the positions in its weights")
    pieces = graph.input("pieces", "int64", ["texts", "length"])
    where = graph.input("places", "int64", ["length"])
    word_states = graph.node("Gather", [graph.constant("words", words), pieces], "said")
    place_states = graph.node("Gather", [graph.constant("all places", places), where], "placed")
    value = _layers(folder, graph, weights, graph.node("Add", [word_states, place_states], "said in place"))
    return graph.serialise(value, ["texts", "length", size]), first, len(words)


def _layers(folder: ModelFolder, graph: Graph, weights: Callable[..., NDArray[numpy.float32]], embedded: str) -> str:
    """Add the layers to a graph, with the weights of these names; return the name of what they compute."""
    layers, heads, _, epsilon = _shape(folder)
    size, inner = folder.dimensions, _whole_number(folder, "intermediate_size")
    assert size is not None

    def norm(name: str, key: str, inputs: list[str]) -> str:
        scale = graph.constant(f"{name} scale", weights(f"{key}.weight", size))
        shift = graph.constant(f"{name} shift", weights(f"{key}.bias", size))
        if len(inputs) == 2:  # their sum is what is normalised
            return graph.node("SkipLayerNormalization", [*inputs, scale, shift], name, epsilon=epsilon)
        return graph.node("LayerNormalization", [*inputs, scale, shift], name, axis=-1, epsilon=epsilon)

    def linear(name: str, key: str, value: str, wide: int, deep: int) -> str:
        matrix = graph.constant(f"{name} matrix", weights(f"{key}.weight", wide, deep).T)
        shift = graph.constant(f"{name} shift", weights(f"{key}.bias", wide))
        return graph.node("Add", [graph.node("MatMul", [value, matrix], f"{name} product"), shift], name)

    value = norm("start", "embeddings.LayerNorm", [embedded])
    for number in range(layers):
        key, place = f"encoder.layer.{number}", f"layer {number}"
        projections = [
            linear(f"{place} {part}", f"{key}.attention.self.{part}", value, size, size)
            for part in ("query", "key", "value")
        ]
        attention = graph.node("MultiHeadAttention", projections, f"{place} mixed", num_heads=heads)
        attention = linear(f"{place} attention", f"{key}.attention.output.dense", attention, size, size)
        value = norm(f"{place} attended", f"{key}.attention.output.LayerNorm", [attention, value])
        thought = linear(f"{place} inner", f"{key}.intermediate.dense", value, inner, size)
        thought = graph.node("Gelu", [thought], f"{place} active")
        thought = linear(f"{place} outer", f"{key}.output.dense", thought, size, inner)
        value = norm(f"{place} out", f"{key}.output.LayerNorm", [thought, value])
    return value
