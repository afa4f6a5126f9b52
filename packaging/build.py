#!/usr/bin/env python3
"""Build the packaged program from this checkout, for the system that this runs on.

    python3 packaging/build.py              everything that can be made here: folder, archive, package
    python3 packaging/build.py bundle       the folder alone: dist/disconfirm
    python3 packaging/build.py archive      the archive and the package from the folder that is there

It takes what ``python3 packaging/bootstrap.py setup`` installed (.venv, models) and fetches nothing but the source of
the kernels that are not built yet. The same commit with the same .venv gives the same bytes.

Exit codes: 0 done, 2 wrong use, 3 something is missing (cause, effect and remedy are printed).
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import time
from dataclasses import dataclass
from pathlib import Path

import bootstrap
import contents
import debian
import icu_data
import parts
import stub_libraries
from bootstrap import ROOT, SetupError, say, step, venv_python

WORK = ROOT / "build"
DIST = ROOT / "dist"
BUNDLE = DIST / "disconfirm"
RECORD = "resources/build.json"  # in the program: the commit that it was built from
PACKAGING = ROOT / "packaging"
REMEDY = "Run python3 packaging/bootstrap.py setup, then this again."


# --- the commit ------------------------------------------------------------------------------------------------------


def git(*words: str) -> str:
    """Return what git answers; '' where this is no checkout."""
    child = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return child.stdout.strip() if child.returncode == 0 else ""


@dataclass(frozen=True)
class Commit:
    """The commit that is built: its name, and the time that every file of the build gets, in seconds."""

    name: str
    moment: int

    @property
    def day(self) -> str:
        """The day of that time."""
        return time.strftime("%Y-%m-%d", time.gmtime(self.moment))


def head() -> Commit:
    """Return the commit of this checkout, with a mark in its name where files differ from it."""
    changes = git("status", "--porcelain", "--untracked-files=no")
    name = (git("rev-parse", "--short=12", "HEAD") or "unknown") + ("-changed" if changes else "")
    moment = os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct") or "1700000000"
    return Commit(name, int(moment))


def commit_of(bundle: Path) -> Commit:
    """Return the commit that a folder was built from, as its own record has it."""
    record = json.loads((bundle / "_internal" / RECORD).read_text("utf-8"))
    return Commit(record["commit"], record["date"])


def version() -> str:
    """Return the version that stands in core/__init__.py."""
    text = (ROOT / "core" / "__init__.py").read_text("utf-8")
    return text.split('__version__ = "', 1)[1].split('"', 1)[0]


def environment(moment: int) -> dict[str, str]:
    """Return the environment of every step: nothing in it that differs from machine to machine."""
    return bootstrap.clean_environment(
        SOURCE_DATE_EPOCH=str(moment), PYTHONHASHSEED="1", LC_ALL="C.UTF-8", TZ="UTC", QT_QPA_PLATFORM="offscreen"
    )


# --- what goes in besides modules and libraries ----------------------------------------------------------------------


def site_packages() -> Path:
    """Return where .venv has its packages."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    output = subprocess.run([str(venv_python()), "-I", "-c", code], capture_output=True, text=True, check=True)
    return Path(output.stdout.strip())


def tracked(folder: str) -> list[str]:
    """List the files of a folder of the checkout that git knows, or all where this is no checkout."""
    names = git("ls-files", "-z", folder).split("\0") if git("rev-parse", "HEAD") else []
    return sorted(filter(None, names)) or sorted(
        file.relative_to(ROOT).as_posix() for file in (ROOT / folder).rglob("*") if file.is_file()
    )


def resource_files() -> list[tuple[str, str]]:
    """List the resources: source, and path in the program."""
    return [
        (str(ROOT / name), name)
        for name in tracked("resources")
        if contents.is_resource(name.removeprefix("resources/")) and (ROOT / name).is_file()
    ]


def model_files() -> list[tuple[str, str]]:
    """List the models that are fetched, each checked by its hash; the judge comes with the resources."""
    folder = bootstrap.models_folder()
    rows = []
    for model in bootstrap.packaged_models():
        if model["source"] != "PyPI":
            continue
        if not bootstrap.model_is_there(folder, model):
            raise SetupError(f"The model {model['name']} is not in {folder}.", "Nothing was built.", REMEDY)
        rows += [(str(folder / file["file"]), f"models/{file['file']}") for file in model["files"]]
    return rows


def tessdata_files() -> list[tuple[str, str]]:
    """List the language data of Tesseract that .venv has."""
    files = sorted((bootstrap.VENV / "share" / "tessdata").glob("*.traineddata"))
    if not files:
        raise SetupError("Tesseract's language data is not in .venv.", "Nothing was built.", REMEDY)
    return [(str(file), f"resources/tessdata/{file.name}") for file in files]


# --- kernels: one folder for each kind of processor ------------------------------------------------------------------

KERNEL_SETS = {"lib": bootstrap.AVX2 | bootstrap.AVX512 | bootstrap.SSE42 | bootstrap.AVX}
KERNEL_SETS["lib-avx2"] = bootstrap.AVX2 | bootstrap.SSE42 | bootstrap.AVX
KERNEL_SETS["lib-plain"] = bootstrap.SSE42


def kernel_files() -> list[tuple[str, str]]:
    """List the libraries of the language models, each set whole in its folder; sets that are missing are built."""
    package = site_packages() / "llama_cpp"
    if not (package / "lib" / contents.KERNELS[0]).is_file():
        raise SetupError("llama-cpp-python is not in .venv.", "Nothing was built.", REMEDY)
    machine = platform.machine()
    if machine.lower() not in bootstrap.X86 or os.name == "nt":
        return [(str(file), f"llama_cpp/lib/{file.name}") for file in sorted((package / "lib").iterdir())]
    rows = []
    for name, features in KERNEL_SETS.items():
        kernels = kernel_set(package, name, bootstrap.build_flags(machine, features))
        stage = WORK / "kernels" / name
        shutil.rmtree(stage, ignore_errors=True)
        stage.mkdir(parents=True)
        for library in contents.KERNELS:
            variant = kernels / library
            shutil.copyfile(variant if variant.is_file() else package / "lib" / library, stage / library)
            rows.append((str(stage / library), f"llama_cpp/{name}/{library}"))
    return rows


def kernel_set(package: Path, name: str, flags: list[str]) -> Path:
    """Return the folder with the kernels built with ``flags``: from .venv or the cache, else built now."""
    wheels = bootstrap.cache_folder() / "wheels"
    installed = wheels / bootstrap.stamps().get("llama", "none") / "flags.txt"
    if installed.is_file() and sorted(installed.read_text("utf-8").split()) == sorted(flags):
        return package / "lib"
    if name == bootstrap.NARROW and (package / name).is_dir():
        return package / name
    lock = bootstrap.BUILD_LOCK.read_text("utf-8")
    key = bootstrap.wheel_key(
        bootstrap.pinned_version(lock, "llama-cpp-python"), flags, "", platform.system(), platform.machine()
    )
    folder = wheels / f"kernels-{key.rpartition('-')[2]}"
    if not any(folder.glob("*ggml-cpu*")):
        with step(f"language model runtime: building the set {name} of its kernels (one to three minutes)"):
            bootstrap.build_kernels(folder, flags)
    return folder


# --- the sample case -------------------------------------------------------------------------------------------------


def sample_files(models: list[tuple[str, str]], moment: int) -> list[tuple[str, str]]:
    """List the finished sample case and its report; they are built by the shipped judge where anything has changed."""
    folder = WORK / "sample"
    names = [*tracked("core"), *tracked("resources/sample_case"), *tracked("resources/models"), "packaging/sample.py"]
    state = bootstrap.fingerprint(
        str(moment), *((ROOT / name).read_bytes() for name in names if (ROOT / name).is_file())
    )
    stamp = folder / "made-from"
    if not (stamp.is_file() and stamp.read_text("utf-8") == state):
        for name in ("sample.disconfirm", "sample-report.html"):
            (folder / name).unlink(missing_ok=True)
        for source, target in models:
            place = folder / target
            place.parent.mkdir(parents=True, exist_ok=True)
            if not place.exists():
                debian.link_or_copy(source, str(place))
        settings = {**environment(moment), "DISCONFIRM_MODELS": str(folder / "models")}
        with step("sample case: judging its passages (a minute)"):
            maker = [str(venv_python()), str(PACKAGING / "sample.py"), str(folder), str(moment)]
            if subprocess.run(maker, cwd=ROOT, env=settings, check=False).returncode:
                raise SetupError("The sample case is not as expected.", "Nothing was built.", "See the lines above.")
        stamp.write_text(state, "utf-8")
    names = ["sample.disconfirm", "sample-report.html"]
    return [(str(folder / name), f"resources/sample_case/built/{name}") for name in names]


# --- the folder ------------------------------------------------------------------------------------------------------


def make_bundle(commit: Commit, *, sample: bool = True) -> None:
    """Make dist/disconfirm from a commit with PyInstaller, then strip, check and date its files.

    Without its ``sample`` case the program builds one when it is first opened.
    """
    if not venv_python().is_file():
        raise SetupError("There is no .venv in this checkout.", "Nothing was built.", REMEDY)
    check_system_libraries()
    WORK.mkdir(exist_ok=True)
    (WORK / "build.json").write_text(json.dumps({"commit": commit.name, "date": commit.moment}) + "\n", "utf-8")
    icons = [str(venv_python()), str(PACKAGING / "icons.py"), str(WORK / "icons")]
    subprocess.run(icons, check=True, cwd=ROOT, env=environment(commit.moment))
    models = model_files()
    files = [*resource_files(), *models, *tessdata_files(), *kernel_files(), (str(WORK / "build.json"), RECORD)]
    if sample:
        files += sample_files(models, commit.moment)
    plan = {
        "files": files,
        "icons": str(WORK / "icons"),
        "shipped": str(WORK / "shipped.json"),
        "version": version(),
        "version_file": str(WORK / "version.txt"),
        "info_plist": json.loads((PACKAGING / "macos" / "Info.json").read_text("utf-8")),
    }
    (WORK / "plan.json").write_text(json.dumps(plan, indent=1), "utf-8")
    write_version_file(WORK / "version.txt", commit)
    command = [str(venv_python()), "-m", "PyInstaller", "--clean", "--noconfirm", "--log-level", "WARN"]
    command += ["--distpath", str(DIST), "--workpath", str(WORK / "pyinstaller")]
    with step("PyInstaller: collecting modules, libraries and data (about two minutes)"):
        child = subprocess.run(
            [*command, str(PACKAGING / "disconfirm.spec")],
            cwd=ROOT,
            env={**environment(commit.moment), "DISCONFIRM_BUILD": str(WORK / "plan.json")},
            check=False,
        )
    if child.returncode:
        raise SetupError("PyInstaller failed; its lines stand above.", "Nothing was built.", REMEDY)
    check_bundle(BUNDLE)
    if sys.platform == "linux":
        saved = stub_libraries.replace_with_stubs(BUNDLE / "_internal")
        saved += icu_data.cut_library(BUNDLE / "_internal/PySide6/Qt/lib")
        say(f"  {saved / 2**20:.0f} MiB of libraries and data that nothing asks for left out")
    strip(BUNDLE)
    with step("licence texts, list of parts, source"):
        write_papers(BUNDLE, commit)
    normalise_times_and_modes(BUNDLE, commit.moment)
    say(f"  {BUNDLE}: {size(BUNDLE) / 2**20:.0f} MiB")


def check_system_libraries() -> None:
    """Refuse to build where Qt's libraries of the system are missing, which bare desktops lack. Raises SetupError."""
    missing = bootstrap.missing_qt("wayland", font=lambda: True) if sys.platform == "linux" else []
    if missing:
        names = ", ".join(need[0] for need in missing)
        raise SetupError(
            f"Libraries of the system that the program brings along are missing: {names}.",
            "Nothing was built: its window would not start on a desktop that lacks them too.",
            "Install them and run this again. "
            + bootstrap.install_commands([need[1] for need in missing], [need[2] for need in missing]),
        )


def write_version_file(target: Path, commit: Commit) -> None:
    """Write what Windows shows of a program's version; no other system reads it."""
    numbers = ", ".join([*version().split("."), "0"])
    words = {
        "CompanyName": "The Disconfirm project",
        "FileDescription": "Disconfirm",
        "FileVersion": f"{version()} {commit.name}",
        "LegalCopyright": "GNU Affero General Public License, version 3 or later",
        "ProductName": "Disconfirm",
        "ProductVersion": version(),
    }
    lines = ", ".join(f"StringStruct({name!r}, {value!r})" for name, value in words.items())
    target.write_text(
        f"VSVersionInfo(ffi=FixedFileInfo(filevers=({numbers}), prodvers=({numbers})), "
        f"kids=[StringFileInfo([StringTable('040904B0', [{lines}])]), "
        "VarFileInfo([VarStruct('Translation', [1033, 1200])])])\n",
        "utf-8",
    )


def check_bundle(bundle: Path) -> None:
    """Refuse a folder with links, or with kernels outside of their sets. Raises SetupError."""
    links = [file for file in bundle.rglob("*") if file.is_symlink()]
    astray = [file for file in (bundle / "_internal").glob("lib*") if file.name.startswith(("libggml", "libllama"))]
    if links or astray:
        names = ", ".join(str(file.relative_to(bundle)) for file in (*links, *astray)[:5])
        raise SetupError(f"The folder holds files that it must not: {names}.", "It was not used.", "Mend contents.py.")


def strip(bundle: Path) -> None:
    """Take the symbols out of libraries; never of those that a wheel has rewritten, which would break."""
    if sys.platform != "linux" or not shutil.which("strip"):
        return
    with step("stripping libraries"):
        for file in sorted((bundle / "_internal").rglob("*")):
            if file.is_file() and ".so" in file.name and not file.parent.name.endswith(".libs"):
                subprocess.run(["strip", "--strip-unneeded", str(file)], check=False, capture_output=True)


def normalise_times_and_modes(folder: Path, moment: int) -> None:
    """Give every file of a folder the same time, and modes that do not depend on who builds."""
    for place, _folders, names in os.walk(folder, topdown=False):
        for name in names:
            file = Path(place, name)
            if file.is_symlink():
                os.utime(file, (moment, moment), follow_symlinks=False)
                continue
            file.chmod(0o755 if is_program(file) else 0o644)
            os.utime(file, (moment, moment))
        Path(place).chmod(0o755)
        os.utime(place, (moment, moment))


def is_program(file: Path) -> bool:
    """Return whether a file is to be executable: the program itself."""
    return file.name in ("disconfirm", "disconfirm-window") and file.parent.name in ("disconfirm", "MacOS")


def size(folder: Path) -> int:
    """Count the bytes of a folder."""
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file())


# --- licences, parts, source -----------------------------------------------------------------------------------------


def write_papers(bundle: Path, commit: Commit) -> None:
    """Put the licence texts, the list of parts and the source into the folder. Raises SetupError where a text lacks."""
    inside = bundle / "_internal"
    for name in ("LICENSE", "THIRD_PARTY.md"):
        shutil.copyfile(ROOT / name, inside / name)
    texts = inside / "licences"
    shutil.rmtree(texts, ignore_errors=True)
    texts.mkdir()
    shipped = json.loads((WORK / "shipped.json").read_text("utf-8"))
    rows = [*parts.distributions(shipped, texts), *parts.other_parts(bundle, texts)]
    if sys.platform == "linux" and shutil.which("dpkg"):
        rows += parts.system_libraries(shipped, texts)
    if lacking := parts.without_text(rows, texts):
        raise SetupError(
            f"There is no licence text for {', '.join(lacking)}.", "The folder is not finished.",
            "Add it to packaging/licences and name it in packaging/parts.py.",
        )  # fmt: skip
    date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(commit.moment))
    parts.write_list(texts / "sbom.cdx.json", rows, version=version(), commit=commit.name, date=date)
    say(f"  {len(rows)} parts in the list")
    source = inside / "source"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir()
    shutil.copyfile(PACKAGING / "source.txt", source / "README.txt")
    write_source(source / f"disconfirm-{commit.name}.tar.gz", commit)


def write_source(target: Path, commit: Commit) -> None:
    """Write the archive of a commit's files, without what lies in the package as it is."""
    if not git("rev-parse", "HEAD"):
        raise SetupError("This is no git checkout.", "The source cannot be packed.", "Build from a checkout.")
    left_out = [":(exclude)resources/models/*.gguf", ":(exclude)resources/screenshots"]
    command = ["git", "archive", "--format=tar", f"--prefix={target.name.removesuffix('.tar.gz')}/"]
    files = [commit.name.removesuffix("-changed"), "--", ".", *left_out]
    child = subprocess.run([*command, *files], cwd=ROOT, capture_output=True, check=True)
    target.write_bytes(gzip.compress(child.stdout, 9, mtime=0))


# --- archive and package ---------------------------------------------------------------------------------------------


def make_archive(bundle: Path, target: Path, moment: int) -> None:
    """Make the relocatable archive of the folder: one order, one owner, one time."""

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = moment
        return entry

    with target.open("wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:  # noqa: SIM117
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for path in [bundle, *sorted(bundle.rglob("*"), key=lambda path: path.as_posix())]:
                name = f"disconfirm/{path.relative_to(bundle).as_posix()}".removesuffix("/.")
                archive.add(path, name, recursive=False, filter=plain)


def make_package(bundle: Path, target: Path, *, preset: int) -> None:
    """Make the .deb of the folder."""
    floor = debian.glibc_floor(bundle)
    if floor > debian.NEWEST_GLIBC:
        raise SetupError(
            f"A library needs glibc 2.{floor}, which is newer than that of Debian 12.", "No package was made.",
            "Build on Debian 12 or Ubuntu 22.04.",
        )  # fmt: skip
    say(f"  newest glibc that is asked for: 2.{floor}")
    commit = commit_of(bundle)
    manual, icons, stage = WORK / "manual", WORK / "icons", WORK / "deb"
    maker = [str(venv_python()), str(PACKAGING / "manual.py"), str(manual), version(), commit.day]
    subprocess.run(maker, check=True, cwd=ROOT, env=environment(commit.moment))
    debian.stage_files(stage, bundle, icons, manual, version=version(), moment=commit.moment)
    normalise_times_and_modes(stage, commit.moment)
    text = debian.control(
        version=debian.debian_version(version(), commit.name, commit.moment),
        architecture=debian.architecture(platform.machine()),
        size=size(stage),
        glibc=floor,
    )
    debian.put(stage / "DEBIAN" / "control", text)
    normalise_times_and_modes(stage / "DEBIAN", commit.moment)
    debian.pack(stage, target, moment=commit.moment, preset=preset)
    shutil.rmtree(stage)


def make_packages(*, preset: int) -> None:
    """Make what can be made of the folder on this system."""
    if not (BUNDLE / "_internal").is_dir():
        raise SetupError(f"There is no {BUNDLE}.", "Nothing was packed.", "Run python3 packaging/build.py bundle.")
    name = f"disconfirm-{version()}-{sys.platform}-{platform.machine().lower()}"
    if sys.platform == "linux":
        with step("archive"):
            make_archive(BUNDLE, DIST / f"{name}.tar.gz", commit_of(BUNDLE).moment)
        if shutil.which("dpkg"):
            with step("package for Debian and Ubuntu (some minutes)"):
                architecture = debian.architecture(platform.machine())
                make_package(BUNDLE, DIST / f"disconfirm_{version()}_{architecture}.deb", preset=preset)
    digests = {file: bootstrap.sha256_of(file) for file in sorted([*DIST.glob("*.tar.gz"), *DIST.glob("*.deb")])}
    for file, digest in digests.items():
        say(f"  {file.name}: {file.stat().st_size / 1e6:.0f} MB, sha256 {digest}")
    (DIST / "SHA256SUMS").write_text("".join(f"{digest}  {file.name}\n" for file, digest in digests.items()), "utf-8")


# --- commands --------------------------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    """Build what was asked for; return the exit code."""
    parser = argparse.ArgumentParser(prog="build.py", description="Build the packaged program.", allow_abbrev=False)
    parser.add_argument("what", nargs="?", default="all", choices=("all", "bundle", "archive"))
    parser.add_argument("--no-sample", action="store_true", help="leave the finished sample case out")
    parser.add_argument("--quick", action="store_true", help="pack the .deb in a quarter of the time, a tenth larger")
    options = parser.parse_args(arguments)
    if Path(sys.prefix).resolve() != bootstrap.VENV.resolve() and venv_python().is_file():
        # The list of parts is read from the packages of .venv.
        same = [str(venv_python()), *sys.argv]
        return subprocess.run(same, env=environment(head().moment), check=False).returncode
    try:
        if options.what in ("all", "bundle"):
            make_bundle(head(), sample=not options.no_sample)
        if options.what in ("all", "archive"):
            make_packages(preset=1 if options.quick else 9 | lzma.PRESET_EXTREME)
    except SetupError as error:
        for line in (error.cause, error.effect, f"Remedy: {error.remedy}"):
            print(line, file=sys.stderr, flush=True)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
