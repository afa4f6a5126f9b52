"""Readings of a sentence against its source, and of a passage for a question: heads on the judge's encoder.

A head is one layer of a transformer, which sees every token of both texts as the encoder's middle and last layer
leave it, and whether its word is in the other text. It proposes; what a sentence claims is held to the text
elsewhere (core.audit.readings), and an answer weighed beside other signs (core.answers.judgement).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.domain import Bearing, Reply
from core.engines.cross_encoder import mpnet
from core.errors import BadInput
from core.model_files import gguf
from core.stats import logistic

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from tokenizers import Encoding

INPUT = "passage-marks-statement 1"  # part of the fingerprint, as of the judge
PASSAGE, STATEMENT = 300, 90  # tokens that are read; what is longer is refused
ARCHITECTURE = "mpnet-heads"
_LEAST_VARIANCE = 1e-5
_HEADS = 4


class StatementReader:
    """The encoder of a judge with the heads of another file, which names the encoder that it was fitted on."""

    def __init__(self, model: Path, heads: Path, *, plain: bool = False) -> None:
        """Load both files. Raises ModelMissing, ModelUnreadable, NotEnoughMemory."""
        head, small = gguf.check(model), gguf.check(heads)
        digest = gguf.sha256(model)
        if small.architecture != ARCHITECTURE or small.values.get(f"{ARCHITECTURE}.encoder") != digest:
            raise mpnet.unreadable(heads, "it was made for another judge")
        gguf.require_memory(head, PASSAGE + STATEMENT, 1)
        self._encoder = mpnet.load(model, head, threads=mpnet.threads(plain=plain))
        weights = mpnet.floats(heads, small)
        self._path = heads
        self._bearing, self._answer = _Head(weights, "bearing"), _Head(weights, "answer")
        self._fingerprint = f"statements sha256:{gguf.sha256(heads)[:16]} on {digest[:16]} input {INPUT}"

    @property
    def fingerprint(self) -> str:
        """The weights of heads and encoder, the form of input."""
        return self._fingerprint

    def bearing(self, passage: str, sentence: str) -> Bearing:
        """Read a sentence against the passage that is to bear it out. Raises BadInput for what is too long."""
        left, right = self._tokens(passage, PASSAGE), self._tokens(sentence, STATEMENT)
        classes, values = self._read(self._bearing, left.ids, right.ids)
        supported, contradicted, differs, overstated, absent = _softmax(classes)
        faults = _spans(values[len(left.ids) + 3 : -1].tolist(), right.offsets)
        return Bearing(supported, contradicted, differs, overstated, absent, tuple(faults))

    def reply(self, passage: str, question: str) -> Reply:
        """Read a passage for what answers a question. Raises BadInput for what is too long."""
        left, right = self._tokens(passage, PASSAGE), self._tokens(question, STATEMENT)
        classes, values = self._read(self._answer, left.ids, right.ids)
        words: list[tuple[int, int, float]] = []
        for (start, end), value in zip(left.offsets, values[1 : len(left.ids) + 1].tolist(), strict=True):
            if start < end and (not words or start >= words[-1][1]):  # a letter may be several tokens
                words.append((start, end, logistic(value)))
        return Reply(_softmax(classes)[0], tuple(words))

    def _read(
        self, head: _Head, left: Sequence[int], right: Sequence[int]
    ) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """Return the logits of a head: of its classes, and of each token with the marks that frame both texts."""
        import numpy

        encoder = self._encoder
        tokens = [encoder.begin, *left, encoder.end, encoder.end, *right, encoder.end]
        segment = numpy.array([0] * (len(left) + 2) + [1] * (len(right) + 2))
        overlap = numpy.array([0, *_overlap(left, right), 0, 0, *_overlap(right, left), 0])
        classes, values = head(encoder.layers(tokens).astype(numpy.float64), segment, overlap)
        if not numpy.isfinite(classes).all():
            raise mpnet.unreadable(self._path, "it gave an answer that is no number")
        return classes, values

    def _tokens(self, text: str, limit: int) -> Encoding:
        valid = text.encode("utf-8", "replace").decode("utf-8")
        encoding = self._encoder.tokenizer.encode(valid, add_special_tokens=False)
        if not 0 < len(encoding.ids) <= limit:
            raise BadInput(
                reason=f"A text of {len(encoding.ids):,} tokens cannot be read here ({limit:,} at most).",
                remedy="Give a shorter one.",
            )
        return encoding


class _Head:
    """One layer over the tokens of two texts, a number a token and a class of the statement."""

    def __init__(self, weights: dict[str, NDArray[numpy.float32]], name: str) -> None:
        prefix = f"{name}."
        self._weights = {key.removeprefix(prefix): value for key, value in weights.items() if key.startswith(prefix)}

    def __call__(
        self, states: NDArray[numpy.float64], segment: NDArray[numpy.int64], overlap: NDArray[numpy.int64]
    ) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        import numpy

        weights = self._weights
        value = self._linear("in", self._norm("in_norm", states)) + weights["segment"][segment]
        value = value + weights["overlap"][overlap]
        value = value + self._attention(self._norm("attention_norm", value))
        inner = self._linear("inner", self._norm("inner_norm", value))
        value = value + self._linear("outer", inner * 0.5 * (1.0 + _erf(inner / math.sqrt(2.0))))
        value = self._norm("out_norm", value)
        statement = value[segment == 1]
        pooled = numpy.concatenate([statement.mean(0), statement.max(0)])
        return self._linear("classes", pooled), self._linear("tokens", value)[:, 0]

    def _linear(self, name: str, value: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
        result: NDArray[numpy.float64] = value @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return result

    def _norm(self, name: str, value: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
        import numpy

        centred = value - value.mean(-1, keepdims=True)
        scaled = centred / numpy.sqrt((centred**2).mean(-1, keepdims=True) + _LEAST_VARIANCE)
        result: NDArray[numpy.float64] = scaled * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return result

    def _attention(self, value: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
        import numpy

        count, size = value.shape
        parts = self._linear("attention_in", value).reshape(count, 3, _HEADS, size // _HEADS).transpose(1, 2, 0, 3)
        scores = parts[0] @ parts[1].transpose(0, 2, 1) / math.sqrt(size // _HEADS)
        scores = numpy.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True)) @ parts[2]
        return self._linear("attention_out", mixed.transpose(1, 0, 2).reshape(count, size))


def _overlap(tokens: Sequence[int], second: Sequence[int]) -> list[int]:
    """Return for each token 1 where the other text has it, else 2; 0 is for marks."""
    options = set(second)
    return [1 if token in options else 2 for token in tokens]


def _erf(value: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
    """Compute the error function to 1.5e-7 (Abramowitz and Stegun 1964, 7.1.26)."""
    import numpy

    size = numpy.abs(value)
    t = 1.0 / (1.0 + 0.3275911 * size)
    tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    result: NDArray[numpy.float64] = numpy.sign(value) * (1.0 - tail * numpy.exp(-size * size))
    return result


def _softmax(logits: NDArray[numpy.float64]) -> list[float]:
    values = [math.exp(float(value) - float(logits.max())) for value in logits]
    return [value / sum(values) for value in values]


def _spans(logits: Sequence[float], places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join the places of neighbouring tokens that are likelier at fault than not to spans of the text."""
    spans: list[tuple[int, int]] = []
    last = -2
    for index, (logit, (start, end)) in enumerate(zip(logits, places, strict=True)):
        if logit < 0.0:
            continue
        if last == index - 1:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
        last = index
    return spans
