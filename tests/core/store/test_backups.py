"""Backups: when they are called for, what proves them, which stay, and that restoring one loses nothing."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core import paths
from core.errors import (
    BackupNotMade,
    BackupUnusable,
    CannotWrite,
    CaseCorrupt,
    CaseExists,
    CaseInUse,
    CaseNotFound,
    CaseReadOnly,
    CaseUnreadable,
    NoSuchItem,
)
from core.progress import Cancelled, Progress, silent
from core.store import Backups, CaseFile, backups, connection, schema
from tests.core.store.material import add, decisions, fill
from tests.small_disk import mounted, needs_mount

START = datetime(2026, 3, 2, 9, tzinfo=UTC)  # a Monday


MOST = backups.NEWEST + backups.DAYS + 1 + backups.WEEKS + 1


class Clock:
    def __init__(self, start: datetime = START) -> None:
        self.at = start

    def __call__(self) -> datetime:
        return self.at

    def wait(self, **time: float) -> datetime:
        self.at += timedelta(**time)
        return self.at


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "pump.disconfirm"


@pytest.fixture
def case(path, clock):
    """A filled case, open."""
    with CaseFile.create(path, title="Pump", who="ann", now=clock) as case:
        fill(case)
        yield case


def names(path: Path) -> list[str]:
    return [copy.name for copy in backups.copies(path)]


def damage(path: Path, *, pages: int = 12) -> None:
    """Overwrite pages of a closed case, but for the first one."""
    data = bytearray(path.read_bytes())
    rng = random.Random(3)
    for page in rng.sample(range(1, len(data) // 4096), pages):
        data[page * 4096 : page * 4096 + 512] = rng.randbytes(512)
    path.write_bytes(data)


# --- making one ------------------------------------------------------------------------------------------------------


def test_a_backup_is_the_case_in_one_file(case, path, tmp_path):
    backup = Backups(case).make()
    assert backup.path == tmp_path / "pump backups" / "pump 2026-03-02 090000.disconfirm"
    assert (backup.at, backup.bytes, backup.is_sound) == ("2026-03-02T09:00:00Z", backup.path.stat().st_size, True)
    assert backup.path.read_bytes()[18:20] == b"\1\1"  # no journal belongs to it
    assert [file.name for file in backup.path.parent.iterdir()] == [backup.name]
    assert backups.copies(path) == [backup]
    with CaseFile.open(shutil.copy(backup.path, tmp_path / "copy.disconfirm")) as copy:
        assert decisions(copy) == decisions(case)
        assert copy.verify(silent()).ok
        assert [entry.hash for entry in copy.log.entries()] == [entry.hash for entry in case.log.entries()]


def test_only_a_changed_case_needs_one(case, path, clock):
    own_backups = Backups(case)
    assert not own_backups.changed()
    case.pages.of("D1")
    case.words.matching("pump")
    assert not own_backups.changed()
    case.ratings.rate("E1", "H1", "N")
    assert own_backups.changed()
    own_backups.make()
    assert not own_backups.changed()
    case.undo.undo()
    assert own_backups.changed()


def test_a_days_backup_is_called_for_a_day_after_the_last_one(case, clock):
    own_backups = Backups(case)
    assert not own_backups.due()  # the case itself was made today
    clock.wait(hours=23)
    assert not own_backups.due()
    clock.wait(hours=2)
    assert own_backups.due()
    own_backups.make()
    clock.wait(days=2)
    assert not own_backups.due()  # it holds what the case holds
    case.ratings.rate("E1", "H1", "N")
    assert own_backups.due()
    clock.wait(days=-30)
    assert own_backups.due()  # a clock that was put back


def test_nothing_is_at_stake_in_an_empty_case(path, clock):
    with CaseFile.create(path, now=clock) as case:
        clock.wait(days=3)
        assert not Backups(case).due()


def test_the_days_backup_is_made_before_the_first_write(case, path, clock):
    initial_decisions = decisions(case)
    clock.wait(days=2)
    errors = []
    Backups(case).before_first_write(errors.append)
    case.evidence.all()
    assert names(path) == []
    case.ratings.rate("E1", "H1", "N")
    case.ratings.rate("E1", "H2", "N")
    (backup,) = backups.copies(path)
    assert errors == []
    with CaseFile.open(backups.copy_beside(path, backup)) as copy:
        assert decisions(copy) == initial_decisions


def test_a_backup_that_fails_keeps_nobody_from_writing(case, path, clock, monkeypatch):
    clock.wait(days=2)
    errors = []
    monkeypatch.setattr(backups, "write_copy", refusing)
    Backups(case).before_first_write(errors.append)
    case.ratings.rate("E1", "H1", "N")
    case.ratings.rate("E1", "H2", "N")
    assert [type(error) for error in errors] == [BackupNotMade]
    assert case.verify(silent()).ok


def refusing(_case, target, _progress):
    raise CannotWrite(path=target, reason="not today")


def test_a_case_for_viewing_gets_none(case, clock):
    case.db.read_only = True
    own_backups = Backups(case)
    clock.wait(days=2)
    assert not own_backups.due()
    assert not own_backups.changed()
    with pytest.raises(CaseReadOnly):
        case.ratings.rate("E1", "H1", "N")


def test_a_backup_during_an_import_is_one_moment_of_the_case(case, tmp_path):
    """Another thread adds documents all the while, many of them between two steps of the copying."""
    for number in range(40):
        add(case, f"long {number}", [f"Page of {number}. " + "The pump stood still. " * 4000])
    stop = threading.Event()

    def work() -> None:
        number = 0
        while not stop.is_set():
            add(case, f"more {number}", [f"More {number}. " + "The valve was open. " * 400])
            number += 1

    adding = threading.Thread(target=work)
    adding.start()
    document_count = len(case.documents.all())
    try:
        steps = []
        backup = Backups(case).make(Progress(lambda count, total, label: steps.append(len(case.documents.all()))))
    finally:
        stop.set()
        adding.join()
    assert len(steps) > 1
    assert steps[-1] > document_count  # it did go on meanwhile
    with CaseFile.open(shutil.copy(backup.path, tmp_path / "copy.disconfirm")) as copy:
        assert copy.verify(silent()).ok
        copied_entries = copy.log.entries()
        assert len(copy.documents.all()) >= steps[0]
    assert [entry.hash for entry in case.log.entries()][: len(copied_entries)] == [
        entry.hash for entry in copied_entries
    ]
    assert backup.head == (copied_entries[-1].seq, copied_entries[-1].hash)


def test_a_backup_that_is_cancelled_leaves_nothing(case, path):
    progress = Progress(lambda *_: None)
    progress.cancel()
    with pytest.raises(Cancelled):
        Backups(case).make(progress)
    assert list((path.parent / "pump backups").iterdir()) == []
    assert Backups(case).make().is_sound  # and the next one is made


def test_where_the_folder_cannot_be_made_the_persons_own_takes_it(case, path):
    (path.parent / "pump backups").write_text("a file where the folder should be")
    backup = Backups(case).make()
    assert backup.path.is_relative_to(paths.user_data() / "backups")
    assert backups.copies(path) == [backup]


def test_a_long_name_is_no_obstacle(tmp_path, clock):
    path = tmp_path / f"{'p' * 215}.disconfirm"
    with CaseFile.create(path, now=clock) as case:
        fill(case)
        backup = Backups(case).make()
    assert backup.is_sound
    assert backups.restore(path, backup, now=clock.wait(hours=1)).former is not None


def test_two_in_one_second_have_two_names(case, path):
    own_backups = Backups(case)
    own_backups.make()
    own_backups.make()
    assert set(names(path)) == {"pump 2026-03-02 090000.disconfirm", "pump 2026-03-02 090000 (2).disconfirm"}


# --- what is damaged or full -----------------------------------------------------------------------------------------


def test_a_damaged_case_makes_none_and_pushes_none_out(case, path, clock):
    own_backups = Backups(case)
    for _ in range(6):
        own_backups.make()
        clock.wait(minutes=5)
    contents = {copy.name: copy.path.read_bytes() for copy in backups.copies(path)}
    assert len(contents) == backups.NEWEST
    with case.db.transaction() as db:
        db.config(connection.apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        db.execute("PRAGMA writable_schema = ON").fetchall()
        root = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'rating'").get
        db.execute("UPDATE sqlite_schema SET rootpage = ? WHERE name = 'evidence'", (root,))
    for _ in range(5):
        clock.wait(days=1)
        with pytest.raises(BackupNotMade) as error:
            own_backups.make()
        assert "damaged" in error.value.sentence
        assert "left as they are" in error.value.hint
    assert {copy.name: copy.path.read_bytes() for copy in backups.copies(path)} == contents


def test_an_altered_log_makes_none(case, path):
    with case.db.transaction() as db:
        db.execute("UPDATE log SET who = 'nobody' WHERE seq = (SELECT max(seq) FROM log)")
    with pytest.raises(BackupNotMade, match="log entry"):
        Backups(case).make()
    assert names(path) == []


@needs_mount
def test_a_full_disk_costs_the_backup_alone(tmp_path, clock):
    with mounted(tmp_path / "disk", "8m") as disk:
        path = disk / "pump.disconfirm"
        with CaseFile.create(path, now=clock) as case:
            fill(case)
            first = Backups(case).make()
            clock.wait(minutes=1)
            fill_up(disk, case.path.stat().st_size // 2)
            with pytest.raises(BackupNotMade, match="disk is full") as error:
                Backups(case).make()
            assert "Free some space" in error.value.hint
            assert backups.copies(path) == [first]
            assert [file.name for file in first.path.parent.iterdir()] == [first.name]
            case.ratings.rate("E1", "H1", "N")
            assert case.verify(silent()).ok
        assert backups.copies(path) == [first]


def fill_up(disk: Path, room: int) -> None:
    """Leave so many bytes of a small disk."""
    (disk / "filler").write_bytes(bytes(shutil.disk_usage(disk).free - room))


MAKING = """
import sys
from datetime import datetime
from pathlib import Path
from core.progress import Progress
from core.store import Backups, CaseFile
def step(done, total, what):
    print("copying", flush=True)
    sys.stdin.readline()
with CaseFile.open(Path(sys.argv[1])) as case:
    Backups(case).make(Progress(step))
"""


@pytest.mark.slow
def test_a_kill_in_the_middle_leaves_the_older_ones(path, clock):
    with CaseFile.create(path, now=clock) as case:
        fill(case)
        for number in range(60):
            add(case, f"long {number}", [f"Page of {number}. " + "The pump stood still. " * 4000])
        older = Backups(case).make()
    worker = subprocess.Popen(
        [sys.executable, "-c", MAKING, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert worker.stdout.readline() == "copying\n"
    worker.send_signal(signal.SIGKILL)
    worker.communicate()
    left = sorted(file.name for file in older.path.parent.iterdir())
    assert [name for name in left if name.endswith(".part")]
    assert backups.copies(path) == [older]
    with CaseFile.open(path, now=clock) as case:
        assert case.verify(silent()).ok
        clock.wait(minutes=1)
        newer = Backups(case).make()
    assert backups.copies(path) == [newer, older]
    assert sorted(file.name for file in older.path.parent.iterdir()) == sorted([older.name, newer.name])


def test_a_backup_that_was_damaged_since_says_so(case, path):
    backup = Backups(case).make()
    backup.path.write_bytes(backup.path.read_bytes()[:9000])
    (now,) = backups.copies(path)
    assert not now.is_sound
    assert "missing" in now.reason
    assert backups.newest_good(path) is None


def test_looking_at_backups_leaves_nothing_beside_them(case, path):
    backup = Backups(case).make()
    mtime = backup.path.stat().st_mtime_ns
    backups.copies(path)
    assert backup.path.stat().st_mtime_ns == mtime
    assert [file.name for file in backup.path.parent.iterdir()] == [backup.name]


def test_a_backup_that_is_open_as_a_case_is_not_touched(case, path):
    """Closing a second handle would drop the locks that the open one has on its file."""
    backup = Backups(case).make()
    with CaseFile.open(backup.path):
        (now,) = backups.copies(path)
        assert (now.is_sound, now.reason) == (False, "it is open as a case")


# --- taking them away ------------------------------------------------------------------------------------------------


def test_an_erased_backup_is_overwritten_with_what_a_kill_left_beside_it(case, path):
    backup = Backups(case).make()
    log = backup.path.with_name(f"{backup.name}-wal")
    log.write_bytes(b"pages of the backup")
    with backup.path.open("rb") as backup_file, log.open("rb") as held_log:
        size = backup.path.stat().st_size
        assert backups.erase([backup.path]) == []
        left = backup_file.read()
        assert (len(left), left.startswith(b"SQLite")) == (size, False)
        assert held_log.read() not in (b"", b"pages of the backup")
    assert list(backup.path.parent.iterdir()) == []


def test_a_backup_that_is_open_as_a_case_is_not_erased(case, path):
    backup = Backups(case).make()
    with CaseFile.open(backup.path):
        (problem,) = backups.erase([backup.path])
    assert problem.where == backup.name
    assert "is open" in problem.what
    assert backups.copies(path)[0].is_sound
    assert backups.erase([backup.path]) == []
    assert backups.unchecked(path) == []


def test_a_backup_that_cannot_be_erased_is_told(case, monkeypatch):
    backup = Backups(case).make()

    def refuse(_path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(backups.replacement, "erase", refuse)
    (problem,) = backups.erase([backup.path])
    assert (problem.where, "Permission denied" in problem.what) == (backup.name, True)
    assert backup.path.exists()


# --- which ones stay -------------------------------------------------------------------------------------------------


def backups_at(*moments: datetime, size: int = 10, before_format: int = 0) -> list[backups.Backup]:
    return [
        backups.Backup(
            Path(f"{moment:%Y-%m-%d %H%M%S} {before_format}"), backups._iso(moment), size, True, "", before_format
        )
        for moment in moments
    ]


def stay(copies: list[backups.Backup], now: datetime, **options: int) -> list[str]:
    surplus_paths = {copy.path for copy in backups.surplus(copies, now, **options)}
    return [copy.at for copy in sorted(copies, key=lambda copy: copy.at) if copy.path not in surplus_paths]


def test_of_one_day_the_newest_three_stay():
    copies = backups_at(*(START + timedelta(minutes=minute) for minute in range(10)))
    assert stay(copies, START + timedelta(hours=1)) == [copy.at for copy in copies[-3:]]


def test_of_the_week_one_a_day_and_of_the_month_one_a_week():
    midnight = START.replace(hour=0)
    hours = [midnight + timedelta(hours=6 * index) for index in range(4 * 60)]  # four a day for sixty days
    now = hours[-1]
    left = stay(backups_at(*hours), now)
    last_of_day = [backups._iso(now - timedelta(days=day)) for day in range(8)]
    newest = [backups._iso(now - timedelta(hours=6 * index)) for index in range(3)]
    assert set(last_of_day) | set(newest) <= set(left)
    older = [datetime.fromisoformat(text) for text in left if text not in {*last_of_day, *newest}]
    assert len({moment.isocalendar().week for moment in older}) == len(older) <= backups.WEEKS
    assert now - timedelta(days=35) < min(older) < now - timedelta(days=21)
    assert len(left) <= MOST


def test_rolling_on_for_a_year_never_loses_a_week_of_the_last_month():
    """What stays of what stayed: the rule is applied after each backup to what it left the time before."""
    copies: list[backups.Backup] = []
    for day in range(365):
        now = START + timedelta(days=day)
        copies += backups_at(now, now + timedelta(hours=8))
        now += timedelta(hours=8)
        surplus_paths = {copy.path for copy in backups.surplus(copies, now)}
        copies = [copy for copy in copies if copy.path not in surplus_paths]
        ages = {(now - backups._moment(copy)).days for copy in copies}
        assert set(range(min(day + 1, 8))) <= ages
        if day > 35:
            assert any(21 <= age < 35 for age in ages)
        assert len(copies) <= MOST


def test_who_works_once_a_month_has_the_last_three():
    copies = backups_at(*(START + timedelta(days=30 * month) for month in range(6)))
    assert stay(copies, START + timedelta(days=151)) == [copy.at for copy in copies[-3:]]


@pytest.mark.parametrize("years", [50, -10])
def test_a_clock_that_leaps_takes_no_copy_away(years):
    """Whatever is made while it is wrong, and after it was put right."""
    days = backups_at(*(START - timedelta(days=day) for day in range(8)))
    weeks = backups_at(*(START - timedelta(days=7 * week) for week in range(2, 5)))
    wrong = START.replace(year=START.year + years)
    wrong_copies = backups_at(*(wrong + timedelta(minutes=minute) for minute in range(5)))
    good = {copy.at for copy in (*days[1:], *weeks)}  # that of the same day gives way to later ones, as on any day
    for count in range(1, 6):
        assert good <= set(stay([*days, *weeks, *wrong_copies[:count]], wrong + timedelta(minutes=count)))
    later = backups_at(*(START + timedelta(minutes=minute) for minute in range(1, 4)))
    left = stay([*days, *weeks, *wrong_copies, *later], START + timedelta(minutes=10))
    assert good | {copy.at for copy in later} <= set(left)


def test_the_newest_copy_is_none_from_the_future(case, path, clock):
    own_backups = Backups(case)
    now = clock.at
    clock.at = now.replace(year=now.year + 50)
    own_backups.make()
    clock.at = now + timedelta(days=2)
    assert not own_backups.due()  # it holds what the case holds
    case.ratings.rate("E1", "H1", "N")
    newest = own_backups.make()
    assert backups.unchecked(path)[0].path == newest.path
    assert backups.newest_good(path).path == newest.path
    case.ratings.rate("E1", "H1", "C")
    assert not own_backups.due()  # there is one of today


def test_copies_from_before_a_change_of_format_stay():
    old = backups_at(*(START - timedelta(days=400 * count) for count in range(1, 5)), before_format=5, size=10**12)
    copies = backups_at(*(START + timedelta(minutes=minute) for minute in range(5)))
    assert stay([*old, *copies], START + timedelta(days=1)) == [
        *(copy.at for copy in reversed(old)),
        *(o.at for o in copies[2:]),
    ]


def test_the_oldest_go_first_where_there_is_no_room_and_the_newest_stays():
    copies = backups_at(*(START + timedelta(days=day) for day in range(5)), size=100)
    now = START + timedelta(days=4)
    assert stay(copies, now, space=250) == [copy.at for copy in copies[-2:]]
    assert stay(copies, now, space=1) == [copies[-1].at]
    assert stay(copies, now, space=0) == [copy.at for copy in copies]


def test_rotation_takes_nothing_of_another_case_or_of_a_person(case, path, tmp_path, clock):
    own_backups = Backups(case)
    backup = own_backups.make()
    folder = backup.path.parent
    (folder / "notes.txt").write_text("mine")
    person_copy = shutil.copy(backup.path, folder / "before the interview.disconfirm")
    foreign_backup = folder / "pump 2026-01-01 120000.disconfirm"
    with CaseFile.create(tmp_path / "other.disconfirm", now=clock) as foreign_case:
        fill(foreign_case)
        foreign_case.back_up(foreign_backup)
    in_use = Path(shutil.copy(backup.path, folder / "pump 2026-01-01 130000.disconfirm"))
    in_use.with_name(f"{in_use.name}.lock").write_text("{}")
    old_copy = Path(shutil.copy(backup.path, folder / "pump 2026-01-01 140000.disconfirm"))
    for _ in range(4):
        clock.wait(minutes=1)
        own_backups.make()
    assert Path(person_copy).exists()
    assert foreign_backup.exists()
    assert in_use.exists()
    assert not old_copy.exists()
    assert not backup.path.exists()


def test_the_copy_before_a_change_of_format_is_listed_with_the_others(path, clock, monkeypatch):
    with CaseFile.create(path, now=clock) as case:
        fill(case)

    def m9999_colour(db):
        db.execute("ALTER TABLE meta ADD COLUMN colour TEXT")

    monkeypatch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, m9999_colour])
    clock.wait(days=3)
    with CaseFile.open(path, now=clock) as case:
        assert not Backups(case).due()  # one was just made
        (backup,) = backups.copies(path)
        assert (backup.before_format, backup.is_sound, backup.at) == (schema.newest() - 1, True, "2026-03-05T09:00:00Z")


# --- restoring -------------------------------------------------------------------------------------------------------


def test_restoring_moves_the_present_file_aside(path, tmp_path, clock):
    with CaseFile.create(path, now=clock) as case:
        fill(case)
        backup = Backups(case).make()
        state = decisions(case)
        case.ratings.rate("E1", "H1", "N")
        later = decisions(case)
    restoration = backups.restore(path, backup, now=clock.wait(hours=1))
    assert restoration.former == tmp_path / "pump before restoring 2026-03-02 100000.disconfirm"
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(
        [path.name, restoration.former.name, "pump backups"]
    )
    with CaseFile.open(path, now=clock) as case:
        assert decisions(case) == state
        assert case.verify(silent()).ok
        own_backups = Backups(case)
        assert not own_backups.changed()
        case.ratings.rate("E1", "H2", "N")
        assert own_backups.changed()
    with CaseFile.open(restoration.former) as former:
        assert decisions(former) == later
    assert backups.copies(path) == [backup]


def test_a_damaged_case_is_restored_with_what_its_journal_held(path, clock):
    with CaseFile.create(path, now=clock) as case:
        fill(case)
        backup = Backups(case).make()
    path.write_bytes(bytes(16) + path.read_bytes()[16:])
    journal = path.with_name(f"{path.name}-wal")
    journal.write_bytes(b"what was not yet in the case")
    restoration = backups.restore(path, backup, now=clock.wait(hours=1))
    assert (
        restoration.former.with_name(f"{restoration.former.name}-wal").read_bytes() == b"what was not yet in the case"
    )
    assert not journal.exists()
    with CaseFile.open(path) as case:
        assert case.verify(silent()).ok


def test_a_case_that_is_gone_is_restored(path, clock):
    with CaseFile.create(path, now=clock) as case:
        fill(case)
        backup = Backups(case).make()
    path.unlink()
    with pytest.raises(CaseNotFound) as error:
        CaseFile.open(path)
    assert backup.name in error.value.hint
    assert backups.restore(path, backup, now=clock()).former is None
    with CaseFile.open(path) as case:
        assert case.verify(silent()).ok


def test_a_damaged_backup_is_not_restored(path, clock):
    with CaseFile.create(path, now=clock) as case:
        fill(case)
        backup = Backups(case).make()
    damage(backup.path)
    content = path.read_bytes()
    with pytest.raises(BackupUnusable, match="nothing was changed"):
        backups.restore(path, backup, now=clock.wait(hours=1))
    with pytest.raises(BackupUnusable):
        backups.copy_beside(path, backup)
    assert path.read_bytes() == content
    assert sorted(file.name for file in path.parent.iterdir()) == ["pump backups", path.name]


def test_a_case_that_is_open_is_not_restored(case, path, clock):
    backup = Backups(case).make()
    with pytest.raises(CaseInUse):
        backups.restore(path, backup, now=clock())
    assert case.verify(silent()).ok


def test_nor_is_one_that_another_program_has_open_though_it_is_damaged(path, clock):
    with CaseFile.create(path, now=clock) as case:
        fill(case)
        backup = Backups(case).make()
    command = [sys.executable, "-m", "tests.core.store.worker", "hold", str(path)]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "ready\n"
        path.write_bytes(bytes(16) + path.read_bytes()[16:])
        with pytest.raises(CaseInUse):
            backups.restore(path, backup, now=clock())
    finally:
        holder.kill()
        holder.communicate()


def test_nobody_opens_a_case_while_a_backup_is_put_in_its_place(path, clock):
    with CaseFile.create(path, now=clock) as case:
        fill(case)
        backup = Backups(case).make()
    attempts = []

    def step(count, _total, _what):
        if count == 1:  # the copy is whole, and nothing was moved yet
            with pytest.raises(CaseInUse):
                CaseFile.open(path)
            attempts.append(count)

    backups.restore(path, backup, now=clock(), progress=Progress(step))
    assert attempts
    with CaseFile.open(path) as case:
        assert case.verify(silent()).ok
    assert not path.with_name(f"{path.name}.lock").exists()


@needs_mount
def test_no_room_for_the_restored_case_leaves_the_present_one(tmp_path, clock):
    with mounted(tmp_path / "disk", "8m") as disk:
        path = disk / "pump.disconfirm"
        with CaseFile.create(path, now=clock) as case:
            fill(case)
            backup = Backups(case).make()
            state = decisions(case)
        fill_up(disk, backup.bytes // 2)
        with pytest.raises(backups.DiskFull):
            backups.restore(path, backup, now=clock())
        with CaseFile.open(path, now=clock) as case:
            assert decisions(case) == state
        assert sorted(file.name for file in disk.iterdir()) == ["filler", "pump backups", path.name]


def test_a_backup_as_a_case_of_its_own(case, path, clock):
    backup = Backups(case).make()
    state = decisions(case)
    case.ratings.rate("E1", "H1", "N")
    first, second = backups.copy_beside(path, backup), backups.copy_beside(path, backup)
    assert first != second
    assert first.parent == path.parent
    with CaseFile.open(first) as copy:
        assert decisions(copy) == state
        assert Backups(copy).all() == []  # it starts with no backups of its own


def test_a_backup_is_found_by_its_name(case, path):
    backup = Backups(case).make()
    assert backups.find(path, backup.name) == backup
    with pytest.raises(NoSuchItem):
        backups.find(path, "another")


def test_save_a_copy_never_overwrites(case, path, tmp_path):
    target = tmp_path / "copy.disconfirm"
    assert backups.save_copy(case, target) == target
    with CaseFile.open(target) as copy:
        assert decisions(copy) == decisions(case)
    for file in (target, path):
        content = file.read_bytes()
        with pytest.raises(CaseExists):
            backups.save_copy(case, file)
        assert file.read_bytes() == content


# --- what is said of a damaged case ----------------------------------------------------------------------------------


def test_the_newest_good_backup_is_named(path, clock):
    with CaseFile.create(path, now=clock) as case:
        fill(case)
        own_backups = Backups(case)
        good = own_backups.make()
        clock.wait(hours=1)
        bad = own_backups.make()
    bad.path.write_bytes(bad.path.read_bytes()[:5000])
    damage(path, pages=30)
    with pytest.raises(CaseCorrupt) as error:
        CaseFile.open(path)
    assert error.value.details["backup"] == good
    assert "2 March 2026" in error.value.hint
    assert good.name in error.value.hint


def test_where_there_is_none_it_says_so(path, clock):
    with CaseFile.create(path, now=clock) as case:
        fill(case)
    damage(path, pages=30)
    with pytest.raises(CaseCorrupt) as error:
        CaseFile.open(path)
    assert "there is no backup of it" in error.value.hint
    path.write_bytes(bytes(8000))
    with pytest.raises(CaseUnreadable) as error:
        CaseFile.open(path)
    assert "There is no backup of it" in error.value.hint
    folder = path.parent / "pump backups"
    folder.mkdir()
    (folder / "pump 2026-03-02 090000.disconfirm").write_bytes(b"no case")
    with pytest.raises(CaseUnreadable) as error:
        CaseFile.open(path)
    assert "cannot be used either" in error.value.hint
    assert error.value.details["backup"] is None


def test_the_work_goes_on_while_a_backup_is_made(case):
    """Between two steps of the copying whoever waits for the case gets it."""
    for number in range(60):
        add(case, f"long {number}", [f"Page of {number}. " + "The pump stood still. " * 4000])
    over = threading.Event()
    ratings = []

    def work() -> None:
        while not over.is_set():
            case.ratings.rate("E1", "H1", "N")
            ratings.append(time.monotonic())

    working = threading.Thread(target=work)
    working.start()
    try:
        steps: list[int] = []
        backup = Backups(case).make(Progress(lambda *_: steps.append(len(ratings))))
    finally:
        over.set()
        working.join()
    assert backup.is_sound
    assert steps[-1] > steps[0]
