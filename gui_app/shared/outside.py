"""Opens files in programs of the system: the only place where the window hands something to another program."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from core import paths

# Where the packaged program makes its own libraries and parts of Qt found; others would load them instead of theirs.
_OWN = ("QT_PLUGIN_PATH", "QML2_IMPORT_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH", "PYTHONHOME", "PYTHONPATH")
_LIBRARIES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH")


def open_outside(path: Path) -> bool:
    """Open a file or folder in the program that the system has for it; False where there is none."""
    with _environment(outside_environment(os.environ)):
        return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


def outside_environment(environment: Mapping[str, str], *, is_package: bool = paths.PACKAGED) -> dict[str, str]:
    """Return the environment for a program of the system: what the packaged program has set is as it was before."""
    if not is_package:
        return dict(environment)
    program = str(paths.RESOURCES.parent)
    result = {
        name: value
        for name, value in environment.items()
        if not name.startswith("_PYI_") and not (name in _OWN and value.startswith(program))
    }
    for name in _LIBRARIES:
        original = result.pop(f"{name}_ORIG", None)
        if original:
            result[name] = original
        else:
            result.pop(name, None)
    return result


@contextmanager
def _environment(environment: Mapping[str, str]) -> Iterator[None]:
    """Have another environment for a moment: Qt hands on that of the process."""
    own_environment = dict(os.environ)
    _become(environment)
    try:
        yield
    finally:
        _become(own_environment)


def _become(environment: Mapping[str, str]) -> None:
    for name in set(os.environ) - set(environment):
        del os.environ[name]
    for name, value in environment.items():
        if os.environ.get(name) != value:
            os.environ[name] = value
