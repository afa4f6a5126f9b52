"""What the list of documents can be narrowed to beside words."""

from __future__ import annotations

from core.documents.descriptions import date_of, source_of, title_of
from core.domain import Document
from gui_app.documents.documents_model import DocumentsModel

STATES: dict[str, str] = {
    "ready": "Ready",
    "without text": "Has pages without text",
    "incomplete": "With parts left out",
    "left out": "Out of scope",
    "superseded": "Superseded",
    "alike": "Versions and near duplicates",
    "inside": "Found in another file",
    "undescribed": "Without source and grade",
    "untitled": "Without title",
    "undated": "Without date",
    "uncited": "Not cited by any row",
}


def in_state(row: Document, state: str, model: DocumentsModel) -> bool:
    """Tell whether a document is in a state."""
    match state:
        case "without text":
            return row.pages_without_text > 0
        case "incomplete":
            return bool(row.left_out)
        case "left out":
            return not row.included
        case "superseded":
            return bool(row.superseded_by)
        case "alike":
            return model.first.get(row.id) in model.alike
        case "inside":
            return bool(row.parent)
        case "undescribed":
            return not (source_of(row) or row.reliability or row.information)
        case "untitled":
            return not title_of(row)
        case "undated":
            return not date_of(row)
        case "uncited":
            return row.id not in model.citations
    return row.status == "ready" and not row.pages_without_text
