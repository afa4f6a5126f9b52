"""The commands that judge and decide, against their contract."""

from __future__ import annotations

import json

from core import __main__ as cli
from tests.core.pump_case import LOG


def test_propose_accept_rate_matrix_report_verify(case, tmp_path, run):
    out = run("propose", case, "--passages", 10)
    assert set(out) >= {"proposals", "passages_judged", "seconds", "notes"}
    first = out["proposals"][0]
    assert set(first) >= {
        "id", "hypothesis", "document", "page", "start", "end", "quote", "verdict", "probabilities", "similarity",
        "verified", "explanation", "model",
    }  # fmt: skip
    assert first["verified"] is True
    assert set(first["probabilities"]) == {"supports", "contradicts", "neutral"}
    assert run("page", case, first["document"], first["page"])["text"][first["start"] : first["end"]] == first["quote"]
    accepted = run("accept", case, first["id"], "--rate")["evidence"]
    assert accepted == [{"id": "E1", "proposal": first["id"]}]
    run("reject", case, out["proposals"][-1]["id"])
    rating = run("rate", case, "E1", "H1", "II")["rating"]
    assert (rating["evidence"], rating["hypothesis"], rating["rating"]) == ("E1", "H1", "II")
    run("rate", case, "E1", "H1", "X", code=3)
    run("rate", case, "E1", "H2", "C")
    matrix = run("matrix", case)
    assert set(matrix) >= {"hypotheses", "evidence", "leaders", "linchpins", "warnings"}
    assert matrix["leaders"]["weighted_inconsistency"] == ["H2"]
    assert matrix["hypotheses"][0]["scores"]["weighted_inconsistency"] == 2.0
    assert matrix["evidence"][0]["ratings"] == {"H1": "II", "H2": "C"}
    for name in ("report.html", "report.json"):
        written = run("report", case, "-o", tmp_path / name)
        assert written["bytes"] == (tmp_path / name).stat().st_size
    run("report", case, "--short", "-o", tmp_path / "short.html")
    assert "This is the short form." in (tmp_path / "short.html").read_text("utf-8")
    assert (tmp_path / "short.html").stat().st_size < (tmp_path / "report.html").stat().st_size
    checked = run("verify", case)
    assert checked["ok"] is True
    assert checked["problems"] == []
    assert "texts compared" not in checked["checked"]
    checked = run("verify", case, "--originals")
    assert checked["ok"] is True
    assert (
        checked["checked"]["texts compared"] + checked["checked"]["texts not compared"] == checked["checked"]["pages"]
    )


def test_propose_for_chosen_hypotheses_only(case, run):
    assert {p["hypothesis"] for p in run("propose", case, "--hypothesis", "H2")["proposals"]} == {"H2"}
    run("propose", case, "--hypothesis", "H7", code=3)


def test_classify_without_a_case(tmp_path, run):
    (tmp_path / "in.jsonl").write_text(
        json.dumps({"id": 7, "passage": LOG, "hypothesis": "The operator touched the dosing pump."}) + "\n", "utf-8"
    )
    run("classify", "--jsonl", tmp_path / "in.jsonl", "--out", tmp_path / "out.jsonl")
    line = json.loads((tmp_path / "out.jsonl").read_text("utf-8"))
    assert set(line) == {"id", "verdict", "language", "probabilities", "quote", "start", "end"}
    assert LOG[line["start"] : line["end"]] == line["quote"]


def test_a_pair_in_another_language_is_not_judged(tmp_path, run):
    german = "Die Pumpe wurde von dem Wärter nicht abgestellt."
    pairs = [(german, "The guard stopped the pump."), (LOG, german)]
    rows = [json.dumps({"id": n, "passage": p, "hypothesis": h}) + "\n" for n, (p, h) in enumerate(pairs)]
    (tmp_path / "in.jsonl").write_text("".join(rows), "utf-8")
    run("classify", "--jsonl", tmp_path / "in.jsonl", "--out", tmp_path / "out.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert [(line["id"], line["verdict"], line["language"]) for line in lines] == [
        (0, "not_judged", "German"),
        (1, "not_judged", "German"),
    ]
    assert all("German" in line["reason"] for line in lines)


def test_a_pair_that_the_judge_cannot_take_costs_that_pair_alone(tmp_path, capsys):
    pairs = [(LOG, "The operator touched the dosing pump."), (LOG, "  "), (LOG, "The dosing pump stopped.")]
    rows = [json.dumps({"id": n, "passage": p, "hypothesis": h}) + "\n" for n, (p, h) in enumerate(pairs)]
    (tmp_path / "in.jsonl").write_text("".join(rows), "utf-8")
    assert cli.main(["classify", "--jsonl", str(tmp_path / "in.jsonl"), "--out", str(tmp_path / "out.jsonl")]) == 1
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert [line["id"] for line in lines] == [0, 1, 2]
    assert lines[1]["verdict"] == "ambiguous"
    assert "empty" in lines[1]["problem"]
    assert [line["quote"] != "" for line in lines] == [True, False, True]
    assert "1: " in capsys.readouterr().err


def test_proposals_by_passage_have_a_verdict_for_every_hypothesis(case, run):
    out = run("propose", case, "--rows")
    passages = run("proposals", case, "--by", "passage")["passages"]
    assert {len(card["verdicts"]) for card in passages} == {2}
    assert sum(len(card["verdicts"]) for card in passages) == len(out["proposals"])
    for card in passages:
        assert set(card) >= {"document", "name", "page", "start", "end", "text", "copies", "verdicts"}
        for verdict in card["verdicts"].values():
            assert set(verdict) >= {"verdict", "probabilities", "quote", "proposal"}
            assert verdict["quote"] in card["text"]
    assert run("proposals", case, "--by", "passage", "--status", "accepted")["passages"] == []


def test_a_passage_is_accepted_as_one_row_and_rows_of_one_passage_are_joined(case, run):
    run("propose", case, "--rows")
    first, second = run("proposals", case, "--by", "passage")["passages"][:2]
    first_ids = [verdict["proposal"] for verdict in first["verdicts"].values()]
    out = run("accept", case, *first_ids, "--row", "--confirm")
    assert {pair["id"] for pair in out["evidence"]} == {"E1"}
    assert [pair["proposal"] for pair in out["evidence"]] == first_ids
    (row,) = run("matrix", case)["evidence"]
    assert {hypothesis for hypothesis, rating in row["ratings"].items() if rating} == set(out["rated"])
    second_ids = [verdict["proposal"] for verdict in second["verdicts"].values()]
    rows = [pair["id"] for pair in run("accept", case, *second_ids)["evidence"]]
    groups = run("join", case)["joinable"]
    assert groups == ([sorted(set(rows))] if len(set(rows)) > 1 else [])
    run("join", case, "E1", code=3)
    run("split", case, "E99", code=3)
    run("accept", case, first_ids[0], second_ids[0], "--row", code=3)


def test_confirming_without_a_row_accepts_nothing(case, run):
    run("propose", case)
    run("accept", case, "P1", "--confirm", code=3)
    assert {proposal["status"] for proposal in run("proposals", case)["proposals"]} == {"pending"}


def test_ratings_are_suggested_for_a_hypothesis_added_later(case, run):
    run("propose", case, "--rows")
    card = run("proposals", case, "--by", "passage")["passages"][0]
    run("accept", case, *(verdict["proposal"] for verdict in card["verdicts"].values()), "--row", "--rate")
    run("hypothesis", case, "add", "The dosing pump stopped at 02:14.")
    out = run("suggest", case, "H3")
    assert out["hypothesis"] == "H3"
    assert {suggestion["evidence"] for suggestion in out["suggestions"]} <= {"E1"}
    assert len(out["suggestions"]) + len(out["notes"]) == 1


def test_passages_stand_in_other_orders(case, run):
    run("propose", case, "--rows")
    telling = run("proposals", case, "--by", "passage")["passages"]
    assert [p["passage"] for p in telling] == [
        p["passage"] for p in run("proposals", case, "--by", "passage", "--order", "telling")["passages"]
    ]
    for order in ("contradictions", "hypothesis", "verdict", "document"):
        rows = run("proposals", case, "--by", "passage", "--order", order)["passages"]
        assert {p["passage"] for p in rows} == {p["passage"] for p in telling}
    assert [p["document"] for p in rows] == sorted((p["document"] for p in rows), key=lambda d: names_of(rows)[d])


def names_of(rows):
    return {p["document"]: p["name"] for p in rows}
