"""The languages of documents: recognised in their text where neither a reader nor a person has said one."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from core.documents import sections
from core.documents.descriptions import attribution_of, language_read
from core.domain import ANALYST, Attribution, PageText
from core.errors import AppError
from core.progress import Progress, silent

if TYPE_CHECKING:
    from core.open_case import OpenCase

DOUBTFUL = 0.5  # mean confidence below which OCR may have read a page in the wrong language
_LONGEST = 100_000  # characters of a document that are looked at


def unknown(case: OpenCase) -> list[str]:
    """List the documents with text whose language nobody has looked for: an older program added them."""
    return [
        document.id
        for document in case.store.documents.all()
        if document.status == "ready" and not document.language and attribution_of(document, "language") is None
    ]


def recognise(case: OpenCase, documents: Collection[str], progress: Progress | None = None) -> list[str]:
    """Recognise the languages of documents, but for those that a person set, in one entry; return those found."""
    progress = progress or silent()
    languages: dict[str, tuple[str, Attribution]] = {}
    for number, identity in enumerate(documents):
        progress.step(number, len(documents), "Recognising languages")
        document = case.store.documents.get(identity)
        read = attribution_of(document, "language")
        is_set = read.where == ANALYST if read is not None else bool(document.language)
        if document.status == "ready" and not is_set:
            language = _of_text(case, identity)
            languages[identity] = language, language_read(language)
    case.store.descriptions.put_languages(languages)
    return [identity for identity, (language, _) in languages.items() if language]


def _of_text(case: OpenCase, document: str) -> str:
    """Have the reader read the text of a document as a file of its own: it says in which language each page is."""
    pages = (page for page in case.store.pages.of(document) if page.confidence is None or page.confidence >= DOUBTFUL)
    text = "\f".join(page.text for page in pages)[:_LONGEST]
    try:
        items = list(case.engines.reader.read(text.encode("utf-8", "replace"), "text.txt"))
    except AppError:  # the rest of its work does not hang on it
        return ""
    return sections.majority_language((item.language, len(item.text)) for item in items if isinstance(item, PageText))
