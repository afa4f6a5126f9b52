"""Where the words of a page stand, and which of them a person points at. Pure geometry in points, no widget."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF

from core.domain import Label, Word

SPACE = 1.2  # line heights: the widest gap that is marked as a space between words


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of the page's text that is shown marked: ``text[start:end]``, what it says, and for which hypotheses.

    ``is_decided`` marks what a person took into the matrix; anything else is the machine's suggestion. ``stances`` has
    one entry for each hypothesis; ``from_before`` and ``goes_on`` say that the quote began on the page before, or goes
    on over the page break.
    """

    start: int
    end: int
    stance: Label | None = None
    letters: str = ""
    is_decided: bool = False
    about: str = ""
    stances: tuple[tuple[str, Label | None], ...] = ()
    from_before: bool = False
    goes_on: bool = False


class PageWords:
    """The words of a page, found by their offsets without looking at each: a page may have ten thousand."""

    def __init__(self, words: Sequence[Word] = ()) -> None:
        self.all = words
        starts = [word.start for word in words]
        self._starts = starts if all(a <= b for a, b in pairwise(starts)) else None

    def within(self, start: int, end: int) -> Sequence[Word]:
        """Return the words that share at least one character with text[start:end]."""
        if end <= start:
            return ()
        if self._starts is None:
            return [word for word in self.all if word.start < end and word.end > start]
        first = bisect_left(self._starts, start)
        # Words do not overlap, so only the one before can reach into the stretch.
        if first and self.all[first - 1].end > start:
            first -= 1
        return self.all[first : bisect_left(self._starts, end)]


def lines(words: Sequence[Word]) -> list[QRectF]:
    """Join words to one rectangle a line: neighbours whose boxes overlap in height by half are one line."""
    boxes: list[QRectF] = []
    for word in words:
        box = QRectF(word.x0, word.y0, word.x1 - word.x0, word.y1 - word.y0)
        if box.width() <= 0 or box.height() <= 0:
            continue
        if boxes:
            last = boxes[-1]
            overlap = min(last.bottom(), box.bottom()) - max(last.top(), box.top())
            # A wider gap is another column or cell, not a space between words.
            near = -box.height() <= box.left() - last.right() <= SPACE * box.height()
            if near and overlap >= min(last.height(), box.height()) / 2:
                boxes[-1] = last.united(box)
                continue
        boxes.append(box)
    return boxes


def bounds(words: Sequence[Word]) -> QRectF:
    """Return the rectangle around all of them; empty when there are none."""
    union = QRectF()
    for box in lines(words):
        union = union.united(box)
    return union


def word_at(words: Sequence[Word], point: QPointF, *, reach: float = 24.0) -> int | None:
    """Return the index of the word under ``point``, else of the nearest one within ``reach`` points, else None.

    Distance across lines counts four times, so that pointing past the end of a line means its last word.
    """
    best: int | None = None
    nearest = reach
    x, y = point.x(), point.y()
    for index, word in enumerate(words):
        aside = max(word.x0 - x, 0.0, x - word.x1)
        above = max(word.y0 - y, 0.0, y - word.y1)
        distance = aside + 4 * above
        if distance == 0:
            return index
        if distance < nearest:
            best, nearest = index, distance
    return best


def span(words: Sequence[Word], first: int, last: int) -> tuple[int, int]:
    """Return the offsets from word ``first`` to word ``last``, whichever way round they were picked."""
    run = words[min(first, last) : max(first, last) + 1]
    return min(word.start for word in run), max(word.end for word in run)
