"""The case is read beside the review: what is decided meanwhile stays decided, and nothing moves under the hands."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
from PySide6.QtCore import Qt

from core.domain import Changes
from core.errors import CaseValueWrong
from gui_app.review import passages_page
from gui_app.review.passages_page import PassagesPage
from gui_app.review.screen import ReviewScreen
from gui_app.review.state import load
from tests.gui_app.conftest import complaints
from tests.gui_app.small_case import open_session, put_on_show, settle

Key, Modifier = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def session(qtbot, engines, tmp_path):
    with open_session(engines, tmp_path, proposed=False) as session:
        session.workbench.review.propose(passages=10, rows=True)
        yield session


class HeldLoad:
    """Reads the case, and keeps what it read until it is let go."""

    def __init__(self, load) -> None:
        self._load = load
        self.count = 0
        self.has_read, self.go_on = threading.Event(), threading.Event()

    def __call__(self, bench, *former):
        self.count += 1
        state = self._load(bench, *former)
        self.has_read.set()
        assert self.go_on.wait(10)
        return state


@pytest.fixture
def held(monkeypatch):
    return lambda module, load: monkeypatch.setattr(f"{module}.load", held_load := HeldLoad(load)) or held_load


@pytest.fixture
def reading(qtbot, review, session, held):
    """A reading of the case for the review that is under way, and has read everything."""
    held_load = held("gui_app.review.screen", load)
    session.changed.emit(Changes(proposals=True), None)
    qtbot.waitUntil(held_load.has_read.is_set)
    return held_load


def statuses(session) -> Counter[str]:
    return Counter(session.workbench.verdicts.statuses().values())


def test_what_is_decided_while_the_case_is_read_is_decided_once(qtbot, review, session, reading):
    first, second, third = (proposal.id for proposal in review.queue.rows[:3])
    pending = statuses(session)["pending"]
    for key in (Key.Key_R, Key.Key_A):
        qtbot.keyClick(review.list, key)
    for _ in range(2):  # before it has arrived, and afterwards
        assert [session.workbench.verdicts.statuses()[identity] for identity in (first, second)] == [
            "rejected",
            "accepted",
        ]
        assert statuses(session)["pending"] == pending - 2
        assert review.current().id == third
        assert not {first, second} & {proposal.id for proposal in review.queue.rows}
        assert review.panel.count.text() == f"{pending - 2} left"
        reading.go_on.set()
        settle(qtbot, session)
    assert reading.count == 2  # what came meanwhile was read as well


def test_what_is_taken_back_while_the_case_is_read_stays_on_show(qtbot, review, session, held):
    first, second = (proposal.id for proposal in review.queue.rows[:2])
    qtbot.keyClick(review.list, Key.Key_R)
    settle(qtbot, session)
    held_load = held("gui_app.review.screen", load)
    session.changed.emit(Changes(proposals=True), None)
    qtbot.waitUntil(held_load.has_read.is_set)
    qtbot.keyClick(review.list, Key.Key_U)
    assert review.current().id == first
    qtbot.keyClick(review.list, Key.Key_J)
    held_load.go_on.set()
    settle(qtbot, session)
    assert review.current().id == second  # where the person went since
    assert first in {proposal.id for proposal in review.queue.rows}


def test_reports_that_come_faster_than_the_case_is_read_keep_nothing_back(qtbot, review, session, reading):
    session.workbench.hypotheses.add("The engineer locked the console himself.")
    former = review._state
    for _ in range(3):
        session.changed.emit(Changes(hypotheses=True), None)
    assert reading.count == 1
    states = []
    arrived = review._reader._on_result
    review._reader._on_result = lambda state: (states.append(state), arrived(state))
    reading.go_on.set()
    settle(qtbot, session)
    assert reading.count == len(states) == 2
    assert [hypothesis.id for hypothesis in states[0].hypotheses] == ["H1", "H2"]
    assert review._state is not former
    assert [hypothesis.id for hypothesis in review._state.hypotheses] == ["H1", "H2", "H3"]


def test_a_case_that_is_closed_while_it_is_read_leaves_nothing(qtbot, review, session, reading):
    path = session.workbench.path
    threading.Timer(0.2, reading.go_on.set).start()
    session.close_case()
    assert reading.go_on.is_set()
    qtbot.wait(50)
    assert review.queue.rows == []
    assert not review._state.is_read
    assert session.open(path)
    qtbot.waitUntil(lambda: bool(review.queue.rows))


def test_a_case_that_cannot_be_read_says_so_and_is_read_again(qtbot, session, monkeypatch):
    error = CaseValueWrong(table="proposal", id="P1", column="label")

    def fail(_bench, _former):
        raise error

    monkeypatch.setattr("gui_app.review.screen.load", fail)
    screen = ReviewScreen(session)
    session.failed.disconnect()  # a failure is meant here
    errors, mended = complaints(session), []
    session.mended.connect(mended.append)
    put_on_show(qtbot, screen)
    qtbot.waitUntil(lambda: errors == [error])
    assert error.sentence
    assert error.hint
    assert screen.empty.sentence.text() == "The proposals could not be read."
    monkeypatch.setattr("gui_app.review.screen.load", load)
    qtbot.mouseClick(screen.empty.button, Qt.MouseButton.LeftButton)
    settle(qtbot, session)
    assert screen.queue.rows
    assert mended == [error]


def test_new_proposals_move_neither_the_row_in_hand_nor_the_card(qtbot, review, session):
    review.resize(1000, 360)
    chosen = review.queue.rows[-3].id
    review.panel.go_to(len(review.queue.rows) - 3)
    review.list.verticalScrollBar().setValue(review.list.verticalScrollBar().value() + 7)
    review.card.verticalScrollBar().setValue(5)
    end = review.list.visualRect(review.list.currentIndex()).bottom()
    above, down = review.list.currentIndex().row(), review.card.verticalScrollBar().value()
    assert down
    session.workbench.hypotheses.add("He had locked the console himself.")
    session.workbench.review.propose(["H3"], passages=10)
    session.changed.emit(Changes(proposals=True, hypotheses=True), None)
    settle(qtbot, session)
    assert review.list.currentIndex().row() > above
    assert review.current().id == chosen
    assert [proposal.id for proposal in review.selection()] == [chosen]
    assert review.list.visualRect(review.list.currentIndex()).bottom() == end
    assert review.card.verticalScrollBar().value() == down


def test_rows_that_are_as_they_were_are_not_laid_out_again(qtbot, review, session):
    resets = []
    review.queue.modelReset.connect(lambda: resets.append(1))
    session.changed.emit(Changes(proposals=True), None)
    settle(qtbot, session)
    assert resets == []


def test_home_and_end_go_to_the_ends_of_the_queue(qtbot, review):
    qtbot.keyClick(review.list, Key.Key_End)
    assert review.current().id == review.queue.rows[-1].id
    qtbot.keyClick(review.list, Key.Key_Home)
    assert review.current().id == review.queue.rows[0].id


def test_cards_decided_while_the_case_is_read_are_decided_once(qtbot, session, held):
    page = PassagesPage(session)
    put_on_show(qtbot, page)
    settle(qtbot, session)
    page.list.setFocus()
    first, second, third = (card.passage.id for card in page.rows.rows[:3])
    left = len(page.rows.rows)
    held_load = held("gui_app.review.passages_page", passages_page.load)
    session.changed.emit(Changes(proposals=True), None)
    qtbot.waitUntil(held_load.has_read.is_set)
    for key in (Key.Key_A, Key.Key_R):
        qtbot.keyClick(page.list, key)
    for _ in range(2):
        assert page.current().passage.id == third
        assert page.count.text() == f"{left - 2} left"
        assert len(session.workbench.evidence.all()) == 1
        held_load.go_on.set()
        settle(qtbot, session)
    qtbot.keyClick(page.list, Key.Key_U)
    assert page.current().passage.id == second
    decided = {p.status for p in session.workbench.verdicts.proposals() if p.chunk == first}
    assert "accepted" in decided
