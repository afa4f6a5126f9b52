"""Where a quote is verified on one page."""

from core.domain import Page, Quote
from core.evidence.quotes import span, struck_edges
from core.evidence.word_borders import places


def locate(text: str, page: Page) -> Quote | None:
    """Return the first place on ``page`` where ``text`` is verified; None if there is none."""
    return next((span(page, *ends) for ends in places(text, page.text, struck_edges(page))), None)
