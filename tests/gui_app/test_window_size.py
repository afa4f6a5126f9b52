"""The window and its frame fit the screen, whatever was kept from another one."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from PySide6.QtCore import QMargins, QRect

from gui_app.window_state import fitted

FRAME = QMargins(4, 28, 4, 4)

# Shows the window, waits for its frame, and says where both are and what the screen has.
SHOW = """
import sys
from gui_app import app
running = app.start([])
window = running.window
if sys.argv[1:]:
    window.setMinimumSize(0, 0)
    window.setGeometry(*map(int, sys.argv[1:]))
    from gui_app import window_state
    window_state.keep_geometry(window.saveGeometry())
    window._closing = True
    window.session.shutdown()
    raise SystemExit
window._fit_frame()
running.app.processEvents()
for part in (window.frameGeometry(), window.screen().availableGeometry(), window.minimumSize()):
    print(*part.getRect() if hasattr(part, "getRect") else (part.width(), part.height()))
window.close()
"""


def sizes(folder, screens, *former) -> list[list[int]]:
    """Of a window on these screens: its frame, the room, its smallest size. With ``kept``: nothing, but it is kept."""
    config = folder / "screens.json"
    entries = [
        {
            "name": str(number),
            "x": x,
            "y": 0,
            "width": width,
            "height": height,
            "logicalDpi": 96,
            "logicalBaseDpi": 96,
            "dpr": 1,
        }
        for number, (x, width, height) in enumerate(screens)
    ]
    config.write_text(json.dumps({"windowFrameMargins": True, "screens": entries}), "utf-8")
    process = subprocess.run(
        [sys.executable, "-c", SHOW, *map(str, former)],
        env={**os.environ, "DISCONFIRM_HOME": f"{folder}/home", "QT_QPA_PLATFORM": f"offscreen:configfile={config}"},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    return [[int(word) for word in line.split()] for line in process.stdout.splitlines()]


def within(frame: list[int], room: list[int]) -> bool:
    return QRect(*room).contains(QRect(*frame))


@pytest.mark.parametrize("size", [(1440, 900), (1366, 768), (1280, 720), (800, 480)])
def test_the_first_window_fits_the_screen_with_its_frame(tmp_path, size):
    frame, room, smallest = sizes(tmp_path, [(0, *size)])
    assert room == [0, 0, *size]
    assert within(frame, room)
    assert smallest[0] <= size[0]
    assert smallest[1] <= size[1]


@pytest.mark.parametrize("former", [(2000, 100, 1400, 900), (-900, -700, 1000, 700), (100, 100, 3000, 2000)])
def test_what_was_kept_from_a_screen_that_is_gone_comes_back_on_the_one_that_is_there(tmp_path, former):
    sizes(tmp_path, [(0, 1920, 1080), (1920, 1920, 1080)], *former)
    frame, room, _ = sizes(tmp_path, [(0, 1366, 768)])
    assert within(frame, room)


def test_a_window_that_fits_stays_where_it_was(tmp_path):
    sizes(tmp_path, [(0, 1920, 1080)], 300, 200, 1000, 700)
    frame, _, _ = sizes(tmp_path, [(0, 1920, 1080)])
    assert QRect(*frame).contains(QRect(300, 200, 1000, 700))
    assert QRect(*frame).width() < 1010


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        (QRect(2, 40, 1440, 900), QRect(4, 28, 1432, 868)),
        (QRect(3000, 100, 800, 600), QRect(636, 100, 800, 600)),
        (QRect(-500, -300, 800, 600), QRect(4, 28, 800, 600)),
        (QRect(100, 800, 800, 600), QRect(100, 296, 800, 600)),
        (QRect(100, 100, 800, 600), QRect(100, 100, 800, 600)),
    ],
)
def test_it_is_moved_first_and_made_smaller_where_that_is_not_enough(wanted, fits):
    assert fitted(wanted, FRAME, QRect(0, 0, 1440, 900)) == fits
