"""Encrypted cases on the command line: a file or a terminal gives the passphrase, and nothing else has it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from core import __main__ as cli
from core.store import backups, connection, encryption
from core.workbench import Workbench
from tests.core import pump_case

NEEDED = cli.NO_PASSPHRASE
WORDS = "orchid tunnel seven gravel"


@pytest.fixture
def secret(tmp_path):
    return _file(tmp_path / "secret", WORDS)


def _file(path, words):
    path.write_text(words + "\n", "utf-8")
    path.chmod(0o600)
    return path


@pytest.fixture
def encrypted(tmp_path, run, secret):
    """The pump case, encrypted."""
    case = pump_case.made(run, tmp_path)
    run("passphrase", case, "--set", "--passphrase-file", secret)
    return case


def test_a_new_case_is_encrypted_from_the_start(tmp_path, run, secret, capsys):
    case = tmp_path / "a.disconfirm"
    assert run("new", case, "--passphrase-file", secret)["encrypted"] is True
    assert encryption.is_encrypted(case)
    assert run("hypothesis", case, "add", "One", "--passphrase-file", secret)["hypotheses"][0]["text"] == "One"
    capsys.readouterr()
    assert cli.main(["--passphrase-file", str(secret), "documents", str(case)]) == 0  # before the command as well
    assert "encrypted" not in run("new", tmp_path / "b.disconfirm")


def test_without_a_passphrase_it_says_so_and_has_its_own_exit_code(encrypted, run, capsys):
    content = encrypted.read_bytes()
    for command in (["documents"], ["matrix"], ["verify"], ["undo"], ["backup", "now"], ["passphrase", "--remove"]):
        run(command[0], encrypted, *command[1:], code=NEEDED)
    capsys.readouterr()
    assert cli.main(["search", str(encrypted), "pump"]) == NEEDED
    assert "--passphrase-file" in capsys.readouterr().err
    assert encrypted.read_bytes() == content


def test_a_wrong_passphrase_is_told_and_changes_nothing(encrypted, tmp_path, capsys):
    original_state = encrypted.read_bytes(), encrypted.stat().st_mtime_ns
    wrong = _file(tmp_path / "wrong", "another one")
    assert cli.main(["documents", str(encrypted), "--passphrase-file", str(wrong)]) == NEEDED
    assert "not the passphrase" in (message := capsys.readouterr().err)
    assert "another one" not in message
    assert (encrypted.read_bytes(), encrypted.stat().st_mtime_ns) == original_state


@pytest.mark.parametrize("words", ["", "   ", "two\nlines"])
def test_a_file_without_a_passphrase_is_refused(encrypted, tmp_path, run, words):
    run("documents", encrypted, "--passphrase-file", _file(tmp_path / "empty", words), code=3)
    run("documents", encrypted, "--passphrase-file", tmp_path / "missing", code=3)


def test_of_what_is_no_case_it_does_not_say_that_it_is_not_encrypted(encrypted, tmp_path, run):
    note = _file(tmp_path / "note.txt", "no case")
    damaged = tmp_path / "damaged.disconfirm"
    damaged.write_bytes(encrypted.read_bytes()[:3] + b"\xff" + encrypted.read_bytes()[4:])
    for path in (note, damaged, tmp_path, tmp_path / "missing"):
        run("passphrase", path, code=3)
    assert run("passphrase", encrypted)["encrypted"]


def test_every_command_that_opens_a_case_takes_it(encrypted, run, secret, tmp_path):
    options = ["--passphrase-file", secret]
    assert run("documents", encrypted, *options)["documents"]
    assert run("search", encrypted, "pump", *options)["passages"]
    assert run("verify", encrypted, *options)["ok"]
    assert run("matrix", encrypted, *options)["hypotheses"]
    assert run("report", encrypted, "-o", tmp_path / "r.md", *options)["bytes"]
    assert run("rebuild", encrypted, *options)["rebuilt"]


def test_what_is_written_from_it_in_clear_is_told(encrypted, secret, tmp_path, capsys):
    report = tmp_path / "r.md"
    assert cli.main(["report", str(encrypted), "-o", str(report), "--passphrase-file", str(secret)]) == 0
    assert f"The case is encrypted; {report} is not." in capsys.readouterr().err


def test_at_a_terminal_it_is_asked_for(encrypted, run, terminal):
    terminal[:] = [WORDS]
    assert run("documents", encrypted)["documents"]
    terminal[:] = ["no"]
    run("documents", encrypted, code=NEEDED)


def test_a_new_one_is_asked_for_twice_at_a_terminal(tmp_path, run, terminal):
    case = tmp_path / "a.disconfirm"
    terminal[:] = ["one two three", "one two four"]
    run("new", case, "--encrypt", code=3)
    assert not case.exists()
    terminal[:] = ["", ""]
    run("new", case, "--encrypt", code=3)
    terminal[:] = ["one two three", "one two three"]
    assert run("new", case, "--encrypt")["encrypted"]
    terminal[:] = ["one two three", "four five", "four five"]
    assert run("passphrase", case, "--change")["encrypted"]
    terminal[:] = ["four five"]
    assert run("documents", case)["documents"] == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a pseudo terminal")
def test_what_is_typed_at_a_real_terminal_is_not_echoed(encrypted):
    main, side = pty.openpty()
    command = [sys.executable, "-m", "core", "settings", str(encrypted)]
    with subprocess.Popen(
        command, stdin=side, stdout=subprocess.PIPE, stderr=side, start_new_session=True, text=True
    ) as child:
        os.close(side)
        output = b""
        while b"Passphrase of" not in output:
            output += os.read(main, 1000)
        os.write(main, f"{WORDS}\n".encode())
        out = child.stdout.read()
        assert child.wait(60) == 0
    os.set_blocking(main, False)
    try:
        output += os.read(main, 10_000)
    except OSError:
        pass
    os.close(main)
    assert "title" in out
    assert WORDS.encode() not in output


def test_setting_changing_and_removing(encrypted, run, secret, tmp_path, capsys):
    later = _file(tmp_path / "later", "later words")
    assert run("passphrase", encrypted) == {
        "case": str(encrypted), "encrypted": True, "other_backups": [], "problems": []
    }  # fmt: skip
    run("passphrase", encrypted, "--set", "--passphrase-file", later, code=3)  # it has one
    run("passphrase", encrypted, "--change", "--passphrase-file", secret, code=3)  # nobody says which
    assert run("passphrase", encrypted, "--change", "--passphrase-file", secret, "--new-passphrase-file", later)
    run("documents", encrypted, "--passphrase-file", secret, code=NEEDED)
    run("documents", encrypted, "--passphrase-file", later)
    assert run("passphrase", encrypted, "--remove", "--passphrase-file", later)["encrypted"] is False
    run("documents", encrypted)
    run("passphrase", encrypted, "--remove", code=3)  # it has none
    capsys.readouterr()
    assert cli.main(["passphrase", str(encrypted)]) == 0
    assert "is not encrypted" in capsys.readouterr().out
    assert cli.main(["passphrase", str(encrypted), "--set", "--passphrase-file", str(later)]) == 0
    assert "nobody can recover it" in capsys.readouterr().err
    run("passphrase", tmp_path / "missing", code=3)


def test_backups_in_clear_are_told_encrypted_or_erased(case, run, secret, capsys):
    run("backup", case, "now")
    (clear,) = run("passphrase", case, "--set", "--passphrase-file", secret)["other_backups"]
    assert (connection.backups_of(case) / clear).read_bytes().startswith(b"SQLite")
    assert cli.main(["passphrase", str(case), "--passphrase-file", str(secret)]) == 0
    assert "1 backup of it is not encrypted" in capsys.readouterr().out
    change = ["passphrase", case, "--change", "--passphrase-file", secret, "--new-passphrase-file", secret]
    assert run(*change, "--backups", "encrypt")["other_backups"] == []
    assert {entry["proven"] for entry in run("backup", case, "--passphrase-file", secret)["backups"]} == {True}
    assert {entry["proven"] for entry in run("backup", case)["backups"]} == {False}  # nobody was asked
    run(*change)
    assert run(*change, "--backups", "erase")["other_backups"] == []
    assert len(backups.unchecked(case)) == 1  # the one that was made after the change


def test_backups_are_made_restored_and_copied_with_it(encrypted, run, secret, tmp_path):
    options = ["--passphrase-file", secret]
    name = run("backup", encrypted, "now", *options)["backup"]
    run("hypothesis", encrypted, "add", "Another", *options)
    run("backup", encrypted, "restore", name, code=NEEDED)
    assert run("backup", encrypted, "restore", name, *options)["restored"] == name
    assert "Another" not in str(run("hypothesis", encrypted, "list", *options))
    copy = tmp_path / "copy.disconfirm"
    assert run("backup", encrypted, "copy", copy, *options)["encrypted"] is True
    assert run("verify", copy, *options)["ok"]
    encrypted.unlink()
    assert all(entry["proven"] for entry in run("backup", encrypted, *options)["backups"])


def test_an_encrypted_copy_merges_with_its_passphrase(case, run, secret, tmp_path, engines):
    copy, options = tmp_path / "other.disconfirm", ["--passphrase-file", secret]
    run("new", copy, *options)
    run("hypothesis", copy, "add", "Only here", *options)
    run("merge", case, copy, code=NEEDED)
    assert run("merge", case, copy, "--other-passphrase-file", secret)["hypotheses"] == 1
    assert not encryption.is_encrypted(case)
    with Workbench.open(case, engines) as bench:
        assert bench.case.key is None


def test_it_is_in_no_argument_of_a_process_and_no_crash_report(encrypted, secret, monkeypatch, capsys):
    def break_down(*_args, **_kwargs):
        raise RuntimeError(WORDS)

    monkeypatch.setattr(Workbench, "open", break_down)
    assert cli.main(["documents", str(encrypted), "--passphrase-file", str(secret)]) == cli.BUG
    assert WORDS not in capsys.readouterr().err
    assert WORDS not in " ".join(os.environ.values())


def test_the_window_opens_with_the_key_or_asks_itself(encrypted, secret, monkeypatch):
    from gui_app import __main__ as gui

    keys = []
    monkeypatch.setattr(gui, "main", lambda _argv, sample, folder, key: keys.append(key) or 0)
    assert cli.main(["gui", str(encrypted), "--passphrase-file", str(secret)]) == 0
    assert cli.main(["gui", str(encrypted)]) == 0
    assert keys[0].fits(encrypted.read_bytes())
    assert keys[1] is None
