"""The command that answers questions from the documents."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from core.answers.results import MODES, AnswerPoint, AnswerRecord
from core.cli.app import App
from core.cli.grammar import Commands, add_lines
from core.cli.output import Json, citation_json, lines_to, read_lines
from core.cli.search import source_mark
from core.errors import BadInput
from core.text import columns, counted


def register(commands: Commands) -> None:
    """Declare the command of this module."""
    sub = commands.add("ask", run_ask, "answer a question with sentences from the documents, or say why it cannot")
    sub.add_argument("text", nargs="?", metavar="QUESTION")
    sub.add_argument("--mode", choices=tuple(MODES), default="exploratory", help="how sure an answer has to be")
    sub.add_argument(
        "--worded", action="store_true", help="have a model word it; what the sources don't support is removed"
    )
    sub.add_argument("--list", action="store_true", help="list the answers saved in the case")
    sub.add_argument("--remove", nargs="+", metavar="A1", help="remove answers from the case")
    sub.add_argument("--report", nargs="+", metavar="A1", help="print these answers in the report")
    sub.add_argument("--no-report", nargs="+", metavar="A1", help="leave these answers out of the report")
    add_lines(sub)


def run_ask(args: Namespace, app: App) -> int:
    """Answer one question and keep it, answer each line of a file, or list what the case keeps."""
    if args.jsonl:
        rows = list(read_lines(args.jsonl, ("id", "text")))
        with app.open(args.case) as bench, lines_to(args.out, args.case) as write:
            for row in rows:
                try:
                    record = bench.answers.ask(
                        row["text"], mode=args.mode, worded=args.worded, progress=app.out.progress()
                    )
                    line = answer_json(record)
                except BadInput as error:
                    line = {"question": row["text"], "answered": False, "reason": "", "error": error.sentence}
                write({**line, "id": row["id"]})
        return 0
    if not (args.text or args.list or args.remove or args.report or args.no_report):
        raise BadInput(reason="Nothing was asked.", remedy="disconfirm ask CASE QUESTION")
    with app.open(args.case) as bench:
        if args.text:
            record = bench.answers.ask(
                args.text, mode=args.mode, keep=True, worded=args.worded, progress=app.out.progress()
            )
            app.out.result(answer_json(record), lambda: list(_lines(record)))
            return 0
        if args.remove:
            bench.answers.remove(*args.remove)
        bench.answers.choose_for_report(*args.report or ())
        bench.answers.choose_for_report(*args.no_report or (), is_chosen=False)
        records = bench.answers.all()
    app.out.result(
        {"answers": [answer_json(record) for record in records]},
        lambda: [line for record in records for line in (f"{record.id} {record.answer.question}", *_lines(record))],
    )
    return 0


def answer_json(record: AnswerRecord) -> Json:
    """Return an answer with the fields of the contract."""
    answer = record.answer
    return {
        "id": record.id,
        "question": answer.question,
        "mode": answer.mode,
        "answered": answer.is_answered,
        "reason": answer.reason,
        "points": [_point_json(point) for point in answer.points],
        "low_confidence": [_point_json(point) for point in answer.doubtful],
        "advice": list(answer.advice),
        "steps": [{"what": step.what, "found": step.count} for step in answer.steps],
        "wording": [
            {
                "text": sentence.text,
                "citations": [
                    {"point": number, **citation_json(source.name, source.quote)}
                    for number in sentence.citations
                    for source in answer.points[number - 1].sources[:1]
                ],
            }
            for sentence in answer.wording
        ],
        "worded_by": answer.worded_by,
        "removed": answer.removed,
        "models": list(answer.models),
        "seconds": answer.seconds,
        "by": record.by,
        "at": record.at,
        "stale": record.is_stale,
        "unproven": record.unproven,
        "conflicts": list(record.conflicts),
        "in_report": record.in_report,
    }


def _point_json(point: AnswerPoint) -> Json:
    return {
        "text": point.text,
        **({"short_answer": point.short} if point.short else {}),
        **({"part": point.part} if point.part else {}),
        "confidence": point.confidence,
        "independent_documents": point.independent,
        "citations": [
            {
                **citation_json(source.name, source.quote),
                "before": source.before,
                "copy": source.is_copy,
                "source": source.layer,
                "marks": list(source.marks),
            }
            for source in point.sources
        ],
    }


def _lines(record: AnswerRecord) -> Iterator[str]:
    answer = record.answer
    if record.is_stale:
        yield "The documents have changed since this was answered: ask again."
    if record.unproven:
        sources = counted(record.unproven, "source is no longer", "sources are no longer")
        yield f"{sources} on the page as it is now, and what they said is left out."
    if record.conflicts:
        yield f"It touches conflicts that nobody has resolved: {', '.join(record.conflicts)}."
    if answer.sentence:
        yield answer.sentence
    if answer.wording:
        yield from (
            f"{sentence.text} {''.join(f'[{number}]' for number in sentence.citations)}" for sentence in answer.wording
        )
        yield answer.wording_line
    yield from _point_lines(answer.points)
    if answer.doubtful:
        yield "Nearest sentences, none sure enough to answer with:"
        yield from _point_lines(answer.doubtful)
    yield from answer.advice
    yield from (f"{step.what} {step.count:,}" for step in answer.steps[:-1])
    yield from (step.what for step in answer.steps[-1:])


def _point_lines(points: tuple[AnswerPoint, ...]) -> Iterator[str]:
    for number, point in enumerate(points, start=1):
        short = f"{point.short}: " if point.short else ""
        yield columns(f"{number}. {short}{' '.join(point.text.split())} ({point.confidence})")
        for source in point.sources:
            place = f"{source.quote.document} {source.name}, page {source.quote.page}{source_mark(source.layer)}"
            yield columns(f"   {', '.join((place, *(['a copy'] if source.is_copy else []), *source.doubts))}")
