"""Figures and days as intervals."""

from __future__ import annotations

import pytest

from core.language.figures import agree, figures, is_borne_out, missing, same_slot


def texts(text: str) -> list[str]:
    return [figure.text.strip(" ,") for figure in figures(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The relay was out for 47 minutes on 3 May 2021.", ["47", "3 May 2021"]),
        ("about twenty-five women and 1,500 men", ["twenty-five", "1,500"]),
        ("COVID-19, the B2 form and E1", []),
        ("Apollo 11 and COHb 17 %", ["17 %"]),
        ("one of the two", ["two"]),
        ("5.5 per cent at 3 p.m.", ["5.5 per cent", "3 p.m"]),
        ("see page 12, line 4, section 7", []),
        ("3. The third item has 9 words", ["9"]),
        ("at 02:14 on 3 May", ["02:14", "3 May"]),
    ],
)
def test_figures_are_read(text, expected):
    assert texts(text) == expected


@pytest.mark.parametrize(
    ("first_text", "second_text", "same"),
    [
        ("47 minutes", "47 minutes", True),
        ("47 minutes", "74 minutes", False),
        ("about 50 men", "47 men", True),
        ("more than 40 men", "47 men", True),
        ("less than 40 men", "47 men", False),
        ("$4.2 million", "$4,213,000", True),
        ("$4.2 million", "$4.3 million", False),
        ("12 percent", "0.12 of it", True),
        ("3 May 2021", "May 2021", True),
        ("3 May 2021", "4 May 2021", False),
        ("3 May", "3 May 2021", True),
        ("2 p.m.", "14:00", True),
        ("forty-seven", "47", True),
    ],
)
def test_figures_agree_where_their_intervals_meet(first_text, second_text, same):
    (left,), (right,) = figures(first_text), figures(second_text)
    assert agree(left, right) is same
    assert agree(right, left) is same
    assert missing([left], [right]) == ([] if same else [left])


def test_the_same_slot_is_told_by_the_word_behind_a_figure():
    (figure,) = figures("out for 74 minutes")
    assert [counterpart.text for counterpart in same_slot(figure, figures("47 minutes and 9 pumps"))] == ["47"]


def test_a_power_of_ten_is_read_and_no_other_number_with_raised_digits():
    (power,) = figures("The tank held 10⁶ litres.")
    (plain,) = figures("The tank held 1,000,000 litres.")
    assert agree(power, plain)
    assert power.low <= 1e6 <= power.high
    (product,) = figures("It held 3.2 × 10⁶ litres.")
    assert product.low < 3.2e6 < product.high < 4e6
    assert figures("417³ deaths, 106² and 2⁵") == []
    assert not agree(power, figures("It held 106 litres.")[0])


@pytest.mark.parametrize(
    ("claim", "source", "is_there"),
    [
        ("2 cm out of true", "2 mm out of true", False),
        ("20 mm out of true", "2 cm out of true", True),
        ("1.5 km of cable", "1,500 metres of cable", True),
        ("3 kg of copper", "3 litres of copper paint", False),
        ("two days at sea", "48 hours at sea", True),
        ("two weeks at sea", "48 hours at sea", False),
        ("47 men", "47 passengers", True),
    ],
)
def test_a_figure_is_borne_out_in_its_own_unit_or_the_same_in_another(claim, source, is_there):
    (figure,) = figures(claim)
    assert is_borne_out(figure, figures(source)) is is_there


def test_a_bound_is_no_year():
    (bound,) = figures("At least 60 crates were missing.")
    assert not is_borne_out(bound, figures("13 March 2023"))
    (year,) = figures("In 2023 it was quiet.")
    assert is_borne_out(year, figures("13 March 2023"))
