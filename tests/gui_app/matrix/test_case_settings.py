"""Settings of the case: grades of sources and what they do to the ranking, blind rating, and newer versions."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from core.domain import GRADE_WEIGHTS
from gui_app.documents.documents_model import DocumentsModel
from gui_app.documents.screen import DocumentsScreen
from gui_app.matrix.case_settings import INFORMATION, RELIABILITY, CaseSettingsPage
from gui_app.session import CaseSession
from gui_app.shared import file_dialogs
from gui_app.shell.window import MainWindow


@pytest.fixture
def graded(filled):
    """Two rows against different hypotheses, one from a source graded A, one from a source graded E."""
    for text, hypothesis, grade in (("one", "H1", "A"), ("two", "H2", "E")):
        row = filled.do(lambda bench, text=text: bench.evidence.add(text)).id
        filled.do(lambda bench, row=row, grade=grade: bench.evidence.describe([row], reliability=grade))
        filled.do(lambda bench, row=row, hypothesis=hypothesis: bench.evidence.rate(row, hypothesis, "I"))
        rival = "H2" if hypothesis == "H1" else "H1"
        filled.do(lambda bench, row=row, rival=rival: bench.evidence.rate(row, rival, "C"))
    assert filled.workbench.matrix.compute().order == ("H2", "H1")
    return filled


@pytest.fixture
def page(graded, qtbot):
    page = CaseSettingsPage(graded)
    qtbot.addWidget(page)
    page.show()
    with qtbot.waitActive(page):
        page.activateWindow()
    return page


def texts(page):
    return [label.text() for label in page.findChildren(QLabel) if label.isVisibleTo(page)]


def typed(qtbot, field, value):
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, value)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def test_every_grade_has_its_meaning_and_those_that_cannot_be_judged_have_no_factor(page):
    labels = texts(page)
    assert set(RELIABILITY) | set(INFORMATION) == set("ABCDEF123456")
    for grade, meaning in (RELIABILITY | INFORMATION).items():
        assert grade in labels
        assert meaning in labels
    assert sorted(page.fields) == sorted("ABCDE12345")
    assert labels.count("not graded") == 2
    assert page.fields["A"].value() == pytest.approx(1.414)
    assert page._row_counts["A"].text() == "1"  # one row has this grade
    assert page._row_counts["B"].text() == "–"


def test_a_factor_is_typed_and_the_ranking_follows(page, graded, qtbot):
    assert page.effect.text() == "As it was when this page was opened."
    typed(qtbot, page.fields["E"], "3")
    assert page.isVisible()  # Enter keeps the number, not more
    assert graded.workbench.case.settings().grade_weights["E"] == 3
    assert graded.workbench.matrix.compute().order == ("H1", "H2")
    assert page.effect.text() == "The ranking has changed since this page was opened."
    qtbot.waitUntil(lambda: "2   3.00" in texts(page))
    qtbot.keyClick(page, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert graded.workbench.case.settings().grade_weights == GRADE_WEIGHTS
    assert page.fields["E"].value() == pytest.approx(0.707)
    assert page.effect.text() == "As it was when this page was opened."


def test_scores_may_change_and_the_order_not(page, qtbot):
    typed(qtbot, page.fields["A"], "1.3")
    assert page.effect.text() == "Scores have changed since this page was opened; the ranking has not."


def test_back_to_the_first_factors(page, graded, qtbot):
    assert not page.reset_button.isEnabled()
    typed(qtbot, page.fields["1"], "2")
    typed(qtbot, page.fields["C"], "0.5")
    qtbot.mouseClick(page.reset_button, Qt.MouseButton.LeftButton)
    assert graded.workbench.case.settings().grade_weights == GRADE_WEIGHTS
    graded.undo()  # one step
    assert graded.workbench.case.settings().grade_weights["C"] == 0.5


def test_a_factor_is_never_nothing(page, graded, qtbot):
    typed(qtbot, page.fields["E"], "0")
    assert graded.workbench.case.settings().grade_weights["E"] > 0


def test_blind_rating_is_one_key_and_one_step_of_undo(page, graded, qtbot):
    assert not graded.workbench.case.settings().blind
    page.blind.setFocus()
    qtbot.keyClick(page.blind, Qt.Key.Key_Space)
    assert graded.workbench.case.settings().blind
    graded.undo()
    assert not graded.workbench.case.settings().blind
    assert not page.blind.isChecked()


@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_how_sure_verdicts_have_to_be_is_one_key_and_one_step_of_undo(page, graded, qtbot, mode):
    choice = page.show_modes.buttons[mode]
    choice.setFocus()
    qtbot.keyClick(choice, Qt.Key.Key_Space)
    assert graded.workbench.case.settings().show == mode
    assert page.show_modes.mode() == mode
    graded.undo()
    assert graded.workbench.case.settings().show == "exploratory"
    assert page.show_modes.mode() == "exploratory"


def test_a_case_for_viewing_only_shows_them(graded, qtbot, monkeypatch):
    monkeypatch.setattr(CaseSession, "read_only", property(lambda self: True))
    page = CaseSettingsPage(graded)
    qtbot.addWidget(page)
    page.show()
    assert not page.blind.isEnabled()
    assert not page.reset_button.isEnabled()
    assert not any(field.isEnabled() for field in page.fields.values())
    assert "Completely reliable" in texts(page)


def test_without_grades_the_factors_change_nothing_and_that_is_said(graded, qtbot):
    graded.do(lambda bench: bench.evidence.describe(["E1", "E2"], reliability="F"))  # cannot be judged
    page = CaseSettingsPage(graded)
    qtbot.addWidget(page)
    assert "change nothing" in page.effect.text()


def test_nothing_rated_is_said(case, qtbot):
    page = CaseSettingsPage(case)
    qtbot.addWidget(page)
    assert page.effect.text() == "Nothing is rated yet, so there is no ranking to change."


def test_the_page_opens_by_its_keys_and_goes_with_the_case(graded, qtbot):
    window = MainWindow(graded)
    qtbot.addWidget(window)
    window.show()
    with qtbot.waitActive(window):
        window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    page = window.findChild(CaseSettingsPage)
    assert page.isVisible()
    with qtbot.waitSignal(page.finished):
        graded.close_case()
    window.commands.show_case_settings()  # without a case there is nothing to set
    window.close()


# --- newer versions ---------------------------------------------------------------------------------------------------


def test_a_document_is_superseded_and_undo_takes_it_back(filled, qtbot, monkeypatch):
    screen = DocumentsScreen(filled)
    qtbot.addWidget(screen)
    screen.resize(1000, 700)
    screen.show()
    with qtbot.waitActive(screen):
        screen.activateWindow()
    assert not screen.newer.isEnabled()
    screen.table.setFocus()
    screen.table.select(screen.proxy.index(0, 0))
    questions = []

    def answer(_parent, name, choices):
        questions.append((name, list(choices)))
        return 1

    monkeypatch.setattr(file_dialogs, "ask_newer", answer)
    qtbot.keyClick(screen.table, Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    [first, second, third] = filled.workbench.documents.all()
    assert questions == [(first.name, [f"{second.id}  {second.name}", f"{third.id}  {third.name}"])]
    assert first.superseded_by == third.id
    assert screen.proxy.index(0, DocumentsModel.STATUS).data() == f"superseded by {third.name}"
    assert screen.not_newer.isEnabled()
    screen.not_newer.trigger()
    assert filled.workbench.documents.all()[0].superseded_by == ""
    filled.undo()
    filled.undo()
    assert filled.workbench.documents.all()[0].superseded_by == ""


def test_thinking_better_of_it_changes_nothing(filled, qtbot, monkeypatch):
    screen = DocumentsScreen(filled)
    qtbot.addWidget(screen)
    screen.show()
    screen.table.select(screen.proxy.index(0, 0))
    monkeypatch.setattr(file_dialogs, "ask_newer", lambda *_: None)
    position = filled.workbench.case.position()
    screen.newer.trigger()
    assert filled.workbench.case.position() == position


def test_two_documents_cannot_supersede_each_other(filled, qtbot, monkeypatch):
    screen = DocumentsScreen(filled)
    qtbot.addWidget(screen)
    screen.show()
    errors = []
    filled.failed.connect(errors.append)
    filled.do(lambda bench: bench.documents.supersede("D2", "D1"))
    screen.table.select(screen.proxy.index(0, 0))
    monkeypatch.setattr(file_dialogs, "ask_newer", lambda *_: 0)  # D2
    screen.newer.trigger()
    assert "newer than itself" in errors[0].sentence
