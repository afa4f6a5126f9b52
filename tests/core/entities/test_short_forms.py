"""Short forms of a person's name: suggested where one person has the last name, never where two share it."""

from __future__ import annotations

import pytest

from core.domain import Entity
from core.entities.spellings import spellings

BRANDT = Entity("N1", "Ilse Brandt", kind="person")
FULL = "Ilse Brandt came. "


def short(text, *entities):
    rows = spellings(entities or [BRANDT], [("D1", text)])
    return [(row.entity, {row.text, *row.others}) for row in rows if row.kind == "short"]


@pytest.mark.parametrize(
    "form",
    ["Brandt", "Ms Brandt", "Dr. Brandt", "I. Brandt", "BRANDT, Ilse", "Brandt, I.", "Inspector Brandt", "BRANDT"],
)
def test_the_last_name_alone_or_with_a_title_or_an_initial_is_suggested(form):
    assert short(f"{FULL}Then {form} left.") == [("N1", {form})]


def test_all_forms_of_one_name_are_one_suggestion_counted_by_its_passages():
    texts = [("D1", "Brandt left."), ("D1", "I saw Ms Brandt."), ("D2", "Nobody came."), ("D3", FULL)]
    (row,) = (row for row in spellings([BRANDT], texts) if row.kind == "short")
    assert (row.text, row.others, row.passages, row.documents) == ("Brandt", ("Ms Brandt",), 3, 2)


@pytest.mark.parametrize(
    "text",
    [
        "Then Brandt left. Karl Brandt stayed.",
        "Then Brandt left, and K. Brandt stayed.",
        "Then Ms Brandt left, and Mr Brandt stayed.",
        "Then Brandt left.\n\nBRANDT, Karl: driver",
        "Then Brandt left.\nBrandt, Karl\nWeller, Tomas",
    ],
)
def test_nothing_is_suggested_where_the_documents_name_two_of_the_name(text):
    assert short(FULL + text) == []


def test_nothing_is_suggested_where_two_names_of_the_case_share_the_last_name():
    karl = Entity("N2", "Karl Brandt", kind="person")
    assert short("Then Brandt left.", BRANDT, karl) == []
    assert short("Then Brandt left.", BRANDT, Entity("N2", "Karl Weller", kind="person")) == [("N1", {"Brandt"})]


def test_what_was_decided_is_suggested_no_more():
    assert short("Then Brandt left.", Entity("N1", "Ilse Brandt", kind="person", aliases=("Brandt",))) == []
    assert short("Then Brandt left.", BRANDT, Entity("N2", "Brandt", status="rejected")) == []
    assert short("Ms Brandt left.", BRANDT, Entity("N2", "Ms Brandt", status="rejected")) == []


def test_the_full_name_itself_is_no_short_form():
    assert short(f"{FULL}Dr. Ilse Brandt and ILSE BRANDT left.") == []


@pytest.mark.parametrize("kind", ["organisation", "place", "thing"])
def test_only_people_have_short_forms(kind):
    assert short("Street by street. Then Brandt left.", Entity("N1", "Ilse Brandt", kind=kind)) == []


def test_a_name_of_no_kind_needs_a_title_or_an_initial_somewhere():
    name = Entity("N1", "Harbour Street")
    assert short("Street after Street was closed. The Street was wet.", name) == []
    assert short("Then Brandt left.", Entity("N1", "Ilse Brandt")) == []
    assert short("Then Brandt left. Ms Brandt came.", Entity("N1", "Ilse Brandt")) == [("N1", {"Brandt", "Ms Brandt"})]


@pytest.mark.parametrize("text", ["The box was brown. ", "Brown Logistics came. "])
def test_a_last_name_that_is_also_a_word_or_part_of_another_name_is_not_suggested_alone(text):
    name = Entity("N1", "Ilse Brown", kind="person")
    assert short(f"{text}Then Brown left. Ms Brown came back.", name) == [("N1", {"Ms Brown"})]


def test_words_before_a_last_name_that_are_no_first_name_do_not_matter():
    assert short(f"{FULL}When Brandt left, the clerk saw it. Clerk Brandt was tired.") == [("N1", {"Brandt"})]


def test_a_last_name_has_its_particles():
    name = Entity("N1", "Anna van der Berg", kind="person")
    assert short("Then Ms van der Berg left. Van der Berg was tired.", name) == [
        ("N1", {"Van der Berg", "Ms van der Berg"})
    ]
