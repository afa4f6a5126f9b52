"""The commands about the matrix, against their contract."""

from __future__ import annotations

import json
from pathlib import Path

from core import __main__ as cli


def test_matrix_from_a_file(tmp_path, run):
    matrix = {
        "id": "m", "hypotheses": [{"id": "H1", "text": "a"}, {"id": "H2", "text": "b"}],
        "evidence": [{"id": "E1", "text": "x", "ratings": {"H1": "I", "H2": "C"}}],
    }  # fmt: skip
    (tmp_path / "m.json").write_text(json.dumps(matrix), "utf-8")
    scored = run("matrix", "--from", tmp_path / "m.json")
    assert scored["leaders"]["weighted_inconsistency"] == ["H2"]
    (tmp_path / "broken.json").write_text("{", "utf-8")
    run("matrix", "--from", tmp_path / "broken.json", code=3)


def test_time_and_what_if(case, run):
    for text in ("The badge list", "The log"):
        run("evidence", case, "add", text, "--source", text)
    run("rate", case, "E1", "H1", "I")
    moment = str(len(run("timeline", case)["points"]) and run("history", case, "E1", "H1")["history"][-1]["seq"])
    run("rate", case, "E2", "H2", "II")
    run("rate", case, "E1", "H2", "C")
    part = run("matrix", case)  # E2 against H1 is missing: nothing can be compared yet
    assert part["leaders"]["weighted_inconsistency"] == []
    assert part["hypotheses"][0]["rank"]["weighted_inconsistency"] is None
    assert part["hypotheses"][0]["coverage"] == {"rated": 1, "of": 2}
    assert part["comparison"]["missing"] == [{"evidence": "E2", "hypothesis": "H1"}]
    assert run("timeline", case)["points"][-1]["why"] == part["comparison"]["sentence"]
    run("rate", case, "E2", "H1", "N")
    leaders = run("matrix", case)["leaders"]["weighted_inconsistency"]
    assert leaders == ["H1"]
    assert run("matrix", case, "--as-of", moment)["hypotheses"][1]["scores"]["weighted_inconsistency"] == 0
    assert run("matrix", case, "--without", "E2")["leaders"]["weighted_inconsistency"] == ["H2"]
    assert run("matrix", case, "--without-source", "The log")["leaders"]["weighted_inconsistency"] == ["H2"]
    difference = run("changed", case, moment, "2999-01-01")
    assert {(m["evidence"], m["hypothesis"], m["after"]) for m in difference["moves"]} == {
        ("E2", "H2", "II"),
        ("E1", "H2", "C"),
        ("E2", "H1", "N"),
    }
    assert any(m["moved"] for m in difference["moves"])
    run("matrix", case, "--as-of", "soon", code=3)


def test_a_matrix_is_not_looked_for_in_a_folder(case, tmp_path, capsys):
    for folder, name in ((Path(tmp_path.anchor), tmp_path.anchor), (tmp_path, tmp_path.name)):
        assert cli.main(["import", str(case), str(folder)]) == 3
        assert f"{name} is not an ordinary file." in capsys.readouterr().err
