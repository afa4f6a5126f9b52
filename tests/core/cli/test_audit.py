"""The command that audits a report, against its contract."""

from __future__ import annotations

import json

SENTENCE = {"n", "text", "claim", "finding", "differences", "evidence"}
AUDIT = {"sentences", "quotations", "citations", "summary", "seconds"}


def test_audit_fields_and_grounding(case, run, tmp_path):
    report = tmp_path / "report.md"
    report.write_text("# Report\n\nThe vendor account opened the valve at night (nowhere.pdf, p. 2).\n", "utf-8")
    out = run("audit", case, report, "-o", tmp_path / "audit.html")
    assert set(out) >= AUDIT
    assert all(set(sentence) >= SENTENCE for sentence in out["sentences"])
    assert [citation["status"] for citation in out["citations"]] == ["SOURCE NOT IN CASE"]
    for sentence in out["sentences"]:
        for source in sentence["evidence"]:
            page = run("page", case, source["document"], source["page"])
            assert page["text"][source["start"] : source["end"]] == source["text"]
    assert (tmp_path / "audit.html").stat().st_size == out["written"]["bytes"]


def test_lines_are_checked_without_a_case(run, tmp_path):
    document = "The relay of pump two was out for 47 minutes."
    lines = [
        {"id": 1, "document": document, "sentence": document},
        {"id": "b", "document": document, "sentence": document.replace("47", "74")},
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    run("audit", "--jsonl", tmp_path / "in.jsonl", "--out", tmp_path / "out.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert [(row["id"], row["finding"]) for row in rows] == [(1, "supported"), ("b", "differs")]
    assert rows[1]["score"] < 0.5 < rows[0]["score"]
    assert rows[1]["differences"][0]["said"] == "74"


def test_an_audit_is_listed_decided_on_and_removed(case, run, tmp_path):
    report = tmp_path / "kept.md"
    report.write_text("The bishop of Trondheim baptised eleven orphans.\n", "utf-8")
    identity = run("audit", case, report)["id"]
    listed = run("audit", case, "--decide", identity, 1, "overruled", "--note", "not our matter")["audits"]
    (sentence,) = next(audit for audit in listed if audit["id"] == identity)["sentences"]
    assert (sentence["decision"]["status"], sentence["decision"]["note"]) == ("overruled", "not our matter")
    assert identity not in [audit["id"] for audit in run("audit", case, "--remove", identity)["audits"]]


def test_a_sentence_whose_source_stands_in_a_listed_conflict_says_so(case, run, tmp_path):
    text = "The dosing pump of the Weir Lane works in Ostermere stopped at night and was out of action for 47 minutes."
    rest = "Bottled water is given out at the fire station in Corn Street, and the school in Mill Road stays closed."
    names = {"one.txt": text, "other.txt": text.replace("47", "74")}
    for name, words in names.items():
        (tmp_path / name).write_text(f"{words}\n\n{rest}\n", "utf-8")
    run("add", case, *(tmp_path / name for name in names))
    run("conflicts", case)
    (tmp_path / "disputed.md").write_text("The dosing pump in Ostermere was out of action for 47 minutes.\n", "utf-8")
    (sentence,) = run("audit", case, tmp_path / "disputed.md")["sentences"]
    assert sentence["finding"] == "supported"
    assert [(account["name"], account["differs"]) for account in sentence["other_accounts"]] == [("other.txt", "74")]
