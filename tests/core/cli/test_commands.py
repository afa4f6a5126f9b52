"""The command line against its contract: every field, every exit code. Small engines, same process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from core import __main__ as cli
from core import paths, settings
from core.runtime import launch
from core.workers.engines import NamesClient
from tests.core import pump_case
from tests.core.engines.tiny_embedder import make
from tests.core.pump_case import LOG, MEMO
from tests.fakes import ListedNames, WordsReranker

REAL_ENGINES = launch.build_engines


@pytest.fixture(autouse=True)
def small_engines(engines, monkeypatch):
    monkeypatch.setattr(launch, "build_engines", lambda _settings: engines)


@pytest.fixture
def run(capsys):
    def call(*arguments: object, code: int = 0) -> dict:
        assert cli.main([str(a) for a in arguments] + ["--json"]) == code
        out = capsys.readouterr().out
        return json.loads(out) if out else {}

    return call


@pytest.fixture
def case(tmp_path, run):
    return pump_case.made(run, tmp_path)


def test_new_names_the_case(tmp_path, run):
    path = tmp_path / "a.disconfirm"
    assert run("new", path, "--title", "T") == {"case": str(path), "title": "T"}
    assert path.is_file()
    run("new", path, code=3)


def test_add_reports_every_file_and_exits_1_with_problems(case, tmp_path, run, capsys):
    (tmp_path / "empty.txt").write_bytes(b"")
    assert cli.main(["add", str(case), str(tmp_path / "log.txt"), str(tmp_path / "empty.txt"), "--json"]) == 1
    captured = capsys.readouterr()
    out = json.loads(captured.out)
    assert set(out) >= {"documents", "problems", "seconds"}
    assert [d["status"] for d in out["documents"]] == ["duplicate", "failed"]
    assert out["documents"][0]["of"] == "D1"
    assert "of" not in out["documents"][1]
    assert set(out["documents"][0]) >= {"id", "name", "sha256", "pages", "chunks", "status"}
    assert set(out["problems"][0]) == {"where", "what", "hint"}
    assert "empty.txt" in captured.err


def test_documents_and_page(case, run):
    documents = run("documents", case)["documents"]
    assert [(d["id"], d["name"], d["pages"]) for d in documents] == [("D1", "log.txt", 1), ("D2", "memo.txt", 2)]
    page = run("page", case, "D2", 2)
    assert page == {"document": "D2", "page": 2, "text": MEMO.split("\f")[1], "source": "embedded"}
    run("page", case, "D2", 3, code=3)
    run("page", case, "D9", 1, code=3)


def test_hypotheses_are_added_listed_and_removed(case, run):
    assert run("hypothesis", case, "list")["hypotheses"][1] == {
        "id": "H2", "text": "The vendor account opened the valve.", "note": "seen in the memo",
    }  # fmt: skip
    assert [h["id"] for h in run("hypothesis", case, "remove", "H1")["hypotheses"]] == ["H2"]
    assert run("hypothesis", case, "add", "A third.")["hypotheses"][-1]["id"] == "H3"
    run("hypothesis", case, "remove", "H1", code=3)
    run("hypothesis", case, "add", code=3)


def test_search_fields_and_scope(case, run):
    out = run("search", case, "vendor account", "-k", 2)
    assert set(out) >= {"query", "passages", "seconds"}
    assert set(out["passages"][0]) >= {
        "rank", "document", "name", "page", "start", "end", "text", "score", "vector_rank", "lexical_rank",
        "similarity", "confidence",
    }  # fmt: skip
    assert [p["rank"] for p in out["passages"]] == [1, 2]
    assert {p["document"] for p in run("search", case, "pump", "--document", "D1", "D2")["passages"]} <= {"D1", "D2"}
    assert {p["document"] for p in run("search", case, "pump", "--exclude", "D1")["passages"]} == {"D2"}
    assert all(p["vector_rank"] is None for p in run("search", case, "pump", "--mode", "lexical")["passages"])


def test_search_takes_many_queries_in_one_run(case, tmp_path, run):
    (tmp_path / "in.jsonl").write_text('{"id": 1, "text": "vendor"}\n{"id": "b", "text": "pump"}\n', "utf-8")
    run("search", case, "--jsonl", tmp_path / "in.jsonl", "--out", tmp_path / "out.jsonl", "-k", 3)
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert [line["id"] for line in lines] == [1, "b"]
    assert lines[0]["passages"] == run("search", case, "vendor", "-k", 3)["passages"]


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
    checked = run("verify", case)
    assert checked["ok"] is True
    assert checked["problems"] == []


def test_propose_for_chosen_hypotheses_only(case, run):
    assert {p["hypothesis"] for p in run("propose", case, "--hypothesis", "H2")["proposals"]} == {"H2"}
    run("propose", case, "--hypothesis", "H7", code=3)


def test_manual_evidence_and_grades(case, run):
    out = run("evidence", case, "add", "The guard heard a car.", "--source", "Interview", "--credibility", "H")
    assert set(out["evidence"][0]) >= {
        "id", "text", "source", "document", "page", "start", "end", "quote", "method", "credibility", "relevance",
    }  # fmt: skip
    assert (out["evidence"][0]["method"], out["evidence"][0]["credibility"]) == ("manual", "H")
    assert run("evidence", case, "list")["evidence"] == out["evidence"]


def test_undo_takes_back_the_last_decision(case, run):
    run("evidence", case, "add", "Something.")
    run("undo", case)
    assert run("evidence", case, "list")["evidence"] == []
    run("redo", case)
    assert len(run("evidence", case, "list")["evidence"]) == 1


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


def test_classify_without_a_case(tmp_path, run):
    (tmp_path / "in.jsonl").write_text(
        json.dumps({"id": 7, "passage": LOG, "hypothesis": "The operator touched the dosing pump."}) + "\n", "utf-8"
    )
    run("classify", "--jsonl", tmp_path / "in.jsonl", "--out", tmp_path / "out.jsonl")
    line = json.loads((tmp_path / "out.jsonl").read_text("utf-8"))
    assert set(line) == {"id", "verdict", "probabilities", "quote", "start", "end"}
    assert LOG[line["start"] : line["end"]] == line["quote"]


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


def test_embed_tells_how_far_the_vectors_are_and_changes_the_model(case, tmp_path, run):
    state = run("embed", case, "--status")
    assert set(state) == {
        *("model", "passages", "done", "waiting", "searched_with", "others"),
        *("embedded", "reused", "forgotten", "reranker", "reason", "note", "seconds"),
    }
    assert (state["model"], state["waiting"], state["embedded"], state["others"]) == ("hash embedder 1", 0, 0, [])
    other = make(tmp_path / "tiny")
    told = run("embed", case, "--model", other)
    assert told["model"].startswith("tiny sha256:")
    assert (told["embedded"], told["waiting"], told["searched_with"]) == (state["passages"], 0, told["model"])
    assert told["others"] == [{"model": "hash embedder 1", "passages": state["passages"], "size": 3 * 4 * 64}]
    assert "config_sentence_transformers.json" in told["note"]
    assert settings.load().embedder == str(other)
    run("embed", case, "--model", tmp_path / "nowhere", code=3)
    (gone,) = run("embed", case, "--forget")["forgotten"]  # here the small engines are used again
    assert gone == {"model": told["model"], "passages": state["passages"], "size": 3 * 4 * 32}


def test_a_bad_line_is_named(tmp_path, capsys):
    (tmp_path / "in.jsonl").write_text('{"id": 1, "passage": "a", "hypothesis": "b"}\nnot json\n', "utf-8")
    assert cli.main(["classify", "--jsonl", str(tmp_path / "in.jsonl")]) == 3
    assert "Line 2" in capsys.readouterr().err


@pytest.mark.parametrize("row", ['{"id": 1, "text": "x", "document": 5}', '{"text": "x"}'])
@pytest.mark.parametrize("command", ["quote", "search"])
def test_a_line_with_an_unfit_field_is_named(case, tmp_path, capsys, command, row):
    (tmp_path / "in.jsonl").write_text(f"{row}\n", "utf-8")
    assert cli.main([command, str(case), "--jsonl", str(tmp_path / "in.jsonl")]) == 3
    assert "Line 1 of" in capsys.readouterr().err


def test_what_no_file_can_be_is_an_error_and_no_fault(case, capsys):
    assert cli.main(["import", str(case), os.sep]) == 3
    assert cli.main(["backup", str(case), "copy", "x" * 300]) == 3
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is full is one of Linux")
def test_where_nothing_can_be_printed_the_exit_code_says_so(case):
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "core", "matrix", str(case), "--json"]
        assert subprocess.run(command, stdout=full, stderr=full, check=False).returncode == 3


def test_a_tab_in_a_name_forges_no_column(case, tmp_path, capsys):
    name = tmp_path / "a\tb.txt"
    try:
        name.write_text("Something else altogether.")
    except OSError:
        pytest.skip("this system takes no tab in a name")
    assert cli.main(["add", str(case), str(name)]) == 0
    capsys.readouterr()
    for command in ("imports", "documents"):
        assert cli.main([command, str(case)]) == 0
        assert "\ta b.txt" in capsys.readouterr().out


def test_matrix_from_a_file(tmp_path, run):
    given = {
        "id": "m", "hypotheses": [{"id": "H1", "text": "a"}, {"id": "H2", "text": "b"}],
        "evidence": [{"id": "E1", "text": "x", "ratings": {"H1": "I", "H2": "C"}}],
    }  # fmt: skip
    (tmp_path / "m.json").write_text(json.dumps(given), "utf-8")
    scored = run("matrix", "--from", tmp_path / "m.json")
    assert scored["leaders"]["weighted_inconsistency"] == ["H2"]
    (tmp_path / "broken.json").write_text("{", "utf-8")
    run("matrix", "--from", tmp_path / "broken.json", code=3)


@pytest.mark.parametrize("wrong", [[], ["nonsense"], ["add"], ["search", "x", "y", "-k", "0"], ["rate", "x", "E1"]])
def test_wrong_use_exits_2(wrong):
    with pytest.raises(SystemExit) as caught:
        cli.main(wrong)
    assert caught.value.code == 2


def test_an_error_says_cause_and_remedy_and_exits_3(tmp_path, capsys):
    assert cli.main(["documents", str(tmp_path / "none.disconfirm")]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.strip().splitlines()) == 2


def test_cancel_exits_130(case, monkeypatch):
    def stop(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("core.documents.service.Documents.all", stop)
    assert cli.main(["documents", str(case)]) == 130


def test_json_may_stand_before_the_command(case, capsys):
    assert cli.main(["--json", "documents", str(case)]) == 0
    assert json.loads(capsys.readouterr().out)["documents"]


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


def test_time_and_what_if(case, run):
    for text in ("The badge list", "The log"):
        run("evidence", case, "add", text, "--source", text)
    run("rate", case, "E1", "H1", "I")
    then = str(len(run("timeline", case)["points"]) and run("history", case, "E1", "H1")["history"][-1]["seq"])
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
    assert run("matrix", case, "--as-of", then)["hypotheses"][1]["scores"]["weighted_inconsistency"] == 0
    assert run("matrix", case, "--without", "E2")["leaders"]["weighted_inconsistency"] == ["H2"]
    assert run("matrix", case, "--without-source", "The log")["leaders"]["weighted_inconsistency"] == ["H2"]
    changed = run("changed", case, then, "2999-01-01")
    assert {(m["evidence"], m["hypothesis"], m["after"]) for m in changed["moves"]} == {
        ("E2", "H2", "II"),
        ("E1", "H2", "C"),
        ("E2", "H1", "N"),
    }
    assert any(m["moved"] for m in changed["moves"])
    run("matrix", case, "--as-of", "soon", code=3)


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
    found = run("consider", case, "assumption", "The clock is right")
    assert [(c["kind"], c["hypothesis"]) for c in found["considerations"]] == [("indicator", "H2"), ("assumption", "")]
    assert found["indicated"] == []
    assert run("consider", case, "done", "C2")["considerations"][1]["status"] == "done"
    assert len(run("consider", case, "remove", "C2")["considerations"]) == 1
    kept = run("settings", case, "--weight", "A=2", "B=1.5", "--blind", "on")
    assert (kept["blind"], kept["grade_weights"]["A"], kept["grade_weights"]["B"]) == (True, 2.0, 1.5)
    run("settings", case, "--weight", "A=0", code=3)
    marked = run("hypothesis", case, "mark", "H2", "--kind", "deception")["hypotheses"]
    assert [h.get("kind") for h in marked] == [None, "deception"]
    priors = run("hypothesis", case, "priors", "--prior", "H1=0.7", "H2=0.3")["hypotheses"]
    assert [h["prior"] for h in priors] == [0.7, 0.3]


def test_a_model_that_ranks_anew_is_chosen_with_the_search_model(case, tmp_path, run, engines, monkeypatch, capsys):
    assert cli.main(["embed", str(case), "--rerank", str(tmp_path / "nowhere")]) == 3
    assert "passages stay in the order" in capsys.readouterr().err
    ranked = replace(engines, reranker=WordsReranker())
    monkeypatch.setattr(launch, "choose_reranker", lambda _engines, folder: ranked if folder else engines)
    assert run("embed", case, "--status", "--rerank", tmp_path)["reranker"] == "words reranker 1"
    assert run("embed", case, "--status", "--rerank", "none")["reranker"] == ""


def test_names_are_suggested_by_a_model_from_now_on(case, tmp_path, run, engines, monkeypatch, capsys):
    assert run("names", case, "suggest")["model"] == ""
    assert cli.main(["names", str(case), "suggest", "--model", str(tmp_path / "nowhere")]) == 3
    assert "there is no such folder" in capsys.readouterr().err
    with_names = replace(engines, names=ListedNames({"dosing pump": "thing"}))
    monkeypatch.setattr(
        launch, "choose_names_model", lambda _engines, folder: (with_names if folder else engines, None)
    )
    told = run("names", case, "suggest", "--model", tmp_path)
    assert told["model"] == "listed names 1"
    (pump,) = (one for one in told["suggested"] if one["name"] == "dosing pump")
    assert (pump["kind"], pump["by"]) == ("thing", "model")
    assert cli.main(["names", str(case), "suggest", "--model", str(tmp_path)]) == 0
    assert "dosing pump\tthing\t1 in 1 documents\tonly by the model" in capsys.readouterr().out
    assert run("names", case, "suggest", "--model", "none")["model"] == ""


def test_a_names_model_that_cannot_be_used_is_a_problem_and_no_error(case, tmp_path, run, engines, monkeypatch):
    gone = NamesClient(tmp_path / "gone")
    monkeypatch.setattr(launch, "build_engines", lambda _settings: replace(engines, names=gone))
    assert cli.main(["names", str(case), "suggest"]) == 1


def test_the_readme_names_every_command():
    readme = (paths.RESOURCES.parent / "README.md").read_text("utf-8")
    for name in cli._parser()._subparsers._group_actions[0].choices:
        assert f"`{name}" in readme or f"disconfirm {name}" in readme, name


@pytest.fixture
def real_engines(small_engines, monkeypatch):
    """The real engines for all commands of a test: their models are loaded once and not at every command."""
    kept = REAL_ENGINES(settings.load())
    monkeypatch.setattr(launch, "build_engines", lambda _settings: kept)
    close = launch.close
    monkeypatch.setattr(launch, "close", lambda _engines: None)
    yield
    close(kept)


def test_the_whole_path_with_the_real_engines(tmp_path, run, real_engines):
    """Real reader, embedder and judge in their child processes."""
    case = Path(tmp_path / "real.disconfirm")
    (tmp_path / "log.txt").write_text(LOG, "utf-8")
    (tmp_path / "memo.txt").write_text(MEMO, "utf-8")
    run("new", case)
    assert len(run("add", case, tmp_path / "log.txt", tmp_path / "memo.txt")["documents"]) == 2
    run("hypothesis", case, "add", "The operator touched the dosing pump.")
    proposals = run("propose", case)["proposals"]
    assert len(proposals) >= 2
    denial = next(p for p in proposals if "did not touch" in p["quote"])
    assert "negated" in denial["explanation"]  # the small judge misreads denials, so the program points at them
    assert run("search", case, "remote access to the valve")["passages"][0]["document"] == "D2"
    assert run("verify", case)["ok"]


def test_versions_lists_what_differs_with_pages(case, tmp_path, run, capsys):
    (tmp_path / "memo2.txt").write_text(MEMO.replace("never had", "had").replace("opened", "shut"), "utf-8")
    run("add", case, tmp_path / "memo2.txt")
    out = run("versions", case, "D2", "D3")
    assert (out["one"], out["other"]) == ("D2", "D3")
    assert out["figures"]["negation"] == 1
    assert out["differences"] == [
        {
            "kind": "changed",
            "reasons": [],
            "before": {"page": 1, "text": "opened"},
            "after": {"page": 1, "text": "shut"},
        },
        {
            "kind": "removed",
            "reasons": ["negation"],
            "before": {"page": 2, "text": "never"},
            "after": {"page": 2, "text": ""},
        },
    ]
    assert cli.main(["versions", str(case), "D2", "D3"]) == 0
    assert "p. 2 / 2\tnegation\tnever -> " in capsys.readouterr().out
    run("versions", case, "D2", "D2", code=3)
    run("versions", case, "D2", "D9", code=3)
