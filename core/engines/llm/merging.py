"""Computes the judge's merged weights: its adapter into its base model. Imported in a child process only.

The same sources give the same bytes.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from core.errors import ModelUnreadable
from core.model_files import gguf as files
from core.model_files.merged_judge import QUANTISATION

_PIECE = 1 << 24  # bytes


class AdapterMerger:
    """The weights of a base model with its adapter, as the pieces of a file."""

    def __init__(self, base: Path, adapter: Path) -> None:
        self._base = base
        self._adapter = adapter

    @property
    def fingerprint(self) -> str:
        """The library that reads and writes the weights."""
        return f"merger gguf {version('gguf')} numpy {version('numpy')}"

    def pieces(self) -> Iterator[bytes]:
        """Yield the merged file from its beginning to its end. Raises ModelUnreadable."""
        for part in merge(self._base, self._adapter):
            for at in range(0, len(part), _PIECE):
                yield part[at : at + _PIECE]


def merge(base: Path, adapter: Path) -> Iterator[bytes]:
    """Yield the head of the merged file, then each matrix. Raises ModelUnreadable."""
    import numpy
    from gguf import (
        GGML_QUANT_SIZES,
        GGMLQuantizationType,
        GGUFReader,
        GGUFValueType,
        GGUFWriter,
        LlamaFileType,
        quant_shape_to_byte_shape,
    )
    from gguf.gguf_writer import WriterState
    from gguf.quants import dequantize

    source = GGUFReader(base)
    change = GGUFReader(adapter)
    if "adapter.lora.alpha" not in change.fields:
        raise ModelUnreadable(path=adapter, reason="it is no adapter", effect=files.EFFECT)
    alpha = float(change.fields["adapter.lora.alpha"].contents())
    parts = {tensor.name: dequantize(tensor.data, tensor.tensor_type) for tensor in change.tensors}
    pairs = {name.removesuffix(".lora_a") for name in parts if name.endswith(".lora_a")}
    if parts.keys() != {f"{name}.lora_{side}" for name in pairs for side in "ab"} or not pairs:
        raise ModelUnreadable(path=adapter, reason="its matrices do not come in pairs", effect=files.EFFECT)
    if not pairs <= {tensor.name for tensor in source.tensors}:
        raise ModelUnreadable(path=adapter, reason="it belongs to another model", effect=files.EFFECT)

    writer: Any = GGUFWriter(None, arch=str(source.fields["general.architecture"].contents()))
    for name, field in source.fields.items():
        if name.startswith("GGUF.") or name in ("general.architecture", "general.file_type", "general.name"):
            continue
        inner = field.types[-1] if field.types[0] == GGUFValueType.ARRAY else None
        writer.add_key_value(name, field.contents(), field.types[0], sub_type=inner)
    writer.add_name(f"{base.stem} with {adapter.stem}")
    writer.add_file_type(LlamaFileType[f"MOSTLY_{QUANTISATION}"])

    for tensor in source.tensors:
        if tensor.name in pairs:
            kind, dtype = GGMLQuantizationType.F16, numpy.dtype(numpy.float16)
        else:
            kind, dtype = tensor.tensor_type, tensor.data.dtype
        block, size = GGML_QUANT_SIZES[kind]
        shape = tuple(int(n) for n in reversed(tensor.shape))
        writer.add_tensor_info(
            tensor.name,
            shape if kind <= 1 else quant_shape_to_byte_shape(shape, kind),
            dtype,
            int(tensor.n_elements) // block * size,
            raw_dtype=kind if kind > 1 else None,
        )
    head = io.BytesIO()
    writer.fout, writer.state = [head], WriterState.EMPTY  # it would open a file, which this process may not
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()

    def padded(data: bytes) -> bytes:
        return data + bytes(GGUFWriter.ggml_pad(len(data), writer.data_alignment) - len(data))

    yield padded(head.getvalue())
    # One matrix at a time: the whole model as float32 would take four times the memory.
    for tensor in source.tensors:
        if tensor.name not in pairs:
            yield padded(tensor.data.tobytes())
            continue
        down, up = parts[f"{tensor.name}.lora_a"], parts[f"{tensor.name}.lora_b"]
        weights = dequantize(tensor.data, tensor.tensor_type)
        if up.shape[1] != down.shape[0] or (up.shape[0], down.shape[1]) != weights.shape:
            raise ModelUnreadable(path=adapter, reason="it belongs to another model", effect=files.EFFECT)
        # In float64 the sum of products of two half floats is exact enough that its order cannot show in the result.
        delta = (alpha / down.shape[0]) * (up.astype(numpy.float64) @ down.astype(numpy.float64))
        total = (weights.astype(numpy.float64) + delta).astype(numpy.float32)
        yield padded(total.astype(numpy.float16).tobytes())
