"""One table of phrases for every parser that reads numbers or times of day: each reads the same interval."""

from __future__ import annotations

import math

import pytest

from core.language.clock_times import clock_times_in
from core.language.figures import figures
from core.language.quantities import quantities_in

INFINITY = math.inf
NUMBERS = [  # phrase, least, most
    ("40 people", 40, 40),
    ("exactly 40 people", 40, 40),
    ("no more than 40 people", 0, 40),
    ("not more than 40 people", 0, 40),
    ("at most 40 people", 0, 40),
    ("up to 40 people", 0, 40),
    ("40 or fewer people", 0, 40),
    ("less than 40 people", 0, 40),
    ("fewer than 40 people", 0, 40),
    ("under 40 people", 0, 40),
    ("no less than 50 drivers", 50, INFINITY),
    ("no fewer than 50 drivers", 50, INFINITY),
    ("not fewer than 50 drivers", 50, INFINITY),
    ("at least 50 drivers", 50, INFINITY),
    ("upwards of 50 drivers", 50, INFINITY),
    ("50 or more drivers", 50, INFINITY),
    ("more than 50 drivers", 50, INFINITY),
    ("over 50 drivers", 50, INFINITY),
    ("exceeding 50 drivers", 50, INFINITY),
    ("20-30 crates", 20, 30),
    ("20–30 crates", 20, 30),
    ("20 to 30 crates", 20, 30),
    ("between 20 and 30 crates", 20, 30),
    ("about 50 crates", 45, 55),
    ("roughly 50 crates", 45, 55),
    ("two dozen crates", 24, 24),
    ("twenty-five men", 25, 25),
    ("a hundred men", 100, 100),
    ("three hundred and five men", 305, 305),
    ("half a million crowns", 500_000, 500_000),
    ("12 percent", 12, 12),
    ("5 per cent", 5, 5),
]
TIMES = [  # phrase, minute of the day, whether the half of the day is known
    ("at noon", 720, True),
    ("at midday", 720, True),
    ("at midnight", 0, True),
    ("at 14:05", 845, True),
    ("at 2.05 p.m.", 845, True),
    ("at half past two", 150, False),
    ("at a quarter to three", 165, False),
    ("at twenty past eleven", 680, False),
]


@pytest.mark.parametrize(("phrase", "least", "most"), NUMBERS)
def test_a_phrase_is_the_same_interval_for_every_parser(phrase, least, most):
    (figure,) = figures(phrase)
    (quantity,) = quantities_in(phrase)
    assert (figure.low, figure.high) == (pytest.approx(least, rel=1e-5), pytest.approx(most, rel=1e-5))
    assert (max(0.0, quantity.low), quantity.high) == (pytest.approx(least), pytest.approx(most))


@pytest.mark.parametrize(("phrase", "minute", "is_certain"), TIMES)
def test_a_time_of_day_is_the_same_minute_for_every_parser(phrase, minute, is_certain):
    (clock,) = clock_times_in(phrase)
    assert (clock.minute, clock.is_certain) == (minute, is_certain)
    (figure,) = figures(phrase)
    assert figure.kind == "time"
    assert {figure.low, figure.high} == ({minute} if is_certain else {minute, (minute + 720) % 1_440})
