"""The guide at the side: it knows where the case is, says one thing, and its one button goes there."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from core.case.guide import Facts
from gui_app import window_state
from gui_app.shell.guide_panel import GuidePanel, _SlowCounts, facts_of, read_counts
from tests.gui_app.small_case import put_on_show


@pytest.fixture
def panel(session, qtbot):
    panel = GuidePanel(session)
    put_on_show(qtbot, panel, 320, 400)
    return panel


def settled(qtbot, guide):
    qtbot.waitUntil(lambda: not guide._soon.isActive() and not guide.reading)


def test_a_new_case_shows_the_guide_and_f9_hides_it_for_good(window, session, tmp_path, qtbot):
    assert not window.panels.guide.isVisible()  # no case, no guide
    assert session.create(tmp_path / "a.disconfirm")
    assert window.panels.guide.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_F9)
    assert not window.panels.guide.isVisible()
    assert window_state.guide() is False
    assert session.create(tmp_path / "b.disconfirm")
    assert not window.panels.guide.isVisible()  # the person's word holds for new cases too
    qtbot.keyClick(window, Qt.Key.Key_F9)
    assert window.panels.guide.isVisible()
    assert window.panels.guide.button.hasFocus()


def test_a_case_in_work_does_not_show_it_by_itself(with_case, session, tmp_path):
    path = session.workbench.path
    session.close_case()
    assert not with_case.panels.guide.isVisible()
    assert session.open(path)
    assert not with_case.panels.guide.isVisible()


def test_the_close_button_hides_it_and_the_details_keep_their_place(with_case, session, qtbot):
    with_case.resize(1440, 900)
    with_case.panels.select(session.workbench.hypotheses.all()[0])
    assert with_case.panels.guide.isVisible()
    assert with_case.panels.detail.isVisible()
    with_case.panels.guide.closed.emit()
    assert not with_case.panels.guide.isVisible()
    assert with_case.panels.detail.isVisible()
    qtbot.keyClick(with_case, Qt.Key.Key_F9)
    qtbot.keyClick(with_case, Qt.Key.Key_F8)
    assert with_case.panels.guide.isVisible()  # details are hidden, the guide has the column for itself
    assert not with_case.panels.detail.isVisible()
    qtbot.keyClick(with_case, Qt.Key.Key_F9)
    assert not with_case.panels.aside.isVisible()


def test_it_follows_the_case_and_its_button_goes_there(with_case, session, qtbot):
    guide = with_case.panels.guide
    settled(qtbot, guide)
    assert guide.where.text() == "step 1 of 8"
    assert guide.button.text() == "Add a null hypothesis"
    guide.button.setFocus()
    qtbot.keyClick(guide.button, Qt.Key.Key_Space)
    screen = with_case.current()
    assert screen.name == "Hypotheses"
    assert screen.field.hasFocus()
    assert screen.rivals.kind_choice.currentData() == "null"
    qtbot.keyClick(screen.field, Qt.Key.Key_Return)
    settled(qtbot, guide)
    assert guide.button.text() == "Add a deception hypothesis"
    session.do(lambda bench: bench.evidence.add("The log was cleaned."))
    settled(qtbot, guide)
    assert guide.where.text() == "step 2 of 8"
    session.do(lambda bench: bench.evidence.rate("E1", "H1", "I"))
    settled(qtbot, guide)
    assert guide.where.text() == "step 3 of 8"
    assert "3 cells; 2 of them are not rated yet" in guide.sentence.text()
    session.undo()
    settled(qtbot, guide)
    assert guide.where.text() == "step 2 of 8"
    qtbot.keyClick(with_case, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert with_case.current().name == "Documents"


def test_the_steps_can_be_read_by_arrow_keys(panel, qtbot):
    panel.show_facts(Facts(documents=1, hypotheses=1))
    assert panel.shown().number == 1
    panel.view.setFocus()
    panel.fit(600, beside=False)
    qtbot.keyClick(panel.view, Qt.Key.Key_Right)  # low: the steps stand in one row
    assert panel.shown().name == "Evidence"
    panel.fit(900, beside=False)
    qtbot.keyClick(panel.view, Qt.Key.Key_Down)
    assert panel.shown().name == "Matrix"
    qtbot.keyClick(panel.view, Qt.Key.Key_Up)
    assert panel.name.text() == "2  Evidence"
    panel.show_facts(Facts(documents=1, hypotheses=1, premortems=1))
    assert panel.shown().name == "Evidence"  # the case did not move on: what is read stays
    panel.show_facts(Facts(documents=1, hypotheses=2, null=True, deception=True, evidence=1, rated=1, cells=4))
    assert panel.shown().number == 3
    with qtbot.waitSignal(panel.go_to) as signal:
        qtbot.keyClick(panel.view, Qt.Key.Key_Return)
    assert signal.args == ["Matrix", "unrated"]


def test_a_screen_reader_hears_number_name_and_state(panel):
    panel.show_facts(Facts(documents=1, hypotheses=2, evidence=1, rated=1, cells=4))
    lines = [panel.view.item(row).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(8)]
    assert lines[0] == "Step 1, Hypotheses, something left to do"
    assert lines[2] == "Step 3, Matrix, the case is here"
    assert lines[7] == "Step 8, Milestones, to do"


def test_what_was_looked_at_is_remembered_with_the_case(case, panel, qtbot):
    panel.show_facts(
        Facts(documents=1, hypotheses=2, evidence=1, absences=1, cells=2, rated=2, declined=frozenset({"null"}))
    )
    panel.view.setCurrentRow(3)
    assert panel.shown().part == "diagnosticity"
    panel.press()
    assert window_state.marks(case.workbench.path, "looked") == {"diagnosticity"}


def test_facts_are_read_from_the_case(filled):
    bench = filled.workbench
    filled.do(lambda bench: bench.hypotheses.set_kind("H2", "deception"))
    for text in ("one", "two"):
        filled.do(lambda bench, text=text: bench.evidence.add(text))
    filled.do(lambda bench: bench.hypotheses.add_consideration("assumption", "The clock was right."))
    filled.do(lambda bench: bench.hypotheses.add_consideration("indicator", "A letter", query="letter"))
    filled.do(lambda bench: bench.evidence.rate("E1", "H1", "I"))
    filled.do(lambda bench: bench.evidence.rate("E1", "H2", "I"))
    filled.do(lambda bench: bench.evidence.rate("E2", "H1", "II"))
    filled.do(lambda bench: bench.evidence.rate("E2", "H2", "N"))
    filled.do(lambda bench: bench.evidence.add_absence("H1", "A letter", ["letter"]))
    counts = read_counts(bench, _SlowCounts())
    assert counts.absences == 1
    facts = facts_of(bench, counts, new_documents=3, refusals={"null"})
    assert (facts.documents, facts.hypotheses, facts.null, facts.deception) == (3, 2, False, True)
    assert (facts.evidence, facts.absences, facts.cells, facts.rated, facts.dull) == (3, 1, 6, 4, 1)
    assert facts.declined == {"null"}
    assert (facts.assumptions, facts.premortems, facts.indicators, facts.new_documents) == (1, 0, 1, 3)
    assert facts.leaders == ("H2",)
    assert facts.since_report is None


def test_a_report_gets_old_by_decisions_alone(case, tmp_path):
    bench = case.workbench
    counts = _SlowCounts()

    def age():
        nonlocal counts
        counts = read_counts(bench, counts)
        return facts_of(bench, counts, refusals=()).since_report

    case.do(lambda bench: bench.hypotheses.add("It was the night technician."))
    assert age() is None
    bench.reports.write(tmp_path / "report.html")
    assert age() == 0
    case.do(lambda bench: bench.hypotheses.add("It was the vendor."))
    assert age() == 1
    assert age() == 1
    bench.reports.write(tmp_path / "again.html")
    assert age() == 0


def test_a_low_window_has_numbers_in_one_row(window, session, tmp_path, qtbot):
    session.create(tmp_path / "a.disconfirm")
    window.resize(1440, 900)
    qtbot.waitUntil(lambda: window.panels.guide.view.height() > 150)
    window.resize(1100, 640)
    qtbot.waitUntil(lambda: window.panels.guide.view.height() < 60)
    window.resize(1440, 900)
    qtbot.waitUntil(lambda: window.panels.guide.view.height() > 150)
    session.do(lambda bench: bench.hypotheses.add("It was chance."))
    window.panels.select(session.workbench.hypotheses.all()[0])
    assert window.panels.guide.view.height() > 150  # it does not change under the pointer,
    qtbot.waitUntil(lambda: window.panels.detail.height() > 300)  # and what is selected has the room below it


def test_it_is_in_the_palette_and_on_the_sheet_of_shortcuts(with_case):
    entries = [entry.title for entry in with_case.commands.entries()]
    for text in ("Guide", "Case settings: blind rating, grades of sources"):
        assert text in entries
    assert with_case.commands.guide.shortcut().toString() == "F9"


def test_one_step_there_and_one_step_back(with_case, qtbot):
    with_case.go("Search")
    with_case.go("Hypotheses", "indicators")
    assert with_case.current().page() == "indicators"
    qtbot.keyClick(with_case, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert with_case.current().name == "Search"
    qtbot.keyClick(with_case, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert with_case.current().page() == "indicators"


def test_the_ways_into_the_matrix_do_what_they_say(with_case, session, qtbot):
    for text in ("one", "two"):
        session.do(lambda bench, text=text: bench.evidence.add(text))
    session.do(lambda bench: bench.evidence.rate("E1", "H1", "I"))
    with_case.go("Matrix", "unrated")
    screen = with_case.current()
    assert screen.name == "Matrix"
    row, hypothesis = screen.grid.current_row(), screen.grid.current_hypothesis()
    assert (row.id, hypothesis.id) == ("E1", "H2")
    with_case.go("Matrix", "diagnosticity")
    assert screen.bar.sort_choice.currentData() == "diagnosticity"
    path = session.workbench.path
    assert window_state.marks(path, "looked") == {"diagnosticity"}
    with_case.go("Matrix", "sensitivity")
    assert screen.analysis.isVisible()
    assert screen.analysis.pages.currentWidget() is screen.analysis.sensitivity
    assert window_state.marks(path, "looked") == {"diagnosticity", "sensitivity"}


def test_looking_by_oneself_counts_too(with_case, session, qtbot):
    session.do(lambda bench: bench.evidence.add("one"))
    with_case.go("Matrix")
    qtbot.keyClick(with_case.current().grid, Qt.Key.Key_D)
    assert window_state.marks(session.workbench.path, "looked") == {"diagnosticity"}


def test_the_guide_leads_through_all_eight_steps(window, session, tmp_path, texts, qtbot):
    """From an empty case to the end, always by the one button that it offers."""
    assert session.create(tmp_path / "test.disconfirm", title="Who was it?")
    guide = window.panels.guide
    statements = ["It was the night technician.", "It was an outsider."]
    walked = []
    report = tmp_path / "report.html"
    answers = iter(["I", "C", "C", "C", "C", "C", "I", "II", "C", "C", "C"])  # nothing against H2 at first
    for _ in range(40):
        if not guide.isVisible():  # with what was found Review takes all the width; the guide is beside the matrix
            window.go("Matrix")
        settled(qtbot, guide)
        step = guide.shown()
        if guide._current is None:
            break
        assert step == guide._current
        walked.append((step.number, step.place, step.part))
        guide.button.setFocus()
        qtbot.keyClick(guide.button, Qt.Key.Key_Space)
        screen = window.current()
        assert screen.name == step.place
        if step.place == "Hypotheses" and step.part in ("", "null", "deception"):
            assert screen.field.hasFocus()
            if not step.part:
                assert step.number == 1, walked
                qtbot.keyClicks(screen.field, statements.pop(0))
            qtbot.keyClick(screen.field, Qt.Key.Key_Return)
        elif step.part == "expected":
            qtbot.keyClicks(screen.expectations.field, "A mark on the door")
            qtbot.keyClick(screen.expectations.field, Qt.Key.Key_Return)
            qtbot.keyClick(screen.expectations.queries, Qt.Key.Key_Return)
            qtbot.waitUntil(lambda screen=screen: bool(screen.expectations.results))
            screen.record_action.trigger()
            qtbot.waitUntil(lambda screen=screen: screen.expectations.absences.count() == 1)
        elif step.place == "Hypotheses":
            page = screen.stack.currentWidget()
            assert page.field.hasFocus()
            qtbot.keyClicks(page.field, "Something else was true")
            qtbot.keyClick(page.field, Qt.Key.Key_Return)
            if step.part == "indicators":
                qtbot.keyClick(page.query, Qt.Key.Key_Return)
        elif step.place == "Documents":
            session.do(lambda bench: bench.documents.add([texts]))
        elif step.place == "Review":
            qtbot.waitUntil(lambda: not session.tasks.busy(), timeout=30_000)  # evidence is looked for at once
            session.do(lambda bench: bench.evidence.add_quote("D1", 1, 0, 20))
        elif step.place == "Matrix" and step.part in ("", "unrated"):
            bench = session.workbench
            rows, hypotheses = bench.evidence.all(), bench.hypotheses.all()
            rated = {(assessment.evidence, assessment.hypothesis) for assessment in bench.evidence.assessments()}
            for row in rows:
                for hypothesis in hypotheses:
                    if (row.id, hypothesis.id) not in rated:
                        session.do(lambda b, r=row, h=hypothesis: b.evidence.rate(r.id, h.id, next(answers)))
        elif step.place == "Search":
            leader = session.workbench.matrix.compute().leaders["weighted_inconsistency"][0]
            row = session.do(lambda bench: bench.evidence.add("It cannot have been so.")).id
            session.do(lambda bench, row=row, leader=leader: bench.evidence.rate(row, leader, "I"))
        elif step.place == "Report":
            with qtbot.waitSignal(session.looked):
                session.run("Writing", lambda bench, progress: bench.reports.write(report), done=screen._show_file)
    assert guide._current is None, walked[-5:]
    assert guide.where.text() == "all eight steps done"
    assert {number for number, _, _ in walked} == set(range(1, 9))
    assert walked[:2] == [(1, "Hypotheses", "")] * 2


@pytest.mark.parametrize(("width", "height"), [(1100, 700), (1440, 800), (1440, 900), (1920, 1080)])
def test_nothing_of_the_guide_moves_when_details_come_and_go(with_case, session, qtbot, width, height):
    with_case.resize(width, height)
    guide = with_case.panels.guide
    settled(qtbot, guide)

    def places():
        QApplication.processEvents()
        return [
            (part.mapTo(with_case, part.rect().topLeft()), part.height())
            for part in (guide.view, guide.name, guide.button)
        ]

    with_case.panels.select(None)
    before = places()
    with_case.panels.select(session.workbench.hypotheses.all()[0])
    assert with_case.panels.detail.isVisible()
    assert places() == before
    with_case.panels.select(None)
    assert places() == before
