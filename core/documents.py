"""Documents of a case: read, kept, compared, corrected, shown. The part of the workbench that works with files."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Literal

from core.domain import (
    Changes,
    Document,
    Likeness,
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
    Problem,
    UnreadableDocument,
)
from core.ports import Attachment, Outline, Picture
from core.progress import Progress, silent
from core.scans import Scans
from core.steps import chunk as chunking
from core.steps import duplicates, scans, versions

LARGEST_FILE = 500_000_000  # bytes; SQLite keeps at most 1 GB in one value

_DEEPEST = 5  # files inside files
_FILES_INSIDE = 2_000  # taken out of one submitted file, in all depths
_BYTES_INSIDE = 2_000_000_000
_PAGES_AT_ONCE = 32  # pages a transaction: some 10 ms, so that the window never waits for the case file


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of one submitted file. ``status``: added, near_duplicate (added, and nearly the same as ``of``),
    duplicate (of document ``of``, not stored again) or failed. ``likeness`` tells how a near duplicate is like ``of``.

    ``parent`` is the name of the file that it was found in, '' for a file that was submitted itself.
    """

    id: str | None
    name: str
    sha256: str
    pages: int
    chunks: int
    status: Literal["added", "near_duplicate", "duplicate", "failed"]
    of: str | None = None
    parent: str = ""
    likeness: Likeness | None = None


@dataclass(slots=True)
class _Room:
    """What may still be taken out of one submitted file, over all depths: bombs are made of files inside files."""

    files: int
    size: int  # bytes

    def over(self, files: int, size: int, depth: int) -> str:
        """'' when there is room, which is then taken; else why there is none."""
        if depth > _DEEPEST:
            return f"lies {depth} files deep in others, and what it holds was not taken out"
        if files > self.files or size > self.size:
            return "holds more files, or larger ones, than the program takes out of one file; none of them was read"
        self.files -= files
        self.size -= size
        return ""


@dataclass(frozen=True, slots=True)
class _Nest:
    """Where a file lies: the name of the one that holds it, and the digests of all around it."""

    room: _Room
    parent: str = ""
    digests: tuple[str, ...] = ()

    def inner(self, name: str, digest: str) -> _Nest:
        return _Nest(self.room, name, (*self.digests, digest))


@dataclass(frozen=True, slots=True)
class Versions:
    """Two documents compared: their whole texts, what differs, and where each page begins in them (offset, number)."""

    one: Document
    other: Document
    old: str
    new: str
    differences: tuple[versions.Difference, ...]
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
class ImportReport:
    """Every submitted file once, each followed by the files found inside it: both added + duplicate + failed."""

    documents: tuple[Imported, ...]
    problems: tuple[Problem, ...]
    seconds: float
    changes: Changes = Changes(documents=True)


class Documents(Scans):
    """Verbs on the documents of one case."""

    def add_documents(self, paths: Sequence[Path], progress: Progress | None = None) -> ImportReport:
        """Read files and folders (recursively, in order of name) into the case and make them searchable.

        Each document is found by its words as soon as it is read; the vectors follow when all are read.

        Finished documents are skipped as duplicates, one left half-read by a kill is read again. A file that cannot be
        read becomes a Problem. Cancelling keeps every finished document.
        """
        progress = progress or silent()
        began = time.monotonic()
        imported: list[Imported] = []
        problems: list[Problem] = []
        files = list(_files(paths))
        self._compare_older(progress)
        for done, path in enumerate(files):
            progress.step(done, len(files), f"Reading {path.name}")
            try:
                imported += self._add_one(path, problems, progress)
            except (UnreadableDocument, EngineStopped) as error:
                progress.check()  # a reader killed because the person cancelled is not a bad file
                problems.append(Problem.at(path, error))
                imported.append(Imported(None, path.name, "", 0, 0, "failed"))
        # Reading is some twenty times faster than embedding: everything is found by its words first.
        try:
            self._embed(progress)
        except (ModelMissing, ModelUnreadable, EngineStopped) as error:
            progress.check()
            problems.append(Problem.at("search by meaning", error))
        progress.step(len(files), len(files), "Documents added")
        return ImportReport(tuple(imported), tuple(problems), time.monotonic() - began)

    def _add_one(self, path: Path, problems: list[Problem], progress: Progress) -> list[Imported]:
        """What became of a file, followed by what became of the files inside it."""
        nest = _Nest(_Room(_FILES_INSIDE, _BYTES_INSIDE))
        return self._add_bytes(path.name, file_bytes(path), nest, problems, progress)

    def _add_bytes(
        self, name: str, data: bytes, nest: _Nest, problems: list[Problem], progress: Progress
    ) -> list[Imported]:
        digest = hashlib.sha256(data).hexdigest()
        known = self.case.document_by_sha256(digest)
        if known is not None and (known.status != "reading" or digest in nest.digests):
            return [
                Imported(known.id, name, digest, known.pages, known.chunks, "duplicate", known.id, parent=nest.parent)
            ]
        if known is not None:
            self.case.drop_document(known.id)
        document = self.case.begin_document(
            name=name, kind="", sha256=digest, data=data, reader=self.engines.reader.fingerprint
        )
        try:
            outline, inside = self._read_pages(document, data, name, progress)
            # Finished after what it holds: what a kill leaves half-done is done when the file is added again.
            within = self._add_inside(name, inside, nest.inner(name, digest), problems, progress)
            kept = self.case.finish_document(document, outline, kind=outline.kind)
        except BaseException:
            # Whatever ended it, a half-read document must not look like a whole one.
            with contextlib.suppress(AppError):
                self.case.drop_document(document)
            raise
        added = Imported(kept.id, kept.name, digest, kept.pages, kept.chunks, "added", parent=nest.parent)
        likeness = self._compare(kept.id)
        if likeness is not None:
            added = replace(added, status="near_duplicate", of=likeness.of, likeness=likeness)
        return [added, *within]

    def _compare_older(self, progress: Progress) -> None:
        """Signatures of what is here, so that what comes can be compared with it."""
        self._likenesses = duplicates.Likenesses(self.case.sketches(), self._text)
        for document in self.case.documents_without_sketch():
            progress.check()
            self._compare(document)

    def _compare(self, document: str) -> Likeness | None:
        """Which earlier document this one is nearly the same as; kept with the case."""
        data = duplicates.sketch(self._text(document))
        likeness = self._likenesses.take(document, data)
        self.case.put_sketch(document, data, likeness)
        return likeness

    def compare_versions(self, one: str, other: str) -> Versions:
        """Two documents side by side, ``one`` as the older version. Raises BadInput for one document with itself."""
        if one == other:
            raise BadInput(reason="A document was to be compared with itself.", remedy="Name two documents.")
        documents = self.case.document(one), self.case.document(other)
        texts: list[str] = []
        begins: list[tuple[tuple[int, int], ...]] = []
        for document in documents:
            pages = list(self.case.pages(document.id))
            starts = accumulate((len(page.text) + 1 for page in pages), initial=0)
            texts.append("\n".join(page.text for page in pages))
            begins.append(tuple((start, page.number) for start, page in zip(starts, pages, strict=False)) or ((0, 1),))
        (old, new), (old_pages, new_pages) = texts, begins
        return Versions(*documents, old, new, versions.compare(old, new), old_pages, new_pages)

    def likenesses(self) -> dict[str, Likeness]:
        """By document: the earlier one that it is nearly the same as."""
        return self.case.likenesses()

    def _add_inside(
        self, name: str, inside: list[Attachment], nest: _Nest, problems: list[Problem], progress: Progress
    ) -> list[Imported]:
        """The files inside a file as documents of their own. One that cannot be read is reported like any other."""
        found: list[Imported] = []

        def fail(inner: str, error: AppError) -> None:
            problems.append(Problem.at(inner, error))
            found.append(Imported(None, inner, "", 0, 0, "failed", parent=nest.parent))

        over = nest.room.over(len(inside), sum(len(each.data) for each in inside), len(nest.digests))
        if inside and over:
            remedy = "Unpack it, and add the folder."
            fail(f"{name}/(all {len(inside)})", UnreadableDocument(reason=f"{name} {over}.", remedy=remedy))
            return found
        inside.reverse()
        while inside:
            each = inside.pop()  # its bytes are let go when it is done
            inner = f"{name}/{each.name}"
            try:
                if each.reason:
                    raise UnreadableDocument(reason=each.reason, remedy=each.remedy)
                found += self._add_bytes(inner, each.data, nest, problems, progress)
            except (UnreadableDocument, EngineStopped) as error:
                progress.check()
                fail(inner, error)
        return found

    def _read_pages(
        self, document: str, data: bytes, name: str, progress: Progress
    ) -> tuple[Outline, list[Attachment]]:
        outline: Outline | None = None
        inside: list[Attachment] = []
        batch: list[tuple[PageText, Sequence[Span]]] = []
        for item in self.engines.reader.read(data, name):
            progress.check()
            if isinstance(item, Outline):
                outline = item
                continue
            if isinstance(item, Attachment):
                inside.append(item)
                continue
            batch.append((scans.judged(item), chunking.split(item)))
            if len(batch) >= _PAGES_AT_ONCE:
                self.case.put_pages(document, batch)
                batch = []
        if batch:
            self.case.put_pages(document, batch)
        if outline is None:
            raise UnreadableDocument(reason=f"{name} gave no pages.", remedy="Open it elsewhere and check it.")
        return outline, inside

    def documents(self) -> list[Document]:
        return self.case.documents()

    def document(self, document: str) -> Document:
        return self.case.document(document)

    def page(self, document: str, number: int) -> Page:
        return self.case.page(document, number)

    def pages(self, document: str) -> Iterator[Page]:
        return self.case.pages(document)

    def words(self, page_id: int) -> Words:
        return self.case.words(page_id)

    def sections(self, document: str) -> list[tuple[int, Section]]:
        """The headings of a document in order, each with the number of its page. See core.steps.sections."""
        return self.case.sections(document)

    def original(self, document: str) -> bytes:
        return self.case.original(document)

    def picture(
        self,
        document: str,
        number: int,
        scale: float = 1.5,
        *,
        clip: tuple[float, float, float, float] | None = None,
    ) -> Picture:
        """The page itself, or the part of it in ``clip`` (points). Raises UnreadableDocument for formats without
        pages."""
        reader = self.engines.viewer or self.engines.reader
        name = self.case.document(document).name
        return reader.render(self.case.original(document), name, number, scale=scale, clip=clip)

    def strip(self, document: str, number: int, box: tuple[float, float, float, float], scale: float) -> Picture:
        """The part of a page around a box in points, as wide as the page, the box lined. Raises as ``picture`` does."""
        reader = self.engines.viewer or self.engines.reader
        name = self.case.document(document).name
        return reader.crop(self.case.original(document), name, number, [box], scale=scale)

    def set_included(self, documents: Sequence[str], included: bool) -> Changes:
        """Take documents into the scope of every search, or out of it."""
        self.case.set_included(documents, included)
        return Changes(documents=True)


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    """The files named, and those in the folders named, each folder in order of name. A path that is not there is
    given too, so that it is reported."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders.sort()
            yield from (Path(folder) / name for name in sorted(names))


def file_bytes(path: Path) -> bytes:
    try:
        if not path.is_file():
            reason = "is not an ordinary file" if path.exists() else "is not there"
            raise UnreadableDocument(reason=f"{path.name} {reason}.", remedy="Check the path.")
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise UnreadableDocument(
                reason=f"{path.name} has {size / 1e6:,.0f} MB; a case takes files up to {LARGEST_FILE / 1e6:,.0f} MB.",
                remedy="Split it into parts.",
            )
        return path.read_bytes()
    except OSError as error:
        raise UnreadableDocument(
            reason=f"{path.name} cannot be opened ({error.strerror or type(error).__name__}).",
            remedy="Check that you may read it and that its medium is there.",
        ) from error
