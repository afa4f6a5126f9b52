"""The one facade: the verbs of the product on one open case.

A verb runs steps on values, keeps the result in the case and says what changed. The window and the command line are its
two clients. Long verbs take a ``Progress`` and may run on a thread of their own while quick ones go on: the case file
takes short transactions only, and nothing is computed inside one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from core.documents.service import file_bytes
from core.domain import Absence, Changes, Level, LogEntry, Rating
from core.errors import BadInput, Problem
from core.evidence import quotes as verify
from core.matrix.service import Added
from core.plans.drafting import Drafting
from core.ports import Engines
from core.progress import Progress, silent
from core.review.service import Reviewing
from core.store import Backups, CaseCheck, CaseFile, Merged, merge
from core.store import backups as backups  # for its two clients: a case need not be open to have backups
from core.text import over_pages

LONGEST_HYPOTHESIS = 1_000  # characters; the judge's window must hold a passage beside it


@dataclass(frozen=True, slots=True)
class MatrixImport:
    """What came in with a matrix made elsewhere, counted, and what did not.

    ``matched`` hypotheses were in the case already, by their text. ``problems`` are places that could not be taken as
    they stand, ``left_out`` parts of the file that a case has no place for or computes anew.
    """

    file: str
    title: str
    format: str
    hypotheses: int
    matched: int
    evidence: int
    ratings: int
    unrated: int
    problems: tuple[Problem, ...]
    left_out: tuple[str, ...]
    rows: tuple[str, ...] = ()  # ids of the new evidence
    changes: Changes = Changes(hypotheses=True, evidence=True, matrix=True)


@dataclass(frozen=True, slots=True)
class Undone:
    verb: str
    changes: Changes


# Which part of the window shows a table of the decisions log.
_SHOWN: dict[str, Changes] = {
    "document": Changes(documents=True, matrix=True),  # a newer version of it flags rows
    "hypothesis": Changes(hypotheses=True, matrix=True),
    "proposal": Changes(proposals=True),
    "evidence": Changes(evidence=True, matrix=True),
    "rating": Changes(matrix=True),
    "suggestion": Changes(matrix=True),
    "likelihood": Changes(matrix=True),
    "consideration": Changes(hypotheses=True),
    "entity": Changes(documents=True),
    "plan_query": Changes(hypotheses=True),
    "relevance": Changes(hypotheses=True),
    "ocr_word": Changes(documents=True, proposals=True, evidence=True, matrix=True),
    "setting": Changes(documents=True, proposals=True, evidence=True, matrix=True),
}


def utc_now() -> datetime:
    return datetime.now(UTC)


class Workbench(Drafting, Reviewing):
    """One open case with the engines that work on it."""

    def __init__(self, case: CaseFile, engines: Engines) -> None:
        super().__init__(case, engines)
        self.backups = Backups(case)

    @classmethod
    def create(
        cls, path: Path, engines: Engines, *, title: str = "", who: str = "", now: Callable[[], datetime] = utc_now
    ) -> Workbench:
        """A new case at ``path``. Raises CaseExists, CannotWrite."""
        return cls(CaseFile.create(path, title=title or path.stem, who=who, now=now), engines)

    @classmethod
    def open(cls, path: Path, engines: Engines, *, who: str = "", now: Callable[[], datetime] = utc_now) -> Workbench:
        """An existing case. Raises CaseNotFound, CaseInUse, CaseUnreadable, CaseCorrupt, CaseFromNewerVersion."""
        return cls(CaseFile.open(path, who=who, now=now), engines)

    def close(self) -> None:
        self.case.close()

    def __enter__(self) -> Workbench:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def path(self) -> Path:
        return self.case.path

    def title(self) -> str:
        return self.case.title()

    def sign_as(self, who: str) -> None:
        """Sign the decisions from now on with this name."""
        self.case.sign_as(who)

    # --- hypotheses --------------------------------------------------------------------------------------------------

    def add_hypothesis(self, text: str, note: str = "", *, kind: str = "") -> Added:
        return Added(
            self.case.add_hypothesis(_hypothesis_text(text), note=note.strip(), kind=kind).id,
            Changes(hypotheses=True, matrix=True),
        )

    def edit_hypothesis(self, hypothesis: str, *, text: str, note: str = "") -> Changes:
        self.case.edit_hypothesis(hypothesis, text=_hypothesis_text(text), note=note.strip())
        return Changes(hypotheses=True, matrix=True)

    def remove_hypothesis(self, hypothesis: str) -> Changes:
        self.case.remove_hypothesis(hypothesis)
        return Changes(hypotheses=True, proposals=True, matrix=True)

    # --- decisions ---------------------------------------------------------------------------------------------------

    def undo(self) -> Undone | None:
        """Take back the last decision; None when there is none."""
        return _undone(self.case.undo())

    def redo(self) -> Undone | None:
        return _undone(self.case.redo())

    def undo_text(self) -> str:
        entry = self.case.undoable()
        return entry.verb if entry else ""

    def redo_text(self) -> str:
        entry = self.case.redoable()
        return entry.verb if entry else ""

    def add_evidence(
        self, text: str, source: str = "", credibility: Level | None = None, relevance: Level | None = None
    ) -> Added:
        """A row in the analyst's own words."""
        if not text.strip():
            raise BadInput(reason="Evidence needs a text.", remedy="Say in a sentence what was observed.")
        added = self.case.add_evidence(
            text=text.strip(), source=source.strip(), credibility=credibility, relevance=relevance
        )
        return Added(added.id, Changes(evidence=True, matrix=True))

    def add_quote(
        self,
        document: str,
        page: int,
        start: int,
        end: int,
        text: str = "",
        more: Sequence[tuple[int, int, int]] = (),
        note: str = "",
    ) -> Added:
        """A row from a stretch of a page that the analyst marked; ``more`` are the pages after it on which the quote
        goes on, with the stretch of each. What is a row already stays as it is. Raises BadInput, NoSuchItem."""
        further = [(self.case.page(document, number), first, last) for number, first, last in more]
        quote = verify.span(self.case.page(document, page), start, end, further)
        name = self.case.document(document).name
        said = over_pages(quote.text, *(part.text for part in quote.more))
        before = {row.id for row in self.case.quoting(document)}
        added = self.case.add_evidence(text=text.strip() or said, source=name, quote=quote, note=note)
        if added.id in before:
            return Added(added.id, Changes(), new=False)
        return Added(added.id, Changes(evidence=True, matrix=True))

    def add_absence(self, hypothesis: str, text: str, queries: Sequence[str], *, k: int = 10) -> Added:
        """A row for what one would expect under a hypothesis, searched for with ``queries`` and not found.

        The searches are run now; what was looked at is kept with the row. Raises BadInput, NoSuchItem.
        """
        asked = [query.strip() for query in queries if query.strip()]
        if not text.strip() or not asked:
            raise BadInput(
                reason="What was expected needs a text and at least one search.",
                remedy="Say what one would see if the hypothesis were true, and the words to look for.",
            )
        results = self.look_for(asked, k=k)
        included = [document for document in self.case.documents() if document.included]
        looked_at = {passage.chunk for result in results for passage in result.passages}
        absence = Absence(hypothesis, tuple(asked), self.case.now(), len(included), len(looked_at))
        source = f"searched {len(looked_at)} passages in {len(included)} documents; not found"
        added = self.case.add_evidence(text=text.strip(), source=source, absence=absence)
        return Added(added.id, Changes(evidence=True, matrix=True))

    def merge(self, path: Path, progress: Progress | None = None) -> Merged:
        """Bring another copy of this case, or another case on the same question, into this one; its file stays.

        Raises CaseNotFound, CaseUnreadable, CaseCorrupt, CaseFromNewerVersion, BadInput.
        """
        return merge(self.case, path, progress or silent())

    # --- matrices made elsewhere -------------------------------------------------------------------------------------

    def import_matrix(self, path: Path, progress: Progress | None = None, *, choose: str = "") -> MatrixImport:
        """Bring in a matrix that another program made: whole, in one's own name, as one decision; or nothing at all.

        Its hypotheses are added unless the case has one of the same text; its evidence is added as rows of one's own.
        Raises BadInput for a file that holds no matrix, SeveralMatrices where ``choose`` must name one.
        """
        progress = progress or silent()
        progress.step(0, 2, f"Reading {path.name}")
        reader = self.engines.viewer or self.engines.reader
        with progress.asking():
            given = reader.read_matrix(file_bytes(path), path.name, choose=choose)
        progress.step(1, 2, f"Bringing in {path.name}")
        before = {evidence.text for evidence in self.case.evidence()}
        known = {hypothesis.id for hypothesis in self.case.hypotheses()}
        rows: list[tuple[dict[str, str | None], dict[int, Rating]]] = []
        remarks: dict[tuple[int, int], tuple[str, str]] = {}
        for at, row in enumerate(given.rows):
            fields: dict[str, str | None] = {
                "text": row.text,
                "source": row.source,
                "date": row.date,
                "credibility": row.credibility,
                "relevance": row.relevance,
                "reliability": row.reliability,
                "information": row.information,
                "note": row.note,
                "kind": row.kind,
            }
            rows.append((fields, {n: cell.rating for n, cell in enumerate(row.cells) if cell.rating is not None}))
            remarks |= {(at, n): (cell.note, cell.confidence) for n, cell in enumerate(row.cells) if cell.rating}
        columns, ids = self.case.add_matrix([(h.text, h.note) for h in given.hypotheses], rows, remarks=remarks)
        problems = given.problems
        again = sum(row.text in before for row in given.rows)
        if again:
            what = f"{again} of its pieces of evidence have the text of one that the case had already."
            problems += (Problem(path.name, what, "Undo the import, or take out what is there twice."),)
        progress.step(2, 2, "Matrix brought in")
        ratings = sum(len(rated) for _, rated in rows)
        return MatrixImport(
            file=path.name,
            title=given.title,
            format=given.format,
            hypotheses=len(columns),
            matched=len(known & set(columns)),
            evidence=len(ids),
            ratings=ratings,
            unrated=len(ids) * len(columns) - ratings,
            problems=problems,
            left_out=given.left_out,
            rows=tuple(ids),
        )

    # --- quotes, report, health --------------------------------------------------------------------------------------

    def quote(self, text: str, document: str | None = None) -> verify.Answer:
        """Where a quote stands: verified, near (with the differences), not found, or unchecked."""
        return self.quotes([(text, document)])[0]

    def quotes(self, texts: Sequence[tuple[str, str | None]]) -> list[verify.Answer]:
        """One answer for each (text, document or None for all); the pages are read once."""
        for document in {document for _, document in texts if document is not None}:
            self.case.document(document)
        only = {document for _, document in texts}
        corpus = verify.Corpus(self.case.pages(only.pop() if len(only) == 1 else None))
        return [corpus.find(text, document=document) for text, document in texts]

    def save_copy(self, target: Path, progress: Progress | None = None) -> Path:
        """Write a whole copy of the case to a file that is not there yet. Raises CaseExists, CannotWrite, DiskFull."""
        return backups.save_copy(self.case, target, progress)

    def verify(self, progress: Progress | None = None) -> CaseCheck:
        return self.case.verify(progress or silent())

    def rebuild_index(self) -> None:
        self.case.rebuild_index()


def _undone(entry: LogEntry | None) -> Undone | None:
    if entry is None:
        return None
    changes = Changes()
    for table in json.loads(entry.after):
        changes = changes | _SHOWN.get(table, Changes())
    return Undone(entry.verb, changes)


def _hypothesis_text(text: str) -> str:
    stripped = " ".join(text.split())
    if not stripped:
        raise BadInput(reason="A hypothesis needs a text.", remedy="Write one sentence that could be true or false.")
    if len(stripped) > LONGEST_HYPOTHESIS:
        raise BadInput(
            reason=f"This hypothesis has {len(stripped):,} characters; the judge can weigh at most "
            f"{LONGEST_HYPOTHESIS:,} beside a passage, so it was not added.",
            remedy="Put it in one sentence and keep the rest as its note.",
        )
    return stripped
