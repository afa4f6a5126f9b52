"""What differs between a quote and its page, and of what kind it is."""

from __future__ import annotations

import pytest

from core.evidence.quotes import find
from core.evidence.word_differences import differences
from core.text import NEGATIONS
from tests.core.evidence.located import locate
from tests.core.evidence.test_quotes import TEXT, page


@pytest.mark.parametrize(
    ("quote", "kind"),
    [
        ("The operator did touch the pump on 3 May 2021.", "negation"),
        ("The operator did not touch the pump on 4 May 2021.", "number"),
        ("The operator did not touch the pump on 3 June 2021.", "date"),
        ("The operator did not touch the valve on 3 May 2021.", "word"),
        ("it is likely to fail.", "negation"),
        ("We paid 500 crowns — no more.", "number"),
        ("The loss was 5 degrees and 10² litres.", "number"),
        ("The loss was -5 degrees and 102 litres.", "number"),
        ("the operator did not touch the pump on 3 May 2021.", "word"),
    ],
)
def test_a_changed_quote_is_at_most_near_and_the_change_is_named(quote, kind):
    answer = find(quote, [page(TEXT)])
    assert answer.status == "near"
    assert kind in {difference.what for difference in answer.matches[0].differences}
    assert locate(quote, page(TEXT)) is None


def test_a_word_too_many_is_told_from_its_neighbour():
    compared = differences(["from", "the", "whole", "internet"], ["from", "the", "internet."])
    assert compared is not None
    assert [(difference.quote, difference.page) for difference in compared[0]] == [
        ("whole", ""),
        ("internet", "internet."),
    ]


def test_negation_words_are_lower_case():
    assert all(word == word.casefold() for word in NEGATIONS)


@pytest.mark.parametrize(
    ("quote", "altered"),
    [
        ("The operator did not tonch the pump on 3 May 2021.", False),
        ("The operator did not touch the pump on 3 May 2021 .", False),
        ("The operator did not touch the pump on 8 May 2021.", True),
        ("The operator did not touch the pump on 3 May 2022.", True),
        ("The operator did not touch the pump on 3 March 2021.", True),
        ("The operator did touch the pump on 3 May 2021.", True),
        ("The operator didn't touch the pump on 3 May 2021.", False),
        ("The Operator Smith did not touch the pump on 3 May 2021.", True),
        ("The outage lasted eight days. The operator did not touch", True),
    ],
)
def test_what_differs_in_a_figure_a_date_a_negation_or_a_name_is_altered(quote, altered):
    answer = find(quote, [page(TEXT)])
    assert answer.status == "near"
    assert answer.altered is altered
