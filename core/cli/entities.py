"""The command about the names of a case: those that are kept, those that are in the documents, and where."""

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
from core.workbench import Workbench

_BY = {"form": "", "model": "\tonly by the model", "both": "\tby the model"}


def register(commands: Commands) -> None:
    """Declare the command of this module."""
    words = "the names of the case: list, suggest, spellings, add NAME ALIAS..., reject, remove, mentions, together"
    sub = commands.add("names", run_names, words)
    actions = ("list", "suggest", "spellings", "add", "reject", "remove", "mentions", "together")
    sub.add_argument("action", nargs="?", default="list", choices=actions)
    sub.add_argument("names", nargs="*", metavar="NAME")
    sub.add_argument("--kind", choices=("person", "organisation", "place", "thing"))
    sub.add_argument(
        "--model", metavar="FOLDER", help="let this spaCy pipeline find names too from now on; none: stop using a model"
    )


def run_names(args: Namespace, app: App) -> int:
    """Change the names of the case and list them, or show what the documents say of them."""
    if args.model is not None:
        folder = None if args.model == "none" else Path(args.model)
        app.engines, _ = launch.choose_names_model(app.engines, folder)
    with app.open(args.case) as bench:
        match args.action:
            case "suggest":
                return _suggest(app, bench)
            case "spellings":
                return _show_spellings(app, bench)
            case "mentions":
                return _show_mentions(app, bench, *single(args.names, "name"))
            case "together":
                return _show_pairs(app, bench)
            case "add":
                if not args.names:
                    raise BadInput(reason="No name was given.", remedy="Write it after add.")
                bench.entities.add(args.names[0], kind=args.kind or "", aliases=args.names[1:])
            case "remove":
                bench.entities.remove(*single(args.names, "name"))
            case "reject":
                for name in args.names:
                    bench.entities.add(name, status="rejected")
        entities = bench.entities.all()
    app.out.result(
        {"names": [asdict(entity) for entity in entities]},
        lambda: [columns(e.id, e.status, e.kind, ", ".join((e.name, *e.aliases))) for e in entities],
    )
    return 0


def _suggest(app: App, bench: Workbench) -> int:
    suggestions, error = bench.entities.suggested(app.out.progress())
    problems = [Problem.at("the model for names", error)] if error is not None else []
    model = bench.engines.names.fingerprint if bench.engines.names and not problems else ""
    app.out.result(
        {"suggested": [asdict(suggestion) for suggestion in suggestions], "model": model},
        lambda: [
            columns(n.name, n.kind, f"{n.passages or n.mentions} in {n.documents} documents") + _BY[n.by]
            for n in suggestions
        ],
    )
    return app.out.problems(problems)


def _show_spellings(app: App, bench: Workbench) -> int:
    spellings = bench.entities.spellings(app.out.progress())
    names = {entity.id: entity.name for entity in bench.entities.all()}
    words = {"form": "another form", "script": "another script", "short": "short form"}
    app.out.result(
        {"spellings": [asdict(spelling) for spelling in spellings]},
        lambda: [
            columns(
                spelling.entity,
                names[spelling.entity],
                "; ".join((spelling.text, *spelling.others)),
                words[spelling.kind],
                f"{spelling.passages} in {spelling.documents} documents",
            )
            for spelling in spellings
        ],
    )
    return 0


def _show_mentions(app: App, bench: Workbench, name: str) -> int:
    mentions = bench.entities.mentions(name)
    app.out.result(
        {"mentions": [{**chunk_json(mention.passage), "places": mention.places} for mention in mentions]},
        lambda: [chunk_line(mention.passage) for mention in mentions],
    )
    return 0


def _show_pairs(app: App, bench: Workbench) -> int:
    pairs = bench.entities.co_occurrences()
    names = {entity.id: entity.name for entity in bench.entities.all()}
    app.out.result(
        {"together": [asdict(pair) for pair in pairs]},
        lambda: [columns(p.passages, names[p.one], names[p.other]) for p in pairs],
    )
    return 0
