"""Rows of evidence."""

from __future__ import annotations

import dataclasses

import pytest

from core.errors import QuoteNotProven
from tests.core.store.material import TEXTS, decisions, proposal


def test_accepting_the_same_span_twice_is_one_piece_of_evidence(pump_case):
    first = pump_case.evidence.all()[0]
    assert (first.id, first.method, first.quote) == ("E1", "corpus", TEXTS[0].split(" The")[0])
    assert [p.status for p in pump_case.proposals.all()] == ["accepted", "accepted", "rejected"]
    assert pump_case.proposals.accept(["P1"]) == [("E1", "P1")]
    assert pump_case.evidence.all()[0].proposal == "P1"
    assert pump_case.evidence.all()[0].source == "file 1.txt"
    assert [s.evidence for s in pump_case.ratings.suggestions()] == ["E1"]


def test_an_invented_quote_is_refused_everywhere(pump_case):
    good = proposal(pump_case, "H1", pump_case.pages.chunk_ids("D2")[0])
    quote = good.quote
    forgeries = [
        {"text": quote.text.replace("vendor", "victim")},
        {"start": quote.start + 1},
        {"end": quote.end + 1},
        {"start": -1},
        {"end": 10**9},
        {"page_sha256": "0" * 64},
        {"document": "D1"},
        {"page": 2},
        {"end": quote.start, "text": ""},
    ]
    initial_decisions = decisions(pump_case)
    for change in forgeries:
        bad = dataclasses.replace(quote, **change)
        with pytest.raises(QuoteNotProven):
            pump_case.proposals.put([good, dataclasses.replace(good, quote=bad)])
        with pytest.raises(QuoteNotProven):
            pump_case.evidence.add(text="x", source="y", quote=bad)
    assert decisions(pump_case) == initial_decisions
