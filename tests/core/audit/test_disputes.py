"""Supported sentences against the conflicts that a case lists: found, kept, resolved."""

from __future__ import annotations

import pytest

from core.audit.finding import ANOTHER_DIFFERS
from core.audit.forms import audit_json, comments, counts_line, render_html, render_markdown

LOG = """Press release of the works, 13 March 2025.

The dosing pump of the Weir Lane works in Ostermere stopped at night and was out of action for 47 minutes.

Bottled water is given out at the fire station in Corn Street from noon until the evening.
"""
TEXTS = {
    "first.txt": LOG,
    "second.txt": LOG.replace("47", "74"),
    "report.txt": "A colleague wrote that Ruben Aske threatened to switch off the dosing pump. Ruben Aske denies this.",
    "letter.txt": "In the changing room Ruben Aske threatened loudly to switch off the dosing pump one night.\n",
}
SHORT = "The dosing pump of the Weir Lane works was out of action for 47 minutes."
LONG = SHORT.replace("47", "74")
THREAT = "Ruben Aske threatened loudly to switch off the dosing pump one night."
UNTOUCHED = (
    "The dosing pump of the Weir Lane works in Ostermere stopped at night.",
    "Bottled water is given out at the fire station in Corn Street.",
)
BOTH = "The dosing pump of the Weir Lane works was out of action for 47 minutes or for 74 minutes."


@pytest.fixture
def bench(case_of):
    return case_of(TEXTS, who="Ann")


@pytest.fixture
def audit(bench, tmp_path):
    def run(*sentences: str, keep: bool = False):
        file = tmp_path / "report.md"
        file.write_text("\n\n".join(sentences) + "\n", "utf-8")
        return bench.audits.audit(file, keep=keep)

    return run


def rivals(record):
    """Map each sentence to the documents that differ."""
    return {
        row.text: [account.source.name for account in row.other_accounts] for row in record.audit.sentences
    }  # fmt: skip


def test_both_sides_of_a_listed_conflict_are_supported_and_each_names_the_other(audit, bench):
    assert not any(rivals(audit(SHORT, LONG)).values())
    bench.conflicts.find()
    record = audit(SHORT, LONG)
    assert rivals(record) == {SHORT: ["second.txt"], LONG: ["first.txt"]}
    for sentence in record.audit.sentences:
        (account,) = sentence.other_accounts
        assert sentence.finding == "supported"
        assert sentence.title == f"Supported; {ANOTHER_DIFFERS}"
        assert sentence.is_in_doubt
        assert account.words not in sentence.text
        places = {(source.quote.page_id, source.quote.start) for source in (*sentence.sources, account.source)}
        assert len(places) > 1
        page = bench.store.pages.by_id(account.source.quote.page_id)
        assert page.text[account.source.quote.start : account.source.quote.end] == account.source.quote.text
    assert record.audit.disputes == 2
    assert not record.audit.is_clean


def test_only_contested_sentences_are_marked(audit, bench):
    bench.conflicts.find()
    assert not any(rivals(audit(*UNTOUCHED, BOTH)).values())


def test_a_statement_that_another_document_denies_is_marked(audit, bench):
    bench.conflicts.find()
    (sentence,) = audit(THREAT).audit.sentences
    assert (sentence.finding, [account.source.quote.text for account in sentence.other_accounts]) == (
        "supported",
        ["Ruben Aske denies this."],
    )


def test_a_stored_audit_follows_the_conflicts_and_their_decisions(audit, bench):
    identity = audit(SHORT, LONG, keep=True).id
    assert not any(rivals(bench.audits.get(identity)).values())
    conflict = next(row for row in bench.conflicts.find().conflicts if "minutes" in row.conflict.subject)
    assert rivals(bench.audits.get(identity)) == {SHORT: ["second.txt"], LONG: ["first.txt"]}
    numbers = {position.text[:2]: number for number, position in enumerate(conflict.conflict.positions, start=1)}
    bench.conflicts.resolve(conflict.id, "held", position=numbers["47"])
    assert rivals(bench.audits.get(identity)) == {SHORT: [], LONG: ["first.txt"]}
    bench.conflicts.resolve(conflict.id, "both")
    assert not any(rivals(bench.audits.get(identity)).values())


def test_every_form_shows_both_sources(audit, bench):
    bench.conflicts.find()
    result = audit(SHORT).audit
    (row,) = audit_json(result)["sentences"]
    assert [(account["name"], account["differs"]) for account in row["other_accounts"]] == [("second.txt", "74")]
    assert audit_json(result)["summary"]["disputed"] == 1
    assert counts_line(result) == "supported 1, another source differs 1"
    (comment,) = comments(result)
    for text in (comment["comment"], render_markdown(result).decode(), render_html(result).decode()):
        assert "another source differs" in text.lower()
        assert "first.txt" in text
        assert "second.txt" in text
