"""The command that answers questions from the documents."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from core.answers.service import MODES, Answer, AnswerPoint
from core.cli.app import App
from core.cli.grammar import Commands, add_lines
from core.cli.output import Json, lines_to, read_lines
from core.cli.search import source_mark
from core.errors import BadInput
from core.text import columns


def register(commands: Commands) -> None:
    """Declare the command of this module."""
    sub = commands.add("ask", run_ask, "answer a question with sentences of the documents, or say why not")
    sub.add_argument("text", nargs="?", metavar="QUESTION")
    sub.add_argument("--mode", choices=tuple(MODES), default="exploratory", help="how sure an answer has to be")
    add_lines(sub)


def run_ask(args: Namespace, app: App) -> int:
    """Answer one question, or each line of a file."""
    if args.jsonl:
        rows = list(read_lines(args.jsonl, ("id", "text")))
        with app.open(args.case) as bench, lines_to(args.out, args.case) as write:
            for row in rows:
                try:
                    line = answer_json(bench.answers.ask(row["text"], mode=args.mode, progress=app.out.progress()))
                except BadInput as error:
                    line = {"question": row["text"], "answered": False, "reason": "", "error": error.sentence}
                write({"id": row["id"], **line})
        return 0
    if not args.text:
        raise BadInput(reason="Nothing was asked.", remedy="disconfirm ask CASE QUESTION")
    with app.open(args.case) as bench:
        answer = bench.answers.ask(args.text, mode=args.mode, progress=app.out.progress())
    app.out.result(answer_json(answer), lambda: list(_lines(answer)))
    return 0


def answer_json(answer: Answer) -> Json:
    """Return an answer with the fields of the contract."""
    return {
        "question": answer.question,
        "mode": answer.mode,
        "answered": answer.is_answered,
        "reason": answer.reason,
        "points": [_point_json(point) for point in answer.points],
        "low_confidence": [_point_json(point) for point in answer.doubtful],
        "advice": list(answer.advice),
        "steps": [{"what": step.what, "found": step.count} for step in answer.steps],
        "removed": answer.removed,
        "models": list(answer.models),
        "seconds": round(answer.seconds, 4),
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
                "document": source.quote.document,
                "name": source.name,
                "page": source.quote.page,
                "start": source.quote.start,
                "end": source.quote.end,
                "text": source.quote.text,
                "before": source.before,
                "copy": source.is_copy,
                "source": source.layer,
            }
            for source in point.sources
        ],
    }


def _lines(answer: Answer) -> Iterator[str]:
    if answer.sentence:
        yield answer.sentence
    yield from _point_lines(answer.points)
    if answer.doubtful:
        yield "Not sure enough to answer with:"
        yield from _point_lines(answer.doubtful)
    yield from answer.advice
    yield from (f"{step.what} {step.count}" for step in answer.steps)


def _point_lines(points: tuple[AnswerPoint, ...]) -> Iterator[str]:
    for number, point in enumerate(points, start=1):
        short = f"{point.short}: " if point.short else ""
        yield columns(f"{number}. {short}{' '.join(point.text.split())} ({point.confidence})")
        for source in point.sources:
            copy = ", a copy" if source.is_copy else ""
            yield columns(
                f"   {source.quote.document} {source.name}, page {source.quote.page}{source_mark(source.layer)}{copy}"
            )
