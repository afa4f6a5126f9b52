"""What stands behind the answer: people, searches, models, documents, how to check."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.domain import CaseSettings, Consideration
from core.report import background
from core.report.blocks import Para, Points, Sub, Table
from core.report.data import JudgeSummary, SearchEffort
from tests.core.report.test_report import empty_case, made_case


def texts(blocks):
    return [block.text for block in blocks if isinstance(block, Para | Sub)]


@pytest.mark.parametrize(
    ("probability", "words"), [(None, "–"), (0.0, "0"), (0.004, "<1"), (0.5, "50"), (0.996, ">99"), (1.0, "100")]
)
def test_no_certainty_is_printed_that_was_not_computed(probability, words):
    assert background._per_cent(probability) == words


def test_a_case_that_nobody_worked_on_says_what_there_is_not():
    data = empty_case()
    assert list(background.analysts(data)) == []
    assert list(background.considerations(data)) == []
    assert list(background.weights(data)) == []
    assert list(background.effort(data)) == []
    assert "No decision is recorded." in texts(background.who(data))
    assert texts(background.model(data)) == ["No model judged anything in this case."]
    assert texts(background.documents(data)) == ["This case has no documents."]


def test_considerations_stand_by_kind_with_what_watches_them():
    data = replace(
        empty_case(),
        considerations=(
            Consideration("C1", "indicator", "A second pump stops", query="pump stopped"),
            Consideration("C2", "assumption", "The clock was right", hypothesis="H1", status="done"),
        ),
    )
    blocks = list(background.considerations(data))
    assert [len(block.items) for block in blocks if isinstance(block, Points)] == [1, 1]
    items = [item for block in blocks if isinstance(block, Points) for item in block.items]
    assert "The clock was right (about H1) — done" in items
    assert "A second pump stops; watched by the search “pump stopped”" in items


def test_grades_are_shown_where_somebody_changed_what_they_weigh():
    settings = CaseSettings(grade_weights={**CaseSettings().grade_weights, "A": 2.0})
    (table,) = (b for b in background.weights(replace(empty_case(), settings=settings)) if isinstance(b, Table))
    assert table.rows[0][2] == "2.000"
    assert table.rows[5][2] == "–"  # F says that it cannot be judged


def test_unequal_effort_is_a_warning_and_unknown_loss_is_named():
    search = (SearchEffort("H1", 30, queries=4), SearchEffort("H2", 10, queries=2, uneven="H2 had 20 passages fewer."))
    blocks = list(background.effort(replace(empty_case(), search=search)))
    (warning,) = (block for block in blocks if isinstance(block, Points) and block.tone == "warning")
    assert warning.items[0].startswith("H2 had 20 passages fewer.")
    assert texts(blocks)[-1].startswith("Not known for H1 and H2")


def test_a_model_that_sat_no_exam_is_said_to_be_unmeasured():
    data = replace(empty_case(), judges=(JudgeSummary("small model", "sha256:1", verdicts=1),))
    sentences = texts(background.model(data))
    assert sentences[0] == "Passages were judged by small model (sha256:1): 1 verdict of it is here."
    assert "It has not taken the program's exam, so nobody knows how often it is right." in sentences
    assert background._exam_row(data.judges[0]) == ("small model", "not taken", *("–",) * 4)


def test_whoever_checks_is_told_the_head_of_the_log():
    data = made_case()
    (steps, *_) = (block for block in background.check(data) if isinstance(block, Points))
    assert any(data.log_head in step for step in steps.items)
    (fewer, *_) = (block for block in background.check(replace(data, log_head="")) if isinstance(block, Points))
    assert len(fewer.items) == len(steps.items) - 1
