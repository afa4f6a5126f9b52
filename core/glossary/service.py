"""The glossary of an open case: every definition a proven quote; and cards from it and from the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.answers.results import Answer
from core.evidence import quotes
from core.glossary.definitions import Kind, definitions
from core.glossary.entries import Card, Entry, EntrySource
from core.progress import Progress, silent

if TYPE_CHECKING:
    from core.documents.service import Documents
    from core.open_case import OpenCase

_CLEAR_SCAN = 0.8  # mean confidence of a scanned page from which its words are trusted


class Glossary:
    """The terms that the documents of the case explain."""

    def __init__(self, case: OpenCase, documents: Documents) -> None:
        self._store = case.store
        self._documents = documents

    def entries(self, progress: Progress | None = None) -> tuple[Entry, ...]:
        """Find every definition in the documents in scope, by term.

        Words that nobody sees and pages of doubtful scans define nothing.
        """
        progress = progress or silent()
        documents = [document for document in self._store.documents.all() if document.included]
        copies = {identity for identity, likeness in self._documents.near_duplicates().items() if likeness.of}
        by_meaning: dict[tuple[Kind, str, str], list[tuple[str, str, EntrySource]]] = {}
        for number, document in enumerate(documents):
            progress.step(number, len(documents), f"Reading {document.name}")
            for page in self._store.pages.of(document.id):
                if page.source == "ocr" and (page.confidence or 0.0) < _CLEAR_SCAN:
                    continue
                for definition in definitions(page.text):
                    if any(
                        start < definition.sentence.end and end > definition.sentence.start
                        for start, end in page.hidden_spans
                    ):
                        continue
                    term, meaning = (_line(page.text[s.start : s.end]) for s in (definition.term, definition.meaning))
                    quote = quotes.span(page, definition.sentence.start, definition.sentence.end)
                    source = EntrySource(quote, document.name, document.id in copies)
                    key = (definition.kind, _plain(term), _plain(meaning))
                    by_meaning.setdefault(key, []).append((term, meaning, source))
        result = [
            Entry(kind, group[0][0], group[0][1], tuple(source for _, _, source in group))
            for (kind, _, _), group in by_meaning.items()
        ]
        return tuple(sorted(result, key=lambda entry: (_plain(entry.term), -len(entry.sources), _plain(entry.meaning))))

    def cards(self, entries: tuple[Entry, ...]) -> tuple[Card, ...]:
        """Return a card for each abbreviation with one meaning, and each answer that the case keeps and still holds."""
        cards = []
        by_term: dict[str, list[Entry]] = {}
        for entry in entries:
            if entry.kind == "abbreviation":
                by_term.setdefault(_plain(entry.term), []).append(entry)
        for same in by_term.values():
            if len(same) == 1:
                cards.append(Card(f"What does {same[0].term} stand for?", same[0].meaning, same[0].sources[0]))
        for result in self._store.results.all("answer"):
            answer = result.decode(Answer)
            if result.is_stale or not answer.is_answered or answer.reason or len(answer.points) != 1:
                continue
            point = answer.points[0]
            for first in self._store.quotes.current(point.sources[:1]):
                line = _line(first.quote.text)
                if line != _line(point.text) or (point.short not in ("yes", "no") and point.short not in line):
                    continue
                source = EntrySource(first.quote, first.name)
                cards.append(Card(answer.question, point.short or _line(point.text), source))
        distinct = {card.question.casefold(): card for card in reversed(cards)}
        return tuple(card for card in cards if distinct[card.question.casefold()] is card)


def _line(text: str) -> str:
    return " ".join(text.split())


def _plain(text: str) -> str:
    words = " ".join(text.casefold().split())
    for article in ("the ", "a ", "an "):
        words = words.removeprefix(article)
    return words.strip(" .,")
