"""The one facade: the verbs of the product on one open case.

A verb runs steps on values, keeps the result in the case and says what changed. The window and the command line are its
two clients. Long verbs take a ``Progress`` and may run on a thread of their own while quick ones go on: the case file
takes short transactions only, and nothing is computed inside one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from typing import Literal

from core.analysis import Added
from core.domain import (
    Absence,
    Changes,
    Chunk,
    Document,
    Hypothesis,
    Level,
    Likeness,
    LogEntry,
    Page,
    PageText,
    Passage,
    Probabilities,
    Proposal,
    Rating,
    Reading,
    Span,
    Suggestion,
    Verdict,
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
from core.exports import Exports
from core.ports import Attachment, Embedder, Engines, Judge, OcrEngine, OcrPage, Outline, Picture
from core.progress import Progress, silent
from core.steps import chunk as chunking
from core.steps import classify, duplicates, retrieve, verify, versions
from core.steps import doubts as doubting
from core.store import CaseCheck, CaseFile, Corrected, Merged, merge
from core.text import sentences

Mode = Literal["hybrid", "vector", "lexical"]
MODES: tuple[Mode, ...] = ("hybrid", "vector", "lexical")

PER_DOCUMENT = 5
LONGEST_QUERY = 2_000  # characters of a query that are used; the embedder's window ends far earlier
LONGEST_HYPOTHESIS = 1_000  # characters; the judge's window must hold a passage beside it
LARGEST_FILE = 500_000_000  # bytes; SQLite keeps at most 1 GB in one value

_DEEPEST = 5  # files inside files
_FILES_INSIDE = 2_000  # taken out of one submitted file, in all depths
_BYTES_INSIDE = 2_000_000_000
_PAGES_AT_ONCE = 32  # pages a transaction: some 10 ms, so that the window never waits for the case file
_OCR_SCALE = 300 / 72  # pixels a point: 300 dots an inch, what OCR engines are made for
_CHUNKS_AT_ONCE = 128  # passages an embedding call; texts of equal length share a batch, so more at once is faster


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
class SearchResult:
    query: str
    passages: tuple[Passage, ...]
    seconds: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProposeReport:
    """``passages_judged`` counts pairs of passage and hypothesis, those from the cache included."""

    proposals: tuple[Proposal, ...]
    passages_judged: int
    seconds: float
    notes: tuple[str, ...] = ()
    changes: Changes = Changes(proposals=True)


@dataclass(frozen=True, slots=True)
class Accepted:
    """(evidence id, proposal id) pairs."""

    pairs: tuple[tuple[str, str], ...]
    changes: Changes = Changes(proposals=True, evidence=True, matrix=True)


@dataclass(frozen=True, slots=True)
class ScanReport:
    """How many pages were read in their pictures, with how many words, and which could not be."""

    pages: int
    words: int
    problems: tuple[Problem, ...]
    seconds: float
    changes: Changes = Changes(documents=True)


@dataclass(frozen=True, slots=True)
class IndicatorHit:
    """A new document that an indicator's search finds: its best passage."""

    consideration: str
    document: str
    name: str
    page: int
    page_id: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Undone:
    verb: str
    changes: Changes


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict on one pair and the span of the passage that carries it."""

    verdict: Verdict
    start: int
    end: int
    explanation: str


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
    "ocr_word": Changes(documents=True, proposals=True, evidence=True, matrix=True),
    "setting": Changes(proposals=True, evidence=True, matrix=True),
}


def utc_now() -> datetime:
    return datetime.now(UTC)


class Workbench(Exports):
    """One open case with the engines that work on it."""

    def __init__(self, case: CaseFile, engines: Engines) -> None:
        super().__init__(case, engines)

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

    # --- documents ---------------------------------------------------------------------------------------------------

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
        return self._add_bytes(path.name, _file_bytes(path), nest, problems, progress)

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
            batch.append((item, chunking.split(item)))
            if len(batch) >= _PAGES_AT_ONCE:
                self.case.put_pages(document, batch)
                batch = []
        if batch:
            self.case.put_pages(document, batch)
        if outline is None:
            raise UnreadableDocument(reason=f"{name} gave no pages.", remedy="Open it elsewhere and check it.")
        return outline, inside

    def read_scans(self, documents: Collection[str] | None = None, progress: Progress | None = None) -> ScanReport:
        """Read the pages that have no text of their own in their pictures, and make them searchable.

        A page is kept as soon as it is read: cancelling keeps what was read, and the next run goes on from there. One
        that cannot be read becomes a Problem. Raises ModelMissing without an OCR engine, NoSuchItem.
        """
        progress = progress or silent()
        began = time.monotonic()
        engine = self.engines.ocr
        if engine is None:
            raise ModelMissing(role="OCR", path="the program's own packages", effect="scans cannot be read")
        wanted = [d for d in self.case.documents() if d.pages_without_text and d.status in ("ready", "needs_ocr")]
        if documents is not None:
            for identity in documents:
                self.case.document(identity)
            wanted = [d for d in wanted if d.id in set(documents)]
        pages = [(d, page) for d in wanted for page in self.case.pages_to_ocr(d.id)]
        problems: list[Problem] = []
        words = read = 0
        originals: dict[str, bytes] = {}
        for done, (document, page) in enumerate(pages):
            progress.step(done, len(pages), f"Reading the scan {document.name}, page {page.number}")
            try:
                if document.id not in originals:
                    originals = {document.id: self.case.original(document.id)}
                found = self._read_scan(engine, originals[document.id], document.name, page)
                self.case.put_reading(page.id, found[0], chunking.split(found[0]), found[1])
            except (UnreadableDocument, EngineStopped) as error:
                progress.check()
                problems.append(Problem.at(f"{document.name}, page {page.number}", error))
                continue
            read += 1
            words += len(found[0].words)
        if read:
            try:
                self._embed(progress)
            except (ModelMissing, ModelUnreadable, EngineStopped) as error:
                progress.check()
                problems.append(Problem.at("search by meaning", error))
        progress.step(len(pages), len(pages), "Scans read")
        return ScanReport(read, words, tuple(problems), time.monotonic() - began)

    def _read_scan(self, engine: OcrEngine, data: bytes, name: str, page: Page) -> tuple[PageText, list[Reading]]:
        picture = (self.engines.viewer or self.engines.reader).render(data, name, page.number, scale=_OCR_SCALE)
        width, height = page.width or picture.width / picture.scale, page.height or picture.height / picture.scale
        seen = engine.read(picture.png, width=width, height=height)
        readings = [_reading(one) for one in (seen, *seen.readings)]
        # One row for each engine: a second one of the same name would be the same reading.
        kept = list({reading.engine: reading for reading in reversed(readings)}.values())[::-1]
        confidence = seen.confidence if len(seen.words) else None
        text = PageText(page.number, seen.text, seen.words, width, height, "ocr", confidence, page.label)
        return text, kept

    def decide_words(self, decisions: Sequence[tuple[int, int, str, str]]) -> Corrected:
        """What a person says of words of scans, as one decision: (page id, word, action, text).

        ``word`` counts the words of the page's reading; ``action`` is accepted, corrected (to ``text``), illegible, or
        '' to take it back. Raises BadInput.
        """
        return self.case.decide_words(decisions)

    def ocr_queue(self, limit: int = 500) -> list[doubting.Doubt]:
        """The words of scans that a person should check, those first in which an error would change most."""
        decided: dict[int, set[int]] = {}
        for decision in self.case.ocr_decisions():
            decided.setdefault(decision.page_id, set()).add(decision.word)
        cited: dict[int, list[tuple[int, int, str]]] = {}
        for row in self.case.evidence():
            if row.page_id is not None and row.start is not None and row.end is not None:
                cited.setdefault(row.page_id, []).append((row.start, row.end, row.id))
        found: list[doubting.Doubt] = []
        for page in self.case.scanned_pages():
            reading = next((one for one in self.case.readings(page.id) if one.engine == page.fingerprint), None)
            if reading is not None:
                words = self.case.words(page.id)
                found += doubting.doubts(page, reading, words, decided.get(page.id, ()), cited.get(page.id, ()))
        return doubting.in_order(found)[:limit]

    def check_quote(self, evidence: str) -> Corrected:
        """A person has compared the whole quote with the picture of its page: every word of it not yet decided on is
        accepted as it stands. Raises BadInput for what is no quote from a scan."""
        item = next((item for item in self.case.evidence() if item.id == evidence), None)
        if item is None or self.scan_check(item) is None:
            raise BadInput(reason=f"{evidence} quotes no scan.", remedy="Only words read from a picture need this.")
        page_id, start, end = item.page_id or 0, item.start or 0, item.end or 0
        known = {decision.word for decision in self.case.ocr_decisions(page_id)}
        return self.decide_words(
            [
                (page_id, number, "accepted", "")
                for number, word in enumerate(self.case.words(page_id))
                if word.start < end and word.end > start and number not in known
            ]
        )

    def refresh_quote(self, evidence: str) -> Changes:
        """Let a row whose page was corrected quote what stands there now."""
        self.case.refresh_quote(evidence)
        return Changes(evidence=True, matrix=True)

    def _embed(self, progress: Progress) -> None:
        """Give a vector to every passage that has none."""
        embedder = self.engines.embedder
        if embedder is None:
            return
        waiting = self.case.count_without_vector(embedder.fingerprint)
        done = 0
        while chunks := self.case.chunks_without_vector(embedder.fingerprint, _CHUNKS_AT_ONCE):
            progress.step(done, waiting, "Making passages searchable by meaning")
            vectors = embedder.embed([chunk.text for chunk in chunks])
            self.case.put_vectors(
                embedder.fingerprint, [(chunk.id, vector) for chunk, vector in zip(chunks, vectors, strict=True)]
            )
            done += len(chunks)

    def finish_embedding(self, progress: Progress | None = None) -> None:
        """Embed what an earlier run left without vectors (cancelled, or added while the model was missing)."""
        self._embed(progress or silent())

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

    def original(self, document: str) -> bytes:
        return self.case.original(document)

    def picture(self, document: str, number: int, scale: float = 1.5) -> Picture:
        """The page itself. Raises UnreadableDocument for formats without pages."""
        reader = self.engines.viewer or self.engines.reader
        return reader.render(self.case.original(document), self.case.document(document).name, number, scale=scale)

    def strip(self, document: str, number: int, box: tuple[float, float, float, float], scale: float) -> Picture:
        """The part of a page around a box in points, as wide as the page, the box lined. Raises as ``picture`` does."""
        reader = self.engines.viewer or self.engines.reader
        name = self.case.document(document).name
        return reader.crop(self.case.original(document), name, number, [box], scale=scale)

    def set_included(self, documents: Sequence[str], included: bool) -> Changes:
        """Take documents into the scope of every search, or out of it."""
        self.case.set_included(documents, included)
        return Changes(documents=True)

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

    # --- search ------------------------------------------------------------------------------------------------------

    def search(
        self,
        text: str,
        *,
        k: int = 30,
        include: Collection[str] | None = None,
        exclude: Collection[str] = (),
        mode: Mode = "hybrid",
        min_similarity: float = 0.0,
        per_document: int = PER_DOCUMENT,
    ) -> SearchResult:
        """The ``k`` best passages for ``text``; ``include`` and ``exclude`` name documents.

        Raises NoSuchItem for an unknown document, BadInput for an empty query.
        """
        return self.search_many(
            [text],
            k=k,
            include=include,
            exclude=exclude,
            mode=mode,
            min_similarity=min_similarity,
            per_document=per_document,
        )[0]

    def search_many(
        self,
        texts: Sequence[str],
        *,
        k: int = 30,
        include: Collection[str] | None = None,
        exclude: Collection[str] = (),
        mode: Mode = "hybrid",
        min_similarity: float = 0.0,
        per_document: int = PER_DOCUMENT,
    ) -> list[SearchResult]:
        """One result a query; the queries are embedded together."""
        began = time.monotonic()
        queries = [_query_text(text) for text in texts]
        scope, left_out = self._scope(include, exclude)
        embedder, notes = self._embedder_for(mode)
        vectors: list[bytes] | None = None
        if embedder is not None:
            try:
                vectors = embedder.embed(queries)
            except (ModelMissing, ModelUnreadable) as error:
                notes.append(f"{error.sentence} {error.hint}")
        results = []
        for at, query in enumerate(queries):
            hits = self._hits(
                query,
                vectors[at] if vectors is not None else None,
                k=k,
                scope=scope,
                left_out=left_out,
                mode=mode,
                min_similarity=min_similarity,
                per_document=per_document,
            )
            passages = self._passages(hits)
            found = tuple(notes) if passages else (*notes, self._nothing_found(query, scope, left_out))
            results.append(SearchResult(query, passages, time.monotonic() - began, found))
            began = time.monotonic()
        return results

    def _scope(self, include: Collection[str] | None, exclude: Collection[str]) -> tuple[list[str] | None, list[str]]:
        """Documents to search (None: all) and documents to leave out, after those the person took out of scope."""
        for document in (*(include or ()), *exclude):
            self.case.document(document)
        left_out = set(exclude)
        if include is None:
            left_out.update(document.id for document in self.case.documents() if not document.included)
        return (None if include is None else sorted(include)), sorted(left_out)

    def _embedder_for(self, mode: Mode) -> tuple[Embedder | None, list[str]]:
        if mode not in MODES:
            raise BadInput(reason=f"'{mode}' is no way to search.", remedy="Use hybrid, vector or lexical.")
        if mode == "lexical":
            return None, []
        embedder = self.engines.embedder
        if embedder is None:
            return None, ["The search model is not on this computer: passages were found by their words only."]
        return embedder, []

    def _hits(
        self,
        query: str,
        vector: bytes | None,
        *,
        k: int,
        scope: list[str] | None,
        left_out: list[str],
        mode: Mode,
        min_similarity: float,
        per_document: int,
    ) -> list[retrieve.Hit]:
        embedder = self.engines.embedder
        match = ""
        if mode != "vector":
            wanted = retrieve.terms(query)
            match = retrieve.match_expression(
                wanted, self.case.document_frequency(wanted), self.case.counts()["chunks"]
            )
        depth = max(100, 4 * k)
        while True:
            near: list[tuple[int, float]] = []
            if vector is not None and embedder is not None:
                near = self.case.nearest(embedder.fingerprint, vector, depth, include=scope, exclude=left_out)
            words = self.case.lexical(match, depth, include=scope, exclude=left_out) if match else []
            hits = retrieve.fuse(near, words)
            if vector is not None and embedder is not None:
                hits = [self._with_similarity(hit, vector, embedder.fingerprint) for hit in hits]
            chunks = self.case.chunks([hit.chunk for hit in hits])
            documents = {chunk.id: chunk.document for chunk in chunks.values()}
            chosen = retrieve.choose(
                hits,
                documents.__getitem__,
                limit=k,
                per_document=per_document,
                min_similarity=min_similarity,
            )
            # One document may fill the depth of both legs: look deeper until the list is full or all was seen.
            exhausted = len(near) < depth and len(words) < depth
            if len(chosen) >= k or exhausted or depth >= 4096:
                return chosen
            depth = min(4096, depth * 4)

    def _with_similarity(self, hit: retrieve.Hit, query: bytes, model: str) -> retrieve.Hit:
        """A hit of the word leg gets its cosine too, so that every passage can say how near it is."""
        if hit.similarity is not None:
            return hit
        stored = self.case.vector(model, hit.chunk)
        return hit if stored is None else replace(hit, similarity=_cosine(query, stored))

    def _passages(self, hits: Sequence[retrieve.Hit]) -> tuple[Passage, ...]:
        chunks = self.case.chunks([hit.chunk for hit in hits])
        return tuple(
            _passage(rank, hit, chunks[hit.chunk]) for rank, hit in enumerate(hits, start=1) if hit.chunk in chunks
        )

    def _nothing_found(self, query: str, scope: list[str] | None, left_out: list[str]) -> str:
        counts = self.case.counts()
        where = f"{len(scope)} chosen documents" if scope is not None else f"{counts['documents']} documents"
        if left_out:
            where += f" without {len(left_out)} left out"
        if not counts["chunks"]:
            return "The case holds no text yet: add documents, then search again."
        return (
            f"Nothing found in {where} ({counts['chunks']} passages) for “{query[:80]}”. "
            "Try other words, a lower minimum similarity, or more documents."
        )

    # --- verdicts ----------------------------------------------------------------------------------------------------

    def propose(
        self,
        hypotheses: Sequence[str] | None = None,
        *,
        passages: int = 30,
        min_similarity: float = 0.0,
        per_document: int = PER_DOCUMENT,
        progress: Progress | None = None,
    ) -> ProposeReport:
        """Find passages for each hypothesis, have them judged, and keep a proven quote of each as a proposal.

        Verdicts are kept as they come: a cancelled run loses nothing and a repeated one asks the model nothing twice.
        Raises ModelMissing without a judge, NoSuchItem for an unknown hypothesis.
        """
        progress = progress or silent()
        began = time.monotonic()
        chosen = self._chosen_hypotheses(hypotheses)
        if not chosen:
            return ProposeReport((), 0, 0.0, ("The case has no hypotheses yet: add at least two rival ones.",))
        judge = self._judge()
        model = judge.fingerprint
        self._embed(progress)
        notes: list[str] = []
        work: dict[int, list[tuple[Hypothesis, Passage]]] = {}
        results = self.search_many(
            [hypothesis.text for hypothesis in chosen],
            k=passages,
            min_similarity=min_similarity,
            per_document=per_document,
        )
        for hypothesis, result in zip(chosen, results, strict=True):
            notes += [f"{hypothesis.id}: {note}" for note in result.notes]
            for passage in result.passages:
                work.setdefault(passage.chunk, []).append((hypothesis, passage))
        known = [(proposal.id, proposal.quote) for proposal in self.case.proposals()]
        kept: list[Proposal] = []
        total = sum(len(pairs) for pairs in work.values())
        done = 0
        # Best passages first, so that the rows worth reading come first.
        for _, pairs in sorted(work.items(), key=lambda item: (min(p.rank for _, p in item[1]), item[0])):
            progress.step(done, total, f"Judging {pairs[0][1].name}, page {pairs[0][1].page}")
            try:
                new = self._judge_passage(judge, model, pairs)
            except EngineStopped:
                progress.check()
                raise
            marks = duplicates.possible_duplicates([proposal.quote for proposal in new], known)
            new = [replace(proposal, possible_duplicate=mark) for proposal, mark in zip(new, marks, strict=True)]
            stored = self.case.put_proposals(new)
            seen = {identity for identity, _ in known}
            known += [(proposal.id, proposal.quote) for proposal in stored if proposal.id not in seen]
            kept += stored
            done += len(pairs)
        progress.step(total, total, "Passages judged")
        order = {hypothesis.id: at for at, hypothesis in enumerate(chosen)}
        kept.sort(key=lambda proposal: (order[proposal.hypothesis], int(proposal.id[1:])))
        return ProposeReport(tuple(kept), total, time.monotonic() - began, tuple(notes))

    def _chosen_hypotheses(self, wanted: Sequence[str] | None) -> list[Hypothesis]:
        everything = self.case.hypotheses()
        if wanted is None:
            return everything
        for identity in wanted:
            self.case.hypothesis(identity)
        return [hypothesis for hypothesis in everything if hypothesis.id in set(wanted)]

    def _judge(self) -> Judge:
        if self.engines.judge is None:
            raise ModelMissing(role="judging", path="the models folder", effect="no passage can be judged")
        return self.engines.judge

    def _judge_passage(self, judge: Judge, model: str, pairs: Sequence[tuple[Hypothesis, Passage]]) -> list[Proposal]:
        passage = pairs[0][1]
        page = self.case.page_by_id(passage.page_id)
        whole = self._probabilities(judge, model, passage.text, [hypothesis.text for hypothesis, _ in pairs])
        spans = sentences(passage.text)
        made = []
        for (hypothesis, found), probabilities in zip(pairs, whole, strict=True):

            def ask(text: str, about: str = hypothesis.text) -> Probabilities:
                return self._probabilities(judge, model, text, [about])[0]

            judged = _judged(passage.text, spans, hypothesis.text, probabilities, model, ask)
            quote = verify.span(page, passage.start + judged.start, passage.start + judged.end)
            made.append(
                Proposal(
                    id="",
                    hypothesis=hypothesis.id,
                    chunk=passage.chunk,
                    quote=quote,
                    name=passage.name,
                    verdict=judged.verdict,
                    similarity=found.similarity,
                    vector_rank=found.vector_rank,
                    lexical_rank=found.lexical_rank,
                    explanation=judged.explanation,
                )
            )
        return made

    def _probabilities(self, judge: Judge, model: str, passage: str, hypotheses: Sequence[str]) -> list[Probabilities]:
        """From the cache of the case where it is known, else from the judge, then kept."""
        keys = [(_digest(passage), _digest(hypothesis)) for hypothesis in hypotheses]
        known = self.case.verdicts(model, keys)
        missing = [at for at, key in enumerate(keys) if key not in known]
        if missing:
            fresh = judge.judge(passage, [hypotheses[at] for at in missing])
            rows = [(*keys[at], probabilities) for at, probabilities in zip(missing, fresh, strict=True)]
            self.case.put_verdicts(model, rows)
            known.update({(row[0], row[1]): row[2] for row in rows})
        return [known[key] for key in keys]

    def proposals(self, hypothesis: str | None = None, status: str | None = None) -> list[Proposal]:
        """In order of id. Where rating is blind, those to be decided are marked so: their verdict is for later."""
        found = self.case.proposals(hypothesis=hypothesis, status=status)
        if not self.case.settings().blind:
            return found
        return [replace(proposal, blind=proposal.status == "pending") for proposal in found]

    def accept(self, proposals: Sequence[str], rate: bool = False) -> Accepted:
        """Make evidence of proposals. With ``rate`` the model's rating is kept beside it as a suggestion."""
        suggestions = []
        if rate:
            at = self.case.now()
            for identity in proposals:
                proposal = self.case.proposal(identity)
                rating = classify.rating_for(proposal.verdict.label)
                if rating is not None:
                    suggestions.append(
                        Suggestion(
                            identity,
                            proposal.hypothesis,
                            rating,
                            proposal.verdict.model,
                            proposal.verdict.probabilities,
                            at,
                        )
                    )
        return Accepted(tuple(self.case.accept(list(proposals), suggestions=suggestions)))

    def reject(self, proposals: Sequence[str]) -> Changes:
        self.case.reject(list(proposals))
        return Changes(proposals=True)

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

    def add_quote(self, document: str, page: int, start: int, end: int, text: str = "") -> Added:
        """A row from a stretch of a page that the analyst marked."""
        quote = verify.span(self.case.page(document, page), start, end)
        name = self.case.document(document).name
        added = self.case.add_evidence(text=text.strip() or quote.text, source=name, quote=quote)
        return Added(added.id, Changes(evidence=True, matrix=True))

    def look_for(self, queries: Sequence[str], *, k: int = 10) -> tuple[SearchResult, ...]:
        """What is there, before saying that something is not: one result for each query."""
        return tuple(self.search_many(queries, k=k))

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

    def check_indicators(self) -> tuple[IndicatorHit, ...]:
        """For each open indicator the best passage of every document that came since it was last looked at."""
        hits: list[IndicatorHit] = []
        for indicator in self.case.considerations("indicator"):
            new = [
                document.id
                for document in self.case.documents()
                if int(document.id[1:]) > indicator.seen and document.included and document.status == "ready"
            ]
            if indicator.status != "open" or not new or not indicator.query.strip():
                continue
            found = self.search(indicator.query, include=new, k=3 * len(new), per_document=3)
            best: dict[str, Passage] = {}
            for passage in found.passages:
                # In one new document something always ranks first, so ranks say nothing here.
                if retrieve.answers(indicator.query, passage.text, passage.similarity):
                    best.setdefault(passage.document, passage)
            hits += [
                IndicatorHit(indicator.id, p.document, p.name, p.page, p.page_id, p.start, p.end, p.text)
                for p in best.values()
            ]
        return tuple(hits)

    # --- matrices made elsewhere -------------------------------------------------------------------------------------

    def import_matrix(self, path: Path, progress: Progress | None = None, *, choose: str = "") -> MatrixImport:
        """Bring in a matrix that another program made: whole, in one's own name, as one decision; or nothing at all.

        Its hypotheses are added unless the case has one of the same text; its evidence is added as rows of one's own.
        Raises BadInput for a file that holds no matrix, SeveralMatrices where ``choose`` must name one.
        """
        progress = progress or silent()
        progress.step(0, 2, f"Reading {path.name}")
        reader = self.engines.viewer or self.engines.reader
        try:
            given = reader.read_matrix(_file_bytes(path), path.name, choose=choose)
        except EngineStopped:
            progress.check()
            raise
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

    def verify(self, progress: Progress | None = None) -> CaseCheck:
        return self.case.verify(progress or silent())

    def rebuild_index(self) -> None:
        self.case.rebuild_index()

    def judge_missing(self) -> str:
        """One line when no passage can be judged, '' otherwise."""
        if self.engines.judge is not None:
            return ""
        return "No judging model is on this computer: everything else works, passages are rated by hand."

    def judge_card(self) -> classify.JudgeCard | None:
        """What was measured of the judge in use; None without a judge."""
        return None if self.engines.judge is None else classify.card()


def judge_pair(judge: Judge, passage: str, hypothesis: str) -> Judged:
    """Verdict and quote for one pair without a case; the same steps as ``Workbench.propose``."""

    def ask(text: str) -> Probabilities:
        return judge.judge(text, [hypothesis])[0]

    return _judged(passage, sentences(passage), hypothesis, ask(passage), judge.fingerprint, ask)


def _judged(
    passage: str,
    spans: Sequence[Span],
    hypothesis: str,
    probabilities: Probabilities,
    model: str,
    ask: Callable[[str], Probabilities],
) -> Judged:
    label = classify.label(probabilities)
    choice = classify.choose_quote(passage, spans, label, hypothesis, ask)
    words = classify.explanation(label, probabilities, choice, passage[choice.start : choice.end], hypothesis)
    return Judged(Verdict(label, probabilities, model), choice.start, choice.end, words)


def _reading(seen: OcrPage) -> Reading:
    return Reading(seen.engine, seen.text, seen.words, seen.confidences, seen.alternatives, seen.others)


def _passage(rank: int, hit: retrieve.Hit, chunk: Chunk) -> Passage:
    return Passage(
        rank=rank,
        chunk=chunk.id,
        page_id=chunk.page_id,
        document=chunk.document,
        name=chunk.name,
        page=chunk.page,
        start=chunk.start,
        end=chunk.end,
        text=chunk.text,
        score=round(hit.score, 9),
        vector_rank=hit.vector_rank,
        lexical_rank=hit.lexical_rank,
        similarity=None if hit.similarity is None else round(hit.similarity, 6),
        confidence=retrieve.confidence(hit),
    )


def _cosine(one: bytes, other: bytes) -> float:
    """Of two unit vectors of float32; plain Python, since only a few passages a query need it."""
    first, second = array("f"), array("f")
    first.frombytes(one)
    second.frombytes(other)
    return sum(a * b for a, b in zip(first, second, strict=True))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _undone(entry: LogEntry | None) -> Undone | None:
    if entry is None:
        return None
    changes = Changes()
    for table in json.loads(entry.after):
        changes = changes | _SHOWN.get(table, Changes())
    return Undone(entry.verb, changes)


def _query_text(text: str) -> str:
    stripped = " ".join(text.split())
    if not stripped:
        raise BadInput(reason="The search text is empty.", remedy="Write a word, a phrase or a sentence.")
    return stripped[:LONGEST_QUERY]


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


def _file_bytes(path: Path) -> bytes:
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
