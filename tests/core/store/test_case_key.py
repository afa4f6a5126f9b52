"""The key of an encrypted case: from its passphrase and the first bytes of its file, shown by nothing."""

from __future__ import annotations

import copy
import hashlib
import pickle
from pathlib import Path

import apsw
import pytest

from core import files
from core.errors import CaseUnreadable, PassphraseWrong
from core.passphrase import Passphrase
from core.store import case_key


def head_of(path, key):
    db = apsw.Connection(str(path))
    key.unlock(db)
    db.execute("CREATE TABLE t (a)")
    db.close()
    return path.read_bytes()[:100]


def test_the_same_passphrase_gives_the_key_back_and_another_is_told_at_once(tmp_path):
    key = case_key.make_key(Passphrase("four words of mine"))
    head = head_of(tmp_path / "a", key)
    assert files.is_encrypted_case(head)
    assert files.is_case(head)
    same_key = case_key.key_of(head, Passphrase("four words of mine"), "a")
    assert same_key.query() == key.query()
    assert same_key.fits(head)
    with pytest.raises(PassphraseWrong):
        case_key.key_of(head, Passphrase("four words of yours"), "a")


def test_of_an_open_case_its_passphrase_is_known_and_any_other_is_told(tmp_path):
    key = case_key.make_key(Passphrase("four words of mine"))
    key.check(Passphrase("four words of mine"), "a")
    for words in ("four words of yours", "Four words of mine", "four words of mine "):
        with pytest.raises(PassphraseWrong):
            key.check(Passphrase(words), "a")


GOLDEN = Path(__file__).parents[2] / "golden" / "encrypted.sqlite"  # made with SQLite3 Multiple Ciphers 2.6.1


def test_a_file_that_an_earlier_version_encrypted_still_opens():
    data = GOLDEN.read_bytes()
    assert files.is_encrypted_case(data)
    assert b"zebra" not in data
    key = case_key.key_of(data, Passphrase("Grüße an vier Wörter"), GOLDEN)
    db = apsw.Connection(str(GOLDEN), flags=apsw.SQLITE_OPEN_READONLY)
    key.unlock(db)
    assert db.execute("SELECT a FROM t").get == "zebra"
    db.close()


def test_two_cases_of_one_passphrase_have_two_keys(tmp_path):
    first, second = (case_key.make_key(Passphrase("the same")) for _ in range(2))
    assert first.query() != second.query()
    assert not second.fits(head_of(tmp_path / "a", first))


def test_the_key_is_what_scrypt_gives(tmp_path):
    key = case_key.make_key(Passphrase("four words"))
    head = head_of(tmp_path / "a", key)
    n = 2 ** head[3]
    material = hashlib.scrypt(b"four words", salt=head[:12], n=n, r=8, p=1, maxmem=2**28, dklen=36)
    assert material[32:] == head[12:16]
    assert key.query() == f"cipher=chacha20&hexkey={f'raw:{material[:32].hex()}{head[:16].hex()}'.encode().hex()}"


@pytest.fixture
def usual_cost(monkeypatch):
    monkeypatch.undo()


def test_new_cases_cost_an_attacker_much_memory(usual_cost):
    assert case_key.COST == 17


def test_it_is_shown_by_nothing_and_written_nowhere():
    key = case_key.make_key(Passphrase("four words"))
    assert key.query()[-20:] not in repr(key) + str(key) + repr([key])
    assert len(repr(key)) < 30
    for write in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError):
            write(key)


def test_it_is_overwritten_when_nobody_has_it_any_more():
    key = case_key.make_key(Passphrase("four words"))
    key_bytes = key._key
    assert any(key_bytes)
    del key
    assert not any(key_bytes)


def test_the_connection_remembers_no_statement_with_the_key(tmp_path):
    key = case_key.make_key(Passphrase("four words"))
    db = apsw.Connection(str(tmp_path / "a"))
    key.unlock(db)
    assert not [entry for entry in db.cache_stats(True)["entries"] if "raw:" in entry["query"]]


def test_a_derivation_without_memory_is_an_error_for_people(monkeypatch):
    def refuse(*_args, **_kwargs):
        raise MemoryError

    monkeypatch.setattr(case_key.hashlib, "scrypt", refuse)
    with pytest.raises(CaseUnreadable, match="memory"):
        case_key.key_of(files.ENCRYPTED + bytes([12]) + bytes(20), Passphrase("x"), "a")


@pytest.mark.parametrize("offset", [0, 1, 2, 3, 16, 17, 18, 20, 21, 23])
def test_bytes_that_only_resemble_an_encrypted_case_are_none(tmp_path, offset):
    head = bytearray(head_of(tmp_path / "a", case_key.make_key(Passphrase("x"))))
    head[offset] ^= 0x80
    assert not files.is_encrypted_case(bytes(head))
    assert not files.is_case(bytes(head[:20]))
