"""The lock of a case: no look at the file drops it, nothing in its place is harmed, nothing acknowledged is lost."""

from __future__ import annotations

import errno
import json
import os
import platform
import random
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

from core.__main__ import main
from core.errors import BadInput, CaseInUse, CaseLockBlocked, CaseUnfinished
from core.progress import silent
from core.store import CaseFile, connection, lock, merge
from tests.core.store.material import lock_of, make_other_case, texts, wal_of

linux = pytest.mark.skipif(sys.platform != "linux", reason="the lock on the case itself is one of Linux")
posix = pytest.mark.skipif(os.name != "posix", reason="an open file can be renamed and removed on POSIX systems only")


# --- looking at the file ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["look", "guess"])
def test_a_look_at_the_file_does_not_let_others_in(closed_case, worker, verb):
    assert worker(f"open {closed_case}") == "done"
    assert worker(f"{verb} {closed_case}") == "done"
    with pytest.raises(CaseInUse) as error:
        CaseFile.open(closed_case)
    assert f"process {worker('who')}" in error.value.sentence
    assert worker("write second") == "done"
    assert worker("close") == "done"
    assert texts(closed_case) == ["first", "second"]


@linux
@pytest.mark.parametrize("way", ["hard link", "renamed", "lock file deleted"])
def test_the_lock_is_on_the_file_itself_too(closed_case, worker, way):
    assert worker(f"open {closed_case}") == "done"
    assert worker(f"look {closed_case}") == "done"
    other_path = closed_case.with_name("b.disconfirm")
    if way == "hard link":
        os.link(closed_case, other_path)
    elif way == "renamed":
        closed_case.rename(other_path)
    else:
        lock_of(closed_case).unlink()
        other_path = closed_case
    with pytest.raises(CaseInUse):
        CaseFile.open(other_path)
    assert not lock_of(other_path).exists() or way == "lock file deleted"


def test_the_lock_is_the_same_through_a_link_to_the_case(closed_case, worker):
    link = closed_case.parent.parent / "link.disconfirm"
    link.symlink_to(closed_case)
    assert worker(f"open {link}") == "done"
    assert worker(f"look {closed_case}") == "done"
    assert lock_of(closed_case).exists()
    with pytest.raises(CaseInUse):
        CaseFile.open(closed_case)
    assert worker("write second") == "done"
    worker("close")
    assert texts(link) == ["first", "second"]
    assert sorted(closed_case.parent.iterdir()) == [closed_case]


@pytest.mark.parametrize(("interleavings", "seed"), [(25, 1), pytest.param(200, 2, marks=pytest.mark.slow)])
def test_what_two_processes_were_told_is_saved_is_there(closed_case, workers, interleavings, seed):
    """Opening, writing, looking, closing and kills in any order: what was acknowledged stands there, in its order."""
    chance = random.Random(seed)
    writes = refusals = kills = 0
    try:
        for number in range(interleavings):
            path = closed_case.with_name(f"{number}.disconfirm")
            shutil.copyfile(closed_case, path)
            names = ["first"]
            has: int | None = None
            for step in range(14):
                worker = chance.randrange(2)
                verb = chance.choice(("open", "open", "write", "write", "write", "look", "guess", "close", "kill"))
                if verb == "kill":
                    if chance.random() < 0.5:
                        workers.ask(worker, "kill")
                        kills += 1
                        has = None if has == worker else has
                    continue
                if (verb == "open" and has == worker) or (verb in ("write", "close") and has != worker):
                    continue
                argument = f"{number} {step}" if verb == "write" else path
                answer = workers.ask(worker, f"{verb} {argument}")
                if verb == "open":
                    assert answer == ("done" if has is None else "CaseInUse")
                    refusals += answer != "done"
                    has = worker if has is None else has
                    continue
                assert answer == "done"
                if verb == "write":
                    names.append(str(argument))
                    writes += 1
                elif verb == "close":
                    has = None
            if has is not None:
                workers.ask(has, chance.choice(("close", "kill")))
            assert texts(path) == names
            path.unlink()
        assert min(writes, refusals, kills) > interleavings // 10
    finally:
        for worker in range(2):
            workers.ask(worker, "kill")
    assert sorted(closed_case.parent.iterdir()) == [closed_case]


# --- what stands where the lock should be ----------------------------------------------------------------------------


@posix
@pytest.mark.parametrize("kind", ["link", "dangling link", "pipe", "folder", "second name"])
def test_a_thing_in_the_place_of_the_lock_is_named_and_left_alone(closed_case, kind):
    place, victim = lock_of(closed_case), closed_case.parent.parent / "victim.rc"
    victim.write_text("precious")
    if kind == "link":
        place.symlink_to(victim)
    elif kind == "dangling link":
        place.symlink_to(victim.with_name("none.rc"))
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        os.link(victim, place)
    content = closed_case.read_bytes()
    with pytest.raises(CaseLockBlocked) as error:
        CaseFile.open(closed_case)
    assert place.name in error.value.sentence
    assert place.name in error.value.hint
    assert victim.read_text() == "precious"
    assert sorted(victim.parent.iterdir()) == [closed_case.parent, victim]
    assert closed_case.read_bytes() == content
    assert os.path.lexists(place)


def test_a_plain_file_of_that_name_is_locked_and_neither_written_nor_deleted(closed_case, worker):
    lock_of(closed_case).write_text("numpy==2.0\n")
    assert worker(f"open {closed_case}") == "done"
    assert worker(f"look {closed_case}") == "done"
    with pytest.raises(CaseInUse):
        CaseFile.open(closed_case)
    worker("close")
    assert lock_of(closed_case).read_text() == "numpy==2.0\n"


def test_a_lock_file_that_was_deleted_meanwhile_does_not_count(closed_case, monkeypatch):
    """Another process deletes its lock file between our opening and locking it: two would lock different files."""
    handles = []

    def take(file, **options):
        if not handles:
            lock_of(closed_case).unlink()
            lock_of(closed_case).touch()
        handles.append(file)
        return took(file, **options)

    took = lock.take_handle
    monkeypatch.setattr(lock, "take_handle", take)
    guard = lock.take(closed_case)
    try:
        assert len(handles) == 2
        assert os.path.samestat(os.fstat(guard.file), lock_of(closed_case).stat())
    finally:
        guard.release()


def test_a_note_that_a_kill_left_stops_nobody(closed_case, worker):
    assert worker(f"open {closed_case}") == "done"
    assert worker("write second") == "done"
    worker("kill")
    assert lock_of(closed_case).exists()
    assert texts(closed_case) == ["first", "second"]
    assert sorted(closed_case.parent.iterdir()) == [closed_case]


# --- systems that are not at hand ------------------------------------------------------------------------------------


def note_of(pid, **more):
    return json.dumps({"pid": pid, "host": platform.node(), "who": "bob", "since": "now", **more})


def test_where_nothing_can_be_locked_a_living_process_is_believed(closed_case, monkeypatch):
    monkeypatch.setattr(lock, "take_handle", lambda *_args, **_more: None)
    lock_of(closed_case).write_text(note_of(os.getppid()))
    with pytest.raises(CaseInUse) as error:
        CaseFile.open(closed_case)
    assert "bob" in error.value.sentence
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    lock_of(closed_case).write_text(note_of(process.pid))
    assert texts(closed_case) == ["first"]
    lock_of(closed_case).write_text(note_of(os.getppid(), host="elsewhere.example"))
    assert texts(closed_case) == ["first"]


@linux
def test_a_later_process_of_the_same_number_is_not_believed(closed_case, monkeypatch):
    monkeypatch.setattr(lock, "take_handle", lambda *_args, **_more: None)
    lock_of(closed_case).write_text(note_of(os.getppid(), started="1"))
    assert texts(closed_case) == ["first"]


def test_a_file_system_without_locks_says_so(closed_case, monkeypatch):
    def refuse(*_args):
        raise OSError(errno.ENOLCK, "No locks available")

    fcntl = types.SimpleNamespace(
        LOCK_EX=2, LOCK_SH=1, LOCK_NB=4, F_WRLCK=1, F_OFD_SETLK=37, flock=refuse, fcntl=refuse
    )
    monkeypatch.setitem(sys.modules, "fcntl", fcntl)
    with closed_case.open("rb") as file:
        assert lock.take_handle(file.fileno(), system="linux") is None
        assert lock.take_far_byte(file.fileno(), system="linux") is None
        assert lock.take_far_byte(file.fileno(), system="darwin") is None
    with CaseFile.open(closed_case) as case:
        case.hypotheses.add("second")
    assert texts(closed_case) == ["first", "second"]


def test_on_windows_a_byte_behind_the_note_is_locked(tmp_path, monkeypatch):
    places = set()

    def locking(file, _mode, count):
        offset = os.lseek(file, 0, os.SEEK_CUR)
        if offset in places:
            raise OSError(errno.EACCES, "Permission denied")
        places.update(range(offset, offset + count))

    monkeypatch.setitem(sys.modules, "msvcrt", types.SimpleNamespace(LK_NBLCK=2, locking=locking))
    with (tmp_path / "x.lock").open("wb+") as lock_file:
        assert lock.take_handle(lock_file.fileno(), system="win32") is True
        assert lock.take_handle(lock_file.fileno(), system="win32") is False
        assert min(places) >= 4096  # others can read the note
        assert os.lseek(lock_file.fileno(), 0, os.SEEK_CUR) == 0 or lock_file.seek(0) == 0


# --- the log is not where the case is --------------------------------------------------------------------------------


def header(path):
    return path.read_bytes()[18:20]


def test_a_case_says_only_while_it_is_open_that_it_has_a_log(closed_case):
    assert header(closed_case) == b"\1\1"
    with CaseFile.open(closed_case):
        pass
    assert header(closed_case) == b"\1\1"
    assert list(closed_case.parent.iterdir()) == [closed_case]


@posix
@pytest.mark.parametrize("way", ["moved", "moved while open", "copied", "copied while open", "log deleted"])
def test_a_case_without_its_last_changes_is_not_opened_without_a_word(closed_case, worker, tmp_path, way):
    case_path = tmp_path / "elsewhere.disconfirm"
    worker(f"open {closed_case}")
    assert worker("write second") == "done"
    if way == "moved while open":
        closed_case.rename(case_path)
    if way == "copied while open":
        shutil.copyfile(closed_case, case_path)
    if way == "log deleted":
        wal_of(closed_case).unlink()
        case_path = closed_case
    worker("kill")
    if way == "moved":
        closed_case.rename(case_path)
    if way == "copied":
        shutil.copyfile(closed_case, case_path)
    for _ in range(2):
        content = case_path.read_bytes()
        with pytest.raises(CaseUnfinished) as error:
            CaseFile.open(case_path)
        assert "-wal" in error.value.sentence
        assert "--without-unsaved" in error.value.hint
        assert case_path.read_bytes() == content
        assert not wal_of(case_path).exists()
    with CaseFile.open(case_path, without_unsaved=True) as case:
        assert case.log.entries()[-1].verb == "open without unsaved changes"
    assert texts(case_path) == ["first"]
    if way.startswith("copied"):
        assert texts(closed_case) == ["first", "second"]


@posix
def test_the_command_line_goes_on_without_the_last_changes_when_told_to(closed_case, worker, tmp_path, capsys):
    worker(f"open {closed_case}")
    assert worker("write second") == "done"
    worker("kill")
    new = closed_case.rename(tmp_path / "b.disconfirm")
    assert main(["verify", str(new)]) == 3
    assert "b.disconfirm-wal, is not beside it" in capsys.readouterr().err
    assert main(["verify", str(new), "--without-unsaved"]) == 0
    assert "sound" in capsys.readouterr().out
    assert main(["verify", str(new)]) == 0


@posix
def test_a_log_that_is_put_back_is_taken_in(closed_case, worker, tmp_path):
    worker(f"open {closed_case}")
    assert worker("write second") == "done"
    worker("kill")
    new = closed_case.rename(tmp_path / "b.disconfirm")
    with pytest.raises(CaseUnfinished):
        CaseFile.open(new)
    wal_of(closed_case).rename(wal_of(new))
    assert texts(new) == ["first", "second"]


@posix
def test_a_view_without_the_last_changes_is_refused_too(closed_case, worker, tmp_path, monkeypatch):
    worker(f"open {closed_case}")
    assert worker("write second") == "done"
    worker("kill")
    new = closed_case.rename(tmp_path / "b.disconfirm")
    monkeypatch.setattr(connection, "_writable", lambda _path: False)
    with pytest.raises(CaseUnfinished):
        CaseFile.open(new)
    with CaseFile.open(new, without_unsaved=True) as case:
        assert case.read_only


@posix
def test_a_merge_does_not_take_a_case_without_its_last_changes(closed_case, worker, tmp_path):
    worker(f"open {closed_case}")
    assert worker("write second") == "done"
    worker("kill")
    new = closed_case.rename(tmp_path / "b.disconfirm")
    with (
        CaseFile.open(make_other_case(tmp_path / "mine.disconfirm", "mine")) as case,
        pytest.raises(CaseUnfinished) as error,
    ):
        merge(case, new, silent())
    assert str(new) in error.value.sentence


@posix
def test_an_old_log_is_not_written_over_what_was_saved_through_a_hard_link(closed_case, worker, tmp_path):
    link = tmp_path / "link.disconfirm"
    os.link(closed_case, link)
    worker(f"open {closed_case}")
    assert worker("write second") == "done"
    worker("kill")
    for without_unsaved in (False, True):
        with pytest.raises(CaseUnfinished):
            CaseFile.open(link, without_unsaved=without_unsaved)
    assert texts(closed_case) == ["first", "second"]
    with CaseFile.open(link) as case:
        case.hypotheses.add("through the link")
    assert texts(closed_case) == ["first", "second", "through the link"]


@posix
def test_the_log_of_a_case_that_was_replaced_and_killed_is_not_put_away_without_a_word(closed_case, worker, tmp_path):
    older = tmp_path / "older"
    shutil.copyfile(closed_case, older)
    worker(f"open {closed_case}")
    assert worker("write second") == "done"
    older.replace(closed_case)
    worker("kill")
    with pytest.raises(CaseUnfinished):
        CaseFile.open(closed_case)
    assert wal_of(closed_case).stat().st_size
    with CaseFile.open(closed_case, without_unsaved=True) as case:
        assert case.log.entries()[-1].verb == "open without unsaved changes"
    assert texts(closed_case) == ["first"]
    assert closed_case.with_name(f"{wal_of(closed_case).name}.left-1").stat().st_size


@posix
def test_the_empty_log_of_another_file_is_not_taken_for_that_of_an_unfinished_case(closed_case, worker, tmp_path):
    victim = make_other_case(tmp_path / "o.disconfirm", "other")
    worker(f"open {victim}")
    assert worker("write second") == "done"
    worker("kill")
    worker(f"open {closed_case}")
    victim.replace(closed_case)
    assert worker("write lost") == "CaseMoved"  # takes in its log
    worker("kill")
    with pytest.raises(CaseUnfinished):
        CaseFile.open(closed_case)
    with CaseFile.open(closed_case, without_unsaved=True) as case:
        assert [hypothesis.text for hypothesis in case.hypotheses.all()] == ["other"]


@posix
def test_a_log_beside_a_case_that_was_closed_is_not_taken_in(closed_case, worker):
    worker(f"open {closed_case}")
    assert worker("write second") == "done"
    left = wal_of(closed_case).read_bytes()
    worker("close")
    wal_of(closed_case).write_bytes(left)
    with pytest.raises(CaseUnfinished):
        CaseFile.open(closed_case)
    wal_of(closed_case).write_bytes(b"")
    assert texts(closed_case) == ["first", "second"]
    assert list(closed_case.parent.iterdir()) == [closed_case]


@posix
@pytest.mark.parametrize("state", ["closed", "open"])
def test_a_log_that_another_process_writes_is_not_shared(closed_case, worker, tmp_path, state):
    copy = tmp_path / "copy"
    if state == "closed":
        shutil.copyfile(closed_case, copy)
    worker(f"open {closed_case}")
    if state == "open":
        shutil.copyfile(closed_case, copy)
    assert worker("write second") == "done"
    lock_of(closed_case).unlink()
    copy.replace(closed_case)
    with pytest.raises(CaseInUse):
        CaseFile.open(closed_case)
    worker("close")
    assert texts(closed_case.with_name("a rescued-1.disconfirm")) == ["first", "second"]


# --- what is part of a case ------------------------------------------------------------------------------------------


def test_a_merge_with_itself_is_refused_by_any_name(closed_case, tmp_path, worker):
    second = tmp_path / "second.disconfirm"
    os.link(closed_case, second)
    with CaseFile.open(closed_case) as case:
        for path in (closed_case, second):
            with pytest.raises(BadInput, match="case that is open"):
                merge(case, path, silent())
        assert worker(f"open {closed_case}") == "CaseInUse"
        case.hypotheses.add("second")
    assert texts(closed_case) == ["first", "second"]


def test_a_backup_does_not_replace_a_case(closed_case, tmp_path):
    other_path = make_other_case(tmp_path / "o.disconfirm", "other")
    with CaseFile.open(closed_case) as case:
        for path in (closed_case, other_path, lock_of(closed_case)):
            with pytest.raises(BadInput, match="left as it is"):
                case.back_up(path)
        case.back_up(tmp_path / "copy.disconfirm")
    assert texts(tmp_path / "copy.disconfirm") == ["first"]
    assert texts(other_path) == ["other"]


def test_a_view_of_a_case_that_another_process_has_is_refused(closed_case, worker, monkeypatch):
    monkeypatch.setattr(connection, "_writable", lambda _path: False)
    worker(f"open {closed_case}")
    with pytest.raises(CaseInUse):
        CaseFile.open(closed_case)
    worker("kill")
    with CaseFile.open(closed_case) as case:
        assert case.read_only
    assert Path(lock_of(closed_case)).exists()  # nothing is written or deleted there


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        ("2026-11-22T20:38:27.714Z", "since 2026-11-22 20:38 UTC"),
        ("", "since ?"),
        ("yesterday", "since yesterday"),
    ],
)
def test_the_note_tells_to_the_minute_since_when_a_case_is_open(moment, words):
    assert lock.Note(1, "laptop", "Ann", moment).words() == f"Ann, process 1 on laptop, {words}"
