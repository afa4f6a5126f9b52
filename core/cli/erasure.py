"""The commands that take something out of a case for good: documents, and the passwords of documents."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from core.cli.app import App
from core.cli.grammar import Commands
from core.cli.output import Json, problems_json
from core.documents.service import ErasurePreview, ErasureResult
from core.errors import BadInput
from core.text import counted
from core.workbench import Workbench


def register(commands: Commands) -> None:
    """Declare the commands of this module."""
    sub = commands.add("erase", run_erase, "erase documents for good, with everything made from them")
    sub.add_argument("documents", nargs="*", metavar="D1")
    sub.add_argument("--removed", action="store_true", help="all documents that were removed from the case")
    sub.add_argument(
        "--with-backups", action="store_true", help="also overwrite and delete the backups that contain them"
    )
    sub.add_argument("--yes", action="store_true", help="erase; without this, only say what would go")
    sub = commands.add("forget", run_forget, "erase stored passwords of documents")
    sub.add_argument("documents", nargs="*", metavar="D1")
    sub.add_argument("--all", action="store_true", help="the passwords of all documents")


def run_erase(args: Namespace, app: App) -> int:
    """Erase documents for good, or say what would go."""
    if bool(args.documents) == args.removed:
        raise BadInput(reason="Name documents, or say --removed.", remedy="disconfirm erase CASE D1")
    with app.open(args.case) as bench:
        documents = [document.id for document in bench.documents.removed()] if args.removed else args.documents
        if not documents:
            app.out.result({"erased": []}, lambda: "No document was removed from this case.")
            return 0
        if not args.yes:
            return _show_preview(app, bench.documents.look_before_erasing(documents, app.out.progress()))
        result = bench.documents.erase(documents, app.out.progress(), with_backups=args.with_backups)
        backup = _new_backup(bench, app) if result.removed_backups else ""
    fields = {"erased": list(result.erasure.documents), "entries": result.entries, **_losses(result)}
    names = [path.name for path in result.removed_backups]
    app.out.result(
        {
            **fields,
            "removed_backups": names,
            **({"backup": backup} if backup else {}),
            **({"problems": problems_json(result.problems)} if result.problems else {}),
        },
        lambda: [
            f"{', '.join(result.erasure.documents)} erased for good; blanked in the log: "
            f"{counted(result.entries, 'entry', 'entries')}",
            *_lines(result, "withdrawn", "erased", "taken out of the"),
            *(
                [f"{counted(len(names), 'backup')} deleted" + (f"; new backup: {backup}" if backup else "")]
                if names
                else []
            ),
        ],
    )
    return app.out.problems(result.problems)


def _new_backup(bench: Workbench, app: App) -> str:
    """Make a backup in the place of those that were deleted."""
    return bench.backups.make(app.out.progress(), space=app.settings.backup_space * 1_000_000).name


def _show_preview(app: App, preview: ErasurePreview) -> int:
    documents = preview.erasure.documents
    app.out.result(
        {"erased": [], "would_erase": list(documents), **_losses(preview)},
        lambda: [
            f"{', '.join(documents)} would be erased for good, with the file, its text and everything made from it",
            *_lines(preview, "would be withdrawn", "would be erased too", "that would be taken out of the"),
            "Nothing was erased. This cannot be undone; to do it, add --yes.",
        ],
    )
    return 0


def _losses(erasure: ErasureResult | ErasurePreview) -> Json:
    hanging = erasure.erasure.dependents
    return {
        "children": list(hanging.children),
        "withdrawn": list(hanging.evidence),
        "cells": hanging.cells,
        "proposals": hanging.proposals,
        "results": list(erasure.erasure.results),
        "names": list(erasure.erasure.names),
        "holders": list(erasure.erasure.holders),
        "cut_texts": [{"place": text.place, "words": list(text.words)} for text in erasure.erasure.cut_texts],
        "reports": list(hanging.reports),
        "copies": [str(copy.path) for copy in erasure.copies],
    }


def _lines(result: ErasureResult | ErasurePreview, of_rows: str, of_others: str, of_words: str) -> list[str]:
    erasure, hanging = result.erasure, result.erasure.dependents
    lines: list[tuple[Sequence[object], str]] = [
        (hanging.children, f"{', '.join(hanging.children)}, found inside, {of_others}"),
        (hanging.evidence, f"{', '.join(hanging.evidence)} {of_rows}; the ratings stay and no longer count"),
        (erasure.results, f"{', '.join(erasure.results)} {of_others}"),
        (erasure.names, f"names in no other document {of_others}: {', '.join(erasure.names)}"),
        (erasure.holders, f"kept, but may contain the same words: {', '.join(erasure.holders)}"),
        *(((text,), f"words {of_words} {text.place}: {' … '.join(text.words)}") for text in erasure.cut_texts),
        (hanging.reports, f"reports already written: {', '.join(hanging.reports)}"),
    ]
    backups = [copy.path.name for copy in result.copies if copy.is_backup]
    files = [str(copy.path) for copy in result.copies if not copy.is_backup]
    lines.append((backups, f"backups that still contain it (--with-backups deletes them): {', '.join(backups)}"))
    lines.append((files, f"other files that may still contain it: {', '.join(files)}"))
    return [words for condition, words in lines if condition]


def run_forget(args: Namespace, app: App) -> int:
    """Erase stored passwords of documents."""
    if bool(args.documents) == args.all:
        raise BadInput(reason="Name documents, or say --all.", remedy="disconfirm forget CASE D1")
    with app.open(args.case) as bench:
        documents = bench.documents.with_password() if args.all else args.documents
        names = bench.documents.forget_passwords(documents)
    app.out.result(
        {"forgotten": names},
        lambda: f"password of {', '.join(names)} erased" if names else "No password is stored for these documents.",
    )
    return 0
