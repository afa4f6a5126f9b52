"""The commands about hypotheses, against their contract."""

from __future__ import annotations


def test_hypotheses_are_added_listed_and_removed(case, run):
    assert run("hypothesis", case, "list")["hypotheses"][1] == {
        "id": "H2", "text": "The vendor account opened the valve.", "note": "seen in the memo",
    }  # fmt: skip
    assert [h["id"] for h in run("hypothesis", case, "remove", "H1")["hypotheses"]] == ["H2"]
    assert run("hypothesis", case, "add", "A third.")["hypotheses"][-1]["id"] == "H3"
    run("hypothesis", case, "remove", "H1", code=3)
    run("hypothesis", case, "add", code=3)
