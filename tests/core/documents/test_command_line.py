"""The command line on documents: passwords, what changed, what is said of them, removal, every import."""

from __future__ import annotations

import dataclasses
import os

import pytest

from core import __main__ as cli
from core.cli.output import Output
from core.domain import LeftOut, PageText
from core.ports import Outline
from core.runtime import launch
from tests.core.documents.conftest import LockReader
from tests.core.documents.test_importing import stop_at
from tests.core.documents.test_service import LOG, MEMO, SECRET
from tests.fakes import PlainReader


@pytest.fixture(autouse=True)
def small_engines(engines, monkeypatch):
    lock_engines = dataclasses.replace(engines, reader=LockReader())
    monkeypatch.setattr(launch, "build_engines", lambda _settings: lock_engines)


@pytest.fixture
def case(tmp_path, run):
    path = tmp_path / "case.disconfirm"
    run("new", path)
    return path


def put(path, text, *, age=0):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.utime(path, (1_700_000_000 + age, 1_700_000_000 + age))
    return path


def test_a_locked_file_is_unlocked(case, tmp_path, run, monkeypatch):
    out = run("add", case, put(tmp_path / "vault.txt", SECRET), code=1)
    item = out["documents"][0]
    assert (item["status"], item["id"], item["locked"]) == ("failed", "D1", True)
    listed = run("documents", case)
    assert listed["documents"] == []
    assert [(d["id"], d["locked"], d["reason"]) for d in listed["failed"]] == [
        ("D1", True, "vault.txt is protected by a password.")
    ]
    run("unlock", case, "D1", "--password", "wrong", code=1)
    run("unlock", case, "D1", code=3)  # nobody is there to ask
    assert run("unlock", case, "D1", "--password", "swordfish")["documents"][0]["status"] == "added"
    assert run("search", case, "vault", "--mode", "lexical")["passages"]
    assert run("add", case, put(tmp_path / "v2.txt", SECRET + "!"), "--password", "swordfish")["problems"] == []
    run("forget", case, "D1")
    assert run("unlock", case, "D1", "--password", "wrong", code=1) == {"stored": [], "wrong": ["D1"]}
    assert run("unlock", case, "D1", "--password", "swordfish") == {"stored": ["D1"], "wrong": []}
    run("unlock", case, "D1", "--password", "swordfish", code=3)  # it is stored
    run("retry", case, "D1", code=3)
    assert run("retry", case)["documents"] == []


def test_only_what_changed_is_added_and_newer_versions_are_named(case, tmp_path, run, capsys):
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    put(inbox / "log.txt", LOG)
    put(inbox / "memo.txt", MEMO)
    run("add", case, inbox)
    put(inbox / "memo.txt", MEMO + " More.", age=5)
    preview = run("add", case, inbox, "--preview")
    assert preview["changed"] == [{"path": str(inbox / "memo.txt"), "of": "D2"}]
    assert preview["copies"] == [{"path": str(inbox / "log.txt"), "of": "D1"}]
    assert preview["files"] == 2
    out = run("add", case, inbox, "--changed")
    assert (out["submitted"], out["unchanged"]) == (1, 1)
    assert [(d["status"], d["version_of"]) for d in out["documents"]] == [("added", "D2")]
    assert run("add", case, inbox, "--changed")["submitted"] == 0
    put(inbox / "memo.txt", MEMO + " Even more.", age=9)
    assert cli.main(["add", str(case), str(inbox), "--changed"]) == 0
    assert "D4 is a newer version of D3" in capsys.readouterr().out


def test_documents_are_described(case, tmp_path, run, capsys):
    run("add", case, put(tmp_path / "log.txt", LOG), put(tmp_path / "memo.txt", MEMO))
    out = run(
        "documents", case, "set", "D1", "D2", "--tag", "night", "pump", "--origin", "Police", "--reliability", "B"
    )
    assert [(d["tags"], d["origin"], d["reliability"]) for d in out["documents"]] == [
        (["night", "pump"], "Police", "B")
    ] * 2
    out = run(
        "documents", case, "set", "D2", "--untag", "night", "--information", "2", "--dated", "2021-05", "--note", "x"
    )
    assert out["documents"][1]["tags"] == ["pump"]
    assert (out["documents"][1]["dated"], out["documents"][1]["note"]) == ("2021-05", "x")
    run("documents", case, "set", "D1", "--reliability", "Z", code=3)
    run("documents", case, "set", "D1", code=3)
    run("documents", case, "set", "--tag", "x", code=3)
    run("documents", case, "set", "D9", "--tag", "x", code=3)
    assert cli.main(["documents", str(case)]) == 0
    assert "D2\tready\t2 p.\tmemo.txt\ten\tpump\tPolice\tB2\t2021-05\tx" in capsys.readouterr().out
    assert run("undo", case) == {"undo": "describe documents"}


def test_removal_is_refused_with_what_rests_on_it(case, tmp_path, run, capsys):
    run("add", case, put(tmp_path / "log.txt", LOG))
    run("hypothesis", case, "add", "The operator stopped the dosing pump.")
    run("propose", case)
    run("accept", case, "P1")
    run("rate", case, "E1", "H1", "CC")
    assert cli.main(["remove", str(case), "D1"]) == 3
    message = capsys.readouterr().err
    assert "E1 with 1 rating" in message
    assert "--with-evidence" in message
    removal = run("remove", case, "D1", "--with-evidence")
    assert (removal["removed"], removal["evidence"], removal["cells"]) == (["D1"], ["E1"], 1)
    listed = run("documents", case)
    assert (listed["documents"], [d["id"] for d in listed["removed"]]) == ([], ["D1"])
    assert run("evidence", case, "list")["evidence"] == []
    assert run("verify", case)["ok"]
    run("undo", case)
    assert run("evidence", case, "list")["evidence"][0]["id"] == "E1"
    run("remove", case, "D9", code=3)


def test_every_import_is_told(case, tmp_path, run, capsys):
    run("add", case, put(tmp_path / "log.txt", LOG))
    run("add", case, tmp_path / "log.txt", put(tmp_path / "noise.bin", b"\xff"), code=1)
    out = run("imports", case)
    assert [entry["run"] for entry in out["imports"]] == [1, 2]
    assert [(f["name"], f["status"]) for f in out["imports"][1]["files"]] == [
        ("log.txt", "duplicate"),
        ("noise.bin", "failed"),
    ]
    assert out["imports"][1]["files"][1]["reason"] == "noise.bin is not UTF-8 text."
    assert [entry["run"] for entry in run("imports", case, "--last")["imports"]] == [2]
    assert cli.main(["imports", str(case)]) == 0
    assert "failed\tD2\tnoise.bin\tnoise.bin is not UTF-8 text. Save it as UTF-8." in capsys.readouterr().out


class LedgerReader(PlainReader):
    """Leaves two charts and a calendar part out of every file, and strikes its first word through."""

    def read(self, data, name, *, password="", note_marks=False):
        for item in super().read(data, name, password=password):
            if isinstance(item, Outline):
                item = dataclasses.replace(item, file_date="2026-11-28")
                yield LeftOut("chart", 1, "word/charts")
            elif isinstance(item, PageText):
                item = dataclasses.replace(item, struck_spans=((0, 3),))
            yield item
        yield LeftOut("chart", 1, "word/charts")
        yield LeftOut("calendar part", 1, "")


def test_what_was_left_out_is_listed_wherever_a_document_is(case, tmp_path, run, engines, monkeypatch, capsys):
    monkeypatch.setattr(launch, "build_engines", lambda _: dataclasses.replace(engines, reader=LedgerReader()))
    ledger = [
        {"what": "calendar part", "count": 1, "where": ""},
        {"what": "chart", "count": 2, "where": "word/charts"},
    ]
    file = put(tmp_path / "log.txt", LOG)
    assert cli.main(["add", str(case), str(file)]) == 0
    words = "Left out: 1 calendar part, 2 charts (word/charts)"
    assert f"D1: {words}" in capsys.readouterr().out
    duplicate = run("add", case, file)["documents"][0]
    assert (duplicate["status"], duplicate["left_out"]) == ("duplicate", ledger)
    (listed,) = run("documents", case)["documents"]
    assert (listed["left_out"], listed["file_date"], listed["date"]) == (ledger, "2026-11-28", "")
    assert (listed["folder"], listed["parent"]) == ("", "")
    (row,) = run("imports", case)["imports"][0]["files"]
    assert (row["left_out"], row["file_date"]) == (ledger, "2026-11-28")
    assert cli.main(["documents", str(case)]) == 0
    assert words in capsys.readouterr().out


def test_a_quote_of_struck_words_is_not_just_verified(case, tmp_path, run, engines, monkeypatch, capsys):
    monkeypatch.setattr(launch, "build_engines", lambda _: dataclasses.replace(engines, reader=LedgerReader()))
    run("add", case, put(tmp_path / "log.txt", LOG))
    (match,) = run("quote", case, LOG)["matches"]
    assert match["marks"] == ["struck"]
    assert cli.main(["quote", str(case), LOG]) == 0
    out = capsys.readouterr().out
    assert out.startswith("verified, but struck through in the source\n")
    (match,) = run("quote", case, LOG[5:].strip())["matches"]
    assert match["marks"] == []


def test_a_stopped_import_is_said_continued_and_discarded(case, tmp_path, run, monkeypatch, capsys):
    names = [put(tmp_path / f"n{number}.txt", f"Statement {number * 71}.") for number in range(5)]
    with monkeypatch.context() as patch:
        patch.setattr(Output, "progress", lambda _self: stop_at(2))
        assert cli.main(["add", str(case), *map(str, names)]) == 130
    assert f"2 of 5 files read. Continue with: disconfirm add {case} --continue" in capsys.readouterr().err
    (count,) = run("imports", case)["imports"]
    assert (count["asked"], count["read"], count["pending"], len(count["files"])) == (5, 2, 3, 2)
    report = run("add", case, "--continue")
    assert (report["asked"], report["read"], report["pending"], len(report["documents"])) == (5, 5, 0, 3)
    assert run("add", case, "--continue")["documents"] == []
    more = [put(tmp_path / f"m{number}.txt", f"Memo {number * 31}.") for number in range(3)]
    with monkeypatch.context() as patch:
        patch.setattr(Output, "progress", lambda _self: stop_at(1))
        assert cli.main(["add", str(case), *map(str, more)]) == 130
    out = run("imports", case, "--last", "--discard")
    assert (out["discarded"], out["imports"][0]["run"], out["imports"][0]["pending"]) == (2, 2, 0)
    assert run("imports", case, "--discard")["discarded"] == 0


def test_continue_is_given_alone(case, tmp_path):
    assert cli.main(["add", str(case), str(tmp_path), "--continue"]) == 3
    assert cli.main(["add", str(case)]) == 3
