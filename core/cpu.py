"""The build of the language models' library: for this processor's widest instructions, or a narrower one.

The set-up builds the library for the processor that it runs on. Where that has AVX-512, the kernels for AVX2 lie beside
it, for two cases: a process that ended by a fault (core.model_files.crash_history), and a program that was carried,
with its environment, to a processor without AVX-512. The wide kernels read 705 tokens a second where the narrow ones
read 587. The packaged program, which is built for any processor, has plain kernels too, for one without AVX2.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

NARROW, PLAIN = "lib-avx2", "lib-plain"
_WIDE = frozenset(
    {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl", "avx512_vnni", "avx512vbmi", "avx512_bf16"}
)
_MIDDLE = frozenset({"avx", "avx2", "fma", "f16c", "bmi2"})


def folders() -> list[Path]:
    """List where the library lies, its own folder first; nothing where it is not installed."""
    spec = find_spec("llama_cpp")
    if spec is None or not spec.origin:
        return []
    package = Path(spec.origin).parent
    builds = (package / NARROW, package / PLAIN)
    return [package / "lib", *(folder for folder in builds if folder.is_dir())]


def library_folder(*, plain: bool) -> Path | None:
    """Return the folder to load the library from; None for its own. ``plain``: the wide kernels ended a process."""
    builds = {folder.name: folder for folder in folders()[1:]}
    available = instructions()
    if PLAIN in builds and available and not available >= _MIDDLE:
        return builds[PLAIN]
    return builds.get(NARROW) if plain or not wide_enough() else None


def narrower() -> list[Path]:
    """List the folders with kernels that this processor can run, too, but does not use."""
    all_folders, folder = folders(), library_folder(plain=False)
    return all_folders[all_folders.index(folder) + 1 if folder else 1 :]


def wide_enough() -> bool:
    """Return whether this processor has the AVX-512 instructions that the wide kernels use; True where nobody tells."""
    available = instructions()
    return not available or available >= _WIDE


def instructions() -> frozenset[str]:
    """Return the instructions that every core of this processor has, by their names in Linux.

    None if the system does not tell.
    """
    if not sys.platform.startswith("linux"):
        return frozenset()
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return frozenset()
    cores = [frozenset(line.split(":", 1)[1].split()) for line in lines if line.startswith("flags")]
    return frozenset.intersection(*cores) if cores else frozenset()
