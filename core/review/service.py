"""What becomes of verdicts: shown or held back, read again by a larger model or by the judge in use, decided by a
person, and held against what people then rated.

Both verdicts of two models are kept, and neither counts: only a person's decision makes evidence or a rating.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core import matrix as matrices
from core.domain import (
    DEFAULT_RULE,
    SECOND_READER,
    Assessment,
    Changes,
    Chunk,
    Hypothesis,
    OtherVerdict,
    Probabilities,
    Proposal,
    Span,
    Suggestion,
    Verdict,
)
from core.errors import ModelMissing
from core.plans import discrimination
from core.plans.service import Effort
from core.ports import Judge
from core.progress import Progress, silent
from core.review import cascade
from core.review.judging import Judging, Skipping
from core.text import sentences
from core.verdicts import agreement as agreeing
from core.verdicts import exam_results, prompt_injection
from core.verdicts import labels as classify

Keep = Callable[[Mapping[str, tuple[Verdict, str]]], None]


@dataclass(frozen=True, slots=True)
class Accepted:
    """(evidence id, proposal id) pairs."""

    pairs: tuple[tuple[str, str], ...]
    changes: Changes = Changes(proposals=True, evidence=True, matrix=True)


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """Verdicts that were read again, as they stand now. ``model`` did it; ``disputed`` of them have another label than
    they had; ``notes`` say what could not be read."""

    proposals: tuple[Proposal, ...]
    model: str
    disputed: int
    seconds: float
    notes: tuple[str, ...] = ()
    changes: Changes = Changes(proposals=True)


class Reviewing(Judging):
    """Verbs that people and second readers look at verdicts with."""

    # --- shown and decided -------------------------------------------------------------------------------------------

    def proposals(self, hypothesis: str | None = None, status: str | None = None) -> list[Proposal]:
        """In order of id. Where rating is blind, those to be decided are marked so: their verdict is for later. In a
        strict case those are ``withheld`` whose verdict is not sure enough."""
        kept = self.case.settings()
        found = self.held_back(self.case.proposals(hypothesis=hypothesis, status=status), strict=kept.strict)
        if kept.blind:
            found = [replace(proposal, blind=proposal.status == "pending") for proposal in found]
        return found

    def effort(self, proposals: Sequence[Proposal] | None = None) -> list[Effort]:
        return super().effort(self.proposals() if proposals is None else proposals)

    def accept(self, proposals: Sequence[str], rate: bool = False) -> Accepted:
        """Make evidence of proposals. With ``rate`` the model's rating is kept beside it as a suggestion; nothing is
        suggested where two models disagree, or where a strict case does not show the verdict."""
        suggestions = []
        if rate:
            at = self.case.now()
            wanted = set(proposals)
            for proposal in self.proposals():
                rating = classify.rating_for(proposal.verdict.label)
                if proposal.id in wanted and rating is not None and not proposal.disputed and not proposal.withheld:
                    verdict = proposal.verdict
                    suggestions.append(
                        Suggestion(
                            *(proposal.id, proposal.hypothesis, rating, verdict.model, verdict.probabilities, at)
                        )
                    )
        return Accepted(tuple(self.case.accept(list(proposals), suggestions=suggestions)))

    def reject(self, proposals: Sequence[str]) -> Changes:
        self.case.reject(list(proposals))
        return Changes(proposals=True)

    def suggestions(self, *, everything: bool = False) -> list[Suggestion]:
        found = super().suggestions(everything=everything)
        return self._sure_enough(found, strict=self.case.settings().strict and not everything)

    def ratings_of(self, evidence: str) -> tuple[list[Assessment], list[Suggestion]]:
        people, model = super().ratings_of(evidence)
        return people, self._sure_enough(model, strict=self.case.settings().strict)

    def _known_verdicts(
        self, hypotheses: Sequence[Hypothesis], chunks: Mapping[int, Chunk]
    ) -> dict[int, dict[str, Probabilities]]:
        known = super()._known_verdicts(hypotheses, chunks)
        if not self.case.settings().strict or self.engines.judge is None:
            return known
        shown = self._shown_by(self.engines.judge.fingerprint)
        return {
            chunk: {hypothesis: one for hypothesis, one in told.items() if shown(one)} for chunk, told in known.items()
        }

    # --- read again --------------------------------------------------------------------------------------------------

    def other_models(self, models: Iterable[str]) -> dict[str, str]:
        """Those of these fingerprints that are of no model in use, with words for it; none where there is no judge."""
        if self.engines.judge is None:
            return {}
        told = {model: exam_results.other_model(self.engines, model) for model in models}
        return {model: words for model, words in told.items() if words}

    def by_other_models(self) -> list[Proposal]:
        """What waits for a decision with the verdict of another model than those in use; nothing without a judge."""
        found = self.proposals(status="pending")
        others = self.other_models({p.verdict.model for p in found})
        return [p for p in found if p.verdict.model in others]

    def close_or_decisive(self) -> list[cascade.Chosen]:
        """The verdicts that a second reader would be asked about now, and why; without those that it has read."""
        reader = self.engines.second_reader
        known = reader is not None and getattr(reader, "confinement", True) is not None
        return self._to_read_again(reader.fingerprint if reader is not None and known else "")

    def _to_read_again(self, reader: str, most: int = cascade.MOST) -> list[cascade.Chosen]:
        proposals = [p for p in self.case.proposals() if p.verdict.model != reader]
        return cascade.choose(proposals, self._decisive(proposals), reader, most=most)

    def _decisive(self, proposals: Iterable[Proposal]) -> dict[str, str]:
        """Which verdicts the ranking hangs on, in words: a rated cell that is a linchpin, an unrated one that could
        separate the leaders, and what would change the leaders were it taken as it stands."""
        matrix = self.matrix()
        cells = {
            (pin.evidence, pin.hypothesis): f"{pin.evidence}: {pin.sentence}" for pin in reversed(matrix.linchpins)
        }
        for gap in matrix.gaps:
            told = f"{gap.evidence} is not rated yet, and {matrices.both(gap.could_lead)} could then lead"
            cells.setdefault((gap.evidence, gap.hypothesis), told)
        rows: dict[tuple[int | None, int | None, int | None], str] = {
            (row.page_id, row.start, row.end): row.id for row in self.case.evidence() if row.page_id is not None
        }
        penalties = discrimination.penalties_of(matrix, DEFAULT_RULE)
        found = {}
        for proposal in proposals:
            quote = proposal.quote
            row = rows.get((quote.page_id, quote.start, quote.end), "")
            if row:
                said = cells.get((row, proposal.hypothesis), "")
            else:
                said = self._would_lead(proposal, matrix.hypotheses, penalties or {})
            if said:
                found[proposal.id] = said
        return found

    @staticmethod
    def _would_lead(proposal: Proposal, hypotheses: Sequence[str], penalties: Mapping[str, float]) -> str:
        rating = classify.rating_for(proposal.verdict.label)
        if rating in (None, "N") or not penalties:
            return ""
        ratings = {proposal.hypothesis: rating}
        then = discrimination.outcome(hypotheses, penalties, ratings, matrices.PENALTY, matrices.rank)
        return f"taken as it stands, {matrices.both(then.leaders)} would lead" if then.changes_lead else ""

    def read_again(
        self,
        proposals: Sequence[str] | None = None,
        *,
        most: int = cascade.MOST,
        progress: Progress | None = None,
    ) -> ReadAgain:
        """Have the second reader judge these, or else the close and decisive ones; both verdicts are kept.

        What it said before is not asked again, and each passage is kept as it comes: a cancelled run loses nothing.
        Raises ModelMissing without a second reader, BadInput for one that failed its exam, NoSuchItem.
        """
        progress = progress or silent()
        with progress.asking():
            return self._read_again(proposals, most, progress)

    def _read_again(self, proposals: Sequence[str] | None, most: int, progress: Progress) -> ReadAgain:
        reader = exam_results.second_reader(self.engines, progress)
        if reader is None:
            raise ModelMissing(
                role="second reading", path="the roles of models", effect="no verdict can be read a second time"
            )
        self.keep_exam(reader.fingerprint)
        wanted = proposals
        if wanted is None:
            wanted = [one.proposal for one in self._to_read_again(reader.fingerprint, most)]

        def keep(told: Mapping[str, tuple[Verdict, str]]) -> None:
            at = self.case.now()
            self.case.put_other_verdicts([OtherVerdict(p, SECOND_READER, *said, at) for p, said in told.items()])

        return self._asked_again(reader, [self.case.proposal(identity) for identity in wanted], keep, progress)

    def judge_again(self, proposals: Sequence[str] | None = None, *, progress: Progress | None = None) -> ReadAgain:
        """Have the judge in use judge these, or else all that wait for a decision with the verdict of another one. Its
        verdict takes the place of the one before, which is kept beside it; the quote stays.

        Raises ModelMissing without a judge, BadInput for one that failed its exam, NoSuchItem.
        """
        progress = progress or silent()
        with progress.asking():
            judge = self._judge(progress)
            if proposals is None:
                found = self.by_other_models()
            else:
                found = [p for p in map(self.case.proposal, proposals) if p.status == "pending"]
            return self._asked_again(judge, found, self.case.put_verdicts_again, progress)

    def _asked_again(self, judge: Judge, proposals: Sequence[Proposal], keep: Keep, progress: Progress) -> ReadAgain:
        began, model = time.monotonic(), judge.fingerprint
        hypotheses = {hypothesis.id: hypothesis.text for hypothesis in self.case.hypotheses()}
        passages: dict[int, list[Proposal]] = {}
        for proposal in proposals:
            passages.setdefault(proposal.chunk, []).append(proposal)
        chunks = self.case.chunks(list(passages))
        notes: list[str] = []
        skipping = Skipping(judge)
        read: list[str] = []
        for chunk, mine in passages.items():
            progress.step(len(read), len(proposals), f"Reading {mine[0].name}, page {mine[0].quote.page} again")
            passage = chunks[chunk]
            inside = [p for p in mine if passage.start <= p.quote.start and p.quote.end <= passage.end]
            notes += [f"{p.id}: its quote does not lie in its passage any more." for p in mine if p not in inside]

            def work(
                texts: Sequence[str], passage: Chunk = passage, inside: Sequence[Proposal] = inside
            ) -> dict[str, tuple[Verdict, str]]:
                asked = [p for p in inside if hypotheses[p.hypothesis] in texts]
                with progress.asking():
                    return self._told_again(judge, model, passage, asked, hypotheses)

            where = f"{mine[0].name}, page {mine[0].quote.page}"
            about = list(dict.fromkeys(hypotheses[p.hypothesis] for p in inside))
            told = skipping.read(where, about, work)
            if told is not None:
                keep(told)
                read += told
        notes += skipping.notes(self.case.hypotheses())
        progress.step(len(proposals), len(proposals), "Read again")
        before = {proposal.id: proposal.verdict.label for proposal in proposals}
        after = {proposal.id: proposal for proposal in self.proposals() if proposal.id in set(read)}
        labels = {
            identity: next((o.verdict.label for o in p.others if o.verdict.model == model), p.verdict.label)
            for identity, p in after.items()
        }
        return ReadAgain(
            tuple(after.values()),
            model,
            sum(labels[identity] != before[identity] for identity in after),
            time.monotonic() - began,
            tuple(notes),
        )

    def _told_again(
        self, judge: Judge, model: str, passage: Chunk, proposals: Sequence[Proposal], hypotheses: Mapping[str, str]
    ) -> dict[str, tuple[Verdict, str]]:
        """What a model makes of a passage for these proposals, each with its own words on the quote that stands."""
        if not proposals:
            return {}
        whole = self._probabilities(judge, model, passage.text, [hypotheses[p.hypothesis] for p in proposals])
        spans, margin = sentences(passage.text), exam_results.margin_of(model)
        mind = prompt_injection.sentence(passage.text, prompt_injection.find(passage.text))
        found = {}
        for proposal, probabilities in zip(proposals, whole, strict=True):
            about = hypotheses[proposal.hypothesis]

            def ask(text: str, about: str = about) -> Probabilities:
                return self._probabilities(judge, model, text, [about])[0]

            label = classify.label(probabilities, margin)
            quote = Span(proposal.quote.start - passage.start, proposal.quote.end - passage.start)
            choice = classify.weigh(passage.text, spans, quote, label, ask)
            words = classify.explanation(label, probabilities, choice, proposal.quote.text, about, mind=mind)
            found[proposal.id] = (Verdict(label, probabilities, model), words)
        return found

    # --- model and people --------------------------------------------------------------------------------------------

    def agreements(self) -> list[agreeing.Agreement]:
        """How far each model that judged and the people of the case agree so far, that of the most ratings first. Where
        rating is blind, of colleagues only what they rated in cells that one has rated oneself."""
        return self._agreements(self.case.evidence(), self.case.proposals(), self.assessments())
