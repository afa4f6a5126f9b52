"""What the matrix screen reads of a case, and what it says of the ranks, without the screen."""

from __future__ import annotations

import pytest

from gui_app.matrix.grid_model import Sheet, cell_words, has_flag
from gui_app.matrix.grid_words import cell_tip
from gui_app.matrix.state import MatrixState, load, standings, who_would_lead
from tests.gui_app.small_case import open_session


@pytest.fixture
def bench(qtbot, engines, tmp_path):
    with open_session(engines, tmp_path, proposed=False) as session:
        bench = session.workbench
        for text in ("No tool marks were found on the door.", "Nobody asked for the recordings before May."):
            bench.evidence.add(text)
        yield bench


def state_of(bench, view: str = "", former: Sheet | None = None) -> MatrixState:
    return load(bench, bench.hypotheses.all(), view, former or Sheet())


def test_alone_one_sees_the_ratings_of_everyone_as_the_only_rater(bench):
    bench.evidence.rate("E1", "H1", "I")
    state = state_of(bench)
    assert (state.view, state.alone, state.has_colleagues, state.has_hidden) == ("group", True, False, False)
    assert state.views == (("Mine", "mine"), ("Everyone", "group"))
    assert [row.id for row in state.sheet.rows] == ["E1", "E2"]


def test_a_blind_case_shows_ones_own_and_a_view_that_is_gone_gives_way_to_the_usual_one(bench):
    assert state_of(bench, "Ben").view == "group"
    bench.case.change_settings(blind=True)
    assert state_of(bench).view == "mine"
    assert state_of(bench, "group").view == "group"
    assert not state_of(bench).alone  # who else rated is not to be seen


def test_old_scores_stand_until_the_new_ones_are_there(bench):
    bench.evidence.rate("E1", "H1", "II")
    bench.evidence.rate("E1", "H2", "CC")
    former = state_of(bench).sheet
    former.score(bench.matrix.compute())
    bench.evidence.add("A third row.")
    sheet = state_of(bench, former=former).sheet
    assert sheet.row_scores[:2] == former.row_scores
    assert sheet.row_scores[2] is None


def test_ranks_of_a_what_if_stand_beside_those_that_hold(bench):
    hypotheses = bench.hypotheses.all()
    assert [s.rank for s in standings(None, None, hypotheses)] == ["", ""]
    for evidence, hypothesis, rating in (("E1", "H1", "II"), ("E1", "H2", "C"), ("E2", "H1", "C"), ("E2", "H2", "I")):
        bench.evidence.rate(evidence, hypothesis, rating)
    matrix, what_if = bench.matrix.compute(), bench.matrix.compute(without_rows=("E1",))
    assert [(s.rank, s.new_rank) for s in standings(matrix, None, hypotheses)] == [("2", ""), ("1", "")]
    assert [(s.rank, s.new_rank) for s in standings(matrix, what_if, hypotheses)] == [("2", "1"), ("1", "2")]
    assert who_would_lead(matrix, None) == ""
    assert who_would_lead(matrix, what_if) == "H1 would lead."
    assert who_would_lead(matrix, bench.matrix.compute(without_rows=("E2",))) == "H2 would still lead."
    nothing = bench.matrix.compute(without_rows=("E1", "E2"))
    assert who_would_lead(matrix, nothing).startswith("Nothing would lead.")


def test_a_cell_that_was_rated_before_a_rewording_is_marked_until_it_is_rated_again(bench):
    bench.evidence.rate_many([("E1", "H1", "I"), ("E2", "H2", "C")])
    bench.hypotheses.edit("H1", text="The door was opened with a key of the house.")
    sheet = state_of(bench).sheet
    assert has_flag(sheet, 0, "outdated")
    assert not has_flag(sheet, 1, "outdated")
    assert sheet.count_outdated() == 1
    assert "rated before a rewording" in cell_words(sheet, 0, 0)
    assert "Rated before the hypothesis or the quote was reworded." in cell_tip(sheet, 0, 0)
    sheet.rate("E1", "H1", "I")  # as it is shown at once
    assert not has_flag(sheet, 0, "outdated")
    bench.evidence.rate("E1", "H1", "I")
    assert not has_flag(state_of(bench).sheet, 0, "outdated")
