"""Backups of a case: whole copies beside it, each opened and checked before it counts, thinned out as they grow old.

A copy is written page by page from the open connection (SQLite's backup), a megabyte at a time, so that the case can be
worked on meanwhile: what is written to it during the copying reaches the copy too, which thus holds one moment of it.
The pages are taken as they are. A damaged case therefore gives a damaged copy, which the check refuses; nothing that is
there already is touched by that.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from core import files, paths
from core.domain import LogEntry
from core.errors import (
    AppError,
    BackupNotMade,
    BackupUnusable,
    CannotWrite,
    CaseCorrupt,
    CaseExists,
    CaseFromNewerVersion,
    CaseInUse,
    CaseIsFolder,
    CaseNotFound,
    DiskFull,
    NoSuchItem,
    PassphraseNeeded,
    Problem,
)
from core.progress import Progress, silent
from core.store import connection, decision_log, header, leftovers, lock, opening, replacement, schema
from core.store.case_key import CaseKey
from core.store.record_chain import ends

if TYPE_CHECKING:
    from core.store.case_file import CaseFile

SUFFIX = ".disconfirm"
DAY, YEAR = timedelta(days=1), timedelta(days=366)
NEWEST, DAYS, WEEKS = 3, 7, 4  # the last copies; the last of today and each of the days before, likewise weeks
SPACE = 2_000_000_000  # bytes that the copies of one case may take, unless the person says otherwise

_PAGES = 256  # copied at a time, under the lock of the case: 1 MB, some milliseconds
_PAGE = 4096
_PAUSE = 0.001  # seconds between two times, in which whoever waits for the case gets it
_LONGEST = 80  # characters of the case's name in the names of its copies
_OPEN = "it is open as a case"
_LOCKED = "it is encrypted, with a passphrase that is not at hand"
_NAME = re.compile(r".* (?P<at>\d{4}-\d\d-\d\d \d{6})(?: \(\d+\))?")
_BEFORE_FORMAT = re.compile(r".* format (?P<format>\d+) \d{4}-\d\d-\d\d \d{6}")


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of a case.

    ``at`` is when it was made, ISO 8601 in UTC; ``is_sound``: it was opened and checked, else ``reason`` says why not.
    ``before_format`` is the format of a case that was brought to a newer one after the copy was made, 0 for any other
    copy. ``head`` is the number and the hash of its last log entry.
    """

    path: Path
    at: str
    bytes: int
    is_sound: bool = False
    reason: str = ""
    before_format: int = 0
    head: tuple[int, str] = (0, decision_log.FIRST)
    case: str = ""  # the case's own id, by which copies of another one of the same name are told apart

    @property
    def name(self) -> str:
        """Return the name of its file."""
        return self.path.name

    @property
    def needs_passphrase(self) -> bool:
        """Return whether it could not be checked for want of its passphrase."""
        return self.reason == _LOCKED


@dataclass(frozen=True, slots=True)
class Restored:
    """A case whose file was replaced by a backup.

    ``former`` is where the file that was there before is now; None if there was none.
    """

    case: Path
    backup: Backup
    former: Path | None


# --- where they are --------------------------------------------------------------------------------------------------


def folders(case: Path) -> tuple[Path, Path]:
    """Return where the backups of a case are: beside it, and in the person's own folder where that is read-only."""
    place = hashlib.sha256(str(lock.real(case)).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return connection.backups_of(case), paths.user_data() / "backups" / f"{case.stem[:_LONGEST]} {place}"


def _writable_folder(case: Path) -> Path:
    """Find the first of the two folders that can be written, made if need be. Raises CannotWrite, DiskFull."""
    reason = ""
    for folder in folders(case):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise DiskFull(path=folder) from error
            reason = error.strerror or type(error).__name__
            continue
        if os.access(folder, os.W_OK):
            return folder
        reason = "it cannot be written to"
    raise CannotWrite(path=folders(case)[0], reason=reason)


def unchecked(case: Path, now: datetime | None = None) -> list[Backup]:
    """List the backups of a case by their names alone, newest first; none is opened, so none counts as sound.

    Those that lie ahead of ``now``, by the clock of this computer unless it is given, come last.
    """
    listing: list[Backup] = []
    for folder in folders(case):
        try:
            files = [file for file in folder.iterdir() if file.suffix == SUFFIX and file.is_file()]
        except OSError:
            continue
        for file in files:
            with contextlib.suppress(OSError):
                info = file.stat()
                listing.append(
                    Backup(file, _made_at(file, info.st_mtime), info.st_size, before_format=_format_of(file))
                )
    return _in_order(listing, now or datetime.now(UTC))


def _in_order(backups: Iterable[Backup], now: datetime) -> list[Backup]:
    return sorted(
        backups,
        key=lambda backup: (not _lies_ahead(backup, now), backup.at, len(backup.name), backup.name),
        reverse=True,
    )


def _lies_ahead(backup: Backup, now: datetime) -> bool:
    """Return whether it was made by a clock that was wrong, or the clock is wrong now."""
    return _moment(backup) - now > DAY


def _made_at(file: Path, mtime: float) -> str:
    match = _NAME.fullmatch(file.stem)
    if match is not None:
        with contextlib.suppress(ValueError):
            return _iso(datetime.strptime(match["at"], "%Y-%m-%d %H%M%S").replace(tzinfo=UTC))
    return _iso(datetime.fromtimestamp(mtime, UTC))


def _format_of(file: Path) -> int:
    match = _BEFORE_FORMAT.fullmatch(file.stem)
    return int(match["format"]) if match is not None else 0


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _moment(backup: Backup) -> datetime:
    return datetime.fromisoformat(backup.at.replace("Z", "+00:00"))


def copies(case: Path, progress: Progress | None = None, key: CaseKey | None = None) -> list[Backup]:
    """List the backups of a case, newest first, each opened and checked; encrypted ones with ``key`` alone.

    The case itself is not looked at, and may be gone. Of a large one the documents and their texts are left out of the
    check; restoring checks those too.
    """
    listing = unchecked(case)
    proofs = []
    for number, backup in enumerate(listing):
        if progress is not None:
            progress.step(number, len(listing), f"Checking {backup.name}")
        proofs.append(_proof_of(backup, key))
    return proofs


def newest_good(case: Path, key: CaseKey | None = None) -> Backup | None:
    """Find the newest backup that is sound."""
    return next((backup for backup in (_proof_of(backup, key) for backup in unchecked(case)) if backup.is_sound), None)


def find(case: Path, name: str, key: CaseKey | None = None) -> Backup:
    """Find the backup of that file name. Raises NoSuchItem."""
    for backup in unchecked(case):
        if name in (backup.name, backup.path.stem):
            return _proof_of(backup, key)
    raise NoSuchItem(kind="backup", id=name, listing="backup")


# --- the check -------------------------------------------------------------------------------------------------------


def _proof_of(backup: Backup, key: CaseKey | None) -> Backup:
    try:
        head, case = _prove(backup.path, key, whole=False)
    except CaseInUse:
        reason = _OPEN
    except PassphraseNeeded:
        reason = _LOCKED
    except CaseFromNewerVersion:
        reason = "a newer version of the program made it"
    except AppError as error:
        reason = str(error.details.get("reason", "")) or "it cannot be read"
    else:
        return Backup(backup.path, backup.at, backup.bytes, True, "", backup.before_format, head, case)
    return Backup(backup.path, backup.at, backup.bytes, False, reason, backup.before_format)


def _prove(path: Path, key: CaseKey | None, *, whole: bool) -> tuple[tuple[int, str], str]:
    """Open a copy for reading and check it.

    Returns the number and hash of its last log entry, and the id of its case. ``whole`` checks the tables with the bulk
    of a large case too. Raises CaseCorrupt and what opening a case raises.
    """
    key = header.look(path, key).key
    with connection.seam(path), connection.damage_of_first_page(path, key):
        db = connection.connect(path, apsw.SQLITE_OPEN_READONLY, key)
        try:
            connection.settle(db)
            connection.check_schema(db, path)
            connection.quick_check(db, path)
            if whole:
                for table in schema.lasting(db):
                    report = str(db.execute(f"PRAGMA quick_check({table})").get)
                    if report != "ok":
                        raise CaseCorrupt(path=path, reason=" ".join(report.split())[:120], backups=path.parent)
            return _head(db, path), str(db.execute("SELECT value FROM meta WHERE key = 'case'").get or "")
        finally:
            db.close()


def _head(db: apsw.Connection, path: Path) -> tuple[int, str]:
    """Read the number and hash of the last log entry. Raises CaseCorrupt where the hash is not that of the entry."""
    rows: list[tuple[Any, ...]] = db.execute(f"{decision_log.ENTRY} ORDER BY seq DESC LIMIT 1").fetchall()
    if not rows:
        return 0, decision_log.FIRST
    entry = LogEntry(*rows[0])
    if decision_log.digest(entry) != entry.hash:
        raise CaseCorrupt(path=path, reason=f"log entry {entry.seq} was altered", backups=path.parent)
    return entry.seq, entry.hash


# --- writing one -----------------------------------------------------------------------------------------------------


def write_copy(case: CaseFile, target: Path, progress: Progress) -> tuple[tuple[int, str], int]:
    """Write a whole copy of the open case to ``target``, checked and on the disk before it gets that name.

    Returns the number and hash of its last log entry, and how many changes this connection had made to the case by
    then. Raises CannotWrite, DiskFull, and CaseCorrupt where the copy is not sound. A file that is at ``target`` is
    replaced.
    """
    part = target.with_name(f"{target.name}.part")
    try:
        with connection.seam(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            part.unlink(missing_ok=True)
            head, changes = _copy_pages(case, part, progress)
            _to_one_file(part, case.key)
        _flush(part)
        if _prove(part, case.key, whole=True)[0] != head:
            raise CaseCorrupt(path=case.path, reason="its log cannot be copied", backups=part.parent)
        part.replace(target)
    except OSError as error:
        raise _not_written(target, error) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    return head, changes


def _copy_pages(case: CaseFile, part: Path, progress: Progress) -> tuple[tuple[int, str], int]:
    db = connection.connect(part, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE, case.key)
    try:
        # Nobody reads it before it is whole, so it needs no journal, and it is put on the disk once, at the end.
        for pragma in ("journal_mode = OFF", "synchronous = OFF"):
            db.execute(f"PRAGMA {pragma}").fetchall()
        with case.db.lock:
            copying = db.backup("main", case.db.connection, "main")
            left = int(case.db.execute("PRAGMA page_count").get)
        try:
            while True:
                progress.check()
                with case.db.lock:
                    if left <= _PAGES:  # the copy ends here, as a case that was closed does
                        _head(case.db.connection, case.path)  # nothing is written behind an altered entry
                        case.log.name_records()
                    if copying.step(_PAGES):
                        return _head(case.db.connection, case.path), int(case.db.connection.total_changes())
                    left = copying.remaining
                megabytes = (copying.page_count - left) * _PAGE // 1_000_000
                progress.step(megabytes, copying.page_count * _PAGE // 1_000_000, "Making a backup, in MB")
                time.sleep(_PAUSE)
        finally:
            with case.db.lock:
                copying.close(True)
    finally:
        db.close()


def _to_one_file(part: Path, key: CaseKey | None) -> None:
    """Have the copy say of itself that no journal belongs to it: an open case has one."""
    db = connection.connect(part, apsw.SQLITE_OPEN_READWRITE, key)
    try:
        for pragma in ("locking_mode = EXCLUSIVE", "synchronous = OFF", "journal_mode = DELETE"):
            db.execute(f"PRAGMA {pragma}").fetchall()
    finally:
        db.close()


def _not_written(target: Path, error: OSError) -> AppError:
    if error.errno == errno.ENOSPC:
        return DiskFull(path=target)
    return CannotWrite(path=target, reason=error.strerror or type(error).__name__)


# --- which ones stay -------------------------------------------------------------------------------------------------


def surplus(backups: Sequence[Backup], now: datetime, *, space: int = SPACE) -> list[Backup]:
    """List those of ``backups`` that have had their time.

    The newest 3 stay, the last one of today and of each of the 7 days before, and the last one of this week and of each
    of the 4 weeks before. Of these, the oldest go while all together take more than ``space`` bytes (0: any amount).
    Copies made before a change of format stay, and are not counted; so does the newest of the others.

    Nothing goes because of a clock that is wrong: copies that lie ahead stay, as nobody knows how old they are, and
    more than a year without any copy makes none of those before it older.
    """
    rolling = _in_order((b for b in backups if not b.before_format), now)
    stay = {backup.path for backup in rolling if _lies_ahead(backup, now)}
    datable = [backup for backup in rolling if backup.path not in stay]
    stay |= {backup.path for backup in datable[:NEWEST]}
    moments: dict[Path, datetime] = {}
    later, leap = now, timedelta()
    for backup in datable:
        moment = _moment(backup)
        leap += later - moment if later - moment > YEAR else timedelta()
        later, moments[backup.path] = moment, moment + leap
    for period, limit in ((_day, DAYS), (_week, WEEKS)):
        latest: dict[object, Backup] = {}
        for backup in datable:
            age = period(now, moments[backup.path])
            if age <= limit:
                latest.setdefault(age, backup)
        stay |= {backup.path for backup in latest.values()}
    going = [backup for backup in reversed(rolling) if backup.path not in stay]
    total = sum(backup.bytes for backup in rolling if backup.path in stay)
    for backup in reversed(rolling[1:]):
        if space and total > space and backup.path in stay:
            going.append(backup)
            total -= backup.bytes
    return going


def _day(now: datetime, then: datetime) -> int:
    """Count the days since then, by the calendar; 0 for one that lies ahead, as the clock was put back since."""
    return max(0, (now.astimezone(UTC).date() - then.astimezone(UTC).date()).days)


def _week(now: datetime, then: datetime) -> int:
    monday = [day - timedelta(days=day.weekday()) for day in (now.astimezone(UTC).date(), then.astimezone(UTC).date())]
    return max(0, (monday[0] - monday[1]).days // 7)


class Backups:
    """The backups of one open case: whether one is called for, and making it."""

    def __init__(self, case: CaseFile) -> None:
        self._case = case
        self._changes = self._count()  # changes of this connection that the last backup holds

    def all(self, progress: Progress | None = None) -> list[Backup]:
        """List the backups as ``copies`` does."""
        return copies(self._case.path, progress, self._case.key)

    def changed(self) -> bool:
        """Return whether the case was changed since it was opened, or since the last backup after that."""
        return not self._case.read_only and self._count() != self._changes

    def due(self) -> bool:
        """Return whether the day's backup is called for.

        It is when the last one, or where there is none the case itself, is older than a day, and does not hold what the
        case holds now. A case in which nothing was done yet needs none.
        """
        case = self._case
        if case.read_only:
            return False
        with case.db.reading() as db:
            head = _head(db, case.path)
            created_at = str(db.execute("SELECT value FROM meta WHERE key = 'created'").get or "")
        if head[0] < 2:
            return False
        now = case.db.clock().astimezone(UTC)
        last = next(iter(unchecked(case.path, now)), None)
        try:
            since = _moment(last) if last is not None else datetime.fromisoformat(created_at.replace("Z", "+00:00"))
        except ValueError:
            return True
        # One from tomorrow was made by a clock that was wrong, or is wrong now.
        if abs(now - since) < DAY:
            return False
        return last is None or _proof_of(last, case.key).head != head

    def make(self, progress: Progress | None = None, *, space: int = SPACE) -> Backup:
        """Make a backup now, then take away those that have had their time.

        Raises BackupNotMade: then every older one is as it was.
        """
        case = self._case
        now = case.db.clock().astimezone(UTC)
        try:
            folder = _writable_folder(case.path)
            _sweep(folder)
            target = _free(folder, f"{case.path.stem[:_LONGEST]} {now:%Y-%m-%d %H%M%S}")
            head, changes = write_copy(case, target, progress or silent())
        except AppError as error:
            raise _not_made(case.path, error) from error
        self._changes = changes
        backup = Backup(target, _iso(now), target.stat().st_size, True, head=head, case=self._id())
        self._thin_out(backup, now, space)
        return backup

    def before_first_write(self, on_failure: Callable[[AppError], object], *, space: int = SPACE) -> None:
        """Make the day's backup, if it is called for, before the case is first written to.

        ``on_failure`` is told when it could not be made, and the writing goes on.
        """

        def make() -> None:
            try:
                if self.due():
                    self.make(space=space)
            except AppError as error:
                on_failure(error)

        self._case.db.before_writing = make

    def _count(self) -> int:
        with self._case.db.lock:
            return int(self._case.db.connection.total_changes())

    def _id(self) -> str:
        with self._case.db.reading() as db:
            return str(db.execute("SELECT value FROM meta WHERE key = 'case'").get or "")

    def _thin_out(self, newest: Backup, now: datetime, space: int) -> None:
        rolling = [backup for backup in unchecked(self._case.path, now) if _NAME.fullmatch(backup.path.stem)]
        for backup in surplus(rolling, now, space=space):
            note = backup.path.with_name(f"{backup.path.name}.lock")
            if backup.path == newest.path or note.exists():  # a program has it open: it is a case now
                continue
            proof = _proof_of(backup, self._case.key)
            # One of another case of the same name stays, and one that may be.
            if proof.reason in (_OPEN, _LOCKED) or proof.case not in (newest.case, ""):
                continue
            with contextlib.suppress(OSError):
                backup.path.unlink()


def erase(listing: Iterable[Path]) -> list[Problem]:
    """Overwrite and remove backups, and what a killed program left beside them; list which it could not.

    One that somebody has open as a case stays.
    """
    problems = []
    for path in listing:
        try:
            if lock.is_open_here(path) or lock.held_elsewhere(path):
                raise CaseInUse(path=path, holder=lock.holder(path))
            for tail in ("", *lock.BESIDE):
                replacement.erase(lock.beside(path, tail))
        except CaseInUse as error:
            problems.append(Problem.at(path.name, error))
        except OSError as error:
            what = f"It could not be removed ({connection.os_reason(error)})."
            problems.append(Problem(path.name, what, "Remove the file yourself."))
    return problems


def _sweep(folder: Path) -> None:
    """Take away what a killed program had begun: nobody else writes backups of a case that is open here."""
    with contextlib.suppress(OSError):
        for left in folder.glob(f"*{SUFFIX}.part*"):
            with contextlib.suppress(OSError):
                left.unlink()
        for left in (*folder.glob(".*.former"), *folder.glob(".*.part*")):  # of one that was being encrypted
            with contextlib.suppress(OSError):
                replacement.erase(left)


def _free(folder: Path, stem: str) -> Path:
    """Return a file of that name in the folder, or with a number behind it: none that is there."""
    path = folder / f"{stem}{SUFFIX}"
    number = 2
    while path.exists() or path.is_symlink():
        path = folder / f"{stem} ({number}){SUFFIX}"
        number += 1
    return path


def _not_made(case: Path, error: AppError) -> BackupNotMade:
    older = sum(1 for _ in unchecked(case))
    stay = "Older backups were left as they are." if older else "There is no older one."
    match error:
        case DiskFull():
            reason, remedy = "the disk is full", f"Free some space. {stay}"
        case CaseCorrupt():
            reason = f"the copy was checked and is damaged ({error.details.get('reason')})"
            check = f"Verify the case with: disconfirm verify {case}"
            remedy = f"{stay} {check}"
        case CannotWrite():
            reason = f"the folder for it cannot be written ({error.details.get('reason')})"
            remedy = f"Allow writing there, or save a copy elsewhere. {stay}"
        case _:
            reason, remedy = error.sentence.rstrip("."), stay
    return BackupNotMade(path=case, reason=reason, remedy=remedy)


# --- taking one back -------------------------------------------------------------------------------------------------


def restore(
    case: Path, backup: Backup, *, now: datetime, progress: Progress | None = None, key: CaseKey | None = None
) -> Restored:
    """Put a copy of a backup in the place of a case that nobody has open; an encrypted one needs its ``key``.

    The file that was there is kept beside it under another name, with what SQLite keeps for it. Nothing is moved before
    the copy is whole and checked. Raises BackupUnusable, PassphraseNeeded, CaseInUse, CannotWrite, DiskFull.
    """
    progress = progress or silent()
    case = case.absolute()
    progress.step(0, 2, f"Checking {backup.name}")
    _check_usable(backup.path, backup.name, key)
    _check_nobody_has(case, key)
    part = case.with_name(f".restoring.{os.getpid()}.part")
    guard = _lock_of(case)  # nobody opens it meanwhile
    try:
        _copy_file(backup.path, part, key)
        progress.step(1, 2, f"Restoring {backup.name}")
        former = None
        try:
            if case.exists() or case.is_symlink():
                stem = f"{case.stem[:_LONGEST]} before restoring {now.astimezone(UTC):%Y-%m-%d %H%M%S}"
                former = _free(case.parent, stem)
                leftovers.move_case(case, former)
            files.publish(part, case)
        except OSError as error:
            if former is not None and former.exists() and not case.exists():
                leftovers.move_case(former, case)
            raise _not_written(case, error) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        guard.release()
    progress.step(2, 2, f"Restored {backup.name}")
    return Restored(case, backup, former)


def copy_beside(case: Path, backup: Backup, progress: Progress | None = None, key: CaseKey | None = None) -> Path:
    """Copy a backup to a case of its own beside the case, which is not touched; return its path.

    Raises BackupUnusable, PassphraseNeeded, CannotWrite, DiskFull.
    """
    progress = progress or silent()
    case = case.absolute()
    progress.step(0, 1, f"Checking {backup.name}")
    moment = _moment(backup).astimezone()
    target = _free(case.parent, f"{case.stem[:_LONGEST]} backup of {moment:%Y-%m-%d %H%M}")
    part = target.with_name(f".restoring.{os.getpid()}.part")
    try:
        _check_usable(backup.path, backup.name, key)
        _copy_file(backup.path, part, key)
        try:
            files.publish(part, target)
        except OSError as error:
            raise _not_written(target, error) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    progress.step(1, 1, "Copied")
    return target


def _check_nobody_has(case: Path, key: CaseKey | None) -> None:
    if not case.exists():
        return
    try:
        handle = opening.open_case(case, key)
        with contextlib.suppress(apsw.Error):
            _head(handle.db, case)  # a first look at what it holds, without which nothing can be folded into it
        handle.close(all_named=_all_named(handle.db))
    except CaseInUse:
        raise
    except AppError as error:
        # Of a damaged one, and one of another passphrase, only the note beside it tells.
        if lock.held_elsewhere(case):
            raise CaseInUse(path=case, holder=lock.holder(case)) from error


def _lock_of(case: Path) -> lock.Lock:
    """Lock a case, or the place where it was. Raises CaseInUse, CaseLockBlocked, CannotWrite, DiskFull."""
    try:
        return lock.take(case)
    except OSError as error:
        raise _not_written(case, error) from error


def _all_named(db: apsw.Connection) -> bool:
    try:
        newest_named, last = ends(db)
    except (apsw.Error, ValueError):  # one of an older format, or damaged
        return True
    return newest_named >= last


def _copy_file(source: Path, part: Path, key: CaseKey | None) -> None:
    """Copy a backup, checked and on the disk. Raises BackupUnusable, CannotWrite, DiskFull."""
    _sweep_restoring(part.parent)
    try:
        shutil.copyfile(source, part)
        _flush(part)
    except OSError as error:
        raise _not_written(part, error) from error
    _check_usable(part, source.name, key)


def _check_usable(path: Path, name: str, key: CaseKey | None) -> None:
    try:
        _prove(path, key, whole=True)
    except PassphraseNeeded:
        raise
    except AppError as error:
        raise BackupUnusable(name=name, reason=error.details.get("reason") or error.sentence.rstrip(".")) from error


def _flush(path: Path) -> None:
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def _sweep_restoring(folder: Path) -> None:
    """Take away what a program that was killed while it restored had begun; one that runs now is younger."""
    for left in folder.glob(".restoring.*.part"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > 3600:
                left.unlink()


def save_copy(case: CaseFile, target: Path, progress: Progress | None = None) -> Path:
    """Write a whole copy of the open case to ``target``, which must not be there.

    Raises CaseExists, CannotWrite, DiskFull, and CaseCorrupt where the copy is not sound.
    """
    target = target.absolute()
    try:
        exists, folder = target.exists() or target.is_symlink(), target.parent.is_dir()
    except (OSError, ValueError) as error:  # a name that no file can have
        raise CannotWrite(path=target, reason=getattr(error, "strerror", None) or "it is no file name") from error
    if exists:
        raise CaseExists(path=target)
    if not folder:
        raise CannotWrite(path=target, reason="its folder is not there")
    write_copy(case, target, progress or silent())
    return target


# --- what to do about a damaged case ---------------------------------------------------------------------------------


def advise(error: AppError, case: Path, key: CaseKey | None = None) -> AppError:
    """Add to ``error``, which kept a case from being opened, what can be done about it.

    Its hint then names the newest good backup of the case, or says that there is none; ``details['backup']`` is that
    backup, and ``details['locked']`` tells that some could not be checked for want of their passphrase. Returns the
    same error.
    """
    if isinstance(error, CaseIsFolder):
        return error
    listing = unchecked(case)
    good = newest_good(case, key) if listing else None
    error.details["backup"] = good
    if good is not None:
        error.hint = (
            f"Its newest good backup is from {_in_words(good.at)} ({good.bytes / 1e6:,.1f} MB). Restoring it keeps the "
            "current file beside it under another name. "
            f'On the command line: disconfirm backup "{case}" restore "{good.name}"'
        )
    elif isinstance(error, CaseNotFound):
        return error
    elif any(_proof_of(backup, key).needs_passphrase for backup in listing):
        error.details["locked"] = True
        place = listing[0].path.parent
        error.hint = f"Keep the file as it is. Backups in '{place}' are encrypted: they open with their passphrase."
    elif listing:
        what = (
            "Its only backup cannot be used" if len(listing) == 1 else f"None of its {len(listing)} backups can be used"
        )
        error.hint = f"Keep the file as it is. {what} either, in '{listing[0].path.parent}'."
    elif isinstance(error, CaseCorrupt):
        error.hint = "Keep the file as it is, and look for a copy of your own: there is no backup of it."
    else:
        error.hint = f"{error.hint} There is no backup of it."
    return error


def _in_words(time: str) -> str:
    moment = datetime.fromisoformat(time.replace("Z", "+00:00")).astimezone()
    return f"{moment.day} {moment:%B %Y} at {moment:%H:%M}"
