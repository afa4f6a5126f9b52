"""Spellings of ratings, grades and dates."""

from __future__ import annotations

import pytest

from core.engines.matrix_import import vocabulary as words
from core.engines.matrix_import.vocabulary import Scale


@pytest.mark.parametrize(
    ("text", "rating"),
    [
        ("CC", "CC"), ("C C", "CC"), ("cc", "CC"), ("++", "CC"), ("+ +", "CC"), ("Very consistent", "CC"),
        ("strongly supports", "CC"), ("C", "C"), ("+", "C"), ("Consistent", "C"), ("N", "N"), ("neutral", "N"),
        ("I", "I"), ("-", "I"), ("\u2212", "I"), ("inconsistent", "I"), ("contradicts", "I"), ("II", "II"),
        ("I I", "II"), ("--", "II"), ("\u2013\u2013", "II"), ("HIGHLY  INCONSISTENT", "II"), ("NA", "NA"),
        ("N/A", "NA"), ("not applicable", "NA"), ("\uff23\uff23", "CC"), ("\u2161", "II"),
        ("Very Consistent (CC)", "CC"), ("CC (very consistent)", "CC"),
    ],
)  # fmt: skip
def test_a_rating_in_any_spelling(text, rating):
    assert Scale().read(text) == words.Reading(rating)


@pytest.mark.parametrize("text", ["", " ", "?", "unrated", "not rated", "TBD"])
def test_a_gap_is_a_gap(text):
    assert Scale().read(text) == words.Reading()


@pytest.mark.parametrize("text", ["X", "CCC", "III", "yes", "maybe", "1", "5", "0", "consistent?", "+++", "C" * 500])
def test_what_is_no_rating_is_known_as_none(text):
    meaning = Scale().read(text)
    assert meaning.rating is None
    assert not meaning.is_known


def test_a_remark_beside_a_rating_is_kept():
    assert Scale().read("I (the log was written later)") == words.Reading("I", remark="the log was written later")
    assert Scale().read("CC: seen by two") == words.Reading("CC", remark="seen by two")


def test_a_lone_dash_is_a_gap_among_letters_and_inconsistent_among_signs():
    assert words.scale_of(["CC", "-", "I"]).read("-").rating is None
    assert words.scale_of(["++", "-", "N"]).read("-").rating == "I"
    assert words.scale_of(["N", "-"]).read("-").rating == "I"


class TestNumbers:
    def test_both_ends_fill_in_the_steps_between(self):
        meanings = words.number_meanings(["Scale: 1 = very inconsistent, 5 = very consistent"])
        assert meanings == {"1": "II", "2": "I", "3": "N", "4": "C", "5": "CC"}

    def test_the_other_way_round(self):
        assert words.number_meanings(["1 = CC", "5 = II"])["2"] == "C"

    def test_around_zero(self):
        assert words.number_meanings(["-2 = II, +2 = CC"]) == {"-2": "II", "-1": "I", "0": "N", "1": "C", "2": "CC"}

    def test_steps_one_by_one(self):
        assert words.number_meanings(["3: neutral", "1: inconsistent"]) == {"3": "N", "1": "I"}

    @pytest.mark.parametrize(
        "texts",
        [[], ["1 = best, 5 = worst"], ["5 = CC"], ["5 = CC", "5 = II", "1 = II"], ["rated 1-5"], ["12 = C, 15 = I"]],
    )
    def test_nothing_is_guessed(self, texts):
        assert words.number_meanings(texts) == {}

    def test_a_number_that_is_explained_is_a_rating(self):
        scale = Scale(words.number_meanings(["1 = II, 5 = CC"]))
        assert scale.read("5.0").rating == "CC"
        assert not scale.read("6").is_known


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2020-03-04", "2020-03-04"), ("2020-03", "2020-03"), ("2020", "2020"),
        ("2020-03-04 10:30", "2020-03-04T10:30"),
        ("4.3.2020", "2020-03-04"), ("25/12/2020", "2020-12-25"), ("12/25/2020", "2020-12-25"),
        ("03/03/2020", "2020-03-03"),
        ("4 March 2020", "2020-03-04"), ("March 4, 2020", "2020-03-04"),
        ("Mar 2020", "2020-03"), ("43894", "2020-03-04"),
        ("43894.5", "2020-03-04T12:00:00"), ("", ""), ("n/a", ""), ("unknown", ""),
        ("03/04/2020", None), ("31.2.2020", None), ("2020-13-01", None), ("soon", None), ("1" * 400, None),
    ],
)  # fmt: skip
def test_dates(text, iso):
    assert words.iso_date(text) == iso


def test_the_other_dates_of_a_column_tell_which_comes_first():
    assert words.day_first(["03/04/2020", "25/04/2020"]) is True
    assert words.day_first(["03/04/2020", "04/25/2020"]) is False
    assert words.day_first(["25/04/2020", "04/25/2020"]) is None
    assert words.iso_date("03/04/2020", days_first=True) == "2020-04-03"
    assert words.iso_date("03/04/2020", days_first=False) == "2020-03-04"
    assert words.iso_date("43894", epoch_1904=True) == "2024-03-05"


def test_milliseconds_since_1970():
    assert words.date_of_milliseconds("1273622400000") == "2010-05-12"
    assert words.date_of_milliseconds("0") == ""
    assert words.date_of_milliseconds("") == ""
    assert words.date_of_milliseconds("-86400000") == "1969-12-31"
    assert words.date_of_milliseconds("999999999999999") is None
    assert words.date_of_milliseconds("yesterday") is None


@pytest.mark.parametrize(
    ("text", "grade"),
    [("B2", ("B", "2")), ("b", ("B", "")), ("6", ("", "6")), ("F/6", ("F", "6")), ("usually reliable", ("B", "")),
     ("possibly true", ("", "3")), ("", None), ("G1", None), ("B7", None), ("high", None)],
)  # fmt: skip
def test_admiralty_grades(text, grade):
    assert words.admiralty(text) == grade
