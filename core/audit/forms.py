"""Forms of an audit: JSON, a one-page summary in Markdown, one HTML file, comments for a DOCX. Pure."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from core.audit.accounting import ELSEWHERE, ONLY_IN_SOURCE
from core.audit.finding import (
    ANOTHER_DIFFERS,
    FINDINGS,
    STATUSES,
    TITLES,
    WORDS,
    Audit,
    AuditedCitation,
    AuditedQuotation,
    AuditedSentence,
    Decision,
    OtherAccount,
    Source,
    item,
)
from core.audit.omissions import ELLIPSIS
from core.audit.rules import Difference
from core.report.html import environment, style
from core.report.markdown import escape_line
from core.report.wording import visible
from core.text import counted

FORMS: dict[str, str] = {
    ".docx": "text document with comments",
    ".html": "web page",
    ".json": "JSON",
    ".md": "one-page summary",
}
_MARK = re.compile(r"\[\^\d+\]")
_SUMMARY_ROWS = 25
_MOST_DIFFERENCES = 6
_VERBATIM = "The quotation is there word for word."
_AUTHOR, _INITIALS = "Disconfirm", "DC"


Decisions = Mapping[str, Decision]


def summary(audit: Audit) -> dict[str, Any]:
    """Count the findings."""
    return {
        "sentences": len(audit.sentences),
        "claims": sum(row.is_claim for row in audit.sentences),
        "findings": dict(audit.counts),
        "disputed": audit.disputes,
        "quotations": {
            status: sum(row.status == status for row in audit.quotations)
            for status in ("verified", "altered", "not_found")
        },
        "citations": {status: sum(row.status == status for row in audit.citations) for status in STATUSES},
        "clean": audit.is_clean,
    }


def audit_json(audit: Audit, decisions: Decisions | None = None) -> dict[str, Any]:
    """Return an audit with the fields of the contract."""
    decisions = decisions or {}
    return {
        "file": audit.file,
        "sha256": audit.sha256,
        "pages": audit.pages,
        "sentences": [
            {
                "n": row.number,
                "text": row.text,
                "page": row.page,
                "section": row.section,
                "claim": row.is_claim,
                "finding": row.finding,
                **({"reason": row.reason} if row.reason else {}),
                "score": row.score,
                "by": row.by,
                **({"missing": list(row.missing)} if row.missing else {}),
                **({"language": row.language} if row.language else {}),
                "differences": [difference_json(entry) for entry in row.differences],
                "evidence": [_source_json(source) for source in row.sources],
                **(
                    {"other_accounts": [_account_json(entry) for entry in row.other_accounts]}
                    if row.other_accounts
                    else {}
                ),
                **_decision_json(decisions.get(item(row))),
            }
            for row in audit.sentences
        ],
        "quotations": [
            {
                "n": row.sentence,
                "text": row.text,
                "status": row.status,
                "differences": [{"quote": quote, "page": page, "what": what} for quote, page, what in row.differences],
                "places": [
                    {
                        "document": place.document,
                        "page": place.page,
                        "start": place.start,
                        "end": place.end,
                        "text": place.text,
                    }
                    for place in row.places
                ],
            }
            for row in audit.quotations
        ],
        "citations": [
            {
                "n": row.sentence,
                "text": row.text,
                "status": row.status,
                "document": row.document,
                "name": row.name,
                "pages": list(row.pages),
                **({"page": row.right_page} if row.right_page is not None else {}),
                **({"reason": row.reason} if row.reason else {}),
            }
            for row in audit.citations
        ],
        "summary": summary(audit),
        "notes": list(audit.notes),
        "models": list(audit.models),
        "at": audit.at,
        "seconds": round(audit.seconds, 4),
    }


def difference_json(difference: Difference) -> dict[str, Any]:
    """Return a difference with the fields of the contract."""
    return {
        "what": difference.what,
        "said": difference.own,
        "source": difference.source,
        "start": difference.start,
        "end": difference.end,
        "sure": difference.is_sure,
    }


def _source_json(source: Source) -> dict[str, Any]:
    quote = source.quote
    return {
        "document": quote.document,
        "name": source.name,
        "page": quote.page,
        "start": quote.start,
        "end": quote.end,
        "text": quote.text,
        "cited": source.is_cited,
        "source": source.layer,
    }


def _account_json(account: OtherAccount) -> dict[str, Any]:
    return {"conflict": account.conflict, **_source_json(account.source), "differs": account.words}


def _decision_json(decision: Decision | None) -> dict[str, Any]:
    if decision is None:
        return {}
    return {"decision": {"status": decision.status, "note": decision.note, "by": decision.by, "at": decision.at}}


def render_json(audit: Audit, decisions: Decisions | None = None) -> bytes:
    """Write the whole audit as JSON."""
    return (json.dumps(audit_json(audit, decisions), ensure_ascii=False, indent=1) + "\n").encode("utf-8")


# --- words -----------------------------------------------------------------------------------------------------------


def difference_lines(sentence: AuditedSentence) -> list[str]:
    """Describe how a sentence differs from its sources, a line for each difference."""
    lines = []
    for difference in sentence.differences:
        source = f"; the source: “{difference.source}”" if difference.source else ""
        lines.append(f"{WORDS[difference.what].capitalize()}: “{difference.own}”{source}")
    different = [words for words in sentence.missing if words.endswith((ONLY_IN_SOURCE, ELSEWHERE))]
    if absent := [words for words in sentence.missing if words not in different]:
        lines.append(f"Missing: none of its sources has {', '.join(f'“{words}”' for words in absent)}.")
    if different:
        lines.append(f"Its source differs: {', '.join(different)}")
    if sentence.finding == "undecided" and not lines and not sentence.language:
        lines.append(
            "Its words are in the documents, but not surely in this sense: read the sentence and its sources side by "
            "side."
        )
    if sentence.language:
        lines.append(f"Its language, or that of its source, is not English ({sentence.language}).")
    return lines


def quotation_line(quotation: AuditedQuotation) -> str:
    """Describe the result of a quotation."""
    if quotation.status == "verified":
        harmless = "; ".join(_altered(quote, page) for quote, page, _ in quotation.differences)
        return f"The quotation is there word for word; {harmless}." if harmless else _VERBATIM
    if quotation.status == "not_found":
        return "The quotation was not found in any document."
    omissions = [_altered(*row[:2]) for row in quotation.differences if row[0] == ELLIPSIS]  # all of them
    changes = [_altered(*row[:2]) for row in quotation.differences if row[0] != ELLIPSIS]
    surplus = [f"{len(changes) - _MOST_DIFFERENCES:,} more"] if len(changes) > _MOST_DIFFERENCES else []
    parts = [*omissions, *changes[:_MOST_DIFFERENCES], *surplus]
    return f"The quotation is altered: {'; '.join(parts)}." if parts else "The quotation is altered."


def _altered(quote: str, page: str) -> str:
    if quote == ELLIPSIS:
        return f"it leaves out “{page}”"
    if not page:
        return f"“{quote}” is not on the page"
    return f"“{quote}” where the page has “{page}”" if quote else f"“{page}” of the page is left out"


def citation_line(citation: AuditedCitation) -> str:
    """Describe the result of a citation."""
    words = citation.text.strip("()[] ")
    name = f" ({citation.name})" if citation.name and citation.name not in words else ""
    reason = f". {citation.reason}" if citation.reason else ""
    return f"Citation {citation.status}: {words}{name}{reason}"


def place(source: Source) -> str:
    """Return the place of a source."""
    return f"{source.quote.document} {source.name}, p. {source.quote.page}"


def quotation_of(source: Source) -> str:
    """Return the place and the text of a source."""
    return f"{place(source)}: “{source.quote.text}”"


def account_lines(sentence: AuditedSentence) -> list[str]:
    """Describe the contradicting sources by the conflicts of the case, a line each."""
    return [
        f"{ANOTHER_DIFFERS.capitalize()} ({account.conflict}): {quotation_of(account.source)}"
        for account in sentence.other_accounts
    ]


def _decided(decision: Decision | None) -> str:
    if decision is None:
        return ""
    note = f": {decision.note}" if decision.note else ""
    return f"{decision.status.capitalize()} by {decision.by}{note}"


def counts_line(audit: Audit) -> str:
    """Return the number of sentences of each finding in one line."""
    counts = {TITLES[finding].lower(): count for finding, count in audit.counts.items()}
    parts = [f"{words} {count:,}" for words, count in counts.items() if count]
    return ", ".join([*parts, *([f"{ANOTHER_DIFFERS} {audit.disputes:,}"] if audit.disputes else [])])


def unchecked_line(audit: Audit) -> str:
    """Return the number of sentences that were not checked, and the reasons; '' if all were checked."""
    reasons = Counter(sentence.reason for sentence in audit.sentences if not sentence.is_claim)
    if not reasons:
        return ""
    count, parts = reasons.total(), ", ".join(f"{reason} ({number:,})" for reason, number in reasons.most_common())
    return f"Not checked: {count:,} of its {counted(len(audit.sentences), 'sentence')}: {parts}."


# --- Markdown --------------------------------------------------------------------------------------------------------


def render_markdown(audit: Audit, decisions: Decisions | None = None) -> bytes:
    """Write a one-page summary: the counts, and the findings to review, the most serious first."""
    decisions = decisions or {}
    lines = [f"# {escape_line(f'Audit of {audit.file}')}", ""]
    lines += [escape_line(f"{len(audit.sentences):,} sentences on {audit.pages:,} pages: {counts_line(audit)}."), ""]
    if line := unchecked_line(audit):
        lines += [escape_line(line), ""]
    figures = summary(audit)
    for name in ("quotations", "citations"):
        parts = ", ".join(f"{status.replace('_', ' ')} {count:,}" for status, count in figures[name].items() if count)
        if parts:
            lines += [escape_line(f"{name.capitalize()}: {parts}."), ""]
    rows = sorted((row for row in audit.sentences if row.is_in_doubt), key=lambda row: row.rank)
    rows = [row for row in rows if decisions.get(item(row), Decision("")).status != "overruled"]
    for row in rows[:_SUMMARY_ROWS]:
        lines.append(f"- **{row.title}** {escape_line(f'({row.number}) {row.text}', starts=False)}")
        lines += [f"  - {escape_line(line, starts=False)}" for line in difference_lines(row)]
        lines += [f"  - {escape_line(quotation_of(source), starts=False)}" for source in row.sources[:1]]
        lines += [f"  - {escape_line(line, starts=False)}" for line in account_lines(row)]
        if words := _decided(decisions.get(item(row))):
            lines.append(f"  - {escape_line(words, starts=False)}")
    if len(rows) > _SUMMARY_ROWS:
        lines.append(f"- and {len(rows) - _SUMMARY_ROWS:,} more")
    for quotation in audit.quotations:
        if quotation.status != "verified":
            lines.append(f"- {escape_line(f'“{quotation.text}”: {quotation_line(quotation)}', starts=False)}")
    for citation in audit.citations:
        if citation.status != "PASS":
            lines.append(f"- {escape_line(citation_line(citation), starts=False)}")
    lines += ["", *(escape_line(note) for note in audit.notes), ""]
    lines.append(escape_line(f"sha256 of the report: {audit.sha256}; audited {audit.at}"))
    return ("\n".join(lines) + "\n").encode("utf-8")


# --- HTML ------------------------------------------------------------------------------------------------------------


def pieces(sentence: AuditedSentence) -> list[tuple[str, bool]]:
    """Cut a sentence into stretches with whether each is marked as differing."""
    result: list[tuple[str, bool]] = []
    offset = 0
    for difference in sorted(sentence.differences, key=lambda difference: (difference.start, difference.end)):
        if difference.start < offset or difference.end > len(sentence.text):
            continue
        result += [
            (sentence.text[offset : difference.start], False),
            (sentence.text[difference.start : difference.end], True),
        ]
        offset = difference.end
    return [piece for piece in (*result, (sentence.text[offset:], False)) if piece[0]]


def render_html(audit: Audit, decisions: Decisions | None = None) -> bytes:
    """Write the audit as one HTML file: each sentence beside its sources; no script, no network."""
    decisions = decisions or {}
    rows = [
        {
            "sentence": sentence,
            "pieces": pieces(sentence),
            "title": sentence.title,
            "differences": difference_lines(sentence),
            "sources": [
                *((place(source), source.quote.text) for source in sentence.sources),
                *(
                    (f"{place(row.source)} · {ANOTHER_DIFFERS} ({row.conflict})", row.source.quote.text)
                    for row in sentence.other_accounts
                ),
            ],
            "quotations": [quotation_line(row) for row in audit.of_sentence(sentence.number)[0]],
            "citations": [citation_line(row) for row in audit.of_sentence(sentence.number)[1]],
            "decision": _decided(decisions.get(item(sentence))),
        }
        for sentence in audit.sentences
    ]
    template = environment().get_template("audit.html")
    page = template.render(
        audit=audit,
        rows=rows,
        counts=counts_line(audit),
        unchecked=unchecked_line(audit),
        figures=summary(audit),
        findings=FINDINGS,
        titles=TITLES,
        style=style("report.css", "audit.css"),
    )
    return page.encode("utf-8")


# --- comments --------------------------------------------------------------------------------------------------------


def comments(audit: Audit, decisions: Decisions | None = None) -> Iterator[dict[str, str]]:
    """Yield a comment for each sentence that needs one, with the words it belongs to."""
    decisions = decisions or {}
    for sentence in audit.sentences:
        quotation_rows, citation_rows = audit.of_sentence(sentence.number)
        lines = []
        if sentence.is_in_doubt:
            lines.append(f"{sentence.title}. {FINDINGS[sentence.finding]}")
            lines += difference_lines(sentence)
            lines += [quotation_of(source) for source in sentence.sources]
            lines += account_lines(sentence)
        lines += [quotation_line(row) for row in quotation_rows if row.status != "verified"]
        lines += [citation_line(row) for row in citation_rows if row.status != "PASS"]
        if lines:
            if words := _decided(decisions.get(item(sentence))):
                lines.append(words)
            words = _MARK.sub("", sentence.text)  # which the reader inserted
            yield {"text": words, "comment": "\n".join(map(visible, lines))}


def docx_content(audit: Audit, decisions: Decisions | None = None) -> bytes:
    """Return the input of the writer that puts comments into a text document, as JSON.

    The sentences of the report are included as paragraphs: for a report that is not a DOCX, a new document is
    written.
    """
    paragraphs: list[dict[str, str]] = []
    section = ""
    for sentence in audit.sentences:
        is_heading = sentence.section != section and sentence.text == sentence.section
        section = sentence.section
        paragraphs.append({"kind": "heading" if is_heading else "text", "text": sentence.text})
    content = {
        "title": f"Audit of {audit.file}",
        "generated_at": audit.at,
        "author": _AUTHOR,
        "initials": _INITIALS,
        "summary": [
            *(f"Audit of {audit.file}: {counts_line(audit)}.", *filter(None, [unchecked_line(audit)])),
            *audit.notes,
        ],
        "comments": list(comments(audit, decisions)),
        "paragraphs": paragraphs,
    }
    return json.dumps(content, ensure_ascii=False).encode("utf-8")
