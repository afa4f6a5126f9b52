"""The documents that match the filters of a query: names, titles, sources, tags, languages, grades, dates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from core.documents.descriptions import label_of, source_of
from core.domain import Document
from core.search.query_language import Query


class Interval(Protocol):
    """The time that a date of a document leaves open: ISO days or moments, both included."""

    @property
    def earliest(self) -> str:
        """Return the first day or moment that it may be."""

    @property
    def latest(self) -> str:
        """Return the last day or moment that it may be."""


def fitting(
    query: Query, documents: Sequence[Document], date_of: Callable[[Document], Interval | None], notes: list[str]
) -> list[str] | None:
    """List the ids of the documents that fulfil a query's conditions; None if it has none for documents.

    ``notes`` gets a sentence for each name that no document has.
    """
    of_documents = (
        *(query.documents, query.not_documents, query.sources, query.not_sources),
        *(query.tags, query.not_tags, query.languages, query.not_languages, query.grades),
    )
    if not any(of_documents) and not query.after and not query.before:
        return None
    ids = {document.id.casefold() for document in documents}

    def is_called(document: Document, text: str) -> bool:
        # Whoever writes the number of a document means it, and not names with the same signs in them.
        if text.casefold() in ids:
            return text.casefold() == document.id.casefold()
        return text.casefold() in label_of(document).casefold()

    def is_from_source(document: Document, text: str) -> bool:
        return text.casefold() in source_of(document).casefold()

    for text in (*query.documents, *query.not_documents):
        if not any(is_called(document, text) for document in documents):
            notes.append(f"No document is called “{text}”.")
    for text in (*query.sources, *query.not_sources):
        if not any(is_from_source(document, text) for document in documents):
            notes.append(f"No document is from “{text}”.")
    fitting_ids = []
    for document in documents:
        tags = {tag.casefold() for tag in document.tags}
        if (
            (not query.documents or any(is_called(document, text) for text in query.documents))
            and not any(is_called(document, text) for text in query.not_documents)
            and (not query.sources or any(is_from_source(document, text) for text in query.sources))
            and not any(is_from_source(document, text) for text in query.not_sources)
            and (not query.tags or any(tag.casefold() in tags for tag in query.tags))
            and not any(tag.casefold() in tags for tag in query.not_tags)
            and (not query.languages or document.language in query.languages)
            and document.language not in query.not_languages
            and (not query.grades or document.reliability in query.grades)
            and _is_from(document, query.after, query.before, date_of)
        ):
            fitting_ids.append(document.id)
    return fitting_ids


def _is_from(document: Document, after: str, until: str, date_of: Callable[[Document], Interval | None]) -> bool:
    """Return whether the date of a document may lie between two days; '' leaves an end open."""
    if not after and not until:
        return True
    date = date_of(document)
    return date is not None and date.latest[:10] >= after and (not until or date.earliest[:10] <= until)
