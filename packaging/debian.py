"""The .deb: the folder in /opt, and what a desktop needs to know of it. No scripts run when it is installed."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

LINUX = Path(__file__).resolve().parent / "linux"
ICONS = Path(__file__).resolve().parent / "icons"
PREFIX = Path("opt/disconfirm")
NEWEST_GLIBC = 36  # of the oldest Debian that is promised (12); Ubuntu 22.04 has 35
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)


def glibc_floor(folder: Path) -> int:
    """Return the highest minor version of glibc 2 that a library of the folder asks for."""
    highest = 0
    for file in folder.rglob("*"):
        if file.is_file() and not file.is_symlink() and file.open("rb").read(4) == b"\x7fELF":
            numbers = [int(found) for found in re.findall(rb"\0GLIBC_2\.(\d+)(?:\.\d+)?(?=\0)", file.read_bytes())]
            highest = max([highest, *numbers])
    return highest


def control(*, version: str, architecture: str, size: int, glibc: int) -> str:
    """Write the control file; ``size`` in bytes."""
    text = (LINUX / "control").read_text("utf-8")
    fields = {
        "VERSION": version,
        "ARCHITECTURE": architecture,
        "SIZE": str((size + 1023) // 1024),
        "GLIBC": f"2.{glibc}",
    }
    for name, value in fields.items():
        text = text.replace(f"@{name}@", value)
    return text


def put(target: Path, data: bytes | str) -> None:
    """Write a file with the folders that it needs."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)


def stage_files(stage: Path, bundle: Path, icons: Path, manual: Path, *, version: str, moment: int) -> None:
    """Lay out the package below ``stage``: ``icons`` holds PNGs by size, ``manual`` the man page and completions."""
    shutil.rmtree(stage, ignore_errors=True)
    shutil.copytree(bundle, stage / PREFIX, copy_function=link_or_copy)
    share = stage / "usr/share"
    put(share / "applications/disconfirm.desktop", (LINUX / "disconfirm.desktop").read_text("utf-8"))
    put(share / "mime/packages/disconfirm.xml", (LINUX / "disconfirm-mime.xml").read_text("utf-8"))
    name = "org.disconfirm.Disconfirm.metainfo.xml"
    put(share / "metainfo" / name, metainfo(version, moment))
    put(share / "icons/hicolor/scalable/apps/disconfirm.svg", (ICONS / "disconfirm.svg").read_bytes())
    for size in SIZES:
        folder = share / f"icons/hicolor/{size}x{size}/apps"
        put(folder / "disconfirm.png", (icons / f"{size}.png").read_bytes())
    page = gzip.compress((manual / "disconfirm.1").read_bytes(), 9, mtime=0)
    put(share / "man/man1/disconfirm.1.gz", page)
    put(share / "bash-completion/completions/disconfirm", (manual / "disconfirm.bash").read_bytes())
    put(share / "zsh/vendor-completions/_disconfirm", (manual / "_disconfirm").read_bytes())
    documents = share / "doc/disconfirm"
    put(documents / "copyright", (LINUX / "copyright").read_text("utf-8"))
    log = gzip.compress((LINUX.parent.parent / "CHANGELOG.md").read_bytes(), 9, mtime=0)
    put(documents / "changelog.gz", log)
    (stage / "usr/bin").mkdir(parents=True)
    (stage / "usr/bin/disconfirm").symlink_to("/opt/disconfirm/disconfirm")


def metainfo(version: str, moment: int) -> str:
    """Write the description for software centres."""
    text = (LINUX / "org.disconfirm.Disconfirm.metainfo.xml").read_text("utf-8")
    return text.replace("@VERSION@", version).replace("@DATE@", time.strftime("%Y-%m-%d", time.gmtime(moment)))


def link_or_copy(source: str, target: str) -> None:
    """Put a file in place without a second copy of its bytes, where the disk allows it."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def architecture(machine: str) -> str:
    """Return Debian's name of a kind of machine."""
    return {"x86_64": "amd64", "aarch64": "arm64"}.get(machine, machine)


def debian_version(version: str, commit: str, moment: int) -> str:
    """Return the version of the package: a later commit of the same version counts as newer."""
    return f"{version}+{time.strftime('%Y%m%d%H%M', time.gmtime(moment))}.{commit.replace('-', '.')}"


def pack(stage: Path, target: Path, environment: dict[str, str], *, level: int) -> None:
    """Make the .deb from the tree at ``stage``. Raises CalledProcessError."""
    command = ["dpkg-deb", "--root-owner-group", "-Zzstd", f"-z{level}", "--threads-max=2", "-b"]
    subprocess.run([*command, str(stage), str(target)], env=environment, check=True, stdout=subprocess.DEVNULL)
