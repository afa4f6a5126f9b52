"""The commands about a case as a whole: a new one, undo, its settings, another copy of it, and whether it is sound."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict, replace
from pathlib import Path

from core.cli.app import App
from core.cli.grammar import Commands, add_show, weight
from core.cli.output import problems_json
from core.errors import PassphraseNeeded
from core.report_settings import SECTIONS, ReportSettings
from core.verdicts.labels import SHOW_MODES
from core.workbench import Workbench


def register(commands: Commands) -> None:
    """Declare the commands of this module."""
    sub = commands.add("new", run_new, "create an empty case, encrypted if a passphrase is given")
    sub.add_argument("--title")
    sub.add_argument("--encrypt", action="store_true", help="ask for a passphrase (with --passphrase-file: no need)")
    commands.add("undo", run_undo, "undo the last decision")
    commands.add("redo", run_redo, "redo what was undone")
    sub = commands.add("merge", run_merge, "merge another copy of a case")
    sub.add_argument("other", metavar="OTHER")
    sub.add_argument("--other-passphrase-file", metavar="FILE", help="the passphrase of the other copy, if it has one")
    sub = commands.add("settings", run_settings, "show or change the settings of the case")
    sub.add_argument("--title", help="a new title for the case; its file keeps its name")
    sub.add_argument("--blind", choices=("on", "off"), help="hide others' ratings until you have given your own")
    sub.add_argument(
        "--strict", choices=("on", "off"), help="on: the same as --show strict; off: as --show exploratory"
    )
    add_show(sub, SHOW_MODES)
    sub.add_argument("--weight", nargs="+", action="extend", type=weight, metavar="A=1.414")
    sub.add_argument("--summary", metavar="TEXT", help="your own summary, printed in the report as yours; '' for none")
    sub.add_argument("--author", metavar="NAME", help="the author that the report names")
    sub.add_argument("--marking", metavar="TEXT", help="a line for every page of the report, such as CONFIDENTIAL")
    sub.add_argument(
        "--omit",
        nargs="*",
        metavar="SECTION",
        help=f"leave sections out of the report: {', '.join(SECTIONS)}; none: all",
    )
    sub = commands.add("verify", run_verify, "check originals, texts, quotes, log and index")
    sub.add_argument(
        "--head", metavar="HASH", help="a hash of the log from an earlier report, which it must still contain"
    )
    sub.add_argument(
        "--originals", action="store_true", help="read the originals again and compare the texts with them"
    )
    commands.add("rebuild", run_rebuild, "rebuild the search index")


def run_new(args: Namespace, app: App) -> int:
    """Make an empty case."""
    path = Path(args.case)
    key = None
    if args.encrypt or args.passphrase_file is not None:
        key = app.new_key(None, is_first=True)
    with Workbench.create(path, app.engines, title=args.title or "", who=app.who, key=key) as bench:
        title = bench.case.title()
    state = {"encrypted": True} if key is not None else {}
    app.out.result({"case": str(path), "title": title, **state}, lambda: f"New case “{title}” at {path}")
    return 0


def run_undo(args: Namespace, app: App) -> int:
    """Take back the last decision."""
    with app.open(args.case) as bench:
        step = bench.case.undo()
    return _show_step(app, "undo", step.verb if step else None)


def run_redo(args: Namespace, app: App) -> int:
    """Do again what was undone."""
    with app.open(args.case) as bench:
        step = bench.case.redo()
    return _show_step(app, "redo", step.verb if step else None)


def _show_step(app: App, command: str, verb: str | None) -> int:
    app.out.result({command: verb}, lambda: f"{command}: {verb}" if verb else "nothing to do")
    return 0


def run_merge(args: Namespace, app: App) -> int:
    """Bring in another copy of the case, and list what they disagree on."""
    with app.open(args.case) as bench:
        other_case = Path(args.other)
        try:
            merge = bench.case.merge(other_case, app.out.progress())
        except PassphraseNeeded:
            merge = bench.case.merge(other_case, app.out.progress(), app.key_of(other_case, args.other_passphrase_file))
    counts = ("documents", "hypotheses", "evidence", "ratings", "proposals", "considerations")
    app.out.result(
        {
            **{name: getattr(merge, name) for name in counts},
            "conflicts": list(merge.conflicts),
            "problems": problems_json(merge.problems),
        },
        lambda: [", ".join(f"{getattr(merge, name)} {name}" for name in counts) + " added", *merge.conflicts],
    )
    return app.out.problems(merge.problems)


def run_settings(args: Namespace, app: App) -> int:
    """Change the settings that are named, and show them all."""
    with app.open(args.case) as bench:
        settings = bench.case.settings()
        if args.title is not None:
            bench.case.rename(args.title)
        if args.weight:
            bench.case.change_settings(grade_weights={**settings.grade_weights, **dict(args.weight)})
        if args.blind is not None:
            bench.case.change_settings(blind=args.blind == "on")
        if args.strict is not None:
            bench.case.change_settings(show="strict" if args.strict == "on" else "exploratory")
        if args.show is not None:
            bench.case.change_settings(show=args.show)
        report = _report_settings(args, settings.report)
        if report != settings.report:
            bench.case.change_settings(report=report)
        settings, title = bench.case.settings(), bench.case.title()
    app.out.result(
        {"title": title, **asdict(settings), "strict": settings.strict},
        lambda: [
            f"title\t{title}",
            f"blind\t{'on' if settings.blind else 'off'}",
            f"show\t{settings.show}",
            *(f"{g}\t{w:g}" for g, w in settings.grade_weights.items()),
            f"summary\t{settings.report.summary}"
            + (f" (by {settings.report.summary_by})" if settings.report.summary_by else ""),
            f"author\t{settings.report.author}",
            f"marking\t{settings.report.marking}",
            f"omit\t{' '.join(settings.report.omissions)}",
        ],
    )
    return 0


def _report_settings(args: Namespace, previous: ReportSettings) -> ReportSettings:
    """Return what the report is to have, after what was asked for."""
    changes = {
        name: getattr(args, name) for name in ("summary", "author", "marking") if getattr(args, name) is not None
    }
    if args.omit is not None:
        changes["omissions"] = tuple(args.omit)
    return replace(previous, **changes)


def run_verify(args: Namespace, app: App) -> int:
    """Check the case, and whether its log still holds a hash from an earlier report."""
    with app.open(args.case) as bench:
        check = bench.case.verify(app.out.progress())
        check = bench.case.compare_originals(check, app.out.progress()) if args.originals else check
        check = bench.case.holds_head(check, args.head) if args.head else check
    app.out.result(
        {"ok": check.ok, "checked": dict(check.counts), "problems": problems_json(check.problems), "head": check.head}
        | ({"notes": list(check.notes)} if check.notes else {}),
        lambda: [
            "The case is sound." if check.ok else "The case has problems.",
            *(
                [f"{check.counts['texts compared']:,} page texts are what their originals say."]
                if args.originals
                else []
            ),
            *check.notes,
            f"The log ends with {check.head}.",
        ],
    )
    return app.out.problems(check.problems)


def run_rebuild(args: Namespace, app: App) -> int:
    """Build the search index again."""
    with app.open(args.case) as bench:
        bench.case.rebuild_index()
        bench.index.finish(app.out.progress())
        counts = bench.case.counts()
    app.out.result({"rebuilt": True, "counts": counts}, lambda: "The search index was rebuilt.")
    return 0
