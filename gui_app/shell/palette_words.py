"""How well what was typed into the palette fits a command: by its own words, and by those that people use for it."""

from __future__ import annotations

from core.language.lexicon import words_of

# What people type -> words that the commands are called by here. The beginning of a key is enough, from three letters.
ALSO = {word: names for word, *names in map(str.split, words_of("en", "command"))}
TO_SCREEN = "Go to "  # how the names of the commands begin that show a screen
LEAST = 3  # letters typed from which other words are tried, and letters in order


def closeness(query: str, title: str, *, exact: bool = False) -> int:
    """Return how well ``title`` fits what was typed, 0: not at all. Every typed word must be found, in any order.

    The start of a word counts most, then a word that means the same, then the inside of a word, then its letters in
    order; of two that fit alike a screen comes first. ``exact``: of a document or another thing of the case, only what
    is in its name counts.
    """
    screen = title.removeprefix(TO_SCREEN)
    words = (screen if screen == title else f"{screen} {TO_SCREEN}").casefold().split()  # its own name before all
    total = 0
    for part in query.casefold().split():
        best = _closest(part, words, exact=exact)
        if not exact and len(part) >= LEAST:
            synonyms = {word for key, alternatives in ALSO.items() if key.startswith(part) for word in alternatives}
            best = max(best, *(_closest(word, words, exact=True) - 30 for word in synonyms), 0)
        if best == 0:
            return 0
        total += best
    return total + (1 if title.startswith(TO_SCREEN) else 0)


def _closest(part: str, words: list[str], *, exact: bool) -> int:
    best = 0
    for index, word in enumerate(words):
        if word.startswith(part):
            best = max(best, 100 - min(index, 20) + (20 if word.rstrip(":.…") == part else 0))
        elif part in word:
            best = max(best, 60 - min(index, 20))
        elif not exact and len(part) >= LEAST and _letters_in_order(part, word):
            best = max(best, 25 - min(index, 20))
    return best


def _letters_in_order(letters: str, word: str) -> bool:
    remaining = iter(word)
    return word[:1] == letters[:1] and all(letter in remaining for letter in letters)
