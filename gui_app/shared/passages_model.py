"""Passages that answer a query, as a list; what is said of their confidence and which words of them are marked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt

from core.domain import Passage
from core.language import lexicon
from core.search.passages import ranks_of, short
from core.search.ranking import ALONE, ANSWERS, HIGH_RANK, HIGH_SIMILARITY, MEDIUM_RANK, MEDIUM_SIMILARITY
from gui_app.shared.table_models import ListRows

Index = QModelIndex | QPersistentModelIndex

COPIES = int(Qt.ItemDataRole.UserRole) + 1  # the passages that say the same elsewhere
FRESH = COPIES + 1  # whether its document came after the search was kept

_LITTLE = lexicon.words_of("en", "unmarked")


def words_of(query: str) -> list[str]:
    """List the words of a query that are worth marking: not the little ones that are everywhere."""
    return [word for word in re.findall(r"\w+", query.casefold()) if len(word) > 2 and word not in _LITTLE]


def marks(query: str, text: str) -> list[tuple[int, int]]:
    """Find where words of ``query`` are in ``text``, whole or as the start of a longer form (account, accounts)."""
    spans = []
    for word in words_of(query):
        ending = r"\w{0,3}\b" if len(word) > 3 else r"\b"
        spans += [match.span() for match in re.finditer(rf"\b{re.escape(word)}{ending}", text, re.IGNORECASE)]
    return spans


def first_shown(spans: Sequence[tuple[int, int]], text: str, room: int) -> int:
    """Return where a snippet of ``room`` characters has to begin for most of ``spans``, with them in its middle."""
    if len(text) <= room or not spans:
        return 0
    starts = sorted(start for start, _ in spans)
    first = max(
        starts, key=lambda start: (sum(start <= other_start < start + room * 2 // 3 for other_start in starts), -start)
    )
    cluster = [start for start in starts if first <= start < first + room * 2 // 3]
    begin = (cluster[0] + cluster[-1]) // 2 - room // 2
    if begin <= 0:
        return 0
    begin = min(begin, len(text) - room, cluster[0])
    border = text.rfind(" ", 0, begin) + 1
    return border if begin - border < room // 4 else begin


def ranks(passage: Passage) -> str:
    """Return how each way of searching ranked it: 'meaning 3 · words 1 · similarity .62'."""
    return " · ".join(ranks_of(passage))


def is_ranked(passage: Passage) -> bool:
    """Return whether any way of searching ranked it; not so where only conditions were asked for."""
    return bool(ranks(passage))


def why(passage: Passage) -> str:
    """Return what its confidence rests on, in sentences; see core.search.ranking.confidence."""
    if not is_ranked(passage):
        return "It meets the conditions. It is not ranked: there were no words to rank it by."
    meaning, words, near = passage.vector_rank, passage.lexical_rank, passage.similarity
    text = f"{passage.confidence.capitalize()} confidence. "
    text += f"Rank {meaning} by meaning, " if meaning is not None else "Not among the first by meaning, "
    text += f"{words} by words" if words is not None else "not among the first by words"
    text += f"; its similarity is {short(near)}. " if near is not None else ". "
    if passage.foreign:
        return f"{text}It is in another language than the query, so only its similarity counts."
    if passage.confidence == "high":
        return f"{text}Both ways have it among their first {HIGH_RANK}, at {short(HIGH_SIMILARITY)} or more."
    if near is None:
        return f"{text}Its similarity is not known, so only the words count."
    if not passage.trusted:
        consequence = "so only the words count." if passage.confidence == "medium" else "and its words rank lower."
        return f"{text}Similarity was not calibrated for this search model or language, {consequence}"
    if passage.confidence == "medium":
        if near >= ALONE:
            return f"{text}At {short(ALONE)} or more it is very close, whatever the words say."
        if near < MEDIUM_SIMILARITY or None in (meaning, words) or max(meaning or 0, words or 0) > MEDIUM_RANK:
            return f"{text}It has the words exactly as they were searched for."
        return f"{text}Both ways have it among their first {MEDIUM_RANK}, at {short(MEDIUM_SIMILARITY)} or more."
    if near >= ANSWERS:
        return f"{text}Close enough to be about the query, but the two ways do not agree on it."
    return f"{text}Nothing shows that it is about the query; it is only the nearest passage."


class PassagesModel(ListRows):
    """One row a passage, best first. UserRole gives the Passage, COPIES its copies, FRESH whether it is new."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.copies: Mapping[int, tuple[Passage, ...]] = {}
        self._fresh: frozenset[str] = frozenset()

    def show(
        self,
        rows: Sequence[Passage],
        copies: Mapping[int, tuple[Passage, ...]] | None = None,
        *,
        fresh: frozenset[str] = frozenset(),
    ) -> None:
        """Show these passages; ``fresh`` are the documents that came after the search was kept."""
        self.copies = copies or {}
        self._fresh = fresh
        super().show(rows)

    def role_data(self, row: Passage, index: int, role: int) -> Any:
        """Return what a row has to say of its passage."""
        return passage_data(row, self.copies.get(row.chunk, ()), role, fresh=row.document in self._fresh)


def passage_data(row: Passage, copies: Sequence[Passage], role: int, *, fresh: bool = False) -> Any:
    """Return what a row of a view has to say of a passage."""
    if role == Qt.ItemDataRole.DisplayRole:
        return row.text
    if role == Qt.ItemDataRole.AccessibleTextRole:
        sure = f", confidence {row.confidence}" if is_ranked(row) else ""
        new = ", new since the search was saved" if fresh else ""
        also = f" Also in {', '.join(f'{copy.label}, page {copy.page}' for copy in copies)}." if copies else ""
        return f"{row.rank}. {row.name}, page {row.page}{sure}{new}: {row.text}{also}"
    if role == Qt.ItemDataRole.ToolTipRole:
        return why(row)
    if role == Qt.ItemDataRole.UserRole:
        return row
    if role == COPIES:
        return tuple(copies)
    if role == FRESH:
        return fresh
    return None
