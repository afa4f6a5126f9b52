"""The command that shows a page of the handbook, or the sections that hold some words."""

from __future__ import annotations

from argparse import Namespace

from core.cli.app import App
from core.cli.grammar import Commands
from core.cli.output import Json
from core.errors import NoSuchPage
from core.text import columns


def register(commands: Commands) -> None:
    """Declare the command of this module."""
    sub = commands.add("handbook", run_handbook, "show a page of the handbook, or search in it", case=False)
    sub.add_argument("page", nargs="?", default="README", metavar="PAGE", help="a page (default: the contents)")
    sub.add_argument("--search", nargs="+", metavar="WORD", help="list the sections that contain these words")


def run_handbook(args: Namespace, app: App) -> int:
    """Print a page as Markdown, or list what a search in the handbook finds."""
    from core.handbook.pages import page_named, pages
    from core.handbook.search import search

    if args.search:
        hits = search(pages(), " ".join(args.search))
        matches: list[Json] = [
            {"page": hit.section.page, "anchor": hit.section.anchor, "title": hit.section.title, "snippet": hit.snippet}
            for hit in hits
        ]
        app.out.result(
            {"query": " ".join(args.search), "hits": matches},
            lambda: [columns(hit["page"], hit["title"], hit["snippet"]) for hit in matches],
        )
        return 0
    page = page_named(args.page)
    if page is None:
        raise NoSuchPage(page=args.page, names=", ".join(page.name for page in pages()[1:]))
    result = {"page": page.name, "title": page.title, "markdown": page.markdown}
    app.out.result(result, lambda: page.markdown.rstrip("\n").split("\n"))
    return 0
