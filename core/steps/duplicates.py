"""Quotes that say the same in nearly the same words. Nothing is dropped: a later one is marked with the earlier one."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz, process, utils

# Of 100: word-order-free similarity of normalised quotes at which they count as the same words. A changed figure or
# name still scores above this in a long sentence, which is right: near copies are what the mark is for.
SAME_WORDS = 90.0


def possible_duplicates(quotes: Sequence[str], known: Sequence[tuple[str, str]]) -> list[str | None]:
    """For each quote the id of the first entry of ``known`` (id, quote) with nearly the same words, or None."""
    prepared = [utils.default_process(text) for _, text in known]
    found: list[str | None] = []
    for quote in quotes:
        best = process.extractOne(
            utils.default_process(quote),
            prepared,
            scorer=fuzz.token_sort_ratio,
            processor=None,
            score_cutoff=SAME_WORDS,
        )
        found.append(known[best[2]][0] if best else None)
    return found
