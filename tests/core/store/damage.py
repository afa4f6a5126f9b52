"""Damage done to a closed case, and how much of it comes back from each.

``python -m tests.core.store.damage [DOCUMENTS]`` prints the table: where, how, and what share of each kind is in the
recovered case.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import apsw

from core.documents import chunking
from core.errors import AppError
from core.store import CaseFile
from core.store.connection import settle
from core.store.recovery import Recovery, recover
from tests.core.store.canary import traces
from tests.core.store.material import add, clock

PAGE = 4096
KINDS = ("original", "page", "document", "evidence", "rating", "log")
DAMAGES = ("flip", "zero", "garble")


def make(path: Path, documents: int) -> None:
    """Make a case with everything in it and that many documents."""
    with CaseFile.create(path, title="Pump", who="ann", now=clock()) as case:
        traces(case)
        for number in range(documents - 4):
            words = " ".join(f"word{number * 7 % 50}{index}" for index in range(400))
            add(case, f"minutes {number}.txt", [f"Minutes {number}. {words}", f"Page two of {number}. It ends."])


def pages_of(path: Path) -> dict[str, list[int]]:
    """The pages of each table and index of a closed case, by their numbers from 1."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        settle(db)
        pages: dict[str, list[int]] = {}
        for name, number in db.execute("SELECT name, pageno FROM dbstat ORDER BY name, pageno"):
            pages.setdefault(name, []).append(number)
        return pages
    finally:
        db.close()


def damaged(data: bytes, pages: list[int], damage: str, seed: int = 1) -> bytes:
    """The bytes of a case with each of these pages flipped in one bit, zeroed, or overwritten."""
    rng = random.Random(seed)
    copy = bytearray(data)
    for number in pages:
        start = (number - 1) * PAGE
        if damage == "flip":
            copy[start + rng.randrange(PAGE)] ^= 1 << rng.randrange(8)
        else:
            copy[start : start + PAGE] = bytes(PAGE) if damage == "zero" else rng.randbytes(PAGE)
    return bytes(copy)


def recover_from(data: bytes, folder: Path) -> Recovery:
    """What can be recovered of a file with these bytes."""
    source, target = folder / "damaged.disconfirm", folder / "new.disconfirm"
    source.write_bytes(data)
    target.unlink(missing_ok=True)
    return recover(source, target, who="ann", split=chunking.split)


def places(path: Path) -> Iterator[tuple[str, str, bytes]]:
    """Every place and kind of damage, with the bytes of the file after it."""
    data = path.read_bytes()
    for table, pages in {"first page": [1], **pages_of(path)}.items():
        for damage in DAMAGES:
            yield table, f"{damage} every page", damaged(data, pages, damage)
    for share in (10, 50, 90):
        yield "the file", f"cut to {share} %", data[: len(data) * share // 100]
    rng = random.Random(2)
    for count in (1, 20, 200):
        copy = bytearray(data)
        for _ in range(count):
            copy[rng.randrange(len(copy))] ^= 1 << rng.randrange(8)
        yield "the file", f"{count} flips", bytes(copy)


def main(documents: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "a.disconfirm"
        make(path, documents)
        print(f"{'where':32}{'damage':18}" + "".join(f"{kind:>12}" for kind in KINDS) + "   sound")
        for place, damage, data in places(path):
            try:
                recovery = recover_from(data, folder)
            except AppError as error:
                print(f"{place:32}{damage:18} {type(error).__name__}: {error}")
                continue
            shares = "".join(f"{'/'.join(map(str, recovery.counts[kind])):>12}" for kind in KINDS)
            print(f"{place:32}{damage:18}{shares}   {'yes' if not recovery.check else 'NO'}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
