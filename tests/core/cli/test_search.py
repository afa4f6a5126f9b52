"""The commands that search, against their contract."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pymupdf

from core import __main__ as cli
from core import paths, settings
from core.domain import LAYER
from core.engines.readers.dispatch import FileReader
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


def test_an_audit_of_a_search_says_how_each_was_found_and_what_was_searched(case, run, capsys):
    assert run("search", case, "vendor account")["show"] == "exploratory"
    assert {p["confidence"] for p in run("search", case, "vendor account", "--strict")["passages"]} <= {"high"}
    out = run("search", case, "vendor account", "--show", "audit")
    assert out["show"] == "audit"
    assert out["notes"][-1].startswith("Searched: ")
    cli.main(["search", str(case), "vendor account", "--show", "audit"])
    assert "\tmeaning 1\t" in capsys.readouterr().out


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
        *("embedded", "reused", "forgotten", "reranker", "reason", "offer", "note", "seconds"),
    }
    assert (state["model"], state["waiting"], state["embedded"], state["others"]) == ("hash embedder 1", 0, 0, [])
    model_folder = make(tmp_path / "tiny")
    result = run("embed", case, "--model", model_folder)
    assert result["model"].startswith("tiny sha256:")
    assert (result["embedded"], result["waiting"], result["searched_with"]) == (state["passages"], 0, result["model"])
    assert result["others"] == [{"model": "hash embedder 1", "passages": state["passages"], "size": 3 * 4 * 64}]
    assert "config_sentence_transformers.json" in result["note"]
    assert settings.load().embedder == str(model_folder)
    run("embed", case, "--model", tmp_path / "nowhere", code=3)
    (entry,) = run("embed", case, "--forget")["forgotten"]  # here the small engines are used again
    assert entry == {"model": result["model"], "passages": state["passages"], "size": 3 * 4 * 32}


def test_the_model_of_many_languages_is_chosen_by_its_name(case, tmp_path, run, monkeypatch):
    monkeypatch.setenv("DISCONFIRM_MODELS", str(tmp_path))
    folder = make(tmp_path / paths.MULTILINGUAL)
    assert run("embed", case, "--model", "multilingual")["model"].startswith(f"{paths.MULTILINGUAL} sha256:")
    assert settings.load().embedder == str(folder)


def test_a_model_that_ranks_anew_is_chosen_with_the_search_model(case, tmp_path, run, engines, monkeypatch, capsys):
    assert cli.main(["embed", str(case), "--rerank", str(tmp_path / "nowhere")]) == 3
    assert "passages stay in the order" in capsys.readouterr().err
    ranked = replace(engines, reranker=WordsReranker())
    monkeypatch.setattr(launch, "choose_reranker", lambda _engines, folder: ranked if folder else engines)
    assert run("embed", case, "--status", "--rerank", tmp_path)["reranker"] == "words reranker 1"
    assert run("embed", case, "--status", "--rerank", "none")["reranker"] == ""


def test_a_tab_in_words_of_a_document_forges_no_column(tmp_path, run, capsys):
    case, name = tmp_path / "tabs.disconfirm", "a\tb.txt" if os.name == "posix" else "a.txt"
    words = "The gate of Anna\tKeller stood open on 3\tMay 2021. Anna\tKeller\tsaid so."
    (tmp_path / name).write_text(f"{words}\fAnna\tKeller closed the gate at night.\fThe gate: Anna\tKeller.", "utf-8")
    run("new", case)
    run("add", case, tmp_path / name)
    for hypothesis in ("The gate of Anna Keller stood open.", "The gate was closed."):
        run("hypothesis", case, "add", hypothesis)
    for tabs, *command in (
        (0, "search", case, "the gate"),
        (2, "names", case, "suggest"),
        (2, "themes", case, "the gate"),
        (3, "discriminate", case),
        (4, "dates", case),
    ):
        assert cli.main([str(word) for word in command]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert any("gate" in line or "Anna" in line for line in lines), (command, lines)
        assert {line.count("\t") for line in lines} == {tabs}, lines
    passages = run("search", case, "the gate stood open")["passages"]
    assert (passages[0]["name"], passages[0]["text"]) == (name, words)
    assert "\t" in run("themes", case, "the gate stood open")["themes"][0]["sentence"]


def test_words_of_the_layer_of_a_scan_are_marked_in_every_form(tmp_path, run, capsys, engines, monkeypatch):
    case, document = tmp_path / "scan.disconfirm", pymupdf.open()
    page, plain = (pdf.new_page(width=420, height=200) for pdf in (document, pymupdf.open()))
    plain.insert_text((36, 60), "PICTURE SAYS GUILTY", fontsize=14)
    page.insert_text((36, 60), "The text layer says innocent relay.", fontsize=14, render_mode=3)
    page.insert_image(page.rect, pixmap=plain.get_pixmap(dpi=150))
    document.save(tmp_path / "scan.pdf")
    unread = replace(engines, reader=FileReader(), ocr=None)
    monkeypatch.setattr(launch, "build_engines", lambda _settings: unread)
    run("new", case)
    run("add", case, tmp_path / "scan.pdf")
    run("hypothesis", case, "add", "The relay is innocent.")
    for rows, *command in (
        (lambda result: [result], "page", case, "D1", "1"),
        (lambda result: result["passages"], "search", case, "innocent relay"),
        (lambda result: result["proposals"], "propose", case),
        (lambda result: result["proposals"], "proposals", case),
    ):
        passages = rows(run(*command))
        assert passages, command
        assert {row["source"] for row in passages} == {"layer"}
        assert cli.main([str(word) for word in command]) == 0
        assert f"[{LAYER}]" in capsys.readouterr().out
    run("accept", case, "P1")
    assert [row["text_source"] for row in run("evidence", case, "list")["evidence"]] == ["layer"]
    assert cli.main(["evidence", str(case), "list"]) == 0
    assert f"[{LAYER}]" in capsys.readouterr().out


def test_the_line_of_a_hit_begins_with_the_sentence_that_answers(tmp_path, run, capsys):
    dull = " ".join(f"The log of watch {number} has nothing else to say about it." for number in range(1, 9))
    (tmp_path / "yard.txt").write_text(f"{dull} Nobody opened the sluice valve before dawn. All was dry.", "utf-8")
    case = tmp_path / "yard.disconfirm"
    run("new", case)
    run("add", case, tmp_path / "yard.txt")
    lines = {}
    for query in (["Who opened the valve?"], ["watch", "--conditions"], ['"sluice valve" -tanker', "--conditions"]):
        capsys.readouterr()
        assert cli.main(["search", str(case), *query]) == 0
        lines[query[0]] = capsys.readouterr().out.splitlines()[1]
    assert lines["Who opened the valve?"] == "   … Nobody opened the sluice valve before dawn. All was dry."
    assert lines['"sluice valve" -tanker'] == lines["Who opened the valve?"]
    assert lines["watch"] == f"   {dull[:200]}"
