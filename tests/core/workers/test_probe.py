"""What a child tries: refused where it is confined, and without a trace where it is not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.workers import probe
from core.workers.engines import ReaderClient
from core.workers.frames import ProtocolError
from core.workers.probe import Attempts
from core.workers.wire.sandbox import attempts_in, attempts_out
from tests.core.workers.test_sandbox import HERE, needs_calls, needs_files

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def outside(tmp_path):
    file = tmp_path / "outside.txt"
    file.write_text("secret", "utf-8")
    return file


@pytest.mark.skipif(os.name != "posix", reason="only files are tried on Windows")
def test_a_process_that_is_not_confined_can_do_it_all_and_leaves_no_trace(outside):
    code = f"import json; from core.workers.probe import attempt; print(json.dumps(vars_of(attempt({str(outside)!r}))))"
    code = f"from dataclasses import asdict as vars_of; {code}"
    child = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=60, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    answer = json.loads(child.stdout)
    assert answer == {"network": False, "reading": False, "writing": False, "programs": False, "libraries": []}
    assert list(outside.parent.iterdir()) == [outside]
    assert outside.read_text("utf-8") == "secret"


@needs_calls
@needs_files
def test_a_real_child_is_refused_it_all(outside):
    reader = ReaderClient()
    try:
        attempts = reader.attempt(outside)
        assert attempts == Attempts(network=True, reading=True, writing=True, programs=True)
        assert HERE.files
        assert list(reader.read(b"The pump stopped.", "a.txt"))[1].text == "The pump stopped."
    finally:
        reader.close()
    assert list(outside.parent.iterdir()) == [outside]


def test_the_libraries_are_those_of_llama_each_once():
    lines = [
        "7f00-7f01 r--p 00000000 fe:00 12  /opt/a folder/lib-avx2/libllama.so",
        "7f01-7f02 r-xp 00001000 fe:00 12  /opt/a folder/lib-avx2/libllama.so",
        "7f02-7f03 r-xp 00001000 fe:00 13  /opt/a folder/lib/libggml-cpu.so.0",
        "7f03-7f04 r-xp 00001000 fe:00 14  /usr/lib/libc.so.6",
        "7ffc-7ffd rw-p 00000000 00:00 0   [stack]",
        "7ffd-7ffe rw-p 00000000 00:00 0",
    ]
    assert probe._libraries(lines) == ["/opt/a folder/lib-avx2/libllama.so", "/opt/a folder/lib/libggml-cpu.so.0"]


def test_the_answer_goes_over_the_wire_and_nothing_else_does():
    attempts = Attempts(True, False, True, False, ("/opt/lib/libllama.so",))
    header = json.loads(attempts_out(attempts)[0][4:])
    assert attempts_in(header) == attempts
    for wrong in (
        {"network": 1},
        {"libraries": "x"},
        {"libraries": [1]},
        {"libraries": ["x"] * 200},
        {"programs": None},
    ):
        with pytest.raises(ProtocolError):
            attempts_in({**header, **wrong})
