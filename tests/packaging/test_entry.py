"""How the packaged program starts, where it keeps its data, and what it hands to its children and to other programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core import paths
from core.workers import process, sandbox, server
from gui_app.shared import outside


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A packaged program in a folder of its own, as PyInstaller lays it out."""
    folder = tmp_path / "stick"
    (folder / "_internal").mkdir(parents=True)
    executable = folder / "disconfirm"
    executable.write_text("", "utf-8")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "_MEIPASS", str(folder / "_internal"), raising=False)
    monkeypatch.setattr(sys, "executable", str(executable))
    monkeypatch.delenv("DISCONFIRM_HOME", raising=False)
    return executable


def test_a_child_is_served_before_anything_else(load, monkeypatch):
    calls = []
    monkeypatch.setattr(server, "main", lambda words: calls.append(words) or 7)
    assert load("entry").main(["--engine", "reader", "{}"]) == 7
    assert calls == [["reader", "{}"]]


def test_the_window_opens_by_itself_and_all_else_is_the_command_lines(load, monkeypatch):
    from core import __main__ as cli
    from gui_app import __main__ as window

    calls = []
    monkeypatch.setattr(cli, "main", lambda words: calls.append(("commands", *words)) or 0)
    monkeypatch.setattr(window, "main", lambda words: calls.append(("window", *words)) or 0)
    for words in ([], ["gui"], ["gui", "a.disconfirm"], ["gui", "--help"], ["gui", "a", "b"], ["doctor"]):
        assert load("entry").main(words) == 0
    assert calls == [
        ("window",), ("window",), ("window", "a.disconfirm"),
        ("commands", "gui", "--help"), ("commands", "gui", "a", "b"), ("commands", "doctor"),
    ]  # fmt: skip


def test_the_window_starts_without_the_modules_of_the_command_line():
    listing = "[name for name in sys.modules if name.startswith(('core.cli', 'core.report.'))]"
    code = f"import sys, gui_app.app; print({listing})"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert child.stdout.strip() == "[]"


def test_a_child_of_the_packaged_program_is_the_program_itself(program):
    assert process.command_of("reader") == [str(program), "--engine", "reader"]


def test_a_child_may_read_the_program_but_not_the_folder_that_it_stands_in(program, monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", str(program.parent / "_internal"))
    monkeypatch.setattr(sys, "path", [str(program.parent / "_internal"), str(program.parent)])
    places = {Path(path) for path, _ in sandbox._readable_paths([str(program.parent / "_internal" / "models")])}
    assert {program, program.parent / "_internal"} <= places
    assert program.parent not in places
    assert not [place for place in places if place in program.parent.parents]


def test_a_file_beside_the_program_keeps_the_data_there(program, monkeypatch):
    paths.go_portable(program)
    assert "DISCONFIRM_HOME" not in os.environ
    (program.parent / paths.PORTABLE).touch()
    monkeypatch.setenv("DISCONFIRM_HOME", "")  # put back at the end
    paths.go_portable(program)
    assert paths.portable_note(program) == ""
    assert paths.user_data() == program.parent / paths.PORTABLE_DATA
    assert paths.user_data().is_dir()
    assert list(paths.user_data().iterdir()) == []


def test_a_folder_that_is_chosen_wins_over_the_one_beside_the_program(program, monkeypatch, tmp_path):
    (program.parent / paths.PORTABLE).touch()
    monkeypatch.setenv("DISCONFIRM_HOME", str(tmp_path / "own"))
    paths.go_portable(program)
    assert paths.portable_note(program) == ""
    assert paths.user_data() == tmp_path / "own"


def test_a_medium_that_cannot_be_written_is_told_and_the_usual_folder_used(program, monkeypatch):
    (program.parent / paths.PORTABLE).touch()
    (program.parent / paths.PORTABLE_DATA).write_text("a file in its place", "utf-8")
    usual = paths.user_data()
    paths.go_portable(program)
    note = paths.portable_note(program)
    assert str(program.parent / paths.PORTABLE_DATA) in note
    assert note.endswith(f"are stored in {usual}.")
    assert paths.user_data() == usual


def test_another_program_gets_the_environment_as_it_was_before():
    inside = str(paths.RESOURCES.parent)
    environment = {
        "LD_LIBRARY_PATH": inside,
        "LD_LIBRARY_PATH_ORIG": "/opt/lib",
        "DYLD_LIBRARY_PATH": inside,
        "QT_PLUGIN_PATH": f"{inside}/PySide6/Qt/plugins",
        "QT_QPA_PLATFORM_PLUGIN_PATH": "/usr/lib/qt/plugins",
        "_PYI_APPLICATION_HOME_DIR": inside,
        "HOME": "/person",
    }
    assert outside.outside_environment(environment, is_package=True) == {
        "LD_LIBRARY_PATH": "/opt/lib", "QT_QPA_PLATFORM_PLUGIN_PATH": "/usr/lib/qt/plugins", "HOME": "/person",
    }  # fmt: skip
    assert outside.outside_environment(environment, is_package=False) == environment


def test_a_file_is_opened_in_that_environment_and_the_own_one_comes_back(monkeypatch, tmp_path):
    monkeypatch.setenv("LD_LIBRARY_PATH", "inside")
    monkeypatch.setenv("HOME", "/person")
    seen = []
    monkeypatch.setattr(outside, "outside_environment", lambda _: {"HOME": "/person", "LD_LIBRARY_PATH": "before"})
    monkeypatch.setattr(
        outside.QDesktopServices, "openUrl", lambda url: seen.append((url.toLocalFile(), dict(os.environ))) or True
    )
    before = dict(os.environ)
    assert outside.open_outside(tmp_path)
    assert seen == [(str(tmp_path), {"HOME": "/person", "LD_LIBRARY_PATH": "before"})]
    assert dict(os.environ) == before
