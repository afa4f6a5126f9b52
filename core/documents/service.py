"""What becomes of documents once they are in a case: described, replaced by newer versions, compared, taken out, shown;
and what is known of files before they are added. The part of the workbench between scans and reading files.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from bisect import bisect_right
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from core.documents import chunking, near_duplicates, sections, version_diff
from core.documents.folder_scan import LARGEST_FILE, _is_made_up, _pieces, files_in, place_of
from core.documents.importing import (
    _BYTES_INSIDE,
    _FILES_INSIDE,
    _PAGES_AT_ONCE,
    Imported,
    ImportReport,
    _base,
    _failed,
    _File,
    _Items,
    _Nest,
    _opened,
    _Room,
    _row,
    _Run,
    _taken_out,
)
from core.domain import (
    Changes,
    Document,
    NearDuplicate,
    Page,
    PageText,
    Section,
    Span,
    Words,
)
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
from core.ocr import page_selection
from core.ports import Attachment, Outline, Picture, Reader
from core.progress import Progress, silent
from core.store import Dependents, Found, ImportedRow, Relatives, case_part
from core.workers.pool import ToRead, read_documents

if TYPE_CHECKING:
    from core.ocr.service import Ocr
    from core.open_case import OpenCase
    from core.search.embedding_index import EmbeddingIndex


# Endings of files that hold no text, or none that the program can read. They are tried all the same when asked for.
WITHOUT_TEXT = frozenset(
    (
        *(".mp3", ".wav", ".flac", ".ogg", ".m4a", ".aac", ".wma", ".mp4", ".m4v", ".mov", ".avi", ".mkv", ".webm"),
        *(".wmv", ".mpg", ".mpeg", ".3gp", ".exe", ".dll", ".so", ".dylib", ".msi", ".dmg", ".iso", ".apk", ".ttf"),
        *(
            ".otf",
            ".woff",
            ".woff2",
            ".psd",
            ".ai",
            ".indd",
            ".dwg",
            ".dxf",
            ".sqlite",
            ".pyc",
            ".class",
            ".disconfirm",
        ),
    )
)

_UNFINISHED = frozenset((".part", ".partial", ".crdownload", ".tmp", ".temp", ".download", ".swp", ".lock"))


@dataclass(frozen=True, slots=True)
class Versions:
    """Two documents compared: their whole texts, what differs, and where each page begins in them (offset, number)."""

    one: Document
    other: Document
    old: str
    new: str
    differences: tuple[version_diff.Difference, ...]
    old_pages: tuple[tuple[int, int], ...]
    new_pages: tuple[tuple[int, int], ...]

    def old_place(self, offset: int) -> tuple[int, int]:
        """The page of ``one`` that an offset of ``old`` lies on, and the offset in that page."""
        return _place(self.old_pages, offset)

    def new_place(self, offset: int) -> tuple[int, int]:
        """The same for ``other`` and ``new``."""
        return _place(self.new_pages, offset)


def _place(pages: Sequence[tuple[int, int]], offset: int) -> tuple[int, int]:
    start, number = pages[max(0, bisect_right(pages, offset, key=lambda page: page[0]) - 1)]
    return number, offset - start


@dataclass(frozen=True, slots=True)
class Preview:
    """What adding files would do, before anything is written. Each file is in one of the tuples.

    ``new`` are not known yet; ``copies`` have the bytes of a document that is here, ``again`` those of one that failed
    or was removed; ``changed`` stand where a document was added from, with other bytes; ``without_text`` are of a kind
    that holds no text; ``cases`` are cases or parts of one, the open one too; ``too_large`` and ``missing`` cannot be
    taken. A document is named by its id.
    """

    new: tuple[Path, ...] = ()
    copies: tuple[tuple[Path, str], ...] = ()
    again: tuple[tuple[Path, str], ...] = ()
    changed: tuple[tuple[Path, str], ...] = ()
    without_text: tuple[Path, ...] = ()
    cases: tuple[Path, ...] = ()
    too_large: tuple[Path, ...] = ()
    missing: tuple[Path, ...] = ()

    @property
    def files(self) -> int:
        both = (self.new, self.copies, self.again, self.changed, self.without_text)
        return sum(len(part) for part in (*both, self.cases, self.too_large, self.missing))

    @property
    def readable(self) -> tuple[Path, ...]:
        """The files that are worth adding, in the order in which they were found in each part."""
        return (*self.new, *(path for path, _ in (*self.changed, *self.again)))


@dataclass(frozen=True, slots=True)
class Removed:
    """What went with documents that were taken out."""

    dependents: Dependents
    changes: Changes = Changes(documents=True, proposals=True, evidence=True, matrix=True)


class Documents:
    """The documents of the case: adding, describing, comparing, removing them, and their pages."""

    def __init__(self, case: OpenCase, index: EmbeddingIndex, ocr: Ocr) -> None:
        self._open = case
        self._store = case.store
        self._index = index
        self._ocr = ocr

    def supersede(self, document: str, by: str) -> Changes:
        """``by`` is a newer version of ``document``; '' takes it back."""
        self._store.descriptions.supersede(document, by)
        return Changes(documents=True, matrix=True)

    def text_of(self, document: str) -> str:
        """A document as far as documents are compared: a long one is not read to its end."""
        parts: list[str] = []
        length = 0
        for page in self._store.pages.of(document):
            parts.append(page.text)
            length += len(page.text) + 1
            if length > near_duplicates.LONGEST:
                break
        return "\n".join(parts)

    def all(self) -> list[Document]:
        """Those that are listed; see ``failed_documents`` and ``removed_documents`` for the others."""
        return self._store.documents.all()

    def failed(self) -> list[Document]:
        """Files that are kept and could not be read, with the reason."""
        return self._store.documents.failed()

    def removed(self) -> list[Document]:
        return self._store.documents.removed()

    def locked(self) -> set[str]:
        """Those failed documents that only need their password."""
        return self._store.imports.locked()

    def get(self, document: str) -> Document:
        return self._store.documents.get(document)

    def page(self, document: str, number: int) -> Page:
        return self._store.pages.page(document, number)

    def proven_page(self, document: str, number: int) -> Page:
        """A page with all that belongs to it, held against the log. Raises NoSuchItem, CaseCorrupt, CaseNotProven."""
        page = self._store.pages.page(document, number)
        self._store.prove_pages([page.id])
        return page

    def pages(self, document: str) -> Iterator[Page]:
        return self._store.pages.of(document)

    def words(self, page_id: int) -> Words:
        return self._store.pages.words(page_id)

    def sections(self, document: str) -> list[tuple[int, Section]]:
        """The headings of a document in order, each with the number of its page."""
        return self._store.pages.sections(document)

    def original(self, document: str) -> bytes:
        return self._store.documents.original(document)

    def picture(
        self,
        document: str,
        number: int,
        scale: float = 1.5,
        *,
        clip: tuple[float, float, float, float] | None = None,
    ) -> Picture:
        """The page itself, or the part of it in ``clip`` (points). Raises UnreadableDocument for formats without
        pages.
        """
        reader = self._open.engines.viewer or self._open.engines.reader
        name, password = self._store.documents.get(document).name, self._store.imports.password(document)
        return reader.render(
            self._store.documents.original(document), name, number, scale=scale, clip=clip, password=password
        )

    def strip(self, document: str, number: int, box: tuple[float, float, float, float], scale: float) -> Picture:
        """The part of a page around a box in points, as wide as the page, the box lined. Raises as ``picture`` does."""
        reader = self._open.engines.viewer or self._open.engines.reader
        name, password = self._store.documents.get(document).name, self._store.imports.password(document)
        return reader.crop(
            self._store.documents.original(document), name, number, [box], scale=scale, password=password
        )

    def set_included(self, documents: Sequence[str], included: bool) -> Changes:
        """Take documents into the scope of every search, or out of it."""
        self._store.documents.set_included(documents, included)
        return Changes(documents=True)

    def describe(self, documents: Sequence[str], **fields: str | Sequence[str]) -> Changes:
        """Set tags, origin, reliability (A-F), information (1-6), dated (ISO 8601) or note, the same for all of them;
        add_tags and remove_tags change the tags of each. New evidence from a document starts with its origin, grade and
        date. Raises NoSuchItem, BadInput.
        """
        return self._store.descriptions.describe(documents, fields)

    def tags(self) -> list[str]:
        """Every tag that a document has."""
        return self._store.descriptions.tags()

    def relatives(self, document: str) -> Relatives:
        """The documents that one belongs with: found in, versions, nearly the same. Raises NoSuchItem."""
        return self._store.descriptions.relatives(document)

    def dependents(self, documents: Sequence[str]) -> Dependents:
        """What would go with documents that are taken out. Raises NoSuchItem."""
        return self._store.removal.dependents(documents)

    def remove(self, documents: Sequence[str], *, with_evidence: bool = False) -> Removed:
        """Take documents out with what was found in them: neither listed nor searched any more. Their files are kept;
        undo, or adding a file again, brings them back. Raises NoSuchItem; BadInput, naming them, where evidence or
        other documents would go too and ``with_evidence`` does not say so.
        """
        return Removed(self._store.removal.remove(documents, with_evidence=with_evidence))

    def restore(self, documents: Sequence[str]) -> Changes:
        """Bring removed documents back, as one decision. Raises NoSuchItem."""
        self._store.removal.restore(documents)
        return Changes(documents=True)

    def _likenesses(self, progress: Progress) -> near_duplicates.NearDuplicateIndex:
        """The signatures of the documents of the case, with which those that come are compared."""
        likenesses = near_duplicates.NearDuplicateIndex(self._store.documents.sketches(), self.text_of)
        for document in self._store.documents.without_sketch():
            progress.check()
            self._compare(document, likenesses)
        return likenesses

    def _compare(self, document: str, likenesses: near_duplicates.NearDuplicateIndex) -> NearDuplicate | None:
        """Which earlier document this one is nearly the same as; kept with the case."""
        data = near_duplicates.minhash_sketch(self.text_of(document))
        likeness = likenesses.take(document, data)
        self._store.documents.put_sketch(document, data, likeness)
        return likeness

    def compare_versions(self, one: str, other: str) -> Versions:
        """Two documents side by side, ``one`` as the older version. Raises BadInput for one document with itself."""
        if one == other:
            raise BadInput(reason="A document cannot be compared with itself.", remedy="Name two documents.")
        documents = self._store.documents.get(one), self._store.documents.get(other)
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
        """By document: the earlier one that it is nearly the same as."""
        return self._store.documents.likenesses()

    def imports(self, run: int | None = None) -> list[ImportedRow]:
        """What became of every file of every import, or of one of them; 0 is the last."""
        return self._store.imports.imported(run)

    def changed_at(self, path: Path) -> bool:
        """Whether a file is new at its place, or has another size or time than when it was added from there."""
        place = self._store.imports.found_at(place_of(path))
        try:
            stood = path.stat()
        except OSError:
            return True
        return place is None or (place.size, place.modified) != (stood.st_size, stood.st_mtime_ns)

    def new_in(self, folder: Path) -> list[Path]:
        """The files of a folder that are new or changed since they were added, as far as they may hold text; without
        hidden ones and those that a program is still writing.
        """
        return [
            path
            for path in files_in([folder])
            if not path.name.startswith((".", "~$"))
            and path.suffix.lower() not in WITHOUT_TEXT | _UNFINISHED
            and path.is_file()
            and self.changed_at(path)
            and not case_part(path)
        ]

    def preview(self, paths: Sequence[Path], progress: Progress | None = None) -> Preview:
        """What adding these files and folders would do; nothing is written. A file that has the size of one that is
        kept is read, to be compared with it.
        """
        progress = progress or silent()
        sizes = self._store.documents.sizes()
        new: list[Path] = []
        copies: list[tuple[Path, str]] = []
        again: list[tuple[Path, str]] = []
        changed: list[tuple[Path, str]] = []
        without_text: list[Path] = []
        cases: list[Path] = []
        too_large: list[Path] = []
        missing: list[Path] = []
        files = list(files_in(paths))
        for done, path in enumerate(files):
            progress.step(done, len(files), f"Looking at {path.name}")
            if case_part(path):
                cases.append(path)
                continue
            try:
                size = path.stat().st_size if path.is_file() and not _is_made_up(path) else -1
                twin = self._store.documents.by_sha256(_digest(path, progress)) if size in sizes else None
            except OSError:
                size, twin = -1, None
            before = self._store.imports.found_at(place_of(path))
            if size < 0:
                missing.append(path)
            elif size > LARGEST_FILE:
                too_large.append(path)
            elif twin is not None:
                (again if twin.status in ("failed", "removed") else copies).append((path, twin.id))
            elif before is not None and self._store.documents.get(before.document).status not in ("removed", "failed"):
                changed.append((path, before.document))
            elif path.suffix.lower() in WITHOUT_TEXT:
                without_text.append(path)
            else:
                new.append(path)
        progress.step(len(files), len(files), "Looked at")
        parts = (new, copies, again, changed, without_text, cases, too_large, missing)
        return Preview(*map(tuple, parts))  # type: ignore[arg-type]

    def add(
        self,
        paths: Sequence[Path],
        progress: Progress | None = None,
        *,
        passwords: Sequence[str] = (),
        changed_only: bool = False,
        embed: bool = True,
    ) -> ImportReport:
        """Read files and folders (recursively, in order of name) into the case and make them searchable.

        Each document is found by its words as soon as it is read; the vectors follow when all are read.

        Finished documents are skipped as duplicates, one left half-read by a kill is read again. A file that cannot be
        read becomes a Problem and is kept with the reason; adding it again tries again. A file that stands where
        another was added before is its newer version. ``passwords`` are tried on what needs one. With
        ``changed_only`` files are passed over that have the size and the time they had when they were added. Without
        ``embed`` the vectors are left to a later ``embed``. Cancelling keeps every finished document.
        """
        progress = progress or silent()
        began = time.monotonic()
        files = list(files_in(paths))
        unchanged = 0
        if changed_only:
            submitted = [path for path in files if self.changed_at(path)]
            unchanged, files = len(files) - len(submitted), submitted
        run = _Run(progress, self._likenesses(progress), tuple(passwords))
        with self._importing(run):
            with contextlib.closing(self._ahead(_opened(path, progress) for path in files)) as read:
                for done, (file, items) in enumerate(read):
                    run.progress.step(done, len(files), f"Reading {file.name}")
                    run.imported += self._add_one(file, items, run)
            self._compare_layers(run)
            if embed:
                self._embed_new(run)
        run.progress.step(len(files), len(files), "Documents added")
        return self._report(run, began, unchanged)

    def retry(
        self,
        documents: Sequence[str] | None = None,
        progress: Progress | None = None,
        *,
        passwords: Sequence[str] = (),
    ) -> ImportReport:
        """Read files again that failed (None: all of them), from what is kept in the case. Raises NoSuchItem, BadInput
        for a document that did not fail.
        """
        progress = progress or silent()
        began = time.monotonic()
        failed = {document.id: document for document in self._store.documents.failed()}
        for identity in documents or ():
            if self._store.documents.get(identity).status != "failed":
                raise BadInput(reason=f"{identity} did not fail.", remedy="Choose one that is listed as failed.")
        wanted = list(failed) if documents is None else list(dict.fromkeys(documents))
        run = _Run(progress, self._likenesses(progress), tuple(passwords))
        with self._importing(run):
            for done, identity in enumerate(wanted):
                document = self._store.documents.get(identity)
                run.progress.step(done, len(wanted), f"Reading {document.name}")
                parent = document.name.rpartition("/")[0] if document.parent else ""
                nest = _Nest(_Room(_FILES_INSIDE, _BYTES_INSIDE), parent, document.parent)
                run.imported += self._read_into(
                    document.name, self._store.documents.original(identity), document, nest, run
                )
            self._compare_layers(run)
            self._embed_new(run)
        run.progress.step(len(wanted), len(wanted), "Read again")
        return self._report(run, began)

    def unlock(self, documents: Sequence[str] | str, password: str, progress: Progress | None = None) -> ImportReport:
        """Read documents that open with this password; it is kept in the case, to show their pages. Raises NoSuchItem,
        BadInput.
        """
        if not password:
            raise BadInput(reason="No password was given.", remedy="Give the password that opens the file.")
        wanted = [documents] if isinstance(documents, str) else list(documents)
        return self.retry(wanted, progress, passwords=[password])

    @contextlib.contextmanager
    def _importing(self, run: _Run) -> Iterator[None]:
        """What became of the files is kept with the case, whatever ends the import."""
        try:
            with self._store.db.sparing():
                yield
        finally:
            with contextlib.suppress(AppError):
                if run.found:
                    self._store.imports.put_found_at(run.found)
                if run.imported:
                    self._store.imports.put(_row(item) for item in run.imported)

    def _compare_layers(self, run: _Run) -> None:
        there = {item.id for item in run.imported}
        self._ocr.check_layers({one: pages for one, pages in run.layers.items() if one in there}, run.progress)

    @staticmethod
    def _report(run: _Run, began: float, unchanged: int = 0) -> ImportReport:
        newer = any(item.version_of for item in run.imported)  # rows that quote an older version are flagged
        changes = Changes(documents=True, evidence=newer, matrix=newer)
        return ImportReport(tuple(run.imported), tuple(run.problems), time.monotonic() - began, unchanged, changes)

    def _embed_new(self, run: _Run) -> None:
        """Reading is some twenty times faster than embedding: everything is found by its words first."""
        try:
            self._index.fill(run.progress)
        except (ModelMissing, ModelUnreadable, EngineStopped) as error:
            run.progress.check()
            run.problems.append(Problem.at("search by meaning", error))

    def _ahead(self, files: Iterable[_File], above: Collection[str] = ()) -> Generator[tuple[_File, _Items | None]]:
        """Each file in order with what the reader finds in it, which is read ahead of its turn. None for one that an
        equal one stands for, in the case or among these. ``above``: the digests of the files around them.
        """
        seen = set(above)

        def wanted() -> Iterator[tuple[_File, ToRead | None]]:
            for file in files:
                twin = None if file.error else self._store.documents.by_sha256(file.digest)
                unread = twin is None or twin.status in ("reading", "failed")
                new = file.error is None and unread and file.digest not in seen
                seen.add(file.digest)
                yield file, ToRead(file.data, file.name) if new else None

        yield from read_documents(self._readers, wanted())

    @property
    def _readers(self) -> tuple[Reader, ...]:
        return self._open.engines.readers or (self._open.engines.reader,)

    def _read_now(self, data: bytes, name: str, password: str) -> _Items:
        for _, items in read_documents(self._readers, [(None, ToRead(data, name, password))]):
            yield from items or ()

    def _add_one(self, file: _File, items: _Items | None, run: _Run) -> list[Imported]:
        """What became of a file, followed by what became of the files inside it."""
        if file.error is not None:
            run.problems.append(Problem.at(file.place or file.name, file.error))
            return [_failed(file.name, file.error)]
        nest = _Nest(_Room(_FILES_INSIDE, _BYTES_INSIDE))
        first, *inside = self._add_bytes(file, items, nest, run)
        return [self._found(first, place_of(file.place), file.stood, run) if file.place else first, *inside]

    def _found(self, item: Imported, place: str, stood: tuple[int, int], run: _Run) -> Imported:
        """Remember where a file was found; a new document at the place of another is that one's newer version."""
        if item.id is None:
            return item
        before = run.found.get(place) or self._store.imports.found_at(place)
        failed = item.status == "failed"
        # While what stands there now cannot be read, the document that stood there before is still the one to follow.
        run.found[place] = Found(before.document if failed and before else item.id, *stood)
        if failed or before is None or before.document == item.id or item.status == "duplicate":
            return item
        older = self._store.documents.get(before.document)
        if older.status == "removed" or older.superseded_by:
            return item
        try:
            self._store.descriptions.supersede(older.id, item.id)
        except BadInput:  # an older version that came back
            return item
        rows = tuple(row.id for row in self._store.evidence.quoting(older.id))
        return replace(item, status="added", of=None, version_of=older.id, dependents=rows, may_replace=None)

    def _add_bytes(self, file: _File, items: _Items | None, nest: _Nest, run: _Run) -> list[Imported]:
        """What became of a file, of which ``items`` may be read already, followed by what became of those inside it."""
        name, data, digest = file.name, file.data, file.digest
        document = self._store.documents.by_sha256(digest)
        if document is not None and document.status == "removed":
            document = self._store.removal.restore([document.id])[0]
            if document.status != "failed":
                return [
                    Imported(document.id, name, digest, document.pages, document.chunks, "added", parent=nest.parent)
                ]
        if document is not None and (document.status not in ("reading", "failed") or digest in nest.digests):
            if document.id != nest.document:
                self._store.documents.adopt(document.id, nest.document)
            return [
                Imported(
                    document.id,
                    name,
                    digest,
                    document.pages,
                    document.chunks,
                    "duplicate",
                    document.id,
                    parent=nest.parent,
                )
            ]
        if document is None:
            identity = self._store.documents.begin(
                name=name, kind="", sha256=digest, data=data, reader=self._open.engines.reader.fingerprint
            )
            document = self._store.documents.get(identity)
        return self._read_into(name, data, document, nest, run, where=str(file.place or ""), items=items)

    def _read_into(
        self,
        name: str,
        data: bytes,
        document: Document,
        nest: _Nest,
        run: _Run,
        *,
        where: str = "",
        items: _Items | None = None,
    ) -> list[Imported]:
        """Read the pages of a document that has none yet, and what lies in it. ``where`` names it in a problem."""
        fingerprint = self._open.engines.reader.fingerprint
        begun = document.status == "reading" and not document.pages
        if not begun or (document.name, document.reader) != (name, fingerprint):
            self._store.documents.restart(document.id, name=name, reader=fingerprint)
        try:
            try:
                outline, inside, language = self._read_pages(document.id, data, name, run, items)
            except (UnreadableDocument, EngineStopped) as error:
                run.progress.check()  # a reader killed because the person cancelled is not a bad file
                run.problems.append(Problem.at(where or name, error))
                locked = isinstance(error, PasswordNeeded)
                self._store.documents.fail(
                    document.id, reason=error.sentence, remedy=error.hint, parent=nest.document, locked=locked
                )
                failed = _failed(name, error, nest.parent)
                return [replace(failed, id=document.id, sha256=document.sha256, locked=locked)]
            # Finished after what it holds: what a kill leaves half-done is done when the file is added again.
            within = self._add_inside(name, inside, nest.inner(name, document.id, document.sha256), run)
            document = self._store.documents.finish(
                document.id, outline, kind=outline.kind, language=language, parent=nest.document
            )
        except BaseException:
            # Whatever ended it, a half-read document must not look like a whole one.
            with contextlib.suppress(AppError):
                self._store.documents.drop(document.id)
            raise
        added = Imported(
            document.id, document.name, document.sha256, document.pages, document.chunks, "added", parent=nest.parent
        )
        likeness = self._compare(document.id, run.likenesses)
        if likeness is not None:
            other = self._store.documents.get(likeness.of)
            same_name = _base(other.name) == _base(document.name) and not other.superseded_by
            added = replace(
                added,
                status="near_duplicate",
                of=likeness.of,
                likeness=likeness,
                may_replace=other.id if same_name else None,
            )
        return [added, *within]

    def _add_inside(self, name: str, inside: list[Attachment], nest: _Nest, run: _Run) -> list[Imported]:
        """The files inside a file as documents of their own. One that cannot be read is reported like any other."""
        found: list[Imported] = []

        def fail(inner: str, error: AppError) -> None:
            run.problems.append(Problem.at(inner, error))
            found.append(_failed(inner, error, nest.parent))

        over = nest.room.over(len(inside), sum(len(each.data) for each in inside), len(nest.digests))
        if inside and over:
            remedy = "Unpack it, and add the folder."
            fail(f"{name}/(all {len(inside)})", UnreadableDocument(reason=f"{name} {over}.", remedy=remedy))
            return found
        inside.reverse()
        taken = (_taken_out(inside.pop(), name) for _ in range(len(inside)))  # bytes are let go when they are done with
        with contextlib.closing(self._ahead(taken, nest.digests)) as read:
            for file, items in read:
                if file.error is not None:
                    fail(file.name, file.error)
                else:
                    found += self._add_bytes(file, items, nest, run)
        return found

    def _read_pages(
        self, document: str, data: bytes, name: str, run: _Run, ahead: _Items | None
    ) -> tuple[Outline, list[Attachment], str]:
        """What a file says of itself, what lies in it, and the language most of it is in. Its pages are kept.

        Raises UnreadableDocument, PasswordNeeded where none of the passwords opens it, EngineStopped.
        """
        passwords = (self._store.imports.password(document), *run.passwords, *self._store.imports.passwords())
        candidates = list(dict.fromkeys(("", *passwords)))
        for at, password in enumerate(candidates):
            items, ahead = ahead or self._read_now(data, name, password), None  # ahead it is read without a password
            try:
                outline, inside, language = self._read_with(document, items, name, run)
            except PasswordNeeded:
                if at + 1 == len(candidates):
                    raise
                continue
            if password:
                self._store.imports.put_password(document, password)
            break
        return outline, inside, language

    def _read_with(self, document: str, items: _Items, name: str, run: _Run) -> tuple[Outline, list[Attachment], str]:
        outline: Outline | None = None
        inside: list[Attachment] = []
        batch: list[tuple[PageText, Sequence[Span]]] = []
        languages: list[tuple[str, int]] = []
        for item in items:
            run.progress.check()
            if isinstance(item, Outline):
                outline = item
                continue
            if isinstance(item, Attachment):
                inside.append(item)
                continue
            languages.append((item.language, len(item.text)))
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
        return outline, inside, sections.majority_language(languages)

    def page_labels(self, document: str) -> dict[int, str]:
        """Return what the pages of a document are called in print, by number."""
        return self._store.pages.labels(document)


def _digest(path: Path, progress: Progress) -> str:
    digest = hashlib.sha256()
    for piece in _pieces(path):
        progress.check()
        digest.update(piece)
    return digest.hexdigest()
