"""Passages whose words were corrected get vectors of the new words, some seconds after the last correction."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from core.domain import Changes
from core.errors import EngineStopped, ModelMissing, ModelUnreadable
from gui_app.session import CaseSession

if TYPE_CHECKING:
    from core.progress import Progress
    from core.workbench import Workbench

PAUSE_MS = 10_000  # after the last word that was decided on


class Reindexing(QTimer):
    """The pause after a decision; the work begins when it ends."""

    def __init__(self, session: CaseSession, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self.setSingleShot(True)
        self.setInterval(PAUSE_MS)
        self.timeout.connect(self._run)

    def _run(self) -> None:
        if self._session.engines.embedder is not None:
            self._session.run("Making corrected passages searchable", _embed, partial=Changes(documents=True), rest="")


def _embed(bench: Workbench, progress: Progress) -> None:
    with suppress(ModelMissing, ModelUnreadable, EngineStopped):  # the strip above the documents tells
        bench.index.finish(progress)
