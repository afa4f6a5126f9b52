"""Where no window can be shown, the program says why and what to install, and ends with code 3."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import PySide6
import pytest

from core import paths
from gui_app import display

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the libraries of Linux")
PLUGIN = Path(PySide6.__file__).parent / "Qt" / "plugins" / "platforms" / "libqoffscreen.so"


def ended(home: Path, command: tuple[str, ...] = ("gui_app",), **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    clean.pop("QT_QPA_PLATFORM", None)
    return subprocess.run(
        [sys.executable, "-m", *command],
        env={**clean, "DISCONFIRM_HOME": str(home), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@linux
@pytest.mark.parametrize("command", [("gui_app",), ("core", "gui")])
def test_without_a_display_it_says_so(tmp_path, command):
    process = ended(tmp_path, command)
    assert process.returncode == 3, process.stderr
    assert process.stderr.startswith("The window cannot open: there is no display"), process.stderr
    assert len(process.stderr.splitlines()) == 1


@linux
def test_a_display_that_does_not_answer_is_no_crash(tmp_path):
    process = ended(tmp_path, DISPLAY="/nowhere:7")
    assert process.returncode == 3, process.stderr
    # Whichever of them this system has: the libraries of the display, or none of them.
    lacking = display.missing("xcb", PLUGIN.parent.glob("libqxcb.so"))
    assert (", ".join(lacking) if lacking else "the display /nowhere:7 does not answer") in process.stderr
    assert len(process.stderr.splitlines()) == 1


@linux
def test_a_plugin_that_lacks_a_library_is_named_with_the_package_to_install(tmp_path):
    folder = tmp_path / "platforms"
    folder.mkdir()
    # Under a name of its own, or Qt would take the whole one that it comes with.
    broken = PLUGIN.read_bytes().replace(b"libQt6Gui.so.6\0", b"libEGL.so.77\0\0\0").replace(b"offscreen", b"brokenone")
    (folder / "libqbrokenone.so").write_bytes(broken)
    process = ended(tmp_path / "home", QT_QPA_PLATFORM="brokenone", QT_QPA_PLATFORM_PLUGIN_PATH=str(folder))
    assert process.returncode == 3, process.stderr
    assert "libEGL.so.77" in process.stderr
    assert "apt-get install libegl1" in process.stderr
    assert "dnf install libglvnd-egl" in process.stderr
    assert "Fatal Python error" not in process.stderr


@linux
def test_a_platform_that_is_not_there_is_named_with_what_asks_for_it(tmp_path):
    process = ended(tmp_path, QT_QPA_PLATFORM="nonsense", QT_QPA_PLATFORM_PLUGIN_PATH=str(tmp_path))
    assert process.returncode == 3, process.stderr
    assert "Qt's plugin for nonsense is not in" in process.stderr
    assert str(tmp_path) in process.stderr
    assert "Unset QT_QPA_PLATFORM and QT_QPA_PLATFORM_PLUGIN_PATH." in process.stderr


@linux
def test_all_that_is_missing_is_named_at_once(monkeypatch):
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    absent = {"libxcb-cursor.so.0", "libxkbcommon-x11.so.0"}
    monkeypatch.setattr(display, "lack_of", lambda name: name if name in absent else "")
    monkeypatch.setattr(display.missing, "__defaults__", ((), display.lack_of))
    why = display.why_not("", [PLUGIN.parent], [])
    assert "the system lacks libxcb-cursor.so.0, libxkbcommon-x11.so.0." in why
    assert "sudo apt-get install libxcb-cursor0 libxkbcommon-x11-0;" in why
    assert "sudo dnf install xcb-util-cursor libxkbcommon-x11" in why


def test_qt_that_cannot_be_imported_for_want_of_a_library_is_told_and_no_other_error(monkeypatch):
    monkeypatch.setattr(display.missing, "__defaults__", ((), lambda name: name if name == "libEGL.so.1" else ""))
    assert "libegl1" in display.import_error(ImportError("libEGL.so.1: cannot open shared object file"))
    monkeypatch.setattr(display.missing, "__defaults__", ((), lambda _name: ""))
    assert display.import_error(ImportError("No module named 'gui_app.typo'")) == ""


def test_the_set_up_names_the_same_packages():
    spec = spec_from_file_location("disconfirm_bootstrap", paths.RESOURCES.parent / "packaging" / "bootstrap.py")
    bootstrap = module_from_spec(spec)
    spec.loader.exec_module(bootstrap)
    assert (bootstrap.QT_ALWAYS, bootstrap.QT_X11, bootstrap.QT_WAYLAND) == (
        display.LIBRARIES, display.X11, display.WAYLAND,
    )  # fmt: skip


@linux
def test_the_program_starts_where_an_empty_folder_of_plugins_is_given(tmp_path):
    """Qt looks in its own folder too."""
    code = "from gui_app import app; running = app.start([]); running.app.processEvents(); running.window.close()"
    (tmp_path / "empty").mkdir()
    environment = {"QT_QPA_PLATFORM": "offscreen", "QT_QPA_PLATFORM_PLUGIN_PATH": str(tmp_path / "empty")}
    process = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "DISCONFIRM_HOME": str(tmp_path), **environment},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
