"""Libraries that a wheel was linked with and that no engine calls: replaced by stubs of the same names.

OpenCV's wheel is linked with libraries for films and for large systems of equations, Tesseract's with those for WebP,
Pillow's with one for pictures of the screen: 90 MB that reading scans never calls. A stub has every function that is
linked, and ends the process with its name if one is called. The rest of each wheel stays as its makers built it, so
that scans are read as before.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Wheel:
    """A wheel's folder of libraries, and which of them are stubs in the program.

    ``user`` (a pattern of paths in ``_internal``) is linked with them; ``needless`` are those that only the originals
    needed; ``parts`` are both by the names that the wheel's own list of parts has for them.
    """

    folder: str
    user: str
    stubs: re.Pattern[str]
    needless: re.Pattern[str] | None
    parts: frozenset[str]


WHEELS = (
    Wheel(
        "opencv_python_headless.libs",
        "cv2/cv2.abi3.so",
        re.compile(r"lib(avcodec|avformat|avutil|swscale|avif|openblasp)-"),
        re.compile(r"lib(aom|vpx|crypto|ssl|swresample|drm|gfortran|quadmath)-"),
        frozenset({"libdrm", "libgfortran", "libquadmath", "openblas-threads", "openssl-libs"}),
    ),
    Wheel(
        "tesserocr.libs",
        "tesserocr.libs/libleptonica-*",
        re.compile(r"lib(webp|webpmux)-"),
        None,
        frozenset({"libwebp"}),
    ),
    Wheel(
        "pillow.libs",
        "PIL/_imaging.*",
        re.compile(r"libxcb-"),
        re.compile(r"libXau-"),
        frozenset({"libXau", "libxcb"}),
    ),
)


def is_left_out(distribution: str, part: str) -> bool:
    """Return whether a part that a distribution's own list names is not in the program."""
    return any(part in wheel.parts for wheel in WHEELS if wheel.folder.startswith(distribution))


def symbols(library: Path, option: str) -> dict[str, str]:
    """Return the dynamic symbols of a library with their versions, '' for none; ``option`` of nm says which."""
    command = ["nm", "-D", option, "--with-symbol-versions", str(library)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    pairs = [line.split()[-1].replace("@@", "@").partition("@") for line in lines]
    return {name: version for name, _, version in pairs}


def source(names: dict[str, str]) -> tuple[str, str]:
    """Write the C source of a stub library, and the script that gives its functions their versions."""
    lines = [
        "#include <stdio.h>",
        "#include <stdlib.h>",
        "static void missing(const char *name) {",
        '    fprintf(stderr, "%s is not in this program: nothing here should call it\\n", name);',
        "    abort();",
        "}",
    ]
    lines += [f'void {name}(void) {{ missing("{name}"); }}' for name in sorted(names)]
    script = []
    for version in sorted(set(names.values())):
        versioned = "; ".join(sorted(name for name in names if names[name] == version))
        script.append(f"{version or ''} {{ global: {versioned}; {'local: *; ' if len(script) == 0 else ''}}};")
    return "\n".join(lines) + "\n", "\n".join(script) + "\n"


def replace_with_stubs(inside: Path) -> int:
    """Replace the libraries in ``_internal``; return the bytes that were saved. Raises CalledProcessError."""
    if not all(map(shutil.which, ("nm", "gcc"))):
        return 0
    return sum(_replace_with_stubs(inside, wheel) for wheel in WHEELS)


def _replace_with_stubs(inside: Path, wheel: Wheel) -> int:
    user = next(iter(sorted(inside.glob(wheel.user))), None)
    if user is None:
        return 0
    libraries = sorted((inside / wheel.folder).iterdir())
    original_size = sum(file.stat().st_size for file in libraries)
    needed = symbols(user, "--undefined-only")
    for library in libraries:
        if wheel.stubs.match(library.name):
            exports = symbols(library, "--defined-only")
            build(library, {name: exports[name] for name in needed if name in exports})
        elif wheel.needless and wheel.needless.match(library.name):
            library.unlink()
    return original_size - sum(file.stat().st_size for file in (inside / wheel.folder).iterdir())


def build(target: Path, names: dict[str, str]) -> None:
    """Put a stub library with these functions in the place of ``target``."""
    with tempfile.TemporaryDirectory() as scratch:
        code, script = Path(scratch, "stub.c"), Path(scratch, "versions")
        texts = source(names)
        code.write_text(texts[0], "utf-8")
        script.write_text(texts[1], "utf-8")
        command = ["gcc", "-shared", "-fPIC", "-Os", "-s", "-w", "-fno-builtin", f"-Wl,-soname,{target.name}"]
        command += ["-Wl,--build-id=none", f"-Wl,--version-script={script.name}", "-o", "library.so", code.name]
        subprocess.run(command, cwd=scratch, check=True)
        shutil.copyfile(Path(scratch, "library.so"), target)
