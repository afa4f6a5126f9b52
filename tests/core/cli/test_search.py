"""The commands that search, against their contract."""

from __future__ import annotations

import json
from dataclasses import replace

from core import __main__ as cli
from core import settings
from core.runtime import launch
from tests.core.engines.tiny_embedder import make
from tests.fakes import WordsReranker


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


def test_a_model_that_ranks_anew_is_chosen_with_the_search_model(case, tmp_path, run, engines, monkeypatch, capsys):
    assert cli.main(["embed", str(case), "--rerank", str(tmp_path / "nowhere")]) == 3
    assert "passages stay in the order" in capsys.readouterr().err
    ranked = replace(engines, reranker=WordsReranker())
    monkeypatch.setattr(launch, "choose_reranker", lambda _engines, folder: ranked if folder else engines)
    assert run("embed", case, "--status", "--rerank", tmp_path)["reranker"] == "words reranker 1"
    assert run("embed", case, "--status", "--rerank", "none")["reranker"] == ""
