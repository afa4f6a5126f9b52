"""Ratings that were given for other words: marked until they are given again, through undo and merging."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime

import pytest

from core.progress import silent
from core.store import CaseFile, merge
from tests.core.store.material import clock

LATER = "2026-03-02T08:00:00+00:00"
LATEST = "2026-03-03T08:00:00+00:00"


@pytest.fixture
def path(tmp_path):
    """Two hypotheses and two rows, all rated by Ann; written and closed."""
    path = tmp_path / "case.disconfirm"
    with CaseFile.create(path, title="Pump", who="Ann", now=clock()) as case:
        case.hypotheses.add("The operator did it")
        case.hypotheses.add("The vendor did it")
        for text in ("Seen on the site", "Heard at the gate"):
            case.evidence.add(text=text, source="walk")
        case.ratings.rate_many([(row, h, "I") for row in ("E1", "E2") for h in ("H1", "H2")])
    return path


def rate_again(case, *cells):
    case.ratings.rate_many([(*cell, "I") for cell in cells], again=case.history.outdated_ratings())


def test_a_reworded_hypothesis_leaves_its_ratings_outdated_until_they_are_given_again(path):
    with CaseFile.open(path, who="Ann", now=clock(LATER)) as case:
        assert case.history.outdated_ratings() == set()
        case.hypotheses.edit("H2", text="The vendor never did it", note="")
        assert case.history.outdated_ratings() == {"E1/H2/Ann", "E2/H2/Ann"}
        rate_again(case, ("E1", "H2"), ("E1", "H1"))
        assert case.history.outdated_ratings() == {"E2/H2/Ann"}
        case.ratings.rate("E2", "H2", "C")
        assert case.history.outdated_ratings() == set()
    with CaseFile.open(path, who="Ann", now=clock(LATEST)) as case:
        assert case.history.outdated_ratings() == set()
        assert case.verify(silent()).ok


def test_undo_brings_back_that_a_rating_is_outdated_and_that_it_is_not(path):
    with CaseFile.open(path, who="Ann", now=clock(LATER)) as case:
        case.hypotheses.edit("H1", text="The operator was elsewhere", note="")
        rate_again(case, ("E1", "H1"), ("E2", "H1"))
        assert case.history.outdated_ratings() == set()
        case.undo.undo()
        assert case.history.outdated_ratings() == {"E1/H1/Ann", "E2/H1/Ann"}
        case.undo.undo()
        assert case.history.outdated_ratings() == set()
        case.undo.redo()
        assert case.history.outdated_ratings() == {"E1/H1/Ann", "E2/H1/Ann"}
        case.undo.redo()
        assert case.history.outdated_ratings() == set()


def test_the_same_rating_is_no_decision_where_the_words_are_the_same(path):
    with CaseFile.open(path, who="Ann", now=clock(LATER)) as case:
        case.hypotheses.edit("H1", text="The Operator  did it", note="small letters and blanks do not matter")
        position = case.history.position()
        rate_again(case, ("E1", "H1"))
        assert case.history.position() == position


def test_a_rating_that_comes_with_other_words_is_outdated_here(path, tmp_path):
    merged_path = tmp_path / "ben.disconfirm"
    shutil.copyfile(path, merged_path)
    with CaseFile.open(merged_path, who="Ben", now=clock(LATER)) as case:
        case.ratings.rate_many([("E1", "H1", "CC"), ("E1", "H2", "CC")])
        case.hypotheses.edit("H1", text="The operator slept", note="")
        case.ratings.rate("E2", "H1", "II")
    with CaseFile.open(path, who="Ann", now=clock(LATER)) as case:
        case.hypotheses.edit("H2", text="The vendor paid for it", note="")
        rate_again(case, ("E1", "H2"), ("E2", "H2"))
        merge(case, merged_path, silent())
        assert [h.text for h in case.hypotheses.all()] == ["The operator slept", "The vendor paid for it"]
        # Ben rated H1 before he reworded it, and H2 as it was; Ann rated H1 as it was.
        assert case.history.outdated_ratings() == {"E1/H1/Ben", "E1/H2/Ben", "E1/H1/Ann", "E2/H1/Ann"}
        case.undo.undo()
        assert case.history.outdated_ratings() == set()
        case.undo.redo()
        assert case.verify(silent()).ok


def test_a_case_of_its_own_brings_what_is_outdated_there(path, tmp_path):
    with CaseFile.open(path, who="Ann", now=clock(LATER)) as case:
        case.hypotheses.edit("H2", text="The vendor paid for it", note="")
    with CaseFile.create(tmp_path / "new.disconfirm", title="Pump", who="Eva", now=clock(LATEST)) as case:
        case.hypotheses.add("The vendor paid for it")
        merge(case, path, silent())
        assert [h.text for h in case.hypotheses.all()] == ["The vendor paid for it", "The operator did it"]
        assert case.history.outdated_ratings() == {"E1/H1/Ann", "E2/H1/Ann"}


def test_a_rating_given_again_at_the_same_moment_is_one_of_its_own(path):
    with CaseFile.open(path, who="Ann", now=lambda: datetime(2026, 3, 2, tzinfo=UTC)) as case:
        case.ratings.rate("E1", "H1", "C")
        case.hypotheses.edit("H1", text="The operator slept", note="")
        case.ratings.rate("E1", "H1", "C")
        assert "E1/H1/Ann" in case.history.outdated_ratings()
        case.ratings.rate_many([("E1", "H1", "C")], again=case.history.outdated_ratings())
        assert "E1/H1/Ann" not in case.history.outdated_ratings()


def test_what_was_outdated_at_an_earlier_moment_stays_known(path):
    with CaseFile.open(path, who="Ann", now=clock(LATER)) as case:
        case.hypotheses.edit("H1", text="The operator slept", note="")
        position = case.history.position()
        marked = case.history.outdated_ratings()
        assert case.history.outdated_ratings(position - 1) == set()
        rate_again(case, ("E1", "H1"), ("E2", "H1"))
        assert case.history.outdated_ratings() == set()
        assert case.history.outdated_ratings(position) == marked == {"E1/H1/Ann", "E2/H1/Ann"}
        assert case.history.outdated_ratings() == set()


def test_a_name_that_is_given_later_leaves_outdated_what_was_outdated(path):
    with CaseFile.open(path, who="Ann", now=clock(LATER)) as case:
        case.hypotheses.edit("H2", text="The vendor never did it", note="")
        case.log.sign_as("Bea")
        assert case.ratings.sign("Ann") == 4
        assert case.history.outdated_ratings() == {"E1/H2/Bea", "E2/H2/Bea"}
        assert {rating.by for rating in case.ratings.assessments()} == {"Bea"}
        case.undo.undo()
        assert case.history.outdated_ratings() == {"E1/H2/Ann", "E2/H2/Ann"}
        assert case.ratings.sign("Cem") == 0
        assert case.verify(silent()).ok
