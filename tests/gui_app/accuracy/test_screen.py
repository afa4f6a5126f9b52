"""The accuracy of a case on its screen: the figures, the search for every quote, and the way to the matrix row."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from core.accuracy.figures import BASES, PARTS
from gui_app.accuracy.figures_model import FiguresModel
from gui_app.accuracy.screen import AccuracyScreen
from tests.gui_app.small_case import open_session, put_on_show

SENTENCE = "The pump failed because of a worn bearing."


@pytest.fixture
def session(engines, tmp_path):
    with open_session(engines, tmp_path, proposed=False) as session:
        bench = session.workbench
        memo = next(document for document in bench.documents.all() if document.name == "memo.txt")
        start = bench.documents.page(memo.id, 1).text.index(SENTENCE)
        bench.evidence.add_quote(memo.id, 1, start, start + len(SENTENCE))
        bench.evidence.rate("E1", "H2", "C")
        yield session


@pytest.fixture
def screen(session, qtbot):
    screen = AccuracyScreen(session)
    put_on_show(qtbot, screen)
    qtbot.waitUntil(lambda: bool(screen.figures.rows))
    return screen


def search_again(screen, qtbot):
    qtbot.keyClick(screen.table, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: screen.job.task is None and screen.below.isVisible(), timeout=60_000)


def cell(screen, row, column):
    return screen.figures.index(row, column).data()


def test_every_figure_of_the_case_stands_there_with_its_basis(screen, session):
    figures = session.workbench.accuracy.figures()
    assert tuple(screen.figures.rows) == figures
    for row, figure in enumerate(figures):
        assert cell(screen, row, FiguresModel.VALUE).lower() == figure.text.lower()
        assert BASES[figure.basis].lower() in cell(screen, row, FiguresModel.BASIS).lower()
        assert figure.note in cell(screen, row, FiguresModel.BASIS)


def test_a_part_is_named_once(screen):
    names = [cell(screen, row, FiguresModel.PART) for row in range(len(screen.figures.rows))]
    named = [name for name in names if name]
    assert named == list(dict.fromkeys(PARTS[figure.part] for figure in screen.figures.rows))


def test_every_quote_is_searched_for_again_by_a_key_and_leads_to_its_cell(screen, session, qtbot):
    search_again(screen, qtbot)
    (row,) = screen.retrieval.rows
    assert (row,) == session.workbench.accuracy.retrieval()
    assert (row.evidence, row.hypothesis) == ("E1", "H2")
    assert row.rank is not None
    assert screen.summary.text() == "Found again: 1 of 1 quote"
    assert screen.current_item().id == "E1"
    assert any("quotes in the first" in figure.name for figure in screen.figures.rows)
    places = []
    screen.go_to_part.connect(lambda *where: places.append(where))
    assert screen.quotes.hasFocus()
    qtbot.keyClick(screen.quotes, Qt.Key.Key_Return)
    assert places == [("Matrix", "E1 H2")]


def test_what_was_looked_up_goes_when_the_matrix_changes(screen, session, qtbot):
    search_again(screen, qtbot)
    session.do(lambda bench: bench.evidence.rate("E1", "H1", "I"))
    assert not screen.below.isVisible()
    assert not screen.retrieval.rows
    qtbot.waitUntil(lambda: not any("quotes in the first" in figure.name for figure in screen.figures.rows))


def test_the_search_can_be_stopped(screen, session, qtbot, monkeypatch):
    def endless(progress):
        while True:
            progress.step(0, 1, "Searching")

    monkeypatch.setattr(session.workbench.accuracy, "retrieval", endless)
    qtbot.keyClick(screen.table, Qt.Key.Key_F5)
    assert screen.stop_button.isVisible()
    qtbot.mouseClick(screen.stop_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: screen.job.task is None)
    assert not screen.stop_button.isVisible()
    assert screen.search_action.isEnabled()
    assert not screen.below.isVisible()
