"""The command that lists the terms which the documents explain, and writes them as a glossary or as cards."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from core import files
from core.cli.app import App
from core.cli.grammar import Commands
from core.cli.output import Json, citation_json
from core.errors import BadInput
from core.glossary import forms
from core.glossary.entries import Card, Entry, EntrySource
from core.text import columns


def register(commands: Commands) -> None:
    """Declare the command of this module."""
    sub = commands.add("glossary", run_glossary, "list the terms that the documents explain, in their own words")
    sub.add_argument("-o", "--output", type=Path, metavar="FILE", help=f"write a file ({', '.join(forms.FORMS)})")


def run_glossary(args: Namespace, app: App) -> int:
    """List terms with their meanings and cards, or write them to a file."""
    form = args.output.suffix.lower() if args.output else ""
    if args.output and form not in forms.FORMS:
        raise BadInput(reason=f"'{form}' is not a form of a glossary.", remedy=f"Use {', '.join(forms.FORMS)}.")
    if args.output:
        files.check_target(args.output, never=Path(args.case))
    with app.open(args.case) as bench:
        entries = bench.glossary.entries(app.out.progress())
        cards = bench.glossary.cards(entries)
        if args.output:
            data = forms.render(form, bench.case.title(), entries, cards)
            files.write(args.output, data, never=bench.path)
    result: dict[str, object] = {
        "entries": [_entry_json(entry) for entry in entries],
        "cards": [_card_json(card) for card in cards],
    }
    if args.output:
        result["file"] = str(args.output)
    app.out.result(result, lambda: list(_lines(entries, cards)))
    return 0


def _entry_json(entry: Entry) -> Json:
    return {
        "kind": entry.kind,
        "term": entry.term,
        "meaning": entry.meaning,
        "citations": [_citation_json(source) for source in entry.sources],
    }


def _card_json(card: Card) -> Json:
    return {"question": card.question, "answer": card.answer, "citation": _citation_json(card.source)}


def _citation_json(source: EntrySource) -> Json:
    return {**citation_json(source.name, source.quote), "copy": source.is_copy}


def _lines(entries: Sequence[Entry], cards: Sequence[Card]) -> Iterator[str]:
    for entry in entries:
        yield columns(entry.term, entry.meaning, forms.place_of(entry.sources[0]))
    yield f"{len(entries):,} {'entry' if len(entries) == 1 else 'entries'}, {len(cards):,} cards"
