"""Reading files into a case, with what lies in them, and reading them again.

What happens to a document afterwards is in ``core.documents.service``.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import time
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from core.documents import chunking, descriptions, languages, left_out_parts, near_duplicates, sections
from core.documents.folder_scan import (
    file_bytes,
    files_in,
    folder_of,
    is_changed,
    own_export,
    part_of_case,
    place_of,
    root_of,
    roots_of,
    size_and_time,
)
from core.documents.near_duplicates import NearDuplicateIndex
from core.domain import Changes, Document, LeftOut, NearDuplicate, PageText, Span
from core.errors import (
    AppError,
    BadInput,
    EngineStopped,
    ModelMissing,
    ModelUnreadable,
    PasswordNeeded,
    Problem,
    UnreadableDocument,
)
from core.files import is_case
from core.ocr import page_selection
from core.ports import Attachment, Outline, Reader
from core.progress import Progress, silent
from core.store import Found, ImportedRow, PendingFile
from core.text import counted
from core.workers.pool import ToRead, read_documents

if TYPE_CHECKING:
    from core.ocr.service import Ocr
    from core.open_case import OpenCase
    from core.search.embedding_index import EmbeddingIndex
    from core.store import CaseFile

_DEEPEST = 5  # files inside files
_HASH = re.compile("(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")

_FILES_INSIDE = 2_000  # taken out of one submitted file, in all depths

_MAILS_INSIDE = 50_000  # more, once a file is or holds a mailbox whose mails are files of their own

_BYTES_INSIDE = 2_000_000_000

_NOT_ASKED_FOR = PendingFile("")  # what lies in another file is not asked for by itself

_PAGES_AT_ONCE = 32  # pages a transaction: some 10 ms, so that the window never waits for the case file


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The outcome of one submitted file.

    ``status``: added, near_duplicate (added, and nearly the same as ``of``), duplicate (of document ``of``, not stored
    again) or failed. ``likeness`` tells how a document is like ``of``.

    ``id`` of a failed file is its document, None if there was nothing that could be kept; ``reason`` and ``remedy``
    say why, ``locked`` that it opens with a password. ``parent`` is the name of the file that it was found in, '' for a
    file that was submitted itself. ``version_of`` is the document that was at the same place before, which it now
    supersedes; ``dependents`` are the rows of evidence that quote that one. ``may_replace`` is one of the same name and
    nearly the same words from elsewhere: a person may say that this is its newer version. ``left_out`` is what of the
    file is neither on a page nor a document of its own.
    """

    id: str | None
    name: str
    sha256: str
    pages: int
    chunks: int
    status: Literal["added", "near_duplicate", "duplicate", "failed"]
    of: str | None = None
    parent: str = ""
    likeness: NearDuplicate | None = None
    reason: str = ""
    remedy: str = ""
    locked: bool = False
    version_of: str | None = None
    dependents: tuple[str, ...] = ()
    may_replace: str | None = None
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class _Content:
    """The contents of a file beside its pages: its outline, the files in it, the language most of it is in."""

    outline: Outline
    inside: list[Attachment]
    language: str
    left_out: tuple[LeftOut, ...]


_Items = Iterator[Outline | PageText | Attachment | LeftOut]  # what a reader finds in a file


@dataclass(frozen=True, slots=True)
class _File:
    """A file to be added, or the reason against it.

    ``place`` is None for one that lies in another; ``size_and_time`` are those before it was read, so that a later
    change is noticed. ``request`` is that of the import.
    """

    name: str
    data: bytes = b""
    digest: str = ""
    place: Path | None = None
    size_and_time: tuple[int, int] = (-1, -1)
    error: UnreadableDocument | None = None
    request: PendingFile = _NOT_ASKED_FOR


@dataclass(slots=True)
class _ExtractionBudget:
    """The budget left for files inside one submitted file, over all depths: a guard against archive bombs."""

    files: int
    size: int  # bytes
    has_mailbox: bool = False

    def open_mailbox(self) -> None:
        """Add the budget for the mails of a mailbox: once, however many mailboxes there are."""
        if not self.has_mailbox:
            self.has_mailbox = True
            self.files += _MAILS_INSIDE

    def reserve(self, files: int, size: int, depth: int) -> str:
        """Take files out of the budget; return '', or why they exceed it."""
        if depth > _DEEPEST:
            return f"is nested {depth} files deep, and its contents were not extracted"
        if files > self.files or size > self.size:
            return "contains more files, or larger ones, than the program extracts from one file; none of them was read"
        self.files -= files
        self.size -= size
        return ""


@dataclass(frozen=True, slots=True)
class _Container:
    """The file that holds another: its name and document, and the digests of it and of all around it."""

    budget: _ExtractionBudget
    parent: str = ""
    document: str = ""
    digests: tuple[str, ...] = ()

    def inner(self, name: str, document: str, digest: str) -> _Container:
        return _Container(self.budget, name, document, (*self.digests, digest))


@dataclass(slots=True)
class _Run:
    """One import while it goes on."""

    progress: Progress
    likenesses: NearDuplicateIndex  # of the documents that are there, some 10 kB each
    passwords: tuple[str, ...] = ()  # to be tried on what opens with a password only
    problems: list[Problem] = field(default_factory=list)
    results: list[ImportResult] = field(default_factory=list)
    places: dict[str, Found] = field(default_factory=dict)  # by place
    layers: dict[str, list[int]] = field(default_factory=dict)  # by document: pages whose text lies over a picture
    since: str = ""  # of one that goes on with imports that stopped: when the first of them began
    reported_ids: set[str] = field(default_factory=set)  # the documents that this import says something of


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Every submitted file once, each followed by the files found inside it: both added + duplicate + failed.

    ``unchanged_files`` counts files that were passed over because nothing changed at their place since they were added.
    ``files``, ``read`` and ``pending`` count the files of this import, or of all those that it went on with.
    """

    documents: tuple[ImportResult, ...]
    problems: tuple[Problem, ...]
    seconds: float
    unchanged_files: int = 0
    files: int = 0
    read: int = 0
    pending: int = 0
    changes: Changes = Changes(documents=True)


def _failure(name: str, error: AppError, parent: str = "") -> ImportResult:
    return ImportResult(None, name, "", 0, 0, "failed", parent=parent, reason=error.sentence, remedy=error.hint)


def _read_file(path: Path, request: PendingFile, progress: Progress) -> _File:
    stamp = size_and_time(path)
    try:
        data = file_bytes(path, progress)
    except UnreadableDocument as error:
        return _File(path.name, place=path, error=error, request=request)
    name = path.name or path.resolve().name  # an export of chats is a folder
    return _File(name, data, hashlib.sha256(data).hexdigest(), path, stamp, request=request)


def _request(path: Path, root: Path | None) -> PendingFile:
    return PendingFile(os.path.abspath(path), os.path.abspath(root) if root else "", *size_and_time(path))  # noqa: PTH100


def _out_of_reach(requests: Sequence[PendingFile]) -> tuple[list[PendingFile], list[Problem]]:
    """Split off the files whose whole folder is not there, as on a drive that is not connected, with what to say."""
    folders = {file: Path(file.root or file.path) if file.root else Path(file.path).parent for file in requests}
    absent = {folder for folder in set(folders.values()) if not folder.is_dir()}
    counts = Counter(folder for folder in folders.values() if folder in absent)
    problems = [
        Problem(
            str(folder),
            f"The folder is not there, so {counted(count, 'file')} in it could not be read.",
            "Connect the drive that it is on and continue the import, or discard the rest.",
        )
        for folder, count in counts.items()
    ]
    return [file for file in requests if folders[file] not in absent], problems


def _file_of_attachment(attachment: Attachment, holder: str) -> _File:
    name = f"{holder}/{attachment.name}"
    if attachment.reason:
        return _File(name, error=UnreadableDocument(reason=attachment.reason, remedy=attachment.remedy))
    if is_case(attachment.data[:100]):
        return _File(name, error=part_of_case(name, "is a case"))
    return _File(name, attachment.data, hashlib.sha256(attachment.data).hexdigest())


def _own_words(name: str) -> Problem:
    """Warn of a report of the case that somebody changed, or put into another form, since."""
    return Problem(
        name,
        "It contains a hash from this case's log, as reports on this case do. It was probably made from such a "
        "report, so what it quotes is not another source.",
        "Remove it, or exclude it from searches, unless it says something of its own that is evidence.",
    )


def _base(name: str) -> str:
    return name.rpartition("/")[2].casefold()


def _row(item: ImportResult) -> ImportedRow:
    """Return the result for a file as it is kept with the case, whose ``run`` and ``at`` are given there."""
    like = item.likeness
    if like and item.version_of not in (None, like.of):
        like = None  # a row tells of one other document
    return ImportedRow(
        run=0,
        at="",
        name=item.name,
        parent=item.parent,
        status="new_version" if item.version_of else item.status,
        document=item.id,
        of=item.version_of or item.of,
        measure=like.measure if like else "",
        score=like.score if like else None,
        reason=item.reason,
        remedy=item.remedy,
    )


def comparable_text(store: CaseFile, document: str) -> str:
    """Read a document as far as documents are compared: a long one is not read to its end."""
    parts: list[str] = []
    length = 0
    for page in store.pages.of(document):
        parts.append(page.text)
        length += len(page.text) + 1
        if length > near_duplicates.LONGEST:
            break
    return "\n".join(parts)


class Importer:
    """The way of files into a case, with what lies in them."""

    def __init__(self, case: OpenCase, index: EmbeddingIndex, ocr: Ocr) -> None:
        self._open = case
        self._store = case.store
        self._index = index
        self._ocr = ocr

    def _text_of(self, document: str) -> str:
        return comparable_text(self._store, document)

    def _likenesses(self, progress: Progress) -> near_duplicates.NearDuplicateIndex:
        """Index the signatures of the documents of the case, with which those that come are compared."""
        likenesses = near_duplicates.NearDuplicateIndex(self._store.documents.sketches(), self._text_of)
        for document in self._store.documents.without_sketch():
            progress.check()
            self._compare(document, likenesses)
        return likenesses

    def _compare(self, document: str, likenesses: near_duplicates.NearDuplicateIndex) -> NearDuplicate | None:
        """Find the earlier document that this one is nearly the same as; kept with the case."""
        data = near_duplicates.minhash_sketch(self._text_of(document))
        likeness = likenesses.take(document, data)
        self._store.documents.put_sketch(document, data, likeness)
        return likeness

    def ask(
        self, paths: Sequence[Path], *, roots: Sequence[Path] = (), changed_only: bool = False
    ) -> tuple[list[tuple[Path, PendingFile]], int]:
        """Store which files an import is to read; return them, and how many were passed over as unchanged.

        ``roots`` are folders that the files were found in, beside those among ``paths``.
        """
        files = list(files_in(paths))
        unchanged_files = 0
        if changed_only:
            new_files = [path for path in files if is_changed(self._store, path)]
            unchanged_files, files = len(files) - len(new_files), new_files
        folders = (*roots_of(paths), *roots)
        requests = [_request(path, root_of(path, folders)) for path in files]
        run = self._store.imports.ask(requests) if requests else 0
        return [(path, replace(file, run=run)) for path, file in zip(files, requests, strict=True)], unchanged_files

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
        """Read files and folders (recursively, in order of name) into the case and make them searchable.

        Each document is found by its words as soon as it is read; the vectors follow when all are read.

        What is to be read is stored first, so that ``resume`` goes on with an import that was stopped. Finished
        documents are skipped as duplicates, one left half-read by a kill is read again. A file that cannot be read
        becomes a Problem and is kept with the reason; adding it again tries again. A file at the place of one that was
        added before is its newer version. ``passwords`` are tried on what needs one. ``roots`` are folders that the
        files were found in. With ``changed_only`` files are passed over that have the size and the time they had when
        they were added. Without ``embed`` the vectors are left to a later ``embed``. Cancelling keeps every finished
        document.
        """
        progress = progress or silent()
        began = time.monotonic()
        files, unchanged_files = self.ask(paths, roots=roots, changed_only=changed_only)
        run = _Run(progress, self._likenesses(progress), tuple(passwords))
        report = self._read(files, run, began, {file.run for _, file in files}, embed=embed)
        return replace(report, unchanged_files=unchanged_files)

    def read_asked(self, number: int, progress: Progress | None = None, *, embed: bool = True) -> ImportReport:
        """Read the files that an import was asked for, as ``add`` does."""
        progress = progress or silent()
        began = time.monotonic()
        files = [(Path(file.path), file) for file in self._store.imports.pending(number)]
        return self._read(files, _Run(progress, self._likenesses(progress)), began, {number}, embed=embed)

    def resume(
        self, progress: Progress | None = None, *, passwords: Sequence[str] = (), embed: bool = True
    ) -> ImportReport:
        """Go on with the imports that were stopped.

        A file that is gone becomes a failure, one that changed is read as it is now; both are Problems. Files whose
        whole folder is not there stay pending.
        """
        progress = progress or silent()
        began = time.monotonic()
        files, problems = _out_of_reach(self._store.imports.pending())
        counts = [count for count in self._store.imports.counts() if count.pending]
        since = min((count.at for count in counts), default="")
        run = _Run(progress, self._likenesses(progress), tuple(passwords), problems, since=since)
        requests = [(Path(file.path), file) for file in files]
        return self._read(requests, run, began, {count.run for count in counts}, embed=embed)

    def _read(
        self,
        files: Sequence[tuple[Path, PendingFile]],
        run: _Run,
        began: float,
        numbers: Collection[int],
        *,
        embed: bool,
    ) -> ImportReport:
        """Read the files of the imports of these numbers; what becomes of each is kept with the case at once."""
        counts = [count for count in self._store.imports.counts() if count.run in numbers]
        read_files, total = sum(count.read for count in counts), sum(count.files for count in counts)
        with self._store.db.sparing():
            requests = (_read_file(path, file, run.progress) for path, file in files)
            with contextlib.closing(self._ahead(requests)) as read:
                for index, (file, items) in enumerate(read):
                    run.progress.step(read_files + index, total, f"Reading {file.name}")
                    results = self._add_one(file, items, run)
                    self._store.imports.settle(file.request.run, file.request.path, map(_row, results), run.places)
                    run.places.clear()
                    run.results += results
            self._compare_layers(run)
            languages.recognise(self._open, languages.unknown(self._open), run.progress)
            if embed:
                self._embed_new(run)
        run.progress.step(total, total, "Documents added")
        return self._report(run, began, numbers)

    def discard(self) -> int:
        """Wait for no file of a stopped import any more, and drop what was half read; return how many files it was."""
        for document in self._store.documents.unfinished():
            self._store.documents.drop(document.id)
        return self._store.imports.discard()

    def retry(
        self, documents: Sequence[str] | None = None, progress: Progress | None = None, *, passwords: Sequence[str] = ()
    ) -> ImportReport:
        """Read files again that failed (None: all of them), from what is kept in the case.

        Raises NoSuchItem, BadInput for a document that did not fail.
        """
        progress = progress or silent()
        began = time.monotonic()
        failures = {document.id: document for document in self._store.documents.failed()}
        for identity in documents or ():
            if self._store.documents.get(identity).status != "failed":
                raise BadInput(reason=f"{identity} did not fail.", remedy="Choose one that is listed as failed.")
        identities = list(failures) if documents is None else list(dict.fromkeys(documents))
        run = _Run(progress, self._likenesses(progress), tuple(passwords))
        with self._importing(run):
            for number, identity in enumerate(identities):
                document = self._store.documents.get(identity)
                run.progress.step(number, len(identities), f"Reading {document.name}")
                parent = document.name.rpartition("/")[0] if document.parent else ""
                container = _Container(_ExtractionBudget(_FILES_INSIDE, _BYTES_INSIDE), parent, document.parent)
                run.results += self._read_into(
                    document.name, self._store.documents.original(identity), document, container, run
                )
            self._compare_layers(run)
            self._embed_new(run)
        run.progress.step(len(identities), len(identities), "Read again")
        return self._report(run, began)

    def unlock(self, documents: Sequence[str] | str, password: str, progress: Progress | None = None) -> ImportReport:
        """Read documents that open with this password; it is kept in the case, to show their pages.

        Raises NoSuchItem, BadInput.
        """
        if not password:
            raise BadInput(reason="No password was given.", remedy="Give the password that opens the file.")
        identities = [documents] if isinstance(documents, str) else list(documents)
        return self.retry(identities, progress, passwords=[password])

    @contextlib.contextmanager
    def _importing(self, run: _Run) -> Iterator[None]:
        """Keep with the case what became of the files, whatever ends the import."""
        try:
            with self._store.db.sparing():
                yield
        finally:
            with contextlib.suppress(AppError):
                if run.results:
                    self._store.imports.put(_row(item) for item in run.results)

    def _compare_layers(self, run: _Run) -> None:
        layers = self._store.imports.layers()  # those of an import that was stopped before it came to this, too
        if layers:
            self._ocr.check_layers(layers, run.progress)
            self._store.imports.forget_layers()

    def _report(self, run: _Run, began: float, numbers: Collection[int] = ()) -> ImportReport:
        newer = any(item.version_of for item in run.results)  # rows that quote an older version are flagged
        counts = [count for count in self._store.imports.counts() if count.run in numbers]
        return ImportReport(
            tuple(run.results),
            tuple(run.problems),
            time.monotonic() - began,
            files=sum(count.files for count in counts),
            read=sum(count.read for count in counts),
            pending=sum(count.pending for count in counts),
            changes=Changes(documents=True, evidence=newer, matrix=newer),
        )

    def _embed_new(self, run: _Run) -> None:
        """Embed what is new, last: reading is some twenty times faster, and everything is found by its words first."""
        try:
            self._index.fill(run.progress)
        except (ModelMissing, ModelUnreadable, EngineStopped) as error:
            run.progress.check()
            run.problems.append(Problem.at("search by meaning", error))

    def _ahead(self, files: Iterable[_File], above: Collection[str] = ()) -> Generator[tuple[_File, _Items | None]]:
        """Yield each file in order with what the reader finds in it, which is read ahead of its turn.

        None for a duplicate of a file in the case or of an earlier one in ``files``. ``above``: the digests of the
        files around them.
        """
        digests = set(above)
        exports = self._store.history.exports()

        def requests() -> Iterator[tuple[_File, ToRead | None]]:
            for file in files:
                twin = None if file.error else self._store.documents.by_sha256(file.digest)
                if twin is None and file.digest in exports:
                    yield replace(file, data=b"", error=own_export(file.name)), None
                    continue
                unread = twin is None or twin.status in ("reading", "failed")
                new = file.error is None and unread and file.digest not in digests
                digests.add(file.digest)
                yield file, ToRead(file.data, file.name) if new else None

        yield from read_documents(self._readers, requests())

    @property
    def _readers(self) -> tuple[Reader, ...]:
        return self._open.engines.readers or (self._open.engines.reader,)

    def _read_now(self, data: bytes, name: str, password: str) -> _Items:
        for _, items in read_documents(self._readers, [(None, ToRead(data, name, password))]):
            yield from items or ()

    def _add_one(self, file: _File, items: _Items | None, run: _Run) -> list[ImportResult]:
        """Add a file: what became of it, followed by what became of the files inside it."""
        if file.error is not None:
            run.problems.append(Problem.at(file.place or file.name, file.error))
            return [_failure(file.name, file.error)]
        if run.since and file.size_and_time != (file.request.size, file.request.mtime_ns):
            what = "It has changed since the import was stopped, and was read as it is now."
            run.problems.append(Problem(str(file.place), what, "Check that it is still the file that you want."))
        container = _Container(_ExtractionBudget(_FILES_INSIDE, _BYTES_INSIDE))
        first, *inside = self._add_bytes(file, items, container, run)
        return [
            self._remember_place(first, place_of(file.place), file.size_and_time, run) if file.place else first,
            *inside,
        ]

    def _remember_place(
        self, item: ImportResult, place: str, size_and_time: tuple[int, int], run: _Run
    ) -> ImportResult:
        """Remember where a file was found; a new document at the place of another is that one's newer version."""
        if item.id is None:
            return item
        earlier = run.places.get(place) or self._store.imports.found_at(place)
        is_failure = item.status == "failed"
        # While what is there now cannot be read, the document that was there before is still the one to follow.
        run.places[place] = Found(earlier.document if is_failure and earlier else item.id, *size_and_time)
        if is_failure or earlier is None or earlier.document == item.id or item.status == "duplicate":
            return item
        older = self._store.documents.get(earlier.document)
        if older.status == "removed" or older.superseded_by:
            return item
        try:
            self._store.descriptions.supersede(older.id, item.id)
        except BadInput:  # an older version that came back
            return item
        rows = tuple(row.id for row in self._store.evidence.quoting(older.id))
        return replace(item, status="added", of=None, version_of=older.id, dependents=rows, may_replace=None)

    def _add_bytes(self, file: _File, items: _Items | None, container: _Container, run: _Run) -> list[ImportResult]:
        """Add a file, of which ``items`` may be read already; return its result, then those of the files inside it."""
        name, data, digest = file.name, file.data, file.digest
        document = self._store.documents.by_sha256(digest)
        if document is not None and document.status == "removed":
            document = self._store.removal.restore([document.id])[0]
            if document.status != "failed":
                return [
                    ImportResult(
                        *(document.id, name, digest, document.pages, document.chunks, "added"),
                        parent=container.parent,
                        left_out=document.left_out,
                    )
                ]
        if document is not None and (document.status not in ("reading", "failed") or digest in container.digests):
            if document.id != container.document:
                self._store.documents.adopt(document.id, container.document)
            is_copy = not self._is_unlisted(document, run)
            run.reported_ids.add(document.id)
            return [
                ImportResult(
                    document.id,
                    name,
                    digest,
                    document.pages,
                    document.chunks,
                    "duplicate" if is_copy else "added",
                    document.id if is_copy else None,
                    parent=container.parent,
                    left_out=document.left_out,
                )
            ]
        if document is None:
            identity = self._store.documents.begin(
                name=name,
                kind="",
                sha256=digest,
                data=data,
                reader=self._open.engines.reader.fingerprint,
                folder=self._folder_of(file, container),
            )
            document = self._store.documents.get(identity)
        return self._read_into(name, data, document, container, run, where=str(file.place or ""), items=items)

    def _is_unlisted(self, document: Document, run: _Run) -> bool:
        """Return whether an import read this document and was stopped before it could record that."""
        is_candidate = bool(run.since) and document.id not in run.reported_ids and document.imported_at >= run.since
        return is_candidate and not self._store.imports.is_listed(document.id)

    def _folder_of(self, file: _File, container: _Container) -> str:
        """Return the folder of a file, or of the one that it lies in."""
        if file.place is not None:
            return folder_of(Path(file.request.path), [Path(file.request.root)] if file.request.root else ())
        return self._store.documents.get(container.document).folder if container.document else ""

    def _read_into(
        self,
        name: str,
        data: bytes,
        document: Document,
        container: _Container,
        run: _Run,
        *,
        where: str = "",
        items: _Items | None = None,
    ) -> list[ImportResult]:
        """Read the pages of a document that has none yet, and what lies in it. ``where`` names it in a problem."""
        fingerprint = self._open.engines.reader.fingerprint
        has_begun = document.status == "reading" and not document.pages
        if not has_begun or (document.name, document.reader) != (name, fingerprint):
            self._store.documents.restart(document.id, name=name, reader=fingerprint)
        try:
            try:
                content = self._read_pages(document.id, data, name, run, items)
            except (UnreadableDocument, EngineStopped) as error:
                run.progress.check()  # a reader killed because the person cancelled is not a bad file
                run.problems.append(Problem.at(where or name, error))
                is_locked = isinstance(error, PasswordNeeded)
                self._store.documents.fail(
                    document.id,
                    reason=error.sentence,
                    remedy=error.hint,
                    parent=container.document,
                    needs_password=is_locked,
                )
                failure = _failure(name, error, container.parent)
                return [replace(failure, id=document.id, sha256=document.sha256, locked=is_locked)]
            if document.id in run.layers:
                self._store.imports.put_layers(document.id, run.layers[document.id])
            if content.outline.kind == "pst":
                container.budget.open_mailbox()
            # Finished after what it holds: what a kill leaves half-done is done when the file is added again.
            within = self._add_inside(name, content.inside, container.inner(name, document.id, document.sha256), run)
            document = self._store.documents.finish(
                document.id,
                content.outline,
                kind=content.outline.kind,
                language=content.language,
                parent=container.document,
                left_out=content.left_out,
            )
        except BaseException:
            # Whatever ended it, a half-read document must not look like a whole one.
            with contextlib.suppress(AppError):
                self._store.documents.drop(document.id)
            raise
        run.reported_ids.add(document.id)
        result = ImportResult(
            *(document.id, document.name, document.sha256, document.pages, document.chunks, "added"),
            parent=container.parent,
            left_out=document.left_out,
        )
        likeness = self._compare(document.id, run.likenesses)
        if likeness is not None:
            original = self._store.documents.get(likeness.of)
            same_name = _base(original.name) == _base(document.name) and not original.superseded_by
            result = replace(
                result,
                status="near_duplicate",
                of=likeness.of,
                likeness=likeness,
                may_replace=original.id if same_name else None,
            )
        return [result, *within]

    def _add_inside(self, name: str, inside: list[Attachment], container: _Container, run: _Run) -> list[ImportResult]:
        """Add the files inside a file as documents of their own. One that cannot be read is reported like any other."""
        results: list[ImportResult] = []

        def fail(inner: str, error: AppError) -> None:
            run.problems.append(Problem.at(inner, error))
            results.append(_failure(inner, error, container.parent))

        excess = container.budget.reserve(len(inside), sum(len(part.data) for part in inside), len(container.digests))
        if inside and excess:
            remedy = "Unpack it, and add the folder."
            fail(f"{name}/(all {len(inside)})", UnreadableDocument(reason=f"{name} {excess}.", remedy=remedy))
            return results
        inside.reverse()
        files = (
            _file_of_attachment(inside.pop(), name) for _ in range(len(inside))
        )  # bytes are let go when they are done with
        with contextlib.closing(self._ahead(files, container.digests)) as read:
            for file, items in read:
                if file.error is not None:
                    fail(file.name, file.error)
                else:
                    results += self._add_bytes(file, items, container, run)
        return results

    def _read_pages(self, document: str, data: bytes, name: str, run: _Run, ahead: _Items | None) -> _Content:
        """Read a file and keep its pages; return the rest of what is in it.

        Raises UnreadableDocument, PasswordNeeded where none of the passwords opens it, EngineStopped.
        """
        passwords = (self._store.imports.password(document), *run.passwords, *self._store.imports.passwords())
        candidates = list(dict.fromkeys(("", *passwords)))
        for index, password in enumerate(candidates):
            items, ahead = ahead or self._read_now(data, name, password), None  # ahead it is read without a password
            try:
                content = self._read_with(document, items, name, run)
            except PasswordNeeded:
                if index + 1 == len(candidates):
                    raise
                continue
            if password:
                self._store.imports.put_password(document, password)
            break
        return content

    def _read_with(self, document: str, items: _Items, name: str, run: _Run) -> _Content:
        outline: Outline | None = None
        inside: list[Attachment] = []
        left_out: list[LeftOut] = []
        batch: list[tuple[PageText, Sequence[Span]]] = []
        page_languages: list[tuple[str, int]] = []
        hashes: set[str] = set()
        first: PageText | None = None
        for item in items:
            run.progress.check()
            if isinstance(item, Outline):
                outline = item
                continue
            if isinstance(item, Attachment):
                inside.append(item)
                continue
            if isinstance(item, LeftOut):
                left_out.append(item)
                continue
            page_languages.append((item.language, len(item.text)))
            first = first or item
            hashes.update(_HASH.findall("".join(item.text.split())))  # whatever lines and cells break one
            page = page_selection.with_ocr_flag(item)
            if page_selection.has_layer(page):
                run.layers.setdefault(document, []).append(page.number)
            batch.append((page, chunking.split(page)))
            if len(batch) >= _PAGES_AT_ONCE:
                self._store.documents.put_pages(document, batch)
                batch = []
        if batch:
            self._store.documents.put_pages(document, batch)
        if outline is None:
            raise UnreadableDocument(reason=f"{name} gave no pages.", remedy="Open it elsewhere and check it.")
        if self._store.history.has_entry(hashes):
            run.problems.append(_own_words(name))
        outline, language = descriptions.complete(outline, first), sections.majority_language(page_languages)
        if any(characters for _, characters in page_languages):
            outline = replace(outline, attributions=(*outline.attributions, descriptions.language_read(language)))
        return _Content(outline, inside, language, left_out_parts.grouped(left_out))
