"""The strips of scans around words: fetched beside the work, kept while they may be looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.ocr.suspect_words import Doubt
from gui_app.ocr.word_strip import Cut, top_of, zoom_for

if TYPE_CHECKING:
    from core.workbench import Workbench


def cut_of(bench: Workbench, doubt: Doubt, ratio: float) -> Cut:
    """The strip of the page around a word, as large as its lines can be read."""
    page = bench.documents.page(doubt.document, doubt.page)
    words = list(bench.documents.words(page.id))
    zoom = zoom_for([word.y1 - word.y0 for word in words])
    picture = bench.documents.strip(doubt.document, doubt.page, doubt.box, zoom * ratio)
    # The reader may have drawn it smaller than asked.
    zoom = picture.scale / ratio
    top = top_of(doubt.box, picture.height / picture.scale, page.height)
    return Cut(picture.png, zoom, ratio, doubt.box, top)
