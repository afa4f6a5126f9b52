"""Why no window can be shown here, in words a person can act on: Qt itself ends the process where it finds no way."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from core import errors

# (library, Debian and Ubuntu package, Fedora package); also in packaging/bootstrap.py.
LIBRARIES = (
    ("libEGL.so.1", "libegl1", "libglvnd-egl"),
    ("libGL.so.1", "libgl1", "libglvnd-glx"),
    ("libxkbcommon.so.0", "libxkbcommon0", "libxkbcommon"),
    ("libdbus-1.so.3", "libdbus-1-3", "dbus-libs"),
    ("libfontconfig.so.1", "libfontconfig1", "fontconfig"),
    ("libglib-2.0.so.0", "libglib2.0-0", "glib2"),
    ("libX11.so.6", "libx11-6", "libX11"),
)
X11 = (
    ("libxcb-cursor.so.0", "libxcb-cursor0", "xcb-util-cursor"),
    ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0", "libxkbcommon-x11"),
    ("libxcb-icccm.so.4", "libxcb-icccm4", "xcb-util-wm"),
    ("libxcb-image.so.0", "libxcb-image0", "xcb-util-image"),
    ("libxcb-keysyms.so.1", "libxcb-keysyms1", "xcb-util-keysyms"),
    ("libxcb-render-util.so.0", "libxcb-render-util0", "xcb-util-renderutil"),
    ("libxcb-shape.so.0", "libxcb-shape0", "libxcb"),
    ("libxcb-xkb.so.1", "libxcb-xkb1", "libxcb"),
    ("libX11-xcb.so.1", "libx11-xcb1", "libX11-xcb"),
)
WAYLAND = (
    ("libwayland-client.so.0", "libwayland-client0", "libwayland-client"),
    ("libwayland-cursor.so.0", "libwayland-cursor0", "libwayland-cursor"),
)
AGAIN = errors.remedy("Set the program up again: python3 packaging/bootstrap.py run")


def lack_of(library: str) -> str:
    """'' where the library loads; else the name of the one that is missing: itself, or one that it needs."""
    try:
        ctypes.CDLL(library)
    except OSError as error:
        return str(error).partition(":")[0]
    return ""


def missing(platform: str, plugins: Iterable[Path] = (), lack: Callable[[str], str] = lack_of) -> list[str]:
    """List the libraries that this platform of Qt lacks, by their names; ``plugins`` are its files."""
    needs = [*LIBRARIES, *(X11 if platform in ("", "xcb") else ()), *(WAYLAND if "wayland" in platform else ())]
    names = [lack(name) for name, _, _ in needs] + [lack(str(plugin)) for plugin in plugins]
    return list(dict.fromkeys(filter(None, names)))


def remedy(libraries: Iterable[str]) -> str:
    """Return how to install these libraries; those of Qt itself come with the program's own packages."""
    packages = {_stem(name): (debian, fedora) for name, debian, fedora in (*LIBRARIES, *X11, *WAYLAND)}
    packages_of_libraries = [packages[_stem(name)] for name in libraries if _stem(name) in packages]
    if not packages_of_libraries:
        return AGAIN
    debian, fedora = (" ".join(dict.fromkeys(names)) for names in zip(*packages_of_libraries, strict=True))
    return f"Debian, Ubuntu: sudo apt-get install {debian}; Fedora: sudo dnf install {fedora}"


def why_not(platform: str, folders: list[Path], messages: list[str]) -> str:
    """Return why Qt found no way to show a window: cause and remedy.

    ``platform`` is the one that was asked for, '' for the usual one; ``folders`` are where Qt looks for its plugins,
    ``messages`` what it said about it.
    """
    if not sys.platform.startswith("linux"):
        return _sentence(" ".join(messages[-1:]) or "Qt did not say why", AGAIN)
    shown_on = os.environ.get("WAYLAND_DISPLAY"), os.environ.get("DISPLAY")
    backend = platform.partition("-")[0] or ("wayland" if shown_on[0] else "xcb")
    if backend in ("xcb", "wayland") and not any(shown_on):
        return _sentence(
            "there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)",
            "Start it on a desktop; every other command works without one: disconfirm --help",
        )
    plugins = [file for folder in folders for file in folder.glob(f"libq{backend}*.so")]
    if not plugins:
        places = " and ".join(map(str, folders)) or "any folder"
        names = ("QT_QPA_PLATFORM", "QT_QPA_PLATFORM_PLUGIN_PATH", "QT_PLUGIN_PATH")
        variables = [name for name in names if os.environ.get(name)]
        unset = f"Unset {' and '.join(variables)}." if variables else AGAIN
        return _sentence(f"Qt's plugin for {backend} is not in {places}", unset)
    lacking = missing(backend, plugins)
    if lacking:
        return _sentence(f"the system lacks {', '.join(lacking)}", remedy(lacking))
    name = shown_on[0] if backend == "wayland" else shown_on[1]
    if backend in ("xcb", "wayland"):  # all of Qt is there, so it is the display
        return _sentence(
            f"the display {name} does not answer", "Start it on a desktop, with the DISPLAY of that desktop."
        )
    return _sentence(" ".join(messages[-1:]) or "Qt did not say why", AGAIN)


def _sentence(cause: str, remedy: str) -> str:
    return f"The window cannot open: {cause.rstrip('.')}. {remedy}"


def _stem(library: str) -> str:
    return re.split(r"\.so\b", Path(library).name, maxsplit=1)[0]


def import_error(error: ImportError) -> str:
    """Return why Qt cannot be imported, where a library of the system is the reason; '' where it is another."""
    lacking = missing("offscreen")
    library = str(error).partition(":")[0]
    if ".so" in library and library not in lacking and not Path(library).is_absolute():
        lacking.append(library)
    return _sentence(f"the system lacks {', '.join(lacking)}", remedy(lacking)) if lacking else ""
