"""The documents of a case: added, described, replaced by newer versions, compared, taken out, shown."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING

from core import files
from core.documents import descriptions, folder_scan, languages, relations, version_diff
from core.documents.folder_scan import Preview
from core.documents.importing import Importer, ImportReport, comparable_text
from core.domain import Changes, Document, NearDuplicate, Page, PageText, Section, Words
from core.errors import BadInput, PasswordNeeded, Problem
from core.language import identification
from core.ports import Outline, Picture
from core.progress import Progress, silent
from core.store import CaseCopy, Dependents, Erasure, ImportCount, ImportedRow, Relatives, backups, copies_with

_FIRST_PAGES = 5  # that are looked at for a sentence

if TYPE_CHECKING:
    from core.ocr.service import Ocr
    from core.open_case import OpenCase
    from core.search.embedding_index import EmbeddingIndex


HASH_LIST = "SHA256SUMS"  # the name under which such a list is known


@dataclass(frozen=True, slots=True)
class Versions:
    """Two documents compared: their whole texts, what differs, and where each page begins in them (offset, number)."""

    older: Document
    newer: Document
    old: str
    new: str
    differences: tuple[version_diff.Difference, ...]
    old_pages: tuple[tuple[int, int], ...]
    new_pages: tuple[tuple[int, int], ...]

    def old_place(self, offset: int) -> tuple[int, int]:
        """Return the page of ``older`` that an offset of ``old`` lies on, and the offset in that page."""
        return _place(self.old_pages, offset)

    def new_place(self, offset: int) -> tuple[int, int]:
        """Return the same for ``newer`` and ``new``."""
        return _place(self.new_pages, offset)


def _place(pages: Sequence[tuple[int, int]], offset: int) -> tuple[int, int]:
    start, number = pages[max(0, bisect_right(pages, offset, key=lambda page: page[0]) - 1)]
    return number, offset - start


def _file_name(document: Document) -> str:
    """Return D1.pdf. A case made by somebody else may hold any id and any name: neither leads out of a folder."""
    stem = document.id if re.fullmatch("[A-Z][0-9]{1,12}", document.id) else document.id.encode().hex()[:40]
    ending = Path(document.name).suffix.lower()
    return stem + (ending if re.fullmatch(r"\.[a-z0-9]{1,8}", ending) else "")


@dataclass(frozen=True, slots=True)
class Removal:
    """The things that went with documents that were taken out."""

    dependents: Dependents
    changes: Changes = Changes(documents=True, proposals=True, evidence=True, matrix=True)


@dataclass(frozen=True, slots=True)
class ErasurePreview:
    """The things that would go for good with documents, and the copies of the case that would still hold them."""

    erasure: Erasure
    copies: tuple[CaseCopy, ...]


@dataclass(frozen=True, slots=True)
class ErasureResult:
    """Documents that were taken out for good.

    ``entries`` of the log were blanked, ``removed_backups`` overwritten and taken away; ``copies`` of the case still
    hold them, among them backups that could not be taken away: ``problems``.
    """

    erasure: Erasure
    entries: int
    copies: tuple[CaseCopy, ...]
    removed_backups: tuple[Path, ...] = ()
    problems: tuple[Problem, ...] = ()
    changes: Changes = Changes(
        documents=True, hypotheses=True, proposals=True, evidence=True, matrix=True, results=True
    )


@dataclass(frozen=True, slots=True)
class DescriptionsRead:
    """The documents of which something else is known since their first pages were read again."""

    documents: tuple[str, ...]
    changes: Changes


@dataclass(frozen=True, slots=True)
class Discard:
    """The number of files that a stopped import does not wait for any more."""

    files: int
    changes: Changes = Changes(documents=True)


class Documents:
    """The documents of the case: adding, describing, comparing, removing them, and their pages."""

    def __init__(self, case: OpenCase, index: EmbeddingIndex, ocr: Ocr) -> None:
        self._open = case
        self._store = case.store
        self._importer = Importer(case, index, ocr)

    def supersede(self, document: str, by: str) -> Changes:
        """Take ``by`` for a newer version of ``document``; '' takes it back."""
        self._store.descriptions.supersede(document, by)
        return Changes(documents=True, matrix=True)

    def text_of(self, document: str) -> str:
        """Read a document as far as documents are compared: a long one is not read to its end."""
        return comparable_text(self._store, document)

    def all(self) -> list[Document]:
        """List the documents that are neither ``failed`` nor ``removed``."""
        return self._store.documents.all()

    def failed(self) -> list[Document]:
        """List the files that are kept and could not be read, with the reason."""
        return self._store.documents.failed()

    def removed(self) -> list[Document]:
        """List the documents that were taken out; ``restore`` brings them back."""
        return self._store.documents.removed()

    def locked(self) -> set[str]:
        """Return those failed documents that only need their password."""
        return self._store.imports.locked()

    def get(self, document: str) -> Document:
        """Return one document. Raises NoSuchItem."""
        return self._store.documents.get(document)

    def page(self, document: str, number: int) -> Page:
        """Return one page, by its number from 1. Raises NoSuchItem."""
        return self._store.pages.page(document, number)

    def proven_page(self, document: str, number: int) -> Page:
        """Return a page with all that belongs to it, held against the log.

        Raises NoSuchItem, CaseCorrupt, CaseNotProven.
        """
        page = self._store.pages.page(document, number)
        self._store.prove_pages([page.id])
        return page

    def pages(self, document: str) -> Iterator[Page]:
        """Yield the pages of a document in order."""
        return self._store.pages.of(document)

    def words(self, page_id: int) -> Words:
        """Return the word boxes of a page."""
        return self._store.pages.words(page_id)

    def sections(self, document: str) -> list[tuple[int, Section]]:
        """List the headings of a document in order, each with the number of its page."""
        return self._store.pages.sections(document)

    def original(self, document: str) -> bytes:
        """Return the bytes of the file as it was added. Raises NoSuchItem."""
        return self._store.documents.original(document)

    def write_originals(
        self, folder: Path, documents: Sequence[str] | None = None, progress: Progress | None = None
    ) -> list[tuple[Document, str]]:
        """Write originals into a folder, as D1.pdf, and beside them a list that ``sha256sum -c`` compares them with.

        The hashes of the list are those that the case recorded when the files were added, as the report has them. None
        of ``documents`` means all. Returns the documents with the names of their files. Raises BadInput for a folder
        that holds anything, NoSuchItem, CannotWrite.
        """
        progress = progress or silent()
        selection = self.all() if documents is None else [self.get(identity) for identity in dict.fromkeys(documents)]
        if not files.is_free_folder(folder):
            raise BadInput(reason=f"{folder} is there and not empty.", remedy="Name a new folder.")
        names = [(document, _file_name(document)) for document in selection]
        for number, (document, name) in enumerate(names):
            progress.step(number, len(names), f"Writing {name}")
            files.write(folder / name, self.original(document.id), make_folder=True, never=self._store.path)
        sums = "".join(f"{document.sha256}  {name}\n" for document, name in names)
        files.write(folder / HASH_LIST, sums, make_folder=True, never=self._store.path)
        return names

    def picture(
        self, document: str, number: int, scale: float = 1.5, *, clip: tuple[float, float, float, float] | None = None
    ) -> Picture:
        """Draw the page, or the part of it in ``clip`` (points).

        Raises UnreadableDocument for formats without pages.
        """
        reader = self._open.engines.viewer or self._open.engines.reader
        name, password = self._store.documents.get(document).name, self._store.imports.password(document)
        return reader.render(
            self._store.documents.original(document), name, number, scale=scale, clip=clip, password=password
        )

    def strip(self, document: str, number: int, box: tuple[float, float, float, float], scale: float) -> Picture:
        """Draw the part of a page around a box in points, as wide as the page, the box lined; raises as ``picture``."""
        reader = self._open.engines.viewer or self._open.engines.reader
        name, password = self._store.documents.get(document).name, self._store.imports.password(document)
        return reader.crop(
            self._store.documents.original(document), name, number, [box], scale=scale, password=password
        )

    def set_included(self, documents: Sequence[str], is_included: bool) -> Changes:
        """Take documents into the scope of every search, or out of it."""
        self._store.documents.set_included(documents, is_included)
        return Changes(documents=True)

    def describe(self, documents: Sequence[str], **fields: str | Sequence[str]) -> Changes:
        """Set what people say of documents, the same for all of them.

        Tags, title, author, origin, place, reliability (A-F), information (1-6), dated (ISO 8601), note or language;
        '' leaves what the file says. add_tags and remove_tags change the tags of each. New evidence from a document
        starts with its source, title, grade and date. Raises NoSuchItem, BadInput.
        """
        changes = self._store.descriptions.describe(documents, fields)
        is_judged_otherwise = changes.documents and "language" in fields
        return changes | Changes(proposals=is_judged_otherwise, matrix=is_judged_otherwise)

    def read_descriptions(self, progress: Progress | None = None) -> DescriptionsRead:
        """Read titles, authors, publishers, places and dates again out of the first pages of all documents.

        For those that were added before these were read; what people said of a document stays.
        """
        progress = progress or silent()
        outlines: dict[str, Outline] = {}
        documents = [document for document in self._store.documents.all() if document.status in ("ready", "needs_ocr")]
        for index, document in enumerate(documents):
            progress.step(index, len(documents), "Reading titles and dates")
            if document.kind in descriptions.TEXTS or not document.attributions:
                outlines[document.id] = descriptions.complete(
                    descriptions.outline_of(document), self._first_page(document)
                )
        documents_read = tuple(self._store.descriptions.restate(outlines))
        return DescriptionsRead(documents_read, Changes(documents=bool(documents_read)))

    def without_language(self) -> list[str]:
        """List the documents with text whose language nobody has looked for: an older program added them."""
        return languages.unknown(self._open)

    def recognise_languages(self, progress: Progress | None = None) -> list[str]:
        """Recognise the languages of the documents that ``without_language`` lists; return those that have one now."""
        return languages.recognise(self._open, self.without_language(), progress)

    def has_running_text(self, document: str) -> bool:
        """Return whether a document has a sentence on its first pages, so that its words can tell its language."""
        pages = islice(self._store.pages.of(document), _FIRST_PAGES)
        return any(identification.has_running_text(page.text) for page in pages)

    def _first_page(self, document: Document) -> PageText | None:
        page = next(self._store.pages.of(document.id), None)
        if page is None:
            return None
        headings = tuple(section for number, section in self.sections(document.id) if number == page.number)
        return PageText(page.number, page.text, source=page.source, sections=headings, language=document.language)

    def tags(self) -> list[str]:
        """List every tag that a document has."""
        return self._store.descriptions.tags()

    def relatives(self, document: str) -> Relatives:
        """Return the documents that one belongs with: found in, versions, nearly the same. Raises NoSuchItem."""
        return self._store.descriptions.relatives(document)

    def word_counts(self) -> dict[str, int]:
        """Count the words of each document. Every page is read for it: a second for some hundred MB of text."""
        return self._store.pages.word_counts()

    def families(self, progress: Progress | None = None) -> list[relations.Family]:
        """Group documents that repeat one another: versions, near copies, those that print the same sentences.

        Of those that can be read, the largest family first; see ``core.documents.relations``. Every page is read.
        """
        progress = progress or silent()
        documents = [document for document in self.all() if document.status == "ready"]
        dates = {document.id: descriptions.certain_date_of(document)[:10] for document in documents}
        places: dict[str, list[relations.SentencePlace]] = {}
        for index, document in enumerate(documents):
            progress.step(index, len(documents), "Comparing sentences")
            pages = self._store.pages.of(document.id)
            places[document.id] = [place for page in pages for place in relations.places_of(page.text, page.number)]
        return relations.families(documents, dates, self.near_duplicates().values(), places)

    def dependents(self, documents: Sequence[str]) -> Dependents:
        """Return what would be lost with documents. Raises NoSuchItem."""
        return self._store.removal.dependents(documents)

    def remove(self, documents: Sequence[str], *, with_evidence: bool = False) -> Removal:
        """Take documents out with what was found in them: neither listed nor searched any more.

        Their files are kept; undo, or adding a file again, brings them back. Raises NoSuchItem; BadInput, naming them,
        where evidence or other documents would go too and ``with_evidence`` does not say so.
        """
        return Removal(self._store.removal.remove(documents, with_evidence=with_evidence))

    def restore(self, documents: Sequence[str]) -> Changes:
        """Bring removed documents back, as one decision. Raises NoSuchItem."""
        self._store.removal.restore(documents)
        return Changes(documents=True)

    def look_before_erasing(self, documents: Sequence[str], progress: Progress | None = None) -> ErasurePreview:
        """Find what would go for good with documents, and which copies of the case hold them.

        Every page is read for it. Raises NoSuchItem, BadInput.
        """
        erasure = self._store.erasures.look(documents, progress or silent())
        return ErasurePreview(erasure, tuple(copies_with(self._store, erasure.sha256.values())))

    def erase(
        self, documents: Sequence[str], progress: Progress | None = None, *, with_backups: bool = False
    ) -> ErasureResult:
        """Take documents out for good, with all that was made of them; rows that quoted them stay, withdrawn.

        No undo brings them back. Backups that hold them go too where ``with_backups`` says so. Raises NoSuchItem,
        BadInput, CaseReadOnly, DiskFull.
        """
        report = self._store.erasures.erase(documents, progress or silent())
        copies = copies_with(self._store, report.erasure.sha256.values())
        holding = [copy.path for copy in copies if copy.is_backup and with_backups]
        problems = backups.erase(holding)
        removed_backups = tuple(path for path in holding if not path.exists())
        left = tuple(copy for copy in copies if copy.path not in removed_backups)
        return ErasureResult(report.erasure, report.entries, left, removed_backups, tuple(problems))

    def with_password(self) -> list[str]:
        """List the documents whose password the case keeps."""
        return self._store.imports.with_password()

    def forget_passwords(self, documents: Sequence[str]) -> list[str]:
        """Take the passwords of documents out of the case for good; return whose there were. Raises NoSuchItem."""
        return self._store.erasures.forget_passwords(documents)

    def without_password(self) -> set[str]:
        """Return the documents that were read with a password that the case has forgotten."""
        return self._store.imports.without_password()

    def store_password(self, documents: Sequence[str], password: str, progress: Progress | None = None) -> list[str]:
        """Store the password of documents that were read before; return those that it opens.

        Their texts stay as they are. Raises NoSuchItem, BadInput for one that opens without a password.
        """
        progress = progress or silent()
        matches = []
        for number, identity in enumerate(documents):
            document = self._store.documents.get(identity)
            progress.step(number, len(documents), f"Opening {document.name}")
            if self._opens(document, "", progress):
                raise BadInput(reason=f"{identity} opens without a password.", remedy="Choose one that needs it.")
            if password and self._opens(document, password, progress):
                self._store.imports.put_password(identity, password)
                matches.append(identity)
        return matches

    def _opens(self, document: Document, password: str, progress: Progress) -> bool:
        reader, data = self._open.engines.reader, self._store.documents.original(document.id)
        try:
            for _ in reader.read(data, document.name, password=password):
                progress.check()
        except PasswordNeeded:
            return False
        return True

    def compare_versions(self, left: str, right: str) -> Versions:
        """Set two documents side by side, ``left`` as the older version. Raises BadInput for one with itself."""
        if left == right:
            raise BadInput(reason="A document cannot be compared with itself.", remedy="Name two documents.")
        documents = self._store.documents.get(left), self._store.documents.get(right)
        texts: list[str] = []
        begins: list[tuple[tuple[int, int], ...]] = []
        for document in documents:
            pages = list(self._store.pages.of(document.id))
            starts = accumulate((len(page.text) + 1 for page in pages), initial=0)
            texts.append("\n".join(page.text for page in pages))
            begins.append(tuple((start, page.number) for start, page in zip(starts, pages, strict=False)) or ((0, 1),))
        (old, new), (old_pages, new_pages) = texts, begins
        return Versions(*documents, old, new, version_diff.compare(old, new), old_pages, new_pages)

    def near_duplicates(self) -> dict[str, NearDuplicate]:
        """Map documents to the earlier one that they are nearly the same as."""
        return self._store.documents.likenesses()

    def imports(self, run: int | None = None) -> list[ImportedRow]:
        """List what became of every file of every import, or of one of them; 0 is the last."""
        return self._store.imports.imported(run)

    def new_in(self, folder: Path) -> list[Path]:
        """List the files of a folder that are new or changed since they were added, as far as they may hold text."""
        return folder_scan.new_in(self._store, folder)

    def preview(self, paths: Sequence[Path], progress: Progress | None = None) -> Preview:
        """Sort files and folders by what adding them would do; nothing is written."""
        return folder_scan.preview(self._store, paths, progress)

    def add(
        self,
        paths: Sequence[Path],
        progress: Progress | None = None,
        *,
        passwords: Sequence[str] = (),
        roots: Sequence[Path] = (),
        changed_only: bool = False,
        embed: bool = True,
    ) -> ImportReport:
        """Read files and folders into the case and make them searchable; see ``Importer.add``."""
        return self._importer.add(
            paths, progress, passwords=passwords, roots=roots, changed_only=changed_only, embed=embed
        )

    def ask(self, paths: Sequence[Path], *, roots: Sequence[Path] = ()) -> int:
        """Store which files are to be read, and read none yet; return the number of the import, 0 for no file."""
        files, _ = self._importer.ask(paths, roots=roots)
        return files[0][1].run if files else 0

    def read_asked(self, run: int, progress: Progress | None = None, *, embed: bool = True) -> ImportReport:
        """Read the files that an import was asked for; see ``Importer.read_asked``."""
        return self._importer.read_asked(run, progress, embed=embed)

    def resume(
        self, progress: Progress | None = None, *, passwords: Sequence[str] = (), embed: bool = True
    ) -> ImportReport:
        """Go on with the imports that were stopped; see ``Importer.resume``."""
        return self._importer.resume(progress, passwords=passwords, embed=embed)

    def discard_pending(self) -> Discard:
        """Wait for no file of a stopped import any more; the log says so, and no undo brings them back."""
        return Discard(self._importer.discard())

    def import_counts(self) -> list[ImportCount]:
        """Count for every import, the earliest first, the files asked for, those read, and those still to be read."""
        return self._store.imports.counts()

    def retry(
        self, documents: Sequence[str] | None = None, progress: Progress | None = None, *, passwords: Sequence[str] = ()
    ) -> ImportReport:
        """Read files again that failed (None: all of them); see ``Importer.retry``."""
        return self._importer.retry(documents, progress, passwords=passwords)

    def unlock(self, documents: Sequence[str] | str, password: str, progress: Progress | None = None) -> ImportReport:
        """Read documents that open with this password; see ``Importer.unlock``."""
        return self._importer.unlock(documents, password, progress)

    def page_labels(self, document: str) -> dict[int, str]:
        """Return the printed labels of a document's pages, by number."""
        return self._store.pages.labels(document)
