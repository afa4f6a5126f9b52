"""Searches and hypotheses that a model words: never evidence, never better words for one side only."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.errors import BadInput
from core.progress import Cancelled, Progress
from core.workbench import Workbench


class Wording:
    """Answers by a rule, so that a test sees what it was asked."""

    fingerprint = "wording sha256:00 v1"

    def __init__(self, answer: dict[str, str] | None = None) -> None:
        self.asked: list[tuple[str, str]] = []
        self.answer = answer or {}

    def write(self, order: str, material: str = "", *, most: int = 160) -> str:
        self.asked.append((order, material))
        for words, draft in self.answer.items():
            if words in order:
                return draft
        return f"- Draft {len(self.asked)} says that a valve was seen. And more of it."


@pytest.fixture
def bench(tmp_path, engines):
    with Workbench.create(tmp_path / "case.disconfirm", engines, title="Valve", who="Ann") as bench:
        bench.hypotheses.add("The valve was closed by hand")
        bench.hypotheses.add("The pump failed by itself")
        yield bench


def _with(bench, model):
    bench.engines = replace(bench.engines, text_model=model)


def test_a_plan_has_a_drafted_search_of_each_kind_in_place_of_the_template(bench):
    model = Wording()
    _with(bench, model)
    bench.plans.add("H1", "against", "logbook of the night shift")
    bench.drafts.plans()
    for hypothesis in ("H1", "H2"):
        drafted = [query for query in bench.plans.get(hypothesis) if query.origin == "wording"]
        assert sorted(query.role for query in drafted) == ["against", "for", "if false", "if true"]
        assert all(query.text.startswith("Draft ") for query in drafted)
        templates = {query.role for query in bench.plans.get(hypothesis) if query.origin == "template"}
        assert {"statement", "negation"} <= templates
        assert not {"for", "against"} & templates
    assert [query.text for query in bench.plans.get("H1") if query.origin == "analyst"] == [
        "logbook of the night shift"
    ]
    assert {material for _, material in model.asked} == {"The valve was closed by hand", "The pump failed by itself"}


@pytest.mark.parametrize("draft", ["", "   ", "The valve was closed by hand", "word " * 200])
def test_a_draft_that_is_no_use_on_one_side_leaves_both_sides_to_the_templates(bench, draft):
    _with(bench, Wording({"if this statement is false. Answer": draft}))
    bench.drafts.plans(["H1"])
    plan = bench.plans.get("H1")
    assert {query.origin for query in plan} == {"template"}
    assert {"for", "against"} <= {query.role for query in plan}


def test_the_same_words_for_both_sides_are_no_draft(bench):
    same = "A camera would show it."
    _with(bench, Wording({"is true. Answer": same, "is false. Answer": same}))
    bench.drafts.plans(["H1"])
    assert {query.origin for query in bench.plans.get("H1")} == {"template"}


def test_drafting_is_one_decision_that_can_be_undone(bench):
    bench.plans.make()
    original_queries = [(query.role, query.text) for query in bench.plans.get()]
    _with(bench, Wording())
    bench.drafts.plans()
    assert [(query.role, query.text) for query in bench.plans.get()] != original_queries
    bench.case.undo()
    assert [(query.role, query.text) for query in bench.plans.get()] == original_queries


def test_without_a_model_it_says_what_to_do_and_changes_nothing(bench):
    bench.plans.make()
    original_plan = bench.plans.get()
    with pytest.raises(BadInput, match="No model is set to write drafts"):
        bench.drafts.plans()
    assert bench.plans.get() == original_plan


def test_cancelling_keeps_the_plan_as_it_was(bench):
    bench.plans.make()
    original_plan = bench.plans.get()
    progress = Progress(lambda *_: None)
    model = Wording()
    write = model.write

    def one_then_stop(order, material="", *, most=160):
        progress.cancel()
        return write(order, material, most=most)

    model.write = one_then_stop  # type: ignore[method-assign]
    _with(bench, model)
    with pytest.raises(Cancelled):
        bench.drafts.plans(progress=progress)
    assert bench.plans.get() == original_plan
    assert len(model.asked) == 1


def test_hypotheses_are_worded_from_the_passages_of_a_theme_and_not_added(bench, tmp_path):
    for number in range(6):
        (tmp_path / f"{number}.txt").write_text(f"The valve number {number} was closed by hand. " * 3, "utf-8")
    bench.documents.add([tmp_path / f"{number}.txt" for number in range(6)])
    themes = bench.search.themes("valve closed by hand")
    assert themes
    model = Wording({"Word one hypothesis": "“A person closed the valves. It is late.”"})
    _with(bench, model)
    drafts = bench.drafts.hypotheses("Who closed the valves?", themes)
    assert [draft.theme for draft in drafts] == themes
    assert {(draft.text, draft.model) for draft in drafts} == {("A person closed the valves.", "wording")}
    assert all(
        "Question: Who closed the valves?" in material and "closed by hand" in material for _, material in model.asked
    )
    assert [hypothesis.id for hypothesis in bench.hypotheses.all()] == ["H1", "H2"]
