"""A glossary with its cards as files: Markdown, web page, table, and the text that Anki imports. Pure."""

from __future__ import annotations

import csv
import hashlib
import html
import io
from collections.abc import Sequence

from core.glossary.definitions import KINDS
from core.glossary.entries import Card, Entry, EntrySource
from core.report.csv_form import harmless
from core.report.markdown import escape_line

FORMS: dict[str, str] = {".md": "Markdown", ".html": "web page", ".csv": "table", ".txt": "cards for Anki"}


def render(form: str, title: str, entries: Sequence[Entry], cards: Sequence[Card]) -> bytes:
    """Write one form, named by its ending."""
    match form:
        case ".md":
            return _markdown(title, entries, cards).encode()
        case ".html":
            return _html(title, entries, cards).encode()
        case ".csv":
            return _table(entries, cards).encode("utf-8-sig")
    return _anki(cards).encode()


def place_of(source: EntrySource) -> str:
    """Cite a source: 'report.pdf, page 4'."""
    return f"{source.name}, page {source.quote.page}"


def _markdown(title: str, entries: Sequence[Entry], cards: Sequence[Card]) -> str:
    lines = [f"# {escape_line(title)}: glossary", ""]
    for entry in entries:
        lines.append(f"**{escape_line(entry.term)}** ({KINDS[entry.kind]}): {escape_line(entry.meaning)}")
        lines += [
            f"- “{escape_line(_one_line(source.quote.text))}” {escape_line(place_of(source))}"
            for source in entry.sources
            if not source.is_copy or len(entry.sources) == 1
        ]
        lines.append("")
    if cards:
        lines += ["## Cards", ""]
    for card in cards:
        lines += [
            f"**{escape_line(card.question)}**",
            f"- {escape_line(card.answer)}",
            f"- “{escape_line(_one_line(card.source.quote.text))}” {escape_line(place_of(card.source))}",
            "",
        ]
    return "\n".join(lines)


def _html(title: str, entries: Sequence[Entry], cards: Sequence[Card]) -> str:
    """Write a page without a script, a picture or a link."""
    say = html.escape
    lines = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">""",
        f"<title>{say(title)}: glossary</title>",
        "<style>body{font:16px/1.5 sans-serif;max-width:46em;margin:2em auto;padding:0 1em}"
        "blockquote{font-family:serif;margin:.3em 0 .3em 1em}small{color:#555}"
        "dt{font-weight:600;margin-top:1em}</style>",
        f"</head><body><h1>{say(title)}: glossary</h1><dl>",
    ]
    for entry in entries:
        lines.append(f"<dt>{say(entry.term)} <small>{say(KINDS[entry.kind])}</small></dt><dd>{say(entry.meaning)}")
        lines += [_quote(source) for source in entry.sources if not source.is_copy or len(entry.sources) == 1]
        lines.append("</dd>")
    lines.append("</dl>")
    if cards:
        lines.append("<h2>Cards</h2><dl>")
        for card in cards:
            lines.append(f"<dt>{say(card.question)}</dt><dd>{say(card.answer)}{_quote(card.source)}</dd>")
        lines.append("</dl>")
    return "\n".join([*lines, "</body></html>", ""])


def _quote(source: EntrySource) -> str:
    words = html.escape(_one_line(source.quote.text))
    return f"<blockquote>“{words}” <small>{html.escape(place_of(source))}</small></blockquote>"


def _table(entries: Sequence[Entry], cards: Sequence[Card]) -> str:
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(["Kind", "Term or question", "Meaning or answer", "Quote", "Document", "Page"])
    for entry in entries:
        for source in entry.sources:
            writer.writerow(_row(KINDS[entry.kind], entry.term, entry.meaning, source))
    for card in cards:
        writer.writerow(_row("card", card.question, card.answer, card.source))
    return stream.getvalue()


def _row(kind: str, term: str, meaning: str, source: EntrySource) -> list[str]:
    cells = (kind, term, meaning, _one_line(source.quote.text), source.name, str(source.quote.page))
    return [harmless(cell) for cell in cells]


def _anki(cards: Sequence[Card]) -> str:
    """Write the cards for Anki 2.1.54 and later: an import again updates them, by the id of each question."""
    lines = ["#separator:Tab", "#html:false", "#columns:Question\tAnswer\tQuote\tSource\tId", "#guid column:5"]
    for card in cards:
        identity = hashlib.sha256(card.question.casefold().encode()).hexdigest()[:20]
        fields = (card.question, card.answer, card.source.quote.text, place_of(card.source), identity)
        lines.append("\t".join(_one_line(field).replace('"', "”") for field in fields))
    return "\n".join([*lines, ""])


def _one_line(text: str) -> str:
    return " ".join(text.split())
