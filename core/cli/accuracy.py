"""The command that says in figures how far each part of a case can be trusted."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from core.accuracy.figures import BASES, PARTS, Figure
from core.accuracy.service import Retrieval
from core.cli.app import App
from core.cli.grammar import Commands
from core.text import columns


def register(commands: Commands) -> None:
    """Declare the command of this module."""
    sub = commands.add("accuracy", run_accuracy, "say in figures how far each part of the case can be trusted")
    sub.add_argument("--retrieval", action="store_true", help="search for every quote of the matrix again")


def run_accuracy(args: Namespace, app: App) -> int:
    """Print every figure with its interval, count and basis."""
    with app.open(args.case) as bench:
        figures = bench.accuracy.figures()
        rows: Sequence[Retrieval] = ()
        if args.retrieval:
            rows = bench.accuracy.retrieval(app.out.progress())
            figures = (*figures, *bench.accuracy.retrieval_figures(tuple(rows)))
    result = {"figures": [asdict(figure) for figure in figures]}
    if args.retrieval:
        result["retrieval"] = [asdict(row) for row in rows]
    app.out.result(result, lambda: [*_lines(figures), *_rows(rows)])
    return 0


def _lines(figures: Sequence[Figure]) -> Iterator[str]:
    for part, words in PARTS.items():
        figures_of_part = [figure for figure in figures if figure.part == part]
        if figures_of_part:
            yield words
        for figure in figures_of_part:
            note = f" {figure.note}" if figure.note else ""
            yield columns(f"  {figure.name}: {figure.text} ({BASES[figure.basis]}){note}")


def _rows(rows: Sequence[Retrieval]) -> Iterator[str]:
    for row in rows:
        yield columns(row.evidence, row.hypothesis, f"rank {row.rank}" if row.rank else row.cause)
