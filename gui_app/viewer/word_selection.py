"""The words picked on a page, by their numbers. No widget lives here."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF

from core.domain import Word
from gui_app.shared.page_geometry import bounds, lines, span


class WordSelection:
    """The words from the one at the ``anchor`` to the last one; ``shape`` is a rectangle a line, in points."""

    def __init__(self) -> None:
        self.words: Sequence[Word] = ()
        self.anchor: int | None = None
        self.ends: tuple[int, int] | None = None  # the anchor first: the other may lie before it
        self.shape: list[QRectF] = []

    def clear(self) -> bool:
        """Pick nothing, and tell whether anything was picked."""
        had_words = self.ends is not None
        self.anchor, self.ends, self.shape = None, None, []
        return had_words

    def pick(self, first: int, last: int) -> None:
        """Pick the words from ``first`` to ``last``, whichever way round."""
        self.ends = (first, last)
        self.shape = lines(self._run())

    def _run(self) -> Sequence[Word]:
        return self.words[min(self.ends) : max(self.ends) + 1] if self.ends is not None else ()

    def offsets(self) -> tuple[int, int] | None:
        """Return the offsets in the text of what is picked."""
        return span(self.words, *self.ends) if self.ends is not None else None

    def rect(self) -> QRectF:
        """Return the rectangle around all of it, in points."""
        return bounds(self._run())

    def within(self, start: int, end: int) -> list[int]:
        """List the words that share a character with text[start:end]."""
        return [index for index, word in enumerate(self.words) if word.start < end and word.end > start]

    def grow(self, step: int, first: int) -> None:
        """Go on by ``step`` words, or begin with the word ``first`` where nothing is picked."""
        if self.ends is None:
            self.anchor = first
            self.pick(first, first)
        else:
            start, last = self.ends
            self.pick(start, min(len(self.words) - 1, max(0, last + step)))

    def first_word(self, offset: int | None, top: float) -> int:
        """Return the word that a selection by key begins with: that at ``offset``, else the first below ``top``."""
        if offset is not None:
            return next((index for index, word in enumerate(self.words) if word.end > offset), 0)
        return next((index for index, word in enumerate(self.words) if word.y0 >= top), 0)
