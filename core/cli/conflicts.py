"""The commands about conflicts: statements that cannot all be true, and what a person decides on them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from core.cli.app import App
from core.cli.grammar import Commands
from core.cli.output import Json, citation_json
from core.cli.search import source_mark
from core.conflicts.results import STATUSES, ConflictRecord, ConflictSource, ConflictsReport, basis_words
from core.text import columns


def register(commands: Commands) -> None:
    """Declare the commands of this module."""
    sub = commands.add("conflicts", run_conflicts, "find statements that cannot all be true, the most diagnostic first")
    sub.add_argument("--again", action="store_true", help="find them again; decisions stay")
    sub.add_argument("--list", action="store_true", help="list the saved conflicts, and look for no new ones")
    sub = commands.add("resolve", run_resolve, "decide on a conflict: one position holds, both do, or it is open again")
    sub.add_argument("conflict", metavar="X1")
    sub.add_argument("--as", dest="status", choices=tuple(STATUSES), required=True)
    sub.add_argument("--position", type=int, default=0, metavar="N", help="the position that holds, from 1")
    sub.add_argument("--note", default="", metavar="TEXT", help="why")


def run_conflicts(args: Namespace, app: App) -> int:
    """Find the conflicts of a case, or list those it keeps."""
    with app.open(args.case) as bench:
        if args.list:
            report = ConflictsReport(tuple(bench.conflicts.all()))
        else:
            report = bench.conflicts.find(app.out.progress(), again=args.again)
    records, notes = report.conflicts, report.notes
    app.out.result(
        {
            "conflicts": [conflict_json(record) for record in records],
            "pairs_judged": report.pairs_judged,
            "seconds": report.seconds,
            "notes": list(notes),
        },
        lambda: [*(line for record in records for line in _lines(record)), *notes, _count(records)],
    )
    return 0


def run_resolve(args: Namespace, app: App) -> int:
    """Resolve one conflict, or open it again."""
    with app.open(args.case) as bench:
        bench.conflicts.resolve(args.conflict, args.status, position=args.position, note=args.note)
        record = bench.conflicts.get(args.conflict)
    app.out.result(conflict_json(record), lambda: list(_lines(record)))
    return 0


def conflict_json(record: ConflictRecord) -> Json:
    """Return a conflict with the fields of the contract."""
    conflict = record.conflict
    return {
        "id": record.id,
        "kind": conflict.kind,
        "subject": conflict.subject,
        "basis": conflict.basis,
        "score": conflict.score,
        "positions": [
            {
                "text": position.text,
                "independent_documents": position.independent,
                "note": position.note,
                "dates": sorted({source.date for source in position.sources if source.date}),
                "citations": [_citation_json(source) for source in position.sources],
            }
            for position in conflict.positions
        ],
        "status": record.status,
        "position": record.position,
        "note": record.note,
        "by": record.by,
        "at": record.at,
        "evidence": list(record.evidence),
        "models": list(conflict.models),
        "stale": record.is_stale,
    }


def _citation_json(source: ConflictSource) -> Json:
    return {
        **citation_json(source.name, source.quote),
        "words": source.words,
        "date": source.date,
        "grade": source.grade,
        "copy": source.is_copy,
        "before": source.before,
        "source": source.layer,
    }


def _lines(record: ConflictRecord) -> Iterator[str]:
    conflict = record.conflict
    touches = f", touches {', '.join(record.evidence)}" if record.evidence else ""
    yield columns(f"{record.id} {conflict.kind}: {conflict.subject} ({status_words(record)}{touches})")
    for number, position in enumerate(conflict.positions, start=1):
        note = f" {position.note}" if position.note else ""
        yield columns(f"   {number}. {position.text}{note}")
        for source in position.sources:
            of = "".join(
                f", {note}" for note in (source.date, source.grade, "a copy" if source.is_copy else "") if note
            )
            place = f"{source.quote.document} {source.name}, page {source.quote.page}{source_mark(source.layer)}{of}"
            yield columns(f"      {place}: “{' '.join(source.quote.text.split())}”")
    yield columns(f"   {basis_words(conflict)}")


def status_words(record: ConflictRecord) -> str:
    """Return the status of a conflict, with the note where there is one."""
    words = f"position {record.position} holds" if record.status == "held" else STATUSES[record.status]
    return f"{words}: {record.note}" if record.note else words


def _count(records: tuple[ConflictRecord, ...]) -> str:
    count = sum(record.is_open for record in records)
    return f"{len(records):,} {'conflict' if len(records) == 1 else 'conflicts'}, {count:,} open"
