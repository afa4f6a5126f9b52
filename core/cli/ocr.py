"""The command that reads pages that are pictures."""

from __future__ import annotations

from argparse import Namespace

from core.cli.app import App
from core.cli.grammar import Commands
from core.cli.output import problems_json
from core.ocr.service import language_codes
from core.text import counted


def register(commands: Commands) -> None:
    """Declare the command of this module."""
    sub = commands.add("ocr", run_ocr, "run OCR on pages that are images, or whose text is garbled")
    sub.add_argument("documents", nargs="*", metavar="D1")
    sub.add_argument(
        "--language",
        action="append",
        default=[],
        metavar="deu",
        help="language of the pages; several: deu+eng or de+en",
    )
    sub.add_argument("--again", action="store_true", help="also pages that were read before; checked words are kept")


def run_ocr(args: Namespace, app: App) -> int:
    """Read the pages that are pictures, or whose text is none."""
    with app.open(args.case) as bench:
        report = bench.ocr.read(
            args.documents or None,
            app.out.progress(),
            languages=tuple(code for words in args.language for code in language_codes(words)),
            again=args.again,
        )
    app.out.result(
        {
            "pages": report.pages,
            "words": report.words,
            "stale": list(report.stale),
            "problems": problems_json(report.problems),
            "seconds": round(report.seconds, 3),
        },
        lambda: [
            f"{counted(report.pages, 'page')} read, {counted(report.words, 'word')}, in {report.seconds:.1f} s",
            *([f"quotes that changed: {', '.join(report.stale)}"] if report.stale else ()),
        ],
    )
    return app.out.problems(report.problems)
