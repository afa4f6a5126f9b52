"""The forms of an audit: JSON, a one-page summary in Markdown, one HTML file, comments for a DOCX. Pure."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from core.audit.accounting import ELSEWHERE, ONLY_THERE
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
    """Count what was found."""
    return {
        "sentences": len(audit.sentences),
        "claims": sum(one.is_claim for one in audit.sentences),
        "findings": dict(audit.counts),
        "disputed": audit.disputes,
        "quotations": {
            status: sum(one.status == status for one in audit.quotations)
            for status in ("verified", "altered", "not_found")
        },
        "citations": {status: sum(one.status == status for one in audit.citations) for status in STATUSES},
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
                "n": one.number,
                "text": one.text,
                "page": one.page,
                "section": one.section,
                "claim": one.is_claim,
                "finding": one.finding,
                **({"reason": one.reason} if one.reason else {}),
                "score": one.score,
                "by": one.by,
                **({"missing": list(one.missing)} if one.missing else {}),
                **({"language": one.language} if one.language else {}),
                "differences": [difference_json(each) for each in one.differences],
                "evidence": [_source_json(source) for source in one.sources],
                **(
                    {"other_accounts": [_account_json(each) for each in one.other_accounts]}
                    if one.other_accounts
                    else {}
                ),
                **_decision_json(decisions.get(item(one))),
            }
            for one in audit.sentences
        ],
        "quotations": [
            {
                "n": one.sentence,
                "text": one.text,
                "status": one.status,
                "differences": [{"quote": quote, "page": page, "what": what} for quote, page, what in one.differences],
                "places": [
                    {
                        "document": place.document,
                        "page": place.page,
                        "start": place.start,
                        "end": place.end,
                        "text": place.text,
                    }
                    for place in one.places
                ],
            }
            for one in audit.quotations
        ],
        "citations": [
            {
                "n": one.sentence,
                "text": one.text,
                "status": one.status,
                "document": one.document,
                "name": one.name,
                "pages": list(one.pages),
                **({"page": one.right_page} if one.right_page is not None else {}),
                **({"reason": one.reason} if one.reason else {}),
            }
            for one in audit.citations
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
    """Say what a sentence says otherwise than its sources, a line each."""
    lines = []
    for one in sentence.differences:
        instead = f"; the source: “{one.source}”" if one.source else ""
        lines.append(f"{WORDS[one.what].capitalize()}: “{one.own}”{instead}")
    otherwise = [words for words in sentence.missing if words.endswith((ONLY_THERE, ELSEWHERE))]
    if nowhere := [words for words in sentence.missing if words not in otherwise]:
        lines.append(f"In none of its sources: {', '.join(nowhere)}")
    if otherwise:
        lines.append(f"Its source differs: {', '.join(otherwise)}")
    if sentence.language:
        lines.append(f"Its language, or that of its source, is not English ({sentence.language}).")
    return lines


def quotation_line(quotation: AuditedQuotation) -> str:
    """Say how a quotation stands."""
    if quotation.status == "verified":
        harmless = "; ".join(_altered(quote, page) for quote, page, _ in quotation.differences)
        return f"The quotation is there word for word; {harmless}." if harmless else _VERBATIM
    if quotation.status == "not_found":
        return "The quotation was not found in any document."
    omissions = [_altered(*one[:2]) for one in quotation.differences if one[0] == ELLIPSIS]  # all of them
    others = [_altered(*one[:2]) for one in quotation.differences if one[0] != ELLIPSIS]
    more = [f"{len(others) - _MOST_DIFFERENCES:,} more"] if len(others) > _MOST_DIFFERENCES else []
    parts = [*omissions, *others[:_MOST_DIFFERENCES], *more]
    return f"The quotation is altered: {'; '.join(parts)}." if parts else "The quotation is altered."


def _altered(quote: str, page: str) -> str:
    if quote == ELLIPSIS:
        return f"it leaves out “{page}”"
    if not page:
        return f"“{quote}” is not on the page"
    return f"“{quote}” where the page has “{page}”" if quote else f"“{page}” of the page is left out"


def citation_line(citation: AuditedCitation) -> str:
    """Say how a citation stands."""
    words = citation.text.strip("()[] ")
    name = f" ({citation.name})" if citation.name and citation.name not in words else ""
    reason = f". {citation.reason}" if citation.reason else ""
    return f"Citation {citation.status}: {words}{name}{reason}"


def place(source: Source) -> str:
    """Say where a source stands."""
    return f"{source.quote.document} {source.name}, p. {source.quote.page}"


def quotation_of(source: Source) -> str:
    """Say where a source stands and what it says."""
    return f"{place(source)}: “{source.quote.text}”"


def account_lines(sentence: AuditedSentence) -> list[str]:
    """Say which other sources differ by the conflicts of the case, a line each."""
    return [
        f"{ANOTHER_DIFFERS.capitalize()} ({one.conflict}): {quotation_of(one.source)}"
        for one in sentence.other_accounts
    ]


def _decided(decision: Decision | None) -> str:
    if decision is None:
        return ""
    note = f": {decision.note}" if decision.note else ""
    return f"{decision.status.capitalize()} by {decision.by}{note}"


def counts_line(audit: Audit) -> str:
    """Say in one line how many sentences there are of each finding."""
    counts = {TITLES[finding].lower(): count for finding, count in audit.counts.items()}
    parts = [f"{words} {count:,}" for words, count in counts.items() if count]
    return ", ".join([*parts, *([f"{ANOTHER_DIFFERS} {audit.disputes:,}"] if audit.disputes else [])])


def unchecked_line(audit: Audit) -> str:
    """Say how many sentences were not checked, and why; '' where all were."""
    reasons = Counter(one.reason for one in audit.sentences if not one.is_claim)
    if not reasons:
        return ""
    count, parts = reasons.total(), ", ".join(f"{reason} ({number:,})" for reason, number in reasons.most_common())
    return f"Not checked: {count:,} of its {counted(len(audit.sentences), 'sentence')}: {parts}."


# --- Markdown --------------------------------------------------------------------------------------------------------


def render_markdown(audit: Audit, decisions: Decisions | None = None) -> bytes:
    """Write a one-page summary: the counts, and the findings that need a second look, the most serious first."""
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
    rows = sorted((one for one in audit.sentences if one.is_in_doubt), key=lambda one: one.rank)
    rows = [one for one in rows if decisions.get(item(one), Decision("")).status != "overruled"]
    for one in rows[:_SUMMARY_ROWS]:
        lines.append(f"- **{one.title}** {escape_line(f'({one.number}) {one.text}', starts=False)}")
        lines += [f"  - {escape_line(line, starts=False)}" for line in difference_lines(one)]
        lines += [f"  - {escape_line(quotation_of(source), starts=False)}" for source in one.sources[:1]]
        lines += [f"  - {escape_line(line, starts=False)}" for line in account_lines(one)]
        if words := _decided(decisions.get(item(one))):
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
    at = 0
    for one in sorted(sentence.differences, key=lambda one: (one.start, one.end)):
        if one.start < at or one.end > len(sentence.text):
            continue
        result += [(sentence.text[at : one.start], False), (sentence.text[one.start : one.end], True)]
        at = one.end
    return [piece for piece in (*result, (sentence.text[at:], False)) if piece[0]]


def render_html(audit: Audit, decisions: Decisions | None = None) -> bytes:
    """Write the audit as one HTML file: each sentence with its sources beside it; no script, no network."""
    decisions = decisions or {}
    rows = [
        {
            "sentence": one,
            "pieces": pieces(one),
            "title": one.title,
            "differences": difference_lines(one),
            "sources": [
                *((place(source), source.quote.text) for source in one.sources),
                *(
                    (f"{place(each.source)} · {ANOTHER_DIFFERS} ({each.conflict})", each.source.quote.text)
                    for each in one.other_accounts
                ),
            ],
            "quotations": [quotation_line(each) for each in audit.of_sentence(one.number)[0]],
            "citations": [citation_line(each) for each in audit.of_sentence(one.number)[1]],
            "decision": _decided(decisions.get(item(one))),
        }
        for one in audit.sentences
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
    """Yield a comment for each sentence that needs one, with the words that it belongs to."""
    decisions = decisions or {}
    for one in audit.sentences:
        quotation_rows, citation_rows = audit.of_sentence(one.number)
        lines = []
        if one.is_in_doubt:
            lines.append(f"{one.title}. {FINDINGS[one.finding]}")
            lines += difference_lines(one)
            lines += [quotation_of(source) for source in one.sources]
            lines += account_lines(one)
        lines += [quotation_line(each) for each in quotation_rows if each.status != "verified"]
        lines += [citation_line(each) for each in citation_rows if each.status != "PASS"]
        if lines:
            if words := _decided(decisions.get(item(one))):
                lines.append(words)
            words = _MARK.sub("", one.text)  # which the reader put there
            yield {"text": words, "comment": "\n".join(map(visible, lines))}


def docx_content(audit: Audit, decisions: Decisions | None = None) -> bytes:
    """Return what a writer needs to put the comments into a text document, as JSON.

    With the sentences of the report as paragraphs, for one that is no text document itself: it is written anew.
    """
    paragraphs: list[dict[str, str]] = []
    section = ""
    for one in audit.sentences:
        is_heading = one.section != section and one.text == one.section
        section = one.section
        paragraphs.append({"kind": "heading" if is_heading else "text", "text": one.text})
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
