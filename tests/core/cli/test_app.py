"""What every command is given: where the passphrase of a case comes from."""

from __future__ import annotations

import pytest

from core import paths
from core.cli import commands
from core.cli.app import App
from core.errors import BadInput, PassphraseNeeded, PassphraseWrong
from core.passphrase import Passphrase
from core.store import CaseFile, encryption

WORDS = "orchid tunnel"


@pytest.fixture
def encrypted(tmp_path):
    path = tmp_path / "a.disconfirm"
    CaseFile.create(path, key=encryption.make_key(Passphrase(WORDS))).close()
    return path


def app(*words):
    return App(commands.parser().parse_args([*map(str, words), "documents", "C"]))


def test_a_file_stands_for_typing(encrypted, tmp_path):
    file = tmp_path / "secret"
    file.write_text(WORDS, "utf-8")
    assert app("--passphrase-file", file).key_of(encrypted).fits(encrypted.read_bytes())
    assert app().key_of(encrypted, str(file)).fits(encrypted.read_bytes())


def test_nobody_to_ask_is_an_error_and_where_it_may_be_left_out_no_key(encrypted):
    with pytest.raises(PassphraseNeeded):
        app().key_of(encrypted)
    assert app().key_at_hand(encrypted) is None
    with pytest.raises(BadInput, match="No new passphrase"):
        app().new_key(None, is_first=True)


def test_a_terminal_is_asked(encrypted, terminal):
    terminal[:] = [WORDS, "no"]
    assert app().key_at_hand(encrypted) is not None
    with pytest.raises(PassphraseWrong):
        app().key_of(encrypted)


def test_a_case_that_has_none_is_not_asked_for(tmp_path, terminal):
    path = tmp_path / "clear.disconfirm"
    CaseFile.create(path).close()
    assert app().key_of(path) is None
    assert app().key_of(tmp_path / "missing") is None


@pytest.mark.parametrize("typed", [["one", "two"], ["one", ""], ["", ""]])
def test_a_new_one_that_is_not_typed_twice_alike_is_none(terminal, typed):
    terminal[:] = typed
    with pytest.raises(BadInput):
        app().new_key(None, is_first=True)


def test_copies_of_cases_that_a_killed_process_left_are_cleared_away():
    folder = paths.user_data() / "copies" / "1.files"
    folder.mkdir(parents=True)
    app()
    assert not folder.exists()
