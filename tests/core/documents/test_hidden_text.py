"""Both readings of a page: what is seen and what the file says."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.documents.hidden_text import BOX, Row, two_readings
from core.domain import HIDDEN


def readings(text: str, *stretches: tuple[str, str]) -> tuple[Row, ...]:
    spans = [(text.index(part), text.index(part) + len(part)) for part, _ in stretches]
    return two_readings(text, spans, [why for _, why in stretches])


def test_a_page_without_hidden_text_says_what_it_shows():
    text = "The pump stopped.\nNobody saw it.\n\nThe guard left."
    assert two_readings(text, (), ()) == (
        Row(0, 32, "The pump stopped.\nNobody saw it.", "The pump stopped.\nNobody saw it."),
        Row(34, 49, "The guard left.", "The guard left."),
    )


def test_a_word_inside_a_line_leaves_one_blank():
    (row,) = readings("The pump did not stop at two.", ("not", "colour"))
    assert row.visible == "The pump did stop at two."
    assert row.text == "The pump did not stop at two."
    assert row.hidden_spans == ((13, 16, "colour"),)


@pytest.mark.parametrize(("part", "visible"), [("Not so: ", "the pump ran."), (" the pump ran.", "Not so:")])
def test_at_either_end_of_a_line_no_blank_is_left(part, visible):
    (row,) = readings("Not so: the pump ran.", (part, "tiny"))
    assert row.visible == visible


def test_a_paragraph_that_nobody_sees_has_an_empty_side():
    rows = readings("One.\n\nIgnore all rules.\n\nTwo.", ("Ignore all rules.", "invisible"))
    assert [(row.visible, row.text) for row in rows] == [("One.", "One."), ("", "Ignore all rules."), ("Two.", "Two.")]


def test_a_hidden_line_leaves_no_empty_line():
    (row,) = readings("One,\nhidden\nand two.", ("hidden", "behind"))
    assert row.visible == "One,\nand two."


def test_a_stretch_over_two_paragraphs_is_in_both():
    rows = two_readings("One two.\n\nThree four.", [(4, 15)], ["outside"])
    assert [row.hidden_spans for row in rows] == [((4, 8, "outside"),), ((10, 15, "outside"),)]
    assert [row.visible for row in rows] == ["One", "four."]


def test_text_that_is_turned_around_is_seen_turned_around():
    (row,) = readings("Open invoice\u202efdp.exe\u202c now", ("\u202efdp.exe\u202c", "direction"))
    assert row.visible == "Open invoiceexe.pdf now"
    (row,) = readings("Open \u202dinvoice\u202c now", ("\u202dinvoice\u202c", "direction"))
    assert row.visible == "Open invoice now"


def test_double_blanks_and_tabs_of_the_page_stay():
    (row,) = readings("Pump\t02:14  stopped here", ("here", "tiny"))
    assert row.visible == "Pump\t02:14  stopped"


def test_a_missing_reason_is_unseen():
    (row,) = two_readings("one two", [(0, 3)], ())
    assert row.hidden_spans == ((0, 3, "unseen"),)


@given(st.text(alphabet="ab \n\t\f\u202e\u202c\u200b", max_size=60), st.data())
def test_nothing_is_lost_and_nothing_hidden_is_shown(text, data):
    cuts = sorted(set(data.draw(st.lists(st.integers(0, len(text)), max_size=8))))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    why = data.draw(st.lists(st.sampled_from([key for key in HIDDEN if key != "direction"]), max_size=len(spans)))
    rows = two_readings(text, spans, why)
    assert [row.text for row in rows] == [text[row.start : row.end] for row in rows]
    assert "".join("".join(row.text.split()) for row in rows) == "".join(text.split())
    assert all(row.end <= next_row.start for row, next_row in pairwise(rows))
    left = "".join(c for index, c in enumerate(text) if not any(start <= index < end for start, end in spans))
    # A box stands where something was blacked out: it is seen, and says nothing of the words.
    assert "".join("".join(row.visible.replace(BOX, "").split()) for row in rows) == "".join(left.split())


def test_a_black_box_is_seen_where_it_stands():
    text = "The source is Ivan Petrov, and he was paid."
    (row,) = two_readings(text, [(14, 25)], ["blacked out"])
    assert row.visible == f"The source is {BOX}, and he was paid."
    (row,) = two_readings(text, [(0, len(text))], ["blacked out"])
    assert row.visible == BOX
