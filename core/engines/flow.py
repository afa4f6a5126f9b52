"""Flowing text on its way to pages: gaps between blocks, cells of tables, hidden spans, notes at the foot."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.domain import PageText
from core.engines import plain

Spans = list[tuple[int, int]]


@dataclass(slots=True)
class Flow:
    """Text that is written piece by piece. Gaps wait until something follows, and the strongest of them counts.

    ``cell`` is the depth of table cells in hand: in a cell every gap is a blank, so that a row stays a line.
    """

    cell: int = 0
    _done: list[tuple[str, Spans, str]] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)
    _length: int = 0
    _gap: str = ""
    _hidden: Spans = field(default_factory=list)
    _aside: list[tuple[str, bool]] = field(default_factory=list)  # notes and comments of the page in hand

    def write(self, text: str, *, hidden: bool = False) -> None:
        if not text:
            return
        if self._gap and self._parts:
            self._parts.append(self._gap)
            self._length += len(self._gap)
        self._gap = ""
        text = plain.clean(text).replace("\f", "\n")
        if self.cell:
            text = text.replace("\n", " ").replace("\t", " ")
        if hidden:
            start = self._length
            if self._hidden and self._hidden[-1][1] == start:
                start = self._hidden.pop()[0]
            self._hidden.append((start, self._length + len(text)))
        self._parts.append(text)
        self._length += len(text)

    def gap(self, gap: str) -> None:
        if self.cell:
            gap = " "
        held = self._gap.rstrip("\t") or self._gap[:1]
        if plain.GAPS.index(gap) > plain.GAPS.index(held):
            self._gap = gap

    def next_cell(self) -> None:
        """The border between two cells of the outermost table: an empty cell leaves its tab, so columns stay."""
        self._gap = self._gap.rstrip(" ") + "\t" if self._parts else ""

    def end_row(self) -> None:
        if not self.cell and not self._gap.startswith("\n"):
            self._gap = "\n"
        else:
            self.gap("\n")

    def aside(self, text: str, *, hidden: bool = False) -> None:
        """A note that belongs to this page, written at its end."""
        if text.strip():
            self._aside.append((text, hidden))

    def end_page(self, label: str = "") -> None:
        cell, self.cell = self.cell, 0
        for note, hidden in self._aside:
            self._gap = "\n\n"
            self.write(note, hidden=hidden)
        self.cell = cell
        self._aside = []
        self._done.append(("".join(self._parts), self._hidden, label))
        self._parts, self._length, self._gap, self._hidden = [], 0, "", []

    @property
    def empty(self) -> bool:
        """Whether nothing stands on the page in hand."""
        return not self._parts and not self._aside

    @property
    def started(self) -> bool:
        return bool(self._parts or self._done)

    def pages(self) -> list[PageText]:
        """The finished pages; one that is too long is cut into parts."""
        return [page for text, hidden, label in self._done for page in _cut(text, hidden, label)]

    def text(self) -> str:
        """What was written since the last page end, for a note that is put elsewhere."""
        return "".join(self._parts)


def numbered(pages: list[PageText]) -> list[PageText]:
    """The same pages, counted from 1."""
    return [
        PageText(number, page.text, source=page.source, label=page.label, hidden=page.hidden)
        for number, page in enumerate(pages, start=1)
    ]


def page(number: int, text: str, hidden: Spans, label: str = "") -> PageText:
    source = "embedded" if text.strip() else "none"
    spans = plain.merged([span for span in hidden if span[1] > span[0]] + list(plain.unseen(text)))
    return PageText(number, text, source=source, label=label[:200], hidden=spans)


def _cut(text: str, hidden: Spans, label: str) -> list[PageText]:
    if len(text) <= plain.PAGE:
        return [page(1, text, hidden, label)]
    result, at = [], 0
    for part in plain.pages(text):
        end = at + len(part.text)
        mine = [(max(s, at) - at, min(e, end) - at) for s, e in hidden if s < end and e > at]
        result.append(page(1, part.text, mine, f"{label}, {part.label}" if label else part.label))
        at = end
    return result
