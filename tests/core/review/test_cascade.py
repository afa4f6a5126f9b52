"""Which verdicts a second reader is asked about."""

from __future__ import annotations

from dataclasses import replace

from core.domain import EARLIER, SECOND_READER, OtherVerdict, Probabilities, Proposal, Quote, Verdict
from core.review.cascade import CLOSE, choose, margin


def proposal(number: int, supports: float, contradicts: float, status: str = "pending") -> Proposal:
    p = Probabilities(supports, contradicts, round(1 - supports - contradicts, 6))
    quote = Quote("D1", 1, 1, number, number + 1, "x", "")
    verdict = Verdict("supports", p, "judge 1")
    return Proposal(f"P{number}", "H1", number, quote, "a.txt", verdict, None, None, None, "", status)


def test_the_margin_is_that_between_the_two_likeliest():
    assert margin(Probabilities(0.5, 0.3, 0.2)) == 0.2
    assert margin(Probabilities(0.1, 0.1, 0.8)) == 0.7000000000000001


def test_what_the_ranking_hangs_on_comes_first_then_what_is_close():
    proposals = [proposal(1, 0.9, 0.05), proposal(2, 0.45, 0.4), proposal(10, 0.4, 0.38), proposal(3, 0.9, 0.05)]
    chosen = choose(proposals, {"P3": "H2 would lead"})
    assert [choice.proposal for choice in chosen] == ["P3", "P10", "P2"]
    assert chosen[0].why == "H2 would lead"
    assert chosen[1].why == "close (0.02 between the two likeliest)"
    assert choose(proposals, {}, limit=1) == [chosen[1]]
    reason = choose([proposal(2, 0.45, 0.4)], {"P2": "H2 would lead"})[0].why
    assert reason == "H2 would lead; close (0.05 between the two likeliest)"


def test_the_border_is_not_close():
    assert choose([proposal(1, 0.5 + CLOSE / 2, 0.5 - CLOSE / 2)], {}) == []


def test_what_was_set_aside_or_read_again_is_left_out():
    close = proposal(1, 0.45, 0.4)
    assert choose([replace(close, status="rejected")], {}) == []
    assert choose([replace(close, status="accepted")], {}) != []
    read = OtherVerdict("P1", SECOND_READER, replace(close.verdict, model="big 1"), "", "")
    assert choose([replace(close, others=(read,))], {}) == []
    assert choose([replace(close, others=(read,))], {}, "big 1") == []
    assert choose([replace(close, others=(read,))], {}, "big 2") != []  # another second reader
    assert choose([replace(close, others=(replace(read, role=EARLIER),))], {}) != []
