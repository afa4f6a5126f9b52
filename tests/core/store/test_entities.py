"""Names of a case."""

from __future__ import annotations

import pytest

from core.errors import BadInput, NoSuchItem
from tests.core.store.material import undone_and_redone


@pytest.fixture
def case(small_case):
    return small_case


def test_a_name_is_one_whatever_it_is_called(case):
    first = case.entities.add("  Dana   Reyes ", kind="person", aliases=["D. Reyes", "dana reyes", "D. REYES"])
    assert (first.id, first.name, first.aliases) == ("N1", "Dana Reyes", ("D. Reyes",))
    second = case.entities.add("d. reyes", aliases=["Ms Reyes"])
    assert (second.id, second.kind) == ("N1", "person")
    assert second.aliases == ("D. Reyes", "Ms Reyes")
    assert undone_and_redone(case, case.entities.all)[0].aliases == ("D. Reyes",)
    assert [entity.name for entity in case.entities.all()] == ["Dana Reyes"]


def test_a_name_can_be_changed_rejected_and_taken_out(case):
    case.entities.add("Harbour Street", kind="place")
    case.entities.edit("N1", {"name": "Harbor Street", "aliases": ["Harbour Street"], "note": "two spellings"})
    assert undone_and_redone(case, case.entities.all)[0].name == "Harbour Street"
    case.entities.edit("N1", {"status": "rejected"})
    assert case.entities.all("confirmed") == []
    case.entities.remove("N1")
    assert undone_and_redone(case, case.entities.all)[0].status == "rejected"


@pytest.mark.parametrize(
    "change",
    [{"name": " "}, {"kind": "ghost"}, {"status": "maybe"}, {"colour": "blue"}, {"name": "x" * 201}],
)
def test_what_is_no_name_is_refused(case, change):
    case.entities.add("Orsolya")
    with pytest.raises(BadInput):
        case.entities.edit("N1", change)
    with pytest.raises(NoSuchItem):
        case.entities.edit("N9", {"name": "Nobody"})
    assert [entity.name for entity in case.entities.all()] == ["Orsolya"]
