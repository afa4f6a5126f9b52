"""Which sentences make a claim, and why the others do not."""

from __future__ import annotations

from core.audit.claims import NO_CLAIM, no_claim
from core.audit.document_text import read
from core.domain import PageText


def reason(text: str, **fields) -> str:
    report = read([PageText(1, text)], **fields)
    return no_claim(report.sentences[-1])


def test_reasons_for_no_claim():
    assert reason("The relay was out for 47 minutes.") == ""
    assert reason("# The relay was out for 47 minutes") == "heading"
    assert reason("Who opened the valve at night?") == "question"
    assert reason("We assess with moderate confidence that the valve was opened.") == "judgement"
    assert reason("This report describes what happened at the plant.") == "about the report"
    assert reason("Figure 3: The valve of the plant.") == "caption"
    assert reason("See the log of the plant.") == "instruction"
    assert reason("Yes, indeed.") == "too short"
    assert reason("## Sources\n\n[1] Night log of the plant, p. 4", markdown=True) == "list of sources"
    assert all(NO_CLAIM.values())


def test_a_doubtful_sentence_is_a_claim():
    assert reason("Nobody knows why it happened.") == ""
    assert reason("Open questions remained about the valve.") == ""
    for text in ("The pump broke at night.", "The fire spread to the hall.", "The operator stole the key."):
        assert reason(text) == ""


def test_a_complete_short_sentence_is_a_claim():
    for text in (
        "The dam burst.",
        "The crew wept at dawn.",
        "Klara Bost quit the firm.",
        "He dug a tunnel.",
        "Only one man fell from the pier.",
        "Not one man fell from the pier.",
        "Behind the gate stood a van.",
        "The guard overslept again.",
        "- The operator stole the key",
    ):
        assert reason(text) == "", text


def test_a_chain_of_nouns_is_no_claim():
    for text in (
        "The night of the fire.",
        "A letter from the school.",
        "In the hall at noon.",
        "Night shift in Ostermere",
    ):
        assert reason(text) == "too short", text
