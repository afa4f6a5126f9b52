"""The pages of the handbook as they lie in resources/handbook, with the sections that a reader can go to.

README.md lists the others: its headings of the second level are groups, the links below them the pages, in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from core.paths import RESOURCES

FOLDER = RESOURCES / "handbook"
CONTENTS = "README"  # the page that lists the others
_PAGE_LINK = re.compile(r"([\w-]+)\.md(?:#[\w-]*)?")


@dataclass(frozen=True, slots=True)
class Section:
    """The text under one heading. ``anchor`` is the place to go to, ``text`` the words without their marks."""

    page: str
    anchor: str
    title: str
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """A page. ``name`` is its file without the ending, ``group`` the heading in the contents, '' for these."""

    name: str
    title: str
    group: str
    markdown: str
    sections: tuple[Section, ...]


def parser() -> MarkdownIt:
    """Return the parser of the Markdown that the handbook is written in: CommonMark and tables, no HTML."""
    return MarkdownIt("commonmark", {"html": False}).enable("table")


@cache
def pages(folder: Path = FOLDER) -> tuple[Page, ...]:
    """Read the contents, and every page in their order."""
    contents = _read(folder, CONTENTS, "")
    return (contents, *(_read(folder, name, group) for name, group in _listed_pages(contents.markdown)))


def page_named(name: str, folder: Path = FOLDER) -> Page | None:
    """Return the page of that name, in any case, or None."""
    return next((page for page in pages(folder) if page.name.casefold() == name.casefold()), None)


def anchor_of(title: str, earlier: Sequence[str] = ()) -> str:
    """Return the anchor of a heading, as Markdown is commonly published; numbered if it is among those ``earlier``."""
    slug = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
    numbered = (f"{slug}-{number}" for number in range(1, len(earlier) + 1))
    return slug if slug not in earlier else next(anchor for anchor in numbered if anchor not in earlier)


def plain_text(token: Token) -> str:
    """Return the words of an inline token without marks, links and pictures."""
    return "".join(
        " " if child.type in ("softbreak", "hardbreak") else child.content
        for child in token.children or ()
        if child.type in ("text", "code_inline", "softbreak", "hardbreak")
    )


def _read(folder: Path, name: str, group: str) -> Page:
    markdown = (folder / f"{name}.md").read_text("utf-8")
    sections = tuple(_sections(name, parser().parse(markdown)))
    return Page(name, sections[0].title, group, markdown, sections)


def _sections(page: str, tokens: Sequence[Token]) -> Iterator[Section]:
    anchors: list[str] = []
    title, level, words = "", 0, list[str]()
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            if level:
                yield Section(page, anchors[-1], title, level, " ".join(words))
            title, level, words = plain_text(tokens[index + 1]), int(token.tag[1]), []
            anchors.append(anchor_of(title, anchors))
        elif token.type in ("fence", "code_block"):
            words.append(token.content.strip())
        elif token.type == "inline" and tokens[index - 1].type != "heading_open":
            words.append(plain_text(token))
    yield Section(page, anchors[-1], title, level, " ".join(words))


def _listed_pages(markdown: str) -> Iterator[tuple[str, str]]:
    """Yield each page that the contents link to, with the heading above the link."""
    group = ""
    tokens = parser().parse(markdown)
    for index, token in enumerate(tokens):
        if token.type != "inline":
            continue
        if tokens[index - 1].type == "heading_open":
            group = plain_text(token)
        for child in token.children or ():
            link = _PAGE_LINK.fullmatch(str(child.attrGet("href"))) if child.type == "link_open" else None
            if link is not None:
                yield link[1], group
