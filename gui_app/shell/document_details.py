"""A document, or several, in the details: what is known of them, and the fields that describe them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget
from shiboken6 import isValid

from core.documents.descriptions import title_of
from core.domain import Document, Entity
from gui_app.documents.documents_model import Chosen, language_name
from gui_app.shared.flow_layout import FlowLayout
from gui_app.shared.formatting import STATUSES, attribution_words, counted, file_size, kind_of, when
from gui_app.shared.labels import ElidedLabel, line, plain, tooltip
from gui_app.shell.detail_page import DetailPage, words
from gui_app.shell.document_form import DocumentFields

NAMES = 8  # of the case, shown of a document


def show_document(page: DetailPage, document: Document) -> DocumentFields | None:
    """Show a document; returns the fields that describe it, where it could be read."""
    fields = None
    page.add(words(document.name, "heading"))
    read = document.status not in ("failed", "removed")
    if not read and title_of(document):
        page.add(words(title_of(document)))
    page.add(plain(STATUSES.get(document.status, document.status), "muted"))
    if document.reason:
        reason = plain(document.reason, "", wrap=True, selectable=True)
        reason.setProperty("tone", "contradicts")
        page.add(reason)
        page.add(plain(document.remedy, "muted", wrap=True, selectable=True))
    if read:
        _names(page, document)
        fields = _describe(page, (document,))
    page.add(line())
    facts = [("Type", kind_of(document.kind))] if document.kind else []
    if document.pages:
        facts += [("Pages", f"{document.pages:,}"), ("Passages", f"{document.chunks:,}")]
    facts += [("Size", file_size(document.size)), ("Added", when(document.imported_at))]
    if document.language:
        facts.append(("Language", language_name(document.language)))
    facts += _relations(page, document)
    if document.address:
        facts.append(("Address", document.address))
    if document.pages_without_text:
        facts.append(("No text on", counted(document.pages_without_text, "page")))
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
        facts.append(("Left out", f"{left:,} of them"))
    page.facts(facts)
    return fields


def _describe(page: DetailPage, documents: Sequence[Document]) -> DocumentFields:
    """Add the fields in which the analyst says what these documents are."""
    page.add(line())
    fields = DocumentFields(page.session, documents)
    page.add(fields)
    if len(documents) == 1 and documents[0].attributions:
        names = {"publisher": "source"}
        read = [f"{names.get(at.field, at.field)}: {attribution_words(at)}" for at in documents[0].attributions]
        page.add(plain(f"Read in the document: {'; '.join(read)}.", "small", wrap=True))
    page.add(plain("New evidence starts with source, title, grade and date of its document.", "small", wrap=True))
    return fields


def _names(page: DetailPage, document: Document) -> None:
    """Add the names of the case that stand in the document most, each a search for it there; read beside the work."""
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
        facts.append(("Older", ", ".join(f"{other.name} ({other.id})" for other in near.older)))
    if near.like is not None and near.likeness is not None:
        alike = "Nearly" if near.likeness.measure == "near" else "Shares"
        share = f"{100 * near.likeness.score:.0f}%"
        facts.append((alike, f"{near.like.name} ({near.like.id}), {share} of the wording"))
    return facts


def _in_groups(digest: str) -> str:
    return " ".join(digest[at : at + 8] for at in range(0, len(digest), 8))
