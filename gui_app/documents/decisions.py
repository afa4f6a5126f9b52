"""What a person decides about documents: what is searched, what is newer, tags, and what is removed or brought back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from core.domain import Changes, Document
from gui_app.documents.erase_dialog import EraseQuestion, ask_erasure
from gui_app.documents.removal_dialog import Removal, ask_removal
from gui_app.session import CaseSession
from gui_app.shared import file_dialogs as files
from gui_app.shared.formatting import counted

if TYPE_CHECKING:
    from core.documents.service import ErasurePreview, ErasureResult
    from core.progress import Progress
    from core.store import CutText, Dependents
    from core.workbench import Workbench


class DocumentDecisions:
    """Each is carried out at once and can be undone; ``screen`` is the one that asks and that the dialogs belong to."""

    def __init__(self, screen: QWidget, session: CaseSession) -> None:
        self._screen, self._session = screen, session

    def set_scope(self, documents: Sequence[str], in_scope: bool) -> None:
        """Put documents in scope or out of it."""
        ids = list(documents)
        result = self._session.do(lambda bench: bench.documents.set_included(ids, in_scope), initiator=self._screen)
        if result is not None:
            state = "put in scope" if in_scope else "taken out of scope"
            self._session.tell(f"{counted(len(ids), 'document')} {state}", undo=True)

    def supersede(self, document: Document, rows: Sequence[Document]) -> None:
        """Ask which of ``rows`` is the newer version of a document."""
        candidates = [candidate for candidate in rows if candidate.id != document.id]
        names = [f"{row.id}  {row.name}" + (f"  ({row.date[:10]})" if row.date else "") for row in candidates]
        choice = files.ask_newer(self._screen, document.name, names)
        if choice is not None:
            self.set_newer(document, candidates[choice])

    def set_newer(self, document: Document, newer: Document | None) -> None:
        """Record that a document is superseded by another one, or by none."""
        newer_id = newer.id if newer is not None else ""
        outcome = self._session.do(
            lambda bench: bench.documents.supersede(document.id, newer_id), initiator=self._screen
        )
        if outcome is None:
            return
        words = f"superseded by {newer.name}" if newer is not None else "not superseded"
        self._session.tell(f"{document.name} is {words}", undo=True)

    def add_tags(self, ids: list[str]) -> None:
        """Ask for tags and give them to documents."""
        tags = files.ask_tags(self._screen, len(ids)) if ids else []
        if not tags:
            return
        result = self._session.do(lambda bench: bench.documents.describe(ids, add_tags=tags), initiator=self._screen)
        if result is not None:
            self._session.tell("{}: {}".format(counted(len(ids), "document"), ", ".join(tags)), undo=True)

    def remove(self, documents: Sequence[Document], names: Mapping[str, str]) -> None:
        """Remove documents; ask only where something rests on them. ``names`` are those of documents by id."""
        ids = [document.id for document in documents]
        dependents = self._session.do(lambda bench: bench.documents.dependents(ids)) if ids else None
        if dependents is None:
            return
        if dependents.some:
            removal = self._session.do(lambda bench: removal_of(bench, documents, dependents, names))
            if removal is None or not ask_removal(self._screen, removal):
                return
        result = self._session.do(lambda bench: bench.documents.remove(ids, with_evidence=True), initiator=self._screen)
        if result is not None:
            message = counted(len(dependents.documents), "document")
            if dependents.evidence:
                message += " and {} of evidence".format(counted(len(dependents.evidence), "piece"))
            self._session.tell(f"{message} removed", undo=True)

    def erase(self, documents: Sequence[Document], names: Mapping[str, str]) -> None:
        """Look for what would go with documents, ask, and erase them for good. ``names`` are those of documents."""
        ids = [document.id for document in documents]

        def asked(preview: ErasurePreview) -> None:
            question = self._session.do(lambda bench: question_of(bench, documents, preview, names))
            if question is not None and (with_backups := ask_erasure(self._screen, question)) is not None:
                self._erase(ids, with_backups=with_backups)

        if ids:
            self._session.run(
                "Checking what would go",
                lambda bench, progress: bench.documents.look_before_erasing(ids, progress),
                # Once the job has left the strip: the question waits for a person, and nothing is looked for meanwhile.
                done=lambda preview: QTimer.singleShot(0, self._screen, lambda: asked(preview)),
            )

    def _erase(self, ids: list[str], *, with_backups: bool) -> None:
        def work(bench: Workbench, progress: Progress) -> ErasureResult:
            return bench.documents.erase(ids, progress, with_backups=with_backups)

        def ended(result: ErasureResult) -> None:
            words = "{} erased for good".format(counted(len(result.erasure.documents), "document"))
            if result.removed_backups:
                words += ", {} deleted".format(counted(len(result.removed_backups), "backup"))
                self._session.backups.make()
            if result.problems:
                words += ", {} could not be".format(counted(len(result.problems), "backup"))
            self._session.tell(f"{words}. This cannot be undone.")

        self._session.run("Erasing for good", work, done=ended)

    def forget_passwords(self, ids: list[str]) -> None:
        """Take stored passwords of documents out of the case, after a question."""
        if not ids or not files.confirm_forgetting(self._screen, len(ids)):
            return

        def ended(names: list[str]) -> None:
            words = "{} erased. This cannot be undone.".format(counted(len(names), "password"))
            self._session.tell(words if names else "No password is stored for these documents")

        self._session.run(
            "Erasing passwords",
            lambda bench, _progress: bench.documents.forget_passwords(ids),
            done=ended,
            partial=Changes(documents=True),
        )

    def restore(self, ids: list[str]) -> None:
        """Bring removed documents back."""
        if ids and self._session.do(lambda bench: bench.documents.restore(ids), initiator=self._screen) is not None:
            self._session.tell("{} restored".format(counted(len(ids), "document")), undo=True)


def _line_of(text: str) -> str:
    """Return the first 140 characters of a text on one line, with a sign where it goes on."""
    text = " ".join(text.split())
    return text if len(text) <= 140 else f"{text[:139].rstrip()}…"


def _cut_line(text: CutText) -> str:
    """Return which text loses which words: 'Note of H2: “the relay let go again”'."""
    return f"{text.place[:1].upper()}{text.place[1:]}: “{_line_of(' … '.join(text.words))}”"


def question_of(
    bench: Workbench, documents: Sequence[Document], preview: ErasurePreview, names: Mapping[str, str]
) -> EraseQuestion:
    """Put into words what would go for good with documents, and what would stay."""
    texts = {item.id: item.text for item in bench.evidence.all()}
    erasure, hanging = preview.erasure, preview.erasure.dependents
    return EraseQuestion(
        documents=tuple(document.name for document in documents),
        children=tuple(f"{id}  {names.get(id, id)}" for id in hanging.children),
        rows=tuple(f"{id}  {_line_of(texts.get(id, ''))}" for id in hanging.evidence),
        cells=hanging.cells,
        results=erasure.results,
        names=erasure.names,
        holders=tuple(f"{id}  {names.get(id, id)}" for id in erasure.holders),
        reports=hanging.reports,
        backups=tuple(copy.path.name for copy in preview.copies if copy.is_backup),
        copies=tuple(str(copy.path) for copy in preview.copies if not copy.is_backup),
        cut_texts=tuple(_cut_line(text) for text in erasure.cut_texts),
    )


def removal_of(
    bench: Workbench, documents: Sequence[Document], dependents: Dependents, names: Mapping[str, str]
) -> Removal:
    """Put into words what would go with documents."""
    texts = {item.id: item.text for item in bench.evidence.all()}
    return Removal(
        documents=tuple(document.name for document in documents),
        children=tuple(f"{id}  {names.get(id, id)}" for id in dependents.children),
        rows=tuple(f"{id}  {_line_of(texts.get(id, ''))}" for id in dependents.evidence),
        cells=dependents.cells,
        proposals=dependents.proposals,
        judgements=dependents.judged,
        sentences=bench.matrix.removal_impact(*dependents.documents).sentences if dependents.evidence else (),
        reports=dependents.reports,
    )
