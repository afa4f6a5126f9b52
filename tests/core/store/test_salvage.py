"""Rows read page by page: what a database holds, what a fault hides, and that nothing else is read as a row."""

from __future__ import annotations

import random
import struct

import apsw
import pytest

from core.store.salvage import Pages, Shape, _check_sum, salvage

SHAPES = {
    "item": Shape(("INTEGER", "TEXT", "REAL", "BLOB"), (False, False, True, True), 3, {1: r"I\d+"}, number=0),
    "pair": Shape(("INTEGER", "BLOB", "REAL"), (False, False, False), 3, has_rowid=False),
}


def make(path, rows=400, page_size=4096, **pragmas):
    db = apsw.Connection(str(path))
    db.execute(f"PRAGMA page_size = {page_size}").fetchall()
    for name, value in pragmas.items():
        db.execute(f"PRAGMA {name} = {value}").fetchall()
    db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL, weight REAL, data BLOB) STRICT")
    db.execute("CREATE TABLE pair (a INTEGER, b BLOB, c REAL NOT NULL, PRIMARY KEY (a, b)) WITHOUT ROWID, STRICT")
    rng = random.Random(3)
    with db:
        for number in range(1, rows + 1):
            data = None if number % 7 == 0 else rng.randbytes(rng.choice((0, 9, 900, 9000)))
            db.execute("INSERT INTO item VALUES (?, ?, ?, ?)", (number * 3, f"I{number}", number / 4, data))
            db.execute("INSERT INTO pair VALUES (?, ?, ?)", (number, rng.randbytes(20), -number))
    items = {row[0]: (None, *row[1:]) for row in db.execute("SELECT * FROM item").fetchall()}
    pairs = sorted(db.execute("SELECT * FROM pair").fetchall())
    return db, items, pairs


@pytest.mark.parametrize("page_size", [512, 4096, 65536])
def test_every_row_is_read_as_it_stands(tmp_path, page_size):
    db, items, pairs = make(tmp_path / "a.db", page_size=page_size)
    db.close()
    result = salvage(tmp_path / "a.db", SHAPES)
    assert result.rows["item"] == items
    assert sorted(result.rows["pair"].values()) == pairs
    assert result.damage == {"item": 0, "pair": 0}
    assert result.unread_pages == 0


def test_whole_transactions_of_the_log_count_and_no_others(tmp_path):
    path = tmp_path / "a.db"
    db, _, _ = make(path, rows=50, journal_mode="WAL", wal_autocheckpoint=0)
    db.execute("UPDATE item SET name = 'I9999' WHERE id = 3")
    new_rows = {row[0]: (None, *row[1:]) for row in db.execute("SELECT * FROM item").fetchall()}
    wal = path.with_name("a.db-wal").read_bytes()
    copy = tmp_path / "b.db"
    copy.write_bytes(path.read_bytes())
    log = copy.with_name("b.db-wal")
    log.write_bytes(wal)
    assert salvage(copy, SHAPES).rows["item"] == new_rows
    log.write_bytes(wal[:-10])  # the last transaction is cut
    assert salvage(copy, SHAPES).rows["item"][3][1] == "I1"
    broken_log = bytearray(wal)
    broken_log[-100] ^= 1
    log.write_bytes(broken_log)
    assert salvage(copy, SHAPES).rows["item"][3][1] == "I1"
    log.write_bytes(b"no log at all, but long enough to be looked at")
    assert salvage(copy, SHAPES).rows["item"] == {}
    db.close()


@pytest.mark.parametrize("page", range(1, 12))
def test_a_page_that_is_gone_hides_its_own_rows_alone(tmp_path, page):
    path = tmp_path / "a.db"
    db, items, pairs = make(path, rows=200)
    leaf = max(row[0] for row in db.execute("SELECT ncell FROM dbstat"))
    db.close()
    data = bytearray(path.read_bytes())
    data[(page - 1) * 4096 : page * 4096] = bytes(4096)
    path.write_bytes(data)
    result = salvage(path, SHAPES)
    # Of a long row the middle may be gone, which only a hash tells.
    assert {key: row[:3] for key, row in result.rows["item"].items()}.items() <= {
        key: row[:3] for key, row in items.items()
    }.items()
    assert set(result.rows["pair"].values()) <= set(pairs)
    lost_count = len(items) - len(result.rows["item"]) + len(pairs) - len(result.rows["pair"])
    assert lost_count <= leaf
    if lost_count and page > 1:
        assert sum(result.damage.values()) > 0


def test_a_row_that_is_not_of_its_table_is_none(tmp_path):
    path = tmp_path / "a.db"
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name, weight, data)")
    db.execute("INSERT INTO item VALUES (1, 'I1', 1.0, NULL), (2, 'odd', 1.0, NULL), (3, NULL, 1.0, x'00')")
    db.execute("INSERT INTO item VALUES (4, 'I4', 'x', 1)")
    db.close()
    result = salvage(path, SHAPES)
    assert list(result.rows["item"]) == [1]
    assert result.damage["item"] == 3


@pytest.mark.parametrize("seed", range(20))
def test_noise_breaks_nothing(tmp_path, seed):
    path = tmp_path / "a.db"
    db, items, _ = make(path, rows=60)
    db.close()
    rng = random.Random(seed)
    data = bytearray(path.read_bytes())
    for _ in range(rng.choice((1, 30, 3000))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    path.write_bytes(data[: rng.randrange(len(data))] if seed % 3 == 0 else data)
    assert len(salvage(path, SHAPES).rows["item"]) <= len(items) + 5
    path.write_bytes(rng.randbytes(rng.randrange(30_000)))
    salvage(path, SHAPES)


def test_a_page_beyond_the_file_is_zeros(tmp_path):
    path = tmp_path / "a.db"
    make(path, rows=5)[0].close()
    pages = Pages(path)
    assert pages.page(10_000) == bytes(4096)
    assert pages.page(0) == bytes(4096)


def test_what_is_decrypted_is_read_and_what_is_altered_is_not(tmp_path):
    """Whoever has the key is given each page with its number; one that does not fit its tag is as one that is gone."""
    path = tmp_path / "a.db"
    make(path, rows=5)[0].close()
    pages = Pages(path, decrypt=lambda number, data: None if number == 2 else data)
    assert pages.page(1).startswith(b"SQLite format 3")
    assert pages.page(2) == bytes(4096)
    assert pages.usable == 4096 - 32


def test_rows_that_share_their_pages_without_end_are_left_out(tmp_path):
    """A row that goes on in a circle, and many that begin at one place, would fill the memory of any computer."""
    path = tmp_path / "a.db"
    db, items, _ = make(path, rows=60)
    page = next(row[0] for row in db.execute("SELECT pageno FROM dbstat WHERE name = 'item' AND pagetype = 'overflow'"))
    leaf = next(row[0] for row in db.execute("SELECT pageno FROM dbstat WHERE name = 'item' AND pagetype = 'leaf'"))
    db.close()
    whole = path.read_bytes()
    circle = bytearray(whole)
    circle[(page - 1) * 4096 : (page - 1) * 4096 + 4] = page.to_bytes(4, "big")
    offset = (leaf - 1) * 4096
    cells = [int.from_bytes(whole[offset + 8 + 2 * n : offset + 10 + 2 * n], "big") for n in range(2)]
    row = bytes((0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0x03))  # as long as may be, under the number 3
    circle[offset + cells[0] : offset + cells[0] + len(row)] = row
    path.write_bytes(circle)
    assert salvage(path, SHAPES).damage["item"]
    begin_at_one_place = bytearray(whole)
    begin_at_one_place[offset + 3 : offset + 5] = (2_000).to_bytes(2, "big")
    for n in range(2_000):
        begin_at_one_place[offset + 8 + 2 * n : offset + 10 + 2 * n] = cells[1].to_bytes(2, "big")
    path.write_bytes(begin_at_one_place)
    shape = Shape(SHAPES["item"].types, SHAPES["item"].may_be_null, 3)
    rows = salvage(path, {"item": shape}).rows["item"].values()
    assert sum(len(row[3] or b"") for row in rows) < 5 * len(whole)
    assert len(items) == 60


def test_a_log_that_says_how_long_the_file_is_names_no_more_pages_than_there_are(tmp_path):
    path = tmp_path / "a.db"
    db, items, _ = make(path, rows=5)
    db.close()
    head = struct.pack(">4I", 0x377F0683, 3_007_000, 4096, 0) + bytes(8)
    sums = _check_sum(">", head, (0, 0))
    log = head + struct.pack(">2I", *sums)
    frame = struct.pack(">2I", 2, 0xFFFFFFFF)
    sums = _check_sum(">", path.read_bytes()[4096:8192], _check_sum(">", frame, sums))
    path.with_name("a.db-wal").write_bytes(
        log + frame + bytes(8) + struct.pack(">2I", *sums) + path.read_bytes()[4096:8192]
    )
    pages = Pages(path)
    assert pages.count == path.stat().st_size // 4096
    assert salvage(path, SHAPES).rows["item"] == items


def test_a_row_under_a_number_that_none_has_is_none(tmp_path):
    path = tmp_path / "a.db"
    db, items, _ = make(path, rows=5)
    db.execute("INSERT INTO item VALUES (9223372036854775807, 'I9', 1.0, NULL), (-1, 'I8', 1.0, NULL)")
    db.close()
    result = salvage(path, SHAPES)
    assert (result.rows["item"], result.damage["item"]) == (items, 2)
