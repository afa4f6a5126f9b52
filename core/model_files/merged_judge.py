"""The judge's adapter merged into its base model: one file that gives the same verdicts faster.

Done once on the person's computer: the merged file is twice as large as its sources together. What the weights become
is computed in a child process (core.engines.llm.merging); the same sources give the same bytes.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from core import paths
from core.errors import CannotWrite
from core.model_files import gguf

# Raise when the way of merging changes: an older merged file is then made again.
VERSION = 1

# The form in which the runtime computes fastest, and the one that loses nothing of the adapter: Q8_0 takes half the
# room and is as fast without AVX-512, but a fifth slower with it.
QUANTISATION = "F16"


def merged_judge(base: Path, adapter: Path, folder: Path, pieces: Callable[[], Iterable[bytes]]) -> Path:
    """Return the merged judge in ``folder``, made of ``pieces`` when it is missing or came from other sources.

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
    _write(target, pieces())
    gguf.check(target)
    sources = {
        **sources_wanted,
        "merged": {"file": target.name, "sha256": gguf.sha256(target), "bytes": target.stat().st_size},
    }
    text = json.dumps(sources, indent=1, sort_keys=True) + "\n"
    _write(target.with_suffix(".json"), [text.encode("utf-8")])
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


def _write(target: Path, pieces: Iterable[bytes]) -> None:
    """Write a file beside ``target``, then put it in place whole."""
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as stream:
            for piece in pieces:
                stream.write(piece)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(target)
    except OSError as error:
        raise CannotWrite(path=target, reason=error.strerror or type(error).__name__) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
