"""Split the output of ``uv pip compile --generate-hashes`` into the two locks of this folder.

    python3 packaging/lock.py requirements.all

llama-cpp-python goes to ``build.lock``: it is built for each processor. torch and its CUDA parts are left out: torch is
installed by its version, from whatever build pip is configured to find.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILT_HERE = "llama-cpp-python"
INSTALLED_APART = re.compile(r"(torch|triton|nvidia-.*|cuda-.*)")


def split(text: str) -> tuple[str, str]:
    """The text of requirements.lock and of build.lock. Raises ValueError for a requirement without a hash."""
    locked, built = [], []
    for block in re.split(r"\n(?=[^\s#])", "\n" + text.replace("\r\n", "\n")):
        lines = [line for line in block.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        if not lines:
            continue
        name = re.split(r"[=\[ ;]", lines[0], maxsplit=1)[0]
        if INSTALLED_APART.fullmatch(name):
            continue
        if not any("--hash=sha256:" in line for line in lines):
            raise ValueError(f"{name} has no hash")
        (built if name == BUILT_HERE else locked).append("\n".join(lines))
    return "\n".join(locked) + "\n", "\n".join(built) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 packaging/lock.py FILE")
    requirements, build = split(Path(sys.argv[1]).read_text("utf-8"))
    (HERE / "requirements.lock").write_text(requirements, "utf-8")
    (HERE / "build.lock").write_text(build, "utf-8")
