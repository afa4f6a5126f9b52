"""What the screen for words of scans knows of the case. No widget lives here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.domain import Evidence
from core.ocr.suspect_words import Doubt

if TYPE_CHECKING:
    from core.matrix.service import Resting
    from core.workbench import Workbench
    from gui_app.ocr.word_strip import Box

MOST = 5_000  # words in the queue; the gravest are decided long before


@dataclass(frozen=True, slots=True)
class OcrState:
    """What the screen knows of the case."""

    doubts: list[Doubt]
    stale: tuple[str, ...]  # rows whose quote is not what stands on its scan now
    scans: int  # pages read by OCR
    unread: int  # pages without text
    poor: int  # pages whose text is none
    decision_count: int
    resting: Resting | None  # what rests on the stale rows
    languages: tuple[str, ...]  # that scans of this case are read in; () each document's own
    names: Mapping[str, str]
    rows: Mapping[str, Evidence]


def load(bench: Workbench) -> OcrState:
    scans = {page.id: page.text for page in bench.ocr.scanned_pages()}
    rows = {row.id: row for row in bench.evidence.all()}
    documents = bench.documents.all()
    stale = tuple(
        row.id
        for row in rows.values()
        if any(page in scans and scans[page][start:end] != quote for page, start, end, quote in quoted_spans(row))
    )
    waiting = bench.ocr.unread_pages()
    ids = {d.id for d in documents if d.status in ("ready", "needs_ocr")}
    return OcrState(
        doubts=bench.ocr.queue(MOST),
        stale=stale,
        scans=len(scans),
        unread=sum(bare for document, (bare, _) in waiting.items() if document in ids),
        poor=sum(poor for document, (_, poor) in waiting.items() if document in ids),
        decision_count=len(bench.ocr.decisions()),
        resting=bench.matrix.removal_impact(*stale) if stale else None,
        languages=bench.case.settings().ocr_languages,
        names={document.id: document.name for document in documents},
        rows=rows,
    )


def quoted_spans(row: Evidence) -> list[tuple[int, int, int, str]]:
    """(page id, start, end, words) of every stretch that a row quotes."""
    spans = [(part.page_id, part.start, part.end, part.text) for part in row.more]
    if row.page_id is not None and row.start is not None and row.end is not None and row.quote is not None:
        spans.insert(0, (row.page_id, row.start, row.end, row.quote))
    return spans


def words_of(bench: Workbench, doubt: Doubt) -> list[tuple[str, Box]]:
    """The words of a page with their boxes, as they stand in its text now."""
    text = bench.documents.page(doubt.document, doubt.page).text
    words = bench.documents.words(doubt.page_id)
    return [(text[word.start : word.end], (word.x0, word.y0, word.x1, word.y1)) for word in words]
