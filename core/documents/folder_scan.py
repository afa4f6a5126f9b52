"""Files and folders as they are offered: which are documents, their names and bytes, what adding them would do."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core import formats
from core.errors import UnreadableDocument
from core.progress import Progress, silent
from core.store import case_part

if TYPE_CHECKING:
    from core.store import CaseFile

LARGEST_FILE = 500_000_000  # bytes; SQLite keeps at most 1 GB in one value

_EXPORT_FILES = 20_000  # of one export of chats in a folder
_EXPORT_BYTES = 100_000_000

_PIECE = 1 << 20  # bytes of a file hashed at once


def _pieces(path: Path) -> Iterator[bytes]:
    """Yield what an ordinary file holds, as far as it said when it was opened. Never waits for more to come."""
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
    """Name a place on this computer without telling where it is: by the digest of its absolute path."""
    # Not resolved: a link that points elsewhere from today on is a changed file at its place.
    return hashlib.sha256(os.fsencode(os.path.abspath(path))).hexdigest()  # noqa: PTH100


def files_in(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the files named, and those in the folders named, each folder in order of name.

    A path that is not there is given too, so that it is reported, and so is a link that leads to a folder outside of
    these: it is not followed. The folder of a chat export stands for the files in it that are read together.
    """
    starts = list(paths)
    inside = [Path(os.path.realpath(path)) for path in starts]
    for path in starts:
        if not _is_folder(path):
            yield path
            continue
        in_exports: set[Path] = set()
        errors: list[OSError] = []  # folders that may not be looked into; nothing is passed over in silence
        for folder, folders, names in os.walk(path, onerror=errors.append):
            folders.sort()
            files = [Path(folder) / name for name in sorted(names)]
            in_exports.update(export := chat_export(Path(folder)) if formats.EXPORT_LISTS & set(names) else ())
            yield from [Path(folder)] if export else []
            yield from (file for file in files if file not in in_exports)
            for link in (Path(folder, name) for name in folders):
                if link.is_symlink() and not any(Path(os.path.realpath(link)).is_relative_to(root) for root in inside):
                    yield link
        yield from (Path(error.filename or path) for error in errors)


def chat_export(folder: Path) -> tuple[Path, ...]:
    """Return the files of a folder that a chat program wrote as one export; nothing for another or a very large one."""
    try:
        names = {
            path.relative_to(folder).as_posix(): path
            for path in (*folder.iterdir(), *folder.glob("*/*"))
            if path.is_file() and not path.is_symlink() and (path.parent == folder or not path.parent.is_symlink())
        }
        parts = tuple(names[name] for name in sorted(formats.export_parts(names)))
        size = sum(path.stat().st_size for path in parts)
    except OSError:
        return ()
    return parts if len(parts) <= _EXPORT_FILES and size <= _EXPORT_BYTES else ()


def _packed(parts: Sequence[Path], folder: Path, progress: Progress) -> bytes:
    """Pack the files of an export into an archive; the same files give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for path in parts:
            info = zipfile.ZipInfo(path.relative_to(folder).as_posix(), (1980, 1, 1, 0, 0, 0))
            info.create_system = 3  # the same on every system
            archive.writestr(info, file_bytes(path, progress))
    return out.getvalue()


def roots_of(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Return those of the paths that are folders."""
    return tuple(path for path in paths if _is_folder(path))


def root_of(path: Path, roots: Sequence[Path]) -> Path | None:
    """Return the folder of ``roots`` that a file was found in, or None for a file that was named itself."""
    return next((root for root in roots if root != path and path.is_relative_to(root)), None)


def folder_of(path: Path, roots: Sequence[Path]) -> str:
    """Return the folders of a file from its folder of ``roots`` down, that one's name first.

    'press/2011'; '' for a file that was named itself. What is above a root is nobody's concern, and neither is the name
    of a home folder.
    """
    root = root_of(path, roots)
    if root is None:
        return ""
    folder = root.resolve()
    name = "" if folder == Path.home() else folder.name
    return (Path(name) / path.relative_to(root).parent).as_posix().removeprefix("./").removesuffix(".")


def size_and_time(path: Path) -> tuple[int, int]:
    """Return size and time of a file, or of all files of an export; none that any has, if it cannot be looked at."""
    try:
        status = path.stat()
        parts = chat_export(path) if stat.S_ISDIR(status.st_mode) else ()
        states = [part.stat() for part in parts] or [status]
    except (OSError, ValueError):
        return -1, -1
    return sum(state.st_size for state in states), max(state.st_mtime_ns for state in states)


def part_of_case(name: str, what: str) -> UnreadableDocument:
    """Word the refusal of a case that was given as a document."""
    return UnreadableDocument(
        reason=f"{name} {what}; it is not a document and was left out.",
        remedy="Nothing needs to be done. Open another case by itself, or merge it with: disconfirm merge.",
    )


def own_export(name: str) -> UnreadableDocument:
    """Word the refusal of a report of the case itself, whose words must not bear out the case."""
    return UnreadableDocument(
        reason=f"{name} was written from this case, so it is no source for it; it was left out.",
        remedy="Nothing needs to be done.",
    )


def _is_folder(path: Path) -> bool:
    """Return whether a path is a folder, also of a name that no file can have."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def file_bytes(path: Path, progress: Progress | None = None) -> bytes:
    """Read a file as it is. Cancelling ends the reading at the next piece of it.

    Raises UnreadableDocument for one that cannot be read or is too large for a case, and for cases and what belongs to
    them: the one that is open is not even opened for a look.
    """
    name = path.name or str(path)  # the root of a system has no name
    progress = progress or silent()
    if what := case_part(path):
        raise part_of_case(name, what)
    try:
        is_folder = path.is_dir()
        if is_folder and not path.is_symlink() and (parts := chat_export(path)):
            return _packed(parts, path, progress)
        if is_folder:
            next(path.iterdir(), None)  # says why it could not be looked into
        if is_folder and path.is_symlink():
            raise UnreadableDocument(
                reason=f"{name} is a link to a folder elsewhere; such links are not followed.",
                remedy="Add that folder itself.",
            )
        if not path.is_file():
            reason = "is not an ordinary file" if path.exists() else "is not there"
            raise UnreadableDocument(reason=f"{name} {reason}.", remedy="Check the path.")
        if _is_made_up(path):
            raise UnreadableDocument(
                reason=f"{name} is not an ordinary file: the system generates its content when it is read.",
                remedy="Copy its content into a file elsewhere, and add that.",
            )
        before = path.stat()
        size = before.st_size
        if size > LARGEST_FILE:
            raise UnreadableDocument(
                reason=f"{name} has {size / 1e6:,.0f} MB; a case takes files up to {LARGEST_FILE / 1e6:,.0f} MB.",
                remedy="Split it into parts.",
            )
        pieces = []
        for piece in _pieces(path):
            progress.check()
            pieces.append(piece)
        data = b"".join(pieces)
        after = path.stat()
        if len(data) != size or (after.st_size, after.st_mtime_ns) != (size, before.st_mtime_ns):
            raise UnreadableDocument(
                reason=f"{name} changed while it was read.",
                remedy="Wait until no program is writing to it, and add it again.",
            )
        return data
    except OSError as error:
        raise UnreadableDocument(
            reason=f"{name} cannot be opened ({error.strerror or type(error).__name__}).",
            remedy="Check that you are allowed to read it and that its drive is connected.",
        ) from error


# --- what adding them would do ---------------------------------------------------------------------------------------

# Endings of files that hold no text, or none that the program can read. They are tried all the same when asked for.
WITHOUT_TEXT = frozenset(
    (
        *(".mp3", ".wav", ".flac", ".ogg", ".m4a", ".aac", ".wma", ".mp4", ".m4v", ".mov", ".avi", ".mkv", ".webm"),
        *(".wmv", ".mpg", ".mpeg", ".3gp", ".exe", ".dll", ".so", ".dylib", ".msi", ".dmg", ".iso", ".apk", ".ttf"),
        *(".otf", ".woff", ".woff2", ".psd", ".ai", ".indd", ".dwg", ".dxf", ".sqlite", ".pyc", ".class"),
        *(".disconfirm"),
    )
)

_UNFINISHED = frozenset((".part", ".partial", ".crdownload", ".tmp", ".temp", ".download", ".swp", ".lock"))


@dataclass(frozen=True, slots=True)
class Preview:
    """The effect of adding files, before anything is written. Each file is in one of the tuples.

    ``new`` are not known yet; ``copies`` have the bytes of a document that is here, ``again`` those of one that failed
    or was removed; ``changed`` are documents whose file has other bytes now; ``without_text`` are of a kind
    without text; ``cases`` are cases or parts of one, the open one too, or written from it; ``too_large`` and
    ``missing`` cannot be taken. A document is named by its id.
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
        """Return how many files there are in all."""
        both = (self.new, self.copies, self.again, self.changed, self.without_text)
        return sum(len(part) for part in (*both, self.cases, self.too_large, self.missing))

    @property
    def readable(self) -> tuple[Path, ...]:
        """The files that are worth adding, in the order in which they were found in each part."""
        return (*self.new, *(path for path, _ in (*self.changed, *self.again)))


def is_changed(store: CaseFile, path: Path) -> bool:
    """Return whether a file is new at its place, or has another size or time than when it was added from there."""
    place = store.imports.found_at(place_of(path))
    return place is None or (place.size, place.mtime_ns) != size_and_time(path)


def new_in(store: CaseFile, folder: Path) -> list[Path]:
    """List the files of a folder that are new or changed since they were added, as far as they may hold text.

    Without hidden ones and those that a program is still writing.
    """
    exports = store.history.exports()
    return [
        path
        for path in files_in([folder])
        if not path.name.startswith((".", "~$"))
        and path.suffix.lower() not in WITHOUT_TEXT | _UNFINISHED
        and (path.is_file() or chat_export(path))
        and is_changed(store, path)
        and not case_part(path)
        and not _is_export(path, exports)
    ]


def _is_export(path: Path, exports: Mapping[str, str]) -> bool:
    """Return whether a file is what was written from the case; only one that has the name of such a file is read."""
    try:
        return path.name in exports.values() and _digest(path, silent()) in exports
    except OSError:
        return False


def preview(store: CaseFile, paths: Sequence[Path], progress: Progress | None = None) -> Preview:
    """Sort files and folders by what adding them would do; nothing is written.

    A file that has the size of one that is kept is read, to be compared with it.
    """
    progress = progress or silent()
    sizes, exports = store.documents.sizes(), store.history.exports()
    new: list[Path] = []
    copies: list[tuple[Path, str]] = []
    again: list[tuple[Path, str]] = []
    newer: list[tuple[Path, str]] = []
    without_text: list[Path] = []
    cases: list[Path] = []
    too_large: list[Path] = []
    missing: list[Path] = []
    files = list(files_in(paths))
    for number, path in enumerate(files):
        progress.step(number, len(files), f"Looking at {path.name}")
        if case_part(path) or _is_export(path, exports):
            cases.append(path)
            continue
        try:
            if path.is_dir() and chat_export(path):
                size = len(data := file_bytes(path, progress))
                twin = store.documents.by_sha256(hashlib.sha256(data).hexdigest())
            else:
                size = path.stat().st_size if path.is_file() and not _is_made_up(path) else -1
                twin = store.documents.by_sha256(_digest(path, progress)) if size in sizes else None
        except (OSError, UnreadableDocument):
            size, twin = -1, None
        earlier = store.imports.found_at(place_of(path))
        if size < 0:
            missing.append(path)
        elif size > LARGEST_FILE:
            too_large.append(path)
        elif twin is not None:
            (again if twin.status in ("failed", "removed") else copies).append((path, twin.id))
        elif earlier is not None and store.documents.get(earlier.document).status not in ("removed", "failed"):
            newer.append((path, earlier.document))
        elif path.suffix.lower() in WITHOUT_TEXT:
            without_text.append(path)
        else:
            new.append(path)
    progress.step(len(files), len(files), "Looked at")
    parts = (new, copies, again, newer, without_text, cases, too_large, missing)
    return Preview(*map(tuple, parts))  # type: ignore[arg-type]


def _digest(path: Path, progress: Progress) -> str:
    digest = hashlib.sha256()
    for piece in _pieces(path):
        progress.check()
        digest.update(piece)
    return digest.hexdigest()
