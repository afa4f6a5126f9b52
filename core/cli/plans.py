"""The commands about planned searches: how much was searched, what tells hypotheses apart, what was missed."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict

from core.cli.app import App
from core.cli.grammar import Commands, positive, single
from core.cli.search import chunk_json, chunk_line
from core.domain import ROLES
from core.errors import BadInput
from core.plans import elusion
from core.text import columns, counted


def register(commands: Commands) -> None:
    """Declare the commands of this module."""
    sub = commands.add("plan", run_plan, "the searches planned for each hypothesis, as many against it as for it")
    sub.add_argument("action", nargs="?", default="list", choices=("list", "make", "draft", "add", "remove"))
    sub.add_argument("ids", nargs="*", metavar="S1", help="planned searches to remove")
    sub.add_argument("--hypothesis", metavar="H1")
    sub.add_argument("--role", choices=tuple(ROLES))
    sub.add_argument("--text", metavar="WORDS")
    commands.add("effort", run_effort, "how much was searched and looked at for each hypothesis, for and against")
    sub = commands.add("discriminate", run_discriminate, "the passages that are most diagnostic between hypotheses")
    sub.add_argument("-k", type=positive, default=30, metavar="N", help="how many passages")
    sub.add_argument("--pair", nargs=2, metavar=("H1", "H2"), help="only between these two")
    sub = commands.add("missed", run_missed, "how many relevant passages were probably missed for a hypothesis")
    sub.add_argument("hypothesis", metavar="H1")
    sub.add_argument(
        "--sample", type=positive, default=0, metavar="N", help="show N passages nobody has looked at, for you to judge"
    )
    sub.add_argument("--relevant", type=positive, nargs="+", default=[], metavar="PASSAGE")
    sub.add_argument("--irrelevant", type=positive, nargs="+", default=[], metavar="PASSAGE")


def run_plan(args: Namespace, app: App) -> int:
    """Change the planned searches, and list them."""
    with app.open(args.case) as bench:
        if args.action == "make":
            bench.plans.make([args.hypothesis] if args.hypothesis else None)
        elif args.action == "draft":
            bench.drafts.plans([args.hypothesis] if args.hypothesis else None, app.out.progress())
        elif args.action == "add":
            if not (args.hypothesis and args.role and args.text):
                raise BadInput(
                    reason="A planned search needs a hypothesis, a role and words.",
                    remedy='Use: disconfirm plan CASE add --hypothesis H1 --role against --text "...".',
                )
            bench.plans.add(args.hypothesis, args.role, args.text)
        elif args.action == "remove":
            bench.plans.remove(*single(args.ids, "planned search"))
        queries = bench.plans.get(None if args.action == "remove" else args.hypothesis)
    app.out.result(
        {"plan": [asdict(query) for query in queries]},
        lambda: [columns(q.id, q.hypothesis, q.role, q.origin, q.text) for q in queries],
    )
    return 0


def run_effort(args: Namespace, app: App) -> int:
    """Show how much was searched and looked at for each hypothesis."""
    with app.open(args.case) as bench:
        efforts, runs = bench.plans.effort(), bench.plans.runs()
    app.out.result(
        {"effort": [asdict(row) for row in efforts], "searches": [asdict(row) for row in runs]},
        lambda: [
            f"{e.hypothesis}\t{counted(e.searches_for, 'search', 'searches')} for, {e.searches_against} against\t"
            f"{counted(e.passages, 'passage')}: "
            f"{e.supports} for, {e.contradicts} against, {e.neutral} neutral, {e.ambiguous} unsure"
            f"{'' if e.fair else f'  {e.uneven}'}"
            for e in efforts
        ],
    )
    return 0


def run_discriminate(args: Namespace, app: App) -> int:
    """List the passages that best discriminate between hypotheses."""
    with app.open(args.case) as bench:
        passages = bench.plans.discriminating(args.k, pair=tuple(args.pair) if args.pair else None)
    keys = ("pair", "leans", "strength", "effect", "judged")
    app.out.result(
        {
            "passages": [
                {**chunk_json(passage.passage), **{key: getattr(passage, key) for key in keys}} for passage in passages
            ]
        },
        lambda: [
            f"{passage.effect:.2f}\t{' or '.join(passage.pair)}: {passage.leans}{'' if passage.judged else '?'}"
            f"\t{chunk_line(passage.passage)}"
            for passage in passages
        ],
    )
    return 0


def run_missed(args: Namespace, app: App) -> int:
    """Estimate how many relevant passages were missed, after taking down what a person judged."""
    with app.open(args.case) as bench:
        for chunk in args.relevant:
            bench.plans.judge_relevance(args.hypothesis, chunk, True)
        for chunk in args.irrelevant:
            bench.plans.judge_relevance(args.hypothesis, chunk, False)
        estimate = bench.plans.elusion(args.hypothesis)
        sample = bench.plans.elusion_sample(args.hypothesis, args.sample) if args.sample else []
    app.out.result(
        {
            **asdict(estimate),
            "hypothesis": args.hypothesis,
            "words": elusion.words(args.hypothesis, estimate),
            "sample": [chunk_json(chunk) for chunk in sample],
        },
        lambda: [elusion.words(args.hypothesis, estimate), *(f"{chunk.id}\t{chunk_line(chunk)}" for chunk in sample)],
    )
    return 0
