"""The searches of each hypothesis in the window, by real keys: plans, effort, and how much was missed."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from core.domain import ROLES, Changes
from gui_app.hypotheses.screen import HypothesesScreen
from gui_app.review.screen import ReviewScreen
from gui_app.session import EVERYTHING
from gui_app.shared.cell_editor import TextEditor
from gui_app.shared.effort_meter import EffortMeter
from gui_app.shared.plan_model import EffortModel, PlanModel, plan_rows
from tests.gui_app.conftest import complaints
from tests.gui_app.small_case import put_on_show

Key, Modifier = Qt.Key, Qt.KeyboardModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def screen(filled, qtbot):
    screen = HypothesesScreen(filled)
    put_on_show(qtbot, screen)
    screen.show_part("searches")
    return screen


@pytest.fixture
def page(screen):
    return screen.searches


@pytest.fixture
def planned(page, filled):
    filled.do(lambda bench: bench.plans.make())
    return page


def texts(page, hypothesis="H1"):
    return [row.query.text for row in page.model.rows if row.query and row.query.hypothesis == hypothesis]


def row_with(page, role):
    return next(index for index, row in enumerate(page.model.rows) if row.query and row.query.role == role)


# --- the plan --------------------------------------------------------------------------------------------------------


def test_without_a_plan_the_next_step_is_to_make_one(screen, page, filled, qtbot):
    assert screen.page() == "searches"
    assert page.pages.currentWidget() is page.empty
    assert "both sides" in page.empty.sentence.text()
    qtbot.mouseClick(page.empty.button, LEFT)
    assert {query.hypothesis for query in filled.workbench.plans.get()} == {"H1", "H2"}
    assert page.pages.currentWidget() is page.table
    assert [row.hypothesis.id for row in page.model.rows if row.query is None] == ["H1", "H2"]
    filled.undo()
    assert filled.workbench.plans.get() == []
    assert page.pages.currentWidget() is page.empty
    filled.redo()
    assert page.pages.currentWidget() is page.table


def test_without_hypotheses_the_next_step_is_to_write_them(screen, page, filled, qtbot):
    filled.do(lambda bench: bench.hypotheses.remove("H1"))
    filled.do(lambda bench: bench.hypotheses.remove("H2"))
    assert "two rival hypotheses" in page.empty.sentence.text()
    qtbot.mouseClick(page.empty.button, LEFT)
    assert screen.page() == "hypotheses"
    assert screen.field.hasFocus()


def test_every_search_says_what_it_stands_for_and_its_side(planned):
    for number, row in enumerate(planned.model.rows):
        if row.query is None:
            assert planned.table.columnSpan(number, 0) == planned.model.columnCount()
            continue
        cells = [planned.model.index(number, column).data() for column in range(planned.model.columnCount())]
        tip = planned.model.index(number, PlanModel.ROLE).data(Qt.ItemDataRole.ToolTipRole)
        assert ROLES[row.query.role] in tip
        assert cells[PlanModel.FROM] == "template"
        assert cells[PlanModel.FROM] in tip  # where there is no room for the column
        assert set(cells[PlanModel.ROLE].lower().split()) <= set(ROLES[row.query.role].split())
        assert cells[PlanModel.SIDE] in ("for", "against")
        assert cells[PlanModel.LAST] == "not run yet"
        spoken = planned.model.index(number, PlanModel.SIDE).data(Qt.ItemDataRole.AccessibleTextRole)
        assert spoken == f"{row.hypothesis.id}, Side: {cells[PlanModel.SIDE]}"


def test_words_are_changed_in_place_and_are_then_the_analysts(planned, filled, qtbot):
    index = row_with(planned, "negation")
    planned.table.setFocus()
    planned.table.setCurrentIndex(planned.model.index(index, PlanModel.ROLE))
    qtbot.keyClick(planned.table, Key.Key_Return)
    editor = planned.table.findChild(TextEditor)
    editor.selectAll()
    qtbot.keyClicks(editor, "nobody used the account")
    qtbot.keyClick(editor, Key.Key_Return)
    [changed] = [query for query in filled.workbench.plans.get("H1") if query.text == "nobody used the account"]
    assert (changed.role, changed.origin) == ("negation", "analyst")
    assert planned.model.index(planned.model.row_of(changed.id), PlanModel.FROM).data() == "Tester"
    filled.undo()
    assert "nobody used the account" not in texts(planned)


def test_words_that_are_refused_stay_in_the_editor(planned, filled, qtbot):
    index = row_with(planned, "negation")
    errors = complaints(filled)
    former = texts(planned)
    planned.table.setCurrentIndex(planned.model.index(index, PlanModel.WORDS))
    planned.edit_current()
    editor = planned.table.findChild(TextEditor)
    editor.selectAll()
    qtbot.keyClick(editor, Key.Key_Delete)
    qtbot.keyClick(editor, Key.Key_Return)
    assert len(errors) == 1
    assert texts(planned) == former
    qtbot.waitUntil(lambda: planned.table.findChild(TextEditor) is not None)


def test_a_search_of_ones_own_is_added_and_survives_planning_anew(planned, filled, qtbot):
    planned.about.choose("H2")
    planned.role.setCurrentIndex(planned.role.findData("against"))
    qtbot.keyClicks(planned.field, "the outsider was abroad")
    qtbot.keyClick(planned.field, Key.Key_Return)
    assert "the outsider was abroad" in texts(planned, "H2")
    assert planned.current().query.text == "the outsider was abroad"
    assert planned.plan_button.text() == "Plan H2 again"
    qtbot.mouseClick(planned.plan_button, LEFT)
    assert "the outsider was abroad" in texts(planned, "H2")
    filled.undo()
    filled.undo()
    assert "the outsider was abroad" not in texts(planned, "H2")


def test_searches_are_removed_by_a_key_and_brought_back(screen, planned, filled, qtbot):
    count = len(filled.workbench.plans.get())
    planned.table.setFocus()
    planned.table.selectRow(row_with(planned, "for"))
    qtbot.keyClick(planned.table, Key.Key_Delete)
    assert len(filled.workbench.plans.get()) == count - 1
    filled.undo()
    assert len(filled.workbench.plans.get()) == count
    planned.table.selectRow(0)  # a heading
    qtbot.keyClick(planned.table, Key.Key_Delete)
    assert len(filled.workbench.plans.get()) == count
    assert len(filled.workbench.hypotheses.all()) == 2


def test_a_merged_plan_is_on_show_and_can_be_taken_back(screen, planned, filled, engines, tmp_path):
    import shutil

    from core.workbench import Workbench

    copy = tmp_path / "other.disconfirm"
    path = filled.workbench.path
    filled.close_case()
    shutil.copyfile(path, copy)
    with Workbench.open(copy, engines, who="Ben") as bench:
        bench.plans.add("H1", "against", "Ben's own search")
        bench.entities.add("Klara Bost", aliases=["the vendor"])
    assert filled.open(path)
    screen.show_part("searches")
    former = texts(planned)
    assert former
    assert "Ben's own search" not in former
    filled.do(lambda bench: bench.case.merge(copy))
    assert "Ben's own search" in texts(planned)
    assert [entity.name for entity in filled.workbench.entities.all()] == ["Klara Bost"]
    filled.undo()
    assert texts(planned) == former
    assert filled.workbench.entities.all() == []


# --- effort ----------------------------------------------------------------------------------------------------------


def test_evidence_is_found_with_the_plans_and_the_effort_is_told(planned, filled, qtbot):
    assert planned.meter.isHidden()
    qtbot.mouseClick(planned.find_button, LEFT)
    qtbot.waitUntil(lambda: planned.note.text().count("searches") == 1 and planned.find_button.isVisible())
    looked = {effort.hypothesis: effort.passages for effort in filled.workbench.plans.effort()}
    assert f"All {looked['H1']} passages read for 2 hypotheses" in planned.note.text()
    assert planned.meter.isVisible()
    assert planned.meter.summary.text().startswith(f"Equal effort: {looked['H1']} passages looked at for each")
    assert not planned.meter.even_button.isVisible()
    index = row_with(planned, "statement")
    assert "passages" in planned.model.index(index, PlanModel.LAST).data()
    with qtbot.waitSignal(planned.go) as gone:
        qtbot.mouseClick(planned.review_button, LEFT)
    assert gone.args == ["Review"]


def test_a_model_with_that_role_words_searches_and_what_it_worded_is_marked(screen, planned, filled, qtbot):
    from dataclasses import replace

    from tests.core.plans.test_drafting import Wording

    assert planned.word_button.isHidden()
    assert not screen.word_action.isEnabled()
    model = Wording()
    filled.workbench.engines = replace(filled.workbench.engines, text_model=model)
    filled.changed.emit(EVERYTHING, None)
    assert screen.word_action.isEnabled()
    planned.table.setCurrentIndex(planned.model.index(row_with(planned, "statement"), 0))
    assert planned.word_button.text() == "Have a model draft H1"
    qtbot.mouseClick(planned.word_button, LEFT)
    qtbot.waitUntil(lambda: planned._task is None and any(t.startswith("Draft") for t in texts(planned)))
    drafted = [row.query for row in planned.model.rows if row.query and row.query.origin == "wording"]
    assert sorted(query.role for query in drafted) == ["against", "for", "if false", "if true"]
    assert {query.hypothesis for query in drafted} == {"H1"}
    index = planned.model.row_of(drafted[0].id)
    assert planned.model.index(index, PlanModel.ROLE).data().endswith(" · draft")
    assert planned.model.index(index, PlanModel.FROM).data() == "wording"
    qtbot.waitUntil(lambda: planned.stop_button.isHidden())
    filled.undo()
    assert not any(t.startswith("Draft") for t in texts(planned))
    filled.workbench.engines = replace(filled.workbench.engines, text_model=Wording({"statement": ""}))
    messages = []
    filled.told.connect(lambda text, _undo: messages.append(text))
    screen.word_action.trigger()
    qtbot.waitUntil(lambda: bool(messages))
    assert messages == ["No usable draft came for H1: its searches stay templates"]
    qtbot.waitUntil(lambda: planned._task is None)


def last_run(page):
    return page.model.index(row_with(page, "statement"), PlanModel.LAST).data()


def test_what_was_run_from_elsewhere_is_told_at_once_or_when_the_page_is_on_show_again(screen, planned, filled, qtbot):
    assert last_run(planned) == "not run yet"
    filled.do(lambda bench: bench.review.propose(["H1"], passages=3))
    assert last_run(planned).startswith("3 passages, 3 new")
    screen.hide()
    filled.do(lambda bench: bench.review.propose(["H1"], passages=5))
    screen.show()
    assert last_run(planned).startswith("5 passages, 2 new")
    screen.show_part("hypotheses")
    filled.do(lambda bench: bench.review.propose(["H2"], passages=5))
    screen.show_part("searches")
    were_run = [row.last is not None for row in planned.model.rows if row.query is not None]
    assert all(were_run)


def test_an_open_editor_stays_open_while_proposals_come_in(planned, filled, qtbot):
    filled.do(lambda bench: bench.review.propose(["H1"], passages=3))
    planned.table.setCurrentIndex(planned.model.index(row_with(planned, "statement"), PlanModel.WORDS))
    planned.edit_current()
    editor = planned.table.findChild(TextEditor)
    editor.setPlainText("Half a word")
    proposal = filled.workbench.verdicts.proposals()[0].id
    filled.do(lambda bench: bench.review.reject([proposal]))
    assert planned.table.findChild(TextEditor) is editor
    assert editor.toPlainText() == "Half a word"


def test_unequal_effort_is_a_warning_and_one_click_evens_it_out(planned, filled, qtbot):
    filled.do(lambda bench: bench.review.propose(["H1"], passages=3))
    filled.do(lambda bench: bench.review.propose(["H2"], passages=1))
    assert planned.meter.summary.text() == "H2 had 2 fewer passages looked at than H1. Find evidence for H2."
    assert planned.meter.as_text().split("\n")[1].endswith("H2 had 2 fewer passages looked at than H1.")
    cell = planned.meter.model.index(1, EffortModel.PASSAGES)
    assert cell.data(Qt.ItemDataRole.AccessibleTextRole) == "H2, Passages looked at: 1 passage"
    qtbot.mouseClick(planned.meter.even_button, LEFT)
    qtbot.waitUntil(lambda: [e.passages for e in filled.workbench.plans.effort()] == [3, 3])
    qtbot.waitUntil(lambda: planned.meter.summary.text().startswith("Equal effort: 3 passages"))
    assert not planned.meter.even_button.isVisible()


def test_without_a_judge_nothing_can_be_found_and_it_is_said_why(filled, qtbot):
    from dataclasses import replace

    filled.workbench.engines = replace(filled.workbench.engines, judge=None)
    screen = HypothesesScreen(filled)
    qtbot.addWidget(screen)
    screen.show()
    screen.show_part("searches")
    assert not screen.searches.find_button.isEnabled()
    assert "No judging model" in screen.searches.find_button.toolTip()
    screen.searches.find_evidence()
    assert filled.workbench.verdicts.proposals() == []


def test_the_review_tells_the_effort_and_leads_to_the_searches(filled, qtbot):
    review = ReviewScreen(filled)
    qtbot.addWidget(review)
    review.resize(1000, 700)
    review.show()
    assert review.effort.isHidden()
    qtbot.waitUntil(review.finder.find_button.isEnabled)
    review.finder.find_evidence()
    qtbot.waitUntil(lambda: "passages read for 2 hypotheses" in review.effort.summary.text())
    assert "proposals from" in review.finder.note.text()
    assert "passages read" not in review.finder.note.text()  # it stands below already
    with qtbot.waitSignal(review.go_to_part) as gone:
        qtbot.mouseClick(review.effort.open_button, LEFT)
    assert gone.args == ["Hypotheses", "searches"]
    filled.do(lambda bench: bench.hypotheses.add("The guard used the account."))
    looked = filled.workbench.plans.effort()[0].passages
    uneven = f"H3 had {looked} fewer passages looked at than H1."
    qtbot.waitUntil(lambda: review.effort.summary.text() == uneven)
    qtbot.mouseClick(review.effort.even_button, LEFT)
    qtbot.waitUntil(lambda: len({e.passages for e in filled.workbench.plans.effort()}) == 1)
    qtbot.waitUntil(lambda: review.finder.task is None)


def test_the_meter_of_nothing_says_so(qtbot, styled):
    meter = EffortMeter()
    qtbot.addWidget(meter)
    meter.show_effort([], {}, possible=True)
    assert meter.summary.text() == "No search was run yet."
    assert not meter.even_button.isVisible()


# --- what was missed -------------------------------------------------------------------------------------------------


@pytest.fixture
def sample(screen, planned, filled, qtbot):
    filled.do(lambda bench: bench.review.propose(passages=1))
    qtbot.keyClick(screen, Key.Key_M, Modifier.ControlModifier | Modifier.ShiftModifier)
    sample = planned.sample
    qtbot.waitUntil(lambda: sample.current() is not None and sample.hasFocus())
    qtbot.waitUntil(lambda: "It is not known yet" in sample.estimate.text())
    return sample


def test_a_sample_is_judged_by_keys_and_estimates_what_was_missed(sample, filled, qtbot):
    first, second = sample.chunks[:2]
    text = sample.passage.text()
    assert text == " ".join(first.text.split())
    qtbot.keyClick(sample, Key.Key_Y)
    qtbot.keyClick(sample, Key.Key_N)
    judgements = {judgement.chunk: judgement.relevant for judgement in filled.workbench.plans.relevances("H1")}
    assert judgements == {first.id: True, second.id: False}
    qtbot.waitUntil(lambda: "2 of " in sample.estimate.text())
    assert "Of what bears on H1, probably" in sample.estimate.text()
    qtbot.keyClick(sample, Key.Key_U)
    assert [judgement.chunk for judgement in filled.workbench.plans.relevances("H1")] == [first.id]
    assert sample.current() == second


def test_a_passage_that_bears_on_it_becomes_evidence_by_one_key(sample, filled, qtbot):
    chunk = sample.current()
    qtbot.keyClick(sample, Key.Key_A)
    [evidence] = filled.workbench.evidence.all()
    assert evidence.quote == chunk.text.strip()
    assert [judgement.relevant for judgement in filled.workbench.plans.relevances("H1")] == [True]
    qtbot.keyClick(sample, Key.Key_U)
    assert filled.workbench.evidence.all() == []
    assert filled.workbench.plans.relevances("H1") == []
    assert sample.current() == chunk


def test_its_page_opens_and_escape_goes_back(sample, screen, qtbot):
    chunk = sample.current()
    with qtbot.waitSignal(screen.show_source) as signal:
        qtbot.keyClick(sample, Key.Key_O)
    assert signal.args == [chunk.document, chunk.page, chunk.start, chunk.end]
    qtbot.keyClick(sample, Key.Key_Escape)
    assert not screen.searches.sampling()
    assert screen.searches.table.hasFocus()


def test_the_end_of_the_sample_says_so(sample, filled, qtbot):
    for _ in list(sample.chunks):
        qtbot.keyClick(sample, Key.Key_N)
    assert "are judged" in sample.passage.text()
    assert sample.more_button.isVisible()
    qtbot.mouseClick(sample.more_button, LEFT)
    qtbot.waitUntil(lambda: "Every passage has been looked at or judged" in sample.passage.text())


def test_the_keys_of_the_sample_mean_nothing_elsewhere(screen, planned, filled, qtbot):
    assert not any(action.isEnabled() for action in screen.sample_actions)
    screen.show_part("hypotheses")
    field = screen.findChild(QLineEdit)
    field.setFocus()
    qtbot.keyClicks(field, "ynaou")
    assert field.text() == "ynaou"
    assert filled.workbench.plans.relevances() == []


def test_a_hypothesis_that_goes_takes_its_sample_with_it(sample, screen, filled):
    filled.do(lambda bench: bench.hypotheses.remove("H1"))
    assert not screen.searches.sampling()
    assert {row.hypothesis.id for row in screen.searches.model.rows} == {"H2"}


def test_another_case_shows_nothing_of_the_one_before(sample, screen, filled, tmp_path):
    assert filled.create(tmp_path / "next.disconfirm", title="Next")
    assert not screen.searches.sampling()
    assert screen.searches.model.rows == []


def test_rows_of_nothing_are_headings_only(filled):
    hypotheses = filled.workbench.hypotheses.all()
    assert [row.query for row in plan_rows(hypotheses, [], [])] == [None, None]


def test_a_case_open_for_reading_only_shows_its_searches_and_changes_nothing(planned, filled, monkeypatch, qtbot):
    monkeypatch.setattr(type(filled), "read_only", property(lambda _self: True))
    filled.changed.emit(EVERYTHING, None)
    position = filled.workbench.case.position()
    for part in (planned.field, planned.plan_button, planned.find_button, planned.add_button):
        assert not part.isEnabled()
    assert not planned.model.flags(planned.model.index(1, PlanModel.WORDS)) & Qt.ItemFlag.ItemIsEditable
    planned.make_plans()
    planned.find_evidence()
    planned.remove()
    assert filled.workbench.case.position() == position
    assert planned.table.isVisible()


def test_a_search_that_is_cancelled_keeps_what_was_judged(planned, filled, qtbot):
    from dataclasses import replace

    from tests.gui_app.review.test_screen import HeldJudge

    judge = HeldJudge()
    filled.workbench.engines = replace(filled.workbench.engines, judge=judge)
    qtbot.mouseClick(planned.find_button, LEFT)
    qtbot.waitUntil(judge.waiting.is_set)
    assert not planned.plan_button.isHidden()
    assert planned.find_button.isHidden()
    filled.changed.emit(Changes(proposals=True), None)
    assert planned.meter.summary.text().startswith("Finding evidence:")
    assert planned.meter.model.index(0, EffortModel.SEARCHES).data() == "running"
    qtbot.mouseClick(planned.stop_button, LEFT)
    judge.go_on.set()
    qtbot.waitUntil(lambda: planned.find_button.isVisible())
    assert planned.note.text() == ""
    assert "running" not in planned.meter.as_text()
    assert planned.stop_button.isHidden()


def test_nobody_is_behind_while_evidence_is_still_being_found_wherever_that_was_begun(planned, filled, qtbot):
    from dataclasses import replace

    from tests.gui_app.review.test_screen import HeldJudge

    review = ReviewScreen(filled)
    qtbot.addWidget(review)
    review.show()
    judge = HeldJudge()
    filled.workbench.review.propose(["H1"], passages=2)
    filled.workbench.engines = replace(filled.workbench.engines, judge=judge)
    filled.changed.emit(Changes(proposals=True), None)
    qtbot.waitUntil(lambda: "fewer passages looked at than H1" in review.effort.summary.text())
    qtbot.mouseClick(planned.find_button, LEFT)  # begun on the other screen
    qtbot.waitUntil(judge.waiting.is_set)
    filled.changed.emit(Changes(proposals=True), None)
    qtbot.waitUntil(lambda: review.effort.summary.text().startswith("Finding evidence:"))
    assert not review.effort.summary.property("tone")
    assert review.effort.even_button.isHidden()
    qtbot.mouseClick(planned.stop_button, LEFT)
    judge.go_on.set()
    qtbot.waitUntil(lambda: "fewer passage" in review.effort.summary.text())
