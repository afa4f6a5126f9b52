"""A whole report ready to be shown: its title, the line below it, and the sections that it has.

People choose sections; what a reader must know before relying on the result is never left out, and what is left out
is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.report.blocks import Para, Section, Table
from core.report.data import ReportData
from core.report.rows import as_of, document_count
from core.report.short_form import short_sections
from core.report.story import sections
from core.report.wording import count, moment
from core.report_settings import SECTIONS
from core.text import and_list

SHORT = (
    "This is the short form. The full report has the whole matrix, every piece of evidence with its hashes, what was "
    "searched, who decided what, and the documents."
)
NAMED = 3  # people, in the line below the title


@dataclass(frozen=True, slots=True)
class Entry:
    """A section that a report can have. ``is_fixed``: it cannot be left out."""

    id: str
    title: str
    is_shown: bool
    is_fixed: bool


@dataclass(frozen=True, slots=True)
class Story:
    """A whole report ready to be printed: title, line below it, sections; ``marking`` is on every page.

    ``outline`` lists the sections that it could have, in their order.
    """

    title: str
    subtitle: str
    sections: tuple[Section, ...] = ()
    author: str = ""
    marking: str = ""
    outline: tuple[Entry, ...] = ()


def tell(data: ReportData, *, figures_of: Sequence[str] = (), most: int | None = None) -> Story:
    """Return ``data`` as a story from beginning to end; see ``story.sections``."""
    options = data.settings.report
    every = _every(data, figures_of=figures_of, most=most)
    omissions = set(options.omissions) & set(SECTIONS)
    present = [section for section in every if section.id not in omissions]
    if "evidence" in omissions:
        present = [_unlinked(section) for section in present]
    return Story(
        title=data.title or "Untitled case",
        subtitle=subtitle(data),
        sections=tuple(
            replace(section, blocks=(*section.blocks, *remarks(data, every)))
            if section.id == "bottom-line"
            else section
            for section in present
        ),
        author=options.author,
        marking=options.marking,
        outline=tuple(Entry(s.id, s.title, s.id not in omissions, s.id not in SECTIONS) for s in every),
    )


def _unlinked(section: Section) -> Section:
    """Return a section whose tables lead nowhere."""
    blocks = (replace(block, anchors=()) if isinstance(block, Table) else block for block in section.blocks)
    return replace(section, blocks=tuple(blocks))


def _every(data: ReportData, *, figures_of: Sequence[str] = (), most: int | None = None) -> list[Section]:
    return short_sections(data) if data.short else sections(data, figures_of=figures_of, most=most)


def remarks(data: ReportData, every: Sequence[Section] | None = None) -> list[Para]:
    """Return what this report does not have; ``every`` are the sections that it could have."""
    paragraphs = [Para(SHORT, "quiet")] if data.short else []
    if not data.settings.report.omissions:
        return paragraphs
    every = _every(data) if every is None else every
    if titles := [f"“{s.title}”" for s in every if s.id in set(SECTIONS) & set(data.settings.report.omissions)]:
        paragraphs.append(Para(f"Left out of this report: {and_list(titles)}.", "quiet"))
    return paragraphs


def subtitle(data: ReportData) -> str:
    """Put author, analysts, time, program and size of the case in one line."""
    author, names = data.settings.report.author, raters(data)
    parts_of_line = [
        *([f"By {author}"] if author else []),
        *([f"Rated by {names}"] if names not in ("", author) else []),
        as_of(data) or moment(data.generated_at),
        data.program,
        f"{count(len(data.hypotheses), 'hypothesis', 'hypotheses')}, "
        f"{count(len(data.matrix.rows), 'piece', 'pieces')} of evidence, {document_count(data)}",
    ]
    return " · ".join(parts_of_line)


def raters(data: ReportData) -> str:
    """Name the people whose ratings the matrix shows, the one with the most first; '' where it shows one person's."""
    if data.view != "group":
        return ""
    names = [name for name, _ in Counter(rating.by for rating in data.assessments if rating.by).most_common()]
    more = len(names) - NAMED
    return and_list(names if more <= 0 else [*names[:NAMED], count(more, "other", "others")])
