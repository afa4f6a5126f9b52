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


def test_one_stretch_that_bears_it_out_is_enough():
    best = reading(0.9)
    assert weigh([reading(0.0, 0.1), best, reading()]) == ("supported", best)


def test_a_stretch_without_a_figure_or_name_of_it_bears_nothing_out():
    finding, _ = weigh([reading(0.95, lacks=("47",)), reading(0.1)])
    assert finding == "undecided"


def test_a_stretch_of_other_words_bears_nothing_out():
    assert weigh([reading(0.95, coverage=0.1)])[0] == "undecided"


@pytest.mark.parametrize("kind", ["contradicted", "differs", "overstated"])
def test_it_is_called_wrong_by_the_stretch_that_speaks_of_it_where_none_bears_it_out(kind):
    near = reading(0.05, **{kind: 0.8}, lacks=("47",))
    assert weigh([reading(0.01), near]) == (kind, near)


def test_it_is_not_called_wrong_where_another_stretch_may_bear_it_out():
    assert weigh([reading(0.3), reading(0.0, 0.9)])[0] == "undecided"


def test_it_is_not_found_where_no_stretch_speaks_of_it():
    assert weigh([reading(0.01), reading(0.02, 0.1)])[0] == "not_found"


def test_it_is_not_found_only_where_the_reader_is_sure():
    assert weigh([reading(0.15)])[0] == "undecided"


@pytest.mark.parametrize(("supported", "finding"), [(0.15, "undecided"), (0.05, "differs")])
def test_it_differs_where_a_stretch_has_its_figures_and_names_only_if_the_reader_is_surer(supported, finding):
    assert weigh([reading(supported, 0.0, 0.8), reading(0.0, lacks=("47",))])[0] == finding
    assert weigh([reading(supported, 0.0, 0.8, lacks=("47",))])[0] == "differs"


@pytest.mark.parametrize(("inside", "outside", "expectation"), [(0.1, 0.9, True), (0.9, 0.88, True), (0.5, 0.1, False)])
def test_a_cited_document_speaks_of_a_sentence_as_surely_as_any_other(inside, outside, expectation):
    readings = [
        replace(reading(1 - absent), stretch=Stretch((place,), ""))
        for absent, place in ((inside, place_in("D1")), (outside, place_in("D2")))
    ]
    assert speaks(readings, ["D1"]) is expectation
    assert not speaks(readings, ["D3"])
