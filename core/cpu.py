"""Which build of the language models' library is used: the one for this processor's widest instructions, or a narrower
one.

The set-up builds the library for the processor that it runs on. Where that has AVX-512, the kernels for AVX2 lie
beside it, for two cases: a process that ended by a fault (core.model_files.crash_history), and a program that was
carried, with its environment, to a processor without AVX-512. The wide kernels read 705 tokens a second where the
narrow ones read 587.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

NARROW = "lib-avx2"
_WIDE = frozenset(
    {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl", "avx512_vnni", "avx512vbmi", "avx512_bf16"}
)


def folders() -> list[Path]:
    """Where the library lies, its own folder first; none where it is not installed."""
    spec = find_spec("llama_cpp")
    if spec is None or not spec.origin:
        return []
    package = Path(spec.origin).parent
    return [package / "lib", *(folder for folder in [package / NARROW] if folder.is_dir())]


def chosen(*, plain: bool) -> Path | None:
    """The folder to load the library from; None for the library's own. ``plain``: the wide kernels ended a process."""
    narrow = folders()[1:]
    return narrow[0] if narrow and (plain or not wide_enough()) else None


def wide_enough() -> bool:
    """Whether this processor has the AVX-512 instructions that the wide kernels use; True where nobody tells."""
    found = instructions()
    return not found or found >= _WIDE


def instructions() -> frozenset[str]:
    """The instructions that every core of this processor has, by their names in Linux; none where the system does not
    tell.
    """
    if not sys.platform.startswith("linux"):
        return frozenset()
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return frozenset()
    cores = [frozenset(line.split(":", 1)[1].split()) for line in lines if line.startswith("flags")]
    return frozenset.intersection(*cores) if cores else frozenset()
