"""The headings of a Markdown text. The text itself stays as it was written."""

from __future__ import annotations

import re

from core.domain import Section
from core.engines.readers import text_flow

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NO_PARAGRAPH = re.compile(r" {0,3}(?:[-+*>|]|\d{1,9}[.)])|\s*$|    |\t")
_DRESS = re.compile(r"(\*{1,3}|_{2,3}|`+)(?=\S)(.+?)(?<=\S)\1")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")


def sections(text: str) -> tuple[Section, ...]:
    """Find the headings in order: lines that begin with '#', and lines that '===' or '---' underlines."""
    headings: list[Section] = []
    fence = paragraph = ""
    paragraph_start = offset = 0
    front = False  # the block of statements about the file that some begin with
    for number, bare in enumerate(text.replace("\f", "\n").split("\n")):
        start = offset
        offset += len(bare) + 1
        fence_mark = _FENCE.match(bare)
        if number == 0 and bare.rstrip() == "---":
            front = True
        elif front:
            front = bare.rstrip() not in ("---", "...")
        elif fence:
            if fence_mark and fence_mark.group(1).startswith(fence) and not bare.strip().strip(fence[0]):
                fence = ""
        elif fence_mark:
            fence, paragraph = fence_mark.group(1), ""
        elif heading := _ATX.match(bare):
            _add(headings, len(heading.group(1)), heading.group(2) or "", start)
            paragraph = ""
        elif paragraph and (under := _UNDERLINE.match(bare)):
            _add(headings, 1 if under.group(1)[0] == "=" else 2, paragraph, paragraph_start)
            paragraph = ""
        else:
            paragraph, paragraph_start = ("" if _NO_PARAGRAPH.match(bare) else bare), start
    return tuple(headings)


def title(text: str, headings: tuple[Section, ...]) -> str:
    """Return the heading that a text begins with, if it is the only one of its level and none is above it."""
    if not headings or sum(heading.level <= headings[0].level for heading in headings) > 1:
        return ""
    first = headings[0]
    above = re.sub(r"\A---[ \t]*\n.*?^(?:---|\.\.\.)[ \t]*$", "", text[: first.start], flags=re.DOTALL | re.MULTILINE)
    letters, digits = (sum(map(kind, first.title)) for kind in (str.isalpha, str.isdigit))
    return first.title if not above.strip() and letters > digits else ""


def _add(headings: list[Section], level: int, title: str, start: int) -> None:
    title = text_flow.heading_text(_DRESS.sub(r"\2", _LINK.sub(r"\1", title)))
    if title:
        headings.append(Section(level, title, start))
