"""Running lines: heads, feet and page numbers at the edges of a page, which are no part of its text. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

from core.domain import Page, Span
from core.language.lexicon import words_of
from core.text import NEGATIONS

LINE = re.compile(r"[^\n\f]*\S[^\n\f]*")
MAX_LINES = 3  # lines at the top and at the bottom of a page that may be no part of its text
MAX_CHARS = 200  # characters


def edge(text: str, side: int) -> list[str]:
    """List the lines at the top (0) or bottom (-1) of a page, without white space around them."""
    lines = [m.group().strip() for m in LINE.finditer(text)]
    return lines[-MAX_LINES:] if side else lines[:MAX_LINES]


def line_at(text: str, side: int, place: int) -> str:
    """Return the line that is ``place`` lines from the top (0) or bottom (-1) of a page, '' where there is none."""
    lines = edge(text, side)
    return lines[-1 - place if side else place] if place < len(lines) else ""


def bare(line: str) -> str:
    """Strip a line of brackets and dashes around it, to be compared with the label of a page."""
    return line.strip(" -–—[]()").casefold()


NUMBERING = frozenset(("page", "pages", "p", "pp", "pg", "of", "seite", "von", "sheet", "folio"))
CUT_WORD = re.compile(r"[^\W\d_][-\u00ad\u2010\u2011]$")
CLOSES = re.compile(r"[.!?\u2026][\"'\u2019\u201d\u00bb)\]]*$")
OPENS = re.compile(r"[^\w\s]{0,2}[^\W\d_]")
SIGNED = re.compile(r"[-–—−+±][^-–—]*$")
BLANK_LINE = re.compile(r"\n[^\S\n]*\n|\f")

# Words that say how far to believe a sentence, or whether it holds at all: a line with one is no sure running line.
QUALIFYING = words_of("en", "qualifying")


# Words with which a clause begins that says when or whether a sentence holds: a line that begins so is no running line.
OPENING = words_of("en", "opening")


def folded_words(line: str) -> list[str]:
    """List the words of a line in small letters."""
    return re.findall(r"[\w']+", line.casefold())


def reads_on(line: str, *, counts_pages: bool, apart: bool) -> bool:
    """Return whether a line that is the same on pages near by could be words of the sentence around it all the same.

    ``counts_pages``: a number in it counts the pages; ``apart``: a blank line is between it and the text.
    """
    words = re.findall(r"[^\W_]+", line)
    if not words or not any(c.isalpha() for c in line):
        return True
    if apart and (counts_pages or "://" in line or "www." in line):
        return False
    if words[0][0].islower():
        return True
    if apart:
        return words[0][0].isdigit() and len(words) < 3
    if counts_pages:
        return False
    # Without a blank line a name or a date reads on as well as any other words.
    letters = [word for word in words if word[0].isalpha()]
    if line.isupper():
        return len(letters) < 2
    return not words[0][0].isupper() or all(word[0].isupper() for word in letters)


def counts(line: str, other_line: str, apart: int) -> bool:
    """Return whether a number of a line is the one of the same line ``apart`` pages on."""
    return apart in _steps(line, other_line)


def _steps(line: str, other_line: str) -> list[int]:
    """List by how much each number of a line changes to the same line elsewhere."""
    return [
        int(other_number) - int(here)
        for here, other_number in zip(re.findall(r"\d{1,9}", line), re.findall(r"\d{1,9}", other_line), strict=True)
    ]


def is_same_line(line: str, other_line: str, apart: int) -> bool:
    """Return whether a line is that of another page, ``apart`` pages on: its figures are equal or count the pages."""
    if re.split(r"\d+", line) != re.split(r"\d+", other_line):
        return False
    steps = _steps(line, other_line)
    # A bare number that stays the same from page to page is no page number.
    return all(step in (0, apart) for step in steps) and (any(c.isalpha() for c in line) or apart in steps)


def runs(page: Page, line: str, side: int, text_of: Callable[[str, int], str]) -> bool:
    """Return whether a line at the top (0) or bottom (-1) of a page is a running line.

    ``text_of`` gives the text of a page by its document and number, '' where there is none.
    """
    line = line.strip()
    if len(line) > MAX_CHARS or not NEGATIONS.isdisjoint(folded_words(line)):
        return False
    if re.fullmatch(r"\W*(\d+)\W*", line) and int(re.sub(r"\D", "", line)) == page.number:
        return True
    if page.label and bare(line) == page.label.casefold():
        return True
    return any(
        is_same_line(line, other_line, apart)
        for apart in (-2, -1, 1, 2)
        for other_line in edge(text_of(page.document, page.number + apart), side)
    )


def spans(page: Page, text_of: Callable[[str, int], str]) -> list[Span]:
    """List the running lines at the top and the bottom of a page, unless they read as sentences.

    None where there is nothing else on the page.
    """
    lines = [Span(*match.span()) for match in LINE.finditer(page.text)]
    running: list[Span] = []
    for side, order in ((0, lines[:MAX_LINES]), (-1, lines[: -MAX_LINES - 1 : -1])):
        for line in order:
            words = page.text[line.start : line.end].strip()
            if CLOSES.search(words) or not runs(page, words, side, text_of):
                break
            running.append(line)
    return running if len(running) < len(lines) else []
