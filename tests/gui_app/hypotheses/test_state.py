"""What the hypotheses screen shows, as values: nothing here needs a window."""

from __future__ import annotations

import pytest

from core.domain import Hypothesis
from core.workbench import Workbench
from gui_app.hypotheses.state import PAGES, STARTERS, HypothesesState, load


@pytest.fixture
def bench(tmp_path, engines):
    bench = Workbench.create(tmp_path / "test.disconfirm", engines, title="Who was it?", who="Tester")
    yield bench
    bench.close()


def test_the_state_is_read_from_the_case_and_counts_what_is_open(bench):
    bench.hypotheses.add("The guard opened it.")
    first = bench.hypotheses.add_consideration("assumption", "The clock was right")
    bench.hypotheses.add_consideration("assumption", "The log is whole")
    bench.hypotheses.add_consideration("indicator", "A letter", query="letter")
    bench.hypotheses.edit_consideration(first.id, status="done")
    state = load(bench)
    assert [row.text for row in state.rows("assumptions")] == ["The clock was right", "The log is whole"]
    assert {page: state.number(page) for page in PAGES} == dict.fromkeys(PAGES, 0) | {"assumptions": 1, "indicators": 1}
    assert state.title("assumptions") == "Assumptions 1"
    assert state.title("indicators", new=2) == "Indicators 1 · 2 new"
    assert state.title("conflicts") == "Left open"


def test_what_was_not_found_is_counted_among_the_expected(bench, tmp_path):
    (tmp_path / "letter.txt").write_text("The guard says that the wind opened the door.", "utf-8")
    bench.documents.add([tmp_path / "letter.txt"])
    hypothesis = bench.hypotheses.add("The guard opened it.")
    bench.evidence.add_absence(hypothesis.id, "A mark on the door", ("mark",))
    assert load(bench).number("expected") == 1


def test_the_method_asks_for_rivals_then_for_a_null_and_a_deception(bench):
    assert HypothesesState().advice("") == ""
    bench.hypotheses.add("The guard opened it.")
    assert load(bench).missing_kind(()) == ""  # one hypothesis has no rival yet
    assert "One hypothesis cannot be compared" in load(bench).advice("")
    bench.hypotheses.add("The wind opened it.")
    assert load(bench).missing_kind(()) == "null"
    assert "nothing out of the ordinary" in load(bench).advice("null")
    assert load(bench).missing_kind({"null"}) == "deception"  # declined
    bench.hypotheses.add(STARTERS["null"], kind="null")
    assert load(bench).missing_kind(()) == "deception"
    assert load(bench).missing_kind({"deception"}) == ""
    assert load(bench).advice("").startswith("Good rivals exclude each other")
    for number in range(5):
        bench.hypotheses.add(f"Somebody else, number {number}, opened it.")
    assert load(bench).advice("").startswith("More than seven")


def test_the_words_name_the_hypotheses_that_exclude_each_other():
    group = tuple(Hypothesis(f"H{n}", "x") for n in (1, 2, 3))
    assert HypothesesState(group).exclusive_words() == "At most one of these can be true"
    assert HypothesesState(group, exclusive=("H1", "H2", "H3")).exclusive_words() == "At most one of these can be true"
    assert HypothesesState(group, exclusive=("H1", "H3")).exclusive_words() == "At most one of H1 and H3 can be true"
