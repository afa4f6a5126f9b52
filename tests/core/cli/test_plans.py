"""The commands about planned searches, against their contract."""

from __future__ import annotations

import pytest

from core import __main__ as cli


def test_searches_are_planned_on_both_sides_added_and_removed(case, run):
    assert run("plan", case) == {"plan": []}
    plan = run("plan", case, "make")["plan"]
    assert {query["hypothesis"] for query in plan} == {"H1", "H2"}
    assert {"id", "hypothesis", "role", "origin", "text"} <= set(plan[0])
    words = ("--hypothesis", "H1", "--role", "against", "--text", "the pump ran all night")
    (own_query,) = [query for query in run("plan", case, "add", *words)["plan"] if query["text"] == words[-1]]
    assert (own_query["hypothesis"], own_query["role"]) == ("H1", "against")
    assert {query["hypothesis"] for query in run("plan", case, "--hypothesis", "H1")["plan"]} == {"H1"}
    assert own_query not in run("plan", case, "remove", own_query["id"])["plan"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["add", "--hypothesis", "H1"], "A planned search needs a hypothesis, a role and words."),
        (["remove"], "One planned search is needed, and 0 were given."),
        (["remove", "S1", "S2"], "One planned search is needed, and 2 were given."),
    ],
)
def test_half_of_a_plan_is_refused(case, capsys, words, reason):
    assert cli.main(["plan", str(case), *words]) == 3
    assert reason in capsys.readouterr().err


def test_effort_and_what_tells_hypotheses_apart_follow_a_run(case, run):
    assert [row["passages"] for row in run("effort", case)["effort"]] == [0, 0]
    run("propose", case)
    effort = run("effort", case)
    assert all(row["passages"] > 0 for row in effort["effort"])
    assert effort["searches"]
    (first, *_) = run("discriminate", case, "--pair", "H1", "H2", "-k", "2")["passages"]
    assert {"passage", "document", "page", "start", "end", "text", "pair", "leans", "strength", "effect"} <= set(first)
    run("discriminate", case, "--pair", "H1", "H9", code=3)


def test_what_was_missed_is_estimated_from_what_a_person_judged(case, run):
    assert (run("missed", case, "H1")["hypothesis"], run("missed", case, "H1")["sample"]) == ("H1", [])
    sample = run("missed", case, "H1", "--sample", "2")["sample"]
    assert len(sample) == 2
    estimate = run("missed", case, "H1")
    new_estimate = run("missed", case, "H1", "--irrelevant", sample[0]["passage"])
    assert new_estimate != estimate
    assert new_estimate["words"]
