"""Telling apart: which way passages lean, what is judged, what would follow, and what can be done about it."""

from __future__ import annotations

import dataclasses

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.domain import Probabilities
from core.plans.discrimination import Outcome
from gui_app.search.discrimination_model import lead_words, outcome_words, standing_words
from gui_app.search.discrimination_page import DiscriminationPage
from tests.gui_app.small_case import put_on_show


@pytest.fixture
def page(qtbot, filled):
    page = DiscriminationPage(filled)
    put_on_show(qtbot, page, 1000, 640)
    qtbot.waitUntil(lambda: bool(page.model.rows), timeout=5000)
    return page


def settled(qtbot, page, condition):
    qtbot.waitUntil(lambda: not page.session.tasks.busy() and condition(), timeout=5000)


def test_passages_that_are_only_near_say_so(page):
    assert not any(entry.judged for entry in page.model.rows)
    chosen = page.chosen()
    assert "Not judged yet" in standing_words(chosen)
    assert chosen.leans in standing_words(chosen)
    words = page.model.data(page.model.index(0, 0), Qt.ItemDataRole.AccessibleTextRole)
    assert chosen.passage.name in words
    assert f"leans to {chosen.leans}" in words
    page.view.grab()


def test_one_passage_is_judged_and_becomes_proposals(qtbot, page, monkeypatch):
    def differently(_passage, hypothesis):
        return Probabilities(0.85, 0.08, 0.07) if "technician" in hypothesis else Probabilities(0.08, 0.85, 0.07)

    monkeypatch.setattr(type(page.session.workbench.engines.judge), "_one", staticmethod(differently))
    messages = []
    page.session.told.connect(lambda text, _undo: messages.append(text))
    chosen = page.chosen()
    page.view.setFocus()
    QTest.keyClick(page.view, Qt.Key.Key_J)
    settled(qtbot, page, lambda: any(entry.judged for entry in page._passages))
    (judged,) = (entry for entry in page._passages if entry.judged)
    assert (judged.passage.id, judged.leans) == (chosen.passage.id, "H1")
    assert messages == ["H1: speaks for, H2: speaks against"]
    assert {(p.hypothesis, p.chunk) for p in page.session.workbench.verdicts.proposals()} == {
        ("H1", chosen.passage.id),
        ("H2", chosen.passage.id),
    }
    assert judged.outcome.leaders == ("H1",)
    assert "H1 leads; now nothing leads." in standing_words(judged)
    assert "supports" not in standing_words(judged, blind=True)
    page.view.grab()


def test_a_passage_that_says_the_same_of_both_tells_next_to_nothing_and_that_is_told(qtbot, page, monkeypatch):
    alike = staticmethod(lambda _passage, _hypothesis: Probabilities(0.1, 0.1, 0.8))
    monkeypatch.setattr(type(page.session.workbench.engines.judge), "_one", alike)
    messages = []
    page.session.told.connect(lambda text, _undo: messages.append(text))
    chosen, listed = page.chosen(), list(page._passages)
    page.view.setFocus()
    QTest.keyClick(page.view, Qt.Key.Key_J)
    settled(qtbot, page, lambda: bool(messages))
    settled(qtbot, page, lambda: any(entry.judged for entry in page._passages) or len(page._passages) < len(listed))
    left = [entry.strength for entry in page._passages if entry.passage.id == chosen.passage.id]
    assert all(strength < 0.05 for strength in left)
    assert "much the same for both" in messages[0]


def test_all_on_the_list_are_judged_and_the_commands_follow(qtbot, page):
    waiting = len(page.model.rows)
    page.judge_all_action.trigger()
    settled(qtbot, page, lambda: len(page.session.workbench.verdicts.proposals()) == 2 * waiting)
    settled(qtbot, page, lambda: all(entry.judged for entry in page._passages))
    assert not page.judge_all_action.isEnabled()
    assert not page.judge_action.isEnabled()


def test_what_is_added_is_marked_and_can_be_left_out(qtbot, page):
    chosen = page.chosen()
    page.view.setFocus()
    QTest.keyClick(page.view, Qt.Key.Key_A)
    (row,) = page.session.workbench.evidence.all()
    assert row.quote == chosen.passage.text
    settled(qtbot, page, lambda: any(entry.evidence == row.id for entry in page._passages))
    page.fresh.setChecked(True)
    assert chosen.passage.id not in {entry.passage.id for entry in page.model.rows}
    page.fresh.setChecked(False)
    marked = next(index for index, entry in enumerate(page.model.rows) if entry.evidence == row.id)
    page.view.setCurrentIndex(page.model.index(marked, 0))
    assert not page.add_action.isEnabled()
    page.session.undo()
    settled(qtbot, page, lambda: not any(entry.evidence for entry in page._passages))


def test_a_pair_is_chosen_and_a_passage_opened(qtbot, page):
    page.session.do(lambda bench: bench.hypotheses.add("The camera was not recording."))
    qtbot.waitUntil(lambda: page.pair.count() == 4, timeout=5000)
    assert page.pair.itemText(0) == "All pairs"
    page.pair.setCurrentIndex(page.pair.findText("H1 or H3"))
    page.pair.activated.emit(page.pair.currentIndex())
    qtbot.waitUntil(lambda: {entry.pair for entry in page.model.rows} == {("H1", "H3")}, timeout=5000)
    places = []
    page.show_source.connect(lambda *place: places.append(place))
    QTest.keyClick(page.view, Qt.Key.Key_Return)
    passage = page.chosen().passage
    assert places == [(passage.document, passage.page, passage.start, passage.end)]


def test_without_rivals_or_a_search_model_the_page_says_what_is_missing(qtbot, filled, monkeypatch):
    filled.do(lambda bench: bench.hypotheses.remove("H2"))
    alone = DiscriminationPage(filled)
    qtbot.addWidget(alone)
    alone.show()
    assert "Two rival hypotheses" in alone.empty.sentence.text()
    filled.do(lambda bench: bench.hypotheses.add("Somebody else did it."))
    without = dataclasses.replace(filled.workbench.engines, embedder=None)
    monkeypatch.setattr(filled.workbench, "engines", without)
    alone.refresh()
    qtbot.waitUntil(lambda: "search model" in alone.empty.sentence.text(), timeout=5000)


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (
            Outcome((("H1", "C"), ("H2", "I")), ("H1", "H2"), ("H1",), (("H2", 1, 2),)),
            "H1 leads; now H1 and H2 share the lead.",
        ),
        (Outcome((("H2", "I"),), ("H1",), ("H1",), (("H2", 2, 3), ("H3", 3, 2))), "H2 falls from 2 to 3, H3 rises"),
        (Outcome((("H2", "I"),), ("H1",), ("H1",), ()), "one more count against H2; the ranking is unchanged."),
        (Outcome((("H1", "C"),), ("H1",), ("H1",), ()), "only what speaks against a hypothesis moves it."),
        (Outcome((), ("H1",), ("H1",), ()), "too close to call"),
    ],
)
def test_what_would_follow_in_words(outcome, words):
    assert words in outcome_words(outcome)


def test_who_leads_in_words():
    assert lead_words(()) == "nothing leads"
    assert lead_words(("H1", "H2", "H3")) == "H1, H2 and H3 share the lead"
    assert Probabilities(0.1, 0.8, 0.1).contradicts == 0.8
