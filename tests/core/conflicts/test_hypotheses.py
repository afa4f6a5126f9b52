"""Verdicts that disagree about a hypothesis."""

from __future__ import annotations

from core.conflicts.hypotheses import SHOWN, disagreeing
from core.domain import Label, Probabilities, Proposal, Quote, Verdict


def proposal(number: int, label: Label, probability: float = 0.9, **fields: object) -> Proposal:
    rest = (1 - probability) / 2
    values = {"supports": rest, "contradicts": rest, "neutral": rest} | {label: probability}
    quote = Quote(f"D{number}", number, 1, 0, 4, "text", "sha")
    verdict = Verdict(label, Probabilities(**values), "judge")
    return Proposal(f"P{number}", "H1", number, quote, "name", verdict, None, None, None, "", **fields)  # type: ignore[arg-type]


def test_a_hypothesis_with_sure_verdicts_on_both_sides_is_a_conflict():
    (sides,) = disagreeing([proposal(1, "supports"), proposal(2, "contradicts"), proposal(3, "neutral")], {})
    assert [proposal_shown.id for proposal_shown in sides.supporting] == ["P1"]
    assert [proposal_shown.id for proposal_shown in sides.contradicting] == ["P2"]


def test_unsure_hidden_and_rejected_verdicts_take_no_side():
    sure = proposal(1, "supports")
    for other in (
        proposal(2, "contradicts", 0.6),
        proposal(2, "contradicts", blind=True),
        proposal(2, "contradicts", withheld=True),
        proposal(2, "contradicts", status="rejected"),
    ):
        assert disagreeing([sure, other], {}) == []


def test_each_family_of_documents_speaks_before_any_speaks_twice():
    rows = [proposal(number, "supports", 0.95 - number / 100) for number in range(1, 7)] + [proposal(9, "contradicts")]
    (sides,) = disagreeing(rows, {"D1": "D1", "D2": "D1", "D3": "D1"})
    assert [proposal_shown.id for proposal_shown in sides.supporting] == ["P1", "P4", "P5", "P6"][:SHOWN]
