"""Quotes: stretches of pages, which are kept only where they stand on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from core.domain import Quote, QuotePart
from core.errors import BadInput, QuoteNotProven
from core.store import decision_log, values
from core.store.decision_log import Row
from core.store.pages import PageTable
from core.store.records import Records


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
