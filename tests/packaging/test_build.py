"""The steps of the build that need no build: what goes in, checks of the folder, the archive, stub libraries."""

from __future__ import annotations

import json
import plistlib
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

from core import __version__, paths
from core.sample_case import CASE, REPORT

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def build(load):
    return load("build")


def test_the_version_is_the_same_wherever_it_stands(build):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[1]
    assert {build.version(), project["version"], newest} == {__version__}


def test_the_commit_is_named_by_what_git_says_of_it(build, monkeypatch):
    answers = {"rev-parse": "abc123", "status": "", "log": "1700000000"}
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    monkeypatch.setattr(build, "git", lambda *words: answers[words[0]])
    assert build.head() == build.Commit("abc123", 1_700_000_000)
    answers["status"] = " M core/paths.py"
    assert build.head().name == "abc123-changed"


def test_what_is_packed_is_named_by_the_commit_of_the_folder_wherever_the_checkout_is_by_then(build, folder, tmp_path):
    record = folder / "_internal" / build.RECORD
    record.parent.mkdir()
    record.write_text('{"commit": "abc123", "date": 1700000000}', "utf-8")
    assert build.commit_of(folder) == build.Commit("abc123", 1_700_000_000)


def test_every_resource_is_taken_from_the_checkout_to_where_the_program_looks(build):
    targets = {target for _, target in build.resource_files()}
    assert {"resources/models.lock", f"resources/models/{paths.READER}", "resources/handbook/README.md"} <= targets
    assert not [target for target in targets if target.startswith("resources/screenshots/")]


def test_the_sets_of_kernels_are_those_that_the_program_chooses_from(build):
    from core import cpu

    assert list(build.KERNEL_SETS) == ["lib", cpu.NARROW, cpu.PLAIN]
    flags = [build.bootstrap.build_flags("x86_64", features) for features in build.KERNEL_SETS.values()]
    assert [("GGML_AVX512=ON" in one, "GGML_AVX2=ON" in one) for one in flags] == [
        (True, True), (False, True), (False, False),
    ]  # fmt: skip


def test_a_folder_with_a_link_or_stray_kernels_is_refused(build, tmp_path):
    (tmp_path / "_internal" / "llama_cpp" / "lib").mkdir(parents=True)
    (tmp_path / "_internal" / "llama_cpp" / "lib" / "libggml.so.0").touch()
    build.check_bundle(tmp_path)
    stray = tmp_path / "_internal" / "libggml.so.0"
    stray.touch()
    with pytest.raises(build.SetupError, match=r"libggml\.so\.0"):
        build.check_bundle(tmp_path)
    stray.unlink()
    (tmp_path / "_internal" / "link").symlink_to("llama_cpp")
    with pytest.raises(build.SetupError, match="link"):
        build.check_bundle(tmp_path)


@pytest.fixture
def folder(tmp_path):
    """A small packaged program."""
    bundle = tmp_path / "disconfirm"
    (bundle / "_internal").mkdir(parents=True)
    (bundle / "disconfirm").write_text("program", "utf-8")
    (bundle / "_internal" / "b.txt").write_text("b", "utf-8")
    (bundle / "_internal" / "a.txt").write_text("a", "utf-8")
    (bundle / "_internal" / "a.txt").chmod(0o600)
    return bundle


def test_the_archive_has_the_same_bytes_whoever_makes_it_and_when(build, folder, tmp_path):
    other = tmp_path / "other" / "disconfirm"
    shutil.copytree(folder, other, copy_function=shutil.copyfile)
    for name, bundle in (("one", folder), ("two", other)):
        build.normalise_times_and_modes(bundle, 1_700_000_000)
        build.make_archive(bundle, tmp_path / name, 1_700_000_000)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    with tarfile.open(tmp_path / "one") as archive:
        entries = archive.getmembers()
    assert [entry.name for entry in entries] == [
        "disconfirm", "disconfirm/_internal", "disconfirm/_internal/a.txt", "disconfirm/_internal/b.txt",
        "disconfirm/disconfirm",
    ]  # fmt: skip
    assert {entry.mtime for entry in entries} == {1_700_000_000}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_only_the_program_itself_is_executable(build, folder):
    build.normalise_times_and_modes(folder, 1_700_000_000)
    modes = {file.name: file.stat().st_mode & 0o777 for file in folder.rglob("*") if file.is_file()}
    assert modes == {"disconfirm": 0o755, "a.txt": 0o644, "b.txt": 0o644}


def test_the_finished_sample_stands_where_the_program_looks_for_it(build):
    from core import sample_case

    target = sample_case.BUILT.relative_to(paths.RESOURCES.parent).as_posix()
    assert target == "resources/sample_case/built"
    source = (ROOT / "packaging" / "build.py").read_text("utf-8")
    assert all(name in source for name in (CASE, REPORT, target))


def test_a_missing_venv_is_told_with_its_remedy(build, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(build.bootstrap, "VENV", tmp_path / "none")
    assert build.main(["bundle"]) == 3
    assert "bootstrap.py setup" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing of the system comes along")
def test_a_system_without_a_library_that_comes_along_is_refused(build, monkeypatch, tmp_path):
    missing = build.bootstrap.missing_qt
    monkeypatch.setattr(build, "venv_python", lambda: Path(sys.executable))
    monkeypatch.setattr(build, "WORK", tmp_path / "none" / "build")  # where it goes on, it ends
    monkeypatch.setattr(
        build.bootstrap, "missing_qt",
        lambda screen, **more: missing(screen, lambda library: library != "libxcb-cursor.so.0", **more),
    )  # fmt: skip
    with pytest.raises(build.SetupError, match=r"libxcb-cursor\.so\.0") as told:
        build.make_bundle(build.Commit("abc123", 1_700_000_000))
    assert "libxcb-cursor0" in told.value.remedy


def test_the_workflow_installs_every_library_that_the_package_needs(build):
    package = (ROOT / ".github" / "workflows" / "check.yml").read_text("utf-8").partition("\n  package:\n")[2].split()
    assert {need[1] for need in build.bootstrap.qt_needs("wayland")} <= set(package)


def test_the_sums_beside_the_packages_are_theirs(build, monkeypatch, tmp_path, folder):
    monkeypatch.setattr(build, "DIST", tmp_path)
    monkeypatch.setattr(build, "BUNDLE", folder)
    monkeypatch.setattr(build.shutil, "which", lambda _: None)
    monkeypatch.setattr(build, "commit_of", lambda _: build.Commit("abc123", 1_700_000_000))
    build.make_packages(preset=1)
    sums = [line.split("  ") for line in (tmp_path / "SHA256SUMS").read_text("utf-8").splitlines()]
    assert sums == [[build.bootstrap.sha256_of(file), file.name] for file in tmp_path.glob("*.tar.gz")] != []


# --- stub libraries --------------------------------------------------------------------------------------------------

needs_compiler = pytest.mark.skipif(
    not all(map(shutil.which, ("gcc", "nm"))) or sys.platform != "linux", reason="builds small ELF libraries"
)


@needs_compiler
def test_a_stub_library_has_every_function_and_says_which_was_called(load, tmp_path):
    stub_libraries = load("stub_libraries")
    target = tmp_path / "libfilm.so.1"
    stub_libraries.build(target, {"film_open": "FILM_1", "film_close": "FILM_1"})
    assert stub_libraries.symbols(target, "--defined-only") == {
        "film_open": "FILM_1",
        "film_close": "FILM_1",
        "FILM_1": "",
    }
    code = f"import ctypes; ctypes.CDLL({str(target)!r}).film_open()"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert child.returncode < 0
    assert "film_open is not in this program" in child.stderr


@needs_compiler
def test_libraries_that_nothing_calls_are_replaced_and_theirs_go(load, tmp_path):
    stub_libraries = load("stub_libraries")
    wheel = stub_libraries.WHEELS[0]
    libraries = tmp_path / wheel.folder
    libraries.mkdir()
    user_file = tmp_path / wheel.user
    user_file.parent.mkdir()
    code = {
        "libavcodec-1.so": "int av_one(void){return 1;} int av_two(void){return 2;}",
        "libvpx-1.so": "int vp(void){return 1;}",
    }
    for name, text in code.items():
        (tmp_path / "a.c").write_text(text, "utf-8")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(libraries / name), str(tmp_path / "a.c")], check=True)
    (libraries / "libpng16-1.so").write_bytes(b"stays")
    (tmp_path / "a.c").write_text("int av_one(void); int use(void){return av_one();}", "utf-8")
    user = ["gcc", "-shared", "-fPIC", "-o", str(user_file), str(tmp_path / "a.c")]
    subprocess.run([*user, str(libraries / "libavcodec-1.so")], check=True)
    stub_libraries.replace_with_stubs(tmp_path)
    assert sorted(file.name for file in libraries.iterdir()) == ["libavcodec-1.so", "libpng16-1.so"]
    assert set(stub_libraries.symbols(libraries / "libavcodec-1.so", "--defined-only")) == {"av_one"}


def test_the_list_of_a_wheels_parts_names_none_that_is_a_stub(load):
    stub_libraries = load("stub_libraries")
    assert stub_libraries.is_left_out("opencv_python_headless", "openssl-libs")
    assert not stub_libraries.is_left_out("opencv_python_headless", "libpng")
    assert not stub_libraries.is_left_out("cryptography", "openssl-libs")


# --- data of ICU -----------------------------------------------------------------------------------------------------


def icu_package(items: dict[str, bytes]) -> bytes:
    """A package of ICU's data as ICU lays it out: header, table, names, items at multiples of 16."""
    head = (32).to_bytes(2, "little") + b"\xda\x27" + b"\x14\0\0\0\0\0\2\0CmnD\1\0\0\0\0\0\0\0"
    names, blob, table = b"", b"", b""
    start = 4 + 8 * len(items)
    body = start + sum(len(name) + 1 for name in items)
    body += -body % 16
    for name, content in items.items():
        table += (start + len(names)).to_bytes(4, "little") + (body + len(blob)).to_bytes(4, "little")
        names += name.encode() + b"\0"
        blob += content + bytes(-len(content) % 16)
    package = len(items).to_bytes(4, "little") + table + names
    return head.ljust(32, b"\0") + package + bytes(body - len(package)) + blob


ITEMS = {
    "icudt73l/coll/sv.res": b"order of Swedish",
    "icudt73l/curr/sv.res": b"currencies",
    "icudt73l/root.res": b"what all languages share",
    "icudt73l/zone/sv.res": b"time zones",
}
NEEDED_ITEMS = {name: ITEMS[name] for name in ("icudt73l/coll/sv.res", "icudt73l/root.res")}


def test_the_data_of_icu_are_cut_to_the_order_of_words(load):
    assert load("icu_data").cut(icu_package(ITEMS)) == icu_package(NEEDED_ITEMS)


def test_data_of_another_kind_are_refused(load):
    with pytest.raises(ValueError, match="no data of ICU"):
        load("icu_data").cut(icu_package(ITEMS).replace(b"CmnD", b"ResB"))


@needs_compiler
def test_a_library_of_data_is_replaced_by_one_with_fewer(load, tmp_path):
    icu_data = load("icu_data")
    library = tmp_path / "libicudata.so.73"
    padded = {**ITEMS, "icudt73l/zone/sv.res": bytes(100_000)}
    icu_data.write(library, "icudt73_dat", icu_package(padded))
    assert icu_data.cut_library(tmp_path) > 90_000
    assert icu_data.read(library) == ("icudt73_dat", icu_package(NEEDED_ITEMS))


# --- Windows and macOS, as far as any machine can tell ---------------------------------------------------------------


def test_what_the_windows_installer_names_exists_or_is_built(build):
    text = (ROOT / "packaging" / "windows" / "disconfirm.iss").read_text("utf-8")
    folder = ROOT / "packaging" / "windows"
    files = [
        folder.joinpath(*path.split("\\")).resolve()
        for path in re.findall(r"(?:File|Source: )=?\"?(\.\.\\[^\"\n;]+)", text)
    ]
    assert (ROOT / "LICENSE").resolve() in files
    for file in files:
        inside = file.relative_to(ROOT)
        assert file.exists() or inside.parts[0] in ("dist", "build"), file
    sections = re.findall(r"^\[(\w+)\]$", text, re.MULTILINE)
    assert sections == ["Setup", "InstallDelete", "Files", "Icons", "Registry", "Run"]
    assert "PrivilegesRequired=lowest" in text
    assert 'disconfirm-window.exe"" gui ""%1""' in text


def test_the_application_bundle_of_macos_opens_cases(build):
    entries = json.loads((ROOT / "packaging" / "macos" / "Info.json").read_text("utf-8"))
    assert entries["CFBundleDocumentTypes"][0]["CFBundleTypeExtensions"] == ["disconfirm"]
    rights = plistlib.loads((ROOT / "packaging" / "macos" / "entitlements.plist").read_bytes())
    assert all(rights.values())


@pytest.mark.skipif(not shutil.which("sh"), reason="there is no shell")
def test_the_script_for_a_disk_image_is_a_script():
    script = ROOT / "packaging" / "macos" / "make_dmg.sh"
    assert subprocess.run(["sh", "-n", str(script)], check=False).returncode == 0
    if sys.platform != "darwin":
        child = subprocess.run(["sh", str(script), "1"], capture_output=True, text=True, check=False)
        assert (child.returncode, "build.py bundle" in child.stderr) == (3, True)


def test_the_record_of_the_version_for_windows_is_python(build, tmp_path):
    build.write_version_file(tmp_path / "version.txt", build.Commit("abc123", 1_700_000_000))
    text = (tmp_path / "version.txt").read_text("utf-8")
    compile(text, "version.txt", "eval")
    assert f"'ProductVersion', '{__version__}'" in text
    assert f"'FileVersion', '{__version__} abc123'" in text
