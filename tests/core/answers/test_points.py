"""Points: what agrees stands together, what differs stands apart."""

from __future__ import annotations

import pytest

from core.answers.points import differing, exclude, points
from core.answers.question import understand
from core.answers.sentences import RankedSentence, Sentence
from core.domain import Span

HOW_LONG = understand("How long was the relay out?")


def row(text: str, passage: int = 0, near: float = 0.9) -> RankedSentence:
    return RankedSentence(Sentence(passage, Span(0, len(text)), text, near, near, 0.0, 1.0, 1.0, 0.5), 1.0)


def test_a_copy_joins_its_original_and_counts_once():
    rows = [row("The relay was out for 47 minutes."), row("The relay was out for 47 minutes !", 1)]
    (point,) = points(HOW_LONG, rows)
    assert point.members == (0, 1)
    assert point.copies == {1}


def test_a_copy_with_another_figure_is_another_point_and_differs():
    rows = [row("The relay was out for 47 minutes."), row("The relay was out for 74 minutes.", 1)]
    grouped = points(HOW_LONG, rows)
    assert [point.members for point in grouped] == [(0,), (1,)]
    assert differing(HOW_LONG, rows, grouped) == (0, 1)


def test_a_copy_with_a_negation_is_another_point():
    rows = [row("The relay was out for 47 minutes."), row("The relay was not out for 47 minutes.", 1)]
    question = understand("What happened to the relay?")
    assert len(points(question, rows)) == 2


def test_the_same_figure_in_other_words_agrees():
    rows = [row("The relay was out for 47 minutes."), row("For 47 minutes the relay stayed out of the circuit.", 1)]
    (point,) = points(HOW_LONG, rows)
    assert point.copies == frozenset()


def test_the_same_figure_of_another_thing_does_not_agree():
    rows = [row("The relay was out for 47 minutes."), row("Fenn brought 47 crates of oranges home.", 1, near=0.1)]
    assert len(points(HOW_LONG, rows)) == 2


def test_a_figure_in_a_sentence_without_a_word_of_the_question_is_no_short_answer():
    how_old = understand("How old is Klara Bost?")
    rows = [row("Klara Bost called."), row("The 19-year-old Fenn ran.", 1, near=0.0), row("Bost is 41 years old.", 2)]
    assert [point.short is not None for point in points(how_old, rows)] == [False, False, True]


def test_no_more_points_than_asked_for():
    texts = ["Rain fell on the hall.", "Fenn had gone home.", "Oil ran over the floor.", "A lamp was lit."]
    rows = [row(text, index) for index, text in enumerate(texts)]
    assert [point.members for point in points(HOW_LONG, rows, limit=2)] == [(0,), (1,)]


def test_other_figures_of_other_things_are_no_difference():
    rows = [row("The relay was out for 47 minutes."), row("Fenn drove for 20 minutes to the depot in the rain.", 1)]
    assert differing(HOW_LONG, rows, points(HOW_LONG, rows)) is None


@pytest.mark.parametrize(
    ("question", "left", "right"),
    [
        ("How many drums were in the store?", "There were fourteen drums of solvent in the store when I left.",
         "I counted nine drums of solvent in the store that evening."),
        ("When did Keller leave the workshop?", "I left the workshop at 16:55 on Monday and locked the door behind me.",
         "Ruth Keller left the workshop at 19:10 on Monday; I saw her car go."),
        ("Where was the forklift?", "The forklift was parked in Sollingham.", "The forklift was parked in Ostermere."),
    ],
)  # fmt: skip
def test_a_figure_or_place_of_one_thing_differs_in_other_words(question, left, right):
    asked = understand(question)
    rows = [row(left), row(right, 1)]
    assert differing(asked, rows, points(asked, rows)) == (0, 1)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("06 40", "19 10", True),
        ("06 40", "12 may", False),  # a time and a day
        ("06 40", "2024-05-12/2024-05-12", False),
        ("2024-05-12/2024-05-12", "2024-05-13/2024-05-13", True),
        ("2024-01-01/2024-12-31", "2024-05-12/2024-05-12", False),  # a year and a day in it
        ("14", "ten", True),
        ("14", "14", False),
    ],
)
def test_only_values_of_one_kind_exclude_each_other(left, right, expected):
    assert exclude(left, right) is exclude(right, left) is expected
