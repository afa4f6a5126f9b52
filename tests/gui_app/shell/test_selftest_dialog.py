"""The self-test in the window: it fills while it runs, names what fails, stops when asked to, and can be copied."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton

from core.errors import CannotWrite
from core.selftest import service
from core.selftest.parts import Outcome, Part
from gui_app.shell.about import AboutDialog
from gui_app.shell.selftest_dialog import SelfTestDialog

GOOD = Part("Judge", "ok", 1.234, "both verdicts are right")
BAD = Part("Reading: PDF", "failed", 0.5, "It was not read.", "Install the program again.")
ABSENT = Part("torch", "not installed", 0.0, "only other search models may need it")


@pytest.fixture
def parts(monkeypatch):
    """Stands for the work: tells these parts, each when it may go on, and ends as the last item says."""
    story: list[object] = []
    go_on = threading.Semaphore(0)

    def run(_engines, progress, report):
        results = []
        for number, part in enumerate(story):
            progress.step(number, len(story), getattr(part, "name", "the end"))
            while not go_on.acquire(timeout=0.02):
                progress.check()
            if isinstance(part, Exception):
                raise part
            results.append(part)
            report(part)
        return Outcome(tuple(results))

    monkeypatch.setattr(service, "run", run)
    return story, go_on


@pytest.fixture
def dialog(window, parts):
    def show(*story, free=0):
        parts[0][:] = story
        for _ in range(free):
            parts[1].release()
        window.commands.selftest.trigger()
        return window.findChild(SelfTestDialog)

    return show


def texts(dialog, row):
    return [dialog.rows.index(row, column).data() for column in range(4)]


def test_the_table_fills_while_it_runs(dialog, parts, qtbot):
    page = dialog(GOOD, ABSENT)
    qtbot.waitUntil(lambda: page.sentence.text() == "Judge…")
    assert page.rows.rowCount() == 0
    assert page.bar.isVisible()
    assert not page.again_button.isEnabled()
    parts[1].release()
    qtbot.waitUntil(lambda: page.rows.rowCount() == 1)
    assert texts(page, 0) == ["Judge", "ok", "1.23 s", "both verdicts are right"]
    parts[1].release()
    qtbot.waitUntil(lambda: page.again_button.isEnabled())
    assert page.sentence.text() == "1 part works: 1 s. Not installed: torch."
    assert not page.bar.isVisible()
    assert not page.cancel_button.isVisible()


def test_the_part_that_fails_is_selected_with_its_remedy(dialog, qtbot):
    page = dialog(GOOD, BAD, ABSENT, free=3)
    qtbot.waitUntil(lambda: page.again_button.isEnabled())
    assert page.table.currentIndex().row() == 1
    assert texts(page, 1) == ["Reading: PDF", "failed", "0.50 s", "It was not read. Install the program again."]
    assert page.rows.index(1, 1).data(Qt.ItemDataRole.FontRole).bold()
    assert page.sentence.text() == "1 of 3 parts fails: Reading: PDF. Not installed: torch."


def test_it_can_be_cancelled_and_begun_again(dialog, parts, qtbot):
    page = dialog(GOOD, BAD, free=1)
    qtbot.waitUntil(lambda: page.rows.rowCount() == 1)
    qtbot.mouseClick(page.cancel_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.again_button.isEnabled())
    assert page.sentence.text() == "Cancelled after 1 part."
    parts[0][:] = [GOOD]
    parts[1].release()
    qtbot.mouseClick(page.again_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.sentence.text() == "1 part works: 1 s.")


def test_the_table_is_copied_as_text(dialog, qtbot):
    page = dialog(GOOD, BAD, free=2)
    qtbot.waitUntil(lambda: page.again_button.isEnabled())
    page.copy_button.click()
    assert QGuiApplication.clipboard().text().splitlines() == [*GOOD.lines(), *BAD.lines(), page.sentence.text()]


def test_what_keeps_it_from_beginning_is_said(dialog, qtbot):
    page = dialog(CannotWrite(path="/tmp", reason="no room"), free=1)
    qtbot.waitUntil(lambda: page.again_button.isEnabled())
    assert "/tmp" in page.sentence.text()


def test_closing_it_stops_it(dialog, session, qtbot):
    page = dialog(GOOD, BAD)
    qtbot.waitUntil(lambda: page.sentence.text() == "Judge…")
    page.close_button.click()
    qtbot.waitUntil(lambda: not session.tasks.busy())


def test_it_is_reached_from_about_too(dialog, window, parts, qtbot):
    parts[0][:] = [GOOD]
    parts[1].release()
    window.commands.about.trigger()
    about = window.findChild(AboutDialog)
    next(button for button in about.findChildren(QPushButton) if button.text() == "Self-test").click()
    page = window.findChild(SelfTestDialog)
    qtbot.waitUntil(lambda: page.again_button.isEnabled())
    assert page.rows.rowCount() == 1
