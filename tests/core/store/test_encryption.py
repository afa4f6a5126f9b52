"""Encrypted cases: nothing of one is readable on the disk, a wrong passphrase touches nothing, a kill loses nothing."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from core import errors
from core.passphrase import Passphrase
from core.progress import Cancelled, Progress, silent
from core.store import CaseFile, backups, connection, encryption, header, merge, replacement
from core.store.backups import Backups
from tests.core.store.material import TEXTS, add, clock, fill, wal_of

WORDS = "four words of mine"
# What a person could read of the case of ``fill``: title, names, texts, hypotheses, notes, evidence, who decided.
CANARIES = [
    word.encode(encoding)
    for word in (
        "Pumpenfall",
        "file 1.txt",
        "dosing",
        "vendor account",
        "Café logs",
        "Second page",
        "interview",
        "zebra-ann",
    )
    for encoding in ("utf-8", "utf-16-le")
]


def key(words: str = WORDS):
    return encryption.make_key(Passphrase(words))


def unlocked(path, words: str = WORDS):
    return encryption.unlock(path, Passphrase(words))


@pytest.fixture
def secret_case(path):
    """An encrypted case that is open, with all kinds of things in it."""
    with CaseFile.create(path, title="Pumpenfall", who="zebra-ann", now=clock(), key=key()) as case:
        fill(case)
        yield case


@pytest.fixture
def secret_path(path):
    """An encrypted case that nobody has open, with a backup."""
    with CaseFile.create(path, title="Pumpenfall", who="zebra-ann", now=clock(), key=key()) as case:
        fill(case)
        Backups(case).make()
    return path


@pytest.fixture
def clear_path(path):
    """A case without a passphrase that nobody has open, with a backup."""
    with CaseFile.create(path, title="Pumpenfall", who="zebra-ann", now=clock()) as case:
        fill(case)
        Backups(case).make()
    return path


def readable(folder) -> set[tuple[str, bytes]]:
    """What can be read in the files of a folder, by file; the lock file names the person, as it does of every case."""
    files = [file for file in folder.rglob("*") if file.is_file() and file.suffix != ".lock"]
    return {(file.name, word) for file in files for word in CANARIES if word in file.read_bytes()}


def names(folder) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def stamp(path) -> tuple[bytes, int, list[str]]:
    return path.read_bytes(), path.stat().st_mtime_ns, names(path.parent)


def all_rows(case) -> dict[str, list[tuple[object, ...]]]:
    with case.db.reading() as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
        return {name: sorted(case.db.rows(f'SELECT * FROM "{name}"'), key=repr) for name in tables}


# --- nothing is readable ---------------------------------------------------------------------------------------------


def test_the_canaries_sing_in_a_case_without_a_passphrase(clear_path):
    assert {word for _, word in readable(clear_path.parent)} >= {word for word in CANARIES if b"\0" not in word}


def test_nothing_of_an_open_case_can_be_read_on_the_disk(secret_case, tmp_path):
    Backups(secret_case).make()
    backups.save_copy(secret_case, tmp_path / "copy.disconfirm")
    names = {file.name for file in tmp_path.rglob("*") if file.is_file()}
    assert {"a.disconfirm", "a.disconfirm-wal", "copy.disconfirm"} < names
    assert wal_of(secret_case.path).stat().st_size
    assert len(list((tmp_path / "a backups").iterdir())) == 1
    assert readable(tmp_path) == set()


def test_nothing_can_be_read_in_what_a_killed_program_leaves(secret_case, tmp_path):
    """The file, its write-ahead log, and a rollback journal in the middle of a transaction."""
    left = tmp_path / "left"
    left.mkdir()
    db = secret_case.db.connection
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    db.execute("PRAGMA journal_mode = PERSIST").fetchall()
    db.execute("PRAGMA cache_size = 1").fetchall()
    db.execute("BEGIN IMMEDIATE")
    db.execute("UPDATE page SET text = text || 'zebra-ann'")
    db.execute("UPDATE original SET data = zeroblob(100000)")
    for file in tmp_path.glob("a.disconfirm*"):
        shutil.copy(file, left)
    db.execute("ROLLBACK")
    assert (left / "a.disconfirm-journal").stat().st_size > 10_000
    assert readable(left) == set()


def test_the_key_is_in_no_file_and_no_repr(secret_case, tmp_path):
    raw = secret_case.key.query()
    key_bytes = bytes.fromhex(bytes.fromhex(raw.split("hexkey=")[1]).decode().removeprefix("raw:")[:64])
    for file in (file for file in tmp_path.rglob("*") if file.is_file()):
        data = file.read_bytes()
        assert not any(word in data for word in (key_bytes, key_bytes.hex().encode(), WORDS.encode()))
    reprs = repr(secret_case.key) + repr(secret_case.db.handle) + repr(vars(secret_case))
    assert key_bytes.hex() not in reprs
    assert WORDS not in reprs


# --- opening ---------------------------------------------------------------------------------------------------------


def test_the_passphrase_opens_it_and_all_is_as_it_was(secret_path):
    with CaseFile.open(secret_path, key=unlocked(secret_path)) as case:
        assert case.settings.title() == "Pumpenfall"
        assert case.verify(silent()).problems == ()
        assert len(case.words.matching("dosing")) == 1
    assert not wal_of(secret_path).exists()
    assert not header.file_in_wal_mode(secret_path)


@pytest.mark.parametrize("words", ["Four words of mine", "four words of mine ", "x"])
def test_a_wrong_passphrase_is_told_and_touches_nothing(secret_path, words):
    original_stamp = stamp(secret_path)
    with pytest.raises(errors.PassphraseWrong) as error:
        unlocked(secret_path, words)
    assert "first bytes of the file are damaged" in error.value.hint
    assert stamp(secret_path) == original_stamp


@pytest.mark.parametrize("passphrase", [None, "another"])
def test_without_its_key_it_is_not_opened_and_not_touched(secret_path, passphrase):
    original_stamp = stamp(secret_path)
    with pytest.raises(errors.PassphraseNeeded):
        CaseFile.open(secret_path, key=None if passphrase is None else key(passphrase))
    assert stamp(secret_path) == original_stamp


def test_a_case_without_a_passphrase_needs_none_and_minds_none(clear_path):
    assert unlocked(clear_path) is None
    with CaseFile.open(clear_path, key=key()) as case:
        assert case.key is None


def test_the_case_that_is_open_here_is_not_read_for_its_passphrase(secret_case):
    with pytest.raises(errors.CaseInUse):
        unlocked(secret_case.path)


def test_an_encrypted_case_is_recognised_as_one(secret_path):
    assert header.case_part(secret_path) == "is a case"
    assert encryption.is_encrypted(secret_path)
    with pytest.raises(errors.BadInput, match="is a case"):
        header.spare_cases(secret_path)


def test_where_nothing_can_be_written_it_opens_for_viewing(secret_path, monkeypatch):
    monkeypatch.setattr(connection, "_writable", lambda _path: False)
    original_stamp = stamp(secret_path)
    with CaseFile.open(secret_path, key=unlocked(secret_path)) as case:
        assert case.read_only
        assert case.settings.title() == "Pumpenfall"
        with pytest.raises(errors.CaseReadOnly):
            case.hypotheses.add("no")
    assert stamp(secret_path) == original_stamp


def test_a_case_of_an_encrypted_other_program_is_none(path):
    file_key = key()
    db = connection.connect(path, 6, file_key)
    db.execute("CREATE TABLE t (a)")
    db.close()
    with pytest.raises(errors.CaseUnreadable, match="another program"):
        CaseFile.open(path, key=file_key)


# --- damage ----------------------------------------------------------------------------------------------------------


def test_a_changed_page_is_noticed_wherever_it_is(secret_path):
    """One bit of every page in turn: told at opening, or by the check, and never taken for another passphrase."""
    whole = secret_path.read_bytes()
    file_key = unlocked(secret_path)
    shutil.rmtree(connection.backups_of(secret_path))
    at_opening = 0
    for offset in range(300, len(whole), 4096):
        secret_path.write_bytes(whole[:offset] + bytes([whole[offset] ^ 1]) + whole[offset + 1 :])
        try:
            with CaseFile.open(secret_path, key=file_key) as case:
                problems = case.verify(silent()).problems
        except errors.CaseCorrupt:
            at_opening += 1
        else:
            assert problems, f"page {offset // 4096 + 1}"
    assert at_opening > len(whole) // 4096 * 0.6


@pytest.mark.parametrize("change", ["swapped", "zeroed", "cut"])
def test_pages_put_elsewhere_zeroed_or_cut_off_are_noticed(secret_path, change):
    whole = bytearray(secret_path.read_bytes())
    file_key = unlocked(secret_path)
    if change == "swapped":
        whole[4096:8192], whole[8192:12288] = whole[8192:12288], whole[4096:8192]
    elif change == "zeroed":
        whole[4096:8192] = bytes(4096)
    else:
        del whole[-8192:]
    secret_path.write_bytes(whole)
    try:
        with CaseFile.open(secret_path, key=file_key) as case:
            assert case.verify(silent()).problems
    except errors.CaseCorrupt:
        pass


def test_pages_from_another_time_are_noticed(secret_path):
    """Each of them is well formed and has the right key, so it is the check that tells."""
    file_key = unlocked(secret_path)
    earlier = secret_path.read_bytes()
    with CaseFile.open(secret_path, key=file_key) as case:
        case.hypotheses.add("A third one")
    later = secret_path.read_bytes()
    for offset in range(4096, len(earlier), 4096):
        if earlier[offset : offset + 4096] != later[offset : offset + 4096]:
            secret_path.write_bytes(later[:offset] + earlier[offset : offset + 4096] + later[offset + 4096 :])
            try:
                with CaseFile.open(secret_path, key=file_key) as case:
                    assert case.verify(silent()).problems, offset // 4096 + 1
            except errors.CaseCorrupt:
                pass


def test_a_first_page_that_was_changed_is_not_a_wrong_passphrase(secret_path):
    file_key = unlocked(secret_path)
    with secret_path.open("r+b") as file:
        file.seek(200)
        file.write(b"\0\1\2\3")
    with pytest.raises(errors.CaseCorrupt, match="the passphrase is right") as error:
        CaseFile.open(secret_path, key=file_key)
    assert error.value.details["backup"].is_sound  # its backup opens with the same key


@pytest.mark.parametrize("offset", [0, 17, 22])
def test_first_bytes_that_make_no_sense_are_told(secret_path, offset):
    with secret_path.open("r+b") as file:
        file.seek(offset)
        file.write(b"\x99")
    with pytest.raises(errors.CaseUnreadable):
        CaseFile.open(secret_path, key=key())


# --- after a kill ----------------------------------------------------------------------------------------------------


def test_what_was_saved_before_a_kill_is_there(secret_case, tmp_path):
    copy = tmp_path / "killed"
    copy.mkdir()
    for file in tmp_path.glob("a.disconfirm*"):
        if file.suffix != ".lock":
            shutil.copy(file, copy)
    path = copy / "a.disconfirm"
    assert header.file_in_wal_mode(path)
    with CaseFile.open(path, key=unlocked(path)) as case:
        assert len(case.hypotheses.all()) == 2
        assert case.verify(silent()).problems == ()
    assert names(copy) == ["a.disconfirm"]


def test_one_that_was_renamed_while_it_was_open_opens_under_its_new_name(secret_case):
    new = secret_case.path.with_name("b.disconfirm")
    secret_case.path.rename(new)
    secret_case.close()
    with CaseFile.open(new, key=unlocked(new)) as case:
        assert len(case.hypotheses.all()) == 2
        assert case.verify(silent()).problems == ()


def test_one_whose_file_was_removed_leaves_an_encrypted_copy(secret_case, tmp_path):
    secret_case.path.unlink()
    with pytest.raises(Exception, match="removed"):
        secret_case.hypotheses.add("too late")
    (rescued,) = tmp_path.glob("*rescued*")
    assert encryption.is_encrypted(rescued)
    secret_case.close()
    assert readable(tmp_path) == set()


# --- backups and merging ---------------------------------------------------------------------------------------------


def test_backups_are_encrypted_and_need_the_passphrase(secret_path):
    (unproven,) = backups.copies(secret_path)
    assert not unproven.is_sound
    assert "encrypted" in unproven.reason
    (proven,) = backups.copies(secret_path, key=unlocked(secret_path))
    assert proven.is_sound
    with pytest.raises(errors.PassphraseNeeded):
        backups.restore(secret_path, unproven, now=clock()())
    with pytest.raises(errors.PassphraseNeeded):
        backups.copy_beside(secret_path, unproven)


def test_a_backup_takes_the_place_of_the_case(secret_path):
    with CaseFile.open(secret_path, key=unlocked(secret_path), now=clock()) as case:
        case.hypotheses.add("A third one")
    (backup,) = backups.copies(secret_path)
    restoration = backups.restore(secret_path, backup, now=clock()(), key=unlocked(backup.path))
    with CaseFile.open(secret_path, key=unlocked(secret_path)) as case:
        assert len(case.hypotheses.all()) == 2
    with CaseFile.open(restoration.former, key=unlocked(restoration.former)) as case:
        assert len(case.hypotheses.all()) == 3


def test_a_damaged_backup_is_not_restored(secret_path):
    (backup,) = backups.copies(secret_path)
    data = bytearray(backup.path.read_bytes())
    data[9000] ^= 1
    backup.path.write_bytes(data)
    with pytest.raises(errors.BackupUnusable):
        backups.restore(secret_path, backup, now=clock()(), key=unlocked(backup.path))


def test_a_copy_of_the_case_merges_without_being_asked_for_its_passphrase(secret_case, tmp_path):
    copy = tmp_path / "copy.disconfirm"
    backups.save_copy(secret_case, copy)
    with CaseFile.open(copy, key=unlocked(copy), who="bea") as copied_case:
        copied_case.hypotheses.add("A third one")
    assert merge(secret_case, copy, silent()).hypotheses == 1


def test_another_encrypted_case_merges_with_its_passphrase_alone(secret_case, tmp_path):
    other_path = tmp_path / "other.disconfirm"
    with CaseFile.create(other_path, title="Other", who="bea", key=key("something else")) as case:
        add(case, "b.txt", ["Another text. With two sentences."])
    original_stamp = stamp(other_path)
    with pytest.raises(errors.PassphraseNeeded) as error:
        merge(secret_case, other_path, silent())
    assert error.value.details["path"] == other_path
    assert merge(secret_case, other_path, silent(), unlocked(other_path, "something else")).documents == 1
    assert stamp(other_path)[:2] == original_stamp[:2]


# --- giving, changing, removing --------------------------------------------------------------------------------------


def rows_of(path, file_key=None):
    with CaseFile.open(path, key=file_key) as case:
        assert case.verify(silent()).problems == ()
        return all_rows(case)


def test_a_case_gets_a_passphrase_another_one_and_none(clear_path):
    rows = rows_of(clear_path)
    shutil.rmtree(connection.backups_of(clear_path))
    mode = clear_path.stat().st_mode

    first = key("first words")
    encryption.change(clear_path, None, first)
    assert readable(clear_path.parent) == set()
    assert rows_of(clear_path, unlocked(clear_path, "first words")) == rows

    encryption.change(clear_path, unlocked(clear_path, "first words"), key("second words"))
    with pytest.raises(errors.PassphraseWrong):
        unlocked(clear_path, "first words")
    assert rows_of(clear_path, unlocked(clear_path, "second words")) == rows

    encryption.change(clear_path, unlocked(clear_path, "second words"), None)
    assert rows_of(clear_path) == rows
    assert names(clear_path.parent) == [clear_path.name]
    assert clear_path.stat().st_mode == mode


def test_what_is_wrong_with_the_former_passphrase_is_told_and_nothing_changes(secret_path):
    original_stamp = stamp(secret_path)
    for former in (None, key("another")):
        with pytest.raises(errors.PassphraseNeeded):
            encryption.change(secret_path, former, key("later"))
    assert stamp(secret_path) == original_stamp


def test_a_case_that_is_open_is_not_changed(secret_case):
    with pytest.raises(errors.CaseInUse):
        encryption.change(secret_case.path, secret_case.key, None)


def test_the_old_file_is_overwritten_even_where_it_has_another_handle(clear_path):
    with clear_path.open("rb") as old:
        encryption.change(clear_path, None, key())
        old.seek(0)
        data = old.read()
    assert data
    assert not [word for word in CANARIES if word in data]


def test_without_hard_links_the_old_file_is_overwritten_too(clear_path, monkeypatch):
    def refuse(*_args, **_kwargs):
        raise OSError(1, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    with clear_path.open("rb") as old:
        encryption.change(clear_path, None, key())
        assert not [word for word in CANARIES if word in old.read()]
    assert rows_of(clear_path, unlocked(clear_path))
    assert readable(clear_path.parent) == readable(connection.backups_of(clear_path))


def test_a_second_name_of_the_file_is_not_overwritten(clear_path):
    second_name = clear_path.with_name("other name.disconfirm")
    os.link(clear_path, second_name)
    with pytest.raises(errors.BadInput, match="another name"):
        encryption.change(clear_path, None, key())
    assert rows_of(second_name)


def test_a_cancelled_change_leaves_all_as_it_was(clear_path):
    original_state = rows_of(clear_path), names(clear_path.parent)
    progress = Progress()
    steps = []

    def cancel_at(stage):
        def report(_count, _total, label):
            steps.append(label)
            if label == stage:
                progress.cancel()

        return report

    for stage in ("Checking the case", "Writing the new file", "Comparing it with the old one"):
        progress = Progress(cancel_at(stage))
        with pytest.raises(Cancelled):
            encryption.change(clear_path, None, key(), progress)
        assert (rows_of(clear_path), names(clear_path.parent)) == original_state
    assert "Comparing it with the old one" in steps


@pytest.mark.parametrize("kind", [OSError(28, "No space"), OSError(5, "Input/output error")])
def test_a_change_that_cannot_be_written_leaves_all_as_it_was(clear_path, monkeypatch, kind):
    def refuse(_place):
        raise kind

    original_state = rows_of(clear_path), names(clear_path.parent)
    for step in ("begin_part", "put_in_place"):
        with monkeypatch.context() as patched:
            patched.setattr(replacement, step, refuse)
            with pytest.raises(errors.DiskFull if kind.errno == 28 else errors.CannotWrite):
                encryption.change(clear_path, None, key())
        assert (rows_of(clear_path), names(clear_path.parent)) == original_state


def test_an_error_of_the_database_tells_nothing_of_the_key(clear_path, monkeypatch):
    monkeypatch.setattr(replacement, "part_of", lambda place: place.parent / "no folder" / "part")
    monkeypatch.setattr(replacement, "begin_part", replacement.part_of)
    file_key = key()
    with pytest.raises(errors.CannotWrite) as error:
        encryption.change(clear_path, None, file_key)
    cause, messages = error.value, []
    while cause is not None:
        messages.append(f"{cause!r} {cause} {getattr(cause, 'details', '')}")
        cause = None if cause.__suppress_context__ and cause.__cause__ is None else cause.__cause__ or cause.__context__
    assert file_key.query().split("hexkey=")[1] not in " ".join(messages)


def test_a_copy_that_differs_is_not_taken(clear_path, monkeypatch):
    monkeypatch.setattr(encryption, "_same", lambda *_args: False)
    original_state = rows_of(clear_path), names(clear_path.parent)
    with pytest.raises(errors.CaseCorrupt):
        encryption.change(clear_path, None, key())
    assert (rows_of(clear_path), names(clear_path.parent)) == original_state


# --- backups after a change ------------------------------------------------------------------------------------------


def test_older_backups_are_told_and_can_be_encrypted_too(clear_path):
    file_key = key()
    encryption.change(clear_path, None, file_key)
    (clear,) = encryption.other_backups(clear_path, file_key)
    assert readable(connection.backups_of(clear_path))
    assert encryption.change_backups([clear], None, file_key) == []
    assert readable(clear_path.parent) == set()
    assert encryption.other_backups(clear_path, file_key) == []
    assert [backup.is_sound for backup in backups.copies(clear_path, key=file_key)] == [True]


def test_older_backups_open_with_the_older_passphrase(secret_path):
    later = key("later words")
    former = unlocked(secret_path)
    encryption.change(secret_path, former, later)
    (older,) = encryption.other_backups(secret_path, later)
    assert not backups.copies(secret_path, key=later)[0].is_sound
    assert backups.copies(secret_path, key=former)[0].is_sound
    assert encryption.change_backups([older], former, later) == []
    assert backups.copies(secret_path, key=later)[0].is_sound


def test_backups_of_an_unknown_passphrase_are_listed_as_left(secret_path):
    (backup,) = backups.copies(secret_path)
    content = backup.path.read_bytes()
    (problem,) = encryption.change_backups([backup], key("not it"), key("later"))
    assert backup.name in problem.where
    assert backup.path.read_bytes() == content


def test_backups_of_another_passphrase_are_not_thinned_out(secret_path):
    """They may be of another case of that name; who has their passphrase can tell."""
    folder = connection.backups_of(secret_path)
    (old,) = folder.iterdir()
    for day in range(1, 6):
        shutil.copy(old, folder / f"a 2020-01-0{day} 080000.disconfirm")
    later = key("later words")
    encryption.change(secret_path, unlocked(secret_path), later)
    with CaseFile.open(secret_path, key=later) as case:
        Backups(case).make()
    assert len(list(folder.iterdir())) == 7


# --- kills while it is changed ---------------------------------------------------------------------------------------

_CHANGE = """
import sys
from pathlib import Path
from core.passphrase import Passphrase
from core.store import case_key, encryption

case_key.COST = 10
path = Path(sys.argv[1])
later = encryption.make_key(Passphrase("later words"))
print("ready", flush=True)
encryption.change(path, None, later)
"""


def _change_until(path, end_step, later) -> int:
    """Change it in a process that ends at the step ``end_step`` of those Python sees; its exit code, 0 once done."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    count = 0
    folder = str(path.parent)

    def watch(_event, args):
        nonlocal count
        count += any(isinstance(arg, str | os.PathLike) and str(arg).startswith(folder) for arg in args)
        if count == end_step:
            os._exit(137)

    try:
        keys = unlocked(path, "former words"), key("later words") if later else None
        sys.addaudithook(watch)
        encryption.change(path, *keys)
        os._exit(0)
    finally:
        os._exit(1)


def _state(path, rows):
    """What the case is after a kill: 'former' or 'later'; that it is whole; and that nothing else is left of it."""
    words = None
    if encryption.is_encrypted(path):
        try:
            words, file_key = "former", unlocked(path, "former words")
        except errors.PassphraseWrong:
            words, file_key = "later", unlocked(path, "later words")
    else:
        file_key = None
    assert rows_of(path, file_key) == rows
    assert names(path.parent) == [path.name]
    return words


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the process that ends in the middle is forked")
@pytest.mark.parametrize(
    ("former", "later"),
    [(False, True), *(pytest.param(True, later, marks=pytest.mark.slow) for later in (True, False))],
)
def test_a_process_that_ends_at_any_step_of_a_change_leaves_one_whole_case(tmp_path, former, later):
    source = tmp_path / "source.disconfirm"
    with CaseFile.create(source, who="zebra-ann", key=key("former words") if former else None) as case:
        fill(case)
    rows = rows_of(source, unlocked(source, "former words"))
    states = []
    for step in range(1, 200):
        folder = tmp_path / str(step)
        folder.mkdir()
        path = folder / "a.disconfirm"
        shutil.copy(source, path)
        code = _change_until(path, step, later)
        states.append(_state(path, rows))
        if not former and states[-1] == "later":
            assert readable(folder) == set()
        if code == 0:
            break
        assert code == 137
    assert code == 0
    first, last = "former" if former else None, "later" if later else None
    turn = states.index(last)
    assert 8 < turn < len(states) - 1
    assert states == [first] * turn + [last] * (len(states) - turn)


def _kill_often(tmp_path, times):
    source = tmp_path / "source.disconfirm"
    with CaseFile.create(source, who="zebra-ann") as case:
        fill(case)
        add(case, "large.txt", ["The zebra-ann page. " + "x" * 3_000_000 + ". End."])
    rows = rows_of(source)
    states = set()
    for number in range(times):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / "a.disconfirm"
        shutil.copy(source, path)
        command = [sys.executable, "-c", _CHANGE, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            time.sleep(0.002 + 0.5 * number / times)
            process.send_signal(signal.SIGKILL)
        states.add(_state(path, rows))
        shutil.rmtree(folder)
    return states


def test_a_few_kills(tmp_path):
    _kill_often(tmp_path, 4)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_two_hundred_kills(tmp_path):
    assert _kill_often(tmp_path, 200) == {None, "later"}


def test_what_the_sample_texts_say_is_what_the_canaries_look_for():
    assert "dosing" in TEXTS[0]
    assert "vendor account" in TEXTS[1]
