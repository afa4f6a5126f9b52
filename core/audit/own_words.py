"""The case's own words: those of its current report and of its hypotheses. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_RUN = 4  # words in a row that must be among them
_UNSEEN = re.compile(r"[\u200b-\u200d\u2060\ufeff\u00ad]")


@dataclass(frozen=True, slots=True)
class OwnWords:
    """The words of texts, as one line and as runs of a few words."""

    line: str
    runs: frozenset[tuple[str, ...]]
    letters: str  # the same without a gap, for words that a narrow column has broken

    @classmethod
    def of(cls, texts: Sequence[str]) -> OwnWords:
        """Read the words of some texts."""
        lists = [_words(text) for text in texts]
        runs = frozenset(run for words in lists for run in _runs(words))
        letters = "|".join("".join(words) for words in lists)
        return cls(" | ".join(["", *(" ".join(words) for words in lists), ""]), runs, letters)

    def has(self, text: str) -> bool:
        """Return whether every run of a few words of a text is among them, or every cell of a row."""
        words = _words(text)
        if len(words) < _RUN:
            return bool(words) and f" {' '.join(words)} " in self.line
        if all(run in self.runs for run in _runs(words)):
            return True
        return all(self._has_piece(piece) for piece in re.split(r"[…\t;]", text))

    def _has_piece(self, piece: str) -> bool:
        """Return whether a cell of a table is among them: its words, or its heading and its value."""
        heading, _, value = piece.partition(": ")
        joined, *parts = ("".join(_words(text)) for text in (piece, heading, value))
        return joined in self.letters or all(part in self.letters for part in parts)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in re.findall(r"\w+", _UNSEEN.sub("", text))]


def _runs(words: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(words[start : start + _RUN]) for start in range(len(words) - _RUN + 1)}
