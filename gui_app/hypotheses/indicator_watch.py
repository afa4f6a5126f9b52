"""Watches the indicators of the open case: when documents come in, their searches are run again beside the work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from core.domain import Changes, Consideration
from core.errors import AppError
from gui_app.session import CaseSession
from gui_app.shared.formatting import counted

if TYPE_CHECKING:
    from core.hypotheses.service import IndicatorHit

_SETTLE_MS = 300
_QUIET_MS = 2_000  # an import announces its documents little by little; it is over when nothing came for so long


class IndicatorWatch(QObject):
    """The finds of the indicators since the last look. ``changed()`` after every check, ``checking()`` before."""

    changed = Signal()
    checking = Signal()

    def __init__(self, session: CaseSession) -> None:
        super().__init__(session)
        self._session = session
        self.hits: tuple[IndicatorHit, ...] = ()
        self.running = False
        self._hit_pairs: set[tuple[str, str]] = set()
        self._indicators: dict[str, Consideration] = {}
        self._tells = False  # whether the next check says in a toast what it found
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self.check)
        session.opened.connect(self._opened)
        session.imported.connect(self._imported)
        session.changed.connect(self._case_changed)
        self._opened()

    def check(self) -> None:
        """Run the saved searches now. Nothing is started while the case has none."""
        self._soon.stop()
        self._indicators = self._open_ones()
        if not self._indicators:
            self._take(())
            return
        self.running = True
        self.checking.emit()
        self._session.read(
            lambda bench: bench.hypotheses.check_indicators(), self._take, key="indicators", failed=self._tell_failure
        )

    def new_documents(self, indicator: str = "") -> int:
        """Count the documents that the indicator (or any) flags and nobody has looked at."""
        return len({hit.document for hit in self.hits if indicator in ("", hit.consideration)})

    def of(self, indicator: str) -> list[IndicatorHit]:
        """List what an indicator found."""
        return [hit for hit in self.hits if hit.consideration == indicator]

    def _open_ones(self) -> dict[str, Consideration]:
        bench = self._session.workbench
        if bench is None:
            return {}
        return {
            indicator.id: indicator
            for indicator in bench.hypotheses.considerations("indicator")
            if indicator.status == "open" and indicator.query
        }

    def _take(self, hits: tuple[IndicatorHit, ...]) -> None:
        self.running = False
        tells, self._tells = self._tells, False
        self.hits = tuple(hits)
        pairs = {(hit.consideration, hit.document) for hit in self.hits}
        fresh = pairs - self._hit_pairs
        self._hit_pairs = pairs
        if fresh and tells:
            self._say(fresh)
        self.changed.emit()

    def _say(self, fresh: set[tuple[str, str]]) -> None:
        documents = counted(len({document for _, document in fresh}), "new document")
        by_id = self._open_ones()
        indicators = sorted({indicator for indicator, _ in fresh})
        if len(indicators) == 1 and indicators[0] in by_id:
            text = " ".join(by_id[indicators[0]].text.split())
            source = f"the indicator “{text[:60]}{'…' if len(text) > 60 else ''}”"
        else:
            source = counted(len(indicators), "indicator")
        self._session.tell(f"{documents} found by {source}")

    def _tell_failure(self, error: AppError) -> None:
        self.running = False
        self._session.status.emit(f"The indicators were not checked: {error.sentence}")
        self.changed.emit()

    def _opened(self) -> None:
        self.hits = ()
        self._hit_pairs = set()
        self._indicators = {}
        self._tells = True  # documents may have come in while the case was closed
        self.running = False
        self.changed.emit()
        if self._session.workbench is not None:
            self._soon.start(_SETTLE_MS)

    def _imported(self, _report: object) -> None:
        self._tells = True
        self._soon.start(_SETTLE_MS)

    def _case_changed(self, changes: Changes, _initiator: object) -> None:
        if changes.hypotheses and self._open_ones() != self._indicators:
            self._soon.start(_SETTLE_MS)
        elif changes.documents:
            self._soon.start(_QUIET_MS)


def watch_of(session: CaseSession) -> IndicatorWatch:
    """Return the one watch that belongs to a CaseSession."""
    return session.findChild(IndicatorWatch) or IndicatorWatch(session)
