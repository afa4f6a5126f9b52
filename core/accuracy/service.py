"""Figures of an open case, part by part; and whether each quote in the matrix is met again by the searches."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.accuracy import figures
from core.accuracy.figures import Figure
from core.answers.results import Answer, Reason
from core.progress import Progress, silent

if TYPE_CHECKING:
    from core.evidence.service import EvidenceService
    from core.ocr.service import Ocr
    from core.open_case import OpenCase
    from core.plans.service import SearchPlans
    from core.review.service import Review
    from core.search.service import Search
    from core.verdicts.policy import VerdictPolicy

SEARCH_DEPTH = 30  # passages of a search in which a quote counts as met again
_REFUSALS: dict[Reason, str] = {
    "no_relevant_source": "refused: no relevant source",
    "low_confidence": "refused: not sure enough",
    "conflicting_sources": "refused: sources differ",
    "ocr_doubt": "refused: doubtful scan",
    "premise": "refused: premise not in the source",
    "missing_metadata": "refused: asked of the document itself",
}


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The rank at which the search for a hypothesis meets the quote of a row that bears on it.

    ``rank`` is that of the first passage in which the quote lies, None: not among the first ``SEARCH_DEPTH``, and
    ``cause`` says why.
    """

    evidence: str
    hypothesis: str
    rank: int | None
    cause: str = ""


class Accuracy:
    """Figures on how far each part of the case can be trusted."""

    def __init__(
        self,
        case: OpenCase,
        search: Search,
        evidence: EvidenceService,
        ocr: Ocr,
        plans: SearchPlans,
        verdicts: VerdictPolicy,
        review: Review,
    ) -> None:
        self._store = case.store
        self._search = search
        self._evidence = evidence
        self._ocr = ocr
        self._plans = plans
        self._verdicts = verdicts
        self._review = review

    def figures(self) -> tuple[Figure, ...]:
        """Return every figure that the case gives without searching again."""
        return (
            *self._sources(),
            *self._scans(),
            *self._recall(),
            *self._of_models(),
            *self._answers(),
            *self._conflicts(),
            *self._audits(),
        )

    def retrieval(self, progress: Progress | None = None) -> tuple[Retrieval, ...]:
        """Search for each hypothesis, and look up the rank of every quote of the rows that bear on it.

        The query is the hypothesis itself, never the words of the quote, which would always find themselves.
        """
        progress = progress or silent()
        quotes = {item.id: item for item in self._store.evidence.all() if item.page_id is not None}
        pairs: dict[str, list[str]] = {}
        for assessment in self._evidence.assessments():
            if assessment.evidence in quotes and assessment.rating not in ("N", "NA"):
                pairs.setdefault(assessment.hypothesis, []).append(assessment.evidence)
        hypotheses = {hypothesis.id: hypothesis.text for hypothesis in self._store.hypotheses.all()}
        results = []
        for number, (hypothesis, rows) in enumerate(pairs.items()):
            progress.step(number, len(pairs), f"Searching for {hypothesis}")
            answer = self._search.passages_for(hypotheses[hypothesis], k=SEARCH_DEPTH, per_document=SEARCH_DEPTH)
            for row in dict.fromkeys(rows):
                item = quotes[row]
                passages = [*answer.passages, *(copy for copies in answer.copies.values() for copy in copies)]
                ranks = [
                    passage.rank
                    for passage in passages
                    if passage.page_id == item.page_id
                    and passage.start < (item.end or 0)
                    and passage.end > (item.start or 0)
                ]
                cause = "" if ranks else self._cause(item.document)
                results.append(Retrieval(row, hypothesis, min(ranks) if ranks else None, cause))
        return tuple(sorted(results, key=lambda result: (_number(result.evidence), _number(result.hypothesis))))

    def retrieval_figures(self, results: tuple[Retrieval, ...]) -> tuple[Figure, ...]:
        """Return the share of quotes that the searches meet again, and their middle rank."""
        ranks = [result.rank for result in results if result.rank is not None]
        name = f"quotes in the first {SEARCH_DEPTH} passages of the search for a hypothesis they bear on"
        hits = figures.share("retrieval", name, len(ranks), len(results), "judged here")
        middle = figures.middle(ranks)
        if middle is None:
            return (hits,)
        return hits, figures.number("retrieval", "middle rank of those quotes", middle, len(ranks))

    def _cause(self, document: str | None) -> str:
        """Return why a search cannot meet a quote; '' is never a cause."""
        standing = {document_row.id: document_row for document_row in self._store.documents.all()}.get(document or "")
        if standing is None:
            return "its document was removed"
        if not standing.included:
            return "its document is out of scope"
        return f"not among the first {SEARCH_DEPTH}"

    # --- the parts ---------------------------------------------------------------------------------------------------

    def _sources(self) -> list[Figure]:
        documents = [document for document in self._store.documents.all() if document.included]
        rows = [item for item in self._store.evidence.all() if item.document is not None]
        n = len(documents)
        with_grade = sum(bool(item.reliability) for item in rows)
        with_scans = {page.document for page in self._ocr.scanned_pages()}
        unread = sum(document.pages_without_text for document in documents)
        pages = sum(document.pages for document in documents)
        return [
            figures.share("sources", "documents with a date", sum(bool(d.date) for d in documents), n, "counted here"),
            figures.share(
                "sources", "documents with a grade", sum(bool(d.reliability) for d in documents), n, "counted here"
            ),
            figures.share("sources", "quoted rows with a graded source", with_grade, len(rows), "counted here"),
            figures.share("sources", "documents with pages from OCR", len(with_scans), n, "counted here"),
            figures.share("sources", "pages that no search reads", unread, pages, "counted here"),
        ]

    def _scans(self) -> list[Figure]:
        pages = self._ocr.scanned_pages()
        if not pages:
            return []
        decisions = Counter(decision.action for decision in self._ocr.decisions())
        wrong = decisions["corrected"]
        n = decisions.total() - decisions["illegible"]
        words = sum(len(page.text.split()) for page in pages)
        note = "These are the words that the program doubted most, so this says nothing about the rest."
        confidences = [page.confidence for page in pages if page.confidence is not None]
        mean = round(sum(confidences) / len(confidences), 4) if confidences else None
        return [
            figures.share("scans", "words of scans that a person checked", decisions.total(), words, "counted here"),
            figures.share("scans", "checked words that OCR had read wrong", wrong, n, "judged here", note),
            Figure(
                *("scans", "mean confidence of the pages", mean, len(confidences), "measured elsewhere"),
                note="The OCR engine's own figure, not a share of right words.",
            ),
        ]

    def _recall(self) -> list[Figure]:
        """Return the estimated recall of the searches for each hypothesis, from what a person judged of the rest."""
        results = []
        for hypothesis in self._store.hypotheses.all():
            estimate = self._plans.elusion_if_judged(hypothesis.id)
            name = f"passages that bear on {hypothesis.id} and were found"
            if estimate is None:
                note = "Nobody has judged a sample of the passages left unread."
                results.append(Figure("retrieval", name, None, 0, "estimated here", note=note))
            else:
                results.append(
                    Figure(
                        *("retrieval", name, estimate.recall, estimate.judged, "estimated here"),
                        *(estimate.recall_low, estimate.recall_high),
                    )
                )
        return results

    def _of_models(self) -> list[Figure]:
        """Return what each model reached in its exam, and how far people agreed with it."""
        results = []
        proposals = self._store.proposals.all()
        for model in sorted({proposal.verdict.model for proposal in proposals}):
            name, exam = self._verdicts.model_card(model).name, self._verdicts.exam_of(model)
            label = f"verdicts of {name} right in its exam"
            halves = () if exam is None else exam.halves
            if exam is None:
                results.append(
                    Figure("verdicts", label, None, 0, "measured elsewhere", note="It has not taken the exam.")
                )
            elif not halves:
                results.append(figures.of_proportion("verdicts", label, exam.accuracy, "measured elsewhere"))
            results += [
                figures.of_proportion("verdicts", f"{label}: {part.name}", part.accuracy, "measured elsewhere")
                for part in halves
            ]
        for agreement in self._review.agreements():
            name = self._verdicts.model_card(agreement.model).name
            blind = [
                decision for decision in agreement.decisions if decision.blind and decision.verdict.label != "ambiguous"
            ]
            in_sight = [
                decision
                for decision in agreement.decisions
                if not decision.blind and decision.verdict.label != "ambiguous"
            ]
            right = sum(decision.agrees for decision in blind)
            alike = sum(decision.agrees for decision in in_sight)
            note = "The verdict was in sight: this is agreement, not accuracy."
            results += [
                figures.share(
                    "verdicts", f"verdicts of {name} shared by blind ratings", right, len(blind), "judged here"
                ),
                figures.share(
                    "verdicts", f"verdicts of {name} shared by other ratings", alike, len(in_sight), "judged here", note
                ),
            ]
        return results

    def _answers(self) -> list[Figure]:
        records = self._store.results.all("answer")
        if not records:
            return []
        answers = [record.decode(Answer) for record in records]
        n, reasons = len(answers), Counter(answer.reason for answer in answers if not answer.is_answered)
        partial = sum(answer.reason == "partial" for answer in answers)
        complete = sum(answer.is_answered and answer.reason != "partial" for answer in answers)
        return [
            figures.share("answers", "questions answered", complete, n, "counted here"),
            figures.share("answers", "questions answered in part", partial, n, "counted here"),
            *(
                figures.share("answers", words, reasons[reason], n, "counted here")
                for reason, words in _REFUSALS.items()
                if reasons[reason]
            ),
            figures.share(
                "answers",
                "answers older than the documents",
                sum(record.is_stale for record in records),
                n,
                "counted here",
            ),
        ]

    def _conflicts(self) -> list[Figure]:
        records = self._store.results.all("conflict")
        if not records:
            return []
        open_count = sum(all(resolution.status == "open" for resolution in result.resolutions) for result in records)
        return [
            figures.share("conflicts", "conflicts between sources still open", open_count, len(records), "counted here")
        ]

    def _audits(self) -> list[Figure]:
        records = self._store.results.all("audit")
        if not records:
            return []
        overrules = sum(resolution.status == "overruled" for result in records for resolution in result.resolutions)
        n = sum(len(result.resolutions) for result in records)
        return [
            figures.number("audits", "reports audited", len(records), len(records)),
            figures.share("audits", "findings that a person overruled", overrules, n, "judged here"),
        ]


def _number(identity: str) -> int:
    return int(identity[1:])
