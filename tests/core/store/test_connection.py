"""A connection: the engine that it needs, and every setting that is in force."""

from __future__ import annotations

import subprocess
import sys

import apsw
import pytest

from core.errors import EngineTooOld
from core.store import CaseFile, check_engine, connection, schema


def test_the_engine_is_new_enough_and_complete():
    versions = check_engine()
    assert tuple(map(int, versions["sqlite"].split(".")[:3])) >= connection.SQLITE_FLOOR
    assert versions["vec0"].startswith("v0.")
    assert {"sqlite3", "numpy"}.isdisjoint(_modules_of("from core.store import check_engine; check_engine()"))


def _modules_of(code):
    out = subprocess.run(
        [sys.executable, "-c", f"{code}; import sys; print(' '.join(sys.modules))"], capture_output=True, text=True
    )
    assert out.returncode == 0, out.stderr
    return set(out.stdout.split())


def test_an_old_engine_is_refused(monkeypatch):
    check_engine.cache_clear()
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: "3.51.2")
    with pytest.raises(EngineTooOld) as error:
        check_engine()
    assert "3.51.2" in error.value.sentence
    check_engine.cache_clear()


def test_every_setting_is_in_force(path, flushed):
    with CaseFile.create(path) as case:
        pragma = {
            name: case.db.execute(f"PRAGMA {name}").get
            for name in (
                *("journal_mode", "locking_mode", "synchronous", "foreign_keys", "trusted_schema", "cell_size_check"),
                *("secure_delete", "mmap_size", "application_id", "user_version"),
            )
        }
        assert pragma == {
            "journal_mode": "wal",
            "locking_mode": "exclusive",
            "synchronous": 3,
            "foreign_keys": 1,
            "trusted_schema": 0,
            "cell_size_check": 1,
            "secure_delete": 1,
            "mmap_size": 0,
            "application_id": schema.APPLICATION_ID,
            "user_version": schema.newest(),
        }
        assert case.db.connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, -1) == 1
        assert case.db.connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, -1) == 0
        for forbidden in (
            f"DELETE FROM {schema.WORD_TABLE}_data",
            "ATTACH 'x.db' AS x",
            "SELECT load_extension('x')",
        ):
            with pytest.raises(apsw.Error):
                case.db.execute(forbidden)
