"""What is marked on a page and how a copy of it is cited. No widget."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core import formats
from core.documents import descriptions
from core.documents import sections as places
from core.domain import (
    HIDDEN,
    LAYER,
    OF_THE_FILE,
    STAMP,
    Document,
    Evidence,
    Label,
    Page,
    Proposal,
    Rating,
    Section,
    Word,
)
from gui_app.shared.page_geometry import Mark

if TYPE_CHECKING:
    from core.workbench import Workbench

STANCES: dict[Rating, Label | None] = {
    "CC": "supports",
    "C": "supports",
    "N": "neutral",
    "I": "contradicts",
    "II": "contradicts",
    "NA": None,
}
_SHEETS = formats.kinds("sheet")


@dataclass(frozen=True, slots=True)
class PageContent:
    """The content on show: one page of one document, with the sections of the whole document by page."""

    document: Document
    page: Page
    words: tuple[Word, ...]
    sections: tuple[tuple[int, Section], ...] = ()


@dataclass(frozen=True, slots=True)
class PageSpan:
    """A span of the text of one page: text[start:end]."""

    page: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class _Part:
    page_id: int
    page: int
    start: int
    end: int
    first: bool
    last: bool


def hits(text: str, query: str) -> list[tuple[int, int]]:
    """Find where ``query`` is in ``text``, whatever its case and however its words are spaced."""
    parts = query.split()
    if not parts:
        return []
    pattern = re.compile(r"\s+".join(re.escape(part) for part in parts), re.IGNORECASE)
    return [match.span() for match in pattern.finditer(text)]


def page_name(page: Page) -> str:
    """Name a page by its label and its number: 'iv (5)'; by its number alone where both are the same."""
    label = page.label.strip()
    return f"{label} ({page.number})" if label and label != str(page.number) else str(page.number)


def page_number(entry: str, labels: Mapping[int, str], pages: int) -> int | None:
    """Find the page a person means: by its label ('iv'), else by its number; '#5' is the number alone."""
    name = entry.strip().casefold()
    for number, label in labels.items():
        if name and label.strip().casefold() == name:
            return number
    inside = name.rpartition("(")[2].rstrip(")") if name.endswith(")") else name  # 'iv (5)', as it is shown
    digits = inside.removeprefix("#").removeprefix("p.").strip()
    return int(digits) if digits.isascii() and digits.isdigit() and 1 <= int(digits) <= pages else None


def citation(content: PageContent, spans: Sequence[PageSpan], labels: Mapping[int, str], *, check: str = "") -> str:
    """Word spans as they are pasted elsewhere, with where they are and the document's digest.

    Spaces are single. The place is document, pages by label and number, section or cells. For words of a scan
    ``check`` is whether they were compared with the picture. ``labels`` are the names of pages that have one.
    """
    document, first, last = content.document, spans[0], spans[-1]
    words = " ".join(" ".join(span.text.split()) for span in spans)
    place = places.citation(
        descriptions.reference_of(document),
        first.page,
        label=labels.get(first.page, ""),
        path=places.path(content.sections, first.page, first.start),
        cells=places.cells(content.page.text, last.start, last.end, content.page.tables) if len(spans) == 1 else "",
        kind=document.kind,
        pages=document.pages,
        last=last.page,
        last_label=labels.get(last.page, ""),
    )
    parts = [place, f"sha256 {document.sha256[:12]}", *([check] if check else [])]
    return f"“{words}” ({'; '.join(parts)})"


def facts(content: PageContent, span: tuple[int, int] | None) -> str:
    """Return the source of the page on one line.

    Sender, date and subject of a mail, address and date of a web page, sheet and cells of a table, the section
    elsewhere.
    """
    document, page = content.document, content.page
    date = document.dated or document.date.replace("T", " ")[:16]
    title, author = descriptions.title_of(document), descriptions.author_of(document)
    if document.kind in descriptions.MAILS:
        parts = [f"from {author}" if author else "", date, title]
    elif document.kind in descriptions.WEB:
        parts = [document.address, date, title]
    else:
        start, end = span or (0, 0)
        cells = places.cells(page.text, start, end, page.tables) if span is not None else ""
        path = places.path(content.sections, page.number, max(start, _first_section(content)))
        sheet = page.label if document.kind in _SHEETS else ""
        parts = [sheet, f"cell {cells}" if cells else "", " › ".join(title for title in path if title != sheet)]
        if not any(parts):
            date_note = f"dated {descriptions.date_of(document)}" if date else ""
            parts = [title, descriptions.source_of(document), author, descriptions.place_of(document), date_note]
    if page.source == "ocr":
        sure = f", confidence {page.confidence:.2f}" if page.confidence is not None else ""
        parts.append(f"read by OCR{sure}")
    elif page.source == "layer":
        parts.append(LAYER)
    return " · ".join(" ".join(part.split()) for part in parts if part)


def text_flags(page: Page) -> tuple[str, ...]:
    """Name why the text of a page is flagged.

    It is a 'stamp' on a scan, 'poor' (no text as far as one can tell) or a 'layer' over a picture that nobody compared
    it with, some of it is 'hidden', there is 'none'.
    """
    if page.source == "none":
        return ("none",)
    is_open = page.source in OF_THE_FILE and page.confidence is not None and page.width > 0
    stamp = is_open and page.confidence == STAMP
    poor = is_open and not stamp
    layer = page.source == "layer" and not is_open
    both = ("stamp", stamp), ("poor", poor), ("layer", layer), ("hidden", bool(page.hidden_spans))
    return tuple(flag for flag, here in both if here)


def flag_sentences(page: Page) -> list[str]:
    """Return a sentence for each flag of a page's text: what it means."""
    flags, sentences = text_flags(page), []
    if "none" in flags:
        sentences.append("This page has no text (needs OCR): it can be looked at, not searched or quoted.")
    if "stamp" in flags:
        sentences.append(
            "This page is a scan (needs OCR): only its stamp or header is text. OCR can read the image "
            "(“Run OCR” on the Documents screen)."
        )
    if "poor" in flags:
        sentences.append(
            "The text of this page looks garbled or doesn’t match the page image. OCR can read the image "
            "instead (“Run OCR” on the Documents screen)."
        )
    if "layer" in flags:
        sentences.append(f"Words of this page are the {LAYER}: the image under them may say something else.")
    if "hidden" in flags:
        letters = sum(end - start for start, end in page.hidden_spans)
        reasons = dict.fromkeys(HIDDEN.get(why, HIDDEN["unseen"]) for why in page.hidden_why)
        why = "; ".join(reasons) or HIDDEN["unseen"]
        sentences.append(
            f"{letters:,} characters of this page are not visible ({why}). They are neither searched nor judged."
        )
    return sentences


def _first_section(content: PageContent) -> int:
    """Return where the first section begins: a page with nothing pointed at is named by its own heading."""
    return min((section.start for number, section in content.sections if number == content.page.number), default=0)


def parts_of(thing: Evidence | Proposal) -> Iterator[_Part]:
    """Yield the spans of a quote in order: one, or several where it goes on over a page break."""
    quote = thing if isinstance(thing, Evidence) else thing.quote
    if quote.page_id is None or quote.page is None or quote.start is None or quote.end is None:
        return
    yield _Part(quote.page_id, quote.page, quote.start, quote.end, True, not quote.more)
    for number, part in enumerate(quote.more, start=1):
        yield _Part(part.page_id, part.page, part.start, part.end, False, number == len(quote.more))


def marks_of_page(
    page_id: int, evidence: Sequence[Evidence], proposals: Sequence[Proposal], ratings: dict[str, dict[str, Rating]]
) -> list[tuple[Mark, Evidence | Proposal]]:
    """List every quote of a page once, in reading order, with the thing to show when it is clicked.

    A quote that is in the matrix shows the person's ratings; before any rating, and for a pending proposal, it shows
    the machine's verdicts. Proposals that are rejected, or in a language that is not judged, are not marked.
    """
    spans: dict[tuple[int, int], tuple[Evidence | Proposal, _Part, dict[str, Label | None]]] = {}
    for item in evidence:
        for part in parts_of(item):
            if part.page_id == page_id:
                own_stances = {h: STANCES[rating] for h, rating in ratings.get(item.id, {}).items()}
                spans[(part.start, part.end)] = (item, part, own_stances)
    for proposal in proposals:
        if proposal.status == "rejected" or proposal.unmeasured_language:
            continue
        for part in parts_of(proposal):
            if part.page_id == page_id:
                thing, first_part, stances = spans.get((part.start, part.end), (proposal, part, {}))
                stances.setdefault(proposal.hypothesis, "neutral" if proposal.is_hidden else proposal.verdict.label)
                spans[(part.start, part.end)] = (thing, first_part, stances)
    marks = []
    for (start, end), (thing, part, stances) in sorted(spans.items(), key=lambda item: item[0]):
        telling: set[Label | None] = {stance for stance in stances.values() if stance in ("supports", "contradicts")}
        kinds = telling or set(stances.values())
        stance: Label | None = kinds.pop() if len(kinds) == 1 else ("ambiguous" if kinds else None)
        hypotheses = sorted(stances, key=lambda h: (len(h), h))
        verdicts = ", ".join(f"{h} {stances[h] or 'not applicable'}" for h in hypotheses)
        about = f"{thing.id}: {verdicts}" if verdicts else thing.id
        if not (part.first and part.last):
            about += "; it runs over a page break"
        mark = Mark(
            *(start, end, stance, " ".join(hypotheses) or thing.id, isinstance(thing, Evidence), about),
            stances=tuple((h, stances[h]) for h in hypotheses),
            from_before=not part.first,
            goes_on=not part.last,
        )
        marks.append((mark, thing))
    return marks


def engine_name(fingerprint: str) -> str:
    """Call an engine as a person does: 'Tesseract' for 'tesseract 1 5.5.4 tesserocr ...'."""
    name = fingerprint.partition(" ")[0]
    return "Both engines" if name == "both" else name.capitalize()


def check_of(bench: Workbench, document: str, spans: Sequence[PageSpan]) -> str:
    """Return who compared words that OCR read, or that lie over a picture, with it; or that nobody did.

    '' for any other text.
    """
    checks = []
    for span in spans:
        page = bench.documents.page(document, span.page)
        if page.source == "layer" and bench.ocr.text_left(page.id) is None:
            return LAYER
        if page.source == "ocr":
            checks.append(bench.ocr.words_checked(page.id, span.start, span.end))
    if not checks:
        return ""
    if any(check is None for check in checks):
        return "read by OCR, not checked against the image"
    people = sorted({decision.by for check in checks for decision in check or ()})
    moment = max((decision.at for check in checks for decision in check or ()), default="")[:10]
    if not people:
        return "read by OCR"
    return f"read by OCR, checked against the image by {', '.join(people)} on {moment}"
