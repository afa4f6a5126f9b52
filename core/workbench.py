"""One open case: opened, closed and wired here. What can be done with it is in its parts.

The window and the command line are its two clients. Long verbs take a ``Progress`` and may run on a thread of their own
while quick ones go on: the case file takes short transactions only, and nothing is computed inside one.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from core.accuracy.service import Accuracy
from core.answers.service import Answers
from core.audit.service import Audits
from core.case.service import CaseService
from core.conflicts.service import Conflicts
from core.documents.service import Documents
from core.entities.service import Entities
from core.evidence.service import EvidenceService
from core.glossary.service import Glossary
from core.hypotheses.service import Hypotheses
from core.matrix.service import MatrixService
from core.ocr.service import Ocr
from core.open_case import OpenCase
from core.plans.drafting import Drafts
from core.plans.service import SearchPlans
from core.ports import Engines
from core.progress import Progress
from core.report.service import Reports
from core.review.passages import PassageReview
from core.review.service import Review
from core.search.embedding_index import EmbeddingIndex
from core.search.service import Search
from core.store import Backups, CaseFile, CaseKey, TypedText
from core.store import backups as backups  # for its two clients: a case need not be open to have backups
from core.store import encryption as encryption  # likewise: to be opened a case may need a key
from core.store import private_copies as private_copies  # likewise: a start clears what others left
from core.timeline.service import Timeline
from core.verdicts.policy import VerdictPolicy


def utc_now() -> datetime:
    """Return the time now, in UTC."""
    return datetime.now(UTC)


class Workbench:
    """One open case with the engines that work on it."""

    def __init__(self, store: CaseFile, engines: Engines) -> None:
        self._open = case = OpenCase(store, engines)
        self.case = CaseService(case)
        self.index = EmbeddingIndex(case)
        self.entities = Entities(case)
        self.timeline = Timeline(case)
        self.search = Search(case, self.index, self.entities, self.timeline)
        self.verdicts = VerdictPolicy(case)
        self.conflicts = Conflicts(case, self.verdicts)
        self.answers = Answers(case, self.index, self.search, self.conflicts)
        self.ocr = Ocr(case, self.case, self.index)
        self.documents = Documents(case, self.index, self.ocr)
        self.evidence = EvidenceService(case, self.case, self.search, self.ocr, self.documents, self.verdicts)
        self.hypotheses = Hypotheses(case, self.search)
        self.matrix = MatrixService(case, self.case, self.evidence, self.hypotheses, self.conflicts)
        self.plans = SearchPlans(case, self.index, self.search, self.verdicts, self.matrix)
        self.drafts = Drafts(case, self.plans)
        self.review = Review(case, self.index, self.search, self.verdicts, self.evidence, self.matrix, self.plans)
        self.passages = PassageReview(case, self.verdicts, self.review)
        self.accuracy = Accuracy(case, self.search, self.evidence, self.ocr, self.plans, self.verdicts, self.review)
        self.reports = Reports(
            *(case, self.case, self.verdicts, self.evidence, self.matrix, self.plans, self.answers, self.accuracy),
            self.conflicts,
            lambda: self.audits.confirmed(),
        )
        self.audits = Audits(case, self.index, self.search, self.conflicts, self.matrix, self.reports)
        self.glossary = Glossary(case, self.documents)
        self.backups = Backups(store)
        self.typed_text = TypedText(store.path, store.key, holds_lock=not store.read_only)

    @classmethod
    def create(
        cls,
        path: Path,
        engines: Engines,
        *,
        title: str = "",
        who: str = "",
        now: Callable[[], datetime] = utc_now,
        key: CaseKey | None = None,
    ) -> Workbench:
        """Make a new case at ``path``, encrypted with ``key`` if one is given. Raises CaseExists, CannotWrite."""
        return cls(CaseFile.create(path, title=title or path.stem, who=who, now=now, key=key), engines)

    @classmethod
    def open(
        cls,
        path: Path,
        engines: Engines,
        *,
        who: str = "",
        now: Callable[[], datetime] = utc_now,
        without_unsaved: bool = False,
        key: CaseKey | None = None,
        progress: Progress | None = None,
    ) -> Workbench:
        """Open an existing case. ``progress`` shows, and can stop, what brings an older format up to date.

        Raises CaseNotFound, CaseInUse, CaseUnreadable, CaseCorrupt, CaseFromNewerVersion, PassphraseNeeded where it is
        encrypted and ``key`` is not for it, and CaseUnfinished unless ``without_unsaved``.
        """
        store = CaseFile.open(path, who=who, now=now, without_unsaved=without_unsaved, key=key, progress=progress)
        return cls(store, engines)

    def close(self) -> None:
        """Close the case file."""
        self.typed_text.close()
        self.store.close()

    def __enter__(self) -> Workbench:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """The file of the case."""
        return self.store.path

    @property
    def store(self) -> CaseFile:
        """The case file itself, for those who prove or migrate it; the window and the command line use the services."""
        return self._open.store

    @property
    def engines(self) -> Engines:
        """The engines at work; another set may take their place."""
        return self._open.engines

    @engines.setter
    def engines(self, engines: Engines) -> None:
        self._open.engines = engines
