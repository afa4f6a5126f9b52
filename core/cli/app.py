"""What every command is given: the settings, the engines, and where results go."""

from __future__ import annotations

import getpass
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from core import settings
from core.cli.output import Output, say
from core.errors import AppError, BadInput, PassphraseNeeded
from core.passphrase import Passphrase, read_file
from core.ports import Engines
from core.runtime import launch
from core.workbench import Workbench, encryption, private_copies

if TYPE_CHECKING:
    from core.store import CaseKey


LOST = "Without the passphrase nobody can open the case, and nobody can recover it: keep a copy of it in a safe place."


class App:
    """One run of the command line. The engines are built when a command first asks for them."""

    def __init__(self, args: Namespace) -> None:
        self.out = Output(args.json)
        self.settings = settings.load()
        # Several people may work on one computer's cases by script.
        self.who: str = args.who or self.settings.who
        self._without_unsaved: bool = args.without_unsaved
        self._passphrase_file: str | None = args.passphrase_file
        self._targets = [str(path) for name in ("output", "out") if (path := getattr(args, name, None)) is not None]
        self._engines: Engines | None = None
        private_copies.clear_ended()

    @property
    def engines(self) -> Engines:
        """The engines, built at the first request."""
        if self._engines is None:
            self._engines = launch.build_engines(self.settings)
        return self._engines

    @engines.setter
    def engines(self, engines: Engines) -> None:
        self._engines = engines

    def open(self, case: str) -> Workbench:
        """Open a case, of which a backup is made before the first decision."""
        key = self.key_of(Path(case))
        bench = Workbench.open(
            *(Path(case), self.engines),
            who=self.who,
            without_unsaved=self._without_unsaved,
            key=key,
            progress=self.out.progress(),
        )
        if key is not None:
            for target in self._targets:
                say(f"The case is encrypted; {target} is not.")
        if self.settings.backups:
            space = self.settings.backup_space * 1_000_000
            bench.backups.before_first_write(lambda error: self.out.warn(error), space=space)
        if (fault := bench.case.fault_at_opening()) is not None:
            self.out.warn(fault)
        return bench

    def back_up(self, case: Path, key: CaseKey | None) -> None:
        """Make a backup of a case that was just written again, if backups are wanted; warn where none can be made."""
        if not self.settings.backups:
            return
        try:
            with Workbench.open(case, self.engines, who=self.who, key=key) as bench:
                bench.backups.make(self.out.progress(), space=self.settings.backup_space * 1_000_000)
        except AppError as error:
            self.out.warn(error)

    def open_proven(self, case: str) -> Workbench:
        """Open a case of which decisions are shown. Raises CaseNotProven where one is not what the log says of it."""
        bench = self.open(case)
        try:
            if (fault := bench.case.altered_decision()) is not None:
                raise fault
        except BaseException:
            bench.close()
            raise
        return bench

    # --- passphrases -------------------------------------------------------------------------------------------------

    def key_of(self, case: Path, file: str | None = None) -> CaseKey | None:
        """Ask for the passphrase of a case, for which a file may stand, and derive its key; None: it needs none.

        Raises PassphraseNeeded where there is nobody to ask, PassphraseWrong, BadInput.
        """
        if not encryption.is_encrypted(case):
            return None
        passphrase = self._passphrase(file or self._passphrase_file, f"Passphrase of {case.name}: ")
        if passphrase is None:
            raise PassphraseNeeded(path=case)
        try:
            return encryption.unlock(case, passphrase)
        finally:
            passphrase.forget()

    def key_at_hand(self, case: Path) -> CaseKey | None:
        """Ask for a passphrase where one can be given; None if there is nobody to ask. Raises PassphraseWrong."""
        return self.key_of(case) if self._passphrase_file is not None or _is_terminal() else None

    def new_key(self, file: str | None, *, is_first: bool) -> CaseKey:
        """Ask for a new passphrase, twice on a terminal, and make a key of it. Raises BadInput.

        ``is_first``: the case has none yet, so the file that every command takes can only hold the new one.
        """
        file = file or (self._passphrase_file if is_first else None)
        passphrase = self._passphrase(file, "New passphrase: ")
        if passphrase is None:
            option = "--passphrase-file" if is_first else "--new-passphrase-file"
            raise BadInput(
                reason="No new passphrase was given; nothing was changed.",
                remedy=f"Give one with {option} FILE, or run the command in a terminal, which asks for it.",
            )
        try:
            if file is None and Passphrase(getpass.getpass("Repeat passphrase: ")).secret != passphrase.secret:
                raise BadInput(reason="The two passphrases differ; nothing was changed.", remedy="Type it twice.")
            say(LOST)
            return encryption.make_key(passphrase)
        finally:
            passphrase.forget()

    def _passphrase(self, file: str | None, prompt: str) -> Passphrase | None:
        """Read a passphrase from its file, or ask for it on a terminal; None if there is neither."""
        if file is not None:
            passphrase, warning = read_file(Path(file))
            if warning:
                say(warning)
            return passphrase
        return Passphrase(getpass.getpass(prompt)) if _is_terminal() else None

    def close(self) -> None:
        """End the engines, if there are any."""
        if self._engines is not None:
            launch.close(self._engines)


def _is_terminal() -> bool:
    """Return whether somebody can be asked."""
    return sys.stdin is not None and sys.stdin.isatty()
