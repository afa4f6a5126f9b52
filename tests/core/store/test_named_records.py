"""The end of the records: whoever closes or copies a case has its log name them all, so nobody else can add to them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

from core.__main__ import main
from core.errors import CaseMoved, CaseNotProven, DiskFull
from core.progress import silent
from core.report.data import count_decisions
from core.store import Backups, CaseFile, backups, connection, decision_log
from core.store.log import DecisionLog
from core.store.merge import merge
from tests.core.store.material import clock, fill

LATER = "2026-05-01T00:00:00+00:00"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.disconfirm"
    with CaseFile.create(path, title="Pump", who="ann", now=clock()) as case:
        fill(case)
    return path


def open_case(path):
    return CaseFile.open(path, who="ann", now=clock(LATER))


def check(path):
    with open_case(path) as case:
        result = case.verify(silent())
    return [problem.what for problem in result.problems], result.notes


def add_record(path):
    """A verdict that somebody else writes into a closed case, with a record of it that fits the chain."""
    with open_case(path) as case:  # for its code alone
        db = case.db.connection
        with case.db.reading():
            db.execute("BEGIN IMMEDIATE")
            db.execute("UPDATE verdict SET supports = 0.25, contradicts = 0.5")
            case.chain.record_where("verdict", "true")
            db.execute("COMMIT")
        case.db.handle.close()  # nothing is named
    assert path.read_bytes()[18:20] == b"\1\1"


STOPPED = """
import os, signal, sys
from pathlib import Path
from core.store.log import DecisionLog
from core.store import CaseFile
case = CaseFile.open(Path(sys.argv[1]), who="ann")
case.imports.put_password("D1", "open")
os.kill(os.getpid(), signal.SIGKILL)
"""


def stop_in_the_middle(path):
    """A session that writes a record and is killed."""
    process = subprocess.run([sys.executable, "-c", STOPPED, str(path)], capture_output=True, text=True)
    assert process.returncode == -signal.SIGKILL, process.stderr
    assert path.read_bytes()[18:20] == b"\2\2"


needs_kill = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system cannot kill so")


# --- what an honest session leaves behind ----------------------------------------------------------------------------


def test_a_session_that_wrote_records_and_decided_nothing_has_the_log_name_them(path):
    with open_case(path) as case:
        entries, days, undoable, redoable = (
            case.log.entries(),
            case.history.decision_days(),
            case.undo.undoable(),
            case.undo.redoable(),
        )
        assert redoable is not None
        case.imports.put_password("D1", "open")
        assert "not yet named" in case.verify(silent()).notes[0]
    with open_case(path) as case:
        (*earlier_entries, last_entry) = case.log.entries()
        assert earlier_entries == entries
        assert (last_entry.verb, last_entry.who, json.loads(last_entry.before)) == ("name records", "ann", {})
        head = case.db.rows("SELECT seq, hash FROM record ORDER BY seq DESC LIMIT 1")[0]
        assert json.loads(last_entry.after) == {"record": {"head": dict(zip(("seq", "hash"), head, strict=True))}}
        assert (case.undo.undoable(), case.undo.redoable()) == (undoable, redoable)
        assert (case.history.decision_days(), case.history.decided_since(earlier_entries[-1].seq)) == (days, 0)
        assert count_decisions([last_entry]) == ()
        assert (case.verify(silent()).problems, case.verify(silent()).notes) == ((), ())


def test_a_session_that_wrote_no_record_leaves_the_log_as_it_is(path):
    content = path.read_bytes()
    with open_case(path) as case:
        case.verify(silent())
    assert path.read_bytes()[100:] == content[100:]  # SQLite's header counts openings
    with open_case(path) as case:
        case.imports.put_password("D1", "open")
        case.settings.set_title("Pumps")  # names the record
        entries = len(case.log.entries())
    with open_case(path) as case:
        assert len(case.log.entries()) == entries


def test_a_case_for_viewing_stays_as_it_is(path, monkeypatch):
    content = path.read_bytes()
    monkeypatch.setattr(connection, "_writable", lambda path: False)
    with open_case(path) as case:
        assert case.read_only
    assert path.read_bytes() == content


def test_an_entry_that_names_records_changes_nothing_else(path):
    with open_case(path) as case, case.db.transaction():
        case.log.append(decision_log.NAMING, {}, {"about": {"case": {"id": "case", "title": "Pump"}}})
    assert any("which an entry of its kind never does" in fault for fault in check(path)[0])


def test_copies_of_an_open_case_have_their_records_named(path, tmp_path):
    with open_case(path) as case:
        case.imports.put_password("D1", "open")
        backup = Backups(case).make().path
        assert case.log.entries()[-1].verb == "name records"
        case.imports.put_password("D2", "open")
        copy = backups.save_copy(case, tmp_path / "copy.disconfirm")
        entries = len(case.log.entries())
    for file in (backup, copy, path):
        assert check(file) == ([], ())
    with open_case(path) as case:
        assert len(case.log.entries()) == entries  # nothing was left to name when it was closed


def test_what_is_written_while_a_copy_is_made_is_named_in_it(path, tmp_path, monkeypatch):
    monkeypatch.setattr(backups, "_PAGES", 4)
    names = []

    def write(_seconds):
        names.append(case.imports.put_password("D1", str(len(names))))

    monkeypatch.setattr(backups.time, "sleep", write)
    with open_case(path) as case:
        copy = backups.save_copy(case, tmp_path / "copy.disconfirm")
        entries = [entry for entry in case.log.entries() if entry.verb == "name records"]
    assert names
    assert len(entries) <= 3
    assert check(copy) == ([], ())


def test_a_case_that_was_renamed_while_it_was_open_has_its_records_named(path):
    new_path = path.with_name("b.disconfirm")
    for write in (False, True):
        with open_case(path) as case:
            case.imports.put_password("D1", f"open {write}")
            path.rename(new_path)
            if write:
                with pytest.raises(CaseMoved):
                    case.settings.set_title("late")
        assert check(new_path) == ([], ())
        new_path.rename(path)


def test_a_case_that_was_removed_while_it_was_open_is_rescued_with_its_records_named(path):
    with open_case(path) as case:
        case.imports.put_password("D1", "open")
        path.unlink()
        with pytest.raises(CaseMoved):
            case.settings.set_title("late")
        rescue_copy = case.db.handle.rescue_copy
    assert check(rescue_copy) == ([], ())


def test_a_case_that_could_not_name_its_records_says_that_it_was_not_closed(path, monkeypatch):
    def full(log):
        raise DiskFull(path=path)

    case = open_case(path)
    case.imports.put_password("D1", "open")
    with monkeypatch.context() as patch:
        patch.setattr(DecisionLog, "name_records", full)
        case.close()
    assert path.read_bytes()[18:20] == b"\2\2"
    problems, notes = check(path)
    assert (problems, len(notes)) == ([], 1)
    assert check(path) == ([], ())


# --- a session that was cut short ------------------------------------------------------------------------------------


@needs_kill
def test_after_a_kill_a_note_is_given_once(path):
    stop_in_the_middle(path)
    problems, notes = check(path)
    assert (problems, ["not yet named" in note for note in notes]) == ([], [True])
    with open_case(path) as case:
        assert case.chain.added() == ""
        assert case.log.entries()[-1].verb == "name records"
    assert check(path) == ([], ())


@needs_kill
def test_a_copy_of_a_case_for_viewing_that_was_cut_short_is_sound(path, tmp_path, monkeypatch):
    stop_in_the_middle(path)
    with monkeypatch.context() as patch:
        patch.setattr(connection, "_writable", lambda path: False)
        with open_case(path) as case:
            copy = backups.save_copy(case, tmp_path / "copy.disconfirm")
    assert path.read_bytes()[18:20] == b"\2\2"
    assert check(copy) == ([], ())


@needs_kill
def test_a_case_that_was_cut_short_is_no_other_once_a_backup_took_its_place(path):
    with open_case(path) as case:
        backup = Backups(case).make()
    stop_in_the_middle(path)
    restoration = backups.restore(path, backup, now=clock(LATER)())
    problems, notes = check(restoration.former)
    assert (problems, len(notes)) == ([], 1)
    assert check(path) == ([], ())


# --- a record that somebody else adds --------------------------------------------------------------------------------


def test_a_record_added_to_a_closed_case_is_found(path, tmp_path, capsys):
    add_record(path)
    with open_case(path) as case:
        (last,) = case.db.rows("SELECT max(seq) FROM record")[0]
        assert case.chain.added() == f"record {last} was added while the case was closed"
    problems, notes = check(path)
    assert (problems, notes) == ([f"Record {last} was added while the case was closed."], ())
    assert main(["verify", str(path)]) == 1
    assert "was added while the case was closed" in capsys.readouterr().err
    with CaseFile.create(tmp_path / "other.disconfirm") as target_case, pytest.raises(CaseNotProven):
        merge(target_case, path, silent())


def test_such_a_record_is_told_by_every_command(path, capsys):
    assert main(["documents", str(path)]) == 0
    assert "added while" not in capsys.readouterr().err
    add_record(path)
    assert main(["documents", str(path)]) == 0
    assert "was added while the case was closed" in capsys.readouterr().err


def test_a_verdict_that_such_a_record_bears_out_is_not_believed(path):
    with open_case(path) as case:
        assert case.verdicts.get("judge 1", [("ab" * 32, "cd" * 32)])
    add_record(path)
    with open_case(path) as case:
        assert case.verdicts.get("judge 1", [("ab" * 32, "cd" * 32)]) == {}


@pytest.mark.parametrize("session", ["records", "decision", "backup", "nothing"])
def test_such_a_record_is_found_ever_after(path, session):
    add_record(path)
    with open_case(path) as case:
        words = case.chain.added()
        if session == "records":
            case.imports.put_password("D1", "open")
        elif session == "decision":
            case.settings.set_title("Pumps")
            case.settings.set_title("Pump")
        elif session == "backup":
            backup = Backups(case).make().path
            assert check(backup)[0] == [f"{words[0].upper()}{words[1:]}."]
        assert len(case.verify(silent()).problems) == 1
    assert check(path) == ([f"{words[0].upper()}{words[1:]}."], ())
    with open_case(path) as case:
        telling_entries = [entry.seq for entry in case.log.entries() if "while closed" in entry.after]
    assert len(telling_entries) == (session in ("records", "decision"))


def test_a_check_tells_the_hash_that_the_next_one_is_held_against(path, capsys):
    with open_case(path) as case:
        case.imports.put_password("D1", "open")
    assert main(["verify", str(path), "--json"]) == 0
    head = json.loads(capsys.readouterr().out)["head"]
    with open_case(path) as case:
        assert (case.log.entries()[-1].verb, case.log.entries()[-1].hash) == ("name records", head)
    assert main(["verify", str(path), "--head", head]) == 0
    out = capsys.readouterr().out
    assert (f"ends with {head}." in out, "came after" in out) == (True, False)
    with open_case(path) as case:
        case.settings.set_title("Pumps")
        case.imports.put_password("D2", "open")
    assert main(["verify", str(path), "--head", head]) == 0
    assert "2 entries of the log came after the given hash." in capsys.readouterr().out
