"""Bounds of shares, days and times."""

from __future__ import annotations

import pytest

from core.audit.bounds import other_bound


@pytest.mark.parametrize(
    ("sentence", "source", "words"),
    [
        ("Half of the crew slept.", "More than half of the crew slept.", "More than"),
        ("Less than half of the crew slept.", "More than half of the crew slept.", "More than"),
        ("Over a third of the crew slept.", "A third of the crew slept.", "Over"),
        ("It ends on 30 June.", "It ends on 30 June at the latest.", "at the latest"),
        ("It ends on 30 June at the earliest.", "It ends no later than 30 June.", "no later than"),
        ("All signed it.", "Apart from Fenn, all signed it.", "Apart from"),
        ("According to Fenn it held.", "Contrary to Fenn, it held.", "Contrary to"),
        ("The gate was open.", "As far as Fenn knows, the gate was open.", "As far as"),
        ("The roof leaks.", "The roof leaks when it rains.", "when it rains"),
        ("The tank holds 300 litres.", "The tank holds 300 litres when full.", "when full"),
        ("The roof leaks if it rains.", "The roof leaks when it rains.", ""),
        ("The roof leaked.", "The roof leaked when the storm came.", ""),
        ("All but Fenn, unlike Ruth, signed it.", "Unlike Ruth, all but Fenn signed it.", ""),
        ("Half of the crew slept.", "Half of the crew slept.", ""),
        ("Over half of the crew slept.", "More than half of the crew slept.", ""),
        ("No later than 30 June it ends.", "It ends on 30 June at the latest.", ""),
        ("More than 40 came, half of them late.", "More than 40 came, and half of them were late.", ""),
    ],
)
def test_a_bound_is_part_of_what_it_bounds(sentence, source, words):
    assert other_bound(sentence, source) == words
