"""The page of the language models: what it shows, and that adding, testing, roles and removing do what they say."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QStyle, QStyleOptionButton

from core import paths, settings
from core.model_files import gguf, registry
from core.ports import Engines
from core.runtime import roles
from core.verdicts import exam_results
from gui_app.models.exam_view import ExamView
from gui_app.models.screen import ModelsScreen
from gui_app.session import CaseSession
from gui_app.shared import file_dialogs
from gui_app.shell.window import MainWindow
from tests.core.engines import tiny_gguf
from tests.core.model_files.test_registry import failing, passing
from tests.core.verdicts.test_exam_results import KnowingJudge, Literal
from tests.fakes import PlainReader


@pytest.fixture
def file(tmp_path) -> Path:
    return tiny_gguf.chat(tmp_path / "small.gguf", ("<|im_start|>", "<|im_end|>"), license="apache-2.0")


@pytest.fixture
def screen(session: CaseSession, qtbot):
    screen = ModelsScreen(session)
    qtbot.addWidget(screen)
    screen.resize(1000, 700)
    screen.show()
    qtbot.waitExposed(screen)
    qtbot.waitUntil(lambda: screen.header.count.text() != "reading a model file", timeout=20_000)
    return screen


def test_the_first_showing_reads_no_model_file_on_the_windows_thread(session, qtbot, monkeypatch):
    readers, sha256 = [], gguf.sha256
    monkeypatch.setattr(registry, "_read", {})
    monkeypatch.setattr(gguf, "sha256", lambda path: (readers.append(threading.current_thread()), sha256(path))[1])
    screen = ModelsScreen(session)
    qtbot.addWidget(screen)
    screen.show()
    assert not screen.title.isVisible()  # nothing is said of it before it is known
    assert not screen.no_exam.isVisible()
    qtbot.waitUntil(lambda: len(screen.model.rows) == 1, timeout=20_000)
    assert screen.title.isVisible()
    screen.refresh()
    assert len(screen.model.rows) == 1
    assert len(readers) == 1
    assert readers[0] is not threading.main_thread()


def added(screen: ModelsScreen, qtbot, chosen: list[Path], *, count: int) -> None:
    screen.add(chosen)
    qtbot.waitUntil(lambda: screen._busy is None and len(screen.model.rows) == count, timeout=20_000)


def choose(screen: ModelsScreen, name: str) -> None:
    index = next(index for index, row in enumerate(screen.model.rows) if row.model.name == name)
    screen.view.setCurrentIndex(screen.model.index(index))


def facts(screen: ModelsScreen) -> dict[str, str]:
    return {name.text(): value.text() for name, value in screen._fact_labels}


def test_the_focus_takes_no_room_from_the_words_of_a_box(screen):
    def room(part: QStyle.SubElement) -> int:
        option = QStyleOptionButton()
        screen.copy_box.initStyleOption(option)
        return screen.copy_box.style().subElementRect(part, option, screen.copy_box).width()

    sizes = []
    for place in (screen.view, screen.copy_box):
        place.setFocus()
        sizes.append((room(QStyle.SubElement.SE_CheckBoxIndicator), room(QStyle.SubElement.SE_CheckBoxContents)))
    assert screen.copy_box.hasFocus()
    assert sizes[0] == sizes[1]


def test_the_programs_own_judge_is_shown_with_its_exam(screen):
    (row,) = screen.model.rows
    assert screen.title.text() == row.model.name
    values = facts(screen)
    assert "Apache-2.0" in values["Licence"]
    assert values["sha256"] == row.model.sha256
    assert values["Memory in use"].startswith("about ")
    assert values["Speed"] == "not measured yet"
    assert screen.role_actions["judge"].isChecked()
    assert not screen.role_actions["judge"].isEnabled()  # it gives the grid up to another only
    assert not screen.role_actions["text_model"].isEnabled()  # it cannot write
    assert not screen.remove_action.isEnabled()
    assert screen.measured.isVisible() == (row.result is not None)


def test_files_are_added_and_described_and_bad_ones_named(screen, qtbot, file, tmp_path, monkeypatch):
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(file.read_bytes()[:-100])
    monkeypatch.setattr(file_dialogs, "ask_models", lambda *_: [file, cut])
    screen.copy_box.setChecked(False)
    screen.add_action.trigger()
    qtbot.waitUntil(lambda: len(screen.model.rows) == 2, timeout=20_000)
    assert screen.chosen().model.name == "small"  # what was added is what is shown
    assert screen.chosen().model.path == file
    assert facts(screen)["Licence"] == "apache-2.0"
    assert facts(screen)["Kind"] == "llama, chat template ChatML"
    assert "cut.gguf" in screen.problems.text()
    assert "truncated" in screen.problems.text()
    assert screen._problem_bar.isVisible()
    assert screen.no_exam.isVisible()
    assert not screen.measured.isVisible()


def test_what_could_not_be_added_is_said_once_and_can_be_dismissed(screen, qtbot, tmp_path, monkeypatch):
    bad = [tmp_path / "noise.gguf", tmp_path / "more.gguf"]
    for path in bad:
        path.write_bytes(b"no model at all" * 50)
    monkeypatch.setattr(file_dialogs, "ask_models", lambda *_: bad)
    screen.add_action.trigger()
    qtbot.waitUntil(screen._problem_bar.isVisible)
    text = screen.problems.text()
    assert [text.count(path.name) for path in bad] == [1, 1]
    assert text.count("Get the file again") == 1
    qtbot.mouseClick(screen.dismiss, Qt.MouseButton.LeftButton)
    assert not screen._problem_bar.isVisible()


def test_a_folder_without_models_is_named_in_full(screen, qtbot, tmp_path, monkeypatch):
    monkeypatch.setattr(file_dialogs, "ask_folder", lambda *_: tmp_path)
    screen.folder_action.trigger()
    qtbot.waitUntil(screen._problem_bar.isVisible)
    assert str(tmp_path) in screen.problems.text()


def test_a_dropped_file_is_added_and_anything_else_goes_to_the_window(screen, qtbot, file):
    def drop(path: Path) -> bool:
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path))])
        copy, left, no = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        entered = QDragEnterEvent(QPoint(5, 5), copy, data, left, no)
        entered.ignore()
        screen.dragEnterEvent(entered)
        if entered.isAccepted():
            screen.dropEvent(QDropEvent(QPoint(5, 5), copy, data, left, no))
        return entered.isAccepted()

    assert not drop(Path(__file__))
    assert drop(file)
    qtbot.waitUntil(lambda: len(screen.model.rows) == 2, timeout=20_000)
    assert screen.chosen().model.copied


def test_roles_are_given_taken_and_kept(screen, qtbot, file):
    added(screen, qtbot, [file], count=2)
    screen.role_actions["second_reader"].trigger()
    assert settings.load().second_reader == str(screen.chosen().model.path)
    assert screen.session.engines.second_reader is not None
    assert screen.role_actions["second_reader"].isChecked()
    assert screen.role_buttons["second_reader"].isChecked()
    assert "second reader" in screen.model.index(1).data(Qt.ItemDataRole.AccessibleTextRole)
    screen.role_actions["second_reader"].trigger()
    assert settings.load().second_reader == ""
    assert screen.session.engines.second_reader is None
    assert not screen.role_buttons["second_reader"].isChecked()


def test_a_model_that_failed_may_only_write_and_says_why(screen, qtbot, file):
    added(screen, qtbot, [file], count=2)
    failing(screen.chosen().model.sha256)
    screen.refresh()
    assert not screen.role_actions["judge"].isEnabled()
    assert not screen.role_actions["second_reader"].isEnabled()
    assert screen.role_actions["text_model"].isEnabled()
    assert "It may not judge: in the exam 33% of 360 answers on direct statements were right" in screen.verdict.text()
    assert screen._verdict_bar.property("kind") == "notice"
    assert "may not judge" in screen.model.index(1).data(Qt.ItemDataRole.AccessibleTextRole)


def test_the_exam_is_shown_by_class_calibration_and_planted_instructions(screen, qtbot, file):
    added(screen, qtbot, [file], count=2)
    passing(screen.chosen().model.sha256)
    screen.refresh()
    view = screen.exam
    assert not view.isVisible()
    assert screen.trust.text().startswith("• Of 10 passages that it says speak against a hypothesis, nearly all do;")
    screen.measured.button.click()
    assert view.isVisible()
    assert view.headline.text() == "Direct statements: 100% right (99% to 100%) of 360 pairs"
    assert view.clues_headline.text() == "Indirect evidence: 100% right (98% to 100%) of 240 pairs"
    assert view.clues_interval.accessibleName().endswith("chance is 39%")
    assert "not clearly better" not in view.clues_note.text()
    assert "Macro-F1: direct statements 1.00" in view.sat.text()
    assert "direct statements 100%, indirect evidence 100%" in screen.model.index(1).data(
        Qt.ItemDataRole.AccessibleTextRole
    )
    assert [bar.name for bar in view.classes.bars.bars()] == ["supports", "contradicts", "neutral"]
    assert "precision 100%" in view.classes.words.text()
    assert "calibration error" in view.sureness.words.text()
    assert "is right in 90% of cases above" in view.sureness.words.text()
    assert [bar.figure for bar in view.injection.bars.bars()] == ["100%"] * 3  # it did as the attackers wanted
    assert "100%" in view.injection.words.text()
    assert len(view.fields.bars.bars()) == 22
    for wide in (1400, 700):
        screen.resize(wide, 700)
        qtbot.wait(20)
        assert view.classes.isVisible()


def test_a_model_near_chance_on_clues_is_shown_as_such_and_may_judge(screen, qtbot, file):
    added(screen, qtbot, [file], count=2)
    exam_results.run_exam(Literal(f"small F32 sha256:{screen.chosen().model.sha256[:16]} of a test"))
    screen.refresh()
    assert screen.role_actions["judge"].isEnabled()
    assert "not clearly better than chance: do not rely" in screen.trust.text()
    screen.measured.button.click()
    view = screen.exam
    assert view.headline.text().startswith("Direct statements: 100% right")
    assert view.clues_headline.text() == "Indirect evidence: 39% right (33% to 45%) of 240 pairs"
    assert view.clues_note.isVisible()
    assert "not clearly better than chance" in view.clues_note.text()
    assert "direct statements 100%, indirect evidence 39%" in screen.model.index(1).data(
        Qt.ItemDataRole.AccessibleTextRole
    )


def test_a_result_without_clues_is_shown_without_them(qtbot):
    earlier = exam_results.run_exam(KnowingJudge())
    view = ExamView()
    qtbot.addWidget(view)
    view.show_result(replace(earlier, halves=()))
    view.show()
    assert view.headline.text() == "100% right (99% to 100%) of 600 pairs"
    assert not view.clues_headline.isVisible()
    assert not view.clues_interval.isVisible()


class Tried(KnowingJudge):
    """Stands for a model in a process of its own."""

    slow = False

    def speed(self) -> float:
        return 321.0

    def judge(self, passage, hypotheses):
        if self.slow:
            time.sleep(0.05)
        return super().judge(passage, hypotheses)

    def interrupt(self, _thread=None) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.fixture
def tried(monkeypatch):
    def apart(_path, *, sha256):
        return Tried(f"small F32 sha256:{sha256[:16]} of a test")

    monkeypatch.setattr(roles, "JudgeClient", apart)


def test_a_test_measures_speed_and_exam_beside_the_work(screen, qtbot, file, tried):
    added(screen, qtbot, [file], count=2)
    screen.exam_action.trigger()
    assert not screen.exam_action.isEnabled()  # one at a time
    assert not screen.remove_action.isEnabled()
    qtbot.waitUntil(lambda: screen._busy is None, timeout=30_000)
    assert facts(screen)["Speed"] == "321 tokens read per second"
    assert screen.measured.isVisible()
    assert screen.chosen().model.name == "small"
    assert screen.exam_action.isEnabled()


def test_a_test_can_be_cancelled_and_keeps_nothing_of_its_exam(screen, qtbot, file, tried, monkeypatch):
    monkeypatch.setattr(Tried, "slow", True)
    added(screen, qtbot, [file], count=2)
    screen.exam_action.trigger()
    task = screen._busy
    qtbot.waitUntil(lambda: task.count > 3, timeout=20_000)
    messages = []
    screen.session.status.connect(messages.append)
    screen.session.tasks.cancel(task)
    qtbot.waitUntil(lambda: screen._busy is None, timeout=5_000)
    assert task.state == "cancelled"
    assert screen.chosen().result is None
    assert screen.no_exam.isVisible()
    assert messages == ["Testing small: cancelled; its exam was not saved."]


def test_a_model_under_test_says_so_above_the_exam_it_has(screen, qtbot, file, tried, monkeypatch):
    added(screen, qtbot, [file], count=2)
    screen.exam_action.trigger()
    qtbot.waitUntil(lambda: screen._busy is None, timeout=30_000)
    assert not screen.no_exam.isVisible()
    monkeypatch.setattr(Tried, "slow", True)
    screen.exam_button.setFocus()
    qtbot.keyClick(screen.exam_button, Qt.Key.Key_Space)
    assert screen.view.hasFocus()  # not the next button, which the same key would press
    assert screen.no_exam.isVisible()
    assert "is taking the exam" in screen.no_exam.text()
    screen.session.tasks.cancel(screen._busy)
    qtbot.waitUntil(lambda: screen._busy is None, timeout=5_000)
    assert not screen.no_exam.isVisible()


def test_a_model_that_cannot_be_loaded_says_so(screen, qtbot, tmp_path):
    broken = tiny_gguf.model(tmp_path / "broken.gguf")  # a sound head, and no vocabulary that the loader takes
    added(screen, qtbot, [broken], count=2)
    choose(screen, "tiny")
    with qtbot.waitSignal(screen.session.failed, timeout=30_000) as signal:
        screen.exam_action.trigger()
    assert "the loader refused it" in signal.args[0].sentence
    qtbot.waitUntil(lambda: screen._busy is None, timeout=5_000)


def test_a_file_that_was_changed_is_marked(screen, qtbot, file):
    screen.copy_box.setChecked(False)
    added(screen, qtbot, [file], count=2)
    tiny_gguf.chat(file, seed=4)
    screen.refresh()
    qtbot.waitUntil(lambda: "the file was changed since it was added" in screen.verdict.text(), timeout=20_000)
    assert not any(action.isEnabled() for action in screen.role_actions.values())


@pytest.mark.parametrize("same", [True, False])
def test_a_touched_file_is_read_beside_the_window_and_once(screen, qtbot, file, monkeypatch, same):
    screen.copy_box.setChecked(False)
    added(screen, qtbot, [file], count=2)
    go_on, readers, gave_up, sha256 = threading.Event(), [], [], gguf.sha256

    def slow(path: Path) -> str:
        readers.append(threading.current_thread())
        gave_up.append(not go_on.wait(60))
        return sha256(path) if same else "0" * 64

    monkeypatch.setattr(gguf, "sha256", slow)
    os.utime(file, (1, 1))
    screen.refresh()  # does not wait, or ``held`` would have given up
    qtbot.waitUntil(lambda: bool(readers), timeout=20_000)
    assert screen.header.count.text() == "reading a model file"
    assert len(screen.model.rows) == 2  # those from before stand
    choose(screen, "small")
    go_on.set()
    qtbot.waitUntil(lambda: screen.header.count.text() == "2 models", timeout=20_000)
    assert screen.chosen().model.name == "small"
    assert ("was changed" in screen.verdict.text()) is not same
    screen.refresh()
    assert screen.header.count.text() == "2 models"  # at once: what was read is known
    assert readers == [readers[0]]
    assert readers[0] is not threading.main_thread()
    assert not any(gave_up)


def test_a_model_is_removed_with_its_copy(screen, qtbot, file):
    added(screen, qtbot, [file], count=2)
    copy = screen.chosen().model.path
    screen.role_actions["text_model"].trigger()
    screen.remove_action.trigger()
    assert [row.own for row in screen.model.rows] == [True]
    assert not copy.exists()
    assert screen.session.engines.text_model is None


def test_the_details_can_be_copied(screen, qapp):
    screen.copy_action.trigger()
    text = qapp.clipboard().text()
    assert screen.chosen().model.sha256 in text
    assert "Licence: " in text


def test_without_any_model_the_page_says_what_to_do(styled, qtbot, tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "reader", lambda: tmp_path / "none.gguf")
    session = CaseSession(Engines(reader=PlainReader()), who="Tester")
    screen = ModelsScreen(session)
    qtbot.addWidget(screen)
    screen.show()
    assert screen.stack.currentWidget() is screen.empty
    assert "Everything except judging passages works without one" in screen.empty.sentence.text()
    assert not screen.exam_action.isEnabled()
    session.shutdown()


def test_the_window_has_the_page_and_the_chip_leads_there(window: MainWindow):
    window.go("Models")
    assert isinstance(window.current(), ModelsScreen)
    assert window.commands.screens["Models"].text().startswith("Go to Models:")
    window.go("Start")
    window.top_bar.model_chip.click()
    assert isinstance(window.current(), ModelsScreen)
    assert paths.user_data() in registry.folder().parents
