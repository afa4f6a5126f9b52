"""From pairs to conflicts: one subject each, copies once, recurring measures never."""

from __future__ import annotations

from itertools import combinations

from core.conflicts import merging
from core.conflicts.differences import Difference, differences
from core.conflicts.pairs import Rarity
from core.conflicts.statements import Statement
from tests.core.conflicts.builders import OTHERS, statements

PUMP = "The dosing pump of the Weir Lane works in Ostermere was out of action for {} minutes that night."


def pairs_of(rows: list[Statement]) -> list[Difference]:
    rarity = Rarity(rows)
    return [
        difference
        for left, right in combinations(rows, 2)
        for difference in differences(left, right, rarity.likeness(left, right))
    ]


def test_merge_groups_places_by_value():
    rows = statements(PUMP.format(47), PUMP.format(74), PUMP.format(47), *OTHERS)
    (cluster,) = merging.merge(pairs_of(rows))
    assert [(variant.value, len(variant.places)) for variant in cluster.variants] == [("47..47", 2), ("74..74", 1)]
    assert cluster.documents == ("D1", "D3", "D2")


def test_merge_skips_measures_with_many_values():
    rows = statements(*[PUMP.format(minutes) for minutes in (47, 74, 81, 95)], *OTHERS)
    assert merging.merge(pairs_of(rows)) == []


def test_supporters_name_the_same_figure_of_the_same_thing():
    rows = statements(
        PUMP.format(47), PUMP.format(74), "They held your pump for 47 minutes and let it go.",
        "The bus takes 47 minutes to the harbour on Sundays.", *OTHERS,
    )  # fmt: skip
    (cluster,) = merging.add_supporters(merging.merge(pairs_of(rows)), rows)
    assert [place.statement.document for place in cluster.variants[0].places] == ["D1", "D3"]


def test_conflicts_of_two_documents_are_limited_and_counted():
    names = ["".join(chr(97 + int(digit)) for digit in f"{number:03}") for number in range(40)]
    texts = [" ".join(f"The crate {name} of the Tessaric depot in Ostermere weighs {kilos} kilos." for name in names)
             for kilos in (10, 20)]  # fmt: skip
    rows = statements(*texts)
    left, right = ([row for row in rows if row.document == document] for document in ("D1", "D2"))
    rarity = Rarity(rows)
    pairs = [difference for first, second in zip(left, right, strict=True)
             for difference in differences(first, second, rarity.likeness(first, second))]  # fmt: skip
    clusters, surplus = merging.cap(merging.merge(pairs))
    assert len(clusters) == merging.PER_DOCUMENTS
    assert surplus == {("D1", "D2"): 30}


def test_repetitions_are_copies_and_versions():
    rows = statements(PUMP.format(47), PUMP.format(47), PUMP.format(74))
    places = [merging.Place(row, merging.Span(0, 1)) for row in rows]
    assert merging.repetitions(places, {}) == [False, True, False]
    assert merging.repetitions(places, {"D3": "D1", "D1": "D1"}) == [False, True, True]


def test_families_join_over_several_steps():
    families = merging.families_of([("D3", "D2"), ("D2", "D1"), ("D9", "D8")])
    assert families == {"D1": "D1", "D2": "D1", "D3": "D1", "D8": "D8", "D9": "D8"}
