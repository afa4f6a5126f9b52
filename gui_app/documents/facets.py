"""What the list of documents can be narrowed to beside words: a state, folder, type, language or tag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from core.documents.descriptions import date_of, source_of, title_of
from core.domain import Document
from gui_app.documents.documents_model import DocumentsModel, language_name, natural
from gui_app.shared.formatting import kind_of

MOST = 30  # values of a facet in a menu
FACETS: dict[str, str] = {"state": "State", "folder": "Folder", "type": "Type", "language": "Language", "tag": "Tag"}
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


def values_of(model: DocumentsModel, row: Document, facet: str) -> Sequence[str]:
    """List the values that a document has of a facet; of folders also those that its folder lies in."""
    match facet:
        case "state":
            return [state for state in STATES if in_state(row, state, model)]
        case "folder":
            return _path(row.folder)
        case "type":
            return (kind_of(row.kind),)
        case "language":
            return (row.language,)
    return row.tags


def has_value(model: DocumentsModel, row: Document, facet: str, value: str) -> bool:
    """Return whether a document has a value of a facet."""
    return in_state(row, value, model) if facet == "state" else value in values_of(model, row, facet)


@cache
def _path(folder: str) -> tuple[str, ...]:
    parts = folder.split("/")
    return tuple("/".join(parts[: depth + 1]) for depth in range(len(parts)))


def words_of(facet: str, value: str) -> str:
    """Call a value of a facet as a person does."""
    if facet == "state":
        return STATES[value]
    if facet == "language":
        return language_name(value) if value else "Not known"
    return value or "Added without a folder"


def choices(facet: str, counts: Mapping[str, int]) -> list[str]:
    """List what a menu offers of a facet: the values with most documents, of folders as many levels as it can hold."""
    if facet == "state":
        return list(STATES)
    depths = {value: value.count("/") if facet == "folder" else 0 for value in counts}
    while len(depths) > MOST and any(depths.values()):
        deepest = max(depths.values())
        depths = {value: depth for value, depth in depths.items() if depth < deepest}
    frequent = sorted(depths, key=lambda value: (-counts[value], natural(words_of(facet, value))))[:MOST]
    if facet in ("folder", "tag"):
        frequent.sort(key=lambda value: [natural(part) for part in value.split("/")])
    return frequent


def in_state(row: Document, state: str, model: DocumentsModel) -> bool:
    """Return whether a document is in a state."""
    match state:
        case "without text":
            return row.pages_without_text > model.blank_pages.get(row.id, 0)
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
