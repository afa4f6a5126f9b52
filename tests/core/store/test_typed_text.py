"""Text that was typed and not saved: kept beside the case, encrypted as it is, and gone once nobody wants it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import apsw
import pytest

from core import paths
from core.passphrase import Passphrase
from core.store import CaseFile, encryption, typed_text
from core.store.typed_text import LONGEST, TypedText, file_of
from tests.core.store.material import clock
from tests.guarantees.disk import remembering

WORDS = "The dosing pump was tampered with."


@pytest.fixture
def key():
    return encryption.make_key(Passphrase("four words of mine"))


def stored_bytes() -> bytes:
    folder = paths.user_data() / "typed"
    return b"".join(file.read_bytes() for file in folder.iterdir()) if folder.is_dir() else b""


def test_what_was_typed_is_there_when_the_case_is_opened_again(path):
    first = TypedText(path, None)
    number = first.keep("Question", "Who")
    assert first.keep("Question", WORDS, number) == number
    assert first.leftovers() == []  # it is being typed still
    second = TypedText(path, None)  # as after a kill: the first was never closed
    assert [(leftover.place, leftover.text) for leftover in second.leftovers()] == [("Question", WORDS)]


def test_nothing_is_left_of_what_was_saved(path):
    texts = TypedText(path, None)
    number = texts.keep("Question", WORDS)
    assert WORDS.encode() in stored_bytes()
    texts.drop(number)
    assert WORDS.encode() not in stored_bytes()
    texts.close()
    assert not file_of(path).exists()


def test_the_text_of_each_case_is_its_own(path):
    TypedText(path, None).keep("Question", WORDS)
    assert TypedText(path.with_name("other.disconfirm"), None).leftovers() == []


def test_what_is_typed_in_an_encrypted_case_is_encrypted(path, key):
    texts = TypedText(path, key)
    texts.keep("Note on E1", WORDS)
    data = stored_bytes()
    assert data
    assert b"SQLite format 3" not in data
    assert not any(word.encode() in data for word in ("tampered", "Note on E1"))
    assert [leftover.text for leftover in TypedText(path, key).leftovers()] == [WORDS]


def test_text_of_another_key_gives_way(path, key):
    TypedText(path, None).keep("Question", WORDS)
    texts = TypedText(path, key)
    assert texts.leftovers() == []
    assert WORDS.encode() not in stored_bytes()
    assert texts.keep("Question", "again")
    assert [leftover.text for leftover in TypedText(path, key).leftovers()] == ["again"]


def test_a_case_that_gets_a_passphrase_leaves_nothing_in_clear(path, key):
    with CaseFile.create(path, title="Pump", who="ann", now=clock()):
        pass
    TypedText(path, None).keep("Question", WORDS)
    encryption.change(path, None, key)
    assert WORDS.encode() not in stored_bytes()


def test_a_damaged_file_costs_what_was_in_it_alone(path):
    TypedText(path, None).keep("Question", WORDS)
    file_of(path).write_bytes(b"nothing of a database" * 400)
    texts = TypedText(path, None)
    assert texts.leftovers() == []
    assert texts.keep("Question", WORDS)


def test_a_folder_that_cannot_be_written_costs_the_net_alone(path, caplog):
    paths.user_data().mkdir(parents=True, exist_ok=True)
    (paths.user_data() / "typed").write_text("no folder", "utf-8")
    texts = TypedText(path, None)
    assert texts.keep("Question", WORDS) == 0
    texts.drop(1)
    texts.close()
    assert "cannot be kept" in caplog.text
    assert WORDS not in caplog.text


def test_a_very_long_text_is_kept_up_to_a_limit(path):
    TypedText(path, None).keep("Question", "x" * (LONGEST + 1))
    assert [len(leftover.text) for leftover in TypedText(path, None).leftovers()] == [LONGEST]


def test_what_is_not_there_can_be_forgotten(path):
    typed_text.forget(path)
    assert TypedText(path, None).leftovers() == []


def test_the_number_of_a_text_that_is_gone_is_not_given_again(path):
    TypedText(path, None).keep("Question", WORDS)
    texts = TypedText(path, None)
    texts.drop(texts.leftovers()[0].id)
    texts.keep("Question", "What is being typed now")
    assert texts.leftovers() == []


def test_half_a_character_costs_that_text_alone(path):
    texts = TypedText(path, None)
    assert texts.keep("Question", "\ud83d") == 0
    assert texts.keep("Question", WORDS) > 0


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such modes")
def test_nobody_else_can_look_into_the_folder(path):
    TypedText(path, None).keep("Question", WORDS)
    assert stat.S_IMODE(file_of(path).parent.stat().st_mode) == 0o700


def test_text_that_was_typed_in_clear_is_overwritten_once_the_case_has_a_key(path):
    TypedText(path, None).keep("Question", WORDS)
    with file_of(path).open("rb") as stream:
        assert WORDS.encode() in stream.read()
        typed_text.forget(path)
        stream.seek(0)
        assert WORDS.encode() not in stream.read()
    assert not file_of(path).exists()


def test_a_person_is_told_once_of_each_text(path):
    TypedText(path, None).keep("Question", WORDS)
    texts = TypedText(path, None)
    (new,) = texts.news()
    assert (new.place, new.text) == ("Question", WORDS)
    assert TypedText(path, None).news() == []
    texts.keep("Question", "Typed on", new.id)
    texts.keep("Note on E1", WORDS)
    assert [leftover.text for leftover in TypedText(path, None).news()] == ["Typed on", WORDS]


def test_without_the_lock_of_the_case_only_what_is_typed_there_changes(path):
    holding = TypedText(path, None)
    number = holding.keep("Question", WORDS)
    second = TypedText(path, None, holds_lock=False)
    own_number = second.keep("Question", "Something else", number)
    assert own_number != number
    second.drop(number)
    assert second.leftovers() == []  # not wanted there
    second.drop(own_number)
    second.close()
    assert [(leftover.id, leftover.text) for leftover in TypedText(path, None).leftovers()] == [(number, WORDS)]


def test_without_the_lock_of_the_case_an_empty_file_stays_for_the_other(path):
    first, second = (TypedText(path, None, holds_lock=False) for _ in range(2))
    second.drop(second.keep("Question", "Something else"))
    first.drop(first.keep("Question", "x"))
    second.close()
    first.keep("Question", WORDS)
    assert [leftover.text for leftover in TypedText(path, None).leftovers()] == [WORDS]


def test_without_the_lock_of_the_case_a_file_of_another_key_stays(path, key):
    TypedText(path, key).keep("Question", WORDS)
    content = stored_bytes()
    second = TypedText(path, None, holds_lock=False)
    assert second.keep("Question", "Something else") == 0
    second.close()
    assert stored_bytes() == content
    assert [leftover.text for leftover in TypedText(path, key).leftovers()] == [WORDS]


class Given(apsw.VFS):
    """A file system that notes what stands in the room that is given back to the disk."""

    def __init__(self) -> None:
        self.back: list[bytes] = []
        super().__init__("notes what is given back", "", makedefault=True)

    def xDelete(self, name: str, sync: bool) -> None:
        self.back.append(Path(name).read_bytes())
        super().xDelete(name, sync)


@pytest.fixture
def room(monkeypatch):
    system = Given()
    cut, unlink = os.ftruncate, Path.unlink

    def noted_cut(file: int, size: int) -> None:
        system.back.append(os.pread(os.open(f"/proc/self/fd/{file}", os.O_RDONLY), 1 << 20, size))
        cut(file, size)

    def noted_unlink(file: Path, missing_ok: bool = False) -> None:
        system.back.append(file.read_bytes() if file.is_file() else b"")
        unlink(file, missing_ok=missing_ok)

    monkeypatch.setattr(os, "ftruncate", noted_cut)
    monkeypatch.setattr(Path, "unlink", noted_unlink)
    yield system.back
    system.unregister()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are looked at where Linux shows them")
def test_no_room_is_given_back_to_the_disk_before_what_was_typed_in_it_is_overwritten(path, room):
    texts = TypedText(path, None)
    number = texts.keep("Question", WORDS)
    texts.keep("Question", f"{WORDS} Who?", number)
    texts.keep("Note on E1", WORDS * 2_000)  # more than a page, so that pages are freed
    second_texts = TypedText(path, None)
    for leftover in second_texts.news():
        second_texts.drop(leftover.id)
    assert WORDS.encode() not in stored_bytes()
    texts.close()
    second_texts.close()
    assert not file_of(path).exists()
    assert room
    assert not any(b"dosing" in data for data in room)


def test_words_that_a_kill_left_in_the_journal_are_overwritten_at_the_next_start(path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(typed_text, "_empty_journal", lambda db, path: None)  # killed before
        texts = TypedText(path, None)
        texts.drop(texts.keep("Question", WORDS))
    assert WORDS.encode() in stored_bytes()
    assert TypedText(path, None).leftovers() == []
    assert WORDS.encode() not in stored_bytes()


def test_a_kill_at_any_write_leaves_the_text_before_or_after(path, monkeypatch):
    files = file_of(path)
    TypedText(path, None).keep("Question", WORDS)
    outcomes = set()
    with remembering(files, monkeypatch) as history:
        texts = TypedText(path, None)
        history.begin()
        texts.keep("Question", f"{WORDS} Who?", texts.leftovers()[0].id)
    for count in range(len(history.steps) + 1):
        for file in files.parent.iterdir():
            file.unlink()
        for name, data in history.after_kill(count).items():
            files.with_name(name).write_bytes(data)
        (leftover,) = TypedText(path, None).leftovers()
        outcomes.add(leftover.text)
    assert len(history.steps) > 4
    assert outcomes == {WORDS, f"{WORDS} Who?"}


def test_a_journal_that_another_window_writes_is_left_alone(path):
    first = TypedText(path, None)
    first.keep("Question", WORDS)
    second_database = typed_text._database(file_of(path), None)
    second_database.execute("BEGIN IMMEDIATE")
    second_database.execute("UPDATE typed SET text = 'other'")
    second_database.cache_flush()
    journal = file_of(path).with_name(f"{file_of(path).name}-journal")
    content = journal.read_bytes()
    with pytest.raises(apsw.BusyError):
        typed_text._empty_journal(typed_text._database(file_of(path), None), file_of(path))
    assert (len(content) > 0, journal.read_bytes()) == (True, content)
    second_database.execute("ROLLBACK")
    assert [leftover.text for leftover in TypedText(path, None).leftovers()] == [WORDS]
