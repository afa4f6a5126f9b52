"""The .deb: the folder in /opt, and what a desktop needs to know of it. No scripts run when it is installed."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import tarfile
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO

import xz_blocks

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
            numbers = [int(minor) for minor in re.findall(rb"\0GLIBC_2\.(\d+)(?:\.\d+)?(?=\0)", file.read_bytes())]
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


def pack(stage: Path, target: Path, *, moment: int, preset: int) -> None:
    """Make the .deb from the tree at ``stage``; every file gets the same time. ``preset`` is that of xz."""
    control = stage / "DEBIAN"
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch, target.open("wb") as package:
        package.write(b"!<arch>\n")
        _put_member(package, "debian-binary", [b"2.0\n"], moment)
        for name, root, left_out in (("control", control, None), ("data", stage, control)):
            tree, packed = Path(scratch, f"{name}.tar"), Path(scratch, f"{name}.tar.xz")
            pieces = _write_tree(tree, root, left_out, moment)
            with packed.open("wb") as stream:
                xz_blocks.write(stream, tree, pieces, preset=preset)
            tree.unlink()
            with packed.open("rb") as stream:
                _put_member(package, packed.name, iter(lambda: stream.read(2**20), b""), moment)


def _write_tree(target: Path, root: Path, left_out: Path | None, moment: int) -> list[tuple[int, int, str]]:
    """Write the files of a tree as a tar file, those of a kind together; return where the pieces of each kind lie."""
    folders, files = [root], []
    for path in sorted(root.rglob("*")):
        if left_out is None or not path.is_relative_to(left_out):
            (folders if path.is_dir() and not path.is_symlink() else files).append(path)
    kinds = {file: xz_blocks.TEXT if file.is_symlink() else xz_blocks.kind_of(file) for file in files}
    files.sort(key=lambda file: (kinds[file], file.suffix, file.name, file.as_posix()))
    pieces = []
    with tarfile.open(target, "w", format=tarfile.GNU_FORMAT) as archive:
        for path in [*folders, *files]:
            entry = archive.gettarinfo(path, f"./{path.relative_to(root).as_posix()}".removesuffix("/."))
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = "root"
            entry.mtime = moment
            if entry.isfile() or entry.islnk():  # one that the disk has twice is a file like any other
                entry.type, entry.linkname, entry.size = tarfile.REGTYPE, "", path.stat().st_size
                with path.open("rb") as stream:
                    archive.addfile(entry, stream)
            else:
                archive.addfile(entry)
            kind = kinds.get(path, xz_blocks.TEXT)
            if pieces and pieces[-1][2] == kind:
                pieces[-1] = (pieces[-1][0], archive.offset, kind)
            else:
                pieces.append((pieces[-1][1] if pieces else 0, archive.offset, kind))
    first, _, kind = pieces[-1]
    pieces[-1] = (first, target.stat().st_size, kind)
    return pieces


def _put_member(package: IO[bytes], name: str, content: Iterable[bytes], moment: int) -> None:
    """Add a member to the archive that a .deb is."""
    begin = package.tell()
    package.write(bytes(60))
    for part in content:
        package.write(part)
    size = package.tell() - begin - 60
    package.write(b"\n" * (size % 2))
    end = package.tell()
    package.seek(begin)
    package.write(f"{name:<16}{moment:<12}{0:<6}{0:<6}{100644:<8}{size:<10}`\n".encode("ascii"))
    package.seek(end)
