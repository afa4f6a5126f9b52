"""Statements made of plain sentences, one document each."""

from __future__ import annotations

from core.conflicts.pairs import Rarity
from core.conflicts.statements import PageContent, Statement, statements_in

# So that the words of two sentences under test are rare among others, as they are in a case.
OTHERS = [
    "The gutters of the school in Mill Road ran over during the storm.",
    "A beech hedge along the green will be replanted in October by the council.",
    "Bottled milk was handed out at the harbour by volunteers of the parish.",
    "The library opens its reading room again after the holidays.",
]


def statements(*texts: str, day: str = "") -> list[Statement]:
    pages = [PageContent(f"D{number}", number, 1, text, day) for number, text in enumerate(texts, start=1)]
    return list(statements_in(pages))


def pair(left: str, right: str) -> tuple[Statement, Statement, float]:
    """Two statements of two documents, and how alike they are among others."""
    rows = statements(left, right, *OTHERS)
    return rows[0], rows[1], Rarity(rows).likeness(rows[0], rows[1])
