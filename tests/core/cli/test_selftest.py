"""The command line's self-test: what it prints, and its exit code."""

from __future__ import annotations

import json

import pytest

from core.__main__ import main
from core.selftest import service
from core.selftest.parts import Outcome, Part

GOOD = Part("Judge", "ok", 1.0, "both verdicts are right")
ABSENT = Part("torch", "not installed", 0.0, "only other search models may need it")
BAD = Part("Reading: PDF", "failed", 0.5, "It was not read.", "Install the program again.")


@pytest.fixture
def run(monkeypatch, capsys):
    def with_parts(parts, *words):
        def stub(_engines, _progress, notify):
            for part in parts:
                notify(part)
            return Outcome(tuple(parts))

        monkeypatch.setattr(service, "run", stub)
        code = main(["selftest", *words])
        return code, capsys.readouterr().out

    return with_parts


def test_a_whole_program_ends_with_0(run):
    code, output = run([GOOD, ABSENT])
    assert code == 0
    assert output.splitlines() == [*GOOD.lines(), *ABSENT.lines(), Outcome((GOOD, ABSENT)).sentence()]


def test_the_part_that_fails_is_shown_with_its_remedy(run):
    code, output = run([GOOD, BAD])
    assert code == 1
    assert "FAILED          0.50 s  Reading: PDF: It was not read.\n" in output
    assert output.endswith("Install the program again.\n1 of 2 parts fails: Reading: PDF.\n")


def test_json_is_one_document(run):
    code, output = run([GOOD, BAD], "--json")
    assert code == 1
    assert json.loads(output) == Outcome((GOOD, BAD)).facts()
