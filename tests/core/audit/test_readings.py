"""From readings of stretches to the finding on a sentence."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from core.audit.readings import Reading, Stretch, speaks, weigh
from core.domain import Bearing


def reading(supported=0.0, contradicted=0.0, differs=0.0, overstated=0.0, *, lacks=(), coverage=0.5):
    absent = 1.0 - supported - contradicted - differs - overstated
    return Reading(Stretch((), ""), Bearing(supported, contradicted, differs, overstated, absent), lacks, coverage)


def place_in(document):
    return SimpleNamespace(page=SimpleNamespace(document=document))


def test_one_supporting_stretch_is_enough():
    best = reading(0.9)
    assert weigh([reading(0.0, 0.1), best, reading()]) == ("supported", best)


def test_a_stretch_without_a_figure_or_name_of_the_claim_supports_nothing():
    finding, _ = weigh([reading(0.95, lacks=("47",)), reading(0.1)])
    assert finding == "undecided"


def test_a_stretch_of_other_words_supports_nothing():
    assert weigh([reading(0.95, coverage=0.1)])[0] == "undecided"


def test_a_stretch_that_says_it_otherwise_supports_nothing():
    assert weigh([replace(reading(0.95), is_turned=True)])[0] == "undecided"
    assert weigh([replace(reading(0.95), is_turned=True), reading(0.9)])[0] == "supported"


@pytest.mark.parametrize("kind", ["contradicted", "differs", "overstated"])
def test_the_nearest_stretch_decides_on_a_wrong_claim(kind):
    near = reading(0.05, **{kind: 0.8}, lacks=("47",))
    assert weigh([reading(0.01), near]) == (kind, near)


def test_a_claim_that_a_stretch_may_support_is_not_wrong():
    assert weigh([reading(0.3), reading(0.0, 0.9)])[0] == "undecided"


def test_a_claim_without_a_stretch_about_it_is_not_found():
    assert weigh([reading(0.01), reading(0.02, 0.1)])[0] == "not_found"


def test_a_claim_is_not_found_only_if_the_reader_is_sure():
    assert weigh([reading(0.15)])[0] == "undecided"


@pytest.mark.parametrize("supported", [0.15, 0.05, 0.0])
def test_a_sentence_differs_only_if_a_figure_a_day_or_a_name_is_missing(supported):
    assert weigh([reading(supported, 0.0, 0.8), reading(0.0, lacks=("47",))])[0] == "undecided"
    assert weigh([reading(supported, 0.0, 0.8, lacks=("47",))])[0] == "differs"


@pytest.mark.parametrize(
    ("cited_absence", "other_absence", "expectation"), [(0.1, 0.9, True), (0.9, 0.88, True), (0.5, 0.1, False)]
)
def test_a_cited_document_must_be_as_near_as_the_others(cited_absence, other_absence, expectation):
    readings = [
        replace(reading(1 - absent), stretch=Stretch((place,), ""))
        for absent, place in ((cited_absence, place_in("D1")), (other_absence, place_in("D2")))
    ]
    assert speaks(readings, ["D1"]) is expectation
    assert not speaks(readings, ["D3"])
