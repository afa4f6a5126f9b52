"""A graph for onnxruntime, written as it reads it: the protocol buffers of ONNX, IR version 9, the few parts needed.

Field numbers are those of onnx.proto3 (github.com/onnx/onnx), the operators those of ONNX 18 and of com.microsoft 1.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

_VARINT, _BYTES, _FIXED32 = 0, 2, 5
_FLOAT, _INT, _INTS = 1, 2, 7  # AttributeProto.type
_KINDS = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}  # TensorProto.data_type
_CONTRIB_DOMAIN = "com.microsoft"
CONTRIB_OPERATORS = frozenset({"DynamicQuantizeMatMul", "Gelu", "MultiHeadAttention", "SkipLayerNormalization"})


class Graph:
    """Nodes and constants, in order; ``serialise`` gives the bytes of the model."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []
        self._inputs: list[bytes] = []

    def input(self, name: str, kind: str, sides: Sequence[str | int]) -> str:
        """Declare an input of that kind and shape, and return its name."""
        self._inputs.append(_value(name, kind, sides))
        return name

    def constant(self, name: str, values: NDArray[Any]) -> str:
        """Add an array as a constant, and return its name."""
        sides = b"".join(_number(1, side) for side in values.shape)
        data = values.tobytes()  # in C order
        head = sides + _number(2, _KINDS[values.dtype.name]) + _text(8, name) + _key(9, _BYTES) + _varint(len(data))
        # The data itself is copied once, at the end: weights are most of what this process ever holds.
        self._constants += [_key(5, _BYTES) + _varint(len(head) + len(data)) + head, data]
        return name

    def node(self, kind: str, inputs: Sequence[str], output: str, **settings: float | int | Sequence[int]) -> str:
        """Add an operator with one output, and return the output's name."""
        parts = [*(_text(1, name) for name in inputs), _text(2, output), _text(4, kind)]
        parts += [_text(5, _setting(name, value)) for name, value in settings.items()]
        if kind in CONTRIB_OPERATORS:
            parts.append(_text(7, _CONTRIB_DOMAIN))
        self._nodes.append(_text(1, b"".join(parts)))
        return output

    def serialise(self, output: str, sides: Sequence[str | int]) -> bytes:
        """Return the bytes of the model that computes the float32 array ``output``."""
        graph = [*self._nodes, _text(2, "encoder"), *self._constants, *(_text(11, entry) for entry in self._inputs)]
        graph.append(_text(12, _value(output, "float32", sides)))
        sets = _text(8, _text(1, "") + _number(2, 18)) + _text(8, _text(1, _CONTRIB_DOMAIN) + _number(2, 1))
        size = sum(map(len, graph))
        return b"".join([_number(1, 9), sets, _key(7, _BYTES), _varint(size), *graph])


def _setting(name: str, value: float | int | Sequence[int]) -> bytes:
    if isinstance(value, float):
        return _text(1, name) + _key(2, _FIXED32) + struct.pack("<f", value) + _number(20, _FLOAT)
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, _INT)
    return _text(1, name) + b"".join(_number(8, number) for number in value) + _number(20, _INTS)


def _value(name: str, kind: str, sides: Sequence[str | int]) -> bytes:
    shape = b"".join(_text(1, _number(1, side) if isinstance(side, int) else _text(2, side)) for side in sides)
    return _text(1, name) + _text(2, _text(1, _number(1, _KINDS[kind]) + _text(2, shape)))


def _varint(number: int) -> bytes:
    number &= (1 << 64) - 1  # a negative one has its 64 bits
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    return bytes([*data, number])


def _key(field: int, kind: int) -> bytes:
    return _varint(field << 3 | kind)


def _number(field: int, number: int) -> bytes:
    return _key(field, _VARINT) + _varint(number)


def _text(field: int, value: str | bytes) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _key(field, _BYTES) + _varint(len(data)) + data
