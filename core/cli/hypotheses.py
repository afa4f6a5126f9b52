"""The commands about hypotheses, and about what is assumed and watched for beside them."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict

from core.cli.app import App
from core.cli.grammar import Commands, weight
from core.cli.output import Json
from core.domain import Hypothesis
from core.errors import BadInput
from core.text import and_list, columns


def register(commands: Commands) -> None:
    """Declare the commands of this module."""
    sub = commands.add("hypothesis", run_hypothesis, "add, list or remove hypotheses")
    sub.add_argument("action", choices=("add", "list", "remove", "mark", "priors", "exclusive"))
    sub.add_argument("text", nargs="?", metavar="TEXT|H1|H1,H2|all|none")
    sub.add_argument("--note")
    sub.add_argument("--kind", choices=("", "null", "deception"), default="", help="for mark; '' for none")
    sub.add_argument("--prior", nargs="+", action="extend", type=weight, metavar="H1=0.5", help="default: all equal")
    sub = commands.add("consider", run_consider, "list, add, finish or remove assumptions, premortems and indicators")
    sub.add_argument("action", choices=("list", "assumption", "premortem", "indicator", "done", "remove"))
    sub.add_argument("text", nargs="?", metavar="TEXT|C1")
    sub.add_argument("--hypothesis", metavar="H1")
    sub.add_argument("--query", help="what an indicator searches for")


def run_hypothesis(args: Namespace, app: App) -> int:
    """Add, remove, mark or weigh hypotheses, and list them all."""
    with app.open(args.case) as bench:
        if args.action == "add":
            if not args.text:
                raise BadInput(reason="A hypothesis cannot be empty.", remedy="disconfirm hypothesis CASE add TEXT")
            bench.hypotheses.add(args.text, args.note or "")
        elif args.action == "remove":
            bench.hypotheses.remove(args.text or "")
        elif args.action == "mark":
            bench.hypotheses.set_kind(args.text or "", args.kind)
        elif args.action == "priors":
            bench.hypotheses.set_priors(dict(args.prior) if args.prior else None)
        elif args.action == "exclusive" and args.text:
            bench.hypotheses.set_exclusive([] if args.text == "none" else args.text.replace(",", " ").split())
        hypotheses, exclusive = bench.hypotheses.all(), bench.hypotheses.exclusive()
    app.out.result(
        {"hypotheses": [hypothesis_json(h) for h in hypotheses], "exclusive": list(exclusive)},
        lambda: [
            *(columns(h.id, h.text) for h in hypotheses),
            *([f"At most one of {and_list(exclusive)} can be true."] if exclusive else []),
        ],
    )
    return 0


def hypothesis_json(hypothesis: Hypothesis) -> Json:
    """Return a hypothesis with the fields that hold something."""
    fields = asdict(hypothesis)
    return {key: value for key, value in fields.items() if key in ("id", "text", "note") or value not in ("", None)}


def run_consider(args: Namespace, app: App) -> int:
    """Add, finish or remove a consideration, and list them all with what indicators point to."""
    with app.open(args.case) as bench:
        if args.action == "done":
            bench.hypotheses.edit_consideration(args.text or "", status="done")
        elif args.action == "remove":
            bench.hypotheses.remove_consideration(args.text or "")
        elif args.action != "list":
            bench.hypotheses.add_consideration(
                args.action, args.text or "", hypothesis=args.hypothesis or "", query=args.query or ""
            )
        considerations = bench.hypotheses.considerations()
        hits = bench.hypotheses.check_indicators() if any(item.kind == "indicator" for item in considerations) else ()
    app.out.result(
        {"considerations": [asdict(item) for item in considerations], "indicated": [asdict(hit) for hit in hits]},
        lambda: [
            *(columns(c.id, c.kind, c.status, c.hypothesis or "-", c.text) for c in considerations),
            *(f"{hit.consideration}: {hit.name}, page {hit.page}: “{hit.text}”" for hit in hits),
        ],
    )
    return 0
