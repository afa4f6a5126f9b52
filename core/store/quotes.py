"""Quotes: stretches of pages, which are kept only where they are on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from core.domain import Page, Quote, QuotePart
from core.errors import AppError, BadInput, QuoteNotProven
from core.store import decision_log, values
from core.store.decision_log import Row
from core.store.pages import PageTable
from core.store.records import Records

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    class Citing(DataclassInstance, Protocol):
        """A source of a result: a quote, with what is said of its document and page."""

        @property
        def quote(self) -> Quote:
            """The quote itself."""
            ...

        @property
        def name(self) -> str:
            """The name of its document."""
            ...

        @property
        def before(self) -> str:
            """The sentence before it; '' for none."""
            ...

        @property
        def layer(self) -> str:
            """The origin of the text of its page."""
            ...


SourceT = TypeVar("SourceT", bound="Citing")


class QuoteProof:
    """The last gate before a quote is kept."""

    def __init__(self, records: Records, pages: PageTable) -> None:
        self._records = records
        self._pages = pages

    def prove(self, quote: Quote) -> None:
        """Hold a quote against its pages. Raises QuoteNotProven, BadInput.

        It is a stretch of the page that is stored, or several of pages that follow one another, in a document of the
        case, or it is not kept.
        """
        for number, part in enumerate(parts_of(quote)):
            page = self._pages.by_id(part.page_id)
            stands = (
                0 <= part.start < part.end <= len(page.text)
                and page.text[part.start : part.end] == part.text
                and (page.sha256, page.document, page.number) == (part.page_sha256, quote.document, part.page)
                and part.page == quote.page + number
            )
            if not stands:
                raise QuoteNotProven(page=part.page, document=quote.document)
        if self._records.require("document", quote.document)["status"] == "removed":
            raise BadInput(
                reason=f"{quote.document} was removed from the case, so nothing can be quoted from it.",
                remedy="Add its file again, or undo the removal.",
            )

    def stands(self, quote: Quote) -> bool:
        """Return whether a quote that was kept is still what its pages say."""
        try:
            self.prove(quote)
        except AppError:
            return False
        return True

    def current(self, sources: Sequence[SourceT]) -> tuple[SourceT, ...]:
        """Return those of kept sources whose quotes stand, with what the case itself says of them now.

        Their names are those of their documents; the words before a quote are left out where they are not there.
        """
        results = []
        for source in sources:
            if not self.stands(source.quote):
                continue
            page = self._pages.by_id(source.quote.page_id)
            facts: dict[str, Any] = {
                "name": str(self._records.require("document", source.quote.document)["name"]),
                "before": source.before if _stands_before(source.before, page, source.quote.start) else "",
                "layer": page.source,
            }
            same = all(getattr(source, name) == value for name, value in facts.items())
            results.append(source if same else replace(source, **facts))
        return tuple(results)


def _stands_before(words: str, page: Page, end: int) -> bool:
    text = page.text[:end]
    for start, stop in page.hidden_spans:
        text = text[:start] + " " * (min(stop, end) - start) + text[stop:] if start < end else text
    return " ".join(words.split()) in " ".join(text.split())


def parts_of(quote: Quote) -> tuple[QuotePart, ...]:
    """Return every stretch of a quote, the first included."""
    first = QuotePart(quote.page_id, quote.page, quote.start, quote.end, quote.text, quote.page_sha256)
    return (first, *quote.more)


def stretches(row: Row) -> tuple[QuotePart, ...]:
    """Return every stretch that a row of evidence quotes; none for a row without a place."""
    if row["page_id"] is None:
        return ()
    return (*parts_of(quote_of(row)), *(QuotePart(**part) for part in values.from_json(row.get("more") or "[]")))


def quoting(row: Row, document: str, parts: Sequence[QuotePart]) -> Row:
    """Let a row of evidence quote these stretches of a document."""
    first, *more = parts
    place: Row = {"document": document, "page_id": first.page_id, "page": first.page, "start": first.start}
    place |= {"end": first.end, "quote": first.text, "page_sha256": first.page_sha256}
    return {**row, **place, "more": decision_log.canonical([asdict(part) for part in more])}


def quote_of(row: Row) -> Quote:
    """Return the first stretch that a row quotes."""
    return Quote(
        document=row["document"],  # type: ignore[arg-type]
        page_id=row["page_id"],  # type: ignore[arg-type]
        page=row["page"],  # type: ignore[arg-type]
        start=row["start"],  # type: ignore[arg-type]
        end=row["end"],  # type: ignore[arg-type]
        text=row["quote"],  # type: ignore[arg-type]
        page_sha256=row["page_sha256"],  # type: ignore[arg-type]
    )
