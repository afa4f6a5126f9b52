"""Copies of one sentence folded into one row: which fold, what the row says for all, and that it is rated for all."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt

from core import settings
from core.domain import RATINGS, Evidence, Hypothesis, MatrixRow
from gui_app.matrix.copies import agree, code_of, fold, groups
from gui_app.matrix.grid_model import CODE, SUGGESTED, Sheet, grid_row
from gui_app.matrix.screen import MatrixScreen
from tests.gui_app.small_case import open_session, put_on_show

SENTENCE = "The police had planned a raid on the main building of the group for the following week."
OTHER = "Two men in the clothes of cleaners were seen on the stairs of the northern exit at eight."
Key = Qt.Key


def sheet_of(*rows: tuple[str, str, str]) -> Sheet:
    """Rows of (text, cluster, ratings), '' for a cell without a rating."""
    wide = len(rows[0][2].split())
    items = [
        grid_row(Evidence(f"E{number}", text, "press", "manual", None, None))
        for number, (text, _, _) in enumerate(rows, start=1)
    ]
    sheet = Sheet(items, [Hypothesis(f"H{number}", "?") for number in range(1, wide + 1)])
    for number, (_, cluster, ratings) in enumerate(rows):
        sheet.row_scores[number] = MatrixRow(f"E{number + 1}", {}, cluster=cluster)
        for h, rating in enumerate(ratings.split()):
            sheet.codes[number * wide + h] = CODE[rating] if rating in RATINGS else 0
    return sheet


def test_rows_fold_that_share_a_source_and_say_the_same():
    sheet = sheet_of(
        (SENTENCE, "a", "- -"),
        (OTHER, "a", "- -"),
        (SENTENCE.replace("police", "Police"), "a", "- -"),
        (SENTENCE, "", "- -"),
    )
    assert groups(sheet) == [(0, 2)]
    order, folds = fold(sheet, [0, 1, 2, 3], ())
    assert order == [0, 1, 3]
    assert folds.members(0) == (0, 2)
    assert folds.members(1) == (1,)
    assert folds.head_of(2) == 0
    assert folds.count_hidden() == 1


def test_the_first_that_is_shown_stands_for_the_others():
    sheet = sheet_of((SENTENCE, "a", "-"), (OTHER, "", "-"), (SENTENCE, "a", "-"))
    assert fold(sheet, [2, 1, 0], ())[0] == [2, 1]
    assert fold(sheet, [0, 1], ())[0] == [0, 1]  # its copy does not pass the filter
    order, folds = fold(sheet, [0, 1, 2], {"E1"})
    assert order == [0, 2, 1]  # unfolded, the copies stand below it
    assert folds.open_groups == {0: (0, 2)}


def test_rows_that_are_rated_differently_stay_apart():
    sheet = sheet_of((SENTENCE, "a", "C -"), (SENTENCE, "a", "I -"))
    assert not agree(sheet, (0, 1))
    assert fold(sheet, [0, 1], ())[0] == [0, 1]


def test_what_some_copies_have_is_suggested_for_all():
    sheet = sheet_of((SENTENCE, "a", "- C -"), (SENTENCE, "a", "I C -"))
    codes = [code_of(sheet, (0, 1), h) for h in range(3)]
    assert codes == [CODE["I"] + SUGGESTED, CODE["C"], 0]


# --- by keys ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def session(qtbot, engines, tmp_path):
    with open_session(engines, tmp_path, proposed=False) as session:
        bench = session.workbench
        for text in (SENTENCE, OTHER, SENTENCE):
            bench.evidence.add(text, "press")
        bench.evidence.describe(["E1", "E3"], upstream="E1")
        yield session


@pytest.fixture
def screen(qtbot, session):
    screen = MatrixScreen(session)
    put_on_show(qtbot, screen, 1200)
    screen.grid.setFocus()
    return screen


def ids(screen) -> list[str]:
    return [row.id for row in screen.grid.rows]


def ratings(session) -> dict[tuple[str, str], str]:
    return {(a.evidence, a.hypothesis): a.rating for a in session.workbench.evidence.assessments()}


def test_a_folded_row_is_rated_with_its_copies_as_one_decision(qtbot, screen, session):
    assert ids(screen) == ["E1", "E2"]
    assert screen.bar.count.text().startswith("3 rows (1 folded)")
    screen.grid.go_to("E3", "H1")  # the row that stands for it
    qtbot.keyClick(screen.grid, Key.Key_4)
    assert ratings(session) == {("E1", "H1"): "I", ("E3", "H1"): "I"}
    session.undo()
    assert ratings(session) == {}


def test_k_and_the_arrow_show_the_copies_and_fold_them(qtbot, screen):
    screen.grid.go_to("E1", "H1")
    assert "1 copy folded" in screen.grid.cursor_words()
    qtbot.keyClick(screen.grid, Key.Key_K)
    assert ids(screen) == ["E1", "E3", "E2"]
    screen.grid.go_to("E3")
    qtbot.keyClick(screen.grid, Key.Key_K)
    assert ids(screen) == ["E1", "E2"]
    arrow = QPoint(6, screen.grid.cell_rect(0, 0).center().y())
    qtbot.mouseClick(screen.grid.viewport(), Qt.MouseButton.LeftButton, pos=arrow)
    assert ids(screen) == ["E1", "E3", "E2"]
    screen.grid.grab()


def test_copies_are_not_folded_where_the_person_wants_every_row(qtbot, screen, session):
    qtbot.keyClick(screen.grid, Key.Key_K, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert ids(screen) == ["E1", "E2", "E3"]
    assert MatrixScreen(session) is not None
    qtbot.keyClick(screen.grid, Key.Key_K, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert ids(screen) == ["E1", "E2"]


def test_a_folded_row_is_removed_with_its_copies(qtbot, screen, session):
    screen.grid.go_to("E1")
    qtbot.keyClick(screen.grid, Key.Key_Delete, Qt.KeyboardModifier.ControlModifier)
    assert [item.id for item in session.workbench.evidence.all()] == ["E2"]


# --- on to the next cell ---------------------------------------------------------------------------------------------


def place(grid) -> tuple[str, str]:
    row, hypothesis = grid.current_row(), grid.current_hypothesis()
    return row.id if row else "", hypothesis.id if hypothesis else ""


def test_a_rating_goes_on_to_the_next_unrated_cell(qtbot, screen, session):
    grid = screen.grid
    assert grid.advances
    session.do(lambda b: b.evidence.rate("E1", "H2", "N"))
    screen.refresh_if_dirty()
    session.do(lambda b: b.evidence.rate("E3", "H2", "N"))
    screen.refresh_if_dirty()
    grid.go_to("E1", "H1")
    qtbot.keyClick(grid, Key.Key_4)
    assert place(grid) == ("E2", "H1")  # past the one that is rated
    qtbot.keyClicks(grid, "cc")
    assert place(grid) == ("E2", "H2")
    qtbot.keyClick(grid, Key.Key_I)
    qtbot.waitUntil(lambda: ("E2", "H2") in ratings(session))
    assert ratings(session)[("E2", "H1")] == "CC"
    assert ratings(session)[("E2", "H2")] == "I"


def test_letters_typed_one_after_the_other_rate_one_cell_each(qtbot, screen, session):
    grid = screen.grid
    grid.go_to("E1", "H1")
    qtbot.keyClicks(grid, "ci")
    qtbot.keyClick(grid, Key.Key_Return)
    assert ratings(session) == {("E1", "H1"): "C", ("E3", "H1"): "C", ("E1", "H2"): "I", ("E3", "H2"): "I"}
    assert place(grid) == ("E2", "H1")


def test_who_corrects_a_rating_stays_with_it(qtbot, screen, session):
    session.do(lambda b: b.evidence.rate("E2", "H1", "N"))
    screen.refresh_if_dirty()
    screen.grid.go_to("E2", "H1")
    qtbot.keyClick(screen.grid, Key.Key_5)
    assert place(screen.grid) == ("E2", "H1")


def test_who_does_not_want_it_stays(qtbot, screen, session):
    settings.save(settings.Settings(advance=False))
    screen.refresh()
    screen.grid.go_to("E2", "H1")
    qtbot.keyClick(screen.grid, Key.Key_5)
    assert place(screen.grid) == ("E2", "H1")
