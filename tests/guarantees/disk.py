"""A disk that remembers what was written to it, and can fail.

``Disk`` stands between SQLite and the system. What it remembers says what a crash leaves: after a kill, all that was
written until then; after a power cut, all that was flushed, and any part of the rest, in any order.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import pytest

from core.store import handle

TAILS = ("", "-wal", "-journal")
_BASE = apsw.vfs_names()[0]  # the one that is used where none is named


@dataclass(frozen=True, slots=True)
class Step:
    """What was done to a file: 'write' of data at a place, 'cut' to a size, 'flush', 'make' or 'delete'."""

    kind: str
    file: str
    offset: int = 0
    data: bytes = b""


@dataclass(slots=True)
class History:
    """The files of a case as they were, and every step since. ``fail_at``: the number of the step that fails."""

    path: Path
    files: dict[str, bytes] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    fail_at: int = 0
    forever: bool = False
    attempts: int = 0

    def begin(self) -> None:
        """Take the files as they are now as those before."""
        self.steps.clear()
        self.files = {}
        for tail in TAILS:
            file = Path(f"{self.path}{tail}")
            if file.exists():
                self.files[file.name] = file.read_bytes()

    def note(self, step: Step) -> None:
        """Remember a step of one of the files of the case."""
        if step.file in {f"{self.path.name}{tail}" for tail in TAILS}:
            self.steps.append(step)

    def attempt(self, name: str) -> None:
        """Fail where it was asked for."""
        if not self.fail_at or not name.startswith(self.path.name):
            return
        self.attempts += 1
        if self.attempts == self.fail_at or (self.forever and self.attempts > self.fail_at):
            raise apsw.IOError("the disk fails here")

    def after_kill(self, count: int) -> dict[str, bytes]:
        """Return the files after ``count`` steps, as the system has them."""
        return _played(dict(self.files), self.steps[:count])

    def after_power_cut(self, count: int, rng: random.Random | None = None) -> dict[str, bytes]:
        """Return what is on the disk: with ``rng`` any part of what was not flushed too, else nothing of it."""
        durable: list[Step] = []
        loose: dict[str, list[Step]] = {}
        for step in self.steps[:count]:
            if step.kind == "flush":
                durable += loose.pop(step.file, [])
            elif step.kind == "make" or (step.kind == "delete" and step.offset):
                durable.append(step)
            else:
                loose.setdefault(step.file, []).append(step)
        for steps in loose.values() if rng is not None else ():
            survivors = [step for step in steps if rng.random() < 0.5]
            if survivors and survivors[-1].kind == "write":
                last = survivors.pop()
                survivors.append(Step("write", last.file, last.offset, last.data[: rng.randrange(len(last.data) + 1)]))
            durable += survivors
        return _played(dict(self.files), durable)


def _played(files: dict[str, bytes], steps: list[Step]) -> dict[str, bytes]:
    open_files: dict[str, bytearray] = {name: bytearray(data) for name, data in files.items()}
    for step in steps:
        match step.kind:
            case "write":
                file = open_files.setdefault(step.file, bytearray())
                if len(file) < step.offset:
                    file += bytes(step.offset - len(file))
                file[step.offset : step.offset + len(step.data)] = step.data
            case "cut":
                del open_files.setdefault(step.file, bytearray())[step.offset :]
            case "make":
                open_files.setdefault(step.file, bytearray())
            case "delete":
                open_files.pop(step.file, None)
    return {name: bytes(data) for name, data in open_files.items()}


class _File(apsw.VFSFile):
    def __init__(self, base: str, name: Any, flags: list[int], history: History) -> None:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        self.name = Path(path).name if path else ""
        self.history = history
        super().__init__(base, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        self.history.attempt(self.name)
        super().xWrite(data, offset)
        self.history.note(Step("write", self.name, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:
        self.history.attempt(self.name)
        super().xTruncate(newsize)
        self.history.note(Step("cut", self.name, newsize))

    def xSync(self, flags: int) -> None:
        self.history.attempt(self.name)
        super().xSync(flags)
        self.history.note(Step("flush", self.name))


class Disk(apsw.VFS):
    """The file system of SQLite, with a memory."""

    def __init__(self, history: History) -> None:
        self.history = history
        super().__init__("disk with a memory", "", makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        is_new = bool(path) and not Path(path).exists()
        file = _File(_BASE, name, flags, self.history)
        if is_new:
            self.history.note(Step("make", Path(path).name))
        return file

    def xDelete(self, filename: str, syncdir: bool) -> None:
        super().xDelete(filename, syncdir)
        self.history.note(Step("delete", Path(filename).name, offset=int(syncdir)))


@contextmanager
def remembering(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[History]:
    """Remember what is done to the case at ``path``, by SQLite and by the program itself."""
    history = History(path)
    history.begin()
    mark, make_empty, settle, unlink = handle.mark, handle._make_empty, handle._settle, Path.unlink

    def note_mark(file: int, place: Path, *, wal_mode: bool) -> None:
        mark(file, place, wal_mode=wal_mode)
        history.note(Step("write", place.name, 18, b"\2\2" if wal_mode else b"\1\1"))
        history.note(Step("flush", place.name))

    def note_make(wal: Path, case: Path) -> Any:
        identity = make_empty(wal, case)
        history.note(Step("make", wal.name))
        return identity

    def note_settle(log: Path) -> None:
        settle(log)
        history.note(Step("flush", log.name))

    def note_unlink(file: Path, missing_ok: bool = False) -> None:
        unlink(file, missing_ok=missing_ok)
        history.note(Step("delete", file.name))

    disk = Disk(history)
    with monkeypatch.context() as patch:
        patch.setattr(handle, "mark", note_mark)
        patch.setattr(handle, "_make_empty", note_make)
        patch.setattr(handle, "_settle", note_settle)
        patch.setattr(Path, "unlink", note_unlink)
        try:
            yield history
        finally:
            disk.unregister()
