"""Sentences as what they say can be compared."""

from __future__ import annotations

from core.conflicts.statements import days_in, is_negated, names_in, quantities_of, words_of
from tests.core.conflicts.builders import statements


def test_a_statement_is_a_span_of_its_page_with_the_sentence_before_it():
    text = "The pump in Weir Lane stopped at night. Ruben Aske found it cold and silent. Why?"
    rows = statements(text)
    assert [text[row.start : row.end] for row in rows] == [row.text for row in rows]
    assert len(rows) == 2
    assert rows[1].previous == rows[0].text


def test_what_closes_a_heading_in_bold_belongs_to_no_statement():
    text = "**Pump two.** The pump in Weir Lane stopped at night."
    assert [row.text for row in statements(text)] == ["The pump in Weir Lane stopped at night."]


def test_names_are_words_with_a_capital_that_begin_no_sentence_and_are_no_title_or_month():
    assert names_in("Yesterday Mr Ruben Aske met the mayor in Weir Lane in March.") == {"ruben", "aske", "weir", "lane"}
    assert names_in("W: Tell Ruben that.") == {"ruben"}


def test_two_negations_cancel_out():
    assert is_negated(words_of("He did not switch it off."))
    assert is_negated(words_of("He didn't switch it off."))
    assert is_negated(words_of("which has not’been reviewed"))
    assert not is_negated(words_of("Nobody did not see it."))
    assert not is_negated(words_of("He switched it off."))


def test_the_figures_of_dates_and_times_are_no_quantities():
    text = "On 13 March 2025 at 02:41 the pump stopped for 47 minutes."
    assert [quantity.text for quantity in quantities_of(text)] == ["47"]
    assert [("On Tuesday, 5 May.")[start:end] for start, end in days_in("On Tuesday, 5 May.")] == ["Tuesday", "5 May"]
