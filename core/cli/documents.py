"""The commands about documents: adding and removing them, what is said of them, their pages and versions."""

from __future__ import annotations

import getpass
import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from core.cli.app import App
from core.cli.grammar import Commands, positive
from core.cli.output import Json, problems_json, say
from core.documents import descriptions, left_out_parts, relations, version_diff
from core.documents.service import HASH_LIST
from core.domain import LAYER, Document, LeftOut
from core.errors import BadInput
from core.progress import Cancelled
from core.text import columns, counted

if TYPE_CHECKING:
    from core.documents.folder_scan import Preview
    from core.documents.importing import ImportReport
    from core.store import ImportCount, ImportedRow
    from core.workbench import Workbench


# Fields of an imported file that are always there; the others where there is something to say.
_ALWAYS = ("id", "name", "sha256", "pages", "chunks", "status")
_DESCRIBED = ("title", "author", "origin", "place", "reliability", "information", "dated", "note", "language")
_PREVIEW_WORDS = {
    "new": "new",
    "copies": "copies of documents already in the case",
    "again": "that failed or were removed earlier",
    "changed": "newer versions of documents, going by their path",
    "without_text": "of types without text",
    "cases": "cases or files that belong to a case, left out",
    "too_large": "too large for a case",
    "missing": "not found",
}


def register(commands: Commands) -> None:
    """Declare the commands of this module."""
    sub = commands.add("add", run_add, "add files and folders")
    sub.add_argument("paths", nargs="*", metavar="PATH")
    sub.add_argument(
        "--continue", action="store_true", dest="resume", help="go on with an import that was stopped; takes no PATH"
    )
    _add_passwords(sub)
    sub.add_argument("--changed", action="store_true", help="only files that are new or changed since they were added")
    sub.add_argument("--preview", action="store_true", help="show what would be added, and add nothing")
    sub = commands.add("retry", run_retry, "read failed files again")
    sub.add_argument("documents", nargs="*", metavar="D1", help="default: all of them")
    _add_passwords(sub)
    sub = commands.add("unlock", run_unlock, "read documents that open with a password")
    sub.add_argument("documents", nargs="+", metavar="D1")
    sub.add_argument("--password", metavar="WORD", help="asked for if not given")
    sub = commands.add("imports", run_imports, "what happened to every file of every import")
    sub.add_argument("--last", action="store_true")
    sub.add_argument("--discard", action="store_true", help="discard the rest of stopped imports")
    sub = commands.add("remove", run_remove, "take documents out of the case")
    sub.add_argument("documents", nargs="+", metavar="D1")
    sub.add_argument(
        "--with-evidence", action="store_true", help="also remove what rests on them, or was found in them"
    )
    sub = commands.add("documents", run_documents, "list the documents, or describe them")
    sub.add_argument("action", nargs="?", choices=("list", "set", "read", "families"), default="list", metavar="ACTION")
    sub.add_argument("documents", nargs="*", metavar="D1")
    sub.add_argument("--tag", nargs="+", action="extend", dest="add_tags", metavar="TAG")
    sub.add_argument("--untag", nargs="+", action="extend", dest="remove_tags", metavar="TAG")
    for name, words in (
        ("title", "what it is called, '' for what the file says"),
        ("author", "who wrote it"),
        ("origin", "where it comes from, such as its publisher"),
        ("place", "where it was written"),
        ("reliability", "A-F, '' for none"),
        ("information", "1-6, '' for none"),
        ("dated", "2021-05-03, 2021-05, 2021, or two with a slash"),
        ("note", "a remark"),
        ("language", "such as de or German, '' for unknown; what is not in English is not judged"),
    ):
        sub.add_argument(f"--{name}", help=words)
    sub = commands.add(
        "originals", run_originals, "write the files that were added into a folder, with a list for sha256sum -c"
    )
    sub.add_argument("folder", metavar="FOLDER", help="a new one")
    sub.add_argument("documents", nargs="*", metavar="D1", help="default: all of them")
    sub = commands.add("page", run_page, "show the text of a page")
    sub.add_argument("document", metavar="D1")
    sub.add_argument("page", type=positive, metavar="PAGE")
    sub = commands.add("versions", run_versions, "what differs between two versions of a document")
    sub.add_argument("one", metavar="D1", help="the older version")
    sub.add_argument("other", metavar="D2")


def _add_passwords(sub: ArgumentParser) -> None:
    words = "password to try on protected files; other users of this computer can see it while the command runs"
    sub.add_argument("--password", nargs="+", action="extend", default=[], metavar="WORD", help=words)


def run_add(args: Namespace, app: App) -> int:
    """Add files and folders, go on with a stopped import, or say with ``--preview`` what would be added."""
    if not all(args.paths):  # an empty one would be the folder that one is in
        raise BadInput(reason="A path is empty.", remedy="Name the files and folders to add; . is this folder.")
    if args.resume and (args.paths or args.preview or args.changed):
        raise BadInput(reason="--continue takes no path, --preview or --changed.", remedy="Use it without them.")
    if not (args.resume or args.paths):
        raise BadInput(
            reason="No file or folder was given.",
            remedy="Name the files and folders to add, or go on with a stopped import: --continue.",
        )
    paths = [Path(path) for path in args.paths]
    if args.preview:
        return _show_preview(args, app, paths)
    with app.open(args.case) as bench:
        documents, progress = bench.documents, app.out.progress()
        if args.resume and not _pending_words(documents.import_counts()):
            say("No import is waiting to be continued.")
        try:
            if args.resume:
                report = documents.resume(progress, passwords=args.password)
            else:
                report = documents.add(paths, progress, passwords=args.password, changed_only=args.changed)
        except (Cancelled, KeyboardInterrupt):
            if words := _pending_words(documents.import_counts()):
                say(f"{words} Continue with: disconfirm add {shlex.quote(args.case)} --continue")
            raise
    return _show_import(app, report)


def _pending_words(counts: Sequence[ImportCount]) -> str:
    """Return a line on the imports that were stopped; '' for none."""
    open_counts = [count for count in counts if count.pending]
    read, total = sum(count.files - count.pending for count in open_counts), sum(count.files for count in open_counts)
    return f"{read:,} of {counted(total, 'file')} read." if open_counts else ""


def _show_preview(args: Namespace, app: App, paths: Sequence[Path]) -> int:
    with app.open(args.case) as bench:
        preview = bench.documents.preview(paths, app.out.progress())
    pairs = ("copies", "again", "changed")
    fields: Json = {name: [str(path) for path in part] for name, part in _parts(preview).items() if name not in pairs}
    fields |= {name: [{"path": str(path), "of": of} for path, of in getattr(preview, name)] for name in pairs}
    app.out.result(
        {"files": preview.files, **fields},
        lambda: [f"{len(part)} {_PREVIEW_WORDS[name]}" for name, part in _parts(preview).items() if part],
    )
    return 0


def _parts(preview: Preview) -> dict[str, Sequence[object]]:
    return {name: getattr(preview, name) for name in _PREVIEW_WORDS}


def _show_import(app: App, report: ImportReport) -> int:
    documents = [
        {key: value for key, value in asdict(item).items() if key in _ALWAYS or value} | left_out_json(item.left_out)
        for item in report.documents
    ]
    by_status = {
        s: sum(i.status == s for i in report.documents) for s in ("added", "near_duplicate", "duplicate", "failed")
    }
    inside = sum(bool(item.parent) for item in report.documents)
    near, newer = by_status["near_duplicate"], sum(bool(item.version_of) for item in report.documents)
    app.out.result(
        {
            "documents": documents,
            "problems": problems_json(report.problems),
            "submitted": len(documents) - inside,
            "inside": inside,
            "unchanged": report.unchanged_files,
            "asked": report.files,
            "read": report.read,
            "pending": report.pending,
            "seconds": round(report.seconds, 3),
        },
        lambda: [
            f"{len(documents) - inside} submitted{f', {inside} inside them' if inside else ''}: "
            f"{by_status['added'] + near} added"
            + (f" ({near} nearly the same as another)" if near else "")
            + (f" ({newer} newer versions)" if newer else "")
            + f", {by_status['duplicate']} duplicates, {by_status['failed']} failed"
            + (f"; {report.unchanged_files} unchanged" if report.unchanged_files else "")
            + (f"; {report.pending} still to be read" if report.pending else "")
            + f", in {report.seconds:.1f} s",
            *(
                f"{item.id} is a newer version of {item.version_of}"
                + (f", which {', '.join(item.dependents)} quote" if item.dependents else "")
                for item in report.documents
                if item.version_of
            ),
            *(
                f"{item.id} may be a newer version of {item.may_replace}: the names are the same"
                for item in report.documents
                if item.may_replace
            ),
            *(
                f"{item.id or item.name}: {left_out_parts.sentence(parts)}"
                for item in report.documents
                if (parts := left_out_parts.of_content(item.left_out)) and item.status != "duplicate"
            ),
        ],
    )
    return app.out.problems(report.problems)


def run_retry(args: Namespace, app: App) -> int:
    """Read files again that failed."""
    with app.open(args.case) as bench:
        report = bench.documents.retry(args.documents or None, app.out.progress(), passwords=args.password)
    return _show_import(app, report)


def run_unlock(args: Namespace, app: App) -> int:
    """Read documents that open with a password, which is asked for on a terminal."""
    password = args.password
    if password is None:
        if sys.stdin is None or not sys.stdin.isatty():
            raise BadInput(reason="No password was given.", remedy="disconfirm unlock CASE D1 --password WORD")
        password = getpass.getpass("Password: ")
    with app.open(args.case) as bench:
        if set(args.documents) <= bench.documents.without_password():
            return _store_password(bench, args.documents, password, app)
        report = bench.documents.unlock(args.documents, password, app.out.progress())
    return _show_import(app, report)


def _store_password(bench: Workbench, documents: list[str], password: str, app: App) -> int:
    """Store a password that was forgotten once more."""
    right = bench.documents.store_password(documents, password, app.out.progress())
    wrong = [document for document in documents if document not in right]
    lines = ((right, "password of {} stored"), (wrong, "wrong password for {}"))
    app.out.result(
        {"stored": right, "wrong": wrong}, lambda: [words.format(", ".join(ids)) for ids, words in lines if ids]
    )
    return 1 if wrong else 0


def run_imports(args: Namespace, app: App) -> int:
    """List what happened to every file of every import, and how many files are still to be read."""
    with app.open(args.case) as bench:
        discarded_files = bench.documents.discard_pending().files if args.discard else None
        counts = {count.run: count for count in bench.documents.import_counts()}
        rows = bench.documents.imports(0 if args.last else None)
        documents = {document.id: document for document in bench.documents.all()}
    if args.last:
        newest = max((*counts, *(row.run for row in rows)), default=0)
        counts = {run: count for run, count in counts.items() if run == newest}
        rows = [row for row in rows if row.run == newest]
    runs: dict[int, list[Json]] = {run: [] for run in counts}
    for row in rows:
        fields = {key: value for key, value in asdict(row).items() if value not in ("", None)}
        if document := documents.get(row.document or ""):
            fields |= left_out_json(document.left_out)
            fields |= {name: getattr(document, name) for name in ("folder", "file_date")}
        runs.setdefault(fields.pop("run"), []).append(fields)
    app.out.result(
        {
            "imports": [_import_json(run, files, counts.get(run)) for run, files in sorted(runs.items())],
            **({} if discarded_files is None else {"discarded": discarded_files}),
        },
        lambda: [
            *([] if discarded_files is None else [f"{counted(discarded_files, 'file')} will not be read"]),
            *(columns(row.run, row.at, row.status, row.document or "-", row.name, _reason(row)) for row in rows),
            *(f"import {run}: {_pending_words([count])}" for run, count in counts.items() if count.pending),
        ],
    )
    return 0


def _import_json(run: int, files: list[Json], count: ImportCount | None) -> Json:
    if count is None:  # files that were read again, or an import by an older version
        return {"run": run, "at": files[0]["at"], "files": files}
    return {
        **{"run": run, "at": files[0]["at"] if files else count.at},
        **{"asked": count.files, "read": count.read, "pending": count.pending, "files": files},
    }


def _reason(row: ImportedRow) -> str:
    like = f"{row.measure} {row.score:.2f} " if row.score is not None else ""
    return f"{like}{f'of {row.of} ' if row.of else ''}{row.reason} {row.remedy}".strip()


def run_remove(args: Namespace, app: App) -> int:
    """Take documents out of the case, and say what went with them."""
    with app.open(args.case) as bench:
        losses = bench.documents.remove(args.documents, with_evidence=args.with_evidence).dependents
    app.out.result(
        {"removed": list(losses.documents), **{k: v for k, v in asdict(losses).items() if k != "documents"}},
        lambda: (
            f"{', '.join(losses.documents)} removed"
            + (f" with {', '.join(losses.evidence)} and {counted(losses.cells, 'rating')}" if losses.evidence else "")
            + (f" and {counted(losses.proposals, 'proposal')}" if losses.proposals else "")
            + "; undo brings it back"
        ),
    )
    return 0


def run_documents(args: Namespace, app: App) -> int:
    """List the documents or their families; ``set`` notes what an analyst says of some, ``read`` reads titles again."""
    if args.action == "families":
        return _show_families(app, args.case)
    with app.open(args.case) as bench:
        if args.action == "set":
            names = (*_DESCRIBED, "add_tags", "remove_tags")
            remarks = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
            if not args.documents or not remarks:
                raise BadInput(reason="Nothing to set was given.", remedy="disconfirm documents CASE set D1 --tag TAG")
            bench.documents.describe(args.documents, **remarks)
        read = None
        if args.action == "read":
            recognised = bench.documents.recognise_languages(app.out.progress())
            read = dict.fromkeys((*recognised, *bench.documents.read_descriptions(app.out.progress()).documents))
        documents, failures, removals = bench.documents.all(), bench.documents.failed(), bench.documents.removed()
        locked_ids = bench.documents.locked()
    app.out.result(
        {
            "documents": [document_json(d) for d in documents],
            "failed": [{**document_json(d), **({"locked": True} if d.id in locked_ids else {})} for d in failures],
            "removed": [document_json(d) for d in removals],
            **({} if read is None else {"read": list(read)}),
        },
        lambda: [
            *([] if read is None else [f"{len(read)} of {len(documents)} documents say more or something else now"]),
            *(line for d in documents for line in _document_lines(d)),
            *(columns(d.id, "failed", d.name, f"{d.reason} {d.remedy}") for d in failures),
            *(columns(d.id, "removed", d.name) for d in removals),
        ],
    )
    return 0


def _show_families(app: App, case: str) -> int:
    """List which documents repeat which."""
    with app.open(case) as bench:
        families = bench.documents.families(app.out.progress())
        documents = {document.id: document for document in bench.documents.all()}
    sources = relations.distinct_sources(len(documents), families)
    lines: list[str] = []
    for family in families:
        lines.append(f"{len(family.documents)} documents that repeat one another, the earliest first")
        by_document = {relation.document: relation for relation in family.relations}
        for identity in family.documents:
            relation = by_document.get(identity)
            how = f"{relation.of}: {relations.words_of(relation)}" if relation is not None else "-"
            lines.append(columns(f"   {identity}", how, descriptions.label_of(documents[identity])))
    lines.append(f"{len(documents)} documents, {sources} sources where those that repeat one another are one")
    app.out.result(
        {
            "families": [
                {"documents": list(family.documents), "relations": [asdict(relation) for relation in family.relations]}
                for family in families
            ],
            "sources": sources,
        },
        lambda: lines,
    )
    return 0


def document_json(document: Document) -> Json:
    """Return a document with the fields that hold something."""
    always = ("title", "folder", "parent", "date", "file_date")
    fields = {key: value for key, value in asdict(document).items() if value != "" or key in always}
    read = {
        attribution.field: {"where": attribution.where, "certainty": attribution.certainty}
        for attribution in document.attributions
    }
    return {**fields, "attributions": read, **left_out_json(document.left_out)}


def left_out_json(parts: Sequence[LeftOut]) -> Json:
    """Return the ledger of a document as a field."""
    return {"left_out": [{"what": part.what, "count": part.count, "where": part.where} for part in parts]}


def _document_lines(document: Document) -> list[str]:
    """Return the line of a document, and one for what was left out of it."""
    line = columns(document.id, document.status, f"{document.pages} p.", document.name, *_remarks(document))
    return [line, *([columns("", left_out_parts.sentence(document.left_out))] if document.left_out else [])]


def _remarks(document: Document) -> list[str]:
    """Return what an analyst noted of a document."""
    grade = document.reliability + document.information
    parts = descriptions.title_of(document), descriptions.provenance_of(document), descriptions.date_of(document)
    title, origin, date = parts
    remarks = (title, document.language, ", ".join(document.tags), origin, grade, date, document.note)
    return [part for part in remarks if part]


def run_originals(args: Namespace, app: App) -> int:
    """Write originals into a folder, and the list of their hashes."""
    if not args.folder:
        raise BadInput(reason="The path is empty.", remedy="Name a new folder.")
    folder = Path(args.folder)
    with app.open(args.case) as bench:
        originals = bench.documents.write_originals(folder, args.documents or None, app.out.progress())
    app.out.result(
        {
            "folder": str(folder),
            "list": HASH_LIST,
            "files": [
                {"document": document.id, "name": document.name, "file": name, "sha256": document.sha256}
                for document, name in originals
            ],
        },
        lambda: [
            *(columns(document.id, name, document.name) for document, name in originals),
            f"{counted(len(originals), 'file')} in {folder}; to compare them there: sha256sum -c {HASH_LIST}",
        ],
    )
    return 0


def run_page(args: Namespace, app: App) -> int:
    """Show the text of a page."""
    with app.open(args.case) as bench:
        page = bench.documents.proven_page(args.document, args.page)
    fields: Json = {"document": page.document, "page": page.number, "text": page.text, "source": page.source}
    if page.confidence is not None:
        fields["confidence"] = page.confidence
    mark = [f"[{LAYER}]"] if page.source == "layer" else []
    app.out.result(fields, lambda: [*mark, *page.text.split("\n")] if page.text else "(no text: needs OCR)")
    return 0


def run_versions(args: Namespace, app: App) -> int:
    """List what differs between two versions of a document."""
    with app.open(args.case) as bench:
        comparison = bench.documents.compare_versions(args.one, args.other)
    differences: list[Json] = []
    for difference in comparison.differences:
        if difference.kind != "same":
            old_text = comparison.old[difference.old_start : difference.old_end]
            after = comparison.new[difference.new_start : difference.new_end]
            places = comparison.old_place(difference.old_start)[0], comparison.new_place(difference.new_start)[0]
            differences.append(
                {
                    "kind": difference.kind,
                    "reasons": list(difference.reasons),
                    "before": {"page": places[0], "text": " ".join(old_text.split())},
                    "after": {"page": places[1], "text": " ".join(after.split())},
                }
            )
    app.out.result(
        {
            "one": comparison.older.id,
            "other": comparison.newer.id,
            "figures": version_diff.figures(comparison.differences),
            "differences": differences,
        },
        lambda: (
            [
                f"p. {d['before']['page']} / {d['after']['page']}\t{', '.join(d['reasons']) or d['kind']}"
                f"\t{d['before']['text']} -> {d['after']['text']}"
                for d in differences
            ]
            or "The texts are the same."
        ),
    )
    return 0
