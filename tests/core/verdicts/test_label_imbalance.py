from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.verdicts import label_imbalance
from core.verdicts.label_imbalance import Skew

MIXED = [("D9", label) for label in ("supports", "contradicts", "neutral", "neutral") * 10]


def verdicts(document: str, **counts: int) -> list[tuple[str, str]]:
    return [(document, label) for label, number in counts.items() for _ in range(number)]


def test_a_document_on_one_side_is_told_where_the_others_are_not():
    skews = label_imbalance.find([*MIXED, *verdicts("D1", supports=19, neutral=1)])
    assert skews == [Skew("D1", "supports", 19, 20)]
    assert "19 of 20 verdicts on log.txt are “supports”" in skews[0].sentence("log.txt")


@pytest.mark.parametrize(
    "counts",
    [
        {"supports": 17, "neutral": 3},  # 85%
        {"supports": 19},  # too few to tell
        {"neutral": 60},  # most passages are neutral to most hypotheses
        {"supports": 10, "contradicts": 10},
    ],
)
def test_what_can_well_be_is_not_told(counts):
    assert label_imbalance.find([*MIXED, *verdicts("D1", **counts)]) == []


def test_a_subject_that_is_one_sided_everywhere_is_told_once_and_of_no_document():
    pairs = [*verdicts("D1", contradicts=30), *verdicts("D2", contradicts=28, neutral=2)]
    (skew,) = label_imbalance.find(pairs)
    assert (skew.document, skew.label, skew.count, skew.total) == ("", "contradicts", 58, 60)
    assert "of the model" in skew.sentence()
    mostly = [*verdicts("D1", supports=30), *verdicts("D2", supports=24, neutral=6)]
    assert label_imbalance.find([*mostly, *verdicts("D3", neutral=2)]) == []  # D2 has as many: it is the subject


@given(
    st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from(["supports", "contradicts", "neutral", "ambiguous"])))
)
def test_whatever_is_told_is_so_and_the_order_does_not_matter(pairs):
    skews = label_imbalance.find(pairs)
    for skew in skews:
        labels = [label for document, label in pairs if skew.document in ("", document)]
        assert skew.total == len(labels) >= label_imbalance.FEWEST
        assert skew.count == labels.count(skew.label) >= label_imbalance.SHARE * len(labels)
    assert set(label_imbalance.find(pairs[::-1])) == set(skews)
