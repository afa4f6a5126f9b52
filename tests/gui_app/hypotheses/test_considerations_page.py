"""What is kept in mind beside the matrix, by real keys: null and deception, assumptions, indicators, absence."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

from core.domain import Absence
from gui_app import window_state
from gui_app.hypotheses.expectations_page import not_found
from gui_app.hypotheses.hypotheses_model import KIND, PRIOR, HypothesesModel
from gui_app.hypotheses.indicator_watch import watch_of
from gui_app.hypotheses.screen import HypothesesScreen
from gui_app.search.screen import SearchScreen
from gui_app.session import CaseSession
from gui_app.shared.cell_editor import TextEditor
from tests.gui_app.conftest import complaints
from tests.gui_app.small_case import put_on_show

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def screen(filled, qtbot):
    screen = HypothesesScreen(filled)
    put_on_show(qtbot, screen)
    return screen


def turn_to(screen, qtbot, name):
    for _ in range(7):
        if screen.page() == name:
            return screen.stack.currentWidget()
        qtbot.keyClick(screen, Qt.Key.Key_PageDown, CONTROL)
    raise AssertionError(f"no page {name}")


def choose(qtbot, choice, *keys):
    """Keys in the list of a choice, then Enter."""
    qtbot.waitUntil(lambda: choice.view().isVisible())
    for key in (*keys, Qt.Key.Key_Return):
        qtbot.keyClick(choice.view(), key)
    QTest.qWait(1)  # the choice is kept when the list is gone


# --- null and deception -----------------------------------------------------------------------------------------------


def test_a_null_and_then_a_deception_hypothesis_are_asked_for(screen, filled, qtbot):
    assert "nothing out of the ordinary" in screen.rivals.advice.text()
    qtbot.mouseClick(screen.rivals.prompt_button, Qt.MouseButton.LeftButton)
    assert screen.field.hasFocus()
    assert screen.field.selectedText() == screen.field.text() != ""
    qtbot.keyClicks(screen.field, "It was chance.")  # the words offered are typed over
    qtbot.keyClick(screen.field, Qt.Key.Key_Return)
    assert [(h.text, h.kind) for h in filled.workbench.hypotheses.all()][2] == ("It was chance.", "null")
    assert "mislead" in screen.rivals.advice.text()
    assert screen.rivals.kind_choice.currentData() == ""  # the next one is a rival again
    filled.undo()
    assert len(filled.workbench.hypotheses.all()) == 2
    assert "nothing out of the ordinary" in screen.rivals.advice.text()


def test_a_prompt_can_be_declined_for_good(screen, filled, qtbot):
    qtbot.mouseClick(screen.rivals.decline_button, Qt.MouseButton.LeftButton)
    assert "mislead" in screen.rivals.advice.text()
    screen.rivals.decline_button.setFocus()
    qtbot.keyClick(screen.rivals.decline_button, Qt.Key.Key_Space)
    assert screen.rivals.prompt_button.isHidden()
    assert "exclude each other" in screen.rivals.advice.text()
    assert window_state.marks(filled.workbench.path, "declined") == {"null", "deception"}


def test_the_kind_is_changed_in_the_table_by_keyboard(screen, filled, qtbot):
    screen.table.setFocus()
    screen.table.setCurrentIndex(screen.model.index(1, 1))
    qtbot.keyClick(screen.table, Qt.Key.Key_T, CONTROL)
    choice = screen.table.findChild(QComboBox)
    assert choice.accessibleName() == "Kind of H2"
    choose(qtbot, choice, Qt.Key.Key_Down, Qt.Key.Key_Down)
    assert [h.kind for h in filled.workbench.hypotheses.all()] == ["", "deception"]
    qtbot.waitUntil(screen.table.hasFocus)
    assert screen.table.currentIndex().row() == 1
    assert screen.model.index(1, KIND).data() == "Deception"
    filled.undo()
    assert [h.kind for h in filled.workbench.hypotheses.all()] == ["", ""]


# --- priors -----------------------------------------------------------------------------------------------------------


def test_priors_are_scaled_to_one_and_taken_away_again(screen, filled, qtbot):
    assert screen.table.isColumnHidden(PRIOR)
    qtbot.keyClick(screen, Qt.Key.Key_P, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    first = screen.rivals.priors.fields["H1"]
    assert first.hasFocus()
    assert first.value() == 50
    first.selectAll()
    qtbot.keyClicks(first, "60\t")
    second = screen.rivals.priors.fields["H2"]
    second.selectAll()
    qtbot.keyClicks(second, "20\t")
    assert screen.rivals.priors.sum.text() == "Sum 80.0%; scaled to 100%: H1 75.0, H2 25.0"
    screen.rivals.priors.keep_button.setFocus()
    qtbot.keyClick(screen.rivals.priors.keep_button, Qt.Key.Key_Space)
    assert [h.prior for h in filled.workbench.hypotheses.all()] == [0.75, 0.25]
    assert screen.model.index(0, PRIOR).data() == "75.0%"
    assert not screen.table.isColumnHidden(PRIOR)
    qtbot.mouseClick(screen.rivals.priors.clear_button, Qt.MouseButton.LeftButton)
    assert [h.prior for h in filled.workbench.hypotheses.all()] == [None, None]
    filled.undo()
    assert [h.prior for h in filled.workbench.hypotheses.all()] == [0.75, 0.25]


def test_a_hypothesis_that_comes_later_is_named_as_having_no_prior(screen, filled):
    filled.do(lambda bench: bench.hypotheses.set_priors({"H1": 0.8, "H2": 0.2}))
    filled.do(lambda bench: bench.hypotheses.add("It was chance."))
    screen.show_part("priors")
    assert "H3 has none yet" in screen.rivals.priors.sum.text()


# --- assumptions and a premortem --------------------------------------------------------------------------------------


def test_an_assumption_is_written_reworded_ticked_off_and_removed_by_keyboard(screen, filled, qtbot):
    page = turn_to(screen, qtbot, "assumptions")
    assert page.pages.currentWidget() is page.empty
    assert page.field.hasFocus()
    qtbot.keyClicks(page.field, "The clock was right.")
    page.about.choose("H2")
    qtbot.keyClick(page.field, Qt.Key.Key_Return)
    [row] = filled.workbench.hypotheses.considerations()
    assert (row.kind, row.text, row.hypothesis, row.status) == ("assumption", "The clock was right.", "H2", "open")
    assert screen.tabs.tabText(1) == "Assumptions 1"

    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    editor = page.table.findChild(TextEditor)
    qtbot.keyClicks(editor, "The clock was slow.")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert filled.workbench.hypotheses.considerations()[0].text == "The clock was slow."
    qtbot.waitUntil(page.table.hasFocus)
    qtbot.keyClick(page.table, Qt.Key.Key_Space)
    assert filled.workbench.hypotheses.considerations()[0].status == "done"
    assert screen.tabs.tabText(1) == "Assumptions"  # what is ticked off is not counted
    qtbot.keyClick(page.table, Qt.Key.Key_Delete)
    assert filled.workbench.hypotheses.considerations() == []
    for _ in range(3):
        filled.undo()
    assert filled.workbench.hypotheses.considerations()[0].text == "The clock was right."
    assert screen.model.rows  # the hypotheses themselves are untouched
    assert [h.id for h in filled.workbench.hypotheses.all()] == ["H1", "H2"]


def test_what_it_is_about_is_chosen_in_the_table(screen, filled, qtbot):
    filled.do(lambda bench: bench.hypotheses.add_consideration("premortem", "The log was cleaned."))
    page = turn_to(screen, qtbot, "premortem")
    page.table.setFocus()
    page.table.setCurrentIndex(page.model.index(0, page.model.ABOUT))
    qtbot.keyClick(page.table, Qt.Key.Key_F2)
    choice = page.table.findChild(QComboBox)
    assert [choice.itemText(index)[:2] for index in range(choice.count())] == ["Th", "H1", "H2"]
    choose(qtbot, choice, Qt.Key.Key_Down)
    assert filled.workbench.hypotheses.considerations()[0].hypothesis == "H1"


def test_a_refused_rewording_stays_in_the_editor(screen, filled, qtbot):
    filled.do(lambda bench: bench.hypotheses.add_consideration("assumption", "The clock was right."))
    errors = complaints(filled)
    page = turn_to(screen, qtbot, "assumptions")
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    editor = page.table.findChild(TextEditor)
    editor.clear()
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert errors
    assert filled.workbench.hypotheses.considerations()[0].text == "The clock was right."
    qtbot.waitUntil(lambda: page.table.findChild(TextEditor) is not None)


def test_markup_and_very_long_texts_stay_what_they_are(screen, filled, qtbot):
    page = turn_to(screen, qtbot, "assumptions")
    text = "<b>bold</b> & " + "a very long assumption " * 400
    page.field.setText(text)
    qtbot.keyClick(page.field, Qt.Key.Key_Return)
    assert filled.workbench.hypotheses.considerations()[0].text == " ".join(text.split())
    assert page.model.index(0, 0).data().startswith("<b>bold</b>")
    assert page.model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole).startswith("<span>&lt;b>bold")
    assert page.table.rowHeight(0) < 200  # it does not push everything else out of sight
    mixed = "שלום \u0007 عالم"
    page.field.setText(mixed)
    qtbot.keyClick(page.field, Qt.Key.Key_Return)
    assert filled.workbench.hypotheses.considerations()[1].text == mixed
    assert not page.grab().isNull()


# --- indicators -------------------------------------------------------------------------------------------------------


def test_an_indicator_flags_a_new_document_and_shows_the_passage(screen, filled, tmp_path, qtbot):
    page = turn_to(screen, qtbot, "indicators")
    qtbot.keyClicks(page.field, "The vendor admits it")
    qtbot.keyClick(page.field, Qt.Key.Key_Return)
    assert filled.workbench.hypotheses.considerations() == []  # no search yet: what was typed is offered as one
    assert page.query.hasFocus()
    assert page.query.text() == "The vendor admits it"
    qtbot.keyClicks(page.query, "shared password vendor")
    qtbot.keyClick(page.query, Qt.Key.Key_Return)
    [indicator] = filled.workbench.hypotheses.considerations("indicator")
    assert indicator.query == "shared password vendor"
    watch = watch_of(filled)
    qtbot.waitUntil(lambda: not watch.running and not watch._soon.isActive())
    assert watch.hits == ()  # what was there before is no news
    assert page._found_head.text() == "Nothing new since it was last looked at."

    messages = []
    filled.told.connect(lambda text, undo: messages.append((text, undo)))
    (tmp_path / "letter.txt").write_text("We admit that the shared password of the vendor was on a note.", "utf-8")
    report = filled.do(lambda bench: bench.documents.add([tmp_path / "letter.txt"]))
    filled.imported.emit(report)
    qtbot.waitUntil(lambda: len(watch.hits) == 1)
    assert ("1 new document found by the indicator “The vendor admits it”", False) in messages
    assert screen.tabs.tabText(3) == "Indicators 1 · 1 new"
    assert page.model.index(0, page.model.NEW).data() == "1 document"
    assert page.hits.count() == 1

    page.hits.setFocus()
    page.hits.setCurrentRow(0)
    with qtbot.waitSignal(screen.show_source) as signal:
        qtbot.keyClick(page.hits, Qt.Key.Key_Return)
    hit = watch.hits[0]
    assert signal.args == [hit.document, hit.page, hit.start, hit.end]
    assert filled.workbench.documents.page(hit.document, hit.page).text[hit.start : hit.end] == hit.text

    page.seen_button.setFocus()
    qtbot.keyClick(page.seen_button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: watch.hits == ())
    assert screen.tabs.tabText(3) == "Indicators 1"
    assert page.hits.isHidden()


def test_an_indicator_that_is_ticked_off_is_not_watched(screen, filled, tmp_path, qtbot):
    filled.do(lambda bench: bench.hypotheses.add_consideration("indicator", "A letter", query="letter vendor password"))
    watch = watch_of(filled)
    (tmp_path / "letter.txt").write_text("A letter on the password of the vendor.", "utf-8")
    filled.do(lambda bench: bench.documents.add([tmp_path / "letter.txt"]))
    qtbot.waitUntil(lambda: len(watch.hits) == 1)
    page = turn_to(screen, qtbot, "indicators")
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: watch.hits == ())
    assert page._found_head.text() == "Ticked off: it is no longer watched."


def test_a_case_without_indicators_searches_nothing(filled, qtbot, monkeypatch):
    checks = []
    monkeypatch.setattr(type(filled.workbench.hypotheses), "check_indicators", lambda self: checks.append(True) or ())
    watch = watch_of(filled)
    assert watch_of(filled) is watch
    watch.check()
    filled.do(lambda bench: bench.hypotheses.add("It was chance."))
    QTest.qWait(500)
    assert checks == []


def test_another_case_has_no_news_of_the_one_before(screen, filled, tmp_path, qtbot):
    filled.do(lambda bench: bench.hypotheses.add_consideration("indicator", "A letter", query="letter vendor password"))
    (tmp_path / "letter.txt").write_text("A letter on the password of the vendor.", "utf-8")
    filled.do(lambda bench: bench.documents.add([tmp_path / "letter.txt"]))
    watch = watch_of(filled)
    qtbot.waitUntil(lambda: len(watch.hits) == 1)
    assert filled.create(tmp_path / "other.disconfirm")
    assert watch.hits == ()
    assert screen.page() == "hypotheses"
    assert all(page.model.rows == [] for page in screen.consideration_pages.values())


# --- what is expected and not found -----------------------------------------------------------------------------------


def test_what_is_not_found_becomes_a_row_with_its_searches(screen, filled, qtbot):
    screen.table.setFocus()
    screen.table.setCurrentIndex(screen.model.index(1, 1))
    qtbot.keyClick(screen.table, Qt.Key.Key_L, CONTROL)
    page = screen.expectations
    assert screen.page() == "expected"
    assert page.about.chosen() == "H2"  # the hypothesis in hand
    qtbot.keyClicks(page.field, "An entry of the firewall")
    qtbot.keyClick(page.field, Qt.Key.Key_Return)
    assert page.queries.hasFocus()
    assert page.queries.toPlainText() == "An entry of the firewall"  # offered, to be typed over
    qtbot.keyClicks(page.queries, "firewall entry")
    qtbot.keyClick(page.queries, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(page.queries, "vendor account night")
    assert page.absences.count() == 0
    qtbot.keyClick(page.queries, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(page.results))
    assert [result.query for result in page.results] == ["firewall entry", "vendor account night"]
    assert page.hits.count() > 0
    assert "Read them" in page.summary.text()
    assert filled.workbench.evidence.all() == []  # searching records nothing

    qtbot.keyClick(page.hits, Qt.Key.Key_Return, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: page.absences.count() == 1)
    [row] = filled.workbench.evidence.all()
    assert (row.kind, row.text, row.absence.hypothesis) == ("absence", "An entry of the firewall", "H2")
    assert row.absence.queries == ("firewall entry", "vendor account night")
    line = page.absences.item(0).text()
    assert f"searched {row.absence.passages} passages in 3 documents; not found" in line
    assert page.field.text() == ""
    assert screen.tabs.tabText(4) == "Missing evidence 1"
    filled.do(lambda bench: bench.evidence.rate(row.id, "H2", "I"))  # rated like any other
    assert filled.workbench.matrix.compute().rows[0].ratings == {"H2": "I"}
    filled.undo()
    filled.undo()
    assert filled.workbench.evidence.all() == []
    assert page.absences.count() == 0


def test_what_is_found_after_all_is_added_as_evidence(screen, filled, qtbot):
    page = turn_to(screen, qtbot, "expected")
    qtbot.keyClicks(page.field, "The guard saw a technician")
    qtbot.keyClick(page.field, Qt.Key.Key_Return)
    qtbot.keyClick(page.queries, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.hits.count() > 0)
    with qtbot.waitSignal(screen.show_source):
        qtbot.keyClick(page.hits, Qt.Key.Key_Return)
    qtbot.mouseClick(page.keep_button, Qt.MouseButton.LeftButton)
    [row] = filled.workbench.evidence.all()
    assert row.absence is None
    assert "technician" in row.quote
    qtbot.keyClick(page.hits, Qt.Key.Key_Escape)
    assert page.hits.isHidden()
    assert page.field.hasFocus()


def test_the_searches_of_a_recorded_row_are_run_again(screen, filled, qtbot):
    filled.do(lambda bench: bench.evidence.add_absence("H2", "An entry of the firewall", ["firewall entry"]))
    page = turn_to(screen, qtbot, "expected")
    assert page.absences.count() == 1
    page.again_button.setFocus()
    qtbot.keyClick(page.again_button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: bool(page.results))
    assert page.request() == ("H2", "An entry of the firewall", ("firewall entry",))


def test_nothing_can_be_expected_without_a_hypothesis(case, qtbot):
    screen = HypothesesScreen(case)
    qtbot.addWidget(screen)
    screen.show()
    screen.show_part("expected")
    assert not screen.expectations.search_button.isEnabled()
    screen.expectations.field.setText("A letter")
    screen.expectations.queries.setPlainText("letter")
    messages = []
    case.status.connect(messages.append)
    screen.expectations.search()
    assert "hypothesis first" in messages[-1]
    assert screen.expectations.results == ()


def test_the_words_say_what_was_done_and_no_more():
    absent = not_found(Absence("H1", ("a",), "2026-01-02T03:04:05.000Z", documents=1, passages=400))
    assert absent == "searched 400 passages in 1 document; not found"
    partial = not_found(Absence("H1", ("a",), "2026-01-02T03:04:05.000Z", documents=2, passages=30, found=2))
    assert partial == "searched 30 passages in 2 documents; 2 of them were added as evidence"


# --- all of it --------------------------------------------------------------------------------------------------------


def test_a_case_for_viewing_only_can_be_read_and_not_changed(filled, engines, tmp_path, qtbot, monkeypatch):
    filled.do(lambda bench: bench.hypotheses.add_consideration("assumption", "The clock was right."))
    filled.do(lambda bench: bench.hypotheses.add_consideration("indicator", "A letter", query="letter"))
    filled.do(lambda bench: bench.evidence.add_absence("H2", "An entry of the firewall", ["firewall entry"]))
    monkeypatch.setattr(CaseSession, "read_only", property(lambda self: True))
    screen = HypothesesScreen(filled)
    qtbot.addWidget(screen)
    screen.resize(1000, 700)
    screen.show()
    position = filled.workbench.case.position()
    for part in (screen.field, screen.rivals.kind_choice, screen.rivals.prompt_button, screen.rivals.decline_button):
        assert not part.isEnabled()
    screen.show_part("priors")
    assert not screen.rivals.priors.keep_button.isEnabled()
    page = screen.consideration_pages["assumptions"]
    screen.show_part("assumptions")
    assert not page.field.isEnabled()
    page.toggle_done()
    page.remove()
    page.edit_current()
    assert page.table.findChild(TextEditor) is None
    assert not page.model.flags(page.model.index(0, 0)) & Qt.ItemFlag.ItemIsUserCheckable
    screen.show_part("expected")
    screen.expectations.field.setText("A letter")
    screen.expectations.search()  # looking is allowed
    qtbot.waitUntil(lambda: bool(screen.expectations.results))
    assert not screen.expectations.record_button.isEnabled()
    screen.expectations.record()
    assert not screen.remove_action.isEnabled()
    assert filled.workbench.case.position() == position


def test_every_part_of_the_guide_is_a_page_here(screen):
    for part, page in (
        ("", "hypotheses"),
        ("null", "hypotheses"),
        ("deception", "hypotheses"),
        ("priors", "hypotheses"),
        ("assumptions", "assumptions"),
        ("premortem", "premortem"),
        ("indicators", "indicators"),
        ("expected", "expected"),
    ):
        screen.show_part(part)
        assert screen.page() == page


def test_what_a_merge_left_open_has_a_page_only_when_there_is_some(screen, filled, qtbot):
    assert not screen.tabs.isTabVisible(6)
    filled.do(
        lambda bench: bench.hypotheses.add_consideration("conflict", "H1 is worded differently in the other copy.")
    )
    assert screen.tabs.isTabVisible(6)
    page = turn_to(screen, qtbot, "conflicts")
    assert page.table.hasFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_Space)
    assert filled.workbench.hypotheses.considerations()[0].status == "done"


def test_the_table_of_hypotheses_says_each_cell_to_a_screen_reader(filled):
    model = HypothesesModel()
    filled.do(lambda bench: bench.hypotheses.set_kind("H1", "null"))
    model.show(filled.workbench.hypotheses.all())
    assert model.index(0, KIND).data(Qt.ItemDataRole.AccessibleTextRole) == "H1, Kind: Null"


def test_escape_in_the_list_of_kinds_changes_nothing(screen, filled, qtbot):
    position = filled.workbench.case.position()
    screen.table.setFocus()
    screen.table.setCurrentIndex(screen.model.index(0, 1))
    qtbot.keyClick(screen.table, Qt.Key.Key_T, CONTROL)
    choice = screen.table.findChild(QComboBox)
    qtbot.waitUntil(lambda: choice.view().isVisible())
    qtbot.keyClick(choice.view(), Qt.Key.Key_Down)
    qtbot.keyClick(choice.view(), Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: screen.table.findChild(QComboBox) is None)
    assert filled.workbench.case.position() == position


def test_a_search_is_saved_as_an_indicator_by_its_keys(filled, qtbot):
    search = SearchScreen(filled)
    qtbot.addWidget(search)
    search.resize(1000, 700)
    search.show()
    with qtbot.waitActive(search):
        search.activateWindow()
    assert not search.watch_action.isEnabled()
    qtbot.keyClicks(search.field, "shared password")
    qtbot.keyClick(search.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: search.watch_action.isEnabled())
    qtbot.keyClick(search.field, Qt.Key.Key_S, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    [indicator] = filled.workbench.hypotheses.considerations("indicator")
    assert (indicator.text, indicator.query) == ("shared password", "shared password")
    filled.undo()
    assert filled.workbench.hypotheses.considerations() == []


def test_what_came_in_while_the_case_was_closed_is_told_at_opening(filled, tmp_path, qtbot):
    bench = filled.workbench
    bench.hypotheses.add_consideration("indicator", "A letter", query="letter password")
    (tmp_path / "letter.txt").write_text("A letter on the password of the vendor.", "utf-8")
    bench.documents.add([tmp_path / "letter.txt"])
    path = bench.path
    filled.close_case()
    watch_of(filled)
    messages = []
    filled.told.connect(lambda text, undo: messages.append(text))
    assert filled.open(path)
    qtbot.waitUntil(lambda: messages == ["1 new document found by the indicator “A letter”"])


def test_a_record_that_ends_late_leaves_the_next_search_alone(screen, filled, qtbot):
    page = turn_to(screen, qtbot, "expected")
    for text in ("An entry of the firewall", "A mark on the door"):
        page.field.setText(text)
        page.queries.setPlainText(text)
        page.search()
        if text.startswith("An entry"):
            qtbot.waitUntil(lambda: bool(page.results))
            page.record()  # its end is not waited for
    qtbot.waitUntil(lambda: page.absences.count() == 1 and bool(page.results))
    assert page.request()[1] == "A mark on the door"
    assert page.hits.isVisible()
    assert page.record_button.isEnabled()
