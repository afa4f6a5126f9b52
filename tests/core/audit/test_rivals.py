"""Figures and days beside others of their kind."""

from __future__ import annotations

import pytest

from core.audit.rivals import other_item

TEMPERATURES = "It reached 31 degrees on Monday and 27 degrees on Tuesday."
LETTER = "The letter was dated 5 June but arrived on 12 June."
INVOICE = "The invoice of 3 May was paid on 9 June."
PRICES = "Prices rose by 5 percent in May and fell by 3 percent in June."
VALVE = "At 14:00 the valve was opened and at 15:00 it was closed."
WINDS = "31 knots were measured on Monday, 27 on Tuesday and at noon on Wednesday 19."


@pytest.mark.parametrize(
    ("sentence", "source", "words"),
    [
        ("The letter was dated 12 June.", LETTER, "12 June"),
        ("The letter arrived on 5 June.", LETTER, "5 June"),
        ("The invoice was paid on 3 May.", INVOICE, "3 May"),
        ("It reached 31 degrees on Tuesday.", TEMPERATURES, "31"),
        ("On Monday, 27 degrees were reached.", TEMPERATURES, "Monday"),
        ("27 knots were measured on Monday.", WINDS, "27"),
        ("Prices rose by 5 percent in June.", PRICES, "5 percent"),
        ("At 15:00 the valve was opened.", VALVE, "15:00"),
        ("The fire was out by 05:20.", "The fire was under control by 05:20 and out at 07:45.", "05:20"),
        ("The fire was out at 07:45.", "The fire was under control by 05:20 and out at 07:45.", ""),
        ("Ruth sold fewer crates in May.", "Ruth sold more crates in May but fewer in June.", "fewer"),
        ("Ruth sold more crates in May.", "Ruth sold more crates in May but fewer in June.", ""),
        ("Prices rose by 5 percent in May.", PRICES, ""),
        ("At 15:00 the valve was closed.", VALVE, ""),
        ("In 2019 the vat held 600 litres.", "In 2018 the vat held 500 litres, in 2019 600.", ""),
        ("The letter arrived on 12 June.", LETTER, ""),
        ("The invoice of 3 May was paid.", INVOICE, ""),
        ("It reached 27 degrees on Tuesday.", TEMPERATURES, ""),
        ("Sales rose to 60 million.", "Sales rose from 40 to 60 million.", ""),
        ("It was paid on 9 June.", "It was paid on 9 June.", ""),
    ],
)
def test_each_figure_is_of_what_it_is_beside(sentence, source, words):
    span = other_item(sentence, source)
    assert (sentence[slice(*span)].strip() if span else "") == words
