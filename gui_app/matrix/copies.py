"""Rows that are copies of each other, shown as one row: which they are, and what the one row says for all of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from core.documents.copies import near_identical
from gui_app.matrix.grid_model import SUGGESTED, Sheet, is_decided


@dataclass(frozen=True, slots=True)
class Folds:
    """Groups of copies by the row that stands for them, as numbers in the sheet.

    ``closed_groups`` are those of which that row alone is shown, ``open_groups`` those whose copies are below it.
    """

    closed_groups: dict[int, tuple[int, ...]] = field(default_factory=dict)
    open_groups: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def members(self, row: int) -> tuple[int, ...]:
        """Return the rows that a shown row stands for, itself first."""
        return self.closed_groups.get(row, (row,))

    def head_of(self, row: int) -> int:
        """Return the shown row that stands for a row."""
        return next((head for head, rows in self.closed_groups.items() if row in rows), row)

    def count_hidden(self) -> int:
        """Count the rows that are not shown for themselves."""
        return sum(len(rows) - 1 for rows in self.closed_groups.values())


def groups(sheet: Sheet) -> list[tuple[int, ...]]:
    """List the rows that share a source and say the same, or nearly: groups of two and more, in the order of ids."""
    by_cluster: dict[str, list[int]] = {}
    for row in range(len(sheet.rows)):
        cluster = sheet.cluster(row)
        if cluster:
            by_cluster.setdefault(cluster, []).append(row)
    alike_rows = (
        tuple(rows[index] for index in alike)
        for rows in by_cluster.values()
        for alike in _near_identical(tuple(sheet.rows[row].text for row in rows))
    )
    return sorted(group for group in alike_rows if len(group) > 1)


@lru_cache(256)
def _near_identical(texts: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    """Group texts once, not after every rating."""
    return tuple(map(tuple, near_identical(texts)))


def agree(sheet: Sheet, rows: Sequence[int]) -> bool:
    """Return whether people rated no two of these rows differently: only then can one row say it for all."""
    for h in range(sheet.width):
        codes = {sheet.codes[row * sheet.width + h] for row in rows}
        if sum(map(is_decided, codes)) > 1:
            return False
    return True


def fold(sheet: Sheet, order: Sequence[int], open_heads: Collection[str]) -> tuple[list[int], Folds]:
    """Return the order with copies folded into the first of them that is shown, and the groups.

    Copies of a row in ``open_heads`` (ids) are moved below it. Rows that are rated differently stay as they are.
    """
    place_of = {row: place for place, row in enumerate(order)}
    closed_groups: dict[int, tuple[int, ...]] = {}
    open_groups: dict[int, tuple[int, ...]] = {}
    for group in groups(sheet):
        rows = sorted((row for row in group if row in place_of), key=place_of.__getitem__)
        if len(rows) < 2 or not agree(sheet, rows):
            continue
        is_open = any(sheet.rows[row].id in open_heads for row in rows)
        (open_groups if is_open else closed_groups)[rows[0]] = tuple(rows)
    away = {row for rows in (*closed_groups.values(), *open_groups.values()) for row in rows[1:]}
    new_order = []
    for row in order:
        if row not in away:
            new_order += [row, *open_groups.get(row, (row,))[1:]]
    return new_order, Folds(closed_groups, open_groups)


def code_of(sheet: Sheet, rows: Sequence[int], h: int) -> int:
    """Return the code of a cell that stands for several rows.

    A rating that some of them have and others lack is a suggestion for all until it is confirmed.
    """
    codes = [sheet.codes[row * sheet.width + h] for row in rows]
    rating = next(filter(is_decided, codes), 0)
    if rating:
        return rating if all(map(is_decided, codes)) else rating + SUGGESTED
    return next(filter(None, codes), 0)
