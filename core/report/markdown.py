"""The report as Markdown (CommonMark with tables). No HTML from the case, no link, no picture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.report.blocks import Block, Figure, Para, Points, Quote, Sub, Table, Terms
from core.report.data import ReportData, without_places
from core.report.outline import tell
from core.report.wording import ID_BEHIND, plain

_SPECIAL = re.compile(r"([\\`*_{}\[\]#|~!^$])")
_START = re.compile(r"^(\s*)(?:([-+=])|(\d+)([.)]))")


def escape_line(text: str, *, starts: bool = True) -> str:
    """``text`` so that Markdown shows it letter for letter; line ends become spaces. ``starts``: it begins a line."""
    line = " ".join(plain(ID_BEHIND.sub(r" \1", text)).split("\n"))
    line = _SPECIAL.sub(r"\\\1", line).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # An address that is not marked up would still become a link.
    line = line.replace("://", ":\\/\\/").replace("www.", "www\\.")
    if not starts:
        return line
    return _START.sub(
        lambda match: f"{match[1]}\\{match[2]}" if match[2] else f"{match[1]}{match[3]}\\{match[4]}", line
    )


def render_markdown(data: ReportData) -> bytes:
    """Write the whole story; the same bytes for the same data."""
    story = tell(without_places(data))
    marking = [f"**{escape_line(story.marking)}**", ""] if story.marking else []
    lines = [*marking, f"# {escape_line(story.title)}", "", escape_line(story.subtitle), ""]
    for section in story.sections:
        lines += [f"## {escape_line(section.title)}", ""]
        for block in section.blocks:
            lines += [*_block(block), ""]
    lines += marking
    while lines[-1] == "":
        lines.pop()
    return ("\n".join(lines) + "\n").encode("utf-8")


def _block(block: Block) -> Iterator[str]:
    match block:
        case Para(text, tone):
            paragraph = escape_line(text)
            yield f"**{paragraph}**" if tone in ("lead", "strong") and paragraph else paragraph
        case Sub(text):
            yield f"### {escape_line(text)}"
        case Points(items):
            yield from (f"- {escape_line(item)}" for item in items)
        case Terms(pairs):
            yield from (f"- **{escape_line(term)}**: {_lines(words)}" for term, words in pairs)
        case Quote(text):
            yield from (f"> {escape_line(line)}" for line in plain(text).split("\n"))
        case Table(_, columns, rows):
            yield _row([escape_line(column.title, starts=False) if column.title else " " for column in columns])
            yield _row(["---:" if c.look == "num" else ":---:" if c.look == "cell" else "---" for c in columns])
            yield from (_row([_lines(cell) for cell in row]) for row in rows)
        case Figure():
            return


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _lines(text: str) -> str:
    """Write several lines in one: the only tag this form writes."""
    return "<br>".join(escape_line(line, starts=False) for line in plain(text).split("\n"))
