"""What the screen for words of scans knows of the case. No widget lives here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.domain import Evidence
from core.ocr.chart_words import chart_spans, is_inside
from core.ocr.suspect_words import SuspectWord
from gui_app.shared.formatting import counted

if TYPE_CHECKING:
    from core.matrix.service import RemovalImpact
    from core.ocr.service import ScanReport
    from core.workbench import Workbench
    from gui_app.ocr.word_strip import Box

MAX_WORDS = 5_000  # words in the queue; the gravest are decided long before
_LISTED = 12  # cells and sentences that are named


@dataclass(frozen=True, slots=True)
class OcrState:
    """The state of the case that the screen shows."""

    doubts: list[SuspectWord]
    stale: tuple[str, ...]  # rows whose quote is not what is on its scan now
    scans: int  # pages read by OCR
    unread: int  # pages without text
    poor: int  # pages whose text is none
    decision_count: int
    resting: RemovalImpact | None  # what rests on the stale rows
    languages: tuple[str, ...]  # that scans of this case are read in; () each document's own
    names: Mapping[str, str]
    rows: Mapping[str, Evidence]
    blank: int = 0  # of ``scans``, those in which OCR found no word
    in_charts: int = 0  # words to check that are in charts; in ``doubts`` only when they are asked for


def load(bench: Workbench, *, with_charts: bool = False) -> OcrState:
    """Read the words to check and how far the scans are, without their pictures."""
    scans = {page.id: page.text for page in bench.ocr.scanned_pages()}
    charts = {page: chart_spans(text) for page, text in scans.items()}
    doubts = bench.ocr.queue(MAX_WORDS)
    in_text = [
        doubt for doubt in doubts if doubt.cited or not is_inside(doubt.start, doubt.end, charts.get(doubt.page_id, []))
    ]
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
        doubts=doubts if with_charts else in_text,
        in_charts=len(doubts) - len(in_text),
        stale=stale,
        scans=len(scans),
        blank=sum(not text.strip() for text in scans.values()),
        unread=sum(bare for document, (bare, _) in waiting.items() if document in ids),
        poor=sum(poor for document, (_, poor) in waiting.items() if document in ids),
        decision_count=len(bench.ocr.decisions()),
        resting=bench.matrix.removal_impact(*stale) if stale else None,
        languages=bench.case.settings().ocr_languages,
        names={document.id: document.name for document in documents},
        rows=rows,
    )


def quoted_spans(row: Evidence) -> list[tuple[int, int, int, str]]:
    """List (page id, start, end, words) of every span that a row quotes."""
    spans = [(part.page_id, part.start, part.end, part.text) for part in row.more]
    if row.page_id is not None and row.start is not None and row.end is not None and row.quote is not None:
        spans.insert(0, (row.page_id, row.start, row.end, row.quote))
    return spans


def words_of(bench: Workbench, doubt: SuspectWord) -> list[tuple[str, Box]]:
    """Return the words of a page with their boxes, as they are in its text now."""
    text = bench.documents.page(doubt.document, doubt.page).text
    words = bench.documents.words(doubt.page_id)
    return [(text[word.start : word.end], (word.x0, word.y0, word.x1, word.y1)) for word in words]


@dataclass(frozen=True, slots=True)
class NextStep:
    """The view while no word is to be checked: a sentence, and a button where there is something to do.

    ``place`` is the screen that the button leads to, 'next' for the next word; '' for reading the scans.
    """

    sentence: str
    button: str = ""
    place: str = ""


def next_step(
    state: OcrState | None, *, has_case: bool, is_reading: bool, can_read: bool, waits_for: str = ""
) -> NextStep:
    """Return what to do next; ``can_read``: there is an engine, and the case may be written to."""
    if state is None:
        return NextStep("Looking for words to check …" if has_case else "")
    if is_reading and waits_for:
        return NextStep(f"OCR is {waits_for}. Doubtful words appear here as they come.")
    if is_reading:
        return NextStep("Reading the scans. Doubtful words appear here as they come.")
    if (state.unread or state.poor) and can_read:
        sentences = []
        if state.unread:
            sentences.append(f"{counted(state.unread, 'page')} without text: images that OCR has not read yet.")
        if state.poor:
            sentences.append(
                f"{counted(state.poor, 'page')} with text that looks garbled or doesn’t match the page image: "
                "OCR reads the image."
            )
        return NextStep(" ".join(sentences), "Run OCR")
    if state.unread and not state.scans:
        sentence = f"{counted(state.unread, 'page')} without text, but no OCR engine is on this computer to read them."
        return NextStep(sentence, "Open the documents", "Documents")
    if state.scans:
        pages = counted(state.scans, "scanned page")
        if state.blank == state.scans:
            return NextStep(f"OCR found no word on {pages}: blank.", "Open the matrix", "Matrix")
        sentence = f"No doubtful word is left on {pages} ({state.decision_count:,} decided)."
        if state.blank:
            sentence += f" {counted(state.blank, 'page')} {'is' if state.blank == 1 else 'are'} blank."
        if state.in_charts:
            sentence += f" {counted(state.in_charts, 'word')} in charts set aside."
        return NextStep(sentence, "Open the matrix", "Matrix")
    return NextStep(
        "No page of this case was read by OCR. Add scans, read them with “Run OCR” on the "
        "Documents screen, and doubtful words appear here.",
        "Open the documents",
        "Documents",
    )


def scan_message(report: ScanReport) -> str:
    """Return how much was read, and of pages that were not the first with its reason."""
    outcome = counted(report.words, "word") if report.words or not report.pages else "blank"
    message = f"{counted(report.pages, 'page')} read, {outcome}"
    if report.problems:
        first = report.problems[0]
        message += f"; {counted(len(report.problems), 'page')} not: {first.where}: {first.what} {first.hint}"
    return f"{message}."


def stale_sentence(stale: Sequence[str], resting: RemovalImpact | None) -> str:
    """Return which quotes changed, and how much rests on them where that is known."""
    sentence = f"The quote of {stale[0]} changed." if len(stale) == 1 else f"The quotes of {', '.join(stale)} changed."
    return sentence if resting is None else f"{sentence[:-1]}: {_how_much(resting)}"


def _how_much(resting: RemovalImpact) -> str:
    ratings, sentences = len(resting.cells), len(resting.sentences)
    amounts = [counted(ratings, "rating")] if ratings else []
    if sentences:
        amounts.append(f"{counted(sentences, 'sentence')} of the report")
    if not amounts:
        return "nothing rests on it yet."
    rests = "rests on it." if ratings + sentences == 1 else "rest on it."
    return f"{' and '.join(amounts)} {rests}"


def resting_lines(resting: RemovalImpact) -> str:
    """List the cells and the sentences of the report that rest on quotes that changed, a line each."""
    lines = []
    if resting.cells:
        cells = ", ".join(f"{evidence} × {hypothesis}" for evidence, hypothesis in resting.cells[:_LISTED])
        more = f" … ({len(resting.cells)})" if len(resting.cells) > _LISTED else ""
        lines.append(f"Ratings: {cells}{more}")
    lines += [f"• {sentence}" for sentence in resting.sentences[:_LISTED]]
    if len(resting.sentences) > _LISTED:
        lines.append(f"… and {len(resting.sentences) - _LISTED} more")
    return "\n".join(lines)
