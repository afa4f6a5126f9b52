"""Documents of a case: read from files, with what lies in them, kept, and read again. The part of the workbench that
works with files; what happens to a document afterwards is in ``core.documents.service``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from core.documents.folder_scan import file_bytes, part_of_case
from core.documents.near_duplicates import NearDuplicateIndex
from core.domain import Changes, NearDuplicate, PageText
from core.errors import (
    AppError,
    Problem,
    UnreadableDocument,
)
from core.ports import Attachment, Outline
from core.progress import Progress
from core.store import Found, ImportedRow, is_case

_DEEPEST = 5  # files inside files

_FILES_INSIDE = 2_000  # taken out of one submitted file, in all depths

_BYTES_INSIDE = 2_000_000_000

_PAGES_AT_ONCE = 32  # pages a transaction: some 10 ms, so that the window never waits for the case file


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of one submitted file. ``status``: added, near_duplicate (added, and nearly the same as ``of``),
    duplicate (of document ``of``, not stored again) or failed. ``likeness`` tells how a document is like ``of``.

    ``id`` of a failed file is its document, None where there was nothing that could be kept; ``reason`` and ``remedy``
    say why, ``locked`` that it opens with a password. ``parent`` is the name of the file that it was found in, '' for a
    file that was submitted itself. ``version_of`` is the document that stood at the same place before, which it now
    supersedes; ``dependents`` are the rows of evidence that quote that one. ``may_replace`` is one of the same name and
    nearly the same words from elsewhere: a person may say that this is its newer version.
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


_Items = Iterator[Outline | PageText | Attachment]  # what a reader finds in a file


@dataclass(frozen=True, slots=True)
class _File:
    """A file to be added, or why it cannot be. ``place`` is None for one that lies in another; ``stood`` its size and
    time before it was read, so that a later change is noticed.
    """

    name: str
    data: bytes = b""
    digest: str = ""
    place: Path | None = None
    stood: tuple[int, int] = (-1, -1)
    error: UnreadableDocument | None = None


@dataclass(slots=True)
class _Room:
    """What may still be taken out of one submitted file, over all depths: bombs are made of files inside files."""

    files: int
    size: int  # bytes

    def over(self, files: int, size: int, depth: int) -> str:
        """'' when there is room, which is then taken; else why there is none."""
        if depth > _DEEPEST:
            return f"is nested {depth} files deep, and its contents were not extracted"
        if files > self.files or size > self.size:
            return "holds more files, or larger ones, than the program extracts from one file; none of them was read"
        self.files -= files
        self.size -= size
        return ""


@dataclass(frozen=True, slots=True)
class _Nest:
    """Where a file lies: the name and the document of the one that holds it, and the digests of all around it."""

    room: _Room
    parent: str = ""
    document: str = ""
    digests: tuple[str, ...] = ()

    def inner(self, name: str, document: str, digest: str) -> _Nest:
        return _Nest(self.room, name, document, (*self.digests, digest))


@dataclass(slots=True)
class _Run:
    """One import while it goes on."""

    progress: Progress
    likenesses: NearDuplicateIndex  # of the documents that are there, some 10 kB each
    passwords: tuple[str, ...] = ()  # to be tried on what opens with a password only
    problems: list[Problem] = field(default_factory=list)
    imported: list[Imported] = field(default_factory=list)
    found: dict[str, Found] = field(default_factory=dict)  # by place
    layers: dict[str, list[int]] = field(default_factory=dict)  # by document: pages whose text lies over a picture


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Every submitted file once, each followed by the files found inside it: both added + duplicate + failed.

    ``unchanged`` counts files that were passed over because nothing changed at their place since they were added.
    """

    documents: tuple[Imported, ...]
    problems: tuple[Problem, ...]
    seconds: float
    unchanged: int = 0
    changes: Changes = Changes(documents=True)


def _failed(name: str, error: AppError, parent: str = "") -> Imported:
    return Imported(None, name, "", 0, 0, "failed", parent=parent, reason=error.sentence, remedy=error.hint)


def _opened(path: Path, progress: Progress) -> _File:
    stood = _stood(path)
    try:
        data = file_bytes(path, progress)
    except UnreadableDocument as error:
        return _File(path.name, place=path, error=error)
    return _File(path.name, data, hashlib.sha256(data).hexdigest(), path, stood)


def _taken_out(attachment: Attachment, holder: str) -> _File:
    name = f"{holder}/{attachment.name}"
    if attachment.reason:
        return _File(name, error=UnreadableDocument(reason=attachment.reason, remedy=attachment.remedy))
    if is_case(attachment.data[:100]):
        return _File(name, error=part_of_case(name, "is a case"))
    return _File(name, attachment.data, hashlib.sha256(attachment.data).hexdigest())


def _stood(path: Path) -> tuple[int, int]:
    """Size and time of a file; of one that cannot be looked at, none that any file has."""
    try:
        found = path.stat()
    except OSError:
        return -1, -1
    return found.st_size, found.st_mtime_ns


def _base(name: str) -> str:
    return name.rpartition("/")[2].casefold()


def _row(item: Imported) -> ImportedRow:
    """An imported file as it is kept with the case, whose ``run`` and ``at`` are given there."""
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
