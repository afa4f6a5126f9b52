"""The matrix screen under real keys: rating, confirming, clearing, moving, sorting, and what is said aloud."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QHelpEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel, QToolTip

from core import settings
from core.domain import Changes
from core.report import render_markdown
from core.workbench import Workbench
from gui_app.matrix import screen as matrix_screen
from gui_app.matrix import state
from gui_app.matrix.grid_model import CODE, SUGGESTED, is_decided, rating_of
from gui_app.matrix.grid_words import header_tip
from gui_app.matrix.screen import MatrixScreen
from gui_app.shared import theme
from gui_app.shared.selected_cell import Cell
from gui_app.shell.shortcut_sheet import keys_of
from gui_app.shell.window import MainWindow
from tests.gui_app import rated_case
from tests.gui_app.small_case import open_session, put_on_show

Key, Modifier = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def session(qtbot, engines, tmp_path):
    settings.save(settings.Settings(advance=False))  # who goes on by hand; test_copies has the others
    with open_session(engines, tmp_path) as session:
        bench = session.workbench
        contradicting = [p.id for p in bench.verdicts.proposals() if p.verdict.label == "contradicts"]
        bench.review.accept(contradicting[:1], rate=True)
        bench.evidence.add("No tool marks were found on the door.", "own inspection")
        bench.evidence.add("Nobody asked for the recordings before May.")
        yield session


@pytest.fixture
def screen(qtbot, session):
    screen = MatrixScreen(session)
    put_on_show(qtbot, screen, 1200)
    screen.grid.setFocus()
    return screen


def show_view(screen: MatrixScreen, view: str) -> None:
    choice = screen.bar.view_choice
    choice.setCurrentIndex(choice.findData(view))
    choice.activated.emit(choice.currentIndex())


def ratings(session) -> dict[tuple[str, str], str]:
    return {(a.evidence, a.hypothesis): a.rating for a in session.workbench.evidence.assessments()}


@pytest.mark.parametrize(
    ("keys", "rating"),
    [("cc", "CC"), ("c", "C"), ("n", "N"), ("i", "I"), ("ii", "II"), ("na", "NA"), ("IC", "C"), ("ci", "I")],
)
def test_letters_rate(qtbot, screen, session, keys, rating):
    screen.grid.go_to("E2", "H1")
    qtbot.keyClicks(screen.grid, keys)
    qtbot.waitUntil(lambda: ratings(session) == {("E2", "H1"): rating}, timeout=3_000)


def test_a_letter_is_shown_before_it_is_kept(qtbot, screen, session):
    screen.grid.go_to("E2", "H1")
    empty = screen.grid.grab(screen.grid.cell_rect(1, screen.grid.column_of("H1"))).toImage()
    qtbot.keyClick(screen.grid, Key.Key_C)
    assert ratings(session) == {}
    assert "consistent" in screen.grid.cursor_words()
    assert screen.grid.grab(screen.grid.cell_rect(1, screen.grid.column_of("H1"))).toImage() != empty
    qtbot.keyClick(screen.grid, Key.Key_Right)  # moving on keeps it without waiting
    assert ratings(session) == {("E2", "H1"): "C"}


def test_every_letter_is_one_decision(qtbot, screen, session):
    screen.grid.go_to("E2", "H1")
    decisions = len(session.workbench.store.log.entries())
    qtbot.keyClicks(screen.grid, "ii")
    assert ratings(session) == {("E2", "H1"): "II"}
    assert len(session.workbench.store.log.entries()) == decisions + 1


def test_what_is_being_typed_stays_with_its_row(qtbot, screen, session):
    screen.grid.go_to("E2", "H1")
    qtbot.keyClick(screen.grid, Key.Key_C)
    session.do(
        lambda b: b.evidence.describe(["E1"], date="2020")
    )  # read again, the same rows: the second letter still counts
    assert ratings(session) == {}
    qtbot.keyClick(screen.grid, Key.Key_C)
    assert ratings(session) == {("E2", "H1"): "CC"}
    screen.grid.go_to("E3", "H1")
    qtbot.keyClick(screen.grid, Key.Key_I)
    session.do(lambda b: b.evidence.remove("E1"))
    assert ratings(session) == {("E2", "H1"): "CC", ("E3", "H1"): "I"}


def test_digits_rate_at_once(qtbot, screen, session):
    screen.grid.go_to("E3", "H2")
    for key, rating in ((Key.Key_1, "CC"), (Key.Key_2, "C"), (Key.Key_3, "N"), (Key.Key_4, "I"), (Key.Key_5, "II")):
        qtbot.keyClick(screen.grid, key)
        assert ratings(session) == {("E3", "H2"): rating}


def test_delete_clears_and_undo_brings_back(qtbot, screen, session):
    screen.grid.go_to("E2", "H2")
    qtbot.keyClick(screen.grid, Key.Key_4)
    qtbot.keyClick(screen.grid, Key.Key_Delete)
    assert ratings(session) == {}
    session.undo()
    assert ratings(session) == {("E2", "H2"): "I"}
    assert rating_of(screen.grid.code_at("E2", "H2")) == "I"


def test_enter_confirms_the_suggestion_and_only_then_it_counts(qtbot, screen, session):
    (suggestion,) = session.workbench.evidence.suggestions()
    screen.grid.go_to(suggestion.evidence, suggestion.hypothesis)
    cell = (suggestion.evidence, suggestion.hypothesis)
    assert screen.grid.code_at(*cell) == CODE["I"] + SUGGESTED
    assert session.workbench.matrix.compute().unrated == 6
    qtbot.keyClick(screen.grid, Key.Key_Return)
    assert ratings(session) == {(suggestion.evidence, suggestion.hypothesis): "I"}
    assert is_decided(screen.grid.code_at(*cell))
    assert session.workbench.matrix.compute().unrated == 5


def test_a_letter_typed_over_a_suggestion_goes_before_it(qtbot, screen, session):
    (suggestion,) = session.workbench.evidence.suggestions()
    screen.grid.go_to(suggestion.evidence, suggestion.hypothesis)
    qtbot.keyClick(screen.grid, Key.Key_C)
    qtbot.keyClick(screen.grid, Key.Key_Return)
    assert ratings(session) == {(suggestion.evidence, suggestion.hypothesis): "C"}


def test_the_last_cell_confirms_too(qtbot, screen, session):
    (suggestion,) = session.workbench.evidence.suggestions()
    for evidence in ("E2", "E3"):
        session.do(lambda bench, evidence=evidence: bench.evidence.remove(evidence))
    for hypothesis in session.workbench.hypotheses.all():
        if hypothesis.id != suggestion.hypothesis:
            session.do(lambda bench, hypothesis=hypothesis: bench.hypotheses.remove(hypothesis.id))
    screen.grid.go_to(suggestion.evidence, suggestion.hypothesis)
    qtbot.keyClick(screen.grid, Key.Key_Return)
    assert ratings(session) == {(suggestion.evidence, suggestion.hypothesis): "I"}


def test_arrows_tab_home_and_end_move(qtbot, screen):
    grid = screen.grid
    grid.go_to("E1", "H1")
    qtbot.keyClick(grid, Key.Key_Down)
    assert (grid.current_row().id, grid.current_hypothesis().id) == ("E2", "H1")
    qtbot.keyClick(grid, Key.Key_Tab)
    assert grid.current_hypothesis().id == "H2"
    qtbot.keyClick(grid, Key.Key_Tab)
    assert (grid.current_row().id, grid.current_hypothesis().id) == ("E3", "H1")
    qtbot.keyClick(grid, Key.Key_Backtab, Modifier.ShiftModifier)
    assert (grid.current_row().id, grid.current_hypothesis().id) == ("E2", "H2")
    qtbot.keyClick(grid, Key.Key_Home)
    assert grid.current_kind() == "evidence"
    qtbot.keyClick(grid, Key.Key_End)
    assert grid.current_kind() == "diagnosticity"
    qtbot.keyClick(grid, Key.Key_Home, Modifier.ControlModifier)
    assert grid.current_row().id == "E1"
    qtbot.keyClick(grid, Key.Key_PageDown)
    assert grid.current_row().id == "E3"


def test_tab_behind_the_last_cell_leaves_the_grid(qtbot, screen):
    screen.grid.go_to("E3", "H2")
    qtbot.keyClick(screen.grid, Key.Key_Tab)
    assert not screen.grid.hasFocus()


def test_ctrl_tab_leaves_the_grid_from_any_cell(qtbot, screen):
    screen.grid.go_to("E1", "H1")
    qtbot.keyClick(screen.grid, Key.Key_Tab, Modifier.ControlModifier)
    after = screen.focusWidget()
    assert not screen.grid.hasFocus()
    screen.grid.setFocus()
    assert screen.grid.current_row().id == "E1"
    qtbot.keyClick(screen.grid, Key.Key_Backtab, Modifier.ControlModifier | Modifier.ShiftModifier)
    assert not screen.grid.hasFocus()
    assert screen.focusWidget() is not after
    assert ("Leave the grid", "Ctrl+Tab, Ctrl+Shift+Tab") in [(a.text(), keys_of(a)) for a in screen.actions()]


def test_tab_leaves_the_plain_table(qtbot, screen):
    screen._toggle_plain()
    screen.views.plain_table.setFocus()
    qtbot.keyClick(screen.views.plain_table, Key.Key_Tab)
    assert not screen.views.plain_table.hasFocus()


def test_shift_n_finds_the_next_unrated_cell(qtbot, screen, session):
    for evidence in ("E1", "E2"):
        for hypothesis in ("H1", "H2"):
            session.workbench.evidence.rate(evidence, hypothesis, "N")
    session.workbench.evidence.rate("E3", "H1", "C")
    screen.refresh()
    screen.grid.go_to("E1", "H1")
    qtbot.keyClick(screen.grid, Key.Key_N, Modifier.ShiftModifier)
    assert (screen.grid.current_row().id, screen.grid.current_hypothesis().id) == ("E3", "H2")
    qtbot.keyClick(screen.grid, Key.Key_3)
    with qtbot.waitSignal(session.status) as signal:
        qtbot.keyClick(screen.grid, Key.Key_N, Modifier.ShiftModifier)
    assert signal.args == ["Every cell is rated."]


def test_grades_are_typed_in_the_row(qtbot, screen, session):
    grid = screen.grid
    grid.show_columns(frozenset(), frozenset({"credibility", "relevance"}))  # nothing stands there yet
    grid.go_to("E2")
    qtbot.keyClick(grid, Key.Key_Home)
    while grid.current_kind() != "credibility":
        qtbot.keyClick(grid, Key.Key_Right)
    qtbot.keyClick(grid, Key.Key_H)
    qtbot.keyClick(grid, Key.Key_Right)
    qtbot.keyClick(grid, Key.Key_L)
    item = next(item for item in session.workbench.evidence.all() if item.id == "E2")
    assert (item.credibility, item.relevance) == ("H", "L")
    qtbot.keyClick(grid, Key.Key_Delete)
    item = next(item for item in session.workbench.evidence.all() if item.id == "E2")
    assert (item.credibility, item.relevance) == ("H", None)


def test_o_opens_the_page_of_a_quote_and_says_why_it_cannot(qtbot, screen, session):
    item = session.workbench.evidence.all()[0]
    screen.grid.go_to("E1", "H1")
    with qtbot.waitSignal(screen.show_source) as signal:
        qtbot.keyClick(screen.grid, Key.Key_O)
    assert signal.args == [item.document, item.page, item.start, item.end]
    screen.grid.go_to("E2", "H1")
    with qtbot.waitSignal(session.status) as status, qtbot.assertNotEmitted(screen.show_source):
        qtbot.keyClick(screen.grid, Key.Key_O)
    assert "own words" in status.args[0]


def test_space_shows_the_evidence_in_detail(qtbot, screen, session):
    screen.grid.go_to("E1", "H1")
    with qtbot.waitSignal(screen.selected) as signal:
        qtbot.keyClick(screen.grid, Key.Key_Space)
    assert signal.args == [Cell(session.workbench.evidence.all()[0], "H1")]


def test_evidence_in_ones_own_words_is_added_inline(qtbot, screen, session):
    screen.new_row.text.setFocus()
    qtbot.keyClicks(screen.new_row.text, "The key was missing for two days")
    qtbot.keyClicks(screen.new_row.source, "interview")
    qtbot.keyClick(screen.new_row.source, Key.Key_Return)
    item = session.workbench.evidence.all()[-1]
    assert (item.id, item.text, item.source, item.method) == (
        "E4",
        "The key was missing for two days",
        "interview",
        "manual",
    )
    assert screen.grid.current_row().id == "E4"
    assert screen.new_row.text.text() == ""


def test_pieces_of_evidence_are_typed_one_after_the_other(qtbot, screen, session):
    """The field keeps the keys: in the grid the letters of the next sentence would be ratings."""
    former, sort = ratings(session), screen._sort
    screen.new_row.text.setFocus()
    for text in ("The key was missing", "In it was nothing, a cleaner said"):
        qtbot.keyClicks(QApplication.focusWidget(), text)
        qtbot.keyClick(QApplication.focusWidget(), Key.Key_Return)
    assert [item.text for item in session.workbench.evidence.all()[-2:]] == [
        "The key was missing",
        "In it was nothing, a cleaner said",
    ]
    assert QApplication.focusWidget() is screen.new_row.text
    assert screen.new_row.text.text() == ""
    assert not screen.new_row.text.isUndoAvailable()  # Ctrl+Z is for the evidence
    assert (ratings(session), screen._sort) == (former, sort)


def test_removed_evidence_comes_back_with_its_ratings(qtbot, screen, session):
    screen.grid.go_to("E2", "H1")
    qtbot.keyClick(screen.grid, Key.Key_5)
    with qtbot.waitSignal(session.told) as signal:
        qtbot.keyClick(screen.grid, Key.Key_Delete, Modifier.ControlModifier)
    assert signal.args[1] is True
    assert [row.id for row in screen.grid.rows] == ["E1", "E3"]
    session.undo()
    assert ratings(session) == {("E2", "H1"): "II"}
    assert [row.id for row in screen.grid.rows] == ["E1", "E2", "E3"]


def test_the_filter_leaves_rows_with_every_word(qtbot, screen):
    qtbot.keyClicks(screen.filter_bar.field, "tool door")
    qtbot.waitUntil(lambda: [row.id for row in screen.grid.rows] == ["E2"])
    assert screen.bar.count.text().startswith("1 of 3 rows")


def test_sorting_keeps_the_cursor_on_its_row(qtbot, screen):
    grid = screen.grid
    for evidence, keys in (("E1", "33"), ("E2", "15"), ("E3", "24")):
        grid.go_to(evidence, "H1")
        qtbot.keyClick(grid, keys[0])
        grid.go_to(evidence, "H2")
        qtbot.keyClick(grid, keys[1])
    qtbot.keyClick(grid, Key.Key_D)
    assert [row.id for row in grid.rows] == ["E2", "E3", "E1"]
    assert grid.current_row().id == "E3"
    assert grid.sheet.dull[grid.order[2]]
    qtbot.keyClick(grid, Key.Key_D, Modifier.ShiftModifier)
    assert [row.id for row in grid.rows] == ["E1", "E2", "E3"]


def test_a_click_puts_the_cursor_on_the_cell(qtbot, screen):
    grid = screen.grid
    box = grid.cell_rect(1, grid.column_of("H2"))
    qtbot.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
    assert (grid.current_row().id, grid.current_hypothesis().id) == ("E2", "H2")


def test_rows_keep_their_places_while_they_are_rated(qtbot, screen, session):
    grid = screen.grid
    qtbot.keyClick(grid, Key.Key_D)
    order = [row.id for row in grid.rows]
    last = order[-1]
    for hypothesis, key in (("H1", Key.Key_1), ("H2", Key.Key_5)):
        grid.go_to(last, hypothesis)
        qtbot.keyClick(grid, key)
    qtbot.waitUntil(lambda: grid.sheet.diagnosticity(grid.order[-1]) == 2.0)
    assert [row.id for row in grid.rows] == order
    qtbot.keyClick(grid, Key.Key_D)
    assert grid.rows[0].id == last


def test_a_burst_of_ratings_is_scored_once(qtbot, screen, session, monkeypatch):
    scored = []
    matrix = session.workbench.matrix.compute
    monkeypatch.setattr(session.workbench.matrix, "compute", lambda view: scored.append(view) or matrix(view))
    screen.grid.go_to("E1", "H1")
    for key in (Key.Key_1, Key.Key_2, Key.Key_3, Key.Key_4, Key.Key_5):
        qtbot.keyClick(screen.grid, key)
        qtbot.keyClick(screen.grid, Key.Key_Tab)
    assert len(ratings(session)) == 5
    assert scored == []
    assert [rating_of(code) for code in screen.grid.sheet.codes][:5] == ["CC", "C", "N", "I", "II"]
    qtbot.waitUntil(lambda: screen.bar.count.text() == "3 rows · 1 cell unrated")
    assert scored == ["group"]


def test_what_the_analysis_names_is_shown_even_where_the_filter_hides_it(qtbot, screen):
    screen.filter_bar.field.setText("tool door")
    qtbot.waitUntil(lambda: len(screen.grid.rows) == 1)
    screen.analysis.chosen.emit("E3", "H2")
    assert (screen.grid.current_row().id, screen.grid.current_hypothesis().id) == ("E3", "H2")
    assert screen.filter_bar.field.text() == ""
    screen.analysis.chosen.emit("", "H1")
    assert (screen.grid.current_row().id, screen.grid.current_hypothesis().id) == ("E3", "H1")


def test_the_plain_table_says_the_same_aloud(qtbot, screen):
    screen.grid.go_to("E2", "H1")
    qtbot.keyClick(screen.grid, Key.Key_4)
    assert screen.grid.accessibleDescription() == "Evidence E2, hypothesis H1: inconsistent, confirmed by you"
    qtbot.keyClick(screen.grid, Key.Key_T, Modifier.ControlModifier)
    assert screen.views.currentWidget() is screen.views.plain_table
    words = screen.views.table.index(1, 7).data(Qt.ItemDataRole.AccessibleTextRole)
    assert words == "Evidence E2, hypothesis H1: inconsistent, confirmed by you"
    suggested = screen.views.table.index(0, 7).data(Qt.ItemDataRole.AccessibleTextRole)
    assert suggested.endswith("suggested by the model, not confirmed") or suggested.endswith("not rated")


def test_without_rows_the_review_is_the_next_step(qtbot, session):
    screen = MatrixScreen(session)
    put_on_show(qtbot, screen)
    assert not screen.no_rows.isVisible()
    for row in session.workbench.evidence.all():
        session.do(lambda bench, row=row: bench.evidence.remove(row.id))
    screen.refresh()
    assert screen.no_rows.isVisible()
    with qtbot.waitSignal(screen.go) as signal:
        screen.no_rows.button.click()
    assert signal.args == ["Review"]


def test_without_hypotheses_the_next_step_is_named(qtbot, session):
    for hypothesis in session.workbench.hypotheses.all():
        session.workbench.hypotheses.remove(hypothesis.id)
    screen = MatrixScreen(session)
    put_on_show(qtbot, screen)
    assert screen.stack.currentWidget() is screen.empty
    with qtbot.waitSignal(screen.go) as signal:
        screen.empty.button.click()
    assert signal.args == ["Hypotheses"]


# --- selecting, filling, pasting -------------------------------------------------------------------------------------


def select(qtbot, grid, first: tuple[str, str], right: int = 0, down: int = 0) -> None:
    """Select by real keys."""
    grid.go_to(*first)
    for _ in range(right):
        qtbot.keyClick(grid, Key.Key_Right, Modifier.ShiftModifier)
    for _ in range(down):
        qtbot.keyClick(grid, Key.Key_Down, Modifier.ShiftModifier)


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


def test_typing_rates_the_whole_selection_as_one_decision(qtbot, screen, session):
    decisions = len(session.workbench.store.log.entries())
    select(qtbot, screen.grid, ("E2", "H1"), right=1, down=1)
    qtbot.keyClicks(screen.grid, "ii")
    assert ratings(session) == {(e, h): "II" for e in ("E2", "E3") for h in ("H1", "H2")}
    assert len(session.workbench.store.log.entries()) == decisions + 1
    session.undo()
    assert ratings(session) == {}
    session.redo()
    assert len(ratings(session)) == 4
    qtbot.keyClick(screen.grid, Key.Key_Delete)
    assert ratings(session) == {}
    session.undo()
    assert len(ratings(session)) == 4


def test_shift_and_the_pointer_select(qtbot, screen):
    grid = screen.grid
    places = [grid.cell_rect(row, grid.column_of(h)).center() for row, h in ((0, "H1"), (2, "H2"))]
    qtbot.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=places[0])
    qtbot.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, Modifier.ShiftModifier, pos=places[1])
    assert [row.id for row in grid.selected_rows()] == ["E1", "E2", "E3"]
    assert grid.cursor_words() == "6 cells in 3 rows selected"
    qtbot.keyClick(grid, Key.Key_Escape)
    assert not grid.several()
    qtbot.mousePress(grid.viewport(), Qt.MouseButton.LeftButton, pos=places[0])
    for place in (places[1], QPoint(places[1].x(), grid.viewport().height() + 40)):  # on and beyond the edge
        pulled = QMouseEvent(
            QEvent.Type.MouseMove, place, place, Qt.MouseButton.NoButton, Qt.MouseButton.LeftButton, Modifier.NoModifier
        )
        QApplication.sendEvent(grid.viewport(), pulled)
        assert grid.cursor_words() == "6 cells in 3 rows selected"
    qtbot.mouseRelease(grid.viewport(), Qt.MouseButton.LeftButton, pos=places[1])
    assert grid.several()


def test_shift_with_home_end_and_pages_selects(qtbot, screen):
    grid = screen.grid
    grid.go_to("E2", "H1")
    qtbot.keyClick(grid, Key.Key_End, Modifier.ShiftModifier | Modifier.ControlModifier)
    assert [row.id for row in grid.selected_rows()] == ["E2", "E3"]
    qtbot.keyClick(grid, Key.Key_PageUp, Modifier.ShiftModifier)
    assert [row.id for row in grid.selected_rows()] == ["E1", "E2"]
    qtbot.keyClick(grid, Key.Key_A, Modifier.ControlModifier)
    assert grid.cursor_words() == "6 cells in 3 rows selected"
    qtbot.keyClick(grid, Key.Key_End, Modifier.ControlModifier)
    assert (grid.current_row().id, grid.several()) == ("E3", False)


def test_ctrl_d_fills_down(qtbot, screen, session):
    grid = screen.grid
    grid.go_to("E1", "H1")
    for key in (Key.Key_1, Key.Key_5):
        qtbot.keyClick(grid, key)
        qtbot.keyClick(grid, Key.Key_Right)
    decisions = len(session.workbench.store.log.entries())
    select(qtbot, grid, ("E1", "H1"), right=1, down=2)
    qtbot.keyClick(grid, Key.Key_D, Modifier.ControlModifier)
    assert ratings(session) == {(e, h): r for e in ("E1", "E2", "E3") for h, r in (("H1", "CC"), ("H2", "II"))}
    assert len(session.workbench.store.log.entries()) == decisions + 1
    session.undo()
    grid.go_to("E2", "H2")  # one row takes it from the row above
    qtbot.keyClick(grid, Key.Key_D, Modifier.ControlModifier)
    assert ratings(session)["E2", "H2"] == "II"


def test_a_suggestion_is_never_filled_down_or_copied(qtbot, screen, session):
    (suggestion,) = session.workbench.evidence.suggestions()
    select(qtbot, screen.grid, (suggestion.evidence, suggestion.hypothesis), down=2)
    with qtbot.waitSignal(session.status) as signal:
        qtbot.keyClick(screen.grid, Key.Key_D, Modifier.ControlModifier)
    assert signal.args[0].startswith("Nothing to fill down")
    assert ratings(session) == {}
    qtbot.keyClick(screen.grid, Key.Key_C, Modifier.ControlModifier)
    assert clipboard() == "\n\n"


def test_grades_are_filled_down_too(qtbot, screen, session):
    grid = screen.grid
    grid.show_columns(frozenset(), frozenset({"grade"}))
    grid.go_to("E1", kind="grade")
    qtbot.keyClicks(grid, "b2")
    select(qtbot, grid, ("E1", ""), down=2)
    qtbot.keyClick(grid, Key.Key_D, Modifier.ControlModifier)
    assert {(e.reliability, e.information) for e in session.workbench.evidence.all()} == {("B", "2")}
    grid.go_to("E2", kind="grade")
    qtbot.keyClick(grid, Key.Key_Delete)
    grades = {e.id: f"{e.reliability}{e.information}" for e in session.workbench.evidence.all()}
    assert grades == {"E1": "B2", "E2": "", "E3": "B2"}


def test_copy_and_paste_go_through_a_spreadsheet(qtbot, screen, session):
    grid = screen.grid
    select(qtbot, grid, ("E1", "H1"), right=1, down=2)
    QGuiApplication.clipboard().setText("CC\tII\r\nn/a\tneutral\r\n1\tinconsistent\r\n")
    decisions = len(session.workbench.store.log.entries())
    grid.go_to("E1", "H1")
    qtbot.keyClick(grid, Key.Key_V, Modifier.ControlModifier)
    assert ratings(session) == {
        ("E1", "H1"): "CC",
        ("E1", "H2"): "II",
        ("E2", "H1"): "NA",
        ("E2", "H2"): "N",
        ("E3", "H1"): "CC",
        ("E3", "H2"): "I",
    }
    assert len(session.workbench.store.log.entries()) == decisions + 1
    qtbot.keyClick(grid, Key.Key_C, Modifier.ControlModifier)  # what was pasted is selected
    assert clipboard() == "CC\tII\nNA\tN\nCC\tI"
    session.undo()
    assert ratings(session) == {}


def test_what_is_no_rating_is_named_and_nothing_is_pasted(qtbot, screen, session):
    QGuiApplication.clipboard().setText("C\tmaybe\nI\t\u202e=cmd()\n")
    screen.grid.go_to("E1", "H1")
    qtbot.keyClick(screen.grid, Key.Key_V, Modifier.ControlModifier)
    assert ratings(session) == {}
    message = screen.message.text.text()
    assert screen.message.isVisible()
    assert message.startswith("Nothing was pasted")
    assert "row 1, column 2: “maybe”" in message
    assert "row 2, column 2" in message
    assert "\u202e" not in message
    QGuiApplication.clipboard().setText("C\tI\tN")
    qtbot.keyClick(screen.grid, Key.Key_V, Modifier.ControlModifier)
    assert ratings(session) == {}
    assert "reach beyond" in screen.message.text.text()
    QGuiApplication.clipboard().setText("C\tI")
    qtbot.keyClick(screen.grid, Key.Key_V, Modifier.ControlModifier)
    assert ratings(session) == {("E1", "H1"): "C", ("E1", "H2"): "I"}
    assert not screen.message.isVisible()


def test_one_pasted_rating_fills_the_selection_and_an_empty_one_clears(qtbot, screen, session):
    select(qtbot, screen.grid, ("E1", "H1"), right=1, down=1)
    QGuiApplication.clipboard().setText("NA")
    qtbot.keyClick(screen.grid, Key.Key_V, Modifier.ControlModifier)
    assert list(ratings(session).values()) == ["NA"] * 4
    screen.grid.go_to("E1", "H1")
    QGuiApplication.clipboard().setText("\tC")
    qtbot.keyClick(screen.grid, Key.Key_V, Modifier.ControlModifier)
    assert ratings(session) == {("E1", "H2"): "C", ("E2", "H1"): "NA", ("E2", "H2"): "NA"}


def test_whole_rows_are_copied_with_a_header(qtbot, screen):
    screen.grid.go_to("E2", "H1")
    qtbot.keyClick(screen.grid, Key.Key_4)
    qtbot.keyClick(screen.grid, Key.Key_C, Modifier.ControlModifier | Modifier.ShiftModifier)
    header, line = (text.split("\t") for text in clipboard().split("\n"))
    assert header[:3] == ["Evidence", "Text", "Source"]
    assert header[-3:] == ["H1", "H2", "Diagnosticity"]
    assert line[:3] == ["E2", "No tool marks were found on the door.", "own inspection"]
    assert line[header.index("H1")] == "I"


# --- notes -----------------------------------------------------------------------------------------------------------


def note_of(session, evidence: str, hypothesis: str) -> tuple[str, str]:
    assessment = next(
        a for a in session.workbench.evidence.assessments() if (a.evidence, a.hypothesis) == (evidence, hypothesis)
    )
    return assessment.note, assessment.confidence


def test_enter_opens_the_note_of_a_rated_cell(qtbot, screen, session):
    grid, note = screen.grid, screen.views.note
    grid.go_to("E2", "H1")
    with qtbot.waitSignal(session.status) as signal:
        qtbot.keyClick(grid, Key.Key_Return)  # nothing to say of a cell without a rating
    assert signal.args[0].startswith("Rate the cell first")
    qtbot.keyClick(grid, Key.Key_4)
    qtbot.keyClick(grid, Key.Key_Return)
    assert note.isVisible()
    assert note.text.hasFocus()
    qtbot.keyClicks(note.text, "The seal was broken later")
    qtbot.keyClick(note.text, Key.Key_Tab)
    assert note.buttons[""].hasFocus()
    qtbot.keyClick(note.buttons[""], Key.Key_Right)
    qtbot.keyClick(note.buttons["low"], Key.Key_Space)
    qtbot.keyClick(note.buttons["low"], Key.Key_Return, Modifier.ControlModifier)
    assert not note.isVisible()
    assert grid.hasFocus()
    assert note_of(session, "E2", "H1") == ("The seal was broken later", "low")
    qtbot.waitUntil(lambda: "low confidence" in grid.cursor_words() and "with a note" in grid.cursor_words())


def test_escape_leaves_the_note_as_it_was(qtbot, screen, session):
    grid = screen.grid
    grid.go_to("E2", "H1")
    qtbot.keyClick(grid, Key.Key_4)
    decisions = len(session.workbench.store.log.entries())
    qtbot.keyClick(grid, Key.Key_Return)
    qtbot.keyClicks(screen.views.note.text, "no")
    qtbot.keyClick(screen.views.note.text, Key.Key_Escape)
    assert not screen.views.note.isVisible()
    qtbot.keyClick(grid, Key.Key_Return)
    qtbot.keyClick(screen.views.note.text, Key.Key_Return, Modifier.ControlModifier)  # nothing new, nothing logged
    assert len(session.workbench.store.log.entries()) == decisions
    assert note_of(session, "E2", "H1") == ("", "")


def test_a_click_elsewhere_keeps_a_long_note_with_odd_characters(qtbot, screen, session):
    grid = screen.grid
    grid.go_to("E1", "H1")
    qtbot.keyClick(grid, Key.Key_1)
    qtbot.keyClick(grid, Key.Key_Return)
    long = "אבג \u202e\u0007 <b>bold</b> & more " * 400
    screen.views.note.text.setPlainText(long)
    qtbot.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=grid.cell_rect(2, 0).center())
    assert len(note_of(session, "E1", "H1")[0]) > 10_000
    qtbot.waitUntil(lambda: bool(grid.sheet.assessments))
    assert grid.grab().toImage().width() == grid.width()


def test_source_and_date_are_edited_in_their_place(qtbot, screen, session):
    grid = screen.grid
    grid.show_columns(frozenset(), frozenset({"source", "date"}))
    for kind, text in (("date", "2021-05"), ("source", "The guard")):
        grid.go_to("E2", kind=kind)
        qtbot.keyClick(grid, Key.Key_Return)
        assert screen.views.cell_line.hasFocus()
        screen.views.cell_line.selectAll()
        qtbot.keyClicks(screen.views.cell_line, text)
        qtbot.keyClick(screen.views.cell_line, Key.Key_Return)
        assert grid.hasFocus()
    item = next(e for e in session.workbench.evidence.all() if e.id == "E2")
    assert (item.date, item.source) == ("2021-05", "The guard")
    qtbot.keyClick(grid, Key.Key_Return)
    qtbot.keyClicks(screen.views.cell_line, "x")
    qtbot.keyClick(screen.views.cell_line, Key.Key_Escape)
    assert next(e for e in session.workbench.evidence.all() if e.id == "E2").source == "The guard"


# --- sorting and filtering -------------------------------------------------------------------------------------------


def ids(screen) -> list[str]:
    return [row.id for row in screen.grid.rows]


def test_every_column_sorts_by_a_click_and_by_a_key(qtbot, screen, session):
    grid = screen.grid
    grid.show_columns(frozenset(), frozenset({"source", "date", "grade"}))
    for evidence, date, grade in (("E1", "2021-05-03", "C"), ("E2", "2020", "A"), ("E3", "", "")):
        session.do(lambda b, e=evidence, d=date, g=grade: b.evidence.describe([e], date=d, reliability=g))
        session.do(lambda b, e=evidence: b.evidence.rate(e, "H1", {"E1": "C", "E2": "II", "E3": "N"}[e]))
    wanted = {"date": ["E2", "E1", "E3"], "grade": ["E2", "E1", "E3"], "source": ["E1", "E2", "E3"]}
    for kind, order in wanted.items():
        index = next(n for n, column in enumerate(grid.columns()) if column.kind == kind)
        point = grid.cell_rect(0, index).center()
        point.setY(20)
        qtbot.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=point)
        assert ids(screen) == order, kind
    grid.go_to("E1", "H1")
    qtbot.keyClick(grid, Key.Key_S)
    assert ids(screen) == ["E2", "E3", "E1"]
    qtbot.keyClick(grid, Key.Key_S)
    assert ids(screen) == ["E1", "E3", "E2"]
    assert screen.bar.sort_choice.currentData() == "h:H1"
    grid.go_to("E1", kind="evidence")
    qtbot.keyClick(grid, Key.Key_S)
    assert screen.bar.sort_choice.currentData() == "text"
    qtbot.keyClick(grid, Key.Key_D, Modifier.ShiftModifier)
    assert ids(screen) == ["E1", "E2", "E3"]


def words_in_force(screen) -> list[str]:
    flow = screen.filter_bar.layout()
    return [flow.itemAt(index).widget().text() for index in range(flow.count())]


def test_filters_are_chosen_in_a_menu_and_removed_as_words(qtbot, screen, session):
    session.do(lambda b: b.evidence.rate_many([(e, h, "C") for e in ("E1", "E2") for h in ("H1", "H2")]))
    menu = screen.filter_bar.menu
    menu.aboutToShow.emit()
    next(a for a in menu.actions() if a.text().startswith("Unrated cells")).trigger()
    assert ids(screen) == ["E3"]
    assert words_in_force(screen) == ["Unrated cells"]
    menu.aboutToShow.emit()
    next(a for a in menu.actions() if a.text().startswith("Not diagnostic")).trigger()
    assert ids(screen) == []
    assert words_in_force(screen) == ["Unrated cells", "Not diagnostic", "Clear filters"]
    screen.filter_bar.layout().itemAt(0).widget().click()
    assert ids(screen) == ["E1", "E2"]
    qtbot.keyClick(screen.grid, Key.Key_F, Modifier.ControlModifier | Modifier.ShiftModifier)
    assert ids(screen) == ["E1", "E2", "E3"]
    assert not screen.filter_bar.isVisible()


def test_a_source_is_filtered_and_a_row_rated_under_a_filter_stays(qtbot, screen, session):
    screen.filter_bar.set_source("own inspection")
    assert ids(screen) == ["E2"]
    assert words_in_force(screen) == ["Source: own inspection"]
    screen.filter_bar.clear()
    screen.filter_bar.toggle("unrated")
    screen.grid.go_to("E2", "H1")
    qtbot.keyClick(screen.grid, Key.Key_1)
    qtbot.keyClick(screen.grid, Key.Key_Right)
    qtbot.keyClick(screen.grid, Key.Key_1)
    qtbot.waitUntil(lambda: "4 cells unrated" in screen.bar.count.text())
    assert ids(screen) == ["E1", "E2", "E3"]  # until the person asks again
    screen.filter_bar.toggle("note")
    screen.filter_bar.toggle("note")
    assert ids(screen) == ["E1", "E3"]


def test_rows_where_the_model_differs_are_found(qtbot, screen, session):
    (suggestion,) = session.workbench.evidence.suggestions()
    screen.grid.go_to(suggestion.evidence, suggestion.hypothesis)
    qtbot.keyClick(screen.grid, Key.Key_1)
    assert screen.grid.cursor_words().endswith("the model differs")
    screen.filter_bar.toggle("differs")
    assert ids(screen) == [suggestion.evidence]
    qtbot.keyClick(screen.grid, Key.Key_4)
    screen.filter_bar.toggle("differs")
    screen.filter_bar.toggle("differs")
    assert ids(screen) == []


# --- next unrated, origins, columns ----------------------------------------------------------------------------------


def test_n_finds_the_next_unrated_cell_where_it_is_no_rating(qtbot, screen, session):
    session.do(lambda b: b.evidence.rate_many([("E1", "H1", "C"), ("E1", "H2", "C"), ("E2", "H1", "C")]))
    screen.grid.go_to("E1", kind="evidence")
    qtbot.keyClick(screen.grid, Key.Key_N)
    assert (screen.grid.current_row().id, screen.grid.current_hypothesis().id) == ("E2", "H2")
    assert ("E2", "H2") not in ratings(session)
    qtbot.keyClick(screen.grid, Key.Key_N)  # here it rates
    qtbot.waitUntil(lambda: ratings(session).get(("E2", "H2")) == "N", timeout=3_000)


def test_rows_of_one_origin_are_marked_and_stand_together_only_when_asked(qtbot, screen, session):
    grid = screen.grid
    session.do(lambda b: b.evidence.rate_many([("E1", "H1", "I"), ("E3", "H1", "I"), ("E2", "H2", "I")]))
    session.do(lambda b: b.evidence.describe(["E1", "E3"], upstream="wire"))
    assert ids(screen) == ["E1", "E2", "E3"]
    assert grid.sheet.cluster(0) == grid.sheet.cluster(2) != ""
    screen.bar.sort_choice.setCurrentIndex(screen.bar.sort_choice.findData("upstream"))
    screen.bar.sort_choice.activated.emit(0)
    assert ids(screen) == ["E1", "E3", "E2"]
    select(qtbot, grid, ("E1", "H1"), down=2)
    qtbot.keyClick(grid, Key.Key_G)
    assert {e.upstream for e in session.workbench.evidence.all()} == {"wire"}
    qtbot.keyClick(grid, Key.Key_G, Modifier.ShiftModifier)
    assert {e.upstream for e in session.workbench.evidence.all()} == {""}


def test_chosen_columns_are_there_again_when_the_case_is_opened_again(qtbot, screen, session):
    screen.column_menu.show_column("relevance", False)
    screen.column_menu.show_column("date", True)
    kinds = [column.kind for column in screen.grid.columns()]
    assert "relevance" not in kinds
    assert "date" in kinds
    path = session.workbench.path
    session.close_case()
    screen.grid.show_columns(frozenset(), frozenset())
    session.open(path)
    qtbot.waitUntil(lambda: len(screen.grid.rows) == 3)
    assert [column.kind for column in screen.grid.columns()] == kinds


def test_views_are_gone_through_by_a_key(qtbot, two, screen):
    screen.refresh()
    views = []
    for _ in range(3):
        qtbot.keyClick(screen.grid, Key.Key_V)
        views.append(screen.grid.sheet.view)
    assert sorted(views) == ["Ben", "group", "mine"]


def test_rows_that_say_nothing_are_dimmed_by_choice(qtbot, screen, session):
    assert screen.grid.dims
    qtbot.keyClick(screen.grid, Key.Key_D, Modifier.ControlModifier | Modifier.ShiftModifier)
    assert not screen.grid.dims


def test_back_comes_to_the_cell_again(qtbot, screen):
    screen.grid.go_to("E2", "H2")
    state = screen.state()
    screen.grid.go_to("E1", kind="evidence")
    screen.restore(state)
    assert (screen.grid.current_row().id, screen.grid.current_hypothesis().id) == ("E2", "H2")


def test_a_click_with_the_other_button_offers_what_can_be_done(qtbot, screen):
    grid = screen.grid
    grid.go_to("E1", "H1")
    screen._show_context(grid.cell_rect(1, grid.column_of("H2")).center())
    assert screen._context.isVisible()
    assert (grid.current_row().id, grid.current_hypothesis().id) == ("E2", "H2")
    screen._context.close()
    select(qtbot, grid, ("E1", "H1"), down=1)
    screen._show_context(grid.cell_rect(0, grid.column_of("H1")).center())
    screen._context.close()
    assert grid.several()  # a click inside the selection keeps it


def test_o_opens_the_page_and_back_comes_to_the_cell_again(qtbot, session):
    window = MainWindow(session)
    put_on_show(qtbot, window, 1440, 900)
    window.go("Matrix")
    grid = window.current().grid
    qtbot.waitUntil(lambda: len(grid.rows) == 3)
    grid.go_to("E1", "H2")
    grid.setFocus()
    qtbot.keyClick(grid, Key.Key_O)
    assert window.current().name == "Viewer"
    qtbot.keyClick(window, Key.Key_Left, Modifier.AltModifier)
    assert window.current().name == "Matrix"
    assert (grid.current_row().id, grid.current_hypothesis().id) == ("E1", "H2")
    window.close()


# --- several people --------------------------------------------------------------------------------------------------


@pytest.fixture
def two(session):
    """A colleague has rated two cells; Ada rates next."""
    session.sign_as("Ben")
    session.do(lambda b: b.evidence.rate_many([("E2", "H1", "I"), ("E3", "H1", "C")]))
    session.sign_as("Ada")
    return session


def test_whose_ratings_are_shown_is_chosen(qtbot, two, screen):
    session = two
    screen.refresh()
    assert [screen.bar.view_choice.itemData(index) for index in range(screen.bar.view_choice.count())] == [
        "mine",
        "group",
        "Ben",
    ]
    assert screen.bar.view_choice.currentData() == "group"
    screen.grid.go_to("E2", "H1")
    assert screen.grid.cursor_words() == "Evidence E2, hypothesis H1: inconsistent, confirmed"
    qtbot.keyClicks(screen.grid, "cc")
    qtbot.waitUntil(lambda: "in dispute" in screen.grid.cursor_words())
    screen.filter_bar.toggle("disputed")
    assert ids(screen) == ["E2"]
    screen.filter_bar.clear()
    show_view(screen, "mine")
    assert rating_of(screen.grid.code_at("E2", "H1")) == "CC"
    assert screen.grid.code_at("E3", "H1") == 0
    show_view(screen, "Ben")
    assert rating_of(screen.grid.code_at("E2", "H1")) == "I"
    assert screen.grid.cursor_words().startswith("Evidence E2, hypothesis H1: inconsistent, confirmed by Ben")
    decisions = len(session.workbench.store.log.entries())
    with qtbot.waitSignal(session.status) as signal:
        qtbot.keyClick(screen.grid, Key.Key_1)
    assert "Ben" in signal.args[0]
    assert len(session.workbench.store.log.entries()) == decisions


def test_blind_hides_colleagues_and_the_model_until_ones_own_is_given(qtbot, two, screen):
    session = two
    session.do(lambda b: b.case.change_settings(blind=True))
    screen._state = replace(screen._state, view="")
    screen.refresh()
    assert screen.bar.view_choice.currentData() == "mine"
    (suggestion,) = session.workbench.evidence.suggestions(everything=True)
    assert screen.grid.code_at(suggestion.evidence, suggestion.hypothesis) == 0
    assert screen.bar.view_choice.count() == 1  # the group's ranks would give away what is hidden
    with qtbot.waitSignal(session.status) as signal:  # no other view yet, and a reason
        qtbot.keyClick(screen.grid, Key.Key_V)
    assert "shown when you have rated what they rated" in signal.args[0]
    assert screen.grid.code_at("E2", "H1") == 0
    screen.grid.go_to("E2", "H1")
    qtbot.keyClick(screen.grid, Key.Key_1)
    qtbot.waitUntil(lambda: "in dispute" in screen.grid.cursor_words())
    assert screen.grid.code_at("E3", "H1") == 0
    screen.grid.go_to("E3", "H1")
    qtbot.keyClick(screen.grid, Key.Key_1)
    qtbot.waitUntil(lambda: screen.bar.view_choice.count() == 3)


# --- what if ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def decided(session):
    """E2 speaks against H1, E3 against H2, E1 against H2: H1 leads."""
    session.do(
        lambda b: b.evidence.rate_many(
            [
                ("E1", "H1", "C"),
                ("E1", "H2", "I"),
                ("E2", "H1", "I"),
                ("E2", "H2", "C"),
                ("E3", "H1", "C"),
                ("E3", "H2", "I"),
            ]
        )
    )
    return session


def test_setting_rows_aside_moves_the_ranks_and_stores_nothing(qtbot, decided, screen):
    session = decided
    screen.refresh()
    decisions = len(session.workbench.store.log.entries())
    qtbot.keyClick(screen.grid, Key.Key_W)
    assert screen.what_if_strip.isVisible()
    screen.grid.go_to("E1", "H1")
    qtbot.keyClick(screen.grid, Key.Key_X)
    assert screen.what_if_strip.text.text() == "What if: 1 row set aside. H1 and H2 would share the lead."
    assert [(s.rank, s.new_rank) for s in screen.grid.standings] == [("1", "1="), ("2", "1=")]
    check = screen.grid.cell_rect(2, 0).topLeft()
    check.setX(20)
    check.setY(check.y() + 20)
    qtbot.mouseClick(screen.grid.viewport(), Qt.MouseButton.LeftButton, pos=check)
    assert screen.what_if_strip.text.text() == "What if: 2 rows set aside. H2 would lead."
    assert "set aside" in screen.grid.cursor_words()
    assert len(session.workbench.store.log.entries()) == decisions
    qtbot.mouseClick(screen.what_if_strip.back_button, Qt.MouseButton.LeftButton)
    assert not screen.what_if_strip.isVisible()
    assert [(s.rank, s.new_rank) for s in screen.grid.standings] == [("1", ""), ("2", "")]
    assert len(session.workbench.store.log.entries()) == decisions


def test_a_whole_source_is_set_aside_and_taken_back(qtbot, decided, screen):
    screen.refresh()
    decided.do(lambda b: b.evidence.add("The lock was oiled.", "own inspection"))
    screen.grid.go_to("E2", "H1")
    qtbot.keyClick(screen.grid, Key.Key_X, Modifier.ShiftModifier)
    assert screen.grid.aside == {"E2", "E4"}
    qtbot.keyClick(screen.grid, Key.Key_X, Modifier.ShiftModifier)
    assert screen.grid.aside == frozenset()


def test_what_was_set_aside_is_removed_only_when_confirmed_and_as_one_decision(qtbot, decided, screen):
    session = decided
    screen.refresh()
    decisions = len(session.workbench.store.log.entries())
    select(qtbot, screen.grid, ("E1", "H1"), down=1)
    qtbot.keyClick(screen.grid, Key.Key_X)
    screen.what_if_strip.remove_button.click()
    assert len(session.workbench.evidence.all()) == 3
    screen.what_if_strip.back_button.click()  # keep them
    assert screen.what_if_strip.text.text().startswith("What if: 2 rows set aside.")
    screen.what_if_strip.remove_button.click()
    screen.what_if_strip.remove_button.click()
    assert [e.id for e in session.workbench.evidence.all()] == ["E3"]
    assert len(session.workbench.store.log.entries()) == decisions + 1
    assert not screen.grid.what_if
    session.undo()
    assert len(session.workbench.evidence.all()) == 3
    assert len(ratings(session)) == 6


# --- a large case ----------------------------------------------------------------------------------------------------


@pytest.fixture
def read_again(monkeypatch) -> list[int]:
    """Every matrix counts as large; grows by one whenever the cells are read."""
    readings: list[int] = []
    build = state.build
    monkeypatch.setattr(matrix_screen, "BIG", 0)
    monkeypatch.setattr(state, "build", lambda *arguments, **named: readings.append(1) or build(*arguments, **named))
    return readings


def test_a_large_matrix_is_shown_before_it_is_scored(qtbot, read_again, decided, screen):
    assert ids(screen) == ["E1", "E2", "E3"]
    qtbot.waitUntil(lambda: [s.rank for s in screen.grid.standings] == ["1", "2"])
    read = len(read_again)
    screen.grid.go_to("E2", "H2")
    qtbot.keyClick(screen.grid, Key.Key_5)
    screen.grid.go_to("E1", "H1")
    qtbot.keyClick(screen.grid, Key.Key_5)
    qtbot.keyClick(screen.grid, Key.Key_Down)
    qtbot.keyClick(screen.grid, Key.Key_5)
    qtbot.waitUntil(lambda: [s.score for s in screen.grid.standings] == ["4.00", "4.00"])
    assert len(read_again) == read  # what was rated here is known here
    decided.undo()
    qtbot.waitUntil(lambda: [s.score for s in screen.grid.standings] == ["3.00", "4.00"])
    assert len(read_again) == read + 1
    assert rating_of(screen.grid.code_at("E2", "H1")) == "I"


def test_notes_and_what_if_are_shown_in_a_large_matrix_too(qtbot, read_again, decided, screen):
    qtbot.waitUntil(lambda: screen.grid.standings[0].rank == "1")
    screen.grid.go_to("E1", "H1")
    qtbot.keyClick(screen.grid, Key.Key_1)
    screen._annotate("E1", "H1", "a note", "low")
    qtbot.waitUntil(lambda: screen.grid.cursor_words().endswith("with a note"))
    qtbot.keyClick(screen.grid, Key.Key_X)
    qtbot.waitUntil(lambda: [s.new_rank for s in screen.grid.standings] == ["1=", "1="])
    assert "share the lead" in screen.what_if_strip.text.text()


def test_one_row_is_a_row(screen, session, qtbot):
    session.do(lambda bench: bench.evidence.remove("E2", "E3"))
    qtbot.waitUntil(lambda: screen.bar.count.text().startswith("1 row · "))


def test_a_row_counts_the_same_in_the_grid_and_in_every_report(screen, session, qtbot):
    """A copy that nobody rated yet takes nothing away from the others: three rows, two of which count 1/2."""
    session.do(lambda bench: bench.evidence.describe(["E1", "E2", "E3"], upstream="one wire"))
    bench = session.workbench
    cells = [(assessment.evidence, assessment.hypothesis, None) for assessment in bench.evidence.assessments()]
    hypotheses = [hypothesis.id for hypothesis in bench.hypotheses.all()]
    cells += [(row, h, "I") for row in ("E1", "E2") for h in hypotheses]
    session.do(lambda bench: bench.evidence.rate_many(cells))
    screen.refresh()
    assert [screen._state.sheet.share(row) for row in range(3)] == ["1/2"] * 3
    report = render_markdown(bench.reports.data()).decode()
    assert "1/2 of one" in report
    assert "1/3" not in report
    assert "0.50" not in report.partition("What counts once")[2].partition("##")[0]


def test_the_header_says_on_how_many_rows_a_score_stands(screen, session):
    standing = screen._standings()[0]
    rated = sum("H1" in row.ratings for row in session.workbench.matrix.compute().rows)
    assert standing.coverage == f"{rated} of 3 rated"


def test_what_a_quote_skips_at_a_page_break_is_a_sign_in_its_row_and_words_in_its_tip(qtbot, screen, session, tmp_path):
    head, first, second = "THE GAZETTE\n\n", "The night log says that the lock had been", "changed by a guard in May."
    (tmp_path / "paged.txt").write_text(f"{head}{first}\n\n1\f{head}{second}\n\n2\f{head}The end.\n\n3", "utf-8")
    bench = session.workbench
    bench.documents.add([tmp_path / "paged.txt"])
    (match,) = bench.evidence.check(f"{first} {second}").matches
    session.do(
        lambda bench: bench.evidence.add_quote(
            match.document, match.page, match.start, match.end, more=[(p.page, p.start, p.end) for p in match.more]
        )
    )
    screen.refresh_if_dirty()
    row = screen.grid.rows[-1]
    assert row.text == f"{first} […] {second}"
    screen.grid.go_to(row.id, kind="evidence")
    assert "[…page break, skipped: 1 / THE GAZETTE…]" in screen.grid.cursor_words()
    point = screen.grid.cursor_rect().center()
    viewport = screen.grid.viewport()
    QApplication.sendEvent(viewport, QHelpEvent(QEvent.Type.ToolTip, point, viewport.mapToGlobal(point)))
    assert "1 / THE GAZETTE" in QToolTip.text()
    QToolTip.hideText()


@pytest.fixture
def voted(window, session, engines, tmp_path):
    """The matrix of Ada's window on a case that she, Ben and Cid rated; everyone's ratings are shown."""
    path = tmp_path / "attack.disconfirm"
    rated_case.make(path, engines)
    with Workbench.open(path, engines, who="Cid") as bench:
        bench.evidence.rate_many(rated_case.cells(1, "C I N C"))
    session.sign_as("Ada")
    assert session.open(path)
    window.go("Matrix")
    matrix = window.current()
    assert matrix.bar.view_choice.currentText() == "Everyone"
    matrix.grid.setFocus()
    matrix.grid.go_to("E1", "H1")
    return matrix


def test_a_rating_that_the_others_outvote_says_what_everyone_shows_and_why(qtbot, window, voted, session):
    def group_rating() -> str | None:
        return rating_of(voted.grid.code_at("E1", "H1"))

    message = "Your II is saved; Everyone shows C (2 of 3)."
    qtbot.keyClicks(voted.grid, "ii")
    assert window.toast.isVisible()
    assert window.toast.text() == message
    qtbot.waitUntil(lambda: group_rating() == "C")
    assert "consistent, confirmed, yours is very inconsistent, in dispute" in voted.grid.cursor_words()
    qtbot.waitUntil(lambda: message in [label.text() for label in window.panels.detail.findChildren(QLabel)])
    voted.grid.go_to("E4", "H1")
    qtbot.keyClicks(voted.grid, "ii")  # as Ben rates it: nothing to be said, and the message was of another decision
    assert not window.toast.isVisible()
    voted.grid.go_to("E1", "H1")
    qtbot.keyClick(voted.grid, Key.Key_Delete)
    assert window.toast.text() == "Your rating is cleared; Everyone shows C (2 of 2)."
    window.toast._undo.click()
    assert {(a.by, a.rating) for a in session.workbench.evidence.ratings_of("E1")[0] if a.hypothesis == "H1"} == {
        ("Ada", "II"), ("Ben", "C"), ("Cid", "C")
    }  # fmt: skip


def test_several_ratings_at_once_say_in_how_many_cells_everyone_shows_another(qtbot, window, voted):
    voted.grid.go_to("E1", "H3")
    qtbot.keyClick(voted.grid, Key.Key_Left, Modifier.ShiftModifier)
    qtbot.keyClick(voted.grid, Key.Key_Left, Modifier.ShiftModifier)
    qtbot.keyClicks(voted.grid, "na")
    assert window.toast.text() == "3 cells rated; Everyone shows another rating in 3 of them"


def test_what_outvotes_nobody_is_not_spoken_of(qtbot, window, voted):
    show_view(voted, "mine")
    qtbot.keyClicks(voted.grid, "ii")
    qtbot.wait(0)
    assert not window.toast.isVisible()


@pytest.fixture
def long(screen, session, styled):
    """The screen with more rows than there is room for."""
    for number in range(40):
        session.workbench.evidence.add(f"Row {number} of what was seen.")
    session.changed.emit(Changes(evidence=True), None)
    screen.refresh_if_dirty()
    yield screen
    theme.apply(styled, "light")


def in_sight(grid) -> bool:
    room = grid.viewport().rect().adjusted(grid.columns()[0].width, grid._head, 0, 0)
    return room.contains(grid.cursor_rect())


def last_in_sight(qtbot, grid) -> None:
    """Put the cursor on the lowest row that is whole on show, by keys."""
    grid.go_to("E1", "H1")
    assert len(grid.order) > 40
    while grid.cell_rect(grid.cursor_place()[0] + 1, 1).bottom() < grid.viewport().height():
        qtbot.keyClick(grid, Key.Key_Down)
    assert grid.verticalScrollBar().value() == 0


def test_the_current_cell_stays_in_sight_when_a_banner_takes_room(qtbot, long):
    last_in_sight(qtbot, long.grid)
    QGuiApplication.clipboard().setText("X\tY\tZ\tQ\nfoo")
    high = long.grid.viewport().height()
    qtbot.keyClick(long.grid, Key.Key_V, Modifier.ControlModifier)
    assert long.message.isVisible()
    qtbot.waitUntil(lambda: long.grid.viewport().height() < high)
    assert in_sight(long.grid)
    qtbot.keyClick(long.grid, Key.Key_Down)
    assert in_sight(long.grid)


def test_the_current_cell_stays_in_sight_with_a_larger_text_and_in_another_order(qtbot, long, styled):
    last_in_sight(qtbot, long.grid)
    theme.apply(styled, "light", text_size=20)
    assert in_sight(long.grid)
    long.grid.go_to("E1", "H1")
    qtbot.keyClick(long.grid, Key.Key_S)
    qtbot.keyClick(long.grid, Key.Key_D, Modifier.ShiftModifier)
    assert in_sight(long.grid)
    long._sort_by("id")  # the other way round: E1 is last
    assert long.grid.cursor_place()[0] == len(long.grid.order) - 1
    assert in_sight(long.grid)


def test_who_scrolled_away_from_the_current_cell_is_left_there(qtbot, long):
    long.grid.go_to("E1", "H1")
    bar = long.grid.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    long.resize(long.width(), long.height() - 60)
    qtbot.wait(1)
    assert bar.value() > 0
    assert not in_sight(long.grid)


def test_escape_puts_away_the_message_and_then_the_what_if(qtbot, screen, session):
    screen.grid.go_to("E2", "H1")
    qtbot.keyClick(screen.grid, Key.Key_X)
    assert screen.grid.what_if
    QGuiApplication.clipboard().setText("X\tY\tZ\tQ\nfoo")
    qtbot.keyClick(screen.grid, Key.Key_V, Modifier.ControlModifier)
    assert screen.message.isVisible()
    for message, what_if in ((False, True), (False, False)):
        qtbot.keyClick(screen.grid, Key.Key_Escape)
        assert (screen.message.isVisible(), screen.grid.what_if) == (message, what_if)
    assert not screen.what_if_strip.isVisible()
    assert screen.grid.hasFocus()
    assert len(session.workbench.evidence.all()) == 3


# --- room ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def densely(styled):
    theme.set_density("compact")
    yield
    theme.set_density("compact")


def rows_in_sight(grid) -> int:
    head, line = grid.heights()
    return (grid.viewport().height() - head) // line


def test_twenty_rows_and_more_are_seen_in_a_usual_window(qtbot, densely, with_case, session):
    session.do(lambda b: b.evidence.add("A neighbour saw two men in work clothes."))
    with_case.resize(1440, 900)
    with_case.go("Matrix")
    matrix = with_case.current()
    assert rows_in_sight(matrix.grid) >= 20
    assert not matrix.analysis.isVisible()
    count = rows_in_sight(matrix.grid)
    qtbot.keyClick(matrix.grid, Key.Key_L, Modifier.ControlModifier | Modifier.ShiftModifier)
    assert rows_in_sight(matrix.grid) < count
    assert settings.load().density == "comfortable"


def test_the_analysis_is_folded_beside_or_on_the_whole_page(qtbot, screen):
    screen.resize(800, 700)  # no room beside
    assert not screen.analysis.isVisible()
    qtbot.keyClick(screen.grid, Key.Key_R, Modifier.ControlModifier)
    assert screen.analysis.isVisible()
    assert screen.grid.isVisible()
    qtbot.keyClick(screen.grid, Key.Key_R, Modifier.ControlModifier | Modifier.ShiftModifier)
    assert screen.analysis.isVisible()
    assert not screen.grid.isVisible()
    assert screen.analysis.tabs.hasFocus()
    qtbot.keyClick(screen.analysis.tabs, Key.Key_Escape)
    assert screen.grid.hasFocus()
    assert screen.analysis.isVisible()
    next_screen = MatrixScreen(screen.session)
    assert next_screen.splitter.wants_analysis is True  # as the person left it


def test_the_grid_comes_back_as_it_was(qtbot, long):
    long.resize(800, 700)
    long.grid.go_to("E1")
    QApplication.processEvents()
    for _ in range(2):
        qtbot.keyClick(long.grid, Key.Key_R, Modifier.ControlModifier | Modifier.ShiftModifier)
        QApplication.processEvents()
        qtbot.keyClick(long.analysis.tabs, Key.Key_Escape)
        QApplication.processEvents()
    assert long.grid.verticalScrollBar().value() == 0


def test_what_the_whole_page_names_is_shown_in_the_grid(qtbot, screen):
    screen.turn_whole()
    screen.analysis.chosen.emit("E2", "H2")
    assert screen.grid.isVisible()
    assert (screen.grid.current_row().id, screen.grid.current_hypothesis().id) == ("E2", "H2")


def test_the_letters_are_explained_in_the_header_and_on_hover(screen):
    grid = screen.grid
    assert "II very inconsistent, NA not applicable" in header_tip(grid.hypotheses[0], None)
    grid.set_width("evidence", 400)
    free = grid.grab(QRect(20, 6, 300, 24)).toImage()
    assert len({free.pixel(x, y) for x in range(0, free.width(), 2) for y in range(free.height())}) > 2
    grid.set_width("evidence", 150)
    narrow = grid.grab(QRect(20, 6, 100, 24)).toImage()
    assert len({narrow.pixel(x, y) for x in range(narrow.width()) for y in range(narrow.height())}) == 1


def border(grid, column: int) -> QPoint:
    return QPoint(grid.cell_rect(0, column).right(), grid.heights()[0] // 2)


def test_a_column_follows_its_border_and_keeps_its_width(qtbot, screen, session):
    grid = screen.grid
    former_width, point = grid.columns()[0].width, border(grid, 0)
    qtbot.mousePress(grid.viewport(), Qt.MouseButton.LeftButton, pos=point)
    drag(grid, point + QPoint(60, 0))
    qtbot.mouseRelease(grid.viewport(), Qt.MouseButton.LeftButton, pos=point + QPoint(60, 0))
    assert abs(grid.columns()[0].width - former_width - 60) <= 2
    assert grid.sort == "id"  # a drag is no click on the header
    cell = grid.column_of("H2")
    grid.go_to("E1", "H2")
    width = grid.columns()[cell].width
    qtbot.keyClick(grid, Key.Key_Right, Modifier.ControlModifier | Modifier.AltModifier)
    assert grid.columns()[cell].width > width
    assert grid.columns()[grid.column_of("H1")].width == grid.columns()[cell].width  # all hypotheses alike
    chosen_widths = dict(grid.widths)
    session.opened.emit()
    assert grid.widths == chosen_widths
    qtbot.mouseDClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=border(grid, 0))
    assert "evidence" not in grid.widths


def drag(grid, to: QPoint) -> None:
    """A move with the button held, which QTest does not make."""
    button = Qt.MouseButton.LeftButton
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        to.toPointF(),
        grid.viewport().mapToGlobal(to).toPointF(),
        button,
        button,
        Modifier.NoModifier,
    )
    QApplication.sendEvent(grid.viewport(), event)


def test_a_column_is_never_too_narrow_to_be_caught_again(screen):
    screen.grid.set_width("cell", -500)
    assert screen.grid.columns()[screen.grid.column_of("H1")].width >= 30


def test_columns_without_a_value_give_way_until_they_have_one(screen, session):
    screen.resize(900, 700)
    kinds = {column.kind for column in screen.grid.columns()}
    assert "credibility" not in kinds
    session.do(lambda b: b.evidence.grade("E2", credibility="H"))
    screen.refresh_if_dirty()
    assert "credibility" in {column.kind for column in screen.grid.columns()}


def test_ratings_given_before_a_rewording_are_counted_and_confirmed_at_once(qtbot, screen, session):
    bench = session.workbench
    bench.evidence.rate_many([("E1", "H1", "I"), ("E1", "H2", "C")])
    bench.hypotheses.edit("H1", text="The door was opened with a key of the house.")
    bench.hypotheses.edit("H2", text="The door was never shut.")
    session.changed.emit(Changes(hypotheses=True, matrix=True), None)
    qtbot.waitUntil(lambda: screen.bar.count.text().endswith("2 to rate again"))
    screen.decisions.confirm_outdated()
    qtbot.waitUntil(lambda: "again" not in screen.bar.count.text())
    assert bench.evidence.own_outdated() == []
    session.do(lambda bench: bench.case.undo())
    qtbot.waitUntil(lambda: screen.bar.count.text().endswith("2 to rate again"))
