"""The report on one or two pages: the answer, what it depends on, the rows that tell most, and how to check it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.domain import Linchpin
from core.report import background, story
from core.report.blocks import Block, Para, Quote, Section, Sub
from core.report.data import ReportData
from core.report.rows import Item, items, ranking
from core.report.wording import RATING_WORDS, count

MOST_ROWS = 4
MOST_PINS = 4
MOST_CHARACTERS = 1_500  # of all quotes together; the first is whole, however long it is


def short_sections(data: ReportData) -> list[Section]:
    """Build the short report in order; warnings are never shortened."""
    lines, rows = ranking(data), items(data)
    every = [
        *story.opening(data),
        Section("ranking", story.ranking_title(data), tuple(_ranking(data))),
        Section("hangs", "What the conclusion depends on", tuple(_hangs(data, rows)) if lines else ()),
        Section("evidence", "The most diagnostic evidence", tuple(_evidence(rows))),
        Section("check", "How to check this report", tuple(background.steps(data))),
    ]
    return [section for section in every if section.blocks]


def most_diagnostic(rows: Sequence[Item]) -> list[Item]:
    """Return the rows that tell the hypotheses apart best, those with a quote first, one of each shared origin."""
    telling = [item for item in rows if item.row.diagnosticity]
    telling.sort(key=lambda item: (not item.quote, -(item.row.diagnosticity or 0.0)))
    clusters: set[str] = set()
    result: list[Item] = []
    characters = 0
    for item in telling:
        length = len(item.quote or item.heading)
        is_known = bool(item.row.cluster) and item.row.cluster in clusters
        if len(result) == MOST_ROWS or is_known or (result and characters + length > MOST_CHARACTERS):
            continue
        clusters.add(item.row.cluster)
        result.append(item)
        characters += length
    return result


def _ranking(data: ReportData) -> Iterator[Block]:
    yield from story.ranking_table(data, ranking(data), with_notes=False)
    if data.hypotheses and data.matrix.rows and data.robustness:
        yield Para(data.robustness)


def _hangs(data: ReportData, rows: Sequence[Item]) -> Iterator[Block]:
    matrix = data.matrix
    if not matrix.rows or not any(matrix.leaders.values()):
        return
    pins = _smallest(matrix.linchpins)
    total = sum(dict(matrix.linchpin_counts).values()) or len(matrix.linchpins)
    if not pins:
        yield Para("No single piece of evidence and no single step of one rating changes who leads.")
        return
    yield Para(f"{count(total, 'change')} of the matrix would change who leads, each by itself; the smallest first.")
    yield story.pin_table("The smallest changes that change who leads", pins, data, rows)


def _smallest(pins: Sequence[Linchpin]) -> list[Linchpin]:
    """Return the first change of each kind, then the second, up to the most that fit."""
    of: dict[str, list[Linchpin]] = {}
    for pin in pins:
        of.setdefault(pin.change, []).append(pin)
    rounds = max((len(kind) for kind in of.values()), default=0)
    return [kind[index] for index in range(rounds) for kind in of.values() if index < len(kind)][:MOST_PINS]


def _evidence(rows: Sequence[Item]) -> Iterator[Block]:
    for item in most_diagnostic(rows):
        yield Sub(item.name)
        if item.quote:
            yield Quote(item.quote)
        if item.heading != item.origin:
            yield Para(item.heading)
        ratings = "; ".join(
            f"{c.hypothesis} {RATING_WORDS[c.rating]}" if c.rating else f"{c.hypothesis} not rated" for c in item.cells
        )
        yield Para(f"{ratings}. Diagnosticity {item.row.diagnosticity or 0.0:.2f}.", "quiet")
    if rows and not most_diagnostic(rows):
        yield Para("No row that is rated tells the hypotheses apart.", "quiet")
