"""The forms of an audit: the fields of the contract, one page, one file without a network, comments."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from core.audit.finding import Audit, AuditedCitation, AuditedQuotation, AuditedSentence, Decision, Source, item
from core.audit.forms import (
    audit_json,
    difference_lines,
    docx_content,
    pieces,
    quotation_line,
    render_html,
    render_json,
    render_markdown,
    unchecked_line,
)
from core.audit.rules import Difference
from core.domain import Quote

QUOTE = Quote("D1", 1, 1, 0, 45, "The relay of pump two was out for 47 minutes.", "0" * 64)


@pytest.fixture
def audit():
    wrong = AuditedSentence(
        *(1, "The relay was out for 74 minutes <b>*there*</b>.", 1, "", True, "differs"),
        differences=(Difference("number", "74", "47", 22, 24),),
        sources=(Source(QUOTE, "night-log.txt"),),
        score=0.2,
    )
    heading = AuditedSentence(2, "What follows", 1, "What follows", False, "not_a_claim", "a heading")
    quotation = AuditedQuotation(
        1, "was out for ever", "altered", (("ever", "47", "number"),), (QUOTE,), "night-log.txt"
    )
    citation = AuditedCitation(1, "(x.pdf, p. 1)", "SOURCE NOT IN CASE", reason="It names no document of this case.")
    notes = ("12 passages of 3 documents were searched.",)
    return Audit(
        "report.docx", "a" * 64, 1, (wrong, heading), (quotation,), (citation,), notes, at="2026-01-02T03:04:05Z"
    )


def test_an_unclear_sentence_says_in_plain_words_what_is_missing(audit):
    unclear = replace(audit.sentences[0], finding="undecided", differences=())
    (line,) = difference_lines(replace(unclear, missing=("valves", "Okafor")))
    assert line == "Missing: none of its sources has “valves”, “Okafor”."
    (line,) = difference_lines(unclear)
    assert "read the sentence and its sources side by side" in line
    assert difference_lines(replace(unclear, finding="supported")) == []


def test_json_has_the_fields_of_the_contract(audit):
    row = audit_json(audit, {item(audit.sentences[0]): Decision("overruled", "a typing slip", "ann", "2026")})
    (first, _) = row["sentences"]
    assert first.keys() >= {"n", "text", "claim", "finding", "differences", "evidence", "decision"}
    assert first["evidence"][0].keys() >= {"document", "name", "page", "start", "end", "text"}
    assert row["quotations"][0].keys() >= {"text", "status", "differences"}
    assert row["citations"][0]["status"] == "SOURCE NOT IN CASE"
    assert row["summary"]["findings"]["differs"] == 1
    assert json.loads(render_json(audit))["sha256"] == "a" * 64


def test_the_summary_is_one_page_and_shows_nothing_as_markup(audit):
    text = render_markdown(audit).decode()
    assert "**Differs** (1) The relay was out for 74 minutes &lt;b&gt;\\*there\\*" in text
    assert "Another number: “74”; the source: “47”" in text
    assert len(text.splitlines()) < 60
    assert "74 minutes" not in render_markdown(audit, {item(audit.sentences[0]): Decision("overruled")}).decode()


def test_the_web_page_marks_differences_and_escapes_text(audit):
    page = render_html(audit).decode()
    assert "<mark>74</mark>" in page
    assert "<b>*there" not in page
    assert "<script" not in page
    assert "night-log.txt, p. 1" in page


def test_pieces_cover_the_sentence(audit):
    assert "".join(text for text, _ in pieces(audit.sentences[0])) == audit.sentences[0].text
    assert [text for text, is_marked in pieces(audit.sentences[0]) if is_marked] == ["74"]


def test_comments_are_for_sentences_that_need_one(audit):
    content = json.loads(docx_content(audit))
    (comment,) = content["comments"]
    assert comment["text"] == audit.sentences[0].text
    assert "Differs." in comment["comment"]
    assert "SOURCE NOT IN CASE" in comment["comment"]
    assert [row["kind"] for row in content["paragraphs"]] == ["text", "heading"]


def test_every_form_counts_the_unchecked_sentences(audit):
    line = "Not checked: 1 of its 2 sentences: a heading (1)."
    assert unchecked_line(audit) == line
    assert line in json.loads(docx_content(audit))["summary"]
    assert line in render_markdown(audit).decode().replace("\\", "")
    assert line in render_html(audit).decode()
    assert unchecked_line(replace(audit, sentences=audit.sentences[:1])) == ""


@pytest.mark.parametrize("status", ["verified", "altered"])
def test_omissions_of_a_quotation_are_in_every_form(audit, status):
    words = [(f"word{number}", "", "word") for number in range(8)] if status == "altered" else []
    omission = ("…", "said that Fenn", "word")
    quotation = AuditedQuotation(1, "Aske … broke it", status, (*words, omission), (QUOTE,), "night-log.txt")
    report = replace(audit, quotations=(quotation,))
    line = "it leaves out “said that Fenn”"
    assert line in quotation_line(quotation)
    assert line in render_html(report).decode()
    assert audit_json(report)["quotations"][0]["differences"][-1]["page"] == "said that Fenn"
    if status == "altered":
        assert "2 more" in quotation_line(quotation)
        assert line in render_markdown(report).decode()
        assert line in json.loads(docx_content(report))["comments"][0]["comment"]


def test_a_comment_writes_out_characters_that_turn_text(audit):
    omission = ("\u2026", "wrote \u2067not guilty\u2069", "name")
    quotation = AuditedQuotation(1, "Aske \u2026 it", "altered", (omission,), (QUOTE,), "night-log.txt")
    (comment,) = json.loads(docx_content(replace(audit, quotations=(quotation,))))["comments"]
    assert "\u27e8U+2067\u27e9not guilty\u27e8U+2069\u27e9" in comment["comment"]
