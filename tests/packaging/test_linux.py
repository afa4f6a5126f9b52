"""What a Linux desktop is told of the program: the package's fields, desktop entry, file type, manual, completions."""

from __future__ import annotations

import configparser
import io
import re
import shutil
import subprocess
import tarfile
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

from core import __version__
from core.cli import commands
from core.store import schema

ROOT = Path(__file__).resolve().parents[2]
LINUX = ROOT / "packaging" / "linux"


@pytest.fixture
def debian(load):
    return load("debian")


@pytest.fixture
def manual(load):
    return load("manual")


def desktop() -> configparser.SectionProxy:
    entry = configparser.RawConfigParser(delimiters="=")
    entry.optionxform = str
    entry.read(LINUX / "disconfirm.desktop", "utf-8")
    return entry["Desktop Entry"]


def test_the_control_file_has_every_field_and_nothing_to_fill_in(debian):
    text = debian.control(version="0.1.0", architecture="amd64", size=700 * 2**20, glibc=35)
    fields = dict(re.findall(r"^([A-Z][\w-]+): (.*)$", text, re.MULTILINE))
    assert "@" not in text.replace("disconfirm@localhost", "")
    assert fields["Installed-Size"] == "716800"
    assert fields["Architecture"] == "amd64"
    assert "libc6 (>= 2.35)" in fields["Depends"]
    assert len(fields["Description"]) <= 80
    assert text.endswith("\n")


def test_the_package_asks_for_nothing_that_it_brings_along(debian, load):
    contents = load("contents")
    text = debian.control(version="1", architecture="amd64", size=1, glibc=35)
    asked = re.search(r"^Depends: (.*)$", text, re.MULTILINE)[1].split(", ")
    assert len(asked) == len(set(asked)) > 20
    assert not any(word in " ".join(asked) for word in ("python", "gtk", "qt6"))
    for package in ("libxcb-cursor0", "libxkbcommon-x11-0", "libssl3"):
        assert package not in asked
    for library in ("libxcb-cursor.so.0", "libxkbcommon-x11.so.0", "libssl.so.3"):
        assert contents.PACKAGED_LIBRARIES.match(library)


def test_a_later_commit_of_the_same_version_is_a_newer_package(debian):
    first, second = (debian.debian_version("0.1.0", "abc-changed", moment) for moment in (1_700_000_000, 1_800_000_000))
    assert re.fullmatch(r"[0-9][A-Za-z0-9.+~]*", first)
    assert first < second


def test_the_desktop_entry_opens_a_case_by_its_type():
    entry = desktop()
    assert entry["Exec"] == "disconfirm gui %f"
    assert entry["MimeType"].rstrip(";") == file_type().get("type")
    assert entry["Categories"].endswith(";")
    assert entry["Terminal"] == "false"
    assert commands.parser().parse_args(["gui", "case.disconfirm"]).case == "case.disconfirm"


def file_type() -> xml.Element:
    name = "{http://www.freedesktop.org/standards/shared-mime-info}"
    return xml.parse(LINUX / "disconfirm-mime.xml").getroot().find(f"{name}mime-type")


def test_the_file_type_is_known_by_what_a_case_says_of_itself():
    matches = {match.get("offset"): match.get("value") for match in file_type().iter() if match.tag.endswith("match")}
    assert matches["0"] == "SQLite format 3"
    assert int(matches["68"], 16) == schema.APPLICATION_ID


def test_the_description_for_software_centres_names_this_version(debian):
    root = xml.fromstring(debian.metainfo(__version__, 1_700_000_000))
    assert root.find("releases/release").attrib == {"version": __version__, "date": "2023-11-14"}
    assert root.find("launchable").text == "disconfirm.desktop"
    assert root.find("provides/mediatype").text == file_type().get("type")
    assert len(root.find("summary").text) <= 70


def test_the_manual_and_the_completions_know_every_command(manual):
    grammar = commands.parser()
    page = manual.man_page(grammar, "1", "2026-01-01")
    shells = manual.bash_completion(grammar), manual.zsh_completion(grammar)
    for name in commands.ORDER:
        assert f"\n.SS {name}\n" in page
        assert all(re.search(rf"^\s*{name}\) ", shell, re.MULTILINE) for shell in shells)
    assert re.search(r"^ +report\) words='.*--", shells[0], re.MULTILINE)
    assert not [line for line in page.splitlines() if line.startswith("'")]


def test_the_tree_of_the_package(debian, tmp_path):
    bundle, icons, manual = tmp_path / "bundle", tmp_path / "icons", tmp_path / "manual"
    for file in (bundle / "disconfirm", bundle / "_internal" / "a.so"):
        debian.put(file, "x")
    for size in debian.SIZES:
        debian.put(icons / f"{size}.png", "picture")
    for name in ("disconfirm.1", "disconfirm.bash", "_disconfirm"):
        debian.put(manual / name, name)
    stage = tmp_path / "stage"
    debian.stage_files(stage, bundle, icons, manual, version="1", moment=0)
    files = {file.relative_to(stage).as_posix() for file in stage.rglob("*") if file.is_file() or file.is_symlink()}
    assert (stage / "usr/bin/disconfirm").readlink() == Path("/opt/disconfirm/disconfirm")
    assert {"opt/disconfirm/disconfirm", "opt/disconfirm/_internal/a.so"} <= files
    assert "usr/share/icons/hicolor/48x48/apps/disconfirm.png" in files
    assert "usr/share/mime/packages/disconfirm.xml" in files
    assert "usr/share/doc/disconfirm/copyright" in files
    assert not any(file.startswith(("etc/", "DEBIAN/")) for file in files)


def test_a_package_has_the_same_bytes_whoever_makes_it_and_is_read_as_any_other(debian, tmp_path, monkeypatch):
    monkeypatch.setattr(debian.xz_blocks, "BLOCK", 4096)
    program = b"\x7fELF".ljust(18, b"\0") + b"\x3e\0" + b"call\xe8\1\2\3\0" * 2000
    packages = []
    for name in ("one", "two"):
        stage = tmp_path / name
        for path, data in (("opt/b.so", program), ("opt/model.safetensors", bytes(range(256)) * 40), ("opt/a", "text")):
            debian.put(stage / path, data)
        (stage / "usr").mkdir()
        (stage / "usr/link").symlink_to("/opt/a")
        debian.put(stage / "DEBIAN/control", "Package: a\n")
        debian.pack(stage, tmp_path / f"{name}.deb", moment=1_700_000_000, preset=1)
        packages.append((tmp_path / f"{name}.deb").read_bytes())
    assert packages[0] == packages[1]
    members = dict(ar_members(packages[0]))
    assert list(members) == ["debian-binary", "control.tar.xz", "data.tar.xz"]
    assert members["debian-binary"] == b"2.0\n"
    with tarfile.open(fileobj=io.BytesIO(members["data.tar.xz"])) as data:
        entries = data.getmembers()
        names = [entry.name for entry in entries]
        assert data.extractfile("./opt/b.so").read() == program
    assert names == [".", "./opt", "./usr", "./opt/b.so", "./opt/a", "./usr/link", "./opt/model.safetensors"]
    assert {(entry.uname, entry.mtime) for entry in entries} == {("root", 1_700_000_000)}
    with tarfile.open(fileobj=io.BytesIO(members["control.tar.xz"])) as control:
        assert control.extractfile("./control").read() == b"Package: a\n"


def ar_members(package: bytes):
    """The members of the archive that a .deb is: name, content."""
    assert package[:8] == b"!<arch>\n"
    at = 8
    while at < len(package):
        name, size = package[at : at + 16].decode().strip(), int(package[at + 48 : at + 58])
        yield name, package[at + 60 : at + 60 + size]
        at += 60 + size + size % 2


@pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="this system has no dpkg")
def test_dpkg_reads_the_package(debian, tmp_path):
    debian.put(tmp_path / "stage/opt/a", "text")
    control = "Package: a\nVersion: 1\nArchitecture: all\nMaintainer: A <a@localhost>\nDescription: a\n"
    debian.put(tmp_path / "stage/DEBIAN/control", control)
    debian.pack(tmp_path / "stage", tmp_path / "a.deb", moment=1_700_000_000, preset=1)
    subprocess.run(["dpkg-deb", "-x", str(tmp_path / "a.deb"), str(tmp_path / "out")], check=True)
    assert (tmp_path / "out/opt/a").read_text("utf-8") == "text"
    field = subprocess.run(["dpkg-deb", "-f", str(tmp_path / "a.deb"), "Package"], capture_output=True, check=True)
    assert field.stdout == b"a\n"


def test_the_newest_glibc_that_a_library_asks_for_is_read_from_it(debian, tmp_path):
    (tmp_path / "a.so").write_bytes(b"\x7fELF\0GLIBC_2.17\0GLIBC_2.34\0GLIBC_2.4\0")
    (tmp_path / "text").write_bytes(b"\0GLIBC_2.99\0")
    assert debian.glibc_floor(tmp_path) == 34
