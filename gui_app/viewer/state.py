"""What the viewer knows of the case: its documents, and what is marked on their pages. No widget lives here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.domain import Document, Evidence, Proposal, Rating
from gui_app.viewer.marks import parts_of

if TYPE_CHECKING:
    from core.workbench import Workbench

Placed = tuple[int, int, int, Evidence | Proposal]  # page, start, end and what is there


@dataclass(frozen=True, slots=True)
class Quotes:
    """The quotes of a document that are marked on its pages."""

    evidence: Sequence[Evidence] = ()
    proposals: Sequence[Proposal] = ()
    ratings: Mapping[str, dict[str, Rating]] = field(default_factory=dict)

    def of_document(self, document: str) -> list[Placed]:
        """List every quote of a document in reading order; one that is in the matrix stands for its proposal."""
        by_place: dict[tuple[int, int, int], Evidence | Proposal] = {}
        things: list[Evidence | Proposal] = [proposal for proposal in self.proposals if proposal.status != "rejected"]
        things += self.evidence
        for thing in things:
            quote = thing if isinstance(thing, Evidence) else thing.quote
            first = next(parts_of(thing), None) if quote.document == document else None
            if first is not None:
                by_place[(first.page, first.start, first.end)] = thing
        return [(*place, by_place[place]) for place in sorted(by_place)]


@dataclass(frozen=True, slots=True)
class ViewerState:
    """The state of a case that the viewer shows, besides the pages themselves and their quotes."""

    documents: tuple[Document, ...] = ()

    def first_with_pages(self) -> Document | None:
        """Return the first document that has a page to show."""
        return next((document for document in self.documents if document.pages), None)


def load(bench: Workbench) -> ViewerState:
    """Read the documents of the case."""
    return ViewerState(tuple(bench.documents.all()))


def load_quotes(bench: Workbench, document: str) -> Quotes:
    """Read the quotes of a document, and how they are rated."""
    ratings: dict[str, dict[str, Rating]] = {}
    for assessment in bench.evidence.assessments(document=document):
        ratings.setdefault(assessment.evidence, {})[assessment.hypothesis] = assessment.rating
    return Quotes(bench.evidence.quoting(document), bench.verdicts.proposals(document=document), ratings)
