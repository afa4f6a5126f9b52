"""What every command is given: the settings, the engines, and where results go."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from core import settings
from core.cli.output import Output
from core.ports import Engines
from core.runtime import launch
from core.workbench import Workbench


class App:
    """One run of the command line. The engines are built when a command first asks for them."""

    def __init__(self, args: Namespace) -> None:
        self.out = Output(args.json)
        self.settings = settings.load()
        # Several people may work on one computer's cases by script.
        self.who: str = args.who or self.settings.who
        self._without_unsaved: bool = args.without_unsaved
        self._engines: Engines | None = None

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
        bench = Workbench.open(Path(case), self.engines, who=self.who, without_unsaved=self._without_unsaved)
        if self.settings.backups:
            space = self.settings.backup_space * 1_000_000
            bench.backups.before_first_write(lambda error: self.out.warn(error), space=space)
        if (fault := bench.case.fault_at_opening()) is not None:
            self.out.warn(fault)
        return bench

    def close(self) -> None:
        """End the engines, if there are any."""
        if self._engines is not None:
            launch.close(self._engines)
