"""The commands that take something out for good, against their contract."""

from __future__ import annotations

import pytest

from core import __main__ as cli
from core.store import CaseFile, backups


def test_nothing_is_erased_before_it_is_said_twice(case, run, capsys):
    out = run("erase", case, "D1")
    assert (out["erased"], out["would_erase"]) == ([], ["D1"])
    assert set(out) >= {"children", "withdrawn", "cells", "proposals", "results", "names", "holders", "copies"}
    assert [d["id"] for d in run("documents", case)["documents"]] == ["D1", "D2"]
    assert cli.main(["erase", str(case), "D1"]) == 0
    assert "add --yes" in capsys.readouterr().out


def test_a_document_is_erased_with_its_backups_and_the_case_is_sound(case, run):
    backup = run("backup", case, "now")["backup"]
    out = run("erase", case, "D1", "--yes")
    assert (out["erased"], out["removed_backups"]) == (["D1"], [])
    assert [path.rpartition("/")[2] for path in out["copies"]] == [backup]
    assert [d["id"] for d in run("documents", case)["documents"]] == ["D2"]
    assert run("verify", case)["ok"]
    assert run("undo", case) == {"undo": None}
    with backups.find(case, backup).path.open("rb") as backup_file:
        out = run("erase", case, "D2", "--yes", "--with-backups")
        assert not backup_file.read().startswith(b"SQLite")  # overwritten, not only unlinked
    assert out["erased"] == ["D2"]
    assert out["removed_backups"] == [backup]
    assert out["backup"]
    assert [entry["name"] for entry in run("backup", case)["backups"]] == [out["backup"]]
    run("erase", case, "D9", "--yes", code=3)


def test_a_backup_that_is_open_stays_and_is_told(case, run, capsys):
    backup = run("backup", case, "now")["backup"]
    with CaseFile.open(backups.find(case, backup).path):
        out = run("erase", case, "D1", "--yes", "--with-backups", code=1)
    assert (out["erased"], out["removed_backups"]) == (["D1"], [])
    assert [problem["where"] for problem in out["problems"]] == [backup]
    assert [path.rpartition("/")[2] for path in out["copies"]] == [backup]


def test_all_that_was_removed_is_erased_at_once(case, run):
    assert run("erase", case, "--removed", "--yes") == {"erased": []}
    run("remove", case, "D1", "--with-evidence")
    assert run("erase", case, "--removed")["would_erase"] == ["D1"]
    assert run("erase", case, "--removed", "--yes")["erased"] == ["D1"]
    assert run("documents", case)["removed"] == []


@pytest.mark.parametrize("command", [("erase",), ("erase", "D1", "--removed"), ("forget",), ("forget", "D1", "--all")])
def test_what_is_meant_has_to_be_said(case, run, command):
    run(command[0], case, *command[1:], code=3)


def test_passwords_are_forgotten(case, run):
    with CaseFile.open(case) as store:
        store.imports.put_password("D2", "sesame")
    assert run("forget", case, "--all") == {"forgotten": ["D2"]}
    assert run("forget", case, "D2") == {"forgotten": []}
    run("forget", case, "D9", code=3)
    assert run("verify", case)["ok"]
