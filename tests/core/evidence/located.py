"""Where a quote is verified on one page."""

from core.domain import Page
from core.evidence.quotes import Quote, places, span, struck_edges


def locate(text: str, page: Page) -> Quote | None:
    """Return the first place on ``page`` where ``text`` is verified; None if there is none."""
    return next((span(page, *ends) for ends in places(text, page.text, struck_edges(page))), None)
