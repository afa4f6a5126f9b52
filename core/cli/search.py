"""The commands that search: passages, themes, and the vectors that passages are searched by."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from core import paths
from core.cli.app import App
from core.cli.grammar import Commands, add_lines, add_selection, add_show, positive
from core.cli.output import Json, lines_to, read_lines
from core.domain import LAYER, Chunk, Passage
from core.errors import BadInput
from core.runtime import launch
from core.search.passages import SHOW_MODES, ranks_of
from core.search.query_language import parse
from core.search.sentence_ranking import best_of_each
from core.search.service import MODES, SearchResult
from core.text import columns, counted


def register(commands: Commands) -> None:
    """Declare the commands of this module."""
    sub = commands.add("search", run_search, "find passages")
    sub.add_argument("text", nargs="?", metavar="TEXT")
    sub.add_argument("-k", type=positive, default=30, help="how many passages")
    sub.add_argument("--document", nargs="+", action="extend", metavar="D1", help="search only these")
    sub.add_argument("--exclude", nargs="+", action="extend", metavar="D2", help="leave these out")
    sub.add_argument("--mode", choices=MODES, default="hybrid")
    add_show(sub, SHOW_MODES, "exploratory")
    sub.add_argument("--strict", dest="show", action="store_const", const="strict", help="the same as --show strict")
    sub.add_argument(
        "--conditions",
        action="store_true",
        help='understand "a phrase", a AND b, a NEAR/5 b, begin*, -without, '
        "document: source: tag: language: name: grade: date: after: before:",
    )
    add_selection(sub)
    add_lines(sub)
    sub = commands.add("themes", run_themes, "what the documents say on a question, as a start for hypotheses")
    sub.add_argument("question")
    sub.add_argument("--draft", action="store_true", help="with a hypothesis drafted by the model that writes drafts")
    words = "make passages searchable by meaning with the current search model, or with another"
    sub = commands.add("embed", run_embed, words)
    sub.add_argument(
        "--model",
        metavar="FOLDER",
        help="search with this model from now on; 'default': the program's; 'multilingual': its one of many languages",
    )
    sub.add_argument(
        "--rerank", metavar="FOLDER", help="rerank the best passages with this model from now on; 'none': no reranking"
    )
    sub.add_argument("--status", action="store_true", help="only show how many passages have vectors")
    sub.add_argument("--forget", action="store_true", help="delete the vectors of all other models")


def run_search(args: Namespace, app: App) -> int:
    """Find passages for one query, or for each line of a file."""
    options = {
        "k": args.k,
        "include": args.document or None,
        "exclude": args.exclude or (),
        "mode": args.mode,
        "min_similarity": args.min_similarity,
        "per_document": args.per_document,
        "show": args.show,
    }
    if args.jsonl:
        rows = list(read_lines(args.jsonl, ("id", "text")))
        with app.open(args.case) as bench, lines_to(args.out, args.case) as write:
            for row, result in zip(rows, bench.search.search_many([r["text"] for r in rows], **options), strict=True):
                write({"id": row["id"], "passages": [passage_json(p) for p in result.passages]})
        return 0
    if not args.text:
        raise BadInput(reason="Nothing to search for.", remedy="disconfirm search CASE TEXT")
    with app.open(args.case) as bench:
        if args.conditions:
            # In words of their own: what --document and --exclude say is document: and -document: there.
            del options["include"], options["exclude"]
            results = bench.search.find(args.text, **options)
        else:
            results = bench.search.passages_for(args.text, **options)
    app.out.result(
        {
            "query": results.query,
            "show": args.show,
            "passages": [passage_json(p) for p in results.passages],
            "copies": [passage_json(copy) for group in results.copies.values() for copy in group],
            "confidence": results.confidence,
            "seconds": round(results.seconds, 4),
            "notes": list(results.notes),
        },
        lambda: [*_lines(results, ranks=args.show == "audit"), *results.notes],
    )
    return 0


def _lines(result: SearchResult, *, ranks: bool) -> Iterator[str]:
    """Two lines a passage: where it is, and its words from the sentence on that answers best."""
    spans = best_of_each(parse(result.query).words, [passage.text for passage in result.passages])
    for passage, span in zip(result.passages, spans, strict=True):
        mark = source_mark(passage.source)
        found_by = ranks_of(passage) if ranks else ()
        yield columns(f"{passage.rank}. {passage.label}, page {passage.page} ({passage.confidence}){mark}", *found_by)
        ellipsis = "… " if passage.text[: span.start].strip() else ""
        yield f"   {ellipsis}{' '.join(passage.text[span.start :].split())[:200]}"


def passage_json(passage: Passage) -> Json:
    """Return a passage with the fields of the contract."""
    fields = asdict(passage)
    del fields["page_id"], fields["holds_query"], fields["with_headings"]
    return fields


def run_themes(args: Namespace, app: App) -> int:
    """Show what the documents have to say on a question."""
    with app.open(args.case) as bench:
        themes = bench.search.themes(args.question)
        hypotheses = bench.drafts.hypotheses(args.question, themes, app.out.progress()) if args.draft else ()
    drafts = [draft.text for draft in hypotheses] or [""] * len(themes)
    app.out.result(
        {
            "themes": [
                {
                    "label": theme.label,
                    "sentence": theme.sentence,
                    "document": theme.passage.document,
                    "page": theme.passage.page,
                    "start": theme.start,
                    "end": theme.end,
                    "documents": theme.documents,
                    "passages": [chunk_json(chunk) for chunk in theme.passages],
                    "draft": draft,
                }
                for theme, draft in zip(themes, drafts, strict=True)
            ]
        },
        lambda: [
            columns(
                ", ".join(theme.label),
                f"{counted(len(theme.passages), 'passage')} in {counted(theme.documents, 'document')}",
                theme.sentence,
                *((f"draft: {draft}",) if draft else ()),
            )
            for theme, draft in zip(themes, drafts, strict=True)
        ],
    )
    return 0


def run_embed(args: Namespace, app: App) -> int:
    """Make vectors for the passages that have none of the current search model, which ``--model`` changes."""
    note = ""
    if args.model is not None:
        embedders = {"default": None, "multilingual": paths.model(paths.MULTILINGUAL)}
        folder = embedders[args.model] if args.model in embedders else Path(args.model)
        app.engines, model_folder = launch.choose_embedder(app.engines, folder)
        note = model_folder.note
    if args.rerank is not None:
        app.engines = launch.choose_reranker(app.engines, None if args.rerank == "none" else Path(args.rerank))
    with app.open(args.case) as bench:
        report = None if args.status else bench.index.build(app.out.progress())
        removals = bench.index.forget() if args.forget else ()
        state = bench.index.status()
    fields: Json = {
        "model": state.model,
        "passages": state.passages,
        "done": state.done,
        "waiting": state.waiting,
        "searched_with": state.searched_with,
        "others": [asdict(vectors) for vectors in state.others],
        "embedded": report.embedded if report else 0,
        "reused": report.reused if report else 0,
        "forgotten": [asdict(removal) for removal in removals],
        "reranker": bench.engines.reranker.fingerprint if bench.engines.reranker else "",
        "reason": state.reason,
        "offer": state.offer,
        "note": note,
        "seconds": round(report.seconds, 3) if report else 0.0,
    }

    def text() -> list[str]:
        model = f", with {state.model}" if state.model else ""
        lines = [f"{state.done:,} of {counted(state.passages, 'passage')} can be searched by meaning{model}"]
        lines += [f"deleted: {removal.passages:,} vectors of {removal.model}" for removal in removals]
        lines += [
            f"stored: {vectors.passages:,} vectors of {vectors.model}, {vectors.size:,} bytes"
            for vectors in state.others
        ]
        offer = f"{state.offer} Choose it with: disconfirm embed CASE --model multilingual" if state.offer else ""
        return [*lines, *filter(None, (state.sentence, note, offer))]

    app.out.result(fields, text)
    return 0


def chunk_json(chunk: Chunk) -> Json:
    """Return a chunk by its place and text."""
    return {
        "passage": chunk.id,
        "document": chunk.document,
        "name": chunk.name,
        "page": chunk.page,
        "start": chunk.start,
        "end": chunk.end,
        "text": chunk.text,
        "source": chunk.source,
    }


def chunk_line(chunk: Chunk, longest: int = 160) -> str:
    """Return the place of a chunk and its first ``longest`` characters, as one line."""
    text = " ".join(chunk.text.split())
    end = "…" if len(text) > longest else ""
    return f"{chunk.document} p. {chunk.page}\t{text[:longest]}{end}{source_mark(chunk.source)}"


def source_mark(source: str) -> str:
    """Return what follows words whose source must be said, in brackets."""
    return f" [{LAYER}]" if source == "layer" else ""
