"""Ctrl+C while the documents are asked, compared, or held against a report: nothing half done is kept."""

from __future__ import annotations

import signal

import pytest

from core import __main__ as cli
from core.answers import sentences
from core.audit.sources import CaseSources
from core.conflicts import pairs

REPORT = "The vendor account logged in at night. The pump stopped at 02:14. Nobody touched it.\n"


@pytest.fixture(autouse=True)
def interruptible():
    """Let Ctrl+C interrupt: a shell has what it starts in the background ignore it."""
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, former)


@pytest.mark.parametrize(
    ("command", "rest", "owner", "name"),
    [
        ("ask", ["When did the pump stop?"], sentences, "shortlist"),
        ("conflicts", ["--again"], pairs, "candidates"),
        ("audit", ["report.md"], CaseSources, "places"),
    ],
)
def test_ctrl_c_ends_the_work_and_keeps_nothing_half_done(
    case, run, tmp_path, monkeypatch, capsys, command, rest, owner, name
):
    (tmp_path / "report.md").write_text(REPORT, "utf-8")
    rest = [str(tmp_path / "report.md")] if command == "audit" else rest
    work = getattr(owner, name)

    def interrupted(*arguments, **options):
        signal.raise_signal(signal.SIGINT)
        return work(*arguments, **options)

    monkeypatch.setattr(owner, name, interrupted)
    assert cli.main([command, str(case), *rest]) == 130
    assert "Traceback" not in capsys.readouterr().err
    monkeypatch.setattr(owner, name, work)
    results = run(command, case, "--list")[{"ask": "answers", "conflicts": "conflicts", "audit": "audits"}[command]]
    assert results == []
    assert run("verify", case)["ok"]
    assert run(command, case, *rest)
