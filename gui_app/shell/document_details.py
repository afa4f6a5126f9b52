"""A document, or several, in the details: what is known of them, and the fields that describe them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from shiboken6 import isValid

from core.documents import left_out_parts
from core.documents.descriptions import title_of
from core.domain import Document, Entity, Page
from gui_app.documents.documents_model import Chosen
from gui_app.shared import theme
from gui_app.shared.flow_layout import FlowLayout
from gui_app.shared.formatting import STATUSES, attribution_words, counted, file_size, kind_of, when
from gui_app.shared.labels import ElidedLabel, line, plain, tooltip
from gui_app.shell.detail_page import DetailPage, words
from gui_app.shell.document_form import DocumentFields

if TYPE_CHECKING:
    from core.workbench import Workbench

NAMES = 8  # of the case, shown of a document
PAGES = 5  # looked at for the first words of a document
LOOKED_AT, LINES, SHOWN = 4_000, 6, 320  # characters looked at, lines and characters shown


def show_document(page: DetailPage, document: Document) -> DocumentFields | None:
    """Show a document; returns the fields that describe it, where it could be read."""
    fields = None
    page.add(words(document.name, "heading"))
    read = document.status not in ("failed", "removed")
    if not read and title_of(document):
        page.add(words(title_of(document)))
    page.add(plain(STATUSES.get(document.status, document.status), "muted"))
    if document.left_out:
        page.add(plain(left_out_parts.sentence(document.left_out), wrap=True, selectable=True))
    if document.reason:
        reason = plain(document.reason, "", wrap=True, selectable=True)
        reason.setProperty("tone", "contradicts")
        page.add(reason)
        page.add(plain(document.remedy, "muted", wrap=True, selectable=True))
    if read:
        _beginning(page, document)
        _names(page, document)
        fields = _describe(page, (document,))
    page.add(line())
    facts = [("Type", kind_of(document.kind))] if document.kind else []
    if document.pages:
        facts += [("Pages", f"{document.pages:,}"), ("Passages", f"{document.chunks:,}")]
    facts += [("Size", file_size(document.size)), ("Added", when(document.imported_at))]
    facts += _relations(page, document)
    if document.address:
        facts.append(("Address", document.address))
    if document.pages_without_text:
        facts.append(("No text on", counted(document.pages_without_text, "page")))
    if document.file_date:
        facts.append(("File made", document.file_date[:10]))
    if read:
        facts.append(("In scope", "yes" if document.included else "no: not searched"))
    page.facts(facts)
    page.add(plain("SHA-256", "section"))
    digest = plain(_in_groups(document.sha256), "mono", wrap=True, selectable=True)
    digest.setToolTip(document.sha256)
    page.add(digest)
    return fields


def show_documents(page: DetailPage, choice: Chosen) -> DocumentFields:
    """Show several documents at once; returns the fields that describe them."""
    documents = choice.documents
    names = [document.name for document in documents[:6]]
    if len(documents) > len(names):
        names.append(f"and {len(documents) - len(names):,} more")
    for name in names:
        page.add(ElidedLabel(name, "", mode=Qt.TextElideMode.ElideMiddle))
    fields = _describe(page, documents)
    page.add(line())
    pages, size = sum(d.pages for d in documents), sum(d.size for d in documents)
    left = sum(not document.included for document in documents)
    facts = [("Pages", f"{pages:,}"), ("Size", file_size(size))]
    if left:
        facts.append(("Out of scope", f"{left:,} of them"))
    parts = left_out_parts.grouped(part for document in documents for part in document.left_out)
    if parts:
        facts.append(("Left out", left_out_parts.in_words(parts, places=False)))
    page.facts(facts)
    return fields


def _describe(page: DetailPage, documents: Sequence[Document]) -> DocumentFields:
    """Add the fields in which the analyst says what these documents are."""
    page.add(line())
    fields = DocumentFields(page.session, documents)
    page.add(fields)
    names = {"publisher": "source"}
    read = [
        f"{names.get(attribution.field, attribution.field)}: {attribution_words(attribution)}"
        for attribution in (documents[0].attributions if len(documents) == 1 else ())
        if attribution.field != "language"
    ]
    if read:
        page.add(plain(f"Read in the document: {'; '.join(read)}.", "small", wrap=True))
    page.add(plain("New evidence starts with source, title, grade and date of its document.", "small", wrap=True))
    return fields


def _beginning(page: DetailPage, document: Document) -> None:
    """Add the first words of the document, so that it is known without being opened; read beside the work."""
    place = QLabel()
    place.setTextFormat(Qt.TextFormat.PlainText)
    place.setWordWrap(True)
    place.setFont(theme.serif(theme.BODY))
    place.setAccessibleName("The document begins")
    place.hide()
    page.add(place)

    def read(bench: Workbench) -> str:
        for number in range(1, min(document.pages, PAGES) + 1):
            text = beginning(bench.documents.page(document.id, number))
            if text:
                return text
        return ""

    def show(text: str) -> None:
        if isValid(place) and text:
            place.setText(text)
            place.show()

    page.session.read(read, show, key="beginning of a document", failed=lambda _error: None)


def beginning(page: Page) -> str:
    """Return the first words of a page that a reader of it sees, a few lines of them."""
    text = page.text
    for start, end in page.hidden_spans:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    lines = filter(None, (" ".join(line.split()) for line in text[:LOOKED_AT].splitlines()))
    first_lines = "\n".join(itertools.islice(lines, LINES))
    return first_lines if len(first_lines) <= SHOWN else f"{first_lines[:SHOWN].rpartition(' ')[0]}…"


def _names(page: DetailPage, document: Document) -> None:
    """Add the names of the case that are in the document most, each a search for it there; read beside the work."""
    place = QWidget()
    place.hide()
    page.add(place)

    def show(entities: list[tuple[Entity, int]]) -> None:
        if not isValid(place) or not entities:
            return
        chips = FlowLayout(place, gap=4)
        for entity, times in entities[:NAMES]:
            chip = QPushButton(f"{entity.name}  {times:,}")
            chip.setProperty("kind", "chip")
            chip.setAccessibleName(f"{entity.name}, {counted(times, 'passage')} of this document")
            chip.setToolTip(tooltip(f"Search for {entity.name} in this document"))
            query = f'name:"{entity.name}" document:{document.id}'
            chip.clicked.connect(lambda _on=False, query=query: page.searched.emit(query))
            chips.addWidget(chip)
        place.show()

    page.session.read(lambda bench: bench.entities.names_in(document.id), show, key="names of a document")


def _relations(page: DetailPage, document: Document) -> list[tuple[str, str]]:
    """List other documents that this one belongs with."""
    near = page.session.do(lambda bench: bench.documents.relatives(document.id))
    facts: list[tuple[str, str]] = []
    if near is None:
        return facts
    if near.parent is not None:
        facts.append(("Found in", f"{near.parent.name} ({near.parent.id})"))
    if near.inside:
        facts.append(("Holds", counted(near.inside, "document")))
    if near.newer is not None:
        facts.append(("Newer", f"{near.newer.name} ({near.newer.id})"))
    if near.older:
        facts.append(("Older", ", ".join(f"{version.name} ({version.id})" for version in near.older)))
    if near.like is not None and near.likeness is not None:
        alike = "Nearly" if near.likeness.measure == "near" else "Shares"
        share = f"{100 * near.likeness.score:.0f}%"
        facts.append((alike, f"{near.like.name} ({near.like.id}), {share} of the wording"))
    return facts


def _in_groups(digest: str) -> str:
    return " ".join(digest[start : start + 8] for start in range(0, len(digest), 8))
