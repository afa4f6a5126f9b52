"""Backups on the command line: the contract's fields and exit codes, and when a command makes one by itself."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core import __main__ as cli
from core import settings
from core.store import backups
from core.workbench import Workbench


@pytest.fixture
def later(case, monkeypatch):
    """Commands that run two days after the case was made."""
    monkeypatch.setattr(Workbench.open.__func__, "__kwdefaults__", {"who": "", "now": two_days_on})


def two_days_on() -> datetime:
    return datetime.now(UTC) + timedelta(days=2)


def test_a_case_of_today_gets_none_by_itself(case, run):
    run("hypothesis", case, "add", "A third.")
    assert run("backup", case) == {"backups": []}
    assert run("backup", case, "list") == {"backups": []}
    assert not case.with_name(f"{case.stem} backups").exists()


@pytest.mark.parametrize("kind", ["folder", "empty file", "pipe"])
def test_what_is_no_case_has_no_list(tmp_path, capsys, kind):
    place = tmp_path / "a.disconfirm"
    if kind == "pipe":
        pytest.importorskip("fcntl")
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        place.touch()
    assert cli.main(["backup", str(place), "list"]) == 3
    output = capsys.readouterr()
    assert output.out == ""
    assert "it was left as it is." in output.err


def test_backup_now_and_list(case, run, capsys):
    result = run("backup", case, "now")
    (entry,) = result["backups"]
    assert set(entry) == {"name", "at", "bytes", "proven", "file"}
    assert (entry["name"], entry["proven"]) == (result["backup"], True)
    assert entry["bytes"] == Path(entry["file"]).stat().st_size
    assert datetime.fromisoformat(entry["at"].replace("Z", "+00:00")).tzinfo is not None
    assert run("backup", case)["backups"] == [entry]
    assert cli.main(["backup", str(case)]) == 0
    assert capsys.readouterr().out.split("\t")[::3] == [entry["name"], "proven\n"]


def test_restore_keeps_the_present_file(case, run):
    name = run("backup", case, "now")["backup"]
    original_list = run("hypothesis", case, "list")
    run("hypothesis", case, "add", "A third.")
    changed_list = run("hypothesis", case, "list")
    restored = run("backup", case, "restore", name)
    assert (restored["case"], restored["restored"]) == (str(case), name)
    assert [entry["name"] for entry in restored["backups"]] == [name]
    assert run("hypothesis", case, "list") == original_list
    assert run("hypothesis", restored["former"], "list") == changed_list
    assert run("verify", case)["ok"]


def test_a_damaged_case_is_restored_by_what_its_error_says(case, run, capsys):
    name = run("backup", case, "now")["backup"]
    case.write_bytes(bytes(16) + case.read_bytes()[16:])
    assert cli.main(["documents", str(case)]) == 3
    message = capsys.readouterr().err
    assert f'disconfirm backup "{case}" restore "{name}"' in message
    run("backup", case, "restore", name)
    assert run("verify", case)["ok"]


def test_without_a_backup_the_error_says_so(case, capsys):
    case.write_bytes(bytes(16) + case.read_bytes()[16:])
    assert cli.main(["documents", str(case)]) == 3
    assert "There is no backup of it." in capsys.readouterr().err


def test_what_is_not_there_is_an_error(case, tmp_path, run):
    run("backup", tmp_path / "nowhere.disconfirm", code=3)
    run("backup", case, "restore", "another", code=3)
    run("backup", case, "restore", code=3)
    run("backup", case, "copy", code=3)
    with pytest.raises(SystemExit) as error:
        cli.main(["backup", str(case), "shred"])
    assert error.value.code == 2


def test_a_copy_never_overwrites(case, tmp_path, run):
    target = tmp_path / "copy.disconfirm"
    copied = run("backup", case, "copy", target)
    assert (copied["file"], copied["bytes"]) == (str(target), target.stat().st_size)
    assert run("hypothesis", target, "list") == run("hypothesis", case, "list")
    run("backup", case, "copy", target, code=3)
    run("backup", case, "copy", case, code=3)


@pytest.mark.usefixtures("later")
def test_the_days_backup_is_made_before_the_first_write_alone(case, run):
    run("hypothesis", case, "list")
    assert run("backup", case) == {"backups": []}
    original_list = run("hypothesis", case, "list")
    run("hypothesis", case, "add", "A third.")
    run("hypothesis", case, "add", "A fourth.")
    (entry,) = run("backup", case)["backups"]
    run("backup", case, "restore", entry["name"])
    assert run("hypothesis", case, "list") == original_list


@pytest.mark.usefixtures("later")
def test_who_wants_none_gets_none(case, run):
    settings.save(settings.Settings(backups=False))
    run("hypothesis", case, "add", "A third.")
    assert run("backup", case) == {"backups": []}


@pytest.mark.usefixtures("later")
def test_one_that_cannot_be_made_is_told_and_the_work_is_done(case, run, capsys, monkeypatch):
    def refuse(_case, target, _progress):
        raise backups.DiskFull(path=target)

    monkeypatch.setattr(backups, "write_copy", refuse)
    assert cli.main(["hypothesis", str(case), "add", "A third.", "--json"]) == 0
    captured = capsys.readouterr()
    assert [h["text"] for h in json.loads(captured.out)["hypotheses"]][-1] == "A third."
    assert captured.err.count("No backup of the case") == 1
    assert "disk is full" in captured.err
