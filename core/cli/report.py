"""The command that writes the report."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from core.cli.app import App
from core.cli.grammar import Commands


def register(commands: Commands) -> None:
    """Declare the command of this module."""
    sub = commands.add("report", run_report, "write the report")
    forms = "FILE.(html|pdf|docx|xlsx|csv|md|json|pack.html|achz)"
    sub.add_argument("-o", "--output", required=True, metavar=forms)
    sub.add_argument(
        "--short", action="store_true", help="one or two pages: the answer, what it depends on, how to check"
    )
    sub.add_argument("--as-of", metavar="TIME", help="a time, a date or the number of a log entry; default: now")


def run_report(args: Namespace, app: App) -> int:
    """Write the report in the form that the name of the file asks for."""
    with app.open(args.case) as bench:
        report = bench.reports.write(Path(args.output), as_of=args.as_of, short=args.short, progress=app.out.progress())
    app.out.result(
        {"file": str(report.file), "bytes": report.bytes, "sha256": report.sha256},
        lambda: f"{report.file} ({report.bytes} bytes, sha256 {report.sha256})",
    )
    return app.out.problems(report.problems)
