"""The commands about the matrix: its scores, those of the others, how they came about, and one made elsewhere."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from core import matrix as matrices
from core.cli.app import App
from core.cli.grammar import Commands
from core.cli.output import problems_json
from core.domain import DEFAULT_RULE, RULES, Matrix
from core.errors import BadInput

if TYPE_CHECKING:
    from core.matrix.service import TimePoint


def register(commands: Commands) -> None:
    """Declare the commands of this module."""
    sub = commands.add("matrix", run_matrix, "score the matrix of a case or of a file", case=False)
    sub.add_argument("case", nargs="?", metavar="CASE")
    sub.add_argument("--rule", metavar="NAME", help=f"the rule to rank by: {', '.join(RULES)}")
    sub.add_argument("--from", dest="source", metavar="FILE.json")
    _add_view(sub)
    sub.add_argument("--as-of", metavar="TIME", help="as it was then: a time, a date, or the number of a log entry")
    sub.add_argument("--without", nargs="+", action="extend", default=[], metavar="E1", help="leave these rows out")
    sub.add_argument("--without-source", nargs="+", action="extend", default=[], metavar="D1|SOURCE")
    commands.add("group", run_group, "every analyst's opinion, the disputes, and the mean of all")
    _add_view(commands.add("timeline", run_timeline, "the ranking after each decision"))
    words = "what changed between two moments, and which changes moved the ranking"
    sub = commands.add("changed", run_changed, words)
    sub.add_argument("before", metavar="TIME")
    sub.add_argument("after", metavar="TIME")
    _add_view(sub)
    sub = commands.add("import", run_import, "import a matrix made elsewhere")
    sub.add_argument("file", metavar="FILE.(achz|xlsx|csv|json)")
    sub.add_argument("--matrix", metavar="ID", help="which one, if the file contains several")


def _add_view(sub: ArgumentParser) -> None:
    sub.add_argument("--view", default="", metavar="group|mine|NAME", help="whose ratings")


def run_matrix(args: Namespace, app: App) -> int:
    """Score the matrix of a case, or one from a file."""
    if args.source:
        return _score_file(app, args.source)
    if not args.case:
        raise BadInput(
            reason="Neither a case nor a file was given.", remedy="disconfirm matrix CASE, or --from FILE.json"
        )
    with app.open_proven(args.case) as bench:
        matrix = bench.matrix.compute(
            args.view, without_rows=args.without, without_sources=args.without_source, as_of=args.as_of
        )
        texts = {h.id: h.text for h in bench.hypotheses.all()}
    document = matrices.to_json(matrix, texts)
    rule = args.rule or DEFAULT_RULE
    if rule not in matrix.scores:
        raise BadInput(reason=f"There is no scoring rule '{rule}'.", remedy=f"Use {', '.join(matrix.scores)}.")
    document["rule"] = rule

    def text() -> list[str]:
        places = {h: index for index, h in enumerate(matrix.order)}
        ranks = matrix.ranks[rule]
        in_order = sorted(texts, key=lambda h: (ranks.get(h, 0), places.get(h, 0)))
        lines = [
            f"{ranks.get(h, '-')}\t{_score(matrix, rule, h)}\t{matrices.coverage(matrix, h)}\t{h} {texts[h]}"
            for h in in_order
        ]
        return [*lines, *matrix.warnings]

    app.out.result(document, text)
    return 0


def _score_file(app: App, file: str) -> int:
    try:
        fields = json.loads(Path(file).read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(
            reason=f"The file {file} is not a readable JSON matrix ({type(error).__name__}).",
            remedy="Give a JSON file with hypotheses, and evidence with ratings.",
        ) from error
    scores = matrices.from_json(fields)
    app.out.result(scores, lambda: json.dumps(scores, ensure_ascii=False, indent=1).split("\n"))
    return 0


def _score(matrix: Matrix, rule: str, hypothesis: str) -> str:
    """Three decimals; of a rule whose figures add up to 1 none where hypotheses are rated on different rows."""
    if rule == "bayes" and not matrix.leaders.get(rule):
        return "-"
    return f"{matrix.scores[rule].get(hypothesis, 0):.3f}"


def run_group(args: Namespace, app: App) -> int:
    """Show everybody's opinion, the disputes and the aggregate."""
    with app.open_proven(args.case) as bench:
        group = bench.matrix.group()
    app.out.result(
        asdict(group),
        lambda: [
            *(
                f"{o.by}: {_shares(o.coherent)} from {o.rated} rating{'' if o.rated == 1 else 's'}; "
                f"{o.comparison.sentence or matrices.outcome(o.leaders)}"
                for o in group.opinions
            ),
            f"mean: {_shares(group.mean)}",
            f"mean of the probabilities, each adjusted to sum to 1: {_shares(group.aggregate)}",
            *(f"{d.evidence} against {d.hypothesis}: {d.level}, {d.ratings}" for d in group.disputes),
        ],
    )
    return 0


def _shares(values: Mapping[str, float]) -> str:
    return ", ".join(f"{h} {value:.3f}" for h, value in values.items()) or "not set"


def run_timeline(args: Namespace, app: App) -> int:
    """List the ranking after each decision."""
    with app.open_proven(args.case) as bench:
        points = bench.matrix.over_time(args.view)
    app.out.result(
        {"points": [asdict(point) for point in points]}, lambda: [f"{p.at}\t{p.verb}\t{_leaders(p)}" for p in points]
    )
    return 0


def _leaders(point: TimePoint) -> str:
    """Return who led at a moment; else nobody, with the order so far."""
    if point.leaders:
        return ", ".join(point.leaders)
    return f"nobody (provisional: {matrices.order(point.provisional)})" if point.provisional else "nobody"


def run_changed(args: Namespace, app: App) -> int:
    """List what differs between two moments."""
    with app.open_proven(args.case) as bench:
        change = bench.matrix.what_changed(args.before, args.after, args.view)
    app.out.result(
        {
            **{
                name: {
                    "leaders": {rule: list(who) for rule, who in matrix.leaders.items()},
                    "why": matrix.comparison.sentence,
                }
                for name, matrix in (("before", change.before), ("after", change.after))
            },
            "moves": [asdict(move) for move in change.moves],
        },
        lambda: [f"{'*' if move.moved else ' '} {move.sentence}" for move in change.moves],
    )
    return 0


def run_import(args: Namespace, app: App) -> int:
    """Bring in a matrix made elsewhere."""
    with app.open(args.case) as bench:
        table = bench.matrix.import_file(Path(args.file), app.out.progress(), choose=args.matrix or "")
    app.out.result(
        {
            "file": table.file,
            "title": table.title,
            "format": table.format,
            "hypotheses": table.hypotheses,
            "matched": table.matches,
            "evidence": table.evidence,
            "ratings": table.ratings,
            "unrated": table.open_cells,
            "problems": problems_json(table.problems),
            "left_out": list(table.left_out),
        },
        lambda: [
            f"“{table.title}” ({table.format}): {table.hypotheses} hypotheses, {table.matches} of them in the "
            f"case already, {table.evidence} pieces of evidence, {table.ratings} ratings, {table.open_cells} cells "
            "unrated",
            *table.left_out,
        ],
    )
    return app.out.problems(table.problems)
