"""Merge the judge's adapter into its base model: one file that gives the same verdicts faster.

Done once on the person's machine, since the merged weights are derived from a model that is fetched there. The same
sources give the same bytes.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core import paths
from core.errors import CannotWrite, ModelUnreadable
from core.model_files import gguf

# Raise when the way of merging changes: an older merged file is then made again.
VERSION = 1

# The form in which the runtime computes fastest, and the one that loses nothing of the adapter: Q8_0 takes half the
# room and is as fast without AVX-512, but a fifth slower with it.
QUANTISATION = "F16"


def merged_judge(base: Path, adapter: Path, folder: Path) -> Path:
    """Return the merged judge in ``folder``, made when it is missing or came from other sources; a minute at most.

    Those of earlier adapters are deleted then: they are made again from their sources by whoever still has them.

    Beside it stands a .json that names the sources by sha256. Raises ModelMissing, ModelUnreadable, CannotWrite.
    """
    sources_wanted = {
        "base": {"file": base.name, "sha256": _checked_sha256(base)},
        "adapter": {"file": adapter.name, "sha256": _checked_sha256(adapter)},
        "quantisation": QUANTISATION,
        "version": VERSION,
    }
    target = folder / paths.MERGED_JUDGE
    if _is_current(target, sources_wanted):
        return target
    _write(target, lambda part: _merge(base, adapter, part))
    gguf.check(target)
    sources = {
        **sources_wanted,
        "merged": {"file": target.name, "sha256": gguf.sha256(target), "bytes": target.stat().st_size},
    }
    text = json.dumps(sources, indent=1, sort_keys=True) + "\n"
    _write(target.with_suffix(".json"), lambda part: part.write_text(text, "utf-8"))
    for older in folder.glob(paths.MERGED_JUDGES):
        if older.stem != target.stem:
            with contextlib.suppress(OSError):
                older.unlink()
    return target


def _checked_sha256(path: Path) -> str:
    gguf.check(path)
    return gguf.sha256(path)


def read_sources(file: Path) -> dict[str, Any]:
    """Read what stands beside a merged judge: its sources and settings. Raises OSError, ValueError."""
    sources: dict[str, Any] = json.loads(file.with_suffix(".json").read_text("utf-8"))
    return sources


def _is_current(target: Path, sources_wanted: dict[str, Any]) -> bool:
    try:
        sources = read_sources(target)
        entry = sources.pop("merged")
        return bool(sources == sources_wanted and entry["sha256"] == gguf.sha256(target))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _write(target: Path, fill: Callable[[Path], object]) -> None:
    """Fill a file beside ``target``, then put it in place whole."""
    part = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        fill(part)
        with part.open("rb+") as stream:
            os.fsync(stream.fileno())
        part.replace(target)
    except OSError as error:
        raise CannotWrite(path=target, reason=error.strerror or type(error).__name__) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def _merge(base: Path, adapter: Path, target: Path) -> None:
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
    from gguf.quants import dequantize

    source = GGUFReader(base)
    change = GGUFReader(adapter)
    if "adapter.lora.alpha" not in change.fields:
        raise ModelUnreadable(path=adapter, reason="it is no adapter", effect=gguf.EFFECT)
    alpha = float(change.fields["adapter.lora.alpha"].contents())
    parts = {tensor.name: dequantize(tensor.data, tensor.tensor_type) for tensor in change.tensors}
    pairs = {name.removesuffix(".lora_a") for name in parts if name.endswith(".lora_a")}
    if parts.keys() != {f"{name}.lora_{side}" for name in pairs for side in "ab"} or not pairs:
        raise ModelUnreadable(path=adapter, reason="its matrices do not come in pairs", effect=gguf.EFFECT)
    if not pairs <= {tensor.name for tensor in source.tensors}:
        raise ModelUnreadable(path=adapter, reason="it belongs to another model", effect=gguf.EFFECT)

    writer = GGUFWriter(target, arch=str(source.fields["general.architecture"].contents()))
    for name, field in source.fields.items():
        if name.startswith("GGUF.") or name in ("general.architecture", "general.file_type", "general.name"):
            continue
        inner = field.types[-1] if field.types[0] == GGUFValueType.ARRAY else None
        writer.add_key_value(name, field.contents(), field.types[0], sub_type=inner)
    writer.add_name(f"{base.stem} with {adapter.stem}")
    writer.add_file_type(LlamaFileType[f"MOSTLY_{QUANTISATION}"])

    # One matrix at a time: the whole model as float32 would take four times the memory.
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
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    for tensor in source.tensors:
        if tensor.name not in pairs:
            writer.write_tensor_data(tensor.data)
            continue
        down, up = parts[f"{tensor.name}.lora_a"], parts[f"{tensor.name}.lora_b"]
        weights = dequantize(tensor.data, tensor.tensor_type)
        if up.shape[1] != down.shape[0] or (up.shape[0], down.shape[1]) != weights.shape:
            raise ModelUnreadable(path=adapter, reason="it belongs to another model", effect=gguf.EFFECT)
        # In float64 the sum of products of two half floats is exact enough that its order cannot show in the result.
        delta = (alpha / down.shape[0]) * (up.astype(numpy.float64) @ down.astype(numpy.float64))
        total = (weights.astype(numpy.float64) + delta).astype(numpy.float32)
        writer.write_tensor_data(total.astype(numpy.float16))
    writer.close()
