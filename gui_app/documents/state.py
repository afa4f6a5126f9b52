"""What the documents screen shows, as values: what the case holds of documents, and what is said of it. No widgets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.documents import left_out_parts
from core.domain import OF_THE_FILE, Document, NearDuplicate
from gui_app.shared.formatting import counted, lasting, when

if TYPE_CHECKING:
    from core.documents.importing import ImportReport
    from core.ocr.service import ScanReport
    from core.store import ImportCount, ImportedRow
    from core.workbench import Workbench


@dataclass(frozen=True, slots=True)
class DocumentsState:
    """The documents of the case and those apart from it.

    ``poor_pages`` are pages whose text does not look like text; ``locked_ids`` are the files that need a password.
    ``blank_pages`` count by document those in which OCR found no word, and which are not offered to it again.
    ``opened_ids`` were read with a password that is stored, ``closed_ids`` with one that was forgotten.
    """

    documents: Sequence[Document] = ()
    likenesses: Mapping[str, NearDuplicate] = field(default_factory=dict)
    failures: Sequence[Document] = ()
    removals: Sequence[Document] = ()
    locked_ids: frozenset[str] = frozenset()
    poor_pages: int = 0
    blank_pages: Mapping[str, int] = field(default_factory=dict)
    rows: Mapping[str, int] = field(default_factory=dict)  # of the matrix, by the document that they cite
    opened_ids: frozenset[str] = frozenset()
    closed_ids: frozenset[str] = frozenset()
    imports: Sequence[ImportCount] = ()

    def stopped_import(self) -> str:
        """Describe how far stopped imports came; '' for none."""
        open_counts = [count for count in self.imports if count.pending]
        read, total = (
            sum(count.files - count.pending for count in open_counts),
            sum(count.files for count in open_counts),
        )
        return f"Import stopped at {read:,} of {total:,}." if open_counts else ""

    def pages_without_text(self) -> int:
        """Count the pages that OCR could read."""
        return sum(
            d.pages_without_text - self.blank_pages.get(d.id, 0)
            for d in self.documents
            if d.status in ("ready", "needs_ocr")
        )

    def count(self) -> str:
        """Count the documents in words, with what is notable about them."""
        pages = sum(document.pages for document in self.documents)
        words = [counted(len(self.documents), "document"), counted(pages, "page")]
        out = sum(1 for document in self.documents if not document.included)
        unread = sum(d.status == "needs_ocr" and d.pages > self.blank_pages.get(d.id, 0) for d in self.documents)
        if out:
            words.append(f"{out} out of scope")
        if unread:
            words.append(f"{unread} without text")
        if self.failures:
            words.append(f"{len(self.failures)} not read")
        return " · ".join(words) if self.documents or self.failures else ""

    def scans(self, *, missing_engine: bool) -> str:
        """Count in words the pages that wait for OCR, and mention a missing OCR engine."""
        pages, poor = self.pages_without_text(), self.poor_pages
        singular = "1 page has no text, so search can’t find it."
        plural = f"{pages:,} pages have no text, so search can’t find them."
        words = "" if not pages else singular if pages == 1 else plural
        if poor:
            singular = "1 page has text that looks garbled or doesn’t match the page image."
            plural = f"{poor:,} pages have text that looks garbled or doesn’t match the page image."
            words = f"{words} {singular if poor == 1 else plural}".strip()
        return f"{words} No OCR engine is on this computer." if missing_engine else words

    def pair(self, selection: Collection[str], in_hand: Document | None) -> tuple[str, str] | None:
        """Return what a comparison would show, the older one first.

        These are two selected documents, or the current one and its newer version, its original, or a near copy.
        """
        ids = [row.id for row in self.documents if row.id in selection]  # in the order they came in
        if len(ids) == 2:
            first = next(item for item in self.documents if item.id == ids[1])
            return (ids[1], ids[0]) if first.superseded_by == ids[0] else (ids[0], ids[1])
        if in_hand is None:
            return None
        if in_hand.superseded_by:
            return in_hand.id, in_hand.superseded_by
        if in_hand.id in self.likenesses:
            return self.likenesses[in_hand.id].of, in_hand.id
        return next(((in_hand.id, item.document) for item in self.likenesses.values() if item.of == in_hand.id), None)


def load(bench: Workbench) -> DocumentsState:
    """Read the documents of the case."""
    documents = bench.documents.all()
    unread = bench.ocr.unread_pages()
    return DocumentsState(
        documents,
        bench.documents.near_duplicates(),
        bench.documents.failed(),
        bench.documents.removed(),
        frozenset(bench.documents.locked()),
        sum(unread[document.id][1] for document in documents if document.id in unread),
        bench.ocr.blank_pages(),
        Counter(row.document for row in bench.evidence.all() if row.document is not None),
        frozenset(bench.documents.with_password()),
        frozenset(bench.documents.without_password()),
        bench.documents.import_counts(),
    )


def first_poor_page(bench: Workbench) -> tuple[str, int] | None:
    """Find the first page whose text does not look like text: its document and number."""
    poor = (document for document, (_, pages) in bench.ocr.unread_pages().items() if pages)
    pages = ((id, page) for id in poor for page in bench.ocr.pages_to_read(id))
    return next(((id, page.number) for id, page in pages if page.source in OF_THE_FILE), None)


def scan_summary(report: ScanReport) -> str:
    """Describe what OCR read, and the first page it could not read."""
    found = counted(report.words, "word") if report.words or not report.pages else "blank"
    message = f"{counted(report.pages, 'page')} read, {found}"
    if report.problems:
        first = report.problems[0]
        message += f"; {counted(len(report.problems), 'page')} not: {first.where}: {first.what} {first.hint}"
    return f"{message}."


def whole_import(
    rows: Sequence[ImportedRow], earlier: Callable[[int], Sequence[ImportedRow]]
) -> tuple[Sequence[ImportedRow], str]:
    """Return the files of the last import and when it was, with what became of those only read again since.

    ``rows`` are those of the last run; ``earlier(run)`` gives those of a run before it.
    """
    moment, run = rows[0].at, rows[0].run
    while run > 1:
        earlier_rows = earlier(run - 1)
        failures = {row.document for row in earlier_rows if row.status == "failed"}
        again = {row.document: row for row in rows if not row.parent}
        if None in again or not set(again) <= failures:
            break
        contents = [row for row in rows if row.parent]
        rows = [again.get(row.document, row) if row.document in failures else row for row in earlier_rows] + contents
        moment, run = earlier_rows[0].at, run - 1
    return rows, moment


def stored_summary(rows: Sequence[ImportedRow], moment: str) -> str:
    """Describe the outcome of a stored import."""
    failures, same = (sum(row.status == status for row in rows) for status in ("failed", "duplicate"))
    additions = len(rows) - failures - same
    parts = f"{additions:,} added, {counted(same, 'duplicate')}, {failures:,} failed"
    return f"{counted(len(rows), 'file')} on {when(moment)}: {parts}."


def last_import_words(rows: Sequence[ImportedRow], counts: Sequence[ImportCount]) -> str:
    """Describe the outcome of the last import in a line; '' for none.

    ``counts`` are those of every import.
    """
    files = [row for row in rows if not row.parent]
    run = min((row.run for row in files), default=0)
    count = next((count for count in counts if count.run == run), None)
    total = max(len(files), count.files if count is not None else 0)
    failures, same = (sum(row.status == status for row in files) for status in ("failed", "duplicate"))
    parts = [f"{len(files) - failures - same:,} of {total:,} added"]
    if same:
        parts.append(counted(same, "duplicate"))
    if failures:
        parts.append(f"{failures:,} failed")
    inside = sum(row.status == "failed" for row in rows if row.parent)
    if inside:
        parts.append(f"{counted(inside, 'file')} inside failed")
    if total > len(files):
        parts.append(f"{total - len(files):,} {'still to be read' if count and count.pending else 'not read'}")
    return f"Last import: {', '.join(parts)}" if files else ""


def report_summary(report: ImportReport) -> str:
    """Describe the outcome of the files that were just added."""
    statuses = [item.status for item in report.documents]
    additions = sum(status in ("added", "near_duplicate") for status in statuses)
    failures, near = statuses.count("failed"), statuses.count("near_duplicate")
    same = len(statuses) - additions - failures
    contents = sum(1 for item in report.documents if item.parent)
    files = counted(len(statuses) - contents, "file") + (f" and {contents:,} inside them" if contents else "")
    parts = f"{additions:,} added, {counted(same, 'duplicate')}, {failures:,} failed"
    summary = f"{files}: {parts}, in {lasting(report.seconds)}."
    if same:
        summary += " A duplicate is never stored twice."
    if near:
        summary += f" {counted(near, 'document')} nearly the same as another; copies of one report count once."
    new = [item for item in report.documents if item.left_out and item.status != "duplicate"]
    if new:
        ledger = left_out_parts.grouped(part for item in new for part in item.left_out)
        words = left_out_parts.in_words(ledger, places=False)
        summary += f" Left out of {counted(len(new), 'file')}: {words}."
    return summary


def newer_summary(report: ImportReport) -> str:
    """Count in words the documents that the import superseded, and what quotes them; '' for none."""
    newer = [item for item in report.documents if item.version_of]
    if not newer:
        return ""
    quotes = sum(len(item.dependents) for item in newer)
    singular = "; 1 piece of evidence quotes an older version"
    plural = f"; {quotes:,} pieces of evidence quote an older version"
    return f"{counted(len(newer), 'document')} superseded{'' if not quotes else singular if quotes == 1 else plural}"
