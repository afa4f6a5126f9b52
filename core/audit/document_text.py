"""Paragraphs and sentences of a report, from pages that a reader in a child process read. Pure.

Invisible text is not read: the reader marks deletions of tracked changes as hidden, and leaves insertions in. The dots
of a citation end no sentence, and a citation begins none: it belongs to the text before it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.audit import citations
from core.domain import PageText, Span
from core.text import CELL_BORDER, DIGITS, blocks, sentences

Kind = Literal["text", "heading", "quote", "item", "row", "note", "comment", "furniture"]

_ATX = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+")
_UNDERLINE = re.compile(r"[ \t]{0,3}(?:=+|-{3,})[ \t]*$")
_QUOTE = re.compile(r"[ \t]{0,3}>[ \t]?")
_ITEM = re.compile(r"[ \t]*(?:[-*+•‣▪▫●○◦■□–—]|\(?(?:\d{1,3}|[a-zA-Z])[.)])[ \t]+")
_RULE_ROW = re.compile(r"[ \t]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|?)+[ \t]*$")
_DRESS = re.compile(r"(?<![\\\w])(\*{1,3}|_{1,3}|`+)(?=\S)(.+?)(?<=[^\s\\])\1(?!\w)")
_LINK = re.compile(r"!?\[([^\]\n^]*)\]\(([^)\s]*)(?:\s[^)]*)?\)")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|~^$<>/=:])")
_NOTE = re.compile(r"\[\^(?P<mark>[^\]\s]{1,20})\]:[ \t]*|(?P<kind>Footnote|Endnote): ?")
_DESCRIPTION = re.compile(r"\[(?:table|picture): [^\]]*\]")  # what an office file says of one, in its place
_NOTE_LINE = re.compile(r"\n(?=\[\^[^\]\s]{1,20}\]:)")
_COMMENT = re.compile(r"Comment(?: by [^:\n]{1,80})?: ")
_CLOSED = re.compile(r"[.!?…:;,。！？]['\"”’»)\]]*(?:\s*[\d\u00b9\u00b2\u00b3\u2070-\u2079]{1,3})?$")
_LONGEST_TITLE = 70
_LONGEST_HEADING = 120
_UNSEEN = re.compile(r"[\u200b-\u200d\u2060\ufeff]")
_FURNITURE = 3  # pages that have a line in the same place, digits ignored, from which it is a running head


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a report: ``number`` from 1 in reading order.

    It is text[start:end] of the paragraph with number ``paragraph``, on ``page`` of the report.
    """

    number: int
    text: str
    page: int
    paragraph: int
    start: int
    end: int
    kind: Kind
    section: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of a report, a line of a list or a row of a table. ``mark`` is that of a note, else ''."""

    number: int
    text: str
    page: int
    kind: Kind
    section: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """A report to be audited. ``deletions`` counts the deletions of tracked changes."""

    paragraphs: tuple[Paragraph, ...]
    sentences: tuple[Sentence, ...]
    deletions: int = 0


def read(pages: Sequence[PageText], *, markdown: bool = False, names: Sequence[str] = ()) -> Report:
    """Split the pages of a report into paragraphs and sentences; ``names`` are those of documents it may cite."""
    paragraphs: list[Paragraph] = []
    deletions, section = 0, ""
    for page in pages:
        text = page.text
        for (start, end), reason in zip(
            page.hidden_spans, page.hidden_why or ("",) * len(page.hidden_spans), strict=False
        ):
            deletions += reason == "unseen" and text.startswith("Deleted", start)
            text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
        titles = {row.start - len(_UNSEEN.findall(text[: row.start])): row.title for row in page.sections}
        text = _UNSEEN.sub("", text)
        rows = _markdown(text) if markdown else _plain(text, titles)
        if not markdown and not paragraphs and len(rows) > 1 and _is_title(*rows[0][:2]):
            rows[0] = ("heading", rows[0][1], "")
        for kind, words, mark in rows:
            if kind == "heading":
                section = words
            paragraphs.append(Paragraph(len(paragraphs) + 1, words, page.number, kind, section, mark))
    paragraphs = _without_furniture(paragraphs)
    return Report(tuple(paragraphs), tuple(_sentences(paragraphs, names)), deletions)


def _without_furniture(paragraphs: Sequence[Paragraph]) -> list[Paragraph]:
    """Mark the running heads and feet: the first and last lines that several pages have, whatever their figures."""
    edges: dict[int, list[Paragraph]] = {}
    for paragraph in paragraphs:
        edges.setdefault(paragraph.page, []).append(paragraph)
    lines: dict[str, set[int]] = {}
    for page, rows in edges.items():
        for paragraph in {*rows[:2], *rows[-2:]}:
            lines.setdefault(DIGITS.sub("#", paragraph.text), set()).add(page)
    at_edge = {id(paragraph) for rows in edges.values() for paragraph in (*rows[:2], *rows[-2:])}
    return [
        replace(paragraph, kind="furniture")
        if id(paragraph) in at_edge and len(lines[DIGITS.sub("#", paragraph.text)]) >= _FURNITURE
        else paragraph
        for paragraph in paragraphs
    ]


def _plain(text: str, titles: dict[int, str]) -> list[tuple[Kind, str, str]]:
    rows: list[tuple[Kind, str, str]] = []
    for block in blocks(text):
        words = text[block.start : block.end]
        is_title = any(block.start <= offset < block.end for offset in titles)
        if is_title and len(words) > _LONGEST_HEADING and "\n" in words:
            title, _, remainder = words.partition("\n")
            rows += [("heading", _line(title), ""), _row(remainder)]
        elif is_title:
            rows.append(("heading", _line(words), ""))
        elif (atx := _ATX.match(words)) and "\n" not in words.strip():
            rows.append(("heading", _line(words[atx.end() :]), ""))
        else:
            rows += map(_row, _NOTE_LINE.split(words))
    return [row for row in rows if row[1]]


def _row(words: str) -> tuple[Kind, str, str]:
    if _DESCRIPTION.fullmatch(words.strip()):
        return "furniture", _line(words), ""
    if note := _NOTE.match(words):
        return "note", _line(words[note.end() :]), note["mark"] or ""
    if _COMMENT.match(words):
        return "comment", _line(words), ""
    if "\t" in words.strip():
        return "row", " \t ".join(_line(cell) for cell in words.split("\t")).strip(), ""
    if CELL_BORDER in words and "\n" not in words:
        return "row", " \t ".join(_line(cell) for cell in words.split(CELL_BORDER)).strip(), ""
    if item := _ITEM.match(words):
        return "item", _line(words[item.end() :]), ""
    line = _line(words)
    return ("heading" if _is_heading(line) else "text"), line, ""


def _is_title(kind: Kind, line: str) -> bool:
    """Return whether the first lines of a text read as its title: short, and without a full stop."""
    return kind == "text" and len(line) <= _LONGEST_TITLE and _CLOSED.search(line) is None


def _is_heading(line: str) -> bool:
    """Return whether a line reads as a title: short, without a full stop, few function words."""
    if len(line) > _LONGEST_TITLE or _CLOSED.search(line) or not re.search(r"[^\W\d_]", line):
        return False
    words = re.findall(r"[^\W\d_]+", line)
    small = [word for word in words if word.islower() and len(word) > 3]
    return line.isupper() or (line[0].isupper() and not small and len(words) <= 10) or len(words) <= 2


def _markdown(text: str) -> list[tuple[Kind, str, str]]:
    """Read Markdown line by line, as the paragraphs that it shows."""
    rows: list[tuple[Kind, str, str]] = []
    kind: Kind = "text"
    open_lines: list[str] = []
    mark = ""
    is_code = False

    def close() -> None:
        nonlocal open_lines, mark
        words = _line(" ".join(open_lines))
        if words:
            rows.append((kind, words, mark))
        open_lines, mark = [], ""

    lines = text.replace("\f", "\n").split("\n")
    for index, line in enumerate(lines):
        stripped = line.strip()
        if stripped.startswith(("```", "~~~")):
            close()
            is_code = not is_code
            continue
        if not stripped or _RULE_ROW.fullmatch(line):
            if stripped and open_lines and kind == "text" and _UNDERLINE.fullmatch(line) and "|" not in stripped:
                kind = "heading"
            close()
            kind = "text"
            continue
        if is_code:
            open_lines.append(line)
            continue
        if heading := _ATX.match(line):
            close()
            rows.append(("heading", _undress(re.sub(r"[ \t]+#+$", "", line[heading.end() :])), ""))
            kind = "text"
            continue
        is_row = not open_lines and CELL_BORDER in stripped  # as tables are read
        if is_row or stripped.startswith("|"):
            close()
            cells = stripped.split(CELL_BORDER) if is_row else re.split(r"(?<!\\)\|", stripped.strip("|"))
            rows.append(("row", " \t ".join(_undress(cell).strip() for cell in cells).strip(), ""))
            continue
        quote, note, item = _QUOTE.match(line), _NOTE.match(stripped), _ITEM.match(line)
        if quote:
            if kind != "quote":
                close()
            kind = "quote"
            open_lines.append(_undress(line[quote.end() :]))
        elif note:
            close()
            kind, mark = "note", note["mark"] or ""
            open_lines.append(_undress(stripped[note.end() :]))
        elif item:
            close()
            kind = "item"
            open_lines.append(_undress(line[item.end() :]))
        else:
            if kind == "quote" and not open_lines:
                kind = "text"
            open_lines.append(_undress(line))
        next_line = lines[index + 1] if index + 1 < len(lines) else ""
        if kind == "quote" and not _QUOTE.match(next_line):
            close()
            kind = "text"
    close()
    return [row for row in rows if row[1]]


def _undress(line: str) -> str:
    line = re.sub(r"<br\s*/?>", " ", line)
    line = _LINK.sub(
        lambda match: match[1] if not match[2] or match[1] == match[2] else f"{match[1]} ({match[2]})", line
    )
    for _ in range(2):
        line = _DRESS.sub(r"\2", line)
    return html.unescape(_ESCAPE.sub(r"\1", line))


def _line(text: str) -> str:
    """Put text on one line, and join words that are broken at line ends."""
    text = re.sub(r"(?<=[^\W\d_])[-\u00ad]\n\s*(?=[a-z])", "", text).replace("\u00ad", "")
    return " ".join(text.split())


def _sentences(paragraphs: Sequence[Paragraph], names: Sequence[str]) -> list[Sentence]:
    result: list[Sentence] = []
    for paragraph in paragraphs:
        for span in (
            split(paragraph.text, names)
            if paragraph.kind not in ("heading", "row", "furniture")
            else [Span(0, len(paragraph.text))]
        ):
            result.append(
                Sentence(
                    len(result) + 1,
                    paragraph.text[span.start : span.end],
                    paragraph.page,
                    paragraph.number,
                    span.start,
                    span.end,
                    paragraph.kind,
                    paragraph.section,
                )
            )
    return result


def split(text: str, names: Sequence[str] = ()) -> list[Span]:
    """Split a paragraph into sentences that neither end inside a citation nor begin with one."""
    mentions = citations.find(text, names)
    masked = text
    for row in mentions:
        masked = masked[: row.start] + _without_stops(text[row.start : row.end]) + masked[row.end :]
    spans: list[Span] = []
    for span in sentences(masked):
        start = span.start
        while spans and (mention := next((m for m in mentions if m.start == start and m.trails), None)) is not None:
            end = mention.end
            while end < span.end and text[end] in " .;,":
                end += 1
            spans[-1] = Span(spans[-1].start, min(span.end, _rstrip(text, spans[-1].start, end)))
            start = end
        while start < span.end and text[start].isspace():
            start += 1
        if start < span.end:
            spans.append(Span(start, span.end))
    return spans


def _without_stops(text: str) -> str:
    return re.sub(r"[.!?…]", "_", text)


def _rstrip(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end
