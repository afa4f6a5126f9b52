"""The commands about evidence: its rows, their ratings and history, and quotes."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from typing import get_args

from core.cli.app import App
from core.cli.grammar import Commands, add_lines
from core.cli.output import Json, lines_to, read_lines
from core.cli.search import source_mark
from core.domain import MARKS, RATINGS, Citation, Evidence, Level
from core.errors import BadInput, BadRating
from core.evidence import quotes
from core.text import columns

_GRADES = ("reliability", "information", "date", "upstream", "note")


def register(commands: Commands) -> None:
    """Declare the commands of this module."""
    sub = commands.add("evidence", run_evidence, "add, list, grade or remove evidence")
    sub.add_argument("action", choices=("add", "list", "grade", "remove"))
    sub.add_argument("text", nargs="?", metavar="TEXT|E1")
    sub.add_argument("--source")
    for option in ("--credibility", "--relevance"):
        sub.add_argument(option, choices=get_args(Level))
    for name in _GRADES:
        sub.add_argument(f"--{name}")
    sub = commands.add("rate", run_rate, "rate a piece of evidence against a hypothesis")
    sub.add_argument("evidence", metavar="E1")
    sub.add_argument("hypothesis", metavar="H1")
    sub.add_argument("rating", metavar="|".join((*RATINGS, "-")), help="- removes your own rating")
    sub.add_argument("--note", help="why")
    sub.add_argument("--confidence", choices=("low", "medium", "high"), help="how sure you are of the rating")
    sub = commands.add("history", run_history, "who did what to a piece of evidence, or to one cell")
    sub.add_argument("evidence", metavar="E1")
    sub.add_argument("hypothesis", nargs="?", metavar="H1")
    words = "note what was expected under a hypothesis, searched for, and not found"
    sub = commands.add("absence", run_absence, words)
    sub.add_argument("hypothesis", metavar="H1")
    sub.add_argument("text", metavar="TEXT")
    sub.add_argument("--query", nargs="+", action="extend", required=True, metavar="WORDS")
    sub = commands.add("quote", run_quote, "check a quote against the documents")
    sub.add_argument("text", nargs="?", metavar="TEXT")
    sub.add_argument("--document", metavar="D1")
    add_lines(sub)


def run_evidence(args: Namespace, app: App) -> int:
    """Add, grade or remove a piece of evidence, and list them all."""
    open_case = app.open if args.action in ("add", "remove", "grade") else app.open_proven
    with open_case(args.case) as bench:
        if args.action == "add":
            bench.evidence.add(
                args.text or "", args.source or "", credibility=args.credibility, relevance=args.relevance
            )
        elif args.action == "remove":
            bench.evidence.remove(args.text or "")
        elif args.action == "grade":
            names = (*("source", "credibility", "relevance"), *_GRADES)
            grades = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
            bench.evidence.describe([args.text or ""], **grades)
        evidence = bench.evidence.all()
        citations = bench.evidence.cite(evidence)
    app.out.result(
        {"evidence": [evidence_json(e, citations.get(e.id)) for e in evidence]},
        lambda: [columns(e.id, e.source, e.text + source_mark(_source(citations.get(e.id)))) for e in evidence],
    )
    return 0


def evidence_json(evidence: Evidence, citation: Citation | None) -> Json:
    """Return a piece of evidence with its citation."""
    fields = asdict(evidence)
    del fields["page_id"]
    fields["more"] = [{k: v for k, v in part.items() if k != "page_id"} for part in fields["more"]]
    fields["label"] = citation.label if citation else ""
    fields["section"] = list(citation.section) if citation else []
    fields["place"] = citation.place if citation else ""
    fields["skipped"] = list(citation.skipped) if citation else []
    fields["frame"] = citation.frame if citation else ""
    fields["text_source"] = _source(citation)
    return fields


def _source(citation: Citation | None) -> str:
    return citation.source if citation else ""


def run_rate(args: Namespace, app: App) -> int:
    """Rate a piece of evidence against a hypothesis, or take one's rating back."""
    value = args.rating.upper()
    if value not in (*RATINGS, "-"):
        raise BadRating(value=args.rating)
    cell = (args.evidence, args.hypothesis)
    with app.open(args.case) as bench:
        bench.evidence.rate(*cell, None if value == "-" else value)
        if args.note is not None or args.confidence is not None:
            bench.evidence.annotate(*cell, note=args.note, confidence=args.confidence)
        who = bench.case.who
    rating = {
        **{"evidence": cell[0], "hypothesis": cell[1], "rating": None if value == "-" else value},
        **{"by": who, "note": args.note or "", "confidence": args.confidence or ""},
    }
    app.out.result({"rating": rating}, lambda: f"{cell[0]} against {cell[1]}: {value} ({who})")
    return 0


def run_history(args: Namespace, app: App) -> int:
    """List who did what to a piece of evidence, or to one cell."""
    with app.open(args.case) as bench:
        changes = bench.evidence.history(args.evidence, args.hypothesis)
    app.out.result(
        {"history": [asdict(item) for item in changes]},
        lambda: [columns(p.at, p.who, p.verb, p.hypothesis, f"{p.before or '-'} -> {p.after or '-'}") for p in changes],
    )
    return 0


def run_absence(args: Namespace, app: App) -> int:
    """Note what was expected under a hypothesis, searched for, and not found."""
    with app.open(args.case) as bench:
        evidence = bench.evidence.add_absence(args.hypothesis, args.text, args.query)
        row = next(item for item in bench.evidence.all() if item.id == evidence.id)
    app.out.result({"evidence": evidence_json(row, None)}, lambda: columns(row.id, row.text, row.source))
    return 0


def run_quote(args: Namespace, app: App) -> int:
    """Check that a quote is in the documents, or each line of a file."""
    if args.jsonl:
        rows = list(read_lines(args.jsonl, ("id", "text")))
        with app.open(args.case) as bench, lines_to(args.out, args.case) as write:
            answers = bench.evidence.check_many([(row["text"], row.get("document")) for row in rows])
            for row, answer in zip(rows, answers, strict=True):
                write({"id": row["id"], **answer_json(answer, row["text"])})
        return 0
    if not args.text:
        raise BadInput(reason="No quote given.", remedy="disconfirm quote CASE TEXT")
    with app.open(args.case) as bench:
        answer = bench.evidence.check(args.text, args.document)
    app.out.result(
        answer_json(answer, args.text),
        lambda: list([_status(answer)] + [line for match in answer.matches for line in _match_words(match)]),
    )
    return 0


def answer_json(answer: quotes.Answer, text: str) -> Json:
    """Return what the check of the quote ``text`` came to."""
    return {
        "status": answer.status,
        "altered": answer.altered,
        "matches": [
            {
                "document": match.document,
                "page": match.page,
                "start": match.start,
                "end": match.end,
                "text": match.text,
                "more": [asdict(part) for part in match.more],
                "skipped": [asdict(part) for part in match.skipped_lines],
                "score": match.score,
                "altered": match.altered,
                "frame": match.frame,
                "marks": list(match.marks),
                "differences": [asdict(difference) for difference in match.differences],
                "diff": [asdict(edit) for edit in quotes.edits(text, match.whole)] if match.differences else [],
            }
            for match in answer.matches
        ],
    }


def _status(answer: quotes.Answer) -> str:
    """Word the result of a check; words that are struck through or hidden wherever they stand are not just verified."""
    if answer.altered:
        return "altered"
    doubts = [match.doubts for match in answer.matches]
    return f"{answer.status}, but {' and '.join(doubts[0])}" if doubts and all(doubts) else answer.status


def _match_words(match: quotes.Match) -> list[str]:
    """'D1, page 3, 120-180: “...”', over a page break one place after the other, and what differs."""
    first = quotes.Part(match.page, match.start, match.end, match.text)
    places = [f"page {part.page}, {part.start}-{part.end}: “{part.text}”" for part in (first, *match.more)]
    lines = [f"{match.document}, {'; '.join(places)}"]
    lines += [f"  skipped: [{line.text}] on page {line.page}" for line in match.skipped_lines]
    lines += [
        f"  {difference.what}: “{difference.quote}” given, “{difference.page}” on the page"
        for difference in match.differences
    ]
    lines += [f"  {words}" for words in (MARKS[mark] for mark in match.marks)]
    if match.frame:
        lines.append(f"  leaves out part of its sentence: “{match.frame}”")
    return lines
