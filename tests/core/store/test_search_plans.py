"""Names, search plans, searches that were run, and checks of what was missed: kept, undone, and never mixed up."""

from __future__ import annotations

import pytest

from core.domain import PlanQuery, Searched
from core.errors import BadInput, NoSuchItem
from core.progress import silent
from core.store import CaseFile
from tests.core.store.material import add, clock


@pytest.fixture
def case(tmp_path):
    with CaseFile.create(tmp_path / "a.disconfirm", who="Ann", now=clock()) as opened:
        opened.add_hypothesis("The vendor did it")
        opened.add_hypothesis("The pump was old")
        add(opened, "a.txt", ["The pump stood still at noon. Nobody saw it."])
        yield opened


def undone_and_redone(case, look):
    """The last decision taken back and done again leaves what was there."""
    after = look()
    case.undo()
    before = look()
    assert before != after
    case.redo()
    assert look() == after
    assert not case.verify(silent()).problems
    return before


def test_a_name_is_one_whatever_it_is_called(case):
    first = case.add_entity("  Dana   Reyes ", kind="person", aliases=["D. Reyes", "dana reyes", "D. REYES"])
    assert (first.id, first.name, first.aliases) == ("N1", "Dana Reyes", ("D. Reyes",))
    again = case.add_entity("d. reyes", aliases=["Ms Reyes"])
    assert (again.id, again.kind) == ("N1", "person")
    assert again.aliases == ("D. Reyes", "Ms Reyes")
    assert undone_and_redone(case, case.entities)[0].aliases == ("D. Reyes",)
    assert [entity.name for entity in case.entities()] == ["Dana Reyes"]


def test_a_name_can_be_changed_rejected_and_taken_out(case):
    case.add_entity("Harbour Street", kind="place")
    case.edit_entity("N1", {"name": "Harbor Street", "aliases": ["Harbour Street"], "note": "two spellings"})
    assert undone_and_redone(case, case.entities)[0].name == "Harbour Street"
    case.edit_entity("N1", {"status": "rejected"})
    assert case.entities("confirmed") == []
    case.remove_entity("N1")
    assert undone_and_redone(case, case.entities)[0].status == "rejected"


@pytest.mark.parametrize(
    "change",
    [{"name": " "}, {"kind": "ghost"}, {"status": "maybe"}, {"colour": "blue"}, {"name": "x" * 201}],
)
def test_what_is_no_name_is_refused(case, change):
    case.add_entity("Orsolya")
    with pytest.raises(BadInput):
        case.edit_entity("N1", change)
    with pytest.raises(NoSuchItem):
        case.edit_entity("N9", {"name": "Nobody"})
    assert [entity.name for entity in case.entities()] == ["Orsolya"]


def test_a_new_plan_keeps_what_the_analyst_wrote(case):
    case.set_plan(
        [PlanQuery("", "H1", "statement", "the vendor"), PlanQuery("", "H1", "negation", "not the vendor")],
        hypotheses=["H1"],
    )
    case.add_plan_query("H1", "if true", "invoices of the vendor")
    case.add_plan_query("H2", "statement", "the pump was old")
    case.set_plan(
        [PlanQuery("", "H1", "keywords", "vendor"), PlanQuery("", "H1", "if true", "Invoices of the vendor")],
        hypotheses=["H1"],
    )
    assert [(q.role, q.text, q.origin) for q in case.plan("H1")] == [
        ("if true", "invoices of the vendor", "analyst"),
        ("keywords", "vendor", "template"),
    ]
    assert len(undone_and_redone(case, lambda: case.plan("H1"))) == 3
    assert [q.hypothesis for q in case.plan()] == ["H1", "H1", "H2"]


def test_a_reworded_search_is_the_analysts(case):
    case.set_plan([PlanQuery("", "H2", "against", "it was new")], hypotheses=["H2"])
    (query,) = case.plan("H2")
    case.edit_plan_query(query.id, "the pump was bought last year")
    assert case.plan("H2")[0].origin == "analyst"
    assert undone_and_redone(case, case.plan)[0].text == "it was new"
    case.remove_plan_query(query.id)
    assert case.plan() == []
    with pytest.raises(BadInput):
        case.add_plan_query("H2", "guess", "words")
    with pytest.raises(BadInput):
        case.add_plan_query("H2", "keywords", "  ")
    with pytest.raises(NoSuchItem):
        case.add_plan_query("H9", "keywords", "words")


def test_a_hypothesis_goes_with_its_plan_and_comes_back_with_it(case):
    case.add_plan_query("H1", "keywords", "vendor")
    case.judge_relevance("H1", case.chunk_ids("D1")[0], True)
    case.note_searches([Searched("", "H1", "keywords", "vendor", 3, 3)])
    case.remove_hypothesis("H1")
    assert case.plan() == []
    assert case.relevances() == []
    case.undo()
    assert [q.text for q in case.plan()] == ["vendor"]
    assert [r.relevant for r in case.relevances()] == [True]
    assert [s.passages for s in case.searches("H1")] == [3]
    assert not case.verify(silent()).problems


def test_searches_are_kept_in_the_order_in_which_they_were_run(case):
    case.note_searches([Searched("", "H1", "statement", "a", 30, 30), Searched("", "H2", "statement", "b", 30, 12)])
    case.note_searches([Searched("", "H1", "against", "c", 30, 7, supports=1, contradicts=4)])
    assert [(s.query, s.fresh, s.contradicts) for s in case.searches("H1")] == [("a", 30, 0), ("c", 7, 4)]
    assert all(s.at for s in case.searches())
    with pytest.raises(ValueError):
        case.note_searches([Searched("", "H1", "against", "c", -1, 0)])
    assert len(case.searches()) == 3


def test_each_person_says_for_themselves_what_bears_on_a_hypothesis(case):
    chunk = case.chunk_ids("D1")[0]
    case.judge_relevance("H1", chunk, True)
    case.sign_as("Ben")
    case.judge_relevance("H1", chunk, False)
    assert [(r.by, r.relevant) for r in case.relevances("H1")] == [("Ann", True), ("Ben", False)]
    case.judge_relevance("H1", chunk, None)
    assert len(undone_and_redone(case, case.relevances)) == 2
    with pytest.raises(BadInput):
        case.judge_relevance("H1", 99, True)
