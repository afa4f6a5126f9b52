"""The commands about evidence and quotes, against their contract."""

from __future__ import annotations

import json


def test_manual_evidence_and_grades(case, run):
    out = run("evidence", case, "add", "The guard heard a car.", "--source", "Interview", "--credibility", "H")
    assert set(out["evidence"][0]) >= {
        "id", "text", "source", "document", "page", "start", "end", "quote", "method", "credibility", "relevance",
    }  # fmt: skip
    assert (out["evidence"][0]["method"], out["evidence"][0]["credibility"]) == ("manual", "H")
    assert run("evidence", case, "list")["evidence"] == out["evidence"]


def test_quote_is_verified_near_or_not_found(case, tmp_path, run):
    exact = run("quote", case, "The vendor account opened the valve remotely.")
    assert exact["status"] == "verified"
    assert exact["matches"][0] | {"differences": []} == exact["matches"][0]
    assert (exact["matches"][0]["document"], exact["matches"][0]["page"]) == ("D2", 1)
    dropped_not = run("quote", case, "The operator did touch the dosing pump.")
    assert dropped_not["status"] != "verified"
    assert dropped_not["altered"] is True
    assert {d["what"] for d in dropped_not["matches"][0]["differences"]} == {"negation"}
    assert "".join(d["page"] for d in dropped_not["matches"][0]["diff"]) == dropped_not["matches"][0]["text"]
    misread = run("quote", case, "The operator did not tonch the dosing pump.")
    assert (misread["status"], misread["altered"]) == ("near", False)
    over = run("quote", case, "opened the valve remotely. The vendor never had")
    assert (over["status"], over["matches"][0]["page"]) == ("verified", 1)
    assert over["matches"][0]["more"] == [{"page": 2, "start": 0, "end": 20, "text": "The vendor never had"}]
    assert over["matches"][0]["skipped"] == []
    assert run("quote", case, "Nothing like this stands anywhere at all in here.")["status"] == "not_found"
    (tmp_path / "q.jsonl").write_text('{"id": "q1", "text": "The vendor never had an account", "document": "D2"}\n')
    run("quote", case, "--jsonl", tmp_path / "q.jsonl", "--out", tmp_path / "a.jsonl")
    line = json.loads((tmp_path / "a.jsonl").read_text("utf-8"))
    assert (line["id"], line["status"]) == ("q1", "verified")


def test_grades_absence_considerations_and_settings(case, run):
    run("evidence", case, "add", "The badge list")
    row = run("evidence", case, "grade", "E1", "--reliability", "B", "--information", "2", "--upstream", "the guard")
    assert [(e["reliability"], e["information"], e["upstream"]) for e in row["evidence"]] == [("B", "2", "the guard")]
    run("evidence", case, "grade", "E1", "--reliability", "Z", code=3)
    absent = run("absence", case, "H2", "A login of the vendor", "--query", "vendor login", "remote session")[
        "evidence"
    ]
    assert (absent["kind"], absent["absence"]["queries"]) == ("absence", ["vendor login", "remote session"])
    run("consider", case, "indicator", "The valve opens again", "--query", "valve opened", "--hypothesis", "H2")
    result = run("consider", case, "assumption", "The clock is right")
    assert [(c["kind"], c["hypothesis"]) for c in result["considerations"]] == [("indicator", "H2"), ("assumption", "")]
    assert result["indicated"] == []
    assert run("consider", case, "done", "C2")["considerations"][1]["status"] == "done"
    assert len(run("consider", case, "remove", "C2")["considerations"]) == 1
    settings = run("settings", case, "--weight", "A=2", "B=1.5", "--blind", "on")
    assert (settings["blind"], settings["grade_weights"]["A"], settings["grade_weights"]["B"]) == (True, 2.0, 1.5)
    assert run("settings", case, "--title", "The valve")["title"] == "The valve"
    run("settings", case, "--weight", "A=0", code=3)
    reply = run(
        "settings", case, "--summary", "Mine.", "--author", "Ann", "--marking", "SECRET", "--omit", "gaps", "who"
    )
    assert (reply["report"]["summary"], reply["report"]["author"], reply["report"]["marking"]) == (
        "Mine.",
        "Ann",
        "SECRET",
    )
    assert reply["report"]["omissions"] == ["gaps", "who"]
    assert run("settings", case, "--omit")["report"]["omissions"] == []
    run("undo", case)
    assert run("settings", case)["report"]["omissions"] == ["gaps", "who"]
    run("settings", case, "--omit", "bottom-line", code=3)
    marked = run("hypothesis", case, "mark", "H2", "--kind", "deception")["hypotheses"]
    assert [h.get("kind") for h in marked] == [None, "deception"]
    priors = run("hypothesis", case, "priors", "--prior", "H1=0.7", "H2=0.3")["hypotheses"]
    assert [h["prior"] for h in priors] == [0.7, 0.3]
    assert run("hypothesis", case, "list")["exclusive"] == []
    assert run("hypothesis", case, "exclusive", "all")["exclusive"] == ["H1", "H2"]
    assert run("hypothesis", case, "exclusive", "none")["exclusive"] == []
    assert run("hypothesis", case, "exclusive", "H2,H1")["exclusive"] == ["H1", "H2"]
    run("hypothesis", case, "exclusive", "H2", code=3)
