"""The command that answers questions, against its contract."""

from __future__ import annotations

import json

POINT = {"text", "confidence", "citations"}
CITATION = {"document", "name", "page", "start", "end", "text"}
ANSWER = {"question", "answered", "reason", "points", "low_confidence", "advice", "steps", "removed", "seconds"}


def test_ask_fields_and_grounding(case, run):
    out = run("ask", case, "Which vendor account opened the valve?")
    assert set(out) >= ANSWER
    points = [*out["points"], *out["low_confidence"]]
    assert points
    for point in points:
        assert set(point) >= POINT
        for citation in point["citations"]:
            assert set(citation) >= CITATION
            page = run("page", case, citation["document"], citation["page"])
            assert page["text"][citation["start"] : citation["end"]] == citation["text"]
    assert all(set(step) == {"what", "found"} for step in out["steps"])


def test_ask_refuses_with_a_reason(case, run):
    out = run("ask", case, "Which bishop baptised the emperor of Byzantium in 1204?", "--mode", "strict")
    assert (out["answered"], out["points"], out["low_confidence"]) == (False, [], [])
    assert out["reason"]
    assert out["advice"]


def test_ask_takes_many_questions_in_one_run(case, tmp_path, run):
    lines = ['{"id": 1, "text": "Which vendor account opened the valve?"}', '{"id": "b", "text": "  "}']
    (tmp_path / "in.jsonl").write_text("\n".join(lines), "utf-8")
    run("ask", case, "--jsonl", tmp_path / "in.jsonl", "--out", tmp_path / "out.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert [row["id"] for row in rows] == [1, "b"]
    assert rows[0]["points"] == run("ask", case, "Which vendor account opened the valve?")["points"]
    assert rows[1]["answered"] is False
    assert rows[1]["error"]


def test_nothing_asked_is_refused(case, run):
    run("ask", case, code=3)
    run("ask", case, "?!", code=3)


def test_answers_are_kept_listed_and_removed(case, run):
    first = run("ask", case, "Which vendor account opened the valve?")
    assert first["id"] == "A1"
    (listed,) = run("ask", case, "--list")["answers"]
    assert listed == first
    assert run("ask", case, "--remove", "A1")["answers"] == []
    run("ask", case, "--remove", "A1", code=3)
