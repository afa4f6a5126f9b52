"""The sample case is built in the window: its steps are seen, it can be cancelled, and it opens on its matrix."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from core import sample_case
from core.engines.readers.dispatch import FileReader
from core.ports import Engines
from gui_app.session import CaseSession
from gui_app.shell.window import MainWindow
from tests.fakes import HashEmbedder, PlainWriter, ScriptedJudge


class HeldJudge(ScriptedJudge):
    """Judges nothing before it may."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.may = threading.Event(), threading.Event()

    def judge(self, passage, hypotheses):
        self.asked.set()
        self.may.wait(60)
        return super().judge(passage, hypotheses)


@pytest.fixture
def judge():
    return HeldJudge()


@pytest.fixture
def engines(judge) -> Engines:
    return Engines(reader=FileReader(), embedder=HashEmbedder(), judge=judge, writer=PlainWriter())


def test_the_steps_are_seen_and_it_opens_on_the_matrix_with_the_guide(
    window: MainWindow, session: CaseSession, qtbot, judge
):
    window.go("Start")
    window.screen_named("Start").sample_button.click()
    card = window.commands.steps_card
    assert card.isVisible()
    centre = card.geometry().center() - window.centralWidget().rect().center()
    assert abs(centre.x()) <= 2
    assert abs(centre.y()) <= 2
    qtbot.waitUntil(judge.asked.is_set)
    qtbot.waitUntil(lambda: card.steps[2][0].text() == "\u2022")
    assert [mark.text() for mark, _, _ in card.steps] == ["\u2713", "\u2713", "\u2022", ""]
    assert [words.text() for _, words, _ in card.steps] == list(sample_case.STEPS)
    window.commands.open_sample.trigger()  # asked for twice, built once
    assert len(session.tasks.tasks) == 1
    judge.may.set()
    qtbot.waitUntil(lambda: session.workbench is not None)
    assert not card.isVisible()
    assert session.workbench.path == sample_case.finished_sample()
    assert window.current().name == "Matrix"
    assert window.panels.guide.isVisibleTo(window)
    ratings = session.workbench.evidence.assessments()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert session.workbench.evidence.assessments() == ratings  # what it was built with is nobody's to take back
    assert session.undoable() == 0
    session.close_case()
    window.commands.open_sample.trigger()  # at once: it stands
    assert session.workbench is not None
    assert not session.tasks.busy()


def test_cancelling_leaves_nothing_that_counts_as_the_sample_and_it_can_be_begun_again(
    window: MainWindow, session: CaseSession, qtbot, judge
):
    window.commands.open_sample.trigger()
    qtbot.waitUntil(judge.asked.is_set)
    window.commands.steps_card.cancel.click()
    judge.may.set()
    qtbot.waitUntil(lambda: not session.tasks.busy())
    assert not window.commands.steps_card.isVisible()
    assert sample_case.finished_sample() is None
    assert list(sample_case.default_folder().iterdir()) == []
    window.commands.open_sample.trigger()
    assert window.commands.steps_card.isVisible()
    assert window.commands.steps_card.cancel.isEnabled()
    qtbot.waitUntil(lambda: session.workbench is not None)
    assert sample_case.finished_sample() is not None


def test_a_case_that_was_opened_meanwhile_stays_open(window: MainWindow, session: CaseSession, qtbot, judge, tmp_path):
    window.commands.open_sample.trigger()
    qtbot.waitUntil(judge.asked.is_set)
    assert session.create(tmp_path / "mine.disconfirm", title="Mine")
    judge.may.set()
    qtbot.waitUntil(lambda: not session.tasks.busy())
    assert session.workbench.path == tmp_path / "mine.disconfirm"
    assert window.toast.text().startswith("Building the sample case: done.")
    assert sample_case.finished_sample() is not None


def test_a_folder_of_its_own_for_the_sample(window: MainWindow, session: CaseSession, qtbot, judge, tmp_path):
    judge.may.set()
    window.commands.build_sample(tmp_path / "mine")
    qtbot.waitUntil(lambda: session.workbench is not None)
    assert session.workbench.path == tmp_path / "mine" / sample_case.CASE
    assert window.current().name == "Matrix"
    assert window.panels.guide.isVisibleTo(window)
