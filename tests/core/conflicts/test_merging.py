"""From pairs to conflicts: one subject each, copies once, recurring measures never."""

from __future__ import annotations

from itertools import combinations

from core.conflicts import merging
from core.conflicts.differences import Difference, differences
from core.conflicts.pairs import Rarity
from core.conflicts.statements import Statement
from tests.core.conflicts.builders import OTHERS, statements

PUMP = "The dosing pump of the Weir Lane works in Ostermere was out of action for {} minutes that night."


def compared(rows: list[Statement]) -> list[Difference]:
    rarity = Rarity(rows)
    return [
        each for one, other in combinations(rows, 2) for each in differences(one, other, rarity.likeness(one, other))
    ]


def test_what_is_said_of_one_thing_stands_by_its_value():
    rows = statements(PUMP.format(47), PUMP.format(74), PUMP.format(47), *OTHERS)
    (cluster,) = merging.merge(compared(rows))
    assert [(stand.value, len(stand.places)) for stand in cluster.stands] == [("47..47", 2), ("74..74", 1)]
    assert cluster.documents == ("D1", "D3", "D2")


def test_a_measure_with_many_values_recurs():
    rows = statements(*[PUMP.format(minutes) for minutes in (47, 74, 81, 95)], *OTHERS)
    assert merging.merge(compared(rows)) == []


def test_other_sentences_with_the_same_figure_of_the_same_thing_support_it():
    rows = statements(
        PUMP.format(47), PUMP.format(74), "They held your pump for 47 minutes and let it go.",
        "The bus takes 47 minutes to the harbour on Sundays.", *OTHERS,
    )  # fmt: skip
    (cluster,) = merging.add_supporters(merging.merge(compared(rows)), rows)
    assert [place.statement.document for place in cluster.stands[0].places] == ["D1", "D3"]


def test_two_documents_that_contradict_each_other_everywhere_are_counted():
    names = ["".join(chr(97 + int(digit)) for digit in f"{number:03}") for number in range(40)]
    texts = [" ".join(f"The crate {name} of the Tessaric depot in Ostermere weighs {kilos} kilos." for name in names)
             for kilos in (10, 20)]  # fmt: skip
    rows = statements(*texts)
    mine, theirs = ([row for row in rows if row.document == document] for document in ("D1", "D2"))
    rarity = Rarity(rows)
    pairs = [each for one, other in zip(mine, theirs, strict=True)
             for each in differences(one, other, rarity.likeness(one, other))]  # fmt: skip
    clusters, more = merging.cap(merging.merge(pairs))
    assert len(clusters) == merging.PER_DOCUMENTS
    assert more == {("D1", "D2"): 30}


def test_copies_and_versions_count_once():
    rows = statements(PUMP.format(47), PUMP.format(47), PUMP.format(74))
    places = [merging.Place(row, merging.Span(0, 1)) for row in rows]
    assert merging.independent(places, {}) == [False, True, False]
    assert merging.independent(places, {"D3": "D1", "D1": "D1"}) == [False, True, True]


def test_families_join_over_several_steps():
    families = merging.families_of([("D3", "D2"), ("D2", "D1"), ("D9", "D8")])
    assert families == {"D1": "D1", "D2": "D1", "D3": "D1", "D8": "D8", "D9": "D8"}
