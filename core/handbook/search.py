"""The search in the handbook: sections that hold every word, or else most of them, the best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.handbook.pages import CONTENTS, Page, Section
from core.text import BARE_WORD

MOST = 30
SNIPPET = 160  # characters
_COMMON = frozenset(
    (
        *("a", "an", "and", "are", "at", "be", "by", "can", "do", "does", "for", "from", "how", "i", "if", "in", "is"),
        *("it", "my", "of", "on", "or", "the", "to", "what", "when", "where", "which", "who", "why", "with"),
    )
)
_ENDINGS = ("ings", "ing", "ies", "ed", "es", "s", "y", "e")


@dataclass(frozen=True, slots=True)
class Hit:
    """A section, the title of its page, and the words around what was looked for."""

    section: Section
    page_title: str
    snippet: str


def search(pages: Sequence[Page], query: str) -> list[Hit]:
    """Find the sections that a query is about.

    A word is met by any that begins with its stem. A section counts for the words that it holds, first of all in its
    title; sections with fewer of the words than the best are left out. Ties keep the order of the handbook.
    """
    query_stems = stems(query)
    ranking: list[tuple[int, float, int, Hit]] = []
    for page in pages:
        for section in page.sections if page.name != CONTENTS else ():
            title, page_title, text = (_words(part) for part in (section.title, page.title, section.text))
            counts = [(_count(title, s), _count(page_title, s), _count(text, s)) for s in query_stems]
            hits = sum(any(count) for count in counts)
            if hits:
                weight = sum(8 * min(1, t) + 2 * min(1, p) + min(4, n) for t, p, n in counts)
                hit = Hit(section, page.title, _snippet(section.text, query_stems))
                ranking.append((hits, weight, len(ranking), hit))
    most_hits = max((hits for hits, *_ in ranking), default=0)
    ranking.sort(key=lambda row: (-row[1], row[2]))
    return [hit for hits, _, _, hit in ranking if hits == most_hits][:MOST]


def stems(query: str) -> tuple[str, ...]:
    """Return what the words of a query begin with, each once, without those that say nothing if others do."""
    words = _words(query)
    return tuple(dict.fromkeys(_stem(word) for word in [w for w in words if w not in _COMMON] or words))


def _words(text: str) -> list[str]:
    return [match[0].casefold() for match in BARE_WORD.finditer(text)]


def _stem(word: str) -> str:
    """Cut a common English ending from a word that stays long enough without it."""
    ending = next((e for e in _ENDINGS if word.endswith(e) and len(word) - len(e) >= 4), "")
    return word.removesuffix(ending)


def _count(words: Sequence[str], stem: str) -> int:
    return sum(word.startswith(stem) for word in words)


def _snippet(text: str, query_stems: tuple[str, ...]) -> str:
    """Cut the text around the place where most of the words are close together."""
    places = [match for match in BARE_WORD.finditer(text) if match[0].casefold().startswith(query_stems)]
    if not places:
        return _shortened(text, 0)
    nearby = [
        {stem for neighbour in places for stem in query_stems if 0 <= neighbour.start() - place.start() < SNIPPET - 30
         and neighbour[0].casefold().startswith(stem)}
        for place in places
    ]  # fmt: skip
    best = max(range(len(places)), key=lambda index: (len(nearby[index]), -index))
    return _shortened(text, max(0, places[best].start() - 30))


def _shortened(text: str, start: int) -> str:
    start = text.rfind(" ", 0, start) + 1 if start else 0
    piece = text[start : start + SNIPPET]
    if start + SNIPPET < len(text):
        piece = piece.rpartition(" ")[0] + " …"
    return ("… " if start else "") + piece
