"""The case itself: its title, settings, undo and redo, merging and proof."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.domain import OF_THE_FILE, CaseSettings, Changes, LogEntry, PageText, ShowMode
from core.errors import AppError, BadInput, CaseNotProven, PasswordNeeded, Problem
from core.ports import Reader
from core.progress import Progress, silent
from core.report_settings import ReportSettings
from core.store import CaseCheck, CaseKey, Merged, backups, integrity, merge, synced_folders

if TYPE_CHECKING:
    from core.open_case import OpenCase


@dataclass(frozen=True, slots=True)
class Undone:
    """A decision taken back or done again. ``rows`` are (table, key, became): 'there', 'gone' or 'changed'."""

    verb: str
    changes: Changes
    rows: tuple[tuple[str, str, str], ...] = ()


# Which part of the window shows a table of the decisions log.
_CHANGES_OF: dict[str, Changes] = {
    # A newer version of it flags rows, and its language says whether verdicts count.
    "document": Changes(documents=True, proposals=True, matrix=True),
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
    **dict.fromkeys(("answer", "audit"), Changes(results=True)),
    **dict.fromkeys(("conflict", "resolution"), Changes(matrix=True, results=True)),  # an open one flags rows
    "ocr_word": Changes(documents=True, proposals=True, evidence=True, matrix=True),
    "setting": Changes(documents=True, proposals=True, evidence=True, matrix=True),
}


_ASK = "Quote nothing from it. Open the original itself, and ask where the case comes from."
_NOT_COMPARED = {
    "reader": "read by another version of the reader",
    "OCR": "read by OCR, or corrected by a person",
    "password": "in files whose password is not stored",
}


class CaseService:
    """The case itself: its title, settings, undo and redo, merging and proof."""

    def __init__(self, case: OpenCase) -> None:
        self._open = case
        self._store = case.store

    @property
    def who(self) -> str:
        """The name that signs decisions."""
        return self._store.who

    def settings(self) -> CaseSettings:
        """Return the settings of the case."""
        return self._store.settings.get()

    def change_settings(
        self,
        *,
        blind: bool | None = None,
        show: ShowMode | None = None,
        grade_weights: Mapping[str, float] | None = None,
        ocr_languages: Sequence[str] | None = None,
        report: ReportSettings | None = None,
    ) -> Changes:
        """Change settings of the case, those that are given, as one decision."""
        self._store.settings.change(
            blind=blind, show=show, grade_weights=grade_weights, ocr_languages=ocr_languages, report=report
        )
        return Changes(proposals=True, evidence=True, matrix=True)

    def last_report(self, after: int = 0) -> int:
        """Return the entry of the log of the last report written later than entry ``after``; 0: none was."""
        return self._store.history.last_report(after)

    def decided_since(self, seq: int) -> int:
        """Count the decisions that came after entry ``seq`` of the log."""
        return self._store.history.decided_since(seq)

    def position(self) -> int:
        """Return the number of the last entry of the log."""
        return self._store.history.position()

    @property
    def read_only(self) -> bool:
        """Return whether the case can only be read."""
        return self._store.read_only

    @property
    def key(self) -> CaseKey | None:
        """Return the key of an encrypted case, which opens its copies too; None: it has no passphrase."""
        return self._store.key

    def title(self) -> str:
        """Return the title of the case."""
        return self._store.settings.title()

    def rename(self, title: str) -> Changes:
        """Set the title of the case; its file keeps its name. Raises BadInput for an empty one."""
        if not title.strip():
            raise BadInput(reason="A case needs a title.", remedy="Type one.")
        self._store.settings.set_title(title.strip())
        return Changes(matrix=True)

    def sign_as(self, who: str) -> None:
        """Sign the decisions from now on with this name."""
        self._store.log.sign_as(who)

    def undo(self) -> Undone | None:
        """Take back the last decision; None when there is none."""
        return _report_undo(self._store.undo.undo())

    def end_building(self) -> None:
        """Note that the sample case is built: undo takes back none of what was decided until now."""
        self._store.undo.end_building()

    def redo(self) -> Undone | None:
        """Do the last decision that was taken back again; None when there is none."""
        return _report_undo(self._store.undo.redo())

    def undo_text(self) -> str:
        """Name what undo would take back; '' for nothing."""
        entry = self._store.undo.undoable()
        return entry.verb if entry else ""

    def undo_stopped_by_erasure(self) -> bool:
        """Return whether undo has nothing left because documents were erased: it does not reach back past that."""
        return self._store.undo.stopped_by_erasure()

    def redo_text(self) -> str:
        """Name what redo would do again; '' for nothing."""
        entry = self._store.undo.redoable()
        return entry.verb if entry else ""

    def merge(self, path: Path, progress: Progress | None = None, key: CaseKey | None = None) -> Merged:
        """Bring another copy of this case, or another case on the same question, into this one; its file stays.

        Raises CaseNotFound, CaseUnreadable, CaseCorrupt, CaseFromNewerVersion, BadInput, and PassphraseNeeded where it
        is encrypted and neither ``key`` nor that of this case opens it.
        """
        return merge(self._store, path, progress or silent(), key)

    def save_copy(self, target: Path, progress: Progress | None = None) -> Path:
        """Write a whole copy of the case to a file that is not there yet. Raises CaseExists, CannotWrite, DiskFull."""
        return backups.save_copy(self._store, target, progress)

    def verify(self, progress: Progress | None = None) -> CaseCheck:
        """Check the whole case: every file and text, every quote, the log."""
        return self._store.verify(progress or silent())

    def compare_originals(self, check: CaseCheck, progress: Progress | None = None) -> CaseCheck:
        """Add to a check whether the pages say what their originals do, each of which is read again.

        A page that was read by another version of the reader or by OCR, or that a person corrected, cannot be compared;
        nor can a file whose password is not stored.
        """
        progress = progress or silent()
        reader, store = self._open.engines.reader, self._store
        corrected = {decision.page_id for decision in store.corrections.decisions()}
        documents = [
            document
            for document in (*store.documents.all(), *store.documents.removed())
            if document.status != "reading"
        ]
        problems: list[Problem] = []
        equal, skipped = 0, dict.fromkeys(_NOT_COMPARED, 0)
        for number, document in enumerate(documents):
            progress.step(number, len(documents), f"Reading {document.name} again")
            pages = {page.number: page for page in store.pages.of(document.id)}
            if not pages and document.status == "removed":
                continue
            if document.reader != reader.fingerprint:
                skipped["reader"] += len(pages)
                continue
            password = store.imports.password(document.id)
            try:
                texts = _texts(reader, store.documents.original(document.id), document.name, password, progress)
            except PasswordNeeded:
                skipped["password"] += len(pages)
                continue
            except AppError as error:
                progress.check()  # an engine is stopped where the check is cancelled
                what = f"Its original could not be read again. {error.sentence}"
                problems.append(Problem(f"{document.id} {document.name}", what, _ASK))
                continue
            for page in sorted(pages.keys() | texts.keys()):
                here = pages.get(page)
                if here is not None and (here.source not in OF_THE_FILE or here.id in corrected):
                    skipped["OCR"] += 1
                elif here is not None and here.fingerprint != document.reader:
                    skipped["reader"] += 1
                elif here is not None and texts.get(page) == here.sha256:
                    equal += 1
                else:
                    what = "Its text is not what its original says."
                    if here is None or page not in texts:
                        what = f"{'The case' if here is None else 'Its original'} has no such page."
                    problems.append(Problem(f"{document.id} {document.name}, page {page}", what, _ASK))
        progress.step(len(documents), len(documents), "Compared")
        counts = check.counts | {"texts compared": equal, "texts not compared": sum(skipped.values())}
        reasons = [f"{count:,} {_NOT_COMPARED[why]}" for why, count in skipped.items() if count]
        what = f"Page texts that cannot be compared with their originals: {', '.join(reasons)}."
        notes = (*check.notes, what) if reasons else check.notes
        return replace(
            check, ok=check.ok and not problems, counts=counts, problems=(*check.problems, *problems), notes=notes
        )

    def fault_at_opening(self) -> CaseNotProven | None:
        """Return the fault that was found when the case was opened; None if there was none."""
        fault = self._store.chain.added()
        return (
            CaseNotProven(path=self._store.path, fault=fault, effect="its contents are not proven") if fault else None
        )

    def altered_decision(self) -> CaseNotProven | None:
        """Return the first decision that is not what the log says of it, as an error; None if all are.

        The whole log is read for it.
        """
        fault = integrity.first_altered_decision(self._store)
        if fault is None:
            return None
        return integrity.not_proven(self._store.path, fault, "what was decided cannot be shown as it was")

    def holds_head(self, check: CaseCheck, head: str) -> CaseCheck:
        """Add to a check whether the log holds an entry with this hash, which an earlier report or check printed.

        A problem where it does not, a note where others came after it.
        """
        for later, entry in enumerate(reversed(self._store.log.entries())):
            if entry.hash == head.strip().lower():
                came = f"{later:,} {'entry' if later == 1 else 'entries'} of the log came after the given hash."
                return replace(check, notes=(*check.notes, came)) if later else check
        what = "It has no entry with the given hash: it is not the log that was reported then, or it was rewritten."
        problem = Problem("log", what, "Compare it with the copy of the case that the report was made from.")
        return replace(check, ok=False, problems=(*check.problems, problem))

    def rebuild_index(self) -> None:
        """Make the search index again."""
        self._store.rebuild_index()

    def index_rebuilds(self) -> int:
        """Count how often the search index was made again since the case was opened; a search does so by itself."""
        return self._store.rebuilds

    def counts(self) -> dict[str, int]:
        """Count what the case holds, by kind; ``vectors`` of the current embedder."""
        return self._store.counts()

    def synced_warning(self) -> tuple[str, str]:
        """Return what to do about a case in a folder that is synchronised with others; ('', '') for nothing."""
        return synced_folders.warning(self._store.path)

    def undoable(self) -> LogEntry | None:
        """Return the decision that undo would take back; None when there is none."""
        return self._store.undo.undoable()


def _texts(reader: Reader, data: bytes, name: str, password: str, progress: Progress) -> dict[int, str]:
    """Read a file again; return the SHA-256 of the text of each page, by its number."""
    texts = {}
    for item in reader.read(data, name, password=password):
        progress.check()
        if isinstance(item, PageText):
            texts[item.number] = hashlib.sha256(item.text.encode("utf-8", "surrogatepass")).hexdigest()
    return texts


def _report_undo(entry: LogEntry | None) -> Undone | None:
    """Report an entry of undo or redo: what became of each row; None for no entry."""
    if entry is None:
        return None
    before, after = json.loads(entry.before), json.loads(entry.after)
    changes = Changes()
    rows = []
    for table, now in after.items():
        changes = changes | _CHANGES_OF.get(table, Changes())
        for key, row in now.items():
            was = before.get(table, {}).get(key)
            rows.append((table, key, "gone" if row is None else "there" if was is None else "changed"))
    return Undone(entry.verb, changes, tuple(rows))
