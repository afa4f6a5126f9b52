"""Split the output of ``uv pip compile --generate-hashes`` into the locks of this folder.

    python3 packaging/lock.py requirements.all names.all

``names.all`` is the same with the extra ``names``: what it adds goes to ``names.lock``.
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
    """Return the text of requirements.lock and of build.lock. Raises ValueError for a requirement without a hash."""
    requirements, build = [], []
    for block in re.split(r"\n(?=[^\s#])", "\n" + text.replace("\r\n", "\n")):
        lines = [line for line in block.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        if not lines:
            continue
        name = re.split(r"[=\[ ;]", lines[0], maxsplit=1)[0]
        if INSTALLED_APART.fullmatch(name):
            continue
        if not any("--hash=sha256:" in line for line in lines):
            raise ValueError(f"{name} has no hash")
        (build if name == BUILT_HERE else requirements).append("\n".join(lines))
    return "\n".join(requirements) + "\n", "\n".join(build) + "\n"


def additions(text: str, lock: str) -> str:
    """Return the requirements of ``text`` by name that ``lock`` has not.

    Raises ValueError where both pin one differently: the extra must not change what the program has.
    """
    blocks = re.split(r"\n(?=\S)", split(text)[0].strip())
    pins = set(re.findall(r"^(\S+==\S+)", lock, re.MULTILINE))
    names = {pin.split("==")[0] for pin in pins}
    pin_of = {block: re.match(r"\S+", block)[0] for block in blocks}
    conflicts = sorted(pin for pin in pin_of.values() if pin.split("==")[0] in names and pin not in pins)
    if conflicts:
        raise ValueError(f"pinned differently without the extra: {', '.join(conflicts)}")
    return "\n".join(block for block, pin in pin_of.items() if pin.split("==")[0] not in names) + "\n"


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: python3 packaging/lock.py FILE [FILE_WITH_NAMES]")
    requirements, build = split(Path(sys.argv[1]).read_text("utf-8"))
    if len(sys.argv) == 3:
        (HERE / "names.lock").write_text(additions(Path(sys.argv[2]).read_text("utf-8"), requirements), "utf-8")
    (HERE / "requirements.lock").write_text(requirements, "utf-8")
    (HERE / "build.lock").write_text(build, "utf-8")
