"""The commands about a case as a whole, against their contract."""

from __future__ import annotations


def test_new_names_the_case(tmp_path, run):
    path = tmp_path / "a.disconfirm"
    assert run("new", path, "--title", "T") == {"case": str(path), "title": "T"}
    assert path.is_file()
    run("new", path, code=3)


def test_undo_takes_back_the_last_decision(case, run):
    run("evidence", case, "add", "Something.")
    run("undo", case)
    assert run("evidence", case, "list")["evidence"] == []
    run("redo", case)
    assert len(run("evidence", case, "list")["evidence"]) == 1


def test_several_people_rate_disagree_and_merge(case, tmp_path, run):
    run("evidence", case, "add", "The badge list", "--source", "badge")
    copy = tmp_path / "copy.disconfirm"
    copy.write_bytes(case.read_bytes())
    rating = run("--who", "Ann", "rate", case, "E1", "H1", "C", "--note", "on duty", "--confidence", "high")["rating"]
    assert rating == {
        **{"evidence": "E1", "hypothesis": "H1", "rating": "C"},
        **{"by": "Ann", "note": "on duty", "confidence": "high"},
    }
    run("rate", copy, "E1", "H1", "II", "--who", "Ben")
    merged = run("merge", case, copy)
    assert (merged["ratings"], merged["documents"], merged["conflicts"], merged["problems"]) == (1, 0, [], [])
    group = run("group", case)
    assert [o["by"] for o in group["opinions"]] == ["Ann", "Ben"]
    assert [(d["evidence"], d["ratings"], d["level"]) for d in group["disputes"]] == [
        ("E1", {"Ann": "C", "Ben": "II"}, "extreme")
    ]
    assert run("matrix", case, "--view", "Ben")["evidence"][0]["ratings"] == {"H1": "II"}
    assert run("matrix", case)["evidence"][0]["ratings"] == {"H1": "N"}
    run("settings", case, "--blind", "on")
    assert run("--who", "Cleo", "group", case)["disputes"] == []
    assert run("rate", case, "E1", "H1", "-", "--who", "Ben")["rating"]["rating"] is None
    assert run("merge", case, tmp_path / "nothing.disconfirm", code=3) == {}
