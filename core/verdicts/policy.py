"""What is known of the models that judge, and which of their verdicts a person may see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from core.domain import (
    Assessment,
    Evidence,
    Probabilities,
    Proposal,
    Suggestion,
    Verdict,
)
from core.errors import (
    ModelMissing,
)
from core.progress import Progress
from core.verdicts import agreement as agreeing
from core.verdicts import exam, exam_results
from core.verdicts import labels as classify

if TYPE_CHECKING:
    from core.open_case import OpenCase


class VerdictPolicy:
    """What is known of the models that judge, and which of their verdicts a person may see."""

    def __init__(self, case: OpenCase) -> None:
        self._open = case
        self._store = case.store

    def record_exam(self, model: str) -> None:
        """Keep in the case what is known of a model that is about to give verdicts, so that it stands beside them
        wherever the case is opened.
        """
        if not self._store.verdicts.exam_of(model):
            self._store.verdicts.keep_exam(model, exam_results.to_keep(model))

    def exam_of(self, model: str) -> exam.Result | None:
        """What the model of these verdicts reached in the exam, as the case keeps it or else as this computer knows."""
        known = self._known_of(model)
        return known.result if known is not None else exam_results.result_of(model)

    def model_card(self, model: str) -> classify.ModelCard:
        """What is known of the model that gave a verdict (``Verdict.model``), its exam first."""
        known = self._known_of(model)
        return known.card if known is not None else exam_results.model_card(model)

    def show_thresholds(self, model: str) -> tuple[classify.ShowThreshold, ...]:
        """From which probability on verdicts of a model are shown in a strict case, class by class."""
        known = self._known_of(model)
        return known.card.sure if known is not None else exam_results.show_thresholds(model)

    def margin_of(self, model: str) -> float:
        """Nearer than this to each other, the two likeliest answers of a model were no answer."""
        known = self._known_of(model)
        return known.card.threshold if known is not None else exam_results.margin_of(model)

    def shown_by(self, model: str) -> Callable[[Probabilities], bool]:
        """Whether a strict case shows what a model said."""
        sure, margin = self.show_thresholds(model), self.margin_of(model)
        return lambda told: not classify.withheld(Verdict(classify.label(told, margin), told, model), sure)

    def _known_of(self, model: str) -> exam_results.Known | None:
        return exam_results.kept(self._store.verdicts.exam_of(model), model)

    def agreements_of(
        self, evidence: Sequence[Evidence], proposals: Sequence[Proposal], assessments: Sequence[Assessment]
    ) -> list[agreeing.Agreement]:
        """How far each model and the people agree, that of the most ratings first."""
        told = agreeing.decisions(evidence, proposals, assessments, self._store.settings.blind_times())
        found = []
        for model, mine in told.items():
            aside = sum(
                proposal.status == "rejected"
                and proposal.verdict.model == model
                and proposal.verdict.label in ("supports", "contradicts")
                for proposal in proposals
            )
            found.append(agreeing.agreement(model, mine, rejected=aside))
        return sorted(found, key=lambda one: (-len(one.decisions), one.model))

    def mark_abstained(self, proposals: Sequence[Proposal], *, strict: bool) -> list[Proposal]:
        """The same, with those marked ``withheld`` that a ``strict`` case does not show."""
        if not strict:
            return list(proposals)
        sure = {model: self.show_thresholds(model) for model in {proposal.verdict.model for proposal in proposals}}
        return [replace(p, withheld=classify.withheld(p.verdict, sure[p.verdict.model])) for p in proposals]

    def shown_suggestions(self, found: Sequence[Suggestion], *, strict: bool) -> list[Suggestion]:
        """The suggestions that a ``strict`` case shows; all of them in another."""
        if not strict:
            return list(found)
        shown = {model: self.shown_by(model) for model in {one.model for one in found}}
        return [one for one in found if shown[one.model](one.probabilities)]

    def judge_card(self) -> classify.ModelCard | None:
        """What was measured of the judge in use; None without a judge."""
        return exam_results.card(self._open.engines)

    def examine(self, progress: Progress | None = None) -> exam.Result:
        """Have the judge in use sit the exam, again where it did before. Raises ModelMissing without a judge."""
        if self._open.engines.judge is None:
            raise ModelMissing(role="judging", path="the models folder", effect="no exam can be run")
        return exam_results.run_exam(self._open.engines.judge, progress)

    def proposals(self, hypothesis: str | None = None, status: str | None = None) -> list[Proposal]:
        """In order of id. Where rating is blind, those to be decided are marked so: their verdict is for later. In a
        strict case those are ``withheld`` whose verdict is not sure enough.
        """
        kept = self._store.settings.get()
        found = self.mark_abstained(self._store.proposals.all(hypothesis=hypothesis, status=status), strict=kept.strict)
        if kept.blind:
            found = [replace(proposal, blind=proposal.status == "pending") for proposal in found]
        return found

    def other_models(self, models: Iterable[str]) -> dict[str, str]:
        """Those of these fingerprints that are of no model in use, with words for it; none where there is no judge."""
        if self._open.engines.judge is None:
            return {}
        told = {model: exam_results.other_model(self._open.engines, model) for model in models}
        return {model: words for model, words in told.items() if words}
