"""Which build of the language models' library is loaded."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from core import cpu, paths
from core.errors import AppError
from core.model_files import crash_history
from core.workers.engines import JudgeClient
from tests.conftest import GENERATOR

SERVER = "fpu avx avx2 fma f16c bmi2 " + " ".join(
    ("avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl", "avx512_vnni", "avx512vbmi", "avx512_bf16")
)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """An installed library with kernels for AVX2 beside it, on a processor that has AVX-512."""
    folder = tmp_path / "llama_cpp"
    (folder / "lib").mkdir(parents=True)
    (folder / cpu.NARROW).mkdir()
    spec = ModuleSpec("llama_cpp", None, origin=str(folder / "__init__.py"))
    monkeypatch.setattr(cpu, "find_spec", lambda name: spec if name == "llama_cpp" else None)
    processor(monkeypatch, SERVER, SERVER)
    return folder


def processor(monkeypatch, *cores: str) -> None:
    text = "\n".join(f"processor : {at}\nflags\t\t: {flags}\n" for at, flags in enumerate(cores))
    read = Path.read_text
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(
        Path, "read_text", lambda self, *a, **k: text if str(self) == "/proc/cpuinfo" else read(self, *a, **k)
    )


def test_the_widest_kernels_are_used_where_the_processor_has_their_instructions(package):
    assert cpu.library_folder(plain=False) is None
    assert cpu.folders() == [package / "lib", package / "lib-avx2"]


def test_after_a_fault_the_narrow_ones_are_used(package):
    assert cpu.library_folder(plain=True) == package / "lib-avx2"


@pytest.mark.parametrize("cores", [("fpu avx avx2",), (SERVER, "fpu avx avx2"), (SERVER.replace("avx512_bf16", ""),)])
def test_a_processor_without_all_of_the_instructions_gets_the_narrow_ones(package, monkeypatch, cores):
    processor(monkeypatch, *cores)
    assert cpu.library_folder(plain=False) == package / "lib-avx2"


def test_a_processor_without_avx2_gets_the_plain_ones_where_the_package_has_them(package, monkeypatch):
    (package / cpu.PLAIN).mkdir()
    assert cpu.library_folder(plain=False) is None
    assert cpu.library_folder(plain=True) == package / "lib-avx2"
    processor(monkeypatch, "fpu avx avx2 fma f16c bmi2")
    assert cpu.library_folder(plain=False) == package / "lib-avx2"
    processor(monkeypatch, "fpu sse4_2")
    assert cpu.library_folder(plain=False) == cpu.library_folder(plain=True) == package / "lib-plain"


def test_kernels_that_the_processor_can_run_too_are_those_after_its_own(package, monkeypatch):
    assert cpu.narrower() == [package / "lib-avx2"]
    (package / cpu.PLAIN).mkdir()
    assert cpu.narrower() == [package / "lib-avx2", package / "lib-plain"]
    processor(monkeypatch, "fpu avx avx2 fma f16c bmi2")
    assert cpu.narrower() == [package / "lib-plain"]
    processor(monkeypatch, "fpu sse4_2")
    assert cpu.narrower() == []
    monkeypatch.setattr(cpu, "find_spec", lambda _: None)
    assert cpu.narrower() == []


def test_without_narrow_ones_the_library_that_is_there_is_used(package, monkeypatch):
    (package / cpu.NARROW).rmdir()
    processor(monkeypatch, "fpu avx avx2")
    assert cpu.library_folder(plain=False) is None
    assert cpu.library_folder(plain=True) is None


def test_the_set_up_builds_for_the_instructions_that_are_asked_for_here():
    spec = spec_from_file_location("disconfirm_bootstrap", paths.RESOURCES.parent / "packaging" / "bootstrap.py")
    bootstrap = module_from_spec(spec)  # it stands alone, so that it needs nothing of what it sets up
    spec.loader.exec_module(bootstrap)
    assert (bootstrap.NARROW, bootstrap.AVX512) == (cpu.NARROW, cpu._WIDE)


def test_no_library_is_no_fault(monkeypatch):
    monkeypatch.setattr(cpu, "find_spec", lambda _: None)
    assert cpu.folders() == []
    assert cpu.library_folder(plain=True) is None


ASK = """
import json, sys
from pathlib import Path
from core.engines.llm.llama import LlamaJudge
judge = LlamaJudge(Path(sys.argv[1]), plain=sys.argv[2] == "plain")
given = judge.judge("The gauge read 47 at noon. It was not read again.", ["The gauge read 47.", "It was read twice."])
mapped = {Path(line.split()[-1]).parent.name for line in open("/proc/self/maps") if "libggml-cpu" in line}
print(json.dumps([sorted(mapped), [[p.supports, p.contradicts, p.neutral] for p in given]]))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads what is mapped from /proc")
def test_the_real_model_answers_alike_with_both(tmp_path):
    if len(cpu.folders()) < 2:
        pytest.skip("the set-up builds a second set of kernels only where the first is for AVX-512")
    answers = {}
    for how in ("wide", "plain"):
        command = [sys.executable, "-c", ASK, str(paths.models() / GENERATOR), how]
        child = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert child.returncode == 0, child.stderr[-2000:]
        answers[how] = json.loads(child.stdout.splitlines()[-1])
    assert answers["plain"][0] == ["lib-avx2"]
    if cpu.wide_enough():
        assert answers["wide"][0] == ["lib"]
    for one, other in zip(answers["wide"][1], answers["plain"][1], strict=True):
        # Both sum in another order, and round the states to whole numbers; over the question that makes up to .04.
        assert one == pytest.approx(other, abs=0.05)
        assert one.index(max(one)) == other.index(max(other))


def with_a_wrong_instruction(library: bytes) -> bytes:
    """An ELF library whose first step at loading is one that no x86-64 processor has."""
    (table,) = struct.unpack_from("<Q", library, 32)
    size, count = struct.unpack_from("<HH", library, 54)
    heads = [struct.unpack_from("<IIQQQQQQ", library, table + size * at) for at in range(count)]
    (dynamic,) = [head for head in heads if head[0] == 2]
    entries = struct.iter_unpack("<QQ", library[dynamic[2] : dynamic[2] + dynamic[5] // 16 * 16])
    begin = next((value for tag, value in entries if tag == 12), None)
    if begin is None:
        pytest.skip("this library was linked without a first step")
    (at,) = [begin - head[3] + head[2] for head in heads if head[0] == 1 and head[3] <= begin < head[3] + head[5]]
    return library[:at] + b"\x0f\x0b" + library[at + 2 :]


@pytest.fixture
def broken_wide(tmp_path):
    """A judge whose library is a copy with two sets of kernels: wide ones that end the process at their loading, and
    narrow ones that work here. ``flags`` are the instructions that its process finds on its processor."""
    own = Path(find_spec("llama_cpp").origin).parent
    if (own / "lib" / "libggml-cpu.so").read_bytes()[18:20] != b"\x3e\x00":
        pytest.skip("this machine is not an x86-64 one")
    copy = tmp_path / "llama_cpp"
    copy.mkdir()
    for file in own.glob("*.py"):
        shutil.copyfile(file, copy / file.name)
    shutil.copytree(cpu.folders()[-1], copy / cpu.NARROW)
    shutil.copytree(own / "lib", copy / "lib")
    for file in (copy / "lib").glob("libggml-cpu*"):
        file.write_bytes(with_a_wrong_instruction(file.read_bytes()))
    model = tmp_path / GENERATOR
    model.symlink_to(paths.models() / GENERATOR)
    judges: list[JudgeClient] = []

    def start(flags: str) -> JudgeClient:
        code = (
            f"import sys; sys.path.insert(0, {str(tmp_path)!r}); "
            "from core import cpu as kernels; from core.workers import server; "
            f"kernels.instructions = lambda: frozenset({flags.split()!r}); server.main(sys.argv[1:])"
        )
        judges.append(JudgeClient(model, command=[sys.executable, "-P", "-c", code]))
        return judges[-1]

    start.model = model
    start.folder = copy
    yield start
    for judge in judges:
        judge.close()


broken_library = pytest.mark.skipif(sys.platform != "linux", reason="makes a broken library of an ELF one")


def supported(judge: JudgeClient) -> bool:
    (given,) = judge.judge("The gauge read 47 at noon.", ["The gauge read 47 at noon."])
    return given.supports > given.contradicts


@broken_library
def test_a_library_with_an_instruction_that_the_processor_lacks_gives_way_to_the_narrow_one(broken_wide):
    judge = broken_wide(SERVER)
    assert supported(judge)
    assert " plain" in judge.fingerprint
    assert crash_history.outcome_of(broken_wide.model) == ("plain", "SIGILL")


@broken_library
def test_where_the_processor_is_known_to_lack_the_instruction_it_is_never_loaded(broken_wide):
    judge = broken_wide("fpu avx avx2")
    assert supported(judge)
    assert " plain" not in judge.fingerprint
    assert crash_history.outcome_of(broken_wide.model)[0] == ""


@broken_library
def test_without_narrow_kernels_nothing_gives_way(broken_wide):
    shutil.rmtree(broken_wide.folder / cpu.NARROW)
    with pytest.raises(AppError):
        supported(broken_wide(SERVER))
    assert crash_history.outcome_of(broken_wide.model)[0] == "never"
