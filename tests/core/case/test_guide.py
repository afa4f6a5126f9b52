"""The eight steps: each sentence follows from the facts, and the case is at one step at a time."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from core.case.guide import NAMES, Facts, current, steps

WALKED = Facts(
    documents=3,
    hypotheses=4,
    null=True,
    deception=True,
    evidence=5,
    absences=1,
    cells=20,
    rated=20,
    leaders=("H1",),
    linchpins=("E1", "E2"),
    assumptions=2,
    premortems=1,
    indicators=1,
    since_report=0,
    looked=frozenset({"diagnosticity", "sensitivity"}),
)


def at(facts: Facts) -> tuple[int, str]:
    step = current(facts, steps(facts))
    assert step is not None
    return step.number, step.sentence


def test_a_new_case_begins_with_hypotheses_and_one_is_not_enough():
    assert at(Facts())[0] == 1
    number, sentence = at(Facts(documents=3, hypotheses=1))
    assert number == 1
    assert "add a rival" in sentence


def test_null_and_deception_are_asked_for_once_two_hypotheses_stand():
    two = Facts(documents=3, hypotheses=2)
    step = current(two, steps(two))
    assert (step.number, step.part) == (1, "null")
    with_null = replace(two, null=True)
    assert current(with_null, steps(with_null)).part == "deception"
    declined = replace(two, declined=frozenset({"null", "deception"}))
    assert at(declined)[0] == 2
    assert steps(declined)[0].state == "done"


def test_the_prompts_do_not_hold_up_work_that_went_on():
    facts = Facts(documents=3, hypotheses=2, evidence=4, cells=8)
    assert at(facts)[0] == 2  # no null yet, but evidence was begun with: what is expected comes next
    facts = replace(facts, rated=1)
    assert at(facts)[0] == 3
    assert [step.state for step in steps(facts)][:3] == ["partly", "partly", "open"]


def test_what_was_passed_comes_up_again_at_the_end():
    facts = replace(WALKED, null=False)
    step = current(facts, steps(facts))
    assert (step.number, step.part) == (1, "null")


def test_evidence_says_where_it_comes_from():
    assert steps(Facts(hypotheses=2))[1].place == "Documents"
    assert steps(Facts(hypotheses=2, documents=1))[1].place == "Review"
    assert steps(Facts(documents=1))[1].place == "Search"
    waiting = steps(Facts(hypotheses=2, documents=1, waiting=7))[1]
    assert waiting.place == "Review"
    assert "7 passages" in waiting.sentence
    assert steps(Facts(hypotheses=2, documents=1, evidence=2))[1].part == "expected"


def test_unrated_cells_are_counted():
    few = steps(replace(WALKED, rated=19))[2]
    assert (few.state, few.part) == ("partly", "unrated")
    assert "1 of them is not rated" in few.sentence
    many = steps(replace(WALKED, rated=4))[2]
    assert many.state == "open"
    assert "16 of them are not rated" in many.sentence


def test_rows_that_say_nothing_and_hypotheses_alike_are_named():
    facts = replace(WALKED, looked=frozenset({"sensitivity"}), dull=1)
    assert at(facts)[0] == 4
    assert at(facts)[1].startswith("1 row says the same about every hypothesis.")
    alike = steps(replace(WALKED, overlaps=(("H1", "H3"),)))[3]
    assert alike.state == "partly"
    assert alike.sentence.startswith("H1 and H3 are rated alike")


def test_a_leader_that_nothing_attacks_is_not_believed():
    facts = replace(WALKED, unattacked=("H1", "H2"))
    assert at(facts)[0] == 5
    assert "against H1 yet" in at(facts)[1]
    assert steps(replace(WALKED, unattacked=("H2",)))[4].state == "done"  # H2 does not lead


def test_a_tie_is_told_as_an_answer():
    assert "H1 and H2 cannot be separated" in steps(replace(WALKED, leaders=("H1", "H2")))[4].sentence


def test_what_it_hangs_on_then_a_premortem():
    facts = replace(WALKED, looked=frozenset({"diagnosticity"}))
    assert at(facts) == (6, "The conclusion depends on E1 and E2. Check these sources first.")
    assert steps(replace(WALKED, premortems=0))[5].part == "premortem"
    long = steps(replace(facts, linchpins=tuple(f"E{n}" for n in range(1, 9))))[5].sentence
    assert "E1, E2, E3, E4 and 4 more" in long


def test_a_report_gets_old_and_indicators_bring_news():
    assert at(replace(WALKED, since_report=None))[0] == 7
    assert at(replace(WALKED, since_report=3)) == (7, "3 decisions made since the last report.")
    assert at(replace(WALKED, indicators=0))[0] == 8
    assert "2 new documents" in at(replace(WALKED, new_documents=2))[1]


def test_a_case_that_walked_all_steps_is_at_none():
    assert current(WALKED, steps(WALKED)) is None
    assert {step.state for step in steps(WALKED)} == {"done"}


counts = st.integers(0, 9)


@given(
    st.builds(
        Facts,
        documents=counts,
        hypotheses=counts,
        null=st.booleans(),
        deception=st.booleans(),
        evidence=counts,
        absences=counts,
        waiting=counts,
        cells=st.integers(0, 90),
        rated=st.integers(0, 90),
        dull=counts,
        leaders=st.lists(st.sampled_from(["H1", "H2"]), unique=True).map(tuple),
        unattacked=st.lists(st.sampled_from(["H1", "H2"]), unique=True).map(tuple),
        linchpins=st.lists(st.sampled_from(["E1", "E2", "E3"]), unique=True).map(tuple),
        assumptions=counts,
        premortems=counts,
        indicators=counts,
        new_documents=counts,
        since_report=st.none() | counts,
        looked=st.sets(st.sampled_from(["diagnosticity", "sensitivity"])).map(frozenset),
        declined=st.sets(st.sampled_from(["null", "deception"])).map(frozenset),
    )
)
def test_whatever_the_facts_every_step_says_one_thing_and_leads_somewhere(facts):
    listed = steps(facts)
    assert [step.number for step in listed] == list(range(1, 9))
    assert tuple(step.name for step in listed) == NAMES
    for step in listed:
        assert step.sentence.endswith((".", "?"))
        assert step.button
        assert step.place in ("Documents", "Hypotheses", "Search", "Review", "Matrix", "Report")
    step = current(facts, listed)
    if any(one.state != "done" for one in listed):
        assert step is not None
        assert step.state != "done"
    else:
        assert step is None
