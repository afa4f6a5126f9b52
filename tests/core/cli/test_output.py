"""What is printed and read as lines, and what is said where that cannot be."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from core import __main__ as cli
from core.cli import output


def test_a_bad_line_is_named(tmp_path, capsys):
    (tmp_path / "in.jsonl").write_text('{"id": 1, "passage": "a", "hypothesis": "b"}\nnot json\n', "utf-8")
    assert cli.main(["classify", "--jsonl", str(tmp_path / "in.jsonl")]) == 3
    assert "Line 2" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device without an end is one of Linux and macOS")
def test_a_line_without_an_end_is_not_read_to_its_end(capsys, monkeypatch):
    monkeypatch.setattr(output, "LONGEST_LINE", 1000)
    assert cli.main(["classify", "--jsonl", "/dev/zero"]) == 3
    assert "Line 1 of /dev/zero is longer than 1,000 characters." in capsys.readouterr().err


def test_a_long_line_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(output, "LONGEST_LINE", 100)
    (tmp_path / "in.jsonl").write_text("\n" + "x" * 101 + "\n", "utf-8")
    assert cli.main(["classify", "--jsonl", str(tmp_path / "in.jsonl")]) == 3
    assert "Line 2 of" in capsys.readouterr().err


@pytest.mark.parametrize("row", ['{"id": 1, "text": "x", "document": 5}', '{"text": "x"}'])
@pytest.mark.parametrize("command", ["quote", "search"])
def test_a_line_with_an_unfit_field_is_named(case, tmp_path, capsys, command, row):
    (tmp_path / "in.jsonl").write_text(f"{row}\n", "utf-8")
    assert cli.main([command, str(case), "--jsonl", str(tmp_path / "in.jsonl")]) == 3
    assert "Line 1 of" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is full is one of Linux")
def test_where_nothing_can_be_printed_the_exit_code_says_so(case):
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "core", "matrix", str(case), "--json"]
        assert subprocess.run(command, stdout=full, stderr=full, check=False).returncode == 3


def test_json_may_stand_before_the_command(case, capsys):
    assert cli.main(["--json", "documents", str(case)]) == 0
    assert json.loads(capsys.readouterr().out)["documents"]
