"""Backups of the case that is open and of others: making, listing, restoring; the session runs them beside the work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from core import settings
from core.errors import AppError, CaseCorrupt, Problem
from core.passphrase import Passphrase
from core.progress import Progress
from gui_app.shared.formatting import counted, file_size
from gui_app.tasks import Task, raise_on_window

if TYPE_CHECKING:
    from core.store import Backup, CaseKey, Restored
    from core.workbench import Workbench
    from gui_app.session import CaseSession

LARGE = 24_000_000  # bytes of a case whose backup takes longer than a moment


class CaseBackups:
    """The backups of a session. What goes wrong with one is said once of a case."""

    def __init__(self, session: CaseSession) -> None:
        self._session = session
        self._is_reported = False  # that one could not be made

    def begin(self) -> None:
        """Begin again with another case."""
        self._is_reported = False

    def make(self) -> Task | None:
        """Make a backup of the case now, beside the work."""
        return self._make(by_hand=True)

    def make_at_once(self) -> None:
        """Make a backup of a case that was just written again, if backups are wanted."""
        if settings.load().backups:
            self._make(by_hand=False)

    def make_due(self) -> None:
        """Make the backup of the day, if it is due."""
        if settings.load().backups and self._session.do(lambda bench: bench.backups.due()):
            self._make(by_hand=False)

    def _make(self, *, by_hand: bool) -> Task | None:
        space = _space()

        def work(bench: Workbench, progress: Progress) -> Backup | AppError:
            try:
                return bench.backups.make(progress, space=space)
            except AppError as error:
                return error

        def over(result: Backup | AppError) -> None:
            if isinstance(result, AppError):
                self._is_reported = True
                self._session.failed.emit(result)
            elif by_hand:
                self._session.tell(f"Backup made, {file_size(result.bytes)}")

        return self._session.run("Making a backup", work, done=over, rest="")

    def make_of_changes(self, workbench: Workbench) -> AppError | None:
        """Back up a case that is about to be closed, if it was changed; return what went wrong, if nobody was told."""
        try:
            if _is_wanted(workbench):
                workbench.backups.make(space=_space())
        except AppError as error:
            return None if self._is_reported else error
        return None

    def close_case(self) -> Task | None:
        """Close the case as the session does, with a backup of what was changed.

        Where the backup of a large case takes its time, it is made beside the work, by the job returned, and the case
        closes when it is made. A cancelled job leaves the case open.
        """
        session = self._session
        workbench = session.workbench
        if workbench is None:
            return None
        if not (_is_wanted(workbench) and workbench.path.stat().st_size >= LARGE):
            session.close_case()
            return None
        for task in session.tasks.tasks:
            session.tasks.cancel(task)
        space = _space()

        def work(progress: Progress) -> AppError | None:
            try:
                workbench.backups.make(progress, space=space)
            except AppError as error:
                return error
            return None

        def over(task: Task) -> None:
            if session.workbench is not workbench:
                return
            if task.state == "cancelled":
                session.status.emit("The case stays open.")
            elif task.error is not None:
                raise_on_window(task.error)
            else:
                session.close_case(backup=task.result is None)
                if task.result is not None and not self._is_reported:
                    session.failed.emit(task.result)

        return session.tasks.start("Closing the case", work, over)

    def read_list(
        self, case: Path, on_result: Callable[[list[Backup]], object], *, check: bool, key: object = None
    ) -> None:
        """Read which backups a case has, newest first, beside the work.

        With ``check``: whether each is sound, of encrypted ones those with the key of the open case. The case need not
        be open, nor be there.
        """
        bench = self._session.workbench
        case_key = bench.case.key if bench is not None else None

        def read() -> list[Backup]:
            from core.workbench import backups

            return backups.copies(case, key=case_key) if check else backups.unchecked(case)

        self._session.tasks.read(read, on_result, self._session.report, key=key)

    def restore(self, case: Path, backup: Backup) -> None:
        """Put a backup in the place of a case, beside the work, and open it; it is closed before if it is open.

        The file that was there is kept under another name (``restored`` of the session tells which).
        """
        self._session.with_key(backup.path, lambda key: self._restore(case, backup, key), is_backup=True)

    def _restore(self, case: Path, backup: Backup, key: CaseKey | None) -> None:
        session = self._session
        former = session.workbench
        was_open = former is not None and former.path.resolve() == case.resolve()
        former_key = former.case.key if former is not None else None
        if was_open:
            session.leave(backup=False)  # it stays as it is, under the other name

        def work(progress: Progress) -> Restored:
            from core.workbench import backups, utc_now

            return backups.restore(case, backup, now=utc_now(), progress=progress, key=key)

        def over(task: Task) -> None:
            def end() -> None:
                if task.state == "done":
                    session.restored.emit(task.result)
                elif task.error is not None:
                    session.report(task.error)

            if task.state == "done" or was_open:
                session.open(case, key if task.state == "done" else former_key, then=end)
            else:
                end()

        session.tasks.start("Restoring a backup", work, over)

    def leave_damaged(self, error: CaseCorrupt) -> None:
        """Close the case, in which damage was met, and report that again, with what can be done about it."""
        session = self._session
        workbench = session.workbench
        if workbench is None:
            return
        case, key = workbench.path, workbench.case.key
        session.close_case(backup=False)
        session.key_at_hand = key
        error.details["was_open"] = True

        def advise() -> AppError:
            from core.workbench import backups

            return backups.advise(error, case, key)

        session.tasks.read(advise, session.report, session.report, key="damaged case")

    def open_copy(self, case: Path, backup: Backup) -> None:
        """Open a copy of a backup as a case of its own, beside the other one."""

        def open_with(key: CaseKey | None) -> None:
            def work(progress: Progress) -> Path:
                from core.workbench import backups

                return backups.copy_beside(case, backup, progress, key)

            self._session.build("Opening a backup", work, key)

        self._session.with_key(backup.path, open_with, is_backup=True)

    def save_copy(self, target: Path) -> None:
        """Write a whole copy of the case to a file that is not there yet, beside the work."""
        self._session.run(
            "Saving a copy",
            lambda bench, progress: bench.case.save_copy(target, progress),
            done=lambda path: self._session.tell(f"Copy saved: {path}{_same_passphrase(self._session)}"),
        )

    # --- the passphrase of the case ----------------------------------------------------------------------------------

    def unchecked(self) -> list[Backup]:
        """List the backups of the open case by their names alone."""
        from core.workbench import backups

        bench = self._session.workbench
        return backups.unchecked(bench.path) if bench is not None else []

    def change_passphrase(self, passphrase: Passphrase | None, older: str) -> None:
        """Change or remove the passphrase of the open case, beside the work; it is closed meanwhile.

        ``older``: what becomes of backups that do not have it: 'encrypt', 'erase' or 'keep'.
        """
        session = self._session
        workbench = session.workbench
        if workbench is None:
            return
        case, former = workbench.path, workbench.case.key
        session.leave(backup=False)  # a backup made now would have the former passphrase, or none
        keys: list[CaseKey | None] = [former]  # the last one opens the case

        def work(progress: Progress) -> tuple[list[Problem], int]:
            from core.workbench import backups, encryption

            key = encryption.make_key(passphrase) if passphrase is not None else None
            encryption.change(case, former, key, progress)
            keys.append(key)
            problems: list[Problem] = []
            older_backups = encryption.other_backups(case, key)
            if key is not None and older == "encrypt":
                problems = encryption.change_backups(older_backups, former, key, progress)
            elif older == "erase":
                problems = backups.erase(backup.path for backup in older_backups)
            return problems, len(encryption.other_backups(case, key))

        def over(task: Task) -> None:
            if passphrase is not None:
                passphrase.forget()
            if not session.open(case, keys[-1]):
                return
            if task.error is not None:
                session.report(task.error)
            elif task.state == "done":
                self.make_at_once()
                session.told_at_length.emit(*_words_of_change(former, keys[-1], *task.result))

        session.tasks.start("Changing the passphrase" if former is not None else "Encrypting the case", work, over)


def _same_passphrase(session: CaseSession) -> str:
    return ". It has the passphrase of the case." if session.in_clear else ""


def _words_of_change(
    former: CaseKey | None, later: CaseKey | None, problems: list[Problem], older_count: int
) -> tuple[str, str]:
    """Return what the case has now, and what became of its older backups."""
    if later is None:
        further = "Its backups stay encrypted, and open with the passphrase they were made with." if older_count else ""
        return "The case no longer has a passphrase.", further
    sentence = "The case is encrypted." if former is None else "The case has a new passphrase."
    if not older_count:
        return sentence, "Keep a copy of the passphrase in a safe place: nobody can recover it."
    further = f"{counted(older_count, 'older backup')} {'does' if older_count == 1 else 'do'} not have its passphrase"
    further += f": {problems[0].what}" if problems else "; Passphrase of the case in the menu encrypts or removes them."
    return sentence, further


def _space() -> int:
    """Return the bytes that the backups of a case may take."""
    return settings.load().backup_space * 1_000_000


def _is_wanted(workbench: Workbench) -> bool:
    return settings.load().backups and workbench.backups.changed()
