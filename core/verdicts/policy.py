"""The knowledge of the models that judge, and the rule of which verdicts a person may see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from core.domain import Assessment, Evidence, Probabilities, Proposal, ShowMode, State, Suggestion, Verdict
from core.store import judged_words
from core.verdicts import agreement as agreeing
from core.verdicts import exam, exam_results
from core.verdicts import labels as classify

if TYPE_CHECKING:
    from core.open_case import OpenCase


class VerdictPolicy:
    """The knowledge of the models that judge, and the rule of which verdicts a person may see."""

    def __init__(self, case: OpenCase) -> None:
        self._open = case
        self._store = case.store

    def record_exam(self, model: str) -> None:
        """Keep in the case what is known of a model that is about to give verdicts.

        So that it is beside them wherever the case is opened.
        """
        if not self._store.verdicts.exam_of(model):
            self._store.verdicts.keep_exam(model, exam_results.to_keep(model))

    def exam_of(self, model: str) -> exam.Result | None:
        """Return the exam of the model of these verdicts, as the case keeps it or else as this computer knows it."""
        record = self._record_of(model)
        return record.result if record is not None else exam_results.result_of(model)

    def model_card(self, model: str) -> classify.ModelCard:
        """Return what is known of the model that gave a verdict (``Verdict.model``), its exam first."""
        record = self._record_of(model)
        return record.card if record is not None else exam_results.model_card(model)

    def show_thresholds(self, model: str) -> tuple[classify.ShowThreshold, ...]:
        """List the probabilities from which on verdicts of a model are shown in a strict case, class by class."""
        record = self._record_of(model)
        return record.card.sure if record is not None else exam_results.show_thresholds(model)

    def margin_of(self, model: str) -> float:
        """Return how near the two likeliest answers of a model may lie before they are no answer."""
        record = self._record_of(model)
        return record.card.threshold if record is not None else exam_results.margin_of(model)

    def shown_by(self, model: str) -> Callable[[Probabilities], bool]:
        """Return a function that tells whether a strict case shows what a model said."""
        sure, margin = self.show_thresholds(model), self.margin_of(model)
        return lambda probabilities: (
            not classify.is_withheld(Verdict(classify.label(probabilities, margin), probabilities, model), sure)
        )

    def _record_of(self, model: str) -> exam_results.ModelRecord | None:
        return exam_results.read_record(self._store.verdicts.exam_of(model), model)

    def agreements_of(
        self, evidence: Sequence[Evidence], proposals: Sequence[Proposal], assessments: Sequence[Assessment]
    ) -> list[agreeing.Agreement]:
        """Count how far each model and the people agree, that of the most ratings first.

        Neither an outdated verdict counts nor a rating given before a rewording: each was about other words.
        """
        before_rewording = self._store.history.outdated_ratings()
        proposals = [proposal for proposal in proposals if not proposal.outdated and not proposal.unmeasured_language]
        assessments = [a for a in assessments if f"{a.evidence}/{a.hypothesis}/{a.by}" not in before_rewording]
        by_model = agreeing.decisions(evidence, proposals, assessments, self._store.settings.blind_times())
        result = []
        for model, of_model in by_model.items():
            aside = sum(
                proposal.status == "rejected"
                and proposal.verdict.model == model
                and proposal.verdict.label in ("supports", "contradicts")
                for proposal in proposals
            )
            result.append(agreeing.agreement(model, of_model, rejections=aside))
        return sorted(result, key=lambda model_row: (-len(model_row.decisions), model_row.model))

    def mark_abstained(self, proposals: Sequence[Proposal], show: ShowMode) -> list[Proposal]:
        """Mark those that are not sure enough as ``withheld`` in a strict case, as ``doubtful`` in an audit.

        One on which two readers disagree is not, however probable either finds it.
        """
        if show == "exploratory":
            return list(proposals)
        sure = {model: self.show_thresholds(model) for model in {proposal.verdict.model for proposal in proposals}}
        mark = {"withheld": True} if show == "strict" else {"doubtful": True}
        return [
            replace(p, **mark) if p.disputed or classify.is_withheld(p.verdict, sure[p.verdict.model]) else p  # type: ignore[arg-type]
            for p in proposals
        ]

    def mark_outdated(self, proposals: Sequence[Proposal], then: State | None = None) -> list[Proposal]:
        """Mark those whose model was asked about other words; of other models only what they said of these stays.

        With ``then`` proposals and hypotheses are those of a former moment.
        """
        return judged_words.mark_outdated(self._store, proposals, then)

    def mark_languages(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """Mark those whose passage or hypothesis is in a language that the judge was not measured in."""
        if not proposals:
            return []
        documents = self._store.documents.languages()
        hypotheses = {hypothesis.id: hypothesis.text for hypothesis in self._store.hypotheses.all()}
        languages = [
            classify.foreign_language(
                p.quote.text, hypotheses.get(p.hypothesis, ""), documents.get(p.quote.document, "")
            )
            for p in proposals
        ]
        return [
            replace(p, unmeasured_language=language) if language else p
            for p, language in zip(proposals, languages, strict=True)
        ]

    def without_outdated(self, suggestions: Sequence[Suggestion], then: State | None = None) -> list[Suggestion]:
        """Leave out ratings that a model suggested for a row or a hypothesis that had other words, also ``then``."""
        return judged_words.without_outdated(self._store, suggestions, then)

    def shown_suggestions(self, suggestions: Sequence[Suggestion], show: ShowMode) -> list[Suggestion]:
        """List the suggestions that a case shows: only sure ones, unless it is exploratory."""
        if show == "exploratory":
            return list(suggestions)
        is_shown = {model: self.shown_by(model) for model in {suggestion.model for suggestion in suggestions}}
        return [suggestion for suggestion in suggestions if is_shown[suggestion.model](suggestion.probabilities)]

    def judge_card(self) -> classify.ModelCard | None:
        """Return what was measured of the judge in use; None without a judge."""
        return exam_results.card(self._open.engines)

    def proposals(
        self,
        hypothesis: str | None = None,
        status: str | None = None,
        *,
        document: str | None = None,
        show: ShowMode | None = None,
    ) -> list[Proposal]:
        """List proposals, all or some, in order of id; ``show`` as the case has it, or another.

        Where rating is blind, those to be decided are marked so: their verdict is for later. In a strict case those are
        ``withheld`` whose verdict is not sure enough, in an audit they are ``doubtful``. Those are ``outdated`` whose
        passage or hypothesis was changed since it was judged; ``unmeasured_language`` is set where the judge was never
        measured in the language of either.
        """
        return self._marked(self._store.proposals.all(hypothesis=hypothesis, status=status, document=document), show)

    def proposals_of(self, ids: Iterable[str]) -> list[Proposal]:
        """Return these proposals in this order, marked as ``proposals`` marks them. Raises NoSuchItem."""
        return self._marked([self._store.proposals.get(identity) for identity in ids], None)

    def statuses(self) -> dict[str, str]:
        """Return 'pending', 'accepted' or 'rejected' by the id of each proposal."""
        return self._store.proposals.statuses()

    def _marked(self, proposals: Sequence[Proposal], show: ShowMode | None) -> list[Proposal]:
        settings = self._store.settings.get()
        proposals = self.mark_languages(self.mark_outdated(proposals))
        result = self.mark_abstained(proposals, show or settings.show)
        if settings.blind:
            result = [replace(p, blind=True) if p.status == "pending" else p for p in result]
        return result

    def other_models(self, models: Iterable[str]) -> dict[str, str]:
        """Map those of these fingerprints that are of no model in use to words for it; none where there is no judge."""
        if self._open.engines.judge is None:
            return {}
        words_of = {model: exam_results.other_model(self._open.engines, model) for model in models}
        return {model: words for model, words in words_of.items() if words}
