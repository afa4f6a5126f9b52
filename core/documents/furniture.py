"""Stretches of a page that state nothing: headers of mails, heading rows, titles and bylines, menus and feet. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.documents import first_lines, kinds
from core.domain import Section, Span, Table
from core.language.dates import dates_in
from core.language.identification import mail_headers
from core.language.lexicon import words_of
from core.text import CELL_BORDER, sentences

_PARAGRAPH = re.compile(r"(?:^[^\S\n]*\S[^\n]*(?:\n|\Z))+", re.MULTILINE)
_LINE = re.compile(r"[^\n]*\S[^\n]*")
_BETWEEN_LINKS = re.compile(r"\s*[|•·›»]\s*|\s+[/–—]\s+")
_COPYRIGHT = re.compile(r"(?:copyright\s)?(?:©|\(c\))|copyright\s\d{4}\b|all rights reserved\b", re.IGNORECASE)
_NOTICE = 25  # words of a notice of copyright
_LANGUAGES = ("en", "de")  # of the words of menus
_SHEET = "Sheet "  # what a page of a spreadsheet says before its name


def furniture(
    text: str,
    sections: Sequence[Section] = (),
    tables: Sequence[Table] = (),
    *,
    title: str = "",
    is_first: bool = True,
    short: int = 0,
) -> list[Span]:
    """List the stretches of a page that state nothing, in order.

    ``sections`` begin on the page, ``title`` is that of its document, of which it ``is_first``. Headings of fewer than
    ``short`` words say what the text below them is about: they are left out, but for those above all text.
    """
    spans = [*mail_headers(text), *_heading_rows(text, tables), *navigation(text)]
    headings = list(_headings(text, sections))
    if is_first:
        spans += _head(text, [*spans, *headings], title)
    above = _begin_of_text(text, [*spans, *headings])
    spans += (span for span in headings if span.start < above or len(text[span.start : span.end].split()) >= short)
    return sorted(spans, key=lambda span: (span.start, span.end))


def navigation(text: str) -> Iterator[Span]:
    """Yield the lines that are a menu or the foot of a web page: most of their parts are links that such pages have.

    A notice of copyright is one, too.
    """
    for line in _LINE.finditer(text):
        words = " ".join(line[0].split())
        links = [part.strip(" .").casefold() for part in _BETWEEN_LINKS.split(words)]
        hits = sum(any(link in words_of(language, "navigation") for language in _LANGUAGES) for link in links)
        is_menu = hits == len(links) or (len(links) > 2 and 2 * hits >= len(links))
        if is_menu or (len(words.split()) <= _NOTICE and _COPYRIGHT.match(words)):
            yield Span(*line.span())


def is_navigation(text: str) -> bool:
    """Return whether a text is made of menus and feet alone."""
    return len(list(_LINE.finditer(text))) == len(list(navigation(text)))


def _begin_of_text(text: str, spans: Sequence[Span]) -> int:
    """Return where the first paragraph begins that is none of these stretches."""
    starts = (
        paragraph.start()
        for paragraph in _PARAGRAPH.finditer(text)
        if not any(span.start <= paragraph.start() and paragraph.end() <= span.end for span in spans)
    )
    return next(starts, len(text))


def _heading_rows(text: str, tables: Sequence[Table]) -> Iterator[Span]:
    """Yield the rows that hold the headings of the columns of a table and nothing more."""
    for columns in dict.fromkeys(table.columns for table in tables):
        words = " ".join(columns).split()
        if sum(map(bool, columns)) > 1:
            between = rf"[\s{re.escape(CELL_BORDER.strip())}]+"
            for row in re.finditer(rf"^[^\S\n]*{between.join(map(re.escape, words))}[^\S\n]*$", text, re.MULTILINE):
                yield Span(*row.span())


def _headings(text: str, sections: Sequence[Section]) -> Iterator[Span]:
    for section in sections:
        words = r"\s+".join(map(re.escape, section.title.split()))
        match = re.compile(rf"\s*(?:{_SHEET})?{words}[^\S\n]*(?:\n|\Z)").match(text, section.start) if words else None
        if match:
            yield Span(*match.span())


def _head(text: str, stretches: Sequence[Span], title: str) -> Iterator[Span]:
    """Yield the lines above the text of a document that name it, its author and its day, each set apart."""
    lines: list[Span] = []
    for paragraph in _PARAGRAPH.finditer(text):
        span, words = Span(*paragraph.span()), paragraph[0].strip()
        if any(part.start <= span.start and span.end <= part.end for part in stretches):
            continue
        is_record = kinds.is_record_of_statement(words) and len(dates_in(words)) == len(sentences(words)) == 1
        if words != title and not is_record and not first_lines.names_a_text(words):
            if first_lines.ends_a_sentence(words):
                yield from lines
            return
        lines.append(span)
