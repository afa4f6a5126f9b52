"""Quotes that say the same in nearly the same words. Nothing is dropped: a later one is marked with the earlier one."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz, process, utils

from core.domain import Quote

# Of 100: word-order-free similarity of normalised quotes at which they count as the same words. A changed figure or
# name still scores above this in a long sentence, which is right: near copies are what the mark is for.
SAME_WORDS = 90.0


def possible_duplicates(quotes: Sequence[Quote], known: Sequence[tuple[str, Quote]]) -> list[str | None]:
    """For each quote the id of the first entry of ``known`` (id, quote) with nearly the same words, or None.

    The same span of the same page is no duplicate: one passage may bear on several hypotheses.
    """
    prepared = [utils.default_process(quote.text) for _, quote in known]
    found: list[str | None] = []
    for quote in quotes:
        alike = process.extract(
            utils.default_process(quote.text),
            prepared,
            scorer=fuzz.token_sort_ratio,
            processor=None,
            score_cutoff=SAME_WORDS,
            limit=None,
        )
        others = [at for _, _, at in alike if _place(known[at][1]) != _place(quote)]
        found.append(known[min(others)][0] if others else None)
    return found


def _place(quote: Quote) -> tuple[int, int, int]:
    return quote.page_id, quote.start, quote.end
