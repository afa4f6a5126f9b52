"""Passphrases: the same bytes for the same signs, never shown, read from a file, and how strong they look."""

from __future__ import annotations

import copy
import pickle

import pytest

from core import passphrase
from core.errors import BadInput
from core.passphrase import Passphrase, read_file, strength


def test_it_is_shown_by_nothing_and_written_nowhere():
    secret = Passphrase("correct horse battery")
    assert "horse" not in repr(secret) + str(secret) + f"{secret}" + repr([secret])
    for write in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError):
            write(secret)


def test_signs_that_are_typed_differently_on_two_systems_are_the_same():
    assert Passphrase("Grüße").secret == Passphrase("Gru\u0308ße").secret
    assert Passphrase(" Grüße").secret != Passphrase("Grüße").secret


@pytest.mark.parametrize("text", ["", "   ", "two\nlines", "nul\0", "half \ud800", "x" * (passphrase.LONGEST + 1)])
def test_what_cannot_be_one_is_refused_without_being_quoted(text):
    with pytest.raises(BadInput) as error:
        Passphrase(text)
    assert "nothing was changed" in error.value.sentence
    assert "two" not in error.value.sentence + error.value.hint.replace("two words", "")


def test_forgetting_overwrites_it():
    secret = Passphrase("correct horse")
    held = secret.secret
    secret.forget()
    assert bytes(held) == bytes(len("correct horse"))


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_a_file_holds_it_as_its_only_line(tmp_path, end):
    file = tmp_path / "secret"
    file.write_bytes(f" Grüße an dich{end}".encode())
    file.chmod(0o600)
    secret, warning = read_file(file)
    assert secret.secret == " Grüße an dich".encode()
    assert warning == ""


def test_the_mark_that_some_editors_put_before_a_text_is_no_part_of_it(tmp_path):
    file = tmp_path / "secret"
    for words in ("orchid tunnel", "a" * 1024):
        file.write_bytes(b"\xef\xbb\xbf" + words.encode() + b"\r\n")
        assert read_file(file)[0].secret == words.encode()


def test_a_file_that_others_may_read_is_warned_of(tmp_path):
    file = tmp_path / "secret"
    file.write_text("words")
    file.chmod(0o644)
    assert "chmod 600" in read_file(file)[1]


@pytest.mark.parametrize("data", [b"", b"\n", b"one\ntwo\n", b"\xff\xfe", b"x" * 2000])
def test_a_file_that_holds_none_is_refused(tmp_path, data):
    file = tmp_path / "secret"
    file.write_bytes(data)
    with pytest.raises(BadInput):
        read_file(file)


@pytest.mark.parametrize("name", ["missing", "."])
def test_a_file_that_cannot_be_read_is_refused(tmp_path, name):
    with pytest.raises(BadInput, match="cannot be read"):
        read_file(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("", "weak"),
        ("password", "weak"),
        ("Password123", "weak"),
        ("aaaaaaaaaaaaaaaaaaaaaaaa", "weak"),
        ("1234567890123456", "weak"),
        ("summer summer summer summer", "weak"),
        ("correct horse", "weak"),
        ("correct horse battery staple", "fair"),
        ("orchid tunnel seven gravel lantern moss", "strong"),
        ("x7#Kq!92pL@r5Vz", "strong"),
    ],
)
def test_its_strength_is_judged_with_care(text, level):
    assert strength(text).level == level
    assert strength(text).hint
