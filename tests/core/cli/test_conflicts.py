"""The commands about conflicts, against their contract."""

from __future__ import annotations

import pytest

CONFLICT = {"id", "kind", "subject", "positions", "status"}
CITATION = {"document", "name", "page", "start", "end", "text"}


@pytest.fixture
def conflicting(case, tmp_path, run):
    text = (
        "The dosing pump of the Weir Lane works in Ostermere stopped at night and was out of action for {} minutes.\n"
    )
    for minutes in (47, 74):
        (tmp_path / f"{minutes}.txt").write_text(text.format(minutes), "utf-8")
    run("add", case, tmp_path / "47.txt", tmp_path / "74.txt")
    return case


def test_conflicts_fields_and_grounding(conflicting, run):
    out = run("conflicts", conflicting)
    assert set(out) >= {"conflicts", "pairs_judged", "seconds"}
    assert any({position["text"] for position in conflict["positions"]} == {"47 minutes", "74 minutes"}
               for conflict in out["conflicts"])  # fmt: skip
    for conflict in out["conflicts"]:
        assert set(conflict) >= CONFLICT
        for position in conflict["positions"]:
            assert set(position) >= {"text", "citations", "dates"}
            for citation in position["citations"]:
                assert set(citation) >= CITATION
                page = run("page", conflicting, citation["document"], citation["page"])
                assert page["text"][citation["start"] : citation["end"]] == citation["text"]
    assert run("conflicts", conflicting, "--list")["conflicts"] == out["conflicts"]
    assert run("conflicts", conflicting, "--again")["conflicts"] == out["conflicts"]


def test_resolve_decides_and_undo_takes_it_back(conflicting, run):
    conflict = run("conflicts", conflicting)["conflicts"][0]["id"]
    out = run("resolve", conflicting, conflict, "--as", "held", "--position", "2", "--note", "It was corrected.")
    assert (out["status"], out["position"], out["note"]) == ("held", 2, "It was corrected.")
    run("undo", conflicting)
    assert run("conflicts", conflicting, "--list")["conflicts"][0]["status"] == "open"
    assert run("resolve", conflicting, conflict, "--as", "both")["status"] == "both"


def test_a_decision_without_a_position_and_an_unknown_conflict_are_refused(conflicting, run):
    conflict = run("conflicts", conflicting)["conflicts"][0]["id"]
    run("resolve", conflicting, conflict, "--as", "held", code=3)
    run("resolve", conflicting, "X99", "--as", "both", code=3)
