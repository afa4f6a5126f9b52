"""The matrix screen under real keys: rating, confirming, clearing, moving, sorting, and what is said aloud."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication

from core.domain import Evidence, Hypothesis
from gui_app import look
from gui_app.models.grid import CODE, SUGGESTED, GridRow, MatrixTable, arranged, as_line, is_decided, rating_of, spoken
from gui_app.screens.matrix import MatrixScreen
from gui_app.widgets.matrix_grid import MatrixGrid, Standing
from tests.gui_app.small_case import open_session, put_on_show

Key, Modifier = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def session(qtbot, engines, tmp_path):
    with open_session(engines, tmp_path) as opened:
        bench = opened.workbench
        contradicting = [p.id for p in bench.proposals() if p.verdict.label == "contradicts"]
        bench.accept(contradicting[:1], rate=True)
        bench.add_evidence("No tool marks were found on the door.", "own inspection")
        bench.add_evidence("Nobody asked for the recordings before May.")
        yield opened


@pytest.fixture
def screen(qtbot, session):
    made = MatrixScreen(session)
    put_on_show(qtbot, made, 1200)
    made.grid.setFocus()
    return made


def ratings(session) -> dict[tuple[str, str], str]:
    return {(a.evidence, a.hypothesis): a.rating for a in session.workbench.assessments()}


@pytest.mark.parametrize(
    ("typed", "rating"),
    [("cc", "CC"), ("c", "C"), ("n", "N"), ("i", "I"), ("ii", "II"), ("na", "NA"), ("IC", "C"), ("ci", "I")],
)
def test_letters_rate(qtbot, screen, session, typed, rating):
    screen.grid.go_to("E2", "H1")
    qtbot.keyClicks(screen.grid, typed)
    qtbot.waitUntil(lambda: ratings(session) == {("E2", "H1"): rating}, timeout=3_000)


def test_a_letter_is_shown_before_it_is_kept(qtbot, screen, session):
    screen.grid.go_to("E2", "H1")
    empty = screen.grid.grab(screen.grid.cell_rect(1, screen.grid.column_of("H1"))).toImage()
    qtbot.keyClick(screen.grid, Key.Key_C)
    assert ratings(session) == {}
    assert "consistent" in screen.grid.spoken()
    assert screen.grid.grab(screen.grid.cell_rect(1, screen.grid.column_of("H1"))).toImage() != empty
    qtbot.keyClick(screen.grid, Key.Key_Right)  # moving on keeps it without waiting
    assert ratings(session) == {("E2", "H1"): "C"}


def test_every_letter_is_one_decision(qtbot, screen, session):
    screen.grid.go_to("E2", "H1")
    before = len(session.workbench.case.log())
    qtbot.keyClicks(screen.grid, "ii")
    assert ratings(session) == {("E2", "H1"): "II"}
    assert len(session.workbench.case.log()) == before + 1


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
    assert rating_of(screen.grid.rows[1].cells[1]) == "I"


def test_enter_confirms_the_suggestion_and_only_then_it_counts(qtbot, screen, session):
    (suggestion,) = session.workbench.suggestions()
    screen.grid.go_to(suggestion.evidence, suggestion.hypothesis)
    column = [h.id for h in session.workbench.hypotheses()].index(suggestion.hypothesis)
    assert screen.grid.rows[0].cells[column] == CODE["I"] + SUGGESTED
    assert session.workbench.matrix().unrated == 6
    qtbot.keyClick(screen.grid, Key.Key_Return)
    assert ratings(session) == {(suggestion.evidence, suggestion.hypothesis): "I"}
    assert is_decided(screen.grid.rows[0].cells[column])
    assert session.workbench.matrix().unrated == 5


def test_a_letter_typed_over_a_suggestion_goes_before_it(qtbot, screen, session):
    (suggestion,) = session.workbench.suggestions()
    screen.grid.go_to(suggestion.evidence, suggestion.hypothesis)
    qtbot.keyClick(screen.grid, Key.Key_C)
    qtbot.keyClick(screen.grid, Key.Key_Return)
    assert ratings(session) == {(suggestion.evidence, suggestion.hypothesis): "C"}


def test_the_last_cell_confirms_too(qtbot, screen, session):
    (suggestion,) = session.workbench.suggestions()
    for evidence in ("E2", "E3"):
        session.do(lambda bench, evidence=evidence: bench.remove_evidence(evidence))
    for hypothesis in session.workbench.hypotheses():
        if hypothesis.id != suggestion.hypothesis:
            session.do(lambda bench, hypothesis=hypothesis: bench.remove_hypothesis(hypothesis.id))
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


def test_shift_n_finds_the_next_unrated_cell(qtbot, screen, session):
    for evidence in ("E1", "E2"):
        for hypothesis in ("H1", "H2"):
            session.workbench.rate(evidence, hypothesis, "N")
    session.workbench.rate("E3", "H1", "C")
    screen.refresh()
    screen.grid.go_to("E1", "H1")
    qtbot.keyClick(screen.grid, Key.Key_N, Modifier.ShiftModifier)
    assert (screen.grid.current_row().id, screen.grid.current_hypothesis().id) == ("E3", "H2")
    qtbot.keyClick(screen.grid, Key.Key_3)
    with qtbot.waitSignal(session.status) as said:
        qtbot.keyClick(screen.grid, Key.Key_N, Modifier.ShiftModifier)
    assert said.args == ["Every cell is rated."]


def test_grades_are_typed_in_the_row(qtbot, screen, session):
    grid = screen.grid
    grid.go_to("E2")
    qtbot.keyClick(grid, Key.Key_Home)
    while grid.current_kind() != "credibility":
        qtbot.keyClick(grid, Key.Key_Right)
    qtbot.keyClick(grid, Key.Key_H)
    qtbot.keyClick(grid, Key.Key_Right)
    qtbot.keyClick(grid, Key.Key_L)
    item = next(item for item in session.workbench.evidence() if item.id == "E2")
    assert (item.credibility, item.relevance) == ("H", "L")
    qtbot.keyClick(grid, Key.Key_Delete)
    item = next(item for item in session.workbench.evidence() if item.id == "E2")
    assert (item.credibility, item.relevance) == ("H", None)


def test_o_opens_the_page_of_a_quote_and_says_why_it_cannot(qtbot, screen, session):
    item = session.workbench.evidence()[0]
    screen.grid.go_to("E1", "H1")
    with qtbot.waitSignal(screen.show_source) as asked:
        qtbot.keyClick(screen.grid, Key.Key_O)
    assert asked.args == [item.document, item.page, item.start, item.end]
    screen.grid.go_to("E2", "H1")
    with qtbot.waitSignal(session.status) as said, qtbot.assertNotEmitted(screen.show_source):
        qtbot.keyClick(screen.grid, Key.Key_O)
    assert "own words" in said.args[0]


def test_space_shows_the_evidence_in_detail(qtbot, screen, session):
    screen.grid.go_to("E1", "H1")
    with qtbot.waitSignal(screen.selected) as told:
        qtbot.keyClick(screen.grid, Key.Key_Space)
    assert told.args == [session.workbench.evidence()[0]]


def test_evidence_in_ones_own_words_is_added_inline(qtbot, screen, session):
    screen.new_text.setFocus()
    qtbot.keyClicks(screen.new_text, "The key was missing for two days")
    qtbot.keyClicks(screen.new_source, "interview")
    qtbot.keyClick(screen.new_source, Key.Key_Return)
    item = session.workbench.evidence()[-1]
    assert (item.id, item.text, item.source, item.method) == (
        "E4",
        "The key was missing for two days",
        "interview",
        "manual",
    )
    assert screen.grid.current_row().id == "E4"
    assert screen.new_text.text() == ""


def test_removed_evidence_comes_back_with_its_ratings(qtbot, screen, session):
    screen.grid.go_to("E2", "H1")
    qtbot.keyClick(screen.grid, Key.Key_5)
    with qtbot.waitSignal(session.told) as told:
        qtbot.keyClick(screen.grid, Key.Key_Delete, Modifier.ControlModifier)
    assert told.args[1] is True
    assert [row.id for row in screen.grid.rows] == ["E1", "E3"]
    session.undo()
    assert ratings(session) == {("E2", "H1"): "II"}
    assert [row.id for row in screen.grid.rows] == ["E1", "E2", "E3"]


def test_the_filter_leaves_rows_with_every_word(qtbot, screen):
    qtbot.keyClicks(screen.filter_field, "tool door")
    qtbot.waitUntil(lambda: [row.id for row in screen.grid.rows] == ["E2"])
    assert screen.count.text().startswith("1 of 3 rows")


def test_sorting_keeps_the_cursor_on_its_row(qtbot, screen):
    grid = screen.grid
    for evidence, typed in (("E1", "33"), ("E2", "15"), ("E3", "24")):
        grid.go_to(evidence, "H1")
        qtbot.keyClick(grid, typed[0])
        grid.go_to(evidence, "H2")
        qtbot.keyClick(grid, typed[1])
    qtbot.keyClick(grid, Key.Key_D)
    assert [row.id for row in grid.rows] == ["E2", "E3", "E1"]
    assert grid.current_row().id == "E3"
    assert grid.rows[2].dull
    qtbot.keyClick(grid, Key.Key_D, Modifier.ShiftModifier)
    assert [row.id for row in grid.rows] == ["E1", "E2", "E3"]


def test_a_click_puts_the_cursor_on_the_cell(qtbot, screen):
    grid = screen.grid
    box = grid.cell_rect(1, grid.column_of("H2"))
    qtbot.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
    assert (grid.current_row().id, grid.current_hypothesis().id) == ("E2", "H2")


def rank_texts(screen) -> list[str]:
    places = (screen.rules.ranks.itemAt(at) for at in range(screen.rules.ranks.count()))
    return [place.widget().text() for place in places if place.widget() is not None]


def test_ranks_stand_side_by_side_with_ties(qtbot, screen):
    grid = screen.grid
    for evidence, hypothesis in (("E2", "H1"), ("E3", "H2")):
        grid.go_to(evidence, hypothesis)
        qtbot.keyClick(grid, Key.Key_4)
    qtbot.waitUntil(lambda: rank_texts(screen).count("1=") == 10)  # two hypotheses, five rules
    assert "H1 and H2" in screen.rules.warnings.text()
    pins = [screen.rules.pins.item(at).text() for at in range(screen.rules.pins.count())]
    assert any("E2" in pin for pin in pins)


def test_rows_keep_their_places_while_they_are_rated(qtbot, screen, session):
    grid = screen.grid
    qtbot.keyClick(grid, Key.Key_D)
    before = [row.id for row in grid.rows]
    last = before[-1]
    for hypothesis, key in (("H1", Key.Key_1), ("H2", Key.Key_5)):
        grid.go_to(last, hypothesis)
        qtbot.keyClick(grid, key)
    qtbot.waitUntil(lambda: grid.rows[-1].diagnosticity == 2.0)
    assert [row.id for row in grid.rows] == before
    qtbot.keyClick(grid, Key.Key_D)
    assert grid.rows[0].id == last


def test_a_burst_of_ratings_is_scored_once(qtbot, screen, session, monkeypatch):
    scored = []
    matrix = session.workbench.matrix
    monkeypatch.setattr(session.workbench, "matrix", lambda: scored.append(1) or matrix())
    screen.grid.go_to("E1", "H1")
    for key in (Key.Key_1, Key.Key_2, Key.Key_3, Key.Key_4, Key.Key_5):
        qtbot.keyClick(screen.grid, key)
        qtbot.keyClick(screen.grid, Key.Key_Tab)
    assert len(ratings(session)) == 5
    assert scored == []
    assert [rating_of(code) for row in screen.grid.rows for code in row.cells][:5] == ["CC", "C", "N", "I", "II"]
    qtbot.waitUntil(lambda: screen.count.text() == "3 rows · 1 unrated")
    assert len(scored) == 1


def test_a_linchpin_leads_to_its_row(qtbot, screen):
    for evidence, hypothesis in (("E2", "H1"), ("E3", "H2")):
        screen.grid.go_to(evidence, hypothesis)
        qtbot.keyClick(screen.grid, Key.Key_4)
    qtbot.waitUntil(lambda: screen.rules.pins.count() > 0)
    screen.filter_field.setText("tool door")
    qtbot.waitUntil(lambda: len(screen.grid.rows) == 1)
    pin = next(
        screen.rules.pins.item(at)
        for at in range(screen.rules.pins.count())
        if screen.rules.pins.item(at).text().startswith("Without E3") or "E3" in screen.rules.pins.item(at).text()
    )
    screen.rules.pins.itemActivated.emit(pin)
    assert screen.grid.current_row().id == "E3"
    assert screen.filter_field.text() == ""


def test_the_plain_table_says_the_same_aloud(qtbot, screen):
    screen.grid.go_to("E2", "H1")
    qtbot.keyClick(screen.grid, Key.Key_4)
    assert screen.grid.accessibleDescription() == "Evidence E2, hypothesis H1: inconsistent, confirmed by you"
    qtbot.keyClick(screen.grid, Key.Key_T, Modifier.ControlModifier)
    assert screen.views.currentWidget() is screen.plain_table
    said = screen.table.index(1, 5).data(Qt.ItemDataRole.AccessibleTextRole)
    assert said == "Evidence E2, hypothesis H1: inconsistent, confirmed by you"
    suggested = screen.table.index(0, 5).data(Qt.ItemDataRole.AccessibleTextRole)
    assert suggested.endswith("suggested by the model, not confirmed") or suggested.endswith("not rated")


def test_ctrl_c_copies_the_row(qtbot, screen):
    screen.grid.go_to("E2", "H1")
    qtbot.keyClick(screen.grid, Key.Key_C, Modifier.ControlModifier)
    assert QGuiApplication.clipboard().text().split("\t")[:3] == [
        "E2",
        "No tool marks were found on the door.",
        "own inspection",
    ]


def test_without_hypotheses_the_next_step_is_named(qtbot, session):
    for hypothesis in session.workbench.hypotheses():
        session.workbench.remove_hypothesis(hypothesis.id)
    screen = MatrixScreen(session)
    put_on_show(qtbot, screen)
    assert screen.stack.currentWidget() is screen.empty
    with qtbot.waitSignal(screen.go) as asked:
        screen.empty.button.click()
    assert asked.args == ["Hypotheses"]


# --- the parts below the screen --------------------------------------------------------------------------------------


def row(identity: str, cells: bytes, **fields) -> GridRow:
    item = Evidence(identity, f"text of {identity}", "a.txt", "manual", None, None)
    return GridRow(item, item.text, "a.txt", cells, fields.get("diagnosticity"), fields.get("dull", False))


def test_what_a_cell_says():
    plain = row("E2", bytes([CODE["I"], CODE["C"] + SUGGESTED, 0]))
    assert [spoken(plain, h, code) for h, code in zip(("H1", "H2", "H3"), plain.cells, strict=True)] == [
        "Evidence E2, hypothesis H1: inconsistent, confirmed by you",
        "Evidence E2, hypothesis H2: consistent, suggested by the model, not confirmed",
        "Evidence E2, hypothesis H3: not rated",
    ]
    assert plain.unrated() == 2
    assert as_line(plain) == "E2\ttext of E2\ta.txt\t\t\tI\t\t"


def test_a_cell_that_looks_like_a_formula_is_copied_as_text():
    item = Evidence("E1", "=1+1", "@x", "manual", None, None)
    assert as_line(GridRow(item, "=1+1", "@x", b"", None, False)) == "E1\t'=1+1\t'@x\t\t"


def test_the_order_of_rows_is_the_same_every_time():
    rows = [row("E10", b"\x00", diagnosticity=1.0), row("E2", b"\x01", diagnosticity=1.0), row("E1", b"\x00")]
    assert [r.id for r in arranged(rows, sort="diagnosticity", wanted="")] == ["E2", "E10", "E1"]
    assert [r.id for r in arranged(rows, sort="unrated", wanted="")] == ["E1", "E10", "E2"]


def test_the_table_holds_every_cell():
    table = MatrixTable()
    table.show(["H1"], [row("E1", bytes([CODE["NA"]])), row("E2", bytes([CODE["C"] + SUGGESTED]))])
    assert (table.rowCount(), table.columnCount()) == (2, 7)
    assert [table.index(at, 5).data() for at in (0, 1)] == ["NA", "C?"]


def test_decided_is_filled_and_suggested_is_outlined(qtbot):
    grid = MatrixGrid()
    qtbot.addWidget(grid)
    grid.resize(800, 400)
    cells = bytes([CODE["II"], CODE["II"] + SUGGESTED])
    grid.show_rows([row("E1", cells)], [Hypothesis("H1", "one"), Hypothesis("H2", "two")], [Standing("1", "0.00")] * 2)
    grid.go_to("E1")
    image = grid.grab().toImage()
    corner = QPoint(12, 12)  # inside the frame of a cell, beside its letters
    decided, suggested = (
        QColor(image.pixel(grid.cell_rect(0, grid.column_of(h)).topLeft() + corner)) for h in ("H1", "H2")
    )
    assert decided == look.tone("contradicts")
    assert suggested in (QColor(look.tokens().selection), QColor(look.tokens().surface))
