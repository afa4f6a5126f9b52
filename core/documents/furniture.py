"""Stretches of a page that state nothing: headers of mails, heading rows of tables, titles and bylines. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.documents import first_lines
from core.domain import Section, Span, Table
from core.language.identification import mail_headers
from core.text import CELL_BORDER

_PARAGRAPH = re.compile(r"(?:^[^\S\n]*\S[^\n]*(?:\n|\Z))+", re.MULTILINE)
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
    spans = [*mail_headers(text), *_heading_rows(text, tables)]
    headings = list(_headings(text, sections))
    if is_first:
        spans += _head(text, [*spans, *headings], title)
    above = _begin_of_text(text, [*spans, *headings])
    spans += (span for span in headings if span.start < above or len(text[span.start : span.end].split()) >= short)
    return sorted(spans, key=lambda span: (span.start, span.end))


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
        if words != title and not first_lines.names_a_text(words):
            if first_lines.ends_a_sentence(words):
                yield from lines
            return
        lines.append(span)
