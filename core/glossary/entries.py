"""Values of a glossary: terms with their meanings, cards, and the sentences that bear them out."""

from __future__ import annotations

from dataclasses import dataclass

from core.domain import Quote
from core.glossary.definitions import Kind


@dataclass(frozen=True, slots=True)
class EntrySource:
    """A sentence in which a term is explained."""

    quote: Quote
    name: str
    is_copy: bool = False  # of a document that says the same elsewhere


@dataclass(frozen=True, slots=True)
class Entry:
    """A term and one meaning of it, as the sources word them; a term with two meanings has two entries."""

    kind: Kind
    term: str
    meaning: str
    sources: tuple[EntrySource, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """A question and its answer, with the sentence that bears it out."""

    question: str
    answer: str
    source: EntrySource
