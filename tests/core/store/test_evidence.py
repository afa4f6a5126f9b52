"""Rows of evidence."""

from __future__ import annotations

import dataclasses

import pytest

from core.errors import QuoteNotProven
from tests.core.store.material import TEXTS, decisions, proposal


def test_accepting_the_same_span_twice_is_one_piece_of_evidence(filled):
    first = filled.evidence.all()[0]
    assert (first.id, first.method, first.quote) == ("E1", "corpus", TEXTS[0].split(" The")[0])
    assert [p.status for p in filled.proposals.all()] == ["accepted", "accepted", "rejected"]
    assert filled.proposals.accept(["P1"]) == [("E1", "P1")]
    assert filled.evidence.all()[0].proposal == "P1"
    assert filled.evidence.all()[0].source == "file 1.txt"
    assert [s.evidence for s in filled.ratings.suggestions()] == ["E1"]


def test_an_invented_quote_is_refused_everywhere(filled):
    good = proposal(filled, "H1", filled.pages.chunk_ids("D2")[0])
    quote = good.quote
    forged = [
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
    before = decisions(filled)
    for change in forged:
        bad = dataclasses.replace(quote, **change)
        with pytest.raises(QuoteNotProven):
            filled.proposals.put([good, dataclasses.replace(good, quote=bad)])
        with pytest.raises(QuoteNotProven):
            filled.evidence.add(text="x", source="y", quote=bad)
    assert decisions(filled) == before
