"""The commands about documents, against their contract."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest

from core import __main__ as cli
from core.runtime import launch
from tests.core.pump_case import MEMO
from tests.fakes import FakeOcr


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


def test_originals_are_written_out_and_compared_by_another_program(case, tmp_path, run, capsys):
    folder = tmp_path / "for the court"
    result = run("originals", case, folder)
    assert [(file["document"], file["name"], file["file"]) for file in result["files"]] == [
        ("D1", "log.txt", "D1.txt"), ("D2", "memo.txt", "D2.txt"),
    ]  # fmt: skip
    assert {file.name for file in folder.iterdir()} == {"D1.txt", "D2.txt", result["list"]}
    assert (folder / "D2.txt").read_bytes() == (tmp_path / "memo.txt").read_bytes()
    lines = (folder / result["list"]).read_text("ascii").splitlines()
    hashes = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("D1.txt", "D2.txt")}
    assert lines == [f"{digest}  {name}" for name, digest in hashes.items()]
    assert cli.main(["originals", str(case), str(folder)]) == 3
    assert "not empty" in capsys.readouterr().err
    assert run("originals", case, tmp_path / "one", "D2")["files"][0]["sha256"] == hashes["D2.txt"]
    run("originals", case, tmp_path / "none", "D9", code=3)
    assert cli.main(["originals", str(case), str(tmp_path / ("x" * 3000))]) == 3
    assert "too long" in capsys.readouterr().err


def test_an_unknown_language_of_scans_is_named_where_no_page_is_one(case, run, capsys, engines, monkeypatch):
    monkeypatch.setattr(launch, "build_engines", lambda _settings: replace(engines, ocr=FakeOcr()))
    assert run("ocr", case, "--language", "eng")["pages"] == 0
    assert cli.main(["ocr", str(case), "--language", "xxx"]) == 3
    assert "xxx" in capsys.readouterr().err


def test_a_tab_in_a_name_forges_no_column(case, tmp_path, capsys):
    name = tmp_path / "a\tb.txt"
    try:
        name.write_text("Something else altogether.")
    except OSError:
        pytest.skip("the file system allows no tab in a name, so none can forge a column")
    assert cli.main(["add", str(case), str(name)]) == 0
    capsys.readouterr()
    for command in ("imports", "documents"):
        assert cli.main([command, str(case)]) == 0
        assert "\ta b.txt" in capsys.readouterr().out


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
