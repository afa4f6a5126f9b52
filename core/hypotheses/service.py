"""The rival hypotheses, their priors, and what the analyst considers beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core import matrix as matrices
from core.domain import Changes, Consideration, Hypothesis, Passage
from core.errors import BadInput
from core.search import ranking

if TYPE_CHECKING:
    from core.open_case import OpenCase
    from core.search.service import Search


@dataclass(frozen=True, slots=True)
class Added:
    """A new hypothesis, piece of evidence or consideration, by id. Not ``new``: it was there, and nothing was done."""

    id: str
    changes: Changes
    new: bool = True


@dataclass(frozen=True, slots=True)
class IndicatorHit:
    """A new document that an indicator's search finds: its best passage."""

    consideration: str
    document: str
    name: str
    page: int
    page_id: int
    start: int
    end: int
    text: str


EVERY = ("all",)  # as a setting: at most one of all hypotheses can be true
LONGEST_HYPOTHESIS = 1_000  # characters; the judge's window must hold a passage beside it


class Hypotheses:
    """The rival hypotheses, their priors, and what the analyst considers beside them."""

    def __init__(self, case: OpenCase, search: Search) -> None:
        self._open = case
        self._store = case.store
        self._search = search

    def all(self) -> list[Hypothesis]:
        """List the hypotheses in the order in which they were written."""
        return self._store.hypotheses.all()

    def set_kind(self, hypothesis: str, kind: str) -> Changes:
        """Set the kind: '' like others, 'null' for nothing-happened, 'deception' for we-are-meant-to-believe-it."""
        self._store.hypotheses.set_kind(hypothesis, kind)
        return Changes(hypotheses=True)

    def set_priors(self, priors: Mapping[str, float] | None) -> Changes:
        """Set probabilities before any evidence, for the Bayes reading: one for every hypothesis, or None for none.

        Raises BadInput when one is missing or below 0, or all are 0.
        """
        if priors is not None:
            matrices.bayes([hypothesis.id for hypothesis in self.all()], [], priors=priors)
        self._store.hypotheses.set_priors(priors)
        return Changes(hypotheses=True, matrix=True)

    def exclusive(self) -> tuple[str, ...]:
        """List the hypotheses of which at most one can be true, in order; () where nothing was said of that."""
        return exclusive_of(self.all(), self._store.settings.get().exclusive)

    def set_exclusive(self, hypotheses: Sequence[str]) -> Changes:
        """Set the hypotheses of which at most one can be true: ('all',) for all, later ones too; () for none.

        What a model says in their favour is flagged where it cannot all hold; nothing else follows. Raises NoSuchItem,
        and BadInput for a single one.
        """
        ids = list(dict.fromkeys(hypotheses))
        if ids != list(EVERY):
            for hypothesis in ids:
                self._store.hypotheses.get(hypothesis)
            if len(ids) == 1:
                raise BadInput(reason="One hypothesis alone excludes none.", remedy="Name two or more, all, or none.")
        self._store.settings.change(exclusive=ids)
        return Changes(hypotheses=True, proposals=True)

    def considerations(self, kind: str | None = None) -> list[Consideration]:
        """List what the analyst considers beside the matrix, all of it or that of one kind."""
        return self._store.considerations.all(kind)

    def add_consideration(self, kind: str, text: str, *, hypothesis: str = "", query: str = "") -> Added:
        """Add a key assumption, a premortem, or an indicator with its search. Raises BadInput, NoSuchItem."""
        return Added(
            self._store.considerations.add(kind, text, hypothesis=hypothesis, query=query).id, Changes(hypotheses=True)
        )

    def edit_consideration(
        self,
        consideration: str,
        *,
        text: str | None = None,
        hypothesis: str | None = None,
        query: str | None = None,
        status: str | None = None,
    ) -> Changes:
        """Change some fields of a consideration; None leaves one as it is. Raises NoSuchItem, BadInput."""
        fields = {"text": text, "hypothesis": hypothesis, "query": query, "status": status}
        self._store.considerations.edit(consideration, {k: v for k, v in fields.items() if v is not None})
        return Changes(hypotheses=True)

    def remove_consideration(self, consideration: str) -> Changes:
        """Take a consideration out of the case. Raises NoSuchItem."""
        self._store.considerations.remove(consideration)
        return Changes(hypotheses=True)

    def mark_seen(self, consideration: str) -> Changes:
        """Note that the documents that are there now have been looked at for this indicator."""
        self._store.considerations.mark_seen(consideration)
        return Changes(hypotheses=True)

    def check_indicators(self) -> tuple[IndicatorHit, ...]:
        """Find for each open indicator the best passage of every document that came since it was last looked at."""
        hits: list[IndicatorHit] = []
        is_measured = self._search.similarity_is_measured()
        for indicator in self._store.considerations.all("indicator"):
            new = [
                document.id
                for document in self._store.documents.all()
                if int(document.id[1:]) > indicator.seen and document.included and document.status == "ready"
            ]
            if indicator.status != "open" or not new or not indicator.query.strip():
                continue
            result = self._search.passages_for(indicator.query, include=new, k=3 * len(new), per_document=3)
            best: dict[str, Passage] = {}
            for passage in result.passages:
                # In one new document something always ranks first, so ranks say nothing here.
                if ranking.answers(indicator.query, passage.text, passage.similarity if is_measured else None):
                    best.setdefault(passage.document, passage)
            hits += [
                IndicatorHit(indicator.id, p.document, p.name, p.page, p.page_id, p.start, p.end, p.text)
                for p in best.values()
            ]
        return tuple(hits)

    def add(self, text: str, note: str = "", *, kind: str = "") -> Added:
        """Write a new hypothesis. Raises BadInput for an empty text or one too long to be judged."""
        return Added(
            self._store.hypotheses.add(_hypothesis_text(text), note=note.strip(), kind=kind).id,
            Changes(hypotheses=True, matrix=True),
        )

    def edit(self, hypothesis: str, *, text: str, note: str = "") -> Changes:
        """Reword a hypothesis. Raises NoSuchItem, and BadInput as ``add`` does."""
        self._store.hypotheses.edit(hypothesis, text=_hypothesis_text(text), note=note.strip())
        return Changes(hypotheses=True, matrix=True)

    def remove(self, hypothesis: str) -> Changes:
        """Take out a hypothesis with its proposals and ratings. Raises NoSuchItem."""
        self._store.hypotheses.remove(hypothesis)
        return Changes(hypotheses=True, proposals=True, matrix=True)


def exclusive_of(hypotheses: Sequence[Hypothesis], setting: Sequence[str]) -> tuple[str, ...]:
    """List those of ``hypotheses`` that a case's setting names as exclusive; one that is left alone excludes none."""
    ids = tuple(h.id for h in hypotheses if tuple(setting) == EVERY or h.id in setting)
    return ids if len(ids) > 1 else ()


def _hypothesis_text(text: str) -> str:
    line = " ".join(text.split())
    if not line:
        raise BadInput(reason="A hypothesis cannot be empty.", remedy="Write one sentence that could be true or false.")
    if len(line) > LONGEST_HYPOTHESIS:
        raise BadInput(
            reason=f"This hypothesis has {len(line):,} characters; the judge can weigh at most "
            f"{LONGEST_HYPOTHESIS:,} beside a passage, so it was not added.",
            remedy="Put it in one sentence and keep the rest as its note.",
        )
    return line
