"""The commands that look at verdicts, against their contract. Small engines, same process."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from core import __main__ as cli
from core.runtime import launch
from tests.core import pump_case
from tests.fakes import ContraryJudge, ScriptedJudge


@pytest.fixture
def used(engines, monkeypatch):
    chosen = {"engines": replace(engines, second_reader=ContraryJudge())}
    monkeypatch.setattr(launch, "build_engines", lambda _settings: chosen["engines"])
    return chosen


@pytest.fixture
def run(used, capsys):
    def call(*arguments: object, code: int = 0, plain: bool = False):
        assert cli.main([str(a) for a in arguments] + ([] if plain else ["--json"])) == code
        out = capsys.readouterr().out
        return out if plain else json.loads(out) if out else {}

    return call


@pytest.fixture
def case(tmp_path, run):
    path = pump_case.made(run, tmp_path)
    run("propose", path)
    return path


def labelled(run, case, label):
    return [p["id"] for p in run("proposals", case)["proposals"] if p["verdict"] == label]


def test_a_second_reader_stands_beside_the_first_with_its_name(case, run):
    ids = labelled(run, case, "contradicts")
    out = run("second", case, *ids)
    assert set(out) == {"proposals", "model", "differ", "seconds", "notes"}
    assert (out["model"], out["differ"]) == ("contrary judge 1", len(ids))
    for proposal in out["proposals"]:
        (second_verdict,) = proposal["others"]
        assert set(second_verdict) == {"role", "explanation", "at", "verdict", "probabilities", "model"}
        assert (proposal["verdict"], second_verdict["verdict"], proposal["disputed"]) == (
            "contradicts",
            "supports",
            True,
        )
    assert "(disputed)" in run("proposals", case, plain=True)
    assert run("matrix", case)["evidence"] == []
    run("accept", case, ids[0])
    run("rate", case, "E1", "H1", "I")
    chosen = run("second", case, "--list")["chosen"]
    assert all(set(choice) == {"proposal", "margin", "decisive", "why"} for choice in chosen)
    assert not set(ids) & {choice["proposal"] for choice in chosen}


def test_without_a_second_reader_it_is_said(case, run, used, capsys):
    used["engines"] = replace(used["engines"], second_reader=None)
    run("second", case, code=3)
    run("second", case, "--list")


def test_what_another_judge_said_is_judged_again(case, run, used):
    class Newer(ScriptedJudge):
        fingerprint = "scripted judge 2"

    assert run("rejudge", case)["proposals"] == []
    used["engines"] = replace(used["engines"], judge=Newer())
    out = run("rejudge", case)
    assert {p["model"] for p in out["proposals"]} == {"scripted judge 2"}
    assert {o["model"] for p in out["proposals"] for o in p["others"]} == {"scripted judge 1"}


def test_agreement_has_the_table_and_says_it_in_sentences(case, run):
    assert run("agreement", case) == {"agreement": []}
    assert "has been rated yet" in run("agreement", case, plain=True)
    (against, *_) = labelled(run, case, "contradicts")
    hypothesis = next(p["hypothesis"] for p in run("proposals", case)["proposals"] if p["id"] == against)
    run("accept", case, against)
    run("rate", case, "E1", hypothesis, "II")
    (agreement,) = run("agreement", case)["agreement"]
    assert set(agreement) == {
        "model", "decisions", "classes", "right", "coverage", "blind", "rejected", "drift", "fit", "lines",
    }  # fmt: skip
    row = next(row for row in agreement["classes"] if row["label"] == "contradicts")
    assert row["people"] == {"supports": 0, "contradicts": 1, "neutral": 0}
    assert row["right"]["n"] == 1
    output = run("agreement", case, plain=True)
    assert "contradicts            0        1        0" in output
    assert all(line in output for line in agreement["lines"])


def test_a_strict_case_and_a_blind_one_show_no_verdict(case, run):
    assert run("settings", case, "--strict", "on")["strict"] is True
    for proposal in run("proposals", case)["proposals"]:
        assert (proposal["verdict"], proposal["probabilities"], proposal["hidden"]) == (None, None, "withheld")
        assert proposal["quote"]
    assert "(not sure enough)" in run("proposals", case, plain=True)
    assert {p["verdict"] for p in run("propose", case)["proposals"]} == {None}
    (first, *_) = run("propose", case, "--show", "audit")["proposals"]
    assert (first["doubtful"], first["verdict"] is None) == (True, False)
    assert "doubtful" not in run("propose", case, "--show", "exploratory")["proposals"][0]
    plain = run("propose", case, "--show", "audit", plain=True)
    assert "(not sure enough)" in plain
    steps = run("propose", case)["steps"]
    assert steps
    assert all(f"{step['hypothesis']} {step['role']}: {step['what']}" in plain for step in steps)
    assert run("settings", case, "--show", "audit")["show"] == "audit"
    assert run("propose", case)["show"] == "audit"
    run("settings", case, "--strict", "off", "--blind", "on")
    assert {p["hidden"] for p in run("proposals", case)["proposals"]} == {"blind"}
    run("settings", case, "--blind", "off")
    assert all(p["verdict"] for p in run("proposals", case)["proposals"])
