"""What becomes of documents once they are in a case: described, replaced by newer versions, compared, taken out, shown;
and what is known of files before they are added. The part of the workbench between scans and reading files."""

from __future__ import annotations

import hashlib
import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from core.documents import near_duplicates, version_diff
from core.domain import Changes, Document, Likeness, Page, Section, Words
from core.errors import BadInput, UnreadableDocument
from core.ocr.service import Scans
from core.ports import Picture
from core.progress import Progress, silent
from core.store import Dependents, ImportedRow, Relatives, case_part

LARGEST_FILE = 500_000_000  # bytes; SQLite keeps at most 1 GB in one value

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
_PIECE = 1 << 20  # bytes of a file hashed at once


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


class Library(Scans):
    """Verbs on documents that are in one case."""

    def documents(self) -> list[Document]:
        """Those that are listed; see ``failed_documents`` and ``removed_documents`` for the others."""
        return self.case.documents()

    def failed_documents(self) -> list[Document]:
        """Files that are kept and could not be read, with the reason."""
        return self.case.failed_documents()

    def removed_documents(self) -> list[Document]:
        return self.case.removed_documents()

    def locked_documents(self) -> set[str]:
        """Those failed documents that only need their password."""
        return self.case.locked_documents()

    def document(self, document: str) -> Document:
        return self.case.document(document)

    def page(self, document: str, number: int) -> Page:
        return self.case.page(document, number)

    def pages(self, document: str) -> Iterator[Page]:
        return self.case.pages(document)

    def words(self, page_id: int) -> Words:
        return self.case.words(page_id)

    def sections(self, document: str) -> list[tuple[int, Section]]:
        """The headings of a document in order, each with the number of its page."""
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
        name, password = self.case.document(document).name, self.case.password(document)
        return reader.render(self.case.original(document), name, number, scale=scale, clip=clip, password=password)

    def strip(self, document: str, number: int, box: tuple[float, float, float, float], scale: float) -> Picture:
        """The part of a page around a box in points, as wide as the page, the box lined. Raises as ``picture`` does."""
        reader = self.engines.viewer or self.engines.reader
        name, password = self.case.document(document).name, self.case.password(document)
        return reader.crop(self.case.original(document), name, number, [box], scale=scale, password=password)

    # --- what people say of documents --------------------------------------------------------------------------------

    def set_included(self, documents: Sequence[str], included: bool) -> Changes:
        """Take documents into the scope of every search, or out of it."""
        self.case.set_included(documents, included)
        return Changes(documents=True)

    def describe_documents(self, documents: Sequence[str], **fields: str | Sequence[str]) -> Changes:
        """Set tags, origin, reliability (A-F), information (1-6), dated (ISO 8601) or note, the same for all of them;
        add_tags and remove_tags change the tags of each. New evidence from a document starts with its origin, grade and
        date. Raises NoSuchItem, BadInput."""
        return self.case.describe_documents(documents, fields)

    def tags(self) -> list[str]:
        """Every tag that a document has."""
        return self.case.tags()

    def relatives(self, document: str) -> Relatives:
        """The documents that one belongs with: found in, versions, nearly the same. Raises NoSuchItem."""
        return self.case.relatives(document)

    # --- removal -----------------------------------------------------------------------------------------------------

    def dependents(self, documents: Sequence[str]) -> Dependents:
        """What would go with documents that are taken out. Raises NoSuchItem."""
        return self.case.dependents(documents)

    def remove_documents(self, documents: Sequence[str], *, with_evidence: bool = False) -> Removed:
        """Take documents out with what was found in them: neither listed nor searched any more. Their files are kept;
        undo, or adding a file again, brings them back. Raises NoSuchItem; BadInput, naming them, where evidence or
        other documents would go too and ``with_evidence`` does not say so."""
        return Removed(self.case.remove_documents(documents, with_evidence=with_evidence))

    def restore_documents(self, documents: Sequence[str]) -> Changes:
        """Bring removed documents back, as one decision. Raises NoSuchItem."""
        self.case.restore_documents(documents)
        return Changes(documents=True)

    # --- versions ----------------------------------------------------------------------------------------------------

    def _compare_older(self, progress: Progress) -> None:
        """Signatures of what is here, so that what comes can be compared with it."""
        self._likenesses = near_duplicates.Likenesses(self.case.sketches(), self._text)
        for document in self.case.documents_without_sketch():
            progress.check()
            self._compare(document)

    def _compare(self, document: str) -> Likeness | None:
        """Which earlier document this one is nearly the same as; kept with the case."""
        data = near_duplicates.sketch(self._text(document))
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
        return Versions(*documents, old, new, version_diff.compare(old, new), old_pages, new_pages)

    def likenesses(self) -> dict[str, Likeness]:
        """By document: the earlier one that it is nearly the same as."""
        return self.case.likenesses()

    # --- imports -----------------------------------------------------------------------------------------------------

    def imports(self, run: int | None = None) -> list[ImportedRow]:
        """What became of every file of every import, or of one of them; 0 is the last."""
        return self.case.imported(run)

    def changed_at(self, path: Path) -> bool:
        """Whether a file is new at its place, or has another size or time than when it was added from there."""
        known = self.case.found_at(place_of(path))
        try:
            stood = path.stat()
        except OSError:
            return True
        return known is None or (known.size, known.modified) != (stood.st_size, stood.st_mtime_ns)

    def new_in(self, folder: Path) -> list[Path]:
        """The files of a folder that are new or changed since they were added, as far as they may hold text; without
        hidden ones and those that a program is still writing."""
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
        kept is read, to be compared with it."""
        progress = progress or silent()
        sizes = self.case.sizes()
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
                known = self.case.document_by_sha256(_digest(path, progress)) if size in sizes else None
            except OSError:
                size, known = -1, None
            before = self.case.found_at(place_of(path))
            if size < 0:
                missing.append(path)
            elif size > LARGEST_FILE:
                too_large.append(path)
            elif known is not None:
                (again if known.status in ("failed", "removed") else copies).append((path, known.id))
            elif before is not None and self.case.document(before.document).status not in ("removed", "failed"):
                changed.append((path, before.document))
            elif path.suffix.lower() in WITHOUT_TEXT:
                without_text.append(path)
            else:
                new.append(path)
        progress.step(len(files), len(files), "Looked at")
        parts = (new, copies, again, changed, without_text, cases, too_large, missing)
        return Preview(*map(tuple, parts))  # type: ignore[arg-type]


def _digest(path: Path, progress: Progress) -> str:
    digest = hashlib.sha256()
    for piece in _pieces(path):
        progress.check()
        digest.update(piece)
    return digest.hexdigest()


def _pieces(path: Path) -> Iterator[bytes]:
    """What an ordinary file holds, as far as it said to hold when it was opened. Never waits for more to come."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0))) as file:
        left = os.fstat(file.fileno()).st_size
        while left > 0 and (piece := file.read(min(_PIECE, left))):
            left -= len(piece)
            yield piece


# Folders whose files are none: the system makes them up when they are read, some without end, some after a long wait.
_MADE_UP = ("/proc/", "/sys/", "/dev/")
_TRUE_FILES = ("/dev/shm/",)


def _is_made_up(path: Path) -> bool:
    real = os.path.realpath(path)
    return real.startswith(_MADE_UP) and not real.startswith(_TRUE_FILES)


def place_of(path: Path) -> str:
    """A name for a place on this computer that does not tell where it is: the digest of its absolute path."""
    # Not resolved: a link that points elsewhere from today on is a changed file at its place.
    return hashlib.sha256(os.fsencode(os.path.abspath(path))).hexdigest()  # noqa: PTH100


def files_in(paths: Iterable[Path]) -> Iterator[Path]:
    """The files named, and those in the folders named, each folder in order of name. A path that is not there is
    given too, so that it is reported, and so is a link that leads to a folder outside of these: it is not followed."""
    submitted = list(paths)
    inside = [Path(os.path.realpath(path)) for path in submitted]
    for path in submitted:
        if not _is_folder(path):
            yield path
            continue
        closed: list[OSError] = []  # folders that may not be looked into; nothing is passed over in silence
        for folder, folders, names in os.walk(path, onerror=closed.append):
            folders.sort()
            yield from (Path(folder) / name for name in sorted(names))
            for link in (Path(folder, name) for name in folders):
                if link.is_symlink() and not any(Path(os.path.realpath(link)).is_relative_to(root) for root in inside):
                    yield link
        yield from (Path(error.filename or path) for error in closed)


def part_of_case(name: str, what: str) -> UnreadableDocument:
    """What is said of a case that was given as a document."""
    return UnreadableDocument(
        reason=f"{name} {what}; it is no document and was left out.",
        remedy="Nothing needs to be done. Another case is opened by itself, or brought in with: disconfirm merge.",
    )


def _is_folder(path: Path) -> bool:
    """Whether it is one, also of a name that no file can have."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def file_bytes(path: Path) -> bytes:
    """A file as it is. Raises UnreadableDocument for one that cannot be read or is too large for a case, and for cases
    and what belongs to them: the one that is open is not even opened for a look."""
    if what := case_part(path):
        raise part_of_case(path.name, what)
    try:
        if path.is_dir():
            next(path.iterdir(), None)  # says why it could not be looked into
        if path.is_dir() and path.is_symlink():
            raise UnreadableDocument(
                reason=f"{path.name} is a link to a folder elsewhere; such links are not followed.",
                remedy="Add that folder itself.",
            )
        if not path.is_file():
            reason = "is not an ordinary file" if path.exists() else "is not there"
            raise UnreadableDocument(reason=f"{path.name} {reason}.", remedy="Check the path.")
        if _is_made_up(path):
            raise UnreadableDocument(
                reason=f"{path.name} is no ordinary file: the system makes up what is in it when it is read.",
                remedy="Copy what it holds into a file elsewhere, and add that.",
            )
        found = path.stat()
        size = found.st_size
        if size > LARGEST_FILE:
            raise UnreadableDocument(
                reason=f"{path.name} has {size / 1e6:,.0f} MB; a case takes files up to {LARGEST_FILE / 1e6:,.0f} MB.",
                remedy="Split it into parts.",
            )
        data = b"".join(_pieces(path))
        after = path.stat()
        if len(data) != size or (after.st_size, after.st_mtime_ns) != (size, found.st_mtime_ns):
            raise UnreadableDocument(
                reason=f"{path.name} changed while it was read.",
                remedy="Wait until no program writes to it any more, and add it again.",
            )
        return data
    except OSError as error:
        raise UnreadableDocument(
            reason=f"{path.name} cannot be opened ({error.strerror or type(error).__name__}).",
            remedy="Check that you may read it and that its medium is there.",
        ) from error
