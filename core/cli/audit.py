"""The command that audits a written report."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from core.audit.finding import ANOTHER_DIFFERS, STATUSES, AuditRecord, Source
from core.audit.forms import audit_json, counts_line, difference_json, quotation_line, unchecked_line
from core.audit.pairs import PairChecks
from core.cli.app import App
from core.cli.grammar import Commands, add_lines
from core.cli.output import Json, lines_to, read_lines
from core.errors import BadInput
from core.text import columns


def register(commands: Commands) -> None:
    """Declare the command of this module."""
    sub = commands.add("audit", run_audit, "check a written report against the case, sentence by sentence", case=False)
    sub.add_argument("case", nargs="?", metavar="CASE", help="the case file")
    sub.add_argument("file", nargs="?", metavar="FILE", help="the report: DOCX, ODT, PDF, HTML, Markdown, text ...")
    sub.add_argument("-o", "--output", metavar="FILE.(docx|html|json|md)", help="write the audit as a file")
    sub.add_argument("--list", action="store_true", help="list the audits saved in the case")
    sub.add_argument("--remove", nargs="+", metavar="U1", help="remove audits from the case")
    sub.add_argument("--decide", nargs=3, metavar=("U1", "SENTENCE", "accepted|overruled|open"))
    sub.add_argument("--note", default="", help="with --decide: why")
    sub.add_argument("--password", default="", help="of a report that opens with one")
    add_lines(sub)


def run_audit(args: Namespace, app: App) -> int:
    """Audit a report and keep that, check each line of a file without a case, or see to what the case keeps."""
    if args.jsonl:
        return _check_lines(args, app)
    if not args.case or not (args.file or args.list or args.remove or args.decide):
        raise BadInput(reason="A case and a report are needed.", remedy="disconfirm audit CASE FILE")
    with app.open(args.case) as bench:
        if args.file:
            file = Path(args.file)
            record = bench.audits.audit(file, app.out.progress(), password=args.password, keep=True)
            copy = bench.audits.write(record, Path(args.output), report=file) if args.output else None
            result = record_json(record)
            if copy is not None:
                result |= {"written": {"file": str(copy.file), "bytes": copy.bytes, "sha256": copy.sha256}}
            app.out.result(result, lambda: [*_lines(record), *([f"Written: {copy.file}"] if copy else [])])
            return 0
        if args.decide:
            audit, sentence, status = args.decide
            if not (sentence.isascii() and sentence.isdecimal() and len(sentence) < 10):
                raise BadInput(reason=f"'{sentence}' is no number of a sentence.", remedy="Give one, such as 12.")
            bench.audits.decide(audit, int(sentence), "" if status == "open" else status, args.note)
        if args.remove:
            bench.audits.remove(*args.remove)
        records = bench.audits.all()
        app.out.result(
            {"audits": [record_json(record) for record in records]},
            lambda: [_line(record) for record in records] or ["No audits are saved in this case."],
        )
    return 0


def record_json(record: AuditRecord) -> Json:
    """Return an audit with the fields of the contract."""
    about = {"id": record.id, "by": record.by, "stale": record.is_stale}
    return about | audit_json(record.audit, record.decisions)


def _line(record: AuditRecord) -> str:
    stale = ", the documents have changed since" if record.is_stale else ""
    return columns(record.id, record.audit.file, f"{counts_line(record.audit)}{stale}", record.at)


def _check_lines(args: Namespace, app: App) -> int:
    rows = list(read_lines(args.jsonl, ("id", "document", "sentence")))
    progress = app.out.progress()
    engines = app.engines
    checks = PairChecks(engines.embedder, [row["document"] for row in rows], engines.statements)
    with lines_to(args.out) as write:
        for number, row in enumerate(rows):
            progress.step(number, len(rows), "Checking")
            with progress.asking():
                outcome = checks.check(row["sentence"], row["document"])
            write(
                {
                    "id": row["id"],
                    "finding": outcome.finding,
                    **({"missing": list(outcome.missing)} if outcome.missing else {}),
                    "score": outcome.score,
                    "differences": [difference_json(difference) for difference in outcome.differences],
                }
            )
    return 0


def _lines(record: AuditRecord) -> Iterator[str]:
    audit = record.audit
    yield f"{audit.file}: {len(audit.sentences):,} sentences"
    yield f"  {counts_line(audit)}"
    yield from filter(None, [unchecked_line(audit)])
    for sentence in sorted(
        (sentence for sentence in audit.sentences if sentence.is_in_doubt), key=lambda sentence: sentence.rank
    ):
        yield columns(f"{sentence.title}: {sentence.number}. {' '.join(sentence.text.split())}")
        for difference in sentence.differences:
            instead = f" (sources: {difference.source})" if difference.source else ""
            yield columns(f"   {difference.what}: {difference.own}{instead}")
        for source in sentence.sources[:1]:
            yield columns(f"   {_source_words(source)}")
        for account in sentence.other_accounts:
            yield columns(f"   {ANOTHER_DIFFERS} ({account.conflict}): {_source_words(account.source)}")
    for quotation in audit.quotations:
        if quotation.status != "verified":
            yield columns(f"Quotation {quotation.status.replace('_', ' ')}: “{' '.join(quotation.text.split())}”")
        if quotation.differences:
            yield columns(f"   {quotation_line(quotation)}")
    for status in STATUSES[1:]:
        for citation in audit.citations:
            if citation.status == status:
                yield columns(f"{status}: {citation.text} {citation.reason}")
    yield from audit.notes


def _source_words(source: Source) -> str:
    quote = source.quote
    return f"{quote.document} {source.name}, page {quote.page}: {' '.join(quote.text.split())}"
