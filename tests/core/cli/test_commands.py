"""The command line against its contract where no feature is meant: exit codes, and the whole path. Same process."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core import __main__ as cli
from core import settings
from core.runtime import launch
from tests.core.pump_case import LOG, MEMO

REAL_ENGINES = launch.build_engines


def test_what_no_file_can_be_is_an_error_and_no_fault(case, capsys):
    assert cli.main(["import", str(case), os.sep]) == 3
    assert cli.main(["backup", str(case), "copy", "x" * 300]) == 3
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [[], ["nonsense"], ["add"], ["search", "x", "y", "-k", "0"], ["rate", "x", "E1"]])
def test_wrong_use_exits_2(wrong):
    with pytest.raises(SystemExit) as error:
        cli.main(wrong)
    assert error.value.code == 2


def test_an_error_says_cause_and_remedy_and_exits_3(tmp_path, capsys):
    assert cli.main(["documents", str(tmp_path / "none.disconfirm")]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.strip().splitlines()) == 2


def test_cancel_exits_130(case, monkeypatch):
    def stop(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("core.documents.service.Documents.all", stop)
    assert cli.main(["documents", str(case)]) == 130


@pytest.fixture
def real_engines(small_engines, monkeypatch):
    """The real engines for all commands of a test: their models are loaded once and not at every command."""
    engines = REAL_ENGINES(settings.load())
    monkeypatch.setattr(launch, "build_engines", lambda _settings: engines)
    close = launch.close
    monkeypatch.setattr(launch, "close", lambda _engines: None)
    yield
    close(engines)


def test_the_whole_path_with_the_real_engines(tmp_path, run, real_engines):
    """Real reader, embedder and judge in their child processes."""
    case = Path(tmp_path / "real.disconfirm")
    (tmp_path / "log.txt").write_text(LOG, "utf-8")
    (tmp_path / "memo.txt").write_text(MEMO, "utf-8")
    run("new", case)
    assert len(run("add", case, tmp_path / "log.txt", tmp_path / "memo.txt")["documents"]) == 2
    run("hypothesis", case, "add", "The operator touched the dosing pump.")
    proposals = run("propose", case)["proposals"]
    assert len(proposals) >= 2
    denial = next(p for p in proposals if "did not touch" in p["quote"])
    assert "negated" in denial["explanation"]  # the small judge misreads denials, so the program points at them
    assert run("search", case, "remote access to the valve")["passages"][0]["document"] == "D2"
    assert run("verify", case)["ok"]
