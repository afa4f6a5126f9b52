"""The command about the names of a case: those that are kept, those that stand in the documents, and where."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from pathlib import Path

from core.cli.app import App
from core.cli.grammar import Commands, single
from core.cli.search import chunk_json, chunk_line
from core.errors import BadInput, Problem
from core.runtime import launch
from core.text import columns

_BY = {"form": "", "model": "\tonly by the model", "both": "\tby the model"}


def register(commands: Commands) -> None:
    words = "the names of the case: list, suggest, add NAME ALIAS..., reject, remove, mentions, together"
    sub = commands.add("names", run_names, words)
    actions = ("list", "suggest", "add", "reject", "remove", "mentions", "together")
    sub.add_argument("action", nargs="?", default="list", choices=actions)
    sub.add_argument("names", nargs="*", metavar="NAME")
    sub.add_argument("--kind", choices=("person", "organisation", "place", "thing"))
    sub.add_argument(
        "--model", metavar="FOLDER", help="have a spaCy pipeline find names too from now on; none: no model any more"
    )


def run_names(args: Namespace, app: App) -> int:
    if args.model is not None:
        folder = None if args.model == "none" else Path(args.model)
        app.engines, _ = launch.choose_names_model(app.engines, folder)
    with app.open(args.case) as bench:
        match args.action:
            case "suggest":
                suggested, wrong = bench.entities.suggested(app.out.progress())
                problems = [Problem.at("the model for names", wrong)] if wrong is not None else []
                model = bench.engines.names.fingerprint if bench.engines.names and not problems else ""
                app.out.result(
                    {"suggested": [asdict(one) for one in suggested], "model": model},
                    lambda: [
                        f"{n.name}\t{n.kind}\t{n.passages or n.mentions} in {n.documents} documents{_BY[n.by]}"
                        for n in suggested
                    ],
                )
                return app.out.problems(problems)
            case "mentions":
                (entity,) = single(args.names, "name")
                places = bench.entities.mentions(entity)
                app.out.result(
                    {"mentions": [{**chunk_json(one.passage), "places": one.places} for one in places]},
                    lambda: [chunk_line(one.passage) for one in places],
                )
                return 0
            case "together":
                pairs = bench.entities.co_occurrences()
                called = {entity.id: entity.name for entity in bench.entities.all()}
                app.out.result(
                    {"together": [asdict(pair) for pair in pairs]},
                    lambda: [columns(p.passages, called[p.one], called[p.other]) for p in pairs],
                )
                return 0
            case "add":
                if not args.names:
                    raise BadInput(reason="No name was given.", remedy="Write it after add.")
                bench.entities.add(args.names[0], kind=args.kind or "", aliases=args.names[1:])
            case "remove":
                bench.entities.remove(*single(args.names, "name"))
            case "reject":
                for name in args.names:
                    bench.entities.add(name, status="rejected")
        kept = bench.entities.all()
    app.out.result(
        {"names": [asdict(entity) for entity in kept]},
        lambda: [columns(e.id, e.status, e.kind, ", ".join((e.name, *e.aliases))) for e in kept],
    )
    return 0
