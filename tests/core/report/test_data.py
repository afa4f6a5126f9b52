"""Counts of the report: proposals by hypothesis, decisions by person."""

from __future__ import annotations

from core.domain import (
    Hypothesis,
    LogEntry,
    Probabilities,
    Proposal,
    Quote,
    Verdict,
)
from core.report import (
    Decisions,
    ProposalCount,
    count_decisions,
    count_proposals,
)


def test_proposals_are_counted_by_hypothesis():
    def proposal(id: str, hypothesis: str, label: str, status: str) -> Proposal:
        verdict = Verdict(label, Probabilities(0.2, 0.7, 0.1), "judge")
        quote = Quote("D1", 1, 1, 0, 1, "x", "")
        return Proposal(id, hypothesis, 1, quote, "a.txt", verdict, 0.5, 1, None, "", status)

    counts = count_proposals(
        [
            proposal("P1", "H1", "contradicts", "accepted"),
            proposal("P2", "H1", "supports", "rejected"),
            proposal("P3", "H1", "ambiguous", "pending"),
        ],
        [Hypothesis("H1", ""), Hypothesis("H2", "")],
    )
    assert counts == (ProposalCount("H1", 3, 1, 1, 1, 1, 1, 0, 1), ProposalCount("H2", 0, 0, 0, 0))


def test_decisions_are_counted_by_person_and_verb():
    def entry(seq: int, who: str, verb: str) -> LogEntry:
        return LogEntry(seq, f"2026-11-0{seq}T00:00:00Z", who, verb, "{}", "{}", "0.1.0", None, "", "")

    assert count_decisions(
        [entry(1, "A", "rate"), entry(2, "B", "rate"), entry(3, "A", "rate"), entry(4, "A", "propose")]
    ) == (
        Decisions("A", "rate", 2, "2026-11-01T00:00:00Z", "2026-11-03T00:00:00Z"),
        Decisions("B", "rate", 1, "2026-11-02T00:00:00Z", "2026-11-02T00:00:00Z"),
    )
