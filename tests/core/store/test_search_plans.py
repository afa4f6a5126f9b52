"""Names, search plans, searches that were run, and checks of what was missed: kept, undone, and never mixed up."""

from __future__ import annotations

import pytest

from core.domain import PlanQuery, Searched
from core.errors import BadInput, NoSuchItem
from core.progress import silent
from tests.core.store.material import undone_and_redone


@pytest.fixture
def case(small_case):
    return small_case


def test_a_new_plan_keeps_what_the_analyst_wrote(case):
    case.plans.set(
        [PlanQuery("", "H1", "statement", "the vendor"), PlanQuery("", "H1", "negation", "not the vendor")],
        hypotheses=["H1"],
    )
    case.plans.add("H1", "if true", "invoices of the vendor")
    case.plans.add("H2", "statement", "the pump was old")
    case.plans.set(
        [PlanQuery("", "H1", "keywords", "vendor"), PlanQuery("", "H1", "if true", "Invoices of the vendor")],
        hypotheses=["H1"],
    )
    assert [(q.role, q.text, q.origin) for q in case.plans.queries("H1")] == [
        ("if true", "invoices of the vendor", "analyst"),
        ("keywords", "vendor", "template"),
    ]
    assert len(undone_and_redone(case, lambda: case.plans.queries("H1"))) == 3
    assert [q.hypothesis for q in case.plans.queries()] == ["H1", "H1", "H2"]


def test_a_reworded_search_is_the_analysts(case):
    case.plans.set([PlanQuery("", "H2", "against", "it was new")], hypotheses=["H2"])
    (query,) = case.plans.queries("H2")
    case.plans.edit(query.id, "the pump was bought last year")
    assert case.plans.queries("H2")[0].origin == "analyst"
    assert undone_and_redone(case, case.plans.queries)[0].text == "it was new"
    case.plans.remove(query.id)
    assert case.plans.queries() == []
    with pytest.raises(BadInput):
        case.plans.add("H2", "guess", "words")
    with pytest.raises(BadInput):
        case.plans.add("H2", "keywords", "  ")
    with pytest.raises(NoSuchItem):
        case.plans.add("H9", "keywords", "words")


def test_a_hypothesis_goes_with_its_plan_and_comes_back_with_it(case):
    case.plans.add("H1", "keywords", "vendor")
    case.plans.judge_relevance("H1", case.pages.chunk_ids("D1")[0], True)
    case.plans.note_searches([Searched("", "H1", "keywords", "vendor", 3, 3)])
    case.hypotheses.remove("H1")
    assert case.plans.queries() == []
    assert case.plans.relevances() == []
    case.undo.undo()
    assert [q.text for q in case.plans.queries()] == ["vendor"]
    assert [r.relevant for r in case.plans.relevances()] == [True]
    assert [s.passages for s in case.plans.searches("H1")] == [3]
    assert not case.verify(silent()).problems


def test_searches_are_kept_in_the_order_in_which_they_were_run(case):
    case.plans.note_searches(
        [Searched("", "H1", "statement", "a", 30, 30), Searched("", "H2", "statement", "b", 30, 12)]
    )
    case.plans.note_searches([Searched("", "H1", "against", "c", 30, 7, supports=1, contradicts=4)])
    assert [(s.query, s.fresh, s.contradicts) for s in case.plans.searches("H1")] == [("a", 30, 0), ("c", 7, 4)]
    assert all(s.at for s in case.plans.searches())
    with pytest.raises(ValueError):
        case.plans.note_searches([Searched("", "H1", "against", "c", -1, 0)])
    assert len(case.plans.searches()) == 3


def test_each_person_says_for_themselves_what_bears_on_a_hypothesis(case):
    chunk = case.pages.chunk_ids("D1")[0]
    case.plans.judge_relevance("H1", chunk, True)
    case.log.sign_as("Ben")
    case.plans.judge_relevance("H1", chunk, False)
    assert [(r.by, r.relevant) for r in case.plans.relevances("H1")] == [("Ann", True), ("Ben", False)]
    case.plans.judge_relevance("H1", chunk, None)
    assert len(undone_and_redone(case, case.plans.relevances)) == 2
    with pytest.raises(BadInput):
        case.plans.judge_relevance("H1", 99, True)
