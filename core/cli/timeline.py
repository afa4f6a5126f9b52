"""The command that reads the dates in the documents."""

from __future__ import annotations

from argparse import Namespace

from core.cli.app import App
from core.cli.grammar import Commands, positive
from core.cli.search import chunk_line
from core.text import columns


def register(commands: Commands) -> None:
    """Declare the command of this module."""
    sub = commands.add("dates", run_dates, "the dates and times that passages mention, in order")
    sub.add_argument("text", nargs="?", metavar="SEARCH", help="only in the results of this search")
    sub.add_argument("-k", type=positive, default=200, metavar="N", help="how many passages of the search")


def run_dates(args: Namespace, app: App) -> int:
    """List the dates and times that passages mention, in order."""
    with app.open(args.case) as bench:
        passages = bench.search.find(args.text, k=args.k).passages if args.text else None
        mentions = bench.timeline.date_mentions(passages, progress=app.out.progress())
    keys = ("text", "earliest", "latest", "precision", "doubt")
    app.out.result(
        {
            "dates": [
                {
                    **{key: getattr(mention.date, key) for key in keys},
                    "document": mention.passage.document,
                    "page": mention.passage.page,
                    "start": mention.passage.start + mention.date.start,
                    "end": mention.passage.start + mention.date.end,
                }
                for mention in mentions
            ]
        },
        lambda: [
            columns(
                mention.date.earliest, mention.date.latest, f"{mention.date.text}{' (?)' if mention.date.doubt else ''}"
            )
            + f"\t{chunk_line(mention.passage, 80)}"
            for mention in mentions
        ],
    )
    return 0
