"""The command that audits a written report."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from core.audit.finding import FINDINGS, STATUSES, TITLES, Audit
from core.audit.forms import audit_json, difference_json
from core.audit.pairs import PairChecks
from core.cli.app import App
from core.cli.grammar import Commands, add_lines
from core.cli.output import lines_to, read_lines
from core.errors import BadInput
from core.text import columns


def register(commands: Commands) -> None:
    """Declare the command of this module."""
    sub = commands.add("audit", run_audit, "check a written report against the case, sentence by sentence", case=False)
    sub.add_argument("case", nargs="?", metavar="CASE", help="the case file")
    sub.add_argument("file", nargs="?", metavar="FILE", help="the report: DOCX, ODT, PDF, HTML, Markdown, text ...")
    sub.add_argument("-o", "--output", metavar="FILE.(docx|html|json|md)", help="write the audit as a file")
    sub.add_argument("--password", default="", help="of a report that opens with one")
    add_lines(sub)


def run_audit(args: Namespace, app: App) -> int:
    """Audit a report, or check each line of a file without a case."""
    if args.jsonl:
        return _check_lines(args, app)
    if not args.case or not args.file:
        raise BadInput(reason="A case and a report are needed.", remedy="disconfirm audit CASE FILE")
    with app.open(args.case) as bench:
        audit = bench.audits.audit(Path(args.file), app.out.progress(), password=args.password)
        copy = bench.audits.write(audit, Path(args.output), report=Path(args.file)) if args.output else None
    result = audit_json(audit)
    if copy is not None:
        result |= {"written": {"file": str(copy.file), "bytes": copy.bytes, "sha256": copy.sha256}}
    app.out.result(result, lambda: [*_lines(audit), *([f"Written: {copy.file}"] if copy else [])])
    return 0


def _check_lines(args: Namespace, app: App) -> int:
    rows = list(read_lines(args.jsonl, ("id", "document", "sentence")))
    progress = app.out.progress()
    checks = PairChecks(app.engines.embedder, [row["document"] for row in rows])
    with lines_to(args.out) as write:
        for number, row in enumerate(rows):
            progress.step(number, len(rows), "Checking")
            with progress.asking():
                outcome = checks.check(row["sentence"], row["document"])
            write(
                {
                    "id": row["id"],
                    "finding": outcome.finding,
                    "score": outcome.score,
                    "differences": [difference_json(difference) for difference in outcome.differences],
                }
            )
    return 0


def _lines(audit: Audit) -> Iterator[str]:
    counts = audit.counts
    yield f"{audit.file}: {len(audit.sentences):,} sentences"
    yield "  " + ", ".join(f"{TITLES[finding].lower()} {counts[finding]}" for finding in FINDINGS if counts[finding])
    for finding in FINDINGS:
        if finding in ("supported", "not_a_claim"):
            continue
        for one in audit.sentences:
            if one.finding != finding:
                continue
            yield columns(f"{TITLES[finding]}: {one.number}. {' '.join(one.text.split())}")
            for difference in one.differences:
                instead = f" (sources: {difference.source})" if difference.source else ""
                yield columns(f"   {difference.what}: {difference.own}{instead}")
            for source in one.sources[:1]:
                words = " ".join(source.quote.text.split())
                yield columns(f"   {source.quote.document} {source.name}, page {source.quote.page}: {words}")
    for quotation in audit.quotations:
        if quotation.status != "verified":
            yield columns(f"Quotation {quotation.status.replace('_', ' ')}: “{' '.join(quotation.text.split())}”")
    for status in STATUSES[1:]:
        for citation in audit.citations:
            if citation.status == status:
                yield columns(f"{status}: {citation.text} {citation.reason}")
    yield from audit.notes
